"""Lists of ids, one for each query, as the entries of tables.

The lists of all queries become one column, without a loop over the queries. Then they are joined
as tables are. If only the first ranks count, only the first places of lists are looked at.

In some collections the queries are documents, too, and a system finds each of them first. Such
predictions may be dropped, from tables as well, as if they had not been retrieved. What is dropped
is known before any score is called, so all ids are read at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, compress, islice, pairwise
from math import lgamma, log
from operator import itemgetter, methodcaller
from types import NoneType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import (
    Place,
    invalid,
    show_id,
    show_names,
    warn_caller,
    with_parts,
)
from ranking_scores._base._ids import LIBRARIES, as_objects, library_of
from ranking_scores._base._index import Indexes
from ranking_scores._base._packed_text import PackedText, packed_rows
from ranking_scores._base._results import count_queries
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import describe
from ranking_scores._queries._data import is_list_column
from ranking_scores._queries._lists import flatten
from ranking_scores._tables._answers import (
    MISSING,
    WrongAnswerError,
    answers_by_query,
    answers_in,
    are_real,
    at,
    judgments_in,
    unpacked,
)
from ranking_scores._tables._columns import (
    Column,
    IdColumn,
    Positions,
    check_not_masked,
    check_sample,
    in_python,
    join_ids,
    places_in_lists,
    read_ids,
    read_numbers,
    sample_of,
    unique_ids,
    with_gains,
)
from ranking_scores._tables._cut_ids import IdCut
from ranking_scores._tables._join import JoinSide, alike, are_at_first_ranks, moved_up, read_values
from ranking_scores._tables._known_names import label_names
from ranking_scores.exceptions import InvalidParameterError

_EACH = {
    "relevant": "a list of ids or a dict of ids and grades for each query",
    "retrieved": "a list of ids, perhaps with scores, or a dict of ids and scores for each query",
    "item_scores": "a list of scores for each query",
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
    gains: Mapping[Any, Any] | None = None
    """The number of each label; None: labels are numbers."""


GRADE, SCORE = ("grade", "label"), ("score",)
"""The fields of records with the grade of a relevant item, or the score of a retrieved one."""
DICTS_OF_ASPECTS = "With aspects=True, each query has a dict of aspects."
"""The advice if what should be grades are lists or dicts of items."""
NAME_THE_GRADE = "Rename the field of grades, or pass a dict of ids and grades for each query."
NAME_THE_NUMBER = "Rename the field of scores, or pass the ids alone, the best first."
"""The advice if records may have a number in a field with another name."""
_PAIRS = (Mapping, list, tuple)
"""The types of entries that may have a number."""
_GRADES, _SCORES = RecordFields("id", GRADE), RecordFields("id", SCORE)
_FORM_OF_DICTS, _FORM_OF_PAIRS = "dicts of ids and scores", "ids with scores"
ORDER_OF_OTHERS = "the order of the others counts"
"""The end of the note about lists of which only some have scores."""
_LIKE_SCORES = ("score", "scores", "similarity", "relevance")
"""Names of fields, in lower case, that are likely to have the scores of retrieved items."""


class ListsByQuery(NamedTuple):
    """A parameter that has a list or a dict of items for each query."""

    role: str
    """Whether it is what is "relevant" or "retrieved", or the "item_scores" of the latter. In
    "aspects" it has a dict of what is relevant to each "aspect", and in "aspect" these are its
    queries."""
    parameter: str
    function: str
    queries: list[Any] | None
    """The ids of the queries; None: they are numbered."""
    rows: Any
    """A list of lists or of dicts, a 2-D array, or a column of lists."""
    note: str = ""
    """What the values of the caller were taken for. Empty: for what they are."""
    sample: Any = None
    """The `sample_of` the rows when they were passed; None: nobody changes them."""

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

    def kept(self) -> ListsByQuery:
        """Return the same with what tells whether the caller changes the lists."""
        return self if is_list_column(self.rows) else self._replace(sample=sample_of(self.rows))

    def check_sample(self) -> None:
        """Raise if the caller has changed the lists."""
        if self.sample is not None:
            check_sample(self.sample, self.rows, self.invalid, self.parameter)

    def in_order_of(self, first: ListsByQuery) -> ListsByQuery:
        """Return the lists in the order of another parameter. Raise if its queries are others."""
        if first.queries is None:
            return self
        own = dict(zip(self.queries or (), self.rows, strict=True))
        absent = [query for query in first.queries if query not in own]
        if absent or len(own) != len(first.queries):
            got = f"{len(own)} instead of {count_queries(len(first.queries))}"
            if absent:
                got = f"{count_queries(len(own))}, without {show_id(absent[0])}"
            raise self.invalid(f"a dict with the keys of {first.parameter}", got)
        return self._replace(queries=first.queries, rows=[own[query] for query in first.queries])

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
        return self._replace(rows=[list(islice(in_python(row), depth)) for row in rows])

    def only(self, are_kept: NDArray[np.bool_]) -> ListsByQuery:
        """Return the same queries, some of them without their lists."""
        pairs = zip(self.rows, are_kept.tolist(), strict=True)
        return self._replace(rows=[row if is_kept else None for row, is_kept in pairs])


_Types = type | tuple[type, ...]


def _has_any(values: Iterable[Any], kinds: _Types) -> bool:
    """Return whether some value is of one of some types."""
    return any(issubclass(kind, kinds) for kind in set(map(type, values)))


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

    def has_any(self, kinds: _Types) -> bool:
        """Return whether some entry is of one of some types."""
        return isinstance(self.values, list) and _has_any(self.values, kinds)


def lists_of(values: Any, role: str, parameter: str, function: str) -> ListsByQuery:
    """Return what a caller passed as lists of some role."""
    note = ""
    if role == "relevant":
        with errors_of_answers(parameter, function):
            known = judgments_in(values)
        values, note = (values, "") if known is None else known
    elif role == "retrieved":
        values = answers_by_query(values) or values
    queries = list(values) if isinstance(values, Mapping) else None
    if queries is not None:
        rows = list(values.values())
    elif isinstance(values, (list, tuple)):
        rows = list(values)
    else:
        rows = _rows_of_column(values, role, parameter, function)
    types = set(map(type, rows)) if isinstance(rows, list) else set()
    for each in rows if np.ma.MaskedArray in types else [rows]:
        check_not_masked(each, parameter, function)
    if role == "relevant" and any(issubclass(kind, str) for kind in types):
        n_single = sum(isinstance(row, str) for row in rows)
        rows, note = ids_in_lists(rows), f"one id as text in {n_single} of {len(rows)} queries"
    if role == "retrieved" and any(hasattr(kind, "columns") for kind in types):
        rows = [_records_of(row) if hasattr(row, "columns") else row for row in rows]
    lists = ListsByQuery(role, parameter, function, queries, rows, note)
    if not LIBRARIES.isdisjoint(kind.__module__.partition(".")[0] for kind in types):
        for number, row in enumerate(rows):
            try:
                check_utf8(row, partial(invalid, parameter, function))
            except InvalidParameterError as error:
                place = Place(item=error.place.row, query=lists.query_at(number), query_is="id")
                raise with_parts(error, place=place) from None
    if any(hasattr(kind, "tolist") for kind in types):
        lists = lists._replace(rows=list(map(in_python, rows)))
    return lists


def ids_in_lists(rows: Iterable[Any]) -> list[Any]:
    """Return rows of which each text is a list of one id."""
    rows = list(rows)
    return (
        [[row] if isinstance(row, str) else row for row in rows] if _has_any(rows, str) else rows
    )


def _records_of(frame: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame or of a table of one query."""
    for method in ("to_pylist", "to_dicts"):
        if hasattr(frame, method):
            return list(getattr(frame, method)())
    return list(frame.to_dict("records"))


@contextmanager
def errors_of_answers(
    parameter: str, function: str, lists: ListsByQuery | None = None
) -> Iterator[None]:
    """Let errors about answers and judgments of known forms name the parameter and the query."""
    try:
        yield
    except WrongAnswerError as error:
        place = Place()
        if lists is not None and error.number is not None:
            place = Place(query=lists.query_at(error.number), query_is="id")
        raise invalid(
            parameter, function, error.expected, error.got, code=error.code, place=place
        ) from error


def _rows_of_column(values: Any, role: str, parameter: str, function: str) -> Any:
    """Return an array or a column that has something for each query as `ListsByQuery` has it."""
    check_utf8(values, partial(invalid, parameter, function))
    if is_list_column(values) or (isinstance(values, np.ndarray) and values.ndim == 2):
        return values
    if library_of(values) == "pandas" and values.ndim == 1:
        return values.astype(object).where(values.notna(), None).tolist()
    if isinstance(values, np.ndarray) and values.dtype.kind in "OUT" and values.ndim == 1:
        return values.tolist()
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        return list(values)
    expected = f"a sequence or a dict that has {_EACH[role]}"
    is_table = isinstance(values, str) or hasattr(values, "columns")
    code = "`from_tables` joins tables, and what `trec.read_qrels` and `trec.read_run` read."
    raise invalid(parameter, function, expected, describe(values), code=code * is_table)


class JoinInput(NamedTuple):
    """Judgments and predictions as a caller has them: lists, or the columns of a table."""

    judged: ListsByQuery | JoinSide
    predicted: ListsByQuery | JoinSide
    scores: ListsByQuery | None = None
    """The scores of the predictions, if these are lists of ids."""
    split: IdCut | None = None
    """How the ids of items are cut; None: they are whole."""
    grades_in: RecordFields = _GRADES
    scores_in: RecordFields = _SCORES
    notes: tuple[str, ...] = ()
    """What the predictions were taken for, if they are answers of a known form."""
    are_ids_alone: bool = False
    """Whether the predictions are known to be lists that begin with an id, and have no scores."""
    form: str = "ids, the best first"
    """What the predictions were taken for, if they are lists that a caller has made."""

    @property
    def is_read_as_asked(self) -> bool:
        """Whether ids are cut, or what lists have is checked or changed as the caller asks."""
        return bool(self.split) or any(
            own.is_asked or own.id_of or own.number_of or own.gains
            for own in (self.grades_in, self.scores_in)
        )

    def with_answers_unpacked(
        self, item: str | None = None, score: str | None = None
    ) -> JoinInput:
        """Return the same with ids and scores, if the predictions are answers of a known form.

        `item` and `score` are the fields of hits that the caller names.
        """
        retrieved = self.predicted
        if not isinstance(retrieved, ListsByQuery) or not isinstance(retrieved.rows, list):
            return self
        with errors_of_answers(retrieved.parameter, retrieved.function, retrieved):
            found = unpacked(retrieved.rows, item, score, self._judged_ids())
        if found is None:
            return self
        scores = None
        if found.scores is not None:
            scores = retrieved._replace(role="item_scores", rows=found.scores)
        predicted = retrieved._replace(rows=found.ids)
        scores_in = self.scores_in._replace(is_asked=False)  # they are found
        return self._replace(
            predicted=predicted, scores=scores, scores_in=scores_in, notes=(found.note,), form=""
        )

    def _judged_ids(self) -> Iterator[Any]:
        """Yield the ids of judged items, in a table only the first."""
        if isinstance(self.judged, JoinSide):
            items = self.judged.columns["item"]
            first = items.at(np.arange(min(1, len(items.values)))).values
            yield from in_python(first)
        elif isinstance(self.judged.rows, list):
            rows = (row for row in self.judged.rows if isinstance(row, Iterable))
            for entry in chain.from_iterable(rows):
                yield _as_pair(entry, self.grades_in, lambda own: type(own) is list)[0]

    def with_forms_noted(self) -> JoinInput:
        """Return the same with the form of the predictions, or raise if a query has no list.

        The first entry of a list tells whether it has scores. A note says if only some have, or if
        the scores rise along every list.
        """
        of_dicts = {
            lists.role: _check_rows(lists)
            for lists in (self.judged, self.predicted, self.scores)
            if isinstance(lists, ListsByQuery)
        }
        retrieved = self.predicted
        if not isinstance(retrieved, ListsByQuery):
            return self
        has_dicts = of_dicts[retrieved.role]
        form, note = _FORM_OF_DICTS if has_dicts else self.form, ""
        if do_rise(scores_of_lists(retrieved, self), "" if has_dicts else retrieved.function):
            note = "the scores rise along every list, whose last item is the best, as scores count"
        first = [] if has_dicts or self.scores is not None else _first_entries(retrieved)
        if _has_any(first, _PAIRS):
            judged = _first_entries(self.judged) if isinstance(self.judged, ListsByQuery) else []
            has_tuples = _has_any(judged, tuple)
            pairs: Sequence[Any] = first
            if has_tuples or not set(map(type, first)) <= {list, tuple}:
                is_pair = partial(_is_pair, has_tuples=has_tuples)
                pairs = [_as_pair(entry, self.scores_in, is_pair) for entry in first]
            n_scored = sum(len(pair) != 2 or pair[1] is not None for pair in pairs)
            if n_scored == len(first):
                form = _FORM_OF_PAIRS
            elif n_scored:
                form, note = "", f"scores in {n_scored} of {len(first)} lists; {ORDER_OF_OTHERS}"
        return self._replace(form=form, notes=(*self.notes, *[note] * bool(note)))

    def kept(self) -> JoinInput:
        """Return the same with copies, or samples that tell whether the caller changes it."""
        scores = self.scores and self.scores.kept()
        return self._replace(
            judged=self.judged.kept(), predicted=self.predicted.kept(), scores=scores
        )

    def check_samples(self) -> None:
        """Raise if the caller has changed lists or columns."""
        for own in (self.judged, self.predicted, self.scores):
            if own is not None:
                own.check_sample()

    def only(self, are_kept: NDArray[np.bool_]) -> JoinInput:
        """Return the same queries, some of them without their predictions, which are lists."""
        lists = [own for own in (self.predicted, self.scores) if isinstance(own, ListsByQuery)]
        if are_kept.all() or not all(isinstance(own.rows, list) for own in lists):
            return self
        predicted, *scores = (own.only(are_kept) for own in lists)
        return self._replace(predicted=predicted, scores=scores[0] if scores else None)


def lists_given(
    relevant: Any, retrieved: Any, scores: Any, split: IdCut | None, function: str
) -> JoinInput:
    """Return lists of relevant and of retrieved ids, checked as far as no entry is looked at."""
    if scores is None and not isinstance(retrieved, (list, tuple)):
        retrieved = _without_batch(relevant, retrieved, function)
    given = {"relevant": relevant, "retrieved": retrieved}
    if scores is not None:
        given["item_scores"] = scores
    lists = {name: lists_of(values, name, name, function) for name, values in given.items()}
    judged, predicted, own_scores = lists["relevant"], lists["retrieved"], lists.get("item_scores")
    if not len(judged.rows):
        raise judged.invalid("of at least one query", "none")
    for other in lists.values():
        check_like(judged, other, given)
    if not set(map(type, given.values())) <= {list, dict}:
        indexes = Indexes(function, has_columns=False)
        for name, values in given.items():
            indexes.check(name, values)
    own_scores = own_scores and own_scores.in_order_of(predicted)
    found = JoinInput(judged, predicted, own_scores, split)
    if scores is not None:
        found = found._replace(form=_FORM_OF_PAIRS)
    else:
        rows = predicted.rows
        are_lists = isinstance(rows, list) and set(map(type, rows)) <= {list, tuple, NoneType}
        if are_lists and set(map(type, map(itemgetter(0), filter(None, rows)))) <= {str, int}:
            _check_rows(judged)
            return found._replace(are_ids_alone=True)
        found = found.with_answers_unpacked()
    return found.with_forms_noted()


def _without_batch(relevant: Any, retrieved: Any, function: str) -> Any:
    """Return the answers that are in one answer to several queries, or anything else unchanged."""
    is_by_query = isinstance(relevant, Mapping)
    are_dicts = is_by_query and isinstance(retrieved, Mapping)
    if are_dicts and not relevant.keys().isdisjoint(retrieved):  # it stops at the first in both
        return retrieved
    with errors_of_answers("retrieved", function):
        answers = answers_in(retrieved)
    if answers is not None and is_by_query:
        got = f"one answer, to {count_queries(len(answers))}"
        advice = "If the queries are in the same order, pass `list(relevant.values())`."
        expected = "a dict by the ids of queries, like relevant"
        raise invalid("retrieved", function, expected, got, advice)
    return retrieved if answers is None else answers


class AspectItems(NamedTuple):
    """The judged items of all aspects, one entry for each."""

    aspect: Positions
    """The aspect of each entry. Those of a query are side by side."""
    item: Positions | PackedText
    """The id of each item, or a number for it that is in the order of the ids."""
    labels: NDArray[Any]


def items_of_aspects(lists: ListsByQuery, split: IdCut | None) -> tuple[AspectItems, list[Any]]:
    """Return the relevant items of aspects, which are the queries of the lists, and their ids."""
    _check_rows(lists)  # Its errors name the aspects.
    entries = _entries_of(lists._replace(queries=None))._replace(lists=lists)
    item: Any = None
    if split is None and isinstance(entries.values, list):
        with suppress(TypeError):  # Not all ids are text.
            item = packed_rows([entries.values], len(entries.values))
    if item is not None and entries.numbers is None:
        values, labels = entries.values, np.ones(len(entries.values), np.int8)
    else:
        with _places_in_lists({lists.parameter: entries}):
            side = _relevant_side(entries, _GRADES)
            column = side.columns["item"]
            values = in_python(column.values)
            if item is None:
                ids = side.items()
                if split is not None and split.cuts_judged:
                    ids, values = split.of_judged(ids, column), split.documents_of(values)
                item = unique_ids(ids)[1]
            labels = side.values()
    aspect = np.repeat(np.arange(entries.length.size), entries.length)
    return AspectItems(aspect, item, labels), values


@contextmanager
def sides_of(given: JoinInput, depth: int | None) -> Iterator[list[JoinSide]]:
    """Give judgments and predictions with their items, of which errors name the place in lists.

    Of lists of predictions, only what can be at the ranks up to `depth`; None: all.
    """
    judged, predicted, scores = given[:3]
    lists = {}
    if isinstance(judged, ListsByQuery):
        lists[judged.parameter] = _entries_of(judged)
    if isinstance(predicted, ListsByQuery):
        first = None if scores or depth is None else predicted.first_places(depth)
        entries = _entries_of(first or predicted)
        if first and entries.has_any(_PAIRS):  # They may have numbers.
            entries = _entries_of(predicted)
        lists[predicted.parameter] = entries
    score_entries = None if scores is None else _entries_of(scores)
    if score_entries is not None:  # Ids and scores may be one parameter.
        lists.setdefault(score_entries.lists.parameter, score_entries)
    with _places_in_lists(lists):
        has_tuples = False
        if isinstance(judged, ListsByQuery):
            relevant = lists[judged.parameter]
            has_tuples = relevant.has_any(tuple)
            judged = _relevant_side(relevant, given.grades_in)
        if isinstance(predicted, ListsByQuery):
            retrieved = lists[predicted.parameter]
            predicted = _retrieved_side(
                retrieved, score_entries, given.scores_in, has_tuples, depth
            )
        sides = [side._replace(item=side.items()) for side in (judged, predicted)]
        if has_tuples and sides[1].items().kind not in ("", sides[0].items().kind):
            code = "For grades, pass a dict of ids and grades for each query."
            got = "tuples, which are ids"
            raise relevant.lists.invalid("ids of the kind of those in retrieved", got, code)
        if given.split is not None:
            sides = _cut_sides(sides, given, depth)
        yield sides


def _cut_sides(sides: list[JoinSide], given: JoinInput, depth: int | None) -> list[JoinSide]:
    """Return judgments and predictions with the ids of documents."""
    (judged, retrieved), cut = (side.items() for side in sides), cast(IdCut, given.split)
    columns = [side.columns["item"] for side in sides]
    if depth is None:
        cut.check_has_text(retrieved)
    elif not cut.is_in(retrieved):
        with sides_of(given, None):
            pass  # It raises unless an id further down can be cut.
    cut.check_whole(judged, retrieved)
    ids = cut.of_judged(judged, columns[0]), cut.cut(retrieved, columns[1])
    return [side._replace(item=own) for side, own in zip(sides, ids, strict=True)]


def check_like(first: ListsByQuery, other: ListsByQuery, given: Mapping[str, Any]) -> None:
    """Raise unless both parameters are dicts, or both are sequences of one length."""
    if (other.queries is None) != (first.queries is None):
        expected = "a sequence" if first.queries is None else "a dict by the ids of queries"
        got = f"{describe(given[other.parameter])} beside {describe(given[first.parameter])}"
        raise other.invalid(f"{expected}, like {first.parameter}", got)
    if other.queries is None and len(other.rows) != len(first.rows):
        expected = f"of {count_queries(len(first.rows))}, like {first.parameter}"
        raise other.invalid(expected, str(len(other.rows)))


@contextmanager
def columns_of(parameters: Iterable[ListsByQuery]) -> Iterator[list[tuple[Column, Positions]]]:
    """Give all entries of each parameter as a column, and the length of each of its lists.

    Errors about the columns name the place in the list of a query.
    """
    entries = {lists.parameter: _entries_of(lists) for lists in parameters}
    with _places_in_lists(entries):
        yield [(own.column(own.values), own.length) for own in entries.values()]


def _entries_of(lists: ListsByQuery) -> _ListEntries:
    """Return the entries of all lists, with their queries."""
    rows, numbers = lists.rows, None
    if is_list_column(rows):
        values, length = flatten(rows)
        dtype = getattr(values, "type", None) or values.dtype
        if str(dtype).lower().startswith("struct"):
            values = in_python(values)
    elif isinstance(rows, np.ndarray):
        values, length = rows.reshape(-1), np.full(len(rows), rows.shape[1])
    else:
        are_dicts = _check_rows(lists)
        rows = [{} if row is None or not len(row) else row for row in rows]
        length = np.fromiter(map(len, rows), np.intp, len(rows))
        if are_dicts:
            numbers = list(chain.from_iterable(map(methodcaller("values"), rows)))
        if any(hasattr(kind, "tolist") for kind in set(map(type, rows))):
            rows = list(map(in_python, rows))
        values = list(chain.from_iterable(rows))
    columns, ids = lists.queries_alone()[:2]
    ids = ids._replace(code=np.repeat(ids.code, length))
    return _ListEntries(lists, values, numbers, length, columns["query"], ids)


def _check_rows(lists: ListsByQuery) -> bool:
    """Return whether each query has a dict, or raise if they do not have what they should."""
    rows = lists.rows
    if isinstance(rows, np.ndarray):
        if lists.role != "item_scores" and rows.dtype.kind == "i" and (rows == -1).any():
            code = "`retrieved_from_ids` takes ints with -1 for places without an item."
            if lists.role == "relevant":
                code = f"Pass `[row[row >= 0] for row in {lists.parameter}]`."
            raise lists.invalid("without -1, which is no id", "-1", code)
        return False
    if is_list_column(rows):
        return False
    types = set(map(type, lists.rows)) - {NoneType}
    if types <= {list, tuple}:
        return False
    dicts, sequences = set(), set()
    for kind in types:
        if issubclass(kind, Mapping):
            dicts.add(kind)
        elif hasattr(kind, "__len__") and hasattr(kind, "__iter__"):
            # Only what is relevant needs no order.
            is_ordered = not issubclass(kind, Set) or lists.role in ("relevant", "aspect")
            if is_ordered and not issubclass(kind, (str, bytes)):
                sequences.add(kind)
    may_be_dicts = lists.role in ("relevant", "aspect", "retrieved")
    wrong = types - sequences - (dicts if may_be_dicts else set())
    for number, row in enumerate(lists.rows) if wrong else ():
        if type(row) in wrong:
            is_one = number == 0 and lists.queries is None and not sequences | dicts
            code = f"For one query pass `[{lists.parameter}]`." if is_one else ""
            raise lists.invalid(_EACH[lists.role], describe(row), code, number)
    if dicts and sequences:
        filled = [row for row in lists.rows if row is not None and len(row)]
        one = next((row for row in filled if type(row) in dicts), None)
        other = next((row for row in filled if type(row) in sequences), None)
        if one is None:  # An empty dict is an empty list, and vice versa.
            return False
        if other is not None:
            got = f"{describe(one)} beside {describe(other)}"
            raise lists.invalid("lists for all queries, or dicts for all", got)
    if dicts and lists.role == "relevant":
        rows = enumerate(lists.rows)
        number, row = next((pair for pair in rows if type(pair[1]) in dicts and pair[1]), (0, {}))
        grade = next(iter(row.values()), None)
        if isinstance(grade, (*_PAIRS, Set)):
            got = f"a dict with {describe(grade)}"
            raise lists.invalid(_EACH[lists.role], got, DICTS_OF_ASPECTS, number)
    return bool(dicts)


def _relevant_side(entries: _ListEntries, fields: RecordFields) -> JoinSide:
    """Return the relevant items."""
    values, grades = _apart(entries, fields, lambda entry: type(entry) is list)
    columns = {"query": entries.query, "item": entries.column(values)}
    if grades is not None:
        columns["label"] = with_gains(entries.column(grades), fields.gains)
    elif fields.gains is not None and len(values):
        expected, got = "ids with grades, since `labels` has gains", "ids alone"
        raise entries.lists.invalid(expected, got)
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
    elif scores is None or NoneType in set(map(type, scores)):
        # The first of a list has the score -1, as if its rank was 1.
        position = -1 - places_in_lists(length)
        numbers = position if scores is None else _by_own_form(score, position, length)
        score = entries.column(numbers)
    columns = {"query": entries.query, "item": entries.column(values), "score": score}
    side = JoinSide(columns, entries.query_ids)
    if depth is None or not length.size or length.max() <= depth:
        return side
    return side.at(np.flatnonzero(are_at_first_ranks(side.query.code, side.values(), depth)))


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
    if numbers is None and entries.has_any(_PAIRS):
        pairs = [_as_pair(entry, fields, is_pair) for entry in ids]
        for row, pair in enumerate(pairs):
            if len(pair) != 2 or pair[0] is MISSING:
                expected = "ids, pairs of an id and a number, or records with "
                expected += show_id(fields.id)
                got, place = describe(ids[row]), Place(row=row)
                raise entries.column(ids).invalid(expected, got, place=place)
        ids, numbers = ([pair[place] for pair in pairs] for place in (0, 1))
        if set(map(type, numbers)) == {NoneType}:
            _check_no_number(entries, fields)
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
        found = (at(entry, name, MISSING) for name in fields.numbers)
        number = next((own for own in found if own is not MISSING), None)
        return at(entry, fields.id, MISSING), number
    return entry if isinstance(entry, (list, tuple)) and is_pair(entry) else (entry, None)


def _check_no_number(entries: _ListEntries, fields: RecordFields) -> None:
    """Raise if records without a number should have one, or have one in another field.

    A field that is false for an item says that it is not relevant, and ranks that fall contradict
    the order of the list.
    """
    lists = entries.lists
    records = [record for record in entries.values if isinstance(record, Mapping)]
    names = dict.fromkeys(name for record in records for name in record)
    is_there = any(name.partition(".")[0] in names for name in fields.numbers)
    likely = _LIKE_SCORES if lists.role == "retrieved" else (*label_names(), "score")
    like = any(str(name).casefold() in likely for name in names)
    if lists.role == "retrieved":
        ranks = [
            each.get("rank") if isinstance(each, Mapping) else None for each in entries.values
        ]
        query = np.repeat(np.arange(entries.length.size), entries.length).tolist()
        like = like or any(
            own == after and type(rank) is type(below) is int and below < rank
            for (own, after), (rank, below) in zip(pairwise(query), pairwise(ranks), strict=True)
        )
    else:
        like = like or any(value is False for record in records for value in record.values())
    if names and not is_there and (fields.is_asked or like):
        expected = f"records with {show_id(fields.numbers[0])}"
        code = NAME_THE_NUMBER if lists.role == "retrieved" else NAME_THE_GRADE
        raise lists.invalid(expected, f"records with {show_names(names)}", code)


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
        raise score.invalid(expected, str(values[first]), place=Place(row=int(row[first])))
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


def do_rise(lists: Iterable[NDArray[Any]], function: str) -> bool:
    """Return whether scores rise in every list. Warn if that can hardly be chance.

    Without a function there is no warning, as for dicts, which may be in any order.
    """
    log_of_chance = 0.0
    for scores in lists:
        if not (scores[1:] >= scores[:-1]).all():  # It is mostly the first list.
            return False
        n_rises = np.count_nonzero(scores[1:] > scores[:-1])
        log_of_chance -= lgamma(n_rises + 2)  # Equal scores count as one.
    if function and log_of_chance < log(_CHANCE):
        warn_caller(
            f"The scores of {function} rise from the first item to the last in every list. The "
            "item with the highest score ranks first, so the last ones do. If the best items come "
            "first and the scores are distances, pass `-score`, or the ids alone. If the best "
            "items come last, reverse the lists.",
            UserWarning,
        )
    return log_of_chance < 0


def scores_of_lists(predicted: ListsByQuery, given: JoinInput) -> Iterator[NDArray[Any]]:
    """Yield the scores of one list of predictions after the other, up to one without numbers."""
    rows = predicted.rows if given.scores is None else given.scores.rows
    if given.scores is None:
        judged = given.judged.rows if isinstance(given.judged, ListsByQuery) else []
        first_id = next(chain.from_iterable(map(in_python, judged)), None)
        if isinstance(first_id, tuple):  # Any tuple may be an id, and no pair.
            return
    for row in map(in_python, rows):
        scores = row if given.scores is not None else _numbers_in(row, given.scores_in)
        if not are_real(scores):
            return
        yield np.array(scores)


def _numbers_in(row: Any, fields: RecordFields) -> list[Any]:
    """Return the scores or the grades in a list or in a dict."""
    if isinstance(row, Mapping):
        return list(row.values())
    return [_as_pair(entry, fields, lambda own: len(own) == 2)[1] for entry in row]


# --- labels and scores that are swapped ---------------------------------------------------------


_LOOKED_AT = 1000
"""So many labels and scores tell whether they are swapped."""
_HIGHEST_GRADE = 5
"""Whole numbers up to this one are likely to be grades."""


def refuse_if_swapped(given: JoinInput) -> None:
    """Raise if the labels of judgments look like scores, and the scores look like labels."""
    judged, predicted = given.judged, given.predicted
    if isinstance(judged, JoinSide):
        labels = judged.values()
        if "label" in judged.columns and judged.columns["label"].are_gains:
            return
    else:
        rows = judged.rows if isinstance(judged.rows, list) else []
        labels = _first_numbers(_numbers_in(row, given.grades_in) for row in map(in_python, rows))
    if isinstance(predicted, ListsByQuery):
        scores = _first_numbers(scores_of_lists(predicted, given))
        column = Column(None, None, predicted.parameter, predicted.function, _IN_LISTS)
        check_not_swapped(labels, scores, column.invalid)
    elif "score" in predicted.columns:
        check_not_swapped(labels, predicted.values(), predicted.columns["score"].invalid)


def warn_if_lists_swapped(given: JoinInput) -> None:
    """Warn if judged ids come in lists of one length, and retrieved ones in shorter lists.

    Retrieval has a depth, and judgments have none: lists that are cut at rank k have one length,
    and those of what is relevant differ. So each is where the other belongs.
    """
    judged, predicted = given.judged, given.predicted
    if isinstance(judged, JoinSide) or isinstance(predicted, JoinSide) or given.scores is not None:
        return
    found, relevant = predicted.rows, judged.rows
    if not (isinstance(found, list) and isinstance(relevant, list) and found and relevant):
        return
    one, other = found[0], relevant[0]
    are_lists = {type(one), type(other)} <= {list, tuple}
    if not are_lists or len(one) >= len(other):  # as it is mostly
        return
    if not set(map(type, (*found, *relevant))) <= {list, tuple, NoneType}:
        return
    lengths, width = {len(row or ()) for row in found}, len(other)
    if max(lengths) >= width or len(lengths) < 2:
        return
    are_plain = not any(isinstance(row[0], _PAIRS) for row in (*found, *relevant) if row)
    if are_plain and all(len(row or ()) == width for row in relevant):
        warn_caller(
            f"Each list of {judged.parameter} has {width} ids, and the lists of "
            f"{predicted.parameter} have fewer, and not equally many. Are the two swapped?",
            UserWarning,
        )


def _first_numbers(lists: Iterable[Iterable[Any]]) -> NDArray[Any]:
    """Return the first numbers of lists; none if one of them has no number."""
    found: list[Any] = []
    for numbers in lists:
        found.extend(numbers)
        if len(found) > _LOOKED_AT or not are_real(numbers):
            break
    return np.array(found if are_real(found) else [])


def check_not_swapped(
    labels: NDArray[Any], scores: NDArray[Any], refuse: Callable[..., InvalidParameterError]
) -> None:
    """Raise if labels are different fractions, other than quarters, and scores are like grades."""
    labels, scores = labels[:_LOOKED_AT], scores[:_LOOKED_AT]
    if not scores.size or not (labels * 4 % 1 > 0).any():
        return
    are_scores = (abs(labels) < 1000).all() and 2 * np.unique(labels).size > labels.size
    if are_scores and ((scores % 1 == 0) & (scores >= 0) & (scores <= _HIGHEST_GRADE)).all():
        got = f"whole numbers, and labels such as {labels[np.argmax(labels % 1 > 0)]}"
        advice = "Are the two swapped? If not, add 0.5 to each score, which changes no rank."
        raise refuse("scores that are no grades", got, advice)


# --- predictions that are left out --------------------------------------------------------------


def without_self(given: JoinInput) -> tuple[JoinInput, int]:
    """Return judgments and predictions without those of the query itself, and their number.

    Queries without other predictions are still there.
    """
    predicted = given.predicted
    if isinstance(predicted, ListsByQuery) and predicted.queries is None:
        expected = f"False, since the queries of {predicted.parameter} have no ids"
        code = "Pass dicts by the ids of queries."
        raise invalid("drop_self", predicted.function, expected, "True", code=code)
    with sides_of(given, None) as (_, side):
        query, are_self = _are_excluded(side, _themselves(side))
    return _without(given, query, are_self), int(np.count_nonzero(are_self))


def without_excluded(given: JoinInput, excluded: ListsByQuery | JoinSide) -> tuple[JoinInput, str]:
    """Return judgments and predictions without those that are excluded, and a note about them.

    `excluded` has the items to leave out for each query: lists, or the columns of a table.
    """
    if isinstance(excluded, ListsByQuery):
        entries = _entries_of(excluded)
        with _places_in_lists({excluded.parameter: entries}):
            excluded = _relevant_side(entries, given.grades_in._replace(gains=None))
            excluded = excluded._replace(item=excluded.items())
    if given.split is not None:
        excluded = _cut_excluded(excluded, given.split)
    with sides_of(given, None) as (judged, side):
        _, are_judged = _are_excluded(judged, excluded)
        query, are_left_out = _are_excluded(side, excluded)
    n_left_out, n_judged = np.count_nonzero(are_left_out), np.count_nonzero(are_judged)
    note = f"predictions left out: {n_left_out}"
    if n_judged:
        note += f"; judged items left out, which count as not retrieved: {n_judged}"
    return _without(given, query, are_left_out), note


def _cut_excluded(excluded: JoinSide, cut: IdCut) -> JoinSide:
    """Return excluded items as those of documents, or raise if they are passages."""
    column, ids = excluded.columns["item"], excluded.items()
    if cut.cuts_judged or cut.are_judged_cut:
        return excluded._replace(item=cut.cut(ids, column))
    if isinstance(cut.split, str) and ids.values.size and cut.is_in(ids):
        expected = f"the ids of documents, which are compared after they are cut at {cut.split!r}"
        raise column.invalid(expected, "ids of passages", code="Or pass split_relevant=True.")
    return excluded


def _without(given: JoinInput, query: Positions, are_left_out: NDArray[np.bool_]) -> JoinInput:
    """Return predictions without some of them. `query` is the query of each."""
    predicted = given.predicted
    if isinstance(predicted, ListsByQuery):
        return _without_entries(given, predicted, are_left_out)
    rows = np.flatnonzero(~are_left_out)
    kept = predicted.at(rows)
    if "rank" in predicted.columns:
        kept = kept._replace(numbers=moved_up(query, predicted.values(), are_left_out)[rows])
    return given._replace(predicted=kept)


def columns_without_self(columns: dict[str, Column]) -> tuple[dict[str, Column], int]:
    """Return the columns of one table, in which rows of the query itself were not predicted.

    Such a row may still be judged. Also return the number of these rows.
    """
    if "item" not in columns:
        expected = "False unless `item` is a column, since rows have no ids"
        raise invalid("drop_self", columns["query"].function, expected, "True")
    side = JoinSide(columns, read_ids(columns["query"]))
    query, are_self = _are_excluded(side, _themselves(side))
    keyword = "rank" if "rank" in columns else "score"
    numbers = read_values({"query": columns["query"], keyword: columns[keyword]}, side.query)
    values, row = numbers
    row = np.arange(query.size) if row is None else row
    are_self = are_self[row]
    if are_self.any():
        if keyword == "rank":
            values = moved_up(query[row], values, are_self)
        left = np.full(query.size, None, dtype=object)
        left[row[~are_self]] = as_objects(values[~are_self].tolist())
        columns = columns | {keyword: columns[keyword]._replace(values=left)}
    return columns, int(np.count_nonzero(are_self))


def note_of_dropped(n_dropped: int) -> str:
    """Return the line that says how many predictions were dropped."""
    if n_dropped == 1:
        return "1 prediction has the id of its query, and was dropped"
    return f"{n_dropped} predictions have the id of their query, and were dropped"


def _themselves(side: JoinSide) -> JoinSide:
    """Return the queries as the items that are excluded for themselves."""
    query = side.columns["query"]
    kinds = side.query.kind, side.items().kind
    if all(kinds) and kinds[0] != kinds[1]:
        both_kinds = f"the ids of queries are {kinds[0]} and those of items are {kinds[1]}"
        expected = f"False, since {both_kinds}, which are never equal"
        raise invalid("drop_self", query.function, expected, "True")
    ids = side.query._replace(code=np.arange(side.query.values.size))
    return JoinSide({"query": query, "item": query}, ids, ids)


def _are_excluded(side: JoinSide, excluded: JoinSide) -> tuple[Positions, NDArray[np.bool_]]:
    """Return the query of each row, and whether its item is excluded for this query."""
    keys: list[Any] = [0, 0]
    queries: list[Positions] = []
    for keyword in ("query", "item"):
        columns = side.columns[keyword], excluded.columns[keyword]
        both = [(own.query if keyword == "query" else own.items()) for own in (side, excluded)]
        ids = alike(*columns, *both)
        all_ids, *places = join_ids(*ids)
        codes = [own.code_at(place) for own, place in zip(ids, places, strict=True)]
        queries = queries or codes
        keys = [key * all_ids.size + code for key, code in zip(keys, codes, strict=True)]
    return queries[0], np.isin(*keys)


def _without_entries(
    given: JoinInput, predicted: ListsByQuery, are_self: NDArray[np.bool_]
) -> JoinInput:
    """Return lists of predictions without some of their entries."""
    stop = np.cumsum(predicted.lengths())
    numbers = np.searchsorted(stop, np.flatnonzero(are_self), side="right")
    several = [predicted] if given.scores is None else [predicted, given.scores]
    left = []
    for lists in several:
        rows = list(lists.rows)
        for number in dict.fromkeys(numbers.tolist()):
            are_kept = ~are_self[stop[number] - len(rows[number]) : stop[number]]
            rows[number] = _some_of(rows[number], are_kept.tolist())
        left.append(lists._replace(rows=rows))
    return given._replace(predicted=left[0], scores=left[1] if left[1:] else None)


def _some_of(row: Any, are_kept: list[bool]) -> Any:
    """Return some entries of a list or of a dict."""
    if isinstance(row, dict):
        return dict(compress(row.items(), are_kept))
    return list(compress(in_python(row), are_kept))
