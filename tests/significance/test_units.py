"""Weights, clusters and groups of queries: numbers of other programs, and resamples by hand."""

from __future__ import annotations

import copy
import itertools
import pickle
import re
from functools import partial

import make_significance_numbers
import numpy as np
import pandas as pd
import pytest
from raising import raises
from recorded_scores import (
    CLUSTER,
    FOUND,
    GIVEN,
    GROUP,
    INF,
    LEVEL,
    NAN,
    TESTS,
    WEIGHT,
    A,
    B,
    C,
    N,
    same,
)
from resamples import dense, seed_of
from scipy import stats

from ranking_scores import ranking_report
from ranking_scores.significance import (
    _max_t,
    compare,
    compare_all,
    confidence_interval,
    queries_needed,
)
from ranking_scores.significance._max_t import _RelativeScores
from ranking_scores.significance._resampling import draws, flips


def error_of_t(values, weight):
    """Return the standard error of a weighted mean that t takes, by hand."""
    share = weight / weight.sum()
    left = 1 - 2 * share + (share**2).sum()
    return np.sqrt((share**2 * (values - share @ values) ** 2 / left).sum())


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
    monkeypatch.setattr("ranking_scores.significance._resampling.MOST", 16)
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
    label = compare_all(systems, by=names, correction=None)[4]._names()[0]
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


# The scale of weights.


@pytest.mark.parametrize("scale", [1e-300, 1e-165, 1e155, 1e300])
def test_the_scale_of_weights_does_not_matter(scale):
    for test in ("t", "permutation", "bootstrap"):
        params = {"test": test, "random_state": 0, "n_resamples": 99}
        expected = compare(A, B, sample_weight=WEIGHT, **params)
        found = compare(A, B, sample_weight=WEIGHT * scale, **params)
        same([found.pvalue, found.low], [expected.pvalue, expected.low])
        same(found.n_effective, expected.n_effective)
