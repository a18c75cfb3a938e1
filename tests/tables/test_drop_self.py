"""Predictions with the id of their query, which are dropped if the caller says so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from raising import raises

from ranking_scores import (
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    retrieved_from_ids,
    scale,
)
from ranking_scores.__main__ import main
from ranking_scores.conventions import like
from ranking_scores.report import read_report
from ranking_scores.scale import _partitioned
from ranking_scores.tables import from_lists, from_table, from_tables
from ranking_scores.trec import from_pytrec_eval

GOLD = {"a": {"b": 1}, "c": {"d": 2, "c": 1}}
FOUND = {"a": {"a": 9.0, "x": 3.0, "b": 2.0}, "c": {"c": 1.0, "d": 0.5}}
NAMES = {"query": "query", "item": "item", "label": "label"}
DROPPED = "2 predictions have the id of their query, and were dropped"


def rows_of(dicts, value):
    rows = [(query, item, number) for query, row in dicts.items() for item, number in row.items()]
    return dict(zip(("query", "item", value), map(list, zip(*rows, strict=True)), strict=True))


def joined(**options):
    judged, found = pd.DataFrame(rows_of(GOLD, "label")), pd.DataFrame(rows_of(FOUND, "score"))
    return from_table(judged.merge(found, how="outer"), **NAMES, score="score", **options)


FORMS = {
    "retrieved": lambda **options: from_lists(GOLD, FOUND, **options),
    "predictions": lambda **options: from_tables(
        rows_of(GOLD, "label"), rows_of(FOUND, "score"), **NAMES, score="score", **options
    ),
    "table": joined,
    "run": lambda **options: from_pytrec_eval(GOLD, FOUND, **options),
}


@pytest.mark.parametrize("parameter", FORMS)
def test_the_query_itself_is_dropped_and_what_is_below_moves_up(parameter):
    make = FORMS[parameter]
    data = make()
    assert mean_reciprocal_rank_score(data, average=None).tolist() == [1 / 3, 1]
    assert not any("dropped" in note for note in data.notes)
    data = make(drop_self=True)
    assert mean_reciprocal_rank_score(data, average=None).tolist() == [1 / 2, 1]
    assert f"{parameter}: {DROPPED}" in data.notes
    # That "c" was judged for itself still counts: the ideal is "d" and then "c".
    expected = [1 / np.log2(3), 2 / (2 + 1 / np.log2(3))]
    assert ndcg_score(data, average=None).tolist() == pytest.approx(expected, abs=1e-15)
    assert ndcg_score(data, k=5) == pytest.approx(like("BEIR", "NDCG@5")(make()), abs=5e-6)
    precision = precision_at_k_score(data, k=2)
    assert precision == like("BEIR", "P@2")(make()) == 1 / 2


@pytest.mark.parametrize("parameter", FORMS)
def test_what_is_no_bool(parameter):
    with raises("drop_self", "True or False", got="1"):
        FORMS[parameter](drop_self=1)


def test_none_is_dropped():
    gold, found = {"q": ["a"]}, {"q": ["b", "a"]}
    data = from_lists(gold, found, drop_self=True)
    note = "retrieved: 0 predictions have the id of their query, and were dropped"
    assert (data.notes[1:], mean_reciprocal_rank_score(data)) == ((note,), 1 / 2)
    judged, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    assert from_pytrec_eval(judged, run, drop_self=True).notes[0].startswith("run: 0 ")
    table = {"query": ["q", "q"], "item": ["a", "b"], "label": [1, 0], "score": [1, 2]}
    data = from_table(table, **NAMES, score="score", drop_self=True)
    assert any(note.startswith("table: 0 ") for note in data.notes)


def test_a_query_that_found_only_itself_has_an_empty_list():
    gold, found = {"a": ["b"], "c": ["d"]}, {"a": ["a"], "c": ["d", "c"]}
    for queries in ("judged", "both", "equal"):
        data = from_lists(gold, found, queries=queries, drop_self=True)
        assert data.query_ids.tolist() == ["a", "c"]
        assert like("trec_eval", "recip_rank")(data, average=None).tolist() == [0, 1]


def test_all_forms_of_lists_lose_the_query_itself():
    gold = {1: [2], 3: [4]}
    scores = {1: [3.0, 2.0, 1.0], 3: None}
    several = (
        ({1: [1, 5, 2], 3: None}, None),
        ({1: (1, 5, 2), 3: []}, None),
        ({1: np.array([1, 5, 2]), 3: np.array([], int)}, None),
        ({1: pd.Series([1, 5, 2]), 3: []}, None),
        ({1: [{"id": 1, "score": 3}, {"id": 5, "score": 2}, {"id": 2, "score": 1}], 3: []}, None),
        ({1: [(1, 3.0), (5, 2.0), (2, 1.0)], 3: []}, None),
        ({1: {1: 3.0, 5: 2.0, 2: 1.0}, 3: None}, None),
        ({1: [1, 5, 2], 3: None}, scores),
        ({1: [1, 5, 2], 3: None}, {1: np.array([3.0, 2.0, 1.0]), 3: None}),
    )
    for found, beside in several:
        data = from_lists(gold, found, item_scores=beside, drop_self=True)
        assert mean_reciprocal_rank_score(data, k=2, average=None).tolist() == [1 / 2, 0]
        assert data.item_ids.tolist() == [2, 4, 5]
        assert data.notes[-1] == "retrieved: 1 prediction has the id of its query, and was dropped"
    assert several[0][0] == {1: [1, 5, 2], 3: None}  # the lists of the caller are as they were


def test_items_that_are_cut_or_there_twice():
    gold, found = {"a": ["b"]}, {"a": ["a#1", "a#2", "x#1", "x#2", "b#1", "a#3"]}
    for duplicates, rank in (("best", 2), ("hold", 3)):
        options = {"split": "#", "duplicates": duplicates, "drop_self": True}
        data = from_lists(gold, found, **options)
        assert mean_reciprocal_rank_score(data) == 1 / rank
        assert data.notes[-1].startswith("retrieved: 3 ")
    assert (
        mean_reciprocal_rank_score(from_lists(gold, {"a": ["a", "a", "b"]}, drop_self=True)) == 1
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4, 10])
@pytest.mark.parametrize("form", ["two tables", "one table"])
def test_free_ranks_stay_free(form, k):
    """Of the ranks 1, 1, 2 the last item is at 3, and at 2 if one above it is dropped."""
    ranks = {"a": {"a": 1, "x": 1, "b": 2}, "c": {"y": 2, "c": 5, "d": 9}, "e": {"f": 3, "e": 3}}
    gold = {"a": {"b": 1}, "c": {"d": 1}, "e": {"f": 1}}
    if form == "two tables":
        table = rows_of(ranks, "rank")
        data = from_tables(rows_of(gold, "label"), table, **NAMES, rank="rank", drop_self=True)
    else:
        judged, found = (
            pd.DataFrame(rows_of(*each)) for each in ((gold, "label"), (ranks, "rank"))
        )
        table = judged.merge(found, how="outer")
        data = from_table(table, **NAMES, rank="rank", drop_self=True)
    expected = [1 / rank if rank <= k else 0 for rank in (2, 8, 3)]
    assert mean_reciprocal_rank_score(data, k=k, average=None).tolist() == expected


def test_ranks_in_small_types_do_not_wrap():
    items = [f"x{number}" for number in range(300)]
    table = {"query": ["a"] * 302, "item": ["a", *items, "b"]}
    table["rank"] = np.array([1] * 301 + [2], np.uint8)
    data = from_tables(rows_of(GOLD, "label"), table, **NAMES, rank="rank", drop_self=True)
    assert mean_reciprocal_rank_score(data, average=None)[0] == 1 / 301


def test_wide_scores_of_one_table_keep_their_digits():
    table = {"query": ["a"] * 3, "item": ["a", "b", "x"], "label": [None, 1, None]}
    table["score"] = np.array([2**62, 2**60 + 1, 2**60], np.int64)
    data = from_table(table, **NAMES, score="score", drop_self=True)
    assert data.y_score.data.tolist() == [2**60 + 1, 2**60]
    assert mean_reciprocal_rank_score(data) == 1


def test_dates_of_different_units_are_equal():
    days = pd.to_datetime(["2026-01-01", "2026-01-01", "2026-01-02"])
    predictions = {"query": days[:2].to_numpy(), "item": days[1:].as_unit("s"), "score": [2, 1]}
    judged = {"query": days[:1], "item": days[2:], "label": [1]}
    data = from_tables(judged, predictions, **NAMES, score="score", drop_self=True)
    assert mean_reciprocal_rank_score(data) == 1


def test_where_no_item_can_be_the_query():
    with raises("drop_self", "False, since the queries of retrieved have no ids", got="True"):
        from_lists([["a"]], [["a", "b"]], drop_self=True)
    with raises("drop_self", "the ids of queries are text and those of items are numbers"):
        from_lists({"1": [2]}, {"1": [1, 2]}, drop_self=True)
    table = {"query": [1, 1], "label": [1, 0], "score": [1, 2], "item": ["1", "2"]}
    with raises("drop_self", "are numbers and those of items are text", function="from_table"):
        from_table(table, **NAMES, score="score", drop_self=True)
    with raises("drop_self", "unless `item` is a column", function="from_table"):
        from_table(table, query="query", label="label", score="score", drop_self=True)
    data = from_lists({"q": ["a"]}, {"q": []}, drop_self=True)  # no ids are of no kind
    assert mean_reciprocal_rank_score(data) == 0


@pytest.mark.parametrize("ranks", [False, True])
def test_tables_of_any_size_lose_the_query_itself(ranks, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    monkeypatch.setattr(_partitioned, "_FEW_ROWS", 1)
    judged, found = rows_of(GOLD, "label"), rows_of(FOUND, "score")
    names = NAMES | {"score": "score"}
    if ranks:
        found["rank"] = [1, 2, 4, 1, 2]
        names = NAMES | {"rank": "rank"}
    call = {"scores": ["mrr", "ndcg"], "k": [1, 2, 3], "memory": 1}
    report = scale.report_tables(judged, found, **names, **call, drop_self=True)
    expected = ranking_report(
        from_tables(judged, found, **names, drop_self=True), scores=call["scores"], k=call["k"]
    )
    assert dict(report.mean) == dict(expected.mean)
    assert report["mrr@2"] == (1 / 2 + 1) / 2 if not ranks else 1 / 2
    assert report.queries_seen.n_dropped == 2
    assert str(report).endswith(f"2 queries\n{DROPPED}")
    report.to_json(tmp_path / "report.json")
    assert read_report(tmp_path / "report.json").queries_seen == report.queries_seen
    kept = scale.report_tables(judged, found, **names, **call)
    assert kept.queries_seen.n_dropped is None
    assert "dropped" not in str(kept)
    with raises("drop_self", "True or False", got="1", function="scale.report_tables"):
        scale.report_tables(judged, found, **names, drop_self=1)


def test_items_that_search_their_own_index():
    ids = [[0, 2, 1], [1, 0, -1], [1, 2, 0]]
    y_score = retrieved_from_ids(ids, n_items=3, drop_self=True)
    assert y_score.toarray().tolist() == [[0, 1, 2], [2, 0, 0], [1, 3, 0]]
    assert y_score.nnz == 5
    scores = [[0.9, 0.5, 0.5], [0.9, 0.0, 0.1], [0.9, 0.8, 0.7]]
    y_score = retrieved_from_ids(ids, scores, n_items=3, drop_self=True)
    assert y_score.toarray().tolist() == [[0, 0.5, 0.5], [0, 0, 0], [0.7, 0.9, 0]]
    assert y_score.nnz == 5
    twice = [[0, 0, 1], [0, 1, 1], [0, 1, 2]]
    assert retrieved_from_ids(twice, n_items=3, drop_self=True).nnz == 4
    exclude = np.eye(3, k=1, dtype=bool)
    assert retrieved_from_ids(ids, n_items=3, exclude=exclude, drop_self=True).nnz == 4
    with raises("drop_self", "as many rows of ids", got="True for 3 rows and 4 items"):
        retrieved_from_ids(ids, n_items=4, drop_self=True)
    with raises("drop_self", "True or False", got="None", function="retrieved_from_ids"):
        retrieved_from_ids(ids, n_items=3, drop_self=None)


def write(folder):
    """Write the evaluation in all formats, and return the arguments of the command for each."""
    lines = {
        "qrels": [f"{q} 0 {i} {n}" for q, row in GOLD.items() for i, n in row.items()],
        "run": [f"{q} Q0 {i} 0 {n} t" for q, row in FOUND.items() for i, n in row.items()],
        "qrels.csv": [
            "query,item,label",
            *(f"{q},{i},{n}" for q, row in GOLD.items() for i, n in row.items()),
        ],
        "run.csv": [
            "query,item,rank",
            *(f"{q},{i},{n}" for q, row in FOUND.items() for n, i in enumerate(row, 1)),
        ],
    }
    for name, several in lines.items():
        (folder / name).write_text("\n".join([*several, ""]), encoding="utf-8")
    records = [{"query": q, "relevant": GOLD[q], "retrieved": list(FOUND[q])} for q in GOLD]
    (folder / "all.json").write_text(json.dumps(records), encoding="utf-8")
    return {"trec": ["qrels", "run"], "csv": ["qrels.csv", "run.csv"], "json": ["all.json"]}


@pytest.mark.parametrize("form", ["trec", "csv", "json"])
def test_the_command(form, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    files = write(tmp_path)[form]
    argv = [*files, "-m", "mrr", "ndcg@10", "--format", "json"]
    assert main(argv) == 0
    [kept, _] = json.loads(capsys.readouterr().out)
    assert kept["mean"] == (1 / 3 + 1) / 2
    assert main([*argv, "--drop-self"]) == 0
    [mrr, ndcg] = json.loads(capsys.readouterr().out)
    assert mrr["mean"] == (1 / 2 + 1) / 2
    assert ndcg["mean"] == ndcg_score(FORMS["run"](drop_self=True), k=10)
    assert mrr["notes"][-1] == f"{files[-1]}: {DROPPED}"
    assert main([*files, "-m", "mrr", "--drop-self"]) == 0
    assert f"{files[-1]}: {DROPPED}\n" in capsys.readouterr().out


def test_the_command_with_a_baseline_and_what_it_refuses(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    argv = ["qrels", "run", "-m", "mrr", "--drop-self"]
    Path("old").write_text(Path("run").read_text(encoding="utf-8"), encoding="utf-8")
    assert main([*argv, "--baseline", "old", "--max-drop", "0"]) == 0
    assert f"old: {DROPPED}" in capsys.readouterr().out
    Path("numbered.json").write_text('[{"relevant": [1], "retrieved": [0, 1]}]', encoding="utf-8")
    assert main(["numbered.json", "-m", "mrr", "--drop-self"]) == 2
    message = "numbered.json: no record has the id of its query in 'query', so --drop-self has"
    assert message in capsys.readouterr().err
    records = [{"query": "1", "relevant": [2], "retrieved": [1, 2]}]
    Path("numbers.json").write_text(json.dumps(records), encoding="utf-8")
    assert main(["numbers.json", "-m", "mrr", "--drop-self"]) == 2
    assert (
        "--drop-self must be False, since the ids of queries are text" in capsys.readouterr().err
    )
