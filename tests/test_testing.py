"""The public definitions of metrics, and the comparison of a function with one of them."""

from __future__ import annotations

import ast
import inspect
import math
import re
import warnings
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from ranking_scores import ndcg_score, testing
from ranking_scores._metrics._named import METRICS
from ranking_scores.agreement import overlap_at_k, pair_rankings, rank_biased_overlap
from ranking_scores.testing import DEFINITIONS, check_score, expected, values_of_orders

OF_TWO_RANKINGS = {"overlap", "rbo"}
TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py
LEFT_OUT = {"replace_undefined_by": None}
NEEDED = {"err": {"max_grade": 3}}


def test_every_metric_has_a_definition_with_the_same_defaults():
    assert {*DEFINITIONS} == {metric.name for metric in METRICS} | OF_TWO_RANKINGS
    for metric in METRICS:
        definition = DEFINITIONS[metric.name]
        ours = inspect.signature(metric.function).parameters
        own = [*inspect.signature(definition.value).parameters.values()][2:]
        assert {each.name: each.default for each in own} == {
            each.name: ours[each.name].default for each in own
        }
        assert {*definition.of_query} <= ours.keys()
        if "replace_undefined_by" in ours:
            undefined = math.nan if definition.undefined is None else definition.undefined
            default = ours["replace_undefined_by"].default
            np.testing.assert_equal(default, float(undefined))


def test_a_definition_has_at_most_ten_lines():
    tree = ast.parse(inspect.getsource(testing))
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    for definition in DEFINITIONS.values():
        body = functions[definition.value.__name__].body
        assert body[-1].end_lineno - body[1].lineno < 10, definition.value.__name__


def test_nothing_is_imported_from_the_package():
    tree = ast.parse(inspect.getsource(testing))
    imported = [each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    assert not [name for name in imported if name.startswith(("ranking_scores", "numpy"))]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_the_package_agrees(metric):
    options = NEEDED.get(metric.name, {})

    def function(y_true, y_score, **more):
        return metric.function(y_true, y_score, **more, **options)

    agreement = check_score(
        function, metric.name, n_cases=40, max_items=4, tolerance=TOLERANCE, **options
    )
    assert agreement.n_cases == 40
    assert agreement.n_tied > 5


def test_the_functions_of_two_rankings_agree():
    options = {"n_cases": 60, "max_items": 4, "tolerance": TOLERANCE}
    assert check_score(overlap_at_k, "overlap", **options).n_tied > 5
    assert check_score(rank_biased_overlap, "rbo", **options).n_tied > 5
    for name, function in (("overlap", overlap_at_k), ("rbo", rank_biased_overlap)):
        ours = inspect.signature(function).parameters
        own = [*inspect.signature(DEFINITIONS[name].value).parameters.values()][2:]
        optional = [each for each in own if each.default is not each.empty]
        assert [each.default for each in optional] == [
            ours[each.name].default for each in optional
        ]
        assert DEFINITIONS[name].undefined is None
        assert math.isnan(ours["replace_undefined_by"].default)


@pytest.mark.parametrize("length", [0, 2, 3])
def test_two_lists_of_different_lengths_agree(length):
    longer, shorter = [4, 3, 2, 1], [None, 1, 2, 2][:length] + [None] * (4 - length)
    lists = [
        {"q": {item: score for item, score in enumerate(each) if score is not None}}
        for each in (longer, shorter)
    ]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No item of a query", UserWarning)
        paired = pair_rankings(*lists)
    for denominator in DEFINITIONS["overlap"].denominators:
        theirs = overlap_at_k(paired, k=3, denominator=denominator)
        ours = expected("overlap@3", longer, shorter, denominator=denominator)
        assert theirs == pytest.approx(float(ours), abs=TOLERANCE)
    ours = expected("rbo", longer, shorter, p=0.8)
    assert rank_biased_overlap(paired, p=0.8) == pytest.approx(float(ours), abs=TOLERANCE)


def test_the_ideal_is_the_largest_of_all_orders():
    for labels, discounts in product([[3, 0, 1], [-1, 2, -3]], [[3, 1, 2], [-1, 2, 0]]):
        query = testing.Query([labels], 3, discount=lambda rank, d=discounts: d[rank - 1])
        for k in (None, 1, 2):
            best = max(testing._dcg(order, query, k) for order in permutations(range(3)))
            assert testing._ideal_dcg(query, k) == best


@pytest.mark.parametrize(
    ("name", "labels", "scores", "options", "value"),
    [
        ("dcg@1", [1, 3], [5, 5], {"gain": "exponential"}, Fraction(4)),
        ("dcg", [1.5, 0], [2, 1], {"gain": "exponential"}, Fraction(2**1.5 - 1)),
        ("dcg", [2, 1], [2, 1], {"gain": [0, 5, 7], "discount": lambda r: r}, Fraction(17)),
        ("map", [1, 0], [5, 5], {}, Fraction(3, 4)),
        ("precision@3", [1, 0], [2, None], {"denominator": "retrieved"}, Fraction(1)),
        ("recall@1", [1, 1], [2, 1], {"denominator": "achievable"}, Fraction(1)),
        ("f1@3", [1, 0, 0, 1], [2, 1, 1, 0], {"beta": 2}, Fraction(5, 11)),
        ("f1@1", [1, 1], [2, 1], {"beta": math.inf}, Fraction(1, 2)),
        ("err", [1], [1], {"max_grade": 1}, Fraction(1, 2)),
        ("bpref", [1, None, 0], [1, 2, 3], {}, Fraction(0)),
        ("judged@2", [1, math.nan], [2, 1], {}, Fraction(1, 2)),
        ("overlap@2", [3, 2, 1], [1, 1, 2], {}, Fraction(1, 2)),
        ("overlap@5", [1, 2], [1, 2], {}, Fraction(1)),
        ("overlap@5", [1, 2], [1, 2], {"denominator": "k"}, Fraction(2, 5)),
        ("overlap@1", [], [], {}, None),
        ("rbo", [2, 1], [1, 2], {"p": 0.5}, Fraction(1, 2)),
        ("rbo", [1], [1], {}, Fraction(1)),
        ("rbo", [], [], {}, None),
        ("mrr", [[1, 0], [0, 1]], [2, 1], {}, Fraction(3, 4)),
        ("mrr", [[1, 0], [0, 1]], [2, 1], {"aspect_weight": [1, 3]}, Fraction(5, 8)),
        ("alpha_ndcg@1", [[1, 1], [1, 0]], [1, 2], {"aspect_weight": [1, 2]}, Fraction(1, 3)),
        ("all_relevant@1", [[1, 0], [0, 1]], [1, 1], {}, Fraction(0)),
        ("all_relevant@1", [[1, 0], [0, 0]], [1, 1], LEFT_OUT, Fraction(1, 2)),
        ("all_relevant@1", [[0, 0]], [1, 1], LEFT_OUT, None),
        ("all_relevant@1", [1, 1], [1, 1], {}, Fraction(0)),
        ("mrr", [0, 1], [1, 1], {"ignore_ties": True}, Fraction(1)),
        ("mrr", np.array([0, 1]), np.array([1, 1]), {}, Fraction(3, 4)),
    ],
)  # fmt: skip
def test_a_value_is_that_counted_by_hand(name, labels, scores, options, value):
    assert expected(name, labels, scores, **options) == value


def test_queries_are_averaged_with_their_weights():
    data = [[1, 0], [0, 0], [1, 0]], [[1, 2], [1, 1], [2, 1]]
    assert expected("mrr", *data, sample_weight=[1, 1, 2]) == Fraction(5, 8)
    assert expected("mrr", *data, replace_undefined_by=math.nan) == Fraction(3, 4)
    assert expected("mrr", *data, average=None, replace_undefined_by=7) == [Fraction(1, 2), 7, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("ndgc", [1], [1]), {}, "'score' parameter of expected must be one of ndcg, dcg"),
        (("rbo@2", [1], [1]), {}, "must be 'rbo' alone. Got 'rbo@2' instead"),
        (("auc@2", [1], [1]), {}, "must be 'auc' alone. Got 'auc@2' instead"),
        (("mrr@2", [1], [1]), {"k": 2}, "'mrr@10', or with `k`. Got 'mrr@2' with `k` instead"),
        (("rbo", [1], [1]), {"p": 5}, "'p' parameter .* greater than 0 and less than 1. Got 5"),
        (("rbo", [1], [1]), {"p": "x"}, "'p' parameter .* greater than 0 and less .* Got 'x'"),
        (("rbp", [1], [1]), {"persistence": 1}, "'persistence' .* less than 1. Got 1"),
        (("alpha_ndcg", [1], [1]), {"alpha": -0.1}, "'alpha' .* from 0 to 1. Got -0.1"),
        (("f1", [1], [1]), {"k": 1, "beta": math.nan}, "'beta' .* of at least 0.*Got nan"),
        (("dcg", [1], [1]), {"log_base": 1}, "'log_base' .* greater than 1. Got 1"),
        (("err", [1], [1]), {"max_grade": 1.5}, "'max_grade' .* an int from 1 to 1000. Got 1.5"),
        (("mrr", [1], [1]), {"relevance_threshold": "x"}, "a number that is not NaN. Got 'x'"),
        (("mrr", [[1], [0]], [[1], [1]]), {"sample_weight": [2, -1]}, "not negative. Got -1"),
        (("mrr", [[1], [0]], [[1], [1]]), {"sample_weight": [0, 0]}, "not all 0. Got .0, 0."),
        (("mrr", [[1], [0]], [1]), {"aspect_weight": [1, math.inf]}, "Got inf in query 0"),
        (("mrr", [1], [1]), {"gain": "linear"}, "those of 'mrr': k, relevance_threshold"),
        (("precision", [1], [1]), {}, "'k' parameter .* at least 1 for 'precision'. Got nothing"),
        (("mrr", [1], [1]), {"k": 0}, "at least 1 or None for 'mrr'. Got 0"),
        (("err", [1], [1]), {}, "'max_grade' parameter .* passed for 'err'"),
        (("recall", [1], [1]), {"denominator": "k"}, "be 'relevant' or 'achievable'. Got 'k'"),
        (("dcg", [1], [1]), {"gain": "linar"}, "'linear' or 'exponential', or a function"),
        (("mrr", [1, 0], [1]), {}, "'y_true' .* a list of 1 number. Got .* in query 0"),
        (("mrr", [[1]], [[1], [2]]), {}, "of as many queries as y_score, 2. Got 1 of them"),
        (("mrr", [1], [math.nan]), {}, "'y_score' .* not NaN, or None. Got nan in query 0"),
        (("mrr", [1], ["2"]), {}, "'y_score' .* not NaN, or None. Got '2' in query 0"),
        (("rbo", [math.nan], [1]), {}, "'y_true' .* not NaN, or None. Got nan in query 0"),
        (("ndcg", ["1", 0], [1, 2]), {}, "'y_true' .* finite numbers.* Got '1' in query 0"),
        (("mrr", [1], 2), {}, "'y_score' parameter of expected must be a list. Got 2"),
        (("mrr", [[1], [1]], [[1], 2]), {}, "'y_score' .* must be a list. Got 2 in query 1"),
        (("mrr", 1, [2]), {}, "'y_true' .* a list of 1 number. Got 1 in query 0"),
        (("mrr", [1], [2]), {"sample_weight": 3}, "'sample_weight' .* a list. Got 3"),
        (("mrr", [1] * 10, [1] * 10), {}, "at most 500000 orders. Got 3628800 orders in query 0"),
        (("auc", [1, 0], [1, None]), {}, "a score of each item for 'auc'"),
        (("arp", [1, 0], [None, 1]), {}, "a score of each item for 'arp'"),
        (("mrr", [1], [1]), {"average": "mean"}, "'samples' or None. Got 'mean'"),
        (("mrr", [1], [1]), {"replace_undefined_by": "nan"}, "a number or None. Got 'nan'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        expected(*arguments, **options)


def forgets_ties(y_true, y_score):
    ranked = sorted(range(len(y_true)), key=y_score.__getitem__, reverse=True)
    return next((1 / rank for rank, item in enumerate(ranked, 1) if y_true[item] > 0), 0)


def test_a_fault_is_found_and_explained():
    options = {"layout": "query", "cutoffs": [None]}
    with pytest.raises(AssertionError, match="of one order of the items with equal scores"):
        check_score(forgets_ties, "mrr", **options)
    agreement = check_score(forgets_ties, "mrr", n_cases=60, ties=False, **options)
    assert agreement.n_empty > 0
    assert "60 cases agree with the definition of mrr" in repr(agreement)
    with pytest.raises(AssertionError, match="undefined on such a query"):
        check_score(lambda *_: math.nan, "mrr", labels=[0], **options)
    with pytest.raises(AssertionError, match=r"returned: TypeError: .*'k'"):
        check_score(forgets_ties, "mrr", layout="query", min_items=1, cutoffs=[1])
    with pytest.raises(AssertionError, match="defined : 1/2"):
        check_score(lambda y, s, k: 0, "overlap", denominator="k", cutoffs=[2], min_items=1)
    for returned in (np.zeros(2), "0.5", 1j):
        with pytest.raises(AssertionError, match=f"returned: {re.escape(str(returned))}"):
            check_score(lambda *_, it=returned: it, "mrr", min_items=1, **options)
    with pytest.raises(AssertionError, match="y_true  : "):
        check_score(lambda y, s, **k: 1.1 * ndcg_score(y, s, **k), "ndcg")
    assert check_score(lambda y, s: None, "auc", labels=[1], n_cases=5).n_undefined == 5


def test_a_check_refuses_what_it_cannot_draw():
    with pytest.raises(ValueError, match=r"'rows' or 'query'. Got 'ragged'"):
        check_score(ndcg_score, "ndcg", layout="ragged")
    with pytest.raises(ValueError, match="'hit_rate' needs a cutoff"):
        check_score(ndcg_score, "hit_rate", cutoffs=[None])
    assert check_score(lambda y, s: ndcg_score(y, s, k=2), "ndcg@2", n_cases=5).n_with_cutoff == 0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_cases": 0}, "'n_cases' parameter of check_score must be an int of at least 1. Got 0"),
        ({"tolerance": -1}, "'tolerance' .* a finite number of at least 0. Got -1"),
        ({"random_state": "a"}, "'random_state' .* an int. Got 'a'"),
        ({"min_items": 6}, "'min_items' .* at most max_items, 5. Got 6"),
        ({"max_items": 0}, "'max_items' .* an int of at least 1. Got 0"),
        ({"labels": []}, "'labels' .* a list of at least one finite number.* Got .. instead"),
        ({"labels": ["a"]}, "'labels' .* a list of at least one finite number.* Got ..a"),
        ({"function": 3}, "'function' .* callable. Got 3"),
        ({"cutoffs": [0]}, "'cutoffs' .* ints of at least 1, or None. Got .0."),
        ({"cutoffs": []}, "'cutoffs' .* not empty. Got .. instead"),
    ],
)
def test_a_check_refuses_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        check_score(**{"function": forgets_ties, "score": "mrr"} | params)


def test_the_values_of_orders_are_in_their_order():
    assert values_of_orders("mrr", [[1, 0], [0, 1]], [1, 1]) == [Fraction(3, 4)] * 2
    assert values_of_orders("mrr", [0, 0], [1, 1]) == [None, None]
    with pytest.raises(ValueError, match="'y_score' parameter of values_of_orders must be a list"):
        values_of_orders("mrr", [0], 1)
