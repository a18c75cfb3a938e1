#!/usr/bin/env bash
# Chroma: which of equal distances are returned changes from collection to collection
#
# Version:  chromadb 1.5.9
# Expected: The points were added in the same order to each collection, so that the same query
#           returns the same ids, and the ids of k = 2 contain the one of k = 1.
# Does:     The index is built at random. Of points at the same distance, any may be among the
#           first k, and collections with the same content answer differently. Within an answer,
#           equals come in the order in which they were added.
# Seen:     2026-11-29: forty collections of eight equal points. With k = 1 more than one id is
#           the nearest.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    chromadb==1.5.9 numpy==2.4.6
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import chromadb

client = chromadb.EphemeralClient()
nearest, in_order, all_found = set(), [], []
for number in range(40):
    items = client.create_collection(f"items-{number}", embedding_function=None)
    items.add(ids=list("abcdefgh"), embeddings=[[1.0, 0.0]] * 8)
    found = [
        items.query(query_embeddings=[[1.0, 0.0]], n_results=k)["ids"][0] for k in (1, 4, 8)
    ]
    nearest.add(found[0][0])
    in_order.append(found[1] == sorted(found[1]))
    all_found.append("".join(found[2]))
print("the nearest is the same in all collections:", len(nearest) == 1)
print("four are in the order in which they were added:", all(in_order))
print("eight of eight:", set(all_found))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
the nearest is the same in all collections: False
four are in the order in which they were added: True
eight of eight: {'abcdefgh'}
END
