"""What a gate found: one condition per score and group, and the verdict on all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ranking_scores._base import as_percent, pandas_for
from ranking_scores._statistics._differences import alpha_of
from ranking_scores._statistics._results import SHOWN, HumanLabels, Result, Table

PASSED, FAILED, UNDECIDED = "passed", "failed", "undecided"
_BY_URGENCY = (FAILED, UNDECIDED, PASSED)
"""The order of the rows in print, of which only the first ones are shown if there are many."""
_NUMBERS = ("mean", "baseline_mean", "difference", "low", "high")
_OF_FRAMES = (
    "metric",
    "grouping",
    "group",
    "asked",
    "limit",
    *_NUMBERS,
    "verdict",
    "reason",
    "n_queries_needed",
)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Condition(Result):
    """One condition of a gate: what was asked of a score, what came, and the verdict.

    A loop over a `GateResult` yields its conditions. Conditions are equal if all their values are.
    NaN equals NaN.

    Attributes
    ----------
    metric : str
        The name of the result in the report, such as "ndcg@10".

    grouping : str or None
        The name of the grouping. None for all queries together.

    group : object or None
        The group of queries that the condition is about. None for all queries together.

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
        exactly the allowed one, and NaN if the spread is not known. Otherwise None. With people's
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
        return "" if self.grouping is None else f"{self.grouping}={self.group}"

    def _name(self) -> str:
        """Return the name of the condition in print."""
        return ", ".join(filter(None, (self.metric, self._group_name())))

    def _table(self) -> Table:
        return _table_of([self], [f"{self.verdict}: {self.reason}"])


@dataclass(frozen=True, init=False, eq=False, repr=False)
class GateResult(Result):
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
        pandas = pandas_for("GateResult.to_frame")
        columns = {name: [getattr(each, name) for each in self] for name in _OF_FRAMES}
        return pandas.DataFrame(columns)

    def to_markdown(self) -> str:
        """Return the table in Markdown, such as for a comment on a pull request.

        Returns
        -------
        text : str
            The verdict, the table and the notes, in Markdown as GitHub and GitLab read it.
        """
        return f"**{self._summary()}**\n\n{self._table_of_lines(self._lines()).as_markdown()}"

    def _table(self) -> Table:
        return self._table_of_lines([self._summary(), *self._lines()])

    def _table_of_lines(self, lines: list[str]) -> Table:
        """Return the conditions as a table, with some lines below it."""
        return _table_of(sorted(self, key=lambda each: _BY_URGENCY.index(each.verdict)), lines)

    def _lines(self) -> list[str]:
        """Return what to know about the numbers."""
        return [*self._reasons(), *self._about_rule(), *self.notes]

    def _summary(self) -> str:
        """Return the verdict on all conditions in words."""
        verdicts = [each.verdict for each in self]
        n_failed, n_undecided = verdicts.count(FAILED), verdicts.count(UNDECIDED)
        of_all = f"{n_failed} of {len(self)} condition{'s' if len(self) > 1 else ''}"
        parts = ["no condition failed" if len(self) == 1 and not n_failed else f"{of_all} failed"]
        if n_undecided:
            counts = "count" if n_undecided > 1 else "counts"
            as_what = PASSED if self.undecided == "pass" else FAILED
            parts.append(f"{n_undecided} undecided, which {counts} as {as_what}")
        return f"{'passed' if self.passed else 'failed'}: {', '.join(parts)}"

    def _reasons(self) -> list[str]:
        """Return the reasons of the conditions that did not pass."""
        verdicts = (FAILED, UNDECIDED)
        chosen = [each for verdict in verdicts for each in self if each.verdict == verdict]
        more = f"... and {len(chosen) - SHOWN} more conditions that did not pass"
        lines = [f"{each._name()}: {each.reason}" for each in chosen[:SHOWN]]
        return [*lines, more] if len(chosen) > SHOWN else lines

    def _about_rule(self) -> list[str]:
        """Return the line about the rule and the intervals, if there are any drops."""
        drops = [each for each in self if each.difference is not None]
        with_interval = [each for each in self if each.low is not None]
        if not with_interval:
            return [f"rule {self.rule!r}, without intervals"] if drops else []
        level = as_percent(round(self.level_of_each, 6))
        interval = f"rule {self.rule!r}; {level} intervals"
        if any(each.human is None for each in drops):
            interval += ", wider if differences are skewed"
        if self.rule == "difference":
            return [f"{interval}, which the rule does not use"]
        if self.level_of_each == self.confidence_level:
            return [interval]
        runs = f" in {self.n_runs} runs" if self.n_runs > 1 else ""
        by_chance = (
            f"{runs} by chance in at most {as_percent(alpha_of(self.confidence_level) / 2)}"
        )
        if self.rule == "surely not worse":
            worse = "a worse version" if drops else "a mean beyond its limit"
            return [f"{interval}, so that {worse} passes{by_chance}"]
        n_conditions = len(with_interval)
        who = f"{n_conditions} conditions fail" if n_conditions > 1 else "this fails"
        return [f"{interval}, so that {who}{by_chance}"]


def _table_of(conditions: list[Condition], lines: list[str]) -> Table:
    """Return some conditions as a table."""
    names = {"": [each.metric for each in conditions]}
    if any(each.grouping is not None for each in conditions):
        names["group"] = [each._group_name() for each in conditions]
    words = {key: [getattr(each, key) for each in conditions] for key in ("asked", "verdict")}
    columns = {key: [getattr(each, key) for each in conditions] for key in _NUMBERS}
    columns = {
        key: column for key, column in columns.items() if any(each is not None for each in column)
    }
    needed = [each.n_queries_needed for each in conditions]
    if any(each is not None and not math.isnan(each) for each in needed):
        columns["queries_needed"] = needed
    return Table(columns, names, lines, words=words)
