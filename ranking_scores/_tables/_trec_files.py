"""Reads columns from files of TREC and MS MARCO, and writes lines to such files.

`_trec_forms` has the forms of the lines. Files are read in blocks of lines, and each block is
converted at once. A block with an error is read again line by line, to find the number of the bad
line.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from io import TextIOWrapper
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    LONE_SURROGATE,
    WITH_ESCAPES,
    UnpackError,
    count_queries,
    describe,
    has_surrogates,
    invalid,
    opened,
    pack_text,
    packed_lines,
    packed_objects,
    show_id,
    whole_file,
)
from ranking_scores._tables._kinds import NotedTable
from ranking_scores._tables._trec_by_pyarrow import (
    WORTH_PYARROW,
    Content,
    as_floats,
    as_plain,
    split_plain,
    tags_of,
)
from ranking_scores._tables._trec_contradictions import count_contradicted
from ranking_scores._tables._trec_forms import (
    Form,
    Kind,
    are_whole,
    first_error,
    has_mark,
    is_scored_loosely,
    without_comments,
)

_BLOCK = 2**17
"""The number of bytes that are read at once, which bounds the memory beside the result."""
_SHOWN_TAGS = 3
_ID = re.compile("[^ \t-\r\ud800-\udfff]+")  # UTF-8 cannot encode surrogates


class _Numbered(dict[bytes, int]):
    """The numbers of ids, from 0 on. They are valid UTF-8."""

    def __missing__(self, code: bytes) -> int:
        code.decode()
        self[code] = number = len(self)
        return number


class _Lines(NamedTuple):
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


class _Aspects(NamedTuple):
    """The aspects of lines."""

    names: list[str]
    """The different aspects."""
    aspect: NDArray[np.int32]
    """The aspect of each line."""


class _Numbers(NamedTuple):
    """What a file holds, apart from its documents."""

    queries: list[str]
    """The different queries."""
    query: NDArray[np.int32]
    """The query of each line."""
    form: Form
    values: NDArray[Any]
    """The label, score or rank of each line."""
    ranks: NDArray[np.float64] | None
    """The ranks beside scores; None: there are none, or not all are numbers."""
    n_comments: int
    tags: Collection[bytes]
    """The different tags of lines that have any."""
    aspects: _Aspects | None
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
        bad = next(each for each in ids if not _ID.fullmatch(each))
        expected = "made of non-empty ids without blanks that UTF-8 can encode"
        advice, code = _advise_on_surrogates(bad)
        advice = advice or "Blanks separate the fields."
        raise invalid(parameter, function, expected, show_id(bad), advice, code=code)


def _advise_on_surrogates(text: str) -> tuple[str, str]:
    """Return the advice about a text that UTF-8 cannot encode, in words and in code, or none."""
    return (LONE_SURROGATE, WITH_ESCAPES) if has_surrogates(text) else ("", "")


def check_queries(ids: list[str], function: str) -> None:
    """Raise if an id of a query could not be read back at the start of a line."""
    check_ids(ids, "query_ids", function)
    for beginning, name, advice in (
        ("#", "#", "Readers skip lines that begin with #."),
        ("\ufeff", "a byte-order mark", "Readers take it for a sign that files were joined."),
    ):
        bad = next((each for each in ids if each.startswith(beginning)), None)
        if bad is not None:
            expected = f"made of ids that do not begin with {name}"
            raise invalid("query_ids", function, expected, show_id(bad), advice)


def read_table(path: Any, kind: Kind) -> NotedTable:
    """Return the content of a file as a table of named columns."""
    plain = _read_plain(path, kind)
    if plain is not None:
        items, numbers = plain
    else:
        items = []
        numbers = _read_lines(path, kind, lambda codes: items.extend(map(bytes.decode, codes)))
    queries = np.array(numbers.queries, dtype=object)
    return _table_of(queries, np.array(items, dtype=object), numbers)


def read_packed(path: Any, kind: Kind) -> NotedTable:
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
                for each in codes:
                    each.decode()
            texts.extend(text)

        numbers = _read_lines(path, kind, read)
        items = packed_lines(texts, "\n")
    return _table_of(packed_objects(np.array(numbers.queries, dtype=object)), items, numbers)


def _table_of(queries: Any, items: Any, numbers: _Numbers) -> NotedTable:
    """Return a table of named columns. `queries` are the different ones."""
    form, n_comments = numbers.form, numbers.n_comments
    table = NotedTable({"query": queries[numbers.query], "item": items})
    if numbers.aspects is not None:
        names, aspect = numbers.aspects
        table["aspect"] = np.array(names, dtype=object)[aspect]
    table[form.number.name] = numbers.values  # which readers take for the last column
    notes = [form.note] if form.note else []
    if n_comments:
        they = "line that begins with # is" if n_comments == 1 else "lines that begin with # are"
        notes.append(f"{n_comments} {they} skipped")
    if len(numbers.tags) > 1:
        names = [tag.decode(errors="backslashreplace") for tag in sorted(numbers.tags)]
        shown = ", ".join(names[:_SHOWN_TAGS]) + ", ..." * (len(names) > _SHOWN_TAGS)
        notes.append(f"{len(names)} tags in the file, {shown}, which is read as one run")
    if numbers.ranks is not None:
        n_queries = count_contradicted(numbers.query, numbers.values, numbers.ranks)
        if n_queries:
            of_all = f"{n_queries} of {count_queries(len(numbers.queries))}"
            notes.append(f"the ranks contradict the scores in {of_all}; the scores count")
    table.notes = tuple(notes)
    table.label_below_0_is_0 = form.number.name == "label"
    return table


def _read_plain(path: Any, kind: Kind) -> tuple[Any, _Numbers] | None:
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


def _split_plain(content: Content, kind: Kind, n_comments: int) -> tuple[Any, _Numbers] | None:
    """Return the same of lines without comments, or raise a ValueError or an OverflowError."""
    n_fields = _count_first(content.lines)
    form = kind.form_of(n_fields)
    if form is None:
        return None
    # If tags have blanks, lines have more fields than there are names, which pyarrow refuses.
    names, number = list(form.fields[:n_fields]), form.number.name
    is_coded = number != "score" and number in names
    coded = ["query", *(each for each in ("aspect",) if each in names)]
    fields = split_plain(content, names, [*coded, number] if is_coded else coded)
    if fields is None:
        return None
    ranks = None
    if fields.scores is not None:
        values: NDArray[Any] = fields.scores
        if n_fields < len(form.fields) and not are_whole(_texts_of(fields.ranks)):
            return None
        ranks = as_floats(fields.ranks)
        if ranks is None:
            ranks = _Ranks().of(_texts_of(fields.ranks))
    elif is_coded:
        labels = fields.coded[number]
        values = form.number.of([each.encode() for each in labels.texts])[labels.of_line]
    else:
        values = form.values_of(None, len(fields.items))
    queries, query = fields.coded["query"]
    tags = tags_of(content.lines, len(query)) if names[-1] == "tag" else ()
    aspects = None
    if "aspect" in names:
        of_file, aspect = fields.coded["aspect"]
        aspects = _Aspects(of_file.tolist(), aspect)
    of_lines = _Numbers(queries.tolist(), query, form, values, ranks, n_comments, tags, aspects)
    return fields.items, of_lines


def _texts_of(column: Any) -> list[bytes]:
    """Return the texts of a column of pyarrow."""
    return [each.encode() for each in column.to_pylist()]


class _Ranks(dict[bytes, float]):
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


def _read_lines(path: Any, kind: Kind, read_items: Callable[[list[bytes]], None]) -> _Numbers:
    """Read a file in blocks of lines.

    `read_items` takes the documents of each block. It raises a ValueError if one of them is not in
    UTF-8.
    """
    name = check_path(path, kind.function)
    number_of, rank_of, form, n_comments = _Numbered(), _Ranks(), None, 0
    aspect_of, of_aspects = _Numbered(), [np.empty(0, np.int32)]
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
                of_aspects.append(np.array(aspects, np.int32))
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
    of_queries, of_values, of_ranks = zip(*parts, strict=True)
    known = [each for each in of_ranks if each is not None]
    return _Numbers(
        [code.decode() for code in number_of],
        np.concatenate(of_queries),
        form,
        np.concatenate(of_values),
        np.concatenate(known) if len(known) == len(of_ranks) else None,
        n_comments,
        tags,
        _Aspects([code.decode() for code in aspect_of], np.concatenate(of_aspects))
        if "aspect" in form.fields
        else None,
    )


def write_lines(path: str, lines: Iterable[str]) -> None:
    """Write a file. If its name ends with .gz, compress it by gzip."""
    with whole_file(path) as file, ExitStack() as stack:
        raw: Any = file
        if path.endswith(".gz"):
            raw = stack.enter_context(gzip.GzipFile(path, "wb", fileobj=file))
        text = stack.enter_context(TextIOWrapper(raw, encoding="utf-8", newline="\n"))
        text.writelines(lines)


def _blocks(path: str, function: str) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of lines, with the number of the first line, without blanks at the end."""
    first, rest = 1, b""
    with opened(path, function) as file:
        while block := file.read(_BLOCK):
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


def _split(block: bytes, form: Form) -> _Lines:
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
    return _Lines(columns["query"], columns["document"], numbers, ranks, tags, aspects)


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
