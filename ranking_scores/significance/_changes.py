"""What changed between two reports of the same queries: the public function, and its parts."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._by_id import are_same_ids, match_ids
from ranking_scores._base._errors import invalid, list_some, show_some, warn_caller
from ranking_scores._base._exact import Sums, weighted_sum
from ranking_scores._base._ids import python_ids
from ranking_scores._base._results import ReadOnlyDict, as_cell, count_queries, read_only
from ranking_scores._base._validation import check_option, unique_identifiers
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.significance._changes_results import (
    BothRankings,
    Changes,
    ListChange,
    QueryChange,
    RelevanceRule,
    ScoreChange,
    changed_lists,
    describe_lists,
    read_rankings,
)
from ranking_scores.significance._comparing import compare_pairs
from ranking_scores.significance._comparisons import Comparison, Comparisons, describe_test
from ranking_scores.significance._readers import (
    COMPARE_BOTH,
    RankingData,
    RankingReport,
    read_report,
    read_scores,
    with_units,
)
from ranking_scores.significance._systems import (
    QueryParameters,
    ScoredSystems,
    check_alike,
    check_options,
)
from ranking_scores.significance._tests import (
    PAIRED_TESTS,
    RANDOM,
    SignificanceSettings,
    alpha_of,
    check_count,
    check_settings,
    seed_of,
)
from ranking_scores.significance._units import subtract

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FUNCTION = "changes"
_NO_IDS = read_only(np.zeros(0, dtype=object))
"""The ids of no queries."""
_DIGITS = 12
"""Differences, relative to the largest, that agree in so many digits are sorted by ids."""


def changes(
    new: RankingReport | str | os.PathLike[str],
    old: RankingReport | str | os.PathLike[str],
    *,
    data_new: RankingData | None = None,
    data_old: RankingData | None = None,
    n: int = 20,
    queries: Literal["equal", "both"] = "equal",
    test: Literal[
        "auto", "t", "permutation", "wilcoxon", "bootstrap", "mcnemar", "sequential", "betting"
    ] = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
) -> Changes:
    """Tell what changed between two reports of the same queries.

    Each score gets a verdict, such as "better" or "no clear change". The queries that lost and won
    most are listed, with the relevant items that left the first ranks or came in.

    Parameters
    ----------
    new : RankingReport or path
        The report of `ranking_report` on the new system, or the path of one that
        `RankingReport.to_json` saved.

    old : RankingReport or path
        The same of the old system. If both reports have ids of queries, queries are matched by
        these ids, and otherwise by position.

    data_new : RankingData, default=None
        The data of the new report, as `ranking_scores.tables.from_tables` or `from_lists`
        returned it. Each listed query then has the relevant items that are not among the first
        ranks. It takes both data to tell which of them left, and which came in.

    data_old : RankingData, default=None
        The data of the old report, if that of the new one is passed.

    n : int, default=20
        The number of queries that are listed for each score, of those that lost most and of those
        that won most.

    queries : {"equal", "both"}, default="equal"
        What happens if only one of the reports has a query. "equal" is an error that names such
        queries. "both" compares the other queries, and the result says which were left out.

    test : str, default="auto"
        The paired test, which is one of these. All except Wilcoxon's test the mean of the
        differences:

        - "auto": "mcnemar" if all scores are 0 or 1, unless a report tells that the score can be
          something else, such as DCG, and "t" otherwise.
        - "t": Student's t test.
        - "permutation": flips the signs of the differences. It is exact, with all combinations of
          signs, if at most 36 queries (or clusters) have both scores, and takes `n_resamples`
          random ones otherwise.
        - "wilcoxon": Wilcoxon's signed-rank test, which does **not** test the mean. It tests
          whether the differences are symmetric about 0. On thousands of queries, as in
          recommendation, it far too often finds differences that are not differences of the mean
          (Ihemelandu and Ekstrand, 2023). It discards draws. Its interval is that of the t test.
        - "bootstrap": draws queries with replacement and compares t statistics.
        - "mcnemar": McNemar's mid-p test, the sign test of scores of 0 and 1. Its interval is
          Tango's.
        - "sequential": a mixture of t tests, which stays valid if the comparison is looked at
          again and again while queries come in.
        - "betting": bets on each query in turn, which stay valid as well, and however rare large
          differences are. It is for scores that are between 0 and 1 by definition: reports, or
          frames whose columns are named by scores. The order of the queries matters.

    confidence_level : float, default=0.95
        The confidence level of the interval. The level of the test is 1 minus this number.

    n_resamples : int, default=9999
        The number of random resamples, if the method draws any. This number plus 1, for the
        observed sample, must be at least ``2 / (1 - confidence_level)``.

    random_state : int, RandomState instance, Generator or None, default=None
        The source of randomness for the resamples. Pass an int to get the same result in every
        call.

    Returns
    -------
    changes : Changes
        A frozen dataclass with the changes of the `scores`, the same `by_group`, and the queries
        that `lost` and `won` most. The object prints as tables, and has the methods `to_frame`,
        `queries_frame` and `to_markdown`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if the reports have no score in common, other
        options of a score, other queries, weights or clusters, or if a report with values of
        queries has item weights. The error is of both types, as in scikit-learn.
    OSError
        If a file cannot be read.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If a p-value is NaN because fewer than two queries have a score in both reports.

    UserWarning
        If the judgments of the reports differ. If all differences are equal, but not 0, unless
        the test is "permutation" or "betting". If the mean is not in the interval of "betting".
        Or if there are weights or clusters, and fewer than 10 effective queries or clusters.

    See Also
    --------
    compare_all : Compares several systems, with a correction for their number.
    ranking_scores.report.read_report : Reads a saved report.
    ranking_report : Computes the reports.

    Notes
    -----
    The numbers of a score are those of ``compare_all({"old": old, "new": new}, correction=None)``,
    which describes the tests [2]_. `before` and `now` are means over the queries that have the
    score in both reports. The p-values are not corrected for the number of scores.

    A score is "better" or "worse" if its p-value is at most ``1 - confidence_level``, "unchanged"
    if no query changed, "not tested" without a p-value, and "no clear change" otherwise. If lower
    is better, as for "arp", a lower mean is "better", and `wins` are the queries that got lower.

    Each group in the reports has the same numbers, over its queries alone. The p-values of the
    groups of a grouping are corrected by Holm's method [1]_, for each score. A query whose group
    differs between the reports is in its new group.

    A difference of a few roundings counts as no change. Queries with equal differences are listed
    in the order of their ids.

    An item is relevant if its label in the old or in the new data is above 0, or is at least the
    `relevance_threshold` of the score. If some items of a query have equal scores, an item has
    several possible ranks. With s the score of the item, they are ::

        1 + the number of items with a score above s, ..., the number of items with a score >= s

    It is among the first k if the first of these ranks is at most k. For a score without a
    cutoff, an item came in if it is newly retrieved, and left if it is no longer retrieved.

    With the data of both reports, `lists` and a line below the tables say how far the lists agree,
    by `ranking_scores.agreement`, and how many of the lists that changed left a score as it was.

    If judgments changed as well, a change of a score may come from them rather than from the
    system. To tell these apart, score the old system again with the new judgments.

    Reports without values of queries, such as those of `ranking_scores.scale`, have only means.
    Their rows have `before`, `now` and `difference`, and no interval, p-value or wins.

    References
    ----------
    .. [1] Sture Holm. A simple sequentially rejective multiple test procedure. Scandinavian
           Journal of Statistics 6 (2), 1979, p. 65-70.
    .. [2] Mark D. Smucker, James Allan, Ben Carterette. A comparison of statistical significance
           tests for information retrieval evaluation. CIKM 2007. :doi:`10.1145/1321440.1321528`.

    Examples
    --------
    >>> from ranking_scores import ranking_report
    >>> from ranking_scores.significance import changes
    >>> from ranking_scores.tables import from_lists
    >>> judged = {"tea": ["a", "b"], "milk": ["c"], "rice": ["d"], "salt": ["e"]}
    >>> data_old = from_lists(
    ...     judged, {"tea": ["a", "b", "x"], "milk": ["x", "c"], "rice": ["x", "d"], "salt": ["x"]}
    ... )
    >>> data_new = from_lists(judged, {
    ...     "tea": {"a": 4, "x": 3, "y": 2, "b": 1, "z": 1},
    ...     "milk": {"c": 1}, "rice": {"d": 1}, "salt": {"e": 1},
    ... })
    >>> old = ranking_report(data_old, scores="ndcg", k=3)
    >>> new = ranking_report(data_new, scores="ndcg", k=3)
    >>> found = changes(new, old, data_new=data_new, data_old=data_old)
    >>> found
    no clear change: ndcg@3
    <BLANKLINE>
            before     now  difference      low    high  p-value  wins  draws  losses
    ndcg@3  0.5655  0.9033      0.3378  -0.5649  1.2406   0.3193     3      0       1
    <BLANKLINE>
    lost most in ndcg@3
         before     now  difference
    tea  1.0000  0.6131     -0.3869
    <BLANKLINE>
    relevant items of these queries that left the first 3 or came in
         item        rank before  rank now
    tea  b     left  2            4 to 5
    <BLANKLINE>
    won most in ndcg@3
          before     now  difference
    salt  0.0000  1.0000      1.0000
    milk  0.6309  1.0000      0.3691
    rice  0.6309  1.0000      0.3691
    <BLANKLINE>
    relevant items of these queries that left the first 3 or came in
          item           rank before    rank now
    salt  e     came in  not retrieved  1
    <BLANKLINE>
    4 queries, paired by their ids
    overlap@3 of the two rankings: 0.42 on average; of 4 queries whose first 3 changed, 0 have the
    same ndcg@3
    paired t test; 95 % interval
    With 4 queries, no permutation test can give p < 0.125
    better, worse: the p-value is at most 0.05
    an item is among the first k if the first of its possible ranks is at most k
    >>> found.scores["ndcg@3"].verdict
    'no clear change'
    >>> found.lost["ndcg@3"][0].left
    (MovedItem(item='b', before=(2, 2), now=(4, 5)),)

    In the new ranking, ``b`` has the score of another item, so its rank is 4 or 5.
    """
    settings = check_settings(
        test, "two-sided", confidence_level, n_resamples, _FUNCTION, correction=None
    )
    settings = settings._replace(seed=seed_of(random_state, _FUNCTION, is_used=test in RANDOM))
    check_option(queries, "queries", _FUNCTION, ("equal", "both"))
    n = check_count("n", n, 0, _FUNCTION)
    reports = _read_reports(old, new)
    have_values = reports.old.has_values() and reports.new.has_values()
    pairs = _pair(reports, queries) if have_values else None
    ids = pairs.ids if pairs is not None and pairs.are_by_id else None
    data = {"data_old": (data_old, reports.old), "data_new": (data_new, reports.new)}
    rankings = read_rankings(data, ids, _FUNCTION)
    are_changed, about_judgments = _judgments(reports, pairs)
    if pairs is None:
        _check_means(reports)
        found = _compare_means(reports)
    else:
        found = _compare_queries(reports, pairs, settings, n, rankings)
    notes = (*found["notes"], *_left_out(reports, pairs), *about_judgments)
    return Changes._of(
        **found | {"notes": notes},
        only_old=_NO_IDS if pairs is None else read_only(pairs.only_old),
        only_new=_NO_IDS if pairs is None else read_only(pairs.only_new),
        scores_only_old=_only_in(reports.old, reports.new),
        scores_only_new=_only_in(reports.new, reports.old),
        judgments_changed=are_changed,
        confidence_level=settings.level,
        _cutoffs={name: reports.relevance(name).k for name in reports.scores},
    )


# These functions read reports with the values of each query.


def _compare_queries(
    reports: ReportPair,
    pairs: PairedQueries,
    settings: SignificanceSettings,
    n: int,
    rankings: BothRankings | None,
) -> dict[str, Any]:
    """Return what changed, by tests of the values of the queries, as attributes of `Changes`."""
    comparisons = compare_pairs(pairs.given, settings, _FUNCTION)
    scores = {str(row.metric): change for row, change in _rows(comparisons, reports, pairs)}
    by_group: dict[str, dict[Any, dict[str, ScoreChange]]] = {}
    about_groups: list[str] = []
    for grouping in pairs.groups:
        groups = unique_identifiers(pairs.groups[grouping], "new", _FUNCTION)
        given = pairs.given._replace(groups=groups)
        in_groups = compare_pairs(given, settings, _FUNCTION, correction="holm")
        changes_by_group: dict[Any, dict[str, ScoreChange]] = {}
        for row, change in _rows(in_groups, reports, pairs):
            changes_by_group.setdefault(row.group, {})[str(row.metric)] = change
        by_group[grouping] = _read_only(changes_by_group)
        about_groups += [f"groups: {line}" for line in _about_test(in_groups)]
    lists: dict[str, ListChange] = {}
    if rankings is not None and rankings.old is not None:
        differences = {
            str(row.metric): (reports.relevance(str(row.metric)).k, row.difference_per_query)
            for row in comparisons
        }
        lists = changed_lists(rankings, differences)
    lost: dict[str, tuple[QueryChange, ...]] = {}
    won: dict[str, tuple[QueryChange, ...]] = {}
    order = pairs.order()
    for comparison in comparisons:
        name = str(comparison.metric)
        lost[name], won[name] = _queries_of(comparison, reports, pairs, n, order, rankings)
    how = "their ids" if pairs.are_by_id else "position, since a report has no ids"
    notes = [
        f"{count_queries(pairs.n_queries())}, paired by {how}",
        *describe_lists(lists),
        *_about_dropped(comparisons),
        *_about_scores(reports),
        *_about_test(comparisons),
        f"better, worse: the p-value is at most {alpha_of(settings.level):.10g}",
        *dict.fromkeys(about_groups),
        *(
            f"{count_queries(number)} of another {grouping} in old: the groups are those of new"
            for grouping, number in pairs.n_other_groups.items()
            if number
        ),
    ]
    lists_queries = any([*lost.values(), *won.values()])
    if rankings is not None and lists_queries:
        is_first = "the first of its possible ranks is at most k"
        notes.append(f"an item is among the first k if {is_first}")
    if len(lost) > 1 and lists_queries:
        first = next(iter(lost))
        notes.append(f"the queries are those of {first}; the other scores have lists of their own")
    found: dict[str, dict[str, Any]] = {
        "scores": scores,
        "by_group": by_group,
        "lost": lost,
        "won": won,
        "lists": lists,
    }
    return {name: ReadOnlyDict(value) for name, value in found.items()} | {"notes": notes}


def _rows(
    comparisons: Comparisons, reports: ReportPair, pairs: PairedQueries
) -> Iterator[tuple[Comparison, ScoreChange]]:
    """Yield each comparison, with the change of the score that it is about."""
    old, new = (system.values for system in pairs.given.systems.values())
    weight = pairs.given.units.weight
    for place, row in enumerate(comparisons):
        is_dropped = np.isnan(row.difference_per_query)
        column = reports.scores.index(str(row.metric))
        before, now = (
            Sums(weighted_sum(np.where(is_dropped, np.nan, values[:, column]), weight)).mean()
            for values in (old, new)
        )
        is_greater_better = reports.new.greater_is_better(str(row.metric))
        counts = row.wins, row.losses
        wins, losses = counts if is_greater_better else counts[::-1]
        verdict, reason = _verdict(row, is_greater_better)
        change = ScoreChange._of(
            score=str(row.metric),
            before=before,
            now=now,
            difference=row.difference,
            low=row.low,
            high=row.high,
            pvalue=row.pvalue,
            pvalue_uncorrected=float(comparisons.pvalue_uncorrected[place]),
            wins=wins,
            draws=row.draws,
            losses=losses,
            n_queries=row.n_queries,
            n_dropped=row.n_dropped,
            test=row.test,
            verdict=verdict,
            reason=reason,
        )
        yield row, change


def _verdict(row: Comparison, is_greater_better: bool) -> tuple[str, str]:
    """Return the verdict on a score, and what it rests on."""
    if row.n_queries and row.draws == row.n_queries:
        return "unchanged", f"{count_queries(row.n_queries)}, none of which changed"
    if math.isnan(row.pvalue):
        units = "queries" if row.n_clusters is None else "clusters"
        return "not tested", f"fewer than two {units} have the score in both reports"
    alpha = alpha_of(row.confidence_level)
    is_low = row.pvalue <= alpha
    corrected = "" if row.correction is None else ", corrected by Holm's method"
    side = "at most" if is_low else "above"
    test = PAIRED_TESTS[row.test]
    reason = f"p = {as_cell(row.pvalue)} is {side} {alpha:.10g}, {test.words}{corrected}"
    if not is_low:
        return "no clear change", reason
    if row.direction * row.difference <= 0:
        about = f"mean and {test.is_about} point to different sides"
        return "no clear change", f"{reason}, but {about}"
    return ("better" if (row.difference > 0) == is_greater_better else "worse"), reason


def _read_only(groups: Mapping[Any, dict[str, ScoreChange]]) -> dict[Any, dict[str, ScoreChange]]:
    """Return the changes of groups as a result, which cannot be changed."""
    return ReadOnlyDict({group: ReadOnlyDict(changes) for group, changes in groups.items()})


def _queries_of(
    comparison: Comparison,
    reports: ReportPair,
    pairs: PairedQueries,
    n: int,
    order: Ints,
    rankings: BothRankings | None,
) -> list[tuple[QueryChange, ...]]:
    """Return the n queries that lost most by a score, and those that won most.

    Queries with equal differences are in the given order.
    """
    name = str(comparison.metric)
    column, relevance = reports.scores.index(name), reports.relevance(name)
    old, new = (system.values[:, column] for system in pairs.given.systems.values())
    differences = comparison.difference_per_query
    gains = differences if reports.new.greater_is_better(name) else -differences
    found = []
    for amounts in (-gains, gains):
        places = largest(amounts, order, n)
        if rankings is not None:
            for side, report, values in zip(rankings, reports[:2], (old, new), strict=True):
                if side is not None:
                    side.check_values(places, name, report._score(name), values[places])
        groups = {grouping: python_ids(group[places]) for grouping, group in pairs.groups.items()}
        queries = zip(places.tolist(), pairs.names(places), strict=True)
        listed = (
            QueryChange(
                query,
                ReadOnlyDict({grouping: group[row] for grouping, group in groups.items()}),
                float(old[place]),
                float(new[place]),
                float(differences[place]),
                *((None,) * 3 if rankings is None else rankings.moved(place, relevance)),
            )
            for row, (place, query) in enumerate(queries)
        )
        found.append(tuple(listed))
    return found


def largest(amounts: Floats, order: Ints, n: int) -> Ints:
    """Return the places of the n largest amounts above 0. NaN is none of them.

    Equal amounts are in the given order.
    """
    places = np.flatnonzero(amounts > 0)
    largest = amounts[places].max(initial=0)
    in_digits = np.round(amounts[places] / largest, _DIGITS)
    return places[np.lexsort((order[places], -in_digits))[:n]]


# These functions read reports of which at least one has only means.


def _compare_means(reports: ReportPair) -> dict[str, Any]:
    """Return what changed between reports that have no values of queries, as attributes."""
    old, new, names = reports.old, reports.new, reports.scores
    by_group = {
        grouping: _read_only(
            {
                group: _changes_of_means(old_report, new.by_group[grouping][group], names)
                for group, old_report in groups.items()
                if group in new.by_group[grouping]
            }
        )
        for grouping, groups in old.by_group.items()
        if grouping in new.by_group
    }
    notes = [
        count_queries(new.n_queries),
        *_about_scores(reports),
        "a report has no values of queries, so means are compared, without a test",
    ]
    return {
        "scores": ReadOnlyDict(_changes_of_means(old, new, names)),
        "by_group": ReadOnlyDict(by_group),
        **dict.fromkeys(("lost", "won", "lists"), ReadOnlyDict[str, Any]()),
        "notes": notes,
    }


def _changes_of_means(
    old: RankingReport, new: RankingReport, names: tuple[str, ...]
) -> dict[str, ScoreChange]:
    """Return the changes of the means of two reports."""
    before, now = (np.array([report.mean[name] for name in names]) for report in (old, new))
    undefined = dict.fromkeys(("low", "high", "pvalue", "pvalue_uncorrected"), math.nan)
    unknown = dict.fromkeys(("wins", "draws", "losses", "n_dropped", "test"))
    return {
        name: ScoreChange._of(
            score=name,
            before=old_mean,
            now=new_mean,
            difference=difference,
            **undefined,
            **unknown,
            n_queries=new.n_queries,
            verdict="not tested",
            reason="a report has no values of queries",
        )
        for name, old_mean, new_mean, difference in zip(
            names, before.tolist(), now.tolist(), subtract(now, before).tolist(), strict=True
        )
    }


# These functions write the notes.


def _judgments(reports: ReportPair, pairs: PairedQueries | None) -> tuple[bool | None, list[str]]:
    """Return whether queries were judged differently, with notes about it. Warn if they were."""
    old, new = (getattr(report.judgments, "digest", None) for report in reports[:2])
    if old is None or new is None:
        return None, []
    n_anew = None if old == new else reports.new._count_judged_anew(reports.old)
    if old == new or n_anew == 0:
        return False, ["no query in both was judged anew"] * (n_anew == 0)
    if n_anew is None and pairs is not None and pairs.has_left_out():
        return None, ["the reports do not tell whether the judgments of queries in both changed"]
    of = "" if n_anew is None else f" of {count_queries(n_anew)}"
    what = "changes of the system and of the judgments cannot be told apart"
    note = f"the judgments{of} changed, so {what}"
    advice = "Score the old system again with the new judgments."
    warn_caller(f"{_FUNCTION}: {note}. {advice}", UserWarning)
    return True, [note]


def _only_in(own: RankingReport, other: RankingReport) -> tuple[str, ...]:
    """Return the scores that only one of two reports has."""
    return tuple(name for name in own if name not in other)


def _left_out(reports: ReportPair, pairs: PairedQueries | None) -> list[str]:
    """Return notes about queries, scores and groups that only one report has."""
    notes = []
    if reports.old.human is not None or reports.new.human is not None:
        notes.append("left out: people's labels, which `compare` takes in")
    if pairs is not None and pairs.has_left_out():
        notes.append(f"left out: {in_words(pairs.only_old, pairs.only_new)}")
    for side, own, other in (("old", reports.old, reports.new), ("new", reports.new, reports.old)):
        names = _only_in(own, other)
        notes += [f"left out: {list_some(names)}, which only {side} has"] if names else []
        if pairs is None:
            groups = [
                f"{grouping}={group}"
                for grouping, reports_by_group in own.by_group.items()
                for group in reports_by_group
                if group not in other.by_group.get(grouping, {})
            ]
            notes += [f"left out: {list_some(groups)}, which only {side} has"] if groups else []
    return notes


def _about_test(comparisons: Comparisons) -> list[str]:
    """Return notes about the p-values and the intervals."""
    return describe_test(comparisons, "interval" if len(comparisons) == 1 else "intervals")


def _about_dropped(comparisons: Comparisons) -> list[str]:
    """Return notes about queries without one of their scores."""
    names_by_number: dict[int, list[str]] = {}
    numbers = comparisons.n_dropped.tolist()
    for name, number in zip(comparisons.metrics or (), numbers, strict=True):
        names_by_number.setdefault(number, []).append(name)
    return [
        f"left out of {list_some(names)}: {count_queries(number)} without the score in both "
        "reports, or of weight 0"
        for number, names in names_by_number.items()
        if number
    ]


def _about_scores(reports: ReportPair) -> list[str]:
    """Return notes about scores for which lower is better, and about options of functions."""
    new = reports.new
    lower = [name for name in reports.scores if not new.greater_is_better(name)]
    functions: dict[str, list[str]] = {}
    for name in reports.scores:
        for option in new._facts[name].functions:
            functions.setdefault(option, []).append(name)
    return [
        *([f"lower is better: {list_some(lower)}"] if lower else []),
        *(
            f"`{option}` of {list_some(names)} is a function, which was compared by its name"
            for option, names in functions.items()
        ),
    ]


# These classes and functions pair the two reports: their scores, queries and groups.


class ReportPair(NamedTuple):
    """An old and a new report, and the scores that both have."""

    old: RankingReport
    new: RankingReport
    scores: tuple[str, ...]

    def relevance(self, score: str) -> RelevanceRule:
        """Return what counts as relevant for a score, and in which ranks."""
        options = self.new.options[score]
        k, threshold = (options.get(name, "None") for name in ("k", "relevance_threshold"))
        return RelevanceRule(
            None if k == "None" else int(k), None if threshold == "None" else float(threshold)
        )


class PairedQueries(NamedTuple):
    """The queries of both reports that are compared, in one order."""

    given: ScoredSystems
    """The old and the new scores, as "old" and "new"."""
    ids: NDArray[Any] | None
    are_by_id: bool
    """Whether the queries were paired by their ids, not by position."""
    only_old: NDArray[Any]
    only_new: NDArray[Any]
    groups: dict[str, NDArray[Any]]
    """The group of each query, for each grouping."""
    n_other_groups: dict[str, int]
    """The number of queries that had another group in the old report, for each grouping."""

    def has_left_out(self) -> bool:
        """Return whether only one of the reports has some queries."""
        return bool(self.only_old.size or self.only_new.size)

    def n_queries(self) -> int:
        """Return the number of queries."""
        return len(self.given.systems["old"].values)

    def names(self, places: Ints) -> list[Any]:
        """Return the ids of some queries, or their positions."""
        return python_ids(places if self.ids is None else self.ids[places])

    def order(self) -> Ints:
        """Return the place of each query in the order of ids, or of position if they have none."""
        in_place = np.arange(self.n_queries())
        if self.ids is None:
            return in_place
        try:
            return unique_identifiers(self.ids, "new", _FUNCTION)[1]
        except InvalidParameterError:  # the ids are of several types
            return in_place


def _read_reports(old: Any, new: Any) -> ReportPair:
    """Return two reports, which may be given by their paths, and the scores that both have."""
    new = read_report(new, "new", _FUNCTION)
    old = read_report(old, "old", _FUNCTION)
    scores = tuple(name for name in new if name in old)
    if not scores:
        expected = f"a report with a score of the old one: {list_some(list(old))}"
        raise invalid("new", _FUNCTION, expected, list_some(list(new)))
    check_options("old", old.options, new.options, new, "new", _FUNCTION)
    return ReportPair(old, new, scores)


def _check_means(reports: ReportPair) -> None:
    """Raise unless two reports, of which one has only means, seem to have the same queries."""
    old, new = reports.old, reports.new
    if old._has_item_weights != new._has_item_weights:
        with_weights = ["with" if one._has_item_weights else "without" for one in (old, new)]
        expected = f"a report {with_weights[0]} item weights, like the old one"
        raise invalid("new", _FUNCTION, expected, f"one {with_weights[1]} them")
    counts = {"": (old.n_queries, new.n_queries)}
    counts |= {
        f" in {grouping}={group}": (old_report.n_queries, new.by_group[grouping][group].n_queries)
        for grouping, groups in old.by_group.items()
        for group, old_report in groups.items()
        if group in new.by_group.get(grouping, {})
    }
    for where, (before, now) in counts.items():
        if before != now:
            expected = f"of as many queries as the old report, which has {before}{where}"
            advice = "A report without values of queries does not tell which of them are shared."
            raise invalid("new", _FUNCTION, expected, count_queries(now), advice)


def _pair(reports: ReportPair, queries: str) -> PairedQueries:
    """Return the queries of two reports, paired by their ids if both have some."""
    old, new = (
        read_scores(own._query_values(reports.scores, name, _FUNCTION), name, _FUNCTION)
        for name, own in (("old", reports.old), ("new", reports.new))
    )
    are_by_id = old.ids is not None and new.ids is not None
    places_old, places_new = np.arange(len(old.values)), np.arange(len(new.values))
    only_old, only_new = _NO_IDS, _NO_IDS
    if old.ids is not None and new.ids is not None:
        only_old, only_new = old.ids[:0], new.ids[:0]
        if not are_same_ids(old.ids, new.ids):
            places_new, only_old, only_new, _ = match_ids(new.ids, old.ids)
            _check_shared(reports, only_old, only_new, queries)
            places_old = np.flatnonzero(places_new >= 0)
            places_new = places_new[places_old]
            old, new = old.take(places_old), new.take(places_new)
    elif len(old.values) != len(new.values):
        expected = f"of as many queries as the old report, which has {len(old.values)}"
        advice = "To pair queries by ids, pass `query_ids` to both reports."
        raise invalid("new", _FUNCTION, expected, str(len(new.values)), advice)
    sides = {"old": old, "new": new}
    check_alike({"old": old}, new, "new", _FUNCTION)
    given = with_units(sides, sides, QueryParameters(), _FUNCTION)
    groups = {name: own[places_new] for name, own in (new.groups or {}).items()}
    n_others = {}
    for name, names in (old.groups or {}).items():
        old_groups = names[places_old]
        if name in groups:
            is_other = old_groups.astype(object) != groups[name].astype(object)
            n_others[name] = int(is_other.sum())
        else:
            groups[name] = old_groups
    ids = next((report.ids for report in (old, new) if report.ids is not None), None)
    return PairedQueries(given, ids, are_by_id, only_old, only_new, groups, n_others)


def _check_shared(
    reports: ReportPair, only_old: NDArray[Any], only_new: NDArray[Any], queries: str
) -> None:
    """Raise if queries that only one report has may not be left out, or if all are such."""
    if only_old.size == reports.old.n_queries:
        expected = "a report that has a query of the old report"
        got = f"only others, such as {show_some(only_new[:1])},"
        are_alike = {*map(str, only_old.tolist())} & {*map(str, only_new.tolist())}
        advice = "The same ids are text in one report, and not in the other." * bool(are_alike)
        raise invalid("new", _FUNCTION, expected, got, advice)
    if queries == "equal" and (only_old.size or only_new.size):
        expected = f"of the same {reports.old.n_queries} queries as the old report, by their ids"
        got = in_words(only_old, only_new)
        raise invalid("new", _FUNCTION, expected, got, code=COMPARE_BOTH)


def in_words(only_old: NDArray[Any], only_new: NDArray[Any]) -> str:
    """Return the queries that only one report has, in words."""
    parts = [
        f"{count_queries(ids.size)} that only {side} has ({show_some(ids)})"
        for side, ids in (("old", only_old), ("new", only_new))
        if ids.size
    ]
    return " and ".join(parts)
