"""The retrieved layout: what was not retrieved has no rank, but is there to be found."""

from __future__ import annotations

import math
import tracemalloc
from functools import partial

import defined
import numpy as np
import pandas as pd
import pytest
import reference
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from laws import SCORES as OF_LAWS
from raising import raises
from warned import nothing_to_rank

from ranking_scores import (
    all_relevant_at_k_score,
    alpha_ndcg_score,
    average_relevant_position,
    bpref_score,
    dcg_score,
    expected_reciprocal_rank_score,
    f1_at_k_score,
    hit_rate_score,
    judged_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    r_precision_score,
    rank_biased_precision_score,
    recall_at_k_score,
    retrieved_from_ids,
)
from ranking_scores._base._validation import WHOLE_LIST
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores._queries._layouts import check_queries

TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py

GAINS = {
    "linear": ("linear", reference.linear),
    "exponential": ("exponential", reference.exponential),
    "table": ([0.5, 0, 3, 7], lambda label: [0.5, 0, 3, 7][int(label)]),
    "callable": (lambda label: label**2 + 1, lambda label: label**2 + 1),
}
DISCOUNTS = {
    "log": ("log", reference.log_discount()),
    "rising": (lambda rank: rank, lambda rank: rank),
    "uneven": (lambda rank: rank % 3, lambda rank: rank % 3),
}


def stored(rows):
    """Return sparse scores that store what is not None."""
    cells = [
        (row, column, score)
        for row, scores in enumerate(rows)
        for column, score in enumerate(scores)
        if score is not None
    ]
    row, column, value = ([cell[part] for cell in cells] for part in range(3))
    indices = np.array(row, dtype=int), np.array(column, dtype=int)
    return sp.coo_array((np.array(value, dtype=float), indices), (len(rows), len(rows[0])))


@st.composite
def queries(draw):
    """Labels and scores of some queries, an item that was not retrieved having the score None."""
    n_queries, n_items = draw(st.integers(1, 4)), draw(st.integers(1, 5))

    def rows(values):
        row = st.lists(values, min_size=n_items, max_size=n_items)
        return draw(st.lists(row, min_size=n_queries, max_size=n_queries))

    return rows(st.sampled_from([0, 0, 1, 2, 3])), rows(st.sampled_from([None, -1.5, 0.0, 2.0]))


OF_RETRIEVED = [
    (score, textbook)
    for score, textbook in defined.DEFINED
    for row in [OF_LAWS[score.__name__]]
    if row.takes_retrieved and not row.needs_all_ranked
]


@pytest.mark.parametrize(("score", "textbook"), OF_RETRIEVED)
def test_every_score(score, textbook):
    """With the options that most scores have; the tests below add those of some."""
    may_be_none = OF_LAWS[score.__name__].is_k_optional

    @settings(deadline=None)
    @given(
        labels_and_scores=queries(),
        options=defined.options_of(score, may_be_none=may_be_none),
    )
    def equals_the_textbook(labels_and_scores, options):
        y_true, y_score = labels_and_scores
        params = options | defined.replacing(np.nan, score) | {"average": None}
        per_query = score(np.array(y_true), stored(y_score), **params)
        for query, value in zip(zip(y_true, y_score, strict=True), per_query, strict=True):
            exact = textbook(*query, **options)
            if exact is None:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(float(exact), rel=TOLERANCE, abs=0)

    equals_the_textbook()


@settings(deadline=None)
@given(
    labels_and_scores=queries(),
    k=st.one_of(st.none(), st.integers(1, 7)),
    gain=st.sampled_from(sorted(GAINS)),
    discount=st.sampled_from(sorted(DISCOUNTS)),
    threshold=st.sampled_from([None, 0, 1, 2.5]),
    ignore_ties=st.booleans(),
    as_labels=st.sampled_from([np.array, sp.csr_array, sp.csc_matrix]),
)
def test_dcg_and_ndcg(labels_and_scores, k, gain, discount, threshold, ignore_ties, as_labels):
    y_true, y_score = labels_and_scores
    options = {"k": k, "relevance_threshold": threshold, "ignore_ties": ignore_ties}
    ours = options | {"gain": GAINS[gain][0], "discount": DISCOUNTS[discount][0], "average": None}
    textbook = options | {"gain": GAINS[gain][1], "discount": DISCOUNTS[discount][1]}
    arguments = as_labels(y_true), stored(y_score)
    for score, exact in ((dcg_score, reference.dcg), (ndcg_score, reference.ndcg)):
        expected = [exact(*query, **textbook) for query in zip(y_true, y_score, strict=True)]
        for value, of_query in zip(score(*arguments, **ours), expected, strict=True):
            assert value == pytest.approx(float(of_query or 0), rel=TOLERANCE, abs=0)
    is_undefined = np.isnan(ndcg_score(*arguments, **ours, replace_undefined_by=np.nan))
    assert is_undefined.tolist() == [of_query is None for of_query in expected]


CUTOFF = st.integers(1, 7)
OPTIONAL_CUTOFF = st.one_of(st.none(), CUTOFF)
DENOMINATOR_OF_HITS = {"denominator": st.sampled_from(["relevant", "achievable"])}
BETA = {"beta": st.sampled_from([1, 0, 1e-9, 0.5, 2.0, 1e9, 1e200, np.inf])}
OF_RELEVANT_ITEMS = [
    (hit_rate_score, reference.hit_rate, {"k": CUTOFF}),
    (
        alpha_ndcg_score,
        reference.alpha_ndcg,
        {"k": OPTIONAL_CUTOFF, "alpha": st.sampled_from([0, 0.25, 0.5, 1])},
    ),
    (all_relevant_at_k_score, reference.all_relevant_at_k, {"k": CUTOFF}),
    (
        precision_at_k_score,
        reference.precision_at_k,
        {"k": CUTOFF, "denominator": st.sampled_from(["k", "retrieved"])},
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
    (rank_biased_precision_score, reference.rank_biased_precision, {"k": OPTIONAL_CUTOFF}),
    (
        expected_reciprocal_rank_score,
        reference.expected_reciprocal_rank,
        {"k": OPTIONAL_CUTOFF, "max_grade": st.sampled_from([3, 5])},
    ),
]


@pytest.mark.parametrize(
    ("score", "textbook", "own_options"),
    OF_RELEVANT_ITEMS,
    ids=[score.__name__ for score, _, _ in OF_RELEVANT_ITEMS],
)
def test_scores_of_relevant_items(score, textbook, own_options):
    @settings(deadline=None)
    @given(
        labels_and_scores=queries(),
        threshold=st.sampled_from([None, -1, 0, 1, 2.5]),
        ignore_ties=st.booleans(),
        as_labels=st.sampled_from([np.array, sp.csr_array, sp.csc_matrix]),
        data=st.data(),
    )
    def equals_the_textbook(labels_and_scores, threshold, ignore_ties, as_labels, data):
        y_true, y_score = labels_and_scores
        options = {"relevance_threshold": threshold, "ignore_ties": ignore_ties}
        options |= {name: data.draw(values) for name, values in own_options.items()}
        expected = [textbook(*query, **options) for query in zip(y_true, y_score, strict=True)]
        per_query = score(
            as_labels(y_true),
            stored(y_score),
            **options,
            average=None,
            replace_undefined_by=np.nan,
        )
        for value, exact in zip(per_query, expected, strict=True):
            if exact is None:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(float(exact), rel=TOLERANCE, abs=0)

    equals_the_textbook()


@pytest.mark.parametrize("as_labels", [np.array, sp.csr_array, sp.lil_matrix])
def test_what_was_not_retrieved_counts_in_the_ideal_alone(as_labels):
    y_true = as_labels([[1, 1, 0, 0]])
    found = retrieved_from_ids([[0, 2]], n_items=4)  # a relevant one, and one that is not
    assert ndcg_score(y_true, found, k=2) == 1 / (1 + 1 / np.log2(3)) == 0.6131471927654584
    assert hit_rate_score(y_true, found, k=1) == 1.0
    assert dcg_score(y_true, found) == 1.0
    nothing = sp.csr_array((1, 4))
    for score in (dcg_score, ndcg_score, partial(hit_rate_score, k=2)):
        assert score(y_true, nothing) == 0.0
    for score in (ndcg_score, partial(hit_rate_score, k=2)):
        undefined = {"replace_undefined_by": np.nan, "average": None}
        assert score(y_true, nothing, **undefined).tolist() == [0.0]
        assert np.isnan(score(y_true * 0, found, **undefined)).all()


def test_scores_of_0_and_below_are_ranked():
    y_true = [[1, 0, 0, 2]]
    scores = stored([[0.0, -1.0, None, -2.0]])
    assert scores.nnz == 3
    expected = dcg_score([[1, 0, 2]], [[3, 2, 1]])
    for form in ("csr", "csc", "coo", "lil", "dok"):
        for container in (scores.asformat(form), sp.csr_matrix(scores).asformat(form)):
            assert dcg_score(y_true, container) == expected


@nothing_to_rank
def test_rows_of_any_length_and_labels_in_any_number():
    rng = np.random.default_rng(0)
    n_queries, n_items = 300, 3000
    n_found = rng.integers(0, 40, n_queries) * rng.choice([1, 60], n_queries, p=[0.95, 0.05])
    n_relevant = rng.integers(0, 4, n_queries) * rng.choice([1, 500], n_queries, p=[0.95, 0.05])
    y_true, y_score = np.zeros((2, n_queries, n_items))
    is_found = np.zeros((n_queries, n_items), dtype=bool)
    for query in range(n_queries):
        y_true[query, rng.choice(n_items, n_relevant[query], replace=False)] = 1
        is_found[query, rng.choice(n_items, n_found[query], replace=False)] = True
    y_score[is_found] = rng.integers(0, 9, is_found.sum()) / 8
    row, column = np.nonzero(is_found)
    order = rng.permutation(row.size)
    scores = sp.coo_array((y_score[is_found][order], (row[order], column[order])), y_true.shape)
    n_of_best = np.minimum(n_relevant, 20)
    ideal = np.concatenate([[0], np.cumsum(1 / np.log2(np.arange(2, 22)))])[n_of_best]
    for labels in (y_true, sp.csr_array(y_true)):
        per_query = ndcg_score(labels, scores, k=20, average=None)
        dcg = dcg_score(labels, scores, k=20, average=None)
        hit = hit_rate_score(labels, scores, k=20, average=None)
        for query in range(n_queries):
            found = is_found[query]
            if not found.any():
                assert per_query[query] == dcg[query] == hit[query] == 0.0
                continue
            alone = y_true[query][None, found], y_score[query][None, found]
            assert dcg[query] == dcg_score(*alone, k=20)
            assert hit[query] == hit_rate_score(*alone, k=20)
            assert per_query[query] == (dcg[query] / ideal[query] if ideal[query] else 0.0)


def test_blocks_hold_no_more_padding_than_items():
    rng = np.random.default_rng(0)
    n_queries, n_items = 2000, 10**6
    n_found, n_relevant = rng.integers(0, 300, n_queries), rng.integers(0, 20, n_queries)
    n_found[7], n_relevant[8] = 200_000, 100_000

    def random_rows(lengths):
        start = np.concatenate([[0], np.cumsum(lengths)])
        column = np.concatenate([rng.choice(n_items, n, replace=False) for n in lengths])
        return sp.csr_array((np.ones(start[-1]), column, start), (n_queries, n_items))

    data = CallData("dcg_score", random_rows(n_relevant), random_rows(n_found))
    queries = check_queries(data, DataNeeds(WHOLE_LIST, (np.positive,)))
    seen = []
    for block in queries.blocks():
        n_values = block.ranked.labels.size + block.judged.labels.size
        assert block.scores.size + np.prod(block.judged.shape) <= max(4 * n_values, 4 * 2**16)
        assert block.ranked.lengths.tolist() == n_found[block.queries].tolist()
        assert block.judged.lengths.tolist() == n_relevant[block.queries].tolist()
        assert (block.n_items == n_items).all()
        seen.append(block.queries)
    np.testing.assert_array_equal(np.sort(np.concatenate(seen)), np.arange(n_queries))


@pytest.mark.parametrize("score", [dcg_score, ndcg_score, partial(hit_rate_score, k=10)])
def test_memory_is_that_of_what_is_stored(score):
    n_queries, n_items, n_found = 5000, 1_000_000, 50
    rng = np.random.default_rng(0)
    ids = rng.integers(0, n_items // n_found, (n_queries, n_found)) + np.arange(n_found) * (
        n_items // n_found
    )
    y_score = retrieved_from_ids(ids, rng.random(ids.shape), n_items=n_items)
    y_true = retrieved_from_ids(ids[:, ::7], n_items=n_items)
    tracemalloc.start()
    value = score(y_true, y_score)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value > 0
    assert peak < 20e6  # a row of all items takes 8 MB, a matrix of them 40 GB


def test_weights_of_a_million_items_need_not_be_copied():
    n_items = 1_000_000
    weight = np.broadcast_to(np.linspace(0.5, 2, n_items), (40, n_items))
    ids = np.arange(120).reshape(40, 3) * 8000
    y_score, y_true = (retrieved_from_ids(part, n_items=n_items) for part in (ids, ids[:, 1:]))
    tracemalloc.start()
    per_query = dcg_score(y_true, y_score, item_weight=weight, average=None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6
    gains = np.array([2, 1]) * weight[0][ids[:, 1:]]
    expected = gains @ (1 / np.log2([3, 4])) / (gains.sum(axis=1) / 3)
    np.testing.assert_allclose(per_query, expected, rtol=TOLERANCE)


@pytest.mark.parametrize(("n_queries", "n_items", "sizes"), [(2100, 64, 1024), (40, 4096, 16)])
@pytest.mark.parametrize("layout", ["dense", "ragged", "retrieved"])
def test_blocks_are_of_the_size_that_fits_in_the_cache(n_queries, n_items, sizes, layout):
    labels = scores = np.ones((n_queries, n_items), dtype=np.int8)
    qid = None
    if layout == "ragged":
        labels, scores, qid = labels.ravel(), scores.ravel(), np.repeat(range(n_queries), n_items)
    elif layout == "retrieved":
        scores = sp.csr_array(scores)
    queries = check_queries(CallData("dcg_score", labels, scores, qid), DataNeeds(WHOLE_LIST))
    of_blocks = [block.queries.size for block in queries.blocks()]
    assert of_blocks == [sizes, sizes, n_queries - 2 * sizes]


def test_weights_are_checked_of_items_that_are_neither_ranked_nor_labelled():
    weight = np.ones((1100, 64))
    weight[1050, 60] = -1  # in the second block of rows
    found = retrieved_from_ids(np.zeros((1100, 1), dtype=int), n_items=64)
    with pytest.raises(
        ValueError, match=r"Got NaN, infinity or less than 0 in query 1050 instead"
    ):
        dcg_score(found, found, item_weight=weight)


def test_an_item_of_weight_0_is_neither_ranked_nor_in_the_ideal():
    y_true, scores = [[2, 1, 0, 3]], stored([[5.0, 4.0, 3.0, None]])
    for weight, kept in (([1, 1, 1, 0], [0, 1, 2]), ([0, 1, 1, 1], [1, 2, 3])):
        labels = np.array(y_true)[:, kept]
        fewer = stored([[scores.toarray()[0, item] or None for item in kept]])
        for as_labels in (np.array, sp.csr_array):
            value = ndcg_score(as_labels(y_true), scores, item_weight=[weight])
            assert value == ndcg_score(labels, fewer)
    nothing = partial(
        ndcg_score, [[1, 0], [1, 0]], stored([[1.0, 2.0]] * 2), item_weight=[[0, 0], [1, 1]]
    )
    assert nothing(average=None).tolist() == [0.0, 1 / np.log2(3)]
    assert nothing() == 1 / np.log2(3)  # a query of which nothing is left weighs nothing


def test_labels_that_are_stored_twice_are_summed():
    twice = sp.csr_array((np.array([1.0, 1, 2]), np.array([0, 0, 1]), np.array([0, 3])), (1, 3))
    for labels in (twice, twice.toarray()):
        assert ndcg_score(labels, stored([[2.0, 1.0, None]])) == 1.0
        assert recall_at_k_score(labels, stored([[2.0, 1.0, None]]), k=1) == 0.5


@pytest.mark.parametrize("n_columns", [6, 2**62])
@pytest.mark.parametrize("judged", [[-1], [0, 1, 2, -1]])
def test_labels_of_what_was_found_in_columns_of_any_number(n_columns, judged):
    """The last column has the highest label of each query, and is found at the second rank."""
    column = np.tile(np.array(judged) % n_columns, 2)
    row = np.repeat([0, 1], len(judged))
    label = np.arange(1, column.size + 1)
    y_true = sp.coo_array((label, (row, column)), shape=(2, n_columns)).tocsr()
    found = np.array([0, n_columns - 1, n_columns - 2, n_columns - 1])
    y_score = sp.coo_array(([3, 2, 3, 2], ([0, 0, 1, 1], found)), (2, n_columns)).tocsr()
    first = 1 if len(judged) > 1 else 0
    expected = [first + len(judged) / math.log2(3), 2 * len(judged) / math.log2(3)]
    dcg = dcg_score(y_true, y_score, average=None)
    assert dcg.tolist() == pytest.approx(expected, rel=TOLERANCE, abs=0)


def test_a_gain_for_the_label_0_is_that_of_all_items():
    y_true, scores = [[0, 2, 0, 0]], stored([[None, 1.0, 2.0, None]])
    for as_labels in (np.array, sp.csr_array):
        labels = as_labels(y_true)
        value = ndcg_score(labels, scores, gain=lambda label: label + 1)
        assert value == dcg_score([[1, 3]], [[2, 1]]) / dcg_score([[3, 1, 1, 1]], [[4, 3, 2, 1]])
        assert hit_rate_score(labels, scores, k=1, relevance_threshold=0) == 1.0
        # What a gain function has no answer for matters only where an item has that label.
        with pytest.raises(ValueError, match="gain inf for the label 0 in query 0"):
            ndcg_score(labels, scores, gain=_reciprocal)
        assert ndcg_score(as_labels([[1, 2, 4, 4]]), scores, gain=_reciprocal) > 0


def _reciprocal(label):
    with np.errstate(divide="ignore"):
        return 1 / label


def test_labels_of_0_that_count_need_no_array_where_their_number_will_do():
    n_items = 10**15
    found = retrieved_from_ids([[7, 5, n_items - 1]], n_items=n_items)
    relevant = sp.csr_array(([1, 2], ([0, 0], [7, 9])), (1, n_items))
    assert hit_rate_score(relevant, found, k=1, relevance_threshold=0) == 1.0
    assert recall_at_k_score(relevant, found, k=2, relevance_threshold=0) == 2 / n_items
    assert dcg_score(relevant, found, gain=lambda label: label + 1, k=2) == 2 + 1 / np.log2(3)
    for score in (ndcg_score, mean_average_precision_score, r_precision_score):
        assert score(relevant, found) > 0


def test_the_discount_is_asked_for_the_ranks_that_can_matter():
    n_items, asked = 10**6, []

    def discount(rank):
        asked.append(rank.size)
        return 1 / rank

    found, relevant = [retrieved_from_ids([[5, 7]], n_items=n_items)] * 2
    dcg_score(relevant, found, discount=discount)
    ndcg_score(relevant, found, discount=discount)
    ndcg_score(relevant, found, discount=discount, k=10)
    assert asked == [2, n_items, 10]
    # The best of a rising discount is at the last rank of all items, where nothing was found.
    assert ndcg_score(relevant, found, discount=np.sqrt) == pytest.approx(
        (2 + np.sqrt(2)) / (2 * np.sqrt(n_items) + np.sqrt(n_items - 1)), rel=TOLERANCE
    )


def test_the_arrays_of_the_caller_stay_as_they_are():
    labels = sp.csr_array((np.array([1.0, 2, 1]), np.array([3, 0, 3]), np.array([0, 3])), (1, 4))
    scores = sp.csr_array((np.array([1.0, 2]), np.array([3, 0]), np.array([0, 2])), (1, 4))
    for matrix in (labels, scores):
        for array in (matrix.data, matrix.indices, matrix.indptr):
            array.flags.writeable = False
    assert ndcg_score(labels, scores) == ndcg_score([[2, 0, 0, 2]], scores) == 1.0
    assert labels.indices.tolist() == [3, 0, 3]
    assert scores.indices.tolist() == [3, 0]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, ">f8", np.uint8, bool])
def test_scores_and_labels_of_every_dtype(dtype):
    ids, scores = [[2, -1, 0], [1, 2, -1]], np.array([[1, 0, 0], [0, 1, 1]], dtype=dtype)
    expected = ndcg_score([[0, 0, 1], [1, 1, 0]], stored([[0, None, 1], [None, 0, 1]]))
    y_score = retrieved_from_ids(ids, scores, n_items=3)
    assert y_score.nnz == 4
    labels = sp.csr_array(np.array([[0, 0, 1], [1, 1, 0]]))
    of_dtype = sp.csr_array((labels.data.astype(dtype), labels.indices, labels.indptr), (2, 3))
    for y_true in (labels, of_dtype, np.array(labels.toarray(), dtype=dtype)):
        assert ndcg_score(y_true, y_score) == expected
        stored_as = (scores[[0, 0, 1, 1], [2, 0, 0, 1]], [0, 2, 1, 2], [0, 2, 4])
        assert ndcg_score(y_true, sp.csr_array(stored_as, (2, 3))) == expected
    dense = [[1, 0, 2], [0, 1, 2]]
    assert ndcg_score(of_dtype, dense) == ndcg_score(labels.toarray(), dense)


def test_positions_of_relevant_items_that_were_all_retrieved():
    y_true, found = [[0, 2, 1, 0], [0, 0, 0, 0]], stored([[None, 1.0, 3.0, 2.0], [None] * 4])
    for as_labels in (np.array, sp.csr_array):
        positions = average_relevant_position(as_labels(y_true), found, average=None)
        assert positions[0] == (1 * 1 + 2 * 3) / 3
        assert np.isnan(positions[1])
        # An item below the threshold need not be found.
        below = average_relevant_position(
            as_labels([[1, 2, 0, 0]]), found.tocsr()[[0]], relevance_threshold=2
        )
        assert below == 3.0


# --- retrieved_from_ids -----------------------------------------------------------------------


def test_ids_are_ranked_as_they_stand():
    y_score = retrieved_from_ids([[4, 0, 2, -1], [-1, -1, -1, -1], [1, 3, 0, 4]], n_items=5)
    assert y_score.shape == (3, 5)
    assert y_score.indices.tolist() == [0, 2, 4, 0, 1, 3, 4]
    assert y_score.indptr.tolist() == [0, 3, 3, 7]
    ranked = [np.argsort(-row.data) for row in (y_score[[0]], y_score[[2]])]
    assert y_score.indices[ranked[0]].tolist() == [4, 0, 2]
    assert y_score.indices[3:][ranked[1]].tolist() == [1, 3, 0, 4]


def test_scores_rank_ids_that_stand_in_any_order():
    ids = [[4, -1, 0, 2], [1, 0, -1, 3]]
    scores = [[0.0, np.nan, -2.0, 0.0], [7, 8, np.inf, -9]]
    y_score = retrieved_from_ids(ids, scores, n_items=5)
    assert y_score.nnz == 6
    assert y_score.toarray().tolist() == [[-2, 0, 0, 0, 0], [8, 7, 0, -9, 0]]
    assert y_score.indices.tolist() == [0, 2, 4, 0, 1, 3]


@pytest.mark.parametrize("has_scores", [False, True])
@pytest.mark.parametrize("share_missing", [0, 0.3])
def test_many_rows_are_sorted_as_scipy_sorts_them(has_scores, share_missing):
    rng = np.random.default_rng(0)
    ids = np.argsort(rng.random((3000, 40)), axis=1)[:, :30]
    values = rng.random(ids.shape) if has_scores else np.tile(np.arange(30, 0, -1), (3000, 1))
    is_missing = rng.random(ids.shape) < share_missing
    ids[is_missing if has_scores else np.sort(is_missing, axis=1)] = -1
    found = retrieved_from_ids(ids, values if has_scores else None, n_items=40)
    row, place = np.nonzero(ids >= 0)
    expected = sp.coo_array((values[row, place], (row, ids[row, place])), (3000, 40)).tocsr()
    expected.sort_indices()
    assert found.indptr.tolist() == expected.indptr.tolist()
    assert found.indices.tolist() == expected.indices.tolist()
    assert found.data.tolist() == expected.data.tolist()
    assert found.data.dtype == values.dtype


def test_an_item_that_is_twice_in_one_of_many_rows():
    ids = np.tile(np.arange(100), (2000, 1))
    ids[1234, 70] = 3
    with pytest.raises(ValueError, match="item 3 more than once in query 1234"):
        retrieved_from_ids(ids, n_items=100)


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", ">u4", "<i4", ">i8", "<u8"])
def test_ids_of_any_byte_order_are_checked(dtype):
    swapped = np.array(3, dtype).byteswap()  # 3, if it is read in the other order
    for item in {3, int(swapped)}:
        ids = np.array([[0, item]], dtype)
        if item == 3:
            assert retrieved_from_ids(ids, n_items=4).indices.tolist() == [0, 3]
            continue
        with pytest.raises(ValueError, match=f"Got {item} in query 0 instead"):
            retrieved_from_ids(ids, n_items=4)


@pytest.mark.parametrize(("n_items", "dtype"), [(2**31 - 1, np.int32), (2**31, np.int64)])
def test_columns_take_no_more_bits_than_they_need(n_items, dtype):
    found = retrieved_from_ids([[n_items - 1, 0]], n_items=n_items)
    assert (found.indices.dtype, found.indptr.dtype) == (dtype, dtype)
    assert found.indices.tolist() == [0, n_items - 1]


def test_a_place_without_an_item_before_an_item_needs_scores():
    with pytest.raises(ValueError, match="-1 before item 2 at position 1 of query 0 instead"):
        retrieved_from_ids([[0, -1, 2]], n_items=3)
    found = retrieved_from_ids([[0, -1, 2]], [[3, 2, 1]], n_items=3)
    assert found.toarray().tolist() == [[3, 0, 1]]
    assert (found != retrieved_from_ids([[0, 2, -1]], [[3, 1, 2]], n_items=3)).nnz == 0


LOWEST_FLOAT32 = -3.4028234663852886e38


@pytest.mark.parametrize(
    ("dtype", "lowest", "next_to_it"),
    [
        (np.float16, -65504.0, -65472.0),
        (">f2", -65504.0, -65472.0),
        (np.float32, LOWEST_FLOAT32, -3.3895311864274394e38),
        (">f4", LOWEST_FLOAT32, -3.3895311864274394e38),
        (np.float64, LOWEST_FLOAT32, -3.389531389251535e38),
        (np.float64, -3.3895313892515355e38, -3.389531389251535e38),
        (np.float64, np.finfo(np.float64).min, -65504.0),
        (np.longdouble, LOWEST_FLOAT32, -3.389531389251535e38),
        (np.longdouble, np.finfo(np.longdouble).min, -65504.0),
        (list, LOWEST_FLOAT32, -3.389531389251535e38),
        (list, np.finfo(np.float64).min, -65504.0),
    ],
)
@pytest.mark.parametrize("mark", ["lowest", "infinite"])
def test_an_item_of_the_lowest_score_was_not_retrieved(dtype, lowest, next_to_it, mark):
    marked = -np.inf if mark == "infinite" else lowest
    scores = [[marked, next_to_it, 0.0], [1.0, marked, marked]]
    if dtype is not list:
        scores = np.array(scores, dtype=dtype)
    y_score = retrieved_from_ids([[0, 3, 1], [2, 3, 0]], scores, n_items=4)
    assert y_score.indices.tolist() == [1, 3, 2]
    assert y_score.data.tolist() == [0.0, next_to_it, 1.0]
    assert y_score.indptr.tolist() == [0, 2, 3]
    ids = np.array([[-1, 3, 1], [2, -1, -1]])
    assert (y_score != retrieved_from_ids(ids, scores, n_items=4)).nnz == 0


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.int64, np.uint64])
def test_whole_numbers_have_no_score_that_means_not_retrieved(dtype):
    lowest = False if dtype is bool else np.iinfo(dtype).min
    scores = np.array([[lowest, 1]], dtype=dtype)
    y_score = retrieved_from_ids([[0, 1]], scores, n_items=2)
    assert y_score.nnz == 2
    assert y_score.toarray().tolist() == scores.tolist()


def test_an_item_that_was_not_retrieved_may_repeat_what_is_before_it():
    nothing = -np.inf
    y_score = retrieved_from_ids(
        [[0, 2, 0, 0], [1, 1, 1, 1]],
        [[0.5, 0.25, nothing, nothing], [nothing] * 4],
        n_items=3,
    )
    assert y_score.toarray().tolist() == [[0.5, 0, 0.25], [0, 0, 0]]
    assert y_score.nnz == 2
    for scores in ([0.5, nothing, 0.25], [nothing, nothing, 0.25]):
        with pytest.raises(ValueError, match="Got item 0 more than once in query 0 instead"):
            retrieved_from_ids([[0, 0, 0]], [scores], n_items=3)


@pytest.mark.filterwarnings("ignore:The scores of retrieved_from_ids rise")  # all lists may
@settings(deadline=None)
@given(data=st.data())
def test_what_was_found_is_what_a_reader_of_the_rows_finds(data):
    shape = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))

    def rows(values):
        row = st.lists(values, min_size=shape[1], max_size=shape[1])
        return data.draw(st.lists(row, min_size=shape[0], max_size=shape[0]))

    ids = rows(st.integers(-1, 6))
    scores = rows(st.sampled_from([-math.inf, LOWEST_FLOAT32, -1.0, 0.0, 2.0]))
    expected = []
    is_valid = True
    for items, values in zip(ids, scores, strict=True):
        found, passed = {}, set()
        for item, value in zip(items, values, strict=True):
            if item >= 0:
                if value >= -1:
                    is_valid &= item not in passed
                    found[item] = value
                passed.add(item)
        expected.append(found)
    if not is_valid:
        with pytest.raises(ValueError, match="more than once"):
            retrieved_from_ids(ids, scores, n_items=7)
        return
    y_score = retrieved_from_ids(ids, scores, n_items=7)
    for query, found in enumerate(expected):
        row = y_score[[query]]
        assert dict(zip(row.indices.tolist(), row.data.tolist(), strict=True)) == found
        assert row.indices.tolist() == sorted(found)


def test_ids_that_were_not_retrieved_are_columns_too():
    with pytest.raises(ValueError, match="Got 3 in query 0 instead"):
        retrieved_from_ids([[0, 3]], [[1.0, -np.inf]], n_items=3)


def test_results_of_faiss():
    # faiss-cpu 1.15.1, index.search(queries, 6) of four items in the plane.
    items = np.array([[1, 0], [0, 1], [1, 1], [-1, 0]], dtype=np.float32)
    queries = np.array([[1, 0.5], [-1, 0.25]], dtype=np.float32)
    lowest, highest = np.float32(LOWEST_FLOAT32), np.float32(-LOWEST_FLOAT32)
    # IndexFlatIP(2)
    products = [[1.5, 1.0, 0.5, -1.0, lowest, lowest], [1.0, 0.25, -0.75, -1.0, lowest, lowest]]
    ids = np.array([[2, 0, 1, 3, -1, -1], [3, 1, 2, 0, -1, -1]])
    found = retrieved_from_ids(ids, np.array(products, dtype=np.float32), n_items=4)
    assert found.nnz == 8
    assert found.toarray().tolist() == (queries @ items.T).tolist()
    in_order = retrieved_from_ids(ids, n_items=4)
    y_true = [[0, 1, 2, 0], [1, 0, 0, 2]]
    dcg, ideal = [2 + 1 / math.log2(1 + 3), 2 + 1 / math.log2(1 + 4)], 2 + 1 / math.log2(1 + 2)
    for ranked in (found, in_order):
        per_query = ndcg_score(y_true, ranked, average=None)
        assert per_query.tolist() == pytest.approx(np.array(dcg) / ideal, rel=TOLERANCE)
    # IndexFlatL2(2): items 0 and 2 are as far from the first query.
    distances = [
        [0.25, 0.25, 1.25, 4.25, highest, highest],
        [0.0625, 1.5625, 4.0625, 4.5625, highest, highest],
    ]
    distances = np.array(distances, dtype=np.float32)
    ids = np.array([[0, 2, 1, 3, -1, -1], [3, 1, 0, 2, -1, -1]])
    nearest = retrieved_from_ids(ids, -distances, n_items=4)
    assert nearest.nnz == 8
    squared = ((queries[:, None] - items) ** 2).sum(axis=2)
    assert nearest.toarray().tolist() == (-squared).tolist()
    assert hit_rate_score([[0, 0, 1, 0]], nearest[[0]], k=1) == 0.5
    # Without the minus, the farthest item comes first.
    with pytest.warns(UserWarning, match="rise from the first item to the last in every list"):
        farthest = retrieved_from_ids(ids, distances, n_items=4)
    assert hit_rate_score([[0, 0, 0, 1]], farthest[[0]], k=1) == 1.0
    # IndexIVFFlat of two lists, nprobe=1, whose second query meets one item.
    ids = np.array([[2, 0, 1, -1], [3, -1, -1, -1]])
    products = np.array([[1.5, 1.0, 0.5, lowest], [1.0] + [lowest] * 3], dtype=np.float32)
    assert retrieved_from_ids(ids, products, n_items=4).indptr.tolist() == [0, 3, 4]


def test_results_of_implicit():
    # implicit 0.7.3, AlternatingLeastSquares(factors=2, iterations=3, random_state=0) on
    # [[1, 1, 0, 0], [1, 0, 1, 1]], recommend([0, 1], likes, N) without what a user liked.
    lowest = LOWEST_FLOAT32
    ids = np.array([[3, 2, 1, 0, 0, 0], [1, 3, 2, 0, 0, 0]], dtype=np.int32)
    scores = [
        [0.008809438906610012, 0.00880929734557867, lowest, lowest, 0, 0],
        [0.008809282444417477, lowest, lowest, lowest, 0, 0],
    ]
    for scores_of_dtype in (np.array(scores, dtype=np.float32), np.array(scores)):
        for n_asked in (3, 4):
            asked = slice(None), slice(n_asked)
            found = retrieved_from_ids(ids[asked], scores_of_dtype[asked], n_items=4)
            assert found.indices.tolist() == [2, 3, 1]
            assert found.indptr.tolist() == [0, 2, 3]
            assert found.data.tolist() == [scores[0][1], scores[0][0], scores[1][0]]
        # Asked for more items than there are, it goes on with item 0 and the score 0, here after
        # it said that both users had liked item 0.
        for n_asked in (5, 6):
            asked = slice(None), slice(n_asked)
            with pytest.raises(ValueError, match="Got item 0 more than once in query 0 instead"):
                retrieved_from_ids(ids[asked], scores_of_dtype[asked], n_items=4)


def test_results_of_neighbours_of_implicit():
    # implicit 0.7.3, CosineRecommender on 6 users and 5 items, recommend(users, likes, N=5).
    lowest = LOWEST_FLOAT32  # in float64
    ids = np.array([[0, 3, 2, 1, -1], [-1, -1, -1, -1, -1]], dtype=np.int32)
    scores = np.array([[2 / 3, 0, 0, 0, lowest], [lowest] * 5])
    found = retrieved_from_ids(ids, scores, n_items=5)
    assert found.toarray().tolist() == [[2 / 3, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert found.indptr.tolist() == [0, 4, 4]


def test_scores_keep_their_dtype_if_there_are_sparse_arrays_of_it():
    kept = (("f4", "f4"), ("f2", "f4"), (">f2", "f4"), (">f8", "f8"), (">i2", "i2"))
    for dtype, expected in kept:
        scores = np.array([[3, 1]], dtype=dtype)
        assert retrieved_from_ids([[0, 1]], scores, n_items=2).dtype == np.dtype(expected)


def test_ids_of_a_data_frame_that_may_lack_some():
    frame = pd.DataFrame([[4, 0], [2, -1]], dtype="Int64")
    assert retrieved_from_ids(frame, n_items=5).indices.tolist() == [0, 4, 2]


@pytest.mark.parametrize("nothing", [[[], []], np.empty((2, 0), int), [[-1], [-1]]])
def test_nothing_was_retrieved(nothing):
    y_score = retrieved_from_ids(nothing, n_items=3)
    assert y_score.shape == (2, 3)
    assert y_score.nnz == 0
    assert ndcg_score([[1, 0, 0], [0, 1, 1]], y_score) == 0.0


# Items that are excluded, and items that come twice


@st.composite
def rows_of_ids(draw):
    """Return ids with repetitions and places without an item, and perhaps their scores."""
    n_queries, width = draw(st.integers(1, 3)), draw(st.integers(0, 6))
    has_scores = draw(st.booleans())
    row = st.lists(st.integers(-1 if has_scores else 0, 4), min_size=width, max_size=width)
    ids = np.array(draw(st.lists(row, min_size=n_queries, max_size=n_queries)), int)
    ids = ids.reshape(n_queries, width)
    if not has_scores:
        ids[:, draw(st.integers(0, width)) :] = -1
    values = st.sampled_from([0.0, 1.5, -2.0, -np.inf])
    scores = None
    if has_scores:
        drawn = st.lists(values, min_size=ids.size, max_size=ids.size)
        scores = np.array(draw(drawn)).reshape(ids.shape)
    return ids, scores


@settings(deadline=None)
@given(
    found=rows_of_ids(),
    duplicates=st.sampled_from(["best", "hold"]),
    seed=st.integers(0, 2**16),
    is_sparse=st.booleans(),
)
def test_exclude_and_duplicates_are_what_a_reader_of_the_rows_does(
    found, duplicates, seed, is_sparse
):
    ids, scores = found
    seen = np.random.default_rng(seed).random((len(ids), 5)) < 0.3
    exclude = sp.csr_array(seen) if is_sparse else seen
    y_score = retrieved_from_ids(ids, scores, n_items=5, exclude=exclude, duplicates=duplicates)
    assert y_score.has_canonical_format
    for query, row in enumerate(ids.tolist()):
        values = [-place for place in range(len(row))] if scores is None else scores[query]
        places = [
            (item, value)
            for item, value in zip(row, values, strict=True)
            if item >= 0 and value > -np.inf and not seen[query, item]
        ]
        best = {}
        for item, value in places:
            best[item] = max(value, best.get(item, value))
        stored = y_score[[query]]
        own = stored.indices < 5
        ranked = dict(zip(stored.indices[own].tolist(), stored.data[own].tolist(), strict=True))
        if scores is None:
            ranked = {item: value - len(row) for item, value in ranked.items()}
        assert ranked == best
        held = sorted(value for _, value in places)
        for value in best.values():
            held.remove(value)
        others = stored.data[~own] - (len(row) if scores is None else 0)
        assert sorted(others.tolist()) == (held if duplicates == "hold" else [])
        assert stored.indices[~own].tolist() == list(range(5, 5 + others.size))


def test_what_is_excluded_may_come_twice_and_in_any_form():
    ids, seen = [[1, 0, 1, 3], [4, 2, 0, -1]], np.array([[0, 1, 0, 0, 0], [0, 0, 0, 0, 1]])
    expected = [[3, 0, 0, 1, 0], [2, 0, 3, 0, 0]]
    as_stored_zero = sp.coo_array(([2.5, 0, 1], ([0, 0, 1], [1, 3, 4])), shape=(2, 5))
    unsorted = sp.csr_array(([1, 1, 0], [1, 4, 0], [0, 1, 3]), shape=(2, 5))
    for exclude in (
        seen == 1,
        sp.csc_matrix(seen),
        as_stored_zero,
        unsorted,
        (seen == 1).tolist(),
    ):
        assert retrieved_from_ids(ids, n_items=5, exclude=exclude).toarray().tolist() == expected
    nothing = retrieved_from_ids(ids[1:], n_items=5, exclude=np.zeros((1, 5), bool))
    assert nothing.toarray().tolist() == [[2, 0, 3, 0, 4]]
    with pytest.raises(ValueError, match="item 1 more than once"):
        retrieved_from_ids(ids, n_items=5, exclude=np.zeros((2, 5), bool))


def test_seen_items_of_many_users_need_no_dense_array():
    n_users, n_items = 2000, 10**9
    rng = np.random.default_rng(0)
    ids = np.sort(rng.integers(0, n_items, (n_users, 30)), axis=1)
    user = np.repeat(np.arange(n_users), 10)
    seen = sp.csr_array(
        (np.ones(user.size, bool), (user, ids[:, ::3].ravel())), (n_users, n_items)
    )
    tracemalloc.start()
    y_score = retrieved_from_ids(ids, n_items=n_items, exclude=seen)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * ids.size
    assert y_score.indices.tolist() == np.delete(ids, np.s_[::3], axis=1).ravel().tolist()
    wide = retrieved_from_ids(
        [[2**62, 5]] * 3, n_items=2**62 + 1, exclude=sp.csr_array((3, 2**62 + 1), dtype=bool)
    )
    assert wide.nnz == 6


def test_places_that_are_held_have_columns_of_their_own():
    y_true = sp.csr_array([[1, 0, 1], [0, 1, 0]])
    ids = [[0, 0, 2, 0], [0, 1, -1, -1]]
    y_score = retrieved_from_ids(ids, n_items=3, duplicates="hold")
    assert y_score.toarray().tolist() == [[4, 0, 2, 1, 3], [4, 3, 0, 0, 0]]
    y_true.resize(y_score.shape)
    assert recall_at_k_score(y_true, y_score, k=2, average=None).tolist() == [0.5, 1]
    best = retrieved_from_ids(ids, n_items=3, duplicates="best")
    assert recall_at_k_score(y_true[:, :3], best, k=2, average=None).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("exclude", "expected", "got"),
    [
        (np.zeros((1, 4), bool), "of shape (1, 5), with a column for each item", "shape (1, 4)"),
        (sp.csr_array((2, 5)), "of shape (1, 5), with a column for each item", "shape (2, 5)"),
        (np.zeros((1, 5)), "bool, or a SciPy sparse matrix", "dtype float64"),
        (np.zeros(5, bool), "of shape (1, 5)", "shape (5,)"),
    ],
)
def test_bad_exclude(exclude, expected, got):
    with raises("exclude", expected, function="retrieved_from_ids", got=got):
        retrieved_from_ids([[0, 1]], n_items=5, exclude=exclude)


def test_users_who_are_excluded_in_another_order():
    ids = pd.DataFrame([[0, 1], [1, 2]], index=["a", "b"])
    seen = pd.DataFrame(np.eye(2, 3, dtype=bool), index=["b", "a"])
    with raises("exclude", "indexed like ids"):
        retrieved_from_ids(ids, n_items=3, exclude=seen)
    in_order = retrieved_from_ids(ids, n_items=3, exclude=seen.loc[["a", "b"]])
    assert in_order.toarray().tolist() == [[2, 0, 0], [0, 2, 1]]


@pytest.mark.parametrize(
    ("score", "textbook", "options"),
    [
        (bpref_score, reference.bpref, {}),
        (judged_at_k_score, reference.judged_at_k, {"k": 2}),
        (judged_at_k_score, reference.judged_at_k, {"k": 4, "denominator": "retrieved"}),
    ],
)
def test_scores_of_judged_items(score, textbook, options):
    @settings(deadline=None)
    @given(
        labels_and_scores=queries(),
        unknown=st.sets(st.integers(0, 4)),
        ignore_ties=st.booleans(),
        is_sparse=st.booleans(),
    )
    def equals_the_textbook(labels_and_scores, unknown, ignore_ties, is_sparse):
        y_true, y_score = labels_and_scores
        y_true = [
            [None if place in unknown else label for place, label in enumerate(labels)]
            for labels in y_true
        ]
        more = options | {"ignore_ties": ignore_ties}
        expected = [textbook(*query, **more) for query in zip(y_true, y_score, strict=True)]
        labels = stored(y_true) if is_sparse else np.array(y_true, dtype=float)
        values = score(labels, stored(y_score), **more, average=None, replace_undefined_by=np.nan)
        for value, exact in zip(values, expected, strict=True):
            if exact is None:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(float(exact), rel=TOLERANCE)

    equals_the_textbook()
