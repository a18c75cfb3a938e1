"""Gates where the gold set grows: the queries that both have, and a baseline that follows."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from raising import raises

from ranking_scores import from_lists, ranking_report
from ranking_scores.gates import check

RNG = np.random.default_rng(5)
GOLD = {f"q{each}": {f"d{item}": 1 for item in RNG.integers(0, 9, 3)} for each in range(30)}
LISTS = {each: [f"d{item}" for item in RNG.permutation(9)] for each in GOLD}
OTHER = {each: [f"d{item}" for item in RNG.permutation(9)] for each in GOLD}
SURELY = ("surely worse", "surely not worse")


def report_of(gold, lists=LISTS, **params):
    own = {each: lists[each] for each in gold}
    return ranking_report(
        from_lists(gold, own), **{"scores": ["ndcg@3", "mrr"], "k": None} | params
    )


def some(*numbers):
    return {f"q{each}": GOLD[f"q{each}"] for each in numbers}


OLD, NEW = some(*range(20)), some(*range(19, 4, -1), *range(20, 30))
BOTH = some(*range(5, 20))
both = partial(check, queries="both")


@pytest.mark.parametrize("params", [{}, {"rule": "surely worse"}, {"rule": "surely not worse"}])
def test_drops_are_those_of_reports_of_the_queries_in_both(params, tmp_path):
    new, old = report_of(NEW, OTHER), report_of(OLD)
    found = both(new, old, max_drop=0.05, **params)
    expected = check(report_of(BOTH, OTHER), report_of(BOTH), max_drop=0.05, **params)
    assert [*found] == [*expected]
    note = "queries in both: 15; new: 10 ('q20', 'q21', 'q22' and 7 more); gone: 5 ('q0', 'q1', "
    assert found.notes[0] == f"{note}'q2' and 2 more); judged anew: 0"
    assert found.notes[1:] == expected.notes
    new.to_json(tmp_path / "new.json")
    old.to_json(tmp_path / "old.json")
    assert both(tmp_path / "new.json", tmp_path / "old.json", max_drop=0.05, **params) == found


def test_floors_are_about_all_queries():
    new = report_of(NEW, OTHER)
    floor, *drops = both(new, report_of(OLD), at_least={"mrr": 0.1}, max_drop=1)
    assert floor.mean == new["mrr"]
    assert floor.mean != drops[1].mean


def test_weights_clusters_and_people_are_those_of_the_queries_in_both():
    def made(gold, lists):
        number = {each: int(each[1:]) for each in gold}
        people = {each: gold[each] for each in gold if number[each] % 2}
        own = {each: lists[each] for each in people}
        return report_of(
            gold,
            lists,
            sample_weight={each: 1 + number[each] % 3 for each in gold},
            clusters={each: number[each] // 4 * 2 + number[each] % 2 for each in gold},
            human=from_lists(people, own, queries="both"),
        )

    params = {"max_drop": 0.05, "rule": "surely worse"}
    found = both(made(NEW, OTHER), made(OLD, LISTS), **params)
    assert [*found] == [*check(made(BOTH, OTHER), made(BOTH, LISTS), **params)]


def test_groups_have_their_queries_in_both():
    def made(gold, lists, kinds):
        return report_of(gold, lists, by={"kind": {each: kinds(int(each[1:])) for each in gold}})

    def new_kind(number):
        return "new" if number > 24 else "ab"[number % 2]

    def old_kind(number):
        return "gone" if number < 2 else "b" if number == 6 else "ab"[number % 2]

    found = both(made(NEW, OTHER, new_kind), made(OLD, LISTS, old_kind), max_drop=0.05, by="kind")
    assert [each.group for each in found] == [None, None, "a", "a", "b", "b"]
    assert "kind=new: no drop, since no query is in both" in found.notes
    of_a = some(*range(8, 20, 2))  # q6 was in the other group
    expected = check(report_of(of_a, OTHER), report_of(of_a), max_drop=0.05)
    assert [each.difference for each in found[2:4]] == [each.difference for each in expected]
    with raises("baseline", "a report with the grouping 'kind'", got="none"):
        both(made(NEW, OTHER, new_kind), report_of(OLD), max_drop=0, by="kind")


def test_the_range_of_tie_orders_of_other_queries_says_nothing():
    gold = {each: {"a": 1} for each in "xyz"}
    tied, first = ({"a": 1, "b": 1}, {"a": 2, "b": 1})
    new = report_of(gold, dict.fromkeys(gold, tied), ties=True)
    old = report_of({"x": gold["x"]}, {"x": first}, ties=True)
    [condition] = both(new, old, max_drop={"mrr": 0})
    assert condition.reason == "fell by 0.2500, more than 0"


@pytest.mark.parametrize("n_anew", [0, 1, 2])
def test_queries_that_were_judged_anew_are_counted(n_anew, tmp_path):
    gold = NEW | {f"q{each}": {"d1": 2} for each in range(5, 5 + n_anew)}
    report_of(OLD).to_json(tmp_path / "old.json")
    new = report_of(gold)
    for old in (tmp_path / "old.json", report_of(OLD)):
        if n_anew:
            count = f"of {n_anew} quer{'y' if n_anew == 1 else 'ies'}, so a change may come"
            with pytest.warns(UserWarning, match=count):
                found = both(new, old, max_drop=1)
        else:
            found = both(new, old, max_drop=1)
        assert found.notes[0].endswith(f"; judged anew: {n_anew}")
        assert any("different judgments" in note for note in found.notes) is (n_anew > 0)


def test_the_judgments_of_a_group_are_those_of_its_queries(tmp_path):
    def odd(gold, name):
        by = {"kind": {each: "ab"[int(each[1:]) % 2] for each in gold}}
        report_of(gold, by=by).by_group["kind"]["b"].to_json(tmp_path / name)
        return [report_of(gold, by=by).by_group["kind"]["b"], tmp_path / name]

    olds = odd(some(1, 2, 3, 5), "old.json")
    for new, old in zip(odd(GOLD | {"q3": {"d1": 2}}, "new.json"), olds, strict=True):
        with pytest.warns(UserWarning, match="different judgments of 1 query"):
            found = both(new, old, max_drop=1)
        assert found.notes[0].startswith("queries in both: 3; new: 12 (")
    for old in olds:
        [new, _] = odd(some(1, 3, 5) | {"q2": {"d1": 2}}, "again.json")
        assert not any("judgments" in note for note in check(new, old, max_drop=1).notes)


def test_a_report_that_does_not_tell_the_judgments_of_its_queries_says_so(tmp_path):
    old = report_of(OLD)
    vars(old).update(_judgments=old.judgments, _digests=None)  # as an earlier version saved it
    old.to_json(tmp_path / "old.json")
    found = both(report_of(NEW | {"q5": {"d1": 2}}), tmp_path / "old.json", max_drop=1)
    assert found.notes[0].endswith("; judged anew: not told by the reports")
    assert not any("different judgments" in note for note in found.notes)


GONE = "none for 'q0', 'q1', 'q2' and 2 more"


def test_other_queries_are_refused_with_the_cure():
    with raises("report", "same 20 queries", got=GONE, advice="queries='both'"):
        check(report_of(NEW), report_of(OLD), max_drop=0)


def test_what_queries_do_not_go_with(tmp_path):
    new, old = report_of(NEW), report_of(OLD)
    with raises("queries", "'equal' if there is no `max_drop`", got="'both'"):
        both(new, at_least=0)
    with raises("queries", "'equal' or 'both'", got="'shared'"):
        check(new, old, max_drop=0, queries="shared")
    with raises("report", "has a query of the baseline", got="only others, such as 'q10',"):
        both(new, report_of(some(0, 1)), max_drop=0)
    old.to_json(tmp_path / "means.json", per_query=False)
    with raises("baseline", "the values of each query", got="one of sums alone"):
        both(new, tmp_path / "means.json", max_drop=0)
    nameless = ranking_report([[0, 1]], [[1, 2]], scores=["ndcg@3", "mrr"], k=None)
    with raises("baseline", "with ids of queries", got="one without them"):
        both(new, nameless, max_drop=0)
