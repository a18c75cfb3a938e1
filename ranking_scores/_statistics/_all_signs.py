"""All flips of signs of up to some tens of units, counted without going through each of them.

Flips of n signs have 2^n outcomes, one per set of units whose values change sign. Such a set is a
set of the first half of the units together with one of the second half, and each half has only
2^(n / 2) sets. If the sums over those of one half are sorted, a binary search for each set of the
other half counts the sets of all units whose sum is at most 0 (Horowitz and Sahni, 1974).

For instance, the values are -1, 3, 2 and -5. The sets of the first half have the sums 0, -1, 3 and
2, and those of the second half -5, -3, 0 and 2 in order. Together with 3, two of the latter are at
most 0, and together with -1 three.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST = 36
"""For up to so many units, all flips of signs are counted. Half of them have 2^18 sets."""

_LEAST_SIZE = 2**12
"""The least number of means that are in memory at once."""
_MARGIN = 2
"""A sample estimates the place of the wanted mean with an error of mostly so many deviations."""
_SAME = 1e-13
"""Two means are equal except for rounding if, relative to the largest value, they are closer."""


class AllSigns:
    """The sets of some units with values and weights, except for the empty one."""

    def __init__(self, values: Floats, weight: Floats, zero: float) -> None:
        """Sums of weighted values up to `zero` are 0 except for rounding."""
        middle = len(values) // 2
        self._halves = [
            _Half(values[own], weight[own]) for own in (slice(middle), slice(middle, None))
        ]
        self._lowest, self._highest = float(values.min()), float(values.max())
        self._same = _SAME * max(abs(self._lowest), abs(self._highest))
        self._weight, self._zero = float(weight.sum()), zero
        self.n_sets = 2 ** len(values) - 1

    def counts(self) -> tuple[int, int]:
        """Return the numbers of sets whose sum is at least 0, and whose sum is at most 0."""
        at_0 = _Shifted(self._halves, 0.0)
        n_lower = int(at_0.n_up_to(-self._zero, "left").sum())
        n_not_higher = int(at_0.n_up_to(self._zero).sum()) - 1  # without the empty set
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
        at_low, n_high = _Shifted(self._halves, low), self.n_sets
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
                    at_limit = _Shifted(self._halves, limit)
                    up_to_0 = at_limit.n_up_to(0.0)
                    n_limit = int(up_to_0.sum()) - 1
                    if n_limit < rank:
                        low, at_low, first = limit, at_limit, up_to_0
                    else:
                        high, n_high = limit, n_limit

    def _means(self, shifted: _Shifted, first: Ints, last: Ints) -> tuple[Floats, bool]:
        """Return sorted means of sets that are between two places, and whether they are all.

        For each set of the first half, the places are those of sets of the second half. If there
        are many, the means are those of a sample that is spread evenly over the pairs of sets.
        """
        ends = np.cumsum(last - first)
        n_pairs, size = int(ends[-1]), max(_LEAST_SIZE, len(ends) // 4)
        pairs = np.arange(n_pairs) if n_pairs <= size else np.arange(size) * n_pairs // size
        place = np.searchsorted(ends, pairs, side="right")
        one, other = shifted.sets[0][place], shifted.sets[1][last[place] - (ends[place] - pairs)]
        a, b = self._halves
        sums = a.sums[one] + b.sums[other]
        weights = a.weights[one] + b.weights[other]
        order = np.argsort(sums / weights)
        sums[np.abs(sums) <= self._zero] = 0
        return (sums / weights)[order], n_pairs <= size


class _Half:
    """The sets of one half of the units, in an order in which unit k is in every other 2^k."""

    def __init__(self, values: Floats, weight: Floats) -> None:
        self._values, self._weight = values, weight
        self.sums, self.weights = np.zeros(1), np.zeros(1)
        for value, each in zip((weight * values).tolist(), weight.tolist(), strict=True):
            self.sums = np.concatenate([self.sums, self.sums + value])
            self.weights = np.concatenate([self.weights, self.weights + each])

    def shifted(self, shift: float) -> tuple[Floats, Ints]:
        """Return the sums of the weighted values minus a number, in order, and their sets."""
        sums, sets = np.zeros(1), np.zeros(1, dtype=np.int64)
        for place, term in enumerate((self._weight * (self._values - shift)).tolist()):
            both = np.concatenate([sums, sums + term])
            order = np.argsort(both, kind="stable")  # which only merges the two parts
            sums, sets = both[order], np.concatenate([sets, sets + 2**place])[order]
        return sums, sets


class _Shifted:
    """The sums of the weighted values minus a number, over pairs of sets of both halves."""

    def __init__(self, halves: list[_Half], shift: float) -> None:
        one, other = (half.shifted(shift) for half in halves)
        self._one, self._other = one[0], other[0]
        self.sets = one[1], other[1]

    def n_up_to(self, limit: float, side: Literal["left", "right"] = "right") -> Ints:
        """Return, for each set of the one half, with how many of the other the sum is so low."""
        return np.searchsorted(self._other, limit - self._one, side=side)
