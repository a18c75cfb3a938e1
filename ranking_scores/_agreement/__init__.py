"""How far two rankings of the same items agree, without labels.

Two rankings of any kind become one object, and every score is a function of what they share.
"""

from __future__ import annotations

from ranking_scores._agreement._correlations import ap, correlation_by_query, kendall
from ranking_scores._agreement._named import (
    DEFAULT_MEASURES,
    MEASURES,
    NamedMeasure,
    find_measure,
    find_measures,
    is_agreement,
    range_of_agreement,
)
from ranking_scores._agreement._overlap import (
    Shared,
    average_overlap_at,
    by_query,
    overlap_at,
    rank_biased,
)
from ranking_scores._agreement._pairing import (
    CODE_OF_IDS,
    PairedRankings,
    Places,
    ids_left_out,
    pair,
    pair_joined,
    weight_of_queries,
)

__all__ = [
    "CODE_OF_IDS",
    "DEFAULT_MEASURES",
    "MEASURES",
    "NamedMeasure",
    "PairedRankings",
    "Places",
    "Shared",
    "ap",
    "average_overlap_at",
    "by_query",
    "correlation_by_query",
    "find_measure",
    "find_measures",
    "ids_left_out",
    "is_agreement",
    "kendall",
    "overlap_at",
    "pair",
    "pair_joined",
    "range_of_agreement",
    "rank_biased",
    "weight_of_queries",
]
