"""The bounds of scores over the labels of unjudged items: every labelling is tried here."""

import importlib.util
import itertools
import json
import random
import warnings
from functools import partial
from pathlib import Path

import defined
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import (
    StreamingScore,
    bpref_score,
    dcg_score,
    expected_reciprocal_rank_score,
    from_lists,
    from_table,
    from_tables,
    judged_at_k_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    recall_at_k_score,
    scale,
)
from ranking_scores.__main__ import main
from ranking_scores._metrics import SCORES, _completions, _shared_labels
from ranking_scores.report import read_report
from ranking_scores.significance import compare
from ranking_scores.streaming import read_stream
from ranking_scores.trec import read_qrels, read_run
from ranking_scores.unjudged import ItemToJudge, ScoreBounds, items_to_judge, score_bounds

pytestmark = pytest.mark.filterwarnings("ignore:.*one item each")

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
NAN = float("nan")

OPTIONS = [
    ("ndcg", {"k": [1, 2, 3, None]}),
    ("ndcg", {"k": [2, None], "gain": "exponential"}),
    ("ndcg", {"k": 2, "relevance_threshold": 2}),
    ("ndcg", {"k": 3, "gain": [0, 2, 1, 5]}),
    ("ndcg", {"k": [2, None], "gain": [0.5, 1, 4, 8]}),
    ("ndcg", {"k": 2, "gain": [0.5, 1, 4, 8]}),
    ("dcg", {"k": [1, 3, None]}),
    ("dcg", {"discount": lambda rank: 1.5 - rank}),
    ("dcg", {"k": 2, "gain": [0, -1, 2, 3]}),
    ("map", {"k": [1, 2, 3, None]}),
    ("map", {"k": 2, "denominator": "achievable"}),
    ("mrr", {"k": [1, 2, None]}),
    ("mrr", {"k": 2, "relevance_threshold": 2}),
    ("precision", {"k": [1, 3]}),
    ("precision", {"k": 3, "denominator": "retrieved"}),
    ("recall", {"k": [1, 3]}),
    ("recall", {"k": [1, None], "relevance_threshold": 0}),
    ("recall", {"k": 2, "relevance_threshold": 0}),
    ("f1", {"k": [1, None], "beta": 2}),
    ("hit_rate", {"k": [1, 3]}),
    ("err", {"k": [1, 3, None]}),
    ("rbp", {"persistence": 0.8}),
    ("r_precision", {}),
    ("auc", {}),
    ("pairwise_accuracy", {}),
    ("arp", {}),
    ("bpref", {}),
    ("all_relevant", {"k": 2}),
    ("alpha_ndcg", {"k": [2, None]}),
]
every_score = pytest.mark.parametrize(
    ("name", "options"),
    OPTIONS,
    ids=[f"{name} {number}" for number, (name, _) in enumerate(OPTIONS)],
)
DENSE_ALONE = ("auc", "pairwise_accuracy", "arp")


class Case:
    """A few queries with unknown labels, ranked by one system or two, and all their labellings."""

    def __init__(self, rng, name, *, n_systems=1):
        self.max_grade = rng.choice([1, 1, 2, 3])
        n_items = rng.randint(1, 6 if self.max_grade == 1 else 4)
        shape = rng.randint(1, 3), n_items
        grades = [NAN, NAN, 0, 1, self.max_grade]

        def draw(values):
            return np.array(
                [[rng.choice(values) for _ in range(shape[1])] for _ in range(shape[0])]
            )

        self.labels = draw(grades).astype(float)
        self.scores = [draw([1, 2, 3, 4]).astype(float) for _ in range(n_systems)]
        self.is_found = [np.ones(shape, dtype=bool)] * n_systems
        self.is_sparse = name not in DENSE_ALONE and rng.random() < 0.5
        if self.is_sparse:
            self.is_found = [draw([True, True, False]) for _ in range(n_systems)]
        self.options = {"average": None}
        if defined.takes(SCORES[name], "ignore_ties"):
            self.options["ignore_ties"] = rng.random() < 0.3
        if not defined.is_always_defined(SCORES[name]):
            self.options["replace_undefined_by"] = rng.choice([0.0, 0.5, 1.0, NAN])

    @property
    def y_true(self):
        if not self.is_sparse:
            return self.labels
        row, column = np.nonzero(~np.isnan(self.labels))
        return sp.csr_array((self.labels[row, column], (row, column)), shape=self.labels.shape)

    def y_score(self, system, rows=slice(None), n=1):
        """Return the scores of some queries, each of them n times."""
        scores = np.repeat(self.scores[system][rows], n, axis=0)
        if not self.is_sparse:
            return scores
        row, column = np.nonzero(np.repeat(self.is_found[system][rows], n, axis=0))
        return sp.csr_array((scores[row, column], (row, column)), shape=scores.shape)

    def values(self, query, name, options):
        """Return the score, or the difference, of each labelling of a query."""
        labels = self.labels[query]
        unknown = np.flatnonzero(np.isnan(labels) & np.logical_or.reduce(self.is_found)[query])
        grades = range(self.max_grade + 1)
        given = [*itertools.product(grades, repeat=unknown.size)]
        completed = np.tile(labels if name == "bpref" else np.nan_to_num(labels), (len(given), 1))
        completed[:, unknown] = given
        values = [
            SCORES[name](
                completed,
                self.y_score(system, slice(query, query + 1), len(given)),
                **options,
                **self.options,
            ).reshape(len(given), -1)
            for system in range(len(self.scores))
        ]
        return values[0] if len(values) == 1 else values[1] - values[0]

    def bounds(self, name, options):
        """Return the bounds of the score, or of the difference."""
        score = SCORES[name]
        if name == "err":  # the scale may be longer than the labels that unjudged items have
            score = partial(score, max_grade=3)
        other = {} if len(self.scores) == 1 else {"other": self.y_score(1)}
        return score_bounds(
            self.y_true,
            self.y_score(0),
            score=score,
            max_grade=self.max_grade,
            **other,
            **options,
            **self.options,
        )


def assert_bounds(case, name, options):
    bounds = case.bounds(name, options)
    options = options | {"max_grade": 3} if name == "err" else options
    for query in range(len(case.labels)):
        values = case.values(query, name, options)
        with np.errstate(invalid="ignore"):
            expected = np.fmin.reduce(values), np.fmax.reduce(values)
        found = [np.ravel(each[query]) for each in (bounds.low, bounds.high)]
        if not np.isnan(case.labels[query]).all():
            of_zeros = np.ravel(bounds.not_relevant[query])
            np.testing.assert_allclose(of_zeros, values[0], rtol=1e-12, atol=1e-12)
        if bounds.is_exact[query]:
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        else:
            assert not (found[0] > expected[0] + 1e-12).any()
            assert not (found[1] < expected[1] - 1e-12).any()
            assert (np.isnan(found[0]) <= np.isnan(expected[0])).all()
    return bounds


@every_score
def test_bounds_are_those_of_all_labellings(name, options):
    rng = random.Random(f"{name} {len(options)}")
    for _ in range(40):
        assert assert_bounds(Case(rng, name), name, options).is_exact.all()


@every_score
def test_differences_are_those_of_all_labellings(name, options):
    rng = random.Random(f"{name} {len(options)} of two")
    for _ in range(25):
        case = Case(rng, name, n_systems=2)
        assert assert_bounds(case, name, options).is_exact.all()


@pytest.mark.slow
@every_score
def test_bounds_of_many_cases(name, options):
    @settings(deadline=None, max_examples=150)
    @given(seed=st.integers(0, 2**32), n_systems=st.sampled_from([1, 2]))
    def holds(seed, n_systems):
        assert_bounds(Case(random.Random(seed), name, n_systems=n_systems), name, options)

    holds()


@every_score
@pytest.mark.parametrize("most", [0.5, 3])
def test_differences_of_many_unknown_items_are_surely_outside(name, options, most, monkeypatch):
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", most)
    rng = random.Random(f"{name} {len(options)} outside")
    are_exact = [
        each
        for _ in range(25)
        for each in assert_bounds(Case(rng, name, n_systems=2), name, options).is_exact
    ]
    has_one_gain = options.get("relevance_threshold") == 0 and most > 1
    assert all(are_exact) == has_one_gain


def test_differences_are_tried_up_to_a_number_of_ways(monkeypatch):
    one, two = [[4, 3, 2, 1], [1, 2, 3, 4]]
    call = partial(score_bounds, [[NAN, NAN, NAN, 1]], [one], other=[two], score="map")
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", 8)
    assert call().is_exact
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", 7)
    bounds = call()
    # What is surely outside are the ends of both systems, as if their labels could differ.
    ends = [score_bounds([[NAN, NAN, NAN, 1]], [each], score="map") for each in (one, two)]
    assert not bounds.is_exact
    assert bounds.low == ends[1].low - ends[0].high
    assert bounds.high == ends[1].high - ends[0].low


@pytest.mark.parametrize("n_relevant", range(1, 12))
def test_bpref_of_items_that_tie_with_unjudged_ones_is_at_most_1(n_relevant):
    for n_unjudged in range(1, 8):
        y_true = [[1.0] * n_relevant + [NAN] * n_unjudged]
        assert bpref_score(y_true, np.zeros((1, n_relevant + n_unjudged))) <= 1


def test_bounds_of_bpref_are_from_0_to_1_if_not_all_items_are_ranked(monkeypatch):
    judgments = {"a": {"x": 1, "y": 0}}
    one, two = (from_lists(judgments, {"a": [*items]}) for items in ("uxy", "vxy"))
    call = partial(score_bounds, one, other=two, score="bpref", average=None)
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", 1)
    for replacement, largest in ((0.0, 1), (0.5, 1), (3.0, 3), (-2.0, 3)):
        bounds = call(replace_undefined_by=replacement)
        assert (bounds.low, bounds.high, bounds.is_exact) == (-largest, largest, False)


@every_score
def test_condensed_lists_are_those_without_the_unknown_items(name, options):
    rng = random.Random(f"{name} {len(options)} condensed")
    score = partial(SCORES[name], **{"max_grade": 3} if name == "err" else {})
    for _ in range(25):
        case = Case(rng, name)
        found = np.reshape(case.bounds(name, options).condensed, (len(case.labels), -1))
        for query, labels in enumerate(case.labels):
            kept = ~(np.isnan(labels) & case.is_found[0][query])
            labels = labels if name == "bpref" else np.nan_to_num(labels)
            scores = np.where(case.is_found[0][query] & kept, case.scores[0][query], 0)
            if not kept.any():
                continue
            arguments = [[labels[kept]], [scores[kept]]]
            if case.is_sparse:
                column = np.flatnonzero(scores[kept])
                stored = sp.csr_array(
                    (scores[kept][column], (np.zeros_like(column), column)), shape=(1, kept.sum())
                )
                arguments = [arguments[0], stored]
            expected = np.ravel(score(*arguments, **options, **case.options))
            np.testing.assert_allclose(found[query], expected, rtol=1e-12)


def test_bounds_of_pairs_are_tried_up_to_a_number_of_ways(monkeypatch):
    # Two items and three grades have six ways that fall. With one more of either it is ten.
    y_true, y_score = [[NAN, NAN, 2, 1]], [[4, 3, 2, 1]]
    call = partial(score_bounds, y_true, y_score, score="pairwise_accuracy", max_grade=2)
    three = partial(score_bounds, [[NAN, NAN, NAN, 1]], y_score, score="pairwise_accuracy")
    monkeypatch.setattr(_completions, "_MOST_VECTORS", 10)
    assert three(max_grade=2, replace_undefined_by=0.5).is_exact
    assert call(max_grade=3).is_exact
    monkeypatch.setattr(_completions, "_MOST_VECTORS", 9)
    assert not three(max_grade=2, replace_undefined_by=0.5).is_exact
    assert not call(max_grade=3).is_exact
    monkeypatch.setattr(_completions, "_MOST_VECTORS", 6)
    assert call() == call()
    assert call().is_exact
    monkeypatch.setattr(_completions, "_MOST_VECTORS", 5)
    bounds = call()
    # One pair is known, and in order. The five others might be in order, or not.
    assert (bounds.low, bounds.high, bounds.is_exact) == (1 / 6, 1, False)
    low = call(replace_undefined_by=0.0).low
    assert low == 0
    unknown = partial(score_bounds, [[NAN] * 3], [[3, 2, 1]], score="pairwise_accuracy")
    with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
        unknown(max_grade=2)
    assert unknown(max_grade=2, average=None).high == 1
    second = partial(score_bounds, [[2, 1, 0], [NAN] * 3], [[3, 2, 1]] * 2, max_grade=2)
    with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 1"):
        second(score="pairwise_accuracy")
    # Of three known pairs two are in order, and an unknown item is in 12 of 15 pairs.
    long = [[NAN, NAN, NAN, 1, 2, 0]], [[6, 5, 4, 3, 2, 1]]
    bounds = score_bounds(*long, score="pairwise_accuracy", max_grade=2)
    assert (bounds.low, bounds.high, bounds.is_exact) == (2 / 15, 14 / 15, False)


@pytest.mark.parametrize(
    ("name", "max_grade"), [("auc", 2), ("pairwise_accuracy", 1), ("err", 2), ("arp", 2)]
)
def test_only_pairs_of_several_grades_may_have_too_many_labellings(name, max_grade, monkeypatch):
    monkeypatch.setattr(_completions, "_MOST_VECTORS", 1)
    case = Case(random.Random(1), name)
    case.max_grade, case.is_sparse = max_grade, False
    case.labels = np.array([[NAN, 0, 1, NAN, 0], [1, NAN, 0, 0, 1], [0, 1, NAN, 1, 1]])
    case.scores, case.is_found = [np.array([[1, 2, 2, 3, 4]] * 3)], [np.ones((3, 5), dtype=bool)]
    case.options = {"average": None, "replace_undefined_by": 0}
    assert assert_bounds(case, name, {}).is_exact.all()


def test_bounds_of_pairs_with_too_many_labellings_are_surely_outside(monkeypatch):
    monkeypatch.setattr(_completions, "_MOST_VECTORS", 3)
    rng, are_exact = random.Random(1), []
    for _ in range(60):
        case = Case(rng, "pairwise_accuracy")
        are_exact += assert_bounds(case, "pairwise_accuracy", {}).is_exact.tolist()
    assert set(are_exact) == {True, False}


def test_blocks_of_completions_that_are_cut_give_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 4, (7, 30)).astype(float)
    y_true[rng.random(y_true.shape) < 0.4] = NAN
    y_score = rng.integers(0, 9, y_true.shape)
    for k in (5, None):
        call = partial(score_bounds, y_true, y_score, k=k, max_grade=3, average=None)
        expected = [call(score=score) for score in ("ndcg", "map", "mrr")]
        with monkeypatch.context() as patch:
            patch.setattr(_completions, "queries_per_block", lambda width: 2)
            patch.setattr(_completions, "_MOST_CELLS", 5)
            patch.setattr(_shared_labels, "queries_per_block", lambda width: 2)
            assert [call(score=score) for score in ("ndcg", "map", "mrr")] == expected


# --- what the numbers mean ---------------------------------------------------------------------


def test_the_ends_are_not_those_of_none_and_all():
    # A relevant item at the last rank raises the ideal by more than it adds.
    y_true, y_score = [[1, NAN, NAN]], [[3, 2, 1]]
    none, every = ([[1, 0, 0]], [[1, 1, 1]])
    bounds = score_bounds(y_true, y_score, score="recall@2")
    assert recall_at_k_score(none, y_score, k=2) == 1
    assert recall_at_k_score(every, y_score, k=2) == 2 / 3
    assert (bounds.low, bounds.high) == (0.5, 1)


def test_the_highest_ndcg_needs_grades_between():
    y_true, y_score = [[2, NAN, NAN]], [[1, 3, 2]]
    values = {
        labels: ndcg_score([[2, *labels]], y_score)
        for labels in itertools.product(range(4), repeat=2)
    }
    bounds = score_bounds(y_true, y_score, score="ndcg", max_grade=3)
    assert bounds.high == max(values.values())
    assert max(values, key=values.get) not in set(itertools.product((0, 3), repeat=2))


def test_the_highest_ndcg_of_many_queries_has_several_grades():
    # In one block, so that queries have different numbers of unknown items. (3, 2, 2) is the best
    # of the first query, and no labels with one grade beside 0 are as good.
    rows = [
        [NAN, 1, NAN, NAN, 2],
        [NAN, 0, NAN, 2, 1],
        [NAN, 1, NAN, 2, 0],
        [3, NAN, NAN, NAN, NAN],
        [2, 1, 0, 3, NAN],
        [1, 0, 0, 2, 3],
    ]
    y_score = np.tile(np.arange(5, 0, -1), (len(rows), 1))
    for k in (None, 3, [2, 4]):
        params = {"k": k, "gain": "exponential", "average": None}
        bounds = score_bounds(rows, y_score, score="ndcg", max_grade=3, **params)
        for query, labels in enumerate(rows):
            unknown = np.flatnonzero(np.isnan(labels))
            given = [*itertools.product(range(4), repeat=unknown.size)]
            completed = np.tile(labels, (len(given), 1))
            completed[:, unknown] = given
            values = ndcg_score(completed, np.tile(y_score[0], (len(given), 1)), **params)
            np.testing.assert_allclose(bounds.high[query], values.max(axis=0), rtol=1e-12)
            np.testing.assert_allclose(bounds.low[query], values.min(axis=0), rtol=1e-12)


def test_the_highest_ndcg_is_found_in_several_steps():
    # The labels that are best for the ratio of the first step are not the best ones.
    row, y_score = [NAN, 0, 1, NAN, 1, 1, NAN], [np.arange(7, 0, -1)]
    values = {}
    for labels in itertools.product(range(3), repeat=3):
        completed = [[labels[0], 0, 1, labels[1], 1, 1, labels[2]]]
        values[labels] = ndcg_score(completed, y_score, gain="exponential")
    assert max(values, key=values.get) == (2, 1, 0)
    bounds = score_bounds([row], y_score, score="ndcg", gain="exponential", max_grade=2)
    assert bounds.high == pytest.approx(values[2, 1, 0], rel=1e-12)
    assert bounds.low == pytest.approx(min(values.values()), rel=1e-12)


def test_what_stands_beside_the_bounds():
    y_true, y_score = [[NAN, 1, 0, NAN], [1, 0, 0, 0]], [[4, 3, 2, 1]] * 2
    bounds = score_bounds(y_true, y_score, score="map", average=None)
    np.testing.assert_array_equal(bounds.not_relevant, [0.5, 1])
    np.testing.assert_array_equal(bounds.condensed, [1, 1])
    np.testing.assert_array_equal(bounds.n_unjudged, [2, 0])
    assert score_bounds(y_true, y_score, score="map").n_unjudged == 2
    # bpref itself leaves unjudged items out, so it is that of condensed lists.
    bpref = score_bounds(y_true, y_score, score="bpref", average=None)
    np.testing.assert_array_equal(bpref.condensed, [1, 1])
    np.testing.assert_array_equal(bpref.not_relevant, [0, 1])


def test_no_label_changes_what_was_judged():
    y_true, y_score = [[NAN, 1, 0, NAN]], [[4, 3, 2, 1]]
    bounds = score_bounds(y_true, y_score, score="judged@2")
    assert bounds.low == bounds.high == bounds.not_relevant == bounds.condensed == 0.5
    both = score_bounds(y_true, y_score, other=[[1, 2, 3, 4]], score="judged@2")
    assert both.low == both.high == both.not_relevant == 0
    both = score_bounds(y_true, y_score, other=[[1, 4, 3, 2]], score="judged@2")
    assert both.low == both.high == both.not_relevant == 0.5
    for other, expected in (({}, [0, 0.5]), ({"other": [[1, 4, 3, 2]] * 3}, [1, 0.5])):
        several = score_bounds(
            y_true * 3, y_score * 3, **other, score="judged", k=[1, 2], average=None
        )
        np.testing.assert_array_equal(several.low, [expected] * 3)
        np.testing.assert_array_equal(several.high, [expected] * 3)
        assert several.is_exact.tolist() == [True] * 3


def test_weights_of_queries_and_several_cutoffs():
    y_true, y_score = [[NAN, 1], [1, NAN]], [[2, 1], [2, 1]]
    bounds = score_bounds(
        y_true, y_score, score=precision_at_k_score, k=[1, 2], sample_weight=[3, 1]
    )
    np.testing.assert_array_equal(bounds.low, [0.25, 0.5])
    np.testing.assert_array_equal(bounds.high, [1, 1])
    assert bounds.is_exact is True


def test_items_of_a_sparse_matrix_that_were_not_retrieved_stay_as_they_are():
    y_true = sp.csr_array(([1.0], ([0], [0])), shape=(1, 5))
    y_score = sp.csr_array(([2.0, 1.0], ([0, 0], [1, 2])), shape=(1, 5))
    bounds = score_bounds(y_true, y_score, score="recall", k=2)
    assert bounds.low == 0
    assert bounds.high == 2 / 3
    assert bounds.n_unjudged == 2


def test_a_label_above_the_highest_one_that_is_known_is_warned_of():
    y_true, y_score = [[3, NAN, 0]], [[1, 2, 3]]
    with pytest.warns(UserWarning, match=r"max_grade=1 is below 3.*pass max_grade=3"):
        score_bounds(y_true, y_score, score="ndcg")
    with pytest.warns(UserWarning, match="max_grade=2 is below 3"):
        score_bounds(y_true, y_score, other=[[3, 2, 1]], score="ndcg", max_grade=2)
    with pytest.warns(UserWarning, match="ranking_report: max_grade=1"):
        ranking_report(y_true, y_score, scores="ndcg@2", unjudged=True)


def test_err_takes_the_grade_as_its_scale():
    y_true, y_score = [[NAN, 2, 0]], [[3, 2, 1]]
    bounds = score_bounds(y_true, y_score, score="err", max_grade=2)
    assert bounds.high == expected_reciprocal_rank_score([[2, 2, 0]], y_score, max_grade=2)
    own = partial(expected_reciprocal_rank_score, max_grade=4)
    bounds = score_bounds(y_true, y_score, score=own, max_grade=2)
    assert bounds.high == expected_reciprocal_rank_score([[2, 2, 0]], y_score, max_grade=4)


def test_scope_in_words():
    y_true, y_score = [[NAN, 1]], [[2, 1]]
    assert score_bounds(y_true, y_score, score="map").scope == (
        "1 item was retrieved and not judged. Each could have any label 0 or 1. The bounds leave "
        "out relevant items that the system did not retrieve and nobody judged."
    )
    scope = score_bounds(y_true, y_score, other=y_score, score="map", max_grade=3).scope
    assert "from 0 to 3, the same for both systems" in scope
    assert "neither system retrieved" in scope


def test_results_are_values():
    y_true, y_score = [[NAN, 1], [1, 0]], [[2, 1], [2, 1]]
    one, same, other = (
        score_bounds(y_true, y_score, score=score, average=None) for score in ("map", "map", "mrr")
    )
    assert one == same
    assert one != other or one == other  # of any values
    assert one != score_bounds(y_true, y_score, score="ndcg", average=None)
    assert one != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    first = "ScoreBounds(\n    of='score',\n    low=[0.5 1. ],\n    high=[1. 1.],\n"
    assert repr(one).startswith(first)
    assert "scope" not in repr(one)
    assert isinstance(one, ScoreBounds)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"score": "ndcg", "max_grade": 0}, "'max_grade'.*from 1 to 1000. Got 0"),
        ({"score": "ndcg", "max_grade": 1.5}, "'max_grade'"),
        ({"score": "ndcg", "max_grade": True}, "'max_grade'"),
        ({"score": "ndcg", "item_weight": [[1, 2]]}, "'item_weight'.*None, since items"),
        ({"score": "ranx:ndcg@10"}, "'score'.*measure of another program"),
        ({"score": "ndcg", "gain": [0, 1], "max_grade": 2}, "'max_grade'.*ndcg takes all labels"),
        ({"score": "ndcg", "discount": lambda rank: rank, "k": 2}, "'discount'.*never rise"),
        ({"score": "nonsense"}, "'score'"),
        ({"score": "ndcg", "other": [[1, 2, 3]]}, "'other' parameter of score_bounds.*shape"),
        ({"score": "ndcg", "other": [[1, NAN]]}, "'other' parameter of score_bounds.*finite"),
        ({"score": "ndcg", "other": sp.csr_array([[1, 2]])}, "'other'.*dense, as y_score is"),
        ({"score": "ndcg", "k": 0}, "'k' parameter of ndcg_score"),
        ({"score": "ndcg", "gain": "nonsense"}, "'gain' parameter of ndcg_score"),
        ({"score": "precision", "k": None}, "'k' parameter of precision_at_k_score"),
    ],
)
def test_arguments_that_are_refused(params, match):
    with pytest.raises(ValueError, match=match):
        score_bounds([[NAN, 1]], [[2, 1]], **params)


def test_dense_scores_are_not_compared_with_sparse_ones():
    # A score of 0 would be taken for an item that was not retrieved.
    y_true, dense, sparse = [[NAN, 1, 0]], [[0.0, 2.0, 1.0]], sp.csr_array([[3.0, 2.0, 1.0]])
    with pytest.raises(ValueError, match=r"'other'.*must be dense, as y_score is"):
        score_bounds(y_true, dense, other=sparse, score="map")
    with pytest.raises(ValueError, match=r"'other'.*must be sparse, as y_score is"):
        score_bounds(y_true, sparse, other=dense, score="map")


def test_the_mean_refuses_queries_that_count_with_some_labels_only():
    y_true, y_score = [[NAN, 0], [1, 0]], [[2, 1], [2, 1]]
    call = partial(score_bounds, y_true, y_score, score="mrr", replace_undefined_by=NAN)
    with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
        call()
    np.testing.assert_array_equal(call(average=None).low, [1, 1])
    with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
        call(other=[[1, 2], [1, 2]])
    back = partial(
        score_bounds, y_true[::-1], y_score, score="mrr", k=[1, 2], replace_undefined_by=NAN
    )
    for other in ({}, {"other": [[1, 2], [1, 2]]}):
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 1"):
            back(**other)
    assert score_bounds([[NAN, 1]], [[2, 1]], score="mrr", replace_undefined_by=NAN).low == 0.5


@pytest.mark.parametrize("most", [_completions._MOST_VECTORS, 1])
@pytest.mark.parametrize("name", ["mrr", "pairwise_accuracy"])
def test_a_query_without_weight_never_counts_in_the_mean(name, most, monkeypatch):
    monkeypatch.setattr(_completions, "_MOST_VECTORS", most)
    call = partial(
        score_bounds, [[NAN, 0, 0], [1, 2, 0]], [[3, 2, 1]] * 2, score=name, max_grade=2,
        replace_undefined_by=NAN,
    )  # fmt: skip
    for other in ({}, {"other": [[3, 1, 2]] * 2}):
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
            call(**other, sample_weight=[1, 1])
        alone = score_bounds(
            [[1, 2, 0]], [[3, 2, 1]], score=name, max_grade=2,
            **({"other": other["other"][:1]} if other else {}),
        )  # fmt: skip
        bounds = call(**other, sample_weight=[0, 1])
        assert (bounds.low, bounds.high) == (alone.low, alone.high)


def test_a_query_that_is_always_undefined_stays_out():
    y_true, y_score = [[0, 0], [1, NAN]], [[2, 1], [2, 1]]
    bounds = score_bounds(y_true, y_score, score="mrr", replace_undefined_by=NAN)
    assert (bounds.low, bounds.high) == (1, 1)
    y_true, other = [[0, 0], [1, 0], [1, NAN]], [[1, 2]] * 3
    bounds = score_bounds(y_true, [[2, 1]] * 3, other=other, score="mrr", replace_undefined_by=NAN)
    assert (bounds.low, bounds.high) == (-0.5, -0.25)
    with pytest.warns(UndefinedMetricWarning):
        bounds = score_bounds([[0, 0]], [[2, 1]], score="mrr", replace_undefined_by=NAN)
    assert np.isnan(bounds.low)


JUDGMENTS = {"a": {"x": 1, "y": 0}, "b": {"z": 2}}
ONE = {"a": ["u", "x", "v"], "b": ["w", "z"]}
TWO = {"a": ["x", "y", "u"], "b": ["z", "t"]}


def test_systems_that_cannot_be_compared():
    one = from_lists(JUDGMENTS, ONE)
    with pytest.raises(ValueError, match=r"'other'.*RankingData, as y_true is"):
        score_bounds(one, other=[[1, 2]], score="map")
    with pytest.raises(ValueError, match=r"'other'.*scores, as y_score is"):
        score_bounds([[1, 0]], [[1, 2]], other=one, score="map")
    fewer = from_lists({"a": JUDGMENTS["a"]}, {"a": ONE["a"]})
    with pytest.raises(ValueError, match=r"'other'.*same queries. Got none for 'b'"):
        score_bounds(one, other=fewer, score="map")
    with pytest.raises(ValueError, match=r"'other'.*same queries. Got others, 'b',"):
        score_bounds(fewer, other=one, score="map")
    others = from_lists(JUDGMENTS | {"b": {"z": 1}}, ONE)
    with pytest.raises(ValueError, match="other judgments"):
        score_bounds(one, other=others, score="map")
    numbers = from_tables(
        {"query": ["a", "b"], "item": [1, 2], "label": [1, 1]},
        {"query": ["a", "b"], "item": [1, 2], "score": [1.0, 1.0]},
        query="query",
        item="item",
        label="label",
        score="score",
    )
    with pytest.raises(ValueError, match=r"'other'.*of one sortable type"):
        score_bounds(one, other=numbers, score="map")


# --- two systems with ids ------------------------------------------------------------------------


def test_differences_of_two_systems_with_ids():
    one, two = from_lists(JUDGMENTS, ONE), from_lists(JUDGMENTS, TWO)
    bounds = score_bounds(one, other=two, score="ndcg@3", max_grade=2, average=None)
    values = {"a": [], "b": []}
    for grades in itertools.product(range(3), repeat=4):
        labels = dict(zip("uvwt", grades, strict=True))
        judged = {
            "a": JUDGMENTS["a"] | {item: labels[item] for item in "uv"},
            "b": JUDGMENTS["b"] | {item: labels[item] for item in "wt"},
        }
        difference = [
            ndcg_score(*from_lists(judged, lists)[:2], k=3, average=None) for lists in (ONE, TWO)
        ]
        for query, value in zip("ab", difference[1] - difference[0], strict=True):
            values[query].append(value)
    np.testing.assert_allclose(bounds.low, [min(values[query]) for query in "ab"])
    np.testing.assert_allclose(bounds.high, [max(values[query]) for query in "ab"])
    back = score_bounds(two, other=one, score="ndcg@3", max_grade=2, average=None)
    np.testing.assert_allclose(back.low, -bounds.high)


def test_the_order_of_columns_stays_that_of_the_ids():
    # With `ignore_ties` the later of two equal items is first, also if only the other has some.
    one = from_table(
        pl.DataFrame({"q": ["a"] * 2, "i": ["b", "d"], "l": [1, 0], "s": [1.0, 1.0]}),
        query="q", item="i", label="l", score="s",
    )  # fmt: skip
    two = from_table(
        pl.DataFrame({"q": ["a"] * 4, "i": ["a", "b", "c", "d"], "l": [None, 1, None, 0],
                      "s": [1.0, 1.0, 1.0, 1.0]}),
        query="q", item="i", label="l", score="s",
    )  # fmt: skip
    call = partial(score_bounds, score=mean_reciprocal_rank_score, ignore_ties=True)
    bounds = call(one, other=two)
    assert (bounds.low, bounds.high) == (1 / 3 - 0.5, 0.5 - 0.5)
    assert bounds.not_relevant == 1 / 3 - 0.5


def test_differences_have_the_sign_of_compare():
    y_true, one, two = [[1, NAN, 0], [0, 1, NAN]], [[3, 2, 1]] * 2, [[1, 3, 2], [2, 3, 1]]
    zeros = np.nan_to_num(np.array(y_true))
    first, other = (mean_reciprocal_rank_score(zeros, each, average=None) for each in (one, two))
    bounds = score_bounds(y_true, one, other=two, score="mrr", average=None)
    np.testing.assert_array_equal(bounds.not_relevant, other - first)
    of_both = score_bounds(y_true, one, other=two, score="mrr")
    assert of_both.not_relevant == compare(first, other).difference
    assert of_both.not_relevant == pytest.approx(((1 / 3 - 1) + (1 - 1 / 2)) / 2)
    assert repr(of_both).splitlines()[1] == "    of='other - first',"


def test_columns_that_fill_gaps_between_ranks():
    tables = [
        from_tables(
            {"query": ["a"], "item": ["x"], "label": [1]},
            {"query": ["a", "a"], "item": ["x", "y"], "rank": ranks},
            query="query", item="item", label="label", rank="rank",
        )
        for ranks in ([2, 4], [3, 1])
    ]  # fmt: skip
    bounds = score_bounds(tables[0], other=tables[1], score="recall@3")
    assert bounds.n_unjudged == 1
    assert [each.item for each in items_to_judge(*tables, score="recall@3")] == ["y"]
    assert items_to_judge(tables[0], score="recall@3")[0].ranks == (4, 4)


# --- ranks without an item -----------------------------------------------------------------------

ON_EMPTY_RANKS = [(name, options) for name, options in OPTIONS if name not in DENSE_ALONE]


def ranked_data(labels, rows):
    """Join judgments of queries with ranks, some of which are empty, or with a list that repeats.

    The ranks or the list are the same for all queries.
    """
    if isinstance(rows, list):
        return from_lists(labels, [rows] * len(labels), duplicates="hold", queries="judged")
    judged = [(query, *each) for query, items in enumerate(labels) for each in items.items()]
    ranked = [(query, *each) for query in range(len(labels)) for each in rows.items()]
    judgments, predictions = (
        dict(zip(("query", "item", name), zip(*entries, strict=True), strict=True))
        for name, entries in (("label", judged), ("rank", ranked))
    )
    return from_tables(
        judgments, predictions,
        query="query", item="item", label="label", rank="rank", duplicates="hold",
        queries="judged",
    )  # fmt: skip


@pytest.mark.parametrize("is_list", [True, False])
@pytest.mark.parametrize("n_systems", [1, 2])
@pytest.mark.parametrize(
    ("name", "options"),
    ON_EMPTY_RANKS,
    ids=[f"{name} {number}" for number, (name, _) in enumerate(ON_EMPTY_RANKS)],
)
@pytest.mark.filterwarnings("ignore:No .* is among", "ignore:.*no query has a defined score")
def test_nothing_is_relevant_at_empty_ranks(name, options, n_systems, is_list):
    gains_of_0 = options.get("gain", [0])[0] if isinstance(options.get("gain"), list) else 0
    if n_systems == 2 and (gains_of_0 or options.get("relevance_threshold") == 0):
        pytest.skip("all columns count then, of which both systems must have the same")
    rng = random.Random(f"{name} {n_systems} {is_list}")
    judged = {"a": 1, "b": 0, "c": 1, "y": 1, "z": 0}
    extra = {"max_grade": 1} if name == "err" else {}
    score = partial(SCORES[name], **options, **extra)
    for _ in range(12):
        labels = {item: judged[item] for item in rng.sample("abcyz", 3)}
        if is_list:
            rows = [[rng.choice("abcuvw") for _ in range(6)] for _ in range(n_systems)]
        else:
            rows = [
                {item: rng.randint(1, 7) for item in rng.sample("abcuvw", 4)}
                for _ in range(n_systems)
            ]
        unknown = sorted(set().union(*rows) - set(labels))
        data = [ranked_data([labels], each) for each in rows]
        completions = [
            labels | dict(zip(unknown, grades, strict=True))
            for grades in itertools.product([0, 1], repeat=len(unknown))
        ]
        values = 0
        signs = (1,) if n_systems == 1 else (-1, 1)
        for sign, each in zip(signs, rows, strict=True):
            values += sign * score(*ranked_data(completions, each)[:2], average=None)
        other = {"other": data[1]} if n_systems == 2 else {}
        bounds = score_bounds(data[0], score=score, **other)
        assert bounds.is_exact
        assert bounds.n_unjudged == len(unknown)
        np.testing.assert_allclose(bounds.low, values.min(axis=0), atol=1e-12)
        np.testing.assert_allclose(bounds.high, values.max(axis=0), atol=1e-12)
        if np.ndim(bounds.low) == 0:
            listed = items_to_judge(*data, score=score, n=None)
            assert sorted(each.item for each in listed) == unknown


@pytest.mark.parametrize(
    "score",
    [
        partial(ndcg_score, gain=[0.5, 1, 2]),
        partial(recall_at_k_score, k=None, relevance_threshold=0),
    ],
    ids=["ndcg", "recall"],
)
def test_systems_of_other_items_are_refused_if_items_of_label_0_count(score):
    one, two = from_lists(JUDGMENTS, ONE), from_lists(JUDGMENTS, TWO)
    for call in (score_bounds, items_to_judge):
        with pytest.raises(ValueError, match=r"'other'.*the same items.*Got other items"):
            call(one, other=two, score=score, max_grade=2)
    reverse = {query: items[::-1] for query, items in ONE.items()}
    same = score_bounds(one, other=from_lists(JUDGMENTS, reverse), score=score, max_grade=2)
    assert same.n_unjudged == 3
    of_dcg = partial(dcg_score, gain=[0.5, 1, 2])
    assert score_bounds(one, other=two, score=of_dcg, max_grade=2).is_exact


def test_a_gain_that_lacks_labels_is_named():
    with pytest.raises(ValueError, match=r"'max_grade'.*Got 2 instead.*labels.*`gain`"):
        score_bounds([[1, NAN]], [[2, 1]], score="ndcg", gain=[0, 1], max_grade=2)


# --- items to judge ------------------------------------------------------------------------------


def widths(case, name, options):
    """Return by how much each unknown item narrows the range of its query, from all labellings."""
    found = {}
    for query, labels in enumerate(case.labels):
        retrieved = np.logical_or.reduce(case.is_found)[query]
        unknown = np.flatnonzero(np.isnan(labels) & retrieved)
        values = case.values(query, name, options)[:, 0]
        given = np.array([*itertools.product(range(case.max_grade + 1), repeat=unknown.size)])
        for number, item in enumerate(unknown):
            left = [
                np.ptp(values[given[:, number] == grade]) for grade in range(case.max_grade + 1)
            ]
            found[query, item] = np.ptp(values) - np.mean(left)
    return found


@pytest.mark.parametrize("most", [2**11, 0.5])
@pytest.mark.parametrize("n_systems", [1, 2])
@pytest.mark.parametrize("name", ["ndcg", "map", "mrr", "bpref"])
def test_items_are_in_the_order_of_what_they_tell(name, n_systems, most, monkeypatch):
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", most)
    rng, options = random.Random(name), {}
    for _ in range(20):
        case = Case(rng, name, n_systems=n_systems)
        case.is_sparse, case.max_grade = True, 1
        case.labels = np.where(case.labels > 0, 1, case.labels)
        case.options = {"average": None}
        n_queries, n_items = case.labels.shape
        queries = [f"q{number}" for number in range(n_queries)]
        items = [f"i{number}" for number in range(n_items)]
        data = [
            from_lists({"q": {"i": 1}}, {"q": ["i"]})._replace(
                y_true=case.y_true,
                y_score=case.y_score(system),
                query_ids=np.array(queries, dtype=object),
                item_ids=np.array(items, dtype=object),
            )
            for system in range(n_systems)
        ]
        chosen = items_to_judge(*data, score=name, n=None)
        expected = widths(case, name, options)
        assert {(each.query, each.item) for each in chosen} == {
            (queries[query], items[item]) for query, item in expected
        }
        assert [each.width for each in chosen] == sorted(
            (each.width for each in chosen), reverse=True
        )
        if n_systems == 2 and most < 1:
            continue  # of ranges that are surely outside
        for each in chosen:
            place = queries.index(each.query), items.index(each.item)
            assert each.width * n_queries == pytest.approx(expected[place], abs=1e-12)


def test_items_below_the_cutoff_share_what_they_tell():
    data = from_lists({"a": {"x": 1}}, {"a": ["x", "u", "v"]})
    chosen = items_to_judge(data, score="recall@1")
    # Both relevant: recall is 1/3. One of them: 1/2. None: 1.
    assert [each.item for each in chosen] == ["u", "v"]
    assert [each.width for each in chosen] == pytest.approx([1 / 3, 1 / 3])
    [only] = items_to_judge(from_lists({"a": {"x": 1}}, {"a": ["x", "u"]}), score="recall@1")
    assert only.width == 0.5
    # Recall of u and v: 0 if u is not relevant, otherwise 1/2, or 1/3 with v.
    chosen = items_to_judge(from_lists({"a": {"x": 1}}, {"a": ["u", "x", "v"]}), score="recall@1")
    assert [each.item for each in chosen] == ["u", "v"]
    assert [each.width for each in chosen] == pytest.approx([5 / 12, 1 / 12])
    # A tie group of another query, which is in reach as a whole, puts no others in reach.
    ranked = {"a": [("x", 4), ("u", 3), ("v", 2), ("w", 1)], "b": [("x", 1), ("y", 1), ("z", 1)]}
    data = from_lists({"a": {"x": 1}, "b": {"x": 1, "y": 0, "z": 0}}, ranked)
    chosen = items_to_judge(data, score="recall@1")
    assert [each.item for each in chosen] == ["u", "v", "w"]
    # From 1 down to 1/4, of the mean of two queries, divided among three items.
    assert [each.width for each in chosen] == pytest.approx([1 / 8] * 3)


@pytest.mark.parametrize("most", [2**11, 0.5])
def test_items_of_blocks_that_are_cut_tell_the_same(most, monkeypatch):
    judgments = {query: {"x": 1, "y": 2} for query in "abcde"}
    lists = [{query: [*items] for query in "abcde"} for items in ("uxvyw", "xuyvz")]
    one, two = (from_lists(judgments, each) for each in lists)
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", most)
    for data in ((one,), (one, two)):
        call = partial(items_to_judge, *data, score="ndcg@4", max_grade=2, n=None)
        bounds = partial(score_bounds, one, other=two, score="ndcg@4", max_grade=2, average=None)
        expected = call(), bounds()
        assert len({each.width for each in expected[0]}) > 1
        with monkeypatch.context() as patch:
            patch.setattr(_shared_labels, "queries_per_block", lambda width: 54)
            assert (call(), bounds()) == expected
            patch.setattr(_shared_labels, "queries_per_block", lambda width: 2)
            assert (call(), bounds()) == expected


def test_items_have_the_ranks_of_both_systems():
    one, two = from_lists(JUDGMENTS, ONE), from_lists(JUDGMENTS, TWO)
    chosen = {each.item: each for each in items_to_judge(one, two, score="ndcg", max_grade=2)}
    assert chosen["u"][:4] == ("a", "u", (1, 1), (3, 3))
    assert chosen["w"][:4] == ("b", "w", (1, 1), None)
    assert chosen["t"][:4] == ("b", "t", None, (2, 2))
    assert items_to_judge(one, score="ndcg", max_grade=2, n=1)[0].other_ranks is None
    assert len(items_to_judge(one, score="ndcg", max_grade=2, n=2)) == 2
    assert isinstance(chosen["u"], ItemToJudge)


def test_ranks_of_one_order_of_the_ties():
    data = from_lists({"q": {"a": 1}}, {"q": [("x", 1.0), ("a", 1.0), ("y", 1.0), ("z", 2.0)]})
    items = items_to_judge(data, score="recall@2", ignore_ties=True)
    assert {each.item: each.ranks for each in items} == {"z": (1, 1), "y": (2, 2), "x": (3, 3)}
    items = items_to_judge(data, score="recall@2")
    assert {each.item: each.ranks for each in items} == {"z": (1, 1), "y": (2, 4), "x": (2, 4)}


@pytest.mark.filterwarnings("ignore:No relevant item is among")
def test_items_are_refused_as_bounds_are():
    data = from_lists({"q": {"a": 0}}, {"q": ["x", "y"]})
    for call in (score_bounds, items_to_judge):
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
            call(data, score="arp")
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
            call(data, score="mrr", replace_undefined_by=NAN)
        one = from_lists({"q": {"a": 0}}, {"q": ["a", "x"]})
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
            call(one, score="mrr", replace_undefined_by=NAN)


def test_weights_of_queries_count_in_the_order():
    one = from_lists({"a": {"x": 1}, "b": {"x": 1}}, {"a": ["u", "x"], "b": ["w", "x"]})
    call = partial(items_to_judge, one, score="mrr")
    assert [each.item for each in call(sample_weight=[1, 3])] == ["w", "u"]
    assert [each.width for each in call(sample_weight=[1, 3])] == pytest.approx([0.375, 0.125])
    assert [each.item for each in call()] == ["u", "w"]


def test_nothing_to_judge():
    data = from_lists({"a": {"x": 1, "y": 0}}, {"a": ["x", "y"]})
    assert items_to_judge(data, score="map") == []
    unjudged = from_lists({"a": {"x": 1}}, {"a": ["u", "x"]})
    assert [each.width for each in items_to_judge(unjudged, score="judged@1")] == [0]


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"n": 0}, "'n'"),
        ({"n": True}, "'n'"),
        ({"average": None}, "'average'"),
        ({"k": [1, 2]}, "'k'.*one cutoff"),
        ({"other": [[1]]}, "'other'.*RankingData"),
        ({"max_grade": 0}, "'max_grade'"),
    ],
)
def test_arguments_of_items_that_are_refused(params, match):
    data = from_lists(JUDGMENTS, ONE)
    with pytest.raises(ValueError, match=match):
        items_to_judge(data, **{"score": "ndcg", "max_grade": 2} | params)


def test_items_to_judge_need_ids():
    with pytest.raises(ValueError, match=r"'data'.*RankingData, in which queries and items"):
        items_to_judge([[1, 0]], score="ndcg")


# --- reports, streams, files ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def queries():
    """Labels, some of them unknown, and scores with ties."""
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 3, (30, 12)).astype(float)
    y_true[rng.random(y_true.shape) < 0.3] = NAN
    return y_true, rng.integers(0, 6, y_true.shape)


NAMES = ["ndcg@3", "map", "err@5", "recall@5", "mrr", "bpref", "judged@4"]


def test_a_report_has_the_bounds_of_each_score(queries):
    report = ranking_report(*queries, scores=NAMES, k=None, unjudged=True, max_grade=2)
    for name in NAMES:
        bounds = score_bounds(*queries, score=name, max_grade=2)
        assert report.low[name] == bounds.low
        assert report.high[name] == bounds.high
        assert report.condensed[name] == bounds.condensed
        if name != "bpref":
            assert report[name] == bounds.not_relevant
    assert report.judged["ndcg@3"] == judged_at_k_score(*queries, k=3)
    assert report.judged["map"] == judged_at_k_score(*queries, k=None, denominator="retrieved")
    short = ranking_report([[1, NAN]], [[2, 1]], scores="map@10", unjudged=True)
    assert short.judged["map@10"] == 0.5
    assert report.judged["judged@4"] == report["judged@4"]
    assert report.judgments.n_items == np.count_nonzero(~np.isnan(queries[0]))
    table = repr(report).splitlines()
    assert table[0].split()[-4:] == ["judged", "low", "high", "condensed"]
    assert list(report.summary_frame().columns)[-4:] == ["judged", "low", "high", "condensed"]


def test_a_report_of_sparse_labels_without_ids(queries):
    y_true, y_score = queries
    row, column = np.nonzero(~np.isnan(y_true))
    stored = sp.coo_array((y_true[row, column], (row, column)), shape=y_true.shape)
    params = {"scores": "ndcg@3", "unjudged": True, "max_grade": 2}
    report = ranking_report(stored, y_score, **params)
    assert report.low == ranking_report(y_true, y_score, **params).low
    assert report.judgments.n_items == row.size
    frames = pd.DataFrame(y_true), pd.DataFrame(y_score)
    assert ranking_report(*frames, **params).judgments.n_items == row.size
    classes = ranking_report(["a", "b"], [[1, 2], [1, 2]], scores="mrr", unjudged=True)
    assert classes.judgments.n_items == 2
    assert classes.low == classes.mean


def test_a_report_without_unknown_labels_is_the_same(queries):
    y_true, y_score = np.nan_to_num(queries[0]), queries[1]
    params = {"scores": ["ndcg", "map", "err", "auc"], "k": [2, None], "max_grade": 2}
    plain = ranking_report(y_true, y_score, **params)
    report = ranking_report(y_true, y_score, **params, unjudged=True)
    assert report.mean == report.low == report.high == report.condensed == plain.mean
    assert set(report.judged.values()) == {1.0}


def test_reports_of_groups_and_of_other_options(queries):
    by = np.repeat(["x", "y"], 15)
    report = ranking_report(
        *queries, scores="ndcg@3", by=by, ties=True, chance=True, unjudged=True, max_grade=2,
        sample_weight=np.arange(30), n_jobs=2,
    )  # fmt: skip
    of_group = ranking_report(
        queries[0][15:], queries[1][15:], scores="ndcg@3", unjudged=True, max_grade=2,
        sample_weight=np.arange(15, 30),
    )  # fmt: skip
    assert report.by_group["group"]["y"].low == of_group.low
    assert report.worst["ndcg@3"] < report["ndcg@3"] < report.best["ndcg@3"]
    assert report.chance is not None


def test_a_report_is_saved_with_its_bounds(queries, tmp_path):
    report = ranking_report(*queries, scores="ndcg@3", unjudged=True, max_grade=2)
    report.to_json(tmp_path / "report.json")
    assert read_report(tmp_path / "report.json") == report
    assert read_report(tmp_path / "report.json").high == report.high


def test_a_report_refuses_what_has_no_bounds(queries):
    call = partial(ranking_report, *queries, unjudged=True, max_grade=2)
    for params, match in (
        ({"scores": "ranx:ndcg@10"}, "'scores'.*measure of another program"),
        ({"scores": "ndcg@3", "item_weight": np.ones((30, 12))}, "'item_weight'"),
        ({"scores": "ndcg@3", "discount": lambda rank: rank}, "'discount'"),
        ({"scores": "ndcg@3", "unjudged": 1}, "'unjudged'"),
        ({"scores": "map", "replace_undefined_by": NAN}, None),
    ):
        if match is None:
            call(**params)  # each query has relevant items that are judged
        else:
            with pytest.raises(ValueError, match=match):
                call(**params)
    with pytest.raises(ValueError, match="'max_grade'"):
        ranking_report(*queries, scores="ndcg@3", max_grade=2)


def test_a_plain_report_refuses_unknown_labels(queries):
    with pytest.raises(ValueError, match=r"'y_true'.*finite"):
        ranking_report(*queries, scores=["ndcg@3", "judged@3"])


@pytest.mark.parametrize("scores", [NAMES, "ndcg", ["ndcg@3"]])
def test_streams_have_the_bounds_of_one_report(queries, scores, tmp_path):
    y_true, y_score = queries
    params = {"max_grade": 2} if scores is not NAMES or "err@5" in scores else {}
    streams = [StreamingScore(scores, unjudged=True, **params) for _ in range(2)]
    for start in range(0, 30, 5):
        part = slice(start, start + 5)
        streams[start % 2].update(y_true[part], y_score[part])
    stream = streams[0] + streams[1]
    assert "unjudged=True" in repr(stream)
    for each in (stream, StreamingScore(scores, unjudged=True, **params).merge(stream)):
        found = each.unjudged
        report = ranking_report(y_true, y_score, scores=scores, k=None, unjudged=True, max_grade=2)
        for name in ("judged", "low", "high", "condensed"):
            expected = getattr(report, name)
            assert found[name] == (expected["ndcg"] if scores == "ndcg" else expected)
    stream.to_json(tmp_path / "stream.json")
    again = read_stream(tmp_path / "stream.json")
    assert again.unjudged == stream.unjudged
    again.update([[1.0, NAN]], [[1, 2]])
    assert again.unjudged["low"] != stream.unjudged["low"]
    with pytest.raises(ValueError, match="'other'"):
        StreamingScore(scores, **(params if "err@5" in scores else {})).merge(stream)
    with pytest.raises(ValueError, match="'other'"):
        StreamingScore(scores, unjudged=True, max_grade=3).merge(stream)


def test_dcg_which_is_never_undefined_can_be_streamed(queries):
    stream = StreamingScore(["dcg", "dcg@3"], unjudged=True, max_grade=2)
    stream.update(*queries)
    for name in ("dcg", "dcg@3"):
        bounds = score_bounds(*queries, score=name, max_grade=2)
        assert (stream.unjudged["low"][name], stream.unjudged["high"][name]) == (
            bounds.low,
            bounds.high,
        )
    rows = {"y_true": queries[0].ravel(), "y_score": queries[1].ravel()}
    rows["qid"] = np.repeat(np.arange(30), 12)
    names = {name: name for name in rows}
    report = scale.report([rows], **names, scores="dcg@3", unjudged=True, max_grade=2)
    assert report.high["dcg@3"] == stream.unjudged["high"]["dcg@3"]


def test_a_stream_without_unjudged_has_nothing_of_it():
    stream = StreamingScore("ndcg")
    stream.update([[1, 0]], [[1, 2]])
    assert stream.unjudged == {}
    assert "beside" not in json.loads(stream.to_json())


def test_streams_refuse_what_has_no_bounds():
    for params, match in (
        ({"scores": "auc"}, "'replace_undefined_by'.*a number if unjudged=True"),
        ({"scores": "ranx:ndcg@10"}, "measure of another program"),
        ({"scores": "ndcg", "gain": [0, 1], "max_grade": 2}, "'max_grade'"),
        ({"scores": "ndcg", "unjudged": "yes"}, "'unjudged'"),
    ):
        with pytest.raises(ValueError, match=match):
            StreamingScore(**{"unjudged": True} | params)
    stream = StreamingScore("ndcg", unjudged=True)
    with pytest.raises(ValueError, match="'item_weight'"):
        stream.update([[1, NAN]], [[1, 2]], item_weight=[[1, 1]])


def test_parquet_files_with_null_labels(queries, tmp_path):
    pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    y_true, y_score = queries
    rows = pl.DataFrame(
        {
            "query": np.repeat(np.arange(30), 12),
            "label": pl.Series(y_true.ravel(), nan_to_null=True).cast(pl.Int8),
            "score": y_score.ravel(),
            "half": np.repeat(np.arange(30) < 15, 12),
        }
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    columns = {"y_true": "label", "y_score": "score", "qid": "query"}
    params = {"scores": NAMES, "k": None, "max_grade": 2}
    report = scale.report(
        tmp_path / "rows.parquet", **columns, by="half", **params, unjudged=True, batch_rows=50
    )
    expected = ranking_report(y_true, y_score, **params, unjudged=True)
    for name in ("mean", "low", "high", "condensed", "judged"):
        assert getattr(report, name) == getattr(expected, name)
    assert set(report.by_group["half"]) == {False, True}
    assert report.by_group["half"][True].low is not None
    with pytest.raises(ValueError, match="null"):
        scale.report(tmp_path / "rows.parquet", **columns, **params)
    # Each row is a query, and the labels are lists with nulls.
    lists = rows.group_by("query", maintain_order=True).agg("label", "score")
    lists.write_parquet(tmp_path / "lists.parquet")
    columns.pop("qid")
    report = scale.report(tmp_path / "lists.parquet", **columns, **params, unjudged=True)
    assert report.low == expected.low


def test_list_columns_with_null_labels(queries):
    y_true, y_score = queries
    nulls = pl.Series([pl.Series(row, nan_to_null=True).cast(pl.Int64) for row in y_true])
    scores = pl.Series([pl.Series(row) for row in y_score])
    expected = ranking_report(y_true, y_score, scores="ndcg@3", unjudged=True, max_grade=2)
    kinds = [nulls, nulls.cast(pl.List(pl.Float32)), *[nulls.to_arrow] * HAS_PYARROW]
    for each in kinds:
        labels = each() if callable(each) else each
        report = ranking_report(labels, scores, scores="ndcg@3", unjudged=True, max_grade=2)
        assert report.low == expected.low
        assert report.judgments == expected.judgments
        assert judged_at_k_score(labels, scores, k=3) == judged_at_k_score(y_true, y_score, k=3)
        with pytest.raises(ValueError, match="without nulls"):
            ndcg_score(labels, scores)
    with pytest.raises(ValueError, match=r"without lists that are null\. Got 1 null"):
        judged_at_k_score(pl.Series([[1, None], None]), pl.Series([[1, 2], [2]]), k=1)
    huge = pl.Series([[2**60, None]])
    with pytest.raises(ValueError, match=r"labels up to 2\*\*53 if those that are null"):
        judged_at_k_score(huge, pl.Series([[1, 2]]), k=1)


def test_masks_and_rows(queries):
    y_true, y_score = queries
    where = np.random.default_rng(0).random(y_true.shape) < 0.8
    report = ranking_report(
        y_true, y_score, where=where, scores=NAMES, k=None, unjudged=True, max_grade=2
    )
    qid = np.repeat(np.arange(30), 12)[where.ravel()]
    rows = ranking_report(
        y_true[where], y_score[where], qid=qid, scores=NAMES, k=None, unjudged=True, max_grade=2
    )
    assert report.low == rows.low
    assert report.judged == rows.judged
    assert report.judgments == rows.judgments
    other = np.roll(y_score, 1, axis=1)
    masked = score_bounds(
        y_true, y_score, other=other, where=where, score="ndcg@3", max_grade=2, average=None
    )
    of_rows = score_bounds(
        y_true[where], y_score[where], other=other[where], qid=qid, score="ndcg@3", max_grade=2,
        average=None,
    )  # fmt: skip
    np.testing.assert_allclose(masked.low, of_rows.low, rtol=1e-12)
    np.testing.assert_allclose(masked.high, of_rows.high, rtol=1e-12)


def test_two_systems_in_lists():
    labels = pl.Series([[1.0, NAN, 0.0], [NAN, 1.0]])
    one, two = pl.Series([[3, 2, 1], [2, 1]]), pl.Series([[1, 2, 3], [1, 2]])
    bounds = score_bounds(labels, one, other=two, score="mrr", average=None)
    expected = [
        score_bounds([row], [a], other=[b], score="mrr").low
        for row, a, b in zip(labels.to_list(), one.to_list(), two.to_list(), strict=True)
    ]
    np.testing.assert_array_equal(bounds.low, expected)


def test_large_and_long_scores_of_two_systems():
    y_true = [[NAN, 1, 0]]
    one = np.array([[2**60 + 1, 2**60, 0]])
    two = np.array([[3, 2, 1]], dtype=np.longdouble)
    bounds = score_bounds(y_true, one, other=two, score="mrr")
    assert (bounds.low, bounds.high) == (0, 0)


def test_a_discount_of_ones_own_and_dcg_of_negative_labels():
    bounds = score_bounds([[-1, NAN]], [[2, 1]], score=dcg_score, discount=lambda rank: 1 / rank)
    assert (bounds.low, bounds.high) == (-1, -0.5)


def test_sparse_single_floats_are_compared_in_their_own_precision():
    y_true = sp.csr_array(np.array([[0.7, 0, 0]], dtype=np.float32))
    y_score = sp.csr_array(np.array([[3.0, 2.0, 0]]))
    bounds = score_bounds(y_true, y_score, score="mrr", relevance_threshold=0.7)
    assert bounds.low == 1


def test_reports_and_streams_know_empty_ranks():
    data = from_lists({"a": {"x": 1}}, {"a": ["x", "x", "u", "x"]}, duplicates="hold")
    report = ranking_report(data, scores="precision", k=4, unjudged=True)
    stream = StreamingScore(["precision@4"], unjudged=True)
    stream.update(data)
    for name, value in {"judged": 0.25, "low": 0.25, "high": 0.5, "condensed": 0.25}.items():
        assert getattr(report, name) == stream.unjudged[name] == {"precision@4": value}


# --- the command and pictures --------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with judgments and a run of TREC."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n", encoding="utf-8")
    lines = ["1 Q0 x 1 3 t", "1 Q0 a 2 2 t", "1 Q0 b 3 2 t", "2 Q0 c 1 3 t", "2 Q0 y 2 1 t"]
    Path("run").write_text("\n".join(lines) + "\n", encoding="utf-8")


def records_of(capsys, line):
    """Return the records that the command prints."""
    assert main([*line.split(), "--format", "json"]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    return json.loads(output)


@pytest.mark.usefixtures("folder")
def test_the_command_prints_the_bounds(capsys):
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    data = from_tables(read_qrels("qrels"), read_run("run"), **names)
    for grade, option in ((2, ""), (3, " --max-grade 3")):
        for record in records_of(capsys, f"qrels run -m ndcg@2 map bpref --unjudged{option}"):
            bounds = score_bounds(data, score=record["score"], max_grade=grade)
            assert (record["lowest"], record["highest"]) == (bounds.low, bounds.high)
            assert record["condensed"] == bounds.condensed
        bounds = score_bounds(data, score="ndcg@2", max_grade=grade, average=None)
        by_query = records_of(capsys, f"qrels run -m ndcg@2 --unjudged --by-query{option}")
        assert [each["lowest"] for each in by_query[:2]] == bounds.low.tolist()
        assert [each["highest"] for each in by_query[:2]] == bounds.high.tolist()
        assert [each["judged"] for each in by_query] == [0.5, 0.5, 0.5]
    [record] = records_of(capsys, "qrels run -m err@2 --unjudged --max-grade 2")
    assert record["highest"] == score_bounds(data, score="err@2", max_grade=2).high


@pytest.mark.usefixtures("folder")
def test_the_command_warns_in_its_own_words(capsys):
    assert main(["qrels", "run", "-m", "ndcg@2", "--unjudged", "--max-grade", "1"]) == 0
    warning = capsys.readouterr().err
    assert "warning: run: --max-grade 1 is below 2" in warning
    assert warning.rstrip().endswith("pass --max-grade 2.")


@pytest.mark.usefixtures("folder")
def test_the_command_has_judgments_of_zeros(capsys):
    Path("zeros").write_text("1 0 a 0\n2 0 c 0\n", encoding="utf-8")
    assert main(["zeros", "run", "-m", "precision@1", "--unjudged", "--format", "json"]) == 0
    output, errors = capsys.readouterr()
    assert "undefined for all queries" in errors
    [record] = json.loads(output)
    assert (record["lowest"], record["highest"]) == (0, 0.5)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("qrels run -m ranx:ndcg@10 --unjudged", "measure of another program"),
        ("qrels run -m ndcg@2 --gain 0,1,2 --max-grade 3 --unjudged", "Its labels must be"),
        ("qrels run -m ndcg@2 --max-grade 3", "--max-grade is for err"),
    ],
)
def test_what_the_command_refuses(capsys, line, match):
    assert main(line.split()) == 2
    assert match in capsys.readouterr().err


def test_the_band_in_a_plot(queries):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt

    from ranking_scores.plotting import RankingCurveDisplay

    curve = partial(
        RankingCurveDisplay.from_predictions, *queries, k=[1, 3, 5], unjudged=True, max_grade=2
    )
    display = curve()
    bounds = score_bounds(*queries, score="ndcg", k=[1, 3, 5], max_grade=2)
    np.testing.assert_array_equal(display.lowest, bounds.low)
    np.testing.assert_array_equal(display.highest, bounds.high)
    assert len(display.unjudged_band_) == 1
    texts = [each.get_text() for each in display.ax_.get_legend().get_texts()]
    assert "all labels of unjudged items" in texts
    models = {"a": queries[1], "b": -queries[1]}
    display = RankingCurveDisplay.from_predictions(
        queries[0], models, k=[1, 3], unjudged=True, max_grade=2
    )
    assert len(display.unjudged_band_) == 2
    assert np.shape(display.lowest) == (2, 2)
    for params, match in (
        ({"score": "ranx:ndcg"}, "'score'"),
        ({"unjudged": 1}, "'unjudged'"),
        ({"discount": lambda rank: rank, "ties": False}, "'discount'"),
    ):
        with pytest.raises(ValueError, match=match):
            curve(**params)
    with pytest.raises(ValueError, match=r"'lowest'.*given with `highest`"):
        RankingCurveDisplay([1], [0.5], highest=[0.7])
    with pytest.raises(ValueError, match=r"'unjudged'.*left out"):
        RankingCurveDisplay.from_cv_results({}, [[1]], [1], unjudged=True)
    plt.close("all")


def test_the_band_of_an_estimator(queries):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt
    from sklearn.linear_model import Ridge

    from ranking_scores.plotting import RankingCurveDisplay

    y_true, y_score = queries
    qid = np.repeat(np.arange(30), 12)
    X = y_score.reshape(-1, 1)
    ridge = Ridge().fit(X, y_score.ravel())
    display = RankingCurveDisplay.from_estimator(
        ridge, X, y_true.ravel(), qid=qid, k=[2], unjudged=True, max_grade=2
    )
    assert display.lowest == score_bounds(y_true, y_score, score="ndcg@2", max_grade=2).low
    plt.close("all")


@pytest.mark.parametrize(
    ("score", "is_warned"),
    [
        ("ndcg@2", True),
        ("recall@2", False),
        ("mrr", False),
        ("judged@2", False),
        (partial(SCORES["recall"], k=2, relevance_threshold=2), True),  # 1 does not reach it
        (partial(SCORES["dcg"], gain=[0, 1, 1, 1]), False),
        (partial(SCORES["dcg"], gain=[0, 1, 1, 2]), True),
    ],
)
def test_a_grade_that_gains_no_more_than_those_below_is_no_reason_to_warn(score, is_warned):
    """Goes with the gains in _bounds.warn_of_labels."""
    data = sp.csr_array([[3, 0, 1, 0]]), sp.csr_array([[4.0, 3, 2, 0]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score_bounds(*data, score=score)
        ranking_report(*data, scores=score, unjudged=True)
    assert ["the highest label" in str(each.message) for each in caught] == [True] * 2 * is_warned
