"""Tests of whether the mean of each column of differences is 0, and intervals of that mean.

A column has the difference of two systems on each query. NaN means that there is no difference.
This module knows nothing of systems and scores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr, stdtr, stdtrit

from ranking_scores._base import Sums, weighted_sum
from ranking_scores._statistics._betting import log_capital, lower_limit
from ranking_scores._statistics._proportions import Pairs, mcnemar, tango_limit
from ranking_scores._statistics._resampling import (
    SAME,
    Resamples,
    Sample,
    Shares,
    Standing,
    draw_queries,
    draws,
    flip_signs,
    flips,
    limit_at,
)
from ranking_scores._statistics._units import (
    Units,
    by_missing,
    degrees_of,
    effective,
    error_of_t,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RATE = 0.1
"""The standard deviation of the effect sizes that the sequential test looks for."""
_SOME = 50
"""Wilcoxon's test is exact for up to so many changes, since a float counts all their signs."""


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


class Differences(NamedTuple):
    """Columns of differences."""

    of_query: Floats
    """(n_queries, n_columns)."""
    slack: Floats
    """How far rounding may move their sums from 0, (n_columns,)."""
    units: Units
    one: Floats | float = 1.0
    """The difference of 1, as it is scaled, (n_columns,)."""
    shift: float = 0.0
    """What was added to each difference, before it was scaled."""

    def times(self, exponent: Ints) -> Differences:
        """Return the differences times 2 to the power of the exponent of each column."""
        of_query, slack, one = (
            np.ldexp(each, exponent) for each in (self.of_query, self.slack, self.one)
        )
        return self._replace(of_query=of_query, slack=slack, one=one)


class Summary(NamedTuple):
    """The statistics of each column that need no test."""

    n_queries: Ints
    n_units: Ints
    """The number of queries, or of clusters of queries."""
    n_effective: Floats
    """The effective number of units."""
    mean: Floats
    deviation: Floats
    """The standard deviation, with n - 1 in its denominator. NaN for fewer than 2 values."""
    error: Floats
    """The standard error of the mean. NaN for fewer than 2 units."""
    error_of_t: Floats
    """The one that Student's t takes, which differs for unequal units."""
    wins: Ints
    draws: Ints
    losses: Ints

    def of_columns(self, columns: Ints) -> Summary:
        """Return the summary of some of the columns."""
        return self._replace(**{key: getattr(self, key)[columns] for key in self._fields})

    def times(self, exponent: Ints) -> Summary:
        """Return the summary of the columns times 2 to the power of an exponent."""
        keys = ("mean", "deviation", "error", "error_of_t")
        return self._replace(**{key: np.ldexp(getattr(self, key), exponent) for key in keys})

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
    direction: Floats
    """1 if the test finds the values above 0 rather than below, -1 if below, else 0."""

    def times(self, exponent: Ints) -> Verdict:
        """Return the verdict on the columns times 2 to the power of an exponent."""
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


def scale(values: Floats) -> Ints:
    """Return for each column the power of 2 to divide it by, so that no square overflows.

    Such a division rounds nothing. The power is at least that of which the inverse is finite.
    """
    largest = np.where(np.isnan(values), 0, np.abs(values)).max(axis=0, initial=0)
    exponent: Ints = np.maximum(np.frexp(largest)[1].astype(np.int64), -1000)
    return exponent


def summarize(given: Differences) -> Summary:
    """Return the summary of each column of differences.

    A sum of differences that does not exceed the slack of the column counts as 0.
    """
    found = [
        _summary_of(column, slack, given.units)
        for column, slack in zip(given.of_query.T, given.slack.tolist(), strict=True)
    ]
    return Summary(*map(np.array, zip(*found, strict=True)))


def _summary_of(column: Floats, slack: float, units: Units) -> tuple[float, ...]:
    """Return the numbers of a `Summary`, for one column, independent of other columns."""
    is_there = ~np.isnan(column)
    if not is_there.all():
        column, units = column[is_there], units.of_queries(is_there)
    n_queries, n_units = len(column), units.count(len(column))
    wins, losses = int((column > 0).sum()), int((column < 0).sum())
    counts = wins, n_queries - wins - losses, losses
    if not n_queries:
        return 0, 0, 0.0, np.nan, np.nan, np.nan, np.nan, *counts
    mean = Sums(weighted_sum(column, units.weight)).mean()
    total_weight = n_queries if units.weight is None else units.weight.sum()
    mean = 0.0 if abs(mean) * total_weight <= slack else mean
    sample = units.values(column[:, np.newaxis])
    n_effective = float(n_units if sample.weight is None else effective(sample.weight)[0])
    deviation = error = of_t = np.nan
    if n_queries > 1:
        lowest, highest = float(column.min()), float(column.max())
        is_same = highest - lowest <= SAME * max(abs(lowest), abs(highest))
        square = 0.0 if is_same else np.average((column - mean) ** 2, weights=units.weight)
        deviation = np.sqrt(square * (n_queries / (n_queries - 1)))
        if sample.weight is None:
            error = of_t = deviation / np.sqrt(n_queries)
        elif n_units > 1:
            error = 0.0 if is_same else _error_of_ratio(sample, mean)
            of_t = 0.0 if is_same else float(error_of_t(sample, np.array([error]))[0])
    return n_queries, n_units, n_effective, mean, deviation, error, of_t, *counts


def _error_of_ratio(sample: Sample, mean: float) -> float:
    """Return the standard error of a mean of units with weights."""
    n_units = len(sample.values)
    terms = sample.weighed(sample.values - mean)
    terms[np.abs(terms) <= SAME * np.abs(sample.weighed(sample.values)).max()] = 0
    spread = (terms**2).sum()
    weight = float(np.sum(sample.total_weight()))
    return float(np.sqrt(spread * (n_units / (n_units - 1)))) / weight


def run_test(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the p-value and the interval of each column, or NaN for fewer than two units."""
    verdict = _TESTS[settings.test](given, summary, settings)
    is_enough = summary.n_units > 1
    return Verdict(*(np.where(is_enough, each, np.nan) for each in verdict))


def _by_t(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of the t test, with the degrees of freedom of the effective units."""
    summary = summary._replace(error=summary.error_of_t)
    degrees = degrees_of(summary.n_effective)
    below, above = stdtr(degrees, summary.t), stdtr(degrees, -summary.t)
    quantiles = [stdtrit(degrees, share) if share else -np.inf for share in settings.shares]
    is_nothing = (summary.mean == 0) & (summary.error == 0)
    pvalue = np.where(is_nothing, 1.0, _pvalue(below, above, settings))
    return Verdict(pvalue, *limits(summary, *quantiles), np.sign(summary.mean))


def limits(summary: Summary, low: Floats | float, high: Floats | float) -> tuple[Floats, Floats]:
    """Return the limits at given numbers of standard errors below and above the mean.

    The numbers are t statistics, below 0 or -inf.
    """
    is_known = ~np.isnan(summary.error)
    given = summary.mean, summary.error
    lower, upper = limit_at(*given, -low, summary.t), limit_at(*given, high, summary.t)
    lower = np.where(np.isneginf(low) & is_known, -np.inf, lower)
    return lower, np.where(np.isneginf(high) & is_known, np.inf, upper)


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


def _by_wilcoxon(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of Wilcoxon's signed-rank test, with the limits of the t test."""
    is_change = ~np.isnan(given.of_query) & (given.of_query != 0)
    columns = zip(given.of_query.T, is_change.T, strict=True)
    found = [_wilcoxon_of(column[is_own], settings) for column, is_own in columns]
    pvalue, direction = np.array(found).T
    return _by_t(given, summary, settings)._replace(pvalue=pvalue, direction=direction)


def _wilcoxon_of(changes: Floats, settings: Settings) -> tuple[float, float]:
    """Return the p-value and the direction of Wilcoxon's test.

    The p-value is exact for few changes, otherwise normal.
    """
    if not changes.size:
        return 1.0, 0.0
    ranks = _signed_ranks(changes)
    direction = float(np.sign(ranks.sum()))
    if changes.size > _SOME:
        z = ranks.sum() / np.sqrt((ranks**2).sum())
        return float(_pvalue(ndtr(z), ndtr(-z), settings)), direction
    doubled = np.rint(2 * ranks).astype(np.int64)  # a tied rank may be a multiple of 1/2
    ways = np.zeros(np.abs(doubled).sum() + 1)  # of positive ranks with the sum 0, 1, 2, ...
    ways[0] = 1
    for rank in np.abs(doubled).tolist():
        ways[rank:] = ways[rank:] + ways[:-rank]
    observed = int(doubled[doubled > 0].sum())
    below, above = ways[: observed + 1].sum(), ways[observed:].sum()
    return float(_pvalue(below / ways.sum(), above / ways.sum(), settings)), direction


def _signed_ranks(changes: Floats) -> Floats:
    """Return the ranks of the sizes, with signs. Sizes that differ only by rounding tie."""
    size = np.abs(changes)
    order = np.argsort(size)
    is_next = np.diff(size[order], prepend=-np.inf) > SAME * size.max()
    place = np.empty(size.size)
    place[order] = np.cumsum(is_next)
    return np.asarray(np.copysign(stats.rankdata(place), changes))


def _by_flips(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of the permutation test, which flips signs."""
    resamples = flips(settings.n_resamples, settings.seed)
    return _by_resamples(given, flip_signs, resamples, settings)


def _verdict_of(standing: Standing, settings: Settings) -> Verdict:
    """Return p-values from resamples. The observed data counts as one of them."""
    below, above = (
        (1 + count) / (1 + standing.n_resamples) for count in (standing.n_below, standing.n_above)
    )
    pvalue = _pvalue(below, above, settings)
    return Verdict(pvalue, standing.low, standing.high, np.sign(below - above))


def _by_draws(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of the bootstrap of the t statistic."""
    resamples = draws(settings.n_resamples, settings.seed)
    return _by_resamples(given, draw_queries, resamples, settings)


def _by_resamples(
    given: Differences,
    resample: Callable[[Sample, Resamples, Shares], Standing],
    resamples: Resamples,
    settings: Settings,
) -> Verdict:
    """Return the verdict on each column from resamples of its own units."""
    results = np.full((4, given.of_query.shape[1]), np.nan)
    for columns, values, units in by_missing(given.of_query, given.units):
        if units.count(len(values)) > 1:
            standing = resample(units.values(values), resamples, settings.shares)
            results[:, columns] = _verdict_of(standing, settings)
    return Verdict(*results)


def _by_mcnemar(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the verdict of McNemar's mid-p test of scores of 0 and 1, with Tango's limits."""
    pairs = Pairs(summary.wins, summary.losses, summary.n_queries)
    shares, one = settings.shares, given.one
    n_columns = len(summary.mean)
    low = tango_limit(pairs, shares.low) if shares.low else np.full(n_columns, -np.inf)
    high = (
        tango_limit(pairs.swapped(), shares.high) if shares.high else np.full(n_columns, -np.inf)
    )
    pvalue = _pvalue(*mcnemar(pairs), settings)
    return Verdict(pvalue, low * one, -high * one, np.sign(summary.mean))


def _by_sequence(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the always-valid verdict of a mixture of t tests.

    With r = 1 + n RATE^2, the evidence against the mean 0 is ::

        e = r^-0.5 ((1 + t^2 / (n - 1)) / (1 + t^2 / (n - 1) / r))^(n / 2)

    the mean over effect sizes that are normal with the standard deviation RATE, and over all
    scales, of the likelihood relative to that of no effect. If there is none, it ever exceeds 1 /
    alpha with a probability of at most alpha. The limits are the means with e = 1 / alpha.
    """
    n, degrees = summary.n_units, np.maximum(summary.n_units - 1, 1)
    r = 1 + n * RATE**2
    squares = summary.t**2 / degrees
    with np.errstate(invalid="ignore"):
        growth = np.log1p(squares) - np.log1p(squares / r)
    growth = np.where(np.isinf(squares), np.log(r), growth)
    pvalue = np.minimum(1, np.sqrt(r) * np.exp(-n / 2 * growth))
    needed = (np.sqrt(r) / alpha_of(settings.level)) ** (2 / np.maximum(n, 1))
    with np.errstate(divide="ignore"):
        critical = np.sqrt(degrees * (needed - 1) / np.maximum(1 - needed / r, 0))
    return Verdict(pvalue, *limits(summary, -critical, -critical), np.sign(summary.mean))


def _by_betting(given: Differences, summary: Summary, settings: Settings) -> Verdict:
    """Return the always-valid verdict of bets, for scores from 0 to 1.

    Differences of -1 to 1 are mapped to 0 to 1, and those of 0 to 1/2. An interval is empty, with
    limits of NaN, if the mean changed so much that each mean is rejected by some of the queries.
    """
    shift, (share_low, share_high) = given.shift, settings.shares
    values = (1 + given.of_query / given.one - shift) / 2
    null = (1 - shift) / 2
    above, below = np.exp(-log_capital(values, null)), np.exp(-log_capital(1 - values, 1 - null))
    pvalue = _pvalue(below, above, settings)
    ends = np.full((2, len(pvalue)), np.inf)
    if share_low:
        ends[0] = 1 - 2 * lower_limit(values, share_low)
    if share_high:
        ends[1] = 1 - 2 * lower_limit(1 - values, share_high)
    low, high = shift - ends[0], shift + ends[1]
    is_empty = low > high
    low, high = (np.where(is_empty, np.nan, each) * given.one for each in (low, high))
    # The mean may have changed its side after the queries that made the capital grow.
    direction = np.sign(summary.mean)
    is_other = (pvalue <= alpha_of(settings.level)) & (np.sign(below - above) != direction)
    return Verdict(pvalue, low, high, np.where(is_other, 0, direction))


_TESTS: dict[str, Callable[[Differences, Summary, Settings], Verdict]] = {
    "t": _by_t,
    "permutation": _by_flips,
    "wilcoxon": _by_wilcoxon,
    "bootstrap": _by_draws,
    "mcnemar": _by_mcnemar,
    "sequential": _by_sequence,
    "betting": _by_betting,
}
TESTS = ("auto", *_TESTS)
RANDOM = ("permutation", "bootstrap")
"""The tests that resample."""
