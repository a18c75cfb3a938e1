"""Mutants: what they are made of, and the tables about them."""

from __future__ import annotations

import inspect
import textwrap
from types import SimpleNamespace

import mutate
import pytest


def test_the_modules_and_their_tests_exist():
    for module, names in mutate.TESTS.items():
        files = [mutate.path_of(module), *map(mutate.test_file, names)]
        assert [each for each in files if not each.exists()] == []


def test_mutants_differ_from_the_module_in_one_statement():
    pytest.importorskip("cosmic_ray", reason="cosmic-ray is in the extra mutation")
    mutants = mutate.mutants_of("_queries._rows")
    source = mutate.source_of("_queries._rows")
    for mutant in mutants:
        assert mutant.source() != source
        assert mutant.function
        assert mutant.before != mutant.after
    changes = [(mutant.function, mutant.before, mutant.after) for mutant in mutants]
    line = "if class_of_row.size != n_rows or not n_rows:"
    assert ("_class_labels", line, line.replace("!=", "==")) in changes


def test_more_survivors_than_the_number_of_a_module_are_an_error(capsys):
    module, n_allowed = "_queries._rows", mutate.SURVIVORS["_queries._rows"]
    mutants = [
        mutate.Mutant(module, "read", line, "a + b", "a - b", 0, 0, "", "")
        for line in range(n_allowed + 2)
    ]
    outcome = dict.fromkeys(mutants, mutate.SURVIVED) | {mutants[0]: mutate.KILLED}
    assert mutate.report(mutants, SimpleNamespace(outcome=outcome, killer={})) == 1
    assert f"more than the {n_allowed} of `SURVIVORS`" in capsys.readouterr().out
    del outcome[mutants[1]]  # as if the time was over
    assert mutate.report(mutants, SimpleNamespace(outcome=outcome, killer={})) == 0
    assert "1 mutants were not run" in capsys.readouterr().out
    outcome[mutants[0]] = "cannot be made"
    assert mutate.report(mutants, SimpleNamespace(outcome=outcome, killer={})) == 1


def test_a_mutant_shows_the_lines_that_differ():
    old, new = "if (\n    a\n    and b\n):", "if (\n    a\n    or b\n):"
    assert mutate._changed_line(old, new) == ("and b", "or b")


def double(value):
    """Return twice a value."""
    return 2 * value


def test_the_code_of_a_function_is_found_by_its_name():
    code = compile(textwrap.dedent(inspect.getsource(double)), "", "exec")
    assert mutate._code_of(code, "double").co_name == "double"
    with pytest.raises(LookupError):
        mutate._code_of(code, "treble")
