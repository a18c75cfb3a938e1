#!/usr/bin/env bash
# PyTerrier: the ranks of a run in TREC's format begin with 0
#
# Version:  python-terrier 1.0, pyterrier 1.1.2
# Expected: write_results writes the ranks 1, 2, 3 in the fourth column, as most writers of this
#           format do.
# Does:     It writes the ranks of its frames, which begin with 0. A tool that reads the column
#           divides by 0 in reciprocal rank, or takes the second document for the first.
# Seen:     2026-11-29: the lines of two documents have the ranks 0 and 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    python-terrier==1.0 pyterrier==1.1.2
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import pandas as pd
import pyterrier

frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]})
run = pyterrier.model.add_ranks(frame)
pyterrier.io.write_results(run, "run.txt", run_name="system")
with open("run.txt") as file:
    print(file.read(), end="")
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
1 Q0 a 0 2.0 system
1 Q0 b 1 1.0 system
END
