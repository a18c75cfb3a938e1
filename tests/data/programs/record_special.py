"""Record what programs answer to data that the cases do not have, in special.json.

The cases have whole labels of at least 0, ids that are text, and no empty lists. Here each entry
is a question of its own: a measure of a program, and the judgments and predictions that it was
given. Run it by hand, in the environments of record.py, as
``python tests/data/programs/record_special.py``. It asks the programs that it finds installed, and
keeps the answers of the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import import_module, metadata
from itertools import product
from typing import Any, NamedTuple

from asked import HERE, Case, plain

PATH = HERE / "special.json"
Dicts = dict[str, dict[str, Any]]


class Question(NamedTuple):
    """A measure of a program here, its options, what it was given, and how to ask it there."""

    about: str
    measure: str
    options: dict[str, Any]
    qrels: Dicts
    run: Dicts
    ask: Callable[[Dicts, Dicts], float]


FRACTIONS = {"q": {"a": 0.5, "b": 0, "c": 1.5, "d": 2, "e": 0, "f": 0.75}}
FALLING = {"q": dict(zip("abcdef", (6.0, 5.0, 4.0, 3.0, 2.0, 1.0), strict=True))}
NEGATIVE = {"q": {"a": -1, "b": 1, "c": 2}}
NOT_THE_BEST = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
WITH_EMPTY: tuple[Dicts, Dicts] = (
    {"p": {"a": 1}, "q": {"a": 1}},
    {"p": {"a": 1.0}, "q": {}},
)
WITHOUT_RELEVANT: tuple[Dicts, Dicts] = ({"q": {"a": 0, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}})
SELF: tuple[Dicts, Dicts] = (
    {"a": {"a": 1, "b": 1}, "q": {"x": 1}},
    {"a": {"a": 3.0, "c": 2.0, "b": 1.0}, "q": {"x": 1.0}},
)


def tensors(qrels: Dicts, run: Dicts) -> tuple[list[float], list[float]]:
    """Return the scores and the labels of the only query."""
    [[query, found]] = run.items()
    return [*found.values()], [float(qrels[query].get(doc, 0)) for doc in found]


def trec_eval() -> Iterator[Question]:
    """Labels below 0 if only judged documents count, and an empty list."""
    import pytrec_eval

    def of(measure: str, **options: Any) -> Callable[[Dicts, Dicts], float]:
        def ask(qrels: Dicts, run: Dicts) -> float:
            found = pytrec_eval.RelevanceEvaluator(qrels, {measure}, **options).evaluate(run)
            values = [value for row in found.values() for value in row.values()]
            return sum(values) / len(values)

        return ask

    for name in ("map", "ndcg", "recip_rank"):
        options = {"judged_docs_only_flag": True}
        yield Question("negative", name, options, NEGATIVE, NOT_THE_BEST, of(name, **options))
        yield Question("negative", name, {}, NEGATIVE, NOT_THE_BEST, of(name))
        yield Question("an empty list", name, {}, *WITH_EMPTY, of(name))


def ir_measures() -> Iterator[Question]:
    """Labels below 0 if only judged documents count, and an empty list."""
    import ir_measures

    def ask_for(name: str) -> Callable[[Dicts, Dicts], float]:
        measure = ir_measures.parse_measure(name)
        return lambda qrels, run: ir_measures.calc_aggregate([measure], qrels, run)[measure]

    for only in (True, False):
        text = f"nDCG(judged_only={only})@5"
        yield Question("negative", text, {}, NEGATIVE, NOT_THE_BEST, ask_for(text))
    for text in ("P(rel=2)@5", "AP(rel=2)"):
        yield Question("a name with options", text, {}, NEGATIVE, NOT_THE_BEST, ask_for(text))
    yield Question("an empty list", "AP", {}, *WITH_EMPTY, ask_for("AP"))


def ranx() -> Iterator[Question]:
    """Fractions, labels below 0, and levels of relevance in names."""
    from ranx import Qrels, Run, evaluate

    def ask_for(name: str) -> Callable[[Dicts, Dicts], float]:
        def ask(qrels: Dicts, run: Dicts) -> float:
            return evaluate(Qrels.from_dict(qrels), Run.from_dict(run), name)

        return ask

    names = ("dcg", "dcg_burges", "ndcg", "ndcg_burges", "rbp.80", "rbp.95", "mrr", "map", "f1@3")
    names += ("precision", "recall", "hit_rate@1", "r-precision", "ndcg@2")
    for name in names:
        yield Question("negative", name, {}, NEGATIVE, NOT_THE_BEST, ask_for(name))
        yield Question("fractions", name, {}, FRACTIONS, FALLING, ask_for(name))
    for name in (
        "map@10",
        "mrr",
        "precision@2",
        "recall@3",
        "f1@3",
        "ndcg@3",
        "dcg_burges",
        "rbp.80",
    ):
        text = f"{name}-l2"
        yield Question("a name with a level", text, {}, NEGATIVE, NOT_THE_BEST, ask_for(text))


def torchmetrics() -> Iterator[Question]:
    """No query is left."""
    from torch import tensor
    from torchmetrics import retrieval

    for name in ("NormalizedDCG", "MAP", "MRR", "Precision", "Recall", "HitRate", "RPrecision"):
        measure = getattr(retrieval, f"Retrieval{name}")
        for action in ("skip", "neg", "pos"):

            def ask(qrels: Dicts, run: Dicts, measure: Any = measure, act: str = action) -> float:
                scores, labels = tensors(qrels, run)
                found = measure(empty_target_action=act)
                found.update(tensor(scores), tensor(labels).int(), indexes=tensor([0, 0]))
                return float(found.compute())

            options = {"empty_target_action": action}
            yield Question("no query is left", f"Retrieval{name}", options, *WITHOUT_RELEVANT, ask)


def ignite() -> Iterator[Question]:
    """Fractions."""
    import torch
    from ignite.metrics.rec_sys import NDCG, HitRate

    for name, measure in (("NDCG", NDCG), ("HitRate", HitRate)):

        def ask(qrels: Dicts, run: Dicts, measure: Any = measure) -> float:
            scores, labels = tensors(qrels, run)
            found = measure(top_k=[3])
            found.update((torch.tensor([scores]), torch.tensor([labels])))
            return float(found.compute()[0])

        yield Question("fractions", f"{name}@3", {}, FRACTIONS, FALLING, ask)
        few = {"q": {"a": 0.5, "b": 0, "c": 0}}
        if name == "HitRate":  # without a label of 1 there is nothing left in NDCG
            yield Question("fractions", f"{name}@3", {}, few, NOT_THE_BEST, ask)


def lenskit() -> Iterator[Question]:
    """An empty list."""
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import NDCG, Hit, Precision, Recall, RecipRank, RunAnalysis

    for measure in (NDCG, RecipRank, Precision, Recall, Hit):

        def ask(qrels: Dicts, run: Dicts, measure: Any = measure) -> float:
            analysis = RunAnalysis()
            analysis.add_metric(measure())
            lists = [
                ItemListCollection.from_dict(
                    {query: ItemList([*row], ordered=True) for query, row in each.items()},
                    key="user_id",
                )
                for each in (run, qrels)
            ]
            return float(analysis.measure(*lists).list_summary().loc[measure().label, "mean"])

        yield Question("an empty list", measure.__name__, {}, *WITH_EMPTY, ask)


def beir() -> Iterator[Question]:
    """A document with the id of its query, and an empty list."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    def copied(run: Dicts) -> Dicts:
        return {query: dict(row) for query, row in run.items()}

    names = ("NDCG", "MAP", "Recall", "P")
    for (place, name), k in product(enumerate(names), (2, 5)):
        for options in ({}, {"ignore_identical_ids": False}):

            def ask(
                qrels: Dicts, run: Dicts, place: int = place, k: int = k, options: Any = options
            ) -> float:
                found = EvaluateRetrieval.evaluate(qrels, copied(run), [k], **options)[place]
                return next(iter(found.values()))

            yield Question("the query's id", f"{name}@{k}", options, *SELF, ask)
        yield Question("an empty list", f"{name}@{k}", {}, *WITH_EMPTY, ask)
    for name, k, drops in product(("MRR", "R_cap", "Accuracy"), (2, 5), (False, True)):

        def custom(
            qrels: Dicts, run: Dicts, name: str = name, k: int = k, drops: bool = drops
        ) -> float:
            run = copied(run)
            if drops:  # `evaluate` takes them out for good
                EvaluateRetrieval.evaluate(qrels, run, [k])
            found = EvaluateRetrieval.evaluate_custom(qrels, run, [k], name.lower())
            return next(iter(found.values()))

        options = {"ignore_identical_ids": True} if drops else {}
        yield Question("the query's id", f"{name}@{k}", options, *SELF, custom)


def rax() -> Iterator[Question]:
    """Fractions."""
    import rax
    from jax import numpy as jnp

    for name in ("mrr", "ap", "precision", "recall", "ndcg", "dcg"):
        measure = getattr(rax, f"{name}_metric")

        def ask(qrels: Dicts, run: Dicts, measure: Any = measure) -> float:
            return float(measure(*map(jnp.array, tensors(qrels, run)), topn=3))

        yield Question("fractions", f"{name}_metric@3", {}, FRACTIONS, FALLING, ask)


def keras_rs() -> Iterator[Question]:
    """Fractions."""
    from keras_rs import metrics
    from numpy import array

    names = ("NDCG", "DCG", "MeanReciprocalRank", "MeanAveragePrecision")
    for name in (*names, "PrecisionAtK", "RecallAtK"):
        measure = getattr(metrics, name)

        def ask(qrels: Dicts, run: Dicts, measure: Any = measure) -> float:
            scores, labels = tensors(qrels, run)
            found = measure(k=3)
            found.update_state(array([labels]), array([scores]))
            return float(found.result())

        yield Question("fractions", f"{name}@3", {}, FRACTIONS, FALLING, ask)


def replay() -> Iterator[Question]:
    """Equal scores of items whose ids are numbers."""
    import pandas
    from replay import metrics

    true, found = {"1": {"10": 1}}, {"1": {"10": 0.5, "2": 0.5, "100": 0.5, "7": 0.5}}
    for name in ("MRR", "MAP", "NDCG"):

        def ask(qrels: Dicts, run: Dicts, name: str = name) -> float:
            tables = [
                pandas.DataFrame(
                    [
                        {"query_id": int(query), "item_id": int(item), "rating": value}
                        for query, row in each.items()
                        for item, value in row.items()
                    ]
                )
                for each in (run, qrels)
            ]
            return next(iter(getattr(metrics, name)([4])(*tables).values()))

        yield Question("ids that are numbers", f"{name}@4", {}, true, found, ask)


def allrank() -> Iterator[Question]:
    """Lists without a relevant document, alone and beside one that has one."""
    import record_padded

    measures = record_padded.allrank()

    def ask(qrels: Dicts, run: Dicts) -> float:
        lists = {query: list(row.items()) for query, row in run.items()}
        return measures["mrr, ats=[None]"](Case(qrels, lists)).mean

    two_lists = {"q": {"a": 2.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}}
    for second in (0, 1):
        qrels = {"q": {"a": 0, "b": 0}, "r": {"a": 0, "b": second}}
        yield Question("no query is left", "mrr", {}, qrels, two_lists, ask)
    yield Question("no query is left", "mrr", {}, *WITHOUT_RELEVANT, ask)


def mlflow() -> Iterator[Question]:
    """Nothing relevant and nothing retrieved, and an item that is twice in a list."""
    import pandas
    from mlflow import metrics

    nothing: tuple[Dicts, Dicts] = (
        {"p": {"a": 1}, "q": {"a": 0}, "r": {"a": 0}},
        {"p": {"a": 1.0}, "q": {}, "r": {"b": 1.0}},
    )
    for name in ("ndcg_at_k", "precision_at_k", "recall_at_k"):

        def ask(qrels: Dicts, run: Dicts, name: str = name) -> float:
            found = pandas.Series([[*row] for row in run.values()])
            true = pandas.Series([[d for d, grade in qrels[q].items() if grade] for q in run])
            scores = getattr(metrics, name)(3).eval_fn(found, true).scores
            return sum(scores) / len(scores)

        yield Question("nothing", f"{name}@3", {}, *nothing, ask)


def trulens() -> Iterator[Question]:
    """Golden chunks with a score of 0."""
    from trulens.feedback import GroundTruthAgreement
    from trulens.feedback.dummy.provider import DummyProvider

    golden: tuple[Dicts, Dicts] = ({"q": {"a": 0, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}})
    for name, k in (
        *(("mrr", {}), ("ndcg_at_k", {"k": 1}), ("precision_at_k", {"k": 1})),
        *(("recall_at_k", {"k": 1}), ("ir_hit_rate", {"k": 1}), ("ndcg_at_k", {})),
    ):

        def ask(qrels: Dicts, run: Dicts, name: str = name, k: Any = k) -> float:
            [[query, row]] = run.items()
            grades = qrels[query].items()
            chunks = [{"text": doc, "expect_score": grade} for doc, grade in grades]
            truth = [{"query": query, "expected_chunks": chunks}]
            agreement = GroundTruthAgreement(truth, provider=DummyProvider())
            return getattr(agreement, name)(query, [*row], **k)

        yield Question("a score of 0", name, k, *golden, ask)


PROGRAMS = {
    "trec_eval": (trec_eval, "pytrec_eval", "pytrec_eval-terrier"),
    "ir_measures": (ir_measures, "ir_measures", "ir_measures"),
    "ranx": (ranx, "ranx", "ranx"),
    "torchmetrics": (torchmetrics, "torchmetrics", "torchmetrics"),
    "pytorch-ignite": (ignite, "ignite", "pytorch-ignite"),
    "LensKit": (lenskit, "lenskit", "lenskit"),
    "BEIR": (beir, "beir", "beir"),
    "rax": (rax, "rax", "rax"),
    "Keras RS": (keras_rs, "keras_rs", "keras-rs"),
    "RePlay": (replay, "replay", "replay-rec"),
    "allRank": (allrank, "allrank", "1.4.3"),
    "MLflow": (mlflow, "mlflow", "mlflow"),
    "TruLens": (trulens, "trulens", "trulens-feedback"),
}
"""For each program here, who asks it, its module, and its distribution, or else its version."""


def main() -> None:
    """Write the answers, one question per line."""
    written = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    for name, (questions, module, distribution) in PROGRAMS.items():
        try:
            import_module(module)
        except ImportError:
            continue
        asked = [
            {**each._asdict(), "ask": None, "answer": plain(each.ask(each.qrels, each.run))}
            for each in questions()
        ]
        for each in asked:
            del each["ask"]
        version = distribution if distribution[0].isdigit() else metadata.version(distribution)
        written[name] = {"version": version, "asked": asked}
    parts = []
    for name, program in written.items():
        lines = ",\n".join(f"   {json.dumps(each)}" for each in program["asked"])
        head = f'"version": {json.dumps(program["version"])}'
        parts.append(f' {json.dumps(name)}: {{\n  {head},\n  "asked": [\n{lines}\n  ]\n }}')
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
