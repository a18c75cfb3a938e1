"""Scores of how many of the first items are relevant, and how many of the relevant are first."""

from __future__ import annotations

from typing import Literal, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._evaluate import RankedRelevance, begin, evaluate_relevance
from ranking_scores._profiles import expected_hits, hits_at_hit, sum_to_cutoffs
from ranking_scores._queries import Data
from ranking_scores._validation import (
    WHOLE_LIST,
    RelevanceParams,
    SeveralCutoffs,
    SingleCutoff,
    check_beta,
    check_option,
    invalid,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class PrecisionParams(RelevanceParams, total=False):
    denominator: Literal["k", "retrieved"]


class RecallParams(RelevanceParams, total=False):
    denominator: Literal["relevant", "achievable"]


class F1Params(RelevanceParams, total=False):
    beta: float


@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None,
    average: Literal["samples"] = "samples",
    **params: Unpack[PrecisionParams],
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SeveralCutoffs,
    average: Literal["samples"] | None = "samples",
    **params: Unpack[PrecisionParams],
) -> NDArray[np.float64]: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None,
    average: None,
    **params: Unpack[PrecisionParams],
) -> NDArray[np.float64]: ...
def precision_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | SeveralCutoffs | None,
    denominator: Literal["k", "retrieved"] = "k",
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | Floats:
    """Precision at k: the share of the first k items that is relevant.

    The expected value over all orders of items with equal scores, averaged over the queries.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite. The labels come in one of these layouts:

        - Shape (n_queries, n_items): one query per row. It may be a SciPy sparse matrix or array.
          Cells that are not stored are 0, and cells that are stored twice are summed.
        - Shape (n_rows,), with `qid`: one item per row.
        - Shape (n_samples,), without `qid` and beside a 2-D `y_score`: the class of each sample,
          of any type that sorts. Each sample is a query, and the classes are its items. The
          sample's own class has the label 1, and the other classes have the label 0.
        - A column of lists, from pyarrow or polars: one query per row, of any length.

        The guide has a page about these layouts.

    y_score : array-like, sparse or list column
        The score that ranks each item, the highest first, in the same layout as `y_true`:

        - Shape (n_queries, n_items). It may be a SciPy sparse matrix or array in the format CSR,
          CSC, COO, LIL or DOK. It then stores each item that was retrieved once, even if its score
          is 0. An item that is not stored has no rank, but it still counts among the items to be
          found. See `retrieved_from_ids`.
        - Shape (n_rows,) or (n_rows, 1), with `qid`.
        - Shape (n_samples, n_classes), with class labels.
        - A column of lists.

        Scores are finite bools, ints or floats of any width. They are compared in the dtype of the
        array and never rounded.

    k : int, array-like of int or None
        The cutoff: only the first `k` ranks count. A list of cutoffs, in any order, gives one
        value for each of them, and the items are ranked only once. None counts the whole list and
        needs ``denominator="retrieved"``.

    denominator : {"k", "retrieved"}, default="k"
        The number to divide by. "k": the cutoff, even if fewer items are ranked, as in trec_eval.
        "retrieved": the number of items at the first `k` ranks, which is less than `k` in a
        shorter list.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query. None gives all
        queries the same weight.

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
    precision : float or ndarray of float64
        From 0 to 1.
        With a list of cutoffs an array of shape (n_k,). With ``average=None`` an array of shape
        (n_queries,) or (n_queries, n_k), in the order of the rows or, with `qid`, of
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
    recall_at_k_score : Divides by the number of relevant items.
    r_precision_score : The precision at as many ranks as there are relevant items.
    sklearn.metrics.precision_score : Of predicted labels, not of the first ranks.

    Notes
    -----
    Where no scores tie, a query scores::

        P@k = 1/k * sum over r = 1, ..., k of rel(r)

    with ``rel(r)`` 1 if the item at rank r is relevant, else 0 [1]_.
    Where scores tie, the relevance of an item is replaced by the share of relevant ones among
    the items that it ties with, which makes the score its average over all orders of the
    ties [2]_.

    The mean is exact up to the rounding of each weight times score and of the final quotient,
    so neither the order of the queries nor their number changes its last bits. In the same way
    a query, its items in one order, has the same bits alone, in any batch, in any layout and
    beside any other cutoff.

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
    >>> precision_at_k_score(y_true, y_score, k=[1, 3, 10])
    array([0.66666667, 0.66666667, 0.3       ])
    >>> precision_at_k_score(y_true, y_score, k=[1, 3, 10], denominator="retrieved")
    array([0.66666667, 0.66666667, 0.5       ])

    Two of the three items that tie for the first rank are relevant. The order in which they
    happen to stand would say 0 at the first rank, or 1:

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
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight)
    divides_by_k = (
        check_option(denominator, "denominator", call.function, ("k", "retrieved")) == "k"
    )
    if k is None and divides_by_k:
        expected = "an int of at least 1 or a list of such ints where denominator='k'"
        advice = (
            "Or use denominator='retrieved', among several scores by "
            "`partial(precision_at_k_score, denominator='retrieved')`."
        )
        raise invalid("k", call.function, expected, "None", advice)
    cutoffs = call.cutoffs.ranks

    def precision(relevant: RankedRelevance) -> Floats:
        hits = relevant.profile(expected_hits, cutoffs)
        if divides_by_k:
            return hits / cutoffs
        return hits / np.clip(relevant.items.lengths[:, None], 1, cutoffs)

    return evaluate_relevance(precision, data, call, ignore_ties, relevance_threshold)


@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None = None,
    average: Literal["samples"] = "samples",
    **params: Unpack[RecallParams],
) -> float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SeveralCutoffs,
    average: Literal["samples"] | None = "samples",
    **params: Unpack[RecallParams],
) -> NDArray[np.float64]: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None = None,
    average: None,
    **params: Unpack[RecallParams],
) -> NDArray[np.float64]: ...
def recall_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | SeveralCutoffs | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | Floats:
    """Recall at k: the share of the relevant items that is among the first k.

    The expected value over all orders of items with equal scores, averaged over the queries.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite. The labels come in one of these layouts:

        - Shape (n_queries, n_items): one query per row. It may be a SciPy sparse matrix or array.
          Cells that are not stored are 0, and cells that are stored twice are summed.
        - Shape (n_rows,), with `qid`: one item per row.
        - Shape (n_samples,), without `qid` and beside a 2-D `y_score`: the class of each sample,
          of any type that sorts. Each sample is a query, and the classes are its items. The
          sample's own class has the label 1, and the other classes have the label 0.
        - A column of lists, from pyarrow or polars: one query per row, of any length.

        The guide has a page about these layouts.

    y_score : array-like, sparse or list column
        The score that ranks each item, the highest first, in the same layout as `y_true`:

        - Shape (n_queries, n_items). It may be a SciPy sparse matrix or array in the format CSR,
          CSC, COO, LIL or DOK. It then stores each item that was retrieved once, even if its score
          is 0. An item that is not stored has no rank, but it still counts among the items to be
          found. See `retrieved_from_ids`.
        - Shape (n_rows,) or (n_rows, 1), with `qid`.
        - Shape (n_samples, n_classes), with class labels.
        - A column of lists.

        Scores are finite bools, ints or floats of any width. They are compared in the dtype of the
        array and never rounded.

    k : int, array-like of int or None, default=None
        The cutoff: only the first `k` ranks count. A list of cutoffs, in any order, gives one
        value for each of them, and the items are ranked only once. None counts the whole list, and
        so does a cutoff beyond its end.

    denominator : {"relevant", "achievable"}, default="relevant"
        The number to divide by. "relevant": the number of relevant items. "achievable": that
        number, but at most `k`, so that the score can reach 1 at every cutoff.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query. None gives all
        queries the same weight.

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
    recall : float or ndarray of float64
        From 0 to 1.
        With a list of cutoffs an array of shape (n_k,). With ``average=None`` an array of shape
        (n_queries,) or (n_queries, n_k), in the order of the rows or, with `qid`, of
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
    precision_at_k_score : Divides by `k`.
    hit_rate_score : Asks for one relevant item; where a query has only one, both are the same.
    sklearn.metrics.recall_score : Of predicted labels, not of the first ranks.

    Notes
    -----
    Where no scores tie, a query scores::

        Recall@k = 1/R * sum over r = 1, ..., k of rel(r)

    with ``rel(r)`` 1 if the item at rank r is relevant, else 0, and R the number of relevant
    items [1]_, those included that were not retrieved.
    Where scores tie, the relevance of an item is replaced by the share of relevant ones among
    the items that it ties with, which makes the score its average over all orders of the
    ties [2]_.

    The mean is exact up to the rounding of each weight times score and of the final quotient,
    so neither the order of the queries nor their number changes its last bits. In the same way
    a query, its items in one order, has the same bits alone, in any batch, in any layout and
    beside any other cutoff.

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
    >>> recall_at_k_score(y_true, y_score, k=[1, 3, 6])
    array([0.22222222, 0.66666667, 1.        ])
    >>> recall_at_k_score(y_true, y_score, k=[1, 3, 6], denominator="achievable")
    array([0.66666667, 0.66666667, 1.        ])

    The order in which the three best items happen to stand would say something else at rank 1:

    >>> recall_at_k_score(y_true, y_score, k=1, ignore_ties=True)
    0.3333...
    """
    call = begin("recall_at_k_score", k, average, replace_undefined_by)
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight)
    options = ("relevant", "achievable")
    divisor = check_option(denominator, "denominator", call.function, options)
    cutoffs = call.cutoffs.ranks

    def recall(relevant: RankedRelevance) -> Floats:
        hits = relevant.profile(expected_hits, cutoffs)
        return hits / _most_hits(relevant, cutoffs, divisor)

    return evaluate_relevance(recall, data, call, ignore_ties, relevance_threshold)


@overload
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None,
    average: Literal["samples"] = "samples",
    **params: Unpack[F1Params],
) -> float: ...
@overload
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SeveralCutoffs,
    average: Literal["samples"] | None = "samples",
    **params: Unpack[F1Params],
) -> NDArray[np.float64]: ...
@overload
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None,
    average: None,
    **params: Unpack[F1Params],
) -> NDArray[np.float64]: ...
def f1_at_k_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | SeveralCutoffs | None,
    beta: float = 1.0,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | Floats:
    """F1 at k: the harmonic mean of the precision and the recall at k. With `beta`, F-beta.

    The expected value over all orders of items with equal scores, averaged over the queries.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite. The labels come in one of these layouts:

        - Shape (n_queries, n_items): one query per row. It may be a SciPy sparse matrix or array.
          Cells that are not stored are 0, and cells that are stored twice are summed.
        - Shape (n_rows,), with `qid`: one item per row.
        - Shape (n_samples,), without `qid` and beside a 2-D `y_score`: the class of each sample,
          of any type that sorts. Each sample is a query, and the classes are its items. The
          sample's own class has the label 1, and the other classes have the label 0.
        - A column of lists, from pyarrow or polars: one query per row, of any length.

        The guide has a page about these layouts.

    y_score : array-like, sparse or list column
        The score that ranks each item, the highest first, in the same layout as `y_true`:

        - Shape (n_queries, n_items). It may be a SciPy sparse matrix or array in the format CSR,
          CSC, COO, LIL or DOK. It then stores each item that was retrieved once, even if its score
          is 0. An item that is not stored has no rank, but it still counts among the items to be
          found. See `retrieved_from_ids`.
        - Shape (n_rows,) or (n_rows, 1), with `qid`.
        - Shape (n_samples, n_classes), with class labels.
        - A column of lists.

        Scores are finite bools, ints or floats of any width. They are compared in the dtype of the
        array and never rounded.

    k : int, array-like of int or None
        The cutoff: only the first `k` ranks count. Precision is divided by `k`, even if the list
        is shorter. A list of cutoffs, in any order, gives one value for each of them, and the
        items are ranked only once.

        None counts the whole list, and precision is then divided by the number of items in it.
        With a sparse `y_score` these are the items that were retrieved. In the other layouts they
        are all items, and the score then does not depend on their order. There is no default.

    beta : float, default=1.0
        How many times as much recall counts as precision, at least 0. With 1 both count the same.
        0 gives precision alone, and ``np.inf`` gives recall alone.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query. None gives all
        queries the same weight.

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
    f1 : float or ndarray of float64
        From 0 to 1.
        With a list of cutoffs an array of shape (n_k,). With ``average=None`` an array of shape
        (n_queries,) or (n_queries, n_k), in the order of the rows or, with `qid`, of
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
    precision_at_k_score : Precision alone. With ``k=None`` it needs ``denominator="retrieved"``.
    recall_at_k_score : Recall alone.
    sklearn.metrics.fbeta_score : Of predicted labels, not of the first ranks. Its `beta` is the
        same.

    Notes
    -----
    Of one query in one order of its items [1]_::

        F@k = (1 + beta^2) P R / (beta^2 P + R) = hits / (a k + (1 - a) n_relevant)

    with P the precision and R the recall at k, ``hits`` the number of relevant items among the
    first k, ``n_relevant`` that of all relevant items, also of those that were not retrieved, and
    ``a = 1 / (1 + beta^2)``. For ``k=None`` k is the number of items in the list. Where nothing
    was retrieved and something is relevant, the score is 0.

    Where scores tie, the relevance of an item is replaced by the share of relevant ones among
    the items that it ties with, which makes the score its average over all orders of the
    ties [2]_.

    The mean is exact up to the rounding of each weight times score and of the final quotient,
    so neither the order of the queries nor their number changes its last bits. In the same way
    a query, its items in one order, has the same bits alone, in any batch, in any layout and
    beside any other cutoff.

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

    The order in which the three best items happen to stand would say something else at rank 1:

    >>> f1_at_k_score(y_true, y_score, k=1, ignore_ties=True)
    0.5

    Recall counts twice as much as precision:

    >>> f1_at_k_score(y_true, y_score, k=[1, 3, 6], beta=2)
    array([0.25641026, 0.66666667, 0.83333333])

    Two items were retrieved, of which one is relevant. Three are to be found. The F1 of what was
    retrieved:

    >>> from ranking_scores import retrieved_from_ids
    >>> retrieved = retrieved_from_ids([[2, 0]], n_items=6)
    >>> f1_at_k_score(y_true, retrieved, k=None)
    0.4
    """
    call = begin("f1_at_k_score", k, average, replace_undefined_by)
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight)
    beta = check_beta(beta, call.function)
    cutoffs = call.cutoffs.ranks

    def f1(relevant: RankedRelevance) -> Floats:
        hits = relevant.profile(expected_hits, cutoffs)
        n_items = np.maximum(relevant.items.lengths[:, None], 1)
        n_first = np.where(cutoffs == WHOLE_LIST, n_items, cutoffs)
        return hits / _weigh(n_first, relevant.n_relevant, beta)

    return evaluate_relevance(f1, data, call, ignore_ties, relevance_threshold)


def _weigh(n_first: Ints, n_relevant: Floats, beta: float) -> Floats:
    """Return the mean of k and R, weighted by 1 and beta^2, which the hits are divided by.

    It begins at the one that weighs more, so that it is never below both of them, and is the very
    number that both are where they are equal: there the best order scores 1.
    """
    if beta == 1:
        return (n_first + n_relevant) / 2
    if beta < 1:
        return n_first + (n_relevant - n_first) * (beta * beta / (1 + beta * beta))
    return n_relevant + (n_first - n_relevant) / (1 + beta * beta)


@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Literal["samples"] = "samples",
    **params: Unpack[RelevanceParams],
) -> float: ...
@overload
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: None,
    **params: Unpack[RelevanceParams],
) -> NDArray[np.float64]: ...
def r_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | Floats:
    """R-precision: the precision at as many ranks as there are relevant items.

    The expected value over all orders of items with equal scores, averaged over the queries.
    At that cutoff precision, recall and F1 are the same.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite. The labels come in one of these layouts:

        - Shape (n_queries, n_items): one query per row. It may be a SciPy sparse matrix or array.
          Cells that are not stored are 0, and cells that are stored twice are summed.
        - Shape (n_rows,), with `qid`: one item per row.
        - Shape (n_samples,), without `qid` and beside a 2-D `y_score`: the class of each sample,
          of any type that sorts. Each sample is a query, and the classes are its items. The
          sample's own class has the label 1, and the other classes have the label 0.
        - A column of lists, from pyarrow or polars: one query per row, of any length.

        The guide has a page about these layouts.

    y_score : array-like, sparse or list column
        The score that ranks each item, the highest first, in the same layout as `y_true`:

        - Shape (n_queries, n_items). It may be a SciPy sparse matrix or array in the format CSR,
          CSC, COO, LIL or DOK. It then stores each item that was retrieved once, even if its score
          is 0. An item that is not stored has no rank, but it still counts among the items to be
          found. See `retrieved_from_ids`.
        - Shape (n_rows,) or (n_rows, 1), with `qid`.
        - Shape (n_samples, n_classes), with class labels.
        - A column of lists.

        Scores are finite bools, ints or floats of any width. They are compared in the dtype of the
        array and never rounded.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query. None gives all
        queries the same weight.

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
    r_precision : float or ndarray of float64
        From 0 to 1. With ``average=None`` an array of shape (n_queries,), in the order of
        the rows or, with `qid`, of ``np.unique(qid)``.

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
    precision_at_k_score : At the same cutoff for all queries.
    recall_at_k_score : The same, by ``denominator="achievable"`` at a cutoff for all queries.

    Notes
    -----
    Where no scores tie, a query scores::

        RP = 1/R * sum over r = 1, ..., R of rel(r)

    with ``rel(r)`` 1 if the item at rank r is relevant, else 0, and R the number of relevant
    items [1]_, those included that were not retrieved.
    Where scores tie, the relevance of an item is replaced by the share of relevant ones among
    the items that it ties with, which makes the score its average over all orders of the
    ties [2]_.

    The mean is exact up to the rounding of each weight times score and of the final quotient,
    so neither the order of the queries nor their number changes its last bits. In the same way
    a query, its items in one order, has the same bits alone, in any batch, in any layout and
    beside any other cutoff.

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

    The second query's relevant item ties with another one for the first rank. The order in which
    the two happen to stand would say 1, or 0:

    >>> r_precision_score(y_true, y_score, average=None, ignore_ties=True)
    array([0.5, 1. ])
    """
    call = begin("r_precision_score", None, average, replace_undefined_by)
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight)

    def r_precision(relevant: RankedRelevance) -> Floats:
        cutoff = np.maximum(relevant.n_relevant, 1).astype(np.int64)
        hits = relevant.profile(expected_hits, cutoff)
        return hits / relevant.n_relevant

    return evaluate_relevance(r_precision, data, call, ignore_ties, relevance_threshold)


@overload
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None = None,
    average: Literal["samples"] = "samples",
    **params: Unpack[RecallParams],
) -> float: ...
@overload
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SeveralCutoffs,
    average: Literal["samples"] | None = "samples",
    **params: Unpack[RecallParams],
) -> NDArray[np.float64]: ...
@overload
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | None = None,
    average: None,
    **params: Unpack[RecallParams],
) -> NDArray[np.float64]: ...
def mean_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: SingleCutoff | SeveralCutoffs | None = None,
    denominator: Literal["relevant", "achievable"] = "relevant",
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | Floats:
    """Mean average precision (MAP): the precision at the ranks of the relevant items.

    The expected value over all orders of items with equal scores, averaged over the queries.

    Parameters
    ----------
    y_true : array-like, sparse or list column
        The label of each item: its graded relevance to the query, or 0 and 1. Labels are real and
        finite. The labels come in one of these layouts:

        - Shape (n_queries, n_items): one query per row. It may be a SciPy sparse matrix or array.
          Cells that are not stored are 0, and cells that are stored twice are summed.
        - Shape (n_rows,), with `qid`: one item per row.
        - Shape (n_samples,), without `qid` and beside a 2-D `y_score`: the class of each sample,
          of any type that sorts. Each sample is a query, and the classes are its items. The
          sample's own class has the label 1, and the other classes have the label 0.
        - A column of lists, from pyarrow or polars: one query per row, of any length.

        The guide has a page about these layouts.

    y_score : array-like, sparse or list column
        The score that ranks each item, the highest first, in the same layout as `y_true`:

        - Shape (n_queries, n_items). It may be a SciPy sparse matrix or array in the format CSR,
          CSC, COO, LIL or DOK. It then stores each item that was retrieved once, even if its score
          is 0. An item that is not stored has no rank, but it still counts among the items to be
          found. See `retrieved_from_ids`.
        - Shape (n_rows,) or (n_rows, 1), with `qid`.
        - Shape (n_samples, n_classes), with class labels.
        - A column of lists.

        Scores are finite bools, ints or floats of any width. They are compared in the dtype of the
        array and never rounded.

    k : int, array-like of int or None, default=None
        The cutoff: only the first `k` ranks count. A list of cutoffs, in any order, gives one
        value for each of them, and the items are ranked only once. None counts the whole list, and
        so does a cutoff beyond its end.

    denominator : {"relevant", "achievable"}, default="relevant"
        The number to divide by. "relevant": the number of relevant items. "achievable": that
        number, but at most `k`, so that the score can reach 1 at every cutoff.

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean. Weights are finite, not negative and not all zero.
        With `qid` there is one value per row, the same for all rows of a query. None gives all
        queries the same weight.

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
    map : float or ndarray of float64
        From 0 to 1.
        With a list of cutoffs an array of shape (n_k,). With ``average=None`` an array of shape
        (n_queries,) or (n_queries, n_k), in the order of the rows or, with `qid`, of
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
    precision_at_k_score : At one rank.
    sklearn.metrics.label_ranking_average_precision_score : The same for the whole list where no
        scores tie; where some do, each gets the last of their ranks.
    sklearn.metrics.average_precision_score : The area under one precision-recall curve.

    Notes
    -----
    Where no scores tie, a query scores::

        AP@k = 1/R * sum over r = 1, ..., k of rel(r) * P@r
        P@r  = 1/r * sum over q = 1, ..., r of rel(q)

    with ``rel(r)`` 1 if the item at rank r is relevant, else 0, and R the number of relevant
    items [1]_, those included that were not retrieved.

    Where scores tie, ``rel(r) * P@r`` is replaced by what it is on average over all orders of
    the ties [2]_. In a tie group of m items with G relevant ones, which has A relevant items
    above it and j of its own ranks above rank r, that is::

        1/r * G/m * (A + 1 + j * (G - 1) / (m - 1))

    and the last term is 0 if m is 1.

    The mean is exact up to the rounding of each weight times score and of the final quotient,
    so neither the order of the queries nor their number changes its last bits. In the same way
    a query, its items in one order, has the same bits alone, in any batch, in any layout and
    beside any other cutoff.

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
    >>> mean_average_precision_score(y_true, y_score)
    0.7037...
    >>> mean_average_precision_score(y_true, y_score, k=[1, 3])
    array([0.22222222, 0.53703704])
    >>> mean_average_precision_score(y_true, y_score, k=[1, 3], denominator="achievable")
    array([0.66666667, 0.53703704])

    In the orders of the three items that tie it is between 0.5556 and 0.8333:

    >>> mean_average_precision_score(y_true, y_score, ignore_ties=True)
    0.8333...
    """
    call = begin("mean_average_precision_score", k, average, replace_undefined_by)
    data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight)
    options = ("relevant", "achievable")
    divisor = check_option(denominator, "denominator", call.function, options)
    cutoffs = call.cutoffs.ranks

    def average_precision(relevant: RankedRelevance) -> Floats:
        hits_by_rank = relevant.profile(hits_at_hit)[:, : call.depth]
        precision_by_rank = hits_by_rank / np.arange(1.0, hits_by_rank.shape[1] + 1)
        total = sum_to_cutoffs(precision_by_rank, cutoffs)
        return np.minimum(total / _most_hits(relevant, cutoffs, divisor), 1)

    return evaluate_relevance(average_precision, data, call, ignore_ties, relevance_threshold)


def _most_hits(relevant: RankedRelevance, cutoffs: Ints, divisor: str) -> Floats:
    """Return the number of relevant items, or of those that the cutoffs have ranks for."""
    if divisor == "relevant":
        return relevant.n_relevant
    return np.minimum(relevant.n_relevant, cutoffs)
