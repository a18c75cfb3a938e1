"""Bad input of scorers, streams and rankers, and the exact message."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics
from exact_errors import QID, Y_SCORE, Y_TRUE, check
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from ranking_scores import StreamingScore, hit_rate_score, make_ranking_scorer, ndcg_score
from ranking_scores._metrics._named import SCORES as NAMED
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.rankers import QueryRanker

ONE_NUMBER = "must be such that the score is one number."
ROUTED = "must be left to metadata routing, since it has one value per row of the data."
OURS = "must be a score of ranking_scores, or the name of one."
NAMES = f"must be one of {', '.join(NAMED)}, alone or as in 'ndcg@10'."

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


@pytest.mark.parametrize(("params", "parameter", "text"), SCORER_ERRORS)
def test_make_ranking_scorer_refuses_by_name(params, parameter, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        make_ranking_scorer(**{"score": ndcg_score} | params)
    check(caught.value, "make_ranking_scorer", parameter, text)


@pytest.mark.parametrize(("params", "fit_params", "function", "parameter", "text"), RANKER_ERRORS)
def test_a_query_ranker_refuses_by_name(params, fit_params, function, parameter, text):
    ranker = QueryRanker(**{"estimator": TakesIds()} | params)
    with pytest.raises(InvalidParameterError) as caught:
        ranker.fit(**FOUR | fit_params)
    check(caught.value, function, parameter, text)


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
    with pytest.raises(TypeError, match="The 'k' parameter of StreamingScore must be given for"):
        StreamingScore(hit_rate_score)
    with pytest.raises(
        TypeError,
        match=r"^StreamingScore has no parameter 'kk', nor has ndcg\. Did you mean 'k'\?$",
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
        ("StreamingScore", "has no parameter {!r}, nor has ndcg."),
        ("make_ranking_scorer", "has no parameter {!r}, nor has ndcg."),
        ("StreamingScore.update", "has no parameter {!r}, nor has any score."),
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
    text = f"{expected.format(parameter)} To make ids from the sizes of queries, use "
    text += f"`qid=ranking_scores.qid_from_sizes({parameter})`."
    check(caught.value, caller, parameter, text)


def test_make_ranking_scorer_refuses_at_once_what_the_score_refuses():
    with pytest.raises(ValueError, match="The 'k' parameter of ndcg_score must be None"):
        make_ranking_scorer(ndcg_score, k=0)
    with pytest.raises(
        TypeError,
        match=r"^make_ranking_scorer has no parameter 'kk', nor has ndcg\. Did you mean 'k'\?$",
    ):
        make_ranking_scorer(ndcg_score, kk=1)
