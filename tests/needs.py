"""What the examples of a page need: a comment in it, such as ``.. needs: optuna``.

The comment is in a section, below its title. It holds from there to the end of the section, with
the sections inside it. So below the title of the page, it holds for the whole page. The names are
those that are imported, with commas between them.
"""

from __future__ import annotations

import re
from importlib.util import find_spec

LEVELS = "=-~"  # what is under a title, from that of the page downwards


def needs_of_lines(text: str) -> list[list[str]]:
    """Return for each line of a page the libraries that an example there needs."""
    lines = text.splitlines()
    level, named, needs = 0, [], []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and re.fullmatch(r"([-=~])\1{2,}", below):
            level = LEVELS.index(below[0])
            named = [(section, library) for section, library in named if section < level]
        if comment := re.fullmatch(r"\.\. needs: (.+)", line):
            named += [(level, library) for library in comment[1].split(", ")]
        needs.append([library for _, library in named])
    return needs


def missing_of_lines(text: str) -> list[list[str]]:
    """Return those of them that are not installed."""
    needs = needs_of_lines(text)
    missing = {each for of_line in needs for each in of_line if find_spec(each) is None}
    return [[each for each in of_line if each in missing] for of_line in needs]
