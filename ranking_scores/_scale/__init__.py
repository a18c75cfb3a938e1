"""Data that is larger than memory: parts of it, each scored by one stream, on several engines.

The engines (Parquet files, Dask, Spark) differ in how they bring all rows of a query together.
"""

from __future__ import annotations

from ranking_scores._scale._dask import (
    score_dask,
    score_each_dask,
    score_tables_dask,
)
from ranking_scores._scale._parquet import (
    score_parquet,
)
from ranking_scores._scale._spark import (
    score_each_spark,
    score_spark,
    score_tables_spark,
)

__all__ = [
    "score_dask",
    "score_each_dask",
    "score_each_spark",
    "score_parquet",
    "score_spark",
    "score_tables_dask",
    "score_tables_spark",
]
