"""Checks what is asked of a report: limits of its results, the rule for drops, its groups."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ranking_scores._agreement import find_measure, is_agreement
from ranking_scores._base import check_option, check_real, describe, invalid, show_id, show_names
from ranking_scores._metrics import find_score, is_of_program, split_name
from ranking_scores._statistics._checks import check_count
from ranking_scores._statistics._differences import alpha_of
from ranking_scores.report import RankingReport

DIFFERENCE = "difference"
_SURELY_WORSE = "surely worse"
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

    def of_each(self, n_conditions: int) -> float:
        """Return the level of each interval, so that together they are wrong as seldom."""
        n_tests = self.n_runs * (n_conditions if self.name == _SURELY_WORSE else 1)
        return self.level if n_tests < 2 else 1 - alpha_of(self.level) / n_tests


class Asked(NamedTuple):
    """What is asked of a report."""

    at_least: Limits
    max_drop: Limits
    groupings: tuple[str, ...]


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
        return Rule(name, _IF_UNDECIDED[name], level, n_runs)
    verdict = check_option(undecided, "undecided", function, ("pass", "fail"))
    return Rule(name, verdict, level, n_runs)


def check_asked(
    report: RankingReport,
    baseline: RankingReport | None,
    given: Mapping[str, Any],
    function: str,
) -> Asked:
    """Return what is asked. `given` has `at_least`, `max_drop` and `by` as they were given."""
    limits = {
        name: {} if given[name] is None else _limits(given[name], name, report, function)
        for name in ("at_least", "max_drop")
    }
    if not any(limits.values()):
        expected = "a number or a dict of numbers if there is no `max_drop`"
        got, code = describe(given["at_least"]), "Pass `at_least`, `max_drop` or both."
        raise invalid("at_least", function, expected, got, code=code)
    has_drops = bool(limits["max_drop"])
    if has_drops != (baseline is not None):
        expected = "a report or its path" if has_drops else "None"
        why = f"if `max_drop` is {'given' if has_drops else 'left out'}"
        got = "None" if baseline is None else "a report"
        raise invalid("baseline", function, f"{expected} {why}", got)
    if baseline is not None:
        _check_results(limits["max_drop"], baseline, function)
    return Asked(**limits, groupings=_groupings(given["by"], report, function))


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
        name = _result_of(key, parameter, report, function)
        if name in limits:
            got = f"{show_id(name)} twice, the second time as {show_id(key)},"
            raise invalid(parameter, function, "a dict with each result once", got)
        limit = check_real(value, parameter, function, expected)
        if not math.isfinite(limit) or (parameter == "max_drop" and limit < 0):
            raise invalid(parameter, function, expected, describe(value))
        limits[name] = limit
    return limits


def _result_of(key: Any, parameter: str, report: RankingReport, function: str) -> str:
    """Return the name of a result in a report, from any spelling of it."""
    if isinstance(key, str):
        if key in report:
            return key
        by_spelling = {split_name(name): name for name in report}
        if split_name(key) in by_spelling:
            return by_spelling[split_name(key)]
        if is_of_program(key) or is_agreement(key):
            find = find_measure if is_agreement(key) else find_score
            name = find(key, function, parameter).name
            if name in report:
                return name
    near = difflib.get_close_matches(str(key), report, n=1)
    advice = f"Did you mean {near[0]!r}?" if near else ""
    expected = f"about results of the report, {show_names(report)}"
    raise invalid(parameter, function, expected, describe(key), advice)


def _check_results(names: Collection[str], baseline: RankingReport, function: str) -> None:
    """Raise unless the baseline has some results."""
    for name in names:
        if name not in baseline:
            expected = f"a report with the result {show_id(name)}, whose drop is limited"
            got = f"one with {show_names(baseline)}"
            raise invalid("baseline", function, expected, got, "Save a new baseline.")


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
