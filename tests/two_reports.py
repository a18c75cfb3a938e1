"""The scores of two rankers on the same queries, and reports of them."""

from __future__ import annotations

import math

import numpy as np

from ranking_scores import ranking_report
from ranking_scores.tables import from_lists

N_QUERIES = 66
N_ITEMS = 12
RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 3, (N_QUERIES, N_ITEMS)) * (RNG.random((N_QUERIES, N_ITEMS)) < 0.4)
Y_TRUE[3] = 0  # undefined for some scores
OLD = RNG.integers(0, 6, Y_TRUE.shape) + 0.5 * Y_TRUE
NEW = RNG.integers(0, 6, Y_TRUE.shape) + 1.5 * Y_TRUE
IDS = np.array([f"q{number}" for number in RNG.permutation(N_QUERIES)])
DEVICE = np.array(["tv", "phone", "pc"])[np.arange(N_QUERIES) % 3]
SCORES = ["ndcg", "hit_rate", "map"]
NAN = math.nan
WEIGHT = np.where(np.arange(N_QUERIES) == 5, 0, RNG.integers(4, 8, N_QUERIES) / 4)
TOPIC = np.arange(N_QUERIES) // 12 * 3 + np.arange(N_QUERIES) % 3  # of one device each


def report(y_score, scores=SCORES, k=3, **params):
    """Return the report of some scores on all queries."""
    params = {"query_ids": IDS, "by": {"device": DEVICE}} | params
    return ranking_report(Y_TRUE, y_score, scores=scores, k=k, **params)


def report_of_values(values, name="ndcg", **params):
    """Return a report whose score of each query is the given one, from 0 to 1."""
    y_true, y_score = np.tile([1, 0], (len(values), 1)), np.tile([1, 0], (len(values), 1))
    found = ranking_report(y_true, y_score, scores=name, k=None, **params)
    values = np.array(values, dtype=float)
    [metric] = found.metrics
    vars(found)["per_query"] = {metric: values}
    return found


def random_data(seed, labels=(1, 2, 3), judged=None):
    """Return judgments, and data with ties and items that are not retrieved."""
    rng = np.random.default_rng(seed)
    items = [f"d{number}" for number in range(15)]
    queries = [f"q{number}" for number in range(8)]
    if judged is None:
        judged = {
            each: {item: int(rng.choice(labels)) for item in rng.choice(items, 6, replace=False)}
            for each in queries
        }
    lists = {
        each: {item: float(rng.integers(0, 4)) for item in rng.choice(items, 9, replace=False)}
        for each in queries
    }
    return judged, lists, from_lists(judged, lists)
