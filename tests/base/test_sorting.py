"""Sorting as fast as NumPy can gives what its plain sorts give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ranking_scores._base import _ids, _sorting
from ranking_scores._base._sorting import (
    _sort_keys,
    as_small_ints,
    as_sortable,
    blocks_of_rows,
    dense_extent,
    number_rows,
    order_in_rows,
    order_of_cells,
    sort_ints,
    sort_rows,
    stable_order,
    start_runs,
    unique_inverse,
    unique_objects,
    unique_text,
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keys_sort_as_values_that_differ_in_more_bits_than_they_lack(dtype):
    values = np.array([[-np.inf, -2e30, -3.5, -3.4, -1e-30, 0, 1e-30, 3.4, 3.5, 2e30, np.nan]])
    values = np.repeat(values.astype(dtype), 2, axis=1)
    place = np.arange(values.shape[1])
    key, of_place = _sort_keys(values, place)
    assert (np.diff(key) > 0).all()
    assert (key & of_place).tolist() == [place.tolist()]
    assert len(set((key & ~of_place).ravel().tolist())) == place.size / 2


@given(
    st.lists(st.integers(0, 3) | st.integers(0, 2**32 - 1), min_size=1, max_size=50),
)
def test_the_order_of_numbers_is_the_stable_one(numbers):
    numbers = np.array(numbers)
    assert stable_order(numbers).tolist() == np.argsort(numbers, kind="stable").tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("reverse_ties", [False, True])
def test_rows_are_sorted_with_equal_values_in_the_order_asked(dtype, reverse_ties):
    rng = np.random.default_rng(0)
    values = rng.integers(-3, 3, (40, 30)).astype(dtype) / 4 + 0  # no -0
    values[rng.random(values.shape) < 0.1] = np.nan
    cell, in_order = sort_rows(values, 30, reverse_ties=reverse_ties)
    column = np.arange(30)[:: -1 if reverse_ties else 1]
    expected = column[np.argsort(values[:, column], axis=1, kind="stable")]
    is_value = ~np.isnan(np.take_along_axis(values, expected, axis=1))
    assert (cell - 30 * np.arange(40)[:, None])[is_value].tolist() == expected[is_value].tolist()
    np.testing.assert_array_equal(in_order, np.take_along_axis(values, expected, axis=1))


@given(
    rows=st.lists(
        st.lists(st.sampled_from([-2.5, -0.0, 0.0, 1.0, 1e300, np.nan]), min_size=6, max_size=6),
        min_size=1,
        max_size=4,
    ),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_values_are_numbered_by_how_many_others_of_their_row_they_exceed(rows, dtype):
    with np.errstate(over="ignore"):
        values = np.array(rows).astype(dtype)
    for row, numbers in zip(values.tolist(), number_rows(values).tolist(), strict=True):
        known = {value for value in row if value == value}
        exceeded = [sum(other < value for other in known) for value in row]
        highest = max(len(known) - 1, 0)  # which is also that of NaN
        expected = [n if v == v else highest for n, v in zip(exceeded, row, strict=True)]
        assert numbers == expected


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([0.5, -1], np.float16), np.float32),
        (np.array([0.1, 0.2], ">f4"), np.float32),
        (np.array([2**53, -(2**53), 7]), np.float64),
        (np.array([2**53 + 1, 2**53, 2**53 + 1]), np.float64),
        (np.array([2**64 - 1, 2**64 - 2, 0], np.uint64), np.float64),
        (np.nextafter(np.longdouble(1), [1, 2]), np.float64),
        (np.array([True, False]), np.float64),
        (np.array([], np.int8), np.float64),
    ],
)
def test_values_of_any_dtype_become_floats_that_order_and_tie_as_they_do(values, dtype):
    floats = as_sortable(values)
    assert floats.dtype == dtype
    for compare in (np.less, np.equal):
        expected = compare(values[:, None], values)
        assert compare(floats[:, None], floats).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("values", "small"),
    [
        (np.array([-128, 127, 0], np.int8), [0, 255, 128]),
        (np.array([2**64 - 1, 2**64 - 256], np.uint64), [255, 0]),
        (np.array([2**64 - 1, 2**64 - 257], np.uint64), None),
        (np.array([-(2**63), 2**63 - 1]), None),
        (np.array([True, False]), [1, 0]),
        (np.array([7.0, -2.0, -0.0]), [9, 0, 2]),
        (np.array([0.5, 1.0]), None),
        (np.array([0.0, 255.0], np.float16), [0, 255]),
        (np.array([0.0, 256.0]), None),
        (np.array([-1.7e308, 1.7e308]), None),
        (np.array([2, 1], np.longdouble), [1, 0]),
        (np.array([]), []),
    ],
)
def test_whole_values_near_one_another_become_small_ints(values, small):
    result = as_small_ints(values)
    if small is None:
        assert result is None
    else:
        assert result.dtype == np.uint8
        assert result.tolist() == small


@pytest.mark.parametrize("n_columns", [5, 2**31, 2**61])
def test_cells_are_sorted_by_row_and_column_and_equal_ones_keep_their_order(n_columns):
    rng = np.random.default_rng(0)
    row, column = rng.integers(0, 4, (2, 100))
    order = order_of_cells(row, column, n_columns)
    assert order.tolist() == np.lexsort((column, row)).tolist()
    assert order_of_cells(row[order], column[order], n_columns) is None
    assert order_of_cells(row[:0], column[:0], n_columns) is None


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, -1, 3, 2], np.int8),
        np.array([127, -128, 0] * 200, np.int8),
        np.array([2**64 - 1, 2**64 - 3], np.uint64),
        np.array([10**12, 5, 10**12]),
        np.array([0.5, 0.25, 0.5]),
        np.array([], np.int64),
    ],
)
def test_values_once_each_and_which_each_is(values):
    unique, which = unique_inverse(values)
    expected = np.unique(values, return_inverse=True)
    assert (unique.dtype, unique.tolist()) == (values.dtype, expected[0].tolist())
    assert which.tolist() == expected[1].tolist()


@pytest.mark.parametrize(
    "values", [[3, 1, 2, 1], ["b", "a", "b", "ab"], [(1, "b"), (1, "a")], [2, 1.5, True, 1], []]
)
def test_objects_are_sorted_as_numpy_sorts_them(values):
    array = np.fromiter(values, dtype=object)
    unique, which = unique_objects(array)
    assert unique.tolist() == np.unique(array).tolist()
    assert unique[which].tolist() == values


@pytest.mark.parametrize("dtype", ["U5", ">U5", "S5", object])
@pytest.mark.parametrize("all_collide", [False, True])
@pytest.mark.parametrize("n_values", [1, 2, 30, 40_000])
@pytest.mark.parametrize(("bits_in_cache", "n_different"), [(18, 99_999), (3, 99_999), (3, 15)])
def test_text_that_is_equal_has_one_code(
    monkeypatch, dtype, all_collide, n_values, bits_in_cache, n_different
):
    """Goes with _sorting._hash."""
    monkeypatch.setattr(_sorting, "_BITS_IN_CACHE", bits_in_cache)
    monkeypatch.setattr(_sorting, "_SAMPLE", min(2**14, 2**bits_in_cache))
    if all_collide:
        monkeypatch.setattr(_sorting, "_hash", lambda text: np.zeros(text.size, np.uint64))
    number = np.random.default_rng(0).integers(0, n_different, n_values)
    text = number.astype("S5").astype(dtype)
    which, place = unique_text(text)
    assert (text[place][which] == text).all()
    assert place.size == np.unique(text).size


def test_runs_start_where_values_change():
    assert start_runs(np.array([2, 2, 1, 2])).tolist() == [True, False, True, True]
    assert start_runs(np.array([])).tolist() == []


@pytest.mark.parametrize(
    "dtype", ["U1", "U3", ">U4", "U64", "U65", "S1", "S6", "S8", "S300", "U0"]
)
@pytest.mark.parametrize("n_texts", [0, 1, 2, 2**14, 2**14 + 1, 2**15 + 1])
def test_runs_of_text_start_where_it_changes(dtype, n_texts):
    number = np.random.default_rng(0).integers(3, size=n_texts)
    width = np.dtype(dtype).itemsize // (4 if "U" in dtype else 1)
    text = np.array(["x" * max(width - 1, 0) + str(each) for each in number], dtype=dtype)
    step = np.arange(n_texts) // 2 % 2 * (np.dtype(dtype).itemsize > 0)
    for values in (text, text[::-1], np.array(["ab", "b"], dtype=dtype)[step]):
        expected = [True, *(values[1:] != values[:-1])][: values.size]
        assert start_runs(values).tolist() == expected


@pytest.mark.parametrize("n_columns", [9, 2**40, 2**59])
@pytest.mark.parametrize("lengths", [[3, 3, 3], [1, 1], [9], [2, 4], [1, 5, 3], [4, 2, 3]])
def test_cells_are_sorted_in_rows_of_any_lengths(lengths, n_columns):
    rng = np.random.default_rng(0)
    row = np.repeat(np.arange(len(lengths)) * 2 + 5, lengths)
    for column in (rng.integers(0, 9, row.size), rng.permutation(row.size), -np.sort(-row)):
        expected = np.lexsort((column, row))
        order = order_in_rows(row, column, n_columns)
        if order is None:
            assert expected.tolist() == list(range(row.size))
        else:
            assert order.tolist() == expected.tolist()
    assert order_in_rows(row[:0], row[:0], n_columns) is None


def test_blocks_are_of_whole_rows(monkeypatch):
    """Goes with _sorting._BLOCK_CELLS."""
    monkeypatch.setattr(_sorting, "_BLOCK_CELLS", 4)
    row = np.array([0, 0, 0, 1, 1, 3, 3, 3, 3, 3, 3, 4])
    blocks = [row[block].tolist() for block in blocks_of_rows(row)]
    assert blocks == [[0, 0, 0], [1, 1], [3, 3, 3, 3, 3, 3, 4]]
    assert [row[:0][block].size for block in blocks_of_rows(row[:0])] == []


@pytest.mark.parametrize("stop", [5, 2**27, 2**28, 2**31, 2**59, 2**60, 2**63 - 1])
@pytest.mark.parametrize("width", [0, 1, 8, 9])
def test_rows_of_ints_are_sorted_stably(stop, width):
    rng = np.random.default_rng(0)
    values = rng.choice([-1, 0, 1, 3, stop - 2, stop - 1], (20, width))
    order, in_order = sort_ints(values, stop)
    assert order.tolist() == np.argsort(values, axis=1, kind="stable").tolist()
    assert in_order.tolist() == np.sort(values, axis=1).tolist()
    flat, in_flat_order = sort_ints(values, stop, without_negative=True)
    assert flat.tolist() == order[in_order >= 0].tolist()
    assert in_flat_order.tolist() == in_order[in_order >= 0].tolist()


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_that_float64_holds_stay_as_they_are_and_others_become_ranks(sign):
    held = np.array([2**53, 2**53 - 1, 0]) * sign
    assert as_sortable(held).tolist() == held.tolist()
    merged = np.array([2**53 + 1, 2**53, 0]) * sign
    assert as_sortable(merged).tolist() == ([2, 1, 0] if sign > 0 else [0, 1, 2])
    assert as_sortable(np.array([sign * 2**60])).tolist() == [0]


def test_one_long_double_is_made_a_float():
    assert as_sortable(np.array([1], dtype=np.longdouble)).dtype == np.float64
    assert as_small_ints(np.array([7])).tolist() == [0]


@pytest.mark.parametrize("largest", [2**15, 2**16 - 1, 2**16, 2**17, 2**31, 2**32 - 1])
def test_numbers_with_any_upper_bits_are_sorted_stably(largest):
    numbers = np.array([largest, 5, largest - 1, 2**15, 5, largest, 0, largest // 2])
    assert stable_order(numbers).tolist() == np.argsort(numbers, kind="stable").tolist()


def test_ints_are_dense_if_there_are_four_places_for_each():
    """Goes with _sorting.dense_extent."""
    assert dense_extent(np.array([0, 7])) == (0, 8)
    assert dense_extent(np.array([0, 8])) is None
    assert dense_extent(np.array([3])) == (3, 1)


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_cells_of_later_rows_are_sorted_as_those_of_the_first(n_rows):
    row = np.repeat([5, 6, 2**40][:n_rows], [3, 2, 4][:n_rows])
    column = np.array([2, 0, 1, 1, 0, 3, 1, 2, 0])[: row.size]
    order = order_in_rows(row, column, 4)
    assert order.tolist() == np.lexsort((column, row)).tolist()
    assert order_in_rows(row, np.sort(column), 4) is None


@pytest.mark.parametrize(
    ("stop", "width"), [(2**29, 3), (2**30 - 1, 3), (2**30, 3), (2**61 - 1, 3), (2**61, 3)]
)
def test_ints_are_sorted_where_they_leave_just_enough_bits_for_their_place(stop, width):
    values = np.array([[stop - 1, 0, -1], [stop - 1, stop - 1, 3]])[:, :width]
    order, ranked = sort_ints(values, stop)
    assert order.tolist() == np.argsort(values, axis=1, kind="stable").tolist()
    assert ranked.tolist() == np.sort(values, axis=1).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("reverse_ties", [False, True])
def test_rows_of_any_width_are_sorted_with_ties_in_the_order_of_their_columns(dtype, reverse_ties):
    rng = np.random.default_rng(0)
    for width in (2, 63, 64, 65, 200):
        values = rng.integers(0, width, (5, width)).astype(dtype) / 3
        cell, in_order = sort_rows(values, width, reverse_ties=reverse_ties)
        column = np.arange(width)[:: -1 if reverse_ties else 1]
        expected = [np.lexsort((column, row)) + width * n for n, row in enumerate(values)]
        assert cell.tolist() == np.array(expected).tolist()
        assert in_order.tolist() == np.sort(values, axis=1).tolist()


def test_two_values_that_differ_in_their_last_bit_alone_are_sorted():
    higher = np.nextafter(1.0, 2.0)
    cell, in_order = sort_rows(np.array([[higher, 1.0]]), 2, reverse_ties=False)
    assert (cell.tolist(), in_order.tolist()) == ([[1, 0]], [[1.0, higher]])


@pytest.mark.parametrize("lowest", [-1, 0, 1, 2])
def test_numbers_from_any_one_on_are_told_apart(lowest):
    unique, which = unique_inverse(np.array([2, 0, 1, 0]) + lowest)
    assert unique.tolist() == [lowest, lowest + 1, lowest + 2]
    assert which.tolist() == [2, 0, 1, 0]


@pytest.mark.parametrize("n_objects", [1, 7, 3000, 2**13, 2**15])
def test_texts_that_are_the_same_objects_are_found_by_their_addresses(n_objects):
    rng = np.random.default_rng(0)
    texts = np.array([f"item {number // 2}" for number in range(n_objects)], dtype=object)
    rows = rng.integers(n_objects, size=2**15)
    for text in (texts[rows], texts[rows][::-2], np.array(texts[rows].tolist(), dtype=object)):
        code, place = _ids._unique_text(text)
        assert (text[place][code] == text).all()
        assert len(set(text[place])) == len(place) == len(set(text))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["spread", "near", "too near", "tied", "huge", "padded", "empty"])
@pytest.mark.parametrize("reverse_ties", [False, True])
def test_half_of_the_bits_sort_as_all_of_them(kind, dtype, reverse_ties):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((170, 100))
    near = rng.random(values.shape)
    scale = {"near": 0.1, "too near": 1e-7, "padded": 0.1}
    values = 0.7 + scale[kind] * near if kind in scale else values
    values = values.round(1) + 0 if kind == "tied" else values
    values = values * 1e300 if kind == "huge" and dtype == np.float64 else values
    if kind == "padded":
        values[near < 0.3], values[:, 50], values[:3] = np.nan, 0.8, np.nan  # 0.8 is the highest
    values = np.full_like(values, np.nan) if kind == "empty" else values
    values = values.astype(dtype)
    for depth in (1, 10, 100):
        expected = sort_rows(values, depth, reverse_ties=reverse_ties, may_be_short=False)
        found = sort_rows(values, depth, reverse_ties=reverse_ties)
        for each, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(each[:, :depth], other[:, :depth])


def test_half_of_the_bits_are_sorted_first_and_all_bits_if_that_does_not_do(monkeypatch):
    sorted_bits = []
    for name in ("_short_keys", "_sort_keys"):
        keys = getattr(_sorting, name)
        monkeypatch.setattr(
            _sorting, name, lambda *a, name=name, keys=keys: sorted_bits.append(name) or keys(*a)
        )
    values = np.random.default_rng(0).standard_normal((170, 100))
    for given_values in (values, 1 + values * 1e-9, values[:12], values[:, :40]):
        sort_rows(np.ascontiguousarray(given_values), 5, reverse_ties=False)
    short, long = "_short_keys", "_sort_keys"
    assert sorted_bits == [short, short, long, long, long]
