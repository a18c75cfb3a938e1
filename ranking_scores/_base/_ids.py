"""Ids as codes: ints that are equal if the ids are equal.

The library of a column hashes text much faster than NumPy sorts it, and has codes for categories
already. Text without such a library also goes through a hash table. No library is imported before
it is needed: a caller with a column of pandas or polars has imported the library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._packed_text import PackedText, packed_arrow, packed_bytes
from ranking_scores._base._sorting import (
    dense_extent,
    start_runs,
    unique_addresses,
    unique_inverse,
    unique_text,
)

Positions = NDArray[np.intp]


class UnusableError(Exception):
    """The error about ids that cannot be compared with each other. Its text describes the ids."""


class IdRuns(NamedTuple):
    """Runs of rows with the same id."""

    ids: NDArray[Any]
    """The ids, in any order. Some ids may be repeated."""
    which: Positions
    """The index of the id of each run."""
    start: Positions
    """The row at which each run starts."""
    length: Positions
    """The number of rows of each run."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.length.sum())

    @property
    def which_of_row(self) -> Positions:
        """The index of the id of each row."""
        if self.which.size == self.n_rows:  # and so each run is one row
            return self.which
        return np.repeat(self.which, self.length)

    @property
    def sizes(self) -> Positions:
        """The number of rows of each id."""
        sizes = np.zeros(self.ids.size, dtype=np.intp)
        np.add.at(sizes, self.which, self.length)
        return sizes

    def joined(self) -> IdRuns:
        """Return the runs with neighbours of the same id joined."""
        first = np.flatnonzero(start_runs(self.which))
        length = np.add.reduceat(self.length, first)
        return IdRuns(self.ids, self.which[first], self.start[first], length)


def library_of(values: Any) -> str:
    """Return the package that a column comes from."""
    return type(values).__module__.partition(".")[0]


def decoded(values: Any) -> Any:
    """Return a column that NumPy would misread in another form, and other values unchanged."""
    if library_of(values) == "polars" and str(getattr(values, "dtype", "")) in _TEXT_IN_POLARS:
        return values.to_numpy()  # NumPy would make all texts as wide as the longest
    # NumPy gets wrong values if a chunk of 8-bit codes has a null.
    is_dictionary = library_of(values) == "pyarrow" and str(
        getattr(values, "type", "")
    ).startswith("dictionary")
    return without_view(values.cast(values.type.value_type) if is_dictionary else values)


def without_view(values: Any) -> Any:
    """Return a column of views of pyarrow as plain text or bytes, and other values unchanged."""
    kind = str(getattr(values, "type", "")) if library_of(values) == "pyarrow" else ""
    # pyarrow cannot take rows of views, or join them with other text.
    if kind not in _VIEWS:
        return values
    # By way of Python, since older versions cannot cast views.
    return import_module("pyarrow").array(values.to_pylist(), kind.removesuffix("_view"))


_VIEWS = ("string_view", "binary_view")
_TEXT_IN_ARROW = ("string", "large_string")
_TEXT_IN_PANDAS = ("str", "string", "string[pyarrow]")
_TEXT_IN_POLARS = ("String", "Utf8")


def as_objects(values: Iterable[Any]) -> NDArray[Any]:
    """Return values as an array of objects, each unchanged."""
    return np.fromiter(values, dtype=object)


def text_as_objects(values: Any) -> Any:
    """Return a list that has text as an array of objects, and other values unchanged.

    NumPy would make all texts as wide as the longest, and drop a null character at their end.
    """
    is_list = isinstance(values, (list, tuple))
    has_text = is_list and any(issubclass(each, (str, bytes)) for each in set(map(type, values)))
    return as_objects(values) if has_text else values


def ids_as_objects(ids: NDArray[Any]) -> list[Any]:
    """Return ids as Python objects that are equal where the ids are, also across batches."""
    kind = ids.dtype.kind
    if kind not in "mM":
        return list(ids.tolist())
    # NumPy would make numbers of dates in nanoseconds, and those may be ids of other batches.
    if kind == "m":
        return [(str(ids.dtype), count) for count in ids.view(np.int64).tolist()]
    text = np.datetime_as_string(ids, unit="as", casting="unsafe")
    return [("datetime64", date) for date in text.tolist()]


def python_ids(ids: NDArray[Any]) -> list[Any]:
    """Return ids as Python has them, and dates as dates of NumPy, which keep their unit."""
    return list(ids) if ids.dtype.kind in "mM" else list(ids.tolist())


def cut_runs(values: NDArray[Any]) -> tuple[NDArray[Any], Positions, Positions]:
    """Return the value of each run of equal values, and the starts and lengths of the runs.

    If the first values differ, as in shuffled rows, each value is a run of its own.
    """
    if _are_shuffled(values):
        ones = np.broadcast_to(np.intp(1), values.shape)  # which takes no memory
        return values, np.arange(values.size), ones
    start = np.flatnonzero(start_runs(values))
    return values[start], start, np.diff(start, append=values.size)


def _are_shuffled(values: NDArray[Any]) -> bool:
    """Return whether most of the first values differ from the value before them."""
    first = values[:1000]
    return bool(2 * np.count_nonzero(start_runs(first)) > first.size)


def runs_of_column(values: Any) -> IdRuns | None:
    """Return the runs of text or of categories in a column of pandas, polars or pyarrow.

    None: the column holds something else, or an id is missing.
    """
    read = _READ.get(library_of(values))
    column = None if read is None else read(values)
    if column is None:
        return None
    code, take = column
    run_value, start, length = cut_runs(code)
    which, run = _distinct(run_value)
    return IdRuns(np.asarray(decoded(take(start[run]))), which, start, length)


def pack_text(values: Any) -> PackedText | None:
    """Return a column of text of pandas, polars or pyarrow as packed text.

    None: the column holds something else, or an id is missing.
    """
    pack = _PACK.get(library_of(values))
    return None if pack is None or not len(values) else pack(values)


def packed_column(values: Any) -> PackedText | None:
    """Return a long column of text of pandas, polars or pyarrow, if most of it is different.

    Its library finds the different texts sooner if they are few. None: these are few, the column
    is short or holds something else, or an id is missing.
    """
    pack = _PACK.get(library_of(values))
    if pack is None or len(values) < _MANY_ROWS:
        return None
    # Some rows at random, since texts may be repeated at any distance.
    rows = np.random.default_rng(0).integers(len(values), size=_SAMPLE)
    sample = pack(values.gather(rows) if hasattr(values, "gather") else values.take(rows))
    if sample is None or sample.sorted_unique()[0].size < 0.9 * _SAMPLE:
        return None
    return pack(values)


_MANY_ROWS, _SAMPLE = 2**18, 2**14
"""From how many rows on it matters whether most of them differ, and how many of them show it."""


def runs_of_text(array: NDArray[Any]) -> IdRuns | None:
    """Return the runs of text in an array; None: not all ids are text."""
    if array.dtype.kind not in "SUO" or array.size == 0 or not _are_text(array[:1]):
        return None
    try:
        run_value, start, length = cut_runs(array)
        which, run = _unique_text(run_value)
    except (TypeError, ValueError):  # missing values or arrays among the objects
        return None
    ids = run_value[run]
    return IdRuns(ids, which, start, length) if _are_text(ids) else None


def factorize(values: Any) -> tuple[Positions, NDArray[Any]]:
    """Return codes of ids, and the id of each code. Missing ids have a code, too, or -1."""
    try:
        if library_of(values) == "pandas" and str(values.dtype) != "category":
            return _factorize_pandas(values)
        runs = runs_of_column(values)
        if runs is None:
            return _factorize_array(np.asarray(decoded(values)))
        code, unique = _factorize_array(runs.ids)
        return code[runs.which_of_row], unique
    except TypeError as error:  # a type that cannot be hashed
        raise UnusableError(str(error)) from error


def _distinct(code: NDArray[Any]) -> tuple[Positions, Positions]:
    """Return codes without gaps, and for each of them one of its places."""
    _, which = unique_inverse(code)
    place = np.empty(which.max(initial=-1) + 1, np.intp)
    place[which] = np.arange(which.size)
    return which, place


def _are_text(values: NDArray[Any]) -> bool:
    return values.dtype != object or all(issubclass(each, str) for each in set(map(type, values)))


def _unique_text(values: NDArray[Any]) -> tuple[Positions, Positions]:
    """Return the result of `unique_text` for objects that are text."""
    unique = unique_addresses(values) if values.dtype == object else None
    if unique is not None:  # so that the text of each object is looked at once
        code_of_row, place = unique
        code_of_object, first = _unique_text_of(values[place])
        if first.size == place.size:  # the objects are different texts, in the order of `place`
            return code_of_row, place
        return code_of_object[code_of_row], place[first]
    return _unique_text_of(values)


def _unique_text_of(values: NDArray[Any]) -> tuple[Positions, Positions]:
    """Return the same, from the text of each of the objects."""
    pandas = sys.modules.get("pandas")
    if values.dtype == object and pandas is not None and _reads_all_text(pandas):
        return _distinct(pandas.factorize(values)[0])  # it hashes them faster
    return unique_text(values)


def _reads_all_text(pandas: Any) -> bool:
    """Return whether pandas tells all text apart. Its versions before 3.1 do not."""
    code: NDArray[Any] = pandas.factorize(_HARD_TO_TELL_APART)[0]
    return bool(code[-1] == code.size - 1)


_HARD_TO_TELL_APART = np.array(["a\0b", "a\0c", "\ud800", "\ud801"], dtype=object)


def _factorize_pandas(values: Any) -> tuple[Positions, NDArray[Any]]:
    series = import_module("pandas").Series(values)
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        array = series.to_numpy()
        if array.dtype.kind not in "iu" or dense_extent(array) is not None:
            return _factorize_array(array)
    if series.dtype == object:
        _check_types(series)
    code, unique = series.factorize()
    return code, np.asarray(unique)


def _factorize_array(array: NDArray[Any]) -> tuple[Positions, NDArray[Any]]:
    runs = runs_of_text(array)
    if runs is not None:
        return runs.which_of_row, as_objects(runs.ids.tolist())
    if array.dtype.kind not in "biufmM":
        values = array.tolist()
        _check_types(values)
        different = dict.fromkeys(values)
        code_of = dict(zip(different, range(len(different)), strict=True))
        code = np.fromiter(map(code_of.__getitem__, values), np.intp, count=len(values))
        return code, as_objects(different)
    if _are_shuffled(array):
        unique, code = unique_inverse(array)
        return code, unique
    run_value, _, length = cut_runs(array)
    unique, code = unique_inverse(run_value)
    return np.repeat(code, length), unique


def _check_types(values: Iterable[Any]) -> None:
    """Raise if Python takes some ids for equal that are not the same."""
    types = set(map(type, values))
    if types & {bool, np.bool_} and types & {int, float}:
        raise UnusableError("bools beside numbers")


def _pack_pandas(values: Any) -> PackedText | None:
    dtype = str(getattr(values, "dtype", ""))
    if dtype not in _TEXT_IN_PANDAS or values.dtype.storage != "pyarrow":
        return None
    return _pack_arrow(import_module("pandas").Series(values).array.__arrow_array__())


def _pack_polars(values: Any) -> PackedText | None:
    if str(getattr(values, "dtype", "")) not in _TEXT_IN_POLARS or values.null_count():
        return None
    length = values.str.len_bytes().to_numpy()
    data = values.str.join("").item().encode()
    return packed_bytes(data, length, partial(_strings_at, values))


def _pack_arrow(values: Any) -> PackedText | None:
    if str(getattr(values, "type", "")) not in _TEXT_IN_ARROW or values.null_count:
        return None
    return packed_arrow(getattr(values, "chunks", [values]), partial(_strings_at, values))


def _strings_at(values: Any, row: Positions) -> NDArray[Any]:
    """Return some texts of a column. A partial of it can be pickled, which no closure can."""
    return np.asarray(values.gather(row) if hasattr(values, "gather") else values.take(row))


_PACK = {"pandas": _pack_pandas, "polars": _pack_polars, "pyarrow": _pack_arrow}


Column = tuple[NDArray[Any], Callable[[Positions], Any]]
"""The code of each row, and a function that returns the ids of some rows."""


def _read_pandas(values: Any) -> Column | None:
    dtype, pandas = str(getattr(values, "dtype", "")), import_module("pandas")
    if dtype == "category":
        series = pandas.Series(values)
        code = series.cat.codes.to_numpy()
    elif dtype in _TEXT_IN_PANDAS and (
        values.dtype.storage == "pyarrow" or _reads_all_text(pandas)
    ):
        series = pandas.Series(values)
        code, _ = series.factorize()
    else:
        return None
    return None if code.min(initial=0) < 0 else (code, series.take)


def _read_polars(values: Any) -> Column | None:
    dtype = str(getattr(values, "dtype", ""))
    is_text = dtype in _TEXT_IN_POLARS
    if not (is_text or dtype.startswith(("Categorical", "Enum"))) or values.null_count():
        return None
    coded = values.cast(import_module("polars").Categorical) if is_text else values
    return coded.to_physical().to_numpy(), values.gather


def _read_arrow(values: Any) -> Column | None:
    if not hasattr(values, "null_count") or values.null_count or len(values) == 0:
        return None
    dtype = str(values.type)
    if dtype not in _TEXT_IN_ARROW and not dtype.startswith("dictionary"):
        return None
    coded = values if dtype.startswith("dictionary") else values.dictionary_encode()
    if getattr(coded, "num_chunks", 1) > 1:
        # Indices of 8 bits may be too narrow for the values of all chunks.
        wide = import_module("pyarrow").dictionary("int64", coded.type.value_type)
        coded = coded.cast(wide).unify_dictionaries()
    indices = [np.asarray(chunk.indices) for chunk in getattr(coded, "chunks", [coded])]
    return indices[0] if len(indices) == 1 else np.concatenate(indices), coded.take


_READ = {"pandas": _read_pandas, "polars": _read_polars, "pyarrow": _read_arrow}

LIBRARIES = frozenset(_READ)
"""The libraries whose columns are read as they are."""
