"""A drop-in replacement: what scikit-learn accepts gives the same number here, but for a few."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.metrics
from hypothesis import given, settings, strategies as st

import ranking_scores
from ranking_scores._metrics._programs import find_program

TOLERANCE = 1e-12
SCORES = ["dcg_score", "ndcg_score"]
LARGEST = np.iinfo(np.int64).max


def both(name):
    """Return scikit-learn's function of a name and ours."""
    return getattr(sklearn.metrics, name), getattr(ranking_scores, name)


@pytest.mark.parametrize("name", SCORES)
def test_every_keyword_of_theirs_is_one_of_ours_with_the_same_default(name):
    theirs, ours = (inspect.signature(function).parameters for function in both(name))
    assert list(ours)[:2] == list(theirs)[:2]
    for keyword, parameter in theirs.items():
        assert ours[keyword].kind == parameter.kind
        if keyword == "y_score":  # which data by id has
            assert ours[keyword].default is None
        else:
            assert ours[keyword].default == parameter.default


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_queries=st.integers(1, 5),
    n_items=st.sampled_from([2, 3, 10, 50]),
    n_scores=st.sampled_from([1, 2, 5, 10**6]),
    label_dtype=st.sampled_from(
        [np.float64, np.float32, np.float16, np.longdouble, np.int8, np.uint64, np.bool_]
    ),
    score_dtype=st.sampled_from(
        [np.float64, np.float32, np.float16, np.longdouble, np.int64, np.int16, ">f8"]
    ),
    k=st.sampled_from([None, 1, 2, 10, 1000, np.int8(3)]),
    is_weighted=st.booleans(),
    log_base=st.sampled_from([1.1, 2, np.float64(3), np.int64(10)]),
)
@pytest.mark.parametrize("name", SCORES)
def test_same_number_ties_included(
    name, seed, n_queries, n_items, n_scores, label_dtype, score_dtype, k, is_weighted, log_base
):
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 5, (n_queries, n_items)) * (rng.random((n_queries, n_items)) < 0.5)
    y_true[0, :2] = 1, 3  # scikit-learn takes labels of one kind for class labels
    y_true = y_true.astype(label_dtype)
    y_score = rng.integers(0, min(n_scores, 1000), (n_queries, n_items)).astype(score_dtype)
    params = {"k": k}
    if is_weighted:
        params["sample_weight"] = rng.random(n_queries) + 0.01
    if name == "dcg_score":
        params["log_base"] = log_base
    theirs, ours = both(name)
    value = ours(y_true, y_score, **params)
    assert type(value) is float
    assert value == pytest.approx(theirs(y_true, y_score, **params), rel=TOLERANCE)
    is_untied = all(len(set(row)) == n_items for row in y_score.tolist())
    if is_untied:
        theirs_ordered = theirs(y_true, y_score, ignore_ties=True, **params)
        assert ours(y_true, y_score, ignore_ties=True, **params) == pytest.approx(
            theirs_ordered, rel=TOLERANCE
        )


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    "make",
    [
        np.asfortranarray,
        lambda array: np.repeat(array, 2, axis=1)[:, ::2],
        lambda array: array[::-1, ::-1][::-1, ::-1],
        lambda array: array.tolist(),
        lambda array: tuple(map(tuple, array.tolist())),
        pd.DataFrame,
        lambda array: pd.DataFrame(array).convert_dtypes(),
        lambda array: pd.DataFrame({0: array[:, 0] > 0.5, 1: array[:, 1], 2: array[:, 2]}),
        lambda array: pl.DataFrame(array, schema=list("abc")),
        lambda array: np.ma.masked_array(array),
    ],
)
def test_same_number_for_whatever_holds_the_array(name, make):
    rng = np.random.default_rng(0)
    y_true = make(np.array([[0.0, 1, 2], [3, 0, 1]]))
    y_score = make(rng.random((2, 3)))
    theirs, ours = both(name)
    for k in (None, 1):
        expected = theirs(y_true, y_score, k=k)
        assert ours(y_true, y_score, k=k) == pytest.approx(expected, rel=TOLERANCE)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    "weights", [[1, 3], (1.5, 0), np.array([True, False]), pd.Series([1, 2]), pl.Series([1, 2])]
)
def test_same_number_for_whatever_holds_the_weights(name, weights):
    y_true, y_score = [[0, 1, 2], [3, 0, 1]], [[1, 2, 2], [5, 1, 4]]
    theirs, ours = both(name)
    expected = theirs(y_true, y_score, sample_weight=weights)
    assert ours(y_true, y_score, sample_weight=weights) == pytest.approx(expected, rel=TOLERANCE)


def test_labels_may_be_negative_in_dcg():
    y_true, y_score = [[-2, 1, 0.5]], [[1, 1, 0]]
    theirs, ours = both("dcg_score")
    assert ours(y_true, y_score) == pytest.approx(theirs(y_true, y_score), rel=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("label_ranking_average_precision_score", {}),
        ("label_ranking_loss", {}),
        ("coverage_error", {}),
        ("average_precision_score", {"average": "samples"}),
        ("roc_auc_score", {"average": "samples"}),
        ("top_k_accuracy_score@3", {"k": 3}),
    ],
)
def test_like_gives_the_number_of_each_ranking_function_under_ties(name, options):
    rng = np.random.default_rng(0)
    y_score, weights = rng.integers(0, 4, (50, 9)), rng.random(50)
    y_true = (rng.random((50, 9)) < 0.3).astype(int)
    y_true[:, 0] = ~y_true[:, 1:].any(axis=1)  # scikit-learn has no AUC of equal labels
    if "top_k" in name:
        y_true = np.arange(50) % 9
    theirs = getattr(sklearn.metrics, name.partition("@")[0])
    expected = theirs(y_true, y_score, sample_weight=weights, **options)
    value = ranking_scores.conventions.like("scikit-learn", name)(
        y_true, y_score, sample_weight=weights
    )
    assert value == pytest.approx(expected, rel=TOLERANCE)


def test_the_mean_of_roc_auc_score_has_rows_of_one_class_only_there():
    """scikit-learn 1.9.1 has NaN with average="samples", older versions raise a ValueError."""
    y_true, y_score = [[1, 0, 1], [0, 0, 0]], [[0.3, 0.2, 0.1]] * 2
    assert ranking_scores.conventions.like("scikit-learn", "roc_auc_score")(y_true, y_score) == 0.5
    about = find_program("scikit-learn", "f").about
    assert "roc_auc_score is NaN for a list of one class, and so is its mean" in about


def test_two_ranking_functions_are_scores_of_ours_if_nothing_ties():
    """They are rows of the table in doc/moving.rst. Other tests have the other rows."""
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (50, 4)), rng.random((50, 4))  # some rows have one label
    loss = 1 - ranking_scores.grouped_auc_score(y_true, y_score, replace_undefined_by=1.0)
    assert loss == pytest.approx(
        sklearn.metrics.label_ranking_loss(y_true, y_score), rel=TOLERANCE
    )
    y_true[:, 0] = 1  # scikit-learn warns of rows without relevant items
    expected = sklearn.metrics.average_precision_score(y_true, y_score, average="samples")
    value = ranking_scores.mean_average_precision_score(y_true, y_score)
    assert value == pytest.approx(expected, rel=TOLERANCE)


def test_all_rows_as_one_query_give_the_pooled_average_precision():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 50), rng.integers(0, 4, 50)
    expected = sklearn.metrics.average_precision_score(y_true, y_score)
    pooled = ranking_scores.conventions.like("scikit-learn", "average_precision_score")
    assert pooled([y_true], [y_score]) == pytest.approx(expected, rel=TOLERANCE)


# --- the deviations, each a row of the tables of scikit-learn in doc/moving.rst -----------------


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(
    "scores",
    [
        np.array([[0, 1, 255]], dtype=np.uint8),  # negated, 0 stays the largest there
        np.array([[-LARGEST - 1, 0, LARGEST]]),  # its negative does not exist
    ],
)
def test_integer_scores_do_not_wrap_around(name, scores):
    theirs, ours = both(name)
    y_true, ranks = [[3, 0, 1]], [[1, 2, 3]]
    assert ours(y_true, scores) == pytest.approx(theirs(y_true, ranks), rel=TOLERANCE)
    assert theirs(y_true, scores) != pytest.approx(theirs(y_true, ranks), rel=TOLERANCE)


@pytest.mark.parametrize("name", SCORES)
def test_ignored_ties_put_the_later_item_first(name):
    n_items = 100
    y_true = np.arange(n_items)[None, :]
    _, ours = both(name)
    constant = np.zeros((1, n_items))
    in_order = np.arange(n_items)[None, :]
    assert ours(y_true, constant, ignore_ties=True) == ours(y_true, in_order)
    assert ours(y_true[:, ::-1], constant, ignore_ties=True) == ours(y_true, -in_order)


@pytest.mark.parametrize(
    ("base", "difference"), [(np.float32(10), 1e-8), (np.float16(10), 6e-5), (np.int8(10), 6e-5)]
)
def test_a_narrow_base_is_as_exact_as_a_float(base, difference):
    theirs, ours = both("dcg_score")
    arguments = {"y_true": [[10, 0, 0, 1, 5]], "y_score": [[0.1, 0.2, 0.3, 4, 70]]}
    expected = theirs(**arguments, log_base=10.0)
    assert ours(**arguments, log_base=base) == pytest.approx(expected, rel=TOLERANCE)
    off_by = abs(theirs(**arguments, log_base=base) / expected - 1)
    assert off_by == pytest.approx(difference, rel=0.5)


@pytest.mark.parametrize("name", SCORES)
def test_one_document_is_scored(name):
    theirs, ours = both(name)
    with pytest.raises(ValueError, match=r"more than 1 document|formats are supported"):
        theirs([[2]], [[0.5]])
    assert ours([[2]], [[0.5]]) == {"dcg_score": 2.0, "ndcg_score": 1.0}[name]


@pytest.mark.parametrize(
    ("arguments", "their_error"),
    [
        ({"k": True}, None),
        ({"y_true": np.array([[0, 1, 2], [1, 0, 2]], dtype=object)}, None),
        ({"sample_weight": [-1, 3]}, None),
        ({"sample_weight": [0, 0]}, ZeroDivisionError),
        ({"sample_weight": [np.nan, 1]}, None),
        ({"sample_weight": [np.inf, 1]}, None),
        ({"log_base": 0.5}, None),
        ({"log_base": 1}, None),
        ({"log_base": True}, None),
        ({"y_true": [[1e308, 1e308, 1e308], [1, 0, 2]]}, None),
        (
            {
                "y_true": pd.DataFrame([[0, 1, 2], [1, 0, 2]]),
                "y_score": pd.DataFrame([[1, 2, 3], [1, 3, 2]], index=[4, 2]),
            },
            None,
        ),
        (
            {
                "y_true": pd.DataFrame([[0, 1, 2], [1, 0, 2]], columns=list("abc")),
                "y_score": pd.DataFrame([[1, 2, 3], [1, 3, 2]], columns=list("abd")),
            },
            None,
        ),
        ({"y_true": np.ma.masked_array([[0, 1, 2], [1, 0, 2]], [[1, 0, 0], [0, 0, 0]])}, None),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_what_they_accept_and_we_refuse(arguments, their_error):
    arguments = {"y_true": [[0, 1, 2], [1, 0, 2]], "y_score": [[1, 2, 3], [1, 3, 2]]} | arguments
    names = ["dcg_score"] if "log_base" in arguments else SCORES
    for name in names:
        theirs, ours = both(name)
        if their_error is None:
            theirs(**arguments)
        else:
            with pytest.raises(their_error):
                theirs(**arguments)
        with pytest.raises(ValueError, match=f"parameter of {name} must be"):
            ours(**arguments)


MASKED = {"y_true": [[10, np.nan, 5]], "y_score": [[0.3, 0.1, np.inf]]}


@pytest.mark.parametrize(
    ("arguments", "more", "error", "message", "expected"),
    [
        ({"y_score": [[False, True]]}, {}, TypeError, "negative", 1.0),
        ({"k": [1, 2]}, {}, ValueError, "'k' parameter", [1.0, 1.0]),
        ({"y_true": [0, 1], "y_score": [[1, 2], [1, 2]]}, {}, ValueError, "Got binary", 0.815),
        ({"y_true": sp.csr_array([[0, 1]])}, {}, ValueError, "'y_true' parameter", 1.0),
        ({"y_score": sp.csr_array([[0.0, 2]])}, {}, ValueError, "'y_score' parameter", 1.0),
        (MASKED, {"where": [[True, False, False]]}, ValueError, "NaN", 1.0),
        ({}, {"item_weight": [[2, 1]]}, TypeError, "item_weight", 1.0),
    ],
)
def test_what_they_refuse_and_we_score(arguments, more, error, message, expected):
    arguments = {"y_true": [[0, 1]], "y_score": [[1, 2]]} | arguments
    theirs, ours = both("ndcg_score")
    with pytest.raises(error, match=message):
        theirs(**arguments, **({} if "where" in more else more))
    assert ours(**arguments, **more) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(
    "arguments",
    [
        {"y_true": [[0, -1, 2]]},
        {"y_score": [[0, np.nan, 2]]},
        {"y_score": [[0, np.inf, 2]]},
        {"y_true": [[0, np.nan, 2]]},
        {"k": 0},
        {"k": 1.5},
        {"y_true": [[1j, 1, 2]]},
        {"y_true": [["a", "b", "c"]]},
        {"y_score": [[1, 2]]},
        {"y_true": [[1, 2]]},
        {"y_true": [], "y_score": []},
        {"sample_weight": [1, 2]},
        {"y_true": [0, 1, 2], "y_score": [1, 2, 3]},
    ],
)
def test_what_they_refuse_we_refuse(arguments):
    arguments = {"y_true": [[0, 1, 2]], "y_score": [[1, 2, 3]]} | arguments
    for function in both("ndcg_score"):
        with pytest.raises((ValueError, TypeError)):
            function(**arguments)
