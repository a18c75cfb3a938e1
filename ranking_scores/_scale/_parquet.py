"""Scores of Parquet files larger than memory: read, cut between queries, scored and merged."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from copy import copy
from importlib import import_module
from itertools import count
from numbers import Integral
from pathlib import Path
from typing import Any, BinaryIO

from ranking_scores._base import (
    check_n_jobs,
    decoded,
    describe,
    import_extra,
    invalid,
    share,
    whole_file,
)
from ranking_scores._scale._shards import Names, ShardScore, by_parameter
from ranking_scores._tables import (
    Batch,
    Column,
    SeenIds,
    are_joinable,
    as_table,
    check_names,
    ids_in_rows,
    join_tables,
    read_columns,
    whole_pieces,
)

_NAMES = Names("score_parquet", "path")
_EXTRA = "parquet"
_BUFFER = 2**22
"""Bytes of a column that are read at once; else all of a row group is, whatever its size."""
_SUFFIXES = (".parquet", ".csv")


def score_parquet(
    path: Any,
    score_func: Any,
    *,
    y_true: str,
    y_score: str,
    qid: str | None,
    sample_weight: str | None = None,
    item_weight: str | None = None,
    per_query: str | os.PathLike[str] | None = None,
    batch_rows: int = 262144,
    n_jobs: int | None = None,
    **params: Any,
) -> Any:
    """Score Parquet files of any size.

    The files are read in batches, which are cut between queries and scored. The result equals that
    of one call on all rows, to the last bit.

    Parameters
    ----------
    path : path, list of paths or pyarrow.dataset.Dataset
        A file, or a directory. All files below a directory are read, in the order of their names,
        with "part-9" before "part-10". A list of these is read in its order. A pyarrow dataset
        works, too. Patterns such as ``*.parquet`` are not expanded. Directories below `path` whose
        names look like "country=fi" give a column. It has ints if all names look like ints, so
        that "7" and "007" become one. To choose the types yourself, pass a dataset.

    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the files only once.

    y_true : str
        The column of the labels: bools, ints or floats.

    y_score : str
        The column of the scores.

    qid : str or None
        The column with the id of the query of each row: numbers, text or dates. The rows of a
        query must be next to each other, also from one file to the next. The queries may be in any
        order. Pass None if each row is a query and the other columns hold lists.

    sample_weight : str, default=None
        The column with the weight of the query, the same in all rows of a query.

    item_weight : str, default=None
        The column with the weights of the items.

    per_query : path, default=None
        A file to write, whose name ends in ".parquet" or ".csv". It gets one row per query, in the
        order of the input. The column `qid` has the id, and each score and cutoff has a column,
        such as "ndcg@10". If the call raises, nothing is written, and a file that existed before
        stays as it was. The file must not be in a directory that is read. Ids that are bytes need
        Parquet.

    batch_rows : int, default=262144
        The number of rows to read at once. It changes the memory and the time, but no score. Each
        batch takes some milliseconds, so batches of a few hundred rows are slow.

    n_jobs : int, default=None
        The number of threads that score the queries, at most one per core. -1 uses all cores. None
        is 1, unless a `joblib.parallel_config` around the call says otherwise. The results do not
        depend on it, and a `gain` or `discount` of your own is called by one thread at a time.

    **params
        The parameters of the scores, such as ``k=10``. Of several scores, each gets the parameters
        that it has.

    Returns
    -------
    score : float, ndarray of float64 or dict of str to float
        A float; with a list of cutoffs an array of shape (n_k,); with several scores a dict, by
        the names of the results, such as "ndcg@10".

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, if a file lacks a column or is not a Parquet file,
        if the types of a column in two files do not go together, if a column has a missing value,
        if the score refuses the data, if a query comes back after others, or if there are no rows.
        The error is of both types, as in scikit-learn.
    FileNotFoundError
        If `path` or the directory of `per_query` does not exist.
    ImportError
        If pyarrow is not installed.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If a mean is NaN, as the score itself warns.

    See Also
    --------
    ranking_scores.streaming.whole_queries : Cuts batches that you read yourself between queries.
    StreamingScore : Scores them.

    Notes
    -----
    The memory holds some batches, one more for each thread, and the longest query. Only the named
    columns are read, and only a part of a row group at a time.

    A query that comes back later is an error. While ids ascend, the last id is enough to find one.
    If they cease to ascend, as between two files that are sorted each by itself, the earlier ids
    are read once more. From then on one id per query is kept.

    On a terminal a progress bar appears after a second if tqdm is installed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow.parquet
    >>> from ranking_scores.scale import score_parquet
    >>> table = pyarrow.table({
    ...     "user": ["ann", "ann", "ann", "bob", "bob"],
    ...     "stars": [0, 5, 3, 1, 0],
    ...     "model": [0.4, 0.9, 0.4, 0.2, 0.7],
    ... })
    >>> with TemporaryDirectory() as folder:
    ...     pyarrow.parquet.write_table(table, f"{folder}/films.parquet")
    ...     scores = score_parquet(
    ...         f"{folder}/films.parquet",
    ...         ["ndcg@2", "map"], y_true="stars", y_score="model", qid="user",
    ...         per_query=f"{folder}/values.csv",
    ...     )
    ...     print(Path(folder, "values.csv").read_text(), end="")
    "user","ndcg@2","map"
    "ann",0.862...,0.916...
    "bob",0.630...,0.5
    >>> scores
    {'ndcg@2': 0.746..., 'map': 0.708...}
    """
    columns = by_parameter(y_true, y_score, qid, sample_weight, item_weight)
    n_jobs = check_n_jobs(n_jobs, _NAMES.function)
    batch_rows = _check_batch_rows(batch_rows)
    shard = ShardScore(score_func, params, columns, _NAMES)
    files = _Files(path, batch_rows)
    output: AbstractContextManager[Any] = nullcontext()
    if per_query is not None:
        shard.check_results()
        output = _written(_check_output(per_query, files))
    with files.progress() as report, output as table:
        merged = _Merged(shard, table)
        batches = _counted(files.batches(shard.columns), report)
        tables = batches if qid is None else _whole_tables(batches, qid, files)
        share(merged.score, merged.keep, zip(count(), tables), n_jobs)
        return shard.result_of(merged.stream)


def _check_batch_rows(batch_rows: Any) -> int:
    """Return how many rows to read at once."""
    is_int = isinstance(batch_rows, Integral) and not isinstance(batch_rows, bool)
    if not is_int or int(batch_rows) < 1:
        raise invalid("batch_rows", _NAMES.function, "an int of at least 1", describe(batch_rows))
    return int(batch_rows)


def _check_output(per_query: Any, files: _Files) -> Path:
    """Return the path of the table to be written."""
    expected = f"None or the path of a file that ends in {' or '.join(_SUFFIXES)}"
    if not isinstance(per_query, (str, os.PathLike)):
        raise invalid("per_query", _NAMES.function, expected, describe(per_query))
    path = Path(per_query)
    if path.suffix.lower() not in _SUFFIXES or path.is_dir():
        raise invalid("per_query", _NAMES.function, expected, repr(str(path)))
    if path.exists() and any(map(path.samefile, files.local_paths())):
        expected = "a file that is not among those that are read"
        raise invalid("per_query", _NAMES.function, expected, repr(str(path)))
    if not path.parent.is_dir():
        raise _not_found("per_query", "a file in a directory that is there", path)
    if any(map(path.resolve().is_relative_to, files.folders)):
        expected = "a file outside the directories that are read"
        advice = "The next call would read it, too."
        raise invalid("per_query", _NAMES.function, expected, repr(str(path)), advice)
    return path


class _Merged:
    """The streams of the tables as they are scored, and their values per query in order."""

    def __init__(self, shard: ShardScore, output: _Output | None) -> None:
        self.stream = copy(shard.empty)
        self._shard, self._output = shard, output
        self._waiting: dict[int, dict[str, Any]] = {}
        """Values per query of tables that come after one that is not done yet, by number."""
        self._n_written = 0

    def score(self, item: tuple[int, Any]) -> tuple[int, Any, dict[str, Any]]:
        """Return the number of a table, its stream, and its values per query if they are asked."""
        number, table = item
        if self._output is None:
            return number, self._shard.totals_of(table), {}
        return number, *self._shard.both_of(table)

    def keep(self, scored: tuple[int, Any, dict[str, Any]]) -> None:
        """Merge the stream of a table, and write what is to be written next."""
        number, stream, values = scored
        self.stream.merge(stream)
        if self._output is not None:
            self._waiting[number] = values
            while self._n_written in self._waiting:
                self._output.write(self._waiting.pop(self._n_written))
                self._n_written += 1


class _Files:
    """The rows of Parquet files, or of a dataset of pyarrow, in batches."""

    def __init__(self, path: Any, batch_rows: int) -> None:
        self._batch_rows = min(batch_rows, 2**31 - 1)  # more do not fit in pyarrow's ints
        self._types: dict[Any, tuple[Any, str]] = {}
        """The first type of each column that was read, and the file."""
        self._datasets = import_extra("pyarrow.dataset", _EXTRA, _NAMES.function)
        self.folders: list[Path] = []
        """The directories that are read as a whole."""
        self._file = import_extra("pyarrow.parquet", _EXTRA, _NAMES.function).ParquetFile
        self._arrow = import_extra("pyarrow", _EXTRA, _NAMES.function)
        self.parts = [part for each in self._list(path) for part in self._parts_of(*each)]
        """The files, each with the types of what its directories say; a dataset that has to be
        scanned by pyarrow is a part, too."""
        if not self.parts:
            raise _invalid("at least one file", describe(path))

    def _list(self, path: Any) -> Iterator[tuple[Any, bool]]:
        """Yield datasets of pyarrow, and whether the files of each are to be put in order."""
        if isinstance(path, self._datasets.Dataset):
            yield path, False
        elif isinstance(path, (str, os.PathLike)):
            try:
                found = self._datasets.dataset(path, format="parquet", partitioning="hive")
            except FileNotFoundError as error:
                advice = _NO_PATTERNS if any(map(os.fspath(path).count, "*?[")) else ""
                expected = "the path of a file or a directory that is there"
                raise _not_found(_NAMES.parameter, expected, path, advice) from error
            except (self._arrow.ArrowInvalid, self._arrow.ArrowTypeError) as error:
                raise _not_parquet(os.fspath(path), error) from error
            if os.path.isdir(path):
                self.folders.append(Path(path).resolve())
            yield found, True
        elif _are_several(path):
            for each in path:
                yield from self._list(each)
        else:
            expected = "a path, several of them, or a dataset of pyarrow"
            raise _invalid(expected, describe(path))

    def _parts_of(self, dataset: Any, is_to_be_sorted: bool) -> list[tuple[Any, Any]]:
        """Return the files of a dataset, or itself, with its schema."""
        is_parquet = isinstance(getattr(dataset, "format", None), self._datasets.ParquetFileFormat)
        try:
            files = list(dataset.get_fragments()) if is_parquet else [dataset]
        except ValueError:  # a dataset that was filtered does not let go of its files
            files = [dataset]
        if is_to_be_sorted:
            files.sort(key=lambda file: _in_natural_order(file.path))
        return [(file, dataset.schema) for file in files]

    def local_paths(self) -> Iterator[str]:
        """Yield the paths of files that are on this machine."""
        paths = (getattr(part, "path", "") for part, _ in self.parts)
        return filter(os.path.exists, paths)

    def batches(self, columns: dict[str, Any]) -> Iterator[Any]:
        """Yield tables of some columns, by the parameters that name them."""
        for part, schema in self.parts:
            if isinstance(part, self._datasets.Dataset):
                check_names(columns, schema.names, _NAMES.parameter, _NAMES.function)
                names = list(dict.fromkeys(columns.values()))
                yield from map(as_table, self._scan(part, names))
            else:
                yield from self._read(part, schema, columns)

    def _scan(self, dataset: Any, names: list[str]) -> Iterator[Any]:
        """Yield record batches of a dataset that is more than files of Parquet."""
        batches: Iterator[Any] = dataset.to_batches(
            columns=names, batch_size=self._batch_rows, batch_readahead=2, fragment_readahead=1
        )
        return batches

    def _read(self, fragment: Any, schema: Any, columns: dict[str, Any]) -> Iterator[Any]:
        """Yield tables of a file, with columns of what its directories say."""
        of_path = self._datasets.get_partition_keys(fragment.partition_expression)
        with self._opened(fragment) as file:
            there = file.schema_arrow.names
            more = {name: value for name, value in of_path.items() if name not in there}
            check_names(columns, [*there, *more], _NAMES.parameter, _NAMES.function)
            names = list(dict.fromkeys(columns.values()))
            own = [name for name in names if name in there]
            sizes = {each.id: each.num_rows for each in fragment.row_groups}
            for groups in _together(sizes, self._batch_rows):
                for batch in file.iter_batches(self._batch_rows, row_groups=groups, columns=own):
                    table = as_table(batch)
                    for name in more.keys() & names:
                        value = self._arrow.scalar(more[name], schema.field(name).type)
                        column = self._arrow.repeat(value, len(table))
                        table = table.append_column(name, column)
                    table = table.select(names)
                    self._check_types(table.schema, fragment.path)
                    yield table

    def _check_types(self, schema: Any, path: str) -> None:
        """Raise unless the columns of a file are of the types that they have in the first one."""
        for field in schema:
            first, where = self._types.setdefault(field.name, (field.type, path))
            if field.type != first and not are_joinable(field.type, first):
                expected = f"of files in which the column {field.name!r} has one type"
                got = f"{field.type} in {path!r} and {first} in {where!r}"
                raise _invalid(expected, got, "Cast it when the files are written.")

    @contextmanager
    def _opened(self, fragment: Any) -> Iterator[Any]:
        """Open a file."""
        with fragment.open() as source:
            try:
                file = self._file(source, buffer_size=_BUFFER, pre_buffer=False)
            except self._arrow.ArrowInvalid as error:
                raise _not_parquet(fragment.path, error) from error
            with file:
                yield file

    @contextmanager
    def progress(self) -> Iterator[Callable[[int], Any] | None]:
        """Return what to call with numbers of rows to show them on a terminal; None: nothing."""
        tqdm = _tqdm() if sys.stderr is not None and sys.stderr.isatty() else None
        if tqdm is None:
            yield None
            return
        are_files = not any(isinstance(part, self._datasets.Dataset) for part, _ in self.parts)
        total = sum(part.count_rows() for part, _ in self.parts) if are_files else None
        with tqdm(total=total, unit=" rows", unit_scale=True, delay=1) as bar:
            yield bar.update


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


def _tqdm() -> Any:
    """Return what draws a bar, if it is installed."""
    try:
        return import_module("tqdm").tqdm
    except ImportError:
        return None


def _counted(tables: Iterator[Any], report: Callable[[int], Any] | None) -> Iterator[Any]:
    """Yield tables, and report how many rows each has had when the next one is asked for."""
    for table in tables:
        yield table
        if report is not None:
            report(len(table))


def _whole_tables(tables: Iterator[Any], qid: Any, files: _Files) -> Iterator[Any]:
    """Yield tables of whole queries, of which none comes back."""
    n_rows = 0

    def column_of(table: Any) -> Column:
        [column] = read_columns(table, {"qid": qid}, *reversed(_NAMES)).values()
        return column

    def batches() -> Iterator[Batch]:
        nonlocal n_rows
        for table in tables:
            yield Batch(table, column_of(table))
            n_rows += len(table)

    def recall() -> Iterator[list[Any]]:
        """Yield the ids of all tables before this one, which are read again."""
        n_left, again = n_rows, files.batches({"qid": qid})
        while n_left:
            before = next(again).slice(0, n_left)
            yield ids_in_rows(column_of(before))
            n_left -= len(before)

    seen = SeenIds("", recall)
    for pieces in whole_pieces(batches(), seen.check):
        yield join_tables(pieces, _NAMES.parameter, _NAMES.function)


@contextmanager
def _written(path: Path) -> Iterator[_Output]:
    """Let a table of values per query be written, which is there when it is whole."""
    with whole_file(path) as file:
        output = _Output(path, file)
        try:
            yield output
        except BaseException:
            with suppress(Exception):  # this error is the one that says what failed
                output.close()
            raise
        output.close()


class _Output:
    """A table of values per query, written to a file."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path, self._file = path, file
        self._arrow = import_extra("pyarrow", _EXTRA, _NAMES.function)
        self._is_csv = path.suffix.lower() == ".csv"
        self._writer: Any = None
        self._schema: Any = None

    def write(self, columns: dict[str, Any]) -> None:
        """Write the values of some queries."""
        table = self._arrow.table({name: decoded(each) for name, each in columns.items()})
        if self._writer is None:
            self._schema = table.schema
            self._writer = self._open(table.schema)
        try:
            table = table.cast(self._schema)
        except self._arrow.ArrowInvalid as error:
            expected = f"of files in which the column {table.schema.names[0]!r} has one type"
            got = f"{table.schema.types[0]} after {self._schema.types[0]}"
            advice = f"Cast it when the files are written; pyarrow says: {error}."
            raise _invalid(expected, got, advice) from error
        self._writer.write_table(table)

    def _open(self, schema: Any) -> Any:
        """Return what writes tables to the file."""
        if self._is_csv:
            if "binary" in str(schema.types[0]):
                expected = "a path that ends in .parquet where the ids are bytes"
                raise invalid("per_query", _NAMES.function, expected, repr(str(self._path)))
            csv = import_extra("pyarrow.csv", _EXTRA, _NAMES.function)
            return csv.CSVWriter(self._file, schema)
        parquet = import_extra("pyarrow.parquet", _EXTRA, _NAMES.function)
        return parquet.ParquetWriter(self._file, schema)

    def close(self) -> None:
        """Write the end of the table."""
        if self._writer is not None:
            self._writer.close()


def _are_several(path: Any) -> bool:
    """Return whether something may be several paths, as open files and tables are not."""
    is_other = isinstance(path, bytes) or hasattr(path, "read") or hasattr(path, "columns")
    return isinstance(path, Iterable) and not is_other


def _in_natural_order(path: str) -> list[Any]:
    """Return what sorts paths with "part-9" before "part-10"."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)]


def _invalid(expected: str, got: str, advice: str = "") -> Exception:
    return invalid(_NAMES.parameter, _NAMES.function, expected, got, advice)


def _not_found(parameter: str, expected: str, path: Any, advice: str = "") -> FileNotFoundError:
    """Return the error about a file or a directory that is not there."""
    error = invalid(parameter, _NAMES.function, expected, repr(os.fspath(path)), advice)
    return FileNotFoundError(str(error))


_NO_PATTERNS = "Patterns are not expanded: pass `sorted(glob.glob(...))`."


def _not_parquet(path: str, error: Exception) -> Exception:
    """Return the error about a file of another kind."""
    advice = f"pyarrow says: {str(error).rstrip('.')}."
    return _invalid("of Parquet files that pyarrow reads", repr(path), advice)
