"""Compares systems pair by pair, and computes intervals of means, for all columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import Moments, Sums, locked, moments_of, warn_caller, weighted_sum
from ranking_scores._base import standard_error as exact_standard_error
from ranking_scores._metrics import list_some, warn_of_undefined
from ranking_scores._statistics._differences import (
    Settings,
    Summary,
    Verdict,
    alpha_of,
    benjamini_hochberg,
    by_missing,
    detectable,
    holm,
    limits,
    run_test,
    scale,
    summarize,
    t_interval,
)
from ranking_scores._statistics._resampling import (
    Resamples,
    at_share,
    bca,
    flips,
    largest_t,
    means_of_draws,
    percentiles,
    slack_of,
)
from ranking_scores._statistics._results import Comparison, Comparisons, ConfidenceInterval
from ranking_scores._statistics._systems import Rows, Scores, known_ids

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TOO_FEW = "fewer than two queries have a score"


def interval_of(
    given: Scores, resamples: Resamples, method: str, level: float, function: str
) -> ConfidenceInterval:
    """Return the mean of each column with its interval. Warn of intervals that are NaN."""
    scaled, exponent = scale(given.values)
    result = np.full((4, given.values.shape[1]), np.nan)
    for columns, values in by_missing(scaled):
        if len(values):
            result[:, columns] = _interval(values, resamples, method, level)
    result = np.ldexp(result, exponent)
    n_undefined = np.isnan(given.values).sum(axis=0)
    warn_of_undefined(result[1].tolist(), function, given.names, _TOO_FEW)
    found = [*result, len(given.values) - n_undefined, n_undefined]
    mean, low, high, error, n_queries, n_undefined = (
        each[0].item() if given.is_single else locked(each) for each in found
    )
    return ConfidenceInterval(
        mean=mean,
        low=low,
        high=high,
        standard_error=error,
        n_queries=n_queries,
        n_undefined=n_undefined,
        metrics=given.names,
        method=method,
        confidence_level=level,
    )


def _interval(
    values: Floats, resamples: Resamples, method: str, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return mean, limits and standard error of columns without NaN."""
    sums = [Sums(weighted_sum(column, None)) for column in values.T]
    mean = np.array([each.mean() for each in sums])
    moments = moments_of(values, None)
    error = np.array(
        [exact_standard_error(*each, Moments()) for each in zip(sums, moments, strict=True)]
    )
    if len(values) < 2:
        return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan), error
    if method == "t":
        low, high = t_interval(mean, error, len(values), level)
    else:
        drawn = means_of_draws(values, resamples)
        low, high = bca(values, drawn, level) if method == "bca" else percentiles(drawn, level)
    has_spread = error > 0
    return mean, np.where(has_spread, low, mean), np.where(has_spread, high, mean), error


def spread_of_pair(systems: Sequence[Scores], function: str) -> tuple[float, float]:
    """Return the mean of the differences of two systems, and their standard deviation.

    Warn if there are too few queries for the latter, which is then NaN.
    """
    first = np.zeros(1, dtype=np.int64)
    rows = Rows([each.values for each in systems], first, first + 1, first, None)
    differences, exponent = scale(rows.differences(slice(1)))
    scaled = summarize(differences, np.ldexp(rows.slack(slice(1)), -exponent))
    summary = scaled.unscaled(exponent)
    warn_of_undefined(summary.deviation.tolist(), function, ["b - a"], _TOO_FEW)
    return float(summary.mean[0]), float(summary.deviation[0])


def compare_pair(systems: Sequence[Scores], settings: Settings, function: str) -> Comparison:
    """Return the comparison of two systems. Warn if it is NaN, or has no spread."""
    a, b = systems
    comparisons = _compare({"a": a, "b": b}, None, settings, None, "metric")
    _warn(comparisons, function, ["b - a"])
    return comparisons[0]


def compare_pairs(
    systems: dict[str, Scores],
    baseline: str | None,
    settings: Settings,
    correction: str | None,
    family: str,
    function: str,
) -> Comparisons:
    """Return the comparisons of all pairs, or of all systems with a baseline, with warnings."""
    comparisons = _compare(systems, baseline, settings, correction, family)
    metrics = comparisons.metrics or [""] * len(comparisons)
    labels = zip(comparisons._labels(), metrics, strict=True)
    names = [f"{label}, {metric}" if metric else label for label, metric in labels]
    _warn(comparisons, function, names)
    return comparisons


def _compare(
    systems: dict[str, Scores],
    baseline: str | None,
    settings: Settings,
    correction: str | None,
    family: str,
) -> Comparisons:
    """Return the comparisons of all pairs, or of all systems with a baseline."""
    names = list(systems)
    pairs = list(combinations(range(len(names)), 2))
    if baseline is not None:
        pairs = [(names.index(baseline), b) for b, name in enumerate(names) if name != baseline]
    given = list(systems.values())
    n_columns = given[0].values.shape[1]
    a, b = np.tile(np.array(pairs).T, n_columns)
    column = np.repeat(np.arange(n_columns), len(pairs))
    ids = next((each for each in map(known_ids, given) if each is not None), None)
    rows = Rows([each.values for each in given], a, b, column, ids)
    summary, verdict = _test(rows, settings)
    of_family = column if family == "metric" else np.zeros_like(column)
    corrected = _correct(rows, of_family, verdict, settings, correction)
    titles = next((each.names for each in given if each.names is not None), None)
    columns: dict[str, Any] = {
        "difference": summary.mean,
        "low": corrected.low,
        "high": corrected.high,
        "pvalue": corrected.pvalue,
        "pvalue_uncorrected": verdict.pvalue,
        "effect_size": summary.effect_size,
        "detectable_difference": detectable(summary, settings),
        "wins": summary.wins,
        "draws": summary.draws,
        "losses": summary.losses,
        "n_queries": summary.n_queries,
        "n_dropped": len(given[0].values) - summary.n_queries,
    }
    result = Comparisons(
        systems_a=tuple(names[each] for each in a),
        systems_b=tuple(names[each] for each in b),
        metrics=None if titles is None else tuple(titles[each] for each in column),
        **{key: locked(values) for key, values in columns.items()},
        baseline=baseline,
        correction=correction,
        family=family,
        test=settings.test,
        alternative=settings.alternative,
        confidence_level=settings.level,
    )
    vars(result)["_rows"] = rows
    return result


def _warn(comparisons: Comparisons, function: str, names: Sequence[str]) -> None:
    """Warn of p-values that are NaN, and of p-values or widths that equal differences make 0."""
    warn_of_undefined(comparisons.pvalue.tolist(), function, names, _TOO_FEW)
    are_equal = np.isinf(comparisons.effect_size)
    lacking = "the t test cannot estimate their spread. The permutation test does not need it"
    if comparisons.correction == "max-t":
        # With few queries, both limits are infinite.
        are_equal &= np.isfinite(comparisons.low) | np.isfinite(comparisons.high)
        lacking = "the interval has no width. The p-value is not affected"
    elif comparisons.test != "t":
        return
    if are_equal.any():
        which = list_some(list(compress(names, are_equal.tolist())))
        warn_caller(f"{function} ({which}): all differences are equal, so {lacking}.", UserWarning)


def _test(rows: Rows, settings: Settings) -> tuple[Summary, Verdict]:
    """Return the summary of the differences of each row, and the test's verdict on it alone."""
    parts = []
    for chunk in rows.chunks(settings.n_resamples):
        differences, exponent = scale(rows.differences(chunk))
        summary = summarize(differences, np.ldexp(rows.slack(chunk), -exponent))
        verdict = run_test(differences, summary, settings)
        parts.append((summary.unscaled(exponent), verdict.unscaled(exponent)))
    summaries, tests = zip(*parts, strict=True)
    return (
        Summary(*map(np.concatenate, zip(*summaries, strict=True))),
        Verdict(*map(np.concatenate, zip(*tests, strict=True))),
    )


def _correct(
    rows: Rows, family: Ints, verdict: Verdict, settings: Settings, correction: str | None
) -> Verdict:
    """Return the p-values, corrected in each family, and the intervals."""
    if correction == "max-t":
        corrected = Verdict(*np.empty((3, len(family))))
        for places, part in rows.on_same_queries(family):
            found = _by_max_t(part, family[places], settings)
            for values, own in zip(corrected, found, strict=True):
                values[places] = own
        return corrected
    pvalue = verdict.pvalue.copy()
    if correction is not None:
        correct = {"holm": holm, "bh": benjamini_hochberg}[correction]
        for number in np.unique(family):
            own = (family == number) & ~np.isnan(pvalue)
            pvalue[own] = correct(pvalue[own])
    return verdict._replace(pvalue=pvalue)


def _by_max_t(rows: Rows, family: Ints, settings: Settings) -> Verdict:
    """Return p-values and intervals from the largest t statistic of each family."""
    # "less" is "greater" for the differences with opposite sign.
    side = -1 if settings.alternative == "less" else 1
    is_two_sided = settings.alternative == "two-sided"
    resamples = flips(settings.n_resamples, settings.seed)
    largest: dict[int, Floats] = {}
    summaries = []
    for chunk in rows.chunks(settings.n_resamples):
        differences, exponent = scale(side * rows.differences(chunk))
        slack = np.ldexp(rows.slack(chunk), -exponent)
        summaries.append(summarize(differences, slack).unscaled(exponent))
        numbers, starts = np.unique(family[chunk], return_index=True)
        found = largest_t(differences, starts, resamples, is_absolute=is_two_sided)
        for number, t in zip(numbers.tolist(), found.T, strict=True):
            largest[number] = np.maximum(largest.get(number, t), t)
    summary = Summary(*map(np.concatenate, zip(*summaries, strict=True)))
    observed = np.abs(summary.t) if is_two_sided else summary.t
    alpha = alpha_of(settings.level)
    pvalue, critical = np.empty_like(observed), np.empty_like(observed)
    for number, t in largest.items():
        own, in_order = family == number, np.sort(t)
        least = observed[own] - slack_of(observed[own])
        n_above = in_order.size - np.searchsorted(in_order, least)
        pvalue[own] = (1 + n_above) / (1 + in_order.size)
        critical[own] = at_share(-in_order[:, np.newaxis], alpha)
    pvalue[np.isnan(observed)] = np.nan
    low, high = limits(summary, critical, critical if is_two_sided else -np.inf)
    return Verdict(pvalue, low, high) if side > 0 else Verdict(pvalue, -high, -low)
