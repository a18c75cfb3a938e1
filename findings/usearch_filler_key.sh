#!/usr/bin/env bash
# usearch: a query with fewer neighbours than k gets the key 0
#
# Version:  usearch 2.26.6
# Expected: In a batch, the cells without a neighbour hold a key that no vector can have, such
#           as the -1 of FAISS, or the row is shorter.
# Does:     They hold 0, which is a valid key: the row reads as if item 0 had been found, and
#           more than once. The distances there are NaN, and `counts` says how many cells of
#           each row are filled. A search for a single vector returns a shorter row.
# Seen:     2026-11-29: three vectors have the keys 7, 8 and 9, and each row of five ends with
#           0, 0. With a vector of the key 0 in the index, rows hold 0 three times.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    usearch==2.26.6 numkong==7.8.6 numpy==2.4.6 tqdm==4.70.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import numpy as np
from usearch.index import Index

index = Index(ndim=2, metric="l2sq")
index.add(np.array([7, 8, 9]), np.array([[0, 0], [1, 0], [2, 0]], np.float32))
queries = np.array([[0, 0], [2, 0]], np.float32)
found = index.search(queries, 5)
print("two queries", found.keys.tolist(), found.distances.tolist(), found.counts.tolist())
print("one query", index.search(queries[0], 5).keys.tolist())
index.add(0, np.array([5, 0], np.float32))
print("with item 0", index.search(queries, 6).keys.tolist())
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
two queries [[7, 8, 9, 0, 0], [9, 8, 7, 0, 0]] [[0.0, 1.0, 4.0, nan, nan], [0.0, 1.0, 4.0, nan, nan]] [3, 3]
one query [7, 8, 9]
with item 0 [[7, 8, 9, 0, 0, 0], [9, 8, 7, 0, 0, 0]]
END
