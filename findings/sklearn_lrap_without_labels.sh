#!/usr/bin/env bash
# scikit-learn: label_ranking_average_precision_score counts a row without a relevant label 1
#
# Version:  scikit-learn 1.9.1
# Expected: A row without a relevant label counts 0, as in ndcg_score of the same library, or is
#           left out.
# Does:     It counts 1, a perfect ranking, as a row does in which all labels are relevant. In
#           ndcg_score the first counts 0.
# Seen:     2026-11-29: the first row has no relevant label, the second has one at rank 2: 1 and
#           0.5, so 0.75.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1 joblib==1.6.0 threadpoolctl==3.8.0 \
    narwhals==2.29.0
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
from sklearn.metrics import label_ranking_average_precision_score, ndcg_score

labels, scores = [[0, 0], [0, 1]], [[1, 2], [2, 1]]
for rows in (slice(0, 1), slice(1, 2), slice(0, 2)):
    for score in (label_ranking_average_precision_score, ndcg_score):
        print(labels[rows], score.__name__, round(float(score(labels[rows], scores[rows])), 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
[[0, 0]] label_ranking_average_precision_score 1.0
[[0, 0]] ndcg_score 0.0
[[0, 1]] label_ranking_average_precision_score 0.5
[[0, 1]] ndcg_score 0.6309
[[0, 0], [0, 1]] label_ranking_average_precision_score 0.75
[[0, 0], [0, 1]] ndcg_score 0.3155
END
