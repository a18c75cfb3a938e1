"""Files with the values of each query, as `ranking_scores.scale.per_query` writes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    check_identifiers,
    check_utf8,
    import_extra,
    invalid,
    locked,
    show_id,
    show_names,
)
from ranking_scores._metrics import SCORES, split_name

_SUFFIXES = (".parquet", ".csv")
_EXPECTED = "a file of values that `ranking_scores.scale.per_query` has written"


class Values(NamedTuple):
    """The values of each query in a file."""

    of_query: NDArray[np.float64]
    """(n_queries, n_results), each column in one piece."""
    names: tuple[str, ...]
    ids: NDArray[Any] | None


def is_value_file(path: Any) -> bool:
    """Return whether something is the path of a table, or of a directory of Parquet files."""
    if not isinstance(path, (str, os.PathLike)):
        return False
    return Path(path).suffix.lower() in _SUFFIXES or Path(path).is_dir()


def read_values(path: Any, names: Sequence[str] | None, parameter: str, function: str) -> Values:
    """Return the values of some results in a file, or of all results if `names` is None.

    Of a Parquet file, no more than one other column is in memory at a time.
    """
    shown = repr(str(path))
    arrow = import_extra("pyarrow", "parquet", function)
    try:
        types, read = _open(path, function)
        there = list(types)
        results = there[_has_ids(there[0], types[there[0]]) :]
        wanted = results if names is None else list(names)
        for name in wanted:
            if types.get(name) != "double" or name not in results:
                got = f"{shown}, whose columns are {show_names(there)},"
                raise invalid(
                    parameter, function, f"{_EXPECTED}, with values of {show_id(name)}", got
                )
        if not wanted:
            raise invalid(parameter, function, _EXPECTED, f"{shown}, which has no values,")
        ids = None
        if len(results) < len(there):
            given = read(there[0])
            check_utf8(given, partial(invalid, parameter, function), shown)
            ids = check_identifiers(given, parameter, function)
            _check_unique(ids, shown, parameter, function)
        columns = [read(name) for name in wanted[:1]]
        values = np.empty((len(columns[0]), len(wanted)), order="F")
        for number, name in enumerate(wanted):
            values[:, number] = (columns.pop() if columns else read(name)).to_numpy()
    except (arrow.ArrowException, UnicodeDecodeError) as error:  # the latter of a name
        got = f"{shown}, of which pyarrow says: {error},"
        raise invalid(parameter, function, _EXPECTED, got) from error
    return Values(values, tuple(wanted), None if ids is None else locked(ids))


def _open(path: Any, function: str) -> tuple[dict[str, str], Callable[[str], Any]]:
    """Return the types of the columns of a file, and what reads one of the columns."""
    if Path(path).is_dir():  # as Dask and Spark write
        files = import_extra("pyarrow.dataset", "parquet", function).dataset(
            path, format="parquet"
        )
        types = map(str, files.schema.types)
        named = dict(zip(files.schema.names, types, strict=True))
        return named, lambda name: files.to_table(columns=[name]).column(0)
    if Path(path).suffix.lower() == ".csv":
        table = import_extra("pyarrow.csv", "parquet", function).read_csv(path)
        return dict(
            zip(table.column_names, map(str, table.schema.types), strict=True)
        ), table.column
    parquet = import_extra("pyarrow.parquet", "parquet", function)
    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow

    def read(name: str) -> Any:
        with parquet.ParquetFile(path) as file:
            return file.read(columns=[name]).column(0)

    return dict(zip(schema.names, map(str, schema.types), strict=True)), read


def _has_ids(name: str, type_: str) -> bool:
    """Return whether the first column has ids, rather than the values of a score."""
    return type_ != "double" or split_name(name)[0] not in SCORES


def _check_unique(ids: NDArray[Any], shown: str, parameter: str, function: str) -> None:
    """Raise if a query has two rows."""
    in_order = np.sort(ids)
    is_twice = in_order[1:] == in_order[:-1]
    if is_twice.any():
        got = f"{shown}, which has {show_id(in_order[int(np.argmax(is_twice))])} twice,"
        raise invalid(parameter, function, f"{_EXPECTED}, with one row for each query", got)
