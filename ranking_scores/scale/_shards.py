"""A part of the data, a table of whole queries: its sums, and its values per query.

Parquet files, Dask and Spark all use this module. Its objects can travel to other processes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import (
    NOWHERE,
    ErrorNames,
    Place,
    invalid,
    show_id,
    show_names,
    with_parts,
)
from ranking_scores._base._ids import (
    as_objects,
    decoded,
    ids_as_objects,
    library_of,
    python_ids,
    without_view,
)
from ranking_scores._base._validation import (
    advise_on_keyword,
    check_bool,
    check_exact,
    check_identifiers,
    check_option,
    describe,
    unique_identifiers,
)
from ranking_scores._metrics._evaluate import ARRAY_PARAMETERS
from ranking_scores._metrics._named import check_taken, is_several, scores_at
from ranking_scores._metrics._sums_of_scores import BatchEvaluations, BoundScores, ScoreSums
from ranking_scores._queries._data import is_list_column
from ranking_scores._queries._query_ids import cut_into_runs, value_of_query
from ranking_scores._tables._columns import (
    Column,
    check_names,
    check_no_null,
    has_null,
    is_frame,
    is_name,
    read_columns,
    read_ids,
    read_numbers,
    unique_ids,
)
from ranking_scores._tables._join import (
    DUPLICATES,
    Joined,
    alike,
    check_gaps,
    choose_queries,
    join_sides,
    most_free_in_part,
    side_of,
    to_arrays,
    with_scores,
)
from ranking_scores._tables._known_names import ColumnNames
from ranking_scores._tables._lists_of_ids import JoinInput, without_self
from ranking_scores._tables._ranking_data import (
    NO_QUERIES,
    QUERIES,
    QueriesSeen,
    RankingData,
    see_queries,
    warn_of_none_found,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, report_of_sums

Positions = NDArray[np.intp]

_NO_QUERY = "Name the column with the id of the query of each row: `query=...`."
COLUMN_OF = {"y_true": "label", "y_score": "score", "qid": "query"}
"""The keyword for a column, by the parameter of the scores that takes what it holds."""
_KEYWORD = re.compile(rf"(?<=`)({'|'.join(COLUMN_OF)})(?=(\[[^`]*\])?[=`])")


@contextmanager
def columns_named() -> Iterator[None]:
    """Let errors about columns name the keyword for them, not the parameter of the scores."""
    try:
        yield
    except InvalidParameterError as error:
        raise _with_keywords(error, error.place) from error.__cause__


def _with_keywords(error: InvalidParameterError, place: Place) -> InvalidParameterError:
    """Return an error at another place, which names the keyword for a column."""
    parameter = COLUMN_OF.get(error.parameter, error.parameter)
    code = _KEYWORD.sub(lambda found: COLUMN_OF[found[0]], error.code)
    return with_parts(error, parameter=parameter, code=code, place=place)


@dataclass(frozen=True)
class PartSums:
    """The sums over the queries of a part. ``+`` adds those of another part."""

    of_all: ScoreSums
    by_group: dict[Any, tuple[Any, ScoreSums]] = field(default_factory=dict)
    """Of each group its value and the sums over its queries, by what is equal in all parts."""

    def __add__(self, other: PartSums) -> PartSums:
        by_group = dict(self.by_group)
        for key, (group, sums) in other.by_group.items():
            there = by_group.get(key)
            by_group[key] = (group, sums) if there is None else (there[0], there[1] + sums)
        return PartSums(self.of_all + other.of_all, by_group)


class ShardScore:
    """Some scores, and the columns of the tables that they score.

    Nothing ever changes it, and it can be pickled if the parameters of the scores can be. So it is
    the same in all processes.
    """

    def __init__(
        self,
        scores: Any,
        params: dict[str, Any],
        columns: Mapping[str, Any],
        names: ErrorNames,
        *,
        unjudged: Any = False,
    ) -> None:
        """Check the scores and their parameters; the columns when a table comes.

        `columns` has the names of columns by the parameters that take them. None: no column.
        """
        self.names = names
        for name, each in columns.items():
            if not is_name(each) or (each is None and name in ("y_true", "y_score")):
                raise invalid(name, names.function, "the name of a column", describe(each))
        self.columns = {name: each for name, each in columns.items() if each is not None}
        for name in (*COLUMN_OF, *ARRAY_PARAMETERS):
            if name in params:
                called = advise_on_keyword(name, COLUMN_OF.values())
                advice = "Filter the rows first." if name == "where" else called
                expected = "left out, since no such parameter is passed on to the scores"
                raise invalid(name, names.function, expected, describe(params[name]), advice)
        scores = scores_at(scores, params.get("k"))
        several = scores if is_several(scores) else [scores]
        own = *columns, *COLUMN_OF.values(), "scores", "k", "unjudged"
        self._scores = BoundScores(several, params, names.function, own, unjudged=unjudged)
        if "item" in self.columns and "qid" not in self.columns:
            got = describe(self.columns["item"])
            raise invalid("item", names.function, "None if each row is a query", got, _NO_QUERY)
        given = {name: self.columns.get(name) for name in ARRAY_PARAMETERS}
        check_taken(given, self._scores.scores, names.function, "the column {!r}".format)
        self.results = list(self._scores.results or ())
        """The names of the results, such as "ndcg@10"."""
        self.facts = self._scores.facts
        """What each of them rests on."""
        self.nothing = PartSums(self._scores.nothing)
        """The sums of a part without rows."""

    def check_results(self) -> None:
        """Raise unless the columns of the values per query have different names."""
        name = self.columns.get("qid")
        if name in self.results:
            expected = "the name of a column that is not the name of a result"
            code = "Give the scores names of your own: scores={'name': score, ...}."
            raise invalid("qid", self.names.function, expected, show_id(name), code=code)

    def check_columns(self, there: list[Any]) -> None:
        """Raise unless a table has all columns, each once."""
        check_names(self.columns, there, self.names.parameter, self.names.function)

    def check_rows(self, sums: PartSums) -> None:
        """Raise unless there is a row in all parts together."""
        if not sums.of_all.n_queries:
            raise self.names.invalid("of at least one row", "none")

    def report_of(self, sums: PartSums, seen: QueriesSeen | None = None) -> RankingReport:
        """Return the report of all parts. `seen` are the queries of joined tables."""
        self.check_rows(sums)
        by_group = {}
        if "by" in self.columns:
            groups = list(sums.by_group.values())
            values = as_objects([value for value, _ in groups])
            place = unique_identifiers(values, "by", self.names.function)[1]
            by_group[str(self.columns["by"])] = dict(groups[each] for each in np.argsort(place))
        return report_of_sums(self.facts, sums.of_all, by_group, self.names.function, seen)

    def sums_of(self, table: Any) -> PartSums:
        """Return the sums over a table, all of whose queries are whole."""
        return self._score(table)[0]

    def values_of(self, table: Any) -> dict[str, Any]:
        """Return the ids of the queries of a table, and their values, as columns by name.

        The queries are in the order of their first rows. The column of ids comes first, with the
        name and the type that it has in the table. The columns of values follow, with the names of
        the results. If each row is a query, there is no column of ids.
        """
        return self.both_of(table)[1]

    def both_of(self, table: Any) -> tuple[PartSums, dict[str, Any]]:
        """Return the results of `sums_of` and `values_of`, from one pass over the table."""
        sums, evaluations, columns = self._score(table)
        ids: dict[str, Any] = {}
        order: Positions | slice = slice(None)
        if "qid" in columns:
            column = columns["qid"]
            rows = np.empty(0, np.intp)
            if evaluations.of_scores:
                rows, order = _first_rows(column.values, self.names.function)
            ids = {column.name: _take(column.values, rows)}
        values = [each for of in evaluations.of_scores for each in of.values[order].T]
        values = values or [np.empty(0) for _ in self.results]
        return sums, ids | dict(zip(self.results, map(np.ascontiguousarray, values), strict=True))

    def sums_of_data(self, data: RankingData) -> PartSums:
        """Return the sums over queries of tables that were joined."""
        y_true, y_score, order = data.in_columns()
        function = self.names.function
        with self._without_places():
            evaluations = self._scores.evaluate(y_true, y_score, {}, function, order=order)
        return PartSums(self._scores.sums_of(evaluations))

    def _score(self, table: Any) -> tuple[PartSums, BatchEvaluations, dict[str, Column]]:
        """Return the sums over a table, the evaluation of each score, and the columns."""
        has_lists = "qid" not in self.columns
        with without_rows():
            columns = read_columns(
                _by_name(table), self.columns, *reversed(self.names), may_hold_lists=has_lists
            )
        arrays = {}
        with self._without_places():
            for name, column in columns.items():
                if name in ("qid", "by"):
                    check_no_null(column, "an id" if name == "qid" else "a group")
                    if name == "qid":
                        arrays[name] = column.values
                elif name == "item":
                    _check_once(column, columns["qid"])
                elif "qid" in columns or name == "sample_weight":
                    may_be_missing = name == "y_true" and self._scores.highest_grade is not None
                    arrays[name] = _numbers_of(
                        column, columns.get("qid"), may_be_missing=may_be_missing
                    )
                    if "qid" in columns and name == "sample_weight":
                        self._check_weights(arrays[name], column, columns["qid"])
                elif is_list_column(column.values):
                    arrays[name] = column.values
                else:
                    expected = "a list in each row, since no column has the query"
                    raise column.invalid(expected, "single values", _NO_QUERY)
            y_true, y_score = arrays.pop("y_true"), arrays.pop("y_score")
            evaluations = self._scores.evaluate(y_true, y_score, arrays, self.names.function)
        by_group = self._by_group(evaluations, columns) if evaluations.of_scores else {}
        return PartSums(self._scores.sums_of(evaluations), by_group), evaluations, columns

    def _by_group(
        self, evaluations: BatchEvaluations, columns: dict[str, Column]
    ) -> dict[Any, tuple[Any, ScoreSums]]:
        """Return the sums over the queries of each group, as `PartSums` has them."""
        if "by" not in columns:
            return {}
        function = self.names.function
        values = check_identifiers(columns["by"].values, "by", function)
        if "qid" in columns:
            runs = cut_into_runs(columns["qid"].values, function)
            values = value_of_query(runs, values, "by", function)
        groups, code = unique_identifiers(values, "by", function)
        order = np.argsort(code, kind="stable")
        cuts = np.searchsorted(code[order], np.arange(1, groups.size))
        return {
            key: (value, evaluations.of_queries(queries).sums())
            for key, value, queries in zip(
                ids_as_objects(groups), python_ids(groups), np.split(order, cuts), strict=True
            )
        }

    def _check_weights(self, weights: NDArray[Any], column: Column, qid: Column) -> None:
        """Raise in the name of its query if a weight is negative or infinite."""
        is_wrong = (weights < 0) | np.isinf(weights)
        if is_wrong.any():
            row = int(np.argmax(is_wrong))
            expected, place = "finite and not negative", _query_of_row(qid, row)
            names = self.names._replace(parameter="sample_weight")
            raise names.invalid(expected, str(weights[row]), place=place)

    @contextmanager
    def _without_places(self) -> Iterator[None]:
        """Let errors name the columns, and no row or position, which is that in a part."""
        try:
            yield
        except InvalidParameterError as error:
            place = error.place._replace(position=None, row=None)
            if error.parameter in self.columns:
                place = place._replace(column=self.columns[error.parameter], is_part=True)
            raise _with_keywords(error, place) from error.__cause__


def shards_of(
    scores: Any,
    params: dict[str, Any],
    columns: dict[str, Any],
    names: ErrorNames,
    *,
    unjudged: Any = False,
) -> dict[Any, ShardScore]:
    """Return the scores of each model by its name; of a single one, the name is None."""
    models = {None: columns["score"]}
    if isinstance(columns["score"], Mapping):
        models = dict(columns["score"])
        if not models or not all(isinstance(name, str) for name in models):
            expected = "the name of a column, or a dict of such names by the names of models"
            raise invalid("score", names.function, expected, describe(models))
    shard_of = partial(ShardScore, scores, params, names=names, unjudged=unjudged)
    arrays = {name: columns[keyword] for name, keyword in COLUMN_OF.items()}
    beside = {name: each for name, each in columns.items() if name not in COLUMN_OF.values()}
    return {
        name: shard_of(arrays | {"y_score": column} | beside) for name, column in models.items()
    }


@contextmanager
def without_rows(data: RankingData | None = None) -> Iterator[None]:
    """Let errors name no row, which is that in a part, and name queries of `data` by their ids."""
    try:
        yield
    except InvalidParameterError as error:
        place = error.place._replace(row=None)
        if data is not None and place.query is not None:
            place = place._replace(query=data.query_ids[place.query], query_is="id")
        raise _with_keywords(error, place) from error.__cause__


def paths_of(path: Any, models: Mapping[Any, Any], function: str) -> dict[Any, Any]:
    """Return the file to write for each model, or none if there is no path."""
    if path is None:
        return {}
    if None in models:
        return {None: path}
    if not isinstance(path, Mapping) or set(path) != set(models):
        expected = f"None or a dict of paths for {show_names(models)}, as score has"
        raise invalid("path", function, expected, describe(path))
    return dict(path)


def _by_name(table: Any) -> Any:
    """Return the columns of a table of pyarrow or pandas by name; any other table as it is."""
    library = library_of(table)
    if library == "pyarrow" and is_frame(table):
        return dict(zip(table.schema.names, table.columns, strict=True))
    return dict(table.items()) if library == "pandas" else table


def _numbers_of(
    column: Column, qid: Column | None, *, may_be_missing: bool = False
) -> NDArray[Any]:
    """Return the numbers of a column, one in each row, or NaN for those that may be missing."""
    numbers = read_numbers(column)
    if numbers.row is None:
        return numbers.values
    if may_be_missing:
        check_exact(numbers.values, "y_true", column.function, "missing")
        dtype = numbers.values.dtype if numbers.values.dtype.kind == "f" else np.float64
        values = np.full(len(column.values), np.nan, dtype)
        values[numbers.row] = numbers.values
        return values
    missing = np.append(numbers.row, -1) != np.arange(numbers.row.size + 1)
    place = NOWHERE if qid is None else _query_of_row(qid, int(np.argmax(missing)))
    got = "null" if has_null(column.values) else "NaN"
    raise column.invalid("a number in each row", got, "Drop such rows, or fill them.", place=place)


def _check_once(items: Column, queries: Column) -> None:
    """Raise if an item has several rows of a query."""
    ids = read_ids(queries)
    different, item = unique_ids(read_ids(items, ids))
    code = unique_ids(ids)[1].astype(np.int64) * different.size + item
    _, first, number = np.unique(code, return_index=True, return_counts=True)
    if (number > 1).any():
        row = int(first[number > 1].min())
        expected, got = "each item only once per query", f"item {show_id(different[item[row]])}"
        place, advice = _query_of_row(queries, row), "Keep one row of each."
        raise items.invalid(expected, f"{got} more than once", advice, place=place)


def _query_of_row(qid: Column, row: int) -> Place:
    """Return the query of a row as a place."""
    [each] = np.asarray(_take(qid.values, np.array([row])))
    return Place(query=each, query_is="qid")


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
    return without_view(values).take(rows) if is_arrow else np.asarray(decoded(values))[rows]


Items = tuple[frozenset[Any], frozenset[Any]]
"""The ids of items that are judged, and of those that are predicted."""


@dataclass(frozen=True)
class TablesSeen:
    """Facts about a part of both tables. Those of two parts can be added."""

    queries: QueriesSeen = NO_QUERIES
    has_found: bool = False
    """Whether, among the scored queries, an item is both judged and predicted."""
    n_rows: int = 0
    """The number of predictions for the scored queries."""
    n_free: int = 0
    """The number of ranks that the predictions leave out."""
    most_free: int = 0
    """The most ranks that one query leaves out."""
    n_dropped: int = 0
    """The number of predictions that have the id of their query, if these are dropped."""

    def __add__(self, other: TablesSeen) -> TablesSeen:
        return TablesSeen(
            self.queries + other.queries,
            self.has_found or other.has_found,
            self.n_rows + other.n_rows,
            self.n_free + other.n_free,
            max(self.most_free, other.most_free),
            self.n_dropped + other.n_dropped,
        )


class ShardTables:
    """Some scores, and the columns of the two tables that they score; see `ShardScore`."""

    def __init__(
        self,
        scores: Any,
        params: dict[str, Any],
        names: ColumnNames,
        function: str,
        queries: str,
        duplicates: str,
        unjudged: Any = False,
        *,
        drop_self: Any = False,
    ) -> None:
        """Check the scores, their parameters and which queries are scored."""
        self.queries = check_option(queries, "queries", function, QUERIES)
        self.duplicates = check_option(duplicates, "duplicates", function, DUPLICATES)
        self.drops_self = check_bool(drop_self, "drop_self", function)
        judged, predicted = (
            {keyword: name for keyword, name in of_table.items() if name is not None}
            for of_table in names
        )
        self.names = ColumnNames(judged, predicted)
        # Errors of scores name these columns.
        label = judged["label" if "label" in judged else "item"]
        value = predicted["score" if "score" in predicted else "rank"]
        columns = {"y_true": label, "y_score": value}
        self.score = ShardScore(
            scores, params, columns, ErrorNames(function, "judgments"), unjudged=unjudged
        )

    def sums_of(self, judgments: Any, predictions: Any) -> tuple[PartSums, TablesSeen]:
        """Return the sums over a part of both tables, and facts about the part.

        A query of the part has all its rows of both tables there.
        """
        joined, n_dropped = self._joined(judgments, predictions)
        queries = see_queries(joined)
        chosen, has_found = choose_queries(joined, self.queries)
        n_rows = chosen.predicted.query.size
        scored, most_free = with_scores(chosen, most_free_in_part(n_rows))
        n_free = scored.predicted.query.size - n_rows
        data = to_arrays(scored, most_free, self.duplicates)
        seen = TablesSeen(queries, has_found, n_rows, n_free, most_free, n_dropped)
        with without_rows(data):
            return self.score.sums_of_data(data), seen

    def check_kinds(self, judgments: Any, predictions: Any) -> None:
        """Raise if the ids of the tables that both begin with can never be equal."""
        judged, predicted = self._read(judgments, predictions)
        for keyword in ("query", "item"):
            ids = [read_ids(each[keyword]) for each in (judged, predicted)]
            alike(judged[keyword], predicted[keyword], *ids)

    def items_of(self, judgments: Any, predictions: Any) -> Items:
        """Return the judged and the predicted items of the scored queries in a part."""
        chosen, _ = choose_queries(self._joined(judgments, predictions)[0], self.queries)
        judged, predicted = (
            frozenset(ids_as_objects(np.asarray(chosen.items[np.unique(cells.item)])))
            for cells in (chosen.judged, chosen.predicted)
        )
        return judged, predicted

    def _read(self, judgments: Any, predictions: Any) -> list[dict[str, Column]]:
        """Return the columns of both tables that count."""
        tables = {"judgments": judgments, "predictions": predictions}
        return [
            read_columns(table, names, parameter, self.score.names.function)
            for (parameter, table), names in zip(tables.items(), self.names, strict=True)
        ]

    def _joined(self, judgments: Any, predictions: Any) -> tuple[Joined, int]:
        """Return a part of both tables, joined, and how many predictions were dropped before."""
        with without_rows():
            judged, predicted = self._read(judgments, predictions)
            given, n_dropped = JoinInput(side_of(judged), side_of(predicted)), 0
            if self.drops_self:
                given, n_dropped = without_self(given)
            sides = [given.judged.queries_alone(), given.predicted.queries_alone()]
            return join_sides(sides, self.duplicates), n_dropped

    def check(self, seen: TablesSeen) -> None:
        """Raise if the tables break a rule that only all parts together show."""
        function = self.score.names.function
        judged, predicted = (
            {keyword: Column(None, name, table, function) for keyword, name in names.items()}
            for table, names in zip(("judgments", "predictions"), self.names, strict=True)
        )
        seen.queries.check(self.queries, judged, predicted)
        if "rank" in predicted:
            check_gaps(predicted["rank"], seen.n_rows, seen.most_free, seen.n_free)

    def report_of(self, sums: PartSums, seen: TablesSeen, has_found: bool) -> RankingReport:
        """Return the report of all queries, with the warnings about them."""
        if seen.n_rows and not has_found:
            warn_of_none_found("judgments")
        n_dropped = seen.n_dropped if self.drops_self else None
        queries = replace(seen.queries, queries=self.queries, n_dropped=n_dropped)
        return self.score.report_of(sums, queries)
