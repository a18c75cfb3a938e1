"""Finds runs in which the ranks contradict the scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import stable_order, unique_inverse


def count_contradicted(
    query: NDArray[np.int32], scores: NDArray[np.float64], ranks: NDArray[np.float64]
) -> int:
    """Return in how many queries an item has a higher score than another, and a later rank.

    Most runs are in order, which is seen without sorting: the lines of a query are together, and
    from line to line scores do not rise and ranks do not fall.
    """
    starts = np.flatnonzero(np.append(True, query[1:] != query[:-1]))[: query.size]
    is_suspect = np.bincount(query[starts]) > 1  # the lines of such a query are in several places
    is_odd = scores[1:] > scores[:-1]
    is_odd |= ranks[1:] < ranks[:-1]
    odd = np.flatnonzero(is_odd)
    is_suspect[query[odd[query[odd] == query[odd + 1]]]] = True
    if not is_suspect.any():
        return 0
    rows = np.flatnonzero(is_suspect[query])
    number, scores, rank = query[rows].astype(np.intp), scores[rows], _as_codes(ranks[rows])
    order = stable_order(rank)
    order = order[stable_order(number[order])]
    number, scores, rank = number[order], scores[order], rank[order]
    # If the lowest score of each rank is not below the highest one of the next rank, it is not
    # below that of any later rank.
    is_first = np.append(True, (number[1:] != number[:-1]) | (rank[1:] != rank[:-1]))
    first = np.flatnonzero(is_first)
    lowest, highest = np.minimum.reduceat(scores, first), np.maximum.reduceat(scores, first)
    of_rank = number[first]
    is_wrong = (of_rank[1:] == of_rank[:-1]) & (lowest[:-1] < highest[1:])
    return int(np.unique(of_rank[1:][is_wrong]).size)


def _as_codes(ranks: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return codes in the order of the ranks, sooner if all of them are small and whole."""
    if (np.abs(ranks) < 2**31).all():
        whole = ranks.astype(np.int64)
        if (whole == ranks).all():
            return unique_inverse(whole)[1]
    return unique_inverse(ranks)[1]
