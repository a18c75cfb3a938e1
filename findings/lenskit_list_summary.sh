#!/usr/bin/env bash
# LensKit: the means of list_summary leave out other users for each metric
#
# Version:  lenskit 2026.4.0, which needs Python 3.12.5 or newer; PYTHON may name it
# Expected: All metrics are means over the same users, those who have test items, and an empty
#           list counts 0 in each.
# Does:     An empty list counts 0 in nDCG, recall, reciprocal rank, hit and RBP, and is left
#           out of precision. A user without test items is left out of these, and counts 0 in
#           precision.
# Seen:     2026-11-29: u1 has nDCG 1 and precision 0.5; u2, whose list is empty, 0 and nothing;
#           u3, who has no test items, nothing and 0. The means are 0.5 and 0.25.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    lenskit==2026.4.0 numpy==2.5.5 pandas==3.1.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import warnings

warnings.simplefilter("ignore")

from lenskit.data import ItemList, ItemListCollection
from lenskit.metrics import NDCG, RBP, Hit, Precision, RecipRank, Recall, RunAnalysis


def lists(ordered, **items):
    return ItemListCollection.from_dict(
        {user: ItemList(item_ids=ids, ordered=ordered) for user, ids in items.items()},
        key="user_id",
    )


found = lists(True, u1=["a", "b"], u2=[], u3=["x", "a"])
test = lists(False, u1=["a"], u2=["a"], u3=[])
analysis = RunAnalysis(NDCG(), Recall(), RecipRank(), Hit(), Precision(), RBP())
result = analysis.measure(found, test)
means = result.list_summary()["mean"]
for metric, values in result.list_metrics().items():
    print(metric, [round(float(value), 4) for value in values], "mean", round(means[metric], 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
NDCG [1.0, 0.0, nan] mean 0.5
Recall [1.0, 0.0, nan] mean 0.5
RecipRank [1.0, 0.0, nan] mean 0.5
Hit [1.0, 0.0, nan] mean 0.5
Precision [0.5, nan, 0.0] mean 0.25
RBP [0.15, 0.0, nan] mean 0.075
END
