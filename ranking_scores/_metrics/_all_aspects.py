"""The probability that the first items have all aspects of a query: no mean, but a joint event."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import invalid
from ranking_scores._metrics._evaluate import Call, RankedRelevance
from ranking_scores._metrics._profiles import groups_at, sum_to_cutoffs
from ranking_scores._queries import Members

Floats = NDArray[np.float64]

_MOST_OPEN = 16
"""The number of aspects that the order of a tie group may decide on: 2**16 sets of them count."""


def chance_of_all_aspects(relevant: RankedRelevance, members: Members, call: Call) -> Floats:
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
        of_aspect = np.arange(needed.size)[:, None]
        above, up_to_end = hits_so_far[of_aspect, start], hits_so_far[of_aspect, start + size]
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
            of_query = relevant.items.place_of_row(query)
            raise invalid("y_true", call.function, expected, got, _ADVICE, place=of_query)
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
        by_aspect = n_with.reshape(-1, 2, 2**aspect)
        by_aspect[:, 1] += by_aspect[:, 0]
        sign = np.concatenate([-sign, sign])
    times: list[Any] = np.bincount(n_with, weights=sign).tolist()
    draws = sum(int(each) * math.comb(n, n_drawn) for n, each in enumerate(times) if each)
    return draws / math.comb(n_items, n_drawn)
