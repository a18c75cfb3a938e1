"""Discounted cumulative gain: the sum of the expected gain at each rank times its discount."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import (
    advises_on_keywords,
    check_bool,
    check_in_range,
    check_log_base,
)
from ranking_scores._metrics._aspects import alpha_dcg, best_alpha_dcg, greedy_alpha_dcg
from ranking_scores._metrics._evaluate import (
    BlockScores,
    Counts,
    Follows,
    Plan,
    RankedBlock,
    begin,
    check_sums,
    evaluate,
)
from ranking_scores._metrics._profiles import (
    Ranking,
    RankSum,
    discounted,
    expected_gain,
    ideal_gain,
    sum_over_ranks,
    sum_to_cutoffs,
)
from ranking_scores._queries._blocks import Block, CheckedQueries
from ranking_scores._queries._data import CallData, DataByIds as RankingData, DataNeeds
from ranking_scores._queries._over_aspects import total_of_aspects
from ranking_scores._queries._relevance import Gain, check_discount, check_gain, check_relevance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]


@advises_on_keywords
def dcg_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: Literal["linear", "exponential"]
    | Sequence[float]
    | NDArray[Any]
    | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None,
    item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Discounted cumulative gain (DCG): the sum of the items' gains, discounted by rank.

    DCG is the expected value over all orders of items with equal scores, averaged over the
    queries. It is not normalised. To compare queries with each other, use `ndcg_score`.

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
    log_base : float, default=2
        The base of the logarithm in ``discount="log"``, greater than 1.
    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative, not all zero. With `qid` there
        is one value per row, the same within a query, or a dict or Series by query id.
    ignore_ties : bool, default=False
        False gives the expected value over all orders of the items with equal scores. True gives
        the value of one order, in which the later column or row comes first among equals.
    gain : {"linear", "exponential"}, array-like of float or callable, default="linear"
        The gain of an item: the label, ``2**label - 1``, ``gain[label]`` if it is a table, or the
        value of a callable that takes a 1-D float64 array of labels and is called once per block.
        Gains must be finite. See "Choosing a metric" in the guide.
    discount : "log" or callable, default="log"
        The factor of the gain at each rank. "log": ``1 / log(1 + rank)``, to the base `log_base`.
        A callable gets the float64 array of the ranks 1.0, 2.0, ... and is called once.
    relevance_threshold : float, default=None
        Items with a label below this number gain nothing, whatever `gain` says.
    item_weight : array-like of the shape of `y_score` or (n_items,) or list column, default=None
        The factor of each gain: dense, finite and not negative. 0 leaves the item out. The items
        also weigh their query: see "Choosing a metric" in the guide.
    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even NaN. With
        `qid`, list columns or a sparse `y_score`, leave these items out of the data instead.
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, if `y_true` is 1-D without `qid`,
        so that it holds class labels. None: the sorted classes of `y_true`.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    dcg : float or ndarray of float64
        For several cutoffs or ``average=None``, it is an array of shape (n_k,), (n_queries,) or
        (n_queries, n_k), in the order of the rows or of ``np.unique(qid)``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described. The error, of both types, names the parameter, what it
        accepts, what it got, and the first query concerned.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, because all items have the weight 0 and so no query has a weight.
    UserWarning
        If each of several queries has only one item, or if labels and scores seem to be swapped.

    See Also
    --------
    ndcg_score : DCG divided by the best possible DCG.

    Notes
    -----
    If no scores tie, the score of a query is::

        DCG@k = sum over r = 1, ..., k of gain(r) * discount(r)

    where ``gain(r)`` is the gain of the item at rank r and ``discount(r)`` is the discount of that
    rank [1]_. If scores tie, the gain of an item is replaced by the mean gain of its tie group.
    DCG is then the average over all orders of the ties [2]_.

    References
    ----------
    .. [1] Järvelin, K. and Kekäläinen, J. (2002). "Cumulated gain-based evaluation of IR
           techniques." ACM TOIS 20(4), 422-446. :doi:`10.1145/582415.582418`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import dcg_score
    >>> y_true, y_score = [[10, 0, 0, 1, 5]], [[.1, .2, .3, 4, 70]]
    >>> dcg_score(y_true, y_score, k=[1, 3, None])
    array([5.        , 5.63092975, 9.49945783])

    Two items tie for the first rank. They gain 10 and 5, which is 7.5 on average:

    >>> dcg_score(y_true, [[1, 0, 0, 0, 1]], k=1)
    7.5

    Queries may have different lengths. Each row then has the id of its query:

    >>> dcg_score([1, 0, 2, 0, 1], [.3, .4, .9, .5, .1], qid=list("bbaaa"), average=None)
    array([2.5       , 0.63092975])
    """
    call = begin("dcg_score", k, average)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight, item_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    log_base = check_log_base(log_base, call.function)
    gain_of = check_gain(gain, relevance_threshold, call.function, allow_negative=True)

    def weigh_ranks(queries: CheckedQueries, _: CallData) -> Floats:
        n_ranks = min(call.depth, max(queries.last_rank, 1))
        return check_discount(discount, log_base, n_ranks, call.function, allow_negative=True)

    def dcg(weight_by_rank: Floats, ranked: RankedBlock) -> BlockScores:
        gains = _weighted_gains(ranked.block, gain_of, call.function)
        ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
        dcg = expected_dcg(gains.ranked, ranking, weight_by_rank, call.cutoffs.ranks)
        if gains.query_weight is not None:  # the mean multiplies by it
            weight = gains.query_weight[:, None]
            dcg = dcg._replace(denominator=np.where(weight > 0, weight, 1))
        values = check_sums(dcg.values(), ranked.block, call.function)
        return BlockScores(values, gains.query_weight, dcg)

    gains = () if item_weight is None else (gain_of,)
    need = DataNeeds(call.depth, gains, in_columns=callable(discount))
    follows: Follows = "ends" if callable(discount) else "rises"
    plan = Plan(call, data, need, dcg, gain_of, weigh_ranks, follows=follows)
    return evaluate(plan if ignore_ties else plan._replace(counts="all"))


@advises_on_keywords
def ndcg_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: Literal["linear", "exponential"]
    | Sequence[float]
    | NDArray[Any]
    | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: Literal["log"] | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None,
    item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Normalised discounted cumulative gain (nDCG): DCG divided by the best possible DCG.

    nDCG is the expected value over all orders of items with equal scores, averaged over the
    queries. A perfect ranking scores 1, at every cutoff.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item, real and finite, and not negative from `relevance_threshold` on.
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
    gain : {"linear", "exponential"}, array-like of float or callable, default="linear"
        The gain of an item: the label, ``2**label - 1``, ``gain[label]`` if it is a table, or the
        value of a callable that takes a 1-D float64 array of labels and is called once per block.
        Gains must be finite and not negative. See "Choosing a metric" in the guide.
    discount : "log" or callable, default="log"
        The factor of the gain at each rank, not negative. "log": ``1 / log2(1 + rank)``. A
        callable gets the float64 array of the ranks 1.0, 2.0, ... and is called once.
    relevance_threshold : float, default=None
        Items with a label below this number gain nothing, whatever `gain` says.
    item_weight : array-like of the shape of `y_score` or list column, default=None
        The factor of each gain, also in the ideal DCG: dense, finite and not negative. 0 leaves
        the item out. The items also weigh their query: see "Choosing a metric" in the guide.
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
        The value of a query whose ideal DCG at the cutoff is 0, where nDCG is undefined.
        ``np.nan`` leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    ndcg : float or ndarray of float64
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
    dcg_score : DCG without the normalisation.

    Notes
    -----
    The score of a query is::

        nDCG@k = DCG@k / IDCG@k

    where IDCG, the ideal DCG, is the largest DCG over all orders of the items [1]_, and DCG is the
    average over all orders of items with equal scores [2]_, as in `dcg_score`.

    References
    ----------
    .. [1] Järvelin, K. and Kekäläinen, J. (2002). "Cumulated gain-based evaluation of IR
           techniques." ACM TOIS 20(4), 422-446. :doi:`10.1145/582415.582418`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import ndcg_score
    >>> y_true, y_score = [[10, 0, 0, 1, 5]], [[.1, .2, .3, 4, 70]]
    >>> ndcg_score(y_true, y_score, k=[1, 3, None])
    array([0.5       , 0.41238188, 0.69569404])

    A model that gives all items the same score gets the average score of a random order:

    >>> ndcg_score(y_true, [[0, 0, 0, 0, 0]])
    0.6909...

    Queries may have different lengths. Query "b" has no relevant item, and is left out:

    >>> rows = [0, 0, 2, 0, 1], [.3, .4, .9, .5, .1]
    >>> ndcg_score(*rows, qid=["b", "b", "a", "a", "a"], replace_undefined_by=float("nan"))
    0.9502...
    """
    call = begin("ndcg_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight, item_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    gain_of = check_gain(gain, relevance_threshold, call.function, allow_negative=False)
    cutoffs = call.cutoffs.ranks

    def weigh_ranks(queries: CheckedQueries, _: CallData) -> RankWeights:
        # A rising discount has its largest weights at ranks where no item may have a gain.
        last_rank = queries.longest if callable(discount) else queries.last_rank
        n_ranks = min(call.depth, max(last_rank, 1))
        weights = check_discount(discount, 2, n_ranks, call.function, allow_negative=False)
        return RankWeights(weights, _best_weights(weights) if callable(discount) else None)

    def ndcg(weights: RankWeights, ranked: RankedBlock) -> BlockScores:
        gains = _weighted_gains(ranked.block, gain_of, call.function)
        # The ideal needs no ranking, which takes as much of the cache as the block itself.
        ideal = ideal_dcg(gains.judged, ranked.block.n_items, weights, cutoffs)
        is_tiny = _are_tiny(ideal, gains.judged)
        if is_tiny.any():  # Their products with weights would lose digits.
            gains = _weighted_gains(ranked.block, gain_of, call.function, is_tiny)
            ideal = ideal_dcg(gains.judged, ranked.block.n_items, weights, cutoffs)
        check_sums(ideal, ranked.block, call.function)
        ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
        dcg = expected_dcg(gains.ranked, ranking, weights.by_rank, cutoffs)
        check_sums(dcg.total, ranked.block, call.function)
        ndcg = RankSum(dcg.total, ideal, dcg.summands, is_capped=True)
        # 0 / 0 is NaN: nDCG is undefined without an ideal.
        return BlockScores(ndcg.values(), gains.query_weight, ndcg)

    need = DataNeeds(call.depth, (gain_of,), in_columns=callable(discount))
    counts: Counts = None if ignore_ties else "all"
    plan = Plan(call, data, need, ndcg, gain_of, weigh_ranks, follows="ratio", counts=counts)
    return evaluate(plan)


@advises_on_keywords
def alpha_ndcg_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    alpha: float = 0.5,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Alpha-nDCG: nDCG in which an item gains less for what items above it have already.

    It is made for queries with several aspects (`ranking_scores.tables.from_lists`), such as the
    facts that answer a question. An item gains 1 for each aspect that it is relevant for, times
    ``1 - alpha`` for each item above it that is relevant for the same one. Data without aspects
    has one aspect. It is the mean over all orders of items with equal scores.

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
    alpha : float, default=0.5
        The share of its gain that an item loses for each item above it with the same aspect, from
        0 to 1. With 0, repetition costs nothing. With 1, only the first item of an aspect gains.
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
    alpha_ndcg : float or ndarray of float64
        It is from 0 to 1, see Notes. For several cutoffs or ``average=None``, it is an array of
        shape (n_k,), (n_queries,) or (n_queries, n_k), in the order of ``np.unique(qid)``.

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
    expected_reciprocal_rank_score : Users stop at an item. Over aspects, it is ERR-IA.
    all_relevant_at_k_score : Whether all aspects are found.

    Notes
    -----
    If no scores tie, the score of a query is::

        alpha-DCG@k  = sum over r = 1, ..., k of G(r) / log2(1 + r)
        G(r)         = sum over aspects a of rel(r, a) * (1 - alpha)**c(r, a)
        alpha-nDCG@k = alpha-DCG@k / alpha-DCG@k of the ideal order

    where ``rel(r, a)`` is 1 if the item at rank r is relevant for the aspect, else 0, and ``c(r,
    a)`` is the number of such items above it [1]_. Weights of aspects multiply their gains. In a
    tie group of m items, R of them relevant for an aspect for which c items above it are, the item
    at place j = 0, 1, ... has the expected term ``(1 - alpha)**c * R / m`` times the sum over x of
    ``(1 - alpha)**x * C(R - 1, x) * C(m - R, j - x) / C(m - 1, j)``.

    As usual, the ideal order is the greedy one, with the item that gains most at each rank, and
    the last id of several. So the score may rarely be above 1, but never above e / (e - 1).

    References
    ----------
    .. [1] Clarke, C. L. A., Kolla, M., Cormack, G. V., Vechtomova, O., Ashkan, A., Büttcher, S.
           and MacKinnon, I. (2008). "Novelty and diversity in information retrieval evaluation."
           SIGIR 2008, 659-666. :doi:`10.1145/1390334.1390446`

    Examples
    --------
    Two passages say who, and one says when. The second list repeats nothing:

    >>> from ranking_scores import alpha_ndcg_score
    >>> from ranking_scores.tables import from_lists
    >>> gold = [{"who": ["a", "b"], "when": ["c"]}] * 2
    >>> data = from_lists(gold, [["a", "b", "c"], ["a", "c", "b"]], aspects=True)
    >>> alpha_ndcg_score(data, k=[1, 2], average=None)
    array([[1.        , 0.8065736...],
           [1.        , 1.        ]])

    Without aspects, each relevant item gains half of what the one above it does:

    >>> alpha_ndcg_score([[1, 1, 0, 1]], [[4, 3, 2, 1]])
    0.9879...
    """
    call = begin("alpha_ndcg_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    relevance = check_relevance(relevance_threshold, call.function)
    expected = "a number from 0 to 1"
    alpha = check_in_range(alpha, "alpha", call.function, expected, lambda share: 0 <= share <= 1)
    cutoffs = call.cutoffs.ranks

    def weigh_ranks(queries: CheckedQueries, _: CallData) -> Floats:
        if queries.aspects is not None and relevance.includes_zero:
            expected = "above 0 if y_true is over aspects"
            raise invalid(
                "relevance_threshold", call.function, expected, f"{relevance.threshold:g}"
            )
        n_ranks = min(call.depth, max(queries.longest, 1))
        return check_discount("log", 2, n_ranks, call.function, allow_negative=False)

    def alpha_ndcg(weight_by_rank: Floats, ranked: RankedBlock) -> BlockScores:
        relevant = ranked.relevance(relevance, call.depth, ignore_ties=ignore_ties)
        dcg = alpha_dcg(relevant, alpha, weight_by_rank, cutoffs)
        members = ranked.members
        if members is None:
            ideal = best_alpha_dcg(relevant.n_relevant, alpha, weight_by_rank, cutoffs)
            dcg = dcg._replace(denominator=dcg.denominator * ideal, is_capped=True)
        else:
            ideal = greedy_alpha_dcg(members, relevance, alpha, weight_by_rank, cutoffs)
            dcg = RankSum(total_of_aspects(dcg.values(), members), ideal)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: undefined
            return BlockScores(dcg.values(), rank_sum=dcg)

    def chance_of(labels: NDArray[Any], place_of_item: Any = None) -> Floats:
        return relevance(labels) * (alpha or 1)  # that `alpha_dcg` sums up

    need = DataNeeds(call.depth, in_columns=relevance.includes_zero)
    plan = Plan(call, data, need, alpha_ndcg, chance_of, weigh_ranks, joins_aspects=True)
    return evaluate(plan if ignore_ties else plan._replace(counts="all"))


class Gains(NamedTuple):
    """The gains of the items of a block, times their weights."""

    ranked: Floats
    """The gains of the ranked items, (n_queries, n_cells)."""
    judged: Floats
    """The gains of the judged items, (n_queries, n_cells)."""
    query_weight: Floats | None
    """The weight of each query by its judged items; None if items have no weights."""


_TINY = 2.0**-500
"""Far above the floats that have fewer digits, which begin at 2**-1022 and end at 2**-1074."""


def _are_tiny(ideal: Floats, gain: Floats) -> NDArray[np.bool_]:
    """Return in which queries all gains are tiny, and some are above 0."""
    is_tiny = np.asarray(ideal.max(axis=1) < _TINY)
    largest = gain[is_tiny].max(axis=1, initial=0)
    is_tiny[is_tiny] = (largest > 0) & (largest < _TINY)
    return is_tiny


def _weighted_gains(
    block: Block, gain_of: Gain, function: str, is_tiny: NDArray[np.bool_] | None = None
) -> Gains:
    """Return weight times gain of all items, times 1 / _TINY in queries whose gains are tiny.

    The weight of a query is the average weight of its gain: the sum of weight times gain, divided
    by the sum of the gains. A query without items has the weight 0. A query with items but without
    gain has the weight NaN, which means the mean weight of the others.
    """
    gain, judged_gain = block.gains(gain_of)
    ranked, judged = block.ranked, block.judged
    if is_tiny is not None:  # by a power of two, which keeps all bits
        times = np.where(is_tiny, 1 / _TINY, 1)
        gain = gain * np.repeat(times, ranked.lengths)
        judged_gain = judged_gain * np.repeat(times, judged.lengths)
    if ranked.weight is None or judged.weight is None:
        placed = ranked.place(gain)
        return Gains(placed, placed if judged is ranked else judged.place(judged_gain), None)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        weighted, judged_weighted = ranked.weight * gain, judged.weight * judged_gain
        total, weighted_total = judged.total(judged_gain), judged.total(judged_weighted)
        query_weight = weighted_total / total
    has_gain = judged.total(judged_gain != 0) > 0
    is_bad = has_gain & ~((query_weight > 0) & (total > 0) & (query_weight < np.inf))
    if is_bad.any():
        query = int(np.argmax(is_bad))
        expected = (
            "None unless gain and weight times gain have a positive, finite sum in each query"
        )
        got, place = (
            f"the sums {total[query]} and {weighted_total[query]}",
            judged.place_of_row(query),
        )
        raise invalid("item_weight", function, expected, got, place=place)
    query_weight[~has_gain] = np.nan
    query_weight[block.n_items == 0] = 0
    return Gains(ranked.place(weighted), judged.place(judged_weighted), query_weight)


def expected_dcg(gain: Floats, ranking: Ranking, weight_by_rank: Floats, cutoffs: Ints) -> RankSum:
    """Return the sum of expected gain times weight over the ranks up to each cutoff."""
    weigh = partial(discounted, weight_by_rank=weight_by_rank)
    return sum_over_ranks(expected_gain, ranking.by_rank(gain), ranking, cutoffs, weigh)


class RankWeights(NamedTuple):
    """The weights of the ranks, in the order of the ranks and from the largest down."""

    by_rank: Floats
    best: Callable[[int], Floats] | None
    """Returns the weights up to a rank, sorted; None if they are sorted already."""


def _best_weights(weight_by_rank: Floats) -> Callable[[int], Floats] | None:
    """Return a function that sorts the weights up to a rank; None if they are sorted already."""
    if (weight_by_rank[1:] <= weight_by_rank[:-1]).all():
        return None
    return lru_cache(maxsize=8)(lambda last_rank: np.sort(weight_by_rank[:last_rank])[::-1])


def ideal_dcg(gain: Floats, n_items: Positions, weights: RankWeights, cutoffs: Ints) -> Floats:
    """Return the largest sum of gain times weight, over all orders, up to each cutoff.

    It pairs the sorted gains with the sorted weights of the ranks that count. These are the ranks
    up to the cutoff and up to the number of items of the query. Falling weights are sorted at any
    cutoff.
    """
    depth = min(weights.by_rank.size, gain.shape[1])
    best_gain = ideal_gain(gain, depth)
    if weights.best is None:
        return sum_to_cutoffs(best_gain * weights.by_rank[:depth], cutoffs)
    ideal = np.zeros((gain.shape[0], cutoffs.size))
    n_ranks = np.minimum(n_items[:, None], cutoffs)
    for n in np.unique(n_ranks[n_ranks > 0]):
        query, cutoff = np.nonzero(n_ranks == n)
        pairs = best_gain[query, :n] * weights.best(int(n))[:depth]
        ideal[query, cutoff] = sum_to_cutoffs(pairs, n[None])[:, 0]
    return ideal
