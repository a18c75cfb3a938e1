"""Arrays of whole numbers, which are ids or scores: nobody can tell, so the caller says it."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from raising import raises

from ranking_scores.agreement import (
    agreement_report,
    average_overlap,
    kendall_tau,
    overlap_at_k,
    pair_rankings,
    rank_biased_overlap,
    tau_ap,
)

A, B = [[10, 20, 30], [7, 8, 9]], [[30, 10, 40], [8, 7, 9]]
FUNCTIONS = [
    partial(overlap_at_k, k=3),
    partial(average_overlap, k=3),
    rank_biased_overlap,
    kendall_tau,
    tau_ap,
    lambda *args, **options: dict(agreement_report(*args, **options)),
    lambda *args, **options: pair_rankings(*args, **options).n_shared.tolist(),
]
FORMS = {
    "lists": list,
    "array": np.array,
    "unsigned": partial(np.array, dtype=np.uint16),
    "frame": pd.DataFrame,
    "polars": pl.Series,
}


def by_query(rows):
    return dict(enumerate(rows))


def test_the_overlap_of_ids():
    assert overlap_at_k([[10, 20, 30]], [[30, 10, 40]], 3, ids=True) == 2 / 3
    assert overlap_at_k([[10, 20, 30]], [[30, 10, 40]], 3, ids=False) == 1.0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("score", FUNCTIONS)
def test_the_caller_says_whether_whole_numbers_are_ids(score, form):
    a, b = map(FORMS[form], (A, B))
    with raises(
        "ids",
        "True if a and b have ids",
        got="None, and whole numbers of which no row has one twice,",
    ):
        score(a, b)
    assert score(a, b, ids=False) == score(np.array(A) / 2, np.array(B) / 2)
    if form != "frame":
        assert score(a, b, ids=True) == score(by_query(A), by_query(B))


@pytest.mark.parametrize("score", FUNCTIONS)
def test_other_numbers_are_scores(score):
    for b in ([[5, 5, 4], [7, 8, 9]], [[3.5, 1, 4], [8, 7, 9]], [[1, 0, 1], [0, 1, 1]]):
        assert score(A, b) == score(A, b, ids=False)
    flat, qid = (np.ravel(A), np.ravel(B)), [0, 0, 0, 1, 1, 1]
    assert score(*flat, qid=qid) == score(A, B, ids=False)


def test_ids_of_text_and_lists_of_any_length():
    a, b = [["x", "y"], ["z"], []], [["y", "u", "v"], ["z"], ["w"]]
    assert overlap_at_k(a, b, 2, ids=True, average=None).tolist() == [0.5, 1.0, 0.0]
    assert overlap_at_k([[1, 2, 3]], [[3, 1]], 2, ids=True) == 0.5


def test_what_ids_do_not_go_with():
    dicts = by_query(A), by_query(B)
    for ids in (True, False):
        with raises("ids", "None if the rankings come with the ids", got=repr(ids)):
            overlap_at_k(*dicts, ids=ids)
        with raises("ids", "None if `a` is PairedRankings", got=repr(ids)):
            overlap_at_k(pair_rankings(*dicts), ids=ids)
    with raises("qid", "None if the rankings are lists of ids"):
        overlap_at_k([1, 2], [2, 1], qid=[1, 1], ids=True)
    with raises("ids", "True or False"):
        overlap_at_k(A, B, ids="yes")
    with raises("b", "of 2 queries, like a", got="1"):
        overlap_at_k(A, B[:1], ids=True)
    with raises("a", "without -1, which is no id"):
        overlap_at_k(np.array([[1, -1]]), np.array([[1, 2]]), ids=True)
    with raises("b", "each item only once", got="item 3 more than once for query 0"):
        overlap_at_k([[1, 2]], [[3, 3]], ids=True)
    twice = pair_rankings([[1, 2]], [[3, 3, 1]], ids=True, duplicates="best")
    assert overlap_at_k(twice, k=2) == 0.5
