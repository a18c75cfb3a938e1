"""Which of two ways is taken, and how much is done at once: only the cost of a score shows it.

Nothing else keeps a score from becoming slower, since tests measure no time. The first line of
each test names the code that it is about. If you replace that code, delete the test.
"""

from __future__ import annotations

import struct
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

from ranking_scores import dcg_score, ndcg_score
from ranking_scores._base import _exact, _ids, _sorting
from ranking_scores._base._exact import ONE, exact_sum, moments_of
from ranking_scores._base._sorting import (
    as_sortable,
    order_in_rows,
    order_of_cells,
    sort_ints,
    sort_rows,
    stable_order,
    unique_text,
)
from ranking_scores._base._validation import check_cutoffs
from ranking_scores._metrics import _cumulative_gain, _evaluate, _profiles
from ranking_scores._metrics._profiles import Ranking, first_stop, tie_groups
from ranking_scores._queries import _blocks, _retrieved, _top_k_candidates
from ranking_scores._queries._blocks import BlockCells
from ranking_scores._queries._data import CallData
from ranking_scores._queries._relevance import check_discount
from ranking_scores._queries._rows import CellValues
from ranking_scores._queries._top_k_candidates import nonzero_cells, take_cells, top_k_candidates


def refuse(*_, **__):
    """Stand in for the way that must not be taken."""
    raise AssertionError("the slower way was taken")


@pytest.fixture
def no_argsort(monkeypatch):
    """Let NumPy have no argsort, which takes several times as long as a sort."""
    monkeypatch.setattr(np, "argsort", refuse)


def peak_of(function, *args):
    """Return the bytes that a call takes at most."""
    function(*args)
    tracemalloc.start()
    function(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


# --- sorting ----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 8, 9])
def test_keys_hold_all_of_a_value_that_they_have_room_for(width):
    """Goes with _sorting._sort_keys."""
    values = [3.4, -3.5, -1e-30, 2e300, -np.inf, 0.0, 1.1, np.nan, -2e300][:width]
    place_bits = 2 ** (width - 1).bit_length() - 1
    place = np.arange(width)
    expected = []
    for column, value in enumerate(values):
        [bits] = struct.unpack("<q", struct.pack("<d", value))
        rising = bits if bits >= 0 else bits ^ (2**63 - 1)
        expected.append(rising & ~place_bits | column)
    key, found_bits = _sorting._sort_keys(np.array([values]), place)
    assert (key.tolist(), found_bits) == ([expected], place_bits)


def test_keys_of_single_precision_hold_all_of_a_value():
    """Goes with _sorting._sort_keys."""
    values = [3.4, -3.5, -1e-30, 2e30, -np.inf, 0.0, 1.1]
    expected = []
    for column, value in enumerate(values):
        [bits] = struct.unpack("<i", struct.pack("<f", value))
        rising = bits if bits >= 0 else bits ^ (2**31 - 1)
        expected.append(rising * 2**32 + column)
    key, place_bits = _sorting._sort_keys(np.array([values], np.float32), np.arange(7))
    assert (key.tolist(), place_bits) == ([expected], 2**32 - 1)


@pytest.mark.parametrize(
    ("n_bits", "dtype"), [(30, np.int32), (31, np.int32), (32, np.int64), (63, np.int64)]
)
def test_ints_are_sorted_as_the_smallest_keys_that_hold_them(no_argsort, n_bits, dtype):
    """Goes with the keys in _sorting.sort_ints."""
    values = np.array([[3, -1, 0]], np.int16)  # 2 bits for the place
    order, in_order = sort_ints(values, 2 ** (n_bits - 2) - 1)
    assert (order.dtype, in_order.dtype) == (dtype, dtype)
    assert (order.tolist(), in_order.tolist()) == ([[1, 2, 0]], [[-1, 0, 3]])


def test_columns_are_added_until_a_tie_group_is_whole_and_no_longer():
    """Goes with the search for the last column in _sorting.sort_rows."""
    values = np.array([[0.0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]])
    for depth, n_columns in ((1, 1), (2, 3), (3, 3)):
        assert sort_rows(values, depth, reverse_ties=False)[0].shape == (1, n_columns)
    values[0, 1:] = np.nan
    assert sort_rows(values, 2, reverse_ties=False)[0].shape == (1, 2)
    values = np.array([[0.0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9]])
    assert sort_rows(values, 3, reverse_ties=False)[0].shape == (1, 5)
    values = np.array([[1.0] * 12]) + 16 * np.finfo(np.float64).eps * np.arange(12, 0, -1)
    assert sort_rows(values, 1, reverse_ties=False)[0].tolist() == [[11]]
    values = np.array([[0.0, 1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9]])
    for depth, n_columns in ((4, 4), (5, 5), (6, 8), (7, 8), (8, 8)):
        assert sort_rows(values, depth, reverse_ties=False)[0].shape == (1, n_columns)


@pytest.mark.parametrize(("largest", "n_passes"), [(0, 1), (2**16 - 1, 1), (2**16, 2)])
def test_numbers_of_16_bits_are_sorted_in_one_pass(monkeypatch, largest, n_passes):
    """Goes with the passes of _sorting.stable_order."""
    calls = []
    argsort = np.argsort
    monkeypatch.setattr(np, "argsort", lambda *a, **k: calls.append(a) or argsort(*a, **k))
    assert stable_order(np.array([largest, 0])).tolist() == ([1, 0] if largest else [0, 1])
    assert len(calls) == n_passes


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64, np.longdouble])
def test_no_values_are_floats(dtype):
    """Goes with the case of no values in _sorting.as_sortable."""
    assert as_sortable(np.empty((0, 3), dtype)).dtype == np.float64


@pytest.mark.parametrize("n_letters", [4, 40])
def test_few_texts_have_the_same_hash(n_letters):
    """Goes with _sorting._hash."""
    text = np.array([f"{number:05}".rjust(n_letters, "x") for number in range(30_000)])
    assert np.unique(_sorting._hash(text)).size > 0.99 * text.size
    text = np.array([f"{number:05}".ljust(n_letters, "x") for number in range(30_000)])
    assert np.unique(_sorting._hash(text)).size > 0.99 * text.size


def test_a_table_of_texts_has_about_two_slots_for_each(monkeypatch):
    """Goes with the table in _sorting.unique_text."""
    # Of n texts in m slots, 1 - (1 - exp(-n / m)) m / n share the slot with a later one.
    text = np.random.default_rng(0).bytes(30_000 * 12)
    text = np.frombuffer(text, dtype="S12")
    n_left, n_slots = [], []
    unique, empty = np.unique, np.empty
    monkeypatch.setattr(np, "empty", lambda n, *a, **k: n_slots.append(n) or empty(n, *a, **k))
    monkeypatch.setattr(np, "unique", lambda *a, **k: n_left.append(a[0].size) or unique(*a, **k))
    unique_text(text)
    load = text.size / 2**16
    expected = 1 - (1 - np.exp(-load)) / load
    assert n_left == [pytest.approx(expected * text.size, rel=0.05)]
    assert n_slots[0] == 2**16


@pytest.mark.parametrize(
    ("n_values", "n_different", "n_slots"),
    [
        (2**18, 1, 2**20),  # all slots stay in the cache anyway, or nearly
        (2**18 + 1, 1, 2**18),
        (2**18 + 1, 70_000, 2**18),
        (2**18 + 1, 90_000, 2**20),  # nearly all of those that are looked at are different
    ],
)
def test_a_table_of_few_texts_stays_in_the_cache(monkeypatch, n_values, n_different, n_slots):
    """Goes with the sample in _sorting._unique_by_hash."""
    made = []
    empty = np.empty
    monkeypatch.setattr(np, "empty", lambda n, *a, **k: made.append(n) or empty(n, *a, **k))
    text = np.random.default_rng(0).integers(0, n_different, n_values).astype("S5")
    unique_text(text)
    assert max(size for size in made if isinstance(size, int)) == max(n_slots, n_values)


@pytest.mark.parametrize(
    ("n_objects", "n_rows", "are_shared"),
    [
        (100, 2**14, True),
        (100, 2**14 + 1, True),
        (100, 2**15, True),
        (100, 2**14 - 1, False),  # too few rows
        (2**15, 2**15, False),  # each is an object of its own
        (15_500, 2**15, True),
        (15_600, 2**15, False),  # nearly each of those that are looked at
    ],
)
def test_only_one_row_of_each_object_is_hashed(monkeypatch, n_objects, n_rows, are_shared):
    """Goes with _sorting.unique_addresses."""
    hashed = []
    monkeypatch.setattr(_ids, "_reads_all_text", lambda pandas: False)
    monkeypatch.setattr(
        _ids, "unique_text", lambda text: hashed.append(len(text)) or unique_text(text)
    )
    objects = np.array([f"item {number}" for number in range(n_objects)], dtype=object)
    rows = np.arange(n_rows) % n_objects
    code, place = _ids._unique_text(objects[rows])
    assert hashed == [n_objects if are_shared else n_rows]
    assert (objects[rows][place][code] == objects[rows]).all()
    hashed.clear()
    _ids._unique_text(objects[rows].astype(str))
    assert hashed == [n_rows]


def test_cells_are_sorted_by_keys_as_long_as_there_is_room(no_argsort):
    """Goes with the keys in _sorting.order_of_cells."""
    # Three cells take 2 bits for the place, so that 61 are left for the cell.
    for largest in (2, 2**30, 2**61 - 1):
        row, column = np.array([0, 0, 0]), np.array([largest, 1, 0])
        assert order_of_cells(row, column, largest + 1).tolist() == [2, 1, 0]


def test_a_cell_just_too_far_for_a_key_is_sorted():
    """Goes with the keys in _sorting.order_of_cells."""
    row, column = np.array([0, 0, 0]), np.array([2**61, 1, 0])
    assert order_of_cells(row, column, 2**61 + 1).tolist() == [2, 1, 0]


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_rows_of_one_length_are_sorted_side_by_side(monkeypatch, n_rows):
    """Goes with the case of equal lengths in _sorting.order_in_rows."""
    monkeypatch.setattr(_sorting, "order_of_cells", refuse)
    row = np.repeat([4, 7, 8][:n_rows], 3)
    column = np.tile([2, 0, 1], n_rows)
    order = order_in_rows(row, column, 3)
    assert order.tolist() == np.lexsort((column, row)).tolist()


@pytest.mark.parametrize("lengths", [[2, 1, 3], [2, 1], [1, 3], [2, 3, 1]])
def test_rows_of_several_lengths_are_sorted_cell_by_cell(monkeypatch, lengths):
    """Goes with the case of equal lengths in _sorting.order_in_rows."""
    monkeypatch.setattr(_sorting, "sort_ints", refuse)
    row = np.repeat([5, 6, 7, 8][: len(lengths)], lengths)
    column = -np.arange(row.size) + row.size
    assert order_in_rows(row, column, 9).tolist() == np.lexsort((column, row)).tolist()


def test_only_the_difference_of_rows_needs_room_in_a_key(no_argsort):
    """Goes with the keys in _sorting.order_in_rows."""
    row = np.array([2**40 + 1] * 2 + [2**40 + 2] * 3)
    column = np.array([2**30, 0, 5, 2**30, 1])
    assert order_in_rows(row, column, 2**30 + 1).tolist() == [1, 0, 4, 2, 3]


# --- the search for candidates ----------------------------------------------------------------


@pytest.mark.parametrize("is_copied", [False, True])
def test_rows_that_are_copied_fit_in_the_cache_with_their_copy(monkeypatch, is_copied):
    """Goes with _top_k_candidates.rows_in_cache."""
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", 320)
    rows = _top_k_candidates.rows_in_cache(np.zeros((9, 10)), is_copied=is_copied)
    assert [each.start for each in rows] == ([*range(9)] if is_copied else [0, 4, 8])


def test_of_columns_that_repeat_as_many_rows_are_passed_over_as_of_others(monkeypatch):
    """Goes with _top_k_candidates.rows_in_cache."""
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", 320)
    repeated = np.broadcast_to(np.zeros((9, 1)), (9, 10))
    assert [each.start for each in _top_k_candidates.rows_in_cache(repeated)] == [0, 4, 8]
    monkeypatch.setattr(_top_k_candidates, "_CHUNK_OF_COLUMNS", 720)
    by_column = np.zeros((10, 10), order="F")
    assert [each.start for each in _top_k_candidates.rows_in_cache(by_column)] == [0, 9]


@pytest.mark.parametrize(("order", "shape"), [("F", (4, 2)), ("C", (2, 3000))])
def test_columns_in_fortran_order_are_read_in_one_piece(monkeypatch, order, shape):
    """Goes with the two ways of _top_k_candidates._best_of_groups."""
    scores = np.asarray(np.random.default_rng(0).random((4, 3000)), order=order)
    monkeypatch.setattr(
        _top_k_candidates, "_CHUNK", 2 * 3000 * 8 if order == "C" else 4 * 2 * 4 * 8
    )
    read = []
    monkeypatch.setattr(
        _top_k_candidates, "_are_finite", lambda part, _: read.append(part.shape) or True
    )
    best = _top_k_candidates._best_of_groups(scores, 148, 20, must_be_finite=True)
    padded = np.full((4, 21 * 148), -1.0)
    padded[:, :3000] = scores
    assert best.tolist() == padded.reshape(4, 21, 148).max(axis=1).tolist()
    assert best.flags.c_contiguous
    assert set(read) == {shape}
    assert sum(map(np.prod, read)) == scores.size


@pytest.mark.parametrize("is_masked", [False, True])
def test_rows_are_copied_if_there_is_a_mask(monkeypatch, is_masked):
    """Goes with _top_k_candidates.rows_in_cache."""
    scores = np.random.default_rng(0).random((4, 3000))
    is_item = np.ones(scores.shape, dtype=bool) if is_masked else None
    given = []
    rows_in_cache = _top_k_candidates.rows_in_cache
    monkeypatch.setattr(
        _top_k_candidates,
        "rows_in_cache",
        lambda *a, **k: given.append(k) or rows_in_cache(*a, **k),
    )
    top_k_candidates(scores, 5, is_item)
    assert given == [{"is_copied": is_masked}]


@pytest.mark.parametrize(("width", "is_sorted"), [(500, True), (512, True), (513, False)])
@pytest.mark.parametrize("depth", [1, 4, 5])
def test_of_short_rows_no_more_are_kept_than_are_needed(depth, width, is_sorted):
    """Goes with the sort of short rows in _top_k_candidates.top_k_candidates."""
    scores = np.random.default_rng(0).permuted(np.tile(np.arange(width), (30, 1)), axis=1)
    kept = top_k_candidates(scores.astype(np.float32), depth)
    assert is_sorted == (kept.size == 30 * depth) or depth == 1
    assert set(np.flatnonzero(scores >= width - depth).tolist()) <= set(kept.tolist())


@pytest.mark.parametrize(
    ("chunk", "n_at_once"), [(8 * 90 * 20, 20), (8 * 90 * 20 - 1, 19), (8 * 90, 1), (1, 1)]
)
def test_as_many_groups_are_looked_into_at_once_as_fit_in_the_cache(monkeypatch, chunk, n_at_once):
    """Goes with the groups of _top_k_candidates.top_k_candidates."""
    scores = np.zeros((1, 90 * 270))
    scores[0, :40] = 1  # in as many groups
    monkeypatch.setattr(_top_k_candidates, "_groups", lambda *_: (270, 90))
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", 10**6)
    best = _top_k_candidates._best_of_groups(scores, 270, 90)
    monkeypatch.setattr(_top_k_candidates, "_best_of_groups", lambda *_: best)
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", chunk)
    sizes = []
    monkeypatch.setattr(
        _top_k_candidates,
        "take_cells",
        lambda v, cell: sizes.append(len(cell)) or take_cells(v, cell),
    )
    assert top_k_candidates(scores, 1).tolist() == list(range(40))
    assert max(sizes) == n_at_once


def test_a_search_is_given_up_as_soon_as_half_of_the_items_are_kept(monkeypatch):
    """Goes with the end of the search in _top_k_candidates.top_k_candidates."""
    scores = np.zeros((4, 3000))
    scores[0, 0] = scores[1:] = 1
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", 1)
    read = []
    monkeypatch.setattr(
        _top_k_candidates,
        "take_cells",
        lambda v, cell: read.append(cell.size) or take_cells(v, cell),
    )
    assert top_k_candidates(scores, 1) is None
    assert sum(read) < 0.6 * scores.size


@pytest.mark.parametrize("order", ["C", "F"])
def test_cells_are_taken_without_a_copy_of_all(order):
    """Goes with _top_k_candidates.take_cells and nonzero_cells."""
    values = np.zeros((300, 3000), order=order)
    values[3, 7] = 1
    cell = np.array([3 * 3000 + 7, 5])
    assert take_cells(values, cell).tolist() == [1, 0]
    assert peak_of(take_cells, values, cell) < 10_000
    assert nonzero_cells(values).tolist() == [3 * 3000 + 7]
    assert peak_of(nonzero_cells, values) < 3 * values.size  # of 8 * values.size bytes


def test_a_second_pass_for_infinite_scores_is_made_only_if_one_may_be_there(monkeypatch):
    """Goes with `must_be_finite` of _top_k_candidates.top_k_candidates."""
    monkeypatch.setattr(_top_k_candidates, "all_finite", refuse)
    scores = np.random.default_rng(0).random((4, 3000))
    assert top_k_candidates(scores, 5, must_be_finite=True) is not None
    scores[2, 2] = -np.inf
    with pytest.raises(AssertionError, match="slower way"):
        top_k_candidates(scores, 5, must_be_finite=True)


@pytest.mark.parametrize(
    ("n_groups", "depth", "size"), [(144, 2, 9), (143, 2, 8), (32, 2, 2), (31, 2, 1), (80, 10, 1)]
)
def test_the_bound_is_found_among_groups_of_groups(n_groups, depth, size):
    """Goes with _top_k_candidates._bound."""
    rng = np.random.default_rng(0)
    n_different = set()
    for _ in range(20):
        best = rng.random((3, n_groups))
        n = n_groups // size
        of_groups = [[max(row[j : n * size : n]) for j in range(n)] for row in best.tolist()]
        expected = [sorted(row)[-depth] for row in of_groups]
        assert _top_k_candidates._bound(best, depth).tolist() == expected
        n_different.add(tuple(expected) != tuple(np.sort(best, axis=1)[:, -depth].tolist()))
    assert (True in n_different) == (size > 1)


# --- ranks and blocks -------------------------------------------------------------------------


def test_of_ranks_without_ties_only_the_first_are_returned():
    """Goes with _evaluate.RankedBlock.ranking."""
    ranking = Ranking(np.arange(10).reshape(2, 5), None)
    block = SimpleNamespace(scores=np.zeros((2, 5)), counts=None)
    ranked = _evaluate.RankedBlock(block, 5, lambda *, ignore_ties: ranking)
    assert ranked.ranking(2, ignore_ties=False).cell.tolist() == [[0, 1], [5, 6]]
    assert ranked.ranking(4, ignore_ties=False).cell.shape == (2, 4)
    assert ranked.ranking(5, ignore_ties=False) is ranking
    assert ranked.ranking(9, ignore_ties=False) is ranking


def test_only_tie_groups_at_the_first_ranks_are_worked_out(monkeypatch):
    """Goes with `depth` of _profiles.first_stop."""
    chance = np.array([[0.5, 0.25, 0.5, 0.25, 0.5, 0.25]])
    ranking = Ranking(np.arange(6)[None, :], tie_groups(np.array([[1, 1, 2, 2, 3, 3]])))
    n_groups = []
    mixed_stops = _profiles._mixed_stops
    monkeypatch.setattr(
        _profiles, "_mixed_stops", lambda *a: n_groups.append(len(a[0])) or mixed_stops(*a)
    )
    for depth, n_worked_out in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3)):
        n_groups.clear()
        first_stop(chance, ranking, depth)
        assert sum(n_groups) == n_worked_out


def test_tie_groups_of_similar_size_are_worked_out_together():
    """Goes with _profiles._similar_in_size."""
    size = np.array([2, 3, 4, 7, 8, 2, 100, 65])
    sets = _profiles._similar_in_size(np.array([0, 1, 2, 3, 4, 5, 6, 7]), size)
    assert [of_set.tolist() for of_set in sets] == [[0, 1, 5], [2, 3], [4], [6, 7]]


@pytest.mark.parametrize(("n_tied", "n_blocks"), [(5, 1), (6, 1), (7, 2), (9, 2), (10, 2)])
def test_a_query_with_four_times_the_usual_number_of_candidates_is_no_neighbour(
    monkeypatch, n_tied, n_blocks
):
    """Goes with the cut of blocks by candidates in _blocks."""
    scores = np.tile(np.arange(512.0), (10, 1))
    scores[3, -n_tied:] = 600  # 10 n_tied is more than 4 (9 + n_tied) from 7 on
    shapes = []
    rank_items = _evaluate.rank_items
    monkeypatch.setattr(
        _evaluate,
        "rank_items",
        lambda s, *a, **k: shapes.append(s.shape) or rank_items(s, *a, **k),
    )
    dcg_score(np.ones(scores.shape), scores, k=1)
    assert len(shapes) == n_blocks
    assert sum(n_rows for n_rows, _ in shapes) == 10


def test_queries_of_one_length_are_cut_into_blocks_of_the_usual_size(monkeypatch):
    """Goes with _blocks.cut_by_length."""
    monkeypatch.setattr(_blocks, "_BLOCK_CELLS", 9)
    monkeypatch.setattr(_blocks, "_WIDE_BLOCK_ROWS", 1)
    sets = _blocks.cut_by_length(np.array([3, 3, 3, 3, 3, 3, 3, 2]))
    assert [queries.tolist() for queries in sets] == [[4, 5, 6], [1, 2, 3], [7, 0]]


def test_queries_without_items_have_one_cell():
    """Goes with _blocks.padding."""
    is_item, shape = _blocks.padding(np.array([0, 0]))
    assert (is_item.tolist(), shape) == ([[False], [False]], (2, 1))


@pytest.mark.parametrize(("n_queries", "is_kept"), [(1, False), (2, True), (3, True)])
def test_memory_is_kept_if_there_may_be_several_blocks(monkeypatch, n_queries, is_kept):
    """Goes with _evaluate._LARGER_THAN_BLOCKS."""
    monkeypatch.setattr(_evaluate, "_LARGER_THAN_BLOCKS", -1)  # which NumPy refuses
    y_true, y_score = np.ones((2, n_queries, 3))
    if not is_kept:
        assert dcg_score(y_true, y_score, k=1) == 1
        return
    with pytest.raises(ValueError, match="negative dimensions"):
        dcg_score(y_true, y_score, k=1)


def test_cells_are_numbered_by_their_columns_as_long_as_there_is_room(monkeypatch):
    """Goes with the numbering in _labels.Entries.at."""
    monkeypatch.setattr(np, "unique", refuse)
    column = np.array([1, 2**60, 2])
    entries = CellValues(np.array([0, 1, 3]), column, np.array([5, 6, 7]))
    assert entries.at(BlockCells(np.array([1, 3]), np.array([2**60, 1]))).tolist() == [6, 0]


# --- sums -------------------------------------------------------------------------------------


def test_few_values_are_summed_by_python(monkeypatch):
    """Goes with the case of few values in _exact.exact_sum."""
    monkeypatch.setattr(_exact, "_sum_of_part", refuse)
    for number in (0, 1, 3, 128):
        assert exact_sum(np.ones(number)) == number * ONE
    with pytest.raises(AssertionError, match="slower way"):
        exact_sum(np.ones(129))


def test_a_sum_beyond_float64_is_exact():
    """Goes with the case of few values in _exact.exact_sum."""
    largest = np.finfo(float).max
    assert exact_sum(np.array([largest, largest, -1.0])) == 2 * int(largest) * ONE - ONE
    assert exact_sum(np.array([largest, 5e-324, -largest])) == ONE >> 1074


def test_what_calls_share_cannot_change():
    """Goes with the caches of cutoffs and of discounts."""
    cutoffs, weights = check_cutoffs(3, "f"), check_discount("log", 2, 3, "f", allow_negative=True)
    assert check_cutoffs(3, "f").ranks is cutoffs.ranks
    assert check_discount("log", 2, 3, "g", allow_negative=False) is weights
    assert check_discount("log", 4, 3, "f", allow_negative=True).tolist() == (2 * weights).tolist()
    for shared in (cutoffs.ranks, weights):
        with pytest.raises(ValueError, match="read-only"):
            shared[0] = 7
    with pytest.raises(ValueError, match="Got True instead"):
        check_cutoffs(True, "f")


def test_small_data_never_decides_whether_to_count(monkeypatch):
    """Goes with _counting.is_tiny."""
    monkeypatch.setattr(_evaluate, "need_of", refuse)
    assert ndcg_score(np.eye(2, 1000), np.eye(2, 1000)) == 1
    with pytest.raises(AssertionError, match="slower way"):
        ndcg_score(np.eye(3, 1000), np.eye(3, 1000))


def test_sums_take_room_for_the_powers_that_are_there():
    """Goes with the window of powers in _exact."""
    values = np.full((3, 1), 1e300)
    assert peak_of(moments_of, values, None) < 10_000


@pytest.mark.parametrize(
    ("n_queries", "cutoffs", "is_side_by_side"),
    [
        (7, [3], False),
        (102, [3], False),
        (103, [3], True),
        (300, [3], True),
        (15, [1, 3], False),
        (16, [1, 3], True),
        (64, [1, 2] * 4, True),
        (300, [1, 2, 3] * 3, False),
    ],
)
def test_several_queries_are_added_up_side_by_side(
    monkeypatch, n_queries, cutoffs, is_side_by_side
):
    """Goes with the transposed sum in _profiles.sum_to_cutoffs."""
    turned = []
    turn = _profiles._turned
    monkeypatch.setattr(
        _profiles, "_turned", lambda values: turned.append(values.shape) or turn(values)
    )
    sums = _profiles.sum_to_cutoffs(np.ones((n_queries, 5)), np.array(cutoffs))
    assert sums.tolist() == [[float(cutoff) for cutoff in cutoffs]] * n_queries
    assert turned == [(n_queries, max(cutoffs))] * is_side_by_side


def test_weights_of_ranks_are_looked_at_only_if_they_may_rise(monkeypatch):
    """Goes with the weights in _cumulative_gain.ndcg_score."""
    weights = check_discount("log", 2, 2**22, "ndcg_score", allow_negative=False)
    assert _cumulative_gain._best_weights(weights) is None
    monkeypatch.setattr(_cumulative_gain, "_best_weights", refuse)
    assert ndcg_score([[0, 1]], [[1, 2]]) == 1
    with pytest.raises(AssertionError, match="slower way"):
        ndcg_score([[0, 1]], [[1, 2]], discount=lambda rank: 1 / rank)


@pytest.mark.parametrize("n_cells", [4096, 4098])
def test_many_gains_are_sorted_as_float32(monkeypatch, n_cells):
    """Goes with the dtype in _profiles.ideal_gain."""
    rounded = []
    as_float32 = _profiles.as_float32
    monkeypatch.setattr(
        _profiles, "as_float32", lambda gain: rounded.append(gain.size) or as_float32(gain)
    )
    gains = np.arange(float(n_cells)).reshape(-1, 2)
    assert _profiles.ideal_gain(gains, 1)[-1] == n_cells - 1
    assert rounded == [n_cells] * (n_cells > 4096)


@pytest.mark.parametrize("is_repeated", [False, True])
def test_weights_that_are_the_same_for_all_queries_are_counted_once(monkeypatch, is_repeated):
    """Goes with the case of repeated rows in _retrieved._count_weights."""
    weight = np.ones(4) if is_repeated else np.ones((3, 4))
    read = []
    as_weights = _retrieved.as_weights
    monkeypatch.setattr(
        _retrieved, "as_weights", lambda each: read.append(each.shape) or as_weights(each)
    )
    data = CallData("dcg_score", np.ones((3, 4)), np.ones((3, 4)))
    count = _retrieved._count_weights(np.broadcast_to(weight, (3, 4)), data)
    assert count.tolist() == [4, 4, 4]
    assert read == [(1, 4) if is_repeated else (3, 4)]
    assert _retrieved._count_weights(np.tri(3, 4)[::-1], data).tolist() == [3, 2, 1]
