"""What results share: values that cannot be changed, equality by value, and tables to print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import visible

Key = TypeVar("Key")
Value = TypeVar("Value")
Named = TypeVar("Named", bound=tuple[Any, ...])


class ReadOnlyDict(dict[Key, Value]):
    """A dict that cannot be changed. Whatever takes a dict, such as `json.dumps`, takes it."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("A result is read-only. Copy it with `dict`.")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class ComparableResult:
    """A result that equals another of its class if all values are equal, and has no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return are_equal(vars(self), vars(other))


def with_types(named: type[Named]) -> type[Named]:
    """Return a named tuple whose help shows types as that of functions does: no ``ForwardRef``."""
    types = named.__new__.__annotations__
    types.update({name: getattr(each, "__forward_arg__", each) for name, each in types.items()})
    return named


def show_values(name: str, values: Mapping[str, Any]) -> str:
    """Return the text of a result of numbers and arrays, a line for each of them."""
    lines = []
    for key, value in values.items():
        shown = np.array2string(np.asarray(value), prefix=f"    {key}=", threshold=20)
        lines.append(f"    {key}={value if np.ndim(value) == 0 else shown},\n")
    return f"{name}(\n{''.join(lines)})"


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of values."""
    view = values.view()
    view.flags.writeable = False
    return view


def make_read_only(value: Any) -> Any:
    """Return a value with its arrays read-only, also those in dicts, as after unpickling."""
    if isinstance(value, ReadOnlyDict):
        return ReadOnlyDict({key: make_read_only(each) for key, each in value.items()})
    return read_only(value) if isinstance(value, np.ndarray) else value


def are_equal(left: Any, right: Any) -> bool:
    """Return whether two values of results are the same, of the same type. NaN equals NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.dtype == object:
            return are_equal(left.tolist(), right.tolist())
        return np.array_equal(left, right, equal_nan=left.dtype.kind in "fmM")
    if isinstance(left, Mapping) and type(left).__eq__ in (dict.__eq__, Mapping.__eq__):
        return are_equal([*left], [*right]) and are_equal([*left.values()], [*right.values()])
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(are_equal, left, right))
    return bool(left == right or (left != left and right != right))


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
