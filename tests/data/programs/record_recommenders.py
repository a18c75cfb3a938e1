"""Ask the libraries of recommender systems; a query is a user, and a document an item.

They are given the relevant items of each user, with their grades where they take any. So a query
without relevant documents is a user without interactions.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from asked import CUTOFFS, Case, Measure, Program, mean_and_each, one_by_one

Found = tuple[Any, dict[str, Any] | None]


def truth(case: Case, names: tuple[str, str, str]) -> Any:
    """Return the relevant documents as a DataFrame."""
    import pandas as pd

    rows = [
        (query, doc, float(case.qrels[query][doc]))
        for query in case.qrels
        for doc in case.relevant(query)
    ]
    return pd.DataFrame(rows, columns=list(names)).astype({names[2]: float})


def predictions(case: Case, names: tuple[str, str, str], best_first: bool = False) -> Any:
    """Return the run as a DataFrame, in its order or best first, the earlier of equals first."""
    import pandas as pd

    rows = []
    for query, row in case.run.items():
        ordered = sorted(row, key=lambda pair: -pair[1]) if best_first else row
        rows += [(query, doc, score) for doc, score in ordered]
    return pd.DataFrame(rows, columns=list(names)).astype({names[2]: float})


def rectools() -> dict[str, Measure]:
    """Metrics of recommendations with ranks, which are ours: the earlier of equals first."""
    from rectools import metrics

    def make(metric: Any) -> Measure:
        def ask(case: Case) -> Found:
            reco = predictions(case, ("user_id", "item_id", "score"), best_first=True)
            reco["rank"] = reco.groupby("user_id", sort=False).cumcount() + 1
            given = truth(case, ("user_id", "item_id", "weight"))
            return metric.calc(reco, given), dict(metric.calc_per_user(reco, given))

        return mean_and_each(ask)

    measures = {}
    for k in CUTOFFS:
        for name in ("NDCG", "MAP", "MRR", "Precision", "Recall", "HitRate", "F1Beta"):
            measures[f"{name}(k={k})"] = make(getattr(metrics, name)(k))
        for name, options in (
            ("NDCG", {"divide_by_achievable": True}),
            ("NDCG", {"log_base": 3}),
            ("MAP", {"divide_by_k": True}),
            ("Precision", {"r_precision": True}),
            ("F1Beta", {"beta": 2.0}),
            ("PAP", {"insufficient_handling": "ignore"}),
            ("PartialAUC", {"insufficient_handling": "ignore"}),
        ):
            text = ", ".join(f"{key}={value!r}" for key, value in options.items())
            measures[f"{name}(k={k}, {text})"] = make(getattr(metrics, name)(k, **options))
    return measures


def implicit() -> dict[str, Measure]:
    """ranking_metrics_at_k, of a model that recommends what was predicted."""
    import numpy as np
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    def make(name: str, k: int) -> Measure:
        def ask(case: Case) -> Any:
            numbers, queries = case.numbers(), case.queries
            test = np.zeros((len(queries), len(numbers)))
            for place, query in enumerate(queries):
                for doc in case.relevant(query):
                    test[place, numbers[doc]] = case.qrels[query][doc]

            def recommend(ids: Any, user_items: Any, **params: Any) -> tuple[Any, None]:
                n = params["N"]
                rows = [[numbers[doc] for doc in case.best_first(queries[q])][:n] for q in ids]
                padded = [row + [-1] * (n - len(row)) for row in rows]
                return np.array(padded, dtype=np.int32), None

            found = ranking_metrics_at_k(
                SimpleNamespace(recommend=recommend),
                csr_matrix(test.shape),
                csr_matrix(test),
                K=k,
                show_progress=False,
                num_threads=1,
            )
            return found[name]

        return one_by_one(ask)

    names = ("precision", "map", "ndcg", "auc")
    return {f"{name}, K={k}": make(name, k) for k in CUTOFFS for name in names}


def replay() -> dict[str, Measure]:
    """The metrics of three kinds of input, whose orders of ties differ."""
    from replay import metrics

    columns = ("query_id", "item_id", "rating")

    def tables(case: Case, kind: str) -> tuple[Any, Any]:
        relevant, predicted = truth(case, columns), predictions(case, columns)
        if kind == "polars":
            import polars as pl

            return pl.from_pandas(predicted), pl.from_pandas(relevant)
        return predicted, relevant

    def dicts(case: Case) -> tuple[Any, Any]:
        predicted = {
            query: sorted(row, key=lambda pair: -pair[1]) for query, row in case.run.items()
        }
        relevant = {q: case.relevant(q) for q in case.qrels if case.relevant(q)}
        return predicted, relevant

    def make(name: str, k: int, kind: str) -> Measure:
        def ask(case: Case) -> Found:
            given = dicts(case) if kind == "dict" else tables(case, kind)
            metric = getattr(metrics, name)
            (mean,) = metric(k)(*given).values()
            (each,) = metric(k, mode=metrics.PerUser())(*given).values()
            return mean, each

        return mean_and_each(ask)

    names = ("NDCG", "MAP", "MRR", "Precision", "Recall", "HitRate", "RocAuc")
    return {
        f"{name}({k}), {kind}": make(name, k, kind)
        for kind in ("pandas", "polars", "dict")
        for name in names
        for k in CUTOFFS
        if kind == "pandas" or k in (3, 5)
    }


def recommenders() -> dict[str, Measure]:
    """The functions of recommenders.evaluation.python_evaluation."""
    from recommenders.evaluation import python_evaluation as evaluation

    def make(name: str, **options: Any) -> Measure:
        def ask(case: Case) -> Any:
            given = truth(case, ("userID", "itemID", "rating"))
            predicted = predictions(case, ("userID", "itemID", "prediction"))
            return getattr(evaluation, name)(given, predicted, **options)

        return one_by_one(ask)

    measures = {}
    names = ("ndcg_at_k", "map", "map_at_k", "precision_at_k", "recall_at_k", "r_precision_at_k")
    for k in CUTOFFS:
        for name in names:
            measures[f"{name}, k={k}"] = make(name, k=k)
        for kind in ("raw", "exp"):
            text = f"ndcg_at_k, k={k}, score_type='{kind}'"
            measures[text] = make("ndcg_at_k", k=k, score_type=kind)
    measures["ndcg_at_k, k=5, discfun_type='log2'"] = make("ndcg_at_k", k=5, discfun_type="log2")
    measures["auc"] = make("auc")
    return measures


def evidently() -> dict[str, Measure]:
    """Reports of one metric, of tables of the predicted documents with their labels."""
    from evidently import DataDefinition, Dataset, Recsys, Report, metrics

    kinds = [Recsys(user_id="user", item_id="item", target="target", prediction="prediction")]
    definition = DataDefinition(ranking=kinds)

    def make(name: str, k: int, best_first: bool, graded: bool, **options: Any) -> Measure:
        def ask(case: Case) -> Any:
            rows = predictions(case, ("user", "item", "prediction"), best_first)
            grades = [
                case.qrels.get(query, {}).get(doc, 0)
                for query, doc in zip(rows["user"], rows["item"], strict=True)
            ]
            rows["target"] = grades if graded else [int(grade > 0) for grade in grades]
            data = Dataset.from_pandas(rows, data_definition=definition)
            report = Report([getattr(metrics, name)(k=k, **options)]).run(data, None)
            return report.dict()["metrics"][0]["value"]["value"][k - 1]

        return one_by_one(ask, of_run=True)

    measures = {}
    for k in CUTOFFS:
        for name in ("NDCG", "MAP", "MRR", "PrecisionTopK", "RecallTopK", "HitRate", "FBetaTopK"):
            measures[f"{name}(k={k}), row {k - 1}"] = make(name, k, True, False)
        measures[f"NDCG(k={k}), row {k - 1}, grades"] = make("NDCG", k, True, True)
    for name in ("NDCG", "MAP", "MRR", "RecallTopK"):
        text = f"{name}(k=5), row 4"
        measures[f"{text}, rows in the order of the run"] = make(name, 5, False, False)
        measures[f"{text}, no_feedback_users=True"] = make(
            name, 5, True, False, no_feedback_users=True
        )
    return measures


def pyspark() -> dict[str, Measure]:
    """RankingMetrics, of the users that have predictions or judgments."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = spark.getOrCreate()
    session.sparkContext.setLogLevel("OFF")

    made: dict[str, Any] = {}

    def metrics_of(case: Case) -> Any:
        rows = [(case.best_first(query), case.relevant(query)) for query in case.queries]
        key = repr(rows)  # a table takes long to make, and all metrics can share it
        if key not in made:
            made[key] = RankingMetrics(session.sparkContext.parallelize(rows, 1))
        return made[key]

    def make(name: str, k: int | None = None) -> Measure:
        def ask(case: Case) -> Any:
            answer = getattr(metrics_of(case), name)
            return answer(k) if k else answer

        return one_by_one(ask)

    measures = {"meanAveragePrecision": make("meanAveragePrecision")}
    for k in (3, 5, 10):
        for name in ("ndcgAt", "meanAveragePrecisionAt", "precisionAt", "recallAt"):
            measures[f"{name}({k})"] = make(name, k)
    return measures


def lenskit() -> dict[str, Measure]:
    """RunAnalysis of one metric, of lists with ranks, the earlier of equals first."""
    import pandas as pd
    from lenskit import metrics
    from lenskit.data import ItemListCollection

    def make(metric: Any) -> Measure:
        def ask(case: Case) -> Found:
            predicted = predictions(case, ("user_id", "item_id", "score"), best_first=True)
            predicted["rank"] = predicted.groupby("user_id", sort=False).cumcount() + 1
            given = truth(case, ("user_id", "item_id", "rating"))
            test = ItemListCollection.from_df(given, ["user_id"])
            recommended = ItemListCollection.from_df(predicted, ["user_id"])
            found = metrics.RunAnalysis(metric).measure(recommended, test)
            values = found.list_metrics(fill_missing=False).iloc[:, 0]
            users = [key[0] if isinstance(key, tuple) else key for key in values.index]
            each = {
                user: None if pd.isna(value) else value
                for user, value in zip(users, values, strict=True)
            }
            return found.list_summary()["mean"].iloc[0], each

        return mean_and_each(ask)

    measures = {}
    for k in (*CUTOFFS, None):
        for name in ("NDCG", "DCG", "AveragePrecision", "RecipRank", "Precision", "Recall"):
            metric = getattr(metrics, name, None) or getattr(metrics.ranking, name)
            measures[f"{name}(n={k})"] = make(metric(k))
        measures[f"Hit(n={k})"] = make(metrics.Hit(k))
        measures[f"NDCG(n={k}, gain='rating')"] = make(metrics.NDCG(k, gain="rating"))
    measures["RBP(n=5)"] = make(metrics.RBP(5))
    measures["RBP(n=5, normalize=True)"] = make(metrics.RBP(5, normalize=True))
    return measures


def warprec() -> dict[str, Measure]:
    """The metrics of a batch with the scores of all items.

    Items that were not predicted have -inf, as those of the training set. They are behind ten
    items that nobody wants.
    """
    import torch
    from record_modules import without_init

    without_init("warprec", "utils", "evaluation")  # the rest needs Ray and Lightning
    from warprec.evaluation.metrics import accuracy as metrics

    def make(name: str, **options: Any) -> Measure:
        def ask(case: Case) -> Found:
            queries, numbers = case.queries, case.numbers()
            n_items = len(numbers) + max(CUTOFFS)
            scores = torch.full((len(queries), n_items), -torch.inf)
            scores[:, len(numbers) :] = -1000.0
            truth = torch.zeros((len(queries), n_items))
            for row, query in enumerate(queries):
                for doc, score in case.run.get(query, []):
                    scores[row, numbers[doc]] = score
                for doc in case.relevant(query):
                    truth[row, numbers[doc]] = case.qrels[query][doc]
            metric = getattr(metrics, name)(num_users=len(queries), num_items=n_items, **options)
            metric.update(scores, user_indices=torch.arange(len(queries)), ground=truth)
            (found,) = metric.compute().values()
            if isinstance(found, float):
                return found, None
            each = dict(zip(queries, found.tolist(), strict=True))
            return float(found.nanmean()), each

        return mean_and_each(ask)

    names = ("nDCG", "nDCGRendle2020", "MAP", "MRR", "Precision", "Recall", "HitRate", "F1")
    names += ("MAR", "LAUC")
    measures = {f"{name}@{k}": make(name, k=k) for name in names for k in CUTOFFS}
    measures |= {f"F1@{k}, beta=2": make("F1", k=k, beta=2.0) for k in (3, 5)}
    return measures | {name: make(name) for name in ("AUC", "GAUC")}


USERS = "Users are those with relevant documents. "
PROGRAMS = [
    Program(
        "RecTools",
        "RecTools",
        "rectools",
        rectools,
        "https://github.com/MobileTeleSystems/RecTools/tree/main/rectools/metrics",
        USERS + "Those without predictions count 0, and users without relevant documents are not "
        "known. Grades are not read. The ranks are ours: the earlier of equals first.",
        lists=True,
    ),
    Program(
        "implicit",
        "implicit",
        "implicit",
        implicit,
        "https://github.com/benfred/implicit/blob/main/implicit/evaluation.pyx",
        USERS + "It asks a model; ours recommends the predicted documents, the earlier of equals "
        "first, and pads with -1. Documents are numbered by their order in the sorted set of all. "
        "precision and auc of one query depend on how many documents there are in all.",
        lists=True,
    ),
    Program(
        "RePlay",
        "replay-rec",
        "replay",
        replay,
        "https://github.com/sb-ai-lab/RePlay/tree/main/replay/metrics",
        USERS + "Those without predictions count 0. Equal scores of a data frame: by item id, the "
        "greatest first. Dicts were given best first, the earlier of equals first. Grades are "
        "not read.",
        lists=True,
    ),
    Program(
        "recommenders",
        "recommenders",
        "recommenders",
        recommenders,
        "https://github.com/recommenders-team/recommenders/blob/main/recommenders/evaluation/"
        "python_evaluation.py",
        "The mean of all but ndcg_at_k runs over the users that have both relevant documents and "
        "predictions.",
        lists=True,
    ),
    Program(
        "evidently",
        "evidently",
        "evidently",
        evidently,
        "https://github.com/evidentlyai/evidently/tree/main/src/evidently/metrics",
        "Asked of the predicted documents with labels 0 and 1, or grades, best first, and the "
        "earlier of equals first. Equal scores share a rank, the mean of their ranks rounded "
        "down, so that more than k documents can be among the first k. The answer is a table of "
        "ranks, of which the row at k - 1 is recorded.",
    ),
    Program(
        "LensKit",
        "lenskit",
        "lenskit",
        lenskit,
        "https://github.com/lenskit/lkpy/tree/main/src/lenskit/metrics/ranking",
        USERS + "The lists are those of the run, and users without predictions are left out. The "
        "discount is 1 / max(log2(rank), 1). Ranks are ours: the earlier of equals first.",
        lists=True,
    ),
    Program(
        "WarpRec",
        "warprec",
        "warprec",
        warprec,
        "https://github.com/sisinflab/warprec/tree/main/warprec/evaluation/metrics/accuracy",
        USERS + "The others are NaN, and the mean is ours, by nanmean, as that of its evaluator. "
        "Documents that were not predicted have the score -inf, and ten that nobody wants come "
        "before them. Equal scores: torch.topk.",
    ),
    Program(
        "Spark",
        "pyspark",
        "pyspark",
        pyspark,
        "https://github.com/apache/spark/blob/master/mllib/src/main/scala/org/apache/spark/mllib/"
        "evaluation/RankingMetrics.scala",
        "RankingMetrics of mllib. Lists were given best first, the earlier of equals first, and "
        "all queries, with empty lists where there is nothing.",
        lists=True,
    ),
]
