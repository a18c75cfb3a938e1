#!/usr/bin/env bash
# XGBoost: eval_metric="ndcg" reads 32 rows of each query
#
# Version:  xgboost-cpu 3.2.0
# Expected: "ndcg" has no cutoff, and "ndcg@33" reads 33 rows: a relevant row at rank 33 counts
#           0.1966 in both.
# Does:     "ndcg" and "map" by name read the first 32 rows, and the name that is printed has no
#           cutoff. The metric that XGBoost adds itself, if none is named, is printed as "ndcg",
#           too, with lambdarank_pair_method="mean", and reads all rows. With "topk" it is
#           ndcg@32 or at lambdarank_num_pair_per_sample.
# Seen:     2026-11-29: one query of 60 rows; the only relevant one is at rank 33.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    xgboost-cpu==3.2.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import numpy as np
import xgboost

labels, scores = np.zeros(60), -np.arange(60.0)
labels[32] = 1
data = xgboost.DMatrix(np.zeros((60, 1)), labels, base_margin=scores, qid=np.ones(60, int))


def printed(**parameters):
    parameters |= {"objective": "rank:ndcg", "nthread": 1}
    name, _, value = xgboost.train(parameters, data, 0).eval(data).split("-")[1].partition(":")
    return name, round(float(value), 4)


for metric in ("ndcg@33", "ndcg", "map"):
    for pairs in ("mean", "topk"):
        options = {"lambdarank_pair_method": pairs}
        print("named", metric, pairs, *printed(eval_metric=metric, **options))
print("added mean", *printed(lambdarank_pair_method="mean"))
print("added topk", *printed(lambdarank_pair_method="topk"))
wide = {"lambdarank_num_pair_per_sample": 40}
print("added topk 40", *printed(lambdarank_pair_method="topk", **wide))
print("named topk 40", *printed(eval_metric="ndcg", lambdarank_pair_method="topk", **wide))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
named ndcg@33 mean ndcg@33 0.1966
named ndcg@33 topk ndcg@33 0.1966
named ndcg mean ndcg 0.0
named ndcg topk ndcg 0.0
named map mean map 0.0
named map topk map 0.0
added mean ndcg 0.1966
added topk ndcg@32 0.0
added topk 40 ndcg@40 0.1966
named topk 40 ndcg 0.0
END
