"""Random signs and random samples of queries, shared by all columns of values.

A column has one value per query. A resample only needs sums over a column. So a block of resamples
is a matrix with one row per resample and one column per query. Its entries are 0 and 1 if signs
are flipped, and counts if queries are drawn. Its product with the columns has all the sums. The
blocks are small, and no array has the three axes of queries, resamples and columns.
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
"""Returns the blocks of resamples for a number of queries. Every call returns the same blocks."""

FEW = 16
"""For up to so many queries, all flips of signs are used, rather than a sample of them."""

_CELLS = 2**20
"""The number of cells of a block, which take about 8 MB."""

_SAME = 1e-12
"""A sum is 0 except for rounding if, relative to the sum of absolute terms, it is below this."""


class Shares(NamedTuple):
    """The share of a distribution beyond each limit of an interval. 0 means no limit."""

    low: float
    high: float


class Standing(NamedTuple):
    """The rank of an observed value among those of the resamples, for each column."""

    n_below: Ints
    """The number of resamples with at most the value."""
    n_above: Ints
    """The number of resamples with at least the value."""
    n_resamples: int
    low: Floats
    """The lower limit of the interval."""
    high: Floats
    """The upper limit of the interval."""


def flips(n_resamples: int, seed: int) -> Resamples:
    """Return a function that yields flips: 1 for queries whose values change sign, 0 for others.

    With at most `FEW` queries, these are all sets of queries except the empty one.
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
    """Return a function that yields how often each query is drawn, with replacement."""

    def blocks(n_queries: int) -> Iterator[Floats]:
        rng = np.random.default_rng(seed)
        n_rows = max(1, _CELLS // max(n_queries, 1))
        for first in range(0, n_resamples, n_rows):
            n_here = min(n_rows, n_resamples - first)
            drawn = rng.integers(n_queries, size=(n_here, n_queries))
            drawn += np.arange(n_here)[:, np.newaxis] * n_queries  # the position in the block
            counts = np.bincount(drawn.ravel(), minlength=n_here * n_queries)
            yield counts.reshape(n_here, n_queries).astype(np.float64)

    return blocks


def flip_signs(values: Floats, resamples: Resamples, shares: Shares) -> Standing:
    """Return the rank of each column's mean among those with flipped signs. No value is NaN.

    Flipping the signs of some values makes the mean smaller if and only if their sum is positive.
    The test that the mean is d flips the signs of the values minus d. So it compares d with the
    means of all sets of values, and each limit of the interval is one of these (Hartigan, 1969).
    """
    zero = _SAME * np.abs(values).sum(axis=0)
    means, empty = [], []
    for flipped in resamples(len(values)):
        sums, sizes = flipped @ values, flipped.sum(axis=1, keepdims=True)
        sums[np.abs(sums) <= zero] = 0
        means.append(sums / np.maximum(sizes, 1))
        empty.append(sizes == 0)  # the mean is unchanged
    mean, is_empty = np.concatenate(means), np.concatenate(empty)
    return Standing(
        (mean >= 0).sum(axis=0),
        (mean <= 0).sum(axis=0),
        len(mean),
        at_share(np.where(is_empty, -np.inf, mean), shares.low),
        -at_share(np.where(is_empty, -np.inf, -mean), shares.high),
    )


def draw_queries(values: Floats, resamples: Resamples, shares: Shares) -> Standing:
    """Return the rank of each column's t statistic among those of samples of its queries.

    No value is NaN. The t statistic of a sample is that of its difference from the overall mean.
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
    """Return the largest t statistic, or absolute t, of each family, for each resample.

    The signs of a query flip in all columns together, which keeps the correlation of the columns.
    A family is the columns from one of the `starts` to the next. NaN is a missing value.
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
    """Return the mean divided by its standard error, from sums of values and of their squares.

    ::

        variance = (squares - total^2 / n) / (n - 1),    t = (total / n) / sqrt(variance / n)

    Equal values have no spread, so t is infinite, or 0 if the values are 0. It is also 0 for fewer
    than two values.
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
    """Return how far rounding may move a value from an observed one."""
    return np.where(np.isfinite(observed), _SAME * np.abs(observed), 0) * 100


def limit_at(mean: Floats, error: Floats, t: Floats | float, observed: Floats) -> Floats:
    """Return the mean that is t standard errors below the observed mean, whose t is `observed`.

    A test rejects all means beyond it. If the two t are the same except for rounding, the limit is
    0, since the test does not reject 0, and so the interval must contain 0.
    """
    with np.errstate(invalid="ignore"):  # t is infinite without spread
        is_zero = np.abs(t - observed) <= slack_of(observed)
        return np.where(is_zero, 0.0, mean - error * t)


def at_share(values: Floats, share: float) -> Floats:
    """Return the value of each column below which a share of the resamples lies.

    The observed values count as one resample. With n resamples, the result is the c-th lowest
    value, where c is the share times n + 1, rounded down, or -inf if c is 0. So it is the lowest
    value that is not rejected by a test with the p-value (1 + the number of lower values) /
    (n + 1).
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
    """Return the limits of the middle part of each column."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def bca(values: Floats, drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the limits of the bias-corrected and accelerated interval of each mean.

    `drawn` has the means of samples. In the notation of Efron (1987), m is the mean, and ::

        z0 = the normal quantile of the share of samples whose mean is below m
        a  = sum (x - m)^3 / (6 (sum (x - m)^2)^1.5)

    The lower limit is the quantile of `drawn` at N(z0 + (z0 + z) / (1 - a (z0 + z))), where z is
    the normal quantile of (1 - level) / 2. For the mean, a equals the value of the jackknife.
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
