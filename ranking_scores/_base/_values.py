"""Compares results by value, and keeps their arrays read-only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._validation import are_missing


def same_values(left: Any, right: Any) -> bool:
    """Return whether two values are equal, where NaN equals NaN.

    Arrays, tuples, lists and mappings are equal if all that they hold is. The order of a mapping
    does not count, nor does the type of a number: 1 equals 1.0, but not ``array([1])``.
    """
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.shape == right.shape and _same_arrays(left, right)
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return False
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        same_keys = left.keys() == right.keys()
        return same_keys and all(same_values(left[key], right[key]) for key in left)
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return len(left) == len(right) and all(map(same_values, left, right))
    return bool(left == right or (left != left and right != right))


def _same_arrays(left: NDArray[Any], right: NDArray[Any]) -> bool:
    """Return whether two arrays of the same shape are equal. Missing values are."""
    is_missing = are_missing(left)
    if not np.array_equal(is_missing, are_missing(right)):
        return False
    left, right = left[~is_missing], right[~is_missing]
    if object in (left.dtype, right.dtype):
        return all(map(same_values, left.tolist(), right.tolist()))
    return np.array_equal(left, right)


def same_fields(left: Any, right: Any) -> bool:
    """Return whether two instances of a dataclass are equal, as `same_values` compares.

    Fields with ``compare=False`` do not count. If a class returns this in ``__eq__``, and
    ``NotImplemented`` for other classes, its instances have no hash.
    """
    names = (field.name for field in fields(left) if field.compare)
    return all(same_values(getattr(left, name), getattr(right, name)) for name in names)


def locked(values: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of values."""
    view = values.view()
    view.flags.writeable = False
    return view
