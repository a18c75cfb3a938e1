"""The columns of a table, found by the names that other projects give them.

A column is taken only if no other could have its role. A note says what was taken for what.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

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
    """Return the projects whose names are known. The first one is this package."""
    return tuple(Project(**row) for row in content()["table"])


@cache
def label_names() -> tuple[str, ...]:
    """Return the names of labels in any table, in lower case."""
    return tuple(content()["labels"])


@cache
def distance_names() -> tuple[str, ...]:
    """Return the names of distances, of which the smallest is the best, in lower case."""
    return tuple(content()["distances"])


@cache
def item_names() -> frozenset[str]:
    """Return all names of items."""
    return frozenset(project.item for project in projects())


@cache
def names_of_role(role: str) -> frozenset[str]:
    """Return the names of a role in any table, in lower case."""
    known = {project.name_of(role).casefold() for project in projects()} - {""}
    return frozenset(known | {*label_names()} if role == "label" else known)


class Found(NamedTuple):
    """The columns of a table."""

    names: dict[str, Any]
    """The name of the column with each role; None: there is none."""
    note: str = ""
    """What was taken for what. Empty: nothing but what has the names of this package."""
    are_interactions: bool = False
    """Whether each row of judgments is relevant since it is an interaction."""


class UnclearError(Exception):
    """Several columns could have a role."""

    def __init__(self, role: str, fitting: Sequence[str]) -> None:
        super().__init__(role)
        self.role, self.fitting = role, fitting


def find_columns(there: Sequence[Any], given: Mapping[str, Any], sought: Collection[str]) -> Found:
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
    return Found({**given, **found}, _note(found, unread), are_interactions)


def _known_spellings(names: Sequence[str]) -> dict[str, str]:
    """Return names that no project has, by how the first project writes their words.

    Names with the words of another column are left out, as it is unclear which one is meant.
    """
    roles = ("query", "item", "score", "rank")
    known = [name for role in roles for each in projects() if (name := each.name_of(role))]
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
            named = _named(role, fitting[:1] if are_ours else projects(), names)
            found[role] = _only_one(role, [name for name in named if name not in beside])
    if "label" in sought:
        found["label"] = _only_one("label", _labels(fitting, names))
    unread = ""
    if "score" in sought:
        orders = {
            role: _named(role, fitting, names) or _named(role, projects(), names)
            for role in ("score", "rank")
        }
        first, second = ("score", "rank")
        if any(project.first == "rank" for project in fitting):
            first, second = second, first
        if not orders[first] and orders[second]:
            first, second = second, first
        found |= {"score": None, "rank": None, first: _only_one(first, orders[first])}
        unread = " and ".join(orders[second])
    are_interactions = any(each.each_row_is_relevant for each in fitting)
    return found, unread, are_interactions


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
    fitting = [each for each in fitting if not {each.query, each.item} & beside]
    return fitting[:1] if fitting[:1] == [projects()[0]] else fitting


def _named(role: str, some: Sequence[Project], names: list[str]) -> list[str]:
    """Return the names that some projects give to a role, as far as there are such columns."""
    return [name for name in dict.fromkeys(each.name_of(role) for each in some) if name in names]


def _labels(fitting: list[Project], names: list[str]) -> list[str]:
    """Return the columns that could be the labels of judgments."""
    labels = _named("label", fitting, names)
    return labels or [name for name in names if name.casefold() in label_names()]


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
    words += [] if has_label else ["each row as relevant"]
    whose = [
        possessive(each.name)
        for each in projects()[1:]
        if all(each.name_of(role) == name for role, name in taken.items())
        and (has_label or not each.label)
    ]
    not_read = f" ({unread} does not count)" if unread else ""
    of_projects = f": {' and '.join(whose)} names" if whose else ""
    return f"{', '.join(words)}{not_read}{of_projects}"
