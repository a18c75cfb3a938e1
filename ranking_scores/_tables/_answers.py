"""The answers of search engines and of libraries, as lists of ids with scores.

The first answer that is not empty says which form all of them have. A note says which one it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from types import NoneType
from typing import Any, NamedTuple

from ranking_scores._base import count_queries, describe
from ranking_scores._tables._known_names import content, possessive, projects
from ranking_scores._tables._records import MISSING, at


@dataclass(frozen=True)
class Form:
    """Where an answer has its ids and its scores. An empty name: there is no such thing."""

    name: str
    id: str
    score: str = ""
    others: Sequence[str] = ()
    """Programs with the same form."""
    source: str = ""
    hits: str = ""
    """The path to the list of what was found. Empty: the answer is this list."""
    batch: str = ""
    """The path to a list of answers, one for each query."""
    are_columns: bool = False
    """Whether the ids, and the scores, are a list for each of several queries."""
    is_distance: bool = False
    module: str = ""
    """The first part of the module of the class of objects. Empty: an answer has dicts."""
    type: str = ""
    may_be_paired: bool = False
    """Whether an object may be in a pair with its score, or with its distance."""

    def is_of(self, value: Any) -> bool:
        """Return whether something is an object of the class, or of a derived one."""
        return any(
            each.__name__ == self.type and each.__module__.partition(".")[0] == self.module
            for each in type(value).__mro__
        )

    def __str__(self) -> str:
        path = f"{self.hits}[]." if self.hits else ""
        fields = [f"{path}{self.id}", *[self.score] * bool(self.score)]
        names = " and ".join(map(possessive, dict.fromkeys([self.name, *self.others])))
        return f"{', '.join(fields)}: {names} {self.type or 'answer'}"


@cache
def forms_of_dicts() -> tuple[Form, ...]:
    """Return the forms of answers of JSON."""
    return tuple(Form(**row) for row in content()["answer"])


@cache
def forms_of_objects() -> tuple[Form, ...]:
    """Return the forms of answers with objects of Python."""
    return tuple(Form(**row) for row in content()["object"])


class WrongAnswerError(Exception):
    """An answer has not the form of the first one, or one of its hits is wrong."""

    def __init__(self, number: int, expected: str, got: str) -> None:
        super().__init__(expected)
        self.number, self.expected, self.got = number, expected, got


class Unpacked(NamedTuple):
    """What was retrieved for each query."""

    ids: list[list[Any]]
    scores: list[list[Any]] | None
    """None: no answer has any, and the order counts."""
    note: str


def unpacked_batch(retrieved: Any) -> Any:
    """Return the answers to several queries that are in one answer, or anything else unchanged."""
    if not isinstance(retrieved, Mapping):
        return retrieved
    for form in forms_of_dicts():
        if form.are_columns:
            ids, numbers = at(retrieved, form.id), at(retrieved, form.score)
            if form.score in retrieved and isinstance(ids, list):
                of_queries = zip(ids, numbers or [None] * len(ids), strict=True)
                return [{form.id: [own], form.score: [score]} for own, score in of_queries]
        elif form.batch:
            answers = at(retrieved, form.batch)
            if isinstance(answers, list) and answers and all(map(_is_answer, answers)):
                return answers
    return retrieved


def _is_answer(value: Any) -> bool:
    """Return whether something is an answer of JSON, or the list of its hits."""
    if isinstance(value, list):
        return all(isinstance(each, Mapping) for each in value)
    return isinstance(value, Mapping) and _form_of_dict(value) is not None


def is_answer(value: Any) -> bool:
    """Return whether an object of JSON is an answer to one query."""
    return isinstance(value, Mapping) and _form_of_dict(value) is not None


def unpacked(rows: list[Any]) -> Unpacked | None:
    """Return what is in the answers to all queries; None: their form is none that is known."""
    first = next((row for row in rows if row is not None and _has_entries(row)), None)
    form = _form_of(first)
    if form is None:
        return None
    ids: list[list[Any]] = []
    scores: list[list[Any] | None] = []
    for number, row in enumerate(rows):
        own_ids, own_scores = _read(row, form, number)
        ids.append(own_ids)
        scores.append(own_scores)
    note = str(form)
    if not any(scores):
        return Unpacked(ids, None, note)
    if form.may_be_paired:
        form = replace(form, is_distance=_are_distances(scores))
    if form.is_distance:
        note += ", in which smaller is better, so that each score is minus the distance"
        scores = [own and [-each for each in own] for own in scores]
    n_scored, n_full = sum(map(bool, scores)), sum(map(bool, ids))
    if n_scored < n_full:
        note += f", with scores in {n_scored} of {n_full} answers; the order of the others counts"
    in_order = [
        list(range(0, -len(own_ids), -1)) if own is None else own
        for own_ids, own in zip(ids, scores, strict=True)
    ]
    return Unpacked(ids, in_order, note)


def _has_entries(row: Any) -> bool:
    """Return whether something is an answer that is not empty."""
    return bool(len(row)) if hasattr(row, "__len__") else True


def _form_of(first: Any) -> Form | None:
    """Return the form of the first answer; None: it is not known."""
    if isinstance(first, Mapping):
        return _form_of_dict(first)
    if isinstance(first, list):
        entry = first[0]
        if type(entry) in _PLAIN:
            return None
        if isinstance(entry, Mapping):
            return _form_of_hit(entry)
        entry = entry[0] if type(entry) is tuple and entry else entry
        return next(
            (each for each in forms_of_objects() if not each.hits and each.is_of(entry)), None
        )
    return next((each for each in forms_of_objects() if each.hits and each.is_of(first)), None)


_PLAIN = (str, int, float, list)


def _form_of_dict(answer: Mapping[Any, Any]) -> Form | None:
    """Return the form of an answer of JSON."""
    for form in forms_of_dicts():
        if form.are_columns:
            ids = answer.get(form.id)
            if form.score in answer and isinstance(ids, list) and [*map(type, ids)] == [list]:
                return form
            continue
        hits = at(answer, form.hits)
        if isinstance(hits, list) and all(
            isinstance(each, Mapping) and form.id in each for each in hits[:1]
        ):
            return form
    return None


def _form_of_hit(hit: Mapping[Any, Any]) -> Form | None:
    """Return the form of hits that are not in an answer, unless they have our own names."""
    if "id" in hit and ("score" in hit or "relevance" not in hit):
        return None
    answers = [replace(each, hits="") for each in forms_of_dicts() if not each.are_columns]
    tables = [Form(each.name, each.item, each.score, each.others) for each in projects()[1:]]
    fitting = [each for each in (*answers, *tables) if each.id in hit]
    scored = [each for each in fitting if each.score in hit]
    return next(iter(scored or fitting), None)


def _read(row: Any, form: Form, number: int) -> tuple[list[Any], list[Any] | None]:
    """Return the ids and the scores of one answer; None: its order counts."""
    if row is None:
        return [], []
    hits = row
    if form.hits:
        hits = getattr(row, form.hits, MISSING) if form.module else _at(row, form.hits)
    if form.are_columns:
        ids, numbers = _at(row, form.id), _at(row, form.score)
        hits = ids
    if not isinstance(hits, list):
        raise WrongAnswerError(number, f"answers of one form, {form}", describe(row))
    if form.are_columns:
        [ids], [numbers] = ids, numbers or [None]
        numbers = [None] * len(ids) if numbers is None else numbers
    else:
        pairs = [_pair(hit, form, number) for hit in hits]
        ids, numbers = ([pair[place] for pair in pairs] for place in (0, 1))
    types = set(map(type, numbers))
    if NoneType in types and len(types) > 1:
        raise WrongAnswerError(
            number, f"answers with a score in each hit, or in none, {form}", "both"
        )
    return ids, None if types == {NoneType} else numbers


def _at(row: Any, path: str) -> Any:
    """Return what is at a path in an answer of JSON, or `MISSING`."""
    return at(row, path, MISSING) if isinstance(row, Mapping) else MISSING


def _pair(hit: Any, form: Form, number: int) -> tuple[Any, Any]:
    """Return the id and the score of a hit. None: it has no score."""
    score, found = None, hit
    if form.may_be_paired and type(hit) is tuple and len(hit) == 2:
        found, score = hit
    if form.module:
        own_id = getattr(found, form.id, None) if form.hits or form.is_of(found) else None
        score = getattr(found, form.score, None) if form.score else score
    else:
        own_id = found.get(form.id) if isinstance(found, Mapping) else None
        score = found.get(form.score) if isinstance(found, Mapping) else None
    if own_id is None:
        raise WrongAnswerError(number, f"hits with an id, {form}", describe(hit))
    return own_id, score


def _are_distances(scores: Sequence[Sequence[float] | None]) -> bool:
    """Return whether scores are distances, since they rise from the best item on."""
    rises = falls = None
    for number, own in enumerate(scores):
        for one, other in pairwise(own or ()):
            rises = number if rises is None and other > one else rises
            falls = number if falls is None and other < one else falls
    if rises is not None and falls is not None:
        expected = "pairs with scores that fall from the best item on, or with distances that rise"
        raise WrongAnswerError(rises, expected, f"both, for {count_queries(2)}")
    return rises is not None
