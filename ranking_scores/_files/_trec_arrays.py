"""Arrays of any layout as items with names: the dicts of pytrec_eval, and runs of TREC.

Dicts of pytrec_eval also become arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, repeat
from numbers import Real
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid, show_id, warn_caller
from ranking_scores._base._index import Indexes, column_names, is_indexed, is_labelled, row_names
from ranking_scores._base._sorting import order_of_cells
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import (
    WHOLE_LIST,
    as_csr,
    as_ndarray,
    check_bool,
    check_identifiers,
    check_option,
    check_real_array,
    check_sparse,
    check_stored,
    csr_array,
    describe,
    is_sparse,
    supported_by_scipy,
)
from ranking_scores._files._trec_files import (
    check_ids,
    check_path,
    check_query_ids,
    check_tag,
    write_lines,
)
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._rows import stored_entries
from ranking_scores._tables._columns import Positions, check_sample, sample_of
from ranking_scores._tables._join import JoinedQueries, Rows, as_rows
from ranking_scores._tables._lists_of_ids import note_of_dropped
from ranking_scores._tables._ranking_data import (
    QUERIES,
    RankingData,
    ReadItems,
    are_chosen,
    see_queries,
)
from ranking_scores._tables._sources import NotPlainError, first_of_lists

# --- items with names ---------------------------------------------------------------------------


Floats = NDArray[np.float64]


class TrecItems(NamedTuple):
    """Some items of each query, with their labels or scores, sorted by query."""

    query: Positions
    item: Positions
    """The number of the item: its column, or its place in its query."""
    place: tuple[Positions, ...]
    """The positions of the items in the data, as an index."""
    values: NDArray[Any]


class TrecTable(NamedTuple):
    """The judged and the retrieved items of a call."""

    function: str
    judged: TrecItems
    retrieved: TrecItems
    n_queries: int
    ids: NDArray[Any] | None
    """The ids of the queries, or None if they have no ids."""
    shapes_of_ids: list[tuple[int, ...]]
    """The allowed shapes of the ids of the items."""
    indexes: Indexes
    """The index of the data, if it comes from pandas."""


def table_of(
    function: str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    qid: ArrayLike | None,
    where: ArrayLike | None,
) -> TrecTable:
    """Return the items of each query, from any layout."""
    scores: Any = (
        check_stored(y_score, "y_score", function)
        if is_sparse(y_score)
        else check_real_array(y_score, "y_score", function)
    )
    truth: Any = y_true if hasattr(y_true, "ndim") else as_ndarray(y_true, "y_true", function)
    if qid is None and truth.ndim == 1 and scores.ndim == 2 and scores.shape[1] > 1:
        expected = "2-D, with one label per element of y_score, or 1-D with `qid`"
        got = f"shape {truth.shape} with y_score of shape {scores.shape}, as with class labels,"
        code = "Pass `y_true[:, None] == classes`, with the class of each column of y_score."
        raise invalid("y_true", function, expected, got, code=code)
    # Series and frames are passed on unchanged, since their index and their columns count.
    as_given = is_sparse(y_score) or is_indexed(y_score)
    given = y_true if is_labelled(y_true) or column_names(y_true) is not None else truth
    data = CallData(function, given, y_score if as_given else scores, qid, where=where)
    check_finite(data)
    if qid is not None:
        ids, query_of_row = np.unique(data.ids, return_inverse=True)
        row = np.argsort(query_of_row, kind="stable")
        query = query_of_row[row]
        item = np.arange(row.size) - np.searchsorted(query, query)
        judged, retrieved = (
            TrecItems(query, item, (row,), values[row])
            for values in (data.true_labels, scores.ravel())
        )
        return TrecTable(function, judged, retrieved, ids.size, ids, [row.shape], data.indexes)
    is_item = None if where is None else np.asarray(where)
    if is_sparse(truth):
        labels = check_sparse(truth, "y_true", function).copy()
        labels.sum_duplicates()
    else:
        labels = data.true_labels
    shapes = [scores.shape[1:]] if is_sparse(scores) else [scores.shape[1:], scores.shape]
    judged, retrieved = items_of(labels, is_item), items_of(scores, is_item)
    return TrecTable(function, judged, retrieved, scores.shape[0], None, shapes, data.indexes)


def check_finite(data: CallData) -> None:
    """Raise unless the data has a valid layout and all items that take part are finite."""
    for _ in check_queries(data, DataNeeds(WHOLE_LIST)).blocks():
        pass


def items_of(values: Any, is_item: NDArray[np.bool_] | None) -> TrecItems:
    """Return the items of a matrix that take part. In a sparse matrix, only stored cells do."""
    if is_sparse(values):
        listed = stored_entries(values)
        if is_item is not None:
            listed = listed.where(is_item[listed.row, listed.column])
        query, item, item_values = listed
    else:
        query, item = np.nonzero(np.ones(values.shape, dtype=bool) if is_item is None else is_item)
        item_values = values[query, item]
    return TrecItems(query, item, (query, item), item_values)


def numbered_queries(table: TrecTable, offset: int, prefix: str) -> list[str]:
    """Return the names of queries, from their row numbers or from their ids in `qid`."""
    if table.ids is None:
        return [f"{prefix}{row + offset}" for row in range(table.n_queries)]
    names = [prefix + name for name in _as_strings(table.ids, "qid", table.function)]
    check_unique(names, "qid", table.function)
    return names


def names_of_queries(table: TrecTable, query_ids: ArrayLike) -> list[str]:
    """Return the names of queries that the caller gave."""
    ids = _as_ids(query_ids, "query_ids", table.function)
    if ids.shape != (table.n_queries,):
        expected = f"of shape ({table.n_queries},), one name per query"
        raise invalid("query_ids", table.function, expected, f"shape {ids.shape}")
    if table.ids is None:  # otherwise they are in the order of the ids
        table.indexes.check("query_ids", query_ids)
    names = _as_strings(ids, "query_ids", table.function)
    check_unique(names, "query_ids", table.function)
    return names


def name_items(
    cells: TrecItems, table: TrecTable, item_ids: ArrayLike | None, prefix: str
) -> list[str]:
    """Return the names of some items."""
    if item_ids is None:
        number = np.flatnonzero(np.bincount(cells.item))
        names = [f"{prefix}{item}" for item in number.tolist()]
        # One string object per column, shared by all queries.
        name_of_column = np.empty(number.max(initial=-1) + 1, dtype=object)
        name_of_column[number] = names
    else:
        ids = check_shape(item_ids, table)
        if ids.ndim == 2 or table.ids is not None:
            table.indexes.check("item_ids", item_ids)
            return _as_strings(ids[cells.place], "item_ids", table.function)
        name_of_column = names_of_items(ids, table.function)
    return list(name_of_column[cells.item].tolist())


def check_shape(item_ids: ArrayLike, table: TrecTable) -> NDArray[Any]:
    """Return the ids of items as an array. Raise if its shape is not allowed."""
    ids = _as_ids(item_ids, "item_ids", table.function)
    if ids.shape not in table.shapes_of_ids:
        expected = f"of shape {' or '.join(map(str, table.shapes_of_ids))}"
        raise invalid("item_ids", table.function, expected, f"shape {ids.shape}")
    return ids


def names_of_items(ids: NDArray[Any], function: str) -> NDArray[Any]:
    """Return the names of the columns as an array of unique strings."""
    names = _as_strings(ids, "item_ids", function)
    check_unique(names, "item_ids", function)
    return np.array(names, dtype=object)


def _as_ids(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return ids as an array. The ids of a list keep their types."""
    check_utf8(values, partial(invalid, parameter, function))
    if not hasattr(values, "dtype"):
        values = np.asarray(values, dtype=object)
    return as_ndarray(values, parameter, function)


def _as_strings(ids: Any, parameter: str, function: str) -> list[str]:
    """Return 1-D ids as strings."""
    ids = check_identifiers(ids, parameter, function)
    if ids.dtype.kind in "mM":  # .tolist() returns ints for some units
        ids = ids.astype(str)
    values = ids.tolist()
    if bytes in set(map(type, values)):
        code = "Decode them: `np.char.decode(ids)`."
        expected = "made of strings, or of objects that `str` converts"
        raise invalid(parameter, function, expected, "bytes", code=code)
    return list(map(str, values))


def check_unique(names: list[str], parameter: str, function: str, query: str = "") -> None:
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        expected = "unique as strings" + (" within a query" if query else "")
        got = f"{show_id(twice)} more than once" + (f" in query {show_id(query)}" if query else "")
        raise invalid(parameter, function, expected, got)


def name_document(item: str, query: str) -> str:
    """Return the name of a document of a query, for error messages."""
    return f"document {show_id(item)} of query {show_id(query)}"


def _name_cell(cells: TrecItems, names: Any, queries: list[str], index: int) -> str:
    """Return the name of the document of an item, given the names of all items and queries."""
    return name_document(names[index], queries[cells.query[index]])


_LEAST_GRADE, _GREATEST_GRADE = -(2**31), 2**31 - 1
"""The grades that trec_eval can read on every platform: those of a 32-bit C long."""


def as_grades(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> NDArray[np.int64]:
    """Return labels as ints. `name` returns the name of the document at an index."""
    if values.dtype.kind == "f":
        values = values.astype(np.result_type(values, np.float64), copy=False)
    is_grade = (values >= _LEAST_GRADE) & (values <= _GREATEST_GRADE)
    if values.dtype.kind == "f":
        is_grade &= np.floor(values) == values
    if not is_grade.all():
        first = int(np.argmin(is_grade))
        advice = "It would truncate them. Round or scale them first."
        if np.isnan(values[first]):
            advice = "Leave out documents that were not judged."
        expected = "made of 32-bit whole numbers, since trec_eval reads grades as such"
        got = f"{values[first]!s} for {name(first)}"
        raise invalid(parameter, function, expected, got, advice)
    return values.astype(np.int64)


def as_exact_floats(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> Floats:
    """Return scores as float64. Raise if a score is not exact as float64."""
    with np.errstate(over="ignore", under="ignore"):
        floats = values.astype(np.float64)
    is_exact = floats == values if values.dtype.kind == "f" else np.abs(floats) < 2**53
    if not is_exact.all():
        first = int(np.argmin(is_exact))
        got = f"{values[first]!s} for {name(first)}"
        expected = "exact as float64, such as ints below 2**53"
        code = "`scipy.stats.rankdata(y_score, method='dense')` keeps their order."
        raise invalid(parameter, function, expected, got, code=code)
    return floats


# --- dicts of pytrec_eval -----------------------------------------------------------------------


_TO, _FROM = "to_pytrec_eval", "from_pytrec_eval"
Qrel = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def dicts_of(
    table: TrecTable, queries: list[str], item_ids: ArrayLike | None, d_prefix: str
) -> tuple[Qrel, Run]:
    """Return labels and scores as dicts. Warn if pytrec_eval finds ties that are none here."""
    judged, retrieved = (
        name_items(cells, table, item_ids, d_prefix) for cells in (table.judged, table.retrieved)
    )
    name_judged = partial(_name_cell, table.judged, judged, queries)
    name_retrieved = partial(_name_cell, table.retrieved, retrieved, queries)
    grades = as_grades(table.judged.values, name_judged, "y_true", _TO)
    scores = as_exact_floats(table.retrieved.values, name_retrieved, "y_score", _TO)
    qrel = _as_dicts(queries, table.judged.query, judged, grades.tolist())
    run = _as_dicts(queries, table.retrieved.query, retrieved, scores.tolist())
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype(np.float32)
    order = np.lexsort((single, table.retrieved.query))
    query, single = table.retrieved.query[order], single[order]
    is_tied = (query[1:] == query[:-1]) & (single[1:] == single[:-1])
    n_tied = np.unique(query[1:][is_tied]).size
    if n_tied:
        warn_caller(
            f"Scores tie as float32 in {n_tied} of {len(queries)} queries. pytrec_eval compares "
            "scores as float32, and ranks tied items by their names as strings, the last one "
            "first: 'd2' before 'd10' before 'd1'.",
            UserWarning,
        )
    return qrel, run


def _as_dicts(
    queries: list[str], query: Positions, names: list[str], values: list[Any]
) -> dict[str, dict[str, Any]]:
    """Return, for each query, a dict from the names of its items to their values."""
    stops = np.cumsum(np.bincount(query, minlength=len(queries))).tolist()
    dicts, start = {}, 0
    for name, stop in zip(queries, stops, strict=True):
        dicts[name] = dict(zip(names[start:stop], values[start:stop], strict=True))
        if len(dicts[name]) < stop - start:
            check_unique(names[start:stop], "item_ids", _TO, name)
        start = stop
    return dicts


def arrays_of_dicts(qrel: Any, run: Any, queries: Any, drop_self: Any) -> RankingData:
    """Return the grades and scores of dicts, for the requested queries."""
    check_option(queries, "queries", _FROM, QUERIES)
    for parameter, value, dicts in (("qrel", "grade", qrel), ("run", "score", run)):
        if not isinstance(dicts, Mapping) or not all(
            isinstance(documents, Mapping) for documents in dicts.values()
        ):
            expected = f"a dict of dicts, {{query: {{document: {value}}}}}"
            raise invalid(parameter, _FROM, expected, describe(dicts))
    for parameter in ("qrel", "run"):
        _check_keys(parameter, "query", qrel, run)
    _check_keys("qrel", "document", qrel, run)
    _check_queries(qrel, run, queries)
    all_ids = np.array(sorted(qrel.keys() | run.keys()), dtype=object)
    is_judged, is_predicted = (
        np.array([query in dicts for query in all_ids.tolist()]) for dicts in (qrel, run)
    )
    numbers = np.flatnonzero(is_judged), np.flatnonzero(is_predicted)
    joined = JoinedQueries(all_ids, is_judged, is_predicted, *numbers)
    is_kept = are_chosen(joined, "judged" if queries == "equal" else queries)
    rows = all_ids[is_kept].tolist()
    notes = []
    if check_bool(drop_self, "drop_self", _FROM):
        own = [query for query, row in run.items() if query in row]
        others = {
            query: {document: score for document, score in run[query].items() if document != query}
            for query in own
        }
        run = {**run, **others}
        notes = [f"run: {note_of_dropped(len(own))}"]
    judged, retrieved = ([dicts.get(query, {}) for query in rows] for dicts in (qrel, run))
    source = _TrecDicts(rows, judged, retrieved, (sample_of(judged), sample_of(retrieved)))
    source.grades()  # It raises if one is wrong.
    seen = replace(see_queries(joined), queries=queries)
    is_listed = is_predicted[is_kept]
    return RankingData.from_source(source, all_ids[is_kept], seen, is_listed, notes=tuple(notes))


@dataclass(frozen=True)
class _TrecDicts:
    """Dicts of the grades and of the scores of documents, which are read when a score asks."""

    queries: list[str]
    judged: list[Mapping[str, int]]
    """The grades of the documents of each query."""
    retrieved: list[Mapping[str, float]]
    """The scores of the documents of each query."""
    samples: tuple[Any, Any]
    """The `sample_of` both when they were passed."""
    came_from: str = "dicts of pytrec_eval"

    def grades(self) -> NDArray[np.int64]:
        """Return the grades of all queries."""
        name = partial(_name_in, self.queries, self.judged)
        return as_grades(_as_numbers(self.judged, name, "qrel"), name, "qrel", _FROM)

    def scores(self) -> Floats:
        """Return the scores of all queries."""
        name = partial(_name_in, self.queries, self.retrieved)
        numbers = _as_numbers(self.retrieved, name, "run")
        is_finite = np.isfinite(numbers)
        if not is_finite.all():
            first = int(np.argmin(is_finite))
            got = f"{numbers[first]} for {name(first)}"
            advice = "Leave out documents that were not retrieved."
            raise invalid("run", _FROM, "made of finite scores", got, advice)
        return as_exact_floats(numbers, name, "run", _FROM)

    def check_samples(self) -> None:
        """Raise if the caller has changed the dicts."""
        dicts = self.judged, self.retrieved
        for parameter, sample, own in zip(("qrel", "run"), self.samples, dicts, strict=True):
            check_sample(sample, own, partial(invalid, parameter, _FROM), parameter)

    def read(self, depth: int) -> ReadItems | None:
        """Return the documents that count if only the ranks up to `depth` do."""
        self.check_samples()
        try:
            queries = np.array(self.queries, dtype=object)
            read = first_of_lists(self.judged, self.retrieved, None, depth, queries)
        except NotPlainError:
            return None
        # Floats need no check, and Python's ints may be too wide.
        return read if read.first.scores.dtype == np.float64 else None

    def in_arrays(self) -> RankingData:
        """Return the grades and the scores as arrays."""
        self.check_samples()
        dicts = (
            dict(zip(self.queries, own, strict=True)) for own in (self.judged, self.retrieved)
        )
        _check_keys("run", "document", *dicts)
        documents = sorted(set().union(*self.judged, *self.retrieved))
        column = {document: number for number, document in enumerate(documents)}
        y_true, _ = _as_csr(self.judged, self.grades(), column)
        y_score, order = _as_csr(self.retrieved, self.scores(), column)
        ids = (np.array(names, dtype=object) for names in (self.queries, documents))
        return RankingData(y_true, y_score, *ids).with_order(order, None)


def _check_queries(
    qrel: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]], queries: str
) -> None:
    """Raise unless the dicts have queries of the kind that the caller asked for."""
    if not qrel:
        raise invalid("qrel", _FROM, "a dict with at least one query", describe(qrel))
    common = qrel.keys() & run.keys()
    if not common and (run or queries == "both"):
        got = f"{_three(qrel)} in qrel and {_three(run)} in run"
        code = "" if run else "With queries='judged', an empty run has retrieved nothing."
        raise invalid("run", _FROM, "a dict with a query in common with qrel", got, code=code)
    absent, not_judged = qrel.keys() - common, run.keys() - common
    if queries == "equal" and (absent or not_judged):
        expected = "a dict with the queries of qrel, and no others, if queries='equal'"
        n_others = f"{len(not_judged)} of {len(run)} queries that are not in qrel"
        got = f"{n_others}, such as {show_id(min(not_judged, default=''))},"
        if absent:
            n_absent = f"{len(absent)} of {len(qrel)} queries"
            got = f"a run without {n_absent}, such as {show_id(min(absent))},"
        raise invalid("run", _FROM, expected, got)
    if not_judged and queries != "all":
        warn_caller(
            f"{len(not_judged)} of {len(run)} queries of run are left out, since they are not in "
            f"qrel, such as {show_id(min(not_judged))}.",
            UserWarning,
        )


def _name_in(queries: list[str], dicts: Sequence[Mapping[str, Any]], index: int) -> str:
    """Return the name of the document at an index of all dicts, for error messages."""
    pairs = (
        (document, query)
        for query, documents in zip(queries, dicts, strict=True)
        for document in documents
    )
    return name_document(*next(islice(pairs, index, None)))


def _check_keys(parameter: str, what: str, qrel: Any, run: Any) -> None:
    """Raise unless the ids of queries or of documents in a parameter are strings."""

    def ids_of(dicts: Any) -> Iterable[Any]:
        return iter(dicts) if what == "query" else chain.from_iterable(dicts.values())

    types = set(map(type, ids_of({"qrel": qrel, "run": run}[parameter])))
    if not all(issubclass(kind, str) for kind in types):
        expected = f"a dict of dicts whose {what} ids are strings"
        got = f"{_three(ids_of(qrel))} in qrel and {_three(ids_of(run))} in run"
        raise invalid(parameter, _FROM, expected, got)


def _three(ids: Iterable[Any]) -> str:
    """Return three of some ids, for error messages. Ids that are not strings come first."""
    ids = list(ids)
    ids.sort(key=lambda value: isinstance(value, str))
    return str(ids[:3])


def _as_numbers(
    dicts: Sequence[Mapping[str, Any]], name: Callable[[int], str], parameter: str
) -> NDArray[Any]:
    """Return the values of dicts as a 1-D array of bools, ints or floats."""
    values = [value for documents in dicts for value in documents.values()]
    if all(issubclass(kind, (Real, np.bool_)) for kind in set(map(type, values))):
        array = as_ndarray(values, parameter, _FROM)
        if array.dtype.kind in "biuf":
            return array
    is_number = [
        isinstance(value, (Real, np.bool_)) and np.asarray(value).dtype.kind in "biuf"
        for value in values
    ]
    first = is_number.index(False)
    got = f"{describe(values[first])} for {name(first)}"
    raise invalid(parameter, _FROM, "made of bools, ints or floats", got)


def _as_csr(
    dicts: Sequence[Mapping[str, Any]], values: NDArray[Any], column: dict[str, int]
) -> tuple[csr_array, Rows | None]:
    """Return the values of dicts as a matrix with one row per dict and one column per key.

    Also return the place of each among the values; None: they came in the order of the columns.
    """
    n_stored = [len(documents) for documents in dicts]
    keys = chain.from_iterable(dicts)
    columns = np.fromiter((column[key] for key in keys), np.intp, count=values.size)
    start = np.concatenate([[0], np.cumsum(n_stored)])
    order = order_of_cells(np.repeat(np.arange(len(dicts)), n_stored), columns, len(column))
    if order is not None:
        values, columns = values[order], columns[order]
    array = as_csr((values, columns, start), shape=(len(dicts), len(column)))
    array.has_sorted_indices = True
    return array, None if order is None else as_rows(order, order.size)


# --- runs ---------------------------------------------------------------------------------------


_WRITE = "write_run"


def write_scores(
    path: Any, y_score: ArrayLike, query_ids: ArrayLike, item_ids: ArrayLike, tag: Any
) -> None:
    """Write scores and the names of queries and items to a file."""
    name = check_path(path, _WRITE)
    tag = check_tag(tag, _WRITE)
    table = _as_table_of_scores(y_score)
    queries = names_of_queries(table, query_ids)
    check_query_ids(queries, _WRITE)
    name_of_column = names_of_items(check_shape(item_ids, table), _WRITE)
    check_ids(name_of_column.tolist(), "item_ids", _WRITE)
    columns, rows = column_names(y_score), row_names(y_score)
    axes = ["index", "column_names" if hasattr(y_score, "column_names") else "columns"]
    if is_labelled(y_score):
        axes = [f"coords[{dimension!r}]" for dimension in cast(Any, y_score).dims]
    if columns is not None:
        _check_order("item_ids", name_of_column.tolist(), columns, axes[1])
    if rows is not None:
        _check_order("query_ids", queries, rows, axes[0])
    cells = table.retrieved
    items = name_of_column[cells.item]
    name_retrieved = partial(_name_cell, cells, items, queries)
    scores = as_exact_floats(cells.values, name_retrieved, "y_score", _WRITE)
    order, rank = _ranked(cells, name_of_column, scores)
    query_of_row = np.array(queries, dtype=object)[cells.query]
    fields = (each.tolist() for each in (query_of_row, items[order], rank, scores[order]))
    write_lines(name, map("{} Q0 {} {} {!r} {}\n".format, *fields, repeat(tag)))


def _check_order(parameter: str, names: list[str], axis_names: Any, axis: str) -> None:
    """Raise if an axis of a frame of scores has the same names in another order."""
    others = [] if type(axis_names).__name__ == "RangeIndex" else list(map(str, axis_names))
    if names != others and sorted(names) == sorted(others):
        place = next(i for i, name in enumerate(names) if name != others[i])
        ours, other = show_id(names[place]), show_id(others[place])
        expected = f"in the order of the {axis} of y_score"
        got = f"{ours} at position {place}, where y_score has {other},"
        raise invalid(parameter, _WRITE, expected, got, code=f"Pass `y_score.{axis}`.")


def _as_table_of_scores(y_score: ArrayLike) -> TrecTable:
    """Return the retrieved items, without judgments."""
    if is_sparse(y_score):
        scores = check_stored(y_score, "y_score", _WRITE)
    else:
        dense = check_real_array(y_score, "y_score", _WRITE)
        if dense.ndim != 2:
            expected = "of shape (n_queries, n_items)"
            code = "For one query pass `[y_score]`." if dense.ndim == 1 else ""
            raise invalid("y_score", _WRITE, expected, f"shape {dense.shape}", code=code)
        values = dense.astype(supported_by_scipy(dense.dtype), copy=False).ravel()
        columns = np.tile(np.arange(dense.shape[1]), len(dense))
        start = np.arange(len(dense) + 1) * dense.shape[1]
        scores = as_csr((values, columns, start), shape=dense.shape)  # also stores zeros
    nothing = as_csr(scores.shape)
    check_finite(CallData(_WRITE, nothing, scores, None))
    judged, retrieved = items_of(nothing, None), items_of(scores, None)
    indexes = CallData(_WRITE, None, y_score).indexes
    return TrecTable(_WRITE, judged, retrieved, scores.shape[0], None, [scores.shape[1:]], indexes)


def _ranked(
    cells: TrecItems, name_of_column: NDArray[Any], scores: Floats
) -> tuple[Positions, Positions]:
    """Return the order of items by query and rank, and the ranks that trec_eval gives them."""
    place_of_column = np.empty(name_of_column.size, dtype=np.intp)
    place_of_column[np.argsort(name_of_column, kind="stable")] = np.arange(name_of_column.size)
    order = np.lexsort((-place_of_column[cells.item], -scores, cells.query))
    return order, np.arange(1, order.size + 1) - np.searchsorted(cells.query, cells.query)
