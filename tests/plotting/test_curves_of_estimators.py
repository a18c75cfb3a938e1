"""Curves of estimators and of folds: those of their predictions, of whole queries."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from plotted_data import (
    OTHER,
    RNG,
    K,
    assert_same,
    from_cv_results,
    from_estimator,
    from_predictions,
    refuse,
    texts,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from ranking_scores import mean_average_precision_score, ndcg_score, ranking_report
from ranking_scores.ties import chance_level


def test_errors_name_the_function_that_was_called(rows):
    X, y, qid = rows
    calls = {
        "from_predictions": partial(from_predictions, y, X[:, 0], qid=qid),
        "from_estimator": partial(from_estimator, Ridge().fit(X, y), X, y, qid=qid),
        "from_cv_results": partial(from_cv_results, cross_validated(rows), X, y, qid=qid),
    }
    for caller, call in calls.items():
        for params in ({"name": 3}, {"ax": 3}, {"curve_kwargs": 3}):
            [name] = params
            assert refuse(call, **params).startswith(
                f"The '{name}' parameter of RankingCurveDisplay.{caller} must be"
            )


@pytest.fixture
def rows():
    """Features, relevance and query ids of items, a row each."""
    X = RNG.normal(size=(240, 4))
    y = np.clip(np.round(X[:, 0] + RNG.normal(size=240)), 0, 3).astype(int)
    return X, y, np.repeat(RNG.permutation(40), 6)


@pytest.mark.parametrize("with_routing", [False, True])
def test_a_regressor(rows, with_routing):
    X, y, qid = rows
    ridge = Ridge().fit(X, y)
    with sklearn.config_context(enable_metadata_routing=with_routing):
        display = from_estimator(ridge, X, y, qid=qid, k=K, gain="exponential")
    expected = ndcg_score(y, ridge.predict(X), qid=qid, k=K, gain="exponential")
    assert_same(display.line_.get_ydata(), expected)
    assert display.line_.get_label() == f"Ridge (nDCG@20 = {expected[-1]:.4f})"
    assert display.n_queries == 40
    assert_same(
        display.chance_level_.get_ydata(),
        chance_level(y, score=ndcg_score, qid=qid, k=K, gain="exponential"),
    )


def test_classifiers_by_their_items_and_by_their_classes(rows):
    X, y, qid = rows
    binary = LogisticRegression().fit(X, y > 0)
    display = from_estimator(binary, X, y > 0, qid=qid, k=K, name="clicks", score="map")
    expected = mean_average_precision_score(y > 0, binary.decision_function(X), qid=qid, k=K)
    assert_same(display.line_.get_ydata(), expected)
    assert display.line_.get_label().startswith("clicks (MAP@20")
    names = np.array(["tea", "milk", "coffee", "water"])[y]
    tree = DecisionTreeClassifier(max_depth=2).fit(X, names)
    display = from_estimator(tree, X, names, k=[1, 2], score="mrr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grades = from_estimator(DecisionTreeClassifier().fit(X, y), X, y, k=[1, 2])
    report = ranking_report(names, tree.predict_proba(X), scores="mrr", k=[1, 2])
    assert_same(display.line_.get_ydata(), list(report.mean.values()))
    assert grades.n_queries == 240
    method = {"response_method": "predict"}
    display = from_estimator(DecisionTreeClassifier().fit(X, y), X, y, qid=qid, **method)
    assert display.n_queries == 40


def test_classes_that_an_estimator_has_not_seen(rows):
    X, y, _ = rows
    forest = DecisionTreeClassifier(max_depth=2).fit(X[y < 3], y[y < 3])
    labels = [0, 1, 2, 3]
    display = from_estimator(
        forest, X, y, labels=labels, response_method="predict_proba", k=[1, 4]
    )
    padded = np.column_stack([forest.predict_proba(X), np.zeros(240)])
    assert_same(display.line_.get_ydata(), ndcg_score(y, padded, labels=labels, k=[1, 4]))
    message = refuse(from_estimator, forest, X, y)
    assert message.startswith("The 'labels' parameter of RankingCurveDisplay.from_estimator must")


def test_an_estimator_must_be_one(rows):
    X, y, qid = rows
    caller = "RankingCurveDisplay.from_estimator"
    three = "decision_function or predict_proba or predict"
    several = " To plot several estimators, pass a dict of their scores to `from_predictions`."
    for estimator, got, advice in (
        (3, "3", ""),
        (Ridge, "the class Ridge", ""),
        ({"a": 1}, "{'a': 1}", several),
    ):
        assert refuse(from_estimator, estimator, X, y, qid=qid) == (
            f"The 'estimator' parameter of {caller} must be a fitted estimator with {three}. Got "
            f"{got} instead.{advice}"
        )
    assert refuse(from_estimator, Ridge(), X, y, response_method="predict_proba") == (
        f"The 'estimator' parameter of {caller} must be a fitted estimator with predict_proba. "
        "Got Ridge() instead."
    )


def test_response_methods(rows):
    X, y, qid = rows
    ridge, results = Ridge().fit(X, y), cross_validated(rows)
    for methods in (3, "transform", [], ["predict", 3]):
        for caller, call in (
            ("from_estimator", partial(from_estimator, ridge)),
            ("from_cv_results", partial(from_cv_results, results)),
        ):
            assert refuse(call, X, y, qid=qid, response_method=methods) == (
                f"The 'response_method' parameter of RankingCurveDisplay.{caller} must be "
                "'decision_function', 'predict_proba', 'predict' or a list of names of methods. "
                f"Got {methods!r} instead."
            )


def test_an_estimator_needs_qid(rows):
    X, y, _ = rows
    assert refuse(from_estimator, Ridge().fit(X, y), X, y) == (
        "The 'qid' parameter of RankingCurveDisplay.from_estimator must be given if y_true is "
        "1-D, with one item per row. Got None instead."
    )


def cross_validated(rows, cv=None):
    """Return the results of a cross-validation."""
    X, y, qid = rows
    cv = GroupKFold(4) if cv is None else cv
    more = {"return_estimator": True, "return_indices": True}
    groups = None if isinstance(cv, KFold) else qid
    return cross_validate(Ridge(), X, y, groups=groups, cv=cv, **more)


def test_folds_and_their_mean(rows):
    X, y, qid = rows
    results = cross_validated(rows)
    weight = 1.0 + qid % 3
    params = {"k": K, "relevance_threshold": None}
    display = from_cv_results(results, X, y, qid=qid, sample_weight=weight, **params)
    scores, levels = [], []
    for estimator, test in zip(results["estimator"], results["indices"]["test"], strict=True):
        own = params | {"qid": qid[test], "sample_weight": weight[test]}
        scores.append(ndcg_score(y[test], estimator.predict(X[test]), **own))
        levels.append(chance_level(y[test], score=ndcg_score, **own))
    for line, expected in zip(display.fold_line_, scores, strict=True):
        assert_same(line.get_ydata(), expected)
    mean = np.mean(scores, axis=0)
    assert_same(display.line_.get_ydata(), mean)
    assert_same(display.chance_level_.get_ydata(), np.mean(levels, axis=0))
    assert texts(display) == [
        f"Ridge, mean of 4 folds (nDCG@20 = {mean[-1]:.4f})",
        f"chance (nDCG@20 = {np.mean(levels, axis=0)[-1]:.4f})",
        "each fold",
    ]
    assert display.ax_.get_ylabel() == "nDCG@k"
    single = from_cv_results(results, X, y, qid=qid, k=3, chance=False, name="tuned")
    assert single.line_.get_label().startswith("tuned (nDCG@3")
    assert [line.get_marker() for line in single.fold_line_] == 4 * ["_"]
    assert single.chance_level_ is None


def test_folds_of_whole_queries_need_no_ids():
    X = RNG.normal(size=(30, 3))
    y = (RNG.random((30, 12)) < 0.3).astype(float)
    more = {"return_estimator": True, "return_indices": True}
    results = cross_validate(Ridge(), X, y, cv=KFold(3), **more)
    display = from_cv_results(results, X, y, k=K, where=OTHER > -1)
    test = results["indices"]["test"][2]
    expected = ndcg_score(
        y[test], results["estimator"][2].predict(X[test]), where=(OTHER > -1)[test], k=K
    )
    assert_same(display.fold_line_[2].get_ydata(), expected)


def test_folds_must_keep_queries_whole(rows):
    X, y, qid = rows
    results = cross_validated(rows, KFold(7))
    cut = np.intersect1d(*(qid[results["indices"][part][0]] for part in ("train", "test")))[0]
    assert refuse(from_cv_results, results, X, y, qid=qid) == (
        "The 'qid' parameter of RankingCurveDisplay.from_cv_results must be such that each fold "
        f"keeps the rows of a query together. Got rows of the query {cut} in both parts of a fold "
        "instead. Use GroupKFold with groups=qid, or another splitter of groups."
    )


def test_folds_need_the_id_of_each_row(rows):
    X, y, qid = rows
    assert refuse(from_cv_results, cross_validated(rows), X, y, qid=qid[1:]) == (
        "The 'qid' parameter of RankingCurveDisplay.from_cv_results must be of shape (240,), the "
        "query id of each row of X. Got shape (239,) instead."
    )


@pytest.mark.parametrize("parameter", ["X", "y", "sample_weight", "item_weight", "where"])
def test_folds_need_all_rows(rows, parameter):
    X, y, qid = rows
    given = dict.fromkeys(["sample_weight", "item_weight"], np.ones(240)) | {"X": X, "y": y}
    given["where"] = np.ones(240, dtype=bool)
    results, caller = cross_validated(rows), "RankingCurveDisplay.from_cv_results"
    for values, got in ((given[parameter][1:], "239 rows"), (3, "3")):
        assert refuse(from_cv_results, results, qid=qid, **given | {parameter: values}) == (
            f"The '{parameter}' parameter of {caller} must be of at least 240 rows, as many as "
            f"the indices of cv_results need. Got {got} instead."
        )
    sparse = from_cv_results(results, sp.csr_array(X), y, qid=qid, k=K)
    assert_same(sparse.score, from_cv_results(results, X, y, qid=qid, k=K).score)


@pytest.mark.parametrize(("name", "value"), [("confidence_level", 0.9), ("ties", True)])
def test_folds_have_no_bands(rows, name, value):
    X, y, qid = rows
    assert refuse(from_cv_results, cross_validated(rows), X, y, qid=qid, **{name: value}) == (
        f"The '{name}' parameter of RankingCurveDisplay.from_cv_results must be left out, since "
        f"the folds are drawn instead of bands. Got {value} instead."
    )


def test_results_must_have_estimators_and_indices(rows):
    X, y, qid = rows
    caller = "The 'cv_results' parameter of RankingCurveDisplay.from_cv_results must be the"
    advice = "Call it with return_estimator=True and return_indices=True."
    for results, got in (
        ({"estimator": []}, "no 'indices' in it"),
        ({"indices": {}}, "no 'estimator' in it"),
        ([1], "[1]"),
    ):
        assert refuse(from_cv_results, results, X, y, qid=qid) == (
            f"{caller} result of cross_validate. Got {got} instead. {advice}"
        )
