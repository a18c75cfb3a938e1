r"""The search for the labels of unjudged items that make a score the lowest or the highest.

A *completion* gives each unknown label of a ranked item one of several grades. In every score an
item of a larger gain is worth more at a better rank. So among the completions that give the same
grades to equally many items, one of the two ends has them fall along the ranking, and the other
has them rise. Only such completions are tried::

    rank                  1    2    3    4    5    6
    label                 ?    1    ?    0    ?    ?       k = 4
    falling, grades 0, 1  1         0         0    0       1 of the 2 items that are in reach
    rising, grades 0, 1   0         1         1    1       the same

Items that are below the cutoff in all orders are not *in reach*: they only add to the ideal and to
the number of relevant items. They have the lowest grade in completions that fall, and the highest
one in those that rise.

How many completions are needed depends on how the score follows the gains, see `Follows`. The
guide has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import WHOLE_LIST
from ranking_scores._metrics._evaluate import BlockScores, Plan, RankedBlock
from ranking_scores._metrics._profiles import RankSum
from ranking_scores._queries._blocks import (
    Block,
    BlockItems,
    items_in_rows,
    queries_per_block,
    spread,
)
from ranking_scores._queries._data import DataNeeds
from ranking_scores._queries._relevance import Gain, known_gain

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Positions = NDArray[np.intp]
Score = Callable[[RankedBlock], BlockScores]

_MOST_CELLS = 2**20
"""Completions of a block with no more cells than this are kept for several scores."""
_MOST_VECTORS = 2**10
"""So many ways to grade the items of a query are tried, if each way has to be."""


class Range(NamedTuple):
    """The ends of what the score of each query of a block could be, (n_queries, n_cutoffs)."""

    low: Floats
    high: Floats
    is_exact: Bools
    """Whether labels attain both ends, or these are surely outside, (n_queries, 1)."""


def condense(ranked: RankedBlock, depth: int, skips_zeros: bool) -> RankedBlock:
    """Return a block without the items whose labels are unknown."""
    block, judged = ranked.block, judged_of(ranked.block)
    known = block.ranked.place(~block.ranked.is_unknown)
    scores = np.where(known, block.scores, block.scores.dtype.type(np.nan))
    n_items = block.n_items - block.ranked.lengths
    if depth < WHOLE_LIST:
        left = RankedBlock(block._replace(scores=scores), depth)
        reach = reach_of(left, depth)
        is_kept = ~judged.is_unknown
        if skips_zeros:
            is_kept &= judged.labels != 0
        short = compact(left.block, reach, reach.items(left.block))
        judged = side_by_side(judged, is_kept)._replace(known=None)
        short = short._replace(
            ranked=short.ranked._replace(known=None),
            judged=judged,
            n_items=n_items + known.sum(axis=1),
        )
        return RankedBlock(short, depth)
    kept = block.ranked.where(~block.ranked.is_unknown)._replace(known=None)
    if judged is block.ranked:
        judged = kept
    else:
        judged = judged.where(~judged.is_unknown)._replace(known=None)
    return RankedBlock(Block(block.queries, scores, kept, judged, n_items + kept.lengths), depth)


def range_of(
    plan: Plan,
    score: Score,
    ranked: RankedBlock,
    max_grade: int,
    weight: Floats | None,
    is_ranked: Bools | None = None,
) -> Range:
    """Return the lowest and the highest score of each query of a block.

    `weight` is that of all queries of the data. `is_ranked` tells which unknown judged items of a
    block of `with_unknown` are ranked. None: the unknown items are those that are ranked.
    """
    items = ranked.block.ranked if is_ranked is None else ranked.block.judged
    if plan.gain is known_gain or items.known is None:
        values = replaced(plan, score(ranked).values)
        return Range(values, values, np.ones((values.shape[0], 1), dtype=bool))
    return _Search(plan, score, ranked, max_grade, weight, is_ranked).range()


def grades_by_gain(gain_of: Gain, block: Block, max_grade: int) -> NDArray[Any]:
    """Return a label from 0 to `max_grade` for each gain that these have, by rising gain."""
    labels = np.arange(max_grade + 1.0).astype(block.ranked.labels.dtype)
    _, first = np.unique(gain_of(labels), return_index=True)
    return labels[first]


class _UnknownItems(NamedTuple):
    """The ranked items of a block whose labels are unknown, and which can change a score."""

    falling: RankedBlock
    """The block in which only items in reach are unknown, in item order. The other ones have the
    lowest grade. If few ranks count, items that can be in none of them are not ranked."""
    rising: RankedBlock
    """The same, but the other ones have the highest grade."""
    place: Positions
    """How many better-ranked items are unknown, for each that is in reach."""
    n_in_reach: Positions
    """The number of these items of each query."""
    n_items: Positions
    """The number of all unknown items of each query."""


class _CompletionRows(NamedTuple):
    """Some completions in one direction, those of a query one after the other."""

    query: Positions
    """The row of the query in the block."""
    counts: Positions
    """How many items have at least each grade above the lowest, (n_rows, n_grades - 1)."""


class _Completions(NamedTuple):
    """Some completions in both directions."""

    falling: _CompletionRows
    """At least one for each query. The first has the lowest grade alone."""
    rising: _CompletionRows


class _Search:
    """The search for the ends of a score on one block."""

    def __init__(
        self,
        plan: Plan,
        score: Score,
        ranked: RankedBlock,
        max_grade: int,
        weight: Floats | None,
        is_ranked: Bools | None,
    ) -> None:
        self._plan, self._score, self._ranked, self._weight = plan, score, ranked, weight
        self._grades: NDArray[Any] = ranked.once(
            ("grades", plan.gain, max_grade),
            lambda: grades_by_gain(plan.gain, ranked.block, max_grade),
        )
        depth, skips_zeros = plan.call.depth, skips_zeros_of(plan, ranked)
        ends = self._grades[0], self._grades[-1]
        self._unknown: _UnknownItems = ranked.once(
            ("unknown", depth, skips_zeros, ends),
            lambda: _find(ranked, depth, skips_zeros, ends, is_ranked),
        )

    def range(self) -> Range:
        """Return the ends of each query."""
        is_exact = np.ones((self._unknown.n_items.size, 1), dtype=bool)
        n_steps, follows = self._grades.size - 1, self._plan.follows
        name, make = "sweep", self._sweep
        n = self._unknown.n_in_reach
        # Other scores need a sweep, too, so it is taken if it is hardly longer than its ends.
        is_short = self._plan.call.replacement == 0 and n.sum() <= 3 * np.count_nonzero(n)
        if follows == "rises" and not is_short:
            name, make = "ends", self._ends
        elif n_steps > 1 and follows == "ratio":
            name, make = "levels", self._levels
        elif n_steps > 1 and follows == "swaps":
            is_exact = self._has_few_vectors()[:, None]
            name, make = "vectors", self._vectors
        key = name, self._plan.call.replacement == 0
        tried: _Completions = self._once(key, make)
        sums: list[tuple[Floats, Floats]] | None = [] if name == "levels" else None
        of_falling = self._values(tried.falling, name=key, sums=sums)
        if follows == "rises" and name == "sweep":
            tried = tried._replace(rising=_CompletionRows(*(each[:0] for each in tried.rising)))
        of_rising = self._values(tried.rising, rises=True, name=key)
        low, high = self._extremes(tried, of_falling, of_rising)
        if sums is not None:
            high = np.fmax(high, self._largest_ratios(tried.falling, sums, high))
        if not is_exact.all():
            low, high = self._outside(low, high, ~is_exact)
        return Range(low, high, is_exact)

    def _once(self, name: Any, compute: Callable[[], Any]) -> Any:
        key = name, self._plan.call.depth, self._grades.tobytes()
        return self._ranked.once(key, compute)

    # --- which completions ---------------------------------------------------------------------

    def _rows(self, query: Positions, counts: Positions) -> _CompletionRows:
        """Return some completions; counts that are 1-D are those of the highest grade."""
        if counts.ndim == 1:
            counts = np.repeat(counts[:, None], self._grades.size - 1, axis=1)
        return _CompletionRows(query, counts)

    def _ends(self) -> _Completions:
        """Return the two completions of a score that rises with each gain, the lowest first.

        If a score is undefined, its value may be replaced by one that is not the lowest. Then the
        lowest one may be that of the least gain at the worst rank.
        """
        n, n_items = self._unknown.n_in_reach, self._unknown.n_items
        every, some = np.arange(n.size), np.flatnonzero(n)
        falling = [self._rows(every, np.zeros_like(n)), self._rows(some, n[some])]
        rising = [self._rows(every[:0], n[:0])]
        if self._plan.call.replacement != 0 and self._grades.size > 1:
            out = np.flatnonzero(n_items > n)
            least = np.zeros((some.size, self._grades.size - 1), dtype=np.intp)
            least[:, 0] = 1
            rising = [self._rows(out, np.zeros_like(out)), self._rows(some, least)]
        return _Completions(_joined(falling), _joined(rising))

    def _sweep(self) -> _Completions:
        """Return the completions with the lowest and the highest grade alone."""
        if self._grades.size == 1:
            return self._ends()
        n, every = self._unknown.n_in_reach, np.arange(self._unknown.n_items.size)
        falling = self._rows(np.repeat(every, n + 1), spread(np.zeros_like(n), n + 1))
        # If all are in reach, none and all of them are the same in both directions.
        is_out = (self._unknown.n_items > n).astype(np.intp)
        n_rising = np.maximum(n - 1 + 2 * is_out, 0)
        rising = self._rows(np.repeat(every, n_rising), spread(1 - is_out, n_rising))
        return _Completions(falling, rising)

    def _levels(self) -> _Completions:
        """Return the sweep, and the one of each grade between the lowest and the highest."""
        n, n_steps = self._unknown.n_in_reach, self._grades.size - 1
        query = np.repeat(np.arange(n.size), n)
        count = spread(np.ones_like(n), n)
        falling, rising = self._sweep()
        parts = [falling]
        for level in range(1, n_steps):
            counts = np.zeros((count.size, n_steps), dtype=np.intp)
            counts[:, :level] = count[:, None]
            parts.append(self._rows(query, counts))
        return _Completions(_joined(parts), rising)

    def _has_few_vectors(self) -> Bools:
        """Return whether all ways to grade the items of each query in one direction are tried."""
        sizes, which = np.unique(self._unknown.n_in_reach, return_inverse=True)
        n_steps = self._grades.size - 1
        are_few = [math.comb(size + n_steps, n_steps) <= _MOST_VECTORS for size in sizes.tolist()]
        return np.array(are_few)[which]

    def _vectors(self) -> _Completions:
        """Return all completions of each direction, or one where there are too many."""
        n, few = self._unknown.n_in_reach, self._has_few_vectors()
        parts = [self._rows(np.flatnonzero(~few), np.zeros_like(n[~few]))]
        for size in np.unique(n[few]).tolist():
            of_grades = combinations_with_replacement(range(size, -1, -1), self._grades.size - 1)
            vectors = np.array([*of_grades], dtype=np.intp)[::-1]
            queries = np.flatnonzero(few & (n == size))
            counts = np.tile(vectors, (queries.size, 1))
            parts.append(self._rows(np.repeat(queries, len(vectors)), counts))
        rows = _joined(parts)
        return _Completions(rows, rows)

    # --- what they are worth -------------------------------------------------------------------

    def _values(
        self,
        rows: _CompletionRows,
        *,
        rises: bool = False,
        name: Any = None,
        sums: list[tuple[Floats, Floats]] | None = None,
    ) -> Floats:
        """Return the score of each completion. Add to `sums` those that the values come from."""
        if not rows.query.size:
            return np.empty((0, self._plan.call.cutoffs.ranks.size))
        ranked = self._unknown.rising if rises else self._unknown.falling
        chunks: Any = self._chunks(ranked, rows, rises)
        n_cells = rows.query.size * ranked.block.scores.shape[1]
        if name is not None and n_cells <= _MOST_CELLS:
            chunks = self._once((name, rises), lambda: [*self._chunks(ranked, rows, rises)])
        values = []
        for chunk in chunks:  # of which nothing else is kept, since it is as large as the block
            found = self._score(chunk)
            values.append(found.values)
            if sums is not None:
                total, denominator, *_ = cast(RankSum, found.rank_sum)
                sums.append((total, np.broadcast_to(denominator, total.shape)))
        return replaced(self._plan, np.concatenate(values))

    def _chunks(
        self, ranked: RankedBlock, rows: _CompletionRows, rises: bool
    ) -> Iterator[RankedBlock]:
        """Yield the completions as blocks that fit in the cache."""
        n_rows = queries_per_block(ranked.block.scores.shape[1])
        for start in range(0, rows.query.size, n_rows):
            some = _CompletionRows(*(row[start : start + n_rows] for row in rows))
            yield ranked.with_labels(self._complete(ranked.block, some, rises), some.query)

    def _complete(self, block: Block, rows: _CompletionRows, rises: bool) -> Block:
        """Return the rows of a block with the labels that completions give the unknown items."""
        n_in_reach = self._unknown.n_in_reach
        n = n_in_reach[rows.query]
        item = spread((np.cumsum(n_in_reach) - n_in_reach)[rows.query], n)
        place = self._unknown.place[item]
        if rises:
            place = np.repeat(n - 1, n) - place
        level = np.zeros(place.size, dtype=np.intp)
        for count in rows.counts.T:
            level += place < np.repeat(count, n)
        labels, row = self._grades[level], np.repeat(np.arange(n.size), n)
        completed = block.in_rows(rows.query)
        for of_block, of_rows in (
            (block.ranked, completed.ranked),
            (block.judged, completed.judged),
        ):
            if of_block.is_item is None:
                n_cells = of_block.shape[1]
                cell = np.flatnonzero(of_block.is_unknown)[item] % n_cells + row * n_cells
            else:
                cell = np.flatnonzero(of_rows.is_unknown)
            of_rows.labels[cell] = labels  # a copy of those of the block
        ranked = completed.ranked._replace(known=None)
        judged = completed.judged._replace(known=None)
        same = completed.ranked is completed.judged
        return completed._replace(ranked=ranked, judged=ranked if same else judged)

    def _extremes(
        self, tried: _Completions, of_falling: Floats, of_rising: Floats
    ) -> tuple[Floats, Floats]:
        """Return the lowest and the highest value of each query, NaN if all are undefined."""
        low, high = _ends_by_query(tried.falling, of_falling)[1:]
        query, *of_rising_ends = _ends_by_query(tried.rising, of_rising)
        for of, ends, others in zip((np.fmin, np.fmax), (low, high), of_rising_ends, strict=True):
            ends[query] = of(ends[query], others)
        if leaves_undefined_out(self._plan):
            depends = [
                rows.query[(np.isnan(each) & ~np.isnan(low[rows.query])).any(axis=1)]
                for rows, each in zip(tried, (of_falling, of_rising), strict=True)
            ]
            refuse_undecided(self._plan, self._ranked.block, np.concatenate(depends), self._weight)
        return low, high

    def _outside(self, low: Floats, high: Floats, is_outside: Bools) -> tuple[Floats, Floats]:
        """Return ends that are surely outside for queries with too many ways to grade items.

        Of the known items, so many pairs are in order. All pairs with an unknown item might be in
        order, or might be in the wrong order.
        """
        block, replacement = self._ranked.block, self._plan.call.replacement
        known = condense(self._ranked, self._plan.call.depth, skips_zeros=False)
        pairs = cast(RankSum, self._score(known).rank_sum)
        if leaves_undefined_out(self._plan):
            [rows] = np.nonzero((is_outside & (pairs.denominator == 0)).any(axis=1))
            refuse_undecided(self._plan, block, rows, self._weight)
        n, n_unknown = (each[:, None] for each in (block.ranked.lengths, self._unknown.n_items))
        more = 2 * n_unknown * (n - n_unknown) + n_unknown * (n_unknown - 1)
        most = np.maximum(pairs.denominator + more, 1)
        lowest, highest = pairs.total / most, (pairs.total + more) / most
        lowest, highest = np.fmin(lowest, replacement), np.fmax(highest, replacement)
        return np.where(is_outside, lowest, low), np.where(is_outside, highest, high)

    def _largest_ratios(
        self, rows: _CompletionRows, sums: list[tuple[Floats, Floats]], start: Floats
    ) -> Floats:
        """Return the largest ratios over all grades that fall along the ranking.

        The sums over the ranks and those of the ideal are sums over the steps from a grade to the
        next, and each depends only on the number of items that reach it. So for each ratio that
        might be exceeded the best numbers are found step by step, as Dinkelbach (1967) does.
        """
        (total, ideal), base = self._sums_by_step(rows, sums)
        n_queries, n_steps, _, n_cutoffs = total.shape
        best = np.nan_to_num(start)
        counts = np.zeros((n_queries, n_steps, n_cutoffs), dtype=np.intp)
        is_better = np.ones(best.shape, dtype=bool)
        while is_better.any():  # each step has larger ratios, of which there are finitely many
            count = (total - best[:, None, None] * ideal).argmax(axis=2)
            found = [
                of_base + np.take_along_axis(each, count[:, :, None], axis=2)[:, :, 0].sum(axis=1)
                for each, of_base in zip((total, ideal), base, strict=True)
            ]
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.nan_to_num(found[0] / found[1])
            is_better = ratio > best
            best = np.maximum(best, ratio)
            counts = np.where(is_better[:, None], count, counts)
        # Each cutoff has labels of its own, from which the score is computed as always.
        of_cutoff = np.minimum.accumulate(counts.transpose(0, 2, 1), axis=2)
        queries, cutoff = np.repeat(np.arange(n_queries), n_cutoffs), np.arange(n_cutoffs)
        values = self._values(self._rows(queries, of_cutoff.reshape(-1, n_steps)))
        return values.reshape(n_queries, n_cutoffs, n_cutoffs)[:, cutoff, cutoff]

    def _sums_by_step(
        self, rows: _CompletionRows, sums: list[tuple[Floats, Floats]]
    ) -> tuple[list[Floats], list[Floats]]:
        """Return what each step between grades adds, by the number of items that take it.

        For both sums an array of shape (n_queries, n_steps, n_counts, n_cutoffs), and the sums
        without any step, (n_queries, n_cutoffs).
        """
        n, n_steps = self._unknown.n_in_reach, self._grades.size - 1
        level, count = np.count_nonzero(rows.counts, axis=1), rows.counts[:, 0]
        is_missing = np.arange(n.max() + 1) > n[:, None]
        by_step, base = [], []
        for each in map(np.concatenate, zip(*sums, strict=True)):
            of_base = each[level == 0]
            shape = n.size, n_steps + 1, int(n.max()) + 1, each.shape[1]
            table = np.broadcast_to(of_base[:, None, None], shape).copy()
            table[rows.query, level, count] = each
            by_step.append(np.diff(table, axis=1))
            base.append(of_base)
        by_step[0][np.broadcast_to(is_missing[:, None], by_step[0].shape[:3])] = -np.inf
        return by_step, base


def leaves_undefined_out(plan: Plan) -> bool:
    """Return whether the result is the mean over the queries with a defined score."""
    return plan.call.average is not None and math.isnan(plan.call.replacement)


def refuse_undecided(plan: Plan, block: Block, rows: Positions, weight: Floats | None) -> None:
    """Raise if some rows of a block count in the mean only with some of their labels."""
    if weight is not None:
        rows = rows[weight[block.queries[rows]] > 0]
    if rows.size:
        expected = "a number if unknown labels decide which queries have a defined score"
        got = "np.nan, which leaves the others out of the mean"
        place = block.judged.place_of_row(int(rows.min()))
        raise invalid("replace_undefined_by", plan.call.function, expected, got, place=place)


def _ends_by_query(rows: _CompletionRows, values: Floats) -> tuple[Positions, Floats, Floats]:
    """Return the queries that have completions, and their lowest and highest values."""
    count = np.bincount(rows.query)
    query = np.flatnonzero(count)
    if not query.size:
        return query, values, values
    count = count[query]
    # NumPy compares the completions of all queries faster than those of one query at a time.
    table = np.full((int(count.max()), query.size, values.shape[1]), np.nan)
    start = np.cumsum(count) - count
    table[
        np.arange(count.sum()) - np.repeat(start, count), np.repeat(np.arange(query.size), count)
    ] = values
    return query, np.fmin.reduce(table), np.fmax.reduce(table)


def _joined(parts: list[_CompletionRows]) -> _CompletionRows:
    """Return all completions of several parts, by query."""
    query, counts = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(query, kind="stable")
    return _CompletionRows(query[order], counts[order])


def replaced(plan: Plan, values: Floats) -> Floats:
    """Return values with those that are undefined replaced as the caller wishes."""
    is_undefined = np.isnan(values)
    return np.where(is_undefined, plan.call.replacement, values) if is_undefined.any() else values


class ReachableItems(NamedTuple):
    """The ranked items that can be among the first ranks, (n_queries, n_ranks)."""

    cell: Positions
    """Their cells by rank, as indices into the flattened block."""
    is_in_reach: Bools
    """Whether there is such an item at the rank."""
    rank: Positions
    """Its rank from 0 on, if the last item of a tie group comes first."""

    def items(self, block: Block) -> Positions:
        """Return the items in reach, in item order, as indices among those that are ranked."""
        return items_in(block.ranked, np.sort(self.cell[self.is_in_reach]))


def reach_of(ranked: RankedBlock, depth: int) -> ReachableItems:
    """Return the items that can be among the first `depth` ranks of each query."""
    ranking = ranked.ranking(depth, ignore_ties=False)
    cell, groups = ranking.cell, ranking.groups
    n_ranks = cell.shape[1]
    rank = first = np.broadcast_to(np.arange(n_ranks), cell.shape)
    if groups is not None:
        # With `ignore_ties`, the later of two equal items is first. Otherwise, any order does.
        first, size = (
            np.repeat(each, groups.size).reshape(cell.shape)
            for each in (groups.start % n_ranks, groups.size)
        )
        rank = 2 * first + size - 1 - rank
    is_item = ~np.isnan(ranked.block.scores.ravel()[cell])
    return ReachableItems(cell, is_item & (first < depth), rank)


def place_unknown(ranked: RankedBlock, depth: int) -> tuple[ReachableItems, Positions]:
    """Return the ranks in reach, and for each unknown ranked item how many are above it.

    -1 is for an item that is not in reach.
    """
    items, reach = ranked.block.ranked, reach_of(ranked, depth)
    query, column = np.nonzero(reach.is_in_reach)
    item = items_in(items, reach.cell[query, column])
    is_sought = items.is_unknown[item]
    query, item = query[is_sought], item[is_sought]
    rank = reach.rank[reach.is_in_reach][is_sought]
    in_order = np.argsort(query * reach.rank.shape[1] + rank, kind="stable")
    count = np.bincount(query)
    place = np.full(items.labels.size, -1)
    place[item[in_order]] = spread(np.zeros_like(count), count)
    return reach, place[items.is_unknown]


def grade_out_of_reach(
    ranked: RankedBlock,
    reach: ReachableItems,
    is_out: Bools,
    grades: Sequence[Any],
    depth: int,
    skips_zeros: bool,
) -> list[RankedBlock]:
    """Return a block of `with_unknown` once for each grade of its unknown items out of reach.

    If few ranks count, items that can be in none of them are not ranked. `is_out` is for each
    unknown item that is judged.
    """
    block, is_top = ranked.block, depth < WHOLE_LIST
    if not (is_top or is_out.any()):
        return [ranked] * len(grades)
    if is_top:
        block = compact(block, reach, reach.items(block))
        ranked = RankedBlock(block, depth)
    judged = block.judged
    if skips_zeros:
        judged = side_by_side(judged, (judged.labels != 0) | judged.is_unknown)
    every, graded = np.arange(block.queries.size), []
    for grade in grades:
        items = with_grade(judged, is_out, grade)
        if skips_zeros:
            if grade == 0:
                items = side_by_side(items, (items.labels != 0) | items.is_unknown)
            items = _without_padding(items)
        graded.append(ranked.with_labels(block._replace(judged=items), every))
    return graded


def _find(
    ranked: RankedBlock,
    depth: int,
    skips_zeros: bool,
    ends: tuple[Any, Any],
    is_ranked: Bools | None,
) -> _UnknownItems:
    """Return the unknown items of a block, and where they are in its ranking.

    `ends` are the grades of items out of reach. `is_ranked` tells which unknown judged items are
    ranked, if not all are.
    """
    every = np.arange(ranked.block.queries.size)
    reach, place = place_unknown(ranked, depth)
    if is_ranked is not None:
        of_ranked, place = place, np.full(is_ranked.size, -1)
        place[is_ranked] = of_ranked
    elif ranked.block.ranked is not ranked.block.judged:
        ranked = ranked.with_labels(with_unknown(ranked.block), every)
    is_out = place < 0
    n_items = ranked.block.judged.count_in_rows(ranked.block.judged.is_unknown)
    n_in_reach = np.bincount(np.repeat(every, n_items)[~is_out], minlength=every.size)
    falling, rising = grade_out_of_reach(ranked, reach, is_out, ends, depth, skips_zeros)
    return _UnknownItems(falling, rising, place[~is_out], n_in_reach, n_items)


def compact(block: Block, reach: ReachableItems, items: Positions) -> Block:
    """Return a block with only the ranked items that are in reach."""
    row = np.repeat(np.arange(block.queries.size), reach.is_in_reach.sum(axis=1))
    ranked = block.ranked.side_by_side(items, row)
    scores = np.full(ranked.shape, np.nan, block.scores.dtype)
    cell = np.sort(reach.cell[reach.is_in_reach])
    is_item = slice(None) if ranked.is_item is None else ranked.is_item
    scores[is_item] = block.scores.ravel()[cell].reshape(scores[is_item].shape)
    return block._replace(scores=scores, ranked=ranked)


def side_by_side(items: BlockItems, is_kept: Bools) -> BlockItems:
    """Return the items for which a 1-D mask is True, from the first cell of their row on."""
    item = np.flatnonzero(is_kept)
    if items.is_item is None:
        row = item // items.shape[1]
    else:
        row = np.repeat(np.arange(items.shape[0]), items.lengths)[item]
    return items.side_by_side(item, row)


def _without_padding(items: BlockItems) -> BlockItems:
    """Return items with the known label 0 in the other cells, which changes no score."""
    if items.is_item is None:
        return items
    labels, known = items.place(items.labels).ravel(), ~items.place(items.is_unknown).ravel()
    return items._replace(labels=labels, known=known, is_item=None, fills_rank=None)


def skips_zeros_of(plan: Plan, ranked: RankedBlock) -> bool:
    """Return whether items with the label 0 may be left out of those that are judged."""
    can_skip = DataNeeds(plan.call.depth, (plan.gain,)).can_skip_zeros
    dtype, key = ranked.block.judged.labels.dtype, ("skips zeros", plan.gain)
    return plan.call.depth < WHOLE_LIST and ranked.once(key, lambda: can_skip(dtype))


def items_in(items: BlockItems, cell: Positions) -> Positions:
    """Return the items in some flattened cells, as indices."""
    if items.is_item is None:
        return cell
    return np.asarray((np.cumsum(items.is_item.ravel()) - 1)[cell])


def all_known(block: Block) -> Block:
    """Return a block of `with_unknown` in which unknown labels are known to be 0."""
    ranked = block.ranked._replace(known=None)
    judged = ranked if block.ranked is block.judged else block.judged._replace(known=None)
    return block._replace(ranked=ranked, judged=judged)


def judged_of(block: Block) -> BlockItems:
    """Return the judged items of a block, in which those that are not ranked are known to be 0.

    All of them may be listed, if items with the label 0 have a gain.
    """
    ranked, judged = block.ranked, block.judged
    if ranked is judged or judged.known is None:
        return judged
    n_unknown = judged.count_in_rows(judged.is_unknown)
    n_others = n_unknown - ranked.count_in_rows(ranked.is_unknown)
    # Their labels are the same until they are known, so any of them may be the others.
    number = spread(np.zeros_like(n_unknown), n_unknown)
    return with_grade(judged, number < np.repeat(n_others, n_unknown), 0)


def with_unknown(block: Block) -> Block:
    """Return a block whose judged items are those that are known, and all unknown ranked ones."""
    ranked, judged = block.ranked, judged_of(block)
    if ranked is judged:
        return block
    known, unknown = ~judged.is_unknown, ranked.is_unknown
    n_queries = ranked.shape[0]
    row, row_of_ranked = (
        np.repeat(np.arange(n_queries), each.lengths) for each in (judged, ranked)
    )
    rows = np.append(row[known], row_of_ranked[unknown])
    order = np.argsort(rows, kind="stable")
    labels = np.append(judged.labels[known], ranked.labels[unknown])[order]
    is_known = np.append(np.ones(known.sum(), dtype=bool), np.zeros(unknown.sum(), dtype=bool))
    fills_rank = judged.fills_rank
    if fills_rank is not None:
        fills_rank = np.append(fills_rank[known], np.zeros(unknown.sum(), dtype=bool))[order]
    items = items_in_rows(labels, rows[order], n_queries, None, judged.place_of_row)
    return block._replace(judged=items._replace(known=is_known[order], fills_rank=fills_rank))


def with_grade(items: BlockItems, is_graded: Bools, grade: Any) -> BlockItems:
    """Return items of which some of the unknown ones are known to have a grade."""
    graded = np.flatnonzero(items.is_unknown)[is_graded]
    labels, known = items.labels.copy(), ~items.is_unknown
    labels[graded], known[graded] = grade, True
    return items._replace(labels=labels, known=known)


def with_labels_of_unknown(items: BlockItems, labels: NDArray[Any]) -> BlockItems:
    """Return items whose unknown labels are given."""
    completed = items.labels.copy()
    completed[np.flatnonzero(items.is_unknown)] = labels  # faster than by the mask
    return items._replace(labels=completed, known=None)
