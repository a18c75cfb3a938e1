"""Rankers of XGBoost, LightGBM and CatBoost, fitted by the id of the query of each row.

Every fold's value is computed by hand from the fold's indices, with the library called in its own
way. A test of a library is skipped where that is not installed.
"""

from __future__ import annotations

import inspect
import pickle
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from raising import raises
from scipy.stats import randint
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator
from warned import nothing_to_rank

from ranking_scores import (
    hit_rate_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    qid_from_sizes,
    sizes_from_qid,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.rankers import QueryRanker

OF_RANKERS = 1e-6  # the rankers' own metrics sum float32 gains, or print few digits
CV = GroupKFold(3)
DATA = Path(__file__).parents[1] / "examples" / "data" / "lambdarank"


def xgboost_ranker(**params):
    module = pytest.importorskip("xgboost", reason="xgboost is in the extra rankers")
    return module.XGBRanker(**{"n_estimators": 4, "n_jobs": 1, "max_depth": 3} | params)


def lightgbm_ranker(**params):
    module = pytest.importorskip("lightgbm", reason="lightgbm is in the extra rankers")
    defaults = {"n_estimators": 4, "n_jobs": 1, "verbose": -1, "min_child_samples": 2}
    return module.LGBMRanker(**defaults | params)


def catboost_ranker(**params):
    module = pytest.importorskip("catboost", reason="catboost is in the extra rankers")
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    return module.CatBoostRanker(
        **{"n_estimators": 4, "random_seed": 0, "depth": 3} | quiet | params
    )


def fit_xgboost(X, y, qid, weight=None, **params):
    """Fit as XGBoost wants it: rows sorted, one weight per query."""
    order = np.argsort(qid, kind="stable")
    if weight is not None:
        weight = [weight[qid == each][0] for each in np.unique(qid)]
    ranker = xgboost_ranker(**params)
    return ranker.fit(X[order], y[order], qid=qid[order], sample_weight=weight)


def fit_lightgbm(X, y, qid, weight=None, **params):
    """Fit as LightGBM wants it: rows sorted, the sizes of the queries, a weight for each row."""
    order = np.argsort(qid, kind="stable")
    weight = None if weight is None else weight[order]
    sizes = [np.sum(qid == each) for each in np.unique(qid)]
    return lightgbm_ranker(**params).fit(X[order], y[order], group=sizes, sample_weight=weight)


def fit_catboost(X, y, qid, weight=None, **params):
    """Fit as CatBoost wants it: rows of a query together, a weight for each of these rows."""
    order = np.argsort(qid, kind="stable")
    weight = None if weight is None else weight[order]
    return catboost_ranker(**params).fit(
        X[order], y[order], group_id=qid[order], group_weight=weight
    )


def fit_ridge(X, y, qid, weight=None):
    return Ridge().fit(X, y, sample_weight=weight)


LIBRARIES = [
    pytest.param(xgboost_ranker, fit_xgboost, id="xgboost"),
    pytest.param(lightgbm_ranker, fit_lightgbm, id="lightgbm"),
    pytest.param(catboost_ranker, fit_catboost, id="catboost"),
]
ALL = [*LIBRARIES, pytest.param(Ridge, fit_ridge, id="ridge")]
SCORES = {
    "ndcg": partial(ndcg_score, k=5, gain="exponential"),
    "map": partial(mean_average_precision_score, k=5),
    "hit": partial(hit_rate_score, k=1, replace_undefined_by=np.nan),
}


@pytest.fixture
def with_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def make_rows(n_queries=24, *, is_sorted=False):
    """Return features, grades, ids that are no numbers from 0 on, and a weight for each query."""
    rng = np.random.default_rng(0)
    qid = np.repeat(rng.choice(1000, n_queries, replace=False), rng.integers(3, 9, n_queries))
    qid = np.sort(qid) if is_sorted else rng.permutation(qid)
    X = rng.normal(size=(qid.size, 4)).astype(np.float32)
    y = np.clip(np.round(X[:, 0] + rng.normal(size=qid.size)), 0, 3).astype(int)
    return X, y, qid, 1.0 + qid % 5


@pytest.fixture
def rows():
    return make_rows()


def scorers(**params):
    """Return a scorer for each of `SCORES`."""
    scoring = {name: make_ranking_scorer(score, **params) for name, score in SCORES.items()}
    if not params:
        for scorer in scoring.values():
            scorer.set_score_request(qid=True)
    return scoring


def by_hand(name, fit, X, y, qid, **params):
    """Return a score of each fold, from its indices, the ranker fitted in its library's way."""
    values = []
    for train, test in CV.split(X, y, qid):
        y_score = fit(X[train], y[train], qid[train], **params).predict(X[test])
        values.append(SCORES[name](y[test], y_score, qid=qid[test]))
    return values


# --- Recipes ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize(("make", "fit"), ALL)
@pytest.mark.parametrize("in_pipeline", ["no", "inside", "outside"])
def test_cross_validate_gives_the_numbers_by_hand(rows, make, fit, in_pipeline):
    X, y, qid, _ = rows
    estimator = {
        "no": lambda: QueryRanker(make()),
        "inside": lambda: QueryRanker(make_pipeline("passthrough", make())),
        "outside": lambda: make_pipeline("passthrough", QueryRanker(make())),
    }[in_pipeline]()
    result = cross_validate(
        estimator,
        X,
        y,
        scoring=scorers(),
        cv=CV,
        n_jobs=2 if in_pipeline == "no" else 1,  # of processes, which take long to start
        params={"qid": qid, "groups": qid},
        error_score="raise",
    )
    for name in SCORES:
        assert result[f"test_{name}"].tolist() == by_hand(name, fit, X, y, qid)


@pytest.mark.usefixtures("with_routing")
def test_xgboost_works_by_routing_alone():
    X, y, qid, _ = make_rows(is_sorted=True)
    ranker = xgboost_ranker().set_fit_request(qid=True)
    params = {"qid": qid, "groups": qid}
    result = cross_validate(
        ranker, X, y, scoring=scorers(), cv=CV, params=params, error_score="raise"
    )
    for name in SCORES:
        assert result[f"test_{name}"].tolist() == by_hand(name, fit_xgboost, X, y, qid)


@pytest.mark.usefixtures("with_routing")
def test_what_shuffles_rows_breaks_xgboost_but_not_its_adapter():
    X, y, qid, _ = make_rows(is_sorted=True)
    own = {"cv": ShuffleSplit(2, random_state=0), "params": {"qid": qid}, "error_score": "raise"}
    with pytest.raises(Exception, match=r"(?i)sorted"):
        cross_validate(
            xgboost_ranker().set_fit_request(qid=True), X, y, scoring=scorers()["ndcg"], **own
        )
    _, messages = caught_of(
        cross_validate, QueryRanker(xgboost_ranker()), X, y, scoring=scorers()["ndcg"], **own
    )
    assert len(messages) == 1
    assert "scores only some rows of at least" in messages[0]

    def halve(ranker):
        HalvingGridSearchCV(
            ranker,
            {"learning_rate" if ranker is alone else "estimator__learning_rate": [0.1, 0.3]},
            scoring=scorers()["ndcg"],
            min_resources=60,
            cv=CV,
            error_score="raise",
            random_state=0,
        ).fit(X, y, qid=qid, groups=qid)

    alone = xgboost_ranker().set_fit_request(qid=True)
    with pytest.raises(Exception, match=r"(?i)sorted"):
        halve(alone)
    caught_of(halve, QueryRanker(alone))


SEARCHES = {
    "grid": partial(GridSearchCV, param_grid={"estimator__n_estimators": [2, 4]}),
    "randomized": partial(
        RandomizedSearchCV,
        param_distributions={"estimator__n_estimators": randint(2, 5)},
        n_iter=2,
        random_state=0,
    ),
}


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
def test_searches_refit_on_one_of_several_scores(rows, make, fit, search):
    X, y, qid, _ = rows
    search = SEARCHES[search](
        QueryRanker(make()), scoring=scorers(), refit="ndcg", cv=CV, error_score="raise"
    ).fit(X, y, qid=qid, groups=qid)
    for candidate, params in enumerate(search.cv_results_["params"]):
        own = {"n_estimators": params["estimator__n_estimators"]}
        for name in SCORES:
            of_folds = [
                search.cv_results_[f"split{fold}_test_{name}"][candidate] for fold in range(3)
            ]
            assert of_folds == by_hand(name, fit, X, y, qid, **own)
    assert search.best_index_ == np.argmax(search.cv_results_["mean_test_ndcg"])
    own = {"n_estimators": search.best_params_["estimator__n_estimators"]}
    y_score = fit(X, y, qid, **own).predict(X)
    np.testing.assert_array_equal(search.predict(X), y_score)
    assert search.score(X, y, qid=qid) == SCORES["ndcg"](y, y_score, qid=qid)


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
def test_halving_takes_trees_as_its_resource(rows, make, fit):
    X, y, qid, _ = rows
    search = HalvingGridSearchCV(
        QueryRanker(make()),
        {"estimator__learning_rate": [0.1, 0.3, 0.5]},
        scoring=make_ranking_scorer(SCORES["ndcg"]).set_score_request(qid=True),
        resource="estimator__n_estimators",
        min_resources=1,
        max_resources=3,
        factor=3,
        cv=CV,
        error_score="raise",
    ).fit(X, y, qid=qid, groups=qid)
    assert search.cv_results_["n_resources"].tolist() == [1, 1, 1, 3]
    for candidate, params in enumerate(search.cv_results_["params"]):
        own = {name.removeprefix("estimator__"): value for name, value in params.items()}
        for fold, value in enumerate(by_hand("ndcg", fit, X, y, qid, **own)):
            assert search.cv_results_[f"split{fold}_test_score"][candidate] == value


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize(("make", "fit"), ALL)
def test_cross_val_predict_is_followed_by_the_function(rows, make, fit):
    X, y, qid, _ = rows
    y_score = cross_val_predict(
        QueryRanker(make()), X, y, cv=CV, params={"qid": qid, "groups": qid}
    )
    expected = np.empty_like(y_score)
    for train, test in CV.split(X, y, qid):
        expected[test] = fit(X[train], y[train], qid[train]).predict(X[test])
    assert ndcg_score(y, y_score, qid=qid) == ndcg_score(y, expected, qid=qid)


@pytest.mark.parametrize(("make", "fit"), ALL)
def test_without_routing_the_ids_are_in_a_column(rows, make, fit):
    X, y, qid, _ = rows
    frame = pd.DataFrame(X, columns=list("abcd")).assign(query=qid)
    expected = {name: by_hand(name, fit, X, y, qid) for name in SCORES}
    for with_ids, qid_from in (
        (frame, "query"),
        (frame, lambda X: X["query"]),
        (frame if make is xgboost_ranker else pl.DataFrame(frame.to_dict("list")), "query"),
        (np.column_stack([qid, X]), 0),
        (np.column_stack([X, qid]), -1),
    ):
        estimator = QueryRanker(make(), qid_from=None if callable(qid_from) else qid_from)
        if callable(qid_from):
            estimator = QueryRanker(make_pipeline(OnlyFeatures(), make()), qid_from=qid_from)
        result = cross_validate(
            estimator,
            with_ids,
            y,
            groups=qid,
            scoring=scorers(qid_from=qid_from),
            cv=CV,
            error_score="raise",
        )
        for name in SCORES:
            np.testing.assert_allclose(result[f"test_{name}"], expected[name], rtol=1e-12)


class OnlyFeatures(BaseEstimator):
    """A step of a pipeline that leaves the ids out."""

    def fit(self, X, y=None):
        self.is_fitted_ = True
        return self

    def transform(self, X):
        return X[list("abcd")].to_numpy()


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


class Told(BaseEstimator):
    """A ranker that remembers what it was told."""

    def predict(self, X, factor=1):
        return factor * np.arange(len(X))


class TakesIds(Told):
    """A ranker that takes the id of the query of each row."""

    def fit(self, X, y, qid, sample_weight=None, **params):
        self.told_ = X, y, qid, sample_weight, params
        return self


class Inherits(TakesIds):
    """A subclass with the same fit."""


class HandsOn(Told):
    """Takes anything, and no ids by their name."""

    def fit(self, X, y, **params):
        self.told_ = X, y, params
        return self


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


# --- Classifiers ------------------------------------------------------------------------------


def without_ids(X):
    return X[:, 1:]


def bare(classifier):
    return make_pipeline(FunctionTransformer(without_ids), classifier)


def xgboost_classifier(**params):
    module = pytest.importorskip("xgboost", reason="xgboost is in the extra rankers")
    return module.XGBClassifier(n_estimators=4, n_jobs=1, max_depth=3, **params)


CLASSIFIERS = [
    partial(LogisticRegression, max_iter=1000),  # a decision function
    partial(RandomForestClassifier, 5, random_state=0),  # probabilities
    xgboost_classifier,
]


@pytest.mark.parametrize("make", CLASSIFIERS)
@pytest.mark.parametrize("n_relevant", [2, 3, 4])
def test_a_classifier_is_scored_as_it_is_bare(rows, make, n_relevant):
    X, y, qid, _ = rows
    y, X = np.minimum(y, n_relevant - 1), np.column_stack([qid, X])
    params = {"response_method": "predict"} if n_relevant > 2 else {}
    scores = [
        cross_val_score(
            model,
            X,
            y,
            groups=qid,
            scoring=make_ranking_scorer("ndcg@5", qid_from=0, **params),
            cv=CV,
            error_score="raise",
        ).tolist()
        for model in (bare(make()), QueryRanker(make(), qid_from=0))
    ]
    assert scores[0] == scores[1]
    if n_relevant == 2:  # which are not those of the predicted classes
        scorer = make_ranking_scorer("ndcg@5", qid_from=0, response_method="predict")
        model = QueryRanker(make(), qid_from=0).fit(X, y)
        assert scorer(model, X, y) < make_ranking_scorer("ndcg@5", qid_from=0)(model, X, y)


@pytest.mark.parametrize("make", CLASSIFIERS)
@pytest.mark.parametrize("to", [str, int])
def test_classes_are_ranked_as_they_are_bare(rows, make, to):
    X, y, _, _ = rows
    if to is str and make is not xgboost_classifier:
        y = np.array(list(map(str, y)))
    found = [
        caught_of(make_ranking_scorer("ndcg@2"), model.fit(X, y), X, y)
        for model in (make(), QueryRanker(make()))
    ]
    assert found[0][0] == found[1][0]
    assert len(found[0][1]) == len(found[1][1]) == (y.dtype.kind == "i")
    model = QueryRanker(make()).fit(X, y)
    assert model.classes_.tolist() == sorted(set(y.tolist()))
    assert is_classifier(model)
    np.testing.assert_array_equal(model.predict_proba(X), make().fit(X, y).predict_proba(X))


def test_labels_of_samples_are_ranked_as_they_are_bare(rows):
    X, y, _, _ = rows
    labels = (y[:, None] > [0, 1, 2]).astype(int)
    scorer, model = make_ranking_scorer("ndcg@2"), RandomForestClassifier(5, random_state=0)
    expected = scorer(model.fit(X, labels), X, labels)
    assert scorer(QueryRanker(model).fit(X, labels), X, labels) == expected


@pytest.mark.parametrize(
    "wrap", [lambda each: each, lambda each: GridSearchCV(each, {}, cv=2, scoring="accuracy")]
)
@pytest.mark.parametrize("inner", [lambda each: each, make_pipeline])
def test_what_is_refused_of_a_bare_classifier_is_refused(rows, wrap, inner):
    X, y, qid, _ = rows
    X = np.column_stack([qid, X])
    scorer = make_ranking_scorer("ndcg", qid_from=0)
    model = QueryRanker(inner(LogisticRegression(max_iter=9999)), qid_from=0).fit(X / 1000, y)
    with pytest.raises(
        InvalidParameterError, match="For a classifier of several grades, use resp"
    ):
        scorer(model, X, y)
    pairs = QueryRanker(inner(SVC(decision_function_shape="ovo")))
    pairs = wrap(pairs).fit(X, np.minimum(y, 2))  # of which there are three, as of classes
    with pytest.raises(InvalidParameterError, match="Use decision_function_shape='ovr'"):
        make_ranking_scorer("ndcg")(pairs, X, np.minimum(y, 2))


def test_an_outlier_detector_is_scored_as_it_is_bare(rows):
    X, y, qid, _ = rows
    X, scorer = np.column_stack([qid, X]), make_ranking_scorer("ndcg", qid_from=0)
    models = [bare(IsolationForest(n_estimators=5, random_state=0)).fit(X)]
    models += [QueryRanker(IsolationForest(n_estimators=5, random_state=0), qid_from=0).fit(X, y)]
    assert len({scorer(model, X, y) for model in models}) == 1


def test_what_an_estimator_lacks_its_adapter_lacks(rows):
    X, y, _, _ = rows
    ranker = QueryRanker(Ridge())
    for each in (ranker, clone(ranker).fit(X, y)):
        for name in ("predict_proba", "decision_function", "classes_"):
            assert not hasattr(each, name)
    classifier = QueryRanker(LogisticRegression())
    assert hasattr(classifier, "decision_function")
    assert not hasattr(classifier, "classes_")  # before it is fitted


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


def no_ids(X):
    """Forget to return the ids."""
    X[:, 0]


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


# --- The rankers' own metrics, and ours inside of them ----------------------------------------

K = [1, 3, 5, 10]


def load_queries(part, n_queries):
    """Return features, labels (relevant or not, in a few queries none is) and ids of queries."""
    X, y = load_svmlight_file(DATA / f"rank.{part}.gz", n_features=300, zero_based=False)
    sizes = np.loadtxt(DATA / f"rank.{part}.query", dtype=int)[:n_queries]
    qid = qid_from_sizes(sizes)
    return X[: qid.size].toarray(), y[: qid.size].astype(int), qid


def last_of(history):
    """Return the last value of each metric."""
    return {name: values[-1] for name, values in history.items()}


def metrics_of_xgboost(train, test):
    metrics = [f"{name}@{k}" for name in ("ndcg", "map") for k in K]
    ranker = xgboost_ranker(eval_metric=metrics if test[1].max() == 1 else metrics[: len(K)])
    X, y, qid = train
    ranker.fit(X, y, qid=qid, eval_set=[test[:2]], eval_qid=[test[2]], verbose=False)
    return ranker, last_of(ranker.evals_result()["validation_0"])


def validation_set(ranker, X, y, qid):
    """Return a validation set as this release of LightGBM takes it."""
    data = {"eval_X": (X,), "eval_y": (y,)}
    if "eval_X" not in inspect.signature(ranker.fit).parameters:
        data = {"eval_set": [(X, y)]}
    return data | {"eval_group": [sizes_from_qid(qid)]}


def metrics_of_lightgbm(train, test):
    X, y, qid = train
    ranker = lightgbm_ranker()
    validation = validation_set(ranker, *test)
    metrics = {"eval_metric": ["ndcg", "map"], "eval_at": K}
    ranker.fit(X, y, group=sizes_from_qid(qid), **validation, **metrics)
    return ranker, last_of(ranker.evals_result_["valid_0"])


def metrics_of_catboost(train, test):
    catboost = pytest.importorskip("catboost", reason="catboost is in the extra rankers")
    names = {f"NDCG:top={k};type=Exp": f"ndcg@{k}" for k in K}
    names |= {f"MAP:top={k}": f"map@{k}" for k in K}
    names |= {f"NDCG:top={k};type=Base": f"linear ndcg@{k}" for k in K}
    X, y, qid = train
    ranker = catboost_ranker(custom_metric=list(names))
    pool = catboost.Pool(*test[:2], group_id=test[2])
    ranker.fit(X, y, group_id=qid, eval_set=pool, use_best_model=False)
    history = last_of(ranker.get_evals_result()["validation"])
    return ranker, {own: history[name] for name, own in names.items()}


@pytest.mark.parametrize("is_graded", [True, False])
@pytest.mark.parametrize(
    ("metrics_of", "map_of_none"),
    [(metrics_of_xgboost, 1.0), (metrics_of_lightgbm, 1.0), (metrics_of_catboost, 0.0)],
)
def test_ndcg_and_map_are_the_numbers_of_the_rankers(metrics_of, map_of_none, is_graded):
    train, (X, y, qid) = load_queries("train", 30), load_queries("test", 30)
    y = y if is_graded else (y > 1).astype(int)
    assert any(y[qid == each].max() == 0 for each in range(30)) is not is_graded
    # Each breaks ties in its own way, so the rows whose score another row has too are left out.
    ranker, _ = metrics_of(train, (X, y, qid))
    pairs = np.column_stack([qid, ranker.predict(X)])
    first = np.sort(np.unique(pairs, axis=0, return_index=True)[1])
    X, y, qid = X[first], y[first], qid[first]
    ranker, theirs = metrics_of(train, (X, y, qid))
    y_score = ranker.predict(X)
    ndcg = ndcg_score(y, y_score, qid=qid, k=K, gain="exponential", replace_undefined_by=1.0)
    np.testing.assert_allclose([theirs[f"ndcg@{k}"] for k in K], ndcg, rtol=OF_RANKERS)
    if metrics_of is metrics_of_catboost:
        ndcg = ndcg_score(y, y_score, qid=qid, k=K, replace_undefined_by=1.0)
        np.testing.assert_allclose([theirs[f"linear ndcg@{k}"] for k in K], ndcg, rtol=OF_RANKERS)
    if not is_graded:
        ours = mean_average_precision_score(
            y, y_score, qid=qid, k=K, denominator="achievable", replace_undefined_by=map_of_none
        )
        np.testing.assert_allclose([theirs[f"map@{k}"] for k in K], ours, rtol=OF_RANKERS)


def ndcg_at_5(y_true, y_score, qid):
    return ndcg_score(y_true, y_score, qid=qid, k=5, gain="exponential", replace_undefined_by=1.0)


def test_early_stopping_of_xgboost_by_our_score():
    xgboost = pytest.importorskip("xgboost", reason="xgboost is in the extra rankers")
    (X, y, qid), (X_val, y_val, qid_val) = load_queries("train", 30), load_queries("test", 20)

    def ndcg(y_score, data):
        sizes = np.diff(data.get_uint_info("group_ptr"))
        return "ndcg", ndcg_at_5(data.get_label(), y_score, qid_from_sizes(sizes))

    history, validation = {}, xgboost.DMatrix(X_val, y_val, qid=qid_val)
    booster = xgboost.train(
        {"objective": "rank:ndcg", "max_depth": 3, "nthread": 1, "disable_default_eval_metric": 1},
        xgboost.DMatrix(X, y, qid=qid),
        num_boost_round=30,
        evals=[(validation, "validation")],
        custom_metric=ndcg,
        maximize=True,
        early_stopping_rounds=3,
        evals_result=history,
        verbose_eval=False,
    )
    values = history["validation"]["ndcg"]
    assert len(values) == booster.best_iteration + 4 < 30
    assert booster.best_iteration == np.argmax(values)
    best = booster.predict(validation, iteration_range=(0, booster.best_iteration + 1))
    assert booster.best_score == pytest.approx(ndcg_at_5(y_val, best, qid_val), rel=OF_RANKERS)


def test_xgboosts_class_calls_a_score_for_each_query_and_weighs_by_size():
    (X, y, qid), (X_val, y_val, qid_val) = load_queries("train", 30), load_queries("test", 20)

    def negative_ndcg(y_true, y_score):
        return -ndcg_at_5(y_true, y_score, np.zeros(y_true.size))

    ranker = xgboost_ranker(eval_metric=negative_ndcg, early_stopping_rounds=3)
    ranker.fit(X, y, qid=qid, eval_set=[(X_val, y_val)], eval_qid=[qid_val], verbose=False)
    y_score = ranker.predict(X_val)
    size = np.repeat(sizes_from_qid(qid_val), sizes_from_qid(qid_val))
    weighted = ndcg_score(y_val, y_score, qid=qid_val, k=5, gain="exponential", sample_weight=size)
    assert -ranker.best_score == pytest.approx(weighted, rel=OF_RANKERS)
    assert abs(weighted - ndcg_at_5(y_val, y_score, qid_val)) > 1e-3


@pytest.mark.parametrize("by_adapter", [False, True])
def test_early_stopping_of_lightgbm_by_our_score(by_adapter):
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is in the extra rankers")
    (X, y, qid), (X_val, y_val, qid_val) = load_queries("train", 30), load_queries("test", 20)

    def ndcg(y_true, y_score, weight, group):
        return "our ndcg", ndcg_at_5(y_true, y_score, qid_from_sizes(group)), True

    ranker = lightgbm_ranker(n_estimators=40, metric="None")
    params = validation_set(ranker, X_val, y_val, qid_val) | {
        "eval_metric": ndcg,
        "callbacks": [lightgbm.early_stopping(3, verbose=False)],
    }
    if by_adapter:
        order = np.random.default_rng(0).permutation(qid.size)
        of_query = np.argsort(qid[order], kind="stable")  # to its place: a query's rows in order
        order[of_query] = np.arange(qid.size)
        adapter = QueryRanker(ranker).fit(X[order], y[order], qid=qid[order], **params)
        ranker = adapter.estimator_
    else:
        ranker.fit(X, y, group=sizes_from_qid(qid), **params)
    values = ranker.evals_result_["valid_0"]["our ndcg"]
    assert ranker.best_iteration_ == np.argmax(values) + 1 < 40
    outside = ndcg_at_5(y_val, ranker.predict(X_val), qid_val)
    assert ranker.best_score_["valid_0"]["our ndcg"] == outside

    def of_dataset(y_score, data):
        sizes = qid_from_sizes(data.get_group())
        return "our ndcg", ndcg_at_5(data.get_label(), y_score, sizes), True

    data = lightgbm.Dataset(X, y, group=sizes_from_qid(qid))
    booster = lightgbm.train(
        {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1}
        | {"min_child_samples": 2},
        data,
        num_boost_round=40,
        valid_sets=[data.create_valid(X_val, y_val, group=sizes_from_qid(qid_val))],
        feval=of_dataset,
        callbacks=[lightgbm.early_stopping(3, verbose=False)],
    )
    assert booster.best_score["valid_0"]["our ndcg"] == outside


# --- Errors of those who use scorers ----------------------------------------------------------


def caught_of(function, *args, **kwargs):
    """Return a result and the messages of the warnings that came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    return result, [str(each.message) for each in caught]


def cut_queries(n_cut, n_queries):
    return (
        f"make_ranking_scorer scores only some rows of at least {n_cut} of {n_queries} queries: "
        "the estimator was fitted on their other rows. Ranking a part of a query is a different, "
        "often easier, task. Keep all rows of a query in one fold, such as by `GroupKFold` with "
        "`groups=qid`."
    )


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize("wrap", ["no", "pipeline", "search"])
def test_queries_that_are_cut_apart_are_counted_in_one_warning(rows, wrap):
    X, y, qid, _ = rows
    estimator = {
        "no": lambda each: each,
        "pipeline": lambda each: make_pipeline("passthrough", each),
        "search": lambda each: GridSearchCV(
            each, {}, scoring=scorers()["ndcg"], cv=CV, error_score="raise"
        ),
    }[wrap](QueryRanker(Ridge()))
    scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True)
    train, test = next(KFold(3).split(X))
    groups = {"groups": qid[train]} if wrap == "search" else {}
    model = estimator.fit(X[train], y[train], qid=qid[train], **groups)
    n_cut = sum(
        0 < np.sum(qid[train] == each) != np.sum(qid[test] == each)
        for each in np.unique(qid[test])
    )
    value, messages = caught_of(scorer, model, X[test], y[test], qid=qid[test])
    assert messages == [cut_queries(n_cut, np.unique(qid[test]).size)]
    assert value == ndcg_score(y[test], model.predict(X[test]), qid=qid[test])
    for _ in range(2):
        assert caught_of(scorer, model, X[test], y[test], qid=qid[test])[1] == []


@pytest.mark.usefixtures("with_routing")
def test_cross_validation_warns_of_cut_queries_once_and_not_if_they_are_whole(rows):
    X, y, qid, _ = rows
    for cv, n_warnings in ((KFold(3), 1), (CV, 0)):
        scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True)
        params = {"qid": qid} | ({"groups": qid} if cv is CV else {})
        _, messages = caught_of(
            cross_validate,
            QueryRanker(Ridge()),
            X,
            y,
            scoring=scorer,
            cv=cv,
            params=params,
            return_train_score=True,
            error_score="raise",
        )
        assert len(messages) == n_warnings
        assert all("GroupKFold" in each for each in messages)


@pytest.mark.usefixtures("with_routing")
def test_there_is_no_warning_where_nothing_is_known_to_be_cut(rows):
    X, y, qid, _ = rows
    scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True)
    train, test = next(CV.split(X, y, qid))
    model = QueryRanker(Ridge()).fit(X[train], y[train], qid=qid[train])
    half = np.arange(qid.size) % 2 == 0
    for part in (train, test, slice(None)):
        assert caught_of(scorer, model, X[part], y[part], qid=qid[part])[1] == []
    text = np.array([f"query {each}" for each in qid])
    days = qid.astype("M8[D]")
    mixed = np.array([(each,) for each in qid], dtype="O,").astype(object)
    for other in (text, days, mixed):  # of other types, so of other queries
        assert caught_of(scorer, model, X[half], y[half], qid=other[half])[1] == []
    of_text = QueryRanker(Ridge()).fit(X, y, qid=text)
    for other in (days.astype(object), mixed, qid):
        assert caught_of(scorer, of_text, X[half], y[half], qid=other[half])[1] == []
    assert len(caught_of(scorer, of_text, X[half], y[half], qid=text[half])[1]) == 1
    for unknown in (Ridge().fit(X, y), QueryRanker(Ridge()).fit(X, y)):
        assert caught_of(scorer, unknown, X[half], y[half], qid=qid[half])[1] == []


@pytest.mark.usefixtures("with_routing")
def test_sizes_that_are_passed_as_qid_are_refused_in_every_fold(rows):
    X, y, qid, _ = make_rows(is_sorted=True)
    sizes = sizes_from_qid(qid)
    n_rows = next(CV.split(X, y, qid))[1].size
    key, got = f"({n_rows},), one id per row", f"shape ({sizes.size},)"
    advice = "`qid=ranking_scores.qid_from_sizes(qid)`"
    with raises("qid", key, function="make_ranking_scorer", got=got, advice=advice):
        cross_validate(
            Ridge(),
            X,
            y,
            scoring=make_ranking_scorer(ndcg_score).set_score_request(qid=True),
            cv=CV,
            params={"qid": sizes, "groups": qid},
            error_score="raise",
        )


def test_qid_is_refused_where_the_scorer_takes_it_out_of_x(rows):
    X, y, _, _ = rows
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(ndcg_score, qid_from=0).set_score_request(qid=True)
        with raises("qid", "by `qid_from`", function="make_ranking_scorer", got="[1, 2]"):
            scorer(Ridge().fit(X, y), X, y, qid=[1, 2])
    with pytest.raises(InvalidParameterError, match=r"'qid_from' .* Got 'query' instead\."):
        make_ranking_scorer(ndcg_score, qid_from="query")(Ridge().fit(X, y), X, y)
    with pytest.raises(InvalidParameterError, match="'qid_from' parameter of make_ranking_scorer"):
        make_ranking_scorer(ndcg_score, qid_from=["query"])


@pytest.mark.usefixtures("with_routing")
def test_a_scorer_that_is_called_without_ids_names_qid(rows):
    X, y, _, _ = rows
    model = Ridge().fit(X, y)
    scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True)
    for params in ({}, {"qid": None}):
        with raises("qid", "routed to the scorer", function="make_ranking_scorer", got="None"):
            scorer(model, X, y, **params)
    key, got = "a callable that returns the id", "None from no_ids"
    with raises("qid_from", key, function="make_ranking_scorer", got=got):
        make_ranking_scorer(ndcg_score, qid_from=no_ids)(model, X, y)


def first_column(X):
    return X[:, 0]


def test_a_scorer_shows_where_its_ids_are():
    for qid_from, shown in (("query", "'query'"), (-1, "-1"), (first_column, "first_column")):
        scorer = make_ranking_scorer(ndcg_score, k=5, qid_from=qid_from)
        assert repr(pickle.loads(pickle.dumps(scorer))) == (
            "make_ranking_scorer(ndcg_score, response_method=('decision_function', "
            f"'predict_proba', 'predict'), k=5, qid_from={shown})"
        )


def test_a_classifier_of_grades_needs_no_warning_where_its_ids_are_in_x(rows):
    X, y, qid, _ = rows
    X = np.column_stack([X, qid])
    model = LogisticRegression(max_iter=10000).fit(X / 1000, y)
    scorer = make_ranking_scorer(ndcg_score, response_method="predict", qid_from=-1)
    value, messages = caught_of(scorer, model, X, y)
    assert (value, messages) == (ndcg_score(y, model.predict(X), qid=qid), [])


def test_catboost_has_no_classes_and_is_scored_without_an_adapter(rows):
    X, y, qid, _ = rows
    model = fit_catboost(X, y, qid)
    scorer = make_ranking_scorer(ndcg_score, qid_from=lambda X: qid)
    assert scorer(model, X, y) == ndcg_score(y, model.predict(X), qid=qid)


@pytest.mark.usefixtures("with_routing")
def test_a_fold_without_relevant_items_says_so():
    X, qid = np.arange(12.0)[:, None], np.repeat([0, 1, 2], 4)
    y = np.array([0, 1, 2, 0] + [0] * 4 + [1, 0, 0, 1])
    scorer = make_ranking_scorer(ndcg_score, replace_undefined_by=np.nan)
    result, messages = caught_of(
        cross_validate,
        QueryRanker(Ridge()),
        X,
        y,
        scoring=scorer.set_score_request(qid=True),
        cv=GroupKFold(3),
        params={"qid": qid, "groups": qid},
        error_score="raise",
    )
    assert messages == ["ndcg_score is undefined: no query has both a weight and a defined score."]
    assert np.isnan(result["test_score"]).tolist() == [False, True, False]


@nothing_to_rank
@pytest.mark.parametrize(
    ("y", "qid", "value"),
    [
        ([1, 1, 1], [7, 7, 7], 1.0),  # constant
        ([1], [7], 1.0),  # single
        ([0, 0, 0], [7, 7, 7], 0.0),  # without relevant items
    ],
)
def test_queries_that_no_model_can_get_wrong_have_a_value(y, qid, value):
    X = np.arange(len(y))[:, None] * 1.0
    for sign in (1, -1):
        model = Ridge().fit([[0.0], [1.0]], [0, sign])
        scorer = make_ranking_scorer(ndcg_score, qid_from=lambda X: qid)
        assert scorer(model, X, y) == value
