"""The index and the columns that data of pandas carries, which must agree in all of a call.

pandas is not imported: whoever has a frame or a series of it has imported it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ranking_scores._validation import describe, invalid


class _Axis(NamedTuple):
    """What an error says of an axis whose names differ, with `{other}` for a parameter."""

    expected: str
    got: str
    advice: str


_AXES = (
    _Axis(
        "indexed as {other} is",
        "an index with {name} in row {place}, where {other} has {expected},",
        "Sort them alike, or pass `.to_numpy()` if rows belong together as they stand.",
    ),
    _Axis(
        "a frame with the columns of {other}",
        "{name} as column {place}, where {other} has {expected},",
        "Order them alike, or pass `.to_numpy()` if columns belong together as they stand.",
    ),
)


class Indexes:
    """The first index, and the first columns, that a parameter of a call has.

    All others of the call must equal them. What is not of pandas has neither.
    """

    def __init__(self, function: str, *, has_columns: bool) -> None:
        self._function, self._axes = function, _AXES if has_columns else _AXES[:1]
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
            if of_axis is expected or of_axis.equals(expected):
                continue
            if not _fits(values.shape, reference.shape):
                continue
            place = first_difference(of_axis, expected)
            if place is not None:
                raise invalid(
                    parameter,
                    self._function,
                    axis.expected.format(other=other),
                    axis.got.format(
                        name=_name_at(of_axis, place),
                        place=place,
                        other=other,
                        expected=_name_at(expected, place),
                    ),
                    axis.advice,
                )


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
    if index.equals(other):
        return True
    # pandas finds equal values unequal if their dtypes differ in categories, zone or unit.
    return bool(index.nlevels == other.nlevels) and all(
        index.get_level_values(level)
        .astype(object)
        .equals(other.get_level_values(level).astype(object))
        for level in range(index.nlevels)
    )


def _fits(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Return whether two shapes have the same lengths along the axes that both have."""
    return all(one == two for one, two in zip(shape, other, strict=False))


def _name_at(index: Any, place: int) -> str:
    """Return what an error message shows of a row or a column by its name."""
    return describe(index[place : place + 1].tolist()[0])
