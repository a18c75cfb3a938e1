"""Judgments of the aspects of queries, as judgments of the queries and the labels of each aspect.

The items of all aspects of a query are numbered from 1 on, and these numbers are joined with the
predictions as labels are. So each query is read and ranked once, whatever the number of aspects.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import Place, describe, invalid, show_id
from ranking_scores._queries import Aspects
from ranking_scores._tables._columns import (
    Column,
    IdColumn,
    Positions,
    join_ids,
    read_ids,
    read_numbers,
)
from ranking_scores._tables._join import HIGHEST_LABEL, JoinSide
from ranking_scores._tables._lists_of_ids import ListsByQuery, items_of_aspects, lists_of

_WEIGHT = "aspect_weight"
_LARGEST_WEIGHT = 1e300
"""The largest weight of an aspect, so that the sum of those of a query is finite."""
_NO_IDS = IdColumn(np.empty(0, np.intp), np.empty(0, object), "")


class GivenAspects(NamedTuple):
    """The aspects of judged queries, of which the last one has none, and the judged items."""

    aspects: Aspects
    query: Positions
    """The number of the query of each list or row of the judgments, as `aspects` counts them."""


class _AspectEntries(NamedTuple):
    """The judged items of all aspects, one entry for each."""

    aspect: Positions
    """The aspect of each entry. Those of a query are side by side."""
    item: NDArray[np.integer[Any]]
    """The code of each item."""
    labels: NDArray[Any]

    def repeated(self) -> int | None:
        """Return an entry whose item another entry of its aspect has; None: there is none."""
        order = np.lexsort((self.item, self.aspect))
        aspect, item = self.aspect[order], self.item[order]
        repeats = (aspect[1:] == aspect[:-1]) & (item[1:] == item[:-1])
        return int(order[1:][repeats].min()) if repeats.any() else None


class _PlacedJudgments(NamedTuple):
    """The judged items of queries, each once, and their places."""

    entry: Positions
    """An entry of each item."""
    query: Positions
    """The number of the query of each item, in ascending order."""
    place: Positions
    """The place of each item among those of its query, from 1 on."""
    aspects: Aspects


def aspects_of_lists(
    relevant: Any,
    weight: Any,
    split: str | None,
    duplicates: str,
    function: str,
    parameter: str = "relevant",
) -> tuple[Any, GivenAspects]:
    """Return the places of items in the form of lists of relevant items, and the aspects.

    `relevant` has a dict of aspects for each query, and so has `weight`, unless it is None.
    """
    lists = lists_of(relevant, "aspects", parameter, function)
    inner, n_aspects = _lists_of_aspects(lists)
    names = [aspect for _, aspect in inner.queries or ()]
    given = items_of_aspects(inner, split)
    aspect = np.repeat(np.arange(len(names)), given.length)
    labels = np.ones(aspect.size, np.int8) if given.labels is None else given.labels
    entries = _AspectEntries(aspect, given.code, labels)
    repeated = entries.repeated() if duplicates == "error" else None
    if repeated is not None:
        got = f"item {show_id(given.values[repeated])} more than once"
        number = int(aspect[repeated])
        raise inner.invalid("lists that have each item once", got, HIGHEST_LABEL, number)
    weights = None if weight is None else _weights_in_dicts(weight, lists, inner)
    places = _places_of(entries, names, n_aspects, weights)
    ids = list(map(given.values.__getitem__, places.entry.tolist()))
    pairs = list(zip(ids, places.place.tolist(), strict=True))
    stop = np.cumsum(np.bincount(places.query, minlength=n_aspects.size)).tolist()
    rows = [dict(pairs[start:end]) for start, end in zip([0, *stop], stop, strict=False)]
    found = rows if lists.queries is None else dict(zip(lists.queries, rows, strict=True))
    return found, GivenAspects(places.aspects, np.arange(n_aspects.size))


def aspects_of_columns(
    columns: Mapping[str, Column], duplicates: str
) -> tuple[JoinSide, GivenAspects]:
    """Return judgments whose labels are the places of items, and the aspects.

    Beside the columns of judgments there is that of aspects, and perhaps one of their weights.
    """
    others = ("aspect", _WEIGHT)
    side = JoinSide(
        {keyword: column for keyword, column in columns.items() if keyword not in others},
        read_ids(columns["query"]),
    )
    (_, query), (_, item) = map(_numbered, (side.query, side.items()))
    names, name = _numbered(read_ids(columns["aspect"], side.query))
    keys, aspect = np.unique(query * names.size + name, return_inverse=True)
    entries = _AspectEntries(aspect, item, side.values())
    repeated = entries.repeated() if duplicates == "error" else None
    if repeated is not None:
        items, query_ids = side.items(), side.query
        got = f"item {show_id(items.values[items.code[repeated]])} more than once"
        pair = query_ids.values[query_ids.code[repeated]], names[name[repeated]]
        place = Place(query=pair, query_is="id")
        expected = "each item only once per aspect of a query"
        raise columns["item"].invalid(expected, got, code=HIGHEST_LABEL, place=place)
    weights = None
    if _WEIGHT in columns:
        weights = _weights_in_column(columns[_WEIGHT], aspect, keys.size)
    n_aspects = np.bincount(keys // names.size, minlength=int(query.max(initial=-1)) + 1)
    aspect_names = np.asarray(names)[keys % names.size].tolist()
    places = _places_of(entries, aspect_names, n_aspects, weights)
    in_order = np.argsort(places.entry)
    judged = side.at(places.entry[in_order])._replace(numbers=places.place[in_order])
    return judged, GivenAspects(places.aspects, places.query[in_order])


def _numbered(ids: IdColumn) -> tuple[NDArray[Any], Positions]:
    """Return the unique ids of a column, sorted, and the number of the id of each row."""
    unique, place, _ = join_ids(ids, _NO_IDS)
    return np.asarray(unique), ids.code_at(place)


def _lists_of_aspects(lists: ListsByQuery) -> tuple[ListsByQuery, Positions]:
    """Return the list of each aspect of each query, and the number of aspects of each query."""
    rows = lists.rows if isinstance(lists.rows, list) else list(lists.rows)
    for number, row in enumerate(rows):
        if not isinstance(row, dict | None):
            expected = "a dict of aspects for each query, each with a list or a dict of its items"
            raise lists.invalid(expected, describe(row), number=number)
    full = [row or {} for row in rows]
    queries = [
        (lists.query_at(number), aspect) for number, row in enumerate(full) for aspect in row
    ]
    parts = list(chain.from_iterable(map(dict.values, full)))
    inner = lists._replace(role="aspect", queries=queries, rows=parts)
    return inner, np.array([*map(len, full)], dtype=np.intp)


def _weights_in_dicts(
    weight: Any, lists: ListsByQuery, inner: ListsByQuery
) -> NDArray[np.float64]:
    """Return the weight of each aspect, of dicts in the form of those of relevant items."""
    given = lists_of(weight, "weights", _WEIGHT, lists.function)
    if (given.queries is None) != (lists.queries is None):
        expected = "a sequence" if lists.queries is None else "a dict by the ids of queries"
        raise given.invalid(f"{expected}, like relevant", describe(weight))
    found: dict[tuple[Any, Any], Any] = {}
    for number, row in enumerate(given.rows):
        if not isinstance(row, dict | None):
            expected = "a dict of aspects and weights for each query"
            raise given.invalid(expected, describe(row), number=number)
        query = given.query_at(number)
        found |= {(query, aspect): value for aspect, value in (row or {}).items()}
    asked = dict.fromkeys(inner.queries or ())
    wrong = found.keys() ^ asked.keys()
    if wrong:
        query, aspect = next(pair for pair in [*asked, *found] if pair in wrong)
        got = f"none of aspect {show_id(aspect)}"
        if (query, aspect) in found:
            got = f"one of aspect {show_id(aspect)}, which relevant does not have,"
        expected = "a weight of each aspect of each query"
        place = Place(query=query, query_is="id")
        raise invalid(_WEIGHT, lists.function, expected, got, place=place)
    for pair, value in found.items():
        number = value.item() if isinstance(value, np.generic) else value
        if not (isinstance(number, int | float) and 0 <= number <= _LARGEST_WEIGHT):
            expected = f"a number from 0 to {_LARGEST_WEIGHT:g} for each aspect"
            place = Place(query=pair, query_is="id")
            raise invalid(_WEIGHT, lists.function, expected, describe(value), place=place)
    return np.array([found[pair] for pair in asked], np.float64)


def _weights_in_column(column: Column, aspect: Positions, n_aspects: int) -> NDArray[np.float64]:
    """Return the weight of each aspect, which all rows of an aspect have."""
    values, row = read_numbers(column)
    if row is not None:
        first = int(np.setdiff1d(np.arange(aspect.size), row)[0])
        raise column.invalid("a weight in each row", "null or NaN", place=Place(row=first))
    weights = values.astype(np.float64)
    first_weight = np.zeros(n_aspects)
    first_weight[aspect[::-1]] = weights[::-1]  # the first row of an aspect says
    for expected, is_right in (
        (f"numbers from 0 to {_LARGEST_WEIGHT:g}", (weights >= 0) & (weights <= _LARGEST_WEIGHT)),
        ("the same number in all rows of an aspect of a query", weights == first_weight[aspect]),
    ):
        if not is_right.all():
            first = int(np.argmin(is_right))
            raise column.invalid(expected, str(values[first]), place=Place(row=first))
    return first_weight


def _places_of(
    entries: _AspectEntries,
    names: list[Any],
    n_aspects: Positions,
    weight: NDArray[np.float64] | None,
) -> _PlacedJudgments:
    """Return the items of all queries with their places. `n_aspects` are those of each query."""
    n_queries = n_aspects.size
    query = np.repeat(np.arange(n_queries), n_aspects)[entries.aspect]
    n_codes = int(entries.item.max(initial=0)) + 1
    keys, entry, item = np.unique(
        query * n_codes + entries.item, return_index=True, return_inverse=True
    )
    query_of_item = keys // n_codes
    n_items = np.bincount(query_of_item, minlength=n_queries)
    place = np.arange(1, keys.size + 1) - (np.cumsum(n_items) - n_items)[query_of_item]
    # Queries without aspects share a last one, for which no item was judged.
    n_of_query = np.append(n_aspects, 0)
    first = np.where(n_of_query > 0, np.cumsum(n_of_query) - n_of_query, len(names))
    n_labels = np.append(np.repeat(n_items, n_aspects) + 1, 1)
    start = np.cumsum(n_labels) - n_labels
    index = start[entries.aspect] + place[item]
    labels = np.zeros(n_labels.sum(), entries.labels.dtype)
    is_judged = np.zeros(labels.size, dtype=bool)
    # The highest of several labels is written last, and stays.
    rising = np.argsort(entries.labels, kind="stable")
    labels[index[rising]] = entries.labels[rising]
    is_judged[index] = True
    weights = None if weight is None else np.append(weight, 1)
    gains = labels != 0
    aspects = Aspects(
        first,
        np.maximum(n_of_query, 1),
        [*names, None],
        start,
        labels,
        np.flatnonzero(gains),
        np.add.reduceat(gains, start, dtype=np.intp),
        is_judged,
        weights,
    )
    return _PlacedJudgments(entry, query_of_item, place, aspects)
