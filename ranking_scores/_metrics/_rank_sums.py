"""A score as a sum over ranks: what it adds up, what it divides by, and what each item adds.

A score of some queries is a `RankSum`, which every family of scores makes. It gives the values of
the queries, and `parts_by_rank` tells from it what each item adds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._profiles import (
    Ranking,
    TieGroups,
    expected_gain,
    first_stop,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Weigh = Callable[[Floats], Floats]
"""Multiplies values at the first ranks, (n_queries, n_ranks), by the weights of these ranks. It
may return fewer ranks: the others weigh nothing."""


def unweighted(value_by_rank: Floats) -> Floats:
    """Return the values: all ranks weigh 1."""
    return value_by_rank


def over_rank(value_by_rank: Floats) -> Floats:
    """Return the values divided by their ranks."""
    return value_by_rank / np.arange(1.0, value_by_rank.shape[1] + 1)


def times_rank(value_by_rank: Floats) -> Floats:
    """Return the values times their ranks."""
    return value_by_rank * np.arange(1.0, value_by_rank.shape[1] + 1)


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


class RankSum(NamedTuple):
    """The score of each query at each cutoff: a sum over ranks, divided by a number."""

    total: Floats
    """The sum, (n_queries, n_cutoffs)."""
    divisor: Any = 1
    """An int or an array of a shape that fits to that of the sum."""
    summands: Summands | None = None
    """None: the score compares pairs of items."""
    is_capped: bool = False
    """Whether the sum is at most the divisor but for rounding, which must not carry it beyond."""

    def values(self) -> Floats:
        """Return the score of each query at each cutoff."""
        total = np.minimum(self.total, self.divisor) if self.is_capped else self.total
        return total if isinstance(self.divisor, int) else total / self.divisor


def weights_of(summands: Summands, shape: tuple[int, ...]) -> Floats:
    """Return the weights of the first ranks, (n_queries, n_ranks), 0 beyond the one cutoff."""
    weight = np.zeros(shape)
    weighed = summands.weigh(np.ones(shape))
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
    of_hit = np.repeat(ranking.groups.total(value) / n_hits, ranking.groups.size)
    return gain * of_hit.reshape(gain.shape)


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
            stay = _stay(others)
            mean = no_stop_above.ravel()[start] * each * (stay @ flat_weight[ranks]) / size
            flat_parts[ranks][in_group == each] = mean
    return parts


def _stay(chance: Floats) -> Floats:
    """P[none of t items, drawn at random, is a stop], for t from 0 to the number of items.

    It goes through the items: the last of n items is among t drawn ones with probability t / n.
    """
    stay = np.zeros(chance.size + 1)
    stay[0] = 1
    for n, each in enumerate(chance, start=1):
        t = np.arange(1.0, n + 1)
        stay[1 : n + 1] = ((n - t) * stay[1 : n + 1] + t * (1 - each) * stay[:n]) / n
    return stay
