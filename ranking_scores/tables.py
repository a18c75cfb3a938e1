"""Tables of judgments and predictions, converted to the retrieved layout.

Most people have two tables. One says which items are relevant to a query, the other says which
items were predicted for it. They are joined by the ids of queries and items into the retrieved
layout. An item that was judged and not predicted has no rank, but still counts as relevant.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import (
    UnusableError,
    are_in,
    blocks_of_rows,
    check_option,
    describe,
    invalid,
    order_in_rows,
    order_of_cells,
    show_id,
    stable_order,
)
from ranking_scores._metrics import warn_caller
from ranking_scores._tables import (
    DATES,
    DATES_IN_ZONE,
    Column,
    Ids,
    Numbers,
    Positions,
    RankingData,
    how_to_cast,
    in_one_unit,
    is_name,
    join_ids,
    place_of_query,
    place_of_row,
    read_columns,
    read_ids,
    read_numbers,
    sort_ids,
)
from ranking_scores.exceptions import InvalidParameterError

__all__ = ["RankingData", "from_table", "from_tables"]


def __dir__() -> list[str]:
    return __all__


Queries = Literal["judged", "both", "all", "equal"]

QUERIES = ("judged", "both", "all", "equal")
_FILLERS_PER_ROW, _FILLERS = 16, 2**23
"""The limits of the number of items that fill gaps between ranks: per row of the table, and for
all queries together if there are few rows."""


_CURES = {
    "judgments": {"label": "Drop such rows, or give them a label."},
    "predictions": {
        "score": "Drop the rows of items that were not predicted.",
        "rank": "Add 1 to ranks that begin with 0, and drop the rows of items that were not "
        "predicted. If the numbers are not ranks, they may be scores.",
    },
    "table": {
        "label": "Set it to null if the item was not judged.",
        "score": "Set it to null if the item was not predicted.",
        "rank": "Add 1 to ranks that begin with 0, and set those of items that were not "
        "predicted to null. If the numbers are not ranks, they may be scores.",
    },
}
"""The cures for numbers in a table that are not valid."""
_ONE_OF = {
    "label": ", such as the one with the highest label",
    "score": ", such as the one with the highest score",
    "rank": ", such as the one with the lowest rank",
}
"""Which of several rows of the same item to keep."""


class _Cells(NamedTuple):
    """The entries of a table for some items of some queries, sorted by query and by item."""

    query: Positions
    item: Positions
    values: NDArray[Any]
    columns: dict[str, Column]
    """The columns, for error messages."""

    def where(self, is_kept: Any) -> _Cells:
        """Return some of the cells."""
        query, item, values = (
            each.take(is_kept) if is_kept.dtype != bool else each[is_kept]
            for each in (self.query, self.item, self.values)
        )
        return self._replace(query=query, item=item, values=values)


class Joined(NamedTuple):
    """The judged and the predicted items, with the same codes of queries and items."""

    judged: _Cells
    predicted: _Cells
    queries: NDArray[Any]
    items: NDArray[Any]


class ColumnNames(NamedTuple):
    """The names of the columns of two tables, by keyword. None if there is no such column."""

    judged: dict[str, Any]
    predicted: dict[str, Any]


@dataclass(frozen=True)
class SomeQueries:
    """The number of queries of one kind, and the first of them, for an error message."""

    count: int
    first: tuple[Any, ...]

    def __add__(self, other: SomeQueries) -> SomeQueries:
        first = sort_ids(dict.fromkeys((*self.first, *other.first)))
        return SomeQueries(self.count + other.count, tuple(first[:_N_FIRST]))

    def __str__(self) -> str:
        shown = ", ".join(map(show_id, self.first[:3])) or "none"
        return f"{shown}, …" if self.count > 3 else shown


_N_FIRST = 3


_NO_QUERIES = SomeQueries(0, ())


@dataclass(frozen=True)
class QueriesSeen:
    """The queries that two tables have. The results for parts of the tables can be added."""

    n_queries: int
    n_both: int
    judged: SomeQueries
    predicted: SomeQueries
    only_judged: SomeQueries
    not_judged: SomeQueries

    def __add__(self, other: QueriesSeen) -> QueriesSeen:
        return QueriesSeen(*map(operator.add, vars(self).values(), vars(other).values()))

    def check(self, queries: str, judged: dict[str, Column], predicted: dict[str, Column]) -> None:
        """Raise unless the tables have queries of the kind that the caller asked for."""
        if not self.judged.count:
            if "label" in judged and judged["label"].table == "table" and self.n_queries:
                raise judged["label"].invalid("a label in at least one row", "null or NaN in each")
            table, function = judged["query"].table, judged["query"].function
            raise invalid(table, function, "a table with at least one row", "no rows")
        column = predicted["query"]
        if not self.n_both and (self.predicted.count or queries == "both"):
            got = f"{self.judged} judged and {self.predicted} predicted"
            raise column.invalid("a query that is both judged and predicted", got)
        if queries == "equal" and self.n_both < self.n_queries:
            other, what = self.only_judged, "judged and not predicted"
            if not other.count:
                other, what = self.not_judged, "not judged"
            raise column.invalid(
                "only queries that are both judged and predicted, and all of them",
                f"{other.count} of {self.n_queries} queries that are {what}, such as "
                f"{show_id(other.first[0])},",
                code="With queries='judged', such queries are no error.",
            )


NO_QUERIES = QueriesSeen(0, 0, _NO_QUERIES, _NO_QUERIES, _NO_QUERIES, _NO_QUERIES)


def from_tables(
    judgments: Any,
    predictions: Any,
    *,
    query: Any,
    item: Any,
    label: Any = None,
    score: Any = None,
    rank: Any = None,
    queries: Queries = "judged",
) -> RankingData:
    """Join a table of judgments and a table of predictions.

    The scores take the result, except grouped AUC and pairwise accuracy. An item that was
    predicted and not judged has the label 0. An item that was judged and not predicted has no
    rank, but it counts in the ideal ranking and in the number of relevant items.

    Parameters
    ----------
    judgments : table
        The relevance of items, with one row per judged item of a query. The table is one of:

        - a pandas DataFrame, or a polars DataFrame or LazyFrame;
        - a pyarrow table or record batch;
        - any other table that narwhals reads;
        - a dict of columns. All pandas columns of a dict must have the same index.

        Only the columns that are named here are read.

    predictions : table
        The predictions, with one row per predicted item of a query. The table may come from
        another library than `judgments`. A table without rows means that nothing was predicted.

    query : column name, or pair of them
        The column of query ids, such as users. A pair if the tables have different names for it:
        first that of `judgments`, then that of `predictions`. Ids may be text, numbers, dates or
        other objects that hash, also as categories. They must be of the same kind in both tables:
        "1" is not 1, and dates with a time zone are not dates without one. A name that is itself a
        tuple, as of a frame with several levels of columns, goes into a pair, too.

    item : column name, or pair of them
        The column of item ids, as for `query`. An item is in each table once for a query.

    label : column name, default=None
        The column of `judgments` that says how relevant an item is. None: each row of `judgments`
        is a relevant item, with the label 1.

    score : column name, default=None
        The column of `predictions` that ranks items, the highest first. Finite numbers.

    rank : column name, default=None
        The column of `predictions` that has the ranks of items, if there is no `score`. Whole
        numbers from 1 on; equal ones tie. Ranks that are left out stay free: see the notes.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        Which queries the result has. "judged": those with a row in `judgments`; if they have none
        in `predictions`, nothing was predicted for them. "both": those with a row in both tables.
        "all": those with a row in either; if they have none in `judgments`, nothing is relevant
        to them. "equal": both tables must have the same queries.

    Returns
    -------
    data : RankingData
        A named tuple of `y_true`, `y_score`, `query_ids` and `item_ids`. Queries and items are
        sorted by value. `y_true` and `y_score` are sparse, so their memory is proportional to the
        number of rows of the tables. The result does not depend on the order of the rows.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if a table lacks a column; if an id, a label, a
        score or a rank is missing; if a label, a score or a rank is not a finite number; if an
        item is in a table twice for a query; or if no query is in both tables, unless
        `predictions` has no rows. The message names the table, the column and the query. The error
        is of both types, as in scikit-learn.

    Warns
    -----
    UserWarning
        If no judged item is among the predicted items.

    See Also
    --------
    from_table : Takes one table in which judgments and predictions are already joined.
    ranking_scores.retrieved_from_ids : Takes lists of item ids that are columns of `y_true`.
    ranking_scores.trec.from_pytrec_eval : Takes dicts of dicts.

    Notes
    -----
    The type of the ids determines the dtype of `query_ids` and `item_ids`:

    - text: object
    - whole numbers: int64. If int64 does not hold the ids of both tables, uint64, and if uint64
      does not either, object. All ids count, including those of queries that are left out.
    - dates: datetime64, in UTC if they have a time zone. Dates of different units are joined in
      the finest unit that holds all of them.
    - durations: timedelta64

    Ids that Python cannot sort are sorted by type and `repr`.

    An item of rank r is at position r, unless the items above it take up r or more positions.
    In that case it comes directly after them. Items with the same rank tie for the positions from
    there on. So the ranks 1, 1, 2, 6 put two items at 1 and 2, one item at 3, and one at 6.

    The free positions, 4 and 5 in this example, are filled with items that are not judged. These
    have columns of their own at the end, for which `item_ids` is None. Queries share the columns,
    so there are as many as the query with the most gaps needs. The score of an item is minus its
    position. Items with the same rank have the position of the first of them.

    A query may have 16 free positions per row of `predictions`. All queries together may have the
    same number, or 2**23 if that is more. This bounds the memory of the result. A table with the
    rank of one held-out item per user may exceed the limit. In this case, drop the rows whose rank
    is beyond the last cutoff that you use, and keep ``queries="judged"``. At that cutoff, the item
    counts as not found either way. The error message names the last rank to keep. Only scores that
    count the retrieved items change, such as ``precision_at_k_score`` with
    ``denominator="retrieved"``.

    For tables of pandas, polars or pyarrow, the library itself turns columns of text into codes.
    Columns of categories already have codes, which is even faster.

    Examples
    --------
    >>> from ranking_scores import mean_average_precision_score
    >>> from ranking_scores.tables import from_tables
    >>> judgments = {
    ...     "user": ["ann", "ann", "ann", "bob"],
    ...     "film": ["Alien", "Brazil", "Casino", "Alien"],
    ...     "stars": [5, 3, 0, 4],
    ... }
    >>> predictions = {
    ...     "user": ["ann", "ann", "bob", "bob"],
    ...     "film": ["Alien", "Casino", "Brazil", "Alien"],
    ...     "score": [0.9, 0.2, 0.7, 0.7],
    ... }
    >>> data = from_tables(
    ...     judgments, predictions, query="user", item="film", label="stars", score="score"
    ... )
    >>> data.item_ids
    array(['Alien', 'Brazil', 'Casino'], dtype=object)
    >>> data.y_true.toarray()
    array([[5, 3, 0],
           [4, 0, 0]])

    ann likes two films, and one of them was predicted, at the first rank. For bob, two films tie,
    and he likes one of them:

    >>> y_true, y_score, query_ids, item_ids = data
    >>> scores = mean_average_precision_score(y_true, y_score, average=None)
    >>> dict(zip(query_ids, scores.tolist()))
    {'ann': 0.5, 'bob': 0.75}
    """
    function = "from_tables"
    check_option(queries, "queries", function, QUERIES)
    names = names_of_columns(function, query, item, label, score, rank)
    judged = read_columns(judgments, names.judged, "judgments", function)
    predicted = read_columns(predictions, names.predicted, "predictions", function)
    return _as_ranking_data(join_columns(judged, predicted), queries)


def from_table(
    table: Any,
    *,
    query: Any,
    label: Any,
    score: Any = None,
    rank: Any = None,
    item: Any = None,
    queries: Queries = "all",
) -> RankingData:
    """Convert one table that has both judgments and predictions, such as an outer join.

    The scores take the result, except grouped AUC and pairwise accuracy.

    - A row without a score is an item that was judged and not predicted. It has no rank, but it
      counts in the ideal ranking and in the number of relevant items. Dropping such rows would
      make the scores too high.
    - A row without a label is an item that was predicted and not judged. It has the label 0.

    Parameters
    ----------
    table : table
        The table, with one row per item of a query: a pandas DataFrame, a polars DataFrame or
        LazyFrame, a pyarrow table, any other table that narwhals reads, or a dict of columns.
        Only the columns that are named here are read.

    query : column name
        The column of query ids, such as users. Ids may be text, numbers, dates or other hashable
        objects, and the column may be categorical.

    label : column name
        The column with the relevance of items. Null or NaN means that the item was not judged.

    score : column name, default=None
        The column with the scores of items. The highest score ranks first. Null or NaN means that
        the item was not predicted.

    rank : column name, default=None
        The column with the ranks of items, if there is no `score`. Ranks are whole numbers from 1
        on. Equal ranks tie, and missing ranks stay free, as in `from_tables`. Null or NaN means
        that the item was not predicted.

    item : column name, default=None
        The column of item ids. A query may have each item only once. None means that each row is
        an item of its own, whose id is the number of the row, from 0.

    queries : {"judged", "both", "all", "equal"}, default="all"
        The queries of the result:

        - "judged": those with a label.
        - "both": those with a label and a score, in the same row or in different rows.
        - "all": all queries of the table.
        - "equal": all queries, and each of them must have both.

    Returns
    -------
    data : RankingData
        A named tuple of `y_true`, `y_score`, `query_ids` and `item_ids`. Queries and items are
        sorted by value. `y_true` and `y_score` are sparse, so their memory is proportional to the
        number of rows of the table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if a column is missing; if an id is missing; if a
        label, a score or a rank is infinite or not a number; if a query has an item twice; or if
        no query has both a label and a score, unless no query has a score. The message names the
        column and the query. The error is of both types, as in scikit-learn.

    Warns
    -----
    UserWarning
        If no judged item is among the predicted items.

    See Also
    --------
    from_tables : Joins two tables.

    Notes
    -----
    If every row has a label and a score, you do not need this function. Pass the columns to a
    score, with the query column as `qid`: the ragged layout gives the same result. In both
    layouts each query has only its own items.

    With `item`, the result does not depend on the order of the rows. Without it, the rows are the
    items, in their order, as in the ragged layout. ``ignore_ties=True`` then ranks the later of
    two equal rows first, and sums over equal rows may differ in the last bits.

    Examples
    --------
    >>> import pandas as pd
    >>> from ranking_scores import recall_at_k_score
    >>> from ranking_scores.tables import from_table
    >>> judgments = pd.DataFrame({"topic": [1, 1, 2], "page": ["a", "b", "c"], "grade": [1, 2, 1]})
    >>> run = pd.DataFrame({"topic": [1, 1, 2], "page": ["b", "z", "c"], "score": [8.1, 9.2, 4.0]})
    >>> joined = judgments.merge(run, how="outer")
    >>> joined
       topic page  grade  score
    0      1    a    1.0    NaN
    1      1    b    2.0    8.1
    2      1    z    NaN    9.2
    3      2    c    1.0    4.0
    >>> data = from_table(joined, query="topic", item="page", label="grade", score="score")
    >>> recall_at_k_score(data.y_true, data.y_score, k=2, average=None)
    array([0.5, 1. ])
    """
    function = "from_table"
    check_option(queries, "queries", function, QUERIES)
    for parameter, name in (("query", query), ("label", label)):
        if name is None:
            raise invalid(parameter, function, _A_NAME, "None")
    _check_names(function, query=query, item=item, label=label, score=score, rank=rank)
    _check_one_of(score, rank, function)
    names = {"query": query, "item": item, "label": label, "score": score, "rank": rank}
    columns = read_columns(table, names, "table", function)
    query_ids = read_ids(columns["query"])
    all_queries, of_query, _ = join_ids(query_ids, _NO_IDS)
    row = np.arange(of_query.size)
    if item is None:
        all_items, of_item = row, row
    else:
        all_items, of_item, _ = join_ids(read_ids(columns["item"], query_ids), _NO_IDS)
    cells = _Cells(of_query, of_item, row, columns)
    cells = _sorted_cells(cells, all_queries, all_items)
    judged = _part_of(cells, ("label",), query_ids)
    predicted = _part_of(cells, ("score", "rank"), query_ids)
    return _as_ranking_data(Joined(judged, predicted, all_queries, all_items), queries)


def names_of_columns(
    function: str, query: Any, item: Any, label: Any, score: Any, rank: Any
) -> ColumnNames:
    """Return the caller's names for the columns of judgments and of predictions."""
    _check_names(function, label=label, score=score, rank=rank)
    _check_one_of(score, rank, function)
    names = zip(_pair(query, "query", function), _pair(item, "item", function), strict=True)
    (judged_query, judged_item), (predicted_query, predicted_item) = names
    return ColumnNames(
        {"query": judged_query, "item": judged_item, "label": label},
        {"query": predicted_query, "item": predicted_item, "score": score, "rank": rank},
    )


def join_columns(judged: dict[str, Column], predicted: dict[str, Column]) -> Joined:
    """Return the entries of two tables, joined by the ids of queries and items."""
    tables = judged, predicted
    query_ids = [read_ids(columns["query"]) for columns in tables]
    item_ids = [
        read_ids(columns["item"], ids) for columns, ids in zip(tables, query_ids, strict=True)
    ]
    for keyword, ids in (("query", query_ids), ("item", item_ids)):
        ids[:] = alike(judged[keyword], predicted[keyword], *ids)
    all_queries, *of_query = join_ids(*query_ids)
    all_items, *of_item = join_ids(*item_ids)
    cells: list[_Cells] = []
    for place, columns in enumerate(tables):
        values, row = _read_values(columns, query_ids[place])
        if row is not None:
            raise _missing(columns, row, query_ids[place])
        unsorted = _Cells(of_query[place], of_item[place], values, columns)
        cells.append(_sorted_cells(unsorted, all_queries, all_items))
    return Joined(cells[0], cells[1], all_queries, all_items)


_NO_IDS = Ids(np.empty(0, np.intp), np.empty(0, object), "")


_A_NAME = "the name of a column"


def _check_names(function: str, **names: Any) -> None:
    """Raise unless columns are given by name, not as arrays."""
    for parameter, name in names.items():
        if not is_name(name):
            raise invalid(parameter, function, _A_NAME, describe(name))


def _check_one_of(score: Any, rank: Any, function: str) -> None:
    """Raise unless predictions come with scores or with ranks."""
    if (score is None) == (rank is None):
        expected = f"{_A_NAME}, or None if `rank` is passed"
        got = "None for both" if score is None else f"{describe(score)} and rank={describe(rank)}"
        raise invalid("score", function, expected, got, code="Pass either `score` or `rank`.")


def _pair(names: Any, parameter: str, function: str) -> tuple[Any, Any]:
    """Return the names of a column in the judgments and in the predictions."""
    pair = tuple(names) if isinstance(names, (tuple, list)) else (names, names)
    if len(pair) != 2 or not all(each is not None and is_name(each) for each in pair):
        expected = f"{_A_NAME}, or a pair of names, in judgments and in predictions"
        raise invalid(parameter, function, expected, describe(names))
    return pair


def alike(judged: Column, predicted: Column, of_judged: Ids, of_predicted: Ids) -> list[Ids]:
    """Return the ids of two tables, with dates in one unit. Raise if they can never be equal."""
    kind, other = of_judged.kind, of_predicted.kind
    if kind and other and kind != other:
        how = f"such as by `{how_to_cast(judged if other == 'text' else predicted, str)}`"
        if {kind, other} == {DATES, DATES_IN_ZONE}:
            how = "with a time zone in both tables or in neither"
        elif "bytes" in (kind, other):  # `str` of bytes is "b'...'"
            how = "such as by `bytes.decode` of each"
        raise predicted.invalid(
            f"{kind}, like column {judged.name!r} of {judged.table}",
            other,
            "Ids of different kinds are never equal.",
            code=f"Convert them to one kind, {how}.",
        )
    both = [of_judged, of_predicted]
    if kind == other and kind in (DATES, DATES_IN_ZONE, "durations"):
        try:
            values = in_one_unit([ids.values for ids in both])
        except UnusableError as error:
            expected = f"{kind} that fit into one unit with those of {judged.table}"
            dtype = f"{'timedelta' if kind == 'durations' else 'datetime'}64[us]"
            code = f"Round them first, such as by `.astype({dtype!r})`."
            raise predicted.invalid(expected, str(error), code=code) from error
        both = [ids._replace(values=each) for ids, each in zip(both, values, strict=True)]
    return both


def _read_values(columns: dict[str, Column], query: Ids) -> Numbers:
    """Return the labels, scores or ranks of a table. Labels are 1 if there is no such column."""
    keyword, column = list(columns.items())[-1]
    if keyword == "item":
        return Numbers(np.ones(query.code.size, dtype=np.int8), None)
    numbers = read_numbers(column)
    values = numbers.values
    expected = f"a finite {keyword} in each row"
    is_right = np.isfinite(values)
    if keyword == "rank":
        expected = "whole numbers from 1 on"
        is_right &= (values >= 1) & (values == np.floor(values))
        if values.dtype.kind == "b":
            raise column.invalid(expected, f"dtype {values.dtype}")
    if not is_right.all():
        first = int(np.argmin(is_right))
        row = first if numbers.row is None else int(numbers.row[first])
        got, place = str(values[first]), place_of_row(row, query)
        raise column.invalid(expected, got, _CURES[column.table][keyword], place=place)
    return numbers


def _part_of(cells: _Cells, keywords: tuple[str, ...], query: Ids) -> _Cells:
    """Return the cells with a value in the column of a keyword. The input's values are rows."""
    columns = {name: cells.columns[name] for name in ("query", *keywords) if name in cells.columns}
    values, row = _read_values(columns, query)
    if row is None:
        return cells._replace(values=values[cells.values], columns=columns)
    place = np.full(cells.values.size, -1)
    place[row] = np.arange(row.size)
    place = place[cells.values]
    part = cells.where(place >= 0)
    return part._replace(values=values[place[place >= 0]], columns=columns)


def _missing(columns: dict[str, Column], row: Positions, query: Ids) -> Exception:
    """Return the error about the first row without a label, a score or a rank."""
    keyword, column = list(columns.items())[-1]
    first = int(np.argmin(np.append(row, -1) == np.arange(row.size + 1)))
    state = "judged" if keyword == "label" else "predicted"
    return column.invalid(
        f"a {keyword} in each row",
        "null or NaN",
        f"Drop the rows of items that were not {state}.",
        code="If the two tables are already joined, use `from_table`.",
        place=place_of_row(first, query),
    )


def _sorted_cells(cells: _Cells, queries: NDArray[Any], items: NDArray[Any]) -> _Cells:
    """Return cells sorted by query and by item. Raise if one is there twice."""
    if (cells.query[1:] < cells.query[:-1]).any():
        cells = cells.where(stable_order(cells.query))
    dtype = np.int32 if items.size < 2**31 else np.int64
    in_order = cells._replace(
        item=np.empty(cells.item.size, dtype), values=np.empty_like(cells.values)
    )
    for block in blocks_of_rows(cells.query):
        query, item, values = cells.query[block], cells.item[block], cells.values[block]
        order = order_in_rows(query, item, items.size)
        if order is not None:
            item, values = item.take(order), values.take(order)
        is_repeat = item[1:] == item[:-1]
        is_repeat &= query[1:] == query[:-1]
        if is_repeat.any():
            of_block = cells._replace(query=query, item=item, values=values)
            raise _repeated(of_block, int(np.argmax(is_repeat)), queries, items)
        in_order.item[block], in_order.values[block] = item, values
    return in_order


def _repeated(
    cells: _Cells, first: int, queries: NDArray[Any], items: NDArray[Any]
) -> InvalidParameterError:
    """Return the error about a cell that is there more than once."""
    keyword, column = list(cells.columns.items())[-1]
    advice = f"Keep one row of each{_ONE_OF.get(keyword, '')}."
    if column.table == "table":
        rows = cells.values[first : first + 2]
        has_label, has_value = (
            np.isin(rows, rows if of_number is None else of_number)
            for of_number in (read_numbers(cells.columns[each]).row for each in ("label", keyword))
        )
        advice = "Keep one row of each."
        if has_label.any() and has_value.any() and not (has_label & has_value).any():
            advice = f"One row has the label and another the {keyword}. Merge the two tables "
            advice += "instead of concatenating them."
    got = f"item {show_id(items[cells.item[first]])} more than once"
    place = place_of_query(queries[cells.query[first]])
    return cells.columns["item"].invalid("each item only once per query", got, advice, place=place)


def _as_ranking_data(joined: Joined, queries: str) -> RankingData:
    """Return the arrays of the requested queries and their items."""
    seen = see_queries(joined)
    seen.check(queries, joined.judged.columns, joined.predicted.columns)
    joined, has_found = choose_queries(joined, queries)
    if joined.predicted.query.size and not has_found:
        warn_of_none_found(joined.judged.columns["query"].table)
    return to_arrays(joined, _most_free(joined.predicted.query.size))


def warn_of_none_found(table: str) -> None:
    """Warn that the judged and the predicted items have no item in common."""
    warn_caller(_NONE_FOUND[table], UserWarning)


_NONE_FOUND = {
    "judgments": "No judged item is among the predictions. Check that both tables use the same "
    "item ids.",
    "table": "No judged item is among the predictions: no row has both a label and a score. If "
    "two tables were concatenated, merge them by the ids of queries and items.",
}
"""The warnings if the judged and the predicted items have no item in common."""


def see_queries(joined: Joined) -> QueriesSeen:
    """Return the queries that two tables have."""
    ids = joined.queries
    is_judged, is_predicted = _are_there(joined)
    judged, predicted, only_judged, not_judged = (
        SomeQueries(int(np.count_nonzero(are)), tuple(ids[np.flatnonzero(are)[:_N_FIRST]]))
        for are in (is_judged, is_predicted, is_judged & ~is_predicted, ~is_judged)
    )
    n_both = judged.count - only_judged.count
    return QueriesSeen(ids.size, n_both, judged, predicted, only_judged, not_judged)


def _are_there(joined: Joined) -> list[NDArray[np.bool_]]:
    """Return which queries are judged, and which are predicted."""
    return [
        np.diff(_starts(cells, joined.queries.size)) > 0
        for cells in (joined.judged, joined.predicted)
    ]


def choose_queries(joined: Joined, queries: str) -> tuple[Joined, bool]:
    """Return the queries that are scored, with their items.

    Also return whether one of their items was judged and, for some query, predicted.
    """
    judged, predicted, query_ids, item_ids = joined
    is_judged, is_predicted = _are_there(joined)
    chosen = {"judged": is_judged, "both": is_judged & is_predicted}
    is_kept = chosen.get(queries, np.ones(query_ids.size, dtype=bool))
    if not is_kept.all():
        number = np.cumsum(is_kept) - 1
        judged, predicted = (
            kept._replace(query=number[kept.query])
            for kept in (cells.where(is_kept[cells.query]) for cells in (judged, predicted))
        )
        query_ids = query_ids[is_kept]
    is_judged, is_predicted = (are_in(cells.item, item_ids.size) for cells in (judged, predicted))
    is_used = is_judged | is_predicted
    if not is_used.all():
        number = np.cumsum(is_used) - 1
        judged, predicted = (
            cells._replace(item=number[cells.item]) for cells in (judged, predicted)
        )
        item_ids = item_ids[is_used]
    has_found = bool((is_judged & is_predicted).any())
    return Joined(judged, predicted, query_ids, item_ids), has_found


def to_arrays(joined: Joined, most_free: tuple[int, int]) -> RankingData:
    """Return the arrays of queries. `most_free` limits the free ranks, as in `_most_free`."""
    judged, predicted, query_ids, item_ids = joined
    if "rank" in predicted.columns:
        predicted, n_fillers = _as_scores(predicted, query_ids, item_ids.size, most_free)
        item_ids = _with_fillers(item_ids, n_fillers)
    shape = (query_ids.size, item_ids.size)
    return RankingData(_as_csr(judged, shape), _as_csr(predicted, shape), query_ids, item_ids)


def _as_scores(
    cells: _Cells, query_ids: NDArray[Any], n_items: int, may_be_free: tuple[int, int]
) -> tuple[_Cells, int]:
    """Return ranks as scores, with items that fill the gaps. A lower rank has a higher score.

    An item is at its rank, or directly after the items above it if these take up more ranks. So
    the items of ranks 1, 1, 2, 7 are at 1 and 2, at 3, and at 7. Fillers are at 4, 5 and 6.
    """
    query, (most_free, most_in_all) = cells.query, may_be_free
    too_high = most_free + query.size + 1  # in any query
    rank = np.minimum(cells.values, too_high).astype(np.int64)
    order = order_of_cells(query, rank, too_high + 1)
    order = np.arange(query.size) if order is None else order
    is_first = np.ones(order.size, dtype=bool)
    of_query, of_rank = query[order], rank[order]
    is_first[1:] = (of_query[1:] != of_query[:-1]) | (of_rank[1:] != of_rank[:-1])
    start = np.flatnonzero(is_first)  # the first of the items of a query with the same rank
    of_query, of_rank = of_query[start], of_rank[start]
    n_above = start - np.searchsorted(query, of_query)
    # The number of free ranks above an item, not counting the other items above it.
    n_free = of_rank - n_above - 1
    # The highest so far in each query. Later queries are lifted above all earlier ones.
    lift = of_query * (n_free.max(initial=0) - n_free.min(initial=0) + 1)
    n_free = np.maximum.accumulate(n_free + lift) - lift
    position = np.empty(query.size, dtype=np.int64)
    position[order] = np.repeat(n_free + n_above + 1, np.diff(start, append=order.size))
    is_new = np.diff(of_query, prepend=-1) != 0
    before = np.where(is_new, 0, np.concatenate([[0], n_free[:-1]]))
    gap = n_free - before
    if gap.sum() > most_in_all or n_free.max(initial=0) > most_free:
        groups = _Ranks(of_rank, np.diff(start, append=order.size), gap, n_free)
        raise _too_many_gaps(cells, query_ids, groups.last_filled())
    filler = np.repeat(before - np.cumsum(gap) + gap, gap) + np.arange(gap.sum())
    place = filler + np.repeat(n_above + 1, gap)
    all_cells = cells._replace(
        query=np.concatenate([query, np.repeat(of_query, gap)]),
        item=np.concatenate([cells.item, n_items + filler]),
        values=-np.concatenate([position, place]),
    )
    n_fillers = int(n_free.max(initial=0))
    by_cell = order_of_cells(all_cells.query, all_cells.item, n_items + n_fillers)
    return (all_cells if by_cell is None else all_cells.where(by_cell)), n_fillers


def _most_free(n_rows: Any) -> tuple[Any, Any]:
    """Return how many ranks may be free in one query, and in all, given the number of rows."""
    return _FILLERS_PER_ROW * n_rows, np.maximum(_FILLERS_PER_ROW * n_rows, _FILLERS)


def most_free_in_part(n_rows: int) -> tuple[int, int]:
    """Return the same for a part of the predictions, in which one query may use the whole limit.

    The total number of rows is not known yet.
    """
    _, most_in_all = _most_free(n_rows)
    return most_in_all, most_in_all


def check_gaps(rank: Column, n_rows: int, most_free: int, n_free: int) -> None:
    """Raise if too many ranks are free, in one query or in all, although no part exceeded."""
    may_be_free, may_be_free_in_all = _most_free(n_rows)
    if most_free > may_be_free or n_free > may_be_free_in_all:
        got = f"{most_free} in a query and {n_free} in all"
        advice = "Drop the rows whose rank is beyond the last cutoff that you use."
        code = "With queries='judged', no score at such a cutoff changes."
        raise rank.invalid(_ranks_allowed(n_rows), got, advice, code=code)


def _ranks_allowed(n_rows: int) -> str:
    """Return the requirement on ranks, for an error message."""
    most_free, most_in_all = _most_free(n_rows)
    most = f"ranks that leave at most {most_free} positions free in a query, "
    most += f"{_FILLERS_PER_ROW} per row"
    return f"{most}, and {most_in_all} in all"


class _Ranks(NamedTuple):
    """The ranks of all queries, without repetitions within a query."""

    rank: Positions
    n_rows: Positions
    """The number of items of the query with this rank."""
    gap: Positions
    """The number of free ranks between this rank and the items above it."""
    n_free: Positions
    """The number of free ranks above this rank."""

    def last_filled(self) -> int:
        """Return the last rank up to which all gaps could be filled.

        Gaps up to rank 17 always can, since no more than 16 ranks are free above an item.
        """
        order = np.argsort(self.rank, kind="stable")
        rank = self.rank[order]
        most_free, most_in_all = _most_free(np.cumsum(self.n_rows[order]))
        can_be_filled = np.cumsum(self.gap[order]) <= most_in_all
        can_be_filled &= np.maximum.accumulate(self.n_free[order]) <= most_free
        can_be_filled &= np.diff(rank, append=-1) != 0  # the last of equals counts all
        return int(rank[can_be_filled].max(initial=0))


def _too_many_gaps(
    cells: _Cells, query_ids: NDArray[Any], last_filled: int
) -> InvalidParameterError:
    """Return the error about too many gaps. Those up to `last_filled` could be filled."""
    column, row = cells.columns["rank"], int(np.argmax(cells.values))
    deepest = int(cells.values[cells.values > last_filled].min()) - 1
    drop, queries = f"Drop the rows with ranks beyond {deepest}", "'judged'"
    if column.table == "table":
        drop, queries = f"Set ranks beyond {deepest} to null", "'judged' or 'all'"
    return column.invalid(
        _ranks_allowed(cells.query.size),
        f"rank {int(cells.values[row])}",
        f"{drop}.",
        code=f"With queries={queries}, no score at a cutoff of at most {deepest} changes.",
        place=place_of_query(query_ids[cells.query[row]]),
    )


def _with_fillers(ids: NDArray[Any], n_fillers: int) -> NDArray[Any]:
    """Return ids followed by one None for each item that fills a gap."""
    if n_fillers == 0:
        return ids
    values = list(ids) if ids.dtype.kind in "mM" else ids.tolist()
    return np.fromiter([*values, *[None] * n_fillers], dtype=object)


def _starts(cells: _Cells, n_queries: int) -> Positions:
    """Return the start of the cells of each query, and the end of the last."""
    return np.searchsorted(cells.query, np.arange(n_queries + 1))


def _as_csr(cells: _Cells, shape: tuple[int, int]) -> csr_array:
    """Return sorted cells as a sparse array."""
    start = _starts(cells, shape[0])
    dtype = np.int32 if max(*shape, cells.query.size) < 2**31 else np.int64
    item = cells.item.astype(dtype, copy=False)
    array = csr_array((cells.values, item, start.astype(dtype)), shape=shape)
    array.has_sorted_indices = True
    return array
