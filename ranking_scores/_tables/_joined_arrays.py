"""Joined tables as arrays."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import order_of_cells
from ranking_scores._tables._cells import Cells, Joined, all_rows, starts
from ranking_scores._tables._free_ranks import as_scores, with_fillers
from ranking_scores._tables._ranking_data import RankingData

Duplicates = Literal["error", "best", "hold"]

DUPLICATES = ("error", "best", "hold")


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


def each_once(joined: Joined, n_fillers: int, duplicates: str) -> tuple[Cells, Cells, int]:
    """Return the judged and the predicted items, each once, and how many items only fill ranks."""
    judged, predicted = joined.judged, joined.predicted
    if duplicates != "error":
        judged, _ = _with_each_once(judged, None)
        n_items = joined.items.size + n_fillers
        predicted, n_held = _with_each_once(predicted, n_items if duplicates == "hold" else None)
        n_fillers += n_held
    return judged, predicted, n_fillers


def _with_each_once(cells: Cells, filler: int | None) -> tuple[Cells, int]:
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
    by_value = back[np.lexsort((values[back], np.cumsum(~is_repeat)[back]))]
    values = values.copy()
    values[place] = values[by_value]
    is_kept = np.append(~is_repeat[1:], True)
    cells = cells._replace(values=values)
    if filler is None:  # the cells of an item are in the order of their rows
        first_row = None if row is None else row[~is_repeat]
        return cells.where(is_kept)._replace(row=first_row), 0
    row = all_rows(query.size) if row is None else row.copy()
    row[place] = row[by_value]
    held = query[~is_kept]
    number = np.arange(held.size) - np.searchsorted(held, held)
    n_held = int(number.max()) + 1
    repeats = np.where(is_kept, -1, item)
    item = item.astype(np.int64)
    item[~is_kept] = filler + number
    order: Any = order_of_cells(query, item, filler + n_held)
    cells = cells._replace(item=item, row=row, repeats=repeats)
    return (cells if order is None else cells.where(order)), n_held


def are_repeats(cells: Cells) -> NDArray[np.bool_]:
    """Return which of sorted cells have the item of the cell before them."""
    are = np.zeros(cells.query.size, dtype=bool)
    are[1:] = (cells.item[1:] == cells.item[:-1]) & (cells.query[1:] == cells.query[:-1])
    return are


def _as_csr(cells: Cells, shape: tuple[int, int]) -> csr_array:
    """Return sorted cells as a sparse array."""
    start = starts(cells, shape[0])
    dtype = np.int32 if max(*shape, cells.query.size) < 2**31 else np.int64
    item = cells.item.astype(dtype, copy=False)
    array = csr_array((cells.values, item, start.astype(dtype)), shape=shape)
    array.has_sorted_indices = True
    return array
