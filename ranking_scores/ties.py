"""The effect of ties on a score, and the score of a random ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._by_id import are_same_ids
from ranking_scores._base._errors import invalid
from ranking_scores._base._ids import as_objects
from ranking_scores._base._results import ComparableResult, show_values
from ranking_scores._base._validation import WHOLE_LIST, describe, is_sparse
from ranking_scores._metrics._evaluate import Plan, ScoreEvaluation, View, as_it_is, run
from ranking_scores._metrics._measure import in_float32
from ranking_scores._metrics._named import after_data, bind_score
from ranking_scores._metrics._orders import best_order, order_of_items, worst_order
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores._queries._data import CallData, is_list_column, n_axes, two_scores
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._lists import ListColumns, read_lists
from ranking_scores._queries._relevance import check_discount
from ranking_scores._tables._ranking_data import RankingData, arrays_of

__all__ = ["TieReport", "chance_level", "tie_report"]


def __dir__() -> list[str]:
    return __all__


Counts = NDArray[np.int64]

_RETRIEVED_BY_CHANCE = (
    "For a random order of retrieved items, call the score itself with a sparse y_score that "
    "stores the same number for each item."
)

_OF_ONE = ("expected", "worst", "best", "as_ordered", "tied_queries", "tied_items")
"""The attributes of a report of one ranking."""
_SAME = 1e-12
"""The relative tolerance. Sums of the same terms in different orders differ by less."""


@dataclass(frozen=True, eq=False)
class TieReport(ComparableResult):
    """The result of `tie_report`: floats, or arrays for several cutoffs or queries.

    Two reports are equal if all their values are, so a report has no hash.

    Attributes
    ----------
    expected : float or ndarray
        The score as the package computes it: the mean over all orders of items with equal scores.

    worst : float or ndarray
        The score in the worst of these orders. It is the lowest value that an order attains, or
        the highest if lower is better.

    best : float or ndarray
        The score in the best of these orders. It is the highest value that an order attains, or
        the lowest if lower is better.

    as_ordered : float or ndarray
        The score with ``ignore_ties=True``, which ranks the later of two equal items first.

    tied_queries : float or ndarray
        The share of the queries whose score depends on the order. Each query counts the same.
        With ``average=None``, whether the score of each query depends on it.

    tied_items : float or ndarray
        The share of the ranked items that have the same score as another item of their query,
        over all queries. With ``average=None``, the share in each query.

    systems : tuple or None
        The names of several systems. All other attributes are then arrays with a row for each of
        them. None for a single ranking.

    best_rank : ndarray or None
        The best rank of each system among the systems, from 1 on, in any order of the ties.

    worst_rank : ndarray or None
        The worst such rank. A rank is certain if both are the same.
    """

    expected: float | NDArray[np.float64]
    worst: float | NDArray[np.float64]
    best: float | NDArray[np.float64]
    as_ordered: float | NDArray[np.float64]
    tied_queries: float | NDArray[np.float64] | NDArray[np.bool_]
    tied_items: float | NDArray[np.float64]
    systems: tuple[Any, ...] | None = None
    best_rank: NDArray[np.int64] | None = None
    worst_rank: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        known = {name: value for name, value in vars(self).items() if value is not None}
        if self.systems is not None:  # NumPy would take the fields of a tuple apart
            known["systems"] = as_objects(self.systems)
        return show_values("TieReport", known)


@after_data
def tie_report(
    y_true: ArrayLike | RankingData | Mapping[Any, RankingData],
    y_score: ArrayLike | Mapping[Any, ArrayLike] | None = None,
    *,
    score: Callable[..., Any] | str,
    **params: Any,
) -> TieReport:
    """Report how much a score depends on the order of items with equal scores.

    If scores tie, a metric has no single value, since any order of the tied items is as good as
    another. The report gives the worst, the best and the mean value over these orders, and the
    number of queries that are affected.

    With a dict of several systems in place of `y_score`, or of `RankingData` in place of `y_true`,
    it also gives the ranks that each of them can have among the others.

    Parameters
    ----------
    y_true : array-like, sparse or RankingData
        The labels, in any layout that `score` accepts. Or the result of
        `ranking_scores.from_tables` or `ranking_scores.from_table`, without `y_score`.

    y_score : array-like or sparse, default=None
        The scores that rank the items, in the same layout.

    score : callable or str
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        The names are listed in `ranking_report`.

    **params
        Other parameters of `score`, such as ``k=[1, 10]``, ``qid=`` or ``average=None``.
        `ignore_ties` is not among them, since the report shows both.

    Returns
    -------
    report : TieReport
        A frozen dataclass. Its attributes `expected`, `worst`, `best`, `as_ordered` and
        `tied_queries` are floats, or arrays of shape (n_k,) for a list of cutoffs. With
        ``average=None`` they have one value per query, like the score. `tied_items` does not
        depend on the cutoff. It is a float, or with ``average=None`` an array of shape
        (n_queries,).

    Raises
    ------
    ValueError, TypeError
        If `score` is not a score of this package, if it refuses the data or the parameters,
        if `ignore_ties` is given, or if the values of a callable `discount` rise from one rank to
        the next, since the best order is then not known. The error is of both types, as in
        scikit-learn.

    See Also
    --------
    chance_level : Computes the score if all items tie.

    Notes
    -----
    The best order puts the items with the largest gain first in each tie group. The worst order
    puts them last. Both hold for every cutoff at once, since in every score an item with a larger
    gain is worth more at a higher rank. This is not true for a discount that rises from one rank
    to the next.

    Each system orders its ties on its own. So one is above another in all orders if its worst mean
    is better than the best mean of the other, and any order of the two is possible otherwise, also
    equal means.

    The score of a query on which the metric is undefined does not depend on the order. The worst
    mean is the mean over the worst order of each query, and the best mean likewise.

    Examples
    --------
    >>> from ranking_scores.ties import tie_report
    >>> y_true = [[0, 2, 1, 0, 0, 3], [0, 1, 0, 0, 0, 0]]
    >>> y_score = [[5, 5, 5, 2, 2, 1], [6, 5, 4, 3, 2, 1]]
    >>> tie_report(y_true, y_score, score="map")
    TieReport(
        expected=0.6018...,
        worst=0.5277...,
        best=0.6666...,
        as_ordered=0.6666...,
        tied_queries=0.5,
        tied_items=0.4166...,
    )
    >>> report = tie_report(y_true, y_score, score="map", average=None)
    >>> report.worst
    array([0.55555556, 0.5       ])
    >>> report.tied_queries
    array([ True, False])

    Of three systems, the second is the best, however ties are broken:

    >>> runs = {"a": y_score, "b": [[2, 4, 3, 1, 1, 3]] * 2, "c": [[6, 5, 4, 3, 2, 1]] * 2}
    >>> report = tie_report(y_true, runs, score="map")
    >>> report.best_rank, report.worst_rank
    (array([2, 1, 2]), array([3, 1, 3]))
    """
    function = "tie_report"
    if _is_by_system(y_true) or _is_by_system(y_score):
        return _report_of_systems(y_true, y_score, score, params)
    y_true, y_score, query_ids, order = arrays_of(y_true, y_score, None, function)
    bound = bind_score(score, params, function)
    if "ignore_ties" in bound.options:
        expected = "left out, since the report covers both of its values"
        raise invalid("ignore_ties", function, expected, describe(bound.options["ignore_ties"]))
    plan = bound.plan(y_true, y_score, query_ids=query_ids, order=order)
    queries = check_queries(plan.data, plan.need._replace(depth=WHOLE_LIST, gains=()))
    n_tied, n_items = np.zeros((2, queries.n_queries), dtype=np.intp)
    longest = 1
    for block in queries.blocks():
        ordered = np.sort(block.scores, axis=1)
        equals_next = np.pad(ordered[:, 1:] == ordered[:, :-1], ((0, 0), (1, 1)))
        is_tied = equals_next[:, 1:] | equals_next[:, :-1]
        n_tied[block.queries] = is_tied.sum(axis=1)
        n_items[block.queries] = block.ranked.lengths
        longest = max(longest, int(block.n_items.max()))
    check_falls(bound.options.get("discount"), plan.call.cutoffs.ranks, longest, function)
    views = (as_it_is, *map(_view_for(bound.function), (worst_order, best_order, order_of_items)))
    expected_value, worst, best, as_ordered = run([(plan, view) for view in views], plan.data)
    depends = differs(worst, best)
    tied_queries: Any = depends.mean(axis=0)
    tied_items: Any = float(n_tied.sum() / max(n_items.sum(), 1))
    if expected_value.average is None:
        tied_queries, tied_items = depends, n_tied / np.maximum(n_items, 1)
        if expected_value.is_single:
            tied_queries = depends[:, 0]
    elif expected_value.is_single:
        tied_queries = float(tied_queries[0])
    at_worst, at_best, in_order = (each.values_for_caller() for each in (worst, best, as_ordered))
    return TieReport(
        expected_value.result(), at_worst, at_best, in_order, tied_queries, tied_items
    )


def _is_by_system(given: Any) -> bool:
    """Return whether something is a dict of systems, and not a dict of keys as SciPy has it."""
    return isinstance(given, Mapping) and not is_sparse(given)


def _report_of_systems(y_true: Any, y_score: Any, score: Any, params: dict[str, Any]) -> TieReport:
    """Return the report of several systems: a dict of data, or of scores for the same labels."""
    function, of_data = "tie_report", _is_by_system(y_true)
    if of_data and y_score is not None:
        raise two_scores(y_score, function)
    runs = y_true if of_data else y_score
    ids = [each.query_ids for each in runs.values() if of_data and isinstance(each, RankingData)]
    if not runs or (of_data and len(ids) < len(runs)):
        expected = "a dict of RankingData" if of_data else "a dict of scores"
        got = describe(runs)
        raise invalid("y_true" if of_data else "y_score", function, f"{expected} by system", got)
    if not all(are_same_ids(each, ids[0]) for each in ids):
        expected = "data of the same queries for each system"
        raise invalid("y_true", function, expected, "other queries for some")
    pairs = ((each, None) if of_data else (y_true, each) for each in runs.values())
    reports = [vars(tie_report(*pair, score=score, **params)) for pair in pairs]
    columns = {name: np.array([each[name] for each in reports]) for name in _OF_ONE}
    low, high = np.sort([columns["worst"], columns["best"]], axis=0)
    is_above = low[:, None] > high + _SAME * np.abs(high)
    if not bind_score(score, params, function).plan(None, None).greater_is_better:
        is_above = is_above.swapaxes(0, 1)
    ranks = 1 + is_above.sum(axis=0), len(reports) - is_above.sum(axis=1)
    return TieReport(**columns, systems=(*runs,), best_rank=ranks[0], worst_rank=ranks[1])


@after_data
def chance_level(y_true: ArrayLike, *, score: Callable[..., Any] | str, **params: Any) -> Any:
    """Return the exact expected score of a random ranking of the same queries.

    All items of a query tie, so the result is the mean of the score over all orders. A model that
    knows nothing reaches this level. Compare a score with it before you call the score good.

    Parameters
    ----------
    y_true : array-like or sparse
        The labels, in any layout of `score` in which all items are ranked:

        - 2-D: one query per row.
        - 1-D with `qid`: one item per row.
        - 1-D with `labels`: the class of each sample.

    score : callable or str
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        The names are listed in `ranking_report`.

    **params
        Other parameters of `score`, such as ``k=[1, 10]``, ``qid=``, ``where=`` or
        ``average=None``, except `ignore_ties`.

    Returns
    -------
    score : float or ndarray of float64
        The result of `score` if all scores are equal.

    Raises
    ------
    ValueError, TypeError
        If `score` is not a score of this package, if it refuses the data or the parameters,
        or if `y_score` or `ignore_ties` is given. The error is of both types, as in scikit-learn.

    See Also
    --------
    tie_report : Reports the effect of ties among given scores.

    Notes
    -----
    The level depends on which items are ranked, so it does not exist for retrieved items. To get
    the level of a random order of the retrieved items, call the score itself with a sparse
    `y_score` that stores the same number for each retrieved item.

    Examples
    --------
    >>> from ranking_scores.ties import chance_level
    >>> y_true = [[0, 2, 1, 0, 0, 3], [0, 1, 0, 0, 0, 0]]
    >>> chance_level(y_true, score="ndcg")
    0.6223...
    >>> chance_level(y_true, score="hit_rate", k=[1, 3, 6])
    array([0.33333333, 0.725     , 1.        ])

    Queries can have different lengths:

    >>> qid = ["b", "b", "a", "a", "a"]
    >>> chance_level([0, 1, 1, 0, 0], score="ndcg", qid=qid, average=None)
    array([0.71030..., 0.8154...])
    """
    function = "chance_level"
    bound = bind_score(score, params, function)
    for name, expected, code in (
        ("y_score", "left out, since all items have the same score", _RETRIEVED_BY_CHANCE),
        ("ignore_ties", "left out, since the chance level is the mean over all orders", ""),
    ):
        if name in bound.options:
            raise invalid(name, function, expected, describe(bound.options[name]), code=code)
    if isinstance(y_true, RankingData):
        expected = "labels of which all items are ranked"
        got = "RankingData, which says what was retrieved"
        raise invalid("y_true", function, expected, got, code=_RETRIEVED_BY_CHANCE)
    plan = bound.plan(y_true, None)
    if n_axes(y_true) == 1 and plan.data.qid is None and plan.data.labels is None:
        expected = "2-D, one query per row, unless `qid` or the `labels` of classes are given"
        raise invalid("y_true", function, expected, f"shape {np.shape(y_true)} without either")
    [evaluation] = run([task_by_chance(plan)], with_equal_scores(plan.data))
    return evaluation.result()


def task_by_chance(plan: Plan) -> tuple[Plan, View]:
    """Return the task that scores a random ranking, in which all items tie."""
    of_chance = plan.score_block_by_chance
    return plan if of_chance is None else plan._replace(score_block=of_chance), as_it_is


def with_equal_scores(data: CallData) -> CallData:
    """Return the same data with all scores equal."""
    y_true: Any = data.y_true
    scores: Any
    if is_list_column(y_true):
        lists = read_lists(data, "y_true", may_be_null=True)
        scores = ListColumns(np.broadcast_to(0.0, lists.values.shape), lists.length)
        return replace(data, y_score=scores)
    shape: tuple[int, ...] = y_true.shape if is_sparse(y_true) else np.shape(y_true)
    if data.y_score is not None:
        shape = data.scores.shape
    elif len(shape) == 1 and data.qid is None:
        shape = *shape, max(math.prod(np.shape(cast(ArrayLike, data.labels))), 2)
    # A broadcast view of one number, so that no memory of that shape is needed.
    return replace(data, y_score=np.broadcast_to(0.0, shape))


def _view_for(score: Any) -> Callable[[View], View]:
    """Return what makes a view of blocks as a score sees them.

    Some programs compare scores in float32, so that more of them tie.
    """
    if isinstance(score, ProgramScore) and score.convention.scores == "float32":
        return lambda view: lambda block, gain_of: view(in_float32(block), gain_of)
    return lambda view: view


def check_falls(discount: Any, cutoffs: Counts, longest: int, function: str) -> None:
    """Raise if the weight of a rank, 0 beyond the cutoff, exceeds that of the rank above."""
    if not callable(discount):
        return
    last = min(int(cutoffs.max()), longest)
    weights = check_discount(discount, 2, last, function, allow_negative=True)
    rises = np.flatnonzero(weights[1:] > weights[:-1])
    expected = "a function whose values never rise from one rank to the next"
    advice = "Only then are the best and the worst order of tied items known."
    if rises.size:
        got = f"{weights[rises[0]]:g} at rank {rises[0] + 1} and more at the next rank"
        raise invalid("discount", function, expected, got, advice)
    for cutoff in cutoffs[cutoffs < longest].tolist():
        if weights[cutoff - 1] < 0:
            got = f"{weights[cutoff - 1]:g} at the cutoff {cutoff} and 0 beyond it"
            raise invalid("discount", function, expected, got, advice)


def differs(worst: ScoreEvaluation, best: ScoreEvaluation) -> NDArray[np.bool_]:
    """Return whether the worst and the best order of each query differ, at each cutoff."""
    size = np.maximum(np.abs(worst.values), np.abs(best.values))
    with np.errstate(invalid="ignore"):  # both can be infinite, since a caller may replace NaN
        return np.asarray(np.abs(worst.values - best.values) > _SAME * size)
