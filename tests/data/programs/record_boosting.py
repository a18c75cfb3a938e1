"""Ask the libraries of gradient boosting, by models without trees whose scores are given.

They are given the documents that were predicted, in the order of the run, those not judged with
label 0. So relevant documents that were not predicted are in no ideal, and queries without
predictions are not asked.
"""

from __future__ import annotations

import itertools
from typing import Any

from asked import CUTOFFS, Case, Measure, Program, one_by_one

OF_LABELS = "The labels were given as 0 and 1."


def flat(case: Case, binary: bool = False) -> tuple[list[int], list[float], list[int]]:
    """Return the labels and the scores of all queries, and the queries' sizes."""
    labels = [grade for query in case.run for grade in case.grades(query)]
    scores = [score for row in case.run.values() for _, score in row]
    if binary:
        labels = [int(label > 0) for label in labels]
    return labels, scores, [len(row) for row in case.run.values()]


def xgboost() -> dict[str, Measure]:
    """The metrics of a booster without trees, of base margins."""
    import numpy as np
    import xgboost as xgb

    def make(metric: str, binary: bool = False, **params: Any) -> Measure:
        def ask(case: Case) -> Any:
            labels, scores, sizes = flat(case, binary)
            data = xgb.DMatrix(np.zeros((len(labels), 1)), label=labels)
            data.set_group(sizes)
            data.set_base_margin(np.array(scores))
            given = {"objective": "rank:pairwise", **params}
            if metric:
                given["eval_metric"] = metric
            booster = xgb.train({"nthread": 1, **given}, data, num_boost_round=0)
            return float(booster.eval(data).rsplit(":", 1)[1])

        return one_by_one(ask, of_run=True)

    measures = {}
    for k in (*(f"@{k}" for k in CUTOFFS), ""):
        for minus in ("", "-"):
            ending = f"{k}{minus}" if k else minus
            measures[f"ndcg{ending}"] = make(f"ndcg{ending}")
            measures[f"ndcg{ending}, ndcg_exp_gain=False"] = make(
                f"ndcg{ending}", ndcg_exp_gain=False
            )
            measures[f"map{ending}"] = make(f"map{ending}", binary=True)
            measures[f"pre{ending}"] = make(f"pre{ending}", binary=True)
    for text, params in (("", {}), (", ndcg_exp_gain=False", {"ndcg_exp_gain": False})):
        given = {"lambdarank_pair_method": "mean", **params}
        measures[f"ndcg, eval_metric=None{text}"] = make("", **given)
    measures["map@5, grades"] = make("map@5")
    measures["pre@5, grades"] = make("pre@5")
    measures["auc"] = make("auc", binary=True)
    measures["aucpr"] = make("aucpr", binary=True)
    return measures


def lightgbm() -> dict[str, Measure]:
    """The metrics of a booster without trees, of initial scores."""
    import lightgbm as lgb
    import numpy as np

    def make(metric: str, k: int, **params: Any) -> Measure:
        def ask(case: Case) -> Any:
            labels, scores, sizes = flat(case)
            given = {"objective": "lambdarank", "metric": metric, "eval_at": [k], "verbose": -1}
            given |= {"num_threads": 1, "min_data_in_bin": 1, "min_data_in_leaf": 1, **params}
            rng = np.random.default_rng(0)  # a feature, as data without any is refused
            data = lgb.Dataset(
                rng.random((len(labels), 1)),
                label=labels,
                group=sizes,
                init_score=scores,
                params={**given, "feature_pre_filter": False},
            )
            booster = lgb.Booster(given, data)
            return booster.eval_train()[0][2]

        return one_by_one(ask, of_run=True)

    measures = {}
    for k in CUTOFFS:
        measures[f"ndcg@{k}"] = make("ndcg", k)
        measures[f"ndcg@{k}, label_gain=[0, 1, 2, 3]"] = make("ndcg", k, label_gain=[0, 1, 2, 3])
        measures[f"map@{k}"] = make("map", k)
    measures["auc"] = make("auc", 5)
    measures["average_precision"] = make("average_precision", 5)
    return measures


def catboost() -> dict[str, Measure]:
    """The function eval_metric of catboost.utils."""
    from catboost.utils import eval_metric

    def make(metric: str, binary: bool = False, divide: int = 1) -> Measure:
        def ask(case: Case) -> Any:
            labels, scores, sizes = flat(case, binary)
            groups = list(itertools.chain(*([place] * size for place, size in enumerate(sizes))))
            given = [label / divide for label in labels]
            return eval_metric(given, scores, metric, group_id=groups, thread_count=1)[0]

        return one_by_one(ask, of_run=True)

    names = []
    for top in (*(f"top={k}" for k in CUTOFFS), ""):
        for name in ("NDCG", "DCG"):
            options = [";".join(filter(None, (top, kind))) for kind in ("", "type=Exp")]
            options.append(";".join(filter(None, (top, "denominator=Position"))))
            names += [f"{name}:{text}".rstrip(":") for text in options]
        others = ("MAP", "MRR", "PrecisionAt", "RecallAt", "PFound", "ERR", "FilteredDCG")
        names += [f"{name}:{top}".rstrip(":") for name in others if top or name != "FilteredDCG"]
    names += ["FilteredDCG", "FilteredDCG:sigma=0.5", "PFound:decay=0.5", "QueryAUC", "AUC"]
    names += ["MAP:top=5;border=1.5", "PrecisionAt:top=5;border=1.5", "MRR:top=5;border=1.5"]
    names += ["QueryAUC:type=Ranking", "AUC:type=Ranking", "PairAccuracy", "AverageGain:top=5"]
    names += ["QueryAverage:top=3", "AverageGain:top=10", "NDCG:top=-1", "NDCG:use_weights=False"]
    names += ["NDCG:hints=skip_train~false"]
    names = [name for name in names if not name.startswith("FilteredDCG:top")]
    measures = {name: make(name) for name in dict.fromkeys(names)}
    for name in ("PFound:top=5", "ERR:top=5", "PFound", "ERR"):
        measures[f"{name}, labels divided by 4"] = make(name, divide=4)
    measures["QueryAUC, labels 0 and 1"] = make("QueryAUC", binary=True)
    return measures


PREDICTED = "Asked of the predicted documents alone, those not judged with label 0. "
PROGRAMS = [
    Program(
        "XGBoost",
        "xgboost-cpu",
        "xgboost",
        xgboost,
        "https://github.com/dmlc/xgboost/blob/master/src/metric/rank_metric.cc",
        PREDICTED + "Margins are float32. Equal scores stay in the order of the run. map and pre "
        "refuse grades: they got 0 and 1, except those that say grades.",
    ),
    Program(
        "LightGBM",
        "lightgbm",
        "lightgbm",
        lightgbm,
        "https://github.com/microsoft/LightGBM/tree/master/src/metric",
        PREDICTED + "Equal scores stay in the order of the run. auc and average_precision pool "
        "the rows of all queries.",
    ),
    Program(
        "CatBoost",
        "catboost",
        "catboost",
        catboost,
        "https://github.com/catboost/catboost/tree/master/catboost/libs/metrics",
        PREDICTED + "Of equal scores, the lowest label is first. PFound and ERR take labels as "
        "probabilities, so that grades above 1 make them meaningless; labels divided by 4 were "
        "given too.",
    ),
]
