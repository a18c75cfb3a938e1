"""Why a query has its score: rankings of the items of one query, their parts, and the results.

It knows which queries and items a caller means, and computes no metric of its own.
"""

from __future__ import annotations

from ranking_scores._explanations._explaining import (
    ItemNames,
    asks_for_several,
    choose_queries,
    explain,
    names_of_queries,
    read_system,
    rows_of_ids,
)
from ranking_scores._explanations._results import (
    ItemMove,
    ItemPart,
    QueryExplanation,
    QueryExplanations,
)
