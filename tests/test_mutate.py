"""Mutants: the list of those that survive is about the modules as they are."""

from __future__ import annotations

import ast
import inspect
import textwrap

import mutate
import pytest

LISTED = mutate.listed_survivors(mutate.LISTED.read_text(encoding="utf-8"))


def lines_of(module, function):
    """Return the source of a function in one line."""
    body = ast.parse(mutate.source_of(module))
    for name in function.split("."):
        [body] = [each for each in body.body if getattr(each, "name", None) == name]
    source = ast.get_source_segment(mutate.source_of(module), body)
    return " ".join(source.split())


@pytest.mark.parametrize("module", list(mutate.TESTS))
def test_the_list_of_survivors_quotes_the_module_as_it_is(module):
    for _, function, before, after in [key for key in LISTED if key[0] == module]:
        assert before in lines_of(module, function)
        assert after != before


def test_the_list_of_survivors_is_read():
    assert len(LISTED) > 10
    assert len(set(LISTED)) == len(LISTED)
    assert {module for module, *_ in LISTED} <= set(mutate.TESTS)


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
    keys = [mutant.key for mutant in mutants]
    line = "if class_of_row.size != n_rows or n_rows == 0:"
    assert ("_queries._class_labels", "check", line, line.replace("!=", "==")) in keys


def double(value):
    """Return twice a value."""
    return 2 * value


def test_the_code_of_a_function_is_found_by_its_name():
    code = compile(textwrap.dedent(inspect.getsource(double)), "", "exec")
    assert mutate._code_of(code, "double").co_name == "double"
    with pytest.raises(LookupError):
        mutate._code_of(code, "treble")
