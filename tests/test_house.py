"""How much there is to read: the counts of lines and of reach, and the limits that they keep."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from house import Lines, count_lines, describe_reach, lines_reached, reach, read_modules

import ranking_scores

SOURCE = '''
"""What it is for."""

import os  # a comment
from typing import (
    overload,
)

NAME = 1
"""What it is."""


@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str:
    """Return it."""


def f(x):
    """Return it.

    Twice.
    """
    # a comment

    if x:
        import sys

    return """as
it is"""
'''
"""Five lines of code: a name, a function, a condition, and a text over two lines."""


def test_lines_are_counted_by_what_is_on_them():
    assert count_lines(SOURCE) == Lines(code=5, imports=5, overloads=4)


def test_a_line_with_code_and_a_comment_is_code():
    assert count_lines("x = 1  # one\n# two\n") == Lines(code=1, imports=0, overloads=0)


FILES = {
    "__init__": "from p.high import f",
    "high/__init__": '"""It."""',
    "high/_a": "from p.high._b import f\nfrom p import middle",
    "high/_b": "def f():\n    import p.low\n    return p.low",
    "middle": "from p.low import x\nfrom p import g",
    "low/__init__": "x = 1\ny = 2\nz = 3",
    "low/_own": "x = 1",
    "alone": "import os.path\nfrom pathlib import Path\nimport pp",
}


@pytest.fixture
def package(tmp_path):
    """Return the modules of a small package "p"."""
    for name, source in FILES.items():
        path = tmp_path / "p" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source), encoding="utf-8")
    return read_modules(tmp_path / "p")


def test_modules_have_the_names_that_they_have_in_the_package(package):
    names = ["", "alone", "high", "high._a", "high._b", "low", "low._own", "middle"]
    assert sorted(package) == names


def test_the_reach_is_all_that_is_imported_but_the_package_itself(package):
    assert reach(package, "low") == {"low": "", "low._own": ""}
    assert reach(package, "alone") == {"alone": ""}
    assert reach(package, "high._b") == {"high._b": "", "low": "high._b"}
    assert reach(package, "middle") == {"middle": "", "low": "middle"}
    assert sorted(reach(package, "high")) == ["high", "high._a", "high._b", "low", "middle"]


def test_the_lines_of_what_is_reached_are_summed(package):
    assert lines_reached(package, reach(package, "high._b")) == 2 + 3


def test_what_only_one_file_imports_is_not_reached_without_it(package):
    assert reach(package, "middle", without="low") == {"middle": ""}
    assert "low" in reach(package, "high._a", without="middle")  # by high._b


def test_a_message_names_the_files_that_make_the_reach_long(package):
    assert describe_reach(package, "middle", limit=2).splitlines() == [
        "middle reaches 3 lines of code in 2 files, of at most 2. "
        "Without one of these, it would reach so many fewer:",
        "     3  low <- middle",
    ]


# --- limits -----------------------------------------------------------------------------------

MOST_LINES = Lines(code=35_920, imports=4_270, overloads=0)
"""The greatest numbers of lines of the package."""

LONGEST_REACH = {
    "significance": 9_000,
    "gates": 9_000,
    "significance._tests": 3_000,
    "significance._units": 1_000,
    "_metrics._first_hit": 5_640,
}
"""The greatest number of lines of code that a file or folder reaches."""


@pytest.fixture(scope="module")
def house():
    """Return the modules of the package."""
    return read_modules(Path(ranking_scores.__file__).parent)


def test_the_package_has_at_most_so_many_lines(house):
    lines = Lines(*map(sum, zip(*(module.lines for module in house.values()), strict=True)))
    too_many = {
        name: f"{number} lines, of at most {most}"
        for name, number, most in zip(Lines._fields, lines, MOST_LINES, strict=True)
        if number > most
    }
    assert not too_many


@pytest.mark.parametrize("place", LONGEST_REACH)
def test_a_reader_of_one_part_has_to_know_at_most_so_many_lines(house, place):
    names = reach(house, place)
    assert names, f"there is no {place}"
    limit, n_lines = LONGEST_REACH[place], lines_reached(house, names)
    assert n_lines <= limit, describe_reach(house, place, limit)
