"""Items that several people judged: the mean, the median or the majority of their labels."""

from __future__ import annotations

from statistics import median

import numpy as np
import pandas as pd
import pytest
from raising import raises

from ranking_scores import ndcg_score
from ranking_scores.tables import from_lists, from_tables

LABELS = {("q1", "a"): [3, 0, 0], ("q1", "b"): [1, 2], ("q1", "c"): [1], ("q2", "a"): [2, 2, 0, 0]}
ONE = {
    "mean": {key: sum(own) / len(own) for key, own in LABELS.items()},
    "median": {key: median(own) for key, own in LABELS.items()},
    "majority": {("q1", "a"): 0, ("q1", "b"): 1, ("q1", "c"): 1, ("q2", "a"): 0},
}
FOUND = {"q1": ["b", "x", "a", "c"], "q2": ["x", "a"]}
RUN = {
    "query": [query for query, own in FOUND.items() for _ in own],
    "item": [item for own in FOUND.values() for item in own],
    "rank": [rank for own in FOUND.values() for rank in range(1, 1 + len(own))],
}


def rows(seed):
    table = pd.DataFrame(
        [(*key, label) for key, own in LABELS.items() for label in own],
        columns=["query", "item", "label"],
    )
    return table.sample(frac=1, random_state=seed)


@pytest.mark.parametrize("how", ONE)
@pytest.mark.parametrize("k", [1, 3, None])
def test_one_label_of_several(how, k):
    lists = {}
    for (query, item), own in LABELS.items():
        lists.setdefault(query, []).extend((item, label) for label in own)
    gold = {query: {} for query in FOUND}
    for (query, item), label in ONE[how].items():
        gold[query][item] = label
    expected = ndcg_score(from_lists(gold, FOUND), k=k, average=None).tolist()
    for data in (
        from_tables(rows(0), RUN, duplicates=how),
        from_tables(rows(1), RUN, duplicates=how),
        from_lists(lists_of_lists(lists), FOUND, duplicates=how),
    ):
        assert ndcg_score(data, k=k, average=None).tolist() == expected


def lists_of_lists(lists):
    return {query: [[*pair] for pair in own] for query, own in lists.items()}


def test_the_mean_does_not_depend_on_the_order_of_rows():
    labels = [0.1, 0.2, 0.3, 1e16, -1e16 + 2]
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [3, 0, 4, 1, 2]):
        judged = {"query": [1] * 5, "item": [7] * 5, "label": [labels[n] for n in order]}
        data = from_tables(judged, {"query": [1], "item": [7], "score": [1.0]}, duplicates="mean")
        if order[0] == 0:
            first = data.y_true.toarray()
        assert np.array_equal(data.y_true.toarray(), first)


@pytest.mark.parametrize("how", ONE)
def test_labels_of_one_judge_stay(how):
    judged = {"query": [1, 1], "item": [7, 8], "label": [2, 1]}
    found = {"query": [1, 1], "item": [8, 7], "score": [1.0, 0.5]}
    data = from_tables(judged, found, duplicates=how)
    assert data.y_true.toarray().tolist() == [[2, 1]]


@pytest.mark.parametrize("how", ONE)
def test_predictions_must_have_each_item_once(how):
    data = from_lists([["a"]], [["b", "b", "a"]], duplicates=how)
    with raises("retrieved", "each item only once"):
        ndcg_score(data, k=2)


def test_other_options():
    with raises("duplicates", "if queries have aspects", got="'mean'"):
        from_lists([{"x": ["a"]}], [["a"]], aspects=True, duplicates="mean")
    with raises("duplicates", "if queries have aspects", got="'median'"):
        from_tables(rows(0).assign(topic=1), RUN, aspect="topic", duplicates="median")
    with raises("judgments", "each item only once", advice="'mean', 'median' or 'majority'"):
        ndcg_score(from_tables(rows(0), RUN), k=1)
