"""The one form of all errors: their parts, and the message that is made of them.

A caller of the package's functions that has its own words, such as the command, takes the parts
and leaves the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

from ranking_scores._base._shown import shorten, show_id, visible
from ranking_scores.exceptions import InvalidParameterError


class Place(NamedTuple):
    """The place of a value in the data. What is not known is None."""

    position: int | tuple[int, ...] | None = None
    """The index in an array, from 0 on."""
    row: int | None = None
    """The row of a table or of an array, from 0 on."""
    item: int | None = None
    """The index of an item among some labels, from 0 on."""
    line: int | None = None
    """The line of a file, from 1 on."""
    path: str | None = None
    """The file that has the line or the row."""
    query: Any = None
    """The number of the query, from 0 on, or its id."""
    query_is: Literal["number", "qid", "id"] = "number"
    """The meaning of `query`: its number, its id in `qid`, or its id in a table."""
    is_first: bool = False
    """Whether the query is the first of several."""
    column: Any = None
    """The name of the column of a table."""
    is_part: bool = False
    """Whether only a part of the column was read, so that rows and numbers are of this part."""

    def __str__(self) -> str:
        """Return the place as a message names it, directly after the value."""
        text = self._of_query(self._in_data())
        if self.is_part:
            text = f"{text.rstrip(',')}, in a part of the column {show_id(self.column)},"
        return text

    def _in_data(self) -> str:
        """Return the place in an array, a table or a file."""
        if self.position is not None:
            index = self.position if isinstance(self.position, tuple) else (self.position,)
            return f" at position {', '.join(map(str, index))}"
        if self.row is not None:
            return f" in row {self.row}" + f" of {self.path}" * (self.path is not None)
        if self.item is not None:
            return f" in item {self.item}"
        return "" if self.line is None else f" in line {self.line} of {self.path}"

    def _of_query(self, text: str) -> str:
        """Return a text followed by the query, if there is one."""
        if self.query is None:
            return text
        query = f"query {self.query if self.query_is == 'number' else show_id(self.query)}"
        if self.query_is == "qid":
            query = f"the query with qid {show_id(self.query)}"
        if self.is_first:
            return f"{text}, the first of them {query},"
        if self.row is not None:
            return f"{text}, of {query},"
        if text:
            return f"{text} of {query}"
        return f" {'for' if self.query_is == 'id' else 'in'} {query}"


NOWHERE = Place()
"""The place of a value that is not in the data, or that was not looked for."""


class More(TypedDict, total=False):
    """The parts that only some errors have."""

    code: str
    """The advice in terms of Python: sentences with code or with names of parameters."""
    place: Place
    """The place of the bad value."""


def invalid(
    parameter: str,
    function: str,
    expected: str,
    got: str,
    advice: str = "",
    **more: Unpack[More],
) -> InvalidParameterError:
    """Return the error about a parameter, in the one form of all errors."""
    error = InvalidParameterError()
    error.place = NOWHERE
    return with_parts(
        error,
        parameter=parameter,
        function=function,
        expected=expected,
        got=got,
        advice=advice,
        **more,
    )


def with_parts(error: InvalidParameterError, **parts: Any) -> InvalidParameterError:
    """Return an error with some parts changed, and with the message that is made of all parts."""
    new = InvalidParameterError()
    parts = vars(error) | parts
    texts = {name: shorten(text) for name, text in parts.items() if isinstance(text, str)}
    vars(new).update(parts | texts)
    column = ""
    if new.place.column is not None and not new.place.is_part:
        column = f"a table whose column {show_id(new.place.column)} has "
    message = (
        f"The {new.parameter!r} parameter of {new.function} must be {column}{new.expected}. "
        f"Got {new.got}{new.place} instead."
    )
    new.args = (visible(" ".join(filter(None, (message, new.advice, new.code)))),)
    return new


@contextmanager
def errors_name(parameter: str, function: str) -> Iterator[None]:
    """Name a parameter in errors about the scores that it has, which are `y_score` of a score."""
    try:
        yield
    except InvalidParameterError as error:
        if error.parameter != "y_score":
            raise
        raise with_parts(error, parameter=parameter, function=function) from error
