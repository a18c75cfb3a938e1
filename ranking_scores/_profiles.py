r"""Tie groups and the profiles: what is expected at each rank, over all orders of the ties.

Sort a query's items by decreasing score. Items with equal scores form a *tie group*; no order
inside it is the right one, so what a metric is worth is its average over all of them (McSherry
& Najork, 2008). That average never needs the orders: a metric is a *profile*, something that is
expected at each rank, times a weight of the rank, summed over the ranks.

Four items with the scores 3, 7, 3, 1 and the gains 5, 0, 2, 1::

    rank                 1     2     3     4
    item                 1     0     2     3      items 0 and 2 tie, and stand in item order
    tie group starts     0     1           3
    gain                 0     5     2     1
    expected gain        0    3.5   3.5    1      a group's summed gain over its size

All arrays hold one query a row. Scores beyond a query's end are NaN, which sorts behind every
score and equals none, so that the cells there are groups of one, behind all items.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Ranking(NamedTuple):
    """The items of a block of queries by rank, (n_queries, n_ranks)."""

    cell: NDArray[np.intp]
    """The item at each rank, as an index into the flattened block."""
    tie_starts: NDArray[np.intp] | None
    """Where the tie groups start, as indices into the flattened ranks; None: nothing ties."""


def rank_items(scores: NDArray[Any], depth: int, *, ignore_ties: bool) -> Ranking:
    """Rank each query's items, at least all that can reach the first `depth` ranks.

    Inside a tie group items stand in item order. With `ignore_ties` they stand in the reverse
    of it, and each is a group of its own.
    """
    ascending, cell = _drop_hopeless(np.negative(scores, order="C"), depth)
    width = ascending.shape[1]
    row_start = np.arange(0, ascending.size, width)[:, None]
    place = np.argsort(ascending, axis=1)
    ranked = ascending.ravel().take(place + row_start)
    starts_group = np.ones(ranked.shape, dtype=bool)
    np.not_equal(ranked[:, 1:], ranked[:, :-1], out=starts_group[:, 1:])
    tie_starts = None
    if not starts_group.all():
        # The sort left tied items in any order. Integers that count the groups first and the
        # items in them second put the items in order, each group staying where it is.
        group_key = np.cumsum(starts_group, axis=1) * width
        if ignore_ties:
            place = width - 1 - (np.sort(group_key + (width - 1 - place), axis=1) - group_key)
        else:
            place = np.sort(group_key + place, axis=1) - group_key
            tie_starts = np.flatnonzero(starts_group)
    place += row_start
    return Ranking(place if cell is None else cell.ravel().take(place), tie_starts)


def expected_gain(gain: Floats, ranking: Ranking) -> Floats:
    """G / m at each rank, with G the summed gain of the rank's tie group of m items."""
    gain_by_rank = gain.ravel().take(ranking.cell)
    if ranking.tie_starts is None:
        return gain_by_rank
    group_size = np.diff(ranking.tie_starts, append=gain_by_rank.size)
    group_gain = np.add.reduceat(gain_by_rank.ravel(), ranking.tie_starts)
    return np.repeat(group_gain / group_size, group_size).reshape(gain_by_rank.shape)


def first_hit(hit: Floats, ranking: Ranking) -> Floats:
    """P[no hit above] * hazard at each rank: the chance that the first hit stands there.

    In a tie group of m items with R hits, of which j stand above without a hit among them, the
    next one is a hit with the hazard R / (m - j): 1 as soon as only hits are left.
    """
    hazard = hit.ravel().take(ranking.cell)
    if ranking.tie_starts is not None:
        group_size = np.diff(ranking.tie_starts, append=hazard.size)
        n_hits = np.add.reduceat(hazard.ravel(), ranking.tie_starts)
        place = np.arange(hazard.size) - np.repeat(ranking.tie_starts, group_size)
        left = np.repeat(group_size, group_size) - place
        hazard = np.minimum(np.repeat(n_hits, group_size) / left, 1).reshape(hazard.shape)
    no_hit_above = np.ones(hazard.shape)
    np.cumprod(1 - hazard[:, :-1], axis=1, out=no_hit_above[:, 1:])
    chance = no_hit_above * hazard
    # Where the next item is certainly a hit, the chance is what the ranks above leave of 1. So
    # the chances of a query sum up to 1, and not to less, as rounding might have it.
    hit_above = np.zeros(hazard.shape)
    np.cumsum(chance[:, :-1], axis=1, out=hit_above[:, 1:])
    certain = np.maximum(1 - hit_above, 0)
    return np.where((hazard == 1) & (no_hit_above > 0), certain, chance)


def ideal_gain(gain: Floats, depth: int) -> Floats:
    """The gain at each of the first `depth` ranks when the items stand in their best order."""
    ascending = -gain
    if 4 * depth <= gain.shape[1]:
        ascending = np.partition(ascending, depth - 1, axis=1)[:, :depth]
    ascending.sort(axis=1)
    return -ascending[:, :depth]


def sum_to_cutoffs(value_by_rank: Floats, cutoffs: Ints) -> Floats:
    """Return the sums over the ranks up to each cutoff, (n_queries, n_cutoffs).

    They are added up rank by rank from left to right, so that neither a query's neighbours nor
    what follows the cutoff changes a bit.
    """
    last = np.minimum(cutoffs, value_by_rank.shape[1]) - 1
    totals = np.cumsum(value_by_rank[:, : last.max() + 1], axis=1).take(last, axis=1)
    return totals + 0.0  # -0.0 becomes 0.0: it would tell where the row ends


def _drop_hopeless(
    ascending: NDArray[Any], depth: int
) -> tuple[NDArray[Any], NDArray[np.intp] | None]:
    """Drop the items that no order of the ties brings into the first `depth` ranks.

    These are the ones behind the item at rank `depth`. The others move to the left, in item
    order, and come with the cells they stood in; None: nothing was dropped. Takes and returns
    negated scores, the best first when they ascend.
    """
    n_queries, width = ascending.shape
    if 4 * depth > width:
        return ascending, None
    last = np.partition(ascending, depth - 1, axis=1)[:, depth - 1, None]
    if np.isnan(last).any():  # a query of fewer than `depth` items has none to drop
        return ascending, None
    kept = np.flatnonzero(ascending <= last)
    row = kept // width
    n_kept = np.bincount(row, minlength=n_queries)
    column = np.arange(kept.size) - np.repeat(np.cumsum(n_kept) - n_kept, n_kept)
    packed = np.full((n_queries, n_kept.max()), np.nan, dtype=ascending.dtype)
    packed[row, column] = ascending.ravel()[kept]
    cell = np.zeros(packed.shape, dtype=np.intp)
    cell[row, column] = kept
    return packed, cell
