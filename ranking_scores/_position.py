"""Scores of where the relevant items stand: their ranks, on average."""

from __future__ import annotations

from typing import Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._evaluate import check_sums, evaluate
from ranking_scores._profiles import expected_gain, rank_items, sum_to_cutoffs
from ranking_scores._queries import Block, check_queries
from ranking_scores._relevance import check_gain
from ranking_scores._validation import check_bool, check_cutoffs, invalid

Floats = NDArray[np.float64]


class _PositionParams(TypedDict, total=False):
    sample_weight: ArrayLike | None
    ignore_ties: bool
    relevance_threshold: float | None
    where: ArrayLike | None
    qid: ArrayLike | None
    labels: ArrayLike | None
    replace_undefined_by: float


@overload
def average_relevant_position(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: Literal["samples"] = "samples",
    **params: Unpack[_PositionParams],
) -> float: ...
@overload
def average_relevant_position(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: None,
    **params: Unpack[_PositionParams],
) -> Floats: ...
def average_relevant_position(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    ignore_ties: bool = False,
    relevance_threshold: float | None = None,
    where: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | Floats:
    r"""Average relevant position: the rank at which the relevant items stand. Lower is better.

    The mean rank of the relevant items of a query, weighted by their labels. The expected value
    over all orders of items with equal scores, averaged over the queries. 1 is the least: the
    only relevant item stands first.

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

    sample_weight : array-like of shape (n_queries,), (n_rows,) or (n_samples,), default=None
        The weight of each query in the mean: finite, not negative and not all zero. In the
        ragged layout a value for each row, the same for all rows of a query. None: all queries
        weigh the same.

    ignore_ties : bool, default=False
        False takes the expected value over all orders of the items with equal scores. True
        takes one order instead: among equals the later item comes first.

    relevance_threshold : float, default=None
        Items whose label is below it, in the dtype of the labels, count as irrelevant, as if
        their label were 0. None: every label counts.

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

    replace_undefined_by : float, default=nan
        The value of a query on which the position is undefined, because no item is relevant.
        With ``np.nan`` such queries are NaN where `average` is None, and left out of the mean:
        no number is the worst that a position can be.

    average : {"samples", None}, default="samples"
        "samples": the weighted mean over the queries; None: one value per query.

    Returns
    -------
    position : float or ndarray of float64
        A rank, from 1 on. With ``average=None`` an array of shape (n_queries,), in the order of
        the rows or, with `qid`, of ``np.unique(qid)``.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. One error that is both, as in scikit-learn; it
        names the parameter, what it must be, what came, and the first query concerned.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, because no query has a relevant item, nor a value in its place.

    See Also
    --------
    ndcg_score : Higher is better, and the first ranks count most.
    make_ranking_scorer : Makes a scorer of it, negated, since greater is better there.

    Notes
    -----
    .. math:: \mathrm{ARP} = \frac{\sum_r r\, y_{i(r)}}{\sum_r y_{i(r)}}

    with :math:`i(r)` the item at rank :math:`r` and :math:`y` its label, not negative [1]_. Where
    scores tie, a label is replaced by the mean label of the items that it ties with, which makes
    ARP its average over all orders of the ties [2]_.

    All relevant items need a rank. In a sparse `y_score` each of them must be stored.

    The mean is exact up to the rounding of each weight times score and of the final quotient,
    so neither the order of the queries nor their number changes its last bits. In the same way
    a query, its items in one order, has the same bits alone, in any batch, in any layout and
    beside any other cutoff.

    References
    ----------
    .. [1] Joachims, T., Swaminathan, A. and Schnabel, T. (2017). "Unbiased learning-to-rank with
           biased feedback." WSDM 2017, 781-789. :doi:`10.1145/3018661.3018699`. It takes the sum
           of the ranks of the relevant items, which is their number times this.
    .. [2] McSherry, F. and Najork, M. (2008). "Computing information retrieval performance
           measures efficiently in the presence of tied scores." ECIR 2008, 414-421.
           :doi:`10.1007/978-3-540-78646-7_38`

    Examples
    --------
    >>> from ranking_scores import average_relevant_position
    >>> y_true = [[0, 1, 0], [0, 1, 1]]
    >>> y_score = [[1, 0, 1.5], [1.5, .2, .5]]
    >>> average_relevant_position(y_true, y_score, average=None)
    array([3. , 2.5])
    >>> average_relevant_position(y_true, y_score)
    2.75

    Three items that tie stand at rank 2 on average, whichever of them is the relevant one; the
    order in which they happen to stand would say 1, 2 or 3:

    >>> average_relevant_position([[0, 0, 1]], [[7, 7, 7]])
    2.0
    >>> average_relevant_position([[0, 0, 1]], [[7, 7, 7]], ignore_ties=True)
    1.0

    A query without a relevant item is left out:

    >>> average_relevant_position([[0, 1], [0, 0]], [[1, 2], [1, 2]])
    1.0
    """
    function = "average_relevant_position"
    ignore_ties = check_bool(ignore_ties, "ignore_ties", function)
    gain_of = check_gain("linear", relevance_threshold, function, allow_negative=False)
    queries = check_queries(
        y_true,
        y_score,
        qid=qid,
        labels=labels,
        where=where,
        item_weight=None,
        sample_weight=sample_weight,
        gain_of=gain_of,
        function=function,
    )
    whole_list = check_cutoffs(None, function)

    def position(block: Block) -> tuple[Floats, None]:
        gain, judged_gain = block.gains(gain_of)
        gain = block.ranked.place(gain)
        if block.judged is not block.ranked:
            _check_all_ranked(gain, block.judged.place(judged_gain), block, function)
        depth = gain.shape[1]
        ranking = rank_items(block.scores, depth, ignore_ties=ignore_ties)
        with np.errstate(over="ignore"):
            gain_by_rank = expected_gain(gain, ranking)
            rank = np.arange(1.0, depth + 1)
            weighted = sum_to_cutoffs(gain_by_rank * rank, whole_list.ranks)
            total = sum_to_cutoffs(gain_by_rank, whole_list.ranks)
        with np.errstate(invalid="ignore"):  # 0 / 0 is NaN: without a relevant item, undefined
            return check_sums(weighted, block, function) / total, None

    return evaluate(
        position,
        queries,
        whole_list,
        function=function,
        gain=gain_of,
        average=average,
        replace_undefined_by=replace_undefined_by,
        greater_is_better=False,
    )


def _check_all_ranked(gain: Floats, judged_gain: Floats, block: Block, function: str) -> None:
    """Raise if an item that gains was not retrieved, and so has no rank."""
    is_missing = np.count_nonzero(gain, axis=1) < np.count_nonzero(judged_gain, axis=1)
    if is_missing.any():
        raise invalid(
            "y_score",
            function,
            "such that all relevant items have a rank",
            f"a relevant item that was not retrieved in "
            f"{block.judged.name_row(int(np.argmax(is_missing)))}",
            "A score with a cutoff, such as ndcg_score, takes such data.",
        )
