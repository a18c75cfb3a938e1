"""The answers of search engines and of libraries, as lists of ids with scores.

The first answer that is not empty says which form all of them have. A note says which one it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from numbers import Real
from types import NoneType
from typing import Any, NamedTuple

from ranking_scores._base import count_queries, describe, show_names, warn_caller
from ranking_scores._tables._known_names import content, possessive, projects

MISSING = object()
"""The value of a field that a record does not have."""


def at(record: Mapping[Any, Any], name: str, default: Any = None) -> Any:
    """Return the value of a field. A name with dots reaches into records."""
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return default
        value = value[part]
    return value


@dataclass(frozen=True)
class AnswerForm:
    """Where an answer has its ids and its scores. An empty name: there is no such thing."""

    name: str
    id: str
    score: str = ""
    others: Sequence[str] = ()
    """Programs with the same form."""
    source: str = ""
    hits: str = ""
    """The path to the list of what was found. Empty: the answer is this list."""
    none_if: str = ""
    """A path that an answer has that leaves out the list since nothing was found."""
    partial: Sequence[str] = ()
    """The paths to what says, if it is true or not 0, that hits may be missing."""
    error: str = ""
    """The path to the errors of an answer that is not complete."""
    groups: str = ""
    """A field of entries of the list that are groups of hits, and no hits."""
    batch: str = ""
    """The path to a list of answers, one for each query."""
    are_columns: bool = False
    """Whether the ids, and the scores, are a list for each of several queries."""
    is_distance: bool = False
    may_be_distance: bool = False
    """Whether a score may be a distance, which only its order among the hits tells."""
    module: str = ""
    """The first part of the module of the class of objects. Empty: an answer has dicts."""
    type: str = ""
    may_be_paired: bool = False
    """Whether an object may be in a pair with its score."""
    id_else: str = ""
    """Where objects have their ids if the first one has none in `id`."""

    def is_of(self, value: Any) -> bool:
        """Return whether something is an object of the class, or of a derived one."""
        return _is_a(value, self.module, self.type)

    def hits_of(self, answer: Mapping[Any, Any]) -> Any:
        """Return the list of what was found in an answer of JSON, or what is in its place."""
        hits = at(answer, self.hits, MISSING)
        if hits is MISSING and self.none_if and at(answer, self.none_if, MISSING) is not MISSING:
            return []
        return hits

    def fits(self, answer: Any) -> bool:
        """Return whether an answer of JSON has this form."""
        if not isinstance(answer, Mapping):
            return False
        if self.are_columns:
            ids = answer.get(self.id)
            return self.score in answer and isinstance(ids, list) and {*map(type, ids)} == {list}
        hits = self.hits_of(answer)
        return isinstance(hits, list) and all(
            isinstance(hit, Mapping) and self.id in hit for hit in hits[:1]
        )

    def __str__(self) -> str:
        path = f"{self.hits}[]." if self.hits else ""
        fields = [f"{path}{self.id}", *[self.score] * bool(self.score)]
        names = " and ".join(map(possessive, dict.fromkeys([self.name, *self.others])))
        return f"{', '.join(fields)}: {names} {self.type or 'answer'}"


@cache
def forms_of_dicts() -> tuple[AnswerForm, ...]:
    """Return the forms of answers of JSON."""
    return tuple(AnswerForm(**row) for row in content()["answer"])


@cache
def forms_of_objects() -> tuple[AnswerForm, ...]:
    """Return the forms of answers with objects of Python."""
    return tuple(AnswerForm(**row) for row in content()["object"])


class AnswerWrapper(NamedTuple):
    """A class of objects that have an answer of JSON in an attribute."""

    name: str
    source: str
    module: str
    type: str
    body: str


@cache
def wrappers() -> tuple[AnswerWrapper, ...]:
    """Return the classes of objects that have an answer of JSON."""
    return tuple(AnswerWrapper(**row) for row in content()["wrapper"])


def _is_a(value: Any, module: str, name: str) -> bool:
    """Return whether something is an object of a class, or of a derived one."""
    return any(
        base.__name__ == name and base.__module__.partition(".")[0] == module
        for base in type(value).__mro__
    )


def _unwrapped(value: Any) -> Any:
    """Return the answer of JSON that an object has, or anything else unchanged."""
    if value is None or type(value) in (list, tuple, dict):
        return value
    found = (wrapper for wrapper in wrappers() if _is_a(value, wrapper.module, wrapper.type))
    return next((getattr(value, wrapper.body) for wrapper in found), value)


class WrongAnswerError(Exception):
    """An answer has not the form of the first one, or one of its hits is wrong."""

    def __init__(self, number: int | None, expected: str, got: str) -> None:
        super().__init__(expected)
        self.number, self.expected, self.got = number, expected, got


class UnpackedAnswers(NamedTuple):
    """What was retrieved for each query."""

    ids: list[list[Any]]
    scores: list[list[Any]] | None
    """None: no answer has any, and the order counts."""
    note: str


def answers_in(retrieved: Any) -> list[Any] | None:
    """Return the answers to several queries that are in one answer; None: it is none."""
    retrieved = _unwrapped(retrieved)
    if not isinstance(retrieved, Mapping):
        return None
    for form in forms_of_dicts():
        if form.are_columns and form.fits(retrieved):
            ids, numbers = retrieved[form.id], retrieved[form.score]
            numbers = [None] * len(ids) if numbers is None else numbers
            if not isinstance(numbers, list) or len(numbers) != len(ids):
                got = f"{describe(numbers)} beside {count_queries(len(ids))}"
                raise WrongAnswerError(None, f"an answer with a list of {form.score} each", got)
            pairs = zip(ids, numbers, strict=True)
            return [
                {form.id: [own], form.score: None if score is None else [score]}
                for own, score in pairs
            ]
        answers = at(retrieved, form.batch) if form.batch else None
        # One that has failed is no answer. It gets an error when it is read.
        if isinstance(answers, list) and any(map(_is_answer_or_hits, answers)):
            return answers
        if form.fits(retrieved):
            return [retrieved]
    return None


def _is_answer_or_hits(value: Any) -> bool:
    """Return whether something is an answer of JSON to one query, or the list of its hits."""
    if isinstance(value, list):
        return all(isinstance(hit, Mapping) for hit in value)
    return any(form.fits(value) for form in forms_of_dicts())


def is_answer(value: Any) -> bool:
    """Return whether an object of JSON is an answer to one query or to several ones."""
    try:
        return isinstance(value, Mapping) and answers_in(value) is not None
    except WrongAnswerError:
        return True


def form_of_answers(rows: list[Any]) -> AnswerForm | None:
    """Return the form of the first answer that is not empty; None: it is none that is known."""
    for number, first in enumerate(map(_unwrapped, rows)):
        is_empty = hasattr(first, "__len__") and len(first) == 0
        if first is not None and not is_empty:
            return _form_of(first, number)
    return None


def unpacked(rows: list[Any]) -> UnpackedAnswers | None:
    """Return what is in the answers to all queries; None: their form is none that is known."""
    form = form_of_answers(rows)
    if form is None:
        return None
    ids: list[list[Any]] = []
    scores: list[list[Any] | None] = []
    for number, row in enumerate(rows):
        own_ids, own_scores = _read(_unwrapped(row), form, number)
        ids.append(own_ids)
        scores.append(own_scores)
    note = str(form)
    if not any(scores):
        return UnpackedAnswers(ids, None, note + _note_of_partial(rows, form))
    if form.may_be_distance:
        form = replace(form, is_distance=_are_distances(scores))
        note += ", whose numbers rise from the best hit on" * form.is_distance
    elif form.is_distance:
        note += ", in which smaller is better"
    if form.is_distance:
        note += ", so that each score is minus the distance"
        scores = [
            own and [-score if isinstance(score, Real) else score for score in own]
            for own in scores
        ]
    note += _note_of_partial(rows, form)
    n_unordered = sum(map(_rise, scores))
    if n_unordered:
        note += f"; in {count_queries(n_unordered)} hits are not in the order of their scores"
        note += ", and the scores count"
    n_scored, n_full = sum(map(bool, scores)), sum(map(bool, ids))
    if n_scored < n_full:
        note += f", with scores in {n_scored} of {n_full} answers; the order of the others counts"
    in_order = [
        list(range(0, -len(own_ids), -1)) if own is None else own
        for own_ids, own in zip(ids, scores, strict=True)
    ]
    return UnpackedAnswers(ids, in_order, note)


def _note_of_partial(rows: list[Any], form: AnswerForm) -> str:
    """Return in words how many answers say that hits may be missing, and warn of them."""
    answers = [row for row in map(_unwrapped, rows) if form.partial and isinstance(row, Mapping)]
    says = [[path for path in form.partial if at(row, path)] for row in answers]
    n_partial = sum(map(bool, says))
    if not n_partial:
        return ""
    paths = " or ".join(path for path in form.partial if any(path in own for own in says))
    said = f"in {count_queries(n_partial)} hits may be missing, as {paths} says"
    warn_caller(f"{form.name}: {said}.", UserWarning)
    return f"; {said}"


def _form_of(first: Any, number: int) -> AnswerForm | None:
    """Return the form of the first answer; None: it is not known."""
    if isinstance(first, Mapping):
        fitting = [form for form in forms_of_dicts() if form.fits(first)]
        if len(fitting) > 1:
            got = " and ".join(map(str, fitting))
            raise WrongAnswerError(number, "an answer of only one form that is known", got)
        return fitting[0] if fitting else None
    if isinstance(first, (list, tuple)):
        entry = first[0]
        if type(entry) in _PLAIN:
            return None
        if isinstance(entry, Mapping):
            return _form_of_hit(entry)
        entry = entry[0] if type(entry) is tuple and entry else entry
        fitting = [form for form in forms_of_objects() if not form.hits and form.is_of(entry)]
        if fitting and fitting[0].id_else and getattr(entry, fitting[0].id) is None:
            found = _attribute(entry, fitting[0].id_else) is not None
            return replace(fitting[0], id=fitting[0].id_else) if found else fitting[0]
        return fitting[0] if fitting else None
    return next((form for form in forms_of_objects() if form.hits and form.is_of(first)), None)


_PLAIN = (str, int, float, list)


def _attribute(value: Any, path: str) -> Any:
    """Return what is at a path of attributes and of fields of dicts; None: there is nothing."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    return value


def _form_of_hit(hit: Mapping[Any, Any]) -> AnswerForm | None:
    """Return the form of hits that are not in an answer, unless they have our own names."""
    if "id" in hit and ("score" in hit or "relevance" not in hit):
        return None
    answers = [replace(form, hits="") for form in forms_of_dicts() if not form.are_columns]
    tables = [
        AnswerForm(project.name, project.item, project.score, project.others)
        for project in projects()[1:]
    ]
    fitting = [form for form in (*answers, *tables) if form.id in hit]
    scored = [form for form in fitting if form.score in hit]
    return next(iter(scored or fitting), None)


def _read(row: Any, form: AnswerForm, number: int) -> tuple[list[Any], list[Any] | None]:
    """Return the ids and the scores of one answer; None: its order counts."""
    if row is None:
        return [], []
    hits = row
    if form.hits:
        is_right = form.is_of(row) if form.module else isinstance(row, Mapping)
        hits = MISSING
        if is_right:
            hits = _attribute(row, form.hits) if form.module else form.hits_of(row)
    if not (form.fits(row) if form.are_columns else isinstance(hits, (list, tuple))):
        raise WrongAnswerError(number, f"answers of one form, {form}", _shown(row))
    if form.error and isinstance(row, Mapping) and (errors := at(row, form.error)):
        raise WrongAnswerError(number, f"an answer without {form.error}", describe(errors))
    if form.are_columns:
        answers = answers_in(row) or []
        if len(answers) != 1:
            got = f"one to {count_queries(len(answers))}"
            raise WrongAnswerError(number, f"an answer to one query, {form}", got)
        [[ids], numbers] = answers[0].values()
        [numbers] = [[None] * len(ids)] if numbers is None else numbers
    else:
        if form.groups:
            hits = [hit for hit in hits if not (isinstance(hit, Mapping) and form.groups in hit)]
        pairs = [_pair(hit, form, number) for hit in hits]
        ids, numbers = ([pair[place] for pair in pairs] for place in (0, 1))
    types = set(map(type, numbers))
    if NoneType in types and len(types) > 1:
        raise WrongAnswerError(
            number, f"answers with a score in each hit, or in none, {form}", "both"
        )
    return ids, None if types == {NoneType} else numbers


def _shown(row: Any) -> str:
    """Return what there is in place of an answer that has the form of the first one."""
    fitting = [form for form in forms_of_dicts() if form.fits(row)]
    if fitting or not isinstance(row, Mapping):
        return str(fitting[0]) if fitting else describe(row)
    return f"a dict with {show_names(row) or 'nothing'}"


def _pair(hit: Any, form: AnswerForm, number: int) -> tuple[Any, Any]:
    """Return the id and the score of a hit. None: it has no score."""
    score, found = None, hit
    if form.may_be_paired and type(hit) is tuple and len(hit) == 2:
        found, score = hit
    if form.module:
        own_id = _attribute(found, form.id) if form.hits or form.is_of(found) else None
        score = getattr(found, form.score, None) if form.score else score
    else:
        own_id = found.get(form.id) if isinstance(found, Mapping) else None
        score = found.get(form.score) if isinstance(found, Mapping) else None
    if own_id is None:
        raise WrongAnswerError(number, f"hits with an id, {form}", describe(hit))
    return own_id, score


def _rise(scores: Sequence[Any] | None) -> bool:
    """Return whether some score is higher than the one before."""
    return _are_numbers(scores) and scores != sorted(scores or (), reverse=True)


def _fall(scores: Sequence[Any] | None) -> bool:
    """Return whether some score is lower than the one before."""
    return _are_numbers(scores) and scores != sorted(scores or ())


def _are_numbers(scores: Sequence[Any] | None) -> bool:
    """Return whether there are scores that can be compared. The others get an error later."""
    return bool(scores) and all(issubclass(kind, Real) for kind in set(map(type, scores or ())))


def _are_distances(scores: Sequence[Sequence[Any] | None]) -> bool:
    """Return whether scores are distances, since they rise from the best item on."""
    rising = next((number for number, own in enumerate(scores) if _rise(own)), None)
    if rising is not None and any(map(_fall, scores)):
        expected = (
            "answers with scores that fall from the best item on, or with distances that rise"
        )
        expected += ", or ids alone, whose order counts"
        raise WrongAnswerError(rising, expected, "some that fall and some that rise")
    return rising is not None
