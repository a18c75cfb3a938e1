"""Judgments and predictions by the ids of queries and items, read as deep as a score asks.

An item that can be at no rank that counts is not looked at, and its id is compared with no other.
The label of an item is found among the judgments of its own query. The ideal and the number of
relevant items come from the judgments alone, so most scores need no columns. What needs them is
read in the retrieved layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place
from ranking_scores._queries import _retrieved
from ranking_scores._queries._blocks import (
    BlockItems,
    CheckedQueries,
    Positions,
    QueryPart,
    Rows,
    RowsOfQueries,
    as_padded,
    by_row,
    cut_by_length,
    groups_of_lengths,
    padding,
)
from ranking_scores._queries._counting import most_labelled
from ranking_scores._queries._data import BESIDE_RETRIEVED, CallData, DataNeeds, FirstItems, Mask


def check(data: CallData, need: DataNeeds) -> CheckedQueries:
    """Return the queries in the order of their ids."""
    advice = "Leave it out: the data has its own queries and items."
    data.refuse(dict.fromkeys(BESIDE_RETRIEVED, advice), "y_true is RankingData")
    first = None
    if not need.in_columns and not need.tells_known and data.item_weight is None:
        first = data.y_true.first_items(need.depth)
    if first is None or not need.can_skip_zeros(first.judged.dtype):
        return _retrieved.check(data.in_columns(), need)
    n_cells = np.maximum(np.maximum(first.n_found, first.n_judged), 1)
    n_queries, longest = n_cells.size, int(n_cells.max())
    groups = groups_of_lengths(first.n_found), groups_of_lengths(first.n_judged)
    layout = ByIdsLayout(data, first, *groups, n_cells, n_queries)
    weight = data.weight_of_each(n_queries)
    counted = need.to_count(most_labelled((n_queries, longest), need))

    def in_columns() -> CheckedQueries:  # which only explanations ask for
        return _retrieved.check(data.in_columns(), need)

    return CheckedQueries(
        n_queries, longest, longest, weight, layout, counted, in_columns=in_columns
    )


@dataclass(frozen=True)
class ByIdsLayout:
    """Queries of which only the items that count were read."""

    data: CallData
    first: FirstItems
    found: RowsOfQueries
    judged: RowsOfQueries
    n_cells: Positions
    """The number of cells that each query needs, for the items found or for the judged items."""
    n_queries: int
    advice: ClassVar[dict[str, str]] = {"y_true": "", "y_score": ""}  # all are finite

    def cuts(self) -> Iterator[Positions]:
        """Yield queries that need a similar number of cells."""
        for queries in cut_by_length(self.n_cells):
            yield np.sort(queries)

    def read(self, queries: Positions) -> QueryPart:
        """Return the items found and the judged items of some queries."""
        found, rows = self._items(queries, self.found, self.first.labels)
        judged, _ = self._items(queries, self.judged, self.first.judged)
        scores, n_items = self.first.scores[rows], self.n_cells[queries]
        return QueryPart(scores, found.shape, found.is_item, found.at, judged, n_items)

    def _items(
        self, queries: Positions, groups: RowsOfQueries, labels: NDArray[Any]
    ) -> tuple[BlockItems, Positions]:
        """Return the items of some queries, and their rows."""
        rows = groups.rows_of(queries)
        is_item, shape = padding(groups.length[queries])
        return BlockItems(labels[rows], shape, is_item, None, by_row(self, queries)), rows

    def place(self, query: int) -> Place:
        """Return a query, which is the number of its row, as the place of an error."""
        return Place(query=query)


def run_of(groups: RowsOfQueries, queries: Positions) -> Rows:
    """Return the rows of some queries, as a slice if they are side by side."""
    first = groups.first[queries]
    end = first + groups.length[queries]
    if groups.row is not None or not np.array_equal(first[1:], end[:-1]):
        return groups.rows_of(queries)
    return slice(int(first[0]), int(end[-1]))


def have_ties(scores: NDArray[Any], groups: RowsOfQueries) -> Mask:
    """Return in which queries some scores are equal."""
    are_tied = np.zeros(groups.length.size, dtype=bool)
    for queries in cut_by_length(groups.length):
        is_item, shape = padding(groups.length[queries])
        in_order = np.sort(as_padded(scores[groups.rows_of(queries)], is_item, shape), axis=1)
        are_tied[queries] = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    return are_tied


def are_first(scores: NDArray[Any], groups: RowsOfQueries, depth: int) -> Mask:
    """Return which rows can be among the first `depth` of their query, in some order of ties."""
    are_kept = np.ones(scores.size, dtype=bool)
    long = np.flatnonzero(groups.length > depth)
    for some in cut_by_length(groups.length[long]) if long.size else ():
        rows = run_of(groups, long[some])
        is_item, shape = padding(groups.length[long[some]])
        descending = -as_padded(scores[rows], is_item, shape)  # NaN stays behind
        reach_it = descending <= np.partition(descending, depth - 1, axis=1)[:, depth - 1, None]
        are_kept[rows] = reach_it.ravel() if is_item is None else reach_it[is_item]
    return are_kept
