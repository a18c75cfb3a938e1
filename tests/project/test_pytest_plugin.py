"""The plugin of pytest, in tests that run in folders of their own."""

from __future__ import annotations

import subprocess
import sys
from inspect import signature

import pytest

from ranking_scores.gates import check  # before the runs, so that all of them share the package

pytest_plugins = ["pytester"]

TESTS = """
import pytest
from ranking_scores import from_lists, ranking_report

GOLD = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}

@pytest.mark.parametrize("system", ["dense"])
def test_search(ranking_gate, system):
    report = ranking_report(from_lists(GOLD, FOUND), scores="ndcg@10")
    ranking_gate(report, CONDITIONS)
"""
GOOD = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}
BAD = {"q1": ["x", "a"], "q2": ["y"], "q3": ["d"]}


@pytest.fixture
def run(pytester):
    """Return a function that runs a test with a system and conditions."""
    plugins = ["-p", "pytest_ranking_scores", "-p", "no:cacheprovider"]

    def run(found, conditions, *options):
        text = TESTS.replace("FOUND", repr(found)).replace("CONDITIONS", conditions)
        pytester.makepyfile(test_it=text)
        return pytester.runpytest_inprocess(*plugins, *options)

    return run


def test_a_baseline_is_written_and_a_drop_fails_with_the_table(run, pytester):
    run(GOOD, "max_drop=0.01", "--ranking-update").assert_outcomes(passed=1)
    assert (pytester.path / "ranking_baselines" / "test_it" / "test_search-dense.json").exists()
    run(GOOD, "max_drop=0.01").assert_outcomes(passed=1)
    failed = run(BAD, "max_drop=0.01")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["*ndcg@10*drop of at most 0.01*failed*"])


def test_without_a_baseline_the_message_says_how_to_write_it(run):
    failed = run(GOOD, "max_drop=0.01", "--ranking-baseline=nowhere")
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(["there is no baseline *nowhere*--ranking-update once*"])


def test_what_is_asked_of_the_scores_alone_is_checked_even_if_a_baseline_is_written(run):
    run(BAD, "at_least=0.9").assert_outcomes(failed=1)
    run(BAD, "max_drop=0.1, at_least=0.9", "--ranking-update").assert_outcomes(failed=1)
    run(GOOD, "at_least=0.9").assert_outcomes(passed=1)


def test_a_test_may_name_its_baselines(run, pytester):
    folder = pytester.path / "kept"
    options = ("--ranking-update", f"--ranking-baseline={folder}")
    run(GOOD, "max_drop=0, name='dense.1'", *options).assert_outcomes(passed=1)
    assert [path.name for path in folder.iterdir()] == ["dense.1.json"]
    failed = run(GOOD, "max_drop=0, name='../dense'", *options)
    failed.stdout.fnmatch_lines(["*ValueError: The 'name' of ranking_gate must be*"])


SEVERAL = """
from ranking_scores import from_lists, ranking_report

def report(*found):
    return ranking_report(from_lists({"q1": ["a"], "q2": ["b"]}, {"q1": found, "q2": ["b"]}))

class TestLists:
    def test_search(self, ranking_gate):
        ranking_gate(report("a"), max_drop=0.01)

def test_search(ranking_gate):
    ranking_gate(report("x"), max_drop=0.01)
"""


def test_tests_of_one_name_have_baselines_of_their_own(pytester):
    for folder in ("old", "new"):
        pytester.mkdir(folder).joinpath("test_it.py").write_text(SEVERAL)
    plugins = ["--import-mode=importlib", "-p", "pytest_ranking_scores", "-p", "no:cacheprovider"]
    pytester.runpytest_inprocess(*plugins, "--ranking-update").assert_outcomes(passed=4)
    baselines = pytester.path / "ranking_baselines"
    assert {str(path.relative_to(baselines)) for path in baselines.rglob("*.json")} == {
        f"{folder}/test_it/{name}.json"
        for folder in ("old", "new")
        for name in ("TestLists-test_search", "test_search")
    }
    (pytester.path / "old" / "test_it.py").write_text(SEVERAL.replace('report("a")', "report()"))
    pytester.runpytest_inprocess(*plugins).assert_outcomes(passed=3, failed=1)


ALIKE = ["a b", "a/b", "a:b", "a::b", "a-b", "A-B", "a-b-", "", "é", "e\u0301", "x" * 300]
"""Parameters of tests that are one name of a file, or none, on some system."""
OF_EACH = """
import pytest
from ranking_scores import ranking_report

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("place", range(NUMBER), ids=ALIKE)
def test_it(ranking_gate, place):
    ranked = [[0] * place + [1]], [[2] * place + [1]]
    ranking_gate(ranking_report(*ranked, scores="mrr", k=None), max_drop=0)
"""


@pytest.mark.parametrize(
    "workers",
    [[], pytest.param(["-n2", "--dist=loadgroup"], marks=pytest.mark.long)],
    ids=["alone", "xdist"],
)
def test_tests_of_like_names_have_baselines_of_their_own(pytester, workers):
    text = OF_EACH.replace("ALIKE", ascii(ALIKE)).replace("NUMBER", str(len(ALIKE)))
    pytester.makepyfile(test_like=text)
    plugins = ["-p", "pytest_ranking_scores", "-p", "no:cacheprovider"]
    found = pytester.runpytest_inprocess(*plugins, *workers, "--ranking-update")
    found.assert_outcomes(passed=len(ALIKE))
    names = [path.name for path in (pytester.path / "ranking_baselines").rglob("*.json")]
    assert len({name.lower() for name in names}) == len(ALIKE)
    assert "test_it-a-b.json" in names
    assert max(map(len, names)) < 130
    assert all(name.isascii() for name in names)
    pytester.runpytest_inprocess(*plugins).assert_outcomes(passed=len(ALIKE))


def test_a_baseline_is_not_written_twice(pytester):
    twice = "\n    ranking_gate(report('y'), max_drop=0.01"
    named = SEVERAL.replace("max_drop=0.01", "max_drop=0.01, name='lists'")
    plugins = ["-p", "pytest_ranking_scores", "-p", "no:cacheprovider", "--ranking-update"]
    pytester.makepyfile(test_it=named)
    found = pytester.runpytest_inprocess(*plugins)
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(["test_it.py::TestLists::test_search has written the baseline*"])
    pytester.makepyfile(test_it=SEVERAL.rstrip() + twice + ")")
    found = pytester.runpytest_inprocess(*plugins)
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(
        ["*ValueError: The 'name' of ranking_gate*Got 'test_search' twice."]
    )
    pytester.makepyfile(test_it=SEVERAL.rstrip() + twice + ", name='second')")
    pytester.runpytest_inprocess(*plugins).assert_outcomes(passed=2)


def test_a_parameter_that_the_gate_lacks_is_told(run):
    assert "max_fall" not in signature(check).parameters
    failed = run(GOOD, "max_fall=0.1")
    failed.stdout.fnmatch_lines(["*check has no parameter 'max_fall'*"])


def test_it_loads_nothing_until_it_is_used():
    program = "import sys, pytest, pytest_ranking_scores; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(run.stdout.split())
    assert "pytest_ranking_scores" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "ranking_scores"}
