"""Ask the libraries of learning to rank, which take one query per row, padded.

They are given the documents that were predicted, in the order of the run, those not judged with
label 0. So relevant documents that were not predicted are in no ideal, and queries without
predictions are not asked.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable
from typing import Any

from asked import CUTOFFS, Answer, Case, Measure, Program, mean_and_each, one_by_one, several_draws

Found = tuple[Any, dict[str, Any] | None]
Rows = list[list[float]]


def padded(case: Case, padding: float = -1.0) -> tuple[Rows, Rows, list[list[bool]]]:
    """Return labels, scores and where there are documents, one query per row."""
    longest = max(map(len, case.run.values()))
    labels, scores, mask = [], [], []
    for query, row in case.run.items():
        fill = longest - len(row)
        labels.append([float(grade) for grade in case.grades(query)] + [padding] * fill)
        scores.append([score for _, score in row] + [0.0] * fill)
        mask.append([True] * len(row) + [False] * fill)
    return labels, scores, mask


def rax() -> dict[str, Measure]:
    """The metrics of rax, with the mean of its reduce_fn, and without for the queries."""
    import jax.numpy as jnp
    import rax

    def make(name: str, **options: Any) -> Measure:
        def ask(case: Case) -> Found:
            labels, scores, mask = (jnp.array(rows) for rows in padded(case))
            metric = getattr(rax, f"{name}_metric")
            mean = metric(scores, labels, where=mask, **options)
            values = metric(scores, labels, where=mask, reduce_fn=None, **options)
            return mean, dict(zip(case.run, values, strict=True))

        return mean_and_each(ask)

    measures = {}
    for k in (*CUTOFFS, None):
        for name in ("ndcg", "dcg", "mrr", "ap", "precision", "recall"):
            measures[f"{name}_metric, topn={k}"] = make(name, topn=k)
        measures[f"ndcg_metric, topn={k}, gain_fn=identity"] = make(
            "ndcg", topn=k, gain_fn=lambda label: label
        )
    measures["opa_metric"] = make("opa")
    return measures


def keras_rs() -> dict[str, Measure]:
    """The metrics of keras_rs on PyTorch; its default order of ties is random."""
    os.environ["KERAS_BACKEND"] = "torch"
    import keras_rs
    import numpy as np

    def value(case: Case, name: str, **options: Any) -> Any:
        labels, scores, mask = (np.array(rows) for rows in padded(case))
        if name not in ("NDCG", "DCG"):
            labels = np.minimum(labels, 1)
        metric = getattr(keras_rs.metrics, name)(**options)
        metric.update_state({"labels": labels, "mask": mask}, scores)
        return metric.result()

    def make(name: str, **options: Any) -> Measure:
        return one_by_one(lambda case: value(case, name, **options), of_run=True)

    def drawn(name: str, k: int) -> Measure:
        def ask(case: Case, seed: int) -> Found:
            each = {query: value(case.only(query), name, k=k, seed=seed) for query in case.run}
            return value(case, name, k=k, seed=seed), each

        return several_draws(ask)

    measures = {}
    names = ("NDCG", "DCG", "MeanReciprocalRank", "MeanAveragePrecision", "PrecisionAtK")
    for name in (*names, "RecallAtK"):
        for k in (*CUTOFFS, None):
            measures[f"{name}(k={k}, shuffle_ties=False)"] = make(name, k=k, shuffle_ties=False)
        measures[f"{name}(k=5)"] = drawn(name, 5)
    return measures


def tensorflow_ranking() -> dict[str, Measure]:
    """The Keras metrics of TensorFlow Ranking, whose order of ties is random."""
    import tensorflow as tf
    from tensorflow_ranking.python.keras import metrics

    def value(case: Case, name: str, **options: Any) -> Any:
        labels, scores, _ = padded(case)
        return getattr(metrics, name)(**options)(labels, scores).numpy()

    def drawn(name: str, seeds: int, **options: Any) -> Measure:
        def ask(case: Case, seed: int) -> Found:
            tf.random.set_seed(seed)
            mean = value(case, name, **options)
            return mean, {query: value(case.only(query), name, **options) for query in case.run}

        return several_draws(ask, range(seeds))

    names = ["NDCG", "DCG", "MRR", "MeanAveragePrecision", "Precision", "Recall", "Hits", "OPA"]
    names += ["ARP", "PrecisionIA", "AlphaDCG"]
    measures = {}
    for name in names[:7]:
        if hasattr(metrics, f"{name}Metric"):
            for k in (1, 3, 5, 10, None):
                seeds = 3 if k == 5 else 1
                measures[f"{name}Metric, topn={k}"] = drawn(f"{name}Metric", seeds, topn=k)
    for name in ("ARP", "OPA"):
        if hasattr(metrics, f"{name}Metric"):
            measures[f"{name}Metric"] = drawn(f"{name}Metric", 1)
    return measures


def pytorchltr() -> dict[str, Measure]:
    """The evaluation functions of pytorchltr, which have no mean of their own."""
    import torch
    from pytorchltr import evaluation

    def make(name: str, **options: Any) -> Measure:
        def ask(case: Case) -> Found:
            labels, scores, _ = padded(case, 0.0)
            n = torch.tensor([len(row) for row in case.run.values()])
            given = torch.tensor(scores), torch.tensor(labels).long(), n
            values = getattr(evaluation, name)(*given, **options)
            if options.get("k", 0) is None:  # a value of each rank: the last one
                values = values[torch.arange(len(n)), n - 1]
            return None, dict(zip(case.run, values, strict=True))

        def measure(case: Case) -> Answer:
            torch.manual_seed(0)
            return mean_and_each(ask)(case)

        return measure

    measures = {}
    for k in (*CUTOFFS, None):
        for exp in (True, False):
            measures[f"ndcg, k={k}, exp={exp}"] = make("ndcg", k=k, exp=exp)
            measures[f"dcg, k={k}, exp={exp}"] = make("dcg", k=k, exp=exp)
    return measures | {"arp": make("arp")}


def allrank() -> dict[str, Measure]:
    """The metrics of allRank, which return a value of each query."""
    import torch

    files = types.ModuleType("dataset_loading")  # it imports more than the metrics need
    vars(files)["PADDED_Y_VALUE"] = -1
    sys.modules.setdefault("allrank.data.dataset_loading", files)
    from allrank.models import metrics

    def make(name: str, k: int | None, **options: Any) -> Measure:
        def ask(case: Case) -> Found:
            labels, scores, _ = padded(case)
            ats = None if k is None else [k]
            values = getattr(metrics, name)(
                torch.tensor(scores), torch.tensor(labels), ats=ats, **options
            )
            return values.mean(), dict(zip(case.run, values[:, 0], strict=True))

        return mean_and_each(ask)

    linear: Callable[[Any], Any] = lambda label: label  # noqa: E731
    measures = {}
    for k in (*CUTOFFS, None):
        measures[f"ndcg, ats=[{k}]"] = make("ndcg", k)
        measures[f"ndcg, ats=[{k}], gain_function=identity"] = make(
            "ndcg", k, gain_function=linear
        )
        measures[f"ndcg, ats=[{k}], filler_value=0.0"] = make("ndcg", k, filler_value=0.0)
        measures[f"dcg, ats=[{k}]"] = make("dcg", k)
        measures[f"mrr, ats=[{k}]"] = make("mrr", k)
    return measures


def torchrec() -> dict[str, Measure]:
    """NDCGMetric and others of sessions, by their lifetime value."""
    import torch
    from torchrec.metrics.metrics_config import RecTaskInfo
    from torchrec.metrics.ndcg import NDCGMetric

    def make(k: int | None, exponential: bool, **options: Any) -> Measure:
        def ask(case: Case) -> Any:
            labels = [float(grade) for query in case.run for grade in case.grades(query)]
            scores = [score for row in case.run.values() for _, score in row]
            sizes = torch.tensor([len(row) for row in case.run.values()])
            session = torch.arange(len(sizes)).repeat_interleave(sizes)
            metric = NDCGMetric(
                1,
                0,
                len(labels),
                [RecTaskInfo("task", "label", "prediction", "weight")],
                window_size=10**6,
                exponential_gain=exponential,
                session_key="session",
                k=k,
                **{"report_ndcg_as_decreasing_curve": False, **options},
            )
            metric.update(
                predictions={"task": torch.tensor(scores, dtype=torch.float64)},
                labels={"task": torch.tensor(labels, dtype=torch.float64)},
                weights={"task": torch.ones(len(labels), dtype=torch.float64)},
                required_inputs={"session": session},
            )
            answers = metric.compute()
            return answers[next(name for name in answers if "lifetime" in name)]

        return one_by_one(ask, of_run=True)

    measures = {}
    for k in (1, 3, 5, 10, -1):
        for exponential in (False, True):
            text = f"NDCG, k={k}, exponential_gain={exponential}"
            measures[text] = make(k, exponential)
    measures["NDCG, k=5, remove_single_length_sessions=True"] = make(
        5, False, remove_single_length_sessions=True
    )
    measures["NDCG, k=5, report_ndcg_as_decreasing_curve=True"] = make(
        5, False, report_ndcg_as_decreasing_curve=True
    )
    return measures


PREDICTED = "Asked of the predicted documents alone, those not judged with label 0. "
PROGRAMS = [
    Program(
        "rax",
        "rax",
        "rax",
        rax,
        "https://github.com/google/rax/blob/main/rax/_src/metrics.py",
        PREDICTED + "Works in float32. Equal scores stay in the order of the run.",
    ),
    Program(
        "keras_rs",
        "keras-rs",
        "keras_rs",
        keras_rs,
        "https://github.com/keras-team/keras-rs/tree/main/keras_rs/src/metrics",
        PREDICTED + "On PyTorch, in float32. Labels of all but NDCG and DCG were 0 and 1. By "
        "default the order of equal scores is random, and four seeds are recorded. With "
        "shuffle_ties=False it subtracts 1e-6 times the position from each score.",
    ),
    Program(
        "tensorflow-ranking",
        "tensorflow-ranking",
        "tensorflow_ranking",
        tensorflow_ranking,
        "https://github.com/tensorflow/ranking/blob/master/tensorflow_ranking/python/"
        "metrics_impl.py",
        PREDICTED + "The order of equal scores is random, and up to three seeds are recorded. The "
        "mean runs over all queries, and those without relevant documents count 0.",
    ),
    Program(
        "pytorchltr",
        "pytorchltr",
        "pytorchltr",
        pytorchltr,
        "https://github.com/rjagerman/pytorchltr/tree/main/pytorchltr/evaluation",
        PREDICTED + "The order of equal scores is random; the seed was 0. There is no mean.",
        version="0.2.1",
    ),
    Program(
        "allRank",
        "allrank",
        "allrank",
        allrank,
        "https://github.com/allegro/allRank/blob/master/allrank/models/metrics.py",
        PREDICTED + "Works in float32. The mean is ours, of the values of all queries together. "
        "Run from the commit c884756 of its repository.",
        version="1.4.3",
    ),
    Program(
        "torchrec",
        "torchrec",
        "torchrec",
        torchrec,
        "https://github.com/pytorch/torchrec/blob/main/torchrec/metrics/ndcg.py",
        PREDICTED + "NDCGMetric of sessions, with report_ndcg_as_decreasing_curve=False, as by "
        "default it reports 1 - NDCG.",
    ),
]
