"""How far two rankings of the same items agree, without labels.

Two rankings of any kind become one object, and every score is a function of what they share.
"""

from __future__ import annotations

from ranking_scores._agreement._measures import (
    DEFAULT_MEASURES,
    MEASURES,
    NamedMeasure,
    ap,
    average_overlap_at,
    correlation_by_query,
    find_measure,
    find_measures,
    is_agreement,
    kendall,
    overlap_at,
    range_of_agreement,
    rank_biased,
    values_by_query,
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
