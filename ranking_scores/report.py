"""Many scores at once: one pass over the data, one table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from ranking_scores._base import (
    ReadOnlyDict,
    are_equal,
    as_cell,
    as_html,
    as_text,
    as_title,
    check_bool,
    check_n_jobs,
    count_queries,
    describe,
    ids_as_objects,
    invalid,
    lock,
    locked,
    pandas_for,
    unique_identifiers,
)
from ranking_scores._metrics import (
    ARRAY_PARAMETERS,
    DEFAULT_CUTOFFS,
    Evaluation,
    NamedScore,
    Plan,
    ScoreSums,
    View,
    as_it_is,
    bind_scores,
    find_scores,
    name_results,
    need_of,
    only_zeros,
    run,
    run_on,
    texts_of_options,
    warn_of_means,
    warn_of_single_items,
    with_clusters,
)
from ranking_scores._queries import Data, check_queries
from ranking_scores._tables import QueriesSeen, RankingData, arrays_of, check_groups
from ranking_scores.ties import best_order, check_falls, with_equal_scores, worst_order

__all__ = ["RankingReport", "ranking_report"]


def __dir__() -> list[str]:
    return __all__


_FUNCTION = "ranking_report"
_WIDTH = 80
"""The greatest width of a printed report, in characters. Long names may exceed it."""
_PARAMETERS = ("scores", "k", "query_ids", "by", "clusters", "ties", "chance", "n_jobs")
_PER_QUERY = (
    "per_query",
    "query_ids",
    "sample_weight",
    "clusters",
    "_evaluations",
    "_groups",
    "_options",
    "_results",
)
"""The attributes of a report that a report of sums does not have."""
_SHOWN = 20
"""The greatest number of groups that the text of a report shows."""


Results = dict[str, tuple[int, int]]
"""For each name of a result: the index of its score, and the index of its cutoff."""


@dataclass(frozen=True, eq=False, repr=False)
class RankingReport(Mapping[str, float]):
    """The result of `ranking_report`: several scores of the same data.

    A report is a read-only mapping of the names of its results, such as "ndcg@10", to their means.
    ``report["ndcg@10"]`` is a mean, and ``report.items()`` has all of them. Two reports are equal
    if all their values are, so a report has no hash.

    Attributes
    ----------
    mean : dict of str to float
        The mean of each score over the queries.

    n_undefined : dict of str to int
        The number of queries on which each score is undefined.

    per_query : dict of str to ndarray of float64 of shape (n_queries,)
        The scores of each query, in the order of `query_ids`.

    query_ids : ndarray of shape (n_queries,) or None
        The ids of the queries: `query_ids` as given, or ``np.unique(qid)`` if `qid` was given.
        None if neither was given.

    sample_weight : ndarray of float64 of shape (n_queries,) or None
        The sample weight of each query. None if no weights were given.

    clusters : ndarray of shape (n_queries,) or None
        The cluster of each query. None if no clusters were given.

    n_queries : int
        The number of queries.

    worst : dict of str to float, or None
        The mean of each score if items with equal scores are in the worst order. None without
        ``ties=True``.

    best : dict of str to float, or None
        The mean of each score if items with equal scores are in the best order. None without
        ``ties=True``.

    chance : dict of str to float, or None
        The mean of each score if all items have the same score. None without ``chance=True``.

    by_group : dict of str to dict of object to RankingReport
        For each grouping, the report of each group. It covers only the queries of that group.
        Empty without `by`.

    queries_seen : QueriesSeen or None
        The queries of the two tables that were joined, if the report is that of what
        `ranking_scores.from_tables` or its like returned: how many were judged, predicted or both.
        The report prints how many are left out, or count 0.

    metrics : tuple of str
        The names of the results.

    standard_error : dict of str to float
        The standard error of each mean, as in `StreamingScore`. It is computed on first access.

    Notes
    -----
    A report of `ranking_scores.scale` holds only sums. It has no `per_query`, `query_ids` or
    `sample_weight`, and `ranking_scores.scale.per_query` returns the values of each query.
    """

    mean: dict[str, float]
    n_undefined: dict[str, int]
    per_query: dict[str, NDArray[np.float64]]
    query_ids: NDArray[Any] | None
    sample_weight: NDArray[np.float64] | None
    clusters: NDArray[Any] | None
    n_queries: int
    worst: dict[str, float] | None
    best: dict[str, float] | None
    chance: dict[str, float] | None
    by_group: dict[str, dict[Any, RankingReport]]
    queries_seen: QueriesSeen | None
    _results: Results = field(init=False)
    _evaluations: list[Evaluation] = field(init=False)
    _groups: dict[str, NDArray[Any]] = field(init=False)
    _options: dict[str, dict[str, str]] = field(init=False)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the results."""
        return tuple(self.mean)

    @cached_property
    def standard_error(self) -> dict[str, float]:
        """The standard error of each mean."""
        errors = [[error for error, _ in each.errors()] for each in self._evaluations]
        return _by_name(errors, self._results)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise the error about values that a report of sums does not hold."""
            if name in _PER_QUERY:
                raise AttributeError(
                    f"This report holds only sums, so it has no `{name}`. "
                    "`ranking_scores.scale.per_query` returns the values of each query."
                )
            raise AttributeError(f"'RankingReport' object has no attribute {name!r}")

    def __getitem__(self, name: str) -> float:
        """Return the mean of a result."""
        if name not in self.mean:
            raise KeyError(f"{name!r} is none of the results: {', '.join(self.mean)}")
        return self.mean[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.mean)

    def __len__(self) -> int:
        return len(self.mean)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankingReport):
            return NotImplemented
        return are_equal(self._values(), other._values())

    def _values(self) -> dict[str, Any]:
        """Return all that equal reports have in common."""
        values = {name: each for name, each in vars(self).items() if name[0] != "_"}
        groups = vars(self).get("_groups")
        return values | {"standard_error": self.standard_error, "groups": groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: lock(value) for name, value in state.items()})

    def to_frame(self) -> Any:
        """Return the scores of each query as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per query and one column per result. The index is `query_ids`. The first
            columns are the groups, one column per grouping.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("RankingReport.to_frame")
        columns = self._groups | dict(self.per_query)
        frame = pandas.DataFrame(columns, index=self.query_ids)
        frame.index.name = "query"
        return frame

    def summary_frame(self) -> Any:
        """Return the means as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per result, with the columns `mean`, `standard_error` and `n_undefined`, and
            `worst`, `best` and `chance` if they were requested. With groups, each group has rows
            of its own, and the index has three levels: the grouping, the group and the name of
            the result. The first two are empty in the rows of all queries together.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("RankingReport.summary_frame")
        rows = {("", "", name): row for name, row in self._rows()}
        for grouping, group, report in self._reports_of_groups():
            rows |= {(grouping, group, name): row for name, row in report._rows()}
        frame = pandas.DataFrame(list(rows.values()))
        index = pandas.MultiIndex.from_tuples(rows, names=["grouping", "group", "score"])
        frame.index = index if self.by_group else index.get_level_values("score")
        return frame

    def __repr__(self) -> str:
        head, *body = self._table()
        tables = [as_text(head, body)]
        for head, body, n_more in self._tables_of_groups():
            names, *groups = zip(head, *body, strict=True)
            for part in _as_wide_as(groups, _WIDTH - max(map(len, names))):
                first, *others = zip(names, *part, strict=True)
                tables.append(as_text(first, others))
            if n_more:
                tables.append(f"... and {n_more} more groups")
        return "\n\n".join([*tables, "\n".join(self._notes())])

    def _repr_html_(self) -> str:
        head, *body = self._table()
        tables = [as_html(head, body)]
        for head, body, n_more in self._tables_of_groups():
            tables.append(as_html(head, body))
            if n_more:
                tables.append(f"<p>... and {n_more} more groups</p>")
        return "\n".join([*tables, *(f"<p>{escape(note)}</p>" for note in self._notes())])

    def _notes(self) -> list[str]:
        """Return the lines below the tables."""
        of_groups = "; mean ± standard error of each group" if self.by_group else ""
        clusters = vars(self).get("clusters")  # which a report of sums does not have
        if clusters is not None:
            of_groups = f", {len(set(ids_as_objects(clusters)))} clusters{of_groups}"
        of_tables = [] if self.queries_seen is None else self.queries_seen.lines()
        return [f"{count_queries(self.n_queries)}{of_groups}", *of_tables]

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the numbers of each result."""
        tables: dict[str, Mapping[str, Any] | None] = {
            "mean": self.mean,
            "standard_error": self.standard_error,
            "n_undefined": self.n_undefined,
            "worst": self.worst,
            "best": self.best,
            "chance": self.chance,
        }
        for name in self.mean:
            yield name, {key: of[name] for key, of in tables.items() if of is not None}

    def _table(self) -> list[list[str]]:
        """Return the table of all queries as text, one row per result."""
        rows = list(self._rows())
        head = ["", *map(as_title, rows[0][1])]
        return [head, *([name, *map(as_cell, row.values())] for name, row in rows)]

    def _mean_and_error(self, name: str) -> str:
        """Return a mean and its standard error for a cell of a table."""
        mean, error = as_cell(self.mean[name]), self.standard_error[name]
        return mean if math.isnan(error) else f"{mean} ± {as_cell(error)}"

    def _reports_of_groups(self) -> Iterator[tuple[str, Any, RankingReport]]:
        for grouping, reports in self.by_group.items():
            for group, report in reports.items():
                yield grouping, group, report

    def _tables_of_groups(self) -> Iterator[tuple[list[str], list[list[str]], int]]:
        """Yield the head and the rows of each grouping's table, and how many groups it omits."""
        for grouping, reports in self.by_group.items():
            shown = dict(list(reports.items())[:_SHOWN])
            head = [*map(_as_head, [grouping, *shown])]
            counts = ["queries", *(str(report.n_queries) for report in shown.values())]
            means = [
                [name, *(report._mean_and_error(name) for report in shown.values())]
                for name in self.mean
            ]
            yield head, [counts, *means], len(reports) - len(shown)


def ranking_report(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    scores: Any = ("ndcg", "map", "mrr", "precision", "recall", "hit_rate"),
    k: Any = DEFAULT_CUTOFFS,
    query_ids: ArrayLike | None = None,
    by: Any = None,
    clusters: Any = None,
    ties: bool = False,
    chance: bool = False,
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
        The scores to compute, by default nDCG, MAP, MRR, precision, recall and hit rate. A score
        is one of:

        - a name: "ndcg", "dcg", "map", "mrr", "precision", "recall", "f1", "hit_rate", "err",
          "rbp", "r_precision", "auc", "pairwise_accuracy" or "arp";
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
        - A dict maps names to several groupings. A single grouping takes the name of its Series,
          or is called "group".

        The groups must be sortable, and none may be missing. The report lists them in sorted
        order.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user, topic or session, in the form of `by`. Queries
        of one cluster may depend on each other, which the standard errors then count in. It cannot
        be combined with `item_weight`. None: all queries are independent.

    ties : bool, default=False
        Whether to add the mean of each score for the worst and for the best order of items with
        equal scores, as `ranking_scores.ties.tie_report` returns them.

    chance : bool, default=False
        Whether to add the mean of each score for a random ranking, as
        `ranking_scores.ties.chance_level` returns it. It cannot be combined with `ignore_ties`.

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
        table.

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
    queries_seen = y_true.queries_seen if isinstance(y_true, RankingData) else None
    y_true, y_score, query_ids = arrays_of(y_true, y_score, query_ids, _FUNCTION)
    named = find_scores(scores, _FUNCTION)
    bound = bind_scores(named, params | {"k": k}, _FUNCTION, name_score, own=_PARAMETERS)
    arrays = {name: params.get(name) for name in ("labels", *ARRAY_PARAMETERS)}
    data = Data(_FUNCTION, y_true, y_score, **arrays, query_ids=query_ids)
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
    tasks = [(plan, view) for view in views.values() for plan in plans]
    queries = check_queries(data, need_of(tasks))
    ids = queries.ids
    if query_ids is not None:
        ids = data.ids_of_rows(queries.n_queries)
    groups = check_groups(by, ids, queries, data, results)
    if ties:
        for score, plan in zip(bound, plans, strict=True):
            cutoffs = plan.call.cutoffs.ranks
            check_falls(score.options.get("discount"), cutoffs, queries.longest, _FUNCTION)
    if queries.weight is not None and not queries.weight.any():
        raise only_zeros(_FUNCTION)
    evaluations = with_clusters(run_on(queries, tasks, n_jobs), clusters, ids, queries, data)
    of_view = {
        name: evaluations[number * len(plans) : (number + 1) * len(plans)]
        for number, name in enumerate(views)
    }
    if chance:
        of_view["chance"] = by_chance(plans, data, _FUNCTION, n_jobs)
    options = [texts_of_options(score) for score in bound]
    report = _make_report(results, of_view, ids, groups)
    for each in (report, *(of_group for *_, of_group in report._reports_of_groups())):
        vars(each)["_options"] = {name: options[score] for name, (score, _) in results.items()}
    vars(report).update(queries_seen=queries_seen)
    _warn(report, queries.are_single)
    return report


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
    plans: Sequence[Plan], data: Data, caller: str, n_jobs: int | None = None
) -> list[Evaluation]:
    """Return the scores of a random ranking."""
    if issparse(data.y_score):
        expected = "False if y_score is sparse, since chance cannot say which items are retrieved"
        raise invalid("chance", caller, expected, "True")
    return run([(plan, as_it_is) for plan in plans], with_equal_scores(data), n_jobs)


def _make_report(
    results: Results,
    of_view: dict[str, list[Evaluation]],
    ids: NDArray[Any] | None,
    groups: dict[str, NDArray[Any]],
) -> RankingReport:
    """Return the report of all queries, which includes the reports of their groups."""
    means = {
        view: _by_name([[sums.mean() for sums in each.sums()] for each in evaluations], results)
        for view, evaluations in of_view.items()
    }
    evaluations = of_view["mean"]
    n_undefined = [(~each.is_defined).sum(axis=0).tolist() for each in evaluations]
    by_group = {
        grouping: ReadOnlyDict(dict(_reports_by_group(results, of_view, ids, values)))
        for grouping, values in groups.items()
    }
    weight, clusters = evaluations[0].sample_weight, evaluations[0].cluster
    report = RankingReport(
        mean=means["mean"],
        n_undefined=_by_name(n_undefined, results),
        per_query=_by_name([list(locked(each.values.T)) for each in evaluations], results),
        query_ids=None if ids is None else locked(ids),
        sample_weight=None if weight is None else locked(weight),
        clusters=None if clusters is None else locked(clusters),
        n_queries=evaluations[0].values.shape[0],
        worst=means.get("worst"),
        best=means.get("best"),
        chance=means.get("chance"),
        by_group=ReadOnlyDict(by_group),
        queries_seen=None,
    )
    vars(report).update(_results=results, _evaluations=evaluations, _groups=groups)
    return report


def report_of_sums(
    results: list[str],
    sums: ScoreSums,
    groups: Mapping[str, Mapping[Any, ScoreSums]],
    caller: str,
    queries_seen: QueriesSeen | None = None,
) -> RankingReport:
    """Return a report that does not hold the values of the queries, only what their sums tell."""
    if not sums.n_weighted:
        raise only_zeros(caller)
    by_group = {
        grouping: ReadOnlyDict({key: _sums_alone(results, each, {}) for key, each in of.items()})
        for grouping, of in groups.items()
    }
    report = _sums_alone(results, sums, by_group)
    vars(report).update(queries_seen=queries_seen)
    _warn(report, sums.are_single, caller)
    return report


def _sums_alone(
    results: list[str], sums: ScoreSums, by_group: Mapping[str, Mapping[Any, RankingReport]]
) -> RankingReport:
    """Return the report of some sums, without a warning."""

    def by_name(values: Iterable[Any]) -> dict[str, Any]:
        return ReadOnlyDict(dict(zip(results, values, strict=True)))

    report = object.__new__(RankingReport)
    vars(report).update(
        mean=by_name(each.sums.mean() for each in sums.at_cutoff),
        n_undefined=by_name(each.n_undefined for each in sums.at_cutoff),
        standard_error=by_name(each.standard_error() for each in sums.at_cutoff),
        n_queries=sums.n_queries,
        by_group=ReadOnlyDict(by_group),
        **dict.fromkeys(("worst", "best", "chance", "queries_seen")),
    )
    return report


def _by_name(values: list[list[Any]], results: Results) -> dict[str, Any]:
    """Return values, given by score and cutoff, under the names of their results."""
    named = {name: values[score][cutoff] for name, (score, cutoff) in results.items()}
    return ReadOnlyDict(named)


def _reports_by_group(
    results: Results,
    of_view: dict[str, list[Evaluation]],
    ids: NDArray[Any] | None,
    values: NDArray[Any],
) -> Iterator[tuple[Any, RankingReport]]:
    """Yield each group of queries with its report."""
    groups, group_of_query = unique_identifiers(values, "by", _FUNCTION)
    by_group = np.argsort(group_of_query, kind="stable")
    cuts = np.searchsorted(group_of_query[by_group], np.arange(1, groups.size))
    keys = groups if groups.dtype.kind in "mM" else groups.tolist()
    for key, queries in zip(keys, np.split(by_group, cuts), strict=True):
        of_group = {
            view: [each.of_queries(queries) for each in evaluations]
            for view, evaluations in of_view.items()
        }
        yield key, _make_report(results, of_group, None if ids is None else ids[queries], {})


def undefined_by_query(report: RankingReport) -> dict[str, NDArray[np.bool_]]:
    """Return, for each result, the queries on which it is undefined."""
    return _by_name([list(~each.is_defined.T) for each in report._evaluations], report._results)


def _warn(report: RankingReport, are_single: bool, caller: str = _FUNCTION) -> None:
    """Warn of all means that are NaN, and of those of all queries if no query has a score."""
    means = dict(report.mean)
    are_defined = [count < report.n_queries for count in report.n_undefined.values()]
    for grouping, group, of_group in report._reports_of_groups():
        means |= {f"{name} of {grouping}={group}": mean for name, mean in of_group.mean.items()}
    are_defined += [True] * (len(means) - len(are_defined))  # a group may well be undefined
    warn_of_means(list(means.values()), are_defined, caller, list(means))
    warn_of_single_items(are_single, report.n_queries, caller)


def _as_head(group: Any) -> str:
    """Return the name of a group on one line, shortened if it is long."""
    name = " ".join(str(group).split())
    longest = _WIDTH // 2 - 1  # so that two names, with space between them, fit on a line
    return name if len(name) <= longest else f"{name[: longest - 3]}..."


def _as_wide_as(columns: list[Any], width: int) -> Iterator[list[Any]]:
    """Yield columns in parts that fit into a width. Each part has at least one column."""
    part: list[Any] = []
    left = width
    for column in columns:
        needed = 2 + max(map(len, column))
        if part and needed > left:
            yield part
            part, left = [], width
        part.append(column)
        left -= needed
    yield part
