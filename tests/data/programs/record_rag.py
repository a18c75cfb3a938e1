"""Ask the frameworks of retrieval-augmented generation, as far as they need no language model.

They take a list of documents, best first, and the relevant ones. Lists were given best first, the
earlier of equals first, and cut by us where a measure says so. All queries were given, with empty
lists where there is nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from asked import CUTOFFS, Answer, Case, Measure, Program, attempt, mean_and_each, one_by_one

Found = tuple[Any, dict[str, Any] | None]


def each_query(score: Callable[[Case, str], Any]) -> Measure:
    """Return a measure of a program that scores one query at a time, and has no mean."""

    def measure(case: Case) -> Answer:
        each = {query: attempt(lambda q=query: score(case, q)) for query in case.queries}
        return Answer(None, each)

    return measure


def cut(case: Case, query: str, k: int | None) -> list[str]:
    """Return the first documents of a list."""
    return case.best_first(query)[:k]


def llama_index() -> dict[str, Measure]:
    """The metrics of llama_index.core.evaluation.retrieval."""
    from llama_index.core.evaluation.retrieval import metrics

    def make(name: str, k: int | None, **options: Any) -> Measure:
        def score(case: Case, query: str) -> Any:
            metric = getattr(metrics, name)(**options)
            return metric.compute(
                expected_ids=case.relevant(query), retrieved_ids=cut(case, query, k)
            ).score

        return each_query(score)

    measures = {}
    for k in (*CUTOFFS, None):
        text = f"list cut at {k}" if k else "whole list"
        for name in ("NDCG", "AveragePrecision", "MRR", "HitRate", "Precision", "Recall"):
            measures[f"{name}, {text}"] = make(name, k)
    measures["NDCG(mode='exponential'), list cut at 5"] = make("NDCG", 5, mode="exponential")
    measures["MRR(use_granular_mrr=True), list cut at 5"] = make("MRR", 5, use_granular_mrr=True)
    measures["HitRate(use_granular_hit_rate=True), list cut at 5"] = make(
        "HitRate", 5, use_granular_hit_rate=True
    )
    return measures


def haystack() -> dict[str, Measure]:
    """The evaluators of documents."""
    from haystack import Document
    from haystack.components import evaluators

    def make(name: str, k: int | None, graded: bool = False, **options: Any) -> Measure:
        def ask(case: Case) -> Found:
            true, found = [], []
            for query in case.queries:
                grades = case.qrels.get(query, {})
                true.append(
                    [
                        Document(content=doc, score=float(grades[doc]) if graded else None)
                        for doc in case.relevant(query)
                    ]
                )
                found.append([Document(content=doc) for doc in cut(case, query, k)])
            evaluator = getattr(evaluators, f"Document{name}Evaluator")(**options)
            answer = evaluator.run(ground_truth_documents=true, retrieved_documents=found)
            each = dict(zip(case.queries, answer["individual_scores"], strict=True))
            return answer["score"], each

        return mean_and_each(ask)

    measures = {}
    for k in (*CUTOFFS, None):
        text = f"list cut at {k}" if k else "whole list"
        for name in ("NDCG", "MAP", "MRR", "Recall"):
            measures[f"Document{name}Evaluator, {text}"] = make(name, k)
        measures[f"DocumentNDCGEvaluator, grades, {text}"] = make("NDCG", k, graded=True)
        measures[f"DocumentRecallEvaluator(mode='multi_hit'), {text}"] = make(
            "Recall", k, mode="multi_hit"
        )
    return measures


def trulens() -> dict[str, Measure]:
    """GroundTruthAgreement, with a provider that is not asked."""
    from trulens.feedback import GroundTruthAgreement
    from trulens.feedback.dummy.provider import DummyProvider

    def make(
        name: str, scored: bool, graded: bool = False, golden: bool = False, **options: Any
    ) -> Measure:
        def score(case: Case, query: str) -> Any:
            grades = case.qrels.get(query, {})
            chunks = [
                {"text": doc, "expect_score": grades[doc] if graded else 1}
                for doc in (grades if golden else case.relevant(query))
            ]
            truth = [{"query": query, "expected_chunks": chunks}]
            agreement = GroundTruthAgreement(truth, provider=DummyProvider())
            docs = case.best_first(query)
            given = dict(options)
            if scored:
                docs = [doc for doc, _ in case.run.get(query, [])]
                given["relevance_scores"] = [value for _, value in case.run.get(query, [])]
            return getattr(agreement, name)(query, docs, **given)

        return each_query(score)

    measures = {}
    for scored in (False, True):
        text = ", relevance_scores" if scored else ""
        measures[f"mrr{text}"] = make("mrr", scored)
        for k in (*CUTOFFS, None):
            measures[f"ndcg_at_k, k={k}{text}"] = make("ndcg_at_k", scored, k=k)
            measures[f"ndcg_at_k, k={k}{text}, grades"] = make("ndcg_at_k", scored, True, k=k)
            measures[f"precision_at_k, k={k}{text}"] = make("precision_at_k", scored, k=k)
            measures[f"recall_at_k, k={k}{text}"] = make("recall_at_k", scored, k=k)
            if not scored:
                measures[f"ir_hit_rate, k={k}"] = make("ir_hit_rate", scored, k=k)
    for name in ("ndcg_at_k", "precision_at_k", "recall_at_k", "ir_hit_rate"):
        for k in (3, None):
            text = f"{name}, k={k}, all judged chunks are golden"
            measures[text] = make(name, False, True, golden=True, k=k)
    measures["mrr, all judged chunks are golden"] = make("mrr", False, True, golden=True)
    return measures


def mlflow() -> dict[str, Measure]:
    """The metrics of retrievers."""
    import pandas as pd
    from mlflow import metrics

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Found:
            found = pd.Series([case.best_first(query) for query in case.queries])
            true = pd.Series([case.relevant(query) for query in case.queries])
            answer = getattr(metrics, name)(k).eval_fn(found, true)
            each = dict(zip(case.queries, answer.scores, strict=True))
            return answer.aggregate_results["mean"], each

        return mean_and_each(ask)

    names = ("ndcg_at_k", "precision_at_k", "recall_at_k")
    return {f"{name}({k})": make(name, k) for name in names for k in CUTOFFS}


def azure() -> dict[str, Measure]:
    """DocumentRetrievalEvaluator, of which the cutoff is fixed."""
    from azure.ai.evaluation import DocumentRetrievalEvaluator

    def make(key: str, greatest: int) -> Measure:
        def score(case: Case, query: str) -> Any:
            evaluator = DocumentRetrievalEvaluator(ground_truth_label_max=greatest)
            truth = [
                {"document_id": doc, "query_relevance_label": grade}
                for doc, grade in case.qrels.get(query, {}).items()
            ]
            found = [
                {"document_id": doc, "relevance_score": value}
                for doc, value in case.run.get(query, [])
            ]
            answer = evaluator(retrieval_ground_truth=truth, retrieved_documents=found)
            return answer.get(key, answer.get("document_retrieval_properties", {}).get(key))

        return each_query(score)

    keys = ["ndcg@3", "xdcg@3", "fidelity", "top1_relevance", "top3_max_relevance", "holes"]
    keys += ["holes_ratio", "total_retrieved_documents", "total_ground_truth_documents"]
    measures = {key: make(key, 4) for key in keys}
    for key in ("ndcg@3", "xdcg@3", "fidelity"):
        measures[f"{key}, ground_truth_label_max=3"] = make(key, 3)
    return measures


def ragas() -> dict[str, Measure]:
    """The two metrics of identifiers."""
    from ragas import SingleTurnSample
    from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall

    def make(metric: Any, k: int | None) -> Measure:
        def score(case: Case, query: str) -> Any:
            sample = SingleTurnSample(
                retrieved_context_ids=cut(case, query, k),
                reference_context_ids=case.relevant(query),
            )
            return asyncio.run(metric.single_turn_ascore(sample))

        return each_query(score)

    measures = {}
    for k in (3, 5, None):
        text = f"list cut at {k}" if k else "whole list"
        measures[f"IDBasedContextPrecision, {text}"] = make(IDBasedContextPrecision(), k)
        measures[f"IDBasedContextRecall, {text}"] = make(IDBasedContextRecall(), k)
    return measures


def vespa() -> dict[str, Measure]:
    """VespaEvaluator of an application that answers with the predicted documents."""
    from types import SimpleNamespace

    from vespa.evaluation import VespaEvaluator

    def make(key: str, graded: bool) -> Measure:
        def ask(case: Case) -> Any:
            def hits(query: str) -> list[dict[str, Any]]:
                row = sorted(case.run.get(query, []), key=lambda pair: -pair[1])
                return [
                    {"id": doc, "relevance": score, "fields": {"id": doc}} for doc, score in row
                ]

            def query_many(bodies: list[dict[str, Any]], **options: Any) -> list[Any]:
                found = [hits(body["yql"]) for body in bodies]
                return [SimpleNamespace(hits=row, status_code=200, get_json=dict) for row in found]

            true: Any = {query: set(case.relevant(query)) for query in case.qrels}
            if graded:
                true = {q: {d: g / 4 for d, g in row.items()} for q, row in case.qrels.items()}
            evaluator = VespaEvaluator(
                queries={query: query for query in case.qrels},
                relevant_docs=true,
                vespa_query_fn=lambda text, k: {"yql": text, "hits": k},
                app=SimpleNamespace(query_many=query_many),
                accuracy_at_k=CUTOFFS,
                precision_recall_at_k=CUTOFFS,
                mrr_at_k=CUTOFFS,
                ndcg_at_k=CUTOFFS,
                map_at_k=CUTOFFS,
                id_field="id",
            )
            return evaluator.run()[key]

        return one_by_one(ask)

    names = ("ndcg", "map", "mrr", "precision", "recall", "accuracy")
    measures = {f"{name}@{k}": make(f"{name}@{k}", False) for name in names for k in CUTOFFS}
    return measures | {f"ndcg@{k}, grades divided by 4": make(f"ndcg@{k}", True) for k in CUTOFFS}


def unitxt() -> dict[str, Measure]:
    """MRR, MAP and RetrievalAtK of one instance."""
    from unitxt import metrics

    def make(metric: Any, key: str) -> Measure:
        def score(case: Case, query: str) -> Any:
            return metric.compute([case.relevant(query)], case.best_first(query), {})[key]

        return each_query(score)

    measures = {"mrr": make(metrics.MRR(), "mrr"), "map": make(metrics.MAP(), "map")}
    at = metrics.RetrievalAtK(k_list=CUTOFFS)
    for name in ("precision", "recall", "match"):
        for k in CUTOFFS:
            measures[f"{name}_at_{k}"] = make(at, f"{name}_at_{k}")
    return measures


LISTS = "Lists were given best first, the earlier of equals first. "
PROGRAMS = [
    Program(
        "llama-index-core",
        "llama-index-core",
        "llama_index",
        llama_index,
        "https://github.com/run-llama/llama_index/blob/main/llama-index-core/llama_index/core/"
        "evaluation/retrieval/metrics.py",
        LISTS + "One query at a time; empty lists and queries without relevant documents are a "
        "ValueError. Grades are not read.",
        lists=True,
    ),
    Program(
        "haystack-ai",
        "haystack-ai",
        "haystack",
        haystack,
        "https://github.com/deepset-ai/haystack/tree/main/haystack/components/evaluators",
        LISTS + "The mean runs over all queries that are given. Only DocumentNDCGEvaluator reads "
        "grades, if the relevant documents have scores.",
        lists=True,
    ),
    Program(
        "trulens",
        "trulens-feedback",
        "trulens",
        trulens,
        "https://github.com/truera/trulens/blob/main/src/feedback/trulens/feedback/groundtruth.py",
        LISTS + "With relevance_scores they were given in the order of the run. One query at a "
        "time. Grades are read by ndcg_at_k.",
        lists=True,
    ),
    Program(
        "mlflow",
        "mlflow",
        "mlflow",
        mlflow,
        "https://github.com/mlflow/mlflow/blob/master/mlflow/metrics/metric_definitions.py",
        LISTS + "The mean runs over all queries that are given. Grades are not read.",
        lists=True,
    ),
    Program(
        "azure-ai-evaluation",
        "azure-ai-evaluation",
        "azure",
        azure,
        "https://github.com/Azure/azure-sdk-for-python/blob/main/sdk/evaluation/"
        "azure-ai-evaluation/azure/ai/evaluation/_evaluators/_document_retrieval/"
        "_document_retrieval.py",
        "DocumentRetrievalEvaluator, with a fixed cutoff of 3 and labels from 0 to 4 by default. "
        "One query at a time. Equal scores stay in the order of the run.",
    ),
    Program(
        "ragas",
        "ragas",
        "ragas",
        ragas,
        "https://github.com/explodinggradients/ragas/tree/main/src/ragas/metrics",
        LISTS + "Sets of documents, one query at a time: the order is not read.",
        lists=True,
    ),
    Program(
        "pyvespa",
        "pyvespa",
        "vespa",
        vespa,
        "https://github.com/vespa-engine/pyvespa/blob/master/vespa/evaluation.py",
        "VespaEvaluator of an application of ours that answers with the predicted documents, best "
        "first, the earlier of equals first. Judged queries were given.",
        lists=True,
    ),
    Program(
        "unitxt",
        "unitxt",
        "unitxt",
        unitxt,
        "https://github.com/IBM/unitxt/blob/main/src/unitxt/metrics.py",
        LISTS + "One query at a time. Grades are not read.",
        lists=True,
    ),
]
