"""Reports over time: the means of each score, and which report changed them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, list_some, show_names
from ranking_scores._base._query_values import QueryValues
from ranking_scores._base._results import (
    Column,
    MarkdownResult,
    ResultTable,
    as_percent,
    columns_of,
    pandas_for,
    read_only,
    table_of,
    value_of,
)
from ranking_scores._base._validation import describe
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.significance._comparing import tests_of, verdicts_of
from ranking_scores.significance._intervals import IntervalMethod, interval_and_units, t_interval
from ranking_scores.significance._readers import (
    RankingReport,
    find_result,
    read_all,
    read_folder,
    read_report,
    read_reports,
    with_units,
)
from ranking_scores.significance._systems import QueryParameters, ScoredSystems
from ranking_scores.significance._tests import SignificanceSettings, alpha_of, check_level
from ranking_scores.significance._units import ComparedPairs

Floats = NDArray[np.float64]
_FUNCTION = "history"
_MOST_REASONS = 5
"""The greatest number of reports of which the notes say why they are not compared."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class History(MarkdownResult):
    """The result of `history`: the means of scores over time, and which report changed them.

    It prints the first report, the last one and all that changed a score, for each score. The
    frame has all of them. Two results are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    reports : tuple of str
        The names of the reports, the oldest first.

    metrics : tuple of str
        The names of the scores.

    mean : ndarray of float64 of shape (n_reports, n_metrics)
        The mean of each score in each report.

    low : ndarray of float64 of shape (n_reports, n_metrics)
        The lower limit of the interval of each mean, which is that of `confidence_interval`, and
        that of t if the report lacks the values of each query.

    high : ndarray of float64 of shape (n_reports, n_metrics)
        The upper limit.

    difference : ndarray of float64 of shape (n_reports, n_metrics)
        The mean difference from the report before. NaN if the two could not be compared.

    difference_low : ndarray of float64 of shape (n_reports, n_metrics)
        The lower end of its confidence interval, at `level_of_each`.

    difference_high : ndarray of float64 of shape (n_reports, n_metrics)
        The upper end.

    change : ndarray of str of shape (n_reports, n_metrics)
        "better" or "worse" if this interval excludes 0, and otherwise empty.

    confidence_level : float
        The confidence level that was asked for, and that of the intervals of means.

    level_of_each : float
        The confidence level of the interval of each difference.

    notes : tuple of str
        The order of the reports, and what could not be compared.
    """

    reports: tuple[str, ...]
    metrics: tuple[str, ...]
    mean: Floats
    low: Floats
    high: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    change: NDArray[Any]
    confidence_level: float
    level_of_each: float
    notes: tuple[str, ...]

    _columns = (
        Column("metric", "_metrics", title="", kind="name"),
        Column("report", "_reports", kind="name"),
        *columns_of("mean", "low", "high", "difference", "difference_low", "difference_high"),
        Column("change", kind="word"),
    )

    def _metrics(self) -> list[str]:
        return [metric for metric in self.metrics for _ in self.reports]

    def _reports(self) -> list[str]:
        return [*self.reports] * len(self.metrics)

    def _column(self, name: str, chosen: Sequence[int]) -> list[Any]:
        """Return some rows of a column, which are those of one metric after the other."""
        values = value_of(self, name)
        values = values if isinstance(values, list) else values.T.ravel().tolist()
        return [values[row] for row in chosen]

    def _table(self) -> ResultTable:
        is_shown = self.change != ""
        is_shown[[0, -1]] = True
        chosen = np.flatnonzero(is_shown.T).tolist()

        def read(name: str) -> list[Any]:
            return [None if each != each else each for each in self._column(name, chosen)]

        return table_of(self._columns, read, self._notes())

    def _notes(self) -> list[str]:
        changed = [name for name, own in zip(self.reports, self.change, strict=True) if any(own)]
        level, each = map(as_percent, (self.confidence_level, round(self.level_of_each, 6)))
        return [
            f"reports: {len(self.reports)}; changed: {list_some(changed) or 'none'}",
            f"{level} intervals of means; {each} ones of differences, {level} for all of a score",
            *self.notes,
        ]

    def to_frame(self) -> Any:
        """Return the history as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per score and report, one score after the other.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return pandas_for("History.to_frame").DataFrame(self._records())

    def _records(self) -> list[dict[str, Any]]:
        """Return the numbers of each score and report."""
        rows, names = range(self.mean.size), [column.name for column in self._columns]
        columns = (self._column(own.attribute or own.name, rows) for own in self._columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def history(
    reports: Any, *, scores: str | Sequence[str] | None = None, confidence_level: float = 0.95
) -> History:
    """Return the means of scores over time, and which report changed them.

    Parameters
    ----------
    reports : path, dict or sequence
        The reports, or the paths of saved ones, the oldest first. A dict has them by name. A path
        is that of a folder with saved reports, in the order of their names. So names should begin
        with the date, as in "2026-11-29.json". Hidden files are left out, and `notes` names other
        files that are no reports.

    scores : str or sequence of str, default=None
        The names of results. None takes those that all reports have.

    confidence_level : float, default=0.95
        The confidence level of the means, and that of all differences of a score together.

    Returns
    -------
    history : History
        The means with their intervals, the differences from the report before with theirs, and
        which of these exclude 0. It prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if there are fewer than two reports, if they have
        no score in common, if a report has the labels of `human`, or if a saved one was cut or
        edited. The error is of both types, as in scikit-learn.
    OSError
        If a file cannot be read.

    See Also
    --------
    changes : Says which queries changed from one report to the next.
    ranking_scores.plotting.HistoryDisplay : Plots it.

    Notes
    -----
    The differences and their intervals are those of `compare` for the two reports. For m of them,
    the level of each is ``1 - (1 - confidence_level) / m`` by Bonferroni's method. If nothing ever
    changes a score, one of its reports is said to in at most 5 % of the cases. A slow fall, each
    step of which is small, changes none: compare the first report with the last one.

    Reports of other queries, options, weights or clusters than the one before, and those without
    the values of each query, have no difference, and `notes` says why.

    Examples
    --------
    >>> import numpy as np
    >>> from ranking_scores import ranking_report
    >>> from ranking_scores.significance import history
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 3, (50, 10))
    >>> good, bad = y_true + rng.normal(size=(2, 50, 10)) * np.array([[[0.5]], [[3]]])
    >>> nights = {"Mon": good, "Tue": good, "Wed": bad, "Thu": bad}
    >>> made = {key: ranking_report(y_true, own, scores="ndcg@3") for key, own in nights.items()}
    >>> history(made)
            report    mean     low    high  difference  difference low  difference high  change
    ndcg@3  Mon     0.9487  0.9236  0.9737
    ndcg@3  Wed     0.6324  0.5597  0.7050     -0.3163         -0.4125          -0.2201  worse
    ndcg@3  Thu     0.6324  0.5597  0.7050      0.0000          0.0000           0.0000
    <BLANKLINE>
    reports: 4; changed: Wed
    95 % intervals of means; 98.3333 % ones of differences, 95 % for all of a score
    ordered as given
    """
    level = check_level(confidence_level, _FUNCTION)
    found, notes = _read(reports)
    metrics = _metrics_of(found, scores)
    parts, reasons = _alike(found, metrics)
    n_pairs = sum(len(part) - 1 for part, _ in parts)
    level_of_each = 1 - alpha_of(level) / max(n_pairs, 1)
    shape = len(found), len(metrics)
    changes = np.full((3, *shape), np.nan)
    for places, given in parts:
        pairs = np.arange(len(places) - 1)
        rows = ComparedPairs(
            [system.values for system in given.systems.values()],
            np.tile(pairs, len(metrics)),
            np.tile(pairs + 1, len(metrics)),
            np.repeat(np.arange(len(metrics)), pairs.size),
            given.ids,
            given.units,
        )
        settings = SignificanceSettings("auto", "two-sided", level_of_each, n_resamples=0, seed=0)
        tests = np.repeat(tests_of(given, settings, None, _FUNCTION), pairs.size)
        summary, verdict = verdicts_of(rows, settings, tests)
        own = np.array([summary.mean, verdict.low, verdict.high])
        changes[:, places[1:]] = own.reshape(3, len(metrics), -1).swapaxes(1, 2)
    difference, low, high = changes
    upward = [next(iter(found.values())).greater_is_better(name) for name in metrics]
    is_better, is_worse = np.where(upward, (low > 0, high < 0), (high < 0, low > 0))
    limits = [_limits_of(report, metrics, level) for report in found.values()]
    mean_low, mean_high = np.array(limits).swapaxes(0, 1)
    return History._of(
        reports=tuple(found),
        metrics=metrics,
        mean=read_only(np.array([[own[name] for name in metrics] for own in found.values()])),
        low=read_only(mean_low),
        high=read_only(mean_high),
        difference=read_only(difference),
        difference_low=read_only(low),
        difference_high=read_only(high),
        change=read_only(np.select([is_better, is_worse], ["better", "worse"], "")),
        confidence_level=level,
        level_of_each=level_of_each,
        notes=(*notes, *reasons, *_other_judgments(found)),
    )


def _read(reports: Any) -> tuple[dict[str, RankingReport], list[str]]:
    """Return the reports by name, and what there is to say about their order."""
    is_folder = isinstance(reports, (str, os.PathLike))
    expected = "a folder with at least two saved reports"
    expected += "" if is_folder else ", or at least two different reports or paths of some"
    notes, given = ["ordered as given"], reports
    if is_folder:
        given, others = read_folder(reports, "reports", _FUNCTION)
        notes = ["ordered by the names of the files"]
        notes += [f"no reports: {list_some(others)}"] if others else []
    elif isinstance(reports, Sequence):
        paths = (own if isinstance(own, (str, os.PathLike)) else None for own in reports)
        names = [str(place if path is None else path) for place, path in enumerate(paths, 1)]
        given = dict(zip(names, reports, strict=True)) if len({*names}) == len(names) else None
    if not isinstance(given, Mapping) or isinstance(given, RankingReport) or len(given) < 2:
        got = show_names(map(str, given)) if is_folder else describe(reports)
        raise invalid("reports", _FUNCTION, expected, got or "none")
    if len({*map(str, given)}) < len(given):
        expected, got = "a dict whose keys are different texts", show_names(map(str, given))
        raise invalid("reports", _FUNCTION, expected, got)
    found = {str(name): read_report(own, "reports", _FUNCTION) for name, own in given.items()}
    for name, report in found.items():
        if report.human is not None:
            raise invalid("reports", _FUNCTION, "reports without `human`", f"it in {name}")
    return found, notes


def _metrics_of(reports: Mapping[str, RankingReport], scores: Any) -> tuple[str, ...]:
    """Return the names of the results that are asked for, which all reports must have."""
    first = next(iter(reports.values()))
    common = [key for key in first if all(key in report for report in reports.values())]
    if scores is None:
        asked = common
    else:
        given = [scores] if isinstance(scores, str) else scores
        if not isinstance(given, Collection):
            expected = "None, the name of a result, or names of results"
            raise invalid("scores", _FUNCTION, expected, describe(scores))
        asked = [find_result(str(each), first, "scores", _FUNCTION) or str(each) for each in given]
    wrong = [each for each in asked if each not in common]
    if wrong or not asked:
        expected = f"names of results that all reports have: {show_names(common) or 'none'}"
        raise invalid("scores", _FUNCTION, expected, show_names(wrong) or "none")
    return tuple(dict.fromkeys(asked))


def _limits_of(report: RankingReport, metrics: Sequence[str], level: float) -> Floats:
    """Return the limits of the means, which are those of t if the values are not known."""
    try:
        given = read_reports({"reports": report}, metrics, _FUNCTION)
    except InvalidParameterError:
        columns = report.mean, report.standard_error, report.n_undefined
        mean, error, n_out = np.array([[own[name] for name in metrics] for own in columns])
        is_out = [report.options[name].get("replace_undefined_by") == "nan" for name in metrics]
        return np.array(t_interval(mean, error, report.n_queries - n_out * is_out, level))
    method = IntervalMethod("auto", level, n_resamples=0, seed=0)
    found, _ = interval_and_units(given, method, _FUNCTION)
    return np.array([found.low, found.high])


def _other_judgments(reports: Mapping[str, RankingReport]) -> list[str]:
    """Return which reports rest on other judgments than the ones before, as far as is known."""
    digests = {name: getattr(own.judgments, "digest", None) for name, own in reports.items()}
    others = [
        name
        for (_, before), (name, digest) in pairwise(digests.items())
        if None not in (before, digest) and before != digest
    ]
    return [f"other judgments than before: {list_some(others)}"] * bool(others)


def _alike(
    reports: Mapping[str, RankingReport], metrics: Sequence[str]
) -> tuple[list[tuple[list[int], ScoredSystems]], list[str]]:
    """Return the places of reports in a row that can be compared, and why others cannot."""
    names, reasons = [*reports], dict[str, str]()
    values: dict[str, QueryValues] = {}
    found, todo = [], [[*range(len(names))]]
    while todo:
        part = todo.pop(0)
        try:
            for name in (names[place] for place in part if names[place] not in values):
                values[name] = reports[name]._query_values(metrics, name, _FUNCTION)
            own = {names[place]: values[names[place]] for place in part}
            given = with_units(read_all(own, _FUNCTION), own, QueryParameters(), _FUNCTION)
        except InvalidParameterError as error:
            at = [names[place] for place in part].index(error.parameter)
            alone = part[at : at + 1] if error.parameter not in values else []
            which = "the ones beside it" if alone else "the one before"
            why = f"it must be {error.expected}, got {error.got}"
            reasons[error.parameter] = f"is not compared with {which}: {why}"
            todo[:0] = [each for each in (part[:at], part[at + len(alone) :]) if each]
        else:
            found += [(part, given)] * (len(part) > 1)
    lines = [f"{name} {why}" for name, why in reasons.items()]
    more = f"and {len(lines) - _MOST_REASONS} more are not compared"
    return found, lines[:_MOST_REASONS] + [more] * (len(lines) > _MOST_REASONS)
