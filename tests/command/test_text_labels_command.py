"""Labels that are text, with the number of each, in all files that have such labels."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from ranking_scores.__main__ import main

GAINS = {"E": 1, "S": 0.1, "C": 0.01, "I": 0}
ROWS = [("q1", "a", "S"), ("q1", "b", "E"), ("q1", "c", "I"), ("q2", "a", "C"), ("q2", "d", "S")]
RUN = (
    "q1 Q0 a 1 0.9 x\nq1 Q0 c 2 0.8 x\nq1 Q0 b 3 0.7 x\n"
    "q2 Q0 x 1 0.9 x\nq2 Q0 a 2 0.8 x\nq2 Q0 d 3 0.7 x\n"
)
OPTION = "--labels E=1,S=.1,C=.01,I=0"


def as_lists(pairs):
    lists = {}
    for query, item, label in ROWS:
        lists.setdefault(query, {})[item] = label
    return {q: [[*pair] for pair in own.items()] if pairs else own for q, own in lists.items()}


TEXTS = {
    "gold.csv": "\n".join(map(",".join, [("query", "item", "label"), *ROWS])),
    "gold.tsv": "\n".join(map("\t".join, [("query", "item", "label"), *ROWS])),
    "dicts.json": json.dumps(as_lists(False)),
    "pairs.json": json.dumps(as_lists(True)),
    "rows.json": json.dumps(
        [dict(zip(("query", "item", "label"), row, strict=True)) for row in ROWS]
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "found").write_text(RUN)
    numbers = [f"{query},{item},{GAINS[label]}\n" for query, item, label in ROWS]
    (tmp_path / "numbers.csv").write_text("query,item,label\n" + "".join(numbers))


def call(line, capsys):
    status = main([*line.split(), "-m", "ndcg@3"])
    output, errors = capsys.readouterr()
    return status, output, errors


@pytest.mark.parametrize("name", TEXTS)
def test_each_label_has_its_number(name, tmp_path, capsys):
    (tmp_path / name).write_text(TEXTS[name])
    _, expected, _ = call("numbers.csv found", capsys)
    status, output, _ = call(f"{name} found {OPTION}", capsys)
    assert status == 0
    assert output.split("run  ")[1] == expected.split("run  ")[1]
    status, _, errors = call(f"{name} found --labels E=1,S=.1", capsys)
    assert status == 2
    assert name in errors
    assert "'I'" in errors


def test_parquet(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    pd.DataFrame(ROWS, columns=["query", "item", "label"]).to_parquet(tmp_path / "gold.parquet")
    _, expected, _ = call("numbers.csv found", capsys)
    _, output, _ = call(f"gold.parquet found {OPTION}", capsys)
    assert output.split("run  ")[1] == expected.split("run  ")[1]


@pytest.mark.parametrize("labels", ["E", "E=", "E=x", "=1", "E=inf", "E=1,"])
def test_other_values_are_refused(labels, capsys):
    status, _, errors = call(f"numbers.csv found --labels {labels}", capsys)
    assert status == 2
    assert "E=1,S=.1,I=0" in errors


@pytest.mark.parametrize("name", ["gold.csv", "dicts.json", "rows.json"])
def test_labels_that_are_numbers_have_others(name, tmp_path, capsys):
    """In JSON they are no text."""
    text = TEXTS[name].replace('"label"', '"LABEL"')
    for number, label in enumerate("SECI"):
        own = f'"{label}"' if name.endswith("json") else f",{label}"
        text = text.replace(own, own.replace(label, f"{number}").replace('"', ""))
    (tmp_path / name).write_text(text.replace("LABEL", "label"))
    _, expected, _ = call("numbers.csv found", capsys)
    status, output, _ = call(f"{name} found --labels 1=1,0=.1,2=.01,3=0", capsys)
    assert status == 0
    assert output.split("run  ")[1] == expected.split("run  ")[1]
    status, _, errors = call(f"{name} found --labels 1=1,0=.1", capsys)
    assert status == 2
    assert name == "gold.csv" or "Add each to --labels." in errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--labels E=1,E=2", "must be different labels. Got 'E' twice"),
        (f"{OPTION} --no-label", "--no-label none. Leave out one of them."),
    ],
)
def test_labels_that_cannot_be_are_refused(options, message, capsys):
    status, _, errors = call(f"numbers.csv found {options}", capsys)
    assert status == 2
    assert message in errors


@pytest.mark.parametrize("file", ["gold.csv", "rows.json", "dicts.json"])
def test_gains_are_not_taken_for_scores_of_a_run_of_grades(tmp_path, capsys, file):
    (tmp_path / file).write_text(TEXTS[file])
    (tmp_path / "found.csv").write_text("query,item,score\nq1,a,3\nq1,c,2\nq1,b,1\nq2,d,1\n")
    assert main([*f"{file} found.csv {OPTION} -m mrr".split()]) == 0
    (tmp_path / "numbers.csv").write_text("query,item,label\nq1,a,.9\nq1,b,.1\n")
    assert main(["numbers.csv", "found.csv"]) == 2
    assert "Are the two swapped?" in capsys.readouterr().err
