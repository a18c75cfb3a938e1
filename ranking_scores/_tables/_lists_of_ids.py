"""Lists of ids, one for each query, as the entries of two tables.

The lists of all queries become one column, without a loop over the queries. Then they are joined
as tables are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from itertools import chain
from operator import methodcaller
from types import NoneType
from typing import Any, NamedTuple, cast

import numpy as np

from ranking_scores._base import (
    Indexes,
    Place,
    count_queries,
    describe,
    invalid,
    library_of,
    with_parts,
)
from ranking_scores._queries import flatten, is_list_column
from ranking_scores._tables._cells import Joined
from ranking_scores._tables._columns import Column, Ids, Positions, read_ids, read_numbers
from ranking_scores._tables._join import Side, join_sides
from ranking_scores.exceptions import InvalidParameterError

_EACH = {
    "relevant": "a list of ids or a dict of ids and grades for each query",
    "retrieved": "a list of ids, perhaps with scores, or a dict of ids and scores for each query",
    "scores": "a list of scores for each query",
}
"""What each parameter has, for error messages."""
_IN_LISTS, _IN_KEYS = "lists that have", "a dict whose keys have"


class Fields(NamedTuple):
    """The names of the fields of records in the lists of retrieved items."""

    id: str
    score: str


class _Lists(NamedTuple):
    """A parameter that has something for each query."""

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

    def column(self, values: Any) -> Column:
        """Return the values of all lists as a column."""
        return Column(values, None, self.parameter, self.function, _IN_LISTS)

    def read_queries(self, length: Positions) -> tuple[Column, Ids]:
        """Return the queries of the entries of lists of some lengths."""
        column = Column(self.queries, None, self.parameter, self.function, _IN_KEYS)
        number = np.arange(length.size)
        ids = Ids(number, number, "numbers") if self.queries is None else read_ids(column)
        return column, ids._replace(code=np.repeat(ids.code, length))


class _Flat(NamedTuple):
    """The entries of the lists of a side, one list after the other."""

    entries: Any
    length: Positions
    """The number of entries of each list."""
    numbers: list[Any] | None = None
    """The grades or scores of dicts."""


def join_lists(
    relevant: Any,
    retrieved: Any,
    scores: Any,
    duplicates: str,
    function: str,
    fields: Fields,
) -> Joined:
    """Return the entries of lists of relevant and of retrieved ids, joined."""
    given = {"relevant": relevant, "retrieved": retrieved}
    if scores is not None:
        given["scores"] = scores
    sides = {name: _read_side(each, name, function) for name, each in given.items()}
    _check_alike(sides, given)
    flat = {name: _flatten(side) for name, side in sides.items()}
    queries = {name: side.read_queries(flat[name].length) for name, side in sides.items()}
    with _places_in_lists(sides, flat):
        judged = _judged(sides["relevant"], flat["relevant"], *queries["relevant"])
        predicted = _predicted(sides, flat, fields, *queries["retrieved"])
        return join_sides([judged, predicted], duplicates)


def _read_side(values: Any, parameter: str, function: str) -> _Lists:
    """Return a parameter as the lists of its queries."""
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
        expected = f"a sequence or a dict that has {_EACH[parameter]}"
        raise invalid(parameter, function, expected, describe(values))
    return _Lists(parameter, function, queries, rows)


def _check_alike(sides: dict[str, _Lists], given: dict[str, Any]) -> None:
    """Raise unless all sides are dicts, or all are sequences of one length."""
    relevant, *others = sides.values()
    if not len(relevant.rows):
        raise relevant.invalid("of at least one query", "none")
    indexes = Indexes(relevant.function, has_columns=False)
    indexes.check("relevant", given["relevant"])
    for side in others:
        if (side.queries is None) != (relevant.queries is None):
            expected = "a sequence" if relevant.queries is None else "a dict by the ids of queries"
            got = f"{describe(given[side.parameter])} beside {describe(given['relevant'])}"
            raise side.invalid(f"{expected}, like relevant", got)
        if side.queries is None and len(side.rows) != len(relevant.rows):
            expected = f"of {count_queries(len(relevant.rows))}, like relevant"
            raise side.invalid(expected, str(len(side.rows)))
        indexes.check(side.parameter, given[side.parameter])
    if "scores" in sides and relevant.queries is not None:
        scores, retrieved = sides["scores"], sides["retrieved"]
        if set(scores.queries or ()) != set(retrieved.queries or ()):
            got = describe(given["scores"])
            raise scores.invalid("a dict with the keys of retrieved", got)
        rows = [given["scores"][query] for query in retrieved.queries or ()]
        sides["scores"] = scores._replace(queries=retrieved.queries, rows=rows)


def _flatten(side: _Lists) -> _Flat:
    """Return the entries of all lists of a side."""
    rows = side.rows
    if is_list_column(rows):
        entries, length = flatten(rows)
        dtype = getattr(entries, "type", None) or entries.dtype
        if str(dtype).lower().startswith("struct"):
            entries = entries.to_pylist() if hasattr(entries, "to_pylist") else entries.to_list()
        return _Flat(entries, length)
    if isinstance(rows, np.ndarray):
        if side.parameter == "retrieved" and rows.dtype.kind == "i" and (rows == -1).any():
            expected = "without -1, which is no id"
            code = (
                "`retrieved_from_ids` takes an array of ints with -1 for places without an item."
            )
            raise side.invalid(expected, "-1", code)
        return _Flat(rows.reshape(-1), np.full(len(rows), rows.shape[1]))
    are_dicts = _check_rows(side)
    rows = [{} if row is None else row for row in rows]
    length = np.fromiter(map(len, rows), np.intp, len(rows))
    if are_dicts:
        numbers = list(chain.from_iterable(map(methodcaller("values"), rows)))
        return _Flat(list(chain.from_iterable(rows)), length, numbers)
    if any(hasattr(each, "tolist") for each in set(map(type, rows))):
        rows = [row.tolist() if hasattr(row, "tolist") else row for row in rows]
    return _Flat(list(chain.from_iterable(rows)), length)


def _check_rows(side: _Lists) -> bool:
    """Return whether each query has a dict, or raise if they do not have what they should."""
    types = set(map(type, side.rows)) - {NoneType}
    dicts = {each for each in types if issubclass(each, Mapping)}
    lists = {each for each in types - dicts if _is_list(each, side.parameter)}
    wrong = types - dicts - lists if side.parameter != "scores" else types - lists
    for number, row in enumerate(side.rows) if wrong else ():
        if type(row) in wrong:
            code = ""
            if number == 0 and side.queries is None and not lists | dicts:
                code = f"For one query pass `[{side.parameter}]`."
            raise side.invalid(_EACH[side.parameter], describe(row), code, number)
    if dicts and lists:
        number, other = (
            next(number for number, row in enumerate(side.rows) if type(row) in kinds)
            for kinds in (dicts, lists)
        )
        got = f"{describe(side.rows[number])} beside {describe(side.rows[other])}"
        raise side.invalid("lists for all queries, or dicts for all", got)
    return bool(dicts)


def _is_list(kind: type, parameter: str) -> bool:
    """Return whether objects of a type are lists. Only what is relevant needs no order."""
    is_sized = hasattr(kind, "__len__") and hasattr(kind, "__iter__")
    is_ordered = not issubclass(kind, Set) or parameter == "relevant"
    return is_sized and is_ordered and not issubclass(kind, (str, bytes))


def _judged(lists: _Lists, flat: _Flat, query: Column, query_ids: Ids) -> Side:
    """Return the relevant items."""
    item = lists.column(flat.entries)
    columns = {"query": query, "item": item}
    if flat.numbers is not None:
        columns["label"] = lists.column(flat.numbers)
    return Side(columns, query_ids, read_ids(item))


def _predicted(
    sides: dict[str, _Lists], flat: dict[str, _Flat], fields: Fields, query: Column, query_ids: Ids
) -> Side:
    """Return the retrieved items."""
    lists, (entries, length, numbers) = sides["retrieved"], flat["retrieved"]
    item_ids = _text_alone(lists, entries)
    if item_ids is None:
        if isinstance(entries, list) and numbers is None:
            entries, numbers = _apart(lists, entries, flat["relevant"].entries, fields)
        item_ids = read_ids(lists.column(entries))
    score = lists.column(numbers)
    if "scores" in sides:
        scores, of_scores = sides["scores"], flat["scores"].length
        if numbers is not None:
            raise scores.invalid("None, since retrieved has scores", describe(scores.rows))
        if not np.array_equal(length, of_scores):
            number = int(np.argmax(length != of_scores))
            expected = "as long as the lists of retrieved"
            got = f"{of_scores[number]} scores of {length[number]} items"
            raise scores.invalid(expected, got, number=number)
        score = scores.column(flat["scores"].entries)
    elif numbers is None or None in numbers:
        if numbers is not None:
            _check_falling(score, np.repeat(np.arange(length.size), length))
        # The first of a list has the score -1, as if its rank was 1.
        position = np.repeat(np.cumsum(length) - length, length)
        position -= np.arange(1, position.size + 1)
        score = lists.column(position)
    return Side(
        {"query": query, "item": lists.column(entries), "score": score}, query_ids, item_ids
    )


def _text_alone(lists: _Lists, entries: Any) -> Ids | None:
    """Return the ids if all entries are text, which is found out fast. None: they may be more."""
    if isinstance(entries, list) and entries and isinstance(entries[0], str):
        with suppress(InvalidParameterError):  # of a dict among them
            ids = read_ids(lists.column(entries))
            return ids if ids.kind == "text" else None
    return None


def _apart(
    side: _Lists, entries: list[Any], relevant: Any, fields: Fields
) -> tuple[list[Any], list[Any] | None]:
    """Return the ids and the scores of entries. None: they are only ids."""
    types = set(map(type, entries))
    if not any(issubclass(each, (Mapping, list, tuple)) for each in types):
        return entries, None
    ids_are_tuples = any(issubclass(each, tuple) for each in set(map(type, relevant)))

    def as_pair(entry: Any) -> Any:
        if isinstance(entry, Mapping):
            return (entry[fields.id], entry.get(fields.score)) if fields.id in entry else ()
        if isinstance(entry, list):
            return entry
        if isinstance(entry, tuple) and not ids_are_tuples:
            return entry
        is_pair_of_tuple = isinstance(entry, tuple) and isinstance(next(iter(entry), None), tuple)
        return entry if is_pair_of_tuple else (entry, None)

    pairs = list(map(as_pair, entries))
    is_pair = np.fromiter(map(len, pairs), np.intp, len(pairs)) == 2
    if not is_pair.all():
        row = int(np.argmin(is_pair))
        expected = f"ids, pairs of an id and a score, or records with {fields.id!r}"
        raise side.column(entries).invalid(expected, describe(entries[row]), place=Place(row=row))
    ids, numbers = ([pair[place] for pair in pairs] for place in (0, 1))
    return ids, None if set(map(type, numbers)) == {NoneType} else numbers


def _check_falling(score: Column, query: Positions) -> None:
    """Raise if scores that only some entries have contradict the order of the entries."""
    numbers = read_numbers(score)
    values, row = numbers.values, cast(Positions, numbers.row)
    rises = (values[1:] > values[:-1]) & (np.diff(query[row]) == 0)
    if rises.any():
        first = int(np.argmax(rises)) + 1
        expected = "a score in each place, or scores that do not rise"
        place = Place(row=int(row[first]))
        raise score.invalid(expected, str(values[first]), place=place)


@contextmanager
def _places_in_lists(sides: dict[str, _Lists], flat: dict[str, _Flat]) -> Iterator[None]:
    """Let errors name the place in the list of a query instead of a row."""
    try:
        yield
    except InvalidParameterError as error:
        place = error.place
        if place.row is not None:
            stop = np.cumsum(flat[error.parameter].length)
            number = int(np.searchsorted(stop, place.row, side="right"))
            position = int(place.row - stop[number] + flat[error.parameter].length[number])
            query = sides[error.parameter].query_at(number)
            place = Place(position=position, query=query, query_is="id")
        raise with_parts(error, place=place) from error.__cause__
