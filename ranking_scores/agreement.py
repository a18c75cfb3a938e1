"""How far two rankings of the same queries agree, exact under ties, without labels.

`a` and `b` are two rankings by ids, such as yesterday's and today's result lists, or two arrays of
scores. Every function takes both, or the result of `pair_rankings`, which joins them once.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._agreement import (
    PairedRankings,
    Places,
    Shared,
    average_overlap_at,
    by_query,
    overlap_at,
    pair,
    rank_biased,
    weight_of_queries,
)
from ranking_scores._base import check_option, check_persistence
from ranking_scores._metrics import begin, evaluation_of

__all__ = [
    "PairedRankings",
    "Places",
    "average_overlap",
    "overlap_at_k",
    "pair_rankings",
    "rank_biased_overlap",
]


def __dir__() -> list[str]:
    return __all__


def pair_rankings(
    a: Any,
    b: Any = None,
    *,
    query: Any = None,
    item: Any = None,
    score: Any = None,
    rank: Any = None,
    qid: ArrayLike | None = None,
    duplicates: Literal["error", "best", "hold"] = "error",
) -> PairedRankings:
    """Join two rankings of the same queries, for all functions of this module."""
    names = {"query": query, "item": item, "score": score, "rank": rank}
    return pair(a, b, qid=qid, duplicates=duplicates, **names)


def overlap_at_k(
    a: Any,
    b: Any = None,
    k: Any = 10,
    *,
    denominator: Literal["longer", "shorter", "k"] = "longer",
    qid: ArrayLike | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Overlap at k: the share of the first k items that two rankings have in common."""
    call = begin("overlap_at_k", k, average, replace_undefined_by)
    check_option(denominator, "denominator", call.function, ("longer", "shorter", "k"))
    paired = pair_rankings(a, b, qid=qid)

    def overlap(shared: Shared) -> NDArray[np.float64]:
        return overlap_at(shared, call.cutoffs.ranks, denominator)

    values = by_query(paired, call.depth, call.cutoffs.ranks.size, overlap)
    weight = weight_of_queries(paired, sample_weight, call.function)
    return evaluation_of(call, values, weight, paired.query_ids).result()


def average_overlap(
    a: Any,
    b: Any = None,
    k: Any = None,
    *,
    qid: ArrayLike | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Average overlap: the mean of the overlaps at 1, 2, ..., k."""
    call = begin("average_overlap", k, average, replace_undefined_by)
    paired = pair_rankings(a, b, qid=qid)

    def overlap(shared: Shared) -> NDArray[np.float64]:
        return average_overlap_at(shared, call.cutoffs.ranks)

    values = by_query(paired, call.depth, call.cutoffs.ranks.size, overlap)
    weight = weight_of_queries(paired, sample_weight, call.function)
    return evaluation_of(call, values, weight, paired.query_ids).result()


def rank_biased_overlap(
    a: Any,
    b: Any = None,
    p: float = 0.9,
    *,
    ties: Literal["mean", "equal", "corrected"] = "mean",
    tail: Literal["extrapolated", "min", "max", "residual"] = "extrapolated",
    qid: ArrayLike | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Rank-biased overlap (RBO): the expected agreement of two rankings, by a user's patience."""
    call = begin("rank_biased_overlap", None, average, replace_undefined_by)
    persistence = check_persistence(p, call.function, "p")
    check_option(ties, "ties", call.function, ("mean", "equal", "corrected"))
    check_option(tail, "tail", call.function, ("extrapolated", "min", "max", "residual"))
    paired = pair_rankings(a, b, qid=qid)

    def overlap(shared: Shared) -> NDArray[np.float64]:
        return rank_biased(shared, persistence, ties, tail)

    values = by_query(paired, call.depth, 1, overlap)
    weight = weight_of_queries(paired, sample_weight, call.function)
    return evaluation_of(call, values, weight, paired.query_ids).result()
