"""Is B better than A: SciPy's numbers, resamples by hand, and what has nothing to go by."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from paired_scores import ALTERNATIVES, CLOSE, INF, N_QUERIES, NAN, SYSTEMS, TESTS, A, B, same
from resamples import dense, seed_of
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores.significance import compare, compare_all, confidence_interval, queries_needed
from ranking_scores.significance._resampling import AllSigns, draws, flips
from ranking_scores.significance._tests import alpha_of

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
    monkeypatch.setattr("ranking_scores.significance._resampling._LEAST_SIZE", size)
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
    monkeypatch.setattr("ranking_scores.significance._resampling._LEAST_SIZE", 8)
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
        monkeypatch.setattr(f"ranking_scores.significance._resampling.{name}", 9)
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
        monkeypatch.setattr(f"ranking_scores.significance._resampling.{name}", 1)
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
        if test == "bootstrap" and (2 - (alternative != "two-sided")) / 2**n_queries > 1 - level:
            assert not found.is_significant.any()  # no flips of signs could be
        else:
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


FEW = {
    "equal": np.full(3, 0.1),
    "nearly equal": np.array([0.1, 0.1, 0.1001]),
    "0 and 1": np.ones(3),
}


@pytest.mark.parametrize("test", ["auto", "bootstrap", "sequential", "permutation"])
@pytest.mark.parametrize("differences", FEW.values(), ids=list(FEW))
@pytest.mark.filterwarnings("ignore:compare:UserWarning")
def test_no_pvalue_is_below_the_smallest_one_that_the_table_names(test, differences):
    """The table names it if no outcome of so few queries could be significant."""
    for alternative, least in (("two-sided", 0.25), ("greater", 0.125)):
        if test == "sequential" and alternative == "greater":
            continue
        found = compare(0 * differences, differences, test=test, alternative=alternative)
        assert f"can give p < {least}" in repr(found)
        assert found.pvalue >= least
        assert f" {found.pvalue:.4f} " in repr(found)
    at_level = compare(np.zeros(5), np.arange(5) + 9.0, confidence_level=0.9)
    assert at_level.pvalue < 2**-4 < 0.1  # which flips of signs could be, too


@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon"])
@pytest.mark.filterwarnings("ignore:compare:UserWarning")
def test_one_constant_difference(test):
    found = compare(A[:10], A[:10] + 0.1, test=test)
    same(found.pvalue, 2 / 2**10)
    one_sided = compare(A[:10], A[:10] + 0.1, test=test, alternative="greater")
    same(one_sided.pvalue, 1 / 2**10)
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
