"""Scores of every dtype, ids of every kind, and the shapes that are allowed."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from raising import raises
from warned import nothing_to_rank

from ranking_scores import dcg_score, hit_rate_score, ndcg_score, ranking_report
from ranking_scores._base._validation import WHOLE_LIST
from ranking_scores._queries import _blocks, _rows
from ranking_scores._queries._blocks import BlockCells
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._rows import CellValues

LABELS = [[1, 2, 3]]
BEST = dcg_score(LABELS, [[1, 2, 3]])
TIED_TOP = dcg_score(LABELS, [[1, 2, 2]])


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (np.array([[2**53 - 1, 2**53, 2**53 + 1]]), BEST),
        (np.array([[0, 2**64 - 2, 2**64 - 1]], dtype=np.uint64), BEST),
        (np.array([[-(2**63), -(2**63) + 1, 2**63 - 1]]), BEST),
        (np.array([[-(2**63), 2**63 - 1, 2**63 - 1]]), TIED_TOP),
        (np.array([[1, np.nextafter(1, 2), np.nextafter(np.nextafter(1, 2), 2)]]), BEST),
        (np.array([[0, 1, 1 + np.finfo(np.longdouble).eps]], dtype=np.longdouble), BEST),
        (np.array([[0, 1, 1]], dtype=np.longdouble), TIED_TOP),
        (np.array([[-0.0, 0.0, 1.0]])[:, [2, 0, 1]], dcg_score(LABELS, [[2, 1, 1]])),
        (np.array([[0, 65472, 65504]], dtype=np.float16), BEST),
        (np.array([[0, 2**31, 2**32 - 1]], dtype=np.uint32), BEST),
        (np.array([[False, True, True]]), TIED_TOP),
        (np.array([[5e-324, 1e-323, 1.5e-323]]), BEST),
        (np.array([[-1e308, 0, 1e308]]), BEST),
        (np.array([[1, 2, 3]], dtype=">i8"), BEST),
        (np.array([[1, 2, 3]], dtype=">f4"), BEST),
    ],
)
def test_scores_are_compared_in_their_own_dtype(scores, expected):
    qid = np.zeros(3, dtype=int)
    shorter = np.full(1, scores[0, 0])  # a second query, so that the first one is padded
    for byte_order in (scores, scores.astype(scores.dtype.newbyteorder())):
        assert dcg_score(LABELS, byte_order) == expected
        assert dcg_score(LABELS[0], byte_order[0], qid=qid) == expected
        padded = dcg_score(
            LABELS[0] + LABELS[0][:2],
            np.concatenate([byte_order[0], shorter, shorter]),
            qid=[0, 0, 0, 1, 1],
            average=None,
        )
        assert padded[0] == expected


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.uint64, np.float16, np.float32, np.longdouble, ">i4"]
)
@pytest.mark.parametrize("gain", ["linear", "exponential", [0, 3.0], lambda label: label / 3])
def test_labels_of_every_dtype(dtype, gain):
    labels = np.array([[0, 1, 1, 0]])
    scores = [[1, 2, 2, 3]]
    for score in (dcg_score, ndcg_score):
        expected = score(labels, scores, gain=gain, relevance_threshold=1)
        value = score(labels.astype(dtype), scores, gain=gain, relevance_threshold=1)
        assert value == expected


@nothing_to_rank
def test_a_threshold_is_compared_with_labels_as_they_are():
    # float32(0.7) is a little less than 0.7, but it is what 0.7 is among labels of that dtype.
    for dtype in (np.float16, np.float32, np.float64):
        labels = np.array([[0.7, 0.1]], dtype=dtype)
        assert ndcg_score(labels, [[1, 0]], relevance_threshold=0.7) == 1.0
        assert ndcg_score(labels, [[1, 0]], relevance_threshold=1e39) == 0.0
        assert hit_rate_score(labels, [[1, 0]], k=1, relevance_threshold=1e39) == 0.0


SORTED_IDS = [
    [1, 2, 3],
    [-(2**63), 0, 2**63 - 1],
    [-1, 2**63, 2**63 + 1],  # no dtype of NumPy holds them all; as floats two would be equal
    [10**30, 10**30 + 1, 10**40],
    [0.5, 1.5, np.inf],
    ["a", "b", "ba"],
    [b"a", b"b", b"ba"],
    [b"a", b"a\0", b"b"],
    [(1, "a"), (1, "b"), (2, "a")],
    [False, True],
    np.array(["2020-01-01", "2020-01-02", "2021-01-01"], dtype="M8[D]"),
    np.array([1, 2, 3], dtype=">u2"),
    np.array(["a", "b", "c"], dtype=np.dtypes.StringDType()),
    pd.Series(["a", "b", "c"]),
    pd.Series(["a", "b", "c"], dtype="category"),
    pd.Series([1, 2, 3], dtype="Int64", index=[7, 7, 7]),
    pl.Series(["a", "b", "c"]),
]


@pytest.mark.parametrize("ids", SORTED_IDS)
def test_ids_of_any_sortable_type_in_any_order(ids):
    if isinstance(ids, list) and isinstance(ids[0], tuple):
        ids, as_tuples = np.empty(3, dtype=object), ids
        ids[:] = as_tuples
    n_queries = len(ids)
    rng = np.random.default_rng(0)
    lengths = np.array([4, 1, 9])[:n_queries]
    query = np.repeat(np.arange(n_queries), lengths)
    y_true, y_score = rng.integers(0, 3, query.size), rng.integers(0, 3, query.size)
    expected = [
        dcg_score(y_true[None, query == index], y_score[None, query == index])
        for index in range(n_queries)
    ]
    for order in (np.arange(query.size), rng.permutation(query.size)):
        if isinstance(ids, (pd.Series, pl.Series)):
            qid = (
                ids[query[order].tolist()]
                if isinstance(ids, pl.Series)
                else ids.iloc[query[order]]
            )
        elif isinstance(ids, np.ndarray):
            qid = ids[query[order]]
        else:
            qid = [ids[index] for index in query[order]]
        value = dcg_score(y_true[order], y_score[order], qid=qid, average=None)
        np.testing.assert_allclose(value, expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, ">i2", np.int64, np.uint64])
def test_many_ids_of_any_integer_type_are_those_of_numpy(dtype):
    rng = np.random.default_rng(0)
    limits = np.iinfo(dtype)
    for lowest, highest in (
        (limits.min, min(limits.max, limits.min + 255)),
        (max(limits.min, limits.max - 255), limits.max),
    ):
        ids = rng.integers(
            lowest, highest, 3000, dtype=np.dtype(dtype).newbyteorder("="), endpoint=True
        )
        qid = ids.astype(dtype)
        per_query = dcg_score(np.arange(3000), -np.arange(3000), qid=qid, k=1, average=None)
        # The first row of a query ranks first in it.
        assert per_query.tolist() == np.unique(ids, return_index=True)[1].tolist()


def test_more_queries_than_16_bits_count_in_any_order():
    n_queries = 2**16 + 5
    qid = np.random.default_rng(0).permutation(np.repeat(np.arange(n_queries), 2))
    row = np.arange(qid.size)
    per_query = dcg_score(row, row, qid=qid, k=1, average=None)
    last_row = np.zeros(n_queries)
    last_row[qid] = row
    assert per_query.tolist() == last_row.tolist()


def test_rows_of_a_query_keep_their_order_wherever_they_stand():
    # Item 0 stands before item 1, whatever stands between: the later one comes first.
    value = dcg_score(
        [1, 9, 0, 9], [5, 1, 5, 2], qid=[0, 1, 0, 1], k=1, ignore_ties=True, average=None
    )
    assert value.tolist() == [0.0, 9.0]


def test_a_column_of_scores_as_estimators_return_it():
    y_true, y_score, qid = [0, 1, 2], np.array([[0.1], [0.3], [0.2]]), [0, 0, 1]
    assert ndcg_score(y_true, y_score, qid=qid) == ndcg_score(y_true, y_score[:, 0], qid=qid)


@pytest.mark.parametrize("step", [1, 2, -1])
def test_arrays_need_not_be_contiguous_nor_writable(step):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, (2, 8, 40)), rng.random((2, 8, 40))
    for array in (y_true, y_score):
        array.flags.writeable = False
    for true, score in ((y_true[0, ::step], y_score[0, ::step]), (y_true[0].T, y_score[0].T)):
        value = ndcg_score(true[:, ::step], score[:, ::step], k=3)
        assert value == ndcg_score(true[:, ::step].copy(), score[:, ::step].copy(), k=3)
    rows = slice(None, None, step)
    qid = np.arange(320)[rows] % 7
    ragged = y_true[0].ravel()[rows], y_score[0].ravel()[rows]
    copies = ragged[0].copy(), ragged[1].copy()
    assert ndcg_score(*ragged, qid=qid) == ndcg_score(*copies, qid=qid.copy())


@pytest.mark.parametrize("gain", ["linear", "exponential", np.exp2])
@pytest.mark.parametrize("step", [-1, 2, -3])
def test_no_bit_depends_on_the_strides_of_the_labels(gain, step):
    y_true = np.random.default_rng(0).random((700, 1)) * 3
    strided = np.repeat(y_true[:: np.sign(step)], abs(step), axis=0)[::step]
    assert (strided == y_true).all()
    params = {"y_score": np.zeros((700, 1)), "gain": gain, "average": None}
    assert dcg_score(strided, **params).tolist() == dcg_score(y_true, **params).tolist()


def test_an_empty_block_never_arises_and_padding_never_exceeds_the_items():
    rng = np.random.default_rng(0)
    lengths = np.concatenate([rng.integers(1, 300, 3000), [100_000, 70_000]])
    qid = np.repeat(np.arange(lengths.size), lengths)
    y_true = rng.integers(0, 3, qid.size)
    data = CallData("dcg_score", y_true, rng.random(qid.size), qid)
    queries = check_queries(data, DataNeeds(WHOLE_LIST, (np.positive,)))
    seen = []
    for block in queries.blocks():
        n_items = block.n_items.sum()
        assert 0 < n_items == block.ranked.labels.size
        assert block.judged is block.ranked
        assert block.scores.size <= 2 * n_items
        assert block.scores.size <= max(2**20, block.scores.shape[1])
        assert np.isnan(block.scores).sum() == block.scores.size - n_items
        placed = block.ranked.place(np.ones(n_items))
        np.testing.assert_array_equal(placed.sum(axis=1), block.n_items)
        seen.append(block.queries)
    np.testing.assert_array_equal(np.sort(np.concatenate(seen)), np.arange(lengths.size))


@pytest.mark.parametrize("longest", [255, 256, 257, 2**16 - 1, 2**16, 2**16 + 1])
@pytest.mark.parametrize("k", [3, None])
def test_queries_as_long_as_an_integer_type_can_count(longest, k):
    rng = np.random.default_rng(0)
    lengths = longest - np.arange(4)
    y_true, y_score = rng.integers(0, 5, lengths.sum()), rng.random(lengths.sum())
    ends = np.cumsum(lengths)[:-1]
    alone = [
        ndcg_score(labels[None], scores[None], k=k)
        for labels, scores in zip(np.split(y_true, ends), np.split(y_score, ends), strict=True)
    ]
    qid = np.repeat(np.arange(4), lengths)
    assert ndcg_score(y_true, y_score, qid=qid, k=k, average=None).tolist() == alone


def test_callables_get_floats_and_the_discount_is_called_once():
    calls = []

    def discount(ranks):
        calls.append(ranks)
        return 1 / ranks

    def gain(labels):
        assert labels.ndim == 1
        assert labels.dtype == np.float64
        return labels.astype(int)  # an int for each is as good

    y_true, y_score = np.ones((5000, 40), dtype=np.int8), np.zeros((5000, 40))
    assert ndcg_score(y_true, y_score, k=[2, 3], gain=gain, discount=discount).tolist() == [1, 1]
    assert [ranks.tolist() for ranks in calls] == [[1.0, 2.0, 3.0]]
    # No more ranks than the longest query has.
    calls.clear()
    where = np.arange(40) < 2 - np.arange(5000)[:, None] % 2
    assert ndcg_score(y_true, y_score, where=where, discount=discount) == 1.0
    assert [ranks.tolist() for ranks in calls] == [[1.0, 2.0]]


@nothing_to_rank
def test_labels_below_the_threshold_need_no_gain():
    y_true, y_score = [[-5, 0.5, 1, 3]], [[4, 3, 2, 1]]
    expected = dcg_score([[0, 0, 10, 20]], y_score)
    for gain in ([0, 10, 0, 20], lambda label: 10 / np.where(label == 3, 0.5, label)):
        assert dcg_score(y_true, y_score, gain=gain, relevance_threshold=1) == expected
    assert ndcg_score(y_true, y_score, relevance_threshold=7) == 0.0


def test_sparse_labels_are_what_scipy_says_they_are():
    y_score = np.array([[3, 1, 2, 2], [1, 2, 3, 4]])
    rows, columns = [0, 0, 0, 1, 1], [2, 0, 2, 3, 1]  # not sorted, (0, 2) twice, a stored zero
    stored = [1.5, 1.0, 0.5, 0.0, 3.0]
    coo = sp.coo_array((stored, (rows, columns)), shape=(2, 4))
    csr = sp.csr_matrix((stored, [2, 0, 2, 3, 1], [0, 3, 5]), shape=(2, 4))
    assert not csr.has_canonical_format
    labels = [[1, 0, 2, 0], [0, 3, 0, 0]]
    assert dcg_score(csr, y_score) == dcg_score(labels, y_score)
    assert csr.nnz == 5  # as it was
    for score in (dcg_score, ndcg_score, partial(hit_rate_score, k=1)):
        for sparse in (coo, csr, csr.tolil(), csr.todok(), csr.tobsr(), csr.todia(), csr.tocsc()):
            assert score(sparse, y_score) == score(labels, y_score)
            assert score(sparse.astype(np.int8), y_score) == score(
                np.asarray(sparse.astype(np.int8).todense()), y_score
            )


def test_sparse_labels_are_never_made_dense_as_a_whole():
    n_queries, n_items = 200, 100_000
    columns = np.random.default_rng(0).integers(0, n_items, (n_queries, 10))
    rows = np.repeat(np.arange(n_queries), 10)
    y_true = sp.coo_array((np.ones(rows.size), (rows, columns.ravel())), (n_queries, n_items))
    y_score = np.zeros((n_queries, n_items), dtype=np.float16)
    y_score[:, ::997] = 1
    tracemalloc.start()
    value = hit_rate_score(y_true, y_score, k=[1, 10])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0 < value[0] < value[1] < 1
    assert peak < n_queries * n_items * 8 / 2  # float64 labels of all queries take 160 MB


@pytest.mark.parametrize("ignore_ties", [False, True])
@pytest.mark.parametrize("n_decimals", [3, 17])
def test_all_ranks_of_one_long_query_take_64_bytes_an_item(n_decimals, ignore_ties):
    n_items = 10**6
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, (1, n_items))
    # Among so many scores some differ only in their last bits.
    y_score = rng.random((1, n_items)).round(n_decimals)
    tracemalloc.start()
    try:
        ndcg_score(y_true, y_score, ignore_ties=ignore_ties)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64 * n_items


@nothing_to_rank
def test_what_numpy_is_told_to_raise_does_not_matter():
    with np.errstate(all="raise"):
        assert dcg_score([[1e-310, 1e300]], [[1, 2]]) == 1e300
        assert ndcg_score([[1e-310, 1e-320]], [[1, 1]], sample_weight=[1e-300]) > 0.8
        assert dcg_score([[-2000.0]], [[1]], gain="exponential") == -1.0
        assert ndcg_score([[0, 0]], [[1, 1]], replace_undefined_by=0.5) == 0.5


IGNORED = [np.nan, np.inf, -np.inf, -5.0, 1e308, 7.0]


@pytest.mark.parametrize("ignored", IGNORED)
@pytest.mark.parametrize(
    "score", [dcg_score, ndcg_score, partial(hit_rate_score, k=2)], ids=["dcg", "ndcg", "hit"]
)
def test_lengths_and_ignored_labels_as_masks(score, ignored):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, (20, 9)).astype(float), rng.integers(0, 4, (20, 9)) / 2
    lengths = rng.integers(0, 10, 20)
    where = np.arange(9) < lengths[:, None]
    qid = np.nonzero(where)[0]
    expected = score(y_true[where], y_score[where], qid=qid, average=None)
    y_true[~where] = y_score[~where] = ignored
    per_query = score(y_true, y_score, where=where, average=None)
    assert per_query[lengths > 0].tolist() == expected.tolist()
    assert per_query[lengths == 0].tolist() == [0.0] * (lengths == 0).sum()
    ignored = np.where(where, y_true, -1)
    by_label = score(ignored, y_score, where=ignored >= 0, average=None)
    assert by_label.tolist() == per_query.tolist()


@nothing_to_rank
def test_a_masked_relevant_item_is_not_in_the_ideal():
    params = {"where": [[True, True, False]], "k": 3}
    assert ndcg_score([[0, 0, 1]], [[3, 2, 1]], **params) == 0.0
    assert np.isnan(
        ndcg_score([[0, 0, 1]], [[3, 2, 1]], **params, replace_undefined_by=np.nan, average=None)
    )
    assert ndcg_score([[0, 2, 9]], [[3, 2, 1]], **params) == ndcg_score([[0, 2]], [[3, 2]], k=3)


@pytest.mark.parametrize("discount", ["log", lambda rank: rank])
def test_queries_of_which_nothing_is_left_are_scored(discount):
    nan = np.full((3, 40), np.nan)
    nothing = np.zeros((3, 40), dtype=bool)
    three_items = nothing.copy()
    three_items[1, [7, 30, 39]] = True
    y_true = nan.copy()
    y_true[1, [7, 30, 39]] = nan[1, [7, 30, 39]] = [0, 0, 1]
    for where, expected in ((nothing, [0, 0, 0]), (three_items, [0, 1, 0])):
        for k in (1, 5, None):
            params = {"where": where, "k": k, "discount": discount, "average": None}
            assert dcg_score(y_true, nan, **params).tolist() == expected
            best = 1 if discount == "log" or k == 1 else 3  # the largest weight of its ranks
            assert (ndcg_score(y_true, nan, **params) * best).tolist() == expected
        assert hit_rate_score(y_true, nan, where=where, k=1, average=None).tolist() == expected


def test_a_gain_function_never_sees_a_masked_label():
    def gain(labels):
        assert labels.tolist() == [1.0, 2.0]
        return labels

    where = [[True, False, True], [False, False, False]]
    y_true = [[1, -1, 2], [3, 4, 5]]
    assert dcg_score(y_true, [[1, 9, 2], [1, 2, 3]], where=where, gain=gain, k=1) == 1.0


def test_a_gain_function_need_not_know_a_label_that_no_item_has():
    def gain(labels):
        if (labels < 1).any():
            raise KeyError("a label that no item has")
        return labels

    y_true, y_score = [[1, 2, 3, 4, 5, 6, 7, 8]], [[8, 7, 6, 5, 4, 3, 2, 1]]
    assert ndcg_score(y_true, y_score, k=1, gain=gain) == ndcg_score(y_true, y_score, k=1)
    with pytest.raises(KeyError):
        ndcg_score([[0, 2, 3, 4, 5, 6, 7, 8]], y_score, k=1, gain=gain)


def test_a_mask_may_come_in_any_form():
    y_true, y_score = [[0, 1, 2], [1, 0, 2]], [[3, 2, 1], [1, 2, 3]]
    where = np.array([[True, False, True], [False, True, True]])
    expected = ndcg_score(y_true, y_score, where=where)
    assert expected != ndcg_score(y_true, y_score)
    for form in (
        where.tolist(),
        np.asfortranarray(where),
        pd.DataFrame(where),
        pl.DataFrame(where),
    ):
        assert ndcg_score(y_true, y_score, where=form) == expected


def test_queries_that_begin_and_end_like_a_range_but_are_not_in_order_keep_their_values():
    y_true, y_score = [1, 0, 0, 1, 0, 1, 1, 0], [4, 3, 2, 1, 1, 1, 1, 2]
    qid = [0, 0, 2, 2, 1, 1, 3, 3]
    per_query = ndcg_score(y_true, y_score, qid=qid, average=None)
    for query in range(4):
        rows = np.flatnonzero(np.array(qid) == query)
        assert per_query[query] == ndcg_score([np.take(y_true, rows)], [np.take(y_score, rows)])


class Incomparable:
    """An id that raises where it is compared."""

    def __ne__(self, other):
        raise TypeError("these cannot be compared")

    __hash__ = None


def test_ids_that_cannot_be_compared_are_refused():
    qid = np.array([Incomparable(), Incomparable()], dtype=object)
    with pytest.raises(ValueError, match=r"of one sortable type.* these cannot be compared"):
        ndcg_score([0, 1], [1, 2], qid=qid)


@pytest.mark.parametrize(
    ("queries", "rows"),
    [
        ([7], slice(7, 8)),
        ([0], slice(0, 1)),
        ([3, 4], slice(3, 5)),
        ([3, 4, 5], slice(3, 6)),
        ([3, 5], None),
        ([5, 4, 3], None),
        ([3, 5, 4, 6], None),
    ],
)
def test_rows_that_follow_one_another_are_a_slice(queries, rows):
    queries = np.array(queries)
    found = _blocks.rows_of(queries)
    assert found is queries if rows is None else found == rows


@pytest.mark.parametrize(
    ("width", "n_queries"), [(1, 2**16), (64, 1024), (2**14, 16), (2**17, 2), (2**20, 1)]
)
def test_a_block_has_as_many_queries_as_fit_in_the_cache(width, n_queries):
    assert _blocks.queries_per_block(width) == n_queries


@pytest.mark.parametrize(
    ("lengths", "sets"),
    [
        ([4, 2], [[1, 0]]),
        ([2, 4, 1], [[0, 1], [2]]),
        ([5, 3, 2], [[1, 0], [2]]),
        ([0, 1, 2, 3], [[2, 3], [0, 1]]),
        ([0, 0], [[0, 1]]),
    ],
)
def test_the_longest_query_of_a_set_is_at_most_twice_as_long_as_the_shortest(lengths, sets):
    cuts = _blocks.cut_by_length(np.array(lengths))
    assert [queries.tolist() for queries in cuts] == sets


@pytest.mark.parametrize(
    ("change", "n_rows"),
    [
        ({}, 8),
        ({"where": np.ones((20, 300), dtype=bool)}, 4),
        ({"item_weight": np.ones((20, 300))}, 4),
        ({"y_score": np.zeros((20, 300), order="F")}, 4),
        ({"y_score": np.zeros((20, 300), dtype=object)}, 2),
        ({"k": 100}, 2),
    ],
)
def test_rows_are_read_as_many_at_a_time_as_are_not_copied(monkeypatch, change, n_rows):
    """Goes with the sizes of blocks in _rows."""
    monkeypatch.setattr(_blocks, "_BLOCK_CELLS", 600)
    monkeypatch.setattr(_blocks, "_WIDE_BLOCK_ROWS", 1)
    monkeypatch.setattr(_rows, "_TOP_BLOCK_CELLS", 300 * 9)
    monkeypatch.setattr(_rows, "_TOP_BLOCK_ROWS", 8)
    monkeypatch.setattr(_rows, "_COPIED_BLOCK_CELLS", 300 * 4)
    arguments = {"y_score": np.zeros((20, 300)), **change}
    depth = arguments.pop("k", 1)
    if arguments["y_score"].dtype == object:
        if np.dtype(np.longdouble).itemsize == 8:
            pytest.skip("long doubles are float64 here")
        arguments["y_score"] = np.zeros((20, 300), dtype=np.longdouble)
    data = CallData("dcg_score", np.zeros((20, 300)), **arguments)
    read = []
    monkeypatch.setattr(
        _rows.RowLayout, "read", lambda layout, queries: read.append(queries.size) or 1 / 0
    )
    for blocks in check_queries(data, DataNeeds(depth)).cuts():
        with pytest.raises(ZeroDivisionError):
            next(blocks)
    assert read == [n_rows] * (20 // n_rows) + [20 % n_rows] * (20 % n_rows > 0)


@pytest.mark.parametrize("largest", [3, 2**61, 2**62])
@pytest.mark.parametrize("n_sought", [1, 2, 5])
def test_values_are_found_in_cells_however_far_apart_they_are(largest, n_sought):
    entries = CellValues(np.array([0, 1, 2]), np.array([1, largest, 2]), np.array([5, 6, 7]))
    row, column = np.array([0, 1, 1, 2, 3]), np.array([1, 2, largest, 2, largest])
    found = entries.at(BlockCells(row[-n_sought:], column[-n_sought:]))
    assert found.tolist() == [5, 0, 6, 7, 0][-n_sought:]
    assert entries.at(BlockCells(row[:4], column[:4])).tolist() == [5, 0, 6, 7]
    one = CellValues(np.array([1]), np.array([largest]), np.array([6]))
    assert one.at(BlockCells(row[:1], column[:1])).tolist() == [0]


def test_a_gain_that_refuses_the_label_0_is_asked_for_it_where_an_item_has_it():
    def gain(labels):
        if (labels == 0).any():
            raise KeyError("0")
        return labels

    found = sp.csr_array([[1.0, 1.0]])
    assert ndcg_score(sp.csr_array([[1, 2]]), found, gain=gain, k=1) == 0.75
    with pytest.raises(KeyError):
        ndcg_score(sp.csr_array([[1, 2, 0]]), sp.csr_array([[1.0, 1.0, 0.0]]), gain=gain, k=1)


@pytest.mark.parametrize("parameter", ["sample_weight", "item_weight"])
@pytest.mark.parametrize(
    ("weight", "advice"),
    [
        ([[1], [1]], "instead. Use `np.asarray({})[..., 0]`."),
        ([1], "instead."),
        ([[[1]], [[1]]], "instead."),
    ],
)
def test_an_axis_too_many_is_taken_away_if_that_helps(parameter, weight, advice):
    with pytest.raises(ValueError, match=parameter) as caught:
        ndcg_score([1, 0], [2, 1], qid=[7, 7], **{parameter: weight})
    assert str(caught.value).endswith(advice.format(parameter))


@pytest.mark.parametrize("as_labels", [sp.csr_array, sp.csc_array, sp.lil_array])
def test_labels_that_are_unknown_to_one_score_are_0_to_another(as_labels):
    """Labels that are not stored are unknown to `judged`, and 0 to all others."""
    y_true = as_labels(np.array([[0, 2, 0, 1, 0], [1, 0, 0, 0, 3]]))
    y_score = np.array([[5, 4, 4, 2, 1], [1, 1, 3, 4, 5]])
    names = ["ndcg@3", "map", "recall@2", "dcg", "pairwise_accuracy"]
    for scores in (y_score, sp.csr_array(y_score)):
        some = names[: 5 if scores is y_score else 4]
        beside = ranking_report(y_true, scores, scores=["judged@2", *some, "bpref"], k=None)
        alone = ranking_report(y_true, scores, scores=some, k=None)
        for name in some:
            assert beside.per_query[name].tolist() == alone.per_query[name].tolist()
        assert beside.per_query["judged@2"].tolist() == [0.25, 0.5]
        assert beside.per_query["bpref"].tolist() == [1, 1]


def test_labels_that_floats_would_round_are_refused_if_others_are_unknown():
    """Beside NaN for labels that are not stored, others are floats."""
    scores = [[2, 1]]
    for dtype in (np.int64, np.uint64):
        exact, beyond = (sp.csr_array(np.array([[0, each]], dtype)) for each in (2**53, 2**53 + 1))
        assert ranking_report(exact, scores, scores=["judged@1", "map"], k=None)["map"] == 0.5
        assert ranking_report(beyond, scores, scores="map", k=None)["map"] == 0.5
        with raises("y_true", "up to 2**53", got="a label of size 9007199254740993"):
            ranking_report(beyond, scores, scores=["judged@1", "map"], k=None)
    with raises("y_true", "up to 2**53"):
        ranking_report(sp.csr_array([[0, -(2**60)]]), scores, scores="bpref", k=None)
