"""Joins judgments and predictions by the ids of queries and items.

The entries of both become cells, with the same codes of queries and items. Ranks become scores,
and ranks that are left out are filled with items that are not judged. Then the cells become
arrays.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, invalid, show_id
from ranking_scores._base._ids import IdRuns, UnusableError, cut_runs, python_ids
from ranking_scores._base._packed_text import PackedText
from ranking_scores._base._results import count_queries
from ranking_scores._base._sorting import (
    are_in,
    blocks_of_rows,
    order_in_rows,
    order_of_cells,
    stable_order,
    start_runs,
)
from ranking_scores._base._validation import as_csr, check_option, csr_array, describe
from ranking_scores._queries._by_ids import are_first
from ranking_scores._queries._ragged import groups_of
from ranking_scores._tables._columns import (
    DATES,
    DATES_IN_ZONE,
    Column,
    IdColumn,
    NumberColumn,
    Positions,
    how_to_cast,
    in_one_unit,
    join_ids,
    place_of_query,
    place_of_row,
    read_ids,
    read_numbers,
    unique_ids,
)
from ranking_scores._tables._ranking_data import RankingData, are_chosen
from ranking_scores.exceptions import InvalidParameterError

# --- entries as codes ---------------------------------------------------------------------------


Rows = NDArray[np.integer[Any]]


class TableCells(NamedTuple):
    """The entries of a table for some items of some queries, sorted by query and by item."""

    query: Positions
    item: Positions
    values: NDArray[Any]
    columns: dict[str, Column]
    """The columns, for error messages."""
    row: Rows | None = None
    """For each cell, a number that grows with its place in the table among the cells of its query;
    None: they came in this order, or nobody asks."""
    repeats: Rows | None = None
    """The item that each cell repeats, or -1; None: no item is there more than once."""

    def where(self, is_kept: Any) -> TableCells:
        """Return some of the cells."""
        kept = {
            name: array.take(is_kept) if is_kept.dtype != bool else array[is_kept]
            for name, array in self._asdict().items()
            if name != "columns" and array is not None
        }
        return self._replace(**kept)


class JoinedQueries(NamedTuple):
    """The queries of judgments and of predictions, with the same codes."""

    queries: NDArray[Any]
    """The ids of all queries, sorted."""
    is_judged: NDArray[np.bool_]
    """Which queries the judgments have, also those without items."""
    is_predicted: NDArray[np.bool_]
    """Which queries the predictions have."""
    judged_query: Positions
    """The query of each row of the judgments."""
    predicted_query: Positions
    """The query of each row of the predictions."""


class Joined(NamedTuple):
    """The judged and the predicted items, with the same codes of queries and items."""

    judged: TableCells
    predicted: TableCells
    items: NDArray[Any] | PackedText
    queries: NDArray[Any]
    is_judged: NDArray[np.bool_]
    """Which queries the judgments have, also those without items."""
    is_predicted: NDArray[np.bool_]
    """Which queries the predictions have."""


def all_rows(n_rows: int) -> Rows:
    """Return the numbers of all rows, in a small dtype."""
    return np.arange(n_rows, dtype=_dtype_below(n_rows))


def as_rows(numbers: Rows, stop: int) -> Rows:
    """Return the numbers of rows, all below `stop`, in the same dtype."""
    return numbers.astype(_dtype_below(stop), copy=False)


def _dtype_below(stop: int) -> type[np.signedinteger[Any]]:
    return np.int32 if stop < 2**31 else np.int64


# --- the join -----------------------------------------------------------------------------------


_ADVICE = {
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
"""The advice about numbers in a table that are not valid."""
ONE_KIND = "Convert them to one kind"
"""The beginning of the advice about ids of two kinds."""
HIGHEST_LABEL = "With duplicates='best' or 'hold', the highest label of an item counts."
SEVERAL_JUDGES = "With duplicates='mean', 'median' or 'majority', all its labels count."
ONE_OF_AN_ASPECT = (
    "If queries have aspects, such as subtopics, name their column with `aspect`, so that an item "
    "may be there once for each of them."
)
BEST_OR_HOLD = (
    "With duplicates='best', each item counts once, at its best place. With duplicates='hold', "
    "its other places stay, too, and "
)
"""The beginning of the advice if an item is there more than once for a query."""
OF_JUDGED, OF_UNJUDGED = "are not relevant.", "hold unknown items."
"""Its end, with judgments and without them, which says what the other places have."""
_OF_TWO = ("a", "b")
"""The names of two rankings without judgments."""
_IF_JOINED = "If the two tables are already joined, use `from_table`."
MOST_OF_LABELS = 1_000_000
"""If all labels are larger, they look like times."""
_ONE_OF = {
    "label": ", such as the one with the highest label",
    "score": ", such as the one with the highest score",
    "rank": ", such as the one with the lowest rank",
}
"""Which of several rows of the same item to keep."""


class JoinSide(NamedTuple):
    """The judgments or the predictions."""

    columns: dict[str, Column]
    """The columns by keyword. The last one has the labels, scores or ranks, if there are any."""
    query: IdColumn
    """The query of each row. Queries without rows count, too."""
    item: IdColumn | None = None
    """The item of each row; None: not read yet."""
    numbers: NDArray[Any] | None = None
    """The label, score or rank of each row; None: not read yet."""

    def items(self) -> IdColumn:
        """Return the item of each row."""
        return read_ids(self.columns["item"], self.query) if self.item is None else self.item

    def values(self) -> NDArray[Any]:
        """Return the label, score or rank of each row. Raise if one is missing."""
        if self.numbers is not None:
            return self.numbers
        values, row = read_values(self.columns, self.query)
        if row is None:
            return values
        keyword, column = list(self.columns.items())[-1]
        first = int(np.argmin(np.append(row, -1) == np.arange(row.size + 1)))
        advice = "Leave out" if column.holder else "Drop the rows of"
        advice += f" items that were not {'judged' if keyword == 'label' else 'predicted'}."
        code = "" if column.holder or column.table in _OF_TWO else _IF_JOINED
        expected, place = f"a {keyword} {column.in_each}", place_of_row(first, self.query)
        raise column.invalid(expected, "null or NaN", advice, code=code, place=place)

    def with_numbers(self) -> JoinSide:
        """Return the same with its labels, scores or ranks read. Raise if one is missing."""
        return self._replace(numbers=self.values())

    def kept(self) -> JoinSide:
        """Return the same with numbers read, and without the values that a caller may change."""
        columns = dict(self.columns)
        for keyword, column in self.columns.items():  # Queries, and numbers in lists, are read.
            if keyword == "item" or (keyword != "query" and not isinstance(column.values, list)):
                columns[keyword] = column.kept()
        return self._replace(columns=columns).with_numbers()

    def check_sample(self) -> None:
        """Raise if the caller has changed a column."""
        for column in self.columns.values():
            column.check_sample()

    def queries_alone(self) -> JoinSide:
        """Return this side, whose queries are read already. Lists of ids read theirs here."""
        return self

    def at(self, rows: Positions) -> JoinSide:
        """Return some of the rows, whose items were not read yet."""
        columns = {
            keyword: column if keyword == "query" else column.at(rows)  # its codes are there
            for keyword, column in self.columns.items()
        }
        numbers = None if self.numbers is None else self.numbers[rows]
        return JoinSide(columns, self.query._replace(code=self.query.code[rows]), None, numbers)


def side_of(columns: dict[str, Column]) -> JoinSide:
    """Return the columns of a table with their ids."""
    return JoinSide(columns, read_ids(columns["query"]))


def join_sides(sides: list[JoinSide], duplicates: str) -> Joined:
    """Return the entries of judgments and of predictions, joined by their ids.

    An item may be there twice for a query unless `duplicates` is "error".
    """
    return join_items(join_queries(sides), sides, duplicates)


def join_queries(sides: list[JoinSide]) -> JoinedQueries:
    """Return the queries of judgments and of predictions."""
    judged, predicted = sides
    judged_ids, predicted_ids = alike(
        judged.columns["query"], predicted.columns["query"], judged.query, predicted.query
    )
    all_queries, judged_place, predicted_place = join_ids(judged_ids, predicted_ids)
    return JoinedQueries(
        np.asarray(all_queries),
        are_in(judged_place, all_queries.size),
        are_in(predicted_place, all_queries.size),
        judged_ids.code_at(judged_place),
        predicted_ids.code_at(predicted_place),
    )


def join_items(joined: JoinedQueries, sides: list[JoinSide], duplicates: str) -> Joined:
    """Return the entries of judgments and of predictions whose queries are joined already."""
    judged, predicted = sides
    item_ids = alike(
        judged.columns["item"], predicted.columns["item"], judged.items(), predicted.items()
    )
    all_items, *places = join_ids(*item_ids)
    queries = joined.judged_query, joined.predicted_query
    cells = []
    for side, query, ids, place in zip(sides, queries, item_ids, places, strict=True):
        unsorted = TableCells(query, ids.code_at(place), side.values(), side.columns)
        is_ranked = side is predicted
        cells.append(_sorted_cells(unsorted, joined.queries, all_items, duplicates, is_ranked))
    return Joined(cells[0], cells[1], all_items, *joined[:3])


class QueriesOfTable(NamedTuple):
    """The queries of one table, and its labels and its scores or ranks."""

    joined: JoinedQueries
    ids: IdColumn
    """The ids of the queries."""
    of_row: Positions
    """The query of each row, as they are joined."""
    labels: tuple[NDArray[Any], Positions]
    """The labels and their rows."""
    scores: tuple[NDArray[Any], Positions]


def queries_in_table(columns: dict[str, Column]) -> QueriesOfTable:
    """Return the queries of one table, with its judged and its predicted rows."""
    query_ids = read_ids(columns["query"])
    all_queries, code = unique_ids(query_ids)
    labels, scores = (
        (own.values, np.arange(code.size) if own.row is None else own.row)
        for own in (read_values(_columns_for(columns, keywords), query_ids) for keywords in _PARTS)
    )
    of_judged, of_predicted = code[labels[1]], code[scores[1]]
    is_judged, is_predicted = (
        are_in(code, all_queries.size) for code in (of_judged, of_predicted)
    )
    joined = JoinedQueries(
        np.asarray(all_queries), is_judged, is_predicted, of_judged, of_predicted
    )
    return QueriesOfTable(joined, query_ids, code, labels, scores)


_PARTS = ("label",), ("score", "rank")
"""The keywords of the numbers that judgments and predictions have."""


def _columns_for(columns: dict[str, Column], keywords: tuple[str, ...]) -> dict[str, Column]:
    """Return the columns of queries and of the numbers with one of some keywords."""
    return {name: columns[name] for name in ("query", *keywords) if name in columns}


def are_at_first_ranks(
    query: NDArray[np.integer[Any]], values: NDArray[Any], depth: int, *, are_ranks: bool = False
) -> NDArray[np.bool_]:
    """Return which rows can be at the ranks of their query up to `depth`."""
    if are_ranks:  # an item is never above its rank
        return np.asarray(values <= depth)
    runs = IdRuns(np.arange(query.max(initial=-1) + 1), *cut_runs(query))
    return are_first(values, groups_of(runs), depth)


def notes_of_order(
    query: NDArray[np.integer[Any]],
    n_queries: int,
    values: NDArray[Any],
    column: Column,
    *,
    are_ranks: bool,
) -> list[str]:
    """Return what is unusual in the order of scores or ranks, and in where ranks begin."""
    name, notes, rises, what = show_id(column.name), [], "rises", "the highest score ranks first"
    if are_ranks:
        first = query[np.flatnonzero(values == 1)].astype(np.intp, copy=False)
        n_headless = n_queries - np.count_nonzero(are_in(first, int(first.max(initial=-1)) + 1))
        if n_headless:
            notes.append(f"{name} has no rank 1 in {count_queries(int(n_headless))}")
        if values.size > 1 and values[0] == values[1] and (values == values[0]).all():
            notes.append(f"all ranks in {name} are equal, so that all items tie")
        rises = "falls"
        what = "the lowest rank is the first, and if these are scores, pass `score`"
    for stop in (_ROWS_AT_FIRST, values.size):  # the first rows mostly tell
        is_next = query[1:][:stop] == query[:-1][:stop]
        before, after = values[:-1][:stop][is_next], values[1:][:stop][is_next]
        if are_ranks:
            before, after = after, before
        if (after < before).any():
            return notes
    if (after > before).any():
        notes.append(f"{name} {rises} from row to row in every query; {what}")
    return notes


_ROWS_AT_FIRST = 1000


def part_columns(columns: dict[str, Column], duplicates: str) -> Joined:
    """Return the judged and the predicted entries of one table."""
    joined, ids, query, labels, scores = queries_in_table(columns)
    item = row = np.arange(query.size)
    all_items: NDArray[Any] | PackedText = row
    if columns["query"].rows is not None:
        all_items = columns["query"].rows
    if "item" in columns:
        all_items, item = unique_ids(read_ids(columns["item"], ids))
    unsorted = TableCells(query, item, row, columns)
    cells = _sorted_cells(unsorted, joined.queries, all_items, duplicates, is_ranked=True)
    parts = []
    for keywords, (values, row_of_value) in zip(_PARTS, (labels, scores), strict=True):
        place = np.full(row.size, -1)
        place[row_of_value] = np.arange(row_of_value.size)
        place = place[cells.values]
        part = cells.where(place >= 0)
        columns_of_part = _columns_for(columns, keywords)
        parts.append(part._replace(values=values[place[place >= 0]], columns=columns_of_part))
    return Joined(parts[0]._replace(row=None), parts[1], all_items, *joined[:3])


_TYPE_OF_KIND = {"text": str, "numbers": Real}


def _check_mixed(column: Column, kind: str, other: str) -> None:
    """Raise if a list has ids of several kinds, of which one is that of the other ids."""
    is_of = _TYPE_OF_KIND.get(other)
    if kind != "objects" or is_of is None or not isinstance(column.values, list):
        return
    wrong = [row for row, value in enumerate(column.values) if not isinstance(value, is_of)]
    if 0 < len(wrong) < len(column.values):  # none if their documents are of several kinds
        row, expected = wrong[0], f"{other} alone, like the other ids"
        how = f", such as by `{how_to_cast(column, str)}`" if other == "text" else ""
        got, code = describe(column.values[row]), f"{ONE_KIND}{how}."
        raise column.invalid(expected, got, code=code, place=Place(row=row))


def alike(
    judged: Column, predicted: Column, judged_ids: IdColumn, predicted_ids: IdColumn
) -> list[IdColumn]:
    """Return the ids of two tables, with dates in one unit. Raise if they can never be equal."""
    kind, other = judged_ids.kind, predicted_ids.kind
    if kind and other and kind != other:
        _check_mixed(predicted, other, kind)
        _check_mixed(judged, kind, other)
        how = f"such as by `{how_to_cast(judged if other == 'text' else predicted, str)}`"
        if {kind, other} == {DATES, DATES_IN_ZONE}:
            how = "with a time zone in both tables or in neither"
        elif "bytes" in (kind, other):  # `str` of bytes is "b'...'"
            how = "such as by `bytes.decode` of each"
        own = f"column {show_id(judged.name)} of {judged.table}"
        expected = f"{kind}, like {judged.table if judged.holder else own}"
        advice, code = "Ids of different kinds are never equal.", f"{ONE_KIND}, {how}."
        raise predicted.invalid(expected, other, advice, code=code)
    both = [judged_ids, predicted_ids]
    if kind == other and kind in (DATES, DATES_IN_ZONE, "durations"):
        try:
            values = in_one_unit([np.asarray(ids.values) for ids in both])
        except UnusableError as error:
            expected = f"{kind} that fit into one unit with those of {judged.table}"
            dtype = f"{'timedelta' if kind == 'durations' else 'datetime'}64[us]"
            code = f"Round them first, such as by `.astype({dtype!r})`."
            raise predicted.invalid(expected, str(error), code=code) from error
        both = [ids._replace(values=own) for ids, own in zip(both, values, strict=True)]
    return both


def read_values(columns: dict[str, Column], query: IdColumn) -> NumberColumn:
    """Return the labels, scores or ranks of a table. Labels are 1 if there is no such column."""
    keyword, column = list(columns.items())[-1]
    if keyword == "item":
        return NumberColumn(np.ones(query.code.size, dtype=np.int8), None)
    numbers = read_numbers(column)
    values = numbers.values
    expected, is_right = f"a finite {keyword} {column.in_each}", np.isfinite(values)
    if keyword == "rank":
        expected = "whole numbers from 1 on"
        is_right &= (values >= 1) & (values == np.floor(values))
        if values.dtype.kind == "b":
            raise column.invalid(expected, f"dtype {values.dtype}")
    if keyword == "label" and values.size and values.min() > MOST_OF_LABELS:
        expected, got = f"labels of up to {MOST_OF_LABELS}", f"{values[0]} and more such numbers"
        advice = "Are they times? If they are gains, divide them by a number."
        raise column.invalid(expected, got, advice, code="Pass the column of labels as `label`.")
    if not is_right.all():
        first = int(np.argmin(is_right))
        row = first if numbers.row is None else int(numbers.row[first])
        advice = _ADVICE.get(column.table, {}).get(keyword, "")
        raise column.invalid(expected, str(values[first]), advice, place=place_of_row(row, query))
    return numbers


def _sorted_cells(
    cells: TableCells,
    queries: NDArray[Any],
    items: NDArray[Any] | PackedText,
    duplicates: str,
    is_ranked: bool,
) -> TableCells:
    """Return cells sorted by query and by item. Raise if one is there twice and may not be.

    If they are ranked, they have their rows, unless those of each query are in order already. The
    rows are counted after those of each query were put together.
    """
    if (cells.query[1:] < cells.query[:-1]).any():
        cells = cells.where(stable_order(cells.query))
    row: Rows | None = None
    in_order = cells._replace(
        item=np.empty(cells.item.size, _dtype_below(items.size)),
        values=np.empty_like(cells.values),
    )
    for block in blocks_of_rows(cells.query):
        query, item, values = cells.query[block], cells.item[block], cells.values[block]
        order = order_in_rows(query, item, items.size)
        if order is not None:
            item, values = item.take(order), values.take(order)
            if is_ranked:
                row = all_rows(cells.query.size) if row is None else row
                row[block] = order + block.start
        if duplicates == "error" or (is_ranked and duplicates in JUDGES):
            in_block = cells._replace(query=query, item=item, values=values)
            is_repeat = are_repeats(in_block)
            if is_repeat.any():
                raise _repeated(in_block, int(np.argmax(is_repeat)) - 1, queries, items)
        in_order.item[block], in_order.values[block] = item, values
    return in_order._replace(row=row)


def _repeated(
    cells: TableCells, first: int, queries: NDArray[Any], items: NDArray[Any] | PackedText
) -> InvalidParameterError:
    """Return the error about a cell that is there more than once."""
    keyword, column = list(cells.columns.items())[-1]
    advice = f"Keep one {'place' if column.holder else 'row'} of each{_ONE_OF.get(keyword, '')}."
    code = BEST_OR_HOLD + (OF_UNJUDGED if column.table in _OF_TWO else OF_JUDGED)
    code = f"{HIGHEST_LABEL} {SEVERAL_JUDGES}" if keyword in ("label", "item") else code
    if column.table == "judgments" and not column.holder:
        code += f" {ONE_OF_AN_ASPECT}"
    if column.table == "table":
        rows = cells.values[first : first + 2]
        has_label, has_value = (
            np.isin(rows, rows if number_rows is None else number_rows)
            for number_rows in (
                read_numbers(cells.columns[role]).row for role in ("label", keyword)
            )
        )
        advice = "Keep one row of each."
        if has_label.any() and has_value.any() and not (has_label & has_value).any():
            advice = f"One row has the label and another the {keyword}. Merge the two tables "
            advice += "instead of concatenating them."
            code = ""
    got = f"item {show_id(items[cells.item[first]])} more than once"
    place = place_of_query(queries[cells.query[first]])
    return cells.columns["item"].invalid(
        "each item only once per query", got, advice, code=code, place=place
    )


# --- ranks as scores ----------------------------------------------------------------------------


_FILLERS_PER_ROW, _FILLERS = 16, 2**23
"""The limits of the number of items that fill gaps between ranks: per row of the table, and for
all queries together if there are few rows."""


def as_scores(
    cells: TableCells, query_ids: NDArray[Any], n_items: int, may_be_free: tuple[int, int]
) -> tuple[TableCells, int]:
    """Return ranks as scores, with items that fill the gaps. A lower rank has a higher score.

    An item is at its rank, or directly after the items above it if these take up more ranks. So
    the items of ranks 1, 1, 2, 7 are at 1 and 2, at 3, and at 7. Fillers are at 4, 5 and 6. The
    comments have the values of this example.
    """
    query, (most_free, most_in_all) = cells.query, may_be_free
    too_high = most_free + query.size + 1  # No query has such a rank.
    rank = np.minimum(cells.values, too_high).astype(np.int64, copy=False)
    if _are_complete(query, rank):
        return cells._replace(values=-rank), 0
    order = order_of_cells(query, rank, too_high + 1)
    order = np.arange(query.size) if order is None else order
    groups = _groups_of_ranks(query[order], rank[order])
    n_free = groups.n_free
    position = np.empty(query.size, dtype=np.int64)  # [1, 1, 3, 7]
    position[order] = np.repeat(n_free + groups.n_above + 1, groups.n_rows)
    is_new = np.diff(groups.query, prepend=-1) != 0
    before = np.where(is_new, 0, np.concatenate([[0], n_free[:-1]]))
    gap = n_free - before  # [0, 0, 3]
    if gap.sum() > most_in_all or n_free.max(initial=0) > most_free:
        raise _too_many_gaps(cells, query_ids, groups.last_filled(gap))
    gap = gap.astype(np.intp, copy=False)
    filler = np.repeat(before - np.cumsum(gap) + gap, gap) + np.arange(gap.sum())  # [0, 1, 2]
    place = filler + np.repeat(groups.n_above + 1, gap)  # [4, 5, 6]
    row = cells.row
    if row is not None:  # fillers were not predicted, and come last
        first = int(row.max(initial=-1)) + 1
        row = as_rows(np.concatenate([row, first + filler]), first + filler.size)
    all_cells = cells._replace(
        row=row,
        query=np.concatenate([query, np.repeat(groups.query, gap)]),
        item=np.concatenate([cells.item, n_items + filler]),
        values=-np.concatenate([position, place]),
    )
    n_fillers = int(n_free.max(initial=0))
    # Both are sorted, and fillers are behind all items, so a stable sort merges them by query.
    return all_cells.where(np.argsort(all_cells.query, kind="stable")), n_fillers


def _are_complete(query: Positions, rank: NDArray[np.int64]) -> bool:
    """Return whether each query has the ranks from 1 to its number of items, each of them once.

    Then there are neither ties nor gaps, and an item is at its rank. Queries are sorted.
    """
    is_taken = np.zeros(query.size, dtype=bool)
    for block in blocks_of_rows(query):
        start = np.flatnonzero(start_runs(query[block])) + block.start
        place = np.repeat(start - 1, np.diff(start, append=block.stop))
        place += rank[block]
        if place.max() >= query.size:
            return False
        is_taken[place] = True
    # No rank leads to a place before its query. So only items of the first query can take its
    # places, and as many as these are its items: none is left for the places of the next query.
    return bool(is_taken.all())


def check_ranks(query: Positions, rank: NDArray[Any], column: Column, ids: NDArray[Any]) -> None:
    """Raise if too many ranks are free, in one query or in all. Rows may be in any order."""
    most_free, most_in_all = limits_of_gaps(rank.size)
    last = rank.max(initial=0)  # no query has more free ranks than its last rank
    if last <= most_free and last * ids.size <= most_in_all:
        return
    order = stable_order(query)
    cells = TableCells(query[order], np.zeros(order.size, np.intp), rank[order], {"rank": column})
    as_scores(cells, ids, 1, (most_free, most_in_all))


def limits_of_gaps(n_rows: Any) -> tuple[Any, Any]:
    """Return how many ranks may be free in one query, and in all, given the number of rows."""
    return _FILLERS_PER_ROW * n_rows, np.maximum(_FILLERS_PER_ROW * n_rows, _FILLERS)


def most_free_in_part(n_rows: int) -> tuple[int, int]:
    """Return the same for a part of the predictions, in which one query may use the whole limit.

    The total number of rows is not known yet.
    """
    _, most_in_all = limits_of_gaps(n_rows)
    return most_in_all, most_in_all


def check_gaps(rank: Column, n_rows: int, most_free: int, n_free: int) -> None:
    """Raise if too many ranks are free, in one query or in all, although no part exceeded."""
    may_be_free, may_be_free_in_all = limits_of_gaps(n_rows)
    if most_free > may_be_free or n_free > may_be_free_in_all:
        got = f"{most_free} in a query and {n_free} in all"
        advice = "Drop the rows whose rank is beyond the last cutoff that you use."
        code = "With queries='judged', no score at such a cutoff changes."
        raise rank.invalid(_ranks_allowed(n_rows), got, advice, code=code)


def _ranks_allowed(n_rows: int) -> str:
    """Return the requirement on ranks, for an error message."""
    most_free, most_in_all = limits_of_gaps(n_rows)
    in_query = f"{most_free} positions free in a query, {_FILLERS_PER_ROW} per row"
    return f"ranks that leave at most {in_query}, and {most_in_all} in all"


class _RankGroups(NamedTuple):
    """The ranks of all queries, each once for a query, in order."""

    query: Positions
    rank: Positions
    start: Positions
    """The place of the first item of the query with this rank: [0, 2, 3] in the example."""
    n_rows: Positions
    """The number of items of the query with this rank."""
    n_above: Positions
    """The number of items of the query above this rank: [0, 2, 3]."""
    n_free: Positions
    """The number of free ranks above this rank: [0, 0, 3]."""

    def last_filled(self, gap: Positions) -> int:
        """Return the last rank up to which all gaps between ranks could be filled.

        Gaps up to rank 17 always can, since no more than 16 ranks are free above an item.
        """
        order = np.argsort(self.rank, kind="stable")
        rank = self.rank[order]
        most_free, most_in_all = limits_of_gaps(np.cumsum(self.n_rows[order]))
        can_be_filled = np.cumsum(gap[order]) <= most_in_all
        can_be_filled &= np.maximum.accumulate(self.n_free[order]) <= most_free
        can_be_filled &= np.diff(rank, append=-1) != 0  # the last of equals counts all
        return int(rank[can_be_filled].max(initial=0))


def _groups_of_ranks(query: Positions, rank: NDArray[np.int64]) -> _RankGroups:
    """Return the groups of items of one rank. The items are sorted by query and rank."""
    is_first = np.ones(query.size, dtype=bool)
    is_first[1:] = (query[1:] != query[:-1]) | (rank[1:] != rank[:-1])
    start = np.flatnonzero(is_first)
    n_rows = np.diff(start, append=query.size)
    group_query, group_rank = query[start], rank[start]
    n_above = start - np.searchsorted(query, group_query)
    # The number of free ranks above an item, not counting the other items above it: [0, -1, 3].
    n_free = group_rank - n_above - 1
    # The highest so far in each query. Later queries are lifted above all earlier ones.
    lift = group_query * (n_free.max(initial=0) - n_free.min(initial=0) + 1)
    n_free = np.maximum.accumulate(n_free + lift) - lift
    return _RankGroups(group_query, group_rank, start, n_rows, n_above, n_free)


def moved_up(
    query: Positions, ranks: NDArray[Any], are_dropped: NDArray[np.bool_]
) -> NDArray[Any]:
    """Return ranks, in which each item below dropped ones is higher by their number.

    Items with equal ranks may take up the positions of the next ranks. So the number is taken from
    the position, not from the rank: of the ranks 1, 1, 2, the last item is at 3, and at 2 if one
    of the first two is dropped. Free ranks stay.
    """
    rank = np.minimum(ranks.astype(np.float64), _HIGHEST_RANK).astype(np.int64)
    order = np.lexsort((rank, query))
    groups = _groups_of_ranks(query[order], rank[order])
    n_dropped = np.append(0, np.cumsum(are_dropped[order]))
    n_dropped_above = n_dropped[groups.start] - n_dropped[groups.start - groups.n_above]
    n_dropped_above = np.repeat(n_dropped_above, groups.n_rows)
    moved, has_moved = np.empty(order.size, np.int64), np.empty(order.size, dtype=bool)
    moved[order] = np.repeat(groups.n_free + groups.n_above + 1, groups.n_rows) - n_dropped_above
    has_moved[order] = n_dropped_above > 0
    return np.where(has_moved, moved, ranks)


_HIGHEST_RANK = 2**40
"""A rank that is too high in any table, since so many ranks may not be free."""


def _too_many_gaps(
    cells: TableCells, query_ids: NDArray[Any], last_filled: int
) -> InvalidParameterError:
    """Return the error about too many gaps. Those up to `last_filled` could be filled."""
    column, row = cells.columns["rank"], int(np.argmax(cells.values))
    deepest = int(cells.values[cells.values > last_filled].min()) - 1
    drop, queries = f"Drop the rows with ranks beyond {deepest}", "'judged'"
    if column.table == "table":
        drop, queries = f"Set ranks beyond {deepest} to null", "'judged' or 'all'"
    expected, got = _ranks_allowed(cells.query.size), f"rank {int(cells.values[row])}"
    code = f"With queries={queries}, no score at a cutoff of at most {deepest} changes."
    place = place_of_query(query_ids[cells.query[row]])
    return column.invalid(expected, got, f"{drop}.", code=code, place=place)


def with_fillers(ids: NDArray[Any], n_fillers: int) -> NDArray[Any]:
    """Return ids followed by one None for each item that fills a gap."""
    if n_fillers == 0:
        return ids
    return np.fromiter([*python_ids(ids), *[None] * n_fillers], dtype=object)


# --- entries as arrays --------------------------------------------------------------------------


Duplicates = Literal["error", "best", "hold"]
DUPLICATES = ("error", "best", "hold")
JUDGES = ("mean", "median", "majority")
"""How several labels of an item become one. Predictions must have each item once."""


def check_duplicates(duplicates: Any, function: str, *, has_aspects: bool) -> None:
    """Raise unless this is one of the ways to treat items that are there several times."""
    check_option(duplicates, "duplicates", function, (*DUPLICATES, *JUDGES))
    if has_aspects and duplicates in JUDGES:
        expected = "'error', 'best' or 'hold' if queries have aspects"
        raise invalid("duplicates", function, expected, repr(duplicates))


def with_scores(joined: Joined, most_free: tuple[int, int]) -> tuple[Joined, int]:
    """Return predictions with scores instead of ranks, and how many items fill free ranks.

    `most_free` limits the free ranks, as in `limits_of_gaps`.
    """
    if "rank" not in joined.predicted.columns:
        return joined, 0
    predicted, n_fillers = as_scores(
        joined.predicted, joined.queries, joined.items.size, most_free
    )
    return joined._replace(predicted=predicted), n_fillers


def to_arrays(joined: Joined, n_fillers: int, duplicates: str) -> RankingData:
    """Return the arrays of queries. Some items behind the others only fill ranks."""
    judged, predicted, n_fillers = each_once(joined, n_fillers, duplicates)
    query_ids, n_items = joined.queries, joined.items.size
    shape = (query_ids.size, n_items + n_fillers)
    # packed text reads as an array
    item_ids = with_fillers(cast(NDArray[Any], joined.items), n_fillers)
    data = RankingData(_as_csr(judged, shape), _as_csr(predicted, shape), query_ids, item_ids)
    return data.with_order(predicted.row, predicted.repeats)


def each_once(
    joined: Joined, n_fillers: int, duplicates: str
) -> tuple[TableCells, TableCells, int]:
    """Return the judged and the predicted items, each once, and how many items only fill ranks."""
    judged, predicted = joined.judged, joined.predicted
    if duplicates in JUDGES:
        judged = _with_one_label(judged, duplicates)
    elif duplicates != "error":
        judged, _ = _with_each_once(judged, None)
        filler = joined.items.size + n_fillers if duplicates == "hold" else None
        predicted, n_held = _with_each_once(predicted, filler)
        n_fillers += n_held
    return judged, predicted, n_fillers


def _with_each_once(cells: TableCells, filler: int | None) -> tuple[TableCells, int]:
    """Return cells with the highest value of each, and how many new items fill other ranks.

    The other values of an item go to fillers, which are numbered from `filler` on in each query.
    Each filler has the row of its own value. None: they are left out, and the highest value has
    the first row of the item.
    """
    query, item, values, row = cells.query, cells.item, cells.values, cells.row
    is_repeat = are_repeats(cells)
    if not is_repeat.any():
        return cells, 0
    # Only the cells of repeated items are sorted by their values, the highest last. Of equal
    # values the one that came first is last, so they are read backwards.
    is_one_of_several = is_repeat.copy()
    is_one_of_several[:-1] |= is_repeat[1:]
    place = np.flatnonzero(is_one_of_several)
    back = place[::-1]
    rising = back[np.lexsort((values[back], np.cumsum(~is_repeat)[back]))]
    values = values.copy()
    values[place] = values[rising]
    is_kept = np.append(~is_repeat[1:], True)
    cells = cells._replace(values=values)
    if filler is None:  # the cells of an item are in the order of their rows
        return cells.where(is_kept)._replace(row=None if row is None else row[~is_repeat]), 0
    row = all_rows(query.size) if row is None else row.copy()
    row[place] = row[rising]
    held = query[~is_kept]
    number = np.arange(held.size) - np.searchsorted(held, held)
    n_held = int(number.max()) + 1
    repeats = np.where(is_kept, -1, item)
    item = item.astype(np.int64)
    item[~is_kept] = filler + number
    order: Any = order_of_cells(query, item, filler + n_held)
    cells = cells._replace(item=item, row=row, repeats=repeats)
    return (cells if order is None else cells.where(order)), n_held


def _with_one_label(cells: TableCells, how: str) -> TableCells:
    """Return cells with one label of each item that was judged several times.

    The labels of an item are sorted first, so their sum does not depend on the order of the rows.
    """
    is_first = ~are_repeats(cells)
    if is_first.all():
        return cells
    group = np.cumsum(is_first) - 1
    labels = cells.values[np.lexsort((cells.values, group))].astype(np.float64)
    start = np.flatnonzero(is_first)
    n_labels = np.diff(start, append=group.size)
    if how == "mean":
        found = np.add.reduceat(labels, start) / n_labels
    elif how == "median":
        found = (labels[start + (n_labels - 1) // 2] + labels[start + n_labels // 2]) / 2
    else:
        is_new = is_first.copy()
        is_new[1:] |= labels[1:] != labels[:-1]
        runs = np.flatnonzero(is_new)
        n_equal = np.diff(runs, append=group.size)
        # The most frequent label of each group comes first, and of these the lowest.
        order = np.lexsort((labels[runs], -n_equal, group[runs]))
        groups_in_order = group[runs][order]
        found = labels[runs][order][start_runs(groups_in_order)]
    return cells.where(is_first)._replace(values=found)


def are_repeats(cells: TableCells) -> NDArray[np.bool_]:
    """Return which of sorted cells have the item of the cell before them."""
    are = np.zeros(cells.query.size, dtype=bool)
    are[1:] = (cells.item[1:] == cells.item[:-1]) & (cells.query[1:] == cells.query[:-1])
    return are


def _as_csr(cells: TableCells, shape: tuple[int, int]) -> csr_array:
    """Return sorted cells as a sparse array."""
    start = np.searchsorted(cells.query, np.arange(shape[0] + 1))
    dtype = _dtype_below(max(*shape, cells.query.size))
    item = cells.item.astype(dtype, copy=False)
    array = as_csr((cells.values, item, start.astype(dtype)), shape=shape)
    array.has_sorted_indices = True
    return array


def choose_queries(joined: Joined, queries: str) -> tuple[Joined, bool]:
    """Return the queries that are scored, with their items.

    Also return whether one of their items was judged and, for some query, predicted.
    """
    judged, predicted, item_ids, query_ids, is_judged, is_predicted = joined
    is_kept = are_chosen(joined, queries)
    if not is_kept.all():
        number = np.cumsum(is_kept) - 1
        judged, predicted = (
            kept._replace(query=number[kept.query])
            for kept in (cells.where(is_kept[cells.query]) for cells in (judged, predicted))
        )
        query_ids, is_judged, is_predicted = (
            array[is_kept] for array in (query_ids, is_judged, is_predicted)
        )
    has_judgment, has_prediction = (
        are_in(cells.item, item_ids.size) for cells in (judged, predicted)
    )
    is_used = has_judgment | has_prediction
    if not is_used.all():
        number = np.cumsum(is_used) - 1
        judged, predicted = (
            cells._replace(item=number[cells.item]) for cells in (judged, predicted)
        )
        item_ids = item_ids[is_used]
    has_found = bool((has_judgment & has_prediction).any())
    return Joined(judged, predicted, item_ids, query_ids, is_judged, is_predicted), has_found
