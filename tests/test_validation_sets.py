"""Validation sets of `QueryRanker`: sorted by query as rows for training are, and held out.

Each library is also called in its own way, with rows that are sorted by hand.
"""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from fitted_rankers import (
    HandsOn,
    TakesIds,
    Told,
    catboost_ranker,
    lightgbm_ranker,
    make_rows,
    xgboost_ranker,
)
from raising import raises
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing

from ranking_scores import make_ranking_scorer, ndcg_score, sizes_from_qid
from ranking_scores.rankers import QueryRanker

X, Y, QID, WEIGHT = make_rows(30)
START = np.arange(Y.size) % 7 / 7
TRAIN = np.isin(QID, np.unique(QID)[::3], invert=True)
VALID = np.flatnonzero(~TRAIN)
SORTED = VALID[np.argsort(QID[VALID], kind="stable")]
FITTED = np.flatnonzero(TRAIN)[np.argsort(QID[TRAIN], kind="stable")]
N_TREES = 40


def per_query(rows, values):
    """Return the value of each query, of sorted rows."""
    return values[rows][np.unique(QID[rows], return_index=True)[1]]


def fit_xgboost(train, valid, weight=None, start=None):
    """Fit as XGBoost takes sorted rows, and return the ranker and the history of its metric."""
    given = {}
    if weight is not None:
        given["sample_weight"] = per_query(train, weight)
        given["sample_weight_eval_set"] = [per_query(valid, weight)]
    if start is not None:
        given |= {"base_margin": start[train], "base_margin_eval_set": [start[valid]]}
    ranker = stopping_xgboost().fit(
        X[train],
        Y[train],
        qid=QID[train],
        eval_set=[(X[valid], Y[valid])],
        eval_qid=[QID[valid]],
        verbose=False,
        **given,
    )
    return ranker, history_of(ranker)


def fit_lightgbm(train, valid, weight=None, start=None):
    given = {}
    if weight is not None:
        given |= {"sample_weight": weight[train], "eval_sample_weight": [weight[valid]]}
    if start is not None:
        given |= {"init_score": start[train], "eval_init_score": [start[valid]]}
    ranker = stopping_lightgbm()
    data = {"eval_X": (X[valid],), "eval_y": (Y[valid],)}
    if "eval_X" not in inspect.signature(ranker.fit).parameters:
        data = {"eval_set": [(X[valid], Y[valid])]}  # before LightGBM 4.7
    ranker.fit(
        X[train],
        Y[train],
        group=sizes_from_qid(QID[train]),
        eval_group=[sizes_from_qid(QID[valid])],
        **data,
        **given,
    )
    return ranker, history_of(ranker)


def fit_catboost(train, valid, weight=None, start=None):
    catboost = pytest.importorskip("catboost", reason="catboost is in the extra rankers")
    given, of_pool = {}, {}
    if weight is not None:
        given["group_weight"], of_pool["group_weight"] = weight[train], weight[valid]
    if start is not None:
        given["baseline"], of_pool["baseline"] = start[train], start[valid]
    pool = catboost.Pool(X[valid], Y[valid], group_id=QID[valid], **of_pool)
    ranker = stopping_catboost()
    ranker.fit(X[train], Y[train], group_id=QID[train], eval_set=pool, **given)
    return ranker, history_of(ranker)


def stopping_xgboost(**params):
    stop = {"n_estimators": N_TREES, "early_stopping_rounds": 3, "eval_metric": "ndcg@5"}
    return xgboost_ranker(**stop | params)


def stopping_lightgbm(**params):
    return lightgbm_ranker(**{"n_estimators": N_TREES, "early_stopping_round": 3} | params)


def stopping_catboost(**params):
    stop = {"n_estimators": N_TREES, "early_stopping_rounds": 3, "eval_metric": "NDCG:top=5"}
    return catboost_ranker(**stop | params)


def history_of(ranker):
    """Return the values of the metrics on validation sets, in each round."""
    if hasattr(ranker, "get_evals_result"):
        history = ranker.get_evals_result()
        return {name: each for name, each in history.items() if name.startswith("validation")}
    history = getattr(ranker, "evals_result_", None)
    return ranker.evals_result() if history is None else history


LIBRARIES = [
    pytest.param(stopping_xgboost, fit_xgboost, id="xgboost"),
    pytest.param(stopping_lightgbm, fit_lightgbm, id="lightgbm"),
    pytest.param(stopping_catboost, fit_catboost, id="catboost"),
]


def assert_same(ranker, expected):
    """Assert that a `QueryRanker` was fitted and stopped as its library alone."""
    model, history = expected
    assert history_of(ranker.estimator_) == history
    np.testing.assert_array_equal(ranker.estimator_.predict(X), model.predict(X))


# --- Validation sets of the caller -------------------------------------------------------------


@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
@pytest.mark.parametrize(
    "to_qid", [lambda ids: [ids], lambda ids: ids, lambda ids: (pd.Series(ids),), "text", "list"]
)
def test_validation_rows_in_any_order_are_sorted_by_query(make, fit, to_qid):
    ids = QID
    if to_qid == "text":
        ids, to_qid = np.array([f"query {each:04}" for each in QID]), lambda ids: [ids.tolist()]
    elif to_qid == "list":
        to_qid = np.ndarray.tolist
    ranker = QueryRanker(make()).fit(
        X[TRAIN],
        Y[TRAIN],
        qid=ids[TRAIN],
        eval_set=[(X[VALID], Y[VALID])],
        eval_qid=to_qid(ids[VALID]),
    )
    assert_same(ranker, fit(FITTED, SORTED))
    assert len(next(iter(next(iter(history_of(ranker.estimator_).values())).values()))) < N_TREES


def with_ids(name=None):
    """Return the features with a column of ids, as an array or as a frame."""
    if name is None:
        return np.column_stack([X, QID])
    return pd.DataFrame(X, columns=list("abcd")).assign(**{name: QID})


WITH_IDS = [
    (with_ids(), -1),
    (with_ids().tolist(), 4),
    (sp.csr_matrix(with_ids()), 4),
    (with_ids("query"), "query"),
    (with_ids("query"), 4),
    (with_ids("qid"), "qid"),  # which is a special name for XGBoost
    (pd.DataFrame(X), lambda frame: QID[frame.index]),
]


@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
@pytest.mark.parametrize(("features", "qid_from"), WITH_IDS)
def test_the_ids_of_validation_rows_are_taken_as_those_of_x(make, fit, features, qid_from):
    train, valid = (_safe_indexing(features, np.flatnonzero(rows)) for rows in (TRAIN, ~TRAIN))
    ranker = QueryRanker(make(), qid_from=qid_from)
    ranker.fit(train, Y[TRAIN], eval_set=[(valid, Y[VALID])])
    model, history = fit(FITTED, SORTED)
    assert history_of(ranker.estimator_) == history
    np.testing.assert_array_equal(ranker.predict(features), model.predict(X))


@pytest.mark.parametrize(("make", "fit"), LIBRARIES[:2])
def test_weights_and_start_scores_of_validation_rows_are_sorted_with_them(make, fit):
    names = ("sample_weight_eval_set", "base_margin_eval_set", "base_margin")
    if fit is fit_lightgbm:
        names = ("eval_sample_weight", "eval_init_score", "init_score")
    weight = WEIGHT + 0.5 * (QID % 3)
    expected = fit(FITTED, SORTED, weight, START)
    by_query = pd.Series(weight[VALID], QID[VALID]).groupby(level=0).first()
    for weight_of_set in (weight[VALID], by_query, by_query.to_dict()):
        of_sets = dict(zip(names, ([weight_of_set], [START[VALID]], START[TRAIN]), strict=True))
        ranker = QueryRanker(make()).fit(
            X[TRAIN],
            Y[TRAIN],
            qid=QID[TRAIN],
            sample_weight=weight[TRAIN],
            eval_set=[(X[VALID], Y[VALID])],
            eval_qid=[QID[VALID]],
            **of_sets,
        )
        assert_same(ranker, expected)
    assert fit(FITTED, SORTED)[1] != expected[1]


def test_xgboost_takes_one_weight_per_query_of_sorted_validation_rows():
    weight = np.linspace(1, 2, np.unique(QID[VALID]).size)
    train = {"X": X[FITTED], "y": Y[FITTED], "qid": QID[FITTED], "verbose": False}
    own = {"eval_qid": [QID[SORTED]], "sample_weight_eval_set": [weight]}
    pairs = [(X[SORTED], Y[SORTED])]
    expected = stopping_xgboost().fit(**train, eval_set=pairs, **own)
    ranker = QueryRanker(stopping_xgboost()).fit(**train, eval_set=pairs, **own)
    assert history_of(ranker.estimator_) == history_of(expected)
    got = f"shape ({weight.size},)"
    advice = "np.repeat(sample_weight_eval_set, sizes)"
    with raises("sample_weight_eval_set", "one weight per row", got=got, advice=advice):
        QueryRanker(stopping_xgboost()).fit(
            **train, **own | {"eval_qid": [QID[VALID]]}, eval_set=[(X[VALID], Y[VALID])]
        )
    by_id = pd.Series(weight, np.unique(QID[VALID]))[::-1]
    ranker.fit(**train, eval_set=pairs, **own | {"sample_weight_eval_set": [by_id]})
    assert history_of(ranker.estimator_) == history_of(expected)
    differ = np.arange(VALID.size)
    with raises("sample_weight_eval_set", "the same for all rows of a query"):
        QueryRanker(stopping_xgboost()).fit(
            **train, **own | {"sample_weight_eval_set": [differ]}, eval_set=pairs
        )


def test_several_validation_sets_of_lightgbm_in_all_its_forms():
    train = {"X": X[FITTED], "y": Y[FITTED]}
    parts = [SORTED, FITTED[::-1], VALID]
    pairs = [(X[rows], Y[rows]) for rows in parts]
    ids, names = [QID[rows] for rows in parts], ["a", "b", "c"]
    orders = [rows[np.argsort(QID[rows], kind="stable")] for rows in parts]
    weights = [WEIGHT[rows] + START[rows] for rows in parts]
    if "eval_X" not in inspect.signature(lightgbm_ranker().fit).parameters:
        pytest.skip("LightGBM before 4.7 has no eval_X")
    expected = lightgbm_ranker().fit(
        **train,
        group=sizes_from_qid(QID[FITTED]),
        eval_X=tuple(X[rows] for rows in orders),
        eval_y=tuple(Y[rows] for rows in orders),
        eval_group=[sizes_from_qid(QID[rows]) for rows in orders],
        eval_sample_weight=[None, WEIGHT[orders[1]] + START[orders[1]]],
        eval_names=names,
    )
    features, labels = zip(*pairs, strict=True)
    for form in (
        {"eval_set": pairs},
        {"eval_set": tuple(pairs)},
        {"eval_X": features, "eval_y": labels},
    ):
        for of_sets in ([None, weights[1]], {1: weights[1]}, (None, weights[1], None)):
            ranker = QueryRanker(lightgbm_ranker()).fit(
                **train,
                qid=QID[FITTED],
                eval_qid=ids,
                eval_sample_weight=of_sets,
                eval_names=names,
                **form,
            )
            assert history_of(ranker.estimator_) == history_of(expected)
    alone = QueryRanker(lightgbm_ranker()).fit(
        **train, qid=QID[FITTED], eval_X=X[VALID], eval_y=Y[VALID], eval_qid=QID[VALID]
    )
    first = next(iter(history_of(alone.estimator_).values()))
    assert first == history_of(expected)["c"]


def test_several_validation_sets_of_catboost_and_its_categories():
    catboost = pytest.importorskip("catboost", reason="catboost is in the extra rankers")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(QID % 2, "x", "y"))
    params = {"cat_features": ["kind"]}
    pools = [
        catboost.Pool(frame.iloc[rows], Y[rows], group_id=QID[rows], **params)
        for rows in (SORTED, FITTED)
    ]
    expected = stopping_catboost().fit(
        frame.iloc[FITTED], Y[FITTED], group_id=QID[FITTED], eval_set=pools, **params
    )
    sets = [(frame.iloc[rows], Y[rows]) for rows in (VALID, FITTED[::-1])]
    ids = [QID[VALID], QID[FITTED[::-1]]]
    backwards = QueryRanker(stopping_catboost()).fit(
        frame.iloc[FITTED], Y[FITTED], qid=QID[FITTED], eval_set=sets, eval_qid=ids, **params
    )
    one, two = history_of(expected).values(), history_of(backwards.estimator_).values()
    assert next(iter(one)) == next(iter(two))
    as_pools = QueryRanker(stopping_catboost()).fit(
        frame.iloc[FITTED], Y[FITTED], qid=QID[FITTED], eval_set=pools, **params
    )
    assert history_of(as_pools.estimator_) == history_of(expected)


def test_the_special_column_of_xgboost_is_sorted():
    frame = with_ids("qid")
    for qid_from, train in ((None, frame.drop(columns="qid")), ("qid", frame)):
        ids = {"qid": QID[TRAIN]} if qid_from is None else {}
        ranker = QueryRanker(stopping_xgboost(), qid_from=qid_from).fit(
            train.iloc[TRAIN], Y[TRAIN], eval_set=[(frame.iloc[VALID], Y[VALID])], **ids
        )
        assert history_of(ranker.estimator_) == fit_xgboost(FITTED, SORTED)[1]


SHUFFLED = {"X": np.eye(4), "y": [0, 1, 2, 3], "qid": [2, 1, 2, 1]}  # sorted: rows 1, 3, 0, 2


def test_what_a_ranker_of_ones_own_is_told_of_validation_sets():
    one, other = (np.eye(3), [5, 6, 7]), (np.zeros((2, 3)), [8, 9])
    told = (
        QueryRanker(TakesIds())
        .fit(
            **SHUFFLED,
            eval_set=[one, other],
            eval_qid=[["b", "a", "b"], [0, 1]],
            sample_weight_eval_set=[[1, 2, 3]],
            eval_at=[1],
        )
        .estimator_.told_[-1]
    )
    (features, labels), (_, others) = told["eval_set"]
    assert features.argmax(axis=1).tolist() == [1, 0, 2]
    assert (labels, others) == ([6, 5, 7], [8, 9])
    assert [each.tolist() for each in told["eval_qid"]] == [[0, 1, 1], [0, 1]]
    weights, none = told["sample_weight_eval_set"]
    assert weights.tolist() == [2, 1, 3]
    assert none is None
    assert told["eval_at"] == [1]
    # A step of a pipeline is told by its name.
    told = (
        QueryRanker(make_pipeline(TakesIds()))
        .fit(**SHUFFLED, takesids__eval_set=one, takesids__eval_qid=["b", "a", "b"])
        .estimator_[-1]
        .told_[-1]
    )
    assert told["eval_set"][0][1] == [6, 5, 7]
    # Who takes no ids gets none.
    told = (
        QueryRanker(HandsOn())
        .fit(**SHUFFLED, eval_set=[one], eval_qid=["b", "a", "b"])
        .estimator_.told_[-1]
    )
    assert told == {"eval_set": [one]}
    # Nor does it see their column.
    labels = [0, 1, 0]
    told = (
        QueryRanker(HandsOn(), qid_from=0)
        .fit(np.eye(3), labels, eval_set=[(np.eye(3), labels)], eval_names=["a"])
        .estimator_.told_[-1]
    )
    [(features, kept)] = told["eval_set"]
    assert features.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert kept is labels
    assert told.keys() == {"eval_set", "eval_names"}


@pytest.mark.parametrize(
    "params",
    [
        {"eval_set": [(np.zeros((4, 3)), [0, 1, 0, 1])]},
        {"eval_set": [([[1, 2, 3]], [0])]},
        {"eval_set": "a path"},
        {"eval_set": ["a path"]},
        {"eval_set": None},
        {"eval_set": ()},
        {"eval_set": [()]},
        {"eval_X": np.zeros((4, 3))},
        {"eval_y": np.zeros((4, 5))},
        {"eval_group": [[4]]},
        {"eval_set": [(np.zeros((4, 3)), [0, 1, 0, 1])], "eval_group": [[4]]},
    ],
)
@pytest.mark.parametrize("qid_from", [None, 0])
def test_validation_sets_without_ids_are_passed_on(params, qid_from):
    rows = np.column_stack([[1, 1, 2, 2], np.eye(4)])
    ids = {"qid": [1, 1, 2, 2]} if qid_from is None else {}
    ranker = QueryRanker(TakesIds(), qid_from=qid_from).fit(rows, [0, 1, 2, 0], **ids, **params)
    for name, value in params.items():
        assert ranker.estimator_.told_[-1][name] is value


PAIR = (np.eye(4), [0, 1, 0, 1])
FRAME = pd.DataFrame(np.eye(4), columns=["query", "a", "b", "c"])


def test_labels_of_validation_sets_are_as_many_as_their_rows():
    for labels in ([0, 1, 0], [0, 1, 0, 1, 0]):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            QueryRanker(TakesIds()).fit(
                **SHUFFLED, eval_set=[(np.eye(4), labels)], eval_qid=[[2, 1, 2, 1]]
            )


@pytest.mark.parametrize(
    ("qid_from", "params", "parameter", "key", "got", "advice"),
    [
        (None, {"eval_qid": [[1, 1, 2]]}, "eval_qid", "(4,), one id per row", "shape (3,)", ""),
        (
            None,
            {"eval_qid": [[1, 1, 2, None]]},
            "eval_qid",
            "without missing values",
            "None at position 3",
            "",
        ),
        (
            None,
            {"eval_qid": [[1, "a", 2, 2]]},
            "eval_qid",
            "of one sortable type",
            "an array of shape (4,) and dtype object",
            "",
        ),
        (
            None,
            {"eval_qid": [[1, 1, 2, 2], [3]]},
            "eval_qid",
            "an array for each of 1 validation sets",
            "[[1, 1, 2, 2], [3]]",
            "",
        ),
        (
            None,
            {"eval_set": [PAIR, PAIR], "eval_qid": [1, 1, 2, 2]},
            "eval_qid",
            "an array for each of 2 validation sets",
            "[1, 1, 2, 2]",
            "",
        ),
        (
            None,
            {"eval_qid": [[1, 1, 2, 2]], "base_margin_eval_set": [[1, 2]]},
            "base_margin_eval_set",
            "an array of 4 entries, one per row",
            "[1, 2]",
            "",
        ),
        (
            None,
            {"eval_set": [PAIR, PAIR], "eval_qid": [[1, 1, 2, 2]]},
            "eval_qid",
            "each row of each validation set",
            "none for validation set 1",
            "",
        ),
        (
            None,
            {"eval_qid": [[1, 1, 2, 2]], "eval_group": [[2, 2]]},
            "eval_group",
            "left out, since it is computed from the ids",
            "[[2, 2]]",
            "",
        ),
        (
            None,
            {
                "eval_set": [(FRAME, [0, 1, 0, 1])],
                "eval_qid": [pd.Series([1, 1, 2, 2], [3, 2, 1, 0])],
            },
            "eval_qid",
            "indexed like eval_set",
            "an index with 3 in row 0, where eval_set has 0,",
            "",
        ),
        (
            0,
            {"eval_qid": [[1, 1, 2, 2]]},
            "eval_qid",
            "since the ids are in the",
            "[1, 1, 2, 2]",
            "",
        ),
        (0, {"eval_group": [[4]]}, "eval_group", "left out, since it is", "[[4]]", ""),
        (
            0,
            {"eval_set": np.eye(4)},
            "eval_set",
            "without the column of ids",
            None,
            "taken out of",
        ),
        (0, {"eval_set": [np.eye(4)]}, "eval_set", "without the column", None, "[(X_val, y_val)]"),
        (
            "query",
            {},
            "qid_from",
            "the index of a column or a callable if the columns of X have no names",
            "'query'",
            "",
        ),
    ],
)
def test_what_is_refused_of_validation_sets(qid_from, params, parameter, key, got, advice):
    rows = FRAME if qid_from == "query" else FRAME.to_numpy()
    ids = {"qid": [1, 1, 2, 2]} if qid_from is None else {}
    ranker = QueryRanker(TakesIds(), qid_from=qid_from)
    with raises(parameter, key, function="QueryRanker.fit", got=got, advice=advice):
        ranker.fit(rows, [0, 1, 2, 0], **ids, **{"eval_set": [PAIR]} | params)


# --- Queries that are held out -----------------------------------------------------------------


def parts_of(qid, fraction, random_state):
    """Return the rows that are fitted, and those that are held out, each sorted by query."""
    ids = np.unique(qid)
    kept, held_out = train_test_split(ids, test_size=fraction, random_state=random_state)
    order = np.argsort(qid, kind="stable")
    return [order[np.isin(qid[order], some)] for some in (kept, held_out)]


@pytest.mark.parametrize(("make", "fit"), LIBRARIES)
@pytest.mark.parametrize("more", ["nothing", "weight", "start"])
def test_held_out_queries_become_the_validation_set(make, fit, more):
    weight, start = WEIGHT + 0.5 * (QID % 3), None
    name = {"xgboost": "base_margin", "lightgbm": "init_score", "catboost": "baseline"}
    given = {"nothing": {}, "weight": {"sample_weight": weight}}.get(more)
    if given is None:
        start = START
        given = {name[type(make()).__module__.partition(".")[0]]: START}
    fitted, held_out = parts_of(QID, 0.2, 3)
    expected = fit(fitted, held_out, weight if more == "weight" else None, start)
    ranker = QueryRanker(make(), validation_fraction=0.2, random_state=3)
    ranker.fit(X, Y, qid=QID, **given)
    assert_same(ranker, expected)
    assert ranker.validation_query_ids_.tolist() == np.unique(QID[held_out]).tolist()
    assert ranker.validation_query_ids_.size == 6
    assert ranker.query_ids_.tolist() == np.unique(QID).tolist()
    # The order of the queries does not matter, and neither do ids in X.
    place = np.random.default_rng(0).random(QID.size)
    for each in np.unique(QID):
        place[each == QID] = np.sort(place[each == QID])
    order = np.argsort(place)
    by_column = QueryRanker(make(), qid_from=-1, validation_fraction=0.2, random_state=3)
    given = {name: values[order] for name, values in given.items()}
    by_column.fit(with_ids()[order], Y[order], **given)
    assert history_of(by_column.estimator_) == expected[1]


def test_weights_of_held_out_rows_of_catboost():
    catboost = pytest.importorskip("catboost", reason="catboost is in the extra rankers")
    fitted, held_out = parts_of(QID, 0.2, 0)
    weight = START + 1
    model = stopping_catboost(loss_function="QueryRMSE")
    pool = catboost.Pool(X[held_out], Y[held_out], group_id=QID[held_out], weight=weight[held_out])
    expected = clone(model).fit(
        X[fitted], Y[fitted], group_id=QID[fitted], sample_weight=weight[fitted], eval_set=pool
    )
    ranker = QueryRanker(model, validation_fraction=0.2, random_state=0)
    ranker.fit(X, Y, qid=QID, sample_weight=weight)
    assert_same(ranker, (expected, history_of(expected)))


@pytest.mark.parametrize("make", [stopping_xgboost, stopping_lightgbm, stopping_catboost])
def test_early_stopping_inside_a_search(make):
    cv = GroupKFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            QueryRanker(make(), validation_fraction=0.1, random_state=0),
            {"estimator__learning_rate": [0.1, 0.3], "validation_fraction": [0.1, 0.3]},
            scoring=make_ranking_scorer("ndcg@5").set_score_request(qid=True),
            cv=cv,
            error_score="raise",
        ).fit(X, Y, qid=QID, groups=QID)
    best = search.best_estimator_
    trees = {"xgboost": "best_iteration", "lightgbm": "best_iteration_", "catboost": "tree_count_"}
    name = trees[type(make()).__module__.partition(".")[0]]
    assert getattr(best.estimator_, name) < N_TREES - 1
    fraction, rate = (
        search.best_params_[each] for each in ("validation_fraction", "estimator__learning_rate")
    )
    fitted, held_out = parts_of(QID, fraction, 0)
    alone = QueryRanker(make(learning_rate=rate)).fit(
        X[fitted],
        Y[fitted],
        qid=QID[fitted],
        eval_set=[(X[held_out], Y[held_out])],
        eval_qid=[QID[held_out]],
    )
    np.testing.assert_array_equal(search.predict(X), alone.predict(X))
    # In a fold, queries of its training rows are held out.
    train, test = next(cv.split(X, Y, QID))
    of_fold = clone(best).fit(X[train], Y[train], qid=QID[train])
    assert np.isin(of_fold.validation_query_ids_, QID[train]).all()
    value = ndcg_score(Y[test], of_fold.predict(X[test]), qid=QID[test], k=5)
    assert search.cv_results_["split0_test_score"][search.best_index_] == value


def test_xgboost_prints_its_values_on_held_out_queries_only_if_asked(capfd):
    xgboost = pytest.importorskip("xgboost", reason="xgboost is in the extra rankers")
    ranker = QueryRanker(xgboost.XGBRanker(n_estimators=2), validation_fraction=0.2)
    ranker.fit(X, Y, qid=QID)
    assert capfd.readouterr().out == ""
    ranker.fit(X, Y, qid=QID, verbose=True)
    assert "validation_0-ndcg" in capfd.readouterr().out


def test_held_out_queries_at_the_end_of_a_pipeline():
    ranker = QueryRanker(stopping_lightgbm(), validation_fraction=0.2, random_state=0)
    pipeline = make_pipeline(StandardScaler(), ranker).fit(X, Y, queryranker__qid=QID)
    alone = clone(ranker).fit(StandardScaler().fit_transform(X), Y, qid=QID)
    np.testing.assert_array_equal(
        pipeline.predict(X), alone.predict(StandardScaler().fit_transform(X))
    )


class TakesSets(Told):
    """A ranker that takes validation sets, and remembers what it was told."""

    def fit(self, X, y, qid, eval_set=None, eval_qid=None, **params):
        self.told_ = X, y, qid, eval_set, eval_qid, params
        return self


def test_how_many_queries_are_held_out_and_which():
    rows = {"X": np.arange(20).reshape(10, 2), "y": np.arange(10), "qid": np.arange(10) % 5}
    for fraction, n_held_out in ((0.01, 1), (0.2, 1), (0.21, 2), (0.5, 3), (0.8, 4)):
        ranker = QueryRanker(TakesSets(), validation_fraction=fraction, random_state=0).fit(**rows)
        X, y, qid, [(X_val, y_val)], [qid_val], _ = ranker.estimator_.told_
        assert ranker.validation_query_ids_.size == n_held_out
        assert y_val.tolist() == [
            row for each in ranker.validation_query_ids_ for row in (each, each + 5)
        ]
        assert sorted([*y, *y_val]) == [*range(10)]
        assert X_val[:, 0].tolist() == (2 * y_val).tolist()
        assert X[:, 0].tolist() == (2 * y).tolist()
        assert qid_val.tolist() == np.repeat(np.arange(n_held_out), 2).tolist()
        assert qid.tolist() == np.repeat(np.arange(5 - n_held_out), 2).tolist()
    again = clone(ranker).fit(**rows)
    assert again.validation_query_ids_.tolist() == ranker.validation_query_ids_.tolist()
    drawn = {
        tuple(clone(ranker).set_params(random_state=seed).fit(**rows).validation_query_ids_)
        for seed in range(9)
    }
    assert len(drawn) > 1
    state = np.random.RandomState(0)
    by_state = clone(ranker).set_params(random_state=state).fit(**rows)
    assert by_state.validation_query_ids_.tolist() == again.validation_query_ids_.tolist()
    assert not hasattr(
        again.set_params(validation_fraction=None).fit(**rows), "validation_query_ids_"
    )
    assert again.estimator_.told_[3] is None


ROWS = {"X": np.zeros((4, 2)), "y": [0, 1, 0, 1], "qid": [1, 1, 2, 2]}


@pytest.mark.parametrize(
    ("params", "fit_params", "function", "parameter", "key", "got", "advice"),
    [
        *(
            (
                {"validation_fraction": fraction},
                {},
                "QueryRanker",
                "validation_fraction",
                "None or a number between 0 and 1",
                repr(fraction),
                "",
            )
            for fraction in (0, 1, 1.0, -0.1, np.nan, "0.1", True, 5)
        ),
        *(
            (
                {"random_state": seed},
                {},
                "QueryRanker",
                "random_state",
                "an int from 0 to 2**32 - 1 or a RandomState",
                repr(seed),
                "",
            )
            for seed in ("0", -1)
        ),
        (
            {"estimator": make_pipeline(TakesSets())},
            {},
            "QueryRanker",
            "validation_fraction",
            "None if the estimator is a Pipeline",
            "0.5",
            "Make the QueryRanker the last step",
        ),
        *(
            (
                {"estimator": estimator},
                {},
                "QueryRanker",
                "validation_fraction",
                f"since the `fit` of {type(estimator).__name__} takes no validation set",
                "0.5",
                "",
            )
            for estimator in (Ridge(), TakesIds(), HandsOn())
        ),
        (
            {},
            {"eval_set": [PAIR]},
            "QueryRanker.fit",
            "eval_set",
            "left out, since `validation_fraction` holds out rows",
            None,
            "",
        ),
        (
            {},
            {"qid": [1, 1, 1, 1]},
            "QueryRanker.fit",
            "validation_fraction",
            "that are not held out are at least one",
            "0.5 of 1 query",
            "",
        ),
        (
            {"validation_fraction": 0.51},
            {},
            "QueryRanker.fit",
            "validation_fraction",
            "that are not held out are at least one",
            "0.51 of 2 queries",
            "",
        ),
        (
            {},
            {"pairs": [[0, 1]]},
            "QueryRanker.fit",
            "pairs",
            "left out if `validation_fraction` holds out rows, since it refers to rows by number",
            "[[0, 1]]",
            "Hold out queries yourself, and pass them as `eval_set`.",
        ),
        ({}, {"qid": None}, "QueryRanker.fit", "qid", "which TakesSets needs", "None", ""),
    ],
)
def test_what_is_refused_of_held_out_queries(
    params, fit_params, function, parameter, key, got, advice
):
    ranker = QueryRanker(**{"estimator": TakesSets(), "validation_fraction": 0.5} | params)
    with raises(parameter, key, function=function, got=got, advice=advice):
        ranker.fit(**ROWS | fit_params)
