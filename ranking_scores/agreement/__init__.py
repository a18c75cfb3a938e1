"""How far two rankings of the same queries agree, exact under ties, without labels.

`a` and `b` are two rankings by ids, such as yesterday's and today's result lists, or two arrays of
scores. Every function takes both, or the result of `pair_rankings`, which joins them once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._agreement._lists import list_agreements as list_agreements
from ranking_scores._agreement._measures import (
    DEFAULT_MEASURES,
    average_overlap_at,
    correlation_by_query,
    find_measure as find_measure,
    find_measures,
    is_agreement as is_agreement,
    overlap_at,
    range_of_agreement as range_of_agreement,
    rank_biased,
    values_by_query,
)
from ranking_scores._agreement._pairing import PairedRankings, Places, pair, weight_of_queries
from ranking_scores._base._errors import invalid, show_id
from ranking_scores._base._validation import (
    WHOLE_LIST,
    advises_on_keywords,
    check_option,
    check_persistence,
)
from ranking_scores._metrics._evaluate import ScoreCall, begin, evaluation_of
from ranking_scores.agreement._agreement_reports import (
    AgreementReport,
    QueryAgreement,
    report_of_pairs,
)
from ranking_scores.agreement._judges import JudgeAgreement, judge_agreement
from ranking_scores.agreement._two_judgments import (
    LabelAgreement,
    Swap,
    SystemAgreement,
    system_agreement,
)
from ranking_scores.significance._changes_results import MovedItem
from ranking_scores.significance._tests import check_count

__all__ = [
    "AgreementReport",
    "JudgeAgreement",
    "LabelAgreement",
    "MovedItem",
    "PairedRankings",
    "Places",
    "QueryAgreement",
    "Swap",
    "SystemAgreement",
    "agreement_report",
    "average_overlap",
    "judge_agreement",
    "kendall_tau",
    "overlap_at_k",
    "pair_rankings",
    "rank_biased_overlap",
    "system_agreement",
    "tau_ap",
]


def __dir__() -> list[str]:
    return __all__


def pair_rankings(
    a: Any,
    b: Any = None,
    *,
    query: Any = None,
    item: Any = None,
    score: Any = None,
    rank: Any = None,
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    duplicates: Literal["error", "best", "hold"] = "error",
) -> PairedRankings:
    """Join two rankings of the same queries, for all functions of this module.

    Each function calls it. To call several, join the rankings once and pass the result in place of
    both.

    Parameters
    ----------
    a : dict, table, RankingData, array-like or sparse
        A ranking of the items of each query, in one of these forms:

        - A dict by query, as `from_lists` takes retrieved items: lists of ids in order, lists of
          (id, score), or dicts of ids and scores.
        - A table, as `from_tables` takes predictions, such as the result of `read_run`.
        - `RankingData`, whose predictions count.
        - Scores of shape (n_queries, n_items), or (n_items,) of one query, or (n_rows,) with
          `qid`, or a column of lists of pyarrow or polars. `a` and `b` score the same items.
        - A SciPy sparse matrix, which stores the scores of the items that were retrieved.

    b : ranking, default=None
        The other ranking. If `a` has ids, `b` may have them in another of these forms.

    query : column name, default=None
        The column of query ids in tables. None: it is found as `from_tables` finds it.

    item : column name, default=None
        The column of item ids in tables, found in the same way.

    score : column name, default=None
        The column of scores in tables, found in the same way.

    rank : column name, default=None
        The column of ranks from 1 on, in place of scores, found in the same way.

    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row.

    ids : bool, default=None
        Whether arrays, or lists of lists, have ids, the best first. False: they have scores. None:
        an array of whole numbers, none of them twice in a row, is an error if both are like this.

    duplicates : {"error", "best", "hold"}, default="error"
        What happens if an item is there twice for a query, as in `from_lists`.

    Returns
    -------
    paired : PairedRankings
        Both rankings of the queries that both have. Printed, it names the other queries.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if the rankings share no query.

    Warns
    -----
    UserWarning
        If less than half of the queries of each ranking are in the other, if no query has an item
        in both, or if scores look like distances.

    See Also
    --------
    rank_biased_overlap : Compares two rankings, the first items most.
    agreement_report : Reports several measures, and which queries changed most.

    Notes
    -----
    The result has a cell for each item of each query, be it in one ranking or in both. It says how
    many items are above it in either ranking, and how many have its score, so that no order of
    ties is chosen. A query with an empty list is a query of that ranking.

    Ranks that a table leaves free hold unknown items, which are never equal to others.

    Examples
    --------
    >>> from ranking_scores.agreement import overlap_at_k, pair_rankings
    >>> old = {"q1": ["d1", "d2", "d3"], "q2": ["d4"]}
    >>> new = {"q1": {"d2": 0.9, "d5": 0.7}}
    >>> paired = pair_rankings(old, new)
    >>> paired.query_ids.tolist(), paired.only_a.first
    (['q1'], ('q2',))
    >>> overlap_at_k(paired, k=2)
    0.5
    """
    names = {"query": query, "item": item, "score": score, "rank": rank}
    return pair(a, b, qid=qid, ids=ids, duplicates=duplicates, **names)


def overlap_at_k(
    a: Any,
    b: Any = None,
    k: int | Sequence[int | None] | None = 10,
    *,
    denominator: Literal["longer", "shorter", "k", "union"] = "longer",
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Overlap at k: the share of the first k items that two rankings have in common.

    Parameters
    ----------
    a : ranking
        A ranking of the items of each query, in any form that `pair_rankings` takes: lists of
        ids, a table or an array of scores. Or the result of `pair_rankings`, without `b`.
    b : ranking, default=None
        The other ranking, in the form of `a`.
    k : int, None or list of these, default=10
        The number of first items that count. None: all items. A list gives one value for each.
    denominator : {"longer", "shorter", "k", "union"}, default="longer"
        What the shared items are divided by, where a list may have fewer than k items:

        - "longer": the first k items of the longer list, so that equal lists score 1.
        - "shorter": those of the shorter list, so that a list scores 1 with its own beginning.
        - "k": always k.
        - "union": the first k items of either list, each once, which is the Jaccard index.
    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row. The queries are
        those of ``np.unique(qid)``.
    ids : bool, default=None
        Whether arrays, or lists of lists, have ids, the best first. False: they have scores. None:
        an array of whole numbers, none of them twice in a row, is an error if both are like this.
    sample_weight : array-like, dict or Series, default=None
        The weight of each query, in the order of the queries or by their ids.
    replace_undefined_by : float, default=nan
        The value of a query whose lists are both empty. NaN leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    overlap : float or ndarray of float64
        It is from 0 to 1. With a list of cutoffs or ``average=None`` it is an array, of shape
        (n_k,), (n_queries,) or (n_queries, n_k).

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.
        Errors about the rankings name `pair_rankings`, which reads them.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, or only the value of `replace_undefined_by`.
    UserWarning
        If dicts or tables share few queries, or no item.

    See Also
    --------
    average_overlap : The mean over all cutoffs up to k.
    rank_biased_overlap : Needs no cutoff.

    Notes
    -----
    The value of a query is the mean over all orders of the ties in both rankings::

        overlap@k = sum(p_i(k) * q_i(k)) / denominator

    over the items i that both rankings have, where p_i(k) = min(max((k - above) / m, 0), 1) is
    the probability that the item is among the first k of `a`, in a tie group of m items with so
    many items above it, and q_i(k) is that in `b` [1]_. The Jaccard index is the mean of a ratio,
    which is not the ratio of means. It comes from the probability of each number of shared items,
    and takes longer if large tie groups reach beyond rank k in both rankings.

    References
    ----------
    .. [1] Corsi, M. and Urbano, J. (2024). "The treatment of ties in rank-biased overlap." SIGIR
           2024. :doi:`10.48550/arXiv.2406.07121`

    Examples
    --------
    >>> from ranking_scores.agreement import overlap_at_k
    >>> old, new = {"q1": ["d1", "d2", "d3"]}, {"q1": ["d2", "d1", "d4"]}
    >>> overlap_at_k(old, new, k=[1, 2, 3])
    array([0.        , 1.        , 0.66666667])

    If all items tie in one of the rankings, any of them may be the first:

    >>> float(overlap_at_k([[3, 2, 1, 0]], [[5, 5, 5, 5]], k=1))
    0.25
    """
    call = begin("overlap_at_k", k, average, replace_undefined_by)
    check_option(denominator, "denominator", call.function, ("longer", "shorter", "k", "union"))
    if denominator == "k" and (call.cutoffs.ranks == WHOLE_LIST).any():
        expected = "another one if k is None, which is no number to divide by"
        raise invalid("denominator", call.function, expected, "'k'")
    paired = pair(a, b, qid=qid, ids=ids, depth=call.depth)
    overlap = partial(overlap_at, cutoffs=call.cutoffs.ranks, denominator=denominator)
    values = values_by_query(paired, call.depth, call.cutoffs.ranks.size, overlap)
    return _result(call, paired, values, sample_weight)


def average_overlap(
    a: Any,
    b: Any = None,
    k: int | Sequence[int | None] | None = None,
    *,
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Average overlap: the mean of the overlaps at 1, 2, ..., k.

    Items near the top count most, since they are in more of these overlaps.

    Parameters
    ----------
    a : ranking
        A ranking of the items of each query, in any form that `pair_rankings` takes: lists of
        ids, a table or an array of scores. Or the result of `pair_rankings`, without `b`.
    b : ranking, default=None
        The other ranking, in the form of `a`.
    k : int, None or list of these, default=None
        The last cutoff. None, or a cutoff beyond the longer list: its end. A list gives one value
        for each.
    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row. The queries are
        those of ``np.unique(qid)``.
    ids : bool, default=None
        Whether arrays, or lists of lists, have ids, the best first. False: they have scores. None:
        an array of whole numbers, none of them twice in a row, is an error if both are like this.
    sample_weight : array-like, dict or Series, default=None
        The weight of each query, in the order of the queries or by their ids.
    replace_undefined_by : float, default=nan
        The value of a query whose lists are both empty. NaN leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    overlap : float or ndarray of float64
        It is from 0 to 1, in the shapes of `overlap_at_k`.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.
        Errors about the rankings name `pair_rankings`, which reads them.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, or only the value of `replace_undefined_by`.
    UserWarning
        If dicts or tables share few queries, or no item.

    See Also
    --------
    overlap_at_k : The overlap at one cutoff.
    rank_biased_overlap : Weighs the overlaps by how far a user reads.

    Notes
    -----
    The value of a query is the mean over all orders of the ties in both rankings::

        AO@k = 1 / k * sum(shared(d) / d for d = 1, ..., k)

    where shared(d) is the expected number of items that are among the first d of both [1]_.

    References
    ----------
    .. [1] Webber, W., Moffat, A. and Zobel, J. (2010). "A similarity measure for indefinite
           rankings." ACM Transactions on Information Systems 28(4), 20.
           :doi:`10.1145/1852102.1852106`

    Examples
    --------
    >>> from ranking_scores.agreement import average_overlap
    >>> average_overlap({"q1": ["d1", "d2"]}, {"q1": ["d2", "d1"]})
    0.5
    """
    call = begin("average_overlap", k, average, replace_undefined_by)
    paired = pair(a, b, qid=qid, ids=ids, depth=call.depth)
    overlap = partial(average_overlap_at, cutoffs=call.cutoffs.ranks)
    values = values_by_query(paired, call.depth, call.cutoffs.ranks.size, overlap)
    return _result(call, paired, values, sample_weight)


def rank_biased_overlap(
    a: Any,
    b: Any = None,
    p: float = 0.9,
    *,
    ties: Literal["mean", "equal", "corrected"] = "mean",
    tail: Literal["extrapolated", "min", "max", "residual"] = "extrapolated",
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Rank-biased overlap (RBO): the overlaps at all depths, weighed by how far a user reads.

    A user goes on from one item to the next with the probability p. RBO is the expected share of
    the items read that both rankings have.

    Parameters
    ----------
    a : ranking
        A ranking of the items of each query, in any form that `pair_rankings` takes: lists of
        ids, a table or an array of scores. Or the result of `pair_rankings`, without `b`.
    b : ranking, default=None
        The other ranking, in the form of `a`.
    p : float, default=0.9
        The probability to go on, between 0 and 1. The first 10 ranks have most of the weight if
        it is 0.9.
    ties : {"mean", "equal", "corrected"}, default="mean"
        What equal scores mean. The letters are those of Corsi and Urbano [2]_:

        - "mean" (their a): the order is not known, and the value is the mean over all orders.
        - "equal" (their w): tied items share a rank, and count together from the first on.
        - "corrected" (their b): the value is divided by that of each ranking with itself.
    tail : {"extrapolated", "min", "max", "residual"}, default="extrapolated"
        What lies beyond the ends of the lists: it agrees as far as what is known, shares no more
        items, or as many as possible. "residual" is the difference of the last two.
    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row. The queries are
        those of ``np.unique(qid)``.
    ids : bool, default=None
        Whether arrays, or lists of lists, have ids, the best first. False: they have scores. None:
        an array of whole numbers, none of them twice in a row, is an error if both are like this.
    sample_weight : array-like, dict or Series, default=None
        The weight of each query, in the order of the queries or by their ids.
    replace_undefined_by : float, default=nan
        The value of a query whose lists are both empty. NaN leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    rbo : float or ndarray of float64
        It is from 0 to 1. With ``average=None`` it is an array of shape (n_queries,).

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.
        Errors about the rankings name `pair_rankings`, which reads them.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, or only the value of `replace_undefined_by`.
    UserWarning
        If dicts or tables share few queries, or no item.

    See Also
    --------
    overlap_at_k : Counts the first k items alike.
    kendall_tau : Compares the order of the items that both rankings have.

    Notes
    -----
    The value of a query is, with shared(d) as in `average_overlap` [1]_::

        RBO = sum((1 - p) * p**(d - 1) * shared(d) / d for d = 1, 2, ...)

    A ranking scores 1 with itself if no scores tie. If some do, two orders of it differ, and
    "mean" is less than 1. "equal" and "corrected" are then 1, up to rounding.

    The extrapolation of "mean" is the mean of that of Webber et al. over all orders. That of
    Corsi and Urbano's a differs if scores tie in the longer of two lists. "max" completes the
    lists once for all orders, as theirs does, so with ties it can be below the mean of what the
    orders allow, and then below the extrapolation.

    References
    ----------
    .. [1] Webber, W., Moffat, A. and Zobel, J. (2010). "A similarity measure for indefinite
           rankings." ACM Transactions on Information Systems 28(4), 20.
           :doi:`10.1145/1852102.1852106`
    .. [2] Corsi, M. and Urbano, J. (2024). "The treatment of ties in rank-biased overlap." SIGIR
           2024. :doi:`10.48550/arXiv.2406.07121`

    Examples
    --------
    >>> from ranking_scores.agreement import rank_biased_overlap
    >>> old, new = {"q1": ["d1", "d2", "d3"]}, {"q1": ["d2", "d1", "d4"]}
    >>> round(rank_biased_overlap(old, new), 4)
    0.63

    >>> tied = [[2, 1, 1, 1]]
    >>> [round(rank_biased_overlap(tied, tied, ties=ties), 4) for ties in ("mean", "corrected")]
    [0.952, 1.0]
    """
    call = begin("rank_biased_overlap", None, average, replace_undefined_by)
    persistence = check_persistence(p, call.function, "p")
    check_option(ties, "ties", call.function, ("mean", "equal", "corrected"))
    check_option(tail, "tail", call.function, ("extrapolated", "min", "max", "residual"))
    paired = pair_rankings(a, b, qid=qid, ids=ids)
    overlap = partial(rank_biased, p=persistence, ties=ties, tail=tail)
    values = values_by_query(paired, call.depth, 1, overlap)
    return _result(call, paired, values, sample_weight)


def kendall_tau(
    a: Any,
    b: Any = None,
    *,
    ties: Literal["mean", "corrected"] = "mean",
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Kendall's tau: the pairs of items in the same order minus those in opposite orders.

    It is 1 if two rankings put all items in the same order, and -1 if one of them is the other
    reversed. Only items count that both rankings have, so two lists that share few items may
    have a high tau: look at `overlap_at_k` as well.

    Parameters
    ----------
    a : ranking
        A ranking of the items of each query, in any form that `pair_rankings` takes: lists of
        ids, a table or an array of scores. Or the result of `pair_rankings`, without `b`. A dict
        of numbers, such as the means of systems, is the ranking of a single query, and so is a
        1-D array without `qid`.
    b : ranking, default=None
        The other ranking, in the form of `a`.
    ties : {"mean", "corrected"}, default="mean"
        What happens if items have equal scores:

        - "mean": the mean over all orders of the ties in both rankings, which is tau-a.
        - "corrected": tau-b, which divides by the pairs that do not tie.
    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row. The queries are
        those of ``np.unique(qid)``.
    ids : bool, default=None
        Whether arrays, or lists of lists, have ids, the best first. False: they have scores. None:
        an array of whole numbers, none of them twice in a row, is an error if both are like this.
    sample_weight : array-like, dict or Series, default=None
        The weight of each query, in the order of the queries or by their ids.
    replace_undefined_by : float, default=nan
        The value of a query with fewer than two items in both rankings. With "corrected", it is
        also that of a query whose items all tie in one of them. NaN leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    tau : float or ndarray of float64 of shape (n_queries,)
        Kendall's tau, from -1 to 1.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described. The error, of both types, names the parameter, what it
        accepts, what it got, and the first query concerned.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, or only the value of `replace_undefined_by`.
    UserWarning
        If dicts or tables share few queries, or no item.

    See Also
    --------
    tau_ap : Counts differences among the first items more.
    system_agreement : Compares the orders of systems by two sets of judgments.
    scipy.stats.kendalltau : Computes "corrected" for a single query, with a p-value.

    Notes
    -----
    With C pairs in the same order, D in opposite orders and n items [1]_::

        mean      = (C - D) / (n (n - 1) / 2)
        corrected = (C - D) / sqrt(pairs that do not tie in a * pairs that do not tie in b)

    With ties, "mean" is below 1 even for a ranking and itself, since two orders of its ties
    differ, and "corrected" is 1. ``pair_rankings(a, b).n_shared`` has the number of items of each
    query that both rankings have. The order of the items does not change the bits.

    References
    ----------
    .. [1] Kendall, M. G. (1945). "The treatment of ties in ranking problems." Biometrika 33(3),
           239-251. :doi:`10.1093/biomet/33.3.239`

    Examples
    --------
    >>> from ranking_scores.agreement import kendall_tau
    >>> yesterday = {"tea": ["a", "b", "c"], "milk": ["d", "e", "f"]}
    >>> today = {"tea": ["a", "c", "b"], "milk": ["d", "x", "e"]}
    >>> kendall_tau(yesterday, today, average=None)
    array([1.        , 0.33333333])

    The queries are sorted by their ids. Two systems tie here:

    >>> people, model = {"x": 0.5, "y": 0.4, "z": 0.4}, {"x": 0.7, "y": 0.6, "z": 0.3}
    >>> kendall_tau(people, model)
    0.666...
    >>> kendall_tau(people, model, ties="corrected")
    0.816...
    """
    call = begin("kendall_tau", None, average, replace_undefined_by)
    return _correlation(call, a, b, ties, qid, ids, sample_weight)


def tau_ap(
    a: Any,
    b: Any = None,
    *,
    ties: Literal["mean", "corrected"] = "mean",
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """AP correlation: Kendall's tau in which the order of the first items of `b` counts most.

    Here `a` is the reference, and `b` is the ranking that is compared with it. For each item of
    `b` but the first, it takes the share of the items above it that `a` puts above it, too. It is
    twice the mean of these shares, minus 1. To change the roles, swap the two.

    Parameters
    ----------
    a : ranking
        A ranking of the items of each query, in any form that `pair_rankings` takes: lists of
        ids, a table or an array of scores. Or the result of `pair_rankings`, without `b`. A dict
        of numbers, such as the means of systems, is the ranking of a single query, and so is a
        1-D array without `qid`.
    b : ranking, default=None
        The other ranking, in the form of `a`.
    ties : {"mean", "corrected"}, default="mean"
        What happens if items have equal scores [2]_:

        - "mean": the mean over all orders of the ties in both rankings. If `a` has no ties, this
          is the coefficient "a" of Urbano and Marrero.
        - "corrected": their coefficient "b", which is 1 for a ranking and itself. It is the mean
          of both directions, so no ranking is the reference.
    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row. The queries are
        those of ``np.unique(qid)``.
    ids : bool, default=None
        Whether arrays, or lists of lists, have ids, the best first. False: they have scores. None:
        an array of whole numbers, none of them twice in a row, is an error if both are like this.
    sample_weight : array-like, dict or Series, default=None
        The weight of each query, in the order of the queries or by their ids.
    replace_undefined_by : float, default=nan
        The value of a query with fewer than two items in both rankings. With "corrected", it is
        also that of a query whose items all tie in one of them. NaN leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    tau : float or ndarray of float64 of shape (n_queries,)
        The AP correlation, from -1 to 1.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described. The error, of both types, names the parameter, what it
        accepts, what it got, and the first query concerned.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, or only the value of `replace_undefined_by`.
    UserWarning
        If dicts or tables share few queries, or no item.

    See Also
    --------
    kendall_tau : Counts all pairs the same.
    system_agreement : Compares the orders of systems by two sets of judgments.

    Notes
    -----
    Only items count that both rankings have: ``pair_rankings(a, b).n_shared`` is their number.
    With C(i) of the i - 1 items above rank i of `b` in the order of `a` [1]_::

        tau_ap = 2 / (n - 1) * sum(C(i) / (i - 1) for i = 2, ..., n) - 1

    A pair that ties in `a` counts half in "mean". An item of `b` in a tie group of m items below r
    others gets the mean of 1 / (i - 1) over the ranks i = r + 1, ..., r + m. In "corrected" all of
    them have the rank r + 1, the first group is left out, and a pair that ties in one ranking
    alone is in the wrong order.

    References
    ----------
    .. [1] Yilmaz, E., Aslam, J. A. and Robertson, S. (2008). "A new rank correlation coefficient
           for information retrieval." SIGIR 2008, 587-594. :doi:`10.1145/1390334.1390435`
    .. [2] Urbano, J. and Marrero, M. (2017). "The treatment of ties in AP correlation." ICTIR
           2017, 321-324. :doi:`10.1145/3121050.3121106`

    Examples
    --------
    A change of the first two items counts more than one of the last two:

    >>> from ranking_scores.agreement import tau_ap
    >>> tau_ap({"tea": ["a", "b", "c", "d"]}, {"tea": ["b", "a", "c", "d"]})
    0.333...
    >>> tau_ap({"tea": ["a", "b", "c", "d"]}, {"tea": ["a", "b", "d", "c"]})
    0.777...

    Two orders of the ties of a ranking differ, so it agrees with itself less than 1:

    >>> means = {"x": 0.5, "y": 0.4, "z": 0.4}
    >>> tau_ap(means, means), tau_ap(means, means, ties="corrected")
    (0.75, 1.0)
    """
    call = begin("tau_ap", None, average, replace_undefined_by)
    return _correlation(call, a, b, ties, qid, ids, sample_weight)


def _result(
    call: ScoreCall, paired: PairedRankings, values: NDArray[np.float64], sample_weight: Any
) -> float | NDArray[np.float64]:
    """Return the values of the queries, (n_queries, n_columns), or their weighted mean."""
    weight = weight_of_queries(paired, sample_weight, call.function)
    return evaluation_of(call, values, weight, paired.query_ids).result()


def _correlation(
    call: ScoreCall, a: Any, b: Any, ties: str, qid: Any, ids: Any, sample_weight: Any
) -> float | NDArray[np.float64]:
    """Return a correlation of the items that two rankings share."""
    check_option(ties, "ties", call.function, ("mean", "corrected"))
    a, b = (_as_one_query(each, name, call.function) for name, each in (("a", a), ("b", b)))
    paired = pair_rankings(a, b, qid=qid, ids=ids)
    values = correlation_by_query(paired, call.function, ties)[:, np.newaxis]
    return _result(call, paired, values, sample_weight)


def _as_one_query(ranking: Any, parameter: str, function: str) -> Any:
    """Return a dict of numbers, such as the means of systems, as the ranking of one query."""
    is_single = isinstance(ranking, Mapping) and len(ranking) > 0
    if is_single and all(isinstance(each, Real) for each in ranking.values()):
        for key, value in ranking.items():
            if not -np.inf < value < np.inf:
                got = f"{value} for {show_id(key)}"
                raise invalid(parameter, function, "a dict of finite numbers", got)
        return {"": ranking}
    return ranking


@advises_on_keywords
def agreement_report(
    a: Any,
    b: Any = None,
    *,
    scores: str | Sequence[str] = DEFAULT_MEASURES,
    by: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    qid: ArrayLike | None = None,
    ids: bool | None = None,
    n: int = 10,
) -> AgreementReport:
    """Report how far two rankings agree, and for which queries they differ most.

    It needs no labels. The report is that of `ranking_scores.ranking_report`, with measures of
    agreement in place of scores, so tests, intervals, gates and files take it.

    Parameters
    ----------
    a : ranking
        The old ranking of the items of each query, in any form that `pair_rankings` takes: lists
        of ids, a table or an array of scores. Or the result of `pair_rankings`, without `b`.

    b : ranking, default=None
        The new ranking, in the form of `a`.

    scores : str or sequence of str, default=("overlap@10", "rbo@0.9")
        The names of the measures:

        - "overlap@10": `overlap_at_k` with k = 10;
        - "jaccard@10": the same with ``denominator="union"``;
        - "average_overlap@10": `average_overlap` with k = 10;
        - "rbo@0.9": `rank_biased_overlap` with p = 0.9;
        - "kendall_tau" and "tau_ap": the correlations of the items that both rankings have.

    by : array-like or dict, default=None
        The group of each query, as in `ranking_scores.ranking_report`: in the order of the
        queries, or by their ids. A dict may map names to several groupings.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user or session, in the form of `by`. The standard
        errors count in that queries of one cluster may depend on each other.

    sample_weight : array-like, dict or Series, default=None
        The weight of each query, in the order of the queries or by their ids.

    qid : array-like of shape (n_rows,), default=None
        The query of each row, if `a` and `b` are scores with one item per row. The queries are
        those of ``np.unique(qid)``.

    ids : bool, default=None
        Whether arrays, or lists of lists, have ids, the best first. False: they have scores. None:
        an array of whole numbers, none of them twice in a row, is an error if both are like this.

    n : int, default=10
        The number of queries in `changed`, for each measure.

    Returns
    -------
    report : AgreementReport
        A `ranking_scores.report.RankingReport` with the queries that changed most in `changed`. It
        prints as a table, with these queries and their items below.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If a mean is NaN, since both lists of each query are empty.

    See Also
    --------
    ranking_scores.gates.check : Fails if two rankings agree too little.
    ranking_scores.significance.changes : Tells what changed between two reports with labels.

    Notes
    -----
    A query that only one of the rankings has is left out, and a line of the report says so. It may
    still be in `by`, `clusters` and `sample_weight` by ids. A query whose lists are both empty has
    no agreement, which is NaN, and does not enter the mean.

    If some items of a query have equal scores, an item has several possible ranks, which `before`
    and `now` of the items that moved give as the first and the last of them. It is among the
    first k if the first of these ranks is at most k. The measures are the means over all orders of
    such items, so even a ranking and itself may agree less than 1.

    `to_json` saves the values of all queries, and not `changed`. What
    `ranking_scores.report.read_report` returns is a `RankingReport` that equals the report.

    Examples
    --------
    >>> from ranking_scores.agreement import agreement_report
    >>> yesterday = {"tea": ["a", "b", "c"], "milk": ["d", "e"], "rice": ["f", "g"]}
    >>> today = {"tea": ["a", "c", "b"], "milk": ["d", "x"], "salt": ["y"]}
    >>> report = agreement_report(yesterday, today, scores=["overlap@2", "rbo@0.9"])
    >>> report
                 mean  standard error  undefined
    overlap@2  0.5000          0.0000          0
    rbo@0.9    0.7525          0.2025          0
    <BLANKLINE>
    changed most in overlap@2
          overlap@2
    milk     0.5000
    tea      0.5000
    <BLANKLINE>
    items of these queries that left the first 2 or came in
          item           rank before    rank now
    milk  e     left     2              not retrieved
    milk  x     came in  not retrieved  2
    tea   b     left     2              3
    tea   c     came in  3              2
    <BLANKLINE>
    2 queries
    1 query was only in a, and is left out: 'rice'
    1 query was only in b, and is left out: 'salt'
    >>> report.changed["overlap@2"][0].left
    (MovedItem(item='e', before=(2, 2), now=None),)
    """
    caller = "agreement_report"
    measures = find_measures(scores, caller)
    count = check_count("n", n, 0, caller)
    given = {"by": by, "clusters": clusters, "sample_weight": sample_weight}
    paired = pair_rankings(a, b, qid=qid, ids=ids)
    return report_of_pairs(paired, measures, given, count, caller)
