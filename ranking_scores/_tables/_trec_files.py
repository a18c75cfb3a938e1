"""Reads columns from files in TREC's formats, and writes lines to such files.

A line has fields that are separated by blanks. The blanks are those of C: a space and the five
characters from tab to carriage return. An id may have any other characters. Files are read in
blocks of lines, and each block is converted at once. A block with an error is read again line by
line, to find the number of the bad line.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from io import TextIOWrapper
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    Place,
    UnpackError,
    describe,
    invalid,
    opened,
    pack_text,
    packed_bytes,
    packed_lines,
    packed_objects,
    whole_file,
)
from ranking_scores._tables._trec_by_pyarrow import WORTH_PYARROW, Fields, split_plain
from ranking_scores.exceptions import InvalidParameterError

_BLOCK = 2**17
"""The number of bytes that are read at once, which bounds the memory beside the result."""
_BOM = "\ufeff"
_QUERY, _ITEM = 0, 2
"""The fields that are ids."""
_ID = re.compile("[^ \t-\r\ud800-\udfff]+")  # UTF-8 cannot encode surrogates


class Kind(NamedTuple):
    """The format of the lines of a file."""

    function: str
    fields: tuple[str, ...]
    place: int
    """The index of the field with the number."""
    as_number: Callable[[bytes], float]
    numbers: str
    """The requirement on the numbers, for error messages."""
    dtype: type[np.generic]
    advice: str
    """The advice for such a file in the function for the other kind."""


QRELS = Kind(
    "read_qrels",
    ("query", "iteration", "document", "label"),
    3,
    int,
    "whole numbers of 64 bits",
    np.int64,
    "Read judgments with `read_qrels`.",
)
RUN = Kind(
    "read_run",
    ("query", "Q0", "document", "rank", "score", "tag"),
    4,
    float,
    "finite numbers",
    np.float64,
    "Read a run with `read_run`.",
)


class _Decoded(dict[bytes, str]):
    """The text of ids, decoded once, since many lines have the same id."""

    def __missing__(self, code: bytes) -> str:
        self[code] = text = code.decode()
        return text


class _Numbered(dict[bytes, int]):
    """The numbers of ids, from 0 on. They are valid UTF-8."""

    def __missing__(self, code: bytes) -> int:
        code.decode()
        self[code] = number = len(self)
        return number


class _Lines(NamedTuple):
    """The fields of some lines."""

    queries: list[bytes]
    items: list[bytes]
    numbers: NDArray[Any]


def check_path(path: Any, function: str) -> str:
    """Return a path as a string."""
    if not isinstance(path, (str, os.PathLike)):
        raise invalid("path", function, "a str or an os.PathLike", describe(path))
    return os.fsdecode(path)


def check_tag(tag: Any, function: str) -> str:
    """Return a valid name of a run, or raise."""
    if not isinstance(tag, str) or not _ID.fullmatch(tag):
        raise invalid("tag", function, "a non-empty str without blanks", describe(tag))
    return tag


def check_ids(ids: list[str], parameter: str, function: str) -> None:
    """Raise if an id could not be read back."""
    if not all(map(_ID.fullmatch, ids)):
        bad = next(each for each in ids if not _ID.fullmatch(each))
        expected = "made of non-empty ids without blanks that UTF-8 can encode"
        raise invalid(parameter, function, expected, repr(bad), "Blanks separate the fields.")


def read_table(path: Any, kind: Kind) -> dict[str, NDArray[Any]]:
    """Return the content of a file as a table of named columns."""
    plain = _read_plain(path, kind)
    if plain is not None:
        fields, values = plain
        columns = fields.queries[fields.query], np.array(fields.items, dtype=object), values
        return dict(zip(_names_of(kind), columns, strict=True))
    text_of = _Decoded()
    queries: list[str] = []
    items: list[str] = []

    def read(lines: _Lines) -> NDArray[Any]:
        queries.extend(map(text_of.__getitem__, lines.queries))
        items.extend(map(bytes.decode, lines.items))
        return lines.numbers

    numbers = _read_lines(path, kind, read)
    ids = (np.array(each, dtype=object) for each in (queries, items))
    return dict(zip(_names_of(kind), (*ids, numbers), strict=True))


def read_packed(path: Any, kind: Kind) -> dict[str, Any]:
    """Return the same with ids as packed text, which takes a quarter of the memory."""
    plain = _read_plain(path, kind)
    if plain is not None:
        fields, values = plain
        ids = packed_objects(fields.queries)[fields.query], pack_text(fields.items)
        return dict(zip(_names_of(kind), (*ids, values), strict=True))
    number_of = _Numbered()
    items, codes = bytearray(), [_NO_CODES]

    def read(lines: _Lines) -> NDArray[Any]:
        n_lines = len(lines.items)
        codes.append(np.fromiter(map(number_of.__getitem__, lines.queries), np.int32, n_lines))
        text = b"\n".join((*lines.items, b""))
        if not text.isascii():
            for each in lines.items:
                each.decode()
        items.extend(text)
        return lines.numbers

    numbers = _read_lines(path, kind, read)
    queries = packed_bytes(b"".join(number_of), np.fromiter(map(len, number_of), np.int32))
    ids = queries[np.concatenate(codes)], packed_lines(items, "\n")
    return dict(zip(_names_of(kind), (*ids, numbers), strict=True))


def _read_plain(path: Any, kind: Kind) -> tuple[Fields, NDArray[Any]] | None:
    """Return the fields of a file that pyarrow reads, and its numbers; None: of other files."""
    name = check_path(path, kind.function)
    if not os.path.isfile(name) or os.path.getsize(name) < WORTH_PYARROW:
        return None
    try:
        with opened(name, kind.function) as file:
            fields = split_plain(
                file.read(), kind.fields, kind.place, are_floats=kind.dtype is np.float64
            )
        if fields is None:
            return None
        if fields.scores is not None:
            return fields, fields.scores
        return fields, _as_numbers(fields.labels, kind)[fields.label]
    except (ValueError, OverflowError, UnpackError):  # which the reader of lines says better
        return None


_NO_CODES = np.empty(0, np.int32)


def _names_of(kind: Kind) -> tuple[str, str, str]:
    """Return the names of the columns of queries, items and numbers."""
    return "query", "item", kind.fields[kind.place]


def _read_lines(path: Any, kind: Kind, read: Callable[[_Lines], NDArray[Any]]) -> NDArray[Any]:
    """Read a file in blocks of lines, and return the labels or scores.

    `read` takes each block. It raises a ValueError if an id is not in UTF-8.
    """
    name = check_path(path, kind.function)
    n_fields = len(kind.fields)
    numbers = [np.empty(0, dtype=kind.dtype)]
    try:
        for first, block in _blocks(name, kind.function):
            try:
                fields = _split(block, n_fields)
                ids = fields[_QUERY::n_fields], fields[_ITEM::n_fields]
                own = _as_numbers(fields[kind.place :: n_fields], kind)
                numbers.append(read(_Lines(*ids, own)))
            except (ValueError, OverflowError):
                raise _first_error(block, first, name, kind) from None
    except UnpackError as error:
        got = f"{name}, and {error.got},"
        raise invalid("path", kind.function, error.expected, got) from error
    return np.concatenate(numbers)


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write a file. If its name ends with .gz, compress it by gzip."""
    with whole_file(path) as file, ExitStack() as stack:
        raw: Any = file
        if path.endswith(".gz"):
            raw = stack.enter_context(gzip.GzipFile(path, "wb", fileobj=file))
        text = stack.enter_context(TextIOWrapper(raw, encoding="utf-8", newline="\n"))
        text.writelines(_with_bom(lines))


def _with_bom(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines. If the first id begins with a BOM, another one precedes it, for readers."""
    lines = iter(lines)
    first = next(lines, "")
    yield _BOM + first if first.startswith(_BOM) else first
    yield from lines


def _blocks(path: str, function: str) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of lines, with the number of the first line, without blanks at the end."""
    first, rest = 1, b""
    with opened(path, function) as file:
        while block := file.read(_BLOCK):
            block = rest + block + file.readline()
            stop = len(block.rstrip())
            if stop:
                stop = block.find(b"\n", stop) + 1 or len(block)
                yield first, block[:stop]
                first += block.count(b"\n", 0, stop)
            rest = block[stop:]


def _split(block: bytes, n_fields: int) -> list[bytes]:
    """Return the fields of lines. Raise a ValueError if a line has another number of fields."""
    if (_count_fields(block) != n_fields).any():
        raise ValueError
    return block.split()


def _count_fields(block: bytes) -> NDArray[np.intp]:
    """Return the number of fields of each line."""
    codes = np.frombuffer(block, dtype=np.uint8)
    is_blank = (codes == ord(" ")) | (codes - np.uint8(9) < 5)  # below 9 it wraps around
    begins = ~is_blank
    begins[1:] &= is_blank[:-1]
    ends = np.flatnonzero(codes == ord("\n"))
    if codes[-1] != ord("\n"):
        ends = np.append(ends, codes.size)
    return np.diff(np.searchsorted(np.flatnonzero(begins), ends), prepend=0)


def _as_numbers(texts: Sequence[bytes], kind: Kind) -> NDArray[Any]:
    """Return labels or scores, or raise a ValueError or an OverflowError."""
    numbers = np.fromiter(map(kind.as_number, texts), kind.dtype, count=len(texts))
    if b"_" in b"".join(texts) or not np.isfinite(numbers).all():  # Python accepts 1_000
        raise ValueError
    return numbers


def _first_error(block: bytes, first: int, path: str, kind: Kind) -> InvalidParameterError:
    """Return the error about the first bad line."""
    wrong = (_what_is_wrong(line.split(), kind) for line in block.split(b"\n"))
    number, parts = next((number, each) for number, each in enumerate(wrong, first) if each)
    place = Place(line=number, path=path)
    return invalid("path", kind.function, **parts._asdict(), place=place)


class _Wrong(NamedTuple):
    """The parts of the error about a line."""

    expected: str
    got: str
    advice: str = ""
    code: str = ""


def _what_is_wrong(fields: list[bytes], kind: Kind) -> _Wrong | None:
    """Return the parts of the error about a line, or None for a good line."""
    wrong = _what_does_not_fit(fields, kind)
    has_null = next((field for field in fields if b"\0" in field), None)
    if wrong and has_null is not None:  # UTF-16 has nulls and may also be valid UTF-8
        return _in_other_encoding(has_null)
    return wrong


def _in_other_encoding(field: bytes) -> _Wrong:
    return _Wrong("a file in UTF-8", repr(field), "Save the file as UTF-8.")


def _what_does_not_fit(fields: list[bytes], kind: Kind) -> _Wrong | None:
    """Return the same, for fields without a null character."""
    n_fields = len(fields)
    if n_fields != len(kind.fields):
        lines = f"a file whose lines are '{' '.join(kind.fields)}'"
        wrong = _Wrong(lines, f"{n_fields} field{'s' * (n_fields != 1)}")
        for other in (QRELS, RUN):
            if n_fields == len(other.fields):
                return wrong._replace(code=other.advice)
        return wrong._replace(advice="Blanks separate the fields, so an id must not contain any.")
    for place in (_QUERY, _ITEM):
        try:
            fields[place].decode()
        except UnicodeDecodeError:
            return _in_other_encoding(fields[place])
    try:
        _as_numbers(fields[kind.place : kind.place + 1], kind)
    except (ValueError, OverflowError):
        numbers = f"a file whose {kind.fields[kind.place]}s are {kind.numbers}"
        return _Wrong(numbers, repr(fields[kind.place].decode(errors="backslashreplace")))
    return None
