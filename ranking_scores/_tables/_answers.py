"""The answers of search engines and of libraries, as lists of ids with scores.

The first answer that is not empty says which form all of them have. A note says which one it was.
Fields that the caller names go before those that are known.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from numbers import Real
from types import NoneType
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from ranking_scores._base._errors import show_id, show_names, warn_caller
from ranking_scores._base._results import count_queries
from ranking_scores._base._validation import describe
from ranking_scores._tables._known_names import (
    content,
    is_distance,
    order_of_distances,
    possessive,
    projects,
)
from ranking_scores.exceptions import InvalidParameterError

MISSING = object()
"""The value of a field that a record does not have."""


def at(record: Mapping[Any, Any], name: str, default: Any = None) -> Any:
    """Return the value of a field. A name with dots reaches into records.

    The name "*" is that of what a record or a list has if it has only one thing.
    """
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if part == "*" and isinstance(value, (Mapping, list)) and len(value) == 1:
            [value] = value.values() if isinstance(value, Mapping) else value
        elif isinstance(value, Mapping) and part in value:
            value = value[part]
        else:
            return default
    return value


def _attribute(value: Any, path: str) -> Any:
    """Return what is at a path of attributes and of fields of dicts; None: there is nothing."""
    for name in path.split("."):
        own = getattr(value, name, None)
        value = value.get(name) if own is None and isinstance(value, Mapping) else own
    return value


@dataclass(frozen=True)
class AnswerForm:
    """Where an answer has its ids and its scores. An empty name: it has records of a caller."""

    name: str
    ids: Sequence[str]
    """Where hits may have their ids. The first that the first hit has counts."""
    scores: Sequence[str] = ()
    """The same of scores. A minus before it: it is a distance."""
    others: Sequence[str] = ()
    """Programs with the same form."""
    source: str = ""
    checked: str = ""
    """Whether the program was run, and in which version, or its documentation was read."""
    hits: str = ""
    """The path to the list of what was found. Empty: the answer is this list."""
    none_if: str = ""
    """A path that an answer has that leaves out the list since nothing was found."""
    beside: str = ""
    """A path that each answer has beside the list."""
    known_by_score: bool = False
    """Whether the score tells the form, since users name the id."""
    partial: Sequence[str] = ()
    """The paths to what says, if it is true or not 0, that hits may be missing."""
    error: str = ""
    """The path to the errors of an answer that is not complete."""
    groups: str = ""
    """A field of entries of the list that are groups of hits, and no hits."""
    batch: str = ""
    """The path to a list of answers, one for each query, or to a dict of them by query."""
    are_columns: bool = False
    """Whether the ids, and the scores, are a list for each of several queries."""
    may_be_distance: bool = False
    """Whether a score may be a distance, which only its order among the hits tells."""
    are_texts: bool = False
    """Whether scores are written as text."""
    part_of_id: str = ""
    """A pattern whose group is the part of an id that users know."""
    module: str = ""
    """The first part of the module of the class of objects. Empty: an answer has dicts."""
    type: str = ""
    may_be_paired: bool = False
    """Whether an object may be in a pair with its score."""

    @property
    def id(self) -> str:
        """The path to the id of a hit."""
        return self.ids[0]

    @property
    def score(self) -> str:
        """The path to the score of a hit. Empty: there is none."""
        return self.scores[0].lstrip("-") if self.scores else ""

    @property
    def is_distance(self) -> bool:
        """Whether a smaller score is better."""
        return bool(self.scores) and self.scores[0].startswith("-")

    def is_of(self, value: Any) -> bool:
        """Return whether something is an object of the class, or of a derived one."""
        return _is_a(value, self.module, self.type)

    def value(self, hit: Any, path: str) -> Any:
        """Return what a hit has at a path; None: nothing."""
        path = path.lstrip("-")
        if self.module:
            return _attribute(hit, path)
        return at(hit, path) if isinstance(hit, Mapping) else None

    def there(self, hit: Any, paths: Sequence[str]) -> list[str]:
        """Return the first path at which a hit has something, in a list, or none."""
        return [path for path in paths if self.value(hit, path) is not None][:1]

    def hits_of(self, answer: Any) -> Any:
        """Return the list of what was found in an answer, or what is in its place."""
        if not self.hits:
            return answer
        if self.module:
            return _attribute(answer, self.hits) if self.is_of(answer) else MISSING
        if not isinstance(answer, Mapping):
            return MISSING
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
        hits = self.hits_of(answer) if self.hits else MISSING
        if not isinstance(hits, list) or (self.beside and at(answer, self.beside) is None):
            return False
        known = self.scores if self.known_by_score else self.ids
        return not hits or any(
            isinstance(hits[0], Mapping) and at(hits[0], path.lstrip("-"), MISSING) is not MISSING
            for path in known
        )

    def of_hit(self, hit: Any) -> AnswerForm:
        """Return the form with the paths that a hit has."""
        ids, scores = self.there(hit, self.ids), self.there(hit, self.scores)
        return replace(self, ids=ids or self.ids[:1], scores=scores or self.scores[:1])

    def named(self, item: str | None, score: str | None) -> AnswerForm:
        """Return the form with the fields that a caller names."""
        named = [path for path in self.scores if path.lstrip("-") == score] or [score or ""]
        ids = self.ids if item is None else (item,)
        return replace(self, ids=ids, scores=self.scores if score is None else named)

    def __str__(self) -> str:
        path = f"{self.hits}[]." if self.hits else ""
        fields = ", ".join([f"{path}{self.id}", *[self.score] * bool(self.score)])
        names = " and ".join(map(possessive, dict.fromkeys([self.name, *self.others])))
        return f"{fields}: {names} {self.type or 'answer'}" if self.name else fields


@cache
def forms_of_dicts() -> tuple[AnswerForm, ...]:
    """Return the forms of answers of JSON."""
    return tuple(AnswerForm(**row) for row in content()["answer"])


@cache
def forms_of_objects() -> tuple[AnswerForm, ...]:
    """Return the forms of answers with objects of Python."""
    return tuple(AnswerForm(**row) for row in content()["object"])


class AnswerWrapper(NamedTuple):
    """A class of objects that have an answer of JSON in an attribute, or that are a list."""

    name: str
    source: str
    module: str
    type: str
    body: str
    """The attribute, or the method that returns the answer. Empty: the object is a list."""
    checked: str = ""


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
    for wrapper in wrappers():
        if _is_a(value, wrapper.module, wrapper.type):
            body = getattr(value, wrapper.body) if wrapper.body else list(value)
            return body() if callable(body) else body
    return value


class WrongAnswerError(Exception):
    """An answer has not the form of the first one, or one of its hits is wrong."""

    def __init__(self, number: int | None, expected: str, got: str, code: str = "") -> None:
        super().__init__(expected)
        self.number, self.expected, self.got, self.code = number, expected, got, code


class UnpackedAnswers(NamedTuple):
    """What was retrieved for each query."""

    ids: list[list[Any]]
    scores: list[list[Any]] | None
    """None: no answer has any, and the order counts."""
    note: str


def answers_by_query(retrieved: Any) -> Mapping[Any, Any] | None:
    """Return the answers by the ids of queries that are in one answer; None: it has none."""
    retrieved = _unwrapped(retrieved)
    for form in forms_of_dicts() if isinstance(retrieved, Mapping) else ():
        found = at(retrieved, form.batch) if form.batch else None
        if isinstance(found, Mapping) and any(map(form.fits, found.values())):
            failed = at(retrieved, form.error) if form.error else None
            # One that has failed is no answer. It gets an error when it is read.
            return {**found, **failed} if isinstance(failed, Mapping) else found
    return None


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
            pairs = list(zip(ids, numbers, strict=True))
            for number, (own, score) in enumerate(pairs):
                if score is not None and not (isinstance(score, list) and len(score) == len(own)):
                    expected = f"an answer with a list of {form.score} as long as its {form.id}"
                    got = f"{describe(score)} beside {describe(own)}"
                    raise WrongAnswerError(number, expected, got)
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


def form_of_answers(
    rows: list[Any], item: str | None = None, score: str | None = None
) -> AnswerForm | None:
    """Return the form of the first answer that has hits; None: it is none that is known.

    `item` and `score` are the fields of hits that a caller names.
    """
    of_empty = None
    for number, first in enumerate(map(_unwrapped, rows)):
        if first is None or (hasattr(first, "__len__") and len(first) == 0):
            continue
        form = _form_of(first, number, item, score)
        if form is None or form.are_columns:
            return form and form.named(item, score)
        hits = form.hits_of(first)
        if isinstance(hits, (list, tuple)) and hits:
            is_pair = form.may_be_paired and type(hits[0]) is tuple
            return form.named(item, score).of_hit(hits[0][0] if is_pair else hits[0])
        of_empty = of_empty or form.named(item, score)
    return of_empty


def unpacked(
    rows: list[Any],
    item: str | None = None,
    score: str | None = None,
    judged: Iterable[Any] = (),
) -> UnpackedAnswers | None:
    """Return what is in the answers to all queries; None: their form is none that is known.

    `item` and `score` are the fields of hits that a caller names. If the first judged id has the
    form of those in the answers, these are not shortened.
    """
    form = form_of_answers(rows, item, score)
    if form is None:
        return None
    ids: list[list[Any]] = []
    scores: list[list[Any] | None] = []
    for number, row in enumerate(rows):
        own_ids, own_scores = _read(_unwrapped(row), form, number)
        ids.append(own_ids)
        scores.append(own_scores)
    ids, of_ids = _as_judged(ids, "" if item else form.part_of_id, judged)
    note = f"{form}{of_ids}"
    if not any(scores):
        return UnpackedAnswers(ids, None, note + _note_of_partial(rows, form))
    scores, of_scores = _falling(scores, form)
    note += of_scores + _note_of_partial(rows, form)
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


def _as_judged(
    ids: list[list[Any]], part_of_id: str, judged: Iterable[Any]
) -> tuple[list[list[Any]], str]:
    """Return ids in the form of the first judged one, and a note if they are not.

    UUIDs become text, and whole ids the part that users know, which is the group of a pattern.
    """
    kinds = set(map(type, chain.from_iterable(ids)))
    are_uuids = bool(kinds) and all(issubclass(kind, UUID) for kind in kinds)
    first = next(iter(judged), None) if are_uuids or part_of_id else None
    if are_uuids and isinstance(first, str):
        return [[*map(str, row)] for row in ids], "; the UUIDs are read as text"
    whole = re.compile(part_of_id)
    if not part_of_id or (isinstance(first, str) and whole.fullmatch(first)):
        return ids, ""
    texts = {own for own in chain.from_iterable(ids) if isinstance(own, str)}
    part_of = {own: found[1] for own in sorted(texts) if (found := whole.fullmatch(own))}
    if not part_of:
        return ids, ""
    of_part: dict[str, str] = {}
    for own, part in part_of.items():
        if of_part.setdefault(part, own) != own:
            got = f"{show_id(of_part[part])} and {show_id(own)}"
            raise WrongAnswerError(None, "answers with ids whose last parts differ", got)
    own = next(iter(part_of))
    note = f"; of ids such as {show_id(own)} the part {show_id(part_of[own])} counts"
    return [[part_of.get(own, own) for own in row] for row in ids], note


def _falling(
    scores: list[list[Any] | None], form: AnswerForm
) -> tuple[list[list[Any] | None], str]:
    """Return scores of which the highest is the best, and what was said about distances."""
    if form.is_distance:
        note = ", in which smaller is better, so that each score is minus the distance"
        return [
            own and [-number if isinstance(number, Real) else number for number in own]
            for own in scores
        ], note
    is_named = is_distance(form.score.rpartition(".")[2])
    rising = next((number for number, own in enumerate(scores) if _rise(own)), None)
    may_be = is_named or (form.may_be_distance and rising is not None)
    if not may_be or not all(are_real(own or ()) for own in scores):
        return scores, ""
    length = [len(own or ()) for own in scores]
    query = np.repeat(np.arange(len(scores)), length)
    numbers = np.array([*chain.from_iterable(own or () for own in scores)])

    def refuse(expected: str, got: str, code: str) -> InvalidParameterError:
        code += " Ids alone have no numbers, and their order counts."
        raise WrongAnswerError(rising, f"answers with {expected}", got, code)

    falling, note = order_of_distances(form.score or "score", numbers, query, refuse)
    rows = np.split(falling, np.cumsum(length)[:-1])
    return [own and row.tolist() for own, row in zip(scores, rows, strict=True)], f"; {note}"


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


def _form_of(first: Any, number: int, item: str | None, score: str | None) -> AnswerForm | None:
    """Return the form of the first answer; None: it is not known."""
    if isinstance(first, Mapping):
        fitting = [form for form in forms_of_dicts() if form.fits(first)]
        if len(fitting) > 1:
            pairs = [(form, [] if form.are_columns else form.hits_of(first)) for form in fitting]
            if not any(hits for _, hits in pairs):
                return fitting[0]
            scored = [form for form, hits in pairs if hits and form.there(hits[0], form.scores)]
            fitting = scored or fitting
        if len(fitting) > 1:
            got = " and ".join(map(str, fitting))
            raise WrongAnswerError(number, "an answer of only one form that is known", got)
        return fitting[0] if fitting else None
    if isinstance(first, (list, tuple)):
        entry = first[0]
        if type(entry) in _PLAIN:
            return None
        entry = entry[0] if type(entry) is tuple and entry else entry
        of_class = (form for form in forms_of_objects() if not form.hits and form.is_of(entry))
        form = next(of_class, None)
        if form is None and isinstance(first[0], Mapping):
            return _form_of_hit(first[0], item, score)
        return form
    return next((form for form in forms_of_objects() if form.hits and form.is_of(first)), None)


_PLAIN = (str, int, float, list)


def _form_of_hit(hit: Mapping[Any, Any], item: str | None, score: str | None) -> AnswerForm | None:
    """Return the form of hits that are not in an answer; None: they are records of a caller.

    Records with a distance and without a score have a form, since their order tells what it is.
    """
    known = {path for form in forms_of_dicts() for path in form.scores}
    named = [score] if score else [name for name in hit if f"-{name}" not in known]
    distances = [name for name in named if is_distance(str(name).rpartition(".")[2])]
    own_id = item or "id"
    has_own_id = at(hit, own_id, MISSING) is not MISSING
    if has_own_id and distances and (score or "score" not in hit):
        return AnswerForm("", (own_id,), (distances[0],))
    if (score and item) or (has_own_id and "score" in hit):
        return None
    answers = [replace(form, hits="") for form in forms_of_dicts() if not form.are_columns]
    tables = [
        AnswerForm(project.name, (project.item,), (project.score,), project.others)
        for project in projects()[1:-1]
    ]
    forms = (*answers, *tables)
    fitting = [form for form in forms if form.there(hit, form.ids)]
    scored = [form for form in fitting if form.there(hit, form.scores)]
    scored = scored or [
        form for form in forms if (item or form.known_by_score) and form.there(hit, form.scores)
    ]
    if has_own_id and not scored:
        return None
    return next(iter(scored or fitting), None)


def _read(row: Any, form: AnswerForm, number: int) -> tuple[list[Any], list[Any] | None]:
    """Return the ids and the scores of one answer; None: its order counts."""
    if row is None:
        return [], []
    hits: Any = MISSING if form.are_columns else form.hits_of(row)
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
        path, score, are_plain = form.id, form.score, False
        if not (form.module or form.are_texts or "." in path + score):  # it is much faster
            found = [hit for hit in hits if type(hit) is dict]
            ids, numbers = [hit.get(path) for hit in found], [hit.get(score) for hit in found]
            are_plain = len(ids) == len(hits) and {NoneType, list}.isdisjoint(map(type, ids))
        if not are_plain:
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
    is_one = not form.module or form.hits or form.is_of(found)
    own_id = form.value(found, form.id) if is_one else None
    if isinstance(own_id, list) and len(own_id) == 1:  # as Elasticsearch has `fields`
        [own_id] = own_id
    if own_id is None:
        got = _shown(hit) if isinstance(hit, Mapping) else describe(hit)
        raise WrongAnswerError(number, f"hits with an id, {form}", got)
    if form.score:
        score = form.value(found, form.score)
    if form.are_texts and isinstance(score, str):
        with suppress(ValueError):
            score = float(score)
    return own_id, score


def _rise(scores: Sequence[Any] | None) -> bool:
    """Return whether some score is higher than the one before."""
    scores = scores or ()
    return are_real(scores) and [*scores] != sorted(scores, reverse=True)


def are_real(numbers: Iterable[Any]) -> bool:
    """Return whether all are numbers that can be compared. The others get an error later."""
    return all(issubclass(kind, Real) for kind in set(map(type, numbers)))


# --- judgments ----------------------------------------------------------------------------------


class KnownJudgments(NamedTuple):
    """The judgments in an object of a search engine."""

    by_query: dict[Any, dict[Any, Any]]
    """The labels of the items of each query."""
    note: str


def judgments_in(judged: Any) -> KnownJudgments | None:
    """Return the judgments in what a search engine takes or returns; None: it is nothing such.

    Raise a `WrongAnswerError` if a query or an item is there twice, or something is missing.
    """
    judged = _unwrapped(judged)
    for form in content()["judgments"] if isinstance(judged, Mapping) else ():
        queries, ratings = at(judged, form["queries"]), form["ratings"]
        if not isinstance(queries, list) or not queries:
            continue
        lists = [query.get(ratings) if isinstance(query, Mapping) else None for query in queries]
        if all(isinstance(own, list) and {*map(type, own)} <= {dict} for own in lists):
            note = f"{form['queries']}[].{ratings}[].{form['id']}, {form['label']}: "
            note += f"{possessive(form['name'])} judgments"
            return KnownJudgments(_labels_in(queries, form, note), note)
    return None


def _labels_in(
    queries: list[dict[str, Any]], form: dict[str, str], note: str
) -> dict[Any, dict[Any, Any]]:
    """Return the labels of the items of each query."""

    def add(to: dict[Any, Any], record: dict[str, Any], field: str, value: Any) -> Any:
        key = record.get(field)
        is_id = key is not None and isinstance(key, Hashable)
        if not is_id or value is None or key in to:
            got = f"{show_id(key)} more than once" if is_id and key in to else _shown(record)
            raise WrongAnswerError(None, f"judgments with each id once in {field!r}, {note}", got)
        to[key] = value
        return value

    found: dict[Any, dict[Any, Any]] = {}
    for query in queries:
        labels = add(found, query, form["query"], {})
        for item in query[form["ratings"]]:
            label = item.get(form["label"])
            with suppress(ValueError):  # OpenSearch writes numbers as text
                label = float(label) if isinstance(label, str) else label
            add(labels, item, form["id"], label)
    return found
