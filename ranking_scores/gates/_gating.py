"""The conditions of a gate: whether the means of a report are high enough, and did not drop."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ranking_scores._base._by_id import are_same_ids, match_ids
from ranking_scores._base._errors import invalid, show_id, show_names, show_some, warn_caller
from ranking_scores._base._exact import limit_over_groups, mean_over_groups
from ranking_scores._base._ids import ids_as_objects
from ranking_scores._base._query_values import MACRO
from ranking_scores._base._results import as_cell, count_queries
from ranking_scores.gates._conditions import (
    BOTH,
    DIFFERENCE,
    FAILED,
    PASSED,
    UNDECIDED,
    Condition,
    GateResult,
    Limits,
    Requirements,
    Rule,
)
from ranking_scores.significance._comparing import (
    rows_of,
    tests_of,
    verdict_if_one_more,
    verdicts_of,
)
from ranking_scores.significance._comparisons import describe_few_changes
from ranking_scores.significance._human_labels import (
    Estimates,
    add_human,
    estimate_means,
    labels_of,
    means_with_human,
    verdict_if_one_more_by_people,
)
from ranking_scores.significance._intervals import (
    ALL_EQUAL,
    IntervalMethod,
    are_points,
    interval_and_units,
    limit_if_skewed,
    skewness_of_means,
)
from ranking_scores.significance._readers import (
    COMPARE_BOTH,
    RankingReport,
    read_reports,
    reports_of_both,
)
from ranking_scores.significance._results import HumanLabels, span
from ranking_scores.significance._systems import ScoredSystems, check_options
from ranking_scores.significance._tests import (
    PairedCounts,
    PlannedComparison,
    SignificanceSettings,
    Summary,
    TestResult,
    alpha_of,
    variance_if,
)
from ranking_scores.significance._units import (
    ROUNDING,
    ComparedPairs,
    degrees_of_freedom,
    describe_few,
    subtract,
)

Floats = NDArray[np.float64]

_POWER = 0.8
"""The probability with which the queries that are needed decide."""
_SAME_QUERIES = "Evaluate both on the same queries, or save a new baseline."
_SAME_GROUPS = "Evaluate both with the same groups, or check all queries together."


class _QueryGroup(NamedTuple):
    """The queries that some conditions are about: all, or those of a group."""

    grouping: str | None
    group: Any
    report: RankingReport
    baseline: RankingReport | None
    parts: Sequence[_QueryGroup] = ()
    """The groups, if the conditions are about the mean over these."""

    def asked(self, limits: Limits) -> Limits:
        """Return the limits that are about this, by the names of results."""
        names = {name: name.removeprefix(MACRO) for name in limits if name not in self.report}
        names = names if self.parts else {name: name for name in limits if name in self.report}
        return {own: limits[name] for name, own in names.items()}


class _MeanChange(NamedTuple):
    """The difference of a result from the baseline, on the queries on which both have a score."""

    difference: float
    low: float | None = None
    high: float | None = None
    deviations: tuple[float, float] = (math.nan, math.nan)
    """The standard deviation of the differences of queries, as seen from each limit."""
    n_with_one: tuple[float, float] | None = None
    """The number of queries and their effective number, if one imaginary query more makes the
    interval wider: by people's labels, or since no query changed, and t has no other spread."""
    n_in_one: int = 0
    """The number of queries that have a score in only one of the reports."""
    odd: str = ""
    """In words, why the interval says little. Empty if it does not."""
    few: str = ""
    """In words, that the effective units are so few that no interval can be trusted."""
    human: HumanLabels | None = None
    """What people's labels of some of the queries say about the change."""
    narrow: tuple[float, float] | None = None
    """The limits of the interval that is not wider for one imaginary query more."""


class _LimitedDrop(NamedTuple):
    """A change, and how far it may go down, or up if lower is better."""

    name: str
    limit: float
    is_upward: bool
    """Whether a higher mean is better."""
    mean: float
    baseline_mean: float
    change: _MeanChange

    def room(self, difference: float) -> float:
        """Return by how much a difference is better than the worst allowed one.

        A number of a few roundings becomes 0.
        """
        room = self.limit + (difference if self.is_upward else -difference)
        slack = ROUNDING * max(abs(self.mean), abs(self.baseline_mean), self.limit)
        return 0.0 if abs(room) <= slack else room

    @property
    def is_worse(self) -> bool:
        """Whether the mean moved in the worse direction."""
        difference = self.change.difference
        return difference < 0 if self.is_upward else difference > 0

    @property
    def called(self) -> str:
        """The change for the worse, in a word."""
        return "drop" if self.is_upward else "rise"

    @property
    def is_undefined(self) -> bool:
        """Whether one of the means or their difference is undefined."""
        return math.isnan(self.mean + self.baseline_mean + self.change.difference)

    def verdict(self, rule: Rule) -> str:
        """Return the verdict: NaN fails, and an interval around the limit is undecided."""
        change = self.change
        if self.is_undefined:
            return FAILED
        if change.low is None or change.high is None or rule.name == DIFFERENCE:
            return FAILED if self.room(change.difference) < 0 else PASSED
        return _verdict_of(change.few, self.room(change.low), self.room(change.high))

    def reason(self, verdict: str, rule: Rule, n_needed: float | None) -> str:
        """Return the reason for the verdict, in words."""
        if self.is_undefined:
            means = {"the mean": self.mean, "the mean of the baseline": self.baseline_mean}
            which = [name for name, mean in means.items() if math.isnan(mean)]
            verb = "are" if len(which) > 1 else "is"
            return f"{' and '.join(which) or 'the difference'} {verb} undefined"
        size, limit = as_cell(abs(self.change.difference)), f"{self.limit:g}"
        unchanged = "the mean did not change", "people's labels show no change of the mean"
        moved = unchanged[self.change.human is not None]
        if self.change.difference:
            moved = f"{'rose' if self.change.difference > 0 else 'fell'} by {size}"
        if verdict == UNDECIDED:
            what = f"the {self.called} is above {limit}"
            is_by_people = self.change.human is not None
            return f"{moved}: {_too_few(what, self.change.few, n_needed, is_by_people)}"
        if not self.is_worse:
            return moved
        surely = "" if rule.name == DIFFERENCE else "surely "
        return f"{moved}, {surely}{'more' if verdict == FAILED else 'no more'} than {limit}"

    def count_needed(self, level: float) -> float:
        """Return the number of queries that would decide if the change stays as it is."""
        change, room = self.change, self.room(self.change.difference)
        if change.few:
            return math.nan
        is_above = (room > 0) == self.is_upward
        n_needed = _count_needed(abs(room), change.deviations[0 if is_above else 1], level)
        limit = change.low if is_above else change.high
        if change.n_with_one and limit is not None and room:
            width = abs(change.difference - limit)
            n_with_one = _count_with_one(abs(room), width, *change.n_with_one, level)
            return n_with_one if change.human is None else max(n_with_one, n_needed)
        return n_needed


class _LimitedMean(NamedTuple):
    """The mean of a result, and how low it may be, or how high if lower is better."""

    name: str
    limit: float
    is_upward: bool
    """Whether a higher mean is better."""
    mean: float
    low: float | None = None
    high: float | None = None
    deviation: float = math.nan
    """The standard deviation of the scores of queries."""
    odd: str = ""
    """In words, why the interval says little. Empty if it does not."""
    few: str = ""
    """In words, that the effective units are so few that no interval can be trusted."""
    human: HumanLabels | None = None
    """What people's labels of some of the queries say about the mean."""

    def room(self, mean: float) -> float:
        """Return by how much a mean is better than the worst one that passes.

        A number of a few roundings becomes 0.
        """
        room = mean - self.limit if self.is_upward else self.limit - mean
        return 0.0 if abs(room) <= ROUNDING * max(abs(mean), abs(self.limit)) else room

    def verdict(self) -> str:
        """Return the verdict: NaN fails, and an interval around the limit is undecided."""
        if math.isnan(self.mean):
            return FAILED
        if self.low is None or self.high is None:
            return FAILED if self.room(self.mean) < 0 else PASSED
        return _verdict_of(self.few, self.room(self.low), self.room(self.high))

    def reason(self, verdict: str, asked: str, n_needed: float | None) -> str:
        """Return the reason for the verdict on what is asked, in words."""
        if math.isnan(self.mean):
            return "the mean is undefined"
        beyond = f"{'below' if self.is_upward else 'above'} {self.limit:g}"
        if verdict == UNDECIDED:
            few = _too_few(f"it is {beyond}", self.few, n_needed, self.human is not None)
            return f"the mean is {as_cell(self.mean)}: {few}"
        surely = "" if self.low is None else "surely "
        return f"{as_cell(self.mean)} is {surely}{beyond if verdict == FAILED else asked}"


def _verdict_of(few: str, *rooms: float) -> str:
    """Return the verdict, from by how much each limit is better than the worst that passes.

    If there are few units, the interval may be too short, so that nothing is sure.
    """
    if max(rooms) < 0 and not few:
        return FAILED
    return PASSED if min(rooms) >= 0 and not few else UNDECIDED


def _count_needed(distance: float, deviation: float, level: float) -> float:
    """Return the number of queries that would tell a mean from a limit at this distance."""
    one_sided = 1 - alpha_of(level) / 2
    settings = SignificanceSettings("t", "greater", one_sided, n_resamples=0, seed=0)
    return PlannedComparison(distance, deviation, settings).count_needed(_POWER)


def _count_with_one(
    room: float, width: float, n_queries: float, n_effective: float, level: float
) -> int:
    """Return the number of unchanged queries with which the limit of t is at most `room` from 0.

    It is `width` from 0 for so many queries. One imaginary query more that changes by r gives a
    mean and a standard error of r / (n + 1), so the limit is r (1 + t) / (n + 1).
    """

    def width_of_one(n: float) -> float:
        return float(1 + stdtrit(degrees_of_freedom(n + 1), (1 + level) / 2)) / (n + 1)

    most = width / width_of_one(n_effective)
    highest = math.ceil(n_effective)
    while most * width_of_one(highest) > room:
        highest *= 2
    candidates = range(1, highest + 1)
    n_needed = candidates[
        bisect.bisect_left(candidates, True, key=lambda n: most * width_of_one(n) <= room)
    ]
    return math.ceil(n_needed * (n_queries / n_effective))


def _too_few(what: str, few: str, n_queries: float | None, is_by_people: bool) -> str:
    """Return that too few queries tell so, and how many would decide if that is known."""
    if few:
        return f"too few to tell if {what}: {few}"
    text = f"too few queries to tell if {what}"
    if n_queries is None or math.isnan(n_queries):
        return text
    if math.isinf(n_queries):
        return f"{text}, and more would not help, since it is exactly that"
    return f"{text}, {n_queries}{' judged by people' * is_by_people} would do"


def run_gate(
    report: RankingReport,
    baseline: RankingReport | None,
    required: Requirements,
    rule: Rule,
    function: str,
) -> GateResult:
    """Return the verdict on a report. Warn if it and the baseline rest on other judgments."""
    sides = list(_sides(report, baseline, required.groupings, required, function))
    for grouping in required.macro:
        _, *parts = _sides(report, baseline, (grouping,), required, function)
        sides.append(_QueryGroup(grouping, None, report, baseline, parts))
    limits = required.at_least, required.max_drop
    level = rule.level_of_each(sum(len(side.asked(own)) for side in sides for own in limits))
    notes = [] if baseline is None else _notes_on_baseline(report, baseline, required, function)
    notes += _notes_on_queries(report, "report")
    conditions = []
    for side in sides:
        for mean in _means(side, side.asked(required.at_least), rule, level, function):
            condition = _reach(side, mean, level)
            conditions.append(condition)
            if mean.odd:
                notes.append(f"{condition._name()}: {mean.odd}")
    for side in (_of_both(each, required, function) for each in sides):
        lacking = [each for each in (side, *side.parts) if each.baseline is None]
        if required.max_drop:
            why = "no drop, since no query has this group in both"
            notes += [f"{each.grouping}={each.group}: {why}" for each in lacking]
        for drop in _drops(side, side.asked(required.max_drop), rule, level, function):
            condition = _keep(side, drop, rule, level)
            conditions.append(condition)
            if drop.change.odd and (rule.name != DIFFERENCE or drop.change.human is not None):
                notes.append(f"{condition._name()}: {drop.change.odd}")
    counts = {condition.human.n_queries for condition in conditions if condition.human is not None}
    if counts:
        by = f"people's labels of {span([*counts])} queries"
        notes.append(f"means and differences are corrected by {by}, each by itself")
    verdicts = {condition.verdict for condition in conditions}
    return GateResult._of(
        passed=FAILED not in verdicts and (UNDECIDED not in verdicts or rule.undecided == "pass"),
        conditions=tuple(conditions),
        rule=rule.name,
        undecided=rule.undecided,
        confidence_level=rule.level,
        n_runs=rule.n_runs,
        level_of_each=level,
        notes=tuple(dict.fromkeys(notes)),
    )


def update_baseline(
    result: GateResult,
    path: str,
    report: RankingReport,
    baseline: RankingReport,
    required: Requirements,
    function: str,
) -> GateResult:
    """Return the result of a gate with a note about the baseline.

    The report takes its place if it passed and no score fell by more than its limit, or by
    anything if it has none.
    """
    why = _why_no_update(result, report, baseline, required, function)
    note = f"baseline {path}: not written, since {why}"
    if not why:
        report._with_history(baseline).to_json(path)
        counts = f"{count_queries(report.n_queries)}, before of {baseline.n_queries}"
        note = f"baseline {path}: written, with the scores of {counts}"
    return GateResult._of(**vars(result) | {"notes": (*result.notes, note)})


def _why_no_update(
    result: GateResult,
    report: RankingReport,
    baseline: RankingReport,
    required: Requirements,
    function: str,
) -> str:
    """Return why a report may not take the place of the baseline. Empty if it may."""
    if not result.passed:
        return "the gate failed"
    lost = [name for name in baseline if name not in report]
    lost += [name for name in baseline.by_group if name not in report.by_group]
    lost += ["per_query"] * (baseline.has_values() > report.has_values())
    if lost:
        return f"the report lacks {show_names(lost)}"
    limits = {name: required.max_drop.get(name, 0.0) for name in baseline}
    level, all_drops = result.confidence_level, required._replace(max_drop=limits)
    rule = Rule(DIFFERENCE, None, level, 1)
    for side in _sides(report, baseline, required.groupings, required, function):
        for drop in _drops(_of_both(side, all_drops, function), limits, rule, level, function):
            if drop.verdict(rule) == FAILED:
                return f"{drop.name} {drop.reason(FAILED, rule, None)}"
    return ""


def _sides(
    report: RankingReport,
    baseline: RankingReport | None,
    groupings: tuple[str, ...],
    required: Requirements,
    function: str,
) -> Iterator[_QueryGroup]:
    """Yield all queries together, and the queries of each group."""
    yield _QueryGroup(None, None, report, baseline)
    for grouping in groupings:
        groups = report.by_group[grouping]
        baseline_groups: Mapping[Any, RankingReport] = {}
        if baseline is not None:
            baseline_groups = baseline.by_group.get(grouping, {})
            missing = [group for group in groups if group not in baseline_groups]
            others = [group for group in baseline_groups if group not in groups]
            if (missing or others) and not (required.queries == BOTH and baseline_groups):
                if grouping not in baseline.by_group:
                    expected = f"a report with the grouping {show_id(grouping)}"
                    known = show_names(baseline.by_group) or "none"
                    raise invalid("baseline", function, expected, known, _SAME_GROUPS)
                expected = f"a report with the same groups of {show_id(grouping)} as the report"
                found = "none for" if missing else "also"
                got = f"{found} {show_id((missing or others)[0])}"
                raise invalid("baseline", function, expected, got, _SAME_GROUPS)
        for group, group_report in groups.items():
            yield _QueryGroup(grouping, group, group_report, baseline_groups.get(group))


def _of_both(side: _QueryGroup, required: Requirements, function: str) -> _QueryGroup:
    """Return the queries that report and baseline have, if that is asked.

    A group without any has no baseline, and is not in the mean over groups.
    """
    if side.baseline is None or required.queries != BOTH:
        return side
    if side.parts:
        parts = [_of_both(each, required, function) for each in side.parts]
        if all(each.baseline is None for each in parts):
            expected = "a report that has queries of the baseline in one of its groups"
            raise invalid(
                "report", function, expected, f"none in those of {show_id(side.grouping)}"
            )
        return side._replace(parts=parts)
    reports = {"report": side.report, "baseline": side.baseline}
    both, added, _ = reports_of_both(reports, required.dropping(), function)
    if not both and side.grouping is None:
        expected, got = "a report that has a query of the baseline", show_some(added[:1])
        raise invalid("report", function, expected, f"only others, such as {got},")
    report, baseline = both or (side.report, None)
    return side._replace(report=report, baseline=baseline)


def _mean_of(found: Estimates | None) -> float:
    """Return the mean of what was found about one result."""
    assert found is not None
    return float(found.summary.mean[0])


def _means(
    side: _QueryGroup, limits: Limits, rule: Rule, level: float, function: str
) -> Iterator[_LimitedMean]:
    """Yield the mean of each of some results, with its limit, and its interval if it decides."""
    if side.parts:
        of_parts = [_means(each, limits, rule, level, function) for each in side.parts]
        for means in zip(*of_parts, strict=True):
            first = means[0]._replace(name=f"{MACRO}{means[0].name}", deviation=math.nan)
            yield first._replace(**_over_groups(side.parts, means, "mean"))
        return
    report = side.report
    has_interval = rule.name != DIFFERENCE and bool(limits)
    if has_interval:
        _are_paired({"report": report}, rule, function)
        if report.human is None:
            yield from _means_and_intervals(report, limits, level, function)
            return
    estimates = _means_of(report, limits, level, function)
    for (name, limit), found in zip(limits.items(), estimates, strict=True):
        own = _LimitedMean(name, limit, report.greater_is_better(name), report[name])
        if found is not None:
            own = own._replace(mean=_mean_of(found), human=found.labels(None))
        if found is not None and has_interval:
            own = own._replace(
                low=found.verdict.low[0].item(),
                high=found.verdict.high[0].item(),
                deviation=found.estimates[0].deviation_of_queries(limit * (1 - limit)),
                odd="; ".join(found.oddities(None)),
            )
        yield own


def _means_and_intervals(
    report: RankingReport, limits: Limits, level: float, function: str
) -> Iterator[_LimitedMean]:
    """Yield the mean of each of some results, with its limit and its interval."""
    given = read_reports({"report": report}, [*limits], function)
    method = IntervalMethod("auto", level, n_resamples=0, seed=0)
    interval, n_units = interval_and_units(given, method, function)
    is_point, n_effective = are_points(interval), np.asarray(interval.n_effective)
    deviations = np.asarray(interval.standard_error * np.sqrt(interval.n_queries))
    for place, (name, limit) in enumerate(limits.items()):
        deviation = deviations[place].item()
        if interval.method[place] != "t":
            # A share of independent queries has this deviation at the limit.
            at_limit = math.sqrt(max(limit * (1 - limit), 0))
            deviation = max(at_limit, deviation * (not given.units.are_queries()))
        own = slice(place, place + 1)
        few = describe_few(n_effective[own], n_units[own], given.units)
        odd = ALL_EQUAL * bool(is_point[place])
        yield _LimitedMean(
            name,
            limit,
            report.greater_is_better(name),
            report[name],
            low=np.asarray(interval.low)[place].item(),
            high=np.asarray(interval.high)[place].item(),
            deviation=math.nan if few else deviation,
            odd=odd * (not few),
            few=few,
        )


def _means_of(
    report: RankingReport, limits: Limits, level: float, function: str
) -> Sequence[Estimates | None]:
    """Return what people's labels say about the mean of each of some results, if there are any."""
    if report.human is None or not limits:
        return [None] * len(limits)
    given = read_reports({"report": report}, [*limits], function)
    found = means_with_human(add_human(given, None, ["report"], function), level, function)
    return [found.column(place) for place in range(len(limits))]


def _over_groups(
    groups: Sequence[_QueryGroup], parts: Sequence[_LimitedMean | _MeanChange], of: str
) -> dict[str, Any]:
    """Return the mean over groups of what each has, its interval, and what is odd about it."""
    means = [getattr(part, of) for part in parts]
    found = {of: mean_over_groups(means), "odd": "", "few": ""}
    narrow: list[Any] = [getattr(part, "narrow", None) or (part.low, part.high) for part in parts]
    for group, part, mean, (low, _) in zip(groups, parts, means, narrow, strict=True):
        name, is_single = f"{group.grouping}={group.group}", low is not None and math.isnan(low)
        few = "fewer than two queries with a score" if is_single else part.few
        found["few"] = found["few"] or f"{name} has {few}" * bool(few)
        found["odd"] = found["odd"] or f"{name} has no mean" * math.isnan(mean)
    for place, limit in enumerate(("low", "high")):
        limits, inner = [getattr(part, limit) for part in parts], [each[place] for each in narrow]
        found[limit] = None if None in limits else limit_over_groups(means, limits, inner)
    return found


def _reach(side: _QueryGroup, mean: _LimitedMean, level: float) -> Condition:
    """Return the condition that a mean reaches a number."""
    verdict, n_needed = mean.verdict(), None
    asked = f"{'at least' if mean.is_upward else 'at most'} {mean.limit:g}"
    if verdict == UNDECIDED:
        n_needed = _count_needed(abs(mean.room(mean.mean)), mean.deviation, level)
    return Condition._of(
        metric=mean.name,
        grouping=side.grouping,
        group=side.group,
        asked=asked,
        limit=mean.limit,
        mean=mean.mean,
        **dict.fromkeys(("baseline_mean", "difference")),
        low=mean.low,
        high=mean.high,
        verdict=verdict,
        reason=mean.reason(verdict, asked, n_needed),
        n_queries_needed=n_needed,
        human=mean.human,
    )


def _drops(
    side: _QueryGroup, limits: Limits, rule: Rule, level: float, function: str
) -> Iterator[_LimitedDrop]:
    """Yield the change of each of some results from the baseline, with its limit."""
    report, baseline = side.report, side.baseline
    if baseline is None or not limits:
        return
    if side.parts:
        parts = [each for each in side.parts if each.baseline is not None]
        of_parts = [_drops(each, limits, rule, level, function) for each in parts]
        for drops in zip(*of_parts, strict=True):
            of_groups = [drop.change for drop in drops]
            change = _MeanChange(**_over_groups(parts, of_groups, "difference"))
            change = change._replace(n_in_one=sum(each.n_in_one for each in of_groups))
            name = f"{MACRO}{drops[0].name}"
            mean, old = (
                mean_over_groups([getattr(drop, of) for drop in drops])
                for of in ("mean", "baseline_mean")
            )
            yield _LimitedDrop(name, drops[0].limit, drops[0].is_upward, mean, old, change)
        return
    _check_queries(side, baseline, function)
    check_options("the baseline", baseline.options, report.options, limits, "report", function)
    reports = {"baseline": baseline, "report": report}
    upward = {name: report.greater_is_better(name) for name in limits}
    means = [(report[name], baseline[name]) for name in limits]
    if _are_paired(reports, rule, function):
        given = add_human(read_reports(reports, [*limits], function), None, [*reports], function)
        borders = np.array([-limit if upward[name] else limit for name, limit in limits.items()])
        if given.has_human():
            estimates = (_means_of(own, limits, level, function) for own in (report, baseline))
            means = [(_mean_of(new), _mean_of(old)) for new, old in zip(*estimates, strict=True)]
            changes = _changes_by_people(given, borders, rule, level, function)
        else:
            changes = _paired_changes(given, borders, rule, level)
    else:
        if report.human is not None:
            expected = "a report with people's labels, like the report"
            raise invalid("baseline", function, expected, "one without the values of each query")
        differences = subtract(*np.array(means).T).tolist()
        changes = map(_MeanChange, differences)
    for (name, limit), pair, change in zip(limits.items(), means, changes, strict=True):
        yield _LimitedDrop(name, limit, upward[name], *pair, change)


def _are_paired(reports: Mapping[str, RankingReport], rule: Rule, function: str) -> bool:
    """Return whether the changes of single queries are known. Raise if the rule needs them."""
    for parameter, report in reports.items():
        expected, got = "the values of each query", "one without them"
        advice = "Save it with the values of each query, which `to_json` does by default."
        if report.has_values():
            if not report._has_item_weights:
                continue
            expected, got = "the same weight of a query in each score", report._origin_of_weights()
            advice = "Take rule='difference'."
        if rule.name != DIFFERENCE:
            expected = f"a report with {expected} if rule={rule.name!r}"
            raise invalid(parameter, function, expected, got, advice)
        return False
    return True


def _paired_changes(
    given: ScoredSystems, borders: Floats, rule: Rule, level: float
) -> Iterator[_MeanChange]:
    """Yield the change of each result, with its interval, which is wider if the rule uses it.

    `borders` are the largest allowed changes.
    """
    settings = SignificanceSettings("auto", "two-sided", level, n_resamples=0, seed=0)
    rows, tests = rows_of(given, "baseline"), tests_of(given, settings, None, "")
    summary, verdict = verdicts_of(rows, settings, tests)
    is_t = tests == "t"
    low, high = narrow = verdict.low, verdict.high
    if rule.name != DIFFERENCE:
        low, high = narrow = _wider(rows, summary, verdict, is_t)
        t_settings = settings._replace(test="t")
        worst, best = (verdict_if_one_more(given, rows, t_settings, side) for side in (1, -1))
        low = np.where(is_t, np.fmin(low, worst.low), low)
        high = np.where(is_t, np.fmax(high, best.high), high)
    # These are the standard deviations with which t has each limit, (2, n_columns).
    t = stdtrit(degrees_of_freedom(summary.n_effective), (1 + level) / 2)
    limits = np.array([low, high])
    deviations = np.abs(limits - summary.mean) / t * np.sqrt(summary.n_queries)
    pairs = PairedCounts(summary.wins, summary.losses, summary.n_queries)
    is_01 = tests == "mcnemar"
    deviations[:, is_01] = np.sqrt(variance_if(pairs, borders))[is_01]
    is_unchanged = is_t & (summary.wins + summary.losses == 0) & np.isfinite(low)
    old, new = (np.isnan(system.values) for system in given.systems.values())
    for place in range(borders.size):
        counts = int(summary.n_queries[place]), float(summary.n_effective[place])
        own = summary.take(np.array([place]))
        few = describe_few(own.n_effective, own.n_units, given.units)
        yield _MeanChange(
            difference=summary.mean[place].item(),
            low=low[place].item(),
            high=high[place].item(),
            deviations=(deviations[0, place].item(), deviations[1, place].item()),
            n_with_one=counts if is_unchanged[place] else None,
            n_in_one=int((old ^ new)[:, place].sum()),
            odd=_oddity(own) * (not few),
            few=few,
            narrow=(narrow[0][place].item(), narrow[1][place].item()),
        )


def _changes_by_people(
    given: ScoredSystems, borders: Floats, rule: Rule, level: float, function: str
) -> Iterator[_MeanChange]:
    """Yield the change of each result by people's labels beside the model's, with its interval.

    `borders` are the largest allowed changes.
    """
    settings = SignificanceSettings("t", "two-sided", level, n_resamples=0, seed=0)
    old, new = (np.isnan(system.values) for system in given.systems.values())
    differences = labels_of(given, function)
    found = estimate_means(differences, given.units, settings)
    low, high = found.verdict.low, found.verdict.high
    if rule.name != DIFFERENCE:
        worst, best = (
            verdict_if_one_more_by_people(given, differences, settings, side) for side in (1, -1)
        )
        low, high = np.fmin(low, worst.low), np.fmax(high, best.high)
        found = found._replace(verdict=found.verdict._replace(low=low, high=high))
    variances = variance_if(found.pairs(), borders)
    for place, estimate in enumerate(found.estimates):
        own, counts = found.column(place), (estimate.n_human, estimate.bias_degrees + 1)
        yield _MeanChange(
            difference=estimate.mean,
            low=low[place].item(),
            high=high[place].item(),
            deviations=(estimate.deviation_of_queries(variances[place].item()),) * 2,
            n_with_one=None if estimate.is_01 else counts,
            n_in_one=int((old ^ new)[:, place].sum()),
            odd="; ".join(own.oddities(None)),
            human=own.labels(None),
        )


def _oddity(summary: Summary) -> str:
    """Return why the interval of a change says little, or nothing."""
    if np.isinf(summary.effect_size).any():
        return "all differences are equal, so the interval has no width"
    n_changes = int(summary.wins[0] + summary.losses[0])
    return describe_few_changes(n_changes, int(summary.n_queries[0]))


def _wider(
    rows: ComparedPairs, summary: Summary, verdict: TestResult, is_t: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Return the limits of the t test, or those that account for skewness where these are wider.

    Limits of other tests stay as they are.
    """
    skewness = skewness_of_means(rows.differences(slice(None)), rows.units)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (verdict.high - verdict.low) / summary.error_of_t / 2
    is_spread = is_t & (summary.error_of_t > 0)
    t, skewness = (np.where(is_spread, value, 0.0) for value in (t, skewness))
    given = summary.mean, summary.error_of_t, skewness
    low = np.where(is_spread, limit_if_skewed(*given, t), np.inf)
    high = np.where(is_spread, limit_if_skewed(*given, -t), -np.inf)
    return np.minimum(verdict.low, low), np.maximum(verdict.high, high)


def _check_queries(side: _QueryGroup, baseline: RankingReport, function: str) -> None:
    """Raise unless two reports have the same queries, as far as that is known."""
    report = side.report
    which = "" if side.grouping is None else f" in {side.grouping}={side.group}"
    ids, expected_ids = (getattr(own, "query_ids", None) for own in (report, baseline))
    if ids is not None and expected_ids is not None and not are_same_ids(ids, expected_ids):
        _, missing, others, _ = match_ids(ids, expected_ids)
        if missing.size or others.size:
            got = f"none for {show_some(missing)}" if missing.size else f"also {show_some(others)}"
            called = f"queries{which} as the baseline, by their ids"
            expected = f"of the same {len(expected_ids)} {called}"
            raise invalid("report", function, expected, got, _SAME_QUERIES, code=COMPARE_BOTH)
    if report.n_queries != baseline.n_queries:
        expected = f"of the same {baseline.n_queries} queries{which} as the baseline"
        raise invalid("report", function, expected, f"{report.n_queries} queries", _SAME_QUERIES)


def _keep(side: _QueryGroup, drop: _LimitedDrop, rule: Rule, level: float) -> Condition:
    """Return the condition that a mean did not drop by more than a number."""
    verdict = drop.verdict(rule)
    n_needed = drop.count_needed(level) if verdict == UNDECIDED else None
    reason = drop.reason(verdict, rule, n_needed)
    best, worst = side.report.best, None if side.baseline is None else side.baseline.worst
    if drop.is_worse and best and worst and drop.name in best:  # not of a mean over groups
        new, old = best[drop.name], worst[drop.name]
        # The best order of tied items may be as good as the worst one in the baseline.
        if new >= old if drop.is_upward else new <= old:
            reason += f"; the {drop.called} lies within the range of tie orders"
    if drop.change.n_in_one:
        count = count_queries(drop.change.n_in_one)
        reason += f"; {count} with a score in one report only left out"
    return Condition._of(
        metric=drop.name,
        grouping=side.grouping,
        group=side.group,
        asked=f"{drop.called} of at most {drop.limit:g}",
        limit=drop.limit,
        mean=drop.mean,
        baseline_mean=drop.baseline_mean,
        difference=drop.change.difference,
        low=drop.change.low,
        high=drop.change.high,
        verdict=verdict,
        reason=reason,
        n_queries_needed=n_needed,
        human=drop.change.human,
    )


def _notes_on_baseline(
    report: RankingReport, baseline: RankingReport, required: Requirements, function: str
) -> list[str]:
    """Return what is odd about the baseline, and warn if it rests on other judgments."""
    notes = []
    new, old = (getattr(own.judgments, "digest", None) for own in (report, baseline))
    are_other = None not in (new, old) and new != old
    is_both = required.queries == BOTH
    n_anew = report._count_judged_anew(baseline) if are_other or is_both else None
    are_other = bool(n_anew) or (are_other and n_anew is None and not is_both)
    if is_both:
        reports = {"report": report, "baseline": baseline}
        _, added, gone = reports_of_both(reports, required.dropping(), function)
        anew = "not told by the reports" if n_anew is None else n_anew
        listed = [
            f"{name}: {ids.size}" + f" ({show_some(ids)})" * bool(ids.size)
            for name, ids in (("new", added), ("gone", gone))
        ]
        count = f"queries in both: {report.n_queries - added.size}"
        notes.append("; ".join([count, *listed, f"judged anew: {anew}"]))
        for grouping in dict.fromkeys((*required.groupings, *required.macro)):
            sides = ((of.query_ids, of._groups[grouping]) for of in cast(Any, (baseline, report)))
            was, now = (dict(zip(*map(ids_as_objects, each), strict=True)) for each in sides)
            n_moved = sum(was.get(each, group) != group for each, group in now.items())
            moved = f"{count_queries(n_moved)} of another {grouping} in the baseline"
            notes += [f"{moved}: left out of the drops of groups"] * (n_moved > 0)
    if are_other:
        of = "" if n_anew is None else f" of {count_queries(n_anew)}"
        text = f"report and baseline rest on different judgments{of}, so a change may come from "
        text += "these"
        warn_caller(f"{function}: {text}.", UserWarning)
        notes.append(text)
    if report.inputs and baseline.inputs:
        are_same = {name: text == report.inputs[name] for name, text in baseline.inputs.items()}
        words = [f"{'same' if own else 'other'} {name}" for name, own in are_same.items()][1:]
        notes.append(f"baseline {baseline.inputs['files']}: {', '.join(words)}")
    have_ids = [getattr(own, "query_ids", None) is not None for own in (report, baseline)]
    if report.has_values() and baseline.has_values() and have_ids[0] != have_ids[1]:
        which = "baseline" if have_ids[0] else "report"
        notes.append(f"the queries are paired by position, since the {which} has no ids")
    for name, limit in required.max_drop.items():
        if name not in report:  # a mean over groups
            continue
        sign = 1 if report.greater_is_better(name) else -1
        past = [each for each in baseline.history if math.isfinite(each.mean.get(name, math.nan))]
        best = max(past, key=lambda each: sign * each.mean[name], default=None)
        if best is not None and sign * (best.mean[name] - report[name]) > limit:
            of = ", ".join(filter(None, (best.date, count_queries(best.n_queries))))
            notes.append(f"{name}: its best mean was {as_cell(best.mean[name])} ({of})")
    return notes + _notes_on_queries(baseline, "baseline")


def _notes_on_queries(report: RankingReport, name: str) -> list[str]:
    """Return which queries were only judged or only predicted."""
    return [f"{name}: {line}" for line in report._lines_about_tables()]
