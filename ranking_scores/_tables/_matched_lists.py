"""The items of two rankings that are dicts of lists, matched within each query.

The lists of both rankings of a query stand side by side, and a sort of each query brings equal ids
together. No id is compared with those of other queries. What is neither text nor whole numbers, or
is there twice, is left to the join of all items.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import PackedText, blocks_of_rows, stable_order, start_runs
from ranking_scores._tables._answers import WrongAnswerError, answers_in, form_of_answers
from ranking_scores._tables._cells import JoinedQueries
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._first_items import ItemIds, ids_of_objects
from ranking_scores._tables._first_of_lists import as_numbers
from ranking_scores._tables._join import join_queries
from ranking_scores._tables._lists_of_ids import Lists, lists_of
from ranking_scores._tables._one_run import is_table_of_run
from ranking_scores.exceptions import InvalidParameterError


class ListsOfQueries(NamedTuple):
    """The lists or the dicts of one ranking, query after query."""

    rows: list[Any]
    length: Positions
    """The number of items of each query."""
    scores: NDArray[Any] | None
    """The score of each item; None: the places in the lists count."""


class MatchedLists(NamedTuple):
    """The items of two rankings, each of which has a cell in its query.

    The cells of a query are sorted by the ids of their items.
    """

    joined: JoinedQueries
    """The queries of both: those of the first as judged, and those of the second as predicted."""
    ids: ItemIds
    """The item of each cell."""
    query: Positions
    """The query of each cell."""
    sides: tuple[ListsOfQueries, ListsOfQueries]
    cells: tuple[Positions, Positions]
    """The cell of each item of either ranking."""


def match_lists(
    rankings: Mapping[str, Any], names: Mapping[str, Any], function: str
) -> MatchedLists | None:
    """Return two rankings, by the names of their parameters, joined within each query.

    None: one of them is no dict of lists of ids, or of dicts of ids and scores; or their ids are
    not all text, or all whole numbers; or an item is there twice; or an error is to be raised.
    """
    try:
        lists = [_lists_in(each, names, name, function) for name, each in rankings.items()]
        if lists[0] is None or lists[1] is None:
            return None
        joined = join_queries([each.queries_alone() for each in lists if each is not None])
    except (InvalidParameterError, WrongAnswerError):
        return None
    are_there = joined.is_judged, joined.is_predicted
    a = _in_order(lists[0], joined.of_judged, are_there[0])
    b = _in_order(lists[1], joined.of_predicted, are_there[1])
    return None if a is None or b is None else _matched(joined, a, b)


def _lists_in(
    values: Any, names: Mapping[str, Any], parameter: str, function: str
) -> Lists | None:
    """Return what a dict has for each query; None: not lists or dicts of Python, or answers."""
    if not isinstance(values, Mapping) or is_table_of_run(values, names):
        return None
    lists = lists_of(values, "retrieved", parameter, function)
    types = set(map(type, lists.rows)) - {NoneType}
    if not (types <= {list, tuple} or types == {dict}):
        return None
    if answers_in(values) is not None or form_of_answers(lists.rows) is not None:
        return None
    return lists


def _in_order(
    lists: Lists, query: Positions, is_there: NDArray[np.bool_]
) -> ListsOfQueries | None:
    """Return the lists in the order of the queries; None: scores that need checks."""
    if np.count_nonzero(is_there) < len(lists.rows):  # two keys are one id
        return None
    rows: list[Any] = [()] * is_there.size
    for number, row in zip(query.tolist(), lists.rows, strict=True):
        rows[number] = row or ()
    length = np.fromiter(map(len, rows), np.intp, len(rows))
    dicts = [row for row in rows if isinstance(row, dict)]
    if not dicts:
        return ListsOfQueries(rows, length, None)
    scores = as_numbers(chain.from_iterable(map(dict.values, dicts)))
    return None if scores is None else ListsOfQueries(rows, length, scores)


def _matched(joined: JoinedQueries, a: ListsOfQueries, b: ListsOfQueries) -> MatchedLists | None:
    """Return the items of both rankings; None: as above."""
    length = np.column_stack([a.length, b.length]).ravel()
    both = chain.from_iterable(zip(a.rows, b.rows, strict=True))
    ids = ids_of_objects(chain.from_iterable(both), length.sum())
    if ids is None:
        return None
    row = np.repeat(np.arange(joined.queries.size), a.length + b.length)
    is_b = np.repeat(np.arange(length.size) % 2 == 1, length)
    order, is_first = _sorted_in_rows(ids, row)
    of_b = is_b[order]
    # An item may be there once in each ranking.
    is_repeat = ~is_first[1:] & (~is_first[:-1] | (of_b[1:] == of_b[:-1]))
    if is_repeat.any():
        return None
    cell = np.empty(order.size, np.intp)
    cell[order] = np.cumsum(is_first) - 1
    first = order[is_first]
    return MatchedLists(joined, ids[first], row[first], (a, b), (cell[~is_b], cell[is_b]))


def _sorted_in_rows(
    ids: ItemIds, row: Positions
) -> tuple[NDArray[np.integer[Any]], NDArray[np.bool_]]:
    """Return the order that sorts the ids of each row, and which differ from that before."""
    if isinstance(ids, PackedText):
        return ids.sorted_in_rows(row)
    order = np.empty(row.size, np.intp)
    for block in blocks_of_rows(row):
        within = np.argsort(ids[block])
        order[block] = block.start + within[stable_order(row[block][within])]
    return order, start_runs(row) | start_runs(ids[order])
