"""Ask frameworks that need much else, by the modules of their metrics alone."""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any
from unittest.mock import MagicMock

from asked import CUTOFFS, Case, Measure, Program, mean_and_each, one_by_one
from record_rag import cut, each_query

Found = tuple[Any, dict[str, Any] | None]


def without_init(top: str, *names: str) -> None:
    """Let modules of a package be imported without what the packages above them import."""
    spec = importlib.util.find_spec(top)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    root = spec.submodule_search_locations[0]
    for name in ("", *names):
        module = types.ModuleType(f"{top}.{name}".rstrip("."))
        module.__path__ = [f"{root}/{name.replace('.', '/')}".rstrip("/")]
        sys.modules[module.__name__] = module


def autorag() -> dict[str, Measure]:
    """The functions of evaluation.metric.retrieval, with the two forms of the truth."""
    without_init("autorag", "schema", "utils", "evaluation", "evaluation.metric")
    from autorag.evaluation.metric import retrieval
    from autorag.schema.metricinput import MetricInput

    def make(name: str, k: int | None, groups: bool) -> Measure:
        def ask(case: Case) -> Found:
            inputs = []
            for query in case.queries:
                relevant = case.relevant(query)
                truth = [[doc] for doc in relevant] if groups else [relevant]
                given = MetricInput(retrieval_gt=truth, retrieved_ids=cut(case, query, k))
                inputs.append(given)
            values = getattr(retrieval, name)(inputs)
            return None, dict(zip(case.queries, values, strict=True))

        return mean_and_each(ask)

    measures = {}
    for k in (3, 5, None):
        text = f"list cut at {k}" if k else "whole list"
        for name in ("ndcg", "map", "mrr", "precision", "recall", "f1"):
            measures[f"retrieval_{name}, {text}, a group"] = make(f"retrieval_{name}", k, False)
            measures[f"retrieval_{name}, {text}, groups of one"] = make(
                f"retrieval_{name}", k, True
            )
    return measures


def phoenix() -> dict[str, Measure]:
    """RetrievalMetrics of the labels of a list."""
    without_init("phoenix", "metrics")
    from phoenix.metrics.retrieval_metrics import RetrievalMetrics

    def make(name: str, *k: int, graded: bool = False) -> Measure:
        def score(case: Case, query: str) -> Any:
            grades = case.qrels.get(query, {})
            labels = [grades.get(doc, 0) for doc in case.best_first(query)]
            if not graded:
                labels = [int(label > 0) for label in labels]
            return getattr(RetrievalMetrics(labels), name)(*k)

        return each_query(score)

    measures = {}
    for k in CUTOFFS:
        measures[f"ndcg({k})"] = make("ndcg", k)
        measures[f"ndcg({k}), grades"] = make("ndcg", k, graded=True)
        measures[f"precision({k})"] = make("precision", k)
    measures |= {f"{name}()": make(name) for name in ("ndcg", "precision")}
    return measures | {f"{name}()": make(name) for name in ("reciprocal_rank", "hit")}


def flag_embedding() -> dict[str, Measure]:
    """evaluate_metrics and evaluate_mrr."""
    sys.modules.setdefault("faiss", MagicMock())  # for searching, not for metrics
    without_init("FlagEmbedding", "abc", "abc.evaluation")
    from FlagEmbedding.abc.evaluation import utils

    def make(place: int, key: str) -> Measure:
        def ask(case: Case) -> Any:
            return utils.evaluate_metrics(case.qrels, case.scores(), CUTOFFS)[place][key]

        return one_by_one(ask)

    def custom(name: str, key: str, judged: bool) -> Measure:
        def ask(case: Case) -> Any:
            run = {q: row for q, row in case.scores().items() if q in case.qrels or not judged}
            return getattr(utils, name)(case.qrels, run, CUTOFFS)[key]

        return one_by_one(ask)

    measures = {}
    for place, name in enumerate(("NDCG", "MAP", "Recall", "P")):
        for k in CUTOFFS:
            measures[f"{name}@{k}"] = make(place, f"{name}@{k}")
    for name, key in (("mrr", "MRR"), ("recall_cap", "R_cap")):
        for k in CUTOFFS:
            measures[f"{key}@{k}, judged queries"] = custom(f"evaluate_{name}", f"{key}@{k}", True)
        measures[f"{key}@5"] = custom(f"evaluate_{name}", f"{key}@5", False)
    return measures


LISTS = "Lists were given best first, the earlier of equals first. "
PROGRAMS = [
    Program(
        "AutoRAG",
        "AutoRAG",
        "autorag",
        autorag,
        "https://github.com/Marker-Inc-Korea/AutoRAG/blob/main/autorag/evaluation/metric/"
        "retrieval.py",
        LISTS + "All queries were given. The truth is a list of groups: a group is found if any "
        "of its documents is. The relevant documents were given as one group, and as groups of "
        "one. Null is what it returns if something is empty. It has no mean.",
        lists=True,
    ),
    Program(
        "arize-phoenix",
        "arize-phoenix",
        "phoenix",
        phoenix,
        "https://github.com/Arize-ai/phoenix/blob/main/src/phoenix/metrics/retrieval_metrics.py",
        LISTS + "It is given the labels of the listed documents, one query at a time.",
        lists=True,
    ),
    Program(
        "FlagEmbedding",
        "FlagEmbedding",
        "FlagEmbedding",
        flag_embedding,
        "https://github.com/FlagOpen/FlagEmbedding/blob/master/FlagEmbedding/abc/evaluation/"
        "utils.py",
        "NDCG, MAP, Recall and P are by pytrec_eval. The others sort by score alone, and equal "
        "scores stay in the order of the run. All means are rounded to five digits. Judged "
        "queries: the others were taken from the run, as they are a KeyError.",
    ),
]
