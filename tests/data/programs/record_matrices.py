"""Ask the libraries of recommender systems and of other fields that take numbers for items.

Documents are numbered by their order in the sorted set of all documents of the case.
"""

from __future__ import annotations

from typing import Any

from asked import CUTOFFS, Answer, Case, Measure, Program, attempt, mean_and_each, one_by_one

Found = tuple[Any, dict[str, Any] | None]


def recpack() -> dict[str, Measure]:
    """The metrics of sparse matrices, one query per row."""
    import numpy as np
    from recpack import metrics
    from scipy.sparse import csr_matrix

    def matrix(case: Case, table: dict[str, list[tuple[str, float]]]) -> Any:
        numbers, queries = case.numbers(), case.queries
        cells = [
            (place, numbers[doc], value)
            for place, query in enumerate(queries)
            for doc, value in table.get(query, [])
        ]
        places, columns, values = zip(*cells, strict=True) if cells else ((), (), ())
        shape = (len(queries), len(numbers))
        return csr_matrix((np.array(values, dtype=float), (places, columns)), shape=shape)

    def make(name: str, k: int, graded: bool) -> Measure:
        def ask(case: Case) -> Found:
            true = {
                query: [(doc, row[doc] if graded else 1) for doc in case.relevant(query)]
                for query, row in case.qrels.items()
            }
            metric = getattr(metrics, name)(k)
            metric.calculate(matrix(case, true), matrix(case, case.run))
            found = metric.results
            each = None
            if "user_id" in found:
                scores = found.groupby("user_id")["score"].sum()
                each = {case.queries[user]: value for user, value in scores.items()}
            return metric.value, each

        return mean_and_each(ask)

    measures = {}
    names = ("NDCGK", "DCGK", "PrecisionK", "RecallK", "CalibratedRecallK", "ReciprocalRankK")
    for name in (*names, "HitK", "DiscountedGainK"):
        for k in CUTOFFS:
            measures[f"{name}(K={k})"] = make(name, k, False)
        if name in ("NDCGK", "DCGK", "RecallK", "HitK"):
            measures[f"{name}(K=5), grades"] = make(name, 5, True)
    return measures


def cornac() -> dict[str, Measure]:
    """The ranking metrics of one user; lists have the predicted documents alone."""
    import numpy as np
    from cornac import metrics

    def make(name: str, k: int | None = None) -> Measure:
        def measure(case: Case) -> Answer:
            numbers = case.numbers()
            each = {}
            for query in case.queries:
                row = case.run.get(query, [])
                given = {
                    "gt_pos": np.array([numbers[doc] for doc in case.relevant(query)], dtype=int),
                    "pd_rank": np.array([numbers[d] for d in case.best_first(query)], dtype=int),
                    "pd_scores": np.array([score for _, score in row]),
                    "item_indices": np.array([numbers[doc] for doc, _ in row], dtype=int),
                }
                metric = getattr(metrics, name)(k) if k else getattr(metrics, name)()
                each[query] = attempt(lambda given=given, metric=metric: metric.compute(**given))
            return Answer(None, each)

        return measure

    measures = {}
    for name in ("NDCG", "NCRR", "HitRatio", "Precision", "Recall", "FMeasure"):
        for k in (*CUTOFFS, -1):
            measures[f"{name}(k={k})"] = make(name, k)
    return measures | {name: make(name) for name in ("MRR", "AUC", "MAP")}


def recbole() -> dict[str, Measure]:
    """The metrics of its collector's table: the hits by rank, and how many are relevant."""
    import numpy as np
    import torch

    vars(np)["float"] = float  # release 1.2.1 uses a name that NumPy has no more
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Any:
            rows = []
            for query in case.run:
                relevant = case.relevant(query)
                hits = [int(doc in relevant) for doc in case.best_first(query)][:10]
                rows.append([*hits, *[0] * (10 - len(hits)), len(relevant)])
            data = DataStruct()
            data.set("rec.topk", torch.tensor(rows))
            metric = getattr(metrics, name)({"topk": CUTOFFS, "metric_decimal_place": 12})
            return metric.calculate_metric(data)[f"{name.lower()}@{k}"]

        return one_by_one(ask, of_run=True)

    names = ("NDCG", "MAP", "MRR", "Precision", "Recall", "Hit")
    return {f"{name}@{k}": make(name, k) for name in names for k in CUTOFFS}


def librecommender() -> dict[str, Measure]:
    """The functions of libreco.evaluation.metrics, whose lists have at most k items."""
    import importlib.util

    import numpy as np

    package = importlib.util.find_spec("libreco")
    assert package is not None
    assert package.submodule_search_locations is not None
    path = f"{package.submodule_search_locations[0]}/evaluation/metrics.py"
    spec = importlib.util.spec_from_file_location("libreco_metrics", path)
    assert spec is not None
    assert spec.loader is not None
    metrics = importlib.util.module_from_spec(spec)  # the package itself needs TensorFlow
    spec.loader.exec_module(metrics)

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Found:
            numbers = case.numbers()
            true = {q: [numbers[doc] for doc in case.relevant(q)] for q in case.queries}
            found = {q: [numbers[doc] for doc in case.best_first(q)][:k] for q in case.queries}
            function = getattr(metrics, name)
            each = {
                query: attempt(lambda q=query: function(true[q], np.array(found[q], dtype=int), k))
                for query in case.queries
            }
            mean = attempt(lambda: metrics.listwise_scores(function, true, found, case.queries, k))
            return mean, each

        return mean_and_each(ask)

    names = ("ndcg_at_k", "average_precision_at_k", "precision_at_k", "recall_at_k")
    return {f"{name}, k={k}": make(name, k) for name in names for k in CUTOFFS}


def torch_rechub() -> dict[str, Measure]:
    """topk_metrics, of which the answers are texts."""
    from torch_rechub.basic import metric

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Any:
            true = {query: case.relevant(query) for query in case.queries}
            found = {query: case.best_first(query) for query in case.queries}
            return float(metric.topk_metrics(true, found, topKs=[k])[name][0].split(": ")[1])

        return one_by_one(ask)

    names = ("NDCG", "MRR", "Recall", "Precision", "Hit")
    return {f"{name}@{k}": make(name, k) for name in names for k in (1, 3, 5)}


def rs_metrics() -> dict[str, Measure]:
    """The functions of rs_metrics, of dicts."""
    import rs_metrics

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Any:
            true = {query: case.relevant(query) for query in case.qrels if case.relevant(query)}
            found = {query: case.best_first(query) for query in case.run}
            return getattr(rs_metrics, name)(true, found, k=k)

        return one_by_one(ask)

    names = ("ndcg", "mapr", "mrr", "precision", "recall", "hitrate")
    return {f"{name}, k={k}": make(name, k) for name in names for k in CUTOFFS}


def rexmex() -> dict[str, Measure]:
    """The functions of rexmex.metrics.ranking that take lists."""
    import numpy as np
    from rexmex.metrics import ranking

    def make(name: str, k: int, mean: str | None = None) -> Measure:
        def ask(case: Case) -> Found:
            pairs = [
                (
                    np.array(case.relevant(q), dtype=object),
                    np.array(case.best_first(q), dtype=object),
                )
                for q in case.queries
            ]
            each = {
                query: attempt(lambda pair=pair: getattr(ranking, name)(*pair, k=k))
                for query, pair in zip(case.queries, pairs, strict=True)
            }
            of_all = mean and attempt(
                lambda: getattr(ranking, mean)(*zip(*pairs, strict=True), k=k)
            )
            return of_all, each

        return mean_and_each(ask)

    measures = {}
    for k in CUTOFFS:
        for kind in ("precision", "recall"):
            name = f"average_{kind}_at_k"
            measures[f"{name}, k={k}"] = make(name, k, f"mean_{name}")
        measures[f"hits_at_k, k={k}"] = make("hits_at_k", k)
    return measures


def pykeen() -> dict[str, Measure]:
    """Its metrics of ranks, which it makes of the scores: each relevant document has a rank.

    The other relevant documents of the query are left out, as a filtered evaluation does.
    """
    import numpy as np
    import torch
    from pykeen.evaluation.ranks import Ranks
    from pykeen.metrics.ranking import rank_based_metric_resolver

    def ranks(case: Case, query: str, kind: str) -> list[float]:
        grades = case.grades(query)
        scores = torch.tensor([score for _, score in case.run.get(query, [])], dtype=torch.float64)
        others = torch.tensor([grade > 0 for grade in grades], dtype=torch.bool)
        found = []
        for place, grade in enumerate(grades):
            if grade > 0:
                rivals = scores.clone()
                rivals[others] = torch.nan
                rivals[place] = scores[place]
                made = Ranks.from_scores(scores[place].view(1, 1), rivals.view(1, -1))
                found.append(float(made.to_type_dict()[kind][0]))
        return found

    def make(name: str, kind: str, **options: Any) -> Measure:
        def ask(case: Case) -> Any:
            pooled = [rank for query in case.run for rank in ranks(case, query, kind)]
            return rank_based_metric_resolver.make(name, **options)(np.array(pooled))

        return one_by_one(ask, of_run=True)

    measures = {}
    for kind in ("optimistic", "realistic", "pessimistic"):
        measures[f"InverseHarmonicMeanRank, {kind}"] = make("inverseharmonicmeanrank", kind)
        measures[f"ArithmeticMeanRank, {kind}"] = make("arithmeticmeanrank", kind)
        for k in CUTOFFS:
            measures[f"HitsAtK(k={k}), {kind}"] = make("hitsatk", kind, k=k)
    return measures


PROGRAMS = [
    Program(
        "recpack",
        "recpack",
        "recpack",
        recpack,
        "https://github.com/recpack-maintainers/recpack/tree/master/recpack/metrics",
        "Users are those with relevant documents. Equal scores: mostly the highest number first, "
        "by numpy.argpartition, which defines no order. Grades were given where it says so; they "
        "are multiplied with the rank, and NDCGK can exceed 1.",
    ),
    Program(
        "cornac",
        "cornac",
        "cornac",
        cornac,
        "https://github.com/PreferredAI/cornac/blob/master/cornac/metrics/ranking.py",
        "One user at a time. pd_rank has the predicted documents best first, the earlier of "
        "equals first. AUC and MAP read the scores of the predicted documents, in the order of "
        "the run. There was no mean to record: it is that of the users whose value is a number.",
    ),
    Program(
        "RecBole",
        "recbole",
        "recbole",
        recbole,
        "https://github.com/RUCAIBox/RecBole/blob/master/recbole/evaluator/metrics.py",
        "Of the users in the run: those without predictions cannot be told to it. It was given "
        "the hits by rank, with the earlier of equals first, and how many documents are relevant.",
        lists=True,
    ),
    Program(
        "LibRecommender",
        "LibRecommender",
        "libreco",
        librecommender,
        "https://github.com/massquantity/LibRecommender/blob/master/libreco/evaluation/metrics.py",
        "Lists were given best first, the earlier of equals first, and cut at k, and all queries, "
        "with empty lists where there is nothing. Grades are not read.",
    ),
    Program(
        "torch-rechub",
        "torch-rechub",
        "torch_rechub",
        torch_rechub,
        "https://github.com/datawhalechina/torch-rechub/blob/main/torch_rechub/basic/metric.py",
        "Lists were given best first, the earlier of equals first, and all queries, with empty "
        "lists where there is nothing. Answers are texts of four decimals. A list shorter than k "
        "is an IndexError. Hit is recall, pooled over all users.",
        lists=True,
    ),
    Program(
        "rs_metrics",
        "rs-metrics",
        "rs_metrics",
        rs_metrics,
        "https://github.com/Darel13712/rs_metrics/blob/master/rs_metrics/metrics.py",
        "Users are those with relevant documents. Lists were given best first, the earlier of "
        "equals first. Grades are not read.",
        lists=True,
    ),
    Program(
        "rexmex",
        "rexmex",
        "rexmex",
        rexmex,
        "https://github.com/AstraZeneca/rexmex/blob/main/rexmex/metrics/ranking.py",
        "Lists were given best first, the earlier of equals first, and all queries, with empty "
        "lists where there is nothing. average_recall_at_k is average precision, divided by the "
        "number of relevant documents.",
        lists=True,
    ),
    Program(
        "pykeen",
        "pykeen",
        "pykeen",
        pykeen,
        "https://github.com/pykeen/pykeen/blob/master/src/pykeen/metrics/ranking.py",
        "Each relevant document that was predicted has a rank among the documents of its query "
        "that are not relevant: ties put it first (optimistic), last (pessimistic) or between "
        "(realistic). The mean runs over the ranks of all queries, not over queries.",
    ),
]
