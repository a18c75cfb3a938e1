"""Arrays of any layout as items of queries, with the names that TREC's formats have for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from ranking_scores._base import (
    WHOLE_LIST,
    Indexes,
    as_ndarray,
    check_identifiers,
    check_real_array,
    check_sparse,
    check_stored,
    check_utf8,
    column_names,
    invalid,
    is_indexed,
    is_labelled,
    show_id,
)
from ranking_scores._queries import Data, Need, check_queries, stored_entries
from ranking_scores._tables._columns import Positions

Floats = NDArray[np.float64]


class Items(NamedTuple):
    """Some items of each query, with their labels or scores, sorted by query."""

    query: Positions
    item: Positions
    """The number of the item: its column, or its place in its query."""
    place: tuple[Positions, ...]
    """The positions of the items in the data, as an index."""
    values: NDArray[Any]


class Table(NamedTuple):
    """The judged and the retrieved items of a call."""

    function: str
    judged: Items
    retrieved: Items
    n_queries: int
    ids: NDArray[Any] | None
    """The ids of the queries, or None if they have no ids."""
    shapes_of_ids: list[tuple[int, ...]]
    """The allowed shapes of the ids of the items."""
    indexes: Indexes
    """The index of the data, if it comes from pandas."""


def table_of(
    function: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    qid: ArrayLike | None,
    where: ArrayLike | None,
) -> Table:
    """Return the items of each query, from any layout."""
    scores: Any = (
        check_stored(y_score, "y_score", function)
        if issparse(y_score)
        else check_real_array(y_score, "y_score", function)
    )
    truth: Any = y_true if hasattr(y_true, "ndim") else as_ndarray(y_true, "y_true", function)
    if qid is None and truth.ndim == 1 and scores.ndim == 2 and scores.shape[1] > 1:
        raise invalid(
            "y_true",
            function,
            "2-D, with one label per element of y_score, or 1-D with `qid`",
            f"shape {truth.shape} with y_score of shape {scores.shape}, as with class labels,",
            code="Pass `y_true[:, None] == classes`, with the class of each column of y_score.",
        )
    # Series and frames are passed on unchanged, since their index and their columns count.
    as_given = issparse(y_score) or is_indexed(y_score)
    given = y_true if is_labelled(y_true) or column_names(y_true) is not None else truth
    data = Data(function, given, y_score if as_given else scores, qid, where=where)
    check_finite(data)
    if qid is not None:
        return _ragged_table(data.true_labels, scores.ravel(), data)
    is_item = None if where is None else np.asarray(where)
    if issparse(truth):
        labels = check_sparse(truth, "y_true", function).copy()
        labels.sum_duplicates()
    else:
        labels = data.true_labels
    shapes = [scores.shape[1:]] if issparse(scores) else [scores.shape[1:], scores.shape]
    judged, retrieved = items_of(labels, is_item), items_of(scores, is_item)
    return Table(function, judged, retrieved, scores.shape[0], None, shapes, data.indexes)


def check_finite(data: Data) -> None:
    """Raise unless the data has a valid layout and all items that take part are finite."""
    for _ in check_queries(data, Need(WHOLE_LIST)).blocks():
        pass


def _ragged_table(labels: NDArray[Any], scores: NDArray[Any], data: Data) -> Table:
    ids, query_of_row = np.unique(data.ids, return_inverse=True)
    row = np.argsort(query_of_row, kind="stable")
    query = query_of_row[row]
    item = np.arange(row.size) - np.searchsorted(query, query)
    judged, retrieved = (Items(query, item, (row,), values[row]) for values in (labels, scores))
    return Table(data.function, judged, retrieved, ids.size, ids, [labels.shape], data.indexes)


def items_of(values: Any, is_item: NDArray[np.bool_] | None) -> Items:
    """Return the items of a matrix that take part. In a sparse matrix, only stored cells do."""
    if issparse(values):
        listed = stored_entries(values)
        if is_item is not None:
            listed = listed.where(is_item[listed.row, listed.column])
        query, item, item_values = listed
    else:
        query, item = np.nonzero(np.ones(values.shape, dtype=bool) if is_item is None else is_item)
        item_values = values[query, item]
    return Items(query, item, (query, item), item_values)


def numbered_queries(table: Table, offset: int, prefix: str) -> list[str]:
    """Return the names of queries, from their row numbers or from their ids in `qid`."""
    if table.ids is None:
        return [f"{prefix}{row + offset}" for row in range(table.n_queries)]
    names = [prefix + name for name in _as_strings(table.ids, "qid", table.function)]
    check_unique(names, "qid", table.function)
    return names


def names_of_queries(table: Table, query_ids: ArrayLike) -> list[str]:
    """Return the names of queries that the caller gave."""
    ids = _as_ids(query_ids, "query_ids", table.function)
    if ids.shape != (table.n_queries,):
        expected = f"of shape ({table.n_queries},), one name per query"
        raise invalid("query_ids", table.function, expected, f"shape {ids.shape}")
    if table.ids is None:  # otherwise they are in the order of the ids
        table.indexes.check("query_ids", query_ids)
    names = _as_strings(ids, "query_ids", table.function)
    check_unique(names, "query_ids", table.function)
    return names


def name_items(cells: Items, table: Table, item_ids: ArrayLike | None, prefix: str) -> list[str]:
    """Return the names of some items."""
    if item_ids is None:
        number = np.flatnonzero(np.bincount(cells.item))
        names = [f"{prefix}{item}" for item in number.tolist()]
        # One string object per column, shared by all queries.
        name_of_column = np.empty(number.max(initial=-1) + 1, dtype=object)
        name_of_column[number] = names
    else:
        ids = check_shape(item_ids, table)
        if ids.ndim == 2 or table.ids is not None:
            table.indexes.check("item_ids", item_ids)
            return _as_strings(ids[cells.place], "item_ids", table.function)
        name_of_column = names_of_items(ids, table.function)
    return list(name_of_column[cells.item].tolist())


def check_shape(item_ids: ArrayLike, table: Table) -> NDArray[Any]:
    """Return the ids of items as an array. Raise if its shape is not allowed."""
    ids = _as_ids(item_ids, "item_ids", table.function)
    if ids.shape not in table.shapes_of_ids:
        expected = f"of shape {' or '.join(map(str, table.shapes_of_ids))}"
        raise invalid("item_ids", table.function, expected, f"shape {ids.shape}")
    return ids


def names_of_items(ids: NDArray[Any], function: str) -> NDArray[Any]:
    """Return the names of the columns as an array of unique strings."""
    names = _as_strings(ids, "item_ids", function)
    check_unique(names, "item_ids", function)
    return np.array(names, dtype=object)


def _as_ids(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return ids as an array. The ids of a list keep their types."""
    check_utf8(values, partial(invalid, parameter, function))
    if not hasattr(values, "dtype"):
        values = np.asarray(values, dtype=object)
    return as_ndarray(values, parameter, function)


def _as_strings(ids: Any, parameter: str, function: str) -> list[str]:
    """Return 1-D ids as strings."""
    ids = check_identifiers(ids, parameter, function)
    if ids.dtype.kind in "mM":  # .tolist() returns ints for some units
        ids = ids.astype(str)
    values = ids.tolist()
    if bytes in set(map(type, values)):
        code = "Decode them: `np.char.decode(ids)`."
        expected = "made of strings, or of objects that `str` converts"
        raise invalid(parameter, function, expected, "bytes", code=code)
    return list(map(str, values))


def check_unique(names: list[str], parameter: str, function: str, query: str = "") -> None:
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        expected = "unique as strings" + (" within a query" if query else "")
        got = f"{show_id(twice)} more than once" + (f" in query {show_id(query)}" if query else "")
        raise invalid(parameter, function, expected, got)


def name_document(item: str, query: str) -> str:
    """Return the name of a document of a query, for error messages."""
    return f"document {show_id(item)} of query {show_id(query)}"


_LEAST_GRADE, _GREATEST_GRADE = -(2**31), 2**31 - 1
"""The grades that trec_eval can read on every platform: those of a 32-bit C long."""


def as_grades(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> NDArray[np.int64]:
    """Return labels as ints. `name` returns the name of the document at an index."""
    if values.dtype.kind == "f":
        values = values.astype(np.result_type(values, np.float64), copy=False)
    is_grade = (values >= _LEAST_GRADE) & (values <= _GREATEST_GRADE)
    if values.dtype.kind == "f":
        is_grade &= np.floor(values) == values
    if not is_grade.all():
        first = int(np.argmin(is_grade))
        advice = "It would truncate them. Round or scale them first."
        if np.isnan(values[first]):
            advice = "Leave out documents that were not judged."
        raise invalid(
            parameter,
            function,
            "made of 32-bit whole numbers, since trec_eval reads grades as such",
            f"{values[first]!s} for {name(first)}",
            advice,
        )
    return values.astype(np.int64)


def as_exact_floats(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> Floats:
    """Return scores as float64. Raise if a score is not exact as float64."""
    with np.errstate(over="ignore", under="ignore"):
        floats = values.astype(np.float64)
    is_exact = floats == values if values.dtype.kind == "f" else np.abs(floats) < 2**53
    if not is_exact.all():
        first = int(np.argmin(is_exact))
        got = f"{values[first]!s} for {name(first)}"
        expected = "exact as float64, such as ints below 2**53"
        code = "`scipy.stats.rankdata(y_score, method='dense')` keeps their order."
        raise invalid(parameter, function, expected, got, code=code)
    return floats
