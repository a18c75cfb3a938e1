"""Converts arrays to the dicts that pytrec_eval takes, and such dicts to arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from ranking_scores._base import (
    as_ndarray,
    check_bool,
    check_option,
    describe,
    invalid,
    order_of_cells,
    show_id,
    warn_caller,
)
from ranking_scores._tables._cells import Rows, as_rows
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._first_of_lists import first_of_lists
from ranking_scores._tables._named_items import (
    Floats,
    Table,
    as_exact_floats,
    as_grades,
    check_unique,
    name_document,
    name_items,
)
from ranking_scores._tables._own_ids import note_of_dropped
from ranking_scores._tables._ranking_data import RankingData, Read
from ranking_scores._tables._which_queries import QUERIES, see_queries_of_dicts

_TO, _FROM = "to_pytrec_eval", "from_pytrec_eval"
Qrel = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


class _TrecData(RankingData):
    """The result of `from_pytrec_eval`, with the old name of its last field."""

    @property
    def document_ids(self) -> list[str]:
        """The ids of the columns, as a list."""
        text = "`document_ids` of the result of from_pytrec_eval is now `item_ids`, an array."
        warnings.warn(text, FutureWarning, stacklevel=2)
        return list(self.item_ids.tolist())


def dicts_of(
    table: Table, queries: list[str], item_ids: ArrayLike | None, d_prefix: str
) -> tuple[Qrel, Run]:
    """Return labels and scores as dicts. Warn if pytrec_eval finds ties that are none here."""
    judged, retrieved = (
        name_items(cells, table, item_ids, d_prefix) for cells in (table.judged, table.retrieved)
    )

    def name_judged(index: int) -> str:
        return name_document(judged[index], queries[table.judged.query[index]])

    def name_retrieved(index: int) -> str:
        return name_document(retrieved[index], queries[table.retrieved.query[index]])

    grades = as_grades(table.judged.values, name_judged, "y_true", _TO)
    scores = as_exact_floats(table.retrieved.values, name_retrieved, "y_score", _TO)
    qrel = _as_dicts(queries, table.judged.query, judged, grades.tolist())
    run = _as_dicts(queries, table.retrieved.query, retrieved, scores.tolist())
    n_tied = _count_tied_as_float32(table.retrieved.query, scores)
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
    dicts = {}
    start = 0
    for name, stop in zip(queries, stops, strict=True):
        dicts[name] = dict(zip(names[start:stop], values[start:stop], strict=True))
        if len(dicts[name]) < stop - start:
            check_unique(names[start:stop], "item_ids", _TO, name)
        start = stop
    return dicts


def _count_tied_as_float32(query: Positions, scores: Floats) -> int:
    """Return the number of queries in which some scores are equal as float32."""
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype(np.float32)
    order = np.lexsort((single, query))
    query, single = query[order], single[order]
    is_tied = (query[1:] == query[:-1]) & (single[1:] == single[:-1])
    return int(np.unique(query[1:][is_tied]).size)


def arrays_of_dicts(
    qrel: Any, run: Any, queries: Any, missing: Any, drop_self: Any
) -> RankingData:
    """Return the grades and scores of dicts, for the requested queries."""
    if missing is not None:
        queries = _replace_missing(missing, queries)
    check_option(queries, "queries", _FROM, QUERIES)
    _check_dicts(qrel, run)
    for parameter in ("qrel", "run"):
        _check_keys(parameter, "query", qrel, run)
    _check_keys("qrel", "document", qrel, run)
    rows = _queries_of(qrel, run, queries, may_leave_out=missing == "raise")
    notes = []
    if check_bool(drop_self, "drop_self", _FROM):
        own = [query for query, row in run.items() if query in row]
        run = {**run, **{query: _without(run[query], query) for query in own}}
        notes = [f"run: {note_of_dropped(len(own))}"]
    source = _Dicts(
        rows, [qrel.get(each, {}) for each in rows], [run.get(each, {}) for each in rows]
    )
    source.grades()  # raises if one is wrong
    seen = see_queries_of_dicts(qrel, run, queries)
    is_listed = np.array([each in run for each in rows], dtype=bool)
    ids = np.array(rows, dtype=object)
    return _TrecData.from_source(source, ids, seen, is_listed, notes=tuple(notes))


def _without(row: Mapping[str, float], document: str) -> dict[str, float]:
    """Return the scores of documents without one of them."""
    return {each: score for each, score in row.items() if each != document}


class _Dicts(NamedTuple):
    """Dicts of the grades and of the scores of documents, which are read when a score asks."""

    queries: list[str]
    judged: list[Mapping[str, int]]
    """The grades of the documents of each query."""
    retrieved: list[Mapping[str, float]]
    """The scores of the documents of each query."""

    @property
    def came_from(self) -> str:
        """The form in which a caller has them."""
        return "dicts of pytrec_eval"

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

    def read(self, depth: int) -> Read | None:
        """Return the documents that count if only the ranks up to `depth` do."""
        read = first_of_lists(self.judged, self.retrieved, None, depth)
        # Floats need no check, and Python's ints may be too wide.
        return read if read is not None and read.first.scores.dtype == np.float64 else None

    def in_arrays(self) -> RankingData:
        """Return the grades and the scores as arrays."""
        dicts = (dict(zip(self.queries, of, strict=True)) for of in (self.judged, self.retrieved))
        _check_keys("run", "document", *dicts)
        documents = sorted(set().union(*self.judged, *self.retrieved))
        column = {document: number for number, document in enumerate(documents)}
        y_true, _ = _as_csr(self.judged, self.grades(), column)
        y_score, order = _as_csr(self.retrieved, self.scores(), column)
        ids = (np.array(each, dtype=object) for each in (self.queries, documents))
        return RankingData(y_true, y_score, *ids).with_order(order, None)


def _queries_of(
    qrel: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    queries: str,
    *,
    may_leave_out: bool,
) -> list[str]:
    """Return the queries that are scored, sorted."""
    if not qrel:
        raise invalid("qrel", _FROM, "a dict with at least one query", describe(qrel))
    common = qrel.keys() & run.keys()
    if not common and (run or queries == "both"):
        got = f"{_three(qrel)} in qrel and {_three(run)} in run"
        code = "" if run else "With queries='judged', an empty run has retrieved nothing."
        raise invalid("run", _FROM, "a dict with a query in common with qrel", got, code=code)
    absent, not_judged = qrel.keys() - common, run.keys() - common
    if queries == "equal" and (absent or (not_judged and not may_leave_out)):
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
    if queries == "all":
        return sorted(qrel.keys() | run.keys())
    return sorted(common if queries == "both" else qrel.keys())


def _name_in(queries: list[str], dicts: Sequence[Mapping[str, Any]], index: int) -> str:
    """Return the name of the document at an index of all dicts, for error messages."""
    pairs = (
        (document, query)
        for query, documents in zip(queries, dicts, strict=True)
        for document in documents
    )
    return name_document(*next(islice(pairs, index, None)))


def _check_dicts(qrel: Any, run: Any) -> None:
    """Raise unless both are dicts of dicts with strings as keys."""
    contents = {"qrel": "grade", "run": "score"}
    for (parameter, value), dicts in zip(contents.items(), (qrel, run), strict=True):
        if not isinstance(dicts, Mapping) or not all(
            isinstance(documents, Mapping) for documents in dicts.values()
        ):
            expected = f"a dict of dicts, {{query: {{document: {value}}}}}"
            raise invalid(parameter, _FROM, expected, describe(dicts))


def _check_keys(parameter: str, what: str, qrel: Any, run: Any) -> None:
    """Raise unless the ids of queries or of documents in a parameter are strings."""
    ids_of: Callable[[Any], Iterable[Any]] = iter if what == "query" else _documents
    if not all(
        issubclass(kind, str)
        for kind in set(map(type, ids_of({"qrel": qrel, "run": run}[parameter])))
    ):
        expected = f"a dict of dicts whose {what} ids are strings"
        got = f"{_three(ids_of(qrel))} in qrel and {_three(ids_of(run))} in run"
        raise invalid(parameter, _FROM, expected, got)


def _documents(dicts: Mapping[Any, Mapping[Any, Any]]) -> Iterable[Any]:
    return chain.from_iterable(dicts.values())


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
    array = csr_array((values, columns, start), shape=(len(dicts), len(column)))
    array.has_sorted_indices = True
    return array, None if order is None else as_rows(order, order.size)


def _replace_missing(missing: Any, queries: Any) -> Any:
    """Return the value of `queries` that is closest to a value of its old name."""
    check_option(missing, "missing", _FROM, ("zero", "skip", "raise"))
    if queries != "judged":
        expected = "None if `queries`, which replaces it, is passed"
        raise invalid("missing", _FROM, expected, describe(missing))
    queries = {"zero": "judged", "skip": "both", "raise": "equal"}[missing]
    more = " That also refuses queries that are only in run." if missing == "raise" else ""
    warn_caller(
        f"The 'missing' parameter of from_pytrec_eval is now called 'queries'. Pass "
        f"queries={queries!r} instead of missing={missing!r}.{more}",
        FutureWarning,
    )
    return queries
