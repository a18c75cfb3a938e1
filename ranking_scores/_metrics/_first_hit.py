"""Scores of the first relevant item: the probability of each rank for it, times a weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._validation import advises_on_keywords, check_bool
from ranking_scores._metrics._evaluate import (
    BlockScores,
    Plan,
    RankedBlock,
    RankedRelevance,
    begin,
    evaluate,
    evaluate_relevance,
)
from ranking_scores._metrics._profiles import (
    Ranking,
    RankSum,
    Weigh,
    first_hit,
    first_stop,
    over_rank,
    sum_over_ranks,
)
from ranking_scores._queries._data import CallData, DataByIds as RankingData, DataNeeds
from ranking_scores._queries._relevance import check_stop_chance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@advises_on_keywords
def hit_rate_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int],
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Hit rate: the share of queries with a relevant item among the first `k`.

    For each query it is the probability that at least one of the first `k` items is relevant, over
    all orders of items with equal scores. The hit rate is also known as success@k. If each query
    has one relevant item, it equals recall at `k`. For class labels it equals top-k accuracy.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: 0 and 1, or graded relevance. Labels are real and finite.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels or the result of `from_lists`: see "Data formats and masks".
    y_score : array-like, sparse or list column, default=None
        The score of each item, finite and compared in its own dtype. The highest ranks first.
        Items that a SciPy sparse `y_score` does not store have no rank, but still count among the
        items to be found (`retrieved_from_ids`).
    k : int or array-like of int
        The cutoff: only the first `k` ranks count. A cutoff beyond the end counts the whole list.
        A list of cutoffs gives one value for each, in its order.
    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative, not all zero. With `qid` there
        is one value per row, the same within a query, or a dict or Series by query id.
    ignore_ties : bool, default=False
        False gives the expected value over all orders of the items with equal scores. True gives
        the value of one order, in which the later column or row comes first among equals.
    relevance_threshold : float, default=None
        An item is relevant if its label is at least this number, compared in the dtype of the
        labels. None: an item is relevant if its label is above 0.
    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even NaN. With
        `qid`, list columns or a sparse `y_score`, leave these items out of the data instead.
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, if `y_true` is 1-D without `qid`,
        so that it holds class labels. None: the sorted classes of `y_true`.
    replace_undefined_by : float, default=0.0
        The value of a query without a relevant item, where the score is undefined. ``np.nan``
        leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    hit_rate : float or ndarray of float64
        It is from 0 to 1. For several cutoffs or ``average=None``, it is an array of shape (n_k,),
        (n_queries,) or (n_queries, n_k), in the order of the rows or of ``np.unique(qid)``.

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
        If each of several queries has only one item, or if labels and scores seem to be swapped.

    See Also
    --------
    ndcg_score : Also depends on the ranks of the relevant items and on how relevant they are.
    sklearn.metrics.top_k_accuracy_score : The same for class labels, if no scores tie.

    Notes
    -----
    The score of a query is::

        HitRate@k = P[a relevant item is at one of the ranks 1, ..., k]
                  = sum over r = 1, ..., k of h(r) * product over q < r of (1 - h(q))

    where the hazard ``h(r)`` is the probability that the item at rank r is relevant, given that no
    item above is. In a tie group of m items with G relevant ones and j ranks above rank r, it is
    ``G / (m - j)``, and at most 1 [1]_.

    References
    ----------
    .. [1] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import hit_rate_score
    >>> y_true = [[0, 0, 1, 0], [0, 1, 0, 0]]
    >>> y_score = [[4, 2, 3, 1], [7, 7, 7, 7]]
    >>> hit_rate_score(y_true, y_score, k=2)
    0.75
    >>> hit_rate_score(y_true, y_score, k=[1, 2, 4])
    array([0.125, 0.75 , 1.   ])

    The items of the second query all tie. Its relevant item comes first in a quarter of the
    orders, and it is among the first two items in half of them:

    >>> hit_rate_score(y_true, y_score, k=[1, 2, 4], average=None)
    array([[0.  , 1.  , 1.  ],
           [0.25, 0.5 , 1.  ]])

    Class labels need one column of scores for each class. No sample in `y_true` is a "dog", so
    `labels` names the classes:

    >>> y_score = [[.8, .1, .1], [.2, .5, .3], [.3, .4, .3]]
    >>> hit_rate_score(["cat", "owl", "owl"], y_score, k=2, labels=["cat", "dog", "owl"])
    0.8333...
    """
    call = begin("hit_rate_score", k, average, replace_undefined_by, allow_none=False)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    return evaluate_relevance(
        hit_rate, data, call, ignore_ties, relevance_threshold, "rises", first_only=True
    )


def hit_rate(relevant: RankedRelevance, cutoffs: Ints) -> RankSum:
    """P[the first relevant item is at or above the cutoff], which rounding must not carry past 1.

    It is the sum of the probabilities of the ranks for this item.
    """
    return relevant.sum_over_ranks(first_hit, cutoffs)._replace(is_capped=True)


@advises_on_keywords
def mean_reciprocal_rank_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Mean reciprocal rank (MRR): 1 divided by the rank of the first relevant item.

    A query scores 0 if its first relevant item is beyond the cutoff. MRR is the expected value
    over all orders of items with equal scores, averaged over the queries.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: 0 and 1, or graded relevance. Labels are real and finite.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels or the result of `from_lists`: see "Data formats and masks".
    y_score : array-like, sparse or list column, default=None
        The score of each item, finite and compared in its own dtype. The highest ranks first.
        Items that a SciPy sparse `y_score` does not store have no rank, but still count among the
        items to be found (`retrieved_from_ids`).
    k : int, None or array-like of these, default=None
        The cutoff: only the first `k` ranks count. None counts the whole list, as does a cutoff
        beyond its end. A list of cutoffs gives one value for each, in its order.
    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative, not all zero. With `qid` there
        is one value per row, the same within a query, or a dict or Series by query id.
    ignore_ties : bool, default=False
        False gives the expected value over all orders of the items with equal scores. True gives
        the value of one order, in which the later column or row comes first among equals.
    relevance_threshold : float, default=None
        An item is relevant if its label is at least this number, compared in the dtype of the
        labels. None: an item is relevant if its label is above 0.
    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even NaN. With
        `qid`, list columns or a sparse `y_score`, leave these items out of the data instead.
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, if `y_true` is 1-D without `qid`,
        so that it holds class labels. None: the sorted classes of `y_true`.
    replace_undefined_by : float, default=0.0
        The value of a query without a relevant item, where the score is undefined. ``np.nan``
        leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    mrr : float or ndarray of float64
        It is from 0 to 1. For several cutoffs or ``average=None``, it is an array of shape (n_k,),
        (n_queries,) or (n_queries, n_k), in the order of the rows or of ``np.unique(qid)``.

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
        If each of several queries has only one item, or if labels and scores seem to be swapped.

    See Also
    --------
    hit_rate_score : The share of queries with a relevant item anywhere among the first `k`.
    expected_reciprocal_rank_score : The same for graded labels.

    Notes
    -----
    The score of a query is::

        RR@k = sum over r = 1, ..., k of 1/r * h(r) * product over q < r of (1 - h(q))

    where the hazard ``h(r)`` is the probability that the item at rank r is relevant, given that no
    item above is [1]_. If no scores tie, it is 1 or 0. In a tie group of m items with G relevant
    ones and j ranks above rank r, it is ``G / (m - j)``, and at most 1 [2]_. If all n items of a
    list tie and one of them is relevant, the reciprocal rank is ``(1 + 1/2 + ... + 1/n) / n``.

    References
    ----------
    .. [1] Craswell, N. (2009). "Mean reciprocal rank." Encyclopedia of Database Systems, 1703.
           :doi:`10.1007/978-0-387-39940-9_488`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import mean_reciprocal_rank_score
    >>> y_true = [[0, 0, 1, 0], [0, 1, 0, 0]]
    >>> y_score = [[4, 2, 3, 1], [7, 7, 7, 7]]
    >>> mean_reciprocal_rank_score(y_true, y_score)
    0.5104...
    >>> mean_reciprocal_rank_score(y_true, y_score, k=[1, 2])
    array([0.125 , 0.4375])
    >>> mean_reciprocal_rank_score(y_true, y_score, average=None)
    array([0.5       , 0.52083333])

    The items of the second query all tie. Its relevant item is at each of the four ranks in a
    quarter of the orders. With `ignore_ties` its rank depends on the order of the data:

    >>> mean_reciprocal_rank_score(y_true, y_score, average=None, ignore_ties=True)
    array([0.5       , 0.33333333])
    """
    call = begin("mean_reciprocal_rank_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    return evaluate_relevance(
        reciprocal_rank, data, call, ignore_ties, relevance_threshold, "rises", first_only=True
    )


def reciprocal_rank(relevant: RankedRelevance, cutoffs: Ints, weigh: Weigh = over_rank) -> RankSum:
    """Return the sum of P[the first relevant item is there] / rank, up to each cutoff."""
    return relevant.sum_over_ranks(first_hit, cutoffs, weigh)


@advises_on_keywords
def expected_reciprocal_rank_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    max_grade: int,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Expected reciprocal rank (ERR): 1 divided by the rank at which a user stops.

    A user reads the items from the first one on. The higher the grade of an item, the more likely
    the user stops there. ERR is the expected value over all orders of items with equal scores,
    averaged over the queries.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The grade of each item: a whole number from 0 to `max_grade`. Labels below
        `relevance_threshold` may be any finite number.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels or the result of `from_lists`: see "Data formats and masks".
    y_score : array-like, sparse or list column, default=None
        The score of each item, finite and compared in its own dtype. The highest ranks first.
        Items that a SciPy sparse `y_score` does not store have no rank, but still count among the
        items to be found (`retrieved_from_ids`).
    k : int, None or array-like of these, default=None
        The cutoff: only the first `k` ranks count. None counts the whole list, as does a cutoff
        beyond its end. A list of cutoffs gives one value for each, in its order.
    max_grade : int
        The highest grade that a label can have, from 1 to 1000. Labels are whole numbers from 0 to
        this grade. The data need not have an item of this grade. All results with the same
        `max_grade` are comparable.
    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative, not all zero. With `qid` there
        is one value per row, the same within a query, or a dict or Series by query id.
    ignore_ties : bool, default=False
        False gives the expected value over all orders of the items with equal scores. True gives
        the value of one order, in which the later column or row comes first among equals.
    relevance_threshold : float, default=None
        Items with a label below this number never stop the user, and their labels need not be
        grades. None: every label counts.
    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even NaN. With
        `qid`, list columns or a sparse `y_score`, leave these items out of the data instead.
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, if `y_true` is 1-D without `qid`,
        so that it holds class labels. None: the sorted classes of `y_true`.
    replace_undefined_by : float, default=0.0
        The value of a query without a relevant item, where the score is undefined. ``np.nan``
        leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    err : float or ndarray of float64
        It is from 0 to 1. For several cutoffs or ``average=None``, it is an array of shape (n_k,),
        (n_queries,) or (n_queries, n_k), in the order of the rows or of ``np.unique(qid)``.

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
        If each of several queries has only one item, or if labels and scores seem to be swapped.

    See Also
    --------
    mean_reciprocal_rank_score : The same if every relevant item stops every user.
    ndcg_score : Items count the same whichever items are above them.

    Notes
    -----
    If no scores tie, the score of a query is::

        ERR@k = sum over r = 1, ..., k of 1/r * p(r) * product over q < r of (1 - p(q))
        p(r)  = (2**y(r) - 1) / 2**max_grade

    where ``p(r)`` is the probability that the item at rank r stops the user, and ``y(r)`` is its
    grade [1]_. If scores tie, ``p(r)`` times the product is replaced by its average over all
    orders of the ties. A tie group of m items with different grades, n of them above 0, takes
    time in proportion to ``n * m``, or to ``n * k`` with a cutoff. Other tie groups take no more
    time than items that do not tie.

    References
    ----------
    .. [1] Chapelle, O., Metzler, D., Zhang, Y. and Grinspan, P. (2009). "Expected reciprocal
           rank for graded relevance." CIKM 2009, 621-630. :doi:`10.1145/1645953.1646033`

    Examples
    --------
    >>> from ranking_scores import expected_reciprocal_rank_score
    >>> y_true = [[3, 2, 4], [0, 1, 4]]
    >>> y_score = [[3, 2, 1], [8, 8, 8]]
    >>> expected_reciprocal_rank_score(y_true, y_score, max_grade=4)
    0.6106...
    >>> expected_reciprocal_rank_score(y_true, y_score, max_grade=4, k=[1, 2])
    array([0.38541667, 0.49023438])
    >>> expected_reciprocal_rank_score(y_true, y_score, max_grade=4, average=None)
    array([0.63305664, 0.58832465])

    The items of the second query all tie. With `ignore_ties` the score depends on the order of the
    data:

    >>> expected_reciprocal_rank_score(y_true[1:], y_score[1:], max_grade=4, ignore_ties=True)
    0.9394...
    """
    call = begin("expected_reciprocal_rank_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    chance_of = check_stop_chance(max_grade, relevance_threshold, call.function)

    def score(ranked: RankedBlock) -> BlockScores:
        block = ranked.block
        ranked_chance, judged_chance = block.gains(chance_of)
        ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
        chance_by_rank = ranking.by_rank(block.ranked.place(ranked_chance))
        err = expected_reciprocal_rank(chance_by_rank, ranking, call.cutoffs.ranks)
        is_defined = block.judged.place(judged_chance).any(axis=1, keepdims=True)
        return BlockScores(np.where(is_defined, err.values(), np.nan), rank_sum=err)

    plan = Plan(call, data, DataNeeds(call.depth), score, chance_of, follows="rises")
    return evaluate(plan if ignore_ties else plan._replace(counts="all"))


def expected_reciprocal_rank(
    chance_by_rank: Floats, ranking: Ranking, cutoffs: Ints, weigh: Weigh = over_rank
) -> RankSum:
    """Return the sum of P[the user stops there] / rank, up to each cutoff."""
    return sum_over_ranks(first_stop, chance_by_rank, ranking, cutoffs, weigh)
