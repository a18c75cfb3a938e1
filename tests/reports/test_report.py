"""Many scores at once: the numbers of each score alone, names, groups, tables and errors."""

from __future__ import annotations

import copy
import json
import pickle
import re
import sys
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning
from test_laws import BUT_FOR_GRADE_3, LAYOUTS, NOT_DENSE, SCORES, assert_same_bits, cases
from warned import nothing_to_rank

from ranking_scores import (
    RankingReport,
    StreamingScore,
    average_relevant_position,
    dcg_score,
    expected_reciprocal_rank_score,
    f1_at_k_score,
    from_tables,
    grouped_auc_score,
    mean_average_precision_score,
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    r_precision_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores._base._results import with_error
from ranking_scores._metrics import _evaluate
from ranking_scores._metrics._named import SCORES as NAMED
from ranking_scores.ties import chance_level, tie_report

RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 4, (30, 8)) * (RNG.random((30, 8)) < 0.4)
Y_SCORE = RNG.integers(0, 5, (30, 8)) / 2
QID = np.repeat(RNG.permutation(30) * 7, 8)
ROWS = {"y_true": Y_TRUE.ravel(), "y_score": Y_SCORE.ravel(), "qid": QID}
DEFAULT = ["ndcg", "map", "mrr", "precision", "recall", "hit_rate"]


def scores_for(case, draw):
    """Return the scores that take the data of a case, with options and cutoffs of their own."""
    scores = {}
    for name, score in SCORES.items():
        if hasattr(case.arrange, "has_item_weight") and "item_weight" not in score.parameters:
            continue
        not_dense = any(case.arrange in LAYOUTS[layout] for layout in NOT_DENSE)
        if not_dense and not score.takes_retrieved:
            continue
        if case.arrange in BUT_FOR_GRADE_3 and score.needs_all_ranked:
            continue
        options = dict(draw(st.sampled_from(score.options)))
        if score.takes_k:
            options["k"] = draw(
                st.sampled_from([1, 2, [3, 1], 100] + [None] * score.is_k_optional)
            )
        if score.takes_ignore_ties:
            options["ignore_ties"] = draw(st.booleans())
        scores[name.replace(", ", "_")] = partial(score.func, **options)
    return scores


def results(report, name):
    """Return the values per query and the mean of a score of a report, at all of its cutoffs."""
    names = [each for each in report.mean if each == name or each.startswith(f"{name}@")]
    per_query = np.array([report.per_query[each] for each in names]).T
    return per_query, np.array([report.mean[each] for each in names])


@nothing_to_rank
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_scores_at_once_have_the_bits_of_each_alone(layout):
    @settings(deadline=None, max_examples=settings().max_examples // 3)
    @given(cases(SCORES["ndcg_score"], layout), st.data())
    def holds(case, data):
        scores = scores_for(case, data.draw)
        weights = case.rng.integers(1, 4, len(case.queries)).astype(float)
        arguments = case.arguments(case.queries, weights if data.draw(st.booleans()) else None)
        report = ranking_report(**arguments, scores=scores)
        stream = StreamingScore(scores, labels=arguments.get("labels"))
        arrays = {name: value for name, value in arguments.items() if name != "labels"}
        stream.update(**arrays)
        for name, score in scores.items():
            per_query, means = results(report, name)
            alone = score(**arguments, average=None).reshape(per_query.shape)
            assert_same_bits(per_query, alone)
            assert_same_bits(means, np.atleast_1d(score(**arguments)))
        assert_same_bits(list(stream.compute().values()), list(report.mean.values()))
        errors = list(stream.standard_error.values())
        assert_same_bits(errors, list(report.standard_error.values()))
        assert stream.n_undefined == report.n_undefined
        assert stream.n_queries == report.n_queries

    holds()


# --- what is asked for, and what it is called ---------------------------------------------------


def test_scores_by_default():
    report = ranking_report(Y_TRUE, Y_SCORE)
    assert list(report.mean) == [f"{name}@{k}" for name in DEFAULT for k in (1, 5, 10)]
    assert dict(report) == report.mean
    assert list(report) == list(report.keys()) == list(report.mean)
    assert len(report) == 18
    assert "ndcg@5" in report
    assert "ndcg" not in report
    with pytest.raises(
        KeyError, match="'ndcg' is none of the results: 'ndcg@1', 'ndcg@5', 'ndcg@10'"
    ):
        report["ndcg"]
    assert report["ndcg@5"] == report.mean["ndcg@5"] == ndcg_score(Y_TRUE, Y_SCORE, k=5)
    assert report.n_queries == 30
    assert report.query_ids is report.sample_weight is report.worst is report.best is None
    assert report.chance is None
    assert report.by_group == {}
    assert isinstance(report, RankingReport)


@pytest.mark.parametrize(
    ("scores", "k", "names"),
    [
        (["ndcg", "ndcg@3"], (1, 5), ["ndcg@1", "ndcg@5", "ndcg@3"]),
        ("ndcg", 2, ["ndcg@2"]),
        ("ndcg@2", None, ["ndcg@2"]),
        (ndcg_score, None, ["ndcg"]),
        (["map", "arp", "r_precision"], [None, 2], ["map", "map@2", "arp", "r_precision"]),
        (["auc", "arp", "pairwise_accuracy"], 10, ["auc", "arp", "pairwise_accuracy"]),
        ([partial(recall_at_k_score, k=[4, 2])], 1, ["recall@4", "recall@2"]),
        ([partial(mean_average_precision_score, k=None)], 1, ["map"]),
        ({"best": ndcg_score, "top": "map@2"}, np.array([1, 3]), ["best@1", "best@3", "top@2"]),
        ({"rank": average_relevant_position}, 1, ["rank"]),
        ([partial(ndcg_score, gain="exponential"), "dcg"], range(1, 2), ["ndcg@1", "dcg@1"]),
        ([partial(precision_at_k_score, denominator="retrieved")], None, ["precision"]),
        (["f1", "rbp", "mrr"], np.int64(3), ["f1@3", "rbp@3", "mrr@3"]),
        (["f1", "f1@2"], [None, 1], ["f1", "f1@1", "f1@2"]),
        ([partial(f1_at_k_score, k=None)], 1, ["f1"]),
    ],
)
def test_names_of_results(scores, k, names):
    assert list(ranking_report(Y_TRUE, Y_SCORE, scores=scores, k=k).mean) == names


def test_the_whole_list_is_one_of_the_cutoffs():
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg", "map", "f1"], k=[None, 3])
    assert report["ndcg"] == ndcg_score(Y_TRUE, Y_SCORE)
    assert report["ndcg@3"] == ndcg_score(Y_TRUE, Y_SCORE, k=3)
    assert report["map"] == mean_average_precision_score(Y_TRUE, Y_SCORE)
    assert report["f1"] == f1_at_k_score(Y_TRUE, Y_SCORE, k=None)
    assert report["f1@3"] == f1_at_k_score(Y_TRUE, Y_SCORE, k=3)


def test_a_cutoff_beyond_all_lists_is_not_the_whole_list():
    longest = 2**63 - 2
    scores = ["f1", "ndcg"]
    report = ranking_report(Y_TRUE, Y_SCORE, scores=scores, k=[None, longest])
    assert 0 < report[f"f1@{longest}"] == f1_at_k_score(Y_TRUE, Y_SCORE, k=longest) < 1e-17
    assert report["f1"] == f1_at_k_score(Y_TRUE, Y_SCORE, k=None) > 0.1
    assert report["ndcg"] == report[f"ndcg@{longest}"]
    for k in (2**63 - 1, 10**30):
        alone = f1_at_k_score(Y_TRUE, Y_SCORE, k=k)
        of_partial = ranking_report(Y_TRUE, Y_SCORE, scores=partial(f1_at_k_score, k=[k]))
        assert 0 < of_partial[f"f1@{longest}"] == alone < 1e-17


def test_options_go_to_the_scores_that_have_them():
    options = {"gain": "exponential", "max_grade": 3, "relevance_threshold": 2}
    scores = ["ndcg", "err", "recall", partial(dcg_score, gain="linear")]
    report = ranking_report(Y_TRUE, Y_SCORE, scores=scores, k=4, **options)
    gain = {"gain": "exponential", "relevance_threshold": 2}
    assert report["ndcg@4"] == ndcg_score(Y_TRUE, Y_SCORE, k=4, **gain)
    err = expected_reciprocal_rank_score(Y_TRUE, Y_SCORE, k=4, max_grade=3, relevance_threshold=2)
    assert report["err@4"] == err
    assert report["recall@4"] == recall_at_k_score(Y_TRUE, Y_SCORE, k=4, relevance_threshold=2)
    assert report["dcg@4"] == dcg_score(Y_TRUE, Y_SCORE, k=4, relevance_threshold=2)


def test_thresholds_that_are_equal_but_compare_otherwise_are_two():
    y_true = np.array([[2**60 - 1, 2**60, 0]])
    scores = {
        "int": partial(recall_at_k_score, relevance_threshold=2**60),
        "float": partial(recall_at_k_score, relevance_threshold=2.0**60),
    }
    report = ranking_report(y_true, [[3, 2, 1]], scores=scores, k=1)
    for name, score in scores.items():
        assert report[f"{name}@1"] == score(y_true, [[3, 2, 1]], k=1)
    assert report["int@1"] != report["float@1"]


@pytest.mark.parametrize("n_items", [8, 900])
def test_a_block_is_ranked_once_for_all_scores(monkeypatch, n_items):
    depths = []
    rank_items = _evaluate.rank_items

    def count(scores, depth, **params):
        depths.append(depth)
        return rank_items(scores, depth, **params)

    monkeypatch.setattr(_evaluate, "rank_items", count)
    y_true, y_score = RNG.integers(0, 2, (5, n_items)), RNG.random((5, n_items))
    ranking_report(y_true, y_score)
    assert depths == [min(n_items, 10)]


@pytest.mark.parametrize("names", [["r_precision", "precision"], ["precision", "r_precision"]])
def test_numbers_of_relevant_items_are_not_taken_for_the_cutoffs(names):
    # The queries have 3 and 1 relevant items, and 3 and 1 are the cutoffs.
    arrays = [[1, 1, 1, 0], [0, 0, 0, 1]], [[3, 2, 2, 1], [1, 0, 0, 0]]
    report = ranking_report(*arrays, scores=names, k=[3, 1])
    assert report.per_query["precision@3"].tolist() == [1, 2 / 9]
    assert report.per_query["precision@1"].tolist() == [1, 0]
    assert report.per_query["r_precision"].tolist() == [1, 0]


def test_a_gain_and_a_discount_are_asked_as_often_as_by_one_score():
    gains, discounts = [], []

    def gain(labels):
        gains.append(labels.size)
        return labels

    def discount(ranks):
        discounts.append(ranks.size)
        return 1 / ranks

    scores = [*DEFAULT, partial(ndcg_score, gain=gain, discount=discount, k=[2, 7])]
    ranking_report(Y_TRUE, Y_SCORE, scores=scores[1:], k=[1, 5, 10])
    assert gains == [Y_TRUE.size]
    assert discounts == [7]


def test_default_cutoffs_hold_only_where_no_score_has_its_own():
    named = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg@5", "map"])
    assert dict(named) == {
        "ndcg@5": ndcg_score(Y_TRUE, Y_SCORE, k=5),
        "map": mean_average_precision_score(Y_TRUE, Y_SCORE),
    }
    bound = ranking_report(Y_TRUE, Y_SCORE, scores=[partial(ndcg_score, k=5), "map"])
    assert list(bound) == ["ndcg@5", "map"]
    asked = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg@5", "map"], k=(1, 5, 10))
    assert list(asked) == ["ndcg@5", "map@1", "map@5", "map@10"]


def test_joined_tables_are_reported_with_the_ids_of_their_queries():
    data = from_tables(
        {"q": ["b", "a"], "d": [1, 2]},
        {"q": ["a", "a", "b"], "d": [1, 2, 1], "s": [0.2, 0.9, 0.5]},
        query="q",
        item="d",
        score="s",
    )
    report = ranking_report(data, scores="mrr", k=None)
    assert report.query_ids.tolist() == ["a", "b"]
    of_arrays = ranking_report(
        data.y_true, data.y_score, query_ids=data.query_ids, scores="mrr", k=None
    )
    assert report != of_arrays
    vars(of_arrays).update(queries_seen=data.queries_seen)
    assert report == of_arrays
    renamed = ranking_report(data, query_ids=["x", "y"], scores="mrr", k=None)
    assert renamed.query_ids.tolist() == ["x", "y"]
    assert tie_report(data, score="mrr") == tie_report(data.y_true, data.y_score, score="mrr")
    for call, parameter, got in (
        (lambda: ranking_report(data, data.y_score), "y_score", "left out"),
        (lambda: ranking_report(data.y_true), "y_score", "from_tables"),
        (lambda: tie_report(data.y_true, score="mrr"), "y_score", "from_tables"),
        (lambda: chance_level(data, score="mrr"), "y_true", "of which all items are ranked"),
    ):
        with pytest.raises(ValueError, match=rf"'{parameter}' parameter of .*{got}"):
            call()


# --- the result ---------------------------------------------------------------------------------


def test_a_report_is_a_mapping_and_json():
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg", "map"], k=[1, None], ties=True)
    assert isinstance(report, Mapping)
    assert dict(report.items()) == dict(zip(report, report.values(), strict=True)) == report.mean
    assert report.metrics == ("ndcg@1", "ndcg", "map@1", "map")
    assert report.get("ndcg@1") == report["ndcg@1"]
    assert report.get("ndgc") is None
    for numbers in (report.mean, report.standard_error, report.n_undefined, report.best):
        assert json.loads(json.dumps(numbers)) == numbers
        assert type(numbers)(numbers) == numbers


@nothing_to_rank
def test_reports_are_equal_by_value():
    call = partial(ranking_report, Y_TRUE, scores=["ndcg", "mrr"], by=np.arange(30) % 3)
    ids = np.arange(30)
    report = call(Y_SCORE, query_ids=ids)
    report.standard_error  # noqa: B018, computed when asked for, which changes nothing
    assert report == call(Y_SCORE, query_ids=ids) == pickle.loads(pickle.dumps(report))
    for other in (
        call(Y_SCORE),
        call(Y_SCORE, query_ids=ids.astype(str)),
        call(Y_SCORE, query_ids=ids[::-1]),
        call(Y_SCORE, query_ids=ids, k=[1, 5]),
        call(Y_SCORE, query_ids=ids, scores={"ndcg": "ndcg", "rr": "mrr"}),
        call(Y_SCORE, query_ids=ids, chance=True),
        call(-Y_SCORE, query_ids=ids),
        ranking_report(Y_TRUE, Y_SCORE, query_ids=ids, scores=["ndcg", "mrr"]),
        dict(report),
    ):
        assert report != other
    with pytest.raises(TypeError, match="unhashable"):
        hash(report)
    twice = partial(ranking_report, [[0, 1]] * 2, [[1, 2]] * 2, scores="auc")
    assert twice(by=["a", "b"]) == twice(by=["a", "b"]) != twice(by=["b", "a"])
    undefined = ranking_report([[0, 0]], [[1, 2]], scores="ndcg", k=1, replace_undefined_by=0)
    nan = partial(ranking_report, [[0, 0]], [[1, 2]], scores="auc", replace_undefined_by=np.nan)
    with pytest.warns(UndefinedMetricWarning):
        assert nan() == nan() != undefined
    ties = partial(tie_report, Y_TRUE, score="ndcg", average=None)
    assert ties(Y_SCORE) == pickle.loads(pickle.dumps(ties(Y_SCORE))) != ties(-Y_SCORE)
    with pytest.raises(TypeError, match="unhashable"):
        hash(ties(Y_SCORE))
    assert ties(Y_SCORE) != tie_report(Y_TRUE, Y_SCORE, score="ndcg")
    assert ties(Y_SCORE) != 1


def test_values_per_query_and_ids():
    ids = [f"q{number}" for number in range(30)]
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg"], k=3, query_ids=ids)
    assert report.query_ids.tolist() == ids
    assert_same_bits(report.per_query["ndcg@3"], ndcg_score(Y_TRUE, Y_SCORE, k=3, average=None))
    report = ranking_report(**ROWS, scores=["ndcg"], k=3)
    assert report.query_ids.tolist() == np.unique(QID).tolist()
    assert_same_bits(report.per_query["ndcg@3"], ndcg_score(**ROWS, k=3, average=None))


def test_undefined_queries_are_counted_by_result():
    y_true = np.vstack([Y_TRUE, np.zeros((2, 8))])
    y_score = np.vstack([Y_SCORE, np.zeros((2, 8))])
    params = {"replace_undefined_by": np.nan}
    report = ranking_report(y_true, y_score, scores=["ndcg", "dcg"], k=[1, None], **params)
    n_undefined = int((y_true.max(axis=1) == 0).sum())
    assert report.n_undefined == {
        "ndcg@1": n_undefined,
        "ndcg": n_undefined,
        "dcg@1": 0,
        "dcg": 0,
    }
    assert np.isnan(report.per_query["ndcg"]).sum() == n_undefined
    assert report["ndcg"] == ndcg_score(y_true, y_score, **params)


def test_standard_errors_are_those_of_a_stream():
    weights = RNG.random(30)
    report = ranking_report(Y_TRUE, Y_SCORE, sample_weight=weights)
    stream = StreamingScore(ndcg_score, k=[1, 5, 10])
    stream.update(Y_TRUE, Y_SCORE, sample_weight=weights)
    errors = [report.standard_error[f"ndcg@{k}"] for k in (1, 5, 10)]
    assert_same_bits(errors, stream.standard_error)
    assert_same_bits(report.sample_weight, weights)


def test_nothing_in_a_report_can_be_changed():
    report = ranking_report(**ROWS, sample_weight=np.ones(240), by={"group": QID % 2}, ties=True)
    with pytest.raises(AttributeError):
        report.mean = {}
    for mapping in (
        report.mean,
        report.standard_error,
        report.n_undefined,
        report.per_query,
        report.worst,
        report.best,
        report.by_group,
        report.by_group["group"],
    ):
        with pytest.raises(TypeError, match="read-only"):
            mapping["ndcg@1"] = 1.0
    for array in (report.query_ids, report.sample_weight, report.per_query["ndcg@1"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_what_a_report_was_made_of_may_change_later():
    ids, groups = np.arange(30), np.arange(30) % 2
    report = ranking_report(Y_TRUE, Y_SCORE, query_ids=ids, by=groups)
    ids[:], groups[:] = 0, 9
    assert report.query_ids.tolist() == list(range(30))
    assert report.to_frame()["group"].tolist() == [0, 1] * 15


def test_a_report_leaves_its_input_writable_and_as_it_was():
    ids, weights, groups = np.arange(30), np.ones(30), np.arange(30) % 2
    arrays = [Y_TRUE.copy(), Y_SCORE.copy(), ids.copy(), weights.copy(), groups.copy()]
    ranking_report(*arrays[:2], query_ids=arrays[2], sample_weight=arrays[3], by=arrays[4])
    for array, expected in zip(arrays, [Y_TRUE, Y_SCORE, ids, weights, groups], strict=True):
        assert array.flags.writeable
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_reports_can_be_copied_and_pickled(copied):
    report = ranking_report(**ROWS, by={"parity": QID % 2}, ties=True, chance=True)
    again = copied(report)
    assert repr(again) == repr(report)
    assert again.mean == report.mean
    assert again.standard_error == report.standard_error
    assert_same_bits(again.per_query["map@5"], report.per_query["map@5"])
    with pytest.raises(TypeError):
        again.mean["map@5"] = 0


# --- ties and chance ----------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{"y_true": Y_TRUE, "y_score": Y_SCORE}, ROWS])
def test_worst_and_best_are_those_of_the_tie_report(arguments):
    scores = {
        "ndcg": partial(ndcg_score, gain="exponential"),
        "mrr": NAMED["mrr"],
        "recall": partial(recall_at_k_score, relevance_threshold=2),
        "arp": average_relevant_position,
        "auc": grouped_auc_score,
        "pairs": pairwise_accuracy_score,
    }
    report = ranking_report(**arguments, scores=scores, k=[1, 4], ties=True)
    for name, score in scores.items():
        params = {} if name in ("arp", "auc", "pairs") else {"k": [1, 4]}
        expected = tie_report(score=score, **arguments, **params)
        names = [name] if not params else [f"{name}@1", f"{name}@4"]
        for view in ("worst", "best"):
            of_view = [getattr(report, view)[each] for each in names]
            assert_same_bits(of_view, np.atleast_1d(getattr(expected, view)))
    assert report.worst["ndcg@1"] < report.mean["ndcg@1"] < report.best["ndcg@1"]
    assert report.worst["arp"] > report.best["arp"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"y_true": Y_TRUE, "y_score": Y_SCORE},
        {"y_true": sp.csr_array(Y_TRUE), "y_score": Y_SCORE},
        {"y_true": Y_TRUE, "y_score": Y_SCORE, "where": RNG.random(Y_TRUE.shape) < 0.7},
        ROWS,
        {"y_true": Y_TRUE[:, 0], "y_score": Y_SCORE[:, :4], "labels": range(4)},
    ],
)
def test_chance_is_the_level_of_chance(arguments):
    report = ranking_report(**arguments, k=2, chance=True)
    data = {name: value for name, value in arguments.items() if name != "y_score"}
    assert list(report.chance) == list(report.mean)
    for name in DEFAULT:
        assert_same_bits(report.chance[f"{name}@2"], chance_level(score=name, **data, k=2))


def test_few_items_are_no_reason_to_leave_any_to_chance():
    y_true, y_score = RNG.integers(0, 2, (4, 600)), RNG.random((4, 600))
    report = ranking_report(y_true, y_score, scores=["ndcg@3"], chance=True, ties=True)
    assert report.chance["ndcg@3"] == chance_level(y_true, score=ndcg_score, k=3)
    assert report.worst["ndcg@3"] == report.best["ndcg@3"] == report["ndcg@3"]


# --- groups -------------------------------------------------------------------------------------


def test_groups_are_reported_as_their_queries_alone():
    country = np.array(["de", "fr", "us"])[RNG.integers(0, 3, 30)]
    device = RNG.integers(0, 2, 30).astype(bool)
    weights = RNG.random(30)
    params = {"ties": True, "chance": True, "k": [1, 3]}
    report = ranking_report(
        Y_TRUE,
        Y_SCORE,
        by={"country": country, "is_tv": device},
        sample_weight=weights,
        query_ids=np.arange(30),
        **params,
    )
    assert list(report.by_group) == ["country", "is_tv"]
    assert list(report.by_group["country"]) == ["de", "fr", "us"]
    assert list(report.by_group["is_tv"]) == [False, True]
    for grouping, groups in (("country", country), ("is_tv", device)):
        for group, of_group in report.by_group[grouping].items():
            rows = groups == group
            alone = ranking_report(
                Y_TRUE[rows], Y_SCORE[rows], sample_weight=weights[rows], **params
            )
            for name in ("mean", "worst", "best", "chance", "standard_error", "n_undefined"):
                assert getattr(of_group, name) == getattr(alone, name)
            assert of_group.n_queries == alone.n_queries == rows.sum()
            assert of_group.query_ids.tolist() == np.flatnonzero(rows).tolist()
            assert_same_bits(of_group.per_query["map@3"], alone.per_query["map@3"])
            assert_same_bits(of_group.sample_weight, alone.sample_weight)


def test_groups_have_the_mean_weight_of_their_own_items():
    item_weight = RNG.integers(0, 4, Y_TRUE.shape).astype(float)
    groups = np.arange(30) % 3
    y_true = Y_TRUE * (np.arange(30) % 5 > 0)[:, None]  # some queries without gain in each group
    params = {"scores": ["ndcg", "dcg"], "replace_undefined_by": 0.5}
    report = ranking_report(y_true, Y_SCORE, by=groups, item_weight=item_weight, **params)
    for group, of_group in report.by_group["group"].items():
        rows = groups == group
        alone = ranking_report(
            y_true[rows], Y_SCORE[rows], item_weight=item_weight[rows], **params
        )
        assert of_group.mean == alone.mean
        assert of_group.standard_error == alone.standard_error


@pytest.mark.parametrize(
    "groups",
    [
        QID % 3,
        (QID % 3).astype(str),
        pd.Series(QID % 3, name="group"),
        pd.Categorical((QID % 3).astype(str)),
        np.datetime64("2026-01-01", "ns") + (QID % 3).astype("timedelta64[D]"),
    ],
    ids=["int", "str", "series", "categories", "dates"],
)
def test_groups_of_rows_are_those_of_their_queries(groups):
    report = ranking_report(**ROWS, by=groups)
    [(grouping, reports)] = report.by_group.items()
    assert grouping == "group"
    for remainder, of_group in zip(range(3), reports.values(), strict=True):
        rows = remainder == QID % 3
        alone = ranking_report(**{name: values[rows] for name, values in ROWS.items()})
        assert of_group.mean == alone.mean
        assert of_group.query_ids.tolist() == alone.query_ids.tolist()
    if isinstance(groups, np.ndarray) and groups.dtype.kind == "M":
        assert list(reports) == list(np.unique(groups))


def test_a_series_gives_its_name_to_its_groups():
    report = ranking_report(Y_TRUE, Y_SCORE, by=pd.Series([1, 2] * 15, name="device"))
    assert list(report.by_group) == ["device"]


def test_a_group_whose_queries_weigh_nothing_is_nan_and_named():
    weights = np.repeat([0.0, 1.0], 15)
    with pytest.warns(UndefinedMetricWarning) as caught:
        report = ranking_report(
            Y_TRUE, Y_SCORE, scores=["ndcg@3"], sample_weight=weights, by=np.repeat(["a", "b"], 15)
        )
    assert np.isnan(report.by_group["group"]["a"]["ndcg@3"])
    assert report.by_group["group"]["b"]["ndcg@3"] == report["ndcg@3"]
    [warning] = caught
    assert str(warning.message) == (
        "ranking_report (ndcg@3 of group=a) is undefined: no query has both a weight and a "
        "defined score."
    )


# --- tables -------------------------------------------------------------------------------------


def test_the_table_is_aligned_and_80_columns_wide():
    report = ranking_report(Y_TRUE, Y_SCORE, ties=True, chance=True)
    text = repr(report)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == [
        *("mean", "standard", "error", "undefined", "worst", "best", "chance"),
    ]
    assert len({len(line) for line in lines[:19]}) == 1
    assert lines[1].split()[:2] == ["ndcg@1", f"{report['ndcg@1']:.4f}"]
    assert lines[-1] == "30 queries"


@nothing_to_rank
def test_the_tables_of_groups_are_cut_at_80_columns():
    groups = {"country of the user": [f"country {number:02}" for number in range(30)]}
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg@3"], by=groups)
    text = repr(report)
    assert max(map(len, text.splitlines())) <= 80
    assert "country 19" in text
    assert "country 20" not in text
    assert "... and 10 more groups" in text
    shown = [line for line in text.splitlines() if line.startswith("ndcg@3")]
    numbers = [number for line in shown[1:] for number in re.split("  +", line)[1:]]
    by_country = list(report.by_group["country of the user"].values())[:20]
    assert numbers == [f"{of_group['ndcg@3']:.4f}" for of_group in by_country]
    assert "queries" in text.splitlines()[4]


def test_groups_are_shown_with_their_standard_errors():
    by = {"half": np.repeat(["a", "b"], 15), "all": ["c"] * 30}
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg", "dcg"], k=3, by=by)
    text, html = repr(report), report._repr_html_()
    for _, _, of_group in report._reports_of_groups():
        for name, mean in of_group.items():
            # All of these errors have their first significant digit behind the point.
            error = f"{of_group.standard_error[name]:.1e}"
            decimals = 1 + int(error[-2:])
            cell = f"{mean:.{decimals}f} ± {float(error):.{decimals}f}"
            assert cell in text
            assert f"<td>{cell}</td>" in html
    assert text.endswith("\n30 queries; mean ± standard error of each group")
    assert html.endswith("<p>30 queries; mean ± standard error of each group</p>")


@pytest.mark.parametrize(
    ("mean", "error", "text"),
    [
        (0.15213, 0.0005472, "0.15213 ± 0.00055"),
        (0.152, 0.0005472, "0.15200 ± 0.00055"),
        (0.8155, 0.1845, "0.82 ± 0.18"),
        (0.5, 0.0996, "0.50 ± 0.10"),  # rounding makes another digit of the error
        (0.5, 0.0994, "0.500 ± 0.099"),
        (12.34, 1.25, "12.3 ± 1.2"),
        (1234.5, 67.8, "1234 ± 68"),
        (1234.5, 678.9, "1234.5000 ± 678.9000"),
        (1e9, 1.5, "1e+09 ± 1.5000"),
        (-0.001, 0.12, "0.00 ± 0.12"),
        (0.75, 0.0, "0.7500 ± 0.0000"),
        (0.75, 1.3e-7, "0.75000000 ± 0.00000013"),
        (0.75, 1.2e-12, "0.7500 ± 1.2e-12"),
        (0.75, float("inf"), "0.7500 ± inf"),
        (0.75, float("nan"), "0.7500"),
        (float("nan"), float("nan"), "nan"),
    ],
)
def test_a_mean_has_the_decimals_of_its_error(mean, error, text):
    assert with_error(mean, error) == text


def test_numbers_and_names_of_any_size_stay_readable():
    y_true = [[1e-9, 0.0], [1e300, 0.0]]
    by = {60 * "grouping": ["a name\nof two lines", 60 * "long"]}
    report = ranking_report(y_true, [[2, 1]] * 2, scores="dcg@1", by=by)
    lines = repr(report).splitlines()
    assert lines[1].split()[:2] == ["dcg@1", "5e+299"]
    assert r"a name\nof two lines" in lines[3]
    assert max(map(len, lines)) <= 80
    assert "1e-09" in repr(report)
    one = ranking_report([[1, 0]], [[2, 1]], scores="dcg@1")
    assert repr(one).endswith("1 query")


@nothing_to_rank
def test_html_is_escaped():
    scores = {"<b>": "ndcg@3"}
    by = {"<i>&": ["<script>"] * 30}
    html = ranking_report(Y_TRUE, Y_SCORE, scores=scores, by=by)._repr_html_()
    assert "&lt;b&gt;@3" in html
    assert "&lt;i&gt;&amp;" in html
    assert "&lt;script&gt;" in html
    assert not re.search(r"<(b|i|script)>", html)
    many = ranking_report(Y_TRUE, Y_SCORE, scores="ndcg@3", by=np.arange(30))._repr_html_()
    assert "... and 10 more groups" in many


def test_frames():
    by = {"parity": QID % 2}
    report = ranking_report(**ROWS, scores=["ndcg", "arp"], k=[1, 3], by=by, ties=True)
    frame = report.to_frame()
    assert list(frame.columns) == ["parity", "ndcg@1", "ndcg@3", "arp"]
    assert frame.index.tolist() == report.query_ids.tolist()
    assert frame.index.name == "query"
    assert frame["ndcg@3"].tolist() == report.per_query["ndcg@3"].tolist()
    assert frame["parity"].tolist() == (report.query_ids % 2).tolist()
    summary = report.summary_frame()
    assert list(summary.columns) == ["mean", "standard_error", "n_undefined", "worst", "best"]
    assert summary.index.names == ["grouping", "group", "score"]
    assert summary.loc[("", "", "ndcg@3"), "mean"] == report["ndcg@3"]
    of_group = report.by_group["parity"][1]
    assert summary.loc[("parity", 1, "arp"), "best"] == of_group.best["arp"]
    plain = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg", "arp"], k=[1, 3])
    assert plain.to_frame().index.tolist() == list(range(30))
    assert plain.summary_frame().index.tolist() == ["ndcg@1", "ndcg@3", "arp"]
    assert plain.summary_frame().loc["arp", "standard_error"] == plain.standard_error["arp"]


@pytest.mark.parametrize("method", ["to_frame", "summary_frame"])
def test_frames_need_pandas(monkeypatch, method):
    report = ranking_report(Y_TRUE, Y_SCORE)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=f"RankingReport.{method} needs pandas. Install it"):
        getattr(report, method)()


# --- errors -------------------------------------------------------------------------------------

NAMES = ", ".join(NAMED)
ERRORS = [
    (
        {"scores": "ndgc"},
        "The 'scores' parameter of ranking_report must be one of "
        f"{NAMES}, alone or as in 'ndcg@10'. Got 'ndgc' instead. Did you mean 'ndcg' or 'dcg'?",
    ),
    (
        {"scores": "zzzz"},
        "The 'scores' parameter of ranking_report must be one of "
        f"{NAMES}, alone or as in 'ndcg@10'. Got 'zzzz' instead.",
    ),
    *(
        (
            {"scores": [name]},
            "The 'scores' parameter of ranking_report must be a name whose cutoff is an "
            "int "
            f"of at least 1 and at most 18 digits, as in 'ndcg@10'. Got {name!r} instead.",
        )
        for name in ("ndcg@", "ndcg@0", "ndcg@-1", "ndcg@1.5", "ndcg@x", "ndcg@" + 20 * "9")
    ),
    (
        {"scores": ["auc@10"]},
        "The 'scores' parameter of ranking_report must be without a cutoff for 'auc', which has "
        "none. Got 'auc@10' instead.",
    ),
    (
        {"scores": []},
        "The 'scores' parameter of ranking_report must be at least one score. Got [] instead.",
    ),
    (
        {"scores": [max]},
        "The 'scores' parameter of ranking_report must be a score of ranking_scores, or the name "
        "of one. Got the function max instead.",
    ),
    (
        {"scores": {1: "ndcg"}},
        "The 'scores' parameter of ranking_report must be a dict whose keys are names. Got the "
        "key 1 instead.",
    ),
    (
        {"scores": ["ndcg", "ndcg@5"], "k": [5]},
        "The 'scores' parameter of ranking_report must be such that each result has a name of its "
        "own. Got 'ndcg@5' twice instead. Give the scores names of your own: "
        "scores={'name': score, ...}.",
    ),
    (
        {"k": (5, 5)},
        "The 'k' parameter of ranking_report must be a list without repeated cutoffs. Got "
        "'ndcg@5' twice instead.",
    ),
    (
        {"k": [1, None]},
        "The 'k' parameter of ranking_report, for precision_at_k_score, must be an int of at "
        "least 1 or a list of these if denominator='k'. Got None instead. For the whole list, "
        "use denominator='retrieved'. Among several scores, pass `partial(precision_at_k_score, "
        "denominator='retrieved')`.",
    ),
    (
        {"scores": ["hit_rate"], "k": None},
        "The 'k' parameter of ranking_report, for hit_rate_score, must be an int of at least 1 or "
        "a list of these. Got None instead.",
    ),
    (
        {"scores": ["ndcg@5", "hit_rate"]},
        "The 'k' parameter of ranking_report must be given for hit_rate_score, which needs it. "
        "Got nothing instead. Write 'hit_rate@10'.",
    ),
    (
        {"scores": ["auc"], "k": "10"},
        "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
        "these. Got '10' instead.",
    ),
    (
        {"k": 2**63},
        "The 'k' parameter of ranking_report must be below 2**63 - 1, or None for the whole list. "
        "Got 9223372036854775808 instead.",
    ),
    (
        {"score": ["ndcg"]},
        "The 'score' parameter of ranking_report must be left out, since none of the scores "
        "(ndcg, map, mrr, precision, recall, hit_rate) has it. Got ['ndcg'] instead. Did you mean "
        "'scores'?",
    ),
    (
        {"scores": [partial(ndcg_score, gian="linear")]},
        "The 'gian' parameter of ranking_report must be left out, since it is not a "
        "parameter of ndcg. Got 'linear' instead. Did you mean 'gain'?",
    ),
    (
        {"query_ids": ["a", "b", "a"] * 10},
        "The 'query_ids' parameter of ranking_report must be unique. Got 'a' more than once "
        "instead.",
    ),
    (
        {"query_ids": np.array([1, "a"] * 15, dtype=object)},
        "The 'query_ids' parameter of ranking_report must be of one sortable type. Got an array "
        "of shape (30,) and dtype object instead. '<' not supported between instances of 'str' "
        "and 'int'.",
    ),
    (
        {"by": {"ndcg@5": np.arange(30)}},
        "The 'by' parameter of ranking_report must be a dict whose keys are not names of "
        "results. Got 'ndcg@5', the name of a result, instead.",
    ),
    (
        {"by": {"": np.arange(30)}},
        "The 'by' parameter of ranking_report must be a dict whose keys are names. Got the key '' "
        "instead.",
    ),
    (
        {"by": pd.Series(["a", pd.NA, "b"] * 10, dtype="string")},
        "The 'by' parameter of ranking_report must be without missing values. Got <NA> at "
        "position 1 instead.",
    ),
    (
        {"chance": True, "scores": [partial(ndcg_score, ignore_ties=True)]},
        "The 'ignore_ties' parameter of ranking_report must be False if chance=True, which needs "
        "all orders of the ties. Got True instead.",
    ),
    (
        {"k": []},
        "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
        "these. Got [] instead.",
    ),
    *(
        (
            {"k": k},
            "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
            f"these. Got {got} instead.",
        )
        for k, got in (
            (0, "0"),
            ([1, 2.5], "2.5"),
            (True, "True"),
            ("10", "'10'"),
            ({3}, "{3}"),
            ({3: 1}, "{3: 1}"),
        )
    ),
    (
        {"k": [[1, 2]]},
        "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
        "these. Got [[1, 2]] instead.",
    ),
    (
        {"average": None},
        "The 'average' parameter of ranking_report must be left out: the results are means. Got "
        "None instead.",
    ),
    (
        {"scores": [partial(ndcg_score, average=None)]},
        "The 'average' parameter of ranking_report must be left out of the parameters bound to a "
        "score. "
        "Got None for ndcg instead.",
    ),
    (
        {"scores": [partial(ndcg_score, where=None)]},
        "The 'where' parameter of ranking_report must be left out of the parameters bound to a "
        "score. "
        "Got None for ndcg instead. Pass `where` for all scores together.",
    ),
    (
        {"item_weight": np.ones((30, 8))},
        "The 'item_weight' parameter of ranking_report must be None, since map does not accept "
        "it. Got an array of shape (30, 8) and dtype float64 instead.",
    ),
    (
        {"gian": "linear"},
        "The 'gian' parameter of ranking_report must be left out, since none of the scores "
        "(ndcg, map, mrr, precision, recall, hit_rate) has it. Got 'linear' instead. Did you mean "
        "'gain'?",
    ),
    (
        {"persistence": 0.5},
        "The 'persistence' parameter of ranking_report must be left out, since none of the scores "
        "(ndcg, map, mrr, precision, recall, hit_rate) has it. Got 0.5 instead.",
    ),
    (
        {"scores": ["err"]},
        "The 'max_grade' parameter of ranking_report must be given for "
        "expected_reciprocal_rank_score, which needs it. Got nothing instead.",
    ),
    (
        {"gain": "quadratic"},
        "The 'gain' parameter of ranking_report, for ndcg_score, must be 'linear', 'exponential', "
        "a 1-D table of gains or a callable. Got 'quadratic' instead.",
    ),
    (
        {"query_ids": [1, 2]},
        "The 'query_ids' parameter of ranking_report must be of shape (30,), one id per query. "
        "Got shape (2,) instead.",
    ),
    (
        {**ROWS, "query_ids": np.arange(30)},
        "The 'qid' parameter of ranking_report must be None if `query_ids` is given. Got an "
        "array of shape (240,) and dtype int64 instead. The ids of the queries are those in "
        "`qid`.",
    ),
    (
        {"by": ["a", None] * 15},
        "The 'by' parameter of ranking_report must be without missing values. Got None at "
        "position 1 instead.",
    ),
    (
        {"by": {"device": [1, 2]}},
        "The 'by' parameter of ranking_report must be of shape (30,), one group per query. Got "
        "shape (2,) for 'device' instead.",
    ),
    (
        {**ROWS, "by": np.arange(30)},
        "The 'by' parameter of ranking_report must be of shape (240,), one group per row. Got "
        "shape (30,) instead.",
    ),
    (
        {"y_true": [1, 0], "y_score": [1, 2], "qid": [7, 7], "by": ["a", "b"]},
        "The 'by' parameter of ranking_report must be the same for all rows of a query. Got a and "
        "b in the query with qid 7 instead.",
    ),
    (
        {"by": {3: np.arange(30)}},
        "The 'by' parameter of ranking_report must be a dict whose keys are names. Got the key 3 "
        "instead.",
    ),
    (
        {"by": np.array([1, "a"] * 15, dtype=object)},
        "The 'by' parameter of ranking_report must be of one sortable type. Got an array of shape "
        "(30,) and dtype object instead. '<' not supported between instances of 'str' and 'int'.",
    ),
    (
        {"ties": 1},
        "The 'ties' parameter of ranking_report must be True or False. Got 1 instead.",
    ),
    (
        {"chance": "yes"},
        "The 'chance' parameter of ranking_report must be True or False. Got 'yes' instead.",
    ),
    (
        {"ties": True, "ignore_ties": True},
        "The 'ignore_ties' parameter of ranking_report must be False if ties=True, which needs "
        "all orders of the ties. Got True instead.",
    ),
    (
        {"ties": True, "scores": ["ndcg"], "discount": np.sqrt},
        "The 'discount' parameter of ranking_report must be a function whose values never rise "
        "from one rank to the next. Got 1 at rank 1 and more at the next rank instead. Only then "
        "are the best and the worst order of tied items known.",
    ),
    (
        {"chance": True, "y_score": sp.csr_array(Y_SCORE)},
        "The 'chance' parameter of ranking_report must be False if y_score is sparse, since "
        "chance cannot say which items are retrieved. Got True instead.",
    ),
    (
        {"y_score": np.where(np.arange(8) == 2, np.nan, Y_SCORE)},
        "The 'y_score' parameter of ranking_report must be finite. Got NaN or infinity in 30 of "
        "30 queries, the first of them query 0, instead. Use `where` to leave out the items that "
        "take no part. Do not leave out items that were judged but not retrieved: the ideal needs "
        "them, too. A sparse y_score stores only the items that were retrieved.",
    ),
    (
        {"y_true": Y_TRUE - 1, "scores": ["map", "ndcg"]},
        "The 'y_true' parameter of ranking_report, for ndcg_score, must be at least 0, except "
        "below relevance_threshold. Got the label -1 in query 0 instead. Replace "
        "negative labels by 0 if they gain nothing, or use `where=y_true >= 0` if they "
        "mark items to leave out (with `qid`, drop their rows). Are y_true and y_score swapped?",
    ),
    (
        {"group": [10, 20]},
        "The 'group' parameter of ranking_report must be left out, since none of the scores "
        "(ndcg, map, mrr, precision, recall, hit_rate) has it. Got [10, 20] instead. To make ids "
        "from the sizes of queries, use `qid=ranking_scores.qid_from_sizes(group)`.",
    ),
    (
        {"sample_weight": np.zeros(30)},
        "The 'sample_weight' parameter of ranking_report must be positive for at least one query. "
        "Got only zeros instead.",
    ),
    (
        {"y_true": [0, 1], "y_score": [1, 2]},
        "The 'y_true' parameter of ranking_report must be 2-D",
    ),
    (
        {"scores": ["auc"], "y_score": sp.csr_array(Y_SCORE)},
        "The 'y_score' parameter of ranking_report, for grouped_auc_score, must be dense. Got a "
        "sparse csr_array instead. Items that were not retrieved are neither above nor below the "
        "other items.",
    ),
]


@pytest.mark.parametrize(("arguments", "text"), ERRORS)
def test_ranking_report_refuses_by_name(arguments, text):
    defaults = {"y_true": Y_TRUE, "y_score": Y_SCORE}
    with pytest.raises((ValueError, TypeError)) as caught:
        ranking_report(**defaults | arguments)
    assert str(caught.value).startswith(text)
    assert str(caught.value) == text or text.endswith("2-D")
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)


# --- streams of several scores ------------------------------------------------------------------


def test_streams_of_several_scores_are_merged_as_those_of_one():
    scores = {"n": ndcg_score, "hits": "hit_rate@2", "r": r_precision_score}
    whole = ranking_report(**ROWS, scores=scores, k=[1, 3])
    parts = []
    for remainder in range(3):
        rows = remainder == QID % 3
        part = StreamingScore(scores, k=[1, 3])
        part.update(**{name: values[rows] for name, values in ROWS.items()})
        parts.append(part)
    merged = parts[2].merge(parts[0]).merge(parts[1])
    assert merged.compute() == whole.mean
    assert merged.standard_error == whole.standard_error
    assert merged.n_undefined == whole.n_undefined
    assert repr(merged) == "<StreamingScore([n@1, n@3, hits@2, r]): n_queries=30>"
    again = pickle.loads(pickle.dumps(merged))
    assert again.compute() == whole.mean


def test_streams_of_one_score_at_two_cutoffs_differ_by_the_options_of_each():
    def stream(gain):
        return StreamingScore([partial(ndcg_score, k=1, gain=gain), partial(ndcg_score, k=3)])

    assert stream("linear").merge(stream("linear")).n_queries == 0
    with pytest.raises(ValueError, match=r"gain of ndcg \(0\)='exponential' where this stream"):
        stream("linear").merge(stream("exponential"))


def test_streams_of_several_scores_refuse_what_differs():
    def refused(other):
        with pytest.raises(ValueError, match="a stream of the same score and param") as caught:
            StreamingScore(["ndcg", "map"], k=3).merge(other)
        return str(caught.value)

    assert "Got scores=" in refused(StreamingScore(["ndcg"], k=3))
    merged = StreamingScore(["ndcg@3", "map@3"]).merge(StreamingScore(["ndcg", "map"], k=3))
    assert merged.n_queries == 0
    assert "Got scores=" in refused(StreamingScore(["ndcg", "map"], k=4))
    assert "gain of ndcg='exponential'" in refused(
        StreamingScore(["ndcg", "map"], k=3, gain="exponential")
    )
    assert "score of ndcg=dcg_score" in refused(
        StreamingScore({"ndcg": dcg_score, "map": "map"}, k=3)
    )
    text = "Got a stream of one score beside a stream of several scores instead."
    assert text in refused(StreamingScore("ndcg", k=3))
    with pytest.raises(ValueError, match="Got a stream of several scores beside a stream of one"):
        StreamingScore("ndcg", k=3).merge(StreamingScore(["ndcg"], k=3))
    assert "check_qid=False" in refused(StreamingScore(["ndcg", "map"], k=3, check_qid=False))


def test_streams_of_several_scores_name_themselves_in_errors():
    with pytest.raises(ValueError, match="parameter of StreamingScore, for ndcg_score, must be"):
        StreamingScore(["ndcg"], gain="nothing")
    with pytest.raises(ValueError, match="'average' parameter of StreamingScore must be"):
        StreamingScore(["ndcg"], average=None)
    with pytest.raises(ValueError, match="'qid' parameter of StreamingScore must be"):
        StreamingScore(["ndcg"], qid=QID)
    with pytest.raises(ValueError, match="'gian' parameter of StreamingScore must be left out"):
        StreamingScore(["ndcg"], gian=1)
    with pytest.raises(ValueError, match=r"'scores' parameter .* at least one score"):
        StreamingScore([])
    with pytest.raises(ValueError, match=r"own: scores={'name': score, \.\.\.}"):
        StreamingScore(["ndcg", "ndcg"])
    stream = StreamingScore(["ndcg", "map"])
    with pytest.raises(ValueError, match=r"'item_weight' parameter of StreamingScore\.update"):
        stream.update(Y_TRUE, Y_SCORE, item_weight=np.ones((30, 8)))
    with pytest.raises(ValueError, match=r"'y_score' parameter of StreamingScore\.update"):
        stream.update(Y_TRUE, np.full((30, 8), np.nan))
    assert stream.n_queries == 0
    stream.update(Y_TRUE, Y_SCORE, item_weight=None)
    assert stream.compute() == ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg", "map"], k=None).mean


def test_a_stream_of_several_scores_warns_of_those_that_are_undefined():
    stream = StreamingScore(["dcg@1", "ndcg@1", "map"], replace_undefined_by=np.nan)
    stream.update([[0, 0]], [[1, 2]])
    with pytest.warns(UndefinedMetricWarning) as caught:
        stream.compute()
    [warning] = caught
    assert "StreamingScore (ndcg@1, map) are undefined" in str(warning.message)
    weightless = StreamingScore(["ndcg"])
    weightless.update(Y_TRUE, Y_SCORE, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match="parameter of StreamingScore must be positive for at"):
        weightless.compute()


def test_class_labels_of_several_scores_need_all_classes_in_a_stream():
    stream = StreamingScore(["ndcg", "hit_rate@2"])
    with pytest.raises(ValueError, match=r"'labels' parameter of StreamingScore\.update"):
        stream.update([0, 1, 2], np.eye(3))
    stream = StreamingScore(["ndcg", "hit_rate@2"], labels=[0, 1, 2])
    stream.update([0, 1], np.eye(3)[:2])
    assert stream.compute() == {"ndcg": 1.0, "hit_rate@2": 1.0}
