#!/usr/bin/env bash
# implicit: precision_at_k is not the mean over the users
#
# Version:  implicit 0.7.3
# Expected: precision@2 is the mean of the users' precisions: one of two places in each of two
#           users' lists is a hit, so 0.5. With the divisor min(k, liked items) it is (1/2 +
#           1/1) / 2 = 0.75.
# Does:     The hits of all users are added, and divided by the sum of min(k, liked items):
#           users with many liked items weigh more. map and ndcg of the same call are means over
#           the users.
# Seen:     2026-11-29: the users like 2 items and 1, and each list of two has one of them: 2 /
#           3. Three more users of the second kind give (1 + 4) / (2 + 4).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    implicit==0.7.3 numpy==2.4.6 scipy==1.17.1 threadpoolctl==3.8.0 tqdm==4.70.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # or implicit writes advice

import numpy as np
from implicit.evaluation import ranking_metrics_at_k
from scipy.sparse import csr_matrix


class Fixed:
    """Recommends the items of a table."""

    def __init__(self, items):
        self.items = np.array(items, np.int32)

    def recommend(self, users, user_items, N=10, **options):
        return self.items[users][:, :N], np.ones((len(users), N), np.float32)


for n_others in (1, 4):
    liked = csr_matrix([[1, 1, 0, 0], *[[0, 0, 0, 1]] * n_others])
    model = Fixed([[0, 2], *[[3, 1]] * n_others])
    nothing_seen = csr_matrix(liked.shape)
    options = {"K": 2, "show_progress": False, "num_threads": 1}
    values = ranking_metrics_at_k(model, nothing_seen, liked, **options)
    print(1 + n_others, "users", {name: round(values[name], 4) for name in ("precision", "map")})
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
2 users {'precision': 0.6667, 'map': 0.75}
5 users {'precision': 0.8333, 'map': 0.9}
END
