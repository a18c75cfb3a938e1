"""The command with --agreement: two runs without judgments, in all formats, and the gate."""

from __future__ import annotations

import csv
import io
import json

import pytest

from ranking_scores.agreement import agreement_report
from ranking_scores.report import read_report
from ranking_scores.trec import read_run

OLD = {"q1": {"a": 3, "b": 3, "c": 1}, "q2": {"a": 2, "b": 1}, "q4": {"a": 1}}
NEW = {"q1": {"a": 5, "x": 4, "b": 2}, "q2": {"b": 2, "a": 1}, "q3": {"a": 1}}
CALL = "--agreement old.run new.run"


def trec_of(run):
    rows = ((query, *entry) for query, items in run.items() for entry in items.items())
    return "".join(f"{query} Q0 {item} 0 {score} x\n" for query, item, score in rows)


def columns_of(run):
    rows = [(query, *entry) for query, items in run.items() for entry in items.items()]
    return dict(zip(("query", "item", "score"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Write the two runs, and the groups of the queries, into a directory of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.run").write_text(trec_of(OLD))
    (tmp_path / "new.run").write_text(trec_of(NEW))
    (tmp_path / "groups.csv").write_text("query,kind\nq1,one\nq2,two\nq3,one\nq4,one\n")
    return tmp_path


def test_it_prints_the_means_and_the_queries_that_changed_most(call):
    status, output, errors = call(f"{CALL} -m overlap@2 rbo@.9")
    assert (status, errors) == (0, "")
    assert output == (
        "old.run, new.run: TREC's run\n"
        "\n"
        "run      score        mean  standard error  undefined\n"
        "new.run  overlap@2  0.7500          0.2500          0\n"
        "new.run  rbo@0.9    0.7675          0.1325          0\n"
        "\n"
        "2 queries\n"
        "1 query was only in old.run, and is left out: 'q4'\n"
        "1 query was only in new.run, and is left out: 'q3'\n"
        "agreement of new.run with old.run, without judgments\n"
        "\n"
        "changed most in overlap@2\n"
        "    overlap@2\n"
        "q1     0.5000\n"
        "\n"
        "items of these queries that left the first 2 or came in\n"
        "    item           rank before    rank now\n"
        "q1  b     left     1 to 2         3\n"
        "q1  x     came in  not retrieved  2\n"
    )


def test_the_numbers_are_those_of_the_function_to_the_last_bit(call):
    report = agreement_report(read_run("old.run"), read_run("new.run"))
    _, output, _ = call(f"{CALL} --format json --confidence 0.9")
    for record in json.loads(output):
        assert record["mean"] == report[record["score"]]
        assert record["standard_error"] == report.standard_error[record["score"]]
        assert record["low"] < record["mean"] <= record["high"]
    _, output, _ = call(f"{CALL} --by-query --format csv -m rbo@0.9")
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [float(row["mean"]) for row in rows] == [
        *report.per_query["rbo@0.9"].tolist(),
        report["rbo@0.9"],
    ]
    assert [row["query"] for row in rows] == ["q1", "q2", ""]


def write_files(folder, kind):
    """Write both runs in a format, and return the arguments that read them."""
    names = f"old.{kind} new.{kind}"
    for name, run in zip(names.split(), (OLD, NEW), strict=True):
        columns = columns_of(run)
        if kind == "parquet":
            parquet = pytest.importorskip("pyarrow.parquet")
            parquet.write_table(pytest.importorskip("pyarrow").table(columns), folder / name)
        elif kind == "csv":
            rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
            (folder / name).write_text("\n".join(["query,item,score", *rows, ""]))
        else:
            (folder / name).write_text(json.dumps(run))
    return names


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("csv", "CSV: query, item, score"),
        ("parquet", "Parquet: query, item, score"),
        ("json", "items by query"),
    ],
)
def test_it_reads_runs_of_every_format(call, folder, kind, form):
    expected = call(f"{CALL} --format json")[1]
    found = call(f"--agreement {write_files(folder, kind)} --format json")[1]
    assert f'"notes": ["old.{kind}, new.{kind}: {form}", "1 query was only' in found
    assert found.replace(f".{kind}", ".run").replace(form, "TREC's run") == expected


def test_two_fields_of_one_file_are_two_runs(call, folder):
    record = {"query": "q1", "bm25": ["a#1", "b#2"], "dense": ["a#3", "q1#1"]}
    line = "--agreement both.jsonl --retrieved bm25 dense --split # -m overlap@2"
    (folder / "both.jsonl").write_text(json.dumps(record))
    _, output, errors = call(line)
    assert "dense  overlap@2  0.5000" in output, errors
    _, output, _ = call(f"{line} --drop-self")
    assert "1 prediction has the id of its query, and was dropped" in output
    assert "agreement of dense with bm25, without judgments" in output


def test_groups_come_from_a_table_of_queries(call):
    status, output, _ = call(f"{CALL} -m overlap@2 --by kind --query-table groups.csv")
    assert status == 0
    assert output.startswith("old.run, new.run: TREC's run; groups.csv: CSV: query\n\nrun ")
    assert "kind one, 1 query" in output
    assert "    kind  overlap@2\nq1  one      0.5000\n" in output


@pytest.mark.parametrize(
    ("limit", "status"), [("0.8", 1), ("0.75", 0), ("1 --rule 'surely worse'", 0)]
)
def test_the_gate_has_an_exit_status(call, limit, status):
    found, output, errors = call(f"{CALL} -m overlap@2 --at-least overlap@2={limit}")
    assert found == status
    assert "only in a" not in output
    assert output.count("1 query was only in old.run, and is left out: 'q4'") == 1
    assert ("passed: " if status == 0 else "failed: 1 of 1 condition failed") in output
    assert errors.splitlines()[0] == (
        "ranking-scores: warning: new.run: 1 query was only in old.run, and is left out: 'q4'"
    )


def test_the_verdict_is_in_formats_for_programs(call):
    _, output, _ = call(f"{CALL} -m overlap@2 --at-least 0.8 --format json")
    [record] = json.loads(output)
    assert record["verdict"] == "failed"


def test_markdown_has_the_queries_that_changed_most(call):
    _, output, _ = call(f"{CALL} -m overlap@2 --format markdown")
    assert "**changed most in `overlap@2`**\n\n|  | overlap@2 |\n" in output


def test_it_saves_the_report_and_a_page(call):
    status, *_ = call(f"{CALL} -m overlap@2 --save report.json --html page.html")
    assert status == 0
    expected = agreement_report(read_run("old.run"), read_run("new.run"), scores="overlap@2")
    assert read_report("report.json") == expected
    with open("page.html") as file:
        page = file.read()
    assert "<h1>new.run and old.run</h1>" in page
    assert "<b>changed most in overlap@2</b>" in page
    assert "<h2>Curves</h2>" not in page


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{CALL} --ties", "--agreement compares two runs without judgments. Leave out --ties."),
        (
            f"{CALL} --queries judged",
            "--queries. It takes the queries that both runs have.",
        ),
        (
            f"{CALL} --baseline x --max-drop 0",
            "Leave out --baseline. In Python, ranking_scores",
        ),
        (f"{CALL} --jobs 2", "--agreement reads two files in one process. Leave out --jobs."),
        (f"{CALL} --by kind", "Pass --query-table."),
        (f"{CALL} -m ndcg@10", "ndcg@10 needs judgments, and --agreement has none."),
        (f"{CALL} -m overlap", "--scores must be a name with a cutoff"),
        (f"{CALL} -m foo@3", "--scores must be one of overlap@10"),
        (f"{CALL} third.run", "--agreement takes two runs. Got 3."),
        ("--agreement old.run", "--agreement takes two runs. Got 1."),
        ("--agreement old.run old.run", "old.run is given twice."),
        ("old.run new.run -m rbo@.9", "Write ranking-scores --agreement OLD_RUN NEW_RUN -m rbo@"),
        (f"{CALL} --at-least rbo@.9", "'rbo@.9' has no number"),
        (f"{CALL} --html new.run", "--html must be a file of its own."),
    ],
)
def test_errors_are_one_line(call, line, expected):
    status, output, errors = call(line)
    assert (status, output) == (2, "")
    assert expected in errors
    assert errors.count("\n") == 1


def test_errors_in_files_name_the_file(call, folder):
    (folder / "new.run").write_text("q1 Q0 a 0 1 x\nq1 Q0 a 0 2 x\n")
    _, _, errors = call(CALL)
    assert errors.startswith("ranking-scores: error: new.run must be")
    assert errors.endswith("hold, its other places stay, too, and hold unknown items.\n")
    assert call(f"{CALL} --duplicates best")[0] == 0
    (folder / "new.run").write_text("q1 0 a 1\n")
    _, _, errors = call(CALL)
    assert errors.endswith("instead. --agreement takes two runs, and no judgments.\n")
    (folder / "new.run").write_text("q9 Q0 a 0 1 x\n")
    _, _, errors = call(CALL)
    assert "new.run must be a ranking with a query of old.run. Got 'q1', 'q2'" in errors
    (folder / "new.run").write_text("")
    _, _, errors = call("--agreement new.run old.run")
    assert "new.run must be a ranking with a query of old.run. Got none in new.run and" in errors
    (folder / "numbers.json").write_text('[{"query": 1, "retrieved": ["a"]}]')
    _, _, errors = call("--agreement old.run numbers.json")
    assert "must be a dict whose keys have text, like old.run. Got numbers" in errors
    (folder / "new.run").write_text("q1 Q0 z 0 1 x\nq8 Q0 z 0 1 x\nq9 Q0 z 0 1 x\n")
    _, _, errors = call(CALL)
    assert "warning: new.run: old.run and new.run share only 1 query. old.run has 3" in errors
    assert "No item of a query is in both old.run and new.run." in errors
