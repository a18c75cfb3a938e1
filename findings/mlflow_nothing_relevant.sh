#!/usr/bin/env bash
# MLflow: a query with nothing relevant and nothing retrieved counts 1 in nDCG and recall, 0 in
# precision
#
# Version:  mlflow 3.17.2
# Expected: Such a query counts 0, or is left out of the mean, in all three.
# Does:     It counts 1 in ndcg_at_k and recall_at_k, and 0 in precision_at_k. A retriever that
#           answers nothing gains from each query without targets.
# Seen:     2026-11-29: four queries, of which the targets, the retrieved documents, or both are
#           empty.
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

targets = pd.Series([["a"], ["a"], [], []])
retrieved = pd.Series([["a"], [], ["a"], []])
for metric in (ndcg_at_k(3), recall_at_k(3), precision_at_k(3)):
    print(metric.name, [float(score) for score in metric.eval_fn(retrieved, targets).scores])
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
ndcg_at_3 [1.0, 0.0, 0.0, 1.0]
recall_at_3 [1.0, 0.0, 0.0, 1.0]
precision_at_3 [1.0, 0.0, 0.0, 0.0]
END
