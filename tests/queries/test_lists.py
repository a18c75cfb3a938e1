"""Columns of lists, from pyarrow and polars: each row is a query, of any length."""

from __future__ import annotations

import inspect
import itertools
from dataclasses import fields
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning
from warned import nothing_to_rank

from ranking_scores import (
    StreamingScore,
    average_relevant_position,
    dcg_score,
    expected_reciprocal_rank_score,
    grouped_auc_score,
    hit_rate_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    r_precision_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores._queries._data import CallData, is_list_column
from ranking_scores._queries._lists import read_lists
from ranking_scores.ties import chance_level, tie_report

TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py
INF, NAN = np.inf, np.nan

LABELS = [[0, 2, 1], [], [1], [0, 3], [], [1, 0, 0, 2, 0]]
SCORES = [[0.5, 0.25, 0.5], [], [2.0], [0.25, 0.25], [], [4.0, 1.0, 4.0, 0.0, 1.0]]

OF_RELEVANT = {
    "ndcg": ndcg_score,
    "ndcg@2": partial(ndcg_score, k=2, gain="exponential"),
    "precision@2": partial(precision_at_k_score, k=2),
    "recall@1": partial(recall_at_k_score, k=1),
    "map": mean_average_precision_score,
    "mrr": mean_reciprocal_rank_score,
    "err": partial(expected_reciprocal_rank_score, max_grade=3, relevance_threshold=0.5),
    "r_precision": r_precision_score,
    "hit_rate": partial(hit_rate_score, k=[1, 3]),
    "auc": grouped_auc_score,
    "pairs": pairwise_accuracy_score,
    "arp": average_relevant_position,
}


def pyarrow():
    """Return pyarrow, or skip the test: it is not among what the tests need."""
    return pytest.importorskip("pyarrow", reason="columns of pyarrow are tested where it is")


# --- columns: from rows, one array each, to a column of lists -----------------------------------


def arrow(rows, kind="ListArray"):
    offsets = np.cumsum([0, *map(len, rows)]).tolist()
    values = pyarrow().array(np.concatenate(rows))
    return getattr(pyarrow(), kind).from_arrays(offsets, values)


def arrow_view(rows):
    """Views need not be in the order of what they view: here the last row comes first."""
    lengths = [len(row) for row in rows]
    offsets = (np.cumsum(lengths[::-1]) - lengths[::-1])[::-1].tolist()
    values = pyarrow().array(np.concatenate(rows[::-1]))
    return pyarrow().ListViewArray.from_arrays(offsets, lengths, values)


def arrow_slice(rows):
    """A slice of an array in which there are nulls before and behind it."""
    whole = arrow(rows)
    null = pyarrow().nulls(2, whole.type)
    return pyarrow().concat_arrays([null, whole, null])[2:-2]


def arrow_chunks(rows):
    """Chunks that are slices of one array, one of them empty."""
    whole = arrow_slice(rows)
    middle = len(whole) // 2
    return pyarrow().chunked_array([whole[:middle], whole[:0], whole[middle:]])


def arrow_fixed(rows):
    values = pyarrow().array(np.concatenate(rows))
    return pyarrow().FixedSizeListArray.from_arrays(values, len(rows[0]))


def arrow_fixed_slice(rows):
    whole = arrow_fixed(rows)
    null = pyarrow().nulls(2, whole.type)
    return pyarrow().concat_arrays([null, whole, null])[2:-2]


def polars(rows):
    if rows[0].dtype == np.float16 and not hasattr(pl, "Float16"):
        pytest.skip("this polars has no float16")
    return pl.Series([pl.Series(row) for row in rows])


def polars_slice(rows):
    """A slice of a series in which there are nulls before and behind it."""
    null = pl.Series([None, None], dtype=polars(rows).dtype)
    return pl.concat([null, polars(rows), null]).rechunk()[2:-2]


def polars_chunks(rows):
    """Chunks, one of them empty."""
    middle = len(rows) // 2
    chunks = [polars(rows)[:middle], polars(rows)[:0], polars(rows)[middle:]]
    return pl.concat(chunks, rechunk=False)


def polars_array(rows):
    return polars(rows).cast(pl.Array(polars(rows).dtype.inner, len(rows[0])))


def polars_array_slice(rows):
    null = pl.Series([None, None], dtype=polars_array(rows).dtype)
    return pl.concat([null, polars_array(rows), null]).rechunk()[2:-2]


OF_ANY_LENGTHS = [
    arrow,
    partial(arrow, kind="LargeListArray"),
    arrow_view,
    arrow_slice,
    arrow_chunks,
    polars,
    polars_slice,
    polars_chunks,
]
OF_ONE_LENGTH = [arrow_fixed, arrow_fixed_slice, polars_array, polars_array_slice]


def name_of(column):
    return column.keywords["kind"] if isinstance(column, partial) else column.__name__


def arrays(rows, dtype=None):
    """Return an array for each row, all of the dtype of their values."""
    dtype = dtype or np.concatenate([np.asarray(row) for row in rows if row]).dtype
    return [np.array(row, dtype=dtype) for row in rows]


def in_rows(y_true, y_score):
    """Return the arguments of the same data in rows, with the number of the query as its id."""
    query = np.repeat(np.arange(len(y_true)), [len(row) for row in y_true])
    return {"y_true": np.concatenate(y_true), "y_score": np.concatenate(y_score), "qid": query}


def assert_same_bits(actual, expected):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.tobytes() == expected.tobytes(), f"{actual} is not {expected}"


def assert_scored_as_in_rows(columns, y_true, y_score, score):
    """Raise unless the values, and their mean, are those of the data in rows, to the last bit."""
    score = partial(score, replace_undefined_by=NAN)
    of_rows = score(**in_rows(y_true, y_score), average=None)
    expected = np.full((len(y_true), *of_rows.shape[1:]), NAN)
    expected[[len(row) > 0 for row in y_true]] = of_rows
    assert_same_bits(score(*columns, average=None), expected)
    assert_same_bits(score(*columns), score(**in_rows(y_true, y_score)))


# --- values -------------------------------------------------------------------------------------


def test_values_by_hand():
    y_true = pl.Series([[0, 2, 1], [], [1]])
    y_score = pl.Series([[0.1, 0.3, 0.3], [], [0.5]])
    # Two items tie, so each has both ranks half of the time.
    of_first = (1.5 + 1.5 / np.log2(3)) / (2 + 1 / np.log2(3))
    per_query = ndcg_score(y_true, y_score, average=None)
    np.testing.assert_allclose(per_query, [of_first, 0.0, 1.0], rtol=TOLERANCE)
    assert ndcg_score(y_true, y_score) == pytest.approx((of_first + 0 + 1) / 3, rel=TOLERANCE)
    dcg = dcg_score(y_true, y_score, k=[1, 2], average=None)
    np.testing.assert_allclose(dcg, [[1.5, 1.5 + 1.5 / np.log2(3)], [0, 0], [1, 1]], TOLERANCE)
    # The later of two equals comes first: it is the one with the label 1.
    assert dcg_score(y_true, y_score, k=1, ignore_ties=True, average=None).tolist() == [1, 0, 1]


@pytest.mark.parametrize("score", OF_RELEVANT)
@pytest.mark.parametrize("column", OF_ANY_LENGTHS, ids=name_of)
def test_a_column_of_any_kind_has_the_bits_of_the_rows(column, score):
    y_true, y_score = arrays(LABELS), arrays(SCORES)
    columns = column(y_true), column(y_score)
    assert_scored_as_in_rows(columns, y_true, y_score, OF_RELEVANT[score])


@pytest.mark.parametrize("score", OF_RELEVANT)
@pytest.mark.parametrize("column", [*OF_ANY_LENGTHS, *OF_ONE_LENGTH], ids=name_of)
def test_lists_of_one_length_have_the_bits_of_the_rows(column, score):
    y_true, y_score = arrays([[0, 2], [3, 1], [0, 0], [1, 1]]), arrays([[1, 1], [1, 2]] * 2)
    columns = column(y_true), column(y_score)
    assert_scored_as_in_rows(columns, y_true, y_score, OF_RELEVANT[score])


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint64, np.float16, np.float32], ids=lambda dtype: dtype.__name__
)
@pytest.mark.parametrize("column", [*OF_ANY_LENGTHS, *OF_ONE_LENGTH], ids=name_of)
def test_labels_and_scores_of_every_type(column, dtype):
    labels = [[0, 1, 1], [1, 0, 0], [0, 0, 1]]
    highest = 1 if dtype is bool else dtype(120)
    scores = [[0, highest, highest], [highest, 0, 1], [1, 1, 0]]
    y_true, y_score = arrays(labels, dtype), arrays(scores, dtype)
    for columns in (
        (column(y_true), column(y_score)),
        (column(arrays(labels, np.float64)), column(y_score)),
        (column(y_true), column(arrays(scores, np.float64))),
    ):
        assert_scored_as_in_rows(columns, y_true, y_score, ndcg_score)


@pytest.mark.parametrize("column", OF_ANY_LENGTHS, ids=name_of)
def test_wide_integers_are_not_merged(column):
    scores = [[2**64 - 2, 2**64 - 1], [2**53 + 1, 2**53]]
    y_true, y_score = arrays([[0, 1], [0, 1]]), arrays(scores, np.uint64)
    assert ndcg_score(column(y_true), column(y_score), k=1, average=None).tolist() == [1, 0]


@pytest.mark.parametrize("of_labels", OF_ANY_LENGTHS, ids=name_of)
@pytest.mark.parametrize("of_scores", [arrow_chunks, polars_chunks], ids=name_of)
def test_labels_and_scores_may_be_columns_of_two_kinds(of_labels, of_scores):
    y_true, y_score = arrays(LABELS), arrays(SCORES)
    columns = of_labels(y_true), of_scores(y_score)
    assert_scored_as_in_rows(columns, y_true, y_score, ndcg_score)
    assert_scored_as_in_rows(columns[::-1], y_score, y_true, ndcg_score)


def test_chunks_are_cut_anywhere():
    whole = arrow(arrays(LABELS)), arrow(arrays(SCORES))
    expected = ndcg_score(*whole, average=None)
    for of_labels, of_scores in itertools.product(range(7), repeat=2):
        y_true, y_score = (
            pyarrow().chunked_array([column[:cut], column[cut:]])
            for column, cut in zip(whole, (of_labels, of_scores), strict=True)
        )
        assert_same_bits(ndcg_score(y_true, y_score, average=None), expected)


def test_a_slice_is_scored_as_its_rows():
    for column in (arrow, polars):
        y_true, y_score = column(arrays(LABELS)), column(arrays(SCORES))
        expected = ndcg_score(y_true, y_score, average=None)
        for first, last in itertools.combinations(range(7), 2):
            rows = slice(first, last)
            values = ndcg_score(y_true[rows], y_score[rows], average=None)
            assert_same_bits(values, expected[rows])


def test_one_row_is_one_query():
    column = pl.Series([[0, 1, 2]])
    assert ndcg_score(column, column) == 1.0
    assert ndcg_score(column, column, average=None).tolist() == [1.0]


def test_columns_of_pyarrow_in_a_data_frame_of_pandas():
    pa = pyarrow()
    columns = {"label": LABELS, "score": SCORES}
    frame = pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype).set_axis(list("abcdef"))
    labels, scores = frame["label"], frame["score"]
    expected = ndcg_score(pl.Series(LABELS), pl.Series(SCORES), average=None).tolist()
    for pair in ((labels, scores), (labels, pl.Series(SCORES)), (pa.array(LABELS), scores)):
        assert ndcg_score(*pair, average=None).tolist() == expected
    stream = StreamingScore(ndcg_score)
    stream.update(labels[:2], scores[:2])
    stream.update(labels[2:], scores[2:])
    assert stream.compute() == np.mean(expected)
    with raises("y_score", "indexed like y_true", advice="`pyarrow.array(y_score)`"):
        ndcg_score(labels, scores.iloc[::-1])
    assert ndcg_score(labels, pa.array(scores), average=None).tolist() == expected


def test_columns_of_a_data_frame():
    frame = pl.DataFrame({"label": LABELS, "score": SCORES, "weight": [1, 0, 2, 3, 0, 4]})
    value = ndcg_score(frame["label"], frame["score"], sample_weight=frame["weight"])
    has_items = frame.filter(pl.col("weight") > 0)
    rows = has_items.with_row_index().explode("label", "score")
    weight = rows["weight"]
    assert value == ndcg_score(
        rows["label"], rows["score"], qid=rows["index"], sample_weight=weight
    )
    table = pyarrow().table({"label": LABELS, "score": SCORES, "weight": [1, 0, 2, 3, 0, 4]})
    assert ndcg_score(table["label"], table["score"], sample_weight=table["weight"]) == value


@nothing_to_rank
@settings(deadline=None)
@given(
    queries=st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-1.5, 0.0, 2.0])), max_size=5),
        min_size=1,
        max_size=4,
    ),
    k=st.one_of(st.none(), st.integers(1, 6)),
    ignore_ties=st.booleans(),
    undefined=st.sampled_from([0.0, 0.5, None]),
    data=st.data(),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(
    ("score", "textbook"),
    [
        (ndcg_score, reference.ndcg),
        (mean_average_precision_score, reference.average_precision),
        (mean_reciprocal_rank_score, reference.reciprocal_rank),
        (grouped_auc_score, reference.area_under_the_curve),
        (pairwise_accuracy_score, reference.pairwise_accuracy),
    ],
)
def test_values_are_those_of_the_textbook(
    score, textbook, queries, k, ignore_ties, undefined, data
):
    y_true = [[label for label, _ in query] for query in queries]
    y_score = [[value for _, value in query] for query in queries]
    options = {"ignore_ties": ignore_ties, "k": k}
    known = inspect.signature(score).parameters
    options = {name: value for name, value in options.items() if name in known}
    expected = [textbook(*query, **options) for query in zip(y_true, y_score, strict=True)]
    weights = st.lists(st.integers(0, 3), min_size=len(queries), max_size=len(queries))
    sample_weight = data.draw(weights)
    sample_weight[0] += 1
    params = {
        "y_true": pl.Series(y_true, dtype=pl.List(pl.Int8)),
        "y_score": pl.Series(y_score, dtype=pl.List(pl.Float32)),
        "sample_weight": sample_weight,
        "replace_undefined_by": NAN if undefined is None else undefined,
        **options,
    }
    filled = [undefined if value is None else value for value in expected]
    per_query = [NAN if value is None else float(value) for value in filled]
    np.testing.assert_allclose(score(**params, average=None), per_query, TOLERANCE, TOLERANCE)
    mean = reference.mean(expected, sample_weight, undefined)
    mean = NAN if mean is None else float(mean)
    np.testing.assert_allclose(score(**params), mean, TOLERANCE, TOLERANCE)


# --- empty lists --------------------------------------------------------------------------------


@pytest.mark.parametrize("column", OF_ANY_LENGTHS, ids=name_of)
def test_an_empty_list_is_a_query_without_items(column):
    y_true, y_score = column(arrays([[], [1, 0], []])), column(arrays([[], [1.0, 2.0], []]))
    for score in OF_RELEVANT.values():
        [of_items] = score(y_true[1:2], y_score[1:2], average=None)
        for undefined in (0.25, NAN):
            values = score(y_true, y_score, replace_undefined_by=undefined, average=None)
            empty = np.full_like(of_items, undefined)
            assert_same_bits(values, [empty, of_items, empty])
        mean = score(y_true, y_score, replace_undefined_by=NAN)
        assert_same_bits(mean, of_items)
    assert dcg_score(y_true, y_score, k=1, average=None).tolist() == [0, 0, 0]
    assert dcg_score(y_true, y_score, average=None).tolist() == [0, 1 / np.log2(3), 0]


@nothing_to_rank
@pytest.mark.parametrize(
    "empty",
    [
        lambda: pl.Series([[], []]),  # of a type that nobody knows
        lambda: pl.Series([[], []], dtype=pl.List(pl.Float32)),
        lambda: pyarrow().array([[], []]),
        lambda: pyarrow().chunked_array([[[]], [[]]], pyarrow().large_list(pyarrow().int8())),
        lambda: pyarrow().array([[], []], pyarrow().list_(pyarrow().int8(), 0)),
    ],
)
def test_all_lists_may_be_empty(empty):
    for score in OF_RELEVANT.values():
        values = score(empty(), empty(), replace_undefined_by=0.25, average=None)
        assert (values == 0.25).all()
        assert values.shape[0] == 2
        assert np.all(score(empty(), empty(), replace_undefined_by=0.25) == 0.25)
    assert dcg_score(empty(), empty(), average=None).tolist() == [0, 0]
    assert read_lists(CallData("f", empty(), None), "y_true").values.dtype.kind in "if"
    # A function of the ranks gets at least one.
    params = {"scores": ["ndcg"], "discount": lambda rank: rank[0] / rank, "ties": True}
    assert ranking_report(empty(), empty(), k=[1, 3], **params).best == {"ndcg@1": 0, "ndcg@3": 0}
    with pytest.warns(UndefinedMetricWarning, match="no query has both a weight and a defined"):
        assert np.isnan(average_relevant_position(empty(), empty()))


def test_more_empty_lists_than_a_block_holds_beside_a_long_one():
    length = np.zeros(2**17 + 1, dtype=int)
    length[2**16] = 1000
    column = pl.select(pl.int_ranges(0, pl.Series(length)).alias("items")).to_series()
    values = mean_reciprocal_rank_score(
        column, column, k=3, replace_undefined_by=NAN, relevance_threshold=999, average=None
    )
    assert np.flatnonzero(~np.isnan(values)).tolist() == [2**16]
    assert values[2**16] == 1.0


# --- weights ------------------------------------------------------------------------------------


def test_sample_weight_has_one_value_per_row():
    y_true, y_score = pl.Series([[1, 0], [], [1, 0]]), pl.Series([[1, 2], [], [2, 1]])
    for weight in ([3, 1, 2], pl.Series([3, 1, 2]), np.array([1.5, 0.5, 1])):
        value = mean_reciprocal_rank_score(y_true, y_score, sample_weight=weight)
        assert value == (3 * 0.5 + 1 * 0 + 2 * 1) / 6


ITEM_WEIGHT = [[1, 0, 2.5], [], [1], [0, 0], [], [0.5, 0.5, 3, 0, 1]]


@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
@pytest.mark.parametrize("column", OF_ANY_LENGTHS, ids=name_of)
def test_item_weights_are_lists_of_the_same_lengths(column, score):
    y_true, y_score, item_weight = arrays(LABELS), arrays(SCORES), arrays(ITEM_WEIGHT)
    columns = column(y_true), column(y_score)
    params = in_rows(y_true, y_score) | {"item_weight": np.concatenate(item_weight)}
    expected = np.zeros(len(LABELS))
    expected[[0, 2, 3, 5]] = score(**params, average=None)
    weights = column(item_weight)
    assert_same_bits(score(*columns, item_weight=weights, average=None), expected)
    # An empty list weighs nothing, as a query does whose items all weigh nothing.
    assert score(*columns, item_weight=weights) == score(**params)
    assert score(*columns, item_weight=weights) != score(*columns)


def test_items_that_weigh_nothing_are_absent():
    weight = pl.Series([[True, False, True], [False]])
    y_true, y_score = pl.Series([[1.0, NAN, 0.0], [-3.0]]), pl.Series([[1.0, INF, 2.0], [NAN]])
    values = ndcg_score(y_true, y_score, item_weight=weight, average=None)
    np.testing.assert_allclose(values, [1 / np.log2(3), 0], rtol=TOLERANCE)


# --- errors -------------------------------------------------------------------------------------

Y_TRUE, Y_SCORE = pl.Series([[0, 1], [], [2, 0, 1]]), pl.Series([[0.1, 0.2], [], [3.0, 2.0, 1.0]])
LISTS, LISTS_AS_SCORES = "lists, like y_true", "lists, like y_score"
NUMBERS, NO_NULLS, AS_LONG = "ints or floats", "without nulls", "as long as"
REFUSED = "None if the columns hold lists"


@pytest.mark.parametrize(
    ("params", "parameter", "key", "got"),
    [
        # What has no meaning beside lists.
        ({"qid": [1, 2, 3]}, "qid", REFUSED, "[1, 2, 3]"),
        ({"labels": [0, 1]}, "labels", REFUSED, "[0, 1]"),
        ({"where": [[True]]}, "where", REFUSED, "[[True]]"),
        ({"where": Y_TRUE}, "where", REFUSED, "a Series"),
        # A column beside something else.
        (
            {"y_score": np.ones((3, 2))},
            "y_score",
            LISTS,
            "an array of shape (3, 2) and dtype float64",
        ),
        (
            {"y_true": np.ones((3, 2))},
            "y_true",
            LISTS_AS_SCORES,
            "an array of shape (3, 2) and dtype float64",
        ),
        ({"y_score": [[1, 2]]}, "y_score", LISTS, "[[1, 2]]"),
        ({"y_true": [[1, 2]]}, "y_true", LISTS_AS_SCORES, "[[1, 2]]"),
        ({"y_true": pl.Series([0, 1, 2])}, "y_true", LISTS_AS_SCORES, "a Series"),
        ({"y_score": sp.csr_array((3, 2))}, "y_score", LISTS, "a csr_array"),
        ({"y_score": pl.DataFrame({"a": [1]})}, "y_score", LISTS, "a polars DataFrame"),
        (
            {"item_weight": np.ones(5)},
            "item_weight",
            LISTS,
            "an array of shape (5,) and dtype float64",
        ),
        # Nulls.
        ({"y_true": pl.Series([[0], None])}, "y_true", NO_NULLS, "1 null"),
        ({"y_score": pl.Series([[0, None], [None]])}, "y_score", NO_NULLS, "2 nulls"),
        ({"item_weight": pl.Series([None, [], None])}, "item_weight", NO_NULLS, "2 nulls"),
        (
            {"y_score": pl.Series([None, [1.0, 2]], dtype=pl.Array(pl.Float64, 2))},
            "y_score",
            NO_NULLS,
            "1 null",
        ),
        (
            {"y_score": pl.Series([[None, 1.0]], dtype=pl.Array(pl.Float64, 2))},
            "y_score",
            NO_NULLS,
            "1 null",
        ),
        # Lists of something else.
        (
            {"y_true": Y_TRUE.cast(pl.List(pl.Decimal(5, 1)))},
            "y_true",
            NUMBERS,
            "List(Decimal(precision=5, scale=1))",
        ),
        ({"y_true": pl.Series([["a"]])}, "y_true", NUMBERS, "List(String)"),
        ({"y_true": pl.Series([[""]])[:0]}, "y_true", NUMBERS, "List(String)"),
        ({"y_score": pl.Series([[[1.0]]])}, "y_score", NUMBERS, "List(List(Float64))"),
        (
            {"y_score": pl.Series([[[1]]], dtype=pl.Array(pl.Int8, (1, 1)))},
            "y_score",
            NUMBERS,
            "Array(Int8, shape=(1, 1))",
        ),
        (
            {"y_score": pl.Series([[[1]]], dtype=pl.List(pl.Array(pl.Int8, 1)))},
            "y_score",
            NUMBERS,
            "List(Array(Int8, shape=(1,)))",
        ),
        (
            {"item_weight": pl.Series([[0]]).cast(pl.List(pl.Date))},
            "item_weight",
            NUMBERS,
            "List(Date)",
        ),
        # Lengths.
        (
            {"y_true": Y_TRUE[:0], "y_score": Y_SCORE[:0]},
            "y_true",
            "at least one row",
            "an empty column",
        ),
        ({"y_score": Y_SCORE[:2]}, "y_score", "3 lists", "2 lists"),
        (
            {"y_score": pl.Series([[1, 2], [], [1, 2]])},
            "y_score",
            AS_LONG,
            "length 2, where y_true has length 3, in row 2",
        ),
        (
            {"y_score": pl.Series([[1, 2], [1], [1, 2]])},
            "y_score",
            AS_LONG,
            "length 1, where y_true has length 0, in row 1",
        ),
        ({"item_weight": Y_SCORE[1:]}, "item_weight", "3 lists", "2 lists"),
        (
            {"item_weight": pl.Series([[1, 2, 3], [], [1, 2]])},
            "item_weight",
            AS_LONG,
            "length 3, where y_true has length 2, in row 0",
        ),
        ({"sample_weight": [1, 2]}, "sample_weight", "one weight per query", "shape (2,)"),
        ({"sample_weight": np.ones(5)}, "sample_weight", "one weight per query", "shape (5,)"),
        ({"sample_weight": [0, 0, 0]}, "sample_weight", "positive", "only zeros"),
        # Values.
        (
            {"y_score": pl.Series([[1.0, 2.0], [], [1.0, NAN, 2.0]])},
            "y_score",
            "finite",
            "NaN or infinity in 1 of 3 queries, the first of them query 2,",
        ),
        (
            {"y_true": pl.Series([[1.0, -INF], [], [1.0, NAN, 2.0]])},
            "y_true",
            "finite",
            "NaN or infinity in 2 of 3 queries, the first of them query 0,",
        ),
        (
            {"y_true": pl.Series([[1, 0], [], [1, -2, 2]])},
            "y_true",
            "at least 0",
            "the label -2 in query 2",
        ),
        (
            {"item_weight": pl.Series([[1, 0], [], [1, -2, 2]])},
            "item_weight",
            "finite and not negative",
            "NaN, infinity or less than 0 in query 2",
        ),
    ],
)
def test_bad_columns_are_refused_by_name(params, parameter, key, got):
    with raises(parameter, key, function="ndcg_score", got=got):
        ndcg_score(**{"y_true": Y_TRUE, "y_score": Y_SCORE} | params)


@pytest.mark.parametrize(
    ("column", "key", "got"),
    [
        (lambda pa: pa.array([[0, 1], None, [2]]), NO_NULLS, "1 null"),
        (lambda pa: pa.chunked_array([[[0, None], None], [[None]]]), NO_NULLS, "3 nulls"),
        (
            lambda pa: pa.array([None, [1, 2], [None, 3]], pa.list_(pa.int8(), 2)),
            NO_NULLS,
            "2 nulls",
        ),
        (lambda pa: pa.array([["a"]]), NUMBERS, "list<item: string>"),
        (
            lambda pa: pa.array([[1]], pa.list_(pa.decimal128(5, 0))),
            NUMBERS,
            "list<item: decimal128(5, 0)>",
        ),
        (
            lambda pa: pa.array([[[1.0]]], pa.large_list(pa.list_(pa.float64()))),
            NUMBERS,
            "large_list<item: list<item: double>>",
        ),
        (
            lambda pa: pa.array([[1]], pa.list_(pa.timestamp("s"))),
            NUMBERS,
            "list<item: timestamp[s]>",
        ),
        (lambda pa: pa.array([0, 1]), LISTS, "an Int64Array"),
        (lambda pa: pa.scalar([0, 1]), LISTS, "<pyarrow.ListScalar: [0, 1]>"),
        (lambda pa: pa.array([[("a", 1)]], pa.map_("string", "int8")), LISTS, "a MapArray"),
        (lambda pa: pa.array([], pa.list_(pa.int8())), "3 lists", "0 lists"),
        (lambda pa: pa.chunked_array([], pa.list_(pa.int8())), "3 lists", "0 lists"),
        (
            lambda pa: pa.chunked_array([[[0, 1]], [[], [1]]]),
            AS_LONG,
            "length 1, where y_true has length 3, in row 2",
        ),
        (
            lambda pa: pa.chunked_array([[[0.0, 1.0]], [[], [1.0, 2.0, INF]]]),
            "finite",
            "NaN or infinity in 1 of 3 queries, the first of them query 2,",
        ),
    ],
)
def test_bad_columns_of_pyarrow_are_refused_by_name(column, key, got):
    with raises("y_score", key, function="ndcg_score", got=got):
        ndcg_score(Y_TRUE, column(pyarrow()))


def test_a_column_of_pyarrow_without_chunks_is_refused_by_name():
    nothing = pyarrow().chunked_array([], pyarrow().list_(pyarrow().int8()))
    with raises("y_true", "at least one row", function="ndcg_score", got="an empty column"):
        ndcg_score(nothing, nothing)


def test_the_first_query_is_named_that_is_not_finite():
    y_true = pl.Series([[1, 0]] * 7)
    y_score = pl.Series([[1.0, 0.0]] * 3 + [[INF, 0.0], [1.0, 0.0], [0.0, NAN], [NAN, NAN]])
    got = "NaN or infinity in 3 of 7 queries, the first of them query 3,"
    for score in OF_RELEVANT.values():
        with raises("y_score", "finite", got=got):
            score(y_true, y_score)


def test_flat_columns_are_no_lists():
    y_true, y_score, qid = [0, 1, 2, 0], [1.0, 1.0, 3.0, 4.0], [0, 0, 1, 1]
    expected = ndcg_score(y_true, y_score, qid=qid)
    assert ndcg_score(pl.Series(y_true), pl.Series(y_score), qid=pl.Series(qid)) == expected
    pa = pyarrow()
    in_runs = pa.RunEndEncodedArray.from_arrays([2, 3, 4], [1.0, 3.0, 4.0])
    for scores in (pa.array(y_score), pa.chunked_array([y_score]), in_runs):
        assert ndcg_score(pa.array(y_true), scores, qid=pa.array(qid)) == expected
    of_codes = pa.array(y_true).dictionary_encode()
    assert not any(map(is_list_column, (in_runs, of_codes, pl.col("a"), pl.Int8, [[1]], None)))


# --- callers: streams, reports, ties, chance ----------------------------------------------------


@pytest.mark.parametrize("column", [arrow, arrow_chunks, polars, polars_chunks], ids=name_of)
@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
def test_a_stream_of_batches_is_one_call_on_all_rows(column, score):
    y_true, y_score, weight = arrays(LABELS), arrays(SCORES), np.array([1.0, 2, 0.5, 3, 1, 0.1])
    whole = column(y_true), column(y_score)
    of_items = column(arrays(ITEM_WEIGHT))
    for has_item_weight in (False, True):
        stream = StreamingScore(score, k=[1, 3])
        for first, last in ((0, 2), (2, 2), (2, 3), (3, 6), (6, 6)):
            rows = slice(first, last)
            arguments = {"sample_weight": weight[rows]}
            if has_item_weight:
                arguments["item_weight"] = of_items[rows]
            stream.update(*(each[rows] for each in whole), **arguments)
        assert stream.n_queries == 6
        arguments = {"item_weight": of_items} if has_item_weight else {}
        expected = score(*whole, k=[1, 3], sample_weight=weight, **arguments)
        assert_same_bits(stream.compute(), expected)


def test_a_stream_takes_a_batch_without_rows_and_one_of_empty_lists():
    stream = StreamingScore(grouped_auc_score)
    for batch in (Y_TRUE[:0], pl.Series([], dtype=pl.List(pl.Int8))):
        stream.update(batch, batch)
        assert stream.n_queries == 0
    stream.update(pl.Series([[], []]), pl.Series([[], []]))
    assert (stream.n_queries, stream.n_undefined) == (2, 2)
    stream.update(Y_TRUE, Y_SCORE)
    assert (stream.n_queries, stream.n_undefined) == (5, 3)
    assert stream.compute() == grouped_auc_score(Y_TRUE, Y_SCORE)


def test_a_stream_refuses_a_column_without_rows_beside_one_that_has_some():
    stream = StreamingScore(ndcg_score)
    for y_true, y_score in ((Y_TRUE[:0], Y_SCORE), (Y_TRUE, Y_SCORE[:0])):
        with pytest.raises(
            ValueError, match=r"must be a column (with at least one row|of 3 lists)"
        ):
            stream.update(y_true, y_score)
    assert stream.n_queries == 0


# Without the empty lists, which no rows stand for.
FULL_LABELS, FULL_SCORES, FULL_WEIGHT = (
    [row for row in rows if row] for rows in (LABELS, SCORES, ITEM_WEIGHT)
)


@pytest.mark.parametrize("column", [arrow_chunks, polars_chunks], ids=name_of)
def test_a_report_of_lists_is_that_of_rows(column):
    y_true, y_score = arrays(FULL_LABELS), arrays(FULL_SCORES)
    options = {"scores": ["ndcg", "map", "mrr"], "k": [1, None], "ties": True, "chance": True}
    names, groups, weight = ["d", "a", "c", "b"], np.array(["x", "y", "x", "y"]), np.arange(4.0)
    rows = in_rows(y_true, y_score)
    by_rows = {"by": {"side": groups[rows["qid"]]}, "sample_weight": weight[rows["qid"]]}
    expected = ranking_report(**rows, **options, **by_rows)
    report = ranking_report(
        column(y_true),
        column(y_score),
        query_ids=names,
        by={"side": groups},
        sample_weight=weight,
        **options,
    )
    assert report.query_ids.tolist() == names
    assert report.by_group["side"]["y"].query_ids.tolist() == ["a", "b"]
    assert report.n_queries == 4
    for of_lists, of_rows in (
        (report, expected),
        *((report.by_group["side"][group], expected.by_group["side"][group]) for group in "xy"),
    ):
        for part in ("mean", "worst", "best", "chance", "standard_error", "n_undefined"):
            values = getattr(of_lists, part)
            assert len(values) == 6
            assert values == getattr(of_rows, part)
        for name, values in of_lists.per_query.items():
            assert_same_bits(values, of_rows.per_query[name])


def test_a_report_counts_empty_lists_as_queries():
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["map", "auc"], k=None, query_ids=list("abc"))
    assert report.n_queries == 3
    assert report.n_undefined == {"map": 1, "auc": 1}
    assert report.per_query["map"].tolist() == [1.0, 0.0, (1 + 2 / 3) / 2]
    for by in (["x", "y"], ["x"] * 5):
        with pytest.raises(ValueError, match=r"of shape \(3,\), one group per query"):
            ranking_report(Y_TRUE, Y_SCORE, scores=["map"], by=by)


@pytest.mark.parametrize("score", OF_RELEVANT)
@pytest.mark.parametrize("column", [arrow_chunks, polars_chunks], ids=name_of)
@pytest.mark.parametrize("average", ["samples", None])
def test_ties_and_chance_of_lists_are_those_of_rows(column, score, average):
    y_true, y_score = arrays(FULL_LABELS), arrays(FULL_SCORES)
    score = OF_RELEVANT[score]
    rows = in_rows(y_true, y_score)
    report = tie_report(column(y_true), column(y_score), score=score, average=average)
    expected = tie_report(score=score, **rows, average=average)
    for field in fields(report):
        assert_same_bits(getattr(report, field.name), getattr(expected, field.name))
    assert np.any(report.tied_items)
    del rows["y_score"]
    chance = chance_level(column(y_true), score=score, average=average)
    assert_same_bits(chance, chance_level(score=score, **rows, average=average))


def test_ties_and_chance_of_empty_lists():
    report = tie_report(Y_TRUE, pl.Series([[1, 1], [], [1, 2, 2]]), score=ndcg_score, average=None)
    assert report.tied_items.tolist() == [1, 0, 2 / 3]
    assert report.tied_queries.tolist() == [True, False, True]
    chance = chance_level(Y_TRUE, score=mean_reciprocal_rank_score, average=None)
    np.testing.assert_allclose(chance, [3 / 4, 0, (1 + 1 + 1 / 2) / 3], rtol=TOLERANCE)
    weighted = chance_level(
        Y_TRUE, score=dcg_score, item_weight=pl.Series([[0, 2], [], [5, 0, 0]])
    )
    # One item is left of each, which gives its weight to its query too; the labels are 1 and 2.
    assert weighted == pytest.approx((2 * 1 + 5 * 2) / 7, rel=TOLERANCE)


# --- memory -------------------------------------------------------------------------------------


def test_values_are_not_copied_where_they_are_one_array():
    flat = np.arange(12.0)
    kinds = ("ListArray", "LargeListArray")
    columns = [arrow([flat[:5], flat[5:]], kind) for kind in kinds]
    column = pl.Series([pl.Series(flat[:5]), pl.Series(flat[5:])])
    for each in (*columns, columns[0][1:], column, column[1:]):
        first, second = (read_lists(CallData("f", each, None), "y_true").values for _ in range(2))
        assert np.shares_memory(first, second)


@nothing_to_rank
def test_a_discount_is_asked_for_as_many_ranks_as_the_longest_list_has_items():
    asked = []

    def discount(rank):
        asked.append(rank.tolist())
        return 1 / rank

    assert (
        dcg_score(pl.Series([[1.0], [2.0]]), pl.Series([[1.0], [2.0]]), discount=discount) == 1.5
    )
    assert asked == [[1]]
