"""Discounted cumulative gain: the sum of the expected gain at each rank times its discount."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base import (
    SeveralCutoffs,
    SingleCutoff,
    advises_on_keywords,
    check_alpha,
    check_bool,
    check_log_base,
    invalid,
)
from ranking_scores._metrics._aspects import alpha_dcg, best_alpha_dcg, greedy_alpha_dcg
from ranking_scores._metrics._evaluate import (
    BlockScores,
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
    Summands,
    expected_gain,
    ideal_gain,
    sum_to_cutoffs,
)
from ranking_scores._queries import (
    Block,
    Data,
    DataByIds,
    Gain,
    Need,
    Queries,
    check_discount,
    check_gain,
    check_relevance,
    total_of_aspects,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]


# fmt: off
@overload
def dcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *,
    k: SingleCutoff | None = None, log_base: float = 2, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    average: Literal["samples"] = "samples",
) -> float: ...
@overload
def dcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *, k: SeveralCutoffs,
    log_base: float = 2, sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def dcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *,
    k: SingleCutoff | None = None, log_base: float = 2, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    average: None,
) -> NDArray[np.float64]: ...
# fmt: on
@advises_on_keywords
def dcg_score(
    y_true: ArrayLike | DataByIds,
    y_score: ArrayLike | None = None,
    *,
    k: SingleCutoff | SeveralCutoffs | None = None,
    log_base: float = 2,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
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

    The layout follows from the shapes. Without `qid`, a 1-D `y_true` beside a 2-D `y_score` holds
    class labels: each row is a query that ranks the classes. Graded labels of items cannot be told
    apart from them by their shape. For these, pass `qid` and one score per item.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite. Their layout is one of these, see "Data formats and masks" in the guide:

        - Dense or SciPy sparse, (n_queries, n_items): one query per row.
        - Dense, (n_queries, n_aspects, n_items): a row for each aspect of a query.
        - Ragged, (n_rows,), with `qid`: one item per row.
        - List columns of pyarrow or polars: one query per row, of any length.
        - Class labels, (n_samples,), without `qid`; the scores are (n_samples, n_classes).
        - The result of `from_lists`, `from_tables` or their like, by itself: leave out `y_score`.

    y_score : array-like, sparse or list column, default=None
        The score of each item in the layout of `y_true`, a finite bool, int or float. The highest
        ranks first. Scores are compared in the dtype of the array and never rounded. Items that a
        SciPy sparse `y_score` does not store have no rank, but still count among the items to be
        found. See `retrieved_from_ids`.

    k : int, None or array-like of these, default=None
        The cutoff: only the first `k` ranks count. None counts the whole list, as does a cutoff
        beyond its end. A list of cutoffs, in any order, gives one value for each of them, and the
        items are ranked only once.

    log_base : float, default=2
        The base of the logarithm in ``discount="log"``, greater than 1.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query, or one per query
        in a dict or a Series by query id. None gives all queries the same weight.

    ignore_ties : bool, default=False
        If False, the result is the expected value over all orders of the items with equal scores.
        If True, it is the value of one order: among items with equal scores, the one in the later
        column or row comes first.

    gain : {"linear", "exponential"}, array-like of float or callable, default="linear"
        The gain of an item, as a function of its label:

        - "linear": the label itself.
        - "exponential": ``2**label - 1``.
        - A 1-D table: ``gain[label]``. Labels are then whole numbers from 0 on, below the length
          of the table. An item that nobody judged has the label 0, so it gains ``gain[0]``.
          The index of a Series of pandas, if it holds numbers, must be 0, 1, and so on.
        - A callable: it gets a 1-D float64 array of labels and returns one float for each of them.
          It does not get the labels below `relevance_threshold`. It is called for one block of
          queries after the other, so each gain must depend on its own label alone.

        Gains must be finite.

    discount : "log" or callable, default="log"
        The number that the gain at each rank is multiplied by:

        - "log": ``1 / log(1 + rank)``, with the logarithm to the base `log_base`.
        - A callable: it is called once with the float64 array of the ranks 1.0, 2.0, ..., and
          returns one finite float for each of them.

    relevance_threshold : float, default=None
        Items with a label below this number gain nothing, whatever `gain` says. The number is
        compared in the dtype of the labels. None: every label gains.

    item_weight : array-like of the shape of `y_score` or (n_items,) or list column, default=None
        The weight of each item: finite, not negative and always dense. It multiplies the gain. An
        item of weight 0 takes no part. One weight per item, of shape (n_items,), counts in every
        row of a 2-D `y_score`. Item weights do not go with class labels.

        The items also give each query a weight in the mean: the sum of weight times gain, divided
        by the sum of the gains, over the items that take part. DCG is divided by that weight, so
        weights that are equal within a query only weigh the query. A query in which no item takes
        part has the weight 0. A query in which no item gains has the mean weight of the queries of
        the data in which some item gains, or 1 if there are none. `sample_weight` multiplies the
        weight of a query, and it also weighs that mean.

    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even if they hold
        NaN. None: all items take part. With `qid` or list columns, leave the items out of the data
        instead. With a sparse `y_score`, do not store the scores of these items, and give them the
        label 0.

    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row. Ids are numbers, strings, dates or other objects that
        sort. They may come in any order, and the rows of a query need not be next to each other.

    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels. Classes are unique
        and sorted. None: the sorted classes of `y_true`.

    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    dcg : float or ndarray of float64
        It is a float for one cutoff and an array of shape (n_k,) for a list of cutoffs. With
        ``average=None`` it is an array of shape (n_queries,) or (n_queries, n_k). Queries are in
        the order of the rows or, with `qid`, in the order of ``np.unique(qid)``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn. It
        names the parameter, the values that it accepts, the value that it got, and the first query
        concerned.

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

    The mean is exact, except that each product of weight and score and the final quotient are
    rounded. So neither the order of the queries nor their number changes its last bits. The score
    of a query has the same bits alone, in any batch, in any layout and beside any other cutoff, as
    long as its items come in the same order.

    References
    ----------
    .. [1] Järvelin, K. and Kekäläinen, J. (2002). "Cumulated gain-based evaluation of IR
           techniques." ACM Transactions on Information Systems 20(4), 422-446.
           :doi:`10.1145/582415.582418`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import dcg_score
    >>> y_true, y_score = [[10, 0, 0, 1, 5]], [[.1, .2, .3, 4, 70]]
    >>> dcg_score(y_true, y_score, k=3)
    5.6309...
    >>> dcg_score(y_true, y_score, k=[1, 3, None])
    array([5.        , 5.63092975, 9.49945783])

    Two items tie for the first rank. They gain 10 and 5, which is 7.5 on average. With
    `ignore_ties` it is 5 or 10, depending on the order of the data:

    >>> y_score = [[1, 0, 0, 0, 1]]
    >>> dcg_score(y_true, y_score, k=1)
    7.5
    >>> dcg_score(y_true, y_score, k=1, ignore_ties=True)
    5.0

    Queries can have different lengths. Each row then has the id of its query:

    >>> import numpy as np
    >>> qid = ["b", "b", "a", "a", "a"]
    >>> per_query = dcg_score([1, 0, 2, 0, 1], [.3, .4, .9, .5, .1], qid=qid, average=None)
    >>> for query, dcg in zip(np.unique(qid), per_query):
    ...     print(query, round(dcg, 3))
    a 2.5
    b 0.631
    """
    call = begin("dcg_score", k, average)
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight, item_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    log_base = check_log_base(log_base, call.function)
    gain_of = check_gain(gain, relevance_threshold, call.function, allow_negative=True)

    def weigh_ranks(queries: Queries, _: Data) -> Floats:
        n_ranks = min(call.depth, max(queries.last_rank, 1))
        return check_discount(discount, log_base, n_ranks, call.function, allow_negative=True)

    def dcg(weight_by_rank: Floats, ranked: RankedBlock) -> BlockScores:
        gains = _weighted_gains(ranked.block, gain_of, call.function)
        ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
        with np.errstate(over="ignore", invalid="ignore"):
            dcg = _expected_dcg(gains.ranked, ranking, weight_by_rank, call.cutoffs.ranks)
            if gains.query_weight is not None:  # the mean multiplies by it
                weight = gains.query_weight[:, None]
                dcg = dcg._replace(divisor=np.where(weight > 0, weight, 1))
            values = check_sums(dcg.values(), ranked.block, call.function)
        return BlockScores(values, gains.query_weight, dcg)

    gains = () if item_weight is None else (gain_of,)
    need = Need(call.depth, gains, in_columns=callable(discount))
    follows: Follows = "ends" if callable(discount) else "rises"
    return evaluate(Plan(call, data, need, dcg, gain_of, weigh_ranks, follows=follows))


# fmt: off
@overload
def ndcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *,
    k: SingleCutoff | None = None, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def ndcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *, k: SeveralCutoffs,
    sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def ndcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *,
    k: SingleCutoff | None = None, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None, item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
# fmt: on
@advises_on_keywords
def ndcg_score(
    y_true: ArrayLike | DataByIds,
    y_score: ArrayLike | None = None,
    *,
    k: SingleCutoff | SeveralCutoffs | None = None,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    gain: str | ArrayLike | Callable[[NDArray[np.float64]], ArrayLike] = "linear",
    discount: str | Callable[[NDArray[np.float64]], ArrayLike] = "log",
    relevance_threshold: float | None = None,
    item_weight: ArrayLike | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Normalised discounted cumulative gain (nDCG): DCG divided by the best possible DCG.

    A perfect ranking scores 1. The best possible DCG depends on the cutoff, so a ranking can reach
    1 at every cutoff. nDCG is the expected value over all orders of items with equal scores,
    averaged over the queries.

    The layout follows from the shapes. Without `qid`, a 1-D `y_true` beside a 2-D `y_score` holds
    class labels: each row is a query that ranks the classes. Graded labels of items cannot be told
    apart from them by their shape. For these, pass `qid` and one score per item.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite, and not negative unless they are below `relevance_threshold`. Their layout is one
        of these, see "Data formats and masks" in the guide:

        - Dense or SciPy sparse, (n_queries, n_items): one query per row.
        - Dense, (n_queries, n_aspects, n_items): a row for each aspect of a query.
        - Ragged, (n_rows,), with `qid`: one item per row.
        - List columns of pyarrow or polars: one query per row, of any length.
        - Class labels, (n_samples,), without `qid`; the scores are (n_samples, n_classes).
        - The result of `from_lists`, `from_tables` or their like, by itself: leave out `y_score`.

    y_score : array-like, sparse or list column, default=None
        The score of each item in the layout of `y_true`, a finite bool, int or float. The highest
        ranks first. Scores are compared in the dtype of the array and never rounded. Items that a
        SciPy sparse `y_score` does not store have no rank, but still count among the items to be
        found. See `retrieved_from_ids`.

    k : int, None or array-like of these, default=None
        The cutoff: only the first `k` ranks count. None counts the whole list, as does a cutoff
        beyond its end. A list of cutoffs, in any order, gives one value for each of them, and the
        items are ranked only once.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query, or one per query
        in a dict or a Series by query id. None gives all queries the same weight.

    ignore_ties : bool, default=False
        If False, the result is the expected value over all orders of the items with equal scores.
        If True, it is the value of one order: among items with equal scores, the one in the later
        column or row comes first.

    gain : {"linear", "exponential"}, array-like of float or callable, default="linear"
        The gain of an item, as a function of its label:

        - "linear": the label itself.
        - "exponential": ``2**label - 1``.
        - A 1-D table: ``gain[label]``. Labels are then whole numbers from 0 on, below the length
          of the table. An item that nobody judged has the label 0, so it gains ``gain[0]``.
          The index of a Series of pandas, if it holds numbers, must be 0, 1, and so on.
        - A callable: it gets a 1-D float64 array of labels and returns one float for each of them.
          It does not get the labels below `relevance_threshold`. It is called for one block of
          queries after the other, so each gain must depend on its own label alone.

        Gains must be finite and not negative.

    discount : "log" or callable, default="log"
        The number that the gain at each rank is multiplied by:

        - "log": ``1 / log2(1 + rank)``.
        - A callable: it is called once with the float64 array of the ranks 1.0, 2.0, ..., and
          returns one finite float for each of them, not negative.

    relevance_threshold : float, default=None
        Items with a label below this number gain nothing, whatever `gain` says. The number is
        compared in the dtype of the labels. None: every label gains.

    item_weight : array-like of the shape of `y_score` or list column, default=None
        The weight of each item: finite, not negative and always dense. It multiplies the gain, in
        the ideal DCG too. An item of weight 0 takes no part. Item weights do not go with class
        labels.

        The items also give each query a weight in the mean: the sum of weight times gain, divided
        by the sum of the gains, over the items that take part. Weights that are equal within a
        query only weigh the query. A query in which no item takes part has the weight 0. A query
        in which no item gains has the mean weight of the queries of the data in which some item
        gains, or 1 if there are none. `sample_weight` multiplies the weight of a query, and it
        also weighs that mean.

    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even if they hold
        NaN. None: all items take part. With `qid` or list columns, leave the items out of the data
        instead. With a sparse `y_score`, do not store the scores of these items, and give them the
        label 0.

    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row. Ids are numbers, strings, dates or other objects that
        sort. They may come in any order, and the rows of a query need not be next to each other.

    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels. Classes are unique
        and sorted. None: the sorted classes of `y_true`.

    replace_undefined_by : float, default=0.0
        The value for queries on which nDCG is undefined, because their ideal DCG at the cutoff is
        0: none of their items gains anything. With ``np.nan`` such queries are NaN if `average` is
        None, and are otherwise left out of the mean.

    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    ndcg : float or ndarray of float64
        The score is from 0 to 1. It is a float for one cutoff and an array of shape (n_k,) for a
        list of cutoffs. With ``average=None`` it is an array of shape (n_queries,) or (n_queries,
        n_k). Queries are in the order of the rows or, with `qid`, in the order of
        ``np.unique(qid)``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn. It
        names the parameter, the values that it accepts, the value that it got, and the first query
        concerned.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, or if no query has a defined score, so that the mean is only the value
        of `replace_undefined_by`.

    UserWarning
        If each of several queries has only one item, or if labels and scores seem to be swapped.

    See Also
    --------
    dcg_score : DCG without the normalisation.

    Notes
    -----
    The score of a query is::

        nDCG@k = DCG@k / IDCG@k

    where IDCG, the ideal DCG, is the largest DCG over all orders of the items [1]_. It pairs the
    gains from the largest down with the discounts from the largest down, over the ranks up to `k`
    or the end of the list. DCG is the average over all orders of items with equal scores [2]_, as
    in `dcg_score`. nDCG lies in [0, 1]. As lists grow longer, it tends to 1 for any ranking, but
    with the logarithmic discount it still tells better rankings from worse ones [3]_.

    The mean is exact, except that each product of weight and score and the final quotient are
    rounded. So neither the order of the queries nor their number changes its last bits. The score
    of a query has the same bits alone, in any batch, in any layout and beside any other cutoff, as
    long as its items come in the same order.

    References
    ----------
    .. [1] Järvelin, K. and Kekäläinen, J. (2002). "Cumulated gain-based evaluation of IR
           techniques." ACM Transactions on Information Systems 20(4), 422-446.
           :doi:`10.1145/582415.582418`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`
    .. [3] Wang, Y., Wang, L., Li, Y., He, D. and Liu, T.-Y. (2013). "A theoretical analysis of
           NDCG type ranking measures." COLT 2013, PMLR 30, 25-54.

    Examples
    --------
    >>> from ranking_scores import ndcg_score
    >>> y_true, y_score = [[10, 0, 0, 1, 5]], [[.1, .2, .3, 4, 70]]
    >>> ndcg_score(y_true, y_score, k=3)
    0.4123...
    >>> ndcg_score(y_true, y_score, k=[1, 3, None])
    array([0.5       , 0.41238188, 0.69569404])

    A model that gives all items the same score has not ranked them. It gets the average score of
    a random order, and the order of the data makes no difference:

    >>> ndcg_score(y_true, [[0, 0, 0, 0, 0]])
    0.6909...
    >>> ndcg_score([[0, 0, 1, 5, 10]], [[0, 0, 0, 0, 0]])
    0.6909...

    Queries can have different lengths. Each row then has the id of its query. Query "b" has no
    relevant item, and it counts 0 unless it is left out:

    >>> import numpy as np
    >>> qid = ["b", "b", "a", "a", "a"]
    >>> rows = [0, 0, 2, 0, 1], [.3, .4, .9, .5, .1]
    >>> ndcg_score(*rows, qid=qid)
    0.4751...
    >>> ndcg_score(*rows, qid=qid, replace_undefined_by=np.nan)
    0.9502...
    >>> per_query = ndcg_score(*rows, qid=qid, average=None)
    >>> for query, ndcg in zip(np.unique(qid), per_query):
    ...     print(query, round(ndcg, 3))
    a 0.95
    b 0.0
    """
    call = begin("ndcg_score", k, average, replace_undefined_by)
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight, item_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    gain_of = check_gain(gain, relevance_threshold, call.function, allow_negative=False)
    cutoffs = call.cutoffs.ranks

    def weigh_ranks(queries: Queries, _: Data) -> RankWeights:
        # A rising discount has its largest weights at ranks where no item may have a gain.
        last_rank = queries.longest if callable(discount) else queries.last_rank
        n_ranks = min(call.depth, max(last_rank, 1))
        weights = check_discount(discount, 2, n_ranks, call.function, allow_negative=False)
        return RankWeights(weights, _best_weights(weights) if callable(discount) else None)

    def ndcg(weights: RankWeights, ranked: RankedBlock) -> BlockScores:
        gains = _weighted_gains(ranked.block, gain_of, call.function)
        with np.errstate(over="ignore", invalid="ignore"):
            # The ideal needs no ranking, which takes as much of the cache as the block itself.
            ideal = _ideal_dcg(gains.judged, ranked.block.n_items, weights, cutoffs)
            check_sums(ideal, ranked.block, call.function)
            ranking = ranked.ranking(call.depth, ignore_ties=ignore_ties)
            dcg = _expected_dcg(gains.ranked, ranking, weights.by_rank, cutoffs)
            check_sums(dcg.total, ranked.block, call.function)
            ndcg = dcg._replace(divisor=ideal, is_capped=True)
            # 0 / 0 is NaN: nDCG is undefined without an ideal.
            return BlockScores(ndcg.values(), gains.query_weight, ndcg)

    need = Need(call.depth, (gain_of,), in_columns=callable(discount))
    return evaluate(Plan(call, data, need, ndcg, gain_of, weigh_ranks, follows="ratio"))


# fmt: off
@overload
def alpha_ndcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *,
    k: SingleCutoff | None = None, alpha: float = 0.5, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] = "samples",
) -> float: ...
@overload
def alpha_ndcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *, k: SeveralCutoffs,
    alpha: float = 0.5, sample_weight: ArrayLike | None = None, ignore_ties: bool = False,
    relevance_threshold: float | None = None, where: ArrayLike | None = None,
    qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: Literal["samples"] | None = "samples",
) -> NDArray[np.float64]: ...
@overload
def alpha_ndcg_score(
    y_true: ArrayLike | DataByIds, y_score: ArrayLike | None = None, *,
    k: SingleCutoff | None = None, alpha: float = 0.5, sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False, relevance_threshold: float | None = None,
    where: ArrayLike | None = None, qid: ArrayLike | None = None, labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0, average: None,
) -> NDArray[np.float64]: ...
# fmt: on
@advises_on_keywords
def alpha_ndcg_score(
    y_true: ArrayLike | DataByIds,
    y_score: ArrayLike | None = None,
    *,
    k: SingleCutoff | SeveralCutoffs | None = None,
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
    facts that answer a question or the meanings of a word. An item gains 1 for each aspect that it
    is relevant for, times ``1 - alpha`` for each item above it that is relevant for the same one.
    So a list with something for each aspect scores more than one with much for one of them. Data
    without aspects has one aspect.

    If items have equal scores, it is the mean over all orders of these items.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite. Their layout is one of these, see "Data formats and masks" in the guide:

        - Dense or SciPy sparse, (n_queries, n_items): one query per row.
        - Dense, (n_queries, n_aspects, n_items): a row for each aspect of a query.
        - Ragged, (n_rows,), with `qid`: one item per row.
        - List columns of pyarrow or polars: one query per row, of any length.
        - Class labels, (n_samples,), without `qid`; the scores are (n_samples, n_classes).
        - The result of `from_lists`, `from_tables` or their like, by itself: leave out `y_score`.

    y_score : array-like, sparse or list column, default=None
        The score of each item in the layout of `y_true`, a finite bool, int or float. The highest
        ranks first. Scores are compared in the dtype of the array and never rounded. Items that a
        SciPy sparse `y_score` does not store have no rank, but still count among the items to be
        found. See `retrieved_from_ids`.

    k : int, None or array-like of these, default=None
        The cutoff: only the first `k` ranks count. None counts the whole list, as does a cutoff
        beyond its end. A list of cutoffs, in any order, gives one value for each of them, and the
        items are ranked only once.

    alpha : float, default=0.5
        The share of its gain that an item loses for each item above it with the same aspect, from
        0 to 1. With 0, repetition costs nothing. With 1, only the first item of an aspect gains.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query, or one per query
        in a dict or a Series by query id. None gives all queries the same weight.

    ignore_ties : bool, default=False
        If False, the result is the expected value over all orders of the items with equal scores.
        If True, it is the value of one order: among items with equal scores, the one in the later
        column or row comes first.

    relevance_threshold : float, default=None
        An item is relevant if its label is at least this number, compared in the dtype of the
        labels. None: an item is relevant if its label is above 0.

    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even if they hold
        NaN. None: all items take part. With `qid` or list columns, leave the items out of the data
        instead. With a sparse `y_score`, do not store the scores of these items, and give them the
        label 0.

    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row. Ids are numbers, strings, dates or other objects that
        sort. They may come in any order, and the rows of a query need not be next to each other.

    labels : array-like of shape (n_classes,), default=None
        The class of each column of `y_score`, if `y_true` holds class labels. Classes are unique
        and sorted. None: the sorted classes of `y_true`.

    replace_undefined_by : float, default=0.0
        The value for queries on which the score is undefined, because they have no relevant item.
        With ``np.nan`` such queries are NaN if `average` is None, and are otherwise left out of
        the mean.

    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.

    Returns
    -------
    alpha_ndcg : float or ndarray of float64
        The score is from 0 to 1, see Notes. It is a float for one cutoff and an array of shape
        (n_k,) for a list of cutoffs. With ``average=None`` it is an array of shape (n_queries,) or
        (n_queries, n_k). Queries are in the order of the rows or, with `qid`, in the order of
        ``np.unique(qid)``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn. It
        names the parameter, the values that it accepts, the value that it got, and the first query
        concerned.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, or if no query has a defined score, so that the mean is only the value
        of `replace_undefined_by`.

    UserWarning
        If each of several queries has only one item, or if labels and scores seem to be swapped.

    See Also
    --------
    ndcg_score : Items gain the same whatever is above them. Over aspects, it is the mean of them.
    expected_reciprocal_rank_score : Users stop at an item. Over aspects, it is ERR-IA.
    all_relevant_at_k_score : Whether all aspects are found.

    Notes
    -----
    If no scores tie, the score of a query is::

        alpha-DCG@k  = sum over r = 1, ..., k of G(r) / log2(1 + r)
        G(r)         = sum over aspects a of rel(r, a) * (1 - alpha)**c(r, a)
        alpha-nDCG@k = alpha-DCG@k / alpha-DCG@k of the ideal order

    where ``rel(r, a)`` is 1 if the item at rank r is relevant for the aspect, else 0, and ``c(r,
    a)`` is the number of such items above it [1]_.

    In a tie group, let m be the number of items, R of them relevant for the aspect, and c the
    number above the group. The item at place j = 0, 1, ... of the group then has the expected
    value of the term::

        (1 - alpha)**c * R / m * sum over x of (1 - alpha)**x * P(x)

    where ``P(x) = C(R - 1, x) * C(m - R, j - x) / C(m - 1, j)`` is the probability that x of the R
    - 1 others are among the j items above it in the group, and C is the binomial coefficient.

    To find the order with the largest alpha-DCG is a hard problem. As usual, the ideal order is
    the *greedy* one: at each rank it has the item that gains most there. Of several such items it
    has the one with the last id, as TREC's ndeval does. The score of an order that is better than
    the greedy one is more than 1, which is rare. It is never more than 1.582, which is e / (e -
    1), and at most 1 without aspects.

    Weights of aspects multiply their gains. The score is undefined if no item is relevant for an
    aspect that weighs anything.

    The mean is exact, except that each product of weight and score and the final quotient are
    rounded. So neither the order of the queries nor their number changes its last bits. The score
    of a query has the same bits alone, in any batch, in any layout and beside any other cutoff, as
    long as its items come in the same order.

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
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight)
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    relevance = check_relevance(relevance_threshold, call.function)
    alpha = check_alpha(alpha, call.function)
    cutoffs = call.cutoffs.ranks

    def weigh_ranks(queries: Queries, _: Data) -> Floats:
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
            dcg = dcg._replace(divisor=dcg.divisor * ideal, is_capped=True)
        else:
            ideal = greedy_alpha_dcg(members, relevance, alpha, weight_by_rank, cutoffs)
            dcg = RankSum(total_of_aspects(dcg.values(), members), ideal)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: undefined
            return BlockScores(dcg.values(), rank_sum=dcg)

    def chance_of(labels: NDArray[Any], place_of_item: Any = None) -> Floats:
        return relevance(labels) * (alpha or 1)  # that `alpha_dcg` sums up

    need = Need(call.depth, in_columns=relevance.includes_zero)
    plan = Plan(call, data, need, alpha_ndcg, chance_of, weigh_ranks, joins_aspects=True)
    return evaluate(plan)


class Gains(NamedTuple):
    """The gains of the items of a block, times their weights."""

    ranked: Floats
    """The gains of the ranked items, (n_queries, n_cells)."""
    judged: Floats
    """The gains of the judged items, (n_queries, n_cells)."""
    query_weight: Floats | None
    """The weight of each query by its judged items; None if items have no weights."""


def _weighted_gains(block: Block, gain_of: Gain, function: str) -> Gains:
    """Return weight times gain of all items.

    The weight of a query is the average weight of its gain: the sum of weight times gain, divided
    by the sum of the gains. A query without items has the weight 0. A query with items but without
    gain has the weight NaN, which means the mean weight of the others.
    """
    gain, judged_gain = block.gains(gain_of)
    ranked, judged = block.ranked, block.judged
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
        raise invalid(
            "item_weight",
            function,
            "None unless gain and weight times gain have a positive, finite sum in each query",
            f"the sums {total[query]} and {weighted_total[query]}",
            place=judged.place_of_row(query),
        )
    query_weight[~has_gain] = np.nan
    query_weight[block.n_items == 0] = 0
    return Gains(ranked.place(weighted), judged.place(judged_weighted), query_weight)


def _expected_dcg(
    gain: Floats, ranking: Ranking, weight_by_rank: Floats, cutoffs: Ints
) -> RankSum:
    """Return the sum of expected gain times weight over the ranks up to each cutoff."""
    weigh = partial(_discounted, weight_by_rank=weight_by_rank)
    summands = Summands(expected_gain, ranking.by_rank(gain), ranking, cutoffs, weigh)
    gain_by_rank = expected_gain(summands.gain_by_rank, ranking)
    return RankSum(sum_to_cutoffs(weigh(gain_by_rank), cutoffs), summands=summands)


def _discounted(gain_by_rank: Floats, weight_by_rank: Floats) -> Floats:
    """Return gain times weight at the ranks that have both."""
    n_ranks = min(weight_by_rank.size, gain_by_rank.shape[1])
    return gain_by_rank[:, :n_ranks] * weight_by_rank[:n_ranks]


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


def _ideal_dcg(gain: Floats, n_items: Positions, weights: RankWeights, cutoffs: Ints) -> Floats:
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
