"""Reads plain files in TREC's formats by pyarrow, which splits their lines many times faster.

A file is plain if one kind of blank separates its fields and nothing in it is odd. Files that are
not, and those with an error, are left to the reader of lines, which says what is wrong.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WORTH_PYARROW = 1_000_000
"""Files of at least this many bytes are read by pyarrow, whose import takes a while."""
_BLOCK = 2**22
"""How many bytes pyarrow reads at once. It has less to do for a column of few pieces."""
_PIECE = 2**18
"""How many bytes are looked at at once, so that they stay in the cache."""
_BOM = "\ufeff".encode()  # which pyarrow skips, and of which one was skipped already
_ODD = (b"\0", b"\r", b"\v", b"\f")
"""What plain files do not have: other blanks, and text in UTF-16."""


class Fields(NamedTuple):
    """The fields of all lines of a file."""

    queries: NDArray[Any]
    """The different queries, as text."""
    query: NDArray[np.int32]
    """The query of each line."""
    items: Any
    """The documents, a column of pyarrow."""
    scores: NDArray[np.float64] | None
    """The score of each line; None: lines have labels."""
    labels: list[bytes]
    """The different labels, as they are written."""
    label: NDArray[np.int32]
    """The label of each line."""


def split_plain(
    content: bytes, names: tuple[str, ...], place: int, *, are_floats: bool
) -> Fields | None:
    """Return the fields of a file; None: it is not plain, or pyarrow is not installed.

    `place` is the index of the field with the number. The first and the third field are ids.
    """
    try:
        pyarrow, reader = import_module("pyarrow"), import_module("pyarrow.csv")
    except ImportError:
        return None
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    if content.endswith(b"\n\n"):
        content = content.rstrip(b"\n")
    has_tabs = b"\t" in content
    if content.startswith(_BOM) or any(odd in content for odd in _ODD):
        return None
    if (has_tabs and b" " in content) or _has_empty_fields(content):
        return None
    text, code = pyarrow.string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    query, _, item = names[:3]
    types = {query: code, item: text, names[place]: pyarrow.float64() if are_floats else code}
    try:
        table = reader.read_csv(
            pyarrow.BufferReader(content),
            reader.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=names),
            reader.ParseOptions(delimiter="\t" if has_tabs else " ", quote_char=False),
            reader.ConvertOptions(column_types=types, include_columns=list(types), null_values=[]),
        )
    except pyarrow.ArrowInvalid:  # of a line with other fields, among others
        return None
    queries, query_of_line = _codes_of(table.column(query))
    number, of_items = table.column(names[place]), table.column(item)
    if are_floats:
        scores = np.asarray(number)
        if not np.isfinite(scores).all():
            return None
        return Fields(queries, query_of_line, of_items, scores, [], _NO_LABELS)
    labels, label_of_line = _codes_of(number)
    written = [each.encode() for each in labels.tolist()]
    return Fields(queries, query_of_line, of_items, None, written, label_of_line)


_NO_LABELS = np.empty(0, np.int32)


def _has_empty_fields(content: bytes) -> bool:
    """Return whether a field or a line is empty, for which lines are split in another way."""
    codes = np.frombuffer(content, np.uint8)
    if content[:1].isspace() or content[-1:] in (b" ", b"\t"):
        return True
    for start in range(0, codes.size, _PIECE):
        is_blank = codes[start : start + _PIECE + 1] <= ord(" ")
        if (is_blank[1:] & is_blank[:-1]).any():
            return True
    return False


def _codes_of(column: Any) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the different texts of a column, and which of them each line has."""
    chunks = column.unify_dictionaries().chunks
    texts = chunks[0].dictionary.to_numpy(zero_copy_only=False)
    return texts, np.concatenate([np.asarray(chunk.indices) for chunk in chunks])
