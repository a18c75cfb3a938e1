"""Ask the evaluators of embedding models, which are given what a model found."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

from asked import CUTOFFS, Case, Measure, Program, mean_and_each, one_by_one

Found = tuple[Any, dict[str, Any] | None]


def beir() -> dict[str, Measure]:
    """EvaluateRetrieval, and its custom metrics."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    def make(place: int, key: str) -> Measure:
        def ask(case: Case) -> Any:
            return EvaluateRetrieval.evaluate(case.qrels, case.scores(), CUTOFFS)[place][key]

        return one_by_one(ask)

    def custom(name: str, key: str, judged: bool) -> Measure:
        def ask(case: Case) -> Any:
            run = {q: row for q, row in case.scores().items() if q in case.qrels or not judged}
            return EvaluateRetrieval.evaluate_custom(case.qrels, run, CUTOFFS, name)[key]

        return one_by_one(ask)

    measures = {}
    for place, name in enumerate(("NDCG", "MAP", "Recall", "P")):
        for k in CUTOFFS:
            measures[f"{name}@{k}"] = make(place, f"{name}@{k}")
    for name, key in (("mrr", "MRR"), ("recall_cap", "R_cap"), ("top_k_accuracy", "Accuracy")):
        for k in CUTOFFS:
            measures[f"{key}@{k}, judged queries"] = custom(name, f"{key}@{k}", True)
        measures[f"{key}@5"] = custom(name, f"{key}@5", False)
    measures["Hole@5"] = custom("hole", "Hole@5", False)
    return measures


def mteb() -> dict[str, Measure]:
    """calculate_retrieval_scores, whose means are rounded."""
    from mteb._evaluators import retrieval_metrics

    def make(part: str, key: str, judged: bool = False) -> Measure:
        def ask(case: Case) -> Any:
            run = {q: row for q, row in case.scores().items() if q in case.qrels or not judged}
            found = retrieval_metrics.calculate_retrieval_scores(run, case.qrels, CUTOFFS)
            return getattr(found, part)[key]

        return one_by_one(ask)

    parts = {"ndcg": "NDCG", "map": "MAP", "recall": "Recall", "precision": "P", "mrr": "MRR"}
    parts["hit_rate"] = "hit_rate"
    measures = {}
    for part, name in parts.items():
        for k in CUTOFFS:
            key = f"HitRate@{k}" if part == "hit_rate" else f"{name}@{k}"
            measures[f"{key}, judged queries"] = make(part, key, True)
        measures[f"{key.replace('@10', '@5')}"] = make(part, key.replace("@10", "@5"))

    def accuracy(case: Case) -> Any:
        run = {q: row for q, row in case.scores().items() if q in case.qrels}
        found = retrieval_metrics.calculate_retrieval_scores(run, case.qrels, CUTOFFS)
        names = ("ndcg", "recall", "precision", "mrr", "naucs", "naucs_mrr", "hit_rate")
        parts = {name: getattr(found, name) for name in names}
        return retrieval_metrics.make_score_dict(_map=found.map, **parts, task_scores={})[
            "accuracy"
        ]

    measures["accuracy, judged queries"] = one_by_one(accuracy)
    for name, key in (("recall_cap", "R_cap_at_"), ("top_k_accuracy", "Accuracy@")):
        function: Callable[..., Any] = getattr(retrieval_metrics, name)
        for k in CUTOFFS:

            def ask(case: Case, function: Any = function, key: str = f"{key}{k}") -> Found:
                run = {q: row for q, row in case.scores().items() if q in case.qrels}
                found = function(case.qrels, run, CUTOFFS)[key]
                each = {}
                for query in run:
                    (each[query],) = function(case.qrels, {query: run[query]}, CUTOFFS)[key] or [0]
                return (sum(found) / len(found) if None not in found else None), each

            measures[f"{key}{k}"] = mean_and_each(ask)
    return measures


def sentence_transformers() -> dict[str, Measure]:
    """InformationRetrievalEvaluator.compute_metrics."""
    try:
        from sentence_transformers.sentence_transformer.evaluation import (
            InformationRetrievalEvaluator,
        )
    except ImportError:
        from sentence_transformers.evaluation import InformationRetrievalEvaluator

    names = ("accuracy", "precision_recall", "mrr", "ndcg", "map")
    cutoffs = {f"{name}_at_k": CUTOFFS for name in names}

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Any:
            evaluator = InformationRetrievalEvaluator(
                {query: query for query in case.queries},
                dict.fromkeys(case.numbers(), ""),
                {query: set(case.relevant(query)) for query in case.qrels},
                **cutoffs,
            )
            found = [
                [{"corpus_id": doc, "score": score} for doc, score in case.run.get(query, [])]
                for query in evaluator.queries_ids
            ]
            return evaluator.compute_metrics(found)[f"{name}@k"][k]

        return one_by_one(ask)

    names = ("ndcg", "map", "mrr", "precision", "recall", "accuracy")
    return {f"{name}@{k}": make(name, k) for name in names for k in CUTOFFS}


def rcp_ndcg() -> dict[str, Measure]:
    """score_query by each protocol, of a pool in the order of the run, and the mean of mteb."""
    from rcp_ndcg.eval.mteb import ndcg_float_scores
    from rcp_ndcg_core.protocol import PROTOCOLS, aggregate, score_query

    def make(metric: str, protocol: str, k: int) -> Measure:
        def ask(case: Case) -> Found:
            values = {}
            for query in case.queries:
                scores, judged = case.scores().get(query, {}), case.qrels.get(query, {})
                pool = [*(doc for doc in scores if doc in judged), *(judged.keys() - scores)]
                given = {"protocol": protocol, "k": k, "metric": metric, "candidates": pool}
                values[query] = score_query(scores, judged, **given)
            return aggregate({"": values}), values

        return mean_and_each(ask)

    def of_mteb(k: int) -> Measure:
        def ask(case: Case) -> Any:
            gains = {query: case.qrels.get(query, {}) for query in case.run}
            return ndcg_float_scores(gains, case.scores(), [k])[f"ndcg_float_at_{k}"]

        return one_by_one(ask, of_run=True)

    measures = {
        f"{metric}, protocol={protocol}, k={k}": make(metric, protocol, k)
        for metric in ("rcp_ndcg", "qrel_ndcg")
        for protocol in PROTOCOLS
        for k in (3, 10)
    }
    return measures | {f"ndcg_float_at_{k}": of_mteb(k) for k in CUTOFFS}


def reranking_evaluator() -> dict[str, Measure]:
    """compute_metrics_batched, of embeddings that are the scores."""
    import torch
    from sentence_transformers.sentence_transformer.evaluation import RerankingEvaluator

    def evaluate(samples: list[Any], scores: dict[tuple[str, str], float], k: int) -> Any:
        class WithScores(RerankingEvaluator):
            def embed_inputs(self, model: Any, sentences: Any, **options: Any) -> Any:
                docs = [
                    (each["query"], doc)
                    for each in self.samples
                    for doc in (*each["positive"], *each["negative"])
                ]
                is_query = options["encode_fn_name"] == "query"
                given = [0.0] * len(sentences) if is_query else [scores[pair] for pair in docs]
                return torch.tensor(given)[:, None]

        evaluator = WithScores(samples, at_k=k, similarity_fct=lambda query, docs: docs[:, 0])
        return evaluator.compute_metrics_batched(None)

    return in_groups(evaluate)


def cross_encoder() -> dict[str, Measure]:
    """The call of CrossEncoderRerankingEvaluator, of a model that predicts the scores."""
    import numpy as np
    from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator

    def evaluate(samples: list[Any], scores: dict[tuple[str, str], float], k: int) -> Any:
        def predict(pairs: Any, **options: Any) -> Any:
            return np.array([scores[query, doc] for query, doc in pairs])

        evaluator = CrossEncoderRerankingEvaluator(samples, at_k=k, write_csv=False)
        found = evaluator(SimpleNamespace(predict=predict, model_card_data=MagicMock()))
        return {name.partition("@")[0]: value for name, value in found.items()}

    return in_groups(evaluate)


def in_groups(evaluate: Callable[..., Any]) -> dict[str, Measure]:
    """Return measures of the predicted documents, first those that are relevant."""

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Any:
            samples, scores = [], {}
            for query, row in case.run.items():
                scores |= {(query, doc): score for doc, score in row}
                docs = [doc for doc, _ in row]
                positive = [doc for doc in docs if doc in case.relevant(query)]
                negative = [doc for doc in docs if doc not in positive]
                samples.append({"query": query, "positive": positive, "negative": negative})
            return evaluate(samples, scores, k)[name]

        return one_by_one(ask, of_run=True)

    measures = {f"{name}@{k}": make(name, k) for name in ("mrr", "ndcg") for k in CUTOFFS}
    return {**measures, "map": make("map", 10)}


PROGRAMS = [
    Program(
        "BEIR",
        "beir",
        "beir",
        beir,
        "https://github.com/beir-cellar/beir/blob/main/beir/retrieval/evaluation.py",
        "NDCG, MAP, Recall and P are by pytrec_eval. The others sort by score alone, and equal "
        "scores stay in the order of the run. All means are rounded to five digits. Judged "
        "queries: the others were taken from the run, as they are a KeyError.",
    ),
    Program(
        "mteb",
        "mteb",
        "mteb",
        mteb,
        "https://github.com/embeddings-benchmark/mteb/blob/main/mteb/_evaluators/"
        "retrieval_metrics.py",
        "NDCG, MAP, Recall, P and HitRate are by pytrec_eval, and rounded to five digits. The "
        "others sort by score and then by document id, the greatest first. Judged queries: the "
        "others were taken from the run, as they are a KeyError. recall_cap and top_k_accuracy "
        "return lists, of which the mean is ours.",
    ),
    Program(
        "sentence-transformers",
        "sentence-transformers",
        "sentence_transformers",
        sentence_transformers,
        "https://github.com/huggingface/sentence-transformers/blob/main/sentence_transformers/"
        "evaluation/InformationRetrievalEvaluator.py",
        "InformationRetrievalEvaluator. Equal scores: by document id as text, the least first. "
        "Queries without relevant documents are left out, and those without predictions count 0. "
        "Grades are not read.",
        lists=True,
    ),
    Program(
        "rcp-ndcg",
        "rcp-ndcg-core",
        "rcp_ndcg_core",
        rcp_ndcg,
        "https://github.com/cohere-ai/rcp-ndcg/tree/main/packages/rcp-ndcg-core",
        "The functions score_query and ndcg_float_scores of the source. The judged documents were "
        "the pool, those of the run first and in its order.",
        version="0.1.0, commit 7803a4e",
    ),
    Program(
        "RerankingEvaluator",
        "sentence-transformers",
        "sentence_transformers",
        reranking_evaluator,
        "https://github.com/huggingface/sentence-transformers/blob/main/sentence_transformers/"
        "sentence_transformer/evaluation/reranking.py",
        "It was given the predicted documents, first those that are relevant. Queries without a "
        "relevant or an irrelevant one are left out. mrr is by torch.argsort, ndcg and map are by "
        "scikit-learn.",
    ),
    Program(
        "CrossEncoderRerankingEvaluator",
        "sentence-transformers",
        "sentence_transformers",
        cross_encoder,
        "https://github.com/huggingface/sentence-transformers/blob/main/sentence_transformers/"
        "cross_encoder/evaluation/reranking.py",
        "It was given the predicted documents, first those that are relevant. Queries without a "
        "relevant one count 0. mrr is by numpy.argsort, reversed, ndcg and map are by "
        "scikit-learn.",
    ),
]
