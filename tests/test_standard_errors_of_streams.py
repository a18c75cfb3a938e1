"""Standard errors of streams: their formula, from sums of which nothing is lost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from evaluations import evaluation_of
from hypothesis import given, settings, strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from stream_outcomes import INF, NAN

from ranking_scores import StreamingScore, hit_rate_score, ndcg_score
from ranking_scores._base import _exact


def assert_is_the_root_rounded_once(actual, square):
    """Compare a float with the square root of a fraction, which rounds to no other float."""
    below, above = Fraction(np.nextafter(actual, -INF)), Fraction(np.nextafter(actual, INF))
    assert max((below + Fraction(actual)) / 2, 0) ** 2 <= square
    assert square <= ((Fraction(actual) + above) / 2) ** 2


def square_of_standard_error(values, weights):
    """Return the square of the formula, as a fraction."""
    mean = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
    squares = sum((w * (v - mean)) ** 2 for w, v in zip(weights, values, strict=True))
    return squares / sum(weights) ** 2 * Fraction(len(values), len(values) - 1)


any_size = st.floats(-1.7e308, 1.7e308) | st.sampled_from([0.1, 0.7, 1e300, -1e-310])
positive = st.floats(5e-324, 1e16) | st.sampled_from([1e-8, 0.3, 1e8])


@settings(deadline=None)
@given(st.lists(st.tuples(any_size, positive), min_size=2, max_size=20), st.booleans())
def test_moments_lose_nothing(pairs, is_weighted):
    values, weights = map(np.array, zip(*pairs, strict=True))
    exact = [[Fraction(each) for each in row] for row in (values, weights)]
    if not is_weighted:
        weights, exact[1] = None, [Fraction(1)] * len(pairs)
    [moments] = _exact.moments_of(values[:, None], weights)
    unit = Fraction(1, 2**1126)
    pairs = list(zip(*exact, strict=True))
    assert moments.count == len(pairs)
    assert moments.weight * unit == sum(w for _, w in pairs)
    assert moments.weight_squared * unit**2 == sum(w * w for _, w in pairs)
    assert moments.weighted * unit**2 == sum(w * v for v, w in pairs)
    assert moments.weight_weighted * unit**3 == sum(w * w * v for v, w in pairs)
    assert moments.weighted_squared * unit**4 == sum(w * v * w * v for v, w in pairs)
    error = moments.standard_error()
    assert_is_the_root_rounded_once(error, square_of_standard_error(*exact))


@pytest.mark.parametrize("scale", [-1000, 0, 900])
def test_roots_between_two_floats(scale):
    # The root (2**53 + 1) / 2**53 is half-way from 1 to the next float, and goes to the even one.
    numerator, denominator = (2**53 + 1) ** 2 << 2000 + 2 * scale, 2**106 << 2000
    above = np.nextafter(1.0, 2) * 2.0**scale
    assert _exact._root_of_quotient(numerator, denominator) == 2.0**scale
    assert _exact._root_of_quotient(numerator - 1, denominator) == 2.0**scale
    assert _exact._root_of_quotient(numerator + 1, denominator) == above
    assert _exact._root_of_quotient(0, denominator) == 0.0


def test_moments_of_more_values_than_are_summed_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(500, 3)), 10.0 ** rng.uniform(-8, 8, 500)
    values[rng.random(values.shape) < 0.1] = NAN
    values[::9, 1], weights[::7] = INF, 0
    whole = _exact.moments_of(values, weights), _exact.moments_of(values, None)
    monkeypatch.setattr(_exact, "_MULTIPLIED_AT_ONCE", 99)
    assert (_exact.moments_of(values, weights), _exact.moments_of(values, None)) == whole
    counted = np.isfinite(values)
    assert [moments.count for moments in whole[1]] == counted.sum(axis=0).tolist()
    assert [moments.count for moments in whole[0]] == counted[weights > 0].sum(axis=0).tolist()
    assert _exact.moments_of(values[:0], weights[:0]) == [_exact.Moments()] * 3


@pytest.mark.parametrize("replacement", [0.0, 0.25, NAN])
@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("has_item_weights", [False, True])
def test_standard_error_is_its_formula(replacement, has_weights, has_item_weights):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, (80, 5)) * (rng.random((80, 5)) < 0.3)
    y_score = rng.random((80, 5))
    params = {"k": [1, 3], "replace_undefined_by": replacement}
    arrays = {}
    if has_weights:
        arrays["sample_weight"] = 10.0 ** rng.uniform(-8, 8, 80)
        arrays["sample_weight"][::9] = 0
    if has_item_weights:
        arrays["item_weight"] = 10.0 ** rng.uniform(-2, 2, (80, 5))
        arrays["item_weight"][::8] = 0
    stream = StreamingScore(ndcg_score, **params)
    stream.update(y_true, y_score, **arrays)

    evaluation = evaluation_of(ndcg_score, y_true, y_score, **params, **arrays)
    assert stream.n_undefined.tolist() == (~evaluation.is_defined).sum(axis=0).tolist()
    sample_weight = [Fraction(each) for each in arrays.get("sample_weight", np.ones(80))]
    weights = sample_weight
    if has_item_weights:
        by_items = evaluation.weight_by_items
        known = [Fraction(each) for each in np.nan_to_num(evaluation.known_weight)]
        gaining = np.flatnonzero(by_items > 0)
        mean = sum(known[row] for row in gaining) / sum(sample_weight[row] for row in gaining)
        weights = [
            sample_weight[row] * mean if np.isnan(by_items[row]) else known[row]
            for row in range(80)
        ]
    for column, error in zip(evaluation.values.T, stream.standard_error, strict=True):
        counted = [row for row in range(80) if weights[row] > 0 and not np.isnan(column[row])]
        values = [Fraction(column[row]) for row in counted]
        of_counted = [weights[row] for row in counted]
        square = square_of_standard_error(values, of_counted)
        if has_item_weights and not np.isnan(replacement):
            # The mean weight, by which queries without gain count, is random, too.
            has_gain = [by_items[row] > 0 for row in counted]
            m, r = (
                sum(w * v for w, v in of_mean) / sum(w for w, _ in of_mean)
                for of_mean in (
                    list(zip(of_counted, values, strict=True)),
                    [
                        (weights[row], Fraction(column[row]))
                        for row in counted
                        if by_items[row] > 0
                    ],
                )
            )
            influences = [
                w * (v - r) + mean * sample_weight[row] * (r - m) if gains else w * (v - m)
                for row, w, v, gains in zip(counted, of_counted, values, has_gain, strict=True)
            ]
            n = len(counted)
            square = sum(u**2 for u in influences) / sum(of_counted) ** 2 * Fraction(n, n - 1)
        assert error > 0
        assert_is_the_root_rounded_once(error, square)


def test_the_standard_error_with_item_weights_is_that_of_many_samples():
    """The formula of the issue, and the spread of the means of samples of queries."""
    rng = np.random.default_rng(1)
    n, n_samples = 300, 400
    means, errors = [], []
    for _ in range(n_samples):
        y_true = rng.integers(1, 3, (n, 4)) * (rng.random((n, 1)) < 0.5)
        arrays = y_true, rng.random((n, 4))
        item_weight = np.repeat(rng.lognormal(sigma=1, size=(n, 1)), 4, axis=1)
        stream = StreamingScore(ndcg_score, k=1)
        stream.update(*arrays, item_weight=item_weight)
        means.append(stream.compute())
        errors.append(stream.standard_error)
    evaluation = evaluation_of(ndcg_score, *arrays, k=1, item_weight=item_weight)
    weight, values = evaluation.weight_by_items, evaluation.values[:, 0]
    has_gain = weight > 0
    mean_weight, p = weight[has_gain].mean(), has_gain.mean()
    r = np.average(values[has_gain], weights=weight[has_gain])
    u = np.where(has_gain, weight / mean_weight * (values - r) + r * (1 - p), -r * p)
    assert errors[-1] == pytest.approx(np.sqrt((u**2).sum() / (n * (n - 1))), rel=1e-12)
    # The formula before was 1.2 times this. The spread of 400 means is off by 3.5 % or so.
    assert np.std(means) == pytest.approx(np.mean(errors), rel=0.12)


def test_standard_error_without_weights_is_that_of_a_sample():
    stream = StreamingScore(hit_rate_score, k=1)
    stream.update([[1, 0]] * 4, [[2, 1], [2, 1], [1, 2], [1, 1]])
    values = [1, 1, 0, 0.5]
    assert stream.standard_error == pytest.approx(np.std(values, ddof=1) / 2, rel=1e-15)


def test_standard_error_of_equal_values_is_exactly_zero():
    rng = np.random.default_rng(0)
    stream = StreamingScore(ndcg_score)
    for _ in range(5):
        stream.update([[0, 1]] * 20, [[2, 1]] * 20, sample_weight=10.0 ** rng.uniform(-8, 8, 20))
    assert stream.standard_error == 0.0
    assert stream.compute() == pytest.approx(1 / np.log2(3), rel=1e-15)


def test_standard_error_of_less_than_two_queries_is_nan():
    stream = StreamingScore(ndcg_score, k=[1, 2], replace_undefined_by=NAN)
    np.testing.assert_equal(stream.standard_error, [NAN, NAN])
    stream.update([[1, 0], [0, 0], [1, 0]], [[1, 2]] * 3, sample_weight=[1, 1, 0])
    np.testing.assert_equal(stream.standard_error, [NAN, NAN])
    stream.update([[1, 0]], [[1, 2]])
    assert stream.standard_error.tolist() == [0, 0]
    infinite = StreamingScore(ndcg_score, replace_undefined_by=INF)
    infinite.update([[1, 0], [0, 0], [1, 0]], [[1, 2]] * 3)
    assert infinite.compute() == INF
    assert np.isnan(infinite.standard_error)
    # Of the weight of the queries with gain nothing is left, so neither of those without.
    tiny = StreamingScore(ndcg_score)
    arrays = {"item_weight": [[1e-200, 1], [1, 1]], "sample_weight": [1e-200, 1]}
    tiny.update([[1, 0], [0, 0]], [[1, 2]] * 2, **arrays)
    assert np.isnan(tiny.standard_error)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(tiny.compute())
