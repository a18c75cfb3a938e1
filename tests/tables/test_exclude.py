"""Items that are left out for each query, such as those that a user has seen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from raising import raises

from ranking_scores import (
    mean_reciprocal_rank_score,
    ndcg_score,
    recall_at_k_score,
    retrieved_from_ids,
)
from ranking_scores.tables import from_lists, from_tables

GOLD = {"q1": ["c"], "q2": ["a", "x"]}
FOUND = {"q1": ["a", "b", "c"], "q2": ["b", "a", "c"]}
EXCLUDED = {"q1": ["a", "b"], "q2": ["b"], "q9": ["a"]}
NOTE = "exclude: predictions left out: 3"


def mrr(data):
    return mean_reciprocal_rank_score(data, average=None).tolist()


def as_rows(lists, number=None):
    rows = [(query, item) for query, items in lists.items() for item in items]
    table = {"query": [query for query, _ in rows], "item": [item for _, item in rows]}
    if number == "rank":
        table["rank"] = [n for items in lists.values() for n in range(1, 1 + len(items))]
    elif number == "score":
        table["score"] = [-n for items in lists.values() for n in range(len(items))]
    elif number == "label":
        table["label"] = [1] * len(rows)
    return table


@pytest.mark.parametrize(
    "exclude",
    [
        EXCLUDED,
        {query: set(items) for query, items in EXCLUDED.items()},
        {query: dict.fromkeys(items, 1) for query, items in EXCLUDED.items()},
        {"q1": [{"id": "a"}, {"id": "b"}], "q2": [{"id": "b"}]},
    ],
)
def test_excluded_items_are_not_retrieved_and_others_move_up(exclude):
    data = from_lists(GOLD, FOUND, exclude=exclude)
    assert mrr(from_lists(GOLD, FOUND)) == [1 / 3, 1 / 2]
    assert mrr(data) == [1.0, 1.0]
    assert data.notes[1:] == (NOTE,)


@pytest.mark.parametrize("form", [list, np.array, pd.Series])
def test_lists_by_place(form):
    gold, found = [["c"], ["a", "x"]], [["a", "b", "c"], ["b", "a", "c"]]
    exclude = [["a", "b"], ["b", "z"]]
    data = from_lists(gold, found, exclude=form(exclude))
    assert mrr(data) == [1.0, 1.0]
    with raises("exclude", "of 2 queries, like relevant", got="1"):
        from_lists(gold, found, exclude=[["a"]])
    with raises("exclude", "a sequence, like relevant"):
        from_lists(gold, found, exclude=EXCLUDED)


def test_scores_go_with_their_items():
    scores = {query: [3.0, 2.0, 1.0] for query in FOUND}
    data = from_lists(GOLD, FOUND, item_scores=scores, exclude=EXCLUDED)
    assert mrr(data) == [1.0, 1.0]
    pairs = {query: list(zip(items, scores[query], strict=True)) for query, items in FOUND.items()}
    assert mrr(from_lists(GOLD, pairs, exclude=EXCLUDED)) == [1.0, 1.0]
    assert mrr(from_lists(GOLD, {q: dict(own) for q, own in pairs.items()}, exclude=EXCLUDED)) == [
        1.0,
        1.0,
    ]


@pytest.mark.parametrize("number", ["rank", "score"])
@pytest.mark.parametrize("library", [dict, pd.DataFrame])
def test_tables(number, library):
    tables = as_rows(GOLD, "label"), as_rows(FOUND, number), as_rows(EXCLUDED)
    data = from_tables(*map(library, tables[:2]), exclude=library(tables[2]))
    assert mrr(data) == [1.0, 1.0]
    assert data.notes[-1] == NOTE


def test_names_of_excluded_columns_are_those_of_judgments():
    judgments, predictions = as_rows(GOLD, "label"), as_rows(FOUND, "score")
    train = as_rows(EXCLUDED)
    train["user"] = train.pop("query")
    with raises("exclude", "a table with the column 'query'"):
        from_tables(judgments, predictions, exclude=train)


def test_judged_items_still_count_and_are_noted():
    data = from_lists({"q": ["a", "b"]}, {"q": ["a", "b", "c"]}, exclude={"q": ["a"]})
    assert recall_at_k_score(data, k=3) == 1 / 2
    assert data.notes[1:] == (
        "exclude: predictions left out: 1; judged items left out, which count as not retrieved: 1",
    )
    ids = np.array([[0, 1, 2]])
    excluded = np.array([[True, False, False]])
    y_score = retrieved_from_ids(ids, n_items=3, exclude=excluded)
    assert recall_at_k_score(np.array([[1, 1, 0]]), y_score, k=3) == 1 / 2


def test_drop_self_is_a_special_case():
    gold, found = {"a": ["b"], "b": ["c"]}, {"a": ["a", "b"], "b": ["b", "c"]}
    dropped = from_lists(gold, found, drop_self=True)
    excluded = from_lists(gold, found, exclude={query: [query] for query in gold})
    assert mrr(dropped) == mrr(excluded) == [1.0, 1.0]
    both = from_lists(gold, found, drop_self=True, exclude={"a": ["b"]})
    assert mrr(both) == [0.0, 1.0]


def test_other_options():
    aspects = {"q1": {"x": ["c"], "y": ["a"]}}
    data = from_lists(aspects, {"q1": FOUND["q1"]}, aspects=True, exclude={"q1": ["b"]})
    assert mrr(data) == [(1 + 1 / 2) / 2]
    found = {"q1": ["a#1", "a#2", "b#1", "c#1"]}
    options = {"split": "#", "duplicates": "best"}
    data = from_lists({"q1": ["c"]}, found, exclude={"q1": ["a"]}, **options)
    assert mrr(data) == [1 / 2]
    with raises("exclude", "the ids of documents, which are compared after they are cut at '#'"):
        from_lists({"q1": ["c"]}, found, exclude={"q1": ["a#1"]}, **options)


def test_ids_of_another_kind_are_refused():
    with raises("exclude", "lists that have text"):
        from_lists({"q": ["1"]}, {"q": ["1", "2"]}, exclude={"q": [1]})
    with raises("exclude", "lists that have an id in each place"):
        from_lists({"q": ["1"]}, {"q": ["1", "2"]}, exclude={"q": ["1", None]})
    assert ndcg_score(from_lists({"q": ["1"]}, {"q": ["2", "1"]}, exclude={"q": ["2"]}), k=1) == 1
