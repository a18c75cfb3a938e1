r"""Tie groups and profiles: the expected values at each rank, over all orders of the ties.

Sort the items of a query by decreasing score. Items with equal scores form a *tie group*. No order
inside a group is the right one, so a metric takes its average over all orders (McSherry & Najork,
2008). This average does not need the orders: a metric is the sum over the ranks of a *profile*,
which is an expected value at each rank, times a weight of the rank.

Four items with the scores 3, 7, 3, 1 and the gains 5, 0, 2, 1::

    rank                 1     2     3     4
    item                 1     0     2     3      items 0 and 2 tie, and are in item order
    tie group starts     0     1           3
    gain                 0     5     2     1
    expected gain        0    3.5   3.5    1      the summed gain of a group over its size

All arrays hold one query per row. Scores beyond the end of a query are NaN, which sorts after all
scores and equals none of them. So the cells there are groups of one, after all items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._sorting import sort_rows, start_runs, start_runs_in_rows
from ranking_scores._queries._blocks import BlockItems, spread
from ranking_scores._queries._counting import FEW, Counts
from ranking_scores._queries._top_k_candidates import (
    SHORT_SINGLE,
    as_float32,
    is_worth_while,
    largest,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]

_SEVERAL, _FEW_CUTOFFS = 8, 8
"""From this number of queries per cutoff on, and up to this number of cutoffs, queries are added
up faster side by side than one after the other."""
_FEW_SUMMED = 2**9
"""So few values are added up faster one after the other, too."""
_FEW_CELLS = 2**12
"""So few gains are sorted as they are, since it is not worth while to look for a faster dtype."""
_TURNED_AT_ONCE = 2**13
"""The number of cells whose rows become columns at once."""


class TieGroups(NamedTuple):
    """The tie groups of a block of queries, one after the other, including groups of one item."""

    start: Positions
    """The first rank of each group, as an index into the flattened ranks."""
    size: Positions
    """The number of items in each group."""

    def total(self, value_by_rank: Floats) -> Floats:
        """Return the sum of the values in each group."""
        return np.asarray(np.add.reduceat(value_by_rank.ravel(), self.start))


class Ranking(NamedTuple):
    """The items of a block of queries by rank, (n_queries, n_ranks), perhaps only the first.

    If few items matter, only the ranks that they can have are listed, and their tie groups.
    """

    cell: Positions
    """The item at each rank, as an index into the flattened block, or beyond its end at ranks of
    items that do not matter."""
    groups: TieGroups | None
    """The items that tie; None: no items tie."""
    listed: Positions | None = None
    """The ranks that are listed, (n_queries, n_ranks), ascending; None: all from 1 on."""

    def by_rank(self, value_of_item: NDArray[Any]) -> Floats:
        """Return the values of the items, (n_queries, n_cells), in the order of the ranks."""
        values = value_of_item.ravel()
        if self.listed is not None:
            values = np.append(values, values.dtype.type(0))
        return values.take(self.cell).astype(np.float64, copy=False)

    def n_up_to(self, cutoffs: Ints) -> Positions:
        """Return the number of ranks listed up to each cutoff, (n_queries, n_cutoffs)."""
        n_queries, width = self.cell.shape
        if self.listed is not None:
            return _number_listed(self.listed, cutoffs)
        return np.broadcast_to(np.minimum(cutoffs, width), (n_queries, cutoffs.shape[-1]))

    def in_rows(self, rows: Positions, n_cells: int) -> Ranking:
        """Return the rankings in some rows, which may be repeated, of a block with `n_cells`."""
        n_ranks, moved = self.cell.shape[1], np.arange(rows.size) - rows
        cell, groups = self.cell[rows] + moved[:, None] * n_cells, self.groups
        if groups is None:
            return Ranking(cell, None)
        count = np.bincount(groups.start // n_ranks, minlength=self.cell.shape[0])
        group = spread((np.cumsum(count) - count)[rows], count[rows])
        start = groups.start[group] + np.repeat(moved, count[rows]) * n_ranks
        return Ranking(cell, TieGroups(start, groups.size[group]))


def rank_items(scores: NDArray[Any], depth: int, *, ignore_ties: bool) -> Ranking:
    """Rank the items of each query: those at the first `depth` ranks, with their tie groups.

    Inside a tie group, items are in item order. With `ignore_ties` they are in reverse item order,
    and each item is a group of its own. Lower ranks may hold anything.
    """
    ascending = np.subtract(0, scores, order="C")  # neither 0 nor -0 becomes -0
    cell, ranked = sort_rows(ascending, depth, reverse_ties=ignore_ties)
    if ignore_ties:
        return Ranking(cell, None)
    return Ranking(cell, tie_groups(ranked))


def rank_counted(counts: Counts, items: BlockItems, *, ignore_ties: bool) -> Ranking:
    """Rank some items of each query by the number of those above them and equal to them.

    The tie groups of these items are listed, with those of their ranks at which other items are.
    Nothing is counted for a score that ignores ties.
    """
    n_queries, width = items.shape
    beyond = int(counts.n_ranked.max()) + 1
    n_cells, is_tied = n_queries * width, counts.equal > 1
    cell_of_item = np.arange(n_cells)
    if items.is_item is not None:
        cell_of_item = np.flatnonzero(items.is_item)
    if not is_tied.any():
        listed = np.full(items.shape, beyond)
        listed.ravel()[cell_of_item] = counts.above + 1
        cell = np.arange(n_cells).reshape(items.shape)
        if width > 1 and (listed[:, 1:] < listed[:, :-1]).any():
            cell = np.argsort(listed, axis=1) + cell[:, :1]
            listed = listed.ravel()[cell]
        return Ranking(cell, None, listed)
    row = cell_of_item // width
    order = np.arange(row.size)
    if width > 1:
        order = np.lexsort((counts.above, row))  # the items of a group stay in order
    row, above, size = row[order], counts.above[order], counts.equal[order]
    first = np.flatnonzero(start_runs(row) | start_runs(above))
    row, above, size = (each[first] for each in (row, above, size))
    n_listed = np.bincount(row, size, n_queries).astype(np.intp)
    shape = n_queries, int(n_listed.max())
    start_of_row = np.arange(n_queries) * shape[1] - np.cumsum(n_listed) + n_listed
    start = np.cumsum(size) - size + start_of_row[row]
    rank_in_group = spread(start, size)
    cell, listed = np.full(shape, n_cells), np.full(shape, beyond)
    cell.ravel()[spread(start, np.diff(first, append=order.size))] = cell_of_item[order]
    listed.ravel()[rank_in_group] = spread(above + 1, size)
    starts_group = np.ones(cell.size, dtype=bool)  # as padding does
    starts_group[rank_in_group] = False
    starts_group[start] = True
    start = np.flatnonzero(starts_group)
    return Ranking(cell, TieGroups(start, np.diff(start, append=cell.size)), listed)


def tie_groups(in_order: NDArray[Any]) -> TieGroups | None:
    """Return the groups of equal values, which are side by side in each row; None: no group."""
    starts_group = start_runs_in_rows(in_order)
    if starts_group.all():
        return None
    start = np.flatnonzero(starts_group)
    return TieGroups(start, np.diff(start, append=in_order.size))


def expected_gain(gain_by_rank: Floats, ranking: Ranking) -> Floats:
    """G / m at each rank, where G is the summed gain of its tie group of m items."""
    groups = ranking.groups
    if groups is None:
        return gain_by_rank
    mean_gain = groups.total(gain_by_rank) / groups.size
    return np.repeat(mean_gain, groups.size).reshape(gain_by_rank.shape)


def expected_hits(hit_by_rank: Floats, ranking: Ranking, cutoffs: Ints) -> Floats:
    """A + R * c / m: the hits up to a cutoff, if c ranks up to it are in its group of m items.

    A is the number of hits above the group, and R is the number of hits in it. This is the sum of
    the expected gains if each hit gains 1, but it is rounded only once. `cutoffs` are the same for
    all queries, (n_cutoffs,), or there are some for each query, (n_queries, n_cutoffs).
    """
    n_queries, width = hit_by_rank.shape
    if ranking.groups is None and cutoffs.ndim == 1:
        return sum_to_cutoffs(hit_by_rank, cutoffs, ranking.listed)
    hits_so_far = np.zeros((n_queries, width + 1))
    np.cumsum(hit_by_rank, axis=1, out=hits_so_far[:, 1:])
    cutoff = ranking.n_up_to(cutoffs)
    row = np.arange(n_queries)[:, None]
    groups = ranking.groups
    if groups is None:
        return np.asarray(hits_so_far[row, cutoff])
    at = groups_at(groups, cutoff, width)
    above = hits_so_far[row, at.start]
    in_group = hits_so_far[row, at.start + at.size] - above
    return np.asarray(above + in_group * at.n_places / at.size)


class GroupsAt(NamedTuple):
    """The tie groups that have the ranks of cutoffs, (n_queries, n_cutoffs)."""

    start: Positions
    """The first rank of the group, as an index into the ranks of the query."""
    size: Positions
    """The number of items in the group."""
    n_places: Positions
    """The number of its ranks up to the cutoff."""


def groups_at(groups: TieGroups, cutoff: Ints, width: int) -> GroupsAt:
    """Return the groups that have some of the listed ranks, (n_queries, n_cutoffs).

    If the cutoff is above all of them, it is the first group, with none of its ranks.
    """
    row_start = np.arange(cutoff.shape[0])[:, None] * width
    last = np.maximum(cutoff, 1) + row_start - 1  # rank, flattened
    group = np.searchsorted(groups.start, last, side="right") - 1
    start = groups.start[group]
    return GroupsAt(start - row_start, groups.size[group], cutoff + row_start - start)


def all_hits(hit_by_rank: Floats, ranking: Ranking, n_hits: Floats, cutoffs: Ints) -> Floats:
    """P[no hit below the cutoff]: the product of (t - i) / (m - i) over i = 0, ..., R - 1.

    The group at the cutoff has m items, t ranks up to the cutoff, and R hits. If a hit is below
    this group or at no rank, the probability is 0. `n_hits` is the number of hits of each query,
    ranked or not, (n_queries, 1).
    """
    n_queries, width = hit_by_rank.shape
    if ranking.groups is None:
        n_found = sum_to_cutoffs(hit_by_rank, cutoffs, ranking.listed)
        are_all: NDArray[np.bool_] = n_found == n_hits
        return are_all.astype(np.float64)
    hits_so_far = np.zeros((n_queries, width + 1))
    np.cumsum(hit_by_rank, axis=1, out=hits_so_far[:, 1:])
    cutoff = ranking.n_up_to(cutoffs)
    start, size, n_places = groups_at(ranking.groups, cutoff, width)
    row = np.arange(n_queries)[:, None]
    up_to_end = hits_so_far[row, start + size]
    chance: Floats = (up_to_end == n_hits).astype(np.float64)
    in_group = up_to_end - hits_so_far[row, start]
    i, left = 0, np.nonzero((chance > 0) & (in_group > 0) & (n_places < size))
    while left[0].size:
        chance[left] *= np.maximum(n_places[left] - i, 0) / (size[left] - i)
        i += 1
        is_left = (in_group[left] > i) & (chance[left] > 0)
        left = left[0][is_left], left[1][is_left]
    return chance


def first_hit(hit_by_rank: Floats, ranking: Ranking) -> Floats:
    """P[no hit above] * hazard at each rank: the probability that the first hit is there.

    In a tie group of m items with R hits, after j items without a hit, the next item is a hit with
    the hazard R / (m - j). It is 1 as soon as only hits are left.
    """
    groups = ranking.groups
    if groups is None:
        first = np.arange(hit_by_rank.shape[0]), hit_by_rank.argmax(axis=1)
        is_first: Floats = np.zeros(hit_by_rank.shape)
        is_first[first] = hit_by_rank[first]
        return is_first
    left = np.repeat(groups.start + groups.size, groups.size)
    left -= np.arange(hit_by_rank.size)
    hazard: Floats = np.repeat(groups.total(hit_by_rank), groups.size).reshape(hit_by_rank.shape)
    hazard /= left.reshape(hazard.shape)
    np.minimum(hazard, 1, out=hazard)
    chance = np.ones(hazard.shape)
    np.subtract(1, hazard[:, :-1], out=chance[:, 1:])
    np.cumprod(chance[:, 1:], axis=1, out=chance[:, 1:])
    chance *= hazard
    # If the next item is certainly a hit, its probability is 1 minus the sum of those above. So
    # the probabilities of a query sum up to 1, and rounding cannot make the sum less.
    is_certain = hazard == 1
    certain_rank = is_certain.argmax(axis=1)
    query = np.flatnonzero(is_certain.any(axis=1) & (certain_rank > 0))
    rank = certain_rank[query]
    hit_above = np.cumsum(chance, axis=1)[query, rank - 1]
    chance[query, rank] = np.maximum(1 - hit_above, 0)
    return chance


def weight_of_first(hit_by_rank: Floats, ranking: Ranking, weigh: Weigh, cutoffs: Ints) -> Floats:
    """Return the weight of the rank of the first hit, 0 if it is below the cutoff.

    If nothing ties, this is the sum of `first_hit` times the weights, which has one term.
    """
    first = hit_by_rank.argmax(axis=1)[:, None]
    rank = first + 1
    if ranking.listed is not None:
        rank = np.take_along_axis(ranking.listed, first, axis=1)
    weight = weigh(np.take_along_axis(hit_by_rank, first, axis=1), rank)
    return np.where(rank <= cutoffs, weight, 0)


def hits_at_hit(hit_by_rank: Floats, ranking: Ranking) -> Floats:
    """(R / m) * (A + 1 + j * (R - 1) / (m - 1)) at each rank: the hits so far, if it is a hit.

    Take a tie group of m items with R hits, and A hits above it. Rank j of the group, counted from
    0, is a hit with the probability R / m. If it is a hit, then each of the j items above it in
    the group is a hit with the probability (R - 1) / (m - 1).
    """
    hits_so_far = np.cumsum(hit_by_rank, axis=1)
    groups = ranking.groups
    if groups is None:
        return hit_by_rank * hits_so_far
    n_hits = groups.total(hit_by_rank)
    hits_above = (hits_so_far - hit_by_rank).ravel()[groups.start]
    place = np.arange(hit_by_rank.size) - np.repeat(groups.start, groups.size)
    chance_of_others = (n_hits - 1) / np.maximum(groups.size - 1, 1)
    hits_if_hit = np.repeat(hits_above + 1, groups.size)
    hits_if_hit += place * np.repeat(chance_of_others, groups.size)
    expected: Floats = np.repeat(n_hits / groups.size, groups.size) * hits_if_hit
    return expected.reshape(hit_by_rank.shape)


def first_stop(chance_by_rank: Floats, ranking: Ranking, depth: int) -> Floats:
    """P[no stop above] * P[stop here] at each rank up to `depth`: the first stop is there.

    This is like `first_hit`, but each item has its own probability of being a stop. If all items
    of a tie group have the same probability, their order does not matter. Otherwise `_mixed_stops`
    takes the mean.
    """
    no_stop_above = np.ones(chance_by_rank.shape)
    np.cumprod(1 - chance_by_rank[:, :-1], axis=1, out=no_stop_above[:, 1:])
    stop_by_rank: Floats = no_stop_above * chance_by_rank
    if ranking.groups is not None:
        chance, (start, group_size) = chance_by_rank.ravel(), ranking.groups
        n_wanted = np.minimum(group_size, depth - start % stop_by_rank.shape[1])
        is_mixed = np.minimum.reduceat(chance, start) < np.maximum.reduceat(chance, start)
        for group in _similar_in_size(np.flatnonzero(is_mixed & (n_wanted > 0)), group_size):
            place = np.arange(group_size[group].max())
            rank = np.minimum(start[group, None] + place, chance.size - 1)
            in_group = place < group_size[group, None]
            stops = _mixed_stops(np.where(in_group, chance[rank], 0), group_size[group], depth)
            is_wanted = place[: stops.shape[1]] < n_wanted[group, None]
            wanted = rank[:, : stops.shape[1]][is_wanted]
            above = np.repeat(no_stop_above.ravel()[start[group]], n_wanted[group])
            stop_by_rank.ravel()[wanted] = above * stops[is_wanted]
    return stop_by_rank if ranking.listed is not None else stop_by_rank[:, :depth]


def _similar_in_size(group: Ints, group_size: Ints) -> Iterator[Ints]:
    """Cut groups into sets of similar size: the largest is less than twice the smallest."""
    exponent = np.frexp(group_size[group].astype(np.float64))[1]
    for each in np.unique(exponent):
        yield group[exponent == each]


def _mixed_stops(chance: Floats, size: Ints, depth: int) -> Floats:
    """P[first stop at place j] in each group, (n_groups, up to `depth` places), over all orders.

    A row of `chance` holds the items of a group, and 0 beyond its size. The first part goes
    through the orders of the items that can stop, one item after the other: the last of n items is
    before, at or after the place of the first stop. The second part places these items among the
    others. Only positive terms are added, so that small probabilities keep their digits.

    For example, items stop with the probabilities 1/2, 1 and 0. Of the two that can stop, the
    first one stops in 3/4 of all cases, and the second one is the first to stop in 1/4. One of the
    two is at the first place in 2/3 of the orders, and P[first stop there] is 2/3 * 3/4 = 1/2. At
    the second place it is 1/3 * 3/4 + 1/3 * 1/4 = 1/3, if the item of probability 0 is above it or
    below it, and at the third place it is 2/3 * 1/4 = 1/6.
    """
    n_stops = np.count_nonzero(chance, axis=1)
    order = np.argsort(-n_stops, kind="stable")
    chance = chance[order]
    first = np.zeros((order.size, n_stops.max()))
    first[np.arange(first.shape[1]) < n_stops[order, None]] = chance[chance != 0]
    chance = np.ascontiguousarray(first.T)
    # One more group, in which no item can stop, since NumPy sums a single column in another order.
    size, n_stops = np.append(size[order], 1), np.append(n_stops[order], 0)
    depth = min(depth, size.max())
    n_rows = min(depth, n_stops[0])
    before = np.arange(float(n_rows))[:, None]  # items that can stop, above the place
    stop_after, stay_for = np.zeros((2, n_rows, size.size))
    stay_for[0] = 1
    for n in range(1, n_stops[0] + 1):
        rows, groups = slice(min(n + 1, n_rows)), slice(np.count_nonzero(n_stops >= n))
        p, place = chance[n - 1, groups], before[rows]
        stop, stay = stop_after[rows, groups], stay_for[rows, groups]
        last_above = place[1:] * (1 - p)  # times n: the probability that the last item is above
        stop_with_last_above, stay_with_last_above = last_above * stop[:-1], last_above * stay[:-1]
        stop *= n - 1 - place
        stop[1:] += stop_with_last_above
        stop += p * stay
        stop /= n
        stay *= n - place
        stay[1:] += stay_with_last_above
        stay /= n
    n_left = np.maximum(n_stops - before, 0)
    n_others = int((size - n_stops).max())
    reached = np.zeros(stop_after.shape)
    reached[0] = 1
    stops = np.empty((depth, size.size))
    for n_above in range(depth):
        # So many items are above a place: items that can stop, and at most all of the others.
        rows = slice(max(n_above - n_others, 0), n_above + 1)
        of = np.maximum(size - n_above, 1.0)
        is_next = reached[rows] * n_left[rows] / of
        np.add.reduce(stop_after[rows] * is_next, axis=0, out=stops[n_above])
        reached[rows] *= (of - n_left[rows]) / of
        reached[rows.start + 1 : n_above + 2] += is_next[: n_rows - rows.start - 1]
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return stops[:, back].T


def misses_above(miss_by_rank: Floats, ranking: Ranking, most: Floats) -> Floats:
    """E[min(A + U, most)] at each rank: the misses above a hit that is there, at most so many.

    A is the number of misses above the tie group. Of the n misses in the group, U are above the
    hit, and all numbers from 0 to n are equally likely. Those up to t = most - A do not exceed the
    limit. `most` is a whole number for each query, (n_queries, 1).
    """
    above = np.cumsum(miss_by_rank, axis=1) - miss_by_rank
    groups = ranking.groups
    if groups is None:
        return np.minimum(above, most)
    limit = most.ravel()[groups.start // miss_by_rank.shape[1]]
    n, above = groups.total(miss_by_rank), np.minimum(above.ravel()[groups.start], limit)
    t = np.minimum(n, limit - above)
    expected = ((t + 1) * (above + t / 2) + (n - t) * limit) / (n + 1)
    return np.repeat(expected, groups.size).reshape(miss_by_rank.shape)


def last_rank(hit_by_rank: Floats, ranking: Ranking) -> Floats:
    """E[rank of the last hit] of each query, 0 without a hit, (n_queries,).

    Of m items of a tie group, R are hits. The last of them is at place R * (m + 1) / (R + 1).
    """
    n_queries, width = hit_by_rank.shape
    rank = np.arange(1.0, width + 1)
    groups = ranking.groups
    if groups is None:
        return np.asarray((hit_by_rank * rank).max(axis=1))
    n_hits = groups.total(hit_by_rank)
    place = n_hits * (groups.size + 1) / (n_hits + 1)
    last = np.where(n_hits > 0, groups.start % width + place, 0)
    return np.asarray(np.repeat(last, groups.size).reshape(n_queries, width).max(axis=1))


def mean_rank(ranking: Ranking) -> Floats:
    """The mean of the ranks of the tie group at each rank."""
    n_queries, width = ranking.cell.shape
    groups, listed = ranking.groups, ranking.listed
    if groups is None:
        return np.broadcast_to(ranks_of(width, listed), (n_queries, width))
    first = groups.start % width + 1 if listed is None else listed.ravel()[groups.start]
    middle = first + (groups.size - 1) / 2
    return np.repeat(middle, groups.size).reshape(n_queries, width)


def ideal_gain(gain: Floats, depth: int) -> Floats:
    """The gain at each of the first `depth` ranks if the items are in their best order."""
    if gain.shape[1] > SHORT_SINGLE and is_worth_while(gain.shape[1], depth):
        return largest(gain, depth)
    if all((each[:, 1:] <= each[:, :-1]).all() for each in (gain[:1], gain)):
        return gain[:, :depth]  # such as 1 for each relevant item
    # float32 sorts much faster, and holds most gains.
    single = gain if gain.size <= _FEW_CELLS else as_float32(gain)
    ascending = -single if single is gain or (single == gain).all() else -gain
    ascending.sort(axis=1)
    return np.asarray(np.negative(ascending[:, :depth], dtype=np.float64))


def sum_to_cutoffs(
    value_by_rank: Floats, cutoffs: Ints, listed: Positions | None = None
) -> Floats:
    """Return the sums over the ranks up to each cutoff, (n_queries, n_cutoffs).

    They are added up rank by rank from left to right. So neither the other queries nor the ranks
    after the cutoff change a bit, nor do ranks that are not `listed`, where all values are 0.
    """
    n_queries, width = value_by_rank.shape
    if listed is not None:
        so_far = np.zeros((n_queries, width + 1))
        np.cumsum(value_by_rank, axis=1, out=so_far[:, 1:])
        return np.take_along_axis(so_far, _number_listed(listed, cutoffs), axis=1) + 0.0
    if cutoffs.size == 1 and value_by_rank.size <= _FEW_SUMMED:
        return value_by_rank[:, : cutoffs[0]].cumsum(axis=1)[:, -1:] + 0.0
    last = np.minimum(cutoffs, width).tolist()
    counted = value_by_rank[:, : max(last)]
    if n_queries < _SEVERAL * len(last) or len(last) > _FEW_CUTOFFS:
        so_far = counted.cumsum(axis=1)
        totals = so_far[:, -1:] if len(last) == 1 else so_far.take(np.array(last) - 1, axis=1)
    else:
        # One rank after the other is added to all queries at once, in the same order as cumsum.
        values_of_ranks = _turned(counted)
        totals = np.empty((n_queries, len(last)))
        start = 0
        for column in np.argsort(last).tolist():
            totals[:, column] = np.add.reduce(values_of_ranks[start : last[column]], axis=0)
            start = last[column] - 1
            values_of_ranks[start] = totals[:, column]  # the next cutoff goes on from here
    # -0.0 becomes 0.0, since it would depend on where the row ends. A view would hold all sums.
    return totals + 0.0


def _number_listed(listed: Positions, cutoffs: Ints) -> Positions:
    """Return the number of listed ranks up to each cutoff, (n_queries, n_cutoffs)."""
    n_queries, width = listed.shape
    cutoffs = np.broadcast_to(cutoffs, (n_queries, cutoffs.shape[-1]))
    numbers = np.zeros(cutoffs.shape, dtype=np.intp)
    is_narrow = width < max(cutoffs.shape[1], FEW)
    for place in range(width) if is_narrow else ():
        numbers += listed[:, place, None] <= cutoffs
    for column in () if is_narrow else range(cutoffs.shape[1]):
        numbers[:, column] = (listed <= cutoffs[:, column, None]).sum(axis=1)
    return numbers


def _turned(values: Floats) -> Floats:
    """Return a transposed copy."""
    turned = np.empty(values.shape[::-1])
    # Rows of 2**n values are in few sets of the cache, so not many of them are read at once.
    step = max(_TURNED_AT_ONCE // values.shape[1], 1)
    for start in range(0, values.shape[0], step):
        rows = slice(start, start + step)
        turned[:, rows] = values[rows].T
    return turned


Weigh = Callable[[Floats, Positions | None], Floats]
"""Multiplies values at ranks, (n_queries, n_ranks), by the weights of these ranks: those listed,
of the same shape, or the first ones. It may return fewer ranks: the others weigh nothing."""


def ranks_of(n_ranks: int, listed: Positions | None) -> Floats:
    """Return the ranks that are listed, (n_queries, n_ranks), or the first ranks, (n_ranks,)."""
    return np.arange(1.0, n_ranks + 1) if listed is None else listed.astype(np.float64)


def unweighted(value_by_rank: Floats, listed: Positions | None) -> Floats:
    """Return the values: all ranks weigh 1."""
    return value_by_rank


def over_rank(value_by_rank: Floats, listed: Positions | None) -> Floats:
    """Return the values divided by their ranks."""
    return value_by_rank / ranks_of(value_by_rank.shape[1], listed)


def times_rank(value_by_rank: Floats, listed: Positions | None) -> Floats:
    """Return the values times their ranks."""
    return value_by_rank * ranks_of(value_by_rank.shape[1], listed)


class Summands(NamedTuple):
    """What a score adds up over ranks: a profile of the gains, times the weight of each rank."""

    profile: Callable[..., Floats]
    """A function of `_profiles`, such as `expected_gain`."""
    gain_by_rank: Floats
    """The gain of the item at each rank, (n_queries, n_ranks) or more ranks."""
    ranking: Ranking
    cutoffs: Ints
    """The last ranks that count, (n_cutoffs,), or (n_queries, n_cutoffs) if queries differ."""
    weigh: Weigh


def discounted(value_by_rank: Floats, listed: Positions | None, weight_by_rank: Floats) -> Floats:
    """Return the values times the weights, at the ranks that have both."""
    if listed is not None:  # no value beyond the last weight counts
        return value_by_rank * weight_by_rank.take(listed - 1, mode="clip")
    n_ranks = min(weight_by_rank.size, value_by_rank.shape[1])
    return value_by_rank[:, :n_ranks] * weight_by_rank[:n_ranks]


class RankSum(NamedTuple):
    """The score of each query at each cutoff: a sum over ranks, divided by a number."""

    total: Floats
    """The sum, (n_queries, n_cutoffs)."""
    denominator: Any = 1
    """An int or an array of a shape that fits to that of the sum."""
    summands: Summands | None = None
    """None: the score is no sum over ranks."""
    is_capped: bool = False
    """Whether only rounding can carry the sum beyond the denominator, which it must not."""

    def values(self) -> Floats:
        """Return the score of each query at each cutoff."""
        total = np.minimum(self.total, self.denominator) if self.is_capped else self.total
        return total if isinstance(self.denominator, int) else total / self.denominator


def sum_over_ranks(
    profile: Callable[..., Floats],
    gain_by_rank: Floats,
    ranking: Ranking,
    cutoffs: Ints,
    weigh: Weigh,
) -> RankSum:
    """Return the sums of a profile times a weight, over the ranks up to each cutoff."""
    n_ranks = min(max(cutoffs.tolist()), gain_by_rank.shape[1])
    depth = (n_ranks,) if profile is first_stop else ()
    value_by_rank = profile(gain_by_rank, ranking, *depth)
    return sum_of_values(value_by_rank, Summands(profile, gain_by_rank, ranking, cutoffs, weigh))


def sum_of_values(value_by_rank: Floats, summands: Summands) -> RankSum:
    """Return the sums of the values of a profile times a weight."""
    listed, cutoffs = summands.ranking.listed, summands.cutoffs
    if listed is None:
        value_by_rank = value_by_rank[:, : max(cutoffs.tolist())]
    total = sum_to_cutoffs(summands.weigh(value_by_rank, listed), cutoffs, listed)
    return RankSum(total, summands=summands)
