"""Tests of whether the mean of each column of differences is 0, and intervals of that mean.

A column has the difference of two systems on each query. NaN means that there is no difference.
This module knows nothing of systems and scores. It has the checks of what the tests are asked,
each test, and the power of the t test.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq
from scipy.special import bdtr, betaincinv, chdtri, gammainc, nctdtr, ndtr, ndtri, stdtr, stdtrit
from sklearn.utils import check_random_state

from ranking_scores._base._errors import invalid
from ranking_scores._base._exact import Sums, weighted_sum
from ranking_scores._base._validation import any_of, check_option, check_real, describe
from ranking_scores.significance._resampling import (
    MOST,
    TailShares,
    draw_queries,
    draws,
    flip_signs,
    flips,
)
from ranking_scores.significance._units import (
    SAME,
    Sample,
    Units,
    columns_by_missing,
    degrees_of_freedom,
    effective,
    error_of_t,
    limit_at,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RATE = 0.1
"""The standard deviation of the effect sizes that the sequential test looks for."""
_MOST_FOR_EXACT_RANKS = 50
"""Wilcoxon's test is exact for up to so many changes, since a float counts all their signs."""
STAKES = np.arange(1, 10) / 10
"""The shares of the capital that are staked on each value."""
_BISECTIONS_OF_BETS = 45
"""So many bisections leave a rounding of the limits."""
_BISECTIONS_OF_SCORES = 60
"""So many bisections of an interval leave no digit of a limit open."""
_POWER = 0.8
"""The probability with which a detectable difference is found."""
_SHARE_BELOW_LIMIT = 0.8
"""The probability that the upper limit of a standard deviation is high enough."""
_LARGEST_FOR_T = 10**6
"""For so many queries, the t distribution is normal except for the last digits."""
_SURELY_FOUND = 10
"""A mean of this many times the critical value for two queries is always found."""
_LARGEST_FOR_SCIPY = 30
"""Values of t beyond this times the square root of the degrees are far from 0."""
ALTERNATIVES = ("two-sided", "greater", "less")


class SignificanceSettings(NamedTuple):
    """The settings of a test."""

    test: str
    alternative: str
    level: float
    """The confidence level."""
    n_resamples: int
    seed: int

    @property
    def shares(self) -> TailShares:
        """The share of a distribution beyond each limit of an interval."""
        alpha = alpha_of(self.level)
        two_sided = TailShares(alpha / 2, alpha / 2)
        one_sided = {"greater": TailShares(alpha, 0.0), "less": TailShares(0.0, alpha)}
        return one_sided.get(self.alternative, two_sided)


def alpha_of(level: float) -> float:
    """Return the p-value up to which a difference is significant: 0.1, not 0.09999999999999998."""
    return round(1 - level, 12) or 1 - level


def check_between(parameter: str, value: Any, function: str) -> float:
    """Return a number between 0 and 1, or raise."""
    expected = "a number between 0 and 1, neither of them included"
    if type(value) is int and 1 < value < 100:
        raise invalid(parameter, function, expected, str(value), f"{value} % is {value / 100}.")
    number = check_real(value, parameter, function, expected)
    if not 0 < number < 1:
        raise invalid(parameter, function, expected, describe(value))
    return number


def check_count(parameter: str, value: Any, least: int, function: str) -> int:
    """Return an int of at least another one, or raise."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise invalid(parameter, function, f"an int of at least {least}", describe(value))
    return int(value)


def check_level(level: Any, function: str) -> float:
    """Return a valid confidence level, or raise."""
    return check_between("confidence_level", level, function)


def check_resamples(n_resamples: Any, function: str, level: float, *, are_used: bool) -> int:
    """Return the number of resamples. Raise if it is too low for an interval with two limits."""
    is_int = isinstance(n_resamples, Integral) and not isinstance(n_resamples, bool)
    least = math.ceil(2 / alpha_of(level) - 1e-9) - 1 if are_used and is_int else 1
    if not is_int or n_resamples < least:
        at_level = f" if confidence_level={level}" if least > 1 else ""
        expected = f"an int of at least {least}{at_level}"
        raise invalid("n_resamples", function, expected, describe(n_resamples))
    return int(n_resamples)


def seed_of(random_state: Any, function: str, *, is_used: bool) -> int:
    """Return the seed of all resamples of a call.

    Nothing is drawn from the generator if the seed is not used.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32)) if is_used else 0
    expected = "None, an int from 0 to 2**32 - 1, a RandomState or a Generator"
    if isinstance(random_state, (bool, np.bool_)):
        raise invalid("random_state", function, expected, describe(random_state))
    try:
        state = check_random_state(random_state)
    except ValueError as error:
        raise invalid("random_state", function, expected, describe(random_state)) from error
    return int(state.randint(2**32, dtype=np.uint64)) if is_used else 0


def check_settings(
    test: Any, alternative: Any, level: Any, n_resamples: Any, function: str, correction: Any
) -> SignificanceSettings:
    """Return the settings of a test, without the seed."""
    check_correction(correction, function, tuple(CORRECTIONS))
    test = check_option(test, "test", function, TESTS)
    alternative = check_option(alternative, "alternative", function, ALTERNATIVES)
    level = check_between("confidence_level", level, function)
    row = PAIRED_TESTS[test]
    if "one side" not in row.takes and alternative != "two-sided":
        expected = f"'two-sided' if test={test!r}"
        raise invalid("alternative", function, expected, repr(alternative))
    are_used = row.is_random or correction == "max-t"
    n_resamples = check_resamples(n_resamples, function, level, are_used=are_used)
    if correction == "max-t" and "max-t" not in row.takes:
        expected = f"{tests_that_take('max-t')} if correction='max-t'"
        advice = "For other tests, use correction='holm'."
        raise invalid("test", function, expected, repr(test), advice)
    return SignificanceSettings(test, alternative, level, n_resamples, seed=0)


def check_correction(correction: Any, function: str, known: Sequence[str]) -> None:
    """Raise unless a correction is one of those that are known, or None."""
    if not (correction is None or (isinstance(correction, str) and correction in known)):
        expected = f"{', '.join(map(repr, known))} or None"
        raise invalid("correction", function, expected, describe(correction))


def check_holm(
    settings: SignificanceSettings,
    n_rows: int,
    n_units: int,
    function: str,
    margin: float | None = None,
) -> None:
    """Raise if so few resamples cannot make any p-value low enough for Holm's method.

    With a margin, the p-values are those of its claims, which have one side.
    """
    row = PAIRED_TESTS[settings.test]
    if not row.is_random or n_units <= row.most_exact:
        return
    sides = 2 if settings.alternative == "two-sided" and margin is None else 1
    least = math.ceil(sides * n_rows / alpha_of(settings.level) - 1e-9) - 1
    if settings.n_resamples < least:
        of = "correction='holm'" if margin is None else f"Holm's method for margin={margin}"
        expected = f"an int of at least {least} if {of} corrects {n_rows} comparisons"
        advice = "With fewer resamples, no p-value could be low enough."
        raise invalid("n_resamples", function, expected, str(settings.n_resamples), advice)


def check_margin(margin: Any, test: str, function: str) -> float:
    """Return a margin above 0."""
    expected = "None or a finite number above 0"
    number = check_real(margin, "margin", function, expected)
    if not 0 < number < math.inf:
        raise invalid("margin", function, expected, describe(margin))
    row = PAIRED_TESTS[test]
    if "margin" not in row.takes:
        raise invalid("margin", function, f"None if test={test!r}", describe(margin))
    if row.scores == "from 0 to 1" and number >= 1:
        expected = f"below 1 if test={test!r}, which is for scores from 0 to 1"
        raise invalid("margin", function, expected, describe(margin))
    return number


class Differences(NamedTuple):
    """Columns of differences."""

    values: Floats
    """The differences, (n_queries, n_columns)."""
    units: Units
    one: Floats | float = 1.0
    """The difference of 1, as it is scaled, (n_columns,)."""
    shift: float = 0.0
    """What was added to each difference, before it was scaled."""


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

    def take(self, columns: Ints) -> Summary:
        """Return the summary of some of the columns."""
        return self._replace(**{key: getattr(self, key)[columns] for key in self._fields})

    def times(self, exponent: Ints) -> Summary:
        """Return the summary of the columns times 2 to the power of an exponent."""
        return self._replace(
            mean=np.ldexp(self.mean, exponent),
            deviation=np.ldexp(self.deviation, exponent),
            error=np.ldexp(self.error, exponent),
            error_of_t=np.ldexp(self.error_of_t, exponent),
        )

    @property
    def t(self) -> Floats:
        """The t statistic: infinite without spread, unless the mean is 0."""
        return _quotient(self.mean, self.error)

    @property
    def effect_size(self) -> Floats:
        """The mean divided by the standard deviation."""
        return _quotient(self.mean, self.deviation)


class TestResult(NamedTuple):
    """The p-value of each column, and the limits of its mean."""

    pvalue: Floats
    low: Floats
    high: Floats
    direction: Floats
    """1 if the test finds the values above 0 rather than below, -1 if below, else 0."""

    def times(self, exponent: Ints) -> TestResult:
        """Return the verdict on the columns times 2 to the power of an exponent."""
        return self._replace(low=np.ldexp(self.low, exponent), high=np.ldexp(self.high, exponent))


def _quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Return a quotient, with 0 for 0 / 0. NaN in the denominator stays NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = numerator / denominator
    return np.where((numerator == 0) & (denominator == 0), 0.0, quotient)


def exponent_of(values: Floats) -> Ints:
    """Return for each column the power of 2 to divide it by, so that no square overflows.

    Such a division rounds nothing. The power is at least that of which the inverse is finite.
    """
    largest = np.where(np.isnan(values), 0, np.abs(values)).max(axis=0, initial=0)
    exponent: Ints = np.maximum(np.frexp(largest)[1].astype(np.int64), -1000)
    return exponent


def summary_of(column: Floats, slack: float, units: Units) -> tuple[float, ...]:
    """Return the numbers of a `Summary` for one column, which do not depend on other columns.

    A sum of differences that does not exceed the slack of the column counts as 0.
    """
    is_there = ~np.isnan(column)
    if not is_there.all():
        column, units = column[is_there], units.take(is_there)
    n_queries = len(column)
    wins, losses = int((column > 0).sum()), int((column < 0).sum())
    counts = wins, n_queries - wins - losses, losses
    if not n_queries:
        return 0, 0, 0.0, np.nan, np.nan, np.nan, np.nan, *counts
    mean = Sums(weighted_sum(column, units.weight)).mean()
    total_weight = n_queries if units.weight is None else units.weight.sum()
    mean = 0.0 if abs(mean) * total_weight <= slack else mean
    sample = units.values(column[:, np.newaxis])
    n_units = len(sample.values)
    n_effective = float(n_units if sample.weight is None else effective(sample.weight)[0])
    deviation = error = t_error = np.nan
    if n_queries > 1:
        lowest, highest = float(column.min()), float(column.max())
        is_same = highest - lowest <= SAME * max(abs(lowest), abs(highest))
        square = 0.0 if is_same else np.average((column - mean) ** 2, weights=units.weight)
        deviation = np.sqrt(square * (n_queries / (n_queries - 1)))
        if sample.weight is None:
            error = t_error = deviation / np.sqrt(n_queries)
        elif n_units > 1:
            error = 0.0 if is_same else _error_of_ratio(sample, mean)
            t_error = 0.0 if is_same else float(error_of_t(sample, np.array([error]))[0])
    return n_queries, n_units, n_effective, mean, deviation, error, t_error, *counts


def _error_of_ratio(sample: Sample, mean: float) -> float:
    """Return the standard error of a mean of units with weights."""
    n_units = len(sample.values)
    terms = sample.weighed(sample.values - mean)
    terms[np.abs(terms) <= SAME * np.abs(sample.weighed(sample.values)).max()] = 0
    spread = (terms**2).sum()
    weight = float(np.sum(sample.total_weight()))
    return float(np.sqrt(spread * (n_units / (n_units - 1)))) / weight


def run_test(given: Differences, summary: Summary, settings: SignificanceSettings) -> TestResult:
    """Return the p-value and the interval of each column, or NaN for fewer than two units.

    Where flips of signs could not be significant, or where a test has no spread to estimate, the
    p-value is at least the smallest one of these flips, which are exact.
    """
    row = PAIRED_TESTS[settings.test]
    verdict = row.run(given, summary, settings)
    if row.scores != "from 0 to 1":
        least = least_by_flips(summary.n_units, settings.alternative)
        are_equal = np.isinf(summary.effect_size) & bool(row.if_equal)
        least = np.where(are_equal | (least > alpha_of(settings.level)), least, 0)
        verdict = verdict._replace(pvalue=np.maximum(verdict.pvalue, least))
    return TestResult(*np.where(summary.n_units > 1, verdict, np.nan))


def least_by_flips(n_units: Any, alternative: str) -> Any:
    """Return the smallest p-value of the 2^n equally likely flips of the signs of n units."""
    return np.ldexp(1.0, (alternative == "two-sided") - np.maximum(n_units, 1).astype(np.int64))


def _by_t(given: Differences, summary: Summary, settings: SignificanceSettings) -> TestResult:
    """Return the verdict of the t test, with the degrees of freedom of the effective units."""
    summary = summary._replace(error=summary.error_of_t)
    degrees = degrees_of_freedom(summary.n_effective)
    below, above = stdtr(degrees, summary.t), stdtr(degrees, -summary.t)
    is_nothing = (summary.mean == 0) & (summary.error == 0)
    pvalue = np.where(is_nothing, 1.0, _pvalue(below, above, settings))
    shares = settings.shares
    low = stdtrit(degrees, shares.low) if shares.low else -np.inf
    high = stdtrit(degrees, shares.high) if shares.high else -np.inf
    return TestResult(pvalue, *limits(summary, low, high), np.sign(summary.mean))


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


def _pvalue(below: Floats, above: Floats, settings: SignificanceSettings) -> Floats:
    """Return the p-value from the probabilities of at most and of at least the observed value."""
    if settings.alternative == "two-sided":
        return np.asarray(np.minimum(2 * np.minimum(below, above), 1))
    return np.asarray(above if settings.alternative == "greater" else below)


def _by_wilcoxon(
    given: Differences, summary: Summary, settings: SignificanceSettings
) -> TestResult:
    """Return the verdict of Wilcoxon's signed-rank test, with the limits of the t test."""
    is_change = ~np.isnan(given.values) & (given.values != 0)
    columns = zip(given.values.T, is_change.T, strict=True)
    found = [_wilcoxon_of(column[is_own], settings) for column, is_own in columns]
    pvalue, direction = np.array(found).T
    return _by_t(given, summary, settings)._replace(pvalue=pvalue, direction=direction)


def _wilcoxon_of(changes: Floats, settings: SignificanceSettings) -> tuple[float, float]:
    """Return the p-value and the direction of Wilcoxon's test.

    The p-value is exact for few changes, otherwise normal.
    """
    if not changes.size:
        return 1.0, 0.0
    ranks = _signed_ranks(changes)
    direction = float(np.sign(ranks.sum()))
    if changes.size > _MOST_FOR_EXACT_RANKS:
        z = ranks.sum() / np.sqrt((ranks**2).sum())
        return float(_pvalue(ndtr(z), ndtr(-z), settings)), direction
    doubled = np.rint(2 * ranks).astype(np.int64)  # a tied rank may be a multiple of 1/2
    # These are the numbers of ways in which the positive ranks have the sum 0, 1, 2, ...
    ways = np.zeros(np.abs(doubled).sum() + 1)
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


def _by_resamples(
    given: Differences, summary: Summary, settings: SignificanceSettings
) -> TestResult:
    """Return the verdict on each column from resamples of its own units.

    The permutation test flips signs. The bootstrap draws units, for the t statistic. The observed
    data counts as one of the resamples.
    """
    resample, resamples = flip_signs, flips(settings.n_resamples, settings.seed)
    if settings.test == "bootstrap":
        resample, resamples = draw_queries, draws(settings.n_resamples, settings.seed)
    verdict = TestResult(*np.full((4, given.values.shape[1]), np.nan))
    for columns, values, units in columns_by_missing(given.values, given.units):
        if units.count(len(values)) > 1:
            found = resample(units.values(values), resamples, settings.shares)
            below, above = (
                (1 + count) / (1 + found.n_resamples) for count in (found.n_below, found.n_above)
            )
            verdict.pvalue[columns] = _pvalue(below, above, settings)
            verdict.low[columns], verdict.high[columns] = found.low, found.high
            verdict.direction[columns] = np.sign(below - above)
    return verdict


def _by_sequence(
    given: Differences, summary: Summary, settings: SignificanceSettings
) -> TestResult:
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
    return TestResult(pvalue, *limits(summary, -critical, -critical), np.sign(summary.mean))


def _by_betting(
    given: Differences, summary: Summary, settings: SignificanceSettings
) -> TestResult:
    """Return the always-valid verdict of bets, for scores from 0 to 1.

    Differences of -1 to 1 are mapped to 0 to 1, and those of 0 to 1/2. An interval is empty, with
    limits of NaN, if the mean changed so much that each mean is rejected by some of the queries.
    """
    shift, (share_low, share_high) = given.shift, settings.shares
    values = (1 + given.values / given.one - shift) / 2
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
    low, high = (np.where(is_empty, np.nan, limit) * given.one for limit in (low, high))
    # The mean may have changed its side after the queries that made the capital grow.
    direction = np.sign(summary.mean)
    is_other = (pvalue <= alpha_of(settings.level)) & (np.sign(below - above) != direction)
    return TestResult(pvalue, low, high, np.where(is_other, 0, direction))


def log_capital(values: Floats, mean: Floats | float) -> Floats:
    """Return the log of the largest capital so far of bets that the mean is above another one.

    A gambler bets that the mean is above m. Each value x, in its turn, multiplies the capital by
    ::

        1 - stake + stake * x / m

    The factor is 1 on average if the mean is m, and less if it is lower. Then the capital of 1
    ever grows to c with a probability of at most 1 / c, whatever the distribution, so the p-value
    is 1 divided by the largest capital so far. No spread is estimated, so rare large values cannot
    mislead. Each of the `STAKES` has its part of the capital, since the best one is unknown.

    This is the hedged capital of Waudby-Smith and Ramdas (2024) with a grid of constant stakes.
    Its logarithm falls if m rises, so the means that are not rejected are an interval.

    There is one bet for each column of values. NaN is no value, and nothing is staked on it.
    """
    gain = np.where(np.isnan(values), 0, values / mean - 1)
    grown = np.cumsum(np.log(1 + STAKES[:, np.newaxis, np.newaxis] * gain), axis=1)
    most = grown.max(axis=0)
    total = most + np.log(np.exp(grown - most).mean(axis=0))
    return np.asarray(total.max(axis=0, initial=0))


def lower_limit(values: Floats, share: float) -> Floats:
    """Return the mean of each column up to which bets that it is higher reject, or 0 for none.

    They are those whose capital has once been 1 / share.
    """
    low, high = np.zeros(values.shape[1]), np.ones(values.shape[1])
    for _ in range(_BISECTIONS_OF_BETS):
        middle = (low + high) / 2
        is_rejected = log_capital(values, middle) >= -np.log(share)
        low, high = np.where(is_rejected, middle, low), np.where(is_rejected, high, middle)
    return low


def _by_mcnemar(
    given: Differences, summary: Summary, settings: SignificanceSettings
) -> TestResult:
    """Return the verdict of McNemar's mid-p test of scores of 0 and 1, with Tango's limits."""
    pairs = PairedCounts(summary.wins, summary.losses, summary.n_queries)
    found = score_test(pairs, settings)
    pvalue = _pvalue(*mcnemar(pairs), settings)
    return TestResult(pvalue, found.low * given.one, found.high * given.one, np.sign(summary.mean))


# These functions are for scores of which every value is 0 or 1.


def are_01(values: Floats) -> NDArray[np.bool_]:
    """Return which columns have no other values than 0, 1 and NaN."""
    return np.asarray(((values == 0) | (values == 1) | np.isnan(values)).all(axis=0))


def wilson(n_hits: Floats, n_values: Floats | float, level: float) -> tuple[Floats, Floats]:
    """Return Wilson's limits of a proportion: those of which the score test rejects no value."""
    z = ndtri((1 + level) / 2)
    share = n_hits / n_values
    middle = (share + z**2 / (2 * n_values)) / (1 + z**2 / n_values)
    root = np.sqrt(share * (1 - share) / n_values + (z / (2 * n_values)) ** 2)
    half = z / (1 + z**2 / n_values) * root
    return np.where(n_hits == 0, 0, middle - half), np.where(n_hits == n_values, 1, middle + half)


def clopper_pearson(n_hits: Floats, n: Floats | float, level: float) -> tuple[Floats, Floats]:
    """Return the exact limits of a proportion, each from one tail of the binomial distribution."""
    n_misses = n - n_hits
    tail = (1 - level) / 2
    low = betaincinv(np.where(n_hits == 0, 1, n_hits), n_misses + 1, tail)
    high = betaincinv(n_hits + 1, np.where(n_misses == 0, 1, n_misses), 1 - tail)
    return np.where(n_hits == 0, 0, low), np.where(n_misses == 0, 1, high)


class PairedCounts(NamedTuple):
    """How often two scores of 0 and 1 differ, for each column of queries."""

    wins: Ints | Floats
    losses: Ints | Floats
    n_queries: Ints | Floats
    """They are fractions if a model's labels count, too."""

    def swapped(self) -> PairedCounts:
        """Return the same with the systems swapped."""
        return PairedCounts(self.losses, self.wins, self.n_queries)


def mcnemar(pairs: PairedCounts) -> tuple[Floats, Floats]:
    """Return the mid-p probabilities of at most and of at least so many wins.

    Each query on which the scores differ is a win or a loss, with the same probability. Exactly so
    many wins count by half. If no query changed, both are 1.
    """
    n_changes = pairs.wins + pairs.losses

    def at_most(count: Ints | Floats) -> Floats:
        fewer = np.where(count == 0, 0.0, bdtr(np.maximum(count - 1.0, 0), n_changes, 0.5))
        middle = (fewer + bdtr(count.astype(np.float64), n_changes, 0.5)) / 2
        return np.where(n_changes == 0, 1.0, middle)

    return at_most(pairs.wins), at_most(pairs.losses)


def tango(pairs: PairedCounts, difference: Floats) -> Floats:
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


def variance_if(pairs: PairedCounts, difference: Floats) -> Floats:
    """Return the most likely variance of the differences of queries if their mean is given.

    It is 2 q + d (1 - d) in the notation of `tango`.
    """
    wins, losses, n_queries = pairs
    n = np.maximum(n_queries, 1)
    linear = -wins - losses + (2 * n - wins + losses) * difference
    constant = -losses * difference * (1 - difference)
    q = (np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0)) - linear) / (4 * n)
    return np.asarray(np.maximum(2 * q + difference * (1 - difference), 0))


def tango_limit(pairs: PairedCounts, share: float) -> Floats:
    """Return the lowest difference that the score test does not reject at a one-sided level."""
    low = np.full(pairs.wins.shape, -1.0)
    high = (pairs.wins - pairs.losses) / np.maximum(pairs.n_queries, 1)
    critical = -ndtri(share)
    for _ in range(_BISECTIONS_OF_SCORES):
        middle = (low + high) / 2
        is_rejected = tango(pairs, middle) > critical
        low, high = np.where(is_rejected, middle, low), np.where(is_rejected, high, middle)
    return high


def score_test(
    pairs: PairedCounts, settings: SignificanceSettings, shift: float = 0.0
) -> TestResult:
    """Return the verdict of Tango's score test on differences to which `shift` is added."""
    sides = zip((pairs, pairs.swapped()), settings.shares, (shift, -shift), strict=True)
    low, high = (
        tango_limit(own, share) + moved if share else np.full(own.wins.shape, -np.inf)
        for own, share, moved in sides
    )
    z = tango(pairs, np.full(pairs.wins.shape, -shift))
    is_nothing = (pairs.wins + pairs.losses == 0) & (shift == 0)
    pvalue = np.where(is_nothing, 1.0, _pvalue(ndtr(z), ndtr(-z), settings))
    return TestResult(pvalue, low, -high, np.sign(z))


class PairedTestRow(NamedTuple):
    """A test of `compare`: its function, and all that others need to know of it."""

    run: Callable[[Differences, Summary, SignificanceSettings], TestResult]
    words: str
    """Its name in sentences."""
    note: str = ""
    """A line below tables about the interval, if it does not rest on what the p-value does."""
    if_equal: str = ""
    """What a warning says if all differences are equal, which may leave no spread to estimate."""
    scores: Literal["any", "from 0 to 1", "0 and 1"] = "any"
    """The scores that it is for, by their definition."""
    takes: Collection[str] = ("one side",)
    """The parameters that it takes: `sample_weight` and `clusters`, `margin`, the correction
    "max-t" (which compares means by their t statistics) and a one-sided `alternative`."""
    is_random: bool = False
    """Whether it resamples."""
    most_exact: int = 0
    """Up to so many units it is exact, without resamples, and the fewest are not too few."""
    is_about: str = "ranks"
    """What may point to another side than the mean."""
    is_in_order: bool = False
    """Whether the result depends on the order of the queries."""
    n_values: int = 0
    """The number of values that are in memory at once for each query."""
    is_planned: bool = False
    """Whether its power is the one that is printed, which is that of the t test."""


_NOT_ESTIMATED = "cannot estimate their spread. The permutation test does not need it"
NO_WIDTH = "the interval has no width. The p-value is not affected"
_BY_T_LIMITS = "the interval is that of the t test, and may contradict the p-value"
_AT_ANY_TIME = "p-value and interval are valid however often they are looked at"
_ALL = ("weights", "margin", "max-t", "one side")
_BY_T = PairedTestRow(
    _by_t, "paired t test", if_equal=f"the t test {_NOT_ESTIMATED}", takes=_ALL, is_planned=True
)
PAIRED_TESTS = {
    "auto": _BY_T,
    "t": _BY_T,
    "permutation": PairedTestRow(
        _by_resamples, "permutation test", takes=_ALL, is_random=True, most_exact=MOST
    ),
    "wilcoxon": PairedTestRow(
        _by_wilcoxon,
        "Wilcoxon's test",
        note=_BY_T_LIMITS,
        if_equal=NO_WIDTH,
    ),
    "bootstrap": PairedTestRow(
        _by_resamples,
        "bootstrap test",
        if_equal=f"the bootstrap test {_NOT_ESTIMATED}",
        takes=_ALL,
        is_random=True,
    ),
    "mcnemar": PairedTestRow(
        _by_mcnemar,
        "McNemar's mid-p test",
        note="the interval of scores of 0 and 1 is Tango's, and may contradict the p-value",
        scores="0 and 1",
        takes=("margin", "one side"),
    ),
    "sequential": PairedTestRow(
        _by_sequence,
        "sequential t test",
        note=_AT_ANY_TIME,
        if_equal=f"the sequential t test {_NOT_ESTIMATED}",
        takes=(),
    ),
    "betting": PairedTestRow(
        _by_betting,
        "betting test",
        note=f"{_AT_ANY_TIME}, in this order",
        scores="from 0 to 1",
        takes=("margin", "one side"),
        is_about="earlier queries",
        is_in_order=True,
        n_values=len(STAKES),
    ),
    "ppi": _BY_T._replace(words="prediction-powered t test"),
    "ppi-share": _BY_T._replace(words="prediction-powered score test of 0 and 1"),
}
"""The tests by their names. "auto" is that of the scores. The last ones are those of people's
labels, "ppi-share" for scores of 0 and 1."""
TESTS = tuple(name for name in PAIRED_TESTS if not name.startswith("ppi"))
RANDOM = tuple(name for name, row in PAIRED_TESTS.items() if row.is_random)


def tests_that_take(parameter: str) -> str:
    """Return in words the tests that take a parameter."""
    return any_of([name for name in TESTS if parameter in PAIRED_TESTS[name].takes])


def facts_of(tests: Sequence[str], fact: str) -> NDArray[Any]:
    """Return a fact about each of some tests."""
    return np.array([getattr(PAIRED_TESTS[name], fact) for name in tests])


class Correction(NamedTuple):
    """A correction for several comparisons."""

    words: str
    correct: Callable[[Floats], Floats]
    """Corrects the p-values of a family. Those of max-T are only those about a margin."""
    is_familywise: bool = True
    """Whether it limits the probability of any false finding, rather than the share of them."""


CORRECTIONS = {
    # Max-T flips signs, and differences plus a margin are not symmetric if drops are rare.
    "max-t": Correction("max-T", holm),
    "holm": Correction("Holm", holm),
    "bh": Correction("Benjamini and Hochberg", benjamini_hochberg, is_familywise=False),
}
FAMILYWISE = tuple(name for name, row in CORRECTIONS.items() if row.is_familywise)


# These functions compute the power of the t test, and the queries for a given power.


def power_of(noncentrality: float, n_queries: float, settings: SignificanceSettings) -> float:
    """Return the probability that the t test finds a mean of so many standard errors.

    It follows from the noncentral t distribution. For the alternative "less", the mean is
    negative.
    """
    degrees = n_queries - 1
    alpha = alpha_of(settings.level)
    if settings.alternative != "two-sided":
        return _above(-stdtrit(degrees, alpha), noncentrality, degrees)
    critical = -stdtrit(degrees, alpha / 2)
    return _above(critical, noncentrality, degrees) + _above(critical, -noncentrality, degrees)


_NORMAL, _WEIGHT_OF_NORMAL = np.polynomial.hermite_e.hermegauss(64)
_WEIGHT_OF_NORMAL /= _WEIGHT_OF_NORMAL.sum()


def _above(critical: float, noncentrality: float, degrees: float) -> float:
    """Return the probability that T, of the noncentral t distribution, exceeds a critical value.

    T is (z + noncentrality) / s. Here z is normal, and s^2 is the mean of as many squared normal
    numbers as there are degrees. SciPy returns no number for values far from 0. For such values
    s is decisive, so a few z suffice: the probability is the mean over them of the probability
    that s is below (z + noncentrality) / critical.
    """
    if max(critical, abs(noncentrality) / 100) <= _LARGEST_FOR_SCIPY * math.sqrt(degrees):
        # SciPy returns NaN if the probability is tiny.
        above = float(1 - nctdtr(degrees, noncentrality, critical))
        return 0.0 if math.isnan(above) else above
    s = np.maximum(_NORMAL + noncentrality, 0) / critical
    return float(_WEIGHT_OF_NORMAL @ gammainc(degrees / 2, degrees / 2 * s**2))


def detectable(summary: Summary, settings: SignificanceSettings) -> Floats:
    """Return the mean that the t test would find with a probability of 80 % in each column.

    NaN in columns without spread, which say nothing about other queries.
    """

    def lack(noncentrality: float, n_queries: float) -> float:
        """Return by how much a mean of so many standard errors is found too seldom."""
        return power_of(noncentrality, n_queries, settings) - _POWER

    alpha = alpha_of(settings.level)
    n_effective = np.where(summary.n_units > 1, degrees_of_freedom(summary.n_effective) + 1, 1)
    errors = np.full(n_effective.shape, np.nan)
    for n in np.unique(n_effective).tolist():
        if n > _LARGEST_FOR_T:
            tails = 2 if settings.alternative == "two-sided" else 1
            errors[n_effective == n] = ndtri(_POWER) - ndtri(alpha / tails)
        elif n > 1:
            highest = 4 - 2 * float(stdtrit(n - 1, alpha / 2))
            found = brentq(lack, 0, highest, args=(n,)) if lack(0, n) < 0 else 0.0
            errors[n_effective == n] = found
    return np.where(summary.error_of_t > 0, errors * summary.error_of_t, np.nan)


class PlannedComparison(NamedTuple):
    """A comparison whose queries are not yet there."""

    mean: float
    """The difference to find, at least 0."""
    deviation: float
    """The standard deviation of the differences. NaN if it is unknown."""
    settings: SignificanceSettings
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
        n_by_normal = (Fraction(max(ndtri(power) - ndtri(tail), 0.0)) / effect_size) ** 2
        if n_by_normal > _LARGEST_FOR_T:
            return math.ceil(n_by_normal)  # the relative error is less than 1e-5
        if effect_size > -_SURELY_FOUND * float(stdtrit(1, tail)):
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
    return deviation * math.sqrt(degrees / float(chdtri(degrees, _SHARE_BELOW_LIMIT)))


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
