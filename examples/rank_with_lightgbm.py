"""Tune an ``LGBMRanker`` for nDCG@10, early stopping included, and score it query by query.

Run it with ``python examples/rank_with_lightgbm.py``. It needs the package ``lightgbm``, and takes
about 10 seconds.
"""

from __future__ import annotations

from typing import Any

import lightgbm
import sklearn
from held_out import print_best, print_report
from learning_to_rank import NDCG, Documents, load
from sklearn.model_selection import GridSearchCV, GroupKFold

from ranking_scores import make_ranking_scorer, ndcg_score, qid_from_sizes
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
    # Whole queries are held out, and passed to LightGBM as its validation set.
    ranker = sklearn.clone(RANKER).set_params(**best_params, validation_fraction=0.25)
    ranker.set_params(random_state=0, estimator__n_estimators=500, estimator__metric="None")
    ranker.fit(
        train.features,
        train.label,
        qid=train.query,
        eval_metric=ndcg_at_10,
        callbacks=[lightgbm.early_stopping(30, verbose=False)],
    )
    n_trees = int(ranker.estimator_.best_iteration_)
    ndcg = ranker.estimator_.best_score_["valid_0"]["our ndcg@10"]
    n_queries = ranker.validation_query_ids_.size
    print(f"Of the trees, {n_trees} are best, nDCG@10 {ndcg:.3f} on {n_queries} queries")
    return n_trees


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
