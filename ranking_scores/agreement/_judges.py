"""What several judges of the same items say: how far they agree, and what each says of a score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._results import (
    Column,
    MarkdownResult,
    ReadOnlyDict,
    as_cell,
    read_only,
)
from ranking_scores._base._validation import check_option, describe
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores.agreement._two_judgments import LabelAgreement, judged_labels, label_agreement
from ranking_scores.report import ranking_report

_FUNCTION = "judge_agreement"
_SHOWN = 10
"""The greatest number of pairs of judges, and of grades of each, that the text shows."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class JudgeAgreement(MarkdownResult):
    """The result of `judge_agreement`: do several judges agree, and does it matter to the score?

    Results are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    judges : tuple
        The judges, sorted.

    metrics : tuple of str
        The names of the scores.

    mean : ndarray of float64 of shape (n_judges, n_metrics)
        The mean of each score by the labels of each judge, on the queries that this judge has.

    merged : ndarray of float64 of shape (n_metrics,)
        The mean of each score by the labels of all judges, merged by `duplicates` of the data.

    spread : ndarray of float64 of shape (n_metrics,)
        The standard deviation of the means of the judges.

    n_queries : ndarray of int64 of shape (n_judges,)
        The number of queries of each judge.

    labels : dict of tuple to LabelAgreement
        The agreement of the labels of each pair of judges that have judged an item in common, with
        Cohen's kappa, also by grade.
    """

    judges: tuple[Any, ...]
    metrics: tuple[str, ...]
    mean: NDArray[np.float64]
    merged: NDArray[np.float64]
    spread: NDArray[np.float64]
    n_queries: NDArray[np.int64]
    labels: Mapping[tuple[Any, Any], LabelAgreement]

    _columns = (
        Column("metric", "_metrics", title="", kind="name"),
        Column("judge", "_judges", kind="name"),
        Column("mean", "_means"),
        Column("n_queries", "_counts"),
    )

    def to_frame(self) -> Any:
        """Return the scores by each judge as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per score and judge, with the columns metric, judge, mean and n_queries.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._frame()

    def _metrics(self) -> list[str]:
        return [metric for metric in self.metrics for _ in self.judges]

    def _judges(self) -> list[Any]:
        return [*self.judges] * len(self.metrics)

    def _means(self) -> list[float]:
        return [mean for of_metric in self.mean.T.tolist() for mean in of_metric]

    def _counts(self) -> list[int]:
        return [*self.n_queries.tolist()] * len(self.metrics)

    def _notes(self) -> list[str]:
        limits = zip(self.mean.min(axis=0), self.mean.max(axis=0), strict=True)
        columns = self.metrics, self.merged, self.spread, limits
        lines = [
            f"{name}: {as_cell(merged)} by all judges together, {as_cell(low)} to {as_cell(high)} "
            f"by one, spread {as_cell(spread)}"
            for name, merged, spread, (low, high) in zip(*columns, strict=True)
        ]
        for (a, b), labels in [*self.labels.items()][:_SHOWN]:
            grades = zip(labels.grades, labels.kappa_by_grade.tolist(), strict=True)
            each = [f"{as_cell(kappa)} of {grade:g}" for grade, kappa in grades]
            by_grade = ", ".join(each[:_SHOWN]) + ", ..." * (len(each) > _SHOWN)
            name = " ".join(filter(None, (labels.weights, "kappa")))
            count = f"{labels.n_items} item{'s' * (labels.n_items > 1)}, by label"
            lines.append(f"{a} and {b}: {name} {as_cell(labels.kappa)} of {count} {by_grade}")
        n_more = len(self.labels) - _SHOWN
        return lines + [f"... and {n_more} more pair{'s' * (n_more > 1)} of judges"] * (n_more > 0)


def judge_agreement(
    data: RankingData,
    *,
    scores: Any = "ndcg@10",
    kappa_weights: Literal["linear", "quadratic"] | None = None,
    **params: Any,
) -> JudgeAgreement:
    """Tell how far several judges agree, and what their disagreement does to the scores.

    Parameters
    ----------
    data : RankingData
        The result of `ranking_scores.from_tables` with `judge`.

    scores : str, callable, sequence of these or dict, default="ndcg@10"
        The scores to compute, as in `ranking_scores.ranking_report`, each at its own cutoff.

    kappa_weights : {"linear", "quadratic"} or None, default=None
        How much a disagreement counts in Cohen's kappa, as in scikit-learn: by the number of
        grades between the two labels, by its square, or always the same.

    **params
        Other parameters of the scores, such as `gain` or `relevance_threshold`.

    Returns
    -------
    agreement : JudgeAgreement
        The scores by the labels of each judge, by those of all, their `spread`, and the agreement
        of the `labels` of each pair of judges. It prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if a judge has judged an item twice for a
        query. The error is of both types, as in scikit-learn.

    See Also
    --------
    system_agreement : Tells what a second set of judgments does to the order of systems.
    ranking_scores.from_tables : Reads the judges.

    Notes
    -----
    Each judge counts on the queries that this judge has judged. If these differ, so may the scores
    of judges who agree. An item that a judge has not judged has the label 0, as anywhere else.
    Cohen's kappa is over the items that both have judged, and 0 if they agree as often as by
    chance.

    Examples
    --------
    >>> from ranking_scores import from_tables
    >>> from ranking_scores.agreement import judge_agreement
    >>> judged = {
    ...     "query": [1, 1, 1, 1, 2, 2, 2, 2],
    ...     "item": ["a", "a", "b", "b", "c", "c", "d", "d"],
    ...     "rater": ["ann", "bob"] * 4,
    ...     "label": [2, 2, 0, 1, 1, 0, 0, 1],
    ... }
    >>> run = {"query": [1, 1, 2, 2], "item": ["b", "a", "c", "d"], "score": [2, 1, 2, 1]}
    >>> names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    >>> data = from_tables(judged, run, **names, judge="rater", duplicates="mean")
    >>> judge_agreement(data, scores="ndcg@2")
            judge    mean  queries
    ndcg@2  ann    0.8155        2
    ndcg@2  bob    0.7453        2
    <BLANKLINE>
    ndcg@2: 0.8805 by all judges together, 0.7453 to 0.8155 by one, spread 0.0496
    ann and bob: kappa -0.0909 of 4 items, by label -0.5000 of 0, -0.5000 of 1, 1.0000 of 2
    """
    by_judge = data.by_judge if isinstance(data, RankingData) else None
    if by_judge is None:
        got = "one without" if isinstance(data, RankingData) else describe(data)
        expected = "a result of from_tables with `judge`"
        raise invalid("data", _FUNCTION, expected, got)
    if kappa_weights is not None:
        check_option(kappa_weights, "kappa_weights", _FUNCTION, ("linear", "quadratic"))
    params = {"scores": scores, "k": None} | params
    merged = ranking_report(data, **params)
    reports = [ranking_report(own, **params) for own in by_judge.values()]
    mean = np.array([[*report.values()] for report in reports])
    judged = {judge: judged_labels(own, "data", _FUNCTION) for judge, own in by_judge.items()}
    labels = {
        (one, other): label_agreement(judged[one], judged[other], kappa_weights)
        for one, other in combinations(judged, 2)
        if not {*judged[one][0]}.isdisjoint(judged[other][0])
    }
    return JudgeAgreement._of(
        judges=tuple(by_judge),
        metrics=merged.metrics,
        mean=read_only(mean),
        merged=read_only(np.array([*merged.values()])),
        spread=read_only(mean.std(axis=0, ddof=1) if len(mean) > 1 else mean[0] * np.nan),
        n_queries=read_only(np.array([report.n_queries for report in reports])),
        labels=ReadOnlyDict(labels),
    )
