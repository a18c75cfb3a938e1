"""The scores of relevant items: known values, other programs, and sizes beyond enumeration."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest
import reference
import sklearn
from raising import raises
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression
from sklearn.metrics import (
    label_ranking_average_precision_score,
    roc_auc_score,
    top_k_accuracy_score,
)
from warned import nothing_to_rank

from ranking_scores import (
    StreamingScore,
    expected_reciprocal_rank_score,
    f1_at_k_score,
    grouped_auc_score,
    hit_rate_score,
    make_ranking_scorer,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    precision_at_k_score,
    r_precision_score,
    rank_biased_precision_score,
    ranking_report,
    recall_at_k_score,
    retrieved_from_ids,
)

TOLERANCE = 1e-12  # sums of some rounded terms, as in test_reference.py

SIX_LABELS, SIX_SCORES = [[0, 2, 1, 0, 0, 3]], [[5, 5, 5, 2, 2, 1]]
err_score = partial(expected_reciprocal_rank_score, max_grade=4)
AT_10 = [
    partial(hit_rate_score, k=10),
    partial(precision_at_k_score, k=10),
    partial(recall_at_k_score, k=10),
    partial(f1_at_k_score, k=10),
    partial(f1_at_k_score, k=10, beta=0.5),
    r_precision_score,
    mean_average_precision_score,
    partial(mean_average_precision_score, k=10, denominator="achievable"),
    mean_reciprocal_rank_score,
    err_score,
    partial(err_score, k=10),
    rank_biased_precision_score,
    grouped_auc_score,
]


def test_six_items_of_which_three_tie():
    assert mean_average_precision_score(SIX_LABELS, SIX_SCORES) == pytest.approx(
        # Relevant items at the ranks 2 and 3, 1 and 3, or 1 and 2, and then at 6.
        ((1 / 2 + 2 / 3) + (1 + 2 / 3) + (1 + 1) + 3 * (3 / 6)) / 9,
        rel=TOLERANCE,
    )
    assert mean_reciprocal_rank_score(SIX_LABELS, SIX_SCORES) == pytest.approx(
        (1 / 2 + 1 + 1) / 3, rel=TOLERANCE
    )
    curve = precision_at_k_score(SIX_LABELS, SIX_SCORES, k=[1, 2, 3, 6, 12])
    assert curve == pytest.approx([2 / 3, 2 / 3, 2 / 3, 3 / 6, 3 / 12], rel=TOLERANCE)
    shorter = precision_at_k_score(
        SIX_LABELS, SIX_SCORES, k=[3, 12, 10**30], denominator="retrieved"
    )
    assert shorter == pytest.approx([2 / 3, 3 / 6, 3 / 6], rel=TOLERANCE)
    assert precision_at_k_score(SIX_LABELS, SIX_SCORES, k=None, denominator="retrieved") == 0.5
    assert recall_at_k_score(SIX_LABELS, SIX_SCORES, k=3) == pytest.approx(2 / 3, rel=TOLERANCE)
    assert f1_at_k_score(SIX_LABELS, SIX_SCORES, k=3) == pytest.approx(4 / 6, rel=TOLERANCE)
    assert r_precision_score(SIX_LABELS, SIX_SCORES) == pytest.approx(2 / 3, rel=TOLERANCE)


@pytest.mark.parametrize("n_items", [1, 2, 15, 16, 1000, 100_000])
def test_the_reciprocal_rank_of_one_among_items_that_all_tie(n_items):
    labels = np.eye(1, n_items, n_items // 2)
    expected = float(np.sum(1 / np.arange(1, n_items + 1))) / n_items
    assert mean_reciprocal_rank_score(labels, np.zeros((1, n_items))) == pytest.approx(
        expected, rel=TOLERANCE
    )


@pytest.mark.parametrize("n_items", [3, 56, 57, 58, 90, 128])
def test_the_chances_of_the_first_hit_sum_up_to_1_however_they_are_rounded(n_items):
    # Of items that all tie, 1 is relevant, then 2, and so on; in some rows the chances above the
    # rank where only hits are left sum up to more than 1, in others they all sum up to less.
    y_true = np.tri(n_items, dtype=int)
    shared = {"k": np.arange(1, n_items + 1), "average": None}
    rates = hit_rate_score(y_true, np.zeros(y_true.shape), **shared)
    assert (rates[:, -1] == 1).all()
    assert (np.diff(rates) >= 0).all()
    assert (
        np.diff(mean_reciprocal_rank_score(y_true, np.zeros(y_true.shape), **shared)) >= 0
    ).all()


@pytest.mark.parametrize("n_items", [3, 49, 90])
def test_rounding_finds_no_more_relevant_items_than_there_are(n_items):
    y_true = np.tri(n_items, dtype=int)
    whole_list = {"y_true": y_true, "y_score": np.zeros(y_true.shape), "average": None}
    n_relevant = y_true.sum(axis=1)
    assert (recall_at_k_score(**whole_list) <= 1).all()
    assert (precision_at_k_score(**whole_list, k=n_items) <= n_relevant / n_items).all()
    assert (
        f1_at_k_score(**whole_list, k=n_items) <= 2 * n_relevant / (n_items + n_relevant)
    ).all()


def test_err_of_its_paper():
    # Three items of the grades 3, 2 and 4 on the scale of the paper, 0 to 4.
    stop = [(2**grade - 1) / 16 for grade in (3, 2, 4)]
    expected = stop[0] + (1 - stop[0]) * stop[1] / 2 + (1 - stop[0]) * (1 - stop[1]) * stop[2] / 3
    assert err_score([[3, 2, 4]], [[3, 2, 1]]) == pytest.approx(expected, rel=TOLERANCE)


def test_err_of_one_grade_is_that_of_any_order():
    for n_items in (2, 7, 500):
        grades, scores = np.full((1, n_items), 3), np.arange(n_items)[None]
        assert err_score(grades, np.zeros((1, n_items))) == err_score(grades, scores)


def exact_err_of_one_tie_group(counts, max_grade, k):
    """Return the ERR of items that all tie, from how many there are of each grade."""
    n_items = sum(counts)
    stay = [1 - Fraction(2**grade - 1, 2**max_grade) for grade in range(len(counts))]
    # The elementary symmetric polynomials: of the chances to stay of n items, all products.
    polynomial = [Fraction(1)]
    for count, q in zip(counts, stay, strict=True):
        factor = [comb(count, n) * q**n for n in range(min(count, k) + 1)]
        product = [Fraction(0)] * min(len(polynomial) + len(factor) - 1, k + 1)
        for i, left in enumerate(polynomial):
            for j, right in enumerate(factor[: len(product) - i]):
                product[i + j] += left * right
        polynomial = product
    after = [value / comb(n_items, n) for n, value in enumerate(polynomial)]
    return sum(((after[r - 1] - after[r]) / r for r in range(1, k + 1)), start=Fraction(0))


@pytest.mark.long
@pytest.mark.parametrize(
    ("counts", "max_grade"),
    [
        ([9000, 400, 300, 200, 100], 4),
        ([0, 2000, 3000, 3000, 2000], 4),
        ([9998, 1, 0, 0, 1], 4),
        ([5000, 3000, 1000, 500, 500], 40),  # chances as small as 1e-12
    ],
)
def test_err_of_ten_thousand_items_of_mixed_grades(counts, max_grade):
    grades = np.repeat(np.arange(5), counts)
    labels = np.random.default_rng(0).permutation(grades)[None]
    exact = exact_err_of_one_tie_group(counts, max_grade, k=10)
    value = expected_reciprocal_rank_score(
        labels, np.zeros(labels.shape), k=10, max_grade=max_grade
    )
    assert value == pytest.approx(float(exact), rel=1e-11)
    whole = expected_reciprocal_rank_score(labels, np.zeros(labels.shape), max_grade=max_grade)
    assert value < whole <= 1


def test_err_of_a_query_has_the_same_bits_alone_and_in_a_batch():
    # Grades that stop few users, so that all ranks add to the score; half of the items stop none.
    grades = np.random.default_rng(0).choice([0, 0, 0, 1, 2, 3], (20, 60))
    scores, score = np.zeros(grades.shape), partial(expected_reciprocal_rank_score, max_grade=9)
    alone = [score(grades[[query]], scores[[query]]) for query in range(20)]
    assert score(grades, scores, average=None).tolist() == alone


def test_err_of_tie_groups_of_any_size_pads_none_of_them_to_the_largest():
    n_pairs = n_tied = 2000
    scores = np.append(np.repeat(np.arange(1, n_pairs + 1), 2), np.zeros(n_tied))[None]
    grades = np.random.default_rng(0).integers(0, 5, scores.shape)
    tracemalloc.start()
    value = err_score(grades, scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert value > 0
    assert peak < 10e6  # an array of all groups, as long as the largest, takes 32 MB


@pytest.mark.parametrize("score", AT_10)
def test_the_mean_over_random_orders(score):
    rng = np.random.default_rng(0)
    n_items, n_orders = 60, 4000
    labels, scores = rng.choice([0, 0, 1, 2, 4], n_items), rng.integers(0, 4, n_items)
    tie_breaks = rng.random((n_orders, n_items))
    per_order = score(np.tile(labels, (n_orders, 1)), scores + tie_breaks, average=None)
    expected = score([labels], [scores])
    standard_error = per_order.std() / np.sqrt(n_orders)
    assert abs(per_order.mean() - expected) <= 4 * standard_error
    assert standard_error < 0.006  # enough orders to see a difference of two per cent
    assert score([labels], [scores], ignore_ties=True) in score(
        np.tile(labels, (2, 1)), np.stack([scores * 60 + np.arange(60)] * 2), average=None
    )


def test_the_auc_of_each_query_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (30, 40)), rng.integers(0, 12, (30, 40))
    per_query = grouped_auc_score(y_true, y_score, average=None)
    for labels, scores, value in zip(y_true, y_score, per_query, strict=True):
        assert value == pytest.approx(roc_auc_score(labels, scores), rel=TOLERANCE)


def test_the_auc_counts_pairs_exactly():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(20001) < 0.3, rng.integers(0, 50, 20001)
    above = sum(
        2 * int((scores[~labels] < score).sum()) + int((scores[~labels] == score).sum())
        for score in scores[labels]
    )
    n_pairs = int(labels.sum()) * int((~labels).sum())
    assert grouped_auc_score([labels], [scores]) == above / (2 * n_pairs)


def test_a_query_of_one_kind_has_no_auc():
    y_true, y_score = [[1, 1], [0, 0], [0, 1]], [[1, 2], [1, 2], [1, 2]]
    assert np.isnan(grouped_auc_score(y_true, y_score, average=None)).tolist() == [1, 1, 0]
    assert grouped_auc_score(y_true, y_score) == 1.0
    assert grouped_auc_score(y_true, y_score, replace_undefined_by=0.25) == 0.5


def test_average_precision_is_that_of_scikit_learn_where_no_scores_tie():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (30, 40)), rng.random((30, 40))
    assert mean_average_precision_score(y_true, y_score) == pytest.approx(
        label_ranking_average_precision_score(y_true, y_score), rel=TOLERANCE
    )


def test_recall_of_class_labels_is_the_top_k_accuracy():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 7, 200), rng.random((200, 7))
    for k in (1, 3):
        expected = top_k_accuracy_score(y_true, y_score, k=k)
        for score in (recall_at_k_score, hit_rate_score):
            assert score(y_true, y_score, k=k) == pytest.approx(expected, rel=TOLERANCE)


def test_cutoffs_beyond_the_list_and_beyond_int64():
    for score in (recall_at_k_score, mean_average_precision_score, mean_reciprocal_rank_score):
        assert score(SIX_LABELS, SIX_SCORES, k=10**30) == score(SIX_LABELS, SIX_SCORES)
    assert precision_at_k_score(SIX_LABELS, SIX_SCORES, k=10**18) == pytest.approx(3e-18)


def test_what_is_achievable():
    labels, scores = [[1, 1, 1, 0]], [[4, 3, 2, 1]]
    for score in (recall_at_k_score, mean_average_precision_score):
        assert score(labels, scores, k=[1, 2]) == pytest.approx([1 / 3, 2 / 3], rel=TOLERANCE)
        assert score(labels, scores, k=[1, 2], denominator="achievable").tolist() == [1, 1]


def test_persistence():
    labels, scores = [[1, 0, 1]], [[3, 2, 1]]
    for p in (0.5, 0.95):
        value = rank_biased_precision_score(labels, scores, persistence=p)
        assert value == pytest.approx((1 - p) * (1 + p**2), rel=TOLERANCE)
    # A long list of relevant items comes as close to 1 as floats do, and no further.
    ones = np.ones((1, 10_000))
    for p in (0.05, 0.2, 0.8):  # of the first two the weights sum up to more
        assert 1 - 1e-15 < rank_biased_precision_score(ones, ones, persistence=p) <= 1


def test_labels_below_the_threshold_need_be_no_grades():
    labels, scores = [[-3, 0.5, 2, 4]], [[4, 3, 2, 1]]
    assert err_score(labels, scores, relevance_threshold=1) == err_score([[0, 0, 2, 4]], scores)


@pytest.mark.parametrize("score", AT_10)
def test_each_score_has_a_scorer(score):
    X, y, qid = np.array([[3.0], [2], [1], [1]]), np.array([0, 1, 0, 4]), [0, 0, 0, 0]
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(score).set_score_request(qid=True)
        model = LinearRegression().fit(X, [3, 2, 1, 1])
        assert scorer(model, X, y, qid=qid) == score(y, model.predict(X), qid=qid)


@pytest.mark.parametrize(
    ("score", "textbook"),
    [
        (mean_average_precision_score, partial(reference.average_precision, k=None)),
        (r_precision_score, reference.r_precision),
        (mean_reciprocal_rank_score, partial(reference.reciprocal_rank, k=None)),
    ],
)
def test_the_reference_itself_on_lists_small_enough_to_count_by_hand(score, textbook):
    by_hand = {
        mean_average_precision_score: Fraction(3, 4),
        r_precision_score: Fraction(1, 2),
        mean_reciprocal_rank_score: Fraction(3, 4),
    }[score]
    assert textbook([1, 0], [5, 5]) == by_hand
    assert score([[1, 0]], [[5, 5]]) == by_hand


def test_grades_of_any_dtype():
    for dtype in (np.uint8, np.int8, np.float16, bool):
        grades = np.array([[0, 1, 1]], dtype=dtype)
        assert err_score(grades, [[3, 2, 1]]) == err_score([[0, 1, 1]], [[3, 2, 1]])


def test_nothing_retrieved_is_no_precision_and_not_undefined():
    nothing = retrieved_from_ids([[-1]], n_items=2)
    params = {"k": 1, "denominator": "retrieved", "replace_undefined_by": np.nan}
    assert precision_at_k_score([[1, 0]], nothing, **params) == 0.0


def test_the_recall_of_what_is_irrelevant_is_the_fall_out():
    rng = np.random.default_rng(0)
    for _ in range(60):
        n_items = int(rng.integers(1, 7))
        labels, scores = (
            rng.integers(-1, 3, n_items).tolist(),
            rng.integers(0, 3, n_items).tolist(),
        )
        n_irrelevant = sum(label <= 0 for label in labels)
        if not n_irrelevant:
            continue
        for k in range(1, n_items + 2):
            in_each_order = [
                Fraction(sum(labels[item] <= 0 for item in order[:k]), n_irrelevant)
                for order in reference.orders(scores)
            ]
            expected = float(sum(in_each_order) / len(in_each_order))
            rows = {"y_score": [scores], "k": k}
            of_labels = recall_at_k_score(-np.array([labels]), **rows, relevance_threshold=0)
            assert of_labels == pytest.approx(expected, rel=TOLERANCE)
            assert of_labels == recall_at_k_score(np.array([labels]) <= 0, **rows)


def test_the_fall_out_of_what_was_retrieved_counts_what_nobody_judged():
    labels = csr_array(([2, 0, 1], ([0, 0, 1], [0, 3, 1])), (2, 6))  # a 0 is stored
    retrieved = retrieved_from_ids([[3, 0, 5], [-1, -1, -1]], n_items=6)
    shared = {"y_score": retrieved, "k": [1, 2, 3], "average": None}
    sparse = recall_at_k_score(-labels, **shared, relevance_threshold=0)
    assert sparse.tolist() == [[1 / 5, 1 / 5, 2 / 5], [0, 0, 0]]
    assert sparse.tolist() == recall_at_k_score(labels.toarray() <= 0, **shared).tolist()


BETAS = [0, 1e-300, 1e-9, 0.1, 0.5, 1 - 2**-53, 1, 2, 3.7, 1e9, 1e300, np.inf]


def some_queries(n_relevant):
    """Return queries of up to ten items, some of which tie and some of which are relevant."""
    rng = np.random.default_rng(0)
    y_true = rng.permuted(np.tile(np.arange(10) < n_relevant, (40, 1)), axis=1)
    where = y_true | (rng.random(y_true.shape) < 0.7)
    return {"y_true": y_true, "y_score": rng.integers(0, 4, y_true.shape), "where": where}


def test_f_beta_goes_from_precision_to_recall():
    queries = some_queries(3) | {"average": None}
    for k in (1, 3, [2, 20], None):
        divided_by = {"denominator": "retrieved"} if k is None else {}
        precision = precision_at_k_score(**queries, k=k, **divided_by)
        recall = recall_at_k_score(**queries, k=k)
        of_beta = [f1_at_k_score(**queries, k=k, beta=beta) for beta in BETAS]
        assert of_beta[0].tobytes() == precision.tobytes()
        assert of_beta[-1].tobytes() == recall.tobytes()
        assert of_beta[BETAS.index(1)].tobytes() == f1_at_k_score(**queries, k=k).tobytes()
        # From one to the other it only rises, or only falls.
        steps = np.diff(of_beta, axis=0) * np.sign(recall - precision)
        assert (steps >= -TOLERANCE).all()


@pytest.mark.parametrize("n_relevant", [4, 5])
def test_f1_is_twice_the_hits_over_k_and_the_relevant_to_the_bit(n_relevant):
    queries = some_queries(n_relevant) | {"average": None}
    cutoffs = np.array([2**53 + 6, 2**55, 1, 3, 7, 20, 10**18, 2**63 - 2])
    f1 = f1_at_k_score(**queries, k=cutoffs)
    if n_relevant == 4:  # a power of two, which the recall is an exact share of
        hits = 4 * recall_at_k_score(**queries, k=cutoffs)
        assert f1.tobytes() == (2 * hits / (cutoffs + 4.0)).tobytes()
    for place, k in enumerate(cutoffs[:2]):  # where floats have no room for the sum
        assert f1[0, place] == 2 * n_relevant / (k + float(n_relevant))
    of_all = f1_at_k_score(**queries, k=None)
    n_items = queries["where"].sum(axis=1)
    assert of_all.tobytes() == (2 * n_relevant / (n_items + n_relevant)).tobytes()


@pytest.mark.parametrize("beta", BETAS)
def test_the_best_order_has_an_f_beta_of_1_at_as_many_ranks_as_are_relevant(beta):
    y_true = np.tri(60, dtype=int)
    f_beta = f1_at_k_score(y_true, y_true, k=np.arange(1, 61), beta=beta, average=None)
    assert (np.diagonal(f_beta) == 1).all()
    assert (f_beta <= 1).all()


def test_f_beta_keeps_its_digits_where_a_small_weight_meets_a_large_number():
    n_relevant, beta = 10**6, 1e-5
    value = f1_at_k_score(np.ones((1, n_relevant)), np.zeros((1, n_relevant)), k=1, beta=beta)
    share = Fraction(beta) ** 2 / (1 + Fraction(beta) ** 2)
    assert value == pytest.approx(float(1 / (1 + share * (n_relevant - 1))), rel=1e-15)


@pytest.mark.parametrize("beta", BETAS)
def test_nothing_retrieved_is_no_f_beta_and_not_undefined(beta):
    nothing = retrieved_from_ids([[-1], [0]], n_items=2)
    params = {"k": None, "beta": beta, "replace_undefined_by": np.nan, "average": None}
    assert f1_at_k_score([[1, 0], [1, 0]], nothing, **params).tolist() == [0, 1]
    assert np.isnan(f1_at_k_score([[0, 0], [0, 0]], nothing, **params)).all()


def test_the_whole_list_must_be_said_and_then_goes_through_every_caller():
    with raises("k", "given, as in k=10", function="f1_at_k_score", got=""):
        f1_at_k_score(SIX_LABELS, SIX_SCORES)
    expected = f1_at_k_score(SIX_LABELS, SIX_SCORES, k=None, beta=2)
    assert expected == pytest.approx(5 / (4 + 6 / 3), rel=TOLERANCE)  # recall 1, precision 1/2
    stream = StreamingScore("f1", k=None, beta=2)
    stream.update(SIX_LABELS, SIX_SCORES)
    assert stream.compute() == expected
    several = StreamingScore(["f1", "map"], k=[None, 2], beta=2)
    several.update(SIX_LABELS, SIX_SCORES)
    assert several.compute()["f1"] == expected
    rows = {"X": np.array([SIX_SCORES[0]]).T, "y_true": SIX_LABELS[0]}
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer("f1", k=None, beta=2).set_score_request(qid=True)
        model = LinearRegression().fit(rows["X"], rows["X"].ravel())
        assert scorer(model, **rows, qid=[0] * 6) == expected
    report = ranking_report(SIX_LABELS, SIX_SCORES, scores="f1", k=None, beta=2, chance=True)
    assert report["f1"] == report.chance["f1"] == expected


@nothing_to_rank
@pytest.mark.parametrize("score", AT_10[:-1])
def test_a_query_without_a_relevant_item_scores_0(score):
    assert score([[0, 0]], [[2, 1]]) == 0.0
