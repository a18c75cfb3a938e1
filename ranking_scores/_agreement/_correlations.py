"""Rank correlations of two rankings of the same items: Kendall's tau and the AP correlation.

The sign of a pair of items is 1 if both rankings put it in the same order, -1 if they do not, and
0 if it ties in one of them. Both correlations are sums of signs over the pairs of n items::

    tau    = sum(sign / (n (n - 1) / 2))
    tau_AP = sum(sign / ((n - 1) (the rank of the lower item - 1)))

where the first ranking is the reference, and ranks are those of the second one. For the mean over
all orders of the ties, an item in a tie group takes the mean of 1 / (rank - 1) over the ranks of
its group. Its signs with the items above do not depend on its rank, and the signs of the pairs in
the group cancel out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement._pairing import PairedRankings
from ranking_scores._metrics import count_before

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.integer[Any]]

_AT_ONCE = 2**15
"""The number of items whose pairs are counted at once, so that the counts stay in the cache."""


class _Pairs(NamedTuple):
    """The pairs of each item with the items above it, and the tie groups, of some queries.

    The items of each query are in the order of the second ranking.
    """

    lengths: Ints
    """The number of items of each query."""
    group: Ints
    """The first item of each tie group of the second ranking."""
    size: Ints
    """The number of items of each group."""
    query: Ints
    """The query of each group."""
    n_above: Ints
    """For each group, the number of items above it."""
    n_wrong: Ints
    """For each group, the number of pairs with items above in the wrong order."""
    n_tied: Ints
    """For each group, the number of pairs with items above that tie in the first ranking."""
    n_all_tied: Floats
    """For each query, the number of pairs that tie in the first ranking."""

    @property
    def signs(self) -> Ints:
        """The sum of the signs of each group with the items above it."""
        return self.n_above * self.size - 2 * self.n_wrong - self.n_tied

    def total(self, of_group: NDArray[Any]) -> Floats:
        """Return the sum over the groups of each query, from the first to the last."""
        totals = np.bincount(self.query, of_group, self.lengths.size)
        return totals.astype(np.float64, copy=False)


def kendall(a: Places, b: Places, lengths: Ints) -> Floats:
    """Return Kendall's tau-a of each query, the mean over all orders of the ties.

    `a` and `b` have the place of each item in two rankings, query after query: whole numbers from
    0 on, the best item first. Items of the same place tie. Queries of fewer than two items have
    the value NaN.
    """

    def tau_a(pairs: _Pairs) -> Floats:
        return _quotient(pairs.total(pairs.signs), _among(pairs.lengths))

    return _in_pieces(tau_a, a, b, lengths)


def _kendall_corrected(a: Places, b: Places, lengths: Ints) -> Floats:
    """Return Kendall's tau-b of each query. The parameters are those of `kendall`.

    It is NaN if all items tie in one of the rankings.
    """

    def tau_b(pairs: _Pairs) -> Floats:
        n_pairs = _among(pairs.lengths)
        in_a, in_b = n_pairs - pairs.n_all_tied, n_pairs - pairs.total(_among(pairs.size))
        return _quotient(pairs.total(pairs.signs), np.sqrt(in_a * in_b))

    return _in_pieces(tau_b, a, b, lengths)


def ap(a: Places, b: Places, lengths: Ints) -> Floats:
    """Return the AP correlation of each query, the mean over all orders of the ties.

    The parameters are those of `kendall`, and `a` is the reference.
    """

    def tau_ap(pairs: _Pairs) -> Floats:
        n_items = int(pairs.size.sum())
        above = np.arange(n_items) - np.repeat(pairs.group - pairs.n_above, pairs.size)
        weight = np.add.reduceat(1 / np.maximum(above, 1), pairs.group) / pairs.size
        return _quotient(pairs.total(weight * pairs.signs), pairs.lengths - 1)

    return _in_pieces(tau_ap, a, b, lengths)


def _ap_corrected(a: Places, b: Places, lengths: Ints) -> Floats:
    """Return the symmetric AP correlation of each query that takes ties as a judgment.

    All items of a tie group have the rank of its first one, and those of the first group do not
    count. A pair that ties in the other ranking alone is in the wrong order. The parameters are
    those of `kendall`. It is NaN if all items tie in one of the rankings.
    """

    def of_groups(pairs: _Pairs) -> Floats:
        is_below = pairs.n_above > 0
        share = (pairs.signs - pairs.n_tied) / np.maximum(pairs.n_above, 1)
        return _quotient(pairs.total(share), pairs.total(pairs.size * is_below))

    return (_in_pieces(of_groups, a, b, lengths) + _in_pieces(of_groups, b, a, lengths)) / 2


def _among(n: Ints) -> Floats:
    """Return the number of pairs of some items."""
    n_pairs: Floats = n * (n - 1.0) / 2
    return n_pairs


def _quotient(total: Floats, n: NDArray[Any]) -> Floats:
    """Return quotients, which are NaN where there are no pairs."""
    quotients: Floats = np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0)
    return quotients


def _in_pieces(
    correlation: Callable[[_Pairs], Floats], a: Places, b: Places, lengths: Ints
) -> Floats:
    """Return the correlation of each query, from the pairs of some queries at a time."""
    found = [np.empty(0)]
    end = np.cumsum(lengths)
    for first, last in _cuts(end):
        begin = int(end[first] - lengths[first])
        items = slice(begin, int(end[last - 1]))
        found.append(correlation(_pairs(a[items], b[items], lengths[first:last])))
    return np.concatenate(found)


def _cuts(end: Ints) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of some queries at a time, which are whole ones."""
    first = 0
    while first < end.size:
        before = end[first - 1] if first else 0
        last = int(np.searchsorted(end, before + _AT_ONCE, side="right"))
        last = max(last, first + 1)
        yield first, last
        first = last


def _pairs(a: Places, b: Places, lengths: Ints) -> _Pairs:
    """Return the pairs of some queries."""
    query = np.repeat(np.arange(lengths.size), lengths)
    n_bits = int(a.max(initial=0)).bit_length()
    n_places = int(b.max(initial=0)) + 1
    key = query * n_places + b << n_bits | a
    key.sort()
    of_a, of_b = key & 2**n_bits - 1, key >> n_bits
    of_a = of_a.astype(np.min_scalar_type(2**n_bits))  # pairs of small ints are compared faster
    n_wrong, n_equal = count_before(of_a, lengths)
    group, pair = _starts(of_b), _starts(key)
    size, of_pair = (np.diff(each, append=key.size) for each in (group, pair))
    n_tied = n_equal - (np.arange(key.size) - np.repeat(pair, of_pair))  # without its own group
    of_group = query[group]
    begin = np.cumsum(lengths) - lengths
    return _Pairs(
        lengths=lengths,
        group=group,
        size=size,
        query=of_group,
        n_above=group - begin[of_group],
        n_wrong=np.add.reduceat(n_wrong, group),
        n_tied=np.add.reduceat(n_tied, group),
        n_all_tied=np.bincount(query, n_equal, lengths.size).astype(np.float64, copy=False),
    )


def _starts(values: Ints) -> Ints:
    """Return where runs of equal values begin."""
    return np.flatnonzero(np.diff(values, prepend=-1))


Correlation = Callable[[Places, Places, Ints], Floats]
CORRELATIONS: dict[str, dict[str, Correlation]] = {
    "kendall_tau": {"mean": kendall, "corrected": _kendall_corrected},
    "tau_ap": {"mean": ap, "corrected": _ap_corrected},
}
"""The functions of both correlations, by the treatment of ties."""


def correlation_by_query(paired: PairedRankings, function: str, ties: str) -> Floats:
    """Return the correlation of each query over the items that both rankings have."""
    is_shared = (paired.a.size > 0) & (paired.b.size > 0)
    places = paired.a.above[is_shared], paired.b.above[is_shared]
    return CORRELATIONS[function][ties](*places, paired.n_shared)
