"""Which engine scores some data, by its kind, and which parameters that engine has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ranking_scores._base._errors import invalid
from ranking_scores._base._ids import library_of
from ranking_scores._base._validation import check_bool, check_n_jobs, check_option, describe
from ranking_scores._queries._data import refuse_aspects
from ranking_scores.report import RankingReport
from ranking_scores.scale._batches import (
    ReadingOptions,
    Shards,
    report_batches,
    report_tables_of_batches,
    score_queries_of_batches,
)
from ranking_scores.scale._dask import report_dask, report_tables_dask, score_queries_dask
from ranking_scores.scale._partitioned import MEMORY, check_space
from ranking_scores.scale._shards import ShardTables
from ranking_scores.scale._spark import report_spark, report_tables_spark, score_queries_spark

ORDERS = ("grouped", "any")
"""How the rows of a query come: next to each other, or anywhere."""


class SourceOptions(NamedTuple):
    """How data is to be read, as the caller says it."""

    batch_rows: Any
    n_jobs: Any
    order: Any
    memory: Any
    directory: Any


def report_of_any(
    data: Any, shards: Shards, options: SourceOptions, *, compute: Any
) -> dict[Any, Any]:
    """Return the reports of data of any kind, one for each column of scores."""
    [first, *_] = shards.values()
    function = first.names.function
    compute = check_bool(compute, "compute", function)
    engine = _engine_for(data, shards, options)
    if engine == "Dask":
        return dict.fromkeys(shards, report_dask(data, first, compute=compute))
    if not compute:
        raise invalid("compute", function, "True, unless data is a Dask DataFrame", "False")
    if engine == "Spark":
        return dict.fromkeys(shards, report_spark(data, first))
    return report_batches(data, shards, _reading(options, function, "qid" in first.columns))


def score_queries_of_any(
    data: Any, shards: Shards, options: SourceOptions, *, paths: Mapping[Any, Any]
) -> dict[Any, Any]:
    """Return the values of each query, in the form that the kind of the data has."""
    [first, *_] = shards.values()
    engine = _engine_for(data, shards, options, next(iter(paths.values()), None))
    if not engine:
        reading = _reading(options, first.names.function, "qid" in first.columns)
        return score_queries_of_batches(data, shards, paths=paths, reading=reading)
    score_queries = score_queries_dask if engine == "Dask" else score_queries_spark
    return dict.fromkeys(shards, score_queries(data, first))


def report_any_tables(
    judgments: Any, predictions: Any, shard: ShardTables, options: SourceOptions
) -> RankingReport:
    """Return the report of judgments and predictions."""
    engine, function = _engine_of(judgments) or _engine_of(predictions), shard.score.names.function
    for parameter, data in (("judgments", judgments), ("predictions", predictions)):
        refuse_aspects(data, parameter, function)
    if not engine:
        reading = _reading(options, function, has_ids=True)
        return report_tables_of_batches(judgments, predictions, shard, reading)
    _refuse(engine, function, options)
    report = report_tables_dask if engine == "Dask" else report_tables_spark
    return report(judgments, predictions, shard)


def _reading(options: SourceOptions, function: str, has_ids: bool) -> ReadingOptions:
    """Return how files and batches are to be read."""
    n_jobs = check_n_jobs(options.n_jobs, function)
    space = None
    if check_option(options.order, "order", function, ORDERS) == "any":
        if not has_ids:
            expected = "the name of a column if order='any', which brings queries together by it"
            raise invalid("qid", function, expected, "None")
        memory = MEMORY if options.memory is None else options.memory
        space = check_space(memory, options.directory, function)
    else:
        for name in ("memory", "directory"):
            if getattr(options, name) is not None:
                expected = "None unless order='any', which writes temporary files"
                raise invalid(name, function, expected, describe(getattr(options, name)))
    return ReadingOptions(options.batch_rows, n_jobs, space)


def _engine_of(data: Any) -> str:
    """Return which library brings the rows of queries together. Empty: none needs to."""
    if hasattr(data, "mapInArrow"):  # as the frames of Spark Connect and of wrappers have
        return "Spark"
    return {"dask": "Dask", "pyspark": "Spark"}.get(library_of(data), "")


def _engine_for(data: Any, shards: Shards, options: SourceOptions, path: Any = None) -> str:
    """Return the engine of data. Raise if it does not take what was passed, or needs more."""
    [first, *_] = shards.values()
    engine, function = _engine_of(data), first.names.function
    refuse_aspects(data, "data", function)
    if engine:
        _refuse(engine, function, options, path)
        expected = f"the name of one column if data is a {engine} DataFrame"
        if len(shards) > 1:
            columns = {name: shard.columns["y_score"] for name, shard in shards.items()}
            raise invalid("score", function, expected, describe(columns))
        if "qid" not in first.columns:
            raise invalid("query", function, expected, "None")
    return engine


def _refuse(engine: str, function: str, options: SourceOptions, path: Any = None) -> None:
    """Raise if a parameter was given that an engine, to which any order is the same, lacks."""
    check_option(options.order, "order", function, ORDERS)
    given = options._asdict() | {"path": path}
    del given["order"]
    for name, value in given.items():
        if value is not None:
            advice = "The result is a DataFrame, which has methods to write it." * (name == "path")
            expected = f"None if data is a {engine} DataFrame"
            raise invalid(name, function, expected, describe(value), advice)
