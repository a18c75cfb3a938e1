"""Gains that fall with each repetition: alpha-DCG of the items, and its largest value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._evaluate import RankedRelevance
from ranking_scores._metrics._profiles import (
    RankSum,
    Summands,
    expected_gain,
    first_stop,
    sum_to_cutoffs,
)
from ranking_scores._queries import Members, Relevance

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]

_CELLS = 2**18
"""The number of cells of aspects and items of which the best order is sought at once."""


def alpha_dcg(
    relevant: RankedRelevance, alpha: float, weight_by_rank: Floats, cutoffs: Ints
) -> RankSum:
    """Return the discounted sum of (1 - alpha)**(relevant items above) at relevant items.

    It is that of first stops: if each relevant item stops a user with the probability alpha, then
    (1 - alpha)**(relevant items above) is the probability that nobody stops above.
    """
    hit_by_rank, ranking = relevant.hit_by_rank, relevant.ranking
    weigh = partial(_discounted, weight_by_rank=weight_by_rank)
    if alpha == 0:
        gain_by_rank = expected_gain(hit_by_rank, ranking)
        summands = Summands(expected_gain, hit_by_rank, ranking, cutoffs, weigh)
        return RankSum(sum_to_cutoffs(weigh(gain_by_rank), cutoffs), summands=summands)
    stop_by_rank = alpha * hit_by_rank
    summands = Summands(first_stop, stop_by_rank, ranking, cutoffs, weigh)
    first = first_stop(stop_by_rank, ranking, min(weight_by_rank.size, hit_by_rank.shape[1]))
    return RankSum(sum_to_cutoffs(weigh(first), cutoffs), np.float64(alpha), summands)


def _discounted(gain_by_rank: Floats, weight_by_rank: Floats) -> Floats:
    """Return gain times weight at the ranks that have both."""
    n_ranks = min(weight_by_rank.size, gain_by_rank.shape[1])
    return gain_by_rank[:, :n_ranks] * weight_by_rank[:n_ranks]


def best_alpha_dcg(
    n_relevant: Floats, alpha: float, weight_by_rank: Floats, cutoffs: Ints
) -> Floats:
    """Return the alpha-DCG of queries whose relevant items are at the top, up to each cutoff."""
    gain_by_rank = (1 - alpha) ** np.arange(weight_by_rank.size)
    best = np.append(0.0, np.cumsum(gain_by_rank * weight_by_rank))
    n_ranks = np.minimum(np.minimum(n_relevant, cutoffs), weight_by_rank.size)
    largest: Floats = best[n_ranks.astype(np.intp)]
    return largest


def greedy_alpha_dcg(
    members: Members, relevance: Relevance, alpha: float, weight_by_rank: Floats, cutoffs: Ints
) -> Floats:
    """Return the alpha-DCG of each query if at each rank the item is the one that gains most.

    Of several such items it is the one with the last id, as in ndeval.
    """
    judged, places = members.judged(), members.places()
    is_relevant = judged.place(relevance.is_relevant(judged.labels))
    place = places.place(places.labels).astype(np.intp)
    n_ranks = max(min(weight_by_rank.size, place.shape[1]), 1)
    gain_by_rank = np.zeros((members.n_queries, n_ranks))
    for queries, aspects in _alike(members, place.shape[1]):
        weight = np.ones(aspects.shape) if members.weight is None else members.weight[aspects]
        has_aspect = is_relevant[aspects]
        has_any = has_aspect.any(axis=1)
        # Items that cover an aspect come first, those with the last ids at the top.
        order = np.argsort(-np.where(has_any, place[queries], -1), axis=1)
        # If there are at least two, NumPy adds aspect by aspect, so that the bits are the same.
        n_items = int(has_any.sum(axis=1).max(initial=2))
        of_items = np.take_along_axis(has_aspect, order[:, None, :n_items], axis=2)
        covers = np.zeros((*aspects.shape, n_items))
        covers[:, :, : of_items.shape[2]] = of_items
        row = np.arange(queries.size)
        for rank in range(min(n_ranks, n_items)):
            gain = np.einsum("qa,qai->qi", weight, covers)
            best = gain.argmax(axis=1)
            gain_by_rank[queries, rank] = gain[row, best]
            weight = np.where(covers[row, :, best] > 0, (1 - alpha) * weight, weight)
            covers[row, :, best] = 0
    return sum_to_cutoffs(_discounted(gain_by_rank, weight_by_rank), cutoffs)


def _alike(members: Members, n_items: int) -> Iterator[tuple[Positions, Positions]]:
    """Yield queries with the same number of aspects, and the rows of their aspects."""
    n_aspects = np.bincount(members.row, minlength=members.n_queries)
    first = np.cumsum(n_aspects) - n_aspects
    for n in np.unique(n_aspects).tolist():
        queries = np.flatnonzero(n_aspects == n)
        size = max(_CELLS // max(n * n_items, 1), 1)
        for some in np.split(queries, range(size, queries.size, size)):
            yield some, first[some, None] + np.arange(n)
