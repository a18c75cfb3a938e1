"""Tests of whether the mean of each column of differences is 0, and intervals of that mean.

A column has the difference of two systems on each query. NaN means that there is no difference.
This module knows nothing of systems and scores.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq
from scipy.special import gammainc, nctdtr, ndtr, ndtri, stdtr, stdtrit

from ranking_scores._statistics._resampling import (
    Resamples,
    Shares,
    Standing,
    draw_queries,
    draws,
    flip_signs,
    flips,
    limit_at,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_POWER = 0.8
"""The probability with which a detectable difference is found."""
_MANY = 10**6
"""For so many queries, the t distribution is normal except for the last digits."""
_HUGE = 10
"""A mean of this many times the critical value for two queries is always found."""
_FAR = 30
"""Values of t beyond this times the square root of the degrees are far from 0."""
_SOME = 50
"""Wilcoxon's test is exact for up to so many changes, since a float counts all their signs."""
_SAME = 1e-12
"""Differences whose relative range is below this are equal except for rounding."""


class Settings(NamedTuple):
    """The settings of a test."""

    test: str
    alternative: str
    level: float
    """The confidence level."""
    n_resamples: int
    seed: int

    @property
    def shares(self) -> Shares:
        """The share of a distribution beyond each limit of an interval."""
        alpha = alpha_of(self.level)
        two_sided = Shares(alpha / 2, alpha / 2)
        one_sided = {"greater": Shares(alpha, 0.0), "less": Shares(0.0, alpha)}
        return one_sided.get(self.alternative, two_sided)


class Summary(NamedTuple):
    """The statistics of each column that need no test."""

    n_queries: Ints
    mean: Floats
    deviation: Floats
    """The standard deviation, with n - 1 in its denominator. NaN for fewer than 2 values."""
    wins: Ints
    draws: Ints
    losses: Ints

    def unscaled(self, exponent: Ints) -> Summary:
        """Return the summary of columns that were multiplied by 2 to the power of -exponent."""
        mean, deviation = (np.ldexp(each, exponent) for each in (self.mean, self.deviation))
        return self._replace(mean=mean, deviation=deviation)

    @property
    def error(self) -> Floats:
        """The standard error of the mean."""
        return np.asarray(self.deviation / np.sqrt(np.maximum(self.n_queries, 1)))

    @property
    def t(self) -> Floats:
        """The t statistic: infinite without spread, unless the mean is 0."""
        return _quotient(self.mean, self.error)

    @property
    def effect_size(self) -> Floats:
        """The mean divided by the standard deviation."""
        return _quotient(self.mean, self.deviation)


class Verdict(NamedTuple):
    """The p-value of each column, and the limits of its mean."""

    pvalue: Floats
    low: Floats
    high: Floats

    def unscaled(self, exponent: Ints) -> Verdict:
        """Return the verdict on columns that were multiplied by 2 to the power of -exponent."""
        low, high = (np.ldexp(each, exponent) for each in (self.low, self.high))
        return self._replace(low=low, high=high)


def alpha_of(level: float) -> float:
    """Return the p-value up to which a difference is significant: 0.1, not 0.09999999999999998."""
    return round(1 - level, 12) or 1 - level


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Return a quotient, with 0 for 0 / 0. NaN in the denominator stays NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = numerator / denominator
    return np.where((numerator == 0) & (denominator == 0), 0.0, quotient)


def scale(values: Floats) -> tuple[Floats, Ints]:
    """Return columns divided by a power of 2, so that no square overflows.

    Also return the exponent of each column. Nothing is rounded.
    """
    largest = np.where(np.isnan(values), 0, np.abs(values)).max(axis=0, initial=0)
    exponent = np.frexp(largest)[1]
    return np.ldexp(values, -exponent), exponent


def summarize(differences: Floats, slack: Floats) -> Summary:
    """Return the summary of each column of differences.

    A sum of differences that does not exceed the slack of the column counts as 0.
    """
    is_there = ~np.isnan(differences)
    known, n_queries = np.where(is_there, differences, 0), is_there.sum(axis=0)
    total = _exact_sums(known)
    total[np.abs(total) <= slack] = 0
    with np.errstate(invalid="ignore"):
        mean = total / n_queries
        squares = _exact_sums(np.where(is_there, known - mean, 0) ** 2)
        deviation = np.sqrt(squares / np.where(n_queries > 1, n_queries - 1, np.nan))
    lowest = np.where(is_there, differences, np.inf).min(axis=0, initial=np.inf)
    highest = np.where(is_there, differences, -np.inf).max(axis=0, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        is_same = highest - lowest <= _SAME * np.maximum(np.abs(highest), np.abs(lowest))
    deviation = np.where(is_same & (n_queries > 1), 0, deviation)
    wins, losses = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    return Summary(n_queries, mean, deviation, wins, n_queries - wins - losses, losses)


def _exact_sums(values: Floats) -> Floats:
    """Return the sum of each column, independent of the other columns."""
    return np.array([math.fsum(column) for column in values.T.tolist()])


def run_test(differences: Floats, summary: Summary, settings: Settings) -> Verdict:
    """Return the p-value and the interval of each column, or NaN for fewer than two values."""
    verdict = _TESTS[settings.test](differences, summary, settings)
    is_enough = summary.n_queries > 1
    return Verdict(*(np.where(is_enough, each, np.nan) for each in verdict))


def _by_t(differences: Floats, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of the t test."""
    degrees = np.where(summary.n_queries > 1, summary.n_queries - 1, np.nan)
    below, above = stdtr(degrees, summary.t), stdtr(degrees, -summary.t)
    quantiles = [stdtrit(degrees, share) if share else -np.inf for share in settings.shares]
    is_nothing = (summary.mean == 0) & (summary.deviation == 0)
    pvalue = np.where(is_nothing, 1.0, _pvalue(below, above, settings))
    return Verdict(pvalue, *limits(summary, *quantiles))


def limits(summary: Summary, low: Floats | float, high: Floats | float) -> tuple[Floats, Floats]:
    """Return the limits at given numbers of standard errors below and above the mean.

    The numbers are t statistics, below 0 or -inf.
    """
    is_known = ~np.isnan(summary.error)
    given = summary.mean, summary.error
    lower, upper = limit_at(*given, -low, summary.t), limit_at(*given, high, summary.t)
    lower = np.where(np.isneginf(low) & is_known, -np.inf, lower)
    return lower, np.where(np.isneginf(high) & is_known, np.inf, upper)


def t_interval(
    mean: Floats, error: Floats, n_queries: int | Floats, level: float
) -> tuple[Floats, Floats]:
    """Return the limits of means by the t distribution."""
    width = stdtrit(n_queries - 1, (1 + level) / 2) * error
    return mean - width, mean + width


def holm(pvalues: Floats) -> Floats:
    """Return the p-values of one family, corrected by Holm's method."""
    order = np.argsort(pvalues)
    times = np.arange(pvalues.size, 0, -1)
    corrected = np.empty_like(pvalues)
    corrected[order] = np.minimum(np.maximum.accumulate(times * pvalues[order]), 1)
    return corrected


def benjamini_hochberg(pvalues: Floats) -> Floats:
    """Return the p-values of one family, corrected to control the false discovery rate."""
    return np.asarray(stats.false_discovery_control(pvalues)) if pvalues.size else pvalues


def _pvalue(below: Floats, above: Floats, settings: Settings) -> Floats:
    """Return the p-value from the probabilities of at most and of at least the observed value."""
    if settings.alternative == "two-sided":
        return np.asarray(np.minimum(2 * np.minimum(below, above), 1))
    return np.asarray(above if settings.alternative == "greater" else below)


def _by_wilcoxon(differences: Floats, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of Wilcoxon's signed-rank test, with the limits of the t test."""
    is_change = ~np.isnan(differences) & (differences != 0)
    columns = zip(differences.T, is_change.T, strict=True)
    pvalues = [_wilcoxon_of(column[is_own], settings) for column, is_own in columns]
    return _by_t(differences, summary, settings)._replace(pvalue=np.array(pvalues))


def _wilcoxon_of(changes: Floats, settings: Settings) -> float:
    """Return the p-value of Wilcoxon's test. It is exact for few changes, otherwise normal."""
    if not changes.size:
        return 1.0
    ranks = _signed_ranks(changes)
    if changes.size > _SOME:
        z = ranks.sum() / np.sqrt((ranks**2).sum())
        return float(_pvalue(ndtr(z), ndtr(-z), settings))
    doubled = np.rint(2 * ranks).astype(np.int64)  # a tied rank may be a multiple of 1/2
    ways = np.zeros(np.abs(doubled).sum() + 1)  # of positive ranks with the sum 0, 1, 2, ...
    ways[0] = 1
    for rank in np.abs(doubled).tolist():
        ways[rank:] = ways[rank:] + ways[:-rank]
    observed = int(doubled[doubled > 0].sum())
    below, above = ways[: observed + 1].sum(), ways[observed:].sum()
    return float(_pvalue(below / ways.sum(), above / ways.sum(), settings))


def _signed_ranks(changes: Floats) -> Floats:
    """Return the ranks of the sizes, with signs. Sizes that differ only by rounding tie."""
    size = np.abs(changes)
    order = np.argsort(size)
    is_next = np.diff(size[order], prepend=-np.inf) > _SAME * size.max()
    place = np.empty(size.size)
    place[order] = np.cumsum(is_next)
    return np.asarray(np.copysign(stats.rankdata(place), changes))


def _by_flips(differences: Floats, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of the permutation test, which flips signs."""
    resamples = flips(settings.n_resamples, settings.seed)
    return _by_resamples(differences, flip_signs, resamples, settings)


def _verdict_of(standing: Standing, settings: Settings) -> Verdict:
    """Return p-values from resamples. The observed data counts as one of them."""
    below, above = (
        (1 + count) / (1 + standing.n_resamples) for count in (standing.n_below, standing.n_above)
    )
    return Verdict(_pvalue(below, above, settings), standing.low, standing.high)


def _by_draws(differences: Floats, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of the bootstrap of the t statistic."""
    resamples = draws(settings.n_resamples, settings.seed)
    return _by_resamples(differences, draw_queries, resamples, settings)


def _by_resamples(
    differences: Floats,
    resample: Callable[[Floats, Resamples, Shares], Standing],
    resamples: Resamples,
    settings: Settings,
) -> Verdict:
    """Return the verdict on each column from resamples of its own queries."""
    results = np.full((3, differences.shape[1]), np.nan)
    for columns, values in by_missing(differences):
        if len(values) > 1:
            standing = resample(values, resamples, settings.shares)
            results[:, columns] = _verdict_of(standing, settings)
    return Verdict(*results)


_TESTS: dict[str, Callable[[Floats, Summary, Settings], Verdict]] = {
    "t": _by_t,
    "permutation": _by_flips,
    "wilcoxon": _by_wilcoxon,
    "bootstrap": _by_draws,
}
TESTS = tuple(_TESTS)
RANDOM = ("permutation", "bootstrap")
"""The tests that resample."""


def by_missing(values: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Yield the columns that lack values on the same queries, with their other values."""
    patterns, which = np.unique(np.isnan(values), axis=1, return_inverse=True)
    for number, is_missing in enumerate(patterns.T):
        columns = np.flatnonzero(which.ravel() == number)
        yield columns, values[np.ix_(~is_missing, columns)]


# Power.


def power_of(noncentrality: float, n_queries: int, settings: Settings) -> float:
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


def _above(critical: float, noncentrality: float, degrees: int) -> float:
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
    """Return the mean that the t test would find with a probability of 80 % in each column."""
    found = {n: _standard_errors_for(n, settings) for n in set(summary.n_queries.tolist())}
    times = np.array([found[n] for n in summary.n_queries.tolist()])
    return np.asarray(times * summary.error)


def _standard_errors_for(n_queries: int, settings: Settings) -> float:
    """Return the mean, in standard errors, for a power of 80 %."""
    if n_queries < 2:
        return np.nan
    if n_queries > _MANY:
        alpha = alpha_of(settings.level)
        tails = 2 if settings.alternative == "two-sided" else 1
        return float(ndtri(_POWER) - ndtri(alpha / tails))

    def lack(noncentrality: float) -> float:
        return power_of(noncentrality, n_queries, settings) - _POWER

    highest = 4 - 2 * float(stdtrit(n_queries - 1, alpha_of(settings.level) / 2))
    return float(brentq(lack, 0, highest)) if lack(0) < 0 else 0.0


def count_needed(mean: float, deviation: float, power: float, level: float) -> int | float:
    """Return the number of queries on which the t test finds a mean with a given power.

    It is infinite if the mean is 0.
    """
    if mean == 0 or deviation == 0:
        return math.inf if mean == 0 else 2
    effect_size = Fraction(mean) / Fraction(deviation)
    alpha = alpha_of(level)
    of_normal = (Fraction(ndtri(power) - ndtri(alpha / 2)) / effect_size) ** 2
    if of_normal > _MANY:
        return math.ceil(of_normal)  # the relative error is less than 1e-5
    if effect_size > -_HUGE * float(stdtrit(1, alpha / 2)):
        return 2
    settings, effect = Settings("t", "two-sided", level, 0, 0), float(effect_size)

    def is_enough(n_queries: int) -> bool:
        return power_of(effect * math.sqrt(n_queries), n_queries, settings) >= power

    highest = 2
    while not is_enough(highest):
        highest *= 2
    candidates = range(2, highest + 1)
    return candidates[bisect.bisect_left(candidates, True, key=is_enough)]
