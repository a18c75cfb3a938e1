#!/usr/bin/env bash
# CatBoost: MAP, PrecisionAt, RecallAt and QueryAUC ignore the weights of groups
#
# Version:  catboost 1.2.10
# Expected: With the weights 3 and 1 for two groups, each metric of a ranking is the weighted
#           mean of the groups, as NDCG is: MAP is (3 * 0.5 + 1 * 1) / 4 = 0.625.
# Does:     NDCG, DCG, MRR, ERR, PFound, QueryAverage and AverageGain use group_weight; MAP,
#           PrecisionAt, RecallAt, QueryAUC and FilteredDCG print the unweighted mean, without a
#           word, even with use_weights=true.
# Seen:     2026-11-29: the relevant row is second in the group of weight 3 and first in the
#           group of weight 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    catboost==1.2.10 numpy==2.4.6 scipy==1.17.1 pandas==2.3.3 plotly==7.1.0 matplotlib==3.11.2 \
    graphviz==0.21 six==1.17.0
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
from catboost.utils import eval_metric

labels, scores, groups = [0, 1, 0, 1, 0, 0], [3, 2, 1, 3, 2, 1], [0, 0, 0, 1, 1, 1]
weights = [3, 3, 3, 1, 1, 1]
used = ["NDCG:top=3", "DCG:top=3", "MRR:top=3", "ERR:top=3", "PFound:top=3"]
used += ["QueryAverage:top=1", "AverageGain:top=1"]
ignored = ["MAP:top=3", "PrecisionAt:top=1", "RecallAt:top=1", "QueryAUC", "FilteredDCG"]
for metric in (*used, *ignored, "MAP:top=3;use_weights=true"):
    [plain] = eval_metric(labels, scores, metric, group_id=groups)
    [weighted] = eval_metric(labels, scores, metric, group_id=groups, group_weight=weights)
    print(metric, round(plain, 4), "weighted", round(weighted, 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
NDCG:top=3 0.8155 weighted 0.7232
DCG:top=3 0.8155 weighted 0.7232
MRR:top=3 0.75 weighted 0.625
ERR:top=3 0.75 weighted 0.625
PFound:top=3 0.925 weighted 0.8875
QueryAverage:top=1 0.5 weighted 0.25
AverageGain:top=1 0.5 weighted 0.25
MAP:top=3 0.75 weighted 0.75
PrecisionAt:top=1 0.5 weighted 0.5
RecallAt:top=1 0.5 weighted 0.5
QueryAUC 0.75 weighted 0.75
FilteredDCG 0.75 weighted 0.75
MAP:top=3;use_weights=true 0.75 weighted 0.75
END
