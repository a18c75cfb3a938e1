"""Tune a ``CatBoostRanker`` for nDCG@10, then score it query by query on unseen queries.

Run it with ``python examples/rank_with_catboost.py``. It needs the package ``catboost``, and takes
about 15 seconds.
"""

from __future__ import annotations

import sklearn
from catboost import CatBoostRanker
from held_out import print_best, print_report
from learning_to_rank import NDCG, Documents, load
from sklearn.model_selection import GridSearchCV, GroupKFold

from ranking_scores import make_ranking_scorer
from ranking_scores.rankers import QueryRanker


def tune(train: Documents) -> GridSearchCV:
    """Return a search for the best ranker, its choice trained on all of `train`."""
    ranker = CatBoostRanker(
        iterations=60,
        learning_rate=0.1,
        random_seed=0,
        thread_count=1,
        allow_writing_files=False,  # else it makes a folder, catboost_info
        verbose=False,
    )
    # CatBoostRanker takes the ids as `group_id`, and scikit-learn cannot route them to it: it has
    # no `set_fit_request`. QueryRanker passes them on.
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            QueryRanker(ranker),
            {"estimator__loss_function": ["YetiRank", "QueryRMSE"], "estimator__depth": [3, 5]},
            scoring=make_ranking_scorer("ndcg@10", **NDCG).set_score_request(qid=True),
            cv=GroupKFold(3),  # keeps the documents of a query in one fold
            error_score="raise",  # a scorer that fails shall not pass for a low score
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
