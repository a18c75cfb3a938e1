"""Which engine scores some data, by its kind, and which parameters that engine has."""

from __future__ import annotations

from typing import Any

from ranking_scores._base import check_bool, describe, invalid, library_of
from ranking_scores._scale._batches import report_batches, score_queries_of_batches
from ranking_scores._scale._dask import report_dask, report_tables_dask, score_queries_dask
from ranking_scores._scale._shard_tables import ShardTables
from ranking_scores._scale._shards import ShardScore
from ranking_scores._scale._spark import report_spark, report_tables_spark, score_queries_spark
from ranking_scores.report import RankingReport


def report_of_any(
    data: Any, shard: ShardScore, *, batch_rows: Any, n_jobs: Any, compute: Any
) -> Any:
    """Return the report of data of any kind."""
    function = shard.names.function
    compute = check_bool(compute, "compute", function)
    engine = _engine_of(data)
    if engine:
        _refuse(engine, function, batch_rows=batch_rows, n_jobs=n_jobs)
    if engine == "Dask":
        return report_dask(data, shard, compute=compute)
    if not compute:
        expected = "True, unless data is a Dask DataFrame"
        raise invalid("compute", function, expected, "False")
    if engine == "Spark":
        return report_spark(data, shard)
    return report_batches(data, shard, batch_rows=batch_rows, n_jobs=n_jobs)


def score_queries_of_any(
    data: Any, shard: ShardScore, *, path: Any, batch_rows: Any, n_jobs: Any
) -> Any:
    """Return the values of each query, in the form that the kind of the data has."""
    engine = _engine_of(data)
    if not engine:
        options = {"path": path, "batch_rows": batch_rows, "n_jobs": n_jobs}
        return score_queries_of_batches(data, shard, **options)
    _refuse(engine, shard.names.function, batch_rows=batch_rows, n_jobs=n_jobs, path=path)
    return (score_queries_dask if engine == "Dask" else score_queries_spark)(data, shard)


def report_any_tables(judgments: Any, predictions: Any, shard: ShardTables) -> RankingReport:
    """Return the report of judgments and predictions, which are frames of one engine."""
    engine = _engine_of(judgments) or _engine_of(predictions)
    if not engine:
        expected = "a Dask or Spark DataFrame"
        advice = (
            "`ranking_scores.tables.from_tables` joins tables that fit in memory, and "
            "`dask.dataframe.read_parquet` reads Parquet files of any size."
        )
        function = shard.score.names.function
        raise invalid("judgments", function, expected, describe(judgments), advice)
    report = report_tables_dask if engine == "Dask" else report_tables_spark
    return report(judgments, predictions, shard)


def _engine_of(data: Any) -> str:
    """Return which library brings the rows of queries together. Empty: none needs to."""
    if hasattr(data, "mapInArrow"):  # as the frames of Spark Connect and of wrappers have
        return "Spark"
    return {"dask": "Dask", "pyspark": "Spark"}.get(library_of(data), "")


def _refuse(engine: str, function: str, **options: Any) -> None:
    """Raise if a parameter was given that the engine does not have."""
    for name, value in options.items():
        if value is not None:
            advice = "The result is a DataFrame, which has methods to write it." * (name == "path")
            expected = f"None if data is a {engine} DataFrame"
            raise invalid(name, function, expected, describe(value), advice)
