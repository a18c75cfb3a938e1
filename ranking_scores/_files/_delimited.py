"""Reads tables of text: CSV, TSV, and what else separates columns by a character."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from array import array
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import show_text
from ranking_scores._files._compressed import opened
from ranking_scores._files._table import (
    ID_ROLES,
    NAME,
    FileError,
    FileRequest,
    FileTable,
    with_columns,
)
from ranking_scores._tables._known_names import (
    BESIDE,
    ROLES,
    names_ids,
    names_of_role,
    without_types,
)

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
"""What separates columns below a line with their names, and what it is called."""
_ALL_SEPARATORS = {"::": "::", "\t": "tabs"} | _SEPARATORS | {" ": "blanks"}
_BOM = "\ufeff"


def read_delimited(request: FileRequest) -> FileTable:
    """Return a table with the columns of text."""
    table, usual, names = request.table, request.form.separator, [*request.columns]
    by_pyarrow = request.is_worth_pyarrow and os.path.isfile(table.path) and not names
    read = by_pyarrow and _read_plain_text(table, usual)
    table = read or _read_text(table, usual, names or None)
    return _with_blanks_noted(table).in_form(request.form.words)


def is_header(line: bytes) -> bool:
    """Return whether a line has the names of columns, of which those of ids are known."""
    words = line.decode(errors="replace").split()
    return names_ids(words) and not any(map(str.isdecimal, words))


def _separator_of(line: str, names: list[str], path: str) -> str:
    """Return what separates the fields of the first line, of which each has a name."""
    rows = {mark: next(_rows_in([line], mark), []) for mark in _ALL_SEPARATORS}
    found = next((mark for mark, row in rows.items() if len(row) == len(names)), None)
    if found is None:
        most = max(map(len, rows.values()))
        raise FileError(f"{path}: {len(names)} columns are named, and the first line has {most}")
    known = {*names}.union(*map(names_of_role, ROLES))
    if all(name.casefold() in known for name in without_types(rows[found])):
        raise ValueError("the line has the names of the columns. Leave out --columns")
    return found


def _with_blanks_noted(table: FileTable) -> FileTable:
    """Return a table with a note if ids begin or end with a blank, which no other file has.

    Raise if the names of their columns do so, too. The first rows tell.
    """
    for name in filter(None, (table.query, table.item)):
        ids = np.asarray(table.columns[name][:_ROWS_WITH_BLANKS], dtype=object)
        if not any(own != own.strip() for own in map(str, ids.tolist())):
            continue
        if name.startswith(" "):
            message = f"the ids in the column {name!r} begin with a blank, as its name does"
            raise FileError(f"{table.path}: {message}. Delete the blanks between the columns.")
        table = table.noted(f"some ids in {name!r} begin or end with a blank, which counts")
    return table


_ROWS_WITH_BLANKS = 1000


def _separator_in(header: str, table: FileTable, usual: str) -> str:
    """Return what separates the columns of a file: usually one, unless the header shows another.

    The first one counts by which the table has its columns. If there is none, most columns count.
    """
    in_order = dict.fromkeys([usual, *_SEPARATORS])
    names = {
        mark: without_types(
            header.split() if mark == " " else next(csv.reader([header], delimiter=mark), [])
        )
        for mark in in_order
    }
    fitting = (mark for mark in in_order if _has_columns(names[mark], table))
    return next(fitting, None) or max(in_order, key=lambda mark: len(names[mark]))


def _note_of(separator: str) -> str:
    return f"the columns are separated by {_ALL_SEPARATORS[separator]}"


def _has_columns(names: list[str], table: FileTable) -> bool:
    """Return whether a file with some names of columns has those of a table."""
    try:
        with_columns(names, table)
    except FileError:
        return False
    return True


def _read_plain_text(table: FileTable, usual: str) -> FileTable | None:
    """Return a table with the columns of a CSV or TSV file without quotes, by pyarrow.

    None: the file has quotes, pyarrow is not installed, or Python's reader of CSV has to say what
    is wrong.
    """
    path = table.path
    try:
        pyarrow = import_module("pyarrow")
        reader = import_module("pyarrow.csv")
    except ImportError:
        return None
    try:
        with opened(path, NAME) as file:
            content = file.read()
        if b"\r" in content:
            content = content.replace(b"\r\n", b"\n")
        if any(odd in content for odd in _NOT_FOR_PYARROW) or not _is_readable(content):
            return None
    except MemoryError:  # the reader of lines keeps no more than the columns
        return None
    header = content[: content.find(b"\n")]
    separator = _separator_in(header.decode(), table, usual)
    names = without_types(header.decode().split(separator))
    if not header or not _has_columns(names, table) or table.gains:
        return None
    table = with_columns(names, table.noted(_note_of(separator) * (separator != usual)))
    wanted = list(dict.fromkeys(table.names.values()))
    numbers = (table.value, *table.beside.values())
    try:
        read = reader.read_csv(
            pyarrow.BufferReader(content),
            reader.ReadOptions(
                use_threads=False, block_size=_BYTES_AT_ONCE, skip_rows=1, column_names=names
            ),
            reader.ParseOptions(delimiter=separator),
            reader.ConvertOptions(
                column_types={
                    name: pyarrow.float64() if name in numbers else pyarrow.string()
                    for name in wanted
                },
                include_columns=wanted,
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    columns = {name: read.column(name) for name in wanted}
    columns |= {name: np.asarray(columns[name]) for name in numbers if name is not None}
    return table._replace(columns=columns) if _are_valid(columns, table) else None


def _are_valid(columns: dict[str, Any], table: FileTable) -> bool:
    """Return whether there are rows, and all ids and numbers in them are right."""
    compute = import_module("pyarrow.compute")
    for name, column in columns.items():
        if name in table.beside.values():
            continue
        if name != table.value:
            is_right = len(column) and compute.min(compute.binary_length(column)).as_py()
        elif table.kind == "rank":
            is_right = ((column >= 1) & (np.floor(column) == column) & np.isfinite(column)).all()
        else:
            is_right = np.isfinite(column).all()
        if not is_right:
            return False
    return True


_NOT_FOR_PYARROW = (b'"', b"\r", b"\0", b"\n\xef\xbb\xbf")
"""What no file has that pyarrow reads. The last one is a line that begins with a BOM."""


PYARROW_BYTES = 1_000_000
"""Files of at least this many bytes together are read by pyarrow, whose import takes a while."""


_BYTES_AT_ONCE = 2**22
"""How many bytes pyarrow reads at once. It has less to do for a column of few pieces."""


def _is_readable(content: bytes) -> bool:
    """Return whether a file is in UTF-8, and the reader of text accepts the length of fields."""
    half = csv.field_size_limit() // 2
    starts = range(0, len(content) - half, half)
    if any(content.find(b"\n", start, start + half) < 0 for start in starts):
        return False
    try:
        return content.isascii() or bool(content.decode())
    except UnicodeDecodeError:
        return False


def _read_text(table: FileTable, usual: str, given: list[str] | None = None) -> FileTable:
    """Return a table with the columns of a CSV or TSV file: the ids as text, and the numbers.

    If names of columns are given, the file has none.

    TSV files are written with quotes or without, and a quote in a text may never close. So each
    line is a row, and a field has quotes if it begins and ends with one.
    """
    path = table.path
    with opened(path, NAME) as file:
        lines = _CountedLines(io.TextIOWrapper(cast(Any, file), encoding="utf-8", newline=""))
        try:
            header = next(lines, "")
            if header and not header.strip():
                raise ValueError("the line is blank, and should have the names of the columns")
            if header.casefold().startswith("sep="):
                raise ValueError("the line tells Excel what separates the columns. Delete it")
            if given is None:
                separator = _separator_in(header, table, usual)
            else:
                separator = _separator_of(header, given, path)
            rows = _rows_in(chain([header], lines), separator)
            names = without_types(next(rows, [])) if given is None else given
            if "\0" in "".join(names):  # UTF-16 without a byte order mark is valid UTF-8
                raise _not_utf8(path, 1)
            table = with_columns(names, table.noted(_note_of(separator) * (separator != usual)))
            return table._replace(columns=_read_rows(rows, names, table, separator), gains={})
        except UnicodeDecodeError as error:  # all lines before those of this block were read
            if not lines.n_read and error.object.startswith(_PARQUET):
                advice = "Give it a name that ends with .parquet"
                raise FileError(f"{path}: the file is in Parquet. {advice}.") from error
            before = error.object[: error.start] + b"."
            raise _not_utf8(path, lines.n_read + len(before.splitlines())) from error
        except (csv.Error, ValueError) as error:
            is_open = str(error).startswith(("unexpected end", "field larger"))
            advice = ". Is there an unclosed quote?" * is_open
            raise FileError(f"{path}, line {lines.n_read}: {error}{advice}") from error


class _CountedLines:
    """Lines of a file, which are counted as they are read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self.n_read = iter(lines), 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.n_read += 1
        return line


def _rows_in(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Return the rows in lines, of which each is one row unless commas separate the fields."""
    if separator == " ":
        return map(str.split, lines)
    if separator == "::":
        return (line.rstrip("\r\n").split(separator) for line in lines)
    if separator != "\t":
        return csv.reader(lines, delimiter=separator, strict=True)
    rows = csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE, strict=True)
    return (list(map(_without_quotes, row)) for row in rows)


def _without_quotes(field: str) -> str:
    """Return a field of TSV without the quotes around it, in which quotes are doubled."""
    if len(field) < 2 or not field[0] == field[-1] == '"':
        return field
    inner = field[1:-1]
    return field if '"' in inner.replace('""', "") else inner.replace('""', '"')


def _not_utf8(path: str, line: int) -> FileError:
    """Return the error about text in another encoding."""
    return FileError(f"{path}, line {line}: the text is not UTF-8. Save the file as UTF-8.")


_PARQUET = b"PAR1"
"""What Parquet files begin with."""
_NO_BREAKS = ". Line breaks and tabs end the fields of TSV, also in quotes. CSV may have them"


def _read_rows(
    rows: Iterable[list[str]], names: list[str], table: FileTable, separator: str
) -> dict[str, Any]:
    """Return the columns of the rows below the head. Raise a ValueError about a bad row."""
    role_of: dict[str, str] = {}  # the first one counts, such as query, if it is also a group
    for role, name in table.names.items():
        if name != table.value:
            role_of.setdefault(name, role)
    columns: dict[str, list[str]] = {name: [] for name in role_of}
    roles = [(role, name, names.index(name), columns[name]) for name, role in role_of.items()]
    value = None if table.value is None else names.index(table.value)
    numbers = array("d")
    known: dict[str, str] = {}  # so that each id is one string object
    for row in filter(None, rows):  # an empty line has no fields
        if row[0].startswith(_BOM):
            raise ValueError(
                "the line begins with a byte-order mark, as a file does. Join files "
                "without the marks and the headers of later ones"
            )
        if len(row) != len(names):
            fields = f"{len(row)} field{'s' * (len(row) != 1)}"
            if len(row) == 1 and not row[0].strip():
                raise ValueError("the line is blank. Delete it")
            advice = _NO_BREAKS * (separator == "\t" and any('"' in each for each in row))
            raise ValueError(f"{fields} in place of {len(names)}{advice}")
        for role, name, place, texts in roles:
            text = row[place]
            if not text and role != BESIDE:
                what = f"the {role} id" if role in ID_ROLES else "the group"
                raise ValueError(f"{what} in {name!r} is empty")
            texts.append(known.setdefault(text, text))
        if value is not None:
            numbers.append(_as_number(row[value], table))
    arrays: dict[str, Any] = {name: np.array(texts, object) for name, texts in columns.items()}
    arrays |= {name: _numbers_or_text(arrays[name]) for name in table.beside.values()}
    return arrays if table.value is None else arrays | {table.value: np.array(numbers)}


def _numbers_or_text(texts: NDArray[Any]) -> NDArray[Any]:
    """Return texts as numbers, of which empty ones are missing, or as they are if one is none."""
    try:
        return np.array([text or math.nan for text in texts], dtype=np.float64)
    except ValueError:
        return texts


_DECIMAL_COMMA = re.compile(r"-?\d*,\d+")
"""A number with a decimal comma."""


def _as_number(text: str, table: FileTable) -> float:
    """Return a label, a score or a rank. Raise a ValueError if the text is none."""
    if table.gains:
        if text in table.gains:
            return table.gains[text]
        names = ", ".join(table.gains)
        raise ValueError(f"the label {show_text(text)} in {table.value!r} is none of {names}")
    try:
        number = float(text.replace("_", "?"))  # Python accepts 1_000
    except ValueError:
        number = math.nan
    is_rank = table.kind == "rank"
    if (number < 1 or not number.is_integer()) if is_rank else not math.isfinite(number):
        must_be = "a whole number from 1 on" if is_rank else "a finite number"
        if _DECIMAL_COMMA.fullmatch(text):
            must_be += ". Write decimals with a point"
        raise ValueError(f"the {table.kind} {show_text(text)} in {table.value!r} is not {must_be}")
    return number
