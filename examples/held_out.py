"""What the examples of rankers share: the scores of a tuned ranker on queries it has not seen."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from learning_to_rank import HIT_RATE, NDCG, Documents, best_feature

from ranking_scores import hit_rate_score, ndcg_score, ranking_report

SCORES = {"ndcg": partial(ndcg_score, **NDCG), "hit_rate": partial(hit_rate_score, **HIT_RATE)}


def print_best(search: Any) -> None:
    """Print what a search has found, by the names that the ranker has for its parameters."""
    best = {name.removeprefix("estimator__"): value for name, value in search.best_params_.items()}
    print(f"Best: {best}, nDCG@10 {search.best_score_:.3f} in cross-validation\n")


def print_report(train: Documents, test: Documents, y_score: Any) -> None:
    """Print the scores of a ranking of the test queries, and of each query where that helps."""
    report = ranking_report(test.label, y_score, scores=SCORES, k=[1, 3, 10], qid=test.query)
    print("On the test queries: nDCG, and the hit rate of documents judged 3 or 4")
    print(report)

    # Two rankings of the same queries are compared query by query: whether a query is hard or
    # easy is then in both, and in none of the differences.
    column = best_feature(train)
    feature = test.features[:, column]
    other = ranking_report(test.label, feature, scores=SCORES, k=10, qid=test.query)
    per_query = report.per_query["ndcg@10"]
    gain = per_query - other.per_query["ndcg@10"]
    gain = gain[~np.isnan(gain)]
    error = gain.std(ddof=1) / np.sqrt(gain.size)
    print(f"\nnDCG@10 above that of feature {column + 1}, the best on the training queries:")
    print(f"{gain.mean():+.3f}, standard error {error:.3f}")
    print(f"Better in {(gain > 0).sum()} queries, worse in {(gain < 0).sum()}")

    print("\nThe three queries that are ranked worst:")
    for query in np.argsort(per_query)[:3]:  # NaN, of queries that are left out, is sorted last
        labels = test.label[test.query == report.query_ids[query]]
        print(
            f"query {report.query_ids[query]:2}: nDCG@10 {per_query[query]:.3f}, "
            f"{labels.size} documents, {(labels >= 3).sum()} of them judged 3 or 4"
        )
