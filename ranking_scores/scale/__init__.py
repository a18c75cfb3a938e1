"""The scores of this package for data larger than memory: files, batches, Dask and Spark.

Only whole queries are scored, and their sums are exact, so every mean equals that of one call on
all the data, to the last bit. No library is imported before it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal

from ranking_scores._base._errors import ErrorNames
from ranking_scores._base._validation import P, R, advises_on_keywords
from ranking_scores._metrics._named import DEFAULT_CUTOFFS, DEFAULT_SCORES
from ranking_scores._tables._known_names import (
    LEFT_OUT,
    check_unlabelled,
    names_of_columns,
)
from ranking_scores.report import RankingReport
from ranking_scores.scale._engines import (
    SourceOptions,
    report_any_tables,
    report_of_any,
    score_queries_of_any,
)
from ranking_scores.scale._shards import ShardTables, columns_named, paths_of, shards_of
from ranking_scores.scale._sources import columns_of, columns_of_two

__all__ = ["per_query", "report", "report_tables"]


def _advises(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose errors about keywords call it as its other errors do."""
    return advises_on_keywords(function, "scale.")


def __dir__() -> list[str]:
    return __all__


@_advises
def report(
    data: Any,
    *,
    query: Any = None,
    item: Any = None,
    label: Any = None,
    score: Any = None,
    scores: Any = DEFAULT_SCORES,
    k: Any = DEFAULT_CUTOFFS,
    by: Any = None,
    sample_weight: Any = None,
    item_weight: Any = None,
    unjudged: bool = False,
    order: Literal["grouped", "any"] = "grouped",
    memory: int | str | None = None,
    directory: str | os.PathLike[str] | None = None,
    batch_rows: int | None = None,
    n_jobs: int | None = None,
    compute: bool = True,
    y_true: Any = None,
    y_score: Any = None,
    qid: Any = None,
    **params: Any,
) -> Any:
    """Compute several scores of data of any size, with standard errors, in one table.

    The kind of the data says who brings all rows of a query together: Dask, Spark, or a reader of
    files and batches in this process. The data is read once. Every mean equals that of one call of
    the score on all rows, to the last bit, however the rows are spread.

    Parameters
    ----------
    data : path, pyarrow dataset, Dask DataFrame, Spark DataFrame or iterable
        One row per item, with the id of its query. It is one of:

        - The path of a Parquet file, or of a directory. All files below a directory are read, in
          the order of their names, with "part-9" before "part-10". Patterns such as ``*.parquet``
          are not expanded. Directories below it whose names look like "country=fi" give a column.
          It has ints if all names look like ints, so that "7" and "007" become one. To choose the
          types yourself, pass a dataset.
        - A `pyarrow.dataset.Dataset`, or a Parquet file that is open for bytes.
        - A list of these, which is read in its order.
        - A table in memory: of pyarrow, pandas or polars, or a dict of arrays.
        - What reads batches: a reader or a scanner of pyarrow, a LazyFrame of polars, or a
          relation of DuckDB.
        - An iterable of tables, as `ranking_scores.streaming.whole_queries` takes them.
        - A ``dask.dataframe.DataFrame``, with its rows in any order.
        - A Spark DataFrame, of a classic session or of Spark Connect, with its rows in any order.

        Unless the data are those of Dask or Spark, `order` says whether the rows of a query are
        next to each other. The queries may be in any order. Only the columns named here are read.

    query : column name, default=None
        The column with the id of the query of each row: numbers, text, dates or other ids that
        sort. In a Dask DataFrame it may also be the name of the index. If Dask knows the divisions
        of the index, nothing is shuffled, unless they are categories. If `label` or `score` is
        left out, the columns that are left out are found by their names, as in
        `ranking_scores.tables.from_tables`, or it is an error. If both are named, None means that
        each row is a query, and the other columns hold lists. Dask and Spark need ids.

    item : column name, default=None
        The column of item ids. A query may have each item only once. None: each row is an item of
        its own.

    label : column name, default=None
        The column of the labels: bools, ints or floats. None: it is found by its name.

    score : column name or dict of column names, default=None
        The column of the scores, of the same types. The highest score is ranked first. None: it is
        found by its name. A dict has the columns of several models by their names, such as
        ``{"old": "score_old", "new": "score_new"}``. All of them are scored in one pass over files
        and tables.

    scores : str, callable, sequence of these or dict
        The scores to compute, as in `ranking_report`.

    k : int, None or sequence of these, default=(1, 5, 10)
        The cutoffs of the scores that have no cutoff of their own, as in `ranking_report`.

    by : column name, default=None
        The column with the group of each query, such as its language. All rows of a query must
        have the same group, and none may be missing. The report has a report of each group, in
        `by_group`, under the name of the column.

    sample_weight : column name, default=None
        The column with the weight of the query, the same in all rows of a query.

    item_weight : column name, default=None
        The column with the weights of the items, for scores that take them.

    unjudged : bool, default=False
        Whether to add what unjudged items could do to each score, as in `ranking_report`. A label
        is unknown if it is null or NaN, which is otherwise an error.

    order : {"grouped", "any"}, default="grouped"
        How the rows of a query come, in files and tables:

        - "grouped": they are next to each other, also from one file or table to the next. It is an
          error if a query comes back after others.
        - "any": they may be anywhere. All rows are partitioned by query into temporary files,
          each of which is read and scored as a whole. Rows of a query keep their order.

    memory : int or str, default=None
        The memory that rows in any order may take, beside what the libraries take: a number of
        bytes, or text such as "500 MB" or "2 GiB". None is "500 MB". The longest query must fit,
        too.

    directory : path, default=None
        The folder of the temporary files of ``order="any"``. They take about as much room as the
        columns do in memory. None: the folder that `tempfile` chooses. The files have no names,
        and are gone whatever ends the call.

    batch_rows : int, default=None
        The number of rows to read at once of files and datasets, 262144 if None. It changes the
        memory and the time, but no score. Each batch takes some milliseconds, so batches of a few
        hundred rows are slow.

    n_jobs : int, default=None
        The number of threads that score the queries of files and tables, at most one per core. -1
        uses all cores. None is 1, unless a `joblib.parallel_config` around the call says
        otherwise. The results do not depend on it, and a `gain` or `discount` of your own is
        called by one thread at a time.

    compute : bool, default=True
        Whether to compute the report of a Dask DataFrame now. If False, return a
        ``dask.delayed.Delayed`` of the report, which can be computed together with others, and
        more than once. Make it while the client that will compute it is the default one, because
        Dask chooses how to shuffle when it is made.

    y_true : column name, default=None
        The old name of `label`, until version 0.4.

    y_score : column name or dict of column names, default=None
        The old name of `score`, until version 0.4.

    qid : column name, default=None
        The old name of `query`, until version 0.4.

    **params
        Other parameters of the scores, such as `gain`. Each score gets those that it has. A
        function among them may be a lambda.

    Returns
    -------
    report : RankingReport or dict of RankingReport
        The means, their standard errors and the numbers of undefined queries, named by score and
        cutoff, such as "ndcg@10". It holds only sums: `per_query` returns the values of each
        query. If `score` is a dict, the report of each model by its name.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if a column does not exist or has a missing value,
        if a file is not a Parquet file or is damaged, if the types of a column in two files or
        tables do not go together, if a query of files or tables comes back after others although
        their order is "grouped", if the divisions of a Dask DataFrame are wrong, if a score
        refuses the data, or if there are no rows. The error is of both types, as in scikit-learn.
    FileNotFoundError
        If a path does not exist.
    OSError
        If temporary files cannot be written, for example because a disk is full.
    ImportError
        If pyarrow, which files and ``order="any"`` need, is not installed.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If a mean is NaN, since no query has both a positive weight and a defined score. One
        warning names all such results.

    See Also
    --------
    per_query : The values of each query.
    report_tables : The same for judgments and predictions in two tables.
    ranking_scores.ranking_report : The same for data in memory.
    ranking_scores.StreamingScore : Takes batches one by one, and is merged across processes.

    Notes
    -----
    For files, the memory holds some batches, one more for each thread, and the longest query. Only
    a part of a row group is read at a time. Tables are read some batches ahead, so a reader must
    not overwrite a table that it has returned. On a terminal a progress bar appears after a second
    if tqdm is installed.

    A query of files or tables that comes back later is an error. While ids ascend, the last id is
    enough to find one. If they cease to ascend in files, as between two that are sorted each by
    itself, the earlier ids are read once more. From then on one id per query is kept.

    For Dask and Spark, a query must fit in the memory of one worker. Workers return a few numbers
    for each partition, cutoff and group. The result does not depend on the number of partitions,
    on how queries are spread over them, or on tasks that fail and run again. Rows of a query keep
    their order, which matters only to equal scores: with ``ignore_ties=True`` the later row is
    first.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow.parquet
    >>> from ranking_scores import scale
    >>> table = pyarrow.table({
    ...     "user": ["ann", "ann", "ann", "bob", "bob"],
    ...     "stars": [0, 5, 3, 1, 0],
    ...     "model": [0.4, 0.9, 0.4, 0.2, 0.7],
    ...     "device": ["tv", "tv", "tv", "pc", "pc"],
    ... })
    >>> columns = {"query": "user", "label": "stars", "score": "model"}
    >>> with TemporaryDirectory() as folder:
    ...     pyarrow.parquet.write_table(table, f"{folder}/films.parquet")
    ...     report = scale.report(f"{folder}/films.parquet", **columns, scores=["ndcg@2", "map"])
    >>> report
              mean  standard error  undefined
    ndcg@2  0.7468          0.1159          0
    map     0.7083          0.2083          0
    <BLANKLINE>
    2 queries
    >>> report["ndcg@2"]
    0.746...

    Batches of tables that are read elsewhere, with the results of each group:

    >>> scale.report([table[:2], table[2:]], **columns, scores=["ndcg@2", "map"], by="device")
              mean  standard error  undefined
    ndcg@2  0.7468          0.1159          0
    map     0.7083          0.2083          0
    <BLANKLINE>
    device    macro      pc      tv
    queries               1       1
    ndcg@2   0.7468  0.6309  0.8627
    map      0.7083  0.5000  0.9167
    <BLANKLINE>
    2 queries; mean ± standard error of each group, and macro: over groups
    worst group of device: pc (ndcg@2, map)
    no error of macro over device: a group has too few queries
    """
    names = ErrorNames("scale.report", "data")
    columns = {"query": query, "item": item, "label": label, "score": score, "by": by}
    columns |= {"sample_weight": sample_weight, "item_weight": item_weight}
    data, columns = columns_of(data, columns, (y_true, y_score, qid), names)
    with columns_named():
        shards = shards_of(scores, {"k": k} | params, columns, names, unjudged=unjudged)
        options = SourceOptions(batch_rows, n_jobs, order, memory, directory)
        reports = report_of_any(data, shards, options, compute=compute)
    return reports.get(None, reports)


@_advises
def report_tables(
    judgments: Any,
    predictions: Any,
    *,
    query: Any = None,
    item: Any = None,
    label: Any = LEFT_OUT,
    score: Any = None,
    rank: Any = None,
    queries: Literal["judged", "both", "all", "equal"] = "judged",
    duplicates: Literal["error", "best", "hold"] = "error",
    drop_self: bool = False,
    scores: Any = DEFAULT_SCORES,
    k: Any = DEFAULT_CUTOFFS,
    unjudged: bool = False,
    memory: int | str | None = None,
    directory: str | os.PathLike[str] | None = None,
    batch_rows: int | None = None,
    n_jobs: int | None = None,
    **params: Any,
) -> RankingReport:
    """Join judgments and predictions of any size, and compute several scores.

    Every mean equals that of `ranking_scores.tables.from_tables` and one call of the score on all
    rows, to the last bit. An item that was judged but not predicted has no rank. It counts in the
    ideal and among the items to be found.

    Parameters
    ----------
    judgments : path, table, iterable of tables, Dask DataFrame or Spark DataFrame
        The judgments: one row per query and judged item, in any order. They are all that `report`
        takes, and the two may differ: Parquet files, and a table in memory. But if one is a
        DataFrame of Dask or Spark, so is the other. Only the columns named here are read.

    predictions : path, table, iterable of tables, Dask DataFrame or Spark DataFrame
        The predictions: one row per query and predicted item, in any order.

    query : column name, or pair of them, default=None
        The column of query ids, such as users. None: it is found by its name, as in
        `ranking_scores.tables.from_tables`. If the tables have different names for it, pass a
        pair: first the name in `judgments`, then the name in `predictions`. Ids may be text,
        numbers, dates or, in Dask, other objects that hash. They must be of the same kind in both
        tables: "1" is not 1, and dates with a time zone are not dates without one. A name that is
        itself a tuple goes into a pair, too.

    item : column name, or pair of them, default=None
        The column of item ids, as for `query`. None: it is found by its name, too. An item is in
        each table once for a query, unless `duplicates` says otherwise.

    label : column name or None, optional
        The column of `judgments` that says how relevant an item is. None, or left out: each row of
        `judgments` is a relevant item, with the label 1. Pass None if it is so. If it is left out,
        it is found by its name if another column is, and a column of other numbers is an error,
        since it may have the labels.

    score : column name, default=None
        The column of `predictions` that ranks items, the highest first. Finite numbers.

    rank : column name, default=None
        The column of `predictions` with the ranks of items, if there is no `score`. If both are
        None, one of them is found by its name. Ranks are whole numbers from 1 on. Equal ranks tie.
        A rank that is left out stays free, as in `from_tables`.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        The queries that are scored. "judged": those with a row in `judgments`. If such a query has
        no row in `predictions`, nothing was predicted for it. "both": those with a row in both
        tables. "all": those with a row in either table. If such a query has no row in `judgments`,
        nothing is relevant to it. "equal": all, and both tables must have the same queries.

    duplicates : {"error", "best", "hold"}, default="error"
        What happens if `predictions` has an item twice for a query:

        - "error": an error.
        - "best": the item counts once, at its best place: its highest score or its lowest rank.
          Its other rows vanish, and the items below them move up. If `item` is the document of a
          passage, this ranks documents by their best passages.
        - "hold": the item counts once, in one of its rows with the highest score. Its other rows
          keep their ranks and are not relevant.

        An item that is judged twice for a query is an error with "error". Otherwise its highest
        label counts.

    drop_self : bool, default=False
        Whether predictions whose item has the id of their query are dropped, as BEIR does by
        default: in some collections, such as those of ArguAna and CQADupStack, the queries are
        documents, too. The items below them move up, as if they had not been retrieved, and free
        ranks stay free. If they were judged, they still count as relevant. The report says how
        many were dropped, and so does its `queries_seen.n_dropped`.

    scores : str, callable, sequence of these or dict
        The scores to compute, as in `ranking_report`.

    k : int, None or sequence of these, default=(1, 5, 10)
        The cutoffs of the scores that have no cutoff of their own, as in `ranking_report`.

    unjudged : bool, default=False
        Whether to add what unjudged items could do to each score, as in `ranking_report`. An item
        that was predicted and has no row in `judgments` is unjudged.

    memory : int or str, default=None
        The memory that rows in any order may take, beside what the libraries take: a number of
        bytes, or text such as "500 MB" or "2 GiB". None is "500 MB". The longest query must fit,
        too.

    directory : path, default=None
        The folder of the temporary files. They take about as much room as the columns do in
        memory. None: the folder that `tempfile` chooses. The files have no names, and are gone
        whatever ends the call.

    batch_rows : int, default=None
        The number of rows to read at once of files and datasets, as in `report`.

    n_jobs : int, default=None
        The number of threads for files and tables, as in `report`.

    **params
        Other parameters of the scores, such as `gain`. Each score gets those that it has. A
        function among them may be a lambda.

    Returns
    -------
    report : RankingReport
        The means, their standard errors and the numbers of undefined queries, named by score and
        cutoff, such as "ndcg@10". It does not hold the values of each query.

    Raises
    ------
    ValueError, TypeError
        If `report` refuses a table, or if `from_tables` or a score raises. The error is of both
        types, as in scikit-learn.
    FileNotFoundError, OSError, ImportError
        As in `report`.

    Warns
    -----
    UserWarning
        If none of the items that were judged is among those that were predicted.
    sklearn.exceptions.UndefinedMetricWarning
        If a mean is NaN, as in `report`.

    See Also
    --------
    report : One table that has labels and scores in each row.
    ranking_scores.tables.from_tables : Joins two tables that fit in memory.

    Notes
    -----
    Dask and Spark bring the rows of both tables together by query in one shuffle, and the workers
    join them. A worker needs as much memory as in `report`. Other tables are partitioned by query
    into temporary files, as in `report` with ``order="any"``. Equal ids meet,
    such as 1 in a column of ints and 1.0 in a column of floats.

    Errors about queries that only one table has come after all data has been read. If no worker of
    Dask or Spark finds an item that was both judged and predicted, the tables are read again, to
    look for one in all of the data.

    Free ranks are limited as in `from_tables`. A task may always have 2**23 of them, however few
    rows it has.

    Examples
    --------
    >>> import pandas as pd
    >>> from ranking_scores import scale
    >>> judgments = pd.DataFrame({
    ...     "user": ["ann", "ann", "ann", "bob"],
    ...     "film": ["Alien", "Brazil", "Casino", "Alien"],
    ...     "stars": [5, 3, 0, 4],
    ... })
    >>> predictions = pd.DataFrame({
    ...     "user": ["ann", "ann", "bob", "bob"],
    ...     "film": ["Alien", "Casino", "Brazil", "Alien"],
    ...     "model": [0.9, 0.2, 0.7, 0.7],
    ... })
    >>> columns = {"query": "user", "item": "film", "label": "stars", "score": "model"}
    >>> scale.report_tables(judgments, predictions, **columns, scores="map", k=None)["map"]
    0.625

    This is the mean of 0.5 and 0.75. Ann likes two films, of which one was predicted, at the first
    rank. Two films tie for Bob, and he likes one of them.

    The tables may be DataFrames of Dask or Spark:

    >>> import dask.dataframe as dd
    >>> frames = [dd.from_pandas(table, npartitions=2) for table in (judgments, predictions)]
    >>> scale.report_tables(*frames, **columns, scores="map", k=None)["map"]
    0.625
    """
    function = "scale.report_tables"
    names = names_of_columns(function, query, item, label, score, rank, may_be_sought=True)
    judgments, predictions, names = columns_of_two(judgments, predictions, names, label, function)
    params = {"k": k} | params
    shard = ShardTables(
        scores, params, names, function, queries, duplicates, unjudged, drop_self=drop_self
    )
    if label is LEFT_OUT and names.judged["label"] is None:
        check_unlabelled(judgments, names, function)
    options = SourceOptions(batch_rows, n_jobs, "any", memory, directory)
    return report_any_tables(judgments, predictions, shard, options)


@_advises
def per_query(
    data: Any,
    *,
    query: Any = None,
    item: Any = None,
    label: Any = None,
    score: Any = None,
    scores: Any = DEFAULT_SCORES,
    k: Any = DEFAULT_CUTOFFS,
    sample_weight: Any = None,
    item_weight: Any = None,
    path: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]] | None = None,
    order: Literal["grouped", "any"] = "grouped",
    memory: int | str | None = None,
    directory: str | os.PathLike[str] | None = None,
    batch_rows: int | None = None,
    n_jobs: int | None = None,
    y_true: Any = None,
    y_score: Any = None,
    qid: Any = None,
    **params: Any,
) -> Any:
    """Compute the scores of each query of data of any size, as a table or in a file.

    The values equal those that the scores return with ``average=None``, to the last bit.

    Parameters
    ----------
    data : path, pyarrow dataset, Dask DataFrame, Spark DataFrame or iterable
        One row per item, with the id of its query, as in `report`.

    query : column name, default=None
        The column with the id of the query of each row, as in `report`.

    item : column name, default=None
        The column of item ids. A query may have each item only once. None: each row is an item of
        its own.

    label : column name, default=None
        The column of the labels: bools, ints or floats. None: it is found by its name.

    score : column name or dict of column names, default=None
        The column of the scores, or the columns of several models by their names, as in `report`.

    scores : str, callable, sequence of these or dict
        The scores to compute, as in `ranking_report`.

    k : int, None or sequence of these, default=(1, 5, 10)
        The cutoffs of the scores that have no cutoff of their own, as in `ranking_report`.

    sample_weight : column name, default=None
        The column with the weight of the query, the same in all rows of a query. The weights are
        checked, and change only the report that a call with `path` returns.

    item_weight : column name, default=None
        The column with the weights of the items, for scores that take them.

    path : path or dict of paths, default=None
        A file to write, whose name ends in ".parquet" or ".csv", if the data are files or tables.
        If `score` is a dict, a dict of the files of the same models.
        If the call raises, nothing is written, and a file that existed before stays as it was. The
        file must not be in a directory that is read. Ids that are bytes need Parquet.

    order : {"grouped", "any"}, default="grouped"
        How the rows of a query come, in files and tables, as in `report`.

    memory : int or str, default=None
        The memory that rows in any order may take, as in `report`.

    directory : path, default=None
        The folder of the temporary files of ``order="any"``, as in `report`.

    batch_rows : int, default=None
        The number of rows to read at once of files and datasets, as in `report`.

    n_jobs : int, default=None
        The number of threads that score the queries of files and tables, as in `report`.

    y_true : column name, default=None
        The old name of `label`, until version 0.4.

    y_score : column name or dict of column names, default=None
        The old name of `score`, until version 0.4.

    qid : column name, default=None
        The old name of `query`, until version 0.4.

    **params
        Other parameters of the scores, such as `gain`. Each score gets those that it has. A
        function among them may be a lambda.

    Returns
    -------
    values : Dask DataFrame, Spark DataFrame, pyarrow.Table, RankingReport or dict of these
        One row per query. The column of the id has the name and the type that it has in the data.
        Each score and cutoff has a column, such as "ndcg@10", or "ndcg" for the whole list. A
        query on which a metric is undefined has the value of `replace_undefined_by`.

        - For a frame of Dask or Spark, another frame, with the queries in any order. The engine
          computes the rows when it needs them.
        - For files and tables, a pyarrow table with the queries in the order of the data. With
          ``order="any"`` they are in any order, and ids in codes, such as categories, or in views
          become plain text or numbers.
        - With `path`, the table is written there instead, batch by batch. The result is the report
          that `report` returns, from the same pass over the data. `compare` takes such reports.

        If `score` is a dict, these are in a dict by the names of the models.

    Raises
    ------
    ValueError, TypeError
        As in `report`, and if the column of ids has the name of a result. The error is of both
        types, as in scikit-learn.
    FileNotFoundError
        If a path, or the directory of `path`, does not exist.
    ImportError
        If pyarrow, which files and results of tables need, is not installed.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If there is a `path` and a mean is NaN, as in `report`.

    See Also
    --------
    report : The means over all queries.
    ranking_scores.significance.compare : Compares two systems by such values.

    Notes
    -----
    The data of Dask and Spark is read when the result is computed. Errors about values come then.
    Spark raises its own ``PythonException``, which ends with the message of the error. Make a Dask
    result while the client that will compute it is the default one, because Dask chooses how to
    shuffle when it is made.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow
    >>> from ranking_scores import scale
    >>> table = pyarrow.table({
    ...     "user": ["ann", "ann", "ann", "bob", "bob"],
    ...     "stars": [0, 5, 3, 1, 0],
    ...     "model": [0.4, 0.9, 0.4, 0.2, 0.7],
    ... })
    >>> columns = {"query": "user", "label": "stars", "score": "model"}
    >>> values = scale.per_query([table], **columns, scores=["ndcg@2", "map"])
    >>> values.to_pandas().set_index("user").round(3)
          ndcg@2    map
    user
    ann    0.863  0.917
    bob    0.631  0.500

    Into a file:

    >>> with TemporaryDirectory() as folder:
    ...     report = scale.per_query(
    ...         [table], **columns, scores="map", k=None, path=f"{folder}/values.csv"
    ...     )
    ...     print(Path(folder, "values.csv").read_text(), end="")
    "user","map"
    "ann",0.916...
    "bob",0.5
    >>> report["map"]
    0.708...
    """
    names = ErrorNames("scale.per_query", "data")
    columns = {"query": query, "item": item, "label": label, "score": score}
    columns |= {"sample_weight": sample_weight, "item_weight": item_weight}
    data, columns = columns_of(data, columns, (y_true, y_score, qid), names)
    with columns_named():
        shards = shards_of(scores, {"k": k} | params, columns, names)
        options = SourceOptions(batch_rows, n_jobs, order, memory, directory)
        paths = paths_of(path, shards, names.function)
        found = score_queries_of_any(data, shards, options, paths=paths)
    return found.get(None, found)
