#!/usr/bin/env bash
# MLflow: a document that is retrieved twice gains twice in nDCG and precision
#
# Version:  mlflow 3.17.2
# Expected: A list of b and b, where b and c are relevant, has nDCG 1 / (1 + 0.6309) = 0.6131
#           and precision 0.5: the second b finds nothing new.
# Does:     nDCG and precision are 1, as if c had been found. Recall counts b once, and is 0.5.
# Seen:     2026-11-29: 1.0, 1.0 and 0.5 for the list b, b.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    mlflow==3.17.2 numpy==2.4.6 pandas==2.3.3 scikit-learn==1.9.1 scipy==1.17.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import pandas as pd
from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k

targets = pd.Series([["b", "c"]] * 3)
retrieved = pd.Series([["b", "c"], ["b", "x"], ["b", "b"]])
for metric in (ndcg_at_k(2), precision_at_k(2), recall_at_k(2)):
    scores = metric.eval_fn(retrieved, targets).scores
    print(metric.name, [round(float(score), 4) for score in scores])
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
ndcg_at_2 [1.0, 0.6131, 1.0]
precision_at_2 [1.0, 0.5, 1.0]
recall_at_2 [1.0, 0.5, 0.5]
END
