"""Many scores at once: one pass over the data, one table."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._by_id import match_ids
from ranking_scores._base._errors import invalid, show_some, show_text
from ranking_scores._base._results import are_equal
from ranking_scores._base._validation import (
    advises_on_keywords,
    as_csr,
    check_bool,
    check_n_jobs,
    check_real_array,
    check_tensors,
    describe,
    is_sparse,
)
from ranking_scores._files._saved_files import has_format, load
from ranking_scores._metrics._bounds import (
    check_grades,
    for_unknown,
    of_labels,
    plans_beside,
    warn_of_labels,
    with_max_grade,
)
from ranking_scores._metrics._evaluate import (
    ARRAY_PARAMETERS,
    Plan,
    ScoreEvaluation,
    View,
    as_it_is,
    need_of,
    only_zeros,
    run,
    run_on,
    warn_of_means,
    warn_of_single_items,
    with_clusters,
)
from ranking_scores._metrics._named import (
    DEFAULT_CUTOFFS,
    DEFAULT_SCORES,
    NO_ANSWER,
    NamedScore,
    bind_scores,
    check_complete as check_complete,
    find_score as find_score,
    find_scores as find_scores,
    name_results,
    only_with_answer,
    parameters_of,
    range_of as range_of,
    score_of_no_answer,
    scores_at,
)
from ranking_scores._metrics._orders import best_order, worst_order
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores._metrics._sums_of_scores import ResultFacts, ScoreSums, facts_of_results
from ranking_scores._queries._data import CallData, n_axes
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._relevance import check_relevance
from ranking_scores._tables._columns import check_groups
from ranking_scores._tables._ranking_data import (
    Judgments,
    QueriesSeen,
    RankingData,
    refuse_unjudged,
)
from ranking_scores.report._notes import (
    ListFacts,
    line_on_known_items,
    line_on_own_items,
    line_on_ties,
    plan_of_facts,
)
from ranking_scores.report._report import (
    RankingReport,
    has_classes,
    judgments_of,
    map_groups,
    report_of_evaluations,
    report_of_file,
    report_of_sums_alone,
)
from ranking_scores.report._saved_reports import REPORT, attributes_of
from ranking_scores.report._value_files import read_values as read_values
from ranking_scores.ties import check_falls, task_by_chance, with_equal_scores

__all__ = ["Judgments", "RankingReport", "ranking_report", "read_report"]


def __dir__() -> list[str]:
    return __all__


_FUNCTION = "ranking_report"
_MOST_CELLS = 2**18
"""For more scores, a report does not keep the data until it is printed, to look at the ties."""


@advises_on_keywords
def ranking_report(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    scores: Any = DEFAULT_SCORES,
    k: Any = DEFAULT_CUTOFFS,
    query_ids: ArrayLike | None = None,
    by: Any = None,
    clusters: Any = None,
    human: Any = None,
    ties: bool = False,
    chance: bool = False,
    unjudged: bool = False,
    no_answer: bool = False,
    known_items: Any = None,
    n_jobs: int | None = None,
    **params: Any,
) -> RankingReport:
    """Compute several scores at several cutoffs, with standard errors, in one table.

    The data is read once, and each query is ranked once for all scores. Every number is
    bit-for-bit the number that the score returns when it is called alone.

    Parameters
    ----------
    y_true : array-like, sparse or RankingData
        The labels, in any layout that all of the scores accept. Or the result of
        `ranking_scores.from_tables` or `ranking_scores.from_table`, without `y_score`: then its
        `query_ids` name the queries.

    y_score : array-like or sparse, default=None
        The scores that rank the items, in the same layout.

    scores : str, callable, sequence of these or dict
        The scores to compute. The default is "ndcg@10", "map", "mrr@10", "precision@10",
        "recall@100" and "hit_rate@10", or these at the cutoffs `k`. A score is one of:

        - a name such as "ndcg", "map", "hit_rate" or "arp". The table in "Choosing a metric" of
          the guide has all of them, and so has the error about a name that is not known;
        - a name with a cutoff of its own, such as "ndcg@10";
        - a score function of this package, or a `functools.partial` of one.

        A dict maps names of your choice to scores. The cutoffs are appended to these names.

    k : int, None or sequence of these, default=(1, 5, 10)
        The cutoffs of the scores that have no cutoff of their own, in their name or in a
        `partial`. None is the whole list. A score without the parameter `k` is computed once. If
        `k` is left out and any score has a cutoff of its own, the others get the whole list.

    query_ids : array-like of shape (n_queries,), default=None
        The names of the queries, all different, for data with one query per row. Leave it out if
        you pass `qid`, which already names the queries.

    by : array-like or dict of str to array-like, default=None
        The group of each query, such as its language or device.

        - Without `qid`, the shape is (n_queries,).
        - With `qid`, the shape is (n_rows,), and all rows of a query must have the same group.
        - A dict by query id, a Series by query id, or a table whose first column has the ids of
          the queries is matched by these ids. It has exactly the queries of the report.
        - A dict maps names to several groupings. A single grouping takes the name of its Series,
          or is called "group".

        The groups must be sortable, and none may be missing. The report lists them in sorted
        order.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user, topic or session, in the form of `by`. Queries
        of one cluster may depend on each other, which the standard errors then count in. It cannot
        be combined with `item_weight`. None: all queries are independent.

    human : RankingData or array-like, default=None
        Labels by people of a random part of the queries, if a model wrote the labels of
        `y_true`. They are scored in the same way, on the same predictions, and
        `ranking_scores.significance.confidence_interval`, `ranking_scores.significance.compare`
        and `ranking_scores.gates.check` take them in. For `RankingData`, it is what the same
        function returned for people's judgments and the same predictions. Otherwise it has the
        shape of `y_true`, with NaN for all items of queries that people did not judge. It cannot
        be combined with `item_weight` or with class labels.

    ties : bool, default=False
        Whether to add the mean of each score for the worst and for the best order of items with
        equal scores, as `ranking_scores.ties.tie_report` returns them.

    chance : bool, default=False
        Whether to add the mean of each score for a random ranking, as
        `ranking_scores.ties.chance_level` returns it. It cannot be combined with `ignore_ties`.

    unjudged : bool, default=False
        Whether to add what unjudged items could do to each score: the share of the first ranks
        that was judged, the lowest and the highest mean over all labels that unjudged items could
        have, as `ranking_scores.unjudged.score_bounds` returns them, and the mean without these
        items. The labels could be 0 or 1, or from 0 to `max_grade` if it is passed. A label is
        unknown if it is NaN, or is not stored in sparse labels. It cannot be combined with
        `item_weight` or with measures of other programs.

    no_answer : bool, default=False
        Whether queries without a relevant item are questions that nothing answers, to which the
        right reply is an empty list. Then the other scores are over the queries that have an
        answer, and the result "no_answer" is the share of the others whose list is empty. It
        needs data by id, or one query per row, and cannot be combined with `human`, `unjudged`,
        `item_weight`, aspects or measures of other programs.

    known_items : collection of ids, default=None
        The ids of all items that there are, such as those of an index. The report says how many
        relevant items are not among them, such as chunks of documents that were cut anew. It needs
        data by id.

    n_jobs : int, default=None
        The number of threads that score the queries, at most one per core. -1 uses all cores. None
        is 1, unless a `joblib.parallel_config` around the call says otherwise. The results do not
        depend on it, and a `gain` or `discount` of your own is called by one thread at a time.

    **params
        Other parameters of the scores. All of the scores must accept `qid`, `sample_weight`,
        `where`, `item_weight` and `labels`, if you pass them. Options such as `gain`,
        `persistence` or `relevance_threshold` go to the scores that have them, unless a `partial`
        sets its own.

    Returns
    -------
    report : RankingReport
        A frozen dataclass with the mean, the standard error and the values per query of each
        result. A result is named "ndcg@10", or "ndcg" for the whole list. The report prints as a
        table, with lines below it about what the scores cannot tell. If scores tie, it keeps data
        of up to 262144 of them until it is printed, pickled or saved, to see what ties can change.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if two results have the same name, or if one of
        the scores refuses the data. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If a mean is NaN, since no query has both a positive weight and a defined score. One
        warning names all such results.

    See Also
    --------
    StreamingScore : Computes several scores of data that comes in batches.
    ranking_scores.unanswerable.answer_curve : Has questions without an answer by threshold.
    ranking_scores.ties.tie_report : Shows the effect of ties on one score in more detail.
    make_ranking_scorer : Takes the same names, such as "ndcg@10".
    ranking_scores.significance.compare_all : Tests whether one report is better than another.

    Notes
    -----
    The report of a group is the report of its queries alone. If all sample weights of a group are
    0, its means are NaN.

    The standard errors are those of `StreamingScore`, also with clusters. They do not tell which
    of two systems is better on the same queries. To compare two systems, use the differences of
    their values per query: `ranking_scores.significance.compare_all` takes their reports.

    Examples
    --------
    >>> from ranking_scores import ranking_report
    >>> y_true = [[0, 2, 1, 0], [1, 0, 0, 0], [0, 0, 3, 1]]
    >>> y_score = [[0.1, 0.9, 0.4, 0.3], [0.2, 0.2, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1]]
    >>> report = ranking_report(y_true, y_score, scores=["ndcg", "mrr"], k=[1, 3])
    >>> report
              mean  standard error  undefined
    ndcg@1  0.4444          0.2940          0
    ndcg@3  0.7078          0.1694          0
    mrr@1   0.4444          0.2940          0
    mrr@3   0.6481          0.1933          0
    <BLANKLINE>
    3 queries
    ties matter most to ndcg@1: lowest 0.3333, expected 0.4444, highest 0.6667
    >>> report["ndcg@3"]
    0.707...
    >>> report.per_query["mrr@3"]
    array([1.        , 0.61111111, 0.33333333])

    The data can also have one item per row, with the query of each row in `qid`. `by` groups the
    queries:

    >>> ranking_report(
    ...     [0, 1, 1, 0, 0], [0.3, 0.4, 0.9, 0.5, 0.1], qid=["b", "b", "a", "a", "a"],
    ...     scores=["ndcg", "map@2"], k=None, by={"device": ["tv", "tv", "pc", "pc", "pc"]},
    ... ).by_group["device"]["tv"].mean
    {'ndcg': 1.0, 'map@2': 1.0}
    """
    params = check_tensors({"y_true": y_true, "y_score": y_score, **params}, _FUNCTION)
    y_true, y_score = params.pop("y_true"), params.pop("y_score")
    queries_seen = None
    if isinstance(y_true, RankingData):
        queries_seen = y_true.queries_seen
        query_ids = y_true.query_ids if query_ids is None else query_ids
    named = find_scores(scores_at(scores, k), _FUNCTION)
    unjudged, highest_grade = check_bool(unjudged, "unjudged", _FUNCTION), 1
    if unjudged:
        params, highest_grade = with_max_grade(
            named, params, params.get("max_grade", 1), _FUNCTION
        )
    own = parameters_of(ranking_report)
    bound = bind_scores(named, params | {"k": k}, _FUNCTION, name_score, own=own)
    arrays = {name: params.get(name) for name in ("labels", *ARRAY_PARAMETERS)}
    data = CallData(_FUNCTION, y_true, y_score, **arrays, query_ids=query_ids)
    no_answer = check_bool(no_answer, "no_answer", _FUNCTION)
    if no_answer:
        _check_no_answer(bound, y_true, human, unjudged, params)
        bound.append(score_of_no_answer(params.get("relevance_threshold")))
    plans = [score.plan(y_true, y_score, name_score) for score in bound]
    results = name_results(bound, plans, _FUNCTION)
    ties, chance = check_bool(ties, "ties", _FUNCTION), check_bool(chance, "chance", _FUNCTION)
    n_jobs = check_n_jobs(n_jobs, _FUNCTION)
    for option, is_asked in (("ties", ties), ("chance", chance)):
        if is_asked:
            check_no_order(bound, option, _FUNCTION)
    views: dict[str, View] = {"mean": as_it_is}
    if ties:
        views |= {"worst": worst_order, "best": best_order}
    labels: list[Plan] = []
    beside: dict[str, list[Plan]] = {}
    if unjudged:
        check_grades(bound, highest_grade, _FUNCTION)
        plans, labels = list(map(for_unknown, plans)), [of_labels(plans[0])]
        beside = plans_beside(plans, highest_grade)
    tasks = [(plan, view) for view in views.values() for plan in plans]
    tasks += [(plan, as_it_is) for several in (*beside.values(), labels) for plan in several]
    need = need_of(tasks)
    queries = check_queries(data, need, may_have_aspects=True)
    ids = queries.ids
    over_aspects = queries.aspects is not None
    if over_aspects:
        _refuse_beside_aspects(
            ties=ties, chance=chance, unjudged=unjudged, human=human, no_answer=no_answer
        )
    if query_ids is not None:
        ids = data.ids_of_rows(queries.n_queries)
    groups = {} if by is None else check_groups(by, ids, queries, data, results)
    if ties or unjudged:
        for score, plan in zip(bound, plans, strict=True):
            cutoffs = plan.call.cutoffs.ranks
            check_falls(score.options.get("discount"), cutoffs, queries.longest, _FUNCTION)
    if queries.weight is not None and not queries.weight.any():
        raise only_zeros(_FUNCTION)
    lists = None
    if not over_aspects:
        tasks.append((plan_of_facts(plans, tells_known=need.tells_known), as_it_is))
    evaluations = with_clusters(run_on(queries, tasks, n_jobs), clusters, ids, queries, data)
    if not over_aspects:
        lists = ListFacts(*evaluations.pop().values.max(axis=0).tolist())
        if has_classes(data):  # each sample has one
            lists = lists._replace(most_relevant=0)
    if unjudged:
        warn_of_labels(evaluations[-1].values[:, 1], highest_grade, _FUNCTION, plans)
    by_view = {
        name: evaluations[number * len(plans) : (number + 1) * len(plans)]
        for number, name in enumerate((*views, *beside))
    }
    if chance:
        by_view["chance"] = by_chance(plans, data, _FUNCTION, n_jobs)
    if no_answer:
        by_view = {name: only_with_answer(scored) for name, scored in by_view.items()}
    about = {
        "facts": facts_of_results(bound, plans, results, over_aspects=over_aspects),
        "judgments": judgments_of(data, ids, may_be_nan=need.accepts_nan),
    }
    report = report_of_evaluations(results, by_view, ids, groups, about)
    if human is not None:
        asked = {"scores": scores, "k": k, **params}
        human_scores = _values_by_people(human, y_true, y_score, asked, ids, queries.n_queries)
        report = report._with_human(human_scores)
    lines: list[str] = []
    if isinstance(y_true, RankingData):
        lines += line_on_own_items(y_true)
    if known_items is not None:
        relevance = check_relevance(params.get("relevance_threshold"), _FUNCTION)
        lines += line_on_known_items(y_true, known_items, relevance, "known_items", _FUNCTION)
    of_ties: Any = ()
    are_programs = any(isinstance(score.function, ProgramScore) for score in bound)
    if lists is not None and lists.has_ties and not (ties or are_programs):
        n_cells = queries.n_queries * queries.longest
        if is_sparse(y_score):
            given: tuple[Any, Any] = y_true, y_score
            n_cells = max(own.nnz if is_sparse(own) else math.prod(np.shape(own)) for own in given)
        asked = {"scores": scores, "k": k, "query_ids": query_ids, "no_answer": no_answer}
        if n_cells > _MOST_CELLS or unjudged:
            of_ties = ["scores tie: `ties=True` has the lowest and the highest means"]
        else:
            asked |= {"y_true": y_true, "y_score": y_score, **params}
            kept = {name: _without_base(each) for name, each in asked.items()}
            of_ties = partial(_line_on_ties, report.per_query, kept)
    vars(report).update(queries_seen=queries_seen, _lists=lists, _lines=lines, _ties=of_ties)
    _warn(report, queries.are_single)
    return report


def _without_base(value: Any) -> Any:
    """Return a copy of a view, which would keep all of its array, and other values unchanged."""
    is_view = isinstance(value, np.ndarray) and value.base is not None
    return value.copy() if is_view else value


def _line_on_ties(values: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Return the line about the ties of data; none if it is not known, or the data has changed."""
    try:
        with warnings.catch_warnings(action="ignore"):
            report = ranking_report(ties=True, **asked)
    except Exception:  # also of a function or a file of the caller's, which may be closed
        return []
    return line_on_ties(report) if are_equal(report.per_query, values) else []


def _check_no_answer(
    scores: Sequence[NamedScore], y_true: Any, human: Any, unjudged: bool, params: dict[str, Any]
) -> None:
    """Raise unless empty lists can be told, and queries without an answer be left out."""
    expected = "False if there is `{}`, since {}"
    for name, is_given, reason in (
        ("human", human is not None, "people may find an answer where the model found none"),
        ("unjudged", unjudged, "an unjudged item may be an answer"),
        ("item_weight", params.get("item_weight") is not None, "it changes the mean"),
        ("qid", params.get("qid") is not None, "each query has a row, so no list is empty"),
    ):
        if is_given:
            raise invalid("no_answer", _FUNCTION, expected.format(name, reason), "True")
    if not isinstance(y_true, RankingData) and n_axes(y_true) == 1:
        expected = "False for class labels, since each sample has a class"
        raise invalid("no_answer", _FUNCTION, expected, "True")
    for score in scores:
        if isinstance(score.function, ProgramScore):
            expected = "False for measures of other programs, which choose their queries"
            raise invalid("no_answer", _FUNCTION, expected, f"True with {score.name!r}")
        report_threshold = params.get("relevance_threshold")
        if score.options.get("relevance_threshold", report_threshold) != report_threshold:
            expected = "False if the relevance_threshold of a score is not that of the report"
            raise invalid("no_answer", _FUNCTION, expected, f"True with {score.name!r}")
    if isinstance(y_true, RankingData):
        refuse_unjudged(y_true.queries_seen, _FUNCTION)


def _refuse_beside_aspects(**options: Any) -> None:
    """Raise if an option is asked for that is not known of data over aspects."""
    for name, option in options.items():
        if option is not None and option is not False:
            no = "None" if name == "human" else "False"
            raise invalid(name, _FUNCTION, f"{no} if y_true is over aspects", describe(option))


def _values_by_people(
    human: Any, y_true: Any, y_score: Any, asked: dict[str, Any], ids: Any, n_queries: int
) -> dict[str, NDArray[np.float64]]:
    """Return the scores of each query by people's labels, NaN where they did not judge.

    `asked` has the scores and their parameters.
    """
    for name in ("item_weight", "labels"):
        if asked.get(name) is not None:
            raise invalid("human", _FUNCTION, f"None if there is `{name}`", describe(human))
    asked = asked | {"sample_weight": None}
    if isinstance(y_true, RankingData):
        if not isinstance(human, RankingData):
            expected = "RankingData, as `y_true` is, with people's judgments"
            raise invalid("human", _FUNCTION, expected, describe(human))
        report = ranking_report(human, **asked)
    else:
        labels, is_row = _rows_by_people(human, np.shape(y_true), asked)
        ranked = as_csr(y_score) if is_sparse(y_score) else np.asarray(y_score)
        for name in ("where", "qid"):
            if asked.get(name) is not None:
                asked[name] = np.asarray(asked[name])[is_row]
        report = ranking_report(labels[is_row], ranked[is_row], **asked)
    if report.query_ids is None:
        places = np.flatnonzero(is_row)
    else:
        places = match_ids(ids, report.query_ids).places
        if (places < 0).any():
            expected = "about some of the queries that the model judged"
            got = f"also {show_some(report.query_ids[places < 0])}"
            raise invalid("human", _FUNCTION, expected, got)
    found = {}
    for name, values in report.per_query.items():
        found[name] = np.full(n_queries, np.nan)
        found[name][places] = values
    return found


def _rows_by_people(
    human: Any, shape: tuple[int, ...], asked: Mapping[str, Any]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return people's labels, and the rows of the queries that they judged."""
    labels = check_real_array(human, "human", _FUNCTION).astype(np.float64)
    if labels.shape != shape:
        got = f"shape {labels.shape}"
        raise invalid("human", _FUNCTION, f"of the shape of `y_true`, {shape}", got)
    qid, where = asked.get("qid"), asked.get("where")
    if labels.ndim == 1 and qid is None:
        raise invalid("human", _FUNCTION, "None for class labels", describe(human))
    counts = True if where is None else np.asarray(where, dtype=bool)
    is_judged = ~np.isnan(labels)
    if qid is None:
        query, n_queries = np.indices(labels.shape)[0], len(labels)
    else:
        names, query = np.unique(np.asarray(qid), return_inverse=True)
        n_queries = len(names)
    has, lacks = (
        np.bincount(query.ravel(), (flags & counts).ravel(), n_queries) > 0
        for flags in (is_judged, ~is_judged)
    )
    if not has.any():
        raise invalid("human", _FUNCTION, "labels of at least one query", "only NaN")
    if (has & lacks).any():
        place = int(np.argmax(has & lacks))
        which = f"query {place}" if qid is None else f"query {show_some(names[place : place + 1])}"
        expected = "labels of all items of a query or of none of them, which are NaN"
        raise invalid("human", _FUNCTION, expected, f"some of {which}")
    return labels, has if qid is None else has[query]


def name_score(name: str) -> str:
    """Return the name of a score of the report, for error messages."""
    return f"{_FUNCTION}, for {name},"


def check_no_order(scores: Sequence[NamedScore], option: str, caller: str) -> None:
    """Raise if a score uses one order of the ties, although an option needs all orders."""
    for score in scores:
        ignore_ties = score.options.get("ignore_ties", False)
        if ignore_ties is not False:
            expected = f"False if {option}=True, which needs all orders of the ties"
            raise invalid("ignore_ties", caller, expected, describe(ignore_ties))


def by_chance(
    plans: Sequence[Plan], data: CallData, caller: str, n_jobs: int | None = None
) -> list[ScoreEvaluation]:
    """Return the scores of a random ranking."""
    if isinstance(data.y_true, RankingData) or is_sparse(data.y_score):
        expected = "False if y_score is sparse, since chance cannot say which items are retrieved"
        raise invalid("chance", caller, expected, "True")
    return run(list(map(task_by_chance, plans)), with_equal_scores(data), n_jobs)


def report_of_sums(
    facts: Mapping[str, ResultFacts],
    sums: ScoreSums,
    groups: Mapping[str, Mapping[Any, ScoreSums]],
    caller: str,
    queries_seen: QueriesSeen | None = None,
) -> RankingReport:
    """Return a report that does not hold the values of the queries, only what their sums tell."""
    if not sums.n_weighted:
        raise only_zeros(caller)
    by_group = map_groups(groups, lambda own: report_of_sums_alone(own, facts, {}))
    report = report_of_sums_alone(sums, facts, by_group, queries_seen)
    _warn(report, sums.are_single, caller)
    return report


@advises_on_keywords
def read_report(
    path: str | os.PathLike[str], *, values_from: str | os.PathLike[str] | None = None
) -> RankingReport:
    """Read a report that `RankingReport.to_json` has saved.

    Parameters
    ----------
    path : path
        The path of the file, which may be compressed.

    values_from : path, default=None
        The file in which `ranking_scores.scale.per_query` has put the values of each query. Pass
        it if that file was moved, or if it is not in the folder of `path` or in a folder therein.
        None is the file that the report names.

    Returns
    -------
    report : RankingReport
        The report. It equals the one that was saved, with all digits. Without the values of each
        query in the file, it has no `per_query`, `query_ids`, `sample_weight` or `clusters`.

    Raises
    ------
    ValueError, TypeError
        If the file is no saved report, if it was cut or edited, if a newer release wrote it, or if
        it names a file of values outside its folder and `values_from` is None. The error is of
        both types, as in scikit-learn.
    OSError
        If the file cannot be read.

    See Also
    --------
    RankingReport.to_json : Saves a report.
    ranking_scores.significance.compare_all : Compares reports.

    Notes
    -----
    Reading runs no code that the file has. If an option of a score was a function, the report
    knows only its name and says so in print.

    The digest in the file finds damage, not forgery, since anyone can compute it. So all content
    is checked, too: the file of somebody else may have other numbers, but only those that a report
    can have.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from ranking_scores import ranking_report
    >>> from ranking_scores.report import read_report
    >>> report = ranking_report([[0, 2, 1], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]], scores="ndcg@3")
    >>> with TemporaryDirectory() as folder:
    ...     report.to_json(f"{folder}/baseline.json")
    ...     read_report(f"{folder}/baseline.json") == report
    True
    """
    return _load(path, "path", "read_report", values_from)


def as_report(report: Any, parameter: str, function: str) -> RankingReport:
    """Return a report, or read it if its path is given."""
    if isinstance(report, RankingReport):
        return report
    if not isinstance(report, (str, os.PathLike)):
        expected = "a RankingReport or the path of one that was saved"
        raise invalid(parameter, function, expected, describe(report))
    return _load(report, parameter, function)


def is_report(path: Path) -> bool:
    """Return whether a file begins as saved reports do."""
    return has_format(REPORT, path)


def names_of_results(scores: Any, function: str, parameter: str) -> list[str]:
    """Return the names of the results of some scores, which a file may have."""
    found = find_scores(scores, function, parameter)
    bound = bind_scores(found, {"k": None}, function, str)
    plans = [score.plan(None, None) for score in bound]
    return list(name_results(bound, plans, function, parameter))


def _load(path: Any, parameter: str, function: str, values_from: Any = None) -> RankingReport:
    """Return the report in a file."""
    attributes = load(REPORT, path, attributes_of, function, parameter)
    values = attributes.pop("values")
    if values_from is not None:
        if not isinstance(values_from, (str, os.PathLike)):
            raise invalid("values_from", function, "None or a path", describe(values_from))
        if values is None:
            expected = "None, since the report names no file with the values of each query"
            raise invalid("values_from", function, expected, repr(str(values_from)))
        return report_of_file(attributes, Path(values_from).resolve())
    if values is None:
        return report_of_file(attributes, None)
    folder = Path(path).resolve().parent
    values_path = Path(os.path.normpath(folder / values))
    if not values_path.resolve().is_relative_to(folder):
        expected = "the path of a report whose values of each query are in a file in its folder"
        got = f"{str(path)!r}, which names the file {show_text(values)},"
        advice = "If you trust the report, `read_report(path, values_from=...)` of Python reads "
        advice += "it with the file that you name, and `to_json` saves it again, beside that file."
        raise invalid(parameter, function, expected, got, advice)
    return report_of_file(attributes, values_path)


def _warn(report: RankingReport, are_single: bool, caller: str = _FUNCTION) -> None:
    """Warn of all means that are NaN, and of those of all queries if no query has a score."""
    means = dict(report.mean)
    are_defined = [count < report.n_queries for count in report.n_undefined.values()]
    own = {NO_ANSWER} if report._tells_no_answer() else set()  # a group may lack such queries
    for grouping, group, group_report in report._reports_of_groups():
        means |= {
            f"{name} of {grouping}={group}": mean
            for name, mean in group_report.mean.items()
            if name not in own
        }
    are_defined += [True] * (len(means) - len(are_defined))  # a group may well be undefined
    warn_of_means(list(means.values()), are_defined, caller, list(means))
    if are_single:
        warn_of_single_items(report.n_queries, caller)
