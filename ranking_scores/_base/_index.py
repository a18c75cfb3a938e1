"""The index and the columns of frames, which must agree for all parameters of a call.

pandas has an index, and all libraries of frames have columns. The dimensions of arrays of xarray
have names, and perhaps coordinates. None of these libraries is imported: a caller with a frame, a
series or such an array has imported its library.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ranking_scores._base._errors import invalid
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import describe
from ranking_scores.exceptions import InvalidParameterError


class _AxisMessages(NamedTuple):
    """The parts of the error about an axis whose names differ.

    `{other}` is a parameter, and `{array}` is the code that makes an array of its values.
    """

    expected: str
    got: str
    code: str


ROWS, _COLUMNS, _VALUES_OF_COLUMNS = (
    _AxisMessages(
        "indexed like {other}",
        "an index with {name} in row {place}, where {other} has {expected},",
        "Sort them alike, or pass `{array}` if rows match by position.",
    ),
    _AxisMessages(
        "a frame with the columns of {other}",
        "{name} as column {place}, where {other} has {expected},",
        "Order them alike, or pass `{array}` if columns match by position.",
    ),
    _AxisMessages(
        "indexed by the columns of {other}, if it has one value per column",
        "an index with {name} in row {place}, where column {place} of {other} is {expected},",
        "Order them alike, or pass `{array}` if columns match by position.",
    ),
)


class Indexes:
    """The first index and the first columns of the parameters of a call.

    All other parameters of the call must have the same ones. Only pandas data has an index, and
    frames of any library have columns. Columns that `may_be_renamed` may have other names, but not
    the same names in another order.
    """

    def __init__(self, function: str, *, has_columns: bool, may_be_renamed: bool = False) -> None:
        self._function, self._has_columns = function, has_columns
        self._may_be_renamed = may_be_renamed
        self._first: dict[_AxisMessages, tuple[str, Any, tuple[int, ...]]] = {}
        self._dimensions: tuple[str, dict[Any, int]] | None = None
        """The first parameter whose dimensions have names, and their places."""

    def check(
        self, parameter: str, values: Any, called: str = "", *, has_index: bool = True
    ) -> None:
        """Raise if the index or the columns of a parameter differ from those before it.

        `called` is its name in errors about other parameters. Different shapes are no error here.
        Unless it `has_index`, only its columns are compared.
        """
        if type(values) is np.ndarray:  # which is known soonest
            return
        if is_labelled(values):
            self._check_dimensions(parameter, values, called or parameter)
        names = {ROWS: row_names(values) if has_index else None}
        if self._has_columns:
            names[_COLUMNS] = column_names(values)
        for axis, axis_names in names.items():
            if axis_names is None:
                continue
            check_utf8(axis_names, partial(invalid, parameter, self._function))
            first = called or parameter, axis_names, values.shape
            other, expected, shape = self._first.setdefault(axis, first)
            if axis_names is expected or not _fits(values.shape, shape):
                continue
            may_be_renamed = axis is _COLUMNS and self._may_be_renamed
            compare = first_out_of_order if may_be_renamed else first_difference
            place = compare(axis_names, expected)
            if place is not None:
                own, theirs = (name_at(each, place) for each in (axis_names, expected))
                difference = Difference(place, own, theirs, _as_array(parameter, values))
                raise not_alike(parameter, self._function, other, axis, difference)

    def check_values_of_columns(self, parameter: str, values: Any) -> None:
        """Raise if a Series with one value per column is not indexed by the columns."""
        if is_labelled(values):
            self._check_dimensions(parameter, values, parameter, first=1)
        if _COLUMNS not in self._first:
            return
        other, expected, shape = self._first[_COLUMNS]
        names = row_names(values)
        has_length = names is not None and len(values) == shape[1]
        place = first_difference(names, expected) if has_length else None
        if place is not None:
            own, theirs = (name_at(each, place) for each in (names, expected))
            difference = Difference(place, own, theirs, _as_array(parameter, values))
            raise not_alike(parameter, self._function, other, _VALUES_OF_COLUMNS, difference)

    def _check_dimensions(self, parameter: str, values: Any, called: str, first: int = 0) -> None:
        """Raise if a dimension is at another place than in the parameters before.

        The first dimension of `values` is at the place `first`.
        """
        dims = {each: place for place, each in enumerate(values.dims, first)}
        if self._dimensions is None:
            self._dimensions = called, dims
        other, there = self._dimensions
        if any(there.get(each, place) != place for each, place in dims.items()):
            expected = f"an array whose dimensions are at the places that they have in {other}"
            own, theirs = (", ".join(map(repr, each)) for each in (dims, there))
            got = f"the dimensions {own}, where {other} has {theirs},"
            array = _as_array(parameter, values)
            code = f"Transpose it, or pass `{array}` if dimensions match by position."
            raise invalid(parameter, self._function, expected, got, code=code)


def is_labelled(values: Any) -> bool:
    """Return whether something is an array whose dimensions have names, as those of xarray."""
    return isinstance(getattr(values, "dims", None), tuple) and hasattr(values, "coords")


def is_indexed(values: Any) -> bool:
    """Return whether the rows, the columns or the dimensions of something have names."""
    return hasattr(values, "iloc") or is_labelled(values) or column_names(values) is not None


def row_names(values: Any) -> Any:
    """Return the names of the rows of data of pandas or xarray; None: they have none."""
    if hasattr(values, "iloc"):
        return values.index
    return _coordinate(values, 0) if is_labelled(values) else None


def _coordinate(values: Any, place: int) -> Any:
    """Return the names along a dimension of an array of xarray as an index of pandas, or None."""
    dimension = values.dims[place]
    return values.coords[dimension].to_index() if dimension in values.coords else None


def column_names(values: Any) -> Any:
    """Return the names of the columns of a frame of any library; None: it has no columns."""
    if hasattr(values, "iloc"):
        return values.columns if values.ndim == 2 else None
    if is_labelled(values):
        return _coordinate(values, 1) if len(values.dims) == 2 else None
    for attribute in ("column_names", "columns"):  # a table of pyarrow has its data in the second
        try:
            names = getattr(values, attribute, None)
        except UnicodeDecodeError:  # of a table that is refused where its values are read
            return None
        if isinstance(names, (list, tuple)) and len(getattr(values, "shape", ())) == 2:
            return list(names)
    return None


class Difference(NamedTuple):
    """The first place where two axes differ, and their names there."""

    place: int
    name: str
    expected: str
    array: str
    """The code that makes an array of the values."""


def not_alike(
    parameter: str, function: str, other: str, axis: _AxisMessages, difference: Difference
) -> InvalidParameterError:
    """Return the error about a parameter whose axis differs from that of another parameter."""
    facts = difference._asdict()
    expected, got, code = (part.format(other=other, **facts) for part in axis)
    return invalid(parameter, function, expected, got, code=code)


def _as_array(parameter: str, values: Any) -> str:
    """Return the code for the values without their index."""
    if not hasattr(values, "to_numpy"):  # as a table of pyarrow
        return f"np.asarray({parameter})"
    # NumPy would turn lists of pyarrow into objects.
    is_arrow = hasattr(getattr(values, "dtype", None), "pyarrow_dtype")
    return f"pyarrow.array({parameter})" if is_arrow else ".to_numpy()"


def first_out_of_order(index: Any, other: Any) -> int | None:
    """Return the first place where two indexes with the same names differ, or else None."""
    return first_difference(index, other) if set(index) == set(other) else None


def first_difference(index: Any, other: Any) -> int | None:
    """Return the first place where two indexes of one length differ; None: they are equal."""
    if isinstance(index, list) or isinstance(other, list):  # not both are of pandas
        if _are_numbered(index) or _are_numbered(other):
            return None
        pairs = enumerate(zip(index, other, strict=True))
        return next((place for place, (one, two) in pairs if one != two), None)
    if _is_equal(index, other):
        return None
    start, stop = 0, len(index)
    while stop - start > 1:  # they differ somewhere from `start` to `stop`, and not before
        middle = (start + stop) // 2
        if _is_equal(index[start:middle], other[start:middle]):
            start = middle
        else:
            stop = middle
    return start


def _are_numbered(names: Any) -> bool:
    """Return whether a library gave the columns their names, since the caller gave none."""
    names = list(names)
    numbers = range(len(names))
    return names in ([*numbers], [f"column_{number}" for number in numbers])


def first_descent(index: Any) -> int | None:
    """Return the first place where an index does not ascend, or else None."""
    if index.is_monotonic_increasing:
        return None
    start, stop = 1, len(index)
    while stop - start > 1:  # the first `start` names ascend, and the first `stop` do not
        middle = (start + stop) // 2
        if index[:middle].is_monotonic_increasing:
            start = middle
        else:
            stop = middle
    return start


def _is_equal(index: Any, other: Any) -> bool:
    """Return whether two indexes hold the same values, in any dtypes."""
    with warnings.catch_warnings():  # pandas takes dates for times
        warnings.filterwarnings("ignore", "Inferring datetime64")
        if index.equals(other):
            return True
    return bool(index.nlevels == other.nlevels) and all(
        _is_equal_level(index.get_level_values(level), other.get_level_values(level))
        for level in range(index.nlevels)
    )


def _is_equal_level(index: Any, other: Any) -> bool:
    """Return whether two indexes of one level hold the same values, with any missing values."""
    is_missing = index.isna()
    if not np.array_equal(is_missing, other.isna()):
        return False
    # For pandas, equal values differ if their dtypes differ in categories, zone or unit.
    is_equal = index[~is_missing].astype(object).equals(other[~is_missing].astype(object))
    return bool(is_equal)


def _fits(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two shapes have the same lengths along their common axes."""
    return all(one == two for one, two in zip(shape, other, strict=False))


def name_at(index: Any, place: int) -> str:
    """Return the name of a row or a column as error messages show it."""
    [name] = index[place : place + 1] if isinstance(index, list) else index[[place]].tolist()
    return describe(name)
