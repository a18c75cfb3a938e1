"""Ranks by counting, for blocks in which few items have a label other than 0.

If a items of a query score higher than an item, and m items score the same, itself included, then
it is at each of the ranks a + 1, ..., a + m in the same share of all orders of the ties. No other
item needs a rank if only this one gains something::

    scores             5  1  2  9  5  4  8  0      the first item gains something
    higher                      9        8         a = 2
    the same           5           5               m = 2: it is at rank 3 or at rank 4

A comparison of all items with one of them takes a small part of a sort. If rows are wide and have
more such items, the scores are counted in bins: only those in the same bin have to be compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._sorting import as_sortable, start_runs
from ranking_scores._queries._data import DataNeeds
from ranking_scores._queries._top_k_candidates import (
    NotFiniteError,
    all_finite,
    is_worth_while,
)

Positions = NDArray[np.intp]
Mask = NDArray[np.bool_]

_FEWEST_CELLS = 2**11
"""A smaller block is sorted in no more time."""
_MOST_COMPARED = 2
"""Up to this number of items per row on average, comparing takes less time than sorting."""
_WIDE = 512
"""From this number of columns on, sorting only the scores saves enough."""
_CELLS = 2**18
"""The number of cells of which the rows are compared while they are in the cache."""
_SAMPLE = 2**14
"""The number of labels that are looked at, to know about how many are not 0."""
_WIDEST = 2**11
"""Up to this number of columns, comparing takes less time than finding the first few ranks."""
FEW = 8
"""One of so many items, at most, has to be looked up. NumPy adds up so few numbers in order."""


class Counts(NamedTuple):
    """How many items score higher than some items, and how many score the same."""

    above: Positions
    """The number of items of the query that score higher than each item."""
    equal: Positions
    """The number of items that score the same, itself included."""
    n_ranked: Positions
    """The number of all items of each query that are ranked."""


def is_tiny(scores: Any) -> bool:
    """Return whether dense scores are so few that they are always sorted."""
    return type(scores) is np.ndarray and scores.size < _FEWEST_CELLS


def about_nonzero(labels: NDArray[Any]) -> float:
    """Return about how many labels are not 0, from some of them."""
    some = labels[:: max(labels.size // _SAMPLE, 1)]
    return float(np.count_nonzero(some)) / max(some.size, 1) * labels.size


def most_labelled(shape: tuple[int, ...], need: DataNeeds) -> int:
    """Return how many items of a block may have a label other than 0, if it is to be counted."""
    n_sought = most_to_count(shape, need.depth)
    is_first_enough = need.first_of is not None and n_sought >= 0
    return shape[0] * shape[1] // FEW if is_first_enough else n_sought


def most_to_count(shape: tuple[int, ...], depth: int) -> int:
    """Return for how many items of a block counting is faster than ranking all items.

    `depth` is the last rank that counts. To find the items at few ranks takes no sort.
    """
    n_rows, width = shape
    is_top = is_worth_while(width, depth)
    if n_rows * width < _FEWEST_CELLS or (is_top and width > _WIDEST):
        return -1
    has_bins = width >= _WIDE and not is_top
    return max(_MOST_COMPARED * n_rows, n_rows * width // FEW if has_bins else 0)


def count(
    scores: NDArray[Any],
    is_item: Mask | None,
    row: Positions,
    column: Positions,
    *,
    must_be_finite: bool,
) -> tuple[Positions, Positions] | None:
    """Return how many items score above some items, and how many score the same.

    The items are in the order of their rows. None: a sort of all items takes less time.

    Cells where `is_item` is False may hold anything. With `must_be_finite` all other scores must
    be finite, or a `NotFiniteError` is raised.
    """
    above, equal = np.empty(row.size, np.intp), np.empty(row.size, np.intp)
    by_comparison = row.size <= _MOST_COMPARED * scores.shape[0]
    n_rows, stop = max(_CELLS // scores.shape[1], 1), 0
    for first in range(0, scores.shape[0], n_rows):
        rows = slice(first, first + n_rows)
        part, mask = scores[rows], None if is_item is None else is_item[rows]
        if must_be_finite and not all_finite(part, mask):
            raise NotFiniteError
        part = as_sortable(part)
        start, stop = stop, int(np.searchsorted(row, first + n_rows))
        item = slice(start, stop)
        way = _compare if by_comparison else _look_up
        counted = way(part, mask, row[item] - first, column[item])
        if counted is None:
            return None
        above[item], equal[item] = counted
    return above, equal


def _compare(
    scores: NDArray[Any], is_item: Mask | None, row: Positions, column: Positions
) -> tuple[Any, Any]:
    """Count by comparing all scores of a row with one item after the other."""
    dtype = np.min_scalar_type(scores.shape[1])  # small integers are summed many at a time
    own = scores[row, column]
    above, reaching = np.empty(row.size, dtype), np.empty(row.size, dtype)
    number = np.arange(row.size) - np.searchsorted(row, row)
    for each in range(int(number.max(initial=-1)) + 1):
        item = np.flatnonzero(number == each)
        rows = slice(None) if item.size == scores.shape[0] else row[item]
        others, value = scores[rows], own[item, None]
        is_above, is_reaching = others > value, others >= value
        if is_item is not None:
            is_above &= is_item[rows]
            is_reaching &= is_item[rows]
        n_reaching = is_reaching.sum(axis=1, dtype=dtype)
        reaching[item] = n_reaching
        has_ties = np.count_nonzero(is_above) < n_reaching.sum() - item.size
        above[item] = is_above.sum(axis=1, dtype=dtype) if has_ties else n_reaching - 1
    return above, reaching - above


def _bins(
    scores: NDArray[Any], is_item: Mask | None, row: Positions, sought: NDArray[Any]
) -> Positions | None:
    """Return the bin of each score, of as many bins for each row; None: the range is infinite.

    A score in a higher bin of a row is higher. The first bin is for scores below all that are
    sought in the row and for cells without an item, the last bin for scores above all of them.
    """
    n_bins = _bins_of_row(scores)
    lowest = np.full(scores.shape[0], np.inf, scores.dtype)
    highest = -lowest
    np.minimum.at(lowest, row, sought)
    np.maximum.at(highest, row, sought)
    lowest[lowest > highest] = 0  # none are sought
    with np.errstate(all="ignore"):
        extent = highest - lowest
        if np.inf in extent:
            return None
        places = scores - lowest[:, None]
        places *= np.fmin((n_bins - 4) / extent, np.finfo(scores.dtype).max)[:, None]
    np.clip(places, -1, n_bins - 2, out=places)
    if is_item is not None:
        places[~is_item] = -1
    places += np.arange(1, scores.shape[0] * n_bins, n_bins)[:, None]
    bins: Positions = places.astype(np.intp)
    return bins


def _bins_of_row(scores: NDArray[Any]) -> int:
    """Return the number of bins for each row."""
    return max(int(scores.shape[1]) // 4, 4)


def _look_up(
    scores: NDArray[Any], is_item: Mask | None, row: Positions, column: Positions
) -> tuple[Positions, Positions] | None:
    """Count the items in higher bins, and compare those in the same bin; None: they are many."""
    bin_of_cell = _bins(scores, is_item, row, scores[row, column])
    if bin_of_cell is None:
        return None
    cell = row * scores.shape[1] + column
    n_bins = _bins_of_row(scores)
    bins = bin_of_cell.ravel()
    is_sought = np.zeros(scores.shape[0] * n_bins, dtype=bool)
    is_sought[bins[cell]] = True
    near = np.flatnonzero(is_sought[bins])
    if FEW * near.size > bins.size:
        return None
    n_up_to = np.bincount(bins, minlength=is_sought.size).reshape(-1, n_bins).cumsum(axis=1)
    order = np.lexsort((scores.ravel()[near], bins[near]))
    bins, values = bins[near][order], scores.ravel()[near][order]
    first = np.flatnonzero(start_runs(values) | start_runs(bins))
    size = np.diff(first, append=values.size)
    own_bin = bins[first]
    n_above = scores.shape[1] - n_up_to.ravel()[own_bin]  # in higher bins
    n_above += np.searchsorted(bins, own_bin, side="right") - first - size
    group = np.empty(order.size, np.intp)
    group[order] = np.repeat(np.arange(first.size), size)
    group = group[np.searchsorted(near, cell)]
    return n_above[group], size[group]
