"""The rankers' own metrics are ours, and ours stop their training early."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from fitted_rankers import catboost_ranker, lightgbm_ranker, xgboost_ranker
from sklearn.datasets import load_svmlight_file

from ranking_scores import mean_average_precision_score, ndcg_score, qid_from_sizes, sizes_from_qid
from ranking_scores.rankers import QueryRanker

OF_RANKERS = 1e-6  # the rankers' own metrics sum float32 gains, or print few digits
DATA = Path(__file__).parents[1] / "examples" / "data" / "lambdarank"

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
