"""Scorers in scikit-learn's model selection; each fold's value is the one computed by hand."""

from __future__ import annotations

import copy
import pickle
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import UndefinedMetricWarning, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_validate,
)
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from ranking_scores import average_relevant_position, dcg_score, make_ranking_scorer, ndcg_score

CV = GroupKFold(3)


@pytest.fixture
def with_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def rows():
    """A pointwise learning-to-rank data set: features, relevance, query ids, weights."""
    rng = np.random.default_rng(0)
    qid = np.repeat(rng.permutation(30), rng.integers(1, 9, 30))
    X = rng.normal(size=(qid.size, 4))
    relevance = np.clip(np.round(X[:, 0] + rng.normal(size=qid.size)), 0, 3).astype(int)
    return X, relevance, qid, 1.0 + qid % 5


def by_hand(score, estimator, X, y, qid, weight=None, **params):
    """Return the score of each fold, fitted and computed without a scorer."""
    values = []
    for train, test in CV.split(X, y, qid):
        y_score = clone(estimator).fit(X[train], y[train]).predict(X[test])
        sample_weight = None if weight is None else weight[test]
        values.append(
            score(y[test], y_score, qid=qid[test], sample_weight=sample_weight, **params)
        )
    return values


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize(
    "estimator", [Ridge(), make_pipeline(StandardScaler(), Ridge()), DummyRegressor()]
)
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("container", [np.asarray, pd.Series])
def test_cross_validate_a_regressor_with_qid(rows, estimator, n_jobs, container):
    X, y, qid, _ = rows
    scoring = {
        "ndcg": make_ranking_scorer(ndcg_score, k=3, gain="exponential"),
        "dcg": make_ranking_scorer(dcg_score),
    }
    for scorer in scoring.values():
        scorer.set_score_request(qid=True)
    result = cross_validate(
        estimator,
        X,
        container(y),
        scoring=scoring,
        cv=CV,
        n_jobs=n_jobs,
        params={"qid": container(qid), "groups": qid},
        error_score="raise",
    )
    expected = by_hand(ndcg_score, estimator, X, y, qid, k=3, gain="exponential")
    assert result["test_ndcg"].tolist() == expected
    assert result["test_dcg"].tolist() == by_hand(dcg_score, estimator, X, y, qid)


@pytest.mark.usefixtures("with_routing")
def test_weights_of_queries_are_routed_too(rows):
    X, y, qid, weight = rows
    scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True, sample_weight=True)
    result = cross_validate(
        Ridge().set_fit_request(sample_weight=False),
        X,
        y,
        scoring=scorer,
        cv=CV,
        params={"qid": qid, "groups": qid, "sample_weight": weight},
        error_score="raise",
    )
    assert result["test_score"].tolist() == by_hand(ndcg_score, Ridge(), X, y, qid, weight)


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize("in_pipeline", [False, True])
def test_grid_search_finds_the_best_and_refits(rows, in_pipeline):
    X, y, qid, _ = rows
    estimator = make_pipeline(StandardScaler(), Ridge()) if in_pipeline else Ridge()
    name = "ridge__alpha" if in_pipeline else "alpha"
    alphas = [0.1, 10, 1e4]
    search = GridSearchCV(
        estimator,
        {name: alphas},
        scoring=make_ranking_scorer(ndcg_score, k=5).set_score_request(qid=True),
        cv=CV,
        n_jobs=2,
        error_score="raise",
    ).fit(X, y, qid=qid, groups=qid)
    means = [
        np.mean(by_hand(ndcg_score, clone(estimator).set_params(**{name: alpha}), X, y, qid, k=5))
        for alpha in alphas
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, rtol=1e-12)
    assert search.best_params_ == {name: alphas[int(np.argmax(means))]}
    assert search.score(X, y, qid=qid) == ndcg_score(y, search.predict(X), k=5, qid=qid)


@pytest.mark.usefixtures("with_routing")
def test_nothing_is_requested_silently(rows):
    X, y, qid, _ = rows
    scorer = make_ranking_scorer(ndcg_score)
    requests = scorer.get_metadata_routing().score.requests
    assert not any(requests.values())
    # The first is what scikit-learn 1.9 raises, the second what 1.6 does.
    with pytest.raises((UnsetMetadataPassedError, TypeError), match="qid"):
        cross_validate(Ridge(), X, y, scoring=scorer, cv=CV, params={"qid": qid, "groups": qid})


@pytest.mark.parametrize("routing", [False, True])
def test_without_qid_it_raises_and_says_how_to_route_it(rows, routing):
    X, y, _, _ = rows
    search = GridSearchCV(
        Ridge(), {"alpha": [1.0]}, scoring=make_ranking_scorer(ndcg_score, k=10), cv=KFold(2)
    )
    with sklearn.config_context(enable_metadata_routing=routing):
        with pytest.raises(ValueError, match=r"scorer\.set_score_request\(qid=True\)") as caught:
            search.set_params(error_score="raise").fit(X, y)
        assert str(caught.value) == (
            "The 'qid' parameter of make_ranking_scorer must be routed to the scorer if y_true "
            "is 1-D, with one item per row. Got None instead. Use "
            "`sklearn.set_config(enable_metadata_routing=True)`, "
            "`scorer.set_score_request(qid=True)` and `search.fit(X, y, qid=qid)`, or "
            "`make_ranking_scorer(..., qid_from=...)` if the ids are in X."
        )
        # With the default, the scores are NaN, and the message stands in the warnings.
        search.set_params(error_score=np.nan)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search.fit(X, y)
    assert np.isnan(search.cv_results_["mean_test_score"]).all()
    assert any("scorer.set_score_request(qid=True)" in str(w.message) for w in caught)
    assert not any(w.category is UndefinedMetricWarning for w in caught)


# --- Classes that may be grades ---------------------------------------------------------------

WARNING_OF_GRADES = (
    "make_ranking_scorer ranks the 4 numeric classes of LogisticRegression for each row, as "
    "class labels. If they are grades of items, call `scorer.set_score_request(qid=True)` and "
    "pass `qid`, or use `qid_from=`, usually with response_method='predict' or with an estimator "
    "that predicts the expected grade. If the classes are the items to rank, pass `labels=`."
)


def caught_of(scorer, estimator, X, y, **metadata):
    """Return the score, and the warnings that came with it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = scorer(estimator, X, y, **metadata)
    return value, caught


@pytest.fixture
def of_grades(rows):
    """A classifier of the grades 0 to 3, and the data that it was fitted on."""
    X, grades, _, _ = rows
    return LogisticRegression().fit(X, grades), X, grades


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize("dtype", [int, float, np.uint8])
@pytest.mark.parametrize("other", [False, True])
def test_numeric_classes_that_may_be_grades_warn(rows, dtype, other):
    X, grades, _, weight = rows
    model = LogisticRegression().fit(X, grades.astype(dtype))
    scorer, metadata = make_ranking_scorer(ndcg_score), {}
    if other:  # the request of something else says nothing about qid
        scorer, metadata = scorer.set_score_request(sample_weight=True), {"sample_weight": weight}
    value, caught = caught_of(scorer, model, X, grades, **metadata)
    assert value == ndcg_score(grades, model.decision_function(X), **metadata)
    assert [(str(each.message), each.category) for each in caught] == [
        (WARNING_OF_GRADES, UserWarning)
    ]


@pytest.mark.usefixtures("with_routing")
def test_the_warning_of_grades_names_a_pipeline(rows):
    X, grades, _, _ = rows
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, grades)
    with pytest.warns(UserWarning, match="4 numeric classes of Pipeline for each row"):
        make_ranking_scorer(ndcg_score)(model, X, grades)


@pytest.mark.usefixtures("with_routing")
def test_a_scorer_warns_of_grades_once_its_copies_too(of_grades):
    scorer = make_ranking_scorer(ndcg_score)
    same = pickle.loads(pickle.dumps(scorer))
    assert len(caught_of(scorer, *of_grades)[1]) == 1
    search = clone(GridSearchCV(LogisticRegression(), {}, scoring=scorer))
    copies = scorer, same, copy.deepcopy(scorer), pickle.loads(pickle.dumps(scorer))
    for each in (*copies, search.scoring):
        assert caught_of(each, *of_grades)[1] == []
    assert len(caught_of(make_ranking_scorer(ndcg_score), *of_grades)[1]) == 1


@pytest.mark.usefixtures("with_routing")
def test_a_warning_of_grades_that_is_an_error_is_one_each_time(of_grades):
    scorer = make_ranking_scorer(ndcg_score)
    for _ in range(2):
        with pytest.raises(UserWarning, match="If they are grades of items"):
            scorer(*of_grades)


@pytest.mark.usefixtures("with_routing")
def test_cross_validation_warns_of_grades_once_for_all_folds(of_grades):
    scorer = make_ranking_scorer(ndcg_score)
    model, X, grades = of_grades
    scoring = {"one": scorer, "two": make_ranking_scorer(dcg_score)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            # params: scikit-learn 1.6.0 fails without them where routing is enabled
            result = cross_validate(
                model, X, grades, scoring=scoring, cv=StratifiedKFold(2), params={}
            )
    assert [str(each.message) for each in caught] == [WARNING_OF_GRADES] * 2  # one a scorer
    assert np.isfinite(result["test_one"]).all()


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize("case", ["labels", "no", "words", "two", "regressor"])
def test_there_is_no_warning_where_classes_are_no_grades(rows, case):
    X, grades, qid, _ = rows
    scorer = make_ranking_scorer(ndcg_score, **{"labels": range(4)} if case == "labels" else {})
    if case == "no":
        scorer.set_score_request(qid=False)
    if case in ("two", "regressor"):
        scorer.set_score_request(qid=True)
    y = {"words": np.array(["a", "b", "c", "d"])[grades], "two": grades > 1}.get(case, grades)
    model = (Ridge() if case == "regressor" else LogisticRegression()).fit(X, y)
    params = {"qid": qid} if case in ("two", "regressor") else {}
    value, caught = caught_of(scorer, model, X, y, **params)
    assert caught == []
    y_score = model.predict(X) if case == "regressor" else model.decision_function(X)
    assert value == ndcg_score(y, y_score, **params)


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize("method", ["decision_function", "predict_proba", "predict"])
def test_two_classes_are_refused_rather_than_warned_of(rows, method):
    X, grades, _, _ = rows
    scorer = make_ranking_scorer(ndcg_score, response_method=method)
    model = LogisticRegression().fit(X, grades > 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=r"scorer\.set_score_request\(qid=True\)"):
            scorer(model, X, (grades > 1).astype(int))


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize(("request_of_qid", "name"), [(True, "qid"), ("of_query", "of_query")])
def test_classes_are_not_ranked_where_a_requested_qid_is_missing(
    of_grades, routing, request_of_qid, name
):
    scorers = [make_ranking_scorer(ndcg_score), make_ranking_scorer(ndcg_score, labels=range(4))]
    with sklearn.config_context(enable_metadata_routing=True):
        for scorer in scorers:
            scorer.set_score_request(qid=request_of_qid)
    with sklearn.config_context(enable_metadata_routing=routing):
        with pytest.raises(ValueError, match="'qid' parameter") as caught:
            scorers[0](*of_grades)
        assert str(caught.value) == (
            "The 'qid' parameter of make_ranking_scorer must be passed if the scorer requests "
            f"it. Got None instead. Pass `{name}` to the function that fits or validates, with "
            "metadata routing enabled."
        )
        model, X, grades = of_grades
        assert scorers[1](*of_grades) == ndcg_score(grades, model.decision_function(X))
        words = np.array(["bad", "fair", "good", "best"])[grades]
        model = LogisticRegression().fit(X, words)
        assert scorers[0](model, X, words) == ndcg_score(words, model.decision_function(X))


def test_there_is_no_warning_of_grades_where_qid_is_passed(rows):
    X, grades, qid, _ = rows
    with sklearn.config_context(enable_metadata_routing=True):
        for request, name in ((True, "qid"), ("of_query", "of_query")):
            scorer = make_ranking_scorer(ndcg_score, response_method="predict")
            scorer.set_score_request(qid=request)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                result = cross_validate(
                    LogisticRegression(),
                    X,
                    grades,
                    scoring=scorer,
                    cv=CV,
                    params={name: qid, "groups": qid},
                    error_score="raise",
                )
            by_grade = by_hand(ndcg_score, LogisticRegression(), X, grades, qid)
            assert result["test_score"].tolist() == by_grade


def test_numeric_classes_that_may_be_grades_warn_without_routing_too(of_grades):
    scorer = make_ranking_scorer(ndcg_score)
    [caught] = caught_of(scorer, *of_grades)[1]
    assert str(caught.message) == WARNING_OF_GRADES
    assert caught_of(make_ranking_scorer(ndcg_score, labels=range(4)), *of_grades)[1] == []


def test_two_dimensional_targets_need_no_qid():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.round(np.exp(X @ rng.normal(size=(3, 5)) / 2))
    model = MultiOutputRegressor(Ridge()).fit(X, y)
    scorer = make_ranking_scorer(ndcg_score, k=2)
    assert scorer(model, X, y) == ndcg_score(y, model.predict(X), k=2)


@pytest.mark.usefixtures("with_routing")
@pytest.mark.parametrize(
    ("classifier", "method"),
    [(LogisticRegression(), "decision_function"), (LinearSVC(), "decision_function")],
)
def test_a_binary_classifier_ranks_by_its_decision_function(rows, classifier, method):
    X, y, qid, _ = rows
    y = y > 1
    classifier.fit(X, y)
    scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True)
    expected = ndcg_score(y, getattr(classifier, method)(X), qid=qid)
    assert scorer(classifier, X, y, qid=qid) == expected


@pytest.mark.usefixtures("with_routing")
def test_the_response_method_can_be_chosen(rows):
    X, y, qid, _ = rows
    classifier = LogisticRegression().fit(X, y > 1)
    scorer = make_ranking_scorer(dcg_score, response_method="predict")
    value = scorer.set_score_request(qid=True)(classifier, X, y > 1, qid=qid)
    assert value == dcg_score(y > 1, classifier.predict(X), qid=qid)


def test_scorers_pickle_and_show_what_they_are():
    scorer = make_ranking_scorer(ndcg_score, k=10, gain="exponential")
    for same in (scorer, pickle.loads(pickle.dumps(scorer))):
        assert repr(same) == (
            "make_ranking_scorer(ndcg_score, "
            "response_method=('decision_function', 'predict_proba', 'predict'), "
            "k=10, gain=exponential)"
        )


def test_a_partial_of_a_score_is_taken_apart():
    model = DummyRegressor().fit([[0.0]], [[1, 0, 2]])
    scorer = make_ranking_scorer(partial(ndcg_score, k=2, gain="exponential"), k=1)
    assert repr(scorer) == repr(make_ranking_scorer(ndcg_score, k=1, gain="exponential"))
    assert scorer(model, [[0.0]], [[1, 0, 2]]) == 1.0
    with pytest.raises(ValueError, match=r"'k' parameter .* Got \[1, 2\] instead"):
        make_ranking_scorer(partial(ndcg_score, k=[1, 2]))


@pytest.mark.usefixtures("with_routing")
def test_a_score_that_is_better_low_is_negated_and_leaves_undefined_queries_out(rows):
    X, relevance, qid, _ = rows
    binary = (relevance >= 2).astype(int)
    scorer = make_ranking_scorer(average_relevant_position).set_score_request(qid=True)
    result = cross_validate(
        Ridge(), X, binary, cv=CV, scoring=scorer, params={"qid": qid, "groups": qid}
    )
    expected = by_hand(average_relevant_position, Ridge(), X, binary, qid)
    assert result["test_score"].tolist() == [-value for value in expected]
    per_query = average_relevant_position(binary, X[:, 0], qid=qid, average=None)
    assert np.isnan(per_query).any()
    search = GridSearchCV(
        Ridge(), {"alpha": [1e-3, 1e9]}, scoring=scorer, cv=CV, error_score="raise"
    ).fit(-X, relevance, qid=qid, groups=qid)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"]) < -1
