"""Data of pandas: rows whose index differs are refused, and so are columns; nothing else is."""

from __future__ import annotations

import inspect
from datetime import date
from functools import partial
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given, settings, strategies as st
from laws import assert_same_bits
from raising import raises
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import KFold, cross_val_score
from warned import nothing_to_rank

import ranking_scores
from ranking_scores import (
    StreamingScore,
    dcg_score,
    from_lists,
    make_ranking_scorer,
    mean_reciprocal_rank_score,
    ndcg_score,
    ranking_report,
    retrieved_from_ids,
)
from ranking_scores._base._index import Indexes, first_difference
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.significance import compare_all
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.trec import to_pytrec_eval, write_run

NAN = np.nan
SCORES = [getattr(ranking_scores, name) for name in ranking_scores.__all__]
SCORES = [each for each in SCORES if "average" in inspect.signature(each).parameters]
UNRETRIEVED = ("grouped_auc_score", "pairwise_accuracy_score")
"""The scores that do not take the retrieved layout."""
ROWS, OTHER_ROWS = [7, 5, 3, 1], [7, 5, 1, 3]
COLUMNS, OTHER_COLUMNS = list("abc"), list("acb")
LABELS = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]])
NUMBERS = np.array([[0.3, 0.2, 0.1], [0.1, 0.5, 0.4], [0.4, 0.2, 0.6], [0.3, 0.8, 0.7]])
WEIGHT = np.array([1.0, 2.0, 2.0, 1.0])
MASK = np.array([[True, True, False], [True] * 3, [True] * 3, [True] * 3])
DENSE = {"y_true": LABELS, "y_score": NUMBERS, "where": MASK, "sample_weight": WEIGHT}
RAGGED = {
    "y_true": np.array([0, 1, 1, 0]),
    "y_score": np.array([0.3, 0.2, 0.1, 0.1]),
    "qid": np.array([4, 2, 2, 4]),
    "sample_weight": WEIGHT,
}
LAYOUTS = {
    "dense": DENSE | {"item_weight": NUMBERS},
    "ragged": RAGGED | {"item_weight": WEIGHT},
    "class labels": DENSE | {"y_true": np.array([0, 1, 2, 0])},
    "sparse labels": DENSE | {"y_true": sp.csr_array(LABELS), "item_weight": NUMBERS},
    "retrieved": {
        "y_true": LABELS,
        "y_score": sp.csr_array(NUMBERS),
        "sample_weight": WEIGHT,
        "item_weight": NUMBERS,
    },
}


def of_pandas(values, rows=ROWS, columns=COLUMNS):
    """Return an array as a series or a frame; what is sparse as it is."""
    if sp.issparse(values):
        return values
    if values.ndim == 1:
        return pd.Series(values, rows)
    return pd.DataFrame(values, rows, columns[: values.shape[1]])


def params_of(score, layout):
    """Return the data of a layout that a score takes, and how it must be called."""
    known = inspect.signature(score).parameters
    data = {name: values for name, values in LAYOUTS[layout].items() if name in known}
    options = {"k": 2, "max_grade": 3}
    needed = {
        name for name in options if name in known and known[name].default is known[name].empty
    }
    return data, {name: options[name] for name in needed}


def of_rows(parameter, function, other, got="1", place=2, expected="3"):
    """Return the parts of the error about rows in another order, as `error_of` does."""
    got = f"an index with {got} in row {place}, where {other} has {expected},"
    return parameter, function, f"indexed like {other}", got


def of_columns(parameter, function, other):
    """Return the parts of the error about columns in another order, as `error_of` does."""
    got = f"'c' as column 1, where {other} has 'b',"
    return parameter, function, f"a frame with the columns of {other}", got


def error_of(function, *args, **params):
    """Return the parameter of the error that a call raises, the function, and what is wrong."""
    with pytest.raises(InvalidParameterError) as caught:
        function(*args, **params)
    error = caught.value
    return error.parameter, error.function, error.expected, error.got


# --- every score, every layout, every parameter -------------------------------------------------


TAKEN = [
    (score, layout)
    for score in SCORES
    for layout in LAYOUTS
    if not (layout == "retrieved" and score.__name__ in UNRETRIEVED)
]


def others_of(score, layout, n_axes=None):
    """Return the first parameter that may have an index, or columns, and all others."""
    dense = {
        name: each for name, each in params_of(score, layout)[0].items() if not sp.issparse(each)
    }
    first, *others = (name for name, each in dense.items() if n_axes in (None, each.ndim))
    return first, others


ROW_CASES = [
    (score, layout, first, other)
    for score, layout in TAKEN
    for first, others in [others_of(score, layout)]
    for other in others
]
COLUMN_CASES = [
    (score, layout, first, other)
    for score, layout in TAKEN
    if layout != "ragged"
    for first, others in [others_of(score, layout, 2)]
    for other in others
]


@pytest.mark.parametrize(("score", "layout"), TAKEN)
def test_rows_that_are_indexed_alike_have_the_bits_of_arrays(score, layout):
    data, params = params_of(score, layout)
    expected = score(**data, **params, average=None)
    frames = {name: of_pandas(values) for name, values in data.items()}
    assert_same_bits(score(**frames, **params, average=None), expected)
    for name in data:  # one with an index among arrays
        mixed = data | {name: frames[name]}
        assert_same_bits(score(**mixed, **params, average=None), expected)


@pytest.mark.parametrize(("score", "layout", "first", "parameter"), ROW_CASES)
def test_rows_that_are_indexed_otherwise_are_refused(score, layout, first, parameter):
    data, params = params_of(score, layout)
    frames = {name: of_pandas(values) for name, values in data.items()}
    frames[parameter] = of_pandas(data[parameter], OTHER_ROWS)
    expected = of_rows(parameter, score.__name__, first)
    assert error_of(score, **frames, **params) == expected
    pair = data | {name: frames[name] for name in (first, parameter)}  # the others are arrays
    assert error_of(score, **pair, **params) == expected


@pytest.mark.parametrize(("score", "layout", "first", "parameter"), COLUMN_CASES)
def test_columns_that_differ_are_refused(score, layout, first, parameter):
    data, params = params_of(score, layout)
    frames = {name: of_pandas(values) for name, values in data.items()}
    frames[parameter] = of_pandas(data[parameter], columns=OTHER_COLUMNS)
    assert error_of(score, **frames, **params) == of_columns(parameter, score.__name__, first)


# --- frames of other libraries, which have columns and no index ---------------------------------


def of_polars(values, columns=COLUMNS):
    return pl.DataFrame(values, schema=columns)


def of_arrow(values, columns=COLUMNS):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is in the extra engines")
    return pyarrow.table(dict(zip(columns, values.T, strict=True)))


def of_arrow_batch(values, columns=COLUMNS):
    return of_arrow(values, columns).to_batches()[0]


OTHER_LIBRARIES = [of_polars, of_arrow, of_arrow_batch]


@pytest.mark.parametrize("frame_of", OTHER_LIBRARIES)
@pytest.mark.parametrize(
    ("layout", "first", "parameter"),
    [case[1:] for case in COLUMN_CASES if case[0] is dcg_score],
)
def test_columns_of_other_libraries_that_differ_are_refused(frame_of, layout, first, parameter):
    data, frames = LAYOUTS[layout], {}
    for name in (first, parameter):
        frames[name] = frame_of(data[name])
    assert_same_bits(dcg_score(**data | frames), dcg_score(**data))
    frames[parameter] = frame_of(data[parameter], OTHER_COLUMNS)
    error = of_columns(parameter, "dcg_score", first)
    assert error_of(dcg_score, **data | frames) == error
    of_two_libraries = data | frames | {first: of_pandas(data[first])}
    assert error_of(dcg_score, **of_two_libraries) == error
    of_two_libraries = data | frames | {parameter: of_pandas(data[parameter], columns=list("acb"))}
    of_two_libraries[first] = frame_of(data[first])
    assert error_of(dcg_score, **of_two_libraries) == error


@pytest.mark.parametrize("frame_of", OTHER_LIBRARIES)
def test_every_function_refuses_columns_of_other_libraries(frame_of):
    data = {"y_true": frame_of(LABELS), "y_score": frame_of(NUMBERS, OTHER_COLUMNS)}
    callers = {
        "ndcg_score": [StreamingScore(ndcg_score).update, tie_report_of_ndcg],
        "StreamingScore.update": [StreamingScore(["ndcg", "mrr"]).update],
        "ranking_report": [ranking_report],
        "to_pytrec_eval": [to_pytrec_eval],
    }
    for function, calls in callers.items():
        for call in calls:
            assert error_of(call, **data) == of_columns("y_score", function, "y_true")
    names = np.array(OTHER_COLUMNS)
    error = error_of(write_run, "never.run", frame_of(NUMBERS), list("wxyz"), names)
    assert error[0] == "item_ids"
    assert error[3] == "'c' at position 1, where y_score has 'b',"
    systems = frame_of(NUMBERS), frame_of(NUMBERS, OTHER_COLUMNS)
    error = error_of(compare_all, dict(zip("ab", systems, strict=True)))
    assert error[0] == "systems['b']"
    ids = frame_of(np.arange(12).reshape(4, 3))
    error = error_of(retrieved_from_ids, ids, data["y_score"], n_items=12)
    assert error == of_columns("item_scores", "retrieved_from_ids", "ids")


@pytest.mark.parametrize(
    ("frame_of", "code"),
    [(of_polars, "`.to_numpy()`"), (of_arrow, "`np.asarray(y_score)`")],
)
def test_the_cure_for_columns_of_other_libraries_works(frame_of, code):
    y_score = frame_of(NUMBERS, OTHER_COLUMNS)
    with pytest.raises(InvalidParameterError, match="Order them alike") as caught:
        ndcg_score(frame_of(LABELS), y_score)
    assert code in caught.value.code
    by_position = ndcg_score(frame_of(LABELS), np.asarray(y_score))
    assert by_position == ndcg_score(LABELS, NUMBERS)
    in_order = y_score.select(COLUMNS)
    assert ndcg_score(frame_of(LABELS), in_order) == ndcg_score(LABELS, NUMBERS[:, [0, 2, 1]])
    assert by_position != ndcg_score(LABELS, NUMBERS[:, [0, 2, 1]])


@pytest.mark.parametrize("frame_of", [of_pandas, of_polars, of_arrow])
def test_columns_of_classes_in_another_order_are_refused(frame_of):
    classes = {"y_true": ["a", "b", "c", "a"], "labels": COLUMNS}
    expected = mean_reciprocal_rank_score(**classes, y_score=NUMBERS)
    for columns in (COLUMNS, ["x", "b", "a"]):  # names of their own
        frame = frame_of(NUMBERS, columns=columns)
        assert mean_reciprocal_rank_score(**classes, y_score=frame) == expected
    frame = frame_of(NUMBERS, columns=OTHER_COLUMNS)
    for choice, order in (
        (classes, "`labels`"),
        (classes | {"labels": None}, "the sorted classes"),
    ):
        error = error_of(mean_reciprocal_rank_score, **choice, y_score=frame)
        assert error[0] == "y_score"
        assert error[2:] == (
            f"a frame with its columns in the order of {order}",
            "'c' as column 1, where 'b' belongs,",
        )


def test_columns_that_number_the_classes_are_text_in_other_libraries():
    frame = of_polars(NUMBERS, ["0", "2", "1"])
    with pytest.raises(InvalidParameterError, match="'2' as column 1, where '1' bel") as caught:
        mean_reciprocal_rank_score([0, 1, 2, 0], frame)
    assert "`y_score.select(list(map(str, np.unique(y_true))))`" in caught.value.code
    in_order = frame.select(list(map(str, np.unique([0, 1, 2, 0]))))
    assert mean_reciprocal_rank_score([0, 1, 2, 0], in_order) == mean_reciprocal_rank_score(
        [0, 1, 2, 0], NUMBERS[:, [0, 2, 1]]
    )


class AnswersWithColumns(RegressorMixin, BaseEstimator):
    """A regressor that answers with a frame whose columns have names."""

    def __init__(self, frame_of=of_polars, columns=COLUMNS):
        self.frame_of, self.columns = frame_of, columns

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.frame_of(np.asarray(X), columns=self.columns)


@pytest.mark.parametrize("frame_of", [partial(of_pandas, rows=range(4)), of_polars, of_arrow])
def test_scorers_compare_columns_and_refuse_another_order(frame_of):
    scorer, labels = make_ranking_scorer(ndcg_score), of_pandas(LABELS)
    expected = ndcg_score(LABELS, NUMBERS)
    for columns in (COLUMNS, list("xyz")):  # names of their own
        assert scorer(AnswersWithColumns(frame_of, columns), NUMBERS, labels) == expected
    error = error_of(scorer, AnswersWithColumns(frame_of, OTHER_COLUMNS), NUMBERS, labels)
    assert error[0] == "y_score"
    assert error[2:] == of_columns("y_score", "", "y_true")[2:]


# --- weights of items, one per column -----------------------------------------------------------

PRICES = pd.Series([1.0, 2.0, 4.0], COLUMNS)


@pytest.mark.parametrize("frame_of", [of_pandas, *OTHER_LIBRARIES])
def test_weights_of_columns_are_compared_with_the_columns(frame_of):
    expected = ndcg_score(LABELS, NUMBERS, item_weight=PRICES.to_numpy())
    for data in ((frame_of(LABELS), NUMBERS), (LABELS, frame_of(NUMBERS))):
        assert ndcg_score(*data, item_weight=PRICES) == expected
        parameter, function, must_be, got = error_of(
            ndcg_score, *data, item_weight=PRICES[OTHER_COLUMNS]
        )
        assert (parameter, function) == ("item_weight", "ndcg_score")
        first = "y_true" if data[1] is NUMBERS else "y_score"
        assert must_be == f"indexed by the columns of {first}, if it has one value per column"
        assert got == f"an index with 'c' in row 1, where column 1 of {first} is 'b',"


def test_weights_of_columns_are_no_rows():
    square = {"y_true": LABELS[:3], "y_score": NUMBERS[:3].tolist(), "item_weight": PRICES}
    expected = ndcg_score(**square | {"item_weight": [1.0, 2.0, 4.0]})
    rows = of_pandas(LABELS[:3], ["x", "y", "z"])
    assert ndcg_score(**square | {"y_true": rows}) == expected
    weight = pd.Series([1.0, 2.0, 3.0], ["x", "y", "z"])
    assert ndcg_score(**square, sample_weight=weight) == ndcg_score(
        **square, sample_weight=[1.0, 2.0, 3.0]
    )
    error = error_of(ndcg_score, rows, NUMBERS[:3], item_weight=PRICES[:2])
    assert error[2:] == (
        "of the shape of y_score, (3, 3), or (3,), one weight per item",
        "shape (2,)",
    )


# --- tables of gains ----------------------------------------------------------------------------


@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
@pytest.mark.parametrize(
    ("index", "got"),
    [
        ([2, 1, 0], "2 as label 0"),
        ([0, 1, 3], "3 as label 2"),
        ([1.0, 2.0, 3.0], "1.0 as label 0"),
    ],
)
def test_a_table_of_gains_whose_index_holds_other_labels_is_refused(score, index, got):
    table = pd.Series([7.0, 3.0, 0.5], index)
    error = error_of(score, [[1, 0, 2]], [[0.3, 0.2, 0.1]], gain=table)
    expected = "a table with the gains of the labels 0, 1, and so on, in this order"
    assert error == ("gain", score.__name__, expected, f"a Series with {got} in its index")


def test_the_cures_of_a_table_of_gains_work():
    data, gain = ([[1, 0, 2]], [[0.3, 0.2, 0.1]]), pd.Series([7.0, 3.0, 0.5], [3, 1, 0])
    right = gain.reindex(range(gain.index.max() + 1), fill_value=0).to_numpy()
    assert right.tolist() == [0.5, 3, 0, 7]
    by_position = dcg_score(*data, gain=[7.0, 3.0, 0.5])
    assert by_position == 3 + 7 / np.log2(3) + 0.5 / 2
    for index in ([0, 1, 2], [0.0, 1.0, 2.0], ["bad", "fair", "good"]):
        assert dcg_score(*data, gain=pd.Series(gain.to_numpy(), index)) == by_position


# --- functions that take scores -----------------------------------------------------------------


@pytest.mark.parametrize(("parameter", "layout"), [("y_score", "dense"), ("qid", "ragged")])
def test_every_function_refuses(parameter, layout):
    data = {name: of_pandas(LAYOUTS[layout][name]) for name in ("y_true", "y_score", parameter)}
    data[parameter] = of_pandas(LAYOUTS[layout][parameter], OTHER_ROWS)
    callers = {
        "ndcg_score": [StreamingScore(ndcg_score).update, tie_report_of_ndcg],
        "StreamingScore.update": [StreamingScore(["ndcg", "mrr"]).update],
        "ranking_report": [ranking_report],
        "to_pytrec_eval": [to_pytrec_eval],
    }
    for function, calls in callers.items():
        for call in calls:
            assert error_of(call, **data) == of_rows(parameter, function, "y_true")


def tie_report_of_ndcg(**data):
    return tie_report(score="ndcg", **data)


def test_a_stream_that_refused_has_taken_in_nothing():
    stream = StreamingScore("ndcg")
    error_of(stream.update, of_pandas(LABELS), of_pandas(NUMBERS, OTHER_ROWS))
    assert stream.n_queries == 0
    stream.update(of_pandas(LABELS), of_pandas(NUMBERS))
    assert stream.compute() == ndcg_score(LABELS, NUMBERS)


def test_the_level_of_chance_refuses():
    y_true, qid = of_pandas(RAGGED["y_true"]), of_pandas(RAGGED["qid"], OTHER_ROWS)
    error = error_of(chance_level, y_true, score="ndcg", qid=qid)
    assert error == of_rows("qid", "ndcg_score", "y_true")


@nothing_to_rank
@pytest.mark.parametrize("layout", ["dense", "ragged"])
def test_groups_of_a_report_are_compared(layout):
    data = {name: LAYOUTS[layout].get(name) for name in ("y_true", "y_score", "qid")}
    data = {name: of_pandas(values) for name, values in data.items() if values is not None}
    groups = np.array(["x", "y", "y", "x"])
    right, wrong = of_pandas(groups), of_pandas(groups, OTHER_ROWS)
    expected = ranking_report(**data, by=groups).by_group["group"]["x"].mean
    assert ranking_report(**data, by=right).by_group["group"]["x"].mean == expected
    error = of_rows("by", "ranking_report", "y_true")
    assert error_of(ranking_report, **data, by=wrong) == error
    assert error_of(ranking_report, **data, by={"a": right, "b": wrong}) == error


def test_groups_of_a_report_are_compared_with_each_other():
    groups = np.array(["x", "y", "y", "x"])
    by = {"a": of_pandas(groups), "b": of_pandas(groups, OTHER_ROWS)}
    error = error_of(ranking_report, LABELS, NUMBERS, by=by)
    assert error == of_rows("by", "ranking_report", "by['a']")
    ids = of_pandas(groups + groups + ["0", "1", "2", "3"])
    arrays, series = (
        ranking_report(LABELS, NUMBERS, query_ids=ids, by=each).by_group["group"]
        for each in (groups, by["a"])
    )
    assert {**arrays} == {**series}
    error = error_of(ranking_report, LABELS, NUMBERS, query_ids=ids, by=by["b"])
    assert error[2] == "a Series with the ids of the queries as its index, and one value for each"


@pytest.mark.parametrize("caller", [ranking_report, to_pytrec_eval])
def test_ids_of_queries_are_compared(caller):
    ids = np.array(list("wxyz"))
    data = {"y_true": of_pandas(LABELS), "y_score": of_pandas(NUMBERS)}
    error = error_of(caller, **data, query_ids=of_pandas(ids, OTHER_ROWS))
    assert error == of_rows("query_ids", caller.__name__, "y_true")
    caller(**data, query_ids=of_pandas(ids))
    caller(**data, query_ids=pd.Index(ids))  # which has no index


def test_ids_of_items_are_compared_where_they_have_a_row_for_each_of_the_data():
    ids = np.arange(12).reshape(4, 3)
    data = {"y_true": of_pandas(LABELS), "y_score": of_pandas(NUMBERS)}
    error = error_of(to_pytrec_eval, **data, item_ids=of_pandas(ids, OTHER_ROWS))
    assert error == of_rows("item_ids", "to_pytrec_eval", "y_true")
    error = error_of(to_pytrec_eval, **data, item_ids=of_pandas(ids, columns=OTHER_COLUMNS))
    assert error == of_columns("item_ids", "to_pytrec_eval", "y_true")
    rows = {name: of_pandas(RAGGED[name]) for name in ("y_true", "y_score", "qid")}
    error = error_of(to_pytrec_eval, **rows, item_ids=of_pandas(np.arange(4), OTHER_ROWS))
    assert error == of_rows("item_ids", "to_pytrec_eval", "y_true")


def test_ids_that_have_no_row_for_each_of_the_data_are_not_compared():
    columns = pd.Series(range(3), index=[3, 2, 1])
    square = {"y_true": of_pandas(LABELS[:3], ROWS[:3]), "y_score": NUMBERS[:3]}
    assert to_pytrec_eval(**square, item_ids=columns, d_prefix="")  # one for each column
    two = {name: of_pandas(values, [0, 1]) for name, values in first_two_rows().items()}
    ids = pd.Series(["a", "b"], index=[5, 6])  # one for each of two queries, in sorted order
    run = to_pytrec_eval(**two, query_ids=ids)[1]
    assert run == {"a": {"d0": 0.2}, "b": {"d0": 0.3}}


def first_two_rows():
    return {name: RAGGED[name][:2] for name in ("y_true", "y_score", "qid")}


def test_ids_that_were_retrieved_and_their_scores_are_compared():
    ids, scores = np.arange(12).reshape(4, 3), NUMBERS
    expected = retrieved_from_ids(ids, scores, n_items=12).toarray().tolist()
    error = error_of(retrieved_from_ids, of_pandas(ids), of_pandas(scores, OTHER_ROWS), n_items=12)
    assert error == of_rows("item_scores", "retrieved_from_ids", "ids")
    error = error_of(
        retrieved_from_ids, of_pandas(ids), of_pandas(scores, columns=OTHER_COLUMNS), n_items=12
    )
    assert error == of_columns("item_scores", "retrieved_from_ids", "ids")
    for columns in (COLUMNS, ["x", "y", "z"], ["c", "b", "x"]):  # names of their own
        frames = of_pandas(ids), of_pandas(scores, columns=columns)
        assert retrieved_from_ids(*frames, n_items=12).toarray().tolist() == expected
    for frames in ((of_pandas(ids), scores), (ids, of_pandas(scores, OTHER_ROWS))):
        assert retrieved_from_ids(*frames, n_items=12).toarray().tolist() == expected
    error = error_of(retrieved_from_ids, of_pandas(ids), pd.DataFrame(scores[:3]), n_items=12)
    assert error[2:] == ("of the shape of ids, (4, 3)", "shape (3, 3)")


class Renumbers(RegressorMixin, BaseEstimator):
    """A regressor that answers with a series of its own."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return pd.Series(np.asarray(X)[:, 0]).astype("Float64")


def test_scorers_match_a_response_by_position():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"x": rng.random(40), "y": rng.integers(0, 3, 40), "q": np.arange(40) % 4})
    data = data.set_axis(rng.permutation(40))
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True)
        arguments = {"cv": KFold(3), "scoring": scorer}
        got = cross_val_score(
            Renumbers(), data[["x"]], data["y"], params={"qid": data["q"]}, **arguments
        )
    folds = [data.iloc[test] for _, test in KFold(3).split(data)]
    assert_same_bits(got, [ndcg_score(fold.y, fold.x, qid=fold.q) for fold in folds])


# --- which indexes are the same -----------------------------------------------------------------


TIMES = pd.DatetimeIndex(["2026-01-01", "2026-01-02"], tz="UTC")
EQUAL = [
    (pd.RangeIndex(2), pd.Index([0, 1])),
    (pd.Index([0, 1]), pd.Index([0.0, 1.0])),
    (pd.Index([0, 1], dtype="int8"), pd.Index([0, 1], dtype="uint64")),
    (pd.Index([0, 1], dtype=object), pd.Index([0, 1])),
    (pd.Index([0, 1], dtype="Int64"), pd.Index([0, 1])),
    (pd.Index([NAN, 1]), pd.Index([NAN, 1])),
    (pd.Index([None, "a"]), pd.Index([None, "a"])),
    (pd.Index([pd.NA, "a"], dtype=object), pd.Index([None, "a"], dtype=object)),
    (pd.Index([pd.NA, 1], dtype="Int64"), pd.Index([NAN, 1])),
    (pd.Index([pd.NA, NAN], dtype=object), pd.Index([None, None], dtype=object)),
    (pd.Index([pd.NA, 1], dtype="Int64"), pd.Index([pd.NA, 1], dtype="Int64")),
    (pd.Index(["a", "a"]), pd.Index(["a", "a"], dtype=object)),
    (pd.Index([1, 2], name="one"), pd.Index([1, 2], name="other")),
    (pd.CategoricalIndex(["a", "b"]), pd.Index(["a", "b"])),
    (pd.CategoricalIndex(["a", "b"]), pd.CategoricalIndex(["a", "b"], categories=list("cba"))),
    (TIMES, TIMES.tz_convert("Asia/Tokyo")),
    (TIMES.as_unit("s"), TIMES.as_unit("ns")),
    (TIMES.tz_localize(None), pd.Index([date(2026, 1, 1), date(2026, 1, 2)], dtype=object)),
    (
        pd.MultiIndex.from_product([[1], ["a", "b"]]),
        pd.MultiIndex.from_tuples([(1, "a"), (1, "b")]),
    ),
    (pd.MultiIndex.from_tuples([(1, "a"), (1, "b")]), pd.Index([(1, "a"), (1, "b")])),
    (
        pd.MultiIndex.from_arrays([pd.CategoricalIndex(["a", "b"]), [NAN, 1.0]]),
        pd.MultiIndex.from_arrays(
            [pd.CategoricalIndex(["a", "b"], categories=list("bac")), [NAN, 1.0]]
        ),
    ),
]
DIFFERENT = [
    (TIMES, pd.Index([None, TIMES[1]], dtype=object), "None", 0, f"{TIMES[0]!r}"),
    (pd.Index([1, 2]), pd.Index(["1", "2"]), "'1'", 0, "1"),
    (pd.Index([1, NAN]), pd.Index([1.0, 2.0]), "2.0", 1, "nan"),
    (pd.Index(["a", "b"]), pd.CategoricalIndex(["a", "c"]), "'c'", 1, "'b'"),
    (pd.Index(["a", "a"]), pd.Index(["a", "b"]), "'b'", 1, "'a'"),
    (pd.Index([1, 2]), pd.Index([pd.NA, 2], dtype="Int64"), "<NA>", 0, "1"),
    (TIMES, TIMES[::-1], f"{TIMES[1]!r}", 0, f"{TIMES[0]!r}"),
    (
        pd.MultiIndex.from_tuples([(1, "a"), (1, "b")]),
        pd.MultiIndex.from_tuples([(1, "a"), (2, "b")]),
        "(2, 'b')",
        1,
        "(1, 'b')",
    ),
    (pd.MultiIndex.from_tuples([(1, "a"), (2, "b")]), pd.Index([1, 2]), "1", 0, "(1, 'a')"),
    (pd.Index([1, 2]), pd.MultiIndex.from_tuples([(1, "a"), (2, "b")]), "(1, 'a')", 0, "1"),
]


@pytest.mark.parametrize(("index", "other"), EQUAL)
def test_these_indexes_are_the_same(index, other):
    assert first_difference(index, other) is None
    assert first_difference(other, index) is None
    expected = dcg_score([1, 2], [0.3, 0.4], qid=[1, 1])
    for one, two in ((index, other), (other, index)):
        y_true, y_score = pd.Series([1, 2], one), pd.Series([0.3, 0.4], two)
        assert_same_bits(dcg_score(y_true, y_score, qid=[1, 1]), expected)


@pytest.mark.parametrize(("index", "other", "got", "place", "expected"), DIFFERENT)
def test_these_indexes_differ(index, other, got, place, expected):
    y_true, y_score = pd.Series([1, 2], index), pd.Series([0.3, 0.4], other)
    error = error_of(dcg_score, y_true, y_score, qid=[1, 1])
    assert error == of_rows("y_score", "dcg_score", "y_true", got, place, expected)


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_a_permuted_index_is_refused_unless_it_is_equal(names, random):
    permuted = random.sample(names, len(names))
    n_rows = len(names)
    labels, scores = np.arange(n_rows) % 2, np.arange(n_rows) % 3
    qid = np.zeros(n_rows, dtype=int)
    y_true, y_score = pd.Series(labels, names), pd.Series(scores, permuted)
    places = [row for row in range(n_rows) if names[row] != permuted[row]]
    if places:
        place = places[0]
        got, expected = str(permuted[place]), str(names[place])
        error = of_rows("y_score", "dcg_score", "y_true", got, place, expected)
        assert error_of(dcg_score, y_true, y_score, qid=qid) == error
    else:
        assert_same_bits(dcg_score(y_true, y_score, qid=qid), dcg_score(labels, scores, qid=qid))


# --- what is not compared -----------------------------------------------------------------------


def test_lengths_that_differ_keep_the_error_about_shapes():
    error = error_of(ndcg_score, of_pandas(LABELS), pd.DataFrame(NUMBERS[:3]))
    assert error[2:] == ("of the shape of y_true, (4, 3)", "shape (3, 3)")
    error = error_of(ndcg_score, of_pandas(LABELS), pd.DataFrame(NUMBERS[:, :2]))
    assert error[2:] == ("of the shape of y_true, (4, 3)", "shape (4, 2)")
    error = error_of(ndcg_score, of_pandas(LABELS), NUMBERS, sample_weight=pd.Series([1.0, 2.0]))
    assert error[2:] == ("of shape (4,), one weight per query", "shape (2,)")


def test_a_column_of_scores_has_a_name_of_its_own():
    rows = {name: of_pandas(RAGGED[name]) for name in ("y_true", "y_score", "qid")}
    expected = ndcg_score(**rows)
    assert ndcg_score(**rows | {"y_score": rows["y_score"].to_frame("score")}) == expected


def test_with_qid_columns_keep_the_error_about_shapes():
    y_true, y_score = (of_pandas(RAGGED[name]).to_frame(name) for name in ("y_true", "y_score"))
    error = error_of(ndcg_score, y_true, y_score, qid=RAGGED["qid"])
    assert error[3] == "shape (4, 1)"


def test_what_has_no_index_goes_with_any():
    y_true = of_pandas(RAGGED["y_true"])
    expected = ndcg_score(**RAGGED)
    for as_other in (np.asarray, list, pl.Series, pd.Index):
        others = {name: as_other(RAGGED[name]) for name in ("y_score", "qid", "sample_weight")}
        assert ndcg_score(y_true, **others) == expected


def test_the_labels_of_a_series_are_no_columns():
    # A series gives its values by attributes of their names, too.
    index = ["columns", "index", "iloc", "shape"]
    data = {name: LAYOUTS["class labels"][name] for name in ("y_true", "y_score", "sample_weight")}
    pandas = {name: of_pandas(values, index) for name, values in data.items()}
    assert ndcg_score(**pandas) == ndcg_score(**data)


def test_the_same_index_is_not_even_compared():
    index = pd.Index(ROWS)
    data = {name: pd.Series(values, index) for name, values in RAGGED.items()}
    with mock.patch.object(pd.Index, "equals", side_effect=AssertionError):
        assert ndcg_score(**data) == ndcg_score(**RAGGED)


def test_indexes_are_compared_once_a_call():
    y_true, y_score = of_pandas(LABELS), of_pandas(NUMBERS)
    equals = pd.Index.equals
    with mock.patch.object(pd.Index, "equals", autospec=True, side_effect=equals) as compare:
        tie_report(y_true, y_score, score="ndcg")
    assert compare.call_count == 2  # the index and the columns


def test_columns_may_be_renamed_where_rows_may_not():
    indexes = Indexes("dcg_score", has_columns=True, may_be_renamed=True)
    indexes.check("y_true", pd.DataFrame([[1, 2]], index=["x"], columns=["a", "b"]))
    indexes.check("y_score", pd.DataFrame([[1, 2]], index=["x"], columns=["c", "d"]))
    with pytest.raises(InvalidParameterError, match="'y' in row 0, where y_true has 'x'"):
        indexes.check("where", pd.DataFrame([[1, 2]], index=["y"], columns=["a", "b"]))


@pytest.mark.parametrize("named", [of_pandas, of_polars])
def test_columns_that_a_library_has_named_match_by_place(named):
    scores = named(NUMBERS)
    labels = (NUMBERS > 1).astype(int)
    expected = dcg_score(labels, NUMBERS)
    assert dcg_score(pl.DataFrame(labels), scores) == expected
    if named is of_polars:  # pandas has always compared its own columns
        assert dcg_score(pd.DataFrame(labels), scores) == expected


# --- arrays of xarray ----------------------------------------------------------------------------


class Coordinate:
    """What an array of xarray has along a dimension."""

    def __init__(self, names):
        self._names = names

    def to_index(self):
        return pd.Index(self._names)


class Labelled:
    """An array with names of dimensions and coordinates, as xarray gives them."""

    def __init__(self, values, dims, coords):
        self.values, self.dims = np.asarray(values), tuple(dims)
        self.coords = {name: Coordinate(names) for name, names in coords.items()}

    shape = property(lambda self: self.values.shape)
    ndim = property(lambda self: self.values.ndim)

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    def to_numpy(self):
        return self.values


def of_xarray(values, dims, coords):
    """Return an array of xarray itself."""
    xarray = pytest.importorskip("xarray", reason="no extra has it")
    return xarray.DataArray(np.asarray(values), dims=dims, coords=coords)


SQUARE = NUMBERS[:3]
LABELLED = {
    "y_true": LABELS[:3],
    "y_score": SQUARE,
    "where": MASK[:3],
    "item_weight": SQUARE[::-1],
    "sample_weight": WEIGHT[:3],
}
HERE = {"query": [7, 5, 3], "item": COLUMNS}


@pytest.mark.parametrize("make", [Labelled, of_xarray])
@pytest.mark.parametrize("parameter", LABELLED)
def test_labelled_arrays_are_compared_as_frames_are(make, parameter):
    first = "y_score" if parameter == "y_true" else "y_true"
    dims = [[*HERE][: np.ndim(LABELLED[name])] for name in (first, parameter)]

    def called(of_other, coords):
        data = dict(LABELLED)
        data[first] = make(data[first], dims[0], {name: HERE[name] for name in dims[0]})
        data[parameter] = make(data[parameter], of_other, coords)
        return data

    same = {name: HERE[name] for name in dims[1]}
    for coords in (same, {}):
        assert_same_bits(dcg_score(**called(dims[1], coords)), dcg_score(**LABELLED))
    refused, other = (first, parameter) if parameter == "y_true" else (parameter, first)
    error = error_of(dcg_score, **called(dims[1], same | {"query": [7, 3, 5]}))
    assert error[:3] == (refused, "dcg_score", f"indexed like {other}")
    wrong = dims[1][::-1] if len(dims[1]) == 2 else ["item"]
    error = error_of(dcg_score, **called(wrong, {}))
    assert error[0] == refused
    assert error[2] == f"an array whose dimensions are at the places that they have in {other}"
    if len(dims[1]) == 2:
        error = error_of(dcg_score, **called(dims[1], same | {"item": OTHER_COLUMNS}))
        assert error[:3] == (refused, "dcg_score", f"a frame with the columns of {other}")
        frame = pd.DataFrame(LABELLED[first], index=HERE["query"], columns=OTHER_COLUMNS)
        error = error_of(dcg_score, **called(dims[1], same) | {first: frame})
        assert error[:3] == (refused, "dcg_score", f"a frame with the columns of {other}")


@pytest.mark.parametrize("make", [Labelled, of_xarray])
def test_labelled_weights_of_items_are_those_of_the_columns(make):
    y_true = make(LABELLED["y_true"], HERE, HERE)
    weight = {"y_true": y_true, "y_score": SQUARE}
    expected = dcg_score(LABELLED["y_true"], SQUARE, item_weight=WEIGHT[:3])
    for coords in ({}, {"item": COLUMNS}):
        own = make(WEIGHT[:3], ["item"], coords)
        assert dcg_score(**weight, item_weight=own) == expected
    own = make(WEIGHT[:3], ["item"], {"item": OTHER_COLUMNS})
    assert "the columns of y_true" in error_of(dcg_score, **weight, item_weight=own)[2]
    error = error_of(dcg_score, **weight, item_weight=make(WEIGHT[:3], ["query"], {}))
    assert error[3] == "the dimensions 'query', where y_true has 'query', 'item',"
    data = from_lists({"q": ["a"]}, {"q": ["a", "b"]})
    dcg_score(data, item_weight=make([1.0, 2.0], ["item"], {}))
    dcg_score(data, item_weight=make([1.0, 2.0], ["item"], {"item": ["a", "b"]}))
    own = make([1.0, 2.0], ["item"], {"item": ["b", "a"]})
    assert "data.item_ids" in error_of(dcg_score, data, item_weight=own)[2]


@pytest.mark.parametrize("make", [Labelled, of_xarray])
def test_labelled_arrays_elsewhere(make):
    turned = make(SQUARE, ["item", "query"], {})
    data = {"y_true": make(LABELLED["y_true"], HERE, {}), "y_score": turned}
    for call in (ranking_report, to_pytrec_eval, StreamingScore(ndcg_score).update):
        assert error_of(call, **data)[0] == "y_score"
    ids = make([[0, 1], [1, 2]], ["query", "place"], {"query": [1, 2]})
    scores = make([[0.3, 0.2]] * 2, ["query", "place"], {"query": [2, 1]})
    assert error_of(retrieved_from_ids, ids, scores, n_items=3)[0] == "item_scores"
    classes = make(SQUARE, ["row", "class"], {"class": list("bca")})
    order = "a frame with its columns in the order of"
    with raises("y_score", order, advice="`y_score.reindex({'class': "):
        ndcg_score(list("abc"), classes)
    scores = make(SQUARE, HERE, HERE)
    for ids, parameter in ((([7, 3, 5], COLUMNS), "query"), (([7, 5, 3], OTHER_COLUMNS), "item")):
        error = error_of(write_run, "never.run", scores, list(map(str, ids[0])), ids[1])
        assert (error[0], f"coords['{parameter}']" in str(error)) == (f"{parameter}_ids", True)
