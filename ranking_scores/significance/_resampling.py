"""Random signs and random samples of units, shared by all columns of values.

A unit is what a resample flips or draws as a whole: a query, or a cluster of queries. A column has
one value per unit, and each value may have a weight. The mean is that of the weighted values.

A resample only needs sums over a column. So some resamples are a matrix with one row per resample
and one column per unit. Its entries are 0 and 1 if signs are flipped, and counts if units are
drawn. Its product with the columns has all the sums. The matrices are small, and no array has the
three axes of units, resamples and columns.

Flips of up to some tens of units are counted without going through each of them: see `AllSigns`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores.significance._units import SAME, Sample, error_of, limit_at, slack_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Resamples = Callable[[int], Iterator["ResampleBlock"]]
"""Returns the resamples of a number of units, in blocks. Every call returns the same ones."""

FEW = 16
"""For up to so many units, max-T takes all flips of signs, rather than a sample of them."""
MOST = 36
"""For up to so many units, all flips of signs are counted. Half of them have 2^18 sets."""
_CELLS = 2**20
"""The number of cells of a matrix of resamples, which takes about 8 MB."""
N_IN_BLOCK = 1024
"""The greatest number of resamples in a block: enough for a fast product with columns."""
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1).astype(np.float64)
"""The bits of each octet, (256, 8)."""
_LEAST_SIZE = 2**12
"""The least number of means that are in memory at once."""
_MARGIN = 2
"""A sample estimates the place of the wanted mean with an error of mostly so many deviations."""
_SAME = 1e-13
"""Two means are equal except for rounding if, relative to the largest value, they are closer."""


class TailShares(NamedTuple):
    """The share of a distribution beyond each limit of an interval. 0 means no limit."""

    low: float
    high: float


class ResampledRank(NamedTuple):
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


class ResampleBlock:
    """Some resamples, as the matrix of which the products with columns are taken."""

    def __init__(self, counts: Floats) -> None:
        self._counts = counts

    def __len__(self) -> int:
        return len(self._counts)

    def times(self, *columns: Any) -> list[Floats]:
        """Return the product with each of some arrays, (n_resamples, n_columns).

        An array has one row per unit, and is only read by slices.
        """
        return [self._counts @ column[:] for column in columns]


class FlipsInBits(ResampleBlock):
    """Flips of many units, which are kept in bits until they are multiplied."""

    def __init__(self, octets: NDArray[np.uint8]) -> None:
        self._octets = octets

    def __len__(self) -> int:
        return len(self._octets)

    def times(self, *columns: Any) -> list[Floats]:
        sums = [np.zeros((len(self), column.shape[1])) for column in columns]
        n_units = columns[0].shape[0]
        step = max(1, _CELLS // 8 // len(self))
        for first in range(0, self._octets.shape[1], step):
            part = slice(8 * first, min(8 * (first + step), n_units))
            bits = _BITS[self._octets[:, first : first + step]].reshape(len(self), -1)
            for total, column in zip(sums, columns, strict=True):
                total += bits[:, : part.stop - part.start] @ column[part]
        return sums


def flips(n_resamples: int, seed: int) -> Resamples:
    """Return a function that yields flips: 1 for units whose values change sign, 0 for others.

    With at most `FEW` units, these are all sets of units except the empty one.
    """

    def blocks(n_units: int) -> Iterator[ResampleBlock]:
        if n_units <= FEW:
            bits = np.arange(n_units)
            for first in range(1, 2**n_units, N_IN_BLOCK):
                codes = np.arange(first, min(first + N_IN_BLOCK, 2**n_units))
                yield ResampleBlock((codes[:, np.newaxis] >> bits & 1).astype(np.float64))
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

    def blocks(n_units: int) -> Iterator[ResampleBlock]:
        rng = np.random.default_rng(seed)
        n_rows = max(1, _CELLS // max(n_units, 1))
        for first in range(0, n_resamples, n_rows):
            n_here = min(n_rows, n_resamples - first)
            drawn = rng.integers(n_units, size=(n_here, n_units))
            drawn += (
                np.arange(n_here)[:, np.newaxis] * n_units
            )  # it is now the position in the block
            counts = np.bincount(drawn.ravel(), minlength=n_here * n_units)
            counts = counts.reshape(n_here, n_units)
            for start in range(0, n_here, N_IN_BLOCK):
                yield ResampleBlock(counts[start : start + N_IN_BLOCK].astype(np.float64))

    return blocks


def flip_signs(sample: Sample, resamples: Resamples, shares: TailShares) -> ResampledRank:
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
        n_below, n_above, low, high = (np.array(column) for column in zip(*found, strict=True))
        return ResampledRank(n_below, n_above, 2 ** len(terms) - 1, low, high)
    means, empty = [], []
    for block in resamples(len(terms)):
        sums, sizes = block.times(terms, weight)
        sums[np.abs(sums) <= zero] = 0
        means.append(sums / np.where(sizes == 0, 1, sizes))
        empty.append(sizes == 0)  # it leaves the mean as it is
    mean, is_empty = np.concatenate(means), np.concatenate(empty)
    return ResampledRank(
        (mean >= 0).sum(axis=0),
        (mean <= 0).sum(axis=0),
        len(mean),
        at_share(np.where(is_empty, -np.inf, mean), shares.low),
        -at_share(np.where(is_empty, -np.inf, -mean), shares.high),
    )


def _flip_all(
    values: Floats, weight: Floats, zero: float, shares: TailShares
) -> tuple[int, int, float, float]:
    """Return the rank of the mean of values among those with all signs, and its limits."""
    sets, mirrored = AllSigns(values, weight, zero), AllSigns(-values, weight, zero)
    ranks = [rank_at(share, sets.n_sets) for share in shares]
    low, high = (
        signs.lowest_mean(rank) if rank else -np.inf
        for signs, rank in zip((sets, mirrored), ranks, strict=True)
    )
    return *sets.counts(), low, -high


def draw_queries(sample: Sample, resamples: Resamples, shares: TailShares) -> ResampledRank:
    """Return the rank of each column's t statistic among those of samples of its units.

    The t statistic of a sample is that of its difference from the overall mean.
    """
    drawn = t_of_draws(sample, resamples)
    observed, error = t_of(sample, sample.values), error_of(sample)
    mean = sample.mean()
    lowest, highest = -at_share(-drawn, shares.low), at_share(drawn, shares.high)
    slack = slack_of(observed)
    low, high = (limit_at(mean, error, t, observed) for t in (lowest, highest))
    return ResampledRank(
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

    def t(self, block: ResampleBlock) -> Floats:
        """Return the t statistic of each column in each sample."""
        if self._is_plain:
            total, squares = block.times(*self._columns)
            total[np.abs(total) <= self._zero] = 0
            spread = squares - total**2 / self._n_units
            return t_statistic(total, spread, squares, self._n_units)
        total, squares, weight, products, squared_weight, n_drawn = block.times(*self._columns)
        total[np.abs(total) <= self._zero] = 0
        mean = total / np.where(weight > 0, weight, 1)
        spread = squares - 2 * mean * products + mean**2 * squared_weight
        return t_statistic(total, spread, squares, n_drawn)


def t_of(sample: Sample, values: Floats) -> Floats:
    """Return the t statistic of the mean of some values with the weights of a sample."""
    terms = sample.weighed(values)
    total = terms.sum(axis=0)
    total[np.abs(total) <= SAME * np.abs(terms).sum(axis=0)] = 0
    spread = (sample.weighed(sample.centred()) ** 2).sum(axis=0)
    return t_statistic(total, spread, (terms**2).sum(axis=0), len(values))


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


class AllSigns:
    """The sets of some units with values and weights, except for the empty one.

    Flips of n signs have 2^n outcomes, one per set of units whose values change sign. Such a set
    is a set of the first half of the units together with one of the second half, and each half has
    only 2^(n / 2) sets. If the sums over those of one half are sorted, a binary search for each
    set of the other half counts the sets of all units whose sum is at most 0 (Horowitz and Sahni,
    1974).

    For instance, the values are -1, 3, 2 and -5. The sets of the first half have the sums 0, -1, 3
    and 2, and those of the second half -5, -3, 0 and 2 in order. Together with 3, two of the
    latter are at most 0, and together with -1 three.
    """

    def __init__(self, values: Floats, weight: Floats, zero: float) -> None:
        """Sums of weighted values up to `zero` are 0 except for rounding."""
        middle = len(values) // 2
        self._halves = [
            _HalfOfUnits(values[own], weight[own]) for own in (slice(middle), slice(middle, None))
        ]
        self._lowest, self._highest = float(values.min()), float(values.max())
        self._same = _SAME * max(abs(self._lowest), abs(self._highest))
        self._weight, self._zero = float(weight.sum()), zero
        self.n_sets = 2 ** len(values) - 1

    def counts(self) -> tuple[int, int]:
        """Return the numbers of sets whose sum is at least 0, and whose sum is at most 0."""
        at_0 = _ShiftedSums(self._halves, 0.0)
        n_lower = int(at_0.n_up_to(-self._zero, "left").sum())
        # The empty set does not count.
        n_not_higher = int(at_0.n_up_to(self._zero).sum()) - 1
        return self.n_sets - n_lower, n_not_higher

    def lowest_mean(self, rank: int) -> float:
        """Return the mean of a rank, from 1 on, among the means of all sets.

        A mean is at most d if and only if the sum of the weighted values minus d is at most 0. So
        the means up to any d can be counted. The limits between which the wanted mean is move to
        means of a sample of the sets between them, until there are few sets or only equal means.
        """
        if self._lowest == self._highest:
            return self._lowest
        low, high = 2 * self._lowest - self._highest - self._same, self._highest + self._same
        at_low, n_high = _ShiftedSums(self._halves, low), self.n_sets
        first = at_low.n_up_to(0.0)
        while True:
            n_low = int(first.sum()) - 1
            last = at_low.n_up_to((high - low + self._same) * self._weight)
            means, are_all = self._means(at_low, first, last)
            if are_all:
                return float(means[rank - n_low - 1])
            if high - low <= 4 * self._same:
                return 0.0 if low < 0 < high else float(means[0])
            means, width, middle = means[means <= high], high - low, (low + high) / 2
            tried = [middle]
            if means.size:
                share = (rank - n_low) / (n_high - n_low)
                place = share * means.size
                margin = 1 + _MARGIN * (place * (1 - share)) ** 0.5
                places = np.clip([place - margin, place + margin], 0, means.size - 1)
                lower, upper = means[places.astype(int)]
                tried = [lower - self._same, upper + self._same, middle]
            for limit in tried:
                # The middle is tried if the sample has not at least halved the width.
                is_needed = limit != middle or high - low > width / 2
                if is_needed and low < limit < high:
                    at_limit = _ShiftedSums(self._halves, limit)
                    up_to_0 = at_limit.n_up_to(0.0)
                    n_limit = int(up_to_0.sum()) - 1
                    if n_limit < rank:
                        low, at_low, first = limit, at_limit, up_to_0
                    else:
                        high, n_high = limit, n_limit

    def _means(self, shifted: _ShiftedSums, first: Ints, last: Ints) -> tuple[Floats, bool]:
        """Return sorted means of sets that are between two places, and whether they are all.

        For each set of the first half, the places are those of sets of the second half. If there
        are many, the means are those of a sample that is spread evenly over the pairs of sets.
        """
        ends = np.cumsum(last - first)
        n_pairs, size = int(ends[-1]), max(_LEAST_SIZE, len(ends) // 4)
        pairs = np.arange(min(n_pairs, size), dtype=np.int64)
        if n_pairs > size:
            pairs = pairs * n_pairs // size
        place = np.searchsorted(ends, pairs, side="right")
        one, other = shifted.sets[0][place], shifted.sets[1][last[place] - (ends[place] - pairs)]
        a, b = self._halves
        sums = a.sums[one] + b.sums[other]
        weights = a.weights[one] + b.weights[other]
        order = np.argsort(sums / weights)
        sums[np.abs(sums) <= self._zero] = 0
        return (sums / weights)[order], n_pairs <= size


class _HalfOfUnits:
    """The sets of one half of the units, in an order in which unit k is in every other 2^k."""

    def __init__(self, values: Floats, weight: Floats) -> None:
        self._values, self._weight = values, weight
        self.sums, self.weights = np.zeros(1), np.zeros(1)
        for value, own_weight in zip((weight * values).tolist(), weight.tolist(), strict=True):
            self.sums = np.concatenate([self.sums, self.sums + value])
            self.weights = np.concatenate([self.weights, self.weights + own_weight])

    def shifted(self, shift: float) -> tuple[Floats, Ints]:
        """Return the sums of the weighted values minus a number, in order, and their sets."""
        sums, sets = np.zeros(1), np.zeros(1, dtype=np.int64)
        for place, term in enumerate((self._weight * (self._values - shift)).tolist()):
            both = np.concatenate([sums, sums + term])
            order = np.argsort(both, kind="stable")  # it only merges the two parts
            sums, sets = both[order], np.concatenate([sets, sets + 2**place])[order]
        return sums, sets


class _ShiftedSums:
    """The sums of the weighted values minus a number, over pairs of sets of both halves."""

    def __init__(self, halves: list[_HalfOfUnits], shift: float) -> None:
        one, other = (half.shifted(shift) for half in halves)
        self._one, self._other = one[0], other[0]
        self.sets = one[1], other[1]

    def n_up_to(self, limit: float, side: Literal["left", "right"] = "right") -> Ints:
        """Return, for each set of the one half, with how many of the other the sum is so low."""
        n_sets = np.searchsorted(self._other, limit - self._one, side=side)
        return n_sets.astype(np.int64, copy=False)  # sums of places may need more than 32 bits
