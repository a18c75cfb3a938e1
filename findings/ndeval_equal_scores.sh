#!/usr/bin/env bash
# ndeval: of equal scores, the smaller document number comes first
#
# Version:  pyndeval 0.0.8, which is ndeval for Python; pytrec_eval-terrier 0.5.11
# Expected: The larger document number comes first, as in trec_eval, which reads the same runs.
# Does:     The smaller one comes first, whatever the order of the lines.
# Seen:     2026-11-29: three documents with one score, one of which is relevant. Average
#           precision over one aspect shows its rank: a is 1st, b 2nd, c 3rd, and in trec_eval
#           the reverse.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    pyndeval==0.0.8 pytrec_eval-terrier==0.5.11 numpy==2.4.6
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import pyndeval
import pytrec_eval

for relevant in "abc":
    for order in ("abc", "cba"):
        run = [("query", document, 1.0) for document in order]
        qrels = [("query", "1", relevant, 1)]
        [values] = pyndeval.ndeval(qrels, run, measures=["MAP-IA"]).values()
        print("ndeval", relevant, "in", order, round(values["MAP-IA"], 4))
    evaluator = pytrec_eval.RelevanceEvaluator({"query": {relevant: 1}}, {"map"})
    [values] = evaluator.evaluate({"query": dict.fromkeys("abc", 1.0)}).values()
    print("trec_eval", relevant, round(values["map"], 4))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
ndeval a in abc 1.0
ndeval a in cba 1.0
trec_eval a 0.3333
ndeval b in abc 0.5
ndeval b in cba 0.5
trec_eval b 0.5
ndeval c in abc 0.3333
ndeval c in cba 0.3333
trec_eval c 1.0
END
