"""Random signs and random samples of queries, shared by all columns of values.

A column has a value for each query. What a resample needs of a column is a sum, so a block of
resamples is a matrix with one row per resample and one column per query: of 0 and 1 where signs
are flipped, of counts where queries are drawn. Its product with the columns has the sums of all of
them. The blocks are small, and no array has an axis for each of queries, resamples and columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Resamples = Callable[[int], Iterator[Floats]]
"""Returns the blocks of resamples of so many queries, the same ones whenever it is called."""

FEW = 16
"""Of so many queries all flips of signs are gone through, rather than a sample of them."""

_CELLS = 2**20
"""The cells of a block, about 8 MB."""

_SAME = 1e-12
"""Relative to the sum of its absolute terms, a sum below it is 0 but for rounding."""


class Shares(NamedTuple):
    """The share of a distribution that is beyond each limit of an interval; 0: no limit."""

    low: float
    high: float


class Standing(NamedTuple):
    """How an observed value stands among those of the resamples, for each column."""

    n_below: Ints
    """How many resamples have at most the value."""
    n_above: Ints
    """How many resamples have at least the value."""
    n_resamples: int
    low: Floats
    """The lower limit of the interval."""
    high: Floats
    """The upper limit."""


def flips(n_resamples: int, seed: int) -> Resamples:
    """Return what yields the queries whose values change sign: 1 there, 0 elsewhere.

    These are all sets of queries but the empty one if there are at most `FEW` of them.
    """

    def blocks(n_queries: int) -> Iterator[Floats]:
        n_rows = max(1, _CELLS // max(n_queries, 1))
        if n_queries <= FEW:
            bits = np.arange(n_queries)
            for first in range(1, 2**n_queries, n_rows):
                codes = np.arange(first, min(first + n_rows, 2**n_queries))
                yield (codes[:, np.newaxis] >> bits & 1).astype(np.float64)
            return
        rng = np.random.default_rng(seed)
        for first in range(0, n_resamples, n_rows):
            shape = min(n_rows, n_resamples - first), -(-n_queries // 8)
            octets = rng.integers(256, size=shape, dtype=np.uint8)
            yield np.unpackbits(octets, axis=1, count=n_queries).astype(np.float64)

    return blocks


def draws(n_resamples: int, seed: int) -> Resamples:
    """Return what yields how often each query is drawn, as many as there are, with replacement."""

    def blocks(n_queries: int) -> Iterator[Floats]:
        rng = np.random.default_rng(seed)
        n_rows = max(1, _CELLS // max(n_queries, 1))
        for first in range(0, n_resamples, n_rows):
            n_here = min(n_rows, n_resamples - first)
            drawn = rng.integers(n_queries, size=(n_here, n_queries))
            drawn += np.arange(n_here)[:, np.newaxis] * n_queries  # a place in the block
            counts = np.bincount(drawn.ravel(), minlength=n_here * n_queries)
            yield counts.reshape(n_here, n_queries).astype(np.float64)

    return blocks


def flip_signs(values: Floats, resamples: Resamples, shares: Shares) -> Standing:
    """Return how the mean of each column stands among those with flipped signs. None is NaN.

    To flip the signs of some values makes the mean smaller if and only if their sum is positive.
    So the test that the mean is d, which flips the signs of values minus d, compares d with the
    means of all sets of values: each limit of the interval is one of these (Hartigan, 1969).
    """
    zero = _SAME * np.abs(values).sum(axis=0)
    means, empty = [], []
    for flipped in resamples(len(values)):
        sums, sizes = flipped @ values, flipped.sum(axis=1, keepdims=True)
        sums[np.abs(sums) <= zero] = 0
        means.append(sums / np.maximum(sizes, 1))
        empty.append(sizes == 0)  # which leaves the mean as it is
    mean, is_empty = np.concatenate(means), np.concatenate(empty)
    return Standing(
        (mean >= 0).sum(axis=0),
        (mean <= 0).sum(axis=0),
        len(mean),
        at_share(np.where(is_empty, -np.inf, mean), shares.low),
        -at_share(np.where(is_empty, -np.inf, -mean), shares.high),
    )


def draw_queries(values: Floats, resamples: Resamples, shares: Shares) -> Standing:
    """Return how the t statistic of each column stands among those of samples of its queries.

    No value is NaN. The t statistic of a sample is that of its difference from the mean of all.
    """
    n_queries = len(values)
    mean = values.mean(axis=0)
    error = np.sqrt(((values - mean) ** 2).sum(axis=0) / (n_queries - 1) / n_queries)
    squares = (values - mean) ** 2
    drawn = np.concatenate(
        [
            t_statistic(counts @ (values - mean), counts @ squares, n_queries)
            for counts in resamples(n_queries)
        ]
    )
    observed = t_statistic(values.sum(axis=0), (values**2).sum(axis=0), n_queries)
    lowest, highest = -at_share(-drawn, shares.low), at_share(drawn, shares.high)
    slack = slack_of(observed)
    low, high = (limit_at(mean, error, t, observed) for t in (lowest, highest))
    return Standing(
        (drawn <= observed + slack).sum(axis=0),
        (drawn >= observed - slack).sum(axis=0),
        len(drawn),
        np.where(np.isinf(lowest), -lowest, low),
        np.where(np.isinf(highest), -highest, high),
    )


def largest_t(values: Floats, starts: Ints, resamples: Resamples, *, is_absolute: bool) -> Floats:
    """Return the largest t statistic, or its absolute value, of each family, for each resample.

    The signs of a query flip in all columns together, so that columns stay as they are related.
    A family is the columns from one of the `starts` to the next. NaN is no value.
    """
    is_there = ~np.isnan(values)
    known, n_known = np.where(is_there, values, 0), is_there.sum(axis=0)
    total, squares = known.sum(axis=0), (known**2).sum(axis=0)
    zero = _SAME * np.abs(known).sum(axis=0)
    largest = []
    for flipped in resamples(len(values)):
        sums = total - 2 * (flipped @ known)
        sums[np.abs(sums) <= zero] = 0
        t = t_statistic(sums, squares, n_known)
        t = np.abs(t) if is_absolute else t
        largest.append(np.maximum.reduceat(t, starts, axis=1))
    return np.concatenate(largest)


def t_statistic(total: Floats, squares: Floats, n_values: Any) -> Floats:
    """Return the mean over its standard error, from sums of values and of their squares.

    ::

        variance = (squares - total^2 / n) / (n - 1),    t = (total / n) / sqrt(variance / n)

    Values that are all equal have no spread: t is infinite, or 0 if they are 0. It is also 0 of
    less than two values, which say nothing.
    """
    at_least_one = np.maximum(n_values, 1)
    spread = squares - total**2 / at_least_one
    spread = np.where(spread <= _SAME * squares, 0, spread)
    error = np.sqrt(spread / np.maximum(n_values - 1, 1) / at_least_one)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = total / at_least_one / error
    is_nothing = (total == 0) | (np.asarray(n_values) < 2)
    return np.where(error > 0, t, np.where(is_nothing, 0, np.copysign(np.inf, total)))


def slack_of(observed: Floats) -> Floats:
    """Return how far a value may be from one observed, and be the same but for rounding."""
    return np.where(np.isfinite(observed), _SAME * np.abs(observed), 0) * 100


def limit_at(mean: Floats, error: Floats, t: Floats | float, observed: Floats) -> Floats:
    """Return the mean that is so many standard errors below the one observed, whose t is given.

    A test rejects all means beyond that. Where the two t are the same but for rounding, it is 0:
    then the test does not reject 0, and so the interval must contain it.
    """
    with np.errstate(invalid="ignore"):  # an infinite t of what has no spread
        is_zero = np.abs(t - observed) <= slack_of(observed)
        return np.where(is_zero, 0.0, mean - error * t)


def at_share(values: Floats, share: float) -> Floats:
    """Return of each column the value with which a share of the resamples is reached.

    The values observed are one resample, too. With n resamples it is the c-th lowest value, where
    c is the share of n + 1, rounded down; -inf if that is none. So it is the lowest value that a
    test does not reject whose p-value is (1 + the number of lower values) / (n + 1).
    """
    rank = math.floor(share * (len(values) + 1) + _SAME)
    if rank < 1:
        return np.full(values.shape[1:], -np.inf)
    return np.asarray(np.partition(values, rank - 1, axis=0)[rank - 1])


def means_of_draws(values: Floats, resamples: Resamples) -> Floats:
    """Return the mean of each column in each sample of its queries. No value is NaN."""
    n_queries = len(values)
    return np.concatenate([counts @ values / n_queries for counts in resamples(n_queries)])


def percentiles(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the limits between which the middle of each column is."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def bca(values: Floats, drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the limits of the bias-corrected and accelerated interval of each mean.

    `drawn` are the means of samples. In the notation of Efron (1987), with m the mean, ::

        z0 = the normal quantile of the share of samples whose mean is below m
        a  = sum (x - m)^3 / (6 (sum (x - m)^2)^1.5)

    the lower limit is the quantile of `drawn` at N(z0 + (z0 + z) / (1 - a (z0 + z))), where z is
    the normal quantile of (1 - level) / 2. For the mean, a is that of the jackknife.
    """
    mean = values.mean(axis=0)
    centred = values - mean
    spread = (centred**2).sum(axis=0)
    slack = _SAME * np.abs(values).mean(axis=0)
    below = ((drawn < mean - slack).mean(axis=0) + (drawn <= mean + slack).mean(axis=0)) / 2
    half = 0.5 / len(drawn)
    z0 = ndtri(np.clip(below, half, 1 - half))
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.nan_to_num((centred**3).sum(axis=0) / (6 * spread**1.5), posinf=0, neginf=0)
    limits = []
    for z in ndtri([(1 - level) / 2, (1 + level) / 2]):
        share = ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))
        pairs = zip(drawn.T, share, strict=True)
        limits.append(np.array([np.quantile(column, each) for column, each in pairs]))
    return limits[0], limits[1]
