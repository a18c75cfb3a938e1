"""Tables of files: their columns by role, and what was taken for what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatch
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, show_names
from ranking_scores._tables._known_names import (
    EACH_RELEVANT,
    UnclearError,
    find_columns,
    named_like_ranks,
    names_of_no_label,
    names_of_role,
    without_types,
)

NAME = "ranking-scores"
"""The command, whose files these are."""
ID_ROLES = ("query", "item", "aspect")
"""The roles of columns with ids."""
_ROLES = (*ID_ROLES, "label", "score", "rank")
SWAPPED_FILES = "Did you swap two files? JUDGMENTS comes first, then each RUN."


_ROLES_OF_OTHER_FILE = {"label": ("score", "rank"), "score": ("label",), "rank": ("label",)}
"""For each kind of column, the kinds of columns that belong in the other file."""


WITH_COLUMNS = "If the file has no line with the names of its columns, pass them, such as"


class FileError(Exception):
    """An error about a file, in one line that begins with its path."""


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
    by: Mapping[str, str] = MappingProxyType({})
    """The columns with the groups or clusters of queries, and the options that name them."""
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
    """What was skipped in the file, and what is not as usual, in lines."""
    form: str = ""
    """What the file was taken for, and its columns, in words."""
    groups: Mapping[str, Any] = MappingProxyType({})
    """The groups of queries, by the names of their columns, as `ranking_report` takes them."""
    beside: Mapping[str, str] = MappingProxyType({})
    """The column of ranks beside the scores by its role, if the file has one."""
    gains: Mapping[str, float] = MappingProxyType({})
    """The number of each label that is text, until the labels are numbers."""

    def in_form(self, words: str) -> FileTable:
        """Return the table with what its form is called, and with the groups of its columns."""
        groups = {name: (self.columns[self.query], self.columns[name]) for name in self.by}
        return self._replace(groups=groups, form=f"{words}: {self.form}")

    @property
    def names(self) -> dict[str, str]:
        """The names of the columns by what they are for."""
        roles = {**self.beside, "query": self.query, "item": self.item, "aspect": self.aspect}
        roles[self.kind] = self.value
        named = {role: name for role, name in roles.items() if name is not None}
        return named | {f"{option} {name}": name for name, option in self.by.items()}

    def noted(self, *notes: str) -> FileTable:
        """Return the table with more notes, of which empty ones say nothing."""
        return self._replace(notes=(*self.notes, *filter(None, notes)))

    def said(self) -> list[str]:
        """Return the notes as lines that begin with the file."""
        return [f"{self.path}: {note}" for note in self.notes]

    def subject(self, place: Place) -> str:
        """Return the words that an error about a place in the file begins with."""
        line = self.lines.get(place.query if self.columns is None else place.row)
        where = f"line {line} of {self.path}" if line else self.path
        return f"{self.field!r} in {where}" if self.field else where


class FileRequest(NamedTuple):
    """What a reader of files gets: what is sought in a file, and how to read it."""

    table: FileTable
    """The path, and the names of the columns that are sought."""
    form: FileForm
    known: dict[str, Any]
    """The files of JSON that were read, each of which may have judgments and runs."""
    columns: Sequence[str] = ()
    """The names of all columns of text, if they are not in the file."""
    is_worth_pyarrow: bool = False
    """Whether pyarrow may read text, whose import takes a while."""
    in_json: Any = None
    """The names of the fields that are sought in JSON, as `JsonNames`."""


class FileForm(NamedTuple):
    """A form of files."""

    words: str
    """What help and messages call it."""
    read: Callable[[FileRequest], FileTable]
    """Returns the table with its columns or with its lists."""
    suffixes: tuple[str, ...] = ()
    """The ends of the names of its files."""
    files: tuple[str, ...] = ()
    """Patterns of the whole names of its files."""
    is_first_line: Callable[[bytes], bool] | None = None
    """Returns whether a line can only be the first one of such a file; None: none can."""
    may_be_other: bool = False
    """Whether files of these names are in another form if their first line is one of that form."""
    is_typed: bool = False
    """Whether ids and labels have types. In other files, ids are text and labels are numbers."""
    is_text: bool = True
    """Whether its files are lines of columns, which may be named."""
    has_names: bool = True
    """Whether columns or fields have names."""
    may_be_piped: bool = True
    may_be_packed: bool = True
    separator: str = ""
    """What usually separates the columns of text."""
    columns: tuple[str, ...] = ()
    """The names of its columns, if its files do not have them."""

    def has(self, name: str) -> bool:
        """Return whether a file of some name is of this form."""
        return name.endswith(self.suffixes) or any(fnmatch(name, each) for each in self.files)


def with_columns(names: list[str], table: FileTable) -> FileTable:
    """Return a table with the columns that are sought. Raise unless it has all of its columns."""
    table = _with_known_names(names, table)
    _check_columns(names, table)
    others = [name for name in names if name not in table.names.values()]
    if table.kind == "label" and "aspect" in others:
        return table.noted("the column 'aspect' has no effect without --aspects")
    return table._replace(beside=named_like_ranks(others)) if table.kind == "score" else table


def _with_known_names(names: list[str], table: FileTable) -> FileTable:
    """Return a table with the columns that are sought, as far as their names are known."""
    named = {role: name for role, name in table.names.items() if role not in table.sought}
    given = {
        role: name if name in names else without_types([name])[0] for role, name in named.items()
    }
    try:
        found = find_columns(names, given, table.sought)
    except UnclearError as error:
        raise unclear(table, error) from error
    columns = found.names
    kind, value = table.kind, columns.get(table.kind) or table.value
    if kind == "score" and columns.get("rank"):
        kind, value = "rank", columns["rank"]
    if kind == "label" and columns.get("label") is None and found.are_interactions:
        others = {*names} - {*columns.values(), *table.by}
        if all(name.casefold() in names_of_no_label() for name in others):
            value = None
    query, item = columns.get("query") or table.query, columns.get("item") or table.item
    named = given if found.note else columns
    taken = {named[role]: role for role in _ROLES if named.get(role) is not None}
    words = [roles_in_words(taken), found.note]
    are_relevant = kind == "label" and value is None and EACH_RELEVANT not in found.note
    words += [EACH_RELEVANT] * are_relevant
    form = ", ".join(filter(None, words))
    return table._replace(query=query, item=item, value=value, kind=kind, form=form)


def unclear(table: FileTable, error: UnclearError) -> FileError:
    """Return the error about columns that could have the same role."""
    several = " and ".join(map(repr, error.fitting))
    message = f"each of the columns {several} could be the {error.role}"
    return FileError(f"{table.path}: {message}. Name it with --{error.role}.")


def roles_in_words(taken: Mapping[str, str]) -> str:
    """Return names with what each was taken for, in words."""
    return ", ".join(name if name == role else f"{name} as {role}" for name, role in taken.items())


def _check_columns(names: list[str], table: FileTable) -> None:
    """Raise unless a table has each requested column exactly once."""
    if not names:
        raise FileError(f"{table.path}: the line with the names of the columns is missing")
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
        elif "::" in names[0] and table.kind != "label":
            advice = "If :: separates the columns, as in MovieLens 1M, write commas in its place, "
            advice += "and a line with the names of the columns, such as userId,movieId,score."
        elif table.kind == "label" and ("::" in names[0] or any(map(str.isdecimal, names))):
            advice = f"{WITH_COLUMNS} --columns user,item,rating,time."
        elif not {*names} & {*wanted.values()}:
            advice += " A file in TREC's format must have another suffix."
        if role in table.sought and name not in names and advice.startswith("Name the column"):
            advice += f" {NAME} --help-columns lists the names that are known."
        raise FileError(
            f"{table.path}: there is {number} {name!r} among {show_names(names)}. {advice}"
        )
