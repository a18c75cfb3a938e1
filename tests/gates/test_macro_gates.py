"""Gates on the mean over groups: limits that begin with "macro:"."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from raising import raises

from ranking_scores import ranking_report
from ranking_scores.gates import check
from ranking_scores.significance import compare, confidence_interval

RNG = np.random.default_rng(64)
SIZES = {"de": 24, "en": 12, "fr": 6}
LANGUAGE = np.repeat([*SIZES], [*SIZES.values()])
N_QUERIES = LANGUAGE.size
LABELS = RNG.integers(0, 3, (N_QUERIES, 9))
OLD = LABELS + RNG.normal(size=LABELS.shape)
NEW = OLD + RNG.normal(scale=0.7, size=LABELS.shape)
SURELY = ("surely worse", "surely not worse")

report_of = partial(ranking_report, LABELS, scores=["ndcg@3", "hit_rate@1", "arp"], k=None)
BY = {"language": LANGUAGE}


def macro(report, name="ndcg@3"):
    return np.mean([group[name] for group in report.by_group["language"].values()])


def half_width(interval_of, level):
    """Return the half of the interval of the mean over groups, each with its own quantile."""
    halves = [(own.high - own.low) / 2 for own in map(interval_of, SIZES)]
    return math.sqrt(np.square(halves).sum()) / len(SIZES)


@pytest.mark.parametrize("name", ["ndcg@3", "hit_rate@1", "arp"])
def test_the_difference_of_the_macro_mean_is_limited(name):
    new, old = report_of(NEW, by=BY), report_of(OLD, by=BY)
    fall = macro(old, name) - macro(new, name)
    worse = -fall if name == "arp" else fall
    key = f"macro:{name}"
    for margin, verdict in ((worse - 1e-6, "failed"), (worse + 1e-6, "passed")):
        [condition] = check(new, old, max_drop={key: margin} if margin >= 0 else {key: 0})
        assert condition.difference == pytest.approx(-fall)
        assert condition.verdict == (verdict if margin >= 0 else "passed")
        assert (condition.metric, condition.grouping, condition.group) == (key, "language", None)
        assert condition.mean == pytest.approx(macro(new, name))
        assert condition.baseline_mean == pytest.approx(macro(old, name))
    means = check(new, at_least={key: macro(new, name) - 1e-6})
    assert means.passed == (name != "arp")


def test_the_interval_is_that_of_a_stratified_mean():
    new, old = report_of(NEW, by=BY), report_of(OLD, by=BY)
    pairs = {each: [own.by_group["language"][each] for own in (new, old)] for each in SIZES}
    [found] = check(new, old, max_drop={"macro:ndcg@3": 0.1})

    def change(group):
        new_values, old_values = (own.per_query["ndcg@3"] for own in pairs[group])
        return compare(old_values, new_values)

    half = half_width(change, 0.95)
    assert found.low == pytest.approx(found.difference - half)
    assert found.high == pytest.approx(found.difference + half)
    [found] = check(new, at_least={"macro:arp": 4}, rule="surely worse")
    half = half_width(lambda group: confidence_interval(pairs[group][0].per_query["arp"]), 0.95)
    assert found.high - found.mean == pytest.approx(half)
    assert found.verdict == "undecided"
    assert math.isnan(found.n_queries_needed)


def test_the_interval_covers_the_mean_of_unequal_groups():
    truth = np.array([0.2, 0.5, 0.8])
    spread = np.repeat([0.05, 0.1, 0.2], [*SIZES.values()])
    rng, n_covered, n_runs = np.random.default_rng(0), 0, 200
    for _ in range(n_runs):
        values = np.repeat(truth, [*SIZES.values()]) + rng.normal(scale=spread)
        report = ranking_report(  # the DCG at rank 1 is the label of the first item
            np.column_stack([values, values]), [[2, 1]] * N_QUERIES, scores="dcg@1", by=BY
        )
        [found] = check(report, at_least={"macro:dcg@1": 0.5}, rule="surely worse")
        n_covered += found.low <= 0.5 <= found.high
    # The quantile of the smallest group makes the interval a little too wide.
    assert 0.93 <= n_covered / n_runs <= 0.995


@pytest.mark.parametrize("rule", SURELY)
def test_one_query_more_in_the_worst_group_widens_the_interval(rule):
    report = report_of(OLD, by=BY)
    [found] = check(report, report, max_drop={"macro:ndcg@3": 0.02}, rule=rule)
    alone = [
        check(own, own, max_drop={"ndcg@3": 0.02}, rule=rule)[0].high
        for own in report.by_group["language"].values()
    ]
    assert found.high == pytest.approx(max(alone) / len(SIZES))
    assert found.low == pytest.approx(-found.high)


def test_only_what_is_asked_counts_and_by_names_the_grouping():
    two = BY | {"half": ["a", "b"] * (N_QUERIES // 2)}
    new, old = report_of(NEW, by=two), report_of(OLD, by=two)
    limits = {"macro:NDCG@3": 0.02, "ndcg@3": 0.02}
    result = check(new, old, max_drop=limits, by=["language", "half"], rule="surely worse")
    groups = [(each.metric, each.grouping, each.group) for each in result]
    plain = (
        [(None, None)] + [("language", each) for each in SIZES] + [("half", "a"), ("half", "b")]
    )
    assert groups == [
        *(("ndcg@3", *each) for each in plain),
        ("macro:ndcg@3", "language", None),
        ("macro:ndcg@3", "half", None),
    ]
    assert result.level_of_each == pytest.approx(1 - 0.05 / 8)
    assert "macro:ndcg@3  language" in repr(result)
    assert [each.metric for each in check(new, old, max_drop=0.5)] == [*new]
    with raises("by", "the name of a grouping whose groups share no cluster", got="None"):
        check(new, old, max_drop={"macro:ndcg@3": 0.02})
    assert len(check(new, old, max_drop={"macro:ndcg@3": 0.02}, by="half")) == 1


def test_what_has_no_macro_mean_is_refused():
    plain, grouped = report_of(OLD), report_of(OLD, by=BY)
    with raises("at_least", "about a report with groups and", got="'macro:ndcg@3'"):
        check(plain, at_least={"macro:ndcg@3": 0.5})
    with raises("at_least", "about results of the report", got="'macro:map'"):
        check(grouped, at_least={"macro:map": 0.5})
    with raises("baseline", "a report with the grouping 'language'"):
        check(grouped, plain, max_drop={"macro:ndcg@3": 0.5})
    human = np.where(np.arange(N_QUERIES)[:, None] % 2, np.nan, LABELS)
    judged = report_of(OLD, by=BY, human=human)
    with raises("at_least", "and without `human`", got="'macro:ndcg@3'"):
        check(judged, at_least={"macro:ndcg@3": 0.5})
    clustered = report_of(OLD, by=BY, clusters=np.arange(N_QUERIES) // 5)
    with raises("by", "a grouping whose groups share no cluster", got="'language'"):
        check(clustered, at_least={"macro:ndcg@3": 0.5})
    others = ranking_report(LABELS, OLD, scores=["map"], k=None, by=BY)
    with raises("baseline", "a report with the result 'ndcg@3'"):
        check(grouped, others, max_drop={"macro:ndcg@3": 0.5})


@pytest.mark.parametrize("rule", SURELY)
def test_a_group_of_one_query_leaves_the_mean_undecided(rule):
    report = report_of(OLD, by={"language": ["it", *LANGUAGE[1:]]})
    limits = {"at_least": {"macro:arp": 9}, "max_drop": {"macro:ndcg@3": 1}}
    for condition in check(report, report, **limits, rule=rule):
        assert condition.verdict == "undecided"
        assert condition.reason.endswith("language=it has fewer than two queries with a score")


def test_an_undefined_group_is_named(tmp_path):
    labels = np.where((LANGUAGE == "fr")[:, None], 0, LABELS)
    with pytest.warns(match="map of language=fr"):
        report = ranking_report(
            labels, OLD, scores=["map"], k=None, by=BY, replace_undefined_by=np.nan
        )
    result = check(report, at_least={"macro:map": 0.1})
    assert (result[0].verdict, result[0].reason) == ("failed", "the mean is undefined")
    assert result.notes == ("macro:map, language: language=fr has no mean",)


def test_means_of_groups_are_enough_for_the_rule_difference(tmp_path):
    new, old = report_of(NEW, by=BY), report_of(OLD, by=BY)
    old.to_json(tmp_path / "old.json", per_query=False)
    limit = {"macro:ndcg@3": 0.5}
    [found] = check(new, tmp_path / "old.json", max_drop=limit)
    assert found.difference == pytest.approx(macro(new) - macro(old))
    assert (found.low, found.verdict) == (None, "passed")


def test_a_reason_says_nothing_of_ties():
    report = report_of(OLD, by=BY, ties=True)
    new = report_of(NEW, by=BY, ties=True)
    [found] = check(new, report, max_drop={"macro:arp": 0})
    assert "tie orders" not in found.reason


def test_queries_with_one_score_only_are_counted_over_groups():
    params = {"by": BY, "replace_undefined_by": np.nan, "scores": ["map"], "k": None}
    labels = LABELS.copy()
    labels[[0, -1]] = 0
    new, old = (ranking_report(each, OLD, **params) for each in (labels, LABELS))
    [found] = check(new, old, max_drop={"macro:map": 1})
    assert found.reason.endswith("2 queries with a score in one report only left out")
