"""Record what recommender and retrieval frameworks answer, in framework_numbers.json.

Run by hand, never in CI and by no test: the tests read the numbers, so that they need none of the
frameworks. A run asks those that it finds installed; the others keep the entries recorded before.
In each environment, on Python 3.11, run ``python tests/data/make_framework_numbers.py``:

- ``pip install RecTools==0.19.0 implicit==0.7.3 replay-rec==0.22.0 recommenders==1.2.1
  evidently==0.7.23 scikit-learn==1.8.0 pandas==2.3.3``
- ``pip install torch==2.13.0 lenskit==2025.8.1 beir==2.2.0 sentence-transformers==6.2.0``, and for
  torchrec ``pip install fbgemm-gpu-cpu==1.8.0 tensordict pyre-extensions iopath`` and
  ``pip install --no-deps torchrec==1.8.0 torchmetrics==1.0.3``
- ``pip install torch==2.13.0 recbole==1.2.1``
- ``pip install pyspark==4.3.0 pandas``, with Java
- ``pip install tensorflow-cpu==2.15.1 tensorflow-ranking==0.5.5``

The file holds under "grades" the relevant items of each user and their grades, and under
"predictions" the items that a model predicted for each user, with their scores, none of which tie.
There are three cases, by the users that they have. All users of "plain" have both. In "unserved"
the user "u6" has relevant items, but no predictions. In "unjudged" the user "u7" has predictions,
but no relevant item. Under "frameworks" it holds for each framework its version, the day of the
run, a note, and under "means" the answers by case, metric and cutoff. null is a division by zero.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import importlib.util
import json
import math
import random
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

Table = dict[str, dict[str, float]]
Means = dict[str, dict[str, float | None]]
Asking = Callable[[Table, Table], Means]

PATH = Path(__file__).with_name("framework_numbers.json")
CUTOFFS = [1, 3, 5]
N_ITEMS, N_PREDICTED = 15, 8
CASES = {"plain": "", "unserved": "u6", "unjudged": "u7"}


def draw() -> tuple[Table, Table]:
    """Return the grades, and the scores of the predictions."""
    rng = random.Random(0)
    items = [f"i{item:02}" for item in range(N_ITEMS)]
    grades, predictions = {}, {}
    for user in range(8):
        relevant = rng.sample(items, [1, 2, 3, 4, 6, 9, 3, 0][user])
        grades[f"u{user}"] = {item: rng.choice([1, 2, 3]) for item in relevant}
        scores = rng.sample([score / 64 for score in range(1, 64)], N_PREDICTED)
        predicted = rng.sample(items, N_PREDICTED)
        predictions[f"u{user}"] = dict(zip(predicted, scores, strict=True))
    del grades["u7"], predictions["u6"]
    return grades, predictions


def of_case(case: str, table: Table) -> Table:
    """Return the rows of the users that a case has."""
    users = [*(f"u{user}" for user in range(6)), CASES[case]]
    return {user: table[user] for user in users if user in table}


def frame(table: Table, names: tuple[str, str, str]) -> Any:
    """Return a table as a DataFrame."""
    import pandas as pd

    rows = [(user, item, value) for user, row in table.items() for item, value in row.items()]
    return pd.DataFrame(rows, columns=list(names))


def best_first(row: dict[str, float]) -> list[str]:
    """Return the items of a user, the best one first."""
    return sorted(row, key=lambda item: -row[item])


def at_cutoffs(ask: Callable[[int], Any]) -> dict[str, float | None]:
    """Return the answers by cutoff."""
    answers = {}
    for k in CUTOFFS:
        try:
            answer = float(ask(k))
        except ZeroDivisionError:
            answer = math.nan
        answers[str(k)] = None if math.isnan(answer) else answer
    return answers


def rectools(grades: Table, predictions: Table) -> Means:
    """Ask RecTools, of tables of ranks and of what is relevant."""
    from rectools import metrics

    reco = frame(predictions, ("user_id", "item_id", "score"))
    reco["rank"] = reco.groupby("user_id")["score"].rank(ascending=False).astype(int)
    interactions = frame(grades, ("user_id", "item_id", "weight"))
    asked = {
        "NDCG": metrics.NDCG,
        "NDCG, divide_by_achievable": lambda k: metrics.NDCG(k, divide_by_achievable=True),
        "MAP": metrics.MAP,
        "MRR": metrics.MRR,
        "Precision": metrics.Precision,
        "Recall": metrics.Recall,
        "HitRate": metrics.HitRate,
    }
    return {
        name: at_cutoffs(lambda k, make=make: make(k).calc(reco, interactions))
        for name, make in asked.items()
    }


def implicit(grades: Table, predictions: Table) -> Means:
    """Ask implicit, by a model that recommends what is predicted."""
    import numpy as np
    from implicit.evaluation import ranking_metrics_at_k
    from scipy.sparse import csr_matrix

    users = sorted(grades | predictions)
    test = np.zeros((len(users), N_ITEMS))
    for user, row in grades.items():
        for item in row:
            test[users.index(user), int(item[1:])] = 1

    def recommend(ids: Any, user_items: Any, **params: Any) -> tuple[Any, None]:
        k = params["N"]
        rows = [best_first(predictions.get(users[user], {}))[:k] for user in ids]
        numbers = [[*(int(item[1:]) for item in row), *[-1] * (k - len(row))] for row in rows]
        return np.array(numbers, dtype=np.int32), None

    model = SimpleNamespace(recommend=recommend)
    empty = csr_matrix(test.shape)

    def ask(name: str, k: int) -> float:
        return ranking_metrics_at_k(model, empty, csr_matrix(test), K=k, show_progress=False)[name]

    return {
        name: at_cutoffs(lambda k, name=name: ask(name, k))
        for name in ("precision", "map", "ndcg", "auc")
    }


def replay(grades: Table, predictions: Table) -> Means:
    """Ask RePlay."""
    from replay import metrics

    relevant = frame(grades, ("query_id", "item_id", "rating"))
    predicted = frame(predictions, ("query_id", "item_id", "rating"))
    return {
        name: at_cutoffs(
            lambda k, name=name: next(
                iter(getattr(metrics, name)(k)(predicted, relevant).values())
            )
        )
        for name in ("NDCG", "MAP", "MRR", "Precision", "Recall", "HitRate", "RocAuc")
    }


def recommenders(grades: Table, predictions: Table) -> Means:
    """Ask recommenders."""
    from recommenders.evaluation import python_evaluation as evaluation

    true = frame(grades, ("userID", "itemID", "rating"))
    predicted = frame(predictions, ("userID", "itemID", "prediction"))
    asked = {
        "ndcg_at_k": evaluation.ndcg_at_k,
        "ndcg_at_k, raw": lambda *data, k: evaluation.ndcg_at_k(*data, k=k, score_type="raw"),
        "ndcg_at_k, exp": lambda *data, k: evaluation.ndcg_at_k(*data, k=k, score_type="exp"),
        "map": evaluation.map,
        "map_at_k": evaluation.map_at_k,
        "precision_at_k": evaluation.precision_at_k,
        "recall_at_k": evaluation.recall_at_k,
        "r_precision_at_k": evaluation.r_precision_at_k,
    }
    return {
        name: at_cutoffs(lambda k, ask=ask: ask(true, predicted, k=k))
        for name, ask in asked.items()
    }


def evidently(grades: Table, predictions: Table) -> Means:
    """Ask Evidently, of the predictions with a label each: its tables have no other rows."""
    from evidently import DataDefinition, Dataset, Recsys, Report, metrics

    rows = frame(predictions, ("user", "item", "prediction"))
    rows["target"] = [
        int(item in grades.get(user, {}))
        for user, item in zip(rows["user"], rows["item"], strict=True)
    ]
    ranking = [Recsys(user_id="user", item_id="item", target="target", prediction="prediction")]
    definition = DataDefinition(ranking=ranking)
    best_first = rows.sort_values(["user", "prediction"], ascending=[True, False])

    def ask(name: str, k: int, rows: Any) -> float:
        data = Dataset.from_pandas(rows, data_definition=definition)
        answer = Report([getattr(metrics, name)(k=k)]).run(data, None).dict()
        return answer["metrics"][0]["value"]["value"][k - 1]

    names = ("NDCG", "MAP", "MRR", "PrecisionTopK", "RecallTopK", "HitRate")
    answers = {name: at_cutoffs(lambda k, name=name: ask(name, k, best_first)) for name in names}
    return answers | {"MAP, rows unsorted": at_cutoffs(lambda k: ask("MAP", k, rows))}


def recbole(grades: Table, predictions: Table) -> Means:
    """Ask RecBole, of what its collector has: the hits among the first ranks, and how many exist.

    It scores the users of the test set, and all of them have predictions: there is one case.
    Release 1.2.1 uses a name that NumPy has no more.
    """
    if grades.keys() != predictions.keys():
        return {}
    import numpy as np
    import torch
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import DataStruct

    vars(np)["float"] = float
    longest = max(CUTOFFS)
    rows = [
        [*(int(item in grades[user]) for item in best_first(row)[:longest]), len(grades[user])]
        for user, row in predictions.items()
    ]
    data = DataStruct()
    data.set("rec.topk", torch.tensor(rows))
    config = {"topk": CUTOFFS, "metric_decimal_place": 12}
    names = ("NDCG", "MAP", "MRR", "Precision", "Recall", "Hit")
    answers = {name: getattr(metrics, name)(config).calculate_metric(data) for name in names}
    return {
        name: at_cutoffs(lambda k, name=name: answers[name][f"{name.lower()}@{k}"])
        for name in names
    }


def lenskit(grades: Table, predictions: Table) -> Means:
    """Ask LensKit."""
    from lenskit import metrics
    from lenskit.data import ItemListCollection

    true = frame(grades, ("user_id", "item_id", "rating"))
    predicted = frame(predictions, ("user_id", "item_id", "score"))
    predicted = predicted.sort_values(["user_id", "score"], ascending=[True, False])
    predicted["rank"] = predicted.groupby("user_id").cumcount() + 1
    test = ItemListCollection.from_df(true, ["user_id"])
    recommended = ItemListCollection.from_df(predicted, ["user_id"])
    asked = {
        "NDCG": metrics.NDCG,
        "NDCG, gain='rating'": lambda k: metrics.NDCG(k, gain="rating"),
        "AveragePrecision": metrics.ranking.AveragePrecision,
        "RecipRank": metrics.RecipRank,
        "Precision": metrics.Precision,
        "Recall": metrics.Recall,
        "Hit": metrics.Hit,
    }

    def ask(make: Callable[[int], Any], k: int) -> float:
        analysis = metrics.RunAnalysis(make(k))
        return analysis.measure(recommended, test).list_summary()["mean"].iloc[0]

    return {name: at_cutoffs(lambda k, make=make: ask(make, k)) for name, make in asked.items()}


def beir(grades: Table, predictions: Table) -> Means:
    """Ask BEIR, which rounds to five digits."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    ndcg, average, recall, precision = EvaluateRetrieval.evaluate(grades, predictions, CUTOFFS)
    answers = {**ndcg, **average, **recall, **precision}
    for name in ("mrr", "recall_cap", "top_k_accuracy"):
        with_queries = {user: row for user, row in predictions.items() if user in grades}
        answers |= EvaluateRetrieval.evaluate_custom(grades, with_queries, CUTOFFS, name)
    names = ("NDCG", "MAP", "Recall", "P", "MRR", "R_cap", "Accuracy")
    return {name: at_cutoffs(lambda k, name=name: answers[f"{name}@{k}"]) for name in names}


def sentence_transformers(grades: Table, predictions: Table) -> Means:
    """Ask the evaluator of sentence-transformers, which is given what a model found."""
    try:
        from sentence_transformers.sentence_transformer.evaluation import (
            InformationRetrievalEvaluator,
        )
    except ImportError:  # in older versions
        from sentence_transformers.evaluation import InformationRetrievalEvaluator

    users = sorted(grades | predictions)
    cutoffs = {
        f"{name}_at_k": CUTOFFS for name in ("accuracy", "precision_recall", "mrr", "ndcg", "map")
    }
    evaluator = InformationRetrievalEvaluator(
        {user: user for user in users},
        {f"i{item:02}": "" for item in range(N_ITEMS)},
        {user: set(grades[user]) for user in users if user in grades},
        **cutoffs,
    )
    found = [
        [{"corpus_id": item, "score": score} for item, score in predictions.get(user, {}).items()]
        for user in evaluator.queries_ids
    ]
    answers = evaluator.compute_metrics(found)
    return {
        name: at_cutoffs(lambda k, name=name: answers[f"{name}@k"][k])
        for name in ("ndcg", "map", "mrr", "precision", "recall", "accuracy")
    }


def pyspark(grades: Table, predictions: Table) -> Means:
    """Ask Spark's metrics of rankings."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").getOrCreate()
    users = sorted(grades | predictions)
    rows = [(best_first(predictions.get(user, {})), list(grades.get(user, {}))) for user in users]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of what it calls itself
        metrics = RankingMetrics(spark.sparkContext.parallelize(rows))
    names = ("ndcgAt", "meanAveragePrecisionAt", "precisionAt", "recallAt")
    answers = {name: at_cutoffs(getattr(metrics, name)) for name in names}
    return answers | {"meanAveragePrecision": {"None": metrics.meanAveragePrecision}}


def dense(grades: Table, predictions: Table) -> tuple[list[list[float]], list[list[float]]]:
    """Return the labels and scores of the predicted items, one user per row."""
    labels = [
        [grades.get(user, {}).get(item, 0) for item in row] for user, row in predictions.items()
    ]
    return labels, [list(row.values()) for row in predictions.values()]


def tensorflow_ranking(grades: Table, predictions: Table) -> Means:
    """Ask TF-Ranking, of the predicted items alone."""
    from tensorflow_ranking.python.keras import metrics

    labels, scores = (
        [[float(value) for value in row] for row in rows] for rows in dense(grades, predictions)
    )
    names = ("NDCGMetric", "MeanAveragePrecisionMetric", "MRRMetric", "PrecisionMetric")
    names += ("RecallMetric", "HitsMetric")
    return {
        name: at_cutoffs(
            lambda k, name=name: getattr(metrics, name)(topn=k)(labels, scores).numpy()
        )
        for name in names
        if hasattr(metrics, name)
    }


def torchrec(grades: Table, predictions: Table) -> Means:
    """Ask torchrec, of the predicted items alone, a session for each user."""
    import torch
    from torchrec.metrics.metrics_config import RecTaskInfo
    from torchrec.metrics.ndcg import NDCGMetric

    labels, scores = dense(grades, predictions)
    flat = {
        name: torch.tensor([value for row in rows for value in row], dtype=torch.float32)
        for name, rows in (("labels", labels), ("scores", scores))
    }
    session = torch.arange(len(labels)).repeat_interleave(N_PREDICTED)

    def ask(exponential: bool, k: int) -> float:
        task = RecTaskInfo("task", "label", "prediction", "weight")
        metric = NDCGMetric(
            1,
            0,
            session.numel(),
            [task],
            window_size=10**6,
            exponential_gain=exponential,
            session_key="session",
            k=k,
            report_ndcg_as_decreasing_curve=False,
        )
        metric.update(
            predictions={"task": flat["scores"].double()},
            labels={"task": flat["labels"].double()},
            weights={"task": torch.ones(session.numel()).double()},
            required_inputs={"session": session},
        )
        answers = metric.compute()
        return answers[next(name for name in answers if "lifetime" in name)]

    return {
        name: at_cutoffs(lambda k, exponential=exponential: ask(exponential, k))
        for name, exponential in (("NDCG", False), ("NDCG, exponential_gain", True))
    }


class Framework(NamedTuple):
    """A framework to ask."""

    name: str
    ask: Asking
    distribution: str
    note: str


FRAMEWORKS = [
    Framework("RecTools", rectools, "RecTools", "Grades are not read."),
    Framework("implicit", implicit, "implicit", "Its evaluation asks a model; ours recommends."),
    Framework("RePlay", replay, "replay-rec", "Grades are not read."),
    Framework(
        "recommenders",
        recommenders,
        "recommenders",
        "nDCG counts users without predictions 0. The other metrics leave them out.",
    ),
    Framework(
        "Evidently",
        evidently,
        "evidently",
        "Answers up to k come as a table, of which the row at k - 1 is recorded. A relevant item "
        "without a prediction has no row, so that it is in no ideal. MAP depends on the order of "
        "the rows, and is average precision only if the best item of each user comes first.",
    ),
    Framework(
        "LensKit",
        lenskit,
        "lenskit",
        "The discount is 1 / max(log2(rank), 1), so that the ranks 1 and 2 count the same. Recall "
        "is divided by the smaller of the relevant items and k. Users without predictions or "
        "relevant items are left out, but those without relevant items count 0 in Precision, and "
        "are an error in AveragePrecision.",
    ),
    Framework("RecBole", recbole, "recbole", "Grades are not read."),
    Framework("BEIR", beir, "beir", "Rounded to five digits. By pytrec_eval; MRR and others not."),
    Framework(
        "sentence-transformers",
        sentence_transformers,
        "sentence-transformers",
        "InformationRetrievalEvaluator. Grades are not read.",
    ),
    Framework("Spark", pyspark, "pyspark", "mllib.evaluation.RankingMetrics. No grades."),
    Framework(
        "TF-Ranking",
        tensorflow_ranking,
        "tensorflow-ranking",
        "It was given the predicted items alone, so that others are in no ideal.",
    ),
    Framework(
        "torchrec",
        torchrec,
        "torchrec",
        "It was given the predicted items alone, so that others are in no ideal.",
    ),
]


def main() -> None:
    """Ask the installed frameworks, and write the file with the others' entries as they were."""
    grades, predictions = draw()
    recorded = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    entries = {}
    for framework in FRAMEWORKS:
        if importlib.util.find_spec(framework.ask.__name__) is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                means = {
                    case: framework.ask(of_case(case, grades), of_case(case, predictions))
                    for case in CASES
                }
            entries[framework.name] = {
                "version": importlib.metadata.version(framework.distribution),
                "python": f"{sys.version_info.major}.{sys.version_info.minor}",
                "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
                "note": framework.note,
                "means": means,
            }
        elif framework.name in recorded.get("frameworks", {}):
            entries[framework.name] = recorded["frameworks"][framework.name]
    written = {"grades": grades, "predictions": predictions, "frameworks": entries}
    text = json.dumps(written, indent=2, allow_nan=False)
    innermost = re.compile(r"\{\s+([^{}]*?)\s+\}")
    text = innermost.sub(lambda found: "{" + " ".join(found[1].split()) + "}", text)
    PATH.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
