"""Which items can stand among the first: compared with the definition, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ranking_scores import dcg_score, ndcg_score
from ranking_scores._metrics import _evaluate
from ranking_scores._queries import _blocks, _top_k_candidates
from ranking_scores._queries._top_k_candidates import (
    NotFiniteError,
    all_finite,
    is_searchable,
    is_worth_while,
    nonzero_cells,
    top_k_candidates,
)


@settings(deadline=None)
@given(
    shape=st.tuples(st.integers(1, 5), st.sampled_from([8, 61, 256, 301, 1000])),
    depth=st.integers(1, 12),
    n_scores=st.sampled_from([1, 2, 30, 10**6]),
    share_missing=st.sampled_from([0, 0.5, 0.99, 1]),
    dtype=st.sampled_from(["f2", "f4", "f8", ">f8", "i1", "i8", ">i4", "u8", "?"]),
    order=st.sampled_from("CF"),
    is_masked=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.parametrize("short", [1, 512])
def test_all_that_reach_the_kth_best_are_kept_and_no_others_but_few(
    short, shape, depth, n_scores, share_missing, dtype, order, is_masked, seed
):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    scores = rng.integers(-min(n_scores, 127), 1, shape)
    if dtype.kind not in "f?":
        scores = scores % 2**7
    scores = scores.astype(dtype, order=order)
    is_there = rng.random(shape) >= share_missing
    is_item = is_there if is_masked or dtype.kind != "f" else None
    if dtype.kind == "f":
        scores[~is_there] = np.nan if is_item is None else rng.choice([np.nan, np.inf, -0.0, 1])
    must_be_finite = is_item is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_top_k_candidates, "_SHORT", 1)
        patch.setattr(_top_k_candidates, "SHORT_SINGLE", short)
        patch.setattr(_top_k_candidates, "_CHUNK", 16 * shape[1])
        cells = top_k_candidates(scores, depth, is_item, must_be_finite=must_be_finite)
        is_sought = _top_k_candidates.is_worth_while(shape[1], depth)
    scores = np.where(is_there, scores.astype(np.float64), np.nan)
    if cells is None:
        is_kept = [row >= kth_best(row, depth) for row in scores]
        assert not is_sought or 4 * np.sum(is_kept) > scores.size
        return
    assert (np.diff(cells) > 0).all()
    kept = np.zeros(shape, dtype=bool)
    kept.ravel()[cells] = True
    for row, is_kept in zip(scores, kept, strict=True):
        needed = row >= kth_best(row, depth)
        assert not (needed & ~is_kept).any()
        if shape[1] <= short:
            assert not (is_kept & ~needed).any()
        assert not np.isnan(row[is_kept]).any()
        # What is kept besides reaches a bound that a few groups of columns have in common.
        if is_kept.any():
            assert (row[is_kept].min() <= row[~is_kept & ~np.isnan(row)]).sum() == 0


def kth_best(row, k):
    """Return the k-th best score of a row, and less than all of them if it has fewer."""
    items = np.sort(row[~np.isnan(row)])[::-1]
    return items[k - 1] if items.size >= k else -np.inf


def test_scores_that_tie_only_when_rounded_keep_their_order():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 5, (20, 300)), rng.random((20, 300))
    y_score[::2] = 3 + rng.permuted(np.arange(3000.0).reshape(10, 300), axis=1) * 2.0**-51
    y_score[1] *= 1e300
    y_score[3] *= -1e300
    y_score[5] *= 1e-300
    assert (np.diff(np.sort(y_score, axis=1), axis=1) > 0).all()
    for k in (1, 2, 5, 20):
        order = np.argsort(-y_score, axis=1)[:, :k]
        weight = 1 / np.log2(np.arange(2, k + 2))
        dcg = dcg_score(y_true, y_score, k=k, average=None)
        expected = (np.take_along_axis(y_true, order, axis=1) * weight).sum(axis=1)
        np.testing.assert_allclose(dcg, expected, rtol=1e-14)


def test_few_are_kept_where_few_tie():
    scores = np.random.default_rng(0).random((50, 20_000))
    for depth in (1, 10, 100):
        assert 50 * depth <= top_k_candidates(scores, depth).size < 3 * 50 * depth + 500


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("width", [20, 400, 2000])
@pytest.mark.parametrize("depth", [2, 10])
def test_a_score_that_is_not_finite_is_seen_wherever_it_stands(bad, width, depth):
    rng = np.random.default_rng(0)
    for column in (0, 1, width // 2, width - 1):
        for row in (0, 79):
            scores = rng.random((80, width))
            top_k_candidates(scores, depth, must_be_finite=True)
            scores[row, column] = bad
            with pytest.raises(NotFiniteError):
                top_k_candidates(scores, depth, must_be_finite=True)
            with pytest.raises(ValueError, match=f"in 1 of 80 queries, .* query {row},"):
                ndcg_score(np.ones(scores.shape), scores, k=depth)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("width", [20, 400, 2000])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_score_that_is_not_finite_is_seen_beside_others_that_take_no_part(order, width, bad):
    rng = np.random.default_rng(0)
    scores = np.asarray(rng.random((80, width)), order=order)
    where = rng.random(scores.shape) < 0.9
    where[3, 5] = True
    for garbage in (0.5, np.nan, np.inf, -np.inf):
        scores[~where] = garbage
        top_k_candidates(scores, 2, where, must_be_finite=True)
        scores[3, 5] = bad
        with pytest.raises(NotFiniteError):
            top_k_candidates(scores, 2, where, must_be_finite=True)
        with pytest.raises(ValueError, match=r"in 1 of 80 queries, .* query 3,"):
            ndcg_score(np.ones(scores.shape), scores, k=2, where=where)
        scores[3, 5] = 0.5


def test_integers_that_float64_merges_are_told_apart():
    lowest = 2**53
    scores = lowest + np.arange(3000).reshape(1, -1)[:, ::-1]
    for is_item in (None, np.ones(scores.shape, dtype=bool)):
        cells = top_k_candidates(scores, 3, is_item)
        assert set(range(3)) <= set(cells.tolist())
        assert cells.size < 100
    where = np.arange(3000)[None, :] >= 1
    labels = np.zeros(scores.shape)
    labels[0, 2] = 1
    assert ndcg_score(labels, scores, k=1, where=where) == 0
    assert ndcg_score(labels, scores, k=2, where=where) == 1 / np.log2(3)


def test_large_finite_scores_are_finite():
    largest = np.finfo(np.float64).max
    scores = np.full((3, 500), largest)
    scores[:, ::2] = -largest
    assert top_k_candidates(scores, 3, must_be_finite=True).size == 3 * 250
    assert all_finite(scores)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float16, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 8), (7, 13), (4, 1000)])
@pytest.mark.parametrize("chunk", [64, 2**20])
def test_cells_that_are_not_0(monkeypatch, chunk, dtype, shape):
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", chunk)
    rng = np.random.default_rng(0)
    for share in (0, 0.01, 0.5, 1):
        values = (rng.random(shape) < share).astype(dtype)
        for each in (values, values.T):
            cells = nonzero_cells(each)
            if np.count_nonzero(each) > each.size // 8:
                assert cells is None
            else:
                assert cells.tolist() == np.flatnonzero(each).tolist()


def test_one_query_full_of_ties_does_not_make_its_neighbours_long():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (60, 3000)), rng.random((60, 3000))
    y_score[[3, 40]] = 0.5
    y_score[7, :2000] = 0.75
    for params in ({}, {"where": rng.random(y_true.shape) < 0.9}):
        whole = ndcg_score(y_true, y_score, k=5, average=None, **params)
        for query in (0, 3, 7, 40, 59):
            rows = {name: mask[[query]] for name, mask in params.items()}
            alone = ndcg_score(y_true[[query]], y_score[[query]], k=5, average=None, **rows)
            assert alone[0] == whole[query]


def test_many_queries_full_of_ties_are_cut_into_blocks_of_the_usual_size(monkeypatch):
    """Goes with the second cut in _blocks."""
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (9, 300)), np.zeros((9, 300))
    y_score[4] = rng.random(300)
    monkeypatch.setattr(_blocks, "_BLOCK_CELLS", 900)
    monkeypatch.setattr(_blocks, "_WIDE_BLOCK_ROWS", 1)
    n_ranked = []
    rank_items = _evaluate.rank_items

    def count(scores, *args, **params):
        n_ranked.append(len(scores))
        return rank_items(scores, *args, **params)

    monkeypatch.setattr(_evaluate, "rank_items", count)
    per_query = ndcg_score(y_true, y_score, k=5, average=None)
    assert sum(n_ranked) == 9
    assert max(n_ranked) == 3
    for query in range(9):
        alone = ndcg_score(y_true[[query]], y_score[[query]], k=5)
        assert alone == per_query[query]


@pytest.mark.parametrize("depth", [40, 100])
def test_scores_are_finite_whether_the_first_are_sought_or_all_are_sorted(depth):
    scores = np.arange(600.0)[None, :]
    scores[0, 300] = np.nan
    with pytest.raises(NotFiniteError):
        top_k_candidates(scores, depth, must_be_finite=True)


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_last_cell_of_all_is_found(order):
    scores = np.zeros((3, 600), order=order)
    scores[:, -1] = 2
    scores[:, 0] = 1
    assert {599, 1199, 1799} <= set(top_k_candidates(scores, 1).tolist())


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="as float64")
def test_long_doubles_beyond_float64_are_told_apart():
    scores = np.zeros((1, 600), dtype=np.longdouble)
    scores[0, 2:4] = np.longdouble(10) ** np.array([4001, 4000])
    labels = np.zeros((1, 600))
    labels[0, 2] = 1
    assert ndcg_score(labels, scores, k=1) == 1


def test_few_of_many_are_worth_looking_for():
    """Goes with _top_k_candidates.is_worth_while."""
    assert is_worth_while(257, 1)
    assert not is_worth_while(100, 1)
    assert not is_worth_while(256, 1)
    assert is_worth_while(1200, 100)
    assert not is_worth_while(1199, 100)
    assert is_worth_while(512, 128)
    assert not is_worth_while(512, 129)
    assert not is_worth_while(513, 128)


@pytest.mark.parametrize("n_tied", [299, 300, 301, 400])
def test_half_of_the_items_are_kept_and_no_more(n_tied):
    """Goes with the end of the search in _top_k_candidates.top_k_candidates."""
    scores = np.zeros((1, 600))
    scores[0, :n_tied] = 1
    kept = top_k_candidates(scores, 1)
    assert (kept is None) == (n_tied > 300)
    assert kept is None or kept.tolist() == list(range(n_tied))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float16, np.float32, np.float64])
def test_floats_of_up_to_64_bits_and_ints_are_searchable(dtype):
    assert is_searchable(np.dtype(dtype))
    assert is_searchable(np.dtype(np.longdouble)) == (np.dtype(np.longdouble).itemsize <= 8)
    assert not is_searchable(np.dtype(object))


@pytest.mark.parametrize(
    ("width", "depth", "groups"),
    [(3600, 1, (180, 20)), (900, 1, (90, 10)), (24, 2, (12, 2)), (3600, 4, (360, 10))],
)
def test_columns_are_cut_into_groups(width, depth, groups):
    """Goes with _top_k_candidates._groups."""
    assert _top_k_candidates._groups(width, depth) == groups


def test_rows_are_passed_over_as_they_fit_in_the_cache(monkeypatch):
    """Goes with _top_k_candidates.rows_in_cache."""
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", 240)
    starts = [rows.start for rows in _top_k_candidates.rows_in_cache(np.zeros((7, 10)))]
    assert starts == [0, 3, 6]
    starts = [rows.start for rows in _top_k_candidates.rows_in_cache(np.zeros((3, 100)))]
    assert starts == [0, 1, 2]


def test_a_list_of_an_eighth_of_all_cells_pays():
    """Goes with the list in _top_k_candidates.nonzero_cells."""
    values = np.zeros((8, 9))
    values[0] = 1
    assert nonzero_cells(values).tolist() == list(range(9))
    values[1, 0] = 1
    assert nonzero_cells(values) is None
