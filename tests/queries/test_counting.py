"""Ranks by counting: how many items score above the relevant ones, and how many score the same."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from laws import assert_same_bits
from raising import raises

import ranking_scores as rs
from ranking_scores._metrics import _evaluate
from ranking_scores._queries import _blocks, _counting
from ranking_scores._queries._counting import count


def few_relevant(shape, n_relevant, decimals=None):
    """Return labels with some relevant items in each row, and scores, perhaps rounded."""
    rng = np.random.default_rng(0)
    scores = rng.standard_normal(shape)
    column = np.argsort(rng.random(shape), axis=1)[:, :n_relevant]
    labels = np.zeros(shape)
    np.put_along_axis(labels, column, 1, axis=1)
    return labels, scores if decimals is None else scores.round(decimals)


@pytest.fixture
def no_ranking(monkeypatch):
    """Let no block be ranked by sorting."""

    def refuse(*_, **__):
        raise AssertionError("the items were sorted")

    monkeypatch.setattr(_evaluate, "rank_items", refuse)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i8", "u1", "longdouble"])
@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("most", [99, -1])
@pytest.mark.parametrize("hidden", [None, 0, np.nan, np.inf, -np.inf])
def test_each_way_counts_what_a_loop_counts(dtype, decimals, most, hidden, monkeypatch):
    monkeypatch.setattr(_counting, "_MOST_COMPARED", most)
    monkeypatch.setattr(_counting, "_CELLS", 130)
    monkeypatch.setattr(_counting, "FEW", 0)
    rng = np.random.default_rng(1)
    scores = (10 * rng.standard_normal((9, 40)).round(decimals)).astype(dtype)
    is_item = rng.random(scores.shape) < 0.8
    is_sought = is_item & (rng.random(scores.shape) < 0.1)
    is_sought[2] = False
    row, column = np.nonzero(is_sought)
    if hidden is None:
        is_item[:] = True
    elif scores.dtype.kind == "f":
        scores[~is_item] = hidden
    mask = None if hidden is None else is_item
    above, equal = count(scores, mask, row, column, must_be_finite=True)
    for each in range(row.size):
        others = scores[row[each]][is_item[row[each]]]
        own = scores[row[each], column[each]]
        assert above[each] == sum(other > own for other in others.tolist())
        assert equal[each] == sum(other == own for other in others.tolist())


@pytest.mark.parametrize("shape", [(50, 100), (20, 2000)])
@pytest.mark.parametrize(
    "score",
    [
        rs.ndcg_score,
        rs.mean_average_precision_score,
        rs.alpha_ndcg_score,
        partial(rs.expected_reciprocal_rank_score, max_grade=2),
    ],
)
@pytest.mark.parametrize("decimals", [None, 4])
@pytest.mark.parametrize("is_hidden", [False, True])
def test_few_relevant_items_are_counted(
    shape, score, decimals, is_hidden, no_ranking, monkeypatch
):
    """Goes with _counting.most_to_count."""
    n_relevant = 2 if shape[1] < 1000 else 20
    labels, scores = few_relevant(shape, n_relevant, decimals)
    labels[::2] *= 2
    takes_part = np.random.default_rng(1).random(shape) >= 0.05 * is_hidden
    where = takes_part if is_hidden else None
    by_row = score(labels, scores, where=where, average=None)
    assert_same_bits(score(sp.csr_array(labels), scores, where=where, average=None), by_row)
    rows, qid = (labels[takes_part], scores[takes_part]), np.nonzero(takes_part)[0]
    assert_same_bits(score(*rows, qid=qid, average=None), by_row)
    monkeypatch.undo()
    monkeypatch.setattr(_blocks, "_counted", lambda *_: None)
    assert_same_bits(score(labels, scores, where=where, average=None), by_row)


def test_items_with_weights_are_counted(no_ranking):
    labels, scores = few_relevant((20, 2000), 20)
    weight = np.random.default_rng(1).integers(3, size=scores.shape)
    by_row = rs.ndcg_score(labels, scores, item_weight=weight, average=None)
    sparse = rs.ndcg_score(sp.csr_array(labels), scores, item_weight=weight, average=None)
    assert_same_bits(sparse, by_row)


def test_more_relevant_items_than_ranks_are_counted(no_ranking):
    labels, scores = few_relevant((50, 100), 1)
    labels[0, :5] = scores[0, :5] = 9, 8, 7, 6, 5
    values = rs.expected_reciprocal_rank_score(labels, scores, max_grade=9, k=2, average=None)
    stops = (2**9 - 1) / 2**9, (2**8 - 1) / 2**9
    assert values[0] == pytest.approx(stops[0] + (1 - stops[0]) * stops[1] / 2, rel=1e-12)


def test_the_first_of_many_relevant_items_is_counted(no_ranking):
    """Goes with DataNeeds.first_of."""
    labels, scores = few_relevant((50, 100), 12, 1)
    rs.mean_reciprocal_rank_score(labels, scores)
    rs.hit_rate_score(labels, scores, k=3)


def test_class_labels_are_counted(no_ranking):
    scores = np.random.default_rng(0).standard_normal((100, 50))
    rs.ranking_report(np.arange(100) % 50, scores, scores=["ndcg", "mrr", "map"], k=[1, None])


@pytest.mark.parametrize(
    "options",
    [
        {"gain": lambda label: label + 1},
        {"gain": [0.5, 1]},
        {"ignore_ties": True},
        {"k": 10, "relevance_threshold": 0, "gain": "exponential"},
    ],
)
def test_where_any_item_matters_all_are_ranked(options, monkeypatch):
    labels, scores = few_relevant((50, 100), 2, 1)
    expected = rs.dcg_score(labels, scores, average=None, **options)
    monkeypatch.setattr(_counting, "_FEWEST_CELLS", 2**40)
    assert_same_bits(rs.dcg_score(labels, scores, average=None, **options), expected)


def test_gains_of_a_tie_group_are_summed_in_the_order_of_all_its_items(monkeypatch):
    labels, scores = few_relevant((50, 100), 12)
    scores[:, :60] = 7
    monkeypatch.setattr(_counting, "_MOST_COMPARED", 100)
    gain = [0, 0.1]
    expected = rs.dcg_score(labels * np.float64(1), scores, gain=gain, average=None)
    monkeypatch.setattr(_counting, "_FEWEST_CELLS", 2**40)
    assert_same_bits(rs.dcg_score(labels, scores, gain=gain, average=None), expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(50, 100), (20, 2000)])
def test_scores_that_are_not_finite_are_found(bad, shape):
    labels, scores = few_relevant(shape, 2)
    scores[7, 3], scores[9, 0] = bad, bad
    with raises("y_score", "finite"):
        rs.ndcg_score(labels, scores)
    with raises("y_score", "finite"):
        rs.mean_reciprocal_rank_score(labels, scores)
    labels[3, 4] = np.nan
    with raises("y_true", "finite"):
        rs.ndcg_score(labels, scores)


def test_a_label_without_a_gain_is_an_error_in_large_tie_groups():
    labels, scores = few_relevant((100, 300), 1, decimals=0)
    labels[7, :3] = 2
    with raises("y_true", "whole numbers from 0 to 1", got="the label 2.0 in query 7"):
        rs.ndcg_score(labels, scores, gain=[0, 1])


def test_scores_of_which_most_are_in_one_bin_are_not_looked_up():
    scores = np.random.default_rng(0).random((4, 600))
    row, column = np.repeat(np.arange(4), 3), np.tile([0, 1, 5], 4)
    assert _counting._look_up(scores, None, row, column) is not None
    scores[:, 0], scores[:, 1] = -1e9, 1e9
    assert _counting._look_up(scores, None, row, column) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_extreme", [2, 4])
def test_scores_of_any_size_may_be_counted(dtype, n_extreme, monkeypatch):
    """Their range may be infinite, and so may that of the relevant ones."""
    labels, scores = few_relevant((20, 2000), 20)
    scores = scores.astype(dtype)
    extreme = np.resize([-np.finfo(dtype).max, np.finfo(dtype).max], n_extreme)
    scores[:, :n_extreme], labels[:, :n_extreme] = extreme, [0, 0, 1, 1][:n_extreme]
    by_row = rs.ndcg_score(labels, scores, average=None)
    monkeypatch.setattr(_counting, "_FEWEST_CELLS", 2**40)
    assert_same_bits(rs.ndcg_score(labels, scores, average=None), by_row)
