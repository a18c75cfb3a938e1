"""What results share: values that cannot be changed, equality by value, and tables to print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from html import escape
from inspect import ismethod
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, Self, TypeVar

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


class ComputedResult:
    """A result that only the package can make."""

    def __init__(self, *args: Any, **changes: Any) -> None:
        """Refuse to make a result by hand, as `dataclasses.replace` does."""
        name = type(self).__name__
        message = f"A {name} holds what was computed, so its values cannot be set"
        raise TypeError(f"{message}. Compute it again with other parameters.")


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


def as_cell(value: float | str | None) -> str:
    """Return a number for a cell of a table, which is empty for None. Text stays as it is."""
    if value is None:
        return ""
    if isinstance(value, (int, str)):
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


def ranks_as_text(ranks: tuple[int, int] | None) -> str:
    """Return the first and the last rank that an item may have, in words."""
    if ranks is None:
        return "not retrieved"
    return " to ".join(dict.fromkeys(map(str, ranks)))


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


class Column(NamedTuple):
    """A column of a result, in print and in its frame."""

    name: str
    """Its name in frames."""
    attribute: str = ""
    """What has its values. "": that of its name."""
    title: str | None = None
    """Its head in print. None: the name, as a title."""
    kind: Literal["name", "number", "word"] = "number"
    """In print, names of the rows come first, and words about them last."""
    show: Callable[[Any], str] | None = None
    """Returns the text of a value. None: that of the kind."""
    is_printed: bool = True
    is_framed: bool = True


ROW_NAMES = Column("", "_names", kind="name", is_framed=False)
"""The names of the rows, which are the index of the frame."""


def columns_of(*names: str, is_printed: bool = True) -> tuple[Column, ...]:
    """Return columns of numbers that are the attributes of these names."""
    return tuple(Column(name, is_printed=is_printed) for name in names)


SHOWN = 40
"""The greatest number of rows that the text of a result shows."""


class ResultTable(NamedTuple):
    """A result as it is printed."""

    columns: Mapping[str, Sequence[Any]]
    names: Mapping[str, Sequence[str]]
    """The names of the rows by the heads of their columns, such as "" and "metric"."""
    notes: Sequence[str]
    is_marked: Sequence[bool] = ()
    """Whether the p-value of each row is marked."""
    words: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The words about each row, which come last, by the heads of their columns."""

    def as_text(self) -> str:
        """Return the table and the notes below it as plain text."""
        (head, *body), more = self._cells()
        table = as_text(head, body, len(self.names), len(self.words))
        return "\n".join([table, *more, "", *map(visible, self.notes)])

    def as_html(self) -> str:
        """Return the table and the notes below it as HTML."""
        (head, *body), more = self._cells()
        lines = [in_html(line, quote=False) for line in [*more, *self.notes]]
        return "\n".join([as_html(head, body), *(f"<p>{line}</p>" for line in lines)])

    def as_markdown(self) -> str:
        """Return the table and a list of the notes in Markdown."""
        (head, *body), more = self._cells()
        table = as_markdown(head, body, len(self.names), len(self.words))
        lines = [f"- {in_markdown(line)}" for line in [*more, *self.notes]]
        return "\n\n".join([table, *(["\n".join(lines)] if lines else [])])

    def _cells(self) -> tuple[list[list[str]], list[str]]:
        """Return the rows as text, with the head first, and the lines below the table."""
        n_rows = len(next(iter(self.names.values())))
        names = [[head, *column[:SHOWN]] for head, column in self.names.items()]
        cells = {name: [*map(as_cell, column[:SHOWN])] for name, column in self.columns.items()}
        if any(self.is_marked):
            marks = ["*" if is_marked else " " for is_marked in self.is_marked]
            cells["pvalue"] = [*map(str.__add__, cells["pvalue"], marks)]
        columns = [[as_title(name), *column] for name, column in cells.items()]
        words = [[head, *column[:SHOWN]] for head, column in self.words.items()]
        rows = [list(row) for row in zip(*names, *columns, *words, strict=True)]
        return rows, [f"... and {n_rows - SHOWN} more rows"] if n_rows > SHOWN else []


def table_of(
    columns: Sequence[Column], read: Callable[[str], Any], notes: Sequence[str]
) -> ResultTable:
    """Return the columns that are printed, as `read` returns their values. None leaves one out."""
    parts: dict[str, dict[str, list[Any]]] = {"name": {}, "number": {}, "word": {}}
    for column in columns:
        values = read(column.attribute or column.name) if column.is_printed else None
        if values is None:
            continue
        shown = list(values) if isinstance(values, (list, tuple)) else np.ravel(values).tolist()
        show = column.show or (str if column.kind == "name" else None)
        title = column.name if column.title is None else column.title
        parts[column.kind][title] = shown if show is None else [*map(show, shown)]
    return ResultTable(parts["number"], parts["name"], notes, words=parts["word"])


def frame_of(
    columns: Sequence[Column],
    read: Callable[[str], Any],
    method: str,
    index: Sequence[Any] | None = None,
    **more: Any,
) -> Any:
    """Return the columns as a frame, as `read` returns their values. None leaves one out."""
    pandas = pandas_for(method)
    found = {each.name: read(each.attribute or each.name) for each in columns if each.is_framed}
    found = {name: values for name, values in found.items() if values is not None}
    return pandas.DataFrame(found | more, index=index)


def value_of(result: Any, name: str) -> Any:
    """Return the attribute of a name, or what the method of this name returns."""
    value = getattr(result, name)
    return value() if ismethod(value) else value


class TabularResult(ComputedResult):
    """What the results share: they print as tables, and are equal if all their values are."""

    _columns: ClassVar[tuple[Column, ...]]

    _names: Callable[..., Sequence[str]]
    """Returns the names of the rows, for the column `ROW_NAMES`."""
    _notes: Callable[..., Sequence[str]]
    """Returns the lines below the table."""

    def _table(self) -> ResultTable:
        """Return the result as it is printed."""
        return table_of(self._columns, partial(value_of, self), self._notes())

    def _frame(self, **more: Any) -> Any:
        """Return the result as a frame, with more columns."""
        index = list(self._names()) if ROW_NAMES in self._columns else None
        method = f"{type(self).__name__}.to_frame"
        return frame_of(self._columns, partial(value_of, self), method, index, **more)

    @classmethod
    def _of(cls, **values: Any) -> Self:
        """Return the result with these values."""
        result = object.__new__(cls)
        vars(result).update(values)
        return result

    def __repr__(self) -> str:
        return self._table().as_text()

    def _repr_html_(self) -> str:
        return self._table().as_html()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return are_equal(self._values(), other._values())

    __hash__ = None  # type: ignore[assignment]

    def _values(self) -> list[Any]:
        own = [field for field in fields(self) if field.compare]  # type: ignore[arg-type]
        return [getattr(self, field.name) for field in own]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: make_read_only(value) for name, value in state.items()})


class MarkdownResult(TabularResult):
    """A result that also comes as a table in Markdown."""

    def to_markdown(self) -> str:
        """Return the table in Markdown.

        Returns
        -------
        text : str
            The table and the notes.
        """
        return self._table().as_markdown()
