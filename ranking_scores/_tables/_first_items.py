"""The first items of queries, found among the judgments of their own query.

An id becomes a number of 64 bits, and an item is found if its number and its query are those of a
judgment. As different texts may have one number, the few pairs that are found are compared. What
is there twice, or is neither text nor whole numbers, is left to the join of all items.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import PackedText, mixed, packed_iterable
from ranking_scores._queries import FirstItems, Groups, groups_of_lengths, have_ties
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._ranking_data import JudgedItems, Read

Keys = NDArray[np.uint64]
ItemIds = PackedText | NDArray[np.int64]
"""Ids of items that are text or whole numbers."""

_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
"""An odd number, whose multiples tell queries apart."""
_MOST_BITS = 24
"""The size of the table in which items are looked up first is at most two to this power."""


class ItemsOfQueries(NamedTuple):
    """The judged or the predicted items of all queries, one query after the other."""

    ids: ItemIds
    length: Positions
    """The number of items of each query."""
    numbers: NDArray[Any]
    """The label or the score of each item."""
    may_tie: bool = True
    """Whether scores of a query may be equal."""

    @property
    def query(self) -> Positions:
        """The query of each item."""
        return np.repeat(np.arange(self.length.size), self.length)

    @property
    def groups(self) -> Groups:
        """The rows of each query."""
        return groups_of_lengths(self.length)


def ids_of_objects(objects: Iterable[Any], n_objects: int) -> ItemIds | None:
    """Return as many ids that are all text, or all whole numbers; None: they are not."""
    objects = iter(objects)
    first = next(objects, None)
    objects = chain((first,), objects)
    try:
        if type(first) is str:
            return packed_iterable(objects, int(n_objects))
        numbers = list(objects)
        if set(map(type, numbers)) == {int}:
            return np.array(numbers, np.int64)
    except (TypeError, OverflowError):  # of other types among text, and of wide numbers
        pass
    return None


def first_items_of(judged: ItemsOfQueries, found: ItemsOfQueries, depth: int) -> Read | None:
    """Return judgments and predictions, of which these can be at the ranks up to `depth`.

    None: an item is there twice, or no judged item is found.
    """
    if type(judged.ids) is not type(found.ids):
        return None
    keys = (keys_of(each.ids, each.query) for each in (judged, found))
    of_judged, of_found = find_equal(*keys)
    if not of_found.size or (judged.query[of_judged] != found.query[of_found]).any():
        return None
    if not _are_equal(judged.ids[of_judged], found.ids[of_found]):
        return None
    labels = np.zeros(found.numbers.size, judged.numbers.dtype)
    labels[of_found] = judged.numbers[of_judged]
    order = _order_of_ties(found)
    return as_read(depth, judged, found.length, found.numbers[order], labels[order])


def as_read(
    depth: int,
    judged: ItemsOfQueries,
    length: Positions,
    scores: NDArray[Any],
    labels: NDArray[Any],
) -> Read:
    """Return the judged items, and the scores and labels of those that were found."""
    first = FirstItems(length, scores, labels, judged.length, judged.numbers)
    item = np.arange(judged.numbers.size)
    ids = cast(Any, judged.ids)  # packed text reads as an array
    return Read(depth, first, JudgedItems(judged.query, item, ids, judged.numbers))


def keys_of(values: PackedText | NDArray[Any], query: Positions) -> Keys:
    """Return a number for each text or number of 64 bits of a query."""
    return (_hashes(values) + query.astype(np.uint64)) * _FACTOR


def _hashes(values: PackedText | NDArray[Any]) -> Keys:
    """Return a number for each text or number of 64 bits."""
    if isinstance(values, PackedText):
        return values.hashes()
    return mixed(values.view(np.uint64))


def _are_equal(ids: ItemIds, others: ItemIds) -> bool:
    """Return whether ids are equal to others of the same type."""
    if isinstance(ids, PackedText):
        return ids.equals(cast(PackedText, others))
    return np.array_equal(ids, cast(NDArray[Any], others))


def find_equal(judged: Keys, found: Keys) -> tuple[Positions, Positions]:
    """Return the judged and the found items that share a key; none if keys are repeated."""
    order = np.argsort(judged)
    judged, in_order = judged[order], np.sort(found)
    if any((each[1:] == each[:-1]).any() for each in (judged, in_order)):
        return order[:0], order[:0]
    # Most items were not judged, which a few bits of their keys tell.
    bits = min(judged.size.bit_length() + 5, _MOST_BITS)
    shift = np.uint64(64 - bits)
    is_there = np.zeros(2**bits, dtype=bool)
    is_there[judged >> shift] = True
    may_be = np.flatnonzero(is_there[found >> shift])
    key = found[may_be]
    place = np.minimum(np.searchsorted(judged, key), judged.size - 1)
    are_equal = judged[place] == key
    return order[place[are_equal]], may_be[are_equal]


def _order_of_ties(found: ItemsOfQueries) -> slice | Positions:
    """Return the order in which items are in that of their ids, in queries whose scores tie."""
    if not found.may_tie:
        return slice(None)
    tied = np.flatnonzero(have_ties(found.numbers, found.groups))
    if not tied.size:
        return slice(None)
    rows = found.groups.rows_of(tied)
    ids = found.ids[rows]
    code = ids.sorted_unique()[1] if isinstance(ids, PackedText) else ids
    order = np.arange(found.numbers.size)
    order[rows] = rows[np.lexsort((code, found.query[rows]))]
    return order
