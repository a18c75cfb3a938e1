"""Bad input is refused by name: one table of (what is bad, function, the exact message)."""

from __future__ import annotations

import pickle
import re
from decimal import Decimal
from functools import partial

import defined
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sklearn.metrics
from laws import SCORES as OF_LAWS
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from ranking_scores import (
    StreamingScore,
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
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    qid_from_sizes,
    rank_biased_precision_score,
    ranking_report,
    recall_at_k_score,
    retrieved_from_ids,
    sizes_from_qid,
)
from ranking_scores._metrics._named import SCORES as NAMED
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.rankers import QueryRanker
from ranking_scores.streaming import whole_queries
from ranking_scores.trec import read_qrels, read_run, write_run

Y_TRUE = [[0, 1, 2], [1, 0, 0]]
Y_SCORE = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
ROWS = {"y_true": [0, 1, 2, 1], "y_score": [0.1, 0.2, 0.3, 0.4]}
QID = [1, 1, 2, 2]
RETRIEVED = scipy.sparse.csr_array([[0.3, 0, 0.1], [0, 0, 0.3]])
NAN, INF = np.nan, np.inf

K = "must be None, an int of at least 1 or a list of these."
REAL_ARRAY = "must be an array of bools, ints or floats."
GAIN = "must be 'linear', 'exponential', a 1-D table of gains or a callable."
ONE_REAL_EACH = "must be a function that returns one real number for each of the"
DROP = "Drop the rows of items that take no part."
LEAVE_OUT = "Use `where` to leave out the items that take no part."
NOT_JUDGED = (
    "Do not leave out items that were ranked but not judged: give them the label 0, and see "
    '"Unjudged documents" in the guide.'
)
NOT_RETRIEVED = (
    "Do not leave out items that were judged but not retrieved: the ideal needs them, too."
)
OF_LABELS = f"{LEAVE_OUT} {NOT_JUDGED}"
OF_SCORES = (
    f"{LEAVE_OUT} {NOT_RETRIEVED} A sparse y_score stores only the items that were retrieved."
)
OF_ROWS_OF_LABELS = (
    f"{DROP} {NOT_JUDGED} In pandas: `.fillna(0)`. `ranking_scores.tables.from_table` reads a "
    "joined table as it is."
)
OF_ROWS_OF_SCORES = (
    f"{DROP} {NOT_RETRIEVED} `ranking_scores.tables.from_table` accepts null as the score of such "
    f"items."
)
NO_QID = (
    "must be 2-D, one query per row, unless `qid` says which query each row belongs to. "
    "Got shape {shape} without `qid` instead. "
    "For one query pass `[y_true], [y_score]`, or `np.asarray(y_true)[None, :]` and "
    "`np.asarray(y_score)[None, :]` for arrays. For several queries pass `qid`."
)
AVERAGE = "'samples' gives the mean over the queries, and None gives one value per query."
AS_FLOAT = "If it holds numbers, use `np.asarray({}).astype(float)`."
SWAPPED = "Are y_true and y_score swapped?"
NEGATIVE = (
    "Replace negative labels by 0 if they gain nothing, or use `where=y_true >= 0` if they "
    f"mark items to leave out (with `qid`, drop their rows). {SWAPPED}"
)
ONE_NUMBER = "must be such that the score is one number."
ROUTED = "must be left to metadata routing, since it has one value per row of the data."
OURS = "must be a score of ranking_scores, or the name of one."
NAMES = f"must be one of {', '.join(NAMED)}, alone or as in 'ndcg@10'."
IDS = "must be of shape (n_queries, n_retrieved)."

# All scores: the arguments that differ from Y_TRUE and Y_SCORE, the parameter, the message.
ALL = [
    # k
    ({"k": 0}, "k", f"{K} Got 0 instead."),
    ({"k": -1}, "k", f"{K} Got -1 instead."),
    ({"k": 1.5}, "k", f"{K} Got 1.5 instead."),
    ({"k": 2.0}, "k", f"{K} Got 2.0 instead."),
    ({"k": True}, "k", f"{K} Got True instead."),
    ({"k": np.True_}, "k", f"{K} Got np.True_ instead."),
    ({"k": "10"}, "k", f"{K} Got '10' instead."),
    ({"k": []}, "k", f"{K} Got [] instead."),
    ({"k": [1, 0]}, "k", f"{K} Got 0 instead."),
    ({"k": [1, True]}, "k", f"{K} Got True instead."),
    ({"k": [[1, 2]]}, "k", f"{K} Got [[1, 2]] instead."),
    ({"k": [[1], [2, 3]]}, "k", f"{K} Got [1] instead."),
    (
        {"k": np.ones((2, 2), int)},
        "k",
        f"{K} Got an array of shape (2, 2) and dtype int64 instead.",
    ),
    ({"k": [np.ones(2), np.ones((2, 2))]}, "k", f"{K} Got a list instead."),
    ({"k": {3}}, "k", f"{K} Got {{3}} instead."),
    ({"k": np.array([1.0, 2.0])}, "k", f"{K} Got 1.0 instead."),
    (
        {"k": np.ma.masked_array([1, 2], [1, 0])},
        "k",
        f"{K} Got an array of shape (2,) and dtype int64 instead.",
    ),
    # names and numbers
    *(
        (
            {"average": each},
            "average",
            f"must be 'samples' or None. Got {each!r} instead. {AVERAGE}",
        )
        for each in ("macro", ["samples"], False)
    ),
    ({"ignore_ties": 1}, "ignore_ties", "must be True or False. Got 1 instead."),
    ({"ignore_ties": None}, "ignore_ties", "must be True or False. Got None instead."),
    (
        {"relevance_threshold": "1"},
        "relevance_threshold",
        "must be None or a number that is not NaN. Got '1' instead.",
    ),
    (
        {"relevance_threshold": 10**400},
        "relevance_threshold",
        "must be None or a number that is not NaN. Got a number beyond float64 instead.",
    ),
    (
        {"relevance_threshold": NAN},
        "relevance_threshold",
        "must be None or a number that is not NaN. Got nan instead.",
    ),
    (
        {"relevance_threshold": True},
        "relevance_threshold",
        "must be None or a number that is not NaN. Got True instead.",
    ),
    # weights
    (
        {"sample_weight": [1]},
        "sample_weight",
        "must be of shape (2,), one weight per query. Got shape (1,) instead.",
    ),
    (
        {"sample_weight": [[1], [1]]},
        "sample_weight",
        "must be 1-D. Got shape (2, 1) instead. Use `np.asarray(sample_weight)[..., 0]`.",
    ),
    ({"sample_weight": 2.0}, "sample_weight", "must be 1-D. Got shape () instead."),
    (
        {"sample_weight": [1, -1]},
        "sample_weight",
        "must be finite and not negative. Got -1.0 at position 1 instead.",
    ),
    (
        {"sample_weight": [NAN, 1]},
        "sample_weight",
        "must be finite and not negative. Got nan at position 0 instead.",
    ),
    (
        {"sample_weight": [INF, 1]},
        "sample_weight",
        "must be finite and not negative. Got inf at position 0 instead.",
    ),
    (
        {"sample_weight": [0, 0]},
        "sample_weight",
        "must be positive for at least one query. Got only zeros instead.",
    ),
    (
        {"sample_weight": [0, 0], "average": None},
        "sample_weight",
        "must be positive for at least one query. Got only zeros instead.",
    ),
    (
        {"sample_weight": ["a", "b"]},
        "sample_weight",
        f"{REAL_ARRAY} Got dtype <U1 instead. {AS_FLOAT.format('sample_weight')}",
    ),
    ({"sample_weight": [1, 1j]}, "sample_weight", f"{REAL_ARRAY} Got dtype complex128 instead."),
    # arrays
    (ROWS, "y_true", NO_QID.format(shape=(4,))),
    (ROWS | {"y_score": [[1], [2], [3], [4]]}, "y_true", NO_QID.format(shape=(4,))),
    ({"y_true": [], "y_score": []}, "y_true", NO_QID.format(shape=(0,))),
    (
        {"y_true": 1, "y_score": 1},
        "y_true",
        "must be of shape (n_queries, n_items), with at least one query. Got shape () instead.",
    ),
    (
        {"y_true": [[]], "y_score": [[1]]},
        "y_score",
        "must be of the shape of y_true, (1, 0). Got shape (1, 1) instead.",
    ),
    (
        {"y_true": np.empty((0, 3)), "y_score": np.empty((0, 3))},
        "y_true",
        "must be of shape (n_queries, n_items), with at least one query. "
        "Got shape (0, 3) instead.",
    ),
    (
        {"y_true": [[[1]]], "y_score": [[[1]]]},
        "y_true",
        "must be of shape (n_queries, n_items), with at least one query. "
        "Got shape (1, 1, 1) instead. Use `np.asarray(y_true)[..., 0]`.",
    ),
    (
        {"y_score": [[1, 2, 3]]},
        "y_score",
        "must be of the shape of y_true, (2, 3). Got shape (1, 3) instead.",
    ),
    (
        {"y_score": [1, 2]},
        "y_score",
        f"must be of the shape of y_true, (2, 3). Got shape (2,) instead. {SWAPPED}",
    ),
    (
        {"y_score": [1, 2, 3]},
        "y_score",
        "must be of the shape of y_true, (2, 3). Got shape (3,) instead.",
    ),
    *(
        (
            {name: np.ones((2, 3, 1), bool)},
            name,
            f"must be {expected}. Got shape (2, 3, 1) instead. Use `np.asarray({name})[..., 0]`.",
        )
        for name, expected in (
            ("y_true", "of shape (n_queries, n_items), with at least one query"),
            ("y_score", "of the shape of y_true, (2, 3)"),
            ("where", "of the shape of y_score, (2, 3)"),
        )
    ),
    (
        {"y_true": np.ones((2, 3, 2))},
        "y_score",
        "must be of shape (2, 2), since y_true has the shape (2, 3, 2). Got shape (2, 3) instead.",
    ),
    (
        {"y_score": [[1, 2], [1]]},
        "y_score",
        "must be array-like. Got [[1, 2], [1]] instead. "
        "Pass queries of different lengths as rows with `qid`, or as list columns of pyarrow or "
        "polars.",
    ),
    *(
        ({name: values}, name, f"{REAL_ARRAY} Got {got} instead. {AS_FLOAT.format(name)}")
        for name in ("y_true", "y_score")
        for values, got in (
            ([["1", "2.5", "c"]] * 2, "dtype <U3"),
            (np.array([["1", "2"]], "S1"), "dtype |S1"),
            (np.array([["1", "2"]], np.dtypes.StringDType()), "dtype StringDType()"),
            (np.array(Y_SCORE, object), "dtype object"),
            ([[1, 2, None], [1, 2, 3]], "dtype object with None at position 0, 2"),
            ([[1, 2], [1, Decimal("0.5")]], "dtype object with Decimal('0.5') at position 1, 1"),
            (pd.DataFrame({"a": ["x"]}, dtype=object), "dtype object with 'x' at position 0, 0"),
        )
    ),
    ({"y_true": None}, "y_true", f"{REAL_ARRAY} Got None instead."),
    (
        {"y_score": None},
        "y_score",
        "must be given, unless y_true is what `from_tables` or `from_table` returned. "
        "Got None instead.",
    ),
    *(
        (
            {name: {1: 2}},
            name,
            f"{REAL_ARRAY} Got {{1: 2}} instead. `ranking_scores.trec.from_pytrec_eval` makes "
            "arrays from dicts.",
        )
        for name in ("y_true", "y_score")
    ),
    (
        {"y_true": np.array([[2**63, 2**63 + 1]], object)},
        "y_true",
        f"{REAL_ARRAY} Got dtype object instead. If it holds numbers, use "
        "`np.asarray(y_true).astype(int)`.",
    ),
    (
        {"y_true": [[1], [0]], "y_score": [1, 2]},
        "y_score",
        "must be of the shape of y_true, (2, 1). Got shape (2,) instead. For one item per row, "
        "use `np.asarray(y_true)[..., 0]` and pass `qid`.",
    ),
    ({"y_score": np.zeros(0, object)}, "y_score", f"{REAL_ARRAY} Got dtype object instead."),
    (
        {"y_score": pd.Series([[1, 2], [1]])},
        "y_score",
        f"{REAL_ARRAY} Got dtype object with [1, 2] at position 0 instead. Pass queries of "
        f"different lengths as rows with `qid`, or as list columns of pyarrow or polars.",
    ),
    ({"y_true": [[1j] * 3] * 2}, "y_true", f"{REAL_ARRAY} Got dtype complex128 instead."),
    (
        {"y_true": scipy.sparse.csr_array(Y_TRUE), "qid": [1, 2]},
        "y_true",
        "must be dense. Got a sparse csr_array instead. Use .toarray().",
    ),
    (
        {"y_true": scipy.sparse.csr_array(Y_TRUE)[:, :2]},
        "y_score",
        "must be of the shape of y_true, (2, 2). Got shape (2, 3) instead.",
    ),
    (
        {"y_true": scipy.sparse.csc_array([[0, 0, NAN], [INF, 1, NAN]])},
        "y_true",
        "must be finite. Got NaN or infinity in 2 of 2 queries, the first of them query 0, "
        f"instead. {OF_LABELS}",
    ),
    (
        {"y_true": scipy.sparse.csr_array([[0, 1j, 0]] * 2)},
        "y_true",
        f"{REAL_ARRAY} Got dtype complex128 instead.",
    ),
    (
        {"y_true": np.ma.masked_array(Y_TRUE, mask=[[1, 0, 0], [0, 0, 0]])},
        "y_true",
        "must be an array without masked elements. Got 1 masked element instead. "
        "Leave these items out with `where`, or drop their rows if `qid` is given.",
    ),
    (
        {"y_true": np.ma.masked_array(Y_TRUE, mask=[[1, 0, 0], [0, 1, 0]])},
        "y_true",
        "must be an array without masked elements. Got 2 masked elements instead. "
        "Leave these items out with `where`, or drop their rows if `qid` is given.",
    ),
    (
        {"y_score": [[1, 2, 3], [NAN, 1, INF]]},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
        f"instead. {OF_SCORES}",
    ),
    (
        {"y_score": [[1, 2, -INF], [NAN, 1, 1]]},
        "y_score",
        "must be finite. Got NaN or infinity in 2 of 2 queries, the first of them query 0, "
        f"instead. {OF_SCORES}",
    ),
    (
        {"y_score": [[1, 2, 3], [-INF, 1, 1]]},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
        f"instead. {OF_SCORES}",
    ),
    (
        {"y_true": [[0, 1, NAN], [0, 1, 1]]},
        "y_true",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 0, "
        f"instead. {OF_LABELS}",
    ),
    # where
    (
        {"where": scipy.sparse.csr_matrix(Y_TRUE)},
        "where",
        "must be a dense array of bools, True where an item takes part. Got a sparse csr_matrix "
        "instead. If it stores the items to leave out, such as those that a user has seen, use "
        "`where.toarray() == 0`. If it stores the items to keep, use `where.toarray() != 0`.",
    ),
    (
        {"where": np.ones((2, 3))},
        "where",
        "must be an array of bools, True where an item takes part. Got dtype float64 instead. "
        "Use `np.asarray(where) != 0` if it is 0 for the items to leave out, or "
        "`np.asarray(where) == 0` if it is 0 for the items to keep.",
    ),
    (
        {"where": [[0, 1, 1]] * 2},
        "where",
        "must be an array of bools, True where an item takes part. Got dtype int64 instead. "
        "Use `np.asarray(where) != 0` if it is 0 for the items to leave out, or "
        "`np.asarray(where) == 0` if it is 0 for the items to keep.",
    ),
    (
        {"where": [True, False, True]},
        "where",
        "must be of the shape of y_score, (2, 3). Got shape (3,) instead.",
    ),
    (
        {**ROWS, "qid": QID, "where": [True] * 4},
        "where",
        "must be None if `qid` is given. Got [True, True, True, True] instead. "
        "Drop the rows instead: `y_true[where]`, `y_score[where]`, `qid[where]`.",
    ),
    (
        {
            "where": [[True, True, True], [False, True, True]],
            "y_score": [[1, 2, NAN], [NAN, 1, 1]],
        },
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 0, "
        f"instead. {OF_SCORES}",
    ),
    (
        {"where": [[False] * 3, [False, True, True]], "y_true": [[NAN, 1, 1], [0, 1, NAN]]},
        "y_true",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
        f"instead. {OF_LABELS}",
    ),
    # the retrieved layout
    (
        {"y_score": RETRIEVED, "where": np.ones((2, 3), bool)},
        "where",
        "must be None if y_score is sparse. "
        "Got an array of shape (2, 3) and dtype bool instead. "
        "Store no score for the items that take no part, and give them the label 0.",
    ),
    (
        {"y_score": RETRIEVED, "qid": [1, 2]},
        "qid",
        "must be None if y_score is sparse. Got [1, 2] instead. "
        "Store the scores of each query in a row, or pass 1-D scores with `qid`.",
    ),
    (
        {"y_score": RETRIEVED, "y_true": [0, 1], "labels": [0, 1, 2]},
        "labels",
        "must be None if y_score is sparse. Got [0, 1, 2] instead. "
        "Pass a dense y_score with one column per class.",
    ),
    *(
        (
            {"y_score": RETRIEVED, "y_true": y_true},
            "y_true",
            "must be 2-D with one query per row if y_score is sparse. Got shape (2,) instead. "
            "With class labels y_score must be dense: use `y_score.toarray()`.",
        )
        for y_true in ([0, 1], ["a", "b"])
    ),
    (
        {"y_score": RETRIEVED, "y_true": [[0, 1], [1, 0]]},
        "y_score",
        "must be of the shape of y_true, (2, 2). Got shape (2, 3) instead.",
    ),
    (
        {"y_score": RETRIEVED[:1]},
        "y_score",
        "must be of the shape of y_true, (2, 3). Got shape (1, 3) instead.",
    ),
    (
        {"y_score": scipy.sparse.csr_array((0, 3)), "y_true": scipy.sparse.csr_array((0, 3))},
        "y_true",
        "must be of shape (n_queries, n_items), with at least one query. "
        "Got shape (0, 3) instead.",
    ),
    (
        {"y_score": scipy.sparse.coo_array([1.0, 2.0, 3.0])},
        "y_score",
        "must be 2-D if it is sparse. Got shape (3,) instead.",
    ),
    *(
        (
            {"y_score": RETRIEVED.asformat(name)},
            "y_score",
            f"must be in the format CSR, CSC, COO, LIL or DOK. Got a sparse {name}_array instead. "
            "Other formats lose stored zeros or add some.",
        )
        for name in ("dia", "bsr")
    ),
    (
        {"y_score": RETRIEVED * 1j},
        "y_score",
        f"{REAL_ARRAY} Got dtype complex128 instead.",
    ),
    *(
        (
            {"y_score": scipy.sparse.csr_array(([1.0, 2, 3], [0, index, 1], [0, 2, 3]), (2, 3))},
            "y_score",
            f"must be a matrix whose indices are from 0 to 2. Got {index} instead.{advice}",
        )
        for index, advice in (
            (-1, " Use `retrieved_from_ids` for ids that are padded with -1."),
            (-2, ""),
            (3, ""),
        )
    ),
    *(
        (
            {"y_true": matrix(([1.0, 2, 3], [0, index, 1], start), (2, 3))},
            "y_true",
            f"must be a matrix whose indices are from 0 to {highest}. Got {index} instead.",
        )
        for matrix, start, highest in (
            (scipy.sparse.csr_array, [0, 2, 3], 2),
            (scipy.sparse.csc_matrix, [0, 2, 3, 3], 1),
        )
        for index in (-3, 7)
    ),
    *(
        (
            {"y_true": scipy.sparse.coo_array([1, 0, 2]), "y_score": y_score},
            "y_true",
            "must be 2-D if it is sparse. Got shape (3,) instead.",
        )
        for y_score in (RETRIEVED, Y_SCORE)
    ),
    *(
        (
            {"y_score": twice},
            "y_score",
            "must be a matrix that stores each item once. "
            "Got item 2 more than once in query 1 instead.",
        )
        for twice in (
            scipy.sparse.coo_array(([1, 3, 3, 3], ([0, 1, 1, 1], [1, 2, 0, 2])), (2, 3)),
            scipy.sparse.csr_matrix(([1, 3, 3, 3], [1, 2, 0, 2], [0, 1, 4]), (2, 3)),
            scipy.sparse.csc_array(([1, 3, 3], [0, 1, 1], [0, 0, 1, 3]), (2, 3)),
        )
    ),
    (
        {"y_score": scipy.sparse.csr_array([[0, NAN, 0], [INF, NAN, 0]])},
        "y_score",
        "must be finite. Got NaN or infinity in 2 of 2 queries, the first of them query 0, "
        "instead. Do not store such items.",
    ),
    *(
        (
            {"y_score": RETRIEVED, "y_true": as_labels([[0, 1, 1], [NAN, 0, NAN]])},
            "y_true",
            "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
            "instead. Give items that were not judged the label 0, or do not store their labels, "
            'and see "Unjudged documents" in the guide.',
        )
        for as_labels in (np.array, scipy.sparse.csr_array)
    ),
    (
        {"y_score": RETRIEVED, "y_true": scipy.sparse.csr_array([[0, 1j, 0]] * 2)},
        "y_true",
        f"{REAL_ARRAY} Got dtype complex128 instead.",
    ),
    (
        {"y_score": RETRIEVED, "sample_weight": [1, 2, 3]},
        "sample_weight",
        "must be of shape (2,), one weight per query. Got shape (3,) instead.",
    ),
    # the ragged layout
    (
        {"qid": [1, 2]},
        "y_true",
        "must be 1-D and not empty if `qid` is given. Got shape (2, 3) instead. "
        "Without `qid`, each row of a 2-D array is a query.",
    ),
    (
        {"y_true": [], "y_score": [], "qid": []},
        "y_true",
        "must be 1-D and not empty if `qid` is given. Got shape (0,) instead.",
    ),
    (
        {**ROWS, "qid": [1, 2]},
        "qid",
        "must be of the shape of y_true, (4,). Got shape (2,) instead.",
    ),
    (
        {**ROWS, "qid": [QID]},
        "qid",
        "must be 1-D. Got shape (1, 4) instead.",
    ),
    (
        {**ROWS, "qid": QID, "y_score": [1, 2, 3]},
        "y_score",
        "must be of the shape of y_true, (4,), if `qid` is given. Got shape (3,) instead.",
    ),
    (
        {**ROWS, "qid": QID, "y_score": [[1, 2]] * 4},
        "y_score",
        "must be of the shape of y_true, (4,), if `qid` is given. Got shape (4, 2) instead. "
        "Take one score per row, such as the column `y_score[:, 1]` of the probabilities of two "
        "classes.",
    ),
    (
        {**ROWS, "qid": QID, "y_score": [[1, 2, 3]] * 4},
        "y_score",
        "must be of the shape of y_true, (4,), if `qid` is given. Got shape (4, 3) instead. "
        "Take one score per row, such as the column `y_score[:, 1]`. For a classifier of several "
        "grades, use response_method='predict'.",
    ),
    (
        {**ROWS, "qid": QID, "sample_weight": [1, 2]},
        "sample_weight",
        "must be of the shape of y_true, (4,), if `qid` is given. Got shape (2,) instead.",
    ),
    (
        {**ROWS, "qid": QID, "sample_weight": [1, 1, 2, 3]},
        "sample_weight",
        "must be the same for all rows of a query. "
        "Got 2.0 and 3.0 in the query with qid 2 instead.",
    ),
    (
        {**ROWS, "qid": ["b", "a", "b", "a"], "sample_weight": [1, 2, 3, 2]},
        "sample_weight",
        "must be the same for all rows of a query. "
        "Got 3.0 and 1.0 in the query with qid 'b' instead.",
    ),
    (
        {**ROWS, "qid": [1, "a", 2, 2]},
        "qid",
        "must be of one sortable type. Got an array of shape (4,) and dtype object instead. "
        "'<' not supported between instances of 'str' and 'int'.",
    ),
    (
        {**ROWS, "qid": pd.array([1, None, 2, 2], dtype="string")},
        "qid",
        "must be without missing values. Got <NA> at position 1 instead. Drop the rows without an "
        "id, or give them one.",
    ),
    *(
        (
            {**ROWS, "qid": qid},
            "qid",
            f"must be without missing values. Got {missing} instead. Drop the rows without an id, "
            "or give them one.",
        )
        for qid, missing in (
            ([1, None, 2, 2], "None at position 1"),
            ([None] * 4, "None at position 0"),
            ([1, 2, 2, NAN], "nan at position 3"),
            (["a", "b", NAN, NAN], "nan at position 2"),
            (np.array(["2020", "NaT", "2020", "2020"], dtype="M8[Y]"), "NaT at position 1"),
            (
                np.array(["a", NAN, "b", "b"], dtype=np.dtypes.StringDType(na_object=NAN)),
                "nan at position 1",
            ),
            (
                np.array(["a", None, "b", "b"], dtype=np.dtypes.StringDType(na_object=None)),
                "None at position 1",
            ),
            (pl.Series([1, None, 2, 2]), "nan at position 1"),
        )
    ),
    ({**ROWS, "qid": 5}, "qid", "must be 1-D. Got 5 instead."),
    (
        {**ROWS, "qid": [[1], [1], [2], [2]]},
        "qid",
        "must be 1-D. Got shape (4, 1) instead. Use `np.asarray(qid)[..., 0]`.",
    ),
    (
        {**ROWS, "qid": [("a", "x"), ("a", "x"), ("a", "y"), ("b", "x")]},
        "qid",
        "must be 1-D. Got shape (4, 2) instead. Make one id from the values in each row: "
        "`np.unique(qid, axis=0, return_inverse=True)[1].ravel()`.",
    ),
    (
        {**ROWS, "qid": pd.DataFrame({"a": ["x"] * 4, "b": [1, 1, 2, 2]})},
        "qid",
        "must be 1-D. Got shape (4, 2) instead. Make one id from the values in each row: "
        "`qid.groupby(list(qid)).ngroup()`.",
    ),
    (
        {**ROWS, "qid": [(1, 2.0), (1, 2.0), (1, NAN), (1, NAN)]},
        "qid",
        "must be 1-D. Got shape (4, 2) instead. Make one id from the values in each row: "
        "`pandas.DataFrame(qid).groupby([0, 1]).ngroup()`.",
    ),
    *(
        (
            {**ROWS, "qid": ids},
            "qid",
            "must be of one sortable type. Got an array of shape (4,) and dtype object instead. "
            "Some values have no order, such as sets, or tuples with NaN.",
        )
        for ids in (
            pd.MultiIndex.from_arrays([["a"] * 4, [NAN, 1.0, NAN, 1.0]]),
            [frozenset("a"), frozenset("b"), frozenset("a"), frozenset("b")],
        )
    ),
    (
        {**ROWS, "qid": np.zeros(4, "i4,i4")},
        "qid",
        "must be of one sortable type. Got an array of shape (4,) and dtype [('f0', '<i4'), "
        "('f1', '<i4')] instead.",
    ),
    *(
        (
            {**ROWS, "qid": sizes},
            "qid",
            "must be of the shape of y_true, (4,). Got shape (2,) instead. To make ids from the "
            "sizes of queries, use `qid=ranking_scores.qid_from_sizes(qid)`.",
        )
        for sizes in ([3, 1], np.array([2, 2], "u1"))
    ),
    (
        {**ROWS, "qid": [3, 2]},
        "qid",
        "must be of the shape of y_true, (4,). Got shape (2,) instead.",
    ),
    (
        {**ROWS, "y_true": [[0], [1], [2], [1]], "qid": QID},
        "y_true",
        "must be 1-D and not empty if `qid` is given. Got shape (4, 1) instead. "
        "Use `np.asarray(y_true)[..., 0]`.",
    ),
    (
        {**ROWS, "qid": [1, [2], 3, 3]},
        "qid",
        "must be array-like. Got [1, [2], 3, 3] instead. "
        "Pass queries of different lengths as rows with `qid`, or as list columns of pyarrow or "
        "polars.",
    ),
    (
        {**ROWS, "y_score": [1, NAN, 3, 4], "qid": ["b", "b", "a", "c"]},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 3 queries, "
        f"the first of them the query with qid 'b', instead. {OF_ROWS_OF_SCORES}",
    ),
    (
        {**ROWS, "y_score": [1, INF, 3, 4], "qid": ["b", "b", "a", "c"]},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 3 queries, "
        f"the first of them the query with qid 'b', instead. {OF_ROWS_OF_SCORES}",
    ),
    (
        {**ROWS, "y_score": [1, 2, -INF, 4], "qid": ["b", "b", "a", "c"]},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 3 queries, "
        f"the first of them the query with qid 'a', instead. {OF_ROWS_OF_SCORES}",
    ),
    (
        {**ROWS, "y_true": [0, NAN, INF, 1], "qid": [2, 2, 1, 2]},
        "y_true",
        "must be finite. Got NaN or infinity in 2 of 2 queries, "
        f"the first of them the query with qid 1, instead. {OF_ROWS_OF_LABELS}",
    ),
]

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
        "with qid 'a' instead. " + NEGATIVE,
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

SCORER_ERRORS = [
    (
        {"k": [1, 2]},
        "k",
        f"{ONE_NUMBER} Got [1, 2] instead. Make one scorer per cutoff, and pass them as a dict "
        "`scoring=`.",
    ),
    (
        {"k": [1], "average": None},
        "k",
        f"{ONE_NUMBER} Got [1] instead. Make one scorer per cutoff, and pass them as a dict "
        "`scoring=`.",
    ),
    ({"average": None}, "average", f"{ONE_NUMBER} Got None instead."),
    (
        {"qid": QID},
        "qid",
        f"{ROUTED} Got [1, 1, 2, 2] instead. Call `.set_score_request(qid=True)` on the scorer "
        "and pass `qid` to the function that fits or validates. If the ids are a column of X, "
        "use `qid_from`.",
    ),
    (
        {"sample_weight": [1]},
        "sample_weight",
        f"{ROUTED} Got [1] instead. Call `.set_score_request(sample_weight=True)` on the scorer "
        "and pass `sample_weight` to the function that fits or validates.",
    ),
    (
        {"score": "ndgc"},
        "score",
        f"{NAMES} Got 'ndgc' instead. Did you mean 'ndcg' or 'dcg'?",
    ),
    ({"score": np.mean}, "score", f"{OURS} Got the function mean instead."),
    (
        {"score": sklearn.metrics.mean_squared_error},
        "score",
        f"{OURS} Got the function mean_squared_error instead.",
    ),
    (
        {"score": lambda y_true, y_score: ndcg_score(y_true, y_score)},
        "score",
        f"{OURS} Got the function <lambda> instead.",
    ),
    (
        {"score": partial(ndcg_score, qid=QID)},
        "qid",
        f"{ROUTED} Got [1, 1, 2, 2] instead. Call `.set_score_request(qid=True)` on the scorer "
        "and pass `qid` to the function that fits or validates. If the ids are a column of X, "
        "use `qid_from`.",
    ),
]

PER_ROW = "must be left to update, since it has one value per row of the data."

STREAM_ERRORS = [
    *(
        (
            {name: [1]},
            name,
            f"{PER_ROW} Got [1] instead. Pass `{name}` to `update`, with each batch.",
        )
        for name in ("qid", "sample_weight", "item_weight", "where")
    ),
    (
        {"scores": partial(ndcg_score, qid=None)},
        "qid",
        f"{PER_ROW} Got None instead. Pass `qid` to `update`, with each batch.",
    ),
    (
        {"average": None},
        "average",
        "must be 'samples', since a stream does not keep the values of single queries. Got None "
        "instead.",
    ),
    ({"check_qid": 1}, "check_qid", "must be True or False. Got 1 instead."),
    ({"scores": np.mean}, "scores", f"{OURS} Got the function mean instead."),
    (
        {"scores": "ndgc"},
        "scores",
        f"{NAMES} Got 'ndgc' instead. Did you mean 'ndcg' or 'dcg'?",
    ),
]


HELPER_ERRORS = [
    *(
        (
            {"n_items": n_items},
            "n_items",
            f"must be an int from 1 to 2**63 - 1. Got {n_items} instead.",
        )
        for n_items in (0, -1, 2.0, True, None, 2**63)
    ),
    (
        {"ids": [0, 1]},
        "ids",
        f"{IDS} Got shape (2,) instead. For one query pass `[ids]`, or `np.asarray(ids)[None, :]` "
        f"for an array.",
    ),
    (
        {"ids": [[[0]]]},
        "ids",
        f"{IDS} Got shape (1, 1, 1) instead. Use `np.asarray(ids)[..., 0]`.",
    ),
    (
        {"ids": [[0, 1], [2]]},
        "ids",
        "must be array-like. Got [[0, 1], [2]] instead. Pad the shorter rows with -1.",
    ),
    (
        {"ids": [[0, 1.0]]},
        "ids",
        "must be an array of ints: the column of each item, or -1 for no item. "
        "Got dtype float64 instead. "
        "Use -1 instead of NaN for places without an item, and then .astype(int).",
    ),
    *(
        (
            {"ids": ids},
            "ids",
            "must be an array of ints: the column of each item, or -1 for no item. "
            f"Got dtype {dtype} instead. Number the items by their columns in y_true, from 0 on.",
        )
        for ids, dtype in (([["a", "b"]], "<U1"), ([[1, None]], "object"))
    ),
    (
        {"ids": pd.DataFrame([[0, NAN]])},
        "ids",
        "must be an array of ints: the column of each item, or -1 for no item. "
        "Got dtype float64 instead. "
        "Use -1 instead of NaN for places without an item, and then .astype(int).",
    ),
    (
        {"ids": [[0, 1], [1, 3]]},
        "ids",
        "must be an array of columns from 0 to 2, or -1 for no item. Got 3 in query 1 instead.",
    ),
    (
        {"ids": [[0, -2]]},
        "ids",
        "must be an array of columns from 0 to 2, or -1 for no item. Got -2 in query 0 instead.",
    ),
    (
        {"ids": np.array([[2**64 - 1]], dtype=np.uint64)},
        "ids",
        "must be an array of columns from 0 to 2, or -1 for no item. "
        "Got 18446744073709551615 in query 0 instead.",
    ),
    (
        {"ids": [[0, -1, -1], [2, 1, 2]]},
        "ids",
        "must be an array without repeated items in a row. "
        "Got item 2 more than once in query 1 instead. "
        "Keep the item at its best place, and use -1 for places without an item. Or pass "
        "duplicates='best', which does so, or duplicates='hold', which keeps the other places as "
        "those of items that are not relevant.",
    ),
    (
        {"ids": [[0, 1], [-1, -1], [-1, 2]]},
        "ids",
        "must be an array with -1 only after the items of a row, unless `scores` are given. "
        "Got -1 before item 2 at position 0 of query 2 instead. Move each -1 to the end of its "
        "row, or pass `scores`, which allow ids in any order.",
    ),
    (
        {"scores": [[1, 2, 3]]},
        "scores",
        "must be of the shape of ids, (1, 2). Got shape (1, 3) instead.",
    ),
    (
        {"scores": [[1, NAN]]},
        "scores",
        "must be finite for each item, or -inf if it was not retrieved. "
        "Got nan in query 0 instead.",
    ),
    (
        {"scores": np.array([[np.inf, -np.inf]])},
        "scores",
        "must be finite for each item, or -inf if it was not retrieved. "
        "Got inf in query 0 instead.",
    ),
    (
        {"scores": [["a", "b"]]},
        "scores",
        f"{REAL_ARRAY} Got dtype <U1 instead. {AS_FLOAT.format('scores')}",
    ),
]


LABELS_IN_LISTS, SCORES_IN_LISTS = pl.Series([[0, 1], [2]]), pl.Series([[0.1, 0.2], [3.0]])
IN_LISTS = {"y_true": LABELS_IN_LISTS, "y_score": SCORES_IN_LISTS}
TWICE_STORED = scipy.sparse.csr_array(
    (np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2)
)
OF_RUN = {
    "path": "no/such/folder/run",
    "y_score": scipy.sparse.csr_array([[1.0, 2.0]]),
    "query_ids": ["q"],
    "item_ids": ["a", "b"],
}
CLASSES = {"y_true": ["b", "c"], "y_score": [[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]], "k": 1}


def whole_queries_in_a_list(batches, qid):
    return list(whole_queries(batches, qid=qid))


whole_queries_in_a_list.__name__ = "whole_queries"

# Other calls: the function, all its arguments, the parameter, the message.
OTHER_ERRORS = [
    (
        ndcg_score,
        IN_LISTS | {"qid": [1, 2]},
        "qid",
        "must be None if the columns hold lists. Got [1, 2] instead. Each row is a query. "
        "Pass flat columns if `qid` gives the query of each row.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"labels": [0, 1]},
        "labels",
        "must be None if the columns hold lists. Got [0, 1] instead. Pass a dense y_score "
        "with one column per class.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"where": [[True]]},
        "where",
        "must be None if the columns hold lists. Got [[True]] instead. Filter the lists instead.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_score": [[1, 2]]},
        "y_score",
        "must be a column of lists, like y_true. Got [[1, 2]] instead.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_true": [[1, 2]]},
        "y_true",
        "must be a column of lists, like y_score. Got [[1, 2]] instead.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_true": pl.Series([[0], None])},
        "y_true",
        "must be without nulls. Got 1 null instead. Fill them, or drop them from the lists "
        "of both labels and scores.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_true": pl.Series([["a"]])},
        "y_true",
        "must be a column of lists of bools, ints or floats. Got List(String) instead.",
    ),
    (
        ndcg_score,
        {"y_true": LABELS_IN_LISTS[:0], "y_score": SCORES_IN_LISTS[:0]},
        "y_true",
        "must be a column with at least one row. Got an empty column instead.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_score": SCORES_IN_LISTS[:1]},
        "y_score",
        "must be a column of 2 lists, like y_true. Got 1 lists instead.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_score": pl.Series([[0.1, 0.2], []])},
        "y_score",
        "must be a column of lists as long as those of y_true. Got length 0, where y_true "
        "has length 1, in row 1 instead.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_score": pl.Series([[0.1, 0.2], [NAN]])},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
        "instead. Drop items that take no part from the lists of both labels and scores. Do "
        "not leave out items that were judged but not retrieved: the ideal needs them, too. "
        "A sparse y_score stores only the items that were retrieved.",
    ),
    (
        ndcg_score,
        IN_LISTS | {"y_true": pl.Series([[0.0, NAN], [1.0]])},
        "y_true",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 0, "
        "instead. Drop items that take no part from the lists of both labels and scores. Do "
        "not leave out items that were ranked but not judged: give them the label 0, and see "
        '"Unjudged documents" in the guide.',
    ),
    (
        hit_rate_score,
        CLASSES | {"labels": ["b", "a", "c"]},
        "labels",
        "must be unique and sorted. Got ['b', 'a', 'c'] instead.",
    ),
    (
        hit_rate_score,
        CLASSES | {"labels": ["a", "b"]},
        "labels",
        "must be an array of 3 classes, one per column of y_score. Got 2 classes instead.",
    ),
    (
        hit_rate_score,
        CLASSES | {"labels": ["a", "b", "d"]},
        "y_true",
        "must be an array of the classes in `labels`. Got 'c' in row 1 instead.",
    ),
    (
        hit_rate_score,
        CLASSES | {"labels": [0, 1, 2]},
        "labels",
        "must be of one sortable type. Got an array of shape (3,) and dtype object instead. "
        "'<' not supported between instances of 'int' and 'str'.",
    ),
    (
        hit_rate_score,
        CLASSES,
        "y_true",
        "must be an array of 3 classes, one per column of y_score. Got 2 classes instead. If "
        "y_true lacks some classes, pass all of them, sorted, as `labels`.",
    ),
    (
        hit_rate_score,
        CLASSES | {"y_true": [0, 1, 2], "y_score": [[3, 2, 1]]},
        "y_true",
        "must be 1-D with a class label for each row of y_score, and not empty. Got shape "
        "(3,) with y_score of shape (1, 3) instead. For one query pass "
        "`np.asarray(y_true)[None, :]`.",
    ),
    (
        hit_rate_score,
        CLASSES | {"y_true": [], "y_score": np.empty((0, 3))},
        "y_true",
        "must be 1-D with a class label for each row of y_score, and not empty. Got shape "
        "(0,) with y_score of shape (0, 3) instead.",
    ),
    (
        hit_rate_score,
        CLASSES | {"y_true": [[0, 1, 0]] * 2, "labels": [0, 1, 2]},
        "labels",
        "must be None unless y_true is 1-D, with one class label per row of a 2-D y_score. "
        "Got [0, 1, 2] with a 2-D y_true and y_score of shape (2, 3) instead.",
    ),
    (
        hit_rate_score,
        CLASSES | {"y_true": [0, 1], "y_score": [1, 2], "qid": [0, 0], "labels": [0, 1]},
        "labels",
        "must be None unless y_true is 1-D, with one class label per row of a 2-D y_score. "
        "Got [0, 1] with a 1-D y_true and y_score of shape (2,), and `qid` instead.",
    ),
    (
        hit_rate_score,
        CLASSES | {"y_score": [[1, 2, 3], [NAN, 1, 2]], "labels": ["a", "b", "c"]},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
        "instead. Use `where` to leave out the items that take no part.",
    ),
    (
        hit_rate_score,
        CLASSES | {"y_true": ["a", "b"], "y_score": pd.DataFrame(np.eye(2), columns=["b", "a"])},
        "y_score",
        "must be a frame with its columns in the order of the sorted classes. Got 'b' as "
        "column 0, where 'a' belongs, instead. Use "
        "`y_score.reindex(columns=np.unique(y_true))`, or pass `.to_numpy()` if classes and "
        "columns match by position.",
    ),
    (
        dcg_score,
        {"y_true": [0, 1], "y_score": np.eye(2), "item_weight": np.eye(2), "labels": [0, 1]},
        "item_weight",
        "must be None if y_true holds class labels. Got an array of shape (2, 2) and dtype "
        "float64 instead. Use sample_weight: each sample is a query.",
    ),
    (
        dcg_score,
        {"y_true": [1, 2], "y_score": [1, 2], "qid": [0, 1], "item_weight": [1]},
        "item_weight",
        "must be of the shape of y_true, (2,), if `qid` is given. Got shape (1,) instead.",
    ),
    (
        dcg_score,
        {"y_true": [[1, -1]], "y_score": [[2, 1]], "item_weight": [[1, 3]]},
        "item_weight",
        "must be None unless gain and weight times gain have a positive, finite sum in each "
        "query. Got the sums 0.0 and -2.0 in query 0 instead.",
    ),
    (
        ndcg_score,
        {"y_true": [[1]], "y_score": [[2]], "item_weight": [[1e200]], "sample_weight": [1e200]},
        "sample_weight",
        "must be small enough to be multiplied by the weights that the items give the "
        "queries. Got a product that overflows float64 instead.",
    ),
    (
        sizes_from_qid,
        {"qid": []},
        "qid",
        "must be 1-D and not empty. Got shape (0,) instead.",
    ),
    (
        sizes_from_qid,
        {"qid": [5, 5, 3, 5]},
        "qid",
        "must be grouped by query. Got other queries between rows 0 and 3 in the query with "
        "qid 5 instead. Sort all rows by query first: `order = np.argsort(np.asarray(qid), "
        "kind='stable')`, then take `X[order]`, `y[order]` and `qid[order]` for arrays, "
        "`np.asarray(qid)[order]` and so on for lists, or `X.iloc[order]` and so on for "
        "pandas.",
    ),
    (
        sizes_from_qid,
        {"qid": ["a", None]},
        "qid",
        "must be without missing values. Got None at position 1 instead. Drop the rows "
        "without an id, or give them one.",
    ),
    (
        qid_from_sizes,
        {"sizes": 3},
        "sizes",
        "must be 1-D and not empty, the number of rows of each query. Got 3 instead.",
    ),
    (
        qid_from_sizes,
        {"sizes": [[3], [2]]},
        "sizes",
        "must be 1-D and not empty, the number of rows of each query. Got shape (2, 1) "
        "instead. Use `np.asarray(sizes)[..., 0]`.",
    ),
    (
        qid_from_sizes,
        {"sizes": [3.0, 2.0]},
        "sizes",
        "must be ints, the number of rows of each query. Got dtype float64 instead. Use "
        "`np.asarray(sizes).astype(int)`.",
    ),
    (
        qid_from_sizes,
        {"sizes": [3.7, 1.2]},
        "sizes",
        "must be ints, the number of rows of each query. Got 3.7 at position 0 instead. If "
        "these are the ids of the queries, one per row, pass them as `qid`.",
    ),
    (
        qid_from_sizes,
        {"sizes": [True, True]},
        "sizes",
        "must be ints, the number of rows of each query. Got dtype bool instead. If these "
        "are the ids of the queries, one per row, pass them as `qid`.",
    ),
    (
        qid_from_sizes,
        {"sizes": [3, 0, 2]},
        "sizes",
        "must be ints of at least 1, the number of rows of each query. Got 0 at position 1 "
        "instead. If these are the ids of the queries, one per row, pass them as `qid`. To "
        "drop sizes of 0, use `sizes = np.asarray(sizes)` and `sizes[sizes > 0]`.",
    ),
    (
        qid_from_sizes,
        {"sizes": [0, -1]},
        "sizes",
        "must be ints of at least 1, the number of rows of each query. Got 0 at position 0 "
        "instead. If these are the ids of the queries, one per row, pass them as `qid`.",
    ),
    (
        qid_from_sizes,
        {"sizes": [2**62]},
        "sizes",
        "must be small enough that the ids of all rows fit in memory. Got "
        "4611686018427387904 rows instead. If these are the ids of the queries, one per row, "
        "pass them as `qid`.",
    ),
    (
        ranking_report,
        {"y_true": [[1]], "y_score": [[2]], "n_jobs": 0},
        "n_jobs",
        "must be None or an int other than 0. Got 0 instead. -1 uses all cores. None is 1, "
        "unless a `joblib.parallel_config` says otherwise.",
    ),
    (
        write_run,
        OF_RUN | {"tag": ""},
        "tag",
        "must be a non-empty str without blanks. Got '' instead.",
    ),
    (
        write_run,
        OF_RUN | {"query_ids": ["a b"]},
        "query_ids",
        "must be made of non-empty ids without blanks that UTF-8 can encode. Got 'a b' "
        "instead. Blanks separate the fields.",
    ),
    (
        write_run,
        OF_RUN | {"item_ids": ["a", "a"]},
        "item_ids",
        "must be unique as strings. Got 'a' more than once instead.",
    ),
    (
        write_run,
        OF_RUN | {"item_ids": ["a", None]},
        "item_ids",
        "must be without missing values. Got None at position 1 instead.",
    ),
    (
        write_run,
        OF_RUN | {"item_ids": ["a"]},
        "item_ids",
        "must be of shape (2,). Got shape (1,) instead.",
    ),
    (
        write_run,
        OF_RUN | {"query_ids": None},
        "query_ids",
        "must be of shape (1,), one name per query. Got shape () instead.",
    ),
    (
        write_run,
        OF_RUN | {"query_ids": [b"q"]},
        "query_ids",
        "must be made of strings, or of objects that `str` converts. Got bytes instead. "
        "Decode them: `np.char.decode(ids)`.",
    ),
    (
        write_run,
        OF_RUN | {"y_score": [1, 2]},
        "y_score",
        "must be of shape (n_queries, n_items). Got shape (2,) instead. For one query pass "
        "`[y_score]`.",
    ),
    (
        write_run,
        OF_RUN | {"y_score": [[[1, 2]]]},
        "y_score",
        "must be of shape (n_queries, n_items). Got shape (1, 1, 2) instead.",
    ),
    (
        write_run,
        OF_RUN | {"y_score": [[1, np.nan]]},
        "y_score",
        "must be finite. Got NaN or infinity in 1 of 1 queries, the first of them query 0, "
        "instead. Do not store such items.",
    ),
    (
        write_run,
        OF_RUN | {"y_score": [[1, 2**53]]},
        "y_score",
        "must be exact as float64, such as ints below 2**53. Got 9007199254740992 for "
        "document 'b' of query 'q' instead. `scipy.stats.rankdata(y_score, method='dense')` "
        "keeps their order.",
    ),
    (
        write_run,
        OF_RUN | {"y_score": TWICE_STORED},
        "y_score",
        "must be a matrix that stores each item once. Got item 1 more than once in query 0 "
        "instead.",
    ),
    (
        write_run,
        OF_RUN | {"y_score": pd.DataFrame([[1, 2]], columns=["b", "a"])},
        "item_ids",
        "must be in the order of the columns of y_score. Got 'a' at position 0, where y_score has "
        "'b', instead. Pass `y_score.columns`.",
    ),
    (
        write_run,
        OF_RUN | {"path": 3},
        "path",
        "must be a str or an os.PathLike. Got 3 instead.",
    ),
    (
        whole_queries_in_a_list,
        {"batches": [{"user": [1, 2, 1]}], "qid": "user"},
        "batches",
        "must be such that the rows of each query are together. Got the query with qid 1 again, "
        "after others, instead. Sort the rows by 'user' first. If a data loader shuffles them, "
        "pass shuffle=False to it. If every query comes whole and only once, pass "
        "check_qid=False. With check_qid=True, StreamingScore still finds a query that comes "
        "back, since it keeps all ids.",
    ),
    (
        whole_queries_in_a_list,
        {"batches": [{"user": [None, 1]}], "qid": "user"},
        "batches",
        "must be a table whose column 'user' has an id in each row. Got None instead. Drop such "
        "rows, or give them an id.",
    ),
    (
        whole_queries_in_a_list,
        {"batches": [{"user": [1], "n": [1]}, {"user": [1]}], "qid": "user"},
        "batches",
        "must be tables with the same columns. Got the columns 'user' after 'n', 'user' instead. "
        "Convert them first.",
    ),
    (
        ndcg_score,
        {"y_true": pd.Series([1, 0]), "y_score": pd.Series([2, 1], index=[1, 0]), "qid": [1, 1]},
        "y_score",
        "must be indexed like y_true. Got an index with 1 in row 0, where y_true has 0, instead. "
        "Sort them alike, or pass `.to_numpy()` if rows match by position.",
    ),
    (
        ndcg_score,
        {"y_true": pd.DataFrame([[1, 0]]), "y_score": pd.DataFrame([[2, 1]], columns=[1, 0])},
        "y_score",
        "must be a frame with the columns of y_true. Got 1 as column 0, where y_true has 0, "
        "instead. Order them alike, or pass `.to_numpy()` if columns match by position.",
    ),
]


class TakesIds(BaseEstimator):
    """A ranker that takes the id of the query of each row."""

    def fit(self, X, y, qid, sample_weight=None, **params):
        """Learn nothing."""

    def predict(self, X):
        """Predict nothing."""


def no_ids(X):
    """Forget to return the ids."""


FOUR = {"X": np.zeros((4, 2)), "y": [0, 1, 0, 1]}
NAMED_COLUMNS = pd.DataFrame(np.zeros((4, 2)), columns=["a", "b"])

# Of a QueryRanker: its parameters, those of fit, the function, the parameter, the message.
RANKER_ERRORS = [
    (
        {},
        {},
        "QueryRanker.fit",
        "qid",
        "must be the query id of each row, which TakesIds needs. Got None instead. Use "
        "`fit(X, y, qid=qid)`, also for a search, or `QueryRanker(..., qid_from=...)` if the "
        "ids are in X. To make ids from the sizes of queries, use "
        "`qid=ranking_scores.qid_from_sizes(sizes)`.",
    ),
    (
        {},
        {"group": [2, 2]},
        "QueryRanker.fit",
        "group",
        "must be left out, since it is computed from `qid`. Got [2, 2] instead. To make ids "
        "from the sizes of queries, use `qid=ranking_scores.qid_from_sizes(group)`.",
    ),
    (
        {"estimator": make_pipeline(TakesIds())},
        {"takesids__group_id": [2, 2, 3, 3]},
        "QueryRanker.fit",
        "takesids__group_id",
        "must be left out, since it is computed from `qid`. Got [2, 2, 3, 3] instead. Pass "
        "the ids as `qid`.",
    ),
    (
        {},
        {"qid": [3, 1]},
        "QueryRanker.fit",
        "qid",
        "must be of shape (4,), one id per row. Got shape (2,) instead. To make ids from the "
        "sizes of queries, use `qid=ranking_scores.qid_from_sizes(qid)`.",
    ),
    (
        {},
        {"qid": [1, 2, 2]},
        "QueryRanker.fit",
        "qid",
        "must be of shape (4,), one id per row. Got shape (3,) instead.",
    ),
    (
        {},
        {"qid": [1, 1, 2, 2], "sample_weight": [1.0, 2.0]},
        "QueryRanker.fit",
        "sample_weight",
        "must be of shape (4,), one weight per row. Got shape (2,) instead. Repeat the "
        "weight of each query for its rows: `np.repeat(sample_weight, sizes)` if the rows of "
        "each query are adjacent, otherwise `np.asarray(sample_weight)[query]` with the "
        "number of the query of each row.",
    ),
    (
        {},
        {"qid": [1, 1, 2, 2], "sample_weight": [1.0, 2.0, 3.0]},
        "QueryRanker.fit",
        "sample_weight",
        "must be of shape (4,), one weight per row. Got shape (3,) instead.",
    ),
    (
        {},
        {"qid": [1, 1, 2, 2], "sample_weight": [1, 1, -1, 1]},
        "QueryRanker.fit",
        "sample_weight",
        "must be finite and not negative. Got -1.0 at position 2 instead.",
    ),
    (
        {"estimator": TakesIds},
        {"qid": [1, 1, 2, 2]},
        "QueryRanker",
        "estimator",
        "must be an estimator with `fit`, `predict` and `get_params`. Got the class TakesIds "
        "instead. Pass an instance: `TakesIds()`.",
    ),
    (
        {"estimator": 3},
        {"qid": [1, 1, 2, 2]},
        "QueryRanker",
        "estimator",
        "must be an estimator with `fit`, `predict` and `get_params`. Got 3 instead.",
    ),
    (
        {"qid_from": 1.5},
        {},
        "QueryRanker",
        "qid_from",
        "must be None, the name of a column of X, its index, or a callable of X. Got 1.5 instead.",
    ),
    (
        {"qid_from": 0},
        {"qid": [1, 1, 2, 2]},
        "QueryRanker.fit",
        "qid",
        "must be None if the ids are taken from X, by `qid_from`. Got [1, 1, 2, 2] instead.",
    ),
    (
        {"qid_from": 2},
        {},
        "QueryRanker.fit",
        "qid_from",
        "must be the index of a column of X. Got 2 for X of shape (4, 2) instead.",
    ),
    (
        {"qid_from": "query"},
        {},
        "QueryRanker.fit",
        "qid_from",
        "must be the index of a column or a callable if the columns of X have no names. Got "
        "'query' instead.",
    ),
    (
        {"qid_from": "query"},
        {"X": NAMED_COLUMNS},
        "QueryRanker.fit",
        "qid_from",
        "must be the name of one column of X. Got 'query' for the columns 'a', 'b' instead.",
    ),
    (
        {},
        {"X": NAMED_COLUMNS, "qid": pd.Series([1, 1, 2, 2], index=[3, 2, 1, 0])},
        "QueryRanker.fit",
        "qid",
        "must be indexed like X. Got an index with 3 in row 0, where X has 0, instead. Sort "
        "them alike, or pass `.to_numpy()` if rows match by position.",
    ),
    (
        {},
        {"qid": [1, 2, 1, 2], "y": None},
        "QueryRanker.fit",
        "y",
        "must be the relevance of each item. Got None instead.",
    ),
    (
        {},
        {"qid": [], "X": np.zeros((0, 2)), "y": []},
        "QueryRanker.fit",
        "X",
        "must be an array with at least one row. Got no rows instead.",
    ),
    (
        {},
        {"qid": [1, 2, 1, 2], "baseline": [1, 2]},
        "QueryRanker.fit",
        "baseline",
        "must be an array of 4 entries, one per row. Got [1, 2] instead.",
    ),
    (
        {"estimator": make_pipeline(TakesIds())},
        {"qid": [1, 1, 2, 2], "takesids__sample_weight": [1, 2]},
        "QueryRanker.fit",
        "takesids__sample_weight",
        "must be left out, since it is computed from `sample_weight`. Got [1, 2] instead. "
        "Pass one weight per row as `sample_weight`.",
    ),
    (
        {"qid_from": no_ids},
        {},
        "QueryRanker.fit",
        "qid_from",
        "must be a callable that returns the id of each row. Got None from no_ids instead.",
    ),
    (
        {"qid_from": 10},
        {"X": NAMED_COLUMNS.set_axis([9, 10], axis=1)},
        "QueryRanker.fit",
        "qid_from",
        "must be the index of a column of X. Got 10 for X of shape (4, 2) instead. An int is "
        "the index of a column, not its name.",
    ),
    (
        {"qid_from": "a"},
        {"X": pl.LazyFrame({"a": [1, 1, 2, 2], "b": [1, 2, 3, 4]})},
        "QueryRanker.fit",
        "X",
        "must be in memory if `qid_from` names a column. Got a LazyFrame instead. Use "
        "`X.collect()`.",
    ),
]


_CODE = re.compile(r"`|\w\(|\w=|\w_\w(?!.*\?$)")


def check(error, function, parameter, text):
    """Assert that an error has a message, is of both types, and has the parts of the message."""
    message = f"The '{parameter}' parameter of {function} {text}"
    assert str(error) == message
    assert isinstance(error, InvalidParameterError)
    assert (error.parameter, error.function) == (parameter, function)
    assert error.got in message
    if "StreamingScore" not in function:
        assert not _CODE.search(error.advice), "this advice belongs to `code`"
    again = pickle.loads(pickle.dumps(error))  # as from a worker
    assert (str(again), vars(again)) == (message, vars(error))


@pytest.mark.parametrize(("function", "arguments", "parameter", "text"), SCORE_ERRORS)
def test_scores_refuse_by_name(function, arguments, parameter, text):
    defaults = {"y_true": Y_TRUE, "y_score": Y_SCORE} | SCORES[function]
    if function in K_HOLDS_NO_NONE:
        text = text.replace("None, an int", "an int")
    with pytest.raises((ValueError, TypeError)) as caught:
        function(**defaults | arguments)
    check(caught.value, function.__name__, parameter, text)


@pytest.mark.parametrize(("params", "parameter", "text"), SCORER_ERRORS)
def test_make_ranking_scorer_refuses_by_name(params, parameter, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        make_ranking_scorer(**{"score": ndcg_score} | params)
    check(caught.value, "make_ranking_scorer", parameter, text)


@pytest.mark.parametrize(("arguments", "parameter", "text"), HELPER_ERRORS)
def test_retrieved_from_ids_refuses_by_name(arguments, parameter, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        retrieved_from_ids(**{"ids": [[0, 2]], "n_items": 3} | arguments)
    check(caught.value, "retrieved_from_ids", parameter, text)


@pytest.mark.parametrize(("function", "arguments", "parameter", "text"), OTHER_ERRORS)
def test_other_calls_are_refused_by_name(function, arguments, parameter, text):
    with pytest.raises(InvalidParameterError) as caught:
        function(**arguments)
    check(caught.value, function.__name__, parameter, text)


@pytest.mark.parametrize(("params", "fit_params", "function", "parameter", "text"), RANKER_ERRORS)
def test_a_query_ranker_refuses_by_name(params, fit_params, function, parameter, text):
    ranker = QueryRanker(**{"estimator": TakesIds()} | params)
    with pytest.raises(InvalidParameterError) as caught:
        ranker.fit(**FOUR | fit_params)
    check(caught.value, function, parameter, text)


@pytest.mark.parametrize(
    ("reader", "line", "text"),
    [
        (
            read_qrels,
            "q 0 d",
            "must be a file whose lines are 'query iteration document label' or 'query document'. "
            "Got 3 fields in line 1 of {} instead. Blanks separate the fields, so an id must not "
            "contain any.",
        ),
        (
            read_run,
            "q 0 d 1",
            "must be a file whose lines are 'query Q0 document rank score tag' or 'query document "
            "rank'. Got 4 fields in line 1 of {} instead. Read judgments with `read_qrels`.",
        ),
        (
            read_qrels,
            "q 0 d 1.5",
            "must be a file whose labels are whole numbers of 64 bits. Got '1.5' in line 1 of {} "
            "instead.",
        ),
        (
            read_run,
            "q Q0 d 1 nan t",
            "must be a file whose scores are finite numbers. Got 'nan' in line 1 of {} instead.",
        ),
        (
            read_run,
            "q\xe9 Q0 d 1 1 t",
            "must be a file in UTF-8. Got b'q\\xe9' in line 1 of {} instead. Save the file as "
            "UTF-8.",
        ),
    ],
)
def test_files_of_trec_are_refused_by_line(tmp_path, reader, line, text):
    path = tmp_path / "file"
    path.write_text(line, encoding="latin-1")
    with pytest.raises(InvalidParameterError) as caught:
        reader(path)
    check(caught.value, reader.__name__, "path", text.format(path))


def test_the_classes_of_an_estimator_are_refused_by_name():
    X, y = np.eye(4), np.array(["ant", "bee", "ant", "cat"])
    model = LogisticRegression().fit(X[:3], y[:3])
    with pytest.raises(InvalidParameterError) as caught:
        make_ranking_scorer(ndcg_score)(model, X, y)
    text = (
        "must be given if y_true has classes that the estimator was not fitted on. Got None, and "
        "y_true has ['cat'] instead. Pass all classes, sorted, or use a splitter that puts every "
        "class into every fold."
    )
    check(caught.value, "make_ranking_scorer", "labels", text)
    model = LogisticRegression().fit(X, np.array(["ant", "bee", "cat", "ant"]))
    with pytest.raises(InvalidParameterError) as caught:
        make_ranking_scorer(ndcg_score, labels=["ant", "bee", "cat", "dog"])(model, X, y)
    text = (
        "must be the classes that the estimator was fitted on, and more only if it predicts "
        "probabilities. Got ['ant', 'bee', 'cat', 'dog'] for decision_function and the classes "
        "['ant', 'bee', 'cat'] instead. Use response_method='predict_proba', which gives the "
        "probability 0 to a class that was not seen, or a splitter that puts every class into "
        "every fold."
    )
    check(caught.value, "make_ranking_scorer", "labels", text)


@pytest.mark.parametrize(("params", "parameter", "text"), STREAM_ERRORS)
def test_streaming_score_refuses_by_name(params, parameter, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        StreamingScore(**{"scores": ndcg_score} | params)
    check(caught.value, "StreamingScore", parameter, text)


def test_streaming_score_refuses_at_once_what_the_score_refuses():
    with pytest.raises(ValueError, match="The 'k' parameter of ndcg_score must be None"):
        StreamingScore(ndcg_score, k=0)
    with pytest.raises(ValueError, match="The 'labels' parameter of ndcg_score must be unique"):
        StreamingScore(ndcg_score, labels=["b", "a"])
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'k'"):
        StreamingScore(hit_rate_score)
    with pytest.raises(
        TypeError,
        match=r"'kk' parameter .* is not a parameter of ndcg\. Got 1 instead\. Did you mean 'k'\?",
    ):
        StreamingScore(ndcg_score, kk=1)


@pytest.mark.parametrize("parameter", ["k", "labels", "average", "kk"])
def test_an_update_takes_what_has_a_value_for_each_row(parameter):
    with pytest.raises((ValueError, TypeError)) as caught:
        StreamingScore(ndcg_score).update(Y_TRUE, Y_SCORE, **{parameter: 3})
    text = "must be passed to the constructor, since it does not have one value per row. Got 3 "
    text += "instead."
    check(caught.value, "StreamingScore.update", parameter, text)


@pytest.mark.parametrize("parameter", ["group", "groups"])
@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        ("StreamingScore", "left out, since it is not a parameter of ndcg"),
        ("make_ranking_scorer", "left out, since it is not a parameter of ndcg"),
        ("StreamingScore.update", "left out, since no score has it"),
    ],
)
def test_sizes_of_queries_are_refused_with_the_way_to_ids(caller, expected, parameter):
    calls = {
        "StreamingScore": partial(StreamingScore, ndcg_score),
        "make_ranking_scorer": partial(make_ranking_scorer, ndcg_score),
        "StreamingScore.update": partial(StreamingScore(ndcg_score).update, Y_TRUE, Y_SCORE),
    }
    with pytest.raises(ValueError, match="sizes of queries") as caught:
        calls[caller](**{parameter: [1, 2]})
    text = f"must be {expected}. Got [1, 2] instead. To make ids from the sizes of queries, use "
    text += f"`qid=ranking_scores.qid_from_sizes({parameter})`."
    check(caught.value, caller, parameter, text)


def test_make_ranking_scorer_refuses_at_once_what_the_score_refuses():
    with pytest.raises(ValueError, match="The 'k' parameter of ndcg_score must be None"):
        make_ranking_scorer(ndcg_score, k=0)
    with pytest.raises(
        TypeError,
        match=r"'kk' parameter .* is not a parameter of ndcg\. Got 1 instead\. Did you mean 'k'\?",
    ):
        make_ranking_scorer(ndcg_score, kk=1)


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
