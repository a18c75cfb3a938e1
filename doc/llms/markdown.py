"""Write the marked up text of the guide and of the docstrings as Markdown, without Sphinx.

It knows the markup that these pages use. Anything else is an error, so that nothing is lost.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

DIRECTIVE = re.compile(r"\.\. ([\w-]+)::(?: (.*))?")
ITEM = re.compile(r"([-*]|\d+\.) +(?=\S)")
NEEDS = re.compile(r"\.\. needs: (.+)")
TABLE = re.compile(r"=+( +=+)+")
WITHOUT_TEXT = {"figure", "index", "meta", "rst-class", "toctree"}
"""The directives that have nothing for a reader of text."""

INLINE = re.compile(
    r"""
    ``(?P<literal>.+?)``(?!`)
    | (?P<role>:[\w:]+:)?`(?P<text>[^`]+)`(?P<link>__|_)?
    | [ ]?\[(?P<reference>\w+)\]_
    | \|(?P<substitution>\w+)\|
    | \\(?P<escaped>.)
    """,
    re.DOTALL | re.VERBOSE,
)


class UnknownMarkupError(ValueError):
    """Markup that is not known here."""


def unknown(*arguments: Any) -> str:
    """Refuse markup that only the pages have."""
    raise UnknownMarkupError(arguments)


@dataclass
class Translator:
    """Writes Markdown, with what it has to know of other files."""

    titles: dict[str, str] = field(default_factory=dict)
    """The titles of the pages, and of the sections by their labels."""

    substitutions: dict[str, str] = field(default_factory=dict)
    folder: Path = Path()
    """The folder of the files that tables come from."""

    include: Callable[[str], str] = unknown
    """Returns the text of a file that a page includes."""

    describe: Callable[[str, list[str]], str] = unknown
    """Returns Markdown that describes names of a module."""

    module: str = ""
    """The module whose names the page lists next."""

    def markdown(self, text: str) -> str:
        """Return a text as Markdown."""
        return "\n\n".join(self.blocks(text.expandtabs().splitlines()))

    def blocks(self, lines: list[str]) -> Iterator[str]:
        """Yield the blocks of some lines as Markdown."""
        lines = dedent("\n".join(lines)).split("\n")
        at = 0
        while at < len(lines):
            end = at + 1
            if not lines[at].strip():
                at = end
                continue
            if lines[at].startswith(".. "):
                end = end_of_indented(lines, end)
                yield from self.directive(lines[at:end])
            elif lines[at].startswith(">>> "):
                end = end_of_paragraph(lines, end)
                yield fenced(lines[at:end], ends_blank=True)
            elif TABLE.fullmatch(lines[at]):
                end = end_of_paragraph(lines, end)
                yield self.simple_table(lines[at:end])
            elif lines[at].startswith(" "):
                end = at + end_of_indented(lines[at:], 0)
                yield indent("\n\n".join(self.blocks(lines[at:end])), "> ", lambda line: True)
            elif ITEM.match(lines[at]):
                start, items = at, []
                while start < len(lines) and (mark := ITEM.match(lines[start])):
                    end = end_of_indented(lines, start + 1)
                    items.append(self.item(mark[0], lines[start:end]))
                    start = end + (lines[end : end + 1] == [""])
                yield "\n".join(items)
            elif end < len(lines) and lines[end].startswith(" "):
                end = end_of_indented(lines, end)
                term, of_term = self.inline(lines[at]), self.blocks(lines[at + 1 : end])
                yield f"{term}: " + "\n\n".join(of_term)
            else:
                end = end_of_paragraph(lines, end)
                paragraph = "\n".join(lines[at:end])
                yield self.inline(re.sub(r"::$", ":", paragraph))
                if paragraph.endswith("::"):
                    start, end = end, end_of_indented(lines, end)
                    yield fenced(lines[start:end])
            at = end

    def item(self, mark: str, lines: list[str]) -> str:
        """Return an item of a list, of which the first line has a mark."""
        width = len(mark)
        blocks = self.blocks([" " * width + lines[0][width:], *lines[1:]])
        return mark + indent("\n\n".join(blocks), " " * width)[width:]

    def directive(self, lines: list[str]) -> Iterator[str]:
        """Yield what a directive has for a reader; comments and targets have nothing."""
        if needed := NEEDS.fullmatch(lines[0]):
            yield f"Needs: {needed[1]}"
        known = DIRECTIVE.fullmatch(lines[0])
        if known is None:
            return
        name, argument = known[1], known[2] or ""
        inner = dedent("\n".join(lines[1:])).split("\n")
        options = inner[: end_of_paragraph(inner, 0)] if inner[0].startswith(":") else []
        content = inner[len(options) :]
        match name:
            case "code-block":
                yield fenced(content, argument)
            case "parsed-literal":
                yield fenced([self.inline(line) for line in content])
            case "math":
                formula = "\n".join(line.strip() for line in [argument, *content] if line.strip())
                yield f"$${formula}$$"
            case "list-table":
                yield self.list_table(content, has_head=":header-rows: 1" in options)
            case "csv-table":
                [file] = [option[7:] for option in options if option.startswith(":file: ")]
                with Path(self.folder, file).open(encoding="utf-8", newline="") as rows:
                    cells = (map(self.inline, row) for row in csv.reader(rows))
                    yield table(cells, has_head=":header-rows: 1" in options)
            case "seealso":
                yield "See also: " + "\n\n".join(self.blocks([argument, *content]))
            case "plot":
                yield from self.blocks(content)
            case "include":
                yield self.markdown(self.include(argument))
            case "currentmodule":
                self.module = argument
            case "autosummary":
                yield self.describe(self.module, "\n".join(content).split())
            case _ if name not in WITHOUT_TEXT:
                raise UnknownMarkupError(lines[0])

    def list_table(self, lines: list[str], *, has_head: bool) -> str:
        """Return a table that is written as a list of lists."""
        rows: list[list[list[str]]] = []
        for line in lines:
            if line.startswith("* - ") or line == "* -":
                rows.append([])
            if line[:4].rstrip() in {"* -", "  -"}:
                rows[-1].append([])
            if line.strip():
                rows[-1][-1].append(line[4:])
            elif rows:
                rows[-1][-1].append("")
        return table((map(self.cell, row) for row in rows), has_head=has_head)

    def simple_table(self, lines: list[str]) -> str:
        """Return a table whose columns are below rules."""
        starts = [match.start() for match in re.finditer("=+", lines[0])]
        columns = [slice(*ends) for ends in zip(starts, [*starts[1:], None], strict=True)]
        rules = [number for number, line in enumerate(lines) if TABLE.fullmatch(line)]
        rows: list[list[list[str]]] = []
        for line in lines:
            cells = [line[column].rstrip() for column in columns]
            if TABLE.fullmatch(line):
                continue
            if cells[0]:
                rows.append([[] for _ in columns])
            for cell, text in zip(rows[-1], cells, strict=True):
                cell.append(text)
        return table((map(self.cell, row) for row in rows), has_head=len(rules) > 2)

    def cell(self, lines: list[str]) -> str:
        """Return a cell in one line."""
        text = "\n\n".join(self.blocks(lines))
        if "```" in text:
            raise UnknownMarkupError(f"a cell with a block of code: {lines}")
        text = re.sub(r"\n(?=- )", "; ", re.sub(r"\A- ", "", text))
        return " ".join(text.replace("; - ", "; ").split())

    def inline(self, text: str) -> str:
        """Return a paragraph as Markdown."""
        return INLINE.sub(self.replace, text)

    def replace(self, match: re.Match[str]) -> str:
        """Return inline markup as Markdown."""
        found = match.groupdict()
        if found["literal"]:
            return code(found["literal"])
        if found["reference"]:
            return ""
        if found["substitution"]:
            return self.substitutions[found["substitution"]]
        if found["escaped"]:
            return found["escaped"].strip()
        text = " ".join(found["text"].split())
        named = re.fullmatch(r"(.+?) <(.+)>", text)
        shown, target = named.groups() if named else (None, text)
        match found["role"]:
            case None:
                return shown or (target if found["link"] else code(target))
            case ":doc:" | ":ref:":
                return shown or f'"{self.titles[target.removeprefix("/")]}"'
            case ":math:":
                return f"${text}$"
            case ":doi:":
                return f"doi:{text}"
            case ":sup:":
                return f"^{text}"
            case ":sub:":
                return f"_{text}"
            case ":func:" | ":class:" | ":meth:" | ":mod:":
                name = target.removeprefix("~")
                return shown or code(name if name == target else name.rpartition(".")[2])
        raise UnknownMarkupError(match[0])


def end_of_paragraph(lines: Sequence[str], start: int) -> int:
    """Return where the first blank line is."""
    return next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))


def end_of_indented(lines: list[str], start: int) -> int:
    """Return where the first line is that is not indented, or the blank lines before it."""
    end = start
    for at in range(start, len(lines)):
        if lines[at].startswith(" "):
            end = at + 1
        elif lines[at].strip():
            break
    return end


def code(text: str) -> str:
    """Return a piece of code, which may contain a backtick."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def fenced(lines: list[str], language: str = "", *, ends_blank: bool = False) -> str:
    """Return a block of code; the output of an example ends with a blank line, for doctest."""
    text = dedent("\n".join(lines)).strip("\n") + "\n" * ends_blank
    return f"```{language}\n{text}\n```"


def table(rows: Iterator[Iterator[str]], *, has_head: bool) -> str:
    """Return a table."""
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    if not has_head:
        cells.insert(0, [""] * len(cells[0]))
    cells.insert(1, ["---"] * len(cells[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)
