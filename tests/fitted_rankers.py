"""Rankers of XGBoost, LightGBM and CatBoost, fitted in their own ways, and rows for them.

A test of a library is skipped where that is not installed.
"""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.model_selection import GroupKFold

CV = GroupKFold(3)


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


LIBRARIES = [
    pytest.param(xgboost_ranker, fit_xgboost, id="xgboost"),
    pytest.param(lightgbm_ranker, fit_lightgbm, id="lightgbm"),
    pytest.param(catboost_ranker, fit_catboost, id="catboost"),
]


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


class Told(BaseEstimator):
    """A ranker that remembers what it was told."""

    def predict(self, X, factor=1):
        return factor * np.arange(len(X))


class TakesIds(Told):
    """A ranker that takes the id of the query of each row."""

    def fit(self, X, y, qid, sample_weight=None, **params):
        self.told_ = X, y, qid, sample_weight, params
        return self


class HandsOn(Told):
    """Takes anything, and no ids by their name."""

    def fit(self, X, y, **params):
        self.told_ = X, y, params
        return self


def no_ids(X):
    """Forget to return the ids."""
    X[:, 0]
