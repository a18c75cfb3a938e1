"""The measures of agreement: overlaps, rank correlations, and their names.

The overlaps need what two rankings share among their first items, at every depth, expected over
the orders of ties. At each depth d, one tie group of a ranking is cut: the groups above it are all
among the first d, those below it are not, and each of its items is with the probability
p = (d - above) / size. If the items of both rankings are counted by where their groups are, four
whole numbers say all::

    E[shared to d] = both + p_a * cut_a + p_b * cut_b + p_a * p_b * cut_both

`both` counts the items that are surely among the first d of both rankings, `cut_a` those in the
group that is cut in a and surely among the first d of b, and so on. Each item adds 1 from one
depth on, up to another, so the sums over depths of all items are linear in the items, and exact.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement._pairing import PairedRankings, Places, Positions
from ranking_scores._base._errors import invalid
from ranking_scores._base._threads import once
from ranking_scores._base._validation import WHOLE_LIST, describe
from ranking_scores._metrics._pairs import count_before
from ranking_scores._metrics._profiles import sum_to_cutoffs
from ranking_scores._queries._blocks import cut_by_length
from ranking_scores._queries._by_ids import run_of

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
ItemPlaces = NDArray[np.integer[Any]]
"""The place of each item in a ranking: whole numbers from 0 on, the best first. Ties are equal."""

_PERSISTENCE_NEAR_1 = 1 - 1e-9
"""From this persistence on, the weight of what is beyond the lists is summed in another way."""


class CutGroups(NamedTuple):
    """The tie group of a ranking that each depth cuts, (n_queries, n_depths)."""

    above: Counts
    size: Counts
    """1 if there is no group."""


class SharedItems:
    """The items that two rankings of some queries share, up to each depth."""

    def __init__(self, paired: PairedRankings, queries: Positions, depth: int) -> None:
        self.queries = queries
        self.n_a, self.n_b = (each.length[queries] for each in (paired.a, paired.b))
        self.shorter, self.longer = np.minimum(self.n_a, self.n_b), np.maximum(self.n_a, self.n_b)
        """The lengths of both lists of each query, (n_queries,)."""
        self.depth = max(min(depth, int(self.longer.max())), 1)
        """The number of depths: that of the longest list, or less if less is asked for."""
        length = np.diff(paired.starts)[queries]
        cells = run_of(paired.groups, queries)
        self._row = np.repeat(np.arange(queries.size), length)
        self._a, self._b = (
            Places(each.above[cells], each.size[cells], each.length[queries])
            for each in (paired.a, paired.b)
        )
        shared: Any = slice(None)
        if not (self._a.size.min(initial=1) and self._b.size.min(initial=1)):
            shared = np.flatnonzero((self._a.size > 0) & (self._b.size > 0))
        self._row_start = self._row[shared] * (self.depth + 1)
        self._above = [each.above[shared] for each in (self._a, self._b)]
        self._last = [each.above[shared] + each.size[shared] for each in (self._a, self._b)]
        self.has_ties = max(each.size.max(initial=1) for each in (self._a, self._b)) > 1

    @property
    def depths(self) -> Floats:
        """The depths, from 1 on."""
        return np.arange(1.0, self.depth + 1)

    @once
    def counts(self) -> tuple[Counts, Counts, Counts, Counts]:
        """The numbers `both`, `cut_a`, `cut_b` and `cut_both` of shared items at each depth."""
        (above_a, above_b), (last_a, last_b) = self._above, self._last
        return (
            self.n_full,
            self._count(np.maximum(above_a + 1, last_b), last_a),
            self._count(np.maximum(above_b + 1, last_a), last_b),
            self._count(np.maximum(above_a, above_b) + 1, np.minimum(last_a, last_b)),
        )

    @once
    def expected(self) -> Floats:
        """The expected number of shared items up to each depth, (n_queries, n_depths)."""
        if not self.has_ties:
            return self.n_full.astype(np.float64)
        both, cut_a, cut_b, cut_both = self.counts
        chance_a, chance_b = (self.chance(each) for each in self.cut)
        # In this order the sum has the same bits if both rankings change places.
        return both + (chance_a * cut_a + chance_b * cut_b) + chance_a * chance_b * cut_both

    @once
    def n_full(self) -> Counts:
        """The number of shared items whose tie groups end up to each depth, in both rankings."""
        return self._count(np.maximum(*self._last))

    @once
    def n_begun(self) -> Counts:
        """The number of shared items whose tie groups begin up to each depth, in both rankings."""
        return self._count(np.maximum(*self._above) + 1)

    @once
    def cut(self) -> tuple[CutGroups, CutGroups]:
        """The tie group that each depth cuts, in a and in b."""
        shape = self.queries.size, self.depth
        groups = []
        for each in (self._a, self._b):
            is_there = (each.size > 0) & (each.above < self.depth)
            place = self._row[is_there] * self.depth + each.above[is_there]
            above, size = np.zeros((2, shape[0] * shape[1]), np.int64)
            above[place], size[place] = each.above[is_there], each.size[is_there]
            above = np.maximum.accumulate(above.reshape(shape), axis=1)
            size = np.take_along_axis(size.reshape(shape), above, axis=1)
            groups.append(CutGroups(above, np.maximum(size, 1)))
        return groups[0], groups[1]

    def chance(self, cut: CutGroups) -> Floats:
        """Return the probability that an item of the cut group is among the first items."""
        return np.asarray((self.depths - cut.above) / cut.size)

    def at_end(self, values: NDArray[Any], length: Positions) -> NDArray[Any]:
        """Return the value at the last depth of some length of each query; 0 if it is 0."""
        column = np.minimum(length, self.depth)
        at_end = values[np.arange(length.size), np.maximum(column, 1) - 1]
        return np.where(column > 0, at_end, 0)

    def _count(self, start: Counts, stop: Counts | None = None) -> Counts:
        """Return how many shared items count at each depth: those from `start` up to `stop`.

        `start` and `stop` are depths. None: an item counts to the end.
        """
        row_start, shape = self._row_start, (self.queries.size, self.depth + 1)
        if stop is not None:
            is_long = start < stop
            row_start, start, stop = row_start[is_long], start[is_long], stop[is_long]
        cell = row_start + np.minimum(start - 1, self.depth)
        change = np.bincount(cell, minlength=shape[0] * shape[1])
        if stop is not None:
            cell = row_start + np.minimum(stop - 1, self.depth)
            change -= np.bincount(cell, minlength=change.size)
        return np.asarray(change.reshape(shape)[:, :-1].cumsum(axis=1))


def values_by_query(
    paired: PairedRankings, depth: int, n_columns: int, score: Callable[[SharedItems], Floats]
) -> Floats:
    """Return the scores of all queries, (n_queries, n_columns); NaN if both lists are empty."""
    values = np.empty((paired.n_queries, n_columns))
    longest = np.maximum(paired.a.length, paired.b.length)
    for queries in cut_by_length(np.maximum(longest, np.diff(paired.starts))):
        shared = SharedItems(paired, queries, depth)
        values[queries] = np.where(shared.longer[:, None] > 0, score(shared), np.nan)
    return values


def overlap_at(shared: SharedItems, cutoffs: Positions, denominator: str) -> Floats:
    """Return the share of the first items that the rankings share, (n_queries, n_cutoffs)."""
    if denominator == "union":
        return np.column_stack([_jaccard_at(shared, cutoff) for cutoff in cutoffs.tolist()])
    of_a, of_b = (np.minimum(each[:, None], cutoffs) for each in (shared.n_a, shared.n_b))
    n_shared = shared.expected[:, np.minimum(cutoffs, shared.depth) - 1]
    n_possible = {
        "longer": np.maximum(of_a, of_b),
        "shorter": np.minimum(of_a, of_b),
        "k": np.broadcast_to(cutoffs, of_a.shape),
    }[denominator]
    return np.asarray(n_shared / np.maximum(n_possible, 1))


def _jaccard_at(shared: SharedItems, cutoff: int) -> Floats:
    """Return the expected share of the first items of either ranking that both have.

    The mean of a ratio needs the probability of each number of shared items. Let a draw the
    first items of its cut group: u of the `cut_a`, and w of the `cut_both`. Then b draws its own
    from a group in which ``cut_b + w`` items are among the first of a. If a ranking has no cut
    group there, it draws none.
    """
    column = min(cutoff, shared.depth) - 1
    n_first = np.minimum(shared.n_a, cutoff) + np.minimum(shared.n_b, cutoff)
    if not shared.has_ties:
        both = shared.n_full[:, column]
        return np.asarray(both / np.maximum(n_first - both, 1))
    both, cut_a, cut_b, cut_both = (count[:, column] for count in shared.counts)
    (size_a, n_drawn_a), (size_b, n_drawn_b) = (
        (
            each.size[:, column],
            np.minimum(column + 1 - each.above[:, column], each.size[:, column]),
        )
        for each in shared.cut
    )
    most = int(np.minimum(shared.shorter, cutoff).max())
    n_shared = both[:, None] + np.arange(most + 1)
    ratio = n_shared / np.maximum(n_first[:, None] - n_shared, 1)
    mean = np.zeros(both.size)
    for w in range(int(np.minimum(cut_both, n_drawn_a).max()) + 1):
        chance = _hypergeometric(size_a, cut_both, n_drawn_a, w)
        of_a = [
            chance * _hypergeometric(size_a - cut_both, cut_a, n_drawn_a - w, u)
            for u in range(int(np.minimum(cut_a, n_drawn_a).max()) + 1)
        ]
        of_b = [
            _hypergeometric(size_b, cut_b + w, n_drawn_b, v)
            for v in range(int(np.minimum(cut_b + w, n_drawn_b).max()) + 1)
        ]
        for u, chance_a in enumerate(of_a):
            for v, chance_b in enumerate(of_b[: most + 1 - u]):
                mean += chance_a * chance_b * ratio[:, u + v]
    return mean


def _hypergeometric(size: Counts, n_special: Counts, n_drawn: Counts, n: int) -> Floats:
    """Return the probability that n special items are among those drawn from a group.

    It is 0 if so many cannot be there.
    """
    n_others, n_left = size - n_special, n_drawn - n
    can_be = (n <= n_special) & (n_left >= 0) & (n_left <= n_others)
    numbers = ((n_special, n), (n_others, n_left), (size, n_drawn))
    some, others, all_ = (
        _log_binomial(np.where(can_be, of, 1), np.where(can_be, chosen, 0))
        for of, chosen in numbers
    )
    return np.where(can_be, np.exp(some + others - all_), 0.0)


def _log_binomial(n: NDArray[Any], k: NDArray[Any]) -> Floats:
    """Return the logarithm of the number of ways to choose k of n items."""
    from scipy.special import gammaln  # here, for the start of the command

    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def average_overlap_at(shared: SharedItems, cutoffs: Positions) -> Floats:
    """Return the mean of the overlaps up to each cutoff, (n_queries, n_cutoffs)."""
    so_far = np.cumsum(shared.expected / shared.depths, axis=1)
    last = np.minimum(shared.longer[:, None], np.minimum(cutoffs, shared.depth))
    last = np.maximum(last, 1)
    return np.asarray(np.take_along_axis(so_far, last - 1, axis=1) / last)


def rank_biased(shared: SharedItems, p: float, ties: str, tail: str) -> Floats:
    """Return the rank-biased overlap of each query, (n_queries, 1).

    The sections are those of Corsi and Urbano (2024): depths to the end of the shorter list, to
    the end of the longer one, and beyond it, where no item is known.
    """
    n_shorter, n_longer = shared.shorter[:, None], shared.longer[:, None]
    weight = (1 - p) * p ** (shared.depths - 1)
    denominator = _denominator(shared, ties)
    # All tied items that begin up to a depth count there if ties are "equal".
    known = shared.n_begun.astype(np.float64) if ties == "equal" else shared.expected
    share = known / denominator
    at_shorter = shared.at_end(share, shared.shorter)[:, None]
    in_both = shared.at_end(known, shared.longer)[:, None]  # a whole number

    def total(share: Floats) -> Floats:
        values = share * weight
        if shared.longer.min() < shared.depth:
            values *= shared.depths <= n_longer
        return sum_to_cutoffs(values, np.array([shared.depth]))

    if tail == "extrapolated":
        if (n_shorter < n_longer).any():
            unseen = np.maximum(shared.depths - n_shorter, 0) * at_shorter
            if ties == "corrected":
                unseen = unseen * _mean_chance(shared)
            share = (known + unseen) / denominator
        beyond = (in_both + (n_longer - n_shorter) * at_shorter) / np.maximum(n_longer, 1)
        extrapolated: Floats = total(share) + beyond * p**n_longer
        return np.minimum(extrapolated, 1.0, out=extrapolated)  # not more by rounding
    lowest: Floats = total(share) + in_both * _beyond(p, n_longer)
    if tail == "min":
        return lowest
    n_all = n_longer + n_shorter - in_both  # from this depth on all items may be shared
    beyond = 2 * p**n_longer - p**n_all
    beyond = beyond - n_all * (_beyond(p, n_longer) - _beyond(p, n_all))
    highest: Floats = total((known + _most_unseen(shared, ties)) / denominator) + beyond
    np.minimum(highest, 1.0, out=highest)
    return highest if tail == "max" else highest - lowest


def _denominator(shared: SharedItems, ties: str) -> Floats:
    """Return what the shared items are divided by at each depth, (n_queries, n_depths) or less."""
    depths = shared.depths
    if ties == "mean" or not shared.has_ties:
        return depths
    sums = []
    for cut, length in zip(shared.cut, (shared.n_a, shared.n_b), strict=True):
        if ties == "equal":
            chances: Any = cut.above + cut.size
        else:
            chances = cut.above + cut.size * shared.chance(cut) ** 2
        sums.append(np.where(depths <= length[:, None], chances, depths))
    if ties == "equal":
        return np.asarray((sums[0] + sums[1]) / 2)
    return np.asarray(np.sqrt(sums[0] * sums[1]))  # which is exact without ties


def _of_longer(shared: SharedItems) -> CutGroups:
    """Return the tie groups that depths cut in the longer list of each query."""
    is_a = (shared.n_a > shared.n_b)[:, None]
    a, b = shared.cut
    return CutGroups(np.where(is_a, a.above, b.above), np.where(is_a, a.size, b.size))


def _mean_chance(shared: SharedItems) -> Floats | int:
    """Return the mean chance to be among the first of items that only the longer list has.

    Only those count that are there with some chance. It is asked for beyond the shorter list,
    whose items are all there: so the chances of the others add up to the depth less the shared.
    """
    if not shared.has_ties:
        return 1
    cut = _of_longer(shared)
    n_others = cut.above + cut.size - shared.n_begun
    return np.asarray((shared.depths - shared.expected) / np.maximum(n_others, 1))


def _most_unseen(shared: SharedItems, ties: str) -> Floats:
    """Return the most that unseen items of the shorter list can add to what is shared.

    They are the first items of the longer list that the shorter one has not.
    """
    n_unseen: Floats = np.maximum(shared.depths - shared.shorter[:, None], 0)
    if ties == "equal" or not shared.has_ties:
        return n_unseen
    cut = _of_longer(shared)
    chance = np.minimum(shared.chance(cut), 1)
    n_full = np.where(chance < 1, cut.above, cut.above + cut.size) - shared.n_full
    n_sure = np.minimum(n_unseen, n_full)
    return np.asarray(n_sure + chance * (n_unseen - n_sure))


def _beyond(p: float, depth: NDArray[Any]) -> Floats:
    """Return the weight of all depths beyond some depth l, if a shared item counts 1 / d there.

    It is (1 - p) / p times the sum of p^d / d over d > l, without the cancellation of a logarithm
    and a sum.
    """
    from scipy.special import hyp2f1  # here, for the start of the command

    unique, which = np.unique(depth, return_inverse=True)
    after = unique + 1.0
    if p < _PERSISTENCE_NEAR_1:
        sums = (1 - p) * p**unique / after * hyp2f1(1, after, after + 1, p)
    else:  # where SciPy's function is not finite, but the logarithm is large
        depths = np.arange(1.0, unique[-1] + 1)
        so_far = np.append(0.0, np.cumsum(p**depths / depths))
        sums = (1 - p) / p * (-np.log1p(-p) - so_far[unique.astype(np.intp)])
    return np.asarray(sums[which].reshape(depth.shape))


# --- rank correlations ------------------------------------------------------------------------
#
# The sign of a pair of items is 1 if both rankings put it in the same order, -1 if they do not,
# and 0 if it ties in one of them. Both correlations are sums of signs over the pairs of n items:
#
#     tau    = sum(sign / (n (n - 1) / 2))
#     tau_AP = sum(sign / ((n - 1) (the rank of the lower item - 1)))
#
# where the first ranking is the reference, and ranks are those of the second one. For the mean
# over all orders of the ties, an item in a tie group takes the mean of 1 / (rank - 1) over the
# ranks of its group. Its signs with the items above do not depend on its rank, and the signs of
# the pairs in the group cancel out.

_ITEMS_AT_ONCE = 2**15
"""The number of items whose pairs are counted at once, so that the counts stay in the cache."""


class _PairCounts(NamedTuple):
    """The pairs of each item with the items above it, and the tie groups, of some queries.

    The items of each query are in the order of the second ranking.
    """

    lengths: Counts
    """The number of items of each query."""
    group: Counts
    """The first item of each tie group of the second ranking."""
    size: Counts
    """The number of items of each group."""
    query: Counts
    """The query of each group."""
    n_above: Counts
    """For each group, the number of items above it."""
    n_wrong: Counts
    """For each group, the number of pairs with items above in the wrong order."""
    n_tied: Counts
    """For each group, the number of pairs with items above that tie in the first ranking."""
    n_all_tied: Floats
    """For each query, the number of pairs that tie in the first ranking."""

    @property
    def signs(self) -> Counts:
        """The sum of the signs of each group with the items above it."""
        return self.n_above * self.size - 2 * self.n_wrong - self.n_tied

    def total(self, of_group: NDArray[Any]) -> Floats:
        """Return the sum over the groups of each query, from the first to the last."""
        totals = np.bincount(self.query, of_group, self.lengths.size)
        return totals.astype(np.float64, copy=False)


def kendall(a: ItemPlaces, b: ItemPlaces, lengths: Counts) -> Floats:
    """Return Kendall's tau-a of each query, the mean over all orders of the ties.

    `a` and `b` have the place of each item in two rankings, query after query: whole numbers from
    0 on, the best item first. Items of the same place tie. Queries of fewer than two items have
    the value NaN.
    """

    def tau_a(pairs: _PairCounts) -> Floats:
        return _quotient(pairs.total(pairs.signs), _n_pairs(pairs.lengths))

    return _in_pieces(tau_a, a, b, lengths)


def _kendall_corrected(a: ItemPlaces, b: ItemPlaces, lengths: Counts) -> Floats:
    """Return Kendall's tau-b of each query. The parameters are those of `kendall`.

    It is NaN if all items tie in one of the rankings.
    """

    def tau_b(pairs: _PairCounts) -> Floats:
        n_pairs = _n_pairs(pairs.lengths)
        in_a, in_b = n_pairs - pairs.n_all_tied, n_pairs - pairs.total(_n_pairs(pairs.size))
        return _quotient(pairs.total(pairs.signs), np.sqrt(in_a * in_b))

    return _in_pieces(tau_b, a, b, lengths)


def ap(a: ItemPlaces, b: ItemPlaces, lengths: Counts) -> Floats:
    """Return the AP correlation of each query, the mean over all orders of the ties.

    The parameters are those of `kendall`, and `a` is the reference.
    """

    def tau_ap(pairs: _PairCounts) -> Floats:
        n_items = int(pairs.size.sum())
        above = np.arange(n_items) - np.repeat(pairs.group - pairs.n_above, pairs.size)
        weight = np.add.reduceat(1 / np.maximum(above, 1), pairs.group) / pairs.size
        return _quotient(pairs.total(weight * pairs.signs), pairs.lengths - 1)

    return _in_pieces(tau_ap, a, b, lengths)


def _ap_corrected(a: ItemPlaces, b: ItemPlaces, lengths: Counts) -> Floats:
    """Return the symmetric AP correlation of each query that takes ties as a judgment.

    All items of a tie group have the rank of its first one, and those of the first group do not
    count. A pair that ties in the other ranking alone is in the wrong order. The parameters are
    those of `kendall`. It is NaN if all items tie in one of the rankings.
    """

    def of_groups(pairs: _PairCounts) -> Floats:
        is_below = pairs.n_above > 0
        share = (pairs.signs - pairs.n_tied) / np.maximum(pairs.n_above, 1)
        return _quotient(pairs.total(share), pairs.total(pairs.size * is_below))

    return (_in_pieces(of_groups, a, b, lengths) + _in_pieces(of_groups, b, a, lengths)) / 2


def _n_pairs(n: Counts) -> Floats:
    """Return the number of pairs of some items."""
    return np.asarray(n * (n - 1.0) / 2)


def _quotient(total: Floats, n: NDArray[Any]) -> Floats:
    """Return quotients, which are NaN where there are no pairs."""
    return np.asarray(np.divide(total, n, out=np.full(total.shape, np.nan), where=n > 0))


def _in_pieces(
    correlation: Callable[[_PairCounts], Floats], a: ItemPlaces, b: ItemPlaces, lengths: Counts
) -> Floats:
    """Return the correlation of each query, from the pairs of some whole queries at a time."""
    found, end, first = [np.empty(0)], np.cumsum(lengths), 0
    while first < end.size:
        begin = int(end[first] - lengths[first])
        last = max(int(np.searchsorted(end, begin + _ITEMS_AT_ONCE, side="right")), first + 1)
        items = slice(begin, int(end[last - 1]))
        found.append(correlation(_pairs(a[items], b[items], lengths[first:last])))
        first = last
    return np.concatenate(found)


def _pairs(a: ItemPlaces, b: ItemPlaces, lengths: Counts) -> _PairCounts:
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
    return _PairCounts(
        lengths=lengths,
        group=group,
        size=size,
        query=of_group,
        n_above=group - begin[of_group],
        n_wrong=np.add.reduceat(n_wrong, group),
        n_tied=np.add.reduceat(n_tied, group),
        n_all_tied=np.bincount(query, n_equal, lengths.size).astype(np.float64, copy=False),
    )


def _starts(values: Counts) -> Counts:
    """Return where runs of equal values begin."""
    return np.flatnonzero(np.diff(values, prepend=-1))


def correlation_by_query(paired: PairedRankings, function: str, ties: str) -> Floats:
    """Return the correlation of each query over the items that both rankings have."""
    is_shared = (paired.a.size > 0) & (paired.b.size > 0)
    places = paired.a.above[is_shared], paired.b.above[is_shared]
    correlation = {
        ("kendall_tau", "mean"): kendall,
        ("kendall_tau", "corrected"): _kendall_corrected,
        ("tau_ap", "mean"): ap,
        ("tau_ap", "corrected"): _ap_corrected,
    }[function, ties]
    return correlation(*places, paired.n_shared)


# --- the measures by name ---------------------------------------------------------------------


Range = tuple[float, float]


class AgreementMeasure(NamedTuple):
    """A row of the table of measures."""

    name: str
    values_of: Callable[..., Floats]
    """Returns the value of each query, NaN where the measure is undefined."""
    other_name: str = ""
    """The name of its function, if that is another one. It is a name here, too."""
    option: str | None = None
    """The parameter whose value follows the "@" of a name. None: a name has no "@"."""
    example: str = ""
    """A value of this parameter."""
    range: Range = (0, 1)
    """The lowest and the highest value that a query can have."""

    @property
    def spelled(self) -> str:
        """The name with the value of its parameter, as people write it."""
        return self.name if self.option is None else f"{self.name}@{self.example}"


class NamedMeasure(NamedTuple):
    """A measure with the options that its name has."""

    name: str
    measure: AgreementMeasure
    options: dict[str, Any]

    def per_query(self, paired: PairedRankings) -> Floats:
        """Return the value of each query, NaN where the measure is undefined."""
        return self.measure.values_of(paired, **self.options)

    def as_text(self) -> dict[str, str]:
        """Return the measure and its options as text that can be saved and compared."""
        options = {name: repr(value) for name, value in self.options.items()}
        return {"score": self.measure.name} | options


def _overlap(paired: PairedRankings, k: int, denominator: str = "longer") -> Floats:
    overlap = partial(overlap_at, cutoffs=np.array([k]), denominator=denominator)
    return values_by_query(paired, k, 1, overlap)[:, 0]


def _average_overlap(paired: PairedRankings, k: int) -> Floats:
    overlap = partial(average_overlap_at, cutoffs=np.array([k]))
    return values_by_query(paired, k, 1, overlap)[:, 0]


def _rbo(paired: PairedRankings, p: float) -> Floats:
    overlap = partial(rank_biased, p=p, ties="mean", tail="extrapolated")
    return values_by_query(paired, WHOLE_LIST, 1, overlap)[:, 0]


_tau, _tau_ap = (
    partial(correlation_by_query, function=function, ties="mean")
    for function in ("kendall_tau", "tau_ap")
)

MEASURES = (
    AgreementMeasure("overlap", _overlap, "overlap_at_k", option="k", example="10"),
    AgreementMeasure("jaccard", partial(_overlap, denominator="union"), option="k", example="10"),
    AgreementMeasure("average_overlap", _average_overlap, option="k", example="10"),
    AgreementMeasure("rbo", _rbo, "rank_biased_overlap", option="p", example="0.9"),
    AgreementMeasure("kendall_tau", _tau, range=(-1, 1)),
    AgreementMeasure("tau_ap", _tau_ap, range=(-1, 1)),
)
"""The table of measures. Their names are listed in this order."""
DEFAULT_MEASURES = ("overlap@10", "rbo@0.9")

_MEASURE_OF = {
    name: measure
    for measure in MEASURES
    for name in filter(None, (measure.name, measure.other_name))
}


def find_measures(scores: Any, caller: str, parameter: str = "scores") -> list[NamedMeasure]:
    """Return the measures of a name or of a list of names."""
    is_one = isinstance(scores, str)
    if not is_one and not (isinstance(scores, Sequence) and len(scores)):
        expected = "the name of a measure, or a list of names, such as ['overlap@10', 'rbo@0.9']"
        raise invalid(parameter, caller, expected, describe(scores))
    found = [find_measure(each, caller, parameter) for each in ([scores] if is_one else scores)]
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise invalid(parameter, caller, "names of different measures", f"{name!r} twice")
    return found


def find_measure(text: Any, caller: str, parameter: str = "scores") -> NamedMeasure:
    """Return the measure of a name, such as "overlap@10"."""
    expected = f"one of {', '.join(each.spelled for each in MEASURES)}"
    if not isinstance(text, str):
        raise invalid(parameter, caller, expected, describe(text))
    name, at, value = text.partition("@")
    measure = _MEASURE_OF.get(_spelled(name))
    if measure is None:
        near = difflib.get_close_matches(_spelled(name), _MEASURE_OF, n=1)
        advice = f"Did you mean {_MEASURE_OF[near[0]].name!r}?" if near else ""
        raise invalid(parameter, caller, expected, repr(text), advice)
    if measure.option is None:
        if at:
            expected = f"without '@' for {measure.name!r}, which reads the whole lists"
            raise invalid(parameter, caller, expected, repr(text))
        return NamedMeasure(measure.name, measure, {})
    number = _number_in(value, measure.option)
    if number is None:
        expected = _EXPECTED[measure.option].format(measure.name)
        raise invalid(parameter, caller, expected, repr(text))
    return NamedMeasure(f"{measure.name}@{number!r}", measure, {measure.option: number})


_EXPECTED = {
    "k": "a name with a cutoff, a whole number from 1 on, as in '{}@10'",
    "p": "a name with a persistence above 0 and below 1, as in '{}@0.9'",
}
"""What the name of a measure with an option must be."""


def _number_in(value: str, option: str) -> int | float | None:
    """Return the value in a name, or None if the option cannot have it."""
    if option == "k":
        is_count = value.isascii() and value.isdigit() and len(value) < 19 and int(value) > 0
        return int(value) if is_count else None
    try:
        number = float(value.replace("_", "?"))  # Python accepts .9_5
    except ValueError:
        return None
    return number if 0 < number < 1 else None


def is_agreement(text: str) -> bool:
    """Return whether a text is the name of a measure, whatever follows its "@"."""
    return _spelled(text.partition("@")[0]) in _MEASURE_OF


def range_of_agreement(name: str) -> Range | None:
    """Return the lowest and the highest value of a query, or None for other names."""
    measure = _MEASURE_OF.get(_spelled(name.partition("@")[0]))
    return None if measure is None else measure.range


def _spelled(name: str) -> str:
    return name.lower().replace("-", "_")
