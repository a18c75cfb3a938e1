"""The scores of this package for data larger than memory: Parquet files, Dask and Spark.

Streams score whole queries, so every result equals that of one call on all the data, to the last
bit. No library is imported before it is needed.
"""

from __future__ import annotations

from ranking_scores._scale import (
    score_dask,
    score_each_dask,
    score_each_spark,
    score_parquet,
    score_spark,
    score_tables_dask,
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


def __dir__() -> list[str]:
    return __all__
