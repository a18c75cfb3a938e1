"""Queries that need several things: the labels of items for each aspect of a query.

A query ranks its items once, and an item has a label for each aspect. The queries are read as in
the layout by ids, and the label of an item is its place among the judged items of the query, from
1 on, or 0 if it was not judged for any aspect. `Aspects` has the labels that belong to the places.
A block of queries becomes a block with one row for each aspect::

    query  items by rank  places      aspect  labels at place 0, 1, 2  labels by rank
    q1     d7, d3, d9     1, 0, 2     who     0, 1, 0                  1, 0, 0
                                      when    0, 0, 1                  0, 0, 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._queries import _by_ids, _rows
from ranking_scores._queries._blocks import (
    Block,
    BlockItems,
    CheckedQueries,
    Floats,
    Positions,
    are_whole,
    as_padded,
    items_in_rows,
    queries_per_block,
    spread,
)
from ranking_scores._queries._counting import FEW, Counts
from ranking_scores._queries._data import Aspects, CallData, DataByIds, DataNeeds

_MANY = 2**22
"""If the items of all aspects have more cells, only those with a label other than 0 are ranked."""
_NO_ITEM_WEIGHT = "An item weighs the same for all aspects of a query, so weigh these instead."


class AspectRows(NamedTuple):
    """The aspects in the rows of a block."""

    row: Positions
    """The row of the query of each aspect."""
    n_queries: int
    weight: Floats | None
    """The weight of each aspect; None: all weigh the same."""
    aspect: Positions
    """The number of each aspect in `aspects`."""
    aspects: Aspects
    """The labels of all aspects, perhaps without those of 0."""


def check(data: CallData, need: DataNeeds) -> CheckedQueries:
    """Return the queries, of which the labels are places, with their aspects."""
    data.refuse({"item_weight": _NO_ITEM_WEIGHT}, "y_true is over aspects")
    need = need._replace(counted=())  # the labels of items are places
    if isinstance(data.y_true, DataByIds):
        queries = _by_ids.check(replace(data, y_true=data.y_true.places), need)
        return queries._replace(aspects=data.y_true.aspects)
    aspects = _aspects_of_array(data)
    places = np.broadcast_to(np.arange(1, data.scores.shape[1] + 1), data.scores.shape)
    return _rows.check(replace(data, y_true=places), need)._replace(aspects=aspects)


def _aspects_of_array(data: CallData) -> Aspects:
    """Return the aspects in labels of shape (n_queries, n_aspects, n_items).

    An aspect whose labels are all NaN only fills up the array.
    """
    refused = dict.fromkeys(("qid", "labels"), "Pass one query per row.")
    data.refuse(refused, "y_true is over aspects")
    labels = data.true_labels
    shape, n_queries, n_items = labels.shape, labels.shape[0], labels.shape[2]
    if not n_queries or not n_items:
        expected = "of shape (n_queries, n_aspects, n_items), with at least one query and item"
        raise data.invalid("y_true", expected, f"shape {shape}")
    if data.scores.shape != (n_queries, n_items):
        has_last = n_items == 1 and data.scores.shape == shape[:2]
        if has_last or data.scores.ndim == 3:  # an axis behind the items
            data.check_same_shape(shape, data.scores.shape)
        expected = f"of shape ({n_queries}, {n_items}), since y_true has the shape {shape}"
        raise data.invalid("y_score", expected, f"shape {data.scores.shape}")
    mask = None if data.where is None else data.mask_of_items()
    if mask is not None:
        labels = np.where(mask[:, None], labels, np.zeros((), labels.dtype))
    is_nan = np.isnan(labels)
    is_aspect = ~(is_nan if mask is None else is_nan | ~mask[:, None]).all(axis=2)
    query, number = np.nonzero(is_aspect)
    labels = labels[query, number]
    is_finite = np.isfinite(labels).all(axis=1)
    if not is_finite.all():
        row = int(np.argmin(is_finite))
        bad = labels[row][~np.isfinite(labels[row])][0]
        advice = "An aspect that a query does not have is NaN for all items."
        got = f"{bad} in aspect {number[row]} of query {query[row]}"
        raise data.invalid("y_true", "finite", got, advice)
    counts = is_aspect.sum(axis=1)
    # Queries without aspects share a last one, in which all labels are 0.
    n_aspects = query.size + 1
    return Aspects(
        np.where(counts > 0, np.cumsum(counts) - counts, query.size),
        np.maximum(counts, 1),
        [*number.tolist(), None],
        np.full(n_aspects, n_items),
        np.arange(n_aspects + 1) * n_items,
        np.tile(np.arange(1, n_items + 1), n_aspects),
        np.append(labels, np.zeros(n_items, labels.dtype)),
        None,
    )


class AspectExpansion:
    """Makes a row for each aspect of the queries of a block, which are ranked once."""

    def __init__(self, aspects: Aspects, need: DataNeeds) -> None:
        self._tells_known = need.tells_known
        self._skips_zeros = not need.tells_known and need.can_skip_zeros(aspects.labels.dtype)
        self._counted_gains = need.to_count(0).counted if self._skips_zeros else ()
        keeps_all = need.tells_known or aspects.labels.all()
        self._aspects = aspects if keeps_all else aspects.kept(aspects.labels != 0)

    def pieces(self, block: Block) -> Iterator[slice]:
        """Yield rows of a block whose aspects fit in the cache together."""
        n_queries, width = block.scores.shape
        n_rows = int(self._aspects.n_aspects[block.queries].sum())
        size = max(queries_per_block(width) * n_queries // n_rows, 1)
        for start in range(0, n_queries, size):
            yield slice(start, min(start + size, n_queries))

    def expanded(
        self, block: Block, some: slice, count_all: Callable[[], tuple[Positions, Positions]]
    ) -> tuple[Block, Positions, AspectRows]:
        """Return a block with a row for each aspect of some queries, and the rows of these.

        `count_all` returns how many items are above each cell, and how many are equal to it.
        """
        aspects, queries = self._aspects, np.arange(some.start, some.stop)
        aspect, query = _aspects_of(aspects, block.queries[some])
        rows = queries[query]
        weight = None if aspects.weight is None else aspects.weight[aspect]
        members = AspectRows(query, queries.size, weight, aspect, aspects)
        if self._skips_zeros:
            item, row = aspects.labels_of(aspect)
            place = block.judged.place_in(rows)
            judged = items_in_rows(aspects.labels[item], row, aspect.size, None, place)
        else:
            judged = self._labelled(block.judged, aspect, rows)
        numbers, n_items = block.queries[rows], block.n_items[rows]
        if self._counted_gains and rows.size * block.scores.shape[1] > _MANY:
            counted = self._counted(block, aspect, rows, *count_all())
            if counted is not None:
                ranked, counts = counted
                scores = as_padded(-counts.above, ranked.is_item, ranked.shape)
                return Block(numbers, scores, ranked, judged, n_items, counts), rows, members
        ranked = self._labelled(block.ranked, aspect, rows)
        return Block(numbers, block.scores[rows], ranked, judged, n_items), rows, members

    def _counted(
        self, block: Block, aspect: Positions, rows: Positions, above: Positions, equal: Positions
    ) -> tuple[BlockItems, Counts] | None:
        """Return the ranked items of each row with a label other than 0; None: they are many."""
        items, (item, row, index, _) = block.ranked, self._cells(block.ranked, aspect, rows)
        cell = index if items.is_item is None else np.flatnonzero(items.is_item)[index]
        order = np.lexsort((cell, row))
        item, row, above, equal = item[order], row[order], above[cell[order]], equal[cell[order]]
        labels, place = self._aspects.labels[item], items.place_in(rows)
        ranked = items_in_rows(labels, row, rows.size, None, place)
        n_listed = np.bincount(row, equal).max(initial=0)
        if n_listed * FEW > block.scores.shape[1] or (
            equal.max(initial=0) >= FEW and not are_whole(ranked, self._counted_gains)
        ):
            return None
        return ranked, Counts(above, equal, block.n_ranked[rows])

    def _cells(
        self, items: BlockItems, aspect: Positions, rows: Positions
    ) -> tuple[Positions, Positions, Positions, Positions]:
        """Return the labels of aspects whose items are among some items.

        Returns the index of each label, the row of its aspect, and the index of its item among the
        items of all queries, and among those of its query.
        """
        aspects, lengths = self._aspects, items.lengths
        first, last = int(rows[0]), int(rows[-1]) + 1  # which have all aspects of their queries
        length, start = lengths[first:last], int(lengths[:first].sum())
        place = items.labels[start : start + int(length.sum())].astype(np.intp)
        query = rows - first
        n_places = np.empty(length.size, np.intp)
        n_places[query] = aspects.n_places[aspect] + 1  # 0 is that of other items
        start_of_places = np.cumsum(n_places) - n_places
        cell_of_place = np.full(n_places.sum(), -1)
        cell = spread(np.zeros_like(length), length)
        cell_of_place[np.repeat(start_of_places, length) + place] = cell
        cell_of_place[start_of_places] = -1
        item, row = aspects.labels_of(aspect)
        cell = cell_of_place[start_of_places[query][row] + aspects.place[item]]
        is_there = cell >= 0
        item, row, cell = item[is_there], row[is_there], cell[is_there]
        return item, row, (np.cumsum(lengths) - lengths)[rows[row]] + cell, cell

    def _labelled(self, items: BlockItems, aspect: Positions, rows: Positions) -> BlockItems:
        """Return the items of some rows with their labels for aspects, most of which are 0."""
        item, row, _, cell = self._cells(items, aspect, rows)
        n_cells = items.lengths[rows]
        labels = np.zeros(n_cells.sum(), self._aspects.labels.dtype)
        index = (np.cumsum(n_cells) - n_cells)[row] + cell
        labels[index] = self._aspects.labels[item]
        is_item = None if items.is_item is None else items.is_item[rows]
        shape = rows.size, items.shape[1]
        found = BlockItems(labels, shape, is_item, None, items.place_in(rows))
        if not self._tells_known:
            return found
        known, fills_rank = np.zeros(labels.size, dtype=bool), items.in_rows(rows).fills_rank
        known[index] = True
        if fills_rank is not None:
            known |= fills_rank
        return found._replace(known=None if known.all() else known, fills_rank=fills_rank)


def judgments_of_aspects(
    aspects: Aspects, query: Positions, place: NDArray[Any]
) -> tuple[Positions, Positions, NDArray[Any]]:
    """Return the judgments of some items by their places, one for each aspect that judges them.

    Returns the index of the item, the aspect, and the label of each judgment.
    """
    queries, number = np.unique(query, return_inverse=True)
    aspect, row = _aspects_of(aspects, queries)
    index, own = aspects.labels_of(aspect)
    n_places = np.zeros(queries.size, np.intp)
    n_places[row] = aspects.n_places[aspect] + 1
    start = np.cumsum(n_places) - n_places
    item_at = np.full(n_places.sum(), -1)
    item_at[start[number] + place.astype(np.intp)] = np.arange(query.size)
    item = item_at[start[row[own]] + aspects.place[index]]
    order = np.argsort(item, kind="stable")[np.count_nonzero(item < 0) :]
    return item[order], aspect[own[order]], aspects.labels[index[order]]


def mean_over_aspects(values: Floats, members: AspectRows, replacement: float) -> Floats:
    """Return the mean over the aspects of each query, NaN if none is defined.

    `values` are those of the aspects at each cutoff, (n_aspects, n_cutoffs), NaN if undefined. The
    `replacement` counts in their place; NaN: they are left out. So are aspects that weigh nothing.
    """
    row, n_queries, weight, *_ = members
    is_defined = ~np.isnan(values)
    counts: NDArray[Any]
    filled = np.where(is_defined, values, replacement)
    counts = ~np.isnan(filled)
    if weight is not None:
        counts = counts * weight[:, None]
        is_defined &= counts > 0
    filled[counts == 0] = 0
    if weight is not None:
        filled *= counts
    means = np.full((n_queries, values.shape[1]), np.nan)
    for place in range(values.shape[1]):
        # `bincount` adds from the first to the last, so that a query always has the same bits.
        total, n_counted, n_defined = (
            np.bincount(row, each[:, place], n_queries) for each in (filled, counts, is_defined)
        )
        np.divide(total, n_counted, out=means[:, place], where=n_defined > 0)
    return means


def total_of_aspects(values: Floats, members: AspectRows) -> Floats:
    """Return the sum over the aspects of each query of their values times their weights."""
    row, n_queries, weight, *_ = members
    if weight is not None:
        values = values * weight[:, None]
    # `bincount` adds from the first to the last, so that a query always has the same bits.
    return np.column_stack([np.bincount(row, each, n_queries) for each in values.T])


def _aspects_of(aspects: Aspects, queries: Positions) -> tuple[Positions, Positions]:
    """Return each aspect of some queries, and the place of its query among these."""
    n_aspects = aspects.n_aspects[queries]
    row = np.repeat(np.arange(queries.size), n_aspects)
    return spread(aspects.first[queries], n_aspects), row
