"""One query per row: `y_score` of shape (n_queries, n_items), `y_true` dense or sparse.

This is the last layout to be tried, so it also raises the errors about data in no layout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import Place, is_sparse
from ranking_scores._queries._blocks import (
    NOT_JUDGED,
    NOT_RETRIEVED,
    Cells,
    Floats,
    Items,
    Part,
    Positions,
    Queries,
    Rows,
    all_weights,
    are_weights,
    as_weights,
    cut_into_blocks,
    items_in_rows,
    items_of,
    lengths_of,
    place_of_number,
    placer,
    queries_per_block,
    read_one,
    rows_of,
)
from ranking_scores._queries._contenders import is_searchable, rows_in_cache
from ranking_scores._queries._data import Data, Mask, Need
from ranking_scores._queries._labels import DenseLabels, Labels, sparse_labels
from ranking_scores._queries._swapped import warn_if_swapped

_TOP_BLOCK_ROWS, _TOP_BLOCK_CELLS = 256, 2**25
"""If few ranks count, a block needs almost no memory besides the data that it reads."""
_COPIED_BLOCK_CELLS = 2**22
"""The size of a block that copies some of its data, or all of it in Fortran order."""

_LEAVE_OUT = "Use `where` to leave out the items that take no part."
_ADVICE = {
    "y_true": f"{_LEAVE_OUT} {NOT_JUDGED}",
    "y_score": (
        f"{_LEAVE_OUT} {NOT_RETRIEVED} A sparse y_score stores only the items that were retrieved."
    ),
}


def is_it(data: Data) -> bool:
    """Return True: the queries of all other data are in rows."""
    return True


def check(data: Data, need: Need) -> Queries:
    """Return the queries in the rows of 2-D scores."""
    data.refuse_labels()
    if is_sparse(data.y_true):
        return queries_in_rows(sparse_labels(data, need), data, need)
    if data.true_labels.ndim == 1:
        raise data.invalid(
            "y_true",
            "2-D, one query per row, unless `qid` says which query each row belongs to",
            f"shape {data.true_labels.shape} without `qid`",
            code="For one query pass `[y_true], [y_score]`, or `np.asarray(y_true)[None, :]` and "
            "`np.asarray(y_score)[None, :]` for arrays. For several queries pass `qid`.",
        )
    queries = queries_in_rows(DenseLabels(data.true_labels), data, need)
    warn_if_swapped(data.true_labels, data.scores, data.function)
    return queries


def queries_in_rows(labels: Labels, data: Data, need: Need) -> Queries:
    """Return the queries in the rows of 2-D scores, with labels in any form."""
    scores = data.scores
    data.check_same_shape(labels.shape, scores.shape)
    n_queries, n_items = scores.shape
    mask = data.mask_of_items()
    item_weight = data.weight_of_items(scores.shape)
    weight = data.weight_of_each(n_queries)
    if not n_items:  # a column in which no item takes part
        n_items, mask = 1, np.zeros((n_queries, 1), dtype=bool)
        labels, scores = DenseLabels(np.zeros((n_queries, 1))), np.zeros((n_queries, 1))
        item_weight = None if item_weight is None else scores
    is_top = need.is_top(n_items)
    skips_zeros = is_top and need.can_skip_zeros(labels.dtype)
    n_left = lengths_of(mask, scores.shape)
    layout = RowLayout(data, labels, scores, mask, n_left, item_weight, is_top, skips_zeros, need)
    longest = n_items if mask is None else int(n_left.max())
    blocks = partial(cut_into_blocks, layout, need)
    return Queries(
        n_queries,
        longest,
        longest,
        weight,
        blocks,
        partial(read_one, layout),
        are_single=longest == 1,
    )


@dataclass(frozen=True)
class RowLayout:
    """Queries in the rows of 2-D scores."""

    data: Data
    labels: Labels
    scores: NDArray[Any]
    mask: Mask | None
    n_left: Positions
    """The number of items of each query that the mask leaves."""
    item_weight: NDArray[Any] | None
    is_top: bool
    """Whether few ranks count."""
    skips_zeros: bool
    """Whether items with the label 0 are left out of the judged items."""
    need: Need

    @property
    def advice(self) -> dict[str, str]:
        """The advice about labels or scores that are not finite."""
        # With class labels, all classes are judged and ranked.
        return {"y_score": _LEAVE_OUT} if self.data.has_class_labels else _ADVICE

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return int(self.scores.shape[0])

    def cuts(self) -> Iterator[Positions]:
        """Yield some rows after the other."""
        n_queries, n_items = self.scores.shape
        n_rows = queries_per_block(n_items)
        if self.is_top and is_searchable(self.scores.dtype):
            is_masked = self.mask is not None or self.item_weight is not None
            is_copied = is_masked or not self.scores.flags.c_contiguous
            n_cells = _COPIED_BLOCK_CELLS if is_copied else _TOP_BLOCK_CELLS
            n_rows = max(n_rows, min(n_cells // n_items, _TOP_BLOCK_ROWS))
        for start in range(0, n_queries, n_rows):
            yield np.arange(start, min(start + n_rows, n_queries))

    def read(self, queries: Positions) -> Part:
        """Return some rows."""
        rows = rows_of(queries)
        shape = queries.size, self.scores.shape[1]
        is_item, n_items = None if self.mask is None else self.mask[rows], self.n_left[rows]
        weights = None
        if self.item_weight is not None:
            weights = as_weights(self.item_weight[rows])
            is_item = self._with_weight(queries, weights, is_item)
            n_items = lengths_of(is_item, shape)
        if is_item is not None and is_item.all():
            is_item = None
        entries = self.labels.nonzero(rows) if self.skips_zeros else None
        if entries is None:
            judged = all_items = self._all_items(queries, rows, is_item, weights)
        else:
            if is_item is not None:
                entries = entries.where(is_item[entries.row, entries.column])
            judged, all_items = self._items(queries, entries.cells, entries.values, weights), None

        def ranked_at(cells: Cells | None) -> Items:
            if cells is not None:
                return self._items(queries, cells, self.labels.at(rows, cells), weights)
            return all_items or self._all_items(queries, rows, is_item, weights)

        scores = self.scores[rows]
        if not is_searchable(scores.dtype):
            scores = items_of(scores, is_item)
        return Part(scores, shape, is_item, ranked_at, judged, n_items)

    def place(self, query: int) -> Place:
        """Return a query, which is the number of its row, as the place of an error."""
        return place_of_number(query)

    def places_of(self, query: int) -> tuple[Positions, Positions]:
        """Return the columns of the items of a query, all of which are ranked and judged."""
        takes_part = np.ones(self.scores.shape[1], dtype=bool)
        if self.mask is not None:
            takes_part &= self.mask[query]
        if self.item_weight is not None:
            takes_part &= as_weights(self.item_weight[query]).astype(bool)
        column = np.flatnonzero(takes_part)
        return column, column

    def _with_weight(self, queries: Positions, weights: Floats, mask: Mask | None) -> Mask:
        """Check the weights, and return the mask of the items that take part with a weight."""
        takes_part = np.empty(weights.shape, dtype=bool)
        for rows in rows_in_cache(weights):
            row_weights, part = weights[rows], None if mask is None else mask[rows]
            if not all_weights(items_of(row_weights, part)):
                is_right = (
                    are_weights(row_weights) if part is None else are_weights(row_weights) | ~part
                )
                row = rows.start + int(np.argmin(is_right.all(axis=1)))
                raise self.data.not_weights(self.place(int(queries[row])))
            np.greater(row_weights, 0, out=takes_part[rows])
        return takes_part if mask is None else mask & takes_part

    def _all_items(
        self, queries: Positions, rows: Rows, is_item: Mask | None, weights: Floats | None
    ) -> Items:
        """Return all items of some rows that take part."""
        labels = items_of(self.labels.dense(rows), is_item)
        kept_weights = None if weights is None else items_of(weights, is_item)
        shape = queries.size, self.scores.shape[1]
        items = Items(labels, shape, is_item, kept_weights, placer(queries, self.place))
        return items.for_need(self.need, is_sparse=is_sparse(self.data.y_true))

    def _items(
        self, queries: Positions, cells: Cells, labels: NDArray[Any], weights: Floats | None
    ) -> Items:
        """Return the items in some cells of some rows, given their labels."""
        kept_weights = None if weights is None else weights[cells.row, cells.column]
        place_of_row = placer(queries, self.place)
        items = items_in_rows(labels, cells.row, queries.size, kept_weights, place_of_row)
        return items.for_need(self.need, is_sparse=is_sparse(self.data.y_true))
