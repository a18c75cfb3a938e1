"""A part of the data, a table of whole queries: its stream, and its values per query.

Parquet files, Dask and Spark all use this module. Its objects can travel to other processes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import describe, invalid, library_of, problem_of, without_view
from ranking_scores._metrics import ARRAY_PARAMETERS, Evaluation, check_taken
from ranking_scores._queries import cut_into_runs, is_list_column
from ranking_scores._tables import (
    Column,
    check_names,
    check_no_null,
    has_null,
    is_name,
    read_columns,
    read_numbers,
    show_id,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.streaming import StreamingScore

Positions = NDArray[np.intp]

_OF_STREAMS = re.compile(r"^StreamingScore(\.\w+)?")
"""The name of a stream or of its method at the start of an error."""
_IN_A_PART = re.compile(r" (at position|in row) \d+$")
"""A place in a part of the data, at the end of an error. It is no place in all of the data."""


class Names(NamedTuple):
    """The names of a function that reads tables, and of its parameter, for errors."""

    function: str
    parameter: str
    """The parameter that is the table, or the file."""


def by_parameter(
    y_true: Any, y_score: Any, qid: Any, sample_weight: Any, item_weight: Any
) -> dict[str, Any]:
    """Return the names of columns by the parameters that take them; None: there is no column."""
    return {
        "y_true": y_true,
        "y_score": y_score,
        "qid": qid,
        "sample_weight": sample_weight,
        "item_weight": item_weight,
    }


class ShardScore:
    """Some scores, and the columns of the tables that they score.

    Nothing ever changes it, and it can be pickled if the parameters of the scores can be. So it is
    the same in all processes.
    """

    def __init__(
        self,
        score_func: Any,
        params: dict[str, Any],
        columns: Mapping[str, Any],
        names: Names,
    ) -> None:
        """Check the scores and their parameters; the columns when a table comes.

        `columns` is what `by_parameter` returns, perhaps without some that are None.
        """
        self.names = names
        for name, each in columns.items():
            if not is_name(each) or (each is None and name in ("y_true", "y_score")):
                raise invalid(name, names.function, "the name of a column", describe(each))
        self.columns = {name: each for name, each in columns.items() if each is not None}
        for name in (*ARRAY_PARAMETERS, "check_qid"):
            if name in params:
                advice = "Filter the rows first." if name == "where" else ""
                expected = "left out, since no such parameter is passed on to the scores"
                raise invalid(name, names.function, expected, describe(params[name]), advice)
        with self._in_own_name():
            self.empty = StreamingScore(score_func, check_qid=False, **params)
        """A stream of the scores that has seen nothing."""
        check_taken(self.columns, self.empty._scores, names.function, "the column {!r}".format)

    @property
    def results(self) -> list[str]:
        """The names of the results, such as "ndcg@10"."""
        with self._in_own_name():
            return self.empty._names_of_results()

    def check_results(self) -> None:
        """Raise unless the columns of the values per query have different names."""
        name = self.columns.get("qid")
        if name in self.results:
            expected = "the name of a column that is not the name of a result"
            advice = "Give the scores names of your own: score_func={'name': score, ...}."
            raise invalid("qid", self.names.function, expected, repr(name), advice)

    def result_of(self, stream: StreamingScore) -> Any:
        """Return the scores of all queries that a stream has seen."""
        if not stream.n_queries:
            expected = "of at least one row"
            raise invalid(self.names.parameter, self.names.function, expected, "none")
        return stream.compute()

    def check_columns(self, there: list[Any]) -> None:
        """Raise unless a table has all columns, each once."""
        check_names(self.columns, there, self.names.parameter, self.names.function)

    def state_of(self, stream: StreamingScore) -> Any:
        """Return the sums of a stream of these scores, without the scores, for `with_state`.

        So a function among the parameters, which may be a lambda, need not come back.
        """
        return stream._totals, stream._origins

    def with_state(self, state: Any) -> StreamingScore:
        """Return the stream of which `state_of` returned the sums, perhaps in another process."""
        stream = copy(self.empty)
        stream._totals, stream._origins = state
        return stream

    def totals_of(self, table: Any) -> StreamingScore:
        """Return a stream that has seen a table, all of whose queries are whole."""
        return self._score(table)[0]

    def values_of(self, table: Any) -> dict[str, Any]:
        """Return the ids of the queries of a table, and their values, as columns by name.

        The queries are in the order of their first rows. The column of ids comes first, with the
        name and the type that it has in the table. The columns of values follow, with the names of
        the results. If each row is a query, there is no column of ids.
        """
        return self.both_of(table)[1]

    def both_of(self, table: Any) -> tuple[StreamingScore, dict[str, Any]]:
        """Return the results of `totals_of` and `values_of`, from one pass over the table."""
        stream, evaluations, columns = self._score(table)
        ids: dict[str, Any] = {}
        order: Positions | slice = slice(None)
        if "qid" in columns:
            column = columns["qid"]
            rows = np.empty(0, np.intp)
            if evaluations:
                rows, order = _first_rows(column.values, self.names.function)
            ids = {column.name: _take(column.values, rows)}
        values = [each for of in evaluations for each in of.values[order].T]
        values = values or [np.empty(0) for _ in self.results]
        of_results = zip(self.results, map(np.ascontiguousarray, values), strict=True)
        return stream, ids | dict(of_results)

    def _score(self, table: Any) -> tuple[StreamingScore, list[Evaluation], dict[str, Column]]:
        """Return a stream that has seen a table, the evaluation of each score, and the columns."""
        columns = self._read(table)
        arrays = {}
        stream = copy(self.empty)
        with self._in_own_name():
            for name, column in columns.items():
                if name == "qid":
                    check_no_null(column)
                    arrays[name] = column.values
                elif "qid" in columns or name == "sample_weight":
                    arrays[name] = _numbers_of(column, columns.get("qid"))
                    if "qid" in columns and name == "sample_weight":
                        self._check_weights(arrays[name], column, columns["qid"])
                else:
                    arrays[name] = _lists_of(column)
            evaluations = stream._take_batch(arrays.pop("y_true"), arrays.pop("y_score"), arrays)
        return stream, evaluations, columns

    def _check_weights(self, weights: NDArray[Any], column: Column, qid: Column) -> None:
        """Raise in the name of its query if a weight is negative or infinite."""
        is_wrong = (weights < 0) | np.isinf(weights)
        if is_wrong.any():
            row = int(np.argmax(is_wrong))
            got = f"{weights[row]} in {_query_of_row(qid, row)}"
            raise invalid("sample_weight", self.names.function, "finite and not negative", got)

    def _read(self, table: Any) -> dict[str, Column]:
        """Return the columns of a table, which hold lists where there is no `qid`."""
        return read_columns(
            _by_name(table),
            self.columns,
            self.names.parameter,
            self.names.function,
            may_hold_lists="qid" not in self.columns,
        )

    @contextmanager
    def _in_own_name(self) -> Iterator[None]:
        """Let errors of streams name the function that was called, and the columns."""
        try:
            yield
        except InvalidParameterError as error:
            problem = problem_of(error)
            function = _OF_STREAMS.sub(self.names.function, problem.function)
            got = _IN_A_PART.sub("", problem.got).rstrip(",")
            if problem.parameter in self.columns:
                got = f"{got}, in a part of the column {self.columns[problem.parameter]!r},"
            changed = problem._replace(function=function, got=got)
            raise invalid(**changed._asdict()) from error.__cause__


def _by_name(table: Any) -> Any:
    """Return the columns of a table of pyarrow or pandas by name; any other table as it is."""
    library = library_of(table)
    if library == "pyarrow":
        return dict(zip(table.schema.names, table.columns, strict=True))
    return dict(table.items()) if library == "pandas" else table


def _lists_of(column: Column) -> Any:
    """Return a column that has a list for each query."""
    if not is_list_column(column.values):
        advice = "Name the column with the id of the query of each row: `qid=...`."
        raise column.invalid("a list in each row, since there is no qid", "single values", advice)
    return column.values


def _numbers_of(column: Column, qid: Column | None) -> NDArray[Any]:
    """Return the numbers of a column, one in each row."""
    numbers = read_numbers(column)
    if numbers.row is not None:
        missing = np.append(numbers.row, -1) != np.arange(numbers.row.size + 1)
        row = int(np.argmax(missing))
        got = "null" if has_null(column.values) else "NaN"
        if qid is not None:
            got = f"{got} in {_query_of_row(qid, row)}"
        advice = "Drop such rows, or fill them."
        raise column.invalid("a number in each row", got, advice)
    return numbers.values


def _query_of_row(qid: Column, row: int) -> str:
    """Return what an error message calls the query of a row."""
    [each] = np.asarray(_take(qid.values, np.array([row])))
    return f"the query with qid {show_id(each)}"


def _first_rows(qid: Any, function: str) -> tuple[Positions, Positions]:
    """Return the first row of each query, in rising order, and the place of its id in order."""
    runs = cut_into_runs(qid, function)
    first = np.empty(runs.ids.size, np.intp)
    first[runs.which[::-1]] = runs.start[::-1]
    order = np.argsort(first)
    return first[order], order


def _take(values: Any, rows: Positions) -> Any:
    """Return some rows of a column, of its own type."""
    if library_of(values) == "pandas":
        return values.iloc[rows]
    is_arrow = library_of(values) == "pyarrow"
    return without_view(values).take(rows) if is_arrow else np.asarray(values)[rows]
