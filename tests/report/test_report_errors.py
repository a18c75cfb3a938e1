"""What a report refuses: bad input of `ranking_report`, and the exact messages."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from reported_data import ROWS, Y_SCORE, Y_TRUE

from ranking_scores import ndcg_score, ranking_report
from ranking_scores._metrics._named import SCORES as NAMED

NAMES = ", ".join(NAMED)
ERRORS = [
    (
        {"scores": "ndgc"},
        "The 'scores' parameter of ranking_report must be one of "
        f"{NAMES}, alone or as in 'ndcg@10'. Got 'ndgc' instead. Did you mean 'ndcg' or 'dcg'?",
    ),
    (
        {"scores": "zzzz"},
        "The 'scores' parameter of ranking_report must be one of "
        f"{NAMES}, alone or as in 'ndcg@10'. Got 'zzzz' instead.",
    ),
    *(
        (
            {"scores": [name]},
            "The 'scores' parameter of ranking_report must be a name whose cutoff is an "
            "int "
            f"of at least 1 and at most 18 digits, as in 'ndcg@10'. Got {name!r} instead.",
        )
        for name in ("ndcg@", "ndcg@0", "ndcg@-1", "ndcg@1.5", "ndcg@x", "ndcg@" + 20 * "9")
    ),
    (
        {"scores": ["auc@10"]},
        "The 'scores' parameter of ranking_report must be without a cutoff for 'auc', which has "
        "none. Got 'auc@10' instead.",
    ),
    (
        {"scores": []},
        "The 'scores' parameter of ranking_report must be at least one score. Got [] instead.",
    ),
    (
        {"scores": [max]},
        "The 'scores' parameter of ranking_report must be a score of ranking_scores, or the name "
        "of one. Got the function max instead.",
    ),
    (
        {"scores": {1: "ndcg"}},
        "The 'scores' parameter of ranking_report must be a dict whose keys are names. Got the "
        "key 1 instead.",
    ),
    (
        {"scores": ["ndcg", "ndcg@5"], "k": [5]},
        "The 'scores' parameter of ranking_report must be such that each result has a name of its "
        "own. Got 'ndcg@5' twice instead. Give the scores names of your own: "
        "scores={'name': score, ...}.",
    ),
    (
        {"k": (5, 5)},
        "The 'k' parameter of ranking_report must be a list without repeated cutoffs. Got "
        "'ndcg@5' twice instead.",
    ),
    (
        {"k": [1, None]},
        "The 'k' parameter of ranking_report, for precision_at_k_score, must be an int of at "
        "least 1 or a list of these if denominator='k'. Got None instead. For the whole list, "
        "use denominator='retrieved'. Among several scores, pass `partial(precision_at_k_score, "
        "denominator='retrieved')`.",
    ),
    (
        {"scores": ["hit_rate"], "k": None},
        "The 'k' parameter of ranking_report, for hit_rate_score, must be an int of at least 1 or "
        "a list of these. Got None instead.",
    ),
    (
        {"scores": ["ndcg@5", "hit_rate"]},
        "The 'k' parameter of ranking_report must be given for hit_rate_score, which needs it. "
        "Write 'hit_rate@10'.",
    ),
    (
        {"scores": ["auc"], "k": "10"},
        "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
        "these. Got '10' instead.",
    ),
    (
        {"k": 2**63},
        "The 'k' parameter of ranking_report must be below 2**63 - 1, or None for the whole list. "
        "Got 9223372036854775808 instead.",
    ),
    (
        {"score": ["ndcg"]},
        "ranking_report has no parameter 'score', nor has any of the scores (ndcg, map, mrr, "
        "precision, recall, hit_rate). It is called `scores` here.",
    ),
    (
        {"scores": [partial(ndcg_score, gian="linear")]},
        "ranking_report has no parameter 'gian', nor has ndcg. Did you mean 'gain'?",
    ),
    (
        {"query_ids": ["a", "b", "a"] * 10},
        "The 'query_ids' parameter of ranking_report must be unique. Got 'a' more than once "
        "instead.",
    ),
    (
        {"query_ids": np.array([1, "a"] * 15, dtype=object)},
        "The 'query_ids' parameter of ranking_report must be of one sortable type. Got an array "
        "of shape (30,) and dtype object instead. '<' not supported between instances of 'str' "
        "and 'int'.",
    ),
    (
        {"by": {"ndcg@10": np.arange(30)}},
        "The 'by' parameter of ranking_report must be a dict whose keys are not names of "
        "results. Got 'ndcg@10', the name of a result, instead.",
    ),
    (
        {"by": {"": np.arange(30)}},
        "The 'by' parameter of ranking_report must be a dict whose keys are names. Got the key '' "
        "instead.",
    ),
    (
        {"by": pd.Series(["a", pd.NA, "b"] * 10, dtype="string")},
        "The 'by' parameter of ranking_report must be without missing values. Got <NA> at "
        "position 1 instead.",
    ),
    (
        {"chance": True, "scores": [partial(ndcg_score, ignore_ties=True)]},
        "The 'ignore_ties' parameter of ranking_report must be False if chance=True, which needs "
        "all orders of the ties. Got True instead.",
    ),
    (
        {"k": []},
        "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
        "these. Got [] instead.",
    ),
    *(
        (
            {"k": k},
            "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
            f"these. Got {got} instead.",
        )
        for k, got in (
            (0, "0"),
            ([1, 2.5], "2.5"),
            (True, "True"),
            ("10", "'10'"),
            ({3}, "{3}"),
            ({3: 1}, "{3: 1}"),
        )
    ),
    (
        {"k": [[1, 2]]},
        "The 'k' parameter of ranking_report must be None, an int of at least 1 or a list of "
        "these. Got [[1, 2]] instead.",
    ),
    (
        {"average": None},
        "The 'average' parameter of ranking_report must be left out: the results are means. Got "
        "None instead.",
    ),
    (
        {"scores": [partial(ndcg_score, average=None)]},
        "The 'average' parameter of ranking_report must be left out of the parameters bound to a "
        "score. "
        "Got None for ndcg instead.",
    ),
    (
        {"scores": [partial(ndcg_score, where=None)]},
        "The 'where' parameter of ranking_report must be left out of the parameters bound to a "
        "score. "
        "Got None for ndcg instead. Pass `where` for all scores together.",
    ),
    (
        {"item_weight": np.ones((30, 8))},
        "The 'item_weight' parameter of ranking_report must be None, since map does not accept "
        "it. Got an array of shape (30, 8) and dtype float64 instead.",
    ),
    (
        {"gian": "linear"},
        "ranking_report has no parameter 'gian', nor has any of the scores (ndcg, map, mrr, "
        "precision, recall, hit_rate). Did you mean 'gain'?",
    ),
    (
        {"persistence": 0.5},
        "ranking_report has no parameter 'persistence', nor has any of the scores (ndcg, map, "
        "mrr, precision, recall, hit_rate).",
    ),
    (
        {"scores": ["err"], "k": None},
        "The 'max_grade' parameter of ranking_report must be given for "
        "expected_reciprocal_rank_score, which needs it. For example, "
        "max_grade=3.",
    ),
    (
        {"scores": ["err"]},
        "The 'max_grade' parameter of ranking_report must be given for "
        "expected_reciprocal_rank_score, which needs it. For example, "
        "max_grade=3.",
    ),
    (
        {"gain": "quadratic"},
        "The 'gain' parameter of ranking_report, for ndcg_score, must be 'linear', 'exponential', "
        "a 1-D table of gains or a callable. Got 'quadratic' instead.",
    ),
    (
        {"query_ids": [1, 2]},
        "The 'query_ids' parameter of ranking_report must be of shape (30,), one id per query. "
        "Got shape (2,) instead.",
    ),
    (
        {**ROWS, "query_ids": np.arange(30)},
        "The 'qid' parameter of ranking_report must be None if `query_ids` is given. Got an "
        "array of shape (240,) and dtype int64 instead. The ids of the queries are those in "
        "`qid`.",
    ),
    (
        {"by": ["a", None] * 15},
        "The 'by' parameter of ranking_report must be without missing values. Got None at "
        "position 1 instead.",
    ),
    (
        {"by": {"device": [1, 2]}},
        "The 'by' parameter of ranking_report must be of shape (30,), one group per query. Got "
        "shape (2,) for 'device' instead.",
    ),
    (
        {**ROWS, "by": np.arange(30)},
        "The 'by' parameter of ranking_report must be of shape (240,), one group per row. Got "
        "shape (30,) instead.",
    ),
    (
        {"y_true": [1, 0], "y_score": [1, 2], "qid": [7, 7], "by": ["a", "b"]},
        "The 'by' parameter of ranking_report must be the same for all rows of a query. Got a and "
        "b in the query with qid 7 instead.",
    ),
    (
        {"by": {3: np.arange(30)}},
        "The 'by' parameter of ranking_report must be a dict whose keys are names. Got the key 3 "
        "instead.",
    ),
    (
        {"by": np.array([1, "a"] * 15, dtype=object)},
        "The 'by' parameter of ranking_report must be of one sortable type. Got an array of shape "
        "(30,) and dtype object instead. '<' not supported between instances of 'str' and 'int'.",
    ),
    (
        {"ties": 1},
        "The 'ties' parameter of ranking_report must be True or False. Got 1 instead.",
    ),
    (
        {"chance": "yes"},
        "The 'chance' parameter of ranking_report must be True or False. Got 'yes' instead.",
    ),
    (
        {"ties": True, "ignore_ties": True},
        "The 'ignore_ties' parameter of ranking_report must be False if ties=True, which needs "
        "all orders of the ties. Got True instead.",
    ),
    (
        {"ties": True, "scores": ["ndcg"], "discount": np.sqrt},
        "The 'discount' parameter of ranking_report must be a function whose values never rise "
        "from one rank to the next. Got 1 at rank 1 and more at the next rank instead. Only then "
        "are the best and the worst order of tied items known.",
    ),
    (
        {"chance": True, "y_score": sp.csr_array(Y_SCORE)},
        "The 'chance' parameter of ranking_report must be False if y_score is sparse, since "
        "chance cannot say which items are retrieved. Got True instead.",
    ),
    (
        {"y_score": np.where(np.arange(8) == 2, np.nan, Y_SCORE)},
        "The 'y_score' parameter of ranking_report must be finite. Got NaN or infinity in 30 of "
        "30 queries, the first of them query 0, instead. Use `where` to leave out the items that "
        "take no part. Do not leave out items that were judged but not retrieved: the ideal needs "
        "them, too. A sparse y_score stores only the items that were retrieved.",
    ),
    (
        {"y_true": Y_TRUE - 1, "scores": ["map", "ndcg"]},
        "The 'y_true' parameter of ranking_report, for ndcg_score, must be at least 0, except "
        "below relevance_threshold. Got the label -1 in query 0 instead. Replace "
        "negative labels by 0 if they gain nothing. Drop items that they mark as to leave out, or "
        "pass `where=y_true >= 0` for 2-D arrays. Are y_true and y_score swapped?",
    ),
    (
        {"group": [10, 20]},
        "ranking_report has no parameter 'group', nor has any of the scores (ndcg, map, mrr, "
        "precision, recall, hit_rate). To make ids from the sizes of "
        "queries, use `qid=ranking_scores.qid_from_sizes(group)`.",
    ),
    (
        {"sample_weight": np.zeros(30)},
        "The 'sample_weight' parameter of ranking_report must be positive for at least one query. "
        "Got only zeros instead.",
    ),
    (
        {"y_true": [0, 1], "y_score": [1, 2]},
        "The 'y_true' parameter of ranking_report must be 2-D",
    ),
    (
        {"scores": ["auc"], "y_score": sp.csr_array(Y_SCORE)},
        "The 'y_score' parameter of ranking_report, for grouped_auc_score, must be dense. Got a "
        "sparse csr_array instead. Items that were not retrieved are neither above nor below the "
        "other items.",
    ),
]


@pytest.mark.parametrize(("arguments", "text"), ERRORS)
def test_ranking_report_refuses_by_name(arguments, text):
    defaults = {"y_true": Y_TRUE, "y_score": Y_SCORE}
    with pytest.raises((ValueError, TypeError)) as caught:
        ranking_report(**defaults | arguments)
    assert str(caught.value).startswith(text)
    assert str(caught.value) == text or text.endswith("2-D")
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)
