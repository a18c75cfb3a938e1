"""Reads files with the values of each query, which `ranking_scores.scale.per_query` writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import import_extra, invalid, show_id, show_names
from ranking_scores._base._exact import Sums, weighted_sum
from ranking_scores._base._query_values import QueryValues
from ranking_scores._base._results import read_only
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import check_identifiers
from ranking_scores._metrics._named import SCORES, split_name

_EXPECTED = "a file of values that `ranking_scores.scale.per_query` has written"


def read_values(
    path: Any, names: Sequence[str] | None, parameter: str, function: str
) -> QueryValues:
    """Return the values of some results in a file, or of all results if `names` is None.

    Of a Parquet file, no more than one other column is in memory at a time.
    """
    shown = repr(str(path))
    arrow = import_extra("pyarrow", "parquet", function)
    try:
        types, read = _open(path, function)
        there = list(types)
        # The first column has ids, unless it has the values of a score.
        has_ids = types[there[0]] != "double" or split_name(there[0])[0] not in SCORES
        results = there[has_ids:]
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
        if has_ids:
            given = read(there[0])
            check_utf8(given, partial(invalid, parameter, function), shown)
            ids = check_identifiers(given, parameter, function)
            _check_unique_rows(ids, shown, parameter, function)
        columns = [read(name) for name in wanted[:1]]
        values = np.empty((len(columns[0]), len(wanted)), order="F")
        for number, name in enumerate(wanted):
            values[:, number] = (columns.pop() if columns else read(name)).to_numpy()
    except (arrow.ArrowException, UnicodeDecodeError) as error:  # a name may be no UTF-8
        got = f"{shown}, of which pyarrow says: {error},"
        raise invalid(parameter, function, _EXPECTED, got) from error
    return QueryValues(values, tuple(wanted), None if ids is None else read_only(ids))


def values_of_report(
    path: Path, means: Mapping[str, float], n_queries: int, parameter: str, function: str
) -> QueryValues:
    """Return the values of each query of the results of a report, which are in a file.

    Their exact means are those of the report, unless another call wrote the file later.
    """
    shown = repr(str(path))
    try:
        found = read_values(path, list(means), parameter, function)
    except FileNotFoundError as error:
        expected = f"a report whose values of each query are in {shown}"
        advice = "Move this file together with that of the report."
        raise invalid(parameter, function, expected, "no such file", advice) from error
    if len(found.values) != n_queries:
        expected = f"a report whose file has the values of its {n_queries} queries"
        raise invalid(parameter, function, expected, f"{len(found.values)} in {shown}")
    for (name, mean), values in zip(means.items(), found.values.T, strict=True):
        there = Sums(weighted_sum(values, None)).mean()
        if mean != there and not (np.isnan(mean) and np.isnan(there)):
            expected = (
                f"a report whose file has its values: the mean of {show_id(name)} is {mean!r}"
            )
            advice = "Was the file written again, for another report? Give each report its own."
            raise invalid(parameter, function, expected, f"{there!r} in {shown}", advice)
    return found


def _open(path: Any, function: str) -> tuple[dict[str, str], Callable[[str], Any]]:
    """Return the types of the columns of a file, and what reads one of the columns."""
    if Path(path).is_dir():  # Dask and Spark write such directories
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


def _check_unique_rows(ids: NDArray[Any], shown: str, parameter: str, function: str) -> None:
    """Raise if a query has two rows."""
    in_order = np.sort(ids)
    is_twice = in_order[1:] == in_order[:-1]
    if is_twice.any():
        got = f"{shown}, which has {show_id(in_order[int(np.argmax(is_twice))])} twice,"
        raise invalid(parameter, function, f"{_EXPECTED}, with one row for each query", got)
