"""Retrieved items: a sparse `y_score` stores a score for each item that was found.

An item that is not stored has no rank, but it still counts in the ideal and among the relevant
items.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place
from ranking_scores._base._threads import once
from ranking_scores._base._validation import as_csr, check_stored, csr_array, is_sparse
from ranking_scores._queries._blocks import (
    BlockCells,
    BlockItems,
    CheckedQueries,
    Positions,
    QueryPart,
    Rows,
    all_weights,
    are_weights,
    as_weights,
    by_row,
    cut_by_length,
    items_in_rows,
    queries_per_block,
    rows_of,
)
from ranking_scores._queries._counting import FEW, Counts, most_labelled
from ranking_scores._queries._data import BESIDE_RETRIEVED, CallData, DataNeeds, Mask
from ranking_scores._queries._rows import (
    CellValues,
    DenseLabels,
    Labels,
    all_entries,
    sparse_labels,
    stored_entries,
)

_MOST_MARKS = 2**10
"""The number of marks for each query that stay in the cache, for the queries of a block."""


def check(data: CallData, need: DataNeeds) -> CheckedQueries:
    """Return the queries in the rows of sparse scores."""
    data.refuse(BESIDE_RETRIEVED, "y_score is sparse")
    ids = getattr(data.y_score, "ids_by_rank", None)
    if data.item_weight is not None or not need.to_count(1).counted:
        ids = None  # all items need columns or ranks
    scores = check_stored(data.y_score, "y_score", data.function) if ids is None else data.y_score
    labels: Labels
    if is_sparse(data.y_true):
        labels = sparse_labels(data, need)
    elif data.truth.ndim == 1:
        expected = "2-D with one query per row if y_score is sparse"
        code = "With class labels y_score must be dense: use `y_score.toarray()`."
        raise data.invalid("y_true", expected, f"shape {data.truth.shape}", code=code)
    else:
        labels = DenseLabels(data.true_labels)
    data.check_same_shape(labels.shape, scores.shape)
    n_queries, n_items = scores.shape
    item_weight, n_left = None, np.full(n_queries, n_items)
    if data.item_weight is not None:
        item_weight = data.weight_of_items(scores.shape)
    weight = data.weight_of_each(n_queries)
    n_judged, skips_zeros = np.full(n_queries, n_items), False
    if labels.n_stored is not None and need.can_skip_zeros(labels.dtype):
        n_judged, skips_zeros = labels.n_stored, True
    if ids is None:
        n_found = np.diff(scores.indptr)
    else:
        is_full = ids[:, -1:].min(initial=0) == 0
        n_found = np.full(n_queries, ids.shape[1]) if is_full else (ids >= 0).sum(axis=1)
    # Items that were found may all be judged, besides others, once their labels are known.
    n_needed = n_found + n_judged if need.tells_known else np.maximum(n_found, n_judged)
    n_cells = np.maximum(np.minimum(n_needed, n_items), 1)
    last_rank = int(n_cells.max())
    if ids is not None:
        ids = ids[:, : need.depth]
        if not skips_zeros and FEW * labels.n_nonzero() < n_queries * n_items:
            n_judged //= FEW
        # Few of the ids are likely to have labels.
        n_cells = np.maximum(n_judged, max(ids.shape[1] // FEW, FEW))
    if item_weight is not None:
        n_left = _count_weights(item_weight, data)
    need = need.to_count(most_labelled((n_queries, last_rank), need))
    layout = RetrievedLayout(
        data, labels, scores, item_weight, skips_zeros, n_cells, n_left, need, n_found, ids
    )
    queries = CheckedQueries(n_queries, n_items, last_rank, weight, layout, need)
    if ids is None:
        return queries
    # Only explanations ask for columns.
    return queries._replace(
        in_columns=lambda: check(replace(data, y_score=as_csr(data.y_score)), need)
    )


@dataclass(frozen=True)
class RetrievedLayout:
    """Queries in the rows of sparse scores."""

    data: CallData
    labels: Labels
    scores: csr_array
    item_weight: NDArray[Any] | None
    skips_zeros: bool
    """Whether items with the label 0 are left out of the judged items."""
    n_cells: Positions
    """The number of cells that each query needs, for the items found or for the judged items."""
    n_left: Positions
    """The number of items of each query that have a weight."""
    need: DataNeeds
    n_found: Positions
    """The number of items found for each query."""
    ids: NDArray[Any] | None
    """The ids at the ranks that count, (n_queries, n_ranks), with -1 after the last one, if only
    items with labels need ranks; None: the scores tell the ranks."""
    advice: ClassVar[dict[str, str]] = {
        "y_true": "Give items that were not judged the label 0, or do not store their labels, and "
        'see "Unjudged documents" in the guide.',
        "y_score": "Do not store such items.",
    }

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return self.n_left.size

    @once
    def n_named(self) -> int | None:
        """The number of columns with an item; None: no column only fills ranks."""
        order = self.data.order
        if order is None or order.n_items == order.item_ids.size:
            return None
        return order.n_items

    def cuts(self) -> Iterator[Positions]:
        """Yield queries that need a similar number of cells."""
        for queries in cut_by_length(self.n_cells):
            yield np.sort(queries)

    def read(self, queries: Positions) -> QueryPart:
        """Return the items found and the judged items of some queries."""
        rows = rows_of(queries)
        if self.ids is not None:
            return self._read_ids(queries, self.ids[rows])
        stored = self.labels.nonzero(rows) if self.skips_zeros else None
        judged = self._taking_part(queries, stored or all_entries(self.labels.dense(rows)))
        found = self._taking_part(queries, self._found(rows))
        labels_of_found = (
            self.labels.at(rows, found.cells)
            if stored is None
            else stored.at(found.cells, np.nan if self.need.tells_known else 0)
        )
        ranked = self._items(queries, found._replace(values=labels_of_found))
        return QueryPart(
            found.values,
            ranked.shape,
            ranked.is_item,
            ranked.at,
            self._items(queries, judged),
            self.n_left[queries],
        )

    def _read_ids(self, queries: Positions, ids: NDArray[Any]) -> QueryPart:
        """Return the judged items of some queries, and those of them that were found.

        The judged items are marked in a row for each query, so that the label of an id is looked
        up only if its mark is set. If there are many items, several of them share a mark::

            judged items       2  9            n = 4
            marks of id % n    0  1  1  0
            ids by rank        5  7  2         the marks of 5 and 2 are set, but 5 has no label
        """
        rows, (n_queries, n_items) = rows_of(queries), (queries.size, self.labels.shape[1])
        entries = self.labels.nonzero(rows) or all_entries(self.labels.dense(rows))
        n_marks, column, mark = min(n_items, _MOST_MARKS), entries.column, ids
        if n_items > n_marks:
            column, mark = column % n_marks, ids % n_marks
        is_marked = np.zeros(n_queries * n_marks, dtype=bool)
        is_marked[entries.row * n_marks + column] = True
        mark = mark + np.arange(0, is_marked.size, n_marks)[:, None]
        row, above = BlockCells.from_flat(np.flatnonzero(is_marked.take(mark)), ids.shape[1])
        item = ids[row, above]
        is_id = item >= 0  # -1 looks at a mark of another row
        row, above = row[is_id], above[is_id]
        found, labels = entries.find(BlockCells(row, item[is_id]))
        row, above = row[found], above[found]
        ranked = self._items(queries, CellValues(row, above, labels))
        counts = Counts(above, np.ones_like(above), self.n_found[queries])
        judged, n_left = self._items(queries, entries), self.n_left[queries]
        return QueryPart(
            -above, ranked.shape, ranked.is_item, ranked.at, judged, n_left, counts=counts
        )

    def place(self, query: int) -> Place:
        """Return a query, which is the number of its row, as the place of an error."""
        return Place(query=query)

    def places_of(self, query: int) -> tuple[Positions, Positions]:
        """Return the columns of the items found and of the judged items of a query."""
        queries, rows = np.array([query]), slice(query, query + 1)
        stored = self.labels.nonzero(rows) if self.skips_zeros else None
        judged = self._taking_part(queries, stored or all_entries(self.labels.dense(rows)))
        return self._taking_part(queries, self._found(rows)).column, judged.column

    def _found(self, rows: Rows) -> CellValues:
        """Return the items that were found, in the order of their columns."""
        scores = self.scores
        if scores.has_canonical_format:
            return stored_entries(scores, rows)
        in_order = scores[rows]  # a copy
        in_order.sort_indices()
        found = stored_entries(in_order)
        if _repeats(found).any():
            raise self._stored_twice()
        return found

    def _taking_part(self, queries: Positions, entries: CellValues) -> CellValues:
        """Return the items that have a weight."""
        if self.item_weight is None:
            return entries
        weights = self.item_weight[queries[entries.row], entries.column]
        return entries.where(as_weights(weights) > 0)

    def _items(self, queries: Positions, entries: CellValues) -> BlockItems:
        """Return the items of labels."""
        weights = None
        if self.item_weight is not None:
            weights = as_weights(self.item_weight[queries[entries.row], entries.column])

        place = by_row(self, queries)
        items = items_in_rows(entries.values, entries.row, queries.size, weights, place)
        if not self.need.tells_known:
            return items
        fills_rank = None if self.n_named is None else entries.column >= self.n_named
        labels_are_sparse = is_sparse(self.data.y_true)
        return items.with_known(self.need, is_sparse=labels_are_sparse, fills_rank=fills_rank)

    def _stored_twice(self) -> Exception:
        """Return the error about the first item that is stored more than once."""
        stored = stored_entries(self.scores.sorted_indices())
        first = int(np.argmax(_repeats(stored)))
        got, place = f"item {stored.column[first]} more than once", self.place(stored.row[first])
        expected = "a matrix that stores each item once"
        return self.data.invalid("y_score", expected, got, place=place)


def _repeats(entries: CellValues) -> Mask:
    """Return which of sorted entries are in the same cell as the next one."""
    return np.asarray((np.diff(entries.row) == 0) & (np.diff(entries.column) == 0))


def _count_weights(item_weight: NDArray[Any], data: CallData) -> Positions:
    """Return the number of items in each row that have a weight."""
    n_queries, n_items = item_weight.shape
    if item_weight.strides[0] == 0:  # the same row for all queries, by np.broadcast_to
        item_weight = item_weight[:1]
    n_rows = queries_per_block(n_items)
    count = np.empty(item_weight.shape[0], dtype=np.intp)
    for start in range(0, item_weight.shape[0], n_rows):
        weights = as_weights(item_weight[start : start + n_rows])
        if not all_weights(weights):
            row = start + int(np.argmin(are_weights(weights).all(axis=1)))
            raise data.not_weights(Place(query=row))
        count[start : start + n_rows] = np.count_nonzero(weights, axis=1)
    return np.broadcast_to(count, n_queries)
