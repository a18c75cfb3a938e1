"""Lists of ids, one for each query, as the entries of tables.

The lists of all queries become one column, without a loop over the queries. Then they are joined
as tables are. If only the first ranks count, only the first places of lists are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import partial
from itertools import chain
from math import lgamma, log
from numbers import Real
from operator import methodcaller
from types import NoneType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    LIBRARIES,
    Indexes,
    Place,
    check_utf8,
    count_queries,
    describe,
    invalid,
    library_of,
    show_id,
    show_names,
    warn_caller,
    with_parts,
)
from ranking_scores._queries import flatten, is_list_column
from ranking_scores._tables._answers import MISSING, WrongAnswerError, answers_in, at, unpacked
from ranking_scores._tables._columns import (
    Column,
    IdColumn,
    Positions,
    cut_ids,
    join_ids,
    read_ids,
    read_numbers,
)
from ranking_scores._tables._join import JoinSide, are_at_first_ranks
from ranking_scores._tables._known_names import label_names
from ranking_scores.exceptions import InvalidParameterError

_EACH = {
    "relevant": "a list of ids or a dict of ids and grades for each query",
    "retrieved": "a list of ids, perhaps with scores, or a dict of ids and scores for each query",
    "scores": "a list of scores for each query",
    "aspects": "a dict of aspects for each query, each with a list of ids or a dict of ids and "
    "grades",
    "weights": "a dict of aspects and weights for each query",
    "aspect": "a list of ids or a dict of ids and grades for each aspect",
    "ids": "a list of ids for each query",
    "distances": "a list of distances for each query",
}
"""What the lists of each role are, for error messages."""
_IN_LISTS, _IN_KEYS = "lists that have", "a dict whose keys have"


class RecordFields(NamedTuple):
    """The names of the fields of records in lists. Names with dots reach into records."""

    id: str
    numbers: tuple[str, ...]
    """The fields that may have the grade or the score. The first that a record has counts."""
    is_asked: bool = False
    """Whether the caller has named the number, so that a record must have it."""
    id_of: Callable[[Any], Any] | None = None
    """What makes an id of what a list has; None: it is one."""
    number_of: Callable[[Any], Any] | None = None
    """What makes a number of what a list has; None: it is one."""

    @property
    def are_as_given(self) -> bool:
        """Whether ids and numbers are those of the lists, unchanged and unchecked."""
        return not (self.is_asked or self.id_of or self.number_of)


GRADE, SCORE = ("grade", "label"), ("score",)
"""The fields of records with the grade of a relevant item, or the score of a retrieved one."""
DICTS_OF_ASPECTS = "With aspects=True, each query has a dict of aspects."
"""The advice if what should be grades are lists or dicts of items."""
_PAIRS = (Mapping, list, tuple)
"""The types of entries that may have a number."""
_GRADES, _SCORES = RecordFields("id", GRADE), RecordFields("id", SCORE)
ORDER_OF_OTHERS = "the order of the others counts"
"""The end of the note about lists of which only some have scores."""
_LIKE_SCORES = ("score", "scores", "similarity", "relevance")
"""Names of fields, in lower case, that are likely to have the scores of retrieved items."""


class ListsByQuery(NamedTuple):
    """A parameter that has a list or a dict of items for each query."""

    role: str
    """Whether it is what is "relevant" or "retrieved", or the "scores" of the latter. In "aspects"
    it has a dict of what is relevant to each "aspect", and in "aspect" these are its queries."""
    parameter: str
    function: str
    queries: list[Any] | None
    """The ids of the queries; None: they are numbered."""
    rows: Any
    """A list of lists or of dicts, a 2-D array, or a column of lists."""

    def invalid(
        self, expected: str, got: str, code: str = "", number: int | None = None
    ) -> InvalidParameterError:
        """Return the error about the parameter, perhaps about the list of one query."""
        query = None if number is None else self.query_at(number)
        place = Place(query=query, query_is="id")
        return invalid(self.parameter, self.function, expected, got, code=code, place=place)

    def query_at(self, number: int) -> Any:
        """Return the id of a query."""
        return number if self.queries is None else self.queries[number]

    def queries_alone(self) -> JoinSide:
        """Return the queries, one row for each."""
        query = Column(self.queries, None, self.parameter, self.function, _IN_KEYS)
        number = np.arange(len(self.rows))
        ids = IdColumn(number, number, "numbers") if self.queries is None else read_ids(query)
        return JoinSide({"query": query}, ids)

    def lengths(self) -> Positions:
        """Return the number of entries of each query, as far as they are easily counted."""
        if isinstance(self.rows, np.ndarray):
            return np.full(len(self.rows), self.rows.shape[1])
        if is_list_column(self.rows):
            return flatten(self.rows)[1]
        return np.fromiter((0 if row is None else len(row) for row in self.rows), np.intp)

    def first_places(self, depth: int) -> ListsByQuery | None:
        """Return the first places of each list; None: it has no order of places, or numbers."""
        rows = self.rows
        if isinstance(rows, np.ndarray):
            return self._replace(rows=rows[:, :depth])
        if is_list_column(rows) or any(isinstance(row, Mapping) for row in rows):
            return None
        return self._replace(rows=[_first_of(row, depth) for row in rows])

    def only(self, are_kept: NDArray[np.bool_]) -> ListsByQuery:
        """Return the same queries, some of them without their lists."""
        pairs = zip(self.rows, are_kept.tolist(), strict=True)
        return self._replace(rows=[row if is_kept else None for row, is_kept in pairs])


def _first_of(row: Any, depth: int) -> Any:
    """Return the first places of a list of any type, or None."""
    if isinstance(row, (list, tuple, np.ndarray)) or row is None:
        return row and row[:depth] if isinstance(row, (list, tuple)) else row
    return (row.tolist() if hasattr(row, "tolist") else list(row))[:depth]


class _ListEntries(NamedTuple):
    """The entries of all lists of a parameter, one list after the other."""

    lists: ListsByQuery
    values: Any
    numbers: list[Any] | None
    """The grades or scores in dicts."""
    length: Positions
    """The number of entries of each list."""
    query: Column
    query_ids: IdColumn

    def column(self, values: Any) -> Column:
        """Return values of all entries as a column."""
        return Column(values, None, self.lists.parameter, self.lists.function, _IN_LISTS)

    def are_plain(self) -> bool:
        """Return whether no entry may be a pair or a record that has a number."""
        if not isinstance(self.values, list):
            return True
        return not any(issubclass(kind, _PAIRS) for kind in set(map(type, self.values)))


def lists_of(values: Any, role: str, parameter: str, function: str) -> ListsByQuery:
    """Return what a caller passed as lists of some role."""
    check_utf8(values, partial(invalid, parameter, function))
    queries, rows = None, values
    if isinstance(values, Mapping):
        queries, rows = list(values), list(values.values())
    elif is_list_column(values) or (isinstance(values, np.ndarray) and values.ndim == 2):
        pass
    elif library_of(values) == "pandas" and values.ndim == 1:
        rows = values.astype(object).where(values.notna(), None).tolist()
    elif isinstance(values, np.ndarray) and values.dtype == object and values.ndim == 1:
        rows = values.tolist()
    elif isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        rows = list(values)
    else:
        expected = f"a sequence or a dict that has {_EACH[role]}"
        raise invalid(parameter, function, expected, describe(values))
    lists = ListsByQuery(role, parameter, function, queries, rows)
    types = set(map(type, rows)) if isinstance(rows, list) else set()
    if any(kind.__module__.partition(".")[0] in LIBRARIES for kind in types):
        for number, row in enumerate(rows):
            try:
                check_utf8(row, partial(invalid, parameter, function))
            except InvalidParameterError as error:
                place = Place(item=error.place.row, query=lists.query_at(number), query_is="id")
                raise with_parts(error, place=place) from None
    return lists


class JoinInput(NamedTuple):
    """Judgments and predictions as a caller has them: lists, or the columns of a table."""

    judged: ListsByQuery | JoinSide
    predicted: ListsByQuery | JoinSide
    scores: ListsByQuery | None = None
    """The scores of the predictions, if these are lists of ids."""
    split: str | None = None
    """The text that ends the ids of items; None: they are whole."""
    grades_in: RecordFields = _GRADES
    scores_in: RecordFields = _SCORES
    notes: tuple[str, ...] = ()
    """What the predictions were taken for, if they are answers of a known form."""

    def with_answers_unpacked(self) -> JoinInput:
        """Return the same with ids and scores, if the predictions are answers of a known form."""
        retrieved = self.predicted
        if not isinstance(retrieved, ListsByQuery) or not isinstance(retrieved.rows, list):
            return self
        try:
            found = unpacked(retrieved.rows)
        except WrongAnswerError as error:
            raise retrieved.invalid(error.expected, error.got, number=error.number) from error
        if found is None:
            return self
        scores = None
        if found.scores is not None:
            scores = retrieved._replace(role="scores", rows=found.scores)
        predicted = retrieved._replace(rows=found.ids)
        return self._replace(predicted=predicted, scores=scores, notes=(found.note,))

    def with_forms_noted(self) -> JoinInput:
        """Return the same with a note if some lists of the predictions have scores, and some not.

        The first entry of a list tells.
        """
        retrieved = self.predicted
        if self.scores is not None or not isinstance(retrieved, ListsByQuery):
            return self
        first = _first_entries(retrieved)
        if not any(issubclass(kind, _PAIRS) for kind in set(map(type, first))):
            return self
        judged = _first_entries(self.judged) if isinstance(self.judged, ListsByQuery) else []
        has_tuples = any(isinstance(entry, tuple) for entry in judged)
        n_scored = sum(
            _as_pair(entry, self.scores_in, lambda own: _is_pair(own, has_tuples))[1:] != (None,)
            for entry in first
        )
        if n_scored in (0, len(first)):
            return self
        note = f"scores in {n_scored} of {len(first)} lists; {ORDER_OF_OTHERS}"
        return self._replace(notes=(*self.notes, note))

    def only(self, are_kept: NDArray[np.bool_]) -> JoinInput:
        """Return the same queries, some of them without their predictions, which are lists."""
        lists = [own for own in (self.predicted, self.scores) if isinstance(own, ListsByQuery)]
        if are_kept.all() or not all(isinstance(own.rows, list) for own in lists):
            return self
        predicted, *scores = (own.only(are_kept) for own in lists)
        return self._replace(predicted=predicted, scores=scores[0] if scores else None)

    def queries(self) -> list[JoinSide]:
        """Return judgments and predictions with their queries alone."""
        return [self.judged.queries_alone(), self.predicted.queries_alone()]


def lists_given(
    relevant: Any, retrieved: Any, scores: Any, split: str | None, function: str
) -> JoinInput:
    """Return lists of relevant and of retrieved ids, checked as far as no entry is looked at."""
    given = {"relevant": relevant, "retrieved": retrieved}
    if scores is not None:
        given["scores"] = scores
    if split is not None and not (isinstance(split, str) and split):
        raise invalid("split", function, "a str that is not empty, or None", describe(split))
    if scores is None:
        given["retrieved"] = _without_batch(relevant, retrieved, function)
    lists = {name: lists_of(values, name, name, function) for name, values in given.items()}
    _check_alike(lists, given)
    found = JoinInput(lists["relevant"], lists["retrieved"], lists.get("scores"), split)
    found = found if scores is not None else found.with_answers_unpacked().with_forms_noted()
    for checked in (found.judged, found.predicted, found.scores):
        if isinstance(checked, ListsByQuery):
            _check_rows(checked)
    return found


def _without_batch(relevant: Any, retrieved: Any, function: str) -> Any:
    """Return the answers that are in one answer to several queries, or anything else unchanged."""
    is_by_query = isinstance(relevant, Mapping)
    are_dicts = is_by_query and isinstance(retrieved, Mapping)
    if are_dicts and not relevant.keys().isdisjoint(retrieved):  # it stops at the first in both
        return retrieved
    try:
        answers = answers_in(retrieved)
    except WrongAnswerError as error:
        raise invalid("retrieved", function, error.expected, error.got) from error
    if answers is not None and is_by_query:
        got = f"one answer, to {count_queries(len(answers))}"
        advice = "If the queries are in the same order, pass `list(relevant.values())`."
        expected = "a dict by the ids of queries, like relevant"
        raise invalid("retrieved", function, expected, got, advice)
    return retrieved if answers is None else answers


class AspectItems(NamedTuple):
    """The relevant items of all aspects, one aspect after the other."""

    values: list[Any]
    """The id of each item."""
    code: Positions
    """A number for each id, the same for the same id."""
    labels: NDArray[Any] | None
    """The grade of each item; None: all are relevant."""
    length: Positions
    """The number of items of each aspect."""


def items_of_aspects(lists: ListsByQuery, split: str | None) -> AspectItems:
    """Return the relevant items of aspects, which are the queries of the lists."""
    _check_rows(lists)  # Its errors name the aspects.
    entries = _entries_of(lists._replace(queries=None))._replace(lists=lists)
    with _places_in_lists({lists.parameter: entries}):
        side = _relevant_side(entries, _GRADES)
        column, ids = side.columns["item"], side.items()
        values = column.values.tolist() if hasattr(column.values, "tolist") else column.values
        if split is not None:
            ids = cut_ids(ids, split, column)
            values = [text.partition(split)[0] for text in values]
        labels = side.values() if "label" in side.columns else None
    _, place, _ = join_ids(ids, IdColumn(np.empty(0, np.intp), np.empty(0, object), ""))
    return AspectItems(values, ids.code_at(place), labels, entries.length)


@contextmanager
def sides_of(given: JoinInput, depth: int | None) -> Iterator[list[JoinSide]]:
    """Give judgments and predictions with their items, of which errors name the place in lists.

    Of lists of predictions, only what can be at the ranks up to `depth`; None: all.
    """
    judged, predicted, scores = given.judged, given.predicted, given.scores
    lists = {}
    if isinstance(judged, ListsByQuery):
        lists[judged.parameter] = _entries_of(judged)
    if isinstance(predicted, ListsByQuery):
        lists[predicted.parameter] = _entries_to(predicted, None if scores else depth)
    score_entries = None if scores is None else _entries_of(scores)
    if score_entries is not None:  # Ids and scores may be one parameter.
        lists.setdefault(score_entries.lists.parameter, score_entries)
    with _places_in_lists(lists):
        if isinstance(judged, ListsByQuery):
            relevant = lists[judged.parameter]
            types = set(map(type, relevant.values)) if isinstance(relevant.values, list) else set()
            has_tuples = any(issubclass(kind, tuple) for kind in types)
            judged_side = _relevant_side(relevant, given.grades_in)
        else:
            has_tuples, judged_side = False, judged
        if isinstance(predicted, ListsByQuery):
            retrieved = lists[predicted.parameter]
            predicted_side = _retrieved_side(
                retrieved, score_entries, given.scores_in, has_tuples, depth
            )
        else:
            predicted_side = predicted
        sides = [side._replace(item=side.items()) for side in (judged_side, predicted_side)]
        if has_tuples and sides[1].items().kind not in ("", sides[0].items().kind):
            code = "For grades, pass a dict of ids and grades for each query."
            got = "tuples, which are ids"
            raise relevant.lists.invalid("ids of the kind of those in retrieved", got, code)
        if given.split is not None:
            sides = [
                side._replace(item=cut_ids(side.items(), given.split, side.columns["item"]))
                for side in sides
            ]
        yield sides


def _check_alike(lists: dict[str, ListsByQuery], given: dict[str, Any]) -> None:
    """Raise unless all parameters are dicts, or all are sequences of one length."""
    relevant, *others = lists.values()
    if not len(relevant.rows):
        raise relevant.invalid("of at least one query", "none")
    indexes = Indexes(relevant.function, has_columns=False)
    indexes.check("relevant", given["relevant"])
    for other in others:
        if (other.queries is None) != (relevant.queries is None):
            expected = "a sequence" if relevant.queries is None else "a dict by the ids of queries"
            got = f"{describe(given[other.parameter])} beside {describe(given['relevant'])}"
            raise other.invalid(f"{expected}, like relevant", got)
        if other.queries is None and len(other.rows) != len(relevant.rows):
            expected = f"of {count_queries(len(relevant.rows))}, like relevant"
            raise other.invalid(expected, str(len(other.rows)))
        indexes.check(other.parameter, given[other.parameter])
    if "scores" in lists and relevant.queries is not None:
        scores, retrieved = lists["scores"], lists["retrieved"]
        if set(scores.queries or ()) != set(retrieved.queries or ()):
            got = describe(given["scores"])
            raise scores.invalid("a dict with the keys of retrieved", got)
        rows = [given["scores"][query] for query in retrieved.queries or ()]
        lists["scores"] = scores._replace(queries=retrieved.queries, rows=rows)


@contextmanager
def columns_of(parameters: Iterable[ListsByQuery]) -> Iterator[list[tuple[Column, Positions]]]:
    """Give all entries of each parameter as a column, and the length of each of its lists.

    Errors about the columns name the place in the list of a query.
    """
    entries = {lists.parameter: _entries_of(lists) for lists in parameters}
    with _places_in_lists(entries):
        yield [(own.column(own.values), own.length) for own in entries.values()]


def _entries_to(lists: ListsByQuery, depth: int | None) -> _ListEntries:
    """Return the entries at the places up to `depth`, or all if they may have numbers."""
    first = None if depth is None else lists.first_places(depth)
    if first is not None:
        entries = _entries_of(first)
        if entries.are_plain():
            return entries
    return _entries_of(lists)


def _entries_of(lists: ListsByQuery) -> _ListEntries:
    """Return the entries of all lists, with their queries."""
    values, numbers, length = _flatten(lists)
    columns, ids = lists.queries_alone()[:2]
    ids = ids._replace(code=np.repeat(ids.code, length))
    return _ListEntries(lists, values, numbers, length, columns["query"], ids)


def _flatten(lists: ListsByQuery) -> tuple[Any, list[Any] | None, Positions]:
    """Return the entries of all lists, the numbers in dicts, and the lengths."""
    rows = lists.rows
    if is_list_column(rows):
        entries, length = flatten(rows)
        dtype = getattr(entries, "type", None) or entries.dtype
        if str(dtype).lower().startswith("struct"):
            entries = entries.to_pylist() if hasattr(entries, "to_pylist") else entries.to_list()
        return entries, None, length
    if isinstance(rows, np.ndarray):
        return rows.reshape(-1), None, np.full(len(rows), rows.shape[1])
    are_dicts = _check_rows(lists)
    rows = [{} if row is None else row for row in rows]
    length = np.fromiter(map(len, rows), np.intp, len(rows))
    numbers = list(chain.from_iterable(map(methodcaller("values"), rows))) if are_dicts else None
    if any(hasattr(kind, "tolist") for kind in set(map(type, rows))):
        rows = [row.tolist() if hasattr(row, "tolist") else row for row in rows]
    return list(chain.from_iterable(rows)), numbers, length


def _check_rows(lists: ListsByQuery) -> bool:
    """Return whether each query has a dict, or raise if they do not have what they should."""
    rows = lists.rows
    if isinstance(rows, np.ndarray):
        if lists.role != "scores" and rows.dtype.kind == "i" and (rows == -1).any():
            code = "`retrieved_from_ids` takes ints with -1 for places without an item."
            if lists.role == "relevant":
                code = f"Pass `[row[row >= 0] for row in {lists.parameter}]`."
            raise lists.invalid("without -1, which is no id", "-1", code)
        return False
    if is_list_column(rows):
        return False
    types = set(map(type, lists.rows)) - {NoneType}
    dicts, sequences = set(), set()
    for kind in types:
        if issubclass(kind, Mapping):
            dicts.add(kind)
        elif _is_list(kind, lists.role):
            sequences.add(kind)
    may_be_dicts = lists.role in ("relevant", "aspect", "retrieved")
    wrong = types - sequences - (dicts if may_be_dicts else set())
    for number, row in enumerate(lists.rows) if wrong else ():
        if type(row) in wrong:
            is_one = number == 0 and lists.queries is None and not sequences | dicts
            code = f"For one query pass `[{lists.parameter}]`." if is_one else ""
            raise lists.invalid(_EACH[lists.role], describe(row), code, number)
    if dicts and sequences:
        one, other = (
            next(row for row in lists.rows if type(row) in kinds) for kinds in (dicts, sequences)
        )
        got = f"{describe(one)} beside {describe(other)}"
        raise lists.invalid("lists for all queries, or dicts for all", got)
    if dicts and lists.role == "relevant":
        number, row = next((pair for pair in enumerate(lists.rows) if pair[1]), (0, {}))
        grade = next(iter(row.values()), None)
        if isinstance(grade, (*_PAIRS, Set)):
            got = f"a dict with {describe(grade)}"
            raise lists.invalid(_EACH[lists.role], got, DICTS_OF_ASPECTS, number)
    return bool(dicts)


def _is_list(kind: type, role: str) -> bool:
    """Return whether objects of a type are lists. Only what is relevant needs no order."""
    is_sized = hasattr(kind, "__len__") and hasattr(kind, "__iter__")
    is_ordered = not issubclass(kind, Set) or role in ("relevant", "aspect")
    return is_sized and is_ordered and not issubclass(kind, (str, bytes))


def _relevant_side(entries: _ListEntries, fields: RecordFields) -> JoinSide:
    """Return the relevant items."""
    values, grades = _apart(entries, fields, lambda entry: type(entry) is list)
    columns = {"query": entries.query, "item": entries.column(values)}
    if grades is not None:
        columns["label"] = entries.column(grades)
    return JoinSide(columns, entries.query_ids)


def _retrieved_side(
    entries: _ListEntries,
    score_entries: _ListEntries | None,
    fields: RecordFields,
    has_tuples: bool,
    depth: int | None,
) -> JoinSide:
    """Return the retrieved items that can be at the ranks up to `depth`; None: all.

    If ids are tuples, a pair is one whose first element is.
    """
    values, scores = _apart(entries, fields, lambda entry: _is_pair(entry, has_tuples))
    length = entries.length
    score = entries.column(scores)
    if score_entries is not None:
        if scores is not None:
            expected, got = "None, since retrieved has scores", describe(score_entries.lists.rows)
            raise score_entries.lists.invalid(expected, got)
        if not np.array_equal(length, score_entries.length):
            number = int(np.argmax(length != score_entries.length))
            got = f"{score_entries.length[number]} scores of {length[number]} items"
            expected = "as long as the lists of retrieved"
            raise score_entries.lists.invalid(expected, got, number=number)
        score = score_entries.column(score_entries.values)
    elif scores is None or None in scores:
        # The first of a list has the score -1, as if its rank was 1.
        position = np.repeat(np.cumsum(length) - length, length)
        position -= np.arange(1, position.size + 1)
        if scores is None:
            score = entries.column(position)
        else:
            score = entries.column(_by_own_form(score, position, length))
    columns = {"query": entries.query, "item": entries.column(values), "score": score}
    side = JoinSide(columns, entries.query_ids)
    if depth is None or not length.size or length.max() <= depth:
        return side
    are_kept = are_at_first_ranks(side.query.code, side.values(), depth)
    return side.at(np.flatnonzero(are_kept))


def _is_pair(entry: Any, has_tuples: bool) -> bool:
    """Return whether a list or a tuple is a pair of an id and a score. Ids may be tuples."""
    is_id = has_tuples and not isinstance(next(iter(entry), None), tuple)
    return type(entry) is list or not is_id


def _first_entries(lists: ListsByQuery) -> list[Any]:
    """Return the first entry of each list that has one. Dicts and columns of lists have none."""
    rows = lists.rows if isinstance(lists.rows, list) else []
    return [row[0] for row in rows if isinstance(row, (list, tuple)) and row]


def _apart(
    entries: _ListEntries, fields: RecordFields, is_pair: Callable[[Any], bool]
) -> tuple[Any, list[Any] | None]:
    """Return the ids and the numbers of entries. None: they are only ids."""
    ids, numbers = entries.values, entries.numbers
    if numbers is None and not entries.are_plain():
        pairs = [_as_pair(entry, fields, is_pair) for entry in ids]
        for row, pair in enumerate(pairs):
            if len(pair) != 2 or pair[0] is MISSING:
                expected = "ids, pairs of an id and a number, or records with "
                expected += show_id(fields.id)
                got, place = describe(ids[row]), Place(row=row)
                raise entries.column(ids).invalid(expected, got, place=place)
        ids, numbers = ([pair[place] for pair in pairs] for place in (0, 1))
        if set(map(type, numbers)) == {NoneType}:
            _check_no_number(entries.lists, entries.values, fields)
            numbers = None
    elif numbers is None and fields.is_asked and len(ids):
        got = f"ids alone, such as {describe(ids[0])}"
        raise entries.lists.invalid(f"records with {show_id(fields.numbers[0])}", got)
    if fields.id_of is not None:
        ids = list(map(fields.id_of, ids))
    if fields.number_of is not None and numbers is not None:
        numbers = list(map(fields.number_of, numbers))
    return ids, numbers


def _as_pair(entry: Any, fields: RecordFields, is_pair: Callable[[Any], bool]) -> Sequence[Any]:
    """Return the id and the number of an entry, perhaps `MISSING` and None."""
    if isinstance(entry, Mapping):
        return at(entry, fields.id, MISSING), number_in(entry, fields)
    return entry if isinstance(entry, (list, tuple)) and is_pair(entry) else (entry, None)


def number_in(record: Mapping[str, Any], fields: RecordFields) -> Any:
    """Return the grade or the score of a record, or None."""
    found = (at(record, name, MISSING) for name in fields.numbers)
    return next((number for number in found if number is not MISSING), None)


def _check_no_number(lists: ListsByQuery, values: Sequence[Any], fields: RecordFields) -> None:
    """Raise if records without a number should have one, or have one in another field."""
    names = dict.fromkeys(
        name for record in values if isinstance(record, Mapping) for name in record
    )
    is_there = any(name.partition(".")[0] in names for name in fields.numbers)
    likely = _LIKE_SCORES if lists.role == "retrieved" else (*label_names(), "score")
    like = [name for name in names if str(name).casefold() in likely]
    if names and not is_there and (fields.is_asked or like):
        expected = f"records with {show_id(fields.numbers[0])}"
        raise lists.invalid(expected, f"records with {show_names(names)}")


def _by_own_form(score: Column, position: Positions, length: Positions) -> list[Any]:
    """Return the scores of lists, and the positions in those that have not a score in each place.

    Raise if scores that only some entries of a list have contradict its order.
    """
    query = np.repeat(np.arange(length.size), length)
    is_none = np.fromiter((value is None for value in score.values), bool, query.size)
    has_gap = (np.bincount(query[is_none], minlength=length.size) > 0)[query]
    numbers = read_numbers(score)
    values, row = numbers.values, cast(Positions, numbers.row)
    rises = (values[1:] > values[:-1]) & (np.diff(query[row]) == 0) & has_gap[row[1:]]
    if rises.any():
        first = int(np.argmax(rises)) + 1
        expected = "a score in each place, or scores that do not rise"
        place = Place(row=int(row[first]))
        raise score.invalid(expected, str(values[first]), place=place)
    return [
        place if is_by_place else own
        for place, own, is_by_place in zip(
            position.tolist(), score.values, has_gap.tolist(), strict=True
        )
    ]


@contextmanager
def _places_in_lists(lists: dict[str, _ListEntries]) -> Iterator[None]:
    """Let errors name the place in the list of a query instead of a row."""
    try:
        yield
    except InvalidParameterError as error:
        place = error.place
        if place.row is not None and error.parameter in lists:
            entries = lists[error.parameter]
            stop = np.cumsum(entries.length)
            number = int(np.searchsorted(stop, place.row, side="right"))
            position = int(place.row - stop[number] + entries.length[number])
            query = entries.lists.query_at(number)
            place = Place(position=position, query=query, query_is="id")
        raise with_parts(error, place=place) from error.__cause__


# --- scores that rise ---------------------------------------------------------------------------


_CHANCE = 0.05
"""Lists are suspect if the scores of lists in no order would rise less often than this."""


def warn_if_rising(lists: Iterable[NDArray[Any]], function: str) -> None:
    """Warn if scores rise in every list, where that can hardly be chance."""
    log_of_chance = 0.0
    for scores in lists:
        if not (scores[1:] >= scores[:-1]).all():  # It is mostly the first list.
            return
        n_rises = np.count_nonzero(scores[1:] > scores[:-1])
        log_of_chance -= lgamma(n_rises + 2)  # Equal scores count as one.
    if log_of_chance < log(_CHANCE):
        warn_caller(
            f"The scores of {function} rise from the first item to the last in every list. The "
            "item with the highest score ranks first, so the last ones do. If the best items come "
            "first and the scores are distances, pass `-score`, or the ids alone. If the best "
            "items come last, reverse the lists.",
            UserWarning,
        )


def scores_of_lists(predicted: ListsByQuery, given: JoinInput) -> Iterator[NDArray[Any]]:
    """Yield the scores of one list of predictions after the other, up to one without numbers.

    Dicts have no order of their own.
    """
    rows = predicted.rows if given.scores is None else given.scores.rows
    if given.scores is None:
        judged = given.judged.rows if isinstance(given.judged, ListsByQuery) else []
        first_id = next(chain.from_iterable(map(_as_list, judged)), None)
        if isinstance(first_id, tuple):  # Any tuple may be an id, and no pair.
            return
    for row in map(_as_list, rows):
        scores = [_score_of(entry, given) for entry in row] if given.scores is None else row
        if not all(isinstance(score, Real) for score in scores):
            return
        yield np.array(scores)


def _as_list(row: Any) -> Any:
    """Return a list of any library as one that can be iterated; a dict has no order."""
    if row is None or isinstance(row, Mapping):
        return [] if row is None else [None]
    return row.as_py() if hasattr(row, "as_py") else row


def _score_of(entry: Any, given: JoinInput) -> Any:
    """Return the score of an entry, or None."""
    if isinstance(entry, Mapping):
        return number_in(entry, given.scores_in)
    return entry[1] if isinstance(entry, (list, tuple)) and len(entry) == 2 else None
