"""The conventions behind a number of another program."""

import math
import sys
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache

import by_convention
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from metrics.test_measure import METRICS, as_data
from metrics.test_programs import (
    CASES,
    LABELS,
    MEASURES,
    RUN,
    answers,
    convention_of,
    differences,
    find_program,
    number as number_of,
)
from raising import raises

from ranking_scores import (
    from_lists,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
)
from ranking_scores._metrics._measure import Convention, default_convention
from ranking_scores._metrics._named import find_score
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores.conventions import like
from ranking_scores.explain import _difference, explain_difference
from ranking_scores.explain._difference import _UNSEARCHED, read_targets

TIES = ["average", "earlier", "later", "id ascending", "id descending", "best", "worst"]
USUAL = {
    "ties": TIES,
    "scores": ["float64", "float32"],
    "known": ["judged", "retrieved"],
    "no_relevant": [0.0, 1.0, "left out"],
    "no_predictions": [None, "left out"],
    "not_judged": [None, "left out"],
}
GAINS = ["linear", "exponential", "binary"]
OF_METRIC = {
    "ndcg": {"gain": GAINS},
    "dcg": {"gain": GAINS},
    "map": {"divisor": ["relevant", "achievable"]},
    "recall": {"divisor": ["relevant", "achievable"]},
    "precision": {"divisor": ["k", "retrieved"]},
    "f1": {"divisor": ["k", "retrieved"]},
}
DISCOUNTS = ["log of rank", "one rank later", "rank", "none"]
MISTAKES = {
    "ndcg": {"discount": DISCOUNTS, "ideal": ["all", "retrieved", "sorted", "ones"], "k": [None]},
    "dcg": {"discount": DISCOUNTS, "k": [None]},
    "map": {"divisor": ["k", "retrieved", "hits", "least"], "k": [None]},
    "mrr": {"discount": ["one rank later"], "k": [None]},
    "recall": {"divisor": ["k", "retrieved", "hits", "least"]},
    "precision": {"divisor": ["relevant", "achievable"]},
}
OF_ALL = {"threshold": [2.0, 3.0], "no_hit": ["left out"], "digits": [3]}


def queries_of(seed, n=12):
    """Judgments and predictions with ties, some of them lacking one or the other."""
    rng = np.random.default_rng(seed)
    found = {}
    for number in range(n):
        items = rng.permutation([f"d{each}" for each in range(9)]).tolist()
        judged = {item: int(rng.integers(0, 4)) for item in items[: rng.integers(2, 8)]}
        scores = rng.choice([2.0, 1.0, 1.0 + 1e-9, 0.25, -1.0], size=5).tolist()
        predicted = list(zip(rng.permutation(items[:7])[:5].tolist(), scores, strict=True))
        lack = {3: "judgments", 5: "predictions", 7: "relevant"}.get(number)
        if lack == "judgments":
            judged = {}
        if lack == "relevant":
            judged = dict.fromkeys(judged, 0)
        found[f"q{number}"] = judged, [] if lack == "predictions" else predicted
    return found


@st.composite
def knobs(draw):
    """A convention with any usual knobs and at most one mistake."""
    metric = draw(st.sampled_from(sorted(METRICS.keys() - _UNSEARCHED)))
    k = None if metric == "r_precision" else 4
    found = {name: draw(st.sampled_from(each)) for name, each in USUAL.items()}
    found |= {
        name: draw(st.sampled_from(each)) for name, each in OF_METRIC.get(metric, {}).items()
    }
    if draw(st.booleans()):
        mistakes = MISTAKES.get(metric, {}) | OF_ALL
        name = draw(st.sampled_from(sorted(mistakes)))
        found[name] = draw(st.sampled_from(mistakes[name]))
    if found.get("ideal") == "sorted" and found["ties"] == "average":
        found["ties"] = "earlier"
    given = {"divisor": "k"} if metric in ("precision", "f1") else {}
    return Convention(**{"metric": metric, "k": k} | given | found)


def options_of(convention):
    """Return a score of ours with the options that the mistakes of a convention start from."""
    name = convention.metric if convention.metric == "r_precision" else f"{convention.metric}@4"
    return {"score": name} | ({"max_grade": 4} if convention.metric == "err" else {})


def expected_values(convention, queries):
    of_knobs = vars(convention)
    return {query: by_convention.value(of_knobs, *each) for query, each in queries.items()}


def values_of(match, data):
    values = ProgramScore("a:b", match.convention)(data, average=None)
    return dict(zip(data.query_ids.tolist(), values.tolist(), strict=True))


def are_the_same(values, expected):
    return all(
        math.isnan(values[query]) if number is None else abs(values[query] - number) < 1e-9
        for query, number in expected.items()
    )


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 5), knobs())
def test_random_knobs_are_found_again_from_the_mean(seed, convention):
    queries = queries_of(seed)
    data = as_data(queries)
    expected = expected_values(convention, queries)
    counted = [number for number in expected.values() if number is not None]
    mean = math.fsum(counted) / len(counted)
    found = explain_difference(data, value=f"{mean:.9f}", **options_of(convention))
    assert any(are_the_same(values_of(match, data), expected) for match in found.matches)
    for match in found.matches:
        assert found.ours + sum(step.change for step in match.steps) == pytest.approx(match.value)
        assert match.value == pytest.approx(mean, rel=1e-6, abs=1e-6)  # as it may be rounded


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 5), knobs())
def test_random_knobs_are_found_again_from_the_values_of_the_queries(seed, convention):
    queries = queries_of(seed)
    data = as_data(queries)
    expected = expected_values(convention, queries)
    value = {query: number for query, number in expected.items() if number is not None}
    found = explain_difference(data, value=value, **options_of(convention))
    # Rounding before the mean shows in values of queries only as few digits.
    if convention.digits is None:
        assert found.matches
    for match in found.matches:
        values = values_of(match, data)
        for query, number in expected.items():
            if number is None:
                assert math.isnan(values[query])
            else:
                assert values[query] == pytest.approx(number, abs=1e-3)


def recorded_answers(program, case):
    """Yield the answers of a program to a case that are as expected.

    Each is a measure here, the labels that the program was given, and its mean, or the values of
    the queries if it has no mean. One cutoff stands for all.
    """
    for measure, by_case in answers(program)["measures"].items():
        here = MEASURES[program][measure]
        if isinstance(here, str) or case not in by_case:
            continue
        score = convention_of(program, here)
        cutoff = find_program(program, "f").measures[here[0]].cutoff
        is_one = score.convention.k == 5 or cutoff == "none"
        is_one = is_one and score.convention.metric not in _UNSEARCHED
        if is_one and not differences(program, measure, case):
            recorded = by_case[case]
            recorded = (recorded.get("draws") or [recorded])[0]
            values = {query: number_of(each) for query, each in recorded["per_query"].items()}
            values = {query: each for query, each in values.items() if not math.isnan(each)}
            mean = number_of(recorded.get("mean"))
            if values or not math.isnan(mean):
                labels = here[2] if len(here) > 2 else "as they are"
                yield score, labels, values if math.isnan(mean) else mean


@cache
def tables_of(case, labels):
    """Return the data of a case as tables."""
    queries = CASES[case]["qrels"].keys() | CASES[case]["run"].keys()
    of_query = LABELS[labels]
    return as_data(
        {
            query: (of_query(CASES[case], query), CASES[case]["run"].get(query, []))
            for query in sorted(queries)
        }
    )


def nearest_score(score):
    """Return the score here that a measure of a program is a variant of, and its options."""
    metric, k = score.convention.metric, score.convention.k
    if score.convention.chance == "label":  # labels that are chances are no labels of ours
        return score.name, {}
    if metric == "hit_rate" and k is None:
        return "hit_rate@1000", {}
    options = {"k": k} if k or metric in ("precision", "f1") else {}
    options |= {"denominator": "retrieved"} if metric == "precision" and k is None else {}
    return metric, options | ({"max_grade": 4} if metric == "err" else {})


SEARCHED = [case for case in CASES if case != "duplicates"]
"""The cases whose numbers are explained."""


def in_whole_labels(score):
    """Return the convention of a score, in which ``rel=1`` means what no threshold means."""
    convention = score.convention
    return replace(
        convention, threshold=None if convention.threshold == 1 else convention.threshold
    )


def check_that_it_is_named(score, data, value):
    name, options = nearest_score(score)
    found = explain_difference(data, value=value, score=name, **options)
    named = [find_score(each, "f").function for match in found.matches for each in match.programs]
    assert in_whole_labels(score) in [in_whole_labels(each) for each in named], score.name
    for match in found.matches:
        assert found.ours + sum(step.change for step in match.steps) == pytest.approx(match.value)


@pytest.mark.slow
@pytest.mark.parametrize("case", SEARCHED)
def test_each_program_is_named_from_its_numbers(case):
    """Programs of one convention are named together, so that one of them stands for all.

    Each is tried in one of the cases, since each search takes some tenths of a second.
    """
    answers_to_try = {
        (score.convention, labels): (score, value)
        for program in RUN
        for score, labels, value in recorded_answers(program, case)
    }
    turn = SEARCHED.index(case)
    for i, ((_, labels), (score, value)) in enumerate(answers_to_try.items()):
        if i % len(SEARCHED) == turn:
            check_that_it_is_named(score, tables_of(case, labels), value)


@pytest.mark.parametrize("program", RUN)
def test_a_program_is_named_from_its_number(program):
    for case in ("mixed", "binary"):
        for score, labels, value in [*recorded_answers(program, case)][:1]:
            check_that_it_is_named(score, tables_of(case, labels), value)
            return
    pytest.fail("nothing to try")


DATA = as_data(queries_of(1, n=30))
QUERIES = queries_of(1, n=30)


def mean_of(**knobs):
    convention = Convention(**{"metric": "ndcg", "k": 4, "scores": "float64"} | knobs)
    counted = [each for each in expected_values(convention, QUERIES).values() if each is not None]
    return math.fsum(counted) / len(counted)


@pytest.mark.long
@pytest.mark.parametrize("n_numbers", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_numbers_made_of_nothing_match_nothing(n_numbers):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (60, 12)), rng.integers(0, 20, (60, 12))
    numbers = rng.uniform(0.3, 0.9, n_numbers)
    explained = [
        explain_difference(y_true, y_score, value=f"{number:.6f}", score="ndcg@5")
        for number in numbers
    ]
    assert not any(each.matches for each in explained)
    assert all(each.chance < 0.01 for each in explained)
    assert all(math.isfinite(each.nearest.value) for each in explained)


@pytest.mark.long
def test_the_chance_grows_if_fewer_digits_are_known():
    few, many = (explain_difference(DATA, value=0.5, digits=digits) for digits in (1, 6))
    assert few.chance == 1 > many.chance > 0
    assert "of as many digits, 100 % match one of them" in str(few)
    assert len(few.matches) > len(many.matches)


def test_our_own_number_comes_first_without_steps():
    found = explain_difference(DATA, value=mean_of(k=10, ties="average"), score="ndcg@10")
    assert found.matches[0].steps == ()
    assert repr(found).startswith("This is ndcg@10 here.")
    assert found.to_frame()["step"][0] == "as here"


def test_a_float_of_few_digits_may_be_rounded_by_its_reader():
    """torch-rechub rounds to four digits, so that it gives the number exactly."""
    found = explain_difference(tables_of("graded", "as they are"), value=0.3577, score="recall@5")
    assert found.matches[0].steps == ()
    assert "trec_eval 10:recall@5" in found.matches[0].programs
    assert "torch-rechub:Recall@5" in [name for match in found.matches for name in match.programs]


@pytest.mark.long
@pytest.mark.parametrize("name", ["ndcg", "map", "recall", "precision", "mrr"])
def test_percent_is_recognised(name):
    metric = default_convention(name, 4)
    expected = expected_values(metric, QUERIES)
    mean = 100 * math.fsum(expected.values()) / len(expected)
    found = explain_difference(DATA, value=f"{mean:.4f}", score=f"{name}@4")
    assert [step.words for step in found.matches[0].steps] == ["in percent"]


def test_swapped_labels_and_scores_are_recognised():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(1, 4, (30, 8)), rng.integers(1, 9, (30, 8))
    mean = ndcg_score(y_score, y_true, k=5)
    found = explain_difference(y_true, y_score, value=mean, score="ndcg@5")
    assert found.matches[0].steps[0].words == "labels and scores swapped"


def test_items_that_count_twice_are_recognised():
    truth = {"a": ["x", "y"], "b": ["z"], "c": ["x", "u", "v"]}
    lists = {"a": ["x", "w", "x"], "b": ["z", "z", "q"], "c": ["q", "v", "v"]}
    recalls = [sum(each in truth[q] for each in lists[q]) / len(truth[q]) for q in lists]
    data = from_lists(truth, lists, duplicates="hold")
    found = explain_difference(data, value=recalls, score="recall@3")
    assert found.matches[0].steps[0].words == "repeated items counted twice"
    assert found.matches[0].value == pytest.approx(sum(recalls) / 3)


def test_hits_of_all_queries_together_are_recognised():
    y_true, y_score = [[1, 0, 0, 1], [0, 1, 0, 0]], [[4, 3, 2, 1], [1, 2, 3, 4]]
    found = explain_difference(y_true, y_score, value=2 / 3, score="recall@3")
    assert found.matches
    pooled = explain_difference(
        [[1, 1, 0, 1], [0, 1, 0, 0]], [[4, 3, 2, 1], [1, 2, 3, 4]], value=3 / 4, score="recall@3"
    )
    steps = [step.words for match in pooled.matches for step in match.steps]
    assert "mean over all queries together, not query by query" in steps


def test_values_of_queries_may_come_as_an_array_with_nan():
    convention = Convention(metric="ndcg", k=4, ties="later", not_judged="left out")
    values = ProgramScore("a:b", convention)(DATA, average=None)
    found = explain_difference(DATA, value=values, score="ndcg@4")
    assert found.matches[0].convention.ties == "later"
    assert repr(found).endswith("conventions were tried.")
    assert np.array_equal(found.value, values, equal_nan=True)


@pytest.mark.long
def test_another_match_comes_with_a_query_that_tells_it_apart():
    found = explain_difference(DATA, value=0.5, digits=1, score="ndcg@4")
    first, *others = found.matches
    assert first.query is None
    assert {match.query for match in others} <= {None, *DATA.query_ids.tolist()}
    assert any(match.query is not None for match in others)
    assert "it differs most from the first convention in query" in repr(found)
    assert "more match." in repr(found)
    named = explain_difference(
        [[1, 0], [0, 2]], [[1, 1], [1, 1]], value=0.8, digits=1, score="ndcg"
    )
    assert {match.query for match in named.matches} <= {None, 0, 1}


@pytest.mark.long
def test_values_may_come_with_the_ids_of_the_queries():
    expected = expected_values(Convention(metric="ndcg", k=4, ties="later"), QUERIES)
    value = {query: number for query, number in expected.items() if number is not None}
    series = pd.Series(value).sample(frac=1, random_state=0)
    texts = {query: f"{number:.9f}" for query, number in value.items()}
    by_position = [expected[query] for query in DATA.query_ids.tolist()]
    for each in (value, series, texts, by_position, pd.Series(by_position)):
        found = explain_difference(DATA, value=each, score="ndcg@4")
        assert found.matches[0].convention.ties == "later"
        assert (found.chance, found.n_compared) == (0, None)


@pytest.mark.long
def test_values_of_some_queries_are_enough():
    expected = expected_values(Convention(metric="ndcg", k=4, ties="later"), QUERIES)
    value = {query: expected[query] for query in list(expected)[:12]}
    found = explain_difference(DATA, value=value, score="ndcg@4")
    assert found.matches[0].convention.ties == "later"
    assert found.n_compared == 12
    assert "Only the 12 queries with a value were compared." in repr(found)
    told = [value.get(query) for query in DATA.query_ids.tolist()]
    assert explain_difference(DATA, value=told, score="ndcg@4").matches == ()
    told[0] = pd.NA
    assert explain_difference(DATA, value=told, score="ndcg@4").matches == ()


@pytest.mark.long
def test_a_match_is_a_score():
    values = {"ties": "later", "gain": "binary"}
    mean = mean_of(**values)
    found = explain_difference(DATA, value=mean, score="ndcg@4")
    for match in found.matches:
        assert match.score(DATA) == pytest.approx(match.value)
        report = ranking_report(DATA, scores=[match.score], k=None)
        assert report.mean[match.score.name] == pytest.approx(match.value)
    of_ranx = like("ranx", "ndcg@4")
    named = explain_difference(DATA, value=of_ranx(DATA), score="ndcg@4").matches[0]
    assert (named.score.name, named.score(DATA)) == (named.programs[0], of_ranx(DATA))
    found = explain_difference(DATA, value="0.98765", score="ndcg@4")
    assert found.nearest.score.name.startswith("ndcg@4, ")
    found = explain_difference(DATA, value="0.98765", score="mrr")
    assert found.nearest.score.name.startswith("mrr, ")


def test_values_that_are_rounded_are_recognised_from_the_queries():
    expected = expected_values(Convention(metric="map", k=4, digits=2), QUERIES)
    texts = {query: f"{number:.4f}" for query, number in expected.items()}
    found = explain_difference(DATA, value=texts, score="map@4")
    assert [step.words for step in found.matches[0].steps] == [
        "values rounded to 2 digits before averaging"
    ]


@pytest.mark.parametrize(
    ("written", "digits"),
    [
        ("0.1234", 4),
        (".1234", 4),
        ("1.234e-1", 4),
        ("12.34%", 4),
        ("12.34 %", 4),
        (" +0.1234 ", 4),
        (Decimal("0.1234"), 4),
        ("1", 0),
        ("1e2", 0),
        (0.1234, 4),
        (np.array(0.1234), 4),
        (np.float32(0.5), 1),
        (Fraction(1, 8), 3),
    ],
)
def test_a_number_has_the_digits_that_are_written(written, digits):
    *exact, rounded = read_targets(written, None, 3, None, "f")
    number = {"1": 1.0, "1e2": 100.0}.get(written) if digits == 0 else None
    expected = number or (0.1234 if digits == 4 else float(written))
    assert rounded.values == pytest.approx([expected])
    assert rounded.tolerance == 0.5 * 10**-digits
    is_text = isinstance(written, (str, Decimal))
    assert [each.tolerance < 1e-6 for each in exact] == [True] * (not is_text)


def test_floats_of_a_few_digits_are_exact_if_they_can_be():
    y_true, y_score = [[1] + [0] * 9, [0, 1] + [0] * 8], [[*range(10, 0, -1)]] * 2
    found = explain_difference(y_true, y_score, value=[0.1, 0.1], score="precision@10")
    assert found.matches[0].steps == ()
    found = explain_difference(y_true, y_score, value=[0.1, 0.2], score="precision@10", digits=0)
    assert len(found.matches) > 1
    found = explain_difference(y_true, y_score, value=0.8, score="ndcg@10")
    assert found.matches[0].value == pytest.approx((1 + 1 / math.log2(3)) / 2)


def test_the_nearest_is_that_of_the_queries():
    values = ProgramScore("a:b", Convention(metric="ndcg", k=4, ties="later"))(DATA, average=None)
    values[0] += 0.123456789
    found = explain_difference(DATA, value=values, score="ndcg@4")
    assert found.matches == ()
    assert [step.knob for step in found.nearest.steps] == ["ties"]


def test_values_of_many_queries_are_matched_by_id_in_a_moment():
    n = 20000
    qid = np.arange(2 * n) // 2
    y_true, y_score = np.tile([1, 0], n), np.tile([1.0, 2.0], n)
    value = dict.fromkeys(range(n), 0.5)
    assert explain_difference(y_true, y_score, qid=qid, value=value, score="mrr").matches


@pytest.mark.parametrize(
    ("score", "knobs"),
    [
        ("ndcg@4", {"metric": "ndcg", "k": 3}),
        ("recall@2", {"metric": "recall", "k": 3}),
        ("f1@4", {"metric": "f1", "k": 4, "divisor": "k", "beta": 2.0}),
        ("rbp", {"metric": "rbp", "k": None, "persistence": 0.95}),
        ("err@4", {"metric": "err", "k": 4, "max_grade": 3}),
        ("map@4", {"metric": "map", "k": 4, "threshold": 2.0, "no_relevant": "left out"}),
    ],
)
def test_other_cutoffs_and_parameters_are_recognised(score, knobs):
    found = explain_difference(
        DATA, value=mean_of(**knobs), score=score, **({"max_grade": 4} if "err" in score else {})
    )
    expected = {name: value for name, value in knobs.items() if name != "divisor"}
    shown = [
        {name: getattr(match.convention, name) for name in expected} for match in found.matches
    ]
    assert expected in shown


@pytest.mark.long
def test_a_measure_of_a_program_may_be_the_start():
    ranx = like("ranx", "ndcg@4")
    for score in ("ranx:ndcg@4", ranx):
        found = explain_difference(DATA, value=like("trec_eval", "ndcg_cut_4")(DATA), score=score)
        assert (found.score, found.ours) == ("ranx:ndcg@4", pytest.approx(ranx(DATA)))
        assert "trec_eval:ndcg_cut@4" in found.matches[0].programs
        assert found.matches[0].steps[0].words.startswith("ties by id as text")


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    ["torchrec:NDCG@4", "Cornac:MRR", "BEIR:NDCG@4", "implicit:precision@4", "gdeval:nDCG@4"],
)
def test_a_measure_of_a_program_explains_itself_and_ours(name):
    score = find_score(name, "f").function
    found = explain_difference(DATA, value=score(DATA), score=name)
    assert found.matches[0].steps == ()
    for match in found.matches:
        assert match.score(DATA) == pytest.approx(score(DATA), abs=1e-6)
    convention = score.convention
    ours = default_convention(convention.metric, convention.k)
    plain = ProgramScore("a:b", ours)
    found = explain_difference(DATA, value=plain(DATA), score=name)
    assert any(
        match.score(DATA) == pytest.approx(plain(DATA), abs=1e-9) for match in found.matches
    )
    for match in found.matches:
        assert match.score(DATA) == pytest.approx(match.value, abs=1e-9)


def test_programs_without_a_cutoff_or_with_one_of_their_own_are_named():
    score = like("trec_eval", "ndcg")
    found = explain_difference(DATA, value=score(DATA), score="ndcg@4")
    assert "trec_eval:ndcg" in found.matches[0].programs
    assert "no cutoff" in [step.words for step in found.matches[0].steps]
    azure = like("Azure AI Evaluation", "ndcg@3")
    found = explain_difference(DATA, value=azure(DATA), score="ndcg@3")
    assert azure.name in {name for match in found.matches for name in match.programs}


def test_labels_that_a_convention_refuses_end_no_search():
    for labels, scores, score in [
        ([[2, 0, 1]], [[0.5, 1.0, 2.0]], "err@3"),
        ([[2, 0, 1]], [[1500.0, 1.0, 2.0]], "dcg@3"),
        ([[1500, 0, 1]], [[1.0, 0.0, 2.0]], "dcg@3"),
        ([[2, -1, 1]], [[1.0, 3.0, 2.0]], "map@3"),
    ]:
        options = {"max_grade": 4} if score == "err@3" else {}
        found = explain_difference(labels, scores, value="0.1", score=score, **options)
        assert found.n_conventions > 10


def test_our_own_options_are_among_the_conventions():
    for options in ({"replace_undefined_by": 0.3}, {"replace_undefined_by": np.nan}):
        ours = ndcg_score(DATA.y_true, DATA.y_score, k=4, **options)
        found = explain_difference(DATA, value=ours, score="ndcg@4", **options)
        assert found.matches[0].steps == ()


def test_each_program_is_named_once_with_the_fewest_options(monkeypatch):
    data = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
    found = explain_difference(*data, value=ndcg_score(*data, k=2), score="ndcg@2")
    assert repr(found).startswith("This is ndcg@2 here.\nIt is also what these report:\n")
    assert "\n- and " in repr(found)
    monkeypatch.setattr(_difference, "_LISTED", 99)
    assert repr(found).count("\n- pytorch-ignite 0.5.5 (NDCG@2)\n") == 1
    assert repr(found).count("\n- pytorch-ignite") == 1


def test_ids_in_qid_name_the_query():
    value = {"b": 1.0, "a": 0.5}
    found = explain_difference(
        [1, 0, 0, 1], [1.0, 1.0, 3.0, 2.0], qid=["b", "b", "a", "a"], value=value, score="mrr"
    )
    assert found.matches
    assert all(match.convention.ties != "average" for match in found.matches)


def test_without_a_match_the_nearest_is_shown():
    found = explain_difference(DATA, value="0.987654321", score="ndcg@4")
    assert found.matches == ()
    assert repr(found).startswith("No convention of ndcg@4 gives 0.987654. ")
    assert "The nearest is:" in repr(found)
    assert found.to_frame().empty
    assert found._repr_html_().startswith("<pre>No convention")


def test_results_are_equal_if_their_values_are():
    ours, same, other = (
        explain_difference([[1, 0]], [[1, 2]], value=each) for each in ("0.63", "0.63", "0.64")
    )
    assert ours == same != other
    assert ours != 1


def test_a_long_search_shows_its_progress_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(_difference, "_SECONDS_UNTIL_PROGRESS", -1)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    explain_difference([[1, 0]], [[1, 2]], value=0.63)
    assert capsys.readouterr().err.endswith("explain_difference: 100 %\n")


def test_a_program_that_refuses_the_labels_is_left_out():
    found = explain_difference([[3, 0, 1]], [[1, 2, 3]], value=0.5, score="err@2", max_grade=4)
    assert not any(name.startswith("CatBoost") for each in found.matches for name in each.programs)


@pytest.mark.parametrize(
    ("params", "parameter", "expected"),
    [
        ({"value": "a"}, "value", "a number"),
        ({"value": "."}, "value", "a number"),
        ({"value": float("nan")}, "value", "a finite number"),
        ({"value": [0.5]}, "value", "one for each of the 30 queries"),
        ({"value": {"q99": 0.5}}, "value", "queries of the data"),
        ({"value": {}}, "value", "a finite number"),
        ({"value": [float("nan")] * 30}, "value", "a finite number"),
        ({"value": [[0.1]] * 29 + [[0.2, 0.3]]}, "value", "one for each of the 30 queries"),
        ({"value": None}, "value", "a number"),
        ({"value": "0,5"}, "value", "a number"),
        ({"value": pd.Series([1.0, 0.5], index=["q1", "q1"])}, "value", "one number for each"),
        ({"value": 0.5, "digits": -1}, "digits", "int of at least 0"),
        ({"value": 0.5, "digits": True}, "digits", "int of at least 0"),
        ({"value": 0.5, "digits": 1.5}, "digits", "int of at least 0"),
        ({"value": 0.5, "score": "arp"}, "score", "conventions are searched"),
        ({"value": 0.5, "score": "trec_eval:bpref"}, "score", "conventions are searched"),
        ({"value": 0.5, "score": "bpref"}, "score", "none of auc, pairwise_accuracy, arp, judged"),
        ({"value": 0.5, "score": "ndcg", "k": [1, 2]}, "k", "one cutoff"),
        ({"value": 0.5, "sample_weight": np.ones(30)}, "sample_weight", "left out"),
        ({"value": 0.5, "gain": np.sqrt}, "gain", "left out"),
    ],
)
def test_bad_input_is_named(params, parameter, expected):
    with raises(parameter, expected, function="explain_difference"):
        explain_difference(DATA, **params)


def test_values_by_id_need_ids():
    with raises("value", "an array with one number per query"):
        explain_difference([[1, 0]], [[1, 2]], value={0: 0.5})


def test_data_need_a_query():
    with raises("y_true", ""):
        explain_difference(np.zeros((0, 2)), np.zeros((0, 2)), value=0.5)


@pytest.mark.parametrize(
    ("score", "options"),
    [
        ("ndcg@3", {"gain": "exponential", "ignore_ties": True, "replace_undefined_by": 1.0}),
        ("map@3", {"denominator": "achievable", "relevance_threshold": 2}),
        ("f1", {"k": None, "beta": 2.0}),
        ("f1@3", {"beta": 0.5, "ignore_ties": False}),
        ("rbp", {"persistence": 0.5}),
        ("err@3", {"max_grade": 3}),
        ("precision", {"k": None, "denominator": "retrieved"}),
    ],
)
def test_differences_are_counted_from_the_options_of_our_score(score, options):
    from ranking_scores._metrics._named import bind_score

    bound = bind_score(score, options, "f")
    ours = bound.function(DATA.y_true, DATA.y_score, **bound.options)
    found = explain_difference(DATA, value=ours, score=score, **options)
    assert found.ours == pytest.approx(ours, abs=1e-12)
    assert found.matches[0].steps == ()


def test_the_threshold_of_a_name_is_that_of_the_convention():
    ours = mean_average_precision_score(DATA.y_true, DATA.y_score, relevance_threshold=2)
    found = explain_difference(DATA, value=ours, score="AP(rel=2)")
    assert (found.score, found.ours) == ("map(rel=2)", pytest.approx(ours, abs=1e-12))
    assert found.matches[0].steps == ()
    with raises("score", "whose conventions are searched", got="'bpref'"):
        explain_difference(DATA, value=ours, score="bpref(rel=2)")


@pytest.mark.long
def test_scores_of_other_metrics_are_named():
    data = as_data(queries_of(3, n=12))
    for name in ("trec_eval:map", "trec_eval:recip_rank", "ranx:precision@10"):
        value = float(find_score(name, "f").function(data))
        found = explain_difference(data, value=f"{value:.9f}")
        assert not any(each.programs for each in found.matches)
        assert name in found.other_metrics
        text = repr(found)
        assert "Other metrics give it:\n- " in text
        assert ("The nearest convention of ndcg@10 is:" in text) == (not found.matches)


def test_our_scores_of_other_metrics_come_first():
    y_true, y_score = [[0, 1, 1, 0], [1, 0, 0, 0]], [[4, 3, 3, 1], [1, 2, 3, 4]]
    value = mean_average_precision_score(y_true, y_score)
    found = explain_difference(y_true, y_score, value=f"{value:.9f}", score="hit_rate@2")
    assert found.other_metrics[:1] == ("map",)
    assert "- map here" in repr(found)
    value = precision_at_k_score(y_true, y_score, k=2)
    found = explain_difference(y_true, y_score, value=f"{value:.9f}", score="mrr")
    assert not {"precision", "precision@2"} & {*found.other_metrics}
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, (30, 12)), rng.permuted(np.mgrid[:30, :12][1], axis=1)
    value = precision_at_k_score(y_true, y_score, k=3)
    found = explain_difference(y_true, y_score, value=f"{value:.9f}", score="ndcg@3")
    assert "precision@3" in found.other_metrics
    assert "- and " in repr(found)


def test_other_metrics_are_not_sought_if_the_number_is_explained():
    found = explain_difference(DATA, value=float(like("trec_eval", "ndcg")(DATA)), score="ndcg")
    assert found.matches[0].programs
    assert found.other_metrics == ()


@pytest.mark.parametrize(
    ("score", "n"),
    [
        ("hit_rate@3", 4),
        *(
            pytest.param(score, n, marks=pytest.mark.slow)
            for score, n in [("precision@5", 20), ("recall@3", 24), ("r_precision", 24)]
        ),
    ],
)
def test_the_chance_of_a_score_that_counts_is_among_its_own_numbers(score, n):
    """Four queries have 1, 2, 3 and 2 relevant items, whose number divides their hits."""
    y_true = [[0, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 1, 0], [1, 0, 0, 0, 0, 1]]
    y_score = [[3, 3, 2, 2, 1, 1], [1, 2, 3, 4, 5, 6], [2, 2, 2, 1, 1, 1], [6, 5, 4, 4, 2, 2]]
    explained = [
        explain_difference(y_true, y_score, value=number / n, digits=7, score=score)
        for number in range(n + 1)
    ]
    lowest, highest = (explained[place].nearest.value for place in (0, -1))
    are_found = [
        bool(each.matches)
        for number, each in enumerate(explained)
        if lowest - 1e-9 <= number / n <= highest + 1e-9
    ]
    assert {each.chance for each in explained} == {sum(are_found) / len(are_found)}


def test_the_chance_of_f1_is_among_its_own_numbers():
    """With k = 2, the divisors of F1 are (2 + 1) / 2 and (2 + 2) / 2, so the step is 1 / 12."""
    y_true, y_score = [[0, 1, 0], [1, 0, 1]], [[3, 2, 1], [1, 2, 3]]
    found = explain_difference(y_true, y_score, value=1 / 3, score="f1@2", digits=7)
    assert found.chance > 0.1


def test_the_chance_of_a_number_that_a_count_cannot_be_is_among_all_numbers():
    y_true, y_score = [[0, 1, 0], [1, 0, 1]], [[3, 2, 1], [1, 2, 3]]
    possible, impossible = (
        explain_difference(y_true, y_score, value=value, score="precision@2", digits=6).chance
        for value in (0.25, 0.3)
    )
    assert possible > 100 * impossible > 0


def test_without_relevant_items_a_count_has_no_steps():
    y_true, y_score = [[0, 0]], [[1, 2]]
    found = explain_difference(y_true, y_score, value=0.5, score="recall@1", digits=2)
    assert found.chance == pytest.approx(3 / 101)


def test_divisors_of_several_kinds_have_no_steps():
    y_true, y_score = [[0, 1, 0], [1, 0, 1]], [[3, 2, 1], [1, 2, 3]]
    found = explain_difference(y_true, y_score, value="0.4", score="f1@2", beta=0.3)
    assert 0 < found.chance <= 1


def test_fractions_that_a_program_cuts_are_a_step():
    data = from_lists({"q": {"a": 1.5, "b": 0.5, "c": 2.25}}, {"q": ["a", "b", "c"]})
    value = like("ranx", "ndcg")(data)
    [match] = [
        each
        for each in explain_difference(data, value=value, score="ndcg").matches
        if "ranx:ndcg" in each.programs
    ]
    assert [step.words for step in match.steps] == [
        "relevant from label 1 on",
        "gain = label without its fraction",
    ]


def test_a_number_of_one_digit_says_how_many_conventions_fit_it():
    data = as_data(queries_of(3))
    value = like("trec_eval", "ndcg_cut@3")(data)
    found = explain_difference(data, value=f"{value:.1f}", score="ndcg@3")
    first, second, *_ = repr(found).splitlines()
    assert first == f"{len(found.matches)} conventions fit {value:.1f}. The first ones:"
    assert second.startswith(("This is", "This convention"))
    exact = explain_difference(data, value=f"{value:.5f}", score="ndcg@3")
    assert "conventions fit" not in repr(exact)
    assert exact.matches
    one = explain_difference([[1, 0]], [[2, 1]], value=1.0, score="hit_rate@1")
    assert len(one.matches) == 1
    assert "fit" not in repr(one)


def test_a_program_that_is_near_a_number_is_not_said_to_report_it():
    data = as_data(queries_of(3))
    value = like("trec_eval", "ndcg_cut@3")(data)
    for number, said in (
        (value, "This is what"),
        (f"{value:.4f}", "This is what"),
        (round(value, 9) + 2e-7, "This is within 2e-07 of what"),
        (round(value, 9) - 2e-7, "This is within 2e-07 of what"),
    ):
        found = explain_difference(data, value=number, score="ndcg@3")
        assert "trec_eval:ndcg_cut@3" in found.matches[0].programs
        assert repr(found).startswith(said)
        assert "This is" not in repr(found).partition("\n")[2]
    of_queries = like("trec_eval", "ndcg_cut@3")(data, average=None) + 1e-7
    found = explain_difference(data, value=of_queries, score="ndcg@3")
    assert repr(found).startswith("This is what")
