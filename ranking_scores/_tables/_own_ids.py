"""Predictions with the id of their query, which are dropped as if they had not been retrieved.

In some collections the queries are documents, too, and a system finds each of them first. What is
dropped is known before any score is called, so all ids are read at once.
"""

from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import as_objects, invalid
from ranking_scores._tables._columns import Column, Positions, join_ids, read_ids
from ranking_scores._tables._join import JoinSide, alike, read_values
from ranking_scores._tables._lists_of_ids import JoinInput, ListsByQuery, sides_of

_PARAMETER = "drop_self"


def without_self(given: JoinInput) -> tuple[JoinInput, int]:
    """Return judgments and predictions without those of the query itself, and their number.

    Queries without other predictions are still there.
    """
    predicted = given.predicted
    if isinstance(predicted, ListsByQuery) and predicted.queries is None:
        expected = f"False, since the queries of {predicted.parameter} have no ids"
        code = "Pass dicts by the ids of queries."
        raise invalid(_PARAMETER, predicted.function, expected, "True", code=code)
    with sides_of(given, None) as (_, side):
        query, are_self = _are_self(side)
    if isinstance(predicted, ListsByQuery):
        given = _without_entries(given, predicted, are_self)
    else:
        rows = np.flatnonzero(~are_self)
        kept = predicted.at(rows)
        if "rank" in predicted.columns:
            kept = kept._replace(numbers=_moved_up(query, predicted.values(), are_self)[rows])
        given = given._replace(predicted=kept)
    return given, int(np.count_nonzero(are_self))


def columns_without_self(columns: dict[str, Column]) -> tuple[dict[str, Column], int]:
    """Return the columns of one table, in which rows of the query itself were not predicted.

    Such a row may still be judged. Also return the number of these rows.
    """
    if "item" not in columns:
        expected = "False unless `item` is a column, since rows have no ids"
        raise invalid(_PARAMETER, columns["query"].function, expected, "True")
    side = JoinSide(columns, read_ids(columns["query"]))
    query, are_self = _are_self(side)
    keyword = "rank" if "rank" in columns else "score"
    numbers = read_values({"query": columns["query"], keyword: columns[keyword]}, side.query)
    values, row = numbers
    row = np.arange(query.size) if row is None else row
    are_self = are_self[row]
    if are_self.any():
        if keyword == "rank":
            values = _moved_up(query[row], values, are_self)
        left = np.full(query.size, None, dtype=object)
        left[row[~are_self]] = as_objects(values[~are_self].tolist())
        columns = columns | {keyword: columns[keyword]._replace(values=left)}
    return columns, int(np.count_nonzero(are_self))


def note_of_dropped(n_dropped: int) -> str:
    """Return the line that says how many predictions were dropped."""
    if n_dropped == 1:
        return "1 prediction has the id of its query, and was dropped"
    return f"{n_dropped} predictions have the id of their query, and were dropped"


def _are_self(side: JoinSide) -> tuple[Positions, NDArray[np.bool_]]:
    """Return the query of each row, and whether it is the item, too."""
    query, item = side.columns["query"], side.columns["item"]
    query_ids, item_ids = side.query, side.items()
    kinds = query_ids.kind, item_ids.kind
    if all(kinds) and kinds[0] != kinds[1]:
        both_kinds = f"the ids of queries are {kinds[0]} and those of items are {kinds[1]}"
        expected = f"False, since {both_kinds}, which are never equal"
        raise invalid(_PARAMETER, query.function, expected, "True")
    query_ids, item_ids = alike(query, item, query_ids, item_ids)
    _, query_place, item_place = join_ids(query_ids, item_ids)
    query_of_row = query_ids.code_at(query_place)
    return query_of_row, query_of_row == item_ids.code_at(item_place)


def _without_entries(
    given: JoinInput, predicted: ListsByQuery, are_self: NDArray[np.bool_]
) -> JoinInput:
    """Return lists of predictions without some of their entries."""
    stop = np.cumsum([0 if row is None else len(row) for row in predicted.rows])
    numbers = np.searchsorted(stop, np.flatnonzero(are_self), side="right")
    several = [predicted] if given.scores is None else [predicted, given.scores]
    left = []
    for lists in several:
        rows = list(lists.rows)
        for number in dict.fromkeys(numbers.tolist()):
            are_kept = ~are_self[stop[number] - len(rows[number]) : stop[number]]
            rows[number] = _some_of(rows[number], are_kept.tolist())
        left.append(lists._replace(rows=rows))
    return given._replace(predicted=left[0], scores=left[1] if left[1:] else None)


def _some_of(row: Any, are_kept: list[bool]) -> Any:
    """Return some entries of a list or of a dict."""
    if isinstance(row, dict):
        return dict(compress(row.items(), are_kept))
    return list(compress(row.tolist() if hasattr(row, "tolist") else row, are_kept))


def _moved_up(
    query: Positions, ranks: NDArray[Any], are_dropped: NDArray[np.bool_]
) -> NDArray[Any]:
    """Return ranks, in which each item below dropped ones is higher by their number.

    Items with equal ranks may take up the positions of the next ranks. So the number is taken from
    the position, not from the rank: of the ranks 1, 1, 2, the last item is at 3, and at 2 if one
    of the first two is dropped. Free ranks stay.
    """
    rank = np.minimum(ranks.astype(np.float64), _HIGHEST_RANK).astype(np.int64)
    order = np.lexsort((rank, query))
    query, rank, is_dropped = query[order], rank[order], are_dropped[order]
    place = np.arange(order.size)
    is_first = np.ones(order.size, dtype=bool)
    is_first[1:] = query[1:] != query[:-1]
    start_of_query = np.maximum.accumulate(np.where(is_first, place, 0))
    is_first[1:] |= rank[1:] != rank[:-1]
    start_of_rank = np.maximum.accumulate(np.where(is_first, place, 0))
    n_above = start_of_rank - start_of_query
    # The most free ranks so far. Later queries are lifted above all earlier ones.
    n_free = rank - n_above - 1
    lift = query * (n_free.max(initial=0) - n_free.min(initial=0) + 1)
    n_free = np.maximum.accumulate(n_free + lift) - lift
    n_dropped = np.append(0, np.cumsum(is_dropped))
    n_dropped_above = n_dropped[start_of_rank] - n_dropped[start_of_query]
    moved = np.empty(order.size, dtype=np.int64)
    moved[order] = n_free + n_above + 1 - n_dropped_above
    has_moved = np.empty(order.size, dtype=bool)
    has_moved[order] = n_dropped_above > 0
    return np.where(has_moved, moved, ranks)


_HIGHEST_RANK = 2**40
"""A rank that is too high in any table, since so many ranks may not be free."""
