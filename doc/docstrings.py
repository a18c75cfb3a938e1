"""Show the formula and the first example of a docstring before its parameters.

This module is an extension of Sphinx. What it finds is also in the text for coding assistants.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def show_formula_and_example_first(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Move the formula and the first lines of the examples before the parameters."""
    if "Parameters" not in headings(lines):
        return
    shown = [*take_formula(lines), *take_example(lines)]
    at = headings(lines)["Parameters"]
    lines[at:at] = shown


def headings(lines: list[str]) -> dict[str, int]:
    """Return the titles of the sections of a docstring, and their lines."""
    return {
        line: number
        for number, (line, below) in enumerate(pairwise(lines))
        if line and below and set(below) == {"-"}
    }


def take_formula(lines: list[str]) -> list[str]:
    """Remove the first lines of the notes and return them, if they end with a formula."""
    start = headings(lines).get("Notes", len(lines)) + 2
    end = start
    while end < len(lines) and (not lines[end] or end == start or lines[end].startswith(" ")):
        end += 1
    formula = lines[start:end]
    if not formula or not formula[0].endswith("::"):
        return []
    while end < len(lines) and lines[end]:  # what the letters of the formula mean
        end += 1
    formula = [*lines[start:end], ""]
    del lines[start : end + 1]
    return formula


def first_example(lines: list[str]) -> slice:
    """Return which lines are the first examples, with the text above them."""
    titles = headings(lines)
    if "Examples" not in titles:
        return slice(0, 0)
    start = end = titles["Examples"] + 2
    while end < len(lines) and (lines[end] or not lines[end - 1].startswith((">>>", "..."))):
        ends_example = not lines[end] and any(each.startswith(">>>") for each in lines[start:end])
        if ends_example or end in titles.values():
            break
        end += 1
    return slice(start, end)


def take_example(lines: list[str]) -> list[str]:
    """Remove the first lines of the examples and return them, unless they are many."""
    place = first_example(lines)
    example = lines[place]
    if not 1 <= len(example) <= 24:
        return []
    del lines[place.start : place.stop + 1]
    if not "".join(lines[place.start :]).strip():  # no other examples
        del lines[headings(lines)["Examples"] :]
    return [*example, ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Do so before numpydoc reads the docstring."""
    app.connect("autodoc-process-docstring", show_formula_and_example_first, priority=400)
    return {"parallel_read_safe": True}
