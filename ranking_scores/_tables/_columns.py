"""Tables of any kind: their columns as arrays, ids as codes and numbers.

A table is a dict of columns, a list of records, or any table that narwhals reads (pandas, polars,
pyarrow and others). Most kinds are known by what they can do. No library is imported before it is
needed: a caller with a column of pandas or polars has imported the library.

The library of a column turns it into codes. It hashes text much faster than NumPy sorts it, and
its categories are codes already. Text of which most is different needs no codes: its bytes are
sorted.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from decimal import Decimal
from functools import partial
from importlib import import_module
from itertools import chain, pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._by_id import ValuesById
from ranking_scores._base._errors import NOWHERE, Place, invalid, show_id, show_names
from ranking_scores._base._ids import (
    LIBRARIES,
    UnusableError,
    as_objects,
    factorize,
    library_of,
    packed_column,
    without_view,
)
from ranking_scores._base._index import Indexes
from ranking_scores._base._packed_text import PackedText, concatenated, packed_objects
from ranking_scores._base._results import as_text
from ranking_scores._base._sorting import unique_inverse
from ranking_scores._base._tensors import array_of_tensor, is_tensor_class
from ranking_scores._base._utf8 import check_utf8, names_in
from ranking_scores._base._validation import (
    are_missing,
    as_ndarray,
    check_identifiers,
    describe,
    supported_by_scipy,
)
from ranking_scores._queries._blocks import CheckedQueries, CountedQueries, names_of_queries
from ranking_scores._queries._data import CallData
from ranking_scores.exceptions import InvalidParameterError

# --- tables of all kinds ------------------------------------------------------------------------


_ROWS_SHOWN = 10


class NotedTable(dict[Any, Any]):
    """A dict that was read from a file, mostly of columns, with what there is to say about it."""

    notes: tuple[str, ...] = ()
    """What was taken for what in the file, and what was skipped, in lines."""
    label_below_0_is_0: bool = False
    """Whether labels below 0 count as 0, as in TREC's files, where they stand for spam."""

    def __repr__(self) -> str:
        """Return the first rows of columns, and how many there are; of other dicts, all."""
        shapes = {getattr(column, "shape", None) for column in self.values()}
        [shape] = shapes if len(shapes) == 1 else [None]
        if shape is None or len(shape) != 1:
            return super().__repr__()
        heads = [map(show_id, column[:_ROWS_SHOWN].tolist()) for column in self.values()]
        more = f", of which the first {_ROWS_SHOWN} are shown" if shape[0] > _ROWS_SHOWN else ""
        table = as_text([*map(str, self)], zip(*heads, strict=True), n_names=len(self))
        return f"{table}\n\n{shape[0]} rows{more}"


def noted(content: dict[Any, Any], *notes: str) -> NotedTable:
    """Return a dict with what there is to say about how it was read."""
    table = NotedTable(content)
    table.notes = notes
    return table


def notes_of(table: Any) -> tuple[str, ...]:
    """Return what there is to say about how a table was read."""
    return table.notes if isinstance(table, NotedTable) else ()


def with_labels_from_0(table: Any) -> Any:
    """Return a table in which labels below 0 are 0, if they count so in its file, and say so."""
    if not (isinstance(table, NotedTable) and table.label_below_0_is_0):
        return table
    labels = table.get("label")
    if not (isinstance(labels, np.ndarray) and labels.dtype.kind in "if"):
        return table  # A caller has put other labels there.
    n_below = np.count_nonzero(labels < 0)
    if not n_below:
        return table
    they = "label below 0 counts" if n_below == 1 else "labels below 0 count"
    note = f"{n_below} {they} as 0: judged, and not relevant"
    return noted(table | {"label": np.maximum(labels, 0)}, *table.notes, note)


def is_frame(values: Any) -> bool:
    """Return whether something is a frame, or another table with names of columns."""
    # Of the type, since a lazy frame of polars warns if it is asked for its columns.
    return hasattr(type(values), "columns") or hasattr(type(values), "column_names")


def is_table(values: Any) -> bool:
    """Return whether something is a table, other than a dict of columns."""
    return is_frame(values) or _is_reader(values) or are_rows(values)


def are_rows(values: Any) -> bool:
    """Return whether something is a list of dicts, one for each row of a table."""
    is_list = isinstance(values, (list, tuple)) and len(values) > 0
    return is_list and all(isinstance(row, Mapping) for row in values)


def as_table_of_records(table: Any, parameter: str, function: str) -> Any:
    """Return an iterable of records as a list of dicts, read once, and other tables unchanged.

    Records are dicts, named tuples or dataclasses, all of one kind.
    """
    if isinstance(table, (Mapping, np.ndarray, str, bytes)) or not isinstance(table, Iterable):
        return table
    if not isinstance(table, (list, tuple)) and any(hasattr(table, name) for name in _OF_TABLES):
        return table
    rows = list(table)
    kind_of = {kind: _kind_of(kind) for kind in set(map(type, rows))}
    kinds = [kind_of[type(row)] for row in rows]
    for number, kind in enumerate(kinds):
        if kind is None or kind != kinds[0]:
            expected = (
                "a table, such as a frame of pandas or polars, a dict of columns, or records of "
                "one kind: dicts, named tuples or dataclasses"
            )
            place = Place(row=number)
            raise invalid(parameter, function, expected, describe(rows[number]), place=place)
    if kinds[:1] == ["named tuple"]:
        return [row._asdict() for row in rows]
    if kinds[:1] == ["dataclass"]:  # a field that is not set is missing, as it is in a dict
        return [{own.name: getattr(row, own.name, None) for own in fields(row)} for row in rows]
    return rows


_OF_TABLES = (
    "columns",
    "column_names",
    "schema",
    "collect_schema",
    "__narwhals_dataframe__",
    "__arrow_c_stream__",
    "__dataframe__",
)
"""Attributes that tables have, and other iterables do not."""


def _kind_of(record: type) -> str | None:
    """Return the kind of the records of a type; None: they are none."""
    if issubclass(record, Mapping):
        return "dict"
    if hasattr(record, "_asdict"):
        return "named tuple"
    return "dataclass" if is_dataclass(record) else None


def _is_reader(values: Any) -> bool:
    """Return whether something reads record batches of pyarrow."""
    return library_of(values) == "pyarrow" and hasattr(values, "read_all")


def in_memory(
    table: Any, parameter: str, function: str, names: Mapping[str, Any] | None = None
) -> Any:
    """Return a table as a dict of columns, a table of pyarrow or a frame.

    It has all columns that are named, and perhaps others. If none are named, it has all columns,
    and a frame is one of narwhals. Otherwise it may also be one of pandas.
    """

    def choose(there: Sequence[Any]) -> list[Any]:
        if names is None:
            return list(there)
        check_names(names, there, parameter, function)
        return list(dict.fromkeys(names.values()))

    if isinstance(table, Mapping):
        choose(list(table))
        return table
    if isinstance(table, list) and not table and names is not None:
        return {name: [] for name in names.values()}  # An empty list has no names of columns.
    if are_rows(table):
        there = list(dict.fromkeys(chain.from_iterable(table)))
        return {name: [row.get(name) for row in table] for name in choose(there)}
    if hasattr(table, "with_format") and hasattr(table, "__len__"):
        # It is a dataset of Hugging Face.
        return table.select_columns(choose(table.column_names)).with_format("arrow")[:]
    if library_of(table) == "pyarrow" and hasattr(table, "schema"):
        columns = choose(names_in(table.schema, partial(invalid, parameter, function)))
        if not _is_reader(table):
            return table.to_table(columns=columns) if hasattr(table, "to_table") else table
        rows = table.read_all()
        if not len(rows):
            expected = "a reader with rows that was not read before, since it can be read once"
            code = "To use a table several times, or without rows, pass `reader.read_all()`."
            raise invalid(parameter, function, expected, "one without rows", code=code)
        return rows
    try:
        narwhals = import_module("narwhals")
    except ImportError as error:
        expected = "a dict of columns if narwhals is not installed"
        advice = "Install narwhals, or pass a dict of columns."
        raise invalid(parameter, function, expected, describe(table), advice) from error
    native = narwhals.to_native(table, pass_through=True)
    if names is not None and narwhals.dependencies.is_pandas_like_dataframe(native):
        choose(list(native.columns))  # They need not be text, or differ.
        return native
    try:
        frame = narwhals.from_native(table)
    except TypeError as error:
        reader = _reader_of(table)
        if reader is None:
            expected = "a table, such as a frame of pandas or polars, or a dict of columns"
            code = "`trec.read_qrels` and `trec.read_run` read files." * isinstance(table, str)
            raise invalid(parameter, function, expected, describe(table), code=code) from error
        return in_memory(reader, parameter, function, names)
    columns = choose(frame.collect_schema().names())
    if hasattr(frame, "collect"):
        frame = frame.select(columns).collect()
    return frame.to_native() if frame.implementation.is_pyarrow() else frame


def _reader_of(table: Any) -> Any:
    """Return a reader of the record batches that an object exports; None: it exports none."""
    if not hasattr(table, "__arrow_c_stream__"):
        return None
    try:
        return import_module("pyarrow").RecordBatchReader.from_stream(table)
    except (ImportError, ValueError):  # A single column raises the latter.
        return None


def check_names(
    names: Mapping[str, Any], there: Sequence[Any], parameter: str, function: str
) -> None:
    """Raise unless a table has each of the named columns once."""
    for keyword, name in names.items():
        number = list(there).count(name)
        if number > 1:
            expected = f"a table with one column {show_id(name)}"
            raise invalid(parameter, function, expected, f"{number} of that name")
        if name not in there:
            code = f"`{keyword}=` takes the name of the column in the table."
            if keyword in ("query", "item") and parameter not in ("table", "a", "b"):
                pair = f"`{keyword}=(in judgments, in predictions)`"
                code = f"If the two tables have different names for it, pass a pair: {pair}."
                if any(isinstance(name, tuple) for name in there):
                    code += " A name that is a tuple must be in a pair, too."
            expected = f"a table with the column {show_id(name)}"
            got = f"the columns {show_names(there)}" if there else "no columns"
            raise invalid(parameter, function, expected, got, code=code)


# --- columns of tables --------------------------------------------------------------------------


Positions = NDArray[np.intp]


class Column(NamedTuple):
    """A column of a table that a caller passed, or the entries of all lists of a parameter."""

    values: Any
    """The column of the table, unchanged."""
    name: Any
    """The name of the column in the table."""
    table: str
    """The parameter that holds the table."""
    function: str
    holder: str = ""
    """What has the values if it is not a table, such as lists, for error messages."""
    rows: Positions | None = None
    """The rows of the table that the values are from; None: all rows."""
    sample: Any = None
    """The `sample_of` an array when it was passed; None: nobody changes the values."""
    are_gains: bool = False
    """Whether they are numbers that the caller passed for labels, so that they are no scores."""

    @property
    def in_each(self) -> str:
        """Where each value is."""
        return "in each place" if self.holder else "in each row"

    def invalid(
        self, expected: str, got: str, advice: str = "", *, code: str = "", place: Place = NOWHERE
    ) -> InvalidParameterError:
        """Return the error about the values of the column."""
        if place.row is not None and self.rows is not None:
            place = place._replace(row=int(self.rows[place.row]))
        if self.holder:
            expected = f"{self.holder} {expected}"
        else:
            place = place._replace(column=self.name)
        return invalid(self.table, self.function, expected, got, advice, code=code, place=place)

    def kept(self) -> Column:
        """Return the column with a copy of its values, or with a sample of a caller's array."""
        values, library = self.values, library_of(self.values)
        if is_tensor_class(type(values)):
            values = array_of_tensor(values)
        if isinstance(values, np.ndarray):
            return self._replace(values=values, sample=sample_of(values))
        if library == "pandas":  # From pandas 3 on, what the caller changes is copied then.
            is_lazy = hasattr(values, "iloc") and import_module("pandas").__version__ >= "3"
            return self._replace(values=values.copy(deep=False) if is_lazy else values.copy())
        return self if library == "pyarrow" else self._replace(values=copy(values))

    def check_sample(self) -> None:
        """Raise if the caller has changed the values."""
        if self.sample is not None:
            check_sample(self.sample, self.values, self.invalid, self.table)

    def at(self, rows: Positions) -> Column:
        """Return the column with some of its rows, in ascending order."""
        values = self.values
        if library_of(values) in ("polars", "pyarrow"):  # A filter reads each chunk once.
            are_kept = np.zeros(len(values), dtype=bool)
            are_kept[rows] = True
            values = without_view(values).filter(are_kept)
        elif isinstance(values, (np.ndarray, PackedText)):
            values = values[rows]
        elif hasattr(values, "take"):  # It is of pandas.
            values = values.take(rows)
        else:
            values = list(map(values.__getitem__, rows.tolist()))
        return self._replace(values=values, rows=rows if self.rows is None else self.rows[rows])


_MOST_IN_SAMPLE, _LIKE_VALUES = 2**13, 10
"""Of more values, some at equal distances are a sample, which takes hardly any time. A list takes
as much time as so many values."""


def sample_of(values: Any) -> Any:
    """Return copies of some values of an array, or of some lists, and what depends on the others.

    This is the sum of numbers of 64 bits, or the length of each list.
    """
    size, some = _part_of(values)
    return size, list(map(_copied, some)) if isinstance(some, list) else some


def _part_of(values: Any) -> tuple[Any, Any]:
    """Return the same without copies of lists."""
    if not isinstance(values, np.ndarray):
        try:
            length = list(map(len, values))
        except TypeError:
            length = [0 if row is None else len(row) for row in values]
        return length, values[:: 1 + (sum(length) + _LIKE_VALUES * len(length)) // _MOST_IN_SAMPLE]
    some = values[:: 1 + values.size // _MOST_IN_SAMPLE]
    if values.dtype.hasobject:
        return values.shape, some.tolist()
    is_summed = values.ndim == 1 and values.dtype.itemsize == 8
    total = int(np.asarray(values).view(np.uint64).sum()) if is_summed else 0
    return (values.shape, total), some.tobytes()


def _copied(value: Any) -> Any:
    """Return a copy of a list, a set or a dict, and of the lists or dicts in it."""
    if type(value) is list and value and type(value[0]) in (list, dict):
        return list(map(_copied, value))
    return value.copy() if type(value) in (list, dict, set) else value


def check_sample(
    sample: Any, values: Any, refuse: Callable[..., InvalidParameterError], parameter: str
) -> None:
    """Raise if values are not as they were when their sample was taken."""
    if _part_of(values) != sample:
        code = f"Pass `copy.deepcopy({parameter})` if you change it later."
        expected = "values that stay as they are until the last score is computed"
        raise refuse(expected, "values that were changed", code=code)


class IdColumn(NamedTuple):
    """A column of ids as codes."""

    code: NDArray[np.integer[Any]]
    """The index of the id of each row among the values."""
    values: NDArray[Any] | PackedText
    """The ids, in any order, some perhaps repeated. Text and other objects are in an object array,
    and much text is packed."""
    kind: str
    """The kind of the ids, such as text. Ids of two kinds are never equal. Empty: no ids."""

    def code_at(self, place: Positions) -> Positions:
        """Return the code of each row, given the new place of each of the values."""
        numbers = np.arange(place.size)
        if (place == numbers).all():
            return self.code.astype(np.intp, copy=False)
        return place if np.array_equal(self.code, numbers) else place[self.code]


def places_in_lists(length: Positions) -> Positions:
    """Return the place of each entry in its list, from 0 on, by the lengths of the lists."""
    return np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)


class NumberColumn(NamedTuple):
    """A column of numbers."""

    values: NDArray[Any]
    """The numbers that are not missing."""
    row: Positions | None
    """The rows of these numbers; None: all rows."""


def place_of_row(row: int, query: IdColumn | None) -> Place:
    """Return a row as the place of an error. None: the query is not known."""
    return Place(row=row) if query is None else place_of_query(query.values[query.code[row]], row)


def place_of_query(query: Any, row: int | None = None) -> Place:
    """Return a query by its id, and perhaps one of its rows, as the place of an error."""
    return Place(row=row, query=query, query_is="id")


def read_columns(
    table: Any,
    names: Mapping[str, Any],
    parameter: str,
    function: str,
    *,
    may_hold_lists: bool = False,
) -> dict[str, Column]:
    """Return some columns of a table, by the keywords for their names. No others are read."""
    names = {keyword: name for keyword, name in names.items() if name is not None}
    rows = in_memory(table, parameter, function, names)
    columns = {
        keyword: Column(_column_of(rows, name), name, parameter, function)
        for keyword, name in names.items()
    }
    lengths = {repr(column.name): _length(column, may_hold_lists) for column in columns.values()}
    if len(set(lengths.values())) > 1:
        got = ", ".join(f"{length} in {name}" for name, length in lengths.items())
        raise invalid(parameter, function, "a table whose columns have the same length", got)
    for column in columns.values():
        check_utf8(column.values, column.invalid)
        check_not_masked(column.values, parameter, function)
    if isinstance(table, Mapping):
        indexes = Indexes(function, has_columns=False)
        for column in columns.values():
            indexes.check(f"{parameter}[{show_id(column.name)}]", column.values)
    return columns


def check_not_masked(values: Any, parameter: str, function: str) -> None:
    """Raise if an array has masked elements, which may be read later, or never."""
    if isinstance(values, np.ma.MaskedArray):
        as_ndarray(values, parameter, function)


def in_python(values: Any) -> Any:
    """Return the values of an array or of a column of any library as a list, and None as one."""
    for method in ("to_pylist", "to_list", "tolist", "as_py"):
        if hasattr(values, method):
            return getattr(values, method)()
    return [] if values is None else values


def _column_of(rows: Any, name: Any) -> Any:
    """Return a column of a table that is in memory, as an object of its own library."""
    if isinstance(rows, Mapping):
        return rows[name]
    if library_of(rows) == "pyarrow":
        return rows.column(name)
    if hasattr(rows, "iloc"):  # It is of pandas.
        return rows.iloc[:, list(rows.columns).index(name)]
    return rows.get_column(name).to_native()


def is_name(value: Any) -> bool:
    """Return whether a value may be the name of a column. Arrays and expressions may not."""
    try:
        hash(value)
    except TypeError:
        return False
    return isinstance(value == value, (bool, np.bool_))  # expressions return an expression


def _length(column: Column, may_hold_lists: bool) -> int:
    """Return the number of rows of a column, with one value or perhaps a list in each row."""
    values = column.values
    expected = "one value for each row"
    if type(values).__name__ == "MultiIndex":
        got = f"a MultiIndex of {values.nlevels} levels"
        advice = "Select one level first, for example with `.get_level_values(0)`."
        raise column.invalid(expected, got, code=advice)
    shape: tuple[int, ...] | None = getattr(values, "shape", None)
    if shape is None:
        is_list = isinstance(values, Sequence) and not isinstance(values, (str, bytes))
        shape = (len(values),) if is_list or hasattr(values, "__array__") else ()
    if len(shape) != 1:
        got = f"shape {tuple(shape)}" if shape else describe(values)
        is_other = not shape and isinstance(values, Iterable)
        raise column.invalid(expected, got, "Pass a list or an array." if is_other else "")
    dtype = dtype_of(values)
    nested = None if may_hold_lists else _NESTED.match(dtype)
    if nested:
        advice = "Make one row of each value first, for example with `.explode`."
        if nested["kind"].lower() == "struct":
            advice = "Make a column of one of its fields first."
        raise column.invalid(expected, f"dtype {dtype}", code=advice)
    return int(shape[0])


def has_null(values: Any) -> bool:
    """Return whether a column has missing values, according to its library."""
    if library_of(values) == "pandas":
        return bool(values.isna().any())
    n_null = getattr(values, "null_count", 0)
    return bool(n_null() if callable(n_null) else n_null)


def check_no_null(qid: Column, what: str = "an id") -> None:
    """Raise if a row of a column of ids has no id: null, NaN or None."""
    expected, advice = f"{what} in each row", f"Drop such rows, or give them {what}."
    if has_null(qid.values):
        raise qid.invalid(expected, "null", advice)
    if library_of(qid.values) != "pandas" and _MAY_HAVE_NAN.match(dtype_of(qid.values)):
        try:
            array = np.asarray(qid.values)
            is_missing = are_missing(array)
        except (TypeError, ValueError):  # ids that are not single values are another error
            return
        if is_missing.ndim == 1 and is_missing.any():
            got = str(array[np.argmax(is_missing)])
            raise qid.invalid(expected, "NaN" if got == "nan" else got, advice)


_MAY_HAVE_NAN = re.compile("$|object|float|double|halffloat|datetime64|timedelta64", re.IGNORECASE)
"""The dtypes with missing values that no library counts."""


def dtype_of(values: Any) -> str:
    """Return the name of the dtype of a column in its library; empty: it has no dtype."""
    return str(getattr(values, "dtype", None) or getattr(values, "type", ""))


_NESTED = re.compile(
    "(large_|fixed_size_)?(?P<kind>list|array|struct|map)(_view)?[(<]", re.IGNORECASE
)
"""The dtypes of polars and pyarrow that have several values in a row."""


def read_numbers(column: Column) -> NumberColumn:
    """Return the numbers of a column that are neither null nor NaN."""
    values = _known_to_numpy(column.values)
    library = library_of(values)
    is_missing = None
    if library == "pandas":
        values = import_module("pandas").Series(values)
        is_missing = values.isna().to_numpy()
        values = values[~is_missing] if is_missing.any() else values
    elif library == "polars":
        is_missing = values.is_null().to_numpy()
        values = values.drop_nulls()
    elif library == "pyarrow" and values.null_count:
        is_missing = np.asarray(values.is_null())
        values = values.drop_null()
    try:
        array = as_ndarray(values, column.table, column.function)
    except InvalidParameterError:
        if isinstance(values, list):
            _check_objects(as_objects(values), column, None)  # its error names the place
        raise
    is_odd = array.ndim != 1 or array.dtype.kind in "SU"
    if is_odd and isinstance(values, list) and set(map(type, values)) != {str}:
        _check_objects(as_objects(values), column, None)
    if array.ndim != 1:
        raise column.invalid(_REAL, f"lists, of shape {array.shape}")
    if array.dtype == object:  # It has numbers of Python, and perhaps None.
        _check_objects(array, column, is_missing)
        is_none = are_missing(array)
        array = as_ndarray(array[~is_none].tolist(), column.table, column.function)
        is_missing = is_none if is_missing is None or not is_missing.any() else is_missing
    if array.dtype.kind not in "biuf" and array.size:
        advice = _how_to_number(column) if array.dtype.kind in "OSTU" else ""
        raise column.invalid(_REAL, f"dtype {array.dtype}", code=advice)
    row = None
    if is_missing is not None and is_missing.any():
        row = np.flatnonzero(~is_missing)
    if array.dtype.kind == "f":
        is_number = ~np.isnan(array)
        if not is_number.all():
            row = np.flatnonzero(is_number) if row is None else row[is_number]
            array = array[is_number]
    dtype = supported_by_scipy(array.dtype) if array.size else np.dtype(np.float64)
    return NumberColumn(array.astype(dtype, copy=False), row)


_REAL = "bools, ints or floats"


def _check_objects(
    array: NDArray[Any], column: Column, is_missing: NDArray[np.bool_] | None
) -> None:
    """Raise if one of the objects is neither missing nor a number of Python or NumPy."""
    values = array.tolist()
    others = tuple(
        kind
        for kind in set(map(type, values))
        if not issubclass(kind, (Real, np.bool_)) and kind.__name__ not in ("NoneType", "NAType")
    )
    if others:
        place, value = next(pair for pair in enumerate(values) if isinstance(pair[1], others))
        row = place if is_missing is None else int(np.flatnonzero(~is_missing)[place])
        advice = _how_to_number(column) if isinstance(value, (str, bytes, Decimal)) else ""
        raise column.invalid(_REAL, describe(value), code=advice, place=Place(row=row))


def check_gains(labels: Any, function: str) -> Any:
    """Return the gain of each label of a dict, or None."""
    if labels is None:
        return None
    expected = "a dict of labels and finite gains, such as {'E': 1, 'S': 0.1, 'I': 0}, or None"
    if not isinstance(labels, Mapping) or not labels:
        raise invalid("labels", function, expected, describe(labels))
    for gain in labels.values():
        is_number = isinstance(gain, Real) and not isinstance(gain, (bool, np.bool_))
        if not (is_number and np.isfinite(float(gain))):
            raise invalid("labels", function, expected, f"a dict with the gain {describe(gain)}")
    return labels


ADD_LABEL = "Add each to `labels`"
"""The beginning of the advice about a label without a gain."""


def with_gains(column: Column, gains: Mapping[Any, Any] | None) -> Column:
    """Return a column of labels with the gain of each. Labels that are missing stay so."""
    if gains is None:
        return column
    values = in_python(column.values)
    is_missing = are_missing(as_objects(values))
    labels = [None if missing else own for own, missing in zip(values, is_missing, strict=True)]
    unknown = [own for own in dict.fromkeys(labels) if own is not None and own not in gains]
    if unknown:
        expected = f"labels that `labels` has: {show_names(gains)}"
        place = Place(row=labels.index(unknown[0]))
        raise column.invalid(expected, show_names(unknown), code=f"{ADD_LABEL}.", place=place)
    return column._replace(values=list(map({None: None, **gains}.get, labels)), are_gains=True)


def columns_with_gains(
    columns: dict[str, Column], labels: Any, function: str
) -> dict[str, Column]:
    """Return the columns of a table with the gains of its labels, if a dict has them."""
    gains = check_gains(labels, function)
    if gains is None:
        return columns
    if "label" not in columns:
        expected = "None unless there is a column of labels"
        raise invalid("labels", function, expected, describe(labels))
    return {**columns, "label": with_gains(columns["label"], gains)}


NUMBERS_FIRST = "Convert it to numbers first"
"""The beginning of the advice about text in place of numbers."""


def _how_to_number(column: Column) -> str:
    """Return the advice about a column of text in place of numbers."""
    return f"{NUMBERS_FIRST}, for example with `{how_to_cast(column)}`."


def how_to_cast(column: Column, dtype: type = float) -> str:
    """Return the code that turns a column into floats or text, for advice in an error."""
    name = dtype.__name__
    if isinstance(column.values, Sequence):
        return f"list(map({name}, ...))"
    if library_of(column.values) == "polars":
        return f".cast({name})"
    if library_of(column.values) in ("pyarrow", "pyspark"):
        number = "float64" if library_of(column.values) == "pyarrow" else "double"
        return f'.cast("{number if dtype is float else "string"}")'
    return f".astype({name})"


def _known_to_numpy(values: Any) -> Any:
    """Return ints of 128 bits and UUIDs of pyarrow as objects, and other columns unchanged."""
    if library_of(values) == "polars" and str(values.dtype) in ("Int128", "UInt128"):
        return as_objects(in_python(values))
    if library_of(values) == "pyarrow" and str(getattr(values, "type", "")) == _UUID:
        return as_objects(in_python(values))
    return values


_UUID = "extension<arrow.uuid>"


def read_ids(column: Column, query: IdColumn | None = None) -> IdColumn:
    """Return ids as codes. No id may be missing. `query` is the query of each row."""
    values = _known_to_numpy(column.values)
    packed = values if isinstance(values, PackedText) else packed_column(values)
    if packed is not None and packed.size:
        return IdColumn(packed.row, packed.values, "text")
    if isinstance(values, (list, tuple)):  # Then each value keeps its type.
        values = as_objects(values)
    elif library_of(values) not in LIBRARIES:
        values = as_ndarray(values, column.table, column.function)
        if values.dtype.kind in "cV":
            raise column.invalid("ids that are text, numbers or dates", f"dtype {values.dtype}")
    try:
        code, values = factorize(values)
        is_missing = np.append(are_missing(values), True)  # the last one is for the code -1
        if is_missing[:-1].any() or code.min(initial=0) < 0:
            place = place_of_row(int(np.argmax(is_missing[code])), query)
            drop = "Leave them out" if column.holder else "Drop such rows"
            advice = f"{drop}, or give them an id."
            raise column.invalid(f"an id {column.in_each}", "null", advice, place=place)
        plain, kind = _plain(values)
        if kind == DATES and _HAS_ZONE.search(dtype_of(column.values)):
            kind = DATES_IN_ZONE
        return IdColumn(code, plain, kind)
    except UnusableError as error:
        raise column.invalid("ids that can be told apart", str(error)) from error


DATES, DATES_IN_ZONE = "dates", "dates with a time zone"
_HAS_ZONE = re.compile(r"tz=|time_zone='|datetime64\[\w+, ")
"""In the dtypes of pyarrow, polars and pandas."""


def _plain(ids: NDArray[Any]) -> tuple[NDArray[Any], str]:
    """Return unique ids in the dtype of their kind, and the kind."""
    if ids.size == 0:
        return np.empty(0, dtype=object), ""
    kind = ids.dtype.kind
    if kind in "iuf":
        return _plain_numbers(ids), "numbers"
    if kind in "bmM":
        return ids, {"b": "bools", "m": "durations", "M": DATES}[kind]
    values = ids.tolist()
    types = set(map(type, values))

    def are(*bases: type) -> bool:
        return all(issubclass(kind, bases) for kind in types)

    if are(str):
        return as_objects(values), "text"
    if are(bool, np.bool_):
        return np.array(values, dtype=bool), "bools"
    if are(datetime.timedelta, np.timedelta64):
        return _of_one_unit(list(map(as_timedelta64, values))), "durations"
    # A duration of NumPy is also an integer of NumPy.
    if are(int, float, Decimal, np.integer, np.floating) and np.timedelta64 not in types:
        return _numbers_in(values), "numbers"
    if are(datetime.date, np.datetime64):
        have_zone = {getattr(date, "tzinfo", None) is not None for date in values}
        if len(have_zone) > 1:
            raise UnusableError(f"{DATES_IN_ZONE} beside dates without one")
        dates = _of_one_unit(list(map(as_datetime64, values)))
        return dates, DATES_IN_ZONE if True in have_zone else DATES
    return as_objects(values), "bytes" if are(bytes) else "objects"


def _plain_numbers(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as int64 if they fit, else as uint64 or float64."""
    if numbers.dtype == np.float16:  # it cannot hold 2**63
        numbers = numbers.astype(np.float64)
    if numbers.dtype.kind == "f":
        is_whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < 2**63)
        return numbers.astype(np.int64 if is_whole.all() else np.float64)
    is_wide = numbers.dtype == np.uint64 and int(numbers.max()) >= 2**63
    return numbers.astype(np.uint64 if is_wide else np.int64, copy=False)


def _numbers_in(values: list[Any]) -> NDArray[Any]:
    """Return numbers in a dtype that holds them all, or as objects if there is none."""
    values = list(map(_plain_number, values))
    if not all(isinstance(value, int) for value in values):
        floats = np.array(values, dtype=np.float64)
        return floats if floats.tolist() == values else as_objects(values)
    lowest, highest = min(values), max(values)
    for dtype in (np.int64, np.uint64):
        if np.iinfo(dtype).min <= lowest and highest <= np.iinfo(dtype).max:
            return np.array(values, dtype=dtype)
    return as_objects(values)


def _plain_number(number: Any) -> int | float | Decimal:
    """Return a number as an int if it is whole, else unchanged or as a float that equals it."""
    if isinstance(number, Decimal):
        is_whole = number.is_finite() and number == number.to_integral_value()
        return int(number) if is_whole else number
    return int(number) if number == number // 1 else float(number)


def as_datetime64(date: Any) -> np.datetime64:
    """Return a date or a time, in UTC if it has a time zone."""
    if hasattr(date, "to_datetime64"):  # a Timestamp of pandas has nanoseconds
        return np.datetime64(date.to_datetime64())
    if isinstance(date, datetime.datetime) and date.tzinfo is not None:
        date = date.astimezone(datetime.UTC).replace(tzinfo=None)
    return np.datetime64(date)


def as_timedelta64(duration: Any) -> np.timedelta64:
    """Return a duration."""
    if hasattr(duration, "to_timedelta64"):  # a Timedelta of pandas has nanoseconds
        return np.timedelta64(duration.to_timedelta64())
    if isinstance(duration, np.timedelta64):
        return duration
    n_microseconds = duration // datetime.timedelta(microseconds=1)
    if abs(n_microseconds) >= 2**63:  # NumPy would wrap it around
        raise UnusableError(f"{show_id(duration)}, which 64 bits do not hold,")
    return np.timedelta64(n_microseconds, "us")


_UNITS = ("as", "fs", "ps", "ns", "us", "ms", "s", "m", "h", "D", "W", "M", "Y")


def _of_one_unit(values: list[Any]) -> NDArray[Any]:
    """Return dates or durations, perhaps in different units, as an array."""
    dtypes = [value.dtype for value in values]
    places = [[i for i, own in enumerate(dtypes) if own == dtype] for dtype in set(dtypes)]
    parts = in_one_unit([np.array([values[i] for i in place]) for place in places])
    array = np.empty(len(values), parts[0].dtype)
    for place, part in zip(places, parts, strict=True):
        array[place] = part
    return array


def in_one_unit(arrays: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return dates or durations in the finest of their units, or in the next unit that holds them.

    NumPy wraps values that a unit cannot hold, without any error.
    """
    dtypes = {array.dtype for array in arrays}
    if len(dtypes) == 1:
        return list(arrays)
    names = {np.datetime_data(dtype)[0] for dtype in dtypes}
    for unit in _UNITS[min(map(_UNITS.index, names - {"generic"}), default=0) :]:
        dtype = np.dtype(f"{arrays[0].dtype.kind}8[{unit}]")
        try:
            converted = [array.astype(dtype, casting="same_kind") for array in arrays]
            pairs = zip(converted, arrays, strict=True)
            if all((new.astype(old.dtype) == old).all() for new, old in pairs):
                return converted
        except (TypeError, OverflowError):  # No unit has years and days, or attoseconds.
            continue
    shown = " and ".join(sorted(map(str, dtypes)))
    raise UnusableError(f"{shown}, of which no unit holds all values,")


def join_ids(
    first: IdColumn, second: IdColumn
) -> tuple[NDArray[Any] | PackedText, Positions, Positions]:
    """Return the unique ids of two columns of one kind, sorted, and where those of each are.

    Ids that do not sort are sorted by type and `repr`.
    """
    arrays = [ids.values for ids in (first, second) if ids.values.size]
    n_first = first.values.size
    ids: NDArray[Any] | PackedText
    if (first.kind or second.kind) == "text":
        texts = [ids if isinstance(ids, PackedText) else packed_objects(ids) for ids in arrays]
        ids, place = concatenated(texts).sorted_unique()
        return ids, place[:n_first], place[n_first:]
    kinds = {array.dtype.kind for array in arrays}
    if len(kinds) <= 1 and "O" not in kinds:
        ids, place = unique_inverse(np.concatenate(arrays or [first.values]))
    else:
        values = [value for array in arrays for value in array.tolist()]
        in_order = sort_ids(dict.fromkeys(values))
        code = dict(zip(in_order, range(len(in_order)), strict=True))
        place = np.fromiter(map(code.__getitem__, values), np.intp, count=len(values))
        is_number = (first.kind or second.kind) == "numbers"
        ids = _numbers_in(in_order) if is_number else as_objects(in_order)
    return ids, place[:n_first], place[n_first:]


def unique_ids(ids: IdColumn) -> tuple[NDArray[Any] | PackedText, Positions]:
    """Return the different ids of one column, sorted, and which of them each row has."""
    unique, place, _ = join_ids(ids, NO_IDS)
    return unique, ids.code_at(place)


NO_IDS = IdColumn(np.empty(0, np.intp), np.empty(0, object), "")


def sort_ids(values: Iterable[Any]) -> list[Any]:
    """Return ids in order, by type and `repr` if they do not sort."""
    try:
        in_order = sorted(values)
        if all(one < other for one, other in pairwise(in_order)):  # Sets have no such order.
            return in_order
    except TypeError:
        pass
    return sorted(values, key=lambda value: (type(value).__name__, repr(value)))


# --- groups of queries --------------------------------------------------------------------------


def check_groups(
    by: Any,
    ids: NDArray[Any] | None,
    queries: CheckedQueries | CountedQueries,
    data: CallData,
    results: Collection[str],
) -> dict[str, NDArray[Any]]:
    """Return the group of each query, for each grouping. `ids` are those of the queries."""
    function, groups = data.function, {}
    for grouping, given in groupings_of(by, function).items():
        if grouping in results:
            got = f"{show_id(grouping)}, the name of a result,"
            raise invalid("by", function, "a dict whose keys are not names of results", got)
        if not isinstance(grouping, str) or not grouping:
            got = f"the key {describe(grouping)}"
            raise invalid("by", function, "a dict whose keys are names", got)
        key = grouping if given is not by else None
        groups[grouping] = names_of_queries(given, "by", ids, queries, data, key)
    return groups


def groupings_of(by: Any, function: str) -> dict[str, Any]:
    """Return the groupings by their names."""
    if by is None:
        return {}
    if isinstance(by, Mapping) and not _are_groups(by.values()):
        return dict(by)
    if is_table(by):
        return dict(_groupings_of_table(by, function))
    name = getattr(by, "name", None)
    return {name if isinstance(name, str) and name else "group": by}


def _are_groups(values: Collection[Any]) -> bool:
    """Return whether the values of a dict are groups, rather than arrays of them."""
    return len(values) > 0 and all(
        isinstance(value, (str, bytes)) or not hasattr(value, "__len__") for value in values
    )


def _groupings_of_table(by: Any, function: str) -> Iterator[tuple[str, ValuesById]]:
    """Yield the groupings of a table, whose first column has the ids of the queries."""
    rows = in_memory(by, "by", function)
    names = getattr(rows, "columns", rows)
    if library_of(rows) == "pyarrow":
        names = names_in(rows.schema, partial(invalid, "by", function))
    names_by_number = {str(number): name for number, name in enumerate(names)}
    ids, *groupings = read_columns(rows, names_by_number, "by", function).values()
    if not groupings:
        expected = "a table with the ids of the queries in its first column, and then their groups"
        got = f"the column {show_id(ids.name)} alone"
        code = f"A Series, such as `by[{show_id(ids.name)}]`, may have the ids as its index."
        raise invalid("by", function, expected, got, code=code)
    keys = check_identifiers(ids.values, "by", function)
    form = f"a table whose first column, {show_id(ids.name)}, has the id of each query once"
    advice = "a filter of its rows", "Put the column of the ids first."
    for column in groupings:
        yield str(column.name), ValuesById(keys, column.values, form, *advice)
