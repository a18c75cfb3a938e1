"""The fuzzer: some calls that are the same in every run, and faults that it must notice."""

from __future__ import annotations

import re
import sys
import warnings
from fractions import Fraction
from types import NoneType

import fuzz
import fuzz_data
import numpy as np
import pytest
from forms import cases
from fuzz_faults import FAULTS
from laws import HAS_PYARROW, LAYOUTS

from ranking_scores._base import _validation
from ranking_scores._metrics import _cumulative_gain, _evaluate

SEED = 20_261_122
N_CALLS = 300


def found(seed=SEED, n_calls=N_CALLS):
    """Return the first failure among some calls, as the line that reproduces it."""
    for index, failure in fuzz.failures(seed, range(n_calls)):
        return fuzz.describe_call(seed, index, failure)
    return ""


def test_no_call_fails():
    assert found() == ""


@pytest.mark.long
def test_calls_are_drawn_from_everything():
    cases = [fuzz.draw(SEED, index) for index in range(3000)]
    assert {case.name for case in cases} == set(fuzz_data.NAMES)
    assert {case.caller for case in cases} == set(fuzz_data.CALLERS)
    assert {case.layout for case in cases} == {*LAYOUTS, "ids", "tables"}
    assert {case.fault for case in cases} == {"", *(fault.__name__ for fault in FAULTS)}
    assert 0.1 < np.mean([bool(case.fault) for case in cases]) < 0.4


def test_a_call_is_the_same_alone():
    of_many = [str(fuzz.draw(SEED, index)) for index in range(20)]
    assert str(fuzz.draw(SEED, 13)) == of_many[13]


def test_a_planted_fault_of_forms_is_found(monkeypatch):
    monkeypatch.setattr(cases, "main", lambda _: 1 / 0)
    monkeypatch.setattr(fuzz, "SHARE_OF_FORMS", 1)
    assert re.search(r"# forms: (command|agreement): .*: FAULT Zero", found(n_calls=20))


def with_sum(change):
    """Return what replaces the function that sums gains of ranks, and changes its result."""
    of_package = _cumulative_gain.expected_dcg

    def changed(*arguments):
        return change(of_package(*arguments))

    return changed


def write_into(labels):
    """Return queries after writing into their scores."""
    of_package = _evaluate.check_queries

    def changed(data, need, **more):
        queries = of_package(data, need, **more)
        if isinstance(data.y_score, np.ndarray) and data.y_score.flags.writeable:
            data.y_score[...] = labels
        return queries

    return changed


def is_off(sums):
    return sums._replace(total=sums.total * (1 + 1e-9))


def raises(sums):
    raise ValueError("a planted fault")


def warns(sums):
    warnings.warn("a planted fault", RuntimeWarning, stacklevel=2)
    return sums


def takes_any(average, function):
    return None if average is None else "samples"


@pytest.mark.parametrize(
    ("module", "name", "planted", "message"),
    [
        (_cumulative_gain, "expected_dcg", with_sum(is_off), " is "),
        (_cumulative_gain, "expected_dcg", with_sum(raises), "ValueError: a planted fault"),
        (_cumulative_gain, "expected_dcg", with_sum(warns), "warns ['a planted fault'"),
        (_evaluate, "check_queries", write_into(3), "changes y_score"),
        (_evaluate, "check_average", takes_any, "bad_average: no error"),
        (_evaluate, "warn_of_undefined", lambda *parts: None, "warns [], expected"),
    ],
    ids=["off by 1e-9", "raises", "warns", "writes", "takes all", "does not warn"],
)
def test_a_planted_fault_is_found(monkeypatch, module, name, planted, message):
    monkeypatch.setattr(module, name, planted)
    line = found()
    assert message in line
    assert line.startswith(f"python tests/fuzz.py --seed {SEED} --call ")
    index = int(line.split()[5])
    [(again, _)] = fuzz.failures(SEED, [index])
    assert again == index


@pytest.mark.long
def test_memory_that_stays_is_found(monkeypatch):
    kept = []
    of_package = _validation.check_cutoffs
    memory = fuzz.Memory()
    for number in range(3):
        if number == 1:
            assert memory.check(100) == ""
            monkeypatch.setattr(
                _evaluate,
                "check_cutoffs",
                lambda *args, **kwargs: kept.append([0.5] * 99) or of_package(*args, **kwargs),
            )
        assert found(n_calls=100) == ""
    assert "blocks and" in memory.check(300)


def test_the_script_prints_seed_and_failures(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["fuzz.py", *arguments])
        fuzz.main()

    without = "" if HAS_PYARROW else ", without pyarrow"  # which changes what is drawn
    run("--seed", "7", "--calls", "20")
    first, last = capsys.readouterr().out.splitlines()
    assert first == f"seed 7{without}"
    assert re.fullmatch(r"seed 7: 20 calls in .* on a processor, 0 failures", last)

    run("--seconds", "1e-9")
    first, last = capsys.readouterr().out.splitlines()
    assert first.endswith(without)
    assert last.startswith(f"{first.removesuffix(without)}: 1 calls in ")

    run("--seed", "7", "--call", "3")
    assert capsys.readouterr().out == f"nothing is wrong with {fuzz.draw(7, 3)}\n"

    monkeypatch.setattr(_cumulative_gain, "expected_dcg", with_sum(raises))
    with pytest.raises(SystemExit, match="1"):
        run("--seed", "7", "--calls", "300", "--failures", "2")
    _, line, other, last = capsys.readouterr().out.splitlines()
    assert last.endswith(" 2 failures")
    assert line != other
    with pytest.raises(SystemExit, match="1"):
        run(*line.split()[2:6])
    printed = capsys.readouterr()
    assert printed.out.startswith(line)
    assert "in raises" in printed.err  # the traceback


@pytest.mark.parametrize("order", ["expected", "worst", "best", "as_ordered"])
@pytest.mark.parametrize("name", fuzz_data.NAMES)
def test_the_definitions_in_floats_equal_those_in_fractions(name, order):
    for index in range(40):
        case = fuzz.draw(index, 0)
        rng = np.random.default_rng(index)
        n = int(rng.integers(1, 5))
        scores = rng.integers(0, 2, n).tolist()
        if name not in fuzz_data.PAIRS and name != "average_relevant_position" and n > 1:
            scores[-1] = None
        weights = None
        if name in fuzz_data.WITH_ITEM_WEIGHTS and index % 2:
            weights = rng.choice([0, 0.5, 1, 3], n).tolist()
        case.name, case.options = name, fuzz_data.draw_options(name, case.rng)
        if case.options.get("discount") is fuzz_data.up_and_down and order in ("worst", "best"):
            del case.options["discount"]  # of which no order of the labels is an extreme
        case.queries = [fuzz_data.Query(rng.integers(0, 4, n).tolist(), scores, weights)]
        case.cutoffs = [None if name in fuzz_data.WITHOUT_K else int(rng.integers(1, 6))]
        case.is_exact = True
        [[exact]] = fuzz.undefined(case, order)
        case.is_exact = False
        [[value]] = fuzz.undefined(case, order)
        assert isinstance(exact, (Fraction, NoneType))
        assert isinstance(value, (float, NoneType))
        assert (value is None) == (exact is None)
        if exact is not None:
            assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-15)
