"""Text that is not UTF-8, as Arrow and Parquet may hold it, and text that UTF-8 cannot hold."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from raising import raises

from ranking_scores import StreamingScore, ndcg_score, ranking_report, scale
from ranking_scores.__main__ import main
from ranking_scores.explain import explain_query
from ranking_scores.significance import compare
from ranking_scores.tables import from_lists, from_table, from_tables
from ranking_scores.trec import write_run

pa = pytest.importorskip("pyarrow", reason="it is in the extra test")
pd = pytest.importorskip("pandas", reason="it is in the extra test")
pl = pytest.importorskip("polars", reason="it is in the extra test")
pq = pytest.importorskip("pyarrow.parquet", reason="it is in the extra test")
ds = pytest.importorskip("pyarrow.dataset", reason="it is in the extra test")

LABELS, SCORES = [[1, 0], [0, 1]], [[0.5, 0.2], [0.2, 0.1]]
NAMES = {"query": "query", "item": "item", "label": "label", "score": "score"}
OF_ROWS = {"label": "label", "score": "score", "query": "query", "scores": "ndcg"}
WRONG = r"b'a\xff'"


def text_of(*texts, width=32):
    """Return bytes as text of pyarrow, which does not look at them."""
    kind = pa.string() if width == 32 else pa.large_string()
    limits = np.cumsum([0, *map(len, texts)], dtype=f"i{width // 8}")
    buffers = [None, pa.py_buffer(limits), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(kind, len(texts), buffers)


def codes_of(*texts):
    """Return the same as codes, the first of which is that of the last text."""
    code = pa.array(np.arange(len(texts), dtype=np.int8)[::-1])
    return pa.DictionaryArray.from_arrays(code, text_of(*texts[::-1]))


TEXT = text_of(b"b", b"a\xff")
KINDS = {
    "string": TEXT,
    "large_string": text_of(b"b", b"a\xff", width=64),
    "string_view": pa.array([b"b", b"a\xff"], pa.binary_view()).view(pa.string_view()),
    "dictionary": codes_of(b"b", b"a\xff"),
    "chunked": pa.chunked_array([text_of(b"b"), text_of(b"a\xff")]),
    "pandas": pd.Series(pd.array(TEXT, dtype="string[pyarrow]")),
    "pandas[pyarrow]": pd.Series(pd.arrays.ArrowExtensionArray(TEXT)),
    "polars": pl.from_arrow(TEXT),
    "polars.Categorical": pl.from_arrow(codes_of(b"b", b"a\xff")),
}


@pytest.mark.parametrize("ids", KINDS.values(), ids=KINDS)
def test_each_kind_of_column_is_looked_at(ids):
    with raises("query_ids", "text in UTF-8", got=f"{WRONG} in row 1") as caught:
        ranking_report(LABELS, SCORES, query_ids=ids)
    advice = caught.value.code.partition("`")[2].rpartition("`")[0]
    as_bytes = eval(f"ids{advice}", {"ids": ids, "polars": pl})
    report = ranking_report(LABELS, SCORES, query_ids=as_bytes)
    assert list(report.query_ids) == [b"b", b"a\xff"]


@pytest.mark.parametrize(
    "ids", [text_of(b"a", b"b"), codes_of(b"a", b"a\xff")[:1], pl.Series(["a", "\u00e9"])]
)
def test_right_text_is_read_even_beside_wrong_text_that_no_row_has(ids):
    report = ranking_report(LABELS[: len(ids)], SCORES[: len(ids)], query_ids=ids)
    assert report.query_ids[0] == "a"
    assert ndcg_score(from_lists([ids], [ids])) == 1


def table(wrong=None, values=TEXT):
    """Return columns of two rows, one of them wrong."""
    columns = {"query": ["a", "a"], "item": ["x", "y"], "label": [1, 0], "score": [0.5, 0.2]}
    return columns | ({} if wrong is None else {wrong: values})


@pytest.mark.parametrize("make", [dict, pa.table])
@pytest.mark.parametrize("name", NAMES)
def test_columns_of_tables(name, make):
    wrong, right = make(table(name)), make(table())
    which = "predictions" if name == "score" else "judgments"
    with raises(which, "text in UTF-8", got=f"{WRONG} in row 1") as caught:
        from_tables(*([right, wrong] if name == "score" else [wrong, right]), **NAMES)
    assert caught.value.place.column == name
    with raises("table", "text in UTF-8", got=f"{WRONG} in row 1"):
        from_table(wrong, **NAMES)


INDEX = pd.Index(KINDS["pandas"])
LISTS = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), TEXT)
DOORS = [
    ("y_true", lambda: ndcg_score(TEXT, [0.5, 0.2], qid=[1, 2])),
    ("y_score", lambda: ndcg_score(LABELS, pa.table({"0": TEXT, "1": [1, 2]}))),
    (
        "sample_weight",
        lambda: ndcg_score(LABELS, SCORES, sample_weight=pd.Series([1.0, 2.0], INDEX)),
    ),
    ("by", lambda: ranking_report(LABELS, SCORES, by={"g": TEXT})),
    (
        "by['h']",
        lambda: ranking_report(
            [1, 0, 0], [0.5, 0.2, 0], qid=[1, 1, 2], by={"h": pd.Series(["a"], INDEX[1:])}
        ),
    ),
    ("clusters", lambda: ranking_report(LABELS, SCORES, clusters=TEXT)),
    ("query_ids", lambda: ranking_report(LABELS, SCORES, query_ids=TEXT)),
    ("y_true", lambda: ranking_report(pd.DataFrame(LABELS, INDEX), pd.DataFrame(SCORES, INDEX))),
    ("qid", lambda: StreamingScore("ndcg").update([1, 0], [0.5, 0.2], qid=TEXT)),
    (
        "item_ids",
        lambda: explain_query(
            [1, 0], [0.5, 0.2], qid=[1, 1], query=1, score="ndcg", item_ids=TEXT
        ),
    ),
    (
        "item_ids",
        lambda: explain_query(
            pa.array(LABELS), pa.array(SCORES), query=0, score="ndcg", item_ids=LISTS
        ),
    ),
    ("relevant", lambda: from_lists(LISTS, LISTS)),
    ("relevant", lambda: from_lists([["a"], TEXT], [["a"], ["b"]])),
    ("retrieved", lambda: from_lists({"q": ["b"]}, {"q": pl.from_arrow(TEXT)})),
    ("query_ids", lambda: write_run("run", SCORES, query_ids=TEXT, item_ids=["a", "b"])),
    ("item_ids", lambda: write_run("run", SCORES, query_ids=["a", "b"], item_ids=TEXT)),
    ("data", lambda: scale.report(table("query"), **OF_ROWS)),
    ("data", lambda: scale.report(table("group"), **OF_ROWS, by="group")),
    ("data", lambda: scale.report(iter([pa.table(table("query"))]), **OF_ROWS, order="any")),
    ("predictions", lambda: scale.report_tables(table(), table("score"), **NAMES)),
]


@pytest.mark.parametrize(("parameter", "call"), DOORS)
def test_each_door_names_its_parameter(parameter, call):
    with raises(parameter, "text in UTF-8") as caught:
        call()
    assert caught.value.got == WRONG


def test_errors_of_arrow_in_a_list_or_a_frame_have_the_parameter():
    with raises("y_score", "array-like", advice="Wrapping"):
        ndcg_score(LABELS, [TEXT, TEXT])
    with raises("y_score", "array-like", advice="Wrapping"):
        ndcg_score(LABELS, pd.DataFrame({"a": KINDS["pandas"]}))


@pytest.mark.parametrize("batch_rows", [None, 1, 3])
def test_the_row_is_that_in_the_file(tmp_path, batch_rows):
    right = pa.table({"query": ["a"] * 5, "label": [1, 0, 1, 0, 1], "score": [0.1] * 5})
    wrong = pa.table({"query": TEXT, "label": [1, 0], "score": [0.1, 0.2]})
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.concat_tables([right, wrong]), path, row_group_size=2)
    with raises("data", "text in UTF-8", got=f"{WRONG} in row 6 of {str(path)!r}"):
        scale.report(path, **OF_ROWS, batch_rows=batch_rows)
    # Some row groups of the file are no data.
    [whole] = (data := ds.dataset(path)).get_fragments()
    groups = whole.split_by_row_group()
    part = ds.FileSystemDataset([groups[0], groups[3]], data.schema, data.format, data.filesystem)
    with raises("data", "text in UTF-8", got=f"{WRONG} in row 6 of {str(path)!r}"):
        scale.per_query(part, **OF_ROWS)


NAMED = pa.Table.from_arrays(
    [pa.array(each) for each in table().values()],
    [b"a\xff" if name == "label" else name for name in table()],
)
"""A table whose third name is not UTF-8."""
IN_NAMES = "names of columns are in UTF-8"


def written(path, columns, name):
    """Write a Parquet file in which a name of two letters is not UTF-8."""
    pq.write_table(pa.table(columns).rename_columns({name: "kX"}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"kX", b"a\xff"))
    return path


@pytest.mark.parametrize(
    ("parameter", "call"),
    [
        ("judgments", lambda: from_tables(NAMED, NAMED, **NAMES)),
        ("judgments", lambda: from_tables(NAMED, NAMED)),
        ("table", lambda: from_table(NAMED, **NAMES)),
        ("by", lambda: ranking_report(LABELS, SCORES, by=NAMED)),
        ("y_score", lambda: ndcg_score(LABELS, NAMED.select([2, 3]))),
        ("data", lambda: scale.report(NAMED, **OF_ROWS)),
    ],
)
def test_names_of_columns(parameter, call):
    with raises(parameter, IN_NAMES, advice="Rename the column.") as caught:
        call()
    assert caught.value.got == WRONG


def test_names_of_columns_of_files(tmp_path):
    path = written(tmp_path / "names.parquet", table(), "label")
    with raises("data", IN_NAMES, got=WRONG):
        scale.report(path, **OF_ROWS)
    with raises("data", IN_NAMES, advice=f"The file is {str(path)!r}"):
        scale.report([path, path], **OF_ROWS)
    with raises("data", IN_NAMES, got=WRONG):
        scale.report(ds.dataset(path).filter(ds.field("score") > 0), **OF_ROWS)


def test_files_of_values(tmp_path):
    path = tmp_path / "values.parquet"
    values = {"query": TEXT, "ndcg": [0.5, 0.2], "map": [0.5, 0.2]}
    pq.write_table(pa.table(values), path)
    with raises("system_a", "text in UTF-8", got=f"{WRONG} in row 1 of {str(path)!r}"):
        compare(path, path)
    written(path, values | {"query": ["a", "b"]}, "map")
    with raises("system_a", "a file of values", advice="") as caught:
        compare(path, path)
    assert "can't decode byte 0xff" in caught.value.got


@pytest.mark.parametrize("options", ["", "--ids text", "--by kind", "--labels number"])
@pytest.mark.parametrize("name", NAMES)
def test_the_command_names_the_file(tmp_path, monkeypatch, capsys, name, options):
    name = "kind" if (name, options) == ("item", "--by kind") else name
    monkeypatch.chdir(tmp_path)
    right = table("kind", ["a", "a"])
    pq.write_table(pa.table(right), "right.parquet")
    pq.write_table(pa.table(right | {name: TEXT}), "rows.parquet")
    files = ["right.parquet", "rows.parquet"] if name == "score" else ["rows.parquet"] * 2
    assert main([*files, "-m", "ndcg", *options.split()]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors == (
        f"ranking-scores: error: rows.parquet must be a table whose column {name!r} has text in "
        f"UTF-8. Got {WRONG} in row 1 instead. Decode it with its own encoding, and store it "
        "again in UTF-8.\n"
    )


def test_the_command_names_the_file_of_a_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(Path("names.parquet"), table(), "label")
    assert main(["names.parquet", "names.parquet", "-m", "ndcg"]) == 2
    assert capsys.readouterr().err == (
        "ranking-scores: error: names.parquet must be a table whose names of columns are in "
        f"UTF-8. Got {WRONG} instead. Rename the column.\n"
    )


LONE = "q\ud800"
"""Text of Python that UTF-8 cannot encode, since half of a character is missing."""


def follow(error, text):
    """Return what the code of an advice makes of a text."""
    code = error.code.partition("`")[2].rpartition("`")[0]
    return eval(code, {"text": text})


@pytest.mark.parametrize(
    ("parameter", "call"),
    [
        (
            "query_ids",
            lambda text: write_run("run", SCORES, query_ids=[text, "b"], item_ids=["x", "y"]),
        ),
        (
            "item_ids",
            lambda text: write_run("run", SCORES, query_ids=["x", "y"], item_ids=["a", text]),
        ),
        (
            "tag",
            lambda text: write_run(
                "run", SCORES, query_ids=["x", "y"], item_ids=["a", "b"], tag=text
            ),
        ),
        ("data", lambda text: scale.per_query(table("query", [text, "b"]), **OF_ROWS)),
        ("data", lambda text: scale.report(table("query", [text] * 2), **OF_ROWS, order="any")),
    ],
)
def test_the_advice_on_surrogates_helps(tmp_path, monkeypatch, parameter, call):
    monkeypatch.chdir(tmp_path)
    with raises(parameter, "", got=repr(LONE), advice="half of a character") as caught:
        call(LONE)
    call(follow(caught.value, LONE))


@pytest.mark.parametrize(("text", "shown"), [(LONE, rb"q\ud800"), ("q\udcff", b"q\xff")])
def test_the_advice_of_the_command_helps(tmp_path, monkeypatch, capsys, text, shown):
    monkeypatch.chdir(tmp_path)
    Path("judged.json").write_text(json.dumps({text: {"a": 1}}))
    Path("found.json").write_text(json.dumps({text: ["a"]}))
    arguments = ["judged.json", "found.json", "-m", "ndcg", "--by-query", "--format", "csv"]
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert main(arguments) == 2
    advice = capsys.readouterr().err.rpartition("PYTHONIOENCODING=")[2].strip().rstrip(".")
    encoding, _, errors = advice.partition(":")
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding=encoding, errors=errors))
    assert main(arguments) == 0
    assert b"found.json," + shown + b",ndcg" in output.getvalue()
