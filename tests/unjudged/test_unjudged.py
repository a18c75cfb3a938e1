"""The bounds of scores over the labels of unjudged items: every labelling is tried here."""

import itertools
import random
import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from labellings import DENSE_ALONE, JUDGMENTS, NAN, ONE, TWO, Case
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import (
    bpref_score,
    dcg_score,
    expected_reciprocal_rank_score,
    from_lists,
    from_tables,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores._metrics import _completions, _shared_labels
from ranking_scores._metrics._named import SCORES
from ranking_scores.unjudged import ScoreBounds, items_to_judge, score_bounds

pytestmark = pytest.mark.filterwarnings("ignore:.*one item each")

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


@pytest.mark.parametrize("dtype", ["<f8", ">f8", ">f4"])
def test_unknown_labels_in_any_byte_order(dtype):
    labels = np.array([[2, np.nan, 1], [1, 2, np.nan]], dtype)
    bounds = score_bounds(labels, [[1, 2, 3], [1, 2, 3]], score="dcg", max_grade=3)
    assert bounds.not_relevant == pytest.approx((1 + 2 / np.log2(4) + 2 / np.log2(3) + 0.5) / 2)
