"""Many scores at once: the numbers of each score alone, names, the result, and streams."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from laws import BUT_FOR_GRADE_3, LAYOUTS, NOT_DENSE, SCORES, assert_same_bits, cases
from reported_data import QID, RNG, ROWS, Y_SCORE, Y_TRUE
from sklearn.exceptions import UndefinedMetricWarning
from warned import nothing_to_rank

from ranking_scores import (
    RankingReport,
    StreamingScore,
    average_relevant_position,
    dcg_score,
    expected_reciprocal_rank_score,
    f1_at_k_score,
    from_lists,
    from_tables,
    grouped_auc_score,
    mean_average_precision_score,
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    r_precision_score,
    ranking_report,
    recall_at_k_score,
    scale,
)
from ranking_scores.__main__ import main
from ranking_scores._metrics import _evaluate
from ranking_scores._metrics._named import SCORES as NAMED
from ranking_scores.ties import chance_level, tie_report

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


DEFAULT_NAMES = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10"]
TWO_QUERIES = {"query": ["q", "q", "p", "p"], "item": [*"abab"]}
TWO_QUERIES |= {"label": [1, 0, 0, 1], "score": [2, 1, 2, 1]}


def test_the_scores_by_default_are_those_of_tables_of_any_size():
    pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    assert scale.per_query(TWO_QUERIES).column_names == ["query", *DEFAULT_NAMES]
    roles = {name: name for name in TWO_QUERIES}
    joined = scale.report_tables(TWO_QUERIES, TWO_QUERIES, **roles)
    assert joined.mean == scale.report(TWO_QUERIES).mean


def test_the_scores_by_default_are_those_of_every_door(tmp_path, capsys):
    names = DEFAULT_NAMES
    relevant, retrieved = {"q": ["a"], "p": ["b"]}, {"q": ["a", "b"], "p": ["a", "b"]}
    of_lists = ranking_report(from_lists(relevant, retrieved))
    assert list(of_lists.mean) == names
    assert of_lists["map"] == 0.75
    rows = TWO_QUERIES
    assert scale.report(rows).mean == of_lists.mean
    paths = [tmp_path / name for name in ("gold.csv", "run.csv")]
    for path, role in zip(paths, ("label", "score"), strict=True):
        pd.DataFrame(rows)[["query", "item", role]].to_csv(path, index=False)
    assert main([*map(str, paths), "--format", "json"]) == 0
    printed = {record["score"]: record["mean"] for record in json.loads(capsys.readouterr().out)}
    assert printed == of_lists.mean
    at_2 = ["ndcg@2", "map@2", "mrr@2", "precision@2", "recall@2", "hit_rate@2"]
    assert list(ranking_report(from_lists(relevant, retrieved), k=2).mean) == at_2
    assert list(scale.report(rows, k=2).mean) == at_2
    # The same names are not the default ones if the caller writes them.
    assert list(scale.report(rows, scores=names, k=2).mean) == ["ndcg@10", "map@2", *names[2:]]


def test_the_default_scores_have_the_cutoffs_that_are_passed():
    report = ranking_report(Y_TRUE, Y_SCORE, k=[1, 5, 10])
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
    ranking_report(y_true, y_score, k=[1, 10])
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
        (lambda: ranking_report(data.y_true), "y_score", "from_lists"),
        (lambda: tie_report(data.y_true, score="mrr"), "y_score", "from_lists"),
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
    report = ranking_report(Y_TRUE, Y_SCORE, scores="ndcg", sample_weight=weights)
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
            mapping["ndcg@10"] = 1.0
    for array in (report.query_ids, report.sample_weight, report.per_query["ndcg@10"]):
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
    assert_same_bits(again.per_query["map"], report.per_query["map"])
    with pytest.raises(TypeError):
        again.mean["map"] = 0


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
    with pytest.raises(ValueError, match="StreamingScore has no parameter 'gian', nor has ndcg"):
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
