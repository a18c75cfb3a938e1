"""The names that an option takes, which its type, its docstring and its error say alike.

A type checker knows the names from the type, so it finds a misspelled name before the call. The
error of the call has the names that the function really takes.
"""

from __future__ import annotations

import inspect
import re
import typing
from functools import partial

import pytest
from project.test_help import FUNCTIONS, METHODS

import ranking_scores
from ranking_scores import agreement, gates, scale, significance, testing, trec

Y_TRUE, Y_SCORE = [[0, 1, 2], [1, 0, 0]], [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
A, B = [0.1, 0.2, 0.3], [0.1, 0.4, 0.6]
QREL, RUN = {"tea": {"d1": 1}}, {"tea": {"d1": 0.5}}
JUDGMENTS = {"query": ["q"], "item": ["x"], "label": [1]}
PREDICTIONS = {"query": ["q"], "item": ["x"], "score": [0.5]}
JUDGED_TWICE = ranking_scores.from_tables(
    {"query": ["q"] * 2, "item": ["x"] * 2, "label": [1, 0], "judge": ["ann", "bob"]},
    PREDICTIONS,
    judge="judge",
    duplicates="mean",
)
ROWS = {"query": ["q"], "label": [1], "score": [0.5]}
COLUMNS = {"label": "label", "score": "score", "query": "query", "scores": "ndcg", "k": None}
REPORT = ranking_scores.ranking_report(Y_TRUE, Y_SCORE, scores="map", k=None)
TWO_SETS = {"a": A, "b": B}

CALLS = {
    "AgreementReport.changed_as": lambda **given: agreement.agreement_report(RUN, RUN).changed_as(
        **given
    ),
    "average_overlap": lambda **given: agreement.average_overlap(RUN, RUN, **given),
    "changes": lambda **given: significance.changes(REPORT, REPORT, **given),
    "check": lambda **given: gates.check(
        REPORT, at_least=0.5, **({"rule": "surely worse"} | given)
    ),
    "check_score": lambda **given: testing.check_score(max, "mrr", cutoffs=[None], **given),
    "compare": lambda **given: significance.compare(A, B, **given),
    "compare_all": lambda **given: significance.compare_all(TWO_SETS, **given),
    "confidence_interval": lambda **given: significance.confidence_interval(A, **given),
    "expected": lambda **given: testing.expected("mrr", [0, 1], [1, 2], **given),
    "from_lists": lambda **given: ranking_scores.from_lists([["x"]], [["x"]], **given),
    "from_pytrec_eval": lambda **given: trec.from_pytrec_eval(QREL, RUN, **given),
    "from_table": lambda **given: ranking_scores.from_table(
        {"query": ["q"], "item": ["x"], "label": [1], "score": [0.5]}, **given
    ),
    "from_tables": lambda **given: ranking_scores.from_tables(JUDGMENTS, PREDICTIONS, **given),
    "judge_agreement": lambda **given: agreement.judge_agreement(JUDGED_TWICE, **given),
    "kendall_tau": lambda **given: agreement.kendall_tau(RUN, RUN, **given),
    "overlap_at_k": lambda **given: agreement.overlap_at_k(RUN, RUN, k=1, **given),
    "pair_rankings": lambda **given: agreement.pair_rankings(RUN, RUN, **given),
    "per_query": lambda **given: scale.per_query([ROWS], **COLUMNS, **given),
    "power_curve": lambda **given: significance.power_curve([9], A, B, difference=0.1, **given),
    "queries_needed": lambda **given: significance.queries_needed(A, B, difference=0.1, **given),
    "rank_biased_overlap": lambda **given: agreement.rank_biased_overlap(RUN, RUN, **given),
    "report": lambda **given: scale.report([ROWS], **COLUMNS, **given),
    "report_tables": lambda **given: scale.report_tables(
        JUDGMENTS, PREDICTIONS, query="query", item="item", label="label", score="score", **given
    ),
    "retrieved_from_ids": lambda **given: ranking_scores.retrieved_from_ids(
        [[0]], n_items=1, **given
    ),
    "system_agreement": lambda **given: agreement.system_agreement(
        TWO_SETS, TWO_SETS, score="map", **given
    ),
    "tau_ap": lambda **given: agreement.tau_ap(RUN, RUN, **given),
    "values_of_orders": lambda **given: testing.values_of_orders("mrr", [0, 1], [1, 2], **given),
}
"""A call of each function but the scores, which only lacks the option with a wrong name."""
NEEDED = {"k": 1, "max_grade": 2}
"""The options without which some scores do not begin."""


def names_in(hint):
    """Return the names that a type allows."""
    if typing.get_origin(hint) is typing.Literal:
        return {*typing.get_args(hint)}
    return set().union(*map(names_in, typing.get_args(hint)))


def parameters_of(function):
    """Return the names of the parameters of a function."""
    return inspect.signature(function).parameters


OPTIONS = [
    (function, parameter, names)
    for function in sorted(FUNCTIONS | METHODS, key=lambda each: each.__qualname__)
    for parameter, hint in typing.get_type_hints(function).items()
    if (names := names_in(hint) - {"default"})  # which is the same as to leave out the option
]
IDS = [f"{function.__qualname__}-{parameter}" for function, parameter, _ in OPTIONS]


@pytest.mark.parametrize(("function", "parameter", "names"), OPTIONS, ids=IDS)
def test_the_error_about_a_wrong_name_has_the_names_of_the_type(function, parameter, names):
    needed = {name: NEEDED[name] for name in parameters_of(function) if name in NEEDED}
    call = CALLS.get(function.__qualname__, partial(function, Y_TRUE, Y_SCORE, **needed))
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of") as caught:
        call(**{parameter: "misspelled"})
    expected = str(caught.value).partition(" must be ")[2].partition("Got ")[0]
    assert {*re.findall(r"'([^']+)'", expected)} == names


@pytest.mark.parametrize(("function", "parameter", "names"), OPTIONS, ids=IDS)
def test_docstrings_have_the_names_of_the_type(function, parameter, names):
    lines = inspect.getdoc(function).splitlines()
    [own] = [line for line in lines if re.match(rf"\s*{parameter} : ", line)]
    named = {*re.findall(r'"([^"]+)"', own.partition("default=")[0])}
    if named:  # otherwise a list below says what each means
        assert named == names


def test_parameters_whose_docstrings_list_names_have_a_type_of_names():
    with_names = {(function, parameter) for function, parameter, _ in OPTIONS}
    for function in FUNCTIONS | METHODS:
        for name in parameters_of(function):
            if re.search(rf'^\s*{name} : {{"', inspect.getdoc(function) or "", re.MULTILINE):
                assert (function, name) in with_names, (function.__qualname__, name)
