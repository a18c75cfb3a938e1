"""Reads columns from files of TREC and MS MARCO, and writes lines to such files.

A line has fields that are separated by blanks. The blanks are those of C: a space and the five
characters from tab to carriage return. The number of fields in the first line says which form all
lines have.

Files are read in blocks of lines, and each block is converted at once: NumPy finds where its
fields begin and end. A block with an error is read again line by line, to find the number of the
bad line.
"""

from __future__ import annotations

import gzip
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, invalid, show_id, show_text
from ranking_scores._base._packed_text import packed_lines, packed_objects
from ranking_scores._base._results import count_queries
from ranking_scores._base._utf8 import LONE_SURROGATE, WITH_ESCAPES, has_surrogates
from ranking_scores._base._validation import describe
from ranking_scores._files._compressed import UnpackError, opened
from ranking_scores._files._saved_files import atomic_write
from ranking_scores._files._table import FileError, FileRequest, FileTable
from ranking_scores._tables._columns import NotedTable
from ranking_scores._tables._join import MOST_OF_LABELS
from ranking_scores._tables._known_names import count_contradicted, names_ids, names_of_role
from ranking_scores.exceptions import InvalidParameterError

# --- forms of lines -----------------------------------------------------------------------------


_WHOLE = re.compile(rb"[+-]?[0-9]+")
_WITH_POINT = re.compile(rb"^([+-]?[0-9]+)\.0*$")
"""A whole number as pandas writes it, if a column had missing values: 1.0."""
_COMMENT = re.compile(rb"^[ \t\r\v\f]*#[^\n]*\n?", re.MULTILINE)
_BOM = "\ufeff".encode()


class NumberField(NamedTuple):
    """The numbers of a column."""

    name: str
    read: Callable[[bytes], NDArray[Any]]
    """Returns the numbers in lines of text."""
    requirement: str
    """The requirement on the numbers, for error messages."""
    dtype: type[np.generic]

    def of(self, text: bytes) -> NDArray[Any]:
        """Return numbers, one per line, or raise a ValueError or an OverflowError."""
        numbers = self.read(text)
        if b"_" in text or not np.isfinite(numbers).all():  # Python accepts 1_000
            raise ValueError
        return numbers


class LineForm(NamedTuple):
    """The fields of each line of a file."""

    fields: tuple[str, ...]
    number: NumberField
    """The column of numbers, one of the fields; otherwise all of these are 1."""
    note: str = ""
    """What is said about a file of this form, unless it is the usual one."""

    @property
    def has_tag(self) -> bool:
        """Return whether a tag ends each line, which may have blanks, or be missing."""
        return self.fields[-1] == "tag"

    def fits(self, n_fields: int) -> bool:
        """Return whether a line has as many fields as this form."""
        n_here = len(self.fields)
        return n_fields == n_here or (self.has_tag and n_fields >= n_here - 1)


class FileKind(NamedTuple):
    """What files hold, in one of several forms."""

    function: str
    forms: tuple[LineForm, ...]
    """The first one is the usual one, and that of an empty file."""
    advice: str
    """The advice for such a file in the function for the other kind."""

    def form_of(self, n_fields: int) -> LineForm | None:
        """Return the form of lines of some number of fields; None: there is none."""
        return next((form for form in self.forms if form.fits(n_fields)), None)


def _whole_numbers(text: bytes) -> NDArray[np.int64]:
    """Return whole numbers of 64 bits, or raise a ValueError or an OverflowError."""
    texts = text.split()
    try:
        return np.fromiter(map(int, texts), np.int64, len(texts))
    except ValueError:
        numbers = (int(_WITH_POINT.sub(rb"\1", own)) for own in texts)
        return np.fromiter(numbers, np.int64, len(texts))


def _ranks(text: bytes) -> NDArray[np.int64]:
    """Return numbers from 1 on, or raise a ValueError or an OverflowError."""
    ranks = _whole_numbers(text)
    if (ranks < 1).any():
        raise ValueError
    return ranks


def _floats(text: bytes) -> NDArray[np.float64]:
    """Return numbers, or raise a ValueError."""
    if len(text) >= WORTH_PYARROW:
        with suppress(ImportError, ValueError):  # Python also accepts numbers such as +1
            return _floats_of_pyarrow(text)
    texts = text.split()
    some = texts[::16]
    if 2 * len({*some}) > len(some):
        return np.fromiter(map(float, texts), np.float64, len(texts))
    number_of = {own: float(own) for own in {*texts}}  # since all queries have the same ranks
    return np.fromiter(map(number_of.__getitem__, texts), np.float64, len(texts))


def _floats_of_pyarrow(text: bytes) -> NDArray[np.float64]:
    pyarrow = import_module("pyarrow")
    end_of_line = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    ends = np.append(0, end_of_line - np.arange(end_of_line.size)).astype(np.int32)
    buffers = pyarrow.py_buffer(ends), pyarrow.py_buffer(text.replace(b"\n", b""))
    texts = pyarrow.Array.from_buffers(pyarrow.string(), end_of_line.size, [None, *buffers])
    return np.asarray(texts.cast(pyarrow.float64()))


WORTH_PYARROW = 100_000
"""From this many bytes on, pyarrow converts numbers faster, but its import takes a while."""
_LABEL = NumberField("label", _whole_numbers, "whole numbers of 64 bits", np.int64)
_SCORE = NumberField("score", _floats, "finite numbers", np.float64)
_RANK = NumberField("rank", _ranks, "whole numbers from 1 on", np.int64)
QRELS = FileKind(
    "read_qrels",
    (
        LineForm(("query", "iteration", "document", "label"), _LABEL),
        LineForm(
            ("query", "document"),
            _LABEL,
            "two fields per line, a query and a relevant document, as in files of MS MARCO",
        ),
    ),
    "Read judgments with `read_qrels`.",
)
OF_RATINGS = (
    "If the columns are user, item, rating and time, read a table: `pandas.read_csv(path, "
    "sep='\\t', names=['user', 'item', 'rating', 'time'])`."
)
OF_RATINGS_1M = OF_RATINGS.replace(r"sep='\t'", "sep='::', engine='python'")
"""The advice in terms of Python about ratings that are no judgments of TREC."""
OF_ITERATIONS = (
    "Pass aspects=True if they are aspects of the queries, such as subtopics, and aspects=False "
    "if they do not count."
)
"""The same about second fields that vary within a query."""
QRELS_OF_ASPECTS = FileKind(
    "read_qrels", (LineForm(("query", "aspect", "document", "label"), _LABEL),), QRELS.advice
)
"""Judgments of the aspects of queries, such as the subtopics of TREC's diversity tasks."""
RUN = FileKind(
    "read_run",
    (
        LineForm(("query", "Q0", "document", "rank", "score", "tag"), _SCORE),
        LineForm(
            ("query", "document", "rank"),
            _RANK,
            "three fields per line, a query, a document and its rank, as in files of MS MARCO",
        ),
    ),
    "Read a run with `read_run`.",
)


def without_comments(lines: bytes) -> tuple[bytes, int]:
    """Return lines without those whose first character that is no blank is #, and their number."""
    return _COMMENT.subn(b"", lines) if b"#" in lines else (lines, 0)


def has_mark(lines: bytes) -> bool:
    """Return whether a line begins with a byte-order mark, as it may if files were joined."""
    return _BOM[:1] in lines and (lines.startswith(_BOM) or b"\n" + _BOM in lines)


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
    if fields == [b"%d" % place for place in range(len(fields))]:
        return False  # Unnamed columns have such names.
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


_DIGIT = re.compile("[0-9]")


def first_error(
    block: bytes, first: int, path: str, kind: FileKind, form: LineForm | None
) -> InvalidParameterError:
    """Return the error about the first bad line of a block, which begins with line `first`.

    `form` is that of the lines before it; None: there are none.
    """
    lines = [(number, line.split()) for number, line in enumerate(block.split(b"\n"), first)]
    lines = [
        (number, fields) for number, fields in lines if not (fields and fields[0].startswith(b"#"))
    ]
    form = form or kind.form_of(len(lines[0][1]))
    wrong = ((number, _what_is_wrong(fields, kind, form)) for number, fields in lines)
    place, parts = next((Place(line=number, path=path), parts) for number, parts in wrong if parts)
    return invalid("path", kind.function, **parts._asdict(), place=place)


class _LineError(NamedTuple):
    """The parts of the error about a line."""

    expected: str
    got: str
    advice: str = ""
    code: str = ""


def _what_is_wrong(
    fields: list[bytes], kind: FileKind, form: LineForm | None
) -> _LineError | None:
    """Return the parts of the error about a line, or None for a good line."""
    if fields and fields[0].startswith(_BOM):
        got = "a byte-order mark at the beginning of a line"
        return _LineError(
            "a file with such a mark at most once", got, "Join files without the marks."
        )
    wrong = _what_does_not_fit(fields, kind, form)
    has_null = next((field for field in fields if b"\0" in field), None)
    if wrong and has_null is not None:  # UTF-16 has nulls and may also be valid UTF-8
        return _in_other_encoding(has_null)
    return wrong


def _in_other_encoding(field: bytes) -> _LineError:
    return _LineError("a file in UTF-8", show_text(field), "Save the file as UTF-8.")


def _what_does_not_fit(
    fields: list[bytes], kind: FileKind, form: LineForm | None
) -> _LineError | None:
    """Return the same, for fields without a null character."""
    n_fields = len(fields)
    has_all = form is not None and (
        n_fields == len(form.fields) or (form.has_tag and is_scored_loosely(fields))
    )
    if form is None or not has_all:
        forms = kind.forms if form is None else (form,)
        lines = " or ".join(f"'{' '.join(fitting.fields)}'" for fitting in forms)
        got = f"{n_fields} field{'s' * (n_fields != 1)}" if fields else "a blank line"
        wrong = _LineError(f"a file whose lines are {lines}", got)
        if not fields:
            return wrong._replace(advice="Delete the line.")
        if b"::" in fields[0]:
            if kind is not RUN:
                return wrong._replace(code=OF_RATINGS_1M)
            advice = "If :: separates the columns, as in MovieLens 1M, write blanks in its place, "
            return wrong._replace(advice=f"{advice}and keep the columns of this form.")
        for other in (QRELS, RUN):
            fit = None if other is kind else other.form_of(n_fields)
            # A number where the other kind has it tells that the line is of that kind.
            has_number = fit is not None and fit.number.name in fit.fields
            if has_number and not _what_does_not_fit(fields, other, fit):
                return wrong._replace(code=other.advice)
        return wrong._replace(advice="Blanks separate the fields, so an id must not contain any.")
    for name in ({"query", "iteration", "aspect", "document"}).intersection(form.fields):
        field = fields[form.fields.index(name)]
        try:
            field.decode()
        except UnicodeDecodeError:
            return _in_other_encoding(field)
    number = form.number
    if number.name in form.fields:
        text = fields[form.fields.index(number.name)]
        try:
            number.of(text + b"\n")
        except (ValueError, OverflowError):
            numbers = f"a file whose {number.name}s are {number.requirement}"
            if text.decode(errors="replace").casefold() in names_of_role(number.name):
                advice = "Delete the line with the names of the columns."
                return _LineError(numbers, show_text(text.decode()), advice)
            return _LineError(numbers, show_text(text.decode(errors="backslashreplace")))
    return None


# --- files in blocks of lines -------------------------------------------------------------------


_BLOCK_BYTES = 2**20
"""The number of bytes that are read at once, which bounds the memory beside the result."""
_MOST_TAGS_SHOWN = 3
_ID = re.compile("[^ \t-\r\ud800-\udfff]+")  # UTF-8 cannot encode surrogates


class _Field(NamedTuple):
    """A field of each line, as places in a block of lines."""

    block: bytes
    """The lines, and a word more."""
    start: NDArray[np.intp]
    stop: NDArray[np.intp]

    def texts(self, lines: Any = slice(None)) -> list[bytes]:
        """Return the fields of some lines."""
        limits = zip(self.start[lines].tolist(), self.stop[lines].tolist(), strict=True)
        return [self.block[start:stop] for start, stop in limits]

    def text(self) -> bytes:
        """Return the fields of all lines, each with the end of a line."""
        limits = np.column_stack((self.start, self.stop + 1)).ravel()
        is_own = np.repeat(np.tile([False, True], self.start.size), np.diff(limits, prepend=0))
        own: NDArray[np.uint8] = np.frombuffer(self.block, np.uint8, is_own.size)[is_own]
        own[np.cumsum(self.stop - self.start + 1) - 1] = ord("\n")
        return own.tobytes()

    def new_lines(self) -> NDArray[np.intp]:
        """Return the lines whose field differs from that of the line above."""
        length = self.stop - self.start
        longest = int(length.max(initial=0))
        if longest > _LONG:
            texts = self.texts()
            is_other = [own != above for own, above in zip(texts[1:], texts, strict=False)]
            return np.flatnonzero([True, *is_other])
        is_new = np.diff(length, prepend=-1) != 0
        word_at = np.ndarray((len(self.block) - 7,), "<u8", self.block, strides=(1,))
        for skipped in range(0, longest, 8):
            word = word_at[np.minimum(self.start + skipped, self.stop)]
            word &= _KEPT[np.clip(length - skipped, 0, 8)]
            is_new[1:] |= word[1:] != word[:-1]
        return np.flatnonzero(is_new)

    def digits(self) -> NDArray[np.int64] | None:
        """Return fields of a digit each as numbers; None: there are others."""
        if (self.stop - self.start != 1).any():
            return None
        digits = np.frombuffer(self.block, np.uint8)[self.start] - np.uint8(ord("0"))
        return digits.astype(np.int64) if (digits <= 9).all() else None


_KEPT = np.array([2 ** (8 * n_bytes) - 1 for n_bytes in range(9)], np.uint64)
"""Which bits of a word belong to a field, by the number of bytes that are left of the field."""
_LONG = 64
"""Longer fields are not compared by words."""


class _IdNumbers(dict[bytes, int]):
    """The numbers of ids, from 0 on. They are valid UTF-8."""

    def __missing__(self, code: bytes) -> int:
        code.decode()
        self[code] = number = len(self)
        return number

    def of(self, field: _Field) -> NDArray[np.int32]:
        """Return the numbers of the ids of lines."""
        lines = field.new_lines()
        if 2 * lines.size > field.start.size:  # in one text, which is faster for many lines
            return np.fromiter(
                map(self.__getitem__, field.text().split()), np.int32, field.start.size
            )
        numbers = np.fromiter(map(self.__getitem__, field.texts(lines)), np.int32, lines.size)
        return np.repeat(numbers, np.diff(lines, append=field.start.size))

    def coded(self, parts: Sequence[NDArray[np.int32]]) -> CodedField:
        """Return the ids and the numbers of those of some lines, which come in parts."""
        return CodedField([code.decode() for code in self], np.concatenate(parts))


class CodedField(NamedTuple):
    """A field of all lines, as codes of its different texts."""

    texts: list[str]
    of_line: NDArray[np.int32]


class _FileContent(NamedTuple):
    """What a file holds."""

    items: bytearray
    """The documents, each with the end of a line."""
    queries: CodedField
    form: LineForm
    values: NDArray[Any]
    """The label, score or rank of each line."""
    ranks: NDArray[np.float64] | None
    """The ranks beside scores; None: there are none, or not all are numbers."""
    n_comments: int
    tags: Collection[bytes]
    """The different tags of lines that have any."""
    aspects: CodedField | None
    """The aspects, or the iterations; None: the form has none, or the iterations are all equal."""


def check_path(path: Any, function: str) -> str:
    """Return a path as a string."""
    if not isinstance(path, (str, os.PathLike)):
        raise invalid("path", function, "a str or an os.PathLike", describe(path))
    return os.fsdecode(path)


def check_tag(tag: Any, function: str) -> str:
    """Return a valid name of a run, or raise."""
    if not isinstance(tag, str) or not _ID.fullmatch(tag):
        advice = _advise_on_surrogates(tag) if isinstance(tag, str) else ("", "")
        expected = "a non-empty str without blanks"
        raise invalid("tag", function, expected, describe(tag), advice[0], code=advice[1])
    return tag


def check_ids(ids: list[str], parameter: str, function: str) -> None:
    """Raise if an id could not be read back."""
    if not all(map(_ID.fullmatch, ids)):
        bad = next(own for own in ids if not _ID.fullmatch(own))
        expected = "made of non-empty ids without blanks that UTF-8 can encode"
        advice, code = _advise_on_surrogates(bad)
        advice = advice or "Blanks separate the fields."
        raise invalid(parameter, function, expected, show_id(bad), advice, code=code)


def _advise_on_surrogates(text: str) -> tuple[str, str]:
    """Return the advice about a text that UTF-8 cannot encode, in words and in code, or none."""
    return (LONE_SURROGATE, WITH_ESCAPES) if has_surrogates(text) else ("", "")


def check_query_ids(ids: list[str], function: str) -> None:
    """Raise if an id of a query could not be read back at the start of a line."""
    check_ids(ids, "query_ids", function)
    for beginning, name, advice in (
        ("#", "#", "Readers skip lines that begin with #."),
        ("\ufeff", "a byte-order mark", "Readers take it for a sign that files were joined."),
    ):
        bad = next((own for own in ids if own.startswith(beginning)), None)
        if bad is not None:
            expected = f"made of ids that do not begin with {name}"
            raise invalid("query_ids", function, expected, show_id(bad), advice)


def read_table(path: Any, kind: FileKind, *, may_vary: bool = False) -> NotedTable:
    """Return the content of a file as a table of named columns.

    `may_vary` says whether a second field that does not count may vary within a query.
    """
    content = _read(path, kind, may_vary=may_vary)
    items = content.items.decode().split("\n")[:-1]
    queries = np.array(content.queries.texts, dtype=object)
    return _table_of(queries, np.array(items, dtype=object), content)


def read_packed(path: Any, kind: FileKind) -> NotedTable:
    """Return the same with ids as packed text, which takes a quarter of the memory."""
    content = _read(path, kind)
    items = packed_lines(content.items, "\n")
    return _table_of(packed_objects(np.array(content.queries.texts, dtype=object)), items, content)


def read_trec(request: FileRequest) -> FileTable:
    """Read a file in one of TREC's formats, or the standard input."""
    path, of_file = request.table.path, RUN
    if path == "-" and sys.stdin is None:
        raise FileError("-: the standard input is closed")
    if request.table.kind == "label":
        of_file = QRELS if request.table.aspect is None else QRELS_OF_ASPECTS
    columns = read_packed("/dev/stdin" if path == "-" else path, of_file)
    kind, aspect = list(columns)[-1], "aspect" if "aspect" in columns else None
    table = FileTable(path, "query", "item", kind, kind, aspect, columns=columns, has_names=False)
    unusual = [form.note for form in of_file.forms if form.note in columns.notes]
    usual = "TREC's run" if of_file is RUN else "TREC's judgments"
    notes = tuple(note for note in columns.notes if note not in unusual)
    return table._replace(notes=notes, form=" ".join(unusual) or usual)


def _read(path: Any, kind: FileKind, *, may_vary: bool = False) -> _FileContent:
    """Return the content of a file. Raise if no such file has some of its values."""
    content = _read_lines(path, kind)
    form, query, n_lines = content.form, content.queries.of_line, len(content.values)
    expected, got, advice, row, code = "", "", "", None, ""
    if form.number.name == "label":
        if content.values.max(initial=0) > MOST_OF_LABELS:
            row, code = int(np.argmax(content.values > MOST_OF_LABELS)), OF_RATINGS
            expected = f"a file whose labels are at most {MOST_OF_LABELS}"
            got = f"{content.values[row]} (a time?)"
        elif content.aspects is not None and "aspect" not in form.fields and not may_vary:
            names, of_line = content.aspects
            row, code = first_other(query, of_line), OF_ITERATIONS
            expected = "a file whose second field is the same in all lines of a query"
            got = "" if row is None else show_id(names[of_line[row]])
        elif n_lines and len(form.fields) == 2 and _has_header(content):
            row, advice = 0, "Delete the line with the names of the columns."
            expected, got = "a file without a header", show_id(content.queries.texts[query[0]])
    elif form.number.name == "rank":
        row = first_wrong_rank(query, content.values)
        expected = "a file whose third fields are ranks, from 1 on in each query, each once"
        got = "" if row is None else f"{content.values[row]} (a score?)"
        advice = "Write scores in lines such as '301 Q0 FR-10 1 7.5 bm25'."
    if row is None:
        return content
    name = check_path(path, kind.function)
    place = Place(row=row, path=name) if content.n_comments else Place(line=row + 1, path=name)
    raise invalid("path", kind.function, expected, got, advice, code=code, place=place)


def first_other(query: NDArray[np.int32], value: NDArray[Any]) -> int | None:
    """Return the first line with another value than a line of its query above it, if any."""
    of_query = np.zeros(query.max(initial=0) + 1, value.dtype)
    of_query[query[::-1]] = value[::-1]
    is_other = of_query[query] != value
    return int(np.argmax(is_other)) if is_other.any() else None


def first_wrong_rank(query: NDArray[np.int32], rank: NDArray[np.int64]) -> int | None:
    """Return the first line of a query whose numbers are rather scores; None: all are ranks.

    The ranks of a query begin at 1, and none is there twice. In files that are in the order of
    scores, these fall from line to line, which ranks from n to 1 would do, too.
    """
    is_same = query[1:] == query[:-1]
    starts = np.flatnonzero(np.append(True, ~is_same))[: query.size]
    are_together = starts.size == query.max(initial=-1) + 1
    rises = rank[1:] > rank[:-1]
    if are_together and (rank[starts] == 1).all() and rises[is_same].all():
        return None
    order = np.lexsort((rank, query))
    sorted_query, sorted_rank = query[order], rank[order]
    is_first = np.append(True, sorted_query[1:] != sorted_query[:-1])
    is_wrong = np.append(True, sorted_rank[1:] == sorted_rank[:-1])
    is_wrong = np.where(is_first, sorted_rank != 1, is_wrong)
    if is_wrong.any():
        return int(np.isin(query, sorted_query[is_wrong]).argmax())
    all_fall = are_together and is_same.any() and not rises[is_same].any()
    return int(is_same.argmax()) if all_fall else None


def _has_header(content: _FileContent) -> bool:
    """Return whether the first line of two fields has the names of the columns.

    They are known, or this line alone has no digits in its ids.
    """
    texts, of_line = content.queries
    first = content.items[: content.items.find(b"\n")].decode()
    query = texts[of_line[0]]
    if names_ids([query, first]):
        return True
    if any(map(_DIGIT.search, (query, first))) or (of_line[1:] == of_line[0]).any():
        return False
    return len(texts) > 1 and all(map(_DIGIT.search, texts[1:]))


def _table_of(queries: Any, items: Any, content: _FileContent) -> NotedTable:
    """Return a table of named columns. `queries` are the different ones."""
    form, n_comments, query = content.form, content.n_comments, content.queries.of_line
    table = NotedTable({"query": queries[query], "item": items})
    if content.aspects is not None and "aspect" in form.fields:
        names, aspect = content.aspects
        table["aspect"] = np.array(names, dtype=object)[aspect]
    table[form.number.name] = content.values  # Readers take it for the last column.
    notes = [form.note] if form.note else []
    if n_comments:
        they = "line that begins with # is" if n_comments == 1 else "lines that begin with # are"
        notes.append(f"{n_comments} {they} skipped")
    if len(content.tags) > 1:
        names = [tag.decode(errors="backslashreplace") for tag in sorted(content.tags)]
        shown = ", ".join(names[:_MOST_TAGS_SHOWN]) + ", ..." * (len(names) > _MOST_TAGS_SHOWN)
        notes.append(f"{len(names)} tags in the file, {shown}, which is read as one run")
    if content.ranks is not None:
        n_queries = count_contradicted(query, content.values, content.ranks)
        if n_queries:
            share = f"{n_queries} of {count_queries(len(content.queries.texts))}"
            notes.append(f"the ranks contradict the scores in {share}; the scores count")
    table.notes = tuple(notes)
    table.label_below_0_is_0 = form.number.name == "label"
    return table


def _read_lines(path: Any, kind: FileKind) -> _FileContent:
    """Read a file in blocks of lines."""
    name = check_path(path, kind.function)
    query_of, aspect_of, form, n_comments = _IdNumbers(), _IdNumbers(), None, 0
    tags: set[bytes] = set()
    items = bytearray()
    queries, aspects = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    values: list[NDArray[Any]] = []
    ranks: list[NDArray[np.float64]] = []
    try:
        for first, block in _blocks(name, kind.function):
            lines, n_here = without_comments(block)
            n_comments += n_here
            if not lines:
                continue
            form = form or kind.form_of(len(lines.partition(b"\n")[0].split()))
            try:
                if form is None or has_mark(lines):
                    raise ValueError
                fields = _split(lines, form)
                queries.append(query_of.of(fields["query"]))
                values.append(_values_of(fields, form.number))
                second = fields.get("aspect") or fields.get("iteration")
                if second is not None:
                    aspects.append(aspect_of.of(second))
                text = fields["document"].text()
                text.decode()
            except (ValueError, OverflowError):
                raise first_error(block, first, name, kind, form) from None
            items += text
            if form.has_tag:
                own_tags = fields["tag"].texts(fields["tag"].new_lines())
                tags.update(b" ".join(tag.split()) for tag in own_tags)
                with suppress(ValueError):
                    ranks.append(_floats(fields["rank"].text()))
    except UnpackError as error:
        got = f"{name}, and {error.got},"
        raise invalid("path", kind.function, error.expected, got) from error
    form = form or kind.forms[0]
    return _FileContent(
        items,
        query_of.coded(queries),
        form,
        np.concatenate([np.empty(0, form.number.dtype), *values]),
        np.concatenate(ranks) if ranks and len(ranks) == len(values) else None,
        n_comments,
        tags,
        aspect_of.coded(aspects) if "aspect" in form.fields or len(aspect_of) > 1 else None,
    )


def _values_of(fields: dict[str, _Field], number: NumberField) -> NDArray[Any]:
    """Return the numbers of lines. If these have none, each document is relevant."""
    field = fields.get(number.name)
    if field is None:
        return np.ones(fields["query"].start.size, number.dtype)
    digits = field.digits() if number is _LABEL else None
    return number.of(field.text()) if digits is None else digits


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write a file. If its name ends with .gz, compress it by gzip."""
    with atomic_write(path) as file, ExitStack() as stack:
        raw: Any = file
        if path.endswith(".gz"):
            raw = stack.enter_context(gzip.GzipFile(path, "wb", fileobj=file))
        text = stack.enter_context(TextIOWrapper(raw, encoding="utf-8", newline="\n"))
        text.writelines(lines)


def _blocks(path: str, function: str) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of lines, with the number of the first line, without blanks at the end."""
    first, rest = 1, b""
    with opened(path, function) as file:
        while block := file.read(_BLOCK_BYTES):
            block += file.readline()
            if rest and block.isspace():
                continue  # if lines follow, the first blank line is an error, which `rest` has
            block = rest + block
            stop = len(block.rstrip())
            if stop:
                stop = block.find(b"\n", stop) + 1 or len(block)
                yield first, block[:stop]
                first += block.count(b"\n", 0, stop)
            rest = block[stop:]


def _split(lines: bytes, form: LineForm) -> dict[str, _Field]:
    """Return the fields of lines, by name. Raise a ValueError if a line is not of the form.

    Only the lines that have a tag have this field.
    """
    block = lines.removesuffix(b"\n") + b"\n" * 8
    codes = np.frombuffer(block, np.uint8)
    is_blank = (codes == ord(" ")) | (codes - np.uint8(9) < 5)  # below 9 it wraps around
    limits = np.flatnonzero(is_blank[1:] != is_blank[:-1]) + 1
    if not is_blank[0]:
        limits = np.append(0, limits)
    start, stop = limits[::2], limits[1::2]
    last = np.searchsorted(start, np.flatnonzero(codes[:-7] == ord("\n"))) - 1
    n_of_line, n_fields = np.diff(last, prepend=-1), len(form.fields)
    first = last - n_of_line + 1
    unusual = np.flatnonzero(n_of_line != n_fields).tolist()
    for line in unusual:
        fields = lines[start[first[line]] : stop[last[line]]].split() if n_of_line[line] else []
        if not form.has_tag or not is_scored_loosely(fields):
            raise ValueError
    names = form.fields[:-1] if form.has_tag else form.fields
    found = {}
    for number, name in enumerate(names):
        place = first + number if unusual else slice(number, None, n_fields)
        found[name] = _Field(block, start[place], stop[place])
    if form.has_tag:
        has_tag = n_of_line >= n_fields
        tag = first[has_tag] + n_fields - 1
        found["tag"] = _Field(block, start[tag], stop[last[has_tag]])
    return found
