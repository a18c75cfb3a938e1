"""The messages of this package: the one form of all errors, warnings, and the text in them.

A caller of the package's functions that has its own words, such as the command, takes the parts
of an error and leaves the message.

Ids, groups and names of files may have characters that a terminal obeys, or that hide or reorder
the text around them. Tables, reprs, errors and warnings show these as the escapes of Python, and
long text by its beginning. JSON and CSV, which are for programs, have all text as it is.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import compress
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from ranking_scores.exceptions import InvalidParameterError

_BEYOND_ASCII = "[^\0-\x7f]"
_HIDDEN = re.compile(
    # The controls C0 and C1, a soft hyphen, lone surrogates, and tags.
    "[\0-\x1f\x7f-\x9f\xad\ud800-\udfff\U000e0000-\U000e007f"
    # Marks, embeddings, overrides and isolates of direction, and the separators of lines.
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    # What has no width.
    "\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]"
    # Joiners, except inside of emoji and of words of Persian and of Indian languages.
    f"|[\u200c\u200d](?!{_BEYOND_ASCII})|(?<!{_BEYOND_ASCII})[\u200c\u200d]"
)
_LONGEST = 200
"""A text of at most so many characters is shown whole. Addresses of pages are ids, too."""
_BEGINNING = 80
"""How many characters are shown of a longer text."""
_LONGEST_PART = 2000
"""The most characters of a part of a message, such as a list of names."""
_N_IDS, _N_NAMES = 3, 10
"""How many ids, and how many names of columns, fields and scores, are shown of a long list."""


def visible(text: str) -> str:
    """Return a text with escapes for the characters that a terminal obeys or does not show."""
    if text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shorten(text: str) -> str:
    """Return a message or a part of it: the beginning and the length, if it is endless."""
    return text if len(text) <= _LONGEST_PART else f"{text[:_LONGEST_PART]}{_of(text)}"


def show_text(text: str | bytes) -> str:
    """Return text as error messages show it: the beginning and the length, if it is long."""
    return repr(text) if len(text) <= _LONGEST else f"{text[:_BEGINNING]!r}{_of(text)}"


def _of(text: str | bytes) -> str:
    """Return the words about the length of a text that is cut."""
    return f"… ({len(text)} {'bytes' if isinstance(text, bytes) else 'characters'})"


def show_id(value: Any) -> str:
    """Return an id, or another value of the caller, as error messages show it."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return str(value)
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (str, bytes)):
        return show_text(value)
    text = repr(value)
    return visible(text if len(text) <= _LONGEST else f"{text[:_BEGINNING]}{_of(text)}")


def show_some(ids: Sequence[Any] | NDArray[Any], n: int = _N_IDS) -> str:
    """Return the first ids in words, and how many more there are."""
    more = f" and {len(ids) - n} more" if len(ids) > n else ""
    return f"{', '.join(map(show_id, ids[:n]))}{more}"


def show_names(names: Iterable[Any]) -> str:
    """Return the first names of columns, fields or scores, and how many more there are."""
    return show_some(list(names), _N_NAMES)


def list_some(names: Sequence[str]) -> str:
    """Return some names in words, and how many more there are."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    separator = "; " if any("," in name for name in names[:5]) else ", "
    return f"{separator.join(names[:5])}{more}"


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


class ErrorDetails(TypedDict, total=False):
    """The parts that only some errors have."""

    code: str
    """The advice in terms of Python: sentences with code or with names of parameters."""
    place: Place
    """The place of the bad value."""
    owner: str
    """What has no such parameter."""


def invalid(
    parameter: str,
    function: str,
    expected: str,
    got: str,
    advice: str = "",
    **more: Unpack[ErrorDetails],
) -> InvalidParameterError:
    """Return the error about a parameter, in the one form of all errors."""
    error = InvalidParameterError()
    error.place = NOWHERE
    given = {"parameter": parameter, "function": function, "expected": expected, "got": got}
    return with_parts(error, **given, advice=advice, **more)


class ErrorNames(NamedTuple):
    """The names of a function that reads tables, and of its parameter, for errors."""

    function: str
    parameter: str
    """The parameter that is the table, or the file."""

    def invalid(
        self, expected: str, got: str, advice: str = "", **more: Unpack[ErrorDetails]
    ) -> InvalidParameterError:
        """Return the error about the parameter."""
        return invalid(self.parameter, self.function, expected, got, advice, **more)


def with_parts(error: InvalidParameterError, **parts: Any) -> InvalidParameterError:
    """Return an error with some parts changed, and with the message that is made of all parts."""
    new = InvalidParameterError()
    parts = vars(error) | parts
    texts = {name: shorten(text) for name, text in parts.items() if isinstance(text, str)}
    vars(new).update(parts | texts)
    column = ""
    if new.place.column is not None and not new.place.is_part:
        column = f"a table whose column {show_id(new.place.column)} has "
    message = f"The {new.parameter!r} parameter of {new.function} must be {column}{new.expected}."
    if new.got:
        message += f" Got {new.got}{new.place} instead."
    if new.owner:
        nor = "" if new.owner == new.function else f", nor has {new.owner}"
        message = f"{new.function} has no parameter {new.parameter!r}{nor}."
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


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package."""
    ours = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_globals.get("__name__", "").partition(".")[0] == ours and frame.f_back:
        level, frame = level + 1, frame.f_back
    warnings.warn(shorten(visible(message)), category, stacklevel=level)


def warn_of_undefined(
    are_undefined: Sequence[bool], function: str, names: Sequence[str] | None, reason: str
) -> None:
    """Warn if some results are undefined, and name them."""
    if any(are_undefined):
        undefined = list(compress(names or (), are_undefined))
        listed = f" ({list_some(undefined)})" if undefined else ""
        from sklearn.exceptions import UndefinedMetricWarning

        what = f"{function}{listed} {'are' if len(undefined) > 1 else 'is'}"
        warn_caller(f"{what} undefined: {reason}.", UndefinedMetricWarning)


def import_extra(module: str, extra: str, user: str) -> Any:
    """Return a module of an optional library.

    `user` names what needs the library, such as a function. `extra` is the extra of this package
    that installs it.
    """
    library = module.partition(".")[0]
    try:
        import_module(library)
        return import_module(module)
    except ImportError as error:
        message = f'{user} needs {library}: python -m pip install "ranking-scores[{extra}]"'
        raise ImportError(message) from error
