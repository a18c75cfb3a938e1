"""The verdicts of gates: those of SciPy's intervals, and how many queries would decide."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from gated_reports import (
    BASELINE,
    EARLY,
    GROUPS,
    INF,
    LATE,
    N_QUERIES,
    NAN,
    OLD,
    RNG,
    SKEWED,
    SPREAD,
    SURELY,
    positions,
    report_of,
    shifted,
)
from raising import raises
from scipy import stats
from scipy.optimize import brentq

from ranking_scores import average_relevant_position, ranking_report
from ranking_scores.gates import check
from ranking_scores.significance import compare, confidence_interval, queries_needed

ERROR = SPREAD.std(ddof=1) / math.sqrt(N_QUERIES)
CLOSE = 1e-12  # a few roundings of numbers near 1


def report_of_hits(values, **params):
    """Return a report whose result "a" is a hit or a miss of each query."""
    order = np.broadcast_to([0.9, 0.6], (len(values), 2))
    return ranking_report(np.c_[values, 0 * values], order, scores={"a": "precision@1"}, **params)


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
    params = {"max_drop": 0, "confidence_level": level}
    [condition] = check(report_of(OLD + differences), BASELINE, rule="surely not worse", **params)
    [plain] = check(report_of(OLD + differences), BASELINE, **params)
    np.testing.assert_allclose((plain.low, plain.high), t, rtol=1e-9)
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
    [condition] = check(new, old, max_drop=0, rule="surely worse")
    np.testing.assert_allclose(condition.high, max(t.high, hall[1]), rtol=1e-9)
    assert condition.high > t.high + 1e-4


def test_limits_have_the_scale_of_the_differences():
    for scale in (1e-150, 1e150):
        new, old = report_of(scale * (OLD + SKEWED)), report_of(scale * OLD)
        [found] = check(new, old, max_drop=0, rule="surely worse")
        [expected] = check(report_of(OLD + SKEWED), BASELINE, max_drop=0, rule="surely worse")
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


@pytest.mark.parametrize("rule", SURELY)
@pytest.mark.parametrize("shift", [-0.5, 0.5])
def test_few_effective_clusters_leave_the_rules_that_use_the_interval_undecided(rule, shift):
    params = {"clusters": np.arange(N_QUERIES) // 34}
    new, old = report_of(OLD + shift + SPREAD / 1e9, **params), report_of(OLD, **params)
    result = check(new, old, max_drop=0, at_least=OLD.mean(), rule=rule)
    cure = "Add clusters of about equal size until 10 are effective"
    for condition in result:
        assert condition.verdict == "undecided"
        assert condition.reason.endswith(f": only 1.3 effective clusters. {cure}")
        assert math.isnan(condition.n_queries_needed)
    assert result.passed == (rule == "surely worse")
    assert check(new, old, max_drop=0, at_least=OLD.mean()).passed == (shift > 0)


@pytest.mark.parametrize("n_clusters", [9, 10])
def test_shares_of_fewer_than_10_effective_clusters_are_undecided(n_clusters):
    report = report_of_hits(np.ones(90), clusters=np.arange(90) % n_clusters)
    [condition] = check(report, at_least=0.5, rule="surely not worse")
    assert condition.verdict == ("passed" if n_clusters == 10 else "undecided")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = confidence_interval(report)
    few = ["only 9.0 effective clusters" in str(each.message) for each in said]
    assert few == [True] * (n_clusters == 9)
    assert (condition.low, condition.high) == (found.low[0], found.high[0])
    assert found.method == ("exact",)


def test_a_share_of_dependent_queries_needs_more_of_them():
    needed = []
    for clusters in (None, np.arange(200), np.arange(200) // 4):
        report = report_of_hits(np.arange(200) % 40 > 3, clusters=clusters)
        [condition] = check(report, at_least=0.88, rule="surely not worse")
        needed.append(condition.n_queries_needed)
    assert needed[0] == needed[1] < needed[2] / 3


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
    [condition] = check(few, at_least=0, rule="surely worse")
    cure = "Add queries of about equal weight until 10 are effective"
    assert condition.reason.endswith(f": only 3.0 effective queries. {cure}")
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
    assert f"query could matter, so that {who[rule]} by chance in at most 2.5 %" in repr(both)


# Lower is better.


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
