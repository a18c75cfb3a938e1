"""Data that is larger than memory: parts of whole queries, whose sums are added, on any engine.

The engines (files, Dask, Spark) differ in how they bring all rows of a query together.
"""

from __future__ import annotations

from ranking_scores._scale._engines import (
    SourceOptions,
    report_any_tables,
    report_of_any,
    score_queries_of_any,
)
from ranking_scores._scale._shards import ErrorNames, ShardTables, paths_of, shards_of
