"""Ask the libraries of tensors: those of PyTorch, JAX, TensorFlow and Keras.

They are given the documents that were predicted, those not judged with label 0. So relevant
documents that were not predicted are in no ideal, and queries without predictions are not asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asked import CUTOFFS, Case, Measure, Program, mean_and_each, one_by_one

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
        "the others. RetrievalMAP and RetrievalMRR take documents with scores of 0 or less as "
        "not relevant.",
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
]
