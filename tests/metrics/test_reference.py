"""Every score equals its definition, over all orders of the ties, in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import defined
import numpy as np
import pytest
import reference
from hypothesis import given, settings, strategies as st
from laws import SCORES as OF_LAWS
from sklearn.exceptions import UndefinedMetricWarning
from warned import nothing_to_rank

from ranking_scores import (
    all_relevant_at_k_score,
    alpha_ndcg_score,
    average_relevant_position,
    bpref_score,
    dcg_score,
    expected_reciprocal_rank_score,
    f1_at_k_score,
    grouped_auc_score,
    hit_rate_score,
    judged_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    r_precision_score,
    rank_biased_precision_score,
    recall_at_k_score,
)

# Sums of a few rounded terms: a thousand units in the last place are far too many for them,
# and far too few for any mistake.
TOLERANCE = 1e-12

GAINS = {
    "linear": ("linear", reference.linear),
    "exponential": ("exponential", reference.exponential),
    "table": ([0.5, 0, 3, 7], lambda label: [0.5, 0, 3, 7][int(label)]),
    "callable": (lambda label: label**2 + 1, lambda label: label**2 + 1),
}
DISCOUNTS = {
    "log": ("log", reference.log_discount()),
    "reciprocal": (lambda rank: 1 / rank, lambda rank: 1 / rank),
    "rising": (lambda rank: rank, lambda rank: rank),
    "third rank only": (lambda rank: (rank == 3) * 1.0, lambda rank: int(rank == 3)),
    "uneven": (lambda rank: rank % 3, lambda rank: rank % 3),
}


@st.composite
def queries(draw, max_queries=3, max_items=5):
    """Queries of few distinct labels and scores, so that ties are common: (labels, scores)."""
    labels = st.integers(0, 3)
    scores = st.sampled_from([-1.5, 0.0, 2.0])
    sizes = draw(st.lists(st.integers(1, max_items), min_size=1, max_size=max_queries))
    return [
        (
            draw(st.lists(labels, min_size=size, max_size=size)),
            draw(st.lists(scores, min_size=size, max_size=size)),
        )
        for size in sizes
    ]


def as_ragged(some_queries):
    """Return 1-D labels and scores and the query ids."""
    qid = [index for index, (labels, _) in enumerate(some_queries) for _ in labels]
    y_true = [label for labels, _ in some_queries for label in labels]
    y_score = [score for _, scores in some_queries for score in scores]
    return y_true, y_score, qid


REFUSE_NONE = {row.func for row in OF_LAWS.values() if not row.is_k_optional}


@nothing_to_rank
@pytest.mark.parametrize(("score", "textbook"), defined.DEFINED)
def test_every_score(score, textbook):
    """With the options that most scores have; the tests below add those of some."""

    @settings(deadline=None)
    @given(
        some_queries=queries(),
        options=defined.options_of(score, may_be_none=score not in REFUSE_NONE),
        undefined=st.sampled_from([0.0, 1.0, None]),
    )
    def equals_the_textbook(some_queries, options, undefined):
        expected = [textbook(*query, **options) for query in some_queries]
        y_true, y_score, qid = as_ragged(some_queries)
        weights = [1 + index for index in range(len(some_queries))]
        params = options | {"qid": qid, "sample_weight": np.array(weights)[qid]}
        params |= defined.replacing(np.nan if undefined is None else undefined, score)
        check_values(score, y_true, y_score, params, expected, weights, undefined)

    equals_the_textbook()


@nothing_to_rank
@settings(deadline=None)
@given(
    some_queries=queries(),
    k=st.one_of(st.none(), st.integers(1, 7)),
    gain=st.sampled_from(sorted(GAINS)),
    discount=st.sampled_from(sorted(DISCOUNTS)),
    threshold=st.sampled_from([None, 0, 1, 2.5]),
    ignore_ties=st.booleans(),
    data=st.data(),
)
@pytest.mark.parametrize("score", [dcg_score, ndcg_score])
def test_value_and_mean(score, some_queries, k, gain, discount, threshold, ignore_ties, data):
    textbook = {dcg_score: reference.dcg, ndcg_score: reference.ndcg}[score]
    expected = [
        textbook(
            labels,
            scores,
            k=k,
            gain=GAINS[gain][1],
            discount=DISCOUNTS[discount][1],
            relevance_threshold=threshold,
            ignore_ties=ignore_ties,
        )
        for labels, scores in some_queries
    ]
    n_queries = len(some_queries)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n_queries, max_size=n_queries))
    weights[0] += 1
    undefined = data.draw(st.sampled_from([0.0, 1.0, None]))
    y_true, y_score, qid = as_ragged(some_queries)
    params = {
        "k": k,
        "gain": GAINS[gain][0],
        "discount": DISCOUNTS[discount][0],
        "relevance_threshold": threshold,
        "ignore_ties": ignore_ties,
        "qid": qid,
        "sample_weight": np.array(weights)[qid],
    }
    params |= defined.replacing(np.nan if undefined is None else undefined, score)
    check_values(score, y_true, y_score, params, expected, weights, undefined)


CUTOFF = st.integers(1, 7)
OPTIONAL_CUTOFF = st.one_of(st.none(), CUTOFF)
DENOMINATOR_OF_HITS = {"denominator": st.sampled_from(["relevant", "achievable"])}
BETA = {"beta": st.sampled_from([1, 0, 1e-9, 0.5, 2.0, 1e9, 1e200, np.inf])}

# A score of relevant items, its definition, and the options that it has besides the common ones.
OF_RELEVANT_ITEMS = [
    (hit_rate_score, reference.hit_rate, {"k": CUTOFF}),
    (
        alpha_ndcg_score,
        reference.alpha_ndcg,
        {"k": OPTIONAL_CUTOFF, "alpha": st.sampled_from([0, 0.25, 0.5, 1])},
    ),
    (all_relevant_at_k_score, reference.all_relevant_at_k, {"k": CUTOFF}),
    (precision_at_k_score, reference.precision_at_k, {"k": CUTOFF}),
    (
        partial(precision_at_k_score, denominator="retrieved"),
        partial(reference.precision_at_k, denominator="retrieved"),
        {"k": OPTIONAL_CUTOFF},
    ),
    (recall_at_k_score, reference.recall_at_k, {"k": OPTIONAL_CUTOFF} | DENOMINATOR_OF_HITS),
    (f1_at_k_score, reference.f1_at_k, {"k": OPTIONAL_CUTOFF} | BETA),
    (r_precision_score, reference.r_precision, {}),
    (
        mean_average_precision_score,
        reference.average_precision,
        {"k": OPTIONAL_CUTOFF} | DENOMINATOR_OF_HITS,
    ),
    (mean_reciprocal_rank_score, reference.reciprocal_rank, {"k": OPTIONAL_CUTOFF}),
    (
        rank_biased_precision_score,
        reference.rank_biased_precision,
        {"k": OPTIONAL_CUTOFF, "persistence": st.sampled_from([0.25, 0.8, 0.95])},
    ),
    (grouped_auc_score, reference.area_under_the_curve, {}),
    (bpref_score, reference.bpref, {}),
]


@nothing_to_rank
@pytest.mark.parametrize(
    ("score", "textbook", "own_options"),
    OF_RELEVANT_ITEMS,
    ids=[getattr(score, "__name__", "partial") for score, _, _ in OF_RELEVANT_ITEMS],
)
def test_scores_of_relevant_items(score, textbook, own_options):
    @settings(deadline=None)
    @given(
        some_queries=queries(max_items=6),
        threshold=st.sampled_from([None, -1, 0, 1, 2.5]),
        ignore_ties=st.booleans(),
        undefined=st.sampled_from([0.0, 1.0, None]),
        data=st.data(),
    )
    def equals_the_textbook(some_queries, threshold, ignore_ties, undefined, data):
        some_queries = [([label - 1 for label in labels], s) for labels, s in some_queries]
        options = {"relevance_threshold": threshold, "ignore_ties": ignore_ties}
        options |= {name: data.draw(values) for name, values in own_options.items()}
        expected = [textbook(*query, **options) for query in some_queries]
        y_true, y_score, qid = as_ragged(some_queries)
        weights = [1 + index for index in range(len(some_queries))]
        params = options | {
            "qid": qid,
            "sample_weight": np.array(weights)[qid],
            "replace_undefined_by": np.nan if undefined is None else undefined,
        }
        check_values(score, y_true, y_score, params, expected, weights, undefined)

    equals_the_textbook()


@nothing_to_rank
@settings(deadline=None)
@given(
    some_queries=queries(max_items=6),
    k=OPTIONAL_CUTOFF,
    max_grade=st.sampled_from([3, 4, 9]),
    threshold=st.sampled_from([None, -1, 0, 2, 2.5]),
    ignore_ties=st.booleans(),
    undefined=st.sampled_from([0.0, 1.0, None]),
)
def test_expected_reciprocal_rank(some_queries, k, max_grade, threshold, ignore_ties, undefined):
    options = {
        "k": k,
        "max_grade": max_grade,
        "relevance_threshold": threshold,
        "ignore_ties": ignore_ties,
    }
    expected = [reference.expected_reciprocal_rank(*query, **options) for query in some_queries]
    y_true, y_score, qid = as_ragged(some_queries)
    weights = [1 + index for index in range(len(some_queries))]
    params = options | {
        "qid": qid,
        "sample_weight": np.array(weights)[qid],
        "replace_undefined_by": np.nan if undefined is None else undefined,
    }
    check_values(
        expected_reciprocal_rank_score, y_true, y_score, params, expected, weights, undefined
    )


@nothing_to_rank
@settings(deadline=None)
@given(
    some_queries=queries(),
    threshold=st.sampled_from([None, 0, 1, 2.5]),
    ignore_ties=st.booleans(),
    undefined=st.sampled_from([0.0, 7.0, None]),
)
def test_average_relevant_position(some_queries, threshold, ignore_ties, undefined):
    options = {"relevance_threshold": threshold, "ignore_ties": ignore_ties}
    expected = [reference.average_relevant_position(*query, **options) for query in some_queries]
    y_true, y_score, qid = as_ragged(some_queries)
    weights = [1 + index for index in range(len(some_queries))]
    params = options | {"qid": qid, "sample_weight": np.array(weights)[qid]}
    if undefined is not None:
        params["replace_undefined_by"] = undefined
    check_values(average_relevant_position, y_true, y_score, params, expected, weights, undefined)


@nothing_to_rank
@settings(deadline=None)
@given(
    some_queries=queries(max_items=6),
    labels=st.lists(st.integers(-3, 2), min_size=4, max_size=4),
    undefined=st.sampled_from([0.0, 0.5, None]),
)
def test_pairwise_accuracy(some_queries, labels, undefined):
    some_queries = [([labels[each] for each in grades], s) for grades, s in some_queries]
    expected = [reference.pairwise_accuracy(*query) for query in some_queries]
    y_true, y_score, qid = as_ragged(some_queries)
    weights = [1 + index for index in range(len(some_queries))]
    params = {"qid": qid, "sample_weight": np.array(weights)[qid]}
    if undefined is not None:
        params["replace_undefined_by"] = undefined
    check_values(pairwise_accuracy_score, y_true, y_score, params, expected, weights, undefined)


def check_values(score, y_true, y_score, params, expected, weights, undefined):
    """Compare a score's value for each query, and its mean, with exact ones."""
    per_query = score(y_true, y_score, average=None, **params)
    for value, exact in zip(per_query, expected, strict=True):
        if exact is not None:
            assert value == pytest.approx(float(exact), rel=TOLERANCE, abs=0)
        elif undefined is None:
            assert math.isnan(value)
        else:
            assert value == undefined

    exact_mean = reference.mean(expected, weights, undefined)
    if exact_mean is None:
        with pytest.warns(UndefinedMetricWarning, match="is undefined"):
            assert math.isnan(score(y_true, y_score, **params))
    else:
        mean = score(y_true, y_score, **params)
        assert isinstance(mean, float)
        assert mean == pytest.approx(float(exact_mean), rel=TOLERANCE, abs=0)


@settings(deadline=None)
@given(
    some_queries=queries(max_queries=1),
    k=st.one_of(st.none(), st.integers(1, 7)),
    log_base=st.sampled_from([1.5, 2, math.e, 10]),
    lowest_label=st.sampled_from([0, -2]),
)
def test_dcg_of_any_base_and_of_negative_labels(some_queries, k, log_base, lowest_label):
    [(labels, scores)] = some_queries
    labels = [label + lowest_label for label in labels]
    exact = reference.dcg(labels, scores, k=k, discount=reference.log_discount(log_base))
    # Positive and negative gains may cancel, so the bound is relative to their size.
    size = reference.dcg([abs(label) for label in labels], scores, k=k)
    value = dcg_score([labels], [scores], k=k, log_base=log_base)
    assert value == pytest.approx(float(exact), rel=0, abs=TOLERANCE * (float(size) + 1e-300) * 4)


@settings(deadline=None, max_examples=settings().max_examples // 5)
@given(
    labels=st.lists(st.floats(0, 5), min_size=7, max_size=7),
    scores=st.lists(st.sampled_from([0, 1]), min_size=7, max_size=7),
    k=st.sampled_from([1, 2, 7]),
)
def test_large_tie_groups_of_fractional_labels(labels, scores, k):
    for gain in ("linear", "exponential"):
        exact = reference.dcg(labels, scores, k=k, gain=GAINS[gain][1])
        value = dcg_score([labels], [scores], k=k, gain=gain)
        assert value == pytest.approx(float(exact), rel=TOLERANCE, abs=1e-300)


def test_the_reference_itself_on_a_list_small_enough_to_count_by_hand():
    # Items 0 and 1 tie for the ranks 1 and 2; item 0 gains 1. Two orders: 1 and 1 / log2(3).
    assert list(reference.orders([5, 5, 1])) == [(0, 1, 2), (1, 0, 2)]
    assert list(reference.orders([5, 5, 1], ignore_ties=True)) == [(1, 0, 2)]
    expected = (1 + 1 / math.log2(3)) / 2
    assert float(reference.dcg([1, 0, 0], [5, 5, 1])) == pytest.approx(expected, rel=TOLERANCE)
    assert reference.dcg([1, 0, 0], [5, 5, 1], k=1) * 2 == 1
    assert reference.ndcg([0, 0], [1, 2]) is None
    assert reference.average_relevant_position([1, 0, 2], [5, 5, 1]) * 6 == 1.5 * 2 + 3 * 4
    assert reference.pairwise_accuracy([1, 0, -2, 0], [5, 5, 1, 2]) * 5 == 0.5 + 1 + 1 + 1 + 1
    assert reference.pairwise_accuracy([1, 1], [1, 2]) is None
    # Precision is 1 / 3 and recall is 1 / 2 in every order.
    assert reference.f1_at_k([1, 0, 0, 1], [2, 1, 1, 0], k=3) == 2 / (3 + Fraction(2))
    assert reference.f1_at_k([1, 0, 0, 1], [2, 1, 1, 0], k=3, beta=2) == 5 / (3 + 4 * Fraction(2))
    # Weights 1 and 3 of gains 1 and 2: the gains are 1 and 6, the weight of the query is 7 / 3.
    assert reference.dcg([1, 2, 4], [3, 2, 1], k=1, item_weight=[1, 3, 0]) == Fraction(3, 7)
    assert reference.weights_of_queries([2, 0, None, 4], [1, 5, 2, 1]) == [2, 0, 6, 4]


@nothing_to_rank
@settings(deadline=None)
@given(
    some_queries=queries(max_items=6),
    unknown=st.sets(st.integers(0, 5)),
    options=st.fixed_dictionaries(
        {
            "k": CUTOFF,
            "denominator": st.sampled_from(["k", "retrieved"]),
            "ignore_ties": st.booleans(),
        }
    ),
)
def test_judged_items(some_queries, unknown, options):
    """Labels are unknown in some places of each query."""
    some_queries = [
        ([math.nan if place in unknown else label for place, label in enumerate(labels)], scores)
        for labels, scores in some_queries
    ]
    y_true, y_score, qid = as_ragged(some_queries)
    order = {"ignore_ties": options["ignore_ties"]}
    for score, textbook, more in (
        (judged_at_k_score, reference.judged_at_k, options),
        (bpref_score, reference.bpref, order),
    ):
        expected = [textbook(*query, **more) for query in some_queries]
        values = score(y_true, y_score, qid=qid, **more, average=None, replace_undefined_by=np.nan)
        for value, exact in zip(values, expected, strict=True):
            if exact is None:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(float(exact), rel=TOLERANCE)
