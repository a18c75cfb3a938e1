"""The ids of queries from the features: a column by its name or its index, or a callable.

Ids in a column of X are cut into folds with the other columns and need no metadata routing.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ranking_scores._base import describe, invalid, show_id, show_names

QidFrom = str | int | Callable[[Any], Any]
"""The place of the ids in X: the name or the index of a column, or a callable."""


def check_qid_from(qid_from: Any, function: str) -> QidFrom | None:
    """Return the place of the query ids in X; None: X has no ids."""
    is_place = isinstance(qid_from, Integral) and not isinstance(qid_from, bool)
    if qid_from is None or is_place or isinstance(qid_from, str) or callable(qid_from):
        known: QidFrom | None = qid_from
        return known
    expected = "None, the name of a column of X, its index, or a callable of X"
    raise invalid("qid_from", function, expected, describe(qid_from))


def has_ids_column(X: Any, qid_from: QidFrom | None, n_columns: int) -> bool:
    """Return whether other features have the column of ids, too, of X with `n_columns` columns."""
    if isinstance(qid_from, str) and _names(X):
        return qid_from in _names(X)
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    return isinstance(qid_from, (str, Integral)) and shape[1:] == (n_columns,)


def take_ids(X: Any, qid_from: QidFrom, function: str) -> Any:
    """Return the ids of the queries that are in X."""
    if callable(qid_from):
        ids = qid_from(X)
        if ids is None:
            name = getattr(qid_from, "__qualname__", repr(qid_from))
            expected = "a callable that returns the id of each row"
            raise invalid("qid_from", function, expected, f"None from {name}")
        return ids
    X, place = _find(X, qid_from, function)
    if issparse(X):
        return X.tocsc()[:, [place]].toarray()[:, 0]
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, place, axis=1)


def leave_ids_out(X: Any, qid_from: QidFrom, function: str) -> Any:
    """Return X without the column of the ids. With a callable, X is unchanged."""
    if callable(qid_from):
        return X
    from sklearn.utils import _safe_indexing

    X, place = _find(X, qid_from, function)
    others = [each for each in range(X.shape[1]) if each != place]
    return _safe_indexing(X.tocsr() if issparse(X) else X, others, axis=1)


def _find(X: Any, column: str | int, function: str) -> tuple[Any, int]:
    """Return X with columns, and the index of one of them."""
    if hasattr(X, "collect") and not hasattr(X, "shape"):  # of polars
        expected = "in memory if `qid_from` names a column"
        raise invalid("X", function, expected, f"a {type(X).__name__}", code="Use `X.collect()`.")
    X = X if hasattr(X, "shape") else np.asarray(X)
    n_columns = X.shape[1] if len(X.shape) == 2 else 0
    if isinstance(column, str):
        return X, _place_of_name(X, column, function)
    if not -n_columns <= column < n_columns:
        expected, got = "the index of a column of X", f"{column} for X of shape {X.shape}"
        is_name = column in _names(X)
        advice = "An int is the index of a column, not its name." if is_name else ""
        raise invalid("qid_from", function, expected, got, advice)
    return X, int(column) % n_columns


def _place_of_name(X: Any, column: str, function: str) -> int:
    """Return the index of the only column with a name."""
    names = _names(X)
    if names.count(column) != 1:
        expected = "the name of one column of X"
        got = f"{show_id(column)}, which several columns have,"
        if not names:
            expected = "the index of a column or a callable if the columns of X have no names"
            got = show_id(column)
        elif column not in names:
            got = f"{show_id(column)} for the columns {show_names(names)}"
        raise invalid("qid_from", function, expected, got)
    return names.index(column)


def _names(X: Any) -> list[Any]:
    """Return the names of the columns of a frame or a table; nothing for other values."""
    return list(getattr(X, "column_names", getattr(X, "columns", [])))
