"""Scorers with every kind of scikit-learn estimator: each column stands for what it should.

Every value is compared with one computed by hand from the estimator's own response.
"""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from raising import raises
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import top_k_accuracy_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ranking_scores import (
    dcg_score,
    hit_rate_score,
    make_ranking_scorer,
    ndcg_score,
    pairwise_accuracy_score,
)

CV = KFold(3)


@pytest.fixture
def multilabel():
    """Samples with four labels each, 0 or 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5))
    Y = (X @ rng.normal(size=(5, 4)) + rng.normal(size=(90, 4)) > 0.3).astype(int)
    return X, Y


@pytest.fixture
def multiclass():
    """Samples of four classes, which are strings."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 5))
    y = np.array(["ant", "bee", "cat", "dog"])[(X @ rng.normal(size=(5, 4))).argmax(axis=1)]
    return X, y


def positive_columns(probabilities):
    """Return the probability of 1 of each output, from a list of two columns each."""
    return np.column_stack([probability[:, 1] for probability in probabilities])


def same(response):
    """Return a response that already has a column for each label."""
    return response


MULTILABEL = [
    (OneVsRestClassifier(LogisticRegression()), "decision_function", same),
    (
        OneVsRestClassifier(DecisionTreeClassifier(max_depth=3, random_state=0)),
        "predict_proba",
        same,
    ),
    (RidgeClassifier(), "decision_function", same),
    (
        MLPClassifier(2, solver="lbfgs", alpha=1, tol=0.01, max_iter=9999, random_state=0),
        "predict_proba",
        same,
    ),
    (ClassifierChain(LogisticRegression()), "decision_function", same),
    (RandomForestClassifier(5, random_state=0), "predict_proba", positive_columns),
    (DecisionTreeClassifier(max_depth=3, random_state=0), "predict_proba", positive_columns),
    (KNeighborsClassifier(), "predict_proba", positive_columns),
    (MultiOutputClassifier(LogisticRegression()), "predict_proba", positive_columns),
    (make_pipeline(StandardScaler(), KNeighborsClassifier()), "predict_proba", positive_columns),
]
SCORING = {
    "ndcg": make_ranking_scorer(ndcg_score, k=2),
    "dcg": make_ranking_scorer(dcg_score),
    "hit": make_ranking_scorer(hit_rate_score, k=1),
    "pairs": make_ranking_scorer("pairwise_accuracy"),
}
BY_HAND = {
    "ndcg": lambda y_true, y_score: ndcg_score(y_true, y_score, k=2),
    "dcg": dcg_score,
    "hit": lambda y_true, y_score: hit_rate_score(y_true, y_score, k=1),
    "pairs": pairwise_accuracy_score,
}


@pytest.mark.parametrize(
    ("estimator", "method", "columns", "n_jobs"),
    # That a scorer reaches other processes is seen with two of them.
    [(*each, 1) for each in MULTILABEL] + [(*each, 2) for each in (MULTILABEL[0], MULTILABEL[-1])],
)
def test_multilabel_classifiers(multilabel, estimator, method, columns, n_jobs):
    X, Y = multilabel
    result = cross_validate(
        estimator, X, Y, scoring=SCORING, cv=CV, n_jobs=n_jobs, error_score="raise"
    )
    for fold, (train, test) in enumerate(CV.split(X)):
        model = clone(estimator).fit(X[train], Y[train])
        y_score = columns(getattr(model, method)(X[test]))
        assert y_score.shape == (test.size, 4)
        for name, score in BY_HAND.items():
            assert result[f"test_{name}"][fold] == score(Y[test], y_score)


@pytest.mark.parametrize(("estimator", "method", "columns"), MULTILABEL[:4])
@pytest.mark.parametrize("as_sparse", [sp.csr_matrix, sp.csr_array])
def test_multilabel_classifiers_with_sparse_labels(
    multilabel, estimator, method, columns, as_sparse
):
    # cross_validate takes no sparse y, the estimators and GridSearchCV do.
    X, Y = multilabel
    model = clone(estimator).fit(X[:60], as_sparse(Y[:60]))
    y_score = columns(getattr(model, method)(X[60:]))
    for name, score in BY_HAND.items():
        assert SCORING[name](model, X[60:], as_sparse(Y[60:])) == score(Y[60:], y_score)
    means = [
        GridSearchCV(estimator, {}, scoring=SCORING["ndcg"], cv=CV, error_score="raise")
        .fit(X, labels)
        .cv_results_["mean_test_score"][0]
        for labels in (Y, as_sparse(Y))
    ]
    assert means[0] == pytest.approx(means[1], rel=1e-6)  # the fits may differ in last bits


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(5, random_state=0),
        ExtraTreesClassifier(5, random_state=0),
        KNeighborsClassifier(),
        MultiOutputClassifier(DecisionTreeClassifier(random_state=0)),
    ],
)
@pytest.mark.parametrize("only_class", [0, 1])
@pytest.mark.parametrize("dtype", [int, bool, float])
def test_a_label_with_one_class_in_training_gets_the_right_column(
    multilabel, estimator, only_class, dtype
):
    X, Y = multilabel
    Y_train = Y[:60].copy()
    Y_train[:, 1] = only_class
    model = estimator.fit(X[:60], Y_train.astype(dtype))
    responses = model.predict_proba(X[60:])
    assert responses[1].shape == (30, 1)
    responses[1] = np.full((30, 2), float(only_class))
    for name, scorer in SCORING.items():
        expected = BY_HAND[name](Y[60:], positive_columns(responses))
        assert scorer(model, X[60:], Y[60:]) == expected


def test_outputs_of_several_classes_are_refused_by_name():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.integers(0, 3, size=(40, 2))
    model = RandomForestClassifier(5).fit(X, Y)
    scorer = make_ranking_scorer(ndcg_score)
    key, advice = "'predict' unless each output", "try dense y"
    with raises("response_method", key, function="make_ranking_scorer", advice=advice) as caught:
        scorer(model, X, Y)
    assert caught.value.got.startswith("'predict_proba' with the classes an array")
    graded = make_ranking_scorer(ndcg_score, response_method="predict")
    assert graded(model, X, Y) == ndcg_score(Y, model.predict(X))


def test_a_neighbours_classifier_fitted_on_sparse_labels_is_refused_by_name(multilabel):
    X, Y = multilabel
    model = KNeighborsClassifier().fit(X, sp.csr_matrix(Y))
    with pytest.raises(ValueError, match="fitted on sparse y, try dense y"):
        make_ranking_scorer(ndcg_score)(model, X, Y)


@pytest.mark.parametrize(
    "estimator",
    [Ridge(), MultiOutputRegressor(Ridge()), RandomForestRegressor(5, random_state=0)],
)
def test_multioutput_regressors(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    Y = np.round(np.exp(X @ rng.normal(size=(4, 6)) / 2))
    result = cross_validate(estimator, X, Y, scoring=SCORING, cv=CV, error_score="raise")
    for fold, (train, test) in enumerate(CV.split(X)):
        y_score = clone(estimator).fit(X[train], Y[train]).predict(X[test])
        for name, score in BY_HAND.items():
            assert result[f"test_{name}"][fold] == score(Y[test], y_score)


MULTICLASS = [
    (LogisticRegression(), "decision_function"),
    (SVC(), "decision_function"),
    (RandomForestClassifier(5, random_state=0), "predict_proba"),
    (make_pipeline(StandardScaler(), KNeighborsClassifier()), "predict_proba"),
]


@pytest.mark.parametrize(("estimator", "method"), MULTICLASS)
@pytest.mark.parametrize("labels", [None, ["ant", "bee", "cat", "dog"]])
def test_multiclass_classifiers(multiclass, estimator, method, labels):
    X, y = multiclass
    scoring = {
        "hit": make_ranking_scorer(hit_rate_score, k=2, labels=labels),
        "ndcg": make_ranking_scorer(ndcg_score, labels=labels),
    }
    result = cross_validate(
        estimator, X, y, scoring=scoring, cv=StratifiedKFold(3), error_score="raise"
    )
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        y_score = getattr(clone(estimator).fit(X[train], y[train]), method)(X[test])
        assert result["test_hit"][fold] == hit_rate_score(y[test], y_score, k=2)
        assert result["test_ndcg"][fold] == ndcg_score(y[test], y_score)
    if method == "decision_function":  # where no scores tie
        expected = top_k_accuracy_score(y[test], y_score, k=2)
        assert result["test_hit"][fold] == pytest.approx(expected, rel=1e-12)


def test_a_test_fold_may_miss_classes(multiclass):
    X, y = multiclass
    model = LogisticRegression().fit(X, y)
    few = np.flatnonzero((y == "ant") | (y == "dog"))
    y_score = model.decision_function(X[few])
    expected = hit_rate_score(y[few], y_score, k=1, labels=model.classes_)
    assert make_ranking_scorer(hit_rate_score, k=1)(model, X[few], y[few]) == expected


@pytest.mark.parametrize("missing", [["bee"], ["ant", "dog"], ["ant", "bee", "dog"]])
@pytest.mark.parametrize(
    "estimator", [RandomForestClassifier(5, random_state=0), KNeighborsClassifier()]
)
def test_a_class_that_the_training_fold_misses_has_the_probability_0(
    multiclass, estimator, missing
):
    X, y = multiclass
    labels = ["ant", "bee", "cat", "dog"]
    train = np.flatnonzero(~np.isin(y, missing))
    model = estimator.fit(X[train], y[train])
    y_score = np.zeros((y.size, 4))
    present = [index for index, label in enumerate(labels) if label not in missing]
    y_score[:, present] = model.predict_proba(X)
    for k in (1, 2, 3):
        scorer = make_ranking_scorer(
            hit_rate_score, k=k, labels=labels, response_method="predict_proba"
        )
        assert scorer(model, X, y) == hit_rate_score(y, y_score, k=k, labels=labels)


def test_a_class_that_the_training_fold_misses_is_refused_without_probabilities(multiclass):
    X, y = multiclass
    labels = ["ant", "bee", "cat", "dog"]
    for missing in (["dog"], ["cat", "dog"]):
        train = ~np.isin(y, missing)
        model = LogisticRegression().fit(X[train], y[train])
        key, advice = "more only if it predicts probabilities", "response_method='predict_proba'"
        got = f"{labels} for decision_function and the classes {model.classes_.tolist()}"
        with raises("labels", key, function="make_ranking_scorer", got=got, advice=advice):
            make_ranking_scorer(ndcg_score, labels=labels)(model, X, y)


@pytest.mark.parametrize("labels", [["ant", "bee", "cat"], ["ant", "bee", "cat", "eel"]])
def test_labels_that_lack_a_class_of_the_estimator_are_refused(multiclass, labels):
    X, y = multiclass
    model = RandomForestClassifier(5).fit(X, y)
    with pytest.raises(
        ValueError, match=r"predict_proba and the classes \['ant', 'bee', 'cat', 'dog'\]"
    ):
        make_ranking_scorer(ndcg_score, labels=labels)(model, X, y)


def test_a_prediction_has_no_columns_to_match_labels_with():
    model = Ridge().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"if `labels` is given\. Got 'predict' instead"):
        make_ranking_scorer(ndcg_score, labels=[0, 1, 2])(model, [[0.0], [1.0]], [0, 1])


def test_class_labels_beside_columns_that_stand_for_no_class_are_refused(multiclass):
    X, y = multiclass
    order = np.array(["dog", "ant", "cat", "bee"])
    indicator = (y[:, None] == order).astype(int)
    for model in (RandomForestRegressor(3), RandomForestClassifier(3)):
        model.fit(X, indicator)
        with pytest.raises(ValueError, match=r"Got shape \(120,\) with a response of shape \(12"):
            make_ranking_scorer(hit_rate_score, k=1)(model, X, y)


def test_labels_of_a_wrong_shape_are_refused_at_once():
    for labels in (3, "abc", [[1, 2]]):
        with pytest.raises(ValueError, match="'labels' parameter of ndcg_score must be 1-D"):
            make_ranking_scorer(ndcg_score, labels=labels)


def test_columns_that_stand_for_pairs_of_classes_are_refused(multiclass):
    X, y = multiclass
    few = y != "dog"
    pairs = SVC(decision_function_shape="ovo")
    scorer = make_ranking_scorer(ndcg_score)
    for model in (pairs, make_pipeline(StandardScaler(), pairs)):
        with pytest.raises(ValueError, match="must be such that each column belongs to one class"):
            scorer(model.fit(X[few], y[few]), X[few], y[few])
    relevance, qid = (y == "ant").astype(int), np.arange(y.size) // 6
    pairs.fit(X, relevance)  # two classes are one pair
    with sklearn.config_context(enable_metadata_routing=True):
        expected = ndcg_score(relevance, pairs.decision_function(X), qid=qid)
        scorer = scorer.set_score_request(qid=True)
        assert scorer(pairs, X, relevance, qid=qid) == expected


def test_predicted_grades_without_qid_are_told_what_is_missing(multiclass):
    X, _ = multiclass
    grade = np.arange(120) % 4
    model = LogisticRegression().fit(X, grade)
    with pytest.raises(ValueError, match="'qid' parameter of make_ranking_scorer must be routed"):
        make_ranking_scorer(ndcg_score, response_method="predict")(model, X, grade)


def test_two_classes_as_class_labels(multiclass):
    X, y = multiclass
    y = np.where(y == "ant", "ant", "other")
    model = LogisticRegression().fit(X, y)
    for method in ("predict_proba", "decision_function"):
        scorer = make_ranking_scorer(
            hit_rate_score, k=1, labels=["ant", "other"], response_method=method
        )
        assert scorer(model, X, y) == pytest.approx(model.score(X, y), rel=1e-12)


def test_without_labels_a_class_that_the_estimator_does_not_know_is_refused(multiclass):
    X, y = multiclass
    for missing in (["bee"], ["bee", "cat"]):
        train = ~np.isin(y, missing)
        model = LogisticRegression().fit(X[train], y[train])
        key, got = "given if y_true has classes", f"None, and y_true has {missing}"
        advice = "a splitter that puts every class into every fold"
        with raises("labels", key, function="make_ranking_scorer", got=got, advice=advice):
            make_ranking_scorer(ndcg_score)(model, X, y)


def test_grid_search_over_a_multiclass_classifier_by_several_scores(multiclass):
    X, y = multiclass
    scoring = {
        "top 2": make_ranking_scorer(hit_rate_score, k=2),
        "nDCG": make_ranking_scorer(ndcg_score),
    }
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [1e-4, 1.0]},
        scoring=scoring,
        refit="nDCG",
        cv=StratifiedKFold(3),
        error_score="raise",
    ).fit(X, y)
    assert search.best_params_ == {"logisticregression__C": 1.0}
    y_score = search.decision_function(X)
    assert search.score(X, y) == ndcg_score(y, y_score)


def test_a_binary_classifier_used_pointwise():
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(80, 3)), np.repeat(np.arange(20), 4)
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    relevance = (y == "yes").astype(int)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(hit_rate_score, k=1).set_score_request(qid=True)
        for classifier in (LogisticRegression(), make_pipeline(StandardScaler(), SVC())):
            classifier.fit(X, relevance)
            expected = hit_rate_score(relevance, classifier.decision_function(X), k=1, qid=qid)
            assert scorer(classifier, X, relevance, qid=qid) == expected
        forest = RandomForestClassifier(5, random_state=0).fit(X, relevance)
        expected = hit_rate_score(relevance, forest.predict_proba(X)[:, 1], k=1, qid=qid)
        assert scorer(forest, X, relevance, qid=qid) == expected


def test_a_binary_classifier_without_qid_is_told_what_is_missing(multiclass):
    X, y = multiclass
    model = LogisticRegression().fit(X, y == "ant")
    with pytest.raises(ValueError, match="'qid' parameter of make_ranking_scorer must be routed"):
        make_ranking_scorer(ndcg_score)(model, X, y == "ant")


def test_a_classifier_of_several_grades_used_pointwise():
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(80, 3)), np.repeat(np.arange(20), 4)
    grade = np.clip(np.round(X[:, 0] + 1), 0, 2).astype(int)
    model = LogisticRegression().fit(X, grade)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(ndcg_score).set_score_request(qid=True)
        with pytest.raises(ValueError, match=r"response_method='predict'"):
            scorer(model, X, grade, qid=qid)
        by_grade = make_ranking_scorer(ndcg_score, response_method="predict")
        by_grade.set_score_request(qid=True)
        assert by_grade(model, X, grade, qid=qid) == ndcg_score(grade, model.predict(X), qid=qid)


def test_weights_reach_the_scores_without_routing(multilabel):
    X, Y = multilabel
    weight = np.arange(1.0, 91)
    model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    scorer = make_ranking_scorer(hit_rate_score, k=1)
    expected = hit_rate_score(Y, model.decision_function(X), k=1, sample_weight=weight)
    assert scorer(model, X, Y, sample_weight=weight) == expected


def test_scorers_are_cloned_and_pickled_with_what_they_ask_for(multiclass):
    X, y = multiclass
    model = LogisticRegression().fit(X, y)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(hit_rate_score, k=2, labels=model.classes_)
        scorer.set_score_request(sample_weight=True)
        for copy in (clone(scorer, safe=False), pickle.loads(pickle.dumps(scorer))):
            assert copy.get_metadata_routing().score.requests["sample_weight"] is True
            assert copy(model, X, y) == scorer(model, X, y)


@pytest.mark.parametrize("score", [ndcg_score, partial(hit_rate_score, k=2)])
def test_labels_predicted_as_a_sparse_matrix_are_0_where_nothing_is_stored(score):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    Y = (X @ rng.normal(size=(4, 6)) > 0.5).astype(int)
    scorer = make_ranking_scorer(score, response_method="predict")
    for model in (OneVsRestClassifier(LogisticRegression()), DummyClassifier()):
        of_dense, of_sparse = (clone(model).fit(X, labels) for labels in (Y, sp.csr_matrix(Y)))
        assert sp.issparse(of_sparse.predict(X))
        assert scorer(of_sparse, X, Y) == scorer(of_dense, X, Y)
        assert scorer(of_sparse, X, sp.csr_array(Y)) == scorer(of_dense, X, Y)
