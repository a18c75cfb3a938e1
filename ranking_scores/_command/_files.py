"""The files of the command: judgments and runs as tables with columns."""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import math
import os
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from ranking_scores._base import import_extra
from ranking_scores._command._arguments import STDIN
from ranking_scores._command._words import InputError, in_words, kind_of
from ranking_scores._tables import QRELS, RUN, opened
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.trec import read_qrels, read_run

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LONG = 10_000_000
"""Files of at least this many bytes are announced on a terminal while they are read."""
_ORDER = "JUDGMENTS comes first, then each RUN."
_OF_OTHERS = {"label": {"score", "rank"}, "score": {"label"}, "rank": {"label"}}
"""For each kind of column, the default names of columns that belong in the other file."""


class Table(NamedTuple):
    """The content of a file, and the names of its columns."""

    path: str
    columns: Any
    query: str
    item: str
    value: str | None
    """The column of labels, scores or ranks. None means that each row is relevant."""
    kind: str
    """The kind of this column: "label", "score" or "rank"."""


def read(path: str, options: argparse.Namespace, *, is_run: bool = False) -> Table:
    """Read a file of judgments or a run."""
    kind = "score" if is_run else "label"
    of_file = kind_of(path)
    with _errors_of(path), _announced(path):
        if of_file == "trec":
            if path == STDIN and sys.stdin is None:
                raise InputError("-: the standard input is closed")
            name = "/dev/stdin" if path == STDIN else path
            columns = (read_run if is_run else read_qrels)(name)
            return Table(path, columns, "query", "item", kind, kind)
        value = getattr(options, kind) or kind
        if is_run and options.rank:
            kind, value = "rank", options.rank
        table = Table(
            path,
            None,
            options.query or "query",
            options.item or "item",
            None if kind == "label" and options.no_label else value,
            kind,
        )
        columns = (
            _read_parquet(table)
            if of_file == ".parquet"
            else _read_text(table, _DELIMITERS[of_file])
        )
        return table._replace(columns=columns)


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    """Turn the errors that a file can cause into errors of one line."""
    try:
        yield
    except InvalidParameterError as error:
        order = f" {_ORDER}" * (error.code in (QRELS.advice, RUN.advice))
        raise InputError(f"{in_words(error, path=path)}{order}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: the gzip file is broken ({error})") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


@contextmanager
def _announced(path: str) -> Iterator[None]:
    """Show on a terminal that a long file is being read."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    if size < _LONG or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    message = f"reading {os.path.basename(path)[-40:]}, {size / 1e6:.0f} MB ..."
    print(message, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(f"\r{' ' * len(message)}\r", end="", file=sys.stderr, flush=True)


def _check_columns(names: list[str], table: Table) -> None:
    """Raise unless a table has each requested column exactly once."""
    if not names:
        raise InputError(f"{table.path}: the line with the names of the columns is missing")
    roles = {"query": table.query, "item": table.item, table.kind: table.value}
    wanted = {role: name for role, name in roles.items() if name is not None}
    for role, name in wanted.items():
        if names.count(name) == 1:
            continue
        number = "more than one column" if name in names else "no column"
        shown = ", ".join(map(repr, names[:10])) + ", ..." * (len(names) > 10)
        advice = f"Name the column with --{role}"
        if role == "label":
            advice += ", or pass --no-label if each row is relevant"
        elif role == "score":
            advice += ", or a column of ranks with --rank"
        advice += "."
        if role not in ("query", "item") and {*names} & _OF_OTHERS[role]:
            advice = _ORDER
        elif not {*names} & {*wanted.values()}:
            advice += " A file in TREC's format must have another suffix."
        raise InputError(f"{table.path}: there is {number} {name!r} among {shown}. {advice}")


def _read_parquet(table: Table) -> Any:
    """Return the columns of a Parquet file as a pyarrow table."""
    path = table.path
    try:
        pyarrow = import_extra("pyarrow", "parquet", "Parquet")
        parquet_file = import_extra("pyarrow.parquet", "parquet", "Parquet").ParquetFile
    except ImportError as error:
        raise InputError(f"{path}: {error}") from error
    try:
        with open(path, "rb") as file, parquet_file(file) as parquet:
            _check_columns(parquet.schema_arrow.names, table)
            names = [table.query, table.item, table.value]
            return parquet.read(columns=[name for name in names if name is not None])
    except pyarrow.ArrowException as error:
        raise InputError(f"{path}: {error}") from error


def _read_text(table: Table, delimiter: str) -> dict[str, Any]:
    """Return the columns of a CSV or TSV file: the ids as text, and the numbers."""
    path = table.path
    with opened(path) as file:
        lines = io.TextIOWrapper(cast(Any, file), encoding="utf-8", newline="")
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            names = next(rows, [])
            if "\0" in "".join(names):  # UTF-16 without a byte order mark is valid UTF-8
                raise _not_utf8(path, 1)
            _check_columns(names, table)
            return _read_rows(rows, names, table)
        except UnicodeDecodeError as error:  # all lines before those of this block were read
            before = error.object[: error.start] + b"."
            raise _not_utf8(path, rows.line_num + len(before.splitlines())) from error
        except (csv.Error, ValueError) as error:
            is_open = str(error).startswith(("unexpected end", "field larger"))
            advice = ". Is there an unclosed quote?" * is_open
            raise InputError(f"{path}, line {rows.line_num}: {error}{advice}") from error


def _not_utf8(path: str, line: int) -> InputError:
    """Return the error about text in another encoding."""
    return InputError(f"{path}, line {line}: the text is not UTF-8. Save the file as UTF-8.")


def _read_rows(rows: Iterable[list[str]], names: list[str], table: Table) -> dict[str, Any]:
    """Return the columns of the rows below the head. Raise a ValueError about a bad row."""
    query, item = names.index(table.query), names.index(table.item)
    value = None if table.value is None else names.index(table.value)
    queries: list[str] = []
    items: list[str] = []
    numbers = array("d")
    roles = ("query", query, queries), ("item", item, items)
    known: dict[str, str] = {}  # so that each id is one string object
    for row in filter(None, rows):  # an empty line has no fields
        if len(row) != len(names):
            fields = f"{len(row)} field{'s' * (len(row) != 1)}"
            raise ValueError(f"{fields} where the header has {len(names)}")
        for role, place, ids in roles:
            if not row[place]:
                raise ValueError(f"the {role} id in {names[place]!r} is empty")
            ids.append(known.setdefault(row[place], row[place]))
        if value is not None:
            numbers.append(_as_number(row[value], table))
    as_array = partial(np.array, dtype=object)
    columns = {table.query: as_array(queries), table.item: as_array(items)}
    return columns if table.value is None else columns | {table.value: np.array(numbers)}


def _as_number(text: str, table: Table) -> float:
    """Return a label, a score or a rank. Raise a ValueError if the text is none."""
    try:
        number = float(text.replace("_", "?"))  # Python accepts 1_000
    except ValueError:
        number = math.nan
    is_rank = table.kind == "rank"
    if (number < 1 or not number.is_integer()) if is_rank else not math.isfinite(number):
        must_be = "a whole number from 1 on" if is_rank else "a finite number"
        raise ValueError(f"the {table.kind} {text!r} in {table.value!r} is not {must_be}")
    return number
