"""The ids of queries, one per row: the rows of each query, the sizes of queries, and back.

The ids may be in the features, in a column with a name or an index. There they are cut into folds
with the other columns, and need no metadata routing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._by_id import ValuesById, by_id
from ranking_scores._base._errors import Place, invalid, show_id, show_names
from ranking_scores._base._ids import IdRuns, cut_runs, runs_of_column, runs_of_text
from ranking_scores._base._index import first_descent, name_at
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import (
    advise_on_sizes,
    advises_on_keywords,
    are_missing,
    as_identifiers,
    as_ndarray,
    check_identifiers,
    describe,
    is_sparse,
    is_whole,
    unique_identifiers,
    without_last_axis,
)

Positions = NDArray[np.intp]

QidFrom = str | int | Callable[[Any], Any]
"""The place of the ids in X: the name or the index of a column, or a callable."""


def cut_into_runs(qid: Any, function: str, parameter: str = "qid") -> IdRuns:
    """Cut the rows where the id of the query changes. The ids are unique and sorted."""
    check_utf8(qid, partial(invalid, parameter, function))
    ids, runs = qid, runs_of_column(qid)
    if runs is None:
        ids = as_identifiers(qid, parameter, function)
        runs = runs_of_text(ids)
    if runs is None or are_missing(runs.ids).any():
        ids = check_identifiers(ids, parameter, function)
        run_id, *runs_of_rows = cut_runs(ids)
        return IdRuns(*unique_identifiers(run_id, parameter, function, ids), *runs_of_rows)
    given = np.broadcast_to(runs.ids[:1], runs.n_rows)
    unique_ids, number = unique_identifiers(runs.ids, parameter, function, given)
    return runs._replace(ids=unique_ids, which=number[runs.which])


def value_of_query(
    runs: IdRuns, values: NDArray[Any], parameter: str, function: str
) -> NDArray[Any]:
    """Return the value that all rows of a query share; raise if they differ."""
    query_value, differs = _share(runs, values)
    if differs.any():
        row = int(np.argmax(differs))
        query = int(runs.which[np.searchsorted(runs.start, row, side="right") - 1])
        got, place = f"{query_value[query]} and {values[row]}", place_of_id(runs.ids, query)
        raise invalid(parameter, function, "the same for all rows of a query", got, place=place)
    return query_value


def by_qid(values: Any, parameter: str, function: str, n_rows: int) -> ValuesById | None:
    """Return values of queries with the ids that they come with; None: they are values of rows."""
    if hasattr(values, "iloc") and len(values) == n_rows:
        return None
    return by_id(values, parameter, function, "np.unique(qid)", "Or pass one value per row.")


def is_shared(runs: IdRuns, values: NDArray[Any]) -> bool:
    """Return whether all rows of each query share a value."""
    return not _share(runs, values)[1].any()


def _share(runs: IdRuns, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return one value of each query, and which rows differ from it."""
    query_value = np.empty(runs.ids.size, values.dtype)
    query_value[runs.which] = values[runs.start]
    return query_value, values != np.repeat(query_value[runs.which], runs.length)


def check_ids_of_rows(
    qid: ArrayLike, n_rows: int, function: str, parameter: str = "qid"
) -> NDArray[Any]:
    """Return the query id of each row; the rows may be a fold that scikit-learn has cut."""
    ids = check_identifiers(qid, parameter, function)
    if ids.size != n_rows:
        expected = f"of shape ({n_rows},), one id per row"
        code = advise_on_sizes(parameter) if _can_be_sizes_of_all(ids, n_rows) else ""
        raise invalid(parameter, function, expected, f"shape {ids.shape}", code=code)
    return ids


def _can_be_sizes_of_all(values: NDArray[Any], n_rows: int) -> bool:
    """Return whether values can be sizes of queries, of which the rows are a fold or all."""
    if can_be_sizes(values, n_rows):
        return bool(values.min() >= 1)
    # A fold gets all sizes, since scikit-learn cannot cut them, but only a part of the rows: at
    # least a hundredth of them, and half as many rows again as there are queries. Ids that lack a
    # few entries are nearly as many as the rows, and large ids have a larger sum.
    is_shorter = values.dtype.kind in "iu" and 0 < values.size < n_rows / 1.5
    return bool(is_shorter and values.min() >= 1 and n_rows < sum(values.tolist()) <= 100 * n_rows)


def can_be_sizes(values: NDArray[Any], n_rows: int) -> bool:
    """Return whether values can be the numbers of rows of queries, instead of one id per row."""
    return values.dtype.kind in "iu" and sum(values.tolist()) == n_rows


def n_cut_apart(one: tuple[NDArray[Any], Positions], other: tuple[NDArray[Any], Positions]) -> int:
    """Return the number of queries that have different numbers of rows in two parts of the data.

    Each part is given by its sorted ids and their sizes. A query with the same number of rows in
    both parts may be complete in both. Ids that do not compare belong to different queries.
    """
    (ids, sizes), (other_ids, other_sizes) = one, other
    if (ids.dtype.kind in "biuf") != (other_ids.dtype.kind in "biuf"):
        return 0  # NumPy would make text of the numbers
    try:
        _, place, other_place = np.intersect1d(
            ids, other_ids, assume_unique=True, return_indices=True
        )
    except TypeError:
        return 0
    return int(np.count_nonzero(sizes[place] != other_sizes[other_place]))


def place_of_id(ids: NDArray[Any], query: int) -> Place:
    """Return a query with its id as the place of an error."""
    return Place(query=ids[query : query + 1].tolist()[0], query_is="qid")


def sizes_from_qid(qid: ArrayLike) -> NDArray[np.int64]:
    """Count the rows of each query, for the `group` parameter of LightGBM and XGBoost.

    Parameters
    ----------
    qid : array-like of shape (n_rows,)
        The id of the query of each row. Ids are ints, text, dates or of any other type that sorts.
        The rows of a query are next to each other. The queries may be in any order.

    Returns
    -------
    sizes : ndarray of int of shape (n_queries,)
        The number of rows of each query, in the order of the queries in `qid`.

    Raises
    ------
    ValueError, TypeError
        If `qid` is not as described here, or if rows of other queries are between the rows of a
        query. The error is of both types, as in scikit-learn.

    See Also
    --------
    qid_from_sizes : Makes ids from sizes again.
    ranking_scores.rankers.QueryRanker : Sorts the rows and passes ids or sizes to each ranker.

    Notes
    -----
    With sizes, only the position of a row tells which query it belongs to. So sizes are right only
    as long as the rows keep their order, and no splitter of scikit-learn can cut them into folds.
    Keep `qid`, and convert it to sizes when a library asks for them.

    Examples
    --------
    >>> from ranking_scores import sizes_from_qid
    >>> sizes_from_qid(["b", "b", "b", "a", "c", "c"])
    array([3, 1, 2])
    """
    function = "sizes_from_qid"
    ids = check_identifiers(qid, "qid", function)
    if ids.size == 0:
        raise invalid("qid", function, "1-D and not empty", f"shape {ids.shape}")
    runs = cut_into_runs(ids, function).joined()
    if runs.start.size > runs.ids.size:
        _, first = np.unique(runs.which, return_index=True)
        again = np.setdiff1d(np.arange(runs.which.size), first)[0]
        query = runs.which[again]
        got = f"other queries between rows {runs.start[first[query]]} and {runs.start[again]}"
        place = place_of_id(runs.ids, query)
        code = (
            "Sort all rows by query first: `order = np.argsort(np.asarray(qid), kind='stable')`, "
            "then take `X[order]`, `y[order]` and `qid[order]` for arrays, "
            "`np.asarray(qid)[order]` and so on for lists, or `X.iloc[order]` and so on for "
            "pandas."
        )
        raise invalid("qid", function, "grouped by query", got, code=code, place=place)
    return runs.length.astype(np.int64, copy=False)


@advises_on_keywords
def qid_from_sizes(sizes: ArrayLike) -> NDArray[np.int64]:
    """Make the query id of each row from the numbers of rows of the queries.

    Use it for data that comes with the sizes of its queries, such as the files and the `group` of
    LightGBM and XGBoost.

    Parameters
    ----------
    sizes : array-like of int of shape (n_queries,)
        The number of rows of each query, at least 1. The rows of the first query come first in
        the data, then the rows of the second query, and so on. A Series of pandas must have an
        ascending index, such as that of ``qid.value_counts().sort_index()``.

    Returns
    -------
    qid : ndarray of int of shape (n_rows,)
        The ids 0, 1, and so on. Each id is there once for each row of its query.

    Raises
    ------
    ValueError, TypeError
        If `sizes` is not as described here. The error is of both types, as in scikit-learn.

    See Also
    --------
    sizes_from_qid : Counts the rows of each query again.

    Notes
    -----
    The sum of the sizes must be the number of rows of the data. The scores check this, since they
    have `y_true` to compare it with. This function cannot check it.

    Examples
    --------
    >>> from ranking_scores import qid_from_sizes
    >>> qid_from_sizes([3, 1, 2])
    array([0, 0, 0, 1, 2, 2])
    """
    function = "qid_from_sizes"
    array = as_ndarray(sizes, "sizes", function)
    if array.dtype == object and array.size:  # as of nullable ints
        array = as_ndarray(array.tolist(), "sizes", function)
    expected = "1-D and not empty, the number of rows of each query"
    if array.ndim != 1 or array.size == 0:
        got = f"shape {array.shape}" if array.ndim else describe(sizes)
        code = without_last_axis("sizes", array.shape, 1)
        raise invalid("sizes", function, expected, got, code=code)
    _check_order_of_sizes(sizes, function)
    if array.dtype.kind not in "iu":
        got, code, position = f"dtype {array.dtype}", _IDS_ALREADY, None
        if array.dtype.kind == "f":
            is_whole = np.isfinite(array) & (array == np.trunc(array))
            if is_whole.all():
                code = "Use `np.asarray(sizes).astype(int)`."
            else:
                position = int(np.argmin(is_whole))
                got = str(array[position])
        expected, place = "ints, the number of rows of each query", Place(position=position)
        raise invalid("sizes", function, expected, got, code=code, place=place)
    if array.min() < 1:
        position = int(np.argmax(array < 1))
        expected = "ints of at least 1, the number of rows of each query"
        code = _IDS_ALREADY
        if array.min() == 0:
            code += " To drop sizes of 0, use `sizes = np.asarray(sizes)` and `sizes[sizes > 0]`."
        got, place = str(array[position]), Place(position=position)
        raise invalid("sizes", function, expected, got, code=code, place=place)
    try:
        return np.repeat(np.arange(array.size, dtype=np.int64), array.astype(np.int64))
    except (MemoryError, ValueError) as error:  # the second if no array can be as long
        expected = "small enough that the ids of all rows fit in memory"
        got = f"{sum(array.tolist())} rows"
        raise invalid("sizes", function, expected, got, code=_IDS_ALREADY) from error


def _check_order_of_sizes(sizes: Any, function: str) -> None:
    """Raise if the index of a Series contradicts that sizes are in the order of the queries.

    ``value_counts`` of pandas puts the longest query first.
    """
    place = first_descent(sizes.index) if hasattr(sizes, "iloc") else None
    if place is None:
        return
    expected = "in the order of the queries in the data, which an ascending index shows"
    before, name = (name_at(sizes.index, each) for each in (place - 1, place))
    code = (
        "If the rows of the data are sorted by query, use `.sort_index()`. If the sizes are in "
        "the order of the queries, use `.to_numpy()`."
    )
    got = f"a Series with {name} after {before} in its index"
    raise invalid("sizes", function, expected, got, code=code, place=Place(position=place))


_IDS_ALREADY = "If these are the ids of the queries, one per row, pass them as `qid`."


def check_qid_from(qid_from: Any, function: str) -> QidFrom | None:
    """Return the place of the query ids in X; None: X has no ids."""
    if qid_from is None or is_whole(qid_from) or isinstance(qid_from, str) or callable(qid_from):
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
    if is_sparse(X):
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
    return _safe_indexing(X.tocsr() if is_sparse(X) else X, others, axis=1)


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
