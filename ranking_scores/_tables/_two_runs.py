"""Two runs of the same queries, each as lists of ids, a table or `RankingData`, by ids.

Each becomes the predicted side of a join, by the readers of `from_lists` and `from_tables`. The
items of two dicts of lists are matched within each query instead: the lists of both rankings of a
query are put side by side, and a sort of each query brings equal ids together. No id is compared
with those of other queries. What is neither text nor whole numbers, or is there twice, is left to
the join of all items.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._packed_text import PackedText
from ranking_scores._base._sorting import blocks_of_rows, stable_order, start_runs
from ranking_scores._base._validation import as_csr, as_ndarray
from ranking_scores._queries._data import count_items, is_list_column
from ranking_scores._tables._answers import WrongAnswerError, answers_in, form_of_answers
from ranking_scores._tables._columns import (
    NO_IDS,
    Column,
    NotedTable,
    Positions,
    are_rows,
    as_table_of_records,
    is_table,
    notes_of,
    read_columns,
    read_ids,
)
from ranking_scores._tables._join import (
    JoinedQueries,
    JoinSide,
    TableCells,
    as_scores,
    choose_queries,
    each_once,
    join_queries,
    join_sides,
    limits_of_gaps,
    notes_of_order,
    side_of,
)
from ranking_scores._tables._known_names import (
    UnclearError,
    checked_scores,
    find_columns,
    rank_beside,
    seek,
    types_in,
)
from ranking_scores._tables._lists_of_ids import (
    JoinInput,
    ListsByQuery,
    check_like,
    errors_of_answers,
    lists_of,
    sides_of,
)
from ranking_scores._tables._ranking_data import QueriesSeen, RankingData, see_queries
from ranking_scores._tables._sources import ItemIds, NotPlainError, as_numbers, ids_in_rows
from ranking_scores.exceptions import InvalidParameterError

NO_JUDGMENTS = JoinSide({"item": Column(NO_IDS.values, "item", "", "")}, NO_IDS, NO_IDS)
"""The judgments of predictions that are read without any."""


class RunById(NamedTuple):
    """A ranking of items for each query, by id."""

    side: JoinSide
    """The queries, the items and their scores or ranks."""
    notes: tuple[str, ...] = ()
    """What was taken for what, when it was read."""


class JoinedRuns(NamedTuple):
    """The items of two runs, for the queries that both of them have."""

    first: TableCells
    second: TableCells
    """The items with their scores, sorted by query and by item."""
    query_ids: NDArray[Any]
    item_ids: NDArray[Any] | PackedText
    n_fillers: int
    """The number of items behind those with an id that only fill ranks."""
    seen: QueriesSeen
    """The queries of the first run as those that are judged, and of the second as predicted."""


def is_by_id(values: Any, names: Mapping[str, Any]) -> bool:
    """Return whether rankings come with the ids of queries and items, and not as arrays.

    `names` are those of the columns that a caller gave; None: such a name is sought.
    """
    return isinstance(values, (RankingData, Mapping)) or is_table_of_run(values, names)


def is_table_of_run(values: Any, names: Mapping[str, Any]) -> bool:
    """Return whether rankings are a table. A frame of numbers may also be an array of scores.

    A dict of lists by query is no table, unless its keys are the names of columns.
    """
    if isinstance(values, NotedTable) or are_rows(values):
        return True
    is_dict = isinstance(values, Mapping)
    if not is_dict and not is_table(values):
        return False
    if not is_dict and any(name is not None for name in names.values()):
        return True
    there = list(values) if is_dict else [name for name, _ in types_in(values)]
    try:
        found = find_columns(there, names, _sought(names)).names
    except UnclearError:
        return True
    has_all = all(found[role] in there for role in ("query", "item"))
    if has_all and any(found[role] in there for role in ("score", "rank")):
        return True
    return not is_dict and as_ndarray(values, "a", "").dtype.kind not in "biuf"


def _sought(names: Mapping[str, Any]) -> list[str]:
    """Return the roles whose columns the caller did not name, and the rank does not replace."""
    sought = [role for role in ("query", "item") if names[role] is None]
    return sought + ["score"] * (names["score"] is None and names["rank"] is None)


def read_run_of(values: Any, names: Mapping[str, Any], parameter: str, function: str) -> RunById:
    """Return rankings that come with ids."""
    if isinstance(values, RankingData):
        return _run_of_data(values, parameter, function)
    if is_table_of_run(values, names):
        return _run_of_table(values, dict(names), parameter, function)
    return _run_of_lists(values, parameter, function)


def _run_of_lists(values: Any, parameter: str, function: str) -> RunById:
    """Return the lists or dicts of items of a dict by query."""
    with errors_of_answers(parameter, function):
        answers = answers_in(values)
    if answers is not None:
        expected = "a dict by the ids of queries"
        advice = "Pass a dict from the id of each query to its answer."
        raise invalid(parameter, function, expected, "one answer to all queries", advice)
    given = JoinInput(NO_JUDGMENTS, lists_of(values, "retrieved", parameter, function))
    given = given.with_answers_unpacked().with_forms_noted()
    return run_of_given(given, given.notes)


def read_lists(rankings: Mapping[str, Any], function: str) -> list[RunById]:
    """Return sequences of lists of ids, or arrays of them, by the names of their parameters."""
    lists = {}
    for name, values in rankings.items():
        is_array = hasattr(values, "__array__") and not is_list_column(values)
        array = as_ndarray(values, name, function) if is_array else values
        lists[name] = lists_of(array, "ids", name, function)
    first, second = lists.values()
    check_like(first, second, rankings)
    given = (JoinInput(NO_JUDGMENTS, each).with_forms_noted() for each in (first, second))
    return [run_of_given(each, each.notes) for each in given]


def run_of_given(given: JoinInput, notes: tuple[str, ...]) -> RunById:
    """Return predictions that were read without judgments: `given` has `NO_JUDGMENTS`."""
    with sides_of(given, None) as (_, side):
        side = side.with_numbers()
    return RunById(side, (*notes, *_notes_of_order(side)))


def _notes_of_order(side: JoinSide) -> list[str]:
    """Return what is unusual in the order of scores or ranks of a table."""
    keyword, column = list(side.columns.items())[-1]
    if column.holder:  # lists say so themselves
        return []
    query, are_ranks = side.query.code, keyword == "rank"
    return notes_of_order(query, np.unique(query).size, side.values(), column, are_ranks=are_ranks)


def _run_of_table(values: Any, names: dict[str, Any], parameter: str, function: str) -> RunById:
    """Return the rows of a table."""
    table = as_table_of_records(values, parameter, function)
    found = seek(table, names, _sought(names), parameter, function)
    notes = [note for note in (*notes_of(table), found.note) if note]
    names = {role: found.names[role] for role in ("query", "item", "score", "rank")}
    columns = read_columns(table, rank_beside(table, names) | names, parameter, function)
    side = side_of(columns)
    columns, rank_notes = checked_scores(columns, side.query)
    side = side._replace(columns=columns)
    side = side._replace(item=side.items()).with_numbers()
    return RunById(side, (*notes, *rank_notes, *_notes_of_order(side)))


def _run_of_data(data: RankingData, parameter: str, function: str) -> RunById:
    """Return the predictions of `RankingData`.

    Items that only fill ranks are left out. Those of their queries that follow have ranks then,
    which say what is left out between them.
    """
    y_score, order = as_csr(data.places.y_score), data.places.in_columns().order
    is_listed = np.diff(y_score.indptr) > 0 if order.is_listed is None else order.is_listed
    query = Column(np.asarray(data.query_ids), None, parameter, function, "data that has")
    item = query._replace(values=order.item_ids[: count_items(order.item_ids)])
    row = np.repeat(np.arange(is_listed.size), np.diff(y_score.indptr))
    keyword, values, column = "score", y_score.data, y_score.indices
    if count_items(order.item_ids) < order.item_ids.size:
        keyword, values = "rank", np.empty(row.size, np.int64)
        falling = np.lexsort((-y_score.data, row))
        is_new = start_runs(row) | start_runs(y_score.data[falling])
        first = np.maximum.accumulate(np.where(is_new, np.arange(row.size), 0))
        values[falling] = first - y_score.indptr[row] + 1
        has_id = column < count_items(order.item_ids)
        row, values, column = row[has_id], values[has_id], column[has_id]
    query_ids, item_ids = read_ids(query.at(np.flatnonzero(is_listed))), read_ids(item)
    query_ids = query_ids._replace(code=query_ids.code[(np.cumsum(is_listed) - 1)[row]])
    item_ids = item_ids._replace(code=item_ids.code[column])
    columns = {"query": query, "item": item, keyword: query._replace(values=values)}
    return RunById(JoinSide(columns, query_ids, item_ids, values), data.notes)


def join_runs(first: RunById, second: RunById, duplicates: str) -> JoinedRuns:
    """Return the items of the queries that both runs have."""
    joined = join_sides([first.side, second.side], duplicates)
    seen = see_queries(joined, keep_ids=True)
    joined, _ = choose_queries(joined, "both")
    n_fillers, cells = 0, []
    for run in (joined.judged, joined.predicted):
        n_items = joined.items.size + n_fillers
        if "rank" in run.columns:
            limits = limits_of_gaps(run.query.size)
            run, n_new = as_scores(run, joined.queries, n_items, limits)
            n_fillers += n_new
        _, run, n_fillers = each_once(joined._replace(predicted=run), n_fillers, duplicates)
        cells.append(run)
    return JoinedRuns(cells[0], cells[1], joined.queries, joined.items, n_fillers, seen)


# --- two dicts of lists -------------------------------------------------------------------------


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

    None: one of them is no dict of lists of ids, or of dicts of ids and scores; or their ids or
    scores are not plain; or an item is there twice; or an error is to be raised.
    """
    try:
        lists = [_lists_in(values, names, name, function) for name, values in rankings.items()]
        joined = join_queries([own.queries_alone() for own in lists])
        a = _in_order(lists[0], joined.judged_query, joined.is_judged)
        b = _in_order(lists[1], joined.predicted_query, joined.is_predicted)
        return _matched(joined, a, b)
    except (InvalidParameterError, NotPlainError, WrongAnswerError):
        return None


def _lists_in(
    values: Any, names: Mapping[str, Any], parameter: str, function: str
) -> ListsByQuery:
    """Return what a dict has for each query: lists or dicts of Python, and no answers."""
    if not isinstance(values, Mapping) or is_table_of_run(values, names):
        raise NotPlainError
    lists = lists_of(values, "retrieved", parameter, function)
    types = set(map(type, lists.rows)) - {NoneType}
    are_answers = answers_in(values) is not None or form_of_answers(lists.rows) is not None
    if are_answers or not (types <= {list, tuple} or types == {dict}):
        raise NotPlainError
    return lists


def _in_order(
    lists: ListsByQuery, query: Positions, is_there: NDArray[np.bool_]
) -> ListsOfQueries:
    """Return the lists in the order of the queries."""
    if np.count_nonzero(is_there) < len(lists.rows):  # two keys are one id
        raise NotPlainError
    rows: list[Any] = [()] * is_there.size
    for number, row in zip(query.tolist(), lists.rows, strict=True):
        rows[number] = row or ()
    length = np.fromiter(map(len, rows), np.intp, len(rows))
    dicts = [row for row in rows if isinstance(row, dict)]
    scores = as_numbers(chain.from_iterable(map(dict.values, dicts))) if dicts else None
    return ListsOfQueries(rows, length, scores)


def _matched(joined: JoinedQueries, a: ListsOfQueries, b: ListsOfQueries) -> MatchedLists:
    """Return the items of both rankings."""
    length = np.column_stack([a.length, b.length]).ravel()
    both = chain.from_iterable(zip(a.rows, b.rows, strict=True))
    ids = ids_in_rows(both, length.sum())
    row = np.repeat(np.arange(joined.queries.size), a.length + b.length)
    is_b = np.repeat(np.arange(length.size) % 2 == 1, length)
    if isinstance(ids, PackedText):
        order, is_first = ids.sorted_in_rows(row)
    else:
        order = np.empty(row.size, np.intp)
        for block in blocks_of_rows(row):
            within = np.argsort(ids[block])
            order[block] = block.start + within[stable_order(row[block][within])]
        is_first = start_runs(row) | start_runs(ids[order])
    is_b_in_order = is_b[order]
    # An item may be there once in each ranking.
    is_repeat = ~is_first[1:] & (~is_first[:-1] | (is_b_in_order[1:] == is_b_in_order[:-1]))
    if is_repeat.any():
        raise NotPlainError
    cell = np.empty(order.size, np.intp)
    cell[order] = np.cumsum(is_first) - 1
    first = order[is_first]
    return MatchedLists(joined, ids[first], row[first], (a, b), (cell[~is_b], cell[is_b]))
