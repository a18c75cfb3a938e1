"""The conventions behind a number of another program."""

import math

import by_convention
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_conventions import METRICS, as_data

from ranking_scores._metrics import Convention, ProgramScore
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
