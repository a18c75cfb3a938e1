"""Rankers and classifiers in scikit-learn's model selection: each fold has its own value.

Every fold's value is computed by hand from the fold's indices, with the library called in its own
way.
"""

from __future__ import annotations

import pickle
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from fitted_rankers import (
    CV,
    LIBRARIES,
    fit_catboost,
    fit_xgboost,
    make_rows,
    no_ids,
    with_routing,  # noqa: F401
    xgboost_ranker,
)
from raising import raises
from scipy.stats import randint
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge
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
from warned import nothing_to_rank

from ranking_scores import (
    hit_rate_score,
    make_ranking_scorer,
    mean_average_precision_score,
    ndcg_score,
    sizes_from_qid,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.rankers import QueryRanker


def fit_ridge(X, y, qid, weight=None):
    return Ridge().fit(X, y, sample_weight=weight)


ALL = [*LIBRARIES, pytest.param(Ridge, fit_ridge, id="ridge")]
SCORES = {
    "ndcg": partial(ndcg_score, k=5, gain="exponential"),
    "map": partial(mean_average_precision_score, k=5),
    "hit": partial(hit_rate_score, k=1, replace_undefined_by=np.nan),
}


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
