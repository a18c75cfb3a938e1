"""Ranks, ideals and sums: the fast ways to them give, bit for bit, what the plain ones give."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise, permutations
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ranking_scores import expected_reciprocal_rank_score, ndcg_score
from ranking_scores._metrics import _profiles
from ranking_scores._metrics._profiles import (
    TieGroups,
    all_hits,
    expected_gain,
    expected_hits,
    first_hit,
    first_stop,
    hits_at_hit,
    ideal_gain,
    mean_rank,
    misses_above,
    over_rank,
    rank_items,
    sum_to_cutoffs,
    unweighted,
    weight_of_first,
)
from ranking_scores._queries import _top_k_candidates

ABOVE, BELOW = np.nextafter(0.3, 1), np.nextafter(0.3, 0)


def some_scores(dtype):
    """Return scores that are all but equal, of either sign, and as small and large as can be."""
    info = np.finfo(dtype)
    tiny = [info.smallest_subnormal * n for n in (0, 1, 2, 3)]
    near = [0.3, ABOVE, BELOW, 1.0, 1 + 300 * info.eps, 1 + 301 * info.eps]
    return np.array([*tiny, *near, info.tiny, info.max, 2.0**60, 2.0**60 + 2.0**24], dtype)


def ranked_by_definition(scores, *, ignore_ties):
    """Sort each row by decreasing score, then by column; behind them what is NaN."""
    column = np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    cell = np.lexsort((-column if ignore_ties else column, -scores, np.isnan(scores)), axis=1)
    return cell + np.arange(0, scores.size, scores.shape[1])[:, None]


@settings(deadline=None)
@given(
    shape=st.tuples(st.integers(1, 5), st.sampled_from([1, 2, 3, 8, 9, 60, 257, 600])),
    ignore_ties=st.booleans(),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 2**32 - 1),
)
def test_items_are_ranked_by_score_then_by_column(shape, ignore_ties, dtype, seed):
    rng = np.random.default_rng(seed)
    scores = rng.choice(some_scores(dtype), shape) * rng.choice([-1, 1], shape).astype(dtype)
    scores[np.arange(shape[1]) >= rng.integers(0, shape[1] + 1, shape[0])[:, None]] = np.nan
    ranking = rank_items(scores, shape[1], ignore_ties=ignore_ties)
    expected = ranked_by_definition(scores, ignore_ties=ignore_ties)
    is_item = ~np.isnan(scores.ravel()[expected])
    assert ranking.cell[is_item].tolist() == expected[is_item].tolist()
    assert np.isnan(scores.ravel()[ranking.cell[~is_item]]).all()
    ranked = scores.ravel()[expected]
    starts = np.ones(shape, dtype=bool)
    starts[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    if ignore_ties or starts.all():
        assert ranking.groups is None
    else:
        assert ranking.groups.start.tolist() == np.flatnonzero(starts).tolist()
        assert np.repeat(ranking.groups.start, ranking.groups.size).size == scores.size


@settings(deadline=None)
@given(
    shape=st.tuples(st.integers(1, 5), st.sampled_from([1, 2, 9, 60, 257])),
    depth=st.integers(1, 70),
    n_scores=st.sampled_from([2, 20, 10**6]),
    share_missing=st.sampled_from([0, 0.5, 0.97]),
    ignore_ties=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_first_ranks_and_their_tie_groups_are_whole(
    shape, depth, n_scores, share_missing, ignore_ties, seed
):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, n_scores, shape) * 1.0
    some = rng.random(shape) < 0.1
    scores[some] = np.nextafter(scores[some], rng.choice([-np.inf, np.inf]))
    scores[np.arange(shape[1]) >= rng.binomial(shape[1], 1 - share_missing, shape[0])[:, None]] = (
        np.nan
    )
    ranked, whole = (
        rank_items(scores, ranks, ignore_ties=ignore_ties) for ranks in (depth, shape[1])
    )
    n_ranks = ranked.cell.shape[1]
    assert n_ranks >= min(depth, shape[1])
    is_item = ~np.isnan(scores.ravel()[whole.cell])
    is_first = is_item & (np.arange(shape[1]) < depth)
    assert ranked.cell[is_first[:, :n_ranks]].tolist() == whole.cell[is_first].tolist()
    sizes_ranked, sizes_whole = sizes_of_groups(ranked), sizes_of_groups(whole)
    assert sizes_ranked[is_first[:, :n_ranks]].tolist() == sizes_whole[is_first].tolist()


def sizes_of_groups(ranking):
    """Return the size of the tie group at each rank."""
    if ranking.groups is None:
        return np.ones(ranking.cell.shape, dtype=int)
    return np.repeat(ranking.groups.size, ranking.groups.size).reshape(ranking.cell.shape)


def test_few_ranks_are_returned_where_few_are_needed_and_few_tie():
    scores = np.random.default_rng(0).random((50, 200))
    assert rank_items(scores, 10, ignore_ties=False).cell.shape == (50, 10)
    scores[:, :15] = 2
    assert rank_items(scores, 10, ignore_ties=False).cell.shape == (50, 15)
    assert rank_items(scores[:, :16] * 0, 15, ignore_ties=False).cell.shape == (50, 16)
    scores[:, 5:] = np.nan
    assert rank_items(scores, 10, ignore_ties=False).cell.shape == (50, 10)


@pytest.mark.parametrize("ignore_ties", [False, True])
def test_scores_that_differ_by_the_least_do_not_tie(ignore_ties):
    y_true = np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    y_score = np.array([[0.3, ABOVE, BELOW, 0.3], [ABOVE, 0.3, BELOW, 0.3], [4.0, 3.0, 2.0, 1.0]])
    params = {"ignore_ties": ignore_ties, "average": None}
    at_0 = 1 / np.log2(5)
    for sign, expected in ((1, [1, 1, at_0]), (-1, [at_0, at_0, 1])):
        assert ndcg_score(y_true, sign * y_score, **params).tolist() == expected


@settings(deadline=None)
@given(
    shape=st.tuples(st.integers(1, 4), st.sampled_from([1, 7, 511, 512, 513, 700, 3000])),
    depth=st.integers(1, 200),
    kind=st.sampled_from(["grades", "few", "distinct", "fractions", "huge", "tiny"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_ideal_is_the_sorted_gains(shape, depth, kind, seed):
    rng = np.random.default_rng(seed)
    gain = rng.integers(0, 5, shape).astype(np.float64)
    gain *= {"fractions": 0.1, "huge": 1e300, "tiny": 1e-320}.get(kind, 1)
    if kind == "few":
        gain[rng.random(shape) < 0.98] = 0
    elif kind == "distinct":
        gain = rng.permuted(np.arange(float(gain.size)).reshape(shape), axis=1)
    depth = min(depth, shape[1])
    assert ideal_gain(gain, depth).dtype == np.float64
    assert ideal_gain(gain, depth).tolist() == (-np.sort(-gain, axis=1))[:, :depth].tolist()


@pytest.mark.parametrize("n_queries", [1, 2, 7, 8, 9, 100])
@pytest.mark.parametrize("width", [1, 2, 9, 128, 3000])
def test_sums_do_not_depend_on_what_is_summed_beside_them(n_queries, width):
    values = np.random.default_rng(0).lognormal(0, 5, (n_queries, width))
    in_columns, before = np.asfortranarray(values), values.copy()
    for cutoff in (1, width // 2 + 1, width, width + 3):
        for cutoffs in ([cutoff], [1, cutoff], [cutoff, 2, 1, cutoff], [cutoff] * 9):
            one_by_one = [[reduce(add, row[:each].tolist()) for row in values] for each in cutoffs]
            for by_rank in (values, in_columns):
                sums = sum_to_cutoffs(by_rank, np.array(cutoffs))
                assert sums.T.tolist() == one_by_one
    assert values.tolist() == in_columns.tolist() == before.tolist()


@pytest.mark.parametrize("weigh", [unweighted, over_rank])
@pytest.mark.parametrize("width", [1, 9])
def test_the_sum_of_the_first_hit_is_the_weight_of_its_rank(weigh, width):
    rng = np.random.default_rng(0)
    hit = rng.integers(0, 2, (40, width)) * (rng.random((40, 1)) < 0.8)
    hit = hit.astype(np.float64)
    ranking = rank_items(rng.random(hit.shape), width, ignore_ties=False)
    assert ranking.groups is None
    cutoffs = np.array([4, 1, 2, width, width + 1])
    sums = sum_to_cutoffs(weigh(first_hit(hit, ranking), None), cutoffs)
    assert len(np.unique(sums)) > 1
    assert weight_of_first(hit, ranking, weigh, cutoffs).tolist() == sums.tolist()


PROFILES = {
    "all_hits": lambda value, ranking: all_hits(
        value, ranking, value.sum(axis=1, keepdims=True), np.array([1, 3, 9])
    ),
    "expected_gain": lambda value, ranking: expected_gain(value, ranking),
    "expected_hits": lambda value, ranking: expected_hits(value, ranking, np.array([1, 3, 9])),
    "first_hit": lambda value, ranking: first_hit(value, ranking),
    "hits_at_hit": lambda value, ranking: hits_at_hit(value, ranking),
    "first_stop": lambda value, ranking: first_stop(value, ranking, value.shape[1]),
    "mean_rank": lambda value, ranking: mean_rank(ranking),
}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("width", [1, 2, 9, 200])
def test_where_nothing_ties_each_item_is_a_group_of_its_own(profile, width):
    rng = np.random.default_rng(0)
    scores = rng.permuted(np.arange(20.0 * width).reshape(20, width), axis=1)
    value = rng.integers(0, 2, scores.shape) * 1.0
    value[3] = 0
    value[4] = 1
    if profile in ("expected_gain", "first_stop"):
        value *= rng.random(scores.shape)
    ranking = rank_items(scores, scores.shape[1], ignore_ties=False)
    assert ranking.groups is None
    one_each = TieGroups(np.arange(scores.size), np.ones(scores.size, dtype=np.intp))
    in_groups = ranking._replace(groups=one_each)
    returned = [PROFILES[profile](value, each) for each in (ranking, in_groups)]
    assert returned[0].tolist() == returned[1].tolist()


def test_without_ties_the_first_hit_is_certain():
    hit = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    scores = np.array([[3.0, 1.0, 2.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    ranking = rank_items(scores, scores.shape[1], ignore_ties=False)
    assert first_hit(hit, ranking).tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("n_queries", [1, 20])
@pytest.mark.parametrize("cutoffs", [[1], [1, 2]])
def test_no_sum_is_minus_zero(n_queries, cutoffs):
    sums = sum_to_cutoffs(np.full((n_queries, 3), -0.0), np.array(cutoffs))
    assert not np.signbit(sums).any()


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("grades", [[2, 1, 0], [0, 1, 2], [1, 2, 0]])
def test_a_cutoff_anywhere_in_a_tie_group_takes_the_mean_of_its_orders(k, grades):
    params = {"k": k, "max_grade": 2}
    y_true = [[1, *order] for order in permutations(grades)]
    of_orders = expected_reciprocal_rank_score(y_true, [[9, 3, 2, 1]] * len(y_true), **params)
    tied = expected_reciprocal_rank_score([[1, *grades]], [[9, 3, 3, 3]], **params)
    assert tied == pytest.approx(of_orders, rel=1e-12)


@pytest.mark.parametrize(
    ("shape", "depth", "is_sought"),
    [((3, 513), 5, True), ((3, 512), 5, False), ((600, 300), 5, False), ((3, 600), 100, False)],
)
def test_the_best_gains_are_sought_where_rows_are_long_and_few_count(
    monkeypatch, shape, depth, is_sought
):
    gain = np.random.default_rng(0).random(shape)
    expected = -np.sort(-gain, axis=1)[:, :depth]
    calls = []
    monkeypatch.setattr(
        _profiles, "largest", lambda *args: calls.append(args) or _top_k_candidates.largest(*args)
    )
    assert (ideal_gain(gain, depth) == expected).all()
    assert len(calls) == is_sought


@settings(deadline=None)
@given(
    misses=st.lists(st.integers(0, 1), min_size=1, max_size=6),
    scores=st.lists(st.integers(0, 2), min_size=6, max_size=6),
    most=st.integers(1, 4),
)
def test_the_misses_above_a_hit_are_the_mean_over_all_orders(misses, scores, most):
    """The hit is one more item, which ties with each of the others in turn."""
    for score in {*scores[: len(misses)]}:
        tied = [score, *scores[: len(misses)]]
        is_miss = [0, *misses]
        numbers = [
            min(sum(is_miss[item] for item in order[: order.index(0)]), most)
            for order in permutations(range(len(tied)))
            if all(tied[one] >= tied[next_] for one, next_ in pairwise(order))
        ]
        ranking = rank_items(np.array([tied], dtype=float), len(tied), ignore_ties=False)
        miss_by_rank = ranking.by_rank(np.array([is_miss]))
        above = misses_above(miss_by_rank, ranking, np.array([[float(most)]]))
        rank = int(np.flatnonzero(ranking.cell[0] == 0)[0])
        assert above[0, rank] == pytest.approx(sum(numbers) / len(numbers), rel=1e-14)
