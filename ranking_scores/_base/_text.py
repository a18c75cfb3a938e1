"""Tables of results as text, in HTML, in Markdown and as frames of pandas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from ranking_scores._base._shown import visible


def as_title(key: str) -> str:
    """Return the name of a number for the head of a table."""
    return "p-value" if key == "pvalue" else key.removeprefix("n_").replace("_", " ")


def as_cell(value: float | None) -> str:
    """Return a number for a cell of a table, which is empty for None."""
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    is_usual = value == 0 or 1e-3 <= abs(value) < 1e6 or value != value
    return f"{value + 0.0:.4f}" if is_usual else f"{value:.4g}"  # + 0.0, as 0 may be negative


def with_error(mean: float, error: float) -> str:
    """Return a mean and its standard error, both to the second significant digit of the error."""
    decimals = 1 - int(f"{error:.1e}".partition("e")[2]) if 0 < error < float("inf") else -1
    if 0 <= decimals <= 8 and abs(mean) < 1e6:
        return f"{round(mean, decimals) + 0.0:.{decimals}f} ± {error:.{decimals}f}"
    return as_cell(mean) if error != error else f"{as_cell(mean)} ± {as_cell(error)}"


def as_percent(level: float) -> str:
    """Return a confidence level in words."""
    return f"{100 * level:.10g} %"


def count_queries(n: int) -> str:
    """Return the number of queries, in words."""
    return f"{n} quer{'y' if n == 1 else 'ies'}"


def count_clusters(n: int) -> str:
    """Return the number of clusters of queries, in words."""
    return f"{n} cluster{'s' * (n != 1)}"


def as_text(
    head: Sequence[str], body: Iterable[Sequence[str]], n_names: int = 1, n_words: int = 0
) -> str:
    """Return a table in aligned columns: numbers to the right, names and words to the left.

    Names are in the first columns, and words in the last ones. Cells are shown as `visible`.
    """
    rows = [[*map(visible, row)] for row in (head, *body)]
    numbers = range(n_names, len(head) - n_words)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    adjust = [str.rjust if column in numbers else str.ljust for column in range(len(head))]
    lines = (
        "  ".join(to(cell, width) for to, cell, width in zip(adjust, row, widths, strict=True))
        for row in rows
    )
    return "\n".join(map(str.rstrip, lines))


def as_markdown(
    head: Sequence[str], body: Iterable[Sequence[str]], n_names: int = 1, n_words: int = 0
) -> str:
    """Return a table in the Markdown of GitHub, with the names in its first columns as code."""
    numbers = range(n_names, len(head) - n_words)
    rule = ["---:" if column in numbers else "---" for column in range(len(head))]
    rows = [[*map(as_code, row[:n_names]), *map(in_markdown, row[n_names:])] for row in body]
    return "\n".join(f"| {' | '.join(row)} |" for row in [map(in_markdown, head), rule, *rows])


def as_code(name: str) -> str:
    """Return a name as code in Markdown, in which nothing of it is markup, also in a table.

    A bar is escaped. No escape helps a backslash before a bar, or a backquote.
    """
    name = visible(name)
    if "`" in name or "\\" in name:
        return f"<code>{re.sub('[^a-zA-Z0-9 ]', lambda mark: f'&#{ord(mark[0])};', name)}</code>"
    return f"`{name.replace('|', chr(92) + '|')}`" if name else ""


def as_html(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a table in HTML."""
    heads = "".join(f"<th>{in_html(cell)}</th>" for cell in head)
    lines = (
        f"<th>{in_html(name)}</th>{''.join(f'<td>{in_html(cell)}</td>' for cell in cells)}"
        for name, *cells in body
    )
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def in_html(text: str, *, quote: bool = True) -> str:
    """Return a text for HTML, in which it is no markup and has no effect on the text around it."""
    return escape(visible(text), quote)


def in_markdown(text: str) -> str:
    """Return a text for Markdown, in which it is neither HTML nor the end of a cell."""
    return in_html(text, quote=False).replace("|", "\\|")


def pandas_for(method: str) -> Any:
    """Return pandas. Results need it only for their frames."""
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        message = f"{method} needs pandas. Install it, or use the attributes."
        raise ImportError(message) from error
    return pandas
