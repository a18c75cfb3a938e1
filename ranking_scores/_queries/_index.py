"""The index and the columns that data of pandas carries, which must agree in all of a call.

pandas is not imported: whoever has a frame or a series of it has imported it.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from ranking_scores._validation import describe, invalid
from ranking_scores.exceptions import InvalidParameterError


class _Axis(NamedTuple):
    """What an error says of an axis whose names differ.

    With `{other}` for a parameter, and `{array}` for what makes an array of its values.
    """

    expected: str
    got: str
    advice: str


ROWS, _COLUMNS = (
    _Axis(
        "indexed like {other}",
        "an index with {name} in row {place}, where {other} has {expected},",
        "Sort them alike, or pass `{array}` if rows match by position.",
    ),
    _Axis(
        "a frame with the columns of {other}",
        "{name} as column {place}, where {other} has {expected},",
        "Order them alike, or pass `{array}` if columns match by position.",
    ),
)


class Indexes:
    """The first index, and the first columns, that a parameter of a call has.

    All others of the call must equal them. What is not of pandas has neither. Columns that
    `may_be_renamed` may have other names, but not the same ones in another order.
    """

    def __init__(self, function: str, *, has_columns: bool, may_be_renamed: bool = False) -> None:
        self._function, self._axes = function, (ROWS, _COLUMNS) if has_columns else (ROWS,)
        self._may_be_renamed = may_be_renamed
        self._first: dict[_Axis, tuple[str, Any]] = {}

    def check(self, parameter: str, values: Any, called: str = "") -> None:
        """Raise if the index or the columns of a parameter differ from those before it.

        `called` is what errors about others call it. A shape that differs is not an error here.
        """
        if not hasattr(values, "iloc"):
            return
        names = [values.index, values.columns] if values.ndim == 2 else [values.index]
        for number, (axis, of_axis) in enumerate(zip(self._axes, names, strict=False)):
            first = (called or parameter, values)
            other, reference = self._first.setdefault(axis, first)
            expected = reference.columns if number else reference.index
            if of_axis is expected or not _fits(values.shape, reference.shape):
                continue
            may_be_renamed = number and self._may_be_renamed
            compare = first_out_of_order if may_be_renamed else first_difference
            place = compare(of_axis, expected)
            if place is not None:
                own, theirs = (name_at(each, place) for each in (of_axis, expected))
                difference = Difference(place, own, theirs, _as_array(parameter, values))
                raise not_alike(parameter, self._function, other, axis, difference)


class Difference(NamedTuple):
    """Where an axis differs from another one, and what is there."""

    place: int
    name: str
    expected: str
    array: str
    """What makes an array of the values."""


def not_alike(
    parameter: str, function: str, other: str, axis: _Axis, difference: Difference
) -> InvalidParameterError:
    """Return the error about a parameter whose axis differs from that of another parameter."""
    facts = difference._asdict()
    expected, got, advice = (part.format(other=other, **facts) for part in axis)
    return invalid(parameter, function, expected, got, advice)


def _as_array(parameter: str, values: Any) -> str:
    """Return what a caller writes for the values without their index."""
    # NumPy would make objects of the lists of pyarrow.
    is_arrow = hasattr(getattr(values, "dtype", None), "pyarrow_dtype")
    return f"pyarrow.array({parameter})" if is_arrow else ".to_numpy()"


def first_out_of_order(index: Any, other: Any) -> int | None:
    """Return where two indexes of the same names first differ; None: in names, or nowhere."""
    return first_difference(index, other) if set(index) == set(other) else None


def first_difference(index: Any, other: Any) -> int | None:
    """Return where two indexes of one length first differ; None: they are equal."""
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


def _is_equal(index: Any, other: Any) -> bool:
    """Return whether two indexes hold the same values, in whatever dtype."""
    with warnings.catch_warnings():  # of dates, which pandas takes for times
        warnings.filterwarnings("ignore", "Inferring datetime64")
        if index.equals(other):
            return True
    return bool(index.nlevels == other.nlevels) and all(
        _is_equal_level(index.get_level_values(level), other.get_level_values(level))
        for level in range(index.nlevels)
    )


def _is_equal_level(index: Any, other: Any) -> bool:
    """Return whether two indexes of one level hold the same values, missing ones of any kind."""
    is_missing = index.isna()
    if not np.array_equal(is_missing, other.isna()):
        return False
    # pandas finds equal values unequal if their dtypes differ in categories, zone or unit.
    is_equal = index[~is_missing].astype(object).equals(other[~is_missing].astype(object))
    return bool(is_equal)


def _fits(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two shapes have the same lengths along the axes that both have."""
    return all(one == two for one, two in zip(shape, other, strict=False))


def name_at(index: Any, place: int) -> str:
    """Return what an error message shows of a row or a column by its name."""
    return describe(index[place : place + 1].tolist()[0])
