"""Ids and labels of files that have types, JSON and Parquet, as a caller wants them."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import suppress
from typing import Any

from ranking_scores._base import show_id
from ranking_scores._command._words import InputError


def id_as_text(value: Any) -> Any:
    """Return a whole number, or bytes in UTF-8, as text, and anything else unchanged."""
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    if isinstance(value, float) and value.is_integer():  # as a column with missing ids has them
        value = int(value)
    return str(value) if type(value) is int else value


def as_number(value: Any) -> Any:
    """Return text as a number if it is a finite one, and anything else unchanged."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value.replace("_", "?"))  # Python accepts 1_000
    except ValueError:
        return value
    return number if math.isfinite(number) else value


def ids_as_text(column: Any) -> Any:
    """Return a column of ids in which whole numbers are text."""
    values = _values_of(column)
    return column if values is None else list(map(id_as_text, values))


def as_numbers(column: Any) -> Any:
    """Return a column of labels in which text is a number."""
    values = _values_of(column)
    return column if values is None else list(map(as_number, values))


def _values_of(column: Any) -> list[Any] | None:
    """Return a column of JSON or Parquet as a list; None: of other files, which have no types."""
    if isinstance(column, list):
        return column
    return list(column.to_pylist()) if hasattr(column, "to_pylist") else None


def keys_as_text(by_query: dict[Any, Any], path: str) -> dict[Any, Any]:
    """Return a dict by query whose keys are text. Raise if two of them are the same text."""
    found = {id_as_text(query): value for query, value in by_query.items()}
    if len(found) < len(by_query):
        counts = Counter(map(id_as_text, by_query))
        twice = next(each for each, count in counts.items() if count > 1)
        raise InputError(f"{path}: query {show_id(twice)} is there as text and as a number")
    return found
