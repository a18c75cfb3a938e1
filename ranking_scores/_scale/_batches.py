"""Files and other batches of rows, scored in this process, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ranking_scores._base import decoded, describe, import_extra, invalid, share, whole_file
from ranking_scores._scale._dealt import Space, dealt
from ranking_scores._scale._files import EXTRA, Files, is_path, not_found
from ranking_scores._scale._shard_tables import Items, ShardTables, TablesSeen
from ranking_scores._scale._shards import Names, PartSums, ShardScore
from ranking_scores._scale._sources import Batches, arrow_tables, source_of
from ranking_scores._tables import Column
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport

_SUFFIXES = (".parquet", ".csv")


class Reading(NamedTuple):
    """How files and batches are read."""

    batch_rows: Any = None
    n_jobs: int | None = None
    space: Space | None = None
    """What rows in any order may take; None: the rows of each query are together."""


def report_batches(data: Any, shard: ShardScore, reading: Reading) -> RankingReport:
    """Return the report of files or other batches."""
    source = source_of(data, shard.names, reading.batch_rows)
    return shard.report_of(_score(source, shard, reading, None))


def score_queries_of_batches(data: Any, shard: ShardScore, *, path: Any, reading: Reading) -> Any:
    """Return the values of each query as a pyarrow table.

    If there is a path, write them there, and return the report.
    """
    source = source_of(data, shard.names, reading.batch_rows)
    shard.check_results()
    if path is None:
        output = _Output(None, None, shard.names)
        shard.check_rows(_score(source, shard, reading, output))
        return output.joined()
    target = _check_output(path, source, shard.names.function)
    with _written(target, shard.names) as output:
        report = shard.report_of(_score(source, shard, reading, output))
    if not {"sample_weight", "item_weight"} & shard.columns.keys():  # which the file lacks
        vars(report)["_values_path"] = target.resolve()
    return report


def report_tables_of_batches(
    judgments: Any, predictions: Any, shard: ShardTables, reading: Reading
) -> RankingReport:
    """Return the report of judgments and predictions, which are dealt by query and joined."""
    assert reading.space is not None
    function = shard.score.names.function
    sources, tables, ids = [], [], []
    with ExitStack() as stack:
        for (parameter, data), columns in zip(
            {"judgments": judgments, "predictions": predictions}.items(), shard.names, strict=True
        ):
            names = Names(function, parameter)
            given = {keyword: name for keyword, name in columns.items() if name is not None}
            source = source_of(data, names, reading.batch_rows)
            stack.enter_context(_errors_located(source, given["query"], parameter))
            progress = stack.enter_context(source.progress())
            sources.append(given)
            tables.append(arrow_tables(source, given, progress, names))
            ids.append(Column(None, given["query"], parameter, function))
        first = [next(of_source) for of_source in tables]
        shard.check_kinds(*(_by_name(*each) for each in zip(first, sources, strict=True)))
        again = [chain([one], rest) for one, rest in zip(first, tables, strict=True)]
        merged = _MergedTables(shard)
        parts = stack.enter_context(dealt(again, ids, reading.space, reading.n_jobs))
        named = ([_by_name(*each) for each in zip(part, sources, strict=True)] for part in parts)
        share(merged.score, merged.keep, named, reading.n_jobs)
    return merged.report()


def _score(
    source: Files | Batches, shard: ShardScore, reading: Reading, output: _Output | None
) -> PartSums:
    """Return the sums over all batches, and write the values of their queries."""
    with _whole_tables(source, shard, reading) as tables:
        merged = _Merged(shard, output)
        share(merged.score, merged.keep, zip(count(), tables), reading.n_jobs)
        return merged.sums


@contextmanager
def _whole_tables(
    source: Files | Batches, shard: ShardScore, reading: Reading
) -> Iterator[Iterator[Any]]:
    """Return tables with whole queries of which none comes back."""
    with _errors_located(source, shard.columns.get("qid")), source.progress() as progress:
        if reading.space is None:
            yield source.whole_tables(shard.columns, progress)
            return
        columns = {"qid": shard.columns["qid"]} | shard.columns
        tables = arrow_tables(source, columns, progress, shard.names)
        ids = Column(None, columns["qid"], *reversed(shard.names))
        with dealt([tables], [ids], reading.space, reading.n_jobs) as parts:
            yield (_by_name(table, columns) for [table] in parts)


@contextmanager
def _errors_located(
    source: Files | Batches, ids: Any, parameter: str | None = None
) -> Iterator[None]:
    """Name in errors about rows the files that have them. None: in errors about any parameter."""
    try:
        yield
    except InvalidParameterError as error:
        if parameter not in (None, error.parameter):
            raise
        raise source.located(error, ids) from error.__cause__


def _by_name(table: Any, columns: dict[str, Any]) -> dict[Any, Any]:
    """Return the columns of a table, which are in the order of their parameters, by name."""
    return dict(zip(columns.values(), table.columns, strict=True))


def _check_output(path: Any, source: Files | Batches, function: str) -> Path:
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


class _MergedTables:
    """The sums of parts of two tables as they are scored."""

    def __init__(self, shard: ShardTables) -> None:
        self._shard = shard
        self._sums, self._seen = shard.score.nothing, TablesSeen()
        self._judged: frozenset[Any] = frozenset()
        self._predicted: frozenset[Any] = frozenset()
        """The items, as long as no item was both judged and predicted."""

    def score(self, part: Sequence[Any]) -> tuple[PartSums, TablesSeen, Items]:
        """Return the sums of a part, what is there, and its items if that has to be known."""
        judged, predicted = part
        sums, seen = self._shard.sums_of(judged, predicted)
        if seen.has_found or self._seen.has_found or not seen.n_rows:
            return sums, seen, (frozenset(), frozenset())
        return sums, seen, self._shard.items_of(judged, predicted)

    def keep(self, scored: tuple[PartSums, TablesSeen, Items]) -> None:
        """Add the sums of a part."""
        sums, seen, (judged, predicted) = scored
        self._sums += sums
        self._seen += seen
        self._judged, self._predicted = self._judged | judged, self._predicted | predicted
        if self._seen.has_found:
            self._judged = self._predicted = frozenset()

    def report(self) -> RankingReport:
        """Return the report of all parts."""
        self._shard.check(self._seen)
        has_found = self._seen.has_found or not self._judged.isdisjoint(self._predicted)
        return self._shard.report_of(self._sums, self._seen, has_found)


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
