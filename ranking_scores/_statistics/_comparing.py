"""Compares systems pair by pair, for all columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtr

from ranking_scores._base import as_cell, invalid, locked, show_id, warn_caller
from ranking_scores._metrics import list_some, warn_of_undefined
from ranking_scores._statistics._comparisons import (
    NAMES_OF_TESTS,
    OF_MARGIN,
    Comparison,
    Comparisons,
)
from ranking_scores._statistics._max_t import Families
from ranking_scores._statistics._systems import Given, Scores, ends_of_all, known_ids
from ranking_scores._statistics._tests import (
    RANDOM,
    STAKES,
    Differences,
    Pairs,
    Settings,
    Summary,
    Verdict,
    are_01,
    benjamini_hochberg,
    check_holm,
    detectable,
    holm,
    run_test,
    scale,
    summarize,
    tango,
)
from ranking_scores._statistics._units import Groups, Rows, degrees_of, warn_of_few

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def spread_of_pair(given: Given, function: str) -> tuple[float, float, int]:
    """Return the mean of the differences of two systems, their standard deviation and number.

    Warn if there are too few queries for the deviation, which is then NaN.
    """
    settings = Settings("t", "two-sided", 0.95, n_resamples=0, seed=0)
    summary, _ = verdicts_of(rows_of(given, None), settings)
    warn_of_undefined(summary.deviation.tolist(), function, ["b - a"], given.units.too_few())
    return float(summary.mean[0]), float(summary.deviation[0]), int(summary.n_queries[0])


def compare_pair(
    given: Given, settings: Settings, margin: float | None, function: str
) -> Comparison:
    """Return the comparison of two systems. Warn if it is NaN, or has no spread."""
    comparisons = _compare(given, _Choice(None, None, "metric", margin), settings, function)
    _warn(comparisons, function, ["b - a"])
    return comparisons[0]


def compare_pairs(
    given: Given,
    baseline: str | None,
    settings: Settings,
    correction: str | None,
    family: str,
    function: str,
    margin: float | None = None,
) -> Comparisons:
    """Return the comparisons of all pairs, or of all systems with a baseline, with warnings."""
    choice = _Choice(baseline, correction, family, margin)
    comparisons = _compare(given, choice, settings, function)
    _warn(comparisons, function, comparisons._names())
    return comparisons


class _Choice(NamedTuple):
    """Which systems are compared, which comparisons are corrected together, and the margin."""

    baseline: str | None
    correction: str | None
    family: str
    margin: float | None


def tests_of(given: Given, settings: Settings, correction: str | None, function: str) -> list[str]:
    """Return the test that is taken for each metric. Raise if it does not take the scores."""
    test, units = settings.test, given.units
    if test in ("wilcoxon", "sequential", "betting") and not units.are_queries():
        name = "sample_weight" if units.weight is not None else "clusters"
        expected = f"a test that takes `{name}`: 'auto', 't', 'permutation' or 'bootstrap'"
        raise invalid("test", function, expected, repr(test))
    systems = list(given.systems.values())
    n_columns = systems[0].values.shape[1]
    if test == "betting":
        _check_range(systems, function)
    if test not in ("auto", "mcnemar"):
        return [test] * n_columns
    is_01 = np.full(n_columns, units.are_queries())
    for system in systems:
        is_01 &= are_01(system.values) & system.may_be_shares()
    if test == "mcnemar" and not is_01.all():
        advice = "McNemar's test compares scores that can only be 0 and 1, without weights or "
        advice += "clusters."
        raise invalid("test", function, "another test for these scores", "'mcnemar'", advice)
    return ["mcnemar" if each and correction != "max-t" else "t" for each in is_01]


def _check_range(systems: Sequence[Scores], function: str) -> None:
    """Raise unless all scores are from 0 to 1 by definition, as far as is known."""
    for system in systems:
        names = system.names if system.report is not None or system.are_named else None
        for column, score_range in enumerate(system.ranges()):
            of_column = "" if names is None else f" of {show_id(names[column])}"
            values = system.values[:, column]
            is_outside = (values < 0) | (values > 1)
            if score_range != (0, 1):
                expected = f"another test for values{of_column} that may lie outside 0 to 1"
                advice = "The bets need scores that are between 0 and 1 by definition. Pass "
                advice += "reports, or frames whose columns are named by scores, like 'ndcg@10'."
                raise invalid("test", function, expected, "'betting'", advice)
            if is_outside.any():
                outside = as_cell(float(values[is_outside][0]))
                expected = f"another test for values{of_column} outside 0 to 1, such as {outside}"
                raise invalid("test", function, expected, "'betting'")


def rows_of(given: Given, baseline: str | None) -> Rows:
    """Return the rows of all pairs, or of all systems with a baseline, by metric and group."""
    names, systems = list(given.systems), list(given.systems.values())
    pairs = list(combinations(range(len(names)), 2))
    if baseline is not None:
        pairs = [(names.index(baseline), b) for b, name in enumerate(names) if name != baseline]
    n_columns, groups = systems[0].values.shape[1], given.groups
    n_groups = 1 if groups is None else len(groups[0])
    a, b = np.tile(np.array(pairs).T, n_columns * n_groups)
    column = np.repeat(np.arange(n_columns), len(pairs) * n_groups)
    of_rows = None
    if groups is not None:
        of_row = np.tile(np.repeat(np.arange(n_groups), len(pairs)), n_columns)
        of_rows = Groups(groups[1], of_row)
    ids = next((each for each in map(known_ids, systems) if each is not None), None)
    return Rows([each.values for each in systems], a, b, column, ids, given.units, of_rows)


def _compare(given: Given, choice: _Choice, settings: Settings, function: str) -> Comparisons:
    """Return the comparisons of all pairs, or of all systems with a baseline."""
    tests = tests_of(given, settings, choice.correction, function)
    rows = rows_of(given, choice.baseline)
    of_family = rows.column if choice.family == "metric" else np.zeros_like(rows.column)
    counts = int(np.bincount(of_family).max()), rows.n_units()
    if choice.correction == "holm":
        check_holm(settings, *counts, function)
    elif choice.correction == "max-t" and choice.margin is not None:
        check_holm(settings, *counts, function, choice.margin)
    tests = [tests[each] for each in rows.column.tolist()]
    summary, verdict = verdicts_of(rows, settings, tests)
    families = Families(rows, of_family, summary, settings)
    if choice.correction == "max-t":
        corrected = families.verdict()
    else:
        pvalue = _correct_alone(verdict.pvalue, of_family, choice.correction)
        corrected = verdict._replace(pvalue=pvalue)
    names, systems = list(given.systems), list(given.systems.values())
    titles = next((each.names for each in systems if each.names is not None), None)
    columns: dict[str, Any] = {
        "difference": summary.mean,
        "low": corrected.low,
        "high": corrected.high,
        "pvalue": corrected.pvalue,
        "pvalue_uncorrected": verdict.pvalue,
        "effect_size": summary.effect_size,
        "direction": np.nan_to_num(corrected.direction).astype(np.int64),
        "detectable_difference": detectable(summary, settings),
        "wins": summary.wins,
        "draws": summary.draws,
        "losses": summary.losses,
        "n_queries": summary.n_queries,
        "n_effective": summary.n_effective,
        "n_dropped": rows.n_queries() - summary.n_queries,
    }
    if rows.units.cluster is not None:
        columns["n_clusters"] = summary.n_units
    if choice.margin is not None:
        by_margin = _by_margin(given, rows, (summary, tests), settings, choice.margin)
        # Max-T flips signs, and differences plus a margin are not symmetric if drops are rare.
        by_name = "holm" if choice.correction == "max-t" else choice.correction
        for name, values in zip(OF_MARGIN[1:], by_margin, strict=True):
            columns[name] = _correct_alone(values, of_family, by_name)
    groups = None
    if rows.groups is not None and given.groups is not None:
        groups = tuple(given.groups[0][rows.groups.of_row].tolist())
        columns["pvalue_interaction"] = interactions(rows, summary, of_family)
    return Comparisons._of(
        systems_a=tuple(names[each] for each in rows.a),
        systems_b=tuple(names[each] for each in rows.b),
        metrics=None if titles is None else tuple(titles[each] for each in rows.column),
        groups=groups,
        **dict.fromkeys(("pvalue_interaction", "n_clusters", *OF_MARGIN[1:]))
        | {key: locked(values) for key, values in columns.items()},
        **choice._asdict(),
        tests=tuple(tests),
        alternative=settings.alternative,
        confidence_level=settings.level,
        _rows=rows,
        _families=families,
        _falls=falls_of(systems[0]),
    )


def falls_of(system: Scores) -> tuple[bool, ...]:
    """Return for each column of scores whether a lower mean is better, which reports know."""
    if system.report is None or system.names is None:
        return (False,) * int(system.values.shape[1])
    falls = [not system.report.greater_is_better(name) for name in system.names]
    return tuple(falls)


def _warn(comparisons: Comparisons, function: str, names: Sequence[str]) -> None:
    """Warn of p-values that are NaN, and of p-values or widths that equal differences make 0."""
    warn_of_undefined(
        comparisons.pvalue.tolist(), function, names, comparisons._rows.units.too_few()
    )
    n_units = comparisons.n_queries if comparisons.n_clusters is None else comparisons.n_clusters
    is_permuted = np.array(comparisons.tests) == "permutation"  # which is exact for few units, too
    n_effective = np.where(is_permuted, np.inf, comparisons.n_effective)
    advice = "The interval and the p-value may say too much. The permutation test holds"
    warn_of_few((n_effective, n_units), names, function, comparisons._rows.units, advice)
    _warn_of_drift(comparisons, function, names)
    are_equal = np.isinf(comparisons.effect_size)
    if comparisons.correction == "max-t":
        # With few queries, both limits are infinite.
        are_equal &= np.isfinite(comparisons.low) | np.isfinite(comparisons.high)
    else:
        are_equal &= np.isin(comparisons.tests, ("t", "wilcoxon", "bootstrap", "sequential"))
    test = next(compress(comparisons.tests, are_equal.tolist()), None)  # all have the same
    if comparisons.correction == "max-t" or test == "wilcoxon":
        lacking = "the interval has no width. The p-value is not affected"
    elif test is not None:
        name = NAMES_OF_TESTS[test].removeprefix("paired ")
        lacking = f"the {name} cannot estimate their spread. The permutation test does not need it"
    if are_equal.any():
        which = list_some(list(compress(names, are_equal.tolist())))
        warn_caller(f"{function} ({which}): all differences are equal, so {lacking}.", UserWarning)


def _warn_of_drift(comparisons: Comparisons, function: str, names: Sequence[str]) -> None:
    """Warn if the mean of all queries is one that some of them rejected by bets."""
    mean, low, high = comparisons.difference, comparisons.low, comparisons.high
    is_known = ~np.isnan(comparisons.pvalue) & (np.array(comparisons.tests) == "betting")
    is_outside = is_known & ~((low <= mean) & (mean <= high))
    if is_outside.any():
        which = list_some(list(compress(names, is_outside.tolist())))
        chance = "the mean is not in the interval, which is seldom chance"
        cause = "Did the differences change while queries came in, or is their order not random?"
        warn_caller(f"{function} ({which}): {chance}. {cause}", UserWarning)


def verdict_if_one_more(given: Given, rows: Rows, settings: Settings, side: int) -> Verdict:
    """Return the verdicts on pairs of systems with one imaginary query more, of the mean weight.

    On it, the second system is lower (side 1) or higher (side -1) by the whole range of the score.
    Each group of queries has one of its own.
    So a large change that was not among the queries, since it is rare, is not taken to be
    impossible. If a range is unknown, the score is undefined on that query, which adds nothing.
    """
    ends = ends_of_all(given.systems.values())
    return verdicts_of(rows.and_one(*ends[::-side]), settings)[1]


def _by_margin(
    given: Given,
    rows: Rows,
    found: tuple[Summary, Sequence[str]],
    settings: Settings,
    margin: float,
) -> tuple[Floats, Floats]:
    """Return the p-values of being not worse, and of being neither worse nor better, by a margin.

    The latter are the larger ones of two one-sided tests. `found` are the summary and the tests of
    the rows.
    """
    summary, tests = found
    is_01 = np.array(tests) == "mcnemar"
    others = np.flatnonzero(~is_01)
    pairs = Pairs(summary.wins, summary.losses, summary.n_queries)
    pvalues = []
    for side, alternative in ((1, "greater"), (-1, "less")):
        pvalue = ndtr(-side * tango(pairs, np.full(len(tests), -side * margin)))
        pvalue[summary.n_units < 2] = np.nan
        if others.size:
            one_sided = settings._replace(alternative=alternative, test=tests[others[0]])
            moved = rows.take(others)._replace(shift=side * margin)
            _, verdict = verdicts_of(moved, one_sided)
            with_one = verdict_if_one_more(given, moved, one_sided, side)
            pvalue[others] = np.maximum(verdict.pvalue, with_one.pvalue)
        pvalues.append(pvalue)
    return pvalues[0], np.maximum(*pvalues)


def verdicts_of(
    rows: Rows, settings: Settings, tests: Sequence[str] | None = None
) -> tuple[Summary, Verdict]:
    """Return the summary of the differences of each row, and the test's verdict on it alone.

    `tests` are the tests of the rows. None: that of the settings.
    """
    names = np.array([settings.test] * len(rows.a) if tests is None else tests)
    parts, order = [], []
    for name in dict.fromkeys(names.tolist()):
        of_test = settings._replace(test=name)
        n_at_once = settings.n_resamples if name in RANDOM else 0
        if name == "betting":
            n_at_once = len(STAKES) * len(rows.systems[0])
        for places in rows.chunks(np.flatnonzero(names == name), n_at_once):
            given = Differences(
                rows.differences(places), rows.slack(places), rows.units, shift=rows.shift
            )
            exponent = scale(given.of_query)
            given = given.times(-exponent)
            summary = summarize(given)
            verdict = run_test(given, summary, of_test)
            parts.append((summary.times(exponent), verdict.times(exponent)))
            order.append(places)
    back = np.argsort(np.concatenate(order))
    summaries, verdicts = zip(*parts, strict=True)
    return (
        Summary(*(np.concatenate(each)[back] for each in zip(*summaries, strict=True))),
        Verdict(*(np.concatenate(each)[back] for each in zip(*verdicts, strict=True))),
    )


def _correct_alone(pvalue: Floats, family: Ints, correction: str | None) -> Floats:
    """Return p-values, corrected in each family, from themselves alone."""
    pvalue = pvalue.copy()
    if correction is not None:
        correct = {"holm": holm, "bh": benjamini_hochberg}[correction]
        for number in np.unique(family):
            own = (family == number) & ~np.isnan(pvalue)
            pvalue[own] = correct(pvalue[own])
    return pvalue


# Whether the difference of two systems depends on the group of queries.


def interactions(rows: Rows, summary: Summary, family: Ints) -> Floats:
    """Return the p-value of the interaction of each row's pair with the groups.

    All rows of a pair and a metric have the same one. They are corrected by Holm's method, in
    each family of rows. All are NaN if clusters have queries in several groups, since the analysis
    of variance is for independent groups.
    """
    pvalue = np.full(len(family), np.nan)
    if rows.groups is not None and rows.units.span(rows.groups.of_query):
        return pvalue
    for number in np.unique(family):
        own = np.flatnonzero(family == number)
        keys = np.array([rows.column[own], rows.a[own], rows.b[own]])
        _, which = np.unique(keys, axis=1, return_inverse=True)
        which = which.ravel()
        found = np.array(
            [_welch(summary.of_columns(own[which == pair])) for pair in range(which.max() + 1)]
        )
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
    degrees, n_groups = degrees_of(groups.n_effective[is_there]), int(is_there.sum())
    if n_groups < 2:
        return np.nan
    weight = (error.min() / error) ** 2
    weight /= weight.sum()
    between = (((mean - weight @ mean) / error) ** 2).sum() / (n_groups - 1)
    lost = ((1 - weight) ** 2 / degrees).sum()
    f = between / (1 + 2 * (n_groups - 2) / (n_groups**2 - 1) * lost)
    return float(fdtrc(n_groups - 1, (n_groups**2 - 1) / (3 * lost), f))
