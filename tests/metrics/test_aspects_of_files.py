"""Aspects in tables, files and the command, what refuses them, and explanations of them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from aspect_data import AS_LISTS, FOUND, GOLD, NAMES, TABLE
from raising import raises

from ranking_scores import (
    StreamingScore,
    hit_rate_score,
    ndcg_score,
    ranking_report,
    scale,
    weighted_labels,
)
from ranking_scores.__main__ import main
from ranking_scores._files import _trec_files
from ranking_scores.conventions import like
from ranking_scores.explain import explain_difference, explain_query
from ranking_scores.plotting import RankingCurveDisplay, RankingDisplay
from ranking_scores.significance import changes
from ranking_scores.tables import from_lists, from_tables, read_json
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.trec import read_qrels, to_pytrec_eval, write_run
from ranking_scores.unanswerable import answer_curve
from ranking_scores.unjudged import items_to_judge, score_bounds

RUN = [
    {"topic": query, "doc": item, "rank": rank}
    for query, items in FOUND.items()
    for rank, item in enumerate(items, 1)
]
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
    assert "aspect" not in read_qrels(qrels, aspects=False)


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


OF_SCALE = {"label": "label", "score": "score", "query": "query"}
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
    "no dict": ({"q": {"x": 3}}, "a list of ids or a dict", "3 for query ('q', 'x')"),
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
    assert "Pass --aspects if they are aspects of the queries" in capsys.readouterr().err


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
    forms = "facts.csv: CSV: query, item, aspect, label; run: TREC's run"
    assert json.loads(call(f"{line} json")[1])[0]["notes"] == [forms, expected]
    said = (f"ranking-scores: note: {note}\n" for note in (forms, expected))
    assert call(f"{line} csv")[2] == "".join(said)
    forms = "facts.csv: CSV: query, item, label; run: TREC's run"
    note = "facts.csv: the column 'aspect' has no effect without --aspects"
    Path("facts.csv").write_text("query,aspect,item,label\nq1,who,d1,1\n", encoding="utf-8")
    assert call("facts.csv run -m ndcg@3")[1].startswith(f"{forms}\n{note}\n\n")


def test_a_baseline_over_aspects_needs_aspects(call):
    assert call("facts.txt run --aspects -m ndcg@3 --save old.json")[0] == 0
    Path("facts.txt").write_text("q1 0 d1 1\nq2 0 d3 1\n", encoding="utf-8")
    _, _, errors = call("facts.txt run -m ndcg@3 --baseline old.json")
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
        (
            "facts.csv run --split # --split-judgments",
            "--split-judgments with --aspects is for files of JSON that have lists",
        ),
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


@pytest.mark.parametrize("lines", [False, True])
def test_lists_of_lists_are_alternatives_by_name(call, lines):
    gold, found = {"q1": [["a", "b"], ["c"]], "q2": [["d"]]}, {"q1": ["b"], "q2": ["x", "d"]}
    if lines:
        rows = [{"query": q, "relevant": gold[q], "retrieved": found[q]} for q in gold]
        Path("gold.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        files = "gold.jsonl"
    else:
        Path("gold.json").write_text(json.dumps(gold), encoding="utf-8")
        Path("found.json").write_text(json.dumps(found), encoding="utf-8")
        files = "gold.json found.json"
    status, output, errors = call(f"{files} --alternatives -m hit_rate@1 hit_rate@2 --format json")
    assert (status, errors) == (0, "")
    assert [record["mean"] for record in json.loads(output)] == [1 / 4, 3 / 4]
    assert "a dict of aspects for each query" in call(f"{files} --aspects -m hit_rate@1")[2]
    expected = "--alternatives is for files of JSON that have lists"
    assert expected in call("facts.csv run --alternatives -m hit_rate@1")[2]


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
        ({"score": "ndcg", "query": ("q1", "why")}, "query", "a query and one of its aspects"),
    ],
)
def test_explanations_over_aspects_refuse_what_they_cannot_use(params, parameter, key):
    data = from_lists(GOLD, FOUND, aspects=True)
    with raises(parameter, key, function="explain_query"):
        explain_query(data, **params)
