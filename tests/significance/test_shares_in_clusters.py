"""Intervals of shares whose queries depend on each other, or have weights."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from ranking_scores.significance import confidence_interval

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("method", ["auto", "wilson", "exact"])
@pytest.mark.parametrize("n", [7, 60])
def test_clusters_of_one_query_and_equal_weights_change_nothing(method, n):
    values = np.column_stack([RNG.random(n) < rate for rate in (0.2, 0.8, 1)]).astype(float)
    values[2, 0] = np.nan
    expected = confidence_interval(values, method=method)
    for params in (
        {"clusters": np.arange(n)[::-1]},
        {"sample_weight": np.full(n, 0.3)},
        {"clusters": np.arange(n), "sample_weight": np.full(n, 3)},
    ):
        found = confidence_interval(values, method=method, **params)
        assert found.method == expected.method
        assert found.low.tolist() == expected.low.tolist()
        assert found.high.tolist() == expected.high.tolist()


def limits_of(sums, weights, n_queries, level=0.95):
    """Return the exact limits, from the sums of hits and of weights of each unit, one by one."""
    total = sum(weights)
    size = sum(weight**2 for weight in weights) / total  # that of the unit of a query
    n_units = total / size
    limits = []
    for score, place in ((0, 0), (1, 1)):
        units = [*zip(sums, weights, strict=True), (score * size / 2, size / 2)]
        whole = sum(weight for _, weight in units)
        mean = sum(hits for hits, _ in units) / whole
        squares = sum((weight / whole) ** 2 for _, weight in units)
        variance = sum(
            (hits - weight * mean) ** 2 / whole**2 / (1 - 2 * weight / whole + squares)
            for hits, weight in units
        )
        independent = mean * (1 - mean) / (n_queries * whole / total - 1)
        effect = max(variance / independent, 1)
        t_of_queries, t_of_units = stats.t.ppf((1 + level) / 2, [n_queries - 1, n_units - 1])
        n = n_queries / effect * (t_of_queries / t_of_units) ** 2
        hits = n * sum(sums) / total
        tail = (1 - level) / 2
        both = stats.beta.ppf(tail, hits, n - hits + 1), stats.beta.isf(tail, hits + 1, n - hits)
        limits.append(both[place])
    return limits


@pytest.mark.parametrize("way", ["clusters", "sample_weight", "both"])
def test_the_limits_are_those_of_as_many_independent_queries(way):
    clusters = np.repeat(np.arange(12), RNG.permutation(12) // 3 + 2)
    n = clusters.size
    values = (RNG.random(12) < 0.7)[clusters] ^ (RNG.random(n) < 0.2)
    weight, params = np.ones(n), {}
    if way != "clusters":
        weight = params["sample_weight"] = RNG.lognormal(sigma=0.5, size=n)
    if way != "sample_weight":
        params["clusters"] = clusters
    else:
        clusters = np.arange(n)
    sums, weights = (np.bincount(clusters, each) for each in (values * weight, weight))
    found = confidence_interval(values, method="exact", **params)
    np.testing.assert_allclose([found.low, found.high], limits_of(sums, weights, n), rtol=1e-9)


def test_units_that_all_hit_or_all_miss():
    clusters = np.arange(60) // 3
    for score in (0.0, 1.0):
        found = confidence_interval(np.full(60, score), clusters=clusters)
        alone = confidence_interval(np.full(60, score))
        assert 0 <= found.low < found.high <= 1
        assert found.high - found.low > alone.high - alone.low
        assert score in (found.low, found.high)
        # Each cluster counts at least as one query.
        of_clusters = confidence_interval(np.full(20, score), method="exact")
        assert found.high - found.low < of_clusters.high - of_clusters.low


def hits_in_clusters(sizes, correlation, n_sets):
    """Return data sets of hits at a rate of 0.9. Those of a cluster have a rate of their own."""
    rates = np.full((sizes.size, n_sets), 0.9)
    if correlation:
        total = 1 / correlation - 1
        rates = RNG.beta(0.9 * total, 0.1 * total, rates.shape)
    of_query = np.repeat(np.arange(sizes.size), sizes)
    return (RNG.random((of_query.size, n_sets)) < rates[of_query]).astype(float), of_query


@pytest.mark.parametrize("n", [10, 30, 60, 100])
@pytest.mark.parametrize("spread", [0, 1])
@pytest.mark.parametrize("correlation", [0, 0.3])
def test_a_release_at_the_limit_seldom_passes(n, spread, correlation):
    """The table with sizes at random is in benchmarks/significance.py, and has at most 0.03.

    The limits here are five standard errors of the simulation above 0.025 and below 0.95.
    """
    sizes = np.rint(10 * np.exp(spread * stats.norm.ppf((np.arange(n) + 0.5) / n)))
    values, clusters = hits_in_clusters(sizes.clip(1).astype(int), correlation, 1500)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = confidence_interval(values, clusters=clusters)
    assert np.mean((found.low <= 0.9) & (found.high >= 0.9)) > 0.922
    # A gate answers "undecided" in the place of a warning.
    assert len(said) == (n == 10 and spread == 1)
    assert np.mean(found.low > 0.9) * (not said) < 0.045
