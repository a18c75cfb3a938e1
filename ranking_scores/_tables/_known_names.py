"""The columns of tables by their names: those that a caller gives, and those of other projects.

A column that the caller did not name is taken only if no other could have its role. A note says
what was taken for what. Names also tell that something is wrong: a column may look like labels
that nobody named, or have distances in place of scores, and ranks may contradict the scores.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, show_id, show_names, visible, warn_caller
from ranking_scores._base._ids import library_of
from ranking_scores._base._results import count_queries
from ranking_scores._base._sorting import stable_order, unique_inverse
from ranking_scores._base._validation import describe
from ranking_scores._tables._columns import (
    Column,
    IdColumn,
    Positions,
    are_rows,
    dtype_of,
    is_name,
    notes_of,
    read_numbers,
    unique_ids,
)
from ranking_scores._tables._join import read_values
from ranking_scores.exceptions import InvalidParameterError

# --- names of known projects --------------------------------------------------------------------


ROLES = ("query", "item", "label", "score", "rank")
_IDS = ROLES[:2]


@dataclass(frozen=True)
class Project:
    """The names that a project gives to its columns. Empty: it has no such column."""

    name: str
    others: Sequence[str] = ()
    """Projects with the same names."""
    source: str = ""
    query: str = ""
    item: str = ""
    label: str = ""
    score: str = ""
    rank: str = ""
    beside: Sequence[str] = ()
    """Columns that it has, too, and that elsewhere are named for a query or an item."""
    first: str = "score"
    """The role that orders predictions with scores and ranks."""
    each_row_is_relevant: bool = False
    """Whether judgments without a label are interactions, each with a relevant item."""

    def names(self) -> list[str]:
        """Return its name and those of the projects with the same names."""
        return [self.name, *self.others]

    def name_of(self, role: str) -> str:
        """Return the name of the column with a role."""
        return str(getattr(self, role))


@cache
def content() -> dict[str, Any]:
    """Return the content of the table of known names."""
    return tomllib.loads(files(__package__).joinpath("known_names.toml").read_text("utf-8"))


@cache
def projects() -> tuple[Project, ...]:
    """Return the projects whose names are known: first this package, last what nobody owns."""
    return tuple(Project(**row) for row in content()["table"])


@cache
def label_names() -> tuple[str, ...]:
    """Return the names of labels in any table, in lower case."""
    return tuple(content()["labels"])


@cache
def item_names() -> frozenset[str]:
    """Return all names of items."""
    return frozenset(project.item for project in projects())


@cache
def names_of_role(role: str) -> frozenset[str]:
    """Return the names of a role in any table, in lower case."""
    known = {project.name_of(role).casefold() for project in projects()} - {""}
    return frozenset(known | {*label_names()} if role == "label" else known)


_TYPE_OF_RECBOLE = re.compile(r":(token|float)(_seq)?$")


def without_types(names: Sequence[str]) -> list[str]:
    """Return names of columns without the types that RecBole writes behind all of them."""
    are_typed = all(map(_TYPE_OF_RECBOLE.search, names))
    return [_TYPE_OF_RECBOLE.sub("", name) for name in names] if are_typed else [*names]


def names_ids(words: Sequence[str]) -> bool:
    """Return whether two of some words are known as the names of queries and of items."""
    known = {word.casefold() for word in without_types(words)}
    return all(not known.isdisjoint(names_of_role(role)) for role in _IDS)


EACH_RELEVANT = "each row as relevant"


class FoundColumns(NamedTuple):
    """The columns of a table."""

    names: dict[str, Any]
    """The name of the column with each role; None: there is none."""
    note: str = ""
    """What was taken for what. Empty: nothing but what has the names of this package."""
    are_interactions: bool = False
    """Whether each row of judgments is relevant since it is an interaction."""

    def said(self) -> str:
        """Return what was taken for what, whoever named it."""
        names = {role: name for role, name in self.names.items() if role in ROLES}
        taken = {role: name for role, name in names.items() if name is not None}
        words = [
            str(name) if name == role else f"{visible(str(name))} as {role}"
            for role, name in taken.items()
        ]
        words += [EACH_RELEVANT] * ("label" in names and "label" not in taken)
        is_all_found = self.note and all(str(name) in self.note for name in taken.values())
        return self.note if is_all_found else ", ".join(words)


class UnclearError(Exception):
    """Several columns could have a role."""

    def __init__(self, role: str, fitting: Sequence[str]) -> None:
        super().__init__(role)
        self.role, self.fitting = role, fitting


def find_columns(
    there: Sequence[Any], given: Mapping[str, Any], sought: Collection[str]
) -> FoundColumns:
    """Return the columns of a table, of which some are given by name, and others are sought.

    If "score" is sought, "rank" is too, and at most one of them is found. Raise an `UnclearError`
    if several columns could have a role. If a role is missing, names may also be written in
    another case, or with other signs between their words.
    """
    names = [name for name in there if isinstance(name, str)]
    found, unread, are_interactions = _found_in(names, given, sought)
    orders = (found["score"], found["rank"]) if "score" in sought else ("",)
    if any(found[role] is None for role in _IDS if role in sought) or orders == (None, None):
        known = _known_spellings([name for name in names if name not in given.values()])
        spelled = [known.get(name, name) for name in names]
        own = {spelling: name for name, spelling in known.items()}
        found, unread, are_interactions = _found_in(spelled, given, sought)
        found = {role: own.get(name or "", name) for role, name in found.items()}
        unread = own.get(unread, unread)
    return FoundColumns({**given, **found}, _note(found, unread), are_interactions)


def _known_spellings(names: Sequence[str]) -> dict[str, str]:
    """Return names that no project has, by how the first project writes their words.

    Names with the words of another column are left out, as it is unclear which one is meant.
    """
    roles = ("query", "item", "score", "rank")
    known = [name for role in roles for project in projects() if (name := project.name_of(role))]
    first = {_words_of(name): name for name in reversed(known)}
    words = [_words_of(name) for name in names]
    return {
        name: first[own]
        for name, own in zip(names, words, strict=True)
        if own in first and name not in known and words.count(own) == 1
    }


def _words_of(name: str) -> str:
    """Return a name in lower case, without what separates its words."""
    return name.casefold().translate(_BETWEEN_WORDS)


_BETWEEN_WORDS = str.maketrans("", "", "-_ .")


def _found_in(
    names: list[str], given: Mapping[str, Any], sought: Collection[str]
) -> tuple[dict[str, str | None], str, bool]:
    """Return the columns that are sought among some names, as they are written.

    Also return what is not read, and whether each row of judgments is an interaction.
    """
    roles = [role for role in _IDS if role in sought or given.get(role) is not None]
    fitting = _fitting(names, {role: given.get(role) for role in roles})
    are_ours = fitting[:1] == [projects()[0]]
    beside = {name for project in fitting for name in project.beside}
    found: dict[str, str | None] = {}
    for role in roles:
        if role in sought:
            some = fitting[:1] if are_ours else projects()
            named = _named(role, some[:-1], names) or _named(role, some, names)
            found[role] = _only_one(role, [name for name in named if name not in beside])
    if "label" in sought:
        labels = _named("label", fitting, names)
        known = [name for name in names if name.strip().casefold() in label_names()]
        found["label"] = _only_one("label", labels or known)
    unread = ""
    if "score" in sought:
        first, second = "score", "rank"
        orders = {
            role: _named(role, fitting, names) or _named(role, projects(), names)
            for role in (first, second)
        }
        if any(project.first == "rank" for project in fitting):
            first, second = second, first
        if not orders[first] and orders[second]:
            first, second = second, first
        found |= {"score": None, "rank": None, first: _only_one(first, orders[first])}
        unread = " and ".join(orders[second])
        distances = [name for name in names if is_distance(name)]
        if not (orders[first] or orders[second]):
            found["score"] = _only_one("score", distances)
    return found, unread, any(project.each_row_is_relevant for project in fitting)


def _fitting(names: list[str], ids: dict[str, Any]) -> list[Project]:
    """Return the projects whose columns of ids are there, or this package alone.

    `ids` has the names of those that are given, and None for those that are sought.
    """

    def fits(project: Project) -> bool:
        own = {role: project.name_of(role) for role in ids}
        return all(
            own[role] in names if name is None else own[role] == name for role, name in ids.items()
        )

    fitting = [project for project in projects() if fits(project)]
    beside = {name for project in fitting for name in project.beside}
    fitting = [project for project in fitting if not {project.query, project.item} & beside]
    return fitting[:1] if fitting[:1] == [projects()[0]] else fitting


def _named(role: str, some: Sequence[Project], names: list[str]) -> list[str]:
    """Return the names that some projects give to a role, as far as there are such columns."""
    known = dict.fromkeys(project.name_of(role) for project in some)
    return [name for name in known if name in names]


def _only_one(role: str, fitting: list[str]) -> str | None:
    """Return the column with a role; None: there is none. Raise if there are several."""
    if len(fitting) > 1:
        raise UnclearError(role, fitting)
    return fitting[0] if fitting else None


def possessive(name: str) -> str:
    """Return a name in the possessive form."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _note(found: Mapping[str, str | None], unread: str) -> str:
    """Return what was taken for what, in words, or nothing if it has the names of this package."""
    taken = {role: name for role, name in found.items() if name is not None}
    has_label = found.get("label", "") is not None
    if has_label and all(role == name for role, name in taken.items()):
        return ""
    words = [
        name if role in (*_IDS, name) else f"{name} as {role}" for role, name in taken.items()
    ]
    words += [] if has_label else [EACH_RELEVANT]
    whose = [
        possessive(project.name)
        for project in projects()[1:]
        if all(project.name_of(role) == name for role, name in taken.items())
        and (has_label or not project.label)
    ]
    not_read = f" ({unread} does not count)" if unread else ""
    projects_named = f": {' and '.join(whose)} names" if whose else ""
    return f"{', '.join(words)}{not_read}{projects_named}"


# --- labels that nobody named -------------------------------------------------------------------


class _LeftOut:
    def __repr__(self) -> str:
        return "<left out>"


LEFT_OUT: Any = _LeftOut()
"""The name of the labels if the caller does not say whether there are labels."""

_NUMBER = re.compile(
    r"(u|big|small|tiny)?int\d*\b|float\d*\b|double|halffloat|bool|decimal", re.IGNORECASE
)
"""The types of numbers in any library."""


@cache
def names_of_no_label() -> frozenset[str]:
    """Return the names of columns that are surely no labels, in lower case."""
    beside = {name for project in projects() for name in project.beside}
    known = map(names_of_role, ("query", "item", "rank"))
    return frozenset(beside | {*content()["times"]}).union(*known)


def check_unlabelled(judgments: Any, names: ColumnNames, function: str) -> None:
    """Raise if a column of numbers, of which nobody says what it is, may have the labels."""
    of_predictions = {
        role: name
        for role in ("score", "rank")
        if str(name := names.predicted[role]).casefold() not in names_of_role("label")
    }
    numbers = columns_of_numbers(judgments, names.judged | of_predictions)
    may_be = [name for name in numbers if str(name).casefold() not in names_of_no_label()]
    if may_be:
        several = " and ".join(map(show_id, may_be))
        expected = "the name of a column of judgments, or None if each row is relevant,"
        got = f"neither, and the numbers in {several} may be the labels,"
        code = f"Pass label={show_id(may_be[0])} or label=None."
        raise invalid("label", function, f"{expected} unless a known name tells", got, code=code)


def columns_of_numbers(table: Any, names: Mapping[str, Any]) -> list[Any]:
    """Return the names of the columns of numbers, without those that are named already."""
    types = types_in(table)
    count = Counter(name for name, _ in types)
    return [
        name
        for name, kind in types
        if _NUMBER.match(str(kind)) and count[name] == 1 and name not in names.values()
    ]


def types_in(table: Any) -> list[tuple[Any, Any]]:
    """Return the names of the columns and their types; nothing if a table is of no known kind."""
    if are_rows(table):
        first = {
            name: value for row in table[::-1] for name, value in row.items() if value is not None
        }
        return [(name, type(value).__name__) for name, value in first.items()]
    if isinstance(table, Mapping):
        return [(name, dtype_of(values) or _type_in(values)) for name, values in table.items()]
    if hasattr(table, "features"):  # It is a dataset of Hugging Face.
        return [(name, getattr(feature, "dtype", "")) for name, feature in table.features.items()]
    if library_of(table) == "pyarrow" and hasattr(table, "schema"):
        try:
            return list(zip(table.schema.names, table.schema.types, strict=True))
        except UnicodeDecodeError:  # Such a name is refused later.
            return []
    if hasattr(table, "iloc") and hasattr(table, "columns"):  # a frame of pandas or of Dask
        return list(table.dtypes.items())
    try:
        frame = import_module("narwhals").from_native(table, pass_through=True)
    except ImportError:
        return []
    return list(frame.collect_schema().items()) if hasattr(frame, "collect_schema") else []


def _type_in(values: Any) -> str:
    """Return the type of the first value of a list that is not missing."""
    values = values if isinstance(values, (list, tuple)) else []
    return next((type(value).__name__ for value in values if value is not None), "")


# --- columns that are sought --------------------------------------------------------------------


def seek_in_two(
    judgments: Any, predictions: Any, names: ColumnNames, label: Any, function: str
) -> tuple[ColumnNames, list[str]]:
    """Return the columns of two tables, and what there is to say about the tables.

    Names that are None are sought. Labels are sought if anything is and `label` is left out.
    """
    judged, predicted = names
    ids = [role for role in ("query", "item") if judged[role] is None]
    order = ["score"] if predicted["score"] is None and predicted["rank"] is None else []
    labels = ["label"] if label is LEFT_OUT and (ids or order) else []
    found, notes = [], []
    for table, parameter, given, sought in (
        (judgments, "judgments", judged, [*ids, *labels]),
        (predictions, "predictions", predicted, [*ids, *order]),
    ):
        seen = seek(table, given, sought, parameter, function)
        found.append(seen.names)
        notes += [f"{parameter}: {note}" for note in (*notes_of(table), seen.said())]
    return ColumnNames(*found), notes


def seek_in_one(
    table: Any, names: dict[str, Any], function: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns of one table, and what there is to say about it.

    Names that are None are sought. The items are sought only if the query is, since without them
    each row is an item of its own.
    """
    sought = [role for role in ("query", "label") if names[role] is None]
    sought += ["item"] if names["query"] is None and names["item"] is None else []
    sought += ["score"] if names["score"] is None and names["rank"] is None else []
    found = seek(table, names, sought, "table", function, needed=("query", "label", "score"))
    return found.names, [f"table: {note}" for note in (*notes_of(table), found.said())]


def seek(
    table: Any,
    given: dict[str, Any],
    sought: Collection[str],
    parameter: str,
    function: str,
    *,
    needed: Collection[str] = ("query", "item", "score"),
) -> FoundColumns:
    """Return the columns of a table, of which some are sought.

    Raise if several columns could have a role, or none has a role that is needed.
    """
    there = [name for name, _ in types_in(table)] if sought else []
    if not there:  # what has no columns is refused, or is empty, where columns are read
        return FoundColumns({**given, **{role: role for role in sought if role != "label"}})

    def unclear(role: str, got: str) -> InvalidParameterError:
        what, keyword = role, f"`{role}=`"
        if role == "score" and "rank" in given:
            what, keyword = "score or the rank", "`score=` or `rank=`"
        expected = f"a table with one column whose name is known as that of the {what}"
        is_nested = isinstance(table, Mapping) and isinstance(next(iter(table.values())), Mapping)
        code = "`from_lists` joins dicts of dicts." if is_nested else f"Name it with {keyword}."
        return invalid(parameter, function, expected, got, code=code)

    try:
        found = find_columns(there, given, sought)
    except UnclearError as error:
        raise unclear(error.role, " and ".join(map(repr, error.fitting))) from error
    for role in needed:
        roles = ("score", "rank") if role == "score" else (role,)
        if role in sought and all(found.names[order] is None for order in roles):
            raise unclear(role, f"the columns {show_names(there)}")
    return found


# --- ranks and distances beside scores ----------------------------------------------------------


BESIDE = "rank beside"
"""The role of a column of ranks that do not count, since there are scores."""


def rank_beside(table: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the column of ranks beside the scores of a table by its role, if there is one."""
    has_scores = names.get("score") is not None
    return named_like_ranks(columns_of_numbers(table, names)) if has_scores else {}


def named_like_ranks(there: Iterable[Any]) -> dict[str, Any]:
    """Return the one column that is named as that of ranks by its role, if there is one."""
    found = [name for name in there if str(name).casefold() in names_of_role("rank")]
    return {BESIDE: found[0]} if len(found) == 1 else {}


def checked_scores(
    columns: dict[str, Column], query: IdColumn
) -> tuple[dict[str, Column], list[str]]:
    """Return columns of which the scores are no distances, and notes, without ranks beside them.

    If the ranks contradict the scores in every query with several items, there is a warning.
    """
    columns, notes = dict(columns), []
    beside, column = columns.pop(BESIDE, None), columns.get("score")
    if column is not None and is_distance(column.name):
        distance, row = read_values(columns, query)
        rows = slice(None) if row is None else row
        of_query = unique_ids(query)[1][rows]
        turned, note = order_of_distances(column.name, distance, of_query, column.invalid)
        values = turned
        if row is not None:
            values = np.full(query.code.size, np.nan)
            values[row] = turned
        columns["score"] = column._replace(values=values)
        notes.append(note)
    if beside is None:
        return columns, notes
    try:
        ranks = read_numbers(beside)
    except InvalidParameterError:  # Nobody asked for these numbers.
        return columns, notes
    scores = read_values(columns, query)
    n_rows = query.code.size
    have_both = np.ones(n_rows, dtype=bool)
    number = {}
    for role, numbers in (("rank", ranks), ("score", scores)):
        number[role] = np.full(n_rows, np.nan)
        number[role][slice(None) if numbers.row is None else numbers.row] = numbers.values
        have_both &= np.isfinite(number[role])
    code = query.code[have_both].astype(np.int32)
    n_wrong = count_contradicted(code, number["score"][have_both], number["rank"][have_both])
    if not n_wrong:
        return columns, notes
    n_items = np.bincount(code)
    share = f"{n_wrong} of {count_queries(int(np.count_nonzero(n_items)))}"
    score = columns["score"]
    facts = f"{beside.name!r} contradicts {score.name!r} in {share}"
    if n_wrong == np.count_nonzero(n_items > 1):
        warn_caller(
            f"In {score.table}, {facts}. The item with the highest score ranks first. If the "
            f"scores are distances, pass them with a minus. If the ranks are right, pass "
            f"rank={beside.name!r}.",
            UserWarning,
        )
    return columns, [*notes, f"{facts}; the scores count"]


def is_distance(name: Any) -> bool:
    """Return whether a column or a field of scores is named as that of distances."""
    return str(name).casefold() in content()["distances"]


def check_no_distance(score: Any, function: str) -> None:
    """Raise if the name of a column of scores says that they are distances."""
    if is_distance(score):
        code = "Pass minus the distance, in a column with another name."
        raise invalid("score", function, "a column of scores", describe(score), code=code)


def order_of_distances(
    name: Any,
    numbers: NDArray[Any],
    query: Positions,
    refuse: Callable[..., InvalidParameterError],
) -> tuple[NDArray[Any], str]:
    """Return scores from numbers that are named as distances, and a note on what they are.

    Milvus calls a similarity a distance, too, if the metric is COSINE or IP. So the order tells:
    from the best item of a query on, distances rise and similarities fall. `query` has a code for
    each number, and `refuse` makes the error about numbers in another order.
    """
    order = stable_order(query)
    in_order, is_next = numbers[order], np.diff(query[order]) == 0
    rise = (is_next & (in_order[1:] > in_order[:-1])).any()
    fall = (is_next & (in_order[1:] < in_order[:-1])).any()
    shown = show_id(name)
    if rise and fall:
        expected = "distances that rise from the best item of each query on, or similarities that "
        code = "Sort them, the best item first, or give distances a minus and another name."
        raise refuse(f"{expected}fall", f"{shown} that rises and falls", code=code)
    if fall:
        return numbers, f"{shown} falls from the best item on, so it is a similarity"
    if numbers.dtype.kind != "f":  # the minus of unsigned ints would wrap around
        numbers = numbers.astype(np.float64)
    rises = " rises from the best item on, so each score is minus the distance"
    return -numbers, shown + (rises if rise else " is a distance, so each score is minus it")


def count_contradicted(
    query: NDArray[np.int32], scores: NDArray[np.float64], ranks: NDArray[np.float64]
) -> int:
    """Return in how many queries an item has a higher score than another, and a later rank.

    Most runs are in order, which is seen without sorting: the lines of a query are together, and
    from line to line scores do not rise and ranks do not fall.
    """
    starts = np.flatnonzero(np.append(True, query[1:] != query[:-1]))[: query.size]
    is_suspect = np.bincount(query[starts]) > 1  # the lines of such a query are in several places
    is_odd = scores[1:] > scores[:-1]
    is_odd |= ranks[1:] < ranks[:-1]
    odd = np.flatnonzero(is_odd)
    is_suspect[query[odd[query[odd] == query[odd + 1]]]] = True
    if not is_suspect.any():
        return 0
    rows = np.flatnonzero(is_suspect[query])
    number, scores, rank = query[rows].astype(np.intp), scores[rows], _as_codes(ranks[rows])
    order = stable_order(rank)
    order = order[stable_order(number[order])]
    number, scores, rank = number[order], scores[order], rank[order]
    # If the lowest score of each rank is not below the highest one of the next rank, it is not
    # below that of any later rank.
    is_first = np.append(True, (number[1:] != number[:-1]) | (rank[1:] != rank[:-1]))
    first = np.flatnonzero(is_first)
    lowest, highest = np.minimum.reduceat(scores, first), np.maximum.reduceat(scores, first)
    query_of_rank = number[first]
    is_wrong = (query_of_rank[1:] == query_of_rank[:-1]) & (lowest[:-1] < highest[1:])
    return int(np.unique(query_of_rank[1:][is_wrong]).size)


def _as_codes(ranks: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return codes in the order of the ranks, sooner if all of them are small and whole."""
    if (np.abs(ranks) < 2**31).all():
        whole = ranks.astype(np.int64)
        if (whole == ranks).all():
            return unique_inverse(whole)[1]
    return unique_inverse(ranks)[1]


class ColumnNames(NamedTuple):
    """The names of the columns of two tables, by keyword. None if there is no such column."""

    judged: dict[str, Any]
    predicted: dict[str, Any]


def names_of_columns(
    function: str,
    query: Any,
    item: Any,
    label: Any,
    score: Any,
    rank: Any,
    *,
    may_be_sought: bool = False,
) -> ColumnNames:
    """Return the caller's names for the columns of judgments and of predictions.

    If names may be sought, those of ids may be None, and so may be both `score` and `rank`.
    """
    label = None if label is LEFT_OUT else label
    check_names_of_columns(function, label=label, score=score, rank=rank)
    check_one_of(score, rank, function, may_be_sought=may_be_sought)
    pairs = (
        (None, None) if names is None and may_be_sought else _pair(names, parameter, function)
        for names, parameter in ((query, "query"), (item, "item"))
    )
    names = zip(*pairs, strict=True)
    (judged_query, judged_item), (predicted_query, predicted_item) = names
    return ColumnNames(
        {"query": judged_query, "item": judged_item, "label": label},
        {"query": predicted_query, "item": predicted_item, "score": score, "rank": rank},
    )


_A_NAME = "the name of a column"


def check_names_of_columns(function: str, **names: Any) -> None:
    """Raise unless columns are given by name, not as arrays."""
    for parameter, name in names.items():
        if not is_name(name):
            raise invalid(parameter, function, _A_NAME, describe(name))


def check_one_of(score: Any, rank: Any, function: str, *, may_be_sought: bool) -> None:
    """Raise unless predictions come with scores or with ranks."""
    if (score is None) == (rank is None) and not (may_be_sought and score is None):
        expected = f"{_A_NAME}, or None if `rank` is passed"
        got = "None for both" if score is None else f"{describe(score)} and rank={describe(rank)}"
        raise invalid("score", function, expected, got, code="Pass either `score` or `rank`.")


def _pair(names: Any, parameter: str, function: str) -> tuple[Any, Any]:
    """Return the names of a column in the judgments and in the predictions."""
    pair = tuple(names) if isinstance(names, (tuple, list)) else (names, names)
    if len(pair) != 2 or not all(name is not None and is_name(name) for name in pair):
        expected = f"{_A_NAME}, or a pair of names, in judgments and in predictions"
        raise invalid(parameter, function, expected, describe(names))
    return pair
