"""Class labels: a sample is a query, its class the one relevant item."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from raising import raises
from sklearn.metrics import top_k_accuracy_score
from warned import nothing_to_rank

from ranking_scores import dcg_score, hit_rate_score, ndcg_score, pairwise_accuracy_score
from ranking_scores.exceptions import InvalidParameterError

TOLERANCE = 1e-12
SCORES = [dcg_score, ndcg_score, hit_rate_score, pairwise_accuracy_score]


def cutoff(score, k):
    """Return `k` for a score that takes it."""
    return {"k": k} if "k" in inspect.signature(score).parameters else {}


@pytest.mark.parametrize("k", [1, 2, 3, 10])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("classes", [np.arange(6), np.array(list("abcdef")), np.arange(6.0)])
def test_hit_rate_is_top_k_accuracy_where_nothing_ties(k, is_weighted, classes):
    rng = np.random.default_rng(0)
    y_score = rng.random((50, 6))
    weight = rng.random(50) if is_weighted else None
    for present in (classes, classes[1:4]):
        y_true = rng.permutation(np.concatenate([present, rng.choice(present, 50 - present.size)]))
        labels = None if present is classes else classes
        value = hit_rate_score(y_true, y_score, k=k, labels=labels, sample_weight=weight)
        if k < 6:
            expected = top_k_accuracy_score(
                y_true, y_score, k=k, labels=labels, sample_weight=weight
            )
        else:
            expected = 1.0
        assert value == pytest.approx(expected, rel=TOLERANCE)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        pd.Series,
        lambda classes: pd.Series(classes, dtype="category"),
        lambda classes: np.array(classes, dtype=object),
        lambda classes: np.array(classes, dtype=np.dtypes.StringDType()),
    ],
)
def test_equals_the_indicator_matrix_ties_included(score, make):
    rng = np.random.default_rng(0)
    y_score = rng.integers(0, 3, (40, 5))
    column = rng.integers(0, 5, 40)
    classes = [f"class {index}" for index in range(5)]
    y_true = make([classes[index] for index in column])
    params = {"average": None, **cutoff(score, [1, 2, 4])}
    expected = score(np.eye(5)[column], y_score, **params)
    for labels in (None, classes, np.array(classes), pd.Series(classes)):
        value = score(y_true, y_score, labels=labels, **params)
        assert value.tolist() == expected.tolist()


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_levels", [1, 3, 10**6])
@pytest.mark.parametrize("is_masked", [False, True])
def test_many_classes_equal_the_indicator_matrix(score, n_levels, is_masked):
    rng = np.random.default_rng(0)
    y_score = rng.integers(0, n_levels, (40, 600)) * 1.0
    column = rng.integers(0, 600, 40)
    indicator = np.eye(600)[column]
    params = {"average": None, **cutoff(score, 5)}
    if is_masked:
        params["where"] = (rng.random(y_score.shape) < 0.9) | (indicator > 0)
    expected = score(indicator, y_score, **params)
    assert score(column, y_score, labels=np.arange(600), **params).tolist() == expected.tolist()
    assert score(sp.csr_array(indicator), y_score, **params).tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, bool])
def test_numbers_match_numbers_of_other_types(dtype):
    y_true = np.array([0, 1, 1], dtype=dtype)
    y_score = [[3, 2, 1], [1, 3, 2], [3, 1, 2]]
    expected = ndcg_score([[1, 0, 0], [0, 1, 0], [0, 1, 0]], y_score)
    assert ndcg_score(y_true, y_score, labels=[0, 1, 2]) == expected
    assert ndcg_score(y_true, y_score, labels=[0.0, 1.0, 1.5]) == expected


TO_NUMPY = "or pass `.to_numpy()` if classes and columns match by position."
DAYS = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[ns]")


@pytest.mark.parametrize(
    ("classes", "names"),
    [
        (["cat", "dog"], ("'dog'", "'cat'")),
        (np.array(["cat", "dog"], dtype=np.dtypes.StringDType()), ("'dog'", "'cat'")),
        ([0, 1], ("1", "0")),
        ([False, True], ("True", "False")),
        (DAYS, (f"{pd.Timestamp(DAYS[1])!r}", f"{pd.Timestamp(DAYS[0])!r}")),
    ],
)
def test_columns_named_by_the_classes_are_in_their_order(classes, names):
    p = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], columns=list(classes))
    first, other = names
    got = f"{first} as column 0, where {other} belongs,"
    for params, order, in_order in (
        ({}, "the sorted classes", "np.unique(y_true)"),
        ({"labels": classes}, "`labels`", "labels"),
    ):
        reversed_p = p.iloc[:, ::-1]
        remedy = f"y_score.reindex(columns={in_order})"
        with raises("y_score", order, function="hit_rate_score", got=got, advice=remedy):
            hit_rate_score(classes, reversed_p, k=1, **params)
        assert hit_rate_score(classes, p, k=1, **params) == 1.0
        assert hit_rate_score(classes, reversed_p.to_numpy(), k=1, **params) == 0.0
        known = {"y_score": reversed_p, "y_true": classes, "labels": classes, "np": np}
        assert hit_rate_score(classes, eval(remedy, known), k=1, **params) == 1.0


@pytest.mark.parametrize("columns", [["b", "a"], [1, 0], ["dog", "a"], ["cat", "dog"]])
def test_columns_that_are_not_named_by_the_classes_are_matched_by_position(columns):
    p = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], columns=columns)
    assert hit_rate_score(["cat", "dog"], p, k=1) == 1.0
    assert hit_rate_score(["cat", "dog"], p, k=1, labels=["cat", "dog"]) == 1.0


@nothing_to_rank
def test_gain_and_threshold_apply_to_the_labels_1_and_0():
    y_true, y_score = ["b", "a"], [[1, 2], [1, 2]]
    value = dcg_score(y_true, y_score, gain=[2.0, 5.0], average=None, discount=lambda r: 1 / r)
    assert value.tolist() == [5 + 2 / 2, 2 + 5 / 2]
    value = hit_rate_score(y_true, y_score, k=1, relevance_threshold=2, replace_undefined_by=7)
    assert value == 7.0


def test_a_masked_class_takes_no_part():
    y_true, y_score = ["b", "a"], [[3, 2, 1], [1, 2, np.nan]]
    where = [[False, True, True], [False, True, False]]
    value = hit_rate_score(y_true, y_score, k=1, labels=["a", "b", "c"], where=where, average=None)
    assert value.tolist() == [1.0, 0.0]  # of the second sample the own class takes no part
    value = ndcg_score(
        y_true, y_score, labels=["a", "b", "c"], where=where, replace_undefined_by=np.nan
    )
    assert value == 1.0


Y_SCORE = [[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(
    ("arguments", "parameter", "key", "got"),
    [
        ({"labels": ["b", "a", "c"]}, "labels", "unique and sorted", "['b', 'a', 'c']"),
        ({"labels": ["a", "a", "c"]}, "labels", "unique and sorted", "['a', 'a', 'c']"),
        ({"labels": ["a", "b"]}, "labels", "3 classes", "2 classes"),
        ({"labels": [["a", "b", "c"]]}, "labels", "1-D", "shape (1, 3)"),
        ({"labels": ["a", None, "c"]}, "labels", "missing", "None at position 1"),
        ({"labels": ["a", "b", "d"]}, "y_true", "in `labels`", "'c' in row 1"),
        ({"labels": [0, 1, 2]}, "labels", "sortable", "an array of shape (3,) and dtype object"),
        ({}, "y_true", "3 classes", "2 classes"),
        ({"y_true": ["a", 1]}, "y_true", "sortable", "an array of shape (2,) and dtype object"),
        ({"y_true": ["a", None]}, "y_true", "missing", "None at position 1"),
        (
            {"y_true": [0, 1, 2], "y_score": [[3, 2, 1]]},
            "y_true",
            "each row",
            "shape (3,) with y_score of shape (1, 3)",
        ),
        (
            {"y_true": [], "y_score": np.empty((0, 3))},
            "y_true",
            "each row",
            "shape (0,) with y_score of shape (0, 3)",
        ),
        (
            {"sample_weight": [1], "labels": ["a", "b", "c"]},
            "sample_weight",
            "one weight per query",
            "shape (1,)",
        ),
        (
            {"y_score": [[1, 2, 3], [np.nan, 1, 2]], "labels": ["a", "b", "c"]},
            "y_score",
            "finite",
            "NaN or infinity in 1 of 2 queries, the first of them query 1,",
        ),
        (
            {"labels": ["a", "b", "c"], "where": [[True, True, False]]},
            "where",
            "(2, 3)",
            "shape (1, 3)",
        ),
        (
            {"y_true": [[0, 1, 0]] * 2, "labels": [0, 1, 2]},
            "labels",
            "None unless",
            "[0, 1, 2] with a 2-D y_true and y_score of shape (2, 3)",
        ),
        (
            {"y_true": sp.csr_array([[0, 1, 0]] * 2), "labels": [0, 1, 2]},
            "labels",
            "None unless",
            "[0, 1, 2] with a 2-D y_true and y_score of shape (2, 3)",
        ),
        (
            {"y_true": [0, 1], "y_score": [1, 2], "qid": [0, 0], "labels": [0, 1]},
            "labels",
            "None unless",
            "[0, 1] with a 1-D y_true and y_score of shape (2,), and `qid`",
        ),
    ],
)
def test_refused_by_name(score, arguments, parameter, key, got):
    arguments = {"y_true": ["b", "c"], "y_score": Y_SCORE} | cutoff(score, 1) | arguments
    with raises(parameter, key, function=score.__name__, got=got):
        score(**arguments)


@pytest.mark.parametrize("labels", [["a", "c", "b"], ["a", "b", "b"], ["b", "a", "c"]])
def test_labels_are_sorted_from_the_first_to_the_last(labels):
    with pytest.raises(InvalidParameterError, match="must be unique and sorted"):
        ndcg_score(["a", "b", "b"], np.eye(3), labels=labels)


def test_first_ranks_among_many_classes():
    rng = np.random.default_rng(0)
    y_score, labels = rng.random((30, 3000)), rng.integers(0, 3000, 30)
    y_score[np.arange(0, 30, 2), labels[::2]] = 2
    one_hot = labels[:, None] == np.arange(3000)
    given = ndcg_score(labels, y_score, k=10, labels=np.arange(3000))
    assert given == ndcg_score(one_hot, y_score, k=10) >= 0.5
