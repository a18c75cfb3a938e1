"""The reports that gates take: groups, files, ids and notes; names and print; what is refused."""

from __future__ import annotations

import math
import pickle
from functools import partial

import numpy as np
import pandas as pd
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
    SPREAD,
    SURELY,
    positions,
    report_of,
    shifted,
)
from raising import raises

from ranking_scores import from_tables, gates, ranking_report
from ranking_scores.gates import Condition, GateResult, check
from ranking_scores.scale import report as report_of_scale

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
    report = report_of_scale(str(tmp_path), label="y", score="s", query="q", scores="mrr")
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
    text = "report and baseline rest on different judgments of 1 query, so a change may come from "
    text += "these"
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


def test_a_score_that_the_report_lacks_is_added_to_it_and_not_taken_for_another():
    report = ranking_report([[1, 0]] * 2, [[1, 2]] * 2, scores="mrr", k=1)
    advice = "Make a report with it: ranking_report(..., scores=['mrr@10'])."
    with raises("at_least", "about results of the report, 'mrr@1'", advice=advice):
        check(report, at_least={"mrr@10": 0.3})
    with raises(
        "max_drop", "about results of the report, 'mrr@1'", advice="Did you mean 'mrr@1'?"
    ):
        check(report, report, max_drop={"mmr@1": 0.3})


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
    with raises("baseline", "result 'mrr'", got="one with 'ndcg'", advice="that both have"):
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
    assert lines[8].startswith("rule 'surely not worse'; 95 % intervals, wider than those of")


def test_the_line_about_the_level_says_what_it_is_for():
    new, old = report_of(OLD, OLD), report_of(OLD, OLD)
    line = "one more query could matter, so that 2 conditions fail by chance in at most 2.5 %"
    assert line in repr(check(new, old, max_drop=0, rule="surely worse"))
    assert repr(check(new, old, max_drop=0)).endswith(
        "passed: 0 of 2 conditions failed\n"
        "rule 'difference'; 95 % intervals for information: the rule looks at the difference alone"
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
