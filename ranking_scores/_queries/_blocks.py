"""Blocks of queries, and the one engine that cuts any layout into them.

A *block* is a small number of queries that fit in the cache together: 2-D, one query per row, with
scores padded with NaN. It has the ranked items and the judged items. The ideal and the number of
relevant items come from the judged items. Both differ if only retrieved items have scores, or if
few ranks count: items that can be in none of these ranks need no rank, and labels of 0 that gain
nothing need not be listed.

Scores of any dtype become floats with the same order and the same ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, show_id
from ranking_scores._base._sorting import (
    as_small_ints,
    as_sortable,
    number_rows,
    stable_order,
    start_runs,
)
from ranking_scores._base._validation import check_identifiers
from ranking_scores._queries._counting import FEW, Counts, count, most_labelled, most_to_count
from ranking_scores._queries._data import Aspects, CallData, DataNeeds, Mask
from ranking_scores._queries._relevance import Gain, Relevance, known_gain
from ranking_scores._queries._top_k_candidates import (
    NotFiniteError,
    all_finite,
    is_worth_while,
    nonzero_cells,
    take_cells,
    top_k_candidates,
)
from ranking_scores.exceptions import InvalidParameterError

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Rows = slice | Positions

_BLOCK_CELLS = 2**16
"""Cells of a block: at 8 bytes each, a few arrays of this size stay in the cache."""
_WIDE_BLOCK_ROWS, _WIDE_BLOCK_CELLS = 16, 2**18
"""If queries are long, more of them share the cost of a block besides its cells."""

NOT_JUDGED = (
    "Do not leave out items that were ranked but not judged: give them the label 0, and see "
    '"Unjudged documents" in the guide.'
)
NOT_RETRIEVED = (
    "Do not leave out items that were judged but not retrieved: the ideal needs them, too."
)


class BlockCells(NamedTuple):
    """Some cells of a block, row after row."""

    row: Positions
    column: Positions

    @classmethod
    def from_flat(cls, index: Positions, width: int) -> BlockCells:
        """Return the cells at some places of flattened rows."""
        row = index // width
        return cls(row, index - row * width)


class BlockItems(NamedTuple):
    """Some items of each query of a block, one query per row, with padding."""

    labels: NDArray[Any]
    """The labels, 1-D and without padding, query after query, in their dtype."""
    shape: tuple[int, int]
    """(n_queries, n_cells)"""
    is_item: Mask | None
    """True in cells with an item, (n_queries, n_cells); None: all cells have an item."""
    weight: Floats | None
    """The weights, above 0, in the order of `labels`; None: all weights are 1."""
    place_of_row: Callable[[int], Place]
    """Returns the query in a row, for errors."""
    known: Mask | None = None
    """Which labels are known, in the order of `labels`, where unknown ones are 0; None: all are,
    or nobody asked."""
    fills_rank: Mask | None = None
    """Which cells have no item but only keep a rank empty, in the order of `labels`; None: none,
    or nobody asked. Their label is known to be 0, although nobody judged it."""

    @property
    def lengths(self) -> Positions:
        """The number of items in each row."""
        return lengths_of(self.is_item, self.shape)

    @property
    def is_unknown(self) -> Mask:
        """Which labels are unknown, 1-D."""
        return np.zeros(self.labels.size, dtype=bool) if self.known is None else ~self.known

    def place(self, values: NDArray[Any]) -> NDArray[Any]:
        """Put 1-D values of the items into their cells, and 0 into the other cells."""
        if self.is_item is None:
            return values.reshape(self.shape)
        placed = np.zeros(self.shape, values.dtype)
        placed[self.is_item] = values
        return placed

    def count_in_rows(self, is_counted: Mask) -> Positions:
        """Return the number of items in each row for which a 1-D mask is True."""
        return np.asarray(self.place(is_counted).sum(axis=1, dtype=np.intp))

    def levels(self) -> NDArray[np.integer[Any]]:
        """Return small ints with the order and the ties of the labels of each query.

        They are at least 0, (n_queries, n_cells). Cells without an item may hold anything.
        """
        small = as_small_ints(self.labels)
        if small is not None:
            return self.place(small)
        return number_rows(as_padded(self.labels, self.is_item, self.shape))

    def total(self, values: Floats) -> Floats:
        """Return the sum of 1-D values of the items in each row, in item order."""
        row = np.repeat(np.arange(self.shape[0]), self.lengths)
        totals = np.bincount(row, weights=values, minlength=self.shape[0])
        return totals.astype(np.float64, copy=False)

    def place_of_item(self, index: int) -> Place:
        """Return the query of an item, by its index in `labels`, for errors."""
        row = np.searchsorted(np.cumsum(self.lengths), index, side="right")
        return self.place_of_row(int(row))

    def place_in(self, rows: Positions) -> Callable[[int], Place]:
        """Return `place_of_row` for some rows of the block."""
        return lambda row: self.place_of_row(int(rows[row]))

    def at(self, cells: BlockCells | None) -> BlockItems:
        """Return the items in some cells, or all items.

        The items are side by side in their rows, from the first cell on.
        """
        if cells is None:
            return self
        lengths = self.lengths
        item = (np.cumsum(lengths) - lengths)[cells.row] + cells.column
        return self.side_by_side(item, cells.row)

    def side_by_side(self, item: Positions, row: Positions) -> BlockItems:
        """Return some items by their indices, from the first cell of their rows on."""
        is_item, shape = padding(np.bincount(row, minlength=self.shape[0]))
        return self._taken(lambda values: values[item], shape, is_item, self.place_of_row)

    def _taken(
        self,
        take: Callable[[NDArray[Any]], NDArray[Any]],
        shape: tuple[int, int],
        is_item: Mask | None,
        place_of_row: Callable[[int], Place],
    ) -> BlockItems:
        """Return items with values that a function takes from those of each item."""
        weight, known, fills_rank = (
            None if each is None else take(each)
            for each in (self.weight, self.known, self.fills_rank)
        )
        labels = take(self.labels)
        return BlockItems(labels, shape, is_item, weight, place_of_row, known, fills_rank)

    def gains(self, gain_of: Gain) -> Floats:
        """Return the gains of the items, 1-D."""
        if gain_of is known_gain and self._was_judged is not None:
            return self._was_judged.astype(np.float64)
        return gain_of(self.labels, self.place_of_item)

    def judged_as(self, relevance: Relevance) -> tuple[Mask, Mask]:
        """Return which items are known to be relevant, and which are known not to be, 1-D."""
        is_relevant, was_judged = relevance.is_relevant(self.labels), self._was_judged
        if was_judged is None:
            return is_relevant, ~is_relevant
        return is_relevant & was_judged, ~is_relevant & was_judged

    @property
    def _was_judged(self) -> Mask | None:
        """Which labels are those of judged items, 1-D; None: all are."""
        if self.fills_rank is None:
            return self.known
        return ~self.fills_rank if self.known is None else self.known & ~self.fills_rank

    def in_rows(self, rows: Positions) -> BlockItems:
        """Return the items of some rows, which may be repeated."""
        shape = rows.size, self.shape[1]
        if self.is_item is None:
            take = partial(_take_rows, rows=rows, shape=self.shape)
        else:
            lengths = self.lengths
            item = spread((np.cumsum(lengths) - lengths)[rows], lengths[rows])
            take = partial(np.take, indices=item)
        is_item = None if self.is_item is None else self.is_item[rows]
        return self._taken(take, shape, is_item, self.place_in(rows))

    def where(self, is_kept: Mask) -> BlockItems:
        """Return the items for which a 1-D mask is True, in their cells."""
        is_item = self.place(is_kept)
        return self._taken(lambda values: values[is_kept], self.shape, is_item, self.place_of_row)

    def with_known(
        self, need: DataNeeds, *, is_sparse: bool = False, fills_rank: Mask | None = None
    ) -> BlockItems:
        """Return the items with 0 for labels that are NaN, and with which labels are known.

        Labels that a sparse matrix does not store are NaN if they are unknown. Those of cells that
        only fill a rank are known to be 0.
        """
        may_be_nan = is_sparse or need.accepts_nan
        if not may_be_nan or self.labels.dtype.kind != "f":
            return self
        known = ~np.isnan(self.labels)
        if known.all():
            return self
        labels = self.labels.copy()  # `np.where` has another byte order, and no metadata
        labels[~known] = 0
        if fills_rank is not None:
            known |= fills_rank
        known_or_none = None if known.all() else known
        return self._replace(labels=labels, known=known_or_none, fills_rank=fills_rank)


def _take_rows(values: NDArray[Any], rows: Positions, shape: tuple[int, int]) -> NDArray[Any]:
    """Return 1-D values of items in all cells, of some rows."""
    return values.reshape(shape)[rows].ravel()


def items_in_rows(
    labels: NDArray[Any],
    row: Positions,
    n_rows: int,
    weight: Floats | None,
    place_of_row: Callable[[int], Place],
) -> BlockItems:
    """Return items from their rows, side by side from the first cell on."""
    is_item, shape = padding(np.bincount(row, minlength=n_rows))
    return BlockItems(labels, shape, is_item, weight, place_of_row)


class Block(NamedTuple):
    """A few queries, in the one form for all scores."""

    queries: Positions
    """The indices of these queries among all queries."""
    scores: NDArray[Any]
    """Floats, (n_queries, n_cells), NaN in cells without an item."""
    ranked: BlockItems
    """The items that the scores rank, each in the cell of its score."""
    judged: BlockItems
    """The items for the ideal and the number of relevant items. They may be the same object as
    `ranked`, so that the gains of both are computed once."""
    n_items: Positions
    """The number of items of each query, including items that are neither ranked nor judged."""
    counts: Counts | None = None
    """What gives the ranks of the items in `ranked`, if no other item needs one; None: `ranked`
    are all that can be at a rank that counts, and their scores give the ranks."""

    @property
    def n_ranked(self) -> Positions:
        """The number of items of each query that are ranked, at any rank that counts."""
        return self.ranked.lengths if self.counts is None else self.counts.n_ranked

    @property
    def n_not_judged(self) -> Positions:
        """The number of items of each query that are not judged. Their label is 0."""
        return self.n_items - self.judged.lengths

    def in_rows(self, rows: Positions) -> Block:
        """Return some of the queries, which may be repeated."""
        ranked = self.ranked.in_rows(rows)
        judged = ranked if self.ranked is self.judged else self.judged.in_rows(rows)
        return Block(self.queries[rows], self.scores[rows], ranked, judged, self.n_items[rows])

    def gains(self, gain_of: Gain) -> tuple[Floats, Floats]:
        """Return the gains of the ranked items and of the judged items, 1-D."""
        judged_gains = self.judged.gains(gain_of)
        if self.ranked is self.judged:
            return judged_gains, judged_gains
        return self.ranked.gains(gain_of), judged_gains


class OneQuery(NamedTuple):
    """The items of one query that take part, without padding."""

    scores: NDArray[Any]
    """The scores of the ranked items as floats, 1-D, in item order."""
    ranked: BlockItems
    """The ranked items, (1, n_ranked)."""
    judged: BlockItems
    """The items for the ideal and the number of relevant items, (1, n_judged). This is the same
    object as `ranked` if both are the same items."""
    ranked_at: Positions
    """The column of each ranked item, or its row if items are in rows or in lists."""
    judged_at: Positions
    """The same of the judged items."""
    n_items: int
    """The number of items, including items that are neither ranked nor judged."""


class QueryPart(NamedTuple):
    """Some queries as their layout reads them: the items that take part, and their cells."""

    scores: NDArray[Any]
    """The scores of the ranked items, in their dtype. They are 1-D, query after query. If they are
    `searchable`, they are 2-D and in place, with anything in cells without an item."""
    shape: tuple[int, int]
    """(n_queries, n_cells)"""
    is_item: Mask | None
    """True in the cells of these items, (n_queries, n_cells); None: all cells have an item."""
    ranked_at: Callable[[BlockCells | None], BlockItems]
    """Returns the ranked items in some cells; with None, it returns all of them."""
    judged: BlockItems
    """The items for the ideal and the number of relevant items."""
    n_items: Positions
    """The number of items of each query, including items that are neither ranked nor judged."""
    judged_at: BlockCells | None = None
    """The cells of the judged items, which are all items with a label other than 0; None: it is
    not known in which cells they are."""
    counts: Counts | None = None
    """The ranks of the ranked items, if no other item needs one; None: the scores tell them."""


class Layout(Protocol):
    """A layout of the data of a call."""

    @property
    def data(self) -> CallData:
        """The data of the call."""

    @property
    def n_queries(self) -> int:
        """The number of queries."""

    @property
    def advice(self) -> dict[str, str]:
        """The advice about labels or scores that are not finite."""

    def cuts(self) -> Iterator[Positions]:
        """Yield sets of queries to be read at once."""

    def read(self, queries: Positions) -> QueryPart:
        """Return some of the queries. Weights of items are checked here."""

    def place(self, query: int) -> Place:
        """Return a query as the place of an error."""


class LayoutWithPlaces(Layout, Protocol):
    """A layout in which each item has a column or a row."""

    def places_of(self, query: int) -> tuple[Positions, Positions]:
        """Return the columns, or the rows, of the ranked and of the judged items of a query."""


class CheckedQueries(NamedTuple):
    """The data of a call, checked as far as possible without reading all of it."""

    n_queries: int
    longest: int
    """The number of items of the longest query."""
    last_rank: int
    """The last rank, in a ranking or in an ideal, at which an item may gain something."""
    weight: Floats | None
    """The weight of each query, (n_queries,); None: all queries have the same weight."""
    layout: Layout
    """Reads the queries."""
    need: DataNeeds
    """What the scores need of the data."""
    ids: NDArray[Any] | None = None
    """The ids of the queries, (n_queries,), unique and sorted; None: they have no ids."""
    value_of_query: Callable[[NDArray[Any], str], NDArray[Any]] | None = None
    """Returns the value that all rows of a query share, for a parameter with one value per row.
    None: parameters have one value per query."""
    are_single: bool = False
    """Whether each query has one item, unless only some items were retrieved."""
    aspects: Aspects | None = None
    """The labels that belong to the labels of the blocks, which are places; None: the labels of
    the blocks are those of the items."""
    in_columns: Callable[[], CheckedQueries] | None = None
    """Returns the same queries with a column for each item; None: items have columns or rows."""

    def cuts(self) -> Iterator[Iterator[Block]]:
        """Cut the data into pieces.

        Each piece is read, checked to be finite and made into blocks only when a thread iterates
        over it.
        """
        for queries in self.layout.cuts():
            yield _blocks_of(queries, self.layout, self.need)

    def blocks(self) -> Iterator[Block]:
        """Return all queries, in blocks."""
        return chain.from_iterable(self.cuts())

    def read_one(self, query: int) -> OneQuery:
        """Return the items of one query, of data that was checked."""
        if self.in_columns is not None:
            return self.in_columns().read_one(query)
        layout = cast(LayoutWithPlaces, self.layout)
        part = layout.read(np.array([query]))
        ranked_at, judged_at = layout.places_of(query)
        ranked = part.ranked_at(None)
        scores = part.scores if part.scores.ndim == 1 else items_of(part.scores, part.is_item)
        alone = ranked._replace(shape=(1, ranked.labels.size), is_item=None)
        judged = part.judged._replace(shape=(1, part.judged.labels.size), is_item=None)
        if ranked is part.judged:
            judged = alone
        [n_items] = part.n_items.tolist()
        return OneQuery(as_sortable(scores), alone, judged, ranked_at, judged_at, n_items)


def by_row(layout: Layout, queries: Positions) -> Callable[[int], Place]:
    """Return what says which of some queries is in a row, for errors."""
    return lambda row: layout.place(int(queries[row]))


def _blocks_of(queries: Positions, layout: Layout, need: DataNeeds) -> Iterator[Block]:
    """Yield some queries in blocks, and raise if a value is not finite."""
    part = layout.read(queries)
    if part.counts is not None:
        if not all_finite(part.judged.labels):
            raise _not_finite(layout, "y_true")
        padded, ranked = as_padded(part.scores, part.is_item, part.shape), part.ranked_at(None)
        yield Block(queries, padded, ranked, part.judged, part.n_items, part.counts)
        return
    labelled = _with_labels(part, need) if need.counted else None
    is_large = queries.size * part.shape[1] > _BLOCK_CELLS
    if is_large:
        n_usual = queries_per_block(part.shape[1])
        is_large = queries.size > n_usual  # since it was to have few ranked items
    if labelled is None and is_large and not is_worth_while(part.shape[1], need.depth):
        yield from _smaller_blocks(queries, layout, need, n_usual)
        return
    if not all_finite(part.judged.labels if labelled is None else labelled.judged.labels):
        raise _not_finite(layout, "y_true")
    scores, is_item, is_in_place = part.scores, part.is_item, part.scores.ndim == 2
    if not is_in_place:
        if not all_finite(scores):
            raise _not_finite(layout, "y_score")
        scores, is_item = as_padded(scores, is_item, part.shape), None
    try:  # scores in place are checked during the search
        if labelled is not None:
            block = _counted(queries, part._replace(scores=scores), labelled, need, is_in_place)
            if block is not None:
                yield block
                return
        found = top_k_candidates(scores, need.depth, is_item, must_be_finite=is_in_place)
    except NotFiniteError:
        raise _not_finite(layout, "y_score") from None
    if found is None:
        if is_large:
            yield from _smaller_blocks(queries, layout, need, n_usual)
        else:
            padded = as_sortable(scores)
            if is_item is not None:
                padded = np.where(is_item, padded, padded.dtype.type(np.nan))
            yield Block(queries, padded, part.ranked_at(None), part.judged, part.n_items)
        return
    cells = BlockCells.from_flat(found, part.shape[1])
    n_found = np.bincount(cells.row, minlength=queries.size)
    is_long = n_found * queries.size > 4 * found.size
    if is_long.any():  # otherwise the many ties of one query would make all rows as long
        yield from _blocks_of(queries[is_long], layout, need)
        yield from _blocks_of(queries[~is_long], layout, need)
        return
    ranked = part.ranked_at(cells)
    padded = as_padded(take_cells(scores, found), ranked.is_item, ranked.shape)
    yield Block(queries, padded, ranked, part.judged, part.n_items)


def _smaller_blocks(
    queries: Positions, layout: Layout, need: DataNeeds, n_usual: int
) -> Iterator[Block]:
    """Yield some queries in blocks of the usual size, in which all items are ranked."""
    need = need._replace(counted=())
    for start in range(0, queries.size, n_usual):
        yield from _blocks_of(queries[start : start + n_usual], layout, need)


class _LabelledItems(NamedTuple):
    """The items of some queries with a label other than 0."""

    cells: BlockCells
    ranked: BlockItems
    """Those that are ranked, in these cells."""
    judged: BlockItems
    """Those that are judged, perhaps with others."""


def _counted(
    queries: Positions,
    part: QueryPart,
    labelled: _LabelledItems,
    need: DataNeeds,
    is_in_place: bool,
) -> Block | None:
    """Return a block in which only items with a label other than 0 are ranked, by counting.

    The scores of the part are padded, or in place if they have still to be checked. None: it is
    not worth while, or the sum of a tie group might be rounded otherwise.
    """
    cells, ranked, judged = labelled
    is_first = np.ones(cells.row.size, dtype=bool)
    if need.first_of is not None:
        item = _best(need.first_of, ranked, cells, part.scores)
        cells = BlockCells(cells.row[item], cells.column[item])
        ranked, is_first = ranked.side_by_side(item, cells.row), start_runs(cells.row)
    if np.count_nonzero(is_first) > most_to_count(part.shape, need.depth):
        return None
    which = np.cumsum(is_first) - 1
    row, column = (each[is_first] for each in cells)
    counted = count(part.scores, part.is_item, row, column, must_be_finite=is_in_place)
    if counted is None:
        return None
    above, equal = counted
    if ranked.shape[1] > 2 and equal.max() >= FEW and not are_whole(ranked, need.counted):
        return None
    scores = as_padded(part.scores[cells], ranked.is_item, ranked.shape)
    counts = Counts(above[which], equal[which], lengths_of(part.is_item, part.shape))
    return Block(queries, scores, ranked, judged, part.n_items, counts)


def _best(
    relevance: Relevance, items: BlockItems, cells: BlockCells, scores: NDArray[Any]
) -> Positions:
    """Return which items have the highest score of a relevant item of their query."""
    item = np.flatnonzero(relevance.is_relevant(items.labels))
    row, own = cells.row[item], scores[cells.row[item], cells.column[item]]
    first = np.flatnonzero(start_runs(row))
    if not first.size:
        return item
    best = np.repeat(np.maximum.reduceat(own, first), np.diff(first, append=row.size))
    return np.asarray(item[own == best])


def _with_labels(part: QueryPart, need: DataNeeds) -> _LabelledItems | None:
    """Return the items with a label other than 0; None: they are many."""
    if part.judged_at is not None:
        return _LabelledItems(part.judged_at, part.judged, part.judged)
    most = most_labelled(part.shape, need)
    items = part.ranked_at(None)
    item = nonzero_cells(items.labels[:, None], most)
    if item is None:
        return None
    cell = item if items.is_item is None else np.flatnonzero(items.is_item)[item]
    cells = BlockCells.from_flat(cell, part.shape[1])
    ranked = items.side_by_side(item, cells.row)
    return _LabelledItems(cells, ranked, ranked if items is part.judged else part.judged)


def are_whole(items: BlockItems, gains: tuple[Gain, ...]) -> bool:
    """Return whether all gains are whole numbers, which add up exactly in any order."""
    try:
        gained = [gain_of(items.labels) for gain_of in gains]
    except InvalidParameterError:  # raised again where it says which query it is about
        return False
    return items.weight is None and all(
        bool(((each == np.floor(each)) & (np.abs(each) < 2**32)).all()) for each in gained
    )


def _not_finite(layout: Layout, parameter: str) -> InvalidParameterError:
    """Return the error about labels or scores of items that are not finite."""
    bad = []
    for queries in layout.cuts():
        part = layout.read(queries)
        values, lengths = part.scores, lengths_of(part.is_item, part.shape)
        if values.ndim == 2:
            values = items_of(values, part.is_item)
        if parameter == "y_true":
            values, lengths = part.judged.labels, part.judged.lengths
        row = np.repeat(np.arange(queries.size), lengths)
        bad.append(queries[np.unique(row[~np.isfinite(values)])])
    bad_queries = np.concatenate(bad)
    place = layout.place(int(bad_queries.min()))._replace(is_first=True)
    got = f"NaN or infinity in {bad_queries.size} of {layout.n_queries} queries"
    code = layout.advice[parameter]
    return layout.data.invalid(parameter, "finite", got, code=code, place=place)


def queries_per_block(width: int) -> int:
    """Return the number of queries of `width` items in a block."""
    width = max(width, 1)  # the queries may have no items
    in_wide_block = min(_WIDE_BLOCK_ROWS, _WIDE_BLOCK_CELLS // width)
    return max(_BLOCK_CELLS // width, in_wide_block, 1)


def cut_by_length(length: Positions) -> Iterator[Positions]:
    """Cut queries into sets, the longest of each at most twice as long as its shortest."""
    order = stable_order(length)
    ascending = np.maximum(length[order], 1)  # a query without items has a cell too
    stop = order.size
    while stop:
        width = int(ascending[stop - 1])
        similar = int(np.searchsorted(ascending, (width + 1) // 2))
        start = max(similar, stop - queries_per_block(width))
        yield order[start:stop]
        stop = start


class RowsOfQueries(NamedTuple):
    """The rows of each query."""

    length: Positions
    """The number of rows."""
    first: Positions
    """The place in `row` at which the rows of each query start."""
    row: Positions | None
    """The rows, query after query, each in the order of the data. None: the rows of a query start
    at row `first`."""

    def rows_of(self, queries: Positions) -> Positions:
        """Return the rows of some queries, query after query."""
        length = self.length[queries]
        row = np.repeat(self.first[queries] - np.cumsum(length) + length, length)
        row += np.arange(row.size)
        return row if self.row is None else self.row.take(row)


def groups_of_lengths(length: Positions) -> RowsOfQueries:
    """Return the rows of queries that come one after the other."""
    return RowsOfQueries(length, np.cumsum(length) - length, None)


def padding(length: Positions) -> tuple[Mask | None, tuple[int, int]]:
    """Return the mask of the items in padded rows of given lengths, and its shape."""
    width = max(int(length.max()), 1)
    shape = length.size, width
    if length.min() == width:
        return None, shape
    dtype = np.min_scalar_type(width)  # small integers are compared many at a time
    return np.arange(width, dtype=dtype) < length.astype(dtype)[:, None], shape


def lengths_of(is_item: Mask | None, shape: tuple[int, int]) -> Positions:
    """Return the number of items in each row."""
    if is_item is None:
        return np.full(shape[0], shape[1])
    # Small integers are summed many at a time.
    lengths = is_item.sum(axis=1, dtype=np.min_scalar_type(shape[1]))
    return np.asarray(lengths, dtype=np.intp)


def spread(start: Positions, length: Positions) -> Positions:
    """Return the whole numbers from each start on, so many of each, one range after the other."""
    return np.arange(length.sum()) + np.repeat(start - np.cumsum(length) + length, length)


def rows_of(queries: Positions) -> Rows:
    """Return the rows of queries, as a slice if they are consecutive."""
    first, last = int(queries[0]), int(queries[-1])
    if last - first == queries.size - 1:
        rises = queries[1:] > queries[:-1]
        if queries.size < 3 or rises[rises.argmin()]:  # the first place where it does not, if any
            return slice(first, last + 1)
    return queries


def items_of(values: NDArray[Any], is_item: Mask | None) -> NDArray[Any]:
    """Return the values in the cells of the items, 1-D."""
    return values.ravel() if is_item is None else values[is_item]


def as_weights(values: NDArray[Any]) -> Floats:
    """Return weights as float64. Long doubles beyond its range become infinite or 0."""
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float64, copy=False)


def are_weights(values: NDArray[Any]) -> Mask:
    """Return which values are valid weights of items: finite and not negative."""
    return np.asarray((values >= 0) & np.isfinite(values))


def all_weights(values: NDArray[Any]) -> bool:
    """Return whether all values are valid weights, without a temporary array."""
    return not values.size or bool(values.min() >= 0 and np.isfinite(values.max()))


def as_padded(values: NDArray[Any], is_item: Mask | None, shape: tuple[int, int]) -> NDArray[Any]:
    """Return 1-D values of items as floats that sort alike, with NaN in the other cells."""
    floats = as_sortable(values)
    if is_item is None:
        return floats.reshape(shape)
    padded = np.full(shape, np.nan, floats.dtype)
    padded[is_item] = floats
    return padded


class CountedQueries(NamedTuple):
    """Queries of which nothing is known but their number."""

    n_queries: int
    value_of_query: None = None


_CALLED = {"by": "group", "clusters": "cluster"}


def names_of_queries(
    given: Any,
    parameter: str,
    ids: NDArray[Any] | None,
    queries: CheckedQueries | CountedQueries,
    data: CallData,
    grouping: str | None = None,
) -> NDArray[Any]:
    """Return the name of each query, given in order, by row or by the ids of the queries.

    `grouping` is the key of the names, if the parameter is a dict of several.
    """
    called = parameter if grouping is None else f"{parameter}[{show_id(grouping)}]"
    with_ids = data.by_id(given, called)
    values = check_identifiers(
        given if with_ids is None else with_ids.values, parameter, data.function
    )
    if with_ids is not None:
        return with_ids.in_order(values, ids, parameter, data.function)
    shared_value = queries.value_of_query
    n_values = queries.n_queries if shared_value is None else data.true_labels.size
    if values.size != n_values:
        kind = "query" if shared_value is None else "row"
        expected = f"of shape ({n_values},), one {_CALLED[parameter]} per {kind}"
        which_grouping = "" if grouping is None else f" for {show_id(grouping)}"
        raise data.invalid(parameter, expected, f"shape {values.shape}{which_grouping}")
    data.indexes.check(parameter, given, called)
    return values.copy() if shared_value is None else shared_value(values, parameter)
