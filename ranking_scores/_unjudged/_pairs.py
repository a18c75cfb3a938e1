"""The rankings of one system or of two systems over the same items, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from ranking_scores._base import (
    as_objects,
    as_sortable,
    invalid,
    match_ids,
    python_ids,
    show_some,
    unique_identifiers,
)
from ranking_scores._metrics import NamedScore, Plan, Systems, rank_each
from ranking_scores._queries import (
    Block,
    Data,
    Lists,
    Need,
    Queries,
    Relevance,
    count_items,
    is_list_column,
    read_lists,
    stored_entries,
)
from ranking_scores._tables import RankingData, with_fillers

Positions = NDArray[np.intp]


@dataclass(frozen=True)
class Rankings:
    """Rankings over the same items. The data has the number of each item in place of its score."""

    data: Data
    scores: tuple[NDArray[Any], ...]
    """The scores of each system by these numbers, NaN where it does not rank the item. The last
    one is NaN, for cells without an item."""

    def blocks(self, queries: Queries, plan: Plan) -> Iterator[tuple[Block, Systems]]:
        """Yield the blocks of some queries, with the rankings of each system."""
        for block in queries.blocks():
            number = np.where(np.isnan(block.scores), -1, block.scores).astype(np.intp)
            of_cells = [each[number] for each in self.scores]
            yield block, rank_each(block, of_cells, plan.call.depth, queries.weight)


def of_arrays(data: Data, *others: Data) -> Rankings:
    """Return the rankings of data in any layout, and of others that differ only in the scores."""
    given: list[NDArray[Any]] = []
    for each in (data, *others):
        if issparse(each.y_score):
            return _of_sparse(data, [one.y_score for one in (data, *others)])
        if is_list_column(each.y_score):
            given.append(read_lists(each, "y_score").values)
        else:
            given.append(each.scores.ravel())
    numbers: Any = np.arange(float(given[0].size))
    if is_list_column(data.y_score):
        numbers = Lists(numbers, read_lists(data, "y_score").length)
    else:
        numbers = numbers.reshape(data.scores.shape)
    return Rankings(replace(data, y_score=numbers, order=None), tuple(map(_by_number, given)))


def _by_number(scores: NDArray[Any]) -> NDArray[Any]:
    """Return scores as floats that sort alike, followed by NaN."""
    sortable = as_sortable(scores)
    return np.append(sortable, sortable.dtype.type(np.nan))


def _of_sparse(data: Data, scores: list[Any]) -> Rankings:
    """Return the rankings of sparse scores, in one matrix of all items that any of them stores."""
    stored = [csr_array(each) for each in scores]
    for each in stored:
        each.sort_indices()
    shape = stored[0].shape
    keys = [_cells_of(each) for each in stored]
    cells = np.unique(np.concatenate(keys))
    row, column = np.divmod(cells, shape[1])
    start = np.searchsorted(row, np.arange(shape[0] + 1))
    numbers = csr_array((np.arange(float(cells.size)), column, start), shape=shape)
    of_cells = []
    for each, own in zip(stored, keys, strict=True):
        sortable = as_sortable(each.data)
        values = np.full(cells.size + 1, np.nan, sortable.dtype)
        values[np.searchsorted(cells, own)] = sortable
        of_cells.append(values)
    order = data.order and data.order._replace(row=None, repeats=None)
    return Rankings(replace(data, y_score=numbers, order=order), tuple(of_cells))


def _cells_of(matrix: csr_array) -> Positions:
    """Return a number for each cell that a matrix stores, row after row."""
    stored = stored_entries(matrix)
    return np.asarray(stored.row * matrix.shape[1] + stored.column)


def of_tables(one: RankingData, other: RankingData, function: str, parameter: str) -> Any:
    """Return the data of two systems over the same queries and items, with equal judgments."""
    rows, missing, others, _ = match_ids(other.query_ids, one.query_ids)
    if missing.size or others.size:
        expected = "RankingData with the same queries"
        got = f"none for {show_some(missing)}" if missing.size else f"others, {show_some(others)},"
        raise invalid(parameter, function, expected, got)
    names, columns = _joined_items(one.item_ids, other.item_ids, function, parameter)
    matrices = [
        [_in_columns(getattr(data, name), of_data, names.size) for name in ("y_true", "y_score")]
        for data, of_data in zip((one, other), columns, strict=True)
    ]
    matrices[1] = [each[rows] for each in matrices[1]]
    (labels, scores), (other_labels, other_scores) = matrices
    are_same = all(
        np.array_equal(getattr(labels, name), getattr(other_labels, name))
        for name in ("indptr", "indices", "data")
    )
    if not are_same:
        expected = "RankingData of the same judgments, as an item has one label for both"
        raise invalid(parameter, function, expected, "other judgments")
    return one._replace(y_true=labels, y_score=scores, item_ids=names), other_scores


def check_columns(
    plan: Plan, one: RankingData, other: RankingData, function: str, parameter: str
) -> None:
    """Raise if scores depend on columns that only one of two systems has."""
    gains = plan.need.gains or (plan.gain,) * isinstance(plan.gain, Relevance)
    if Need(plan.call.depth, gains).can_skip_zeros(one.y_true.dtype):
        return
    items, others = (each.item_ids for each in (one, other))
    if items.size != others.size or python_ids(items) != python_ids(others):
        expected = "RankingData with the same items, since items with the label 0 count here"
        raise invalid(parameter, function, expected, "other items", code=_SAME_ITEMS)


_SAME_ITEMS = "Join all systems with all items, or choose a gain that is 0 for the label 0."


def plans_of_systems(bound: NamedScore, data: RankingData, *scores: Any) -> tuple[Plan, ...]:
    """Return the plan of a score for each of several systems over the same items."""
    y_true, _, order = data.in_columns()
    order, ids = order._replace(row=None, repeats=None), data.query_ids
    return tuple(bound.plan(y_true, each, query_ids=ids, order=order) for each in scores)


def _joined_items(
    one: NDArray[Any], other: NDArray[Any], function: str, parameter: str
) -> tuple[NDArray[Any], list[Positions]]:
    """Return the ids of the items of two systems, and the column of each item of both.

    Columns without an item, which fill gaps between ranks, come last. They are no common items.
    """
    ids = [each[: count_items(each)] for each in (one, other)]
    same = ids[0].dtype.kind == ids[1].dtype.kind
    joined = np.concatenate(ids) if same else as_objects([*ids[0].tolist(), *ids[1].tolist()])
    names, which = unique_identifiers(joined, parameter, function)
    columns, first = [], names.size
    for each, of_ids in zip((one, other), np.split(which, [ids[0].size]), strict=True):
        n_filling = each.size - of_ids.size
        columns.append(np.append(of_ids, np.arange(first, first + n_filling)))
        first += n_filling
    return with_fillers(names, first - names.size), columns


def _in_columns(matrix: Any, columns: Positions, n_columns: int) -> csr_array:
    """Return a matrix with its columns moved."""
    given = csr_array(matrix)
    moved = csr_array(
        (given.data, columns[given.indices], given.indptr), shape=(given.shape[0], n_columns)
    )
    moved.sort_indices()
    return moved
