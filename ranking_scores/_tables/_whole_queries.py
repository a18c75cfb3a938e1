"""Whole queries from batches that cut them: the last query of each batch is carried over.

Batches are tables or dicts of arrays. An id that comes back is found. While ids ascend, the last
id is enough to know this.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import islice, pairwise, zip_longest
from typing import Any, NamedTuple

import numpy as np

from ranking_scores._base._errors import invalid, show_id, show_names
from ranking_scores._base._ids import IdRuns, decoded, ids_as_objects, library_of, text_as_objects
from ranking_scores._base._validation import as_identifiers, as_ndarray, check_bool, describe
from ranking_scores._queries._query_ids import cut_into_runs
from ranking_scores._tables._columns import (
    Column,
    check_no_null,
    in_memory,
    is_frame,
    is_name,
    read_columns,
)

_N_IDS_KEPT = 2**16
"""The number of ids that are kept even while they ascend. Unsorted ids cease to long before."""


class QueryBatch(NamedTuple):
    """Rows of queries, some of which may go on in the batches before and after it."""

    rows: Any
    """A table of pyarrow, a dict of NumPy arrays, or a frame of narwhals."""
    qid: Column


def read_batches(
    batches: Iterable[Any], qid: Any, parameter: str, function: str
) -> Iterator[QueryBatch]:
    """Yield the batches that a caller passed, or raise if two have different columns.

    The columns of a batch without rows may have any type.
    """
    first: QueryBatch | None = None
    for rows in batches:
        batch = read_batch(rows, qid, parameter, function)
        first = first or batch
        for expected, got in _differences(first, batch):
            raise invalid(parameter, function, f"tables {expected}", got, "Convert them first.")
        first = first if len(first.qid.values) else batch
        yield batch


def _differences(first: QueryBatch, batch: QueryBatch) -> Iterator[tuple[str, str]]:
    """Yield the expectations that a later batch breaks, and how."""
    tables = batch.rows, first.rows
    kinds = [_kind_of(table) for table in tables]
    if kinds[0] != kinds[1]:
        yield "of one library", " after ".join(kinds)
    names = [_names_of(table) for table in tables]
    if names[0] != names[1]:
        pairs = enumerate(zip_longest(*names, fillvalue=...))
        first_other = next(place for place, (new, old) in pairs if new != old)
        start = first_other if first_other > 5 else 0  # long lists are not shown to their end
        shown = (show_names(columns[start:]) or "no more" for columns in names)
        yield "with the same columns", f"the columns {' after '.join(shown)}"
    if len(first.qid.values) and len(batch.qid.values):
        for name, new, old in _other_types(first, batch):
            yield "whose columns have the same types", f"{new} after {old} in {show_id(name)}"


def _other_types(first: QueryBatch, batch: QueryBatch) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the columns that have other types in a later batch, unless the library joins them.

    pandas joins all types, but would round ids that are ints next to floats.
    """
    if isinstance(batch.rows, Mapping):
        return
    is_arrow = library_of(batch.rows) == "pyarrow"
    if is_arrow or not batch.rows.implementation.is_pandas_like():
        tables = batch.rows, first.rows
        schemas = [table.schema if is_arrow else table.to_native().schema for table in tables]
        for name in [] if schemas[0] == schemas[1] else _names_of(batch.rows):
            new, old = (_type_in(schema, name) for schema in schemas)
            if new != old and not (is_arrow and are_joinable(new, old)):
                yield name, new, old
    elif library_of(batch.qid.values) == "pandas":
        new, old = (getattr(part.qid.values, "dtype", None) for part in (batch, first))
        kinds = {getattr(dtype, "kind", "") for dtype in (new, old)}
        if len(kinds) > 1 and kinds <= {*"iuf"}:
            yield batch.qid.name, new, old


def _type_in(schema: Any, name: Any) -> Any:
    """Return the type of a column in the schema of pyarrow or of polars."""
    return schema.field(name).type if hasattr(schema, "field") else schema[name]


def _kind_of(rows: Any) -> str:
    """Return the name of the kind of a batch, for an error."""
    if isinstance(rows, Mapping):
        return "a dict"
    if library_of(rows) == "pyarrow":
        return "a table of pyarrow"
    return f"a frame of {rows.implementation}".lower()


def _names_of(rows: Any) -> list[Any]:
    """Return the names of the columns, sorted unless their order counts."""
    if isinstance(rows, Mapping):
        return sorted(rows, key=repr)
    return sorted(rows.schema.names) if library_of(rows) == "pyarrow" else list(rows.columns)


def read_batch(batch: Any, qid: Any, parameter: str, function: str) -> QueryBatch:
    """Return a batch that a caller passed."""
    # Lazy tables are read once, since their rows may come in another order the next time.
    rows = in_memory(batch, parameter, function)
    if not isinstance(rows, Mapping):
        [column] = read_columns(rows, {"qid": qid}, parameter, function).values()
        return QueryBatch(as_table(rows) if library_of(rows) == "pyarrow" else rows, column)
    names = {"qid": qid} | {f"column {name!r}": name for name in rows if name != qid}
    columns = read_columns(rows, names, parameter, function)
    arrays = {
        column.name: as_ndarray(
            text_as_objects(column.values), f"{parameter}[{show_id(column.name)}]", function
        )
        for column in columns.values()
    }
    arrays[qid] = as_identifiers(columns["qid"].values, "qid", function)
    column = columns["qid"]._replace(values=arrays[qid])
    return QueryBatch({name: arrays[name] for name in rows}, column)


def as_table(batch: Any) -> Any:
    """Return a table of pyarrow, or a record batch, as a table."""
    is_table = hasattr(batch, "to_batches")
    return batch if is_table else import_module("pyarrow").Table.from_batches([batch])


def cut(rows: Any, start: int, stop: int) -> Any:
    """Return some rows of a batch, without a copy."""
    if isinstance(rows, Mapping):
        return {name: array[start:stop] for name, array in rows.items()}
    is_arrow = library_of(rows) == "pyarrow"
    return rows.slice(start, stop - start) if is_arrow else rows[start:stop]


def cut_copy(rows: Any, start: int, stop: int) -> Any:
    """Return a copy of some rows of a batch. The caller may overwrite the arrays of the batch."""
    if isinstance(rows, Mapping):
        return {name: array[start:stop].copy() for name, array in rows.items()}
    places = np.arange(start, stop)
    if library_of(rows) != "pyarrow":
        return rows[places]
    arrow = import_module("pyarrow")
    try:
        columns = [column.take(places) for column in rows.columns]
        return arrow.Table.from_arrays(columns, schema=rows.schema)
    except arrow.ArrowNotImplementedError:  # It takes no rows of views.
        with arrow.BufferOutputStream() as sink:
            with arrow.ipc.new_stream(sink, rows.schema) as stream:
                stream.write_table(rows.slice(start, stop - start))
            return arrow.ipc.open_stream(sink.getvalue()).read_all()


def whole_pieces(
    batches: Iterable[QueryBatch],
    check: Callable[[list[Any], Column], None] | None,
    *,
    cut_end: Callable[[Any, int, int], Any] = cut,
) -> Iterator[list[Any]]:
    """Yield the rows of batches anew, in pieces that together have whole queries only.

    `check` gets the ids of each batch in the order of the rows, without that of a query that goes
    on from the batch before. `cut_end` cuts off the rows that are kept when the next batch comes.
    """
    held: list[Any] = []
    """The rows of the query that the last batch ended with."""
    last: Any = None
    for rows, qid in batches:
        if len(qid.values) == 0:
            continue
        runs = _runs_of(qid)
        ids = ids_as_objects(runs.ids[runs.which])
        goes_on = bool(held) and ids[0] == last
        if check is not None:
            check(ids[goes_on:], qid)
        start, n_rows = int(runs.start[-1]), runs.n_rows
        if start:
            yield [*held, cut(rows, 0, start)]
            held = []
        elif held and not goes_on:
            yield held
            held = []
        held.append(cut_end(rows, start, n_rows))
        last = ids[-1]
    if held:
        yield held


def _runs_of(qid: Column) -> IdRuns:
    """Return the runs of rows with one id."""
    check_no_null(qid)
    return cut_into_runs(qid.values, qid.function).joined()


def ids_in_rows(qid: Column) -> list[Any]:
    """Return the ids in the order of the rows, one for each run of the same id."""
    runs = _runs_of(qid)
    return ids_as_objects(runs.ids[runs.which])


def join(pieces: list[Any], qid: Any, parameter: str, function: str) -> Any:
    """Return the rows of some pieces as one table, of the kind that the caller passed."""
    first = pieces[0]
    if isinstance(first, Mapping) and len(pieces) == 1:
        return first
    if isinstance(first, Mapping):
        arrays = {name: [piece[name] for piece in pieces] for name in first}
        if len({ids.dtype.kind for ids in arrays[qid]}) > 1:  # NumPy would merge some ids.
            arrays[qid] = [ids.astype(object) for ids in arrays[qid]]
        return {name: np.concatenate(own) for name, own in arrays.items()}
    if library_of(first) == "pyarrow":
        return join_tables(pieces, parameter, function)
    if len(pieces) > 1:
        first = import_module("narwhals").concat(pieces)
    return first.to_native()


def join_tables(pieces: list[Any], parameter: str, function: str) -> Any:
    """Return several pyarrow tables as one. Their columns may have different types."""
    if len(pieces) == 1:
        return pieces[0]
    arrow = import_module("pyarrow")
    if any(piece.schema.types != pieces[0].schema.types for piece in pieces):
        pieces = [
            arrow.Table.from_arrays([*map(decoded, piece.columns)], piece.schema.names)
            for piece in pieces
        ]
    try:
        return arrow.concat_tables(pieces, promote_options="permissive")
    except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
        # Large ints beside floats raise one of them.
        expected = "such that each column has one type"
        got = "values that do not go together in one column"
        raise invalid(parameter, function, expected, got, f"pyarrow says: {error}.") from error


def are_joinable(one: Any, other: Any) -> bool:
    """Return whether pyarrow can join two columns of these types, text and bytes left apart."""
    arrow = import_module("pyarrow")
    kinds = [
        {kind for kind in ("string", "binary") if kind in str(dtype)} for dtype in (one, other)
    ]
    if kinds[0] and kinds[1] and kinds[0] != kinds[1]:
        return False
    nothing = [arrow.table({"": decoded(arrow.nulls(0, dtype))}) for dtype in (one, other)]
    try:
        arrow.concat_tables(nothing, promote_options="permissive")
    except (arrow.ArrowTypeError, arrow.ArrowInvalid):
        return False
    return True


class SeenIds:
    """The ids of queries, none of which may come back.

    While they ascend, the last one is enough. After many ids, only the last one is kept. If the
    ids then cease to ascend, `recall` returns the earlier ones. If it is None, this is an error.
    """

    def __init__(self, code: str, recall: Callable[[], Iterable[list[Any]]] | None) -> None:
        self._code, self._recall = code, recall
        self._last: list[Any] = []
        """The last id; none in the beginning."""
        self._kept: list[Any] = []
        self._n_ids = 0
        self._all: set[Any] | None = None
        """All ids; None: they ascend."""

    def check(self, ids: list[Any], qid: Column) -> None:
        """Take in ids in the order of their rows, or raise if one of them has been there."""
        if self._all is None:
            if _ascend([*self._last, *ids]):
                self._n_ids += len(ids)
                self._last = ids[-1:] or self._last
                self._kept = self._kept + ids if self._n_ids <= _N_IDS_KEPT else []
                return
            if self._n_ids == len(self._kept):
                self._all = as_set(self._kept, qid.function)
            elif self._recall is None:
                pairs = pairwise([*self._last, *ids])
                before, after = next(pair for pair in pairs if not _ascend([*pair]))
                raise self._error(f"{_name(after)} after {_name(before)}", qid, _FORGOTTEN)
            else:
                earlier = (as_set(own, qid.function) for own in self._recall())
                self._all = set().union(*earlier)
        new = as_set(ids, qid.function)
        if len(new) < len(ids) or not new.isdisjoint(self._all):
            known, rest = set(self._all), iter(ids)
            while (query := next(rest)) not in known:
                known.add(query)
            raise self._error(f"{_name(query)} again after other queries", qid)
        self._all |= new

    def _error(self, got: str, qid: Column, reason: str = "") -> Exception:
        expected = "grouped by query"
        advice = f"{reason}Sort the rows by {show_id(qid.name)} first."
        return invalid(qid.table, qid.function, expected, got, advice, code=self._code)


_FORGOTTEN = "Ids that ascended until then are not kept, and may come back. "


def _name(query: Any) -> str:
    return f"query {name_id(query)}"


def _ascend(ids: list[Any]) -> bool:
    """Return whether each id is above the one before it, and so above all before it."""
    try:
        return all(map(operator.lt, ids, islice(ids, 1, None)))
    except TypeError:  # Text and numbers do not compare.
        return False


def name_id(query: Any) -> str:
    """Return the name of an id in a message. A date is kept with its kind, and shown alone."""
    is_date = isinstance(query, tuple) and str(query[0]).startswith(("datetime64", "timedelta64"))
    return str(query[1]) if is_date else repr(query)


def as_set(ids: list[Any], function: str, given: Any = None) -> set[Any]:
    """Return ids as a set, or raise if they cannot be hashed."""
    try:
        return set(ids)
    except (TypeError, ValueError) as error:
        expected = "of ids that can be hashed"
        advice = f"Write them as strings or as numbers: {error}."
        got = describe(ids if given is None else given)
        raise invalid("qid", function, expected, got, advice) from error


def whole_queries(batches: Iterable[Any], *, qid: Any, check_qid: bool = True) -> Iterator[Any]:
    """Regroup batches of rows so that no batch cuts a query.

    A reader that returns a fixed number of rows per batch cuts queries in two, and each half
    would be scored as a query of its own. `whole_queries` carries the last query of each batch
    over to the next one. The resulting batches have only whole queries, and all rows in order.

    Parameters
    ----------
    batches : iterable of tables
        The batches, each with a column of query ids. A batch is one of:

        - a pandas or polars DataFrame, which needs narwhals;
        - a pyarrow table or record batch;
        - a dict of arrays.

        The rows of a query must be adjacent. All batches must have the same columns, of the same
        types. Batches are read one at a time, when they are needed.

    qid : str
        The name of the column of query ids.

    check_qid : bool, default=True
        Whether to raise an error if an id comes back after other queries. The first 65536 ids are
        kept. As long as ids ascend, only the last one is kept beside them, otherwise all of them.
        Ids that ascend beyond the first 65536 and then stop ascending are an error, too. Pass
        False if you know that every query comes once, with its rows adjacent. Then no ids are
        kept.

    Returns
    -------
    whole : iterator of tables
        The regrouped batches, of the same type as the input. Record batches become tables, and
        the arrays of dicts become NumPy arrays. Each has the rows that were carried over, then
        the rows of one batch without those of its last query.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. Errors in a batch are raised when it is read: if
        it is not a table, if it has no column `qid` or other columns than the first batch, if an
        id is missing, or if a query comes back. The error is of both types, as in scikit-learn.

    See Also
    --------
    StreamingScore : Computes the scores of data that comes in batches.
    ranking_scores.scale.report : Does all of this for files and batches.

    Notes
    -----
    The time is linear in the number of rows, even if a query takes a thousand batches, since its
    rows are concatenated once. The memory is that of two batches and of the longest query. The
    rows that are carried over are copied, so a reader may reuse its arrays. The other rows are
    not copied: use them before the next batch is read, or copy them.

    A stream of these batches need not check the ids again, so pass ``check_qid=False`` to it. The
    stream then does not keep one id per query. If the ids ascend only within each of several
    parts, do the opposite: pass ``check_qid=False`` here, and leave it True in the stream, which
    keeps all ids.

    Examples
    --------
    >>> from ranking_scores import StreamingScore, ndcg_score
    >>> from ranking_scores.streaming import whole_queries
    >>> batches = [
    ...     {"y_true": [0, 1, 1], "y_score": [0.1, 0.3, 0.2], "qid": ["a", "a", "b"]},
    ...     {"y_true": [0, 2], "y_score": [0.4, 0.1], "qid": ["b", "c"]},
    ... ]
    >>> ndcg = StreamingScore(ndcg_score, check_qid=False)
    >>> for batch in whole_queries(batches, qid="qid"):
    ...     print(batch["qid"])
    ...     ndcg.update(**batch)
    ['a' 'a']
    ['b' 'b']
    ['c']
    >>> ndcg.compute()
    0.876...
    """
    function = "whole_queries"
    is_one = isinstance(batches, (str, bytes, Mapping)) or is_frame(batches)
    if is_one or not isinstance(batches, Iterable):
        advice = "Pass a table as the only one of a list." * is_frame(batches)
        raise invalid("batches", function, "an iterable of tables", describe(batches), advice)
    if qid is None or not is_name(qid):
        advice = "Batches whose rows are lists have whole queries already." if qid is None else ""
        raise invalid("qid", function, "the name of a column", describe(qid), advice)
    seen = SeenIds(_LEFT_TO_STREAM, None) if check_bool(check_qid, "check_qid", function) else None
    read = read_batches(batches, qid, "batches", function)
    pieces = whole_pieces(read, None if seen is None else seen.check, cut_end=cut_copy)
    return (join(piece, qid, "batches", function) for piece in pieces)


_LEFT_TO_STREAM = (
    "If a data loader shuffles them, pass shuffle=False to it. If every query comes whole and "
    "only once, pass check_qid=False. With check_qid=True, StreamingScore still finds a query "
    "that comes back, since it keeps all ids."
)
