"""Is B better than A: SciPy's numbers, resamples by hand, rates of errors, tables, messages."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import pickle
import sys
import tracemalloc
import warnings
from collections import Counter
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from raising import raises
from scipy import stats
from scipy.integrate import quad
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import StreamingScore, from_tables, ndcg_score, ranking_report
from ranking_scores._base import are_equal
from ranking_scores._statistics._resampling import AllSigns, draws, flips
from ranking_scores._statistics._tests import alpha_of
from ranking_scores._statistics._units import ComparedPairs
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import (
    audit,
    changes,
    compare,
    compare_all,
    confidence_interval,
    queries_needed,
)

RNG = np.random.default_rng(0)
N_QUERIES = 30
A = RNG.random(N_QUERIES)
B = A + RNG.normal(0.05, 0.1, N_QUERIES)
C = A + RNG.normal(0.02, 0.1, N_QUERIES)
TESTS = ("t", "permutation", "wilcoxon", "bootstrap")
ALTERNATIVES = ("two-sided", "greater", "less")
CLOSE = 1e-12  # a few roundings of numbers near 1
DIGITS_OF_NONCENTRAL_T = 1e-5  # of older releases of SciPy
NAN, INF = np.nan, np.inf


def same(found, expected, tolerance=CLOSE):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def seed_of(random_state):
    """Return the seed that the resamples of a call begin with."""
    return int(np.random.RandomState(random_state).randint(2**32, dtype=np.uint64))


def dense(blocks, n_units):
    """Return resamples as one array, (n_resamples, n_units)."""
    return np.concatenate([block.times(np.eye(n_units))[0] for block in blocks])


def error_of(function, *args, **params):
    with pytest.raises(InvalidParameterError) as caught:
        function(*args, **params)
    return str(caught.value)


# The tests of one pair.


@pytest.mark.parametrize("level", [0.95, 0.9, 0.5])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_is_that_of_scipy(alternative, level):
    found = compare(A, B, alternative=alternative, confidence_level=level)
    expected = stats.ttest_rel(B, A, alternative=alternative)
    same(found.pvalue, expected.pvalue)
    same([found.low, found.high], expected.confidence_interval(level))
    same(found.difference, B.mean() - A.mean())
    same(found.effect_size, (B - A).mean() / (B - A).std(ddof=1))


def test_queries_without_one_of_the_scores_are_dropped_and_counted():
    a, b = A.copy(), B.copy()
    a[3], b[7], a[9], b[9] = NAN, NAN, NAN, NAN
    rest = np.delete(np.arange(N_QUERIES), [3, 7, 9])
    for test in TESTS:
        found = compare(a, b, test=test, random_state=0)
        expected = compare(a[rest], b[rest], test=test, random_state=0)
        assert (found.n_queries, found.n_dropped) == (27, 3)
        assert (expected.n_queries, expected.n_dropped) == (27, 0)
        same(found.difference, expected.difference)
        same(
            [found.pvalue, found.low, found.high],
            [expected.pvalue, expected.low, expected.high],
        )
        np.testing.assert_array_equal(found.difference_per_query, b - a)
    few = compare(a[:10], b[:10], test="permutation")
    expected = compare(a[:10][rest[:7]], b[:10][rest[:7]], test="permutation")
    same([few.pvalue, few.low, few.high], [expected.pvalue, expected.low, expected.high])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_wilcoxon_is_that_of_scipy_with_the_interval_of_t(alternative):
    found = compare(A, B, test="wilcoxon", alternative=alternative)
    same(found.pvalue, stats.wilcoxon(B, A, alternative=alternative).pvalue)
    of_t = compare(A, B, alternative=alternative)
    assert (found.low, found.high) == (of_t.low, of_t.high)


def by_all_signs(values, alternative):
    """Return the p-value of the sum of values among the sums with all signs that they may have."""
    observed = sum(values)
    sums = [
        sum(sign * each for sign, each in zip(signs, values, strict=True))
        for signs in itertools.product([1, -1], repeat=len(values))
    ]
    above = Fraction(sum(each >= observed for each in sums), len(sums))
    below = Fraction(sum(each <= observed for each in sums), len(sums))
    return {
        "greater": above,
        "less": below,
        "two-sided": min(Fraction(1), 2 * min(above, below)),
    }[alternative]


few_differences = st.lists(
    st.integers(-3, 3).map(lambda value: Fraction(value, 10)), min_size=2, max_size=7
)


@settings(deadline=None)
@given(differences=few_differences, alternative=st.sampled_from(ALTERNATIVES))
def test_permutation_of_few_queries_goes_through_all_signs(differences, alternative):
    expected = by_all_signs(differences, alternative)
    b = np.array([float(Fraction(1, 2) + each) for each in differences])
    found = compare(np.full(b.size, 0.5), b, test="permutation", alternative=alternative)
    assert found.pvalue == float(expected)


hits_of_two = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=9)


@settings(deadline=None)
@given(hits=hits_of_two, alternative=st.sampled_from(ALTERNATIVES))
@pytest.mark.filterwarnings("ignore:compare .b - a.. all differences are equal:UserWarning")
def test_wilcoxon_of_few_queries_goes_through_all_signs_of_the_ranks(hits, alternative):
    """The scores are fifths: 0.6 - 0.4 and 0.2 are the same difference, with the same rank."""
    changes = [b - a for a, b in hits if a != b]
    sizes = sorted(map(abs, changes))
    ranks = [
        Fraction(2 * sizes.index(abs(each)) + sizes.count(abs(each)) + 1, 2) for each in changes
    ]
    signed = [rank if each > 0 else -rank for rank, each in zip(ranks, changes, strict=True)]
    a, b = np.array(hits).T / 5
    found = compare(a, b, test="wilcoxon", alternative=alternative)
    assert found.pvalue == float(by_all_signs(signed, alternative))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_queries", [15, 40, 80, 200])
def test_wilcoxon_of_scores_that_tie_is_that_of_whole_numbers(n_queries, alternative):
    rng = np.random.default_rng(n_queries)
    a, b = rng.integers(0, 6, size=(2, n_queries))
    params = {"test": "wilcoxon", "alternative": alternative}
    found = compare(a, b, **params).pvalue
    assert compare(a / 5, b / 5, **params).pvalue == found
    changes = (b - a)[a != b]
    if n_queries == 15:
        doubled = (2 * stats.rankdata(np.abs(changes))).astype(int)
        signed = (doubled * np.sign(changes)).tolist()
        assert found == float(by_all_signs(signed, alternative))
    elif n_queries > 60:
        expected = stats.wilcoxon(b, a, alternative=alternative, method="approx").pvalue
        same(found, expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_queries", [10, 17, 50, 51, 300])
def test_wilcoxon_without_ties_is_that_of_scipy(n_queries, alternative):
    changes = np.random.default_rng(n_queries).normal(0.2, 1, n_queries)
    found = compare(np.zeros(n_queries), changes, test="wilcoxon", alternative=alternative)
    method = "exact" if n_queries <= 50 else "approx"
    same(found.pvalue, stats.wilcoxon(changes, alternative=alternative, method=method).pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_permutation_is_that_of_scipy(alternative):
    found = compare(A[:12], B[:12], test="permutation", alternative=alternative)
    expected = stats.permutation_test(
        (B[:12] - A[:12],),
        np.mean,
        permutation_type="samples",
        n_resamples=INF,
        alternative=alternative,
    )
    same(found.pvalue, expected.pvalue)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_queries", [9, 16])
def test_the_interval_of_permutation_is_what_the_test_does_not_reject(n_queries, alternative):
    a, b = A[:n_queries], B[:n_queries]
    params = {"test": "permutation", "alternative": alternative}
    found = compare(a, b, **params)
    for limit, inward in ((found.low, 1e-6), (found.high, -1e-6)):
        if np.isfinite(limit):
            assert compare(a + limit + inward, b, **params).pvalue > 0.05
            assert compare(a + limit - inward, b, **params).pvalue <= 0.05
    assert (found.low == -INF, found.high == INF) == (
        alternative == "less",
        alternative == "greater",
    )


@pytest.mark.parametrize("size", [2**12, 8])
@pytest.mark.parametrize("kind", ["continuous", "tied", "equal", "weighted"])
def test_signs_counted_by_halves_are_those_that_are_enumerated(monkeypatch, kind, size):
    """With few means in memory, the wanted one is searched for, and else all are there."""
    monkeypatch.setattr("ranking_scores._statistics._resampling._LEAST_SIZE", size)
    rng = np.random.default_rng(0)
    for n_units in (2, 3, 5, 8, 11):
        values = {"equal": np.full(n_units, 0.1), "tied": rng.integers(-2, 4, n_units) / 5}.get(
            kind, rng.normal(0.3, 1, n_units)
        )
        weight = np.ones(n_units) if kind != "weighted" else rng.integers(1, 4, n_units) / 3
        flipped = dense(flips(1, 0)(n_units), n_units)
        assert len(flipped) == 2**n_units - 1
        means = np.sort(flipped @ (weight * values) / (flipped @ weight))
        sets = AllSigns(values, weight, CLOSE)
        assert sets.counts() == ((means >= -CLOSE).sum(), (means <= CLOSE).sum())
        ranks = np.unique(np.geomspace(1, len(means), 12).astype(int))
        same([sets.lowest_mean(rank) for rank in ranks.tolist()], means[ranks - 1])


def test_the_search_for_a_mean_ends_for_any_weights(monkeypatch):
    monkeypatch.setattr("ranking_scores._statistics._resampling._LEAST_SIZE", 8)
    rng = np.random.default_rng(15)
    weight, values = np.exp(rng.normal(0, 10, 10)), rng.normal(size=10)
    sets = AllSigns(values, weight, CLOSE * np.abs(weight * values).sum())
    found = [sets.lowest_mean(rank) for rank in (1, 20, 100, 300, 600, 1000, 1023)]
    assert values.min() - CLOSE <= min(found) < max(found) <= values.max() + CLOSE


def n_sets_up_to(values, most):
    """Return the number of sets of integers with a sum of at most some number."""
    ways = Counter({0: 1})
    for value in values:
        ways += Counter({total + value: count for total, count in ways.items()})
    return sum(count for total, count in ways.items() if total <= most)


@pytest.mark.parametrize("n_queries", [25, 36])
def test_signs_of_some_tens_of_queries_are_counted_exactly(n_queries):
    hundredths = np.random.default_rng(n_queries).integers(-30, 60, n_queries)
    params = {"test": "permutation", "alternative": "greater"}
    found = compare(np.zeros(n_queries), hundredths / 100, random_state=0, **params)
    whole = hundredths.tolist()
    assert found.pvalue == n_sets_up_to(whole, 0) / 2**n_queries
    # The limit is the lowest mean of a set that 5 % of the sets, with the empty one, reach.
    limit = Fraction(found.low).limit_denominator(100 * n_queries) * 100
    same(float(limit), 100 * found.low)
    shifted = [value * limit.denominator - limit.numerator for value in whole]
    rank = 2**n_queries // 20 + 1
    assert n_sets_up_to(shifted, -1) < rank <= n_sets_up_to(shifted, 0)


def test_signs_of_many_queries_are_sampled():
    differences = np.round(np.tile(B - A, 2)[:37], 1)  # of which sums tie
    found = compare(np.zeros(37), differences, test="permutation", random_state=3)
    flipped = dense(flips(9999, seed_of(3))(37), 37)
    assert flipped.shape == (9999, 37)
    assert set(np.unique(flipped)) == {0, 1}
    means = np.round((differences * (1 - 2 * flipped)).mean(axis=1), 9)
    n_above = (means >= np.round(differences.mean(), 9)).sum()
    assert found.pvalue == 2 * (1 + n_above) / 10000
    subsets = np.sort((flipped @ differences) / flipped.sum(axis=1))
    same([found.low, found.high], subsets[[249, 9999 - 250]], 1e-9)


def test_few_queries_are_those_that_are_left(monkeypatch):
    a = np.random.default_rng(0).random(20)
    b = np.where(np.arange(20) < 10, NAN, a[::-1])
    expected = compare(a[10:], b[10:], test="permutation")
    both = {"a": np.column_stack([a, a]), "b": np.column_stack([b, a[::-1]])}
    for seed in range(3):
        assert compare(a, b, test="permutation", random_state=seed).pvalue == expected.pvalue
        found = compare_all({"a": a, "b": b}, random_state=seed)
        same([found.pvalue[0], found.n_dropped[0]], [expected.pvalue, 10])
        # Each metric is a family, which has its own queries.
        found = compare_all(both, random_state=seed, n_resamples=99)
        same(found.pvalue[0], expected.pvalue)
        assert found.pvalue_uncorrected[0] == compare(a, b).pvalue
        alone = compare_all({"a": a, "b": a[::-1]}, random_state=seed, n_resamples=99)
        assert found.pvalue[1] == alone.pvalue[0]
        # Of all together, the second metric has more than 16.
        together = compare_all(both, family="all", random_state=seed, n_resamples=99)
        assert (together.pvalue * 100 % 1 == 0).all()
    for name in ("FEW", "MOST"):
        monkeypatch.setattr(f"ranking_scores._statistics._resampling.{name}", 9)
    assert compare(a, b, test="permutation", random_state=0).pvalue != expected.pvalue


def test_rows_that_lack_different_queries_are_what_compare_gives():
    scores = {name: each[:22].copy() for name, each in SYSTEMS.items()}
    scores["b"][:10], scores["c"][18:] = NAN, NAN
    for test in TESTS:
        params = {"test": test, "n_resamples": 99, "random_state": 0}
        found = compare_all(scores, correction=None, **params)
        for row in found:
            expected = compare(scores[row.system_a], scores[row.system_b], **params)
            same([row.pvalue, row.low, row.high], [expected.pvalue, expected.low, expected.high])


def test_a_resample_that_flips_no_sign_is_like_what_was_observed(monkeypatch):
    for name in ("FEW", "MOST"):
        monkeypatch.setattr(f"ranking_scores._statistics._resampling.{name}", 1)
    a, b = np.zeros(2), np.ones(2)
    found = compare(a, b, test="permutation", alternative="greater", random_state=0)
    flipped = dense(flips(9999, seed_of(0))(2), 2)
    assert found.pvalue == (1 + (flipped == 0).all(axis=1).sum()) / 10000
    assert (found.low, found.high) == (-INF, INF)


@pytest.mark.long
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_bootstrap_compares_t_statistics(alternative):
    differences = B - A
    params = {"test": "bootstrap", "n_resamples": 999, "random_state": 5}
    found = compare(A, B, alternative=alternative, **params)
    counts = dense(draws(999, seed_of(5))(N_QUERIES), N_QUERIES)
    samples = [np.repeat(differences, row.astype(int)) for row in counts]
    t = np.array([stats.ttest_1samp(each, differences.mean()).statistic for each in samples])
    mean, error = differences.mean(), stats.sem(differences)
    above, below = (1 + (t >= mean / error).sum()) / 1000, (1 + (t <= mean / error).sum()) / 1000
    in_order = np.sort(t)
    expected = {
        "greater": (above, mean - error * in_order[-50], INF),
        "less": (below, -INF, mean - error * in_order[49]),
        "two-sided": (2 * above, mean - error * in_order[-25], mean - error * in_order[24]),
    }[alternative]
    same([found.pvalue, found.low, found.high], expected, 1e-9)


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_the_interval_has_no_0_in_it_where_the_test_rejects(test):
    rng = np.random.default_rng(7)
    n_found = 0
    for _ in range(60):
        differences = rng.normal(0.08, 0.1, 12)
        for alternative in ALTERNATIVES:
            found = compare(
                np.zeros(12),
                differences,
                test=test,
                alternative=alternative,
                n_resamples=199,
                random_state=0,
            )
            is_outside = not found.low <= 0 <= found.high
            assert is_outside == (found.pvalue <= 0.05)
            n_found += is_outside
    assert 20 < n_found < 160


def test_an_interval_that_ends_where_nothing_is_ends_at_0():
    """The quantile is the t statistic of the row itself: the test does not reject 0."""
    params = {"test": "bootstrap", "n_resamples": 99, "random_state": 0, "confidence_level": 0.9}
    for third in (0.1, 0.3, 0.7):
        assert compare(np.zeros(3), [third, 0, 0], **params).low == 0
        assert compare([third, 0, 0], np.zeros(3), **params).high == 0


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_queries", [5, 40])
@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_an_interval_has_0_in_it_if_and_only_if_the_row_is_not_significant(
    test, n_queries, alternative
):
    rng = np.random.default_rng(n_queries)
    n_at_0 = 0
    for level in [0.95, 0.9, 0.8, 0.75] * 10:
        # On a grid, so that many resamples tie with what was observed.
        a, c = rng.integers(0, 6, size=(2, n_queries)) / 5
        b = a + rng.integers(-1, 4, size=n_queries) / 5
        found = compare_all(
            {"a": a, "b": b, "c": c},
            alternative=alternative,
            confidence_level=level,
            n_resamples=99,
            random_state=0,
            correction=None,
            test=test,
        )
        has_0 = (found.low <= 0) & (found.high >= 0)
        np.testing.assert_array_equal(has_0, ~found.is_significant)
        n_at_0 += ((found.low == 0) | (found.high == 0)).sum()
    assert n_at_0 > 0 or test == "bootstrap"  # whose samples are centred first


def test_sums_that_rounding_moves_off_0_are_0():
    for a, b in [([0.1, 0.5], [0.2, 0.4]), ([0.9, 0.5], [0.90001, 0.49999])]:
        found = compare(a, b)
        assert (found.difference, found.effect_size, found.pvalue) == (0, 0, 1)
        assert found.low == -found.high
        assert (found.wins, found.losses) == (1, 1)
        assert queries_needed(a, b) == INF
        assert compare_all({"a": a, "b": b}, alternative="greater").pvalue[0] == 0.75
        # A small difference is not none.
        assert compare(a, np.add(b, [1e-13, 0])).difference > 0


def test_a_significant_p_value_is_not_missed_by_rounding():
    # 1 - 0.9 is 0.09999999999999998.
    assert alpha_of(0.9) == 0.1
    at_the_limit = compare_all({"a": A[:3], "b": A[:3] + B[:3]}, confidence_level=0.75)
    assert at_the_limit.pvalue.tolist() == [0.25]
    assert at_the_limit.is_significant.all()


# Numbers that have nothing to go by.


@pytest.mark.parametrize("test", TESTS)
def test_identical_systems(test):
    found = compare(A, A, test=test, random_state=0)
    assert (found.pvalue, found.difference, found.effect_size) == (1, 0, 0)
    assert (found.wins, found.draws, found.losses) == (0, N_QUERIES, 0)
    assert (found.low, found.high) == (0, 0)
    assert np.isnan(found.detectable_difference)
    assert "power" not in repr(found)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", TESTS)
def test_identical_systems_have_a_p_value_of_1_on_each_side(test, alternative):
    found = compare(A, A, test=test, alternative=alternative, random_state=0)
    assert found.pvalue == 1
    every = compare_all({"a": A, "b": A, "c": B}, alternative=alternative, random_state=0)
    assert every.pvalue[0] == 1


@pytest.mark.parametrize("test", TESTS)
def test_a_difference_of_roundings_is_a_draw(test):
    found = compare(np.full(20, 0.3), np.full(20, 0.1 + 0.2), test=test, random_state=0)
    assert (found.pvalue, found.draws, found.difference) == (1, 20, 0)
    assert (found.difference_per_query == 0).all()
    found = compare([0.1, 0.3], [0.1 + 0.2 - 0.2, 0.1 + 0.2], test=test, random_state=0)
    assert found.draws == 2
    assert compare([-0.3, 0.1], [-0.1 - 0.2, 0.1 + 1e-12], test=test, random_state=0).wins == 1
    assert queries_needed(np.full(20, 0.3), np.full(20, 0.1 + 0.2)) == INF


@pytest.mark.parametrize("factor", [2.0**990, 2.0**-1000, 2.0**-1030])
@pytest.mark.parametrize("test", TESTS)
def test_huge_and_tiny_scores_neither_overflow_nor_underflow(test, factor):
    a, b = np.round(A * 64), np.round(B * 64)  # of few bits, which fit into subnormal numbers
    params = {"random_state": 0, "n_resamples": 99}
    expected = compare(a, b, test=test, **params)
    found = compare(a * factor, b * factor, test=test, **params)
    assert (found.pvalue, found.wins) == (expected.pvalue, expected.wins)
    rough = 1e-6 if factor < 2.0**-1020 else CLOSE  # subnormal numbers have few digits
    same(found.effect_size, expected.effect_size, rough)
    for key in ("difference", "low", "high", "detectable_difference"):
        same(getattr(found, key) / factor, getattr(expected, key), rough)
    many, few = (
        compare_all({"a": x, "b": y}, **params) for x, y in [(a, b), (a * factor, b * factor)]
    )
    assert many.pvalue == few.pvalue
    same(few.low / factor, many.low, rough)
    if test == "t":
        assert queries_needed(a * factor, b * factor) == queries_needed(a, b)
    for method in ("bca", "percentile", "t"):
        one, other = (
            confidence_interval(each, method=method, **params) for each in (a, a * factor)
        )
        for key in ("mean", "low", "high", "standard_error"):
            same(getattr(other, key) / factor, getattr(one, key), rough)


@pytest.mark.parametrize(
    ("test", "pvalue"), [("t", 0), ("permutation", 2**-9), ("wilcoxon", 2**-9)]
)
@pytest.mark.filterwarnings("ignore:compare:UserWarning")
def test_one_constant_difference(test, pvalue):
    found = compare(A[:10], A[:10] + 0.1, test=test)
    same(found.pvalue, pvalue)
    assert found.effect_size == INF
    assert np.isnan(found.detectable_difference)
    same([found.low, found.high], [0.1, 0.1])
    assert compare(A[:10] + 0.1, A[:10], test=test).effect_size == -INF


def test_the_t_test_warns_of_differences_that_are_all_equal():
    no_spread = (
        "all differences are equal, so the t test cannot estimate their spread. The permutation "
        "test does not need it."
    )
    with pytest.warns(UserWarning, match="spread") as caught:
        compare([0.1, 0.2], [0.2, 0.3])
    assert [str(each.message) for each in caught] == [f"compare (b - a): {no_spread}"]
    assert caught[0].filename == __file__
    systems = {"a": A, "b": B, "c": A + 0.1, "d": A - 0.1}
    for correction in ("holm", "bh", None):
        with pytest.warns(UserWarning, match="spread") as caught:
            compare_all(systems, correction=correction)
        [warning] = caught
        assert str(warning.message) == f"compare_all (c - a, d - a, d - c): {no_spread}"
    many = {str(number): np.array([0.1, 0.3]) + number for number in range(4)}
    with pytest.warns(UserWarning, match="^compare_all .1 - 0, .*, 3 - 1 and 1 more.: all differ"):
        compare_all(many, correction=None)
    with pytest.warns(UserWarning, match="width") as caught:
        found = compare_all(systems, random_state=0)
    [warning] = caught
    assert str(warning.message) == (
        "compare_all (c - a, d - a, d - c): all differences are equal, so the interval has no "
        "width. The p-value is not affected."
    )
    assert found.low[1] == found.high[1] == found.difference[1]
    with pytest.warns(UserWarning, match="width"):
        found = compare_all(systems, alternative="greater", random_state=0)
    assert (found.low[1], found.high[1]) == (found.difference[1], INF)
    compare([0.1, 0.2], [0.2, 0.3], test="permutation")


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        (
            "bootstrap",
            "the bootstrap test cannot estimate their spread. The permutation test does",
        ),
        ("sequential", "the sequential t test cannot estimate their spread. The permutation test"),
        ("wilcoxon", "the interval has no width. The p-value is not affected."),
    ],
)
def test_other_tests_warn_of_differences_that_are_all_equal(test, reason):
    message = f"^compare .b - a.: all differences are equal, so {reason}"
    with pytest.warns(UserWarning, match=message):
        compare(A, A + 0.1, test=test, random_state=0)
    compare(A, A, test=test, random_state=0)


@pytest.mark.filterwarnings("ignore:compare .b - a.. all differences are equal:UserWarning")
def test_the_bootstrap_of_a_constant_difference():
    found = compare(A[:10], A[:10] + 0.1, test="bootstrap", n_resamples=99)
    assert found.pvalue == 0.02
    same([found.low, found.high], [0.1, 0.1])


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("n_queries", [1, 2])
def test_too_few_queries(n_queries, test):
    a, b = [0.1, NAN], [0.3, 0.2]
    message = r"^compare \(b - a\) is undefined: fewer than two queries have a score.$"
    for alternative in ALTERNATIVES:
        params = {"test": test, "alternative": alternative}
        with pytest.warns(UndefinedMetricWarning, match=message) as caught:
            found = compare(a[:n_queries], b[:n_queries], **params)
        assert caught[0].filename == __file__
        assert np.isnan([found.pvalue, found.low, found.high, found.effect_size]).all()
        assert np.isnan(found.detectable_difference)
        same(found.difference, 0.2)
        assert (found.n_queries, found.n_dropped) == (1, n_queries - 1)
        with pytest.warns(UndefinedMetricWarning, match=message):
            found = compare([NAN, 0.1], [0.3, NAN], **params)
        assert np.isnan([found.pvalue, found.low, found.high, found.difference]).all()
        assert (found.n_queries, found.n_dropped) == (0, 2)


# Intervals of one mean.


def by_scipy(scores, method, n_resamples=999, level=0.95):
    """Return SciPy's interval from our resamples."""
    counts = dense(draws(n_resamples, seed_of(0))(scores.size), scores.size)
    assert (counts.sum(axis=1) == scores.size).all()
    means = SimpleNamespace(bootstrap_distribution=counts @ scores / scores.size)
    result = stats.bootstrap(
        (scores,),
        np.mean,
        n_resamples=0,
        bootstrap_result=means,
        method=method,
        confidence_level=level,
    )
    return list(result.confidence_interval)


SKEWED = np.random.default_rng(1).beta(0.3, 1.2, 60)


@pytest.mark.parametrize("scores", [A, SKEWED, (SKEWED > 0.2) * 1.0], ids=["a", "skewed", "hits"])
@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(("method", "name"), [("bca", "BCa"), ("percentile", "percentile")])
def test_the_bootstrap_is_that_of_scipy_on_the_same_resamples(scores, level, method, name):
    found = confidence_interval(
        scores, method=method, confidence_level=level, n_resamples=999, random_state=0
    )
    same([found.low, found.high], by_scipy(scores, name, level=level))
    assert found.mean == pytest.approx(scores.mean(), abs=CLOSE)
    same(found.standard_error, stats.sem(scores))
    assert (found.n_queries, found.n_undefined) == (scores.size, 0)


def test_the_interval_by_t_is_that_of_scipy():
    found = confidence_interval(A, method="t", confidence_level=0.9)
    same([found.low, found.high], stats.ttest_1samp(A, 0).confidence_interval(0.9))


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_each_column_has_the_interval_that_it_has_alone(method):
    scores = np.column_stack([A, B, C, np.full(N_QUERIES, 0.1), A > 0.5])
    scores[[2, 5], 1], scores[[2, 5], 2], scores[:, 4][7] = NAN, NAN, NAN
    params = {"method": method, "n_resamples": 99, "random_state": 0}
    with pytest.warns(
        UserWarning, match=r"^confidence_interval \(column 3\): all scores are equal"
    ):
        found = confidence_interval(scores, **params)
    assert found.metrics == ("column 0", "column 1", "column 2", "column 3", "column 4")
    assert found.method == (method,) * 5
    for number, column in enumerate(scores.T):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = confidence_interval(column, **params)
            dropped = confidence_interval(column[~np.isnan(column)], **params)
        for key in ("mean", "low", "high", "standard_error"):
            same(getattr(found, key)[number], getattr(alone, key))
            assert getattr(alone, key) == getattr(dropped, key)
        assert (found.n_queries[number], found.n_undefined[number]) == (
            alone.n_queries,
            alone.n_undefined,
        )
        assert alone.n_undefined == np.isnan(column).sum()
    assert found.low[3] == found.high[3] == found.mean[3] == 0.1


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_the_interval_of_too_few_queries(method):
    message = r"^confidence_interval is undefined: fewer than two queries have a score.$"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = confidence_interval([NAN, 0.5], method=method)
    assert (found.mean, found.n_queries, found.n_undefined) == (0.5, 1, 1)
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    message = r"^confidence_interval \(column 0, column 1\) are undefined: fewer"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = confidence_interval([[NAN, 1]], method=method)
    assert np.isnan(found.low).all()
    np.testing.assert_array_equal(found.mean, [NAN, 1])


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_scores_that_are_all_equal_have_an_interval_without_width(method):
    message = "^confidence_interval: all scores are equal, so the interval has no width. It says "
    for score in np.random.default_rng(3).random(20):
        with pytest.warns(UserWarning, match=message):
            found = confidence_interval(np.full(7, score), method=method, random_state=0)
        assert found.low == found.high == found.mean == score
        assert found.standard_error == 0


def test_samples_whose_mean_ties_with_that_of_all_count_half_whatever_is_rounded():
    whole = np.random.default_rng(2).integers(0, 4, size=12)
    found, expected = (
        confidence_interval(scores, method="bca", random_state=0) for scores in (whole / 7, whole)
    )
    same([7 * found.low, 7 * found.high], [expected.low, expected.high])


def test_a_few_resamples_are_on_one_side_of_the_mean():
    for seed in range(9):
        found = confidence_interval(
            [0.1, 0.2, 0.9], method="bca", n_resamples=2, confidence_level=0.3, random_state=seed
        )
        assert np.isfinite([found.low, found.high]).all()


# Several systems.

SYSTEMS = {"a": A, "b": B, "c": C, "d": np.round(A, 1)}
PAIRS = list(itertools.combinations(SYSTEMS, 2))


def test_all_pairs_or_all_against_the_baseline():
    found = compare_all(SYSTEMS, correction=None)
    assert list(zip(found.systems_a, found.systems_b, strict=True)) == PAIRS
    assert found.metrics is None
    against = compare_all(SYSTEMS, baseline="c", correction=None)
    assert against.systems_a == ("c", "c", "c")
    assert against.systems_b == ("a", "b", "d")
    assert (found.baseline, against.baseline) == (None, "c")


@pytest.mark.parametrize("test", TESTS)
def test_each_row_is_what_compare_gives(test):
    systems = {name: each[:20] for name, each in SYSTEMS.items()}
    found = compare_all(systems, test=test, correction=None, random_state=0, n_resamples=99)
    assert len(found) == len(list(found)) == len(PAIRS)
    for row, (a, b) in zip(found, PAIRS, strict=True):
        expected = compare(systems[a], systems[b], test=test, random_state=0, n_resamples=99)
        assert (row.system_a, row.system_b, expected.system_a, expected.system_b) == (
            a,
            b,
            "a",
            "b",
        )
        mine, other = vars(row), vars(expected)
        for key in mine.keys() - {"system_a", "system_b", "query_ids", "metric"}:
            if isinstance(mine[key], str) or mine[key] is None:
                assert mine[key] == other[key]
            else:
                same(mine[key], other[key])
    assert found[-1].system_b == found[np.int64(5)].system_b == "d"


@pytest.mark.parametrize("row", [slice(0, 2), ["a"], "a", 0.0])
def test_a_row_is_an_int(row):
    message = f"A row of Comparisons must be an int. Got {row!r} instead."
    message += " To select by name, use `to_frame`."
    with pytest.raises(TypeError) as caught:
        compare_all(SYSTEMS, correction=None)[row]
    assert str(caught.value) == message


@pytest.mark.parametrize("row", [6, -7, 99])
def test_a_row_that_is_not_there(row):
    message = f"^These Comparisons have 6 rows, counted from 0. Got {row} instead.$"
    with pytest.raises(IndexError, match=message):
        compare_all(SYSTEMS, correction=None)[row]


def largest_t_by_hand(systems, flipped, alternative="two-sided"):
    """Return the t statistic of each pair, and the largest one for each row of flips."""
    t = []
    for signs in 1 - 2 * np.vstack([np.zeros(flipped.shape[1]), flipped]):
        with np.errstate(divide="ignore", invalid="ignore"):
            pairs = [
                signs * (systems[b] - systems[a]) for a, b in itertools.combinations(systems, 2)
            ]
            t.append([each.mean() / stats.sem(each) for each in pairs])
    t = np.array(t)
    t = {"two-sided": np.abs(t), "greater": t, "less": -t}[alternative]
    return t[0], t[1:].max(axis=1)


@pytest.mark.long
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_queries", [8, 30])
def test_max_t_by_hand(n_queries, alternative):
    systems = {name: scores[:n_queries] for name, scores in SYSTEMS.items()}
    found = compare_all(systems, alternative=alternative, n_resamples=299, random_state=2)
    flipped = dense(flips(299, seed_of(2))(n_queries), n_queries)
    assert len(flipped) == (255 if n_queries == 8 else 299)
    t, largest = largest_t_by_hand(systems, flipped, alternative)
    expected = [(1 + (largest >= each - 1e-9).sum()) / (1 + largest.size) for each in t]
    same(found.pvalue, expected)
    same(
        found.pvalue_uncorrected,
        compare_all(systems, alternative=alternative, correction="holm").pvalue_uncorrected,
    )
    # The critical value is that of the differences minus their mean.
    centred = {name: scores - scores.mean() for name, scores in systems.items()}
    _, largest = largest_t_by_hand(centred, flipped, alternative)
    critical = np.sort(largest)[::-1][int(0.05 * (1 + largest.size) + 1e-9) - 1]
    error = [stats.sem(systems[b] - systems[a]) for a, b in PAIRS]
    half = critical * np.array(error)
    same(found.low, found.difference - half if alternative != "less" else np.full(6, -INF), 1e-9)
    same(
        found.high, found.difference + half if alternative != "greater" else np.full(6, INF), 1e-9
    )
    assert "flips of centred differences, asymptotic" in repr(found)


def test_max_t_of_one_pair_is_the_permutation_test():
    found = compare_all({"a": A[:12], "b": B[:12]})
    same(found.pvalue, compare(A[:12], B[:12], test="permutation").pvalue)
    assert compare_all({"a": A, "b": B}, test="permutation").tests == ("permutation",)


def test_max_t_knows_how_systems_correlate():
    copies = {"a": A[:12], "b": B[:12]} | {f"b{number}": B[:12] for number in range(5)}
    found = compare_all(copies, baseline="a")
    same(found.pvalue, compare(A[:12], B[:12], test="permutation").pvalue)
    holm = compare_all(copies, baseline="a", correction="holm")
    same(holm.pvalue[0], 6 * holm.pvalue_uncorrected[0])


def test_max_t_where_nothing_can_be_told():
    systems = {"a": A[:3], "same": A[:3], "more": A[:3] + 0.1, "none": [NAN, 0.1, NAN]}
    message = r"^compare_all \(none - a, none - same, none - more\) are undefined: fewer than two"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = compare_all(systems)
    rows = {(row.system_a, row.system_b): row for row in found}
    assert rows["a", "same"].pvalue == 1
    assert rows["a", "more"].pvalue == 0.25  # 3 queries have 8 flips, of which 2 are as extreme
    assert (rows["a", "more"].low, rows["a", "more"].high) == (-INF, INF)
    assert np.isnan(rows["a", "none"].pvalue)
    assert np.isnan([rows["a", "none"].low, rows["a", "none"].high]).all()


def holm_by_hand(pvalues):
    """Return Holm's p-values: each is multiplied by the number of those that are not lower."""
    ordered = sorted(pvalues)
    stepped = [min(1, (len(ordered) - i) * p) for i, p in enumerate(ordered)]
    return [max(stepped[: ordered.index(p) + 1]) for p in pvalues]


def test_holm_and_benjamini_hochberg():
    raw = compare_all(SYSTEMS, correction=None)
    np.testing.assert_array_equal(raw.pvalue, raw.pvalue_uncorrected)
    holm = compare_all(SYSTEMS, correction="holm")
    same(holm.pvalue, holm_by_hand(raw.pvalue.tolist()))
    bh = compare_all(SYSTEMS, correction="bh")
    same(bh.pvalue, stats.false_discovery_control(raw.pvalue))
    for each in (holm, bh):
        np.testing.assert_array_equal(each.pvalue_uncorrected, raw.pvalue)
        np.testing.assert_array_equal(each.low, raw.low)
        assert (each.pvalue >= raw.pvalue).all()


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_a_system_without_scores_issues_one_warning(test):
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = compare_all({"a": A, "b": A * NAN}, test=test, n_resamples=39)
    assert np.isnan(found.pvalue).all()
    assert len(caught) == 1
    assert "sign flips" not in repr(found)


def test_names_with_commas_are_separated_by_semicolons():
    both = {"a": [[1, NAN]], "b": [[1, NAN]], "c": [[1, NAN]]}
    with pytest.warns(UndefinedMetricWarning) as caught:
        compare_all(both, baseline="a", correction=None)
    assert str(caught[0].message) == (
        "compare_all (b - a, column 0; c - a, column 0; b - a, column 1; c - a, column 1) are "
        "undefined: fewer than two queries have a score."
    )


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_what_is_undefined_is_in_no_family(correction):
    systems = {"a": A, "b": B, "c": C}
    with pytest.warns(UndefinedMetricWarning, match="fewer than two queries"):
        found = compare_all({**systems, "none": np.full(N_QUERIES, NAN)}, correction=correction)
    expected = compare_all(systems, correction=correction).pvalue
    np.testing.assert_array_equal(found.pvalue, [*expected[:2], NAN, expected[2], NAN, NAN])
    with pytest.warns(UndefinedMetricWarning, match="fewer than two queries"):
        alone = compare_all({"a": A[:1], "b": B[:1]}, correction=correction)
    assert np.isnan(alone.pvalue).all()


@pytest.mark.parametrize("correction", ["max-t", "holm", "bh", None])
def test_families_are_metrics_or_all(correction):
    both = {name: np.column_stack([each, each > 0.4]) for name, each in list(SYSTEMS.items())[:3]}
    params = {"correction": correction, "random_state": 0, "n_resamples": 199}
    found = compare_all(both, **params)
    assert found.metrics == ("column 0",) * 3 + ("column 1",) * 3
    assert found.systems_b == ("b", "c", "c") * 2
    alone = [
        compare_all({name: each[:, column] for name, each in both.items()}, **params)
        for column in (0, 1)
    ]
    same(found.pvalue, np.concatenate([each.pvalue for each in alone]))
    same(found.low, np.concatenate([each.low for each in alone]))
    together = compare_all(both, family="all", **params)
    if correction is None:
        same(together.pvalue, found.pvalue)
    elif correction == "max-t":
        assert (together.pvalue >= found.pvalue).all()
        assert (together.pvalue > found.pvalue).any()
    else:
        correct = {"holm": holm_by_hand, "bh": stats.false_discovery_control}[correction]
        same(together.pvalue, correct(found.pvalue_uncorrected.tolist()))


@pytest.mark.parametrize("correction", ["max-t", "holm"])
def test_rows_are_cut_into_chunks(monkeypatch, correction):
    both = {name: np.column_stack([each, each**2])[:17] for name, each in SYSTEMS.items()}
    params = {"test": "permutation", "correction": correction, "random_state": 0}
    expected = [compare_all(both, family=family, **params) for family in ("metric", "all")]
    monkeypatch.setattr("ranking_scores._statistics._units._CELLS", 4 * 2**16)
    monkeypatch.setattr("ranking_scores._statistics._max_t._CELLS", 2000)
    for family, each in zip(("metric", "all"), expected, strict=True):
        found = compare_all(both, family=family, **params)
        for key in ("pvalue", "pvalue_uncorrected", "low", "high", "wins", "difference"):
            same(getattr(found, key), getattr(each, key))


# How many queries.


def power_by_hand(effect_size, n_queries, alpha=0.05, tails=2):
    """Return the chance that t is beyond its limit, over all that the deviation may be."""
    chi = stats.chi(n_queries - 1)
    critical = stats.t.isf(alpha / tails, n_queries - 1) / (n_queries - 1) ** 0.5
    center = effect_size * n_queries**0.5

    def part(deviation):
        below = stats.norm.cdf(-critical * deviation - center) * (tails == 2)
        return (stats.norm.sf(critical * deviation - center) + below) * chi.pdf(deviation)

    return quad(part, chi.ppf(1e-13), chi.isf(1e-13), epsabs=1e-11, limit=200)[0]


def test_queries_needed_are_the_fewest_with_the_power():
    found = queries_needed(difference=0.02, standard_deviation=0.15)
    assert type(found) is int
    assert found == 444
    assert power_by_hand(0.02 / 0.15, 444) >= 0.8 > power_by_hand(0.02 / 0.15, 443)
    normal = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * 0.15 / 0.02) ** 2
    assert round(normal) == 441
    assert queries_needed(difference=-0.02, standard_deviation=0.15) == found
    assert queries_needed(difference=0.3, standard_deviation=0.1) == next(
        n for n in itertools.count(2) if power_by_hand(3, n) >= 0.8
    )
    assert queries_needed(
        difference=0.1, standard_deviation=0.1, power=0.95, confidence_level=0.99
    ) == next(n for n in itertools.count(2) if power_by_hand(1, n, 0.01) >= 0.95)


def test_queries_needed_are_many():
    for effect in (0.005, 0.00281, 0.0028):  # on both sides of the border
        normal = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / effect) ** 2
        found = queries_needed(difference=effect, standard_deviation=1)
        assert 0 < found - normal < 2
    assert queries_needed(difference=1e-200, standard_deviation=1e-190) > 10**20
    found = queries_needed(difference=1e-200, standard_deviation=1e200)
    assert 784 * 10**798 < found < 785 * 10**798


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_queries_needed_are_few(level):
    params = {"standard_deviation": 0.1, "confidence_level": level}
    assert queries_needed(difference=1e9, **params) == 2
    assert queries_needed(difference=1e300, **params) == 2
    for effect in (2, 10, 1e3, 1e5):
        found = queries_needed(difference=0.1 * effect, **params)
        assert found == next(
            n for n in itertools.count(2) if power_by_hand(effect, n, 1 - level) >= 0.8
        )


def test_numbers_far_from_0_are_not_undefined():
    """SciPy's noncentral t distribution is, at levels that few queries make far from 0."""
    params = {"standard_deviation": 1, "confidence_level": 0.999999}
    assert queries_needed(difference=1e6, **params) == 2
    assert queries_needed(difference=3e5, **params) == 3
    for level in (0.99999, 1 - 1e-9, 1 - 1e-13, 1 - 2**-53):
        for n_queries, alternative in itertools.product((2, 3, 4), ALTERNATIVES[:2]):
            b = np.arange(n_queries)
            found = compare(0 * b, b, confidence_level=level, alternative=alternative)
            tails = 1 + (alternative == "two-sided")
            alpha = round(1 - level, 12) or 1 - level
            critical = stats.t.isf(alpha / tails, n_queries - 1)
            # So far out, z is nothing beside the number that is divided by s.
            s = stats.chi.ppf(0.8, n_queries - 1) / (n_queries - 1) ** 0.5
            expected = s * critical * stats.sem(b)
            assert found.detectable_difference == pytest.approx(expected, rel=1e-12 + 2 / critical)


@pytest.mark.parametrize("n_queries", [2, 3, 6])
def test_power_is_continuous_where_another_formula_begins(monkeypatch, n_queries):
    # Far out, SciPy's noncentral t is slow in release 1.13 and has three digits, twelve in 1.17.
    is_exact = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)
    levels, tolerance = ((0.999, 0.9999), 1e-8) if is_exact else ((0.95, 0.99), 1e-5)
    found = {}
    for far in (10, 1e9):
        monkeypatch.setattr("ranking_scores._statistics._tests._LARGEST_FOR_SCIPY", far)
        found[far] = [
            compare(A[:n_queries], B[:n_queries], confidence_level=level).detectable_difference
            for level in levels
        ]
    same(found[10], found[1e9], tolerance)


def test_queries_needed_by_a_pilot():
    found = queries_needed(A, B)
    differences = B - A
    assert found == queries_needed(
        difference=differences.mean(), standard_deviation=differences.std(ddof=1)
    )
    a = np.append(A, NAN)
    assert queries_needed(a, np.append(B, 1)) == found
    assert queries_needed(a, np.append(B, 1), power=0.9) > found


def test_queries_needed_where_there_is_no_answer():
    assert queries_needed(A, A) == INF
    assert queries_needed(difference=0, standard_deviation=0.1) == INF
    assert queries_needed(difference=0.1, standard_deviation=0) == 2
    with pytest.warns(UndefinedMetricWarning, match=r"^queries_needed \(b - a\) is undefined"):
        assert np.isnan(queries_needed([0.1], [0.2]))


@pytest.mark.parametrize("n_queries", [2, 3, 10, 50, 5000])
@pytest.mark.parametrize("level", [0.95, 0.999])
def test_the_detectable_difference_is_found_with_80_percent(n_queries, level):
    differences = np.random.default_rng(0).normal(size=n_queries)
    found = compare(np.zeros(n_queries), differences, confidence_level=level)
    effect = found.detectable_difference / differences.std(ddof=1)
    same(power_by_hand(effect, n_queries, 1 - level), 0.8, DIGITS_OF_NONCENTRAL_T)


def test_the_detectable_difference_of_a_one_sided_test():
    n_queries, differences = N_QUERIES, B - A
    greater, less = (compare(A, B, alternative=each) for each in ALTERNATIVES[1:])
    effect = greater.detectable_difference / differences.std(ddof=1)
    same(power_by_hand(effect, n_queries, tails=1), 0.8, DIGITS_OF_NONCENTRAL_T)
    assert less.detectable_difference == greater.detectable_difference
    assert greater.detectable_difference < compare(A, B).detectable_difference


def test_the_detectable_difference_of_very_many_queries(monkeypatch):
    exact = compare(A, B).detectable_difference
    monkeypatch.setattr("ranking_scores._statistics._tests._LARGEST_FOR_T", 10)
    for alternative in ALTERNATIVES[:2]:
        found = compare(A, B, alternative=alternative).detectable_difference
        tails = 2 if alternative == "two-sided" else 1
        times = stats.norm.ppf(1 - 0.05 / tails) + stats.norm.ppf(0.8)
        same(found, times * stats.sem(B - A))
    assert compare(A, B).detectable_difference < exact


def test_a_difference_that_is_found_anyway():
    # A test at the level of 0.9 rejects more often than with a chance of 80 %.
    assert compare(A, B, confidence_level=0.1).detectable_difference == 0


# Resamples.


def test_random_state_is_that_of_scikit_learn():
    def pvalue(random_state):
        return compare(A, C, test="bootstrap", random_state=random_state).pvalue

    assert pvalue(0) == pvalue(0) == pvalue(np.random.RandomState(0)) != pvalue(1)
    assert pvalue(np.random.default_rng(0)) == pvalue(np.random.default_rng(0))
    generator = np.random.default_rng(0)
    assert len({pvalue(generator) for _ in range(5)}) > 1
    np.random.seed(0)  # noqa: NPY002
    assert pvalue(None) == pvalue(0)


def test_what_needs_no_resamples_draws_none():
    np.random.seed(0)  # noqa: NPY002
    generator, state = np.random.default_rng(0), np.random.RandomState(0)
    for random_state in (None, generator, state):
        compare(A, B, random_state=random_state)
        compare(A, B, test="wilcoxon", random_state=random_state)
        compare_all(SYSTEMS, correction="holm", random_state=random_state)
        confidence_interval(A, method="t", random_state=random_state)
    expected = np.random.RandomState(0).random()
    assert np.random.random() == expected == state.random()  # noqa: NPY002
    assert generator.random() == np.random.default_rng(0).random()


def test_memory_does_not_grow_with_resamples_times_columns():
    rng = np.random.default_rng(0)
    a = rng.random((10000, 15))
    b = a + rng.normal(scale=0.1, size=a.shape)
    calls = [
        lambda: confidence_interval(a, n_resamples=200, random_state=0),
        lambda: compare_all({"a": a, "b": b}, n_resamples=200, random_state=0),
        lambda: compare_all(
            {"a": a, "b": b}, n_resamples=200, test="bootstrap", correction=None, random_state=0
        ),
    ]
    for call in calls:
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100e6  # the columns of all resamples would be 240 MB


@pytest.mark.slow
def test_errors_are_as_rare_as_they_are_said_to_be():
    """Each rate is at most the nominal one, within four standard deviations; t is no lower."""
    rng = np.random.default_rng(11)
    n_runs = 600
    names = [*TESTS, "max-t", "holm", "simultaneous"]
    errors = dict.fromkeys(names, 0)
    gains = np.array([0, 0.1, 0.3, 0.05])
    for _ in range(n_runs):
        of_query = rng.beta(0.7, 0.7, size=(25, 1))
        scores = np.clip(of_query + rng.normal(scale=0.2, size=(25, 4)), 0, 1)
        systems = dict(zip("abcd", scores.T, strict=True))
        params = {"n_resamples": 199, "random_state": int(rng.integers(2**31))}
        for test in TESTS:
            errors[test] += compare(systems["a"], systems["b"], test=test, **params).pvalue <= 0.05
        for correction in ("max-t", "holm"):
            found = compare_all(systems, correction=correction, **params)
            errors[correction] += found.is_significant.any()
        better = dict(zip("abcd", (scores + gains).T, strict=True))
        found = compare_all(better, **params)
        true = [
            gains["abcd".index(b)] - gains["abcd".index(a)]
            for a, b in itertools.combinations("abcd", 2)
        ]
        errors["simultaneous"] += not ((found.low <= true) & (true <= found.high)).all()
    deviation = (0.05 * 0.95 / n_runs) ** 0.5
    rates = {name: count / n_runs for name, count in errors.items()}
    assert max(rates.values()) <= 0.05 + 4 * deviation, rates
    for name in ("t", "bootstrap", "max-t", "simultaneous"):
        assert rates[name] >= 0.05 - 4 * deviation, rates


# What comes in.


def reports(scores=("ndcg",), k=(1, 3), **params):
    """Return the reports of two systems."""
    rng = np.random.default_rng(4)
    y_true = rng.integers(0, 3, size=(12, 6))
    return {
        name: ranking_report(
            y_true,
            y_true + rng.normal(scale=scale, size=y_true.shape),
            scores=scores,
            k=k,
            **params,
        )
        for name, scale in [("bm25", 3), ("dense", 1)]
    }


def test_reports():
    ids = np.array([f"q{number}" for number in range(12)])
    both = reports(scores=["ndcg", "mrr"], query_ids=ids)
    found = compare_all(both, random_state=0)
    assert found.metrics == ("ndcg@1", "ndcg@3", "mrr@1", "mrr@3")
    expected = compare_all(
        {name: np.column_stack(list(each.per_query.values())) for name, each in both.items()},
        random_state=0,
    )
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    np.testing.assert_array_equal(found[0].query_ids, ids)
    assert expected[0].query_ids is None
    interval = confidence_interval(both["dense"], random_state=0)
    assert interval.metrics == ("ndcg@1", "ndcg@3", "mrr@1", "mrr@3")
    assert dict(zip(interval.metrics, interval.mean, strict=True)) == both["dense"].mean
    errors = list(both["dense"].standard_error.values())
    np.testing.assert_array_equal(interval.standard_error, errors)


def test_a_report_of_one_result():
    both = reports(k=3)
    found = compare(both["bm25"], both["dense"])
    assert found.metric == "ndcg@3"
    arrays = [each.per_query["ndcg@3"] for each in both.values()]
    assert found.pvalue == compare(*arrays).pvalue
    assert compare(both["bm25"], arrays[1]).pvalue == found.pvalue
    assert queries_needed(both["bm25"], both["dense"]) == queries_needed(*arrays)
    assert confidence_interval(both["bm25"], random_state=0).low.shape == (1,)


def test_columns_of_any_library():
    expected = compare(A, B).pvalue
    for one, other in [
        (pd.Series(A), pd.Series(B)),
        (pl.Series(A), pl.Series(B)),
        (A.tolist(), B.tolist()),
        (A, pd.Series(B)),
    ]:
        assert compare(one, other).pvalue == expected
    with_null = pl.Series([0.1, None, 0.4])
    assert compare(with_null, pd.array([0.3, 0.1, 0.5], dtype="Float64")).n_dropped == 1
    hits = confidence_interval(np.array([True, False, True]), method="t")
    assert hits.mean == 2 / 3
    frames = [pd.DataFrame({"ndcg": A, 5: B}), pl.DataFrame({"ndcg": A, "5": B})]
    for frame in frames:
        assert confidence_interval(frame, method="t").metrics == ("ndcg", "5")
    of_cutoffs = pd.DataFrame(np.column_stack([A, B]), columns=[1, 10])
    assert compare_all({"a": of_cutoffs, "b": of_cutoffs}, correction=None).metrics == ("1", "10")
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"ndcg": A, "5": B})
    for each in (table, table.to_batches()[0]):
        assert confidence_interval(each, method="t").metrics == ("ndcg", "5")
        assert compare_all({"a": each, "b": frames[1]}, correction=None).metrics == ("ndcg", "5")
    unnamed = pd.DataFrame(np.column_stack([A, B]))
    assert confidence_interval(unnamed, method="t").metrics == ("column 0", "column 1")
    for labels in (["ndcg", "ndcg"], ["5", 5]):
        twice = unnamed.set_axis(labels, axis=1)
        assert error_of(confidence_interval, twice) == (
            "The 'values' parameter of confidence_interval must be a frame with unique column "
            f"names. Got {labels[0]!r} more than once instead."
        )


def test_an_index_that_only_numbers_the_rows_has_no_ids():
    assert compare(pd.Series(A), pd.Series(B)).query_ids is None
    index = range(1, 31)
    found = compare(pd.Series(A, index), pd.Series(B, index))
    np.testing.assert_array_equal(found.query_ids, index)
    both = reports(k=3, query_ids=np.arange(12))
    np.testing.assert_array_equal(compare(both["bm25"], both["dense"]).query_ids, range(12))


def test_scores_of_other_queries_are_refused():
    assert error_of(compare, A, B[1:]) == (
        "The 'system_b' parameter of compare must be of the same 30 queries as system_a. Got 29 "
        "queries instead."
    )
    assert error_of(compare_all, {"a": A, "b": B, "c": C[1:]}) == (
        "The \"systems['c']\" parameter of compare_all must be of the same 30 queries as "
        "systems['a']. Got 29 queries instead."
    )
    message = error_of(compare, pd.Series(A), pd.Series(B, index=range(1, 31)))
    assert message == (
        "The 'system_b' parameter of compare must be indexed like system_a. Got an index with 1 "
        "in row 0, where system_a has 0, instead. Sort them alike, or pass `.to_numpy()` if rows "
        "match by position."
    )
    assert error_of(queries_needed, A, B[1:]).startswith("The 'system_b' parameter of queries_n")


QUERIES = [f"q{number}" for number in range(12)]
OF_BOTH = (
    "To compare the queries that both have, index both by query, as `report.to_frame()` does, and "
    "pass `.loc[both]` of each, with `both = a.index.intersection(b.index)`."
)


def in_two_orders():
    """Return a report, and one of another system, in the same and in another order of queries."""
    rng = np.random.default_rng(4)
    y_true, old, new = rng.integers(0, 3, (3, 12, 6))
    y_true[3] = 0
    order, ids = rng.permutation(12), np.array(QUERIES, dtype=object)
    return [
        ranking_report(y_true[rows], y_score[rows], query_ids=ids[rows], scores=["ndcg@3"], k=None)
        for y_score, rows in [(old, slice(None)), (new, slice(None)), (new, order)]
    ]


def test_queries_in_another_order_are_matched_by_their_ids():
    a, in_order, b = in_two_orders()
    old, new = a.to_frame()["ndcg@3"], b.to_frame()["ndcg@3"]
    expected = compare(a, in_order)
    for one in (a, old, old.to_dict()):
        for other in (b, new, new.to_dict()):
            found = compare(one, other)
            assert found.difference_per_query.tolist() == expected.difference_per_query.tolist()
            assert found.query_ids.tolist() == QUERIES
            assert queries_needed(one, other) == queries_needed(a, in_order)
    systems = {"w": a.per_query["ndcg@3"], "x": a, "y": new, "z": b}
    found = compare_all({**systems, "v": new.sort_index()}, baseline="x")
    assert found[0].wins == found[0].losses == 0
    for row in [*found][1:]:
        assert row.difference_per_query.tolist() == expected.difference_per_query.tolist()
    frames = [each.to_frame()[["ndcg@3"]] for each in (a, b)]
    assert compare(*frames).difference_per_query.tolist() == expected.difference_per_query.tolist()
    swapped = new.to_frame("map")
    assert "same scores as system_a, which has 'ndcg@3'" in error_of(compare, frames[0], swapped)
    levels = pd.MultiIndex.from_tuples([(number // 2, number % 2) for number in range(12)])
    found = compare(old.to_numpy(), old.set_axis(levels))
    assert found.query_ids[3] == (1, 1)


def test_ids_of_other_queries_are_refused():
    a, _, b = in_two_orders()
    old, column = a.to_frame()["ndcg@3"], b.to_frame()["ndcg@3"]
    about = "The 'system_b' parameter of {} must be of the same 12 queries as system_a, by their "
    more = pd.concat([column, pd.Series({"q99": 0.5})])
    twice = pd.concat([column, column[:1]])
    unknown = column.rename({"q4": np.nan})
    for other, got in [
        (column.drop(["q2", "q5"]), "none for 'q2', 'q5'"),
        (old[4:], "none for 'q0', 'q1', 'q2' and 1 more"),
        (more, "also 'q99'"),
        (more.to_dict(), "also 'q99'"),
        (twice, f"also {column.index[0]!r}"),
        (unknown, "none for 'q4'"),
    ]:
        for function in (compare, queries_needed):
            expected = f"{about.format(function.__name__)}ids. Got {got} instead. {OF_BOTH}"
            assert error_of(function, a, other) == expected
    assert "Got none for nan instead." in error_of(compare, unknown, a)
    assert compare(unknown, unknown * 2).n_queries == 12
    both = column.index.intersection(more.index)
    assert compare(column.loc[both], more.loc[both]).draws == 12
    assert "must be of the same 13 queries" in error_of(compare, twice, column)


def test_groups_of_other_queries_are_refused_without_ids(tmp_path):
    y_true, y_score = RNG.integers(0, 3, (2, 8, 5))
    params = {"scores": "ndcg", "k": None, "by": {"device": ["pc", "tv"] * 4}}
    report = ranking_report(y_true, y_score, **params)
    saved = ranking_report(y_true, -y_score, **params)
    saved.to_json(tmp_path / "other.json")
    other = read_report(tmp_path / "other.json").by_group["device"]
    groups = report.by_group["device"]
    message = (
        "must be of the same queries as system_a, by their positions among all queries. Got those "
        "at 1, 3, 5 and 1 more, where system_a has 0, 2, 4 and 1 more, instead."
    )
    for tv in (groups["tv"], other["tv"]):
        assert message in error_of(compare, groups["pc"], tv)
        assert "by their positions" in error_of(changes, groups["pc"], tv)
        params = {"max_drop": 0.1, "rule": "surely worse"}
        assert "by their positions" in error_of(check, groups["pc"], tv, **params)
    assert compare(groups["pc"], other["pc"]).n_queries == 4
    everything = ranking_report(y_true, y_score, scores="ndcg", k=None, by={"all": [0] * 8})
    assert compare(everything, everything.by_group["all"][0]).pvalue == 1


def test_ids_and_an_index_that_only_numbers_the_rows_are_not_matched():
    a, b, _ = in_two_orders()
    numbered = b.to_frame()["ndcg@3"].reset_index(drop=True)
    assert error_of(compare, a, numbered) == (
        "The 'system_b' parameter of compare must be indexed like system_a. Got an index with 0 "
        "in row 0, where system_a has 'q0', instead. Sort them alike, or pass `.to_numpy()` if "
        "rows match by position."
    )
    assert error_of(compare_all, {"x": numbered, "y": a}) == (
        "The \"systems['y']\" parameter of compare_all must be of the same queries as "
        "systems['x']. Got query 'q0' at position 0, where systems['x'] has 0, instead."
    )


def test_all_reports_are_compared_with_the_first_that_has_names():
    one, other = reports(k=3)["bm25"], reports(k=2)["dense"]
    assert error_of(compare_all, {"a": np.zeros(12), "b": one, "c": other}) == (
        "The \"systems['c']\" parameter of compare_all must be of the same scores as "
        "systems['b'], which has 'ndcg@3'. Got 'ndcg@2' instead."
    )


def test_other_scores_are_refused():
    two, three = np.column_stack([A, B]), np.column_stack([A, B, C])
    assert error_of(compare_all, {"a": two, "b": three}) == (
        "The \"systems['b']\" parameter of compare_all must be an array with 2 columns, like "
        "systems['a']. Got 3 instead."
    )
    one, other = reports(k=[1, 3])["bm25"], reports(k=[1, 2])["dense"]
    assert error_of(compare_all, {"a": one, "b": other}) == (
        "The \"systems['b']\" parameter of compare_all must be of the same scores as "
        "systems['a'], which has 'ndcg@3'. Got 'ndcg@2' instead."
    )
    advice = "For several scores, use `compare_all`, which corrects for their number."
    assert error_of(compare, one, one) == (
        "The 'system_a' parameter of compare must be a single score: a 1-D array, or a report "
        f"with one result. Got 2 (ndcg@1, ndcg@3) instead. {advice}"
    )
    six = np.zeros((3, 6))
    assert "Got 6 (column 0, column 1, column 2, column 3, column 4, ...)" in error_of(
        queries_needed, six, six
    )


def test_item_weights_are_refused():
    by_items = reports(k=3, item_weight=np.ones((12, 6)))
    assert "Got one with `item_weight` instead" in error_of(confidence_interval, by_items["bm25"])
    by_best = ranking_report([[1, 0]] * 3, [[1, 2]] * 3, scores=["ndcg@1", "pyxclib:psndcg@1"])
    message = error_of(confidence_interval, by_best)
    assert "Got one with 'pyxclib:psndcg@1', which weighs queries" in message


# Systems that are data.


JUDGMENTS = pd.DataFrame(
    [("q1", "x", 1), ("q1", "y", 2), ("q2", "z", 1), ("q2", "y", 1), ("q3", "x", 2),
     ("q4", "w", 1)],
    columns=["query", "item", "label"],
)  # fmt: skip
RUNS = {
    "a": [("q1", "x", 3), ("q1", "z", 2), ("q1", "y", 1), ("q2", "x", 2), ("q3", "x", 1)],
    "b": [("q1", "y", 3), ("q1", "x", 2), ("q2", "z", 2), ("q2", "y", 2), ("q4", "w", 1)],
}
DATA = {
    name: from_tables(
        JUDGMENTS,
        pd.DataFrame(run, columns=["query", "item", "score"]),
        query="query",
        item="item",
        label="label",
        score="score",
    )
    for name, run in RUNS.items()
}


def reports_of_data(**params):
    return {
        name: ranking_report(data.y_true, data.y_score, query_ids=data.query_ids, **params)
        for name, data in DATA.items()
    }


@pytest.mark.parametrize("score", ["ndcg@2", "map", partial(ndcg_score, gain="exponential")])
def test_a_pair_of_data(score):
    expected = reports_of_data(scores=score, k=None)
    found = compare(DATA["a"], DATA["b"], score=score)
    assert found == compare(expected["a"], expected["b"])
    assert found.query_ids.tolist() == ["q1", "q2", "q3", "q4"]
    assert found == compare(expected["a"], DATA["b"], score=score)
    needed = queries_needed(DATA["a"], DATA["b"], score=score)
    assert needed == queries_needed(expected["a"], expected["b"])


def test_data_with_several_scores():
    found = compare_all(DATA, scores=["ndcg@2", "map"], random_state=0)
    assert found.metrics == ("ndcg@2", "map")
    expected = reports_of_data(scores=["ndcg@2", "map"], k=None)
    assert found == compare_all(expected, random_state=0)


def test_queries_of_families():
    # The example in the docstring: `a`, `b` and `c` by two metrics, with undefined scores of `c`.
    of_a, of_b = np.full((3, 2), 0.5), np.full((3, 2), 0.6)
    of_c = np.array([[0.7, 0.6], [NAN, 0.6], [NAN, 0.6]])
    of_b[2, 0] = NAN
    a, b, column = np.array([[0, 0, 0, 0], [1, 2, 1, 2], [0, 0, 1, 1]])
    systems = [of_a, of_b, of_c]
    first, second = ComparedPairs(systems, a, b, column, None).on_same_queries(column)
    assert (first[0].tolist(), second[0].tolist()) == ([0, 1], [2, 3])
    for (places, rows), n_queries in zip((first, second), (2, 3), strict=True):
        for found, system in zip(rows.systems, systems, strict=True):
            np.testing.assert_array_equal(found, system[:n_queries])
        assert rows.b.tolist() == b[places].tolist()
    of_b[2, 0] = 0.6
    [(places, _)] = ComparedPairs(systems, a, b, column, None).on_same_queries(column)
    assert places.tolist() == [0, 1, 2, 3]


def test_data_of_other_queries():
    other = DATA["b"]._replace(query_ids=np.array(["q1", "q2", "q3", "q5"]))
    assert error_of(compare, DATA["a"], other, score="map") == (
        "The 'system_b' parameter of compare must be of the same 4 queries as system_a, by their "
        f"ids. Got none for 'q4' instead. {OF_BOTH}"
    )


def test_a_column_of_text_in_a_frame_is_named():
    scores = pd.DataFrame({"country": ["de", "fi"], "ndcg": [0.1, 0.2]})
    polars_frame = pl.DataFrame(scores.to_dict("list"))
    for frame in (scores, scores.astype({"country": "category"}), polars_frame):
        with raises("system_a", "frame of scores alone", advice="Drop the column 'country'"):
            compare(frame, frame)


def test_numbers_in_the_place_of_systems_are_told_their_names():
    with raises("system_a", "scores of a system", advice="difference=..., standard_dev"):
        queries_needed(0.02, 0.1)


@pytest.mark.parametrize(
    ("function", "args", "params", "message"),
    [
        (compare, DATA.values(), {}, "'score' parameter of compare must be given for a system "
         "that is RankingData, such as 'ndcg@10'. Got None instead."),
        (compare_all, [DATA], {}, "'scores' parameter of compare_all must be given for a system "
         "that is RankingData, such as 'ndcg@10'. Got None instead."),
        (compare, [A, B], {"score": "map"}, "'score' parameter of compare must be left out, since "
         "no system is RankingData or a file of values. Got 'map' instead."),
        (compare_all, [{"a": A, "b": B}], {"scores": "map"}, "'scores' parameter of compare_all "
         "must be left out, since no system is RankingData or a file of values. Got 'map' "
         "instead."),
        (queries_needed, [], {"score": "map", "difference": 1}, "'system_a' parameter of "
         "queries_needed must be given. Got None instead. Pass `difference` with either "
         "`standard_deviation`, or `system_a` and `system_b`."),
    ],
)  # fmt: skip
def test_data_and_its_score_come_together(function, args, params, message):
    assert error_of(function, *args, **params) == f"The {message}"


def test_bad_scores_of_data():
    for score in ("nothing", ["map"], len):
        message = error_of(compare, *DATA.values(), score=score)
        assert message.startswith("The 'score' parameter of compare must be ")
    message = error_of(compare_all, DATA, scores=["map", "nothing"])
    assert message.startswith("The 'scores' parameter of compare_all must be one of ")


@pytest.mark.parametrize(
    ("function", "params", "old", "new"),
    [
        (confidence_interval, {"scores": A}, "scores", "values"),
        (compare, {"scores_a": A, "scores_b": B}, "scores_a", "system_a"),
        (compare, {"system_a": A, "scores_b": B}, "scores_b", "system_b"),
        (queries_needed, {"system_a": A, "scores_b": B}, "scores_b", "system_b"),
    ],
)
def test_old_names_of_parameters(function, params, old, new):
    message = error_of(function, **params)
    about = f"The '{old}' parameter of {function.__name__} must be left out. Got "
    assert message.startswith(about)
    assert message.endswith(f" The parameter is now called `{new}`.")


def test_scores_in_the_place_of_systems():
    with pytest.raises(TypeError, match="argument: 'systems'"):
        compare_all(scores=SYSTEMS)


BAD_SCORES = [
    (0.7, "one score per query, 1-D or 2-D. Got 0.7 instead. With `average=None`, a score "
     "returns one value per query."),
    (np.zeros((2, 2, 2)), "one score per query, 1-D or 2-D. Got shape (2, 2, 2) instead."),
    ([], "the scores of at least one query. Got none instead."),
    (np.ones((5, 0)), "an array with at least one column. Got shape (5, 0) instead."),
    ([0.1, INF], "finite or NaN. Got infinity at position 1 instead."),
    ([0.1, -1e301], "from -1e+300 to 1e+300, or NaN. Got -1e+301 at position 1 instead."),
    ([[0.1, -INF]], "finite or NaN. Got infinity at position 0, 1 instead."),
    (DATA["a"], "one score per query. Got RankingData instead. Pass the report of "
     "`ranking_report`, whose scores you choose."),
    (StreamingScore(ndcg_score), "one score per query. Got a StreamingScore instead. It keeps "
     "only sums. Use `ranking_report`."),
    (["a"], "an array of bools, ints or floats. Got dtype <U1 instead. If it holds numbers, use "
     "`np.asarray(values).astype(float)`."),
]  # fmt: skip


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES, ids=lambda each: str(each)[:20])
def test_bad_scores(scores, message):
    expected = f"The 'values' parameter of confidence_interval must be {message}"
    assert error_of(confidence_interval, scores) == expected


BETWEEN = "a number between 0 and 1, neither of them included"
RANDOM_STATES = "None, an int from 0 to 2**32 - 1, a RandomState or a Generator"
BAD_PARAMS = [
    (compare, {"test": "sign"}, "test", "'auto', 't', 'permutation', 'wilcoxon', 'bootstrap', "
     "'mcnemar', 'sequential' or 'betting'", "'sign'"),
    (compare, {"alternative": "b"}, "alternative", "'two-sided', 'greater' or 'less'", "'b'"),
    (compare, {"confidence_level": 1}, "confidence_level", BETWEEN, "1"),
    (compare, {"confidence_level": "high"}, "confidence_level", BETWEEN, "'high'"),
    (compare, {"n_resamples": 0}, "n_resamples", "an int of at least 1", "0"),
    (compare, {"n_resamples": 38, "test": "bootstrap"}, "n_resamples",
     "an int of at least 39 if confidence_level=0.95", "38"),
    (compare, {"confidence_level": 0.9999, "test": "permutation"}, "n_resamples",
     "an int of at least 19999 if confidence_level=0.9999", "9999"),
    (compare, {"n_resamples": True}, "n_resamples", "an int of at least 1", "True"),
    (compare, {"n_resamples": 9.5}, "n_resamples", "an int of at least 1", "9.5"),
    (compare, {"random_state": -1}, "random_state", RANDOM_STATES, "-1"),
    (compare, {"random_state": "x"}, "random_state", RANDOM_STATES, "'x'"),
    (compare, {"random_state": True}, "random_state", RANDOM_STATES, "True"),
    (queries_needed, {"power": 0}, "power", BETWEEN, "0"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "params", "parameter", "expected", "got"), BAD_PARAMS)
def test_bad_parameters(function, params, parameter, expected, got):
    name = function.__name__
    message = f"The {parameter!r} parameter of {name} must be {expected}. Got {got} instead."
    assert error_of(function, A, B, **params) == message


def test_enough_resamples_have_both_limits():
    for test in ("bootstrap", "permutation"):
        found = compare(A, B, test=test, n_resamples=39, random_state=0)
        assert np.isfinite([found.low, found.high]).all()
    for level in (0.8, 0.9, 0.95, 0.99, 0.9998):
        expected = f"an int of at least {round(2 / (1 - level)) - 1} if confidence_level={level}"
        params = {"confidence_level": level, "n_resamples": 1}
        for message in (
            error_of(confidence_interval, A, method="bca", **params),
            error_of(compare_all, SYSTEMS, **params),
        ):
            assert expected in message
    compare(A, B, n_resamples=1)
    compare_all(SYSTEMS, correction="holm", n_resamples=1)
    confidence_interval(A, n_resamples=1)


def test_a_power_in_percent():
    assert error_of(queries_needed, A, B, power=80) == (
        f"The 'power' parameter of queries_needed must be {BETWEEN}. Got 80 instead. 80 % is 0.8."
    )


def test_a_level_in_percent():
    assert error_of(compare, A, B, confidence_level=95) == (
        f"The 'confidence_level' parameter of compare must be {BETWEEN}. Got 95 instead. 95 % is "
        "0.95."
    )


SYSTEMS_TEXT = "a dict that maps the names of at least two systems to their scores"
BAD_SYSTEMS = [
    ([A, B], {}, f"'systems' parameter of compare_all must be {SYSTEMS_TEXT}. Got a list "
     "instead."),
    ({"a": A}, {}, f"'systems' parameter of compare_all must be {SYSTEMS_TEXT}. Got one system, "
     "'a', instead."),
    ({}, {}, f"'systems' parameter of compare_all must be {SYSTEMS_TEXT}. Got none instead."),
    ({"a": A, 1: B}, {}, "'systems' parameter of compare_all must be a dict whose keys are "
     "non-empty strings. Got the key 1 instead."),
    ({"": A, "b": B}, {}, "'systems' parameter of compare_all must be a dict whose keys are "
     "non-empty strings. Got the key '' instead."),
    (SYSTEMS, {"baseline": "x"}, "'baseline' parameter of compare_all must be None or one of the "
     "keys of `systems`. Got 'x' instead."),
    (SYSTEMS, {"baseline": ["a"]}, "'baseline' parameter of compare_all must be None or one of "
     "the keys of `systems`. Got ['a'] instead."),
    (SYSTEMS, {"correction": "none"}, "'correction' parameter of compare_all must be 'max-t', "
     "'holm', 'bh' or None. Got 'none' instead."),
    (SYSTEMS, {"correction": ["bh"]}, "'correction' parameter of compare_all must be 'max-t', "
     "'holm', 'bh' or None. Got ['bh'] instead."),
    (SYSTEMS, {"family": "k"}, "'family' parameter of compare_all must be 'metric' or 'all'. Got "
     "'k' instead."),
    (SYSTEMS, {"test": "wilcoxon"}, "'test' parameter of compare_all must be 'auto', 't', "
     "'permutation' or 'bootstrap' if correction='max-t'. Got 'wilcoxon' instead. For other "
     "tests, use correction='holm'."),
]  # fmt: skip


@pytest.mark.parametrize(("scores", "params", "message"), BAD_SYSTEMS)
def test_bad_systems(scores, params, message):
    assert error_of(compare_all, scores, **params) == f"The {message}"


BOTH = "Pass `difference` with either `standard_deviation`, or `system_a` and `system_b`."


@pytest.mark.parametrize(
    ("args", "params", "message"),
    [
        ([A, B], {"standard_deviation": 1}, f"'standard_deviation' parameter of queries_needed "
         f"must be None if systems are passed. Got 1 instead. {BOTH}"),
        ([A], {}, f"'system_b' parameter of queries_needed must be given. Got None instead. "
         f"{BOTH}"),
        ([None, A], {}, f"'system_a' parameter of queries_needed must be given. Got None instead. "
         f"{BOTH}"),
        ([], {}, f"'difference' parameter of queries_needed must be given. Got None instead. "
         f"{BOTH}"),
        ([], {"difference": 1}, f"'standard_deviation' parameter of queries_needed must be given. "
         f"Got None instead. {BOTH}"),
        ([], {"difference": INF, "standard_deviation": 1}, "'difference' parameter of "
         "queries_needed must be a finite number. Got inf instead."),
        ([], {"difference": 1, "standard_deviation": -1}, "'standard_deviation' parameter of "
         "queries_needed must be a finite number of at least 0. Got -1 instead."),
        ([], {"difference": 1, "standard_deviation": NAN}, "'standard_deviation' parameter of "
         "queries_needed must be a finite number of at least 0. Got nan instead."),
    ],
)  # fmt: skip
def test_one_form_or_the_other(args, params, message):
    assert error_of(queries_needed, *args, **params) == f"The {message}"


# What comes out.

X = np.array([0.9, 0.2, 0.5, 0.4, 0.7, NAN, 0.3, 0.8])
Y = np.array([1, 0.3, 0.5, 0.6, 0.8, 0, 0.4, 0.7])


def test_a_comparison_is_shown_as_a_table():
    found = compare(X, Y)
    assert repr(found) == (
        "       difference      low    high  p-value  effect size  wins  draws  losses\n"
        "b - a      0.0714  -0.0165  0.1594   0.0941       0.7509     5      1       1\n"
        "\n"
        "7 queries, 1 left out\n"
        "paired t test; 95 % interval\n"
        "80 % power for a difference of 0.1210"
    )
    html = found._repr_html_()
    assert html.startswith("<table><thead><tr><th></th><th>difference</th>")
    assert "<tr><th>b - a</th><td>0.0714</td>" in html
    assert "<p>7 queries, 1 left out</p>\n<p>paired t test; 95 % interval</p>" in html
    one_sided = compare(X, Y, alternative="greater", confidence_level=0.99, test="wilcoxon")
    assert "Wilcoxon's test, alternative 'greater'; 99 % interval" in repr(one_sided)
    assert repr(one_sided).endswith("\n80 % power of the t test for a difference of 0.1486")
    assert "interval without an upper limit\nthe interval is that of the t test, and " in repr(
        one_sided
    )
    both = reports(k=3)
    row = repr(next(iter(compare_all(both, random_state=0))))
    assert "\ndense - bm25, ndcg@3  " in row
    assert "p-values corrected by max-T; simultaneous 95 % interval\np-values: flips" in row
    assert "\n80 % power of the uncorrected t test for a difference of " in row
    row = repr(compare_all(both, correction="holm")[0])
    assert "corrected by Holm; 95 % interval, not corrected\n80 % power of the uncorr" in row
    with pytest.warns(UndefinedMetricWarning, match="fewer than two queries"):
        assert "\n1 query\n" in repr(compare([0.1], [0.2]))


def test_comparisons_are_shown_as_a_table():
    found = compare_all({"x": X, "y": Y, "z": Y[::-1] + 0.01}, correction="holm")
    assert repr(found) == (
        "       difference      low    high  p-value  effect size  wins  draws  losses\n"
        "y - x      0.0714  -0.0165  0.1594   0.2824       0.7509     5      1       1\n"
        "z - x      0.0100  -0.2675  0.2875   1.0000       0.0333     4      0       3\n"
        "z - y      0.0100  -0.2691  0.2891   1.0000       0.0300     4      0       4\n"
        "\n"
        "7 to 8 queries, 0 to 1 left out\n"
        "paired t test, p-values corrected by Holm; 95 % intervals, not corrected\n"
        "no difference is significant: no p-value is at most 0.05"
    )
    html = found._repr_html_()
    assert html.count("<tr>") == 4
    assert "corrected by Holm; 95 % intervals, not corrected</p>" in html
    by_max_t = repr(compare_all({"x": X, "y": Y}))
    assert (
        "\np-values corrected by max-T; simultaneous 95 % intervals\n"
        "p-values: flips of signs, exact if the systems could change places on each query\n"
        "intervals: flips of centred differences, asymptotic\n"
    ) in by_max_t
    by_bh = repr(compare_all({"x": X, "y": Y}, correction="bh"))
    assert "corrected by Benjamini and Hochberg; 95 % intervals, not corrected\n" in by_bh
    assert "\n7 queries, 1 left out\n" in by_bh


@pytest.mark.filterwarnings("ignore:compare .b - a.:UserWarning")
def test_counts_of_groups_and_of_one_cluster_read_well():
    found = compare_all({"x": A[:9], "y": B[:9]}, by=[0] * 4 + [1] * 5, correction=None)
    assert "\n4 to 5 queries\n" in repr(found)
    found = compare(A[:9], B[:9], clusters=[0] * 9)
    assert "\n9 queries, 1 cluster, effectively 1\n" in repr(found)


def test_significant_differences_are_marked():
    found = compare_all({"x": X, "y": Y, "z": X - 0.2 + Y / 100}, correction="bh")
    assert repr(found) == (
        "       difference      low     high     p-value  effect size  wins  draws  losses\n"
        "y - x      0.0714  -0.0165   0.1594     0.0941        0.7509     5      1       1\n"
        "z - x     -0.1939  -0.1961  -0.1916   2.18e-12*     -80.4288     0      0       7\n"
        "z - y     -0.2653  -0.3534  -0.1772  0.0004808*      -2.7844     0      0       7\n"
        "\n"
        "7 queries, 1 left out\n"
        "paired t test, p-values corrected by Benjamini and Hochberg; 95 % intervals, not "
        "corrected\n"
        "* significant: the p-value is at most 0.05"
    )
    assert "<td>2.18e-12*</td>" in found._repr_html_()
    assert "*" not in repr(found[1])  # a row of its own shows no mark, as `compare` shows none


def test_the_family_of_a_correction_is_shown():
    two = {name: np.column_stack([each, each**2]) for name, each in (("x", A), ("y", B))}
    for correction, name in (("max-t", "max-T"), ("holm", "Holm")):
        for family, words in (("metric", "within each metric"), ("all", "over all metrics")):
            found = compare_all(two, correction=correction, family=family, random_state=0)
            assert f"p-values corrected by {name} {words}; " in repr(found)
            assert words not in repr(found[0])
            alone = compare_all({"x": A, "y": B}, correction=correction, family=family)
            assert f"p-values corrected by {name}; " in repr(alone)  # there is one metric
    assert "\npaired t test, p-values not corrected; 95 %" in repr(
        compare_all(two, correction=None)
    )
    alone = compare_all({"x": A, "y": B}, correction=None)
    assert "\npaired t test; 95 % intervals\n" in repr(alone)


def test_names_of_several_lines_are_shown_in_one():
    systems = {"old\n model": A, "new": B}
    lines = repr(compare_all(systems, correction=None)).splitlines()
    assert lines[1].startswith(r"new - old\n model ")
    frame = pd.DataFrame({"nDCG\nat 10": A, "MAP": B})
    assert repr(confidence_interval(frame, method="t")).splitlines()[1].startswith(r"nDCG\nat 10 ")
    text = repr(
        compare_all({"a": frame, "b": frame[::-1].reset_index(drop=True)}, correction="bh")
    )
    assert "\nb - a  nDCG\\nat 10 " in text


INFINITE = "an infinite limit means that the queries are too few, or too much alike, to find one"


def test_infinite_limits_are_explained():
    few = {"a": A[:3], "b": B[:3], "c": C[:3]}
    for found in (
        compare(A[:5], B[:5], test="permutation"),
        compare(A[:4], B[:4], test="permutation", alternative="greater"),
        compare_all(few),
        compare_all(few)[1],
    ):
        assert INFINITE in found._notes()
        assert f"\n{INFINITE}" in repr(found)
    for side, end in (("greater", "upper"), ("less", "lower")):
        text = repr(compare(A[:9], B[:9], test="permutation", alternative=side))
        assert INFINITE not in text
        assert f"{side!r}; 95 % interval without {'an' if end == 'upper' else 'a'} {end} " in text


def test_metrics_have_a_column():
    text = repr(compare_all(reports(), random_state=0))
    assert text.startswith("              metric  difference ")
    assert "\ndense - bm25  ndcg@1  " in text
    assert "<th>metric</th>" in compare_all(reports(), random_state=0)._repr_html_()


def test_a_long_table_is_cut():
    many = {f"s{number}": A**number for number in range(10)}
    found = compare_all(many, correction=None)
    lines = repr(found).splitlines()
    assert len(found) == 45
    assert lines[40:43] == [lines[40], "... and 5 more rows", ""]
    assert lines[40].startswith("s7 - s6")
    assert "<p>... and 5 more rows</p>" in found._repr_html_()


def test_an_interval_is_shown_as_a_table():
    scores = np.column_stack([X, Y])
    assert repr(confidence_interval(scores, method="t")) == (
        "            mean     low    high  standard error  queries  undefined\n"
        "column 0  0.5429  0.2990  0.7867          0.0997        7          1\n"
        "column 1  0.5375  0.2772  0.7978          0.1101        8          0\n"
        "\n"
        "95 % intervals: Student's t"
    )
    html = confidence_interval(X, method="percentile", random_state=0)._repr_html_()
    assert html.startswith("<table><thead><tr><th></th><th>mean</th>")
    assert html.endswith("<p>95 % intervals: percentile bootstrap</p>")


def test_frames():
    frame = compare_all(reports(), baseline="bm25", random_state=0).to_frame()
    numbers = ["difference", "low", "high", "pvalue", "effect_size", "wins", "draws", "losses"]
    more = ["direction", "detectable_difference", "n_queries", "n_effective", "n_dropped"]
    names = ["system_a", "system_b", "metric"]
    assert list(frame.columns) == [*names, *numbers, "pvalue_uncorrected", *more]
    assert frame["metric"].tolist() == ["ndcg@1", "ndcg@3"]
    assert "metric" not in compare_all(SYSTEMS, correction=None).to_frame()
    frame = compare(X, Y).to_frame()
    assert list(frame.columns) == [*numbers, *more]
    assert frame.index.tolist() == ["b - a"]
    assert frame.loc["b - a", "n_dropped"] == 1
    frame = confidence_interval(np.column_stack([X, Y]), method="t").to_frame()
    assert frame.index.tolist() == ["column 0", "column 1"]
    assert frame.loc["column 0", "n_undefined"] == 1
    assert frame["method"].tolist() == ["t", "t"]


@pytest.mark.parametrize("name", ["Comparison", "Comparisons", "ConfidenceInterval"])
def test_frames_need_pandas(monkeypatch, name):
    results = [compare(X, Y), compare_all({"x": X, "y": Y}), confidence_interval(X, method="t")]
    [result] = [each for each in results if type(each).__name__ == name]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=f"^{name}.to_frame needs pandas. Install it, or use"):
        result.to_frame()


def results():
    """Return results of all kinds, with arrays, ids and NaN."""
    of_reports = compare_all(reports(query_ids=[f"q{n}" for n in range(12)]), random_state=0)
    return [
        compare(X, Y),
        compare_all(SYSTEMS, random_state=0),
        of_reports,
        of_reports[0],
        confidence_interval(X, method="t"),
        confidence_interval(np.column_stack([X, np.full(8, NAN)]), method="t"),
    ]


@pytest.mark.filterwarnings("ignore:.*undefined")
def test_results_are_equal_if_all_their_values_are():
    for number, (one, same) in enumerate(zip(results(), results(), strict=True)):
        assert one == same
        assert [each == one for each in results()].count(True) == 1
        assert (one != "text", one != same) == (True, False)
        for name in vars(one).keys() - {"_families"}:  # which has the seed
            other = copy.copy(same)
            vars(other)[name] = "another"
            assert one != other, (number, name)
            message = f"^A {type(one).__name__} holds what was computed, so its values cannot be "
            with pytest.raises(TypeError, match=message):
                dataclasses.replace(same, **{name: "another"})
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


@pytest.mark.filterwarnings("ignore:compare .*undefined")
def test_json_takes_results_about_one_score_as_dicts():
    hits, model = np.arange(N_QUERIES) % 3 == 0, pd.Series(A, map(str, range(N_QUERIES)))
    people = model[:25] * 0.9
    units = {"clusters": np.arange(N_QUERIES) // 2, "sample_weight": np.arange(N_QUERIES) % 4}
    by_people = compare(model, pd.Series(B, model.index), human=(people, people**2))
    of_mean = confidence_interval(model, human=people)
    old, new = reports(query_ids=QUERIES).values()
    gate = check(new, old, max_drop={"ndcg@1": 0.1})
    for found in (
        compare(A, B),
        compare(A, B * NAN),
        compare(A, B, margin=0.1),
        compare(A, B, **units),
        compare(hits, ~hits, margin=0.1),
        compare_all(SYSTEMS, by=np.arange(N_QUERIES) % 2, random_state=0)[0],
        *(by_people, by_people.human),
        *(confidence_interval(A), confidence_interval(hits), confidence_interval(A, **units)),
        *(of_mean, of_mean.human),
        *(gate, gate[0], changes(new, old).scores["ndcg@1"]),
        audit(0.43, 50, baseline=0.41),
    ):
        loaded = json.loads(json.dumps(dataclasses.asdict(found)))
        assert [*loaded] == [each.name for each in dataclasses.fields(found)]
        for key, value in vars(found).items():
            assert not isinstance(value, (int, float)) or are_equal(loaded[key], value)


def test_comparisons_of_other_values_per_query_differ():
    a, b, rows = np.zeros(4), np.array([0.1, 0.2, 0.3, 0.4]), [0, 1, 3, 2]
    one, other = (compare_all({"a": a, "b": each}, correction=None) for each in (b, b[rows]))
    assert one.difference == other.difference
    assert one[0].difference_per_query.tolist() != other[0].difference_per_query.tolist()
    assert one != other


def test_equality_does_not_depend_on_what_was_computed_before():
    one, other = (compare_all(SYSTEMS, random_state=0) for _ in range(2))
    assert one.is_significant.any()
    assert one == other


@pytest.mark.filterwarnings("ignore:.*undefined")
def test_results_are_frozen_and_pickle():
    for found in results():
        with pytest.raises(AttributeError):
            found.confidence_level = 0.5
        loaded = pickle.loads(pickle.dumps(found))
        assert repr(loaded) == repr(found)
        assert loaded == found
        for result in (found, loaded):
            rows = [*result] if hasattr(result, "baseline") else []
            values = [
                *vars(result).values(),
                *(each for row in rows for each in vars(row).values()),
            ]
            values.append(getattr(result, "is_significant", None))
            for array in values:
                if isinstance(array, np.ndarray):
                    with pytest.raises(ValueError, match="read-only"):
                        array[0] = 1


def test_what_was_passed_is_not_changed_and_not_shared():
    a, b = A.copy(), B.copy()
    rows = compare_all({"a": a, "b": b}, correction=None)
    np.testing.assert_array_equal([a, b], [A, B])
    a[:] = 0
    np.testing.assert_array_equal(rows[0].difference_per_query, B - A)
