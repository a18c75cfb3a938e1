#!/usr/bin/env bash
# bm25s: documents without a word of the query are returned, with score 0
#
# Version:  bm25s 0.3.16
# Expected: `retrieve` with k = 4 returns the two documents that have the word, and marks the
#           other places as empty.
# Does:     It fills the places with other documents, whose score is 0. An evaluator that takes
#           a list for what was retrieved counts them, in precision and in recall: a query of
#           unknown words retrieves k documents.
# Seen:     2026-11-29: of five documents two have "tea"; "juice" is in none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    bm25s==0.3.16 numpy==2.4.6 scipy==1.17.1
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import bm25s

documents = [["tea"], ["milk"], ["milk", "tea"], ["coffee"], ["water"]]
index = bm25s.BM25()
index.index(documents, show_progress=False)
for word in ("tea", "juice"):
    ids, scores = index.retrieve([[word]], k=4, show_progress=False)
    with_word = [int(document) for document in ids[0] if word in documents[document]]
    print(word, with_word, "of", ids.size, "returned", [round(float(s), 4) for s in scores[0]])
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
tea [0, 2] of 4 returned [0.3786, 0.2694, 0.0, 0.0]
juice [] of 4 returned [0.0, 0.0, 0.0, 0.0]
END
