"""Margins, looks again and again, ranks against the mean, and plans for several systems."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from raising import raises
from recorded_scores import CLUSTER, FOUND, GROUP, NAN, TESTS, WEIGHT, A, B, C, same
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores.significance import compare, compare_all, power_curve, queries_needed

# What SciPy and statsmodels say.


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


# Wilcoxon's direction, and plans.


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
    from ranking_scores.significance._tests import level_of_one

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
