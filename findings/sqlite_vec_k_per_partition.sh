#!/usr/bin/env bash
# sqlite-vec: k counts in each partition
#
# Version:  sqlite-vec 0.1.9, apsw 3.54.1.0
# Expected: `k = 2` returns at most two rows, the two nearest.
# Does:     A search that names several values of a partition key returns k rows for each of
#           them. A search that names none returns k rows of all together.
# Seen:     2026-11-29: the nearest rows of nine in three shops; two shops give four rows, three
#           give six.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    sqlite-vec==0.1.9 apsw==3.54.1.0
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import struct

import apsw
import sqlite_vec

db = apsw.Connection(":memory:")
db.enable_load_extension(True)
db.load_extension(sqlite_vec.loadable_path())
db.execute("create virtual table items using vec0(shop text partition key, place float[1])")
for number in range(9):
    row = (number, "abc"[number % 3], struct.pack("f", number))
    db.execute("insert into items(rowid, shop, place) values (?, ?, ?)", row)
for condition in ("", "and shop = 'b'", "and shop in ('a', 'b')", "and shop in ('a', 'b', 'c')"):
    search = f"select rowid, shop, distance from items where place match ? and k = 2 {condition}"
    print(condition or "no condition", list(db.execute(search, (struct.pack("f", 0),))))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
no condition [(0, 'a', 0.0), (1, 'b', 1.0)]
and shop = 'b' [(1, 'b', 1.0), (4, 'b', 4.0)]
and shop in ('a', 'b') [(0, 'a', 0.0), (3, 'a', 3.0), (1, 'b', 1.0), (4, 'b', 4.0)]
and shop in ('a', 'b', 'c') [(0, 'a', 0.0), (3, 'a', 3.0), (1, 'b', 1.0), (4, 'b', 4.0), (2, 'c', 2.0), (5, 'c', 5.0)]
END
