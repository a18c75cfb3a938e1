"""Bad input of the scores, of all and of single ones, and the exact message."""

from __future__ import annotations

import re

import defined
import numpy as np
import pytest
import scipy.sparse
from errors_of_all_scores import ALL
from exact_errors import (
    AS_FLOAT,
    INF,
    NAN,
    REAL_ARRAY,
    RETRIEVED,
    ROWS,
    SWAPPED,
    Y_SCORE,
    Y_TRUE,
    K,
    check,
)
from laws import SCORES as OF_LAWS

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
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    rank_biased_precision_score,
    recall_at_k_score,
)

GAIN = "must be 'linear', 'exponential', a 1-D table of gains or a callable."
ONE_REAL_EACH = "must be a function that returns one real number for each of the"
NEGATIVE = (
    "Replace negative labels by 0 if they gain nothing. Drop items that they mark as to leave "
    f"out, or pass `where=y_true >= 0` for 2-D arrays. {SWAPPED}"
)

# DCG and nDCG.
CUMULATIVE = [
    # item weights of what was retrieved
    (
        {"y_score": RETRIEVED, "item_weight": [1, 2]},
        "item_weight",
        "must be of the shape of y_score, (2, 3), or (3,), one weight per item. Got shape (2,) "
        "instead. Pass one weight per query as `sample_weight`.",
    ),
    (
        {"y_score": RETRIEVED, "item_weight": scipy.sparse.csr_array(np.ones((2, 3)))},
        "item_weight",
        "must be dense. Got a sparse csr_array instead. Use .toarray().",
    ),
    *(
        (
            {"y_score": RETRIEVED, "item_weight": [[1, 1, 1], [1, weight, 1]]},
            "item_weight",
            "must be finite and not negative. Got NaN, infinity or less than 0 in query 1 "
            "instead.",
        )
        for weight in (NAN, INF, -1)
    ),
    (
        {
            "y_score": scipy.sparse.csr_array([[NAN, 1, 0], [INF, NAN, 1]]),
            "item_weight": [[0, 1, 1], [0, 1, 1]],
        },
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
        "instead. Do not store such items.",
    ),
    # gains
    ({"gain": "linar"}, "gain", f"{GAIN} Got 'linar' instead."),
    ({"gain": None}, "gain", f"{GAIN} Got None instead."),
    ({"gain": 3}, "gain", f"{GAIN} Got 3 instead."),
    ({"gain": []}, "gain", f"{GAIN} Got [] instead."),
    ({"gain": [[1, 2]]}, "gain", f"{GAIN} Got [[1, 2]] instead."),
    (
        {"gain": ["a"]},
        "gain",
        f"{REAL_ARRAY} Got dtype <U1 instead. {AS_FLOAT.format('gain')}",
    ),
    (
        {"gain": [0, 1]},
        "y_true",
        "must be an array of whole numbers from 0 to 1, the labels in the table `gain`. "
        f"Got the label 2 in query 0 instead. {SWAPPED}",
    ),
    (
        {"gain": [0, 1], "y_true": [[0, 1, 1], [0, 0.5, 1]]},
        "y_true",
        "must be an array of whole numbers from 0 to 1, the labels in the table `gain`. "
        f"Got the label 0.5 in query 1 instead. {SWAPPED}",
    ),
    (
        {"gain": lambda label: 1},
        "gain",
        f"{ONE_REAL_EACH} labels it gets, an array of shape (6,). "
        "Got an array of shape () and dtype int64 instead.",
    ),
    (
        {"gain": lambda label: np.ma.masked_less(label, 1)},
        "gain",
        "must be an array without masked elements. Got 3 masked elements instead.",
    ),
    (
        {"gain": lambda label: label[:1]},
        "gain",
        f"{ONE_REAL_EACH} labels it gets, an array of shape (6,). "
        "Got an array of shape (1,) and dtype float64 instead.",
    ),
    (
        {"gain": lambda label: label * 1j},
        "gain",
        f"{ONE_REAL_EACH} labels it gets, an array of shape (6,). "
        "Got an array of shape (6,) and dtype complex128 instead.",
    ),
    # discounts
    ({"discount": "lg"}, "discount", "must be 'log' or a callable. Got 'lg' instead."),
    ({"discount": None}, "discount", "must be 'log' or a callable. Got None instead."),
    (
        {"discount": lambda rank: 1.0},
        "discount",
        f"{ONE_REAL_EACH} ranks it gets, an array of shape (3,). "
        "Got an array of shape () and dtype float64 instead.",
    ),
    # labels whose gain is too large
    (
        {"y_true": [[1e308, 1e308, 1e308], [1, 0, 0]]},
        "y_true",
        "must be small enough for the gains of a query to be summed. "
        "Got a sum that overflows float64 in query 0 instead.",
    ),
    (
        {
            "y_true": [1, 0, 1e308, 1e308, 1e308],
            "y_score": [1, 2, 3, 3, 1],
            "qid": ["a", "a", "b", "b", "b"],
        },
        "y_true",
        "must be small enough for the gains of a query to be summed. "
        "Got a sum that overflows float64 in the query with qid 'b' instead.",
    ),
]

DCG_ONLY = [
    *(
        (
            {"log_base": base},
            "log_base",
            f"must be a finite number greater than 1. Got {got} instead.",
        )
        for base, got in (
            (1, "1"),
            (0, "0"),
            (-2, "-2"),
            (0.5, "0.5"),
            (INF, "inf"),
            (NAN, "nan"),
            ("e", "'e'"),
            (None, "None"),
            (True, "True"),
        )
    ),
    (
        {"log_base": 3, "discount": lambda rank: 1 / rank},
        "log_base",
        "must be 2 if discount is a callable. Got 3 instead.",
    ),
    (
        {"gain": "exponential", "y_true": [[0, 1, 1], [0, 0, 2000]]},
        "y_true",
        "must be an array of labels whose gain is finite. "
        f"Got the gain inf for the label 2000 in query 1 instead. {SWAPPED}",
    ),
    (
        {"gain": lambda label: np.full(label.shape, NAN)},
        "gain",
        "must be a function whose values are finite. "
        "Got the gain nan for the label 0 in query 0 instead.",
    ),
    (
        {"gain": [0, INF]},
        "gain",
        "must be a table of gains that are finite. Got inf for the label 1 instead.",
    ),
    (
        {"discount": lambda rank: rank * INF},
        "discount",
        "must be finite at every rank. Got inf at rank 1 instead.",
    ),
    (
        {"sample_weight": [1e308, 1], "y_true": [[0, 0, 9], [0, 0, 1]]},
        "sample_weight",
        "must be small enough to be multiplied by the scores. "
        "Got a product that overflows float64 instead.",
    ),
]

# Scores that can be undefined.
CAN_BE_UNDEFINED = [
    *(
        (
            {"replace_undefined_by": value},
            "replace_undefined_by",
            f"must be a number or np.nan. Got {value!r} instead.",
        )
        for value in ("1", None, True, [1], 1j)
    ),
]

NDCG_ONLY = [
    *(
        (  # the ideal of query 1 overflows, its DCG does not
            {"y_true": [[0, 1, 2], [0, 1.7e308, 1.7e308]], "y_score": [[3, 2, 1]] * 2, "k": 2}
            | params,
            "y_true",
            "must be small enough for the gains of a query to be summed. "
            "Got a sum that overflows float64 in query 1 instead.",
        )
        for params in ({}, {"discount": lambda rank: rank})
    ),
    (
        {"y_true": [[0, 1, 1], [0, -1, -2]]},
        "y_true",
        "must be at least 0, except below relevance_threshold. Got the label -1 in query 1 "
        "instead. " + NEGATIVE,
    ),
    (
        {"y_true": [[0, 1, 1], [0, -1, -2]], "relevance_threshold": -1, "gain": "exponential"},
        "y_true",
        "must be at least 0, except below relevance_threshold. Got the label -1 in query 1 "
        "instead. " + NEGATIVE,
    ),
    (
        {**ROWS, "y_true": [0, 1, 2, -0.5], "qid": ["b", "a", "b", "a"]},
        "y_true",
        "must be at least 0, except below relevance_threshold. Got the label -0.5 in the query "
        "with qid 'a' instead. "
        + NEGATIVE.replace(", or pass `where=y_true >= 0` for 2-D arrays", ""),
    ),
    (
        {"gain": "exponential", "y_true": [[0, 1, 1], [0, 0, 2000]]},
        "y_true",
        "must be an array of labels whose gain is finite and at least 0. "
        f"Got the gain inf for the label 2000 in query 1 instead. {SWAPPED}",
    ),
    (
        {
            "y_true": [[-9, 1, 0], [-9, -9, 0], [0, -9, -1]],
            "y_score": [[1, 2, 3]] * 3,
            "where": [[False, True, True], [False] * 3, [True, False, True]],
        },
        "y_true",
        "must be at least 0, except below relevance_threshold. Got the label -1 in query 2 "
        "instead. " + NEGATIVE,
    ),
    (
        {"gain": lambda label: -label},
        "gain",
        "must be a function whose values are finite and at least 0. "
        "Got the gain -1.0 for the label 1 in query 0 instead.",
    ),
    (
        {"gain": [0, 1, -1]},
        "gain",
        "must be a table of gains that are finite and at least 0. "
        "Got -1.0 for the label 2 instead.",
    ),
    (
        {"discount": lambda rank: 2.0 - rank},
        "discount",
        "must be finite at every rank and not negative. Got -1.0 at rank 3 instead.",
    ),
]

POSITION_ONLY = [
    (
        {"y_true": [[0, 1, 1], [0, -1, -2]]},
        "y_true",
        "must be at least 0, except below relevance_threshold. Got the label -1 in query 1 "
        "instead. " + NEGATIVE,
    ),
    *(
        (
            {"y_true": y_true, "y_score": [[1, 2]] * 2},
            "y_true",
            "must be small enough for the gains of a query to be summed. "
            "Got a sum that overflows float64 in query 1 instead.",
        )
        for y_true in ([[1, 0], [1e308, 1e308]], [[1, 0], [1.7e308, 0]])
    ),
    *(
        (
            {"y_true": as_labels([[0, 0, 1], [0, 2, 1]]), "y_score": RETRIEVED},
            "y_score",
            "must be a matrix that stores a score for every relevant item. "
            "Got a relevant item that was not retrieved in query 1 instead. "
            "Scores with a cutoff, such as ndcg_score, accept such data.",
        )
        for as_labels in (np.array, scipy.sparse.csr_array)
    ),
]

BETA = "must be a number of at least 0, or np.inf."
CUTOFF = "must be an int of at least 1 or a list of these"
DENOMINATOR = {
    recall_at_k_score: "'relevant' or 'achievable'",
    mean_average_precision_score: "'relevant' or 'achievable'",
    precision_at_k_score: "'k' or 'retrieved'",
    judged_at_k_score: "'k' or 'retrieved'",
}
GRADES = "must be an array of whole numbers from 0 to 2, the max_grade."

OF_ONE_SCORE = [
    *(
        (
            function,
            {"y_true": as_labels([[0, INF, 2], [1, NAN, 0]])},
            "y_true",
            "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 0, "
            "instead. Use `where` to leave out the items that take no part. Do not leave out "
            "items that were ranked but not judged: give them the label 0, and see "
            '"Unjudged documents" in the guide.',
        )
        for function in (judged_at_k_score, bpref_score)
        for as_labels in (np.array, scipy.sparse.csr_array)
    ),
    (all_relevant_at_k_score, {"k": None}, "k", f"{K} Got None instead."),
    (hit_rate_score, {"k": None}, "k", f"{K} Got None instead."),
    *(
        (f1_at_k_score, {"beta": beta}, "beta", f"{BETA} Got {beta!r} instead.")
        for beta in (-1, -1e-300, -INF, NAN, "1", None, True, [1.0])
    ),
    (f1_at_k_score, {"beta": 10**400}, "beta", f"{BETA} Got a number beyond float64 instead."),
    *(
        (
            function,
            {"k": None},
            "k",
            f"{CUTOFF} if denominator='k'. Got None instead. For the whole list, use "
            "denominator='retrieved'. Among several scores, pass "
            f"`partial({function.__name__}, denominator='retrieved')`.",
        )
        for function in (precision_at_k_score, judged_at_k_score)
    ),
    *(
        (
            function,
            {"denominator": denominator},
            "denominator",
            f"must be {options}. Got {denominator!r} instead.",
        )
        for function, options in DENOMINATOR.items()
        for denominator in ("K", None, 1, ["k"])
    ),
    *(
        (
            alpha_ndcg_score,
            {"alpha": alpha},
            "alpha",
            f"must be a number from 0 to 1. Got {alpha!r} instead.",
        )
        for alpha in (-0.1, 1.5, NAN, INF, "0.5", None, True)
    ),
    *(
        (
            rank_biased_precision_score,
            {"persistence": persistence},
            "persistence",
            f"must be a number greater than 0 and less than 1. Got {persistence!r} instead.",
        )
        for persistence in (0, 1, 1.5, -0.1, NAN, INF, "0.8", None, True)
    ),
    *(
        (
            expected_reciprocal_rank_score,
            {"max_grade": max_grade},
            "max_grade",
            f"must be an int from 1 to 1000. Got {max_grade!r} instead.",
        )
        for max_grade in (0, -1, 2.0, None, True, "4", 1001, 10**30)
    ),
    *(
        (
            expected_reciprocal_rank_score,
            {"y_true": [[0, 1, 2], [0, label, 1]]},
            "y_true",
            f"{GRADES} Got the label {got} in query 1 instead. {SWAPPED}",
        )
        for label, got in ((3, "3"), (-1, "-1"), (0.5, "0.5"), (1e308, "1e+308"))
    ),
    (
        expected_reciprocal_rank_score,
        {"y_true": scipy.sparse.csr_array([[0, 1, 2], [3, 0, 0]]), "y_score": RETRIEVED},
        "y_true",
        f"{GRADES} Got the label 3 in query 1 instead. {SWAPPED}",
    ),
    (
        expected_reciprocal_rank_score,
        {**ROWS, "y_true": [0, 1, 2, 5], "qid": ["b", "b", "a", "a"], "relevance_threshold": 1},
        "y_true",
        f"{GRADES} Got the label 5 in the query with qid 'a' instead. {SWAPPED}",
    ),
    *(
        (
            function,
            {"y_score": RETRIEVED},
            "y_score",
            "must be dense. Got a sparse csr_array instead. "
            "Items that were not retrieved are neither above nor below the other items.",
        )
        for function in (grouped_auc_score, pairwise_accuracy_score)
    ),
]

# The functions, and what they need besides the data.
SCORES = {score: defined.needed(score, max_grade=2) for score in defined.SCORES.values()}
WITHOUT = {score: defined.PARAMETERS - {*defined.parameters_of(score)} for score in SCORES}
"""The parameters that a score lacks and others have."""
OF_GAINS = [score for score in SCORES if defined.takes(score, "gain")]
WITHOUT_RETRIEVED = {row.func for row in OF_LAWS.values() if not row.takes_retrieved}
K_HOLDS_NO_NONE = {row.func for row in OF_LAWS.values() if not row.is_k_optional}
TELL_JUDGED = {judged_at_k_score, bpref_score}
"""The scores to which a label that is NaN is unknown."""


def concerns(function, arguments, parameter, text):
    """Whether a row of the table for all scores is about this one."""
    if function in TELL_JUDGED and parameter == "y_true" and "NaN or infinity" in text:
        return False
    is_sparse = scipy.sparse.issparse(arguments.get("y_score"))
    return not (WITHOUT[function] & set(arguments)) and not (
        is_sparse and function in WITHOUT_RETRIEVED
    )


SCORE_ERRORS = [
    *((function, *row) for row in ALL for function in SCORES if concerns(function, *row)),
    *((function, *row) for row in CUMULATIVE for function in OF_GAINS if concerns(function, *row)),
    *((dcg_score, *row) for row in DCG_ONLY),
    *((f, *row) for row in CAN_BE_UNDEFINED for f in SCORES if not defined.is_always_defined(f)),
    *((ndcg_score, *row) for row in NDCG_ONLY),
    *((average_relevant_position, *row) for row in POSITION_ONLY),
    *OF_ONE_SCORE,
]


@pytest.mark.parametrize(("function", "arguments", "parameter", "text"), SCORE_ERRORS)
def test_scores_refuse_by_name(function, arguments, parameter, text):
    defaults = {"y_true": Y_TRUE, "y_score": Y_SCORE} | SCORES[function]
    if function in K_HOLDS_NO_NONE:
        text = text.replace("None, an int", "an int")
    with pytest.raises((ValueError, TypeError)) as caught:
        function(**defaults | arguments)
    check(caught.value, function.__name__, parameter, text)


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQfdg")
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_the_cure_for_a_sparse_mask_leaves_out_what_it_stores(form, dtype):
    seen = scipy.sparse.csr_array(np.array([[1, 0, 0], [0, 0, 1]], dtype=dtype)).asformat(form)
    y_true, y_score = [[1, 1, 0], [1, 0, 1]], [[3, 1, 2], [2, 1, 3]]
    with pytest.raises(ValueError, match="'where' parameter") as raised:
        hit_rate_score(y_true, y_score, k=1, where=seen)
    of_unseen, of_seen = re.findall("`(.*?)`", str(raised.value))
    for code, expected in ((of_unseen, [0, 1]), (of_seen, [1, 1])):
        where = eval(code, {"where": seen})
        hit_rate = hit_rate_score(y_true, y_score, k=1, where=where, average=None)
        assert hit_rate.tolist() == expected


@pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp == np.finfo(np.float64).maxexp,
    reason="long double is double on this platform",
)
def test_a_long_double_label_that_overflows_is_shown_as_it_is():
    labels = np.array([[np.finfo(np.longdouble).max, 0]])
    with pytest.raises(ValueError, match=r"Got the gain inf for the label 1.*e\+4932 in query 0"):
        dcg_score(labels, [[1, 2]])


@pytest.mark.parametrize("function", [dcg_score, ndcg_score])
@pytest.mark.parametrize("is_bad", [False, True])
def test_the_arrays_of_the_caller_stay_as_they_are(function, is_bad):
    def spoil_own_copy(values):
        values += 1
        return values

    y_true = np.array([[0.0, 1, 2], [1, 0, 0]])
    y_score = np.array([[0.3, 0.3, 0.1], [0.1, NAN if is_bad else 0.2, 0.3]])
    weight = np.array([1.0, 2])
    for array in (y_true, y_score, weight):
        array.flags.writeable = False
    copies = y_true.copy(), y_score.copy(), weight.copy()
    for params in ({}, {"gain": spoil_own_copy, "discount": spoil_own_copy, "k": [1, 5]}):
        if is_bad:
            with pytest.raises(ValueError, match="must be finite"):
                function(y_true, y_score, sample_weight=weight, **params)
        else:
            function(y_true, y_score, sample_weight=weight, **params)
    np.testing.assert_array_equal((y_true, y_score), copies[:2])
    np.testing.assert_array_equal(weight, copies[2])
