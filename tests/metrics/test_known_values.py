"""Values that were computed elsewhere: by hand, by other programs, in the literature."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from scipy.sparse import csr_array
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
from ranking_scores._queries._relevance import check_gain

TOLERANCE = 1e-12  # these come with all their digits
PRINTED = 1e-9  # these with nine of them

GRADES = [[10, 0, 0, 1, 5]]
RISING = [[0.1, 0.2, 0.3, 4, 70]]
MIXED = [[0.05, 1.1, 1.0, 0.5, 0.0]]
TIED = [[1, 0, 0, 0, 1]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ndcg_score(GRADES, RISING), 0.6956940443813076),
        (dcg_score(GRADES, RISING), 9.499457825916874),
        (dcg_score(GRADES, RISING, k=2), 5.630929753571458),
        (dcg_score(GRADES, RISING, k=2), 5 + 1 / log2(3)),
        (ndcg_score(GRADES, MIXED), 0.493680191377376),
        (ndcg_score(GRADES, MIXED, k=4), 0.3520241100634488),
        (ndcg_score(GRADES, GRADES, k=4), 1.0),
        (ndcg_score(GRADES, TIED, k=1), 0.75),
        (ndcg_score(GRADES, TIED, k=1, ignore_ties=True), 0.5),
        (dcg_score(GRADES, TIED, k=1), 7.5),
        (dcg_score(GRADES, TIED, k=1, ignore_ties=True), 5.0),
    ],
)
def test_scikit_learn_docstrings(value, expected):
    assert value == pytest.approx(expected, rel=TOLERANCE)


FOUR_LABELS = [[0, 1, 0, 2]]
FALLING, TWO_TIED = [[4, 3, 2, 1]], [[3, 3, 2, 1]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (mean_average_precision_score(FOUR_LABELS, FALLING), (1 / 2 + 2 / 4) / 2),
        (mean_average_precision_score(FOUR_LABELS, TWO_TIED), ((1 + 1 / 2) / 2 + 2 / 4) / 2),
        (mean_reciprocal_rank_score(FOUR_LABELS, FALLING), 1 / 2),
        (mean_reciprocal_rank_score(FOUR_LABELS, TWO_TIED), (1 + 1 / 2) / 2),
        (
            expected_reciprocal_rank_score(FOUR_LABELS, FALLING, max_grade=2),
            1 / 2 * 1 / 4 + 1 / 4 * (1 - 1 / 4) * 3 / 4,
        ),
        (
            rank_biased_precision_score(FOUR_LABELS, FALLING, persistence=0.5),
            (1 - 0.5) * (0.5 + 0.5**3),
        ),
        (
            alpha_ndcg_score(FOUR_LABELS, FALLING, alpha=0.5),
            (1 / log2(3) + 0.5 / log2(5)) / (1 + 0.5 / log2(3)),
        ),
        (grouped_auc_score(FOUR_LABELS, FALLING), 1 / 4),
        (grouped_auc_score(FOUR_LABELS, TWO_TIED), (1 + 1 / 2) / 4),
        (pairwise_accuracy_score(FOUR_LABELS, FALLING), 1 / 5),
        (pairwise_accuracy_score(FOUR_LABELS, TWO_TIED), (1 + 1 / 2) / 5),
        (all_relevant_at_k_score(FOUR_LABELS, FALLING, k=3), 0),
        (all_relevant_at_k_score(FOUR_LABELS, FALLING, k=4), 1),
    ],
)
def test_values_by_hand(value, expected):
    assert value == pytest.approx(expected, rel=TOLERANCE)


@pytest.mark.parametrize("grades", [[10, 0, 0, 1, 5], [0, 0, 1, 5, 10], [5, 10, 0, 1, 0]])
def test_constant_scores_are_worth_the_same_in_any_order(grades):
    assert ndcg_score([grades], [[3] * 5]) == pytest.approx(0.6909785334518438, rel=TOLERANCE)


@pytest.mark.parametrize(
    ("replace_undefined_by", "expected"),
    [
        (np.nan, [0, 0.386852807, 0.386852807, 0.650920930]),
        (0.0, [0, 0.193426404, 0.193426404, 0.325460465]),
    ],
)
def test_a_query_without_relevant_items_at_several_cutoffs(replace_undefined_by, expected):
    value = ndcg_score(
        [[0, 0, 1, 1], [0, 0, 0, 0]],
        [[4, 2, 3, 1], [1, 2, 3, 4]],
        k=[1, 2, 3, 4],
        gain="exponential",
        replace_undefined_by=replace_undefined_by,
    )
    np.testing.assert_allclose(value, expected, rtol=2 * PRINTED, atol=0)


def test_six_items_of_which_three_tie():
    y_true, y_score = [[0, 2, 1, 0, 0, 3]], [[5, 5, 5, 2, 2, 1]]
    ideal = 3 + 2 / log2(3) + 1 / log2(4)
    expected = 1 * (1 + 1 / log2(3) + 1 / log2(4)) / ideal  # 0, 2 and 1 gain 1 on average
    assert ndcg_score(y_true, y_score, k=3) == pytest.approx(expected, rel=TOLERANCE)
    assert ndcg_score(y_true, y_score, k=3) == pytest.approx(0.447499501061509, rel=TOLERANCE)
    as_ordered = (1 + 2 / log2(3)) / (3.5 + 2 / log2(3))  # the later item first: 1, 2, 0
    value = ndcg_score(y_true, y_score, k=3, ignore_ties=True)
    assert value == pytest.approx(as_ordered, rel=TOLERANCE)


@pytest.mark.parametrize(
    ("gain", "expected"),
    [("linear", 0.9608081943360616), ("exponential", 0.9488107485678984)],
)
def test_the_ranked_list_of_wikipedia(gain, expected):
    value = ndcg_score([[3, 2, 3, 0, 1, 2]], [[6, 5, 4, 3, 2, 1]], gain=gain)
    assert value == pytest.approx(expected, rel=TOLERANCE)


def test_an_item_beyond_the_end_of_a_query_gains_nothing_though_the_label_0_gains():
    alone = ndcg_score([[1, 0]], [[1, 2]], gain=lambda label: label + 1)
    beside_another = ndcg_score(
        [1, 0, 1, 2, 3, 0],
        [1, 2, 5, 1, 2, 3],
        qid=[0, 0, 1, 1, 1, 1],
        gain=lambda label: label + 1,
        average=None,
    )
    assert beside_another[0] == alone
    assert alone == pytest.approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)), rel=TOLERANCE)


def test_a_discount_that_spares_no_rank_of_the_query_leaves_ndcg_undefined():
    value = ndcg_score(
        [[1, 0]],
        [[1, 2]],
        discount=lambda rank: (rank == 3) * 1.0,
        replace_undefined_by=np.nan,
        average=None,
    )
    assert np.isnan(value).tolist() == [True]


@pytest.mark.parametrize(
    ("replace_undefined_by", "expected"), [(np.nan, [0, 1, 1, 1]), (0.0, [0, 0.5, 0.5, 0.5])]
)
def test_hit_rate_where_one_query_has_no_relevant_item(replace_undefined_by, expected):
    value = hit_rate_score(
        [[0, 0, 1, 1], [0, 0, 0, 0]],
        [[4, 2, 3, 1], [1, 2, 3, 4]],
        k=[1, 2, 3, 4],
        replace_undefined_by=replace_undefined_by,
    )
    assert value.tolist() == expected


def test_hit_rate_of_one_list():
    assert hit_rate_score([[0, 0, 1, 0]], [[4, 2, 3, 1]], k=2) == 1.0
    assert hit_rate_score([[0, 0, 1, 0]], [[4, 2, 3, 1]], k=1) == 0.0


@pytest.mark.parametrize("place", [0, 7, 39])
def test_hit_rate_of_one_relevant_item_among_forty_equals(place):
    labels = np.zeros((1, 40))
    labels[0, place] = 1
    value = hit_rate_score(labels, np.ones((1, 40)), k=[1, 10, 40, 99])
    assert value == pytest.approx([1 / 40, 1 / 4, 1, 1], rel=TOLERANCE)


def test_hit_rate_of_several_relevant_items_among_equals():
    # No hit among the first 2 of 5 with 2 relevant: (3 / 5) (2 / 4)
    value = hit_rate_score([[1, 0, 0, 1, 0]], [[1] * 5], k=2)
    assert value == pytest.approx(1 - (3 / 5) * (2 / 4), rel=TOLERANCE)


@pytest.mark.parametrize(
    ("relevance_threshold", "expected"), [(None, [1, 1]), (0.5, [0, 1]), (1, [np.nan, np.nan])]
)
def test_what_is_relevant(relevance_threshold, expected):
    value = hit_rate_score(
        [[0.4, 0.9]],
        [[2, 1]],
        k=[1, 2],
        relevance_threshold=relevance_threshold,
        replace_undefined_by=np.nan,
        average=None,
    )
    np.testing.assert_array_equal(value, [expected])


def test_negative_labels_are_not_relevant():
    assert hit_rate_score([[-1, 0, 0.1]], [[3, 2, 1]], k=[1, 2, 3]).tolist() == [0, 0, 1]


@pytest.mark.parametrize("n_items", range(1, 60))
def test_a_certain_hit_is_1(n_items):
    for n_relevant in range(1, n_items + 1):
        labels = np.arange(n_items)[None, :] < n_relevant
        certain = n_items - n_relevant + 1
        assert hit_rate_score(labels, np.zeros((1, n_items)), k=[certain, n_items]).tolist() == [
            1.0,
            1.0,
        ]


def test_an_unlikely_hit_keeps_its_digits():
    one_in_a_million = np.zeros((1, 10**6))
    one_in_a_million[0, 77] = 1
    value = hit_rate_score(one_in_a_million, np.zeros((1, 10**6)), k=1)
    assert value == pytest.approx(1e-6, rel=TOLERANCE)


@pytest.mark.parametrize("n_items", [20, 56, 90, 130])
def test_the_hit_rate_of_one_tie_group_rises_up_to_1_and_no_further(n_items):
    for n_relevant in range(1, n_items + 1):
        labels = np.arange(n_items)[None, :] < n_relevant
        curve = hit_rate_score(labels, np.zeros((1, n_items)), k=range(1, n_items + 1))
        assert (np.diff(curve) >= 0).all()
        assert (curve[n_items - n_relevant :] == 1).all()
        assert curve[0] == pytest.approx(n_relevant / n_items, rel=TOLERANCE)


def test_positions_beside_the_ndcg_of_the_same_data():
    y_true, y_score = [[0, 1, 0], [0, 1, 1]], [[1, 0, 1.5], [1.5, 0.2, 0.5]]
    assert average_relevant_position(y_true, y_score, average=None).tolist() == [3.0, 2.5]
    params = {"gain": "exponential", "average": None}
    ndcg = ndcg_score(y_true, y_score, k=10, **params)
    assert ndcg == pytest.approx([0.5, 0.6934264036172708], rel=TOLERANCE)
    curve = ndcg_score(y_true, y_score, k=range(1, 4), **params)
    assert curve[0].tolist() == [0, 0, 0.5]
    assert curve[1] == pytest.approx([0, 0.386853, 0.693426], abs=1e-6)


def test_positions_under_ties_and_of_graded_labels():
    # Whichever of n items that tie is the relevant one, it stands in the middle on average.
    for n_items in (1, 2, 15, 16, 1000):
        labels = np.eye(n_items)[:1]
        assert average_relevant_position(labels, np.zeros((1, n_items))) == pytest.approx(
            (n_items + 1) / 2, rel=TOLERANCE
        )
    # A label of 3 at rank 2 weighs as much as three labels of 1 there.
    assert average_relevant_position([[1, 3, 0]], [[3, 2, 1]]) == (1 + 3 * 2) / 4
    assert average_relevant_position([[1, 3, 0]], [[3, 2, 1]], relevance_threshold=2) == 2.0


def test_a_query_without_relevant_items_has_no_position():
    y_true, y_score = [[0, 1], [0, 0]], [[1, 2], [1, 2]]
    assert average_relevant_position(y_true, y_score) == 1.0
    assert average_relevant_position(y_true, y_score, replace_undefined_by=3) == 2.0
    assert np.isnan(average_relevant_position(y_true, y_score, average=None)[1])
    with pytest.warns(UndefinedMetricWarning, match="average_relevant_position is undefined"):
        assert np.isnan(average_relevant_position(y_true[1:], y_score[1:]))


def test_hits_in_whole_tie_groups_are_counted_not_summed():
    for n_items in (3, 6, 49, 1000):
        labels, equal = np.eye(1, n_items), np.zeros((1, n_items))
        assert recall_at_k_score(labels, equal, k=n_items) == 1.0
        assert precision_at_k_score(labels, equal, k=n_items) == 1 / n_items
        assert recall_at_k_score(labels, equal, k=1) == 1 / n_items
        assert f1_at_k_score(labels, equal, k=n_items) == 2 / (n_items + 1)
        assert r_precision_score(labels, equal) == 1 / n_items
        assert average_relevant_position(labels, equal) == (n_items + 1) / 2


def test_a_hit_is_certain_in_tie_groups_so_large_that_chances_underflow():
    for n_relevant, n_items in ((423, 1500), (2000, 6000)):
        labels = np.arange(n_items)[None] < n_relevant
        assert hit_rate_score(labels, np.zeros((1, n_items)), k=n_items) == 1.0


@nothing_to_rank
def test_a_threshold_is_the_int_that_it_is():
    labels = np.array([[0, 2**53]])
    assert hit_rate_score(labels, [[1, 2]], k=1, relevance_threshold=2**53 + 1) == 0.0
    assert hit_rate_score(labels, [[1, 2]], k=1, relevance_threshold=2**53) == 1.0
    for dtype in (np.uint8, np.int8, bool, np.float32):
        small = np.array([[0, 1]], dtype=dtype)
        for threshold in (300, 2**70, np.int64(2**40)):
            assert hit_rate_score(small, [[1, 2]], k=1, relevance_threshold=threshold) == 0.0
        for threshold in (-300, -(2**70), np.uint8(1)):
            assert hit_rate_score(small, [[1, 2]], k=1, relevance_threshold=threshold) == 1.0


@pytest.mark.parametrize("label", [-1, 1, 0.5])
def test_a_label_that_is_not_in_the_table_has_no_gain(label):
    with pytest.raises(ValueError, match="an array of whole numbers from 0 to 0"):
        dcg_score([[0, label]], [[1, 2]], gain=[0.5])


def test_a_query_without_items_gains_nothing():
    assert dcg_score([[1, 2]], [[1, 2]], where=[[False, False]]) == 0


def test_no_labels_have_no_gains():
    gain_of = check_gain("linear", None, "dcg_score", allow_negative=True)
    assert gain_of(np.zeros(0)).shape == (0,)


def test_a_gain_of_minus_infinity_is_refused():
    with pytest.raises(ValueError, match="Got the gain -inf for the label 2"):
        dcg_score([[2, 2]], [[1, 2]], gain=lambda labels: labels - np.inf)


def test_judged_items():
    """Two of five items are relevant, two are not, and one was not judged."""
    y_true, y_score = [[1, np.nan, 0, 1, 0]], [[5, 4, 3, 2, 1]]
    # Of the two others one is above the second relevant item, and none above the first one.
    assert bpref_score(y_true, y_score) == (1 + (1 - 1 / 2)) / 2
    assert judged_at_k_score(y_true, y_score, k=[1, 2, 5, 10]).tolist() == [1, 1 / 2, 4 / 5, 0.4]
    shares = judged_at_k_score(y_true, y_score, k=[2, 10], denominator="retrieved")
    assert shares.tolist() == [1 / 2, 4 / 5]
    # Without an item that was judged and is not relevant, each relevant item counts 1.
    assert bpref_score([[1, np.nan, 1]], [[1, 3, 2]]) == 1
    # At most min(R, N) = 1 of the others counts: the relevant item is behind two of them.
    assert bpref_score([[0, 0, 1]], [[3, 2, 1]]) == 0


TINY = [2.0**-1074, 2.0**-1022, 2.0**-1000, 2.0**-501, 2.0**-500, 2.0**-400]


@pytest.mark.filterwarnings("ignore:1 of 4 queries")
@pytest.mark.parametrize("ignore_ties", [False, True])
@pytest.mark.parametrize("tiny", TINY)
def test_tiny_labels_lose_no_digit(tiny, ignore_ties):
    labels = np.array([[1, 0, 2, 1], [3, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 2]])
    scores = [[3, 2, 1, 1], [1, 2, 2, 2], [1, 2, 3, 4], [2, 2, 2, 2]]
    weights = [[0.3, 2, 1, 5], [1, 1, 7, 1], [1, 2, 3, 4], [1, 1, 1, 0.1]]
    of_each = np.array([[tiny], [1.0], [1.0], [tiny]])
    for score, options in (
        (ndcg_score, {"k": [1, 2, None]}),
        (ndcg_score, {"k": 3, "item_weight": weights}),
        (ndcg_score, {"k": 3, "discount": lambda rank: 1.0 / rank}),
        (average_relevant_position, {}),
    ):
        of = {"ignore_ties": ignore_ties, "replace_undefined_by": np.nan, **options}
        for times in (tiny, of_each):
            for average in (None, "samples"):
                expected = score(labels, scores, average=average, **of)
                found = score(labels * times, scores, average=average, **of)
                assert np.array_equal(found, expected, equal_nan=True)


def test_tiny_labels_of_retrieved_items_have_the_same_bits():
    labels = np.array([[1.0, 0, 2, 1]])
    retrieved = csr_array([[0, 3.0, 2, 2]])
    for tiny in TINY:
        assert ndcg_score(labels * tiny, retrieved) == ndcg_score(labels, retrieved)
