"""Lists that changed, items that moved and items that are missed, by brute force."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from raising import raises
from two_reports import NAN, random_data, report_of_values

from ranking_scores import ranking_report
from ranking_scores.agreement import agreement_report
from ranking_scores.significance import changes
from ranking_scores.tables import RankingData, from_lists, from_tables


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


def test_notes_on_listed_queries_need_one():
    notes = "the queries are those of", "among the first k"
    judged, _, data_old = random_data(0)
    data_new = random_data(1, judged=judged)[2]
    old, new = (ranking_report(data, scores=["ndcg@3", "map"]) for data in (data_old, data_new))
    moved = changes(new, old, data_old=data_old, data_new=data_new)
    same = changes(old, old, data_old=data_old, data_new=data_old)
    assert all(note in " ".join(moved.notes) for note in notes)
    assert not any(note in " ".join(same.notes) for note in notes)
