"""Results are compared by value: arrays, NaN, and what is nested in them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from ranking_scores._base._results import ReadOnlyDict, are_equal, make_read_only, read_only

NAN = float("nan")
IDS = np.array(["a", (1, 2), None], dtype=object)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1),
        (NAN, -NAN),
        (None, None),
        (np.array([1.0, NAN]), np.array([1.0, NAN])),
        (np.array([1, 2]), np.array([1, 2])),
        (np.array(["a", "b"]), np.array(["a", "b"])),
        (np.array(["NaT", "2020-01-01"], "M8[D]"), np.array(["NaT", "2020-01-01"], "M8[D]")),
        (IDS, IDS.copy()),
        ({"a": np.array([NAN]), "b": NAN}, {"a": np.array([NAN]), "b": NAN}),
        ((1, [np.zeros(2)]), (1, [np.zeros(2)])),
    ],
)
def test_values_that_are_the_same(left, right):
    assert are_equal(left, right)
    assert are_equal(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 2),
        (1, 1.0),
        (1.0, NAN),
        (1, None),
        (1.0, np.array(1.0)),
        (np.array([1.0]), [1.0]),
        (np.array([1.0]), np.array([1])),
        (np.array([1.0, NAN]), np.array([NAN, 1.0])),
        (np.array([1.0]), np.array([2.0])),
        (np.array([1.0]), np.array([1.0, 1.0])),
        (np.array([1, 1]), np.array([[1, 1]])),
        (IDS, np.array(["a", (1, 3), None], dtype=object)),
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 1}),
        ([1], [1, 1]),
        ((1, np.zeros(2)), (1, np.ones(2))),
    ],
)
def test_values_that_differ(left, right):
    assert not are_equal(left, right)
    assert not are_equal(right, left)


def test_arrays_that_are_locked():
    values = np.zeros(2)
    view = read_only(values)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    values[0] = 1
    assert view[0] == 1


def test_dicts_that_are_locked():
    values = ReadOnlyDict(a=np.zeros(2), b=1)
    for change in (
        lambda: values.update(b=2),
        lambda: values.pop("b"),
        lambda: values.__setitem__("b", 2),
        lambda: values.__delitem__("b"),
    ):
        with pytest.raises(TypeError, match="read-only"):
            change()
    copy = make_read_only(pickle.loads(pickle.dumps(values)))
    assert are_equal(copy, values)
    with pytest.raises(ValueError, match="read-only"):
        copy["a"][0] = 1
