"""Reads plain files in TREC's formats by pyarrow, which splits their lines many times faster.

A file is plain if one kind of blank separates its fields and nothing in it is odd. Files that are
not, and those with an error, are left to the reader of lines, which says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._tables._trec_forms import has_mark

WORTH_PYARROW = 1_000_000
"""Files of at least this many bytes are read by pyarrow, whose import takes a while."""
_BLOCK = 2**22
"""How many bytes pyarrow reads at once. It has less to do for a column of few pieces."""
_PIECE = 2**18
"""How many bytes are looked at at once, so that they stay in the cache."""
_ODD = (b"\0", b"\v", b"\f")
"""What plain files do not have: other blanks, and text in UTF-16."""


class Coded(NamedTuple):
    """A field of all lines, as codes of its different texts."""

    texts: NDArray[Any]
    of_line: NDArray[np.int32]


class Fields(NamedTuple):
    """Some fields of all lines of a file."""

    items: Any
    """The documents, a column of pyarrow."""
    coded: dict[str, Coded]
    """The query, and other fields that have few different texts, by name."""
    scores: NDArray[np.float64] | None
    """The field of scores; None: lines have none."""
    ranks: Any
    """The field of ranks beside scores, a column of pyarrow; None: lines have none."""


class Content(NamedTuple):
    """The lines of a file that may be plain."""

    lines: bytes
    has_tab: bool
    has_space: bool
    has_comments: bool
    """Whether a line begins with #. One with blanks before it is not plain."""


def as_plain(content: bytes) -> Content | None:
    """Return the content of a file with the blanks of plain files; None: it is not plain."""
    found = _found(content, (*_ODD, b"\r", b"\t", b" ", b"#"))
    if b"\r" in found:
        content = content.replace(b"\r\n", b"\n")
        if b"\r" not in content:
            found.remove(b"\r")
    if content.endswith(b"\n\n"):
        content = content.rstrip(b"\n")
    if has_mark(content) or not found.isdisjoint((*_ODD, b"\r")):
        return None
    has_comments = b"#" in found and _has_comments(content)
    return Content(content, b"\t" in found, b" " in found, has_comments)


def _has_comments(content: bytes) -> bool:
    """Return whether a line begins with #."""
    codes = np.frombuffer(content, np.uint8)
    for start in range(0, codes.size, _PIECE):
        piece = codes[start : start + _PIECE + 1]
        if ((piece[1:] == ord("#")) & (piece[:-1] == ord("\n"))).any():
            return True
    return content.startswith(b"#")


def _found(content: bytes, characters: Iterable[bytes]) -> set[bytes]:
    """Return those of some characters that are there."""
    found: set[bytes] = set()
    for start in range(0, len(content), _PIECE):
        sought = set(characters) - found
        found.update(each for each in sought if content.find(each, start, start + _PIECE) >= 0)
    return found


def split_plain(content: Content, names: list[str], coded: list[str]) -> Fields | None:
    """Return some fields of a plain file; None: it is not plain, or pyarrow is not installed.

    `names` are the fields of each line. One of them is a document. If there are scores among them,
    there are ranks, too.
    """
    try:
        pyarrow, reader = import_module("pyarrow"), import_module("pyarrow.csv")
    except ImportError:
        return None
    lines, has_tab = content.lines, content.has_tab
    if (has_tab and content.has_space) or _has_empty_fields(lines):
        return None
    text, code = pyarrow.string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {"document": text} | dict.fromkeys(coded, code)
    if "score" in names:
        types |= {"score": pyarrow.float64(), "rank": text}
    try:
        table = reader.read_csv(
            pyarrow.BufferReader(lines),
            reader.ReadOptions(use_threads=False, block_size=_BLOCK, column_names=names),
            reader.ParseOptions(delimiter="\t" if has_tab else " ", quote_char=False),
            reader.ConvertOptions(column_types=types, include_columns=list(types), null_values=[]),
        )
    except pyarrow.ArrowInvalid:  # of a line with other fields, among others
        return None
    items, codes = (
        table.column("document"),
        {name: _codes_of(table.column(name)) for name in coded},
    )
    if "score" not in names:
        return Fields(items, codes, None, None)
    scores = np.asarray(table.column("score"))
    return (
        Fields(items, codes, scores, table.column("rank")) if np.isfinite(scores).all() else None
    )


def tags_of(lines: bytes, n_lines: int) -> Collection[bytes]:
    """Return the different last fields of plain lines. Mostly there is one, which is counted."""
    last = _LAST.search(lines)
    assert last is not None
    n_equal = lines.count(last[0] + b"\n") + lines.endswith(last[0])
    return {last[1]} if n_equal == n_lines else {each[1] for each in _LAST.finditer(lines)}


_LAST = re.compile(rb"[ \t]([^ \t\n]+)$", re.MULTILINE)


def as_floats(column: Any) -> NDArray[np.float64] | None:
    """Return a column of text of pyarrow as numbers; None: pyarrow does not read all as such."""
    pyarrow = import_module("pyarrow")
    try:
        return np.asarray(column.cast(pyarrow.float64()))
    except pyarrow.ArrowInvalid:
        return None


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


def _codes_of(column: Any) -> Coded:
    """Return the different texts of a column, and which of them each line has."""
    chunks = column.unify_dictionaries().chunks
    texts = chunks[0].dictionary.to_numpy(zero_copy_only=False)
    return Coded(texts, np.concatenate([np.asarray(chunk.indices) for chunk in chunks]))
