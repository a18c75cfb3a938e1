"""Mutants: what they are made of, and the tables about them."""

from __future__ import annotations

import inspect
import textwrap

import mutate
import pytest


def test_each_module_has_a_number_of_survivors():
    assert mutate.SURVIVORS.keys() == mutate.TESTS.keys()
    assert all(mutate.path_of(module).exists() for module in mutate.TESTS)


def test_the_tests_of_mutants_exist():
    for names in mutate.TESTS.values():
        assert all((mutate.ROOT / "tests" / f"test_{name}.py").exists() for name in names)


def test_mutants_differ_from_the_module_in_one_statement():
    pytest.importorskip("cosmic_ray", reason="cosmic-ray is in the extra mutation")
    mutants = mutate.mutants_of("_queries._class_labels")
    source = mutate.source_of("_queries._class_labels")
    for mutant in mutants:
        assert mutant.source() != source
        assert mutant.function
        assert mutant.before != mutant.after
    changes = [(mutant.function, mutant.before, mutant.after) for mutant in mutants]
    line = "if class_of_row.size != n_rows or n_rows == 0:"
    assert ("check", line, line.replace("!=", "==")) in changes


def double(value):
    """Return twice a value."""
    return 2 * value


def test_the_code_of_a_function_is_found_by_its_name():
    code = compile(textwrap.dedent(inspect.getsource(double)), "", "exec")
    assert mutate._code_of(code, "double").co_name == "double"
    with pytest.raises(LookupError):
        mutate._code_of(code, "treble")
