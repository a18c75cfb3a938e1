"""Tables of all kinds, as the three whose columns are read: dicts, pyarrow tables and frames.

Most kinds are known by what they can do, so no library is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

from ranking_scores._base import (
    Place,
    describe,
    invalid,
    library_of,
    names_in,
    show_id,
    show_names,
)
from ranking_scores.exceptions import InvalidParameterError


class NotedTable(dict[str, Any]):
    """A dict of columns that were read from a file, with what there is to say about it."""

    notes: tuple[str, ...] = ()
    """What was taken for what in the file, and what was skipped, in lines."""
    label_below_0_is_0: bool = False
    """Whether labels below 0 count as 0, as in TREC's files, where they stand for spam."""


def notes_of(table: Any) -> tuple[str, ...]:
    """Return what there is to say about how a table was read."""
    return table.notes if isinstance(table, NotedTable) else ()


def with_labels_from_0(table: Any) -> Any:
    """Return a table in which labels below 0 are 0, if they count so in its file, and say so."""
    if not (isinstance(table, NotedTable) and table.label_below_0_is_0):
        return table
    labels = table.get("label")
    if not (isinstance(labels, np.ndarray) and labels.dtype.kind in "if"):  # a caller's own
        return table
    n_below = np.count_nonzero(labels < 0)
    if not n_below:
        return table
    changed = NotedTable(table | {"label": np.maximum(labels, 0)})
    they = "label below 0 counts" if n_below == 1 else "labels below 0 count"
    changed.notes = (*table.notes, f"{n_below} {they} as 0: judged, and not relevant")
    return changed


def is_frame(values: Any) -> bool:
    """Return whether something is a frame, or another table with names of columns."""
    # Of the type, since a lazy frame of polars warns if it is asked for its columns.
    return hasattr(type(values), "columns") or hasattr(type(values), "column_names")


def is_table(values: Any) -> bool:
    """Return whether something is a table, other than a dict of columns."""
    return is_frame(values) or _is_reader(values) or are_rows(values)


def are_rows(values: Any) -> bool:
    """Return whether something is a list of dicts, one for each row of a table."""
    is_list = isinstance(values, (list, tuple)) and len(values) > 0
    return is_list and all(isinstance(each, Mapping) for each in values)


def as_table_of_records(table: Any) -> Any:
    """Return an iterable of records as a list of dicts, read once, and other tables unchanged.

    Records are dicts, named tuples or dataclasses, all of one kind.
    """
    if isinstance(table, (Mapping, np.ndarray, str, bytes)) or not isinstance(table, Iterable):
        return table
    if not isinstance(table, (list, tuple)) and any(hasattr(table, each) for each in _OF_TABLES):
        return table
    rows = list(table)
    kind_of = {each: _kind_of(each) for each in set(map(type, rows))}
    kinds = [kind_of[type(row)] for row in rows]
    for number, kind in enumerate(kinds):
        if kind is None or kind != kinds[0]:
            return _OtherRows(number, rows[number])
    if kinds[:1] == ["named tuple"]:
        return [row._asdict() for row in rows]
    return list(map(_by_field, rows)) if kinds[:1] == ["dataclass"] else rows


_OF_TABLES = (
    "columns",
    "column_names",
    "schema",
    "collect_schema",
    "__narwhals_dataframe__",
    "__arrow_c_stream__",
    "__dataframe__",
)
"""Attributes that tables have, and other iterables do not."""


@dataclass(frozen=True)
class _OtherRows:
    """What an iterable is whose rows are not records of one kind.

    It is refused where columns are read, since it is known there which parameter it is.
    """

    number: int
    """The number of the first row that is no record, or one of another kind than row 0."""
    row: Any

    def refused(self, parameter: str, function: str) -> InvalidParameterError:
        """Return the error about it."""
        expected = (
            "a table, such as a frame of pandas or polars, a dict of columns, or records of one "
            "kind: dicts, named tuples or dataclasses"
        )
        place = Place(row=self.number)
        return invalid(parameter, function, expected, describe(self.row), place=place)


def _kind_of(record: type) -> str | None:
    """Return the kind of the records of a type; None: they are none."""
    if issubclass(record, Mapping):
        return "dict"
    if hasattr(record, "_asdict"):
        return "named tuple"
    return "dataclass" if is_dataclass(record) else None


def _by_field(record: Any) -> dict[str, Any]:
    """Return the values of a dataclass. One that is not set is missing, as it is in a dict."""
    return {each.name: getattr(record, each.name, None) for each in fields(record)}


def _is_reader(values: Any) -> bool:
    """Return whether something reads record batches of pyarrow."""
    return library_of(values) == "pyarrow" and hasattr(values, "read_all")


def in_memory(
    table: Any, parameter: str, function: str, names: Mapping[str, Any] | None = None
) -> Any:
    """Return a table as a dict of columns, a table of pyarrow or a frame.

    It has all columns that are named, and perhaps others. If none are named, it has all columns,
    and a frame is one of narwhals. Otherwise it may also be one of pandas.
    """

    def choose(there: Sequence[Any]) -> list[Any]:
        if names is None:
            return list(there)
        check_names(names, there, parameter, function)
        return list(dict.fromkeys(names.values()))

    if isinstance(table, _OtherRows):
        raise table.refused(parameter, function)
    if isinstance(table, Mapping):
        choose(list(table))
        return table
    if isinstance(table, list) and not table and names is not None:
        return {name: [] for name in names.values()}  # of records there are none
    if are_rows(table):
        there = list(dict.fromkeys(chain.from_iterable(table)))
        return {name: [row.get(name) for row in table] for name in choose(there)}
    if hasattr(table, "with_format") and hasattr(table, "__len__"):  # a dataset of Hugging Face
        return table.select_columns(choose(table.column_names)).with_format("arrow")[:]
    if library_of(table) == "pyarrow" and hasattr(table, "schema"):
        columns = choose(names_in(table.schema, partial(invalid, parameter, function)))
        if _is_reader(table):
            return _read_all(table, parameter, function)
        return table.to_table(columns=columns) if hasattr(table, "to_table") else table
    narwhals = _narwhals_for(table, parameter, function)
    native = narwhals.to_native(table, pass_through=True)
    if names is not None and narwhals.dependencies.is_pandas_like_dataframe(native):
        choose(list(native.columns))  # which need not be text, or different from each other
        return native
    try:
        frame = narwhals.from_native(table)
    except TypeError as error:
        reader = _reader_of(table)
        if reader is None:
            expected = "a table, such as a frame of pandas or polars, or a dict of columns"
            raise invalid(parameter, function, expected, describe(table)) from error
        return in_memory(reader, parameter, function, names)
    columns = choose(frame.collect_schema().names())
    if hasattr(frame, "collect"):
        frame = frame.select(columns).collect()
    return frame.to_native() if frame.implementation.is_pyarrow() else frame


def _narwhals_for(table: Any, parameter: str, function: str) -> Any:
    """Return narwhals, or raise in the name of the table that needs it."""
    try:
        return import_module("narwhals")
    except ImportError as error:
        expected = "a dict of columns if narwhals is not installed"
        advice = "Install narwhals, or pass a dict of columns."
        raise invalid(parameter, function, expected, describe(table), advice) from error


def _reader_of(table: Any) -> Any:
    """Return a reader of the record batches that an object exports; None: it exports none."""
    if not hasattr(table, "__arrow_c_stream__"):
        return None
    try:
        return import_module("pyarrow").RecordBatchReader.from_stream(table)
    except (ImportError, ValueError):  # the latter of a single column
        return None


def _read_all(reader: Any, parameter: str, function: str) -> Any:
    """Return the table that a reader of record batches reads."""
    table = reader.read_all()
    if not len(table):
        expected = "a reader with rows that was not read before, since it can be read once"
        code = "To use a table several times, or without rows, pass `reader.read_all()`."
        raise invalid(parameter, function, expected, "one without rows", code=code)
    return table


def check_names(
    names: Mapping[str, Any], there: Sequence[Any], parameter: str, function: str
) -> None:
    """Raise unless a table has each of the named columns once."""
    for keyword, name in names.items():
        number = list(there).count(name)
        if number > 1:
            expected = f"a table with one column {show_id(name)}"
            raise invalid(parameter, function, expected, f"{number} of that name")
        if name not in there:
            code = f"`{keyword}=` takes the name of the column in the table."
            if keyword in ("query", "item") and parameter not in ("table", "a", "b"):
                pair = f"`{keyword}=(in judgments, in predictions)`"
                code = f"If the two tables have different names for it, pass a pair: {pair}."
                if any(isinstance(each, tuple) for each in there):
                    code += " A name that is a tuple must be in a pair, too."
            columns = show_names(there)
            got = f"the columns {columns}" if there else "no columns"
            raise invalid(
                parameter, function, f"a table with the column {show_id(name)}", got, code=code
            )
