"""Judgments without the name of their labels, although a column looks like the labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

from ranking_scores._base import library_of, show_id, warn_caller
from ranking_scores._tables._columns import Column, dtype_of, read_columns, read_numbers
from ranking_scores._tables._kinds import are_rows, in_memory
from ranking_scores._tables._known_names import label_names
from ranking_scores.exceptions import InvalidParameterError


class _LeftOut:
    def __repr__(self) -> str:
        return "<left out>"


LEFT_OUT: Any = _LeftOut()
"""The name of the labels if the caller does not say whether there are labels."""

_NUMBER = re.compile(
    r"(u|big|small|tiny)?int\d*\b|float\d*\b|double|halffloat|bool|decimal", re.IGNORECASE
)
"""The types of numbers in any library."""


def read_unlabelled(judgments: Any, names: Mapping[str, Any], function: str) -> Any:
    """Return a table in memory. Warn if a column that is not named here looks like labels."""
    numbers = columns_of_numbers(judgments, names)
    of_ids = {keyword: name for keyword, name in names.items() if name is not None}
    others = {f"number {place}": name for place, name in enumerate(numbers)}
    rows = in_memory(judgments, "judgments", function, of_ids | others)
    if not warn_if_named(numbers):
        columns = read_columns(rows, others, "judgments", function).values()
        name = next((each.name for each in columns if _has_zeros(each)), None)
        if name is not None:
            _warn(name, "has zeros")
    return rows


def columns_of_numbers(table: Any, names: Mapping[str, Any]) -> list[Any]:
    """Return the names of the columns of numbers, without those that are named already."""
    types = types_in(table)
    count = Counter(name for name, _ in types)
    return [
        name
        for name, kind in types
        if _NUMBER.match(str(kind)) and count[name] == 1 and name not in names.values()
    ]


def warn_if_named(columns: Iterable[Any]) -> bool:
    """Warn if one of some columns of numbers is named like labels, and return whether it is."""
    like_labels = (*label_names(), "score")
    named = [name for name in columns if str(name).casefold() in like_labels]
    for name in named[:1]:
        _warn(name, "is named like labels")
    return bool(named)


def _warn(name: Any, what: str) -> None:
    column = show_id(name)
    warn_caller(
        f"Each row of judgments counts as a relevant item, although the column {column} {what}. "
        f"Pass label={column} if it has the labels, and label=None if each row is relevant.",
        UserWarning,
    )


def _has_zeros(column: Column) -> bool:
    """Return whether a column of numbers holds a zero."""
    try:
        return bool((read_numbers(column).values == 0).any())
    except InvalidParameterError:  # of objects, not all of them numbers
        return False


def types_in(table: Any) -> list[tuple[Any, Any]]:
    """Return the names of the columns and their types; nothing if a table is of no known kind."""
    if are_rows(table):
        first = {
            name: each for row in table[::-1] for name, each in row.items() if each is not None
        }
        return [(name, type(each).__name__) for name, each in first.items()]
    if isinstance(table, Mapping):
        return [(name, dtype_of(values) or _type_in(values)) for name, values in table.items()]
    if hasattr(table, "features"):  # a dataset of Hugging Face
        return [(name, getattr(each, "dtype", "")) for name, each in table.features.items()]
    if library_of(table) == "pyarrow" and hasattr(table, "schema"):
        try:
            return list(zip(table.schema.names, table.schema.types, strict=True))
        except UnicodeDecodeError:  # of a name, which is refused where the columns are read
            return []
    if hasattr(table, "iloc"):  # a frame of pandas or of Dask
        return list(table.dtypes.items())
    try:
        frame = import_module("narwhals").from_native(table, pass_through=True)
    except ImportError:
        return []
    return list(frame.collect_schema().items()) if hasattr(frame, "collect_schema") else []


def _type_in(values: Any) -> str:
    """Return the type of the first value of a list that is not missing."""
    values = values if isinstance(values, (list, tuple)) else []
    return next((type(each).__name__ for each in values if each is not None), "")
