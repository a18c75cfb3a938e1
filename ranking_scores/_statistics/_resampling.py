"""Random signs and random samples of units, shared by all columns of values.

A unit is what a resample flips or draws as a whole: a query, or a cluster of queries. A column has
one value per unit, and each value may have a weight. The mean is that of the weighted values.

A resample only needs sums over a column. So some resamples are a matrix with one row per resample
and one column per unit. Its entries are 0 and 1 if signs are flipped, and counts if units are
drawn. Its product with the columns has all the sums. The matrices are small, and no array has the
three axes of units, resamples and columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._statistics._all_signs import MOST, AllSigns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Resamples = Callable[[int], Iterator["Block"]]
"""Returns the resamples of a number of units, in blocks. Every call returns the same ones."""

FEW = 16
"""For up to so many units, max-T takes all flips of signs, rather than a sample of them."""

_CELLS = 2**20
"""The number of cells of a matrix of resamples, which takes about 8 MB."""
N_IN_BLOCK = 1024
"""The greatest number of resamples in a block: enough for a fast product with columns."""
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1).astype(np.float64)
"""The bits of each octet, (256, 8)."""

SAME = 1e-12
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


class Sample(NamedTuple):
    """Columns of values without NaN, one value per unit."""

    values: Floats
    """(n_units, n_columns)."""
    weight: Floats | None
    """The weight of each value, (n_units, n_columns) or (n_units, 1). None: all weigh the same."""

    def weighed(self, values: Floats) -> Floats:
        """Return values times their weights."""
        return values if self.weight is None else values * self.weight

    def total_weight(self) -> Floats | int:
        """Return the sum of the weights."""
        return len(self.values) if self.weight is None else self.weight.sum(axis=0)

    def mean(self) -> Floats:
        """Return the mean of each column. A sum of roundings is 0."""
        terms = self.weighed(self.values)
        total = terms.sum(axis=0)
        total[np.abs(total) <= SAME * np.abs(terms).sum(axis=0)] = 0
        # Equal values have that value as their mean.
        lowest, highest = self.values.min(axis=0), self.values.max(axis=0)
        # Where max-T has no values, there are zeros without a weight.
        total_weight = np.maximum(self.total_weight(), np.finfo(np.float64).tiny)
        return np.asarray(np.clip(total / total_weight, lowest, highest))

    def centred(self) -> Floats:
        """Return the values minus their mean. A difference of roundings is 0."""
        centred = self.values - self.mean()
        centred[np.abs(centred) <= SAME * np.abs(self.values).max(axis=0)] = 0
        return centred


class Block:
    """Some resamples, as the matrix of which the products with columns are taken."""

    def __init__(self, counts: Floats) -> None:
        self._counts = counts

    def __len__(self) -> int:
        return len(self._counts)

    def times(self, *columns: Any) -> list[Floats]:
        """Return the product with each of some arrays, (n_resamples, n_columns).

        An array has one row per unit, and is only read by slices.
        """
        return [self._counts @ each[:] for each in columns]


class FlipsInBits(Block):
    """Flips of many units, which are kept in bits until they are multiplied."""

    def __init__(self, octets: NDArray[np.uint8]) -> None:
        self._octets = octets

    def __len__(self) -> int:
        return len(self._octets)

    def times(self, *columns: Any) -> list[Floats]:
        sums = [np.zeros((len(self), each.shape[1])) for each in columns]
        n_units = columns[0].shape[0]
        step = max(1, _CELLS // 8 // len(self))
        for first in range(0, self._octets.shape[1], step):
            part = slice(8 * first, min(8 * (first + step), n_units))
            bits = _BITS[self._octets[:, first : first + step]].reshape(len(self), -1)
            for total, each in zip(sums, columns, strict=True):
                total += bits[:, : part.stop - part.start] @ each[part]
        return sums


def flips(n_resamples: int, seed: int) -> Resamples:
    """Return a function that yields flips: 1 for units whose values change sign, 0 for others.

    With at most `FEW` units, these are all sets of units except the empty one.
    """

    def blocks(n_units: int) -> Iterator[Block]:
        if n_units <= FEW:
            bits = np.arange(n_units)
            for first in range(1, 2**n_units, N_IN_BLOCK):
                codes = np.arange(first, min(first + N_IN_BLOCK, 2**n_units))
                yield Block((codes[:, np.newaxis] >> bits & 1).astype(np.float64))
            return
        rng = np.random.default_rng(seed)
        n_at_once, n_octets = max(1, _CELLS // n_units), -(-n_units // 8)
        drawn = np.empty((0, n_octets), dtype=np.uint8)
        for first in range(0, n_resamples, n_at_once):
            shape = min(n_at_once, n_resamples - first), n_octets
            drawn = np.concatenate([drawn, rng.integers(256, size=shape, dtype=np.uint8)])
            n_whole = len(drawn) // N_IN_BLOCK * N_IN_BLOCK
            for start in range(0, n_whole, N_IN_BLOCK):
                yield FlipsInBits(drawn[start : start + N_IN_BLOCK])
            drawn = drawn[n_whole:]
        if len(drawn):
            yield FlipsInBits(drawn)

    return blocks


def draws(n_resamples: int, seed: int) -> Resamples:
    """Return a function that yields how often each unit is drawn, with replacement."""

    def blocks(n_units: int) -> Iterator[Block]:
        rng = np.random.default_rng(seed)
        n_rows = max(1, _CELLS // max(n_units, 1))
        for first in range(0, n_resamples, n_rows):
            n_here = min(n_rows, n_resamples - first)
            drawn = rng.integers(n_units, size=(n_here, n_units))
            drawn += np.arange(n_here)[:, np.newaxis] * n_units  # the position in the block
            counts = np.bincount(drawn.ravel(), minlength=n_here * n_units)
            counts = counts.reshape(n_here, n_units)
            for start in range(0, n_here, N_IN_BLOCK):
                yield Block(counts[start : start + N_IN_BLOCK].astype(np.float64))

    return blocks


def flip_signs(sample: Sample, resamples: Resamples, shares: Shares) -> Standing:
    """Return the rank of each column's mean among those with flipped signs.

    Flipping the signs of some values makes the mean smaller if and only if their sum is positive.
    The test that the mean is d flips the signs of the values minus d. So it compares d with the
    means of all sets of values, and each limit of the interval is one of these (Hartigan, 1969).

    With at most `MOST` units, these are all sets, and no resamples are drawn.
    """
    terms = sample.weighed(sample.values)
    zero = SAME * np.abs(terms).sum(axis=0)
    weight = np.ones((len(terms), 1)) if sample.weight is None else sample.weight
    if len(terms) <= MOST:
        weights = np.broadcast_to(weight, terms.shape)
        columns = zip(sample.values.T, weights.T, zero.tolist(), strict=True)
        found = [_flip_all(*column, shares) for column in columns]
        n_below, n_above, low, high = (np.array(each) for each in zip(*found, strict=True))
        return Standing(n_below, n_above, 2 ** len(terms) - 1, low, high)
    means, empty = [], []
    for block in resamples(len(terms)):
        sums, sizes = block.times(terms, weight)
        sums[np.abs(sums) <= zero] = 0
        means.append(sums / np.where(sizes == 0, 1, sizes))
        empty.append(sizes == 0)  # the mean is unchanged
    mean, is_empty = np.concatenate(means), np.concatenate(empty)
    return Standing(
        (mean >= 0).sum(axis=0),
        (mean <= 0).sum(axis=0),
        len(mean),
        at_share(np.where(is_empty, -np.inf, mean), shares.low),
        -at_share(np.where(is_empty, -np.inf, -mean), shares.high),
    )


def _flip_all(
    values: Floats, weight: Floats, zero: float, shares: Shares
) -> tuple[int, int, float, float]:
    """Return the rank of the mean of values among those with all signs, and its limits."""
    sets, mirrored = AllSigns(values, weight, zero), AllSigns(-values, weight, zero)
    ranks = [rank_at(share, sets.n_sets) for share in shares]
    low, high = (
        each.lowest_mean(rank) if rank else -np.inf
        for each, rank in zip((sets, mirrored), ranks, strict=True)
    )
    return *sets.counts(), low, -high


def draw_queries(sample: Sample, resamples: Resamples, shares: Shares) -> Standing:
    """Return the rank of each column's t statistic among those of samples of its units.

    The t statistic of a sample is that of its difference from the overall mean.
    """
    drawn = t_of_draws(sample, resamples)
    observed, error = t_of(sample, sample.values), error_of(sample)
    mean = sample.mean()
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


def t_of_draws(sample: Sample, resamples: Resamples) -> Floats:
    """Return the t statistic of each sample of units, for the difference from the overall mean."""
    sums = SumsOfDraws(sample.centred(), sample.weight, None)
    return np.concatenate([sums.t(block) for block in resamples(len(sample.values))])


class SumsOfDraws:
    """What the t statistics of samples of units need of some columns.

    `is_there` says which values are there, (n_units, n_columns), or is None if all are. The others
    are 0, and so are their weights.
    """

    def __init__(
        self, centred: Floats, weight: Floats | None, is_there: NDArray[np.bool_] | None
    ) -> None:
        self._n_units = len(centred)
        self._is_plain = weight is None and is_there is None
        terms = centred if weight is None else centred * weight
        self._columns = [terms, terms**2]
        self._zero = SAME * np.abs(terms).sum(axis=0)
        if not self._is_plain:
            there = np.ones((len(centred), 1)) if is_there is None else is_there.astype(np.float64)
            weight = there if weight is None else weight * there
            self._columns += [weight, weight * terms, weight**2, there]

    def t(self, block: Block) -> Floats:
        """Return the t statistic of each column in each sample."""
        if self._is_plain:
            total, squares = block.times(*self._columns)
            total[np.abs(total) <= self._zero] = 0
            spread = squares - total**2 / self._n_units
            return t_statistic(total, spread, squares, self._n_units)
        total, squares, weight, products, of_weight, n_drawn = block.times(*self._columns)
        total[np.abs(total) <= self._zero] = 0
        mean = total / np.where(weight > 0, weight, 1)
        spread = squares - 2 * mean * products + mean**2 * of_weight
        return t_statistic(total, spread, squares, n_drawn)


def t_of(sample: Sample, values: Floats) -> Floats:
    """Return the t statistic of the mean of some values with the weights of a sample."""
    terms = sample.weighed(values)
    total = terms.sum(axis=0)
    total[np.abs(total) <= SAME * np.abs(terms).sum(axis=0)] = 0
    spread = (sample.weighed(sample.centred()) ** 2).sum(axis=0)
    return t_statistic(total, spread, (terms**2).sum(axis=0), len(values))


def error_of(sample: Sample) -> Floats:
    """Return the standard error of each mean, which is a ratio of sums if there are weights."""
    n_units = len(sample.values)
    spread = (sample.weighed(sample.centred()) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(spread * n_units / (n_units - 1)) / sample.total_weight())


def t_statistic(total: Floats, spread: Floats, squares: Floats, n_values: Any) -> Floats:
    """Return the mean divided by its standard error, from sums over n weighted values.

    With values x, weights w and mean m, `total` is the sum of w x, `spread` that of w^2 (x - m)^2
    and `squares` that of w^2 x^2. ::

        t = total / sqrt(n / (n - 1) spread)

    Equal values have no spread, so t is infinite, or 0 if the values are 0. It is also 0 for fewer
    than two values.
    """
    spread = np.where(spread <= SAME * squares, 0, spread)
    error = np.sqrt(spread * n_values / np.maximum(n_values - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = total / error
    is_nothing = (total == 0) | (np.asarray(n_values) < 2)
    return np.where(is_nothing, 0, np.where(error > 0, t, np.copysign(np.inf, total)))


def slack_of(observed: Floats) -> Floats:
    """Return how far rounding may move a value from an observed one."""
    return np.where(np.isfinite(observed), SAME * np.abs(observed), 0) * 100


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
    rank = rank_at(share, len(values))
    if rank < 1:
        return np.full(values.shape[1:], -np.inf)
    return np.asarray(np.partition(values, rank - 1, axis=0)[rank - 1])


def rank_at(share: float, n_resamples: int) -> int:
    """Return the rank of the value of `at_share`, or 0 if there is none."""
    return math.floor(share * (n_resamples + 1) + SAME)
