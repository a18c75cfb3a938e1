"""Intervals and tests for scores of which every value is 0 or 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtri

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STEPS = 60
"""So many bisections of an interval leave no digit of a limit open."""


def are_01(values: Floats) -> NDArray[np.bool_]:
    """Return which columns have no other values than 0, 1 and NaN."""
    return np.asarray(((values == 0) | (values == 1) | np.isnan(values)).all(axis=0))


def wilson(n_hits: Floats, n_values: int | Floats, level: float) -> tuple[Floats, Floats]:
    """Return Wilson's limits of a proportion: those of which the score test rejects no value."""
    z = ndtri((1 + level) / 2)
    share = n_hits / n_values
    middle = (share + z**2 / (2 * n_values)) / (1 + z**2 / n_values)
    root = np.sqrt(share * (1 - share) / n_values + (z / (2 * n_values)) ** 2)
    half = z / (1 + z**2 / n_values) * root
    return np.where(n_hits == 0, 0, middle - half), np.where(n_hits == n_values, 1, middle + half)


def clopper_pearson(n_hits: Floats, n_values: int | Floats, level: float) -> tuple[Floats, Floats]:
    """Return the exact limits of a proportion, each from one tail of the binomial distribution."""
    n_misses = n_values - n_hits
    tail = (1 - level) / 2
    low = betaincinv(np.where(n_hits == 0, 1, n_hits), n_misses + 1, tail)
    high = betaincinv(n_hits + 1, np.where(n_misses == 0, 1, n_misses), 1 - tail)
    return np.where(n_hits == 0, 0, low), np.where(n_misses == 0, 1, high)


class Pairs(NamedTuple):
    """How often two scores of 0 and 1 differ, for each column of queries."""

    wins: Ints
    losses: Ints
    n_queries: Ints

    def swapped(self) -> Pairs:
        """Return the same with the systems swapped."""
        return Pairs(self.losses, self.wins, self.n_queries)


def mcnemar(pairs: Pairs) -> tuple[Floats, Floats]:
    """Return the mid-p probabilities of at most and of at least so many wins.

    Each query on which the scores differ is a win or a loss, with the same probability. Exactly so
    many wins count by half. If no query changed, both are 1.
    """
    n_changes = pairs.wins + pairs.losses

    def at_most(count: Ints) -> Floats:
        fewer = np.where(count == 0, 0.0, bdtr(np.maximum(count - 1.0, 0), n_changes, 0.5))
        middle = (fewer + bdtr(count.astype(np.float64), n_changes, 0.5)) / 2
        return np.where(n_changes == 0, 1.0, middle)

    return at_most(pairs.wins), at_most(pairs.losses)


def tango(pairs: Pairs, difference: Floats) -> Floats:
    """Return Tango's score statistic of a difference of two paired proportions.

    With b wins and c losses on n queries, the statistic for the difference d is ::

        z = (b - c - n d) / sqrt(n (2 q + d (1 - d)))

    where q is the most likely probability of a loss if the difference is d: the positive root of
    2 n q^2 + ((2 n - b + c) d - b - c) q - c d (1 - d) (Tango, 1998).
    """
    wins, losses, n_queries = pairs
    n = np.maximum(n_queries, 1)
    distance = wins - losses - n * difference
    with np.errstate(divide="ignore", invalid="ignore"):
        z = distance / np.sqrt(n * variance_if(pairs, difference))
    return np.where(distance == 0, 0.0, z)


def variance_if(pairs: Pairs, difference: Floats) -> Floats:
    """Return the most likely variance of the differences of queries if their mean is given.

    It is 2 q + d (1 - d) in the notation of `tango`.
    """
    wins, losses, n_queries = pairs
    n = np.maximum(n_queries, 1)
    linear = -wins - losses + (2 * n - wins + losses) * difference
    constant = -losses * difference * (1 - difference)
    q = (np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0)) - linear) / (4 * n)
    return np.asarray(np.maximum(2 * q + difference * (1 - difference), 0))


def tango_limit(pairs: Pairs, share: float) -> Floats:
    """Return the lowest difference that the score test does not reject at a one-sided level."""
    low = np.full(pairs.wins.shape, -1.0)
    high = (pairs.wins - pairs.losses) / np.maximum(pairs.n_queries, 1)
    critical = -ndtri(share)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        is_rejected = tango(pairs, middle) > critical
        low, high = np.where(is_rejected, middle, low), np.where(is_rejected, high, middle)
    return high
