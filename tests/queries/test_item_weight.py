"""Weights of items: they multiply gains, remove items, and weigh queries."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import reference
import scipy.sparse as sp
from evaluations import evaluation_of
from hypothesis import given, settings, strategies as st
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning
from warned import nothing_to_rank

from ranking_scores import dcg_score, from_lists, hit_rate_score, ndcg_score

TOLERANCE = 1e-12
SINGLE_PRECISION = 1e-6  # keras_rs works in float32
KERAS = json.loads(
    (Path(__file__).parents[1] / "data" / "keras_weights.json").read_text(encoding="utf-8")
)


def test_values_of_keras_rs_by_hand():
    value = ndcg_score(
        [[1, 0, 3, 2]],
        [[0.1, 0.8, 0.9, 0.7]],
        item_weight=[[2, 1, 3, 0]],
        gain="exponential",
    )
    # Without item 3: 2 gains 7 three times, 1 gains 0, 0 gains 1 twice.
    expected = (21 + 2 / np.log2(4)) / (21 + 2 / np.log2(3))
    assert value == pytest.approx(expected, rel=TOLERANCE)
    assert value == pytest.approx(0.988237, abs=1e-6)


@pytest.mark.parametrize("case", KERAS["cases"], ids=lambda case: case["name"])
@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_recorded_numbers_of_keras_rs(score, case):
    y_true, y_score = np.array(case["y_true"], dtype=float), np.array(case["y_score"])
    where = y_true >= 0
    if case["mask"] is not None:
        where &= np.array(case["mask"], dtype=bool)
    weights = np.ones(y_true.shape)
    if case["weights"] is not None:
        weights = np.array(case["weights"], dtype=float)
    if case["list_weights"] is not None:
        weights = weights * np.reshape(case["list_weights"], (-1, 1))
    value = score(
        y_true, y_score, k=case["k"], gain=case["gain"], where=where, item_weight=weights
    )
    expected = case[score.__name__]
    if not (weights * where).any():  # nothing weighs anything: 0 there, NaN here
        assert expected == 0
        assert np.isnan(value)
    else:
        assert value == pytest.approx(expected, rel=SINGLE_PRECISION, abs=SINGLE_PRECISION)


def test_weights_that_are_equal_within_a_query_weigh_the_query():
    y_true, y_score = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
    value = dcg_score(y_true, y_score, item_weight=[[3, 3], [1, 1]])
    assert value == pytest.approx((3 + 1 / np.log2(3)) / 4, rel=TOLERANCE)
    assert value == pytest.approx(0.9077324, abs=1e-7)
    assert value == dcg_score(y_true, y_score, sample_weight=[3, 1])
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (40, 12)), rng.integers(0, 5, (40, 12))
    y_true[:, 0] = 1  # each query gains
    weights = rng.random(40)
    spread = np.broadcast_to(weights[:, None], y_true.shape)
    for score in (dcg_score, ndcg_score):
        for k in (None, 3):
            of_items = score(y_true, y_score, k=k, item_weight=spread)
            of_queries = score(y_true, y_score, k=k, sample_weight=weights)
            assert of_items == pytest.approx(of_queries, rel=TOLERANCE)


@st.composite
def weighted_queries(draw):
    """Queries of few distinct labels, scores and weights: a list of three lists each."""
    queries = []
    for _ in range(draw(st.integers(1, 4))):
        n_items = draw(st.integers(1, 4))
        lists = (
            st.lists(st.sampled_from(values), min_size=n_items, max_size=n_items)
            for values in ([0, 1, 3], [1.0, 2.0], [0, 0.5, 1, 3.25])
        )
        queries.append(tuple(draw(values) for values in lists))
    return queries


@nothing_to_rank
@settings(deadline=None, max_examples=2 * settings().max_examples)
@given(
    queries=weighted_queries(),
    k=st.sampled_from([None, 1, 2]),
    gain=st.sampled_from(["linear", "exponential"]),
    undefined=st.sampled_from([0.0, None]),
    is_weighted=st.booleans(),
)
@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
def test_definition(score, queries, k, gain, undefined, is_weighted):
    textbook = {dcg_score: reference.dcg, ndcg_score: reference.ndcg}[score]
    gain_of = getattr(reference, gain)
    values, by_items = [], []
    for labels, scores, weights in queries:
        values.append(textbook(labels, scores, k=k, gain=gain_of, item_weight=weights))
        gains = reference.gains_of(labels, gain_of, None)
        by_items.append(reference.weight_by_items(gains, weights))
    sample_weight = [1 + 2 * index * is_weighted for index in range(len(queries))]
    weights = reference.weights_of_queries(by_items, sample_weight)
    expected = reference.mean(values, weights, undefined)

    qid = [index for index, (labels, _, _) in enumerate(queries) for _ in labels]
    flat = [[value for query in queries for value in query[part]] for part in range(3)]
    params = {"k": k, "gain": gain, "item_weight": flat[2], "qid": qid}
    if is_weighted:
        params["sample_weight"] = [sample_weight[query] for query in qid]
    if score is ndcg_score:
        params["replace_undefined_by"] = np.nan if undefined is None else undefined
    per_query = score(flat[0], flat[1], average=None, **params)
    for value, exact in zip(per_query, values, strict=True):
        if exact is not None:
            assert value == pytest.approx(float(exact), rel=TOLERANCE, abs=0)
    if expected is None:
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(score(flat[0], flat[1], **params))
    else:
        value = score(flat[0], flat[1], **params)
        assert value == pytest.approx(float(expected), rel=TOLERANCE, abs=0)


@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
@pytest.mark.parametrize("k", [1, 3, None])
def test_every_layout_and_order_of_the_queries_gives_the_same_bits(score, k):
    rng = np.random.default_rng(0)
    shape = (300, 40)
    y_true = rng.integers(0, 3, shape) * (rng.random(shape) < 0.2)
    y_score, weights = rng.integers(0, 9, shape), rng.choice([0, 0.3, 1.7, 1e8, 1e-8], shape)
    weights[7], y_true[8], y_true[9] = 0, 0, 0
    where = rng.random(shape) < 0.7
    sample_weight = 10.0 ** rng.uniform(-8, 8, 300)
    query, column = np.nonzero(where)
    rows = {
        "y_true": y_true[where],
        "y_score": y_score[where],
        "item_weight": weights[where],
        "qid": query,
        "sample_weight": sample_weight[query],
    }
    interleaved = np.argsort(column, kind="stable")  # the items of each query in their order
    order = rng.permutation(300)
    dense = {"y_score": y_score, "item_weight": weights, "where": where}
    arrangements = [
        dense | {"y_true": y_true, "sample_weight": sample_weight},
        dense | {"y_true": sp.csr_array(y_true), "sample_weight": sample_weight},
        rows,
        {name: values[interleaved] for name, values in rows.items()},
        {name: values[order] for name, values in dense.items()}
        | {"y_true": y_true[order], "sample_weight": sample_weight[order]},
    ]
    means = [score(**arguments, k=k) for arguments in arrangements]
    assert len(set(means)) == 1
    assert score(**rows, k=[9, k or 40])[1] == means[0]
    per_query = [score(**arguments, k=k, average=None).tolist() for arguments in arrangements[:4]]
    assert per_query[1:] == per_query[:1] * 3


@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
def test_weight_1_is_no_weight(score):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, (50, 9)), rng.random((50, 9))
    for weights in (np.ones((50, 9)), np.ones((50, 9), dtype=bool), np.ones((50, 9)).tolist()):
        assert score(y_true, y_score, item_weight=weights) == score(y_true, y_score)


@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
@pytest.mark.parametrize("k", [2, None])
def test_one_weight_per_item_counts_in_every_row(score, k):
    rng = np.random.default_rng(0)
    shape = (50, 9)
    y_true, y_score = rng.integers(0, 3, shape), rng.integers(0, 5, shape)
    weight, where = rng.choice([0, 0.5, 1, 3], 9), rng.random(shape) < 0.8
    of_each = np.repeat(weight[None], 50, axis=0)
    for data in (
        {"y_true": y_true, "y_score": y_score},
        {"y_true": y_true, "y_score": y_score, "where": where},
        {"y_true": sp.csr_array(y_true), "y_score": y_score},
        {"y_true": y_true, "y_score": sp.csr_array(y_score)},
        {"y_true": sp.csr_array(y_true), "y_score": sp.csr_array(y_score)},
    ):
        expected = score(**data, k=k, item_weight=of_each)
        for of_item in (weight, weight.tolist(), weight.astype(np.float32)):
            assert score(**data, k=k, item_weight=of_item) == expected


def test_one_weight_per_item_by_hand():
    value = ndcg_score([[1, 0, 1]], [[0.9, 0.8, 0.7]], item_weight=[1, 1, 3])
    assert value == pytest.approx((1 + 3 / 2) / (3 + 1 / np.log2(3)), rel=TOLERANCE)
    square = [[1, 0], [0, 1]]
    value = dcg_score(square, [[2, 1], [2, 1]], item_weight=[3, 1], average=None)
    assert value.tolist() == [1, pytest.approx(1 / np.log2(3), rel=TOLERANCE)]
    value = dcg_score(square, [[2, 1], [2, 1]], item_weight=[3, 1])  # of queries: the same
    assert value == pytest.approx((3 + 1 / np.log2(3)) / 4, rel=TOLERANCE)


def test_one_weight_per_item_of_data_by_ids():
    data = from_lists({"q": ["a"], "r": ["b"]}, {"q": ["b", "a"], "r": ["b", "c"]})
    assert data.item_ids.tolist() == ["a", "b", "c"]
    expected = ndcg_score(data, item_weight=[[1, 2, 3]] * 2)
    weight = pd.Series([1, 2, 3], ["a", "b", "c"])
    assert ndcg_score(data, item_weight=[1, 2, 3]) == expected
    assert ndcg_score(data, item_weight=weight) == expected
    wrong = weight[["b", "c", "a"]]
    with raises("item_weight", "data.item_ids", function="ndcg_score", got="another index"):
        ndcg_score(data, item_weight=wrong)
    assert ndcg_score(data, item_weight=wrong.reindex(data.item_ids)) == expected


@nothing_to_rank
def test_a_query_without_gain_weighs_what_the_others_do_on_average():
    y_true, y_score = [[1, 0], [0, 0], [0, 1]], [[1, 2], [1, 2], [1, 2]]
    weights = [[3, 1], [7, 7], [1, 5]]
    one = 1 / np.log2(3)
    value = ndcg_score(y_true, y_score, item_weight=weights)
    assert value == pytest.approx((3 * one + 4 * 0 + 5 * 1) / (3 + 4 + 5), rel=TOLERANCE)
    value = ndcg_score(y_true, y_score, item_weight=weights, sample_weight=[1, 2, 0])
    assert value == pytest.approx((3 * one + 2 * 3 * 0) / (3 + 2 * 3), rel=TOLERANCE)
    # Where no query gains, each weighs 1.
    assert ndcg_score([[0, 0]], [[1, 2]], item_weight=[[5, 5]], replace_undefined_by=0.25) == 0.25


NO_WEIGHT = "NaN, infinity or less than 0 in"


@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
@pytest.mark.parametrize(
    ("arguments", "key", "got"),
    [
        ({"item_weight": [[1, 2]]}, "(3, 2)", "shape (1, 2)"),
        ({"item_weight": 2.0}, "(3, 2)", "shape ()"),
        ({"item_weight": [1, 2, 3]}, "(3, 2), or (2,), one weight per item", "shape (3,)"),
        ({"item_weight": [1, np.nan]}, "not negative", "nan at position 1"),
        ({"item_weight": [-1, 1]}, "not negative", "-1.0 at position 0"),
        ({"item_weight": [["a", "b"]] * 3}, "ints or floats", "dtype <U1"),
        ({"item_weight": [[1, 1], [1, np.nan], [1, 1]]}, "not negative", f"{NO_WEIGHT} query 1"),
        ({"item_weight": [[1, 1], [1, 1], [np.inf, 1]]}, "not negative", f"{NO_WEIGHT} query 2"),
        ({"item_weight": [[1, 1], [-1, 1], [-1, 1]]}, "not negative", f"{NO_WEIGHT} query 1"),
        (
            {
                "item_weight": [[np.nan, 1], [1, 1], [1, -1]],
                "where": [[False, True], [True, True], [True, True]],
            },
            "not negative",
            f"{NO_WEIGHT} query 2",
        ),
        (
            {"y_true": [1, 2], "y_score": [1, 2], "qid": ["a", "b"], "item_weight": [1]},
            "if `qid` is given",
            "shape (1,)",
        ),
        (
            {"y_true": [1, 2], "y_score": [1, 2], "qid": ["a", "b"], "item_weight": [1, -1]},
            "not negative",
            f"{NO_WEIGHT} the query with qid 'b'",
        ),
        (
            {"y_true": [0, 1, 1], "item_weight": [[1, 1]] * 3, "labels": [0, 1]},
            "class labels",
            "[[1, 1], [1, 1], [1, 1]]",
        ),
        (
            {"item_weight": np.ma.masked_array(np.ones((3, 2)), [[1, 0]] * 3)},
            "masked",
            "3 masked elements",
        ),
    ],
)
def test_refused_by_name(score, arguments, key, got):
    arguments = {"y_true": [[0, 1]] * 3, "y_score": [[1, 2]] * 3} | arguments
    with raises("item_weight", key, function=score.__name__, got=got):
        score(**arguments)


@pytest.mark.parametrize(
    ("gains", "weights", "sums"),
    [
        ([1, -1], [1, 1], "0.0 and 0.0"),
        ([1, -1], [1, 3], "0.0 and -2.0"),
        ([-2, 1], [1, 1], "-1.0 and -1.0"),
        ([2, -1], [1, 3], "1.0 and -1.0"),
        ([2, -1], [1, 2], "1.0 and 0.0"),
        ([1e308, 1e308], [1, 1], "inf and inf"),
    ],
)
def test_gains_that_weigh_nothing_positive_are_refused(gains, weights, sums):
    got = f"the sums {sums} in query 1"
    with raises("item_weight", "finite sum in each query", function="dcg_score", got=got):
        dcg_score([[1, 0], gains], [[2, 1], [2, 1]], item_weight=[[1, 1], weights])


def test_what_an_item_of_weight_0_is_does_not_matter():
    for ignored in (np.nan, np.inf, -5.0, 1e308):
        value = ndcg_score([[ignored, 0, 1]], [[ignored, 2, 1]], item_weight=[[0, 1, 1]])
        assert value == ndcg_score([[0, 1]], [[2, 1]])
        value = ndcg_score(
            [ignored, 0, 1, 1], [ignored, 2, 1, 0], qid=[0, 0, 0, 1], item_weight=[0, 1, 1, 1]
        )
        assert value == ndcg_score([0, 1, 1], [2, 1, 0], qid=[0, 0, 1])
    for y_score in ([np.nan, 2, np.nan], [1, np.nan, 2]):
        with pytest.raises(ValueError, match=r"'y_score'.* in 1 of 2 queries.* with qid 1,"):
            ndcg_score(
                [0, 1, 1, 1], [np.nan, *y_score], qid=[0, 1, 1, 1], item_weight=[0, 0, 1, 1]
            )


@pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp == np.finfo(np.float64).maxexp,
    reason="long double is double on this platform",
)
def test_weights_that_float64_does_not_hold():
    weights = np.array([[1, np.longdouble("1e-4000")]])
    assert ndcg_score([[1, 0]], [[1, 2]], item_weight=weights) == 1.0  # 0 in float64: left out
    assert ndcg_score([1, 0], [1, 2], qid=[0, 0], item_weight=weights[0]) == 1.0
    weights[0, 1] = np.longdouble("1e4000")
    with pytest.raises(ValueError, match="finite and not negative"):
        ndcg_score([[1, 0]], [[1, 2]], item_weight=weights)
    with pytest.raises(ValueError, match="finite and not negative"):
        ndcg_score([1, 0], [1, 2], qid=[0, 0], item_weight=weights[0])


def test_weights_of_items_and_of_queries_whose_product_overflows():
    params = {"item_weight": [[1e200, 1], [1, 1]], "sample_weight": [1e200, 1]}
    for average in ("samples", None):
        with raises("sample_weight", "small enough", function="ndcg_score"):
            ndcg_score([[1, 0], [0, 0]], [[1, 2], [1, 2]], **params, average=average)


@pytest.mark.parametrize("seed", range(20))
def test_the_mean_weight_of_queries_without_gain_is_not_rounded(seed):
    rng = np.random.default_rng(seed)
    y_true, y_score = [[1, 0], [1, 0], [0, 0]], [[1, 2]] * 3
    item_weight, sample_weight = rng.random((3, 2)), rng.random(3) * [1, 1, 1e-6]
    value, _, other = ndcg_score(y_true, y_score, average=None, replace_undefined_by=1e6)
    weights = [Fraction(weight) for weight in item_weight[:2, 0] * sample_weight[:2]]
    mean = sum(weights) / sum(map(Fraction, sample_weight[:2]))
    products = [Fraction(float(weight) * value) for weight in weights]
    products.append(mean * Fraction(sample_weight[2] * other))
    weights.append(mean * Fraction(sample_weight[2]))
    params = {"item_weight": item_weight, "sample_weight": sample_weight}
    mean_score = ndcg_score(y_true, y_score, **params, replace_undefined_by=1e6)
    assert mean_score == float(sum(products) / sum(weights))


def test_a_weight_of_a_query_without_gain_that_no_float_holds():
    y_true, y_score = [[1, 0], [0, 0]], [[1, 2]] * 2
    huge = {"item_weight": [[1e200, 1], [1, 1]], "sample_weight": [1e-200, 1e200]}
    assert ndcg_score(y_true, y_score, **huge, replace_undefined_by=0.25) == 0.25


def test_queries_without_gain_may_count_infinitely_much():
    arguments = [[1, 0], [0, 0]], [[1, 2]] * 2
    params = {"item_weight": [[1, 1]] * 2, "replace_undefined_by": -np.inf}
    assert ndcg_score(*arguments, **params) == -np.inf
    assert ndcg_score(*arguments, **params, sample_weight=[1, 0]) == 1 / np.log2(3)
    # The mean weight of the queries with gain is 1e-400, which is 0, and so nothing weighs.
    params["item_weight"] = [[1e-200, 1], [1, 1]]
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(ndcg_score(*arguments, **params, sample_weight=[1e-200, 1]))


def test_the_weights_of_queries_as_floats():
    arguments = [[1, 0], [0, 0], [0, 1], [0, 0]], [[1, 2]] * 4
    item_weight = [[3, 1], [7, 7], [1, 6], [0, 0]]
    evaluation = evaluation_of(ndcg_score, *arguments, item_weight=item_weight)
    assert evaluation.weight.tolist() == [3, 4.5, 6, 0]
    evaluation = evaluation_of(
        ndcg_score, *arguments, item_weight=item_weight, sample_weight=[1, 2, 4, 8]
    )
    assert evaluation.weight.tolist() == [3, 2 * (3 + 4 * 6) / 5, 24, 0]
    huge = {"item_weight": [[1e200, 1], [1, 1]], "sample_weight": [1e-200, 1e200]}
    evaluation = evaluation_of(ndcg_score, *(each[:2] for each in arguments), **huge)
    with pytest.raises(ValueError, match="must be small enough to be multiplied by the weights"):
        _ = evaluation.weight


def test_nothing_weighs_anything():
    for score in (dcg_score, ndcg_score):
        with pytest.warns(
            UndefinedMetricWarning, match=f"{score.__name__} is undefined: no query"
        ):
            assert np.isnan(score([[1, 0]], [[1, 2]], item_weight=[[0, 0]]))


def test_hit_rate_has_no_item_weights():
    with pytest.raises(TypeError, match="item_weight"):
        hit_rate_score([[0, 1]], [[1, 2]], k=1, item_weight=[[1, 1]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1])
@pytest.mark.parametrize("layout", ["rows", "masked rows", "retrieved", "ragged"])
def test_small_weights_are_not_taken_for_bad_ones(layout, bad):
    y_true, y_score = np.ones((3, 2)), np.ones((3, 2))
    params = {"item_weight": np.array([[0, 0.5], [1, bad], [bad, 1]])}
    if layout == "masked rows":
        params["where"] = np.ones((3, 2), dtype=bool)
    elif layout == "retrieved":
        y_score = sp.csr_array(y_score)
    elif layout == "ragged":
        y_true, y_score = y_true.ravel(), y_score.ravel()
        params = {"item_weight": params["item_weight"].ravel(), "qid": [0, 0, 1, 1, 2, 2]}
    with pytest.raises(ValueError, match=r"in (the query with qid|query) 1 instead"):
        dcg_score(y_true, y_score, **params)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_only_weight_is_checked(make):
    with pytest.raises(ValueError, match="Got NaN, infinity or less than 0 in query 0 instead"):
        dcg_score([[1]], make([[1.0]]), item_weight=[[np.nan]])


def test_weights_of_no_items_are_none():
    params = {"where": [[False, False], [True, True]], "average": None}
    assert dcg_score([[1, 2], [0, 1]], [[2, 1], [1, 2]], item_weight=np.ones((2, 2)), **params)[
        1
    ] == dcg_score([[0, 1]], [[1, 2]])


def test_weights_that_are_broadcast_along_either_axis_are_those_of_their_copy():
    y_true = np.array([[0, 1, 0], [2, 0, 1], [0, 0, 3]])
    y_score = sp.csr_array([[1.0, 0, 2], [0, 3, 1], [1, 2, 0]])
    for weight in ([[1], [0], [2]], [[1, 0, 2]]):
        weights = np.broadcast_to(np.array(weight, dtype=float), (3, 3))
        for gain in ("linear", lambda label: label + 1):
            params = {"gain": gain, "average": None, "k": 2}
            expected = dcg_score(y_true, y_score, item_weight=weights.copy(), **params)
            assert dcg_score(y_true, y_score, item_weight=weights, **params).tolist() == (
                expected.tolist()
            )


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_weights_that_are_broadcast_along_columns_are_checked_in_every_row(make):
    weights = np.broadcast_to([[1.0], [np.nan], [1.0]], (3, 2))
    with pytest.raises(ValueError, match="Got NaN, infinity or less than 0 in query 1 instead"):
        dcg_score(np.ones((3, 2)), make(np.ones((3, 2))), item_weight=weights)


def test_a_column_of_weights_is_told_to_drop_its_axis():
    with pytest.raises(ValueError, match=r"np\.asarray\(item_weight\)\[\.\.\., 0\]"):
        dcg_score([1, 0], [1, 2], qid=[0, 0], item_weight=[[1], [1]])
