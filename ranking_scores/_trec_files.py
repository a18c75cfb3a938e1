"""Files of TREC: judgments and runs, from lines to columns, and lines into a file.

A line is fields between blanks. The blanks are those of C, a space and the five characters from
tab to carriage return, and all other characters may be in an id. Files are read in blocks of
lines, each of which becomes columns at once. Only a block that does not fit is read line by line,
to say which line it is.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._validation import describe, invalid
from ranking_scores.exceptions import InvalidParameterError

_BLOCK = 2**22
"""The number of bytes that are read at once, which is what memory holds beside the result."""
_OF_GZIP = b"\x1f\x8b"
_BOM = "\ufeff"
_ID = re.compile("[^ \t-\r\ud800-\udfff]+")  # the last ones have no UTF-8


class Kind(NamedTuple):
    """What there is in the lines of a file."""

    function: str
    fields: tuple[str, ...]
    place: int
    """The field that is a number."""
    as_number: Callable[[bytes], float]
    numbers: str
    """What the numbers must be."""
    dtype: type[np.generic]
    advice: str
    """Where to go with such a file, if the other kind was meant."""


QRELS = Kind(
    "read_qrels",
    ("query", "iteration", "document", "label"),
    3,
    int,
    "whole numbers of 64 bits",
    np.int64,
    "For judgments there is `read_qrels`.",
)
RUN = Kind(
    "read_run",
    ("query", "Q0", "document", "rank", "score", "tag"),
    4,
    float,
    "finite numbers",
    np.float64,
    "For a run there is `read_run`.",
)


class Columns(NamedTuple):
    """Some lines of a file, or all of them."""

    queries: list[str]
    items: list[str]
    numbers: NDArray[Any]


def check_path(path: Any, function: str) -> str:
    """Return a path as a string."""
    if not isinstance(path, (str, os.PathLike)):
        raise invalid("path", function, "a str or an os.PathLike", describe(path))
    return os.fsdecode(path)


def check_tag(tag: Any, function: str) -> str:
    """Return what a run is called in each of its lines."""
    if not isinstance(tag, str) or not _ID.fullmatch(tag):
        raise invalid("tag", function, "a str of at least one character, no blanks", describe(tag))
    return tag


def check_ids(ids: list[str], parameter: str, function: str) -> None:
    """Raise if there is an id that could not be read back."""
    if not all(map(_ID.fullmatch, ids)):
        bad = next(each for each in ids if not _ID.fullmatch(each))
        expected = "made of ids of at least one character, no blanks, that UTF-8 has"
        raise invalid(parameter, function, expected, repr(bad), "Blanks separate the fields.")


def read_columns(path: Any, kind: Kind) -> Columns:
    """Return the queries, the items and the labels or scores of a file."""
    name = check_path(path, kind.function)
    queries: list[str] = []
    items: list[str] = []
    numbers = [np.empty(0, dtype=kind.dtype)]
    known: dict[str, str] = {}  # so that there is one string of each id
    try:
        for first, lines in _blocks(name):
            try:
                block = _as_columns(lines, kind)
            except (ValueError, OverflowError):
                raise _first_error(lines, first, name, kind) from None
            queries.extend(map(known.setdefault, block.queries, block.queries))
            items.extend(map(known.setdefault, block.items, block.items))
            numbers.append(block.numbers)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        got = f"{name}, of which gzip says: {str(error).rstrip('.')},"
        raise invalid("path", kind.function, "a whole file", got) from error
    return Columns(queries, items, np.concatenate(numbers))


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write a file, by gzip if that is what it is called."""
    settings: dict[str, Any] = {"mode": "wt", "encoding": "utf-8", "newline": "\n"}
    opened = gzip.open(path, **settings) if path.endswith(".gz") else open(path, **settings)
    with opened as file:
        file.writelines(_with_bom(lines))


def _with_bom(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines; before an id that begins as a BOM there is one, which readers drop."""
    lines = iter(lines)
    first = next(lines, "")
    yield _BOM + first if first.startswith(_BOM) else first
    yield from lines


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file, plain or of gzip, behind its BOM."""
    with open(path, "rb") as raw:
        file = raw
        if raw.peek(2)[:2] == _OF_GZIP:
            file = BufferedReader(cast(Any, gzip.GzipFile(fileobj=raw)))
        if file.peek(3)[:3] == codecs.BOM_UTF8:
            file.read(3)
        yield file


def _blocks(path: str) -> Iterator[tuple[int, list[bytes]]]:
    """Yield lines with the number of the first of them, but for blank ones at the end."""
    first = 1
    blank: list[bytes] = []
    with _opened(path) as file:
        while lines := file.readlines(_BLOCK):
            lines = blank + lines
            stop = len(lines)
            while stop and lines[stop - 1].isspace():
                stop -= 1
            if stop:
                yield first, lines[:stop]
            first += stop
            blank = lines[stop:]


def _as_columns(lines: list[bytes], kind: Kind) -> Columns:
    """Return lines as columns, or raise a ValueError or an OverflowError."""
    columns = list(zip(*map(bytes.split, lines), strict=True))
    if len(columns) != len(kind.fields):
        raise ValueError
    texts = columns[kind.place]
    numbers = np.fromiter(map(kind.as_number, texts), kind.dtype, count=len(lines))
    if b"_" in b"".join(texts) or not np.isfinite(numbers).all():  # Python takes 1_000
        raise ValueError
    queries, items = (list(map(bytes.decode, columns[place])) for place in (0, 2))
    return Columns(queries, items, numbers)


def _is_good(line: bytes, kind: Kind) -> bool:
    try:
        _as_columns([line], kind)
    except (ValueError, OverflowError):
        return False
    return True


def _first_error(lines: list[bytes], first: int, path: str, kind: Kind) -> InvalidParameterError:
    """Return the error about the first line that is none of its kind."""
    index = next(index for index, line in enumerate(lines) if not _is_good(line, kind))
    fields = lines[index].split()
    where = f"in line {first + index} of {path}"
    if len(fields) != len(kind.fields):
        expected = f"a file whose lines are '{' '.join(kind.fields)}'"
        got = f"{len(fields)} field{'s' * (len(fields) != 1)} {where}"
        advice = "Blanks separate the fields: there are none in an id."
        for other in (QRELS, RUN):
            if len(fields) == len(other.fields):
                advice = other.advice
        return invalid("path", kind.function, expected, got, advice)
    for place in (0, 2):
        try:
            fields[place].decode()
        except UnicodeDecodeError:
            advice = "Write the file again in that encoding."
            got = f"{fields[place]!r} {where}"
            return invalid("path", kind.function, "a file in UTF-8", got, advice)
    text = fields[kind.place].decode(errors="backslashreplace")
    expected = f"a file whose {kind.fields[kind.place]}s are {kind.numbers}"
    return invalid("path", kind.function, expected, f"{text!r} {where}")
