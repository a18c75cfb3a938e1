"""Explanations: each part against all orders of the ties, and the laws that the parts obey."""

from __future__ import annotations

import dataclasses
import itertools
import math
import pickle
import random
import subprocess
import sys
from dataclasses import replace
from functools import partial
from inspect import signature
from unittest import mock

import defined
import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
import scipy.sparse as sp
from defined import replacing, takes, with_grades
from hypothesis import given, settings
from hypothesis import strategies as st
from raising import raises
from test_laws import LAYOUTS, SCORES, random_case
from warned import nothing_to_rank

from ranking_scores import (
    dcg_score,
    expected_reciprocal_rank_score,
    f1_at_k_score,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    recall_at_k_score,
)
from ranking_scores._explanations import _results
from ranking_scores._explanations._rescoring import Rescorer
from ranking_scores._metrics import _rank_sums
from ranking_scores.explain import ItemMove, ItemPart, QueryExplanation, explain_query
from ranking_scores.tables import RankingData, from_lists, from_tables

TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py
NAN = np.nan


def close(actual, expected):
    return actual == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE, nan_ok=True)


# --- each number against its definition --------------------------------------------------------

ERR = partial(expected_reciprocal_rank_score, max_grade=3)
REFERENCE_ERR = partial(reference.expected_reciprocal_rank, max_grade=3)
WITHOUT_PARTS = (
    "all_relevant_at_k_score",
    "bpref_score",
    "grouped_auc_score",
    "pairwise_accuracy_score",
)
# A score, its definition, and whether it takes k.
DEFINED = {
    **{
        score.__name__: (with_grades(score), with_grades(definition), takes(score, "k"))
        for score, definition in defined.DEFINED
        if score.__name__ not in WITHOUT_PARTS
    },
    "ndcg exponential": (
        partial(ndcg_score, gain="exponential"),
        partial(reference.ndcg, gain=reference.exponential),
        True,
    ),
    "ndcg of gains above 0": (
        partial(ndcg_score, gain=lambda label: label + 1),
        partial(reference.ndcg, gain=lambda label: label + 1),
        True,
    ),
    "dcg of an uneven discount": (
        partial(dcg_score, discount=lambda rank: rank % 3),
        partial(reference.dcg, discount=lambda rank: rank % 3),
        True,
    ),
    "ndcg of a rising discount": (
        partial(ndcg_score, discount=lambda rank: rank),
        partial(reference.ndcg, discount=lambda rank: rank),
        True,
    ),
    "dcg with losses": (
        partial(dcg_score, gain=lambda label: label - 1),
        partial(reference.dcg, gain=lambda label: label - 1),
        True,
    ),
    "dcg of a discount below 0": (
        partial(dcg_score, discount=lambda rank: 2 - rank),
        partial(reference.dcg, discount=lambda rank: 2 - rank),
        True,
    ),
    "dcg with losses and any discount": (
        partial(dcg_score, gain=lambda label: label - 1, discount=lambda rank: (rank % 4) - 1),
        partial(reference.dcg, gain=lambda label: label - 1, discount=lambda rank: rank % 4 - 1),
        True,
    ),
    "precision of the retrieved": (
        partial(precision_at_k_score, denominator="retrieved"),
        partial(reference.precision_at_k, denominator="retrieved"),
        True,
    ),
    "recall, achievable": (
        partial(recall_at_k_score, denominator="achievable"),
        partial(reference.recall_at_k, denominator="achievable"),
        True,
    ),
    "f2": (partial(f1_at_k_score, beta=2), partial(reference.f1_at_k, beta=2), True),
}


@st.composite
def one_query(draw, name, max_items=5):
    """Return the labels and scores of a query, and the options of a score. None: not retrieved."""
    size = draw(st.integers(1, max_items))
    labels = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    score, row = DEFINED[name][0], SCORES.get(name)
    scores = st.sampled_from([-1.0, 0.0, 2.0])
    if not (row and row.needs_all_ranked) and draw(st.booleans()):
        scores = st.one_of(st.none(), scores)
    scores = draw(st.lists(scores, min_size=size, max_size=size))
    options = {}
    if takes(score, "relevance_threshold"):
        options["relevance_threshold"] = draw(st.sampled_from([None, 0, 1, 2]))
    if takes(score, "ignore_ties"):
        options["ignore_ties"] = draw(st.booleans())
    if DEFINED[name][2]:
        k = st.integers(1, 6)
        options["k"] = draw(k if row and not row.is_k_optional else st.one_of(st.none(), k))
    if name.startswith("dcg with losses"):
        options["relevance_threshold"] = None
    return labels, scores, options


def as_arguments(labels, scores, *, is_retrieved):
    """Return the arguments of a query whose scores may be None, where it was not retrieved."""
    y_true = np.array([labels])
    if not is_retrieved:
        return y_true, np.array([scores], dtype=float)
    found = [place for place, score in enumerate(scores) if score is not None]
    stored = [scores[place] for place in found]
    y_score = sp.csr_array((stored, found, [0, len(found)]), y_true.shape)
    return sp.csr_array(y_true) if sum(labels) % 3 else y_true, y_score


def with_dense_labels(y_true, y_score):
    """Return the arguments of a query all of whose items were judged."""
    return y_true.toarray() if sp.issparse(y_true) else y_true, y_score


def all_rankings(n_items, *, may_leave_out):
    """Yield scores of every order of the items, or of every order of some of them."""
    for size in range(n_items + 1) if may_leave_out else [n_items]:
        for order in itertools.permutations(range(n_items), size):
            scores = [None] * n_items
            for place, item in enumerate(order):
                scores[item] = -place
            yield scores


@pytest.mark.parametrize("name", DEFINED)
@settings(deadline=None, max_examples=max(settings().max_examples // 3, 10))
@given(data=st.data())
def test_each_number_is_that_of_its_definition(name, data):
    labels, scores, options = data.draw(one_query(name))
    score, definition, _ = DEFINED[name]
    is_retrieved = None in scores
    arguments = as_arguments(labels, scores, is_retrieved=is_retrieved)
    if name == "judged_at_k_score":
        arguments = with_dense_labels(*arguments)
    found = explain_query(*arguments, score=score, **replacing(NAN, score), **options)
    value = definition(labels, scores, **options)
    assert found.is_defined == (value is not None)
    if value is None:
        assert math.isnan(found.value)
        assert found.items == ()
        return
    assert close(found.value, float(value))
    items = {part.item: part for part in found.items}
    groups = reference.tie_groups(scores)
    for item in range(len(labels)):
        part = items.get(item)
        expected = float(definition(labels, scores, item=item, **options))
        if part is None:
            assert expected == 0
            continue
        assert close(part.part, expected)
        assert part.label == labels[item]
        moved = [*scores]
        moved[item] = 99.0
        assert close(part.if_first, float(definition(labels, moved, **options)))
        ranks = first, last = part.first_rank, part.last_rank
        if scores[item] is None:
            assert ranks == (None, None)
        else:
            above = sum(map(len, itertools.takewhile(lambda group: item not in group, groups)))  # noqa: B023
            [group] = [group for group in groups if item in group]
            if options["ignore_ties"]:
                assert first == last == above + 1 + group[::-1].index(item)
            else:
                assert ranks == (above + 1, above + len(group))
    check_sums(found)


@pytest.mark.parametrize("name", DEFINED)
@settings(deadline=None, max_examples=max(settings().max_examples // 5, 8))
@given(data=st.data())
def test_the_best_ranking_is_the_best_of_all(name, data):
    labels, scores, options = data.draw(one_query(name, max_items=4))
    score, definition, _ = DEFINED[name]
    may_leave_out = None in scores
    arguments = as_arguments(labels, scores, is_retrieved=may_leave_out)
    if name == "judged_at_k_score":
        arguments = with_dense_labels(*arguments)
    found = explain_query(*arguments, score=score, **options)
    if not found.is_defined:
        return
    values = [
        definition(labels, ranking, **options)
        for ranking in all_rankings(len(labels), may_leave_out=may_leave_out)
        if may_leave_out or None not in ranking
    ]
    pick = max if found.greater_is_better else min
    assert close(found.best, float(pick(values)))
    by_label = {}
    for part in found.items:
        by_label.setdefault(part.label, []).append(part.best_part)
    for parts in by_label.values():  # items of one gain share what they add
        assert close(max(parts), min(parts))


# --- laws ----------------------------------------------------------------------------------------

EXPLAINED = [name for name in SCORES if name not in WITHOUT_PARTS]


def explanations_of(case, arguments, **more):
    """Return the explanations of all queries of a case."""
    n_queries = len(case.queries)
    qid = arguments.get("qid")
    query = range(n_queries) if qid is None else np.unique(qid).tolist()
    return explain_query(
        score=case.score.func, query=[*query], **arguments, **case.options, **more
    )


@nothing_to_rank
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", EXPLAINED)
def test_the_parts_add_up_in_every_layout(name, layout):
    pick = random.Random(f"{name} {layout}").choice
    for _ in range(6):
        case = random_case(pick, SCORES[name], layout)
        arguments = case.arguments(case.queries)
        values = case.per_query()
        for found, value in zip(explanations_of(case, arguments), values, strict=True):
            assert np.array_equal(found.value, value, equal_nan=True)
            if found.is_defined:
                check_sums(found)
            else:
                assert found.items == ()


@nothing_to_rank
@pytest.mark.parametrize("name", EXPLAINED)
def test_every_layout_has_the_same_parts(name):
    pick = random.Random(name).choice
    score = SCORES[name]
    case = random_case(pick, score, "ragged")
    while len({len(labels) for labels, _ in case.queries}) > 1:
        case = random_case(pick, score, "ragged")
    expected = None
    for layout in ("dense", "ragged", "sparse labels", "retrieved", "lists"):
        arguments = replace(case, arrange=LAYOUTS[layout][0]).arguments(case.queries)
        found = explanations_of(case, arguments)
        parts = [
            sorted(part[1:] for part in each.items if part.part or part.best_part)
            for each in found
        ]
        expected = parts if expected is None else expected
        for one, other in zip(parts, expected, strict=True):
            np.testing.assert_allclose(
                np.array(one, float), np.array(other, float), rtol=TOLERANCE, atol=TOLERANCE
            )


@nothing_to_rank
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", EXPLAINED)
def test_the_changes_add_up_to_the_difference(name, layout):
    pick = random.Random(f"{layout} {name}").choice
    for _ in range(3):
        case = random_case(pick, SCORES[name], layout)
        arguments = case.arguments(case.queries)
        queries = [(labels, case.rng.permutation(scores)) for labels, scores in case.queries]
        other = case.arguments(queries)
        other = other["y_score"] if "y_score" in other else other["y_true"]
        values = case.per_query(queries)
        for found, value in zip(
            explanations_of(case, arguments, other=other), values, strict=True
        ):
            assert np.array_equal(found.other_value, value, equal_nan=True)
            if found.is_defined:
                change = math.fsum(move.change for move in found.moves)
                assert close(change, found.other_value - found.value)
                for move in found.moves:
                    assert move.change == move.part_now - move.part_before
            else:
                assert (found.moves, found.is_other_defined) == ((), False)


# Arrangements of labels and scores, some of which are None: not judged, or not retrieved.


def in_rows(values):
    """Return rows as a dense array, with NaN for None."""
    return np.array(values, dtype=float)


def stored(values):
    """Return rows as a sparse array, which stores 0 and does not store None."""
    rows = [[each for each in enumerate(row) if each[1] is not None] for row in values]
    pairs = [pair for row in rows for pair in row]
    ends = np.cumsum([0, *map(len, rows)])
    columns, data = [[pair[place] for pair in pairs] for place in (0, 1)]
    shape = len(values), len(values[0])
    return sp.csr_array((np.array(data, float), np.array(columns, int), ends), shape)


def with_qid(labels, scores):
    qid = np.repeat(np.arange(len(labels)), len(labels[0]))
    return {"y_true": np.ravel(in_rows(labels)), "y_score": np.ravel(scores), "qid": qid}


def by_ids(labels, scores):
    judged, found = (
        {
            query: {item: each for item, each in enumerate(row) if each is not None}
            for query, row in enumerate(values)
        }
        for values in (labels, scores)
    )
    return {"y_true": from_lists(judged, found)}


WITH_UNKNOWN = {
    "dense": lambda labels, scores: {"y_true": in_rows(labels), "y_score": scores},
    "rows": with_qid,
    "sparse": lambda labels, scores: {"y_true": stored(labels), "y_score": in_rows(scores)},
    "retrieved": lambda labels, scores: {"y_true": stored(labels), "y_score": stored(scores)},
    "retrieved, dense": lambda labels, scores: {
        "y_true": in_rows(labels),
        "y_score": stored(scores),
    },
    "ids": by_ids,
}
WITH_NAN = ("dense", "rows", "retrieved, dense")
"""The arrangements in which an unknown label is NaN, which few scores take."""
WITHOUT_SOME = ("retrieved", "retrieved, dense", "ids")
"""The arrangements in which a ranking may lack items."""


def options_with_unknown(score, pick):
    """Return options of a score, under which a label of 0 may count."""
    known = signature(score).parameters
    has_k = "denominator" in known and known["denominator"].default == "k"
    choices = {
        "k": [1, 2, 3],
        "ignore_ties": [False, True],
        "relevance_threshold": [None, 0, 1],
        "denominator": ["k", "retrieved"] if has_k else ["relevant"],
        "gain": ["linear", lambda label: label + 1],
        "max_grade": [3],
        "replace_undefined_by": [NAN],
    }
    return {option: pick(of) for option, of in choices.items() if option in known}


def takes_unknown(name, layout):
    """Return whether a score takes an arrangement, whatever is unknown or not retrieved."""
    if name == "judged_at_k_score":
        return True
    is_refused = name == "average_relevant_position" and layout in WITHOUT_SOME
    return layout not in WITH_NAN and not is_refused


@nothing_to_rank
@pytest.mark.parametrize(
    ("name", "layout"),
    [each for each in itertools.product(EXPLAINED, WITH_UNKNOWN) if takes_unknown(*each)],
)
def test_each_number_beside_unknown_labels_is_that_of_a_changed_arrangement(name, layout):
    is_judged = name == "judged_at_k_score"
    pick = random.Random(f"unknown {name} {layout}").choice
    score, arrange, may_leave_out = SCORES[name].func, WITH_UNKNOWN[layout], layout in WITHOUT_SOME
    for number in range(30 if is_judged else 6):
        options = options_with_unknown(score, pick)
        grades = [None] if number % 5 == 0 else [None, None, 0, 0, 1, 2]
        labels = [pick(grades) for _ in range(3)]
        scores = [pick([0, 1, 2, None][: 3 + may_leave_out]) for _ in range(3)]
        moved = [
            [99 if at == item else each for at, each in enumerate(scores)] for item in range(3)
        ]
        orders = [*all_rankings(3, may_leave_out=may_leave_out)]
        rankings = [scores, *moved, *orders]
        # The last query has all items, so that there are as many of them beside one query.
        arguments = arrange([*[labels] * len(rankings), [1, 1, 1]], [*rankings, [0, 0, 0]])
        value, *values, _ = score(**arguments, **options, average=None)
        at = pick(range(len(rankings) - 1))
        arguments, other = (
            arrange([labels, [1, 1, 1]], [ranking, [0, 0, 0]])
            for ranking in (scores, rankings[1 + at])
        )
        other = other.get("y_score", other["y_true"])
        found = explain_query(score=score, query=0, other=other, **arguments, **options)
        assert close(found.other_value, values[at])
        assert found.is_defined == (not math.isnan(value))
        if not found.is_defined:
            continue
        sign, if_first = 1 if found.greater_is_better else -1, dict(enumerate(values[:3]))
        assert close(found.value, value)
        assert close(found.best, sign * np.nanmax(sign * np.array(values[3:])))
        check_sums(found)
        if found.is_other_defined:
            changes = math.fsum(move.change for move in found.moves)
            assert close(changes, values[at] - value)
        for part in found.items:
            unknown = NAN if is_judged else 0
            assert close(part.if_first, if_first[part.item])
            assert close(part.label, unknown if labels[part.item] is None else labels[part.item])
        change = 0 if found.best_change is None else found.best_change.if_first - value
        assert close(sign * change, max(0, *(sign * (each - value) for each in values[:3])))


def falls_below_0(rank):
    return 2 - rank


def rises(rank):
    return rank


def is_uneven(rank):
    return rank % 4 - 1


@pytest.mark.parametrize("discount", [falls_below_0, rises, is_uneven])
def test_the_best_of_lists_in_which_items_or_ranks_lose(discount):
    rng = random.Random(2)
    for _ in range(20):
        labels = [rng.choice([-1, 0, 0, 2, 3]) for _ in range(4)]
        scores = [*(rng.choice([None, None, 1.0]) for _ in range(3)), None]
        y_true, y_score = as_arguments(labels, scores, is_retrieved=True)
        values = [
            reference.dcg(labels, ranking, discount=discount)
            for ranking in all_rankings(4, may_leave_out=True)
        ]
        for labels_as in (sp.csr_array(y_true), sp.csr_array(y_true).toarray()):
            found = explain_query(labels_as, y_score, score="dcg", discount=discount)
            assert close(found.best, float(max(values)))
            check_sums(found)


def test_a_list_may_end_with_an_item_that_loses_where_ranks_lose():
    labels, y_score = [3, 2, 2, 2, -1], sp.csr_array([[1.0, 0, 0, 0, 0]])
    found = explain_query([labels], y_score, score="dcg", discount=falls_below_0)
    assert found.best == 3 * 1 + 2 * 0 + -1 * -1
    check_sums(found)


def check_sums(found):
    """Check that the parts of an explanation add up."""
    sign = 1 if found.greater_is_better else -1
    assert close(math.fsum(part.part for part in found.items), found.value)
    assert close(math.fsum(part.best_part for part in found.items), found.best)
    lost = [part.lost for part in found.items]
    assert close(math.fsum(lost), sign * (found.best - found.value))
    assert lost == sorted(lost, reverse=True)
    for part in found.items:
        assert close(part.lost, sign * (part.best_part - part.part))


# --- weights of items, masks, and large queries --------------------------------------------------


@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
@settings(deadline=None, max_examples=max(settings().max_examples // 2, 10))
@given(data=st.data())
def test_weights_of_items(score, data):
    definition = {dcg_score: reference.dcg, ndcg_score: reference.ndcg}[score]
    size = data.draw(st.integers(1, 5))
    lists = partial(st.lists, min_size=size, max_size=size)
    labels = data.draw(lists(st.integers(0, 3)))
    scores = data.draw(lists(st.sampled_from([0.0, 1.0])))
    weights = data.draw(lists(st.sampled_from([0, 0.5, 1, 3])))
    k = data.draw(st.one_of(st.none(), st.integers(1, 6)))
    found = explain_query([labels], [scores], score=score, item_weight=[weights], k=k)
    value = definition(labels, scores, item_weight=weights, k=k)
    assert found.is_defined == (value is not None)
    if value is None:
        return
    assert close(found.value, float(value))
    check_sums(found)
    kept = [item for item, weight in enumerate(weights) if weight]
    for part in found.items:
        assert part.weight == weights[part.item]
        place = kept.index(part.item)  # items of weight 0 are no items
        expected = definition(labels, scores, item_weight=weights, k=k, item=place)
        assert close(part.part, float(expected))
        moved = [*scores]
        moved[part.item] = 99.0
        assert close(part.if_first, float(definition(labels, moved, item_weight=weights, k=k)))


def test_an_item_at_the_top_is_the_score_of_the_changed_data(monkeypatch):
    monkeypatch.setattr(_rank_sums, "_CELLS", 100)
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 4, (1, 300)) * (rng.random((1, 300)) < 0.1)
    y_score = rng.integers(0, 80, (1, 300))
    for score in (ndcg_score, mean_average_precision_score, ERR):
        for ignore_ties in (False, True):
            options = {"k": 50, "ignore_ties": ignore_ties}
            found = explain_query(y_true, y_score, score=score, **options)
            check_sums(found)
            for part in found.items:
                changed = y_score.copy()
                changed[0, part.item] = 1000
                assert close(part.if_first, score(y_true, changed, **options))
            best = max(found.items, key=lambda part: part.if_first)
            assert found.best_change.if_first == best.if_first


def test_the_group_of_a_mixed_tie_of_err_is_shared_by_what_each_item_stops():
    found = explain_query([[3, 1, 0, 2, 1]], [[1, 1, 1, 1, 0]], score=ERR)
    parts = {part.item: part.part for part in found.items}
    expected = [
        REFERENCE_ERR([3, 1, 0, 2, 1], [1, 1, 1, 1, 0], k=None, item=item) for item in range(5)
    ]
    assert close([parts[item] for item in range(5)], [*map(float, expected)])


def test_items_that_were_not_judged_take_ranks():
    y_true, y_score = sp.csr_array([[0, 0, 1, 1]]), sp.csr_array([[3.0, 2, 1, 0]])
    found = explain_query(y_true, y_score, score="dcg")
    [missed] = [part for part in found.items if part.first_rank is None]
    assert close(missed.if_first, 1 + 1 / math.log2(5))
    rising = explain_query(y_true, y_score, score="dcg", discount=lambda rank: rank)
    assert (rising.value, rising.best) == (3, 7)
    check_sums(rising)


def test_the_ideal_has_the_ranks_of_all_items():
    y_true, y_score = sp.csr_array([[0, 0, 1, 1, 0, 0]]), sp.csr_array([[3.0, 2, 1, 0, 0, 0]])
    found = explain_query(y_true, y_score, score="ndcg", discount=lambda rank: rank)
    check_sums(found)
    assert found.value == 3 / 11  # the largest sum of two of six ranks is 5 + 6
    assert {part.item: part.if_first for part in found.items}[2] == 1 / 11


def test_items_that_were_not_judged_may_gain():
    y_true, y_score = sp.csr_array([[0, 0, 1, 1]]), sp.csr_array([[3.0, 2, 0, 0]])
    for score, options in (
        ("recall", {"relevance_threshold": 0}),
        ("dcg", {"gain": lambda label: label + 1}),
    ):
        found = explain_query(y_true, y_score, score=score, **options)
        assert {part.item for part in found.items} == {0, 1, 2, 3}
        check_sums(found)
    y_true = sp.csr_array([[1, 0, 0, 0]])
    found = explain_query(y_true, y_score, score="recall", relevance_threshold=0)
    assert [part.item for part in found.items if part.first_rank is None] == [2, 3]


def test_few_ranks_of_long_lists():
    labels, scores = np.zeros((1, 3000), dtype=int), np.arange(3000)[None] // 2
    labels[0, [5, 2990]] = 1, 2
    for y_true in (labels, sp.csr_array(labels)):
        for where in (None, np.arange(3000)[None] != 2999):
            found = explain_query(y_true, scores, score="ndcg@2", where=where)
            assert {part.item for part in found.items} >= {5, 2990, 2998}
            ranks = {part.item: part.last_rank for part in found.items}
            n_masked = 0 if where is None else 1
            assert (ranks[5], ranks[2990]) == (2996 - n_masked, 10 - n_masked)
            assert (found.value, found.best) == (0, 1)


def test_a_tie_group_beyond_the_cutoff_adds_nothing():
    found = explain_query([[1, 2, 1, 0, 1]], [[5, 1, 1, 1, 1]], score=ERR, k=1)
    assert [(part.item, part.part) for part in found.items if part.part] == [(0, 1 / 8)]
    check_sums(found)


def test_masked_items_are_no_items():
    y_true, y_score = [[1, 9, 0, 1]], [[1, NAN, 3, 2]]
    where = [[True, False, True, True]]
    found = explain_query(y_true, y_score, score="map", where=where)
    assert {part.item for part in found.items} == {0, 2, 3}
    check_sums(found)
    nothing = explain_query(y_true, y_score, score="map", where=[[False] * 4])
    assert (nothing.items, nothing.is_defined, nothing.n_left_out) == ((), False, 0)
    nothing = explain_query(y_true, y_score, score="dcg", where=[[False] * 4])
    assert (nothing.items, nothing.value, nothing.best) == ((), 0, 0)


# --- which items are listed ----------------------------------------------------------------------


def test_items_that_gain_nothing_are_listed_above_one_that_matters():
    found = explain_query([[0, 1, 0, 0, 0]], [[5, 4, 4, 3, 2]], score="map")
    assert [part.item for part in found.items] == [1, 0, 2]
    assert found.n_left_out == 2
    # Beyond the cutoff, an item cannot take the place of one that matters.
    found = explain_query([[0, 0, 0, 1]], [[4, 3, 2, 1]], score="map", k=2)
    assert [part.item for part in found.items] == [3, 0, 1]
    assert found.n_left_out == 1
    assert found.items[0].first_rank == 4


def test_missed_items_are_listed_with_what_each_costs():
    data = from_lists({"q": {"a": 2, "b": 1, "c": 0}}, {"q": ["x", "b"]})
    found = explain_query(data, score="ndcg")
    assert [(part.item, part.first_rank) for part in found.items] == [
        ("a", None),
        ("x", 1),
        ("b", 2),
    ]
    check_sums(found)
    nothing = explain_query(
        from_lists({"q": ["a"], "r": ["x"]}, {"r": ["x"]}), score="map", query="q"
    )
    [part] = nothing.items
    assert (part.item, part.lost, part.if_first, nothing.value) == ("a", 1, 1, 0)


def test_the_best_change_of_a_position_makes_it_lower():
    found = explain_query([[1, 0, 0, 1]], [[4, 3, 2, 1]], score="arp")
    assert not found.greater_is_better
    assert (found.value, found.best) == (2.5, 1.5)
    assert (found.best_change.item, found.best_change.if_first) == (3, 1.5)
    assert [(part.item, part.lost) for part in found.items[:1]] == [(3, 1.25)]


def test_equal_costs_are_counted():
    found = explain_query([[0, 1, 1, 1]], [[4, 3, 3, 3]], score="ndcg@1")
    assert "1 and 2 more cost most, 0.3333 each" in repr(found)


def test_a_perfect_ranking_loses_nothing():
    rng = np.random.default_rng(1)
    for score, n_labels in (("ndcg", 4), ("map", 2), ("recall@5", 2), (ERR, 4)):
        y_true = rng.integers(0, n_labels, (20, 30))
        for found in explain_query(y_true, y_true, score=score, query=range(20)):
            assert {part.lost for part in found.items} == {0}
            assert repr(found).partition("\n")[0].endswith(" at best")


def test_moving_an_item_up_may_gain_nothing():
    found = explain_query([[1, 0]], [[2, 1]], score="ndcg")
    assert found.best_change is None
    assert "no item would gain anything by a move to the first rank" in repr(found)


# --- queries and their names ---------------------------------------------------------------------

Y_TRUE = [[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]]
Y_SCORE = [[3, 2, 1], [3, 2, 1], [3, 2, 1], [3, 2, 1]]


def test_the_worst_queries_come_first():
    found = explain_query(Y_TRUE, Y_SCORE, score="mrr", worst=2)
    assert [(each.query, each.value) for each in found] == [(2, 1 / 3), (3, 0.5)]
    assert found.n_undefined == 1
    assert repr(found).endswith("1 query with an undefined score is left out")
    found = explain_query(Y_TRUE, Y_SCORE, score="arp", worst=10, replace_undefined_by=99)
    assert [each.value for each in found] == [3, 2, 1]
    assert len(found) == 3
    assert found[:2] == (found[0], found[1])


def test_a_query_has_its_id():
    qid = ["b", "b", "a", "a"]
    rows = {"y_true": [0, 1, 1, 0], "y_score": [2, 1, 2, 1], "qid": qid}
    found = explain_query(**rows, score="mrr", query="b")
    assert (found.query, found.value) == ("b", 0.5)
    assert [part.item for part in found.items] == [1, 0]
    named = explain_query(**rows, score="mrr", query=np.str_("b"), item_ids=list("wxyz"))
    assert [part.item for part in named.items] == ["x", "w"]
    found = explain_query(Y_TRUE, Y_SCORE, score="mrr", query="r", query_ids=[*"pqrs"])
    assert (found.query, found.value) == ("r", 1 / 3)
    days = np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]")
    found = explain_query(Y_TRUE[:2], Y_SCORE[:2], score="mrr", query_ids=days, query=days[0])
    assert found.query == days[0]
    found = explain_query(Y_TRUE, Y_SCORE, score="mrr", query=np.int64(2))
    assert found.query == 2
    whether = explain_query(
        Y_TRUE[:2], Y_SCORE[:2], score="mrr", query_ids=[False, True], query=[True]
    )
    assert [each.query for each in whether] == [True]


def test_a_query_may_be_a_tuple_a_date_or_a_duration():
    tuples = np.empty(2, dtype=object)
    tuples[:] = [("a", 1), ("b", 2)]
    rows = {"y_true": [0, 1, 1, 0], "y_score": [2, 1, 2, 1], "score": "mrr"}
    qid = tuples[[0, 0, 1, 1]]
    assert explain_query(**rows, qid=qid, query=("b", 2)).value == 1
    assert [each.value for each in explain_query(**rows, qid=qid, query=[*tuples])] == [0.5, 1]
    days = pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"]))[[0, 0, 1, 1]]
    for day in (days.iloc[3], days.iloc[3].to_pydatetime(), "2026-01-02", days.iloc[3].to_numpy()):
        assert explain_query(**rows, qid=days.to_numpy(), query=day).query == days.iloc[3]
    several = explain_query(**rows, qid=days.to_numpy(), query=days.unique())
    assert [each.value for each in several] == [0.5, 1]
    waits = np.array([1, 1, 2, 2], dtype="m8[s]")
    assert explain_query(**rows, qid=waits, query=np.timedelta64(2000, "ms")).value == 1
    for wrong in ("2026-01-02 00:00:01", 20, "x", np.datetime64("2026-01-02T00:00:00.000000001")):
        day = days.to_numpy().astype("M8[D]")
        with raises("query", "the id of a query, such as 2026-01-01"):
            explain_query(**rows, qid=day, query=wrong)


def test_an_item_has_its_id():
    found = explain_query(Y_TRUE[2:3], Y_SCORE[2:3], score="mrr", item_ids=["x", "y", "z"])
    assert [part.item for part in found.items] == ["z", "x", "y"]
    samples = explain_query(["cat", "owl"], [[1, 2], [1, 2]], score="mrr", query=0)
    assert [(part.item, part.label) for part in samples.items] == [("cat", 1), ("owl", 0)]
    named = explain_query(["cat"], [[1, 3, 2]], score="mrr", labels=["cat", "dog", "owl"], query=0)
    assert [part.item for part in named.items] == ["cat", "dog", "owl"]
    lists = pl.Series([[1], [0, 1]]), pl.Series([[1], [2, 1]])
    assert [part.item for part in explain_query(*lists, score="mrr", query=1).items] == [1, 0]
    item_ids = pl.Series([["a"], ["b", "c"]])
    named = explain_query(*lists, score="mrr", query=1, item_ids=item_ids)
    assert [part.item for part in named.items] == ["c", "b"]
    stored = sp.csr_array(np.array([[0.0, 2, 1]]))
    named = explain_query([[1, 0, 1]], stored, score="mrr", item_ids=[*"abc"])
    assert {part.item for part in named.items} == {*"abc"}


def test_ranking_data_have_ids():
    judged = {"query": [1, 1, 2], "item": ["a", "b", "a"], "label": [1, 0, 1]}
    predicted = {"query": [1, 1, 2], "item": ["b", "a", "x"], "score": [2, 1, 1]}
    data = from_tables(judged, predicted, query="query", item="item", label="label", score="score")
    found = explain_query(data, score="mrr", query=[2, 1])
    assert [(each.query, each.value) for each in found] == [(2, 0), (1, 0.5)]
    renamed = explain_query(data, score="mrr", query="two", query_ids=["one", "two"])
    assert renamed.query == "two"
    assert {part.item for part in renamed.items} == {"a", "x"}


def test_ids_must_be_of_these_data():
    rows = {"y_true": [1, 0], "y_score": [1, 2], "qid": [1, 1], "score": "mrr"}
    y_true, ids = pd.Series([1, 0]), pd.Series(["a", "b"], index=[1, 0])
    with raises("item_ids", "indexed like y_true"):
        explain_query(**rows | {"y_true": y_true}, item_ids=ids)
    with raises("qid", "None if `query_ids`"):
        explain_query(**rows, query_ids=["a", "b", "c"])
    unhashable = np.empty(2, dtype=object)
    unhashable[:] = [["a"], ["b"]]
    with raises("item_ids", "made of hashable ids"):
        explain_query([[1, 0]], [[1, 2]], score="mrr", item_ids=unhashable)


def test_another_ranking_is_matched_by_the_ids_of_the_data():
    data = from_lists({"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["x", "b"]})
    found = explain_query(data, score="mrr", query="q", query_ids=["r", "q"], other=data)
    assert (found.value, found.other_value) == (0.5, 0.5)


def test_errors_about_labels_beside_another_ranking_are_about_labels():
    data, other = (
        from_lists({"q": ["a"]}, {"q": ["a"]}),
        from_lists({"q": {"a": -1}}, {"q": ["a"]}),
    )
    with raises("y_true", "at least 0"):
        explain_query(data, score="ndcg", other=other)


def test_items_that_only_fill_ranks_have_no_id():
    judged = {"query": ["q", "q"], "item": ["a", "b"]}
    predicted = {"query": ["q", "q"], "item": ["a", "x"], "rank": [3, 6]}
    data = from_tables(judged, predicted, query="query", item="item", rank="rank")
    found = explain_query(data, score="mrr", other=data)
    assert [part.item for part in found.items] == ["b", "a", None, None, None, None, "x"]
    assert found.moves == ()
    predicted = {"query": ["q", "q"], "item": ["a", "x"], "rank": [1, 4]}
    other = from_tables(judged, predicted, query="query", item="item", rank="rank")
    filled = explain_query(data, score="dcg", gain=lambda label: label + 1, other=other)
    check_sums(filled)
    changes = [move.change for move in filled.moves]
    assert close(math.fsum(changes), filled.other_value - filled.value)
    assert [move.item for move in filled.moves].count(None) == 4


# --- another ranking -----------------------------------------------------------------------------

JUDGED = {"q": {"a": 3, "b": 2, "c": 1}, "r": {"d": 1}}


def test_another_ranking_moves_items():
    old = from_lists(JUDGED, {"q": {"x": 3, "a": 2, "b": 2}, "r": {"d": 1}})
    new = from_lists(JUDGED, {"q": ["a", "c", "y"], "s": ["d"]}, queries="all")
    found = explain_query(old, score="ndcg", query="q", other=new)
    moves = {move.item: move for move in found.moves}
    assert moves["a"][:4] == ("a", 3, (2, 3), (1, 1))
    assert moves["b"][:4] == ("b", 2, (2, 3), None)
    assert moves["c"][:4] == ("c", 1, None, (2, 2))
    assert {*moves} == {"a", "b", "c"}
    changes = [abs(move.change) for move in found.moves]
    assert changes == sorted(changes, reverse=True)
    assert close(sum(move.change for move in found.moves), found.other_value - found.value)
    both = explain_query(old, score="ndcg", query=["q", "r"], other=new)
    assert both[0] == found


def test_an_item_that_stays_does_not_move():
    found = explain_query([[1, 1, 0]], [[3, 2, 1]], score="map", other=[[3, 1, 2]])
    assert found.moves == (ItemMove(1, 1, (2, 2), (3, 3), 0.5, 1 / 3, 1 / 3 - 0.5),)
    same = explain_query([[1, 1, 0]], [[3, 2, 1]], score="map", other=[[9, 8, 7]])
    assert same.moves == ()
    assert "in the other ranking it is 1.0000, the same" in repr(same)


# --- results -------------------------------------------------------------------------------------

DATA = from_lists(
    {"tea": {"a": 3, "b": 2, "c": 1}, "milk": {"d": 1}, "salt": {"e": 1}},
    {"tea": {"x": 5, "b": 4, "c": 3, "y": 3, "z": 1}, "milk": {"d": 1}, "salt": {"x": 1}},
)
OTHER = from_lists(
    {"tea": {"a": 3, "b": 2, "c": 1}, "milk": {"d": 1}, "salt": {"e": 1}},
    {"tea": {"a": 2, "b": 1}, "milk": {"d": 1}, "salt": {"x": 1}},
)


def test_an_explanation_prints_as_a_table():
    found = explain_query(DATA, score="ndcg@3", query="tea", other=OTHER)
    assert (
        repr(found)
        == """\
ndcg@3 of query 'tea' is 0.3175, and 1.0000 at best; 'a' costs most, 0.6300

   label    part  best part    lost  if first  rank
a      3  0.0000     0.6300  0.6300    0.8400  not retrieved
c      1  0.0525     0.1050  0.0525    0.4200  3 to 4
x      0  0.0000     0.0000  0.0000    0.3175  1
b      2  0.2650     0.2650  0.0000    0.4725  2
y      0  0.0000     0.0000  0.0000    0.2100  3 to 4
if only 'a' were first: 0.8400
1 ranked item adds nothing and is left out

in the other ranking it is 0.8950, 0.5775 more

   label  part before  part now   change  rank before    rank now
a      3       0.0000    0.6300   0.6300  not retrieved  1
c      1       0.0525    0.0000  -0.0525  3 to 4         not retrieved"""
    )
    html = found._repr_html_()
    assert html.count("<table>") == 2
    assert "<p>if only 'a' were first: 0.8400</p>" in html
    several = explain_query(DATA, score="ndcg@3", worst=2)
    assert repr(several) == "\n\n\n".join(map(repr, several))
    assert several._repr_html_().count("<table>") == 2


def test_nothing_is_blamed_for_a_perfect_score():
    found = explain_query([[1, 1]], [[2, 1]], score="mrr")
    assert repr(found).startswith("mrr of query 0 is 1.0000, and 1.0000 at best\n")


def test_it_is_said_if_lower_is_better():
    found = explain_query([[0, 1]], [[2, 1]], score="arp")
    assert "is 2.0000, and 1.0000 at best (lower is better); item 1 costs most" in repr(found)


def test_large_labels_have_all_digits():
    assert " 1234567 " in repr(explain_query([[0, 1234567]], [[2, 1]], score="dcg"))


def test_zeros_have_no_sign():
    found = explain_query([[-1, 0]], [[1, 2]], score="dcg", discount=lambda rank: rank - 2)
    assert "-0.0000" not in repr(found)


@pytest.mark.parametrize("name", ["ndcg@500", "map", "err", "precision@500", "rbp"])
def test_few_rankings_are_scored_however_long_a_list_is(name):
    rng = np.random.default_rng(7)
    labels, scores = rng.integers(0, 4, (1, 400)), rng.integers(1, 200, (1, 400))
    retrieved = sp.csr_array(scores * (rng.random(scores.shape) < 0.7))
    options = {"max_grade": 3} if name == "err" else {}
    with mock.patch.object(
        Rescorer, "_scores", autospec=True, side_effect=Rescorer._scores
    ) as seen:
        found = explain_query(labels, retrieved, score=name, **options)
    assert len(found.items) > 100
    rankings = sum(len(call.args[1].scores) for call in seen.call_args_list)
    assert rankings == 3  # of the data, the best one, and one with one item more


def test_an_item_that_adds_nothing_may_gain_by_a_move():
    found = explain_query([[-1, 0, 0]], [[3, 2, 1]], score="dcg")
    assert found.best_change.item in (1, 2)
    assert found.best_change.if_first == pytest.approx(-1 / math.log2(3))
    rising = explain_query([[1, 0, 0]], [[3, 2, 1]], score="dcg", discount=rises)
    assert (rising.best_change.item, rising.best_change.if_first) == (1, 2)


def test_items_below_the_cutoff_are_left_out_of_rankings_that_are_tried():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, 60), rng.integers(0, 20, 60)
    for name in ("ndcg@4", "map@4", "precision@4", "r_precision", "err@4", "f1@4"):
        options = {"max_grade": 2} if name == "err@4" else {}
        found = explain_query([labels], [scores], score=name, **options)
        for part in found.items:
            moved = scores.copy()
            moved[part.item] = 99
            again = explain_query([labels], [moved], score=name, **options)
            assert part.if_first == pytest.approx(again.value, abs=TOLERANCE)


def test_the_best_list_may_be_longer_than_those_that_are_tried():
    labels = np.zeros((1, 6000))
    labels[0, :2] = 1, -1
    ranked = np.delete(np.arange(6000), 1)
    y_score = sp.csr_array((np.r_[0, np.ones(5998)], ranked, [0, 5999]), labels.shape)
    found = explain_query(labels, y_score, score="dcg", discount=rises)
    assert (found.value, found.best) == (5999, 5999)


def test_an_undefined_score_is_said():
    found = explain_query([[0, 0]], [[2, 1]], score="ndcg")
    assert repr(found) == (
        "ndcg of query 0 is undefined, since no item gains anything; it counts as 0\n\n"
        "2 ranked items add nothing and are left out"
    )
    found = explain_query([[0, 0]], [[2, 1]], score="ndcg", replace_undefined_by=NAN)
    assert "; it is left out of the mean" in repr(found)
    assert (found.best_change, found.items) == (None, ())
    assert math.isnan(found.best)
    assert found == pickle.loads(pickle.dumps(found))
    nothing = explain_query([[0, 0]], [[2, 1]], score="ndcg", where=[[False, False]])
    assert "\n" not in repr(nothing)
    other = from_lists({"q": ["a"]}, {"q": ["a"]})
    undefined = from_lists({"q": {"a": 0}}, {"q": ["a"]})
    assert "it is 1.0000" in repr(explain_query(undefined, score="map", other=other))
    assert "it is undefined; it counts as 0" in repr(
        explain_query(other, score="map", other=undefined)
    )


def test_a_long_table_is_cut(monkeypatch):
    monkeypatch.setattr(_results, "_SHOWN", 2)
    found = explain_query([[1, 1, 1, 1]], [[1, 1, 1, 1]], score="dcg", other=[[4, 3, 2, 1]])
    assert repr(found).count("... and 2 more rows") == 2


def test_weights_are_a_column_if_there_are_any():
    found = explain_query([[1, 2]], [[2, 1]], score="ndcg", item_weight=[[2, 0.5]])
    assert "label  weight    part" in repr(found)
    assert "    1       2  " in repr(found)
    assert "weight" not in repr(explain_query([[1, 2]], [[2, 1]], score="ndcg"))


def test_an_id_is_on_one_line():
    found = explain_query([[1, 0]], [[1, 2]], score="mrr", item_ids=["a\nb", "<i>"])
    assert "\na\\nb  " in repr(found)
    assert "<th>&lt;i&gt;</th>" in found._repr_html_()


def test_results_are_equal_if_their_values_are():
    found, same = (explain_query(DATA, score="ndcg", query="tea") for _ in range(2))
    assert found == same
    assert found != explain_query(DATA, score="ndcg", query="milk")
    assert found != "ndcg"
    several, alike = (explain_query(DATA, score="ndcg", worst=2) for _ in range(2))
    assert several == alike
    assert several != [*several]
    for each in (found, several):
        with pytest.raises(TypeError, match="unhashable"):
            hash(each)
        with pytest.raises(dataclasses.FrozenInstanceError):
            each.query = 1
        assert pickle.loads(pickle.dumps(each)) == each


def test_frames():
    found = explain_query(DATA, score="ndcg@3", query="tea", other=OTHER)
    frame = found.to_frame()
    assert [*frame.columns] == ["query", *ItemPart._fields]
    assert frame["first_rank"].isna().tolist() == [True, False, False, False, False]
    assert frame["part"].sum() == pytest.approx(found.value)
    assert frame["query"].eq("tea").all()
    moves = found.moves_frame()
    assert moves["change"].sum() == pytest.approx(found.other_value - found.value)
    assert moves.loc[1, "last_rank_before"] == 4
    assert moves["first_rank_now"].isna().tolist() == [False, True]
    several = explain_query(DATA, score="ndcg@3", worst=2, other=OTHER)
    pd.testing.assert_frame_equal(
        several.to_frame(),
        pd.concat([each.to_frame() for each in several], ignore_index=True),
    )
    assert len(several.moves_frame()) == sum(len(each.moves) for each in several)


def test_frames_need_pandas():
    found = explain_query(DATA, score="ndcg", query="tea")
    with (
        mock.patch.dict(sys.modules, {"pandas": None}),
        pytest.raises(ImportError, match=r"QueryExplanation\.to_frame needs pandas"),
    ):
        found.to_frame()


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "parameter", "key", "more"),
    [
        ({"score": "auc"}, "score", "adds up", {"advice": "compares pairs"}),
        ({"score": "pairwise_accuracy"}, "score", "adds up", {}),
        ({"score": "all_relevant@2"}, "score", "adds up", {"advice": "items together"}),
        ({"score": "ndgc"}, "score", "one of ndcg", {"advice": "ndcg"}),
        ({"k": [1, 2]}, "k", "one cutoff", {"got": "[1, 2]"}),
        ({"average": None}, "average", "left out", {"got": "None"}),
        ({}, "query", "`worst`", {"got": "None"}),
        ({"query": 1, "worst": 1}, "worst", "None if `query`", {"got": "1"}),
        ({"worst": 0}, "worst", "at least 1", {"got": "0"}),
        ({"worst": True}, "worst", "at least 1", {"got": "True"}),
        ({"worst": "1"}, "worst", "at least 1", {}),
        ({"query": 4}, "query", "from 0 to 3", {"got": "4"}),
        ({"query": -1}, "query", "from 0 to 3", {"got": "-1"}),
        ({"query": True}, "query", "number", {"got": "True", "advice": "query_ids"}),
        ({"query": "a"}, "query", "number", {"got": "'a'", "advice": "qid"}),
        ({"query": []}, "query", "at least one", {"got": "[]"}),
        ({"query": 5, "query_ids": [1, 2, 3, 4]}, "query", "such as 1", {"got": "5"}),
        ({"query": True, "query_ids": [1, 2, 3, 4]}, "query", "such as 1", {"got": "True"}),
        ({"query": [{}], "query_ids": [1, 2, 3, 4]}, "query", "such as 1", {"got": "{}"}),
        ({"query": 0, "query_ids": [1, 2]}, "query_ids", "of shape (4,)", {}),
        ({"query": 0, "item_ids": [1, 2]}, "item_ids", "of shape (3,), one id per column", {}),
        ({"query": 0, "other": DATA}, "other", "scores", {"got": "RankingData"}),
        ({"query": 0, "other": [[1]]}, "other", "shape", {}),
        (
            {"query": 0, "score": "ranx:ndcg@3"},
            "score",
            "of this package",
            {"got": "'ranx:ndcg@3'"},
        ),
        ({"query": np.array(9)}, "query", "from 0 to 3", {}),
        ({"query": 0, "depth": 3}, "depth", "", {}),
    ],
)
def test_errors(parameters, parameter, key, more):
    with raises(parameter, key, **more):
        explain_query(Y_TRUE, Y_SCORE, **{"score": "ndcg"} | parameters)


def test_a_sum_that_overflows_only_in_another_ranking():
    with raises("y_true", "small enough", got="a sum that overflows float64 in query 0"):
        explain_query([[1.5e308, 0, 0, 0, 1.5e308]], [[5, 4, 3, 2, 1]], score="dcg@4")


def test_errors_about_data():
    with raises("y_score", "given", function="explain_query"):
        explain_query(Y_TRUE, score="ndcg")
    with raises("y_true", "labels", function="explain_query"):
        explain_query(ndcg_score, Y_TRUE, Y_SCORE)  # the score before the data
    with raises("other", "RankingData, as", function="explain_query"):
        explain_query(DATA, score="ndcg", query="tea", other=[[1]])
    with raises("other", "has the queries", got="none for 'tea'"):
        explain_query(DATA, score="ndcg", query="tea", other=from_lists([["a"]], [["a"]]))
    lists = pl.Series([[1], [0, 1]]), pl.Series([[1], [2, 1]])
    for item_ids in ([1, 2], pl.Series([["a", "b"], ["c"]])):
        with raises("item_ids", "a column of lists"):
            explain_query(*lists, score="mrr", query=1, item_ids=item_ids)
    with raises("item_ids", "of shape (2,), one id per row"):
        explain_query([0, 1], [2, 1], score="mrr", qid=[1, 1], item_ids=["a"])
    with raises("y_score", "finite"):
        explain_query([[1]], [[NAN]], score="mrr")


def test_a_query_of_the_only_one_need_not_be_named():
    assert isinstance(explain_query([[1]], [[1]], score="mrr"), QueryExplanation)
    assert isinstance(explain_query([1, 0], [1, 2], qid=[3, 3], score="mrr"), QueryExplanation)
    data = RankingData(*(each[:1] if n < 3 else each for n, each in enumerate(DATA)))
    assert explain_query(data, score="mrr").query == DATA.query_ids[0]


def test_neither_matplotlib_nor_pandas_is_needed():
    code = """
import sys
sys.modules["matplotlib"] = sys.modules["pandas"] = None
from ranking_scores.explain import explain_query
print(explain_query([[0, 1]], [[2, 1]], score="mrr"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.startswith(
        "mrr of query 0 is 0.5000, and 1.0000 at best; item 1 costs most"
    )


def test_an_unknown_label_is_nan_and_only_judged_items_have_parts():
    found = explain_query([[np.nan, 2, 0]], [[2, 2, 1]], score="judged@2")
    parts = {part.item: (part.label, part.part, part.best_part) for part in found.items}
    assert parts[1] == (2, 0.5, 0.5)
    assert parts[2] == (0, 0, 0.5)
    assert math.isnan(parts[0][0])
    assert parts[0][1:] == (0, 0)
    check_sums(found)


def test_a_move_to_the_top_may_be_too_large_for_a_float():
    gain, discount = [0, 1e308, 1.7e308], np.array([1, 0.5, 0.1])
    options = {
        "score": "dcg",
        "gain": gain,
        "discount": lambda ranks: discount[ranks.astype(int) - 1],
    }
    with pytest.raises(ValueError, match="overflows float64"):
        explain_query([[1, 0, 2]], [[3, 2, 1]], **options)
