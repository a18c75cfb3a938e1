"""Pairwise accuracy: pairs of items, counted one by one, and by other programs."""

from __future__ import annotations

import json
import tracemalloc
from bisect import bisect_left, bisect_right, insort
from fractions import Fraction
from importlib.util import find_spec
from unittest import mock

import make_pair_numbers
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.stats import kendalltau, somersd
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import roc_auc_score

from ranking_scores import grouped_auc_score, pairwise_accuracy_score, ranking_report
from ranking_scores._metrics import _pairs
from ranking_scores._queries import _blocks
from ranking_scores.ties import tie_report

# The other programs round on the way; here only the quotient is.
TOLERANCE = 1e-12
OF_FLOAT32 = 1e-6  # in which some of them work

RECORDED = json.loads(make_pair_numbers.PATH.read_text(encoding="utf-8"))


def share_of_pairs(labels, scores):
    """Return the share of the pairs in order, one by one; None if there is no pair."""
    items = list(zip(labels, scores, strict=True))
    in_order = [
        Fraction(int(score > other) + int(score >= other), 2)
        for label, score in items
        for lower, other in items
        if label > lower
    ]
    return sum(in_order) / len(in_order) if in_order else None


def counted_by_score(labels, scores):
    """Return the same of many items, each score being looked up among those of lower labels."""
    twice_in_order = n_pairs = 0
    lower: list[float] = []
    for label in np.unique(labels):
        same = scores[labels == label].tolist()
        for score in same:
            twice_in_order += bisect_left(lower, score) + bisect_right(lower, score)
        n_pairs += len(same) * len(lower)
        for score in same:
            insort(lower, score)
    return twice_in_order / (2 * n_pairs)


# Few labels of each kind: grades, negative ones, fractions, sizes that no float tells apart, and
# those that are whole but far apart, or too far apart to be subtracted.
LABELS = {
    "grades": (np.int8, [0, 1, 2, 3, 4]),
    "signed": (np.int8, [-128, -1, 0, 127]),
    "unsigned": (np.uint64, [0, 2**63, 2**63 + 1, 2**64 - 1]),
    "wide": (np.int64, [-(2**63), -(2**62), 2**60, 2**60 + 1]),
    "far apart": (np.int64, [0, 1, 1000, 10**9]),
    "bools": (np.bool_, [False, True]),
    "halves": (np.float16, [-0.5, 0.0, -0.0, 1.5]),
    "singles": (np.float32, [1e-40, 0.1, 16777216, 16777218]),
    "doubles": (np.float64, [-1e308, -1e-320, 0.0, -0.0, 1.0, np.nextafter(1, 2), 1e308]),
    "long doubles": (np.longdouble, [0, 1, np.nextafter(np.longdouble(1), 2), 2]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_every_pair_is_counted(kind):
    dtype, values = LABELS[kind]

    @settings(deadline=None)
    @given(
        lengths=st.lists(st.integers(0, 30), min_size=1, max_size=4),
        n_scores=st.sampled_from([1, 2, 5, 1000]),
        seed=st.integers(0, 2**32 - 1),
        few=st.sampled_from([0, 1, _pairs._FEW]),
    )
    def equal_the_textbook(lengths, n_scores, seed, few):
        rng = np.random.default_rng(seed)
        shape = len(lengths), max(*lengths, 1)
        y_true = rng.choice(np.array(values, dtype), shape)
        y_score = rng.integers(0, n_scores, shape) / 2
        where = np.array([rng.permutation(shape[1]) < length for length in lengths])
        with mock.patch.object(_pairs, "_FEW", few):
            accuracy = pairwise_accuracy_score(y_true, y_score, where=where, average=None)
        for labels, scores, is_item, value in zip(y_true, y_score, where, accuracy, strict=True):
            exact = share_of_pairs(labels[is_item], scores[is_item])
            assert np.isnan(value) if exact is None else value == float(exact)

    equal_the_textbook()


@pytest.mark.parametrize("few", [1, _pairs._FEW])
@pytest.mark.parametrize("n_labels", [2, 5, 400, 10**6])
@pytest.mark.parametrize("n_scores", [20, 10**6])
def test_long_lists_are_counted_exactly(n_labels, n_scores, few):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, n_labels, 3001), rng.integers(0, n_scores, 3001)
    with mock.patch.object(_pairs, "_FEW", few):
        assert pairwise_accuracy_score([labels], [scores]) == counted_by_score(labels, scores)


@pytest.mark.parametrize("n_scores", [3, 10**6])
@pytest.mark.parametrize("n_items", [2, 9, 300])
def test_labels_of_two_values_have_the_bits_of_the_auc(n_items, n_scores):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (50, n_items)), rng.integers(0, n_scores, (50, n_items))
    qid = rng.permutation(np.repeat(np.arange(50), n_items))
    for arguments in (
        {"y_true": y_true, "y_score": y_score},
        {"y_true": sp.csr_array(y_true), "y_score": y_score},
        {"y_true": y_true, "y_score": y_score, "where": rng.random(y_true.shape) < 0.7},
        {"y_true": y_true.ravel(), "y_score": y_score.ravel(), "qid": qid},
        {"y_true": y_true[:, 0], "y_score": y_score, "labels": np.arange(n_items)},
    ):
        auc = grouped_auc_score(**arguments, average=None)
        accuracy = pairwise_accuracy_score(**arguments, average=None)
        assert accuracy.tobytes() == auc.tobytes()
        assert pairwise_accuracy_score(**arguments) == grouped_auc_score(**arguments)
    # Any two labels, whatever they are.
    accuracy = pairwise_accuracy_score(np.where(y_true, 7.5, -1e9), y_score, average=None)
    assert accuracy.tobytes() == grouped_auc_score(y_true, y_score, average=None).tobytes()


def test_other_programs_agree_on_each_query():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(-2, 3, (20, 40)), rng.integers(0, 12, (20, 40))
    accuracy = pairwise_accuracy_score(y_true, y_score, average=None)
    for labels, scores, value in zip(y_true, y_score, accuracy, strict=True):
        of_scores_given_labels = somersd(labels, scores).statistic
        assert value == pytest.approx((1 + of_scores_given_labels) / 2, rel=TOLERANCE)
        of_two_kinds = pairwise_accuracy_score([labels > 0], [scores])
        assert of_two_kinds == pytest.approx(roc_auc_score(labels > 0, scores), rel=TOLERANCE)


def test_without_ties_it_is_kendalls_tau_from_0_to_1():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random((2, 20, 40))
    accuracy = pairwise_accuracy_score(y_true, y_score, average=None)
    for labels, scores, value in zip(y_true, y_score, accuracy, strict=True):
        tau = kendalltau(labels, scores).statistic
        assert value == pytest.approx((1 + tau) / 2, rel=TOLERANCE)


def test_by_hand():
    # In order are 3 > 1, 3 > 0, 3 > 2 and 1 > 0; 1 and 0 are above 2.
    assert pairwise_accuracy_score([[3, 1, 0, 2]], [[4, 3, 2, 1]]) == 4 / 6
    assert pairwise_accuracy_score([[3, 1, 0, 2]], [[4, 3, 2, 3]]) == (5 + 1 / 2) / 6
    assert pairwise_accuracy_score([[1, 2, 3]], [[1, 2, 3]]) == 1.0
    assert pairwise_accuracy_score([[1, 2, 3]], [[-1, -2, -3]]) == 0.0
    assert pairwise_accuracy_score([[1, 2, 3]], [[5, 5, 5]]) == 0.5


def test_a_query_without_two_unequal_labels_has_none():
    y_true, y_score = [[3, 3], [0, 0], [0, 1]], [[1, 2], [1, 2], [1, 2]]
    assert np.isnan(pairwise_accuracy_score(y_true, y_score, average=None)).tolist() == [1, 1, 0]
    assert pairwise_accuracy_score(y_true, y_score) == 1.0
    assert pairwise_accuracy_score(y_true, y_score, replace_undefined_by=0.25) == 0.5
    one_left = [[True, True], [False, False], [True, False]]
    with pytest.warns(UndefinedMetricWarning, match="pairwise_accuracy_score is undefined"):
        assert np.isnan(pairwise_accuracy_score(y_true, y_score, where=one_left))


def test_pairs_weigh_the_same_if_queries_weigh_as_many_as_they_have():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, 60), rng.integers(0, 9, 60)
    qid = rng.integers(0, 8, 60)
    in_order = n_pairs = 0
    weight = np.zeros(60)
    for query in np.unique(qid):
        labels = y_true[qid == query]
        n = int((labels[:, None] > labels).sum())
        weight[qid == query] = n
        in_order += n * share_of_pairs(labels.tolist(), y_score[qid == query].tolist())
        n_pairs += n
    micro = pairwise_accuracy_score(y_true, y_score, qid=qid, sample_weight=weight)
    assert micro == pytest.approx(float(in_order / n_pairs), rel=TOLERANCE)


def test_a_long_query_takes_memory_for_its_items_and_not_for_its_pairs():
    rng = np.random.default_rng(0)
    labels, scores = rng.random((1, 100_000)), rng.random((1, 100_000)).round(4)
    tracemalloc.start()
    accuracy = pairwise_accuracy_score(labels, scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert abs(accuracy - 0.5) < 0.01
    assert peak < 200 * labels.size  # a byte for each pair is 10 GB


def test_beside_scores_of_few_ranks_all_items_are_ranked():
    # Few of these labels are read for the cutoff alone, and 0 gains nothing.
    rng = np.random.default_rng(0)
    y_true = rng.integers(-1, 2, (3, 3000)) * (rng.random((3, 3000)) < 0.05)
    y_score = rng.random((3, 3000))
    for labels in (y_true, sp.csr_array(y_true)):
        for n_cells in (_blocks._BLOCK_CELLS, 16):
            with mock.patch.object(_blocks, "_BLOCK_CELLS", n_cells):
                report = ranking_report(labels, y_score, scores=["mrr@1", "pairwise_accuracy"])
            alone = pairwise_accuracy_score(labels, y_score, average=None)
            assert report.per_query["pairwise_accuracy"].tolist() == alone.tolist()
            assert alone.tolist() == list(map(counted_by_score, y_true, y_score))


# --- what other libraries answer, as recorded in data/pair_numbers.json ------------------------


def arrays_of(case):
    """Return labels, scores and where items take part, of a recorded case."""
    y_true, y_score = (np.array(RECORDED["cases"][case][name]) for name in ("y_true", "y_score"))
    where = RECORDED["cases"][case]["where"]
    return y_true, y_score, np.ones(y_true.shape, bool) if where is None else np.array(where)


def numbers_of_pairs(y_true, where):
    """Return how many pairs of unequal labels each query has, and how many pairs of any."""
    is_higher = y_true[:, :, None] > y_true[:, None]
    n_items = where.sum(axis=1)
    both = where[:, :, None] & where[:, None]
    return (is_higher & both).sum(axis=(1, 2)), n_items * (n_items - 1) // 2


@pytest.mark.parametrize("library", RECORDED["libraries"])
@pytest.mark.parametrize("case", RECORDED["cases"])
def test_other_libraries_answer_the_same_where_no_scores_tie(case, library):
    y_true, y_score, where = arrays_of(case)
    n_pairs, n_of_any = numbers_of_pairs(y_true, where)
    params = {"where": where, "replace_undefined_by": 0.0, "average": None}
    report = tie_report(y_true, y_score, score=pairwise_accuracy_score, **params)
    # A pair of equal scores is out of order there, as it is in the worst order.
    assert (report.worst < report.expected).tolist() == [case == "ties"] * len(y_true)
    per_query, weight = {
        "rax": (report.worst, where.any(axis=1)),
        "TF-Ranking": (report.worst, n_pairs),
        # A pair of equal labels is out of order there too.
        "torchrec": (report.worst * n_pairs / np.maximum(n_of_any, 1), n_of_any),
    }[library]
    recorded = RECORDED["libraries"][library]["results"][case]
    assert recorded["per_query"] == pytest.approx(per_query, rel=OF_FLOAT32)
    mean = np.average(per_query, weights=weight)
    assert recorded["all"] == pytest.approx(mean, rel=OF_FLOAT32)


def test_the_recorded_cases_are_those_of_the_script():
    assert make_pair_numbers.cases() == RECORDED["cases"]
    assert [each.name for each in make_pair_numbers.LIBRARIES] == [*RECORDED["libraries"]]


@pytest.mark.parametrize("library", make_pair_numbers.LIBRARIES, ids=lambda each: each.name)
def test_installed_libraries_still_answer_what_is_recorded(library):
    if find_spec(library.module) is None:
        pytest.skip(f"{library.name} is not installed")
    answers = make_pair_numbers.entry_of(library, RECORDED["cases"])["results"]
    for case, recorded in RECORDED["libraries"][library.name]["results"].items():
        for name, answer in answers[case].items():
            assert answer == pytest.approx(recorded[name], rel=OF_FLOAT32)
