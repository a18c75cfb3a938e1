"""Show the tables that examples print as tables of HTML, as a notebook shows them.

The sources of the pages keep the text, which the tests run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, pairwise

WIDTH = 96  # letters of a line that is printed: a longer one is broken
NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?[*%]?|nan|-?inf|")


def has_columns(line: str) -> bool:
    """Whether a line may be a row of a table: a gap of two spaces parts its columns."""
    return "  " in line.rstrip()


def columns_of(rows: Sequence[str]) -> list[slice]:
    """Return where the columns of a table are, whose gaps are at least two spaces in all rows."""
    letters = zip(*(row.ljust(max(map(len, rows))) for row in rows), strict=True)
    is_blank = "".join(".#"[any(map(str.strip, each))] for each in letters)
    return [slice(*column.span()) for column in re.finditer(r"#(\.?#)*", is_blank)]


def cells_of(rows: Sequence[str]) -> list[list[str]] | None:
    """Return the cells of a table, the titles first, or None if it is not clear what they are.

    In some tables of pandas, the gaps are too narrow, or the titles are not above the rows.
    """
    columns = columns_of(rows)
    cells = [[row[column].strip() for column in columns] for row in rows]
    has_titles = len(rows) > 1 and not NUMBER.fullmatch(cells[0][-1])
    has_gaps = len(columns) > 1 and not any("  " in cell for row in cells for cell in row)
    return cells if has_titles and has_gaps else None


def html_of_table(cells: Sequence[Sequence[str]]) -> str:
    """Return a table as HTML. Columns of numbers are set flush right."""
    columns = zip(*cells, strict=True)
    numbers = [' class="number"' * all(map(NUMBER.fullmatch, column[1:])) for column in columns]
    html = ""
    for at, row in enumerate(cells):
        tags = ["th", *["td" if at else "th"] * (len(row) - 1)]
        html += "<tr>"
        for text, tag, number in zip(row, tags, numbers, strict=True):
            html += f"<{tag}{number}>{escape(text)}</{tag}>"
        html += "</tr>" if at else "</tr></thead><tbody>"
    return f"<table><thead>{html}</tbody></table>"


def html_of_lines(lines: Sequence[str]) -> str:
    """Return lines of text as a paragraph. A line that was broken is one line again."""
    text = escape(lines[0])
    for line, following in pairwise(lines):
        is_broken = len(f"{line} {following.split()[0]}") > WIDTH
        text += (" " if is_broken else "<br>") + escape(following)
    return f"<p>{text}</p>"


def html_of_output(output: list[str]) -> str | None:
    """Return what an example prints as HTML, or None if it is not tables with text around them."""
    if re.match(r"array\(|[\[({<]|Traceback", output[0]):
        return None
    html, n_tables = "", 0
    for kind, group in groupby(output, key=lambda line: has_columns(line) if line else None):
        lines = list(group)
        if kind is None:
            continue
        cells = cells_of(lines) if kind else None
        if kind and cells is None:
            return None
        n_tables += cells is not None
        html += html_of_lines(lines) if cells is None else html_of_table(cells)
    return f'<div class="printed">{html}</div>' if n_tables else None


def parts_of(example: str) -> Iterator[tuple[str, str | None]]:
    """Yield the parts of an example: code, with the HTML of the tables that it prints, if any."""
    is_source = re.compile(r">>>|\.\.\.( |$)").match
    code: list[str] = []
    for of_source, group in groupby(example.split("\n"), lambda line: bool(is_source(line))):
        lines = list(group)
        html = None if of_source else html_of_output(lines)
        if html is None:
            code += lines
        else:
            yield "\n".join(code), html
            code = []
    if any(code):
        yield "\n".join(code), None
