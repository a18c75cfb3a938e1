"""The ids of queries: sizes and back, in any type that ids have."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from raising import raises

from ranking_scores import mean_reciprocal_rank_score, ndcg_score, qid_from_sizes, sizes_from_qid
from ranking_scores._queries._query_ids import check_ids_of_rows
from ranking_scores.exceptions import InvalidParameterError

DAYS = [date(2026, 1, 2), date(2026, 1, 2), date(2026, 1, 1)]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), st.randoms())
def test_sizes_and_ids_are_each_others_way_back(sizes, random):
    qid = qid_from_sizes(sizes)
    assert qid.tolist() == [query for query, size in enumerate(sizes) for _ in range(size)]
    assert qid.dtype == np.int64
    ids = random.sample(range(-1000, 1000), len(sizes))  # in any order
    of_ids = sizes_from_qid([ids[query] for query in qid])
    assert of_ids.tolist() == sizes
    assert of_ids.dtype == np.int64


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda ids: pd.Series(ids).map(str)])
def test_a_query_after_many_of_one_row_stands_together(make):
    ids = [*range(1500, 0, -1), 7000, 7000, 7000, 5000]  # the first rows look shuffled
    assert sizes_from_qid(make(ids)).tolist() == [1] * 1500 + [3, 1]


@pytest.mark.parametrize(
    "qid",
    [
        ["b", "b", "a"],
        np.array([7.5, 7.5, -1]),
        np.array(DAYS, "M8[D]"),
        DAYS,
        pd.Series(["b", "b", "a"], index=[5, 6, 7]),
        pd.Series(["b", "b", "a"], dtype="category"),
        pd.Series(DAYS).astype("M8[ns]"),
        pl.Series(["b", "b", "a"]),
        pl.Series(DAYS),
        (2**70, 2**70, 3),
        [True, True, False],
    ],
)
def test_ids_of_any_type_have_sizes(qid):
    assert sizes_from_qid(qid).tolist() == [2, 1]


def test_ids_of_arrow_have_sizes():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is in the extra engines")
    assert sizes_from_qid(pyarrow.array(["b", "b", "a"])).tolist() == [2, 1]
    assert qid_from_sizes(pyarrow.array([2, 1])).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    "sizes",
    [
        [2, 1],
        (2, 1),
        np.array([2, 1], np.uint8),
        np.array([2, 1], np.uint64),
        np.array([2, 1], object),
        pd.Series([2, 1], index=["a", "b"]),
        pd.Series([2, 1], dtype="Int64"),
        pl.Series([2, 1]),
        pd.Series(["a", "a", "b"]).value_counts(),
        pd.Series(["b", "b", "a"]).groupby(["b", "b", "a"], sort=False).size().to_numpy(),
    ],
)
def test_sizes_of_any_type_make_ids(sizes):
    assert qid_from_sizes(sizes).tolist() == [0, 0, 1]


def test_sizes_whose_index_contradicts_their_order_are_refused():
    frame = pd.DataFrame({"q": [0, 1, 1, 1, 2, 2], "label": [1, 0, 1, 0, 0, 1]})
    y_score = [0.3, 0.9, 0.5, 0.2, 0.8, 0.4]
    counts = frame["q"].value_counts()  # 3, 2, 1
    got = "a Series with 0 after 2 in its index at position 2"
    with raises(
        "sizes", "in the order of the queries", function="qid_from_sizes", got=got
    ) as said:
        qid_from_sizes(counts)
    assert "`.sort_index()`" in str(said.value)
    right = qid_from_sizes(counts.sort_index())
    assert right.tolist() == frame["q"].tolist()
    mrr = mean_reciprocal_rank_score(frame["label"], y_score, qid=right)
    assert mrr == pytest.approx((1 + 1 / 2 + 1 / 2) / 3, rel=1e-15)  # .5 with 3, 2 and 1 rows
    assert qid_from_sizes(counts.to_numpy()).tolist() == [0, 0, 0, 1, 1, 2]


@pytest.mark.parametrize(
    ("index", "place"),
    [([1, 0, 2, 3], 1), ([0, 2, 1, 3], 2), ([0, 1, 3, 2], 3), (list("abca"), 3)],
)
def test_the_first_descent_of_an_index_is_named(index, place):
    got = f"a Series with {index[place]!r} after {index[place - 1]!r} in its index"
    with raises("sizes", "ascending", got=f"{got} at position {place}"):
        qid_from_sizes(pd.Series([1, 2, 3, 4], index))


@pytest.mark.parametrize(
    ("qid", "got"),
    [
        ([5, 5, 3, 5, 3], "other queries between rows 0 and 3 in the query with qid 5"),
        (["b", "a", "c", "a"], "other queries between rows 1 and 3 in the query with qid 'a'"),
    ],
)
def test_rows_of_a_query_must_stand_together(qid, got):
    with raises("qid", "grouped by query", function="sizes_from_qid", got=got):
        sizes_from_qid(qid)


@pytest.mark.parametrize("dtype", [None, "category", "string"])
def test_the_advice_to_sort_keeps_rows_together(dtype):
    qid, index = ["b", "a", "c", "a", "b"], [3, 0, 4, 1, 2]
    frame = pd.DataFrame({"qid": pd.Series(qid, dtype=dtype), "row": range(5)})
    for each in (qid, np.array(qid), frame["qid"].set_axis(index)):
        order = np.argsort(np.asarray(each), kind="stable")
        assert sizes_from_qid(np.asarray(each)[order]).tolist() == [2, 2, 1]
        of_pandas = frame.set_axis(index).iloc[order]
        assert of_pandas["row"].tolist() == [1, 3, 0, 4, 2]
        assert sizes_from_qid(of_pandas["qid"]).tolist() == [2, 2, 1]


@pytest.mark.parametrize(
    ("function", "values", "key", "got"),
    [
        (sizes_from_qid, [], "not empty", "shape (0,)"),
        (sizes_from_qid, [[1, 2]], "1-D", "shape (1, 2)"),
        (sizes_from_qid, ["a", None], "missing", "None at position 1"),
        (sizes_from_qid, [1, "1"], "sortable", "an array of shape (2,) and dtype object"),
        (qid_from_sizes, [], "not empty", "shape (0,)"),
        (qid_from_sizes, 3, "not empty", "3"),
        (qid_from_sizes, [[3], [2]], "not empty", "shape (2, 1)"),
        (qid_from_sizes, [3.0, 2.0], "ints", "dtype float64"),
        *(
            (qid_from_sizes, sizes, "ints", got)
            for sizes, got in [
                ([3.7, 1.2], "3.7 at position 0"),
                ([3, np.nan], "nan at position 1"),
                ([np.inf], "inf at position 0"),
                (pd.Series([3.0, -np.inf]), "-inf at position 1"),
            ]
        ),
        (qid_from_sizes, ["a", "a", "b"], "ints", "dtype <U1"),
        (qid_from_sizes, [True, True], "ints", "dtype bool"),
        (qid_from_sizes, [0, 0, 1, 1, 1, 2], "at least 1", "0 at position 0"),
        (qid_from_sizes, [3, 0, 2], "at least 1", "0 at position 1"),
        (qid_from_sizes, [0, -1], "at least 1", "0 at position 0"),
        (qid_from_sizes, [10**15, 10**15, 10**15 + 1], "fit in memory", "3000000000000001 rows"),
        (qid_from_sizes, [2**62], "fit in memory", "4611686018427387904 rows"),
    ],
)
def test_other_values_are_refused(function, values, key, got):
    parameter = "qid" if function is sizes_from_qid else "sizes"
    with raises(parameter, key, function=function.__name__, got=got):
        function(values)


def test_the_advice_about_sizes_of_0_and_of_floats_works():
    for sizes in ([3, 0, 1], (3.0, 0.0, 1.0), pd.Series([3, 0, 1])):
        sizes = np.asarray(sizes).astype(int)
        assert qid_from_sizes(sizes[sizes > 0]).tolist() == [0, 0, 0, 1]


def test_a_score_says_how_sizes_become_ids():
    labels, scores, sizes = [0, 1, 0, 2, 1], [1, 2, 3, 4, 5], [2, 3]
    with pytest.raises(InvalidParameterError, match=r"`qid=ranking_scores\.qid_from_sizes\(qid\)"):
        ndcg_score(labels, scores, qid=sizes)
    assert ndcg_score(labels, scores, qid=qid_from_sizes(sizes)) == ndcg_score(
        labels, scores, qid=[0, 0, 1, 1, 1]
    )


@pytest.mark.parametrize(
    ("qid", "n_rows", "can_be"),
    [
        ([2, 3], 5, True),
        ([1, 1, 1, 1, 1, 2], 7, True),  # all rows are there
        ([2, 3], 4, True),  # a fold of five rows
        ([2, 3], 3, False),  # or ids, of which one is missing
        ([1, 1, 2, 2, 3], 6, False),
        ([50, 50], 4, True),
        (np.array([200, 200], np.uint8), 4, True),  # of which NumPy's sum in uint8 is 144
        ([201, 200], 4, False),
        ([1, 2], 4, False),  # fewer rows than the fold
        ([0, 5], 5, False),
        ([0, 5], 4, False),
        ([-1, 6], 5, False),
        ([], 5, False),
        ([2.0, 3.0], 5, False),
        (["2", "3"], 5, False),
        (np.repeat(range(30), 8)[1:], 240, False),  # ids without one
        (np.repeat(range(1, 31), 8)[1:], 240, False),
        (np.repeat(range(1, 31), 8)[80:], 240, False),
        (np.repeat(range(1, 31), 8), 48, False),  # all ids, for a fold
        (np.repeat([1001, 1002, 1003], 8), 48, False),
    ],
)
def test_ids_of_another_number_than_rows_are_sizes_only_if_they_can_be(qid, n_rows, can_be):
    key, got = f"({n_rows},), one id per row", f"shape ({len(qid)},)"
    with raises("qid", key, function="f", got=got) as caught:
        check_ids_of_rows(qid, n_rows, "f")
    assert caught.value.advice == ""
    assert ("`qid=ranking_scores.qid_from_sizes(qid)`" in caught.value.code) == can_be
