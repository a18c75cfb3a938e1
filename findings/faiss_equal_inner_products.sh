#!/usr/bin/env bash
# FAISS: which of equal inner products comes first depends on k
#
# Version:  faiss-cpu 1.15.1
# Expected: A flat index returns equal inner products in the order in which the vectors were
#           added, as it does with equal L2 distances. At least, the ids of k = 2 begin with the
#           one of k = 1.
# Does:     With inner products, the ids of equals fall, and come from the first k vectors: the
#           first id is k - 1. Reciprocal rank and nDCG of one result change with the k of the
#           search.
# Seen:     2026-11-29: six equal vectors, searched for with k = 1, 2, 3 and 4.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    faiss-cpu==1.15.1 numpy==2.4.6 packaging==26.4
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import faiss
import numpy as np

vectors = np.ones((6, 4), np.float32)
for kind in (faiss.IndexFlatIP, faiss.IndexFlatL2):
    index = kind(4)
    index.add(vectors)
    for k in (1, 2, 3, 4):
        _, ids = index.search(vectors[:1], k)
        print(kind.__name__, k, ids[0].tolist())
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
IndexFlatIP 1 [0]
IndexFlatIP 2 [1, 0]
IndexFlatIP 3 [2, 1, 0]
IndexFlatIP 4 [3, 2, 1, 0]
IndexFlatL2 1 [0]
IndexFlatL2 2 [0, 1]
IndexFlatL2 3 [0, 1, 2]
IndexFlatL2 4 [0, 1, 2, 3]
END
