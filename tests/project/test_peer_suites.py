"""The list of other packages' tests, which tests/peers/run.py runs against this package."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import ranking_scores
from ranking_scores.conventions import like, programs

FOLDER = Path(__file__).parents[1] / "peers"
SUITES = tomllib.loads((FOLDER / "suites.toml").read_text(encoding="utf-8"))["suite"]
BY_NAME = {each["name"]: each for each in SUITES}
KEYS = {
    *(
        "name",
        "package",
        "version",
        "needs",
        "from_source",
        "repository",
        "commit",
        "folders",
        "imports",
    ),
    *(
        "options",
        "step",
        "files",
        "python_files",
        "shim",
        "holds",
        "replaced",
        "lacking",
        "differs",
    ),
}


@pytest.fixture
def _on_path(monkeypatch):
    """Let modules of the folder be imported as run.py imports them."""
    monkeypatch.syspath_prepend(FOLDER)
    yield
    for name in [each for each in sys.modules if each.partition(".")[0] in ("shims", "run")]:
        del sys.modules[name]


@pytest.mark.parametrize("name", BY_NAME)
def test_each_suite_is_pinned(name):
    suite = BY_NAME[name]
    assert {*suite} <= KEYS
    assert re.fullmatch(r"\d+(\.\d+)+", suite["version"])
    assert suite["files"]
    assert suite["holds"] > 0
    if "repository" in suite:
        assert suite["repository"].startswith("https://github.com/")
        assert re.fullmatch("[0-9a-f]{40}", suite["commit"])
        assert suite["folders"]


@pytest.mark.parametrize("name", BY_NAME)
def test_each_test_that_differs_is_named_once_and_has_a_reason(name):
    listed = [each for kind in ("lacking", "differs") for each in BY_NAME[name].get(kind, [])]
    for each in listed:
        assert {*each} == {"tests", "reason"}
        assert re.fullmatch(r"\w.{20,}\w\.", each["reason"])
    tests = [test for each in listed for test in each["tests"]]
    assert all("::" in test for test in tests)
    assert len({*tests}) == len(tests)


@pytest.mark.usefixtures("_on_path")
@pytest.mark.parametrize("name", BY_NAME)
def test_each_function_that_a_shim_replaces_is_listed(name):
    """The other package is not imported."""
    suite = BY_NAME[name]
    shim = import_module(f"shims.{suite['shim']}")
    assert {*shim.REPLACED} == {*suite["replaced"]}
    assert all(callable(each) for each in shim.REPLACED.values())


@pytest.mark.parametrize(
    "score", sorted({each for suite in SUITES for each in suite["replaced"].values()} - {"none"})
)
def test_each_score_that_answers_is_there(score):
    program, _, measure = score.partition(":")
    if not measure:
        assert callable(getattr(ranking_scores, score.removeprefix("ranking_scores.")))
    elif measure == "*":
        assert program in programs()
    else:
        found = programs()[program].measures
        assert measure in found
        assert callable(like(program, measure, **({"k": 3} if needs_cutoff(measure) else {})))


def needs_cutoff(measure):
    return measure == "top_k_accuracy_score"


def test_every_shim_is_of_a_suite():
    shims = {path.stem for path in (FOLDER / "shims").glob("*.py")} - {"__init__"}
    assert shims == {each["shim"] for each in SUITES}


def test_versions_are_those_whose_numbers_we_know():
    for suite in SUITES:
        program = programs().get(suite["name"])
        assert program is not None
        assert program.version == suite["version"]


@pytest.mark.usefixtures("_on_path")
def test_a_result_that_is_not_listed_is_a_problem():
    run = import_module("run")
    suite = {
        "holds": 1,
        "lacking": [{"tests": ["a.py::lacks"], "reason": "It is so."}],
        "differs": [{"tests": ["a.py::differs"], "reason": "It is so."}],
    }
    lacks, differs = {"a.py::lacks[1]": "bpref"}, {"a.py::differs": "E  1 != 2"}
    assert run.compare("a", suite, run.Outcome(["a.py::holds"], lacks, differs, 3)) == []
    found = run.compare("a", suite, run.Outcome(["a.py::holds"], lacks, {}, 3))
    assert found == ["a: a.py::differs is listed, but none of its cases differs."]
    found = run.compare("a", suite, run.Outcome(["a.py::holds", "a.py::differs"], lacks, {}, 3))
    assert found[1:] == [
        "a: a.py::differs is listed, but no longer differs.",
        "a: 2 tests hold, and 1 are expected.",
    ]
    found = run.compare("a", suite, run.Outcome([], lacks, {**differs, "a.py::holds": "E  0"}, 3))
    assert found == [
        "a: a.py::holds differs and is not listed so. E  0",
        "a: 0 tests hold, and 1 are expected.",
    ]


@pytest.mark.usefixtures("_on_path")
def test_parts_of_a_test_count_as_one_that_fails_if_a_part_does(tmp_path):
    run = import_module("run")
    file = tmp_path / "outcomes.jsonl"
    line = '{"test": "%s", "outcome": "%s", "calls": %d, "left": [], "message": ""}\n'
    parts = [("a", "passed", 1), ("a", "failed", 2), ("a", "passed", 3), ("b", "passed", 1)]
    parts += [("c", "passed", 0), ("d", "skipped", 1)]
    file.write_text("".join(line % part for part in parts), encoding="utf-8")
    assert run.read(file) == run.Outcome(["b"], {}, {"a": ""}, 2)


def test_an_unknown_suite_is_an_error_that_names_those_there_are():
    command = [sys.executable, FOLDER / "run.py", "tensorflow"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no suite 'tensorflow', only scikit-learn" in done.stderr
