"""The pages of the guide: their order, their titles and their sections."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

DOC = Path(__file__).resolve().parents[1]
LEFT_OUT = ".. not in llms-full.txt"
"""A comment below the title of a page or section that is left out."""

LEVELS = "=-~"
GALLERY = "auto_examples"


@dataclass
class Section:
    """A section without those inside it; that of the lines above the title has the level -1."""

    level: int
    title: str
    lines: list[str]


def source_of(page: str) -> str:
    """Return the text of a page, or of the file that it consists of."""
    folder, _, name = page.rpartition("/")
    if folder == GALLERY and name != "index":
        script = Path(DOC, "gallery", f"{name}.py").read_text(encoding="utf-8")
        return ast.get_docstring(ast.parse(script)) or ""
    path = Path(DOC, "gallery/GALLERY_HEADER.rst" if folder == GALLERY else f"{page}.rst")
    text = path.read_text(encoding="utf-8")
    whole = re.search(r"^\.\. include:: (\.\./.+)", text, re.MULTILINE)
    if whole is None:
        return text
    return text.replace(whole[0], Path(DOC, whole[1]).read_text(encoding="utf-8"))


def all_pages() -> list[str]:
    """Return the pages of the guide in their order, and then those of the gallery."""
    pages = [page for tree in toctrees().values() for page in tree]
    scripts = sorted(Path(DOC, "gallery").glob("plot_*.py"))
    return [*pages, *(f"{GALLERY}/{script.stem}" for script in scripts)]


def sections_of(text: str) -> list[Section]:
    """Split a page at its titles."""
    sections = [Section(-1, "", [])]
    lines = text.splitlines()
    for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        is_rule = re.fullmatch(r"([-=~])\1{2,}", below) is not None
        if is_rule and not above.strip() and line[:1].strip():
            sections.append(Section(LEVELS.index(below[0]), line, []))
        else:
            sections[-1].lines.append(line)
    for section in sections[1:]:
        del section.lines[0]  # the rule
    return sections


def title_of(text: str) -> str:
    """Return the title of a page."""
    return next(section.title for section in sections_of(text) if section.level == 0)


def description_of(text: str) -> str:
    """Return the sentence that describes a page to those who have not opened it."""
    [description] = re.findall(r"^   :description: (.+(?:\n {6}.+)*)", text, re.MULTILINE)
    return " ".join(description.split())


def labels_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield each label of a title, and the title."""
    sections = sections_of(text)
    for before, section in pairwise(sections):
        for line in reversed(before.lines):
            if label := re.fullmatch(r"\.\. _(.+):", line):
                yield label[1], section.title
            elif line.strip() and not line.startswith((".. index::", "   ! ")):
                break


def toctrees() -> dict[str, list[str]]:
    """Return the pages of the guide by the caption above them."""
    text = Path(DOC, "index.rst").read_text(encoding="utf-8")
    trees = re.findall(r"^\.\. toctree::\n((?:   .*\n|\n)+)", text + "\n", re.MULTILINE)
    found = {}
    for tree in trees:
        [caption] = re.findall(r":caption: (.+)", tree)
        found[caption] = re.findall(r"^   (?:.+ <)?([\w/]+)>?$", tree, re.MULTILINE)
    return found


def without_left_out(sections: list[Section]) -> tuple[list[Section], list[str]]:
    """Return the sections that are not left out, and the titles of those that are.

    If a page is left out as a whole, it has no sections.
    """
    sections_kept, left_out = [], []
    outer = len(LEVELS)  # sections of a higher level are inside of one that is left out
    for section in sections:
        if section.level > outer:
            continue
        if LEFT_OUT in section.lines:
            outer = section.level
            left_out.append(section.title)
        else:
            outer = len(LEVELS)
            sections_kept.append(section)
    is_there = any(section.level == 0 for section in sections_kept)
    return sections_kept if is_there else [], left_out
