"""Compares systems pair by pair, for all columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, compress, repeat

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtr

from ranking_scores._base._errors import (
    invalid,
    list_some,
    show_id,
    warn_caller,
    warn_of_undefined,
)
from ranking_scores._base._query_values import QueryValues
from ranking_scores._base._results import as_cell, read_only
from ranking_scores.significance._comparisons import MARGIN_KEYS, Comparisons, numbers_of
from ranking_scores.significance._max_t import Families
from ranking_scores.significance._systems import ScoredSystems, ends_of_all
from ranking_scores.significance._tests import (
    CORRECTIONS,
    NO_WIDTH,
    PAIRED_TESTS,
    Differences,
    PairedCounts,
    SignificanceSettings,
    Summary,
    TestResult,
    are_01,
    check_holm,
    detectable,
    exponent_of,
    facts_of,
    holm,
    run_test,
    summary_of,
    tango,
    tests_that_take,
)
from ranking_scores.significance._units import (
    ComparedPairs,
    QueryGroups,
    degrees_of_freedom,
    warn_of_few,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Tests = NDArray[np.str_]
"""The name of the test of each column, or of each row."""


def spread_of_pair(given: ScoredSystems, function: str) -> tuple[float, float, int]:
    """Return the mean of the differences of two systems, their standard deviation and number.

    Warn if there are too few queries for the deviation, which is then NaN.
    """
    settings = SignificanceSettings("t", "two-sided", 0.95, n_resamples=0, seed=0)
    summary, _ = verdicts_of(rows_of(given, None), settings)
    are_undefined = np.isnan(summary.deviation).tolist()
    warn_of_undefined(are_undefined, function, ["b - a"], given.units.too_few())
    return float(summary.mean[0]), float(summary.deviation[0]), int(summary.n_queries[0])


def compare_pairs(
    given: ScoredSystems,
    settings: SignificanceSettings,
    function: str,
    *,
    baseline: str | None = None,
    correction: str | None = None,
    family: str = "metric",
    margin: float | None = None,
    names: Sequence[str] | None = None,
) -> Comparisons:
    """Return the comparisons of all pairs, or of all systems with a baseline, with warnings.

    Warnings call the rows by `names`, or by the names of their systems, metrics and groups.
    """
    tests_of_columns = tests_of(given, settings, correction, function)
    rows = rows_of(given, baseline)
    family_of_row = rows.column if family == "metric" else np.zeros_like(rows.column)
    if correction == "holm" or (correction == "max-t" and margin is not None):
        n_rows = int(np.bincount(family_of_row).max())
        margin_by_holm = margin if correction == "max-t" else None
        check_holm(settings, n_rows, rows.n_units(), function, margin_by_holm)
    tests = tests_of_columns[rows.column]
    summary, verdict = verdicts_of(rows, settings, tests)
    families = Families(rows, family_of_row, summary, settings)
    corrected = verdict
    if correction == "max-t":
        corrected = families.verdict()
    elif correction is not None:
        pvalue = _correct(verdict.pvalue, family_of_row, correction)
        corrected = verdict._replace(pvalue=pvalue)
    groups = None
    n_queries: int | Ints = len(rows.systems[0])
    if given.groups is not None and rows.groups is not None:
        groups = tuple(given.groups[0][rows.groups.number_of_row].tolist())
        n_queries = np.asarray(np.bincount(rows.groups.number_of_query)[rows.groups.number_of_row])
    columns = numbers_of(summary, corrected, n_queries)
    columns["detectable_difference"] = detectable(summary, settings)
    columns["pvalue_uncorrected"] = verdict.pvalue
    if rows.units.cluster is not None:
        columns["n_clusters"] = summary.n_units
    if margin is not None:
        columns |= _pvalues_of_margin(given, rows, summary, tests, settings, margin)
        if correction is not None:
            for name in MARGIN_KEYS[1:]:
                columns[name] = _correct(columns[name], family_of_row, correction)
    if groups is not None:
        columns["pvalue_interaction"] = interactions(rows, summary, family_of_row)
    systems = list(given.systems.values())
    systems_by_number = np.array([*given.systems], dtype=object)
    metrics = next((system.names for system in systems if system.names is not None), None)
    comparisons = Comparisons._of(
        systems_a=tuple(systems_by_number[rows.a]),
        systems_b=tuple(systems_by_number[rows.b]),
        metrics=None if metrics is None else tuple(np.array(metrics, dtype=object)[rows.column]),
        groups=groups,
        **dict.fromkeys(("pvalue_interaction", "n_clusters", *MARGIN_KEYS[1:]))
        | {key: read_only(values) for key, values in columns.items()},
        baseline=baseline,
        correction=correction,
        family=family,
        margin=margin,
        tests=tuple(tests.tolist()),
        alternative=settings.alternative,
        confidence_level=settings.level,
        _rows=rows,
        _families=families,
        _falls=systems[0].are_losses,
    )
    _warn(comparisons, function, comparisons._names() if names is None else names)
    return comparisons


def tests_of(
    given: ScoredSystems, settings: SignificanceSettings, correction: str | None, function: str
) -> Tests:
    """Return the test that is taken for each metric. Raise if it does not take the scores."""
    test, units = settings.test, given.units
    row = PAIRED_TESTS[test]
    systems = list(given.systems.values())
    n_columns = systems[0].values.shape[1]
    if test == "auto" or row.scores == "0 and 1":
        is_01 = np.full(n_columns, units.are_queries())
        for system in systems:
            is_01 &= are_01(system.values)
            if is_01.any():
                is_01 &= system.may_be_shares()
        if test == "auto":
            return np.where(is_01 & (correction != "max-t"), "mcnemar", "t")
        if not is_01.all():
            short = row.words.replace("mid-p ", "")
            advice = f"{short} compares scores that can only be 0 and 1, without weights or "
            advice += "clusters."
            raise invalid("test", function, "another test for these scores", repr(test), advice)
    elif "weights" not in row.takes and not units.are_queries():
        name = "sample_weight" if units.weight is not None else "clusters"
        expected = f"a test that takes `{name}`: {tests_that_take('weights')}"
        raise invalid("test", function, expected, repr(test))
    if row.scores == "from 0 to 1":
        _check_range(systems, test, function)
    return np.full(n_columns, test)


def _check_range(systems: Sequence[QueryValues], test: str, function: str) -> None:
    """Raise unless all scores are from 0 to 1 by definition, as far as is known."""
    for system in systems:
        names = system.names if system.are_of_report or system.are_named else None
        for column, score_range in enumerate(system.ranges):
            named = "" if names is None else f" of {show_id(names[column])}"
            values = system.values[:, column]
            is_outside = (values < 0) | (values > 1)
            if score_range != (0, 1):
                expected = f"another test for values{named} that may lie outside 0 to 1"
                advice = "The bets need scores that are between 0 and 1 by definition. Pass "
                advice += "reports, or frames whose columns are named by scores, like 'ndcg@10'."
                raise invalid("test", function, expected, repr(test), advice)
            if is_outside.any():
                outside = as_cell(float(values[is_outside][0]))
                expected = f"another test for values{named} outside 0 to 1, such as {outside}"
                raise invalid("test", function, expected, repr(test))


def rows_of(given: ScoredSystems, baseline: str | None) -> ComparedPairs:
    """Return the rows of all pairs, or of all systems with a baseline, by metric and group."""
    names, systems = list(given.systems), list(given.systems.values())
    pairs = list(combinations(range(len(names)), 2))
    if baseline is not None:
        pairs = [(names.index(baseline), b) for b, name in enumerate(names) if name != baseline]
    n_columns, groups = systems[0].values.shape[1], given.groups
    n_groups = 1 if groups is None else len(groups[0])
    a, b = np.tile(np.array(pairs).T, n_columns * n_groups)
    column = np.repeat(np.arange(n_columns), len(pairs) * n_groups)
    grouping = None
    if groups is not None:
        group_of_row = np.tile(np.repeat(np.arange(n_groups), len(pairs)), n_columns)
        grouping = QueryGroups(groups[1], group_of_row)
    values = [system.values for system in systems]
    return ComparedPairs(values, a, b, column, given.ids, given.units, grouping)


def _warn(comparisons: Comparisons, function: str, names: Sequence[str]) -> None:
    """Warn of p-values that are NaN, and of p-values or widths that equal differences make 0."""
    pvalue, units = comparisons.pvalue, comparisons._rows.units
    are_undefined = np.isnan(pvalue).tolist()
    if any(are_undefined):
        warn_of_undefined(are_undefined, function, names, units.too_few())
    if not units.are_queries():
        n_units = comparisons.n_clusters
        n_units = comparisons.n_queries if n_units is None else n_units
        # The permutation test is exact for few units, too.
        are_exact = facts_of(comparisons.tests, "most_exact") > 0
        n_effective = np.where(are_exact, np.inf, comparisons.n_effective)
        advice = "The interval and the p-value may say too much. The permutation test holds"
        warn_of_few((n_effective, n_units), names, function, units, advice)
    # The mean of all queries may be one that some of them rejected by bets.
    mean, low, high = comparisons.difference, comparisons.low, comparisons.high
    is_known = ~np.isnan(pvalue) & facts_of(comparisons.tests, "is_in_order")
    is_outside = is_known & ~((low <= mean) & (mean <= high))
    if is_outside.any():
        which = list_some(list(compress(names, is_outside.tolist())))
        chance = "the mean is not in the interval, which is seldom chance"
        cause = "Did the differences change while queries came in, or is their order not random?"
        warn_caller(f"{function} ({which}): {chance}. {cause}", UserWarning)
    are_equal = np.isinf(comparisons.effect_size)
    if comparisons.correction == "max-t":
        # With few queries, both limits are infinite.
        are_equal &= np.isfinite(low) | np.isfinite(high)
    else:
        are_equal &= facts_of(comparisons.tests, "if_equal") != ""
    if are_equal.any():
        test = comparisons.tests[int(np.argmax(are_equal))]  # all of them have the same
        is_max_t = comparisons.correction == "max-t"
        lacking = NO_WIDTH if is_max_t else PAIRED_TESTS[test].if_equal
        which = list_some(list(compress(names, are_equal.tolist())))
        warn_caller(f"{function} ({which}): all differences are equal, so {lacking}.", UserWarning)


def verdict_if_one_more(
    given: ScoredSystems, rows: ComparedPairs, settings: SignificanceSettings, side: int
) -> TestResult:
    """Return the verdicts on pairs of systems with one imaginary query more, of the mean weight.

    On it, the second system is lower (side 1) or higher (side -1) by the whole range of the score.
    Each group of queries has one of its own.
    So a large change that was not among the queries, since it is rare, is not taken to be
    impossible. If a range is unknown, the score is undefined on that query, which adds nothing.
    """
    ends = ends_of_all(given.systems.values())
    return verdicts_of(rows.and_one(*ends[::-side]), settings)[1]


def _pvalues_of_margin(
    given: ScoredSystems,
    rows: ComparedPairs,
    summary: Summary,
    tests: Tests,
    settings: SignificanceSettings,
    margin: float,
) -> dict[str, Floats]:
    """Return the p-values of being not worse, and of being neither worse nor better, by a margin.

    The latter are the larger ones of two one-sided tests. The summary and the tests are those of
    the rows.
    """
    others = np.flatnonzero(facts_of(tests.tolist(), "scores") != "0 and 1")
    pairs = PairedCounts(summary.wins, summary.losses, summary.n_queries)
    pvalues = []
    for side, alternative in ((1, "greater"), (-1, "less")):
        pvalue = ndtr(-side * tango(pairs, np.full(len(tests), -side * margin)))
        pvalue[summary.n_units < 2] = np.nan
        if others.size:
            one_sided = settings._replace(alternative=alternative, test=str(tests[others[0]]))
            moved = rows.take(others)._replace(shift=side * margin)
            _, verdict = verdicts_of(moved, one_sided)
            with_one = verdict_if_one_more(given, moved, one_sided, side)
            pvalue[others] = np.maximum(verdict.pvalue, with_one.pvalue)
        pvalues.append(pvalue)
    return dict(zip(MARGIN_KEYS[1:], (pvalues[0], np.maximum(*pvalues)), strict=True))


def verdicts_of(
    rows: ComparedPairs, settings: SignificanceSettings, tests: Tests | None = None
) -> tuple[Summary, TestResult]:
    """Return the summary of the differences of each row, and the test's verdict on it alone.

    `tests` are the tests of the rows. None: that of the settings.
    """
    names = np.full(len(rows.a), settings.test) if tests is None else tests
    parts, order = [], []
    for name in np.unique(names).tolist():
        row = PAIRED_TESTS[name]
        n_of_queries = row.n_values * len(rows.systems[0])
        n_at_once = settings.n_resamples if row.is_random else n_of_queries
        for places in rows.chunks(np.flatnonzero(names == name), n_at_once):
            values, slack = rows.differences(places), rows.slack(places)
            exponent = exponent_of(values)
            values, slack = np.ldexp(values, -exponent), np.ldexp(slack, -exponent)
            given = Differences(values, rows.units, np.ldexp(1.0, -exponent), rows.shift)
            columns = map(summary_of, values.T, slack.tolist(), repeat(rows.units))
            summary = Summary(*map(np.array, zip(*columns, strict=True)))
            verdict = run_test(given, summary, settings._replace(test=name))
            parts.append((summary.times(exponent), verdict.times(exponent)))
            order.append(places)
    if len(parts) == 1:
        return parts[0]
    back = np.argsort(np.concatenate(order))
    summaries, verdicts = zip(*parts, strict=True)
    return (
        Summary(*(np.concatenate(each)[back] for each in zip(*summaries, strict=True))),
        TestResult(*(np.concatenate(each)[back] for each in zip(*verdicts, strict=True))),
    )


def _correct(pvalue: Floats, family: Ints, correction: str) -> Floats:
    """Return p-values that are corrected in each family."""
    pvalue = pvalue.copy()
    for number in np.unique(family):
        own = (family == number) & ~np.isnan(pvalue)
        pvalue[own] = CORRECTIONS[correction].correct(pvalue[own])
    return pvalue


# These functions test whether the difference of two systems depends on the group of queries.


def interactions(rows: ComparedPairs, summary: Summary, family: Ints) -> Floats:
    """Return the p-value of the interaction of each row's pair with the groups.

    All rows of a pair and a metric have the same one. They are corrected by Holm's method, in
    each family of rows. All are NaN if clusters have queries in several groups, since the analysis
    of variance is for independent groups.
    """
    pvalue = np.full(len(family), np.nan)
    if rows.groups is not None and rows.units.span(rows.groups.number_of_query):
        return pvalue
    for number in np.unique(family):
        own = np.flatnonzero(family == number)
        keys = np.array([rows.column[own], rows.a[own], rows.b[own]])
        _, which = np.unique(keys, axis=1, return_inverse=True)
        which = which.ravel()
        found = np.array([_welch(summary.take(own[which == k])) for k in range(which.max() + 1)])
        is_known = ~np.isnan(found)
        found[is_known] = holm(found[is_known])
        pvalue[own] = found[which]
    return pvalue


def _welch(groups: Summary) -> float:
    """Return the p-value of Welch's analysis of variance: are all means the same?

    Groups of fewer than two units, or without spread, are left out. NaN if fewer than two are
    left.
    """
    is_there = groups.error_of_t > 0
    mean, error = groups.mean[is_there], groups.error_of_t[is_there]
    degrees, n_groups = degrees_of_freedom(groups.n_effective[is_there]), int(is_there.sum())
    if n_groups < 2:
        return np.nan
    weight = (error.min() / error) ** 2
    weight /= weight.sum()
    between = (((mean - weight @ mean) / error) ** 2).sum() / (n_groups - 1)
    lost = ((1 - weight) ** 2 / degrees).sum()
    f = between / (1 + 2 * (n_groups - 2) / (n_groups**2 - 1) * lost)
    return float(fdtrc(n_groups - 1, (n_groups**2 - 1) / (3 * lost), f))
