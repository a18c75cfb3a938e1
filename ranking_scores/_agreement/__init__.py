"""How far two rankings of the same items agree, without labels.

Two rankings of any kind become one object, and every score is a function of what they share.
"""

from __future__ import annotations

from ranking_scores._agreement._correlations import (
    ap,
    ap_corrected,
    correlation_by_query,
    kendall,
    kendall_corrected,
)
from ranking_scores._agreement._overlap import (
    Shared,
    average_overlap_at,
    by_query,
    overlap_at,
    rank_biased,
)
from ranking_scores._agreement._pairing import (
    PairedRankings,
    Places,
    pair,
    weight_of_queries,
)

__all__ = [
    "PairedRankings",
    "Places",
    "Shared",
    "ap",
    "ap_corrected",
    "average_overlap_at",
    "by_query",
    "correlation_by_query",
    "kendall",
    "kendall_corrected",
    "overlap_at",
    "pair",
    "rank_biased",
    "weight_of_queries",
]
