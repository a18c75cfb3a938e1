"""Queries that need several things: scores of lists and arrays over the aspects of each query."""

from __future__ import annotations

import json
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import reference
from aspect_data import AS_LISTS, FOUND, GOLD, NAMES, TABLE
from laws import assert_same_bits
from raising import raises

from ranking_scores import (
    StreamingScore,
    all_relevant_at_k_score,
    alpha_ndcg_score,
    expected_reciprocal_rank_score,
    hit_rate_score,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
)
from ranking_scores._queries import _over_aspects
from ranking_scores.conventions import like
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_query
from ranking_scores.report import read_report
from ranking_scores.significance import compare, compare_all
from ranking_scores.tables import from_lists, from_tables
from ranking_scores.ties import tie_report
from ranking_scores.unjudged import score_bounds

TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py
SCORES = [
    "ndcg@2", "ndcg", "dcg", "map", "mrr@3", "hit_rate@2", "precision@2", "recall@3", "f1@3",
    "r_precision", "err@3", "rbp", "bpref", "judged@3",
]  # fmt: skip


def drawn(seed, *, graded):
    """Return judgments of aspects and predictions with ties, of seven queries."""
    rng = np.random.default_rng(seed)
    gold, found = {}, {}
    for query in map("q{}".format, range(7)):
        items = [f"d{number}" for number in range(12)]
        gold[query] = {}
        for aspect in range(rng.integers(0, 4)):
            some = rng.permutation(items)[: rng.integers(0, 5)].tolist()
            grades = {item: int(rng.integers(0, 3)) for item in some}
            gold[query][f"a{aspect}"] = grades if graded else some
        scores = rng.integers(0, 4, 12) / 4
        found[query] = {
            item: float(score) for item, score in zip(items[2:9], scores, strict=False)
        }
    return gold, found


def aspect_by_aspect(gold, found, **options):
    """Return the mean over the aspects of each query, of which each is scored alone."""
    queries = [(query, aspect) for query in sorted(gold) for aspect in gold[query]]
    data = from_lists(
        [gold[query][aspect] for query, aspect in queries], [found[query] for query, _ in queries]
    )
    report = ranking_report(data, **options)
    means = {}
    for name, values in report.per_query.items():
        of_query = {query: [] for query in sorted(gold)}
        for (query, _), value in zip(queries, values, strict=True):
            of_query[query].append(value)
        means[name] = [np.mean(each) if each else 0.0 for each in of_query.values()]
    return means


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_score_is_the_mean_over_the_aspects_of_each_query(seed, graded, k):
    gold, found = drawn(seed, graded=graded)
    scores = SCORES if k is None else ["ndcg", "map", "hit_rate", "err"]
    options = {"scores": scores, "k": k, "max_grade": 2}
    report = ranking_report(from_lists(gold, found, aspects=True), **options)
    for name, expected in aspect_by_aspect(gold, found, **options).items():
        np.testing.assert_allclose(report.per_query[name], expected, atol=TOLERANCE, rtol=0)


def test_one_aspect_of_each_query_has_the_bits_of_lists_without_aspects():
    gold = {"q1": {"d1": 2, "d7": 1}, "q2": {"d3": 1}, "q3": {}}
    expected = ranking_report(from_lists(gold, FOUND), scores=["ndcg", "map", "rbp"])
    data = from_lists({query: {"it": own} for query, own in gold.items()}, FOUND, aspects=True)
    assert ranking_report(data, scores=["ndcg", "map", "rbp"]) == expected


@pytest.mark.parametrize("replacement", [0.0, 0.25, np.nan])
def test_what_replaces_an_undefined_score_replaces_that_of_an_aspect(replacement):
    data = from_lists(GOLD, FOUND, aspects=True)
    options = {"k": 2, "average": None, "replace_undefined_by": replacement}
    values = hit_rate_score(data, **options)
    # Nothing answers the why of q2, and q3 asks for nothing.
    of_second = 1.0 if np.isnan(replacement) else (1 + replacement) / 2
    np.testing.assert_array_equal(values, [0.5, of_second, replacement])
    report = ranking_report(data, scores="hit_rate", k=2, replace_undefined_by=replacement)
    assert report.n_undefined == {"hit_rate@2": 1}


def test_queries_come_in_all_forms():
    expected = [1.0, 0.5]
    for gold, found in [
        ([{"x": [{"id": "a"}], "y": ["b"]}, {"x": {"c"}, "y": ("d",)}],
         [["b", "a"], ["c"]]),
        ([{"x": {"a": 1}, "y": {"b": 2}}, {"x": {"c": 1}, "y": {"d": 1}}, None],
         [["b", "a"], ["c"], ["d"]]),
        ([{"x": np.array([1]), "y": [2]}, {"x": [3], "y": [4]}], [[2, 1], [3]]),
    ]:  # fmt: skip
        values = hit_rate_score(from_lists(gold, found, aspects=True), k=2, average=None)
        assert values.tolist()[:2] == expected


def test_queries_that_only_one_side_has_are_chosen_as_without_aspects():
    found = {"q9": ["d1"], **FOUND}
    del found["q2"]
    data = from_lists(GOLD, found, aspects=True)
    assert hit_rate_score(data, k=3, average=None).tolist() == [1.0, 0.0, 0.0]
    data = from_lists(GOLD, found, aspects=True, queries="all")
    assert data.query_ids.tolist() == ["q1", "q2", "q3", "q9"]
    assert hit_rate_score(data, k=3, average=None).tolist() == [1.0, 0.0, 0.0, 0.0]
    data = from_lists(GOLD, found, aspects=True, queries="both")
    assert hit_rate_score(data, k=3, average=None).tolist() == [1.0, 0.0]


def test_passages_become_documents():
    gold = {"q": {"who": ["a"], "when": ["b"]}}
    found = {"q": ["c#1", "a#9", "b#1", "a#1"]}
    options = {"aspects": True, "split": "#", "duplicates": "best"}
    assert hit_rate_score(from_lists(gold, found, **options), k=2) == 0.5
    assert hit_rate_score(from_lists(gold, found, **options), k=3) == 1.0
    own = {"q": {"who": ["a#1"], "when": ["b#7", "a#1"]}}
    with raises(
        "split",
        "a text that no judged id has",
        got="'#', which 'a#1' has: it would be compared with 'c' of 'c#1',",
    ):
        hit_rate_score(from_lists(own, found, **options), k=3)
    data = from_lists(own, found, split_relevant=True, **options)
    assert hit_rate_score(data, k=2) == 1.0
    with raises(
        "split", "judged ids stay different", got="'#', by which 'a#1' and 'a#2' become 'a',"
    ):
        from_lists({"q": {"who": ["a#1"], "when": ["a#2"]}}, found, split_relevant=True, **options)


def test_passages_of_one_aspect_may_be_one_document():
    documents = {"a#1": "a", "a#2": "a", "b#7": "b", "b#8": "b", "c#1": "c", "a#9": "a"}
    found = {"q": ["c#1", "a#9", "b#7", "a#1"]}
    options = {"aspects": True, "split": documents, "split_relevant": True}
    gold = {"q": {"who": {"a#1": 1, "a#2": 3}, "when": {"b#7": 2, "b#8": 0}}}
    with raises(
        "relevant", "each item once", got="item 'a' more than once for query ('q', 'who')"
    ):
        from_lists(gold, found, **options)
    data = from_lists(gold, found, duplicates="best", **options)
    assert data.judged_items().labels.tolist() == [3, 2]  # the highest grades


def test_the_query_itself_is_dropped():
    gold = {"q1": {"x": ["d1"], "y": ["q1"]}}
    data = from_lists(gold, {"q1": ["q1", "d1"]}, aspects=True, drop_self=True)
    assert hit_rate_score(data, k=1) == 0.5


def test_labels_are_unknown_for_aspects_that_do_not_judge_them():
    gold = {"q": {"x": {"a": 1, "b": 0}, "y": {"c": 1}}}
    data = from_lists(gold, {"q": ["a", "b", "c"]}, aspects=True)
    report = ranking_report(data, scores=["judged"], k=[2, 3])
    np.testing.assert_allclose(report.per_query["judged@2"], [(2 / 2 + 0) / 2])
    np.testing.assert_allclose(report.per_query["judged@3"], [(2 / 3 + 1 / 3) / 2])


@pytest.mark.filterwarnings("ignore:No judged item")
def test_free_ranks_are_judged_for_all_aspects():
    run = [{"topic": "q1", "doc": "d1", "rank": 1}, {"topic": "q1", "doc": "d5", "rank": 3}]
    table = {name: TABLE[name][:2] for name in ("topic", "fact", "doc", "grade")}
    report = ranking_report(from_tables(table, run, **NAMES), scores=["judged"], k=[1, 3])
    # The second rank is free. For "who" d1 was judged, and for "when" neither d1 nor d5 was.
    without = {name: NAMES[name] for name in NAMES if name != "aspect"}
    alone = [
        ranking_report(
            from_tables({name: [each[place]] for name, each in table.items()}, run, **without),
            scores=["judged"],
            k=[1, 3],
        )
        for place in range(2)
    ]
    for name, mean in report.items():
        assert mean == pytest.approx(np.mean([each[name] for each in alone]), abs=TOLERANCE)


def test_gains_of_0_and_thresholds_see_all_items():
    data = from_lists(GOLD, FOUND, aspects=True)
    found = precision_at_k_score(data, k=2, relevance_threshold=0, average=None)
    assert found.tolist() == [1.0, 1.0, 0.5]
    gain = lambda labels: labels + 1  # noqa: E731
    assert ndcg_score(data, gain=gain, k=1) < 1


def test_reports_say_so_and_keep_it(tmp_path):
    data = from_lists(GOLD, FOUND, aspects=True)
    report = ranking_report(data, scores="hit_rate", k=2, by={"kind": ["a", "a", "b"]})
    assert str(report).splitlines()[-1] == "scores are over the aspects of each query"
    assert report.by_group["kind"]["a"]["hit_rate@2"] == 0.5
    report.to_json(tmp_path / "report.json")
    again = read_report(tmp_path / "report.json")
    assert again == report == pickle.loads(pickle.dumps(report))
    assert "over the aspects" in str(again)
    assert report.judgments.n_items == 4
    plain = ranking_report(from_lists([["d7"], ["d3"], []], list(FOUND.values())), k=2)
    assert "aspects" not in str(plain)


def test_digests_of_judgments_tell_aspects_apart():
    digests = set()
    for gold in (GOLD, {**GOLD, "q1": {"how": ["d1", "d7"], "when": ["d9"]}},
                 {**GOLD, "q1": {"who": ["d1"], "when": ["d9", "d7"]}},
                 {"q1": ["d1", "d7", "d9"], "q2": ["d3"], "q3": []}):  # fmt: skip
        data = from_lists(gold, FOUND, aspects="who" in gold["q1"] or "how" in gold["q1"])
        digests.add(ranking_report(data, scores="ndcg").judgments.digest)
    assert len(digests) == 4


def test_systems_are_compared_over_aspects():
    one, other = (
        from_lists(GOLD, found, aspects=True) for found in (FOUND, {**FOUND, "q1": ["d7", "d9"]})
    )
    table = compare_all({"one": one, "other": other}, scores="hit_rate@2")
    assert "hit_rate@2" in str(table)
    reports = [ranking_report(each, scores="hit_rate", k=2) for each in (one, other)]
    assert compare(*reports).difference == pytest.approx(1 / 6)
    plain = ranking_report(
        from_lists({"q1": ["d1"], "q2": ["d3"], "q3": []}, FOUND), scores="hit_rate", k=2
    )
    kinds = "over the aspects of its queries", "without aspects"
    for pair, (expected, got) in ((plain, reports[0]), kinds[::-1]), ((reports[0], plain), kinds):
        with raises("system_b", f"{expected}, like system_a", got=f"one {got}", advice="neither"):
            compare(*pair)


def test_data_shows_its_aspects():
    data = from_lists(GOLD, FOUND, aspects=True)
    lines = str(data).splitlines()
    assert lines[:4] == [
        "RankingData from lists",
        "queries             3 judged, 3 predicted, 3 both",
        "aspects             4; per query 0 to 2, median 2",
        "judged items        4; per query 0 to 3, median 1",
    ]
    assert lines[6].split() == ["labels", "1", "(4", "times)"]
    assert data.y_score.shape == (3, 6)
    assert data.item_ids.tolist() == ["d1", "d2", "d3", "d4", "d7", "d9"]
    assert data.prediction_order is not None
    with pytest.raises(AttributeError, match="a label for each aspect"):
        _ = data.y_true
    with pytest.raises(AttributeError, match="a label for each aspect"):
        _, _ = data


# --- arrays --------------------------------------------------------------------------------------


def arrays_of(gold, found):
    """Return labels of shape (n_queries, n_aspects, n_items), the scores and what was judged."""
    n_aspects = max(map(len, gold.values()))
    items = sorted({item for scores in found.values() for item in scores})
    y_true = np.full((len(gold), n_aspects, len(items)), np.nan)
    y_score = np.array([[scores.get(item, 0) for item in items] for scores in found.values()])
    for labels, of_aspects in zip(y_true, gold.values(), strict=True):
        for row, grades in zip(labels, of_aspects.values(), strict=False):
            row[:] = [grades.get(item, 0) for item in items]
    return y_true, y_score


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("seed", range(3))
def test_arrays_have_an_axis_for_aspects(seed):
    gold, found = drawn(seed, graded=True)
    gold = {  # all judged items were found, so that arrays hold the same
        query: {
            aspect: {item: grade for item, grade in grades.items() if item in found[query]}
            for aspect, grades in of_aspects.items()
        }
        for query, of_aspects in gold.items()
    }
    scores = [name for name in SCORES if name not in ("bpref", "judged@3")]  # of judged items
    options = {"scores": [*scores, "alpha_ndcg@3", "all_relevant@4"], "k": None, "max_grade": 2}
    expected = ranking_report(from_lists(gold, found, aspects=True), **options)
    y_true, y_score = arrays_of(gold, found)
    report = ranking_report(y_true, y_score, **options)
    assert "scores are over the aspects of each query" in str(report)
    for name, values in expected.per_query.items():
        np.testing.assert_allclose(report.per_query[name], values, atol=TOLERANCE, rtol=0)
    # Items that take no part may have any label, and change nothing.
    where = np.hstack([np.ones(y_score.shape, dtype=bool), np.zeros((len(gold), 2), dtype=bool)])
    y_true = np.concatenate([y_true, np.full((*y_true.shape[:2], 2), np.inf)], axis=2)
    y_true[:, 0, -1] = 3
    y_score = np.hstack([y_score, np.ones((len(gold), 2))])
    masked = ranking_report(y_true, y_score, where=where, **options)
    assert masked.per_query.keys() == report.per_query.keys()
    for name, values in report.per_query.items():
        np.testing.assert_array_equal(masked.per_query[name], values)


def test_lists_of_lists_have_aspects_and_columns_of_one_item_have_none():
    y_true, y_score = [[[True, False], [False, True]]], [[0.4, 0.3]]
    assert hit_rate_score(y_true, y_score, k=[1, 2]).tolist() == [0.5, 1]
    with raises("y_true", "of shape (n_queries, n_items)", advice="[..., 0]"):
        ndcg_score(np.ones((2, 4, 1)), np.ones((2, 4)))


ONE = np.array([[[1.0, 0, 0], [0, 0, 1]]])


@pytest.mark.parametrize(
    ("params", "parameter", "expected", "got"),
    [
        ({"y_score": [[1, 2]]}, "y_score", "of shape (1, 3)", "shape (1, 2)"),
        (
            {"y_true": np.ones((0, 2, 3))},
            "y_true",
            "at least one query and item",
            "shape (0, 2, 3)",
        ),
        (
            {"y_true": np.where(ONE, ONE, -np.inf)},
            "y_true",
            "finite",
            "-inf in aspect 0 of query 0",
        ),
        ({"qid": [0]}, "qid", "None if y_true is over aspects", "[0]"),
        ({"labels": [0, 1, 2]}, "labels", "None if y_true is over aspects", "[0, 1, 2]"),
        ({"item_weight": [1, 1, 1]}, "item_weight", "None if y_true is over aspects", "[1, 1, 1]"),
    ],
)
def test_arrays_over_aspects_that_are_wrong_are_named(params, parameter, expected, got):
    with raises(parameter, expected, got=got):
        ndcg_score(**{"y_true": ONE, "y_score": [[3, 2, 1]]} | params)


def test_what_does_not_take_aspects_refuses_arrays_by_their_shape():
    for call in (
        partial(tie_report, score="ndcg"),
        partial(score_bounds, score="ndcg"),
        like("trec_eval", "map"),
        StreamingScore("ndcg").update,
    ):
        with raises("y_true", "without aspects", got="shape (1, 2, 3)") as caught:
            call(ONE, [[3, 2, 1]])
        assert caught.value.function != "ndcg_score"
    with raises("y_true", "`from_lists`", function="explain_query", got="shape (1, 2, 3)"):
        explain_query(ONE, [[3, 2, 1]], score="ndcg")


# --- all aspects ---------------------------------------------------------------------------------


def labels_of(gold, found):
    """Return the labels of the items found, for each aspect of each query, and their scores."""
    for query in sorted(gold):
        items = [*found[query]]
        labels = [[own.get(item, 0) for item in items] for own in gold[query].values()]
        yield labels, [found[query][item] for item in items]


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_all_aspects_are_found_in_so_many_orders(seed, k):
    gold, found = drawn(seed, graded=True)
    found = {query: dict([*each.items()][:5]) for query, each in found.items()}
    data = from_lists(gold, found, aspects=True)
    expected = [
        float(reference.all_aspects_at_k(labels, scores, k=k)) if np.any(labels) else 0.0
        for labels, scores in labels_of(gold, found)
    ]
    values = all_relevant_at_k_score(data, k=[k, 1], average=None)
    assert values[:, 0].tolist() == expected
    untied = {query: [*each] for query, each in found.items()}
    by_order = all_relevant_at_k_score(from_lists(gold, untied, aspects=True), k=k, average=None)
    expected = [
        float(reference.all_aspects_at_k(labels, range(len(scores), 0, -1), k=k))
        if np.any(labels)
        else 0.0
        for labels, scores in labels_of(gold, found)
    ]
    assert by_order.tolist() == expected


def test_aspects_that_no_item_has_are_missing_unless_undefined_ones_are_left_out():
    data = from_lists(GOLD, FOUND, aspects=True)
    options = {"k": 3, "average": None}
    assert all_relevant_at_k_score(data, **options).tolist() == [1, 0, 0]
    values = all_relevant_at_k_score(data, **options, replace_undefined_by=np.nan)
    np.testing.assert_array_equal(values, [1, 1, np.nan])
    weights = {"q1": {"who": 1, "when": 0}, "q2": {"who": 0, "why": 0}}
    data = from_lists(AS_LISTS, FOUND, aspects=True, aspect_weight=weights)
    assert all_relevant_at_k_score(data, k=1, average=None).tolist() == [1, 0]
    report = ranking_report(data, scores="recall_all@1")
    assert report.n_undefined == {"all_relevant@1": 1}


def test_too_many_aspects_that_a_tie_decides_on_are_refused():
    gold = {"q": {f"a{number}": [f"d{number}"] for number in range(11, 28)}}
    scores = {f"d{number}": 1 for number in range(10, 28)}
    data = from_lists(gold, {"q": scores}, aspects=True)
    with raises("y_true", "at most 16 aspects", got="17 of them in query 0") as caught:
        all_relevant_at_k_score(data, k=[18, 17])
    assert caught.value.function == "all_relevant_at_k_score"
    assert all_relevant_at_k_score(data, k=17, ignore_ties=True) == 1
    del gold["q"]["a11"]
    # The one of 18 items that is left out must be one of two.
    assert all_relevant_at_k_score(from_lists(gold, {"q": scores}, aspects=True), k=17) == 2 / 18


# --- repetition ----------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0, 0.25, 0.5, 1])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_ndcg_is_its_mean_over_all_orders(seed, alpha):
    gold, found = drawn(seed, graded=True)
    # All items are found, since the ideal of the reference has no others.
    found = {query: {**dict([*each.items()][:5])} for query, each in found.items()}
    gold = {
        query: {
            name: {item: grade for item, grade in grades.items() if item in found[query]}
            for name, grades in aspects.items()
        }
        for query, aspects in gold.items()
    }
    rng = np.random.default_rng(seed)
    weights = {
        query: {name: int(rng.integers(0, 3)) for name in aspects}
        for query, aspects in gold.items()
    }
    data = from_lists(gold, found, aspects=True, aspect_weight=weights)
    options = {"alpha": alpha, "average": None, "replace_undefined_by": np.nan}
    values = alpha_ndcg_score(data, k=[2, 4], **options)
    for row, query in zip(values, sorted(gold), strict=True):
        items = sorted(found[query])
        labels = [[own.get(item, 0) for item in items] for own in gold[query].values()]
        scores = [found[query][item] for item in items]
        for k, value in zip([2, 4], row, strict=True):
            exact = reference.alpha_ndcg_of_aspects(
                labels, scores, k=k, alpha=alpha, weights=[*weights[query].values()]
            )
            expected = np.nan if exact is None else float(exact)
            assert value == pytest.approx(expected, rel=TOLERANCE, nan_ok=True)


NDEVAL = json.loads(Path(__file__).parents[1].joinpath("data", "ndeval_numbers.json").read_text())


@pytest.mark.parametrize("alpha", NDEVAL["numbers"])
def test_ndeval_has_the_same_numbers(alpha):
    data = from_lists(NDEVAL["gold"], NDEVAL["found"], aspects=True)
    numbers = NDEVAL["numbers"][alpha]
    values = alpha_ndcg_score(data, k=[3, 10], alpha=float(alpha), average=None)
    expected = np.column_stack([numbers["alpha-nDCG@3"], numbers["alpha-nDCG@10"]])
    np.testing.assert_allclose(values, expected, rtol=TOLERANCE, atol=0)
    found = hit_rate_score(data, k=3, average=None, replace_undefined_by=np.nan)
    np.testing.assert_allclose(found, numbers["strec@3"], rtol=TOLERANCE, atol=0)


def test_the_means_of_ndeval_are_those_that_its_reasons_name():
    gold = {
        query: {
            aspect: {item: min(grade, 1) for item, grade in grades.items()}
            for aspect, grades in of_query.items()
        }
        for query, of_query in NDEVAL["gold"].items()
    }
    data = from_lists(gold, NDEVAL["found"], aspects=True)
    for measure, numbers in NDEVAL["means"].items():
        name, _, k = measure.partition("@")
        score, options, divisor = {
            "ERR-IA": (expected_reciprocal_rank_score, {"max_grade": 1}, 0.0),
            "P-IA": (precision_at_k_score, {}, 1.0),
            "MAP-IA": (mean_average_precision_score, {}, 1.0),
        }[name]
        with pytest.raises(InvalidParameterError, match=score.__name__):
            like("ndeval", measure)
        if k:
            options["k"] = int(k)
        divisor = divisor or sum(0.5**rank / rank for rank in range(1, options["k"] + 1))
        values = score(data, average=None, replace_undefined_by=np.nan, **options)
        np.testing.assert_allclose(values / divisor, numbers, rtol=TOLERANCE, atol=0)


def test_the_last_id_comes_first_in_the_ideal_of_alpha_ndcg():
    # All three items cover two aspects. After b or c the other one gains 2, and after z 1.
    gold = {"v": ["b", "z"], "w": ["c", "z"], "x": ["b"], "y": ["c"]}
    table = [
        {"query": "q", "item": item, "aspect": aspect}
        for aspect, items in gold.items()
        for item in sorted(items, reverse=True)
    ]
    run = [{"query": "q", "item": item, "rank": rank} for rank, item in enumerate("bc", 1)]
    names = {"query": "query", "item": "item", "aspect": "aspect", "rank": "rank"}
    expected = (2 + 2 / np.log2(3)) / (2 + 1 / np.log2(3))
    for data in (
        from_lists({"q": gold}, {"q": ["b", "c"]}, aspects=True),
        from_tables(table, run, **names),
    ):
        assert alpha_ndcg_score(data, k=2, alpha=1) == pytest.approx(expected, rel=TOLERANCE)


@pytest.mark.parametrize("graded", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_text_has_the_scores_of_numbers_in_its_order(seed, graded):
    gold, found = drawn(seed, graded=graded)
    if not graded:  # An item that is there twice counts once.
        gold["q0"]["twice"] = ["d3", "d2", "d3"]
    number = {item: place for place, item in enumerate(sorted(f"d{n}" for n in range(12)))}
    numbered = {
        query: {
            aspect: {number[item]: grade for item, grade in items.items()}
            if graded
            else [number[item] for item in items]
            for aspect, items in aspects.items()
        }
        for query, aspects in gold.items()
    }
    scored = {
        query: {number[item]: score for item, score in items.items()}
        for query, items in found.items()
    }
    text, numbers = (
        ranking_report(from_lists(*own, aspects=True, duplicates="best"), **ALPHA).per_query
        for own in ((gold, found), (numbered, scored))
    )
    for name, values in text.items():
        np.testing.assert_array_equal(values, numbers[name])


ALPHA = {"scores": ["alpha_ndcg@3", "ndcg", "judged@5"]}


def test_all_items_relevant_for_all_aspects_have_no_alpha_ndcg():
    data = from_lists(GOLD, FOUND, aspects=True)
    with raises("relevance_threshold", "above 0 if y_true is over aspects", got="0"):
        alpha_ndcg_score(data, relevance_threshold=0)


# --- blocks --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("name", ["ndcg", "judged@3", "all_relevant@3", "alpha_ndcg@3"])
def test_queries_are_expanded_piece_by_piece(monkeypatch, name):
    gold, found = drawn(1, graded=True)
    data = from_lists(gold, found, aspects=True)
    expected = ranking_report(data, scores=name).per_query
    monkeypatch.setattr(_over_aspects, "queries_per_block", lambda width: 2)
    values = ranking_report(from_lists(gold, found, aspects=True), scores=name).per_query
    np.testing.assert_array_equal(
        *(np.column_stack([*each.values()]) for each in (values, expected))
    )


def with_ties(n_values):
    """Return data over aspects whose items have similar scores, of which there are so many."""
    rng = np.random.default_rng(0)
    gold, found = [], []
    for n_items in (600, 500):
        scores = rng.permutation(n_items) % n_values
        items = np.argsort(scores)
        own = [items[start : start + rng.integers(4)] for start in rng.integers(0, n_items, 40)]
        gold.append(
            {a: dict(zip(o, rng.integers(1, 4, 3), strict=False)) for a, o in enumerate(own)}
        )
        found.append(dict(enumerate(scores[: n_items - 40].tolist())))
    return from_lists(gold, found, aspects=True)


@pytest.mark.filterwarnings("ignore:No relevant item")
@pytest.mark.parametrize("k", [None, [3, 400]])
@pytest.mark.parametrize("n_values", [4, 60, 100, 10_000])
def test_only_the_items_with_a_label_are_ranked_if_aspects_are_many(monkeypatch, n_values, k):
    counted = []
    take = _over_aspects.AspectExpansion._counted

    def noted(*args):
        found = take(*args)
        counted.append(found is not None)
        return found

    def scores():
        data = with_ties(n_values)
        options = {"k": k, "average": None}
        for alpha in (0, 0.3, 1):
            yield alpha_ndcg_score(data, alpha=alpha, **options)
        yield expected_reciprocal_rank_score(data, max_grade=3, **options)
        for gain in ("linear", "exponential", [0, 0.1, 0.7, 0.2]):
            yield ndcg_score(data, gain=gain, **options)
        yield mean_average_precision_score(data, **options)

    monkeypatch.setattr(_over_aspects.AspectExpansion, "_counted", noted)
    expected = list(scores())
    assert not counted
    monkeypatch.setattr(_over_aspects, "_MANY", -1)
    for values, own in zip(scores(), expected, strict=True):
        assert_same_bits(values, own)
    if k is None:
        assert any(counted) == (n_values > 4)
        assert all(counted) == (n_values > 60)


def test_data_of_many_aspects_take_no_more_than_their_labels():
    n = 3000
    gold = [{number: [number, number + 1] for number in range(n)}]
    data = from_lists(gold, [range(n)], aspects=True)
    assert len(pickle.dumps(data)) < 200 * n
    assert "per query 3,000" in str(data)
    values = alpha_ndcg_score(data, k=[None, 1], average=None)
    np.testing.assert_allclose(values[0, 1], 1 / 2, atol=TOLERANCE)


def test_the_ideal_takes_items_that_share_aspects_one_after_the_other():
    """Items 0, 1 and 2 cover two aspects each, all of which the next one shares."""
    gold = [{"a": [0, 1], "b": [1, 2], "c": [2, 3], "d": [0]}]
    discount = 1 / np.log2(np.arange(2, 6))
    # Items with the last ids come first: 2 (b, c), then 0 (a, d); then 1 (a, b) and 3 (c).
    ideal = discount @ [2, 2, 1, 0.5]
    values = alpha_ndcg_score(from_lists(gold, [[3]], aspects=True), average=None)
    np.testing.assert_allclose(values, 1 / ideal, atol=TOLERANCE)
