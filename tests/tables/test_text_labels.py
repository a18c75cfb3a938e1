"""Labels that are text, with the gain of each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from raising import raises

from ranking_scores import ndcg_score
from ranking_scores.tables import from_lists, from_table, from_tables

GAINS = {"E": 1, "S": 0.1, "C": 0.01, "I": 0}
GOLD = {"q1": {"a": "S", "b": "E", "c": "I"}, "q2": {"a": "C", "d": "S"}}
FOUND = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"x": 1.0, "a": 0.5, "d": 0.2}}


def rows(by_query, number):
    triples = [(q, item, value) for q, row in by_query.items() for item, value in row.items()]
    return pd.DataFrame(triples, columns=["query", "item", number])


def with_numbers():
    gold = {q: {item: GAINS[label] for item, label in row.items()} for q, row in GOLD.items()}
    return from_lists(gold, FOUND)


def of_library(library, frame):
    if library == "dict":
        return frame.to_dict("list")
    if library == "pandas":
        return frame
    if library == "category":
        return frame.astype({"label": "category"}) if "label" in frame else frame
    module = pytest.importorskip(library)
    if library == "pyarrow":
        return module.Table.from_pandas(frame)
    return module.DataFrame(frame.to_dict("list"))


LISTS = {
    "dicts": GOLD,
    "pairs": {q: [[*pair] for pair in row.items()] for q, row in GOLD.items()},
    "records": {q: [{"id": i, "grade": own} for i, own in row.items()] for q, row in GOLD.items()},
}


@pytest.mark.parametrize("k", [2, None])
@pytest.mark.parametrize("form", LISTS)
def test_grades_of_lists(form, k):
    data = from_lists(LISTS[form], FOUND, labels=GAINS)
    assert (
        ndcg_score(data, k=k, average=None) == ndcg_score(with_numbers(), k=k, average=None)
    ).all()


@pytest.mark.parametrize("library", ["dict", "pandas", "category", "pyarrow", "polars"])
def test_labels_of_tables(library):
    judged, found = (
        of_library(library, rows(GOLD, "label")),
        of_library(library, rows(FOUND, "score")),
    )
    data = from_tables(judged, found, labels=GAINS)
    expected = ndcg_score(with_numbers(), k=3, average=None)
    assert (ndcg_score(data, k=3, average=None) == expected).all()


@pytest.mark.parametrize("library", ["pandas", "category", "pyarrow"])
def test_a_joined_table_may_lack_labels(library):
    joined = rows(GOLD, "label").merge(rows(FOUND, "score"), how="outer")
    assert joined["label"].isna().any()
    data = from_table(of_library(library, joined), labels=GAINS)
    expected = ndcg_score(with_numbers(), k=3, average=None)
    assert (ndcg_score(data, k=3, average=None) == expected).all()


def test_other_labels_are_errors():
    judged, found = rows(GOLD, "label"), rows(FOUND, "score")
    with raises("judgments", "labels that `labels` has: 'E', 'S'", got="'I', 'C' in row 2"):
        from_tables(judged, found, labels={"E": 1, "S": 0.1})
    with raises("relevant", "labels that `labels` has: 'E', 'I', 'C'"):
        ndcg_score(from_lists(GOLD, FOUND, labels={"E": 1, "I": 0, "C": 0}), k=1)
    with raises("relevant", "ids with grades, since `labels` has gains"):
        ndcg_score(from_lists({"q": ["a"]}, {"q": ["a"]}, labels=GAINS), k=1)
    for wrong in ({}, "E=1", {"E": "1"}, {"E": True}, {"E": float("nan")}):
        with raises("labels", "a dict of labels and finite gains"):
            from_tables(judged, found, labels=wrong)
    with raises("labels", "None unless there is a column of labels"):
        from_tables(judged, found, label=None, labels=GAINS)
    with raises("labels", "None if queries have aspects"):
        from_lists({"q": {"x": ["a"]}}, {"q": ["a"]}, aspects=True, labels=GAINS)


def test_other_options():
    judged = pd.concat([rows(GOLD, "label"), rows({"q1": {"a": "E"}}, "label")])
    data = from_tables(judged, rows(FOUND, "score"), labels=GAINS, duplicates="mean")
    assert data.y_true.toarray()[0, 0] == (1 + 0.1) / 2
    judged["topic"] = 1
    data = from_tables(judged[:-1], rows(FOUND, "score"), labels=GAINS, aspect="topic")
    assert (
        ndcg_score(data, k=3, average=None) == ndcg_score(with_numbers(), k=3, average=None)
    ).all()


def test_gains_that_were_passed_are_not_taken_for_scores():
    judged = {"query": ["q", "q"], "item": ["a", "b"], "label": ["S", "C"]}
    found = {"query": ["q"] * 3, "item": ["a", "x", "b"], "score": [3, 2, 1]}
    expected = (0.1 + 0.01 / 2) / (0.1 + 0.01 / np.log2(3))
    both = from_tables(judged, found, labels=GAINS)
    assert ndcg_score(both) == pytest.approx(expected, abs=1e-12)
    joined = judged | {"score": [3, 1]}
    assert ndcg_score(from_table(joined, labels=GAINS)) == 1
    with raises("predictions", "that are no grades", advice="Are the two swapped"):
        from_tables(judged | {"label": [0.1, 0.01]}, found)
