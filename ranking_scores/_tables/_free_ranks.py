"""Ranks as scores. Ranks that are left out are filled with items that are not judged."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    blocks_of_rows,
    order_of_cells,
    python_ids,
    stable_order,
    start_runs,
)
from ranking_scores._tables._cells import Cells, as_rows
from ranking_scores._tables._columns import Column, Positions, place_of_query
from ranking_scores.exceptions import InvalidParameterError

_FILLERS_PER_ROW, _FILLERS = 16, 2**23
"""The limits of the number of items that fill gaps between ranks: per row of the table, and for
all queries together if there are few rows."""


def as_scores(
    cells: Cells, query_ids: NDArray[Any], n_items: int, may_be_free: tuple[int, int]
) -> tuple[Cells, int]:
    """Return ranks as scores, with items that fill the gaps. A lower rank has a higher score.

    An item is at its rank, or directly after the items above it if these take up more ranks. So
    the items of ranks 1, 1, 2, 7 are at 1 and 2, at 3, and at 7. Fillers are at 4, 5 and 6. The
    comments have the values of this example.
    """
    query, (most_free, most_in_all) = cells.query, may_be_free
    too_high = most_free + query.size + 1  # in any query
    rank = np.minimum(cells.values, too_high).astype(np.int64, copy=False)
    if _are_complete(query, rank):
        return cells._replace(values=-rank), 0
    order = order_of_cells(query, rank, too_high + 1)
    order = np.arange(query.size) if order is None else order
    is_first = np.ones(order.size, dtype=bool)
    group_query, group_rank = query[order], rank[order]
    is_first[1:] = (group_query[1:] != group_query[:-1]) | (group_rank[1:] != group_rank[:-1])
    start = np.flatnonzero(is_first)  # of the items of a query with the same rank: [0, 2, 3]
    group_query, group_rank = group_query[start], group_rank[start]  # the ranks are [1, 2, 7]
    n_above = start - np.searchsorted(query, group_query)  # [0, 2, 3]
    # The number of free ranks above an item, not counting the other items above it: [0, -1, 3].
    n_free = group_rank - n_above - 1
    # The highest so far in each query: [0, 0, 3]. Later queries are lifted above all earlier ones.
    lift = group_query * (n_free.max(initial=0) - n_free.min(initial=0) + 1)
    n_free = np.maximum.accumulate(n_free + lift) - lift
    position = np.empty(query.size, dtype=np.int64)  # [1, 1, 3, 7]
    position[order] = np.repeat(n_free + n_above + 1, np.diff(start, append=order.size))
    is_new = np.diff(group_query, prepend=-1) != 0
    before = np.where(is_new, 0, np.concatenate([[0], n_free[:-1]]))
    gap = n_free - before  # [0, 0, 3]
    if gap.sum() > most_in_all or n_free.max(initial=0) > most_free:
        groups = _Ranks(group_rank, np.diff(start, append=order.size), gap, n_free)
        raise _too_many_gaps(cells, query_ids, groups.last_filled())
    filler = np.repeat(before - np.cumsum(gap) + gap, gap) + np.arange(gap.sum())  # [0, 1, 2]
    place = filler + np.repeat(n_above + 1, gap)  # [4, 5, 6]
    row = cells.row
    if row is not None:  # fillers were not predicted, and come last
        first = int(row.max(initial=-1)) + 1
        row = as_rows(np.concatenate([row, first + filler]), first + filler.size)
    all_cells = cells._replace(
        row=row,
        query=np.concatenate([query, np.repeat(group_query, gap)]),
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
    cells = Cells(query[order], np.zeros(order.size, np.intp), rank[order], {"rank": column})
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
        most_free, most_in_all = limits_of_gaps(np.cumsum(self.n_rows[order]))
        can_be_filled = np.cumsum(self.gap[order]) <= most_in_all
        can_be_filled &= np.maximum.accumulate(self.n_free[order]) <= most_free
        can_be_filled &= np.diff(rank, append=-1) != 0  # the last of equals counts all
        return int(rank[can_be_filled].max(initial=0))


def _too_many_gaps(
    cells: Cells, query_ids: NDArray[Any], last_filled: int
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


def with_fillers(ids: NDArray[Any], n_fillers: int) -> NDArray[Any]:
    """Return ids followed by one None for each item that fills a gap."""
    if n_fillers == 0:
        return ids
    return np.fromiter([*python_ids(ids), *[None] * n_fillers], dtype=object)
