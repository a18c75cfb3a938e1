"""Scores of several aspects of a query that are no mean of the scores of these aspects.

The probability that the first items have all aspects is that of a joint event. The gain of an
item in alpha-nDCG falls with each item above it that has its aspect.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._sorting import start_runs
from ranking_scores._metrics._evaluate import RankedRelevance, ScoreCall
from ranking_scores._metrics._profiles import (
    RankSum,
    discounted,
    expected_gain,
    first_stop,
    groups_at,
    sum_over_ranks,
    sum_to_cutoffs,
)
from ranking_scores._queries._blocks import spread
from ranking_scores._queries._over_aspects import AspectRows
from ranking_scores._queries._relevance import Relevance

Floats = NDArray[np.float64]

_MOST_OPEN = 16
"""The number of aspects that the order of a tie group may decide on: 2**16 sets of them count."""


def chance_of_all_aspects(
    relevant: RankedRelevance, members: AspectRows, call: ScoreCall
) -> Floats:
    """P[each aspect of the query has a relevant item up to the cutoff], NaN if none has any.

    Aspects that weigh nothing are left out. Those without a relevant item are never found, but are
    left out if undefined scores are.
    """
    has_relevant = relevant.n_relevant[:, 0] > 0
    is_needed = np.ones(has_relevant.size, dtype=bool)
    if members.weight is not None:
        is_needed = members.weight > 0
    n_defined = np.bincount(members.row[is_needed & has_relevant], minlength=members.n_queries)
    if math.isnan(call.replacement):
        is_needed &= has_relevant
    needed = np.flatnonzero(is_needed)
    cutoffs, row = call.cutoffs.ranks, members.row[needed]
    hits, groups = relevant.hit_by_rank, relevant.ranking.groups
    if groups is None:
        is_found = sum_to_cutoffs(hits, cutoffs)[needed] > 0
        is_open = np.zeros_like(is_found)
    else:
        n_aspects, width = hits.shape
        cutoff = np.broadcast_to(np.minimum(cutoffs, width), (n_aspects, cutoffs.size))
        start, size, n_places = (each[needed] for each in groups_at(groups, cutoff, width))
        hits_so_far = np.zeros((needed.size, width + 1))
        np.cumsum(hits[needed], axis=1, out=hits_so_far[:, 1:])
        aspect_row = np.arange(needed.size)[:, None]
        above, up_to_end = hits_so_far[aspect_row, start], hits_so_far[aspect_row, start + size]
        is_found = np.where(n_places == size, up_to_end, above) > 0
        is_open = ~is_found & (up_to_end > 0)
    chance = np.ones((members.n_queries, cutoffs.size))
    aspect, place = np.nonzero(~is_found & ~is_open)
    chance[row[aspect], place] = 0
    place, aspect = np.nonzero(is_open.T & (chance[row] > 0).T)
    ends = np.flatnonzero((np.diff(place) != 0) | (np.diff(row[aspect]) != 0)) + 1
    for some in np.split(np.arange(aspect.size), ends) if aspect.size else ():
        at = aspect[some[0]], place[some[0]]
        if some.size > _MOST_OPEN:
            expected = (
                f"with at most {_MOST_OPEN} aspects per query of which the first items are in the "
                "tie group at the cutoff"
            )
            got, query = f"{some.size} of them", int(needed[at[0]])
            place_of_query = relevant.block.ranked.place_of_row(query)
            raise invalid("y_true", call.function, expected, got, _ADVICE, place=place_of_query)
        ranks = slice(start[at], start[at] + size[at])
        in_group = hits[needed[aspect[some]], ranks].astype(np.intp)
        chance[row[at[0]], at[1]] = _chance_of_each(in_group, int(n_places[at]))
    chance[n_defined == 0] = np.nan
    return chance


_ADVICE = "With `ignore_ties=True`, there is no limit."


def _chance_of_each(has_aspect: NDArray[np.intp], n_drawn: int) -> float:
    """P[each aspect is that of some of the items drawn], exact but for one division.

    `has_aspect` is 1 for the aspects of each item, (n_aspects, n_items). By inclusion and
    exclusion it is the sum over all sets of aspects of the probability that the items drawn have
    no other ones, with the sign (-1)**(number of other aspects).
    """
    n_aspects, n_items = has_aspect.shape
    n_with = np.bincount((1 << np.arange(n_aspects)) @ has_aspect, minlength=2**n_aspects)
    sign = np.ones(1)
    for aspect in range(n_aspects):
        # Items without the aspect have no aspects outside of the set with it, either.
        counts = n_with.reshape(-1, 2, 2**aspect)
        counts[:, 1] += counts[:, 0]
        sign = np.concatenate([-sign, sign])
    times: list[Any] = np.bincount(n_with, weights=sign).tolist()
    draws = sum(int(each) * math.comb(n, n_drawn) for n, each in enumerate(times) if each)
    return draws / math.comb(n_items, n_drawn)


Ints = NDArray[np.int64]


def alpha_dcg(
    relevant: RankedRelevance, alpha: float, weight_by_rank: Floats, cutoffs: Ints
) -> RankSum:
    """Return the discounted sum of (1 - alpha)**(relevant items above) at relevant items.

    It is that of first stops: if each relevant item stops a user with the probability alpha, then
    (1 - alpha)**(relevant items above) is the probability that nobody stops above.
    """
    hit_by_rank, ranking = relevant.hit_by_rank, relevant.ranking
    weigh = partial(discounted, weight_by_rank=weight_by_rank)
    if alpha == 0:
        return sum_over_ranks(expected_gain, hit_by_rank, ranking, cutoffs, weigh)
    stops = sum_over_ranks(first_stop, alpha * hit_by_rank, ranking, cutoffs, weigh)
    return stops._replace(denominator=np.float64(alpha))


def best_alpha_dcg(
    n_relevant: Floats, alpha: float, weight_by_rank: Floats, cutoffs: Ints
) -> Floats:
    """Return the alpha-DCG of queries whose relevant items are at the top, up to each cutoff."""
    gain_by_rank = (1 - alpha) ** np.arange(weight_by_rank.size)
    best = np.append(0.0, np.cumsum(gain_by_rank * weight_by_rank))
    n_ranks = np.minimum(np.minimum(n_relevant, cutoffs), weight_by_rank.size)
    return np.asarray(best[n_ranks.astype(np.intp)])


def greedy_alpha_dcg(
    members: AspectRows, relevance: Relevance, alpha: float, weight_by_rank: Floats, cutoffs: Ints
) -> Floats:
    """Return the alpha-DCG of each query if at each rank the item is the one that gains most.

    Of several such items it is the one with the last id, as in ndeval.
    """
    index, row = members.aspects.labels_of(members.aspect)
    is_relevant = relevance.is_relevant(members.aspects.labels[index])
    row, place = row[is_relevant], members.aspects.place[index[is_relevant]]
    n_places = int(place.max(initial=0)) + 1
    # The items that cover an aspect, of each query those with the last ids first.
    keys, item = np.unique((members.row[row] + 1) * n_places - place, return_inverse=True)
    query = keys // n_places
    first = np.flatnonzero(start_runs(query))
    n_ranks = min(weight_by_rank.size, int(np.diff(first, append=query.size).max(initial=1)))
    gain_by_rank, n_done = np.zeros((members.n_queries, n_ranks)), np.zeros(members.n_queries, int)
    weight = np.ones(members.row.size) if members.weight is None else members.weight.copy()
    most = np.zeros(members.n_queries)
    while item.size:
        gain = np.bincount(item, weight[row], query.size)
        most[query[first]] = np.maximum.reduceat(gain, first)
        is_next = (gain == most[query]) & (gain > 0) & (n_done < n_ranks)[query]
        # Those that gain most are next, but of those that share an aspect only the first one. That
        # is the last one in the row of the aspect.
        cell = np.flatnonzero(is_next[item])
        is_next[item[cell[:-1][row[cell[1:]] == row[cell[:-1]]]]] = False
        if not cell.size:
            break
        n_next = np.bincount(query[is_next], minlength=members.n_queries)
        rank, own = spread(n_done, n_next), np.repeat(np.arange(members.n_queries), n_next)
        has_rank = rank < n_ranks
        gain_by_rank[own[has_rank], rank[has_rank]] = most[own[has_rank]]
        n_done += n_next
        is_left = ~is_next[item]
        weight[row[~is_left]] *= 1 - alpha
        row, item = row[is_left], item[is_left]
    return sum_to_cutoffs(discounted(gain_by_rank, None, weight_by_rank), cutoffs)
