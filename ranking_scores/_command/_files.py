"""The files of the command: judgments and runs as tables with columns."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from ranking_scores._base._errors import show_id, visible
from ranking_scores._command._words import STDIN, InputError, as_option, in_words
from ranking_scores._files import _delimited
from ranking_scores._files._compressed import UnpackError, opened
from ranking_scores._files._forms import JSON, NAMED, SVMLIGHT, TREC, form_of, form_of_line
from ranking_scores._files._json_files import JsonFile
from ranking_scores._files._json_forms import LISTS, JsonNames
from ranking_scores._files._saved_files import has_format
from ranking_scores._files._svmlight import are_scores_of_lines, read_scores_of_lines
from ranking_scores._files._table import (
    ID_ROLES,
    NAME,
    SWAPPED_FILES,
    WITH_COLUMNS,
    FileError,
    FileRequest,
    FileTable,
)
from ranking_scores._files._trec_files import (
    OF_ITERATIONS,
    OF_RATINGS,
    OF_RATINGS_1M,
    QRELS,
    RUN,
)
from ranking_scores._tables._columns import with_labels_from_0
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, as_report
from ranking_scores.report._saved_reports import REPORT

_ANNOUNCED_BYTES = 10_000_000
"""Files of at least this many bytes are announced on a terminal while they are read."""


class InputFiles:
    """Reads the files of a call. A file of JSON may have judgments and runs, and is read once."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._known: dict[str, JsonFile] = {}
        self._read_pipes: set[str] = set()
        self._svmlight: FileTable | None = None
        """The judgments if they are lines of svmlight, to which scores in their order belong."""
        given = [options.judgments, options.human, options.query_table]
        given += [options.exclude, options.items]
        self._paths = {*filter(None, given), *(path for path, _ in options.sources.values())}
        size = sum(os.path.getsize(path) for path in self._paths if os.path.isfile(path))
        self._is_worth_pyarrow = size >= _delimited.PYARROW_BYTES

    def have_pipe(self) -> bool:
        """Return whether one of the files is a pipe, which only one process can read."""
        return any(map(_is_pipe, self._paths))

    def judgments(self) -> FileTable:
        """Read the judgments."""
        by = {} if self._options.query_table else self._of_queries()
        by |= {} if self._options.judge is None else {self._options.judge: "judge"}
        return self._judgments_in(self._options.judgments, by)

    def _of_queries(self) -> dict[str, str]:
        """Return the columns of groups and clusters, with the options that name them."""
        clusters = [] if self._options.clusters is None else [self._options.clusters]
        return dict.fromkeys(clusters, "clusters") | dict.fromkeys(self._options.by, "by")

    def human(self) -> FileTable | None:
        """Read the judgments by people, if there are any."""
        path = self._options.human
        return None if path is None else self._judgments_in(path, {})

    def excluded(self) -> FileTable | None:
        """Read the items to leave out for each query, if there are any."""
        path = self._options.exclude
        if path is None:
            return None
        table = self._table(path, "label", None, is_sought=False)
        table = self._read(path, table, "excluded_ids")
        return table._replace(form=table.form.replace("as relevant", "as items to leave out"))

    def known_items(self) -> list[Any] | None:
        """Read the ids of all items from lines or from a column, if they are given."""
        path, item = self._options.items, self._options.item or "item"
        if path is None:
            return None
        if form_of(path) is JSON:
            raise InputError(f"--items takes ids in lines, CSV, TSV or Parquet. Got {path}.")
        try:
            if form_of(path) is not TREC:
                table = self._read(path, FileTable(path, item, None, None, ""))
                return as_list(table.columns[item])
            of_stdin = "/dev/stdin" if path == STDIN else path
            with errors_of(path), opened(of_stdin, NAME) as file:
                lines = file.read().decode().split("\n")
            return list(filter(None, map(str.strip, lines)))
        except UnicodeDecodeError as error:
            raise InputError(f"{path} must be in UTF-8") from error
        except InputError as error:
            raise InputError(str(error).replace("--query", "--item")) from error

    def _judgments_in(self, path: str, by: Mapping[str, str]) -> FileTable:
        """Read judgments, and the groups of their queries."""
        options = self._options
        value = None if options.no_label else options.label or "label"
        is_sought = options.label is None and not options.no_label
        table = self._table(path, "label", value, is_sought=is_sought)
        aspect = "aspect" if options.aspects else None
        gains = dict(options.labels) if isinstance(options.labels, dict) else {}
        if form_of(path).is_typed:  # It may have 2, which is no text.
            gains |= {as_number(label): gain for label, gain in gains.items()}
        return self._read(path, table._replace(by=by, aspect=aspect, gains=gains))

    def run(self, path: str, field: str) -> FileTable:
        """Read a run. A file of JSON may have its lists in a field."""
        options = self._options
        kind, value = ("rank", options.rank) if options.rank else ("score", options.score)
        table = self._table(path, kind, value or kind, is_sought=value is None)
        return self._read(path, table, field)

    def queries(self) -> FileTable:
        """Read the table of queries, or raise if it is a file of TREC."""
        options = self._options
        path, by = options.query_table, self._of_queries()
        sought = () if options.query else ("query",)
        table = FileTable(path, options.query or "query", None, None, "", by=by, sought=sought)
        return self._read(path, table)

    def _table(self, path: str, kind: str, value: str | None, *, is_sought: bool) -> FileTable:
        """Return a table whose columns are not read yet, and of which some may be sought."""
        options = self._options
        given = {"query": options.query, "item": options.item}
        if kind != "label":
            given["item"] = options.item_of_run
        sought = [role for role, name in given.items() if name is None]
        sought += [kind] if is_sought else []
        query, item = given["query"] or "query", given["item"] or "item"
        return FileTable(path, query, item, value, kind, sought=tuple(sought))

    def _read(self, path: str, table: FileTable, field: str = "") -> FileTable:
        """Return a table with its columns or with its lists."""
        if _is_pipe(path) and path not in self._known:
            form = form_of(path)
            if not form.may_be_piped:
                raise InputError(f"{path} is a pipe. {form.words} must be in a file.")
            if path in self._read_pipes:
                raise InputError(f"{path} is a pipe, which is read only once. Use a file.")
            self._read_pipes.add(path)
        with errors_of(path), _announced(path):
            return self._typed(self._read_file(path, table, field))

    def _typed(self, table: FileTable) -> FileTable:
        """Return a table with ids that are text and labels that are numbers, if that is asked."""
        options, columns, lists, groups = self._options, table.columns, table.lists, table.groups
        if columns is not None and (options.ids or options.labels == "number"):
            columns = {name: columns[name] for name in table.names.values()}
            for role, name in table.names.items():
                if options.ids and role in ID_ROLES:
                    columns[name] = _converted(columns[name], id_as_text)
                if options.labels == "number" and role == "label":
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
        by_name = form = form_of(path)
        columns: list[str] = []
        if table.kind == "label" and form.is_text:
            columns = self._options.columns or [*form.columns]
        line = _first_line(path) if form.is_text and not columns else b""
        if table.kind in ("score", "rank"):
            if self._svmlight is not None and are_scores_of_lines(line, self._svmlight):
                return read_scores_of_lines(path, self._svmlight)
            if form.columns:
                raise InputError(f"{path}: {form.words} have no scores. {SWAPPED_FILES}")
        if columns:
            form = form if form.columns else NAMED
        elif line:
            form = form_of_line(line, form, has_names=self._names(table))
            is_pair = by_name is TREC and form is not TREC and len(line.split()) == 2
            if is_pair and table.kind == "label":  # each row is relevant
                table = table._replace(value=None, sought=tuple({*table.sought} - {"label"}))
        request = FileRequest(
            table,
            form,
            self._known,
            columns=columns,
            is_worth_pyarrow=self._is_worth_pyarrow,
            in_json=self._names_in_json(table, field),
        )
        table = form.read(request)
        if form is SVMLIGHT and path == self._options.judgments:
            self._svmlight = table
        is_of_trec = form is TREC and table.kind == "label"
        return self._with_unjudged(table) if is_of_trec else table

    def _names_in_json(self, table: FileTable, field: str) -> JsonNames:
        """Return the names of the fields of JSON that are sought for a table."""
        options, is_judged = self._options, table.kind == "label"
        named = options.relevant if is_judged else options.retrieved
        judged_field = field or options.relevant or LISTS[0]  # one is given for what is left out
        lists = (judged_field, "relevant") if is_judged else (field, "retrieved")
        return JsonNames(
            None if "query" in table.sought else table.query,
            None if "item" in table.sought else table.item,
            lists if table.kind else None,
            bool(named),
            table.by,
            may_be_answers=table.kind in ("score", "rank") and not named,
            needs_items=table.item is not None,
        )

    def _with_unjudged(self, table: FileTable) -> FileTable:
        """Return judgments of TREC, of which those of label -1 are none if that is asked."""
        labels = table.columns["label"]
        is_unjudged = labels == -1
        n_unjudged = np.count_nonzero(is_unjudged)
        if self._options.unjudged and n_unjudged:
            they = "label -1 counts" if n_unjudged == 1 else "labels -1 count"
            table.columns["label"] = np.where(is_unjudged, 0, labels)
            table = table.noted(f"{n_unjudged} {they} as not judged")
            table = table._replace(judged=np.flatnonzero(~is_unjudged))
        n_notes = len(table.columns.notes)
        columns = with_labels_from_0(table.columns)
        return table._replace(columns=columns).noted(*columns.notes[n_notes:])

    def _names(self, table: FileTable) -> bool:
        """Return whether an option names a column of a table, which has names then."""
        options = self._options
        of_value = ("label", "no_label") if table.kind == "label" else ("score", "rank")
        return bool(table.by) or any(
            getattr(options, name) for name in ("query", "item", *of_value)
        )


def saved_report(path: str) -> RankingReport | None:
    """Return the saved report in a file. None: it has something else."""
    if form_of(path) is not JSON:
        return None
    if _is_pipe(path):  # the beginning says what it is, and then the whole is read
        raise InputError(f"{path} is a pipe. A baseline in JSON must be a file.")
    with errors_of(path):
        return as_report(path, "path", NAME) if has_format(REPORT, path) else None


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


def as_list(column: Any) -> list[Any]:
    """Return a column of a table as Python objects."""
    if isinstance(column, list):
        return column
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column.tolist())


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


def _first_line(path: str) -> bytes:
    """Return the first line of a file, or nothing for a pipe, from which it would be gone."""
    if not os.path.isfile(path):
        return b""
    with opened(path, NAME) as file:
        return file.readline()


@contextmanager
def errors_of(path: str) -> Iterator[None]:
    """Turn the errors that a file can cause into errors of one line."""
    try:
        yield
    except InvalidParameterError as error:
        advice = _ADVICE.get(error.code, "")
        if error.code.startswith("Name"):
            advice = _KEYWORD.sub(_as_argument, error.code)
        raise InputError(f"{in_words(error, path=path)} {advice}".rstrip()) from error
    except FileError as error:
        raise InputError(str(error)) from error
    except UnpackError as error:
        raise InputError(f"{path} must be {error.expected}: {error.got}") from error
    except MemoryError as error:
        raise InputError(f"{path}: the memory is too small for what the file has") from error
    except ImportError as error:  # of what unpacks the file
        raise InputError(f"{path}: {error}") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


_KEYWORD = re.compile(r"`(\w+)=(?:'(none)')?`")
"""A parameter of the functions, perhaps with its value, in the advice of an error."""


def _as_argument(found: re.Match[str]) -> str:
    """Return the option for a parameter in the advice of an error, perhaps with its value."""
    return " ".join(filter(None, (as_option(found[1]), found[2])))


_ADVICE = {
    QRELS.advice: SWAPPED_FILES,
    RUN.advice: SWAPPED_FILES,
    OF_RATINGS: f"{WITH_COLUMNS} --columns user,item,rating,time.",
    OF_RATINGS_1M: f"{WITH_COLUMNS} --columns user,item,rating,time.",
    OF_ITERATIONS: "Pass --aspects if they are aspects of the queries, such as subtopics, or "
    "--columns query,iteration,item,label if they do not count.",
}
"""The advice in terms of the command, by the advice in terms of Python."""


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
