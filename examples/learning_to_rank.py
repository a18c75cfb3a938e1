"""Tune a model for nDCG@10, then score it by nDCG and hit rate on queries it has not seen.

The data are the documents of 251 queries: 300 features of each document, and a judgment of how
relevant it is to its query, from 0 to 4. A regressor learns to predict the judgment; what counts
is only how well its predictions rank the documents of each query.

Run it with ``python examples/learning_to_rank.py``. It takes 15 seconds on two cores, and the
first lines come after one.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.model_selection import GridSearchCV, GroupKFold

from ranking_scores import compare_all, hit_rate_score, make_ranking_scorer, ndcg_score

DATA = Path(__file__).parent / "data" / "lambdarank"
N_FEATURES = 300
CUTOFFS = [1, 3, 5, 10]
HIT_CUTOFFS = [1, 3]

# One definition of each score for all that follows, the tuning and the table.
NDCG: dict[str, Any] = {
    # The judgments are grades, not amounts: one perfect document (4) is worth more than two fair
    # ones (2). With 2**label - 1, the usual gain for grades, it gains 15 and they gain 3 each.
    "gain": "exponential",
    # Where no document of a query is relevant, no ranking of them is better than another. Such
    # queries are left out of the mean, so that it speaks of those that a model can get wrong.
    "replace_undefined_by": np.nan,
}
HIT_RATE: dict[str, Any] = {
    # Is one of the best documents at the top? Nearly every query has a document that is somewhat
    # relevant (1), and any order has it among the first few. Those judged 3 or 4 are rare.
    "relevance_threshold": 3,
    # Half of the test queries have no such document; no ranking can bring it to the top.
    "replace_undefined_by": np.nan,
}


class Documents(NamedTuple):
    """Documents, a row each; the documents of a query share the query's number."""

    features: NDArray[np.float64]
    label: NDArray[np.float64]
    query: NDArray[np.int64]


def load(part: str) -> Documents:
    """Return the documents of one part of the data, "train" or "test"."""
    features, label = load_svmlight_file(
        DATA / f"rank.{part}.gz", n_features=N_FEATURES, zero_based=False
    )
    documents_per_query = np.loadtxt(DATA / f"rank.{part}.query", dtype=np.int64)
    query = np.repeat(np.arange(documents_per_query.size), documents_per_query)
    return Documents(features.toarray(), label, query)


def describe(part: str, documents: Documents) -> str:
    """Return how much data there is, and how many queries each score leaves out."""
    label, query = documents.label, documents.query
    ndcg = ndcg_score(label, label, qid=query, average=None, **NDCG)
    hit_rate = hit_rate_score(label, label, k=1, qid=query, average=None, **HIT_RATE)
    return (
        f"{part}: {label.size} documents of {ndcg.size} queries; left out are "
        f"{np.isnan(ndcg).sum()} by nDCG, {np.isnan(hit_rate).sum()} by the hit rate"
    )


def tune(train: Documents) -> GridSearchCV:
    """Return a search for the best regressor, its choice trained on all of `train`."""
    # A document says nothing about its own query, so the scorer needs `qid` for every document.
    # scikit-learn hands it over where metadata routing is enabled and the scorer asks for it.
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(ndcg_score, k=10, **NDCG).set_score_request(qid=True)
        search = GridSearchCV(
            ExtraTreesRegressor(n_estimators=100, random_state=0),
            {"max_features": [0.1, 0.3], "min_samples_leaf": [5, 20]},
            scoring=scorer,
            cv=GroupKFold(5),  # keeps the documents of a query in one fold
            error_score="raise",  # a scorer that fails shall not pass for a low score
            verbose=3,
        )
        return search.fit(train.features, train.label, qid=train.query, groups=train.query)


def best_feature(train: Documents) -> int:
    """Return the column that ranks best all by itself."""
    ndcg = [
        ndcg_score(train.label, feature, k=10, qid=train.query, **NDCG)
        for feature in train.features.T
    ]
    return int(np.argmax(ndcg))


def tied_share(score: NDArray[np.float64], query: NDArray[np.int64]) -> float:
    """Return the share of the documents whose score another document of the query has too."""
    _, group, group_size = np.unique(
        np.column_stack([query, score]), axis=0, return_inverse=True, return_counts=True
    )
    return float(np.mean(group_size[group] > 1))


def table_row(name: str, test: Documents, score: NDArray[np.float64], **params: Any) -> str:
    """Return a ranking's scores at each cutoff, after its name and the share of ties."""
    params["qid"] = test.query
    ndcg = ndcg_score(test.label, score, k=CUTOFFS, **NDCG, **params)
    hit_rate = hit_rate_score(test.label, score, k=HIT_CUTOFFS, **HIT_RATE, **params)
    tied = tied_share(score, test.query)
    return f"{name:34}{tied:6.0%}" + "".join(f"{value:9.3f}" for value in [*ndcg, *hit_rate])


def main() -> None:
    """Tune on the training queries, print a table about the test queries."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # progress shows at once, through a pipe too
    train, test = load("train"), load("test")
    print(f"{N_FEATURES} features")
    print(describe("train", train))
    print(describe("test", test))

    print("\nTuning for nDCG@10, each query in one of 5 folds")
    search = tune(train)
    print(f"Best: {search.best_params_}, nDCG@10 {search.best_score_:.3f} in cross-validation")

    column = best_feature(train)
    feature = test.features[:, column]
    name = f"feature {column}, best on train"
    print("\nOn the test queries: nDCG@k, and the hit rate@k of documents judged 3 or 4")
    print(f"{'':40}{'nDCG':>9}{'hit rate':>{9 * len(CUTOFFS)}}")
    columns = "".join(f"{f'k = {k}':>9}" for k in [*CUTOFFS, *HIT_CUTOFFS])
    print(f"{'ranked by':34}{'tied':>6}{columns}")
    predicted = search.predict(test.features)
    print(table_row("the tuned model", test, predicted))
    print(table_row(name, test, feature))
    print(table_row("constant scores, the chance level", test, np.zeros_like(feature)))
    # What a ranking by sorting says: ties are broken by where a document stands in the file.
    print("\nThe feature if its ties were broken by the order of the file, from")
    print(table_row("the last document to the first", test, feature, ignore_ties=True))
    backwards = Documents(test.features[::-1], test.label[::-1], test.query[::-1])
    print(table_row("the first document to the last", backwards, feature[::-1], ignore_ties=True))

    # Both are means over 50 queries. Would the model also be better on others like these?
    of_queries = {
        system: ndcg_score(test.label, score, k=10, qid=test.query, average=None, **NDCG)
        for system, score in [("feature", feature), ("model", predicted)]
    }
    print("\nIs the model better than the feature? nDCG@10 of each test query")
    print(compare_all(of_queries, baseline="feature", correction=None))


if __name__ == "__main__":
    main()
