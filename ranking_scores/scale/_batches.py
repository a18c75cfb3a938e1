"""Files and other batches of rows, scored in this process, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ranking_scores._base._errors import (
    ErrorNames,
    Place,
    import_extra,
    invalid,
    show_id,
    with_parts,
)
from ranking_scores._base._ids import decoded
from ranking_scores._base._threads import share
from ranking_scores._base._utf8 import TEXT_IN_UTF8, not_encodable
from ranking_scores._base._validation import describe
from ranking_scores._files._parquet import EXTRA, is_path, not_found
from ranking_scores._files._saved_files import atomic_write
from ranking_scores._tables._columns import Column
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport
from ranking_scores.scale._partitioned import SortingSpace, partitioned
from ranking_scores.scale._shards import (
    Items,
    PartSums,
    ShardScore,
    ShardTables,
    TablesSeen,
)
from ranking_scores.scale._sources import (
    Source,
    arrow_tables,
    source_of,
)

_SUFFIXES = (".parquet", ".csv")
_MOST_ITEMS_COMPARED = 2**19
"""If none of so many items was both judged and predicted, the ids are taken to be different."""


Shards = Mapping[Any, ShardScore]
"""The scores of one or more models by their names. They differ in the column of scores alone."""


class ReadingOptions(NamedTuple):
    """How files and batches are read."""

    batch_rows: Any = None
    n_jobs: int | None = None
    space: SortingSpace | None = None
    """What rows in any order may take; None: the rows of each query are together."""


def report_batches(data: Any, shards: Shards, reading: ReadingOptions) -> dict[Any, RankingReport]:
    """Return the reports of files or other batches, one for each column of scores."""
    sums = _score(source_of(data, _names_of(shards), reading.batch_rows), shards, reading, {})
    return {name: shard.report_of(sums[name]) for name, shard in shards.items()}


def score_queries_of_batches(
    data: Any, shards: Shards, *, paths: Mapping[Any, Any], reading: ReadingOptions
) -> dict[Any, Any]:
    """Return the values of each query as pyarrow tables, one for each column of scores.

    If there are paths, write them there, and return the reports.
    """
    source = source_of(data, _names_of(shards), reading.batch_rows)
    for shard in shards.values():
        shard.check_results()
    if not paths:
        kept = {name: _OutputTable(None, None, shard.names) for name, shard in shards.items()}
        sums = _score(source, shards, reading, kept)
        for name, shard in shards.items():
            shard.check_rows(sums[name])
        return {name: output.joined() for name, output in kept.items()}
    function = _names_of(shards).function
    targets = {name: _check_output(path, source, function) for name, path in paths.items()}
    if len({target.resolve() for target in targets.values()}) < len(targets):
        raise invalid("path", function, "a file of its own for each model", describe(dict(paths)))
    with ExitStack() as stack:
        outputs = {
            name: stack.enter_context(_written(targets[name], shard.names))
            for name, shard in shards.items()
        }
        sums = _score(source, shards, reading, outputs)
        reports = {name: shard.report_of(sums[name]) for name, shard in shards.items()}
    for name, shard in shards.items():
        if not {"sample_weight", "item_weight"} & shard.columns.keys():  # which the file lacks
            vars(reports[name])["_values_path"] = targets[name].resolve()
    return reports


def _names_of(shards: Shards) -> ErrorNames:
    """Return the names of the function and of its parameter."""
    return next(iter(shards.values())).names


def _columns_of(shards: Shards) -> dict[str, Any]:
    """Return the columns that are read, by the parameters that name them, first the ids."""
    columns = dict(next(iter(shards.values())).columns)
    if len(shards) > 1:
        del columns["y_score"]
        for name, shard in shards.items():
            columns[f"y_score[{name!r}]"] = shard.columns["y_score"]
    return {"qid": columns["qid"]} | columns if "qid" in columns else columns


def report_tables_of_batches(
    judgments: Any, predictions: Any, shard: ShardTables, reading: ReadingOptions
) -> RankingReport:
    """Return the report of judgments and predictions, partitioned by query and joined."""
    assert reading.space is not None
    function = shard.score.names.function
    tables, ids = [], []
    with ExitStack() as stack:
        for (parameter, data), columns in zip(
            {"judgments": judgments, "predictions": predictions}.items(), shard.names, strict=True
        ):
            names = ErrorNames(function, parameter)
            source = source_of(data, names, reading.batch_rows)
            stack.enter_context(_errors_located(source, columns["query"], parameter))
            progress = stack.enter_context(source.progress())
            tables.append(arrow_tables(source, columns, progress, names))
            ids.append(Column(None, columns["query"], parameter, function))
        first = [next(of_source) for of_source in tables]
        shard.check_kinds(*map(_by_name, first, shard.names))
        again = [chain([one], rest) for one, rest in zip(first, tables, strict=True)]
        merged = _MergedTables(shard)
        parts = stack.enter_context(partitioned(again, ids, reading.space, reading.n_jobs))
        named = (list(map(_by_name, part, shard.names)) for part in parts)
        share(merged.score, merged.keep, named, reading.n_jobs)
    return merged.report()


def _score(
    source: Source, shards: Shards, reading: ReadingOptions, outputs: Mapping[Any, _OutputTable]
) -> dict[Any, PartSums]:
    """Return the sums over all batches, and write the values of their queries."""
    names, columns = _names_of(shards), _columns_of(shards)
    merged = _MergedScores(shards, outputs)
    with _errors_located(source, columns.get("qid")), source.progress() as progress:
        if reading.space is None:
            tables = source.whole_tables(columns, progress)
            share(merged.score, merged.keep, zip(count(), tables), reading.n_jobs)
        else:
            rows = arrow_tables(source, columns, progress, names)
            function, parameter = names
            ids = Column(None, columns["qid"], parameter, function)
            with partitioned([rows], [ids], reading.space, reading.n_jobs) as parts:
                named = (_by_name(table, columns) for [table] in parts)
                share(merged.score, merged.keep, zip(count(), named), reading.n_jobs)
    return merged.sums


@contextmanager
def _errors_located(source: Source, ids: Any, parameter: str | None = None) -> Iterator[None]:
    """Name in errors about rows the files that have them. None: in errors about any parameter."""
    try:
        yield
    except InvalidParameterError as error:
        if parameter not in (None, error.parameter):
            raise
        if error.expected == TEXT_IN_UTF8 and error.place.path is None:
            error = with_parts(error, place=error.place._replace(is_part=True))
        raise source.located(error, ids) from error.__cause__


def _by_name(table: Any, columns: dict[str, Any]) -> dict[Any, Any]:
    """Return the columns of a table, which are in the order of their parameters, by name."""
    return dict(zip(columns.values(), table.columns, strict=True))


def _check_output(path: Any, source: Source, function: str) -> Path:
    """Return the path of the table to be written."""
    names = ErrorNames(function, "path")
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


class _MergedScores:
    """The sums of the tables as they are scored, and their values per query in order."""

    def __init__(self, shards: Shards, outputs: Mapping[Any, _OutputTable]) -> None:
        self.sums = {name: shard.nothing for name, shard in shards.items()}
        self._shards, self._outputs = shards, outputs
        self._waiting: dict[int, dict[Any, dict[str, Any]]] = {}
        """Values per query of tables that come after one that is not done yet, by number."""
        self._n_written = 0

    def score(
        self, item: tuple[int, Any]
    ) -> tuple[int, dict[Any, PartSums], dict[Any, dict[str, Any]]]:
        """Return the number of a table, its sums, and its values per query if they are asked."""
        number, table = item
        if not self._outputs:
            return number, {name: each.sums_of(table) for name, each in self._shards.items()}, {}
        sums, values = {}, {}
        for name, shard in self._shards.items():
            sums[name], values[name] = shard.both_of(table)
        return number, sums, values

    def keep(self, scored: tuple[int, dict[Any, PartSums], dict[Any, dict[str, Any]]]) -> None:
        """Add the sums of a table, and write what is to be written next."""
        number, sums, values = scored
        for name, each in sums.items():
            self.sums[name] += each
        self._waiting[number] = values
        while self._n_written in self._waiting:
            for name, of_model in self._waiting.pop(self._n_written).items():
                self._outputs[name].write(of_model)
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
        are_enough = len(self._judged) + len(self._predicted) > _MOST_ITEMS_COMPARED
        if seen.has_found or self._seen.has_found or not seen.n_rows or are_enough:
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
def _written(path: Path, names: ErrorNames) -> Iterator[_OutputTable]:
    """Let a table of values per query be written, which is there when it is whole."""
    with atomic_write(path) as file:
        output = _OutputTable(path, file, names)
        try:
            yield output
        except BaseException:
            with suppress(Exception):  # this error is the one that says what failed
                output.close()
            raise
        output.close()


class _OutputTable:
    """A table of values per query, written to a file. None: it is kept."""

    def __init__(self, path: Path | None, file: BinaryIO | None, names: ErrorNames) -> None:
        self._path, self._file, self._names = path, file, names
        self._arrow = import_extra("pyarrow", EXTRA, names.function)
        self._kept: list[Any] = []
        self._writer: Any = None
        self._schema: Any = None

    def write(self, columns: dict[str, Any]) -> None:
        """Write the values of some queries."""
        try:
            table = self._arrow.table({name: decoded(each) for name, each in columns.items()})
        except UnicodeEncodeError as error:
            place = Place(column=next(iter(columns)))
            raise not_encodable(error, partial(self._names.invalid, place=place)) from error
        if self._schema is None:
            self._schema = table.schema
            self._writer = None if self._path is None else self._open(self._path, table.schema)
        try:
            table = table.cast(self._schema)
        except self._arrow.ArrowInvalid as error:
            expected = f"such that the column {show_id(table.schema.names[0])} has one type"
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
