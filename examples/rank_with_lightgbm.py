"""Tune an ``LGBMRanker`` for nDCG@10, early stopping included, and score it query by query.

Run it with ``python examples/rank_with_lightgbm.py``. It needs the package ``lightgbm``, and takes
about 10 seconds.
"""

from __future__ import annotations

import inspect
from typing import Any

import lightgbm
import sklearn
from held_out import print_best, print_report
from learning_to_rank import NDCG, Documents, load
from sklearn.model_selection import GridSearchCV, GroupKFold, GroupShuffleSplit

from ranking_scores import make_ranking_scorer, ndcg_score, qid_from_sizes, sizes_from_qid
from ranking_scores.rankers import QueryRanker

RANKER = QueryRanker(
    lightgbm.LGBMRanker(n_estimators=50, learning_rate=0.1, n_jobs=1, random_state=0, verbose=-1)
)


def tune(train: Documents) -> GridSearchCV:
    """Return a search for the best ranker, its choice trained on all of `train`."""
    # LGBMRanker takes the sizes of the queries, which no splitter can cut into folds. QueryRanker
    # makes them of the ids, in each fold.
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            RANKER,
            {"estimator__num_leaves": [7, 31], "estimator__min_child_samples": [10, 50]},
            scoring=make_ranking_scorer("ndcg@10", **NDCG).set_score_request(qid=True),
            cv=GroupKFold(3),  # keeps the documents of a query in one fold
            error_score="raise",  # a scorer that fails shall not pass for a low score
            verbose=3,
        )
        return search.fit(train.features, train.label, qid=train.query, groups=train.query)


def ndcg_at_10(y_true: Any, y_score: Any, weight: Any, group: Any) -> tuple[str, float, bool]:
    """Return what LightGBM wants of a metric: its name, its value, and that more is better."""
    value = ndcg_score(y_true, y_score, qid=qid_from_sizes(group), k=10, **NDCG)
    return "our ndcg@10", value, True


def count_trees(train: Documents, best_params: dict[str, Any]) -> int:
    """Return the number of trees that rank a quarter of the training queries best."""
    split = GroupShuffleSplit(1, test_size=0.25, random_state=0).split(*train[:2], train.query)
    fitted, kept = (Documents(*(each[rows] for each in train)) for rows in next(split))
    ranker = sklearn.clone(RANKER).set_params(**best_params)
    ranker.set_params(estimator__n_estimators=500, estimator__metric="None")
    ranker.fit(
        fitted.features,
        fitted.label,
        qid=fitted.query,
        # A validation set is passed on as it is, so it has the form that LightGBM wants.
        **validation_set(kept),
        eval_metric=ndcg_at_10,
        callbacks=[lightgbm.early_stopping(30, verbose=False)],
    )
    n_trees = int(ranker.estimator_.best_iteration_)
    ndcg = ranker.estimator_.best_score_["valid_0"]["our ndcg@10"]
    print(f"Of the trees, {n_trees} are best, nDCG@10 {ndcg:.3f} on {kept.label.size} documents")
    return n_trees


def validation_set(kept: Documents) -> dict[str, Any]:
    """Return the parameters of LightGBM for a validation set."""
    params: dict[str, Any] = {"eval_group": [sizes_from_qid(kept.query)]}
    if "eval_X" in inspect.signature(lightgbm.LGBMRanker.fit).parameters:
        return params | {"eval_X": (kept.features,), "eval_y": (kept.label,)}
    return params | {"eval_set": [(kept.features, kept.label)]}  # before LightGBM 4.7


def main() -> None:
    """Tune on the training queries, report on the test queries."""
    train, test = load("train"), load("test")
    search = tune(train)
    print_best(search)
    ranker = sklearn.clone(search.best_estimator_)
    ranker.set_params(estimator__n_estimators=count_trees(train, search.best_params_))
    ranker.fit(train.features, train.label, qid=train.query)
    print_report(train, test, ranker.predict(test.features))


if __name__ == "__main__":
    main()
