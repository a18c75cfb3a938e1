"""Kendall's tau and the AP correlation: all pairs of orders, SciPy, and published numbers."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from raising import raises
from scipy.stats import kendalltau
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores._agreement import _measures
from ranking_scores._metrics._pairs import count_before
from ranking_scores.agreement import agreement_report, kendall_tau, pair_rankings, tau_ap

# The values are rounded a few times on the way, and those of SciPy as well.
TOLERANCE = 1e-14

CORRELATIONS = [kendall_tau, tau_ap]
IRCOR = json.loads((Path(__file__).parents[1] / "data" / "ircor_numbers.json").read_text("utf-8"))

FEW_SCORES = st.integers(2, 4).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)
)
TIED = np.random.default_rng(0).integers(0, 6, (2, 7, 12)).astype(float)


def orders(scores):
    """Return all orders of the items in which no item is above one with a higher score."""
    in_order = permutations(range(len(scores)))
    return [
        each
        for each in in_order
        if all(scores[one] >= scores[other] for one, other in pairwise(each))
    ]


def tau_of(reference, order):
    """Return Kendall's tau of two orders, pair by pair."""
    signs = [
        1 if reference.index(above) < reference.index(below) else -1
        for place, below in enumerate(order)
        for above in order[:place]
    ]
    return Fraction(sum(signs), len(signs))


def tau_ap_of(reference, order):
    """Return the AP correlation of an order with the reference, as Yilmaz et al. define it."""
    shares = [
        Fraction(
            sum(reference.index(above) < reference.index(below) for above in order[:place]), place
        )
        for place, below in enumerate(order)
        if place
    ]
    return 2 * sum(shares) / len(shares) - 1


def over_all_orders(of_orders, a, b):
    values = [of_orders(one, other) for one in orders(a) for other in orders(b)]
    return float(sum(values) / len(values))


@pytest.mark.parametrize(("score", "of_orders"), [(kendall_tau, tau_of), (tau_ap, tau_ap_of)])
def test_ties_are_averaged_over_all_pairs_of_orders(score, of_orders):
    @settings(max_examples=12, deadline=None)
    @given(FEW_SCORES)
    def check(scores):
        a, b = scores
        assert score(a, b, ids=False) == pytest.approx(
            over_all_orders(of_orders, a, b), abs=TOLERANCE
        )

    check()


@pytest.mark.parametrize("shape", [(6, 2), (6, 9), (3, 150), (1, 2000)])
@pytest.mark.parametrize("n_scores", [3, 10**6])
def test_corrected_tau_is_that_of_scipy(shape, n_scores):
    rng = np.random.default_rng(shape[1])
    a, b = rng.integers(0, n_scores, (2, *shape))
    expected = [kendalltau(one, other).statistic for one, other in zip(a, b, strict=True)]
    found = kendall_tau(a, b, ties="corrected", average=None, ids=False)
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", IRCOR["expected"])
def test_the_ap_correlation_has_the_published_numbers(name):
    """The reference has no ties in the coefficient a of Urbano and Marrero."""
    found = IRCOR["scores"][name]
    expected = IRCOR["expected"][name]
    x, y = found["x"], found["y"]
    tied_x, tied_y = found["x.ties"], found["y.ties"]
    values = {
        "tauAP": tau_ap(x, y),
        "tauAP_a": tau_ap(x, tied_y),
        "tauAP_b": tau_ap(x, y, ties="corrected"),
        "tauAP_b.ties": tau_ap(tied_x, tied_y, ties="corrected"),
    }
    assert values == pytest.approx(expected, abs=5e-5)
    assert tau_ap(tied_y, tied_x, ties="corrected") == values["tauAP_b.ties"]


@pytest.mark.parametrize("n_items", [1, 7, 60, 700])
def test_higher_and_equal_levels_before_each_item_are_counted(n_items):
    """Few items are compared one by one, and many digit by digit."""
    rng = np.random.default_rng(n_items)
    lengths = np.array([n_items, 0, 3, n_items // 2])
    for n_levels in (1, 4, 500):
        level = rng.integers(0, n_levels, lengths.sum())
        higher, equal = count_before(level, lengths)
        start = np.repeat(np.cumsum(lengths) - lengths, lengths)
        before = [level[first:item] for item, first in enumerate(start)]
        pairs = list(zip(before, level, strict=True))
        assert higher.tolist() == [(each > own).sum() for each, own in pairs]
        assert equal.tolist() == [(each == own).sum() for each, own in pairs]


# --- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", CORRELATIONS)
@pytest.mark.parametrize("ties", ["mean", "corrected"])
def test_a_ranking_and_itself_or_its_reverse(score, ties):
    a = np.random.default_rng(1).permuted(np.tile(np.arange(9.0), (5, 1)), axis=1)
    assert score(a, a, ties=ties, average=None).tolist() == [1] * 5
    assert score(a, -a, ties=ties, average=None).tolist() == [-1] * 5
    tied = score(TIED[0], TIED[0], ties=ties, average=None)
    assert ((tied < 1) if ties == "mean" else (tied == 1)).all()


@pytest.mark.parametrize("score", CORRELATIONS)
@pytest.mark.parametrize("ties", ["mean", "corrected"])
def test_only_the_order_of_scores_counts(score, ties):
    a, b = TIED
    values = score(a, b, ties=ties, average=None)
    assert (np.abs(values) <= 1).all()
    rng = np.random.default_rng(0)
    items, queries = rng.permutation(a.shape[1]), rng.permutation(len(a))
    assert score(a[:, items], b[:, items], ties=ties, average=None).tolist() == values.tolist()
    changed = score(a[queries] ** 3 - 5, b[queries], ties=ties, average=None)
    assert changed.tolist() == values[queries].tolist()
    if ties == "mean":  # "corrected" counts ties in the reference as wrong in tau_ap
        assert score(-a, b, average=None).tolist() == (-values).tolist()


@pytest.mark.parametrize("ties", ["mean", "corrected"])
def test_which_rankings_may_change_places(ties):
    a, b = TIED
    assert kendall_tau(a, b, ties=ties) == kendall_tau(b, a, ties=ties)
    assert (tau_ap(a, b, ties=ties) == tau_ap(b, a, ties=ties)) == (ties == "corrected")


@pytest.mark.parametrize("score", CORRELATIONS)
@pytest.mark.parametrize("ties", ["mean", "corrected"])
@pytest.mark.parametrize("n_at_once", [2**15, 20, 1])
def test_the_bits_are_equal_in_all_layouts(monkeypatch, score, ties, n_at_once):
    a, b = TIED
    expected = score(a, b, ties=ties, average=None)
    monkeypatch.setattr(_measures, "_ITEMS_AT_ONCE", n_at_once)
    qid = np.repeat(np.arange(len(a)), a.shape[1])
    mixed = np.random.default_rng(0).permutation(qid.size)
    lists = [
        {
            f"q{query}": {f"d{item}": each for item, each in enumerate(row)}
            for query, row in enumerate(of)
        }
        for of in (a, b)
    ]
    tables = [
        pd.DataFrame({"query": qid, "item": np.tile(range(12), 7), "score": each.ravel()})[::-1]
        for each in (a, b)
    ]
    layouts = {
        "dense": score(a, b, ties=ties, average=None),
        "row": [score(one, other, ties=ties) for one, other in zip(a, b, strict=True)],
        "qid": score(
            *(each.ravel()[mixed] for each in (a, b)), qid=qid[mixed], ties=ties, average=None
        ),
        "sparse": score(*(sp.csr_array(each + 1) for each in (a, b)), ties=ties, average=None),
        "lists": score(*lists, ties=ties, average=None),
        "tables": score(*tables, ties=ties, average=None),
        "paired": score(pair_rankings(a, b), ties=ties, average=None),
    }
    for name, values in layouts.items():
        assert list(values) == expected.tolist(), name


# --- which items and queries count ---------------------------------------------------------------


@pytest.mark.parametrize("score", CORRELATIONS)
def test_only_items_count_that_both_have(score):
    a = {"x": ["a", "b", "c", "d"], "y": ["a", "b"], "z": ["a", "b", "c"], "only": ["a"]}
    b = {"x": ["e", "c", "a", "f", "d"], "y": ["b", "c"], "z": ["c", "b", "a"]}
    values = score(a, b, average=None)
    of_x = score({"x": ["a", "c", "d"]}, {"x": ["c", "a", "d"]})
    assert values.tolist() == pytest.approx([of_x, np.nan, -1], nan_ok=True)
    assert pair_rankings(a, b).n_shared.tolist() == [3, 1, 3]
    assert score(a, b) == pytest.approx((of_x - 1) / 2)
    assert score(a, b, replace_undefined_by=0) == pytest.approx((of_x - 1) / 3)
    weight = {"x": 3, "y": 5, "z": 1}
    assert score(a, b, sample_weight=weight) == pytest.approx((3 * of_x - 1) / 4)


@pytest.mark.parametrize("score", CORRELATIONS)
def test_no_pair_of_items_is_undefined(score):
    with pytest.warns(UndefinedMetricWarning, match=f"{score.__name__} is undefined"):
        assert np.isnan(score([[1.0], [2.0]], [[1.0], [2.0]]))
    for a, b in (([1, 1], [1, 2]), ([1, 2], [1, 1])):
        assert score(a, b) == 0
        assert np.isnan(score(a, b, ties="corrected", average=None)).all()
    with pytest.warns(UserWarning, match="No item of a query is in both"):
        values = score({"x": ["a"]}, {"x": ["b"]}, average=None)
    assert np.isnan(values).all()


@pytest.mark.parametrize("score", CORRELATIONS)
def test_a_dict_of_numbers_is_one_ranking_of_systems(score):
    people, model = {"x": 0.5, "y": 0.4, "z": 0.3}, {"z": 0.1, "x": 0.2, "y": 0.7, "w": 1}
    assert score(people, model) == score([3, 2, 1], [2, 3, 1], ids=False)
    assert score(people, model, average=None).shape == (1,)


def test_reports_have_both_correlations():
    report = agreement_report(*TIED, scores=["kendall_tau", "tau_ap"])
    assert report.mean["kendall_tau"] == kendall_tau(*TIED)
    assert report.per_query["tau_ap"].tolist() == tau_ap(*TIED, average=None).tolist()


@pytest.mark.parametrize("score", CORRELATIONS)
def test_what_is_refused(score):
    function = score.__name__
    with raises("ties", "'mean' or 'corrected'", function=function, got="'b'"):
        score([1, 2], [2, 1], ties="b")
    with raises("average", "'samples'", function=function):
        score([1, 2], [2, 1], average="micro")
    with raises("sample_weight", "of shape (1,)", function=function):
        score([1, 2], [2, 1], sample_weight=[1, 2], ids=False)
    with raises("b", "like a"):
        score([1, 2])
    with raises("a", "finite"):
        score([1, np.nan], [2, 1])
