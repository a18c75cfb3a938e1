"""Scores of Spark DataFrames: the workers score whole queries, and the driver adds them up.

Spark brings the rows of each query together. Before this the workers pack the rows, so that Spark
moves few packs instead of many rows. A partition yields one row as its answer. Spark hands over
one answer for each partition, even if it ran a partition twice.
"""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Iterator
from functools import partial, reduce
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import describe, import_extra, invalid, start_runs
from ranking_scores._scale._shard_tables import ShardTables, TablesSeen
from ranking_scores._scale._shards import Names, ShardScore, by_parameter
from ranking_scores._tables import (
    Column,
    ColumnNames,
    Ids,
    Queries,
    alike,
    check_names,
    how_to_cast,
    names_of_columns,
)
from ranking_scores.exceptions import InvalidParameterError

_ROWS = 2**17
"""So many rows are scored at once, or more if one group of queries has more."""
_GROUP, _PLACE, _ROWS_OF_PACK = "group", "place", "rows"
_PACK = f"{_GROUP} int, {_PLACE} long, {_ROWS_OF_PACK} binary"
"""The columns of packs of rows. Packs are put in the order of their places."""
_GATHERED_BYTES = 2**25
"""Rows of so many bytes are packed at once."""
_PACK_BYTES = 2**15
"""A pack has no more bytes: Spark sends ten thousand of them at once."""
_MOST_PACKS = 2**33
"""More packs than a partition has."""
_FEWEST_GROUPS = 64
_KINDS = {
    "string": "text",
    "char": "text",
    "varchar": "text",
    "byte": "numbers",
    "short": "numbers",
    "integer": "numbers",
    "long": "numbers",
    "float": "numbers",
    "double": "numbers",
    "decimal": "numbers",
    "boolean": "bools",
    "date": "dates",
    "timestamp_ntz": "dates",
    "timestamp": "dates with a time zone",
    "daytimeinterval": "durations",
    "binary": "bytes",
}
"""What ids of the types of Spark are."""
_COMMON = {
    "text": "string",
    "numbers": "double",
    "dates": "timestamp_ntz",
    "durations": "interval day to second",
}
"""The type in which ids of one kind, but of two types, are equal if they are. Others may be, too,
which only brings more rows together."""


def score_spark(
    frame: Any,
    score_func: Any,
    *,
    y_true: Any,
    y_score: Any,
    qid: Any,
    sample_weight: Any = None,
    item_weight: Any = None,
    **params: Any,
) -> Any:
    """Score a Spark DataFrame, whose partitions may cut queries.

    The result equals that of one call on all rows, to the last bit. Spark brings the rows of each
    query together, its workers score whole queries, and the driver adds up a few numbers for each
    partition and cutoff.

    Parameters
    ----------
    frame : Spark DataFrame
        One row per item, with the id of its query, in any order and any partitions. The session
        may be a classic one or one of Spark Connect. A streaming DataFrame raises an error. Only
        the columns named here are read. Their names are case-sensitive.

    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    y_true : str
        The column of the labels: bools, ints or floats. Cast decimals first, such as by
        ``.cast("double")``.

    y_score : str
        The column of the scores, of the same types.

    qid : str
        The column with the id of the query of each row: text without a collation, numbers,
        decimals, dates, timestamps or binary.

    sample_weight : str, default=None
        The column with the weight of the query, the same in all rows of a query.

    item_weight : str, default=None
        The column with the weights of the items.

    **params
        The parameters of `score_func`, such as ``k=10``, as in `StreamingScore`. A function
        among them, such as a gain, may be a lambda.

    Returns
    -------
    score : float, ndarray of float64 or dict of str to float
        A float; with a list of cutoffs an array of shape (n_k,); with several scores a dict,
        by the names of the results, such as "ndcg@10".

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if the score refuses the data, as it does in
        one call. The types of the columns are checked before the data is read, and the values
        while it is read. The error is of both types, as in scikit-learn.

    ImportError
        If Spark is not installed. It is in the extra ``spark``.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, as the score itself warns.

    See Also
    --------
    score_each_spark : The values of each query.
    score_tables_spark : Judgments and predictions as two DataFrames.
    ranking_scores.StreamingScore : The streams of the workers.

    Notes
    -----
    The result does not depend on the number of partitions, or on how queries are spread over them.
    It does not depend on tasks that fail and run again, or run twice, because Spark hands over one
    result for each partition.

    Queries are put into groups by a hash of their ids. There are at least 64 groups, and two for
    each partition of ``spark.sql.shuffle.partitions``. A worker needs memory for one group at a
    time, and for some 100000 rows besides. A group has at least one whole query, and one query may
    have most of the rows.

    Rows of a query keep the order that they have in ``frame.collect()``. The order matters only to
    equal scores: with ``ignore_ties=True`` the later row is first, and gains that are not whole
    numbers are summed in that order.

    No setting of the session is changed, and
    ``spark.sql.execution.arrow.maxRecordsPerBatch`` does not matter. The workers need this package
    and pyarrow.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from ranking_scores import ndcg_score
    >>> from ranking_scores.scale import score_spark
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> rows = [("a", 0, 0.1), ("b", 1, 0.2), ("a", 1, 0.3), ("a", 2, 0.3), ("b", 0, 0.2)]
    >>> frame = spark.createDataFrame(rows, ["query", "label", "score"])
    >>> score_spark(frame, "ndcg@2", y_true="label", y_score="score", qid="query")
    0.872...
    >>> queries, labels, scores = zip(*rows)
    >>> ndcg_score(labels, scores, qid=queries, k=2)
    0.872...

    Several scores, in one pass over the data:

    >>> score_spark(frame, ["ndcg@2", "map"], y_true="label", y_score="score", qid="query")
    {'ndcg@2': 0.872..., 'map': 0.875}
    """
    function = "score_spark"
    columns = by_parameter(y_true, y_score, qid, sample_weight, item_weight)
    shard = _shard_of(frame, score_func, params, columns, function)
    parts = _by_query(frame, shard).mapInArrow(partial(_answer_of_part, shard), _ANSWER)
    streams = [shard.with_state(state) for state in _answers(parts)]
    return shard.result_of(sum(streams, shard.empty))


def score_each_spark(
    frame: Any,
    score_func: Any,
    *,
    y_true: Any,
    y_score: Any,
    qid: Any,
    sample_weight: Any = None,
    item_weight: Any = None,
    **params: Any,
) -> Any:
    """Score each query of a Spark DataFrame, and return the values as another DataFrame.

    Parameters
    ----------
    frame : Spark DataFrame
        One row per item, with the id of its query, in any order and any partitions. The session
        may be a classic one or one of Spark Connect. A streaming DataFrame raises an error. Only
        the columns named here are read. Their names are case-sensitive.

    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    y_true : str
        The column of the labels: bools, ints or floats. Cast decimals first, such as by
        ``.cast("double")``.

    y_score : str
        The column of the scores, of the same types.

    qid : str
        The column with the id of the query of each row: text without a collation, numbers,
        decimals, dates, timestamps or binary.

    sample_weight : str, default=None
        The column with the weight of the query, the same in all rows of a query.

    item_weight : str, default=None
        The column with the weights of the items.

    **params
        The parameters of `score_func`, such as ``k=10``, as in `StreamingScore`. A function
        among them, such as a gain, may be a lambda.

    Returns
    -------
    scores : Spark DataFrame
        One row per query, in any order. The column of the id has the name and the type that it has
        in `frame`. Each score and cutoff has a column of doubles, such as "ndcg@10", or "ndcg"
        for the whole list. A query on which a metric is undefined has the value of
        `replace_undefined_by`. Spark computes the rows when it needs them, and again each time
        unless they are cached.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if the score refuses the data, as it does in
        one call. The types of the columns are checked before the data is read, and the values
        while it is read. The error is of both types, as in scikit-learn.

    ImportError
        If Spark is not installed. It is in the extra ``spark``.

    See Also
    --------
    score_spark : The mean over the queries.

    Notes
    -----
    The data is read when Spark computes the result. Bad data then raises the
    ``PythonException`` of Spark, which ends with the message of the error. `score_spark` raises
    the error itself. The weights of queries are checked, but they change no value.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from ranking_scores.scale import score_each_spark
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> rows = [("a", 0, 0.1), ("b", 1, 0.2), ("a", 1, 0.3), ("a", 2, 0.3), ("b", 0, 0.2)]
    >>> frame = spark.createDataFrame(rows, ["query", "label", "score"])
    >>> scores = score_each_spark(
    ...     frame, "map", k=[1, 2], y_true="label", y_score="score", qid="query"
    ... )
    >>> scores.columns
    ['query', 'map@1', 'map@2']
    >>> scores.orderBy("query").show()
    +-----+-----+-----+
    |query|map@1|map@2|
    +-----+-----+-----+
    |    a|  0.5|  1.0|
    |    b|  0.5| 0.75|
    +-----+-----+-----+
    <BLANKLINE>
    """
    function = "score_each_spark"
    columns = by_parameter(y_true, y_score, qid, sample_weight, item_weight)
    shard = _shard_of(frame, score_func, params, columns, function)
    _check_results(frame, shard)
    rows = _by_query(frame, shard)
    types = import_module("pyspark.sql.types")
    schema = types.StructType().add(qid, frame.schema[qid].dataType)
    for name in shard.results:
        schema = schema.add(name, types.DoubleType())
    return rows.mapInArrow(partial(_values_of_part, shard), schema)


def score_tables_spark(
    judgments: Any,
    predictions: Any,
    score_func: Any,
    *,
    query: Any,
    item: Any,
    label: Any = None,
    score: Any = None,
    rank: Any = None,
    queries: Queries = "judged",
    **params: Any,
) -> Any:
    """Join judgments and predictions, which are two Spark DataFrames, and score them.

    The result equals that of `ranking_scores.tables.from_tables` and one call of the score on all
    rows, to the last bit. An item that was judged but not predicted has no rank. It counts in the
    ideal and among the items to be found.

    Parameters
    ----------
    judgments : Spark DataFrame
        The judgments: one row per query and judged item. Only the columns named here are read.

    predictions : Spark DataFrame
        The predictions: one row per query and predicted item.

    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    query : column name, or pair of them
        The column of query ids, such as users. If the tables have different names for it, pass a
        pair: first the name in `judgments`, then the name in `predictions`. Ids may be text
        without a collation, numbers, decimals, dates, timestamps or binary. They must be of the
        same kind in both tables: "1" is not 1.

    item : column name, or pair of them
        The column of item ids, as for `query`. An item is in each table once for a query.

    label : column name, default=None
        The column of `judgments` that says how relevant an item is. None: each row of `judgments`
        is a relevant item, with the label 1.

    score : column name, default=None
        The column of `predictions` that ranks items, the highest first. Finite numbers.

    rank : column name, default=None
        The column of `predictions` with the ranks of items, if there is no `score`. Ranks are
        whole numbers from 1 on. Equal ranks tie. A rank that is left out stays free, as in
        `from_tables`.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        The queries that are scored. "judged": those with a row in `judgments`. If such a query has
        no row in `predictions`, nothing was predicted for it. "both": those with a row in both
        tables. "all": those with a row in either table. If such a query has no row in `judgments`,
        nothing is relevant to it. "equal": all, and both tables must have the same queries.

    **params
        The parameters of `score_func`, such as ``k=10``, as in `StreamingScore`. A function
        among them, such as a gain, may be a lambda.

    Returns
    -------
    score : float, ndarray of float64 or dict of str to float
        A float; with a list of cutoffs an array of shape (n_k,); with several scores a dict,
        by the names of the results, such as "ndcg@10".

    Raises
    ------
    ValueError, TypeError
        As in `from_tables`, and if the score refuses the data. The error is of both types, as in
        scikit-learn.

    ImportError
        If Spark is not installed. It is in the extra ``spark``.

    Warns
    -----
    UserWarning
        If none of the items that were judged is among those that were predicted.

    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, as the score itself warns.

    See Also
    --------
    ranking_scores.tables.from_tables : Joins two tables that are all there.
    score_spark : One DataFrame that has labels and scores in each row.

    Notes
    -----
    One shuffle brings the rows of both tables together by query, and the workers join them. A
    worker needs as much memory as in `score_spark`. Errors about queries that only one table has
    come after all data has been read. If no worker finds an item that was both judged and
    predicted, Spark looks for one in all of the data, which takes another pass.

    If the ranks of a query leave out more than 2**23 ranks, they raise an error here, unless many
    rows are read together with the query.

    Examples
    --------
    >>> from pyspark.sql import SparkSession
    >>> from ranking_scores.scale import score_tables_spark
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()
    >>> judgments = spark.createDataFrame(
    ...     [("ann", "Alien", 5), ("ann", "Brazil", 3), ("ann", "Casino", 0), ("bob", "Alien", 4)],
    ...     ["user", "film", "stars"],
    ... )
    >>> predictions = spark.createDataFrame(
    ...     [
    ...         ("ann", "Alien", 0.9),
    ...         ("ann", "Casino", 0.2),
    ...         ("bob", "Brazil", 0.7),
    ...         ("bob", "Alien", 0.7),
    ...     ],
    ...     ["user", "film", "score"],
    ... )
    >>> columns = {"query": "user", "item": "film", "label": "stars", "score": "score"}
    >>> score_tables_spark(judgments, predictions, "map", **columns)
    0.625

    This is the mean of 0.5 and 0.75. Ann likes two films, of which one was predicted, at the first
    rank. Two films tie for Bob, and he likes one of them.
    """
    function = "score_tables_spark"
    names = names_of_columns(function, query, item, label, score, rank)
    shard = ShardTables(score_func, params, names, function, queries)
    _check_frame(judgments, names.judged, Names(function, "judgments"))
    _check_frame(predictions, names.predicted, Names(function, "predictions"))
    rows, union = _union(judgments, predictions, names, function)
    packed = _packed_by(rows, union.key)
    parts = packed.mapInArrow(partial(_answer_of_tables, shard, union), _ANSWER)
    stream, seen = shard.score.empty, TablesSeen()
    for state, seen_in_part in _answers(parts):
        stream, seen = stream + shard.score.with_state(state), seen + seen_in_part
    shard.check(seen)
    has_found = seen.has_found or _share_an_item(judgments, predictions, names, queries)
    return shard.compute(stream, seen, has_found)


def _shard_of(
    frame: Any, score_func: Any, params: dict[str, Any], columns: dict[str, Any], function: str
) -> ShardScore:
    """Return the scores, checked, and their columns, which the frame must have."""
    names = Names(function, "frame")
    shard = ShardScore(score_func, params, columns, names)
    if "qid" not in shard.columns:
        raise invalid("qid", function, "the name of a column", "None")
    _check_frame(frame, shard.columns, names)
    return shard


def _check_frame(frame: Any, columns: dict[str, Any], names: Names) -> None:
    """Raise unless a frame of Spark has columns of the types that these must have."""
    import_extra("pyspark", "spark", names.function)
    _check_kind(frame, names)
    columns = {keyword: name for keyword, name in columns.items() if name is not None}
    for keyword, name in columns.items():
        if not isinstance(name, str):  # as those of pandas may be, and those of Spark may not
            raise invalid(keyword, names.function, "the name of a column", describe(name))
    check_names(columns, frame.columns, names.parameter, names.function)
    _check_one_of_each(frame, columns, names)
    for keyword, name in columns.items():
        column = Column(frame[_quoted(name)], name, names.parameter, names.function)
        dtype = frame.schema[name].dataType
        kind = _KINDS.get(dtype.typeName(), "")
        got = f"type {dtype.simpleString()}"
        if keyword in ("qid", "query", "item"):
            if not kind:
                raise column.invalid("ids that are text, numbers or dates", got)
            if "collate" in got:  # what is equal there would not be here
                plain = f"`{how_to_cast(column, str)}`, of `lower(...)` if case does not count"
                how = f"Make plain text of it first, such as by {plain}."
                raise column.invalid("text without a collation, or of UTF8_BINARY", got, how)
        elif kind not in ("numbers", "bools") or dtype.typeName() == "decimal":
            can_be_cast = kind in ("numbers", "text")
            how = f"Convert it to numbers first, for example with `{how_to_cast(column)}`."
            raise column.invalid("bools, ints or floats", got, how if can_be_cast else "")


def _check_kind(frame: Any, names: Names) -> None:
    """Raise unless a table is a frame of Spark, all of which is there."""
    expected = "a DataFrame of Spark"
    if not (hasattr(frame, "mapInArrow") and hasattr(frame, "sortWithinPartitions")):
        advice = "`spark.createDataFrame(...)` makes one of a frame of pandas."
        if hasattr(frame, "to_spark"):
            got, advice = "a pandas-on-Spark DataFrame", "Use `.to_spark()`."
        else:
            got = describe(frame)
        raise invalid(names.parameter, names.function, expected, got, advice)
    if frame.isStreaming:
        expected = f"{expected} whose rows are all there"
        advice = "Write it first, or pass each batch that `writeStream.foreachBatch` has."
        raise invalid(names.parameter, names.function, expected, "a streaming one", advice)


def _check_one_of_each(frame: Any, columns: dict[str, Any], names: Names) -> None:
    """Raise if Spark does not tell a column from another one."""
    for name in columns.values():
        same = _same_to_spark(frame, name, frame.columns)
        if len(same) > 1:
            expected = f"a table with one column {name!r}"
            got = f"{' and '.join(map(repr, same))}, which are one name to Spark,"
            advice = f"Rename them by `.toDF(...)`, or set {_CASE} to true."
            raise invalid(names.parameter, names.function, expected, got, advice)


def _check_results(frame: Any, shard: ShardScore) -> None:
    """Raise unless Spark tells the columns of the values per query from each other."""
    shard.check_results()
    function, qid = shard.names.function, shard.columns["qid"]
    for name in shard.results:
        same = _same_to_spark(frame, name, [qid, *shard.results])
        if len(same) > 1:
            got = f"{' and '.join(map(repr, same))}, which are one name to Spark,"
            advice = "Give the scores names of your own: score_func={'name': score, ...}."
            if qid in same:
                expected = "the name of a column that is not the name of a result"
                raise invalid("qid", function, expected, got, advice)
            expected = "such that each result has a name of its own"
            raise invalid("score_func", function, expected, got, advice)


_CASE = "spark.sql.caseSensitive"


def _same_to_spark(frame: Any, name: str, names: list[str]) -> list[str]:
    """Return which of some names are the same as one of them, to the session of a frame."""
    same = [each for each in names if each.lower() == name.lower()]
    if len(same) > 1 and frame.sparkSession.conf.get(_CASE) == "true":
        return [name]
    return same


def _own_names(shard: ShardScore) -> dict[Any, str]:
    """Return what the columns that count are called here, by their names: Spark reads dots."""
    names = dict.fromkeys(shard.columns.values())
    return {name: f"column {number}" for number, name in enumerate(names)}


def _by_query(frame: Any, shard: ShardScore) -> Any:
    """Return the columns that count, packed, with the rows of each query in one partition."""
    own = _own_names(shard)
    columns = [f"{_quoted(name)} AS {_quoted(own[name])}" for name in own]
    return _packed_by(frame.selectExpr(*columns), own[shard.columns["qid"]])


def _packed_by(frame: Any, key: str) -> Any:
    """Return the rows of a frame in packs, with equal keys in packs of one group.

    The packs of a group are in one partition, next to each other, in the order of their rows. So
    Spark moves some packs instead of many rows, and the order of the rows needs no column.
    """
    of_session = frame.sparkSession.conf.get("spark.sql.shuffle.partitions")
    n_partitions = int(of_session) if of_session.isdigit() else 0
    n_groups = max(_FEWEST_GROUPS, 2 * n_partitions)
    group = f"pmod(hash({_quoted(key)}), {n_groups}) AS {_GROUP}"
    packs = frame.selectExpr("*", group).mapInArrow(_packs_of_part, _PACK)
    return packs.repartition(_GROUP).sortWithinPartitions(_GROUP, _PLACE)


def _quoted(name: str) -> str:
    """Return what the name of a column is in an expression."""
    return f"`{name.replace('`', '``')}`"


_IS_JUDGED = "is judged"


class _Union(NamedTuple):
    """The form of the rows of two frames, one behind the other."""

    key: str
    """The column that is equal where queries are."""
    columns: ColumnNames
    """In which columns are those of the judgments, and those of the predictions."""

    def columns_of(self, table: Any, names: ColumnNames) -> list[dict[str, Any]]:
        """Return the columns of both frames by the names that they have there."""
        is_judged = table.column(_IS_JUDGED)
        parts = table.filter(is_judged), table.filter(_compute().invert(is_judged))
        return [
            {name: part.column(own[each]) for each, name in of_frame.items() if name is not None}
            for part, of_frame, own in zip(parts, names, self.columns, strict=True)
        ]


def _compute() -> Any:
    return import_module("pyarrow.compute")


def _union(
    judgments: Any, predictions: Any, names: ColumnNames, function: str
) -> tuple[Any, _Union]:
    """Return the rows of both frames. Ids that are of one type in both are in one column."""
    frames = judgments, predictions
    ours = ColumnNames({"label": "label"}, {"score": "score", "rank": "rank"})
    keys = []
    for keyword in ("query", "item"):
        types = [
            frame.schema[of_frame[keyword]].dataType
            for frame, of_frame in zip(frames, names, strict=True)
        ]
        kinds = [_KINDS[dtype.typeName()] for dtype in types]
        _check_alike(frames, names, keyword, kinds, function)
        is_one = types[0] == types[1]
        for of_frame, which in zip(ours, ("judged", "predicted"), strict=True):
            of_frame[keyword] = keyword if is_one else f"{keyword} {which}"
        keys.append(None if is_one else _COMMON[kinds[0]])
    selected = []
    for number, (frame, of_frame, own) in enumerate(zip(frames, names, ours, strict=True)):
        columns = [
            f"{_quoted(name)} AS {_quoted(own[keyword])}"
            for keyword, name in of_frame.items()
            if name is not None
        ]
        if keys[0] is not None:
            columns.append(f"CAST({_quoted(of_frame['query'])} AS {keys[0]}) AS key")
        is_judged = f"{number == 0} AS {_quoted(_IS_JUDGED)}"
        selected.append(frame.selectExpr(*columns, is_judged))
    union = selected[0].unionByName(selected[1], allowMissingColumns=True)
    return union, _Union("query" if keys[0] is None else "key", ours)


def _check_alike(
    frames: tuple[Any, Any], names: ColumnNames, keyword: str, kinds: list[str], function: str
) -> None:
    """Raise if the ids of two frames can never be equal."""
    columns = [
        Column(frame[_quoted(of_frame[keyword])], of_frame[keyword], parameter, function)
        for frame, of_frame, parameter in zip(
            frames, names, ("judgments", "predictions"), strict=True
        )
    ]
    nothing = np.empty(0, np.intp), np.empty(0, object)
    alike(columns[0], columns[1], *(Ids(*nothing, kind) for kind in kinds))


def _share_an_item(judgments: Any, predictions: Any, names: ColumnNames, queries: str) -> bool:
    """Return whether any item of the queries that are scored is both judged and predicted."""
    judged, predicted = (
        frame.selectExpr(
            f"{_quoted(of_frame['query'])} AS query",
            f"{_quoted(of_frame['item'])} AS item",
        )
        for frame, of_frame in zip((judgments, predictions), names, strict=True)
    )
    if queries != "all":
        kept = predicted.join(judged.select("query"), "query", "left_semi")
        if queries == "both":
            judged = judged.join(predicted.select("query"), "query", "left_semi")
        predicted = kept
    return bool(judged.join(predicted.select("item"), "item", "left_semi").limit(1).collect())


_ANSWER = "answer binary"


def _answers(parts: Any) -> list[Any]:
    """Return what the workers answered, one for each part of the data, or raise their error."""
    answers = [pickle.loads(answer) for (answer,) in parts.collect()]
    for answer in answers:
        if isinstance(answer, InvalidParameterError):
            raise answer
    return answers


def _answer(what: Callable[[], Any]) -> Any:
    """Return the one row that a part of the data yields: a result, or the error about the data.

    So the error reaches the driver as it is, and at once. Others are retried.
    """
    pyarrow = import_module("pyarrow")
    try:
        answer = what()
    except InvalidParameterError as error:
        answer = error
    return pyarrow.RecordBatch.from_pydict({"answer": [pickle.dumps(answer)]})


def _answer_of_part(shard: ShardScore, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the state of a stream that has seen a part of the data."""

    def state() -> Any:
        streams = map(shard.totals_of, _tables_of(shard, batches))
        return shard.state_of(reduce(operator.add, streams, shard.empty))

    yield _answer(state)


def _values_of_part(shard: ShardScore, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the values of the queries in a part of the data."""
    pyarrow = import_module("pyarrow")
    for table in _tables_of(shard, batches):
        yield from pyarrow.table(shard.values_of(table)).combine_chunks().to_batches()


def _tables_of(shard: ShardScore, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield tables of whole queries, with the names and the order that the frame has."""
    names = list(_own_names(shard))
    return (table.rename_columns(names) for table in _unpacked(batches))


def _answer_of_tables(shard: ShardTables, union: _Union, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the state of a stream that has seen a part of both tables, and what was there."""

    def state() -> Any:
        stream, seen = shard.score.empty, TablesSeen()
        for table in _unpacked(batches):
            of_table, seen_there = shard.totals_of(*union.columns_of(table, shard.names))
            stream, seen = stream + of_table, seen + seen_there
        return shard.score.state_of(stream), seen

    yield _answer(state)


def _packs_of_part(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the packs of a partition of rows, the last column of which is their group.

    A pack has rows of one group, as a stream of Arrow. Its place says which packs come before it.
    """
    pyarrow = import_module("pyarrow")
    number = import_module("pyspark").TaskContext.get().partitionId()
    place = number * _MOST_PACKS
    for table in _gathered(batches):
        group = table.column(table.num_columns - 1).to_numpy()
        # NumPy sorts such short ints in linear time.
        is_short = group.max() < 2**16
        order = np.argsort(group.astype(np.uint16) if is_short else group, kind="stable")
        rows = table.remove_column(table.num_columns - 1).combine_chunks().take(order)
        [batch] = rows.combine_chunks().to_batches()
        groups, packs = [], []
        for start, stop in _cuts(group[order], batch.nbytes):
            groups.append(group[order[start]])
            packs.append(_written(batch.slice(start, stop - start)))
        columns = [groups, range(place, place + len(packs)), packs]
        types = pyarrow.int32(), pyarrow.int64(), pyarrow.binary()
        arrays = [pyarrow.array(*each) for each in zip(columns, types, strict=True)]
        yield pyarrow.RecordBatch.from_arrays(arrays, [_GROUP, _PLACE, _ROWS_OF_PACK])
        place += len(packs)


def _cuts(group: NDArray[Any], n_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield where packs start and stop, in rows that are sorted by group."""
    most = max(1, _PACK_BYTES * group.size // n_bytes)
    edges = [*np.flatnonzero(start_runs(group)).tolist(), group.size]
    for start, stop in pairwise(edges):
        for first in range(start, stop, most):
            yield first, min(first + most, stop)


def _written(batch: Any) -> bytes:
    """Return rows as a stream of Arrow."""
    pyarrow = import_module("pyarrow")
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _gathered(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches as tables that have many rows, but for the last one."""
    from_batches = import_module("pyarrow").Table.from_batches
    held: list[Any] = []
    n_bytes = 0
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
            n_bytes += batch.nbytes
        if n_bytes >= _GATHERED_BYTES:
            yield from_batches(held)
            held, n_bytes = [], 0
    if held:
        yield from_batches(held)


def _unpacked(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield tables of the rows of packs, each with all rows of some groups."""
    pyarrow = import_module("pyarrow")
    held: list[Any] = []
    n_rows, last = 0, None
    for batch in batches:
        for group, pack in zip(batch.column(0).to_pylist(), batch.column(2), strict=True):
            if group != last and n_rows >= _ROWS:
                yield pyarrow.concat_tables(held)
                held, n_rows = [], 0
            held.append(pyarrow.ipc.open_stream(pack.as_buffer()).read_all())
            n_rows, last = n_rows + len(held[-1]), group
    if held:
        yield pyarrow.concat_tables(held)
