"""Sums over queries without rounding, for the mean and its standard error.

Sums over parts of the data can be added up in any order. All sums are integers: a float is a whole
number of units of 2**-1126, and a product of n floats is a whole number of units of 2**-(1126 n).

For queries with values v and weights w, the mean is m = sum(w v) / sum(w), and ::

    sum(w^2 (v - m)^2) = sum(w^2 v^2) - 2 m sum(w^2 v) + m^2 sum(w^2)

If the values are close together, the sums on the right nearly cancel. So none of them may be
rounded.
"""

from __future__ import annotations

import itertools
import math
import operator
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_UNIT = 1126
"""A float is a whole number of 2**-1126, and a product of n floats is one of 2**-(1126 n)."""
ONE = 2**_UNIT
"""1 in that unit."""

_LARGEST = int(sys.float_info.max)

_SUMMED_BY_PYTHON = 2**7
"""Up to this number of values, Python sums faster than NumPy."""

_SUMMED_AT_ONCE = 2**14
"""This number of values is summed at once: the values and their remainders stay in the cache."""

_SCALED_ABOVE, _SCALE = 2.0**900, 200
"""Larger values are scaled by 2**-200, so that nothing overflows."""

_LIMB = 27
"""The bits of a limb. 4 products of two limbs, and a carry, stay far below 2**63."""

_MULTIPLIED_AT_ONCE = 2**16
"""This number of values is multiplied at once: 8 limbs of each, as floats, sum to below 2**46."""


def exact_sum(values: Floats) -> int:
    """Return the sum of floats, without rounding, in units of 2**-1126."""
    if values.size <= _SUMMED_BY_PYTHON:
        numbers, total = values.tolist(), 0
        try:
            while rounded := math.fsum(numbers):  # until nothing is left of the sum
                total += _as_units(rounded)
                numbers.append(-rounded)
        except OverflowError:
            return sum(map(_as_units, values.tolist()))
        return total
    parts = range(0, values.size, _SUMMED_AT_ONCE)
    return sum(_sum_of_part(values[start : start + _SUMMED_AT_ONCE]) for start in parts)


def _as_units(value: float) -> int:
    """Return a float as a whole number of 2**-1126."""
    numerator, power_of_2 = value.as_integer_ratio()
    return numerator << (_UNIT + 1 - power_of_2.bit_length())


def _sum_of_part(values: Floats) -> int:
    """Return the sum of not too many values.

    Adding a large power of two to a value and subtracting it again leaves the upper bits of the
    value. The upper bits of all values are whole numbers of one unit, so small and so few that
    NumPy sums them without rounding. The same is then done with the remainders (Rump, Ogita and
    Oishi, 2008).
    """
    total, left = 0, values
    largest = max(values.max(), -values.min())
    if largest > _SCALED_ABOVE:
        is_huge = np.abs(values) > _SCALED_ABOVE
        total = exact_sum(values[is_huge] * 2.0**-_SCALE) << _SCALE
        left = np.where(is_huge, 0, values)
        largest = max(left.max(), -left.min())
    carries = values.size.bit_length()
    while largest:
        power_of_2 = math.ldexp(1.0, math.frexp(largest)[1] + carries)
        upper = (left + power_of_2) - power_of_2
        left = left - upper
        total += _as_units(float(upper.sum()))
        largest = max(left.max(), -left.min())
    return total


class WeightedSum(NamedTuple):
    """Sums over some queries at one cutoff; `+` adds the sums over other queries."""

    weighted: int = 0
    """The sum of the products of weight and value, each product rounded once."""
    weight: int = 0
    """The sum of the weights."""
    infinite: float = 0.0
    """The sum of the infinite values. They are in no other sum."""

    def __add__(self, other: Any) -> WeightedSum:
        return WeightedSum(*map(operator.add, self, other))

    def is_possible(self) -> bool:
        """Return whether there are queries with such sums: their mean is a float."""
        is_of_infinities = self.infinite == 0 or not math.isfinite(self.infinite)
        return is_of_infinities and abs(self.weighted) <= self.weight * _LARGEST


class Sums(NamedTuple):
    """The sums for the mean of some queries at one cutoff; `+` adds those of other queries."""

    known: WeightedSum = WeightedSum()
    """The sums over the queries whose weight is known."""
    without_gain: WeightedSum = WeightedSum()
    """The sums over the queries whose items have weights but no gain, with the sample weights as
    weights. Their factor, `mean_weight`, is known when all queries are."""
    weight_with_gain: int = 0
    """The sum of the weights of the queries whose items have weights and some gain."""
    sample_weight_with_gain: int = 0
    """The sum of the sample weights of these queries."""

    def __add__(self, other: Any) -> Sums:
        return Sums(*map(operator.add, self, other))

    def mean_weight(self) -> tuple[int, int]:
        """Return the mean weight that items give the queries with gain, as a fraction."""
        if not self.sample_weight_with_gain:
            return 1, 1
        return self.weight_with_gain, self.sample_weight_with_gain

    def are_possible(self) -> bool:
        """Return whether there are queries with such sums."""
        weights = self.weight_with_gain, self.sample_weight_with_gain
        return min(weights) >= 0 and self.known.is_possible() and self.without_gain.is_possible()

    def mean(self) -> float:
        """Return the weighted mean, rounded once; NaN if nothing has a weight."""
        upper, lower = self.mean_weight()
        known, others = self.known, self.without_gain
        infinite = known.infinite + (others.infinite if upper else 0)
        if infinite:
            return infinite
        weight = known.weight * lower + others.weight * upper
        if not weight:
            return np.nan
        return (known.weighted * lower + others.weighted * upper) / weight


def weighted_sum(values: Floats, weight: Floats | None) -> WeightedSum:
    """Return the sums over some queries. Without weights, each query has the weight 1.

    Queries with the value NaN or without a weight are left out. Each product is rounded once, and
    nothing else is rounded. A product that overflows raises an `OverflowError`.
    """
    infinite = 0.0
    if not values.size:  # as of queries without gain, most often
        return WeightedSum()
    if weight is not None:
        has_weight = weight > 0
        values, weight = values[has_weight], weight[has_weight]
    is_finite = np.isfinite(values)
    if np.count_nonzero(is_finite) < values.size:
        with np.errstate(invalid="ignore"):  # inf - inf
            infinite = float(values[np.isinf(values)].sum())
        values, weight = values[is_finite], None if weight is None else weight[is_finite]
    if weight is None:
        return WeightedSum(exact_sum(values), values.size * ONE, infinite)
    with np.errstate(over="ignore", under="ignore"):
        products = weight * values
    if not np.isfinite(products).all():
        raise OverflowError
    return WeightedSum(exact_sum(products), exact_sum(weight), infinite)


@dataclass(frozen=True)
class Moments:
    """Sums over some queries at one cutoff; `+` adds the sums over other queries."""

    count: int = 0
    """The number of queries that have a weight and a finite value v."""
    weight: int = 0
    """The sum of their weights w, in units of one factor."""
    weight_squared: int = 0
    """The sum of w w."""
    weighted: int = 0
    """The sum of w v."""
    weight_weighted: int = 0
    """The sum of w w v."""
    weighted_squared: int = 0
    """The sum of w v w v."""
    given_squared: int = 0
    """The sum of s s, where s is the sample weight. Only if items have weights; w is then s times
    the weight that the items of a query give it."""
    given_weight: int = 0
    """The sum of s w."""
    given_weighted: int = 0
    """The sum of s w v."""

    def __add__(self, other: Moments) -> Moments:
        return Moments(*map(operator.add, vars(self).values(), vars(other).values()))

    def times(self, factor: int) -> Moments:
        """Return the moments with all weights multiplied by a number above 0."""
        return Moments(
            self.count,
            self.weight * factor,
            self.weight_squared * factor**2,
            self.weighted * factor,
            self.weight_weighted * factor**2,
            self.weighted_squared * factor**2,
        )

    def are_possible(self) -> bool:
        """Return whether there are queries with such moments.

        The sums of products of w v, w and s are a matrix, none of whose principal minors is
        negative (Sylvester's criterion). So no square of a standard error is negative either, of
        these queries or of these and others.
        """
        vv, ww, ss = self.weighted_squared, self.weight_squared, self.given_squared
        vw, vs, ws = self.weight_weighted, self.given_weighted, self.given_weight
        pairs = vv * ww - vw**2, vv * ss - vs**2, ww * ss - ws**2
        of_all = vv * pairs[2] - vw * (vw * ss - vs * ws) + vs * (vw * ws - vs * ww)
        has_weight = self.weight > 0 if self.count else self == Moments()
        return self.count >= 0 and has_weight and min(vv, ww, ss, *pairs, of_all) >= 0

    def standard_error(self) -> float:
        """Return sqrt(sum(w^2 (v - m)^2)) / sum(w) * sqrt(n / (n - 1)), rounded once."""
        if self.count < 2:
            return np.nan
        square = (
            self.weighted_squared * self.weight**2
            - 2 * self.weighted * self.weight_weighted * self.weight
            + self.weighted**2 * self.weight_squared
        )
        numerator = square * self.count
        denominator = self.weight**4 * (self.count - 1) << 2 * _UNIT
        return _root_of_quotient(numerator, denominator)


def standard_error(sums: Sums, known: Moments, without_gain: Moments) -> float:
    """Return the standard error of a mean; NaN if the mean is not finite.

    `known` and `without_gain` are the moments of the queries in these parts of the sums.
    """
    if not math.isfinite(sums.mean()):
        return np.nan
    upper, lower = sums.mean_weight()
    if known.count and without_gain.count and upper:
        return _error_of_parts(known, without_gain, upper, lower)
    return (known.times(lower) + without_gain.times(upper)).standard_error()


def _error_of_parts(known: Moments, others: Moments, upper: int, lower: int) -> float:
    """Return the standard error of a mean over queries with gain, and others without gain.

    The others weigh W = upper / lower, the mean weight of those with gain, which is random, too.
    Let m be the mean of all, R that of the queries with gain, s the sample weights, and w = s
    times the weight by items. Then the standard error is sqrt(sum(u^2) n / (n - 1)) / (sum of
    weights), with ::

        u = w (v - R) + W s (R - m)    for a query with gain
        u = W s (v - m)                for another one

    The sum of weights is `weight` / lower, R = a / b and m = total / weight. All is multiplied by
    the denominators.
    """
    n = known.count + others.count
    a, b = known.weighted, known.weight
    total = a * lower + others.weighted * upper
    weight = b * lower + others.weight * upper
    apart = a * weight - total * b  # (R - m) b weight
    with_gain = (
        known.weighted_squared * b**2
        - 2 * known.weight_weighted * a * b
        + known.weight_squared * a**2
    )
    of_both = known.given_weighted * b - known.given_weight * a
    without_gain = (
        others.weighted_squared * weight**2
        - 2 * others.weight_weighted * total * weight
        + others.weight_squared * total**2
    )
    square = (
        (lower * weight) ** 2 * with_gain
        + 2 * lower * upper * apart * weight * of_both
        + (upper * apart) ** 2 * known.given_squared
        + (upper * b) ** 2 * without_gain
    )
    return _root_of_quotient(square * n, (b * weight**2) ** 2 * (n - 1) << 2 * _UNIT)


def _root_of_quotient(numerator: int, denominator: int) -> float:
    """Return the square root of a fraction, rounded once."""
    # Shifted, the root has at least 64 bits before the point, and one more bit that says whether
    # any bit after the point is set. So rounding it to 53 bits rounds the exact root.
    shift = 65 + (denominator.bit_length() - numerator.bit_length()) // 2
    if shift > 0:
        numerator <<= 2 * shift
    else:
        denominator <<= -2 * shift
    quotient, rest = divmod(numerator, denominator)
    root = math.isqrt(quotient)
    root = 2 * root + (rest > 0 or root**2 < quotient)
    try:
        return (root << max(-shift - 1, 0)) / (1 << max(shift + 1, 0))
    except OverflowError:  # no queries have such sums, but a file may have them
        return math.inf


class ClusterSum(NamedTuple):
    """The sums over some queries of a cluster at one cutoff; `+` adds those of other queries."""

    weighted: int = 0
    """The sum of the products of weight and value, each product rounded once."""
    weight: int = 0
    """The sum of the weights."""

    def __add__(self, other: Any) -> ClusterSum:
        return ClusterSum(*map(operator.add, self, other))


def sums_by_cluster(
    values: Floats, weight: Floats | None, cluster: NDArray[np.intp], n_clusters: int
) -> list[ClusterSum]:
    """Return the sums over each cluster of queries, without those of NaN or without a weight.

    `cluster` is the number of each query's cluster.
    """
    counted = np.isfinite(values)
    weight = np.ones(values.size) if weight is None else weight
    counted &= weight > 0
    order = np.flatnonzero(counted)[np.argsort(cluster[counted], kind="stable")]
    cuts = np.searchsorted(cluster[order], np.arange(n_clusters + 1)).tolist()
    weight = weight[order]
    with np.errstate(under="ignore"):
        products = weight * values[order]
    return [
        ClusterSum(exact_sum(products[start:stop]), exact_sum(weight[start:stop]))
        for start, stop in itertools.pairwise(cuts)
    ]


def mean_over_groups(means: Sequence[float]) -> float:
    """Return the mean of the means of groups, rounded once, or NaN if one of them is undefined."""
    values = np.array(means, np.float64)
    return np.nan if np.isnan(values).any() else Sums(weighted_sum(values, None)).mean()


def error_over_groups(errors: Sequence[float]) -> float:
    """Return the standard error of that mean, for groups that do not depend on each other."""
    return math.hypot(*errors) / len(errors)


def limit_over_groups(
    means: Sequence[float], limits: Sequence[float], narrow: Sequence[float] | None = None
) -> float:
    """Return a limit of the confidence interval of that mean, from those of the groups' intervals.

    It is as far from the mean as the square root of the summed squares of the distances in the
    groups, divided by their number (Zou and Donner, 2008). Of limits that are wider than `narrow`
    ones, for what one query could add, only one group's counts.
    """
    mean, distances = mean_over_groups(means), np.subtract(limits, means)
    squares = (distances if narrow is None else np.subtract(narrow, means)) ** 2
    square = squares.sum() + (distances**2 - squares).max()
    return mean + math.copysign(math.sqrt(square) / len(means), distances.sum())


def clustered_error(sums: Iterable[ClusterSum], mean: float) -> float:
    """Return the standard error of a mean from the sums over clusters, rounded once.

    It is NaN if the mean is not finite.

    With the sums A of w v and W of w over each of c clusters, and the mean m of all, it is
    sqrt(sum((A - m W)^2) c / (c - 1)) / sum(W). A cluster without a weight does not count.
    """
    of_cluster = [each for each in sums if each.weight]
    n_clusters = len(of_cluster)
    if n_clusters < 2 or not math.isfinite(mean):
        return np.nan
    total, weight = (sum(each) for each in zip(*of_cluster, strict=True))
    square = sum((each.weighted * weight - total * each.weight) ** 2 for each in of_cluster)
    return _root_of_quotient(square * n_clusters, weight**4 * (n_clusters - 1))


def moments_of(
    values: Floats, weight: Floats | None, given: Floats | None = None
) -> list[Moments]:
    """Return the moments of queries at each cutoff, of values of shape (n_queries, n_cutoffs).

    If items have weights, `given` are the sample weights.
    """
    counted = np.isfinite(values)
    if weight is not None:
        counted &= (weight > 0)[:, None]
    counts = counted.sum(axis=0).tolist()
    query, cutoff = np.nonzero(counted)
    totals: list[list[int]] = [[0] * 8 for _ in counts]
    for start in range(0, query.size, _MULTIPLIED_AT_ONCE):
        part = slice(start, start + _MULTIPLIED_AT_ONCE)
        v = _split(values[query[part], cutoff[part]])
        if weight is None:
            products = [v, _times(v, v)]
        else:
            w = _split(weight[query[part]])
            wv = _times(w, v)
            products = [w, _times(w, w), wv, _times(w, wv), _times(wv, wv)]
            if given is not None:
                s = _split(given[query[part]])
                products += [_times(s, s), _times(s, w), _times(s, wv)]
        for index, product in enumerate(products):
            for total, part_sum in zip(
                totals, _sums(product, cutoff[part], len(counts)), strict=True
            ):
                total[index] += part_sum
    if weight is not None:
        return [Moments(n, *total) for n, total in zip(counts, totals, strict=True)]
    one = 1 << _UNIT  # a weight of 1
    return [
        Moments(n, n * one, n * one**2, v * one, v * one**2, vv * one**2)
        for n, (v, vv, *_) in zip(counts, totals, strict=True)
    ]


class _LimbIntegers(NamedTuple):
    """Whole numbers. Each is a sum of limbs times powers of two."""

    limbs: Ints
    """(n_limbs, n_numbers). The last limb has the sign, all others are from 0 to 2**27 - 1."""
    power: Ints
    """The power of two for the first limb, (n_numbers,)."""


def _split(values: Floats) -> _LimbIntegers:
    """Return floats as whole numbers of 2**-1126."""
    fraction, exponent = np.frexp(values)
    significand = np.ldexp(fraction, 53).astype(np.int64)
    limbs = np.stack([significand & (2**_LIMB - 1), significand >> _LIMB])
    # At least 0: the least positive float is 0.5 * 2**-1073.
    return _LimbIntegers(limbs, exponent.astype(np.int64) + (_UNIT - 53))


def _times(left: _LimbIntegers, right: _LimbIntegers) -> _LimbIntegers:
    """Return the products of whole numbers, by multiplication as on paper."""
    n_right = len(right.limbs)
    limbs = np.zeros((len(left.limbs) + n_right, left.power.size), dtype=np.int64)
    for place, limb in enumerate(left.limbs):
        limbs[place : place + n_right] += limb * right.limbs
    for place in range(len(limbs) - 1):
        limbs[place + 1] += limbs[place] >> _LIMB
        limbs[place] &= 2**_LIMB - 1
    return _LimbIntegers(limbs, left.power + right.power)


def _sums(numbers: _LimbIntegers, cutoff: NDArray[np.intp], n_cutoffs: int) -> list[int]:
    """Return the sum of the numbers at each cutoff."""
    lowest = int(numbers.power.min())
    n_limbs = len(numbers.limbs)
    width = int(numbers.power.max()) - lowest + n_limbs * _LIMB
    # All limbs with the same cutoff and the same power of two are summed together.
    place = cutoff * width + numbers.power - lowest + _LIMB * np.arange(n_limbs)[:, None]
    sums = np.bincount(place.ravel(), weights=numbers.limbs.ravel())
    filled = np.flatnonzero(sums)
    totals = [0] * n_cutoffs
    addends = sums[filled].astype(np.int64).tolist()
    for index, addend in zip(filled.tolist(), addends, strict=True):
        at, power = divmod(index, width)
        totals[at] += addend << power
    return [total << lowest for total in totals]
