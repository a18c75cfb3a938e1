"""What a printed mean of so many queries allows to say, without the scores of the queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, stdtr

from ranking_scores._base._errors import invalid, warn_caller
from ranking_scores._base._results import MarkdownResult, ResultTable, as_percent, count_queries
from ranking_scores._base._validation import check_bool, check_real, describe
from ranking_scores.significance._intervals import share_limits, t_interval
from ranking_scores.significance._tests import (
    PairedCounts,
    PlannedComparison,
    SignificanceSettings,
    alpha_of,
    check_between,
    check_count,
    check_level,
    tango,
    tango_limit,
)

_TYPICAL = 0.7
"""The typical standard deviation of scores per query, as a share of the largest possible one.

It was 0.4 to 0.8 for nDCG, MAP, precision and recall, and 0.8 for MRR, on the public data that
this package is tested with.
"""
_ROUNDED = 0.01
"""A printed standard deviation, which is rounded, may exceed the largest one by so much."""


@dataclass(frozen=True)
class Spread:
    """What a printed mean says if the scores of the queries have a certain spread."""

    standard_deviation: float
    """The standard deviation of the scores of the queries."""
    interval: tuple[float, float]
    """The lower and the upper limit of the mean."""
    difference_interval: tuple[float, float] | None = None
    """The lower and the upper limit of the difference from the baseline."""
    pvalue: float | None = None
    """The two-sided p-value of the difference."""
    queries_needed: int | float | None = None
    """The number of queries that a paired t test needs to find such a difference."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Audit(MarkdownResult):
    """The result of `audit`.

    Attributes
    ----------
    mean : float
        The printed mean.

    n_queries : int
        The number of queries.

    baseline : float or None
        The printed mean of the other system.

    difference : float or None
        The mean minus the baseline.

    typical : Spread
        What the mean says if the scores of the queries have a usual spread: their
        `standard_deviation` and the `interval` of the mean, and with a baseline the
        `difference_interval`, the two-sided `pvalue` and the `queries_needed` to find the
        difference.

    widest : Spread
        The same if the scores have the largest spread that their range allows, all of them at its
        ends, and if the two systems disagree as much as possible.

    smallest_pvalue : float or None
        The smallest two-sided p-value of the exact test by sign flips that any scores with this
        difference could give.

    score_range : tuple of float
        The lowest and the highest score of a query.

    confidence_level : float
        The confidence level of the intervals.

    power : float
        The probability of finding the difference with `queries_needed` queries.
    """

    mean: float
    n_queries: int
    baseline: float | None
    difference: float | None
    typical: Spread
    widest: Spread
    smallest_pvalue: float | None
    score_range: tuple[float, float]
    confidence_level: float
    power: float

    def _table(self) -> ResultTable:
        spreads = {"typical": self.typical, "widest": self.widest}
        rows: dict[str, list[Any]] = {
            f"mean, {name}": [self.mean, *spread.interval, None, None]
            for name, spread in spreads.items()
        }
        for name, spread in spreads.items():
            if spread.difference_interval is not None:
                numbers = [self.difference, *spread.difference_interval]
                rows[f"difference, {name}"] = [*numbers, spread.pvalue, spread.queries_needed]
        keys = ("value", "low", "high", "pvalue", "queries_needed")
        columns = dict(zip(keys, map(list, zip(*rows.values(), strict=True)), strict=True))
        shown = keys[:3] if self.baseline is None else keys
        return ResultTable({key: columns[key] for key in shown}, {"": [*rows]}, self._notes())

    def _notes(self) -> list[str]:
        count, level = count_queries(self.n_queries), as_percent(self.confidence_level)
        low, high = self.score_range
        usual, largest = (f"{one.standard_deviation:.2g}" for one in (self.typical, self.widest))
        lines = [
            f"{level} intervals for {count} with scores from {low:g} to {high:g}",
            f"the standard deviation of the scores is typically {usual}, and at most {largest}",
        ]
        if self.smallest_pvalue is None:
            return lines
        if self.smallest_pvalue > alpha_of(self.confidence_level):
            lines.append("no scores of the queries could make this difference significant")
        what = "the smallest p-value that any scores could have, by sign flips"
        lines.append(f"{what}: {self.smallest_pvalue:.2g}")
        return [*lines, f"queries needed for {as_percent(self.power)} power by a paired t test"]


def audit(
    mean: float,
    n_queries: int,
    baseline: float | None = None,
    *,
    score_range: tuple[float, float] = (0.0, 1.0),
    is_binary: bool = False,
    standard_deviation: float | None = None,
    correlation: float = 0.7,
    confidence_level: float = 0.95,
    power: float = 0.8,
) -> Audit:
    """Return what a printed mean of some queries allows to say, without their scores.

    Use it to read a paper, a model card or a leaderboard that prints means only. The range of the
    scores is known, and so the largest spread that they can have. If the scores are at hand, use
    `confidence_interval` and `compare` instead.

    Parameters
    ----------
    mean : float
        The printed mean of the system.

    n_queries : int
        The number of queries that the mean is over.

    baseline : float, default=None
        The printed mean of another system on the same queries.

    score_range : tuple of (float, float), default=(0.0, 1.0)
        The lowest and the highest score that a query can have.

    is_binary : bool, default=False
        Whether each query scores either the lowest or the highest score, as hits do without ties.
        The widest spread is then the only one.

    standard_deviation : float, default=None
        The standard deviation of the scores of the queries, if it is printed, too. None takes 0.7
        of the largest possible one, which is usual for nDCG and MRR.

    correlation : float, default=0.7
        The typical correlation of the scores of the two systems over the queries, at least -1 and
        below 1.

    confidence_level : float, default=0.95
        The confidence level of the intervals.

    power : float, default=0.8
        The probability of finding the difference with `queries_needed` queries.

    Returns
    -------
    audit : Audit
        The intervals of the mean and of the difference, for the typical and the widest spread,
        with p-values and numbers of queries. Printing it shows a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.

    Warns
    -----
    UserWarning
        If no number of hits gives a mean, even if that was rounded to its digits.

    See Also
    --------
    confidence_interval : Computes the interval from the scores of the queries.
    queries_needed : Plans the number of queries from the spread of differences.

    Notes
    -----
    With the range [0, 1] and the mean m, the scores have at most the variance m (1 - m), if all of
    them are 0 or 1. The widest interval is that of such scores, as in `confidence_interval`:
    Clopper and Pearson's for fewer than 40 queries, otherwise Wilson's. The typical interval is
    Student's, cut off at the ends of the widest one.

    The differences of two systems with means a and b have the largest variance if b' = min(b,
    1 - a) of the queries are wins and min(a, 1 - b) are losses. The widest interval of the
    difference is Tango's [1]_. The typical one is Student's with the variance
    ``s_a^2 + s_b^2 - 2 correlation s_a s_b``.

    Flipping the signs of n differences that are not 0 gives 2^n equally likely outcomes, so the
    two-sided p-value is at least 2^(1 - n). Binary scores that differ on as few queries as the
    means allow are n times the difference wins.

    References
    ----------
    .. [1] Toshiro Tango. Equivalence test and confidence interval for the difference in
           proportions for the paired-sample design. Statistics in Medicine 17, 1998.
           :doi:`10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B`.

    Examples
    --------
    >>> from ranking_scores.significance import audit
    >>> audit(0.43, 50, baseline=0.41)
                          value      low    high  p-value  queries needed
    mean, typical        0.4300   0.3315  0.5285
    mean, widest         0.4300   0.3027  0.5673
    difference, typical  0.0200  -0.0560  0.0960   0.5995            1407
    difference, widest   0.0200  -0.2277  0.2651   0.8774           16477
    <BLANKLINE>
    95 % intervals for 50 queries with scores from 0 to 1
    the standard deviation of the scores is typically 0.35, and at most 0.5
    the smallest p-value that any scores could have, by sign flips: 1.8e-15
    queries needed for 80 % power by a paired t test

    The smallest p-value of so few queries is above any usual level:

    >>> audit(0.9, 3, baseline=0.5).smallest_pvalue
    0.25
    """
    function = "audit"
    scale = _check_range(score_range, function)
    mean = _check_mean("mean", mean, scale, function)
    if baseline is not None:
        baseline = _check_mean("baseline", baseline, scale, function)
    n = check_count("n_queries", n_queries, 1, function)
    usual = _TYPICAL
    if standard_deviation is not None:
        usual = _check_deviation(standard_deviation, scale.largest(mean), n, function)
    is_binary = check_bool(is_binary, "is_binary", function)
    if is_binary:
        _warn_of_impossible_hits({"mean": mean, "baseline": baseline}, n, scale, function)
    correlation = _check_correlation(correlation, function)
    settings = SignificanceSettings(
        "t", "two-sided", check_level(confidence_level, function), 0, seed=0
    )
    power = check_between("power", power, function)
    printed = _PrintedMeans(mean, baseline, n, scale, settings, power, is_binary)
    return Audit._of(
        mean=mean,
        n_queries=n,
        baseline=baseline,
        difference=None if baseline is None else mean - baseline,
        typical=printed.typical(usual, correlation),
        widest=printed.widest(),
        smallest_pvalue=printed.smallest_pvalue(),
        score_range=(scale.low, scale.high),
        confidence_level=settings.level,
        power=power,
    )


class _ScoreRange(NamedTuple):
    """The range of the scores."""

    low: float
    high: float

    def share(self, mean: float) -> float:
        """Return the share of queries with the highest score, if no score is between the ends."""
        return (mean - self.low) / (self.high - self.low)

    def largest(self, mean: float) -> float:
        """Return the largest standard deviation that scores with a mean can have."""
        return math.sqrt((mean - self.low) * (self.high - mean))


class _PrintedMeans(NamedTuple):
    """What is printed, and what is asked about it."""

    mean: float
    baseline: float | None
    n_queries: int
    scale: _ScoreRange
    settings: SignificanceSettings
    power: float
    is_binary: bool

    def widest(self) -> Spread:
        """Return what the mean says if all scores are at the ends of their range.

        The systems disagree on as many queries as their means allow.
        """
        low, one = self.scale.low, self.scale.high - self.scale.low
        n, share, level = self.n_queries, self.scale.share(self.mean), self.settings.level
        lower, upper = share_limits(np.array(n * share), n, level)
        interval = low + one * float(lower), low + one * float(upper)
        spread = Spread(self.scale.largest(self.mean), interval)
        if self.baseline is None:
            return spread
        other = self.scale.share(self.baseline)
        wins, losses = min(share, 1 - other), min(other, 1 - share)
        pairs = PairedCounts(*(np.array([n * part]) for part in (wins, losses, 1.0)))
        tail = self.settings.shares.low
        lower, upper = tango_limit(pairs, tail), -tango_limit(pairs.swapped(), tail)
        variance = max(wins + losses - (share - other) ** 2, 0.0)
        return replace(
            spread,
            difference_interval=(one * lower.item(), one * upper.item()),
            pvalue=self._at_least(2 * ndtr(-abs(tango(pairs, np.zeros(1)))).item()),
            queries_needed=self._needed(one * math.sqrt(variance)),
        )

    def typical(self, usual: float, correlation: float) -> Spread:
        """Return what the mean says if the spread is a usual share of the largest one."""
        deviation = usual * self.scale.largest(self.mean)
        widest = self.widest()
        if self.is_binary or deviation == 0 or self.n_queries == 1:
            return widest
        spread = Spread(deviation, self._student(self.mean, deviation, widest.interval))
        if widest.difference_interval is None or widest.pvalue is None or self.baseline is None:
            return spread
        other = usual * self.scale.largest(self.baseline)
        variance = deviation**2 + other**2 - 2 * correlation * deviation * other
        difference, joint_deviation = self.mean - self.baseline, math.sqrt(variance)
        t = difference / joint_deviation * math.sqrt(self.n_queries)
        return replace(
            spread,
            difference_interval=self._student(
                difference, joint_deviation, widest.difference_interval
            ),
            pvalue=min(
                self._at_least(2 * float(stdtr(self.n_queries - 1, -abs(t)))), widest.pvalue
            ),
            queries_needed=self._needed(joint_deviation),
        )

    def smallest_pvalue(self) -> float | None:
        """Return the smallest two-sided p-value by sign flips that any scores could have.

        It is that of queries which all differ in the same direction. Binary scores differ by the
        whole range, so the difference says how many of them do.
        """
        if self.baseline is None:
            return None
        share = abs(self.scale.share(self.mean) - self.scale.share(self.baseline))
        if share == 0:
            return 1.0
        n_changes = max(round(self.n_queries * share), 1) if self.is_binary else self.n_queries
        return math.ldexp(1.0, 1 - n_changes)

    def _student(
        self, mean: float, deviation: float, widest: tuple[float, float]
    ) -> tuple[float, float]:
        """Return Student's limits of a mean, cut off at the ends of the widest interval."""
        error = np.array(deviation / math.sqrt(self.n_queries))
        low, high = t_interval(np.array(mean), error, self.n_queries, self.settings.level)
        return max(float(low), widest[0]), min(float(high), widest[1])

    def _at_least(self, pvalue: float) -> float:
        """Return a p-value that is not below the smallest possible one."""
        return max(pvalue, self.smallest_pvalue() or 0.0)

    def _needed(self, deviation: float) -> int | float:
        """Return the number of queries that a t test needs to find the difference."""
        difference = abs(self.mean - (self.baseline or 0.0))
        return PlannedComparison(difference, deviation, self.settings).count_needed(self.power)


def _check_range(score_range: Any, function: str) -> _ScoreRange:
    """Return the range of the scores."""
    expected = "two finite numbers, the lowest score and a higher one"
    try:
        low, high = (check_real(end, "score_range", function, expected) for end in score_range)
    except (TypeError, ValueError) as error:
        raise invalid("score_range", function, expected, describe(score_range)) from error
    if not -math.inf < low < high < math.inf:
        raise invalid("score_range", function, expected, describe(score_range))
    return _ScoreRange(low, high)


def _check_mean(parameter: str, mean: Any, scale: _ScoreRange, function: str) -> float:
    """Return a mean that is in the range of the scores."""
    low, high = scale
    expected = f"a number from {low:g} to {high:g}, the range of the scores"
    number = check_real(mean, parameter, function, expected)
    if not low <= number <= high:
        code = "For percentages, pass `score_range=(0, 100)`."
        raise invalid(parameter, function, expected, describe(mean), code=code)
    return number


def _warn_of_impossible_hits(
    means: Mapping[str, float | None], n: int, scale: _ScoreRange, function: str
) -> None:
    """Warn of means that no number of hits gives, even if they were rounded or cut off."""
    for name, mean in means.items():
        if mean is None:
            continue
        hits = round(n * scale.share(mean))
        nearest = scale.low + (scale.high - scale.low) * hits / n
        last_digit = Decimal(repr(float(mean))).normalize().as_tuple().exponent
        assert isinstance(last_digit, int)
        unit = 10.0 ** min(max(last_digit, -9), 0)
        if abs(nearest - mean) > unit * (1 + 1e-9):
            message = (
                f"the {name} {mean:g} is that of no number of hits among {n}, even if rounded"
            )
            cause = (
                f"The nearest is {nearest:.6g}. Do scores between the ends occur, as under ties?"
            )
            warn_caller(f"{function}: {message}. {cause}", UserWarning)


def _check_deviation(value: Any, largest: float, n: int, function: str) -> float:
    """Return a printed standard deviation as a share of the largest one."""
    expected = "None or a finite number above 0"
    number = check_real(value, "standard_deviation", function, expected)
    if not 0 < number < math.inf:
        raise invalid("standard_deviation", function, expected, describe(value))
    # A sample of n may have a larger one than the queries.
    most = largest * math.sqrt(n / max(n - 1, 1))
    if number > most * (1 + _ROUNDED):
        expected = f"at most {most:.4g}, since no scores with this mean have a larger one"
        raise invalid("standard_deviation", function, expected, describe(value))
    return number / largest


def _check_correlation(value: Any, function: str) -> float:
    """Return a correlation of the scores of two systems."""
    expected = "a number of at least -1 and below 1"
    correlation = check_real(value, "correlation", function, expected)
    if not -1 <= correlation < 1:
        raise invalid("correlation", function, expected, describe(value))
    return correlation
