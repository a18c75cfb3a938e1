"""Dask: any partitions, schedulers and shuffles give the bits of one call on all the data."""

from __future__ import annotations

import datetime
import inspect
import os
import pickle
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from dask_rows import (
    COLUMNS,
    N_QUERIES,
    NAMES,
    WEIGHTS,
    _in_this_thread,  # noqa: F401
    assert_as_from_tables,
    assert_refused,
    bits,
    dask,
    dd,
    distributed,
    frame_of,
    pd,
    rows,
    tables,
)
from scaled import means, means_of_tables, of_arrays, values_per_query
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import (
    dcg_score,
    mean_reciprocal_rank_score as mrr_score,
    ndcg_score,
    ranking_report,
    scale,
)
from ranking_scores._base._errors import ErrorNames
from ranking_scores._metrics._named import SCORES
from ranking_scores.scale import _dask
from ranking_scores.scale._shards import ShardScore


@pytest.fixture(scope="module")
def client():
    """Return a client of two processes, which no other test finds."""
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "30s"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def in_one_call(score_func, data, columns=COLUMNS, **params):
    arrays = {name: data[column].array for name, column in of_arrays(columns).items()}
    return score_func(**{name: np.asarray(each) for name, each in arrays.items()}, **params)


# --- the bits of one call -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["tasks", "disk"])
@pytest.mark.parametrize("n_parts", [1, 2, 7, 17])
def test_partitions_change_no_bit(n_parts, method):
    data = rows()
    scheduler = "threads" if method == "disk" else "sync"
    with dask.config.set({"scheduler": scheduler, "dataframe.shuffle.method": method}):
        frame = frame_of(data, n_parts)
        for params in ({"k": [1, 5]}, {"ignore_ties": True}, {"gain": lambda label: label**1.5}):
            expected = in_one_call(ndcg_score, data, **params)
            assert bits(means(frame, ndcg_score, **COLUMNS, **params)) == bits(expected)
        columns = COLUMNS | WEIGHTS
        expected = in_one_call(dcg_score, data, columns, k=3)
        assert bits(means(frame, "dcg@3", **columns)) == bits(expected)


@pytest.mark.parametrize("name", SCORES)
def test_each_score_is_that_of_one_call(name):
    data = rows(600, 40).assign(label=lambda data: (data["label"] * 10).astype(int))
    params = {"max_grade": 4} if name == "err" else {}
    params |= {"k": [1, 4]} if "k" in inspect.signature(SCORES[name]).parameters else {}
    frame = frame_of(data, 5)
    expected = in_one_call(SCORES[name], data, **params)
    assert bits(means(frame, name, **COLUMNS, **params)) == bits(expected)
    values = values_per_query(frame, name, **COLUMNS, **params).compute().sort_values("user")
    expected = in_one_call(SCORES[name], data, average=None, **params)
    assert bits(values.drop(columns="user").to_numpy()) == bits(expected.reshape(len(values), -1))


def test_several_scores_in_one_pass():
    data = rows()
    result = means(frame_of(data, 3), ["ndcg@3", "mrr", "map"], **COLUMNS)
    expected = {
        "ndcg@3": in_one_call(ndcg_score, data, k=3),
        "mrr": in_one_call(mrr_score, data),
        "map": in_one_call(SCORES["map"], data),
    }
    assert bits(result) == bits(expected)


def test_one_model_at_a_time():
    frame = frame_of(rows(), 2)
    for function in (scale.report, scale.per_query):
        with pytest.raises(ValueError, match=r"'score'.*one column if data is a Dask DataFrame"):
            function(frame, **COLUMNS | {"score": {"old": "score", "new": "score"}})
    report = scale.report(frame, **COLUMNS | {"score": {"old": "score"}}, order="any")
    assert report["old"].mean == scale.report(frame, **COLUMNS).mean


def test_unjudged_items_in_one_pass():
    data = rows()
    data["label"] = (data["label"] * 10).round().where(data.index % 3 > 0)
    names, params = ["ndcg@3", "map", "err@5"], {"max_grade": 3, "unjudged": True}
    report = scale.report(frame_of(data, 3), **COLUMNS, scores=names, k=None, **params)
    arrays = {name: data[column].to_numpy() for name, column in of_arrays(COLUMNS).items()}
    expected = ranking_report(**arrays, scores=names, k=None, **params)
    for name in ("mean", "low", "high", "condensed", "judged"):
        assert getattr(report, name) == getattr(expected, name)
    assert report.high["ndcg@3"] > report["ndcg@3"]


def test_unjudged_items_of_joined_tables():
    judgments = pd.DataFrame({"q": [1, 1, 2], "i": [1, 2, 1], "l": [1, 0, 1]})
    predictions = pd.DataFrame({"q": [1, 1, 2, 2], "i": [3, 1, 2, 1], "s": [2.0, 1.0, 2.0, 1.0]})
    names = {"query": "q", "item": "i", "label": "l", "score": "s"}
    frames = (frame_of(each, 2) for each in (judgments, predictions))
    report = scale.report_tables(*frames, **names, scores="mrr", k=None, unjudged=True)
    assert (report.low["mrr"], report.high["mrr"], report.judged["mrr"]) == (0.5, 1, 0.5)
    repeated = pd.DataFrame({"q": [1, 1, 2], "i": [1, 1, 1], "s": [2.0, 1.0, 2.0]})
    frames = (frame_of(each, 2) for each in (judgments, repeated))
    params = {"scores": "precision@2", "unjudged": True, "duplicates": "hold", "k": None}
    report = scale.report_tables(*frames, **names, **params)
    assert report.low["precision@2"] == report.high["precision@2"] == 0.5


def test_a_long_query_among_many_short_ones():
    rng = np.random.default_rng(0)
    user = np.concatenate([np.zeros(10**6, np.int64), np.repeat(np.arange(1, 2001), 10)])
    data = pd.DataFrame({"user": rng.permutation(user)})
    data["label"] = rng.integers(0, 2, len(data)) * 0.1
    data["score"] = rng.integers(0, 1000, len(data))
    with dask.config.set(scheduler="threads"):
        result = means(frame_of(data, 8), ndcg_score, **COLUMNS)
    assert bits(result) == bits(in_one_call(ndcg_score, data))


def test_partitions_without_rows():
    data = rows(50, 5)
    parts = [data[:0], data[:20], data[:0], data[20:], data[:0]]
    frame = dd.from_delayed([dask.delayed(part) for part in parts], meta=data[:0])
    assert bits(means(frame, mrr_score, **COLUMNS)) == bits(in_one_call(mrr_score, data))
    assert len(values_per_query(frame, mrr_score, **COLUMNS).compute()) == 5
    nothing = dd.from_delayed([dask.delayed(data[:0])] * 2, meta=data[:0])
    assert_refused(
        lambda: means(nothing, mrr_score, **COLUMNS),
        "The 'data' parameter of scale.report must be of at least one row. Got none instead.",
    )
    assert values_per_query(nothing, mrr_score, **COLUMNS).compute().empty


def test_what_dask_holds_is_not_changed():
    data = rows(200, 20)
    parts = [data[:100], data[100:].copy()]
    frame = dd.from_delayed([dask.delayed(part) for part in parts], meta=data[:0])
    before = pickle.dumps(parts)
    means(frame, mrr_score, **COLUMNS)
    assert pickle.dumps(parts) == before


def test_a_delayed_score_is_computed_twice_and_with_others():
    data = rows()
    frame = frame_of(data, 4)
    scores = [
        scale.report(frame, scores=ndcg_score, **COLUMNS, k=k, compute=False)
        for k in (1, [2, 3], None)
    ]
    expected = [in_one_call(ndcg_score, data, k=k) for k in ([1], [2, 3], None)]
    for _ in range(2):
        reports = dask.compute(*scores)
        assert [bits([*each.mean.values()]) for each in reports] == list(map(bits, expected))
        assert bits([*scores[1].compute().mean.values()]) == bits(expected[1])


def test_sums_leave_what_they_add_as_it_is():
    data = rows(300, 30)
    shard = ShardScore(ndcg_score, {}, of_arrays(COLUMNS), ErrorNames("scale.report", "data"))
    sums = [shard.sums_of(data[data["user"] % 20 == part]) for part in range(20)]
    before = pickle.dumps(sums)
    parts = [dask.delayed(each) for each in sums]
    for _ in range(2):
        total = _dask._added(parts, shard, _dask._add_sums).compute()
        assert bits(shard.report_of(total)["ndcg"]) == bits(in_one_call(ndcg_score, data))
    assert pickle.dumps(sums) == before


def test_warnings_are_about_all_data():
    data = rows(100, 10).assign(label=0)
    options = {"scores": "ndcg", "k": None, "replace_undefined_by": np.nan}
    with pytest.warns(UndefinedMetricWarning, match=r"^scale.report \(ndcg\) is undef") as caught:
        report = scale.report(frame_of(data, 3), **COLUMNS, **options)
    assert np.isnan(report["ndcg"])
    assert [each.filename for each in caught] == [__file__]
    one = data.assign(label=lambda data: data["user"] == 3)
    frame = frame_of(one, 5)
    assert means(frame, ndcg_score, **COLUMNS, replace_undefined_by=np.nan) > 0


def test_columns_with_known_names_are_found():
    data = rows()
    found = scale.report(frame_of(data, 3), scores="map", k=None)
    assert found.mean == scale.report(frame_of(data, 3), **COLUMNS, scores="map", k=None).mean


@pytest.mark.parametrize("n_parts", [1, 7])
def test_groups_are_those_of_a_report(n_parts):
    data = rows().assign(of=lambda data: data["user"].map(lambda user: f"group {user % 7}"))
    columns = COLUMNS | WEIGHTS
    options = {"scores": ["ndcg", "dcg@3"], "k": [1, None]}
    arrays = {name: data[column].to_numpy() for name, column in of_arrays(columns).items()}
    expected = ranking_report(**arrays, **options, by=data["of"])
    for by in ("of", "user"):
        report = scale.report(frame_of(data, n_parts), **columns, **options, by=by)
        assert bits(dict(report.mean)) == bits(dict(expected.mean))
        assert bits(dict(report.standard_error)) == bits(dict(expected.standard_error))
        if by == "of":
            assert repr(expected).startswith(repr(report))
    assert [each.n_queries for each in report.by_group["user"].values()] == [1] * N_QUERIES
    apart = data.assign(of=range(len(data)))
    with pytest.raises(
        ValueError, match=r"'by' parameter of scale\.report must be the same for al"
    ):
        scale.report(frame_of(apart, n_parts), **columns, **options, by="of")


# --- ids ----------------------------------------------------------------------------------------

DAYS = pd.Timestamp("1969-06-01") + pd.to_timedelta(np.arange(N_QUERIES), unit="D")
TEXT = np.array([f"é\0{number}" for number in range(N_QUERIES)], dtype=object)
IDS = {
    "int8": np.arange(N_QUERIES, dtype=np.uint8),
    "int64": np.arange(N_QUERIES) * 2**55 - 2**62,
    "uint64": np.arange(N_QUERIES, dtype=np.uint64) + np.uint64(2**63),
    "float": np.arange(N_QUERIES) / 7 - 3,
    "bool": np.arange(N_QUERIES) % 2 == 0,
    "nullable": pd.array(np.arange(N_QUERIES), dtype="Int64"),
    "arrow": pd.array(np.arange(N_QUERIES), dtype="int64[pyarrow]"),
    "text": pd.array(TEXT, dtype="str"),
    "objects": TEXT,
    "python": pd.array([10**i for i in range(N_QUERIES)], dtype=object),
    "decimal": pd.array([Decimal(i) / 8 for i in range(N_QUERIES)], dtype=object),
    "date": pd.array([day.date() for day in DAYS], dtype=object),
    "tuples": pd.Series([(i % 3, str(i)) for i in range(N_QUERIES)]).array,
    "category of text": pd.Categorical(TEXT),
    "category of ints": pd.Categorical(np.arange(N_QUERIES)[::-1]),
    "ns": DAYS.as_unit("ns").array,
    "s": DAYS.as_unit("s").array,
    "zone": DAYS.tz_localize("Asia/Tokyo").array,
    "duration": (DAYS - DAYS[5]).array,
}


@pytest.mark.parametrize("kind", IDS)
def test_ids_of_any_kind(kind):
    data = rows().sort_values("label", kind="stable", ignore_index=True)
    of_row = pd.Series(IDS[kind]).take(data["user"]).reset_index(drop=True)
    data = data.assign(user=of_row)
    expected = ndcg_score(data["label"], data["score"], qid=data["user"])
    with dask.config.set({"dataframe.convert-string": False}):
        frame = frame_of(data, 6)
        assert bits(means(frame, ndcg_score, **COLUMNS)) == bits(expected)
        values = values_per_query(frame, ndcg_score, **COLUMNS)
        assert values.dtypes["user"] == frame.dtypes["user"]
        each = values.compute()
    assert each.dtypes["user"] == of_row.dtype
    assert sorted(each["user"]) == sorted(set(of_row))


@pytest.mark.parametrize("method", ["tasks", "disk"])
@pytest.mark.parametrize("name", ["user", 7])
def test_categories_that_dask_does_not_know_stay_categories(method, name):
    data = rows(200, 20).astype({"user": str}).rename(columns={"user": name})
    frame = frame_of(data, 3).astype({name: "category"})
    assert not frame[name].cat.known
    with dask.config.set({"dataframe.shuffle.method": method}):
        values = values_per_query(frame, ndcg_score, **COLUMNS | {"query": name})
        each = values.compute()
    assert values.dtypes[name] == "category"
    assert each.dtypes[name] == "category"
    assert sorted(each[name]) == sorted(set(data[name]))


UTC = datetime.UTC
SAME_IDS = [
    [
        pd.Series([1, 0, 3], dtype=dtype)
        for dtype in ("i1", "u8", "i8", "f4", "Int32", "float64[pyarrow]", object, "category")
    ]
    + [pd.Series([Decimal(1), -0.0, np.int64(3)], dtype=object)],
    [pd.Series([2**60, 2**63, 2**64 - 1], dtype=dtype) for dtype in ("u8", object)],
    [pd.Series(["a", "bé", ""], dtype=dtype) for dtype in ("str", object, "string", "category")]
    + [pd.Series(["a", "bé", ""], dtype="string[pyarrow]")],
    [pd.Series([b"a", b"", b"b"], dtype=object), pd.Series([b"a", b"", b"b"], dtype="category")],
    [
        pd.Series(["1960-01-01 12:00:00.5", "2020-03-04"], dtype=dtype)
        for dtype in ("M8[ms]", "M8[ns]", "M8[us]")
    ]
    + [pd.Series([datetime.datetime(1960, 1, 1, 12, 0, 0, 500_000), datetime.date(2020, 3, 4)])],
    [
        pd.Series(pd.to_datetime(["2020-03-04 12:00", "2020-03-05 00:00"]).tz_localize("UTC")),
        pd.Series(pd.to_datetime(["2020-03-04 21:00", "2020-03-05 09:00"]).tz_localize("Japan")),
        pd.Series(
            [
                datetime.datetime(2020, 3, 4, 12, tzinfo=UTC),
                datetime.datetime(2020, 3, 5, tzinfo=UTC),
            ],
            dtype=object,
        ),
    ],
    [
        pd.Series([pd.Timedelta("-1.5s"), pd.Timedelta("2D")], dtype=dtype)
        for dtype in ("m8[ns]", "m8[ms]", object)
    ],
    [pd.Series([(1, "a"), (2, "b")]), pd.Series([(1.0, "a"), (2.0, "b")])],
]


@pytest.mark.parametrize("columns", SAME_IDS)
def test_equal_ids_have_equal_keys_whatever_their_column(columns):
    column = _dask._QueryIdColumn("user", ErrorNames("scale.report", "data"))
    keys = [_dask._keys_of(each.to_frame(), 0, column).tolist() for each in columns]
    assert keys == keys[:1] * len(keys)
    assert len(set(keys[0])) > 1 or isinstance(columns[0][0], tuple) or columns[0][0] == 2**60
    part = columns[0].to_frame().iloc[::-1]
    assert _dask._keys_of(part, 0, column).tolist() == keys[0][::-1]


def places_of(parts):
    """Return in which of some tables each query is."""
    places = {}
    for number, part in enumerate(parts):
        for user in set(part["user"].astype(float)):
            assert places.setdefault(user, number) == number
    return places


@pytest.mark.parametrize("method", ["tasks", "disk", "p2p"])
def test_two_frames_have_a_query_in_tables_of_one_number(method, request):
    data = rows()
    others = data.sample(frac=0.5, random_state=0).astype({"user": "float32"})
    column = _dask._QueryIdColumn("user", ErrorNames("scale.report", "data"))

    def places(frame):
        parts = _dask._shuffled(frame, ["user", "label"], column, 9)
        return places_of(dask.compute(*parts))

    def check():
        one, other = places(frame_of(data, 7)), places(frame_of(others, 3))
        assert one.items() >= other.items()
        assert len(one) == N_QUERIES
        assert len(set(one.values())) == 9

    with dask.config.set({"dataframe.shuffle.method": method}):
        if method != "p2p":
            check()
            return
        with request.getfixturevalue("client").as_current(), dask.config.set(scheduler=None):
            check()


def test_ids_that_cannot_be_told_apart():
    data = rows(4, 2).assign(user=pd.Series([True, 1, 2, 3], dtype=object))
    with dask.config.set({"dataframe.convert-string": False}):
        frame = frame_of(data, 1)
    assert_refused(
        lambda: means(frame, ndcg_score, **COLUMNS),
        "The 'data' parameter of scale.report must be a table whose column 'user' has ids that "
        "can be told apart. Got bools beside numbers instead.",
    )


# --- ids in the index ---------------------------------------------------------------------------


def sorted_rows():
    return rows().sort_values("user", kind="stable").set_index("user")


@pytest.fixture
def _no_shuffle(monkeypatch):
    monkeypatch.delattr(_dask, "_shuffled")


@pytest.mark.usefixtures("_no_shuffle")
@pytest.mark.parametrize("n_parts", [1, 3, 20])
def test_an_index_with_divisions_is_not_shuffled(n_parts):
    data = sorted_rows()
    frame = dd.from_pandas(data, npartitions=n_parts)
    assert frame.known_divisions
    expected = in_one_call(ndcg_score, data.reset_index(), k=[1, 3])
    assert bits(means(frame, ndcg_score, **COLUMNS, k=[1, 3])) == bits(expected)
    values = values_per_query(frame, ndcg_score, **COLUMNS, k=[1, 3])
    assert values.compute()["user"].tolist() == list(range(N_QUERIES))
    assert values.columns.tolist() == ["user", "ndcg@1", "ndcg@3"]


@pytest.mark.usefixtures("_no_shuffle")
@pytest.mark.parametrize("size", [3, 40, 299])
def test_queries_that_divisions_cut_are_put_together(size, tmp_path):
    data = sorted_rows()[:300]
    for start in range(0, len(data), size * 2):
        part = data[start : start + size * 2]
        part.to_parquet(tmp_path / f"{start:05}.parquet", row_group_size=size)
    frame = dd.read_parquet(
        tmp_path, index="user", calculate_divisions=True, split_row_groups=True
    )
    assert frame.known_divisions
    result = means(frame, ndcg_score, **COLUMNS, ignore_ties=True)
    expected = in_one_call(ndcg_score, data.reset_index(), ignore_ties=True)
    assert bits(result) == bits(expected)
    values = values_per_query(frame, ndcg_score, **COLUMNS).compute()
    assert sorted(values["user"]) == sorted(set(data.index))


@pytest.mark.usefixtures("_no_shuffle")
@pytest.mark.parametrize(
    ("cuts", "divisions"),
    [
        ([5, 5, 9], ("a", "a", "a", "a", "c")),  # of which the second has no row
        ([2, 10, 13, 19], ("a", "a", "b", "c", "c", "c")),
        ([1, 2, 3], ("a", "a", "a", "a", "c")),
    ],
)
@pytest.mark.parametrize("dtype", ["str", object, "string"])
def test_a_query_in_many_partitions(cuts, divisions, dtype):
    user = pd.Index(["a"] * 10 + ["b"] * 3 + ["c"] * 7, name="user")
    data = rows(20, 2).drop(columns="user").set_index(user.astype(dtype))
    edges = [0, *cuts, 20]
    parts = [data[start:stop] for start, stop in pairwise(edges)]
    frame = dd.from_delayed(
        [dask.delayed(part) for part in parts], meta=data[:0], divisions=divisions
    )
    assert bits(means(frame, ndcg_score, **COLUMNS)) == bits(
        in_one_call(ndcg_score, data.reset_index())
    )


def test_an_index_without_divisions_is_shuffled():
    data = rows().set_index("user")  # the rows of a query are in all partitions
    frame = frame_of(data, 5).clear_divisions()
    assert not frame.known_divisions
    expected = in_one_call(ndcg_score, data.reset_index())
    assert bits(means(frame, ndcg_score, **COLUMNS)) == bits(expected)


@pytest.mark.parametrize("ordered", [False, True])
def test_divisions_that_are_categories_may_be_in_their_order(ordered):
    data = rows(200, 20).assign(user=lambda data: data["user"].astype(str))
    expected = in_one_call(ndcg_score, data)
    names = [str(number) for number in range(20)[::-1]]
    of_row = pd.Categorical(data["user"], names, ordered=ordered)
    data = data.assign(user=of_row).sort_values("user", kind="stable").set_index("user")
    cut = data.index.get_loc("10").start
    parts = [dask.delayed(data[:cut]), dask.delayed(data[cut:])]
    frame = dd.from_delayed(parts, meta=data[:0], divisions=("19", "10", "0"))
    assert frame.known_divisions
    assert bits(means(frame, ndcg_score, **COLUMNS)) == bits(expected)


def test_divisions_that_are_wrong_are_an_error():
    data = rows(40, 4).set_index("user").sort_index()
    parts = [dask.delayed(data[:20]), dask.delayed(data[20:])]
    frame = dd.from_delayed(parts, meta=data[:0], divisions=(0, 3, 3))
    first = data[20:].index[data[20:].index < 3][0]
    assert_refused(
        lambda: means(frame, ndcg_score, **COLUMNS),
        "The 'data' parameter of scale.report must be a frame of which each partition is between "
        f"its divisions in 'user'. Got {first} between 3 and 3 instead. Pass "
        "`frame.clear_divisions()`, whose rows are shuffled.",
    )
    result = means(frame.clear_divisions(), ndcg_score, **COLUMNS)
    assert bits(result) == bits(in_one_call(ndcg_score, data.reset_index()))


def test_divisions_that_reading_loses(monkeypatch):
    data = sorted_rows()
    frame = dd.from_pandas(data, npartitions=3)
    kind = type(frame)
    optimize = kind.optimize
    monkeypatch.setattr(
        kind, "optimize", lambda self, *args, **more: optimize(self.clear_divisions())
    )
    expected = in_one_call(ndcg_score, data.reset_index())
    assert bits(means(frame, ndcg_score, **COLUMNS)) == bits(expected)


def test_a_missing_id_in_an_index():
    data = rows(20, 4).astype({"user": float}).sort_values("user")
    data.iloc[-1, data.columns.get_loc("user")] = np.nan
    frame = dd.from_delayed(
        [dask.delayed(data.set_index("user"))],
        meta=data.set_index("user").iloc[:0],
        divisions=(0, 4),
    )
    assert_refused(
        lambda: means(frame, ndcg_score, **COLUMNS),
        "The 'data' parameter of scale.report must be a table whose column 'user' has an id in "
        "each row. Got null instead. Drop such rows, or give them an id.",
    )


# --- processes, and workers that die ------------------------------------------------------------


def test_processes_take_functions_of_any_kind():
    data = rows(400, 30)
    table = np.array([0.0, 0.3, 1.7, 9.1])
    params = {"gain": lambda label: table[np.round(label * 10).astype(int)], "k": [1, 3]}
    expected = in_one_call(ndcg_score, data, **params)
    with dask.config.set({"scheduler": "processes", "dataframe.shuffle.method": "disk"}):
        result = means(frame_of(data, 2), ndcg_score, **COLUMNS, **params)
    assert bits(result) == bits(expected)


def test_workers_take_functions_of_any_kind(client):
    data = rows().rename(columns={"more": 5})
    table = np.array([0.0, 0.3, 1.7, 9.1])
    params = {"gain": lambda label: table[np.round(label * 10).astype(int)], "k": [1, 3]}
    expected = in_one_call(ndcg_score, data, **params)
    frame = frame_of(data.assign(user=data["user"].astype(str)), 6)
    judgments, predictions = tables()
    with (
        client.as_current(),
        dask.config.set({"scheduler": None, "dataframe.shuffle.method": None}),
    ):
        assert bits(means(frame, ndcg_score, **COLUMNS, **params)) == bits(expected)
        later = scale.report(frame, scores=ndcg_score, **COLUMNS, **params, compute=False)
        each = values_per_query(frame, ndcg_score, **COLUMNS, **params).compute()
        result = means_of_tables(
            frame_of(judgments, 3), frame_of(predictions, 4), ndcg_score, **NAMES
        )
    for _ in range(2):
        assert bits([*client.compute(later).result().mean.values()]) == bits(expected)
    each = each.assign(user=each["user"].astype(int)).sort_values("user")
    values = in_one_call(ndcg_score, data, average=None, **params)
    assert bits(each[["ndcg@1", "ndcg@3"]].to_numpy()) == bits(values)
    assert bits(result) == assert_as_from_tables(judgments, predictions)[0]


def test_a_worker_that_dies_in_the_middle_changes_no_bit(client, tmp_path):
    data = rows()
    caller = os.getpid()

    def gain(label):
        """Take notes, and end the third process that comes by."""
        if os.getpid() != caller:
            (tmp_path / str(len(os.listdir(tmp_path)))).touch()
            if len(os.listdir(tmp_path)) == 3:
                os._exit(1)
        return label**1.5

    with (
        client.as_current(),
        dask.config.set({"scheduler": None, "dataframe.shuffle.method": None}),
    ):
        for frame in (frame_of(data, 6), dd.from_pandas(sorted_rows(), npartitions=6)):
            for note in tmp_path.iterdir():
                note.unlink()
            result = means(frame, ndcg_score, **COLUMNS, gain=gain)
            assert len(os.listdir(tmp_path)) > 3
            assert bits(result) == bits(in_one_call(ndcg_score, data, gain=gain))
