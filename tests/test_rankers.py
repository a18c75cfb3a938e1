"""Rankers of XGBoost, LightGBM and CatBoost, fitted by the id of the query of each row."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from fitted_rankers import (
    CV,
    LIBRARIES,
    HandsOn,
    TakesIds,
    catboost_ranker,
    fit_lightgbm,
    fit_xgboost,
    lightgbm_ranker,
    make_rows,
    no_ids,
    with_routing,  # noqa: F401
    xgboost_ranker,
)
from raising import raises
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from ranking_scores import make_ranking_scorer, ndcg_score, sizes_from_qid
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.rankers import QueryRanker


@pytest.fixture
def rows():
    return make_rows()


# --- What a ranker is told --------------------------------------------------------------------


@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
def test_weights_are_of_rows_and_become_what_the_ranker_wants(rows, make, fit):
    X, y, qid, weight = rows
    y_score = QueryRanker(make()).fit(X, y, qid=qid, sample_weight=weight).predict(X)
    np.testing.assert_array_equal(y_score, fit(X, y, qid, weight).predict(X))
    assert (y_score != fit(X, y, qid).predict(X)).any()


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
def test_weights_are_routed_to_fit_and_score(rows, make, fit):
    X, y, qid, weight = rows
    scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True, sample_weight=True)
    result = cross_validate(
        QueryRanker(make()).set_fit_request(sample_weight=True),
        X,
        y,
        scoring=scorer,
        cv=CV,
        params={"qid": qid, "groups": qid, "sample_weight": weight},
        error_score="raise",
    )
    for fold, (train, test) in enumerate(CV.split(X, y, qid)):
        y_score = fit(X[train], y[train], qid[train], weight[train]).predict(X[test])
        by_hand = ndcg_score(y[test], y_score, qid=qid[test], sample_weight=weight[test])
        assert result["test_score"][fold] == by_hand


def test_catboost_weighs_rows_that_differ_within_a_query(rows):
    X, y, qid, _ = rows
    weight = np.random.default_rng(1).random(qid.size)
    ranker = catboost_ranker(loss_function="QueryRMSE")
    order = np.argsort(qid, kind="stable")
    expected = clone(ranker).fit(
        X[order], y[order], group_id=qid[order], sample_weight=weight[order]
    )
    y_score = QueryRanker(ranker).fit(X, y, qid=qid, sample_weight=weight).predict(X)
    np.testing.assert_array_equal(y_score, expected.predict(X))


def test_xgboost_refuses_weights_that_differ_within_a_query(rows):
    X, y, qid, _ = rows
    weight = np.ones(qid.size)
    weight[np.flatnonzero(qid == qid[7])[1]] = 2.5
    got = f"1.0 and 2.5 in the query with qid {qid[7]}"
    with raises("sample_weight", "same for all rows", function="QueryRanker.fit", got=got):
        QueryRanker(xgboost_ranker()).fit(X, y, qid=qid, sample_weight=weight)


@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
def test_neither_the_order_of_queries_nor_rows_between_them_matter(rows, make, fit):
    X, y, qid, weight = rows
    rng = np.random.default_rng(2)
    ranker = QueryRanker(make()).fit(X, y, qid=qid, sample_weight=weight)
    for _ in range(3):
        # Rows of a query keep their order: the places of its rows, at random, sorted.
        place = rng.random(qid.size)
        for each in np.unique(qid):
            place[qid == each] = np.sort(place[qid == each])
        order = np.argsort(place)
        other = QueryRanker(make()).fit(
            X[order], y[order], qid=qid[order], sample_weight=weight[order]
        )
        np.testing.assert_array_equal(other.predict(X), ranker.predict(X))
    # Any order of the rows that are predicted gives the same predictions, and the same score.
    order = rng.permutation(qid.size)
    y_score = ranker.predict(X)
    np.testing.assert_array_equal(ranker.predict(X[order]), y_score[order])
    scorer = make_ranking_scorer(ndcg_score, qid_from=lambda X: X[:, 0].astype(int))
    ranker = QueryRanker(make(), qid_from=0)
    X = np.column_stack([qid, X])
    ranker.fit(X, y)
    assert scorer(ranker, X[order], y[order]) == scorer(ranker, X, y)


@pytest.mark.parametrize("to", [pd.DataFrame, pl.DataFrame, sp.csr_matrix, np.asfortranarray])
@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
def test_features_may_be_frames_and_sparse(rows, make, fit, to):
    X, y, qid, _ = rows
    if make is xgboost_ranker and to is pl.DataFrame:
        pytest.importorskip("pyarrow", reason="XGBoost reads polars by pyarrow, of engines")
    features = to(X, **({"columns": list("abcd")} if to is pd.DataFrame else {}))
    ids = {pd.DataFrame: pd.Series, pl.DataFrame: pl.Series}.get(to, np.asarray)(qid)
    ranker = QueryRanker(make()).fit(features, y, qid=ids)
    np.testing.assert_array_equal(ranker.predict(features), fit(X, y, qid).predict(X))
    assert ranker.n_features_in_ == 4
    if to is pd.DataFrame:
        assert ranker.feature_names_in_.tolist() == list("abcd")


def test_ids_may_be_text_and_are_told_as_numbers(rows):
    X, y, qid, _ = rows
    for make in (xgboost_ranker, lightgbm_ranker, catboost_ranker):
        of_text = QueryRanker(make()).fit(X, y, qid=[f"query {each:04}" for each in qid])
        of_ints = QueryRanker(make()).fit(X, y, qid=qid)
        np.testing.assert_array_equal(of_text.predict(X), of_ints.predict(X))
        assert of_text.query_ids_[0] == f"query {qid.min():04}"
        assert of_text.query_sizes_.tolist() == np.unique(qid, return_counts=True)[1].tolist()


def test_subclasses_are_known_by_what_their_fit_takes(rows):
    X, y, qid, _ = rows

    class Quiet(type(lightgbm_ranker())):
        """Hands on what it is given."""

        def fit(self, X, y, **params):
            return super().fit(X, y, **params)

    Quiet.__sklearn_tags__ = lambda self: get_tags(lightgbm_ranker())
    y_score = fit_lightgbm(X, y, qid).predict(X)
    model = Quiet(**lightgbm_ranker().get_params())
    np.testing.assert_array_equal(QueryRanker(model).fit(X, y, qid=qid).predict(X), y_score)


class Inherits(TakesIds):
    """A subclass with the same fit."""


class TakesNothing(TakesIds):
    """A subclass that takes no ids."""

    def fit(self, X, y):
        self.told_ = X, y
        return self


def test_what_a_ranker_of_ones_own_is_told():
    X, y = np.arange(10).reshape(5, 2), np.array([0, 1, 2, 0, 1])
    qid, weight = ["b", "a", "b", "a", "b"], [1, 2, 3, 4, 5]
    other = [(X[:2], y[:2])]
    ranker = QueryRanker(TakesIds()).fit(
        X, y, qid, weight, baseline=np.array(list("vwxyz")), eval_set=other
    )
    features, labels, ids, weights, params = ranker.estimator_.told_
    assert features[:, 0].tolist() == [2, 6, 0, 4, 8]
    assert labels.tolist() == [1, 0, 0, 2, 1]
    assert ids.tolist() == [0, 0, 1, 1, 1]
    assert weights.tolist() == [2, 4, 1, 3, 5]
    assert params["baseline"].tolist() == list("wyvxz")  # it has a value for each row
    assert params["eval_set"] is other
    assert ranker.predict(X, factor=2).tolist() == [0, 2, 4, 6, 8]
    # Sorted rows are not copied.
    ranker.fit(X, y, qid=[1, 1, 2, 2, 2])
    assert ranker.estimator_.told_[0] is X
    assert QueryRanker(Inherits()).fit(X, y, qid).estimator_.told_[2].tolist() == [0, 0, 1, 1, 1]
    # Who takes no ids gets none, and the rows as they are.
    for estimator in (HandsOn(), TakesNothing()):
        ranker = QueryRanker(estimator).fit(X, y, qid=qid)
        assert ranker.estimator_.told_[0] is X
    assert ranker.query_ids_.tolist() == ["a", "b"]
    assert not hasattr(ranker.fit(X, y), "query_ids_")
    assert not hasattr(ranker, "query_sizes_")


SHUFFLED = {"X": np.eye(4), "y": [0, 1, 2, 3], "qid": [2, 1, 2, 1]}  # sorted: rows 1, 3, 0, 2


@pytest.mark.parametrize("to", [list, np.array, pd.Series, pl.Series, tuple])
@pytest.mark.parametrize(
    "name",
    ["base_margin", "baseline", "group_weight", "init_score", "subgroup_id", "a__sample_weight"],
)
def test_values_of_rows_are_sorted_with_them(name, to):
    ranker = QueryRanker(TakesIds()).fit(**SHUFFLED, **{name: to([5, 6, 7, 8])})
    assert list(ranker.estimator_.told_[-1][name]) == [6, 8, 5, 7]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("eval_X", SHUFFLED["X"]),
        ("eval_y", np.arange(4)),
        ("eval_group", [1, 1, 1, 1]),
        ("eval_at", [1, 3, 5, 10]),
        ("a__eval_names", list("abcd")),
        ("sample_weight_eval_set", [None] * 4),
        ("base_margin_eval_set", [None] * 4),
        ("feature_weights", np.arange(4)),
        ("feature_name", list("abcd")),
        ("categorical_feature", [0, 1, 2, 3]),
        ("cat_features", [0, 1, 2, 3]),
        ("text_features", [0, 1, 2, 3]),
        ("embedding_features", [0, 1, 2, 3]),
        ("callbacks", [print] * 4),
        ("pairs", None),
        ("baseline", None),
        ("another", "text"),  # of four letters
        ("another", np.array(4)),
        ("another", 4),
        ("another", [1, 2, 3]),
    ],
)
def test_what_has_no_value_for_each_row_is_passed_on_as_it_is(name, value):
    ranker = QueryRanker(TakesIds()).fit(**SHUFFLED, **{name: value})
    assert ranker.estimator_.told_[-1][name] is value


@pytest.mark.parametrize(
    ("name", "value", "expected", "got"),
    [
        ("pairs", [[0, 1]], "since it refers to rows by number", "[[0, 1]]"),
        ("pairs_weight", [0.5], "since it refers to rows by number", "[0.5]"),
        ("a__graph", [(0, 1)], "since it refers to rows by number", "[(0, 1)]"),
        ("extra", [1, 2, 3, 4], "since it may be one value per row", "[1, 2, 3, 4]"),
        (
            "extra",
            pd.DataFrame({"a": range(4)}),
            "since it may be one value per row",
            "a pandas DataFrame",
        ),
    ],
)
def test_what_cannot_be_sorted_is_refused_if_and_only_if_rows_are_not(name, value, expected, got):
    with raises(name, expected, function="QueryRanker.fit", got=got, advice="Sort the rows"):
        QueryRanker(TakesIds()).fit(**SHUFFLED, **{name: value})
    ranker = QueryRanker(TakesIds()).fit(**SHUFFLED | {"qid": [1, 1, 2, 2]}, **{name: value})
    assert ranker.estimator_.told_[-1][name] is value
    ranker = QueryRanker(HandsOn()).fit(**SHUFFLED, **{name: value})
    assert ranker.estimator_.told_[-1][name] is value


def test_early_stopping_of_lightgbm_on_single_arrays_of_as_many_rows(rows):
    X, y, qid, _ = rows
    if "eval_X" not in inspect.signature(lightgbm_ranker().fit).parameters:
        pytest.skip("LightGBM before 4.7 has no eval_X")
    order = np.argsort(qid, kind="stable")
    validation = {"eval_X": X, "eval_y": y[::-1], "eval_group": [[y.size]]}
    ranker = QueryRanker(lightgbm_ranker()).fit(X, y, qid=qid, **validation)
    expected = lightgbm_ranker().fit(
        X[order], y[order], group=sizes_from_qid(qid[order]), **validation
    )
    assert ranker.estimator_.evals_result_ == expected.evals_result_


def test_pairs_of_catboost_are_those_of_its_own_fit():
    X, y, qid, _ = make_rows(is_sorted=True)
    pairs = [[first, first + 1] for first in np.flatnonzero(np.diff(qid) == 0)]
    ranker = catboost_ranker(loss_function="PairLogit")
    expected = clone(ranker).fit(X, y, group_id=qid, pairs=pairs)
    by_adapter = QueryRanker(ranker).fit(X, y, qid=qid, pairs=pairs)
    np.testing.assert_array_equal(by_adapter.predict(X), expected.predict(X))
    with pytest.raises(InvalidParameterError, match="'pairs' parameter of QueryRanker"):
        QueryRanker(ranker).fit(X, y, qid=qid[::-1], pairs=pairs)


@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
def test_start_scores_are_sorted_with_the_rows(rows, make, fit):
    X, y, qid, _ = rows
    name = {"xgboost": "base_margin", "lightgbm": "init_score", "catboost": "baseline"}
    name = name[type(make()).__module__.partition(".")[0]]
    start, order = np.arange(y.size) % 7 / 7, np.argsort(qid, kind="stable")
    ranker = QueryRanker(make()).fit(X, y, qid=qid, **{name: start})
    expected = QueryRanker(make()).fit(X[order], y[order], qid=qid[order], **{name: start[order]})
    np.testing.assert_array_equal(ranker.predict(X), expected.predict(X))
    assert (ranker.predict(X) != fit(X, y, qid).predict(X)).any()


@pytest.mark.parametrize(
    "to", [sp.coo_matrix, sp.coo_array, sp.dia_array, sp.bsr_matrix, sp.lil_array, sp.csc_matrix]
)
def test_sparse_features_of_any_format_are_sorted(to):
    X = to(SHUFFLED["X"] * [1, 2, 3, 4])
    ranker = QueryRanker(TakesIds()).fit(**SHUFFLED | {"X": X})
    features = ranker.estimator_.told_[0]
    assert features.toarray().diagonal().tolist() == [0] * 4
    assert features.toarray().sum(axis=1).tolist() == [2, 4, 1, 3]
    assert isinstance(features, sp.sparray) == isinstance(X, sp.sparray)


def test_the_special_column_of_xgboost(rows):
    X, y, qid, _ = rows
    frame = pd.DataFrame(X, columns=list("abcd")).assign(qid=qid)
    ranker = QueryRanker(xgboost_ranker(), qid_from="qid").fit(frame, y)
    np.testing.assert_array_equal(ranker.predict(frame), fit_xgboost(X, y, qid).predict(X))
    with pytest.raises(ValueError, match="Found both the special column"):
        QueryRanker(xgboost_ranker()).fit(frame, y, qid=qid)


# --- Columns ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_columns_must_be_those_of_fit(rows, method):
    X, y, qid, _ = rows
    frame = pd.DataFrame(X, columns=list("abcd")).assign(query=qid)
    model = QueryRanker(LogisticRegression(), qid_from="query").fit(frame, y > 1)
    ask = getattr(model, method)
    for other, message in (
        (frame.rename(columns={"a": "z"}), "Feature names unseen at fit time:\n- z\n"),
        (frame.drop(columns="query"), "Feature names seen at fit time, yet now missing:\n- query"),
        (frame[[*list("bacd"), "query"]], "must be in the same order as they were in fit"),
    ):
        with pytest.raises(ValueError, match=message):
            ask(other)
    of_arrays = QueryRanker(LogisticRegression(), qid_from=0).fit(X, y > 1)
    with pytest.raises(
        ValueError, match="X has 3 features, but QueryRanker is expecting 4 features as input"
    ):
        getattr(of_arrays, method)(X[:, 1:])


def test_weights_of_as_many_queries_as_rows_are_sorted_once():
    X, y = np.zeros((3, 1)), np.arange(3)
    expected = fit_xgboost(np.eye(3), y, np.array([0, 1, 2]), np.array([1.0, 2, 3]))
    ranker = QueryRanker(xgboost_ranker()).fit(
        np.eye(3)[[2, 0, 1]], y[[2, 0, 1]], qid=[2, 0, 1], sample_weight=[3.0, 1, 2]
    )
    np.testing.assert_array_equal(ranker.predict(np.eye(3)), expected.predict(np.eye(3)))
    assert X.shape == (3, 1)


# --- A scikit-learn estimator -----------------------------------------------------------------

CHECKS = [
    pytest.param(estimator, check, id=f"{check.func.__name__}-{number}")
    for number, inner in enumerate(
        [
            LinearRegression(),
            make_pipeline(Ridge()),
            RidgeClassifier(),
            DecisionTreeClassifier(random_state=0),
        ]
    )
    for estimator, check in estimator_checks_generator(QueryRanker(inner))
]
"""All of scikit-learn's checks, of which none is expected to fail. A ranker would fail those that
fit it without ids."""


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_parameters_pass_through():
    ranker = QueryRanker(lightgbm_ranker(num_leaves=7), qid_from="query")
    assert ranker.get_params()["estimator__num_leaves"] == 7
    copy = clone(ranker.set_params(estimator__num_leaves=9))
    assert copy.estimator.num_leaves == 9
    assert copy.qid_from == "query"
    assert pickle.loads(pickle.dumps(copy)).get_params().keys() == copy.get_params().keys()


def test_it_requests_qid_by_itself():
    request = QueryRanker(Ridge()).get_metadata_routing().fit.requests
    assert request == {"qid": True, "sample_weight": None}


@pytest.mark.parametrize("make", [xgboost_ranker, lightgbm_ranker, catboost_ranker])
def test_its_tags_are_those_of_the_ranker(make):
    tags, own = get_tags(QueryRanker(make())), get_tags(make())
    assert tags.input_tags == own.input_tags
    assert tags.target_tags == own.target_tags
    assert tags.estimator_type is None
    assert tags.regressor_tags is None


def test_what_is_left_out_of_x():
    X = pd.DataFrame({"a": [1.0, 2, 3], "query": [7, 7, 8], "b": [0.0, 1, 0]})
    ranker = QueryRanker(TakesIds(), qid_from="query").fit(X, [0, 1, 2])
    assert ranker.estimator_.told_[0].columns.tolist() == ["a", "b"]
    assert ranker.estimator_.told_[2].tolist() == [0, 0, 1]
    assert ranker.feature_names_in_.tolist() == ["a", "query", "b"]
    assert ranker.n_features_in_ == 3
    for to in (sp.csr_matrix, sp.coo_array, np.asarray, lambda X: X.to_numpy().tolist()):
        ranker = QueryRanker(TakesIds(), qid_from=1).fit(to(X), [0, 1, 2])
        features = ranker.estimator_.told_[0]
        features = features.toarray() if sp.issparse(features) else features
        assert features.tolist() == [[1, 0], [2, 1], [3, 0]]
        assert ranker.query_ids_.tolist() == [7, 8]


# --- Errors -----------------------------------------------------------------------------------

FOUR = {"X": np.zeros((4, 2)), "y": [0, 1, 0, 1]}
NAMED = pd.DataFrame(np.zeros((4, 2)), columns=["a", "b"])
TWICE = pd.DataFrame(np.zeros((4, 2)), columns=["a", "a"])


class NoIds:
    """A callable without a name that forgets to return the ids."""

    def __call__(self, X):
        X[:, 0]

    def __repr__(self):
        return "NoIds()"


@pytest.mark.parametrize(
    ("params", "fit_params", "function", "parameter", "key", "got"),
    [
        ({}, {}, "QueryRanker.fit", "qid", "row, which TakesIds needs", "None"),
        (
            {"estimator": make_pipeline(make_pipeline(TakesIds()))},
            {"sample_weight": [1, 1, 1, 1]},
            "QueryRanker.fit",
            "qid",
            "row, which TakesIds needs",
            "None",
        ),
        ({}, {"group": [2, 2]}, "QueryRanker.fit", "group", "is computed from `qid`", "[2, 2]"),
        (
            {"estimator": make_pipeline(TakesIds())},
            {"takesids__group_id": [2, 2, 3, 3]},
            "QueryRanker.fit",
            "takesids__group_id",
            "is computed from `qid`",
            "[2, 2, 3, 3]",
        ),
        ({}, {"qid": [3, 1]}, "QueryRanker.fit", "qid", "one id per row", "shape (2,)"),
        ({}, {"qid": [1, 1, 2]}, "QueryRanker.fit", "qid", "one id per row", "shape (3,)"),
        ({}, {"qid": [1, 2, 2]}, "QueryRanker.fit", "qid", "one id per row", "shape (3,)"),
        ({}, {"qid": ["a", "b"]}, "QueryRanker.fit", "qid", "one id per row", "shape (2,)"),
        (
            {},
            {"qid": [1, 1, 2, 2], "sample_weight": [1.0, 2.0]},
            "QueryRanker.fit",
            "sample_weight",
            "one weight per row",
            "shape (2,)",
        ),
        (
            {},
            {"qid": [1, 1, 2, 2], "sample_weight": [1.0, 2.0, 3.0]},
            "QueryRanker.fit",
            "sample_weight",
            "one weight per row",
            "shape (3,)",
        ),
        (
            {},
            {"qid": [1, 1, 2, 2], "sample_weight": [1, 1, -1, 1]},
            "QueryRanker.fit",
            "sample_weight",
            "finite and not negative",
            "-1.0 at position 2",
        ),
        (
            {"estimator": TakesIds},
            {"qid": [1, 1, 2, 2]},
            "QueryRanker",
            "estimator",
            "`fit`, `predict` and `get_params`",
            "the class TakesIds",
        ),
        (
            {"estimator": 3},
            {"qid": [1, 1, 2, 2]},
            "QueryRanker",
            "estimator",
            "`fit`, `predict` and `get_params`",
            "3",
        ),
        ({"qid_from": 1.5}, {}, "QueryRanker", "qid_from", "a callable of X", "1.5"),
        ({"qid_from": True}, {}, "QueryRanker", "qid_from", "a callable of X", "True"),
        (
            {"qid_from": 0},
            {"qid": [1, 1, 2, 2]},
            "QueryRanker.fit",
            "qid",
            "from X, by `qid_from`",
            "[1, 1, 2, 2]",
        ),
        (
            {"qid_from": 2},
            {},
            "QueryRanker.fit",
            "qid_from",
            "a column of X",
            "2 for X of shape (4, 2)",
        ),
        ({"qid_from": "query"}, {}, "QueryRanker.fit", "qid_from", "X have no names", "'query'"),
        (
            {"qid_from": "query"},
            {"X": NAMED},
            "QueryRanker.fit",
            "qid_from",
            "one column of X",
            "'query' for the columns 'a', 'b'",
        ),
        (
            {"qid_from": "a"},
            {"X": TWICE},
            "QueryRanker.fit",
            "qid_from",
            "one column of X",
            "'a', which several columns have,",
        ),
        (
            {"qid_from": 0},
            {"X": ["some", "text", "of", "words"]},
            "QueryRanker.fit",
            "qid_from",
            "a column of X",
            "0 for X of shape (4,)",
        ),
        (
            {},
            {"X": NAMED, "qid": pd.Series([1, 1, 2, 2], index=[3, 2, 1, 0])},
            "QueryRanker.fit",
            "qid",
            "indexed like X",
            "an index with 3 in row 0, where X has 0,",
        ),
        (
            {},
            {"qid": [1, 2, 1, 2], "y": None},
            "QueryRanker.fit",
            "y",
            "the relevance of each item",
            "None",
        ),
        (
            {},
            {"qid": [], "X": np.zeros((0, 2)), "y": []},
            "QueryRanker.fit",
            "X",
            "at least one row",
            "no rows",
        ),
        (
            {},
            {"qid": [1, 2, 1, 2], "baseline": [1, 2]},
            "QueryRanker.fit",
            "baseline",
            "entries, one per row",
            "[1, 2]",
        ),
        (
            {"estimator": make_pipeline(TakesIds())},
            {"X": NAMED, "qid": [1, 1, 2, 2], "a__sample_weight": pd.Series(1, [3, 2, 1, 0])},
            "QueryRanker.fit",
            "a__sample_weight",
            "indexed like X",
            "an index with 3 in row 0, where X has 0,",
        ),
        (
            {"estimator": make_pipeline(TakesIds())},
            {"qid": [1, 1, 2, 2], "takesids__sample_weight": [1, 2]},
            "QueryRanker.fit",
            "takesids__sample_weight",
            "is computed from `sample_weight`",
            "[1, 2]",
        ),
        (
            {"estimator": make_pipeline(Ridge())},
            {"sample_weight": [1, 1, 2, 2], "ridge__sample_weight": [1, 1, 2, 3]},
            "QueryRanker.fit",
            "ridge__sample_weight",
            "is computed from `sample_weight`",
            "[1, 1, 2, 3]",
        ),
        (
            {"qid_from": no_ids},
            {},
            "QueryRanker.fit",
            "qid_from",
            "id of each row",
            "None from no_ids",
        ),
        (
            {"qid_from": NoIds()},
            {},
            "QueryRanker.fit",
            "qid_from",
            "id of each row",
            "None from NoIds()",
        ),
        (
            {"qid_from": 10},
            {"X": NAMED.set_axis([9, 10], axis=1)},
            "QueryRanker.fit",
            "qid_from",
            "a column of X",
            "10 for X of shape (4, 2)",
        ),
        (
            {"qid_from": "a"},
            {"X": pl.LazyFrame({"a": [1, 1, 2, 2], "b": [1, 2, 3, 4]})},
            "QueryRanker.fit",
            "X",
            "`qid_from` names a column",
            "a LazyFrame",
        ),
    ],
)
def test_what_a_query_ranker_refuses(params, fit_params, function, parameter, key, got):
    ranker = QueryRanker(**{"estimator": TakesIds()} | params)
    with raises(parameter, key, function=function, got=got):
        ranker.fit(**FOUR | fit_params)
