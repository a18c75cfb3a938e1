"""Items that the command leaves out for each query."""

from __future__ import annotations

import json

import pytest
from command_data import standard_input, write_parquet

from ranking_scores.__main__ import main

GOLD = "q1 0 c 1\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq1 Q0 c 3 1 x\nq2 Q0 b 1 3 x\nq2 Q0 a 2 1 x\n"
RECORDS = [
    {"query": "q1", "relevant": ["c"], "retrieved": ["a", "b", "c"], "excluded_ids": ["a", "b"]},
    {"query": "q2", "relevant": ["a"], "retrieved": ["b", "a"], "excluded_ids": ["b"]},
]
FILES = {
    "qrels": "q1 0 a 1\nq1 0 b 1\nq2 0 b 1\n",
    "pairs": "q1\ta\nq1\tb\nq2\tb\n",
    "train.csv": "query,item\nq1,a\nq1,b\nq2,b\n",
    "lists.json": '{"q1": ["a", "b"], "q2": ["b"]}',
    "records.jsonl": "\n".join(map(json.dumps, RECORDS)),
    "alone.jsonl": '{"query": "q1", "excluded_ids": ["a", "b"]}\n'
    '{"query": "q2", "excluded_ids": ["b"]}\n',
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {**FILES, "gold": GOLD, "found": RUN}.items():
        (tmp_path / name).write_text(text)


def call(line, capsys):
    status = main([*line.split(), "-m", "mrr"])
    output, errors = capsys.readouterr()
    return status, output, errors


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", FILES)
def test_any_form_of_judgments(name, capsys):
    status, result, _ = call(f"gold found --exclude {name}", capsys)
    assert status == 0
    assert "  1.0000  " in result
    assert "found: predictions left out: 3" in result


@pytest.mark.usefixtures("folder")
def test_records_may_have_all_three_fields(capsys):
    assert f"  {(1 / 3 + 1 / 2) / 2:.4f}  " in call("records.jsonl", capsys)[1]
    _, result, _ = call("records.jsonl --exclude records.jsonl", capsys)
    assert "  1.0000  " in result
    _, result, _ = call("records.jsonl --exclude gold", capsys)
    note = "predictions left out: 2; judged items left out, which count as not retrieved: 2"
    assert f"records.jsonl: {note}" in result
    assert "  0.0000  " in result


@pytest.mark.usefixtures("folder")
def test_errors_name_the_file_and_the_option(tmp_path, capsys):
    status, _, errors = call("found found --agreement --exclude gold", capsys)
    assert status == 2
    assert "Leave out --exclude" in errors
    (tmp_path / "numbers.json").write_text('{"q1": [1]}')
    status, _, errors = call("gold found --exclude numbers.json", capsys)
    assert status == 2
    assert "numbers.json" in errors
    status, _, errors = call("gold found --exclude nowhere", capsys)
    assert status == 2
    assert "nowhere" in errors


ITEMS = {
    "lines": "a\n\n  b \n",
    "lines.txt": "\ufeffa\nb",
    "column.csv": "item,text\na,c\nb,c\n",
    "column.tsv": "id\titem\n1\ta\n2\tb\n",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ITEMS)
def test_items_that_there_are(name, tmp_path, capsys):
    (tmp_path / name).write_text(ITEMS[name], encoding="utf-8")
    status, result, _ = call(f"gold found --items {name}", capsys)
    assert status == 0
    assert "\n1 of 2 relevant items (50.0%) is not among the known items: 'c'\n" in result
    status, result, _ = call(f"gold found --items {name} --jobs 2", capsys)
    assert "known items: 'c'" in result
    if name.startswith("lines"):
        with standard_input(name):
            assert "known items: 'c'" in call("gold found --items -", capsys)[1]
    (tmp_path / "doc.csv").write_text("docid\na\nc\n")
    assert "known" not in call("gold found --items doc.csv --item docid", capsys)[1]
    write_parquet("found.parquet", item=["c"])
    assert "known items: 'a'" in call("gold found --items found.parquet", capsys)[1]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("items.csv", b"item\n", "error: items.csv must be the ids of all items"),
        ("items.json", b'["a"]', "--items takes ids in lines, CSV, TSV or Parquet"),
        ("items.csv", b"docid\na\n", "Name the column with --item."),
        ("items", b"\xff\n", "items must be in UTF-8"),
        ("items", b"\n", "error: items must be the ids of all items"),
        ("nowhere", b"", "nowhere: No such file"),
    ],
)
def test_items_are_refused_by_name(name, content, message, tmp_path, capsys):
    if name != "nowhere":
        (tmp_path / name).write_bytes(content)
    status, _, errors = call(f"gold found --items {name}", capsys)
    assert status == 2
    assert message in errors
    errors = call(f"found found --agreement --items {name}", capsys)[2]
    assert "Leave out --items" in errors


@pytest.mark.usefixtures("folder")
def test_a_query_among_its_own_items_and_large_files_that_tie(tmp_path, capsys, monkeypatch):
    (tmp_path / "own").write_text("q1 Q0 q1 1 3 x\nq1 Q0 b 2 2 x\nq1 Q0 c 3 2 x\nq2 Q0 a 1 1 x\n")
    result = call("gold own", capsys)[1]
    assert "\n1 query has an item with its own id: see --drop-self\n" in result
    assert "own id" not in call("gold own --drop-self", capsys)[1].partition("mean")[2]
    monkeypatch.setattr("ranking_scores.report._MOST_CELLS", 1)
    assert "\nscores tie: --ties has the lowest" in call("gold own", capsys)[1]
    assert "ties" not in call("gold own --ties", capsys)[1]


def test_several_judges(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold").write_text("q1 0 a 3\nq1 0 a 0\nq1 0 a 0\nq1 0 c 1\n")
    (tmp_path / "found").write_text("q1 Q0 a 1 3 x\nq1 Q0 c 3 1 x\n")
    assert "mean, median or majority" in call("gold found", capsys)[2]
    for how, value in {"mean": "1.0000", "majority": "0.5000"}.items():
        assert f"  {value}  " in call(f"gold found --duplicates {how}", capsys)[1]
    for option, message in {
        "--agreement": "has no labels",
        "--aspects": "does not go with",
    }.items():
        status, _, errors = call(f"gold found --duplicates mean {option}", capsys)
        assert status == 2
        assert message in errors


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("train.csv", "CSV: query, item, each row as items to leave out"),
        ("alone.jsonl", "one record per query: query, excluded_ids as items to leave out"),
    ],
)
def test_the_line_of_forms_does_not_call_them_relevant(folder, capsys, file, form):
    status, output, _ = call(f"gold found --exclude {file}", capsys)
    assert status == 0
    assert f"{file}: {form}\n" in output
