"""Scores of Dask DataFrames: Dask brings queries together, and its workers score them.

Only sums come back from the workers, and each takes a few kB. Dask's shuffles lose the
order of rows. The order of tied items can change the last bit of a sum, or with
``ignore_ties=True`` the score. So rows are shuffled in chunks, within which they keep their order.
"""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import reduce
from importlib import import_module
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import ErrorNames, invalid, show_id
from ranking_scores._base._ids import UnusableError, factorize
from ranking_scores._base._sorting import start_runs
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import describe
from ranking_scores._tables._columns import (
    Column,
    as_datetime64,
    as_timedelta64,
    check_names,
    check_no_null,
    read_ids,
)
from ranking_scores._tables._join import alike
from ranking_scores.report import RankingReport
from ranking_scores.scale._partitioned import keys_of_ids
from ranking_scores.scale._shards import (
    Items,
    PartSums,
    ShardScore,
    ShardTables,
    TablesSeen,
    without_rows,
)

_ADDED_AT_ONCE = 8
"""The number of parts that one task adds."""


def report_dask(frame: Any, shard: ShardScore, *, compute: bool) -> Any:
    """Return the report of a frame, or the `Delayed` that computes it."""
    _check(frame, shard)
    delayed = import_module("dask").delayed
    in_tasks = delayed(shard, traverse=False)
    sums = [delayed(ShardScore.sums_of)(in_tasks, part) for part in _whole_queries(frame, shard)]
    total = _added(sums, in_tasks, _add_sums)
    # The last step is taken here, so that its warnings are seen here.
    if compute:
        return shard.report_of(total.compute())
    return delayed(ShardScore.report_of)(in_tasks, total)


def score_queries_dask(frame: Any, shard: ShardScore) -> Any:
    """Return the values of each query as another frame."""
    _check(frame, shard)
    shard.check_results()
    delayed = import_module("dask").delayed
    in_tasks = delayed(shard, traverse=False)
    parts = _whole_queries(frame, shard)
    meta = _values_of(_chosen(frame._meta, _names_of(shard)), shard)
    has_categories = str(meta.dtypes.iloc[0]) == "category"
    return import_module("dask.dataframe").from_delayed(
        [delayed(_values_of)(part, in_tasks, has_categories) for part in parts],
        meta=meta,
        prefix="per_query",
        verify_meta=False,
    )


def report_tables_dask(judgments: Any, predictions: Any, shard: ShardTables) -> RankingReport:
    """Return the report of judgments and predictions, which are joined."""
    names, function = shard.names, shard.score.names.function
    delayed = import_module("dask").delayed
    tables = {"judgments": judgments, "predictions": predictions}
    for (parameter, frame), of_frame in zip(tables.items(), names, strict=True):
        _check_frame(frame, parameter, function)
        check_names(of_frame, _names_in(frame, of_frame["query"]), parameter, function)
    for keyword in ("query", "item"):  # ids that can never be equal, as far as dtypes tell
        columns = [
            Column(
                _chosen(frame._meta_nonempty, [of_frame[keyword]]).iloc[:, 0].dropna(),
                of_frame[keyword],
                parameter,
                function,
            )
            for (parameter, frame), of_frame in zip(tables.items(), names, strict=True)
        ]
        if not any(str(column.values.dtype) in ("object", "category") for column in columns):
            alike(columns[0], columns[1], read_ids(columns[0]), read_ids(columns[1]))
    n_parts = max(judgments.npartitions, predictions.npartitions)
    judged, predicted = (
        _shuffled(
            frame,
            list(dict.fromkeys(of_frame.values())),
            _QueryIdColumn(of_frame["query"], ErrorNames(function, parameter)),
            n_parts,
        )
        for (parameter, frame), of_frame in zip(tables.items(), names, strict=True)
    )
    in_tasks = delayed(shard, traverse=False)
    parts = list(zip(judged, predicted, strict=True))
    each = [delayed(ShardTables.sums_of)(in_tasks, *part) for part in parts]
    sums, seen = _added(each, in_tasks, _add_seen).compute()
    shard.check(seen)
    has_found = seen.has_found
    if seen.n_rows and not has_found:  # in one part, so an item may be in two
        items = [delayed(ShardTables.items_of)(in_tasks, *part) for part in parts]
        of_judgments, of_predictions = _added(items, in_tasks, _add_items).compute()
        has_found = not of_judgments.isdisjoint(of_predictions)
    return shard.report_of(sums, seen, has_found)


def _check(frame: Any, shard: ShardScore) -> None:
    """Raise unless a table is a frame of Dask that has the columns."""
    function = shard.names.function
    _check_frame(frame, shard.names.parameter, function)
    shard.check_columns(_names_in(frame, shard.columns["qid"]))


def _check_frame(frame: Any, parameter: str, function: str) -> None:
    """Raise unless a table is a frame of Dask."""
    if not isinstance(frame, import_module("dask.dataframe").DataFrame):
        advice = "`dask.dataframe.from_pandas` makes one of a frame of pandas."
        raise invalid(parameter, function, "a Dask DataFrame", describe(frame), advice)


def _names_in(frame: Any, of_index: Any) -> list[Any]:
    """Return the names of the columns of a frame, and that of the index if it is asked for."""
    names = list(frame.columns)
    return names if of_index in names or frame.index.name != of_index else [*names, of_index]


def _names_of(shard: ShardScore) -> list[Any]:
    """Return the names of the columns that are read, each once."""
    return list(dict.fromkeys(shard.columns.values()))


# --- partitions with whole queries ------------------------------------------------------------


def _whole_queries(frame: Any, shard: ShardScore) -> list[Any]:
    """Return tables in which no query is cut, each of them delayed."""
    qid, names = shard.columns["qid"], _names_of(shard)
    # Divisions that are categories are in the order of these, which partitions need not share.
    is_coded = str(frame.index.dtype) == "category"
    if qid not in list(frame.columns) and frame.known_divisions and not is_coded:
        # Dask may read several partitions as one where few columns are left.
        sorted_frame = frame[[name for name in names if name != qid]].optimize()
        if sorted_frame.known_divisions:
            return _mended(sorted_frame, names, shard)
    return _shuffled(frame, names, _QueryIdColumn(qid, shard.names), frame.npartitions)


class _QueryIdColumn(NamedTuple):
    """A column of ids of queries, for errors about it."""

    name: Any
    names: ErrorNames

    def of(self, values: Any) -> Column:
        """Return the column with the values of a partition, none of which is missing."""
        column = Column(values, self.name, self.names.parameter, self.names.function)
        check_no_null(column)
        return column


def _shuffled(frame: Any, names: list[Any], ids: _QueryIdColumn, n_parts: int) -> list[Any]:
    """Return columns of a frame as delayed tables, with all rows of a query in one.

    Two frames whose ids are equal have a query in tables of the same number, whatever types their
    columns have, if they are to have the same number of tables.
    """
    delayed = import_module("dask").delayed
    chunks = frame.map_partitions(
        _chunks_of_part,
        names,
        ids,
        n_parts,
        meta=_frame_of_chunks([], 0, []),
        clear_divisions=True,
    )
    parts = chunks.shuffle(on="group", npartitions=n_parts).to_delayed()
    empty = _chosen(frame._meta, names)
    return [delayed(_deserialised)(part, empty) for part in parts]


def _chosen(part: Any, names: list[Any]) -> Any:
    """Return columns of a partition, one of which may be its index."""
    return (part if set(names) <= set(part.columns) else part.reset_index())[names]


def _chunks_of_part(
    part: Any, names: list[Any], ids: _QueryIdColumn, n_parts: int, partition_info: dict[str, Any]
) -> Any:
    """Return the rows of a partition in chunks, one for each table that rows go to.

    So the engine moves few chunks instead of many rows, and the order of rows needs no column.
    """
    chosen = _chosen(part, names)
    place = names.index(ids.name)
    group = import_module("pandas").util.hash_array(_keys_of(chosen, place, ids)) % n_parts
    # NumPy sorts such short ints in linear time.
    group = group.astype(np.uint16 if n_parts <= 2**16 else np.int64)
    order = np.argsort(group, kind="stable")
    start = np.flatnonzero(start_runs(group[order]))
    series = [chosen.iloc[:, number] for number in range(len(names))]
    columns = [
        column.to_numpy() if isinstance(column.dtype, np.dtype) else column.array
        for column in series
    ]
    chunks = [_serialised(columns, rows) for rows in np.split(order, start[1:]) if rows.size]
    labels = _labels(n_parts)[group[order[start]]]
    return _frame_of_chunks(labels, partition_info["number"], chunks)


def _serialised(columns: list[Any], rows: NDArray[np.intp]) -> bytes:
    """Return some rows as bytes, with no more categories than they have."""
    taken = (values.take(rows) for values in columns)
    serialised = [
        values.remove_unused_categories() if str(values.dtype) == "category" else values
        for values in taken
    ]
    return pickle.dumps(serialised, protocol=5)


def _frame_of_chunks(labels: Any, number: int, chunks: list[bytes]) -> Any:
    """Return the chunks of a partition as the rows of a frame."""
    pandas, arrow = import_module("pandas"), import_module("pyarrow")
    rows = pandas.array(chunks, dtype=pandas.ArrowDtype(arrow.large_binary()))
    labels = np.asarray(labels, np.float64)
    return pandas.DataFrame({"group": labels, "place": np.int64(number), "rows": rows})


def _labels(n_parts: int) -> NDArray[np.float64]:
    """Return a number for each table, which Dask's shuffle takes there.

    If it took them elsewhere, some tables would be empty, and others have more rows.
    """
    pandas = import_module("pandas")
    labels = np.arange(32.0 * n_parts)  # Dask makes floats of ints
    hashes = pandas.util.hash_pandas_object(pandas.DataFrame({"group": labels}), index=False)
    _, first = np.unique(hashes.to_numpy() % n_parts, return_index=True)
    return np.resize(labels[first], n_parts)


def _deserialised(part: Any, empty: Any) -> Any:
    """Return the rows of some chunks as they are in the data."""
    pandas = import_module("pandas")
    chunks = [pickle.loads(chunk) for chunk in part.sort_values("place")["rows"]]
    if not chunks:
        return empty
    columns = [
        pandas.concat(list(map(pandas.Series, column)), ignore_index=True)
        for column in zip(*chunks, strict=True)
    ]
    return pandas.concat(columns, axis="columns").set_axis(empty.columns, axis="columns")


def _keys_of(part: Any, place: int, ids: _QueryIdColumn) -> NDArray[np.float64]:
    """Return a number for each row, which is the same for the same ids in any column."""
    values = part.iloc[:, place]
    column = ids.of(values)
    with without_rows():
        check_utf8(values, column.invalid)
    if values.dtype.kind in "biuf":
        numbers: NDArray[np.float64] = values.to_numpy(dtype=np.float64)
        return numbers + 0.0  # -0.0 is 0.0
    try:
        # As an array, since pandas before 3 does not tell all text apart.
        is_coded = str(values.dtype) == "category"
        code, unique = factorize(values if is_coded else np.asarray(values))
    except UnusableError as error:
        raise column.invalid("ids that can be told apart", str(error)) from error
    if unique.dtype.kind in "biufmM":
        return keys_of_ids(unique)[code]
    return np.array(list(map(_key_of_object, unique.tolist())), dtype=np.float64)[code]


def _key_of_object(value: Any) -> float:
    """Return a number that is the same for equal ids, in any process. Other ids may have it, too.

    Python's own `hash` of text changes from process to process.
    """
    if isinstance(value, (str, bytes)):
        return crc32(value.encode(errors="surrogatepass") if isinstance(value, str) else value)
    if isinstance(value, (bool, np.bool_, int, np.integer, float, np.floating, Decimal)):
        return 0.0 if bool(abs(value) > _LARGEST_FOR_FLOAT) else float(value) + 0.0
    if isinstance(value, date):
        return float(keys_of_ids(np.array([as_datetime64(value)]))[0])
    if isinstance(value, timedelta):
        return float(keys_of_ids(np.array([as_timedelta64(value)]))[0])
    return 0.0


_LARGEST_FOR_FLOAT: Any = 10**300
"""Python makes no float of an int that is much larger."""


class _Divisions(NamedTuple):
    """Between which ids a partition of a sorted frame is."""

    low: Any
    high: Any
    is_last: bool


def _mended(frame: Any, names: list[Any], shard: ShardScore) -> list[Any]:
    """Return the partitions of a frame that is sorted by query, each with whole queries.

    The rows of the id with which the next partition begins move to it. There should be none, but
    divisions that Dask takes from the statistics of Parquet files cut queries.
    """
    delayed = import_module("dask").delayed
    ids = _QueryIdColumn(shard.columns["qid"], shard.names)
    parts, edges = frame.to_delayed(optimize_graph=False), frame.divisions
    before, mended = None, []
    for number, part in enumerate(parts):
        bounds = _Divisions(edges[number], edges[number + 1], number + 1 == len(parts))
        mended.append(delayed(_mended_part)(part, before, bounds, names, ids))
        before = delayed(_rest_of)(part, before if bounds.low == bounds.high else None, bounds)
    return mended


def _mended_part(
    part: Any, before: Any, bounds: _Divisions, names: list[Any], ids: _QueryIdColumn
) -> Any:
    """Return the rows that the last partition left over and those of a partition.

    The rows that belong to the next partition are not among them.
    """
    column = ids.of(part.index)
    is_outside = np.asarray((column.values < bounds.low) | (column.values > bounds.high), bool)
    if is_outside.any():
        shown = show_id(ids.name)
        expected = f"a frame of which each partition is between its divisions in {shown}"
        first, low, high = map(show_id, (column.values[is_outside][0], bounds.low, bounds.high))
        got = f"{first} between {low} and {high}"
        advice = "Pass `frame.clear_divisions()`, whose rows are shuffled."
        raise invalid(ids.names.parameter, ids.names.function, expected, got, advice)
    part = _behind(before, part)
    if not bounds.is_last:
        part = part[np.asarray(part.index != bounds.high, dtype=bool)]
    return part.reset_index()[names]


def _rest_of(part: Any, before: Any, bounds: _Divisions) -> Any:
    """Return the rows of a partition that belong to the next one."""
    part = _behind(before, part)
    return part[np.asarray(part.index == bounds.high, dtype=bool)]


def _behind(before: Any, part: Any) -> Any:
    """Return rows that may be None before the rows of a partition."""
    if before is None or not len(before):
        return part
    return import_module("pandas").concat([before, part])


# --- what is done to them -----------------------------------------------------------------------


def _add_sums(sums: Sequence[PartSums], shard: ShardScore) -> PartSums:
    """Return the sums over several parts."""
    return reduce(operator.add, sums, shard.nothing)


def _values_of(part: Any, shard: ShardScore, has_categories: bool = False) -> Any:
    """Return the values of each query of a part, as a frame of pandas.

    A shuffle by the disk loses categories that Dask does not know, so ids are made some again.
    """
    values = import_module("pandas").DataFrame(shard.values_of(part)).reset_index(drop=True)
    return values.astype({shard.columns["qid"]: "category"}) if has_categories else values


def _add_seen(
    parts: Sequence[tuple[PartSums, TablesSeen]], shard: ShardTables
) -> tuple[PartSums, TablesSeen]:
    """Return the same of several parts."""
    sums, seen = zip(*parts, strict=True)
    return _add_sums(sums, shard.score), sum(seen, TablesSeen())


def _add_items(parts: Sequence[Items], shard: ShardTables) -> Items:
    """Return the same of several parts."""
    judged, predicted = zip(*parts, strict=True)
    return frozenset().union(*judged), frozenset().union(*predicted)


def _added(parts: Sequence[Any], shard: Any, add: Callable[[list[Any], Any], Any]) -> Any:
    """Return the sum of some delayed parts, delayed too, a few of them at once.

    No task changes what it adds, since another may take the same parts again.
    """
    add_delayed = import_module("dask").delayed(add)
    starts = range(0, len(parts), _ADDED_AT_ONCE)
    added = [add_delayed(list(parts[start : start + _ADDED_AT_ONCE]), shard) for start in starts]
    return added[0] if len(added) == 1 else _added(added, shard, add)
