#!/usr/bin/env bash
# CatBoost: FilteredDCG reads the rows as they come, and drops those with a negative score
#
# Version:  catboost 1.2.10
# Expected: FilteredDCG is DCG of the rows that pass some filter, in the order of their scores.
# Does:     It takes the rows in the order in which they are passed, without sorting. Rows with
#           a score below 0 are left out, and the others move up. The gain is divided by the
#           rank, and not by a logarithm. A ranker whose scores are all negative gets 0.
# Seen:     2026-11-29: three rows of the grades 1, 2, 3. Any order of the scores gives 1/1 +
#           2/2 + 3/3 = 3; a negative last score 2, a negative first one 2/1 + 3/2 = 3.5.
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

for scores in ([3, 2, 1], [1, 2, 3], [3, 2, -1], [-1, 2, 3], [-3, -2, -1]):
    values = []
    for metric in ("FilteredDCG", "DCG:denominator=Position"):
        values += eval_metric([1, 2, 3], scores, metric, group_id=[0, 0, 0])
    print(scores, "FilteredDCG", round(values[0], 4), "DCG", round(values[1], 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
[3, 2, 1] FilteredDCG 3.0 DCG 3.0
[1, 2, 3] FilteredDCG 3.0 DCG 4.3333
[3, 2, -1] FilteredDCG 2.0 DCG 3.0
[-1, 2, 3] FilteredDCG 3.5 DCG 4.3333
[-3, -2, -1] FilteredDCG 0.0 DCG 4.3333
END
