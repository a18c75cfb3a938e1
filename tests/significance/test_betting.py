"""The test by betting, against bets on one query after the other in plain Python."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from raising import raises

from ranking_scores import ranking_report
from ranking_scores.significance import changes, compare, compare_all

NAN = np.nan
NAME = "ndcg@10"


def frame(values, name=NAME):
    """Return the values of a score, from 0 to 1, of each query."""
    return pd.DataFrame({name: values})


def largest_capital(differences, mean):
    """Return the largest capital of bets that the mean difference is above another one."""
    capitals, most = [1.0] * 9, 1.0
    for difference in differences:
        if not math.isnan(difference):
            odds = (1 + difference) / (1 + mean)
            for place, capital in enumerate(capitals):
                stake = capital * (place + 1) / 10
                capitals[place] = capital - stake + stake * odds
            most = max(most, sum(capitals) / 9)
    return most


def pvalues(differences, mean=0.0):
    """Return the p-values of the mean being higher than another one, and of its being lower."""
    return (
        1 / largest_capital(differences, mean),
        1 / largest_capital([-each for each in differences], -mean),
    )


def pair(shift, seed=0, n=80):
    """Return the scores of two systems, of which some are undefined."""
    rng = np.random.default_rng(seed)
    a = rng.beta(2, 2, n)
    b = np.clip(a + rng.normal(shift, 0.3, n), 0, 1)
    a[rng.random(n) < 0.1] = NAN
    return a, b


@pytest.mark.parametrize("shift", [-0.15, 0.0, 0.25])
def test_bets_are_those_on_one_query_after_the_other(shift):
    a, b = pair(shift)
    higher, lower = pvalues((b - a).tolist())
    expected = {"two-sided": min(1, 2 * min(higher, lower)), "greater": higher, "less": lower}
    for alternative, pvalue in expected.items():
        found = compare(frame(a), frame(b), test="betting", alternative=alternative)
        assert found.pvalue == pytest.approx(pvalue, rel=1e-9)
        share = 0.025 if alternative == "two-sided" else 0.05
        # Means that are rejected, just outside of the limits, and those that are not.
        for limit, side, place in ((found.low, 1, 0), (found.high, -1, 1)):
            if np.isinf(limit):
                assert (alternative, side) in (("less", 1), ("greater", -1))
                continue
            assert pvalues((b - a).tolist(), limit - side * 1e-6)[place] <= share
            assert pvalues((b - a).tolist(), limit + side * 1e-6)[place] > share


def test_the_interval_has_exactly_the_means_that_are_not_rejected():
    a, b = pair(0.1, seed=1)
    found = compare(frame(a), frame(b), test="betting", confidence_level=0.9)
    for mean in np.linspace(-0.99, 0.99, 67).tolist():
        is_rejected = 2 * min(pvalues((b - a).tolist(), mean)) <= 0.1
        assert is_rejected == (not found.low < mean < found.high)
    assert -1 < found.low < found.difference < found.high < 1


def test_a_margin_is_a_mean_to_bet_against():
    a, b = pair(0.02)
    found = compare(frame(a), frame(b), test="betting", margin=0.2)
    differences = (b - a).tolist()
    higher, lower = pvalues(differences, -0.2)[0], pvalues(differences, 0.2)[1]
    assert found.pvalue_noninferior == pytest.approx(higher, rel=1e-9)
    assert found.pvalue_equivalent == pytest.approx(max(higher, lower), rel=1e-9)
    with raises("margin", "below 1 if test='betting'", function="compare"):
        compare(frame(a), frame(b), test="betting", margin=1)


def test_rare_large_losses_make_few_false_alarms():
    # Most queries win a little, one in a hundred loses 0.9, and the mean is 0.
    rng = np.random.default_rng(0)
    differences = np.where(rng.random((120, 60)) < 0.01, -0.9, 0.9 / 99)
    differences += rng.normal(0, 0.01, differences.shape)
    names = [f"ndcg@{number}" for number in range(1, 61)]
    systems = {
        "a": pd.DataFrame(0 * differences + 0.95, columns=names),
        "b": pd.DataFrame(0.95 + differences, columns=names).clip(upper=1),
    }
    found = compare_all(systems, correction=None, test="betting")
    assert (found.pvalue <= 0.05).mean() <= 0.05
    assert (found.high < 0).mean() + (found.low > 0).mean() <= 0.05
    too_often = compare_all(systems, correction=None, test="sequential")
    assert (too_often.pvalue <= 0.05).mean() > 0.15


def test_a_look_with_more_queries_only_lowers_the_p_value():
    a, b = pair(0.1, seed=2)
    looks = [compare(frame(a[:n]), frame(b[:n]), test="betting") for n in (20, 40, 80)]
    assert looks[0].pvalue >= looks[1].pvalue >= looks[2].pvalue
    assert looks[0].low <= looks[1].low <= looks[2].low
    assert "valid however often they are looked at, in this order" in repr(looks[0])


def test_a_mean_that_moved_is_warned_of():
    # The first queries showed b to be lower, and it is not lower in the mean of all.
    b = np.repeat([0.3, 0.9], [40, 21])
    with pytest.warns(UserWarning, match=r"compare \(b - a\): the mean is not in the interval"):
        found = compare(frame(np.full(61, 0.5)), frame(b), test="betting")
    assert found.low < found.high < 0 < found.difference
    assert found.pvalue < 0.05
    assert found.direction == 0


def test_an_empty_interval_is_nan():
    b = np.repeat([0.1, 0.9], 300)
    with pytest.warns(UserWarning, match=r"compare \(b - a\): the mean is not in the interval"):
        found = compare(frame(np.full(600, 0.5)), frame(b), test="betting")
    assert np.isnan([found.low, found.high]).all()
    assert found.pvalue < 1e-9


def test_each_row_has_the_bets_of_its_own_queries():
    a, b = pair(0.2)
    c = np.clip(b - 0.1, 0, 1)
    names = {"a": a, "b": b, "c": c}
    systems = {name: frame(values) for name, values in names.items()}
    group = np.arange(len(a)) % 2
    found = compare_all(systems, correction="holm", by=group, test="betting")
    for row, plain in zip(found, found.pvalue_uncorrected, strict=True):
        own = group == row.group
        pairs = (frame(names[each][own]) for each in (row.system_a, row.system_b))
        alone = compare(*pairs, test="betting")
        assert (alone.pvalue, alone.low, alone.high) == (plain, row.low, row.high)


def test_differences_without_spread_need_no_warning():
    a = np.full(40, 0.25)
    found = compare(frame(a), frame(a + 0.5), test="betting")
    assert found.low < found.difference < found.high
    assert found.pvalue < 0.01
    assert compare(frame(a), frame(a), test="betting").pvalue == 1
    tiny = compare(frame(0 * a), frame(0 * a + 1e-310), test="betting")
    assert tiny.pvalue == 1
    assert tiny.high == pytest.approx(-tiny.low)


def test_the_bets_need_the_range_of_the_scores():
    a, b = pair(0.1)
    expected = "another test for values that may lie outside 0 to 1"
    with raises("test", expected, function="compare", advice="between 0 and 1 by definition"):
        compare(a, b, test="betting")
    with raises("test", "values of 'arp' that may lie outside 0 to 1", function="compare"):
        compare(frame(a + 1, "arp"), frame(b + 1, "arp"), test="betting")
    with raises("test", "values of 'ndcg@10' outside 0 to 1, such as 2.0000", function="compare"):
        compare(frame(a), frame(np.full(80, 2.0)), test="betting")
    with raises("test", "'bootstrap' if correction='max-t'", function="compare_all"):
        compare_all({"a": frame(a), "b": frame(b)}, test="betting")


def test_reports_know_their_scores():
    y_true = np.tile([1, 0, 0], (60, 1))
    old, new = (
        ranking_report(y_true, np.tile(scores, (60, 1)), scores="mrr@3", query_ids=range(60))
        for scores in ([1, 2, 3], [3, 2, 1])
    )
    found = changes(new, old, test="betting")
    assert found.scores["mrr@3"].verdict == "better"
    assert re.search(r"is at most 0.05, betting test$", found.scores["mrr@3"].reason)
    assert found.scores["mrr@3"].pvalue == compare(old, new, test="betting").pvalue
