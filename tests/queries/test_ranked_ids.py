"""Ids in the order of their ranks: no sparse scores are built unless something asks for them."""

from __future__ import annotations

import copy
import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from laws import assert_same_bits
from raising import raises

import ranking_scores as rs
from ranking_scores.explain import explain_query
from ranking_scores.report import ranking_report

SCORES = [
    rs.ndcg_score,
    rs.dcg_score,
    rs.mean_reciprocal_rank_score,
    rs.mean_average_precision_score,
    rs.precision_at_k_score,
    rs.recall_at_k_score,
]


def ids_and_labels(n_items, n_relevant=3, n_queries=30, n_retrieved=20):
    """Return ids, some rows of which end with -1, and graded labels of some of them and others."""
    rng = np.random.default_rng(n_items)
    ids = np.argsort(rng.random((n_queries, n_items)), axis=1)[:, :n_retrieved]
    labels = np.zeros((n_queries, n_items))
    for row in range(1, n_queries):  # the first has no relevant item
        labels[row, ids[row, rng.integers(0, n_retrieved, n_relevant)]] = rng.integers(1, 4)
        labels[row, rng.integers(0, n_items, n_relevant)] = rng.integers(1, 4)
    ids[::3, n_retrieved // 2 :] = -1
    ids[3] = -1
    return ids, labels


def is_built(y_score):
    return type(y_score) is sp.csr_array


@pytest.mark.parametrize("n_items", [25, 300, 5000])
@pytest.mark.parametrize("n_relevant", [1, 3, 20])
@pytest.mark.parametrize("form", [sp.csr_array, sp.coo_array, np.asarray])
@pytest.mark.parametrize("k", [None, 3, [1, 100, 10]])
def test_scores_have_the_same_bits_without_columns(n_items, n_relevant, form, k):
    ids, labels = ids_and_labels(n_items, n_relevant)
    y_true, y_score = form(labels), rs.retrieved_from_ids(ids, n_items=n_items)
    in_columns = sp.csr_array(rs.retrieved_from_ids(ids, n_items=n_items))
    for score in SCORES:
        cutoffs = [5] if k is None and "at_k" in score.__name__ else k
        by_rank = score(y_true, y_score, k=cutoffs, average=None)
        assert_same_bits(by_rank, score(y_true, in_columns, k=cutoffs, average=None))
    names = ["ndcg", "mrr", "recall", "map"]
    by_rank, expected = (
        ranking_report(y_true, each, scores=names, k=3) for each in (y_score, in_columns)
    )
    assert not is_built(y_score)
    assert str(by_rank) == str(expected)


def test_what_needs_all_ranks_or_columns_has_the_same_bits():
    ids, labels = ids_and_labels(50)
    in_columns = sp.csr_array(rs.retrieved_from_ids(ids, n_items=50))
    weights = np.random.default_rng(0).random(labels.shape)
    for score, options in (
        (rs.ndcg_score, {"ignore_ties": True}),
        (rs.ndcg_score, {"item_weight": weights}),
        (rs.dcg_score, {"gain": lambda label: label + 1}),
        (rs.bpref_score, {}),
        (rs.expected_reciprocal_rank_score, {"max_grade": 4}),
        (rs.hit_rate_score, {"k": 2, "relevance_threshold": 0}),
    ):
        y_score = rs.retrieved_from_ids(ids, n_items=50)
        by_rank = score(labels, y_score, average=None, **options)
        assert_same_bits(by_rank, score(labels, in_columns, average=None, **options))


def test_no_item_is_judged():
    y_score = rs.retrieved_from_ids([[3, 0], [2, 1]], n_items=4)
    assert rs.ndcg_score(sp.csr_array((2, 4)), y_score, average=None).tolist() == [0, 0]


def test_queries_with_many_judged_items_are_in_blocks_of_their_own():
    ids, labels = ids_and_labels(4000, n_queries=200)
    labels[7] = 1
    y_score = rs.retrieved_from_ids(ids, n_items=4000)
    assert_same_bits(
        rs.ndcg_score(sp.csr_array(labels), y_score, average=None),
        rs.ndcg_score(labels, sp.csr_array(y_score), average=None),
    )


@pytest.mark.parametrize("form", [sp.csr_array, np.asarray])
def test_labels_that_are_not_finite(form):
    labels = np.array([[0, 1.0, 0], [0, 0, np.nan]])
    y_score = rs.retrieved_from_ids([[0, 1], [1, -1]], n_items=3)
    got = "NaN or infinity in 1 of 2 queries, the first of them query 1,"
    with raises("y_true", "finite", got=got):
        rs.ndcg_score(form(labels), y_score)


@pytest.mark.parametrize(
    "use",
    [
        lambda y_score: y_score.data,
        lambda y_score: y_score.nnz,
        lambda y_score: y_score.has_sorted_indices,
        repr,
        lambda y_score: setattr(y_score, "data", np.ones(5)),
        lambda y_score: y_score.resize(2, 9),
        lambda y_score: explain_query(
            [[0, 1, 0, 0], [1, 0, 0, 0]], y_score, query=0, score="ndcg"
        ),
    ],
)
def test_an_array_is_built_once_something_asks_for_it(use):
    y_score = rs.retrieved_from_ids([[3, 0, 1], [2, 1, -1]], n_items=4)
    assert isinstance(y_score, sp.csr_array)
    assert (y_score.shape, y_score.dtype, is_built(y_score)) == ((2, 4), np.int64, False)
    use(y_score)
    assert is_built(y_score)
    assert y_score.indices.tolist() == [0, 1, 3, 1, 2]
    assert y_score.data.tolist() in ([2, 1, 3, 2, 3], [1] * 5)


@pytest.mark.parametrize(
    "make",
    [
        copy.copy,
        copy.deepcopy,
        lambda y_score: pickle.loads(pickle.dumps(y_score)),
        lambda y_score: y_score.copy(),
        lambda y_score: type(y_score)(y_score),
        lambda y_score: y_score.T.T,
    ],
)
def test_other_arrays_made_of_it_are_usual_ones(make):
    y_score = rs.retrieved_from_ids([[3, 0, 1], [2, 1, -1]], n_items=4)
    other = make(y_score)
    assert type(other.tocsr()) is sp.csr_array
    assert other.toarray().tolist() == [[2, 1, 0, 3], [0, 2, 3, 0]]


def test_a_built_array_is_what_the_caller_made_of_it():
    y_score = rs.retrieved_from_ids([[3, 0], [2, 1]], n_items=4)
    y_score.data[:] = -y_score.data
    assert rs.mean_reciprocal_rank_score([[1, 0, 0, 0], [0, 1, 0, 0]], y_score) == 1


def test_what_no_array_has_builds_nothing():
    y_score = rs.retrieved_from_ids([[3, 0]], n_items=4)
    with pytest.raises(AttributeError, match="index"):
        _ = y_score.index
    assert not is_built(y_score)


def test_ids_that_change_later_change_no_score():
    ids = np.array([[3, 0], [2, 1]])
    y_score = rs.retrieved_from_ids(ids, n_items=4)
    ids[:] = 0
    assert rs.mean_reciprocal_rank_score([[0, 0, 0, 1], [0, 1, 0, 0]], y_score) == 0.75


def test_an_id_twice_in_a_row_that_ends_early():
    with raises("ids", "repeated", got="item 2 more than once in query 1"):
        rs.retrieved_from_ids([[3, 0, -1, -1], [2, 2, -1, -1]], n_items=4)
    assert rs.retrieved_from_ids([[3], [3]], n_items=4).nnz == 2


@pytest.mark.parametrize("fill", [-1, 0])
def test_an_id_twice_in_a_row_with_scores(fill):
    scores = [[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]]
    with raises("ids", "repeated", got="item 3 more than once in query 1"):
        rs.retrieved_from_ids([[1, 2, 3], [3, 3, fill]], scores, n_items=4)
    assert rs.retrieved_from_ids([[1, 2, 3], [3, 2, fill]], scores, n_items=4).nnz == 6 + min(
        fill, 0
    )


def test_ids_take_half_the_memory_of_sparse_scores():
    ids, _ = ids_and_labels(300, n_queries=2000, n_retrieved=200)
    tracemalloc.start()
    try:
        rs.retrieved_from_ids(ids, n_items=300)
        assert tracemalloc.get_traced_memory()[1] < 7 * ids.size
    finally:
        tracemalloc.stop()
