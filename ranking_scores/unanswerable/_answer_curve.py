"""Questions without an answer: how many are answered at each threshold, and at what price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._results import (
    Column,
    MarkdownResult,
    ResultTable,
    as_percent,
    columns_of,
    count_queries,
    read_only,
    table_of,
)
from ranking_scores.significance._intervals import METHODS_BY_NAME, method_of_share, share_limits

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_SHOWN = 12
"""The greatest number of thresholds that the text of a curve shows."""
_SHARES = ("answered", "answered_low", "answered_high", "refused", "refused_low", "refused_high")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class AnswerCurve(MarkdownResult):
    """The result of `answer_curve`: two shares of the questions at each threshold.

    Curves are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    threshold : ndarray of float64 of shape (n_thresholds,)
        The thresholds. A question is answered if its score is at least the threshold.

    answered : ndarray of float64 of shape (n_thresholds,)
        The share of the questions without an answer that are answered. It should be low.

    answered_low : ndarray of float64 of shape (n_thresholds,)
        The lower limit of the confidence interval of this share.

    answered_high : ndarray of float64 of shape (n_thresholds,)
        The upper limit of this interval.

    refused : ndarray of float64 of shape (n_thresholds,)
        The share of the questions with an answer that are not answered. It should be low, too.

    refused_low : ndarray of float64 of shape (n_thresholds,)
        The lower limit of the confidence interval of this share.

    refused_high : ndarray of float64 of shape (n_thresholds,)
        The upper limit of this interval.

    n_queries : int
        The number of questions.

    n_no_answer : int
        The number of questions without an answer.

    n_with_list : int
        The number of questions without an answer that got a list: their score is not -inf.

    has_answer : ndarray of bool of shape (n_queries,)
        Whether each question has an answer.

    scores : ndarray of float64 of shape (n_queries,)
        The score of each question, -inf if nothing was retrieved.

    query_ids : ndarray of shape (n_queries,) or None
        The ids of the questions. None if they have none.

    confidence_level : float
        The share of such intervals that contain the true share, at a threshold that was fixed
        before.
    """

    threshold: Floats
    answered: Floats
    answered_low: Floats
    answered_high: Floats
    refused: Floats
    refused_low: Floats
    refused_high: Floats
    n_queries: int
    n_no_answer: int
    n_with_list: int
    has_answer: Bools
    scores: Floats
    query_ids: NDArray[Any] | None
    confidence_level: float

    _columns = (Column("threshold", kind="name", show="{:.6g}".format), *columns_of(*_SHARES))

    def __len__(self) -> int:
        return len(self.threshold)

    def to_frame(self) -> Any:
        """Return the shares as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per threshold, with both shares and their limits.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._frame()

    def _table(self) -> ResultTable:
        # They are spread over the curve, since its ends alone would say little.
        shown = np.unique(np.linspace(0, len(self) - 1, _SHOWN).round().astype(np.intp))
        n_more = len(self) - len(shown)
        more = f"{n_more} more threshold{'s' * (n_more > 1)} between these"
        notes = [more] * (n_more > 0) + self._notes()
        return table_of(self._columns, lambda name: getattr(self, name)[shown], notes)

    def _notes(self) -> list[str]:
        one, other = (count_queries(count) for count in self._counts())
        got = f"{self.n_with_list} got a list"
        names = map(method_of_share, self._counts())
        methods = dict.fromkeys(METHODS_BY_NAME[name].words for name in names)
        return [
            f"answered: share of {one} without an answer; {got}",
            f"refused: share of {other} with an answer",
            f"{as_percent(self.confidence_level)} intervals: {', '.join(methods)}",
        ]

    def _counts(self) -> tuple[int, int]:
        """Return the numbers of questions without and with an answer."""
        return self.n_no_answer, self.n_queries - self.n_no_answer


def curve_of(
    has_answer: Bools, scores: Floats, threshold: Floats, ids: NDArray[Any] | None, level: float
) -> AnswerCurve:
    """Return the curve of some questions, of which some have an answer and some have none."""
    without, with_one = (np.sort(scores[is_own]) for is_own in (~has_answer, has_answer))
    n_refused = np.searchsorted(with_one, threshold)  # their scores are below the threshold
    n_answered = without.size - np.searchsorted(without, threshold)
    answered, refused = (
        _shares(count.astype(np.float64), own.size, level)
        for count, own in ((n_answered, without), (n_refused, with_one))
    )
    shares = dict(zip(_SHARES, map(read_only, (*answered, *refused)), strict=True))
    return AnswerCurve._of(
        threshold=read_only(threshold),
        **shares,
        n_queries=scores.size,
        n_no_answer=without.size,
        n_with_list=int(np.isfinite(without).sum()),
        has_answer=read_only(has_answer),
        scores=read_only(scores),
        query_ids=None if ids is None else read_only(ids),
        confidence_level=level,
    )


def _shares(count: Floats, n_queries: int, level: float) -> tuple[Floats, Floats, Floats]:
    """Return the share of some questions at each threshold, and its limits."""
    return count / n_queries, *share_limits(count, n_queries, level)
