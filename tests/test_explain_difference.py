"""The conventions behind a number of another program."""

import math
import sys
from functools import cache

import by_convention
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raising import raises
from test_conventions import METRICS, as_data
from test_programs import (
    CASES,
    LABELS,
    MEASURES,
    RUN,
    answers,
    convention_of,
    found_differences,
    number,
)

from ranking_scores import from_lists, ndcg_score
from ranking_scores._metrics import Convention, ProgramScore, default_convention, find_score
from ranking_scores.explain import explain_difference

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
    metric = draw(st.sampled_from(sorted(METRICS)))
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
        assert match.value == pytest.approx(mean, abs=1e-6)


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


# Every answer of a program that has the value that we expect, with the score that it is a variant
# of. Rounding of means is known to programs alone.
def recorded_answers(program):
    """Yield the answers of a program that are as expected: the score, the data and the mean."""
    differ = {(each.measure, each.case) for each in found_differences(program)}
    for measure, by_case in answers(program)["measures"].items():
        here = MEASURES[program][measure]
        if isinstance(here, str):
            continue
        labels = here[2] if len(here) > 2 else "as they are"
        for case, answer in by_case.items():
            mean = number((answer.get("draws") or [answer])[0].get("mean"))
            is_told = case != "duplicates" and (measure, case) not in differ
            if is_told and not math.isnan(mean):
                yield convention_of(program, here), case, labels, mean


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


@pytest.mark.slow
@pytest.mark.parametrize("program", RUN)
def test_a_program_is_named_from_its_number(program):
    for score, case, labels, mean in recorded_answers(program):
        name, options = nearest_score(score)
        found = explain_difference(tables_of(case, labels), value=mean, score=name, **options)
        named = [find_score(each, "f").function for match in found.matches for each in match.programs]
        assert score.convention in [each.convention for each in named], (score.name, case)


@pytest.mark.parametrize("program", RUN)
def test_a_program_is_named_from_its_number_in_one_case(program):
    score, case, labels, mean = max(recorded_answers(program), key=lambda each: each[1] == "mixed")
    name, options = nearest_score(score)
    found = explain_difference(tables_of(case, labels), value=mean, score=name, **options)
    named = [find_score(each, "f").function for match in found.matches for each in match.programs]
    assert score.convention in [each.convention for each in named], (score.name, case)


DATA = as_data(queries_of(1, n=30))
QUERIES = queries_of(1, n=30)


def mean_of(**knobs):
    convention = Convention(**{"metric": "ndcg", "k": 4, "scores": "float64"} | knobs)
    counted = [each for each in expected_values(convention, QUERIES).values() if each is not None]
    return math.fsum(counted) / len(counted)


def test_numbers_made_of_nothing_match_nothing():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (60, 12)), rng.integers(0, 20, (60, 12))
    numbers = rng.uniform(0.3, 0.9, 100)
    explained = [
        explain_difference(y_true, y_score, value=f"{number:.6f}", score="ndcg@5")
        for number in numbers
    ]
    assert not any(each.matches for each in explained)
    assert all(each.chance < 0.01 for each in explained)
    assert all(math.isfinite(each.nearest.value) for each in explained)


def test_the_chance_grows_if_fewer_digits_are_known():
    few, many = (explain_difference(DATA, value=0.5, digits=digits) for digits in (1, 6))
    assert few.chance == 1 > many.chance > 0
    assert len(few.matches) > len(many.matches)


def test_our_own_number_comes_first_without_steps():
    found = explain_difference(DATA, value=mean_of(k=10, ties="average"), score="ndcg@10")
    assert found.matches[0].steps == ()
    assert repr(found).startswith("This is ndcg@10 here.")
    assert found.to_frame()["step"][0] == "as here"


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


def test_another_match_comes_with_a_query_that_tells_it_apart():
    found = explain_difference(DATA, value=0.5, digits=1, score="ndcg@4")
    first, *others = found.matches
    assert first.query is None
    assert {match.query for match in others} <= {None, *DATA.query_ids.tolist()}
    assert any(match.query is not None for match in others)
    assert "tells it from the first" in repr(found)
    assert "more match." in repr(found)
    named = explain_difference(
        [[1, 0], [0, 2]], [[1, 1], [1, 1]], value=0.8, digits=1, score="ndcg"
    )
    assert {match.query for match in named.matches} <= {None, 0, 1}


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
    from ranking_scores._conventions import _difference

    monkeypatch.setattr(_difference, "_SECONDS", -1)
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
        ({"value": {"q99": 0.5}}, "value", "keys are queries"),
        ({"value": 0.5, "digits": -1}, "digits", "int of at least 0"),
        ({"value": 0.5, "digits": True}, "digits", "int of at least 0"),
        ({"value": 0.5, "digits": 1.5}, "digits", "int of at least 0"),
        ({"value": 0.5, "score": "arp"}, "score", "conventions are known"),
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
    from ranking_scores._metrics import bind_score

    bound = bind_score(score, options, "f")
    ours = bound.function(DATA.y_true, DATA.y_score, **bound.options)
    found = explain_difference(DATA, value=ours, score=score, **options)
    assert found.ours == pytest.approx(ours, abs=1e-12)
    assert found.matches[0].steps == ()
