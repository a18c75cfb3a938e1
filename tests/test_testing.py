"""The public definitions of metrics, and the comparison of a function with one of them."""

from __future__ import annotations

import ast
import inspect
import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from ranking_scores import ndcg_score, testing
from ranking_scores._metrics._named import METRICS
from ranking_scores.agreement import overlap_at_k, rank_biased_overlap
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


def test_two_rankings_have_the_overlap_of_the_package():
    def function(a, b, k):
        return overlap_at_k(a, b, k, denominator="k")

    options = {"cutoffs": [1, 2, 4], "min_items": 1, "max_items": 4, "n_cases": 25}
    assert check_score(function, "overlap", tolerance=TOLERANCE, **options).n_tied > 5


def test_rank_biased_overlap_at_a_large_depth_is_that_without_other_shared_items():
    # No depth after 50 weighs more than 2**-50. What is shared before stays shared.
    def function(a, b):
        return rank_biased_overlap(a, b, 0.5, tail="min")

    options = {"min_items": 1, "max_items": 4, "n_cases": 15, "p": 0.5}
    assert check_score(function, "rbo@50", tolerance=TOLERANCE, **options).n_tied > 5


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
        ("rbo", [2, 1], [1, 2], {"p": 0.5}, Fraction(1, 4)),
        ("rbo@1", [2, 1], [2, 1], {"p": 0.5}, Fraction(1, 2)),
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
        (("auc@2", [1], [1]), {}, "a name with a cutoff, only if"),
        (("mrr", [1], [1]), {"gain": "linear"}, "those of 'mrr': k, relevance_threshold"),
        (("precision", [1], [1]), {}, "'k' parameter .* at least 1 for 'precision'. Got nothing"),
        (("mrr", [1], [1]), {"k": 0}, "at least 1 or None for 'mrr'. Got 0"),
        (("err", [1], [1]), {}, "'max_grade' parameter .* passed for 'err'"),
        (("recall", [1], [1]), {"denominator": "k"}, "be 'relevant' or 'achievable'. Got 'k'"),
        (("dcg", [1], [1]), {"gain": "linar"}, "'linear' or 'exponential', or a function"),
        (("mrr", [1, 0], [1]), {}, "'y_true' .* a list of 1 numbers. Got .* in query 0"),
        (("mrr", [[1]], [[1], [2]]), {}, "of as many queries as y_score, 2. Got 1 of them"),
        (("mrr", [1], [math.nan]), {}, "numbers, or None. Got NaN"),
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
        check_score(lambda y, s, k: 0, "overlap", labels=[0], cutoffs=[2], min_items=1)
    with pytest.raises(AssertionError, match="y_true  : "):
        check_score(lambda y, s, **k: 1.1 * ndcg_score(y, s, **k), "ndcg")
    assert check_score(lambda y, s: None, "auc", labels=[1], n_cases=5).n_undefined == 5


def test_a_check_refuses_what_it_cannot_draw():
    with pytest.raises(ValueError, match=r"'rows' or 'query'. Got 'ragged'"):
        check_score(ndcg_score, "ndcg", layout="ragged")
    with pytest.raises(ValueError, match="'hit_rate' needs a cutoff"):
        check_score(ndcg_score, "hit_rate", cutoffs=[None])
    assert check_score(lambda y, s: ndcg_score(y, s, k=2), "ndcg@2", n_cases=5).n_with_cutoff == 0


def test_the_values_of_orders_are_in_their_order():
    assert values_of_orders("mrr", [[1, 0], [0, 1]], [1, 1]) == [Fraction(3, 4)] * 2
    assert values_of_orders("mrr", [0, 0], [1, 1]) == [None, None]
