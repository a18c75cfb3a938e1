"""What a printed mean allows to say: equal to what the scores of the queries give."""

from __future__ import annotations

import json
import math
import warnings
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, strategies as st
from raising import raises

from ranking_scores.__main__ import main
from ranking_scores.significance import (
    audit,
    compare,
    compare_all,
    confidence_interval,
    queries_needed,
)


@pytest.mark.parametrize(("n_hits", "n_queries"), [(0, 5), (3, 10), (39, 39), (20, 50), (90, 90)])
def test_the_widest_interval_is_that_of_hits(n_hits, n_queries):
    hits = np.repeat([1.0, 0.0], [n_hits, n_queries - n_hits])
    interval = confidence_interval(hits, confidence_level=0.9)
    printed = audit(n_hits / n_queries, n_queries, confidence_level=0.9)
    assert printed.widest.interval == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert printed.widest.standard_deviation == pytest.approx(hits.std(), abs=1e-15)


@pytest.mark.parametrize(("mean", "baseline"), [(0.4, 0.3), (0.3, 0.4), (0.9, 0.5), (0.7, 0.7)])
def test_the_widest_difference_is_that_of_systems_that_disagree_most(mean, baseline):
    n = 20
    ours = np.arange(n) < round(n * mean)
    theirs = np.arange(n) >= n - round(n * baseline)
    found = compare(theirs * 1.0, ours * 1.0)  # "auto" has Tango's interval
    printed = audit(mean, n, baseline)
    assert printed.difference == pytest.approx(found.difference)
    assert printed.widest.difference_interval == pytest.approx((found.low, found.high), abs=1e-9)
    deviation = (ours * 1.0 - theirs).std()
    if mean != baseline:
        needed = queries_needed(difference=mean - baseline, standard_deviation=deviation)
        assert printed.widest.queries_needed == needed


def test_the_typical_numbers_are_those_of_scores_with_this_spread():
    n, deviation, correlation = 30, 0.2, 0.5
    rng = np.random.default_rng(0)
    raw, _ = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, 2))]))
    one = raw[:, 1:] * math.sqrt(n - 1) * deviation
    ours = 0.5 + one[:, 0]
    theirs = 0.42 + correlation * one[:, 0] + math.sqrt(1 - correlation**2) * one[:, 1]
    largest = math.sqrt(0.5 * 0.5), math.sqrt(0.42 * 0.58)
    theirs = 0.42 + (theirs - 0.42) * largest[1] / largest[0]
    found = compare(theirs, ours, test="t")
    printed = audit(0.5, n, 0.42, standard_deviation=deviation, correlation=correlation).typical
    assert printed.difference_interval == pytest.approx((found.low, found.high))
    assert printed.pvalue == pytest.approx(found.pvalue)
    interval = confidence_interval(ours, method="t")
    assert printed.interval == pytest.approx((interval.low, interval.high))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=7))
def test_no_scores_have_a_larger_spread_or_a_smaller_p_value(pairs):
    ours, theirs = np.array(pairs).T / 4
    printed = audit(ours.mean(), len(pairs), theirs.mean())
    assert ours.std() <= printed.widest.standard_deviation + 1e-12
    if printed.difference:
        found = compare(theirs, ours, test="permutation")
        assert found.pvalue >= printed.smallest_pvalue
    else:
        assert printed.smallest_pvalue == 1


@pytest.mark.parametrize(("n", "hits", "others"), [(10, 7, 3), (10, 3, 7), (50, 21, 20)])
def test_the_smallest_p_value_of_hits_counts_the_changes(n, hits, others):
    ours, theirs = (np.repeat([1.0, 0.0], [each, n - each]) for each in (hits, others))
    found = compare(theirs, ours, test="permutation", n_resamples=99, random_state=0)
    printed = audit(hits / n, n, others / n, is_binary=True)
    assert printed.smallest_pvalue == 2.0 ** (1 - abs(hits - others))
    assert found.pvalue >= printed.smallest_pvalue
    assert printed.typical == printed.widest


@pytest.mark.parametrize(
    ("given", "options", "name"),
    [
        ((0.433, 10), {}, "mean 0.433"),
        ((0.4, 10, 0.433), {}, "baseline 0.433"),
        ((43.3, 10), {"score_range": (0, 100)}, "mean 43.3"),
        ((0.43, 10), {"is_binary": False}, ""),
        ((0.333, 3, 0.66), {}, ""),
        ((43.0, 7), {"score_range": (0, 100)}, ""),
        ((1 / 3, 3), {}, ""),
    ],
)
def test_means_that_no_number_of_hits_gives_are_named(given, options, name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        audit(*given, **{"is_binary": True, **options})
    found = [str(each.message) for each in caught]
    assert [each.partition(" is that of no number of hits among 10")[0] for each in found] == (
        [f"audit: the {name}"] if name else []
    )


def test_another_range_has_the_same_numbers_in_its_units():
    share, percent = audit(0.43, 50, 0.41), audit(43, 50, 41, score_range=(0, 100))
    for one, other in ((share.typical, percent.typical), (share.widest, percent.widest)):
        for name in ("standard_deviation", "interval", "difference_interval"):
            expected = np.multiply(getattr(one, name), 100)
            np.testing.assert_allclose(getattr(other, name), expected, rtol=1e-9)
        assert other.pvalue == pytest.approx(one.pvalue)
        assert other.queries_needed == pytest.approx(one.queries_needed, abs=1)
    above = audit(3.0, 20, score_range=(1, 5)).widest.interval
    assert above == pytest.approx(np.multiply(audit(0.5, 20).widest.interval, 4) + 1)


@pytest.mark.parametrize("mean", [0.5, 0.05, 0.999])
@pytest.mark.parametrize("n", [2, 3, 4, 40])
def test_the_typical_spread_says_at_least_as_much_as_the_widest(mean, n):
    for baseline, correlation in ((0.3, 0.7), (0.95, -0.9)):
        found = audit(mean, n, baseline, correlation=correlation)
        typical, widest = found.typical, found.widest
        for name in ("interval", "difference_interval"):
            (low, high), (lowest, highest) = getattr(typical, name), getattr(widest, name)
            assert lowest <= low < high <= highest
        assert typical.pvalue <= widest.pvalue
        assert typical.queries_needed <= widest.queries_needed
    assert audit(0.5, 2).typical.interval == audit(0.5, 2).widest.interval  # t has 0 to 1


def test_limits_stay_in_the_range_and_one_query_says_little():
    assert audit(0.95, 4, 0.1).typical.interval[1] <= 1
    alone = audit(0.5, 1, 0.4)
    assert alone.typical == alone.widest
    assert alone.smallest_pvalue == alone.typical.pvalue == 1
    sure = audit(1, 50)  # all scores are 1
    assert sure.typical == sure.widest


def test_it_prints_a_table_with_what_it_rests_on():
    text = repr(audit(0.9, 3, 0.5))
    assert "no scores of the queries could make this difference significant" in text
    assert "the smallest p-value that any scores could have, by sign flips: 0.25" in text
    text = repr(audit(0.43, 50))
    assert "p-value" not in text
    assert "95 % intervals for 50 queries with scores from 0 to 1" in text
    assert audit(0.43, 50, 0.41).to_markdown().startswith("|  | value | low |")


def test_few_queries_are_said_to_be_too_few_by_comparisons():
    few = "With 3 queries, no permutation test can give p < 0.25"
    assert few in repr(compare([0.1, 0.2, 0.3], [0.3, 0.3, 0.5]))
    assert few not in repr(compare([0.1, 0.2, 0.3] * 2, [0.3, 0.3, 0.5] * 2))
    one_sided = compare([0.1, 0.2, 0.3], [0.3, 0.3, 0.5], alternative="greater")
    assert "can give p < 0.125" in repr(one_sided)
    with pytest.warns(UserWarning, match="effective clusters"):
        clusters = compare([0.1, 0.2, 0.3, 0.2], [0.3, 0.3, 0.5, 0.1], clusters=[1, 1, 2, 3])
    assert "With 3 clusters, no permutation test can give p <" in repr(clusters)
    several = compare_all({"a": [0.1, 0.2, 0.3], "b": [0.3, 0.3, 0.5], "c": [0.2, 0.1, 0.6]})
    assert few in repr(several)


RANGE = "two finite numbers, the lowest score and a higher one"


@pytest.mark.parametrize(
    ("parameter", "value", "key"),
    [
        ("mean", 43, "a number from 0 to 1, the range of the scores"),
        ("mean", math.nan, "a number from 0 to 1"),
        ("mean", None, "a number from 0 to 1"),
        ("baseline", -0.1, "a number from 0 to 1"),
        ("n_queries", 0, "an int of at least 1"),
        ("n_queries", True, "an int of at least 1"),
        ("score_range", (1, 0), RANGE),
        ("score_range", 1, RANGE),
        ("score_range", (0, math.inf), RANGE),
        ("standard_deviation", 0, "None or a finite number above 0"),
        ("standard_deviation", 0.6, "at most 0.5171, since no scores with this mean"),
        ("correlation", 1, "at least -1 and below 1"),
        ("is_binary", 1, ""),
        ("power", 1, "between 0 and 1"),
        ("confidence_level", 95, "between 0 and 1"),
    ],
)
def test_errors_name_the_parameter(parameter, value, key):
    with raises(parameter, key, function="audit"):
        audit(**{"mean": 0.43, "n_queries": 12} | {parameter: value})


def test_the_command_prints_the_same_without_files(capsys):
    def printed(*argv):
        return main(["--audit", *argv]), *capsys.readouterr()

    result = audit(0.43, 50, 0.41)
    assert printed("0.43", "0.41", "50") == (0, f"{result!r}\n", "")
    markdown = audit(0.43, 50, confidence_level=0.9).to_markdown()
    options = ["--format", "markdown", "--confidence", "0.9"]
    assert printed("0.43", "50", *options) == (0, f"{markdown}\n", "")
    status, text, _ = printed("0.43", "0.41", "50", "--format", "json")
    assert json.loads(text) == json.loads(json.dumps(asdict(result)))
    assert (
        json.loads(printed("0.4", "0.4", "9", "--format", "json")[1])["typical"]["queries_needed"]
        is None
    )
    for argv, message in (
        (["0.4"], "takes a mean, the mean of a baseline if there is one, and a number of queries"),
        (["0.4", "9.5"], "the number of queries must be an int of at least 1. Got 9.5"),
        (["4", "9"], "the mean must be a number from 0 to 1"),
        (["0.4", "9", "--ties"], "of the options --confidence and --format alone. Got --ties."),
        (["0.4", "9", __file__], "takes no files, only numbers. Got"),
        (["0.4", "9", "--format", "json", "runs"], "takes no files, and of the options"),
    ):
        status, text, error = printed(*argv)
        assert (status, text) == (2, "")
        assert message in error
    assert main(["--help-all"]) == 0
    assert "MEAN [BASELINE]" in capsys.readouterr().out
