#!/usr/bin/env bash
# Cornac: equal scores count 0 in AUC
#
# Version:  cornac 3.0.1
# Expected: A model that gives all items the same score has AUC 0.5: half of the pairs are in
#           order by chance.
# Does:     A pair of equal scores counts 0, as if the liked item were the lower one. A model
#           that cannot tell items apart has AUC 0, worse than chance.
# Seen:     2026-11-29: one liked item and three others. Above one of them, level with one and
#           below one it has AUC 0.3333, and 0 if all scores are equal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    cornac==3.0.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import numpy as np
from cornac.metrics import AUC

items = {"item_indices": np.arange(4), "gt_pos": np.array([0]), "gt_neg": np.array([1, 2, 3])}
for scores in ([2.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.0, 1.0], [2.0, 1.0, 1.0, 1.0]):
    print(scores, round(float(AUC().compute(pd_scores=np.array(scores), **items)), 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
[2.0, 1.0, 2.0, 3.0] 0.3333
[1.0, 1.0, 1.0, 1.0] 0.0
[2.0, 1.0, 1.0, 1.0] 1.0
END
