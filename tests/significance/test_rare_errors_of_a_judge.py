"""Scores by a model that nearly always agrees with people, who see few of its errors or none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize, stats

from ranking_scores import ranking_report
from ranking_scores.gates import check
from ranking_scores.significance import compare, confidence_interval

CLOSE = 1e-9  # limits are found by bisection
N = 2000


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=CLOSE)


def judged(values, n_human):
    """Return values with NaN where people did not judge, which is from some query on."""
    human = np.array(values, dtype=float)
    human[n_human:] = np.nan
    return human


def with_errors(n_errors, n_human=50, n_hits=35, n_all=400):
    """Return scores of 0 and 1 by a model and by people, who differ on so many of theirs."""
    place = np.arange(n_all) % n_human
    truth = (place < n_hits).astype(float)
    model = np.where(place >= n_human - n_errors, 1, truth)  # misses that it calls a success
    return model, judged(truth, n_human)


def most_of(n_errors, n, level=0.95):
    """Return the upper limit of a share: it gives so few errors in 1 - level of the cases."""
    if n_errors == n:
        return 1.0
    return optimize.brentq(lambda q: stats.binom.cdf(n_errors, n, q) - 1 + level, 0, 1)


def estimate_by_hand(model, human, spread=1.0, few=10):
    """Return mean, standard error and weight, with the variance that the errors may have."""
    is_human = ~np.isnan(human)
    y, f, others = human[is_human], model[is_human], model[~is_human]
    n, n_others, e = len(y), len(others), y - f
    errors, variance = e[e != 0], e.var(ddof=1)
    if len(errors) < few:
        most = most_of(len(errors), n)
        size, square = (errors.mean(), (errors**2).mean()) if len(errors) else (0, spread**2)
        variance = max(variance, (most * square - (most * size) ** 2) * n / (n - 1))
    covariance = (y.var(ddof=1) + f.var(ddof=1) - variance) / 2
    weight = np.clip(covariance / (f.var(ddof=1) * (1 + n / n_others)), 0, 1)
    mean = (y - weight * f).mean() + weight * others.mean()
    residual = y.var(ddof=1) - 2 * weight * covariance + weight**2 * f.var(ddof=1)
    square = residual / n + weight**2 * others.var(ddof=1) / n_others
    return mean, np.sqrt(square), weight, np.sqrt(variance / n)


@pytest.mark.parametrize("n_errors", [0, 1, 9, 10, 14])
def test_variance_of_few_errors_is_that_of_their_upper_limit(n_errors):
    model, human = with_errors(n_errors)
    found = confidence_interval(model, human=human)
    mean, error, weight, bias_error = estimate_by_hand(model, human)
    same([found.mean, found.standard_error, found.human.weight], [mean, error, weight])
    bias = n_errors / 50
    same(found.human.bias, bias)
    same(found.human.bias_high, bias + stats.t.ppf(0.975, 49) * bias_error)
    worth = 0.7 * 0.3 * 50 / 49 / error**2
    same(found.human.worth, worth)
    exact = [stats.beta.ppf(0.025, mean * worth, (1 - mean) * worth + 1)]
    exact.append(stats.beta.ppf(0.975, mean * worth + 1, (1 - mean) * worth))
    z = stats.norm.ppf(0.975)
    middle = (mean + z**2 / 2 / worth) / (1 + z**2 / worth)
    half = z / (1 + z**2 / worth) * np.sqrt(mean * (1 - mean) / worth + (z / 2 / worth) ** 2)
    same([found.low, found.high], exact if worth < 40 else [middle - half, middle + half])
    assert found.method == "ppi-share"
    assert "prediction-powered, for scores of 0 and 1" in repr(found)


def test_people_alone_if_the_model_says_nothing():
    model, human = with_errors(0)
    alone = confidence_interval(human[:50])
    for useless in (1 - model, np.ones(400)):
        found = confidence_interval(useless, human=human)
        same([found.mean, found.low, found.high], [alone.mean, alone.low, alone.high])
        same(found.human.worth, 50)
    all_hit = confidence_interval(model, human=judged(np.ones(400), 50))
    assert (all_hit.low, all_hit.high) == (confidence_interval(np.ones(50)).low, 1)


@pytest.mark.parametrize("weight", [None, np.full(400, 2.0)], ids=["alone", "equal weights"])
def test_errors_of_other_scores(weight):
    rng = np.random.default_rng(0)
    truth = 1 / rng.integers(1, 9, 400)
    model, human = truth.copy(), judged(truth, 30)
    model[:2] += np.array([0.25, 0.5])
    for values in (truth, model):
        found = confidence_interval(values, human=human, sample_weight=weight)
        spread = max(values.max(), truth.max()) - truth.min()
        mean, error, weight_of_model, bias_error = estimate_by_hand(values, human, spread)
        same([found.mean, found.standard_error], [mean, error])
        same(found.human.weight, weight_of_model)
        same([found.low, found.high], stats.t.interval(0.95, 28, mean, error))
        of_bias = stats.t.interval(0.95, 29, found.human.bias, bias_error)
        same([found.human.bias_low, found.human.bias_high], of_bias)
    shifted = confidence_interval(model + 4, human=human + 4, sample_weight=weight)
    same([shifted.low - 4, shifted.human.worth], [found.low, found.human.worth])


def test_a_constant_error_says_nothing_of_rarer_ones():
    truth = np.random.default_rng(0).integers(0, 64, 400) / 64
    with pytest.warns(UserWarning, match="by people's never differ by another amount"):
        found = confidence_interval(truth + 0.25, human=judged(truth, 50))
    same((found.human.correlation, found.human.bias_high), (1, 0.25))


@pytest.mark.parametrize(("n_human", "rate"), [(20, 0.7), (50, 0.7), (50, 0.9)])
def test_intervals_of_shares_cover(n_human, rate):
    rng, shape = np.random.default_rng(1), (N, 200)
    truth = rng.random(shape) < rate
    model = truth | (rng.random(shape) < 0.03 / (1 - rate))  # 3 % too many
    human = judged(truth, n_human)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*no random part")
        found = confidence_interval(model.astype(float), human=human)
    assert np.mean((found.low <= rate) & (found.high >= rate)) >= 0.95
    alone = confidence_interval(human[:n_human])
    assert np.mean(found.high - found.low) < 0.97 * np.mean(alone.high - alone.low)


# Differences.


def pair(seed, n_human, share=0.03, n_all=N):
    """Return two systems of which each wins on 5 %, and a model that errs on the second one."""
    rng = np.random.default_rng(seed)
    level = rng.random(n_all)
    a = level < 0.7
    b = a ^ (level < 0.05) ^ (level > 0.95)
    by_model = b | (rng.random(n_all) < share / 0.3)
    a, b, by_model = (each.astype(float) for each in (a, b, by_model))
    return a, by_model, (judged(a, n_human), judged(b, n_human))


@pytest.mark.filterwarnings("ignore:.*no random part")
@pytest.mark.parametrize(("n_human", "share", "n_all"), [(20, 0.03, N), (100, 0.01, 10_000)])
def test_equal_systems_are_seldom_told_apart(n_human, share, n_all):
    n_sets, n_found, width = 60, 0, []
    for seed in range(n_sets):
        a, b, human = pair(seed, n_human, share, n_all)
        found = compare(a, b, human=human)
        assert (found.pvalue <= 0.05) == (found.low > 0 or found.high < 0)
        n_found += found.pvalue <= 0.05
        alone = compare(*(each[:n_human] for each in human))
        width.append((found.high - found.low) / (alone.high - alone.low))
    assert n_found <= 0.07 * n_sets
    assert np.mean(width) < 0.97


def score_statistic(difference, wins, losses, n):
    """Return Tango's statistic, from the most likely share of losses."""

    def unlikely(q):
        shares = q + difference, q, 1 - 2 * q - difference
        counts = wins, losses, n - wins - losses
        return -sum(k * np.log(p) for k, p in zip(counts, shares, strict=True))

    ends = max(0, -difference) + 1e-12, (1 - difference) / 2 - 1e-12
    q = optimize.minimize_scalar(unlikely, bounds=ends, options={"xatol": 1e-12}).x
    return (wins - losses - n * difference) / np.sqrt(n * (2 * q + difference - difference**2))


def test_difference_of_shares_is_that_of_so_many_queries():
    a, b, human = pair(0, 200)
    found = compare(a, b, human=human, margin=0.05)
    mean, error, weight, _ = estimate_by_hand(b - a, human[1] - human[0])
    same([found.difference, found.human.weight], [mean, weight])
    d = (human[1] - human[0])[:200]
    worth = d.var(ddof=1) / error**2
    same(found.human.worth, worth)
    share = np.mean(d != 0)
    counts = (share + mean) / 2 * worth, (share - mean) / 2 * worth, worth
    z = stats.norm.ppf(0.975)
    for limit, expected in ((found.low, z), (found.high, -z)):
        assert score_statistic(limit, *counts) == pytest.approx(expected, abs=1e-4)
    p = 2 * stats.norm.sf(abs(score_statistic(0, *counts)))
    assert found.pvalue == pytest.approx(p, abs=1e-5)
    below = stats.norm.sf(score_statistic(-0.05, *counts))
    above = stats.norm.cdf(score_statistic(0.05, *counts))
    assert found.pvalue_noninferior == pytest.approx(below, abs=1e-5)
    assert found.pvalue_equivalent == pytest.approx(max(below, above), abs=1e-5)
    assert found.test == "ppi-share"
    assert "prediction-powered score test" in repr(found)
    more = compare(a, b, human=human, alternative="greater", confidence_level=0.975)
    same([more.low, more.pvalue], [found.low, stats.norm.sf(score_statistic(0, *counts))])
    assert more.high == np.inf


def test_model_without_a_say_leaves_the_limits_of_people_alone():
    a, b, human = pair(0, 30)
    found, alone = (
        compare(b, a, human=human),
        compare(*(each[:30] for each in human), test="mcnemar"),
    )
    assert found.human.weight == 0
    same([found.difference, found.low, found.high], [alone.difference, alone.low, alone.high])


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_scores_that_are_all_0_or_all_1_say_as_much_of_the_bias(score):
    """Of 50 queries without a disagreement, up to 5.8 % may have one."""
    labels = np.full(400, score)
    human = np.where(np.arange(400) < 50, score, np.nan)
    most = 1 - 0.05 ** (1 / 50)
    half = stats.t.ppf(0.975, 49) * np.sqrt(most / 49)
    for found in (
        confidence_interval(labels, human=human),
        compare(labels, labels, human=(human, human)),
    ):
        assert [found.human.bias_low, found.human.bias_high] == pytest.approx([-half, half])


def test_systems_that_never_differ():
    a, _, (human, _) = pair(0, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = compare(a, a, human=(human, human), margin=0.05, alternative="greater")
    alone = compare(a[:30], a[:30], alternative="greater", margin=0.05)
    same([found.low, found.pvalue], [alone.low, 1])
    same(found.pvalue_noninferior, alone.pvalue_noninferior)
    assert "none of 30 queries judged by people changed" in repr(found)
    assert "as precise as 30 queries judged by people; 30 were" in repr(found)


def test_text_without_a_number_of_queries_that_all_is_worth():
    with pytest.warns(UserWarning, match="no width"):
        found = confidence_interval(np.arange(90.0) % 9, human=judged(np.full(90, 0.5), 30))
    assert "30 queries judged by people, too few or too alike to say more" in repr(found)


# Gates.

RNG = np.random.default_rng(1)
LABELS = np.column_stack([np.ones((400, 1)), RNG.integers(0, 2, (400, 4))])
OLD = RNG.random((400, 5))
NEW = np.vstack([OLD[:300], RNG.random((100, 5))])


def reports(scores, n_human):
    """Return reports of two systems that only differ where people did not judge."""
    human = np.where(np.arange(400)[:, np.newaxis] < n_human, LABELS, np.nan)
    return [ranking_report(LABELS, each, scores=scores, human=human) for each in (NEW, OLD)]


def gate(*given, **asked):
    """Return what the gate says, which warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return check(*given, **asked, rule="surely not worse")


@pytest.mark.parametrize("score", ["ndcg@5", "hit_rate@1"])
def test_gate_says_how_many_queries_without_a_change_would_do(score):
    [condition] = found = gate(*reports(score, 30), max_drop=0.05)
    assert condition.verdict == "undecided"
    assert condition.low < -0.05 < 0.05 < condition.high
    assert "width" not in repr(found)
    count = condition.n_queries_needed
    assert condition.reason == (
        "people's labels show no change of the mean: too few queries to tell if the drop is above "
        f"0.05, {count} judged by people would do"
    )
    assert 30 < count < 200
    assert gate(*reports(score, count), max_drop=0.05)[0].verdict == "passed"
    if score == "ndcg@5":
        assert gate(*reports(score, count - 1), max_drop=0.05)[0].verdict == "undecided"


def test_gate_on_a_share_says_how_many_queries_would_do():
    [condition] = gate(reports("hit_rate@1", 30)[0], at_least=0.5)
    assert condition.verdict == "undecided"
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    alone = z**2 * 0.25 / (condition.mean - 0.5) ** 2
    expected = alone * 30 / condition.human.worth
    assert condition.n_queries_needed == pytest.approx(expected, abs=3)
