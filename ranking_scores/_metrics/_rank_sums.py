"""What each item adds to a score that is a sum over ranks, which explanations tell.

A score of some queries is a `RankSum`. `parts_by_rank` tells from it what each item adds, and
`sums_if_first` what the sum would be with another item at the top.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._profiles import (
    Ranking,
    Summands,
    TieGroups,
    expected_gain,
    first_stop,
    hits_at_hit,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]

_CELLS = 2**18
"""The number of cells of the tie groups that are tried at once."""


def weights_of(summands: Summands, shape: tuple[int, ...]) -> Floats:
    """Return the weights of the first ranks, (n_queries, n_ranks), 0 beyond the one cutoff."""
    weight = np.zeros(shape)
    weighed = summands.weigh(np.ones(shape), None)
    weight[:, : weighed.shape[1]] = weighed
    weight[np.arange(shape[1]) >= np.broadcast_to(summands.cutoffs, (shape[0], 1))] = 0
    return weight


def parts_by_rank(summands: Summands) -> Floats:
    """Return what the item at each place of a ranking adds to the sum, over all orders of ties.

    There is one cutoff. The parts of a query add up to its sum, (n_queries, n_ranks). In a tie
    group the expected gains are proportional to the gains, hits of one group add the same, and
    items that may stop a user add what `_parts_of_stops` says.
    """
    gain, ranking = summands.gain_by_rank, summands.ranking
    weight = weights_of(summands, gain.shape)
    if summands.profile is expected_gain:
        return gain * expected_gain(weight, ranking)
    if summands.profile is first_stop:
        return _parts_of_stops(gain, weight, ranking.groups)
    value = summands.profile(gain, ranking) * weight
    if ranking.groups is None:
        return value
    n_hits = np.maximum(ranking.groups.total(gain), 1)
    value_of_hit = np.repeat(ranking.groups.total(value) / n_hits, ranking.groups.size)
    return gain * value_of_hit.reshape(gain.shape)


def _parts_of_stops(chance: Floats, weight: Floats, groups: TieGroups | None) -> Floats:
    """Return P[the user stops at the item] times the weight of its rank, expected in tie groups.

    In a group of m items, the item is at place j with the probability 1 / m, with j of the m - 1
    others above it. `stay` has the probability that none of j random others stops the user.
    """
    no_stop_above = np.ones(chance.shape)
    np.cumprod(1 - chance[:, :-1], axis=1, out=no_stop_above[:, 1:])
    parts: Floats = no_stop_above * chance * weight
    if groups is None:
        return parts
    flat_chance, flat_weight, flat_parts = chance.ravel(), weight.ravel(), parts.ravel()
    tied = np.flatnonzero(groups.size > 1)
    for start, size in zip(groups.start[tied].tolist(), groups.size[tied].tolist(), strict=True):
        ranks = slice(start, start + size)
        in_group = flat_chance[ranks]
        for each in np.unique(in_group[in_group > 0]):
            others = np.delete(in_group, int(np.argmax(in_group == each)))
            stay = _stay(others, n_counted := int(np.count_nonzero(flat_weight[ranks])))
            total = stay @ flat_weight[start : start + n_counted]
            mean = no_stop_above.ravel()[start] * each * total / size
            flat_parts[ranks][in_group == each] = mean
    return parts


def _stay(chance: Floats, depth: int) -> Floats:
    """P[none of t items, drawn at random, is a stop], for t from 0 up to, not including, `depth`.

    It goes through the items: the last of n items is among t drawn ones with probability t / n.
    """
    stay = np.zeros(depth)
    stay[:1] = 1
    for n, each in enumerate(chance, start=1):
        t = np.arange(1.0, min(n + 1, depth))
        above = stay[: t.size] * (t * (1 - each))
        stay[1 : t.size + 1] = ((n - t) * stay[1 : t.size + 1] + above) / n
    return stay


def sums_if_first(summands: Summands, gain: Floats, first: Positions, last: Positions) -> Floats:
    """Return the sum of a query after each of some items alone moves to the first rank.

    An item has a gain, and its first and its last rank, which are 0 if it is not ranked. There is
    one cutoff. The items above its tie group go down by one rank. The profile at their ranks is
    linear in the gain at the first rank, so one cumulative sum serves all items. The items below
    the group stay as they are. In the group itself one item is missing.
    """
    profile, gain_by_rank, ranking, cutoffs, _ = summands
    n_ranks = gain_by_rank.shape[1]
    weight = weights_of(summands, (1, n_ranks + 1))[0]
    n_counted = min(int(np.ravel(cutoffs)[0]), n_ranks + 1)
    nothing, one = _below(np.array([0.0, 1.0]), np.tile(gain_by_rank, (2, 1)), summands, n_counted)
    above = np.cumsum(nothing * weight[:n_counted])
    per_gain = np.cumsum((one - nothing) * weight[:n_counted])
    n_above = np.minimum(np.where(first > 0, first - 1, n_ranks), n_counted - 1)
    sums: Floats = above[n_above] + gain * per_gain[n_above]

    n_counted = min(n_counted, n_ranks)
    value_by_rank = _profile(profile, gain_by_rank, ranking, n_counted)[0] * weight[:n_counted]
    below = np.append(np.cumsum(value_by_rank[::-1])[::-1], 0.0)
    is_ranked = first > 0
    sums[is_ranked] += below[np.minimum(last[is_ranked], n_counted)]

    tied = np.flatnonzero((last > first) & (first < n_counted))
    if tied.size:
        sums[tied] += _sums_of_others(summands, weight, gain[tied], first[tied] - 1, last[tied])
    return sums


def _profile(
    profile: Callable[..., Floats], gain_by_rank: Floats, ranking: Ranking, n_ranks: int
) -> Floats:
    """Return a profile at the first ranks."""
    depth = (n_ranks,) if profile is first_stop else ()
    return profile(gain_by_rank, ranking, *depth)[:, :n_ranks]


def _below(top: Floats, gain_by_rank: Floats, summands: Summands, n_ranks: int) -> Floats:
    """Return the profile of rankings, one per row, with an item of some gain above all others.

    `summands` has the tie groups of the others, which are the same in all rows.
    """
    gain = np.column_stack([top, gain_by_rank])
    cell, groups = np.arange(gain.size).reshape(gain.shape), summands.ranking.groups
    if groups is not None:
        start = np.append(0, groups.start + 1) + cell[:, :1]
        groups = TieGroups(start.ravel(), np.tile(np.append(1, groups.size), len(gain)))
    return _profile(summands.profile, gain, Ranking(cell, groups), n_ranks)


def _sums_of_others(
    summands: Summands, weight: Floats, gain: Floats, start: Positions, stop: Positions
) -> Floats:
    """Return what the others of an item's tie group add to the sum after it moves to the top.

    The group of each item is at the ranks from `start` to `stop`, counted from 0.
    """
    gain_by_rank, size = summands.gain_by_rank[0], stop - start
    if summands.profile is expected_gain:
        groups = cast(TieGroups, summands.ranking.groups)
        group = np.searchsorted(groups.start, start)
        total = groups.total(gain_by_rank)[group] - gain
        weights = np.add.reduceat(weight, np.column_stack([start + 1, stop]).ravel())[::2]
        return total / (size - 1) * weights
    # What is above the group matters as one item does that has all hits, or the chance of a stop.
    if summands.profile is hits_at_hit:
        top = np.append(0.0, np.cumsum(gain_by_rank))[start] + gain
    else:
        top = 1 - np.append(1.0, np.cumprod(1 - gain_by_rank))[start] * (1 - gain)
    key = np.stack([start, gain])
    _, item, which = np.unique(key, axis=1, return_index=True, return_inverse=True)
    sums = np.empty(item.size)
    for n in np.unique(size[item]).tolist():
        same_size = np.flatnonzero(size[item] == n)
        n_rows = max(_CELLS // n, 1)
        for rows in np.split(same_size, range(n_rows, same_size.size, n_rows)):
            each, place = item[rows], np.arange(n - 1)
            first = start[each][:, None]
            missing = np.abs(gain_by_rank[first + np.arange(n)] - gain[each][:, None]).argmin(1)
            others = gain_by_rank[first + place + (place >= missing[:, None])]
            n_counted = min(n, int(np.ravel(summands.cutoffs)[0]) - int(first.min()))
            ranking = Ranking(place[None], TieGroups(np.zeros(1, np.intp), np.array([n - 1])))
            value = _below(top[each], others, summands._replace(ranking=ranking), n_counted)
            weights = weight[first + np.arange(1, n_counted)]
            sums[rows] = (value[:, 1:] * weights).sum(axis=1)
    return sums[np.ravel(which)]
