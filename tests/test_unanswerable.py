"""Questions without an answer: what is answered and refused, against a threshold."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from functools import partial

import numpy as np
import pandas as pd
import pytest
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import det_curve

from ranking_scores import from_lists, from_tables, ranking_report, recall_at_k_score
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import compare_all, confidence_interval
from ranking_scores.unanswerable import answer_curve

NAN = float("nan")
RNG = np.random.default_rng(0)
HAS_ANSWER = RNG.random(100) < 0.7
SCORES = RNG.normal(HAS_ANSWER, 1).round(1)  # some questions share a score

GOLD = {"q1": {"a": 1}, "q2": {"b": 1, "c": 0}, "q3": {}, "q4": {"d": 0}, "q5": {}}
FOUND = {
    "q1": {"x": 0.75, "a": 0.5},
    "q2": {"b": 0.25},
    "q3": {"x": 0.5, "y": 0.5},
    "q4": {"d": 0.125},
}


def test_shares_are_those_of_scikit_learn():
    curve = answer_curve(HAS_ANSWER, SCORES)
    # It leaves out thresholds at which all or none of one kind are on one side.
    answered, refused, threshold = det_curve(HAS_ANSWER, SCORES)
    at = np.searchsorted(curve.threshold, threshold[np.isfinite(threshold)])
    assert at.size > 20
    is_finite = np.isfinite(threshold)
    np.testing.assert_array_equal(curve.threshold[at], threshold[is_finite])
    np.testing.assert_allclose(curve.answered[at], answered[is_finite], rtol=1e-15)
    np.testing.assert_allclose(curve.refused[at], refused[is_finite], rtol=1e-15)


def test_intervals_are_those_of_shares_of_the_two_kinds_of_questions():
    """There are fewer than 40 questions without an answer, and more with one."""
    assert (~HAS_ANSWER).sum() < 40 < HAS_ANSWER.sum()
    curve = answer_curve(HAS_ANSWER, SCORES, threshold=0.5, confidence_level=0.9)
    of_answered = confidence_interval((SCORES[~HAS_ANSWER] >= 0.5) * 1.0, confidence_level=0.9)
    of_refused = confidence_interval((SCORES[HAS_ANSWER] < 0.5) * 1.0, confidence_level=0.9)
    assert (of_answered.method, of_refused.method) == ("exact", "wilson")
    for name, found in (("answered", of_answered), ("refused", of_refused)):
        for end in ("", "_low", "_high"):
            expected = getattr(found, end.removeprefix("_") or "mean")
            assert getattr(curve, name + end)[0] == pytest.approx(expected, rel=1e-12)
    assert curve._notes()[-1] == "90 % intervals: Clopper and Pearson, Wilson"


def test_the_score_of_a_query_is_that_of_its_first_item():
    data = from_lists(GOLD, FOUND)
    curve = answer_curve(data)
    assert curve.has_answer.tolist() == [True, True, False, False, False]
    assert curve.scores.tolist() == [0.75, 0.25, 0.5, 0.125, -np.inf]
    assert curve.query_ids.tolist() == ["q1", "q2", "q3", "q4", "q5"]
    assert (curve.n_queries, curve.n_no_answer, curve.n_with_list) == (5, 3, 2)
    assert curve.threshold.tolist() == [0.125, 0.25, 0.5, 0.75]
    np.testing.assert_allclose(curve.answered, [2 / 3, 1 / 3, 1 / 3, 0])
    np.testing.assert_allclose(curve.refused, [0, 0, 0.5, 0.5])
    by_hand = answer_curve(curve.has_answer, curve.scores, query_ids=data.query_ids)
    assert by_hand == curve


def test_a_threshold_of_relevance_decides_which_queries_have_an_answer():
    table = {"q": ["a", "a", "b"], "item": ["x", "y", "x"], "label": [1, 2, 1]}
    found = {"q": ["a", "b"], "item": ["x", "x"], "score": [0.5, 0.25]}
    data = from_tables(table, found, query="q", item="item", label="label", score="score")
    assert answer_curve(data, relevance_threshold=2).has_answer.tolist() == [True, False]
    with raises("relevance_threshold", "above 0"):
        answer_curve(data, relevance_threshold=0)


def test_dicts_are_matched_by_their_ids():
    curve = answer_curve({"a": 1, "b": 0, "c": 0}, {"c": 3.0, "a": 1.0, "b": 2.0})
    assert curve.query_ids.tolist() == ["a", "b", "c"]
    assert curve.scores.tolist() == [1, 2, 3]
    series = pd.Series({"a": 1, "b": 0, "c": 0}), pd.Series({"a": 1.0, "b": 2.0, "c": 3.0})
    assert answer_curve(*series, query_ids=["a", "b", "c"]) == curve


def test_thresholds_keep_their_order():
    curve = answer_curve([1, 0], [2, 1], threshold=[2, 0, 1.5])
    assert curve.threshold.tolist() == [2, 0, 1.5]
    assert curve.answered.tolist() == [0, 1, 0]
    assert curve.refused.tolist() == [0, 0, 0]
    assert len(answer_curve([1, 0], [2, 1], threshold=1)) == 1


def test_a_curve_prints_as_a_table_and_is_a_frame():
    curve = answer_curve([1, 1, 0, 0], [0.8, 0.5, 0.5, -np.inf])
    assert repr(curve).splitlines() == [
        "threshold  answered  answered low  answered high  refused  refused low  refused high",
        "0.5          0.5000        0.0126         0.9874   0.0000       0.0000        0.8419",
        "0.8          0.0000        0.0000         0.8419   0.5000       0.0126        0.9874",
        "",
        "answered: share of 2 queries without an answer; 1 got a list",
        "refused: share of 2 queries with an answer",
        "95 % intervals: Clopper and Pearson",
    ]
    assert curve.to_markdown().startswith("| threshold | answered |")
    assert "<td>0.9874</td>" in curve._repr_html_()
    frame = curve.to_frame()
    assert frame.columns[:2].tolist() == ["threshold", "answered"]
    assert frame["refused_high"].tolist() == curve.refused_high.tolist()
    long = answer_curve(HAS_ANSWER, SCORES)
    lines = repr(long).splitlines()
    n_shown = lines.index("") - 1
    assert n_shown < len(long.threshold) == len(long.to_frame())
    first, last = (f"{long.threshold[place]:.6g} " for place in (0, -1))
    assert lines[1].startswith(first)
    assert lines[n_shown].startswith(last)
    assert f"{len(long) - n_shown} more thresholds between these" in lines
    assert "1 more threshold between" in repr(answer_curve([0] + [1] * 12, range(13)))


def test_curves_are_results():
    curve = answer_curve(HAS_ANSWER, SCORES)
    assert pickle.loads(pickle.dumps(curve)) == curve
    assert curve != answer_curve(HAS_ANSWER, SCORES, confidence_level=0.9)
    with pytest.raises(ValueError, match="read-only"):
        curve.scores[0] = 1
    with pytest.raises(FrozenInstanceError):
        curve.n_queries = 1


@pytest.mark.parametrize(
    ("params", "parameter", "expected", "got"),
    [
        ({"y_score": None}, "y_score", "given, unless y_true", ""),
        ({"y_score": [1, 2, 3]}, "y_score", "of shape (2,)", "shape (3,)"),
        ({"y_score": [1, np.nan]}, "y_score", "finite, or -inf", "NaN or infinity"),
        ({"y_score": [1, np.inf]}, "y_score", "finite, or -inf", "NaN or infinity"),
        ({"y_score": [1, 1]}, "y_score", "the scores of the questions differ", "1 for each"),
        ({"y_score": [-np.inf] * 2}, "y_score", "the scores of the questions differ", "none"),
        ({"y_true": [1, 2]}, "y_true", "only bools, or 0 and 1", "2"),
        ({"y_true": [1, np.nan]}, "y_true", "only bools, or 0 and 1", "nan"),
        ({"y_true": [1, 1]}, "y_true", "some questions have", "2 questions, which all have an"),
        ({"y_true": [0, 0]}, "y_true", "some questions have", "2 questions, which all have none"),
        ({"y_true": [[1], [0]]}, "y_true", "of shape (n_queries,)", "`y_true.any(axis=1)`"),
        ({"y_true": []}, "y_true", "of shape (n_queries,)", "shape (0,)"),
        ({"y_true": {"a": 1, "b": 0}}, "y_score", "a dict by query id", "Got ["),
        ({"y_score": {"a": 1, "b": 0}}, "y_true", "a dict by query id", "Got ["),
        ({"query_ids": ["a"]}, "query_ids", "one id per query", "shape (1,)"),
        ({"query_ids": ["a", "a"]}, "query_ids", "unique", "'a' more than once"),
        ({"y_score": [2**60, 2**60 + 1]}, "y_score", "float64 holds the scores", "larger ints"),
        ({"threshold": [np.nan]}, "threshold", "a finite number", "NaN or infinity"),
        ({"threshold": []}, "threshold", "a finite number", "shape (0,)"),
        ({"threshold": [[1]]}, "threshold", "a finite number", "shape (1, 1)"),
        ({"relevance_threshold": 1}, "relevance_threshold", "None, since y_true says", "1"),
        ({"confidence_level": 95}, "confidence_level", "between 0 and 1", "95"),
        (
            {"y_true": {"a": 1}, "y_score": {"a": 1.0}, "query_ids": ["a"]},
            "query_ids",
            "the keys of the dicts",
            "['a']",
        ),
    ],
)
def test_what_is_refused(params, parameter, expected, got):
    with raises(parameter, expected) as caught:
        answer_curve(**{"y_true": [1, 0], "y_score": [2, 1]} | params)
    assert got in str(caught.value)


def test_what_is_refused_of_data_by_id():
    data = from_lists(GOLD, FOUND)
    with raises("y_score", "left out, since y_true has it"):
        answer_curve(data, [1, 2, 3, 4, 5])
    with raises("query_ids", "left out, since y_true has it"):
        answer_curve(data, query_ids=list("abcde"))
    ranks_alone = from_lists(GOLD, {"q1": ["a"], "q3": ["x"]})  # no scores
    with raises("y_true", "the scores of the questions differ", advice="have only ranks"):
        answer_curve(ranks_alone)
    with pytest.raises(ValueError, match="indexed like y_true"):
        answer_curve(pd.Series([1, 0], index=["a", "b"]), pd.Series([1, 2], index=["b", "a"]))


def test_queries_that_nobody_judged_and_lists_without_scores_are_refused():
    found = {**FOUND, "q9": {"a": 0.5}}
    data = from_lists(GOLD, found, queries="all")
    for call in (answer_curve, partial(ranking_report, scores="recall", k=2, no_answer=True)):
        with raises("y_true", "of judged queries", got="1 query not judged: 'q9'"):
            call(data)
    mixed = from_lists({"q1": ["a"], "q2": []}, {"q1": ["a"], "q2": [("x", 0.9)]})
    with raises("y_true", "such that all lists have scores", function="answer_curve"):
        answer_curve(mixed)


def test_thresholds_have_the_dtype_of_the_scores():
    scores = np.array([0.7, 0.5, 0.7, 0.2], np.float32)
    curve = answer_curve([1, 1, 0, 0], scores, threshold=0.7)
    assert (curve.answered[0], curve.refused[0]) == (0.5, 0.5)
    assert curve.scores.dtype == np.float64


def test_no_query_with_a_list_has_no_score():
    with raises("y_true", "the scores of the questions differ", got="none"):
        answer_curve(from_lists({"q1": ["a"], "q2": []}, {"q1": [], "q2": []}))


# --- in a report ---------------------------------------------------------------------------------


def report_of(gold=GOLD, found=FOUND, scores=("recall", "dcg"), **params):
    return ranking_report(from_lists(gold, found), scores=scores, k=2, no_answer=True, **params)


def test_a_report_has_the_share_of_empty_lists_beside_scores_of_the_others():
    report = report_of()
    assert report.per_query["no_answer"].tolist() == pytest.approx(
        [NAN, NAN, 0, 0, 1], nan_ok=True
    )
    with_answer = {name: GOLD[name] for name in ("q1", "q2")}
    alone = ranking_report(from_lists(with_answer, FOUND), scores=["recall", "dcg"], k=2)
    for name in alone:  # also DCG, which is 0 and not undefined without a relevant item
        assert report[name] == alone[name]
        assert report.standard_error[name] == alone.standard_error[name]
        assert report.n_undefined[name] == 3
    assert report["no_answer"] == pytest.approx(1 / 3)
    assert report.n_undefined["no_answer"] == 2
    assert repr(report).splitlines()[-4:] == [
        "5 queries",
        "1 query was judged but not predicted, and has an empty list: 'q5'",
        "no_answer: 3 queries have no answer. Other scores leave them out; the system returned "
        "something for 2 of them",
        "no query has more than one relevant item, so recall is hit rate",
    ]
    with pytest.warns(UserWarning, match=r"\(recall@2\): all scores are equal"):
        t = confidence_interval(report, method="t")
    assert t.low[-1] == 0  # that of Student's t is below
    assert confidence_interval(report).method[-1] == "exact"


def test_a_report_of_arrays_has_it_too_with_weights_groups_and_ties():
    y_true, y_score = [[0, 0], [1, 0], [0, 0]], [[1, 1], [2, 2], [3, 3]]
    where = [[False, False], [True, True], [True, True]]
    params = {"where": where, "sample_weight": [3, 1, 1], "scores": "recall@1", "ties": True}
    by = ["a", "c", "b"]
    # Not of "no_answer": a group in which all questions have an answer is as it should be.
    with pytest.warns(
        UndefinedMetricWarning, match=r"\(recall@1 of group=a, recall@1 of group=b\)"
    ):
        report = ranking_report(
            y_true, y_score, no_answer=True, by=by, chance=True, **params, k=None
        )
    assert report["no_answer"] == report.best["no_answer"] == report.chance["no_answer"] == 0.75
    assert (report["recall@1"], report.worst["recall@1"], report.chance["recall@1"]) == (
        0.5,
        0,
        0.5,
    )
    groups = report.by_group["group"]
    assert (groups["a"]["no_answer"], groups["b"]["no_answer"]) == (1, 0)
    assert np.isnan(groups["c"]["no_answer"])


def test_the_lowest_relevant_label_decides_in_a_report():
    gold = {"q1": {"a": 1}, "q2": {"b": 2}}
    report = report_of(gold, FOUND, "recall", relevance_threshold=2)
    assert report.per_query["no_answer"].tolist() == pytest.approx([0, NAN], nan_ok=True)


def test_a_saved_report_says_as_much_as_it_knows(tmp_path):
    report = report_of()
    for per_query in (True, False):
        report.to_json(tmp_path / "report.json", per_query=per_query)
        read = read_report(tmp_path / "report.json")
        assert read["no_answer"] == report["no_answer"]
        line = "no_answer: 3 queries have no answer. Other scores leave them out"
        assert line in repr(read)
        assert ("something for 2 of them" in repr(read)) == per_query


def test_comparisons_and_gates_take_the_share():
    report = report_of(scores="recall")
    better = report_of(found=FOUND | {"q3": {}, "q4": {}}, scores="recall")
    found = compare_all({"old": report, "new": better})
    assert found[1].metric == "no_answer"
    assert found[1].difference == pytest.approx(2 / 3)
    passed = check(better, report, max_drop=0)
    assert [each.verdict for each in passed] == ["passed", "passed"]
    assert "has an empty list: 'q5'" in repr(passed)
    assert not check(report, at_least={"no_answer": 0.5}).passed


def test_a_score_of_this_name_is_no_share_of_empty_lists():
    data = from_lists(GOLD, FOUND)
    report = ranking_report(data, scores={"no_answer": "recall"}, k=None)
    assert "the system returned" not in repr(report)
    with raises("scores", "a name of its own", got="'no_answer' twice"):
        ranking_report(data, scores={"no_answer": "recall"}, k=None, no_answer=True)


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"human": [[1, 0]]}, "if there is `human`"),
        ({"unjudged": True}, "if there is `unjudged`"),
        ({"item_weight": [[1, 2]], "scores": "ndcg"}, "if there is `item_weight`"),
        ({"y_true": [1, 0], "y_score": [2, 1], "qid": [1, 1]}, "if there is `qid`"),
        ({"y_true": [0, 1], "y_score": [[2, 1], [1, 2]]}, "class labels"),
        ({"scores": "trec_eval:map"}, "measures of other programs"),
        ({"scores": [partial(recall_at_k_score, k=1, relevance_threshold=2)]}, "of the report"),
    ],
)
def test_what_a_report_refuses_beside_it(params, key):
    with raises("no_answer", key):
        ranking_report(**{"y_true": [[1, 0]], "y_score": [[2, 1]], "no_answer": True} | params)
