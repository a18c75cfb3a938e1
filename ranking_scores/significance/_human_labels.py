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

A judge that is nearly always right errs on few of the n queries, or on none. These say little of
the variance of its errors, e = y - f. If m of these are not 0, it is taken to be at least ::

    q mean(e^2) - q^2 mean(e)^2,    both means over the m queries

where q is the upper limit of the share of such queries (Clopper and Pearson), while m is low. If
m is 0, e is as large as scores differ. The covariance of y and f follows from it, and from it the
weight. Scores of 0 and 1 have the limits that people's labels alone of `worth` queries would give.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from ranking_scores._base._by_id import match_ids
from ranking_scores._base._errors import (
    invalid,
    list_some,
    show_some,
    warn_caller,
    warn_of_undefined,
)
from ranking_scores._base._query_values import QueryValues
from ranking_scores._base._results import as_cell, read_only
from ranking_scores._base._validation import describe
from ranking_scores.significance._comparisons import MARGIN_KEYS, Comparison, numbers_of
from ranking_scores.significance._intervals import ConfidenceInterval, interval_from, share_limits
from ranking_scores.significance._readers import (
    RankingData,
    RankingReport,
    as_reports,
    read_scores,
)
from ranking_scores.significance._results import HumanLabels
from ranking_scores.significance._systems import ScoredSystems, check_options, ends_of_all
from ranking_scores.significance._tests import (
    Differences,
    PairedCounts,
    SignificanceSettings,
    Summary,
    TestResult,
    are_01,
    clopper_pearson,
    detectable,
    exponent_of,
    run_test,
    score_test,
)
from ranking_scores.significance._units import Sample, Units, effective, subtract

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]

_FEW = 20
"""With fewer queries judged by people, a warning is issued."""
_NOT_RANDOM = 0.01
"""The queries that people judged are no random part if Welch's test has a lower p-value."""
_FEW_ERRORS = 10
"""Fewer errors of the judge tell little of their variance."""
_LEVEL_OF_ERRORS = 0.9
"""The level of the limits of their share, of which the upper one holds in 95 %. It is not that of
the interval, since a standard error has none."""


class BothLabels(NamedTuple):
    """Columns of scores, or of differences of two systems, by both kinds of labels."""

    model: Floats
    human: Floats
    spread: Floats
    """How far the scores of the systems are apart, which an error of the judge may be."""
    are_01: Bools
    """Whether the scores are 0 and 1, and each query counts by itself."""
    are_differences: bool


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
    is_01: bool
    """Whether the scores are 0 and 1, so that the limits are those of shares."""

    def deviation_of_queries(self, variance_of_share: float) -> float:
        """Return the standard deviation of which as many queries of people give the error."""
        variance = max(variance_of_share, 0) / self.worth if self.is_01 else self.error**2
        return math.sqrt(variance * self.n_human)


_IN_SCORES = ("mean", "error", "bias", "bias_error", "deviation")
"""The numbers that double if the scores double."""


class Estimates(NamedTuple):
    """The estimates of some columns, with the test of each mean and its interval."""

    estimates: Sequence[Estimate]
    summary: Summary
    verdict: TestResult
    level: float
    """The confidence level."""

    def column(self, place: int) -> Estimates:
        """Return what was found about one of the columns."""
        columns = np.array([place])
        verdict = TestResult(*(values[columns] for values in self.verdict))
        summary = self.summary.take(columns)
        return Estimates([self.estimates[place]], summary, verdict, self.level)

    def pairs(self) -> PairedCounts:
        """Return how often two scores of 0 and 1 would differ on as many queries as all is worth.

        The share of people's queries on which they differ is known from these queries alone.
        """
        worth = _array_of(self.estimates, "worth")
        mean = np.clip(_array_of(self.estimates, "mean"), -1, 1)
        n_human = _array_of(self.estimates, "n_human")
        share = (self.summary.wins + self.summary.losses) / np.maximum(n_human, 1)
        share = np.maximum(share, np.abs(mean))
        return PairedCounts((share + mean) / 2 * worth, (share - mean) / 2 * worth, worth)

    def verdict_on_shares(self) -> TestResult:
        """Return the limits of means of 0 and 1 that people's labels of as many would give."""
        hits = ((np.clip(one.mean, 0, 1) * one.worth, one.worth) for one in self.estimates)
        low, high = np.array([share_limits(*each, self.level) for each in hits]).T
        return self.verdict._replace(low=low, high=high)

    def labels(self, names: Sequence[str] | None) -> HumanLabels:
        """Return the public result: numbers for one column without a name, otherwise arrays."""
        taken = ("n_human", "weight", "correlation", "bias", "worth", "pvalue")
        columns = {name: _array_of(self.estimates, name) for name in taken}
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
        is_point = (self.summary.error == 0) & ~_array_of(self.estimates, "is_01")
        is_point &= (self.summary.mean == self.verdict.low) | np.isinf(self.verdict.low)
        if is_point.any():
            equal = "people's scores are all equal, so the interval has no width"
            yield f"{_which(named, is_point)}{equal}"
        are_same = np.array([one.weight > 0 and one.bias_error == 0 for one in self.estimates])
        if are_same.any():
            yield (
                f"{_which(named, are_same)}the scores by the model's labels and by people's never "
                "differ by another amount, so nothing is known of rarer differences"
            )
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
        parts = _parts_of(human, systems, function)
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


def _with_human(
    own: QueryValues, human: Any, parameter: str, of: str, function: str
) -> QueryValues:
    """Return the scores of a system with those by people's labels in the order of its queries.

    `of` is the parameter that the system was passed as.
    """
    if own.human is not None:
        expected = f"None, since {of} is a report that has people's labels"
        raise invalid(parameter, function, expected, "others")
    given = read_scores(human, parameter, function)
    if own.options is not None and given.options is not None:
        check_options(of, own.options, given.options, own.names or (), parameter, function)
    for name in ("sample_weight", "clusters"):
        if getattr(given, name) is not None and getattr(own, name) is None:
            expected = f"a report without `{name}`, since {of} has none"
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
    reports = {"report": report} | ({} if baseline is None else {"baseline": baseline})
    parts = _parts_of(human, [*reports], function)
    found = []
    for (of, own), (parameter, part) in zip(reports.items(), parts.items(), strict=True):
        [given] = as_reports({parameter: part}, None, "score", function).values()
        scores = _with_human(read_scores(own, of, function), given, parameter, of, function)
        assert scores.human is not None
        found.append(own._with_human(dict(zip(own, scores.human.T, strict=True))))
    return found[0], None if baseline is None else found[1]


def _parts_of(human: Any, systems: Sequence[str], function: str) -> dict[str, Any]:
    """Return what people's labels give by parameter, for each of one or two systems."""
    if len(systems) == 1:
        return {"human": human}
    if not isinstance(human, (tuple, list)) or len(human) != len(systems):
        expected = f"a pair of what people's labels give, for {' and '.join(systems)}"
        raise invalid("human", function, expected, describe(human))
    return {f"human[{place}]": part for place, part in enumerate(human)}


def _columns(
    own: QueryValues, given: QueryValues, parameter: str, of: str, function: str
) -> list[int]:
    """Return the columns of people's scores that belong to those of the model's."""
    n_columns = own.values.shape[1]
    if given.are_named and given.names and own.are_named and own.names:
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


def _places(own: QueryValues, given: QueryValues, parameter: str, of: str, function: str) -> Ints:
    """Return where people's score of each query is, by ids or by position, or -1."""
    are_indexed = own.indexed is not None and given.indexed is not None
    ids, own_ids = (scores.ids if are_indexed else scores.known_ids() for scores in (given, own))
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


def labels_of(given: ScoredSystems, function: str) -> BothLabels:
    """Return the scores of one system, or the differences of two, second minus first."""
    systems = given.systems.values()
    models = [own.values for own in systems]
    humans = [own.human for own in systems if own.human is not None]
    are_others = np.isnan(humans[0]) != np.isnan(humans[-1])
    if are_others.any():
        place = int(np.flatnonzero(are_others.any(axis=1))[0])
        ids = given.ids
        query = f"at position {place}" if ids is None else show_some(ids[place : place + 1])
        expected = "two sets of scores of the same queries"
        raise invalid("human", function, expected, f"query {query} in only one of them")
    scores = np.concatenate([*models, *humans])
    are_shares = np.all([own.may_be_shares() for own in systems], axis=0)
    model, human = (subtract(*two[::-1]) if two[1:] else two[0] for two in (models, humans))
    spread = np.fmax.reduce(scores) - np.fmin.reduce(scores)
    are_shares &= are_01(scores) & given.units.are_queries()
    spread[are_shares] = 1  # all of them may be 0, or 1
    return BothLabels(model, human, spread, are_shares, len(models) > 1)


def estimate_means(
    labels: BothLabels, units: Units, settings: SignificanceSettings, shift: float = 0.0
) -> Estimates:
    """Return estimates from columns of scores. `shift` is added to the means that are tested."""
    model, human = labels.model, labels.human
    exponent = exponent_of(np.vstack([model, human, labels.spread]))
    scaled = (np.ldexp(each, -exponent).T for each in (model, human, labels.spread))
    columns = zip(*scaled, labels.are_01.tolist(), strict=True)
    estimates = [_estimate(f, y, float(spread), is_01, units) for f, y, spread, is_01 in columns]
    degrees = _array_of(estimates, "degrees")
    each_human = np.where(np.isnan(model), np.nan, human)
    error = np.where(degrees > 0, _array_of(estimates, "error"), np.nan)
    summary = Summary(
        **{name: _array_of(estimates, name) for name in ("n_queries", "n_effective", "deviation")},
        n_units=degrees + 1,
        mean=_array_of(estimates, "mean") + np.ldexp(shift, -exponent),
        error=error,
        error_of_t=error,
        wins=(each_human > 0).sum(axis=0),
        draws=(each_human == 0).sum(axis=0),
        losses=(each_human < 0).sum(axis=0),
    )
    settings = settings._replace(test="t")
    verdict = run_test(Differences(human, units), with_human_units(summary), settings)
    powers = np.ldexp(1.0, exponent).tolist()
    estimates = [
        one._replace(**{name: getattr(one, name) * power for name in _IN_SCORES})
        for one, power in zip(estimates, powers, strict=True)
    ]
    summary, verdict = summary.times(exponent), verdict.times(exponent)
    found = Estimates(estimates, summary, verdict, settings.level)
    are_shares = labels.are_01 & (degrees > 0)
    if are_shares.any():
        by_shares = found.verdict_on_shares()
        if labels.are_differences:
            by_shares = score_test(found.pairs(), settings, shift)
        found = found._replace(verdict=TestResult(*np.where(are_shares, by_shares, verdict)))
    return found


def _estimate(f: Floats, y: Floats, spread: float, is_01: bool, units: Units) -> Estimate:
    """Return what the scores by the model's labels, f, and by people's, y, say about the mean."""
    is_human = ~np.isnan(f) & ~np.isnan(y)
    is_other = ~np.isnan(f) & ~is_human
    n_human, n_queries = int(is_human.sum()), int(is_human.sum() + is_other.sum())
    if not n_human:
        unknown: dict[str, Any] = dict.fromkeys(Estimate._fields, math.nan)
        counts = {"degrees": 0.0, "bias_degrees": 0.0, "n_human": 0, "n_effective": 0.0}
        return Estimate(**unknown | counts | {"n_queries": n_queries, "is_01": is_01})
    own = units.take(is_human)
    people = own.values(np.column_stack([y, f])[is_human])
    mean, mean_f = people.mean().tolist()
    n_units = _count(people)
    (var, cov), (_, var_f) = _covariance(people)
    unseen = _variance_unseen(people, n_units, spread)
    weight, mean_other, var_other, n_others = 0.0, math.nan, math.nan, 0.0
    if is_other.any():
        others = units.take(is_other).values(f[is_other, np.newaxis])
        [mean_other], n_others = others.mean().tolist(), _count(others)
        [[var_other]] = _covariance(others)
    is_fitted = n_units > 2 and n_others > 1 and var_f > 0
    error = math.sqrt(var)
    if is_fitted:
        # The variance of y - f is var - 2 cov + var_f.
        weight = min(max((cov - unseen / 2) / (var_f * (1 + n_units / n_others)), 0.0), 1.0)
        mean += weight * (mean_other - mean_f)
        variance = _covariance(people, weight)[0, 0] + weight * unseen
        error = math.sqrt(variance + weight**2 * var_other)
    square = np.average((y[is_human] - people.mean()[0]) ** 2, weights=own.weight)
    spread = math.sqrt(var * var_f)
    return Estimate(
        mean=mean,
        error=error,
        degrees=n_units - 1 - is_fitted,
        weight=weight,
        correlation=min(max(cov / spread, -1.0), 1.0) if spread > 0 else math.nan,
        bias=mean_f - people.mean()[0].item(),
        bias_error=math.sqrt(_covariance(people, 1.0)[0, 0] + unseen),
        bias_degrees=n_units - 1,
        worth=n_human * var / error**2 if error > 0 else n_human if is_01 else math.nan,
        pvalue=_welch((mean_f, var_f, n_units), (mean_other, var_other, n_others)),
        deviation=math.sqrt(square * n_human / (n_human - 1)) if n_human > 1 else math.nan,
        n_human=n_human,
        n_queries=n_queries,
        n_effective=n_units + n_others,
        is_01=is_01,
    )


def _variance_unseen(people: Sample, n_units: float, spread: float) -> float:
    """Return how much larger the variance of the mean of y - f may be, if few are not 0.

    See the docstring of the module.
    """
    errors = subtract(*people.values.T)
    weight = None if people.weight is None else people.weight[:, 0]
    share, mean, square = np.average([errors != 0, errors, errors**2], axis=1, weights=weight)
    n_errors = n_units * share
    if n_units < 2 or n_errors >= _FEW_ERRORS:
        return 0.0
    mean, square = (mean / share, square / share) if n_errors else (0.0, spread**2)
    most = clopper_pearson(n_errors, n_units, _LEVEL_OF_ERRORS)[1]
    variance = (most * square - (most * mean) ** 2) / (n_units - 1)
    return max(float(variance - _covariance(people, 1.0)[0, 0]), 0.0)


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


def verdict_if_one_more_by_people(
    given: ScoredSystems,
    labels: BothLabels,
    settings: SignificanceSettings,
    side: int,
    shift: float = 0.0,
) -> TestResult:
    """Return the verdict on two systems with one imaginary query more, which people judged.

    By their labels, the second system is lower (side 1) or higher (side -1) on it by the whole
    range of the score. By the model's labels, which may miss this, nothing changed. `labels` are
    the differences. Those of scores of 0 and 1 need no such query.
    """
    low, high = ends_of_all(given.systems.values())
    # If a range is unknown, this is NaN, which adds no query.
    largest = np.where(labels.are_01, np.nan, side * (low - high))
    model, human = np.vstack([labels.model, 0 * largest]), np.vstack([labels.human, largest])
    units = given.units.and_one(np.zeros(len(labels.model), np.int64))
    more = labels._replace(model=model, human=human)
    return estimate_means(more, units, settings, shift).verdict


def warn_of_oddities(
    found: Estimates, units: Units, names: Sequence[str] | None, function: str
) -> None:
    """Warn of results that say little, and of those that are undefined."""
    too_few = f"{units.too_few()} by people and by the model"
    are_undefined = np.isnan(found.verdict.pvalue).tolist()
    warn_of_undefined(are_undefined, function, names, too_few)
    for line in found.oddities(names):
        warn_caller(f"{function}: {line}.", UserWarning)


def means_with_human(given: ScoredSystems, level: float, function: str) -> Estimates:
    """Return what both kinds of labels say about the mean of each column of one system."""
    [own] = given.systems.values()
    settings = SignificanceSettings("t", "two-sided", level, n_resamples=0, seed=0)
    found = estimate_means(labels_of(given, function), given.units, settings)
    low, high = own.in_range(np.array([found.verdict.low, found.verdict.high]))
    return found._replace(verdict=found.verdict._replace(low=low, high=high))


def interval_with_human(given: ScoredSystems, level: float, function: str) -> ConfidenceInterval:
    """Return the interval of the mean of each column, by both kinds of labels, with warnings."""
    [own] = given.systems.values()
    found = means_with_human(given, level, function)
    warn_of_oddities(found, given.units, own.names, function)
    (_, low, high, _), summary = found.verdict, found.summary
    columns = (summary.mean, low, high, summary.error, summary.n_queries, summary.n_effective)
    methods = ["ppi-share" if one.is_01 else "ppi" for one in found.estimates]
    human = found.labels(None if own.is_single else own.names)
    return interval_from(given, columns, methods, level, human)


def compare_with_human(
    given: ScoredSystems, settings: SignificanceSettings, margin: float | None, function: str
) -> Comparison:
    """Return the comparison of two systems by both kinds of labels, with warnings."""
    labels = labels_of(given, function)
    found = estimate_means(labels, given.units, settings)
    warn_of_oddities(found, given.units, ["b - a"], function)
    summary, verdict = found.summary, found.verdict
    margin_values: dict[str, float | None] = dict.fromkeys(MARGIN_KEYS)
    if margin is not None:
        pvalues = []
        for side, alternative in ((1, "greater"), (-1, "less")):
            moved, one_sided = side * margin, settings._replace(alternative=alternative)
            alone = estimate_means(labels, given.units, one_sided, moved).verdict
            with_one = verdict_if_one_more_by_people(given, labels, one_sided, side, moved)
            pvalues.append(np.fmax(alone.pvalue, with_one.pvalue)[0].item())
        values = (margin, pvalues[0], max(pvalues))
        margin_values = dict(zip(MARGIN_KEYS, values, strict=True))
    titles = next((each.names for each in given.systems.values() if each.names is not None), None)
    columns = numbers_of(summary, verdict, len(labels.model))
    columns["detectable_difference"] = detectable(with_human_units(summary), settings)
    return Comparison._of(
        **{name: column[0].item() for name, column in columns.items()},
        **margin_values,
        system_a="a",
        system_b="b",
        metric=None if titles is None else titles[0],
        group=None,
        n_clusters=None if given.units.cluster is None else given.units.n_clusters,
        test="ppi-share" if labels.are_01[0] else "ppi",
        alternative=settings.alternative,
        correction=None,
        confidence_level=settings.level,
        difference_per_query=read_only(labels.model[:, 0]),
        query_ids=None if given.ids is None else read_only(given.ids),
        human=found.labels(None),
    )
