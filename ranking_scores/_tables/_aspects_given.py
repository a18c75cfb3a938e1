"""Judgments of the aspects of queries, as judgments of the queries and the labels of each aspect.

The items of all aspects of a query are numbered from 1 on, and these numbers are joined with the
predictions as labels are. So each query is read and ranked once, whatever the number of aspects.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import describe, show_id
from ranking_scores._queries import Aspects
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._lists_of_ids import AspectItems, Lists, items_of_aspects, lists_of


class _Entries(NamedTuple):
    """The judged items of all aspects, one entry for each."""

    aspect: Positions
    """The aspect of each entry, in ascending order."""
    item: NDArray[np.integer[Any]]
    """The code of each item."""
    labels: NDArray[Any]


class PlacesOfItems(NamedTuple):
    """The judged items of queries, each once, and their places."""

    entry: Positions
    """An entry of each item."""
    query: Positions
    """The number of the query of each item, in ascending order."""
    place: Positions
    """The place of each item among those of its query, from 1 on."""
    aspects: Aspects


def aspects_of_lists(
    relevant: Any, split: str | None, duplicates: str, function: str
) -> tuple[Any, Aspects]:
    """Return the places of items in the form of lists of relevant items, and the aspects.

    `relevant` has a dict of aspects for each query. The first query of the aspects is that of the
    first list, and the last one, -1, is a query without aspects.
    """
    lists = lists_of(relevant, "aspects", "relevant", function)
    inner, n_aspects = _lists_of_aspects(lists)
    names = [aspect for _, aspect in inner.queries or ()]
    given = items_of_aspects(inner, split)
    aspect = np.repeat(np.arange(len(names)), given.length)
    labels = np.ones(aspect.size, np.int8) if given.labels is None else given.labels
    entries = _Entries(aspect, given.code, labels)
    _check_repeats(entries, given, inner, duplicates)
    places = _places_of(entries, names, n_aspects)
    ids = list(map(given.values.__getitem__, places.entry.tolist()))
    stop = np.cumsum(np.bincount(places.query, minlength=n_aspects.size)).tolist()
    pairs = list(zip(ids, places.place.tolist(), strict=True))
    rows = [dict(pairs[start:end]) for start, end in zip([0, *stop], stop, strict=False)]
    found = rows if lists.queries is None else dict(zip(lists.queries, rows, strict=True))
    return found, places.aspects


def _lists_of_aspects(lists: Lists) -> tuple[Lists, Positions]:
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


def _check_repeats(entries: _Entries, given: AspectItems, inner: Lists, duplicates: str) -> None:
    """Raise if an aspect has an item twice and nothing says which of its labels counts."""
    if duplicates != "error":
        return
    order = np.lexsort((entries.item, entries.aspect))
    aspect, item = entries.aspect[order], entries.item[order]
    repeats = (aspect[1:] == aspect[:-1]) & (item[1:] == item[:-1])
    if repeats.any():
        entry = int(order[np.argmax(repeats)])
        got = f"item {show_id(given.values[entry])} more than once"
        number = int(entries.aspect[entry])
        advice = 'With `duplicates="best"` it counts once, with its highest grade.'
        raise inner.invalid("lists that have each item once", got, advice, number)


def _places_of(entries: _Entries, names: list[Any], n_aspects: Positions) -> PlacesOfItems:
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
    by_label = np.argsort(entries.labels, kind="stable")  # so that the highest one stays
    labels[index[by_label]] = entries.labels[by_label]
    is_judged[index] = True
    aspects = Aspects(first, np.maximum(n_of_query, 1), [*names, None], start, labels, is_judged)
    return PlacesOfItems(entry, query_of_item, place, aspects)
