"""The GitHub action: the shell of its steps is run as it stands in action.yml."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ranking_scores.__main__ import main

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None, reason="the steps are of bash"
)


@pytest.fixture
def act(tmp_path, monkeypatch):
    """Return a function that runs the step that scores, and the last one, with some inputs.

    The command is this package, not one that the first step would install.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.json").write_text('{"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}')
    (tmp_path / "good.json").write_text('{"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}')
    (tmp_path / "bad run.json").write_text('{"q1": ["x", "b"], "q2": ["y"], "q3": ["d"]}')
    command = tmp_path / "ranking-scores" / "bin" / "ranking-scores"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ranking_scores "$@"\n')
    command.chmod(0o755)

    def run(step, values):
        folders = {"RUNNER_TEMP": str(tmp_path)}
        files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        environment = os.environ | {"PYTHONPATH": str(ROOT)} | folders | files | values
        return subprocess.run(shell, env=environment, capture_output=True, text=True, timeout=120)

    def act(**inputs):
        given = {name: value.get("default", "") for name, value in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        names = {
            variable: value.removeprefix("${{ inputs.").removesuffix(" }}")
            for variable, value in STEPS["Score"]["env"].items()
        }
        for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            (tmp_path / name).unlink(missing_ok=True)
        scored = run(STEPS["Score"], {variable: given[name] for variable, name in names.items()})
        assert scored.returncode == 0, scored.stderr
        text = (tmp_path / "GITHUB_OUTPUT").read_text()
        first, *lines = text.splitlines()
        end = lines.index(first.removeprefix("comment<<"))
        outputs = {"comment": "\n".join(lines[:end])}
        outputs |= dict(line.split("=") for line in lines[end + 1 :])
        assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text().strip() == outputs["comment"].strip()
        last = run(STEPS["Pass or fail"], {"STATUS": outputs["status"]})
        assert str(last.returncode) == outputs["status"]
        return outputs

    return act


def test_the_table_is_the_summary_and_the_output(act):
    outputs = act(judgments="gold.json", runs="good.json\nbad run.json\n", scores="ndcg@10 mrr")
    assert outputs["status"] == "0"
    forms = "gold.json, good.json, bad run.json: items by query"
    assert outputs["comment"].startswith(f"{forms}\n\n| run | score | mean |")
    assert outputs["comment"].count("`bad run.json`") >= 2
    assert "page" not in outputs  # it is of a single run


def test_a_single_run_has_a_page(act):
    outputs = act(judgments="gold.json", runs="bad run.json")
    assert "<html" in Path(outputs["page"]).read_text()


def test_runs_in_the_file_of_the_judgments_have_no_page(act, tmp_path):
    act(judgments="gold.json", runs="good.json")  # its page is not taken for one of these
    row = {"query": "q1", "relevant": ["a"], "first": ["a"], "second": ["b"]}
    (tmp_path / "both.jsonl").write_text(json.dumps(row))
    outputs = act(judgments="both.jsonl", options="--retrieved\nfirst\nsecond")
    assert outputs["status"] == "0"
    assert "page" not in outputs


def test_the_gate_decides_the_status(act):
    act(judgments="gold.json", runs="good.json", scores="ndcg@10", options="--save\nbase.json")
    gate = {"judgments": "gold.json", "scores": "ndcg@10", "baseline": "base.json"}
    outputs = act(runs="bad run.json", max_drop="0.01", at_least="ndcg@10=0.2", **gate)
    assert outputs["status"] == "1"
    assert "**failed: 1 of 2 conditions failed**" in outputs["comment"]


FORMS = {
    "one line": " ".join,
    "several lines": lambda words: "\n".join(words) + "\n",
    "an empty first line": lambda words: "\n\n" + "\n".join(words),
    "blanks": lambda words: "  " + " \n\t ".join(words) + "  \n ",
    "line ends of Windows": lambda words: "\r\n".join(words) + "\r\n",
}
"""Ways to write an input of several words in a workflow."""


@pytest.fixture
def base(act):
    """Save the report of the good run as base.json, with two scores."""
    files = ["gold.json", "good.json"]
    assert main([*files, "-m", "hit_rate@10,recall@10", "--save", "base.json"]) == 0


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_every_line_and_every_word_counts(act, base, form):
    outputs = act(
        judgments=form(["gold.json"]),
        runs=form(["bad run.json"]),
        scores=form(["hit_rate@10", "recall@10"]),
        baseline=form(["base.json"]),
        max_drop=form(["hit_rate@10=1", "recall@10=0.01"]),
        at_least=form(["hit_rate@10=0.1", "recall@10=0.9"]),
        rule=form(["surely", "not", "worse"]),
        options="\n".join(["", " --undecided ", "pass\r", ""]),
    )
    assert outputs["status"] == "0"
    assert "of 4 conditions failed, " in outputs["comment"]
    assert "undecided, which count as passed**" in outputs["comment"]
    assert "rule 'surely not worse'" in outputs["comment"]


def test_the_limit_on_the_last_line_fails(act, base):
    gate = {"scores": "hit_rate@10\nrecall@10", "max_drop": "hit_rate@10=1\nrecall@10=0.01"}
    outputs = act(judgments="gold.json", runs="bad run.json", baseline="base.json", **gate)
    assert outputs["status"] == "1"
    assert "**failed: 1 of 2 conditions failed**" in outputs["comment"]


@pytest.mark.parametrize("nothing", ["", " ", "\n", " \n\t\r\n"])
def test_an_input_of_blanks_is_left_out(act, nothing):
    names = ("scores", "baseline", "baseline_queries", "max_drop", "at_least", "rule", "options")
    empty = dict.fromkeys(names, nothing)
    given = {"judgments": "gold.json", "runs": "good.json"}
    outputs = act(**given | empty)
    assert outputs["status"] == "0"
    assert outputs["comment"] == act(**given)["comment"]
    assert act(**given | {"judgments": nothing})["status"] == "2"


def test_a_baseline_alone_shows_what_changed(act, base):
    scores = "hit_rate@10 recall@10"
    outputs = act(judgments="gold.json", runs="bad run.json", baseline="base.json", scores=scores)
    assert outputs["status"] == "0"
    assert "no clear change" in outputs["comment"]


def test_a_gold_set_may_grow(act, base, tmp_path):
    (tmp_path / "more.json").write_text('{"q2": ["c"], "q3": ["d"], "q4": ["e"]}')
    (tmp_path / "run.json").write_text('{"q2": ["c"], "q3": ["d"], "q4": ["x", "e"]}')
    gate = {"judgments": "more.json", "runs": "run.json", "baseline": "base.json", "max_drop": "0"}
    outputs = act(**gate)
    assert outputs["status"] == "2"
    assert "pass --baseline-queries both" in outputs["comment"]
    outputs = act(**gate, baseline_queries=" both\n", options="--update-if-better")
    assert outputs["status"] == "0"
    counts = "queries in both: 2; new: 1 ('q4'); gone: 1 ('q1'); judged anew: 0"
    assert counts in outputs["comment"]
    assert act(**gate)["status"] == "0"


def test_two_names_where_one_is_asked_are_an_error(act):
    outputs = act(judgments="gold.json\ngood.json", runs="bad run.json")
    assert outputs["status"] == "2"
    assert "gold.json good.json" in outputs["comment"]


def test_input_that_is_wrong_is_told(act):
    outputs = act(judgments="gold.json", runs="nowhere.json")
    assert outputs["status"] == "2"
    assert "nowhere.json" in outputs["comment"]


def test_no_input_is_run(act, tmp_path):
    trap = f"$(touch {tmp_path}/trapped) `touch {tmp_path}/trapped` ; touch {tmp_path}/trapped"
    outputs = act(judgments="gold.json", runs=trap, options=trap)
    assert outputs["status"] == "2"
    assert not (tmp_path / "trapped").exists()


def test_the_inputs_are_those_that_the_steps_read():
    text = json.dumps(ACTION["runs"])
    assert all(f"inputs.{name}" in text for name in ACTION["inputs"])
    assert not any("${{" in step.get("run", "") for step in STEPS.values())
