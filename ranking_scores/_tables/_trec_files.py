"""Reads columns from files of TREC and MS MARCO, and writes lines to such files.

A line has fields that are separated by blanks. The blanks are those of C: a space and the five
characters from tab to carriage return. The number of fields in the first line says which form all
lines have.

Files are read in blocks of lines, and each block is converted at once. A block with an error is
read again line by line, to find the number of the bad line. Large files are read by pyarrow, which
splits their lines many times faster, if they are plain: one kind of blank separates the fields,
and nothing in them is odd. Files that are not plain, and those with an error, are left to the
reader of lines, which says what is wrong.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    LONE_SURROGATE,
    WITH_ESCAPES,
    Place,
    UnpackError,
    atomic_write,
    count_queries,
    describe,
    has_surrogates,
    invalid,
    opened,
    pack_text,
    packed_lines,
    packed_objects,
    show_id,
    show_text,
)
from ranking_scores._tables._columns import NotedTable
from ranking_scores._tables._known_names import count_contradicted, names_of_role
from ranking_scores.exceptions import InvalidParameterError

# --- forms of lines -----------------------------------------------------------------------------


_WHOLE = re.compile(rb"[+-]?[0-9]+")
_WITH_POINT = re.compile(rb"([+-]?[0-9]+)\.0*")
"""A whole number as pandas writes it, if a column had missing values: 1.0."""
_COMMENT = re.compile(rb"^[ \t\r\v\f]*#[^\n]*\n?", re.MULTILINE)
_BOM = "\ufeff".encode()
_LATER_COMMENT = re.compile(rb"\n[ \t\r\v\f]*#")


class NumberField(NamedTuple):
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


class LineForm(NamedTuple):
    """The fields of each line of a file."""

    fields: tuple[str, ...]
    number: NumberField
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
    if b"#" not in lines or not (_COMMENT.match(lines) or _LATER_COMMENT.search(lines)):
        return lines, 0
    return _COMMENT.subn(b"", lines)


def has_mark(lines: bytes) -> bool:
    """Return whether a line begins with a byte-order mark, as it may if files were joined."""
    return lines.startswith(_BOM) or b"\n" + _BOM in lines


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
    number, parts = next((number, parts) for number, parts in wrong if parts)
    place = Place(line=number, path=path)
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
                return _LineError(numbers, show_text(text.decode()), advice)
            return _LineError(numbers, show_text(text.decode(errors="backslashreplace")))
    return None


def _is_surely(fields: list[bytes], kind: FileKind) -> bool:
    """Return whether a line is one of a kind, by a number that is where that kind has it."""
    form = kind.form_of(len(fields))
    has_number = form is not None and form.number.name in form.fields
    return has_number and _what_does_not_fit(fields, kind, form) is None


# --- files in blocks of lines -------------------------------------------------------------------


_BLOCK_BYTES = 2**17
"""The number of bytes that are read at once, which bounds the memory beside the result."""
_MOST_TAGS_SHOWN = 3
_ID = re.compile("[^ \t-\r\ud800-\udfff]+")  # UTF-8 cannot encode surrogates


class _IdNumbers(dict[bytes, int]):
    """The numbers of ids, from 0 on. They are valid UTF-8."""

    def __missing__(self, code: bytes) -> int:
        code.decode()
        self[code] = number = len(self)
        return number


class _LineFields(NamedTuple):
    """The fields of some lines."""

    queries: list[bytes]
    items: list[bytes]
    numbers: list[bytes] | None
    """The fields with the numbers of the form; None: it has none."""
    ranks: list[bytes] | None
    """The ranks beside scores; None: the form has none."""
    tags: Collection[bytes]
    """The different tags."""
    aspects: list[bytes] | None
    """The aspects; None: the form has none."""


class _LineAspects(NamedTuple):
    """The aspects of lines."""

    names: list[str]
    """The different aspects."""
    aspect: NDArray[np.int32]
    """The aspect of each line."""


class _FileContent(NamedTuple):
    """What a file holds, apart from its documents."""

    queries: list[str]
    """The different queries."""
    query: NDArray[np.int32]
    """The query of each line."""
    form: LineForm
    values: NDArray[Any]
    """The label, score or rank of each line."""
    ranks: NDArray[np.float64] | None
    """The ranks beside scores; None: there are none, or not all are numbers."""
    n_comments: int
    tags: Collection[bytes]
    """The different tags of lines that have any."""
    aspects: _LineAspects | None
    """The aspect of each line; None: the form has none."""


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


def read_table(path: Any, kind: FileKind) -> NotedTable:
    """Return the content of a file as a table of named columns."""
    plain = _read_plain(path, kind)
    if plain is not None:
        items, numbers = plain
    else:
        items = []
        numbers = _read_lines(path, kind, lambda codes: items.extend(map(bytes.decode, codes)))
    queries = np.array(numbers.queries, dtype=object)
    return _table_of(queries, np.array(items, dtype=object), numbers)


def read_packed(path: Any, kind: FileKind) -> NotedTable:
    """Return the same with ids as packed text, which takes a quarter of the memory."""
    plain = _read_plain(path, kind)
    if plain is not None:
        column, numbers = plain
        items = pack_text(column)
    else:
        texts = bytearray()

        def read(codes: list[bytes]) -> None:
            text = b"\n".join((*codes, b""))
            if not text.isascii():
                for code in codes:
                    code.decode()
            texts.extend(text)

        numbers = _read_lines(path, kind, read)
        items = packed_lines(texts, "\n")
    return _table_of(packed_objects(np.array(numbers.queries, dtype=object)), items, numbers)


def _table_of(queries: Any, items: Any, numbers: _FileContent) -> NotedTable:
    """Return a table of named columns. `queries` are the different ones."""
    form, n_comments = numbers.form, numbers.n_comments
    table = NotedTable({"query": queries[numbers.query], "item": items})
    if numbers.aspects is not None:
        names, aspect = numbers.aspects
        table["aspect"] = np.array(names, dtype=object)[aspect]
    table[form.number.name] = numbers.values  # Readers take it for the last column.
    notes = [form.note] if form.note else []
    if n_comments:
        they = "line that begins with # is" if n_comments == 1 else "lines that begin with # are"
        notes.append(f"{n_comments} {they} skipped")
    if len(numbers.tags) > 1:
        names = [tag.decode(errors="backslashreplace") for tag in sorted(numbers.tags)]
        shown = ", ".join(names[:_MOST_TAGS_SHOWN]) + ", ..." * (len(names) > _MOST_TAGS_SHOWN)
        notes.append(f"{len(names)} tags in the file, {shown}, which is read as one run")
    if numbers.ranks is not None:
        n_queries = count_contradicted(numbers.query, numbers.values, numbers.ranks)
        if n_queries:
            share = f"{n_queries} of {count_queries(len(numbers.queries))}"
            notes.append(f"the ranks contradict the scores in {share}; the scores count")
    table.notes = tuple(notes)
    table.label_below_0_is_0 = form.number.name == "label"
    return table


def _read_plain(path: Any, kind: FileKind) -> tuple[Any, _FileContent] | None:
    """Return the documents in a file that pyarrow reads, and the rest; None: of other files."""
    name = check_path(path, kind.function)
    if not os.path.isfile(name) or os.path.getsize(name) < WORTH_PYARROW:
        return None
    try:
        with opened(name, kind.function) as file:
            content = as_plain(file.read())
        if content is None:
            return None
        lines, n_comments = content.lines, 0
        if content.has_comments:
            lines, n_comments = without_comments(lines)
        return _split_plain(content._replace(lines=lines), kind, n_comments)
    except (ValueError, OverflowError, UnpackError, MemoryError):
        # The reader of lines says better what is wrong, and needs less memory.
        return None


def _split_plain(
    content: PlainLines, kind: FileKind, n_comments: int
) -> tuple[Any, _FileContent] | None:
    """Return the same of lines without comments, or raise a ValueError or an OverflowError."""
    n_fields = _count_first(content.lines)
    form = kind.form_of(n_fields)
    if form is None:
        return None
    # If tags have blanks, lines have more fields than there are names, which pyarrow refuses.
    names, number = list(form.fields[:n_fields]), form.number.name
    is_coded = number != "score" and number in names
    coded = ["query", "aspect"] if "aspect" in names else ["query"]
    fields = split_plain(content, names, [*coded, number] if is_coded else coded)
    if fields is None:
        return None
    ranks = None
    if fields.scores is not None:
        values: NDArray[Any] = fields.scores
        lacks_tag = n_fields < len(form.fields)  # An id with a blank may move the rank.
        if lacks_tag and not all(map(_WHOLE.fullmatch, _texts_of(fields.ranks))):
            return None
        ranks = as_floats(fields.ranks)
        if ranks is None:
            ranks = _RankNumbers().of(_texts_of(fields.ranks))
    elif is_coded:
        labels = fields.coded[number]
        values = form.number.of([label.encode() for label in labels.texts])[labels.of_line]
    else:
        values = form.values_of(None, len(fields.items))
    queries, query = fields.coded["query"]
    tags = tags_of(content.lines, len(query)) if names[-1] == "tag" else ()
    aspects = None
    if "aspect" in names:
        aspect_texts, aspect = fields.coded["aspect"]
        aspects = _LineAspects(aspect_texts.tolist(), aspect)
    file_content = _FileContent(
        queries.tolist(), query, form, values, ranks, n_comments, tags, aspects
    )
    return fields.items, file_content


def _texts_of(column: Any) -> list[bytes]:
    """Return the texts of a column of pyarrow."""
    return [text.encode() for text in column.to_pylist()]


class _RankNumbers(dict[bytes, float]):
    """The numbers of ranks, each read once, since all queries have the same."""

    def __missing__(self, text: bytes) -> float:
        self[text] = rank = float(text)
        return rank

    def of(self, texts: Sequence[bytes]) -> NDArray[np.float64] | None:
        """Return the ranks of lines; None: not all are numbers."""
        try:
            return np.fromiter(map(self.__getitem__, texts), np.float64, len(texts))
        except ValueError:
            return None


def _read_lines(
    path: Any, kind: FileKind, read_items: Callable[[list[bytes]], None]
) -> _FileContent:
    """Read a file in blocks of lines.

    `read_items` takes the documents of each block. It raises a ValueError if one of them is not in
    UTF-8.
    """
    name = check_path(path, kind.function)
    number_of, rank_of, form, n_comments = _IdNumbers(), _RankNumbers(), None, 0
    aspect_of, aspect_parts = _IdNumbers(), [np.empty(0, np.int32)]
    tags: set[bytes] = set()
    parts: list[tuple[NDArray[np.int32], NDArray[Any], NDArray[np.float64] | None]] = []
    try:
        for first, block in _blocks(name, kind.function):
            content, n_here = without_comments(block)
            n_comments += n_here
            if not content:
                continue
            form = form or kind.form_of(_count_first(content))
            try:
                if form is None or has_mark(content):
                    raise ValueError
                lines = _split(content, form)
                n_lines = len(lines.items)
                codes = map(number_of.__getitem__, lines.queries)
                query = np.fromiter(codes, np.int32, n_lines)
                values = form.values_of(lines.numbers, n_lines)
                ranks = None if lines.ranks is None else rank_of.of(lines.ranks)
                aspects = list(map(aspect_of.__getitem__, lines.aspects or ()))
                aspect_parts.append(np.array(aspects, np.int32))
                parts.append((query, values, ranks))
                tags.update(lines.tags)
                read_items(lines.items)
            except (ValueError, OverflowError):
                raise first_error(block, first, name, kind, form) from None
    except UnpackError as error:
        got = f"{name}, and {error.got},"
        raise invalid("path", kind.function, error.expected, got) from error
    form = form or kind.forms[0]
    parts = parts or [(np.empty(0, np.int32), np.empty(0, form.number.dtype), None)]
    query_parts, value_parts, rank_parts = zip(*parts, strict=True)
    known = [ranks for ranks in rank_parts if ranks is not None]
    return _FileContent(
        [code.decode() for code in number_of],
        np.concatenate(query_parts),
        form,
        np.concatenate(value_parts),
        np.concatenate(known) if len(known) == len(rank_parts) else None,
        n_comments,
        tags,
        _LineAspects([code.decode() for code in aspect_of], np.concatenate(aspect_parts))
        if "aspect" in form.fields
        else None,
    )


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


def _count_first(lines: bytes) -> int:
    """Return the number of fields of the first line."""
    return len(lines[: lines.find(b"\n") + 1 or None].split())


_READ = {"query", "aspect", "document", "label", "rank", "score"}
"""The fields that are read."""


def _split(block: bytes, form: LineForm) -> _LineFields:
    """Return the fields of lines. Raise a ValueError if a line is not of the form."""
    n_fields, names = len(form.fields), form.fields
    n_of_line = _count_fields(block)
    tags: Collection[bytes] = ()
    if (n_of_line == n_fields).all():
        fields = block.split()
        columns = {
            name: fields[place::n_fields] for place, name in enumerate(names) if name in _READ
        }
        if form.has_tag:
            tags = set(fields[n_fields - 1 :: n_fields])
    elif form.has_tag and n_of_line.min() >= n_fields - 1:
        rows = [line.split() for line in block.split(b"\n")]
        rows = [row for row in rows if row]  # the last one, behind the last line, has no fields
        if not all(len(row) == n_fields or is_scored_loosely(row) for row in rows):
            raise ValueError
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names[:-1])}
        tags = {b" ".join(row[n_fields - 1 :]) for row in rows} - {b""}
    else:
        raise ValueError
    number = form.number.name
    ranks = columns["rank"] if number == "score" else None
    numbers, aspects = columns.get(number), columns.get("aspect")
    return _LineFields(columns["query"], columns["document"], numbers, ranks, tags, aspects)


def _count_fields(block: bytes) -> NDArray[np.intp]:
    """Return the number of fields of each line."""
    codes = np.frombuffer(block, dtype=np.uint8)
    is_blank = (codes == ord(" ")) | (codes - np.uint8(9) < 5)  # below 9 it wraps around
    begins = ~is_blank
    begins[1:] &= is_blank[:-1]
    ends = np.flatnonzero(codes == ord("\n"))
    if codes[-1] != ord("\n"):
        ends = np.append(ends, codes.size)
    return np.diff(np.searchsorted(np.flatnonzero(begins), ends), prepend=0)


# --- plain files by pyarrow ---------------------------------------------------------------------


WORTH_PYARROW = 1_000_000
"""Files of at least this many bytes are read by pyarrow, whose import takes a while."""
_PYARROW_BLOCK_BYTES = 2**22
"""How many bytes pyarrow reads at once. It has less to do for a column of few pieces."""
_PIECE_BYTES = 2**18
"""How many bytes are looked at at once, so that they stay in the cache."""
_ODD = (b"\0", b"\v", b"\f")
"""What plain files do not have: other blanks, and text in UTF-16."""


class CodedField(NamedTuple):
    """A field of all lines, as codes of its different texts."""

    texts: NDArray[Any]
    of_line: NDArray[np.int32]


class PlainFields(NamedTuple):
    """Some fields of all lines of a file."""

    items: Any
    """The documents, a column of pyarrow."""
    coded: dict[str, CodedField]
    """The query, and other fields that have few different texts, by name."""
    scores: NDArray[np.float64] | None
    """The field of scores; None: lines have none."""
    ranks: Any
    """The field of ranks beside scores, a column of pyarrow; None: lines have none."""


class PlainLines(NamedTuple):
    """The lines of a file that may be plain."""

    lines: bytes
    has_tab: bool
    has_space: bool
    has_comments: bool
    """Whether a line begins with #. One with blanks before it is not plain."""


def as_plain(content: bytes) -> PlainLines | None:
    """Return the content of a file with the blanks of plain files; None: it is not plain."""
    found = _found(content, (*_ODD, b"\r", b"\t", b" ", b"#"))
    if b"\r" in found:
        content = content.replace(b"\r\n", b"\n")
        if b"\r" not in content:
            found.remove(b"\r")
    if content.endswith(b"\n\n"):
        content = content.rstrip(b"\n")
    if has_mark(content) or not found.isdisjoint((*_ODD, b"\r")):
        return None
    has_comments = b"#" in found and _has_comments(content)
    return PlainLines(content, b"\t" in found, b" " in found, has_comments)


def _has_comments(content: bytes) -> bool:
    """Return whether a line begins with #."""
    codes = np.frombuffer(content, np.uint8)
    for start in range(0, codes.size, _PIECE_BYTES):
        piece = codes[start : start + _PIECE_BYTES + 1]
        if ((piece[1:] == ord("#")) & (piece[:-1] == ord("\n"))).any():
            return True
    return content.startswith(b"#")


def _found(content: bytes, characters: Iterable[bytes]) -> set[bytes]:
    """Return those of some characters that are there."""
    found: set[bytes] = set()
    for start in range(0, len(content), _PIECE_BYTES):
        stop = start + _PIECE_BYTES
        found |= {own for own in {*characters} - found if content.find(own, start, stop) >= 0}
    return found


def split_plain(content: PlainLines, names: list[str], coded: list[str]) -> PlainFields | None:
    """Return some fields of a plain file; None: it is not plain, or pyarrow is not installed.

    `names` are the fields of each line. One of them is a document. If there are scores among them,
    there are ranks, too.
    """
    try:
        pyarrow, reader = import_module("pyarrow"), import_module("pyarrow.csv")
    except ImportError:
        return None
    lines, has_tab = content.lines, content.has_tab
    if (has_tab and content.has_space) or _has_empty_fields(lines):
        return None
    text, code = pyarrow.string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    types = {"document": text} | dict.fromkeys(coded, code)
    if "score" in names:
        types |= {"score": pyarrow.float64(), "rank": text}
    try:
        table = reader.read_csv(
            pyarrow.BufferReader(lines),
            reader.ReadOptions(
                use_threads=False, block_size=_PYARROW_BLOCK_BYTES, column_names=names
            ),
            reader.ParseOptions(delimiter="\t" if has_tab else " ", quote_char=False),
            reader.ConvertOptions(column_types=types, include_columns=list(types), null_values=[]),
        )
    except pyarrow.ArrowInvalid:  # Some line has other fields, for example.
        return None
    items, codes = (
        table.column("document"),
        {name: _codes_of(table.column(name)) for name in coded},
    )
    if "score" not in names:
        return PlainFields(items, codes, None, None)
    scores = np.asarray(table.column("score"))
    return (
        PlainFields(items, codes, scores, table.column("rank"))
        if np.isfinite(scores).all()
        else None
    )


def tags_of(lines: bytes, n_lines: int) -> Collection[bytes]:
    """Return the different last fields of plain lines. Mostly there is one, which is counted."""
    last = _LAST_FIELD.search(lines)
    assert last is not None
    n_equal = lines.count(last[0] + b"\n") + lines.endswith(last[0])
    return {last[1]} if n_equal == n_lines else {tag[1] for tag in _LAST_FIELD.finditer(lines)}


_LAST_FIELD = re.compile(rb"[ \t]([^ \t\n]+)$", re.MULTILINE)


def as_floats(column: Any) -> NDArray[np.float64] | None:
    """Return a column of text of pyarrow as numbers; None: pyarrow does not read all as such."""
    pyarrow = import_module("pyarrow")
    try:
        return np.asarray(column.cast(pyarrow.float64()))
    except pyarrow.ArrowInvalid:
        return None


def _has_empty_fields(content: bytes) -> bool:
    """Return whether a field or a line is empty, for which lines are split in another way."""
    codes = np.frombuffer(content, np.uint8)
    if content[:1].isspace() or content[-1:] in (b" ", b"\t"):
        return True
    for start in range(0, codes.size, _PIECE_BYTES):
        is_blank = codes[start : start + _PIECE_BYTES + 1] <= ord(" ")
        if (is_blank[1:] & is_blank[:-1]).any():
            return True
    return False


def _codes_of(column: Any) -> CodedField:
    """Return the different texts of a column, and which of them each line has."""
    chunks = column.unify_dictionaries().chunks
    texts = chunks[0].dictionary.to_numpy(zero_copy_only=False)
    return CodedField(texts, np.concatenate([np.asarray(chunk.indices) for chunk in chunks]))
