"""pytrec_eval's interface over our scores, compared with pytrec_eval itself."""

from __future__ import annotations

import random
import re
from itertools import permutations

import numpy as np
import pytest
import pytrec_eval as theirs

import ranking_scores.compat.pytrec_eval as ours
from ranking_scores.conventions import programs
from ranking_scores.exceptions import InvalidParameterError

ROUNDED = 1e-12
"""How far numbers are off whose sums have other orders."""
SCORES = {
    "apart": lambda draw: draw.random() * 10,
    "ints": lambda draw: draw.randint(-2, 2),
    "near": lambda draw: 1 + draw.randint(0, 2) * 1e-9,
    "signs": lambda draw: draw.choice([-0.0, 0.0, -1.5, -2.5, 2]),
    "far": lambda draw: draw.choice([1e39, 2e39, -1e39, -np.inf, np.inf]),
}
"""The scores of runs. Some are equal, or are in float32, and some are beyond it."""


def dicts_of(seed, kind):
    """Return random judgments and a run. Some queries are in one of them, or have no document."""
    draw = random.Random(seed)
    qrel, run = {}, {}
    for number in range(8):
        documents = [f"d{place}" for place in range(30)] + ["é", "z", "\U0001f600", "D", "d"]
        listed, judged = (draw.sample(documents, draw.choice([0, 1, 5, 30])) for _ in range(2))
        if draw.random() < 0.9:
            run[f"q{number}"] = {name: SCORES[kind](draw) for name in listed}
        if draw.random() < 0.9:
            qrel[f"q{number}"] = {name: draw.choice([0, 0, 1, 2, 3]) for name in judged}
    return qrel, run


def assert_same(found, expected):
    """Assert that values of queries are the same, in the same order of queries."""
    assert [*found] == [*expected]
    for query, values in expected.items():
        assert found[query] == pytest.approx(values, rel=0, abs=ROUNDED)


@pytest.mark.parametrize("nickname", ["official", "all_trec", "set"])
def test_nicknames_are_the_measures_of_pytrec_eval_that_are_here(nickname, recwarn):
    qrel, run = dicts_of(1, "apart")
    expected = theirs.RelevanceEvaluator(qrel, {nickname}).evaluate(run)
    found = ours.RelevanceEvaluator(qrel, {nickname}).evaluate(run)
    lacking = {name for own in expected.values() for name in own} - {*next(iter(found.values()))}
    names = {re.sub(r"_[0-9.]+$", "", name) for name in lacking}
    [message] = [str(each.message) for each in recwarn] or [f"{nickname!r} is without here."]
    listed = message.removeprefix(f"{nickname!r} is without ").removesuffix("here.")
    assert set(re.findall(r"\w+", listed.replace(" and ", ", "))) == names
    kept = {
        q: {name: own[name] for name in own if name in found[q]} for q, own in expected.items()
    }
    assert_same(found, kept)


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("measures", ["all", "map"])
def test_all_measures_are_those_of_pytrec_eval(kind, level, judged_only, measures):
    asked = ours.supported_measures if measures == "all" else {"map", "recip_rank", "ndcg_cut_10"}
    for seed in range(5):
        qrel, run = dicts_of(seed, kind)
        found, expected = (
            module.RelevanceEvaluator(qrel, asked, level, judged_only).evaluate(run)
            for module in (ours, theirs)
        )
        assert_same(found, expected)


def test_its_names_are_those_of_pytrec_eval():
    assert dir(ours) == ours.__all__
    assert {*theirs.__all__} <= {*ours.__all__}
    assert hasattr(ours, "__version__")  # by which ir_measures knows that it is new enough


def test_only_measures_that_are_refused_are_missing():
    refused = {*programs()["trec_eval"].bugs} - ours.supported_measures
    assert theirs.supported_measures - ours.supported_measures == refused | {"relstring"}
    assert "infAP" in refused


@pytest.mark.parametrize(
    "measures",
    [
        {"ndcg_cut"},
        {"ndcg_cut.10"},
        {"ndcg_cut.3,5", "ndcg_cut_3,10", "ndcg_cut"},
        ["P_5", "recall", "success", "map_cut_1000"],
        {"Rprec_mult", "set_F"},
        {"Rprec_mult.0.2,1.5", "relative_P_07"},
        {"set"},
        set(),
    ],
)
def test_names_are_those_of_pytrec_eval(measures):
    qrel, run = {"q": {"a": 1, "b": 0}}, {"q": {"b": 2.0, "a": 1}, "other": {"a": 1}}
    found, expected = (
        module.RelevanceEvaluator(qrel, measures).evaluate(run) for module in (ours, theirs)
    )
    assert_same(found, expected)


def test_means_over_all_orders_are_the_mean_over_all_ids():
    qrel, scores = {"q": {"a": 2, "b": 1}}, {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.25, "e": 1}
    measures = {"map", "ndcg_cut_2", "P_2", "recip_rank", "bpref", "set_P", "num_ret", "utility"}
    exact = ours.RelevanceEvaluator(qrel, measures, ties="average").evaluate({"q": scores})["q"]
    orders = []
    for ids in permutations("abc"):
        named = dict(zip("abc", ids, strict=True))
        renamed = {named.get(name, name): grade for name, grade in qrel["q"].items()}
        run = {"q": {named.get(name, name): score for name, score in scores.items()}}
        orders.append(ours.RelevanceEvaluator({"q": renamed}, measures).evaluate(run)["q"])
    means = {name: np.mean([values[name] for values in orders]) for name in measures}
    assert exact == pytest.approx(means, rel=0, abs=ROUNDED)
    assert len({values["recip_rank"] for values in orders}) > 1


def test_means_over_all_orders_compare_scores_in_full():
    qrel, run = {"q": {"a": 1}}, {"q": {"a": 1 + 1e-9, "b": 1.0}}
    first, second = (
        ours.RelevanceEvaluator(qrel, {"recip_rank"}, ties=ties).evaluate(run)
        for ties in ("average", "trec_eval")
    )
    assert (first, second) == ({"q": {"recip_rank": 1.0}}, {"q": {"recip_rank": 0.5}})


def test_a_grade_below_0_is_no_judgment():
    run = {"q": {"b": 5.0, "c": 4.0, "a": 3.0, "e": 2.0}, "p": {"a": 1.0}}
    qrel = {"q": {"a": 1, "b": 0, "e": 2}, "p": {"a": 1}}
    others = {"q": qrel["q"] | {"c": -1, "f": -2}, "p": qrel["p"]}
    for flag in (False, True):
        found, expected = (
            ours.RelevanceEvaluator(each, ours.supported_measures, 1, flag).evaluate(run)
            for each in (others, qrel)
        )
        assert found == expected


def test_judgments_are_those_when_the_evaluator_was_made():
    qrel, run = {"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}
    evaluator = ours.RelevanceEvaluator(qrel, {"recip_rank"})
    qrel["q"]["b"] = 1
    assert evaluator.evaluate(run) == {"q": {"recip_rank": 0.5}}


@pytest.mark.parametrize("qrel", [{"q": {"a": 1}}, {"q": {}}, {}])
@pytest.mark.parametrize("run", [{}, {"q": {}}, {"p": {"a": 1.0}}])
@pytest.mark.parametrize("ties", ["trec_eval", "average"])
def test_queries_of_both_count(qrel, run, ties):
    expected = theirs.RelevanceEvaluator(qrel, {"map", "set_P"}).evaluate(run)
    assert ours.RelevanceEvaluator(qrel, {"map", "set_P"}, ties=ties).evaluate(run) == expected


def test_numbers_may_be_of_numpy():
    qrel = {"q": {"a": np.int64(1), "b": False, "c": np.uint8(2)}}
    run = {"q": {"a": np.float32(0.5), "b": 1, "c": np.float64(0.25), "d": True}}
    plain = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"a": 0.5, "b": 1.0, "c": 0.25, "d": 1.0}}
    found, expected = (
        ours.RelevanceEvaluator(one, {"map", "bpref"}, np.int64(1)).evaluate(other)
        for one, other in ((qrel, run), plain)
    )
    assert found == expected


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"measures": {"infAP"}}, "'infAP' instead. It estimates"),
        ({"measures": {"iprec_at_recall_0.10"}}, "'iprec_at_recall' instead. Interpolated"),
        ({"measures": {"ndgc"}}, "Did you mean 'ndcg' or 'ndcg_cut'?"),
        ({"measures": "map"}, "must be a set or list of names. Got 'map' instead"),
        ({"measures": None}, "must be a set or list of names. Got None instead"),
        ({"measures": [5]}, "the name of a measure of trec_eval. Got 5 instead"),
        ({"measures": {"map_5"}}, "without a number for 'map'. Got 'map_5' instead"),
        ({"measures": {"num_q.5"}}, "without a number for 'num_q'. Got 'num_q_5' instead"),
        ({"measures": {"P_0"}}, "whole numbers from 1 on. Got 'P_0' instead"),
        ({"measures": {"P.2.5"}}, "whole numbers from 1 on. Got 'P_2.5' instead"),
        ({"relevance_level": 0}, "'relevance_level' parameter of RelevanceEvaluator must be an"),
        ({"relevance_level": 1.5}, "an int of at least 1. Got 1.5 instead"),
        ({"ties": "best"}, "must be 'trec_eval' or 'average'. Got 'best' instead"),
        ({"query_relevance": [1]}, "'query_relevance' parameter of RelevanceEvaluator must be a"),
        ({"query_relevance": {"q": ["a"]}}, "must be a dict of dicts. Got {'q': ['a']} instead"),
        ({"query_relevance": {"q": {1: 1}}}, "a dict of dicts whose ids are str. Got 1 instead"),
        ({"query_relevance": {1: {}}}, "a dict of dicts whose ids are str. Got 1 instead"),
        ({"query_relevance": {"q": {"a": 1.5}}}, "a dict of dicts of ints. Got 1.5 instead"),
        ({"query_relevance": {"q": {"a": "1"}}}, "a dict of dicts of ints. Got '1' instead"),
        ({"query_relevance": {"q": {"a": 10**30}}}, "Got a number that is too large instead"),
    ],
)
def test_what_is_wrong_is_named(change, words):
    given = {"query_relevance": {"q": {"a": 1}}, "measures": {"map"}} | change
    with pytest.raises(InvalidParameterError) as caught:
        ours.RelevanceEvaluator(**given)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ([1], "'scores' parameter of RelevanceEvaluator.evaluate must be a dict of dicts. Got"),
        ({"q": [1]}, "must be a dict of dicts. Got"),
        ({"q": {7: 1.0}}, "whose ids are str. Got 7 instead"),
        ({"q": {"a": "0.5"}}, "of numbers that are not NaN. Got '0.5' instead"),
        ({"q": {"a": None}}, "of numbers that are not NaN. Got None instead"),
        ({"q": {"a": 1.0, "b": np.nan}}, "of numbers that are not NaN. Got nan instead"),
        ({"q": {"a": 10**400}}, "Got a number that is too large instead"),
    ],
)
def test_what_is_wrong_in_a_run_is_named(run, words):
    with pytest.raises(InvalidParameterError) as caught:
        ours.RelevanceEvaluator({"q": {"a": 1}}, {"map"}).evaluate(run)
    assert words in str(caught.value)


def test_lines_of_files_are_read_as_pytrec_eval_does():
    judged = ["1 0 a 2\n", "1 0 b -1\n", "2\t0 a 0"]
    listed = ["1 Q0 a 1 2.5 run\n", "1 Q0 b 2 1e-3 run", " 2 Q0 a 1 7 run"]
    assert ours.parse_qrel(judged) == theirs.parse_qrel(judged)
    assert ours.parse_run(iter(listed)) == theirs.parse_run(listed)


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (ours.parse_qrel, "1 0 b"),
        (ours.parse_qrel, "1 0 b 1.5"),
        (ours.parse_qrel, "1 0 a 1"),
        (ours.parse_run, "1 Q0 b 1 high run"),
        (ours.parse_run, "1 Q0 a 2 0.5 run"),
        (ours.parse_run, ""),
    ],
)
def test_a_line_that_is_wrong_is_named(read, line):
    first = "1 0 a 1" if read is ours.parse_qrel else "1 Q0 a 1 0.5 run"
    with pytest.raises(InvalidParameterError, match="must be lines of the form") as caught:
        read([first, line])
    assert f"Got {line!r} in line 2 instead" in str(caught.value)


@pytest.mark.parametrize("measure", ["map", "num_ret", "gm_map"])
def test_means_are_those_of_pytrec_eval(measure):
    values = [-0.5, 0.25, 0.125, -3.0]
    expected = theirs.compute_aggregated_measure(measure, values)
    assert ours.compute_aggregated_measure(measure, values) == pytest.approx(expected, rel=1e-15)


def test_mteb_has_the_same_numbers_with_it(monkeypatch):
    pytest.importorskip("mteb", reason="mteb is in the extra engines")
    from mteb._evaluators import retrieval_metrics

    qrel, run = dicts_of(3, "ints")
    qrel = {query: judged for query, judged in qrel.items() if judged}
    run = {query: run[query] for query in run if query in qrel and run[query]}
    results = []
    for module in (theirs, ours):
        monkeypatch.setattr(retrieval_metrics, "pytrec_eval", module)
        results.append(retrieval_metrics.calculate_retrieval_scores(run, qrel, [1, 5, 10]))
    assert_same(results[1].all_scores, results[0].all_scores)
    for name in ("ndcg", "map", "recall", "precision", "mrr", "hit_rate"):
        assert getattr(results[1], name) == getattr(results[0], name)
