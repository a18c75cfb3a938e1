"""The words of the command: errors and warnings of one line, about files and options."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from ranking_scores._base._errors import shorten, show_id, visible
from ranking_scores._files._forms import form_of
from ranking_scores._files._table import NAME
from ranking_scores._metrics._named import SCORES
from ranking_scores._metrics._programs import is_of_program
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import name_score

STDIN = "-"
_FUNCTIONS = {name_score(function.__name__): name for name, function in SCORES.items()}
"""The names of scores, by the function that the errors of their reports name."""


class InputError(Exception):
    """An error in the input, in the words of the command rather than of the code."""


def as_option(parameter: str) -> str:
    """Return the option for a parameter of the functions."""
    return f"--{parameter.replace('_', '-')}"


def in_words(
    error: InvalidParameterError, unnamed: Collection[str] = (), **files: str
) -> InputError:
    """Return an error about a parameter as an error about a file or an option.

    `files` maps parameters that came from files to their paths. All others become options. Advice
    in Python is left out. `unnamed` are those whose files have no names of columns, whatever the
    files are called.
    """
    path, expected = files.get(error.parameter), error.expected
    if error.place.column is not None:  # columns have no names in TREC's formats
        may_have_names = path is None or form_of(path).has_names
        has_names = may_have_names and error.parameter not in unnamed
        what = (
            f"a table whose column {show_id(error.place.column)}" if has_names else "a file that"
        )
        expected = f"{what} has {expected}"
    if error.function in _FUNCTIONS:
        expected += f" for {_FUNCTIONS[error.function]}"
    else:  # the name of a score, as it was given, is a part of that of its function
        before, after = name_score("\n").split("\n")
        measure = error.function.removeprefix(before).removesuffix(after)
        expected += f" for {measure}" * is_of_program(measure)
    subject = path or as_option(error.parameter)
    message = f"{subject} must be {expected}. Got {error.got}{error.place} instead."
    return InputError(f"{message} {error.advice}".rstrip())


def say(message: str) -> int:
    """Print one line on stderr and return the exit status of bad input."""
    print_errors(shorten(visible(f"{NAME}: {message}")) + "\n")
    return 2


def print_errors(text: str) -> None:
    """Print a text on stderr, unless it is closed."""
    if sys.stderr is not None:  # otherwise `print` would use stdout
        try:
            print(text, end="", file=sys.stderr, flush=True)
        except OSError:
            drop(sys.stderr)


def write_all(text: str) -> None:
    """Write a text to stdout as a whole, or raise an OSError.

    Without a buffer of Python's, as with PYTHONUNBUFFERED, a write may take only a part, and the
    methods for text would lose the rest.
    """
    stream = sys.stdout
    binary = getattr(stream, "buffer", None)
    if binary is None:  # it is no file
        stream.write(text)
        return
    stream.flush()
    encoded = text.replace("\n", os.linesep).encode(stream.encoding, stream.errors or "strict")
    rest = memoryview(encoded)
    while rest:
        n_written = binary.write(rest)
        if n_written is None:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        rest = rest[n_written:]


def drop(stream: Any) -> None:
    """Discard the rest of a stream, since Python flushes it once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def warnings_said(run: str) -> Iterator[None]:
    """Print the warnings of this package, one per line. Ignore warnings for developers.

    Undefined scores have other words here, and their class would load scikit-learn.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    messages = [
        str(each.message) for each in caught if each.category.__name__ != "UndefinedMetricWarning"
    ]
    for message in dict.fromkeys(messages):
        plain = _PARAMETER.sub(lambda found: f"{as_option(found[1])} ", message)
        say(f"warning: {run}: {plain.removeprefix('ranking_report: ')}")


_PARAMETER = re.compile(r"\b(split|[a-z]+(?:_[a-z]+)+)=(?=['\w])")
"""A parameter of the functions and its value, in a warning"""
