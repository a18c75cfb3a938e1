"""Ask the libraries of tensors: those of PyTorch, JAX, TensorFlow and Keras.

They are given the documents that were predicted, those not judged with label 0. So relevant
documents that were not predicted are in no ideal, and queries without predictions are not asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asked import CUTOFFS, Case, Measure, Program, attempt, mean_and_each, one_by_one

Found = tuple[Any, dict[str, Any] | None]


def labels_and_scores(case: Case, query: str) -> tuple[list[int], list[float]]:
    """Return the row of a query."""
    return case.grades(query), [score for _, score in case.run[query]]


def of_zero_and_one(labels: list[int]) -> list[int]:
    """Return labels without grades."""
    return [int(label > 0) for label in labels]


def torchmetrics() -> dict[str, Measure]:
    """Flat tensors with indexes; all but NDCG refuse grades, and get 0 and 1."""
    import torch
    from torchmetrics import retrieval

    def make(name: str, **options: Any) -> Measure:
        def ask(case: Case) -> Any:
            labels, scores, indexes = [], [], []
            for place, query in enumerate(case.run):
                row, values = labels_and_scores(case, query)
                labels += row if name == "NormalizedDCG" else of_zero_and_one(row)
                scores += values
                indexes += [place] * len(row)
            metric = getattr(retrieval, f"Retrieval{name}")(**options)
            preds = torch.tensor(scores, dtype=torch.float64)
            metric.update(preds, torch.tensor(labels), indexes=torch.tensor(indexes))
            return metric.compute()

        return one_by_one(ask, of_run=True)

    names = ["NormalizedDCG", "MAP", "MRR", "Precision", "Recall", "HitRate", "FallOut", "AUROC"]
    measures = {}
    for name in names:
        for k in (*CUTOFFS, None):
            measures[f"Retrieval{name}, top_k={k}"] = make(name, top_k=k)
        for action in ("neg", "pos", "skip", "error"):
            text = f"Retrieval{name}, empty_target_action='{action}'"
            measures[text] = make(name, empty_target_action=action)
    for k in CUTOFFS:
        text = f"RetrievalPrecision, top_k={k}, adaptive_k=True"
        measures[text] = make("Precision", top_k=k, adaptive_k=True)
    measures["RetrievalRPrecision"] = make("RPrecision")
    return measures


def ignite() -> dict[str, Measure]:
    """One query in each update, as the lists differ in length."""
    import torch
    from ignite.metrics import rec_sys

    def make(name: str, k: int, **options: Any) -> Measure:
        def ask(case: Case) -> Any:
            metric = getattr(rec_sys, name)(top_k=[k], **options)
            for query in case.run:
                labels, scores = labels_and_scores(case, query)
                row = torch.tensor([scores], dtype=torch.float64)
                metric.update((row, torch.tensor([labels], dtype=torch.float64)))
            return metric.compute()[0]

        return one_by_one(ask, of_run=True)

    measures = {}
    for k in CUTOFFS:
        for gain in ("exp_rank", "linear_rank"):
            for ignore in (True, False):
                text = f"NDCG, top_k={k}, gain_function='{gain}', ignore_zero_hits={ignore}"
                options = {"gain_function": gain, "ignore_zero_hits": ignore}
                measures[text] = make("NDCG", k, **options)
        measures[f"NDCG, top_k={k}, relevance_threshold=2.0"] = make(
            "NDCG", k, relevance_threshold=2.0
        )
        for ignore in (True, False):
            text = f"HitRate, top_k={k}, ignore_zero_hits={ignore}"
            measures[text] = make("HitRate", k, ignore_zero_hits=ignore)
    return measures


def torcheval() -> dict[str, Measure]:
    """Functions of one query, a class of many, and two of one relevant document per query."""
    import torch
    from torcheval.metrics import RetrievalPrecision, functional

    def each(score: Callable[[Any, Any], Any], mean: bool) -> Measure:
        def ask(case: Case) -> Found:
            values = {}
            for query in case.run:
                labels, scores = labels_and_scores(case, query)
                values[query] = score(torch.tensor(scores), torch.tensor(of_zero_and_one(labels)))
            return (sum(values.values()) / len(values) if mean else None), values

        return mean_and_each(ask)

    def of_class(k: int, **options: Any) -> Measure:
        def ask(case: Case) -> Any:
            metric = RetrievalPrecision(k=k, num_queries=len(case.run), avg="macro", **options)
            labels, scores, indexes = [], [], []
            for place, query in enumerate(case.run):
                row, values = labels_and_scores(case, query)
                labels += of_zero_and_one(row)
                scores += values
                indexes += [place] * len(row)
            metric.update(torch.tensor(scores), torch.tensor(labels), torch.tensor(indexes))
            return metric.compute()

        return one_by_one(ask, of_run=True)

    def single(name: str, k: int | None) -> Measure:
        def score(scores: Any, labels: Any) -> Any:
            return getattr(functional, name)(scores[None], labels.argmax()[None], k=k)[0]

        return each(score, False)

    measures = {}
    for k in (*CUTOFFS, None):
        for limit in (False, True):
            text = f"retrieval_precision, k={k}, limit_k_to_size={limit}"
            options = {"k": k, "limit_k_to_size": limit}
            measures[text] = each(
                lambda s, y, options=options: functional.retrieval_precision(s, y, **options),
                False,
            )
        for name in ("reciprocal_rank", "hit_rate"):
            measures[f"{name}, k={k}, of the first relevant document"] = single(name, k)
    for k in CUTOFFS:
        for action in ("neg", "pos", "skip"):
            text = f"RetrievalPrecision, k={k}, empty_target_action='{action}', avg='macro'"
            measures[text] = of_class(k, empty_target_action=action, limit_k_to_size=False)
    return measures


def polars_ds() -> dict[str, Measure]:
    """query_ndcg_score of a column, one query at a time."""
    import polars as pl
    import polars_ds

    def make(k: int | None, ignore_ties: bool) -> Measure:
        def ask(case: Case) -> Found:
            values = {}
            for query in case.run:
                labels, scores = labels_and_scores(case, query)
                frame = pl.DataFrame({"y": [float(label) for label in labels], "s": scores})
                values[query] = attempt(
                    lambda frame=frame: frame.select(
                        polars_ds.query_ndcg_score("y", "s", k=k, ignore_ties=ignore_ties)
                    ).item()
                )
            return None, values

        return mean_and_each(ask)

    return {
        f"query_ndcg_score, k={k}, ignore_ties={ignore}": make(k, ignore)
        for k in (*CUTOFFS, None)
        for ignore in (False, True)
    }


def ranking_metrics_torch() -> dict[str, Measure]:
    """Its functions, of one query at a time, which have no mean."""
    import torch
    from ranking_metrics_torch import avg_precision, cumulative_gain, precision_recall

    def make(function: Any, k: int, graded: bool) -> Measure:
        def ask(case: Case) -> Found:
            values = {}
            for query in case.run:
                labels, scores = labels_and_scores(case, query)
                row = torch.tensor([labels if graded else of_zero_and_one(labels)]).double()
                given = torch.tensor([k]), torch.tensor([scores], dtype=torch.float64), row
                values[query] = attempt(lambda given=given: float(function(*given)[0, 0]))
            return None, values

        return mean_and_each(ask)

    measures = {}
    for k in CUTOFFS:
        measures[f"ndcg_at, ks=[{k}]"] = make(cumulative_gain.ndcg_at, k, True)
        measures[f"dcg_at, ks=[{k}]"] = make(cumulative_gain.dcg_at, k, True)
        measures[f"avg_precision_at, ks=[{k}]"] = make(avg_precision.avg_precision_at, k, False)
        measures[f"precision_at, ks=[{k}]"] = make(precision_recall.precision_at, k, False)
        measures[f"recall_at, ks=[{k}]"] = make(precision_recall.recall_at, k, False)
    return measures


PREDICTED = "Asked of the predicted documents alone, those not judged with label 0. "
PROGRAMS = [
    Program(
        "torchmetrics",
        "torchmetrics",
        "torchmetrics",
        torchmetrics,
        "https://github.com/Lightning-AI/torchmetrics/tree/master/src/torchmetrics/retrieval",
        PREDICTED + "Grades were given to RetrievalNormalizedDCG, and 0 and 1 to the others, "
        "which refuse grades. Works in float32. Equal scores: averaged by "
        "RetrievalNormalizedDCG, in the order of torch.topk or argsort, which is not defined, by "
        "the others, and depends on the other queries of a call. RetrievalMAP, RetrievalMRR, "
        "RetrievalPrecision and RetrievalRecall take documents with scores of 0 or less as not "
        "relevant. With skip, a query without relevant documents counts 0 if it is alone.",
    ),
    Program(
        "pytorch-ignite",
        "pytorch-ignite",
        "ignite",
        ignite,
        "https://github.com/pytorch/ignite/tree/master/ignite/metrics/rec_sys",
        PREDICTED + "Labels below relevance_threshold, by default 1, count 0.",
    ),
    Program(
        "torcheval",
        "torcheval",
        "torcheval",
        torcheval,
        "https://github.com/pytorch/torcheval/tree/main/torcheval/metrics",
        PREDICTED + "Labels 0 and 1, scores in float32. reciprocal_rank and hit_rate take one "
        "relevant document per query: the first of the list, or its first document if none is. "
        "Only the class RetrievalPrecision has a mean.",
    ),
    Program(
        "polars_ds",
        "polars_ds",
        "polars_ds",
        polars_ds,
        "https://github.com/abstractqqq/polars_ds_extension/blob/main/python/polars_ds/exprs/"
        "metrics.py",
        PREDICTED + "One query at a time.",
    ),
    Program(
        "ranking-metrics-torch",
        "ranking-metrics-torch",
        "ranking_metrics_torch",
        ranking_metrics_torch,
        "https://github.com/karlhigley/ranking-metrics-torch",
        PREDICTED + "Grades were given to ndcg_at and dcg_at, and 0 and 1 to the others. One "
        "query at a time. Equal scores are in the order of torch.topk, which is not defined.",
    ),
]
