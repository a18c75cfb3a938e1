#!/usr/bin/env bash
# rank_bm25: documents with a common word can come after those without it
#
# Version:  rank-bm25 0.2.2
# Expected: A document that has the word of the query gets a higher score than one that has not.
#           A word in half of the documents counts little, and more than nothing.
# Does:     In BM25Okapi a word in exactly half of the documents counts 0. One in more than half
#           counts a quarter of the mean weight of all words, which is negative in collections
#           of few words: then the document without the word is the best.
# Seen:     2026-11-29: "tea" is in one of two documents, and all scores are 0. In four of five
#           it gets scores below 0, and the document without it 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    rank-bm25==0.2.2 numpy==2.4.6
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
from rank_bm25 import BM25Okapi

common = [["tea", "cup"], ["tea", "cup"], ["tea", "cup"], ["tea"], ["water"]]
for documents in ([["tea"], ["milk"]], common):
    print([round(float(score), 4) for score in BM25Okapi(documents).get_scores(["tea"])])
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
[0.0, 0.0]
[-0.0252, -0.0252, -0.0252, -0.0337, 0.0]
END
