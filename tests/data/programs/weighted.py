"""Record what libraries of boosting answer if queries have weights, in weighted.json.

Run by hand, as record.py is: ``python tests/data/programs/weighted.py`` asks the libraries that it
finds installed, and keeps the answers of the others. The lists are those of long_lists.py, with
ties, and one more without a relevant document. A row of the file has a measure as `like` takes it,
the labels that the library was given, and the mean that it answered.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import long_lists
from asked import Case

PATH = Path(__file__).with_name("weighted.json")
WEIGHTS = {"q1": 3.0, "q2": 1.0, "q3": 2.5, "q4": 2.0, "q5": 1.0, "q6": 4.0, "q7": 5.0}
OF_0_AND_1 = "0 and 1"


def case() -> Case:
    """Return the lists, of which q7 has no relevant document."""
    long = long_lists.case()
    documents = [f"n{place}" for place in range(10)]
    scores = [(1 + place * place % 4) / 4 for place in range(10)]
    return Case(
        long.qrels | {"q7": dict.fromkeys(documents, 0)},
        long.run | {"q7": list(zip(documents, scores, strict=True))},
    )


def rows(asked: Case, labels: str) -> tuple[list[int], list[float], list[int], list[float]]:
    """Return the labels and scores of all rows, the sizes of the queries, and their weights."""
    grades = [grade for query in asked.run for grade in asked.grades(query)]
    if labels == OF_0_AND_1:
        grades = [int(grade > 0) for grade in grades]
    scores = [score for row in asked.run.values() for _, score in row]
    return grades, scores, [*map(len, asked.run.values())], [*WEIGHTS.values()]


def xgboost(measure: str, labels: str) -> float:
    """Return what a booster without trees says of base margins."""
    import numpy as np
    import xgboost as xgb

    grades, scores, sizes, weights = rows(case(), labels)
    data = xgb.DMatrix(np.zeros((len(grades), 1)), label=grades)
    data.set_group(sizes)
    data.set_base_margin(np.array(scores))
    data.set_weight(weights)
    given = {"objective": "rank:ndcg", "nthread": 1, "lambdarank_pair_method": "mean"}
    if "(" not in measure:
        given["eval_metric"] = measure
    booster = xgb.train(given, data, num_boost_round=0)
    return float(booster.eval(data).rsplit(":", 1)[1])


def lightgbm(measure: str, labels: str) -> float:
    """Return what a booster without trees says of initial scores."""
    import lightgbm as lgb
    import numpy as np

    grades, scores, sizes, weights = rows(case(), labels)
    name, _, k = measure.partition("@")
    given = {"objective": "lambdarank", "metric": name, "eval_at": [int(k)], "verbose": -1}
    given |= {"num_threads": 1, "min_data_in_bin": 1, "min_data_in_leaf": 1}
    data = lgb.Dataset(
        np.random.default_rng(0).random((len(grades), 1)),
        label=grades,
        group=sizes,
        weight=np.repeat(weights, sizes),
        init_score=scores,
        params={**given, "feature_pre_filter": False},
    )
    return float(lgb.Booster(given, data).eval_train()[0][2])


def catboost(measure: str, labels: str) -> float:
    """Return what the function eval_metric says."""
    import numpy as np
    from catboost.utils import eval_metric

    grades, scores, sizes, weights = rows(case(), labels)
    groups, of_rows = (np.repeat(each, sizes) for each in (range(len(sizes)), weights))
    given = {"group_id": groups, "group_weight": of_rows, "thread_count": 1}
    return float(eval_metric(grades, scores, measure, **given)[0])


AS_THEY_ARE = "as they are"
OF_CATBOOST = [
    *((name, AS_THEY_ARE) for name in ("NDCG:top=5", "DCG:top=5;type=Exp", "NDCG", "NDCG:top=-1")),
    *((f"{name}:top=5", AS_THEY_ARE) for name in ("MAP", "MRR", "PrecisionAt", "RecallAt")),
    *((f"{name}:top=5", OF_0_AND_1) for name in ("ERR", "PFound")),
    *(
        ("MAP:top=-1", AS_THEY_ARE),
        ("QueryAUC", OF_0_AND_1),
        ("QueryAUC:type=Ranking", AS_THEY_ARE),
    ),
    *((f"{name}:top=5", AS_THEY_ARE) for name in ("AverageGain", "QueryAverage")),
    ("AverageGain:top=500", AS_THEY_ARE),
    *((f"{name}:top=5;use_weights=False", AS_THEY_ARE) for name in ("NDCG", "DCG", "MRR")),
    *((f"{name}:top=5;use_weights=False", AS_THEY_ARE) for name in ("MAP", "AverageGain")),
    *((f"{name}:use_weights=False", OF_0_AND_1) for name in ("ERR", "PFound", "QueryAUC")),
    ("NDCG:top=5;use_weights=True", AS_THEY_ARE),
    ("NDCG:top=5;hints=skip_train~false", AS_THEY_ARE),
]
ASKED: dict[str, tuple[str, Callable[[str, str], float], list[tuple[str, str]]]] = {
    "XGBoost": (
        "xgboost-cpu",
        xgboost,
        [
            *((name, AS_THEY_ARE) for name in ("ndcg@5", "ndcg@5-", "ndcg")),
            *((name, OF_0_AND_1) for name in ("map@5", "map@5-", "map", "pre@5", "pre@5-")),
            ("ndcg(eval_metric=None)", AS_THEY_ARE),
        ],
    ),
    "LightGBM": ("lightgbm", lightgbm, [("ndcg@5", AS_THEY_ARE), ("map@5", AS_THEY_ARE)]),
    "CatBoost": ("catboost", catboost, OF_CATBOOST),
}


def main() -> None:
    """Ask the libraries that are installed."""
    written = json.loads(PATH.read_text()) if PATH.exists() else {}
    for program, (distribution, ask, measures) in ASKED.items():
        if importlib.util.find_spec(program.lower()) is not None:
            answers = [[*each, ask(*each)] for each in measures]
            version = importlib.metadata.version(distribution)
            written[program] = {"version": version, "answers": answers}
    parts = []
    for program, entry in written.items():
        lines = ",\n".join(f"   {json.dumps(each)}" for each in entry["answers"])
        head = f' {json.dumps(program)}: {{\n  "version": {json.dumps(entry["version"])},\n'
        parts.append(head + f'  "answers": [\n{lines}\n  ]\n }}')
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
