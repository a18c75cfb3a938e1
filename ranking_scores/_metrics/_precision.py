"""Scores that count the relevant items among the first items: precision, recall and their like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import (
    WHOLE_LIST,
    advises_on_keywords,
    check_in_range,
    check_option,
)
from ranking_scores._metrics._aspects import chance_of_all_aspects
from ranking_scores._metrics._evaluate import RankedRelevance, begin, evaluate_relevance
from ranking_scores._metrics._profiles import RankSum, all_hits, hits_at_hit, over_rank
from ranking_scores._queries._data import CallData, DataByIds as RankingData
from ranking_scores._queries._over_aspects import AspectRows

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@advises_on_keywords
def precision_at_k_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None,
    denominator: Literal["k", "retrieved"] = "k",
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Precision at k: the share of relevant items among the first k items.

    Precision is the expected value over all orders of items with equal scores, averaged over the
    queries.

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
    k : int, None or array-like of these
        The cutoff: only the first `k` ranks count. None counts the whole list and needs
        ``denominator="retrieved"``. A list of cutoffs gives one value for each, in its order.
    denominator : {"k", "retrieved"}, default="k"
        The number to divide by. "k": the cutoff, even if fewer items are ranked, as in trec_eval.
        "retrieved": the number of items at the first `k` ranks. A query that has relevant items
        counts 0 with both if none is ranked.
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
    precision : float or ndarray of float64
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
    recall_at_k_score : Divides by the number of relevant items.
    r_precision_score : Precision with the number of relevant items as the cutoff.
    sklearn.metrics.precision_score : The precision of predicted labels, without a ranking.

    Notes
    -----
    If no scores tie, the score of a query is::

        P@k = 1/k * sum over r = 1, ..., k of rel(r)

    where ``rel(r)`` is 1 if the item at rank r is relevant, else 0 [1]_.
    If scores tie, the relevance of an item is replaced by the share of relevant items in its tie
    group. The score is then the average over all orders of the ties [2]_.

    References
    ----------
    .. [1] Manning, C. D., Raghavan, P. and Schütze, H. (2008). "Introduction to information
           retrieval", chapter 8. Cambridge University Press. :doi:`10.1017/CBO9780511809071`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import precision_at_k_score
    >>> y_true = [[0, 2, 1, 0, 0, 3]]
    >>> y_score = [[5, 5, 5, 2, 2, 1]]
    >>> precision_at_k_score(y_true, y_score, k=3)
    0.6666...
    >>> precision_at_k_score(y_true, y_score, k=[1, 3, 10])
    array([0.66666667, 0.66666667, 0.3       ])
    >>> precision_at_k_score(y_true, y_score, k=[1, 3, 10], denominator="retrieved")
    array([0.66666667, 0.66666667, 0.5       ])

    Two of the three items that tie for the first rank are relevant. With `ignore_ties` the
    precision at the first rank is 0 or 1, depending on the order of the data:

    >>> precision_at_k_score(y_true, y_score, k=1, ignore_ties=True)
    1.0
    """
    call = begin(
        "precision_at_k_score",
        k,
        average,
        replace_undefined_by,
        allow_none=k is None or str(denominator) == "retrieved",
    )
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    by_k = divides_by_k("precision_at_k_score", k, denominator, call.function)

    def precision(relevant: RankedRelevance, cutoffs: Ints) -> RankSum:
        hits = relevant.sum_of_hits(cutoffs)
        if by_k:
            return hits._replace(denominator=cutoffs)
        return hits._replace(denominator=np.clip(relevant.n_ranked, 1, cutoffs))

    return evaluate_relevance(precision, data, call, ignore_ties, relevance_threshold, "rises")


def divides_by_k(score: str, k: Any, denominator: Any, function: str) -> bool:
    """Return whether the hits of a score are divided by its cutoff, which then must be given."""
    by_k = check_option(denominator, "denominator", function, ("k", "retrieved")) == "k"
    if k is None and by_k:
        expected = "an int of at least 1 or a list of these if denominator='k'"
        code = (
            "For the whole list, use denominator='retrieved'. Among several scores, pass "
            f"`partial({score}, denominator='retrieved')`."
        )
        raise invalid("k", function, expected, "None", code=code)
    return by_k


@advises_on_keywords
def recall_at_k_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Recall at k: the share of the relevant items that are among the first k items.

    Recall is the expected value over all orders of items with equal scores, averaged over the
    queries.

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
    denominator : {"relevant", "achievable"}, default="relevant"
        The number to divide by. "relevant": the number of relevant items. "achievable": that
        number, but at most `k`, so that the score can reach 1 at every cutoff.
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
    recall : float or ndarray of float64
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
    precision_at_k_score : Divides by `k`.
    hit_rate_score : Asks for one relevant item. It is the same if a query has only one.
    sklearn.metrics.recall_score : The recall of predicted labels, without a ranking.

    Notes
    -----
    If no scores tie, the score of a query is::

        Recall@k = 1/R * sum over r = 1, ..., k of rel(r)

    where ``rel(r)`` is 1 if the item at rank r is relevant, else 0, and R is the number of
    relevant items [1]_. R includes relevant items that were not retrieved. If scores tie, the
    relevance of an item is replaced by the share of relevant items in its tie group. The score is
    then the average over all orders of the ties [2]_.

    References
    ----------
    .. [1] Manning, C. D., Raghavan, P. and Schütze, H. (2008). "Introduction to information
           retrieval", chapter 8. Cambridge University Press. :doi:`10.1017/CBO9780511809071`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import recall_at_k_score
    >>> y_true = [[0, 2, 1, 0, 0, 3]]
    >>> y_score = [[5, 5, 5, 2, 2, 1]]
    >>> recall_at_k_score(y_true, y_score, k=3)
    0.6666...
    >>> recall_at_k_score(y_true, y_score, k=[1, 3, 6])
    array([0.22222222, 0.66666667, 1.        ])
    >>> recall_at_k_score(y_true, y_score, k=[1, 3, 6], denominator="achievable")
    array([0.66666667, 0.66666667, 1.        ])

    The three best items tie. With `ignore_ties` the score at rank 1 depends on the order of the
    data:

    >>> recall_at_k_score(y_true, y_score, k=1, ignore_ties=True)
    0.3333...
    """
    call = begin("recall_at_k_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    options = ("relevant", "achievable")
    chosen = check_option(denominator, "denominator", call.function, options)

    def recall(relevant: RankedRelevance, cutoffs: Ints) -> RankSum:
        most_hits = _most_hits(relevant, cutoffs, chosen)
        return relevant.sum_of_hits(cutoffs)._replace(denominator=most_hits)

    return evaluate_relevance(recall, data, call, ignore_ties, relevance_threshold)


@advises_on_keywords
def all_relevant_at_k_score(
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
    """All relevant at k: the share of queries of which everything is among the first k items.

    For each query it is the probability that all relevant items are among the first `k`, over all
    orders of items with equal scores. If queries have aspects, such as the facts that a question
    needs (`ranking_scores.tables.from_lists`), each aspect needs one of its relevant items.

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
    all_relevant : float or ndarray of float64
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
    recall_at_k_score : The share of the relevant items that are found.
    hit_rate_score : Asks for one relevant item. Over aspects, it is the share of them.

    Notes
    -----
    If no scores tie, the score of a query is 1 if all relevant items, also those without a rank,
    are at the ranks 1 to k, and else 0. If scores tie, take the tie group at rank k, with m items,
    R of them relevant, and t of its ranks up to k. If a relevant item is below the group or has no
    rank, the score is 0. Otherwise it is the probability that the R items are at the t places::

        product over i = 0, ..., R - 1 of (t - i) / (m - i)

    Over aspects, those with a relevant item above the group are found. Let A be the others. If one
    of them has no relevant item in the group, the score is 0. Otherwise, it is::

        sum over the subsets S of A of (-1)**|S| * C(m - u(S), t) / C(m, t)

    where ``u(S)`` is the number of items in the group that are relevant for an aspect in S, and C
    is the binomial coefficient. A may have up to 16 aspects. An aspect without any relevant item
    is never found, unless `replace_undefined_by` is NaN: then it is left out, as are aspects of
    weight 0. Other weights of aspects do not matter.

    References
    ----------
    .. [1] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    The second relevant item of the first query is third. Three items of the second query tie, and
    both relevant ones are among the first two in a third of the orders:

    >>> from ranking_scores import all_relevant_at_k_score
    >>> y_true = [[1, 0, 1, 0], [0, 1, 1, 0]]
    >>> y_score = [[4, 3, 2, 1], [7, 7, 7, 5]]
    >>> all_relevant_at_k_score(y_true, y_score, k=[1, 2, 3])
    array([0.        , 0.16666667, 1.        ])

    A question needs two facts. Three passages have the first one, and one has the second:

    >>> from ranking_scores.tables import from_lists
    >>> gold = {"q": {"who": ["a", "b", "c"], "when": ["d"]}}
    >>> data = from_lists(gold, {"q": ["b", "x", "d", "a"]}, aspects=True)
    >>> all_relevant_at_k_score(data, k=[2, 3])
    array([0., 1.])
    """
    call = begin("all_relevant_at_k_score", k, average, replace_undefined_by, allow_none=False)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)

    def all_relevant(relevant: RankedRelevance, cutoffs: Ints) -> RankSum:
        hit_by_rank, n_relevant = relevant.hit_by_rank, relevant.n_relevant
        return RankSum(all_hits(hit_by_rank, relevant.ranking, n_relevant, cutoffs))

    def all_aspects(relevant: RankedRelevance, members: AspectRows) -> NDArray[np.float64]:
        return chance_of_all_aspects(relevant, members, call)

    return evaluate_relevance(
        all_relevant, data, call, ignore_ties, relevance_threshold, join_aspects=all_aspects
    )


@advises_on_keywords
def f1_at_k_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None,
    beta: float = 1.0,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """F1 at k: the harmonic mean of precision and recall at k.

    With `beta` it is the F-beta score. F1 is the expected value over all orders of items with
    equal scores, averaged over the queries.

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
    k : int, None or array-like of these
        The cutoff: only the first `k` ranks count. Precision is divided by `k`, even if the list
        is shorter. None counts the whole list and divides by its length: by the items retrieved
        with a sparse `y_score`, otherwise by all items, so that their order does not matter. There
        is no default. A list of cutoffs gives one value for each, in its order.
    beta : float, default=1.0
        How many times as much recall counts as precision, at least 0. With 1 both count the same.
        0 gives precision alone, and ``np.inf`` gives recall alone.
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
    f1 : float or ndarray of float64
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
    precision_at_k_score : Precision alone. With ``k=None`` it needs ``denominator="retrieved"``.
    recall_at_k_score : Recall alone.
    sklearn.metrics.fbeta_score : F-beta of predicted labels, by the same `beta`.

    Notes
    -----
    If no scores tie, the score of a query is [1]_::

        F@k = (1 + beta^2) P R / (beta^2 P + R) = hits / (a k + (1 - a) n_relevant)

    where P is the precision at k and R is the recall at k, ``hits`` is the number of relevant
    items among the first k, ``n_relevant`` is the number of all relevant items, retrieved or
    not, and ``a = 1 / (1 + beta^2)``. For ``k=None``, k is the number of items in the list. If no
    item was retrieved and some item is relevant, the score is 0. If scores tie, each item counts
    as the share of relevant items in its tie group [2]_.

    References
    ----------
    .. [1] Manning, C. D., Raghavan, P. and Schütze, H. (2008). "Introduction to information
           retrieval", chapter 8. Cambridge University Press. :doi:`10.1017/CBO9780511809071`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import f1_at_k_score
    >>> y_true = [[0, 2, 1, 0, 0, 3]]
    >>> y_score = [[5, 5, 5, 2, 2, 1]]
    >>> f1_at_k_score(y_true, y_score, k=[1, 3, 6])
    array([0.33333333, 0.66666667, 0.66666667])

    With ``beta=2`` recall counts twice as much as precision:

    >>> f1_at_k_score(y_true, y_score, k=[1, 3, 6], beta=2)
    array([0.25641026, 0.66666667, 0.83333333])

    With ``k=None`` the score is the F1 of the retrieved items, here two:

    >>> from ranking_scores import retrieved_from_ids
    >>> f1_at_k_score(y_true, retrieved_from_ids([[2, 0]], n_items=6), k=None)
    0.4
    """
    call = begin("f1_at_k_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    expected = "a number of at least 0, or np.inf"
    beta = check_in_range(beta, "beta", call.function, expected, lambda times: times >= 0)

    def f1(relevant: RankedRelevance, cutoffs: Ints) -> RankSum:
        n_items = np.maximum(relevant.n_ranked, 1)
        n_first = np.where(cutoffs == WHOLE_LIST, n_items, cutoffs)
        denominator = mean_of_both(n_first, relevant.n_relevant, beta)
        return relevant.sum_of_hits(cutoffs)._replace(denominator=denominator)

    return evaluate_relevance(f1, data, call, ignore_ties, relevance_threshold)


def mean_of_both(n_first: Ints | Floats, n_relevant: Floats, beta: float) -> Floats:
    """Return the denominator of the hits: the mean of k and R, weighted by 1 and beta^2.

    The sum begins with the number of larger weight, so that it is never below both of them. If
    both are equal, it is exactly that number, and the best order scores 1.
    """
    if beta == 1:
        return (n_first + n_relevant) / 2
    if beta < 1:
        return n_first + (n_relevant - n_first) * (beta * beta / (1 + beta * beta))
    return n_relevant + (n_first - n_relevant) / (1 + beta * beta)


@advises_on_keywords
def r_precision_score(
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
    """R-precision: the precision at R, the number of relevant items of the query.

    At this cutoff precision, recall and F1 are the same. R-precision is the expected value over
    all orders of items with equal scores, averaged over the queries.

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
    r_precision : float or ndarray of float64
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
    precision_at_k_score : Precision at the same cutoff for all queries.
    recall_at_k_score : Has ``denominator="achievable"`` for one cutoff for all queries.

    Notes
    -----
    If no scores tie, the score of a query is::

        RP = 1/R * sum over r = 1, ..., R of rel(r)

    where ``rel(r)`` is 1 if the item at rank r is relevant, else 0, and R is the number of
    relevant items [1]_. R includes relevant items that were not retrieved. If scores tie, the
    relevance of an item is replaced by the share of relevant items in its tie group. The score is
    then the average over all orders of the ties [2]_.

    References
    ----------
    .. [1] Buckley, C. and Voorhees, E. M. (2000). "Evaluating evaluation measure stability."
           SIGIR 2000, 33-40. :doi:`10.1145/345508.345543`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import r_precision_score
    >>> y_true = [[0, 1, 1, 0], [0, 0, 1, 0]]
    >>> y_score = [[4, 3, 2, 1], [1, 7, 7, 2]]
    >>> r_precision_score(y_true, y_score)
    0.5
    >>> r_precision_score(y_true, y_score, average=None)
    array([0.5, 0.5])

    The relevant item of the second query ties with another item for the first rank. With
    `ignore_ties` its score is 1 or 0, depending on the order of the data:

    >>> r_precision_score(y_true, y_score, average=None, ignore_ties=True)
    array([0.5, 1. ])
    """
    call = begin("r_precision_score", None, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)

    def r_precision(relevant: RankedRelevance, _: Ints) -> RankSum:
        cutoff = np.maximum(relevant.n_relevant, 1).astype(np.int64)
        return relevant.sum_of_hits(cutoff)._replace(denominator=relevant.n_relevant)

    return evaluate_relevance(r_precision, data, call, ignore_ties, relevance_threshold, "any")


@advises_on_keywords
def mean_average_precision_score(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    k: int | Sequence[int | None] | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Mean average precision (MAP): the average precision at the ranks of the relevant items.

    MAP is the expected value over all orders of items with equal scores, averaged over the
    queries.

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
    denominator : {"relevant", "achievable"}, default="relevant"
        The number to divide by. "relevant": the number of relevant items. "achievable": that
        number, but at most `k`, so that the score can reach 1 at every cutoff.
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
    map : float or ndarray of float64
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
    precision_at_k_score : The precision at one rank.
    sklearn.metrics.label_ranking_average_precision_score : The same for the whole list, if no
        scores tie. It gives all items of a tie group the last of their ranks.
    sklearn.metrics.average_precision_score : The area under one precision-recall curve.

    Notes
    -----
    If no scores tie, the score of a query is::

        AP@k = 1/R * sum over r = 1, ..., k of rel(r) * P@r
        P@r  = 1/r * sum over q = 1, ..., r of rel(q)

    where ``rel(r)`` is 1 if the item at rank r is relevant, else 0, and R is the number of
    relevant items [1]_. R includes relevant items that were not retrieved.

    If scores tie, ``rel(r) * P@r`` is replaced by its average over all orders of the ties [2]_. In
    a tie group of m items with G relevant ones, A relevant items above it and j of its own ranks
    above rank r, this average is::

        1/r * G/m * (A + 1 + j * (G - 1) / (m - 1)),  without the last term if m is 1

    References
    ----------
    .. [1] Buckley, C. and Voorhees, E. M. (2000). "Evaluating evaluation measure stability."
           SIGIR 2000, 33-40. :doi:`10.1145/345508.345543`
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import mean_average_precision_score
    >>> y_true = [[0, 2, 1, 0, 0, 3]]
    >>> y_score = [[5, 5, 5, 2, 2, 1]]
    >>> mean_average_precision_score(y_true, y_score, k=[1, 3, None])
    array([0.22222222, 0.53703704, 0.7037037 ])
    >>> mean_average_precision_score(y_true, y_score, k=[1, 3], denominator="achievable")
    array([0.66666667, 0.53703704])

    Three items tie. Over their orders, the score is between 0.5556 and 0.8333:

    >>> mean_average_precision_score(y_true, y_score, ignore_ties=True)
    0.8333...
    """
    call = begin("mean_average_precision_score", k, average, replace_undefined_by)
    data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
    options = ("relevant", "achievable")
    chosen = check_option(denominator, "denominator", call.function, options)

    def average_precision(relevant: RankedRelevance, cutoffs: Ints) -> RankSum:
        most_hits = _most_hits(relevant, cutoffs, chosen)
        return sum_of_precisions(relevant, cutoffs)._replace(denominator=most_hits, is_capped=True)

    return evaluate_relevance(average_precision, data, call, ignore_ties, relevance_threshold)


def sum_of_precisions(relevant: RankedRelevance, cutoffs: Ints) -> RankSum:
    """Return the sum of the expected precisions at relevant items, up to each cutoff."""
    return relevant.sum_over_ranks(hits_at_hit, cutoffs, over_rank)


def _most_hits(relevant: RankedRelevance, cutoffs: Ints, denominator: str) -> Floats:
    """Return the number of relevant items, at most k if the denominator is "achievable"."""
    if denominator == "relevant":
        return relevant.n_relevant
    return np.minimum(relevant.n_relevant, cutoffs)
