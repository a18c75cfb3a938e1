"""The files of the command: judgments and runs as tables with columns."""

from __future__ import annotations

import argparse
import csv
import io
import math
import os
import re
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    Place,
    UnpackError,
    check_utf8,
    has_format,
    import_extra,
    invalid,
    opened,
    show_id,
    show_names,
    show_text,
    visible,
    wrong_name,
)
from ranking_scores._command._arguments import STDIN
from ranking_scores._command._words import NAME, InputError, in_words, kind_of
from ranking_scores._reports import REPORT
from ranking_scores._tables import (
    BESIDE,
    BY_PLACE,
    QRELS,
    QRELS_OF_ASPECTS,
    RUN,
    FileKind,
    JsonFile,
    UnclearError,
    find_columns,
    is_without_header,
    named_like_ranks,
    names_of_role,
    read_file,
    read_packed,
    with_labels_from_0,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, as_report

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""What separates columns, and what it is called."""
_USUAL_SEPARATOR = {".csv": ",", ".tsv": "\t"}
_BOM = "\ufeff"
_ANNOUNCED_BYTES = 10_000_000
"""Files of at least this many bytes are announced on a terminal while they are read."""
SWAPPED_FILES = "Did you swap two files? JUDGMENTS comes first, then each RUN."
_ID_ROLES = ("query", "item", "aspect")
"""The roles of columns with ids."""
_ROLES_OF_OTHER_FILE = {"label": ("score", "rank"), "score": ("label",), "rank": ("label",)}
"""For each kind of column, the kinds of columns that belong in the other file."""


class FileTable(NamedTuple):
    """The content of a file, and the names of its columns or fields."""

    path: str
    query: str
    item: str | None
    """None: the table has queries without items."""
    value: str | None
    """The column of labels, scores or ranks. None means that each row is relevant."""
    kind: str
    """The kind of this column: "label", "score" or "rank"."""
    aspect: str | None = None
    """The column of aspects, also of lists; None: queries have no aspects."""
    by: tuple[str, ...] = ()
    """The columns with the groups of queries."""
    sought: tuple[str, ...] = ()
    """The roles whose columns are found by known names. Until then they have our names."""
    columns: Any = None
    """The columns of a table. None: the file has lists."""
    lists: dict[Any, Any] | None = None
    """The list of items of each query."""
    field: str = ""
    """The field of JSON that has the lists. Empty: they are all that the file has."""
    lines: Mapping[Any, int | None] = MappingProxyType({})
    """The line of each query in a file of JSON, or of each row, if it is known."""
    fields: str = ""
    """The fields of records of JSON, if none of them has the id of the query, so that the records
    are numbered."""
    has_names: bool = True
    """Whether the file has names of columns or fields. Files of TREC and MS MARCO have none."""
    judged: NDArray[np.intp] | None = None
    """The rows that are judgments; None: all are. The queries of others are judged, too."""
    notes: tuple[str, ...] = ()
    """What was taken for what in the file, and what was skipped, in lines."""
    is_numbered: bool = False
    """Whether the records of a file of JSON have no ids of queries, which are numbered."""
    groups: Mapping[str, Any] = MappingProxyType({})
    """The groups of queries, by the names of their columns, as `ranking_report` takes them."""
    beside: Mapping[str, str] = MappingProxyType({})
    """The column of ranks beside the scores by its role, if the file has one."""

    @property
    def names(self) -> dict[str, str]:
        """The names of the columns by what they are for."""
        roles = {**self.beside, "query": self.query, "item": self.item, "aspect": self.aspect}
        roles[self.kind] = self.value
        named = {role: name for role, name in roles.items() if name is not None}
        return named | {f"by {name}": name for name in self.by}

    def said(self) -> list[str]:
        """Return the notes as lines that begin with the file."""
        return [f"{self.path}: {note}" for note in self.notes]

    def subject(self, place: Place) -> str:
        """Return the words that an error about a place in the file begins with."""
        line = self.lines.get(place.query if self.columns is None else place.row)
        where = f"line {line} of {self.path}" if line else self.path
        return f"{self.field!r} in {where}" if self.field else where


class InputFiles:
    """Reads the files of a call. A file of JSON may have judgments and runs, and is read once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._known: dict[str, JsonFile] = {}
        self._read_pipes: set[str] = set()
        runs = (path for path, _ in options.sources.values())
        paths = {options.judgments, options.human or options.judgments, *runs}
        size = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
        self._is_worth_pyarrow = size >= _PYARROW_BYTES

    def have_pipe(self) -> bool:
        """Return whether one of the files is a pipe, which only one process can read."""
        options = self._options
        runs = [path for path, _ in options.sources.values()]
        paths = [options.judgments, options.human, options.query_table, *runs]
        return any(_is_pipe(path) for path in paths if path is not None)

    def judgments(self) -> FileTable:
        """Read the judgments."""
        by = () if self._options.query_table else tuple(self._options.by)
        return self._judgments_in(self._options.judgments, by)

    def human(self) -> FileTable | None:
        """Read the judgments by people, if there are any."""
        path = self._options.human
        return None if path is None else self._judgments_in(path, ())

    def _judgments_in(self, path: str, by: tuple[str, ...]) -> FileTable:
        """Read judgments, and the groups of their queries."""
        options = self._options
        value = None if options.no_label else options.label or "label"
        is_sought = options.label is None and not options.no_label
        table = self._table(path, "label", value, is_sought=is_sought)
        aspect = "aspect" if options.aspects else None
        return self._read(path, table._replace(by=by, aspect=aspect))

    def run(self, path: str, field: str) -> FileTable:
        """Read a run. A file of JSON may have its lists in a field."""
        options = self._options
        kind, value = ("rank", options.rank) if options.rank else ("score", options.score)
        table = self._table(path, kind, value or kind, is_sought=value is None)
        return self._read(path, table, field)

    def baseline(self) -> RankingReport | None:
        """Read the saved report that is the baseline. None: it is a run."""
        path, _ = self._options.baseline_source
        if kind_of(path) != "json":
            return None
        if _is_pipe(path):  # the beginning says what it is, and then the whole is read
            raise InputError(f"{path} is a pipe. A baseline in JSON must be a file.")
        with errors_of(path):
            return as_report(path, "path", NAME) if has_format(REPORT, path) else None

    def queries(self) -> FileTable:
        """Read the table of queries, or raise if it is a file of TREC."""
        options = self._options
        path, by = options.query_table, tuple(options.by)
        sought = () if options.query else ("query",)
        table = FileTable(path, options.query or "query", None, None, "", by=by, sought=sought)
        return self._read(path, table)

    def _table(self, path: str, kind: str, value: str | None, *, is_sought: bool) -> FileTable:
        """Return a table whose columns are not read yet, and of which some may be sought."""
        options = self._options
        sought = [role for role in ("query", "item") if getattr(options, role) is None]
        sought += [kind] if is_sought else []
        ids = options.query or "query", options.item or "item"
        return FileTable(path, *ids, value, kind, sought=tuple(sought))

    def _read(self, path: str, table: FileTable, field: str = "") -> FileTable:
        """Return a table with its columns or with its lists."""
        if _is_pipe(path) and path not in self._known:
            if kind_of(path) == ".parquet":
                raise InputError(f"{path} is a pipe. Parquet must be in a file.")
            if path in self._read_pipes:
                raise InputError(f"{path} is a pipe, which is read only once. Use a file.")
            self._read_pipes.add(path)
        with errors_of(path), _announced(path):
            return self._typed(self._read_file(path, table, field))

    def _typed(self, table: FileTable) -> FileTable:
        """Return a table with ids that are text and labels that are numbers, if that is asked."""
        options, columns, lists, groups = self._options, table.columns, table.lists, table.groups
        if columns is not None and (options.ids or options.labels):
            columns = {name: columns[name] for name in table.names.values()}
            for role, name in table.names.items():
                if options.ids and role in _ID_ROLES:
                    columns[name] = _converted(columns[name], id_as_text)
                if options.labels and role == "label":
                    columns[name] = _converted(columns[name], as_number)
            groups = {name: (columns[table.query], column) for name, (_, column) in groups.items()}
        elif options.ids:
            lists = None if lists is None else _keys_as_text(lists, table.path)
            table = table._replace(lines=_keys_as_text(dict(table.lines), table.path))
            groups = {
                name: _keys_as_text(dict(by_query), table.path)
                for name, by_query in groups.items()
            }
        return table._replace(columns=columns, lists=lists, groups=groups)

    def _read_file(self, path: str, table: FileTable, field: str) -> FileTable:
        """Return the same as the file has it."""
        of_file = kind_of(path)
        if of_file == ".tsv" and not self._names(table):
            of_file = "trec" if _lacks_header(path) else of_file
        if of_file == "trec":
            if table.kind == "label":
                qrels = QRELS if table.aspect is None else QRELS_OF_ASPECTS
                return _read_qrels(path, qrels, minus_1_is_unjudged=self._options.unjudged)
            return _read_trec(path, RUN)
        if of_file == "json":
            if path not in self._known:
                self._known[path] = read_file(path, NAME)
            field = field or self._options.relevant or "relevant"
            return read_json(table, self._known[path], field)
        if of_file == ".parquet":
            table = _read_parquet(table)
        else:
            usual = _USUAL_SEPARATOR[of_file]
            is_fast = self._is_worth_pyarrow and os.path.isfile(path)
            plain = _read_plain_text(table, usual) if is_fast else None
            table = plain or _read_text(table, usual)
            _refuse_blanks(table)
        columns = table.columns
        groups = {name: (columns[table.query], columns[name]) for name in table.by}
        return table._replace(groups=groups)

    def _names(self, table: FileTable) -> bool:
        """Return whether an option names a column of a table, which has names then."""
        options = self._options
        of_value = ("label", "no_label") if table.kind == "label" else ("score", "rank")
        return bool(table.by) or any(
            getattr(options, name) for name in ("query", "item", *of_value)
        )


def id_as_text(value: Any) -> Any:
    """Return a whole number, or bytes in UTF-8, as text, and anything else unchanged."""
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    if isinstance(value, float) and value.is_integer():  # as a column with missing ids has them
        value = int(value)
    return str(value) if type(value) is int else value


def as_number(value: Any) -> Any:
    """Return text as a number if it is a finite one, and anything else unchanged."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value.replace("_", "?"))  # Python accepts 1_000
    except ValueError:
        return value
    return number if math.isfinite(number) else value


def _converted(column: Any, convert: Callable[[Any], Any]) -> Any:
    """Return a converted column of JSON or Parquet. Columns of other files have no types."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else column
    return list(map(convert, values)) if isinstance(values, list) else column


def _keys_as_text(values: dict[Any, Any], path: str) -> dict[Any, Any]:
    """Return a dict by query whose keys are text. Raise if two of them are the same text."""
    found = {id_as_text(query): value for query, value in values.items()}
    if len(found) < len(values):
        counts = Counter(map(id_as_text, values))
        twice = next(query for query, count in counts.items() if count > 1)
        raise InputError(f"{path}: query {show_id(twice)} is there as text and as a number")
    return found


def _is_pipe(path: str) -> bool:
    """Return whether what is read from a path is gone then, as it is from a pipe."""
    is_other = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    return path == STDIN or is_other


def _lacks_header(path: str) -> bool:
    """Return whether the first line of a TSV file is data, as in files of TREC and MS MARCO."""
    if not os.path.isfile(path):  # what is read from a pipe is gone
        return False
    with opened(path, NAME) as file:
        return is_without_header(file.readline())


def _read_trec(path: str, of_file: FileKind) -> FileTable:
    """Read a file in one of TREC's formats."""
    if path == STDIN and sys.stdin is None:
        raise InputError("-: the standard input is closed")
    columns = read_packed("/dev/stdin" if path == STDIN else path, of_file)
    kind, aspect = list(columns)[-1], "aspect" if "aspect" in columns else None
    table = FileTable(path, "query", "item", kind, kind, aspect, columns=columns, has_names=False)
    return table._replace(notes=columns.notes)


def _read_qrels(path: str, of_file: FileKind, *, minus_1_is_unjudged: bool) -> FileTable:
    """Read judgments in one of TREC's formats, in which labels below 0 count as 0."""
    table = _read_trec(path, of_file)
    labels = table.columns["label"]
    is_unjudged = labels == -1
    n_unjudged = np.count_nonzero(is_unjudged)
    if minus_1_is_unjudged and n_unjudged:
        they = "label -1 counts" if n_unjudged == 1 else "labels -1 count"
        table.columns["label"] = np.where(is_unjudged, 0, labels)
        table.columns.notes += (f"{n_unjudged} {they} as not judged",)
        table = table._replace(judged=np.flatnonzero(~is_unjudged))
    columns = with_labels_from_0(table.columns)
    return table._replace(columns=columns, notes=columns.notes)


def read_json(table: FileTable, file: JsonFile, field: str) -> FileTable:
    """Return a table with the rows of a file of JSON, or with its lists, which are in a field."""
    if table.item is not None and file.are_rows(None if "item" in table.sought else table.item):
        return _with_rows(table, file)
    if table.kind == "rank":
        raise InputError(f"{table.path}: --rank is for files with one row per item")
    if file.by_query is not None:
        if table.by or table.item is None:
            message = f"it has no field {table.by[0]!r}, since it is a dict by query"
            raise InputError(f"{table.path}: {message}")
        notes = (*table.notes, *[file.note] * bool(file.note))
        return table._replace(lists=file.by_query, notes=notes)
    if table.kind == "score" and not file.has(field):
        fields = [""] if file.are_answers() else file.fields_of_answers()
        if len(fields) == 1:
            note = f"{fields[0]} as {field}"
            table = table._replace(notes=(*table.notes, *[note] * bool(fields[0])))
            [field] = fields
    options = dict.fromkeys(table.by, "by")
    if table.item is not None and field:
        options = {field: "relevant" if table.kind == "label" else "retrieved"} | options
    for name, option in options.items():
        if not file.has(name):
            message = f"no record has the field {name!r} among {show_names(file.fields())}"
            raise InputError(f"{table.path}: {message}. Name it with --{option}.")
    if "query" in table.sought:
        table = _with_known_names(file.fields(), table, ["query"])
    is_numbered = not file.has(table.query)
    there = show_names(file.fields()) if is_numbered else ""
    if is_numbered and "query" not in table.sought and table.query != BY_PLACE:
        message = f"no record has the field {table.query!r} among {there}"
        raise InputError(f"{table.path}: {message}. Name the id of the query with --query.")
    if not field and table.query != BY_PLACE:
        file.check_queries(table.query)
    queries = file.places() if is_numbered else file.queries(table.query)
    lists = None
    if table.item is not None:
        whole = (record.fields for record in file.records)
        lists = file.by_id(field, queries) if field else dict(zip(queries, whole, strict=True))
    return table._replace(
        lists=lists,
        field=field,
        fields=there,
        is_numbered=not file.has(table.query),
        lines=dict(zip(queries, (record.line for record in file.records), strict=True)),
        groups={name: file.by_id(name, queries) for name in table.by},
    )


def _with_rows(table: FileTable, file: JsonFile) -> FileTable:
    """Return a table with the rows of a file of JSON."""
    nested = [name for name in table.names.values() if file.has(name)]
    table = _with_columns(list(dict.fromkeys([*file.fields(), *nested])), table)
    is_id = {table.query, table.item}
    columns = {name: file.column(name, is_needed=name in is_id) for name in table.names.values()}
    groups = {name: (columns[table.query], columns[name]) for name in table.by}
    lines = dict(enumerate(record.line for record in file.records))
    return table._replace(columns=columns, groups=groups, lines=lines)


@contextmanager
def errors_of(path: str) -> Iterator[None]:
    """Turn the errors that a file can cause into errors of one line."""
    try:
        yield
    except InvalidParameterError as error:
        order = f" {SWAPPED_FILES}" * (error.code in (QRELS.advice, RUN.advice))
        raise InputError(f"{in_words(error, path=path)}{order}") from error
    except UnpackError as error:
        raise InputError(f"{path} must be {error.expected}: {error.got}") from error
    except MemoryError as error:
        raise InputError(f"{path}: the memory is too small for what the file has") from error
    except ImportError as error:  # of what unpacks the file
        raise InputError(f"{path}: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


@contextmanager
def _announced(path: str) -> Iterator[None]:
    """Show on a terminal that a long file is being read."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    if size < _ANNOUNCED_BYTES or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    message = f"reading {visible(os.path.basename(path)[-40:])}, {size / 1e6:.0f} MB ..."
    print(message, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(f"\r{' ' * len(message)}\r", end="", file=sys.stderr, flush=True)


def _with_columns(names: list[str], table: FileTable) -> FileTable:
    """Return a table with the columns that are sought. Raise unless it has all of its columns."""
    table = _with_known_names(names, table, table.sought)
    _check_columns(names, table)
    others = [name for name in names if name not in table.names.values()]
    if table.kind == "label" and "aspect" in others:
        note = "the column 'aspect' has no effect without --aspects"
        return table._replace(notes=(*table.notes, note))
    return table._replace(beside=named_like_ranks(others)) if table.kind == "score" else table


def _with_known_names(names: list[str], table: FileTable, sought: Sequence[str]) -> FileTable:
    """Return a table with some of the columns that are sought, as far as their names are known."""
    given = {role: name for role, name in table.names.items() if role not in table.sought}
    try:
        found = find_columns(names, given, sought)
    except UnclearError as error:
        several = " and ".join(map(repr, error.fitting))
        message = f"each of the columns {several} could be the {error.role}"
        raise InputError(f"{table.path}: {message}. Name it with --{error.role}.") from error
    columns = found.names
    kind, value = table.kind, columns.get(table.kind) or table.value
    if kind == "score" and columns.get("rank"):
        kind, value = "rank", columns["rank"]
    if kind == "label" and columns.get("label") is None and found.are_interactions:
        value = None
    query, item = columns.get("query") or table.query, columns.get("item") or table.item
    notes = (*table.notes, *[found.note] * bool(found.note))
    return table._replace(query=query, item=item, value=value, kind=kind, notes=notes)


def _check_columns(names: list[str], table: FileTable) -> None:
    """Raise unless a table has each requested column exactly once."""
    if not names:
        raise InputError(f"{table.path}: the line with the names of the columns is missing")
    wanted = table.names
    for role, name in wanted.items():
        if names.count(name) == 1:
            continue
        number = "more than one column" if name in names else "no column"
        advice = f"Name the column with --{role.partition(' ')[0]}"
        if role == "aspect":
            advice = "--aspects needs it, unless the file is in TREC's format"
        if role == "label":
            advice += ", or pass --no-label if each row is relevant"
        elif role == "score":
            advice += ", or a column of ranks with --rank"
        advice += "."
        others = _ROLES_OF_OTHER_FILE.get(role, ())
        own = names_of_role(role) if others else frozenset()
        of_others = frozenset().union(*map(names_of_role, others)) - own | {*others}
        if {name.casefold() for name in names} & of_others:
            advice = SWAPPED_FILES
        elif "::" in names[0]:
            advice = "If :: separates the columns, as in MovieLens 1M, write commas in its place, "
            advice += "and a line with the names of the columns, such as userId,movieId,rating."
        elif not {*names} & {*wanted.values()}:
            advice += " A file in TREC's format must have another suffix."
        if role in table.sought and name not in names and advice.startswith("Name the column"):
            advice += f" {NAME} --help-columns lists the names that are known."
        raise InputError(
            f"{table.path}: there is {number} {name!r} among {show_names(names)}. {advice}"
        )


def _read_parquet(table: FileTable) -> FileTable:
    """Return a table with the columns of a Parquet file, as a pyarrow table."""
    path = table.path
    try:
        pyarrow = import_extra("pyarrow", "parquet", "Parquet")
        parquet_file = import_extra("pyarrow.parquet", "parquet", "Parquet").ParquetFile
    except ImportError as error:
        raise InputError(f"{path}: {error}") from error
    refuse = partial(invalid, "file", NAME)
    try:
        with open(path, "rb") as file, parquet_file(file) as parquet:
            table = _with_columns(parquet.schema_arrow.names, table)
            columns = parquet.read(columns=list(dict.fromkeys(table.names.values())))
            check_utf8(columns, refuse)
            return table._replace(columns=columns)
    except UnicodeDecodeError as error:
        raise in_words(wrong_name(error, refuse), file=path) from error
    except InvalidParameterError as error:
        raise in_words(error, file=path) from error
    except pyarrow.ArrowException as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}") from error


def _refuse_blanks(table: FileTable) -> None:
    """Raise if ids begin with the blank that follows each comma, which no other file has."""
    for name in filter(None, (table.query, table.item)):
        ids = table.columns[name]
        if name.startswith(" ") and len(ids) and str(ids[0]).startswith(" "):
            message = f"the ids in the column {name!r} begin with a blank, as its name does"
            raise InputError(f"{table.path}: {message}. Delete the blanks between the columns.")


def _separator_in(header: str, table: FileTable, usual: str) -> str:
    """Return what separates the columns of a file: usually one, unless the header shows another.

    The first one counts by which the table has its columns. If there is none, most columns count.
    """
    in_order = dict.fromkeys([usual, *_SEPARATORS])
    names = {mark: next(csv.reader([header], delimiter=mark), []) for mark in in_order}
    fitting = (mark for mark in in_order if _has_columns(names[mark], table))
    return next(fitting, None) or max(in_order, key=lambda mark: len(names[mark]))


def _has_columns(names: list[str], table: FileTable) -> bool:
    """Return whether a file with some names of columns has those of a table."""
    try:
        _with_columns(names, table)
    except InputError:
        return False
    return True


def _with_separator(table: FileTable, separator: str, usual: str) -> FileTable:
    """Return a table with a note on what separates its columns, if that is not the usual one."""
    if separator == usual:
        return table
    note = f"the columns are separated by {_SEPARATORS[separator]}"
    return table._replace(notes=(*table.notes, note))


def _read_plain_text(table: FileTable, usual: str) -> FileTable | None:
    """Return a table with the columns of a CSV or TSV file without quotes, by pyarrow.

    None: the file has quotes, pyarrow is not installed, or Python's reader of CSV has to say what
    is wrong.
    """
    path = table.path
    try:
        pyarrow = import_module("pyarrow")
        reader = import_module("pyarrow.csv")
    except ImportError:
        return None
    try:
        with opened(path, NAME) as file:
            content = file.read()
        if b"\r" in content:
            content = content.replace(b"\r\n", b"\n")
        if any(odd in content for odd in _NOT_FOR_PYARROW) or not _is_readable(content):
            return None
    except MemoryError:  # the reader of lines keeps no more than the columns
        return None
    header = content[: content.find(b"\n")]
    separator = _separator_in(header.decode(), table, usual)
    names = header.decode().split(separator)
    if not header or not _has_columns(names, table):
        return None
    table = _with_columns(names, _with_separator(table, separator, usual))
    wanted = list(dict.fromkeys(table.names.values()))
    numbers = (table.value, *table.beside.values())
    try:
        read = reader.read_csv(
            pyarrow.BufferReader(content),
            reader.ReadOptions(
                use_threads=False, block_size=_BYTES_AT_ONCE, skip_rows=1, column_names=names
            ),
            reader.ParseOptions(delimiter=separator),
            reader.ConvertOptions(
                column_types={
                    name: pyarrow.float64() if name in numbers else pyarrow.string()
                    for name in wanted
                },
                include_columns=wanted,
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    columns = {name: read.column(name) for name in wanted}
    columns |= {name: np.asarray(columns[name]) for name in numbers if name is not None}
    return table._replace(columns=columns) if _are_valid(columns, table) else None


def _are_valid(columns: dict[str, Any], table: FileTable) -> bool:
    """Return whether there are rows, and all ids and numbers in them are right."""
    compute = import_module("pyarrow.compute")
    for name, column in columns.items():
        if name in table.beside.values():
            continue
        if name != table.value:
            is_right = len(column) and compute.min(compute.binary_length(column)).as_py()
        elif table.kind == "rank":
            is_right = ((column >= 1) & (np.floor(column) == column) & np.isfinite(column)).all()
        else:
            is_right = np.isfinite(column).all()
        if not is_right:
            return False
    return True


_NOT_FOR_PYARROW = (b'"', b"\r", b"\0", b"\n\xef\xbb\xbf")
"""What no file has that pyarrow reads. The last one is a line that begins with a BOM."""
_PYARROW_BYTES = 1_000_000
"""Files of at least this many bytes together are read by pyarrow, whose import takes a while."""


_BYTES_AT_ONCE = 2**22
"""How many bytes pyarrow reads at once. It has less to do for a column of few pieces."""


def _is_readable(content: bytes) -> bool:
    """Return whether a file is in UTF-8, and the reader of text accepts the length of fields."""
    half = csv.field_size_limit() // 2
    starts = range(0, len(content) - half, half)
    if any(content.find(b"\n", start, start + half) < 0 for start in starts):
        return False
    try:
        return content.isascii() or bool(content.decode())
    except UnicodeDecodeError:
        return False


def _read_text(table: FileTable, usual: str) -> FileTable:
    """Return a table with the columns of a CSV or TSV file: the ids as text, and the numbers.

    TSV files are written with quotes or without, and a quote in a text may never close. So each
    line is a row, and a field has quotes if it begins and ends with one.
    """
    path = table.path
    with opened(path, NAME) as file:
        lines = _CountedLines(io.TextIOWrapper(cast(Any, file), encoding="utf-8", newline=""))
        try:
            header = next(lines, "")
            if header and not header.strip():
                raise ValueError("the line is blank, and should have the names of the columns")
            separator = _separator_in(header, table, usual)
            rows = _rows_in(chain([header], lines), separator)
            names = next(rows, [])
            if "\0" in "".join(names):  # UTF-16 without a byte order mark is valid UTF-8
                raise _not_utf8(path, 1)
            table = _with_columns(names, _with_separator(table, separator, usual))
            return table._replace(columns=_read_rows(rows, names, table, separator))
        except UnicodeDecodeError as error:  # all lines before those of this block were read
            before = error.object[: error.start] + b"."
            raise _not_utf8(path, lines.n_read + len(before.splitlines())) from error
        except (csv.Error, ValueError) as error:
            is_open = str(error).startswith(("unexpected end", "field larger"))
            advice = ". Is there an unclosed quote?" * is_open
            raise InputError(f"{path}, line {lines.n_read}: {error}{advice}") from error


class _CountedLines:
    """Lines of a file, which are counted as they are read."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self.n_read = iter(lines), 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.n_read += 1
        return line


def _rows_in(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Return the rows in lines, of which each is one row if tabs separate the fields."""
    if separator != "\t":
        return csv.reader(lines, delimiter=separator, strict=True)
    rows = csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE, strict=True)
    return (list(map(_without_quotes, row)) for row in rows)


def _without_quotes(field: str) -> str:
    """Return a field of TSV without the quotes around it, in which quotes are doubled."""
    if len(field) < 2 or not field[0] == field[-1] == '"':
        return field
    inner = field[1:-1]
    return field if '"' in inner.replace('""', "") else inner.replace('""', '"')


def _not_utf8(path: str, line: int) -> InputError:
    """Return the error about text in another encoding."""
    return InputError(f"{path}, line {line}: the text is not UTF-8. Save the file as UTF-8.")


_NO_BREAKS = ". Line breaks and tabs end the fields of TSV, also in quotes. CSV may have them"


def _read_rows(
    rows: Iterable[list[str]], names: list[str], table: FileTable, separator: str
) -> dict[str, Any]:
    """Return the columns of the rows below the head. Raise a ValueError about a bad row."""
    ids = {role: name for role, name in table.names.items() if name != table.value}
    columns: dict[str, list[str]] = {name: [] for name in ids.values()}
    roles = [(role, name, names.index(name), columns[name]) for role, name in ids.items()]
    value = None if table.value is None else names.index(table.value)
    numbers = array("d")
    known: dict[str, str] = {}  # so that each id is one string object
    for row in filter(None, rows):  # an empty line has no fields
        if row[0].startswith(_BOM):
            raise ValueError(
                "the line begins with a byte-order mark, as a file does. Join files "
                "without the marks and the headers of later ones"
            )
        if len(row) != len(names):
            fields = f"{len(row)} field{'s' * (len(row) != 1)}"
            if len(row) == 1 and not row[0].strip():
                raise ValueError("the line is blank. Delete it")
            advice = _NO_BREAKS * (separator == "\t" and any('"' in each for each in row))
            raise ValueError(f"{fields} where the header has {len(names)}{advice}")
        for role, name, place, texts in roles:
            text = row[place]
            if not text and role != BESIDE:
                what = f"the {role} id" if role in _ID_ROLES else "the group"
                raise ValueError(f"{what} in {name!r} is empty")
            texts.append(known.setdefault(text, text))
        if value is not None:
            numbers.append(_as_number(row[value], table))
    arrays: dict[str, Any] = {name: np.array(texts, object) for name, texts in columns.items()}
    arrays |= {name: _numbers_or_text(arrays[name]) for name in table.beside.values()}
    return arrays if table.value is None else arrays | {table.value: np.array(numbers)}


def _numbers_or_text(texts: NDArray[Any]) -> NDArray[Any]:
    """Return texts as numbers, of which empty ones are missing, or as they are if one is none."""
    try:
        return np.array([text or math.nan for text in texts], dtype=np.float64)
    except ValueError:
        return texts


_DECIMAL_COMMA = re.compile(r"-?\d*,\d+")
"""A number with a decimal comma."""


def _as_number(text: str, table: FileTable) -> float:
    """Return a label, a score or a rank. Raise a ValueError if the text is none."""
    try:
        number = float(text.replace("_", "?"))  # Python accepts 1_000
    except ValueError:
        number = math.nan
    is_rank = table.kind == "rank"
    if (number < 1 or not number.is_integer()) if is_rank else not math.isfinite(number):
        must_be = "a whole number from 1 on" if is_rank else "a finite number"
        if _DECIMAL_COMMA.fullmatch(text):
            must_be += ". Write decimals with a point"
        raise ValueError(f"the {table.kind} {show_text(text)} in {table.value!r} is not {must_be}")
    return number
