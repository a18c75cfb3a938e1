"""The first items of lists and dicts of Python, without a table of all ids.

Of lists only the first places are looked at, and of dicts only the numbers and what is found.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, compress, islice
from operator import itemgetter
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import PackedText
from ranking_scores._queries import are_first, groups_of_lengths
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._first_items import (
    ItemsOfQueries,
    as_read,
    find_equal,
    first_items_of,
    ids_of_objects,
    keys_of,
)
from ranking_scores._tables._ranking_data import Read

_PART = 2**14
"""The number of objects that are looked at twice at once."""
_FIRST, _SECOND = itemgetter(0), itemgetter(1)


def first_of_lists(relevant: Any, retrieved: Any, scores: Any, depth: int) -> Read | None:
    """Return the items that count if only the ranks up to `depth` do.

    All have something for each query, the same queries in the same order. None: this is not a list
    or a dict of text or of whole numbers, an id is there twice, or no relevant id is found.
    """
    if not isinstance(relevant, list) or not isinstance(retrieved, list):
        return None
    judged = _judged_of(relevant)
    if judged is None:
        return None
    if scores is None and set(map(type, retrieved)) <= {dict, NoneType}:
        read = _first_of_dicts(judged, relevant, retrieved, depth)
        if read is not None:
            return read
    found = _found_of(retrieved, scores, depth)
    return None if found is None else first_items_of(judged, found, depth)


def _first_of_dicts(
    judged: ItemsOfQueries, relevant: list[Any], retrieved: list[Any], depth: int
) -> Read | None:
    """Return the same of dicts of scores, in whose first items no scores of a query are equal.

    The judged items are looked up in the dicts, and their scores tell their places. So no other
    id is looked at. None: scores tie, or it is as above.
    """
    full = list(filter(None, retrieved))
    scores = as_numbers(chain.from_iterable(map(dict.values, full)))
    if scores is None or not _may_have(chain.from_iterable(full), judged):
        return None
    length = _lengths(retrieved)
    if length.max() > depth:
        are_kept = are_first(scores, groups_of_lengths(length), depth)
        scores, length = scores[are_kept], _count(are_kept, length)
    lookups = ((row or {}).get for row in retrieved)
    sought = map(map, lookups, (row or () for row in relevant))
    found = list(chain.from_iterable(sought))
    row = np.flatnonzero(np.fromiter((each is not None for each in found), bool, len(found)))
    score_of_row = np.array([found[number] for number in row.tolist()], scores.dtype)
    query, query_of_row = np.repeat(np.arange(length.size), length), judged.query[row]
    lowest = np.full(length.size, scores.max(), scores.dtype)
    np.minimum.at(lowest, query, scores)
    is_first = score_of_row >= lowest[query_of_row]
    row, score_of_row, query_of_row = row[is_first], score_of_row[is_first], query_of_row[is_first]
    keys = keys_of(score_of_row + 0.0, query_of_row), keys_of(scores + 0.0, query)  # -0 becomes 0
    of_row, place = find_equal(*keys)  # that of its own item, as no key is repeated
    if not place.size:
        return None
    labels = np.zeros(scores.size, judged.numbers.dtype)
    labels[place] = judged.numbers[row[of_row]]
    return as_read(depth, judged, length, scores, labels)


def _may_have(ids: Iterable[Any], items: ItemsOfQueries) -> bool:
    """Return whether ids are of the type of those of items, so that a dict tells them apart."""
    if isinstance(items.ids, PackedText):
        return type(next(iter(ids), None)) is str  # no text is equal to anything else
    return set(map(type, ids)) == {int}  # but 1 is equal to True and to 1.0


def _judged_of(rows: list[Any]) -> ItemsOfQueries | None:
    """Return the relevant ids; None: some queries have something else."""
    types = set(map(type, rows)) - {NoneType}
    if types == {dict}:
        return _of_dicts(rows, None)
    if not types <= {list, tuple, set, frozenset}:
        return None
    length = _lengths(rows)
    ids = ids_of_objects(chain.from_iterable(filter(None, rows)), length.sum())
    return None if ids is None else ItemsOfQueries(ids, length, np.ones(length.sum(), np.int8))


def _found_of(rows: list[Any], scores: Any, depth: int) -> ItemsOfQueries | None:
    """Return the retrieved ids that can be at the ranks up to `depth`; None: as above."""
    types = set(map(type, rows)) - {NoneType}
    if types == {dict} and scores is None:
        return _of_dicts(rows, depth)
    if not types <= {list, tuple}:
        return None
    length, full = _lengths(rows), list(filter(None, rows))
    if scores is not None:
        is_list = isinstance(scores, list) and set(map(type, scores)) <= {list, tuple, NoneType}
        if not is_list or not np.array_equal(_lengths(scores), length):
            return None
        numbers = chain.from_iterable(filter(None, scores))
        return _cut(chain.from_iterable(full), length, numbers, depth)
    if full and isinstance(full[0][0], (tuple, list)):
        pairs = list(chain.from_iterable(full))
        if not set(map(type, pairs)) <= {tuple, list} or set(map(len, pairs)) != {2}:
            return None
        return _cut(map(_FIRST, pairs), length, map(_SECOND, pairs), depth)
    first: Iterable[Any] = full
    if length.max() > depth:
        first, length = map(itemgetter(slice(depth)), full), np.minimum(length, depth)
    ids = ids_of_objects(chain.from_iterable(first), length.sum())
    # The first of a list has the score -1, as if its rank was 1.
    place = np.repeat(np.cumsum(length) - length, length) - np.arange(1, length.sum() + 1)
    return None if ids is None else ItemsOfQueries(ids, length, place, may_tie=False)


def _lengths(rows: list[Any]) -> Positions:
    """Return the number of entries of each query."""
    rows = rows if all(rows) else [row or () for row in rows]
    return np.fromiter(map(len, rows), np.intp, len(rows))


def _of_dicts(rows: list[Any], depth: int | None) -> ItemsOfQueries | None:
    """Return the ids of dicts with their numbers."""
    full = list(filter(None, rows))
    numbers = chain.from_iterable(map(dict.values, full))
    return _cut(chain.from_iterable(full), _lengths(rows), numbers, depth)


def _cut(
    ids: Iterable[Any], length: Positions, numbers: Iterable[Any], depth: int | None
) -> ItemsOfQueries | None:
    """Return what can be at the ranks up to `depth`; None: the numbers are not of one type."""
    values = as_numbers(numbers)
    if values is None:
        return None
    if depth is not None and length.max() > depth:
        are_kept = are_first(values, groups_of_lengths(length), depth)
        length = _count(are_kept, length)
        ids, values = compress(ids, are_kept), values[are_kept]
    read = ids_of_objects(ids, length.sum())
    return None if read is None else ItemsOfQueries(read, length, values)


def _count(are_kept: NDArray[np.bool_], length: Positions) -> Positions:
    """Return the number of entries of each query that are kept."""
    query = np.repeat(np.arange(length.size), length)
    return np.bincount(query[are_kept], minlength=length.size)


def as_numbers(numbers: Iterable[Any]) -> NDArray[Any] | None:
    """Return finite numbers as an array; None: they are not all ints or all floats."""
    numbers, parts, types = iter(numbers), [], set()
    while part := list(islice(numbers, _PART)):  # which stays in the cache
        types |= set(map(type, part))
        if types not in ({int}, {float}):
            return None
        parts.append(np.array(part))
    values = np.concatenate(parts or [np.empty(0)])
    return values if values.dtype.kind in "if" and np.isfinite(values).all() else None
