"""The command with judgments by people beside those of a model: ``--human``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ranking_scores import from_tables, ranking_report
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import compare, confidence_interval
from ranking_scores.trec import read_qrels, read_run

N_QUERIES, N_HUMAN = 60, 25


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Write judgments by a model and by people, and two runs, into a directory of its own."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = {name: [] for name in ("model", "people", "old", "new")}
    rows = ["query,item,grade"]
    chosen = rng.choice(N_QUERIES, N_HUMAN, replace=False)
    for query in range(N_QUERIES):
        truth = rng.integers(0, 3, 8)
        labels = np.clip(truth + rng.integers(-1, 2, 8), 0, 2)
        lines["model"] += [f"q{query} 0 d{item} {each}" for item, each in enumerate(labels)]
        if query in chosen:
            lines["people"] += [f"q{query} 0 d{item} {each}" for item, each in enumerate(truth)]
            rows += [f"q{query},d{item},{each}" for item, each in enumerate(truth)]
        for name, quality in (("old", 0.8), ("new", 0.2)):
            scores = truth * quality + rng.normal(size=8)
            lines[name] += [f"q{query} Q0 d{item} 0 {s} x" for item, s in enumerate(scores)]
    for name, each in (lines | {"people.csv": rows}).items():
        (tmp_path / name).write_text("\n".join([*each, ""]))
    (tmp_path / "groups.csv").write_text(
        "\n".join(["query,kind", *(f"q{each},{each % 2}" for each in range(N_QUERIES))])
    )
    return tmp_path


@pytest.fixture
def refuse(call):
    def refuse(line):
        status, output, errors = call(line)
        assert (status, output) == (2, "")
        return errors.splitlines()[-1].removeprefix("ranking-scores: error: ")

    return refuse


def report_of(run, **params):
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    read = read_run(run)
    data, people = (from_tables(read_qrels(each), read, **names) for each in ("model", "people"))
    return ranking_report(data, scores=["ndcg@3", "mrr"], human=people, **params)


def records_of(output):
    return {(each["run"], each["score"]): each for each in json.loads(output)}


def test_one_line_gives_an_honest_interval(call):
    status, output, errors = call("model new -m ndcg@3 mrr --human people")
    assert (status, errors) == (0, "")
    forms, _, head, *_ = output.splitlines()
    assert forms == "model, people: TREC's judgments; new: TREC's run"
    head = head.split("  ")
    for title in ("mean", "low", "high", "human", "worth", "correlation", "bias low"):
        assert title in map(str.strip, head)
    assert "mean, low and high: prediction-powered, 95 % intervals" in output
    _, output, _ = call("model new -m ndcg@3 mrr --human people --confidence 0.9 --format json")
    found = confidence_interval(report_of("new"), confidence_level=0.9)
    for place, score in enumerate(["ndcg@3", "mrr"]):
        record = records_of(output)["new", score]
        assert record["mean"] == found.mean[place]
        assert (record["low"], record["high"]) == (found.low[place], found.high[place])
        assert record["n_human"] == N_HUMAN
        assert record["worth"] == found.human.worth[place]
        assert record["bias_low"] == found.human.bias_low[place]


def test_people_may_have_a_table(call):
    expected = call("model new -m ndcg@3 --human people --format csv")[:2]
    line = "model new -m ndcg@3 --human people.csv --label grade --format csv"
    status, output, errors = call(line)
    assert (status, output) == expected
    assert errors == (
        "ranking-scores: note: model: TREC's judgments; new: TREC's run; "
        "people.csv: CSV: query, item, grade as label\n"
    )


def test_what_is_skipped_in_the_file_of_people_is_said(call, folder):
    path = folder / "people"
    path.write_text("# by hand\n" + path.read_text())
    output = call("model new -m ndcg@3 --human people")[1]
    assert "\npeople: 1 line that begins with # is skipped\n\nrun " in output


def test_groups_of_queries(call):
    line = "model new -m ndcg@3 mrr --human people --by kind --query-table groups.csv"
    status, output, errors = call(f"{line} --format json")
    assert status == 0
    assert "queries were judged by people, at least 20 are better" in errors
    records = json.loads(output)
    kinds = {f"q{each}": str(each % 2) for each in range(N_QUERIES)}
    report = report_of("new", by={"kind": kinds})
    for record in records:
        if record["group"] is not None:
            own = report.by_group["kind"][record["group"]]
            with pytest.warns(UserWarning, match="judged by people"):
                found = confidence_interval(own)
            assert record["low"] == found.low[own.metrics.index(record["score"])]


def test_two_runs_are_compared(call):
    status, output, _ = call("model old new -m ndcg@3 mrr --human people --compare --format json")
    assert status == 0
    old, new = report_of("old"), report_of("new")
    for score in old:
        values, human = (
            [getattr(each, name)[score] for each in (old, new)] for name in ("per_query", "human")
        )
        found, record = compare(*values, human=human), records_of(output)["new", score]
        assert record["pvalue"] == found.pvalue
        assert (record["difference"], record["difference_low"]) == (found.difference, found.low)
        assert records_of(output)["old", score]["difference"] is None
    output = call("model old new -m ndcg@3 hit_rate@1 --human people --compare")[1]
    assert "difference to old: prediction-powered t test; 95 % intervals" in output
    assert "difference to old: prediction-powered score test of 0 and 1; 95 % intervals" in output


def test_gate_with_a_saved_baseline_and_with_a_run(call, folder):
    line = "model old -m ndcg@3 mrr --human people --save old.json"
    assert call(line)[0] == 0
    old = report_of("old")
    assert read_report("old.json").human["mrr"].tolist() == pytest.approx(
        old.human["mrr"].tolist(), abs=0, nan_ok=True
    )
    found = check(report_of("new"), old, max_drop=0.01, rule="surely worse")
    for baseline in ("old.json", "old"):
        line = "model new -m ndcg@3 mrr --human people --max-drop 0.01 --rule 'surely worse'"
        status, output, _ = call(f"{line} --baseline {baseline} --html page.html")
        assert status == int(not found.passed)
        inputs = "baseline old on model: same judgments, other run, same version\n"
        assert (inputs in output) is (baseline == "old.json")
        assert repr(found) in output.replace(inputs, "")
        assert "left out: people's labels" in output
    assert "the difference of each query" in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("model new --ties", "people's judgments. Leave out --ties."),
        ("model new --unjudged", "people's judgments. Leave out --unjudged."),
        ("model new --by-query", "people's judgments. Leave out --by-query."),
        ("model old new model --compare", "--human compares two runs. Got 3."),
        ("model old new --ranks", "Leave out --ranks."),
        ("model new --save p.json --human p.json", "--save must be a file of its own"),
        ("- new --human -", "- is given twice. Pass each file once."),
    ],
)
def test_what_does_not_go_with_people(refuse, line, message):
    assert message in refuse(f"--human people {line} -m ndcg@3")


def test_judgments_of_other_queries_are_refused(refuse, folder):
    (folder / "more").write_text((folder / "people").read_text() + "x 0 d1 1\n")
    expected = "more must be about some of the queries that the model judged. Got also 'x'"
    assert expected in refuse("model new -m ndcg@3 --human more")
