"""Results are compared by value: arrays, NaN, and what is nested in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ranking_scores._base import locked, same_fields, same_values

NAN = float("nan")
IDS = np.array(["a", (1, 2), None], dtype=object)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1.0),
        (NAN, np.float64("nan")),
        (np.array([1.0, NAN]), np.array([1.0, NAN])),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array(["a", "b"]), np.array(["a", "b"], dtype=object)),
        (np.array(["NaT", "2020-01-01"], "M8[D]"), np.array(["NaT", "2020-01-01"], "M8[D]")),
        (IDS, IDS.copy()),
        (np.array([pd.NA, 1], dtype=object), np.array([pd.NA, 1], dtype=object)),
        ({"a": np.array([NAN]), "b": NAN}, MappingProxyType({"b": NAN, "a": np.array([NAN])})),
        ((1, [np.zeros(2)]), (1, [np.zeros(2)])),
        (None, None),
    ],
)
def test_values_that_are_the_same(left, right):
    assert same_values(left, right)
    assert same_values(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 2),
        (1, NAN),
        (1, None),
        (1.0, np.array(1.0)),
        (np.array([1.0]), [1.0]),
        (np.array([1.0, NAN]), np.array([NAN, 1.0])),
        (np.array([1.0]), np.array([2.0])),
        (np.array([1.0]), np.array([1.0, 1.0])),
        (np.array([1, 1]), np.array([[1, 1]])),
        (np.array(["1"]), np.array([1])),
        (IDS, np.array(["a", (1, 3), None], dtype=object)),
        (np.array([pd.NA, 1], dtype=object), np.array([0, 1], dtype=object)),
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, [1]),
        ([1], [1, 1]),
        ((1, np.zeros(2)), (1, np.ones(2))),
    ],
)
def test_values_that_differ(left, right):
    assert not same_values(left, right)
    assert not same_values(right, left)


@dataclass(frozen=True, eq=False)
class _Result:
    values: Any
    hidden: int = field(default=0, compare=False)

    def __eq__(self, other: object) -> bool:
        return same_fields(self, other) if isinstance(other, _Result) else NotImplemented


def test_instances_are_compared_by_their_fields():
    result = _Result(np.array([1.0, NAN]))
    assert result == _Result(np.array([1.0, NAN]), hidden=1)
    assert result != _Result(np.array([1.0, 2.0]))
    assert result != "text"
    assert _Result({"a": result}) == _Result({"a": _Result(np.array([1.0, NAN]))})
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_arrays_that_are_locked():
    values = np.zeros(2)
    view = locked(values)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    values[0] = 1
    assert view[0] == 1
