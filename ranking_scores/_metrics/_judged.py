"""Scores that tell judged items from others: how many ranks were judged, and bpref.

The label of an item that nobody judged is *unknown*: NaN, or not stored in sparse labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._validation import WHOLE_LIST, advises_on_keywords, check_bool
from ranking_scores._metrics._evaluate import (
    BlockScores,
    Plan,
    RankedBlock,
    RankedRelevance,
    ScoreCall,
    begin,
    evaluate,
)
from ranking_scores._metrics._precision import divides_by_k
from ranking_scores._metrics._profiles import Ranking, expected_gain, misses_above, sum_to_cutoffs
from ranking_scores._queries._data import CallData, DataByIds as RankingData, DataNeeds
from ranking_scores._queries._relevance import check_relevance, known_gain

Floats = NDArray[np.float64]

UNJUDGED = ("judged", "low", "high", "condensed")
"""What reports and streams have beside each score if they are asked about unjudged items."""


@advises_on_keywords
def judged_at_k_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None,
    denominator: Literal["k", "retrieved"] = "k",
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Judged at k: the share of the first k ranks whose items were judged.

    If it is low, the other scores say little: an item that nobody judged counts as not relevant,
    whatever it is. A new retriever finds more such items than the one whose results were judged.

    If items have equal scores, it is the mean over all orders of these items.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: 0 and 1, or graded relevance, or NaN if nobody judged the item. In
        sparse labels, an item that is not stored was not judged.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels or the result of `from_lists`: see "Data formats and masks".
    y_score : array-like, sparse or list column, default=None
        The score of each item, finite and compared in its own dtype. The highest ranks first.
        Items that a SciPy sparse `y_score` does not store have no rank, but still count among the
        items to be found (`retrieved_from_ids`).
    k : int, None or array-like of these
        The cutoff: only the first `k` ranks count. None counts the whole list and needs
        ``denominator="retrieved"``. A list of cutoffs gives one value for each, in its order.
    denominator : {"k", "retrieved"}, default="k"
        The number to divide by. "k": the cutoff, even if fewer items are ranked, as in trec_eval.
        "retrieved": the number of items at the first `k` ranks.
    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative, not all zero. With `qid` there
        is one value per row, the same within a query, or a dict or Series by query id.
    ignore_ties : bool, default=False
        False gives the expected value over all orders of the items with equal scores. True gives
        the value of one order, in which the later column or row comes first among equals.
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
        The value of a query without items, where the score is undefined with
        ``denominator="retrieved"``. ``np.nan`` leaves it out of the mean.
    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    judged : float or ndarray of float64
        The weighted mean over the queries. If `k` is a list, an array of shape (n_k,). If
        ``average=None``, the value of each query, of shape (n_queries,) or (n_queries, n_k). If
        `qid` is given, they are in the order of ``np.unique(qid)``.

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
    bpref_score : Compares judged items alone.
    precision_at_k_score : The share of relevant items among the first k.

    Notes
    -----
    If no scores tie, the score of a query is::

        judged@k = 1/k * sum over r = 1, ..., k of judged(r)

    where ``judged(r)`` is 1 if the item at rank r has a known label, else 0. The label itself
    does not matter: an item with the label 0 was judged. If scores tie, ``judged(r)`` is replaced
    by the share of judged items in the tie group. The score is then the average over all orders
    of the ties [1]_.

    References
    ----------
    .. [1] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    The labels of two of the first four items are unknown:

    >>> import numpy as np
    >>> from ranking_scores import judged_at_k_score
    >>> y_true, y_score = [[3, np.nan, 0, np.nan, 1]], [[5, 4, 3, 2, 1]]
    >>> judged_at_k_score(y_true, y_score, k=4)
    0.5

    If the second and the third item tie, each of them is second in half of the orders:

    >>> judged_at_k_score(y_true, [[5, 4, 4, 2, 1]], k=[1, 2, 3])
    array([1.        , 0.75      , 0.66666667])
    """
    call = begin(
        "judged_at_k_score",
        k,
        average,
        replace_undefined_by,
        allow_none=k is None or str(denominator) == "retrieved",
    )
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    by_k = divides_by_k("judged_at_k_score", k, denominator, call.function)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    cutoffs = call.cutoffs.ranks

    def judged(ranked: RankedBlock) -> BlockScores:
        n_retrieved = ranked.block.ranked.lengths[:, None]
        denominator = cutoffs if by_k else np.minimum(n_retrieved, cutoffs)
        return _share_of_known(ranked, call, denominator, ignore_ties=ignore_ties)

    need = DataNeeds(call.depth, tells_known=True, accepts_nan=True)
    return evaluate(Plan(call, data, need, judged, known_gain))


def _share_of_known(
    ranked: RankedBlock, call: ScoreCall, denominator: Any, *, ignore_ties: bool
) -> BlockScores:
    """Return the number of known items up to each cutoff, divided by a number."""
    items = ranked.block.ranked
    ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
    known_by_rank = ranking.by_rank(items.place(items.gains(known_gain)))
    n_relevant = np.ones((items.shape[0], 1))
    known_ranks = RankedRelevance(known_by_rank, ranking, n_relevant, ranked.block)
    rank_sum = known_ranks.sum_of_hits(call.cutoffs.ranks)._replace(denominator=denominator)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: undefined
        return BlockScores(rank_sum.values(), rank_sum=rank_sum)


def judged_beside(plan: Plan) -> Plan:
    """Return the score judged at k of what was retrieved, at the cutoffs of another score."""
    call = plan.call._replace(replacement=0.0)

    def judged(ranked: RankedBlock) -> BlockScores:
        n_retrieved = ranked.block.ranked.lengths[:, None]
        denominator = np.minimum(n_retrieved, call.cutoffs.ranks)
        return _share_of_known(ranked, call, denominator, ignore_ties=False)

    need = plan.need._replace(tells_known=True, accepts_nan=True)
    return Plan(call, plan.data, need, judged, known_gain)


@advises_on_keywords
def bpref_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Bpref: how few items that were judged not relevant are above the relevant ones.

    Items that nobody judged have no effect, so that a run which finds many of them is not
    punished for it.

    If items have equal scores, it is the mean over all orders of these items.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: 0 and 1, or graded relevance, or NaN if nobody judged the item. In
        sparse labels, an item that is not stored was not judged.
        It is (n_queries, n_items), (n_queries, n_aspects, n_items) or, with `qid`, (n_rows,). It
        may be class labels or the result of `from_lists`: see "Data formats and masks".
    y_score : array-like, sparse or list column, default=None
        The score of each item, finite and compared in its own dtype. The highest ranks first.
        Items that a SciPy sparse `y_score` does not store have no rank, but still count among the
        items to be found (`retrieved_from_ids`).
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
    bpref : float or ndarray of float64
        The weighted mean over the queries. If ``average=None``, the value of each query, of shape
        (n_queries,). If `qid` is given, they are in the order of ``np.unique(qid)``.

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
    judged_at_k_score : The share of the first k ranks that were judged.
    mean_average_precision_score : Counts items that nobody judged as not relevant.

    Notes
    -----
    If no scores tie, the score of a query is [1]_::

        bpref = 1/R * sum over relevant items i that were retrieved of (1 - min(n(i), m) / m)

    where R is the number of relevant items and N that of the other judged items, retrieved or
    not, m = min(R, N), and ``n(i)`` is the number of these others above item i. If there are none
    (N = 0), each relevant item that was retrieved counts 1. trec_eval computes the same, but items
    with a label below 0 count as unjudged there. If scores tie, ``min(n(i), m)`` is replaced by
    its expected value: of the n others in the tie group of item i, the number above it is 0, 1,
    ..., n with equal probability. The score is then the average over all orders of the ties.

    References
    ----------
    .. [1] Buckley, C. and Voorhees, E. M. (2004). "Retrieval evaluation with incomplete
           information." SIGIR 2004, 25-32. :doi:`10.1145/1008992.1009000`

    Examples
    --------
    Two relevant items and two others were judged, and nobody judged the first item:

    >>> import numpy as np
    >>> from ranking_scores import bpref_score
    >>> y_true = [[np.nan, 1, 0, 1, 0]]
    >>> bpref_score(y_true, [[5, 4, 3, 2, 1]])
    0.75

    The second relevant item ties with the item above it, which is above it in half of the orders:

    >>> bpref_score(y_true, [[5, 4, 2, 2, 1]])
    0.875
    """
    call = begin("bpref_score", None, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    relevance = check_relevance(relevance_threshold, call.function)

    def bpref(ranked: RankedBlock) -> BlockScores:
        block = ranked.block
        ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
        is_relevant, is_other = (
            ranking.by_rank(block.ranked.place(each)) for each in block.ranked.judged_as(relevance)
        )
        n_relevant, n_others = (
            block.judged.place(each).sum(axis=1, keepdims=True, dtype=np.float64)
            for each in block.judged.judged_as(relevance)
        )
        most = np.maximum(np.minimum(n_relevant, n_others), 1)
        by_rank = shares_in_order(is_relevant, is_other, ranking, most)
        # Shares of tied items may add up to a bit more than all of them.
        total = np.minimum(sum_to_cutoffs(by_rank, call.cutoffs.ranks), n_relevant)
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 is NaN: undefined
            return BlockScores(total / n_relevant)

    need = DataNeeds(WHOLE_LIST, tells_known=True, accepts_nan=True)
    return evaluate(Plan(call, data, need, bpref, relevance, follows="any"))


def shares_in_order(hits: Floats, misses: Floats, ranking: Ranking, most: Floats) -> Floats:
    """Return the expected share of `most` misses that are not above a hit, at each rank of one."""
    return expected_gain(hits, ranking) * (1 - misses_above(misses, ranking, most) / most)
