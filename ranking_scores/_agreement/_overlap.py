"""What two rankings share among their first items, at every depth, expected over orders of ties.

At each depth d, one tie group of a ranking is cut: the groups above it are all among the first d,
those below it are not, and each of its items is with the probability p = (d - above) / size. If
the items of both rankings are counted by where their groups are, four whole numbers say all::

    E[shared to d] = both + p_a * cut_a + p_b * cut_b + p_a * p_b * cut_both

`both` counts the items that are surely among the first d of both rankings, `cut_a` those in the
group that is cut in a and surely among the first d of b, and so on. Each item adds 1 from one
depth on, up to another, so the sums over depths of all items are linear in the items, and exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement._pairing import PairedRankings, Places, Positions
from ranking_scores._base import once
from ranking_scores._queries import cut_by_length

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


_NEARLY_1 = 1 - 1e-9
"""From this persistence on, the weight of what is beyond the lists is summed in another way."""


class CutGroups(NamedTuple):
    """The tie group of a ranking that each depth cuts, (n_queries, n_depths)."""

    above: Counts
    size: Counts
    """1 if there is no group."""


class Shared:
    """The items that two rankings of some queries share, up to each depth."""

    def __init__(self, paired: PairedRankings, queries: Positions, depth: int) -> None:
        self.queries = queries
        self.n_a, self.n_b = (each.length[queries] for each in (paired.a, paired.b))
        self.shorter, self.longer = np.minimum(self.n_a, self.n_b), np.maximum(self.n_a, self.n_b)
        """The lengths of both lists of each query, (n_queries,)."""
        self.depth = max(min(depth, int(self.longer.max())), 1)
        """The number of depths: that of the longest list, or less if less is asked for."""
        length = np.diff(paired.starts)[queries]
        cells = paired.groups.rows_of(queries)
        self._row = np.repeat(np.arange(queries.size), length)
        self._a, self._b = (
            Places(each.above[cells], each.size[cells], each.length[queries])
            for each in (paired.a, paired.b)
        )
        is_shared = (self._a.size > 0) & (self._b.size > 0)
        self._row_shared = self._row[is_shared]
        self._above = [each.above[is_shared].astype(np.int64) for each in (self._a, self._b)]
        self._last = [
            above + each.size[is_shared]
            for above, each in zip(self._above, (self._a, self._b), strict=True)
        ]
        self.has_ties = bool((self._a.size > 1).any() or (self._b.size > 1).any())

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
        chance: Floats = (self.depths - cut.above) / cut.size
        return chance

    def at_end(self, values: NDArray[Any], length: Positions) -> NDArray[Any]:
        """Return the value at the last depth of some length of each query; 0 if it is 0."""
        column = np.minimum(length, self.depth)
        at_end = values[np.arange(length.size), np.maximum(column, 1) - 1]
        return np.where(column > 0, at_end, 0)

    def _count(self, start: Counts, stop: Counts | None = None) -> Counts:
        """Return how many shared items count at each depth: those from `start` up to `stop`.

        `start` and `stop` are depths. None: an item counts to the end.
        """
        n_queries, width = self.queries.size, self.depth + 1
        if stop is not None:
            is_long = start < stop
            row, start, stop = self._row_shared[is_long], start[is_long], stop[is_long]
        else:
            row = self._row_shared
        cell = row * width + np.minimum(start - 1, self.depth)
        change = np.bincount(cell, minlength=n_queries * width)
        if stop is not None:
            cell = row * width + np.minimum(stop - 1, self.depth)
            change -= np.bincount(cell, minlength=change.size)
        counts: Counts = change.reshape(n_queries, width)[:, :-1].cumsum(axis=1)
        return counts


def blocks(paired: PairedRankings, depth: int) -> Iterator[Shared]:
    """Yield what the rankings share up to a depth, for a part of the queries at a time."""
    longest = np.maximum(paired.a.length, paired.b.length)
    for queries in cut_by_length(np.maximum(longest, np.diff(paired.starts))):
        yield Shared(paired, queries, depth)


def by_query(
    paired: PairedRankings, depth: int, n_columns: int, score: Callable[[Shared], Floats]
) -> Floats:
    """Return the scores of all queries, (n_queries, n_columns); NaN if both lists are empty."""
    values = np.empty((paired.n_queries, n_columns))
    for shared in blocks(paired, depth):
        scores = score(shared)
        values[shared.queries] = np.where(shared.longer[:, None] > 0, scores, np.nan)
    return values


def overlap_at(shared: Shared, cutoffs: Positions, denominator: str) -> Floats:
    """Return the share of the first items that the rankings share, (n_queries, n_cutoffs)."""
    if denominator == "union":
        return np.column_stack([_jaccard_at(shared, each) for each in cutoffs.tolist()])
    of_a, of_b = (np.minimum(each[:, None], cutoffs) for each in (shared.n_a, shared.n_b))
    n_shared = shared.expected[:, np.minimum(cutoffs, shared.depth) - 1]
    divisor = {
        "longer": np.maximum(of_a, of_b),
        "shorter": np.minimum(of_a, of_b),
        "k": np.broadcast_to(cutoffs, of_a.shape),
    }[denominator]
    overlap: Floats = n_shared / np.maximum(divisor, 1)
    return overlap


def _jaccard_at(shared: Shared, cutoff: int) -> Floats:
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
    both, cut_a, cut_b, cut_both = (each[:, column] for each in shared.counts)
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

    logarithm: Floats = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return logarithm


def average_overlap_at(shared: Shared, cutoffs: Positions) -> Floats:
    """Return the mean of the overlaps up to each cutoff, (n_queries, n_cutoffs)."""
    so_far = np.cumsum(shared.expected / shared.depths, axis=1)
    last = np.minimum(shared.longer[:, None], np.minimum(cutoffs, shared.depth))
    last = np.maximum(last, 1)
    mean: Floats = np.take_along_axis(so_far, last - 1, axis=1) / last
    return mean


def rank_biased(shared: Shared, p: float, ties: str, tail: str) -> Floats:
    """Return the rank-biased overlap of each query, (n_queries, 1).

    The sections are those of Corsi and Urbano (2024): depths to the end of the shorter list, to
    the end of the longer one, and beyond it, where no item is known.
    """
    n_shorter, n_longer = shared.shorter[:, None], shared.longer[:, None]
    weight = (1 - p) * p ** (shared.depths - 1)
    divisor = _divisor(shared, ties)
    known = _seen(shared, ties)
    at_shorter = shared.at_end(known / divisor, shared.shorter)[:, None]
    in_both = shared.at_end(known, shared.longer)[:, None]  # a whole number

    def total(unseen: Floats | int) -> Floats:
        values = (known + unseen) / divisor * weight
        return shared.at_end(values.cumsum(axis=1), shared.longer)[:, None]

    n_unseen = np.maximum(shared.depths - n_shorter, 0)
    if tail == "extrapolated":
        unseen = n_unseen * at_shorter
        if ties == "corrected":
            unseen = unseen * _mean_chance(shared)
        beyond = (in_both + (n_longer - n_shorter) * at_shorter) / np.maximum(n_longer, 1)
        extrapolated: Floats = total(unseen) + beyond * p**n_longer
        return np.minimum(extrapolated, 1.0, out=extrapolated)  # not more by rounding
    lowest: Floats = total(0) + in_both * _beyond(p, n_longer)
    if tail == "min":
        return lowest
    n_all = n_longer + n_shorter - in_both  # from this depth on all items may be shared
    beyond = 2 * p**n_longer - p**n_all
    beyond = beyond - n_all * (_beyond(p, n_longer) - _beyond(p, n_all))
    highest: Floats = total(_most_unseen(shared, ties, n_unseen)) + beyond
    np.minimum(highest, 1.0, out=highest)
    return highest if tail == "max" else highest - lowest


def _seen(shared: Shared, ties: str) -> Floats:
    """Return what the rankings share up to each depth: tied items all count if "equal"."""
    return shared.n_begun.astype(np.float64) if ties == "equal" else shared.expected


def _divisor(shared: Shared, ties: str) -> Floats:
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
        halves: Floats = (sums[0] + sums[1]) / 2
        return halves
    means: Floats = np.sqrt(sums[0] * sums[1])  # which is exact without ties
    return means


def _of_longer(shared: Shared) -> CutGroups:
    """Return the tie groups that depths cut in the longer list of each query."""
    is_a = (shared.n_a > shared.n_b)[:, None]
    a, b = shared.cut
    return CutGroups(np.where(is_a, a.above, b.above), np.where(is_a, a.size, b.size))


def _mean_chance(shared: Shared) -> Floats | int:
    """Return the mean chance to be among the first of items that only the longer list has.

    Only those count that are there with some chance. It is asked for beyond the shorter list,
    whose items are all there: so the chances of the others add up to the depth less the shared.
    """
    if not shared.has_ties:
        return 1
    cut = _of_longer(shared)
    n_others = cut.above + cut.size - shared.n_begun
    mean: Floats = (shared.depths - shared.expected) / np.maximum(n_others, 1)
    return mean


def _most_unseen(shared: Shared, ties: str, n_unseen: Floats) -> Floats:
    """Return the most that unseen items of the shorter list can add to what is shared.

    They are the first items of the longer list that the shorter one has not.
    """
    if ties == "equal" or not shared.has_ties:
        return n_unseen
    cut = _of_longer(shared)
    chance = np.minimum(shared.chance(cut), 1)
    n_full = np.where(chance < 1, cut.above, cut.above + cut.size) - shared.n_full
    n_sure = np.minimum(n_unseen, n_full)
    most: Floats = n_sure + chance * (n_unseen - n_sure)
    return most


def _beyond(p: float, depth: NDArray[Any]) -> Floats:
    """Return the weight of all depths beyond some depth l, if a shared item counts 1 / d there.

    It is (1 - p) / p times the sum of p^d / d over d > l, without the cancellation of a logarithm
    and a sum.
    """
    from scipy.special import hyp2f1  # here, for the start of the command

    unique, which = np.unique(depth, return_inverse=True)
    after = unique + 1.0
    if p < _NEARLY_1:
        sums = (1 - p) * p**unique / after * hyp2f1(1, after, after + 1, p)
    else:  # where SciPy's function is not finite, but the logarithm is large
        depths = np.arange(1.0, unique[-1] + 1)
        so_far = np.append(0.0, np.cumsum(p**depths / depths))
        sums = (1 - p) / p * (-np.log1p(-p) - so_far[unique.astype(np.intp)])
    beyond: Floats = sums[which].reshape(depth.shape)
    return beyond
