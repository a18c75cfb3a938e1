"""What has rows in batches: Parquet files, datasets, tables, readers, iterables of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any

from ranking_scores._base._errors import (
    ErrorNames,
    import_extra,
    invalid,
    show_id,
)
from ranking_scores._base._ids import decoded, library_of
from ranking_scores._base._utf8 import not_encodable
from ranking_scores._base._validation import describe, renamed
from ranking_scores._files._parquet import (
    ANY_ORDER,
    BATCH_ROWS,
    EXTRA,
    FileSource,
    Progress,
    are_several,
    check_batch_rows,
    counted,
    is_open,
    is_path,
)
from ranking_scores._tables._columns import Column, check_names, is_frame, is_table, read_columns
from ranking_scores._tables._known_names import (
    ColumnNames,
    check_no_distance,
    names_of_role,
    seek,
    seek_in_two,
    types_in,
)
from ranking_scores._tables._whole_queries import (
    SeenIds,
    are_joinable,
    join,
    read_batches,
    whole_pieces,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.scale._shards import COLUMN_OF

_KINDS = (
    "the path of Parquet files, several of them, a pyarrow dataset, a table, a reader of batches, "
    "a Dask or Spark DataFrame, or an iterable of tables"
)
_READ_ELSEWHERE = (
    "If it can be read in tables, pass an iterable of these. `whole_queries` says what they may "
    "be."
)


def source_of(data: Any, names: ErrorNames, batch_rows: Any) -> Source:
    """Return what reads the data: files, or tables that a caller or another library reads."""
    if is_path(data) or is_open(data) or _is_dataset(data):
        return FileSource(data, batch_rows, names)
    if library_of(data) == "polars" and hasattr(type(data), "collect"):  # a lazy frame
        return BatchSource(_batches_of_lazy(data, batch_rows, names), names)
    opened = _reader_of(data, names)
    if opened is None and (is_frame(data) or isinstance(data, Mapping)):
        opened = _all_of([data])
    if opened is None:
        if not are_several(data):
            raise names.invalid(_KINDS, describe(data), _READ_ELSEWHERE)
        rest = iter(data)
        first = list(islice(rest, 1))
        if not first:
            raise names.invalid("at least one file or table", describe(data))
        items = chain(first, rest)
        [one] = first
        is_list = are_several(one) and not is_table(one)
        if is_path(one) or is_open(one) or _is_dataset(one) or is_list:
            return FileSource(items, batch_rows, names)
        opened = _all_of(items)
    if batch_rows is not None:
        expected = "left out if data is a table or yields tables, which are read as they come"
        raise invalid("batch_rows", names.function, expected, describe(batch_rows))
    return BatchSource(opened, names)


def columns_of(
    data: Any, columns: dict[str, Any], arrays: Sequence[Any], names: ErrorNames
) -> tuple[Any, dict[str, Any]]:
    """Return data and the names of its columns, of which those left out are found if they can be.

    `arrays` has what came under the old keywords. If the labels and the scores are named, a query
    that is left out is none: each row is one.
    """
    for (old, keyword), given in zip(COLUMN_OF.items(), arrays, strict=True):
        columns[keyword] = renamed(old, given, keyword, columns[keyword], names.function)
    sought = [keyword for keyword in COLUMN_OF.values() if columns[keyword] is None]
    if {"label", "score"}.isdisjoint(sought):
        return data, columns
    data, there = _with_names(data, names)
    # Ranks do not count here, so they are not taken for the order of the items.
    table = {name: () for name in there if str(name).casefold() not in names_of_role("rank")}
    found = seek(table, columns, sought, *reversed(names), needed=sought).names
    if "score" in sought:
        check_no_distance(found["score"], names.function)
    return data, columns | {keyword: found[keyword] or keyword for keyword in sought}


def columns_of_two(
    judgments: Any, predictions: Any, names: ColumnNames, label: Any, function: str
) -> tuple[Any, Any, ColumnNames]:
    """Return both tables with the names of their columns, found if they are left out."""
    if judgments is predictions and hasattr(judgments, "__next__"):
        expected = "other data than judgments, which can be read only once"
        raise invalid("predictions", function, expected, describe(predictions))
    judged, predicted = names
    orders = predicted["score"], predicted["rank"]
    if orders == (None, None) or None in (judged["query"], judged["item"]):
        judgments, of_judgments = _with_names(judgments, ErrorNames(function, "judgments"))
        predictions, there = _with_names(predictions, ErrorNames(function, "predictions"))
        if not (of_judgments and there):  # of a kind that does not tell them
            raise invalid("query", function, "the name of a column of these tables", "None")
        tables = dict.fromkeys(of_judgments, ()), dict.fromkeys(there, ())
        names, _ = seek_in_two(*tables, names, label, function)
    check_no_distance(names.predicted["score"], function)
    return judgments, predictions, names


def _with_names(data: Any, names: ErrorNames) -> tuple[Any, list[Any]]:
    """Return data, unread, and the names of its columns; none if its kind has none."""
    if is_path(data) or is_open(data) or _is_dataset(data):
        return data, FileSource(data, None, names).columns()
    if library_of(data) == "pyarrow" or not are_several(data):
        return data, [name for name, _ in types_in(data)]
    rest = iter(data)
    for one in islice(rest, 1):
        first, there = _with_names(one, names)
        return (chain([first], rest) if rest is data else data), there
    return data, []


def _is_dataset(data: Any) -> bool:
    """Return whether something is a dataset of pyarrow, without importing it."""
    is_of_datasets = any(each.__module__ == "pyarrow._dataset" for each in type(data).__mro__)
    return is_of_datasets and hasattr(data, "get_fragments")


Opened = Callable[[dict[str, Any]], Iterator[Any]]
"""Returns tables that have some columns, by the parameters that name them, and perhaps others."""


def _all_of(tables: Any) -> Opened:
    """Return what reads tables that are read as they are."""
    return lambda _: iter(tables)


def _batches_of_lazy(frame: Any, batch_rows: Any, names: ErrorNames) -> Opened:
    """Return what reads a lazy frame of polars batch by batch."""
    if not hasattr(frame, "collect_batches"):
        expected = "a LazyFrame of a polars that reads it in batches, from 1.34 on"
        got = f"one of polars {import_module('polars').__version__}"
        raise names.invalid(expected, got, "Or pass `frame.collect()`.")
    n_rows = check_batch_rows(batch_rows, names.function)

    def read(columns: dict[str, Any]) -> Iterator[Any]:
        check_names(columns, frame.collect_schema().names(), *reversed(names))
        chosen = frame.select(list(dict.fromkeys(columns.values())))
        return iter(chosen.collect_batches(chunk_size=n_rows, maintain_order=True))

    return read


def _reader_of(data: Any, names: ErrorNames) -> Opened | None:
    """Return what reads a scanner, a reader or a relation; None: it is none of these."""
    if library_of(data) == "pyarrow":
        if hasattr(data, "to_reader") and not is_frame(data):  # a scanner
            data = data.to_reader()
        return (
            partial(_batches_of_reader, data, names) if hasattr(data, "read_next_batch") else None
        )
    if library_of(data) == "duckdb":
        return partial(_batches_of_relation, data)
    return None


def _batches_of_reader(reader: Any, names: ErrorNames, _: dict[str, Any]) -> Iterator[Any]:
    """Read a reader batch by batch."""
    n_rows = 0
    for batch in reader:
        n_rows += len(batch)
        yield batch
    if not n_rows:
        expected = "a reader with rows that was not read before, since it can be read once"
        raise names.invalid(expected, "one without rows")


def _batches_of_relation(relation: Any, columns: dict[str, Any]) -> Iterator[Any]:
    """Read a relation of DuckDB batch by batch."""
    if hasattr(relation, "to_arrow_reader"):
        return iter(relation.to_arrow_reader(BATCH_ROWS))
    return iter(relation.fetch_record_batch(BATCH_ROWS))


class BatchSource:
    """Tables that a caller or another library reads."""

    folders: tuple[Path, ...] = ()
    """The directories that are read as a whole."""

    def __init__(self, opened: Opened, names: ErrorNames) -> None:
        self._opened, self._names = opened, names

    def local_paths(self) -> Iterator[str]:
        """Yield the paths of files that are on this machine, of which none is known."""
        return iter(())

    def progress(self) -> AbstractContextManager[Progress]:
        """Return what shows the progress: nothing."""
        return nullcontext()

    def located(self, error: InvalidParameterError, ids: Any) -> InvalidParameterError:
        """Return an error as it is, since tables have no names."""
        return error

    def batches(self, columns: dict[str, Any]) -> Iterator[Any]:
        """Yield tables that have some columns, by the parameters that name them."""
        return self._opened(columns)

    def whole_tables(self, columns: dict[str, Any], _: Progress) -> Iterator[Any]:
        """Yield tables with whole queries of which none comes back."""
        tables = self._opened(columns)
        if "qid" not in columns:
            return tables
        names = self._names.parameter, self._names.function
        seen = SeenIds(f"{ANY_ORDER} {_ASCENDED}", None)
        pieces = whole_pieces(read_batches(tables, columns["qid"], *names), seen.check)
        return (join(piece, columns["qid"], *names) for piece in pieces)


Source = FileSource | BatchSource
_ASCENDED = (
    "If a data loader shuffles them, pass shuffle=False to it. Or update a `StreamingScore` with "
    "the batches, which keeps all ids."
)


def arrow_tables(
    source: Source, columns: dict[str, Any], progress: Progress, names: ErrorNames
) -> Iterator[Any]:
    """Yield some columns as tables of pyarrow, at least one, in the order of their parameters."""
    arrow = import_extra("pyarrow", EXTRA, names.function)
    types: dict[str, Any] = {}
    for table in counted(source.batches(columns), progress):
        read = read_columns(table, columns, *reversed(names))
        arrays = {keyword: _as_arrow(column, arrow) for keyword, column in read.items()}
        for keyword, array in arrays.items():
            first = types.setdefault(keyword, array.type)
            if array.type != first and not are_joinable(array.type, first):
                got = f"{array.type} after {first} in {show_id(columns[keyword])}"
                expected = "tables whose columns have the same types"
                raise names.invalid(expected, got, "Convert them first.")
        yield arrow.table(arrays)
    if not types:
        yield arrow.table(dict.fromkeys(columns, arrow.nulls(0)))


def _as_arrow(column: Column, arrow: Any) -> Any:
    """Return the values of a column as an array of pyarrow, without codes or views."""
    values = column.values
    try:
        if library_of(values) == "polars":
            values = values.to_arrow()
        elif library_of(values) != "pyarrow":
            values = arrow.array(values)
    except UnicodeEncodeError as error:
        raise not_encodable(error, column.invalid) from error
    except (arrow.ArrowException, TypeError, ValueError) as error:
        expected = "values that pyarrow takes, to be written if rows come in any order"
        advice = f"pyarrow says: {str(error).rstrip('.')}."
        raise column.invalid(expected, describe(values), advice) from error
    return decoded(values)
