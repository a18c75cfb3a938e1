"""Explanations: each part against all orders of the ties, and the laws that the parts obey."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from functools import partial
from inspect import signature

import defined
import numpy as np
import pytest
import reference
import scipy.sparse as sp
from defined import replacing, takes, with_grades
from explained_parts import ERR, TOLERANCE, check_sums, close, rises
from hypothesis import given, settings, strategies as st
from laws import LAYOUTS, SCORES, random_case
from warned import nothing_to_rank

from ranking_scores import (
    dcg_score,
    f1_at_k_score,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    recall_at_k_score,
)
from ranking_scores._metrics import _rank_sums
from ranking_scores._metrics._named import METRICS
from ranking_scores.explain import explain_query
from ranking_scores.tables import from_lists

NAN = np.nan


# --- each number against its definition --------------------------------------------------------

REFERENCE_ERR = partial(reference.expected_reciprocal_rank, max_grade=3)
WITHOUT_PARTS = [metric.function.__name__ for metric in METRICS if metric.without_parts]
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


def test_an_unknown_label_is_nan_and_only_judged_items_have_parts():
    found = explain_query([[np.nan, 2, 0]], [[2, 2, 1]], score="judged@2")
    parts = {part.item: (part.label, part.part, part.best_part) for part in found.items}
    assert parts[1] == (2, 0.5, 0.5)
    assert parts[2] == (0, 0, 0.5)
    assert math.isnan(parts[0][0])
    assert parts[0][1:] == (0, 0)
    check_sums(found)
