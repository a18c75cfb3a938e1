"""The option --judge of the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ranking_scores import from_tables
from ranking_scores.agreement import judge_agreement

RNG = np.random.default_rng(4)
JUDGED = pd.DataFrame(
    [
        (f"q{query}", f"d{item}", who, int(RNG.integers(0, 3)), "de" if query % 2 else "en")
        for query in range(8)
        for item in range(5)
        for who in ("ann", "bob")
    ],
    columns=["query", "item", "who", "label", "lang"],
)
RUN = pd.DataFrame(
    [(f"q{query}", f"d{item}", RNG.random()) for query in range(8) for item in range(5)],
    columns=["query", "item", "score"],
)
LINE = "judged.csv run.csv -m ndcg@3 mrr --judge who --duplicates"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    JUDGED.to_csv("judged.csv", index=False)
    RUN.to_csv("run.csv", index=False)
    JUDGED.to_json("judged.json", orient="records")


def agreement_of(duplicates):
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    data = from_tables(JUDGED, RUN, **names, judge="who", duplicates=duplicates)
    return judge_agreement(data, scores=["ndcg@3", "mrr"])


@pytest.mark.parametrize("more", ["", " --by lang", " --queries both"])
@pytest.mark.parametrize("duplicates", ["mean", "median", "majority"])
def test_the_agreement_of_judges_is_printed_below_the_scores(call, duplicates, more):
    found = agreement_of(duplicates)
    status, output, errors = call(f"{LINE} {duplicates}{more}")
    assert (status, errors) == (0, "")
    assert output.endswith(f"\n{found!r}\n")
    assert f"{found.merged[0]:.4f}" in output
    markdown = call(f"{LINE} {duplicates} --format markdown")[1]
    assert markdown.endswith(f"\n{found.to_markdown()}\n")
    assert call(f"{LINE} {duplicates} --html page.html")[0] == 0
    assert found._repr_html_() in Path("page.html").read_text()
    records = json.loads(call(f"{LINE} {duplicates} --format json")[1])
    assert [each["mean"] for each in records] == found.merged.tolist()
    rows = call(f"{LINE.replace('judged.csv', 'judged.json')} {duplicates}")[1]
    assert rows.endswith(f"\n{found!r}\n")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("judged.csv run.csv --judge who", "--judge needs --duplicates mean, median or majority."),
        (f"{LINE} best", "--judge needs --duplicates mean, median or majority."),
        (f"{LINE} mean run2.csv", "--judge takes one RUN. Got 2."),
        (f"{LINE} mean --judge x", "judged.csv: there is no column 'x' among "),
        ("lists.json --judge who --duplicates mean", "lists.json: "),
        ("qrels run.trec --judge who --duplicates mean", "--judge is for CSV, "),
        ("--agreement run.csv run2.csv --judge who", "--agreement compares two runs without "),
        ("twice.csv run.csv --judge who --duplicates mean", "twice.csv must be a table whose "),
    ],
)
def test_what_goes_wrong_is_one_line(call, tmp_path, line, error):
    RUN.to_csv("run2.csv", index=False)
    lists = [{"query": "q1", "relevant": ["a"], "retrieved": ["a"], "who": "ann"}]
    (tmp_path / "lists.json").write_text(json.dumps(lists))
    pd.concat([JUDGED, JUDGED[:1]]).to_csv("twice.csv", index=False)
    status, _, errors = call(line)
    assert status == 2
    assert errors.splitlines()[-1].startswith(f"ranking-scores: error: {error}")
