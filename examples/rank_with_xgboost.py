"""Tune an ``XGBRanker`` for nDCG@10, then score it query by query on queries it has not seen.

Run it with ``python examples/rank_with_xgboost.py``. It needs the package ``xgboost`` or
``xgboost-cpu``, and takes about 10 seconds.
"""

from __future__ import annotations

import sklearn
from held_out import print_best, print_report
from learning_to_rank import HIT_RATE, NDCG, Documents, load
from sklearn.model_selection import GroupKFold, RandomizedSearchCV
from xgboost import XGBRanker

from ranking_scores import make_ranking_scorer
from ranking_scores.rankers import QueryRanker


def tune(train: Documents) -> RandomizedSearchCV:
    """Return a search for the best ranker, its choice trained on all of `train`."""
    # XGBRanker wants the rows sorted by query, and a weight for each query. QueryRanker sees to
    # both, and asks for the ids of the queries by itself.
    ranker = QueryRanker(XGBRanker(n_estimators=60, subsample=0.8, n_jobs=1, random_state=0))
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = {
            "ndcg@10": make_ranking_scorer("ndcg@10", **NDCG).set_score_request(qid=True),
            "hit_rate@1": make_ranking_scorer("hit_rate@1", **HIT_RATE).set_score_request(
                qid=True
            ),
        }
        search = RandomizedSearchCV(
            ranker,
            {
                "estimator__max_depth": [2, 3, 4],
                "estimator__learning_rate": [0.05, 0.1, 0.2],
                "estimator__lambdarank_pair_method": ["mean", "topk"],
            },
            n_iter=6,
            scoring=scoring,
            refit="ndcg@10",
            cv=GroupKFold(3),  # keeps the documents of a query in one fold
            error_score="raise",  # a scorer that fails shall not pass for a low score
            random_state=0,
            verbose=3,
        )
        return search.fit(train.features, train.label, qid=train.query, groups=train.query)


def main() -> None:
    """Tune on the training queries, report on the test queries."""
    train, test = load("train"), load("test")
    search = tune(train)
    print_best(search)
    print_report(train, test, search.predict(test.features))


if __name__ == "__main__":
    main()
