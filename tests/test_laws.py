"""The laws that every score obeys in every layout: one table, no blanks.

A law is a function of a `Case`: a score, a layout, options and random queries. Each stands in
`LAWS`, and every one of them runs for every score and every layout in `SCORES` and `LAYOUTS` of
`laws`. `test_law` tries it on two cases, which are the same in every run, and
`test_law_on_many_cases`, which is slow, on more, which Hypothesis draws. The test at the end fails
if a layout is missing, and `test_named` if a public score is.
"""

from __future__ import annotations

import itertools
import random
import re
import zlib
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from joblib import parallel_config
from laws import (
    BUT_FOR_GRADE_3,
    GAIN_OPTIONS,
    LAYOUTS,
    NOT_DENSE,
    SCORES,
    TOLERANCE,
    assert_close,
    assert_same_bits,
    cases,
    dense,
    dicts_by_ids,
    lists,
    make_blocks_small,
    masked,
    ragged,
    random_case,
    retrieved,
    sorted_ragged,
    sparse_labels,
    tables_by_ids,
    takes_any_lengths,
    with_zeros,
)
from warned import nothing_to_rank

import ranking_scores as rs
from ranking_scores import _queries
from ranking_scores._queries import _blocks, _counting
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.unjudged import score_bounds

# --- the laws ---------------------------------------------------------------------------------


def permuting_queries_permutes_the_values_and_keeps_the_mean(case):
    order = case.rng.permutation(len(case.queries))
    permuted = [case.queries[index] for index in order]
    assert_same_bits(case.per_query(permuted), case.per_query()[order])
    assert_same_bits(case.value(permuted), case.value())


def permuting_items_changes_nothing(case):
    case = case.without("ignore_ties")
    permuted = []
    for labels, scores in case.queries:
        order = case.rng.permutation(labels.size)
        permuted.append((labels[order], scores[order]))
    assert_close(case.per_query(permuted), case.per_query())


def increasing_transforms_of_the_scores_change_nothing(case):
    expected = case.per_query()
    for transform in (
        lambda scores: np.exp(scores.astype(np.float64) / 1e3),
        lambda scores: scores.astype(np.int64) * 2**52 - 2**62,
        lambda scores: scores.astype(np.longdouble) * 3 - 1,
    ):
        transformed = [(labels, transform(scores)) for labels, scores in case.queries]
        assert_same_bits(case.per_query(transformed), expected)


def a_query_twice_is_a_weight_of_two(case):
    weights = np.ones(len(case.queries))
    weights[0] = 2
    twice = [case.queries[0], *case.queries]
    assert_close(case.value(weights=weights), case.value(twice))


def a_weight_of_zero_is_absence(case):
    queries = [case.queries[0], *case.queries]
    weights = case.rng.random(len(queries)) + 0.1
    weights[0] = 0
    assert_same_bits(case.value(queries, weights), case.value(weights=weights[1:]))


def equal_scores_are_the_mean_over_all_orders(case):
    labels = np.sort(case.queries[0][0])[::-1][:5]
    in_order = [(labels, np.array(order)) for order in itertools.permutations(range(labels.size))]
    [expected] = case.without("ignore_ties").per_query([(labels, np.zeros(labels.size))])
    assert_close(case.per_query(in_order).mean(), expected)


def a_batch_equals_its_queries_alone(case):
    alone = [case.per_query([query])[0] for query in case.queries]
    assert_same_bits(case.per_query(), alone)


def every_layout_gives_the_same_bits(case):
    queries = case.queries
    if case.arrange in BUT_FOR_GRADE_3:  # the others do not know what was not found
        queries = [(labels[labels != 3], scores[labels != 3]) for labels, scores in queries]
        queries = [query for query in queries if query[0].size] or [(np.ones(1), np.ones(1))]
    if len({labels.size for labels, _ in queries}) > 1:
        # Take as many items of each query as the shortest has.
        shortest = min(labels.size for labels, _ in queries)
        queries = [(labels[:shortest], scores[:shortest]) for labels, scores in queries]
    others = [dense, sparse_labels, ragged, sorted_ragged, lists]
    others += [masked(dense), masked(sparse_labels)]
    others += [retrieved, tables_by_ids, dicts_by_ids] * case.score.takes_retrieved
    per_query, mean = case.per_query(queries), case.value(queries)
    for arrange in others:
        other = replace(case, arrange=arrange)
        assert_same_bits(other.per_query(queries), per_query)
        assert_same_bits(other.value(queries), mean)


def a_cutoff_in_a_list_equals_that_cutoff_alone(case):
    if not case.score.takes_k:
        with pytest.raises(TypeError, match="has no parameter 'k'"):
            case.value(k=1)
        return
    cutoffs = [3, *[None] * case.score.is_k_optional, 10**20, 1, 60, 2, 3]
    per_query = case.per_query(k=cutoffs)
    means = case.value(k=cutoffs)
    assert per_query.shape == (len(case.queries), len(cutoffs))
    for column, k in enumerate(cutoffs):
        assert_same_bits(per_query[:, column], case.per_query(k=k))
        assert_same_bits(means[column], case.value(k=k))
    if case.score.is_k_optional and case.score.is_none_a_cutoff:
        assert_same_bits(case.per_query(k=10**20), case.per_query(k=None))


def what_stands_beyond_the_end_of_a_query_or_is_masked_has_no_effect(case):
    # The masked arrangements are full of ignored; every law is about it too.
    expected = case.per_query()
    n_items = 90 if takes_any_lengths(case.arrange) else case.queries[-1][0].size
    labels = np.eye(n_items)[0] if case.is_one_hot else np.full(n_items, 3.0)
    ignored = (labels, np.full(n_items, 1e300))
    assert_same_bits(case.per_query([*case.queries, ignored])[:-1], expected)


def monotone_in_k_where_it_must_be(case):
    if not case.score.takes_k:
        return
    if case.score.is_monotone_in_k or (
        case.is_one_hot and case.score.is_monotone_with_one_relevant_item
    ):
        case = case.without("discount")
        curve = case.per_query(k=range(1, 70))
        assert (np.diff(curve, axis=1) >= 0).all()
    else:  # the second rank adds to what is possible, and here nothing to what is reached
        query = np.array([1, 0, 1]), np.array([3, 2, 1])
        curve = case.score.func(**case.arguments([query]), k=case.score.falls_between)
        assert curve[1] < curve[0]


def values_stay_within_their_bounds(case):
    values = case.per_query()
    is_value = ~np.isnan(values)
    assert is_value.all() or case.score.is_undefined_nan
    bound = case.score.upper_bound(case.arguments(case.queries), case.options)
    assert ((values >= 0) & (values <= bound))[is_value].all()


def what_is_left_out_as_hopeless_changes_nothing(case):
    expected = case.per_query()
    with mock.patch.object(_blocks, "top_k_candidates", return_value=None):
        assert_same_bits(case.per_query(), expected)


def threads_change_nothing(case):
    queries = [query for query in case.queries for _ in range(8)]
    expected = case.per_query(queries), case.value(queries)
    with pytest.MonkeyPatch.context() as patch, parallel_config(n_jobs=3):
        make_blocks_small(patch)
        patch.setattr("joblib.cpu_count", lambda: 3)
        assert_same_bits(case.per_query(queries), expected[0])
        assert_same_bits(case.value(queries), expected[1])


# --- the laws of unknown labels: what they could do to a score ---------------------------------


def bounds_of(case, arguments, **options):
    """Return the bounds of a score, over labels up to 3."""
    given = {**arguments, **case.options, "average": None, **options}
    return score_bounds(**given, score=case.score.func, max_grade=3)


def has_bounds(case, arguments):
    """Whether a score has bounds. Weights of items and discounts that rise are refused by name."""
    if "item_weight" in arguments:
        with pytest.raises(ValueError, match="'item_weight'"):
            bounds_of(case, arguments)
        return False
    if case.options.get("discount") is not GAIN_OPTIONS[-1]["discount"]:
        return True
    try:  # it does not rise if no query has a third item
        bounds_of(case, arguments)
    except InvalidParameterError as error:
        return bool(error.parameter != "discount")
    return True


def hide(case, queries, share=0.4):
    """Return queries of which some labels are unknown, as float64."""
    hidden = []
    for labels, scores in queries:
        floats = labels.astype(np.float64)
        floats[case.rng.random(floats.size) < share] = np.nan
        hidden.append((floats, scores))
    return hidden


def complete(case, queries):
    """Return queries with a label from 0 to 3 in place of each that is unknown."""
    n_grades = 3 if case.arrange in BUT_FOR_GRADE_3 else 4  # else it is not retrieved
    return [
        (np.where(np.isnan(labels), case.rng.integers(0, n_grades, labels.size), labels), scores)
        for labels, scores in queries
    ]


def completions_are_within_the_bounds(case):
    queries = case.queries if case.is_one_hot else hide(case, case.queries)
    arguments = with_zeros(case.arrange(queries))
    if not has_bounds(case, arguments):
        return
    bounds = bounds_of(case, arguments)
    for _ in range(3):
        completed = arguments
        if not (case.is_one_hot or case.score.func is rs.judged_at_k_score):
            completed = with_zeros(case.arrange(complete(case, queries)))
        values = case.score.func(**completed, **case.options, average=None)
        assert (~(values < bounds.low - TOLERANCE) & ~(values > bounds.high + TOLERANCE)).all()
        is_defined = np.isnan(bounds.low) <= np.isnan(values)
        assert is_defined.all()


def known_labels_have_bounds_of_the_same_bits(case):
    queries = [
        (np.nan_to_num(labels) if labels.dtype.kind == "f" else labels, scores)
        for labels, scores in case.queries
    ]
    arguments = with_zeros(case.arrange(queries))
    if not has_bounds(case, arguments):
        return
    expected = case.score.func(**arguments, **case.options, average=None)
    bounds = bounds_of(case, arguments)
    for each in (bounds.low, bounds.high, bounds.not_relevant, bounds.condensed):
        assert_same_bits(each, expected)
    assert not bounds.n_unjudged.any()
    assert bounds.is_exact.all()


def more_labels_never_widen_the_bounds(case):
    if case.is_one_hot or case.score.func is rs.judged_at_k_score:  # which has no range
        return
    queries = hide(case, case.queries)
    arguments = with_zeros(case.arrange(queries))
    if not has_bounds(case, arguments):
        return
    bounds = bounds_of(case, arguments)
    some = [
        (np.where(case.rng.random(labels.size) < 0.5, full, labels), scores)
        for (labels, scores), (full, _) in zip(queries, complete(case, queries), strict=True)
    ]
    narrower = bounds_of(case, with_zeros(case.arrange(some)))
    assert (narrower.n_unjudged <= bounds.n_unjudged).all()
    assert (~(narrower.low < bounds.low - TOLERANCE)).all()
    assert (~(narrower.high > bounds.high + TOLERANCE)).all()


def counting_gives_the_bits_of_sorting(case):
    with mock.patch.object(_counting, "_FEWEST_CELLS", 2**40):
        by_sorting = case.per_query()
    # All items are compared with the relevant ones, or these are looked up in bins.
    for way in ({"_MOST_COMPARED": 100}, {"_WIDE": 0}):
        way = {"_FEWEST_CELLS": 0, "_MOST_COMPARED": -1, "_WIDE": 2**40, "FEW": 1} | way
        with mock.patch.multiple(_counting, **way):
            assert_same_bits(case.per_query(), by_sorting)


LAWS = [
    counting_gives_the_bits_of_sorting,
    permuting_queries_permutes_the_values_and_keeps_the_mean,
    permuting_items_changes_nothing,
    increasing_transforms_of_the_scores_change_nothing,
    a_query_twice_is_a_weight_of_two,
    a_weight_of_zero_is_absence,
    equal_scores_are_the_mean_over_all_orders,
    a_batch_equals_its_queries_alone,
    every_layout_gives_the_same_bits,
    a_cutoff_in_a_list_equals_that_cutoff_alone,
    what_stands_beyond_the_end_of_a_query_or_is_masked_has_no_effect,
    monotone_in_k_where_it_must_be,
    values_stay_within_their_bounds,
    what_is_left_out_as_hopeless_changes_nothing,
    threads_change_nothing,
    completions_are_within_the_bounds,
    known_labels_have_bounds_of_the_same_bits,
    more_labels_never_widen_the_bounds,
]


def hold(law, case, has_small_blocks):
    """Check a law."""
    with pytest.MonkeyPatch.context() as patch:
        if has_small_blocks:
            make_blocks_small(patch)
        law(case)


nothing_found = pytest.mark.filterwarnings("ignore:No (judged|relevant) item is among")

every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
every_score = pytest.mark.parametrize("name", SCORES)


@nothing_to_rank
@nothing_found
@every_law
@every_layout
@every_score
def test_law(name, layout, law):
    if layout in NOT_DENSE and not SCORES[name].takes_retrieved:
        with pytest.raises(ValueError, match=r"must be dense\. Got a sparse"):
            SCORES[name].func(**LAYOUTS[layout][0]([(np.array([0, 1]), np.array([1.0, 2]))]))
        return

    seed = zlib.crc32(f"{name}, {layout}, {law.__name__}".encode())
    pick = random.Random(seed).choice
    for has_small_blocks in (False, True):
        hold(law, random_case(pick, SCORES[name], layout), has_small_blocks)


@pytest.mark.slow
@nothing_to_rank
@nothing_found
@every_law
@every_layout
@every_score
def test_law_on_many_cases(name, layout, law):
    if layout in NOT_DENSE and not SCORES[name].takes_retrieved:
        return  # see above

    @settings(deadline=None, max_examples=8)
    @given(case=cases(SCORES[name], layout), has_small_blocks=st.booleans())
    def holds(case, has_small_blocks):
        hold(law, case, has_small_blocks)

    holds()


def test_no_layout_is_missing_from_the_table():
    # The terms of the list at the head of the module, which says what layouts there are.
    layouts = re.findall(r"^(\w[\w ]*)\n    ", _queries.__doc__, flags=re.MULTILINE)
    assert layouts == list(LAYOUTS)
