"""Weights, clusters, groups, margins, looks and scores of 0 and 1 in comparisons and intervals."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
import warnings
from fractions import Fraction
from functools import partial
from math import comb

import make_significance_numbers
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raising import raises
from scipy import stats
from scipy.optimize import minimize_scalar
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import ndcg_score, ranking_report
from ranking_scores._statistics import _max_t
from ranking_scores._statistics._max_t import _RelativeScores
from ranking_scores._statistics._resampling import draws, flips
from ranking_scores.significance import (
    compare,
    compare_all,
    confidence_interval,
    power_curve,
    queries_needed,
)

CLOSE = 1e-10  # some roundings, in the sums of two programs
INF, NAN = np.inf, np.nan
RECORDED = json.loads(make_significance_numbers.PATH.read_text(encoding="utf-8"))
GIVEN, FOUND, LEVEL = (RECORDED[key] for key in ("given", "found", "level"))
A, B, C = map(np.array, GIVEN["scores"])
WEIGHT, CLUSTER, GROUP = (np.array(GIVEN[key]) for key in ("weight", "cluster", "group"))
N = len(A)
TESTS = ("t", "permutation", "bootstrap")


def same(found, expected, tolerance=CLOSE):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-14)


def seed_of(random_state):
    return int(np.random.RandomState(random_state).randint(2**32, dtype=np.uint64))


def error_of_t(values, weight):
    """Return the standard error of a weighted mean that t takes, by hand."""
    share = weight / weight.sum()
    left = 1 - 2 * share + (share**2).sum()
    return np.sqrt((share**2 * (values - share @ values) ** 2 / left).sum())


def dense(blocks, n_units):
    """Return resamples as one array, (n_resamples, n_units)."""
    return np.concatenate([block.times(np.eye(n_units))[0] for block in blocks])


# What SciPy and statsmodels say.


def test_the_recorded_inputs_are_those_of_the_script():
    assert make_significance_numbers.systems() == GIVEN
    assert make_significance_numbers.LEVEL == LEVEL


@pytest.mark.parametrize("name", FOUND["regressions"])
def test_weights_and_clusters_are_those_of_regressions(name):
    arrays = {"weight": WEIGHT, "cluster": CLUSTER}
    keys = {"weight": "sample_weight", "cluster": "clusters"}
    params = {keys[each]: arrays[each] for each in name.split(", ")}
    found = compare(A, B, confidence_level=LEVEL, **params)
    mean, error, pvalue, _, _ = FOUND["regressions"][name]
    n_units = len(set(CLUSTER)) if "cluster" in name else N
    same(pvalue, 2 * stats.t.sf(abs(mean / error), n_units - 1))
    size = WEIGHT if "weight" in name else np.ones(N)
    cluster = CLUSTER if "cluster" in name else np.arange(N)
    total, sums = (np.bincount(cluster, each) for each in (size, size * (B - A)))
    is_there = total > 0
    of_t = error_of_t(sums[is_there] / total[is_there], total[is_there])
    degrees = found.n_effective - 1  # those of statsmodels count units, whatever they weigh
    pvalue = 2 * stats.t.sf(abs(mean / of_t), degrees)
    low, high = stats.t.interval(LEVEL, degrees, mean, of_t)
    same([found.difference, found.pvalue, found.low, found.high], [mean, pvalue, low, high])
    of_one = confidence_interval(B - A, confidence_level=LEVEL, method="t", **params)
    same([of_one.mean, of_one.standard_error, of_one.low, of_one.high], [mean, error, low, high])
    same([found.n_effective, of_one.n_effective], [total.sum() ** 2 / (total**2).sum()] * 2)
    assert found.n_clusters == (len(set(CLUSTER)) if "cluster" in name else None)


def test_p_values_are_corrected_as_in_statsmodels():
    systems = {"a": A, "b": B, "c": C}
    for correction, expected in FOUND["pvalues"].items():
        correction = None if correction == "none" else correction
        same(compare_all(systems, correction=correction).pvalue, expected)


def test_other_tests_are_those_of_scipy_and_statsmodels():
    same(compare(A, B, test="wilcoxon").pvalue, FOUND["wilcoxon"], 0.05)  # ours is exact
    hits = compare(A > 0.5, C > 0.45)  # ours is mid-p: two tails, each without half of its end
    end = stats.binom.pmf(hits.wins, hits.wins + hits.losses, 0.5)
    same(hits.pvalue + end, FOUND["mcnemar"])
    found = compare(A, B, margin=0.05)
    same(
        [found.pvalue_noninferior, found.pvalue_equivalent],
        [FOUND["margin"]["noninferior"], FOUND["margin"]["equivalent"]],
    )
    found = compare_all({"a": A, "b": B}, by=GROUP, random_state=0)
    same(found.pvalue_interaction, [FOUND["interaction"]] * 3)


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


def test_powers_are_those_of_statsmodels():
    for name, expected in FOUND["powers"].items():
        n, effect, side = name.split()
        found = power_curve(
            int(n),
            difference=float(effect),
            standard_deviation=1,
            alternative="two-sided" if side == "two-sided" else "greater",
        )
        same(found, [expected], 1e-5)  # older releases of SciPy have few digits


def test_max_t_for_all_pairs_needs_what_tukeys_test_needs():
    for k, critical in FOUND["tukey"].items():
        params = {"difference": 0.01, "standard_deviation": 1}
        found = queries_needed(n_systems=int(k), **params)
        normal = ((critical + stats.norm.ppf(0.8)) / 0.01) ** 2
        assert abs(found - normal) < 6 + 1e-4 * normal


# Resamples with weights and clusters, by hand.


def units_by_hand(weight, cluster):
    """Return the mean of each cluster's differences, and its weight."""
    names = np.unique(cluster)
    size = np.array([weight[cluster == each].sum() for each in names])
    total = np.array([(weight * (B - A))[cluster == each].sum() for each in names])
    return total / size, size


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("has_clusters", [False, True])
@pytest.mark.parametrize("has_weights", [False, True])
def test_resamples_by_hand(monkeypatch, has_weights, has_clusters, alternative):
    monkeypatch.setattr("ranking_scores._statistics._resampling.MOST", 16)
    weight = WEIGHT if has_weights else np.ones(N)
    cluster = CLUSTER if has_clusters else np.arange(N)
    params = {"sample_weight": WEIGHT if has_weights else None, "alternative": alternative}
    params |= {"clusters": CLUSTER if has_clusters else None, "n_resamples": 399}
    values, size = units_by_hand(weight, cluster)
    n = len(values)
    mean = np.average(values, weights=size)

    def pvalue_of(below, above, n_resamples):
        below, above = ((1 + each) / (1 + n_resamples) for each in (below, above))
        both = {"greater": above, "less": below, "two-sided": min(1, 2 * min(below, above))}
        return both[alternative]

    flipped = dense(flips(399, seed_of(3))(n), n)
    means = (1 - 2 * flipped) @ (size * values) / size.sum()
    found = compare(A, B, test="permutation", random_state=3, **params)
    counts = (means <= mean + 1e-12).sum(), (means >= mean - 1e-12).sum()
    same(found.pvalue, pvalue_of(*counts, len(flipped)))

    counts_of = dense(draws(399, seed_of(3))(n), n)
    samples = [np.repeat(np.arange(n), each.astype(int)) for each in counts_of]

    def t_of(places, about):
        m = np.average(values[places], weights=size[places])
        spread = (size[places] ** 2 * (values[places] - m) ** 2).sum() * n / (n - 1)
        return (m - about) / (np.sqrt(spread) / size[places].sum())

    t = np.array([t_of(each, mean) for each in samples])
    observed = t_of(np.arange(n), 0)
    found = compare(A, B, test="bootstrap", random_state=3, **params)
    expected = pvalue_of((t <= observed).sum(), (t >= observed).sum(), 399)
    same(found.pvalue, expected)
    error = mean / observed
    in_order = np.sort(t)
    if alternative == "two-sided":
        same([found.low, found.high], mean - error * in_order[[389, 9]])
        del params["alternative"]
        params |= {"method": "studentized", "random_state": 3}
        interval = confidence_interval(B - A, **params)
        same([interval.low, interval.high], [found.low, found.high])
        params["method"] = "percentile"
        means = np.array([np.average(values[each], weights=size[each]) for each in samples])
        interval = confidence_interval(B - A, **params)
        same([interval.low, interval.high], np.quantile(means, [0.025, 0.975]))
    else:
        limit = mean - error * in_order[379 if alternative == "greater" else 19]
        same(found.low if alternative == "greater" else found.high, limit)


def largest_by_hand(systems, resamples, weight, size, is_centred):
    """Return the largest t of all pairs for each set of resamples, given as signs or counts."""
    largest = []
    pairs = list(itertools.combinations(systems, 2))
    for signs, counts in resamples:
        of_pairs = []
        for a, b in pairs:
            d = systems[b] - systems[a]
            is_there = ~np.isnan(d)
            v, w, c, s = (each[is_there] for each in (d, weight, counts, signs))
            v = s * (v - np.average(v, weights=w) * is_centred)
            n = c.sum()
            m = (c * w * v).sum() / (c * w).sum()
            spread = (c * w**2 * (v - m) ** 2).sum() * n / (n - 1)
            of_pairs.append((c * w).sum() * abs(m) / np.sqrt(spread))
        largest.append(max(of_pairs))
    return np.array(largest)


@pytest.mark.parametrize("lacks", [False, True])
@pytest.mark.parametrize("has_weights", [False, True])
def test_max_t_with_weights_and_missing_scores_by_hand(has_weights, lacks):
    systems = {"a": A.copy(), "b": B.copy(), "c": C.copy()}
    if lacks:
        systems["b"][:7], systems["c"][7:12] = NAN, NAN
    weight = WEIGHT if has_weights else np.ones(N)
    params = {"sample_weight": WEIGHT if has_weights else None, "n_resamples": 199}
    ones = np.ones((199, N))
    signs = 1 - 2 * dense(flips(199, seed_of(5))(N), N)
    counts = dense(draws(199, seed_of(5))(N), N)
    by_flips = largest_by_hand(systems, zip(signs, ones, strict=True), weight, N, False)
    centred = largest_by_hand(systems, zip(signs, ones, strict=True), weight, N, True)
    drawn = largest_by_hand(systems, zip(ones, counts, strict=True), weight, N, True)
    for test in ("t", "bootstrap"):
        found = compare_all(systems, test=test, random_state=5, **params)
        for place, (a, b) in enumerate(itertools.combinations(systems, 2)):
            own = {"sample_weight": params["sample_weight"]}
            alone = compare(systems[a], systems[b], **own)
            error = confidence_interval(systems[b] - systems[a], **own).standard_error
            t = abs(alone.difference) / error
            pvalue, critical = (1 + (by_flips >= t - 1e-9).sum()) / 200, np.sort(centred)[-10]
            if test == "bootstrap":
                pvalue = max(pvalue, (1 + (drawn >= t - 1e-9).sum()) / 200)
                critical = max(critical, np.sort(drawn)[-10])
            same(found.pvalue[place], pvalue)
            limits = [alone.difference - critical * error, alone.difference + critical * error]
            same([found.low[place], found.high[place]], limits, 1e-8)


def test_sums_of_scores_give_the_p_values_of_sums_of_differences(monkeypatch):
    """Goes with `_max_t._RelativeScores`, which takes differences after the sums."""
    rng = np.random.default_rng(0)
    of_query = rng.random(60)
    systems = {f"s{place}": np.round(of_query + rng.normal(0, 0.1, 60), 1) for place in range(6)}
    systems |= {"same": systems["s0"], "close": systems["s1"] + 1e-6 * rng.random(60)}
    params = {"random_state": 0, "n_resamples": 299}
    taken = []
    summed = _RelativeScores.statistics
    monkeypatch.setattr(
        _RelativeScores, "statistics", lambda *args: taken.append(args[1].sum()) or summed(*args)
    )
    found = compare_all(systems, **params)
    assert taken == [26]  # not the two pairs of systems that are too close
    monkeypatch.setattr(_max_t, "_CLOSE", 1e9)
    expected = compare_all(systems, **params)
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    same(found.low, expected.low, 1e-9)
    assert taken == [26]


def test_weights_of_whole_clusters_are_weights_of_queries():
    """Clusters of equal queries, and queries with the weight of their number."""
    once, size = np.arange(20), np.random.default_rng(0).integers(1, 4, 20)
    many = np.repeat(once, size)
    for test in TESTS:
        params = {"test": test, "random_state": 0, "n_resamples": 199}
        found = compare(A[many], B[many], clusters=many, **params)
        expected = compare(A[:20], B[:20], sample_weight=size, **params)
        for key in ("difference", "pvalue", "low", "high", "n_effective"):
            same(getattr(found, key), getattr(expected, key))
    for method in ("t", "bca", "percentile", "studentized", "expansion"):
        params = {"method": method, "random_state": 0, "n_resamples": 199}
        found = confidence_interval(A[many], clusters=many, **params)
        expected = confidence_interval(A[:20], sample_weight=size, **params)
        same([found.low, found.high], [expected.low, expected.high])


def test_equal_weights_are_no_weights_and_single_queries_no_clusters():
    same_weight, alone = np.full(N, 0.3), np.random.default_rng(0).permutation(N)
    for test in TESTS:
        params = {"test": test, "random_state": 0, "n_resamples": 199}
        expected = compare(A, B, **params)
        for more in ({"sample_weight": same_weight}, {"clusters": np.arange(N)}):
            found = compare(A, B, **params, **more)
            for key in ("difference", "pvalue", "low", "high", "effect_size"):
                same(getattr(found, key), getattr(expected, key))
        # Flips and draws belong to the clusters in the order of their names.
        order = np.argsort(alone)
        found = compare(A, B, clusters=alone, **params)
        same(found.pvalue, compare(A[order], B[order], **params).pvalue)


def test_a_query_of_weight_0_is_left_out():
    weight = WEIGHT.copy()
    weight[[3, 9]] = 0
    rest = np.delete(np.arange(N), [3, 9])
    found = compare(A, B, sample_weight=weight)
    expected = compare(A[rest], B[rest], sample_weight=weight[rest])
    assert (found.n_queries, found.n_dropped) == (N - 2, 2)
    assert (found.pvalue, found.low) == (expected.pvalue, expected.low)
    assert np.isnan(found.difference_per_query[[3, 9]]).all()
    interval = confidence_interval(A, sample_weight=weight)
    assert (interval.n_queries, interval.n_undefined) == (N - 2, 2)


def reports(**params):
    rng = np.random.default_rng(4)
    y_true = rng.integers(0, 3, size=(40, 6))
    return [
        ranking_report(
            y_true,
            y_true + rng.normal(scale=scale, size=y_true.shape),
            scores=["ndcg"],
            k=3,
            **params,
        )
        for scale in (3, 1)
    ]


def test_reports_bring_their_weights():
    weight = np.random.default_rng(0).random(40) + 0.5
    weighted, plain = reports(sample_weight=weight), reports()
    found = compare(*weighted)
    expected = compare(*plain, sample_weight=weight)
    assert (found.pvalue, found.low, found.n_effective) == (
        expected.pvalue,
        expected.low,
        expected.n_effective,
    )
    interval = confidence_interval(weighted[0])
    assert interval.mean[0] == weighted[0]["ndcg@3"]
    assert interval.standard_error[0] == weighted[0].standard_error["ndcg@3"]
    mixed = compare(weighted[0], plain[1].per_query["ndcg@3"])
    assert mixed.difference == found.difference
    with raises("system_b", "same `sample_weight` as system_a", got="one without"):
        compare(weighted[0], plain[1])
    other = reports(sample_weight=weight[::-1])
    with raises("system_b", "same `sample_weight`", got="one with others"):
        compare(weighted[0], other[1])
    with raises("sample_weight", "since system_a is a report with weights"):
        compare(*weighted, sample_weight=weight)


def test_few_effective_queries_are_said():
    weight = np.r_[np.full(5, 100), np.ones(N - 5)]
    with pytest.warns(
        UserWarning, match="^compare .b - a.: only 5.9 effective queries. "
    ) as caught:
        found = compare(A, B, sample_weight=weight)
    assert caught[0].filename == __file__
    assert "48 queries, effectively 5.9\n" in repr(found)
    with pytest.warns(
        UserWarning, match=r"^confidence_interval \(column 0, column 1\): only 3.. effective clu"
    ):
        found = confidence_interval(np.column_stack([A, B]), clusters=CLUSTER // 6)
    assert "\n4 clusters, effectively 3." in repr(found)
    with pytest.warns(UserWarning, match="^compare_all .b - a.: only"):
        compare_all({"a": A, "b": B}, clusters=CLUSTER // 3)
    text = repr(compare(A, B, clusters=np.arange(N) // 3))
    assert "\n48 queries, 16 clusters, effectively 16\n" in text
    assert "effectively 23.6 queries" in repr(confidence_interval(A, sample_weight=WEIGHT))
    compare(A[:5], B[:5])


@pytest.mark.long
def test_queries_of_a_cluster_are_not_independent():
    """The type I error of t is far above 5 % unless it knows the clusters."""
    rng = np.random.default_rng(0)
    users = np.repeat(np.arange(50), 10)
    errors = {"alone": 0, "t": 0, "permutation": 0}
    for _ in range(200):
        d = rng.normal(size=50)[users] + 0.5 * rng.normal(size=500)
        errors["alone"] += compare(np.zeros(500), d).pvalue <= 0.05
        errors["t"] += compare(np.zeros(500), d, clusters=users).pvalue <= 0.05
        params = {"test": "permutation", "n_resamples": 199, "random_state": 0}
        errors["permutation"] += compare(np.zeros(500), d, clusters=users, **params).pvalue <= 0.05
    assert errors["alone"] > 60
    assert max(errors["t"], errors["permutation"]) <= 10 + 4 * (200 * 0.05 * 0.95) ** 0.5


def test_ids_that_come_twice_need_clusters():
    users = CLUSTER.tolist()
    a, b = pd.Series(A, index=users), pd.Series(B, index=users)
    advice = "`clusters=system_a.index`"
    with raises("system_a", "unique ids", got=f"{users[0]!r} twice", advice=advice):
        compare(a.iloc[[0, 0]], b.iloc[[0, 0]])
    with raises("systems['x']", "unique ids"):
        compare_all({"x": a, "y": b})
    with raises("values", "unique ids", advice="`clusters=values.index`"):
        confidence_interval(a)
    with raises("system_a", "unique ids", advice="groupby(level=0).mean()"):
        queries_needed(a, b)
    found = compare(a, b, clusters=a.index)
    assert found.pvalue == compare(A, B, clusters=CLUSTER).pvalue
    with raises("clusters", "Series with the ids of the queries as its index"):
        compare(a, b, clusters=pd.Series(CLUSTER))


@pytest.mark.parametrize(
    ("params", "parameter", "key"),
    [
        ({"sample_weight": np.ones(3)}, "sample_weight", "of shape (48,), one weight per query"),
        ({"sample_weight": np.zeros(N)}, "sample_weight", "positive for at least one query"),
        ({"sample_weight": -WEIGHT}, "sample_weight", "finite and not negative"),
        ({"clusters": [1, 2]}, "clusters", "of shape (48,), one cluster per query"),
        ({"clusters": [None] * N}, "clusters", "without missing values"),
        ({"sample_weight": WEIGHT, "test": "wilcoxon"}, "test", "a test that takes `sample_wei"),
        ({"clusters": CLUSTER, "test": "sequential"}, "test", "a test that takes `clusters`"),
        ({"clusters": CLUSTER, "test": "betting"}, "test", "a test that takes `clusters`"),
        ({"clusters": CLUSTER, "test": "mcnemar"}, "test", "another test for these scores"),
        ({"test": "mcnemar"}, "test", "another test for these scores"),
        ({"test": "sequential", "alternative": "less"}, "alternative", "'two-sided' if test='seq"),
        ({"margin": 0}, "margin", "None or a finite number above 0"),
        ({"margin": INF}, "margin", "None or a finite number above 0"),
        ({"margin": 0.1, "test": "wilcoxon"}, "margin", "None if test='wilcoxon'"),
    ],
)
def test_what_cannot_be_combined_is_refused(params, parameter, key):
    with raises(parameter, key, function="compare"):
        compare(A, B, **params)


# Groups.


def test_comparisons_by_group():
    systems = {"a": A, "b": B, "c": C}
    names = np.array(["pc", "tv", "web"])[GROUP]
    found = compare_all(systems, by=names, correction="holm")
    assert found.groups == ("pc",) * 3 + ("tv",) * 3 + ("web",) * 3
    for row in found:
        own = names == row.group
        expected = compare(systems[row.system_a][own], systems[row.system_b][own])
        same([row.difference, row.low], [expected.difference, expected.low])
        assert (row.n_queries, row.n_dropped) == (own.sum(), 0)
        assert np.isnan(row.difference_per_query[~own]).all()
        np.testing.assert_array_equal(row.difference_per_query[own], expected.difference_per_query)
    raw = compare_all(systems, by=names, correction=None).pvalue
    in_order = np.argsort(raw)
    same(found.pvalue[in_order[0]], 9 * raw[in_order[0]])
    text = repr(found)
    assert text.startswith("       group  difference ")
    assert text.splitlines()[0].endswith("  losses  interaction")
    assert "\nb - a  tv  " in text
    assert list(found.to_frame().columns)[:3] == ["system_a", "system_b", "group"]
    assert "pvalue_interaction" in found.to_frame()
    label = compare_all(systems, by=names, correction=None)[4]._label()
    assert label == "c - a, tv"


def test_groups_are_one_family_of_max_t():
    systems = {"a": A, "b": B, "c": C}
    found = compare_all(systems, by=GROUP, random_state=0, n_resamples=199)
    masked = {}
    for name, scores in systems.items():
        columns = np.where(GROUP[:, np.newaxis] == np.arange(3), scores[:, np.newaxis], NAN)
        masked[name] = columns
    expected = compare_all(masked, family="all", random_state=0, n_resamples=199)
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    np.testing.assert_array_equal(found.low, expected.low)
    drawn = compare_all(systems, by=GROUP, test="bootstrap", random_state=0, n_resamples=199)
    assert (drawn.pvalue >= found.pvalue).all()


def test_a_query_without_scores_is_left_out_of_all_groups():
    a, b, c = A.copy(), B.copy(), C.copy()
    a[5] = b[5] = c[5] = NAN
    kept = np.arange(N) != 5
    params = {"random_state": 0, "n_resamples": 1024}
    found = compare_all({"a": a, "b": b, "c": c}, by=GROUP, **params)
    without = {"a": a[kept], "b": b[kept], "c": c[kept]}
    expected = compare_all(without, by=GROUP[kept], **params)
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    assert found.n_dropped.sum() == 3
    assert expected.n_dropped.sum() == 0


def test_families_of_metrics_have_all_groups():
    both = {"a": np.column_stack([A, A**2]), "b": np.column_stack([B, B**2])}
    params = {"by": GROUP, "random_state": 0, "n_resamples": 99}
    found = compare_all(both, **params)
    assert found.metrics == ("column 0",) * 3 + ("column 1",) * 3
    assert found.groups == (0, 1, 2) * 2
    alone = compare_all({"a": A, "b": B}, **params)
    np.testing.assert_array_equal(found.pvalue[:3], alone.pvalue)
    np.testing.assert_array_equal(found.pvalue_interaction[:3], alone.pvalue_interaction)
    together = compare_all(both, family="all", **params)
    assert (together.pvalue >= found.pvalue).all()
    assert (together.pvalue_interaction >= found.pvalue_interaction).all()
    assert found._names()[4] == "b - a, column 1, 1"


def test_the_interaction_is_of_groups_with_spread():
    group = np.r_[np.zeros(20), np.ones(27), 2].astype(int)
    with pytest.warns(UserWarning, match="fewer than two queries"):
        found = compare_all({"a": A, "b": B}, by=group, correction=None)
    differences = B - A
    expected = stats.ttest_ind(differences[:20], differences[20:47], equal_var=False).pvalue
    same(found.pvalue_interaction, [expected] * 3)
    with pytest.warns(UserWarning, match="fewer than two queries"):
        found = compare_all({"a": A, "b": B}, by=np.r_[np.zeros(47), 1], correction=None)
    assert np.isnan(found.pvalue_interaction).all()


def test_groups_must_be_one_per_query():
    with raises("by", "of shape (48,), one group per query"):
        compare_all({"a": A, "b": B}, by=["pc", "tv"])
    nested = GROUP * 24 + CLUSTER // 2
    own = GROUP == 1
    with pytest.warns(UserWarning, match="effective clusters"):
        found = compare_all({"a": A, "b": B}, by=GROUP, clusters=nested, correction=None)
    with pytest.warns(UserWarning, match="effective clusters"):
        expected = compare(A[own], B[own], clusters=nested[own])
    same([found.pvalue[1], found.low[1]], [expected.pvalue, expected.low])
    assert found.n_clusters[1] == expected.n_clusters == len(set(nested[own]))
    assert not np.isnan(found.pvalue_interaction).any()


@pytest.mark.filterwarnings("ignore:.*effective clusters:UserWarning")
def test_clusters_may_have_queries_in_several_groups():
    systems = {"a": A, "b": B, "c": C}
    given = {"clusters": CLUSTER, "random_state": 0, "n_resamples": 199}
    warning = (
        "compare_all: clusters have queries in several groups of `by`, which are not independent, "
        "so `pvalue_interaction` is NaN."
    )
    for test in ("t", "permutation"):
        with pytest.warns(UserWarning, match=f"^{re.escape(warning)}$"):
            found = compare_all(systems, by=GROUP, correction=None, test=test, **given)
        assert np.isnan(found.pvalue_interaction).all()
        for row in found:
            own = row.group == GROUP
            one, other = (systems[name][own] for name in (row.system_a, row.system_b))
            expected = compare(one, other, test=test, **given | {"clusters": CLUSTER[own]})
            assert row.n_clusters == expected.n_clusters == len(set(CLUSTER[own]))
            same([row.pvalue, row.low], [expected.pvalue, expected.low])
    of_group = {
        name: np.where(GROUP[:, np.newaxis] == np.arange(3), each[:, np.newaxis], NAN)
        for name, each in systems.items()
    }
    expected = compare_all(of_group, family="all", **given)
    with pytest.warns(UserWarning, match="several groups"):
        found = compare_all(systems, by=GROUP, **given)
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    assert "  nan" in repr(found)


# Reports that do not belong together.


@pytest.mark.parametrize(
    ("one", "other", "key", "got"),
    [
        ({}, {"gain": "exponential"}, "gain='linear' in ndcg@3", "gain='exponential'"),
        ({"relevance_threshold": 1}, {}, "relevance_threshold=1", "relevance_threshold=None"),
        (
            {"replace_undefined_by": NAN},
            {},
            "replace_undefined_by=nan",
            "replace_undefined_by=0.0",
        ),
        ({"gain": [0, 1, 2]}, {"gain": [0, 1, 3]}, "gain=[0, 1, 2]", "gain=[0, 1, 3]"),
    ],
)
def test_reports_of_other_options_are_refused(one, other, key, got):
    first, second = reports(**one)[0], reports(**other)[1]
    for a, b in [(first, second), (pickle.loads(pickle.dumps(first)), copy.deepcopy(second))]:
        with raises("system_b", f"of the same options as system_a, which has {key}", got=got):
            compare(a, b)
    compare(first, pickle.loads(pickle.dumps(reports(**one)[1])))


def gain_of(power):
    return lambda label: label**power


def test_options_that_are_functions_are_compared_by_name_and_variables():
    compare(reports(gain=gain_of(2))[0], reports(gain=gain_of(2))[1])
    by_partial = [reports(gain=partial(np.multiply, factor)) for factor in (2, 2, 3)]
    compare(by_partial[0][0], by_partial[1][1])
    with raises("system_b", "multiply, 2) in ndcg@3"):
        compare(by_partial[0][0], by_partial[2][1])
    with raises("system_b", "gain_of.<locals>.<lambda> with [2]"):
        compare(reports(gain=gain_of(2))[0], reports(gain=gain_of(3))[1])


def test_groups_of_reports_without_ids_must_agree():
    group = np.array(["pc", "tv"] * 20)
    first, second = reports(by=group)[0], reports(by=group[::-1])[1]
    with raises("system_b", "with the same groups in the same order", advice="`query_ids`"):
        compare(first, second)
    compare(first, reports(by=group)[1])
    compare(first, reports()[1])
    ids = np.arange(40)
    compare(reports(by=group, query_ids=ids)[0], reports(by=group[::-1], query_ids=ids)[1])


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
        assert (found.low, found.high, found.pvalue) == (size, size, 0.0002)
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
    assert confidence_interval(values, sample_weight=np.ones(60)).method == ("t",) * 2
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
        with raises("method", "another method"):
            confidence_interval(np.ones(4), method=method, clusters=[0, 0, 1, 1])


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
    assert ["3 queries cannot be significant" in each for each in texts] == [False, True]


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


# Margins.


@pytest.mark.parametrize("test", TESTS)
def test_a_margin_is_two_one_sided_tests(test):
    params = {"test": test, "random_state": 0, "n_resamples": 399}
    found = compare(A, B, margin=0.08, **params)
    above = compare(A - 0.08, B, alternative="greater", **params).pvalue
    below = compare(A + 0.08, B, alternative="less", **params).pvalue
    same([found.pvalue_noninferior, found.pvalue_equivalent], [above, max(above, below)], 1e-9)
    plain = compare(A, B, **params)
    assert (found.pvalue, found.low) == (plain.pvalue, plain.low)
    assert plain.margin is plain.pvalue_noninferior is plain.pvalue_equivalent is None
    frame = found.to_frame()
    assert frame.loc["b - a", "margin"] == 0.08
    assert "margin" not in plain.to_frame()


def test_the_verdict_on_a_margin_is_in_words():
    text = repr(compare(A, B, margin=0.1))
    assert "\nshown: b is not lower than a by 0.1 or more (p = 0.0001)" in text.replace(
        f"{compare(A, B, margin=0.1).pvalue_noninferior:.4g}", "0.0001"
    )
    text = repr(compare(A, B, margin=0.001))
    assert "\nnot shown: b is not lower than a by 0.001 or more (p = 0." in text
    assert "\nnot shown: b differs from a by less than 0.001 (p = 0." in text


@pytest.mark.filterwarnings("ignore:.*(effective|several groups):UserWarning")
@pytest.mark.parametrize(
    ("test", "units"),
    [
        ("auto", []),
        ("permutation", ["sample_weight"]),
        ("auto", ["clusters"]),
        ("bootstrap", ["clusters", "sample_weight"]),
    ],
)
def test_margins_of_several_systems_are_those_of_pairs(test, units):
    names = ["mrr", "ap@5"]  # of a known range
    systems = {
        name: pd.DataFrame(np.column_stack([each.clip(0, 1), each > 0.5]), columns=names)
        for name, each in {"a": A, "b": B, "c": C}.items()
    }
    given = {"sample_weight": WEIGHT, "clusters": CLUSTER}
    given = {key: given[key] for key in units}
    params = {"margin": 0.1, "test": test, "n_resamples": 99, "random_state": 0}
    found = compare_all(systems, by=GROUP, correction=None, **params, **given)
    for row in found:
        own = row.group == GROUP
        one, other = (
            systems[name].loc[own, [row.metric]].to_numpy()
            for name in (row.system_a, row.system_b)
        )
        pair = [pd.DataFrame(each, columns=[row.metric]) for each in (one, other)]
        expected = compare(*pair, **params, **{key: each[own] for key, each in given.items()})
        keys = ("pvalue_noninferior", "pvalue_equivalent", "margin")
        same([getattr(row, key) for key in keys], [getattr(expected, key) for key in keys], 1e-8)
        assert row.test == expected.test


@pytest.mark.parametrize("correction", ["max-t", "holm", "bh", None])
def test_claims_about_a_margin_are_corrected_by_family(correction):
    systems = {
        name: np.column_stack([each, each**2]) for name, each in {"a": A, "b": B, "c": C}.items()
    }
    params = {"margin": 0.05, "random_state": 0, "n_resamples": 99}
    raw = compare_all(systems, correction=None, **params)
    found = compare_all(systems, correction=correction, **params)
    for key in ("pvalue_noninferior", "pvalue_equivalent"):
        for own in (slice(0, 3), slice(3, 6)):  # a metric is a family
            expected = getattr(raw, key)[own]
            if correction == "bh":
                expected = stats.false_discovery_control(expected)
            elif correction is not None:
                steps = np.sort(expected) * [3, 2, 1]
                places = np.argsort(np.argsort(expected))
                expected = np.minimum(np.maximum.accumulate(steps), 1)[places]
            same(getattr(found, key)[own], expected)
    line = "p-values about the margin: corrected by Holm's method, not by max-T"
    assert (line in repr(found)) == (line in repr(found[0])) == (correction == "max-t")


def test_margins_of_several_systems_in_print_and_in_frames():
    systems = {"a": A, "b": B, "same": A}
    found = compare_all(systems, margin=0.05, correction="holm")
    text = repr(found)
    assert text.splitlines()[0].endswith("  losses  noninferior  equivalent")
    lines = [
        "noninferior: p-value of being not lower by 0.05 or more",
        "equivalent: p-value of differing by less than 0.05",
        "fewer than 5 queries changed, which says little about rare large drops: same - a",
    ]
    assert text.splitlines()[-3:] == lines
    frame = found.to_frame()
    keys = ["margin", "pvalue_noninferior", "pvalue_equivalent"]
    assert list(frame.columns[-3:]) == keys
    same(frame[keys[1:]].to_numpy().T, [found.pvalue_noninferior, found.pvalue_equivalent])
    row = found[2]
    assert [getattr(row, key) for key in keys] == list(frame.loc[2, keys])
    assert pickle.loads(pickle.dumps(found)) == found
    assert found != compare_all(systems, margin=0.06, correction="holm")
    plain = compare_all(systems, correction="holm")
    assert plain.margin is plain.pvalue_noninferior is plain[0].pvalue_equivalent is None
    assert "noninferior" not in repr(plain)
    assert "margin" not in plain.to_frame()


def test_margins_of_several_systems_that_cannot_be():
    systems = {"a": A, "b": B, "c": C}
    with raises("margin", "None if test='sequential'", function="compare_all"):
        compare_all(systems, margin=0.1, test="sequential", correction="holm")
    params = {"test": "permutation", "confidence_level": 0.99, "n_resamples": 250}
    with raises(
        "n_resamples",
        "at least 299 if Holm's method for margin=0.1 corrects 3",
        function="compare_all",
    ):
        compare_all(systems, margin=0.1, **params)
    hits = {"a": np.array([1, 0, 1, NAN]), "b": np.array([1, 1, 0, 1])}
    with pytest.warns(UndefinedMetricWarning, match="fewer than two queries"):
        found = compare_all(hits, margin=0.1, by=[0, 0, 1, 1], correction="holm")
    assert np.isnan(found.pvalue_equivalent).tolist() == [False, True]


# Looks again and again.


def e_value(differences, scale=0.1):
    """Return the likelihood ratio of effects of a normal size to no effect, for all scales."""
    n, t = len(differences), stats.ttest_1samp(differences, 0).statistic
    effects = np.linspace(-6 * scale, 6 * scale, 4001)
    weights = stats.norm.pdf(effects, scale=scale)
    ratios = np.nan_to_num(stats.nct.pdf(t, n - 1, effects * np.sqrt(n))) / stats.t.pdf(t, n - 1)
    return (weights * ratios).sum() / weights.sum()


@pytest.mark.parametrize(("n", "shift"), [(20, 0), (60, 0.3), (300, 0.1), (300, 0.25)])
def test_the_sequential_p_value_is_that_of_a_mixture_of_effects(n, shift):
    differences = np.random.default_rng(n).normal(shift, 1, n)
    found = compare(np.zeros(n), differences, test="sequential")
    expected = min(1, 1 / e_value(differences))
    assert found.pvalue == pytest.approx(expected, rel=1e-4)
    for limit in (found.low, found.high):
        if np.isfinite(limit):
            assert 1 / e_value(differences - limit) == pytest.approx(0.05, rel=1e-3)
    assert np.isinf(found.low) == (n == 20)


@pytest.mark.slow
def test_a_hundred_looks_are_one_test():
    rng = np.random.default_rng(3)
    n_alarms = {"sequential": 0, "t": 0}
    for _ in range(150):
        differences = rng.normal(size=2000)
        for test in n_alarms:
            looks = (
                compare(np.zeros(n), differences[:n], test=test).pvalue
                for n in range(20, 2001, 20)
            )
            n_alarms[test] += min(looks) <= 0.05
    assert n_alarms["sequential"] <= 0.05 * 150
    assert n_alarms["t"] > 0.25 * 150


def test_looks_without_spread():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare(np.zeros(200), np.full(200, 0.5), test="sequential")
    assert found.pvalue < 1e-9
    assert (found.low, found.high) == (0.5, 0.5)
    found = compare(np.zeros(200), np.zeros(200), test="sequential")
    assert found.pvalue == 1
    assert "valid however often they are looked at" in repr(found)


# Wilcoxon's direction, plans, results.


def test_ranks_may_contradict_the_mean():
    b = np.r_[np.full(90, -0.01), np.full(10, 1.0)] + np.linspace(0, 1e-3, 100)
    found = compare(np.zeros(100), b, test="wilcoxon")
    assert found.difference > 0
    assert found.pvalue < 1e-6
    assert found.direction == -1
    assert "the mean is higher, but most ranks are lower, which is what the test is" in repr(found)
    several = compare_all({"a": np.zeros(100), "b": b, "c": -b}, test="wilcoxon", correction=None)
    assert several.direction.tolist() == [-1, 1, 1]
    assert "mean and ranks point to different sides: b - a, c - a, c - b" in repr(several)
    for test in TESTS:
        found = compare(np.zeros(100), b, test=test, random_state=0, n_resamples=99)
        assert found.direction == 1
        assert "ranks" not in repr(found)
    assert compare(A, A, test="wilcoxon").direction == compare(A, A).direction == 0
    assert compare_all({"a": A, "b": B}, random_state=0).direction.tolist() == [1]


def test_plans_for_several_systems():
    params = {"difference": 0.3, "standard_deviation": 1}
    one = queries_needed(**params)
    counts = {
        (correction, baseline): queries_needed(
            n_systems=8, correction=correction, baseline=baseline, **params
        )
        for correction in ("max-t", "holm", None)
        for baseline in (False, True)
    }
    assert counts[None, False] == counts[None, True] == one
    assert one < counts["max-t", True] < counts["holm", True]
    assert counts["holm", True] < counts["max-t", False] < counts["holm", False]
    holm = queries_needed(confidence_level=1 - 0.05 / 28, **params)
    assert counts["holm", False] == holm
    sides = {
        side: queries_needed(n_systems=8, baseline=True, alternative=side, **params)
        for side in ("two-sided", "greater", "less")
    }
    assert sides["greater"] == sides["less"] < sides["two-sided"]
    assert queries_needed(n_systems=3, alternative="less", **params) == queries_needed(
        alternative="less", confidence_level=1 - 0.05 / 3, **params
    )


def test_the_critical_value_with_a_baseline_is_dunnetts():
    """Of normal differences from the same baseline, the largest is beyond it in 5 %."""
    from ranking_scores._statistics._tests import level_of_one

    rng = np.random.default_rng(0)
    z = rng.normal(size=(200_000, 6))
    t = (z[:, 1:] - z[:, :1]) / np.sqrt(2)
    for side, largest in (("two-sided", np.abs(t).max(axis=1)), ("less", t.max(axis=1))):
        level = level_of_one(0.95, side, 6, has_baseline=True, correction="max-t")
        tail = (1 - level) / (2 if side == "two-sided" else 1)
        assert (largest > stats.norm.isf(tail)).mean() == pytest.approx(0.05, abs=0.002)


def test_a_pilot_has_an_upper_limit():
    differences = B - A
    deviation = differences.std(ddof=1)
    limit = deviation * np.sqrt(47 / stats.chi2.ppf(0.2, 47))
    expected = queries_needed(difference=0.05, standard_deviation=limit)
    assert queries_needed(A, B, difference=0.05, pilot=True) == expected
    found = queries_needed(difference=0.05, standard_deviation=deviation, pilot=48)
    assert abs(found - expected) <= 1
    assert queries_needed(A, B, difference=0.05) < expected
    assert queries_needed(A, B) == queries_needed(A, B, difference=float(np.mean(differences)))
    for pilot in (1, 2.5, True, "yes"):
        with raises("pilot", "False, or the number of queries"):
            queries_needed(difference=0.05, standard_deviation=1, pilot=pilot)
    with raises("pilot", "True or False"):
        queries_needed(A, B, pilot=48)


def test_power_curves():
    params = {"difference": 0.2, "standard_deviation": 1}
    n = queries_needed(**params)
    low, high = power_curve([n - 1, n], **params)
    assert low < 0.8 <= high
    assert power_curve(n, **params).shape == (1,)
    same(power_curve([10**6 + 1], difference=0.003, standard_deviation=1), [0.85], 0.01)
    assert power_curve([5, 50], A, A).tolist() == [0.05, 0.05]
    assert power_curve([5], difference=1, standard_deviation=0).tolist() == [1]
    with pytest.warns(UserWarning, match="power_curve .b - a. is undefined"):
        assert np.isnan(power_curve([5], [0.1], [0.2])).all()
    for bad in ([1, 5], [2.5], [[5]], "5"):
        with raises("n_queries", "a 1-D array of ints of at least 2"):
            power_curve(bad, **params)
    with raises("n_systems", "an int of at least 2"):
        queries_needed(n_systems=1, **params)
    with raises("correction", "'max-t', 'holm' or None"):
        queries_needed(correction="bh", **params)


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


@pytest.mark.parametrize("scale", [1e-300, 1e-165, 1e155, 1e300])
def test_the_scale_of_weights_does_not_matter(scale):
    for test in ("t", "permutation", "bootstrap"):
        params = {"test": test, "random_state": 0, "n_resamples": 99}
        expected = compare(A, B, sample_weight=WEIGHT, **params)
        found = compare(A, B, sample_weight=WEIGHT * scale, **params)
        same([found.pvalue, found.low], [expected.pvalue, expected.low])
        same(found.n_effective, expected.n_effective)


def test_intervals_of_shares_are_for_independent_queries():
    with raises("method", "another method, since there are weights or clusters"):
        confidence_interval([1.0, 0, 1, 0, 1], clusters=[1, 2, 3, 1, 1], method="exact")
    with raises("sample_weight", "a dict", advice="for each in system_a}`"):
        compare({"a": 1, "b": 0.2}, {"a": 0.3, "b": 0.5}, sample_weight={"a": 1, "b": 2, "c": 3})


@pytest.mark.parametrize("method", ["auto", "bca", "studentized"])
def test_columns_of_clusters_have_the_intervals_that_they_have_alone(method):
    """One of 0 and 1 takes the method of the others, since its scores are not independent."""
    columns = np.column_stack([A > 0.5, A, np.where(np.arange(N) % 4 == 1, np.nan, B)])
    params = {"clusters": CLUSTER, "method": method, "n_resamples": 99, "random_state": 0}
    found = confidence_interval(columns, **params)
    alone = [confidence_interval(column, **params) for column in columns.T]
    assert found.method == ("t" if method == "auto" else method,) * 3
    for key in ("low", "high", "standard_error", "n_effective"):
        same(getattr(found, key), [getattr(each, key) for each in alone])
