"""The forms of lines in files of TREC and MS MARCO, and what is wrong with a line of none.

A line has fields that are separated by blanks. The blanks are those of C: a space and the five
characters from tab to carriage return. The number of fields in the first line says which form all
lines have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import Place, invalid, show_text
from ranking_scores._tables._known_names import names_of_role
from ranking_scores.exceptions import InvalidParameterError

_WHOLE = re.compile(rb"[+-]?[0-9]+")
_WITH_POINT = re.compile(rb"([+-]?[0-9]+)\.0*")
"""A whole number as pandas writes it, if a column had missing values: 1.0."""
_COMMENT = re.compile(rb"^[ \t\r\v\f]*#[^\n]*\n?", re.MULTILINE)
_BOM = "\ufeff".encode()
_LATER_COMMENT = re.compile(rb"\n[ \t\r\v\f]*#")


class Number(NamedTuple):
    """The numbers of a column."""

    name: str
    read: Callable[[Sequence[bytes]], NDArray[Any]]
    requirement: str
    """The requirement on the numbers, for error messages."""
    dtype: type[np.generic]

    def of(self, texts: Sequence[bytes]) -> NDArray[Any]:
        """Return numbers, or raise a ValueError or an OverflowError."""
        numbers = self.read(texts)
        if b"_" in b"".join(texts) or not np.isfinite(numbers).all():  # Python accepts 1_000
            raise ValueError
        return numbers


class Form(NamedTuple):
    """The fields of each line of a file."""

    fields: tuple[str, ...]
    number: Number
    """The column of numbers, one of the fields; otherwise all of these are 1."""
    note: str = ""
    """What is said about a file of this form, unless it is the usual one."""

    def values_of(self, texts: Sequence[bytes] | None, n_lines: int) -> NDArray[Any]:
        """Return the numbers of lines. If these have none, each document is relevant."""
        return np.ones(n_lines, self.number.dtype) if texts is None else self.number.of(texts)

    @property
    def has_tag(self) -> bool:
        """Return whether a tag ends each line, which may have blanks, or be missing."""
        return self.fields[-1] == "tag"

    def fits(self, n_fields: int) -> bool:
        """Return whether a line has as many fields as this form."""
        n_here = len(self.fields)
        return n_fields == n_here or (self.has_tag and n_fields >= n_here - 1)


class Kind(NamedTuple):
    """What files hold, in one of several forms."""

    function: str
    forms: tuple[Form, ...]
    """The first one is the usual one, and that of an empty file."""
    advice: str
    """The advice for such a file in the function for the other kind."""

    def form_of(self, n_fields: int) -> Form | None:
        """Return the form of lines of some number of fields; None: there is none."""
        return next((form for form in self.forms if form.fits(n_fields)), None)


def _whole_numbers(texts: Sequence[bytes]) -> NDArray[np.int64]:
    """Return whole numbers of 64 bits, or raise a ValueError or an OverflowError."""
    try:
        return np.fromiter(map(int, texts), np.int64, len(texts))
    except ValueError:
        return np.fromiter(map(_as_whole, texts), np.int64, len(texts))


def _as_whole(text: bytes) -> int:
    found = _WITH_POINT.fullmatch(text)
    return int(text if found is None else found[1])


def _ranks(texts: Sequence[bytes]) -> NDArray[np.int64]:
    """Return numbers from 1 on, or raise a ValueError or an OverflowError."""
    ranks = _whole_numbers(texts)
    if (ranks < 1).any():
        raise ValueError
    return ranks


def _floats(texts: Sequence[bytes]) -> NDArray[np.float64]:
    """Return numbers, or raise a ValueError."""
    return np.fromiter(map(float, texts), np.float64, len(texts))


_LABEL = Number("label", _whole_numbers, "whole numbers of 64 bits", np.int64)
_SCORE = Number("score", _floats, "finite numbers", np.float64)
_RANK = Number("rank", _ranks, "whole numbers from 1 on", np.int64)
QRELS = Kind(
    "read_qrels",
    (
        Form(("query", "iteration", "document", "label"), _LABEL),
        Form(
            ("query", "document"),
            _LABEL,
            "two fields per line, a query and a relevant document, as in files of MS MARCO",
        ),
    ),
    "Read judgments with `read_qrels`.",
)
QRELS_OF_ASPECTS = Kind(
    "read_qrels", (Form(("query", "aspect", "document", "label"), _LABEL),), QRELS.advice
)
"""Judgments of the aspects of queries, such as the subtopics of TREC's diversity tasks."""
RUN = Kind(
    "read_run",
    (
        Form(("query", "Q0", "document", "rank", "score", "tag"), _SCORE),
        Form(
            ("query", "document", "rank"),
            _RANK,
            "three fields per line, a query, a document and its rank, as in files of MS MARCO",
        ),
    ),
    "Read a run with `read_run`.",
)


def without_comments(lines: bytes) -> tuple[bytes, int]:
    """Return lines without those whose first character that is no blank is #, and their number."""
    if b"#" not in lines or not (_COMMENT.match(lines) or _LATER_COMMENT.search(lines)):
        return lines, 0
    return _COMMENT.subn(b"", lines)


def has_mark(lines: bytes) -> bool:
    """Return whether a line begins with a byte-order mark, as it may if files were joined."""
    return lines.startswith(_BOM) or b"\n" + _BOM in lines


def are_whole(texts: Sequence[bytes]) -> bool:
    """Return whether all texts are whole numbers, without a point."""
    return all(map(_WHOLE.fullmatch, texts))


def is_scored_loosely(fields: Sequence[bytes]) -> bool:
    """Return whether a line of a run has no tag, or one with blanks, and all else fits.

    An id with a blank would move the other fields: `q1 Q0 my 7 1 2.5 tag` is not read.
    """
    if len(fields) < 5 or not _WHOLE.fullmatch(fields[3]):
        return False
    return len(fields) == 5 or not _is_number(fields[5])


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def is_without_header(line: bytes) -> bool:
    """Return whether the first line of a TSV file is data in a form of TREC or MS MARCO.

    It has numbers where these are in such a form, and where a header has names.
    """
    fields = line.split()
    if fields == [b"%d" % place for place in range(len(fields))]:  # names of unnamed columns
        return False
    if len(fields) == 2:
        return fields[0].isdigit() and _has_digit(fields[1])
    if len(fields) == 3:
        return _has_digit(fields[0]) and fields[2].isdigit()
    if len(fields) < 4 or not _has_digit(fields[1]):  # 0 or Q0
        return False
    number = fields[3]
    if len(fields) > 4:
        return number.isdigit() and _is_number(fields[4])
    return _is_number(number) and _has_digit(number)


def _has_digit(text: bytes) -> bool:
    return re.search(rb"[0-9]", text) is not None


def first_error(
    block: bytes, first: int, path: str, kind: Kind, form: Form | None
) -> InvalidParameterError:
    """Return the error about the first bad line of a block, which begins with line `first`.

    `form` is that of the lines before it; None: there are none.
    """
    lines = [(number, line.split()) for number, line in enumerate(block.split(b"\n"), first)]
    lines = [(number, fields) for number, fields in lines if not _is_comment(fields)]
    form = form or kind.form_of(len(lines[0][1]))
    wrong = ((number, _what_is_wrong(fields, kind, form)) for number, fields in lines)
    number, parts = next((number, each) for number, each in wrong if each)
    place = Place(line=number, path=path)
    return invalid("path", kind.function, **parts._asdict(), place=place)


def _is_comment(fields: list[bytes]) -> bool:
    return bool(fields) and fields[0].startswith(b"#")


class _Wrong(NamedTuple):
    """The parts of the error about a line."""

    expected: str
    got: str
    advice: str = ""
    code: str = ""


def _what_is_wrong(fields: list[bytes], kind: Kind, form: Form | None) -> _Wrong | None:
    """Return the parts of the error about a line, or None for a good line."""
    if fields and fields[0].startswith(_BOM):
        got = "a byte-order mark at the beginning of a line"
        return _Wrong("a file with such a mark at most once", got, "Join files without the marks.")
    wrong = _what_does_not_fit(fields, kind, form)
    has_null = next((field for field in fields if b"\0" in field), None)
    if wrong and has_null is not None:  # UTF-16 has nulls and may also be valid UTF-8
        return _in_other_encoding(has_null)
    return wrong


def _in_other_encoding(field: bytes) -> _Wrong:
    return _Wrong("a file in UTF-8", show_text(field), "Save the file as UTF-8.")


def _what_does_not_fit(fields: list[bytes], kind: Kind, form: Form | None) -> _Wrong | None:
    """Return the same, for fields without a null character."""
    n_fields = len(fields)
    if form is None or not _has_fields(fields, form):
        forms = kind.forms if form is None else (form,)
        lines = " or ".join(f"'{' '.join(each.fields)}'" for each in forms)
        got = f"{n_fields} field{'s' * (n_fields != 1)}" if fields else "a blank line"
        wrong = _Wrong(f"a file whose lines are {lines}", got)
        if not fields:
            return wrong._replace(advice="Delete the line.")
        if b"::" in fields[0]:
            advice = (
                "If :: separates the columns, as in MovieLens 1M, write blanks in its place, and"
            )
            return wrong._replace(advice=f"{advice} keep the columns of this form.")
        for other in (QRELS, RUN):
            if other is not kind and _is_surely(fields, other):
                return wrong._replace(code=other.advice)
        return wrong._replace(advice="Blanks separate the fields, so an id must not contain any.")
    for name in ("query", "document"):
        field = fields[form.fields.index(name)]
        try:
            field.decode()
        except UnicodeDecodeError:
            return _in_other_encoding(field)
    number = form.number
    if number.name in form.fields:
        text = fields[form.fields.index(number.name)]
        try:
            number.of([text])
        except (ValueError, OverflowError):
            numbers = f"a file whose {number.name}s are {number.requirement}"
            if text.decode(errors="replace").casefold() in names_of_role(number.name):
                advice = "Delete the line with the names of the columns."
                return _Wrong(numbers, show_text(text.decode()), advice)
            return _Wrong(numbers, show_text(text.decode(errors="backslashreplace")))
    return None


def _has_fields(fields: list[bytes], form: Form) -> bool:
    """Return whether a line has the fields of a form."""
    return len(fields) == len(form.fields) or (form.has_tag and is_scored_loosely(fields))


def _is_surely(fields: list[bytes], kind: Kind) -> bool:
    """Return whether a line is one of a kind, by a number that is where that kind has it."""
    form = kind.form_of(len(fields))
    has_number = form is not None and form.number.name in form.fields
    return has_number and _what_does_not_fit(fields, kind, form) is None
