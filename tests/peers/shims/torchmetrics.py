"""torchmetrics: the functions of one query, and the means over queries of its classes.

Calls whose arguments torchmetrics refuses are left to it, since the words of an error are its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ranking_scores.conventions import like

from . import LeftToThePeer

FUNCTION_OF_CLASS = {
    "RetrievalAUROC": "retrieval_auroc",
    "RetrievalFallOut": "retrieval_fall_out",
    "RetrievalHitRate": "retrieval_hit_rate",
    "RetrievalMAP": "retrieval_average_precision",
    "RetrievalMRR": "retrieval_reciprocal_rank",
    "RetrievalNormalizedDCG": "retrieval_normalized_dcg",
    "RetrievalPrecision": "retrieval_precision",
    "RetrievalRPrecision": "retrieval_r_precision",
    "RetrievalRecall": "retrieval_recall",
}


def of_one_query(name: str) -> Callable[..., Any]:
    """Return a function that computes the measure of a class for one query."""

    def value(preds: Any, target: Any, top_k: Any = None, **options: Any) -> Any:
        import torch
        from torchmetrics.utilities.checks import _check_retrieval_functional_inputs

        if not is_cutoff(top_k):
            raise LeftToThePeer
        try:
            preds, target = _check_retrieval_functional_inputs(
                preds, target, allow_non_binary_target=name == "RetrievalNormalizedDCG"
            )
        except ValueError:
            raise LeftToThePeer from None
        score = find(name, top_k, options)
        [found] = values(score, target, preds, torch.zeros(len(preds), dtype=torch.long))
        if name == "RetrievalFallOut" and not (1 - target).sum():
            found = 0.0  # of the function; the class never asks it
        return torch.tensor(found, dtype=torch.float32)

    return value


def mean_of_queries(metric: Any) -> Any:
    """Return the mean over the queries, or the other aggregate, as `RetrievalMetric.compute`."""
    from torchmetrics.retrieval.base import _retrieval_aggregate
    from torchmetrics.utilities.data import dim_zero_cat

    name = type(metric).__name__
    if metric.empty_target_action == "error" or name not in FUNCTION_OF_CLASS:
        raise LeftToThePeer
    preds, target = dim_zero_cat(metric.preds), dim_zero_cat(metric.target)
    options = {"empty_target_action": metric.empty_target_action}
    for option in ("adaptive_k", "max_fpr"):
        if hasattr(metric, option):
            options[option] = getattr(metric, option)
    score = find(name, getattr(metric, "top_k", getattr(metric, "k", None)), options)
    indexes = dim_zero_cat(metric.indexes)
    if metric.aggregation == "mean":
        return preds.new_tensor(mean(score, target, preds, indexes))
    of_queries = values(score, target, preds, indexes)
    of_queries = of_queries[~np.isnan(of_queries)]
    if not of_queries.size:
        return preds.new_tensor(0.0)
    return _retrieval_aggregate(preds.new_tensor(of_queries), metric.aggregation)


def find(name: str, top_k: int | None, options: dict[str, Any]) -> Any:
    """Return our score of a class with its options."""
    options = dict(options)
    if not isinstance(options.get("adaptive_k", False), bool):
        raise LeftToThePeer
    if options.pop("max_fpr", None) is not None:
        raise LeftToThePeer("part of the area, max_fpr")
    cutoff = {} if top_k is None else {"k": top_k}
    return like("torchmetrics", name, **cutoff, **options)


def values(score: Any, target: Any, preds: Any, indexes: Any) -> Any:
    """Return the value of each query, and NaN of those that are left out."""
    return _call(score, target, preds, indexes, average=None)


def mean(score: Any, target: Any, preds: Any, indexes: Any) -> Any:
    """Return the mean over the queries that count."""
    return _call(score, target, preds, indexes)


def _call(score: Any, target: Any, preds: Any, indexes: Any, **options: Any) -> Any:
    arrays = target.cpu().numpy(), preds.cpu().numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return score(*arrays, qid=indexes.cpu().numpy(), **options)


def is_cutoff(top_k: Any) -> bool:
    """Return whether torchmetrics takes a cutoff."""
    return top_k is None or (isinstance(top_k, int) and top_k > 0)


def curve(*_: Any, **__: Any) -> Any:
    """Leave curves to torchmetrics."""
    raise LeftToThePeer("precision and recall at all cutoffs")


REPLACED = {
    **{
        f"torchmetrics.functional.retrieval.{function}": of_one_query(name)
        for name, function in FUNCTION_OF_CLASS.items()
    },
    "torchmetrics.retrieval.base.RetrievalMetric.compute": mean_of_queries,
    "torchmetrics.retrieval.RetrievalFallOut.compute": mean_of_queries,
    "torchmetrics.functional.retrieval.retrieval_precision_recall_curve": curve,
    "torchmetrics.retrieval.RetrievalPrecisionRecallCurve.compute": curve,
    "torchmetrics.retrieval.RetrievalRecallAtFixedPrecision.compute": curve,
}
