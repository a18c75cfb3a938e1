"""Means of scores by a model's labels on all queries and by people's on a random part of them.

This is prediction-powered inference (Angelopoulos et al., 2023) with a fitted weight. On the n
queries that people judged, y are the scores by their labels and f those by the model's. On the
others, of which there are N - n, f' are those by the model's::

    weight = cov(y, f) / (var(f) (1 + n / (N - n))), from 0 to 1
    mean   = mean(y - weight f) + weight mean(f')
    error^2 = var(y - weight f) / n + weight^2 var(f') / (N - n)

The people's queries correct the model's labels, and the model's queries take out of the mean what
is only the luck of which queries people got. With a bad judge, the weight is near 0, and the mean
is that of the people's queries alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from ranking_scores._base import (
    as_cell,
    describe,
    invalid,
    match_ids,
    read_only,
    show_some,
    warn_caller,
)
from ranking_scores._metrics import list_some, warn_of_undefined
from ranking_scores._reports import with_human
from ranking_scores._statistics._comparisons import MARGIN_KEYS, Comparison
from ranking_scores._statistics._intervals import ConfidenceInterval
from ranking_scores._statistics._results import HumanLabels
from ranking_scores._statistics._systems import (
    ScoredSystems,
    Scores,
    as_reports,
    check_options,
    ends_of_all,
    known_ids,
    read_scores,
)
from ranking_scores._statistics._tests import (
    Differences,
    SignificanceSettings,
    Summary,
    Verdict,
    detectable,
    run_test,
    scale,
)
from ranking_scores._statistics._units import Sample, Units, effective, subtract
from ranking_scores._tables import RankingData
from ranking_scores.report import RankingReport

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]

_FEW = 20
"""With fewer queries judged by people, a warning is issued."""
_NOT_RANDOM = 0.01
"""The queries that people judged are no random part if Welch's test has a lower p-value."""


class Estimate(NamedTuple):
    """What two kinds of labels say about the mean of one column of scores or differences."""

    mean: float
    error: float
    """The standard error of the mean."""
    degrees: float
    """The degrees of freedom of this error."""
    weight: float
    """How much the model's labels count."""
    correlation: float
    """The correlation of the scores of both on the queries that people judged."""
    bias: float
    """The mean by the model's labels minus that by people's, on the queries that people judged."""
    bias_error: float
    bias_degrees: float
    worth: float
    """The number of queries judged by people alone that would give the same standard error."""
    pvalue: float
    """The p-value of Welch's test of whether people judged other queries than the rest."""
    deviation: float
    """The standard deviation of the scores by people's labels."""
    n_human: int
    n_queries: int
    n_effective: float


class Estimates(NamedTuple):
    """The estimates of some columns, with the test of each mean and its interval."""

    estimates: Sequence[Estimate]
    summary: Summary
    verdict: Verdict
    level: float
    """The confidence level."""

    def column(self, place: int) -> Estimates:
        """Return what was found about one of the columns."""
        columns = np.array([place])
        verdict = Verdict(*(values[columns] for values in self.verdict))
        summary = self.summary.take(columns)
        return Estimates([self.estimates[place]], summary, verdict, self.level)

    def labels(self, names: Sequence[str] | None) -> HumanLabels:
        """Return the public result: numbers for one column without a name, otherwise arrays."""
        columns = {
            name: _array_of(self.estimates, name)
            for name in ("n_human", "weight", "correlation", "bias", "worth", "pvalue")
        }
        error = _array_of(self.estimates, "bias_error")
        degrees = _array_of(self.estimates, "bias_degrees")
        half = stdtrit(np.where(degrees > 0, degrees, np.nan), (1 + self.level) / 2) * error
        columns["n_queries"] = columns.pop("n_human")
        columns |= {"bias_low": columns["bias"] - half, "bias_high": columns["bias"] + half}
        values = {
            name: column[0].item() if names is None else read_only(column)
            for name, column in columns.items()
        }
        return HumanLabels._of(
            **values, metrics=None if names is None else tuple(names), confidence_level=self.level
        )

    def oddities(self, names: Sequence[str] | None) -> Iterator[str]:
        """Yield in words why the results say little, each with the names of its columns."""
        named = list(names or [""] * len(self.estimates))
        n_human = _array_of(self.estimates, "n_human")
        is_few = n_human < _FEW
        if is_few.any():
            count = n_human[is_few].min()
            queries = "query was" if count == 1 else "queries were"
            which = _which(named, is_few)
            yield f"{which}only {count} {queries} judged by people, at least {_FEW} are better"
        is_point = _array_of(self.estimates, "error") == 0
        if is_point.any():
            equal = "people's scores are all equal, so the interval has no width"
            yield f"{_which(named, is_point)}{equal}"
        are_same = np.array([one.weight > 0 and one.bias_error == 0 for one in self.estimates])
        if are_same.any():
            same = (
                "the scores by the model's labels and by people's never differ by another amount, "
                "so nothing is known of rarer differences"
            )
            yield f"{_which(named, are_same)}{same}"
        for name, estimate in zip(named, self.estimates, strict=True):
            if estimate.pvalue < _NOT_RANDOM:
                yield (
                    f"{name}{': ' * bool(name)}by the model's labels, the queries that people "
                    f"judged differ from the others (p = {as_cell(estimate.pvalue)}), so they "
                    "seem to be no random part"
                )


def _array_of(estimates: Sequence[Estimate], name: str) -> NDArray[Any]:
    """Return an attribute of some estimates as an array."""
    return np.array([getattr(estimate, name) for estimate in estimates])


def _which(names: Sequence[str], chosen: Bools) -> str:
    """Return the names of some columns, as the beginning of a sentence."""
    found = list_some([name for name in compress(names, chosen.tolist()) if name])
    return f"{found}: " if found else ""


def add_human(
    given: ScoredSystems, human: Any, systems: Sequence[str], function: str, score: Any = None
) -> ScoredSystems:
    """Return systems with their scores by people's labels, which reports may bring.

    `systems` are the parameters that the systems were passed as. `human` has the scores of one
    system, or a pair of them for two.
    """
    if human is not None:
        parts = {"human": human}
        if len(systems) > 1:
            pair = _pair_of(human, systems, function)
            parts = {f"human[{place}]": scores for place, scores in enumerate(pair)}
        has_data = any(isinstance(part, RankingData) for part in parts.values())
        parts = as_reports(parts, score if has_data else None, "score", function)
        names = zip(given.systems.items(), parts.items(), systems, strict=True)
        scores_by_name = {
            name: _with_human(own, scores, parameter, of, function)
            for (name, own), (parameter, scores), of in names
        }
        given = given._replace(systems=scores_by_name)
    have = [system.human is not None for system in given.systems.values()]
    if any(have):
        if not all(have):
            with_them, without = systems[have.index(True)], systems[have.index(False)]
            expected = f"a report with people's labels, like {with_them}"
            raise invalid(without, function, expected, "one without them")
        check_clusters(given, function)
    return given


def check_no_human(given: ScoredSystems, parameter: str, function: str) -> None:
    """Raise if people judged some of the queries, in a function that does not take this."""
    if given.has_human():
        expected = "reports without people's labels"
        advice = "`compare` takes them. For the model's labels alone, pass values of `per_query`."
        raise invalid(parameter, function, expected, "one with them", advice)


def check_option_with_human(option: str, parameter: str, function: str) -> None:
    """Raise unless a method or a test is that of the interval with people's labels."""
    if option not in ("auto", "t"):
        expected = "'auto' or 't' if people judged some of the queries"
        raise invalid(parameter, function, expected, repr(option))


def _with_human(own: Scores, human: Any, parameter: str, of: str, function: str) -> Scores:
    """Return the scores of a system with those by people's labels in the order of its queries.

    `of` is the parameter that the system was passed as.
    """
    if own.human is not None:
        expected = f"None, since {of} is a report that has people's labels"
        raise invalid(parameter, function, expected, "others")
    given = read_scores(human, parameter, function)
    if own.report is not None and given.report is not None:
        check_options(of, own.report, given.report, own.names or (), parameter, function)
    for name in ("weight", "cluster"):
        if getattr(given, name) is not None and getattr(own, name) is None:
            what = "sample_weight" if name == "weight" else "clusters"
            expected = f"a report without `{what}`, since {of} has none"
            raise invalid(parameter, function, expected, "one with them")
    values = given.values[:, _columns(own, given, parameter, of, function)]
    places = _places(own, given, parameter, of, function)
    is_there = places >= 0
    human_values = np.full(own.values.shape, np.nan)
    human_values[is_there] = values[places[is_there]]
    if np.isnan(human_values).all():
        expected = f"the score of at least one of the queries of {of}"
        raise invalid(parameter, function, expected, "none")
    return own._replace(human=human_values)


def reports_with_human(
    report: RankingReport, baseline: RankingReport | None, human: Any, function: str
) -> tuple[RankingReport, RankingReport | None]:
    """Return a report and its baseline with the scores by people's labels, a report for each."""
    if baseline is None:
        return _report_with_human(report, human, "human", "report", function), None
    one, other = _pair_of(human, ("report", "baseline"), function)
    return (
        _report_with_human(report, one, "human[0]", "report", function),
        _report_with_human(baseline, other, "human[1]", "baseline", function),
    )


def _report_with_human(
    report: RankingReport, human: Any, parameter: str, of: str, function: str
) -> RankingReport:
    """Return a report with the scores by people's labels."""
    [given] = as_reports({parameter: human}, None, "score", function).values()
    own = _with_human(read_scores(report, of, function), given, parameter, of, function)
    assert own.human is not None
    return with_human(report, dict(zip(report, own.human.T, strict=True)))


def _pair_of(human: Any, systems: Sequence[str], function: str) -> Any:
    """Return a pair, or raise."""
    if not isinstance(human, (tuple, list)) or len(human) != len(systems):
        expected = f"a pair of what people's labels give, for {' and '.join(systems)}"
        raise invalid("human", function, expected, describe(human))
    return human


def _columns(own: Scores, given: Scores, parameter: str, of: str, function: str) -> list[int]:
    """Return the columns of people's scores that belong to those of the model's."""
    n_columns = own.values.shape[1]
    if given.are_named and own.are_named:
        assert own.names is not None
        assert given.names is not None
        missing = [name for name in own.names if name not in given.names]
        if missing:
            expected = f"with the scores of {of}, which has {missing[0]!r}"
            raise invalid(parameter, function, expected, list_some(list(given.names)))
        return [given.names.index(name) for name in own.names]
    if given.values.shape[1] != n_columns:
        columns = "column" if n_columns == 1 else "columns"
        expected = f"with {n_columns} {columns} of scores, like {of}"
        raise invalid(parameter, function, expected, str(given.values.shape[1]))
    return list(range(n_columns))


def _places(own: Scores, given: Scores, parameter: str, of: str, function: str) -> Ints:
    """Return where people's score of each query is, by ids or by position, or -1."""
    are_indexed = own.indexed is not None and given.indexed is not None
    ids, own_ids = (scores.ids if are_indexed else known_ids(scores) for scores in (given, own))
    n_queries = len(own.values)
    if ids is None or own_ids is None:
        # The queries of system_b are in the order of system_a by now.
        if own_ids is not None and of == "system_b":
            expected = f"a dict, a Series or a report with ids, since {of} has ids of queries"
            raise invalid(parameter, function, expected, "scores without ids")
        if len(given.values) != n_queries:
            or_by_ids = "" if own_ids is None else f"by the ids of {of}, or "
            expected = f"{or_by_ids}of length {n_queries}, with NaN where people did not judge"
            got = f"length {len(given.values)}"
            advice = f"{of} has no ids of queries." if own_ids is None else ""
            raise invalid(parameter, function, expected, got, advice)
        return np.arange(n_queries)
    if len({*own_ids.tolist()}) < n_queries:
        expected = f"of length {n_queries}, without ids, since those of {of} are not unique"
        raise invalid(parameter, function, expected, "ids")
    if len({*ids.tolist()}) < len(ids):
        twice = next(id_ for id_ in ids.tolist() if ids.tolist().count(id_) > 1)
        raise invalid(parameter, function, "one score per query", f"{twice!r} twice")
    places, _, others, _ = match_ids(ids, own_ids)
    if others.size:
        expected = f"of some of the queries of {of}, by their ids"
        raise invalid(parameter, function, expected, f"also {show_some(others)}")
    return places


def with_human_units(summary: Summary) -> Summary:
    """Return a summary whose effective units are those of the test, which people judged."""
    return summary._replace(n_effective=np.asarray(summary.n_units, dtype=np.float64))


def estimate_means(
    model: Floats, human: Floats, units: Units, settings: SignificanceSettings
) -> Estimates:
    """Return estimates from columns of scores by the model's labels and by people's."""
    exponent = scale(np.concatenate([model, human]))
    columns = zip(np.ldexp(model, -exponent).T, np.ldexp(human, -exponent).T, strict=True)
    estimates = [_estimate(f, y, units) for f, y in columns]
    degrees = _array_of(estimates, "degrees")
    each_human = np.where(np.isnan(model), np.nan, human)
    counts = [(each_human > 0).sum(axis=0), (each_human == 0).sum(axis=0)]
    error = np.where(degrees > 0, _array_of(estimates, "error"), np.nan)
    summary = Summary(
        n_queries=_array_of(estimates, "n_queries"),
        n_units=degrees + 1,
        n_effective=_array_of(estimates, "n_effective"),
        mean=_array_of(estimates, "mean"),
        deviation=_array_of(estimates, "deviation"),
        error=error,
        error_of_t=error,
        wins=counts[0],
        draws=counts[1],
        losses=(each_human < 0).sum(axis=0),
    )
    given = Differences(human, units)
    verdict = run_test(given, with_human_units(summary), settings._replace(test="t"))
    powers = np.ldexp(1.0, exponent).tolist()
    estimates = [
        estimate._replace(
            **{
                name: getattr(estimate, name) * power
                for name in ("mean", "error", "bias", "bias_error", "deviation")
            }
        )
        for estimate, power in zip(estimates, powers, strict=True)
    ]
    summary, verdict = summary.times(exponent), verdict.times(exponent)
    return Estimates(estimates, summary, verdict, settings.level)


def _estimate(f: Floats, y: Floats, units: Units) -> Estimate:
    """Return what the scores by the model's labels, f, and by people's, y, say about the mean."""
    is_human = ~np.isnan(f) & ~np.isnan(y)
    is_other = ~np.isnan(f) & ~is_human
    n_human, n_queries = int(is_human.sum()), int(is_human.sum() + is_other.sum())
    if not n_human:
        unknown: dict[str, Any] = dict.fromkeys(Estimate._fields, math.nan)
        counts = {"degrees": 0.0, "bias_degrees": 0.0, "n_human": 0, "n_effective": 0.0}
        return Estimate(**unknown | counts | {"n_queries": n_queries})
    own = units.take(is_human)
    people = own.values(np.column_stack([y, f])[is_human])
    mean, mean_f = people.mean().tolist()
    n_units = _count(people)
    (var, cov), (_, var_f) = _covariance(people)
    weight, mean_other, var_other, n_others = 0.0, math.nan, math.nan, 0.0
    if is_other.any():
        others = units.take(is_other).values(f[is_other, np.newaxis])
        [mean_other], n_others = others.mean().tolist(), _count(others)
        [[var_other]] = _covariance(others)
    is_fitted = n_units > 2 and n_others > 1 and var_f > 0
    error = math.sqrt(var)
    if is_fitted:
        weight = min(max(cov / (var_f * (1 + n_units / n_others)), 0.0), 1.0)
        mean += weight * (mean_other - mean_f)
        error = math.sqrt(_covariance(people, weight)[0, 0] + weight**2 * var_other)
    square = np.average((y[is_human] - people.mean()[0]) ** 2, weights=own.weight)
    spread = math.sqrt(var * var_f)
    return Estimate(
        mean=mean,
        error=error,
        degrees=n_units - 1 - is_fitted,
        weight=weight,
        correlation=min(max(cov / spread, -1.0), 1.0) if spread > 0 else math.nan,
        bias=mean_f - people.mean()[0].item(),
        bias_error=math.sqrt(_covariance(people, 1.0)[0, 0]),
        bias_degrees=n_units - 1,
        worth=n_human * var / error**2 if error > 0 else math.nan,
        pvalue=_welch((mean_f, var_f, n_units), (mean_other, var_other, n_others)),
        deviation=math.sqrt(square * n_human / (n_human - 1)) if n_human > 1 else math.nan,
        n_human=n_human,
        n_queries=n_queries,
        n_effective=n_units + n_others,
    )


def _count(sample: Sample) -> float:
    """Return the number of units, which is the effective one if they have weights."""
    return float(len(sample.values) if sample.weight is None else effective(sample.weight)[0])


def _covariance(sample: Sample, weight: float = 0.0) -> Floats:
    """Return the variances and covariances of the means of columns, NaN for a single unit.

    The first column is that of the values minus the weight times the second.
    """
    n_units = len(sample.values)
    terms = sample.weighed(sample.centred()) / sample.total_weight()
    if weight:
        terms = np.column_stack([terms[:, 0] - weight * terms[:, 1]])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(terms.T @ terms * (n_units / np.float64(n_units - 1)))


def _welch(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """Return the p-value of Welch's test of two means, with their variances and numbers.

    NaN if the queries are too few, or if all of them have the same value.
    """
    (mean, var, n), (mean_other, var_other, n_other) = one, other
    if min(n, n_other) <= 1:
        return math.nan
    if var + var_other == 0:
        return math.nan if mean == mean_other else 0.0
    t = abs(mean - mean_other) / math.sqrt(var + var_other)
    degrees = (var + var_other) ** 2 / (var**2 / (n - 1) + var_other**2 / (n_other - 1))
    return float(2 * stdtr(degrees, -t))


def check_clusters(given: ScoredSystems, function: str) -> None:
    """Raise if people judged a cluster in part: then its two parts may depend on each other."""
    units = given.units
    if units.cluster is None:
        return
    humans = [system.human for system in given.systems.values() if system.human is not None]
    is_judged = ~np.isnan(np.column_stack(humans)).all(axis=1)
    n_judged = np.bincount(units.cluster, is_judged, units.n_clusters)
    n_queries = np.bincount(units.cluster, minlength=units.n_clusters)
    parts = np.flatnonzero((n_judged > 0) & (n_judged < n_queries))
    if parts.size:
        expected = "clusters of which people judged all queries or none"
        counts = f"{int(n_judged[parts[0]])} of {n_queries[parts[0]]}"
        advice = "Draw whole clusters for people, or leave `clusters` out."
        raise invalid("clusters", function, expected, f"one with {counts} judged", advice)


def differences_of(given: ScoredSystems, function: str) -> tuple[Floats, Floats]:
    """Return the differences of two systems, second minus first, by the model and by people."""
    a, b = given.systems.values()
    assert a.human is not None
    assert b.human is not None
    are_others = np.isnan(a.human) != np.isnan(b.human)
    if are_others.any():
        place = int(np.flatnonzero(are_others.any(axis=1))[0])
        query = f"at position {place}"
        if given.ids is not None:
            query = show_some(given.ids[place : place + 1])
        expected = "two sets of scores of the same queries"
        raise invalid("human", function, expected, f"query {query} in only one of them")
    return subtract(b.values, a.values), subtract(b.human, a.human)


def verdict_if_one_more_by_people(
    given: ScoredSystems,
    differences: tuple[Floats, Floats],
    settings: SignificanceSettings,
    side: int,
    shift: float = 0.0,
) -> Verdict:
    """Return the verdict on two systems with one imaginary query more, which people judged.

    By their labels, the second system is lower (side 1) or higher (side -1) on it by the whole
    range of the score. By the model's labels, which may miss this, nothing changed. `differences`
    are those by the model's labels and by people's, and `shift` was added to them.
    """
    low, high = ends_of_all(given.systems.values())
    # If a range is unknown, this is NaN, which adds no query.
    largest = side * (low - high) + shift
    model, human = differences
    return estimate_means(
        np.vstack([model, np.where(np.isnan(largest), np.nan, shift)]),
        np.vstack([human, largest]),
        given.units.and_one(np.zeros(len(model), np.int64)),
        settings,
    ).verdict


def warn_of_oddities(
    found: Estimates, units: Units, names: Sequence[str] | None, function: str
) -> None:
    """Warn of results that say little, and of those that are undefined."""
    too_few = f"{units.too_few()} by people and by the model"
    are_undefined = np.isnan(found.verdict.pvalue).tolist()
    warn_of_undefined(are_undefined, function, names, too_few)
    for line in found.oddities(names):
        warn_caller(f"{function}: {line}.", UserWarning)


def interval_with_human(given: ScoredSystems, level: float, function: str) -> ConfidenceInterval:
    """Return the interval of the mean of each column, by both kinds of labels, with warnings."""
    [own] = given.systems.values()
    assert own.human is not None
    settings = SignificanceSettings("t", "two-sided", level, n_resamples=0, seed=0)
    found = estimate_means(own.values, own.human, given.units, settings)
    warn_of_oddities(found, given.units, own.names, function)
    summary, verdict = found.summary, found.verdict
    n_undefined = len(own.values) - summary.n_queries
    low, high = own.in_range(np.array([verdict.low, verdict.high]))
    columns = {
        "mean": summary.mean,
        "low": low,
        "high": high,
        "standard_error": summary.error,
        "n_queries": summary.n_queries,
        "n_undefined": n_undefined,
        "n_effective": summary.n_effective,
    }
    return ConfidenceInterval._of(
        **{
            name: column[0].item() if own.is_single else read_only(column)
            for name, column in columns.items()
        },
        n_clusters=None if given.units.cluster is None else given.units.n_clusters,
        metrics=own.names,
        method="ppi" if own.is_single else ("ppi",) * len(summary.mean),
        confidence_level=level,
        human=found.labels(None if own.is_single else own.names),
    )


def compare_with_human(
    given: ScoredSystems, settings: SignificanceSettings, margin: float | None, function: str
) -> Comparison:
    """Return the comparison of two systems by both kinds of labels, with warnings."""
    model, human = differences_of(given, function)
    found = estimate_means(model, human, given.units, settings)
    warn_of_oddities(found, given.units, ["b - a"], function)
    summary, verdict = found.summary, found.verdict
    margin_values: dict[str, float | None] = dict.fromkeys(MARGIN_KEYS)
    if margin is not None:
        pvalues = []
        for side, alternative in ((1, "greater"), (-1, "less")):
            moved, one_sided = side * margin, settings._replace(alternative=alternative)
            shifted = model + moved, human + moved
            alone = estimate_means(*shifted, given.units, one_sided).verdict
            with_one = verdict_if_one_more_by_people(given, shifted, one_sided, side, moved)
            pvalues.append(np.fmax(alone.pvalue, with_one.pvalue)[0].item())
        margin_values = {
            "margin": margin,
            "pvalue_noninferior": pvalues[0],
            "pvalue_equivalent": max(pvalues),
        }
    systems = list(given.systems.values())
    titles = next((system.names for system in systems if system.names is not None), None)
    columns = {
        "difference": summary.mean,
        "low": verdict.low,
        "high": verdict.high,
        "pvalue": verdict.pvalue,
        "effect_size": summary.effect_size,
        "direction": np.nan_to_num(verdict.direction).astype(np.int64),
        "detectable_difference": detectable(with_human_units(summary), settings),
        "wins": summary.wins,
        "draws": summary.draws,
        "losses": summary.losses,
        "n_queries": summary.n_queries,
        "n_effective": summary.n_effective,
        "n_dropped": len(model) - summary.n_queries,
    }
    return Comparison._of(
        **{name: column[0].item() for name, column in columns.items()},
        **margin_values,
        system_a="a",
        system_b="b",
        metric=None if titles is None else titles[0],
        group=None,
        n_clusters=None if given.units.cluster is None else given.units.n_clusters,
        test="ppi",
        alternative=settings.alternative,
        correction=None,
        confidence_level=settings.level,
        difference_per_query=read_only(model[:, 0]),
        query_ids=None if given.ids is None else read_only(given.ids),
        human=found.labels(None),
    )
