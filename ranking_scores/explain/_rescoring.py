"""Rankings of the items of one query, and what a score makes of each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place
from ranking_scores._base._sorting import possible_ranks
from ranking_scores._metrics._evaluate import BlockScores, Plan, RankedBlock
from ranking_scores._metrics._profiles import RankSum, Summands, rank_items
from ranking_scores._metrics._rank_sums import parts_by_rank, sums_if_first, weights_of
from ranking_scores._queries._blocks import Block, BlockItems, CheckedQueries, OneQuery
from ranking_scores._queries._relevance import Gain

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

_LONGEST = 2**12
"""The greatest length of a list that is tried, besides that of all items, if gains or weights are
negative."""


@dataclass(frozen=True)
class Candidates:
    """The items of one query that are ranked or judged, in item order."""

    at: Positions
    """The column of each item, or its row if items are in rows or in lists."""
    labels: NDArray[Any]
    """The labels, followed by a 0, the label of items that are neither ranked nor judged."""
    weight: Floats | None
    """The weights of the items, followed by a 1; None: items have no weights."""
    ranked: Positions
    """The items that are ranked, as indices."""
    scores: NDArray[Any]
    """Their scores."""
    judged: Positions
    """The items that are judged, as indices."""
    query: OneQuery
    known: NDArray[np.bool_] | None
    """Which labels are known, followed by False; None: all are, or it does not matter."""

    @classmethod
    def of(cls, query: OneQuery) -> Candidates:
        """Return the items of a query."""
        at = np.union1d(query.ranked_at, query.judged_at)
        ranked, judged = (
            np.searchsorted(at, places) for places in (query.ranked_at, query.judged_at)
        )
        labels = np.zeros(at.size + 1, query.judged.labels.dtype)
        weight = np.ones(at.size + 1) if query.judged.weight is not None else None
        known = np.append(np.ones(at.size, dtype=bool), False)
        for items, places in ((query.ranked, ranked), (query.judged, judged)):
            labels[places] = items.labels
            if weight is not None:
                weight[places] = items.weight
            if items.known is not None:
                known[places] = items.known
        is_known = None if known[:-1].all() else known
        return cls(at, labels, weight, ranked, query.scores, judged, query, is_known)

    def label(self, item: Any) -> Any:
        """Return a label as a number of Python, 1 or 0 for a bool, and NaN if it is unknown."""
        if self.known is not None and not self.known[item]:
            return np.nan
        number = self.labels[item].item()
        return int(number) if isinstance(number, bool) else number

    def block(self, items: Positions, scores: NDArray[Any]) -> Block:
        """Return rankings of items, one per row, with a score of each item.

        The index -1 is for an item of the query that is neither ranked nor judged.
        """
        n_rows = len(items)
        if not items.shape[1]:
            scores = np.full((n_rows, 1), np.nan)
        judged = np.broadcast_to(self.judged, (n_rows, self.judged.size))
        n_items = np.full(n_rows, self.query.n_items)
        return Block(np.arange(n_rows), scores, self._items(items), self._items(judged), n_items)

    def _items(self, items: Positions) -> BlockItems:
        """Return items in rows, by their indices."""
        shape, is_item = items.shape, None
        if not shape[1]:
            shape, is_item = (shape[0], 1), np.zeros((shape[0], 1), dtype=bool)
        of_items = items.ravel()
        weight = None if self.weight is None else self.weight[of_items]
        known = None if self.known is None else self.known[of_items]
        return BlockItems(self.labels[of_items], shape, is_item, weight, self.place_of_row, known)

    def gains(self, gain_of: Gain) -> Floats:
        """Return the gain of each item, times its weight."""
        items = self._items(np.arange(self.at.size)[None])
        gain = items.gains(gain_of) if self.at.size else np.zeros(0)
        return gain if items.weight is None else gain * items.weight

    def place_of_row(self, row: int) -> Place:
        """Return the query as the place of an error."""
        return self.query.judged.place_of_row(0)


class ScoreParts(NamedTuple):
    """What the items of a ranking add to its score."""

    value: float
    """The score, NaN if it is undefined."""
    of_item: Floats
    """The part of each item, 0 if it is not ranked."""
    rank_sum: RankSum
    """The sum that the score is."""

    @property
    def summands(self) -> Summands:
        """What the score adds up."""
        return cast(Summands, self.rank_sum.summands)

    @property
    def last_rank(self) -> int:
        """The last rank that counts."""
        return int(np.ravel(self.summands.cutoffs)[0])


class Rescorer:
    """A score that is applied to rankings of the items of one query."""

    def __init__(self, plan: Plan, queries: CheckedQueries, *, ignore_ties: bool) -> None:
        self.is_greater_better = plan.greater_is_better
        self.ignore_ties = ignore_ties
        self._plan = plan
        # More ranks than the data needs, since items that are not ranked may be put into a rank.
        self._score_block = plan.score_block_of(queries._replace(last_rank=queries.longest))

    def parts(self, items: Candidates) -> ScoreParts:
        """Return the parts of the items in the ranking of the data."""
        return self._parts(items, items.ranked[None], items.scores[None])

    def gains(self, items: Candidates) -> Floats:
        """Return the gain of each item, times its weight."""
        return items.gains(self._plan.gain)

    def best(self, items: Candidates, summands: Summands, *, may_leave_out: bool) -> ScoreParts:
        """Return the parts of the items in the best ranking.

        Items of the same gain share what they add, since their order does not matter.
        `summands` are those of the ranking of the data, and `may_leave_out` is whether a ranking
        need not have all items.
        """
        gain = self.gains(items)
        n_ranks = items.query.n_items if may_leave_out else items.ranked.size
        weight = weights_of(summands, (1, max(n_ranks, 1)))[0, :n_ranks]
        if not self.is_greater_better and n_ranks:
            weight = 1 + weight.max() - weight
        order = _best_order(gain, weight, may_leave_out)
        value, parts, best = self._in_order(items, order)
        if value != value:  # of an empty list, as the share of what was retrieved is undefined
            value, parts, best = self._in_order(items, items.ranked[:1])
        _, same = np.unique(gain, return_inverse=True)
        n_same = np.bincount(same)
        return ScoreParts(value, (np.bincount(same, weights=parts) / n_same)[same], best)

    def _in_order(self, items: Candidates, order: Positions) -> ScoreParts:
        """Return the parts of the items in one ranking without ties."""
        return self._parts(items, order[None], -np.arange(float(order.size))[None])

    def may_gain_without_part(self, items: Candidates, summands: Summands) -> bool:
        """Return whether an item that adds nothing may still gain by a move to the first rank.

        It does if the items that it moves down lose something, or weigh more below.
        """
        weight = weights_of(summands, (1, items.ranked.size + 1))[0]
        weight = weight if self.is_greater_better else -weight
        falls = bool((weight[1:] <= weight[:-1]).all())
        return not falls or bool((self.gains(items) < 0).any())

    def if_first(self, items: Candidates, chosen: Positions, parts: ScoreParts) -> Floats:
        """Return the score after each of some items alone was moved to the first rank.

        `parts` are those of the ranking of the data.
        """
        first, last = (ranks[chosen] for ranks in self.ranks(items))
        with np.errstate(all="ignore"):
            total = sums_if_first(parts.summands, self.gains(items)[chosen], first, last)[:, None]
            values = parts.rank_sum._replace(total=total).values()[:, 0]
        is_new = first == 0
        if is_new.any():  # a list that is longer by one item may have another denominator
            longer = cast(RankSum, self._moved_up(items, chosen[is_new][0]).rank_sum)
            values[is_new] = longer._replace(total=total[is_new]).values()[:, 0]
        is_too_large = ~np.isfinite(values)  # the score raises
        moved = chosen[is_too_large].tolist()
        values[is_too_large] = [self._moved_up(items, each).values[0, 0] for each in moved]
        return values

    def _moved_up(self, items: Candidates, moved: Any) -> BlockScores:
        """Return the score after an item was moved to the first rank."""
        others = items.ranked != moved
        ranked = np.append(items.ranked[others], moved)
        level = np.unique(items.scores[others], return_inverse=True)[1].astype(np.float64)
        scores = np.append(level, float(items.at.size))
        return self._scores(items.block(ranked[None], scores[None]))

    def ranks(self, items: Candidates) -> tuple[Positions, Positions]:
        """Return the first and the last rank that each item may have; 0: it is not ranked."""
        first, last = np.zeros((2, items.at.size), dtype=np.intp)
        if self.ignore_ties and items.ranked.size:
            n_ranked = items.ranked.size
            cell = rank_items(items.scores[None], n_ranked, ignore_ties=True).cell[0]
            first[items.ranked[cell]] = last[items.ranked[cell]] = np.arange(1, n_ranked + 1)
        else:
            first[items.ranked], last[items.ranked] = possible_ranks(items.scores)
        return first, last

    def _scores(self, block: Block) -> BlockScores:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return self._score_block(RankedBlock(block, self._plan.call.depth))

    def _parts(self, items: Candidates, ranked: Positions, scores: NDArray[Any]) -> ScoreParts:
        """Return the parts of the items in one ranking."""
        found = self._scores(items.block(ranked, scores))
        value, rank_sum = float(found.values[0, 0]), cast(RankSum, found.rank_sum)
        summands = cast(Summands, rank_sum.summands)
        of_item = np.zeros(items.at.size + 1)
        if value == value and ranked.size:
            by_rank, cell = parts_by_rank(summands)[0], summands.ranking.cell[0]
            of_item[ranked[0, cell]] = by_rank / np.ravel(rank_sum.denominator)[0]
        return ScoreParts(value, of_item[:-1], rank_sum)


def _best_order(gain: Floats, weight: Floats, may_leave_out: bool) -> Positions:
    """Return the items in the order in which gain times weight has the largest sum.

    The largest gains are at the ranks of the largest weights. -1 is an item that is neither ranked
    nor judged, and so has no gain.
    """
    by_weight = np.argsort(-weight, kind="stable")
    by_gain = np.argsort(-gain, kind="stable")
    if not may_leave_out:
        order = np.empty(gain.size, dtype=np.intp)
        order[by_weight] = by_gain
        return order
    may_fall = bool((weight[1:] <= weight[:-1]).all())
    if (weight < 0).any() or ((gain < 0).any() and not may_fall):
        return _best_part(gain, weight)
    # Items that would lose or add nothing are left out, unless a rank above others would be empty.
    order = np.full(weight.size, -1)
    items, ranks = by_gain[gain[by_gain] >= 0], by_weight[weight[by_weight] > 0]
    n = min(np.count_nonzero(gain > 0), ranks.size)
    order[ranks[:n]] = items[:n]
    order = order[: np.flatnonzero(order >= 0).max(initial=-1) + 1]
    others = items[n:][::-1]  # the lowest gains first
    empty = np.flatnonzero(order < 0)[: others.size]
    order[empty] = others[: empty.size]
    return order


def _best_part(gain: Floats, weight: Floats) -> Positions:
    """Return the order of the best choice of items, if gains or weights may be negative.

    For each length of a list, the items of the largest gains are at the ranks of the largest
    weights, and those of the lowest gains are at the ranks of the lowest weights.
    """
    n_items = gain.size
    gain = np.append(gain, np.zeros(weight.size - n_items))
    down = np.argsort(-gain, kind="stable")
    most, best = 0.0, down[:0]
    for length in {*range(1, min(weight.size, _LONGEST) + 1), weight.size}:
        ranks = np.argsort(-weight[:length], kind="stable")
        of_rank = weight[ranks]
        first = np.cumsum(np.append(0, gain[down[:length]] * of_rank))
        last = np.cumsum(np.append(0, gain[down[::-1][:length]] * of_rank[::-1]))
        total = first + last[::-1]
        n_first = int(np.argmax(total))
        if total[n_first] > most:
            most, best = total[n_first], np.empty(length, dtype=np.intp)
            n_last = length - n_first
            best[ranks] = np.append(down[:n_first], down[down.size - n_last :])
    return np.where(best < n_items, best, -1)
