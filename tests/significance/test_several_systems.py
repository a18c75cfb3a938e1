"""All pairs of several systems: rows as those of one pair, families, and corrections by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from paired_scores import ALTERNATIVES, INF, N_QUERIES, NAN, SYSTEMS, TESTS, A, B, C, same
from resamples import dense, seed_of
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores.significance import compare, compare_all
from ranking_scores.significance._resampling import flips

PAIRS = list(itertools.combinations(SYSTEMS, 2))


def test_all_pairs_or_all_against_the_baseline():
    found = compare_all(SYSTEMS, correction=None)
    assert list(zip(found.systems_a, found.systems_b, strict=True)) == PAIRS
    assert found.metrics is None
    against = compare_all(SYSTEMS, baseline="c", correction=None)
    assert against.systems_a == ("c", "c", "c")
    assert against.systems_b == ("a", "b", "d")
    assert (found.baseline, against.baseline) == (None, "c")


@pytest.mark.parametrize("test", TESTS)
def test_each_row_is_what_compare_gives(test):
    systems = {name: each[:20] for name, each in SYSTEMS.items()}
    found = compare_all(systems, test=test, correction=None, random_state=0, n_resamples=99)
    assert len(found) == len(list(found)) == len(PAIRS)
    for row, (a, b) in zip(found, PAIRS, strict=True):
        expected = compare(systems[a], systems[b], test=test, random_state=0, n_resamples=99)
        assert (row.system_a, row.system_b, expected.system_a, expected.system_b) == (
            a,
            b,
            "a",
            "b",
        )
        mine, other = vars(row), vars(expected)
        for key in mine.keys() - {"system_a", "system_b", "query_ids", "metric"}:
            if isinstance(mine[key], str) or mine[key] is None:
                assert mine[key] == other[key]
            else:
                same(mine[key], other[key])
    assert found[-1].system_b == found[np.int64(5)].system_b == "d"


@pytest.mark.parametrize("row", [slice(0, 2), ["a"], "a", 0.0])
def test_a_row_is_an_int(row):
    message = f"A row of Comparisons must be an int. Got {row!r} instead."
    message += " To select by name, use `to_frame`."
    with pytest.raises(TypeError) as caught:
        compare_all(SYSTEMS, correction=None)[row]
    assert str(caught.value) == message


@pytest.mark.parametrize("row", [6, -7, 99])
def test_a_row_that_is_not_there(row):
    message = f"^These Comparisons have 6 rows, counted from 0. Got {row} instead.$"
    with pytest.raises(IndexError, match=message):
        compare_all(SYSTEMS, correction=None)[row]


def largest_t_by_hand(systems, flipped, alternative="two-sided"):
    """Return the t statistic of each pair, and the largest one for each row of flips."""
    t = []
    for signs in 1 - 2 * np.vstack([np.zeros(flipped.shape[1]), flipped]):
        with np.errstate(divide="ignore", invalid="ignore"):
            pairs = [
                signs * (systems[b] - systems[a]) for a, b in itertools.combinations(systems, 2)
            ]
            t.append([each.mean() / stats.sem(each) for each in pairs])
    t = np.array(t)
    t = {"two-sided": np.abs(t), "greater": t, "less": -t}[alternative]
    return t[0], t[1:].max(axis=1)


@pytest.mark.long
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_queries", [8, 30])
def test_max_t_by_hand(n_queries, alternative):
    systems = {name: scores[:n_queries] for name, scores in SYSTEMS.items()}
    found = compare_all(systems, alternative=alternative, n_resamples=299, random_state=2)
    flipped = dense(flips(299, seed_of(2))(n_queries), n_queries)
    assert len(flipped) == (255 if n_queries == 8 else 299)
    t, largest = largest_t_by_hand(systems, flipped, alternative)
    expected = [(1 + (largest >= each - 1e-9).sum()) / (1 + largest.size) for each in t]
    same(found.pvalue, expected)
    same(
        found.pvalue_uncorrected,
        compare_all(systems, alternative=alternative, correction="holm").pvalue_uncorrected,
    )
    # The critical value is that of the differences minus their mean.
    centred = {name: scores - scores.mean() for name, scores in systems.items()}
    _, largest = largest_t_by_hand(centred, flipped, alternative)
    critical = np.sort(largest)[::-1][int(0.05 * (1 + largest.size) + 1e-9) - 1]
    error = [stats.sem(systems[b] - systems[a]) for a, b in PAIRS]
    half = critical * np.array(error)
    same(found.low, found.difference - half if alternative != "less" else np.full(6, -INF), 1e-9)
    same(
        found.high, found.difference + half if alternative != "greater" else np.full(6, INF), 1e-9
    )
    assert "flips of centred differences, asymptotic" in repr(found)


def test_max_t_of_one_pair_is_the_permutation_test():
    found = compare_all({"a": A[:12], "b": B[:12]})
    same(found.pvalue, compare(A[:12], B[:12], test="permutation").pvalue)
    assert compare_all({"a": A, "b": B}, test="permutation").tests == ("permutation",)


def test_max_t_knows_how_systems_correlate():
    copies = {"a": A[:12], "b": B[:12]} | {f"b{number}": B[:12] for number in range(5)}
    found = compare_all(copies, baseline="a")
    same(found.pvalue, compare(A[:12], B[:12], test="permutation").pvalue)
    holm = compare_all(copies, baseline="a", correction="holm")
    same(holm.pvalue[0], 6 * holm.pvalue_uncorrected[0])


def test_max_t_where_nothing_can_be_told():
    systems = {"a": A[:3], "same": A[:3], "more": A[:3] + 0.1, "none": [NAN, 0.1, NAN]}
    message = r"^compare_all \(none - a, none - same, none - more\) are undefined: fewer than two"
    with pytest.warns(UndefinedMetricWarning, match=message):
        found = compare_all(systems)
    rows = {(row.system_a, row.system_b): row for row in found}
    assert rows["a", "same"].pvalue == 1
    assert rows["a", "more"].pvalue == 0.25  # 3 queries have 8 flips, of which 2 are as extreme
    assert (rows["a", "more"].low, rows["a", "more"].high) == (-INF, INF)
    assert np.isnan(rows["a", "none"].pvalue)
    assert np.isnan([rows["a", "none"].low, rows["a", "none"].high]).all()


def holm_by_hand(pvalues):
    """Return Holm's p-values: each is multiplied by the number of those that are not lower."""
    ordered = sorted(pvalues)
    stepped = [min(1, (len(ordered) - i) * p) for i, p in enumerate(ordered)]
    return [max(stepped[: ordered.index(p) + 1]) for p in pvalues]


def test_holm_and_benjamini_hochberg():
    raw = compare_all(SYSTEMS, correction=None)
    np.testing.assert_array_equal(raw.pvalue, raw.pvalue_uncorrected)
    holm = compare_all(SYSTEMS, correction="holm")
    same(holm.pvalue, holm_by_hand(raw.pvalue.tolist()))
    bh = compare_all(SYSTEMS, correction="bh")
    same(bh.pvalue, stats.false_discovery_control(raw.pvalue))
    for each in (holm, bh):
        np.testing.assert_array_equal(each.pvalue_uncorrected, raw.pvalue)
        np.testing.assert_array_equal(each.low, raw.low)
        assert (each.pvalue >= raw.pvalue).all()


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_a_system_without_scores_issues_one_warning(test):
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = compare_all({"a": A, "b": A * NAN}, test=test, n_resamples=39)
    assert np.isnan(found.pvalue).all()
    assert len(caught) == 1
    assert "sign flips" not in repr(found)


def test_names_with_commas_are_separated_by_semicolons():
    both = {"a": [[1, NAN]], "b": [[1, NAN]], "c": [[1, NAN]]}
    with pytest.warns(UndefinedMetricWarning) as caught:
        compare_all(both, baseline="a", correction=None)
    assert str(caught[0].message) == (
        "compare_all (b - a, column 0; c - a, column 0; b - a, column 1; c - a, column 1) are "
        "undefined: fewer than two queries have a score."
    )


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_what_is_undefined_is_in_no_family(correction):
    systems = {"a": A, "b": B, "c": C}
    with pytest.warns(UndefinedMetricWarning, match="fewer than two queries"):
        found = compare_all({**systems, "none": np.full(N_QUERIES, NAN)}, correction=correction)
    expected = compare_all(systems, correction=correction).pvalue
    np.testing.assert_array_equal(found.pvalue, [*expected[:2], NAN, expected[2], NAN, NAN])
    with pytest.warns(UndefinedMetricWarning, match="fewer than two queries"):
        alone = compare_all({"a": A[:1], "b": B[:1]}, correction=correction)
    assert np.isnan(alone.pvalue).all()


@pytest.mark.parametrize("correction", ["max-t", "holm", "bh", None])
def test_families_are_metrics_or_all(correction):
    both = {name: np.column_stack([each, each > 0.4]) for name, each in list(SYSTEMS.items())[:3]}
    params = {"correction": correction, "random_state": 0, "n_resamples": 199}
    found = compare_all(both, **params)
    assert found.metrics == ("column 0",) * 3 + ("column 1",) * 3
    assert found.systems_b == ("b", "c", "c") * 2
    alone = [
        compare_all({name: each[:, column] for name, each in both.items()}, **params)
        for column in (0, 1)
    ]
    same(found.pvalue, np.concatenate([each.pvalue for each in alone]))
    same(found.low, np.concatenate([each.low for each in alone]))
    together = compare_all(both, family="all", **params)
    if correction is None:
        same(together.pvalue, found.pvalue)
    elif correction == "max-t":
        assert (together.pvalue >= found.pvalue).all()
        assert (together.pvalue > found.pvalue).any()
    else:
        correct = {"holm": holm_by_hand, "bh": stats.false_discovery_control}[correction]
        same(together.pvalue, correct(found.pvalue_uncorrected.tolist()))


@pytest.mark.parametrize("correction", ["max-t", "holm"])
def test_rows_are_cut_into_chunks(monkeypatch, correction):
    both = {name: np.column_stack([each, each**2])[:17] for name, each in SYSTEMS.items()}
    params = {"test": "permutation", "correction": correction, "random_state": 0}
    expected = [compare_all(both, family=family, **params) for family in ("metric", "all")]
    monkeypatch.setattr("ranking_scores.significance._units._CELLS", 4 * 2**16)
    monkeypatch.setattr("ranking_scores.significance._max_t._CELLS", 2000)
    for family, each in zip(("metric", "all"), expected, strict=True):
        found = compare_all(both, family=family, **params)
        for key in ("pvalue", "pvalue_uncorrected", "low", "high", "wins", "difference"):
            same(getattr(found, key), getattr(each, key))


def test_one_pair_names_how_to_have_the_numbers_of_compare():
    systems = {"a": A, "b": B}
    line = "of one pair, correction=None has the numbers of `compare`"
    assert line in repr(compare_all(systems, random_state=0))
    assert line not in repr(compare_all({**systems, "c": B[::-1]}, random_state=0))
    [alone] = compare_all(systems, correction=None)
    pair = compare(A, B)
    assert line not in repr(alone)
    assert (alone.low, alone.high, alone.pvalue) == (pair.low, pair.high, pair.pvalue)
