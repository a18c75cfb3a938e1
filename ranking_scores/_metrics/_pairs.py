"""The number of pairs of items that the scores put in the order of the labels.

The labels of a query come as levels: whole numbers from 0 on, and higher levels are better. The
highest binary digit in which the levels of two items differ decides which item is better. So pairs
are counted digit by digit, as in a radix sort. Take five items with the levels 2, 0, 3, 1 and 2,
with the best score first::

    level                       10  00  11  01  10
    upper digit                  1   0   1   0   1    3 of 6 pairs have the 1 above the 0
    parted, the 1s first        10  11  10 | 00  01   each part in its old order
    lower digit                  0   1   0 |  0   1   1 of 2 pairs, and 0 of 1

So 4 of the 9 pairs of unequal levels are in order. Each digit takes one pass over the items. The
labels 0 to 4 take three passes, however long a query is. Knight (1966) counts the pairs by a merge
sort, which is the same idea with halves of the list instead of digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._profiles import Ranking, TieGroups, tie_groups

Ints = NDArray[np.int64]
Levels = NDArray[np.integer[Any]]
Positions = NDArray[np.intp]

_FEW = 8
"""Up to this number of items per digit, comparing all pairs is faster than parting the items."""


def pairs_in_order(level: Levels, ranking: Ranking, lengths: Positions) -> tuple[Ints, Ints]:
    """Return twice the number of pairs in order, and the number of pairs, of each query.

    A pair is two items of unequal `level`, (n_queries, n_cells). It is in order if the item of the
    higher level has the higher score. A pair with equal scores is in order in half of all orders,
    so it counts half.
    """
    shape = level.shape
    level_by_rank = level.ravel().take(ranking.cell)
    n_tied = _n_within(ranking.groups, shape)
    if ranking.groups is not None:
        # The lowest level goes first in each tie group, so that no pair there is in order.
        group = np.repeat(np.arange(ranking.groups.size.size), ranking.groups.size)
        key, n_digits = _keys(group.reshape(shape), level_by_rank)
        key.sort(axis=1)
        n_tied -= _n_within(tie_groups(key), shape)
        level_by_rank = key & (2**n_digits - 1)
    if lengths.min() < shape[1]:
        level_by_rank = level_by_rank[np.arange(shape[1]) < lengths[:, None]]
    n_in_order, n_pairs = _count(level_by_rank.ravel(), lengths)
    return 2 * n_in_order + n_tied, n_pairs


def _keys(group: Positions, level: Levels) -> tuple[Levels, int]:
    """Return ints that sort by group and then by level, and the number of digits of the level.

    The level is in the last digits. `group` never falls.
    """
    n_digits = int(level.max()).bit_length()
    dtype = np.min_scalar_type((int(group.flat[-1]) + 1) << n_digits)
    return group.astype(dtype) << n_digits | level.astype(dtype), n_digits


def _n_within(groups: TieGroups | None, shape: tuple[int, ...]) -> Ints:
    """Return for each query the number of pairs of items of the same group."""
    n_pairs = np.zeros(shape[0], dtype=np.int64)
    if groups is not None:
        tied = np.flatnonzero(groups.size > 1)
        query = groups.start[tied] // shape[1]
        np.add.at(n_pairs, query, _pairs_among(groups.size[tied]))
    return n_pairs


def _pairs_among(size: Positions | Ints) -> Ints:
    """Return the number of pairs that a number of items makes."""
    size = size.astype(np.int64, copy=False)
    return np.asarray(size * (size - 1) // 2)


def _count(level: Levels, lengths: Positions) -> tuple[Ints, Ints]:
    """Return for each query the number of pairs with the higher level first, and of all pairs.

    `level` is 1-D, query after query.
    """
    n_in_order, n_pairs = np.zeros((2, lengths.size), dtype=np.int64)
    for query, in_order, pairs in _passes(level, lengths):
        np.add.at(n_in_order, query, in_order)
        np.add.at(n_pairs, query, pairs)
    return n_in_order, n_pairs


def _passes(level: Levels, lengths: Positions) -> Iterator[tuple[Positions, Ints, Ints]]:
    """Yield the query of each group, its pairs with the higher level first, and all its pairs.

    A group consists of the items of a query that share their higher digits. A pass counts the
    pairs of each group that the next digit decides, and parts the group.
    """
    query = np.flatnonzero(lengths)
    size = lengths[query].astype(np.int64, copy=False)
    position = np.arange(level.size, dtype=np.int64)
    n_digits = int(level.max(initial=0)).bit_length()
    while n_digits and size.max() > _FEW * n_digits:
        n_digits -= 1
        is_low = level & 2**n_digits == 0
        start = _starts(size)
        n_low = np.add.reduceat(is_low, start, dtype=np.int64)
        n_high = size - n_low
        above_low = np.add.reduceat(position * is_low, start) - n_low * start
        yield query, above_low - _pairs_among(n_low), n_high * n_low  # minus those of two low ones
        if n_digits:
            level = level.take(np.concatenate([np.flatnonzero(~is_low), np.flatnonzero(is_low)]))
            size = np.concatenate([n_high, n_low])
            is_group = np.flatnonzero(size)
            size, query = size[is_group], np.tile(query, 2)[is_group]
    if n_digits:
        yield query, *_compare(level, size)


def _starts(size: Ints) -> Positions:
    """Return where groups begin, as places in an array, which may have 32 bits only."""
    return (np.cumsum(size) - size).astype(np.intp, copy=False)


def _compare(level: Levels, size: Ints) -> tuple[Ints, Ints]:
    """Return the same counts for groups of few items, by comparing each item with all others."""
    start = _starts(size)
    counts = _compare_each(level, size)
    in_order, equal = (np.add.reduceat(n, start, dtype=np.int64) for n in counts)
    return in_order, _pairs_among(size) - equal


def _compare_each(level: Levels, size: Ints) -> NDArray[np.uint16]:
    """Return how many items before each one in its group have a higher, and an equal, level."""
    # Of two groups, the later one has the higher keys, so that no pair between them is counted.
    group = np.repeat(np.arange(size.size), size.astype(np.intp, copy=False))
    key, _ = _keys(group, level)
    n_higher, n_equal = counts = np.zeros((2, level.size), dtype=np.uint16)
    for distance in range(1, int(size.max())):
        n_higher[distance:] += key[:-distance] > key[distance:]
        n_equal[distance:] += key[:-distance] == key[distance:]
    return counts


def count_before(level: Levels, lengths: Positions) -> tuple[Ints, Ints]:
    """Return how many items before each one in its query have a higher, and an equal, level.

    `level` is 1-D, query after query. The passes are those of `_passes`, item by item.
    """
    n_higher, n_equal = np.zeros((2, level.size), dtype=np.int64)
    size = lengths[lengths > 0].astype(np.int64, copy=False)
    item = np.arange(level.size)
    n_digits = int(level.max(initial=0)).bit_length()
    while n_digits and size.max() > _FEW * n_digits:
        n_digits -= 1
        is_low = level & 2**n_digits == 0
        start = _starts(size)
        n_low = np.add.reduceat(is_low, start, dtype=np.int64)
        low, high = np.flatnonzero(is_low), np.flatnonzero(~is_low)
        # The k-th low item of all stands after as many high ones as its place exceeds k. Those of
        # the groups before its own do not count.
        n_high = size - n_low
        n_higher[item[low]] += low - np.arange(low.size) - np.repeat(_starts(n_high), n_low)
        order = np.concatenate([high, low])
        level, item = level.take(order), item.take(order)
        size = np.concatenate([n_high, n_low])
        size = size[size > 0]
    if n_digits:
        higher, equal = _compare_each(level, size)
        n_higher[item] += higher
        n_equal[item] = equal
    else:  # the items of a group have the same level
        n_equal[item] = np.arange(level.size) - np.repeat(_starts(size), size)
    return n_higher, n_equal
