"""Joins a table of judgments and a table of predictions by the ids of queries and items."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    PackedText,
    Runs,
    UnusableError,
    are_in,
    blocks_of_rows,
    cut_runs,
    describe,
    invalid,
    order_in_rows,
    show_id,
    stable_order,
)
from ranking_scores._queries import are_first, groups_of
from ranking_scores._tables._cells import Cells, Joined, JoinedQueries, Rows, all_rows
from ranking_scores._tables._columns import (
    DATES,
    DATES_IN_ZONE,
    Column,
    Ids,
    Numbers,
    Positions,
    how_to_cast,
    in_one_unit,
    is_name,
    join_ids,
    place_of_query,
    place_of_row,
    read_ids,
    read_numbers,
)
from ranking_scores._tables._no_label import LEFT_OUT
from ranking_scores.exceptions import InvalidParameterError

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
_ONE_OF = {
    "label": ", such as the one with the highest label",
    "score": ", such as the one with the highest score",
    "rank": ", such as the one with the lowest rank",
}
"""Which of several rows of the same item to keep."""


class ColumnNames(NamedTuple):
    """The names of the columns of two tables, by keyword. None if there is no such column."""

    judged: dict[str, Any]
    predicted: dict[str, Any]


class Side(NamedTuple):
    """The judgments or the predictions."""

    columns: dict[str, Column]
    """The columns by keyword. The last one has the labels, scores or ranks, if there are any."""
    query: Ids
    """The query of each row. Queries without rows count, too."""
    item: Ids | None = None
    """The item of each row; None: not read yet."""
    numbers: NDArray[Any] | None = None
    """The label, score or rank of each row; None: not read yet."""

    def items(self) -> Ids:
        """Return the item of each row."""
        return read_ids(self.columns["item"], self.query) if self.item is None else self.item

    def values(self) -> NDArray[Any]:
        """Return the label, score or rank of each row. Raise if one is missing."""
        if self.numbers is not None:
            return self.numbers
        values, row = read_values(self.columns, self.query)
        if row is not None:
            raise _missing(self.columns, row, self.query)
        return values

    def at(self, rows: Positions) -> Side:
        """Return some of the rows, whose items were not read yet."""
        columns = {
            keyword: column if keyword == "query" else column.at(rows)  # its codes are there
            for keyword, column in self.columns.items()
        }
        numbers = None if self.numbers is None else self.numbers[rows]
        return Side(columns, self.query._replace(code=self.query.code[rows]), None, numbers)


def names_of_columns(
    function: str,
    query: Any,
    item: Any,
    label: Any,
    score: Any,
    rank: Any,
    *,
    may_be_sought: bool = False,
) -> ColumnNames:
    """Return the caller's names for the columns of judgments and of predictions.

    If names may be sought, those of ids may be None, and so may be both `score` and `rank`.
    """
    label = None if label is LEFT_OUT else label
    check_names_of_columns(function, label=label, score=score, rank=rank)
    _check_one_of(score, rank, function, may_be_sought=may_be_sought)
    pairs = (
        (None, None) if names is None and may_be_sought else _pair(names, parameter, function)
        for names, parameter in ((query, "query"), (item, "item"))
    )
    names = zip(*pairs, strict=True)
    (judged_query, judged_item), (predicted_query, predicted_item) = names
    return ColumnNames(
        {"query": judged_query, "item": judged_item, "label": label},
        {"query": predicted_query, "item": predicted_item, "score": score, "rank": rank},
    )


def names_in_table(function: str, **names: Any) -> dict[str, Any]:
    """Return the caller's names for the columns of one table, of which None are sought."""
    check_names_of_columns(function, **names)
    _check_one_of(names["score"], names["rank"], function, may_be_sought=True)
    return names


def side_of(columns: dict[str, Column]) -> Side:
    """Return the columns of a table with their ids."""
    return Side(columns, read_ids(columns["query"]))


def join_sides(sides: list[Side], duplicates: str) -> Joined:
    """Return the entries of judgments and of predictions, joined by their ids.

    An item may be there twice for a query unless `duplicates` is "error".
    """
    return join_items(join_queries(sides), sides, duplicates)


def join_queries(sides: list[Side]) -> JoinedQueries:
    """Return the queries of judgments and of predictions."""
    judged, predicted = sides
    ids = alike(judged.columns["query"], predicted.columns["query"], judged.query, predicted.query)
    all_queries, *places = join_ids(*ids)
    is_judged, is_predicted = (are_in(each, all_queries.size) for each in places)
    of_judged, of_predicted = (of.code_at(each) for of, each in zip(ids, places, strict=True))
    all_queries = np.asarray(all_queries)
    return JoinedQueries(all_queries, is_judged, is_predicted, of_judged, of_predicted)


def join_items(joined: JoinedQueries, sides: list[Side], duplicates: str) -> Joined:
    """Return the entries of judgments and of predictions whose queries are joined already."""
    judged, predicted = sides
    item_ids = alike(
        judged.columns["item"], predicted.columns["item"], judged.items(), predicted.items()
    )
    all_items, *places = join_ids(*item_ids)
    cells: list[Cells] = []
    for number, side in enumerate(sides):
        has_rows = number == 1  # predictions have an order, and judgments have none
        cells.append(
            _sorted_cells(
                Cells(  # which nothing else holds, so it is gone when its rows are sorted
                    joined.of_predicted if has_rows else joined.of_judged,
                    item_ids[number].code_at(places[number]),
                    side.values(),
                    side.columns,
                ),
                joined.queries,
                all_items,
                duplicates,
                has_rows=has_rows,
            )
        )
    return Joined(
        cells[0], cells[1], joined.queries, all_items, joined.is_judged, joined.is_predicted
    )


def queries_in_table(columns: dict[str, Column]) -> tuple[JoinedQueries, Positions, Numbers]:
    """Return the queries of one table, its judged rows, and its predictions with their rows."""
    query_ids = read_ids(columns["query"])
    all_queries, places, _ = join_ids(query_ids, _NO_IDS)
    code = query_ids.code_at(places)
    labels, scores = (
        read_values(_columns_for(columns, keywords), query_ids) for keywords in _PARTS
    )
    rows = np.arange(code.size)
    judged, predicted = (rows if of.row is None else of.row for of in (labels, scores))
    of_judged, of_predicted = code[judged], code[predicted]
    joined = JoinedQueries(
        np.asarray(all_queries),
        are_in(of_judged, all_queries.size),
        are_in(of_predicted, all_queries.size),
        of_judged,
        of_predicted,
    )
    return joined, judged, Numbers(scores.values, predicted)


_PARTS = ("label",), ("score", "rank")
"""The keywords of the numbers that judgments and predictions have."""


def _columns_for(columns: dict[str, Column], keywords: tuple[str, ...]) -> dict[str, Column]:
    """Return the columns of queries and of the numbers with one of some keywords."""
    return {name: columns[name] for name in ("query", *keywords) if name in columns}


def are_at_first_ranks(
    query: NDArray[np.integer[Any]],
    values: NDArray[Any],
    depth: int,
    *,
    are_ranks: bool = False,
) -> NDArray[np.bool_]:
    """Return which rows can be at the ranks of their query up to `depth`."""
    if are_ranks:  # an item is never above its rank
        return np.asarray(values <= depth)
    runs = Runs(np.arange(query.max(initial=-1) + 1), *cut_runs(query))
    return are_first(values, groups_of(runs), depth)


def part_columns(columns: dict[str, Column], duplicates: str) -> Joined:
    """Return the judged and the predicted entries of one table."""
    query_ids = read_ids(columns["query"])
    all_queries, places, _ = join_ids(query_ids, _NO_IDS)
    all_queries = np.asarray(all_queries)
    query = query_ids.code_at(places)
    row = np.arange(query.size)
    item = row
    all_items: NDArray[Any] | PackedText = row
    if columns["query"].rows is not None:
        all_items = columns["query"].rows
    if "item" in columns:
        item_ids = read_ids(columns["item"], query_ids)
        all_items, places, _ = join_ids(item_ids, _NO_IDS)
        item = item_ids.code_at(places)
    unsorted = Cells(query, item, row, columns)
    cells = _sorted_cells(unsorted, all_queries, all_items, duplicates, has_rows=True)
    of_labels, of_scores = _PARTS
    judged = _part_of(cells._replace(row=None), of_labels, query_ids)
    predicted = _part_of(cells, of_scores, query_ids)
    is_judged, is_predicted = (
        are_in(each.query, all_queries.size) for each in (judged, predicted)
    )
    return Joined(judged, predicted, all_queries, all_items, is_judged, is_predicted)


_NO_IDS = Ids(np.empty(0, np.intp), np.empty(0, object), "")


_A_NAME = "the name of a column"


def check_names_of_columns(function: str, **names: Any) -> None:
    """Raise unless columns are given by name, not as arrays."""
    for parameter, name in names.items():
        if not is_name(name):
            raise invalid(parameter, function, _A_NAME, describe(name))


def _check_one_of(score: Any, rank: Any, function: str, *, may_be_sought: bool) -> None:
    """Raise unless predictions come with scores or with ranks."""
    if (score is None) == (rank is None) and not (may_be_sought and score is None):
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


def alike(judged: Column, predicted: Column, judged_ids: Ids, predicted_ids: Ids) -> list[Ids]:
    """Return the ids of two tables, with dates in one unit. Raise if they can never be equal."""
    kind, other = judged_ids.kind, predicted_ids.kind
    if kind and other and kind != other:
        how = f"such as by `{how_to_cast(judged if other == 'text' else predicted, str)}`"
        if {kind, other} == {DATES, DATES_IN_ZONE}:
            how = "with a time zone in both tables or in neither"
        elif "bytes" in (kind, other):  # `str` of bytes is "b'...'"
            how = "such as by `bytes.decode` of each"
        raise predicted.invalid(
            f"{kind}, like {judged.source}",
            other,
            "Ids of different kinds are never equal.",
            code=f"{ONE_KIND}, {how}.",
        )
    both = [judged_ids, predicted_ids]
    if kind == other and kind in (DATES, DATES_IN_ZONE, "durations"):
        try:
            values = in_one_unit([np.asarray(ids.values) for ids in both])
        except UnusableError as error:
            expected = f"{kind} that fit into one unit with those of {judged.table}"
            dtype = f"{'timedelta' if kind == 'durations' else 'datetime'}64[us]"
            code = f"Round them first, such as by `.astype({dtype!r})`."
            raise predicted.invalid(expected, str(error), code=code) from error
        both = [ids._replace(values=each) for ids, each in zip(both, values, strict=True)]
    return both


def read_values(columns: dict[str, Column], query: Ids) -> Numbers:
    """Return the labels, scores or ranks of a table. Labels are 1 if there is no such column."""
    keyword, column = list(columns.items())[-1]
    if keyword == "item":
        return Numbers(np.ones(query.code.size, dtype=np.int8), None)
    numbers = read_numbers(column)
    values = numbers.values
    expected = f"a finite {keyword} {column.in_each}"
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
        advice = _ADVICE.get(column.table, {}).get(keyword, "")
        raise column.invalid(expected, got, advice, place=place)
    return numbers


def _part_of(cells: Cells, keywords: tuple[str, ...], query: Ids) -> Cells:
    """Return the cells with a value in the column of a keyword. The input's values are rows."""
    columns = _columns_for(cells.columns, keywords)
    values, row = read_values(columns, query)
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
        f"a {keyword} {column.in_each}",
        "null or NaN",
        f"Leave out items that were not {state}."
        if column.holder
        else f"Drop the rows of items that were not {state}.",
        code="" if column.holder or column.table in _OF_TWO else _IF_JOINED,
        place=place_of_row(first, query),
    )


def _sorted_cells(
    cells: Cells,
    queries: NDArray[Any],
    items: NDArray[Any] | PackedText,
    duplicates: str,
    *,
    has_rows: bool,
) -> Cells:
    """Return cells sorted by query and by item. Raise if one is there twice and may not be.

    With `has_rows` they have their rows, unless those of each query are in order already. The rows
    are counted after those of each query were put together.
    """
    if (cells.query[1:] < cells.query[:-1]).any():
        cells = cells.where(stable_order(cells.query))
    row: Rows | None = None
    dtype = np.int32 if items.size < 2**31 else np.int64
    in_order = cells._replace(
        item=np.empty(cells.item.size, dtype), values=np.empty_like(cells.values)
    )
    for block in blocks_of_rows(cells.query):
        query, item, values = cells.query[block], cells.item[block], cells.values[block]
        order = order_in_rows(query, item, items.size)
        if order is not None:
            item, values = item.take(order), values.take(order)
            if has_rows:
                row = all_rows(cells.query.size) if row is None else row
                row[block] = order + block.start
        if duplicates == "error":
            is_repeat = item[1:] == item[:-1]
            is_repeat &= query[1:] == query[:-1]
            if is_repeat.any():
                block_cells = cells._replace(query=query, item=item, values=values)
                raise _repeated(block_cells, int(np.argmax(is_repeat)), queries, items)
        in_order.item[block], in_order.values[block] = item, values
    return in_order._replace(row=row)


def _repeated(
    cells: Cells, first: int, queries: NDArray[Any], items: NDArray[Any] | PackedText
) -> InvalidParameterError:
    """Return the error about a cell that is there more than once."""
    keyword, column = list(cells.columns.items())[-1]
    advice = f"Keep one {'place' if column.holder else 'row'} of each{_ONE_OF.get(keyword, '')}."
    code = BEST_OR_HOLD + (OF_UNJUDGED if column.table in _OF_TWO else OF_JUDGED)
    code = HIGHEST_LABEL if keyword in ("label", "item") else code
    if column.table == "judgments" and not column.holder:
        code += f" {ONE_OF_AN_ASPECT}"
    if column.table == "table":
        rows = cells.values[first : first + 2]
        has_label, has_value = (
            np.isin(rows, rows if number_rows is None else number_rows)
            for number_rows in (
                read_numbers(cells.columns[each]).row for each in ("label", keyword)
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
