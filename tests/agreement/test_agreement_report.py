"""The report of agreement: the numbers of the functions, the items that moved, and its uses."""

from __future__ import annotations

import html
import pickle

import numpy as np
import pandas as pd
import pytest
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores.agreement import (
    agreement_report,
    average_overlap,
    kendall_tau,
    overlap_at_k,
    pair_rankings,
    rank_biased_overlap,
    tau_ap,
)
from ranking_scores.gates import check
from ranking_scores.report import RankingReport, read_report
from ranking_scores.significance import changes, compare_all, confidence_interval

NAN = np.nan
RNG = np.random.default_rng(0)
N_QUERIES = 40
IDS = [f"q{number:02}" for number in range(N_QUERIES)]
A = {query: dict(zip("abcdefgh", RNG.integers(0, 6, 8).tolist(), strict=True)) for query in IDS}
B = {query: dict(zip("efghijkl", RNG.integers(0, 6, 8).tolist(), strict=True)) for query in IDS}
C = {
    query: {item: score + RNG.integers(0, 2) for item, score in A[query].items()} for query in IDS
}
SCORES = ["overlap@3", "jaccard@3", "average_overlap@5", "rbo@0.8", "kendall_tau", "tau_ap"]
DEVICE = np.array(["tv", "pc"])[np.arange(N_QUERIES) % 2]
USER = np.arange(N_QUERIES) // 3
WEIGHT = RNG.integers(1, 5, N_QUERIES) / 2


def test_the_values_are_those_of_the_functions_to_the_last_bit():
    report = agreement_report(A, B, scores=SCORES)
    expected = [
        overlap_at_k(A, B, 3, average=None),
        overlap_at_k(A, B, 3, denominator="union", average=None),
        average_overlap(A, B, 5, average=None),
        rank_biased_overlap(A, B, 0.8, average=None),
        kendall_tau(A, B, average=None),
        tau_ap(A, B, average=None),
    ]
    assert list(report) == SCORES
    assert [each.tolist() for each in report.per_query.values()] == [
        each.tolist() for each in expected
    ]
    assert report["overlap@3"] == overlap_at_k(A, B, 3)
    assert report.query_ids.tolist() == IDS
    assert agreement_report(pair_rankings(A, B), scores=SCORES) == report


def test_weights_groups_and_clusters_are_those_of_reports():
    weight = dict(zip(IDS[::-1], WEIGHT[::-1].tolist(), strict=True))
    params = {"by": {"device": DEVICE}, "clusters": dict(zip(IDS, USER, strict=True))}
    report = agreement_report(A, B, scores="rbo@0.8", sample_weight=weight, **params)
    assert report["rbo@0.8"] == rank_biased_overlap(A, B, 0.8, sample_weight=WEIGHT)
    half = agreement_report(
        {query: A[query] for query in IDS[::2]},
        B,
        scores="rbo@0.8",
        sample_weight=WEIGHT[::2],
        clusters=USER[::2],
    )
    assert report.by_group["device"]["tv"].mean == half.mean
    assert report.by_group["device"]["tv"].standard_error == half.standard_error
    plain = agreement_report(A, B, scores="rbo@0.8", sample_weight=WEIGHT)
    assert report.standard_error != plain.standard_error
    assert confidence_interval(report).n_clusters == len(set(USER.tolist()))


def test_groups_clusters_and_weights_may_be_of_queries_that_are_left_out():
    a, b = {"q1": ["x"], "q2": ["y"], "old": ["x"]}, {"q1": ["x"], "q2": ["x"], "new": ["x"]}
    of_all = {"q1": 2, "q2": 1, "old": 4, "new": 5}
    table = pd.DataFrame({"query": list(of_all), "group": list(of_all.values())})
    params = {"scores": "overlap@1", "clusters": of_all, "sample_weight": pd.Series(of_all)}
    for x, y in [(a, b), (pd.DataFrame(rows_of(a)), b)]:  # matched as lists, and joined
        reports = [agreement_report(x, y, by=by, **params) for by in (of_all, table)]
        assert reports[0] == reports[1] == agreement_report(x, y, by=[2, 1], **params)
        assert reports[0]["overlap@1"] == 2 / 3
    code = r"{each: by[each] for each in pair_rankings(a, b).query_ids}"
    with raises("by", "a dict from the id", got="values for 'salt', which are no queries,") as no:
        agreement_report(a, b, by=of_all | {"salt": 3})
    assert code in str(no.value)
    with raises("by", "a dict from the id", got="none for 'q2'"):
        agreement_report(a, b, by={"q1": 2, "old": 4})


def rows_of(lists):
    ranks = [(query, item, 1) for query, [item] in lists.items()]
    return dict(zip(("query", "item", "rank"), zip(*ranks, strict=True), strict=True))


def test_the_queries_that_changed_most_have_the_items_that_left_and_came():
    a = {"q1": ["a", "b", "c"], "q2": ["a", "b"], "q3": ["a", "b", "c"]}
    b = {"q1": {"d": 5, "a": 4, "b": 4}, "q2": {"a": 2, "b": 1}, "q3": {"x": 2, "y": 1}}
    report = agreement_report(a, b, scores=["overlap@2", "rbo@.5"], n=2, by=[1, 1, 2])
    q3, q1 = report.changed["overlap@2"]
    assert (q3.query, q3.groups, q3.agreement) == ("q3", {"group": 2}, 0)
    assert q3.left == (("a", (1, 1), None), ("b", (2, 2), None))
    assert q3.came_in == (("x", None, (1, 1)), ("y", None, (2, 2)))
    assert (q1.query, q1.agreement) == ("q1", 0.5)  # a or b is second, and both were there
    assert (q1.left, q1.came_in) == ((), (("d", None, (1, 1)),))
    assert report.changed["rbo@0.5"][1].left == (("c", (3, 3), None),)
    assert len(agreement_report(a, b, n=1).changed["overlap@10"]) == 1
    frame = report.changed_frame()
    assert frame.columns.tolist() == ["score", "query", "agreement", "left", "came_in", "group"]
    assert frame["query"].tolist() == ["q3", "q1", "q3", "q1"]


def test_it_prints_the_queries_of_one_side_and_those_that_changed_most():
    a = {"q1": ["a", "b"], "q2": ["a"], "q4": ["a"]}
    b = {"q1": ["b", "x"], "q2": ["a"], "q3": ["a"], "q5": ["a"]}
    report = agreement_report(a, b, scores="overlap@2")
    text = repr(report)
    assert "changed most in overlap@2\n    overlap@2\nq1     0.5000\n" in text
    assert "q1  a     left     1              not retrieved\n" in text
    assert text.endswith(
        "2 queries\n1 query was only in a, and is left out: 'q4'\n"
        "2 queries were only in b, and are left out: 'q3', 'q5'"
    )
    page = html.unescape(report._repr_html_())
    assert "<b>changed most in overlap@2</b>" in page
    assert page.endswith("<p>2 queries were only in b, and are left out: 'q3', 'q5'</p>")
    assert "**changed most in `overlap@2`**" in report.to_markdown()
    same = agreement_report(a, a, scores="overlap@2")
    assert "changed most" not in repr(same)
    other_order = agreement_report({"q1": ["a", "b"]}, {"q1": ["b", "a"]}, scores="rbo@0.9")
    assert "changed most in rbo@0.9" in repr(other_order)
    assert "items of these queries" not in repr(other_order)
    seen = report.queries_seen
    assert (seen.n_queries, seen.n_both) == (5, 2)
    assert (seen.judged.count, seen.judged.first) == (3, ("q1", "q2", "q4"))
    assert (seen.predicted.count, seen.predicted.first) == (4, ("q1", "q2", "q3"))


def test_one_query_and_one_rank_are_singular():
    a, b = {"q": ["x"]}, {"q": ["y"]}
    with pytest.warns(UserWarning, match="No item of a query is in both a and b"):
        paired = pair_rankings(a, b)
    text = repr(agreement_report(paired, scores="overlap@1"))
    assert "items of these queries that left rank 1 or came in\n" in text
    assert repr(paired) == "PairedRankings: 1 query, 2 items, 0 of them in both"
    assert repr(pair_rankings(a, a)) == "PairedRankings: 1 query, 1 item, 1 of them in both"
    same = agreement_report(a, a, scores="overlap@1")
    assert repr(check(same, at_least=1)).endswith("passed: no condition failed")


def test_arrays_have_queries_and_items_by_position():
    report = agreement_report([[3, 2, 1.0], [3, 2, 1]], [[3, 2, 1], [1, 2, 3]], scores="overlap@1")
    [changed] = report.changed["overlap@1"]
    assert (changed.query, changed.left, changed.came_in) == (
        1,
        ((0, (1, 1), (3, 3)),),
        ((2, (3, 3), (1, 1)),),
    )
    rows = agreement_report([3, 2, 1, 2], [1, 2, 3, 2], qid=["y", "y", "x", "x"], scores="rbo@.9")
    assert rows.query_ids.tolist() == ["x", "y"]


@pytest.mark.parametrize("params", [{}, {"by": {"device": DEVICE}, "clusters": USER}])
def test_a_saved_report_equals_it(tmp_path, params):
    report = agreement_report(A, {**B, "only in b": {"a": 1}}, scores=SCORES, **params)
    report.to_json(tmp_path / "report.json")
    read = read_report(tmp_path / "report.json")
    assert read == report
    assert type(read) is RankingReport
    assert read.queries_seen.lines() == report.queries_seen.lines()
    assert read.options["rbo@0.8"] == {"score": "rbo", "p": "0.8"}
    assert pickle.loads(pickle.dumps(report)).changed == report.changed


def test_reports_of_two_candidates_are_compared():
    near, far = (agreement_report(A, each, scores=SCORES) for each in (C, B))
    found = compare_all({"far": far, "near": near}, correction=None)
    assert (found.difference > 0).all()
    assert (found.pvalue < 0.01).all()
    assert changes(far, near).scores["rbo@0.8"].verdict == "worse"
    other = agreement_report(A, B, scores="rbo@0.7")
    with raises("new", "a report with a score of the old one"):
        changes(other, far)


def test_limits_of_means_stay_in_the_range_of_the_measure():
    a, b = ({f"q{query}": [*items] for query in range(4)} for items in ("ab", "ab"))
    b["q3"] = ["a", "x"]
    report = agreement_report(a, b, scores=["overlap@2", "rbo@0.9"])
    assert confidence_interval(report).high.tolist() == [1, 1]
    assert confidence_interval(report.to_frame()).high.tolist() == [1, 1]


def test_a_gate_needs_no_gold_set():
    old, new = (agreement_report(A, each, scores=SCORES) for each in (C, B))
    result = check(new, at_least={"overlap@3": 0.2, "RBO@.8": 0.99})
    assert [each.verdict for each in result] == ["passed", "failed"]
    assert check(new, old, max_drop={"rbo@0.8": 0.01}).passed is False
    assert check(old, new, max_drop=0, rule="surely not worse").passed is True
    with raises("at_least", "about results of the report"):
        check(new, at_least={"overlap@4": 0.5})


def test_empty_lists_have_no_agreement():
    empty = {"q1": [], "q2": ["a"]}
    report = agreement_report(empty, empty, scores="overlap@1")
    assert report.per_query["overlap@1"].tolist() == pytest.approx([NAN, 1], nan_ok=True)
    assert (report["overlap@1"], report.n_undefined["overlap@1"]) == (1, 1)
    with pytest.warns(UndefinedMetricWarning, match=r"agreement_report.*overlap@1"):
        agreement_report({"q1": []}, {"q1": []}, scores="overlap@1")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("ndcg@10", "one of overlap@10, jaccard@10, average_overlap@10"),
        ("overlap", "a name with a cutoff, a whole number from 1 on, as in 'overlap@10'"),
        ("overlap@0", "a name with a cutoff"),
        ("rbo@1", "a name with a persistence above 0 and below 1, as in 'rbo@0.9'"),
        ("rbo@x", "a name with a persistence"),
        ("tau_ap@3", "without '@' for 'tau_ap', which reads the whole lists"),
        (["rbo@.9", "rank-biased-overlap@0.90"], "names of different measures"),
        ([], "the name of a measure, or a list of names"),
        ([3], "one of overlap@10"),
    ],
)
def test_names_of_measures_are_checked(scores, expected):
    with raises("scores", expected, function="agreement_report"):
        agreement_report(A, B, scores=scores)


def test_a_misspelled_name_gets_a_suggestion():
    with raises("scores", "one of", advice="Did you mean 'overlap'?"):
        agreement_report(A, B, scores="overlp@3")


@pytest.mark.parametrize(
    ("params", "parameter"),
    [
        ({"n": -1}, "n"),
        ({"n": True}, "n"),
        ({"by": DEVICE[:-1]}, "by"),
        ({"by": {"overlap@10": DEVICE}}, "by"),
        ({"clusters": dict(zip(IDS[1:], USER, strict=False))}, "clusters"),
        ({"sample_weight": WEIGHT[1:]}, "sample_weight"),
        ({"sample_weight": WEIGHT * 0}, "sample_weight"),
    ],
)
def test_errors_name_the_parameter(params, parameter):
    with raises(parameter, ""):
        agreement_report(A, B, **params)
