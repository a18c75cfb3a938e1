"""Values of queries that come with ids are matched by the ids, and never by position."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from raising import raises
from sklearn.linear_model import Ridge

from ranking_scores import StreamingScore, mean_reciprocal_rank_score, ndcg_score, ranking_report
from ranking_scores.plotting import RankingCurveDisplay
from ranking_scores.rankers import QueryRanker
from ranking_scores.tables import RankingData, from_table
from ranking_scores.ties import tie_report

RNG = np.random.default_rng(0)
IDS = {
    "text": np.array([f"u{number}" for number in range(10)], dtype=object),
    "text of NumPy": np.array([f"u{number}" for number in range(10)]),
    "ints": np.arange(50, 60),
    "floats": np.arange(10) / 4,
    "dates": np.datetime64("2026-01-01") + np.arange(10),
    "moments": np.datetime64("2026-01-01T00:00:00.000000007", "ns") + np.arange(10),
    "durations": np.arange(10).astype("m8[s]"),
}
N_ROWS = 40
QUERY = RNG.permutation(np.repeat(np.arange(10), 4))
LABELS, SCORES = RNG.integers(0, 3, N_ROWS), RNG.random(N_ROWS)
GROUPS, WEIGHTS = RNG.choice(["de", "fi", "se"], 10), RNG.random(10)
ORDER = RNG.permutation(10)


def data_of(ids):
    rows = {"user": ids[QUERY], "label": LABELS, "score": SCORES}
    return from_table(rows, query="user", label="label", score="score")


def series(ids, values, order=ORDER):
    return pd.Series(values[order], index=pd.Index(ids[order], name="user"), name="country")


def report_of(*data, **params):
    return ranking_report(*data, scores="ndcg", k=None, **params)


def means_of(report):
    return {
        grouping: {group: of["ndcg"] for group, of in reports.items()}
        for grouping, reports in report.by_group.items()
    }


def expected_groups():
    per_query = ndcg_score(LABELS, SCORES, qid=QUERY, average=None)
    return {group: per_query[group == GROUPS].mean() for group in sorted(set(GROUPS))}


def two_columns(ids, order=ORDER):
    return {"user": ids[order], "country": GROUPS[order]}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("is_ragged", [True, False])
def test_groups_are_matched_by_the_ids(kind, is_ragged):
    ids = IDS[kind]
    data, qid = ((LABELS, SCORES), ids[QUERY]) if is_ragged else ((data_of(ids),), None)
    of_users = series(ids, GROUPS)
    by = [of_users, {"country": of_users}, pd.DataFrame(two_columns(ids))]
    if kind not in ("moments", "durations", "dates"):  # their dicts have other objects as keys
        by += [{"country": dict(zip(ids, GROUPS, strict=True))}]
    for each in by:
        found = means_of(report_of(*data, qid=qid, by=each))
        assert found == {"country": pytest.approx(expected_groups(), rel=1e-12)}


def test_groups_in_a_dict_by_id_have_no_name():
    users = dict(zip(IDS["text"], GROUPS, strict=True))
    found = means_of(report_of(data_of(IDS["text"]), by=users))
    assert found == {"group": pytest.approx(expected_groups(), rel=1e-12)}
    dates = {user: np.datetime64("2026-01-01") for user in users}
    assert report_of(data_of(IDS["text"]), by=dates).by_group["group"].keys() == {dates["u0"]}
    assert report_of(data_of(IDS["text"]), by={}).by_group == {}


@pytest.mark.parametrize(
    "library",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        lambda columns: pytest.importorskip("pyarrow").table(columns),
        lambda columns: pd.DataFrame(columns).to_dict("records"),
    ],
)
def test_a_table_of_any_kind_has_the_ids_and_then_the_groups(library):
    columns = {**two_columns(IDS["text"]), "half": ORDER < 5}
    found = report_of(data_of(IDS["text"]), by=library(columns))
    assert list(found.by_group) == ["country", "half"]
    assert means_of(found)["country"] == pytest.approx(expected_groups(), rel=1e-12)
    assert {group: each.n_queries for group, each in found.by_group["half"].items()} == {
        False: 5,
        True: 5,
    }


def weigh_report(data, weight):
    return report_of(data, sample_weight=weight)["ndcg"]


def weigh_report_of_arrays(data, weight):
    return report_of(*data[:2], query_ids=data.query_ids, sample_weight=weight)["ndcg"]


def weigh_report_of_rows(data, weight):
    return report_of(LABELS, SCORES, qid=data.query_ids[QUERY], sample_weight=weight)["ndcg"]


def weigh_score(data, weight):
    return ndcg_score(LABELS, SCORES, qid=data.query_ids[QUERY], sample_weight=weight)


def weigh_score_of_pandas(data, weight):
    rows = [pd.Series(each, index=range(7, 47)) for each in (LABELS, SCORES)]
    qid = pd.Series(data.query_ids[QUERY], index=range(7, 47))
    return ndcg_score(*rows, qid=qid, sample_weight=weight)


def weigh_ties(data, weight):
    return tie_report(data, score="ndcg", sample_weight=weight).expected


def weigh_stream(data, weight):
    stream = StreamingScore("ndcg")
    stream.update(data, sample_weight=weight)
    return stream.compute()


def weigh_streams(data, weight):
    stream = StreamingScore(["ndcg", "map"])
    stream.update(LABELS, SCORES, qid=data.query_ids[QUERY], sample_weight=weight)
    return stream.compute()["ndcg"]


def weigh_curve(data, weight):
    pytest.importorskip("matplotlib").use("agg")
    models = {"a": data, "b": data}
    curves = RankingCurveDisplay.from_predictions(
        models, score="ndcg", k=[4], sample_weight=weight
    ).score
    one = RankingCurveDisplay.from_predictions(data, score="ndcg", k=[4], sample_weight=weight)
    assert curves[0, 0] == curves[1, 0] == one.score[0]
    return one.score[0]


WEIGH = [
    weigh_report,
    weigh_report_of_arrays,
    weigh_report_of_rows,
    weigh_score,
    weigh_score_of_pandas,
    weigh_ties,
    weigh_stream,
    weigh_streams,
    weigh_curve,
]


@pytest.mark.parametrize("weigh", WEIGH)
@pytest.mark.parametrize("kind", ["text", "ints"])
def test_weights_are_matched_by_the_ids(weigh, kind):
    ids = IDS[kind]
    data = data_of(ids)
    per_query = ndcg_score(LABELS, SCORES, qid=QUERY, average=None)
    expected = np.average(per_query, weights=WEIGHTS)
    weight = series(ids, WEIGHTS)
    assert weigh(data, weight) == pytest.approx(expected, rel=1e-12)
    assert weigh(data, weight.to_dict()) == weigh(data, weight)
    assert weigh(data, weight.loc[ids]) == weigh(data, weight)
    with raises("sample_weight", "ids", got="none for 'u3'" if kind == "text" else "none for 53"):
        weigh(data, weight.drop(ids[3]))
    with raises("sample_weight", "ids", advice="Index it by the ids"):
        weigh(data, weight.reset_index(drop=True))


def test_a_series_with_the_index_of_the_rows_is_matched_by_position():
    frame = pd.DataFrame({"user": IDS["text"], "country": GROUPS, "weight": WEIGHTS})[::-1]
    data = data_of(IDS["text"])
    y_true, y_score = (each[::-1] for each in data[:2])
    params = {"query_ids": frame["user"]}
    report = report_of(
        y_true, y_score, by=frame["country"], sample_weight=frame["weight"], **params
    )
    by_id = frame.set_index("user")
    assert report == report_of(
        y_true, y_score, by=by_id["country"], sample_weight=by_id["weight"], **params
    )
    assert report["ndcg"] == weigh_report(data, series(IDS["text"], WEIGHTS))
    rows = [
        pd.DataFrame(each, index=IDS["text"])
        for each in np.random.default_rng(1).random((2, 10, 4))
    ]
    rows[0] = rows[0] > 0.5
    params = {"query_ids": IDS["ints"]}
    of_rows = report_of(*rows, by=series(IDS["text"], GROUPS, np.arange(10)), **params)
    assert of_rows == report_of(*rows, by=series(IDS["ints"], GROUPS), **params)


ABOUT_SERIES = "a Series with the ids of the queries as its index, and one value for each"
IN_ORDER = "If its values are in the order of the queries, pass `.to_numpy()`."
USERS = series(IDS["text"], GROUPS)


@pytest.mark.parametrize(
    ("by", "expected", "got", "advice"),
    [
        (USERS.reset_index(drop=True), ABOUT_SERIES, "none for 'u0', 'u1', 'u2' and 7 more",
         f"Index it by the ids, such as by `users.set_index('user')['country']`. {IN_ORDER}"),
        (USERS.drop(["u1", "u7"]), ABOUT_SERIES, "none for 'u1', 'u7'",
         "Give each query a value."),
        (pd.concat([USERS, pd.Series({"x": "de", "y": "fi"})]), ABOUT_SERIES,
         "values for 'x', 'y', which are no queries,",
         "To take those of the queries, use `by.loc[data.query_ids]`."),
        (pd.concat([USERS.loc[["u4"]], USERS]), ABOUT_SERIES, "several for 'u4'",
         "Keep one value for each query."),
        (dict(USERS) | {"x": "de"}, "a dict from the id of each query to its value",
         "values for 'x', which are no queries,",
         "To take those of the queries, use `{each: by[each] for each in data.query_ids}`."),
        ({"x": "de"}, "a dict from the id of each query to its value",
         "none for 'u0', 'u1', 'u2' and 7 more", "Its keys must be the ids of the queries."),
        (USERS.reset_index()[["country", "user"]],
         "a table whose first column, 'country', has the id of each query once",
         "none for 'u0', 'u1', 'u2' and 7 more", "Put the column of the ids first."),
        (pd.concat([USERS, USERS[:1]]).reset_index(),
         "a table whose first column, 'user', has the id of each query once",
         f"several for {USERS.index[0]!r}", "Keep one value for each query."),
        (USERS.to_frame(),
         "a table with the ids of the queries in its first column, and then their groups",
         "the column 'country' alone",
         "A Series, such as `by['country']`, may have the ids as its index."),
    ],
)  # fmt: skip
def test_other_ids_are_refused(by, expected, got, advice):
    with raises("by", expected, function="ranking_report", got=got, advice=advice):
        report_of(data_of(IDS["text"]), by=by)


def test_one_of_several_groupings_is_named_in_the_advice():
    by = {"country": pd.concat([USERS, pd.Series({"x": "de"})])}
    with raises("by", ABOUT_SERIES, advice="use `by['country'].loc[data.query_ids]`"):
        report_of(data_of(IDS["text"]), by=by)
    with raises("by", ABOUT_SERIES, advice="use `by['country'].loc[np.unique(qid)]`"):
        report_of(LABELS, SCORES, qid=IDS["text"][QUERY], by=by)
    with raises("by", ABOUT_SERIES, advice="use `by['country'].loc[query_ids]`"):
        report_of([[0, 1]], [[1, 2]], query_ids=["u0"], by=by)
    with raises("by", ABOUT_SERIES, advice="Or pass one value per row."):
        report_of(LABELS, SCORES, qid=IDS["text"][QUERY], by=USERS.reset_index(drop=True))


def test_a_default_index_does_not_say_which_query_has_which_value():
    ids = np.array([2, 0, 1])
    y_true, y_score = [[1, 0], [0, 1], [1, 1]], [[1, 2], [1, 2], [1, 2]]
    by = pd.Series(["a", "b", "c"])
    with raises("by", ABOUT_SERIES, got="a default index, which has the ids in another order,"):
        report_of(y_true, y_score, query_ids=ids, by=by)
    for same in (by.loc[ids], dict(by), by.loc[ids].to_numpy()):
        groups = report_of(y_true, y_score, query_ids=ids, by=same).by_group["group"]
        assert {key: each.query_ids.tolist() for key, each in groups.items()} == {
            "a": [0],
            "b": [1],
            "c": [2],
        }
    assert report_of(y_true, y_score, query_ids=[0, 1, 2], by=by).by_group["group"]


def test_values_by_id_need_queries_with_ids():
    arrays = [[1, 0], [0, 1]], [[1, 2], [1, 2]]
    expected = "in the order of the queries, since they have no ids"
    with raises("by", expected, got="a dict from the id of each query to its value"):
        report_of(*arrays, by={"a": "de", "b": "fi"})
    with raises("sample_weight", expected, function="ndcg_score"):
        ndcg_score(*arrays, sample_weight={"a": 1, "b": 2})
    with raises("by", expected):
        report_of(*arrays, by=pd.DataFrame({"user": ["a", "b"], "country": ["de", "fi"]}))
    by = pd.Series(["de", "fi"], index=["a", "b"])
    assert report_of(*arrays, by=by).by_group["group"]["de"].n_queries == 1


def test_bad_values_by_id_are_refused_as_others_are():
    data = data_of(IDS["text"])
    with raises("sample_weight", "finite and not negative", got="-1.0 at position 0"):
        weigh_report(data, dict.fromkeys(data.query_ids, -1))
    with raises("by", "without missing values"):
        report_of(data, by=dict.fromkeys(data.query_ids, None))
    with raises("query_ids", "one id per query"):
        report_of(
            *data[:2], query_ids=data.query_ids[1:], sample_weight=series(IDS["text"], WEIGHTS)
        )


def test_text_and_numbers_are_different_ids():
    columns = {"user": ["1", "1", "2", "2"], "label": [1, 0, 0, 1], "score": [1, 2, 1, 2]}
    data = from_table(columns, query="user", label="label", score="score")
    with raises("sample_weight", "from the id", got="none for '1', '2'", advice="Its keys"):
        report_of(data, sample_weight={1: 1, 2: 1})


def test_an_empty_batch_may_have_a_dict_of_no_weights():
    stream = StreamingScore("mrr")
    stream.update([], [], qid=[], sample_weight={})
    stream.update([1, 0], [1, 2], qid=["a", "a"], sample_weight={"a": 2})
    assert stream.compute() == mean_reciprocal_rank_score([[1, 0]], [[1, 2]])


@pytest.mark.parametrize("is_ranker", [True, False])
def test_rankers_take_weights_by_id(is_ranker):
    estimator = Ridge()
    if is_ranker:
        lightgbm = pytest.importorskip("lightgbm", reason="it is in the extra rankers")
        estimator = lightgbm.LGBMRanker(n_estimators=3, min_child_samples=1, verbose=-1)
    X, qid = np.random.default_rng(2).random((N_ROWS, 3)), IDS["text"][QUERY]
    ranker = QueryRanker(estimator)
    weight = series(IDS["text"], WEIGHTS)
    expected = ranker.fit(X, LABELS, qid=qid, sample_weight=WEIGHTS[QUERY]).predict(X)
    for each in (weight, weight.to_dict()):
        found = ranker.fit(X, LABELS, qid=qid, sample_weight=each).predict(X)
        np.testing.assert_array_equal(found, expected)
    with raises("sample_weight", "ids", function="QueryRanker.fit", advice="one value per row"):
        ranker.fit(X, LABELS, qid=qid, sample_weight=weight.reset_index(drop=True))


def test_ranking_data_by_hand_has_ids_of_any_kind():
    data = data_of(IDS["text"])
    renamed = RankingData(data.y_true, data.y_score, list("abcdefghij"), data.item_ids)
    weight = dict(zip("abcdefghij", WEIGHTS, strict=True))
    assert weigh_report(renamed, weight) == weigh_report(data, series(IDS["text"], WEIGHTS))
