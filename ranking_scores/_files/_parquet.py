"""Reads Parquet files: one as a whole, or any number of them, and datasets, in batches."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from io import TextIOBase
from pathlib import Path
from typing import Any

import numpy as np

from ranking_scores._base._errors import (
    ErrorNames,
    import_extra,
    invalid,
    show_id,
    show_some,
    with_parts,
)
from ranking_scores._base._ids import decoded
from ranking_scores._base._utf8 import check_utf8, names_in, wrong_name
from ranking_scores._base._validation import describe, is_whole
from ranking_scores._files._table import NAME, FileError, FileRequest, FileTable, with_columns
from ranking_scores._tables._columns import Column, check_names, is_frame, read_columns
from ranking_scores._tables._whole_queries import (
    QueryBatch,
    SeenIds,
    are_joinable,
    as_table,
    ids_in_rows,
    join_tables,
    whole_pieces,
)
from ranking_scores.exceptions import InvalidParameterError

EXTRA = "parquet"
_BUFFER = 2**22
"""Bytes of a column that are read at once; else all of a row group is, whatever its size."""
BATCH_ROWS = 2**18
"""So many rows are read at once, unless the caller says otherwise."""
Progress = Callable[[int], Any] | None
"""What to call with numbers of rows to show them on a terminal; None: nothing."""


def read_parquet(request: FileRequest) -> FileTable:
    """Return a table with the columns of a Parquet file, as a pyarrow table."""
    table, path = request.table, request.table.path
    pyarrow = import_extra("pyarrow", "parquet", "Parquet")
    parquet_file = import_extra("pyarrow.parquet", "parquet", "Parquet").ParquetFile
    refuse = partial(invalid, "path", NAME)
    try:
        with open(path, "rb") as file, parquet_file(file) as parquet:
            table = with_columns(parquet.schema_arrow.names, table)
            columns = parquet.read(columns=list(dict.fromkeys(table.names.values())))
            check_utf8(columns, refuse)
            return table._replace(columns=columns).in_form(request.form.words)
    except UnicodeDecodeError as error:
        raise wrong_name(error, refuse) from error
    except pyarrow.ArrowException as error:
        raise FileError(f"{path}: {' '.join(str(error).split())}") from error


class FileSource:
    """The rows of Parquet files, or of a dataset of pyarrow, in batches."""

    def __init__(self, data: Any, batch_rows: Any, names: ErrorNames) -> None:
        self._names = names
        self._batch_rows = check_batch_rows(batch_rows, names.function)
        self._types: dict[Any, tuple[Any, str]] = {}
        """The first type of each column that was read, and the file."""
        self._datasets = import_extra("pyarrow.dataset", EXTRA, names.function)
        self.folders: list[Path] = []
        """The directories that are read as a whole."""
        self._file = import_extra("pyarrow.parquet", EXTRA, names.function).ParquetFile
        self._arrow = import_extra("pyarrow", EXTRA, names.function)
        self.parts = [part for each in self._list(data) for part in self._parts_of(*each)]
        """The files, each with the types of what its directories say; a dataset that has to be
        scanned by pyarrow is a part, too."""
        if not self.parts:
            raise self._names.invalid("at least one file", describe(data))

    def _list(self, path: Any) -> Iterator[tuple[Any, bool]]:
        """Yield datasets of pyarrow, and whether the files of each are to be put in order."""
        if isinstance(path, self._datasets.Dataset):
            yield path, False
        elif is_path(path):
            if os.path.isdir(path):
                self.folders.append(Path(path).resolve())
            yield self._dataset_at(os.fspath(path)), True
        elif is_open(path):
            if isinstance(path, TextIOBase) or getattr(path, "closed", False):
                got = "one of text" if isinstance(path, TextIOBase) else "one that is closed"
                raise self._names.invalid("an open file of bytes", got)
            yield _OpenFile(path), False
        elif are_several(path):
            for each in path:
                yield from self._list(each)
        else:
            raise self._names.invalid(
                "paths, datasets of pyarrow or tables, of one kind", describe(path)
            )

    def _dataset_at(self, path: str) -> Any:
        """Return the dataset of the files at a path, or at an address that fsspec may know."""
        try:
            system, inner = self._system_of(path)
            self._check_plain(path, system, inner)
            return self._datasets.dataset(
                inner, filesystem=system, format="parquet", partitioning="hive"
            )
        except FileNotFoundError as error:
            advice = _NO_PATTERNS if any(map(path.count, "*?[")) else ""
            expected = "the path of a file or a directory that is there"
            raise not_found(self._names, expected, path, advice) from error
        except (self._arrow.ArrowInvalid, self._arrow.ArrowTypeError) as error:
            raise self._not_parquet(path, error) from error
        except OSError as error:
            raise self._not_read(path, error) from error

    def _system_of(self, path: str) -> tuple[Any, str]:
        """Return the system of files at a path or an address, and the path there."""
        systems = import_extra("pyarrow.fs", EXTRA, self._names.function)
        if not _ADDRESS.match(path):
            return systems.LocalFileSystem(), os.path.abspath(path)
        try:
            system, inner = systems.FileSystem.from_uri(path)
        except self._arrow.ArrowInvalid:
            fsspec = import_extra("fsspec", EXTRA, self._names.function)
            try:
                found, inner = fsspec.url_to_fs(path)
            except ValueError as error:
                expected = "a path, or an address that pyarrow or fsspec knows"
                raise self._names.invalid(expected, repr(path)) from error
            system = systems.PyFileSystem(systems.FSSpecHandler(found))
        return system, inner

    def _check_plain(self, path: str, system: Any, inner: str) -> None:
        """Raise if a directory has a table of which some files may not count."""
        systems = import_extra("pyarrow.fs", EXTRA, self._names.function)
        if system.get_file_info(inner).type != systems.FileType.Directory:
            return
        for each in system.get_file_info(systems.FileSelector(inner, recursive=True)):
            found = _TABLE.search(each.path)
            if found is not None:
                kind, reader = _READERS[str(found.lastgroup)]
                expected = "of plain Parquet files"
                got = f"a table of {kind}, whose files may have rows that were removed,"
                code = f"Pass {reader} instead of {path!r}."
                raise self._names.invalid(expected, got, code=code)

    def _parts_of(self, dataset: Any, is_to_be_sorted: bool) -> list[tuple[Any, Any]]:
        """Return the files of a dataset, or itself, with its schema."""
        if isinstance(dataset, _OpenFile):
            return [(dataset, self._arrow.schema([]))]
        is_parquet = isinstance(getattr(dataset, "format", None), self._datasets.ParquetFileFormat)
        try:
            files = list(dataset.get_fragments()) if is_parquet else [dataset]
        except ValueError:  # a dataset that was filtered does not let go of its files
            files = [dataset]
        if is_to_be_sorted:
            files.sort(key=lambda file: _in_natural_order(file.path))
        return [(file, dataset.schema) for file in files]

    def columns(self) -> list[str]:
        """Return the names of the columns of the first file."""
        part, schema = self.parts[0]
        if len(schema):
            return names_in(schema, self._names.invalid)
        with self._opened(part) as file:
            return names_in(file.schema_arrow, self._names.invalid)

    def local_paths(self) -> Iterator[str]:
        """Yield the paths of files that are on this machine."""
        return filter(os.path.exists, (getattr(part, "path", "") for part, _ in self.parts))

    def batches(self, columns: dict[str, Any]) -> Iterator[Any]:
        """Yield tables of some columns, by the parameters that name them."""
        for part, schema in self.parts:
            if isinstance(part, self._datasets.Dataset):
                check_names(columns, names_in(schema, self._names.invalid), *reversed(self._names))
                names = list(dict.fromkeys(columns.values()))
                yield from map(as_table, self._scan(part, names))
            else:
                yield from self._read(part, schema, columns)

    def _scan(self, dataset: Any, names: list[str]) -> Iterator[Any]:
        """Yield record batches of a dataset that is more than files of Parquet."""
        options = {}
        if isinstance(getattr(dataset, "format", None), self._datasets.ParquetFileFormat):
            checks = self._datasets.ParquetFragmentScanOptions(page_checksum_verification=True)
            options["fragment_scan_options"] = checks
        batches: Iterator[Any] = dataset.to_batches(
            columns=names,
            batch_size=self._batch_rows,
            batch_readahead=2,
            fragment_readahead=1,
            **options,
        )
        with self._errors_named(None):
            yield from batches

    def _read(self, fragment: Any, schema: Any, columns: dict[str, Any]) -> Iterator[Any]:
        """Yield tables of a file, with columns of what its directories say."""
        of_path = {}
        if not isinstance(fragment, _OpenFile):
            of_path = self._datasets.get_partition_keys(fragment.partition_expression)
        with self._opened(fragment) as file:
            try:
                there = names_in(file.schema_arrow, self._names.invalid)
                more = {name: value for name, value in of_path.items() if name not in there}
                check_names(columns, [*there, *more], *reversed(self._names))
            except InvalidParameterError as error:
                raise _in_files(error, [fragment.path] if len(self.parts) > 1 else []) from None
            names = list(dict.fromkeys(columns.values()))
            own = [name for name in names if name in there]
            for groups in _together(_sizes_in(fragment, file), self._batch_rows):
                batches = file.iter_batches(self._batch_rows, row_groups=groups, columns=own)
                n_read = 0
                for batch in self._read_safely(batches, fragment.path):
                    table = as_table(batch)
                    try:
                        check_utf8(table, self._names.invalid, repr(fragment.path))
                    except InvalidParameterError as error:
                        row = _row_in_file(file, groups, n_read + (error.place.row or 0))
                        place = error.place._replace(row=row)
                        raise with_parts(error, place=place, code="") from None
                    n_read += len(table)
                    for name in more.keys() & names:
                        value = self._arrow.scalar(more[name], schema.field(name).type)
                        table = table.append_column(name, self._arrow.repeat(value, len(table)))
                    table = table.select(names)
                    self._check_types(table.schema, fragment.path)
                    yield table

    def _check_types(self, schema: Any, path: str) -> None:
        """Raise unless the columns of a file are of the types that they have in the first one."""
        for field in schema:
            first, where = self._types.setdefault(field.name, (field.type, path))
            if field.type != first and not are_joinable(field.type, first):
                expected = f"of files in which the column {show_id(field.name)} has one type"
                got = f"{field.type} in {path!r} and {first} in {where!r}"
                raise self._names.invalid(expected, got, "Cast it when the files are written.")

    @contextmanager
    def _opened(self, fragment: Any) -> Iterator[Any]:
        """Open a file."""
        with ExitStack() as stack:
            with self._errors_named(fragment.path):
                source = stack.enter_context(fragment.open())
                file = self._file(
                    source, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
                )
            yield stack.enter_context(file)

    def _read_safely(self, batches: Iterator[Any], path: str) -> Iterator[Any]:
        """Yield batches of a file, and name it in errors."""
        with self._errors_named(path):
            yield from batches

    @contextmanager
    def _errors_named(self, path: str | None) -> Iterator[None]:
        """Name a file in errors about what it holds and about the way to it."""
        try:
            yield
        except self._arrow.ArrowException as error:
            raise self._not_parquet(path or "a dataset", error) from error
        except UnicodeDecodeError as error:
            paths = [path] if path is not None and len(self.parts) > 1 else []
            raise _in_files(wrong_name(error, self._names.invalid), paths) from error
        except OSError as error:
            raise self._not_read(path or "a dataset", error) from error

    def located(self, error: InvalidParameterError, ids: Any) -> InvalidParameterError:
        """Return an error about rows with the names of the files that have them.

        The files are read again. `ids` is the column with the ids of the queries.
        """
        place = error.place
        if place.path is not None:
            return error
        is_query = place.query is not None and place.query_is != "number"
        name = ids if is_query else place.column
        are_files = not any(isinstance(part, self._datasets.Dataset) for part, _ in self.parts)
        if len(self.parts) < 2 or name is None or not are_files:
            return error
        found = [
            part.path
            for part, schema in self.parts
            if any(
                _has(values, place.query if is_query else None)
                for table in self._read(part, schema, {"qid": name})
                for values in table.columns
            )
        ]
        return _in_files(error, found)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Return what to call with numbers of rows to show them on a terminal; None: nothing."""
        tqdm = None
        if sys.stderr is not None and sys.stderr.isatty():
            with suppress(ImportError):  # without it, no bar is drawn
                tqdm = import_module("tqdm").tqdm
        if tqdm is None:
            yield None
            return
        others = self._datasets.Dataset, _OpenFile
        are_files = not any(isinstance(part, others) for part, _ in self.parts)
        total = sum(part.count_rows() for part, _ in self.parts) if are_files else None
        with tqdm(total=total, unit=" rows", unit_scale=True, delay=1) as bar:
            yield bar.update

    def whole_tables(self, columns: dict[str, Any], report: Progress) -> Iterator[Any]:
        """Yield tables of some columns, with whole queries of which none comes back."""
        tables = counted(self.batches(columns), report)
        return self._whole(tables, columns["qid"]) if "qid" in columns else tables

    def _whole(self, tables: Iterator[Any], qid: Any) -> Iterator[Any]:
        n_rows = 0

        def column_of(table: Any) -> Column:
            [column] = read_columns(table, {"qid": qid}, *reversed(self._names)).values()
            return column

        def batches() -> Iterator[QueryBatch]:
            nonlocal n_rows
            for table in tables:
                yield QueryBatch(table, column_of(table))
                n_rows += len(table)

        def recall() -> Iterator[list[Any]]:
            """Yield the ids of all tables before this one, which are read again."""
            n_left, again = n_rows, self.batches({"qid": qid})
            while n_left:
                before = next(again).slice(0, n_left)
                yield ids_in_rows(column_of(before))
                n_left -= len(before)

        for pieces in whole_pieces(batches(), SeenIds(ANY_ORDER, recall).check):
            yield join_tables(pieces, *reversed(self._names))

    def _not_parquet(self, path: str, error: Exception) -> Exception:
        """Return the error about a file of another kind."""
        advice = f"pyarrow says: {str(error).rstrip('.')}."
        return self._names.invalid("of Parquet files that pyarrow reads", repr(path), advice)

    def _not_read(self, path: str, error: OSError) -> Exception:
        """Return the error about a file that is damaged or cannot be reached."""
        text = f"{self._names.function} cannot read {path!r}: {error}"
        return OSError(text) if error.errno is None else OSError(error.errno, text)


class _OpenFile:
    """An open file, with what is used of the files of a dataset."""

    def __init__(self, file: Any) -> None:
        self._file, self.path = file, str(getattr(file, "name", "an open file"))

    def open(self) -> AbstractContextManager[Any]:
        """Return the file, which stays open."""
        return nullcontext(self._file)


def _sizes_in(part: Any, file: Any) -> dict[int, int]:
    """Return the numbers of rows of the row groups of a file that count."""
    if isinstance(part, _OpenFile):
        groups = range(file.metadata.num_row_groups)
        return {number: file.metadata.row_group(number).num_rows for number in groups}
    return {row_group.id: row_group.num_rows for row_group in part.row_groups}


def _row_in_file(file: Any, groups: list[int], row: int) -> int:
    """Return the row of a file that is a row of some of its row groups."""
    numbers = range(file.metadata.num_row_groups)
    size = np.array([file.metadata.row_group(number).num_rows for number in numbers])
    stop, stop_read = np.cumsum(size), np.cumsum(size[groups])
    place = int(np.searchsorted(stop_read, row, side="right"))
    return int(stop[groups[place]] - stop_read[place]) + row


def _has(values: Any, query: Any) -> bool:
    """Return whether a column has a query; None: whether a value is missing or no number."""
    if query is None and values.null_count:
        return True
    array = np.asarray(decoded(values))
    if query is None:
        return array.dtype.kind == "f" and not np.isfinite(array).all()
    return bool(np.any(array == query))


def _in_files(error: InvalidParameterError, paths: list[str]) -> InvalidParameterError:
    """Return an error that names the files it is about, if any is known."""
    if not paths:
        return error
    which = "The file is" if len(paths) == 1 else "The rows are in"
    advice = f"{which} {show_some(np.array(paths))}."
    return with_parts(error, advice=f"{error.advice} {advice}".strip())


def check_batch_rows(batch_rows: Any, function: str) -> int:
    """Return how many rows to read at once."""
    if batch_rows is None:
        return BATCH_ROWS
    if not is_whole(batch_rows) or batch_rows < 1:
        raise invalid("batch_rows", function, "None or an int of at least 1", describe(batch_rows))
    return min(int(batch_rows), 2**31 - 1)  # more do not fit in pyarrow's ints


def _together(sizes: dict[int, int], batch_rows: int) -> Iterator[list[int]]:
    """Yield row groups to be read at once, by their numbers of rows: one, or some small ones.

    What is read of row groups is kept until the last of them is over.
    """
    groups: list[int] = []
    n_rows = 0
    for group, size in sizes.items():
        if groups and n_rows + size > batch_rows:
            yield groups
            groups, n_rows = [], 0
        groups.append(group)
        n_rows += size
    if groups:
        yield groups


def counted(tables: Iterator[Any], report: Progress) -> Iterator[Any]:
    """Yield tables, and report how many rows each has had when the next one is asked for."""
    for table in tables:
        yield table
        if report is not None:
            report(len(table))


def _in_natural_order(path: str) -> list[Any]:
    """Return what sorts paths with "part-9" before "part-10"."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)]


def is_path(data: Any) -> bool:
    """Return whether something is the path of a file or of a directory."""
    return isinstance(data, (str, os.PathLike))


def is_open(data: Any) -> bool:
    """Return whether something is an open file of bytes."""
    return hasattr(data, "read") and hasattr(data, "seek") and not is_frame(data)


def are_several(data: Any) -> bool:
    """Return whether something may be several paths or tables. A file or a table is not."""
    is_of_pandas = hasattr(data, "get_chunk")  # a reader of chunks, which is no file
    is_file = hasattr(data, "read") and not is_of_pandas
    is_other = isinstance(data, (bytes, Mapping)) or is_file or is_frame(data)
    return isinstance(data, Iterable) and not is_other


def not_found(names: ErrorNames, expected: str, path: Any, advice: str = "") -> FileNotFoundError:
    """Return the error about a file or a directory that is not there."""
    return FileNotFoundError(str(names.invalid(expected, repr(os.fspath(path)), advice)))


ANY_ORDER = "Or pass order='any', which brings the rows of each query together."
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::|://)")
_TABLE = re.compile(r"/(?P<delta>_delta_log)(?:/|$)|/(?P<iceberg>metadata)/[^/]*\.metadata\.json$")
"""In the paths of files that say which rows of others count."""
_READERS = {
    "delta": ("Delta Lake", "`deltalake.DeltaTable(path).to_pyarrow_dataset()`"),
    "iceberg": ("Iceberg", "`table.scan().to_arrow_batch_reader()` of pyiceberg"),
}
_NO_PATTERNS = "Patterns are not expanded: pass `sorted(glob.glob(...))`."
