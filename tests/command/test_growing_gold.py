"""The command where questions are added to the gold set, and a baseline that follows."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from ranking_scores.__main__ import main
from ranking_scores._command._output import _history
from ranking_scores.report import read_report


def test_means_over_time_have_a_picture_that_is_as_high_as_they_differ():
    means = {"ndcg@10": [0.72, math.nan, 0.71, 0.7], "<mrr>": [0.5, 0.5, 0.5, 0.5], "map": [1.0]}
    dates = ["<1>", "2026-11-02", "2026-11-03", "2026-11-04"]
    falls, flat = _history(dates, means)
    [points] = re.findall('<polyline points="(.*?)"', falls)
    x, y = np.array([each.split(",") for each in points.split()], float).T
    np.testing.assert_allclose(x, np.interp([0, 2, 3], (0, 3), (44, 632)), atol=0.051)
    np.testing.assert_allclose(y, (8, 112, 216), atol=0.051)
    for text in (">0.72<", ">0.7<", ">&lt;1&gt;<", ">2026-11-04<", "ndcg@10 over time"):
        assert text in falls
    assert set(re.findall(r",(\d+\.\d)", flat)) == {"216.0"}
    assert "&lt;mrr&gt;" in flat


RNG = np.random.default_rng(3)
RELEVANT = {f"q{each}": [f"d{item}" for item in RNG.permutation(9)[:3]] for each in range(30)}
RANKED = {each: [f"d{item}" for item in RNG.permutation(9)] for each in RELEVANT}
OF_GATE = "-m ndcg@3 mrr --max-drop .5 --baseline"


def some(lists, *numbers):
    return {f"q{each}": lists[f"q{each}"] for each in numbers}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Write a gold set that has grown, what was found for it, and the report of before."""
    monkeypatch.chdir(tmp_path)
    for name, lists in {
        "old.json": some(RELEVANT, *range(20)),
        "gold.json": some(RELEVANT, *range(2, 30)),
        "found.json": RANKED,
        "new.json": dict(zip([*RANKED][2:], RANKED.values(), strict=False)),
    }.items():
        Path(name).write_text(json.dumps(lists))
    main(["old.json", "found.json", "-m", "ndcg@3", "mrr", "--save", "base.json"])
    return tmp_path


@pytest.mark.parametrize("baseline", ["base.json", "run"])
def test_the_queries_that_both_have_are_compared(call, refuse, baseline):
    """A run is scored on the judgments of all queries, or on those that it has."""
    options = ""
    if baseline == "run":
        Path("run.json").write_text(json.dumps(some(RANKED, *range(20))))
        baseline, options = "run.json", "--queries both"
    line = f"gold.json new.json {OF_GATE} {baseline} {options}"
    error = refuse(line)
    assert error.startswith("new.json must be of the same ")
    assert error.endswith(" To compare the queries that both have, pass --baseline-queries both.")
    status, output, errors = call(f"{line} --baseline-queries both --html page.html")
    assert (status, errors) == (0, "")
    assert "10 queries that only new has" in output
    gone = "gone: 2 ('q0', 'q1')" if baseline == "base.json" else "gone: 0"
    assert f"queries in both: 18; new: 10 ('q20', 'q21', 'q22' and 7 more); {gone}; " in output
    assert "judged anew: 0" in output
    assert "the difference of each query, 18 queries" in Path("page.html").read_text()
    status, output, _ = call(f"{line.replace('--max-drop .5', '')} --baseline-queries both")
    assert (status, "no query in both was judged anew" in output) == (0, True)


def test_what_baseline_queries_do_not_go_with(refuse):
    error = refuse("gold.json new.json --baseline-queries both")
    assert error == "--baseline-queries is for --baseline."
    error = refuse("--agreement found.json new.json --baseline-queries both")
    assert error.endswith("without judgments. Leave out --baseline-queries.")


WRITTEN = "baseline base.json: written, with the scores of 28 queries, before of 20"


def test_a_run_that_passes_becomes_the_baseline_and_the_page_draws_its_past(call):
    both = f"gold.json new.json {OF_GATE} base.json --baseline-queries both --update-if-better"
    status, output, errors = call(f"{both} --html page.html")
    assert (status, errors) == (0, "")
    assert output.endswith(f"\n{WRITTEN}\n")
    assert "over time" not in Path("page.html").read_text()  # there was no past before
    saved = read_report("base.json")
    assert (saved.inputs["files"], saved.n_queries) == ("new.json on gold.json", 28)
    line = f"gold.json found.json {OF_GATE} base.json --html page.html"
    assert "baseline base.json" not in call(line)[1]
    page = Path("page.html").read_text()
    for name in ("ndcg@3", "mrr"):
        [points] = re.findall(f'aria-label="{name} over time".*?<polyline points="(.*?)"', page)
        assert points.count(",") == 3
    assert page.count(">earlier<") == 2
    assert len(read_report("base.json").history) == 2


@pytest.mark.parametrize("form", ["json", "csv", "markdown"])
def test_what_was_written_is_said_in_each_format(call, form):
    line = f"gold.json new.json {OF_GATE} base.json --baseline-queries both --format {form}"
    said = "".join(call(line)[1:])
    assert "written" not in said
    assert said.count("queries in both: 18; new: 10 (") == 1
    _, output, errors = call(f"{line} --update-if-better")
    assert (output if form == "markdown" else errors).count(WRITTEN) == 1


def test_a_run_that_fails_does_not_become_the_baseline(call):
    before = Path("base.json").read_bytes()
    Path("new.json").write_text(json.dumps({f"q{each}": ["x"] for each in range(20)}))
    status, output, _ = call(f"old.json new.json {OF_GATE} base.json --update-if-better")
    assert (status, Path("base.json").read_bytes()) == (1, before)
    assert "baseline base.json: not written, since the gate failed" in output


def test_a_baseline_that_cannot_be_written_is_one_line(call, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    before = Path("base.json").read_bytes()
    status, _, errors = call(f"old.json found.json {OF_GATE} base.json --update-if-better")
    assert (status, Path("base.json").read_bytes()) == (2, before)
    assert errors.endswith("ranking-scores: error: base.json: No space left on device\n")


NEEDS = "--update-if-better needs --max-drop, and a --baseline that --save has written."


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gold.json new.json", NEEDS),
        ("gold.json new.json --baseline base.json", NEEDS),
        ("gold.json new.json --baseline found.json --max-drop 0", NEEDS),
        ("old.json new.json --baseline base.jsonl --max-drop 0", "--baseline must be a name in"),
        ("--agreement found.json new.json", "Leave out --update-if-better."),
    ],
)
def test_what_an_update_does_not_go_with(refuse, line, message):
    Path("base.jsonl").write_bytes(Path("base.json").read_bytes())
    assert message in refuse(f"{line} --update-if-better")
