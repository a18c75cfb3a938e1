"""scikit-learn: ranking scores of arrays.

A call for several classes, or for the mean over columns, is left to scikit-learn: its columns are
classes, which are no queries.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp

from ranking_scores.conventions import like

from . import LeftToThePeer


def ndcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> Any:
    """Return the mean nDCG of the queries."""
    score = like("scikit-learn", "ndcg_score", ignore_ties=ignore_ties, **_cutoff(k))
    return _score(score, y_true, y_score, sample_weight)


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> Any:
    """Return the mean DCG of the queries."""
    options = {"ignore_ties": ignore_ties, "log_base": log_base, **_cutoff(k)}
    return _score(like("scikit-learn", "dcg_score", **options), y_true, y_score, sample_weight)


def ndcg_of_queries(
    y_true: Any, y_score: Any, k: int | None = None, ignore_ties: bool = False
) -> Any:
    """Return the nDCG of each query."""
    score = like("scikit-learn", "ndcg_score", ignore_ties=ignore_ties, **_cutoff(k))
    return score(y_true, y_score, average=None)


def dcg_of_queries(
    y_true: Any,
    y_score: Any,
    k: int | None = None,
    log_base: float = 2,
    ignore_ties: bool = False,
) -> Any:
    """Return the DCG of each query."""
    options = {"ignore_ties": ignore_ties, "log_base": log_base, **_cutoff(k)}
    return like("scikit-learn", "dcg_score", **options)(y_true, y_score, average=None)


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> Any:
    """Return the average precision of one query, or the mean of several."""
    return _of_classes(
        "average_precision_score", y_true, y_score, average, pos_label, sample_weight
    )


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Return the area under the ROC curve of one query, or the mean of several."""
    if max_fpr is not None:
        raise LeftToThePeer("part of the area, max_fpr")
    if labels is not None or multi_class != "raise":
        raise LeftToThePeer("several classes")
    return _of_classes("roc_auc_score", y_true, y_score, average, None, sample_weight)


def label_ranking_average_precision_score(
    y_true: Any, y_score: Any, *, sample_weight: Any = None
) -> Any:
    """Return the mean average precision of the queries."""
    score = like("scikit-learn", "label_ranking_average_precision_score")
    return _score(score, y_true, y_score, sample_weight)


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> Any:
    """Return the mean share of the pairs in the wrong order."""
    return _score(like("scikit-learn", "label_ranking_loss"), y_true, y_score, sample_weight)


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> Any:
    """Return the mean rank of the last relevant item."""
    return _score(like("scikit-learn", "coverage_error"), y_true, y_score, sample_weight)


def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> Any:
    """Return the share of the samples whose class is among the first k: each sample is a query."""
    if np.ndim(y_score) == 1:
        raise LeftToThePeer("a score of one class")
    score = like("scikit-learn", "top_k_accuracy_score", k=k, normalize=normalize)
    classes = np.unique(y_true) if labels is None else np.asarray(labels)
    return _score(score, np.asarray(y_true)[:, None] == classes, y_score, sample_weight)


def _cutoff(k: int | None) -> dict[str, int]:
    return {} if k is None else {"k": k}


def _score(score: Any, y_true: Any, y_score: Any, sample_weight: Any) -> Any:
    """Return the mean over the queries, without our warnings of queries that are undefined."""
    if sp.issparse(y_true):
        y_true = y_true.toarray()  # also a sparse matrix of scipy, which is no sparse array
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return score(y_true, y_score, sample_weight=sample_weight)


def _of_classes(
    name: str, y_true: Any, y_score: Any, average: str | None, pos_label: Any, sample_weight: Any
) -> Any:
    """Return the score of one query, whose items are the samples, or of rows as queries."""
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    if sample_weight is not None:
        raise LeftToThePeer("a weight for each item")
    score = like("scikit-learn", name)
    if y_true.ndim == 1 and y_score.ndim == 1 and np.unique(y_true).size <= 2:
        if pos_label is None:
            pos_label = np.max(y_true)
        return _score(score, [y_true == pos_label], [y_score], None)
    if y_true.ndim == 2 and average == "samples":
        return _score(score, y_true, y_score, None)
    raise LeftToThePeer("several classes")


REPLACED = {
    "sklearn.metrics.ndcg_score": ndcg_score,
    "sklearn.metrics.dcg_score": dcg_score,
    "sklearn.metrics.average_precision_score": average_precision_score,
    "sklearn.metrics.roc_auc_score": roc_auc_score,
    "sklearn.metrics.label_ranking_average_precision_score": label_ranking_average_precision_score,
    "sklearn.metrics.label_ranking_loss": label_ranking_loss,
    "sklearn.metrics.coverage_error": coverage_error,
    "sklearn.metrics.top_k_accuracy_score": top_k_accuracy_score,
    "sklearn.metrics._ranking._dcg_sample_scores": dcg_of_queries,
    "sklearn.metrics._ranking._ndcg_sample_scores": ndcg_of_queries,
}
