"""Gates: verdicts against SciPy's intervals, groups, notes, print, and all that is refused."""

from __future__ import annotations

import math
import pickle
from functools import partial

import numpy as np
import pandas as pd
import pytest
from raising import raises
from scipy import stats
from scipy.optimize import brentq

from ranking_scores import (
    average_relevant_position,
    dcg_score,
    from_tables,
    gates,
    ranking_report,
)
from ranking_scores.gates import Condition, GateResult, check
from ranking_scores.scale import report as report_of_scale
from ranking_scores.significance import compare, confidence_interval, queries_needed

RNG = np.random.default_rng(0)
N_QUERIES = 40
OLD = RNG.random(N_QUERIES)
HALF = RNG.normal(0, 0.1, N_QUERIES // 2)
SPREAD = np.r_[HALF, -HALF]  # without skewness
ERROR = SPREAD.std(ddof=1) / math.sqrt(N_QUERIES)
CLOSE = 1e-12  # a few roundings of numbers near 1
GROUPS = {"lang": ["de", "en"] * (N_QUERIES // 2), "size": [1] * 10 + [2] * 30}
NAN, INF = math.nan, math.inf
SURELY = ("surely worse", "surely not worse")


def first(ranks):
    return (ranks == 1).astype(float)


def second(ranks):
    return (ranks == 2).astype(float)


SCORES = {"a": partial(dcg_score, discount=first), "b": partial(dcg_score, discount=second)}


def report_of(*columns, **params):
    """Return a report whose results "a" and "b" have these values of each query.

    They are the gains of the first and of the second item.
    """
    gains = np.zeros((len(columns[0]), 3))
    gains[:, : len(columns)] = np.array(columns).T
    order = np.broadcast_to([0.9, 0.6, 0.3], gains.shape)
    scores = dict(list(SCORES.items())[: len(columns)])
    return ranking_report(gains, order, scores=scores, k=None, **params)


def report_of_hits(values):
    """Return a report whose result "a" is a hit or a miss of each query."""
    order = np.broadcast_to([0.9, 0.6], (len(values), 2))
    return ranking_report(np.c_[values, 0 * values], order, scores={"a": "precision@1"})


def shifted(shift):
    """Return a report that is better than that of `OLD` by `shift`, with a known error."""
    return report_of(OLD + SPREAD + shift)


BASELINE = report_of(OLD)


# The verdicts.


@pytest.mark.parametrize(
    ("new", "old", "allowed", "verdict"),
    [
        (0.79, 0.8, 0.01, "passed"),
        (0.79 - 1e-9, 0.8, 0.01, "failed"),
        (0.3, 0.1 + 0.2, 0, "passed"),
        (0.3, 0.3 + 1e-9, 0, "failed"),
        (0.9, 0.8, 0, "passed"),
    ],
)
def test_a_drop_fails_if_it_exceeds_what_is_allowed_by_more_than_rounding(
    new, old, allowed, verdict
):
    result = check(report_of([new, new]), report_of([old, old]), max_drop={"a": allowed})
    assert [each.verdict for each in result] == [verdict]
    assert result.passed == bool(result) == (verdict == "passed")


@pytest.mark.parametrize(
    ("mean", "least", "verdict"),
    [(0.3, 0.1 + 0.2, "passed"), (0.3, 0.3 + 1e-9, "failed"), (0.4, 0.3, "passed")],
)
def test_a_mean_fails_below_its_limit_by_more_than_rounding(mean, least, verdict):
    [condition] = check(report_of([mean, mean]), at_least=least)
    assert condition.verdict == verdict
    assert (condition.mean, condition.limit) == (mean, least)
    assert condition.baseline_mean is condition.difference is condition.low is None


@pytest.mark.parametrize("allowed", [0, 0.02])
@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("errors", [-5, -3, -2, -1, 0, 1, 2, 3, 5])
def test_verdicts_are_those_of_the_interval_of_the_t_test(errors, level, allowed):
    new = shifted(errors * ERROR - allowed)
    low, high = stats.ttest_rel(new.per_query["a"], OLD).confidence_interval(level)
    expected = "undecided"
    if low >= -allowed or high < -allowed:
        expected = "passed" if low >= -allowed else "failed"
    for rule in SURELY:
        result = check(new, BASELINE, max_drop=allowed, rule=rule, confidence_level=level)
        [condition] = result
        assert condition.verdict == expected
        np.testing.assert_allclose((condition.low, condition.high), (low, high), atol=CLOSE)
        passes = expected == "passed" or (expected == "undecided" and rule == "surely worse")
        assert result.passed == passes
        for undecided in ("pass", "fail"):
            result = check(
                new,
                BASELINE,
                max_drop=allowed,
                rule=rule,
                confidence_level=level,
                undecided=undecided,
            )
            assert result.passed == (
                expected == "passed" or (expected == "undecided" and undecided == "pass")
            )


def test_an_unchanged_report_passes_every_rule_without_slack():
    for rule in ("difference", *SURELY):
        result = check(BASELINE, BASELINE, max_drop=0, rule=rule)
        assert result.passed
        assert result[0].reason == "the mean did not change"


def test_scores_of_0_and_1_have_the_interval_of_tango():
    old = np.arange(N_QUERIES) % 2
    new = np.where(np.arange(N_QUERIES) < 10, 0, old)
    expected = compare(old, new)
    assert expected.test == "mcnemar"
    [condition] = check(report_of_hits(new), report_of_hits(old), max_drop=0.1, rule=SURELY[0])
    assert (condition.low, condition.high) == (expected.low, expected.high)


@pytest.mark.parametrize("way", [None, "sample_weight", "clusters", "both"])
def test_a_query_with_the_worst_and_with_the_best_change_widens_the_interval(way):
    places = np.arange(20)
    old, new = 1 + places % 2, 1 + (places + (places % 5 == 0)) % 2  # mrr of a single hit
    weight, cluster = 1.0 + places % 3, places % 10
    given, more = {}, {}
    if way in ("sample_weight", "both"):
        given["sample_weight"] = weight
        more["sample_weight"] = np.append(weight, weight.mean())
    if way in ("clusters", "both"):
        given["clusters"], more["clusters"] = cluster, np.append(cluster, 10)
        total = weight if way == "both" else np.ones(20)
        more["sample_weight"] = np.append(total, total.sum() / 10)

    def of(rank):
        order = np.broadcast_to([0.9, 0.6], (20, 2))
        return ranking_report(np.c_[rank == 1, rank == 2], order, scores="mrr", k=None, **given)

    [condition] = check(of(new), of(old), max_drop=0, rule=SURELY[0])
    at_worst = compare(np.append(1 / old, 1), np.append(1 / new, 0), test="t", **more)
    at_best = compare(np.append(1 / old, 0), np.append(1 / new, 1), test="t", **more)
    np.testing.assert_allclose(
        [condition.low, condition.high], [at_worst.low, at_best.high], atol=CLOSE
    )
    found = compare(of(old), of(new), margin=0.1)
    side = {"alternative": "greater", "test": "t"} | more
    expected = compare(np.append(1 / old - 0.1, 0.9), np.append(1 / new, 0), **side).pvalue
    assert found.pvalue_noninferior == pytest.approx(expected, rel=1e-9)
    arrays = compare(1 / old, 1 / new, margin=0.1, **given)  # of an unknown range
    assert arrays.pvalue_noninferior < found.pvalue_noninferior


def test_few_changes_show_nothing_on_few_queries():
    values = np.linspace(0.1, 0.9, 300)
    ranks = 1 + np.arange(300) % 2
    changed = np.where(np.arange(300) < 2, 3 - ranks, ranks)

    def of(rank, n):
        order = np.broadcast_to([0.9, 0.6], (n, 2))
        return ranking_report(np.c_[rank == 1, rank == 2][:n], order, scores="mrr", k=None)

    for n, passes in ((2, False), (100, False), (200, True)):
        gate = check(of(ranks, n), of(ranks, n), max_drop=0.02, rule="surely not worse")
        assert gate.passed == passes
        assert gate.notes == (
            f"mrr: none of {n} queries changed, which says little about rare large drops",
        )
    line = "only 2 of 100 queries changed, which says little about rare large drops"
    assert line in repr(compare(of(ranks, 100), of(changed, 100), margin=0.02))
    assert "changed, which" not in repr(compare(values, values[::-1], margin=0.02))


@pytest.mark.parametrize("way", ["sample_weight", "clusters"])
def test_weights_and_clusters_of_the_reports_are_those_of_compare(way):
    values = np.tile(np.arange(20) // 4 + 1, 2) + np.repeat([0, 5 * (way == "clusters")], 20)
    params = {way: values}
    new, old = report_of(OLD + SPREAD, **params), report_of(OLD, **params)
    expected = compare(old, new)
    [condition] = check(new, old, max_drop=0, rule="surely worse")
    found = condition.difference, condition.low, condition.high
    np.testing.assert_allclose(
        found, (expected.difference, expected.low, expected.high), atol=CLOSE
    )
    plain = compare(OLD, OLD + SPREAD)
    assert abs(condition.low - plain.low) > 1e-4


SKEWED = RNG.exponential(0.1, N_QUERIES) - 0.1


def limits_by_hall(influence, mean, error, t):
    """Return the limits of Hall (1992) from the influence of each unit on the mean."""
    n = len(influence)
    g = stats.skew(influence, bias=False) / math.sqrt(n)

    def beyond(x, at):
        return x + g * x**2 / 3 + g**2 * x**3 / 27 + g / 6 - at

    return [mean - error * brentq(beyond, -50, 50, args=(at,)) for at in (t, -t)]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_skewed_differences_widen_the_interval_on_the_side_of_the_thin_tail(sign, level):
    differences = sign * SKEWED
    t = stats.ttest_1samp(differences, 0).confidence_interval(level)
    error = stats.sem(differences)
    quantile = stats.t.ppf((1 + level) / 2, N_QUERIES - 1)
    hall = limits_by_hall(differences, differences.mean(), error, quantile)
    [condition] = check(report_of(OLD + differences), BASELINE, max_drop=0, confidence_level=level)
    expected = min(t.low, hall[0]), max(t.high, hall[1])
    np.testing.assert_allclose((condition.low, condition.high), expected, rtol=1e-9)
    is_wider = condition.low < t.low - CLOSE, condition.high > t.high + CLOSE
    assert is_wider == (sign < 0, sign > 0)


def test_the_skewness_of_weighted_queries_is_that_of_their_influence():
    weight = RNG.integers(1, 4, N_QUERIES)
    params = {"sample_weight": weight}
    new, old = report_of(OLD + SKEWED, **params), report_of(OLD, **params)
    t = compare(old, new)
    mean = np.average(SKEWED, weights=weight)
    quantile = stats.t.ppf(0.975, t.n_effective - 1)
    error = (t.high - t.low) / 2 / quantile
    hall = limits_by_hall(weight * (SKEWED - mean), mean, error, quantile)
    [condition] = check(new, old, max_drop=0)
    np.testing.assert_allclose(condition.high, max(t.high, hall[1]), rtol=1e-9)
    assert condition.high > t.high + 1e-4


def test_limits_have_the_scale_of_the_differences():
    for scale in (1e-150, 1e150):
        new, old = report_of(scale * (OLD + SKEWED)), report_of(scale * OLD)
        [found] = check(new, old, max_drop=0)
        [expected] = check(report_of(OLD + SKEWED), BASELINE, max_drop=0)
        np.testing.assert_allclose(found.high / scale, expected.high, rtol=1e-9)


def test_two_queries_have_the_interval_of_t():
    [condition] = check(report_of([0.4, 0.7]), report_of([0.5, 0.5]), max_drop=0)
    expected = compare([0.5, 0.5], [0.4, 0.7])
    np.testing.assert_allclose((condition.low, condition.high), (expected.low, expected.high))


def test_an_undecided_drop_of_skewed_differences_needs_more_queries_than_there_are():
    for shift in np.linspace(-2.5, 2.5, 41) * stats.sem(SKEWED):
        new = report_of(OLD + SKEWED - SKEWED.mean() + shift)
        [condition] = check(new, BASELINE, max_drop=0, rule="surely worse")
        if condition.verdict == "undecided":
            assert condition.n_queries_needed > N_QUERIES


def test_few_effective_clusters_are_a_note_of_the_rules_that_use_the_interval():
    params = {"clusters": np.arange(N_QUERIES) // 34}
    new, old = report_of(OLD + SPREAD, **params), report_of(OLD, **params)
    note = "a: only 1.3 effective clusters, so the interval may be too short"
    assert check(new, old, max_drop=0, rule="surely worse").notes == (note,)
    assert check(new, old, max_drop=0).notes == ()


@pytest.mark.parametrize("without", ["report", "baseline"])
def test_ids_in_one_report_only_are_a_note(without):
    ids = {"query_ids": np.arange(N_QUERIES)[::-1]}
    new, old = (
        report_of(OLD, **({} if each == without else ids)) for each in ("report", "baseline")
    )
    note = f"the queries are paired by position, since the {without} has no ids"
    assert check(new, old, max_drop=0).notes == (note,)
    assert check(new, new, max_drop=0).notes == ()


def test_equal_differences_are_a_note():
    new = report_of([0.25, 0.5, 0.75])
    old = report_of([0.5, 0.75, 1])
    note = "a: all differences are equal, so the interval has no width"
    assert check(new, old, max_drop=0, rule="surely worse").notes == (note,)
    unchanged = "a: none of 3 queries changed, which says little about rare large drops"
    assert check(new, new, max_drop=0, rule="surely worse").notes == (unchanged,)


def test_several_conditions_are_corrected_if_any_of_them_can_fail_the_gate():
    new = report_of(OLD + SPREAD, OLD - SPREAD, by=GROUPS)
    old = report_of(OLD, OLD, by=GROUPS)
    params = {"max_drop": 0, "by": "lang"}
    result = check(new, old, rule="surely worse", **params)
    assert len(result) == 6
    assert result.level_of_each == 1 - 0.05 / 6
    expected = compare(OLD, OLD + SPREAD, confidence_level=1 - 0.05 / 6)
    np.testing.assert_allclose(result[0].low, expected.low, atol=CLOSE)
    for rule in ("difference", "surely not worse"):
        assert check(new, old, rule=rule, **params).level_of_each == 0.95
    both = check(new, old, max_drop={"a": 0}, at_least={"a": 0}, rule="surely worse")
    assert both.level_of_each == 0.975


@pytest.mark.parametrize("rule", SURELY)
@pytest.mark.parametrize(
    "made",
    [
        report_of(OLD),
        report_of_hits(OLD > 0.3),
        report_of(OLD, sample_weight=1 + np.arange(N_QUERIES) % 3),
        report_of(OLD, clusters=np.arange(N_QUERIES) // 2),
    ],
)
def test_a_mean_is_decided_on_its_interval(made, rule):
    expected = confidence_interval(made, confidence_level=1 - 0.05 / 3)
    low, high, mean = expected.low[0], expected.high[0], expected.mean[0]
    between = (low + mean) / 2
    for limit, verdict in (
        (low - 1e-9, "passed"),
        (low + 1e-9, "undecided"),
        (between, "undecided"),
        (high, "undecided"),
        (high + 1e-9, "failed"),
    ):
        result = check(made, at_least=limit, rule=rule, n_runs=3)
        [condition] = result
        np.testing.assert_allclose((condition.low, condition.high), (low, high), atol=CLOSE)
        assert condition.verdict == verdict
        passes_if_undecided = rule == "surely worse"
        assert result.passed == (
            verdict == "passed" or (verdict, passes_if_undecided) == ("undecided", True)
        )
    [condition] = check(made, at_least=between, rule=rule, n_runs=3)
    error = expected.standard_error[0]
    is_hits = expected.method == ("wilson",)
    needed = queries_needed(
        difference=mean - between,
        standard_deviation=math.sqrt(between * (1 - between) if is_hits else 40 * error**2),
        alternative="greater",
        confidence_level=1 - 0.05 / 6,
    )
    assert condition.n_queries_needed == needed
    line = f"too few queries to tell if it is below {between:g}, {needed} would do"
    assert condition.reason == f"the mean is {mean:.4f}: {line}"


def test_means_without_values_have_no_interval(tmp_path):
    report_of(OLD).to_json(tmp_path / "means.json", per_query=False)
    with raises("report", "values of each query if rule='surely worse'", function="check"):
        check(tmp_path / "means.json", at_least=0.1, rule="surely worse")
    assert check(tmp_path / "means.json", at_least=0.1).passed


def test_means_and_their_intervals_in_print():
    made = report_of(OLD, by=GROUPS)
    limits = {"at_least": 0.05, "by": "lang"}
    result = check(made, rule="surely worse", **limits)
    assert result.level_of_each == 1 - 0.05 / 3
    assert result[0].reason == f"{made['a']:.4f} is surely at least 0.05"
    lines = repr(result).splitlines()
    assert lines[0].split() == ["group", "mean", "low", "high", "asked", "verdict"]
    assert lines[-1] == (
        "rule 'surely worse'; 98.3333 % intervals, so that 3 conditions fail by chance in at most "
        "2.5 %"
    )
    [failed] = check(report_of(OLD), at_least=1, rule="surely not worse")
    assert failed.reason == f"{OLD.mean():.4f} is surely below 1"
    text = repr(check(made, at_least=1, rule="surely not worse", n_runs=2))
    assert "so that a mean beyond its limit passes in 2 runs by chance" in text
    assert "interval" not in repr(check(made, **limits))
    assert check(made, **limits)[0].low is None
    point = check(report_of(np.full(5, 0.3)), at_least=0.3, rule="surely worse")
    note = "a: all scores are equal, so the interval has no width"
    assert (point.notes, point[0].verdict) == ((note,), "passed")
    few = report_of(OLD, sample_weight=np.r_[np.ones(3) * 1e6, np.ones(N_QUERIES - 3)])
    [note] = check(few, at_least=0, rule="surely worse").notes
    assert note == "a: only 3.0 effective queries, so the interval may be too short"
    [one] = check(report_of(OLD[:1]), at_least=0, rule="surely worse")
    assert (one.verdict, math.isnan(one.low)) == ("undecided", True)


@pytest.mark.parametrize("rule", SURELY)
def test_the_level_of_several_runs_is_for_all_of_them(rule):
    new, old = report_of(OLD + SPREAD, OLD - SPREAD), report_of(OLD, OLD)
    result = check(new, old, max_drop={"a": 0}, rule=rule, n_runs=30)
    assert (result.n_runs, result.level_of_each) == (30, 1 - 0.05 / 30)
    expected = compare(OLD, OLD + SPREAD, confidence_level=1 - 0.05 / 30)
    np.testing.assert_allclose((result[0].low, result[0].high), (expected.low, expected.high))
    both = check(new, old, max_drop=0, rule=rule, n_runs=30)
    assert both.level_of_each == 1 - 0.05 / (60 if rule == "surely worse" else 30)
    who = {
        "surely worse": "2 conditions fail in 30 runs",
        "surely not worse": "a worse version passes in 30 runs",
    }
    assert f"are skewed, so that {who[rule]} by chance in at most 2.5 %" in repr(both)


# Lower is better.

LABELS = np.eye(3)[[0] * 5 + [1] * 5]
LATE, EARLY = np.arange(3) * np.ones((10, 1)), -np.arange(3) * np.ones((10, 1))


def positions(scores, **params):
    """Return a report of the average position of the relevant items, of which lower is better."""
    return ranking_report(LABELS, scores, scores={"p": average_relevant_position}, **params)


def test_a_rise_fails_if_lower_is_better():
    low, high = positions(EARLY), positions(LATE)
    assert (low["p"], high["p"]) == (1.5, 2.5)
    [rise] = check(high, low, max_drop=0.5)
    assert (rise.verdict, rise.asked) == ("failed", "rise of at most 0.5")
    assert rise.reason == "rose by 1.0000, more than 0.5"
    assert check(high, low, max_drop=1).passed
    [fall] = check(low, high, max_drop=0, rule="surely not worse")
    assert (fall.verdict, fall.reason) == ("passed", "fell by 1.0000")


def test_at_least_is_an_upper_limit_if_lower_is_better():
    [passed] = check(positions(EARLY), at_least=1.5)
    assert (passed.verdict, passed.reason) == ("passed", "1.5000 is at most 1.5")
    [passed] = check(positions(EARLY), at_least=2.5, rule="surely worse")
    assert passed.reason == "1.5000 is surely at most 2.5"
    [open_] = check(positions(EARLY), at_least=1.5, rule="surely worse")
    assert open_.reason == (
        "the mean is 1.5000: too few queries to tell if it is above 1.5, and more would not help, "
        "since it is exactly that"
    )
    [failed] = check(positions(LATE), at_least=1.5)
    assert (failed.verdict, failed.reason) == ("failed", "2.5000 is above 1.5")


@pytest.mark.parametrize("shift", [-5, 0, 5])
def test_verdicts_of_lower_is_better_are_mirrored(shift):
    labels = np.eye(50)[RNG.integers(10, 40, 30)]
    places = np.arange(50)
    at = labels.argmax(axis=1)
    moved = at + shift + RNG.integers(-3, 4, 30)
    # The relevant item of each query moves to another place.
    scores = np.broadcast_to(-places, (30, 50))
    new = np.array(scores)
    new[np.arange(30), at] = -moved - 0.5 * np.sign(moved - at)
    score = {"p": average_relevant_position}
    old_report = ranking_report(labels, scores, scores=score)
    new_report = ranking_report(labels, new, scores=score)
    better = -new_report.per_query["p"], -old_report.per_query["p"]
    mirrored = check(report_of(better[0]), report_of(better[1]), max_drop=1, rule=SURELY[0])
    [found] = check(new_report, old_report, max_drop=1, rule=SURELY[0])
    assert found.verdict == mirrored[0].verdict
    np.testing.assert_allclose((found.low, found.high), (-mirrored[0].high, -mirrored[0].low))


# How many queries would do.


@pytest.mark.parametrize("errors", [-1, 1])
@pytest.mark.parametrize("rule", SURELY)
def test_an_undecided_drop_says_how_many_queries_would_decide(rule, errors):
    result = check(shifted(errors * ERROR - 0.02), BASELINE, max_drop=0.02, rule=rule)
    expected = queries_needed(
        difference=ERROR,
        standard_deviation=SPREAD.std(ddof=1),
        alternative="greater",
        confidence_level=0.975,
    )
    assert result[0].n_queries_needed == expected
    assert expected > N_QUERIES
    assert f", {expected} would do" in result[0].reason
    assert "queries needed" in repr(result)


def test_the_number_of_queries_is_that_of_the_corrected_level():
    new, old = report_of(OLD + SPREAD, OLD + SPREAD), report_of(OLD, OLD)
    result = check(new, old, max_drop=ERROR, rule="surely worse")
    expected = queries_needed(
        difference=ERROR,
        standard_deviation=SPREAD.std(ddof=1),
        alternative="greater",
        confidence_level=1 - 0.025 / 2,
    )
    assert [each.n_queries_needed for each in result] == [expected, expected]


def test_no_number_of_queries_decides_about_the_exact_limit():
    old = np.array([0.5, 0.5, 0.5, 0.5])
    result = check(
        report_of(old + np.array([1, -1, 1, -1]) / 4), report_of(old), max_drop=0, rule=SURELY[1]
    )
    assert result[0].n_queries_needed == INF
    assert result[0].reason.endswith(", and more would not help, since it is exactly that")


def test_unchanged_hits_need_so_many_queries_that_tangos_interval_excludes_the_limit():
    hits = np.arange(50) % 2
    [condition] = check(report_of_hits(hits), report_of_hits(hits), max_drop=0.02, rule=SURELY[1])
    assert condition.verdict == "undecided"
    # The score test of no loss among n has z = sqrt(n m / (1 - m)) for the margin m.
    least = stats.norm.ppf(0.975) ** 2 * (1 - 0.02) / 0.02
    needed = condition.n_queries_needed
    power = stats.norm.ppf(0.8) + stats.norm.ppf(0.975)
    assert least < needed == pytest.approx(power**2 * (1 - 0.02) / 0.02, rel=0.01)
    more = np.arange(needed) % 2
    report = report_of_hits(more)
    assert check(report, report, max_drop=0.02, rule=SURELY[1]).passed


@pytest.mark.parametrize(("allowed", "level"), [(0.02, 0.95), (0.1, 0.99)])
def test_unchanged_queries_that_would_do_are_the_fewest_that_pass(allowed, level):
    options = {"max_drop": allowed, "rule": SURELY[1], "confidence_level": level}
    labels, scores = [[0, 2, 1]] * 20, [[3, 2, 1]] * 20
    report = ranking_report(labels, scores, scores="ndcg", k=None)
    [condition] = check(report, report, **options)
    needed = condition.n_queries_needed
    for n_queries, verdict in ((needed - 1, "undecided"), (needed, "passed")):
        rows = labels[:1] * n_queries, scores[:1] * n_queries
        report = ranking_report(*rows, scores="ndcg", k=None)
        assert check(report, report, **options)[0].verdict == verdict
    unequal = ranking_report(
        labels, scores, scores="ndcg", k=None, sample_weight=[1.0] * 10 + [3.0] * 10
    )
    assert check(unequal, unequal, **options)[0].n_queries_needed > needed


def test_one_query_is_too_few_to_tell():
    [condition] = check(report_of([0.5]), report_of([0.6]), max_drop=0.01, rule="surely worse")
    assert condition.verdict == "undecided"
    assert math.isnan(condition.n_queries_needed)
    assert math.isnan(condition.low)
    assert condition.reason == "fell by 0.1000: too few queries to tell if the drop is above 0.01"


# Undefined means.


def ndcg(labels, **params):
    scores = np.arange(len(labels[0])) * np.ones((len(labels), 1))
    return ranking_report(
        labels, scores, scores="ndcg", k=None, replace_undefined_by=NAN, **params
    )


NONE, SOME = [[0, 0], [0, 0]], [[0, 1], [1, 0]]


@pytest.mark.filterwarnings("ignore:ranking_report")
@pytest.mark.parametrize("rule", ["difference", *SURELY])
@pytest.mark.parametrize(
    ("new", "old", "reason"),
    [
        (NONE, SOME, "the mean is undefined"),
        (SOME, NONE, "the mean of the baseline is undefined"),
        (NONE, NONE, "the mean and the mean of the baseline are undefined"),
        ([[0, 1], [0, 0]], [[0, 0], [0, 1]], "the difference is undefined"),
    ],
)
def test_what_is_undefined_fails_a_drop(new, old, reason, rule):
    [condition] = check(ndcg(new), ndcg(old), max_drop=1, rule=rule)
    assert condition.verdict == "failed"
    assert condition.reason.partition(";")[0] == reason


@pytest.mark.filterwarnings("ignore:ranking_report")
def test_an_undefined_mean_fails_its_limit():
    [condition] = check(ndcg(NONE), at_least=0)
    assert (condition.verdict, condition.reason) == ("failed", "the mean is undefined")


def test_queries_that_only_one_report_has_a_score_of_are_left_out_and_said():
    old, new = [[0, 1], [0, 1], [0, 0]], [[0, 1], [1, 0], [1, 0]]
    [condition] = check(ndcg(new), ndcg(old), max_drop=1)
    assert condition.difference == pytest.approx((1 / math.log2(3) - 1) / 2)
    assert condition.mean - condition.baseline_mean != condition.difference
    assert condition.reason.endswith("; 1 query with a score in one report only left out")


# Groups.


def test_conditions_of_groups_are_those_of_their_reports():
    new, old = report_of(OLD + SPREAD, by=GROUPS), report_of(OLD, by=GROUPS)
    params = {"at_least": {"a": 0.5}, "max_drop": {"a": 0.01}}
    result = check(new, old, by=["lang", "size"], **params)
    alone = [check(new, old, **params)]
    for grouping in ("lang", "size"):
        for group in GROUPS[grouping][9:11]:
            pair = (each.by_group[grouping][group] for each in (new, old))
            alone.append(check(*pair, **params))
    expected = [each[0] for each in alone] + [each[1] for each in alone]
    keys = ("metric", "mean", "difference", "low", "verdict", "reason")
    for key in keys:
        found = sorted(str(getattr(each, key)) for each in result)
        assert found == sorted(str(getattr(each, key)) for each in expected)
    groups = [(None, None), ("lang", "de"), ("lang", "en"), ("size", 1), ("size", 2)]
    assert [(each.grouping, each.group) for each in result] == groups * 2


def test_a_group_that_drops_fails_the_gate_although_the_mean_rises():
    new = OLD + np.where(np.array(GROUPS["lang"]) == "de", -0.05, 0.1)
    reports = report_of(new, by=GROUPS), report_of(OLD, by=GROUPS)
    assert check(*reports, max_drop=0.01).passed
    result = check(*reports, max_drop=0.01, by="lang")
    assert [each.verdict for each in result] == ["passed", "failed", "passed"]
    assert "a, lang=de: fell by 0.0500, more than 0.01" in repr(result)


def test_limits_of_means_of_groups_need_no_baseline():
    result = check(report_of(OLD, by=GROUPS), at_least=0.5, by="lang")
    of_group = [each.mean for each in result][1:]
    np.testing.assert_allclose(of_group, [OLD[::2].mean(), OLD[1::2].mean()])


@pytest.mark.parametrize("swap", [False, True])
def test_a_group_that_only_one_report_has_is_named(swap):
    one, other = report_of(OLD, by=GROUPS), report_of(OLD, by={"lang": ["de", "fr"] * 20})
    new, old = (other, one) if swap else (one, other)
    with raises("baseline", "same groups of 'lang'", got=f"none for {'fr' if swap else 'en'!r}"):
        check(new, old, max_drop=1, by="lang")
    more = report_of(OLD, by={"lang": ["de", "en", "fr", "en"] * 10})
    with raises("baseline", "a report with the grouping 'lang'", got="none"):
        check(new, report_of(OLD), max_drop=0, by="lang")
    with raises("baseline", "same groups of 'lang'", got="also 'fr'"):
        check(one, more, max_drop=1, by="lang")


def test_queries_of_another_group_are_named_with_the_group():
    ids = {"query_ids": np.arange(N_QUERIES)}
    new, old = (report_of(OLD, by={"half": half}, **ids) for half in ([*"ab"] * 20, [*"ba"] * 20))
    with raises(
        "report",
        "of the same 20 queries in half=a as the baseline",
        got="none for 1, 3, 5 and 17 more",
    ):
        check(new, old, max_drop=1, by="half")


# Paths, ids, and reports without the values of each query.


def test_reports_are_read_from_their_files(tmp_path):
    new, old = shifted(-0.01), BASELINE
    new.to_json(tmp_path / "new.json")
    old.to_json(tmp_path / "old.json")
    for rule in ("difference", *SURELY):
        expected = check(new, old, max_drop=0.01, rule=rule)
        assert (
            check(tmp_path / "new.json", str(tmp_path / "old.json"), max_drop=0.01, rule=rule)
            == expected
        )


def test_queries_in_another_order_are_matched_by_their_ids():
    order = RNG.permutation(N_QUERIES)
    new = report_of(OLD + SPREAD, query_ids=range(N_QUERIES))
    old = report_of(OLD[order], query_ids=order)
    [condition] = check(new, old, max_drop=1, rule="surely worse")
    [expected] = check(shifted(0), BASELINE, max_drop=1, rule="surely worse")
    np.testing.assert_allclose((condition.low, condition.high), (expected.low, expected.high))


def without_values(report, folder, name):
    """Return the path of a report that was saved without the values of each query."""
    path = folder / f"{name}.json"
    report.to_json(path, per_query=False)
    return path


def test_means_are_enough_for_differences(tmp_path):
    new, old = shifted(-0.02), BASELINE
    path = without_values(old, tmp_path, "old")
    [condition] = check(new, path, max_drop=0.01)
    assert condition.difference == new["a"] - old["a"]
    assert (condition.verdict, condition.low, condition.high) == ("failed", None, None)
    assert repr(check(new, path, max_drop=0.01)).endswith("rule 'difference', without intervals")
    assert check(without_values(new, tmp_path, "new"), old, max_drop=0.03).passed
    [same] = check(without_values(old, tmp_path, "same"), old, max_drop=0)
    assert (same.difference, same.verdict) == (0, "passed")


def test_reports_of_scale_have_means(tmp_path):
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"q": [1, 1, 2, 2], "y": [0, 1, 1, 0], "s": [1.0, 2.0, 1.0, 2.0]})
    table.to_parquet(tmp_path / "part.parquet")
    report = report_of_scale(str(tmp_path), y_true="y", y_score="s", qid="q", scores="mrr")
    assert check(report, report, max_drop=0, at_least=0.5).passed
    with raises("baseline", "values of each query", got="one without them"):
        check(report, report, max_drop=0, rule="surely worse")


@pytest.mark.parametrize("rule", SURELY)
def test_rules_about_intervals_need_the_values_of_each_query(rule, tmp_path):
    path = without_values(BASELINE, tmp_path, "old")
    for new, old, parameter in ((BASELINE, path, "baseline"), (path, BASELINE, "report")):
        with raises(parameter, f"rule='{rule}'", got="one without them", advice="to_json"):
            check(new, old, max_drop=0, rule=rule)


GAINED = "one with 'pyxclib:psprecision@1', which weighs queries by what they can gain,"


def test_item_weights_allow_differences_of_means_only():
    labels, scores = [[0, 1], [1, 0]], [[1, 2], [1, 2]]
    weight = [[1, 2], [3, 1]]
    report = ranking_report(labels, scores, scores="ndcg", item_weight=weight)
    assert check(report, report, max_drop=0).passed
    with raises("baseline", "the same weight", got="one with `item_weight`", advice="difference"):
        check(report, report, max_drop=0, rule="surely worse")
    report = ranking_report(labels, scores, scores=["ndcg", "pyxclib:psprecision@1"])
    with raises("baseline", "the same weight", got=GAINED):
        check(report, report, max_drop=0, rule="surely worse")


def test_other_queries_are_refused(tmp_path):
    ids = np.array(list("abc"))
    old = report_of([1, 2, 3], query_ids=ids)
    with raises("report", "same 3 queries", got="none for 'c'", advice="new baseline"):
        check(report_of([1, 2], query_ids=ids[:2]), old, max_drop=0)
    with raises("report", "same 2 queries", got="also 'c'"):
        check(old, report_of([1, 2], query_ids=ids[:2]), max_drop=0)
    path = without_values(old, tmp_path, "old")
    with raises("report", "same 3 queries", got="2 queries", advice="new baseline"):
        check(report_of([1, 2]), path, max_drop=0)


def test_other_options_are_refused_only_of_scores_that_are_asked_for(tmp_path):
    labels, scores = [[0, 2], [1, 0]], [[1, 2], [1, 2]]
    made = partial(ranking_report, labels, scores, scores=["ndcg", "mrr"], k=None)
    new, old = made(), made(gain="exponential")
    for baseline in (old, without_values(old, tmp_path, "old")):
        with raises("report", "gain='exponential' in ndcg", got="gain='linear'"):
            check(new, baseline, max_drop=0)
        assert check(new, baseline, max_drop={"mrr": 0}).passed


def test_other_weights_are_refused():
    old = report_of(OLD, sample_weight=np.arange(N_QUERIES))
    with raises("report", "same `sample_weight` as baseline", got="one without"):
        check(BASELINE, old, max_drop=0)


def test_groups_in_another_order_are_refused_without_ids():
    other = report_of(OLD, by={"lang": ["en", "de"] * 20})
    with raises("report", "same groups in the same order", advice="query_ids"):
        check(report_of(OLD, by=GROUPS), other, max_drop=0)


# What else is said.

QRELS = pd.DataFrame({"query": ["q1", "q1", "q2"], "item": ["a", "b", "c"], "label": [1, 1, 1]})
RUN = pd.DataFrame({"query": ["q1", "q1"], "item": ["a", "z"], "score": [2.0, 1.0]})


def mrr(qrels, run, **params):
    return ranking_report(
        from_tables(qrels, run, query="query", item="item", label="label", score="score"),
        scores="mrr",
        k=None,
        **params,
    )


def test_other_judgments_are_a_warning_and_a_note():
    old, new = mrr(QRELS, RUN), mrr(QRELS.assign(label=[1, 2, 1]), RUN)
    text = "report and baseline rest on different judgments, so a change may come from these"
    with pytest.warns(UserWarning, match=f"^check: {text}.$") as caught:
        result = check(new, old, max_drop=0)
    assert caught[0].filename == __file__
    assert text in result.notes
    assert text not in check(old, old, max_drop=0).notes


def test_queries_without_predictions_are_noted():
    more = pd.concat([RUN, RUN.assign(query="q2", item=["c", "y"])])
    result = check(mrr(QRELS, RUN), mrr(QRELS, more), max_drop=0)
    line = "1 query was judged but not predicted, and counts 0: 'q2'"
    assert result.notes == (f"report: {line}",)
    assert check(mrr(QRELS, more), mrr(QRELS, RUN), max_drop=0).notes == (f"baseline: {line}",)
    assert check(mrr(QRELS, RUN), at_least=0).notes == (f"report: {line}",)


@pytest.mark.parametrize("rule", ["difference", *SURELY])
@pytest.mark.parametrize(
    ("scores", "is_within"), [([[1, 1], [1, 1]], True), ([[2, 1], [2, 1]], False)]
)
def test_a_drop_within_the_range_of_tie_orders_is_said_to_be_one(scores, is_within, rule):
    labels = [[0, 1], [0, 1]]
    made = partial(ranking_report, labels, scores="mrr", k=None, ties=True)
    tied = made(scores)
    old = made([[1, 2], [1, 2]])
    [condition] = check(tied, old, max_drop=0, rule=rule)
    assert condition.verdict == ("failed" if rule == "difference" else "undecided")
    assert condition.reason.endswith("; the drop lies within the range of tie orders") == is_within
    [improved] = check(old, tied, max_drop=0, rule=rule)
    assert "tie" not in improved.reason
    [unknown] = check(tied, ranking_report(labels, [[1, 2]] * 2, scores="mrr", k=None), max_drop=0)
    assert "tie" not in unknown.reason


def test_a_rise_within_the_range_of_tie_orders_is_said_to_be_one():
    tied = positions(np.zeros((10, 3)), ties=True)
    [condition] = check(tied, positions(EARLY, ties=True), max_drop=0)
    assert condition.reason == (
        "rose by 0.5000, more than 0; the rise lies within the range of tie orders"
    )
    [apart] = check(positions(LATE, ties=True), positions(EARLY, ties=True), max_drop=0)
    assert "tie" not in apart.reason


# Names of results.


@pytest.mark.parametrize("name", ["ndcg@1", "NDCG@1", "ndcg_cut_1", "ndcg_1"])
def test_every_spelling_finds_a_result(name):
    report = ranking_report([[0, 1]], [[1, 2]], scores=["ndcg"], k=[1, 2])
    [condition] = check(report, at_least={name: 0.5})
    assert condition.metric == "ndcg@1"


def test_one_number_is_for_all_results():
    new, old = report_of(OLD, OLD), report_of(OLD, OLD)
    result = check(new, old, at_least=0.1, max_drop=0.2)
    assert [(each.metric, each.limit) for each in result] == [
        ("a", 0.1),
        ("b", 0.1),
        ("a", 0.2),
        ("b", 0.2),
    ]


@pytest.mark.parametrize(
    ("params", "parameter", "key", "got"),
    [
        ({}, "at_least", "if there is no `max_drop`", "None"),
        ({"at_least": {}}, "at_least", "if there is no `max_drop`", "{}"),
        ({"at_least": "0.9"}, "at_least", "a finite number", "'0.9'"),
        ({"at_least": [0.9]}, "at_least", "a finite number", "[0.9]"),
        ({"at_least": True}, "at_least", "a finite number", "True"),
        ({"at_least": NAN}, "at_least", "a finite number", "nan"),
        ({"at_least": {"a": INF}}, "at_least", "values are a finite number", "inf"),
        ({"at_least": {"a": None}}, "at_least", "values are a finite number", "None"),
        ({"at_least": {"x": 1}}, "at_least", "results of the report, 'a'", "'x'"),
        ({"at_least": {1: 1}}, "at_least", "results of the report, 'a'", "1"),
        ({"max_drop": 0}, "baseline", "a report or its path if `max_drop` is given", "None"),
        ({"baseline": BASELINE, "at_least": 0}, "baseline", "None if `max_drop`", "a report"),
        ({"baseline": 1, "max_drop": 0}, "baseline", "a RankingReport or the path", "1"),
        ({"report": None, "at_least": 0}, "report", "a RankingReport or the path", "None"),
        ({"baseline": BASELINE, "max_drop": -0.1}, "max_drop", "at least 0", "-0.1"),
        ({"baseline": BASELINE, "max_drop": {"a": INF}}, "max_drop", "at least 0", "inf"),
        ({"at_least": 0, "rule": "worse"}, "rule", "'surely worse'", "'worse'"),
        ({"at_least": 0, "undecided": "pass"}, "undecided", "None if rule='diff", "'pass'"),
        (
            {"at_least": 0, "rule": "surely worse", "undecided": "skip"},
            "undecided",
            "'pass' or 'fail'",
            "'skip'",
        ),
        ({"at_least": 0, "confidence_level": 95}, "confidence_level", "between 0 and 1", "95"),
        ({"at_least": 0, "n_runs": 0}, "n_runs", "an int of at least 1", "0"),
        ({"at_least": 0, "n_runs": 10**20}, "n_runs", "an int from 1 to 1000000", str(10**20)),
        ({"at_least": 0, "n_runs": 2.0}, "n_runs", "an int of at least 1", "2.0"),
        ({"at_least": 0, "n_runs": True}, "n_runs", "an int of at least 1", "True"),
        ({"at_least": 0, "n_runs": 30}, "n_runs", "1 if rule='difference'", "30"),
        ({"at_least": 0, "by": "lang"}, "by", "name of a grouping", "'lang'"),
        ({"at_least": 0, "by": []}, "by", "name of a grouping", "[]"),
        ({"at_least": 0, "by": 3}, "by", "name of a grouping", "3"),
    ],
)
def test_what_is_refused(params, parameter, key, got):
    with raises(parameter, key, function="check", got=got):
        check(**{"report": BASELINE} | params)


def test_a_name_that_is_nearly_one_is_suggested():
    report = ranking_report([[0, 1]], [[1, 2]], scores=["ndcg@10", "recall@10"])
    with raises("at_least", "'ndcg@10', 'recall@10'", advice="Did you mean 'recall@10'?"):
        check(report, at_least={"recal@10": 0.9})
    with raises(
        "at_least", "each result once", got="'ndcg@10' twice, the second time as 'NDCG@10',"
    ):
        check(report, at_least={"ndcg@10": 0.9, "NDCG@10": 0.8})


def test_a_result_that_the_baseline_lacks_is_named():
    new = ranking_report([[0, 1]], [[1, 2]], scores=["ndcg", "mrr"], k=None)
    old = ranking_report([[0, 1]], [[1, 2]], scores=["ndcg"], k=None)
    with raises("baseline", "result 'mrr'", got="one with 'ndcg'", advice="new baseline"):
        check(new, old, max_drop=0)
    assert check(new, old, max_drop={"ndcg": 0}).passed


def test_groupings_are_named_once_and_known_ones_are_listed():
    report = report_of(OLD, by=GROUPS)
    with raises("by", "different names", got="['lang', 'lang']"):
        check(report, at_least=0, by=["lang", "lang"])
    with raises("by", "name of a grouping", got="'language'", advice="'lang', 'size'"):
        check(report, at_least=0, by="language")


# How results print, and what they are.


def result_with_all_verdicts():
    new = report_of(OLD - 0.1 + SPREAD, OLD + SPREAD, by=GROUPS)
    old = report_of(OLD, OLD, by=GROUPS)
    return check(
        new, old, at_least={"a": 0.1}, max_drop={"b": 0, "a": 0.01}, rule="surely not worse"
    )


def test_the_table_has_failures_first_and_reasons_below():
    result = result_with_all_verdicts()
    verdicts = [each.verdict for each in result]
    assert verdicts == ["passed", "undecided", "failed"]
    lines = repr(result).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["a", "b", "a"]
    assert [line.split()[-1] for line in lines[:4]] == ["verdict", "failed", "undecided", "passed"]
    assert lines[5] == "failed: 1 of 3 conditions failed, 1 undecided, which counts as failed"
    assert lines[6] == "a: fell by 0.1000, surely more than 0.01"
    assert lines[7].startswith("b: ")
    assert "too few queries to tell if the drop is above 0" in lines[7]
    assert lines[8].startswith("rule 'surely not worse'; 95 % intervals, wider if")


def test_the_line_about_the_level_says_what_it_is_for():
    new, old = report_of(OLD, OLD), report_of(OLD, OLD)
    line = "are skewed, so that 2 conditions fail by chance in at most 2.5 %"
    assert line in repr(check(new, old, max_drop=0, rule="surely worse"))
    assert repr(check(new, old, max_drop=0)).endswith(
        "passed: 0 of 2 conditions failed\n"
        "rule 'difference'; 95 % intervals, wider if differences are skewed, "
        "which the rule does not use"
    )
    assert repr(check(new, at_least=0)).endswith("passed: 0 of 2 conditions failed")
    assert repr(check(BASELINE, at_least=0)).endswith("passed: no condition failed")


def test_undecided_conditions_say_how_they_count():
    new, old = report_of(OLD + SPREAD, OLD + SPREAD), report_of(OLD, OLD)
    result = check(new, old, max_drop=0.001, rule="surely worse")
    assert "passed: 0 of 2 conditions failed, 2 undecided, which count as passed" in repr(result)


def test_a_failure_is_an_assertion_error_with_the_table():
    result = result_with_all_verdicts()
    with pytest.raises(AssertionError) as caught:
        result.require()
    assert str(caught.value) == f"the gate failed\n\n{result!r}"
    assert check(BASELINE, at_least=0).require() is None


def test_frames_have_all_values():
    result = result_with_all_verdicts()
    frame = result.to_frame()
    assert len(frame) == len(result)
    names = [name for name in Condition.__dataclass_fields__ if name != "human"]
    for name in names:
        assert [None if pd.isna(each) else each for each in frame[name]] == [
            getattr(each, name) for each in result
        ]
    assert [*frame] == names


def test_markdown_is_a_table_with_the_verdict_above_and_notes_below():
    groups = {"g": ["a|b", "<i>"] * 20}
    new, old = report_of(OLD, by=groups), report_of(OLD + 0.1, by=groups)
    text = check(new, old, max_drop=0, by="g").to_markdown()
    lines = text.splitlines()
    assert lines[0] == "**failed: 3 of 3 conditions failed**"
    assert lines[2].startswith("|  | group | mean | baseline mean |")
    assert lines[2].endswith("| high | asked | verdict |")
    assert lines[3] == f"| --- | --- {'| ---: ' * 5}| --- | --- |"
    assert "| `a` | `g=a\\|b` | " in text
    assert "| drop of at most 0 | failed |" in text
    assert "- a, g=&lt;i&gt;: fell by" in text
    assert lines[-1].startswith("- rule 'difference'")
    cells = [line.replace("\\|", "").count("|") for line in lines[2:7]]
    assert cells == [10] * 5


def test_html_escapes_names_in_the_table_and_in_the_lines_below():
    groups = {"g": ["<i>", "b"] * 20}
    new, old = report_of(OLD, by=groups), report_of(OLD + 0.1, by=groups)
    html = check(new, old, max_drop=0, by="g")._repr_html_()
    assert "<table>" in html
    assert "<p>a, g=&lt;i&gt;: fell by" in html
    assert "<i>" not in html


def test_a_condition_prints_alone():
    condition = result_with_all_verdicts()[2]
    assert repr(condition).splitlines()[-1] == "failed: fell by 0.1000, surely more than 0.01"


def test_dir_lists_what_is_public():
    assert dir(gates) == ["Condition", "GateResult", "check"]


def test_results_are_equal_by_value_and_survive_pickling():
    result = check(report_of([0.5]), report_of([0.6]), max_drop=0, rule="surely worse")
    assert math.isnan(result[0].low)
    assert pickle.loads(pickle.dumps(result)) == result
    assert result != result_with_all_verdicts()
    assert isinstance(result, GateResult)
    with pytest.raises(TypeError, match="computed"):
        Condition(metric="a")


def test_more_rows_than_are_shown_keep_the_failures_in_sight():
    groups = {"g": np.arange(60)}
    values = np.full(60, 0.5)
    values[55] = 0.1
    new, old = report_of(values, by=groups), report_of(np.full(60, 0.5), by=groups)
    text = repr(check(new, old, max_drop=0.01, by="g"))
    assert text.splitlines()[1].split()[:2] == ["a", "g=55"]
    assert "... and 21 more rows" in text


def test_reasons_beyond_those_of_the_shown_rows_are_counted():
    groups = {"g": np.arange(60)}
    new, old = report_of(np.full(60, 0.1), by=groups), report_of(np.full(60, 0.5), by=groups)
    lines = repr(check(new, old, max_drop=0.01, by="g")).splitlines()
    assert sum(": fell by 0.4000" in line for line in lines) == 40
    assert "... and 21 more conditions that did not pass" in lines
