"""Gates where the gold set grows: the queries that both have, and a baseline that follows."""

from __future__ import annotations

import datetime
from functools import partial

import numpy as np
import pytest
from raising import raises

from ranking_scores import from_lists, ranking_report
from ranking_scores.gates import check
from ranking_scores.report import read_report

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


@pytest.mark.parametrize("has_people", [True, False])
def test_weights_clusters_and_people_are_those_of_the_queries_in_both(has_people):
    def made(gold, lists):
        number = {each: int(each[1:]) for each in gold}
        people = {each: gold[each] for each in gold if number[each] % 2}
        own = {each: lists[each] for each in people}
        return report_of(
            gold,
            lists,
            sample_weight={each: 1 + number[each] % 3 for each in gold},
            clusters={each: number[each] // 4 * 2 + number[each] % 2 for each in gold},
            human=from_lists(people, own, queries="both") if has_people else None,
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
    assert "kind=new: no drop, since no query has this group in both" in found.notes
    moved = "1 query of another kind in the baseline: left out of the drops of groups"
    assert moved in found.notes
    numbers = made(NEW, OTHER, lambda number: number % 2), made(OLD, LISTS, lambda _: 1)
    notes = both(*numbers, max_drop=0.05, by="kind").notes
    assert moved.replace("1 query", "7 queries") in notes
    of_a = some(*range(8, 20, 2))  # q6 was in the other group
    expected = check(report_of(of_a, OTHER), report_of(of_a), max_drop=0.05)
    assert [each.difference for each in found[2:4]] == [each.difference for each in expected]
    with raises("baseline", "a report with the grouping 'kind'", got="none"):
        both(made(NEW, OTHER, new_kind), report_of(OLD), max_drop=0, by="kind")


def test_the_mean_over_groups_is_that_of_groups_with_queries_in_both():
    def made(gold, lists, kind):
        return report_of(gold, lists, by={"kind": {each: kind(int(each[1:])) for each in gold}})

    def kind(number):
        return "new" if number > 24 else "ab"[number % 2]

    new, old = made(NEW, OTHER, kind), made(OLD, LISTS, kind)
    asked = {"macro:mrr": 0.05, "mrr": 0.05}
    of_all, found = both(new, old, max_drop=asked)
    expected = [*both(new, old, max_drop={"mrr": 0.05}, by="kind")]
    assert of_all.difference == expected[0].difference
    assert found.difference == pytest.approx(np.mean([each.difference for each in expected[1:]]))
    why = "kind=new: no drop, since no query has this group in both"
    for by in (None, "kind"):
        notes = both(new, old, max_drop=asked, by=by).notes
        assert notes.count(why) == 1
        assert "of another kind" not in "\n".join(notes)
    old = made(OLD, LISTS, lambda number: f"other {number % 2}")
    with raises("report", "in one of its groups", got="none in those of 'kind'"):
        both(new, old, max_drop=asked)


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


# A baseline that follows.

follow = partial(check, update_if_better=True)
BETTER = LISTS | {each: [*GOLD[each], "x"] for each in ("q0", "q1")}
WORSE = LISTS | {each: ["x", *LISTS[each]] for each in ("q0", "q1")}


def today():
    return datetime.datetime.now(datetime.UTC).date().isoformat()


@pytest.fixture
def base(tmp_path):
    """Save a baseline, and return its path."""
    report_of(OLD).to_json(tmp_path / "base.json")
    return tmp_path / "base.json"


def history_of(path):
    return [(past.n_queries, past.mean) for past in read_report(path).history]


def test_a_report_that_passes_takes_the_place_of_the_baseline_with_its_history(base):
    better, worse, day = report_of(OLD, BETTER), report_of(OLD, WORSE), today()
    result = follow(better, base, max_drop=0.5)
    written = f"baseline {base}: written, with the scores of 20 queries, before of 20"
    assert result.notes[-1] == written
    assert [*result] == [*check(better, report_of(OLD), max_drop=0.5)]
    now = read_report(base)
    assert now == better
    assert now.history[0].date is None
    assert now.history[1].date in (day, today())
    follow(worse, base, max_drop=0.5)
    result = follow(worse, base, max_drop={"mrr": 0.01, "ndcg@3": 0.5})
    means = [report_of(OLD).mean, better.mean, worse.mean, worse.mean]
    assert history_of(base) == [(20, mean) for mean in means]
    best = f"mrr: its best mean was {better['mrr']:.4f} ({now.history[1].date}, 20 queries)"
    assert result.notes == (best, written)
    again = base.with_name("again.json.gz")
    read_report(base).to_json(again)
    assert history_of(again) == history_of(base)
    assert "history" not in report_of(OLD).to_json()


def test_a_score_of_which_lower_is_better_was_best_when_it_was_lowest(tmp_path):
    gold, path = {each: {"a": 1} for each in "xy"}, tmp_path / "base.json"
    second, first = (
        ranking_report(from_lists(gold, dict.fromkeys(gold, order)), scores="arp")
        for order in (["b", "a"], ["a", "b"])
    )
    second.to_json(path)
    assert follow(first, path, max_drop=0).notes[-1].startswith(f"baseline {path}: written")
    assert follow(second, path, max_drop=0.5).notes[0].startswith("arp: its best mean was 1.0000")
    assert len(read_report(path).history) == 2
    assert follow(first, path, max_drop=0.5).notes[:-1] == ()


@pytest.mark.parametrize(
    ("made", "params", "why"),
    [
        ({"lists": WORSE}, {"max_drop": 0.01}, "the gate failed"),
        ({}, {"max_drop": 1, "at_least": 1}, "the gate failed"),
        ({"lists": WORSE}, {"max_drop": 0.001, "rule": "surely worse"}, "ndcg@3 fell by 0."),
        ({"lists": WORSE}, {"max_drop": {"ndcg@3": 0.9}}, "mrr fell by 0."),
        ({"scores": ["mrr"]}, {"max_drop": {"mrr": 0.9}}, "the report lacks 'ndcg@3'"),
    ],
)
def test_a_baseline_that_is_not_written_stays_as_it_was(base, made, params, why):
    before = base.read_bytes()
    made = {"scores": ["ndcg@3", "mrr"], "lists": LISTS} | made
    data = from_lists(OLD, {each: made["lists"][each] for each in OLD})
    result = follow(ranking_report(data, scores=made["scores"], k=None), base, **params)
    assert result.notes[-1].startswith(f"baseline {base}: not written, since {why}")
    assert base.read_bytes() == before


def test_groups_stay_in_the_baseline_and_may_not_fall(tmp_path):
    by = {"kind": {each: "ab"[each in ("q0", "q2")] for each in OLD}}
    path = tmp_path / "base.json"
    report_of(OLD, by=by).to_json(path)
    params = {"max_drop": 0.02, "rule": "surely worse", "by": "kind"}
    lists = WORSE | {each: [*GOLD[each]] for each in ("q3", "q4", "q5")}
    assert (
        " not written, since ndcg@3 fell by"
        in follow(report_of(OLD, lists, by=by), path, **params).notes[-1]
    )  # in the group b, and not in all
    note = follow(report_of(OLD), path, max_drop=1).notes[-1]
    assert note.endswith("not written, since the report lacks 'kind'")
    assert check(report_of(OLD, by=by), at_least=0, by="kind").notes == ()


def test_a_report_without_the_values_of_queries_does_not_become_the_baseline(base, tmp_path):
    report_of(OLD).to_json(tmp_path / "means.json", per_query=False)
    note = follow(tmp_path / "means.json", base, max_drop=1).notes[-1]
    assert note.endswith("not written, since the report lacks 'per_query'")
    base.write_bytes((tmp_path / "means.json").read_bytes())
    assert "written, with" in follow(tmp_path / "means.json", base, max_drop=1).notes[-1]


@pytest.mark.parametrize("max_drop", [0.01, {"mrr": 0.01}])
def test_a_grown_gold_set_becomes_the_baseline(base, max_drop):
    new = report_of(NEW)
    assert both(new, base, max_drop=max_drop, update_if_better=True).passed
    assert history_of(base) == [(20, report_of(OLD).mean), (25, new.mean)]
    assert check(new, base, max_drop=0).passed


def test_the_last_hundred_means_are_kept(base):
    for _ in range(101):
        follow(report_of(OLD), base, max_drop=0)
    history = read_report(base).history
    assert len(history) == 100
    assert None not in {past.date for past in history}


def test_a_baseline_that_cannot_be_written_stays_as_it_was(base, monkeypatch):
    before = base.read_bytes()

    def fail(*_):
        raise OSError("full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="full"):
        follow(report_of(OLD), base, max_drop=0)
    assert base.read_bytes() == before
    assert [each.name for each in base.parent.iterdir()] == ["base.json"]


@pytest.mark.parametrize(
    ("params", "parameter", "key", "got"),
    [
        ({"update_if_better": 1}, "update_if_better", "True or False", "1"),
        ({"baseline": None}, "baseline", "if update_if_better=True", "None"),
        ({"baseline": report_of(OLD)}, "baseline", "a path that ends in .json or", None),
        ({"baseline": "base.txt"}, "baseline", "ends in .json or .json.gz", "'base.txt'"),
        ({"max_drop": None, "at_least": 0}, "baseline", "None if `max_drop` is left out", None),
    ],
)
def test_what_an_update_does_not_go_with(base, params, parameter, key, got):
    given = {"baseline": base, "max_drop": 0} | params
    with raises(parameter, key, function="check", got=got):
        follow(report_of(OLD), **given)


def test_people_are_those_of_the_reports_in_a_baseline_that_follows(base):
    with raises("human", "None if update_if_better=True", got="'people.json'"):
        follow(report_of(OLD), base, max_drop=0, human="people.json")
