r"""The lowest and the highest value that a score could have, if unknown labels were known.

A *completion* gives each unknown label of a ranked item one of several grades. In every score an
item of a larger gain is worth more at a better rank. So among the completions that give the same
grades to equally many items, one of the two ends has them fall along the ranking, and the other has
them rise. Only such completions are tried::

    rank                  1    2    3    4    5    6
    label                 ?    1    ?    0    ?    ?       k = 4
    falling, grades 0, 1  1         1         0    0       n = 2 of the 2 that are in reach
    rising, grades 0, 1   0         1         1    1       n = 1

Items that are below the cutoff in all orders are not *in reach*: they only add to the ideal and to
the number of relevant items. They are the lowest in completions that fall, and the highest in those
that rise.

How many completions are needed depends on how the score follows the gains, see `Follows`. The guide
has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations_with_replacement
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import WHOLE_LIST, invalid
from ranking_scores._metrics._evaluate import BlockScores, Plan, RankedBlock
from ranking_scores._metrics._rank_sums import RankSum
from ranking_scores._queries import (
    Block,
    Gain,
    Items,
    known_gain,
    padding,
    placer,
    queries_per_block,
    spread,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Positions = NDArray[np.intp]
Score = Callable[[RankedBlock], BlockScores]

_MOST_CELLS = 2**20
"""Completions of a block with no more cells than this are kept for several scores."""
_MOST_VECTORS = 2**10
"""So many ways to grade the items of a query are tried, if each way has to be."""
_STEPS = 64
"""More steps than the search for the largest ratio ever takes: each is a larger ratio."""


class Range(NamedTuple):
    """The ends of what the score of each query of a block could be, (n_queries, n_cutoffs)."""

    low: Floats
    high: Floats
    is_exact: Bools
    """Whether labels attain both ends, or these are surely outside, (n_queries, 1)."""


def condensed(block: Block, gain_of: Gain) -> Block:
    """Return a block without the items whose labels are unknown."""
    ranked, judged = (
        items if items.known is None else items.where(items.known)._replace(known=None)
        for items in (block.ranked, block.judged)
    )
    if gain_of is known_gain or ranked is block.ranked:
        return block
    if block.ranked is block.judged:
        judged = ranked
    n_items = block.n_items - (block.ranked.lengths - ranked.lengths)
    scores = block.scores.copy()
    scores[~_cells(block.ranked, ~block.ranked.is_unknown)] = np.nan
    return Block(block.queries, scores, ranked, judged, n_items)


def not_relevant(block: Block, gain_of: Gain) -> Block:
    """Return a block in which unknown labels are known to be 0."""
    if gain_of is known_gain or block.ranked.known is None:
        return block
    return _complete(with_unknown(block), np.zeros(int(block.ranked.is_unknown.sum())))


def for_unknown(plan: Plan) -> Plan:
    """Return a score that takes unknown labels for 0, unless it tells them from known ones."""
    need = plan.need._replace(depth=WHOLE_LIST, tells_known=True, accepts_nan=True)
    return plan._replace(need=need)


def lowest(plan: Plan, max_grade: int) -> Plan:
    """Return the score whose value is the lowest that labels from 0 to `max_grade` give."""
    return _end(plan, max_grade, "low")


def highest(plan: Plan, max_grade: int) -> Plan:
    """Return the score whose value is the highest that labels from 0 to `max_grade` give."""
    return _end(plan, max_grade, "high")


def are_exact(plan: Plan, max_grade: int) -> Plan:
    """Return the score that is 1 if labels attain both ends, else 0."""
    return _end(plan, max_grade, "is_exact")


def _end(plan: Plan, max_grade: int, end: str) -> Plan:
    """Return the score that is one end of a range."""

    def score_block(*arguments: Any) -> BlockScores:
        *prepared, ranked = arguments
        score = cast(Score, partial(plan.score_block, *prepared))
        name = "range", plan.score_block, max_grade
        found = ranked.once(name, lambda: range_of(plan, score, ranked, max_grade))
        values = np.asarray(getattr(found, end), dtype=np.float64)
        return BlockScores(np.broadcast_to(values, found.low.shape))

    return for_unknown(plan)._replace(score_block=score_block)


def range_of(plan: Plan, score: Score, ranked: RankedBlock, max_grade: int) -> Range:
    """Return the lowest and the highest score of each query of a block."""
    if plan.gain is known_gain or ranked.block.ranked.known is None:
        values = _replaced(plan, score(ranked).values)
        return Range(values, values, np.ones((values.shape[0], 1), dtype=bool))
    grades = _grades_by_gain(plan, ranked.block, max_grade)
    sought = _Search(plan, score, ranked, grades)
    return sought.range()


def _grades_by_gain(plan: Plan, block: Block, max_grade: int) -> NDArray[Any]:
    """Return a label from 0 to `max_grade` for each gain that these have, by rising gain."""
    labels = np.arange(max_grade + 1.0).astype(block.ranked.labels.dtype)
    _, first = np.unique(plan.gain(labels), return_index=True)
    return labels[first]


class _Unknown(NamedTuple):
    """The ranked items of a block whose labels are unknown, query after query in item order."""

    block: Block
    """The block, with all of these items among those that are judged."""
    place: Positions
    """For those in reach, how many better-ranked ones are unknown; -1: out of reach."""
    n_items: Positions
    """The number of these items of each query."""
    n_in_reach: Positions
    """How many of them are in reach."""

    @property
    def start(self) -> Positions:
        """Where the items of each query start."""
        return np.cumsum(self.n_items) - self.n_items


class _Rows(NamedTuple):
    """Some completions, those of a query one after the other."""

    query: Positions
    """The row of the query in the block."""
    rises: Bools
    """Whether the grades rise along the ranking, or fall."""
    counts: Positions
    """How many items have at least each grade above the lowest, (n_rows, n_grades - 1)."""

    def sorted(self) -> _Rows:
        """Return the rows by query."""
        order = np.argsort(self.query, kind="stable")
        return _Rows(*(each[order] for each in self))


class _Search:
    """The search for the ends of a score on one block."""

    def __init__(
        self, plan: Plan, score: Score, ranked: RankedBlock, grades: NDArray[Any]
    ) -> None:
        self._plan, self._score, self._ranked, self._grades = plan, score, ranked, grades
        depth = plan.call.depth
        self._unknown: _Unknown = ranked.once(("unknown", depth), partial(_find, ranked, depth))

    def range(self) -> Range:
        """Return the ends of each query."""
        is_exact = np.ones((self._unknown.n_items.size, 1), dtype=bool)
        n_steps = self._grades.size - 1
        name, make = "ends", self._ends
        if self._plan.follows != "rises":
            name, make = "sweep", self._sweep
        if n_steps > 1 and self._plan.follows == "ratio":
            name, make = "levels", self._levels
        if n_steps > 1 and self._plan.follows == "swaps":
            is_exact = self._n_vectors()[:, None] <= _MOST_VECTORS
            name, make = "vectors", self._vectors
        rows: _Rows = self._once((name, self._plan.call.replacement == 0), make)
        values, sums = self._values(rows, name)
        low, high = self._extremes(rows, values)
        if name == "levels":
            high = np.fmax(high, self._largest_ratios(rows, values, sums, high))
        if not is_exact.all():
            low, high = self._outside(low, high, ~is_exact[:, 0])
        return Range(low, high, is_exact)

    def _once(self, name: Any, compute: Callable[[], Any]) -> Any:
        key = name, self._plan.call.depth, self._grades.tobytes()
        return self._ranked.once(key, compute)

    # --- which completions ---------------------------------------------------------------------

    def _rows(self, query: Positions, *, rises: bool, counts: Positions) -> _Rows:
        """Return rows of one direction; `counts` are of the highest grade alone if 1-D."""
        n_steps = self._grades.size - 1
        if counts.ndim == 1:
            counts = np.repeat(counts[:, None], n_steps, axis=1)
        return _Rows(query, np.full(query.size, rises), counts)

    def _ends(self) -> _Rows:
        """Return the two completions of a score that rises with each gain, the lowest first.

        If a score is undefined, its value may be replaced by one that is not the lowest. Then the
        lowest one may be that of the least gain at the worst rank.
        """
        unknown = self._unknown
        every, none = np.arange(unknown.n_items.size), np.zeros_like(unknown.n_in_reach)
        some = np.flatnonzero(unknown.n_in_reach)
        parts = [
            self._rows(every, rises=False, counts=none),
            self._rows(some, rises=False, counts=unknown.n_in_reach[some]),
        ]
        if self._plan.call.replacement != 0:
            least = np.zeros((every.size, self._grades.size - 1), dtype=np.intp)
            parts.append(self._rows(every, rises=True, counts=none))
            if self._grades.size > 1:
                least[:, 0] = np.minimum(unknown.n_in_reach, 1)
                parts.append(self._rows(every, rises=True, counts=least))
        return _joined(parts)

    def _sweep(self) -> _Rows:
        """Return the completions with the lowest and the highest grade alone."""
        if self._grades.size == 1:
            return self._ends()
        unknown = self._unknown
        n, every = unknown.n_in_reach, np.arange(unknown.n_items.size)
        falling = np.repeat(every, n + 1)
        # If all are in reach, none and all of them are the same in both directions.
        is_out = (unknown.n_items > n).astype(np.intp)
        n_rising = np.maximum(n - 1 + 2 * is_out, 0)
        rising = np.repeat(every, n_rising)
        return _joined(
            [
                self._rows(falling, rises=False, counts=spread(np.zeros_like(n), n + 1)),
                self._rows(rising, rises=True, counts=spread(1 - is_out, n_rising)),
            ]
        )

    def _levels(self) -> _Rows:
        """Return the sweep, and the one of each grade between the lowest and the highest."""
        unknown, n_steps = self._unknown, self._grades.size - 1
        n, every = unknown.n_in_reach, np.arange(unknown.n_items.size)
        parts = [self._sweep()]
        for level in range(1, n_steps):
            count = spread(np.ones_like(n), n)
            counts = np.zeros((count.size, n_steps), dtype=np.intp)
            counts[:, :level] = count[:, None]
            parts.append(self._rows(np.repeat(every, n), rises=False, counts=counts))
        return _joined(parts)

    def _n_vectors(self) -> Positions:
        """Return how many ways there are to grade the items of each query in one direction."""
        most, of_size = 2 * _MOST_VECTORS, {}
        for n in np.unique(self._unknown.n_in_reach).tolist():
            of_size[n] = min(math.comb(n + self._grades.size - 1, n), most)
        return np.array([of_size[n] for n in self._unknown.n_in_reach.tolist()])

    def _vectors(self) -> _Rows:
        """Return all completions that fall, and all that rise, where they are not too many."""
        unknown, n_steps = self._unknown, self._grades.size - 1
        n, few = unknown.n_in_reach, self._n_vectors() <= _MOST_VECTORS
        parts = [self._rows(np.flatnonzero(~few), rises=False, counts=n[~few])]
        for size in np.unique(n[few]).tolist():
            steps = range(size, -1, -1)
            vectors = np.array([*combinations_with_replacement(steps, n_steps)], dtype=np.intp)
            queries = np.flatnonzero(few & (n == size))
            query, counts = np.repeat(queries, len(vectors)), np.tile(vectors, (queries.size, 1))
            parts += [self._rows(query, rises=each, counts=counts) for each in (False, True)]
        return _joined(parts)

    # --- what they are worth -------------------------------------------------------------------

    def _values(self, rows: _Rows, name: str | None = None) -> tuple[Floats, list[RankSum | None]]:
        """Return the score of each completion, and the sums that the values come from."""
        n_cells = rows.query.size * self._ranked.block.scores.shape[1]
        chunks: Any = self._chunks(rows)
        if name is not None and n_cells <= _MOST_CELLS:
            is_zero = self._plan.call.replacement == 0
            chunks = self._once(("chunks", name, is_zero), lambda: [*self._chunks(rows)])
        found = [self._score(chunk) for chunk in chunks]
        values = np.concatenate([each.values for each in found])
        return _replaced(self._plan, values), [each.rank_sum for each in found]

    def _chunks(self, rows: _Rows) -> Iterator[RankedBlock]:
        """Yield the completions as blocks that fit in the cache."""
        n_rows = queries_per_block(self._ranked.block.scores.shape[1])
        for start in range(0, rows.query.size, n_rows):
            some = _Rows(*(each[start : start + n_rows] for each in rows))
            block = self._unknown.block.in_rows(some.query)
            yield self._ranked.with_labels(_complete(block, self._labels(some)), some.query)

    def _labels(self, rows: _Rows) -> NDArray[Any]:
        """Return the labels that completions give the unknown items, row after row."""
        unknown, query = self._unknown, rows.query
        n = unknown.n_items[query]
        row = np.repeat(np.arange(query.size), n)
        place = unknown.place[spread(unknown.start[query], n)]
        rises, counts = rows.rises[row], rows.counts
        is_out = place < 0
        place = np.where(rises, unknown.n_in_reach[query][row] - 1 - place, place)
        level = np.zeros(row.size, dtype=np.intp)
        for count in counts.T:
            level += place < count[row]
        level[is_out] = np.where(rises[is_out], self._grades.size - 1, 0)
        return self._grades[level]

    def _extremes(self, rows: _Rows, values: Floats) -> tuple[Floats, Floats]:
        """Return the lowest and the highest value of each query, NaN if all are undefined."""
        if self._plan.call.average is not None and math.isnan(self._plan.call.replacement):
            self._check_defined(rows, values)
        start = np.flatnonzero(np.diff(rows.query, prepend=-1))
        low, high = (np.asarray(of.reduceat(values, start)) for of in (np.fmin, np.fmax))
        return low, high

    def _check_defined(self, rows: _Rows, values: Floats) -> None:
        """Raise if it depends on unknown labels which queries count in the mean."""
        start = np.flatnonzero(np.diff(rows.query, prepend=-1))
        is_undefined = np.isnan(values)
        some, all_of = (
            of.reduceat(is_undefined, start) for of in (np.logical_or, np.logical_and)
        )
        depends = (some & ~all_of).any(axis=1)
        if depends.any():
            query = int(np.argmax(depends))
            raise invalid(
                "replace_undefined_by",
                self._plan.call.function,
                "a number if unknown labels decide which queries have a defined score",
                "np.nan, which leaves the others out of the mean",
                place=self._ranked.block.judged.place_of_row(query),
            )

    def _outside(self, low: Floats, high: Floats, is_outside: Bools) -> tuple[Floats, Floats]:
        """Return ends that are surely outside for queries with too many ways to grade items.

        Of the known items, so many pairs are in order. All pairs with an unknown item might be in
        order, or might be in the wrong order.
        """
        block = self._ranked.block
        view = RankedBlock(condensed(block, self._plan.gain), self._plan.call.depth)
        pairs = cast(RankSum, self._score(view).rank_sum)
        n, n_unknown = (each[:, None] for each in (block.ranked.lengths, self._unknown.n_items))
        more = n_unknown * (n - n_unknown) * 2 + n_unknown * (n_unknown - 1)
        most = np.maximum(pairs.divisor + more, 1)
        lowest, highest = pairs.total / most, (pairs.total + more) / most
        lowest, highest = (
            each if math.isnan(self._plan.call.replacement) else of(each, self._plan.call.replacement)
            for each, of in ((lowest, np.minimum), (highest, np.maximum))
        )
        rows = is_outside[:, None]
        return np.where(rows, lowest, low), np.where(rows, highest, high)

    def _largest_ratios(
        self, rows: _Rows, values: Floats, sums: list[RankSum | None], start: Floats
    ) -> Floats:
        """Return the largest ratios over all grades that fall along the ranking.

        The sums over the ranks and those of the ideal are sums over the steps from a grade to the
        next, and each depends only on the number of items that reach it. So for each ratio that
        might be exceeded the best numbers are found step by step, as Dinkelbach (1967) does.
        """
        total, ideal = self._sums_by_step(rows, values, sums)
        n_queries, n_steps, n_counts, n_cutoffs = total.shape
        best = np.nan_to_num(start)
        counts = np.zeros((n_queries, n_steps, n_cutoffs), dtype=np.intp)
        base = self._base(rows, sums)
        for _ in range(_STEPS):
            gain = total - best[:, None, None] * ideal
            count = gain.argmax(axis=2)
            found = [
                of_base + np.take_along_axis(each, count[:, :, None], axis=2)[:, :, 0].sum(axis=1)
                for each, of_base in zip((total, ideal), base, strict=True)
            ]
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.nan_to_num(found[0] / found[1])
            is_better = ratio > best
            if not is_better.any():
                break
            best = np.maximum(best, ratio)
            counts = np.where(is_better[:, None], count, counts)
        # Each cutoff has labels of its own, from which the score is computed as always.
        queries, cutoff = np.repeat(np.arange(n_queries), n_cutoffs), np.arange(n_cutoffs)
        of_cutoff = np.minimum.accumulate(counts.transpose(0, 2, 1), axis=2)
        chosen = self._rows(queries, rises=False, counts=of_cutoff.reshape(-1, n_steps))
        values, _ = self._values(chosen)
        return values.reshape(n_queries, n_cutoffs, n_cutoffs)[:, cutoff, cutoff]

    def _base(self, rows: _Rows, sums: list[RankSum | None]) -> list[Floats]:
        """Return the two sums of each query if no item is above the lowest grade."""
        is_base = ~rows.rises & (rows.counts == 0).all(axis=1)
        return [each[is_base] for each in _sums(sums)]

    def _sums_by_step(
        self, rows: _Rows, values: Floats, sums: list[RankSum | None]
    ) -> list[Floats]:
        """Return what each step between grades adds, by the number of items that take it.

        For both sums an array of shape (n_queries, n_steps, n_counts, n_cutoffs).
        """
        n_steps, n = self._grades.size - 1, self._unknown.n_in_reach
        falls = ~rows.rises
        query, counts = rows.query[falls], rows.counts[falls]
        level, count = np.count_nonzero(counts, axis=1), counts[:, 0]
        is_there = np.arange(n.max() + 1) <= n[:, None]
        by_step = []
        for each, of_base in zip(_sums(sums), self._base(rows, sums), strict=True):
            shape = (n.size, n_steps + 1, int(n.max()) + 1, values.shape[1])
            table = np.broadcast_to(of_base[:, None, None], shape).copy()
            table[query, level, count] = each[falls]
            by_step.append(np.diff(table, axis=1))
        by_step[0][~np.broadcast_to(is_there[:, None], by_step[0].shape[:3])] = -np.inf
        return by_step


def _sums(sums: list[RankSum | None]) -> list[Floats]:
    """Return the sums over the ranks and the divisors of several blocks together."""
    found = cast(list[RankSum], sums)
    return [
        np.concatenate([each.total for each in found]),
        np.concatenate([np.broadcast_to(each.divisor, each.total.shape) for each in found]),
    ]


def _joined(parts: list[_Rows]) -> _Rows:
    """Return all rows of several parts, by query."""
    return _Rows(*map(np.concatenate, zip(*parts, strict=True))).sorted()


def _replaced(plan: Plan, values: Floats) -> Floats:
    """Return values with those that are undefined replaced as the caller wishes."""
    is_undefined = np.isnan(values)
    return np.where(is_undefined, plan.call.replacement, values) if is_undefined.any() else values


def _find(ranked: RankedBlock, depth: int) -> _Unknown:
    """Return the unknown items of a block, and where they are in its ranking."""
    block = ranked.block
    ranking = ranked.ranking(depth, ignore_ties=False)
    n_queries, n_ranks = ranking.cell.shape
    is_unknown = _cells(block.ranked, block.ranked.is_unknown)
    rank = np.broadcast_to(np.arange(n_ranks), (n_queries, n_ranks))
    first = rank
    if ranking.groups is not None:
        # With `ignore_ties`, the later of two equal items is first. Otherwise, any order does.
        start, size = ranking.groups
        start_of_rank = np.repeat(start, size).reshape(rank.shape)
        first = start_of_rank % n_ranks
        rank = 2 * first + np.repeat(size, size).reshape(rank.shape) - 1 - rank
    is_sought = is_unknown.ravel()[ranking.cell] & (first < depth)
    in_order = np.zeros((n_queries, n_ranks), dtype=bool)
    np.put_along_axis(in_order, rank, is_sought, axis=1)
    n_above = np.take_along_axis(np.cumsum(in_order, axis=1), rank, axis=1) - 1
    place = np.full(is_unknown.shape, -1)
    place.ravel()[ranking.cell[is_sought]] = n_above[is_sought]
    n_items, n_in_reach = is_unknown.sum(axis=1), in_order.sum(axis=1)
    return _Unknown(with_unknown(block), place[is_unknown], n_items, n_in_reach)


def with_unknown(block: Block) -> Block:
    """Return a block whose judged items are those that are known, and all unknown ranked ones."""
    ranked, judged = block.ranked, block.judged
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
    is_item, shape = padding(np.bincount(rows, minlength=n_queries))
    items = Items(labels, shape, is_item, None, judged.place_of_row, is_known[order])
    return block._replace(judged=items)


def _complete(block: Block, labels: NDArray[Any]) -> Block:
    """Return a block of `with_unknown` whose unknown labels are given, query after query."""
    ranked = _with_labels(block.ranked, labels)
    judged = ranked if block.ranked is block.judged else _with_labels(block.judged, labels)
    return block._replace(ranked=ranked, judged=judged)


def _with_labels(items: Items, labels: NDArray[Any]) -> Items:
    completed = items.labels.copy()
    completed[items.is_unknown] = labels
    return items._replace(labels=completed, known=None)


def _cells(items: Items, values: Bools) -> Bools:
    """Return the cells of the items for which a 1-D mask is True."""
    return items.place(values).astype(bool)
