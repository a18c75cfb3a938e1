"""Compare scikit-learn's regressors by nDCG@10, without metadata routing.

The number of the query is a column of the features, where it is cut into folds with all others.

Run it with ``python examples/rank_with_scikit_learn.py``. It takes about 15 seconds.
"""

from __future__ import annotations

import numpy as np
from held_out import print_report
from learning_to_rank import HIT_RATE, NDCG, Documents, load
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ranking_scores import make_ranking_scorer
from ranking_scores.rankers import QueryRanker

QUERY = 0  # the column of the query's number


def with_query(documents: Documents) -> np.ndarray:
    """Return the features with one more column, the number of the query."""
    return np.column_stack([documents.query, documents.features])


def tune(train: Documents) -> GridSearchCV:
    """Return a search for the best regressor, its choice trained on all of `train`."""
    regressors = [
        make_pipeline(StandardScaler(), Ridge(alpha=1000)),
        GradientBoostingRegressor(n_estimators=50, max_features=0.1, random_state=0),
        ExtraTreesRegressor(50, max_features=0.1, min_samples_leaf=5, random_state=0),
    ]
    search = GridSearchCV(
        # It leaves the column of the query out of what the regressor sees.
        QueryRanker(Ridge(), qid_from=QUERY),
        {"estimator": regressors},
        scoring={
            "ndcg@10": make_ranking_scorer("ndcg@10", qid_from=QUERY, **NDCG),
            "hit_rate@1": make_ranking_scorer("hit_rate@1", qid_from=QUERY, **HIT_RATE),
        },
        refit="ndcg@10",
        cv=GroupKFold(5),  # keeps the documents of a query in one fold
        error_score="raise",  # a scorer that fails shall not pass for a low score
        verbose=1,
    )
    return search.fit(with_query(train), train.label, groups=train.query)


def main() -> None:
    """Tune on the training queries, report on the test queries."""
    train, test = load("train"), load("test")
    search = tune(train)
    print("In cross-validation: nDCG@10, and the hit rate@1 of documents judged 3 or 4")
    of_regressor = search.cv_results_
    for regressor, ndcg, hit_rate in zip(
        of_regressor["param_estimator"],
        of_regressor["mean_test_ndcg@10"],
        of_regressor["mean_test_hit_rate@1"],
        strict=True,
    ):
        print(f"{ndcg:.3f} {hit_rate:.3f} {type(regressor).__name__}")
    print(f"\nThe best: {type(search.best_params_['estimator']).__name__}")
    print_report(train, test, search.predict(with_query(test)))


if __name__ == "__main__":
    main()
