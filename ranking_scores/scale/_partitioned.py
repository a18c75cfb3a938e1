"""Rows in any order: they are partitioned by query into temporary files, read one by one.

All rows of a query go to the same file, in their order. A file that is larger than the memory
allows is partitioned once more. A few rows are not written at all. The files have no names that
anybody could find, so nothing of them is left, however a call ends.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import tempfile
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import partial
from importlib import import_module
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._threads import n_threads_of, share
from ranking_scores._base._validation import describe, is_whole
from ranking_scores._tables._columns import Column, check_no_null
from ranking_scores._tables._whole_queries import as_table, join_tables

MEMORY = "500 MB"
"""What rows in any order may take, unless the caller says otherwise."""
_TIMES = 6
"""So many times the size of a part is what scoring it takes, with the part itself."""
_MOST_PARTS = 128
"""The number of files, of which each gets many rows of a table."""
_DEEPEST = 8
"""So many times a part may be partitioned again."""
_FEW_ROWS = 2**19
"""So many rows are sorted as fast as they are partitioned."""
_ROWS_AT_ONCE = 2**18
"""So many rows are partitioned at once, if the tables that come are smaller."""


class SortingSpace(NamedTuple):
    """What the rows in any order may take."""

    n_bytes: int
    """The memory for all threads together."""
    directory: str | None
    """Where the temporary files are; None: where `tempfile` puts them."""


def check_space(memory: Any, directory: Any, function: str) -> SortingSpace:
    """Return how much memory rows may take, and where temporary files go."""
    n_bytes = 0
    if is_whole(memory):
        n_bytes = int(memory)
    elif isinstance(memory, str):
        found = _SIZE.fullmatch(memory.strip())
        if found is not None:
            n_bytes = int(float(found["number"]) * _UNITS[found["unit"].lower()])
    if n_bytes < 1:
        expected = "a number of bytes, or text such as '500 MB' or '2 GiB'"
        raise invalid("memory", function, expected, describe(memory))
    if directory is not None and not isinstance(directory, (str, os.PathLike)):
        raise invalid("directory", function, "None or the path of a folder", describe(directory))
    if directory is not None and not os.path.isdir(directory):
        shown = repr(os.fspath(directory))
        raise FileNotFoundError(
            str(invalid("directory", function, "the path of a folder that is there", shown))
        )
    return SortingSpace(n_bytes, None if directory is None else os.fspath(directory))


_UNITS = {
    "b": 1,
    **{f"{unit}b": 1000**power for power, unit in enumerate("kmgt", start=1)},
    **{f"{unit}ib": 1024**power for power, unit in enumerate("kmgt", start=1)},
}
_SIZE = re.compile(rf"(?P<number>\d+(\.\d*)?|\.\d+)\s*(?P<unit>{'|'.join(_UNITS)})", re.IGNORECASE)


def partitioned(
    sources: Sequence[Iterator[Any]], ids: Sequence[Column], space: SortingSpace, n_jobs: Any
) -> AbstractContextManager[Iterator[list[Any]]]:
    """Partition the rows of some sources, and return parts that have whole queries.

    A source yields tables of pyarrow with the ids of the queries in the first column, at least one
    of them. A part has a table of each source. The rows of a query stay in their order. `ids` are
    the columns of ids as the caller wrote them, for errors.
    """
    return closing(_Partitioner(ids, space, n_jobs).parts(sources))


class _Partitioner:
    """Partitions rows into files."""

    def __init__(self, ids: Sequence[Column], space: SortingSpace, n_jobs: Any) -> None:
        self._ids, self._space, self._n_jobs = ids, space, n_jobs
        self._most = max(space.n_bytes // (_TIMES * (n_threads_of(n_jobs) + 1)), 1)
        """The bytes of a part. Each thread has one, and another one may have been read."""

    def parts(
        self, sources: Sequence[Iterator[Any]], n_parts: int = _MOST_PARTS, level: int = 0
    ) -> Generator[list[Any]]:
        """Yield all rows, in parts of whole queries."""
        n_parts = min(n_parts, _most_files() // len(sources))
        read, are_all = self._read_a_few(sources)
        if are_all:
            if any(len(table) for tables in read for table in tables):
                yield [self._joined([*tables], number) for number, tables in enumerate(read)]
            return
        with ExitStack() as stack:
            files: list[list[_TemporaryRows]] = []
            for number, (tables, rest) in enumerate(zip(read, sources, strict=True)):
                of_source = [
                    _TemporaryRows(self._space, self._ids[0].function) for _ in range(n_parts)
                ]
                for rows in of_source:
                    stack.callback(rows.close)
                self._partition(chain(_emptied(tables), rest), of_source, number, level)
                files.append(of_source)
            n_bytes = sum(rows.n_bytes for of_source in files for rows in of_source)
            for part in zip(*files, strict=True):
                of_part = sum(rows.n_bytes for rows in part)
                if self._most < of_part < n_bytes and level < _DEEPEST:
                    n_again = min(2 * of_part // self._most + 1, _MOST_PARTS)
                    yield from self.parts([rows.tables() for rows in part], n_again, level + 1)
                elif of_part:
                    yield [self._joined([*rows.tables()], n) for n, rows in enumerate(part)]
                for rows in part:
                    rows.close()

    def _read_a_few(self, sources: Sequence[Iterator[Any]]) -> tuple[list[deque[Any]], bool]:
        """Return tables of each source while there are few rows, and whether these are all."""
        read: list[deque[Any]] = [deque() for _ in sources]
        n_rows = n_bytes = 0
        for source, tables in zip(sources, read, strict=True):
            for table in source:
                tables.append(table)
                n_rows += len(table)
                n_bytes += table.nbytes
                if n_rows > _FEW_ROWS or n_bytes > self._most:
                    return read, False
        return read, True

    def _partition(
        self, tables: Iterator[Any], files: list[_TemporaryRows], number: int, level: int
    ) -> None:
        """Write the rows of a source to files, in their order."""
        waiting: dict[int, list[Any]] = {}
        next_one = 0

        def write(cut: tuple[int, list[Any]]) -> None:
            nonlocal next_one
            place, pieces = cut
            waiting[place] = pieces
            while next_one in waiting:
                for rows, piece in zip(files, waiting.pop(next_one), strict=True):
                    rows.write(piece)
                next_one += 1

        cut = partial(self._cut, len(files), number, level)
        share(cut, write, enumerate(self._in_large_ones(tables, number)), self._n_jobs)

    def _in_large_ones(self, tables: Iterator[Any], number: int) -> Iterator[Any]:
        """Yield the same rows in tables that are large enough to be partitioned at once."""
        small: list[Any] = []
        n_rows = 0
        for table in tables:
            small.append(table)
            n_rows += len(table)
            if n_rows >= _ROWS_AT_ONCE:
                yield self._joined(small, number)
                small, n_rows = [], 0
        if small:
            yield self._joined(small, number)

    def _cut(
        self, n_parts: int, number: int, level: int, item: tuple[int, Any]
    ) -> tuple[int, list[Any]]:
        """Return the rows of a table for each file, after the number of the table."""
        place, table = item
        ids = table.column(0)
        check_no_null(self._ids[number]._replace(values=ids))
        part = parts_of(keys_of_column(ids), n_parts, level)
        order = np.argsort(part, kind="stable")  # in linear time, of such short ints
        stop = np.cumsum(np.bincount(part, minlength=n_parts)).tolist()
        sorted_table = table.combine_chunks().take(order)
        return place, [sorted_table.slice(a, b - a) for a, b in pairwise([0, *stop])]

    def _joined(self, tables: list[Any], number: int) -> Any:
        """Return tables of a source as one."""
        column = self._ids[number]
        return join_tables(tables, column.table, column.function)


def _most_files() -> int:
    """Return how many files may be open at a time, at each of a few levels."""
    if sys.platform == "win32":  # whose limit is far above what is needed
        return 2 * _MOST_PARTS
    resource = import_module("resource")
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = allowed == resource.RLIM_INFINITY
    return 2 * _MOST_PARTS if unlimited else max(allowed // 4, 4)


def _emptied(tables: deque[Any]) -> Iterator[Any]:
    """Yield tables, of which none is kept."""
    while tables:
        yield tables.popleft()


class _TemporaryRows:
    """Rows in a temporary file without a name."""

    def __init__(self, space: SortingSpace, function: str) -> None:
        self.n_bytes = 0
        """The bytes of the rows in memory."""
        self._space, self._function = space, function
        self._stream = import_module("pyarrow.ipc")
        self._file: Any = None
        self._writer: Any = None
        self._schema: Any = None
        self._first: Any = None
        """No row of the first table, which says what the columns are."""

    def write(self, table: Any) -> None:
        """Add rows, whose columns may be of other types than those of the rows before."""
        if self._first is None:
            self._first = table.slice(0, 0)
        if not len(table):
            return
        with self._errors_named():
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._space.directory)  # noqa: SIM115
            if self._writer is not None and self._schema != table.schema:
                self._end()
            if self._writer is None:
                self._schema = table.schema
                self._writer = self._stream.new_stream(self._file, table.schema)
            self._writer.write_table(table)
        self.n_bytes += table.nbytes

    def tables(self) -> Iterator[Any]:
        """Yield the rows as tables, at least one."""
        yield self._first
        if self._file is None:
            return
        with self._errors_named():
            self._end()
            size = self._file.tell()
            self._file.seek(0)
        while self._file.tell() < size:
            with self._stream.open_stream(self._file) as rows:
                yield from map(as_table, rows)

    def close(self) -> None:
        """Let go of the file, which is gone then."""
        if self._file is not None:
            with suppress(OSError):  # of a full disk, to which the rest of the rows does not go
                self._file.close()
            self._file = None

    def _end(self) -> None:
        """Write the end of the rows."""
        self._writer.close()
        self._writer = None
        self._file.flush()

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        """Say of an error of the disk which folder it is about, and how to choose another."""
        try:
            yield
        except OSError as error:
            folder = self._space.directory or tempfile.gettempdir()
            message = f"{self._function} cannot write temporary files in {folder!r}"
            text = f"{message}: {error.strerror or error}"
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                text += ". Pass `directory`, a folder with more room"
            raise OSError(error.errno, text) from error


Keys = NDArray[np.uint64]
Positions = NDArray[np.intp]

_TEXT = ("string", "large_string", "binary", "large_binary", "fixed_size_binary")
_BYTES_AT_ONCE = 2**17
"""The bytes of text that are turned into numbers at once, of which there are several arrays."""


def keys_of_column(ids: Any) -> Keys:
    """Return a number for each id of a column of pyarrow without nulls.

    Equal ids have the same number, whatever the types of their columns. Other ids may have it,
    too, if their type is rare.
    """
    kind = str(ids.type)
    if kind.startswith("extension"):
        return keys_of_column(ids.cast(ids.type.storage_type))
    if kind.partition("[")[0] in _TEXT:
        arrow = import_module("pyarrow")
        chunks = ids.chunks if hasattr(ids, "chunks") else [ids]
        keys = [_keys_of_text(chunk.cast(arrow.large_binary())) for chunk in chunks]
        return np.concatenate([np.empty(0, np.uint64), *keys])
    if kind.startswith("decimal"):
        ids = ids.cast("double", safe=False)
    return keys_of_ids(np.asarray(ids)).view(np.uint64)


def _keys_of_text(texts: Any) -> Keys:
    """Return a number for each text of an array of bytes: its bytes times random numbers."""
    keys = np.zeros(len(texts), np.uint64)
    if not keys.size:
        return keys
    _, offsets, content = texts.buffers()
    start = np.frombuffer(offsets, np.int64)[texts.offset :][: len(texts) + 1]
    bytes_of_all = np.frombuffer(content, np.uint8)
    length = np.diff(start)
    factors = np.random.default_rng(0).integers(
        2**64, size=int(length.max(initial=0)), dtype=np.uint64
    )
    for first, last in pairwise(_cuts(start)):
        [filled] = np.nonzero(length[first:last])
        if filled.size:
            filled += first
            place = start[filled] - start[first]
            n_bytes = int(start[last] - start[first])
            in_text = np.arange(n_bytes) - np.repeat(place, length[filled])
            numbers = bytes_of_all[start[first] : start[last]].astype(np.uint64)
            numbers += np.uint64(1)  # so that a null character counts
            numbers *= factors[in_text]
            keys[filled] = np.add.reduceat(numbers, place)
    return keys


def _cuts(start: NDArray[np.int64]) -> list[int]:
    """Return where to cut texts into blocks of few bytes, or of one long text."""
    n_texts, cuts = start.size - 1, [0]
    while cuts[-1] < n_texts:
        stop = np.searchsorted(start, start[cuts[-1]] + _BYTES_AT_ONCE, side="right") - 1
        cuts.append(min(max(int(stop), cuts[-1] + 1), n_texts))
    return cuts


def keys_of_ids(ids: NDArray[Any]) -> NDArray[np.float64]:
    """Return a number for each id that is a number or a date, and 0 for any other."""
    if ids.dtype.kind in "biuf":
        return ids.astype(np.float64) + 0.0  # -0.0 is 0.0
    if ids.dtype.kind in "mM":
        return ids.astype(ids.dtype.kind + "8[s]").astype(np.int64).astype(np.float64)
    return np.zeros(ids.size)


def parts_of(keys: Keys, n_parts: int, level: int) -> NDArray[np.uint8]:
    """Return the part of each row, of at most 256 parts.

    Keys of one part go to different parts at the next level.
    """
    mixed = keys ^ (keys >> np.uint64(32))
    mixed *= np.uint64(pow(int(_ODD), level + 1, 2**64))
    mixed >>= np.uint64(32)
    mixed *= np.uint64(n_parts)
    mixed >>= np.uint64(32)
    return mixed.astype(np.uint8)


_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio: its multiples are spread evenly."""
