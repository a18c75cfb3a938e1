"""Definite orders of items with equal scores, as views of blocks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._profiles import rank_items
from ranking_scores._queries._blocks import Block
from ranking_scores._queries._relevance import Gain


def order_of_items(block: Block, gain_of: Gain) -> Block:
    """Return a block without ties, in which the later of equal items comes first."""
    width = block.scores.shape[1]
    cell = rank_items(block.scores, width, ignore_ties=True).cell
    scores = np.empty(block.scores.shape)
    scores.ravel()[cell] = np.arange(width, 0, -1)
    scores[np.isnan(block.scores)] = np.nan
    return block._replace(scores=scores)


def worst_order(block: Block, gain_of: Gain) -> Block:
    """Return a block in which the items with the largest gain come last in each tie group."""
    return break_ties(block, -_worth(block, gain_of))


def best_order(block: Block, gain_of: Gain) -> Block:
    """Return a block in which the items with the largest gain come first in each tie group."""
    return break_ties(block, _worth(block, gain_of))


def _worth(block: Block, gain_of: Gain) -> NDArray[Any]:
    """Return the gain of each item times its weight, (n_queries, n_cells)."""
    gain = block.ranked.gains(gain_of)
    if block.ranked.weight is not None:
        gain = gain * block.ranked.weight
    return block.ranked.place(gain)


def break_ties(block: Block, worth: NDArray[Any]) -> Block:
    """Return a block in which only items of equal worth still tie.

    In each tie group, the items of the largest worth come first. The scores become ranks: 0 for
    the lowest of a query, and one more whenever the score or the worth changes.
    """
    order = np.lexsort((worth, block.scores), axis=1)
    score, sorted_worth = (
        np.take_along_axis(each, order, axis=1) for each in (block.scores, worth)
    )
    rank = np.zeros(order.shape)
    is_new = (score[:, 1:] != score[:, :-1]) | (sorted_worth[:, 1:] != sorted_worth[:, :-1])
    np.cumsum(is_new, axis=1, out=rank[:, 1:])
    rank[np.isnan(score)] = np.nan
    scores = np.empty(order.shape)
    np.put_along_axis(scores, order, rank, axis=1)
    return block._replace(scores=scores)


class TieSplit(NamedTuple):
    """An order of equal scores that puts some items with a gain among the first k ranks.

    It matters to the items whose score is that of rank k. Other ties are broken by gain.
    """

    k: int
    n_hits: int
    """The number of items with a gain, of those whose score is that of rank k, among the first k
    ranks. If the items do not allow it, it is the nearest number that they allow."""
    best_first: bool
    """Whether the largest gains come first, and items with a gain before those without."""


def split_worth(gain: NDArray[Any], scores: NDArray[Any], split: TieSplit) -> NDArray[Any]:
    """Return numbers that are larger for items that a split puts first, (n_queries, n_cells)."""
    worth = gain if split.best_first else -gain
    if split.k > scores.shape[1]:
        return worth
    at_k = -np.sort(-scores, axis=1)[
        :, split.k - 1 : split.k
    ]  # NaN, which is last, in short lists
    is_split, is_hit = scores == at_k, gain > 0
    hits, misses = is_split & is_hit, is_split & ~is_hit
    place_by_worth = np.argsort(
        np.argsort(np.where(hits, -worth, np.inf), kind="stable"), kind="stable"
    )
    n_places = split.k - (scores > at_k).sum(axis=1, keepdims=True)
    is_first_hit = hits & (place_by_worth < split.n_hits)
    is_first_miss = misses & (np.cumsum(misses, axis=1) <= n_places - split.n_hits)
    # Of the others, misses fill what the hits leave, and hits come last of all.
    place = np.select([is_first_hit, is_first_miss, misses], [3.0, 2.0, 1.0])
    if not split.best_first:
        place = np.select([is_first_miss, is_first_hit, hits], [3.0, 2.0, 1.0])
    far = 1 + 2 * np.abs(gain).max(initial=0)
    return np.where(is_split, worth + far * place, worth)
