#!/usr/bin/env bash
# trec_eval: Rndcg is not nDCG at the number of relevant documents
#
# Version:  pytrec_eval-terrier 0.5.11, which has the C code of trec_eval
# Expected: Rndcg is nDCG cut at R, the number of relevant documents, as Rprec is precision at
#           R.
# Does:     It is the mean over the grades: for each grade that occurs, nDCG cut at the number
#           of documents that have at least that grade.
# Seen:     2026-11-29: two relevant documents, of the grades 1 and 2, found in the wrong order.
#           nDCG at 2 is 0.8597, nDCG at 1 is 0.5, and Rndcg is their mean, 0.6799.
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

measures = {"Rndcg", "ndcg_cut.1,2", "Rprec", "P.2"}
evaluator = pytrec_eval.RelevanceEvaluator({"query": {"a": 1, "b": 2}}, measures)
[values] = evaluator.evaluate({"query": {"a": 2.0, "b": 1.0}}).values()
for name, value in sorted(values.items()):
    print(name, round(value, 6))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
P_2 1.0
Rndcg 0.679859
Rprec 1.0
ndcg_cut_1 0.5
ndcg_cut_2 0.859719
END
