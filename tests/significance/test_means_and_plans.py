"""Intervals of one mean, how many queries a difference needs, resamples, and rates of errors."""

from __future__ import annotations

import itertools
import tracemalloc
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy
from paired_scores import ALTERNATIVES, CLOSE, INF, N_QUERIES, NAN, SYSTEMS, TESTS, A, B, C, same
from resamples import dense, seed_of
from scipy import stats
from scipy.integrate import quad
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores.significance import compare, compare_all, confidence_interval, queries_needed
from ranking_scores.significance._resampling import draws

DIGITS_OF_NONCENTRAL_T = 1e-5  # of older releases of SciPy


# Intervals of one mean.


def by_scipy(scores, method, n_resamples=999, level=0.95):
    """Return SciPy's interval from our resamples."""
    counts = dense(draws(n_resamples, seed_of(0))(scores.size), scores.size)
    assert (counts.sum(axis=1) == scores.size).all()
    means = SimpleNamespace(bootstrap_distribution=counts @ scores / scores.size)
    result = stats.bootstrap(
        (scores,),
        np.mean,
        n_resamples=0,
        bootstrap_result=means,
        method=method,
        confidence_level=level,
    )
    return list(result.confidence_interval)


SKEWED = np.random.default_rng(1).beta(0.3, 1.2, 60)


@pytest.mark.parametrize("scores", [A, SKEWED, (SKEWED > 0.2) * 1.0], ids=["a", "skewed", "hits"])
@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize(("method", "name"), [("bca", "BCa"), ("percentile", "percentile")])
def test_the_bootstrap_is_that_of_scipy_on_the_same_resamples(scores, level, method, name):
    found = confidence_interval(
        scores, method=method, confidence_level=level, n_resamples=999, random_state=0
    )
    same([found.low, found.high], by_scipy(scores, name, level=level))
    assert found.mean == pytest.approx(scores.mean(), abs=CLOSE)
    same(found.standard_error, stats.sem(scores))
    assert (found.n_queries, found.n_undefined) == (scores.size, 0)


def test_the_interval_by_t_is_that_of_scipy():
    found = confidence_interval(A, method="t", confidence_level=0.9)
    same([found.low, found.high], stats.ttest_1samp(A, 0).confidence_interval(0.9))


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_each_column_has_the_interval_that_it_has_alone(method):
    scores = np.column_stack([A, B, C, np.full(N_QUERIES, 0.1), A > 0.5])
    scores[[2, 5], 1], scores[[2, 5], 2], scores[:, 4][7] = NAN, NAN, NAN
    params = {"method": method, "n_resamples": 99, "random_state": 0}
    with pytest.warns(
        UserWarning, match=r"^confidence_interval \(column 3\): all scores are equal"
    ):
        found = confidence_interval(scores, **params)
    assert found.metrics == ("column 0", "column 1", "column 2", "column 3", "column 4")
    assert found.method == (method,) * 5
    for number, column in enumerate(scores.T):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            alone = confidence_interval(column, **params)
            dropped = confidence_interval(column[~np.isnan(column)], **params)
        for key in ("mean", "low", "high", "standard_error"):
            same(getattr(found, key)[number], getattr(alone, key))
            assert getattr(alone, key) == getattr(dropped, key)
        assert (found.n_queries[number], found.n_undefined[number]) == (
            alone.n_queries,
            alone.n_undefined,
        )
        assert alone.n_undefined == np.isnan(column).sum()
    assert found.low[3] == found.high[3] == found.mean[3] == 0.1


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_the_interval_of_too_few_queries(method):
    message = r"^confidence_interval is undefined: fewer than two queries have a score.$"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = confidence_interval([NAN, 0.5], method=method)
    assert (found.mean, found.n_queries, found.n_undefined) == (0.5, 1, 1)
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    message = r"^confidence_interval \(column 0, column 1\) are undefined: fewer"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = confidence_interval([[NAN, 1]], method=method)
    assert np.isnan(found.low).all()
    np.testing.assert_array_equal(found.mean, [NAN, 1])


@pytest.mark.parametrize("method", ["bca", "percentile", "t"])
def test_scores_that_are_all_equal_have_an_interval_without_width(method):
    message = "^confidence_interval: all scores are equal, so the interval has no width. It says "
    for score in np.random.default_rng(3).random(20):
        with pytest.warns(UserWarning, match=message):
            found = confidence_interval(np.full(7, score), method=method, random_state=0)
        assert found.low == found.high == found.mean == score
        assert found.standard_error == 0


def test_samples_whose_mean_ties_with_that_of_all_count_half_whatever_is_rounded():
    whole = np.random.default_rng(2).integers(0, 4, size=12)
    found, expected = (
        confidence_interval(scores, method="bca", random_state=0) for scores in (whole / 7, whole)
    )
    same([7 * found.low, 7 * found.high], [expected.low, expected.high])


def test_a_few_resamples_are_on_one_side_of_the_mean():
    for seed in range(9):
        found = confidence_interval(
            [0.1, 0.2, 0.9], method="bca", n_resamples=2, confidence_level=0.3, random_state=seed
        )
        assert np.isfinite([found.low, found.high]).all()


# How many queries.


def power_by_hand(effect_size, n_queries, alpha=0.05, tails=2):
    """Return the chance that t is beyond its limit, over all that the deviation may be."""
    chi = stats.chi(n_queries - 1)
    critical = stats.t.isf(alpha / tails, n_queries - 1) / (n_queries - 1) ** 0.5
    center = effect_size * n_queries**0.5

    def part(deviation):
        below = stats.norm.cdf(-critical * deviation - center) * (tails == 2)
        return (stats.norm.sf(critical * deviation - center) + below) * chi.pdf(deviation)

    return quad(part, chi.ppf(1e-13), chi.isf(1e-13), epsabs=1e-11, limit=200)[0]


def test_queries_needed_are_the_fewest_with_the_power():
    found = queries_needed(difference=0.02, standard_deviation=0.15)
    assert type(found) is int
    assert found == 444
    assert power_by_hand(0.02 / 0.15, 444) >= 0.8 > power_by_hand(0.02 / 0.15, 443)
    normal = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * 0.15 / 0.02) ** 2
    assert round(normal) == 441
    assert queries_needed(difference=-0.02, standard_deviation=0.15) == found
    assert queries_needed(difference=0.3, standard_deviation=0.1) == next(
        n for n in itertools.count(2) if power_by_hand(3, n) >= 0.8
    )
    assert queries_needed(
        difference=0.1, standard_deviation=0.1, power=0.95, confidence_level=0.99
    ) == next(n for n in itertools.count(2) if power_by_hand(1, n, 0.01) >= 0.95)


def test_queries_needed_are_many():
    for effect in (0.005, 0.00281, 0.0028):  # on both sides of the border
        normal = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) / effect) ** 2
        found = queries_needed(difference=effect, standard_deviation=1)
        assert 0 < found - normal < 2
    assert queries_needed(difference=1e-200, standard_deviation=1e-190) > 10**20
    found = queries_needed(difference=1e-200, standard_deviation=1e200)
    assert 784 * 10**798 < found < 785 * 10**798


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_queries_needed_are_few(level):
    params = {"standard_deviation": 0.1, "confidence_level": level}
    assert queries_needed(difference=1e9, **params) == 2
    assert queries_needed(difference=1e300, **params) == 2
    for effect in (2, 10, 1e3, 1e5):
        found = queries_needed(difference=0.1 * effect, **params)
        assert found == next(
            n for n in itertools.count(2) if power_by_hand(effect, n, 1 - level) >= 0.8
        )


def test_numbers_far_from_0_are_not_undefined():
    """SciPy's noncentral t distribution is, at levels that few queries make far from 0."""
    params = {"standard_deviation": 1, "confidence_level": 0.999999}
    assert queries_needed(difference=1e6, **params) == 2
    assert queries_needed(difference=3e5, **params) == 3
    for level in (0.99999, 1 - 1e-9, 1 - 1e-13, 1 - 2**-53):
        for n_queries, alternative in itertools.product((2, 3, 4), ALTERNATIVES[:2]):
            b = np.arange(n_queries)
            found = compare(0 * b, b, confidence_level=level, alternative=alternative)
            tails = 1 + (alternative == "two-sided")
            alpha = round(1 - level, 12) or 1 - level
            critical = stats.t.isf(alpha / tails, n_queries - 1)
            # So far out, z is nothing beside the number that is divided by s.
            s = stats.chi.ppf(0.8, n_queries - 1) / (n_queries - 1) ** 0.5
            expected = s * critical * stats.sem(b)
            assert found.detectable_difference == pytest.approx(expected, rel=1e-12 + 2 / critical)


@pytest.mark.parametrize("n_queries", [2, 3, 6])
def test_power_is_continuous_where_another_formula_begins(monkeypatch, n_queries):
    # Far out, SciPy's noncentral t is slow in release 1.13 and has three digits, twelve in 1.17.
    is_exact = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17)
    levels, tolerance = ((0.999, 0.9999), 1e-8) if is_exact else ((0.95, 0.99), 1e-5)
    found = {}
    for far in (10, 1e9):
        monkeypatch.setattr("ranking_scores.significance._tests._LARGEST_FOR_SCIPY", far)
        found[far] = [
            compare(A[:n_queries], B[:n_queries], confidence_level=level).detectable_difference
            for level in levels
        ]
    same(found[10], found[1e9], tolerance)


def test_queries_needed_by_a_pilot():
    found = queries_needed(A, B)
    differences = B - A
    assert found == queries_needed(
        difference=differences.mean(), standard_deviation=differences.std(ddof=1)
    )
    a = np.append(A, NAN)
    assert queries_needed(a, np.append(B, 1)) == found
    assert queries_needed(a, np.append(B, 1), power=0.9) > found


def test_queries_needed_where_there_is_no_answer():
    assert queries_needed(A, A) == INF
    assert queries_needed(difference=0, standard_deviation=0.1) == INF
    assert queries_needed(difference=0.1, standard_deviation=0) == 2
    with pytest.warns(UndefinedMetricWarning, match=r"^queries_needed \(b - a\) is undefined"):
        assert np.isnan(queries_needed([0.1], [0.2]))


@pytest.mark.parametrize("n_queries", [2, 3, 10, 50, 5000])
@pytest.mark.parametrize("level", [0.95, 0.999])
def test_the_detectable_difference_is_found_with_80_percent(n_queries, level):
    differences = np.random.default_rng(0).normal(size=n_queries)
    found = compare(np.zeros(n_queries), differences, confidence_level=level)
    effect = found.detectable_difference / differences.std(ddof=1)
    same(power_by_hand(effect, n_queries, 1 - level), 0.8, DIGITS_OF_NONCENTRAL_T)


def test_the_detectable_difference_of_a_one_sided_test():
    n_queries, differences = N_QUERIES, B - A
    greater, less = (compare(A, B, alternative=each) for each in ALTERNATIVES[1:])
    effect = greater.detectable_difference / differences.std(ddof=1)
    same(power_by_hand(effect, n_queries, tails=1), 0.8, DIGITS_OF_NONCENTRAL_T)
    assert less.detectable_difference == greater.detectable_difference
    assert greater.detectable_difference < compare(A, B).detectable_difference


def test_the_detectable_difference_of_very_many_queries(monkeypatch):
    exact = compare(A, B).detectable_difference
    monkeypatch.setattr("ranking_scores.significance._tests._LARGEST_FOR_T", 10)
    for alternative in ALTERNATIVES[:2]:
        found = compare(A, B, alternative=alternative).detectable_difference
        tails = 2 if alternative == "two-sided" else 1
        times = stats.norm.ppf(1 - 0.05 / tails) + stats.norm.ppf(0.8)
        same(found, times * stats.sem(B - A))
    assert compare(A, B).detectable_difference < exact


def test_a_difference_that_is_found_anyway():
    # A test at the level of 0.9 rejects more often than with a chance of 80 %.
    assert compare(A, B, confidence_level=0.1).detectable_difference == 0


# Resamples.


def test_random_state_is_that_of_scikit_learn():
    def pvalue(random_state):
        return compare(A, C, test="bootstrap", random_state=random_state).pvalue

    assert pvalue(0) == pvalue(0) == pvalue(np.random.RandomState(0)) != pvalue(1)
    assert pvalue(np.random.default_rng(0)) == pvalue(np.random.default_rng(0))
    generator = np.random.default_rng(0)
    assert len({pvalue(generator) for _ in range(5)}) > 1
    np.random.seed(0)  # noqa: NPY002
    assert pvalue(None) == pvalue(0)


def test_what_needs_no_resamples_draws_none():
    np.random.seed(0)  # noqa: NPY002
    generator, state = np.random.default_rng(0), np.random.RandomState(0)
    for random_state in (None, generator, state):
        compare(A, B, random_state=random_state)
        compare(A, B, test="wilcoxon", random_state=random_state)
        compare_all(SYSTEMS, correction="holm", random_state=random_state)
        confidence_interval(A, method="t", random_state=random_state)
    expected = np.random.RandomState(0).random()
    assert np.random.random() == expected == state.random()  # noqa: NPY002
    assert generator.random() == np.random.default_rng(0).random()


def test_memory_does_not_grow_with_resamples_times_columns():
    rng = np.random.default_rng(0)
    a = rng.random((10000, 15))
    b = a + rng.normal(scale=0.1, size=a.shape)
    calls = [
        lambda: confidence_interval(a, n_resamples=200, random_state=0),
        lambda: compare_all({"a": a, "b": b}, n_resamples=200, random_state=0),
        lambda: compare_all(
            {"a": a, "b": b}, n_resamples=200, test="bootstrap", correction=None, random_state=0
        ),
    ]
    for call in calls:
        tracemalloc.start()
        call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100e6  # the columns of all resamples would be 240 MB


@pytest.mark.slow
def test_errors_are_as_rare_as_they_are_said_to_be():
    """Each rate is at most the nominal one, within four standard deviations; t is no lower."""
    rng = np.random.default_rng(11)
    n_runs = 600
    names = [*TESTS, "max-t", "holm", "simultaneous"]
    errors = dict.fromkeys(names, 0)
    gains = np.array([0, 0.1, 0.3, 0.05])
    for _ in range(n_runs):
        of_query = rng.beta(0.7, 0.7, size=(25, 1))
        scores = np.clip(of_query + rng.normal(scale=0.2, size=(25, 4)), 0, 1)
        systems = dict(zip("abcd", scores.T, strict=True))
        params = {"n_resamples": 199, "random_state": int(rng.integers(2**31))}
        for test in TESTS:
            errors[test] += compare(systems["a"], systems["b"], test=test, **params).pvalue <= 0.05
        for correction in ("max-t", "holm"):
            found = compare_all(systems, correction=correction, **params)
            errors[correction] += found.is_significant.any()
        better = dict(zip("abcd", (scores + gains).T, strict=True))
        found = compare_all(better, **params)
        true = [
            gains["abcd".index(b)] - gains["abcd".index(a)]
            for a, b in itertools.combinations("abcd", 2)
        ]
        errors["simultaneous"] += not ((found.low <= true) & (true <= found.high)).all()
    deviation = (0.05 * 0.95 / n_runs) ** 0.5
    rates = {name: count / n_runs for name, count in errors.items()}
    assert max(rates.values()) <= 0.05 + 4 * deviation, rates
    for name in ("t", "bootstrap", "max-t", "simultaneous"):
        assert rates[name] >= 0.05 - 4 * deviation, rates
