"""Rankers of XGBoost, LightGBM and CatBoost, fitted by the id of the query of each row.

Every fold's value is computed by hand from the fold's indices, with the library called in its own
way. A test of a library is skipped where that is not installed.
"""

from __future__ import annotations

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
from scipy.stats import randint
from sklearn.base import BaseEstimator, clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from ranking_scores import (
    hit_rate_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
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
    """Fit as XGBoost wants it: rows sorted, a weight for each query."""
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
        n_jobs=2,
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
        QueryRanker(make()), scoring=scorers(), refit="ndcg", cv=CV, n_jobs=2, error_score="raise"
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
        n_jobs=2,
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
        (pl.from_pandas(frame), "query"),
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
    with pytest.raises(InvalidParameterError) as caught:
        QueryRanker(xgboost_ranker()).fit(X, y, qid=qid, sample_weight=weight)
    assert str(caught.value) == (
        "The 'sample_weight' parameter of QueryRanker.fit must be the same for all rows of a "
        f"query. Got 1.0 and 2.5 in the query with qid {qid[7]} instead."
    )


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

    def fit(self, X, y, qid, sample_weight=None, extra=None, eval_set=None):
        self.told_ = X, y, qid, sample_weight, extra, eval_set
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
        X, y, qid, weight, extra=np.array(list("vwxyz")), eval_set=other
    )
    features, labels, ids, weights, extra, eval_set = ranker.estimator_.told_
    assert features[:, 0].tolist() == [2, 6, 0, 4, 8]
    assert labels.tolist() == [1, 0, 0, 2, 1]
    assert ids.tolist() == [0, 0, 1, 1, 1]
    assert weights.tolist() == [2, 4, 1, 3, 5]
    assert extra.tolist() == list("wyvxz")  # it has a value for each row
    assert eval_set is other
    assert ranker.predict(X, factor=2).tolist() == [0, 2, 4, 6, 8]
    # Sorted rows are not copied.
    ranker.fit(X, y, qid=[1, 1, 2, 2, 2])
    assert ranker.estimator_.told_[0] is X
    # Who takes no ids gets none, and the rows as they are.
    ranker = QueryRanker(TakesNothing()).fit(X, y, qid=qid)
    assert ranker.estimator_.told_[0] is X
    assert ranker.query_ids_.tolist() == ["a", "b"]
    assert not hasattr(ranker.fit(X, y), "query_ids_")
    assert not hasattr(ranker, "query_sizes_")


def test_weights_of_as_many_queries_as_rows_are_sorted_once():
    X, y = np.zeros((3, 1)), np.arange(3)
    expected = fit_xgboost(np.eye(3), y, np.array([0, 1, 2]), np.array([1.0, 2, 3]))
    ranker = QueryRanker(xgboost_ranker()).fit(
        np.eye(3)[[2, 0, 1]], y[[2, 0, 1]], qid=[2, 0, 1], sample_weight=[3.0, 1, 2]
    )
    np.testing.assert_array_equal(ranker.predict(np.eye(3)), expected.predict(np.eye(3)))
    assert X.shape == (3, 1)


# --- A scikit-learn estimator -----------------------------------------------------------------


@parametrize_with_checks([QueryRanker(LinearRegression()), QueryRanker(make_pipeline(Ridge()))])
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
TO_IDS = "Sizes of queries become ids by `qid=ranking_scores.qid_from_sizes({})`."


@pytest.mark.parametrize(
    ("params", "fit_params", "message"),
    [
        (
            {},
            {},
            "'qid' parameter of QueryRanker.fit must be the id of the query of each row, which "
            "TakesIds ranks by. Got None instead. Use `fit(X, y, qid=qid)`, also of a search, or "
            f"`QueryRanker(..., qid_from=...)` if X has the ids. {TO_IDS.format('sizes')}",
        ),
        (
            {"estimator": make_pipeline(make_pipeline(TakesIds()))},
            {"sample_weight": [1, 1, 1, 1]},
            "'qid' parameter of QueryRanker.fit must be the id of the query of each row, which "
            "TakesIds ranks by. Got None instead. Use `fit(X, y, qid=qid)`, also of a search, or "
            f"`QueryRanker(..., qid_from=...)` if X has the ids. {TO_IDS.format('sizes')}",
        ),
        (
            {},
            {"group": [2, 2]},
            "'group' parameter of QueryRanker.fit must be left out, since it is made of `qid`. "
            f"Got [2, 2] instead. {TO_IDS.format('group')}",
        ),
        (
            {"estimator": make_pipeline(TakesIds())},
            {"takesids__group_id": [2, 2, 3, 3]},
            "'takesids__group_id' parameter of QueryRanker.fit must be left out, since it is "
            "made of `qid`. Got [2, 2, 3, 3] instead. Pass the ids as `qid`.",
        ),
        (
            {},
            {"qid": [3, 1]},
            "'qid' parameter of QueryRanker.fit must be of shape (4,), an id for each row. Got "
            f"shape (2,) instead. {TO_IDS.format('qid')}",
        ),
        (
            {},
            {"qid": ["a", "b"]},
            "'qid' parameter of QueryRanker.fit must be of shape (4,), an id for each row. Got "
            "shape (2,) instead.",
        ),
        (
            {},
            {"qid": [1, 1, 2, 2], "sample_weight": [1.0, 2.0]},
            "'sample_weight' parameter of QueryRanker.fit must be of shape (4,), a weight for "
            "each row. Got shape (2,) instead.",
        ),
        (
            {},
            {"qid": [1, 1, 2, 2], "sample_weight": [1, 1, -1, 1]},
            "'sample_weight' parameter of QueryRanker.fit must be finite and not negative. Got "
            "-1.0 at position 2 instead.",
        ),
        (
            {"estimator": TakesIds},
            {"qid": [1, 1, 2, 2]},
            "'estimator' parameter of QueryRanker must be an estimator with `fit`, `predict` "
            "and `get_params`. Got the function TakesIds instead. Pass an instance: `TakesIds()`.",
        ),
        (
            {"estimator": 3},
            {"qid": [1, 1, 2, 2]},
            "'estimator' parameter of QueryRanker must be an estimator with `fit`, `predict` "
            "and `get_params`. Got 3 instead.",
        ),
        (
            {"qid_from": 1.5},
            {},
            "'qid_from' parameter of QueryRanker must be None, the name of a column of X, its "
            "index, or a callable of X. Got 1.5 instead.",
        ),
        (
            {"qid_from": True},
            {},
            "'qid_from' parameter of QueryRanker must be None, the name of a column of X, its "
            "index, or a callable of X. Got True instead.",
        ),
        (
            {"qid_from": 0},
            {"qid": [1, 1, 2, 2]},
            "'qid' parameter of QueryRanker.fit must be None where the ids are taken out of X, "
            "by `qid_from`. Got [1, 1, 2, 2] instead.",
        ),
        (
            {"qid_from": 2},
            {},
            "'qid_from' parameter of QueryRanker.fit must be the index of a column of X. Got "
            "2 for X of shape (4, 2) instead.",
        ),
        (
            {"qid_from": "query"},
            {},
            "'qid_from' parameter of QueryRanker.fit must be the index of a column, or a "
            "callable, where the columns of X have no names. Got 'query' instead.",
        ),
        (
            {"qid_from": "query"},
            {"X": NAMED},
            "'qid_from' parameter of QueryRanker.fit must be the name of one column of X. Got "
            "'query' for the columns 'a', 'b' instead.",
        ),
        (
            {"qid_from": "a"},
            {"X": TWICE},
            "'qid_from' parameter of QueryRanker.fit must be the name of one column of X. Got "
            "'a', which several columns have, instead.",
        ),
        (
            {"qid_from": 0},
            {"X": ["some", "text", "of", "words"]},
            "'qid_from' parameter of QueryRanker.fit must be the index of a column of X. Got "
            "0 for X of shape (4,) instead.",
        ),
        (
            {},
            {"X": NAMED, "qid": pd.Series([1, 1, 2, 2], index=[3, 2, 1, 0])},
            "'qid' parameter of QueryRanker.fit must be indexed as X is. Got an index with 3 "
            "in row 0, where X has 0, instead. Sort them alike, or pass `.to_numpy()` if rows "
            "belong together as they stand.",
        ),
    ],
)
def test_what_a_query_ranker_refuses(params, fit_params, message):
    ranker = QueryRanker(**{"estimator": TakesIds()} | params)
    with pytest.raises(InvalidParameterError) as caught:
        ranker.fit(**FOUR | fit_params)
    assert str(caught.value) == f"The {message}"
