#!/usr/bin/env bash
# XGBoost and LightGBM: a query without a relevant row adds 1 to the weighted ndcg, not its weight
#
# Version:  xgboost-cpu 3.2.0, lightgbm 4.7.0
# Expected: The evaluation metric ndcg with weights of queries is the weighted mean. A query
#           without a relevant row counts 1 in both programs, so that weights which are all
#           equal change nothing.
# Does:     Such a query adds 1 to the sum, whatever its weight, and its weight to the divisor.
#           With large weights ndcg is too low, with small ones too high, even above 1. It
#           changes which round is the best in early stopping.
# Seen:     2026-11-29: ndcg is 0.6309 in the first query, and 1 in the second, which has no
#           relevant row. Their mean is 0.8155, and with weights of 2 each, 0.5655. With 0.25
#           each LightGBM prints 2.3155. The mean with weights 1 and 3 is 0.9077, and both print
#           0.4077.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    xgboost-cpu==3.2.0 lightgbm==4.7.0 numpy==2.4.6 scipy==1.17.1 narwhals==2.29.0
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import lightgbm
import numpy as np
import xgboost

labels, scores, sizes = np.array([0, 1, 0, 0]), np.array([2.0, 1.0, 2.0, 1.0]), [2, 2]
no_features = np.zeros((4, 1))


def of_xgboost(weights):
    data = xgboost.DMatrix(no_features, labels, base_margin=scores)
    data.set_group(sizes)
    data.set_weight(weights)
    parameters = {"objective": "rank:ndcg", "eval_metric": "ndcg@2", "nthread": 1}
    return float(xgboost.train(parameters, data, 0).eval(data).rpartition(":")[2])


def of_lightgbm(weights):
    data = lightgbm.Dataset(
        no_features, labels, group=sizes, init_score=scores, weight=np.repeat(weights, sizes)
    )
    parameters = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [2]}
    parameters |= {"verbose": -1, "num_threads": 1}
    results = {}
    record = lightgbm.record_evaluation(results)
    lightgbm.train(parameters, data, 1, valid_sets=[data], callbacks=[record])
    return float(results["training"]["ndcg@2"][0])


ndcg = np.array([1 / np.log2(3), 1])
for weights in ([1, 1], [2, 2], [1, 3]):
    mean = np.average(ndcg, weights=weights)
    values = [of_xgboost(weights), of_lightgbm(weights)]
    print(weights, "weighted mean", round(mean, 4), "printed", np.round(values, 4).tolist())
print("[0.25, 0.25] LightGBM", round(of_lightgbm([0.25, 0.25]), 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
[1, 1] weighted mean 0.8155 printed [0.8155, 0.8155]
[2, 2] weighted mean 0.8155 printed [0.5655, 0.5655]
[1, 3] weighted mean 0.9077 printed [0.4077, 0.4077]
[0.25, 0.25] LightGBM 2.3155
END
