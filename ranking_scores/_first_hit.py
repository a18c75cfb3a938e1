"""Scores of the first relevant item: the chance that it stands at each rank, times a weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._evaluate import evaluate
from ranking_scores._profiles import first_hit, rank_items, sum_to_cutoffs
from ranking_scores._queries import Block, check_queries
from ranking_scores._relevance import check_relevance
from ranking_scores._validation import check_bool, check_cutoffs

Floats = NDArray[np.float64]
SingleCutoff = int | np.integer[Any]
SeveralCutoffs = Sequence[int] | NDArray[np.integer[Any]]


class _HitRateParams(TypedDict, total=False):
    sample_weight: ArrayLike | None
    ignore_ties: bool
    relevance_threshold: float | None
    where: ArrayLike | None
    qid: ArrayLike | None
    labels: ArrayLike | None
    replace_undefined_by: float


@overload
def hit_rate_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff,
    average: Literal["samples"] = "samples",
    **params: Unpack[_HitRateParams],
) -> float: ...
@overload
def hit_rate_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SeveralCutoffs,
    average: Literal["samples"] | None = "samples",
    **params: Unpack[_HitRateParams],
) -> Floats: ...
@overload
def hit_rate_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff,
    average: None,
    **params: Unpack[_HitRateParams],
) -> Floats: ...
def hit_rate_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | SeveralCutoffs,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | Floats:
    r"""Hit rate: the share of queries with a relevant item among the first `k`.

    The expected value over all orders of items with equal scores: per query the chance that at
    least one relevant item stands at one of the ranks up to `k`. Also known as success@k. Where
    each query has one relevant item, it equals recall at `k`, and for class labels top-k
    accuracy.

    Parameters
    ----------
    y_true : array-like or sparse, (n_queries, n_items), (n_rows,) or (n_samples,)
        The label of each item: its graded relevance to the query, or 0 and 1. Real and finite;
        in nDCG a label that gains must not be negative. 2-D it may be a SciPy sparse matrix or
        array, 0 where it stores nothing. 1-D with `qid`. Or, 1-D beside a 2-D `y_score` without
        `qid`, the class of each sample, of any type that sorts: the sample is a query, the
        classes are its items, and its own class has the label 1, the others 0.

    y_score : array-like or sparse, (n_queries, n_items), (n_rows[, 1]) or (n_samples, n_classes)
        The score that ranks each item, the highest first. Bools, ints and floats of any width,
        finite; they are compared in the dtype of the array, never rounded. A SciPy sparse matrix
        or array stores the items that were retrieved, those with the score 0 too. An item that
        it does not store has no rank, but still counts among those to be found. See
        :func:`retrieved_from_ids`.

    k : int or array-like of int
        The cutoff: only the first `k` ranks count. A list of cutoffs, in any order, gives one
        value for each, and they cost one ranking together. A cutoff beyond the end of a list
        counts all of it.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative and not all zero. In the
        ragged layout a value for each row, the same for all rows of a query. None: all queries
        weigh the same.

    ignore_ties : bool, default=False
        False takes the expected value over all orders of the items with equal scores. True
        takes one order instead: among equals the later item comes first.

    relevance_threshold : float, default=None
        An item is relevant if its label is at least this, in the dtype of the labels. None: if
        its label is above 0.

    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True where an item takes part. What stands under False may be anything, NaN too, and has
        no effect. None: all items take part. With `qid`, leave out the rows instead; do not
        store what takes no part in a sparse `y_score`.

    qid : array-like of shape (n_rows,), default=None
        The ragged layout: the query of each row. Numbers, strings, dates or other objects that
        sort, in any order; the rows of a query need not stand together.

    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, unique and sorted, where `y_true` holds class
        labels. None: the classes in `y_true`, sorted.

    replace_undefined_by : float, default=0.0
        The value of a query on which the hit rate is undefined, because no item is relevant.
        With ``np.nan`` such queries are NaN where `average` is None, and left out of the mean.

    average : {"samples", None}, default="samples"
        "samples": the weighted mean over the queries; None: one value per query.

    Returns
    -------
    hit_rate : float or ndarray of float64
        A float; with a list of cutoffs an array of shape (n_k,). With ``average=None`` an array
        of shape (n_queries,) or (n_queries, n_k), in the order of the rows or, with `qid`, of
        ``np.unique(qid)``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. One error that is both, as in scikit-learn; it
        names the parameter, what it must be, what came, and the first query concerned.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, because ``replace_undefined_by=np.nan`` leaves out every query.

    See Also
    --------
    ndcg_score : Also says how far up the relevant items stand, and how relevant they are.
    sklearn.metrics.top_k_accuracy_score : The same for class labels where no scores tie.

    Notes
    -----
    .. math:: \mathrm{HitRate@}k = P[\text{a relevant item at a rank} \le k]
              = \sum_{r=1}^{k} h_r \prod_{q<r} (1 - h_q)

    where the hazard :math:`h_r` is the chance that the item at rank :math:`r` is relevant, given
    that none above is: :math:`R / (m - j)` in a tie group of :math:`m` items with :math:`R`
    relevant ones, of which :math:`j` stand above rank :math:`r`, and at most 1 [1]_.

    The mean is exact up to the rounding of each weight times score and of the final quotient,
    so neither the order of the queries nor their number changes its last bits. In the same way
    a query, its items in one order, has the same bits alone, in any batch, in any layout and
    beside any other cutoff.

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
    >>> hit_rate_score(y_true, y_score, k=[1, 2, 4])
    array([0.125, 0.75 , 1.   ])

    The second query's items all tie, so its relevant one is the first in one order of four, and
    among the first two in half of them:

    >>> hit_rate_score(y_true, y_score, k=[1, 2, 4], average=None)
    array([[0.  , 1.  , 1.  ],
           [0.25, 0.5 , 1.  ]])

    Class labels, with a column of scores for each class; `y_true` misses "dog":

    >>> y_score = [[.8, .1, .1], [.2, .5, .3], [.3, .4, .3]]
    >>> hit_rate_score(["cat", "owl", "owl"], y_score, k=2, labels=["cat", "dog", "owl"])
    0.8333...
    """
    function = "hit_rate_score"
    cutoffs = check_cutoffs(k, function, allow_none=False)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", function)
    relevance_of = check_relevance(relevance_threshold, function)
    queries = check_queries(
        y_true,
        y_score,
        qid=qid,
        labels=labels,
        where=where,
        item_weight=None,
        sample_weight=sample_weight,
        gain_of=relevance_of,
        function=function,
    )

    def hit_rate(block: Block) -> tuple[Floats, None]:
        relevance_of_ranked, relevance_of_judged = block.gains(relevance_of)
        relevance = block.ranked.place(relevance_of_ranked)
        is_defined = block.judged.place(relevance_of_judged).any(axis=1, keepdims=True)
        depth = min(int(cutoffs.ranks.max()), relevance.shape[1])
        ranking = rank_items(block.scores, depth, ignore_ties=ignore_ties)
        hit_by_rank = first_hit(relevance, ranking)[:, :depth]
        # Rounding must not carry a chance past 1 either.
        rate = np.minimum(sum_to_cutoffs(hit_by_rank, cutoffs.ranks), 1)
        return np.where(is_defined, rate, np.nan), None

    return evaluate(
        hit_rate,
        queries,
        cutoffs,
        function=function,
        gain=relevance_of,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )
