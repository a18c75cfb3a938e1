"""How many queries are needed: the public functions, and their parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import check_bool, check_option, check_real, describe
from ranking_scores.significance._comparing import spread_of_pair
from ranking_scores.significance._human_labels import check_no_human
from ranking_scores.significance._readers import RankingData, RankingReport, read_pair
from ranking_scores.significance._systems import QueryParameters
from ranking_scores.significance._tests import (
    ALTERNATIVES,
    FAMILYWISE,
    PlannedComparison,
    SignificanceSettings,
    check_between,
    check_correction,
    check_count,
    check_level,
    level_of_one,
    upper_limit,
)


def queries_needed(
    system_a: ArrayLike | RankingReport | RankingData | None = None,
    system_b: ArrayLike | RankingReport | RankingData | None = None,
    *,
    score: Callable[..., Any] | str | None = None,
    difference: float | None = None,
    standard_deviation: float | None = None,
    pilot: bool | int = False,
    n_systems: int = 2,
    baseline: bool = False,
    correction: Literal["max-t", "holm"] | None = "max-t",
    power: float = 0.8,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    confidence_level: float = 0.95,
) -> int | float:
    """Return the number of queries that a paired t test needs to find a difference.

    Pass the difference, with either its standard deviation or two systems from a pilot or an older
    test set, whose differences have it.

    Parameters
    ----------
    system_a : array-like of shape (n_queries,), RankingReport or RankingData, default=None
        The scores of system A on each query, as ``average=None`` returns them, or a report with
        one result. NaN means that the score is undefined. Or what `ranking_scores.from_tables`
        returned, which is scored by `score`.

    system_b : array-like of shape (n_queries,), RankingReport or RankingData, default=None
        The same of system B, for the same queries in the same order.

    score : callable or str, default=None
        The score of systems that are `RankingData`, such as "ndcg@10". The names are listed in
        `ranking_report`. Without a cutoff, it covers the whole list. Or the column to read of
        tables that are files. Other systems come with their scores, so `score` is then left out.

    difference : float, default=None
        The difference of the means that the test should find. None is the observed difference of
        the systems, which is a poor guess.

    standard_deviation : float, default=None
        The standard deviation of the differences of the queries, if no systems are passed.

    pilot : bool or int, default=False
        Whether to replace the standard deviation by its upper limit, since a pilot of few queries
        may have found too low a one. The limit is above the true one with a probability of 80 %.
        Pass True with systems, and the number of queries of the pilot with `standard_deviation`.

    n_systems : int, default=2
        The number of systems that will be compared.

    baseline : bool, default=False
        Whether all systems will be compared with one of them, rather than all pairs.

    correction : {"max-t", "holm"} or None, default="max-t"
        The correction for several systems, as in `compare_all`. For "max-t", all systems are
        taken to have the same variance. For "holm", it is the first step.

    power : float, default=0.8
        The probability that the test finds the difference.

    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The difference to test for: any difference, or only one in the direction of the
        difference to find.

    confidence_level : float, default=0.95
        The level of the test is 1 minus this number.

    Returns
    -------
    n_queries : int
        The lowest number of queries with this power. Infinity for a difference of 0, and NaN if
        fewer than two queries have a score.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if the systems were scored on different
        queries. Queries differ if their numbers differ, or their ids in reports or pandas
        indexes. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    See Also
    --------
    power_curve : Computes the power for given numbers of queries.
    compare : Returns the `detectable_difference` for the given number of queries.

    Notes
    -----
    The result is the lowest n for which ::

        P[|T| > t_critical] >= power,    T noncentral t, n - 1 degrees, with d sqrt(n) / std

    where d is the difference and std the standard deviation. The normal approximation,
    ((z_alpha + z_power) std / d)^2, is lower by about z_alpha^2 / 2, which is 2 for a confidence
    level of 95 %.

    Differences that a test has found are on average larger than the true ones. So pass the
    smallest difference that matters to you, rather than the observed one.

    The standard deviation of a pilot is uncertain, too. In simulations, the true power after a
    pilot of 10 queries was 0.74 on average instead of 0.8, and 0.70 if the observed difference was
    taken as well. With `pilot`, the power reaches 0.8 after about 80 % of the pilots [2]_.

    References
    ----------
    .. [1] Tetsuya Sakai. Topic set size design. Information Retrieval Journal 19, 2016.
           :doi:`10.1007/s10791-015-9273-z`.
    .. [2] Richard H. Browne. On the use of a pilot sample for sample size determination.
           Statistics in Medicine 14 (17), 1995. :doi:`10.1002/sim.4780141709`.

    Examples
    --------
    >>> from ranking_scores.significance import queries_needed
    >>> queries_needed(difference=0.02, standard_deviation=0.15)
    444
    >>> queries_needed(difference=0.02, standard_deviation=0.15, pilot=20)
    614
    >>> queries_needed(difference=0.02, standard_deviation=0.15, n_systems=5, baseline=True)
    610
    >>> system_a, system_b = [0.9, 0.2, 0.5, 0.4, 0.7], [1.0, 0.4, 0.4, 0.5, 0.9]
    >>> queries_needed(system_a, system_b, difference=0.05, power=0.9)
    65
    """
    function = "queries_needed"
    power = check_between("power", power, function)
    spread = _read_spread(
        {"system_a": system_a, "system_b": system_b},
        score,
        {"difference": difference, "standard_deviation": standard_deviation},
        pilot,
        function,
    )
    several = {"n_systems": n_systems, "baseline": baseline, "correction": correction}
    settings = _settings_of_one(alternative, confidence_level, several, function)
    return PlannedComparison(*spread, settings).count_needed(power)


def power_curve(
    n_queries: ArrayLike,
    system_a: ArrayLike | RankingReport | RankingData | None = None,
    system_b: ArrayLike | RankingReport | RankingData | None = None,
    *,
    score: Callable[..., Any] | str | None = None,
    difference: float | None = None,
    standard_deviation: float | None = None,
    pilot: bool | int = False,
    n_systems: int = 2,
    baseline: bool = False,
    correction: Literal["max-t", "holm"] | None = "max-t",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    confidence_level: float = 0.95,
) -> NDArray[np.float64]:
    """Return the power of a paired t test for some numbers of queries.

    The power is the probability that the test finds the difference. The parameters are those of
    `queries_needed`, which returns the number of queries for one power.

    Parameters
    ----------
    n_queries : int or array-like of shape (n_numbers,)
        The numbers of queries, each at least 2.

    system_a : array-like of shape (n_queries,), RankingReport or RankingData, default=None
        The scores of system A on each query, as ``average=None`` returns them, or a report with
        one result. NaN means that the score is undefined. Or what `ranking_scores.from_tables`
        returned, which is scored by `score`.

    system_b : array-like of shape (n_queries,), RankingReport or RankingData, default=None
        The same of system B, for the same queries in the same order.

    score : callable or str, default=None
        The score of systems that are `RankingData`, such as "ndcg@10". The names are listed in
        `ranking_report`. Without a cutoff, it covers the whole list. Or the column to read of
        tables that are files. Other systems come with their scores, so `score` is then left out.

    difference : float, default=None
        The difference of the means that the test should find. None is the observed difference of
        the systems, which is a poor guess.

    standard_deviation : float, default=None
        The standard deviation of the differences of the queries, if no systems are passed.

    pilot : bool or int, default=False
        Whether to replace the standard deviation by its upper limit, since a pilot of few queries
        may have found too low a one. The limit is above the true one with a probability of 80 %.
        Pass True with systems, and the number of queries of the pilot with `standard_deviation`.

    n_systems : int, default=2
        The number of systems that will be compared.

    baseline : bool, default=False
        Whether all systems will be compared with one of them, rather than all pairs.

    correction : {"max-t", "holm"} or None, default="max-t"
        The correction for several systems, as in `compare_all`. For "max-t", all systems are
        taken to have the same variance. For "holm", it is the first step.

    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        The difference to test for: any difference, or only one in the direction of the
        difference to find.

    confidence_level : float, default=0.95
        The level of the test is 1 minus this number.

    Returns
    -------
    power : ndarray of float64 of shape (n_numbers,)
        The power for each number of queries. NaN if fewer than two queries have a score.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if the systems were scored on different
        queries. Queries differ if their numbers differ, or their ids in reports or pandas
        indexes. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the result is NaN because fewer than two queries have a score.

    See Also
    --------
    queries_needed : Returns the number of queries for a given power.

    Notes
    -----
    The power for n queries is [1]_::

        P[|T| > t_critical],    T noncentral t, n - 1 degrees, with d sqrt(n) / std

    where d is the difference and std the standard deviation.

    References
    ----------
    .. [1] Tetsuya Sakai. Topic set size design. Information Retrieval Journal 19, 2016.
           :doi:`10.1007/s10791-015-9273-z`.

    Examples
    --------
    >>> from ranking_scores.significance import power_curve
    >>> power_curve([100, 200, 400], difference=0.02, standard_deviation=0.15).round(3)
    array([0.262, 0.467, 0.758])
    """
    function = "power_curve"
    counts = _check_counts(n_queries, function)
    spread = _read_spread(
        {"system_a": system_a, "system_b": system_b},
        score,
        {"difference": difference, "standard_deviation": standard_deviation},
        pilot,
        function,
    )
    several = {"n_systems": n_systems, "baseline": baseline, "correction": correction}
    plan = PlannedComparison(
        *spread, _settings_of_one(alternative, confidence_level, several, function)
    )
    return np.array([plan.power(count) for count in counts])


def _check_counts(n_queries: ArrayLike, function: str) -> list[int]:
    """Return some numbers of queries."""
    counts = np.atleast_1d(np.asarray(n_queries))
    if counts.ndim > 1 or counts.dtype.kind not in "iu" or (counts < 2).any():
        expected = "a 1-D array of ints of at least 2"
        raise invalid("n_queries", function, expected, describe(n_queries))
    return [int(count) for count in counts.tolist()]


def _read_spread(
    systems: dict[str, Any], score: Any, numbers: dict[str, Any], pilot: Any, function: str
) -> tuple[float, float]:
    """Return the size of the difference to find, and the standard deviation of differences."""
    both = "Pass `difference` with either `standard_deviation`, or `system_a` and `system_b`."
    is_of_systems = any(value is not None for value in [*systems.values(), score])
    for name, value in systems.items():
        if isinstance(value, Real):
            keywords = "`difference=..., standard_deviation=...`"
            advice = f"To give the numbers instead of two systems, use the keywords {keywords}."
            raise invalid(name, function, "the scores of a system", describe(value), advice)
    needed = systems if is_of_systems else numbers
    for name, value in needed.items():
        if value is None:
            raise invalid(name, function, "given", "None", both)
    deviation = numbers["standard_deviation"]
    if is_of_systems and deviation is not None:
        expected = "None if systems are passed"
        raise invalid("standard_deviation", function, expected, describe(deviation), both)
    n_pilot = _check_pilot(pilot, function, is_of_systems=is_of_systems)
    mean = numbers["difference"]
    if mean is not None:
        mean = _check_finite("difference", mean, "a finite number", -math.inf, function)
    if is_of_systems:
        given = read_pair(
            systems["system_a"], systems["system_b"], score, function, QueryParameters()
        )
        check_no_human(given, "system_a", function)
        if not given.units.are_queries():
            expected = "a report without `sample_weight` and `clusters`"
            advice = "Pass scores of its `per_query`, or the mean of each cluster."
            raise invalid("system_a", function, expected, "one with them", advice)
        observed, spread, n_queries = spread_of_pair(given, function)
        mean = observed if mean is None else mean
        n_pilot = n_queries if pilot else 0
    else:
        expected = "a finite number of at least 0"
        spread = _check_finite("standard_deviation", deviation, expected, 0, function)
    if n_pilot > 1:
        spread = upper_limit(spread, n_pilot)
    return abs(float(mean)), spread


def _check_finite(parameter: str, value: Any, expected: str, least: float, function: str) -> float:
    """Return a finite number of at least another one."""
    number = check_real(value, parameter, function, expected)
    if not (math.isfinite(number) and number >= least):
        raise invalid(parameter, function, expected, describe(value))
    return number


def _check_pilot(pilot: Any, function: str, *, is_of_systems: bool) -> int:
    """Return the number of queries of the pilot, or 0 if it is not known or there is none."""
    if is_of_systems:
        check_bool(pilot, "pilot", function)
        return 0
    if pilot is False:
        return 0
    is_int = isinstance(pilot, Integral) and not isinstance(pilot, bool)
    if not is_int or pilot < 2:
        expected = "False, or the number of queries that `standard_deviation` comes from"
        raise invalid("pilot", function, expected, describe(pilot))
    return int(pilot)


def _settings_of_one(
    alternative: Any, confidence_level: Any, several: dict[str, Any], function: str
) -> SignificanceSettings:
    """Return the settings of the test of one of several comparisons."""
    alternative = check_option(alternative, "alternative", function, ALTERNATIVES)
    level = check_level(confidence_level, function)
    n_systems, correction = several["n_systems"], several["correction"]
    has_baseline = check_bool(several["baseline"], "baseline", function)
    n_systems = check_count("n_systems", n_systems, 2, function)
    check_correction(correction, function, FAMILYWISE)
    level = level_of_one(
        level, alternative, n_systems, has_baseline=has_baseline, correction=correction
    )
    return SignificanceSettings("t", alternative, level, n_resamples=0, seed=0)
