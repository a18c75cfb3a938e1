"""Bad lists, class labels, ids, files and tables, and the exact message."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from exact_errors import AS_FLOAT, NAN, REAL_ARRAY, check

from ranking_scores import (
    dcg_score,
    hit_rate_score,
    ndcg_score,
    qid_from_sizes,
    ranking_report,
    retrieved_from_ids,
    sizes_from_qid,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.streaming import whole_queries
from ranking_scores.trec import read_qrels, read_run, write_run

IDS = "must be of shape (n_queries, n_retrieved)."


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
        "must be an array with -1 only after the items of a row, unless `item_scores` are given. "
        "Got -1 before item 2 at position 0 of query 2 instead. Move each -1 to the end of its "
        "row, or pass `item_scores`, which allow any order.",
    ),
    (
        {"item_scores": [[1, 2, 3]]},
        "item_scores",
        "must be of the shape of ids, (1, 2). Got shape (1, 3) instead.",
    ),
    (
        {"item_scores": [[1, NAN]]},
        "item_scores",
        "must be finite for each item, or -inf if it was not retrieved. "
        "Got nan in query 0 instead.",
    ),
    (
        {"item_scores": np.array([[np.inf, -np.inf]])},
        "item_scores",
        "must be finite for each item, or -inf if it was not retrieved. "
        "Got inf in query 0 instead.",
    ),
    (
        {"item_scores": [["a", "b"]]},
        "item_scores",
        f"{REAL_ARRAY} Got dtype <U1 instead. {AS_FLOAT.format('item_scores')}",
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
        "must be grouped by query. Got query 1 again after other queries instead."
        " Sort the rows by 'user' first. If a data loader shuffles them, "
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
