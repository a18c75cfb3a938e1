"""The ends of the difference of two rankings, whose items have one label each.

If few labels are unknown, all ways to grade these items are tried, for both rankings at once. A
label that is in reach of neither ranking only adds to what both scores are divided by. So it moves
the difference towards 0, and it is enough that all such labels are the lowest, or the highest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._completions import (
    Range,
    ReachableItems,
    Score,
    all_known,
    grade_out_of_reach,
    grades_by_gain,
    leaves_undefined_out,
    place_unknown,
    range_of,
    refuse_undecided,
    replaced,
    skips_zeros_of,
    with_grade,
    with_labels_of_unknown,
    with_unknown,
)
from ranking_scores._metrics._evaluate import Plan, RankedBlock
from ranking_scores._queries._blocks import Block, queries_per_block, spread
from ranking_scores._queries._relevance import known_gain

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Positions = NDArray[np.intp]

_MOST_WAYS = 2**11
"""So many ways to grade the unknown items of a query are tried."""


class RankingsOfBlock(NamedTuple):
    """One ranking or two of the items of a block, with the same labels."""

    ranked: tuple[RankedBlock, ...]
    """Blocks of `with_unknown`, in which all unknown items that a system ranks are judged."""
    is_ranked: tuple[Bools, ...]
    """For each system, which of the unknown items it ranks."""
    weight: Floats | None
    """The weight of all queries of the data; None: all weigh the same."""

    @property
    def n_unknown(self) -> Positions:
        """The number of unknown items of each query."""
        judged = self.ranked[0].block.judged
        return judged.count_in_rows(judged.is_unknown)


def rank_each(
    block: Block, scores: Sequence[NDArray[Any]], depth: int, weight: Floats | None
) -> RankingsOfBlock:
    """Return the rankings of a block whose items each system ranks by its own scores.

    Scores are those of the cells of the block, NaN where a system does not rank the item.
    """
    whole, ranked, is_ranked = with_unknown(block), [], []
    for of_cells in scores:
        has_rank = ~np.isnan(of_cells)
        has_rank = (
            has_rank.ravel() if whole.ranked.is_item is None else has_rank[whole.ranked.is_item]
        )
        items = whole.ranked if has_rank.all() else whole.ranked.where(has_rank)
        ranked.append(RankedBlock(whole._replace(scores=of_cells, ranked=items), depth))
        is_ranked.append(has_rank[whole.ranked.is_unknown])
    return RankingsOfBlock(tuple(ranked), tuple(is_ranked), weight)


def range_of_difference(
    plan: Plan, score: Score, systems: RankingsOfBlock, max_grade: int
) -> Range:
    """Return the lowest and the highest difference of two scores of each query of a block."""
    if plan.gain is known_gain:
        one, other = (replaced(plan, score(each).values) for each in systems.ranked)
        return Range(one - other, one - other, np.ones((one.shape[0], 1), dtype=bool))
    tried = _Enumeration(plan, score, systems, max_grade)
    low, high = tried.outside()
    for queries, values in tried.values():
        flat = values.reshape(queries.size, -1, values.shape[-1])
        low[queries], high[queries] = np.fmin.reduce(flat, axis=1), np.fmax.reduce(flat, axis=1)
        tried.check_defined(queries, flat)
    return Range(low, high, tried.is_tried[:, None])


def difference_without_relevant(plan: Plan, score: Score, systems: RankingsOfBlock) -> Floats:
    """Return the difference of two scores if no unknown item is relevant."""
    if plan.gain is known_gain:
        one, other = (replaced(plan, score(each).values) for each in systems.ranked)
        return one - other
    values = []
    for ranked in systems.ranked:
        every = np.arange(ranked.block.queries.size)
        known = ranked.with_labels(all_known(ranked.block), every)
        values.append(replaced(plan, score(known).values))
    return values[0] - values[1]


def width_of_labels(plan: Plan, score: Score, systems: RankingsOfBlock, max_grade: int) -> Floats:
    """Return by how much the range of a query gets narrower once an item is judged.

    This is the mean over the gains that its label could have, for each unknown item of the block.
    The range is that of the score at its one cutoff, or of the difference of two scores. Items out
    of reach share what all of them take away together.
    """
    taken = np.zeros(np.count_nonzero(systems.ranked[0].block.judged.is_unknown))
    if plan.gain is not known_gain:
        tried = _Enumeration(plan, score, systems, max_grade)
        for queries, values in tried.values():
            tried.check_defined(queries, values.reshape(queries.size, -1, values.shape[-1]))
            tried.take(queries, values, taken)
        if not tried.is_tried.all():
            tried.take_from_outside(taken)
    return taken


class _Enumeration:
    """All ways to grade the unknown items of queries that have few of them."""

    def __init__(self, plan: Plan, score: Score, systems: RankingsOfBlock, max_grade: int) -> None:
        self._plan, self._score, self._systems, self._max_grade = plan, score, systems, max_grade
        self._pairs = list(zip(systems.ranked, systems.is_ranked, strict=True))
        """The block of each system, and which of the unknown items it ranks."""
        self._block = systems.ranked[0].block
        self._grades = grades_by_gain(plan.gain, self._block, max_grade)
        self._n_unknown = systems.n_unknown
        self._start = np.cumsum(self._n_unknown) - self._n_unknown
        """Where the unknown items of each query start."""
        depth, in_reach = plan.call.depth, []
        self._reaches: list[ReachableItems] = []
        for ranked, is_ranked in self._pairs:
            reach, place = place_unknown(ranked, depth)
            is_in_reach = is_ranked.copy()
            is_in_reach[is_ranked] = place >= 0
            self._reaches.append(reach)
            in_reach.append(is_in_reach)
        self._in_reach = np.logical_or.reduce(in_reach)
        """Which unknown items are in reach of any system."""
        self._in_reach_of_each = [each[self._in_reach] for each in in_reach]
        query = np.repeat(np.arange(self._n_unknown.size), self._n_unknown)
        self._n_in_reach = np.bincount(query[self._in_reach], minlength=self._n_unknown.size)
        self.is_tried = float(self._grades.size) ** self._n_in_reach <= _MOST_WAYS
        """Whether all ways to grade the items of a query are tried."""

    def outside(self) -> tuple[Floats, Floats]:
        """Return ends of the difference that are surely outside, or anything if it is known."""
        shape = self._n_unknown.size, self._plan.call.cutoffs.ranks.size
        if self.is_tried.all():
            low, high = np.zeros((2, *shape))
            return low, high
        (low, high), (other_low, other_high) = (
            self._range(ranked, is_ranked) for ranked, is_ranked in self._pairs
        )
        return low - other_high, high - other_low

    def _range(self, ranked: RankedBlock, is_ranked: Bools) -> tuple[Floats, Floats]:
        """Return the ends of one score."""
        weight, most = self._systems.weight, self._max_grade
        found = range_of(self._plan, self._score, ranked, most, weight, is_ranked)
        if self._plan.follows != "any" or is_ranked.all():
            return found.low.copy(), found.high.copy()
        replacement, shape = self._plan.call.replacement, found.low.shape
        return np.full(shape, np.fmin(0, replacement)), np.full(shape, np.fmax(1, replacement))

    def check_defined(self, queries: Positions, values: Floats) -> None:
        """Raise if it depends on unknown labels which queries count in the mean."""
        if leaves_undefined_out(self._plan):
            is_undefined: Any = np.isnan(values)
            depends = (is_undefined.any(axis=1) & ~is_undefined.all(axis=1)).any(axis=1)
            refuse_undecided(self._plan, self._block, queries[depends], self._systems.weight)

    def values(self) -> Iterator[tuple[Positions, Floats]]:
        """Yield some queries, and their scores or differences for each way to grade their items.

        The values of a query have one axis for the labels out of reach, which are the lowest or
        the highest, one axis for each item in reach, and one for the cutoffs.
        """
        n_grades, skips = self._grades.size, skips_zeros_of(self._plan, self._systems.ranked[0])
        ends, depth = (self._grades[0], self._grades[-1]), self._plan.call.depth
        block_scores = [
            grade_out_of_reach(ranked, reach, ~self._in_reach, ends, depth, skips)
            for ranked, reach in zip(self._systems.ranked, self._reaches, strict=True)
        ]
        sides = list(zip(*block_scores, strict=True))
        for n in np.unique(self._n_in_reach[self.is_tried]).tolist():
            queries = np.flatnonzero(self.is_tried & (self._n_in_reach == n))
            n_ways = n_grades**n
            width = sides[0][0].block.scores.shape[1]
            step = max(queries_per_block(width) // n_ways, 1)
            for start in range(0, queries.size, step):
                some = queries[start : start + step]
                found = np.stack([self._of_side(side, some, n) for side in sides], axis=1)
                shape = some.size, 2, *(n_grades,) * n, found.shape[-1]
                yield some, found.reshape(shape)

    def _of_side(self, side: tuple[RankedBlock, ...], queries: Positions, n: int) -> Floats:
        """Return the values of some queries, (n_queries, n_ways, n_cutoffs)."""
        n_grades = self._grades.size
        ways = np.indices((n_grades,) * n).reshape(n, n_grades**n).T
        rows = np.repeat(queries, n_grades**n)
        labels = np.broadcast_to(self._grades[ways], (queries.size, *ways.shape)).ravel()
        block_scores = []
        for ranked, is_in_reach in zip(side, self._in_reach_of_each, strict=True):
            block = ranked.block.in_rows(rows)
            judged = completed = with_labels_of_unknown(block.judged, labels)
            if block.ranked is not block.judged:
                start = np.cumsum(self._n_in_reach) - self._n_in_reach
                item = spread(start[rows], self._n_in_reach[rows])
                completed = with_labels_of_unknown(block.ranked, labels[is_in_reach[item]])
            block = block._replace(ranked=completed, judged=judged)
            found = self._score(ranked.with_labels(block, rows)).values
            block_scores.append(replaced(self._plan, found))
        values = block_scores[0] - block_scores[1] if len(block_scores) == 2 else block_scores[0]
        return values.reshape(queries.size, n_grades**n, -1)

    def take(self, queries: Positions, values: Floats, taken: Floats) -> None:
        """Set what the labels of some queries take away, given all their values."""
        n = values.ndim - 3
        item = spread(self._start[queries], self._n_unknown[queries])
        in_reach = item[self._in_reach[item]].reshape(queries.size, n)
        axes = range(1, 2 + n)
        width = _width(values, tuple(axes))
        left = [
            _width(values, tuple(axis for axis in axes if axis != each)).mean(axis=1)
            for each in axes
        ]
        for number, each in enumerate(left[1:]):
            taken[in_reach[:, number]] = width - each
        n_out = self._n_unknown[queries] - n
        share = (width - left[0]) / np.maximum(n_out, 1)
        taken[item[~self._in_reach[item]]] = np.repeat(share, n_out)

    def take_from_outside(self, taken: Floats) -> None:
        """Set what the labels take away of ranges that are surely outside.

        Such a range comes from those of both systems, so a label is fixed in one after the other.
        """
        row = np.repeat(np.arange(self._n_unknown.size), self._n_unknown)
        item = np.flatnonzero(~self.is_tried[row])
        taken[item] = 0
        width = queries_per_block(self._block.scores.shape[1])
        step = max(width // self._grades.size, 1)
        for ranked, is_ranked in self._pairs:
            low, high = self._range(ranked, is_ranked)
            for first in range(0, item.size, step):
                some = item[first : first + step]
                left = np.zeros(some.size)
                for grade in self._grades:
                    number = some - self._start[row[some]]
                    fixed = _fix(ranked, is_ranked, row[some], number, grade)
                    left_low, left_high = self._range(*fixed)
                    left += np.nan_to_num(left_high - left_low)[:, 0] / self._grades.size
                taken[some] += np.nan_to_num(high - low)[row[some], 0] - left


def _fix(
    ranked: RankedBlock, is_ranked: Bools, rows: Positions, number: Positions, grade: Any
) -> tuple[RankedBlock, Bools]:
    """Return rows of a block, each with one unknown label that is given a grade.

    `number` is that of the item among the unknown ones of its query.
    """
    block = ranked.block
    n_unknown = block.judged.count_in_rows(block.judged.is_unknown)
    start = np.cumsum(n_unknown) - n_unknown
    is_ranked = is_ranked[spread(start[rows], n_unknown[rows])]
    fixed = np.cumsum(n_unknown[rows]) - n_unknown[rows] + number
    is_fixed = np.zeros(is_ranked.size, dtype=bool)
    is_fixed[fixed] = True
    block = block.in_rows(rows)
    judged = with_grade(block.judged, is_fixed, grade)
    completed = with_grade(block.ranked, is_fixed[is_ranked], grade)
    block = block._replace(ranked=completed, judged=judged)
    return ranked.with_labels(block, rows), is_ranked[~is_fixed]


def _width(values: Floats, axes: tuple[int, ...]) -> Floats:
    """Return the largest minus the smallest value over some axes, at the one cutoff."""
    with np.errstate(invalid="ignore"):
        width = np.fmax.reduce(values, axis=axes) - np.fmin.reduce(values, axis=axes)
    return np.asarray(np.nan_to_num(width[..., 0]))
