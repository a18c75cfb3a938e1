"""Labels that are weighted by how rarely they are known."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import reference
from raising import raises
from scipy.sparse import coo_array, csr_array
from sklearn.preprocessing import MultiLabelBinarizer

from ranking_scores import (
    StreamingScore,
    from_lists,
    inverse_propensity,
    ndcg_score,
    weighted_labels,
)
from ranking_scores.conventions import like

FLOAT64 = 1e-12
FLOAT32 = 3e-7
"""pyxclib keeps its psndcg in float32."""


def sums_by_definition(labels, weights, scores, k):
    """Return the expected sum of label times weight over the first k, and the best one."""
    gains = [label * weight for label, weight in zip(labels, weights, strict=True)]
    sums = [sum(gains[item] for item in order[:k]) for order in reference.orders(scores)]
    return Fraction(sum(sums), len(sums)), Fraction(sum(sorted(gains, reverse=True)[:k]))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 3])
def test_precision_is_that_of_the_definition_in_both_means(seed, k):
    random = np.random.default_rng(seed)
    y_true, y_score = random.integers(0, 2, (4, 6)), random.integers(0, 3, (4, 6))
    y_true[0] = 0
    weights = random.integers(1, 9, 6)
    pairs = zip(y_true.tolist(), y_score.tolist(), strict=True)
    sums = [sums_by_definition(*each, k) for each in ((y, weights.tolist(), s) for y, s in pairs)]
    ratios = [float(found / best) if best else 0.0 for found, best in sums]
    of_means = float(sum(found for found, _ in sums) / sum(best for _, best in sums))
    program = like("pyxclib", f"psprecision@{k}")
    for truth in (y_true, csr_array(y_true)):
        labels = weighted_labels(truth, weights)
        options = {"k": k, "discount": np.ones_like}
        values = ndcg_score(labels, y_score, **options, average=None)
        assert values.tolist() == pytest.approx(ratios, rel=FLOAT64)
        assert ndcg_score(labels, y_score, **options) == pytest.approx(np.mean(ratios))
        values = program(labels, y_score, average=None)
        assert values.tolist() == pytest.approx(ratios, rel=FLOAT64)
        assert program(labels, y_score) == pytest.approx(of_means, rel=FLOAT64)
    stream = StreamingScore(program)
    for rows in (slice(0, 3), slice(3, 4)):
        stream.update(weighted_labels(y_true[rows], weights), y_score[rows])
    assert stream.compute() == pytest.approx(of_means, rel=FLOAT64)


def test_numbers_are_those_of_pyxclib():
    # pyxclib, commit 5d13086: compute_inv_propesity(y_train, A, B), psprecision(y_score, y_true,
    # inverse, k=3) and psndcg of the same.
    y_train = [[1, 0, 0, 0, 1], [1, 1, 0, 0, 1], [1, 0, 1, 0, 1], [1, 0, 0, 1, 1], [1, 1, 0, 0, 0]]
    by_default = [1.3603247768170617, 1.5064762069667912, 1.6094379124341003, 1.6094379124341003]
    of_amazon = [1.3892447940217405, 1.526085423961729, 1.6094379124341003, 1.6094379124341003]
    inverse = inverse_propensity(csr_array(y_train))
    assert inverse.tolist() == pytest.approx([*by_default, 1.39499990687448], rel=FLOAT64)
    found = inverse_propensity(y_train, a=0.6, b=2.6)
    assert found.tolist() == pytest.approx([*of_amazon, 1.4236279506733], rel=FLOAT64)
    y_true = [[1, 0, 1, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 1, 0, 1, 1]]
    y_score = [
        [0.9, 0.1, 0.2, 0.8, 0.3],
        [0.5, 0.4, 0.3, 0.2, 0.1],
        [0.1, 0.2, 0.3, 0.4, 0.5],
        [0.7, 0.1, 0.6, 0.2, 0.3],
    ]
    labels = weighted_labels(y_true, inverse)
    precision, ndcg = (
        [like("pyxclib", f"{name}@{k}")(labels, y_score) for k in (1, 2, 3)]
        for name in ("psprecision", "psndcg")
    )
    assert precision == pytest.approx([0.5757559511555832, 0.7443394421849969, 0.6824424659366423])
    expected = [0.5757559537887573, 0.6917597055435181, 0.6609256863594055]
    assert ndcg == pytest.approx(expected, rel=FLOAT32)


def test_lists_of_ids_take_weights_by_id():
    data = from_lists({"q": {"a": 1, "b": 2}}, {"q": ["c", "b"]})
    by_id = {"b": 3.0, "a": 4.0, "z": 9.0}
    for weight in (by_id, pd.Series(by_id)):
        labels = weighted_labels(data, weight)
        assert labels.y_true.toarray().tolist() == [[4, 6, 0]]
        assert ndcg_score(labels, k=2, discount=np.ones_like) == 6 / 10
        assert str(labels.queries_seen) == str(data.queries_seen)
    assert data.y_true.toarray().tolist() == [[1, 2, 0]]
    with raises("weight", "the id of each judged item", got="none for 'b'"):
        weighted_labels(data, {"a": 1})
    with raises("weight", "a dict or a Series by the ids", got="[4, 3, 1]"):
        weighted_labels(data, [4, 3, 1])
    with raises("weight", "finite and above 0", got="-1.0 for 'b'"):
        weighted_labels(data, {"a": 1, "b": -1})
    with raises("weight", "each id once", got="'a' more than once"):
        weighted_labels(data, pd.Series([1, 2, 3], index=["a", "b", "a"]))


def test_sparse_labels_of_many_columns_stay_sparse():
    column = np.arange(300) * 333
    y_true = csr_array((np.ones(300, dtype=bool), column, np.arange(301)), shape=(300, 100_000))
    weight = 1.0 + np.arange(100_000)
    labels = weighted_labels(y_true, weight)
    assert labels.nnz == 300
    assert labels.data.tolist() == (column + 1.0).tolist()
    assert like("pyxclib", "psprecision@5")(labels, y_true.astype(float)) == 1
    assert inverse_propensity(y_true).shape == (100_000,)


def test_cells_that_are_stored_twice_count_once():
    twice = csr_array((np.ones(3), [0, 0, 1], [0, 2, 3, 3]), shape=(3, 2))
    opposite = coo_array((np.array([1, -1, 1]), ([0, 0, 1], [0, 0, 1])), shape=(3, 2))
    for y_train in (twice, opposite):
        expected = inverse_propensity(y_train.toarray())
        assert inverse_propensity(y_train).tolist() == expected.tolist()
    assert twice.nnz == 3


def test_lists_of_ids_are_told_how_to_become_columns():
    lists = [["a"], ["b", "c"], ["a"]]
    with raises("y_train", "", advice="MultiLabelBinarizer") as caught:
        inverse_propensity(lists)
    assert "qid" not in str(caught.value)
    with raises("y_train", "bools, ints or floats") as caught:
        inverse_propensity(np.array([["a"]] * 3))
    assert "MultiLabelBinarizer" not in str(caught.value)
    binarizer = MultiLabelBinarizer(sparse_output=True)
    inverse = inverse_propensity(binarizer.fit_transform(lists))
    by_id = dict(zip(binarizer.classes_, inverse.tolist(), strict=True))
    labels = weighted_labels(from_lists([["b"]], [["b", "a"]]), by_id)
    assert labels.y_true.sum() == by_id["b"] > by_id["a"]


def test_frames_stay_frames():
    y_true = pd.DataFrame([[1, 0]], columns=["a", "b"], index=["q"])
    labels = weighted_labels(y_true, pd.Series({"a": 2.0, "b": 3.0}))
    assert labels.equals(y_true * [2.0, 3.0])
    assert weighted_labels(y_true, [2.0, 3.0]).equals(labels)
    with raises("weight", "a Series whose index is the columns of y_true"):
        weighted_labels(y_true, pd.Series({"b": 2.0, "a": 3.0}))


@pytest.mark.parametrize("make", [np.asarray, list, csr_array])
def test_a_series_of_an_array_has_the_positions_as_index(make):
    y_true = make([[1, 1]])
    expected = [2.0, 3.0]
    for index in (None, [0, 1], [0.0, 1.0]):
        labels = weighted_labels(y_true, pd.Series(expected, index=index))
        assert csr_array(labels).toarray().tolist() == [expected]
    for index in ([1, 0], ["a", "b"], [1, 2]):
        with raises("weight", "the columns of y_true, or 0, 1, and so on", advice=".to_numpy()"):
            weighted_labels(y_true, pd.Series(expected, index=index))


@pytest.mark.parametrize(
    ("call", "parameter", "key"),
    [
        (lambda: inverse_propensity([[1], [0]]), "y_train", "at least three samples"),
        (lambda: inverse_propensity([1, 0, 1]), "y_train", "of two dimensions"),
        (lambda: inverse_propensity([[1], [0], [np.nan]]), "y_train", "finite"),
        (lambda: inverse_propensity(csr_array([[1], [0], [np.inf]])), "y_train", "finite"),
        (lambda: inverse_propensity([[1]] * 3, a=0), "a", "a finite number above 0"),
        (lambda: inverse_propensity([[1]] * 3, b=np.inf), "b", "a finite number above 0"),
        (lambda: inverse_propensity(from_lists([[1]], [[1]])), "y_train", "an array of shape"),
        (lambda: weighted_labels([[1, 0]], [1]), "weight", "of shape (2,), one weight for each"),
        (lambda: weighted_labels([[1, 0]], [1, 0]), "weight", "finite and above 0"),
        (lambda: weighted_labels([[1]], {0: 1}), "weight", "an array unless"),
        (lambda: weighted_labels([1, 0], [1, 2]), "y_true", "of two dimensions"),
    ],
)
def test_bad_input_is_named(call, parameter, key):
    with raises(parameter, key):
        call()
