"""What changed between two reports: numbers of compare_all, lists and ranks by brute force."""

from __future__ import annotations

import html
import math
import pickle
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import average_relevant_position, ndcg_score, ranking_report, scale
from ranking_scores.agreement import agreement_report
from ranking_scores.significance import Changes, changes, compare, compare_all
from ranking_scores.tables import RankingData, from_lists, from_tables

N_QUERIES = 66
WIDTH = 100
N_ITEMS = 12
RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 3, (N_QUERIES, N_ITEMS)) * (RNG.random((N_QUERIES, N_ITEMS)) < 0.4)
Y_TRUE[3] = 0  # undefined for some scores
OLD = RNG.integers(0, 6, Y_TRUE.shape) + 0.5 * Y_TRUE
NEW = RNG.integers(0, 6, Y_TRUE.shape) + 1.5 * Y_TRUE
IDS = np.array([f"q{number}" for number in RNG.permutation(N_QUERIES)])
DEVICE = np.array(["tv", "phone", "pc"])[np.arange(N_QUERIES) % 3]
SCORES = ["ndcg", "hit_rate", "map"]
NAN = math.nan
OF_ROW = ("difference", "low", "high", "pvalue", "draws", "n_queries", "n_dropped", "test")


def report(y_score, scores=SCORES, k=3, **params):
    """Return the report of some scores on all queries."""
    params = {"query_ids": IDS, "by": {"device": DEVICE}} | params
    return ranking_report(Y_TRUE, y_score, scores=scores, k=k, **params)


def report_of_values(values, name="ndcg", **params):
    """Return a report whose score of each query is the given one, from 0 to 1."""
    y_true, y_score = np.tile([1, 0], (len(values), 1)), np.tile([1, 0], (len(values), 1))
    found = ranking_report(y_true, y_score, scores=name, k=None, **params)
    values = np.array(values, dtype=float)
    [metric] = found.metrics
    vars(found)["per_query"] = {metric: values}
    return found


def bits(values):
    return np.array(values, dtype=np.float64).view(np.int64).tolist()


def numbers_of(row):
    """Return the numbers of a row of changes that a comparison has, too."""
    return [getattr(row, key) for key in OF_ROW]


WEIGHT = np.where(np.arange(N_QUERIES) == 5, 0, RNG.integers(4, 8, N_QUERIES) / 4)
TOPIC = np.arange(N_QUERIES) // 12 * 3 + np.arange(N_QUERIES) % 3  # of one device each


# Rows.


@pytest.mark.parametrize("test", ["auto", "t", "permutation", "bootstrap"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"sample_weight": WEIGHT},
        {"clusters": TOPIC},
        {"replace_undefined_by": NAN},
        {"query_ids": None},
    ],
    ids=["plain", "weights", "clusters", "undefined", "no ids"],
)
def test_the_numbers_are_those_of_compare_all_to_the_last_bit(params, test):
    old, new = report(OLD, **params), report(NEW, **params)
    settings = {"test": test, "random_state": 1, "n_resamples": 999, "confidence_level": 0.9}
    found = changes(new, old, **settings)
    expected = compare_all({"old": old, "new": new}, correction=None, **settings)
    assert tuple(found.scores) == expected.metrics
    for row, comparison in zip(found.scores.values(), expected, strict=True):
        assert numbers_of(row) == numbers_of(comparison)
        assert (row.wins, row.losses) == (comparison.wins, comparison.losses)
        assert row.pvalue_uncorrected == row.pvalue
    of_groups = compare_all({"old": old, "new": new}, correction="holm", by=DEVICE, **settings)
    for place, comparison in enumerate(of_groups):
        row = found.by_group["device"][comparison.group][comparison.metric]
        assert numbers_of(row) == numbers_of(comparison)
        assert row.pvalue_uncorrected == of_groups.pvalue_uncorrected[place]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weights"])
def test_means_are_those_of_the_report_if_all_queries_have_the_score(weight):
    old, new = report(OLD, sample_weight=weight), report(NEW, sample_weight=weight)
    found = changes(new, old)
    for name, row in found.scores.items():
        assert bits([row.before, row.now]) == bits([old[name], new[name]])
    for group, of_group in old.by_group["device"].items():
        for name, row in found.by_group["device"][group].items():
            assert bits([row.before]) == bits([of_group[name]])


def test_means_are_over_the_queries_that_have_the_score_in_both_reports():
    old, new = report_of_values([0.5, NAN, 0.1, 0.4]), report_of_values([0.7, 0.2, NAN, 0.8])
    row = changes(new, old).scores["ndcg"]
    assert (row.before, row.now) == (np.mean([0.5, 0.4]), np.mean([0.7, 0.8]))
    assert row.difference == pytest.approx(row.now - row.before, abs=1e-15)
    assert (row.n_queries, row.n_dropped) == (2, 2)


def test_wins_are_queries_that_got_better_if_lower_is_better():
    higher, lower = [5.0, 4.0, 3.0, 2.0, 2.0, 1.5], [1.0, 1.0, 1.0, 1.0, 2.0, 2.0]
    old, new = (report_of_values(each, average_relevant_position) for each in (higher, lower))
    [(name, row)] = changes(new, old).scores.items()
    expected = compare(old, new)
    assert (row.wins, row.draws, row.losses) == (4, 1, 1)
    assert (expected.wins, expected.losses) == (row.losses, row.wins)
    assert (row.difference, row.low, row.high) == (
        expected.difference,
        expected.low,
        expected.high,
    )
    assert row.difference < 0
    assert row.verdict == ("better" if row.pvalue <= 0.05 else "no clear change")
    found = changes(new, old, confidence_level=0.8)
    assert found.scores[name].verdict == "better"
    assert changes(old, new, confidence_level=0.8).scores[name].verdict == "worse"
    assert [each.query for each in found.won[name]] == [0, 1, 2, 3]
    assert [each.query for each in found.lost[name]] == [5]
    assert f"lower is better: {name}" in str(found)


def test_p_values_of_groups_are_holms_of_each_group_alone():
    clusters = np.arange(N_QUERIES) // 5  # of which each has queries of all groups
    old, new = report(OLD, clusters=clusters), report(NEW, clusters=clusters)
    found = changes(new, old, test="t")
    for name in old:
        alone = {}
        for group in np.unique(DEVICE):
            own = group == DEVICE
            a, b = (each.per_query[name][own] for each in (old, new))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                alone[group] = compare(a, b, clusters=clusters[own], test="t")
        pvalues = sorted(each.pvalue for each in alone.values())
        highest = 0.0
        corrected = {}
        for place, pvalue in enumerate(pvalues):
            highest = max(highest, min(1.0, pvalue * (len(pvalues) - place)))
            corrected[pvalue] = highest
        for group, expected in alone.items():
            row = found.by_group["device"][group][name]
            assert row.pvalue_uncorrected == expected.pvalue
            assert row.pvalue == pytest.approx(corrected[expected.pvalue], rel=1e-12)


def test_each_grouping_is_corrected_alone():
    by = {"device": DEVICE, "half": np.arange(N_QUERIES) % 2}
    old, new = report(OLD, by=by), report(NEW, by=by)
    found = changes(new, old)
    assert list(found.by_group) == ["device", "half"]
    assert list(found.by_group["half"]) == [0, 1]
    expected = changes(report(NEW, by={"half": by["half"]}), report(OLD, by={"half": by["half"]}))
    assert found.by_group["half"] == expected.by_group["half"]


STEPS = [0.1, 0.2, 0.3, 0.2, 0.1, 0.3]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "reason"),
    [
        (
            [0.1] * 6,
            np.add(0.1, STEPS),
            "better",
            r"p = 0\.00\d\d is at most 0\.05, paired t test",
        ),
        (np.add(0.1, STEPS), [0.1] * 6, "worse", r"p = 0\.00\d\d is at most 0\.05, paired t test"),
        (STEPS, STEPS[::-1], "no clear change", r"p = 1\.0000 is above 0\.05, paired t test"),
        (STEPS, STEPS, "unchanged", "6 queries, none of which changed"),
        ([0.3], [0.3], "unchanged", "1 query, none of which changed"),
        ([0.3], [0.4], "not tested", "fewer than two queries have the score in both reports"),
        ([NAN, 0.1], [0.2, NAN], "not tested", "fewer than two queries .*"),
        ([0, 1, 0, 1], [0, 1, 1, 1], "no clear change", "p = 0.5000 .*, McNemar's mid-p test"),
    ],
)
def test_verdicts_and_what_they_rest_on(old, new, verdict, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = changes(report_of_values(new), report_of_values(old))
    row = found.scores["ndcg"]
    assert row.verdict == verdict
    assert str(row).endswith(f"\n\n{verdict}: {row.reason}")
    assert re.fullmatch(reason, row.reason), row.reason
    assert str(found).startswith(f"{verdict}: ndcg\n")


def test_too_few_clusters_are_said():
    old, new = (report_of_values(each, clusters=["a"] * 6) for each in (STEPS, STEPS[::-1]))
    with pytest.warns(UndefinedMetricWarning) as caught:
        row = changes(new, old).scores["ndcg"]
    assert len(caught) == 1
    assert row.reason == "fewer than two clusters have the score in both reports"


def test_no_verdict_if_mean_and_ranks_disagree():
    difference = np.array([0.01] * 19 + [-0.9])
    old, new = report_of_values([0.9] * 20), report_of_values(0.9 + difference)
    row = changes(new, old, test="wilcoxon").scores["ndcg"]
    assert row.pvalue <= 0.05
    assert row.difference < 0
    assert row.verdict == "no clear change"
    assert "but mean and ranks point to different sides" in row.reason


def test_no_verdict_if_the_mean_moved_to_the_other_side():
    old, new = report_of_values([0.5] * 61), report_of_values([0.3] * 40 + [0.9] * 21)
    with pytest.warns(UserWarning, match=r"changes \(new - old, ndcg\): the mean is not in the"):
        row = changes(new, old, test="betting").scores["ndcg"]
    assert row.pvalue <= 0.05
    assert row.difference > 0
    assert row.verdict == "no clear change"
    assert "betting test, but mean and earlier queries point to different sides" in row.reason


def test_the_level_decides():
    old, new = report(OLD), report(NEW)
    for name, row in changes(new, old).scores.items():
        for level in (1 - 1.01 * row.pvalue, 1 - 0.99 * row.pvalue):
            found = changes(new, old, confidence_level=level)
            is_clear = found.scores[name].verdict == "better"
            assert is_clear == (row.pvalue <= 1 - level)


# The queries that lost and won most.


def brute_force(old, new, ids, n):
    """Return the ids of the queries that lost most, and that won most."""
    rows = [
        (b - a, each) for a, b, each in zip(old, new, ids, strict=True) if not math.isnan(b - a)
    ]
    lost = sorted((row for row in rows if row[0] < 0), key=lambda row: (round(row[0], 9), row[1]))
    won = sorted((row for row in rows if row[0] > 0), key=lambda row: (-round(row[0], 9), row[1]))
    return [each for _, each in lost[:n]], [each for _, each in won[:n]]


@pytest.mark.parametrize("n", [0, 1, 7, 100])
@pytest.mark.parametrize("undefined", [0.0, NAN])
def test_the_listed_queries_are_those_that_changed_most(n, undefined):
    old, new = (report(each, replace_undefined_by=undefined) for each in (OLD, NEW))
    found = changes(new, old, n=n)
    for name in old:
        lost, won = brute_force(old.per_query[name], new.per_query[name], IDS.tolist(), n)
        assert [each.query for each in found.lost[name]] == lost
        assert [each.query for each in found.won[name]] == won
        for each in (*found.lost[name], *found.won[name]):
            place = IDS.tolist().index(each.query)
            a, b = old.per_query[name][place], new.per_query[name][place]
            assert (each.before, each.now, each.difference) == (a, b, b - a)
            assert each.groups == {"device": DEVICE[place]}
            assert each.left is each.came_in is None


def test_differences_that_only_rounding_tells_apart_are_in_the_order_of_ids():
    before, now = [0.1, 0.7, 0.3, 0.5], [0.3, 0.9, 0.5, 0.7]
    assert len(set(np.subtract(now, before))) > 1
    ids = ["d", "b", "c", "a"]
    old, new = (report_of_values(each, query_ids=ids) for each in (before, now))
    found = changes(new, old, test="permutation")
    assert [each.query for each in found.won["ndcg"]] == ["a", "b", "c", "d"]


def test_ids_without_an_order_are_in_the_order_of_the_report():
    ids = np.array(["b", 2, "a", 1], dtype=object)
    old, new = (report_of_values(each, query_ids=IDS[:4]) for each in ([0.1] * 4, [0.2] * 4))
    for each in (old, new):
        vars(each)["query_ids"] = ids
    with pytest.warns(UserWarning, match="all differences are equal"):
        found = changes(new, old)
    assert [each.query for each in found.won["ndcg"]] == ids.tolist()


def test_dates_are_ids():
    ids = np.array(["2024-01-02", "2024-01-01", "2024-01-03"], "M8[D]")
    old, new = (
        report_of_values(each, query_ids=ids) for each in ([0.1, 0.2, 0.3], [0.4, 0.3, 0.2])
    )
    found = changes(new, old)
    assert [each.query for each in found.won["ndcg"]] == [ids[0], ids[1]]
    assert "2024-01-02" in str(found)


# What moved.


def random_data(seed, labels=(1, 2, 3), judged=None):
    """Return judgments, and data with ties and items that are not retrieved."""
    rng = np.random.default_rng(seed)
    items = [f"d{number}" for number in range(15)]
    queries = [f"q{number}" for number in range(8)]
    if judged is None:
        judged = {
            each: {item: int(rng.choice(labels)) for item in rng.choice(items, 6, replace=False)}
            for each in queries
        }
    lists = {
        each: {item: float(rng.integers(0, 4)) for item in rng.choice(items, 9, replace=False)}
        for each in queries
    }
    return judged, lists, from_lists(judged, lists)


def ranks(scores, item):
    """Return the first and the last possible rank of an item."""
    if item not in scores:
        return None
    own = scores[item]
    higher = sum(each > own for each in scores.values())
    return 1 + higher, sum(each >= own for each in scores.values())


def is_first(of_item, k):
    return of_item is not None and (k is None or of_item[0] <= k)


@pytest.mark.parametrize("k", [1, 3, None])
@pytest.mark.parametrize("threshold", [None, 2])
@pytest.mark.parametrize("are_same", [True, False], ids=["same judgments", "other judgments"])
def test_the_items_that_moved_are_those_of_a_brute_force(k, threshold, are_same):
    judged_old, lists_old, data_old = random_data(1)
    judged_new, lists_new, data_new = random_data(2, judged=judged_old if are_same else None)
    params = {"scores": "ndcg", "k": k, "relevance_threshold": threshold}
    old, new = ranking_report(data_old, **params), ranking_report(data_new, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = changes(new, old, data_old=data_old, data_new=data_new)
    [name] = old
    listed = [*found.lost[name], *found.won[name]]
    assert len(listed) > 3
    for each in listed:
        relevant = {
            item
            for judged in (judged_old, judged_new)
            for item, label in judged[each.query].items()
            if label >= (threshold or 1)
        }
        moves = {
            item: (ranks(lists_old[each.query], item), ranks(lists_new[each.query], item))
            for item in relevant
        }
        left = {
            item: of for item, of in moves.items() if is_first(of[0], k) and not is_first(of[1], k)
        }
        came_in = {
            item: of for item, of in moves.items() if is_first(of[1], k) and not is_first(of[0], k)
        }
        assert {item.item: (item.before, item.now) for item in each.left} == left
        assert {item.item: (item.before, item.now) for item in each.came_in} == came_in
        assert [item.before for item in each.left] == sorted(item.before for item in each.left)
        assert [item.now for item in each.came_in] == sorted(item.now for item in each.came_in)
    assert any(each.left for each in listed)
    assert any(each.came_in for each in listed)


@pytest.mark.parametrize("k", [1, 3, None])
def test_the_lists_that_changed_are_those_of_a_brute_force(k):
    judged, lists_old, data_old = random_data(1)
    _, lists_new, data_new = random_data(2, judged=judged)
    lists_new |= {"q0": lists_old["q0"]}
    data_new = from_lists(judged, lists_new)
    old, new = (ranking_report(each, scores=["ndcg", "map"], k=k) for each in (data_old, data_new))
    found = changes(new, old, data_old=data_old, data_new=data_new)
    agree = agreement_report(lists_old, lists_new, scores=f"overlap@{k}" if k else "rbo@0.9")
    [measure] = agree
    for name, change in found.lists.items():
        are_changed = {
            query
            for query in judged
            if any(
                ranks(lists_old[query], item) != ranks(lists_new[query], item)
                for item in {**lists_old[query], **lists_new[query]}
                if any(is_first(ranks(of[query], item), k) for of in (lists_old, lists_new))
            )
        }
        moved = {each.query for each in (*found.lost[name], *found.won[name])}
        assert change.measure == measure
        assert change.agreement == pytest.approx(agree[measure], rel=1e-12)
        assert (change.n_changed, change.n_same) == (len(are_changed), len(are_changed - moved))
        items = f"first {k}" if k else "lists"
        text = " ".join(str(found).split())
        assert f"of {change.n_changed} queries whose {items} changed, " in text
        assert re.search(f"{change.n_same} ha(s|ve) the same {name}", text)
    assert changes(new, old, data_new=data_new).lists == {}


def test_a_query_without_the_score_is_not_among_those_whose_lists_changed():
    judged = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    lists_old = {query: ["a", "b"] for query in judged}
    lists_new = {query: ["a", "c"] for query in judged}
    data_old, data_new = (from_lists(judged, each) for each in (lists_old, lists_new))
    params = {"scores": "ndcg@2", "replace_undefined_by": NAN}
    old, new = (ranking_report(each, **params) for each in (data_old, data_new))
    [change] = changes(new, old, data_old=data_old, data_new=data_new).lists.values()
    assert (change.agreement, change.n_changed, change.n_same) == (0.5, 2, 2)


def test_items_that_only_fill_ranks_are_no_items_in_common():
    judged = {"query": ["a", "b"], "item": ["x", "x"], "label": [1, 1]}
    run = {"query": ["a", "a", "b"], "item": ["x", "y", "x"], "rank": [2, 3, 1]}
    names = {"query": "query", "item": "item", "label": "label", "rank": "rank"}
    data_old = from_tables(judged, run, **names)
    data_new = from_tables(judged, run | {"item": ["x", "z", "x"]}, **names)
    old, new = (ranking_report(each, scores="mrr@3") for each in (data_old, data_new))
    [change] = changes(new, old, data_old=data_old, data_new=data_new).lists.values()
    assert (change.n_changed, change.n_same) == (1, 1)
    assert change.agreement == pytest.approx((1 / 3 + 1) / 2)


def test_a_score_without_a_cutoff_tells_what_is_retrieved():
    judged = {"a": ["x", "y"], "b": ["x"]}
    data_old = from_lists(judged, {"a": ["x", "z"], "b": ["z"]})
    data_new = from_lists(judged, {"a": ["z", "z2", "y"], "b": ["x"]})
    old, new = (ranking_report(each, scores="r_precision") for each in (data_old, data_new))
    found = changes(new, old, data_old=data_old, data_new=data_new)
    [lost], [won] = found.lost["r_precision"], found.won["r_precision"]
    assert lost.left == (("x", (1, 1), None),)
    assert lost.came_in == (("y", None, (3, 3)),)
    assert won.came_in == (("x", None, (1, 1)),)
    assert "left the retrieved items or came in" in str(found)
    assert "not retrieved" in str(found)


def test_nothing_moved_is_no_table():
    judged = {"a": ["x"], "b": ["x"]}
    data_old = from_lists(judged, {"a": ["y", "x"], "b": ["x"]})
    data_new = from_lists(judged, {"a": ["x", "y"], "b": ["x"]})
    old, new = (ranking_report(each, scores="mrr", k=2) for each in (data_old, data_new))
    found = changes(new, old, data_old=data_old, data_new=data_new)
    assert found.won["mrr@2"][0].left == found.won["mrr@2"][0].came_in == ()
    assert "relevant items" not in str(found)


@pytest.fixture
def pair():
    """Return data with the same judgments, and their reports."""
    judged, _, data_old = random_data(1)
    _, _, data_new = random_data(2, judged=judged)
    old, new = (ranking_report(each, scores="ndcg", k=3) for each in (data_old, data_new))
    return {"old": old, "new": new, "data_old": data_old, "data_new": data_new}


def test_the_old_data_alone_is_an_error(pair):
    with raises("data_new", "given if `data_old` is", function="changes", got="None"):
        changes(pair["new"], pair["old"], data_old=pair["data_old"])
    with raises("data_new", "RankingData or None", got="[1]"):
        changes(pair["new"], pair["old"], data_old=pair["data_old"], data_new=[1])


@pytest.mark.parametrize("k", [1, 3, None])
@pytest.mark.parametrize("has_old", [False, True])
def test_the_items_that_are_missed_are_those_of_a_brute_force(k, has_old):
    judged, lists_old, data_old = random_data(1)
    _, lists_new, data_new = random_data(2, judged=judged)
    old, new = (ranking_report(each, scores="ndcg", k=k) for each in (data_old, data_new))
    data = {"data_new": data_new, "data_old": data_old if has_old else None}
    found = changes(new, old, **data)
    [name] = old
    for each in [*found.lost[name], *found.won[name]]:
        now = {item: ranks(lists_new[each.query], item) for item in judged[each.query]}
        missed = {
            item: (ranks(lists_old[each.query], item) if has_old else None, now[item])
            for item, label in judged[each.query].items()
            if label >= 1 and not is_first(now[item], k)
        }
        assert {item.item: (item.before, item.now) for item in each.missed} == missed
        in_order = [item.now for item in each.missed]
        assert in_order == sorted(in_order, key=lambda now: now or (99, 99))
        assert (each.left is None) is (each.came_in is None) is not has_old
    title = "that are not among the retrieved items" if k is None else f"not among the first {k}\n"
    assert (title in str(found)) is not has_old
    assert str(found).count("rank now") >= 1


def test_items_are_not_missed_where_nothing_is():
    judged = {"a": ["x"], "b": ["x"]}
    data = from_lists(judged, {"a": ["y", "x"], "b": ["x"]})
    old = ranking_report(from_lists(judged, {"a": ["x"], "b": ["x"]}), scores="mrr", k=2)
    found = changes(ranking_report(data, scores="mrr", k=2), old, data_new=data)
    assert found.lost["mrr@2"][0].missed == ()
    assert "relevant items" not in str(found)


def test_data_of_another_report_is_an_error(pair):
    others = random_data(3)[2]
    swapped = {"data_new": pair["data_old"], "data_old": pair["data_new"]}
    with raises("data_old", "the data of the report, in which ndcg@3 of 'q1' is 0."):
        changes(**pair | swapped)
    with raises("data_new", "the data of the report, in which ndcg@3 of 'q1' is 0."):
        changes(pair["new"], pair["old"], data_new=pair["data_old"])
    with raises("data_new", "with its judgments", got="data with others"):
        changes(**pair | {"data_new": others})
    fewer = RankingData(*(each[:6] for each in others[:3]), others.item_ids)
    with raises("data_old", "with all of its queries", got="none for 'q6', 'q7'"):
        changes(**pair | {"data_old": fewer})


def test_data_is_not_checked_by_functions_and_by_scores_of_all_items(pair):
    data = {"data_new": pair["data_old"]}
    old, new = (
        ranking_report(pair[name], scores="ndcg", k=3, gain=np.square)
        for name in ("data_old", "data_new")
    )
    assert changes(new, old, **data).lost["ndcg@3"]
    items = from_lists({"a": ["x"], "b": ["x"]}, {"a": ["y", "x"], "b": ["x", "y"]})
    labels, scores = items.y_true.toarray(), items.y_score.toarray()
    old, new = (
        ranking_report(labels, each, scores="auc", query_ids=["a", "b"], k=None)
        for each in (labels, scores)
    )
    assert changes(new, old, data_new=items).lost["auc"]


def test_data_of_reports_without_ids_is_an_error(pair):
    numbers = {name: list(pair[name].per_query["ndcg@3"]) for name in ("old", "new")}
    reports = {name: report_of_values(each) for name, each in numbers.items()}
    with raises("data_old", "left out, since a report has no ids", got="RankingData"):
        changes(**pair | reports)


# Queries, scores and options that differ.


def test_queries_of_one_side_are_an_error_that_names_them():
    old, new = report(OLD), report(NEW)
    few = ranking_report(
        Y_TRUE[2:], NEW[2:], scores=SCORES, k=3, query_ids=["other", *IDS[3:]], by=DEVICE[2:]
    )
    missing = sorted(IDS[:3].tolist(), key=IDS.tolist().index)
    got = f"3 queries that only old has ({', '.join(map(repr, missing))}) and 1 query that only "
    with raises(
        "new",
        "of the same 66 queries as the old report, by their ids",
        function="changes",
        got=f"{got}new has ('other')",
        advice="`queries='shared'`",
    ):
        changes(few, old)
    with raises(
        "new",
        "queries as the old report",
        got=f"2 queries that only new has ({missing[0]!r}, {missing[1]!r})",
    ):
        changes(new, ranking_report(Y_TRUE[2:], OLD[2:], scores=SCORES, k=3, query_ids=IDS[2:]))


def test_shared_queries_are_compared_and_the_others_are_told():
    old = report(OLD)
    order = RNG.permutation(np.arange(5, N_QUERIES))
    ids = ["x1", *IDS[order], "x2"]
    y_true, new = (np.vstack([each[:1], each[order], each[:1]]) for each in (Y_TRUE, NEW))
    devices = ["tv", *DEVICE[order], "tv"]
    more = ranking_report(y_true, new, scores=SCORES, k=3, query_ids=ids, by={"device": devices})
    found = changes(more, old, queries="shared", n=3)
    params = {"scores": SCORES, "k": 3, "query_ids": IDS[5:], "by": {"device": DEVICE[5:]}}
    alone = [ranking_report(Y_TRUE[5:], each[5:], **params) for each in (NEW, OLD)]
    expected = changes(*alone, n=3)
    assert found.scores == expected.scores
    assert found.by_group == expected.by_group
    assert (found.lost, found.won) == (expected.lost, expected.won)
    assert found.only_old.tolist() == IDS[:5].tolist()
    assert found.only_new.tolist() == ["x1", "x2"]
    text = " ".join(str(found).split())
    assert "left out: 5 queries that only old has" in text
    assert "of another device" not in text
    assert "and 2 more) and 2 queries that only new has ('x1', 'x2')" in text
    assert expected.only_old.size == expected.only_new.size == 0
    assert "left out" not in str(expected)


def test_shared_queries_with_weights_and_clusters():
    params = {"scores": SCORES, "k": 3}
    sides = []
    for y_score, own in ((OLD, slice(0, 60)), (NEW, slice(6, 66))):
        sides.append(
            ranking_report(
                Y_TRUE[own],
                y_score[own],
                **params,
                query_ids=IDS[own],
                sample_weight=WEIGHT[own],
                clusters=TOPIC[own],
            )
        )
    both = slice(6, 60)
    of_both = {"query_ids": IDS[both], "sample_weight": WEIGHT[both], "clusters": TOPIC[both]}
    alone = [ranking_report(Y_TRUE[both], each[both], **params, **of_both) for each in (OLD, NEW)]
    found = changes(sides[1], sides[0], queries="shared")
    assert found.scores == changes(alone[1], alone[0]).scores


def test_queries_in_another_order_are_matched_by_id():
    order = RNG.permutation(N_QUERIES)
    old, new = report(OLD), report(NEW)
    params = {"scores": SCORES, "k": 3, "by": {"device": DEVICE[order]}}
    other = ranking_report(Y_TRUE[order], NEW[order], query_ids=IDS[order], **params)
    assert changes(other, old) == changes(new, old)


def test_no_shared_query_is_an_error():
    old = report(OLD)
    new = report(NEW, query_ids=[f"other {each}" for each in IDS])
    for queries in ("equal", "shared"):
        with raises(
            "new",
            "of at least one query of the old report",
            got=f"only others, such as 'other {IDS[0]}',",
        ):
            changes(new, old, queries=queries)


@pytest.mark.parametrize("queries", ["equal", "shared"])
def test_queries_without_ids_are_paired_by_position(queries):
    old, new = report_of_values([0.1, 0.2, 0.4]), report_of_values([0.3, 0.1, 0.9])
    found = changes(new, old, queries=queries)
    assert [each.query for each in found.won["ndcg"]] == [2, 0]
    assert "paired by position, since a report has no ids" in str(found)
    with raises(
        "new", "of as many queries as the old report, which has 3", got="2", advice="`query_ids`"
    ):
        changes(report_of_values([0.1, 0.2]), old, queries=queries)
    named = report_of_values([0.3, 0.1, 0.9], query_ids=["a", "b", "c"])
    assert [each.query for each in changes(named, old, queries=queries).won["ndcg"]] == ["c", "a"]


def test_other_options_are_refused_by_name():
    with raises("new", "of the same options as old, which has gain='linear' in ndcg@3"):
        changes(report(NEW, gain="exponential"), report(OLD))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"replace_undefined_by": 0}, {}),
        ({"relevance_threshold": 1}, {"relevance_threshold": 1.0}),
        ({"gain": [0, 1, 3]}, {"gain": (0.0, 1.0, 3.0)}),
    ],
)
def test_equal_options_may_have_other_types(one, other):
    old, new = report(OLD, "ndcg", **one), report(NEW, "ndcg", **other)
    assert changes(new, old).scores == changes(report(NEW, "ndcg", **one), old).scores


def test_ids_of_other_types_are_told():
    new, old = (
        report(NEW, query_ids=range(N_QUERIES)),
        report(OLD, query_ids=[*map(str, range(N_QUERIES))]),
    )
    with raises("new", "of at least one query", advice="The same ids are text in one report"):
        changes(new, old)


def test_other_weights_are_refused():
    with raises("new", "a report with the same `sample_weight` as old"):
        changes(report(NEW, sample_weight=WEIGHT), report(OLD))


def test_scores_of_one_side_are_left_out_and_said():
    old = report(OLD, scores=["map", "mrr", "ndcg"])
    new = report(NEW, scores=["ndcg", "recall", "map"])
    found = changes(new, old)
    assert list(found.scores) == ["ndcg@3", "map@3"]
    assert found.scores_only_old == ("mrr@3",)
    assert found.scores_only_new == ("recall@3",)
    expected = changes(report(NEW, scores=["ndcg", "map"]), report(OLD, scores=["ndcg", "map"]))
    assert found.scores == expected.scores
    assert "left out: mrr@3, which only old has\nleft out: recall@3, which only new has" in str(
        found
    )
    with raises("new", "a report with a score of the other one, map@3, mrr@3, ndcg@3", got="f1@3"):
        changes(report(NEW, scores="f1"), old)


def test_queries_of_another_group_are_in_their_new_group():
    moved = DEVICE.copy()
    moved[:2] = "pc"  # of tv and phone
    found = changes(report(NEW, by={"device": moved}), report(OLD))
    expected = changes(report(NEW, by={"device": moved}), report(OLD, by={"device": moved}))
    assert found.by_group == expected.by_group
    assert "2 queries of another device in old: the groups are those of new" in str(found)
    assert "of another device" not in str(expected)


def test_groupings_of_either_report_are_told():
    found = changes(report(NEW, by={"half": TOPIC % 2}), report(OLD))
    assert list(found.by_group) == ["half", "device"]
    assert found.by_group["device"] == changes(report(NEW), report(OLD)).by_group["device"]


def test_queries_without_a_score_are_told():
    old, new = (report(each, replace_undefined_by=NAN) for each in (OLD, NEW))
    n_undefined = np.count_nonzero(~Y_TRUE.any(axis=1))
    note = f"left out of ndcg@3, hit_rate@3, map@3: {n_undefined} queries without the score"
    assert note in str(changes(new, old))


def half(labels):
    return labels / 2


def test_functions_are_compared_by_name_and_said():
    scores = {"half": partial(ndcg_score, gain=half)}
    found = changes(report(NEW, scores=scores), report(OLD, scores=scores))
    assert "`gain` of half@3 is a function, which was compared by its name" in str(found)
    assert "is a function" not in str(changes(report(NEW), report(OLD)))


# Judgments.


def judged_pair(n_left_out=0, *, is_other=False):
    """Return reports and data whose judgments of the shared queries may differ."""
    judged, lists, _ = random_data(1)
    _, lists_new, _ = random_data(2)
    other = {each: dict(of) for each, of in judged.items()}
    if is_other:
        [first] = list(other["q7"])[:1]
        other["q7"][first] += 1
    for each in range(n_left_out):
        del other[f"q{each}"], lists_new[f"q{each}"]
    data = from_lists(judged, lists), from_lists(other, lists_new)
    return data, [ranking_report(each, scores="ndcg", k=3) for each in data]


def test_a_change_of_judgments_is_a_warning_and_a_note():
    _, (old, new) = judged_pair(is_other=True)
    with pytest.warns(
        UserWarning, match="changes: the judgments changed, .* told apart"
    ) as caught:
        found = changes(new, old)
    assert caught[0].filename == __file__
    assert found.judgments_changed is True
    assert "changes of the system and of the judgments cannot be told apart" in str(found)


def test_the_same_judgments_are_no_note():
    _, (old, new) = judged_pair()
    found = changes(new, old)
    assert found.judgments_changed is False
    assert "judgments" not in str(found)
    assert changes(report(NEW), report(OLD)).judgments_changed is None


@pytest.mark.parametrize("is_other", [True, False])
def test_judgments_of_shared_queries_are_told_by_the_data(is_other):
    (data_old, data_new), (old, new) = judged_pair(2, is_other=is_other)
    found = changes(new, old, queries="shared")
    assert found.judgments_changed is None
    assert "the reports do not tell whether the judgments of shared queries changed" in str(found)
    data = {"data_old": data_old, "data_new": data_new}
    if is_other:
        with pytest.warns(UserWarning, match="the judgments changed"):
            found = changes(new, old, queries="shared", **data)
    else:
        found = changes(new, old, queries="shared", **data)
    assert found.judgments_changed is is_other
    assert ("told apart" in str(found)) is is_other


# Files, and reports that have only means.


def test_reports_are_read_from_files(tmp_path):
    old, new = report(OLD), report(NEW)
    paths = [tmp_path / "old.json", str(tmp_path / "new.json.gz")]
    old.to_json(paths[0])
    new.to_json(paths[1])
    assert changes(paths[1], paths[0]) == changes(new, old)
    with raises("old", "a RankingReport or the path", function="changes", got="[1]"):
        changes(new, [1])


def means_only(tmp_path, *reports):
    """Return reports as they are saved without the values of queries."""
    found = []
    for number, each in enumerate(reports):
        each.to_json(tmp_path / f"{number}.json", per_query=False)
        found.append(tmp_path / f"{number}.json")
    return found


def test_reports_without_values_of_queries_have_means_alone(tmp_path):
    old, new = report(OLD), report(NEW)
    saved_new, saved_old = means_only(tmp_path, new, old)
    for of_new, of_old in ((new, saved_old), (saved_new, saved_old), (saved_new, old)):
        found = changes(of_new, of_old)
        for name, row in found.scores.items():
            assert (row.before, row.now) == (old[name], new[name])
            assert row.difference == new[name] - old[name]
            assert np.isnan([row.low, row.high, row.pvalue, row.pvalue_uncorrected]).all()
            assert row.wins is row.draws is row.losses is row.n_dropped is row.test is None
            assert row.n_queries == N_QUERIES
            assert row.verdict == "not tested"
            assert row.reason == "a report has no values of queries"
            assert "p-value" not in str(row)
        for group, of_group in found.by_group["device"].items():
            for name, row in of_group.items():
                assert row.before == old.by_group["device"][group][name]
                assert row.now == new.by_group["device"][group][name]
                assert row.n_queries == new.by_group["device"][group].n_queries
        assert found.lost == found.won == {}
        assert "means are compared, without a test" in str(found)
        assert "p-value" not in str(found)
        assert "p-value" not in found.to_markdown()
        assert found.to_frame().shape == (12, 15)
        assert found.queries_frame().empty
        assert list(found.queries_frame())[:3] == ["score", "side", "query"]


def test_a_difference_of_means_by_rounding_is_none(tmp_path):
    old, new = report_of_values([0.5] * 3), report_of_values([0.5] * 3)
    vars(old)["mean"], vars(new)["mean"] = {"ndcg": 0.1 + 0.2}, {"ndcg": 0.3}
    found = changes(*means_only(tmp_path, new, old))
    assert found.scores["ndcg"].difference == 0


def test_means_of_other_queries_are_refused(tmp_path):
    old = report(OLD)
    fewer = ranking_report(Y_TRUE[1:], NEW[1:], scores=SCORES, k=3)
    advice = "does not tell which of them are shared"
    with raises(
        "new",
        "of as many queries as the old report, which has 66",
        got="65 queries",
        advice=advice,
    ):
        changes(*means_only(tmp_path, fewer, old))
    moved = report(NEW, by={"device": np.where(np.arange(N_QUERIES) < 6, "tv", DEVICE)})
    with raises("new", "which has 22 in device=pc", got="20 queries"):
        changes(*means_only(tmp_path, moved, old))
    weighed = report(NEW, scores="ndcg", item_weight=np.ones(Y_TRUE.shape))
    paths = means_only(tmp_path, weighed, old)
    with raises("new", "a report without item weights, like the old one", got="one with them"):
        changes(*paths)


def test_groups_of_one_side_are_told_if_there_are_means_alone(tmp_path):
    by = {"device": np.where(DEVICE == "pc", "laptop", DEVICE), "half": TOPIC % 2}
    found = changes(*means_only(tmp_path, report(NEW, by=by), report(OLD)))
    assert list(found.by_group) == ["device"]
    assert list(found.by_group["device"]) == ["phone", "tv"]
    assert "left out: device=pc, which only old has" in str(found)
    assert "left out: device=laptop, half=0, half=1, which only new has" in str(found)


def test_values_in_a_file_are_compared_as_those_of_a_report(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    qid = np.repeat(np.arange(N_QUERIES), N_ITEMS)
    saved = []
    for number, y_score in enumerate((OLD, NEW)):
        rows = pyarrow.table({"y": Y_TRUE.ravel(), "s": y_score.ravel(), "q": qid})
        path = tmp_path / f"{number}.parquet"
        columns = {"y_true": "y", "y_score": "s", "qid": "q"}
        saved.append(scale.per_query([rows], **columns, scores=SCORES, k=3, path=path))
    of_ids = {"query_ids": np.arange(N_QUERIES)}
    expected = changes(report(NEW, **of_ids), report(OLD, **of_ids))
    found = changes(saved[1], saved[0])
    assert found.scores == expected.scores
    assert found.by_group == {}
    assert [each[0] for each in found.won["map@3"]] == [each[0] for each in expected.won["map@3"]]
    assert changes(saved[1], report(OLD, **of_ids)).by_group == expected.by_group


def test_a_report_with_item_weights_and_values_is_refused_as_in_compare_all():
    weights = np.ones(Y_TRUE.shape)
    old, new = (report(each, scores="ndcg", item_weight=weights) for each in (OLD, NEW))
    with raises("old", "the same weight in each score", function="changes"):
        changes(new, old)


# What it looks like.


@pytest.fixture
def found():
    """Return changes of several scores with groups and data."""
    judged, _, data_old = random_data(1)
    _, _, data_new = random_data(2, judged=judged)
    by = {each: "tv" if each < "q4" else "a|b <c>" for each in judged}
    params = {"scores": ["ndcg", "mrr", "precision"], "k": 3, "by": {"device": by}}
    old, new = ranking_report(data_old, **params), ranking_report(data_new, **params)
    return changes(new, old, data_old=data_old, data_new=data_new)


def test_text_fits_on_a_line(found):
    wide = changes(
        report(NEW, scores=["precision", "ndcg"]), report(OLD, scores=["precision", "ndcg"])
    )
    for each in (found, wide):
        assert max(map(len, str(each).splitlines())) <= WIDTH
    old, new = (
        report_of_values(each, query_ids=["long " * 30, "b", "c"], by=["x " * 40, "y", "y"])
        for each in ([0.1, 0.2, 0.9], [0.9, 0.3, 0.1])
    )
    with pytest.warns(UndefinedMetricWarning):
        text = str(changes(new, old))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "long long long long long..." not in text.splitlines()[0]
    assert "..." in text


def test_text_marks_groups_with_a_verdict():
    far = np.where(DEVICE == "tv", 1.0, 0.0)[:, np.newaxis] * Y_TRUE * 9
    text = str(changes(report(OLD + far), report(OLD)))
    assert re.search(r"ndcg@3      tv .*\*", text)
    assert not re.search(r"ndcg@3      pc .*\*", text)
    assert "* better: ndcg@3 of tv" in text
    assert "no clear change in any group" in str(changes(report(OLD), report(OLD)))


def test_frames(found):
    frame = found.to_frame()
    assert frame.index.names == ["grouping", "group", "score"]
    assert len(frame) == 3 + 3 * 2
    row = found.by_group["device"]["tv"]["mrr@3"]
    in_frame = frame.loc[("device", "tv", "mrr@3")]
    assert row.score == "mrr@3"
    assert in_frame.to_dict() == {
        name: each for name, each in vars(row).items() if name != "score"
    }
    assert frame.loc[("", "", "ndcg@3"), "verdict"] == found.scores["ndcg@3"].verdict
    plain = changes(report(NEW, by=None), report(OLD, by=None)).to_frame()
    assert list(plain.index) == ["ndcg@3", "hit_rate@3", "map@3"]
    assert plain.index.name == "score"
    queries = found.queries_frame()
    listed = sum(len(each) for side in (found.lost, found.won) for each in side.values())
    assert len(queries) == listed
    first = queries.iloc[0]
    expected = found.lost["ndcg@3"][0]
    assert (first.score, first.side, first["query"]) == ("ndcg@3", "lost", expected.query)
    assert (first.difference, first.left, first.came_in, first.device) == (
        expected.difference,
        expected.left,
        expected.came_in,
        expected.groups["device"],
    )


def test_a_grouping_with_the_name_of_a_column_keeps_both():
    old, new = (
        report_of_values(each, query_ids=["a", "b", "c", "d"], by={"query": [1, 1, 2, 2]})
        for each in ([0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.9, 0.2])
    )
    frame = changes(new, old).queries_frame()
    assert frame["query"].tolist() == ["d", "b", "c", "a"]
    assert frame["query (group)"].tolist() == [2, 1, 2, 1]


def test_html_escapes_names(found):
    by = {"<i>": DEVICE}
    assert "<b>by &lt;i&gt;</b>" in changes(report(NEW, by=by), report(OLD, by=by))._repr_html_()
    text = found._repr_html_()
    assert "<c>" not in text
    assert text.count("<table>") == found.to_markdown().count("\n| ---")
    assert html.escape("a|b <c>") in text
    assert "<b>by device</b>" in text
    assert found.scores["ndcg@3"].verdict in text


def test_markdown_has_tables_whose_rows_all_have_the_same_cells(found):
    text = found.to_markdown()
    assert "`a\\|b <c>`" in text
    assert "**by `device`**" in text
    tables = re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE)
    assert len(tables) >= 4
    for table in tables:
        head, rule, *body = table.splitlines()
        n_cells = len(re.findall(r"(?<!\\)\|", head))
        assert body
        assert all(len(re.findall(r"(?<!\\)\|", row)) == n_cells for row in [rule, *body])
        assert set(rule.strip("| ").split(" | ")) <= {"---", "---:"}
    assert text.endswith("```")
    assert "| `ndcg@3` |" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a|b", "`a\\|b`"),
        ("a\\|b", "<code>a&#92;&#124;b</code>"),
        ("a`b", "<code>a&#96;b</code>"),
        ("@you *x*", "`@you *x*`"),
    ],
)
def test_names_in_markdown_are_code(name, expected):
    ids = [name, "b", "c"]
    old, new = (
        report_of_values(each, query_ids=ids) for each in ([0.1, 0.2, 0.9], [0.9, 0.3, 0.2])
    )
    assert f"| {expected} |" in changes(new, old).to_markdown()


def test_notes_of_comparisons_are_escaped_in_html():
    systems = {"a": pd.DataFrame({"<b>": STEPS, "<i>": STEPS}), "b": pd.DataFrame()}
    systems["b"] = systems["a"] + 0.1 * np.array([1, 2, 3, 1, 2, -30])[:, np.newaxis]
    found = compare_all(systems, test="wilcoxon", correction=None, confidence_level=0.5)
    assert "<b>" in str(found)
    assert "<b>" not in found._repr_html_()


def test_long_tables_say_how_many_rows_are_missing():
    rng = np.random.default_rng(0)
    before, now = rng.random((2, 200))
    old, new = report_of_values(before), report_of_values(now)
    found = changes(new, old, n=60)
    for text in (str(found), found.to_markdown(), found._repr_html_()):
        assert text.count("... and 20 more rows") == 2
    assert len(found.lost["ndcg"]) == 60


def test_results_are_equal_if_all_values_are_and_cannot_be_changed(found):
    assert found == pickle.loads(pickle.dumps(found))
    assert isinstance(found, Changes)
    assert changes(report(NEW), report(OLD)) == changes(report(NEW), report(OLD))
    assert changes(report(NEW), report(OLD)) != changes(report(OLD), report(NEW))
    assert found != 1
    with pytest.raises(TypeError, match="read-only"):
        found.scores["ndcg@3"] = None
    with pytest.raises(TypeError, match="holds what was computed"):
        Changes()
    with pytest.raises(ValueError, match="read-only"):
        found.only_old[...] = 1


# Parameters.


@pytest.mark.parametrize(
    ("params", "parameter", "expected", "got"),
    [
        ({"n": -1}, "n", "an int of at least 0", "-1"),
        ({"n": True}, "n", "an int of at least 0", "True"),
        ({"n": 2.0}, "n", "an int of at least 0", "2.0"),
        ({"queries": "all"}, "queries", "'equal' or 'shared'", "'all'"),
        ({"test": "z"}, "test", "'auto'", "'z'"),
        ({"confidence_level": 2.5}, "confidence_level", "a number between 0 and 1", "2.5"),
        ({"n_resamples": 3, "test": "bootstrap"}, "n_resamples", "an int of at least 39", "3"),
        ({"random_state": "a"}, "random_state", "None, an int", "'a'"),
    ],
)
def test_parameters_are_checked(params, parameter, expected, got):
    with raises(parameter, expected, function="changes", got=got):
        changes(report(NEW), report(OLD), **params)
