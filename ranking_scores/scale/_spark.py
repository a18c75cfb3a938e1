"""Scores of Spark DataFrames: the workers score whole queries, and the driver adds them up.

Spark brings the rows of each query together. Before this the workers serialise the rows, so that
Spark moves few chunks instead of many rows. A partition yields one row as its answer. Spark hands
over one answer for each partition, even if it ran a partition twice.
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

from ranking_scores._base._errors import ErrorNames, invalid, show_id
from ranking_scores._base._sorting import start_runs
from ranking_scores._base._validation import describe
from ranking_scores._tables._columns import Column, IdColumn, check_names, how_to_cast
from ranking_scores._tables._join import alike
from ranking_scores._tables._known_names import ColumnNames
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport
from ranking_scores.scale._shards import PartSums, ShardScore, ShardTables, TablesSeen

_ROWS_AT_ONCE = 2**17
"""So many rows are scored at once, or more if one group of queries has more."""
_GROUP, _PLACE, _ROWS_OF_CHUNK = "group", "place", "rows"
_CHUNK = f"{_GROUP} int, {_PLACE} long, {_ROWS_OF_CHUNK} binary"
"""The columns of chunks of rows. Chunks are put in the order of their places."""
_GATHERED_BYTES = 2**25
"""Rows of so many bytes are serialised at once."""
_CHUNK_BYTES = 2**15
"""A chunk has no more bytes: Spark sends ten thousand of them at once."""
_MOST_CHUNKS = 2**33
"""More chunks than a partition has."""
_FEWEST_GROUPS = 64
_KINDS = {
    **dict.fromkeys(("string", "char", "varchar"), "text"),
    **dict.fromkeys(("byte", "short", "integer", "long", "float", "double", "decimal"), "numbers"),
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


def report_spark(frame: Any, shard: ShardScore) -> RankingReport:
    """Return the report of a frame."""
    _check_frame(frame, shard.columns, shard.names)
    parts = _by_query(frame, shard).mapInArrow(partial(_answer_of_part, shard), _ANSWER)
    return shard.report_of(reduce(operator.add, _answers(parts), shard.nothing))


def score_queries_spark(frame: Any, shard: ShardScore) -> Any:
    """Return the values of each query as another frame."""
    _check_frame(frame, shard.columns, shard.names)
    _check_results(frame, shard)
    rows = _by_query(frame, shard)
    types = import_module("pyspark.sql.types")
    qid = shard.columns["qid"]
    schema = types.StructType().add(qid, frame.schema[qid].dataType)
    for name in shard.results:
        schema = schema.add(name, types.DoubleType())
    return rows.mapInArrow(partial(_values_of_part, shard), schema)


def report_tables_spark(judgments: Any, predictions: Any, shard: ShardTables) -> RankingReport:
    """Return the report of judgments and predictions, which are joined."""
    names, function = shard.names, shard.score.names.function
    _check_frame(judgments, names.judged, ErrorNames(function, "judgments"))
    _check_frame(predictions, names.predicted, ErrorNames(function, "predictions"))
    rows, union = _union(judgments, predictions, names, function)
    serialised = _serialised_by(rows, union.key)
    parts = serialised.mapInArrow(partial(_answer_of_tables, shard, union), _ANSWER)
    sums, seen = shard.score.nothing, TablesSeen()
    for of_part, seen_in_part in _answers(parts):
        sums, seen = sums + of_part, seen + seen_in_part
    shard.check(seen)
    has_found = seen.has_found or _share_an_item(judgments, predictions, names, shard.queries)
    return shard.report_of(sums, seen, has_found)


def _check_frame(frame: Any, columns: dict[str, Any], names: ErrorNames) -> None:
    """Raise unless a frame of Spark has columns of the types that these must have."""
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
    for keyword, name in columns.items():
        if not isinstance(name, str):  # as those of pandas may be, and those of Spark may not
            raise invalid(keyword, names.function, "the name of a column", describe(name))
    check_names(columns, frame.columns, names.parameter, names.function)
    for name in columns.values():  # Spark may not tell a column from another one
        same = _same_to_spark(frame, name, frame.columns)
        if len(same) > 1:
            expected = f"a table with one column {show_id(name)}"
            got = f"{' and '.join(map(repr, same))}, which are one name to Spark,"
            advice = f"Rename them by `.toDF(...)`, or set {_CASE} to true."
            raise invalid(names.parameter, names.function, expected, got, advice)
    for keyword, name in columns.items():
        column = Column(frame[_quoted(name)], name, names.parameter, names.function)
        dtype = frame.schema[name].dataType
        kind = _KINDS.get(dtype.typeName(), "")
        got = f"type {dtype.simpleString()}"
        if keyword in ("qid", "by", "query", "item"):
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


def _check_results(frame: Any, shard: ShardScore) -> None:
    """Raise unless Spark tells the columns of the values per query from each other."""
    shard.check_results()
    function, qid = shard.names.function, shard.columns["qid"]
    for name in shard.results:
        same = _same_to_spark(frame, name, [qid, *shard.results])
        if len(same) > 1:
            got = f"{' and '.join(map(repr, same))}, which are one name to Spark,"
            advice = "Give the scores names of your own: scores={'name': score, ...}."
            if qid in same:
                expected = "the name of a column that is not the name of a result"
                raise invalid("qid", function, expected, got, advice)
            expected = "such that each result has a name of its own"
            raise invalid("scores", function, expected, got, advice)


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
    """Return the columns that count, serialised, with the rows of each query in one partition."""
    own = _own_names(shard)
    columns = [f"{_quoted(name)} AS {_quoted(own[name])}" for name in own]
    return _serialised_by(frame.selectExpr(*columns), own[shard.columns["qid"]])


def _serialised_by(frame: Any, key: str) -> Any:
    """Return the rows of a frame in chunks, with equal keys in chunks of one group.

    The chunks of a group are in one partition, next to each other, in the order of their rows. So
    Spark moves some chunks instead of many rows, and the order of the rows needs no column.
    """
    of_session = frame.sparkSession.conf.get("spark.sql.shuffle.partitions")
    n_partitions = int(of_session) if of_session.isdigit() else 0
    n_groups = max(_FEWEST_GROUPS, 2 * n_partitions)
    group = f"pmod(hash({_quoted(key)}), {n_groups}) AS {_GROUP}"
    chunks = frame.selectExpr("*", group).mapInArrow(_chunks_of_part, _CHUNK)
    return chunks.repartition(_GROUP).sortWithinPartitions(_GROUP, _PLACE)


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
        invert = import_module("pyarrow.compute").invert
        parts = table.filter(is_judged), table.filter(invert(is_judged))
        return [
            {name: part.column(own[each]) for each, name in of_frame.items()}
            for part, of_frame, own in zip(parts, names, self.columns, strict=True)
        ]


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
        ids = [
            Column(frame[_quoted(of_frame[keyword])], of_frame[keyword], parameter, function)
            for frame, of_frame, parameter in zip(
                frames, names, ("judgments", "predictions"), strict=True
            )
        ]
        nothing = np.empty(0, np.intp), np.empty(0, object)
        alike(ids[0], ids[1], *(IdColumn(*nothing, kind) for kind in kinds))
        is_one = types[0] == types[1]
        for of_frame, which in zip(ours, ("judged", "predicted"), strict=True):
            of_frame[keyword] = keyword if is_one else f"{keyword} {which}"
        keys.append(None if is_one else _COMMON[kinds[0]])
    selected = []
    for number, (frame, of_frame, own) in enumerate(zip(frames, names, ours, strict=True)):
        columns = [
            f"{_quoted(name)} AS {_quoted(own[keyword])}" for keyword, name in of_frame.items()
        ]
        if keys[0] is not None:
            columns.append(f"CAST({_quoted(of_frame['query'])} AS {keys[0]}) AS key")
        selected.append(frame.selectExpr(*columns, f"{number == 0} AS {_quoted(_IS_JUDGED)}"))
    union = selected[0].unionByName(selected[1], allowMissingColumns=True)
    return union, _Union("query" if keys[0] is None else "key", ours)


def _share_an_item(judgments: Any, predictions: Any, names: ColumnNames, queries: str) -> bool:
    """Return whether any item of the queries that are scored is both judged and predicted."""
    judged, predicted = (
        frame.selectExpr(
            f"{_quoted(of_frame['query'])} AS query", f"{_quoted(of_frame['item'])} AS item"
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


def _answer(compute: Callable[[], Any]) -> Any:
    """Return the one row that a part of the data yields: a result, or the error about the data.

    So the error reaches the driver as it is, and at once. Others are retried.
    """
    try:
        answer = compute()
    except InvalidParameterError as error:
        answer = error
    return import_module("pyarrow").RecordBatch.from_pydict({"answer": [pickle.dumps(answer)]})


def _answer_of_part(shard: ShardScore, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sums over a part of the data."""
    sums = map(shard.sums_of, _tables_of(shard, batches))
    yield _answer(lambda: reduce(operator.add, sums, shard.nothing))


def _values_of_part(shard: ShardScore, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the values of the queries in a part of the data."""
    pyarrow = import_module("pyarrow")
    for table in _tables_of(shard, batches):
        yield from pyarrow.table(shard.values_of(table)).combine_chunks().to_batches()


def _tables_of(shard: ShardScore, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield tables of whole queries, with the names and the order that the frame has."""
    names = list(_own_names(shard))
    return (table.rename_columns(names) for table in _deserialised(batches))


def _answer_of_tables(shard: ShardTables, union: _Union, batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sums over a part of both tables, and what was there."""

    def sums_and_seen() -> tuple[PartSums, TablesSeen]:
        sums, seen = shard.score.nothing, TablesSeen()
        for table in _deserialised(batches):
            of_table, seen_there = shard.sums_of(*union.columns_of(table, shard.names))
            sums, seen = sums + of_table, seen + seen_there
        return sums, seen

    yield _answer(sums_and_seen)


def _chunks_of_part(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the chunks of a partition of rows, the last column of which is their group.

    A chunk has rows of one group, as a stream of Arrow. Its place says which come before it.
    """
    pyarrow = import_module("pyarrow")
    place = import_module("pyspark").TaskContext.get().partitionId() * _MOST_CHUNKS
    for table in _gathered(batches):
        group = table.column(table.num_columns - 1).to_numpy()
        # NumPy sorts such short ints in linear time.
        is_short = group.max() < 2**16
        order = np.argsort(group.astype(np.uint16) if is_short else group, kind="stable")
        rows = table.remove_column(table.num_columns - 1).combine_chunks().take(order)
        [batch] = rows.combine_chunks().to_batches()
        groups, chunks = [], []
        for start, stop in _cuts(group[order], batch.nbytes):
            groups.append(group[order[start]])
            chunks.append(_written(batch.slice(start, stop - start)))
        columns = [groups, range(place, place + len(chunks)), chunks]
        types = pyarrow.int32(), pyarrow.int64(), pyarrow.binary()
        arrays = [pyarrow.array(*each) for each in zip(columns, types, strict=True)]
        yield pyarrow.RecordBatch.from_arrays(arrays, [_GROUP, _PLACE, _ROWS_OF_CHUNK])
        place += len(chunks)


def _cuts(group: NDArray[Any], n_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield where chunks start and stop, in rows that are sorted by group."""
    most = max(1, _CHUNK_BYTES * group.size // n_bytes)
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
    serialised: bytes = sink.getvalue().to_pybytes()
    return serialised


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


def _deserialised(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield tables of the rows of chunks, each with all rows of some groups."""
    pyarrow = import_module("pyarrow")
    held: list[Any] = []
    n_rows, last = 0, None
    for batch in batches:
        for group, chunk in zip(batch.column(0).to_pylist(), batch.column(2), strict=True):
            if group != last and n_rows >= _ROWS_AT_ONCE:
                yield pyarrow.concat_tables(held)
                held, n_rows = [], 0
            held.append(pyarrow.ipc.open_stream(chunk.as_buffer()).read_all())
            n_rows, last = n_rows + len(held[-1]), group
    if held:
        yield pyarrow.concat_tables(held)
