#!/usr/bin/env bash
# scikit-learn: load_svmlight_file(query_id=True) has no entry for a line without qid
#
# Version:  scikit-learn 1.9.1
# Expected: The array of query ids has an entry for each row, and a line without "qid:" is an
#           error or gets a marker, such as -1.
# Does:     Such a line adds a row to X and y, and nothing to the query ids. The ids of all
#           later rows move up, and a file without any qid gives an empty array.
# Seen:     2026-11-29: three rows, the second of which has no qid: X and y have three rows, and
#           query_id is [1, 2].
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
from io import BytesIO

from sklearn.datasets import load_svmlight_file

whole = b"1 qid:1 1:0.5\n0 qid:1 1:0.3\n1 qid:2 1:0.1\n"
in_part, without = whole.replace(b"0 qid:1", b"0"), b"1 1:0.5\n0 1:0.3\n1 1:0.1\n"
for text in (whole, in_part, without):
    X, y, query_id = load_svmlight_file(BytesIO(text), query_id=True)
    print(X.shape, y.tolist(), query_id.tolist())
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
(3, 1) [1.0, 0.0, 1.0] [1, 1, 2]
(3, 1) [1.0, 0.0, 1.0] [1, 2]
(3, 1) [1.0, 0.0, 1.0] []
END
