"""The bad input that all scores refuse, and the exact message."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse
from exact_errors import (
    AS_FLOAT,
    INF,
    NAN,
    QID,
    REAL_ARRAY,
    RETRIEVED,
    ROWS,
    SWAPPED,
    Y_SCORE,
    Y_TRUE,
    K,
)

OF_IDS = " Lists of ids are joined by `ranking_scores.from_lists`."
OF_PATHS = " Files are read by `ranking_scores.trec.read_qrels` and `read_run`."
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
        (
            {name: values},
            name,
            f"{REAL_ARRAY} Got {got} instead. {AS_FLOAT.format(name)}{more}",
        )
        for name in ("y_true", "y_score")
        for values, got, more in (
            ([["1", "2.5", "c"]] * 2, "dtype <U3", OF_IDS),
            (np.array([["1", "2"]], "S1"), "dtype |S1", OF_IDS),
            (np.array([["1", "2"]], np.dtypes.StringDType()), "dtype StringDType()", OF_IDS),
            ("qrels.txt", "dtype <U9", OF_PATHS),
            (np.array(Y_SCORE, object), "dtype object", ""),
            ([[1, 2, None], [1, 2, 3]], "dtype object with None at position 0, 2", ""),
            (
                [[1, 2], [1, Decimal("0.5")]],
                "dtype object with Decimal('0.5') at position 1, 1",
                "",
            ),
            (
                pd.DataFrame({"a": ["x"]}, dtype=object),
                "dtype object with 'x' at position 0, 0",
                "",
            ),
        )
    ),
    ({"y_true": None}, "y_true", f"{REAL_ARRAY} Got None instead."),
    (
        {"y_score": None},
        "y_score",
        "must be given, unless y_true is what `from_lists` or its like returned. "
        "Got None instead.",
    ),
    *(
        (
            {name: {1: value}},
            name,
            f"{REAL_ARRAY} Got {{1: {value}}} instead. `ranking_scores.{door}.",
        )
        for name in ("y_true", "y_score")
        for value, door in (
            (2, "trec.from_pytrec_eval` makes data from dicts"),
            ([3], "from_lists` makes data from dicts of lists"),
        )
    ),
    (
        {"y_true": np.array([[2**63, 2**63 + 1]], object)},
        "y_true",
        f"{REAL_ARRAY} Got dtype object instead. If it holds numbers, use "
        "`np.asarray(y_true).astype(float)`.",
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
