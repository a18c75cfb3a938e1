"""Why a query has its score: rankings of the items of one query, their parts, and the results.

It knows which queries and items a caller means, and computes no metric of its own.
"""

from __future__ import annotations

from ranking_scores._explanations._choice import (
    ItemNames,
    asks_for_several,
    choose_queries,
    names_of_queries,
    rows_of_ids,
)
from ranking_scores._explanations._explaining import explain, read_system
from ranking_scores._explanations._results import (
    ItemMove,
    ItemPart,
    QueryExplanation,
    QueryExplanations,
)
