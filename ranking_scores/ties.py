"""What ties did to a score, and what chance alone would score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from ranking_scores._evaluate import Evaluation, as_it_is, run
from ranking_scores._named import bind_score
from ranking_scores._profiles import rank_items
from ranking_scores._queries import (
    Block,
    Data,
    Lists,
    Need,
    check_queries,
    is_list_column,
    n_axes,
    read_lists,
)
from ranking_scores._relevance import Gain, check_discount
from ranking_scores._signatures import hide_types
from ranking_scores._validation import WHOLE_LIST, describe, invalid

__all__ = ["TieReport", "chance_level", "tie_report"]


def __dir__() -> list[str]:
    return __all__


Counts = NDArray[np.int64]

_SAME = 1e-12
"""Relative to it, the same terms summed in another order differ by less."""


@dataclass(frozen=True, eq=False)
class TieReport:
    """What `tie_report` found: floats, or an array for several cutoffs or queries.

    Attributes
    ----------
    expected : float or ndarray
        The score: its mean over all orders of the items with equal scores.

    worst : float or ndarray
        The score in the least desirable of these orders, which some order attains. It is the
        lowest value, or the highest where lower is better.

    best : float or ndarray
        The score in the most desirable of these orders, which some order attains.

    as_ordered : float or ndarray
        The score in the order of ``ignore_ties=True``: among equals the later item comes first.

    tied_queries : float or ndarray
        The share of the queries whose score depends on the order, all of them weighing the same;
        with ``average=None`` whether that of each does.

    tied_items : float or ndarray
        The share of the ranked items whose score another item of their query has too, of all
        queries together; with ``average=None`` of each query.
    """

    expected: float | NDArray[np.float64]
    worst: float | NDArray[np.float64]
    best: float | NDArray[np.float64]
    as_ordered: float | NDArray[np.float64]
    tied_queries: float | NDArray[np.float64] | NDArray[np.bool_]
    tied_items: float | NDArray[np.float64]

    def __repr__(self) -> str:
        lines = []
        for name, value in vars(self).items():
            of_array = np.array2string(np.asarray(value), prefix=f"    {name}=", threshold=20)
            lines.append(f"    {name}={value if np.ndim(value) == 0 else of_array},\n")
        return f"TieReport(\n{''.join(lines)})"


def tie_report(
    score_func: Callable[..., Any] | str, y_true: ArrayLike, y_score: ArrayLike, **params: Any
) -> TieReport:
    """Report what items with equal scores do to a score.

    Where scores tie, the data leaves open what a metric is worth: any order of the items that tie
    is as good as another. This is by how much, and for how many queries.

    Parameters
    ----------
    score_func : callable or str
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        The names are listed in `ranking_report`.

    y_true : array-like or sparse
        The labels, in any layout that `score_func` accepts.

    y_score : array-like or sparse
        The scores that rank the items, in the same layout.

    **params
        Other parameters of `score_func`, such as ``k=[1, 10]``, ``qid=`` or ``average=None``.
        `ignore_ties` is not among them, since the report shows both.

    Returns
    -------
    report : TieReport
        A frozen dataclass. Its attributes `expected`, `worst`, `best`, `as_ordered` and
        `tied_queries` are floats, or with a list of cutoffs arrays of shape (n_k,); with
        ``average=None`` they have one value per query, as the score has. `tied_items` has no
        cutoff: a float, or an array of shape (n_queries,).

    Raises
    ------
    ValueError, TypeError
        If `score_func` is no score of this package, if it refuses the data or the parameters, if
        `ignore_ties` is given, or if it is not known which order is the best: where a callable
        `discount` does not fall from each rank to the next. One error that is both, as in
        scikit-learn.

    See Also
    --------
    chance_level : The score if all items tied.

    Notes
    -----
    The best order has the items that gain most first in each tie group, the worst order has them
    last, at every cutoff at once: for each of the scores, an item that gains more is worth more
    the higher it stands. With a discount that does not fall that is not so.

    A query for which the metric is undefined does not depend on the order. The worst and the best
    mean are those of orders that are the worst, or the best, for each query.

    Examples
    --------
    >>> from ranking_scores import mean_average_precision_score
    >>> from ranking_scores.ties import tie_report
    >>> y_true = [[0, 2, 1, 0, 0, 3], [0, 1, 0, 0, 0, 0]]
    >>> y_score = [[5, 5, 5, 2, 2, 1], [6, 5, 4, 3, 2, 1]]
    >>> tie_report(mean_average_precision_score, y_true, y_score)
    TieReport(
        expected=0.6018...,
        worst=0.5277...,
        best=0.6666...,
        as_ordered=0.6666...,
        tied_queries=0.5,
        tied_items=0.4166...,
    )
    >>> report = tie_report(mean_average_precision_score, y_true, y_score, average=None)
    >>> report.worst
    array([0.55555556, 0.5       ])
    >>> report.tied_queries
    array([ True, False])
    """
    function = "tie_report"
    score = bind_score(score_func, params, function)
    if "ignore_ties" in score.options:
        expected = "left out, since the report has the score with and without it"
        raise invalid("ignore_ties", function, expected, describe(score.options["ignore_ties"]))
    plan = score.plan(y_true, y_score)
    n_tied, n_items, longest = _count_ties(plan.data)
    check_falls(score.options.get("discount"), plan.call.cutoffs.ranks, longest, function)
    views = (as_it_is, worst_order, best_order, order_of_items)
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
    return TieReport(
        expected_value.result(),
        worst.result(),
        best.result(),
        as_ordered.result(),
        tied_queries,
        tied_items,
    )


def chance_level(score_func: Callable[..., Any] | str, y_true: ArrayLike, **params: Any) -> Any:
    """Return what a random ranking of the same queries scores on average, exactly.

    All items of a query tie: a score's expected value over all orders is that of a model that
    knows nothing. It is what a score is to be compared with, before one calls it good.

    Parameters
    ----------
    score_func : callable or str
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        The names are listed in `ranking_report`.

    y_true : array-like or sparse
        The labels, in any layout of `score_func` in which all items are ranked:

        - 2-D: one query per row.
        - 1-D with `qid`: one item per row.
        - 1-D with `labels`: the class of each sample.

    **params
        Other parameters of `score_func`, such as ``k=[1, 10]``, ``qid=``, ``where=`` or
        ``average=None``, except `ignore_ties`.

    Returns
    -------
    score : float or ndarray of float64
        What `score_func` returns where all scores are equal.

    Raises
    ------
    ValueError, TypeError
        If `score_func` is no score of this package, if it refuses the data or the parameters, or
        if `y_score` or `ignore_ties` is given. One error that is both, as in scikit-learn.

    See Also
    --------
    tie_report : What the ties of given scores do.

    Notes
    -----
    What chance scores depends on which items are ranked, so there is no such level for what was
    retrieved: for the chance of the order alone, call the score itself with `y_score` that stores
    the same number for each retrieved item.

    Examples
    --------
    >>> from ranking_scores import hit_rate_score, ndcg_score
    >>> from ranking_scores.ties import chance_level
    >>> y_true = [[0, 2, 1, 0, 0, 3], [0, 1, 0, 0, 0, 0]]
    >>> chance_level(ndcg_score, y_true)
    0.6223...
    >>> chance_level(hit_rate_score, y_true, k=[1, 3, 6])
    array([0.33333333, 0.725     , 1.        ])

    Queries of different lengths:

    >>> chance_level(ndcg_score, [0, 1, 1, 0, 0], qid=["b", "b", "a", "a", "a"], average=None)
    array([0.71030..., 0.8154...])
    """
    function = "chance_level"
    score = bind_score(score_func, params, function)
    for name, expected, advice in (
        (
            "y_score",
            "left out: all items have the same score",
            "For the chance of the order of what was retrieved, call the score itself with "
            "a sparse y_score that stores the same number for each item.",
        ),
        ("ignore_ties", "left out: a random ranking is the mean over all orders", ""),
    ):
        if name in score.options:
            raise invalid(name, function, expected, describe(score.options[name]), advice)
    plan = score.plan(y_true, None)
    if n_axes(y_true) == 1 and plan.data.qid is None and plan.data.labels is None:
        expected = "2-D, one query per row, unless there is `qid`, or `labels` for class labels"
        raise invalid("y_true", function, expected, f"shape {np.shape(y_true)} without either")
    [evaluation] = run([(plan, as_it_is)], with_equal_scores(plan.data))
    return evaluation.result()


def with_equal_scores(data: Data) -> Data:
    """Return the same data with scores that are all equal."""
    y_true: Any = data.y_true
    scores: Any
    if is_list_column(y_true):
        lists = read_lists(data, "y_true")
        scores = Lists(np.broadcast_to(0.0, lists.values.shape), lists.length)
        return replace(data, y_score=scores)
    shape: tuple[int, ...] = y_true.shape if issparse(y_true) else np.shape(y_true)
    if data.y_score is not None:
        shape = data.scores.shape
    elif len(shape) == 1 and data.qid is None:
        shape = *shape, max(np.size(cast(ArrayLike, data.labels)), 2)
    # One number, seen as an array of any shape, so that nothing of that shape is made.
    return replace(data, y_score=np.broadcast_to(0.0, shape))


def _count_ties(data: Data) -> tuple[Counts, Counts, int]:
    """Return how many items of each query tie, how many are ranked, and the longest query."""
    queries = check_queries(data, Need(WHOLE_LIST))
    n_tied, n_items = np.zeros((2, queries.n_queries), dtype=np.intp)
    longest = 1
    for block in queries.blocks():
        ordered = np.sort(block.scores, axis=1)
        equals_next = ordered[:, 1:] == ordered[:, :-1]
        is_tied = np.zeros(ordered.shape, dtype=bool)
        is_tied[:, 1:] |= equals_next
        is_tied[:, :-1] |= equals_next
        n_tied[block.queries] = is_tied.sum(axis=1)
        n_items[block.queries] = block.ranked.lengths
        longest = max(longest, int(block.n_items.max()))
    return n_tied, n_items, longest


def order_of_items(block: Block, gain_of: Gain) -> Block:
    """Return a block in which of equals the later item comes first, so that nothing ties."""
    width = block.scores.shape[1]
    cell = rank_items(block.scores, width, ignore_ties=True).cell
    scores = np.empty(block.scores.shape)
    scores.ravel()[cell] = np.arange(width, 0, -1)
    scores[np.isnan(block.scores)] = np.nan
    return block._replace(scores=scores)


def worst_order(block: Block, gain_of: Gain) -> Block:
    """Return a block in which of equals those that gain most come last."""
    return _break_ties(block, gain_of, best_first=False)


def best_order(block: Block, gain_of: Gain) -> Block:
    """Return a block in which of equals those that gain most come first."""
    return _break_ties(block, gain_of, best_first=True)


def _break_ties(block: Block, gain_of: Gain, *, best_first: bool) -> Block:
    """Return a block in which only items that gain the same still tie.

    Among equals those that gain most come first, or last. The scores become ranks: 0 for the
    lowest of a query, and one more where either the score or the gain changes.
    """
    gain = gain_of(block.ranked.labels, block.ranked.name_of_item)
    if block.ranked.weight is not None:
        gain = gain * block.ranked.weight
    placed = block.ranked.place(gain if best_first else -gain)
    order = np.lexsort((placed, block.scores), axis=1)
    score, of_gain = (np.take_along_axis(each, order, axis=1) for each in (block.scores, placed))
    rank = np.zeros(order.shape)
    is_new = (score[:, 1:] != score[:, :-1]) | (of_gain[:, 1:] != of_gain[:, :-1])
    np.cumsum(is_new, axis=1, out=rank[:, 1:])
    rank[np.isnan(score)] = np.nan
    scores = np.empty(order.shape)
    np.put_along_axis(scores, order, rank, axis=1)
    return block._replace(scores=scores)


def check_falls(discount: Any, cutoffs: Counts, longest: int, function: str) -> None:
    """Raise unless the weight of each rank, 0 below the cutoff, is at most that of the last."""
    if not callable(discount):
        return
    last = min(int(cutoffs.max()), longest)
    weights = check_discount(discount, 2, last, function, allow_negative=True)
    rises = np.flatnonzero(weights[1:] > weights[:-1])
    expected = "a function whose values fall, or stay, from each rank to the next"
    advice = "Only then is it known which order of the items that tie is the best, or the worst."
    if rises.size:
        got = f"{weights[rises[0]]:g} at rank {rises[0] + 1} and more at the next"
        raise invalid("discount", function, expected, got, advice)
    for cutoff in cutoffs[cutoffs < longest].tolist():
        if weights[cutoff - 1] < 0:
            got = f"{weights[cutoff - 1]:g} at the cutoff {cutoff}, behind which it is 0"
            raise invalid("discount", function, expected, got, advice)


def differs(worst: Evaluation, best: Evaluation) -> NDArray[np.bool_]:
    """Return for which queries the worst and the best order differ, at each cutoff."""
    size = np.maximum(np.abs(worst.values), np.abs(best.values))
    with np.errstate(invalid="ignore"):  # where both are infinite, as a caller may replace NaN
        return np.asarray(np.abs(worst.values - best.values) > _SAME * size)


hide_types(globals())
