"""The conditions of a gate: what is asked of a report, and what was found."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ranking_scores._base._errors import invalid, show_id, show_names
from ranking_scores._base._query_values import MACRO
from ranking_scores._base._results import (
    SHOWN,
    Column,
    ResultTable,
    TabularResult,
    as_percent,
    columns_of,
    frame_of,
    table_of,
    value_of,
)
from ranking_scores._base._validation import check_option, check_real, describe
from ranking_scores.significance._readers import RankingReport, find_result
from ranking_scores.significance._results import HumanLabels
from ranking_scores.significance._tests import alpha_of, check_count

DIFFERENCE = "difference"
_SURELY_WORSE = "surely worse"
BOTH = "both"
RULES = (DIFFERENCE, _SURELY_WORSE, "surely not worse")
_MOST_RUNS = 10**6
"""For more runs, a level of each interval may be 1 except for rounding."""
_IF_UNDECIDED = {_SURELY_WORSE: "pass", "surely not worse": "fail"}

Limits = Mapping[str, float]
"""A number for each of some results."""


class Rule(NamedTuple):
    """When a mean or a drop fails."""

    name: str
    undecided: str | None
    """Whether undecided conditions pass. None: the rule always decides."""
    level: float
    """The confidence level."""
    n_runs: int
    """The number of gates that have this level together."""

    def level_of_each(self, n_conditions: int) -> float:
        """Return the level of each interval, so that together they are wrong as seldom."""
        n_tests = self.n_runs * (n_conditions if self.name == _SURELY_WORSE else 1)
        return self.level if n_tests < 2 else 1 - alpha_of(self.level) / n_tests


class Requirements(NamedTuple):
    """What is asked of a report."""

    at_least: Limits
    max_drop: Limits
    groupings: tuple[str, ...]
    queries: str
    """Which queries of report and baseline are compared: "equal" or "both"."""
    macro: tuple[str, ...] = ()
    """The groupings for the limits of means over groups, whose names begin with `MACRO`."""

    def dropping(self) -> list[str]:
        """Return the results whose drops are limited, alone or in a mean over groups."""
        return [*dict.fromkeys(name.removeprefix(MACRO) for name in self.max_drop)]


def check_rule(rule: Any, undecided: Any, level: float, n_runs: Any, function: str) -> Rule:
    """Return the rule."""
    name = check_option(rule, "rule", function, RULES)
    n_runs = check_count("n_runs", n_runs, 1, function)
    if n_runs > _MOST_RUNS:
        raise invalid("n_runs", function, f"an int from 1 to {_MOST_RUNS}", describe(n_runs))
    if name == DIFFERENCE:
        if undecided is not None:
            expected = "None if rule='difference', which always decides"
            raise invalid("undecided", function, expected, describe(undecided))
        if n_runs > 1:
            expected = "1 if rule='difference', which does not look at the interval"
            raise invalid("n_runs", function, expected, describe(n_runs))
        return Rule(name, None, level, 1)
    if undecided is None:
        undecided = _IF_UNDECIDED[name]
    verdict = check_option(undecided, "undecided", function, ("pass", "fail"))
    return Rule(name, verdict, level, n_runs)


def check_requirements(
    report: RankingReport, baseline: RankingReport | None, given: Mapping[str, Any], function: str
) -> Requirements:
    """Return what is asked. `given` has the parameters as they were given."""
    limits = {
        name: {} if given[name] is None else _limits(given[name], name, report, function)
        for name in ("at_least", "max_drop")
    }
    if not any(limits.values()):
        expected = "a number or a dict of numbers if there is no `max_drop`"
        got, code = describe(given["at_least"]), "Pass `at_least`, `max_drop` or both."
        raise invalid("at_least", function, expected, got, code=code)
    has_drops = bool(limits["max_drop"])
    queries = check_option(given["queries"], "queries", function, ("equal", BOTH))
    if queries == BOTH and not has_drops:
        raise invalid("queries", function, "'equal' if there is no `max_drop`", "'both'")
    if has_drops != (baseline is not None):
        expected = "a report or its path" if has_drops else "None"
        why = f"if `max_drop` is {'given' if has_drops else 'left out'}"
        got = "None" if baseline is None else "a report"
        raise invalid("baseline", function, f"{expected} {why}", got)
    for name in limits["max_drop"]:
        name = name if name in report else name.removeprefix(MACRO)
        if baseline is not None and name not in baseline:
            expected = f"a report with the result {show_id(name)}, whose drop is limited"
            got = f"one with {show_names(baseline)}"
            advice = "Limit the drops of the results that both have, by their names."
            raise invalid("baseline", function, expected, got, advice)
    groupings = _groupings(given["by"], report, function)
    asked = Requirements(limits["at_least"], limits["max_drop"], groupings, queries)
    if {*asked.at_least, *asked.max_drop} <= {*report}:
        return asked
    macro = groupings or (*report.by_group,)
    mixed = [show_id(name) for name in macro if report._are_mixed(name)]
    if mixed or (not groupings and len(macro) > 1):
        expected = "the name of a grouping whose groups share no cluster if a limit is 'macro:'"
        known = f"The report has {show_names(macro)}."
        raise invalid("by", function, expected, mixed[0] if mixed else "None", known)
    return asked._replace(macro=macro)


def _limits(given: Any, parameter: str, report: RankingReport, function: str) -> dict[str, float]:
    """Return a number for each of some results, which may be all of them."""
    expected = "a finite number" + " of at least 0" * (parameter == "max_drop")
    both = f"{expected}, or a dict from names of results to such numbers"
    if isinstance(given, Mapping):
        numbers, expected = given, f"a dict whose values are {expected}"
    elif isinstance(given, (str, bytes, Collection)):
        raise invalid(parameter, function, both, describe(given))
    else:
        numbers, expected = dict.fromkeys(report, given), both
    limits: dict[str, float] = {}
    for key, value in numbers.items():
        name = find_result(key, report, parameter, function) if isinstance(key, str) else None
        if name is None and str(key).startswith(MACRO):
            if report.human is not None or not report.by_group:
                expected = "about a report with groups and without `human` if it is 'macro:'"
                raise invalid(parameter, function, expected, show_id(key))
            name = find_result(key.removeprefix(MACRO), report, parameter, function)
            name = name and f"{MACRO}{name}"
        if name is None:
            near = difflib.get_close_matches(str(key), report, n=1)
            advice = f"Did you mean {near[0]!r}?" if near else ""
            if str(key).partition("@")[0] in {name.partition("@")[0] for name in report}:
                advice = f"Make a report with it: ranking_report(..., scores=[{key!r}])."
            known = f"about results of the report, {show_names(report)}"
            raise invalid(parameter, function, known, describe(key), advice)
        if name in limits:
            got = f"{show_id(name)} twice, the second time as {show_id(key)},"
            raise invalid(parameter, function, "a dict with each result once", got)
        limit = check_real(value, parameter, function, expected)
        if not math.isfinite(limit) or (parameter == "max_drop" and limit < 0):
            raise invalid(parameter, function, expected, describe(value))
        limits[name] = limit
    return limits


def _groupings(by: Any, report: RankingReport, function: str) -> tuple[str, ...]:
    """Return the names of groupings of the report."""
    if by is None:
        return ()
    is_several = isinstance(by, Collection) and not isinstance(by, (str, bytes))
    names = tuple(by) if is_several else (by,)
    expected = "None, the name of a grouping of the report, or a list of different names"
    if not names or any(names.count(name) > 1 for name in names):
        raise invalid("by", function, expected, describe(by))
    for name in names:
        if not isinstance(name, str) or name not in report.by_group:
            known = show_names(report.by_group) or "none"
            advice = f"The report has {known}. Pass `by` to what makes it."
            raise invalid("by", function, expected, describe(name), advice)
    return names


PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
_URGENCY = (FAILED, UNDECIDED, PASSED)
"""The order of the rows in print, of which only the first ones are shown if there are many."""
_COLUMNS = (
    Column("metric", title="", kind="name"),
    Column("group", "_group_name", kind="name", is_framed=False),
    *columns_of("grouping", "group", is_printed=False),
    Column("asked", kind="word"),
    Column("limit", is_printed=False),
    *columns_of("mean", "baseline_mean", "difference", "low", "high"),
    Column("verdict", kind="word"),
    Column("reason", is_printed=False),
    Column("n_queries_needed"),
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Condition(TabularResult):
    """One condition of a gate: what was asked of a score, what came, and the verdict.

    A loop over a `GateResult` yields its conditions. Conditions are equal if all their values are.
    NaN equals NaN.

    Attributes
    ----------
    metric : str
        The name of the result in the report, such as "ndcg@10", or "macro:ndcg@10" for its mean
        over the groups of `grouping`.

    grouping : str or None
        The name of the grouping. None for all queries together.

    group : object or None
        The group of queries that the condition is about. None for all queries together, and for
        a mean over groups.

    asked : str
        What was asked, in words, such as "drop of at most 0.01".

    limit : float
        The number in `asked`: that of `at_least` or of `max_drop`.

    mean : float
        The mean of the report.

    baseline_mean : float or None
        The mean of the baseline. None if `asked` is not about a baseline.

    difference : float or None
        The mean of the report minus that of the baseline, over the queries on which both have a
        score. None if `asked` is not about a baseline.

    low : float or None
        The lower limit of the confidence interval of the difference or, without a baseline, of the
        mean. None for a mean under the rule "difference", and without the values of each query.
        NaN for fewer than two queries.

    high : float or None
        The upper limit of this interval.

    verdict : {"passed", "failed", "undecided"}
        The verdict. "undecided" means that there are too few queries to tell.

    reason : str
        The reason for the verdict, in words.

    n_queries_needed : int, float or None
        If the verdict is "undecided", the number of queries that would decide with a probability
        of 80 %, if the difference or the mean and its spread stay as they are. Infinity if it is
        exactly the allowed one, and NaN if the spread is not known, as with fewer than 10
        effective clusters or for a mean over groups. Otherwise None. With people's
        labels, it is the number of queries that they would have to judge.

    human : HumanLabels or None
        What people's labels of some of the queries say about the model's, for the difference or,
        without a baseline, for the mean. The numbers above are then corrected by them. None
        without `human`.
    """

    metric: str
    grouping: str | None
    group: Any
    asked: str
    limit: float
    mean: float
    baseline_mean: float | None
    difference: float | None
    low: float | None
    high: float | None
    verdict: str
    reason: str
    n_queries_needed: float | None
    human: HumanLabels | None

    def _group_name(self) -> str:
        """Return the group in print. It is empty for all queries together."""
        if self.group is None:
            return self.grouping or ""
        return f"{self.grouping}={self.group}"

    def _name(self) -> str:
        """Return the name of the condition in print."""
        return ", ".join(filter(None, (self.metric, self._group_name())))

    def _table(self) -> ResultTable:
        return _table_of([self], [f"{self.verdict}: {self.reason}"])


@dataclass(frozen=True, init=False, eq=False, repr=False)
class GateResult(TabularResult):
    """The result of `ranking_scores.gates.check`: the verdict on a report, condition by condition.

    It is true if the report passed, and false otherwise. A loop over it yields each `Condition`,
    and ``result[0]`` is the first one. It prints as a table, in which the conditions that failed
    come first. Two such results are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    passed : bool
        Whether the report passed.

    conditions : tuple of Condition
        The conditions: those of `at_least`, then those of `max_drop`, of all queries together and
        then of each group.

    rule : str
        The rule: "difference", "surely worse" or "surely not worse".

    undecided : {"pass", "fail"} or None
        Whether undecided conditions pass. None for the rule "difference", which always decides.

    confidence_level : float
        The confidence level that was asked for.

    n_runs : int
        The number of gates that have this level together.

    level_of_each : float
        The confidence level of each interval, which is higher for several runs, and for several
        conditions of the rule "surely worse".

    notes : tuple of str
        What else to know about the numbers, such as other judgments or queries without
        predictions.
    """

    passed: bool
    conditions: tuple[Condition, ...]
    rule: str
    undecided: str | None
    confidence_level: float
    n_runs: int
    level_of_each: float
    notes: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.passed

    def __len__(self) -> int:
        return len(self.conditions)

    def __iter__(self) -> Iterator[Condition]:
        return iter(self.conditions)

    def __getitem__(self, row: int) -> Condition:
        return self.conditions[row]

    def require(self) -> None:
        """Raise an error unless the report passed.

        In a test of pytest, ``check(...).require()`` fails with the table.

        Raises
        ------
        AssertionError
            If the report failed. The message is the table.
        """
        __tracebackhide__ = True  # pytest then shows the line of the test
        if not self.passed:
            raise AssertionError(f"the gate failed\n\n{self!r}")

    def to_frame(self) -> Any:
        """Return the conditions as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per condition, with all its values.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        read = partial(_values_of, self.conditions)
        return frame_of(_COLUMNS, read, "GateResult.to_frame")

    def to_markdown(self) -> str:
        """Return the table in Markdown, such as for a comment on a pull request.

        Returns
        -------
        text : str
            The verdict, the table and the notes, in Markdown as GitHub and GitLab read it.
        """
        return f"**{self._summary()}**\n\n{self._table_of_lines(self._lines()).as_markdown()}"

    def _table(self) -> ResultTable:
        return self._table_of_lines([self._summary(), *self._lines()])

    def _table_of_lines(self, lines: list[str]) -> ResultTable:
        """Return the conditions as a table, with some lines below it."""
        return _table_of(sorted(self, key=lambda row: _URGENCY.index(row.verdict)), lines)

    def _lines(self) -> list[str]:
        """Return why conditions did not pass, and what to know about the numbers."""
        verdicts = (FAILED, UNDECIDED)
        chosen = [row for verdict in verdicts for row in self if row.verdict == verdict]
        lines = [f"{condition._name()}: {condition.reason}" for condition in chosen[:SHOWN]]
        if len(chosen) > SHOWN:
            lines.append(f"... and {len(chosen) - SHOWN} more conditions that did not pass")
        return [*lines, *self._about_rule(), *self.notes]

    def _summary(self) -> str:
        """Return the verdict on all conditions in words."""
        verdicts = [condition.verdict for condition in self]
        n_failed, n_undecided = verdicts.count(FAILED), verdicts.count(UNDECIDED)
        failed = f"{n_failed} of {len(self)} condition{'s' if len(self) > 1 else ''}"
        parts = ["no condition failed" if len(self) == 1 and not n_failed else f"{failed} failed"]
        if n_undecided:
            counts = "count" if n_undecided > 1 else "counts"
            as_what = PASSED if self.undecided == "pass" else FAILED
            parts.append(f"{n_undecided} undecided, which {counts} as {as_what}")
        return f"{'passed' if self.passed else 'failed'}: {', '.join(parts)}"

    def _about_rule(self) -> list[str]:
        """Return the line about the rule and the intervals, if there are any drops."""
        drops = [condition for condition in self if condition.difference is not None]
        with_interval = [condition for condition in self if condition.low is not None]
        if not with_interval:
            return [f"rule {self.rule!r}, without intervals"] if drops else []
        level = as_percent(round(self.level_of_each, 6))
        interval = f"rule {self.rule!r}; {level} intervals"
        if self.rule == "difference":
            return [f"{interval} for information: the rule looks at the difference alone"]
        if drops:
            skewed = "skewness or " * any(drop.human is None for drop in drops)
            interval += (
                f", wider than those of `compare` where {skewed}one more query could matter"
            )
        if self.level_of_each == self.confidence_level:
            return [interval]
        runs = f" in {self.n_runs} runs" if self.n_runs > 1 else ""
        share = as_percent(alpha_of(self.confidence_level) / 2)
        by_chance = f"{runs} by chance in at most {share}"
        if self.rule == "surely not worse":
            worse = "a worse version" if drops else "a mean beyond its limit"
            return [f"{interval}, so that {worse} passes{by_chance}"]
        n_conditions = len(with_interval)
        who = f"{n_conditions} conditions fail" if n_conditions > 1 else "this fails"
        return [f"{interval}, so that {who}{by_chance}"]


def _table_of(conditions: Sequence[Condition], lines: list[str]) -> ResultTable:
    """Return some conditions as a table, without columns that none of them has a value for."""

    def read(name: str) -> list[Any] | None:
        values = _values_of(conditions, name)
        known = [value for value in values if value not in (None, "")]
        if name == "n_queries_needed":
            known = [count for count in known if not math.isnan(count)]
        return values if known else None

    return table_of(_COLUMNS, read, lines)


def _values_of(conditions: Sequence[Condition], name: str) -> list[Any]:
    """Return an attribute of some conditions."""
    return [value_of(condition, name) for condition in conditions]
