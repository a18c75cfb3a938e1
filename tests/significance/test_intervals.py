"""Intervals: what they took, the range they keep, equal differences, and scores of 0 and 1."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from raising import raises
from recorded_scores import CLUSTER, FOUND, LEVEL, NAN, TESTS, WEIGHT, A, B, N, same
from scipy import stats
from scipy.optimize import minimize_scalar
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import ndcg_score, ranking_report
from ranking_scores.significance import compare, compare_all, confidence_interval

# What SciPy and statsmodels say.


@pytest.mark.parametrize("name", FOUND["shares"])
def test_intervals_of_shares_are_those_of_statsmodels(name):
    hits, n = map(int, name.split(" of "))
    values = np.arange(n) < hits
    for method, limits in FOUND["shares"][name].items():
        found = confidence_interval(values, method=method, confidence_level=LEVEL)
        np.testing.assert_allclose([found.low, found.high], limits, atol=1e-12)
        assert found.method == method
    chosen = "exact" if n < 40 else "wilson"
    assert confidence_interval(values).method == chosen


# Equal differences, scales and resamples.

small_differences = st.lists(st.sampled_from([-0.3, 0, 0, 0.1, 0.2]), min_size=3, max_size=12)


@settings(deadline=None)
@given(differences=small_differences, factor=st.sampled_from([10, 0.7, 3]))
def test_scaled_differences_have_a_scaled_interval(differences, factor):
    b = np.array(differences)
    for test in TESTS:
        params = {"test": test, "n_resamples": 99, "random_state": 0}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, scaled = (compare(0 * b, each * b, **params) for each in (1, factor))
        assert found.pvalue == pytest.approx(scaled.pvalue, abs=1e-9)
        for limit, of_scaled in [(found.low, scaled.low), (found.high, scaled.high)]:
            np.testing.assert_allclose(factor * limit, of_scaled, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*all differences are equal:UserWarning")
def test_equal_differences_are_equal_in_resamples():
    for size in (0.1, 0.3, 0.7, 3):
        found = compare(np.zeros(10), np.full(10, size), test="bootstrap", random_state=0)
        assert (found.low, found.high, found.pvalue) == (size, size, 2 / 2**10)
    draws_and_others = np.r_[0.1, 0.2, -0.3, np.zeros(17)]
    found = compare(np.zeros(20), draws_and_others, test="bootstrap", random_state=0)
    assert found.pvalue > 0.9
    assert np.isfinite([found.low, found.high]).all()


def test_holm_needs_enough_resamples():
    rng = np.random.default_rng(0)
    systems = {f"s{place}": rng.random(30) for place in range(23)}
    params = {"correction": "holm", "test": "bootstrap"}
    with raises("n_resamples", "at least 10119 if correction='holm' corrects 253", got="9999"):
        compare_all(systems, **params)
    with raises("n_resamples", "at least 5059"):
        compare_all(systems, alternative="less", n_resamples=5058, **params)
    few = {name: scores[:3] for name, scores in list(systems.items())[:4]}
    found = compare_all(few, correction="holm", test="permutation", n_resamples=39)
    assert found.pvalue.min() >= 0.25  # all flips of 3 queries are taken
    with raises("n_resamples", "at least 119 if correction='holm' corrects 3 comparisons"):
        compare_all(few, baseline="s0", n_resamples=118, **params)
    best = {"s0": systems["s0"], "s1": systems["s0"] + 1 + rng.random(30) / 10}
    assert compare_all(best, n_resamples=39, random_state=0, **params).pvalue[0] == 0.05


# Intervals.


def test_the_default_interval_says_what_it_took():
    rng = np.random.default_rng(0)
    values = rng.random((60, 2))
    values[:, 1] = values[:, 1] > 0.5
    found = confidence_interval(values)
    assert found.method == ("t", "wilson")
    assert "95 % intervals: Student's t (column 0), Wilson (column 1)" in repr(found)
    assert confidence_interval(values[:39, 1]).method == "exact"
    assert confidence_interval(values, sample_weight=np.ones(60)).method == ("t", "wilson")
    for name in ("t", "bca", "expansion", "studentized"):
        explicit = confidence_interval(values[:, 0], method=name, random_state=0)
        assert explicit.method == name
    same([found.low[0]], [confidence_interval(values[:, 0], method="t").low])


def test_the_expansion_is_bca_of_many_queries():
    """The limits agree within the error of resamples and their number."""
    values = np.random.default_rng(0).beta(0.3, 1.2, 5000)
    found = confidence_interval(values, method="expansion")
    bca = confidence_interval(values, method="bca", random_state=0)
    error = 0.1 * found.standard_error  # four standard errors of a quantile of 9999
    assert abs(found.low - bca.low) < error
    assert abs(found.high - bca.high) < error
    weight = np.random.default_rng(1).lognormal(sigma=0.5, size=5000)
    of_weights, by_draws = (
        confidence_interval(values, method=each, sample_weight=weight, random_state=0)
        for each in ("expansion", "bca")
    )
    assert abs(of_weights.low - by_draws.low) < 0.1 * of_weights.standard_error
    assert abs(of_weights.high - by_draws.high) < 0.1 * of_weights.standard_error


def test_the_expansion_follows_the_skewness():
    """The quantile of the mean of gamma numbers is that of a gamma distribution."""
    n = 400
    values = stats.expon.ppf((np.arange(n) + 0.5) / n)
    found = confidence_interval(values, method="expansion")
    skewness = stats.skew(values) / np.sqrt(n)
    shape = 4 / skewness**2
    z0 = skewness / 6
    for z, limit in ((-1.959964, found.low), (1.959964, found.high)):
        shifted = stats.norm.cdf(z0 + (z0 + z) / (1 - z0 * (z0 + z)))
        of_gamma = (stats.gamma.ppf(shifted, shape) - shape) / np.sqrt(shape)
        assert limit == pytest.approx(
            values.mean() + of_gamma * values.std() / np.sqrt(n), rel=1e-3
        )


def test_scores_of_0_and_1_keep_within_their_range():
    for values in (np.zeros(5), np.ones(5), np.zeros(100), np.r_[np.zeros(99), 1]):
        found = confidence_interval(values)
        assert 0 <= found.low < found.high <= 1
        assert (found.low == 0) == (values == 0).all()
    both = confidence_interval(
        np.column_stack([np.ones(5), np.full(5, NAN), [0, 1, 1, 1, NAN]][::2])
    )
    assert both.method == ("exact", "exact")
    halves = [0.5, 1, 1, 0.5]
    assert confidence_interval(halves).method == "t"
    for method in ("wilson", "exact"):
        with raises("method", "another method", got=repr(method)):
            confidence_interval(halves, method=method)


def hits_and_sums(n_queries=12):
    """Return reports of two systems, whose scores at the first rank all are 0 or 1."""
    y_true = np.eye(3)[np.arange(n_queries) % 2]
    y_score = np.tile([3.0, 2, 1], (n_queries, 1))
    scores = ["hit_rate", "dcg", "ndcg", "trec_eval:recall@1", "arp"]
    return [
        ranking_report(y_true, each, scores=scores, k=[1], query_ids=range(n_queries))
        for each in (y_score, y_score[:, [1, 0, 2]])
    ]


def test_the_score_of_a_report_decides_whether_0_and_1_are_shares():
    one, other = hits_and_sums()
    names = ["hit_rate@1", "dcg@1", "ndcg@1", "trec_eval:recall@1", "arp"]
    assert list(one) == names
    assert confidence_interval(one).method == ("exact", "t", "exact", "exact", "t")
    found = compare_all({"a": one, "b": other}, correction=None)
    tests = ("mcnemar", "t", "mcnemar", "mcnemar", "t")
    assert found.tests == tests
    frame = pd.DataFrame({name: one.per_query[name] for name in ("dcg@1", "ndcg@1")})
    assert confidence_interval(frame).method == ("t", "exact")
    assert confidence_interval(frame.add_prefix("old: ")).method == ("exact", "exact")  # no scores
    assert confidence_interval(one.per_query["dcg@1"]).method == "exact"  # whose score is unknown
    with raises("method", "another method, since not all scores are 0 or 1, or can be nothing"):
        confidence_interval(one, method="wilson")
    of_one = {"dcg": one.per_query["dcg@1"]}
    with raises("test", "another test for these scores"):
        compare_all(
            {"a": pd.DataFrame(of_one), "b": pd.DataFrame(of_one)}, correction=None, test="mcnemar"
        )


def test_limits_keep_within_the_range_of_the_score():
    y_true, y_score = [[1, 0, 0], [0, 1, 0], [1, 0, 0]], [[3, 2, 1]] * 3
    report = ranking_report(y_true, y_score, scores=["ndcg", "dcg", "mrr", "arp"], k=None)
    found = confidence_interval(report)
    by_array = confidence_interval(np.column_stack([*report.per_query.values()]))
    assert by_array.high[0] > 1
    assert by_array.low[3] < 1
    same(found.high, [1, by_array.high[1], 1, by_array.high[3]])
    same(found.low, [*by_array.low[:3], 1])
    undefined = ranking_report(
        [[1, 0], [0, 0]],
        [[2, 1]] * 2,
        scores={"mine": partial(ndcg_score, replace_undefined_by=-1)},
    )
    assert confidence_interval(undefined).low[0] == -1  # the lowest score that a query can have


def test_too_few_units_have_no_interval():
    for params in ({"clusters": np.zeros(5)}, {"sample_weight": [1, 0, 0, 0, 0]}):
        with pytest.warns(UndefinedMetricWarning) as caught:
            found = confidence_interval(A[:5], **params)
        assert len(caught) == 1
        assert np.isnan([found.low, found.high, found.standard_error]).all()
        units = f"fewer than two {'clusters' if 'clusters' in params else 'queries'} have a score."
        assert str(caught[0].message) == f"confidence_interval is undefined: {units}"
        with pytest.warns(UndefinedMetricWarning, match=f"undefined: {units}") as caught:
            assert np.isnan(compare(A[:5], B[:5], **params).pvalue)
        assert len(caught) == 1


def test_a_single_cluster_is_printed_in_the_singular():
    params = {"clusters": np.zeros(5)}
    with pytest.warns(UndefinedMetricWarning):
        assert "\n1 cluster, effectively 1" in repr(confidence_interval(A[:5], **params))
    with pytest.warns(UndefinedMetricWarning):
        text = repr(compare(A[:5], B[:5], **params))
    assert "\n5 queries, 1 cluster, effectively 1\n" in text
    assert "sign flips" not in text  # of which 1 cluster has none


def test_bets_are_not_measured_by_sign_flips():
    hits = pd.DataFrame({"hit_rate@1": [1.0, 0, 0]})
    texts = [repr(compare(hits, 1 - hits, test=test)) for test in ("betting", "permutation")]
    assert ["With 3 queries, no permutation test" in each for each in texts] == [False, True]


# Scores of 0 and 1.


def tango_by_hand(wins, losses, n, difference):
    """Return the score statistic, from the likelihood under a difference."""
    low, high = max(0.0, -difference), (1 - difference) / 2

    def surprise(q):
        p = np.clip([q + difference, q, 1 - 2 * q - difference], 1e-300, 1)
        return -(np.array([wins, losses, n - wins - losses]) @ np.log(p))

    q = minimize_scalar(surprise, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
    variance = n * (2 * q + difference - difference**2)
    return (wins - losses - n * difference) / np.sqrt(variance)


def mid_p(wins, changes):
    """Return the probability of more wins of fair coins, plus half that of as many."""
    ways = [comb(changes, each) for each in range(changes + 1)]
    return Fraction(2 * sum(ways[wins + 1 :]) + ways[wins], 2 * 2**changes)


@pytest.mark.parametrize(("wins", "losses", "n"), [(7, 2, 20), (1, 0, 8), (9, 9, 40), (3, 12, 60)])
def test_the_interval_of_hits_is_that_of_the_score_test(wins, losses, n):
    a, b = np.zeros(n), np.zeros(n)
    b[:wins], a[wins : wins + losses] = 1, 1
    found = compare(a, b)
    assert found.test == "mcnemar"
    above, below = mid_p(wins, wins + losses), mid_p(losses, wins + losses)
    assert found.pvalue == pytest.approx(float(2 * min(above, below)), rel=1e-12)
    z = stats.norm.ppf(0.975)
    assert tango_by_hand(wins, losses, n, found.low) == pytest.approx(z, abs=1e-4)
    assert tango_by_hand(wins, losses, n, found.high) == pytest.approx(-z, abs=1e-4)
    for alternative, key, other in (("greater", "low", "high"), ("less", "high", "low")):
        one_sided = compare(a, b, alternative=alternative)
        expected = above if alternative == "greater" else below
        assert one_sided.pvalue == pytest.approx(float(expected), rel=1e-12)
        assert np.isinf(getattr(one_sided, other))
        at = tango_by_hand(wins, losses, n, getattr(one_sided, key))
        assert abs(at) == pytest.approx(stats.norm.ppf(0.95), abs=1e-4)
    margin = compare(a, b, margin=0.1)
    expected = stats.norm.sf(tango_by_hand(wins, losses, n, -0.1))
    assert margin.pvalue_noninferior == pytest.approx(expected, abs=1e-4)


def test_hits_that_do_not_differ():
    found = compare([0, 1, 1, 0, 1], [0, 1, 1, 0, 1])
    assert (found.pvalue, found.difference) == (1, 0)
    assert found.high == -found.low == pytest.approx(3.841459 / (5 + 3.841459))
    always = compare(np.zeros(6), np.ones(6))
    assert (always.pvalue, always.high) == (1 / 64, 1)
    assert 0 < always.low < 1


def test_metrics_of_hits_are_compared_as_hits():
    both = {name: np.column_stack([each, each > 0.5]) for name, each in (("a", A), ("b", B))}
    found = compare_all(both, correction="holm")
    assert found.tests == ("t", "mcnemar")
    assert [row.test for row in found] == ["t", "mcnemar"]
    assert "paired t test or McNemar's mid-p test, p-values corrected by Holm" in repr(found)
    same(found.pvalue_uncorrected[1], compare(A > 0.5, B > 0.5).pvalue)
    assert compare_all(both, random_state=0).tests == ("t", "t")
    assert compare(A > 0.5, B > 0.5, sample_weight=WEIGHT).test == "t"
    assert compare(A > 0.5, B).test == "t"


# Huge scores, single queries, and columns.


def test_differences_of_hits_are_exact_fractions():
    wins, losses = 5, 1
    a, b = np.zeros(10), np.zeros(10)
    b[:wins], a[wins : wins + losses] = 1, 1
    tail = Fraction(1, 64) + Fraction(6, 64) / 2
    assert compare(a, b).pvalue == pytest.approx(float(2 * tail), rel=1e-14)
    assert compare(a, a, alternative="greater").pvalue == 1


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap", "wilcoxon"])
def test_a_huge_score_that_both_systems_have_hides_no_difference(test):
    a, b = np.append(A, 1e15), np.append(B, 1e15)
    small = np.append(A, 1.0), np.append(B, 1.0)
    found = compare(a, b, test=test, random_state=0)
    expected = compare(*small, test=test, random_state=0)
    assert (found.difference, found.pvalue) == (expected.difference, expected.pvalue)
    assert (found.low, found.high) == (expected.low, expected.high)
    assert compare([1e15, 0.5], [1e15 + 0.125, 0.5]).draws == 2  # a rounding, as before


@pytest.mark.parametrize("values", [[NAN, 0.3], [1], [[1, NAN], [0.5, NAN], [0.2, 0.3]]])
def test_the_interval_of_a_single_query_is_printed(values):
    with pytest.warns(UndefinedMetricWarning):
        found = confidence_interval(values)
    assert "Student's t" in repr(found)
    assert "auto" not in np.ravel(found.method)


def test_weights_of_other_queries_are_refused():
    with raises("sample_weight", "a dict", advice="for each in system_a}`"):
        compare({"a": 1, "b": 0.2}, {"a": 0.3, "b": 0.5}, sample_weight={"a": 1, "b": 2, "c": 3})


@pytest.mark.parametrize("method", ["auto", "bca", "studentized"])
def test_columns_of_clusters_have_the_intervals_that_they_have_alone(method):
    columns = np.column_stack([A > 0.5, A, np.where(np.arange(N) % 4 == 1, np.nan, B), A > 0.6])
    params = {"clusters": CLUSTER, "method": method, "n_resamples": 99, "random_state": 0}
    found = confidence_interval(columns, **params)
    alone = [confidence_interval(column, **params) for column in columns.T]
    assert found.method == (("exact", "t", "t", "exact") if method == "auto" else (method,) * 4)
    for key in ("low", "high", "standard_error", "n_effective"):
        same(getattr(found, key), [getattr(each, key) for each in alone])
