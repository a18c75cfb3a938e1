#!/usr/bin/env bash
# trectools: bpref is 0 if no document was judged as not relevant
#
# Version:  trectools 0.0.50, pytrec_eval-terrier 0.5.11
# Expected: 1.0, as in trec_eval: the relevant document is found, and no document that was
#           judged as not relevant is above it. A judgment of -1 is none of these.
# Does:     Lines with a grade below 0 are dropped on reading. The share of documents that are
#           above is divided by the number of those that were judged as not relevant, and a
#           query without any gets 0.
# Seen:     2026-11-29: a is above b, and b is relevant. Both programs give 0 if a has the grade
#           0. If it has -1, or no judgment, trec_eval gives 1 and trectools 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet \
    trectools==0.0.50 pytrec_eval-terrier==0.5.11 numpy==2.4.6 pandas==2.3.3
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import warnings

warnings.simplefilter("ignore")  # of pandas, about code of trectools

import pytrec_eval
from trectools import TrecEval, TrecQrel, TrecRun

for grade in (-1, 0, None):
    lines = ["query 0 b 1\n"] + [f"query 0 a {grade}\n"] * (grade is not None)
    with open("qrels", "w") as file:
        file.writelines(lines)
    with open("run", "w") as file:
        file.write("query Q0 a 1 3 system\nquery Q0 b 2 1 system\n")
    qrels = {"b": 1} | ({} if grade is None else {"a": grade})
    evaluator = pytrec_eval.RelevanceEvaluator({"query": qrels}, {"bpref"})
    [values] = evaluator.evaluate({"query": {"a": 3.0, "b": 1.0}}).values()
    trectools = TrecEval(TrecRun("run"), TrecQrel("qrels")).get_bpref()
    print(grade, "trec_eval", values["bpref"], "trectools", float(trectools))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
-1 trec_eval 1.0 trectools 0.0
0 trec_eval 0.0 trectools 0.0
None trec_eval 1.0 trectools 0.0
END
