#!/usr/bin/env bash
# ranx: grades between whole numbers are cut, without a word
#
# Version:  ranx 0.3.21
# Expected: Qrels take grades such as 0.5 as they are, or refuse them: nDCG with grades of 0.5
#           and 1 tells the two relevant documents apart.
# Does:     Grades become whole numbers, rounded down: 0.5 is 0, so that the document is not
#           relevant, and 1.9 is 1.
# Seen:     2026-11-29: the grades 0.5 and 1.9 become 0 and 1; a run that finds the document of
#           0.5 alone has nDCG 0 and recall 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    ranx==0.3.21 numpy==2.4.6 numba==0.68.1 llvmlite==0.50.0 pandas==2.3.3 scipy==1.17.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
from ranx import Qrels, Run, evaluate

qrels = Qrels({"query": {"a": 0.5, "b": 1.9}})
print(sorted(qrels.to_dict()["query"].items()))
run = Run({"query": {"a": 1.0}})
print({name: float(value) for name, value in evaluate(qrels, run, ["ndcg", "recall"]).items()})
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
[('a', 0), ('b', 1)]
{'ndcg': 0.0, 'recall': 0.0}
END
