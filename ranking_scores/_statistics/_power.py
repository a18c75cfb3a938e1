"""The power of the t test, and the number of queries for a given power."""

from __future__ import annotations

import bisect
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import chdtri, gammainc, nctdtr, ndtr, ndtri, stdtrit

from ranking_scores._statistics._differences import Settings, Summary, alpha_of
from ranking_scores._statistics._units import degrees_of

Floats = NDArray[np.float64]

_POWER = 0.8
"""The probability with which a detectable difference is found."""
_SURE = 0.8
"""The probability that the upper limit of a standard deviation is high enough."""
_MANY = 10**6
"""For so many queries, the t distribution is normal except for the last digits."""
_HUGE = 10
"""A mean of this many times the critical value for two queries is always found."""
_FAR = 30
"""Values of t beyond this times the square root of the degrees are far from 0."""


def power_of(noncentrality: float, n_queries: float, settings: Settings) -> float:
    """Return the probability that the t test finds a mean of so many standard errors.

    It follows from the noncentral t distribution. For the alternative "less", the mean is
    negative.
    """
    degrees = n_queries - 1
    alpha = alpha_of(settings.level)
    if settings.alternative != "two-sided":
        return _above(-stdtrit(degrees, alpha), noncentrality, degrees)
    critical = -stdtrit(degrees, alpha / 2)
    both = (_above(critical, each, degrees) for each in (noncentrality, -noncentrality))
    return sum(both)


_NORMAL, _WEIGHT_OF_NORMAL = np.polynomial.hermite_e.hermegauss(64)
_WEIGHT_OF_NORMAL /= _WEIGHT_OF_NORMAL.sum()


def _above(critical: float, noncentrality: float, degrees: float) -> float:
    """Return the probability that T, of the noncentral t distribution, exceeds a critical value.

    T is (z + noncentrality) / s. Here z is normal, and s^2 is the mean of as many squared normal
    numbers as there are degrees. SciPy returns no number for values far from 0. For such values
    s is decisive, so a few z suffice: the probability is the mean over them of the probability
    that s is below (z + noncentrality) / critical.
    """
    if max(critical, abs(noncentrality) / 100) <= _FAR * math.sqrt(degrees):
        # SciPy returns NaN if the probability is tiny.
        return float(np.nan_to_num(1 - nctdtr(degrees, noncentrality, critical)))
    s = np.maximum(_NORMAL + noncentrality, 0) / critical
    return float(_WEIGHT_OF_NORMAL @ gammainc(degrees / 2, degrees / 2 * s**2))


def detectable(summary: Summary, settings: Settings) -> Floats:
    """Return the mean that the t test would find with a probability of 80 % in each column.

    NaN in columns without spread, which say nothing about other queries.
    """
    n_effective = np.where(summary.n_units > 1, degrees_of(summary.n_effective) + 1, 1).tolist()
    found = {n: _standard_errors_for(n, settings) for n in set(n_effective)}
    times = np.array([found[n] for n in n_effective])
    return np.where(summary.error_of_t > 0, times * summary.error_of_t, np.nan)


def _standard_errors_for(n_queries: float, settings: Settings) -> float:
    """Return the mean, in standard errors, for a power of 80 %."""
    if n_queries <= 1:
        return np.nan
    if n_queries > _MANY:
        alpha = alpha_of(settings.level)
        tails = 2 if settings.alternative == "two-sided" else 1
        return float(ndtri(_POWER) - ndtri(alpha / tails))

    def lack(noncentrality: float) -> float:
        return power_of(noncentrality, n_queries, settings) - _POWER

    highest = 4 - 2 * float(stdtrit(n_queries - 1, alpha_of(settings.level) / 2))
    return float(brentq(lack, 0, highest)) if lack(0) < 0 else 0.0


class Plan(NamedTuple):
    """A comparison whose queries are not yet there."""

    mean: float
    """The difference to find, at least 0."""
    deviation: float
    """The standard deviation of the differences. NaN if it is unknown."""
    settings: Settings
    """The settings of the test, with the level of this comparison alone."""

    def power(self, n_queries: int) -> float:
        """Return the probability that the t test finds the difference."""
        if n_queries < 2 or math.isnan(self.deviation):
            return np.nan
        if self.mean == 0 or self.deviation == 0:
            return alpha_of(self.settings.level) if self.mean == 0 else 1.0
        noncentrality = self.mean / self.deviation * math.sqrt(n_queries)
        return power_of(noncentrality, n_queries, self.settings)

    def count_needed(self, power: float) -> int | float:
        """Return the lowest number of queries with a power. It is infinite if the mean is 0."""
        if math.isnan(self.deviation):
            return math.nan
        if self.mean == 0 or self.deviation == 0:
            return math.inf if self.mean == 0 else 2
        effect_size = Fraction(self.mean) / Fraction(self.deviation)
        tail = max(self.settings.shares)
        of_normal = (Fraction(max(ndtri(power) - ndtri(tail), 0.0)) / effect_size) ** 2
        if of_normal > _MANY:
            return math.ceil(of_normal)  # the relative error is less than 1e-5
        if effect_size > -_HUGE * float(stdtrit(1, tail)):
            return 2

        def is_enough(n_queries: int) -> bool:
            return self.power(n_queries) >= power

        highest = 2
        while not is_enough(highest):
            highest *= 2
        candidates = range(2, highest + 1)
        return candidates[bisect.bisect_left(candidates, True, key=is_enough)]


def upper_limit(deviation: float, n_queries: int) -> float:
    """Return an upper limit of a standard deviation that some queries have given.

    The true one is lower with a probability of 80 %, if the values are normal.
    """
    degrees = n_queries - 1
    return deviation * math.sqrt(degrees / float(chdtri(degrees, _SURE)))


def level_of_one(
    level: float, alternative: str, n_systems: int, *, has_baseline: bool, correction: str | None
) -> float:
    """Return the confidence level at which one of several comparisons is significant.

    For Holm's method, this is the first step. For max-T, the differences are normal, and all
    systems have the same variance: any pair of systems, or a system and the baseline.
    """
    n_pairs = n_systems - 1 if has_baseline else n_systems * (n_systems - 1) // 2
    alpha, is_two_sided = alpha_of(level), alternative == "two-sided"
    if correction is None or n_pairs == 1:
        return level
    if correction == "holm" or not (is_two_sided or has_baseline):
        return 1 - alpha / n_pairs

    def lack(critical: float) -> float:
        """Return how much the largest statistic exceeds a critical value too often."""
        width = critical * math.sqrt(2)
        if has_baseline:
            below = ndtr(_NORMAL - width) if is_two_sided else 0.0
            share = (ndtr(_NORMAL + width) - below) ** n_pairs
        else:
            share = n_systems * (ndtr(_NORMAL) - ndtr(_NORMAL - width)) ** (n_systems - 1)
        return 1 - float(_WEIGHT_OF_NORMAL @ share) - alpha

    critical = brentq(lack, 0, -ndtri(alpha / n_pairs / 2))
    return 1 - float(ndtr(-critical)) * (2 if is_two_sided else 1)
