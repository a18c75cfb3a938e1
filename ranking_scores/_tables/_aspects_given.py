"""Judgments of the aspects of queries, as judgments of the queries and the labels of each aspect.

The items of all aspects of a query are numbered from 1 on, and these numbers are joined with the
predictions as labels are. So each query is read and ranked once, whatever the number of aspects.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, invalid, show_id
from ranking_scores._base._ids import as_objects
from ranking_scores._base._packed_text import PackedText
from ranking_scores._base._sorting import start_runs
from ranking_scores._base._validation import describe
from ranking_scores._queries._data import Aspects
from ranking_scores._tables._columns import Column, Positions, read_ids, read_numbers, unique_ids
from ranking_scores._tables._cut_ids import IdCut
from ranking_scores._tables._join import HIGHEST_LABEL, JoinSide
from ranking_scores._tables._lists_of_ids import (
    AspectItems,
    ListsByQuery,
    ids_in_lists,
    items_of_aspects,
    lists_of,
)

_WEIGHT = "aspect_weight"
_LARGEST_WEIGHT = 1e300
"""The largest weight of an aspect, so that the sum of those of a query is finite."""


class GivenAspects(NamedTuple):
    """The aspects of judged queries, of which the last one has none, and the judged items."""

    aspects: Aspects
    query: Positions
    """The number of the query of each list or row of the judgments, as `aspects` counts them."""


def aspects_of_lists(
    relevant: Any,
    weight: Any,
    split: IdCut | None,
    duplicates: str,
    function: str,
    parameter: str = "relevant",
) -> tuple[Any, GivenAspects]:
    """Return the places of items in the form of lists of relevant items, and the aspects.

    `relevant` has a dict of aspects for each query, and so has `weight`, unless it is None.
    """
    lists = lists_of(relevant, "aspects", parameter, function)
    for number, row in enumerate(lists.rows):
        if not isinstance(row, dict | None):
            expected = "a dict of aspects for each query, each with a list or a dict of its items"
            raise lists.invalid(expected, describe(row), number=number)
    full = [row or {} for row in lists.rows]
    n_aspects = np.array([*map(len, full)], dtype=np.intp)
    names = list(chain.from_iterable(full))
    query_ids = range(len(full)) if lists.queries is None else lists.queries
    query_of_aspect = chain.from_iterable(map(repeat, query_ids, n_aspects.tolist()))
    queries = list(zip(query_of_aspect, names, strict=True))
    parts = list(chain.from_iterable(map(dict.values, full)))
    inner = lists._replace(role="aspect", queries=queries, rows=ids_in_lists(parts))
    entries, values = items_of_aspects(inner, split)
    placed = _places_of(entries, names, n_aspects)
    if duplicates == "error" and placed.repeated is not None:
        got = f"item {show_id(values[placed.repeated])} more than once"
        number = int(entries.aspect[placed.repeated])
        raise inner.invalid("lists that have each item once", got, HIGHEST_LABEL, number)
    weights = None if weight is None else _weights_in_dicts(weight, lists, inner)
    keys = as_objects(values)[placed.entry].tolist()
    stop = np.cumsum(np.bincount(placed.query, minlength=n_aspects.size)).tolist()
    rows = [  # The places of each query count from 1 on.
        dict(zip(keys[start:end], count(1), strict=False))
        for start, end in zip([0, *stop], stop, strict=False)
    ]
    found = rows if lists.queries is None else dict(zip(lists.queries, rows, strict=True))
    return found, GivenAspects(placed.aspects._replace(weight=weights), np.arange(n_aspects.size))


def aspects_of_alternatives(relevant: Any, function: str, parameter: str = "relevant") -> Any:
    """Return lists of lists of ids as dicts of aspects, which are numbered."""
    lists = lists_of(relevant, "relevant", parameter, function)
    rows = []
    for number, row in enumerate(lists.rows):
        needs = [] if row is None else list(row)
        if isinstance(row, Mapping) or not all(isinstance(own, _LISTS) for own in needs):
            expected = "a list of lists of ids for each query: `[['a', 'b'], ['c']]`"
            raise lists.invalid(expected, describe(row), number=number)
        rows.append(dict(enumerate(needs)))
    return rows if lists.queries is None else dict(zip(lists.queries, rows, strict=True))


_LISTS = (list, set, frozenset)
"""The types of lists of ids of which any one is enough. A tuple may be an id."""


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
    (_, query), (_, item) = map(unique_ids, (side.query, side.items()))
    names, name = unique_ids(read_ids(columns["aspect"], side.query))
    keys, aspect = np.unique(query * names.size + name, return_inverse=True)
    entries = AspectItems(aspect, item, side.values())
    n_aspects = np.bincount(keys // names.size, minlength=int(query.max(initial=-1)) + 1)
    aspect_names = np.asarray(names)[keys % names.size].tolist()
    placed = _places_of(entries, aspect_names, n_aspects)
    if duplicates == "error" and placed.repeated is not None:
        items, query_ids, row = side.items(), side.query, placed.repeated
        got = f"item {show_id(items.values[items.code[row]])} more than once"
        pair = query_ids.values[query_ids.code[row]], names[name[row]]
        where = Place(query=pair, query_is="id")
        expected = "each item only once per aspect of a query"
        raise columns["item"].invalid(expected, got, code=HIGHEST_LABEL, place=where)
    given = columns.get(_WEIGHT)
    weights = None if given is None else _weights_in_column(given, aspect, keys.size)
    in_order = np.argsort(placed.entry)
    judged = side.at(placed.entry[in_order])._replace(numbers=placed.place[in_order])
    return judged, GivenAspects(placed.aspects._replace(weight=weights), placed.query[in_order])


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
    return np.array([*(found[pair] for pair in asked), 1], np.float64)  # the last one has no name


def _weights_in_column(column: Column, aspect: Positions, n_aspects: int) -> NDArray[np.float64]:
    """Return the weight of each aspect, which all rows of an aspect have."""
    values, row = read_numbers(column)
    if row is not None:
        first = int(np.setdiff1d(np.arange(aspect.size), row)[0])
        raise column.invalid("a weight in each row", "null or NaN", place=Place(row=first))
    weights = values.astype(np.float64)
    first_weight = np.ones(n_aspects + 1)  # the last one has no name
    first_weight[aspect[::-1]] = weights[::-1]  # the first row of an aspect says
    for expected, is_right in (
        (f"numbers from 0 to {_LARGEST_WEIGHT:g}", (weights >= 0) & (weights <= _LARGEST_WEIGHT)),
        ("the same number in all rows of an aspect of a query", weights == first_weight[aspect]),
    ):
        if not is_right.all():
            first = int(np.argmin(is_right))
            raise column.invalid(expected, str(values[first]), place=Place(row=first))
    return first_weight


class _PlacedItems(NamedTuple):
    """The judged items of queries, each of which is there once, in the order of their ids."""

    entry: Positions
    """An entry of each item."""
    query: Positions
    place: Positions
    """The place of each item in its query, from 1 on."""
    aspects: Aspects
    repeated: int | None
    """An entry whose item an earlier entry of its aspect has; None: there is none."""


def _places_of(entries: AspectItems, names: list[Any], n_aspects: Positions) -> _PlacedItems:
    """Return the judged items with their places. `n_aspects` are those of each query."""
    n_queries = n_aspects.size
    query = np.repeat(np.arange(n_queries), n_aspects)[entries.aspect]
    if isinstance(entries.item, PackedText):
        order, is_first = entries.item.sorted_in_rows(query)
    else:
        order = np.lexsort((entries.item, query))
        is_first = start_runs(query[order]) | start_runs(entries.item[order])
    entry, item = order[is_first].astype(np.intp), np.empty(order.size, np.intp)
    item[order] = np.cumsum(is_first) - 1
    query_of_item = query[entry]
    n_items = np.bincount(query_of_item, minlength=n_queries)
    place = np.arange(1, entry.size + 1) - (np.cumsum(n_items) - n_items)[query_of_item]
    # Queries without aspects share a last one, for which no item was judged.
    n_of_query = np.append(n_aspects, 0)
    first = np.where(n_of_query > 0, np.cumsum(n_of_query) - n_of_query, len(names))
    key = entries.aspect * np.intp(n_items.max(initial=0) + 1) + place[item]
    in_order = np.argsort(key, kind="stable")
    is_start, labels, repeated = start_runs(key[in_order]), entries.labels[in_order], None
    if not is_start.all():
        repeated = int(in_order[~is_start].min())
        labels = np.maximum.reduceat(labels, np.flatnonzero(is_start))
    in_order = in_order[is_start]
    n_labels = np.bincount(entries.aspect[in_order], minlength=len(names) + 1)
    aspects = Aspects(
        first,
        np.maximum(n_of_query, 1),
        [*names, None],
        np.append(np.repeat(n_items, n_aspects), 0),
        np.append(0, np.cumsum(n_labels)),
        place[item[in_order]],
        labels,
        None,
    )
    return _PlacedItems(entry, query_of_item, place, aspects, repeated)
