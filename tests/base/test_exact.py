"""The mean over queries: exact sums, one rounding at the end, undefined queries left out."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import dcg_score, ndcg_score
from ranking_scores._base import _exact
from ranking_scores._base._exact import (
    ONE,
    Sums,
    WeightedSum,
    _root_of_quotient,
    exact_sum,
    weighted_sum,
)


def exact_mean(values, weights):
    return Sums(weighted_sum(values, weights)).mean()


any_finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("few", [0, 16])
def test_sums_lose_nothing(few):
    @given(st.lists(any_finite, max_size=40))
    def holds(values):
        exact = sum(map(Fraction, values), start=Fraction(0))
        with mock.patch.object(_exact, "_SUMMED_BY_PYTHON", few):
            assert Fraction(exact_sum(np.array(values, dtype=float)), 2**1126) == exact

    holds()


LARGEST, LEAST = np.finfo(float).max, 5e-324


@pytest.mark.parametrize(
    "values",
    [
        [LARGEST] * 40,
        [LARGEST, -LARGEST, LEAST] * 20,
        [2.0**900, 2.0**901, -(2.0**-900), LEAST] * 20,
        [LEAST] * 40,
        10.0 ** np.arange(-300, 300, 7),
        np.full(5000, np.nextafter(2.0, 0)),  # the largest significand
        np.full(5000, 1 / 3) * np.resize([1, -1, 1], 5000),
        np.zeros(40),
    ],
)
@pytest.mark.parametrize("at_once", [999, 2**14])
def test_sums_of_values_of_any_size(monkeypatch, values, at_once):
    monkeypatch.setattr(_exact, "_SUMMED_AT_ONCE", at_once)
    exact = sum(map(Fraction, np.asarray(values).tolist()))
    assert Fraction(exact_sum(np.asarray(values)), 2**1126) == exact


@given(
    st.lists(
        st.tuples(st.floats(-1e150, 1e150), st.floats(0, 1e16) | st.sampled_from([1e-16, 1e16])),
        min_size=1,
        max_size=20,
    )
)
def test_mean_rounds_each_product_and_the_quotient_and_nothing_else(pairs):
    values, weights = map(np.array, zip(*pairs, strict=True))
    if not weights.any():
        weights[0] = 1.0
    products = [Fraction(value * weight) for value, weight in zip(values, weights, strict=True)]
    exact = sum(products) / sum(map(Fraction, weights))
    assert exact_mean(values, weights) == float(exact)
    shuffled = np.random.default_rng(0).permutation(values.size)
    assert exact_mean(values[shuffled], weights[shuffled]) == float(exact)
    assert exact_mean(values, None) == float(sum(map(Fraction, values)) / values.size)


def test_the_mean_of_a_score_is_that_mean():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (1000, 7)), rng.random((1000, 7))
    weights = 10.0 ** rng.uniform(-8, 8, 1000)
    per_query = ndcg_score(y_true, y_score, sample_weight=weights, average=None)
    exact = sum(Fraction(w * v) for w, v in zip(weights, per_query, strict=True))
    exact /= sum(map(Fraction, weights))
    assert ndcg_score(y_true, y_score, sample_weight=weights) == float(exact)


NO_RELEVANT = {"y_true": [[0, 0], [0, 0], [0, 1]], "y_score": [[1, 2], [2, 1], [1, 2]]}


@pytest.mark.parametrize(
    ("replacement", "per_query", "mean"),
    [(0.0, 0.0, 1 / 3), (1, 1.0, 1.0), (-7.5, -7.5, -14 / 3), (np.inf, np.inf, np.inf)],
)
def test_undefined_queries_count_what_replaces_them(replacement, per_query, mean):
    params = {"replace_undefined_by": replacement}
    values = ndcg_score(**NO_RELEVANT, **params, average=None)
    assert values.tolist() == [per_query, per_query, 1.0]
    assert ndcg_score(**NO_RELEVANT, **params) == pytest.approx(mean, rel=1e-15)


def test_undefined_queries_are_left_out_with_their_weights():
    params = {"replace_undefined_by": np.nan, "sample_weight": [5, 3, 0.5]}
    values = ndcg_score(**NO_RELEVANT, **params, average=None, k=[1, 2])
    assert np.isnan(values).tolist() == [[True] * 2, [True] * 2, [False] * 2]
    assert ndcg_score(**NO_RELEVANT, **params) == 1.0


@pytest.mark.parametrize("weights", [None, [1, 2, 0]])
def test_the_mean_of_nothing_is_nan_and_warns_where_it_was_called(weights):
    y_true = [[0, 0], [0, 0], [0, 0 if weights is None else 1]]
    with pytest.warns(UndefinedMetricWarning, match="ndcg_score is undefined") as caught:
        means = ndcg_score(
            y_true,
            NO_RELEVANT["y_score"],
            k=[1, 2],
            sample_weight=weights,
            replace_undefined_by=np.nan,
        )
    assert np.isnan(means).tolist() == [True, True]
    assert [warning.filename for warning in caught] == [__file__]


def test_dcg_has_a_value_where_nothing_gains_and_it_is_not_minus_zero():
    for labels in ([0, 0], [-0.0, -0.0]):
        for k in (1, 2):
            assert str(dcg_score([labels], [[1, 2]], k=k)) == "0.0"
            assert dcg_score([labels], [[1, 2]], k=k, average=None).tobytes() == bytes(8)


@pytest.mark.parametrize(
    ("values", "weights", "mean"),
    [
        ([np.inf, 1, -1e308], [1, 1, 1], np.inf),
        ([-np.inf, 1], [1, 1], -np.inf),
        ([-np.inf, np.inf, np.inf], None, np.nan),
        ([np.inf, np.nan, 0.5], [0, 1, 1], 0.5),
    ],
)
def test_infinite_values(values, weights, mean):
    values = np.array(values)
    weights = None if weights is None else np.array(weights, dtype=float)
    np.testing.assert_equal(exact_mean(values, weights), mean)
    parts = [
        Sums(weighted_sum(values[one], None if weights is None else weights[one]))
        for one in np.arange(values.size)[:, None]
    ]
    np.testing.assert_equal(sum(parts, start=Sums()).mean(), mean)


def test_rounding_does_not_carry_ndcg_past_1():
    # The mean of three times 0.1 is one unit in the last place above 0.1.
    assert dcg_score([[0.1] * 3], [[0] * 3]) > dcg_score([[0.1] * 3], [[3, 2, 1]])
    assert ndcg_score([[0.1] * 3], [[0] * 3]) == 1.0


def test_values_that_leave_the_least_room_are_summed_without_rounding():
    value = 2.0**-40 - 1  # 16383 of them: a sum of 54 bits
    values = np.full(2**14 - 1, value)
    assert Fraction(exact_sum(values), 2**1126) == values.size * Fraction(value)


@pytest.mark.parametrize("n_bits", [1, 2, 53, 64, 200])
def test_roots_are_rounded_once_however_long_the_fraction_is(n_bits):
    for n_other in range(1, 400):
        upper, lower = 3 * 2**n_bits + 1, 2**n_other + 1
        for fraction in (Fraction(upper, lower), Fraction(lower, upper)):
            root = _root_of_quotient(fraction.numerator, fraction.denominator)
            below, above = np.nextafter(root, 0), np.nextafter(root, np.inf)
            lowest, highest = (
                (Fraction(root) + Fraction(float(other))) / 2 for other in (below, above)
            )
            assert lowest**2 <= fraction <= highest**2


def test_the_mean_is_of_queries_with_and_without_gain():
    gaining = WeightedSum(weighted=6 * ONE, weight=2 * ONE)
    others = WeightedSum(weighted=2 * ONE, weight=1 * ONE)
    sums = Sums(gaining, others, weight_with_gain=3 * ONE, sample_weight_with_gain=1 * ONE)
    assert sums.mean() == (6 + 3 * 2) / (2 + 3 * 1)
    assert Sums(without_gain=others).mean() == 2
    infinite = others._replace(infinite=np.inf)
    assert Sums(gaining, infinite, 3 * ONE, 1 * ONE).mean() == np.inf
    assert Sums(gaining, infinite, 0, 1 * ONE).mean() == 3
