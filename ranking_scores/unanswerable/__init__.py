"""Questions that nothing in the corpus answers: does the system know that it has found nothing?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._by_id import by_id
from ranking_scores._base._errors import invalid
from ranking_scores._base._index import Indexes
from ranking_scores._base._tensors import rounded
from ranking_scores._base._validation import check_real_array, describe
from ranking_scores._queries._data import CallData, refuse_aspects
from ranking_scores._queries._relevance import check_relevance
from ranking_scores._tables._lists_of_ids import ORDER_OF_OTHERS
from ranking_scores._tables._ranking_data import RankingData, refuse_unjudged
from ranking_scores.significance._tests import check_level
from ranking_scores.unanswerable._answer_curve import AnswerCurve, curve_of

__all__ = ["AnswerCurve", "answer_curve"]


def __dir__() -> list[str]:
    return __all__


_FUNCTION = "answer_curve"


def answer_curve(
    y_true: ArrayLike | RankingData,
    y_score: ArrayLike | None = None,
    *,
    threshold: ArrayLike | None = None,
    relevance_threshold: float | None = None,
    query_ids: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> AnswerCurve:
    """Return how many questions without an answer are answered, against a threshold.

    A gold set may have questions that nothing in the corpus answers. A system that answers only
    if the score of its first item reaches a threshold answers fewer of them with a higher one, and
    refuses more of the questions that have an answer. The curve has both shares at each threshold,
    with confidence intervals.

    Parameters
    ----------
    y_true : array-like or RankingData
        Whether each question has an answer: bools, or 0 and 1, of shape (n_queries,). Or a dict
        of these by query id. Or the result of `ranking_scores.from_lists` or its like, without
        `y_score`: a question has an answer if one of its judged items is relevant, and its score
        is that of its first item.

    y_score : array-like, default=None
        The score of each question, of shape (n_queries,), or a dict of them by query id if
        `y_true` is one. It is the score of the first item, the output of a classifier of
        answerable questions, or any other number that is higher for questions to be answered. A
        question for which nothing was retrieved has ``-np.inf``. Ints are at most 2**53.

    threshold : float or array-like of floats, default=None
        The thresholds, in any order. None: all different scores. They are rounded to the dtype of
        the scores, so that a score of 0.7 reaches the threshold 0.7 in float32, too.

    relevance_threshold : float, default=None
        An item is relevant if its label is at least this number, compared in the dtype of the
        labels. None: an item is relevant if its label is above 0.

    query_ids : array-like of shape (n_queries,), default=None
        The names of the questions, all different, for arrays. `RankingData` and dicts have their
        own.

    confidence_level : float, default=0.95
        The confidence level of the intervals.

    Returns
    -------
    curve : AnswerCurve
        A frozen dataclass with the arrays `threshold`, `answered` and `refused`, and the limits
        of both. It prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if no question has an answer or all have one, or
        if all scores are equal, as those of lists of ids without scores. If only some lists have
        scores, if nobody judged a question, or if questions have aspects. The error is of both
        types, as in scikit-learn.

    See Also
    --------
    ranking_scores.ranking_report : Has the share of empty lists with ``no_answer=True``.
    ranking_scores.plotting.AnswerCurveDisplay : Plots the curve.
    sklearn.metrics.det_curve : Computes the same shares, without intervals.

    Notes
    -----
    At the threshold t, with N the questions without an answer and A those with one::

        answered(t) = |{q in N: score(q) >= t}| / |N|
        refused(t)  = |{q in A: score(q) < t}| / |A|

    A question without a list has no score, and is never answered. Each question counts the same.

    The intervals are those of `ranking_scores.significance.confidence_interval` for shares: those
    of Clopper and Pearson for fewer than 40 questions [1]_, and Wilson's for more [2]_. They hold
    for a threshold that was fixed before. If you choose the one that looks best, its shares are
    too good, and other questions have to confirm them.

    References
    ----------
    .. [1] Clopper, C. J. and Pearson, E. S. (1934). "The use of confidence or fiducial limits
           illustrated in the case of the binomial." Biometrika 26(4), 404-413.
           :doi:`10.1093/biomet/26.4.404`
    .. [2] Wilson, E. B. (1927). "Probable inference, the law of succession, and statistical
           inference." Journal of the American Statistical Association 22(158), 209-212.
           :doi:`10.1080/01621459.1927.10502953`

    Examples
    --------
    >>> from ranking_scores import from_lists
    >>> from ranking_scores.unanswerable import answer_curve
    >>> gold = {"q1": ["refunds"], "q2": ["delivery"], "q3": [], "q4": []}
    >>> found = {
    ...     "q1": [("refunds", 0.8), ("prices", 0.3)],
    ...     "q2": [("prices", 0.5), ("delivery", 0.5)],
    ...     "q3": [("prices", 0.6)],
    ...     "q4": [],
    ... }
    >>> answer_curve(from_lists(gold, found), threshold=[0.5, 0.7])
    threshold  answered  answered low  answered high  refused  refused low  refused high
    0.5          0.5000        0.0126         0.9874   0.0000       0.0000        0.8419
    0.7          0.0000        0.0000         0.8419   0.5000       0.0126        0.9874
    <BLANKLINE>
    answered: share of 2 queries without an answer; 1 got a list
    refused: share of 2 queries with an answer
    95 % intervals: Clopper and Pearson

    With scores of your own, and the questions that are answered at a threshold although they have
    no answer:

    >>> curve = answer_curve([1, 1, 0, 0], [0.8, 0.5, 0.6, 0.2], query_ids=["a", "b", "c", "d"])
    >>> list(curve.query_ids[~curve.has_answer & (curve.scores >= 0.5)])
    ['c']
    """
    refuse_aspects(y_true, "y_true", _FUNCTION)
    level = check_level(confidence_level, _FUNCTION)
    if isinstance(y_true, RankingData):
        for name, value in (("y_score", y_score), ("query_ids", query_ids)):
            if value is not None:
                raise invalid(name, _FUNCTION, "left out, since y_true has it", describe(value))
        refuse_unjudged(y_true.queries_seen, _FUNCTION)
        if any(note.endswith(ORDER_OF_OTHERS) for note in y_true.notes):
            expected = "such that all lists have scores"
            raise invalid("y_true", _FUNCTION, expected, "some that have none")
        has_answer, given = _of_first_items(y_true, relevance_threshold)
        ids: NDArray[Any] | None = y_true.query_ids
    else:
        if relevance_threshold is not None:
            expected = "None, since y_true says which questions have an answer"
            raise invalid(
                "relevance_threshold", _FUNCTION, expected, describe(relevance_threshold)
            )
        has_answer, given, ids = _of_arrays(y_true, y_score, query_ids)
    scores = given.astype(np.float64)
    if has_answer.all() or not has_answer.any():
        what = "have an answer" if has_answer.all() else "have none"
        expected = "such that some questions have an answer and some have none"
        raise invalid("y_true", _FUNCTION, expected, f"{scores.size} questions, which all {what},")
    different = np.unique(scores[np.isfinite(scores)])
    if different.size < 2:
        parameter = "y_true" if isinstance(y_true, RankingData) else "y_score"
        expected = "such that the scores of the questions differ"
        advice = "Lists of ids without scores have only ranks, which no threshold can tell apart."
        got = "none" if not different.size else f"{different[0]:g} for each"
        raise invalid(parameter, _FUNCTION, expected, got, advice if parameter == "y_true" else "")
    taken = different if threshold is None else _check_thresholds(threshold, given.dtype)
    return curve_of(has_answer, scores, taken, ids, level)


def _of_first_items(
    data: RankingData, relevance_threshold: float | None
) -> tuple[NDArray[np.bool_], NDArray[np.floating[Any]]]:
    """Return whether each query has a relevant item, and the score of its first item."""
    relevance = check_relevance(relevance_threshold, _FUNCTION)
    if relevance.includes_zero:
        expected = "above 0, since items that nobody judged have the label 0"
        raise invalid("relevance_threshold", _FUNCTION, expected, describe(relevance_threshold))
    y_true, y_score = data.y_true, data.y_score
    n_relevant = np.zeros(y_true.nnz + 1, dtype=np.intp)
    np.cumsum(relevance.is_relevant(y_true.data), out=n_relevant[1:])
    has_answer = n_relevant[y_true.indptr[1:]] > n_relevant[y_true.indptr[:-1]]
    values = _as_floats(y_score.data, "y_true")
    scores = np.full(y_score.shape[0], -np.inf, values.dtype)
    has_list = np.diff(y_score.indptr) > 0
    if has_list.any():
        starts = y_score.indptr[:-1][has_list]
        scores[has_list] = np.maximum.reduceat(values, starts)
    return has_answer, scores


def _of_arrays(
    y_true: Any, y_score: Any, query_ids: Any
) -> tuple[NDArray[np.bool_], NDArray[np.floating[Any]], NDArray[Any] | None]:
    """Return whether each query has an answer, its score and its id."""
    ids = None
    if y_score is None:
        expected = "given, unless y_true is what `from_lists` or its like returned"
        raise invalid("y_score", _FUNCTION, expected, "")
    if isinstance(y_true, Mapping) or isinstance(y_score, Mapping):
        if query_ids is not None:
            expected = "left out, since the keys of the dicts are the ids"
            raise invalid("query_ids", _FUNCTION, expected, describe(query_ids))
        y_true_by_id, y_score_by_id = (
            by_id(values, name, _FUNCTION, "y_true", "") if isinstance(values, Mapping) else None
            for name, values in (("y_true", y_true), ("y_score", y_score))
        )
        if y_true_by_id is None or y_score_by_id is None:
            name, other = ("y_true", y_true) if y_true_by_id is None else ("y_score", y_score)
            expected = "a dict by query id, since the other one of y_true and y_score is a dict"
            raise invalid(name, _FUNCTION, expected, describe(other))
        ids, y_true = y_true_by_id.ids, y_true_by_id.values
        values = check_real_array(y_score_by_id.values, "y_score", _FUNCTION)
        y_score = y_score_by_id.in_order(values, ids, "y_score", _FUNCTION)
    indexes = Indexes(_FUNCTION, has_columns=False)
    for name, given in (("y_true", y_true), ("y_score", y_score), ("query_ids", query_ids)):
        indexes.check(name, given)
    labels = check_real_array(y_true, "y_true", _FUNCTION)
    if labels.ndim != 1 or not labels.size:
        expected = "of shape (n_queries,), whether each question has an answer"
        code = "For labels of items, pass `y_true.any(axis=1)` and `y_score.max(axis=1)`."
        got = f"shape {labels.shape}"
        raise invalid("y_true", _FUNCTION, expected, got, code=code if labels.ndim == 2 else "")
    if not np.isin(labels, (0, 1)).all():
        got = f"{labels[~np.isin(labels, (0, 1))][0]:g}"
        raise invalid("y_true", _FUNCTION, "only bools, or 0 and 1", got)
    scores = _as_floats(check_real_array(y_score, "y_score", _FUNCTION), "y_score")
    if scores.shape != labels.shape:
        expected = f"of shape {labels.shape}, one score per question, as y_true"
        raise invalid("y_score", _FUNCTION, expected, f"shape {scores.shape}")
    if (np.isnan(scores) | (scores == np.inf)).any():
        expected = "finite, or -inf for questions for which nothing was retrieved"
        raise invalid("y_score", _FUNCTION, expected, "NaN or infinity")
    if query_ids is not None:
        ids = CallData(_FUNCTION, labels, scores, query_ids=query_ids).ids_of_rows(labels.size)
    return labels.astype(bool), scores, ids


def _as_floats(scores: NDArray[Any], parameter: str) -> NDArray[np.floating[Any]]:
    """Return scores as floats of at most 64 bits, in their own dtype if it is one."""
    if scores.dtype.kind == "f":
        return scores
    if ((scores > 2**53) | (scores < -(2**53))).any():
        expected = "such that float64 holds the scores exactly, up to 2**53 for ints"
        raise invalid(parameter, _FUNCTION, expected, "larger ints")
    return scores.astype(np.float64)


def _check_thresholds(threshold: Any, dtype: np.dtype[Any]) -> NDArray[np.float64]:
    """Return the thresholds that a caller gave, rounded as scores of a dtype are."""
    values = np.atleast_1d(check_real_array(threshold, "threshold", _FUNCTION)).astype(np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        got = "NaN or infinity" if values.ndim == 1 and values.size else f"shape {values.shape}"
        raise invalid("threshold", _FUNCTION, "a finite number or a list of these", got)
    return rounded(values, dtype)
