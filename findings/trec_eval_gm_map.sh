#!/usr/bin/env bash
# trec_eval: gm_map of a single query is a logarithm
#
# Version:  pytrec_eval-terrier 0.5.11, which has the C code of trec_eval
# Expected: gm_map of one query is its average precision, since the geometric mean of one number
#           is that number.
# Does:     It is the logarithm of average precision, 0 for a perfect query and negative for
#           others. The mean of the column is no gm_map: compute_aggregated_measure takes the
#           exponential, too.
# Seen:     2026-11-29: average precision 0.5 and 1; gm_map of the queries -0.6931 and 0, and of
#           both 0.7071.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    pytrec_eval-terrier==0.5.11 numpy==2.4.6
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import pytrec_eval

evaluator = pytrec_eval.RelevanceEvaluator({"p": {"a": 1}, "q": {"a": 1}}, {"map", "gm_map"})
values = evaluator.evaluate({"p": {"b": 2.0, "a": 1.0}, "q": {"a": 1.0}})
for measure in ("map", "gm_map"):
    column = [values[query][measure] for query in "pq"]
    both = pytrec_eval.compute_aggregated_measure(measure, column)
    print(measure, [round(value, 4) for value in column], "both", round(both, 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
map [0.5, 1.0] both 0.75
gm_map [-0.6931, 0.0] both 0.7071
END
