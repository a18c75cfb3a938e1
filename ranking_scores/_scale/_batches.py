"""Files and other batches of rows, scored in this process, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import chain, count, islice
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
from ranking_scores._scale._files import EXTRA, Files, Progress, are_several, is_path, not_found
from ranking_scores._scale._shards import Names, PartSums, ShardScore
from ranking_scores._tables import SeenIds, is_frame, is_table, join, read_batches, whole_pieces
from ranking_scores.report import RankingReport

_SUFFIXES = (".parquet", ".csv")


def report_batches(data: Any, shard: ShardScore, *, batch_rows: Any, n_jobs: Any) -> RankingReport:
    """Return the report of files or other batches."""
    source = _source_of(data, shard.names, batch_rows)
    return shard.report_of(_score(source, shard, n_jobs, None))


def score_queries_of_batches(
    data: Any, shard: ShardScore, *, path: Any, batch_rows: Any, n_jobs: Any
) -> Any:
    """Return the values of each query as a pyarrow table.

    If there is a path, write them there, and return the report.
    """
    source = _source_of(data, shard.names, batch_rows)
    shard.check_results()
    if path is None:
        output = _Output(None, None, shard.names)
        shard.check_rows(_score(source, shard, n_jobs, output))
        return output.joined()
    target = _check_output(path, source, shard.names.function)
    with _written(target, shard.names) as output:
        report = shard.report_of(_score(source, shard, n_jobs, output))
    if not {"sample_weight", "item_weight"} & shard.columns.keys():  # which the file lacks
        vars(report)["_values_path"] = target.resolve()
    return report


def _score(
    source: Files | _Batches, shard: ShardScore, n_jobs: Any, output: _Output | None
) -> PartSums:
    """Return the sums over all batches, and write the values of their queries."""
    n_jobs = check_n_jobs(n_jobs, shard.names.function)
    with source.progress() as progress:
        merged = _Merged(shard, output)
        tables = source.whole_tables(shard.columns, progress)
        share(merged.score, merged.keep, zip(count(), tables), n_jobs)
        return merged.sums


def _source_of(data: Any, names: Names, batch_rows: Any) -> Files | _Batches:
    """Return what reads the data: files, or tables that a caller reads."""
    if is_path(data) or _is_dataset(data):
        return Files(data, batch_rows, names)
    expected = (
        "the path of Parquet files, several of them, a pyarrow dataset, a Dask or Spark "
        "DataFrame, or an iterable of tables"
    )
    if not are_several(data):
        is_one = is_frame(data) or isinstance(data, dict)
        advice = "Pass a table in memory as the only one of a list." * is_one
        raise names.invalid(expected, describe(data), advice)
    rest = iter(data)
    first = list(islice(rest, 1))
    if not first:
        raise names.invalid("at least one file or table", describe(data))
    items = chain(first, rest)
    [one] = first
    if is_path(one) or _is_dataset(one) or (are_several(one) and not is_table(one)):
        return Files(items, batch_rows, names)
    if batch_rows is not None:
        expected = "left out if data is an iterable of tables, which are read as they come"
        raise invalid("batch_rows", names.function, expected, describe(batch_rows))
    return _Batches(items, names)


def _is_dataset(data: Any) -> bool:
    """Return whether something is a dataset of pyarrow, without importing it."""
    return any(each.__module__ == "pyarrow._dataset" for each in type(data).__mro__)


class _Batches:
    """Tables that a caller reads."""

    folders: tuple[Path, ...] = ()
    """The directories that are read as a whole."""

    def __init__(self, tables: Iterator[Any], names: Names) -> None:
        self._tables, self._names = tables, names

    def local_paths(self) -> Iterator[str]:
        """Yield the paths of files that are on this machine, of which none is known."""
        return iter(())

    def progress(self) -> AbstractContextManager[Progress]:
        """Return what shows the progress: nothing."""
        return nullcontext()

    def whole_tables(self, columns: dict[str, Any], _: Progress) -> Iterator[Any]:
        """Yield tables with whole queries of which none comes back."""
        if "qid" not in columns:
            return self._tables
        names = self._names.parameter, self._names.function
        batches = read_batches(self._tables, columns["qid"], *names)
        seen = SeenIds(_ASCENDED, None)
        pieces = whole_pieces(batches, seen.check)
        return (join(each, columns["qid"], *names) for each in pieces)


_ASCENDED = (
    "If a data loader shuffles them, pass shuffle=False to it. Or update a `StreamingScore` with "
    "the batches, which keeps all ids."
)


def _check_output(path: Any, source: Files | _Batches, function: str) -> Path:
    """Return the path of the table to be written."""
    names = Names(function, "path")
    expected = f"None or the path of a file that ends in {' or '.join(_SUFFIXES)}"
    if not is_path(path):
        raise names.invalid(expected, describe(path))
    output, shown = Path(path), repr(str(path))
    if output.suffix.lower() not in _SUFFIXES or output.is_dir():
        raise names.invalid(expected, shown)
    if output.exists() and any(map(output.samefile, source.local_paths())):
        raise names.invalid("a file that is not among those that are read", shown)
    if not output.parent.is_dir():
        raise not_found(names, "a file in a directory that is there", path)
    if any(map(output.resolve().is_relative_to, source.folders)):
        expected = "a file outside the directories that are read"
        raise names.invalid(expected, shown, "The next call would read it, too.")
    return output


class _Merged:
    """The sums of the tables as they are scored, and their values per query in order."""

    def __init__(self, shard: ShardScore, output: _Output | None) -> None:
        self.sums = shard.nothing
        self._shard, self._output = shard, output
        self._waiting: dict[int, dict[str, Any]] = {}
        """Values per query of tables that come after one that is not done yet, by number."""
        self._n_written = 0

    def score(self, item: tuple[int, Any]) -> tuple[int, PartSums, dict[str, Any]]:
        """Return the number of a table, its sums, and its values per query if they are asked."""
        number, table = item
        if self._output is None:
            return number, self._shard.sums_of(table), {}
        return number, *self._shard.both_of(table)

    def keep(self, scored: tuple[int, PartSums, dict[str, Any]]) -> None:
        """Add the sums of a table, and write what is to be written next."""
        number, sums, values = scored
        self.sums += sums
        if self._output is not None:
            self._waiting[number] = values
            while self._n_written in self._waiting:
                self._output.write(self._waiting.pop(self._n_written))
                self._n_written += 1


@contextmanager
def _written(path: Path, names: Names) -> Iterator[_Output]:
    """Let a table of values per query be written, which is there when it is whole."""
    with whole_file(path) as file:
        output = _Output(path, file, names)
        try:
            yield output
        except BaseException:
            with suppress(Exception):  # this error is the one that says what failed
                output.close()
            raise
        output.close()


class _Output:
    """A table of values per query, written to a file. None: it is kept."""

    def __init__(self, path: Path | None, file: BinaryIO | None, names: Names) -> None:
        self._path, self._file, self._names = path, file, names
        self._arrow = import_extra("pyarrow", EXTRA, names.function)
        self._kept: list[Any] = []
        self._writer: Any = None
        self._schema: Any = None

    def write(self, columns: dict[str, Any]) -> None:
        """Write the values of some queries."""
        table = self._arrow.table({name: decoded(each) for name, each in columns.items()})
        if self._schema is None:
            self._schema = table.schema
            self._writer = None if self._path is None else self._open(self._path, table.schema)
        try:
            table = table.cast(self._schema)
        except self._arrow.ArrowInvalid as error:
            expected = f"such that the column {table.schema.names[0]!r} has one type"
            got = f"{table.schema.types[0]} after {self._schema.types[0]}"
            advice = f"Cast it first; pyarrow says: {error}."
            raise self._names.invalid(expected, got, advice) from error
        if self._writer is None:
            self._kept.append(table)
        else:
            self._writer.write_table(table)

    def joined(self) -> Any:
        """Return the table that was kept."""
        return self._arrow.concat_tables(self._kept)

    def _open(self, path: Path, schema: Any) -> Any:
        """Return what writes tables to the file."""
        if path.suffix.lower() == ".csv":
            if "binary" in str(schema.types[0]):
                expected = "a path that ends in .parquet where the ids are bytes"
                raise invalid("path", self._names.function, expected, repr(str(path)))
            csv = import_extra("pyarrow.csv", EXTRA, self._names.function)
            return csv.CSVWriter(self._file, schema)
        parquet = import_extra("pyarrow.parquet", EXTRA, self._names.function)
        return parquet.ParquetWriter(self._file, schema)

    def close(self) -> None:
        """Write the end of the table."""
        if self._writer is not None:
            self._writer.close()
