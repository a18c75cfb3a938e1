"""Definite orders of items with equal scores, as views of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._profiles import rank_items
from ranking_scores._queries import Block, Gain


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
