#!/usr/bin/env bash
# ranx: the only document of a list gets 0 from min-max normalization, as the last one of a longer
# list
#
# Version:  ranx 0.3.21
# Expected: In a fusion with norm="min-max", the only document of a list gets 1, the score of
#           the best, or 0.5.
# Does:     It gets 0, as all documents of a list with equal scores do. In the sum, the first
#           system has then found nothing. With norm="max" it gets 1.
# Seen:     2026-11-29: one system finds d1 alone, with 0.9; another one d2 and d3. The fusion
#           puts d2 before d1, and d1 is as good as d3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    ranx==0.3.21 numpy==2.4.6 numba==0.68.1 llvmlite==0.50.0 pandas==2.3.3 scipy==1.17.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
from ranx import Run, fuse

first = Run({"query": {"d1": 0.9}})
equal = Run({"query": {"d1": 0.9, "d4": 0.9}})
second = Run({"query": {"d2": 0.5, "d3": 0.4}})
for name, run in (("one document", first), ("equal scores", equal)):
    for norm in ("min-max", "max"):
        fused = fuse([run, second], norm=norm, method="sum").run["query"]
        print(name, norm, sorted((document, round(score, 4)) for document, score in fused.items()))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
one document min-max [('d1', 0.0), ('d2', 1.0), ('d3', 0.0)]
one document max [('d1', 1.0), ('d2', 1.0), ('d3', 0.8)]
equal scores min-max [('d1', 0.0), ('d2', 1.0), ('d3', 0.0), ('d4', 0.0)]
equal scores max [('d1', 1.0), ('d2', 1.0), ('d3', 0.8), ('d4', 1.0)]
END
