"""Queries that need several things: scores over the aspects of each query."""

from __future__ import annotations

import json
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reference
from raising import raises

from ranking_scores import (
    StreamingScore,
    all_relevant_at_k_score,
    alpha_ndcg_score,
    hit_rate_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    scale,
    weighted_labels,
)
from ranking_scores.__main__ import main
from ranking_scores._queries import _over_aspects
from ranking_scores._tables import _trec_files
from ranking_scores.conventions import like
from ranking_scores.explain import explain_difference, explain_query
from ranking_scores.plotting import RankingCurveDisplay, RankingDisplay
from ranking_scores.report import read_report
from ranking_scores.significance import changes, compare, compare_all
from ranking_scores.tables import from_lists, from_tables, read_json
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.trec import read_qrels, to_pytrec_eval, write_run
from ranking_scores.unanswerable import answer_curve
from ranking_scores.unjudged import items_to_judge, score_bounds

TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py
SCORES = [
    "ndcg@2", "ndcg", "dcg", "map", "mrr@3", "hit_rate@2", "precision@2", "recall@3", "f1@3",
    "r_precision", "err@3", "rbp", "bpref", "judged@3",
]  # fmt: skip

GOLD = {
    "q1": {"who": ["d1", "d7"], "when": ["d9"]},
    "q2": {"who": ["d3"], "why": []},
    "q3": {},
}
FOUND = {"q1": ["d7", "d2", "d9"], "q2": ["d4", "d3"], "q3": ["d1"]}


def drawn(seed, *, graded):
    """Return judgments of aspects and predictions with ties, of seven queries."""
    rng = np.random.default_rng(seed)
    gold, found = {}, {}
    for query in map("q{}".format, range(7)):
        items = [f"d{number}" for number in range(12)]
        gold[query] = {}
        for aspect in range(rng.integers(0, 4)):
            some = rng.permutation(items)[: rng.integers(0, 5)].tolist()
            grades = {item: int(rng.integers(0, 3)) for item in some}
            gold[query][f"a{aspect}"] = grades if graded else some
        scores = rng.integers(0, 4, 12) / 4
        found[query] = {
            item: float(score) for item, score in zip(items[2:9], scores, strict=False)
        }
    return gold, found


def aspect_by_aspect(gold, found, **options):
    """Return the mean over the aspects of each query, of which each is scored alone."""
    queries = [(query, aspect) for query in sorted(gold) for aspect in gold[query]]
    data = from_lists(
        [gold[query][aspect] for query, aspect in queries], [found[query] for query, _ in queries]
    )
    report = ranking_report(data, **options)
    means = {}
    for name, values in report.per_query.items():
        of_query = {query: [] for query in sorted(gold)}
        for (query, _), value in zip(queries, values, strict=True):
            of_query[query].append(value)
        means[name] = [np.mean(each) if each else 0.0 for each in of_query.values()]
    return means


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_score_is_the_mean_over_the_aspects_of_each_query(seed, graded, k):
    gold, found = drawn(seed, graded=graded)
    scores = SCORES if k is None else ["ndcg", "map", "hit_rate", "err"]
    options = {"scores": scores, "k": k, "max_grade": 2}
    report = ranking_report(from_lists(gold, found, aspects=True), **options)
    for name, expected in aspect_by_aspect(gold, found, **options).items():
        np.testing.assert_allclose(report.per_query[name], expected, atol=TOLERANCE, rtol=0)


def test_one_aspect_of_each_query_has_the_bits_of_lists_without_aspects():
    gold = {"q1": {"d1": 2, "d7": 1}, "q2": {"d3": 1}, "q3": {}}
    expected = ranking_report(from_lists(gold, FOUND), scores=["ndcg", "map", "rbp"])
    data = from_lists({query: {"it": own} for query, own in gold.items()}, FOUND, aspects=True)
    assert ranking_report(data, scores=["ndcg", "map", "rbp"]) == expected


@pytest.mark.parametrize("replacement", [0.0, 0.25, np.nan])
def test_what_replaces_an_undefined_score_replaces_that_of_an_aspect(replacement):
    data = from_lists(GOLD, FOUND, aspects=True)
    options = {"k": 2, "average": None, "replace_undefined_by": replacement}
    values = hit_rate_score(data, **options)
    # Nothing answers the why of q2, and q3 asks for nothing.
    of_second = 1.0 if np.isnan(replacement) else (1 + replacement) / 2
    np.testing.assert_array_equal(values, [0.5, of_second, replacement])
    report = ranking_report(data, scores="hit_rate", k=2, replace_undefined_by=replacement)
    assert report.n_undefined == {"hit_rate@2": 1}


def test_queries_come_in_all_forms():
    expected = [1.0, 0.5]
    for gold, found in [
        ([{"x": [{"id": "a"}], "y": ["b"]}, {"x": {"c"}, "y": ("d",)}],
         [["b", "a"], ["c"]]),
        ([{"x": {"a": 1}, "y": {"b": 2}}, {"x": {"c": 1}, "y": {"d": 1}}, None],
         [["b", "a"], ["c"], ["d"]]),
        ([{"x": np.array([1]), "y": [2]}, {"x": [3], "y": [4]}], [[2, 1], [3]]),
    ]:  # fmt: skip
        values = hit_rate_score(from_lists(gold, found, aspects=True), k=2, average=None)
        assert values.tolist()[:2] == expected


def test_queries_that_only_one_side_has_are_chosen_as_without_aspects():
    found = {"q9": ["d1"], **FOUND}
    del found["q2"]
    data = from_lists(GOLD, found, aspects=True)
    assert hit_rate_score(data, k=3, average=None).tolist() == [1.0, 0.0, 0.0]
    data = from_lists(GOLD, found, aspects=True, queries="all")
    assert data.query_ids.tolist() == ["q1", "q2", "q3", "q9"]
    assert hit_rate_score(data, k=3, average=None).tolist() == [1.0, 0.0, 0.0, 0.0]
    data = from_lists(GOLD, found, aspects=True, queries="both")
    assert hit_rate_score(data, k=3, average=None).tolist() == [1.0, 0.0]


def test_passages_become_documents():
    gold = {"q": {"who": ["a#1", "a#2"], "when": {"b#7": 2}}}
    found = {"q": ["c#1", "a#9", "b#1", "a#1"]}
    with raises(
        "relevant", "each item once", got="item 'a' more than once for query ('q', 'who')"
    ):
        from_lists({"q": {"who": ["a#1", "a#2"]}}, found, aspects=True, split="#")
    options = {"aspects": True, "split": "#", "duplicates": "best"}
    del gold["q"]["when"]
    assert hit_rate_score(from_lists(gold, found, **options), k=2) == 1.0
    gold = {"q": {"who": {"a#1": 1, "a#2": 3}, "when": {"b#7": 2, "b#8": 0}}}
    data = from_lists(gold, found, **options)
    assert data.judged_items().labels.tolist() == [3, 2]  # the highest grades


def test_the_query_itself_is_dropped():
    gold = {"q1": {"x": ["d1"], "y": ["q1"]}}
    data = from_lists(gold, {"q1": ["q1", "d1"]}, aspects=True, drop_self=True)
    assert hit_rate_score(data, k=1) == 0.5


def test_labels_are_unknown_for_aspects_that_do_not_judge_them():
    gold = {"q": {"x": {"a": 1, "b": 0}, "y": {"c": 1}}}
    data = from_lists(gold, {"q": ["a", "b", "c"]}, aspects=True)
    report = ranking_report(data, scores=["judged"], k=[2, 3])
    np.testing.assert_allclose(report.per_query["judged@2"], [(2 / 2 + 0) / 2])
    np.testing.assert_allclose(report.per_query["judged@3"], [(2 / 3 + 1 / 3) / 2])


@pytest.mark.filterwarnings("ignore:No judged item")
def test_free_ranks_are_judged_for_all_aspects():
    run = [{"topic": "q1", "doc": "d1", "rank": 1}, {"topic": "q1", "doc": "d5", "rank": 3}]
    table = {name: TABLE[name][:2] for name in ("topic", "fact", "doc", "grade")}
    report = ranking_report(from_tables(table, run, **NAMES), scores=["judged"], k=[1, 3])
    # The second rank is free. For "who" d1 was judged, and for "when" neither d1 nor d5 was.
    without = {name: NAMES[name] for name in NAMES if name != "aspect"}
    alone = [
        ranking_report(
            from_tables({name: [each[place]] for name, each in table.items()}, run, **without),
            scores=["judged"],
            k=[1, 3],
        )
        for place in range(2)
    ]
    for name, mean in report.items():
        assert mean == pytest.approx(np.mean([each[name] for each in alone]), abs=TOLERANCE)


def test_gains_of_0_and_thresholds_see_all_items():
    data = from_lists(GOLD, FOUND, aspects=True)
    found = precision_at_k_score(data, k=2, relevance_threshold=0, average=None)
    assert found.tolist() == [1.0, 1.0, 0.5]
    gain = lambda labels: labels + 1  # noqa: E731
    assert ndcg_score(data, gain=gain, k=1) < 1


def test_reports_say_so_and_keep_it(tmp_path):
    data = from_lists(GOLD, FOUND, aspects=True)
    report = ranking_report(data, scores="hit_rate", k=2, by={"kind": ["a", "a", "b"]})
    assert str(report).splitlines()[-1] == "scores are over the aspects of each query"
    assert report.by_group["kind"]["a"]["hit_rate@2"] == 0.5
    report.to_json(tmp_path / "report.json")
    again = read_report(tmp_path / "report.json")
    assert again == report == pickle.loads(pickle.dumps(report))
    assert "over the aspects" in str(again)
    assert report.judgments.n_items == 4
    plain = ranking_report(from_lists([["d7"], ["d3"], []], list(FOUND.values())), k=2)
    assert "aspects" not in str(plain)


def test_digests_of_judgments_tell_aspects_apart():
    digests = set()
    for gold in (GOLD, {**GOLD, "q1": {"how": ["d1", "d7"], "when": ["d9"]}},
                 {**GOLD, "q1": {"who": ["d1"], "when": ["d9", "d7"]}},
                 {"q1": ["d1", "d7", "d9"], "q2": ["d3"], "q3": []}):  # fmt: skip
        data = from_lists(gold, FOUND, aspects="who" in gold["q1"] or "how" in gold["q1"])
        digests.add(ranking_report(data, scores="ndcg").judgments.digest)
    assert len(digests) == 4


def test_systems_are_compared_over_aspects():
    one, other = (
        from_lists(GOLD, found, aspects=True) for found in (FOUND, {**FOUND, "q1": ["d7", "d9"]})
    )
    table = compare_all({"one": one, "other": other}, scores="hit_rate@2")
    assert "hit_rate@2" in str(table)
    reports = [ranking_report(each, scores="hit_rate", k=2) for each in (one, other)]
    assert compare(*reports).difference == pytest.approx(1 / 6)
    plain = ranking_report(
        from_lists({"q1": ["d1"], "q2": ["d3"], "q3": []}, FOUND), scores="hit_rate", k=2
    )
    kinds = "over the aspects of its queries", "without aspects"
    for pair, (expected, got) in ((plain, reports[0]), kinds[::-1]), ((reports[0], plain), kinds):
        with raises("system_b", f"{expected}, like system_a", got=f"one {got}", advice="neither"):
            compare(*pair)


def test_data_shows_its_aspects():
    data = from_lists(GOLD, FOUND, aspects=True)
    lines = str(data).splitlines()
    assert lines[:4] == [
        "RankingData from lists",
        "queries             3 judged, 3 predicted, 3 both",
        "aspects             4; per query 0 to 2, median 2",
        "judged items        4; per query 0 to 3, median 1",
    ]
    assert lines[6].split() == ["labels", "1", "(4", "times)"]
    assert data.y_score.shape == (3, 6)
    assert data.item_ids.tolist() == ["d1", "d2", "d3", "d4", "d7", "d9"]
    assert data.prediction_order is not None
    with pytest.raises(AttributeError, match="a label for each aspect"):
        _ = data.y_true
    with pytest.raises(AttributeError, match="a label for each aspect"):
        _, _ = data


TABLE = {
    "topic": ["q1", "q1", "q2", "q1", "q2", "q2"],
    "fact": ["who", "when", "who", "who", "why", "why"],
    "doc": ["d1", "d9", "d3", "d7", "d3", "d8"],
    "grade": [1, 1, 2, 1, 1, 0],
    "weight": [3.0, 1, 1, 3, 0.5, 0.5],
}
RUN = [
    {"topic": query, "doc": item, "rank": rank}
    for query, items in FOUND.items()
    for rank, item in enumerate(items, 1)
]
NAMES = {"query": "topic", "item": "doc", "rank": "rank", "label": "grade", "aspect": "fact"}
AS_LISTS = {
    "q1": {"who": {"d1": 1, "d7": 1}, "when": {"d9": 1}},
    "q2": {"who": {"d3": 2}, "why": {"d3": 1, "d8": 0}},
}
WEIGHTS = {"q1": {"who": np.float16(3), "when": 1}, "q2": {"who": 1, "why": 0.5}}


@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize("has_weights", [False, True])
def test_tables_have_the_bits_of_lists(has_weights, k):
    weights = {"aspect_weight": WEIGHTS} if has_weights else {}
    columns = {"aspect_weight": "weight"} if has_weights else {}
    data = from_lists(AS_LISTS, FOUND, aspects=True, **weights)
    expected = ranking_report(data, scores=["ndcg", "hit_rate", "err"], k=k or 3, max_grade=2)
    for table in (TABLE, pd.DataFrame(TABLE)):
        data = from_tables(table, RUN, **NAMES, **columns)
        report = ranking_report(data, scores=["ndcg", "hit_rate", "err"], k=k or 3, max_grade=2)
        assert report.judgments == expected.judgments
        assert report == expected
    one = ranking_report(from_tables(TABLE, RUN, **NAMES), scores="ndcg").judgments
    assert (one.digest == expected.judgments.digest) is not has_weights


def test_tables_need_no_labels():
    names = {**NAMES, "label": None}
    table = {name: TABLE[name][:4] for name in ("topic", "fact", "doc")}
    data = from_tables(table, RUN, **names)
    assert hit_rate_score(data, k=2, average=None).tolist() == [0.5, 1.0]


def test_aspects_weigh_in_the_mean_of_their_query():
    data = from_lists(AS_LISTS, FOUND, aspects=True, aspect_weight=WEIGHTS)
    assert hit_rate_score(data, k=2, average=None).tolist() == [0.75, 1.0]
    weights = {"q1": {"who": 0, "when": 2}, "q2": {"who": 0, "why": 0}}
    data = from_lists(AS_LISTS, FOUND, aspects=True, aspect_weight=weights)
    options = {"k": 3, "average": None, "replace_undefined_by": np.nan}
    np.testing.assert_array_equal(hit_rate_score(data, **options), [1.0, np.nan])
    in_order = [list(each.values()) for each in (AS_LISTS, WEIGHTS, FOUND)]
    data = from_lists(in_order[0], in_order[2][:2], aspects=True, aspect_weight=in_order[1])
    assert hit_rate_score(data, k=2, average=None).tolist() == [0.75, 1.0]


BAD_WEIGHTS = {
    "no dict": ([1], "a dict by the ids", None),
    "number": ({"q1": 1, "q2": {"who": 1, "why": 1}}, "a dict of aspects", "1 for query 'q1'"),
    "none": (
        {**WEIGHTS, "q1": {"who": 1}},
        "each aspect",
        "none of aspect 'when' for query 'q1'",
    ),
    "other": (
        {**WEIGHTS, "q3": {"x": 1}},
        "each aspect",
        "one of aspect 'x', which relevant does not have, for query 'q3'",
    ),
    "negative": (
        {**WEIGHTS, "q2": {"who": -1, "why": 1}},
        "from 0",
        "-1 for query ('q2', 'who')",
    ),
    "large": (
        {**WEIGHTS, "q2": {"who": 1, "why": 1e308}},
        "to 1e+300",
        "1e+308 for query ('q2', 'why')",
    ),
    "text": ({**WEIGHTS, "q2": {"who": "1", "why": 1}}, "a number", "'1' for query ('q2', 'who')"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_weights_of_aspects_that_are_wrong_are_named(name):
    weights, expected, got = BAD_WEIGHTS[name]
    with raises("aspect_weight", expected, function="from_lists", got=got):
        from_lists(AS_LISTS, FOUND, aspects=True, aspect_weight=weights)


def test_weights_need_aspects():
    with raises("aspect_weight", "None unless aspects=True"):
        from_lists({"q": ["a"]}, {"q": ["a"]}, aspect_weight={"q": {"x": 1}})
    with raises("aspect_weight", "None unless `aspect`"):
        from_tables(TABLE, RUN, **{**NAMES, "aspect": None}, aspect_weight="weight")
    with raises("aspect_weight", "a sequence, like relevant"):
        from_lists([{"x": ["a"]}], [["a"]], aspects=True, aspect_weight={"q": {"x": 1}})


@pytest.mark.parametrize(
    ("column", "value", "expected", "got"),
    [
        ("weight", 2.0, "the same number", "2.0 in row 3"),
        ("weight", -3.0, "from 0", "-3.0 in row 3"),
        ("weight", None, "a weight in each row", "null or NaN in row 3"),
        ("fact", None, "an id in each row", "null in row 3, of query 'q1',"),
        ("doc", "d1", "once per aspect", "item 'd1' more than once for query ('q1', 'who')"),
    ],
)
def test_columns_of_aspects_that_are_wrong_are_named(column, value, expected, got):
    values = list(TABLE[column])
    values[3] = value
    with raises("judgments", expected, got=got):
        from_tables({**TABLE, column: values}, RUN, **NAMES, aspect_weight="weight")


def test_qrels_have_aspects_in_their_second_field(tmp_path):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 who d1 1\nq1 who d7 1\nq1 when d9 1\n")
    names = {
        "query": ("query", "topic"),
        "item": ("item", "doc"),
        "rank": "rank",
        "label": "label",
    }
    data = from_tables(read_qrels(qrels, aspects=True), RUN, **names, aspect="aspect")
    assert hit_rate_score(data, k=2) == 0.5
    assert "aspect" not in read_qrels(qrels)


def test_json_has_aspects_in_both_forms(tmp_path):
    of_queries, of_items = tmp_path / "queries.jsonl", tmp_path / "items.jsonl"
    lines = [
        {"query": query, "relevant": relevant, "retrieved": FOUND[query]}
        for query, relevant in AS_LISTS.items()
    ]
    of_queries.write_text("\n".join(map(json.dumps, lines)))
    rows = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]
    of_items.write_text("\n".join(map(json.dumps, rows)))
    found = {query: FOUND[query] for query in AS_LISTS}
    expected = ranking_report(from_lists(AS_LISTS, found, aspects=True), scores="ndcg")
    content = read_json(of_queries)
    data = from_lists(content["relevant"], content["retrieved"], aspects=True)
    assert ranking_report(data, scores="ndcg") == expected
    table = read_json(of_items, query="topic", item="doc")
    assert ranking_report(from_tables(table, RUN[:5], **NAMES), scores="ndcg") == expected
    by_query = tmp_path / "gold.json"
    by_query.write_text(json.dumps(AS_LISTS))
    data = from_lists(read_json(by_query), found, aspects=True)
    assert ranking_report(data, scores="ndcg") == expected


OF_SCALE = {"y_true": "label", "y_score": "score", "qid": "query"}
DOORS = {
    "tie_report": (lambda data: tie_report(data, score="ndcg"), "y_true"),
    "score_bounds": (lambda data: score_bounds(data, score="ndcg"), "y_true"),
    "items_to_judge": (lambda data: items_to_judge(data, score="ndcg"), "data"),
    "explain_query": (lambda data: explain_query(data, query=0, score="trec_eval:map"), "y_true"),
    "answer_curve": (answer_curve, "y_true"),
    "weighted_labels": (lambda data: weighted_labels(data, {"d1": 1}), "y_true"),
    "explain_difference": (
        lambda data: explain_difference(data, score="ndcg", value=0.5),
        "y_true",
    ),
    "StreamingScore.update": (lambda data: StreamingScore("ndcg").update(data), "y_true"),
    "RankingCurveDisplay.from_predictions": (
        lambda data: RankingCurveDisplay.from_predictions(data, score="ndcg"),
        "y_true",
    ),
    "RankingDisplay.from_predictions": (
        lambda data: RankingDisplay.from_predictions(data, score="ndcg", query=0),
        "y_true",
    ),
    "scale.report": (lambda data: scale.report(data, **OF_SCALE), "data"),
    "scale.per_query": (lambda data: scale.per_query(data, **OF_SCALE), "data"),
    "scale.report_tables": (
        lambda data: scale.report_tables(RUN, data, query="q", item="i", rank="r", label=None),
        "predictions",
    ),
    "trec_eval:ndcg": (lambda data: like("trec_eval", "ndcg")(data), "y_true"),
}


@pytest.mark.parametrize("function", DOORS)
def test_what_does_not_take_aspects_refuses_them_by_name(function):
    call, parameter = DOORS[function]
    with raises(parameter, "without aspects", got="RankingData over aspects") as caught:
        call(from_lists(GOLD, FOUND, aspects=True))
    assert caught.value.function.startswith(function[:4])


def test_second_systems_over_aspects_are_refused():
    plain = from_lists({"q1": ["d1"], "q2": ["d3"], "q3": []}, FOUND)
    data = from_lists(GOLD, FOUND, aspects=True)
    for call in (
        partial(score_bounds, score="ndcg"),
        partial(items_to_judge, score="ndcg"),
        partial(explain_query, query="q1", score="ndcg"),
    ):
        with raises("other", "without aspects"):
            call(plain, other=data)
    report = ranking_report(data, scores="ndcg", k=2)
    with raises("data_new", "without aspects"):
        changes(report, report, data_new=data)


@pytest.mark.parametrize("option", ["ties", "chance", "unjudged", "human"])
def test_options_of_reports_that_do_not_know_aspects_refuse_them(option):
    data = from_lists(GOLD, FOUND, aspects=True)
    with raises(option, "if y_true is over aspects", function="ranking_report"):
        ranking_report(data, scores="ndcg", **{option: data if option == "human" else True})


def test_weights_of_items_and_dense_scores_are_refused():
    data = from_lists(GOLD, FOUND, aspects=True)
    with raises("item_weight", "None if y_true is over aspects", advice="weigh these"):
        ndcg_score(data, item_weight=np.ones((3, 6)))
    with raises("y_score", "left out"):
        ndcg_score(data, [[1.0]])
    with raises("y_true", "labels of which all items are ranked"):
        chance_level(data, score="ndcg")
    with pytest.raises((AttributeError, TypeError)):
        to_pytrec_eval(data, None)
    with pytest.raises((AttributeError, TypeError)):
        write_run("nowhere", data, None)


BAD = {
    "lists": ({"q": ["a"]}, "a dict of aspects", "['a'] for query 'q'"),
    "no dict": ({"q": {"x": "a"}}, "a list of ids or a dict", "'a' for query ('q', 'x')"),
    "id": (
        {"q": {"x": ["a"], "y": ["b", None]}},
        "an id",
        "null at position 1 of query ('q', 'y')",
    ),
    "grade": ({"q": {"x": {"a": None}}}, "label", "null or NaN at position 0 of query ('q', 'x')"),
    "twice": (
        {"q": {"x": ["a", "b", "a"]}},
        "once",
        "item 'a' more than once for query ('q', 'x')",
    ),
    "frame": (np.ones((1, 2)), "a dict of aspects", None),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_judgments_of_aspects_that_are_wrong_are_named(name):
    gold, expected, got = BAD[name]
    with raises("relevant", expected, function="from_lists", got=got):
        from_lists(gold, {"q": ["a"]} if isinstance(gold, dict) else [["a"]], aspects=True)


@pytest.mark.parametrize("facts", [["d1", "d7"], {"d1": 1}, {"d1"}, ("d1",)])
def test_forgotten_aspects_are_named(facts, tmp_path, capsys):
    gold = {"q0": {}, "q1": {"who": facts, "when": ["d9"]}}
    with raises("relevant", "a dict of ids and grades", advice="With aspects=True") as caught:
        from_lists(gold, FOUND)
    assert caught.value.got == f"a dict with {facts}"
    if isinstance(facts, list):
        judged, found = tmp_path / "gold.json", tmp_path / "found.json"
        judged.write_text(json.dumps(gold))
        found.write_text(json.dumps(FOUND))
        assert main([str(judged), str(found)]) == 2
        assert "With --aspects, each query has a dict of aspects." in capsys.readouterr().err


def test_forgotten_columns_of_aspects_are_named(tmp_path, capsys):
    names = {name: NAMES[name] for name in NAMES if name != "aspect"}
    with raises("judgments", "only once per query", advice="name their column with `aspect`"):
        hit_rate_score(from_tables(TABLE, RUN, **names), k=1)
    qrels, run = tmp_path / "qrels.txt", tmp_path / "found.run"
    qrels.write_text("q1 1 d1 1\nq1 2 d1 1\n")
    run.write_text("q1 Q0 d1 1 0.5 me\n")
    assert main([str(qrels), str(run)]) == 2
    assert "With --aspects, queries have aspects" in capsys.readouterr().err


# --- arrays --------------------------------------------------------------------------------------


def arrays_of(gold, found):
    """Return labels of shape (n_queries, n_aspects, n_items), the scores and what was judged."""
    n_aspects = max(map(len, gold.values()))
    items = sorted({item for scores in found.values() for item in scores})
    y_true = np.full((len(gold), n_aspects, len(items)), np.nan)
    y_score = np.array([[scores.get(item, 0) for item in items] for scores in found.values()])
    for labels, of_aspects in zip(y_true, gold.values(), strict=True):
        for row, grades in zip(labels, of_aspects.values(), strict=False):
            row[:] = [grades.get(item, 0) for item in items]
    return y_true, y_score


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("seed", range(3))
def test_arrays_have_an_axis_for_aspects(seed):
    gold, found = drawn(seed, graded=True)
    gold = {  # all judged items were found, so that arrays hold the same
        query: {
            aspect: {item: grade for item, grade in grades.items() if item in found[query]}
            for aspect, grades in of_aspects.items()
        }
        for query, of_aspects in gold.items()
    }
    scores = [name for name in SCORES if name not in ("bpref", "judged@3")]  # of judged items
    options = {"scores": [*scores, "alpha_ndcg@3", "all_relevant@4"], "k": None, "max_grade": 2}
    expected = ranking_report(from_lists(gold, found, aspects=True), **options)
    y_true, y_score = arrays_of(gold, found)
    report = ranking_report(y_true, y_score, **options)
    assert "scores are over the aspects of each query" in str(report)
    for name, values in expected.per_query.items():
        np.testing.assert_allclose(report.per_query[name], values, atol=TOLERANCE, rtol=0)
    # Items that take no part may have any label, and change nothing.
    where = np.hstack([np.ones(y_score.shape, dtype=bool), np.zeros((len(gold), 2), dtype=bool)])
    y_true = np.concatenate([y_true, np.full((*y_true.shape[:2], 2), np.inf)], axis=2)
    y_true[:, 0, -1] = 3
    y_score = np.hstack([y_score, np.ones((len(gold), 2))])
    masked = ranking_report(y_true, y_score, where=where, **options)
    assert masked.per_query.keys() == report.per_query.keys()
    for name, values in report.per_query.items():
        np.testing.assert_array_equal(masked.per_query[name], values)


def test_lists_of_lists_have_aspects_and_columns_of_one_item_have_none():
    y_true, y_score = [[[True, False], [False, True]]], [[0.4, 0.3]]
    assert hit_rate_score(y_true, y_score, k=[1, 2]).tolist() == [0.5, 1]
    with raises("y_true", "of shape (n_queries, n_items)", advice="[..., 0]"):
        ndcg_score(np.ones((2, 4, 1)), np.ones((2, 4)))


ONE = np.array([[[1.0, 0, 0], [0, 0, 1]]])


@pytest.mark.parametrize(
    ("params", "parameter", "expected", "got"),
    [
        ({"y_score": [[1, 2]]}, "y_score", "of shape (1, 3)", "shape (1, 2)"),
        (
            {"y_true": np.ones((0, 2, 3))},
            "y_true",
            "at least one query and item",
            "shape (0, 2, 3)",
        ),
        (
            {"y_true": np.where(ONE, ONE, -np.inf)},
            "y_true",
            "finite",
            "-inf in aspect 0 of query 0",
        ),
        ({"qid": [0]}, "qid", "None if y_true is over aspects", "[0]"),
        ({"labels": [0, 1, 2]}, "labels", "None if y_true is over aspects", "[0, 1, 2]"),
        ({"item_weight": [1, 1, 1]}, "item_weight", "None if y_true is over aspects", "[1, 1, 1]"),
    ],
)
def test_arrays_over_aspects_that_are_wrong_are_named(params, parameter, expected, got):
    with raises(parameter, expected, got=got):
        ndcg_score(**{"y_true": ONE, "y_score": [[3, 2, 1]]} | params)


def test_what_does_not_take_aspects_refuses_arrays_by_their_shape():
    for call in (
        partial(tie_report, score="ndcg"),
        partial(score_bounds, score="ndcg"),
        like("trec_eval", "map"),
        StreamingScore("ndcg").update,
    ):
        with raises("y_true", "without aspects", got="shape (1, 2, 3)") as caught:
            call(ONE, [[3, 2, 1]])
        assert caught.value.function != "ndcg_score"
    with raises("y_true", "`from_lists`", function="explain_query", got="shape (1, 2, 3)"):
        explain_query(ONE, [[3, 2, 1]], score="ndcg")


# --- all aspects ---------------------------------------------------------------------------------


def labels_of(gold, found):
    """Return the labels of the items found, for each aspect of each query, and their scores."""
    for query in sorted(gold):
        items = [*found[query]]
        labels = [[own.get(item, 0) for item in items] for own in gold[query].values()]
        yield labels, [found[query][item] for item in items]


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_all_aspects_are_found_in_so_many_orders(seed, k):
    gold, found = drawn(seed, graded=True)
    found = {query: dict([*each.items()][:5]) for query, each in found.items()}
    data = from_lists(gold, found, aspects=True)
    expected = [
        float(reference.all_aspects_at_k(labels, scores, k=k)) if np.any(labels) else 0.0
        for labels, scores in labels_of(gold, found)
    ]
    values = all_relevant_at_k_score(data, k=[k, 1], average=None)
    assert values[:, 0].tolist() == expected
    untied = {query: [*each] for query, each in found.items()}
    by_order = all_relevant_at_k_score(from_lists(gold, untied, aspects=True), k=k, average=None)
    expected = [
        float(reference.all_aspects_at_k(labels, range(len(scores), 0, -1), k=k))
        if np.any(labels)
        else 0.0
        for labels, scores in labels_of(gold, found)
    ]
    assert by_order.tolist() == expected


def test_aspects_that_no_item_has_are_missing_unless_undefined_ones_are_left_out():
    data = from_lists(GOLD, FOUND, aspects=True)
    options = {"k": 3, "average": None}
    assert all_relevant_at_k_score(data, **options).tolist() == [1, 0, 0]
    values = all_relevant_at_k_score(data, **options, replace_undefined_by=np.nan)
    np.testing.assert_array_equal(values, [1, 1, np.nan])
    weights = {"q1": {"who": 1, "when": 0}, "q2": {"who": 0, "why": 0}}
    data = from_lists(AS_LISTS, FOUND, aspects=True, aspect_weight=weights)
    assert all_relevant_at_k_score(data, k=1, average=None).tolist() == [1, 0]
    report = ranking_report(data, scores="recall_all@1")
    assert report.n_undefined == {"all_relevant@1": 1}


def test_too_many_aspects_that_a_tie_decides_on_are_refused():
    gold = {"q": {f"a{number}": [f"d{number}"] for number in range(11, 28)}}
    scores = {f"d{number}": 1 for number in range(10, 28)}
    data = from_lists(gold, {"q": scores}, aspects=True)
    with raises("y_true", "at most 16 aspects", got="17 of them in query 0") as caught:
        all_relevant_at_k_score(data, k=[18, 17])
    assert caught.value.function == "all_relevant_at_k_score"
    assert all_relevant_at_k_score(data, k=17, ignore_ties=True) == 1
    del gold["q"]["a11"]
    # The one of 18 items that is left out must be one of two.
    assert all_relevant_at_k_score(from_lists(gold, {"q": scores}, aspects=True), k=17) == 2 / 18


# --- repetition ----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0, 0.25, 0.5, 1])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_ndcg_is_its_mean_over_all_orders(seed, alpha):
    gold, found = drawn(seed, graded=True)
    # All items are found, since the ideal of the reference has no others.
    found = {query: {**dict([*each.items()][:5])} for query, each in found.items()}
    gold = {
        query: {
            name: {item: grade for item, grade in grades.items() if item in found[query]}
            for name, grades in aspects.items()
        }
        for query, aspects in gold.items()
    }
    rng = np.random.default_rng(seed)
    weights = {
        query: {name: int(rng.integers(0, 3)) for name in aspects}
        for query, aspects in gold.items()
    }
    data = from_lists(gold, found, aspects=True, aspect_weight=weights)
    options = {"alpha": alpha, "average": None, "replace_undefined_by": np.nan}
    values = alpha_ndcg_score(data, k=[2, 4], **options)
    for row, query in zip(values, sorted(gold), strict=True):
        items = sorted(found[query])
        labels = [[own.get(item, 0) for item in items] for own in gold[query].values()]
        scores = [found[query][item] for item in items]
        for k, value in zip([2, 4], row, strict=True):
            exact = reference.alpha_ndcg_of_aspects(
                labels, scores, k=k, alpha=alpha, weights=[*weights[query].values()]
            )
            expected = np.nan if exact is None else float(exact)
            assert value == pytest.approx(expected, rel=TOLERANCE, nan_ok=True)


NDEVAL = json.loads(Path(__file__).parents[1].joinpath("data", "ndeval_numbers.json").read_text())


@pytest.mark.parametrize("alpha", NDEVAL["numbers"])
def test_ndeval_has_the_same_numbers(alpha):
    data = from_lists(NDEVAL["gold"], NDEVAL["found"], aspects=True)
    numbers = NDEVAL["numbers"][alpha]
    values = alpha_ndcg_score(data, k=[3, 10], alpha=float(alpha), average=None)
    expected = np.column_stack([numbers["alpha-nDCG@3"], numbers["alpha-nDCG@10"]])
    np.testing.assert_allclose(values, expected, rtol=TOLERANCE, atol=0)
    found = hit_rate_score(data, k=3, average=None, replace_undefined_by=np.nan)
    np.testing.assert_allclose(found, numbers["strec@3"], rtol=TOLERANCE, atol=0)


def test_the_last_id_comes_first_in_the_ideal_of_alpha_ndcg():
    # All three items cover two aspects. After b or c the other one gains 2, and after z 1.
    gold = {"v": ["b", "z"], "w": ["c", "z"], "x": ["b"], "y": ["c"]}
    table = [
        {"query": "q", "item": item, "aspect": aspect}
        for aspect, items in gold.items()
        for item in sorted(items, reverse=True)
    ]
    run = [{"query": "q", "item": item, "rank": rank} for rank, item in enumerate("bc", 1)]
    names = {"query": "query", "item": "item", "aspect": "aspect", "rank": "rank"}
    expected = (2 + 2 / np.log2(3)) / (2 + 1 / np.log2(3))
    for data in (
        from_lists({"q": gold}, {"q": ["b", "c"]}, aspects=True),
        from_tables(table, run, **names),
    ):
        assert alpha_ndcg_score(data, k=2, alpha=1) == pytest.approx(expected, rel=TOLERANCE)


def test_all_items_relevant_for_all_aspects_have_no_alpha_ndcg():
    data = from_lists(GOLD, FOUND, aspects=True)
    with raises("relevance_threshold", "above 0 if y_true is over aspects", got="0"):
        alpha_ndcg_score(data, relevance_threshold=0)


# --- the command ---------------------------------------------------------------------------------

QRELS = "".join(
    f"{query} {aspect} {item} {grade}\n"
    for query, aspects in AS_LISTS.items()
    for aspect, grades in aspects.items()
    for item, grade in grades.items()
)
FACTS = {
    "facts.txt": QRELS,
    "facts.csv": "query,aspect,item,label\n" + QRELS.replace(" ", ","),
    "facts.jsonl": "".join(
        json.dumps(dict(zip(["query", "aspect", "item", "label"], line.split(), strict=True))
                   | {"label": int(line.split()[-1])}) + "\n"
        for line in QRELS.splitlines()
    ),
    "facts.json": json.dumps(AS_LISTS),
}  # fmt: skip


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Return a function from a command line to its status, its output and its errors."""
    monkeypatch.chdir(tmp_path)
    for name, text in FACTS.items():
        Path(name).write_text(text, encoding="utf-8")
    run = [
        f"{each['topic']} Q0 {each['doc']} {each['rank']} {-each['rank']} x\n" for each in RUN[:5]
    ]
    Path("run").write_text("".join(run), encoding="utf-8")

    def call(line):
        status = main(line.split())
        return status, *capsys.readouterr()

    return call


@pytest.mark.parametrize("least", [0, 1 << 30])
@pytest.mark.parametrize("file", FACTS)
def test_the_command_reads_aspects_from_all_files(call, monkeypatch, file, least):
    monkeypatch.setattr(_trec_files, "WORTH_PYARROW", least)
    found = {query: FOUND[query] for query in AS_LISTS}
    expected = ranking_report(from_lists(AS_LISTS, found, aspects=True), scores="ndcg@3")
    ids = "--ids text" if "json" in file else ""
    status, output, errors = call(f"{file} run --aspects -m ndcg@3 --format json {ids}")
    assert (status, errors) == (0, "")
    [record] = json.loads(output)
    assert record["mean"] == expected["ndcg@3"]
    assert "over the aspects" in call(f"{file} run --aspects -m ndcg@3")[1]


def test_all_formats_of_the_command_say_that_scores_are_over_aspects(call):
    line = "facts.csv run --aspects -m ndcg@3 --format"
    expected = "scores are over the aspects of each query"
    assert call(f"{line} markdown")[1].endswith(f"\n\n{expected}\n")
    assert json.loads(call(f"{line} json")[1])[0]["notes"] == [expected]
    assert call(f"{line} csv")[2] == f"ranking-scores: note: {expected}\n"
    note = "facts.csv: the column 'aspect' has no effect without --aspects"
    Path("facts.csv").write_text("query,aspect,item,label\nq1,who,d1,1\n", encoding="utf-8")
    assert call("facts.csv run -m ndcg@3")[1].startswith(note)


def test_a_baseline_over_aspects_needs_aspects(call):
    assert call("facts.txt run --aspects -m ndcg@3 --save old.json")[0] == 0
    _, _, errors = call("facts.txt run -m ndcg@3 --baseline old.json --duplicates best")
    assert "must be over the aspects of its queries, like old. Got one without aspects" in errors


def test_changes_over_aspects_name_no_items(call):
    Path("old").write_text("q1 Q0 d2 1 1 x\nq2 Q0 d3 1 1 x\n", encoding="utf-8")
    line = "facts.txt run --aspects -m hit_rate@3 --baseline old --max-drop 0.5 --html page.html"
    status, output, _ = call(line)
    assert (status, "passed" in output) == (0, True)
    assert "over the aspects" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("facts.txt run --ties", "--ties takes no account of aspects. Leave out --aspects."),
        ("facts.txt run --human facts.txt", "--human takes no account of aspects"),
        ("facts.txt run -m trec_eval:map", "must be data without aspects for trec_eval:map. Got"),
        ("facts.txt run --unjudged", "--unjudged takes no account of aspects"),
        ("two run", "lines are 'query aspect document label'. Got 2 fields in line 1 of two"),
        ("no.csv run", "no column 'aspect' among 'query', 'item', 'label'. --aspects needs it"),
        ("empty.csv run", "line 2: the aspect id in 'aspect' is empty"),
        ("facts.csv run --split #", "--split with --aspects is for files of JSON that have lists"),
        ("mixed.json run", "mixed.json must be a dict of aspects for each query"),
        (
            "facts.txt run -m err@3 --max-grade 1",
            "the label 2 of query q2 is not a whole number from 0 to 1",
        ),
    ],
)
def test_the_command_says_what_is_wrong_with_aspects(call, line, message):
    Path("two").write_text("q1 d1\n", encoding="utf-8")
    Path("no.csv").write_text("query,item,label\nq1,d1,1\n", encoding="utf-8")
    Path("empty.csv").write_text("query,aspect,item,label\nq1,,d1,1\n", encoding="utf-8")
    Path("mixed.json").write_text('{"q1": ["d1"]}', encoding="utf-8")
    status, output, errors = call(f"{line} --aspects")
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert message in errors


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("name", ["ndcg", "judged@3", "all_relevant@3", "alpha_ndcg@3"])
def test_queries_are_expanded_piece_by_piece(monkeypatch, name):
    gold, found = drawn(1, graded=True)
    data = from_lists(gold, found, aspects=True)
    expected = ranking_report(data, scores=name).per_query
    monkeypatch.setattr(_over_aspects, "queries_per_block", lambda width: 2)
    values = ranking_report(from_lists(gold, found, aspects=True), scores=name).per_query
    np.testing.assert_array_equal(
        *(np.column_stack([*each.values()]) for each in (values, expected))
    )


# --- explanations --------------------------------------------------------------------------------


def test_explanations_name_the_aspect_that_is_missing():
    data = from_lists(GOLD, FOUND, aspects=True)
    found = explain_query(data, score="hit_rate@2", query="q1")
    assert [(each.query, each.value) for each in found] == [
        (("q1", "when"), 0),
        (("q1", "who"), 1),
    ]
    [part] = [each for each in found[0].items if each.best_part]
    assert (part.item, part.first_rank) == ("d9", 3)
    assert found.over_aspects
    assert str(found).splitlines()[0].startswith("hit_rate@2 of query ('q1', 'when') is 0.0000")
    assert str(found).splitlines()[-1] == "the score of a query is the mean over its aspects"
    [undefined, defined] = explain_query(data, score="ndcg", query="q2")
    assert (undefined.query, undefined.is_defined) == (("q2", "why"), False)
    assert defined.value == ndcg_score(data, average=None, replace_undefined_by=np.nan)[1]
    [alone] = explain_query(data, score="ndcg", query=["q3"])
    assert alone.query == ("q3", None)
    assert explain_query(data, score="hit_rate@2", query=("q1", "when")).query == ("q1", "when")
    worst = explain_query(data, score="hit_rate", k=2, worst=1)
    assert {each.query[0] for each in worst} == {"q1"}
    assert worst.n_undefined == 1


def test_explanations_show_the_weights_of_aspects():
    weights = {"q1": {"who": 3, "when": 0}, "q2": {"who": 2, "why": 1}}
    data = from_lists(AS_LISTS, FOUND, aspects=True, aspect_weight=weights)
    found = explain_query(data, score="precision@1", query=["q2", "q1"])
    expected = [("q2", "who"), ("q2", "why"), ("q1", "who"), ("q1", "when")]
    assert [each.query for each in found] == expected
    assert found.aspect_weight == (2, 1, 3, 0)
    assert str(found).endswith("over its aspects, which weigh, in this order, 2, 1, 3, 0")


@pytest.mark.parametrize(
    ("params", "parameter", "key"),
    [
        ({"score": "alpha_ndcg"}, "score", "a mean over aspects"),
        ({"score": "all_relevant@2"}, "score", "a mean over aspects"),
        ({"score": "ndcg", "item_ids": ["a"]}, "item_ids", "None if y_true is over aspects"),
        ({"score": "ndcg", "sample_weight": [1, 1, 1]}, "sample_weight", "left out"),
        ({"score": "ndcg", "y_score": [[1]]}, "y_score", "left out"),
        ({"score": "ndcg"}, "query", "given, or `worst`"),
        ({"score": "ndcg", "query": ("q1", "why")}, "query", "a query and one of its aspects"),
    ],
)
def test_explanations_over_aspects_refuse_what_they_cannot_use(params, parameter, key):
    data = from_lists(GOLD, FOUND, aspects=True)
    with raises(parameter, key, function="explain_query"):
        explain_query(data, **params)
