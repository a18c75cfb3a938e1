"""The queries that a caller asks about, and the names of queries and items."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ranking_scores._base import (
    Place,
    check_identifiers,
    check_utf8,
    describe,
    invalid,
    match_ids,
    python_ids,
    show_id,
    show_some,
    unique_identifiers,
)
from ranking_scores._metrics import Evaluation, is_several
from ranking_scores._queries import Data, flatten, is_list_column, read_lists

Positions = NDArray[np.intp]


def choose_queries(
    query: Any,
    worst: Any,
    ids: NDArray[Any] | None,
    evaluation: Evaluation,
    function: str,
    *,
    is_greater_better: bool,
) -> list[int]:
    """Return the numbers of the queries that a caller asks about."""
    n_queries = len(evaluation.values)
    if worst is not None:
        if query is not None:
            raise invalid("worst", function, "None if `query` is given", describe(worst))
        if not isinstance(worst, Integral) or isinstance(worst, bool) or worst < 1:
            raise invalid("worst", function, "None or an int of at least 1", describe(worst))
        values = evaluation.values[:, 0]
        values = values if is_greater_better else -values
        defined = np.flatnonzero(evaluation.is_defined[:, 0])
        order = np.argsort(values[defined], kind="stable")[: int(worst)]
        return list(defined[order].tolist())
    if query is None:
        if n_queries > 1:
            expected = f"given, or `worst`, since the data has {n_queries} queries"
            raise invalid("query", function, expected, "None")
        return [0]
    if not asks_for_several(query, ids):
        return [_number_of(query, ids, n_queries, function)]
    asked = list(query)
    if not asked:
        raise invalid("query", function, "a query, or a list with at least one", describe(query))
    return [_number_of(each, ids, n_queries, function) for each in asked]


def asks_for_several(query: Any, ids: NDArray[Any] | None) -> bool:
    """Return whether a caller asks for a list of queries. A tuple may be the id of one query."""
    if isinstance(query, tuple) and ids is not None and ids.dtype == object:
        return not any(isinstance(each, tuple) for each in ids)
    return is_several(query) and np.ndim(cast(Any, query)) > 0


def _number_of(query: Any, ids: NDArray[Any] | None, n_queries: int, function: str) -> int:
    """Return the number of a query, given by its id, or by its number if queries have no ids."""
    is_bool = isinstance(query, (bool, np.bool_))
    if ids is None:
        expected = f"the number of a query, from 0 to {n_queries - 1}"
        code = "If queries have ids, pass them as `query_ids`, or as `qid` for rows."
        if not isinstance(query, Integral) or is_bool:
            raise invalid("query", function, expected, describe(query), code=code)
        number = int(query)
        if not 0 <= number < n_queries:
            raise invalid("query", function, expected, describe(query))
        return number
    expected = f"the id of a query, such as {show_id(ids[0])}"
    if is_bool and ids.dtype.kind != "b":
        raise invalid("query", function, expected, describe(query))
    wanted = np.empty(1, dtype=object)
    wanted[0] = query
    if ids.dtype.kind in "mM":
        wanted = _as_times(query, ids)
    try:
        places, missing, *_ = match_ids(ids, wanted)
    except TypeError:  # an id that has no hash
        missing = wanted
    if missing.size:
        raise invalid("query", function, expected, describe(query))
    return int(places[0])


def _as_times(query: Any, ids: NDArray[Any]) -> NDArray[Any]:
    """Return a date, a duration or the text of a date as an id of the dtype of others.

    NaT is for what is none, or has no exact value in that dtype.
    """
    to_numpy = getattr(query, "to_numpy", None)  # pandas has nanoseconds, unlike datetime
    try:
        exact = np.array([to_numpy() if to_numpy else query], dtype=ids.dtype.kind + "8")
        found = exact.astype(ids.dtype)
        return np.where(found == exact, found, np.array("NaT", ids.dtype))
    except (TypeError, ValueError):
        return np.array(["NaT"], dtype=ids.dtype)


class ItemNames:
    """The ids of the items in the columns or rows of some data, or their numbers."""

    def __init__(self, data: Data, item_ids: Any, function: str, given: Any = None) -> None:
        self._first: Positions | None = None
        self.ids: Sequence[Any] | None = None
        lists = (
            read_lists(data, "y_true", may_be_null=True) if is_list_column(data.y_true) else None
        )
        if lists is not None:
            self._first = np.cumsum(lists.length) - lists.length
        if item_ids is not None:
            self.ids = _ids_given(data, item_ids, lists, function)
            check_hashable(self.ids, function)
        elif given is not None:
            self.ids = python_ids(given)
        elif lists is None and not issparse(data.y_score) and data.has_class_labels:
            classes = data.y_true if data.labels is None else data.labels
            named = check_identifiers(cast(Any, classes), "labels", function)
            if data.labels is None:
                named, _ = unique_identifiers(named, "y_true", function)
            self.ids = python_ids(named)

    def of(self, at: Positions, query: int) -> list[Any]:
        """Return the names of items of a query, by their columns or rows."""
        if self.ids is not None:
            return [self.ids[each] for each in at.tolist()]
        return list((at if self._first is None else at - self._first[query]).tolist())


def _ids_given(data: Data, item_ids: Any, lists: Any, function: str) -> list[Any]:
    """Return the ids of items that a caller gives, one per column, row or item of a list."""
    if lists is not None:
        expected = "a column of lists, each as long as that of the labels"
        if not is_list_column(item_ids):
            raise invalid("item_ids", function, expected, describe(item_ids))
        check_utf8(item_ids, partial(invalid, "item_ids", function))
        flat, length = flatten(item_ids)
        if not np.array_equal(length, lists.length):
            raise invalid("item_ids", function, expected, "lists of other lengths")
        return list(flat.to_pylist() if hasattr(flat, "to_pylist") else flat.to_list())
    ids = check_identifiers(item_ids, "item_ids", function)
    if data.qid is not None:
        data.indexes.check("item_ids", item_ids)
        n_items, per = data.true_labels.size, "row"
    else:
        shape = data.y_score.shape if issparse(data.y_score) else data.scores.shape
        n_items, per = shape[1], "column"
    if ids.size != n_items:
        expected = f"of shape ({n_items},), one id per {per}"
        raise invalid("item_ids", function, expected, f"shape {ids.shape}")
    return python_ids(ids)


def check_hashable(ids: Sequence[Any], function: str) -> None:
    """Raise if an id cannot be looked up."""
    for place, each in enumerate(ids):
        if not isinstance(each, Hashable):
            raise invalid(
                "item_ids",
                function,
                "made of hashable ids",
                describe(each),
                place=Place(item=place),
            )


def names_of_queries(ids: NDArray[Any] | None, numbers: Sequence[int]) -> list[Any]:
    """Return the ids of queries, or their numbers if they have no ids."""
    return list(numbers) if ids is None else python_ids(ids[np.asarray(numbers, dtype=np.intp)])


def rows_of_ids(
    ids: NDArray[Any], numbers: Sequence[int], others: NDArray[Any], function: str
) -> list[int]:
    """Return the rows of some queries in other data, by their ids."""
    rows, missing, *_ = match_ids(others, ids[np.asarray(numbers, dtype=np.intp)])
    if missing.size:
        expected = "data that has the queries to be explained"
        raise invalid("other", function, expected, f"none for {show_some(missing)}")
    return list(rows.tolist())
