"""Scores of the positions of items: the ranks of relevant items, and the order of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import (
    WHOLE_LIST,
    advises_on_keywords,
    check_bool,
    check_persistence,
    is_sparse,
)
from ranking_scores._metrics._evaluate import (
    BlockScores,
    Plan,
    RankedBlock,
    RankedRelevance,
    begin,
    check_sums,
    evaluate,
    evaluate_relevance,
)
from ranking_scores._metrics._pairs import pairs_in_order
from ranking_scores._metrics._profiles import (
    Ranking,
    RankSum,
    Summands,
    discounted,
    expected_gain,
    mean_rank,
    sum_to_cutoffs,
    times_rank,
)
from ranking_scores._queries._blocks import Block
from ranking_scores._queries._data import CallData, DataByIds as RankingData, DataNeeds
from ranking_scores._queries._relevance import check_gain, label_order

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]


@advises_on_keywords
def average_relevant_position(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Average relevant position (ARP): the mean rank of the relevant items. Lower is better.

    The ranks in the mean are weighted by the labels of the items. The lowest value is 1: the only
    relevant item comes first. ARP is the expected value over all orders of items with equal
    scores, averaged over the queries.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item, real and finite, and not negative from `relevance_threshold` on.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels or the result of `from_lists`: see "Data formats and masks".
    y_score : array-like, sparse or list column, default=None
        The score of each item, in the layout of `y_true`. The highest ranks first. Scores are
        finite, and compared in their own dtype. A SciPy sparse `y_score` must store every relevant
        item, since the others have no rank (`retrieved_from_ids`).
    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative, not all zero. With `qid` there
        is one value per row, the same within a query, or a dict or Series by query id.
    ignore_ties : bool, default=False
        False gives the expected value over all orders of the items with equal scores. True gives
        the value of one order, in which the later column or row comes first among equals.
    relevance_threshold : float, default=None
        Items with a label below this number count as irrelevant. The number is compared in the
        dtype of the labels. None: every label counts.
    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even NaN. With
        `qid`, list columns or a sparse `y_score`, leave these items out of the data instead.
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, if `y_true` is 1-D without `qid`,
        so that it holds class labels. None: the sorted classes of `y_true`.
    replace_undefined_by : float, default=nan
        The value of a query without a relevant item, where the position is undefined. ``np.nan``
        leaves it out of the mean. There is no worst position that could be the default.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    position : float or ndarray of float64
        The position is at least 1. With ``average=None`` it is an array of shape (n_queries,), in
        the order of the rows or, with `qid`, in the order of ``np.unique(qid)``.

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
    ndcg_score : Higher is better, and the first ranks count most.
    make_ranking_scorer : Makes a scorer of it and changes its sign, so that greater is better.

    Notes
    -----
    If no scores tie, the score of a query is::

        ARP = (sum over all ranks r of r * y(r)) / (sum over all ranks r of y(r))

    where ``y(r)`` is the label of the item at rank r, which is not negative [1]_. If scores tie, a
    rank is replaced by the mean rank of its tie group. ARP is then the average over all orders of
    the ties [2]_.

    All relevant items need a rank. A sparse `y_score` must store each of them.

    References
    ----------
    .. [1] Joachims, T., Swaminathan, A. and Schnabel, T. (2017). "Unbiased learning-to-rank with
           biased feedback." WSDM 2017, 781-789. :doi:`10.1145/3018661.3018699`. The paper takes
           the sum of the ranks of the relevant items, which is their number times this mean.
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import average_relevant_position
    >>> y_true = [[0, 1, 0], [0, 1, 1]]
    >>> y_score = [[1, 0, 1.5], [1.5, .2, .5]]
    >>> average_relevant_position(y_true, y_score)
    2.75
    >>> average_relevant_position(y_true, y_score, average=None)
    array([3. , 2.5])

    Three items that tie have the rank 2 on average, whichever of them is relevant. With
    `ignore_ties` it is 1, 2 or 3, depending on the order of the data:

    >>> average_relevant_position([[0, 0, 1]], [[7, 7, 7]])
    2.0
    >>> average_relevant_position([[0, 0, 1]], [[7, 7, 7]], ignore_ties=True)
    1.0

    A query without a relevant item is left out:

    >>> average_relevant_position([[0, 1], [0, 0]], [[1, 2], [1, 2]])
    1.0
    """
    call = begin("average_relevant_position", None, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    gain_of = check_gain("linear", relevance_threshold, call.function, allow_negative=False)

    def position(ranked: RankedBlock) -> BlockScores:
        block = ranked.block
        ranked_gain, judged_gain = block.gains(gain_of)
        gain = block.ranked.place(ranked_gain)
        if block.judged is not block.ranked:
            _check_all_ranked(gain, block.judged.place(judged_gain), block, call.function)
        # Sums of gains near 0 would lose digits, and a power of two keeps all bits.
        is_tiny = gain.max(axis=1, initial=0) < 2.0**-500
        gain = gain * np.where(is_tiny, 2.0**500, 1)[:, None]
        ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
        gain_by_rank = ranking.by_rank(gain)
        with np.errstate(over="ignore"):
            ranks = weighted_ranks(gain_by_rank, mean_rank(ranking))
        check_sums(ranks.total, block, call.function)
        cutoffs = call.cutoffs.ranks
        summands = Summands(expected_gain, gain_by_rank, ranking, cutoffs, times_rank)
        ranks = ranks._replace(summands=summands)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: without a relevant item, undefined
            return BlockScores(ranks.values(), rank_sum=ranks)

    need = DataNeeds(call.depth)
    plan = Plan(call, data, need, position, gain_of, greater_is_better=False, follows="ends")
    return evaluate(plan if ignore_ties else plan._replace(counts="all"))


def weighted_ranks(gain_by_rank: Floats, rank_of: Floats) -> RankSum:
    """Return the sum of all ranks, each times the gain there, over the sum of the gains.

    `rank_of` has the mean rank of the tie group at each rank.
    """
    every_rank = np.array([WHOLE_LIST])
    weighted = sum_to_cutoffs(gain_by_rank * rank_of, every_rank)
    return RankSum(weighted, sum_to_cutoffs(gain_by_rank, every_rank))


@advises_on_keywords
def rank_biased_precision_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    persistence: float = 0.8,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Rank-biased precision (RBP): the share of relevant items among those that a user reads.

    A user reads the first item, and goes on from each item to the next with the same probability.
    RBP is the number of relevant items that such users read, divided by the number of all items
    that they read. It is the expected value over all orders of items with equal scores, averaged
    over the queries.

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
    persistence : float, default=0.8
        The probability that a user who has read one item goes on to the next. It is greater than 0
        and less than 1. Such a user reads ``1 / (1 - persistence)`` items on average.
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
    rbp : float or ndarray of float64
        It is from 0 to 1, which only an endless list would reach. For several cutoffs or
        ``average=None``, it is an array of shape (n_k,), (n_queries,) or (n_queries, n_k), in the
        order of the rows or of ``np.unique(qid)``.

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
    ndcg_score : Has a discount that falls more slowly, and is normalised.
    precision_at_k_score : Suits a user who reads exactly `k` items.

    Notes
    -----
    If no scores tie, the score of a query is::

        RBP@k = (1 - p) * sum over r = 1, ..., k of rel(r) * p**(r - 1)

    where ``rel(r)`` is 1 if the item at rank r is relevant, else 0, and p is the persistence [1]_.
    RBP is not normalised: it cannot reach 1 in a short list or with a small cutoff. The missing
    part is at most ``p**k``, and it is not estimated.

    If scores tie, the relevance of an item is replaced by the share of relevant items in its tie
    group. The score is then the average over all orders of the ties [2]_.

    References
    ----------
    .. [1] Moffat, A. and Zobel, J. (2008). "Rank-biased precision for measurement of retrieval
           effectiveness." ACM Transactions on Information Systems 27(1), 2:1-2:27.
           :doi:`10.1145/1416950.1416952`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import rank_biased_precision_score
    >>> y_true = [[0, 2, 1, 0, 0, 3]]
    >>> y_score = [[5, 5, 5, 2, 2, 1]]
    >>> rank_biased_precision_score(y_true, y_score)
    0.3908...
    >>> rank_biased_precision_score(y_true, y_score, persistence=0.5)
    0.5989...
    >>> rank_biased_precision_score(y_true, y_score, k=[1, 3, 6])
    array([0.13333333, 0.32533333, 0.39086933])

    The three best items tie. With `ignore_ties` the score depends on the order of the data:

    >>> rank_biased_precision_score(y_true, y_score, persistence=0.5, ignore_ties=True)
    0.765625
    """
    call = begin("rank_biased_precision_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    persistence = check_persistence(persistence, call.function)

    rbp = partial(rank_biased_precision, persistence=persistence)
    return evaluate_relevance(rbp, data, call, ignore_ties, relevance_threshold, "rises")


def rank_biased_precision(relevant: RankedRelevance, cutoffs: Ints, persistence: float) -> RankSum:
    """Return the share of relevant items among those that a user reads, up to each cutoff."""

    def weigh(hit_by_rank: Floats, listed: Positions | None) -> Floats:
        n_ranks = hit_by_rank.shape[1] if listed is None else listed.max()
        weight_by_rank = (1 - persistence) * persistence ** np.arange(n_ranks)
        return discounted(hit_by_rank, listed, weight_by_rank.astype(np.float64, copy=False))

    return relevant.sum_over_ranks(expected_gain, cutoffs, weigh)._replace(is_capped=True)


@advises_on_keywords
def grouped_auc_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Grouped AUC (GAUC): the area under the ROC curve of each query.

    It is the probability that a relevant item ranks above an irrelevant item of the same query,
    averaged over the queries. Pairs with equal scores count half, which is their average over all
    orders. A random ranking scores 0.5 on average.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: 0 and 1, or graded relevance. Labels are real and finite.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels: see "Data formats and masks" in the guide.
    y_score : array-like or list column, default=None
        The score of each item, in the layout of `y_true`. The highest ranks first. Scores are
        finite, and compared in their own dtype. They must be passed, since the result of
        `from_lists` or its like has no scores for some items.
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
        `qid` or list columns, leave these items out of the data instead.
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, if `y_true` is 1-D without `qid`,
        so that it holds class labels. None: the sorted classes of `y_true`.
    replace_undefined_by : float, default=nan
        The value of a query whose items are all relevant or all irrelevant, where the score is
        undefined. ``np.nan`` leaves it out of the mean. 0 would be the score of the worst ranking.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    gauc : float or ndarray of float64
        The score is from 0 to 1. With ``average=None`` it is an array of shape (n_queries,), in
        the order of the rows or, with `qid`, in the order of ``np.unique(qid)``.

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
    sklearn.metrics.roc_auc_score : The AUC of all items together, as if they were of one query.
    pairwise_accuracy_score : The same for labels of more than two values.
    average_relevant_position : A mean of the same ranks.

    Notes
    -----
    The score of a query is::

        AUC = P[score(i) > score(j)] + 1/2 * P[score(i) = score(j)]

    for a relevant item i and an irrelevant item j of the query, both picked at random [1]_. The
    mean over queries is often weighted by their numbers of items or clicks [2]_. Pass these as
    `sample_weight`.

    An item that was not retrieved is neither above nor below another item. So `y_score` must not
    be sparse.

    References
    ----------
    .. [1] Hanley, J. A. and McNeil, B. J. (1982). "The meaning and use of the area under a
           receiver operating characteristic (ROC) curve." Radiology 143(1), 29-36.
           :doi:`10.1148/radiology.143.1.7063747`
    .. [2] Zhu, H., Jin, J., Tan, C., Pan, F., Zeng, Y., Li, H. and Gai, K. (2017). "Optimized
           cost per click in Taobao display advertising." KDD 2017, 2191-2200.
           :doi:`10.1145/3097983.3098134`

    Examples
    --------
    >>> from ranking_scores import grouped_auc_score
    >>> y_true = [1, 0, 0, 1, 0, 1, 1]
    >>> y_score = [.9, .2, .5, .5, .4, .3, .8]
    >>> qid = ["a", "a", "a", "a", "b", "b", "c"]
    >>> grouped_auc_score(y_true, y_score, qid=qid)
    0.4375
    >>> grouped_auc_score(y_true, y_score, qid=qid, average=None)
    array([0.875, 0.   ,   nan])

    In the first query the two items of score 0.5 count half. With `ignore_ties` the order of the
    data decides which of them is above the other. The last query has no irrelevant item and is
    left out:

    >>> grouped_auc_score(y_true, y_score, qid=qid, average=None, ignore_ties=True)
    array([ 1.,  0., nan])
    """
    call = begin("grouped_auc_score", None, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    _check_dense(data)

    def auc(relevant: RankedRelevance, _: Ints) -> RankSum:
        n_items = relevant.n_ranked
        return pairs_of_hits(relevant.hit_by_rank, relevant.ranking, relevant.n_relevant, n_items)

    return evaluate_relevance(auc, data, call, ignore_ties, relevance_threshold)


def pairs_of_hits(
    hit_by_rank: Floats, ranking: Ranking, n_hits: Floats, n_items: Floats | Positions
) -> RankSum:
    """Return the number of pairs of a hit above another item, over that of all such pairs.

    If the hits came first, their ranks would sum to n (n + 1) / 2. The rest of the sum counts the
    other items above them. All numbers are whole or halves, so that they are exact.
    """
    total = sum_to_cutoffs(hit_by_rank * mean_rank(ranking), np.array([WHOLE_LIST]))
    others_above = total - n_hits * (n_hits + 1) / 2
    n_pairs = n_hits * (n_items - n_hits)
    return RankSum(n_pairs - others_above, n_pairs)


@advises_on_keywords
def pairwise_accuracy_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Pairwise accuracy: the share of item pairs that the scores put in the order of their labels.

    If two items of a query have unequal labels, the one with the higher label should have the
    higher score. Pairwise accuracy is the share of such pairs in which it does, averaged over the
    queries. Pairs with equal scores count half, which is their average over all orders. A random
    ranking scores 0.5 on average.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item, of which only the order counts: graded relevance, a rating, a price
        or a time. Labels are real, finite, and compared in their own dtype.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels: see "Data formats and masks" in the guide.
    y_score : array-like or list column, default=None
        The score of each item, in the layout of `y_true`. The highest ranks first. Scores are
        finite, and compared in their own dtype. They must be passed, since the result of
        `from_lists` or its like has no scores for some items.
    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative, not all zero. With `qid` there
        is one value per row, the same within a query, or a dict or Series by query id.
    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even NaN. With
        `qid` or list columns, leave these items out of the data instead.
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, if `y_true` is 1-D without `qid`,
        so that it holds class labels. None: the sorted classes of `y_true`.
    replace_undefined_by : float, default=nan
        The value of a query without two items of unequal labels, where the score is undefined.
        ``np.nan`` leaves it out of the mean. 0 would be the score of the worst ranking.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    accuracy : float or ndarray of float64
        The score is from 0 to 1. With ``average=None`` it is an array of shape (n_queries,), in
        the order of the rows or, with `qid`, in the order of ``np.unique(qid)``.

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
    grouped_auc_score : The same for two kinds of items, relevant and irrelevant.
    ndcg_score : The first ranks count most, and so do the largest labels.
    scipy.stats.somersd : The same for one query, on a scale from -1 to 1.

    Notes
    -----
    For two items i and j of a query with ``y[i] > y[j]``, picked at random, a query scores::

        P(s[i] > s[j]) + P(s[i] == s[j]) / 2

    where y are the labels and s are the scores. It equals ``(1 + d) / 2``, where d is Somers' d of
    the scores, given the labels [1]_. It also equals the concordance index if no label is censored
    [2]_. It does not matter by how much labels or scores differ. For labels of two values it is
    the area under the ROC curve.

    All queries count the same, however many pairs they have. To make all pairs count the same,
    pass the numbers of pairs as `sample_weight`. The pairs are not listed: for n items the time
    grows as n log(n). A sparse `y_score` is refused, since an item without a rank is neither above
    nor below another one.

    References
    ----------
    .. [1] Somers, R. H. (1962). "A new asymmetric measure of association for ordinal variables."
           American Sociological Review 27(6), 799-811. :doi:`10.2307/2090408`
    .. [2] Harrell, F. E., Califf, R. M., Pryor, D. B., Lee, K. L. and Rosati, R. A. (1982).
           "Evaluating the yield of medical tests." JAMA 247(18), 2543-2546.
           :doi:`10.1001/jama.1982.03320430047030`

    Examples
    --------
    Four of the six pairs are in order. The item with the label 2 comes last, after the items with
    the labels 1 and 0:

    >>> from ranking_scores import pairwise_accuracy_score
    >>> pairwise_accuracy_score([[3, 1, 0, 2]], [[.9, .6, .4, .3]])
    0.666...

    If the items with the labels 1 and 2 tie, their pair counts half:

    >>> pairwise_accuracy_score([[3, 1, 0, 2]], [[.9, .4, .6, .4]])
    0.583...

    Labels can be any numbers, and queries can have any length. The last query has no two unequal
    labels and is left out of the mean:

    >>> watched = [12.5, 0.0, 3.1, -1.0, 60.0, 5.0, 5.0]
    >>> y_score = [.9, .2, .5, .5, .4, .3, .8]
    >>> qid = ["a", "a", "a", "b", "b", "c", "c"]
    >>> pairwise_accuracy_score(watched, y_score, qid=qid, average=None)
    array([ 1.,  0., nan])
    >>> pairwise_accuracy_score(watched, y_score, qid=qid)
    0.5
    """
    call = begin("pairwise_accuracy_score", None, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    _check_dense(data)

    def accuracy(ranked: RankedBlock) -> BlockScores:
        items = ranked.block.ranked
        ranking = ranked.ranking(call.depth, ignore_ties=False)
        twice_in_order, n_pairs = pairs_in_order(items.levels(), ranking, items.lengths)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: without a pair, undefined
            in_order = twice_in_order.astype(np.float64)
            pairs = RankSum(in_order[:, None], 2 * n_pairs[:, None])
            return BlockScores(pairs.values(), rank_sum=pairs)

    return evaluate(Plan(call, data, DataNeeds(call.depth), accuracy, label_order))


def _check_dense(data: CallData) -> None:
    """Raise if items may lack a score."""
    is_joined = isinstance(data.y_true, RankingData)
    if is_joined or is_sparse(data.y_score):
        advice = "Items that were not retrieved are neither above nor below the other items."
        kind = "csr_array" if is_joined else type(data.y_score).__name__
        raise data.invalid("y_score", "dense", f"a sparse {kind}", advice)


def _check_all_ranked(gain: Floats, judged_gain: Floats, block: Block, function: str) -> None:
    """Raise if an item with a gain was not retrieved and so has no rank."""
    is_missing = np.count_nonzero(gain, axis=1) < np.count_nonzero(judged_gain, axis=1)
    if is_missing.any():
        expected = "a matrix that stores a score for every relevant item"
        got = "a relevant item that was not retrieved"
        code = "Scores with a cutoff, such as ndcg_score, accept such data."
        place = block.judged.place_of_row(int(np.argmax(is_missing)))
        raise invalid("y_score", function, expected, got, code=code, place=place)
