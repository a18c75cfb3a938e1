"""Scores of frames of Spark: the bits of one call, the errors of one call, on a real engine."""

from __future__ import annotations

import datetime
import importlib
import os
import pickle
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from raising import raises
from scaled import means, means_of_tables, of_arrays, values_per_query
from spark_workers import NAMES, rows
from warned import nothing_to_rank

import ranking_scores
from ranking_scores import (
    hit_rate_score,
    mean_average_precision_score,
    ndcg_score,
    ranking_report,
    scale,
)
from ranking_scores._base._errors import ErrorNames
from ranking_scores._tables._known_names import names_of_columns
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.scale import _spark
from ranking_scores.scale._shards import ShardScore, ShardTables
from ranking_scores.scale._spark import _answer_of_part, _values_of_part
from ranking_scores.tables import from_tables

_EXTRA = "it is in the extra spark"
pd = pytest.importorskip("pandas", reason="it is in the extra test")
pa = pytest.importorskip("pyarrow", reason=_EXTRA)
pytest.importorskip("pyspark", reason=_EXTRA)
pytestmark = [
    pytest.mark.skipif(
        shutil.which("java") is None and "JAVA_HOME" not in os.environ,
        reason="Spark needs Java, such as the package default-jre-headless of Debian",
    ),
]

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def environment():
    """Let the workers of Spark run this Python, this package and these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        package = Path(ranking_scores.__file__).parents[1]
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (package, TESTS))))
        yield


@pytest.fixture(scope="module")
def spark(environment):
    builder = importlib.import_module("pyspark.sql").SparkSession.builder
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.session.timeZone": "America/New_York",
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.master("local[2]").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def setting(spark):
    """Return a function that changes settings of the session, for one test."""
    before = {}

    def change(name, value):
        before[name] = spark.conf.get(name)
        spark.conf.set(name, value)

    yield change
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.fixture(scope="module")
def frame(spark):
    """Return `rows` as a frame, in partitions that cut the queries."""
    return spark.createDataFrame(pd.DataFrame(rows())).coalesce(3)


# --- one frame ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_partitions", [1, 3, 12])
def test_the_bits_are_those_of_one_call_however_rows_are_spread(frame, setting, n_partitions):
    setting("spark.sql.shuffle.partitions", n_partitions)
    setting("spark.sql.adaptive.enabled", n_partitions == 3)
    setting("spark.sql.execution.arrow.maxRecordsPerBatch", {1: 7}.get(n_partitions, 10000))
    for params in ({"k": [1, 3]}, {"ignore_ties": True}):
        score = means(frame, ndcg_score, **NAMES, **params)
        np.testing.assert_array_equal(score, ndcg_score(**rows(), **params))


def test_several_scores_and_weights(spark):
    columns = rows() | {"w": rows()["qid"] % 3 + 0.1, "of_item": rows()["y_true"] + 0.3}
    frame = spark.createDataFrame(pd.DataFrame(columns))
    weights = {"sample_weight": "w"}
    score = means(frame, ["ndcg@3", "map"], **NAMES, **weights, relevance_threshold=0.5)
    sample_weight = columns["w"]
    report = ranking_report(
        **rows(),
        scores=["ndcg@3", "map"],
        k=None,
        sample_weight=sample_weight,
        relevance_threshold=0.5,
    )
    assert score == dict(report.mean)
    score = means(frame, "ndcg", **NAMES, **weights, item_weight="of_item")
    arrays = {"sample_weight": sample_weight, "item_weight": columns["of_item"]}
    assert score == ndcg_score(**rows(), **arrays)


def test_unjudged_items(spark):
    columns = rows()
    labels = np.where(np.arange(len(columns["y_true"])) % 3 > 0, columns["y_true"], np.nan)
    frame = spark.createDataFrame(pd.DataFrame(columns | {"y_true": labels}))
    params = {"scores": ["ndcg@3", "map"], "k": None, "unjudged": True, "max_grade": 3}
    report = scale.report(frame, **NAMES, **params)
    expected = ranking_report(**columns | {"y_true": labels}, **params)
    for name in ("mean", "low", "high", "condensed", "judged"):
        assert getattr(report, name) == getattr(expected, name)


DAY = datetime.date(2024, 2, 28)
NOON = datetime.datetime(2024, 3, 10, 12)
IDS = {
    "string": [f"ä{number}" for number in (9, 10, 2)],
    "date": [DAY, DAY + datetime.timedelta(9), DAY - datetime.timedelta(60000)],
    "timestamp": [NOON, NOON - datetime.timedelta(hours=30), NOON + datetime.timedelta(0, 0, 1)],
    "timestamp_ntz": [NOON, NOON - datetime.timedelta(3000), NOON + datetime.timedelta(0, 0, 1)],
    "decimal(38,2)": [Decimal("0.10"), Decimal(-3), Decimal(2) ** 90],
    "double": [0.5, -0.0, 1e300],
    "boolean": [True, False, True],
    "smallint": [3, -2, 0],
    "binary": [b"a", b"\xff", b""],
    "interval day to second": [datetime.timedelta(seconds=each) for each in (5, -1, 90000)],
}


@pytest.mark.parametrize("dtype", IDS)
def test_ids_may_be_of_any_type(spark, dtype):
    values = [each for each in IDS[dtype] for _ in range(4)] * 2
    labels, scores = [0, 1, 0, 2, 2, 1] * 4, [0.3, 0.1, 0.2, 0.2] * 6
    table = [*zip(values, labels, scores, strict=True)]
    frame = spark.createDataFrame(table, f"`a.qid` {dtype}, `y``` int, s double").repartition(3)
    number = {each: place for place, each in enumerate(dict.fromkeys(IDS[dtype]))}
    expected = ndcg_score(labels, scores, qid=[number[each] for each in values], average=None)
    names = {"label": "y`", "score": "s", "query": "a.qid"}
    assert means(frame, ndcg_score, **names) == pytest.approx(expected.mean(), rel=1e-15)
    each = values_per_query(frame, ndcg_score, **names)
    assert each.columns == ["a.qid", "ndcg"]
    value_of = dict(map(tuple, each.collect()))
    kind = bytes if dtype == "binary" else lambda value: value
    assert {number[kind(qid)]: value for qid, value in value_of.items()} == dict(
        enumerate(expected)
    )


def test_one_query_may_have_most_rows(spark, setting):
    setting("spark.sql.adaptive.advisoryPartitionSizeInBytes", "100k")
    frame = spark.range(300_000).selectExpr(
        "if(id < 200000, 0, id div 10) as qid",
        "hash(id) % 5 + 4 as y_true",
        "(hash(id, 1) % 1000) / 7 as y_score",
    )
    arrow = frame.toArrow()
    arrays = {name: arrow.column(name).to_numpy() for name in arrow.schema.names}
    score = means(frame, ndcg_score, **NAMES, k=[1, 100])
    np.testing.assert_array_equal(score, ndcg_score(**arrays, k=[1, 100]))


def test_functions_travel_also_those_without_a_name(frame):
    power = 1.5
    score = means(frame, "ndcg", gain=lambda label: label**power, **NAMES)
    assert score == ndcg_score(**rows(), gain=lambda label: label**power)


def test_the_values_of_each_query_are_a_frame_of_spark(frame):
    each = values_per_query(frame, ["ndcg", "hit_rate"], k=[1, 5], **NAMES)
    fields = [(field.name, field.dataType.simpleString()) for field in each.schema]
    names = ["ndcg@1", "ndcg@5", "hit_rate@1", "hit_rate@5"]
    assert fields == [("qid", "bigint"), *((name, "double") for name in names)]
    values = each.orderBy("qid").toArrow()
    for name in names:
        score = ndcg_score if name.startswith("ndcg") else hit_rate_score
        expected = score(**rows(), k=int(name[-1]), average=None)
        np.testing.assert_array_equal(values[name], expected)
    np.testing.assert_array_equal(values["qid"], np.unique(rows()["qid"]))
    one = values_per_query(frame, ndcg_score, **NAMES).where("qid = 7").collect()
    assert one[0]["ndcg"] == ndcg_score(**rows(), average=None)[7]


def test_columns_with_known_names_are_found(frame):
    known = frame.selectExpr("qid", "y_true AS relevance", "y_score AS score")
    assert means(known, ndcg_score) == means(frame, ndcg_score, **NAMES)


A_TABLE = "The 'data' parameter of scale.report must be a table whose column"
BAD = [
    (
        {"qid": "if(qid = 5, null, qid)"},
        f"{A_TABLE} 'qid' has an id in each row. Got null instead. Drop such rows, or give them "
        "an id.",
    ),
    (
        {"y_true": "if(qid = 5, null, y_true)"},
        f"{A_TABLE} 'y_true' has a number in each row. Got null in the query with qid 5 instead. "
        "Drop such rows, or fill them.",
    ),
    (
        {"y_score": "if(qid = 5, double('nan'), y_score)"},
        f"{A_TABLE} 'y_score' has a number in each row. Got NaN in the query with qid 5 instead. "
        "Drop such rows, or fill them.",
    ),
    (
        {"y_score": "CAST(y_score AS decimal(10,2))"},
        f"{A_TABLE} 'y_score' has bools, ints or floats. Got type decimal(10,2) instead. "
        'Convert it to numbers first, for example with `.cast("double")`.',
    ),
    (
        {"y_true": "date '2024-01-01'"},
        f"{A_TABLE} 'y_true' has bools, ints or floats. Got type date instead.",
    ),
    (
        {"qid": "array(qid)"},
        f"{A_TABLE} 'qid' has ids that are text, numbers or dates. Got type array<bigint> "
        "instead.",
    ),
    (
        {"qid": "collate(CAST(qid AS string), 'UTF8_LCASE')"},
        f"{A_TABLE} 'qid' has text without a collation, or of UTF8_BINARY. Got type string "
        'collate UTF8_LCASE instead. Make plain text of it first, such as by `.cast("string")`, '
        "of `lower(...)` if case does not count.",
    ),
    (
        {"y_true": "if(qid = 5, -1, y_true)"},
        "The 'label' parameter of scale.report, for ndcg_score, must be at least 0, except below "
        "relevance_threshold. Got the label "
        "-1.0 in the query with qid 5, in a part of the column 'y_true', instead. Replace "
        "negative labels by 0 if they gain nothing. Drop items that they mark as to leave out. "
        "Are y_true and y_score swapped?",
    ),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[str(*each[0]) for each in BAD])
def test_an_error_of_a_worker_is_that_of_the_package(frame, changes, message):
    changed = [f"{changes.get(name, name)} AS {name}" for name in NAMES.values()]
    with pytest.raises(InvalidParameterError) as caught:
        means(frame.selectExpr(*changed), ndcg_score, **NAMES)
    assert str(caught.value) == message


def test_other_errors_come_before_anything_is_read(frame):
    for names, message in [
        ({"query": "id"}, "The 'data' parameter of scale.report must be a table with the column"),
        (
            {"query": None},
            "The 'query' parameter of scale.report must be the name of one column if data is a",
        ),
        (
            {"label": frame["y_true"]},
            "The 'label' parameter of scale.report must be the name of",
        ),
        (
            {"label": 5},
            "The 'label' parameter of scale.report must be the name of a column. Got 5",
        ),
        ({"k": 0}, "The 'k' parameter of scale.report must be None, an int of at least 1"),
        ({"compute": False}, "The 'compute' parameter of scale.report must be True, unless da"),
        ({"n_jobs": 2}, "The 'n_jobs' parameter of scale.report must be None if data is a Spar"),
    ]:
        with pytest.raises(InvalidParameterError) as caught:
            means(frame, ndcg_score, **(NAMES | names))
        assert str(caught.value).startswith(message)
    with pytest.raises(InvalidParameterError, match=r"Use `\.to_spark\(\)`\.$"):
        means(type("OnSpark", (), ON_SPARK)(), ndcg_score, **NAMES)


ON_SPARK = {"to_spark": None, "__module__": "pyspark.pandas.frame"}


def test_frames_that_are_not_of_spark_are_named(frame):
    with pytest.raises(InvalidParameterError) as caught:
        means(frame.schema, ndcg_score, **NAMES)
    assert str(caught.value) == (
        "The 'data' parameter of scale.report must be a DataFrame of Spark. Got a StructType "
        "instead. `spark.createDataFrame(...)` makes one of a frame of pandas."
    )
    judged = pd.DataFrame({"user": [1], "film": [1], "stars": [1]})
    with pytest.raises(
        InvalidParameterError, match=r"'judgments' .* must be a DataFrame of Spark"
    ):
        means_of_tables(judged, frame, "ndcg", **COLUMNS)


@pytest.mark.parametrize("function", [scale.report, scale.per_query])
def test_a_streaming_frame_is_an_error(spark, function):
    stream = spark.readStream.format("rate").load()
    frame = stream.selectExpr("value AS qid", "1 AS y_true", "0.5D AS y_score")
    with pytest.raises(InvalidParameterError) as caught:
        function(frame, **NAMES)
    expected = (
        f"The 'data' parameter of scale.{function.__name__} must be a DataFrame of Spark whose "
        "rows are "
        "all there. Got a streaming one instead. Write it first, or pass each batch that "
        "`writeStream.foreachBatch` has."
    )
    assert str(caught.value) == expected


def test_columns_that_are_one_to_spark_are_an_error(frame, setting):
    both = frame.selectExpr("*", "qid AS Y_Score")
    with pytest.raises(InvalidParameterError) as caught:
        means(both, ndcg_score, **NAMES)
    expected = (
        "The 'data' parameter of scale.report must be a table with one column 'y_score'. Got "
        "'y_score' and 'Y_Score', which are one name to Spark, instead. Rename them by "
        "`.toDF(...)`, or set spark.sql.caseSensitive to true."
    )
    assert str(caught.value) == expected
    setting("spark.sql.caseSensitive", True)
    assert means(both, ndcg_score, **NAMES) == ndcg_score(**rows())


def test_a_frame_without_rows_is_an_error(frame):
    with pytest.raises(InvalidParameterError) as caught:
        means(frame.where("qid < 0"), ndcg_score, **NAMES)
    expected = (
        "The 'data' parameter of scale.report must be of at least one row. Got none instead."
    )
    assert str(caught.value) == expected
    assert values_per_query(frame.where("qid < 0"), ndcg_score, **NAMES).count() == 0


def test_a_result_may_not_have_the_name_of_the_ids(frame):
    renamed = frame.withColumnRenamed("qid", "ndcg")
    with pytest.raises(InvalidParameterError, match=r"^The 'query' parameter of scale.per_"):
        values_per_query(renamed, ndcg_score, **(NAMES | {"query": "ndcg"}))


def test_results_that_are_one_to_spark_are_an_error(frame, setting):
    renamed = frame.withColumnRenamed("qid", "NDCG@5"), NAMES | {"query": "NDCG@5"}
    advice = "Give the scores names of your own: scores={'name': score, ...}."
    for (table, names), scores, message in [
        (
            renamed,
            "ndcg@5",
            "The 'query' parameter of scale.per_query must be the name of a column that is not "
            "the name of a result. Got 'NDCG@5' and 'ndcg@5', which are one name to Spark, "
            f"instead. {advice}",
        ),
        (
            (frame, NAMES),
            {"A": "ndcg", "a": "map"},
            "The 'scores' parameter of scale.per_query must be such that each result has a "
            f"name of its own. Got 'A' and 'a', which are one name to Spark, instead. {advice}",
        ),
    ]:
        with pytest.raises(InvalidParameterError) as caught:
            values_per_query(table, scores, **names)
        assert str(caught.value) == message
    setting("spark.sql.caseSensitive", True)
    assert values_per_query(renamed[0], "ndcg@5", **renamed[1]).columns == ["NDCG@5", "ndcg@5"]


@pytest.mark.parametrize("kind", ["string", "smallint", "date", "double"])
def test_groups_are_those_of_a_report(spark, kind):
    columns = rows() | {"of": rows()["qid"] % 5}
    of = {"date": "date_add(date'2020-01-01', int(of))"}.get(kind, f"CAST(of AS {kind})")
    frame = spark.createDataFrame(pd.DataFrame(columns)).selectExpr("*", f"{of} AS `of it`")
    options = {"scores": ["ndcg", "map"], "k": [1, None]}
    report = scale.report(frame, **NAMES, **options, by="of it")
    expected = ranking_report(**rows(), **options, by={"of it": columns["of"]})
    groups = [report.by_group["of it"], expected.by_group["of it"]]
    assert [type(each) for each in groups[0]] == [
        {"string": str, "smallint": int, "date": np.datetime64, "double": float}[kind]
    ] * 5
    for of_sums, of_values in zip(*(each.values() for each in groups), strict=True):
        assert dict(of_sums.mean) == dict(of_values.mean)
        assert dict(of_sums.standard_error) == dict(of_values.standard_error)
        assert of_sums.n_queries == of_values.n_queries
    with pytest.raises(
        InvalidParameterError, match=r"'by' parameter of scale\.report must be the s"
    ):
        scale.report(frame, **NAMES, **options, by="y_score")


# --- two frames ---------------------------------------------------------------------------------


def tables(n_queries=300):
    """Return judgments and predictions: some queries are in one of them only."""
    rng = np.random.default_rng(1)
    judged = pd.DataFrame(
        {
            "user": rng.integers(0, n_queries, 2000),
            "film": rng.integers(0, 60, 2000),
            "stars": rng.random(2000).round(1),
        }
    ).drop_duplicates(["user", "film"])
    predicted = pd.DataFrame(
        {
            "user": rng.integers(n_queries // 3, 4 * n_queries // 3, 3000).astype(np.int32),
            "film": rng.integers(0, 60, 3000),
            "score": rng.integers(0, 9, 3000) / 7,
        }
    ).drop_duplicates(["user", "film"])
    predicted["rank"] = rng.integers(1, 40, len(predicted))
    return judged, predicted


@pytest.fixture(scope="module")
def both(spark):
    return [spark.createDataFrame(each).coalesce(2) for each in tables()]


COLUMNS = {"query": "user", "item": "film", "label": "stars", "score": "score"}


@pytest.mark.parametrize("queries", ["judged", "both", "all"])
def test_two_tables_have_the_bits_of_one_call_whichever_queries_count(both, queries):
    columns = COLUMNS | {"queries": queries}
    if queries == "all":
        columns |= {"score": None, "rank": "rank"}
    data = from_tables(*tables(), **columns)
    params = {"k": [1, 5], "replace_undefined_by": 0.5}
    score = means_of_tables(*both, "ndcg", **columns, **params)
    np.testing.assert_array_equal(score, ndcg_score(*data[:2], **params))


def test_ids_of_two_types_are_joined_by_value(spark):
    judged, predicted = tables()
    judgments = spark.createDataFrame(judged).selectExpr(
        "CAST(user AS decimal(20,0)) AS person",
        "timestampadd(DAY, film, DATE'2020-01-01') AS film",
    )
    predictions = spark.createDataFrame(predicted).selectExpr(
        "user * 1.0D AS user",
        "timestampadd(DAY, film, TIMESTAMP_NTZ'2020-01-01 00:00:00') AS film",
        "score",
    )
    columns = COLUMNS | {"query": ("person", "user"), "label": None}
    score = means_of_tables(
        judgments.withColumn("film", judgments["film"].cast("date")), predictions, "map", **columns
    )
    data = from_tables(judged, predicted, **(COLUMNS | {"label": None}))
    assert score == mean_average_precision_score(*data[:2])


def test_a_column_that_may_have_the_labels_must_be_named(both):
    columns = {name: each for name, each in COLUMNS.items() if name != "label"}
    with raises("label", "the name of a column of judgments", advice="label='stars'"):
        means_of_tables(*both, "map", **columns)


SAME = [
    (["user + 1000 AS user", "film", "stars"], [], {}),
    ([], ["user + 1000 AS user", "film", "score"], {"queries": "both"}),
    ([], [], {"queries": "equal"}),
    (["user", "film - film % 2 * (user % 2) AS film", "stars"], [], {}),
    ([], ["user", "film", "1000000 + film AS score"], {"rank": "score", "score": None}),
    (["1 AS user", "film", "stars"], ["1 AS user", "film", "score"], {}),
]
"""What makes queries or ranks wrong in all of the data."""


@pytest.mark.parametrize(("judged", "predicted", "params"), SAME)
def test_errors_about_all_of_two_tables_are_those_of_one_call(both, judged, predicted, params):
    frames = [
        frame.selectExpr(*columns) if columns else frame
        for frame, columns in zip(both, (judged, predicted), strict=True)
    ]
    columns = COLUMNS | params
    with pytest.raises(InvalidParameterError) as caught:
        means_of_tables(*frames, "ndcg", **columns)
    with pytest.raises(InvalidParameterError) as expected:
        ndcg_score(from_tables(*(frame.toArrow() for frame in frames), **columns))
    message = str(expected.value).replace("from_tables", "scale.report_tables")
    if "rank" in params:  # which of them could be kept is not known of all data
        message, _, _ = message.partition(" Got ")
        assert str(caught.value).startswith(f"{message} Got ")
    else:
        assert str(caught.value) == message


JUDGMENTS = "The 'judgments' parameter of scale.report_tables must be a table whose column"
PREDICTIONS = "The 'predictions' parameter of scale.report_tables must be a table whose column"
WRONG = [
    (
        ["user", "if(user = 5, null, film) AS film", "stars"],
        [],
        f"{JUDGMENTS} 'film' has an id in each row. Got null for query 5 instead. Drop "
        "such rows, or give them an id.",
    ),
    (
        ["if(user = 5, null, user) AS user", "film", "stars"],
        [],
        f"{JUDGMENTS} 'user' has an id in each row. Got null instead. Drop such rows, or give "
        "them an id.",
    ),
    (
        [],
        ["if(user = 105, double('nan'), user) AS user", "film", "score"],
        f"{PREDICTIONS} 'user' has an id in each row. Got null instead. Drop such rows, or give "
        "them an id.",
    ),
    (
        ["CAST(user AS string) AS user", "film", "stars"],
        [],
        f"{PREDICTIONS} 'user' has text, like column 'user' of judgments. Got numbers instead. "
        "Ids of different kinds are never equal. Convert them to one kind, such as by "
        '`.cast("string")`.',
    ),
    (
        ["user", "film", "CAST(stars AS string) AS stars"],
        [],
        f"{JUDGMENTS} 'stars' has bools, ints or floats. Got type string instead. Convert it "
        'to numbers first, for example with `.cast("double")`.',
    ),
    (
        ["user", "film", "if(user = 5, -1, stars) AS stars"],
        [],
        "The 'label' parameter of scale.report_tables, for ndcg_score, must be at least 0, "
        "except "
        "below relevance_threshold. Got the label "
        "-1.0 for query 5, in a part of the column 'stars', instead. Replace negative "
        "labels by 0 if they gain nothing. Drop items that they mark as to leave out, or pass "
        "`where=y_true >= 0` for 2-D arrays. Are y_true and y_score swapped?",
    ),
    (
        [],
        ["user", "if(user = 105, 1, film) AS film", "score"],
        f"{PREDICTIONS} 'film' has each item only once per query. Got item 1 more than once for "
        "query 105 instead. Keep one row of each, such as the one with the highest score. With "
        "duplicates='best', each item counts once, at its best place. With duplicates='hold', its "
        "other places stay, too, and are not relevant.",
    ),
    (
        [],
        ["user", "film", "if(user = 105, double('inf'), score) AS score"],
        f"{PREDICTIONS} 'score' has a finite score in each row. Got inf for query 105 "
        "instead. Drop the rows of items that were not predicted.",
    ),
]


@pytest.mark.parametrize(("judged", "predicted", "message"), WRONG)
def test_errors_about_a_part_of_two_tables_name_no_rows(both, judged, predicted, message):
    frames = [
        frame.selectExpr(*columns) if columns else frame
        for frame, columns in zip(both, (judged, predicted), strict=True)
    ]
    with pytest.raises(InvalidParameterError) as caught:
        means_of_tables(*frames, "ndcg", **COLUMNS)
    assert str(caught.value) == message


@nothing_to_rank
def test_one_column_may_be_both_query_and_item(both):
    columns = {"query": "user", "item": "user", "label": None, "score": "score"}
    judged, predicted = (frame.dropDuplicates(["user"]) for frame in both)
    data = from_tables(judged.toArrow(), predicted.toArrow(), **columns)
    expected = mean_average_precision_score(*data[:2])
    assert means_of_tables(judged, predicted, "map", **columns) == expected


def test_two_tables_without_rows(both):
    judgments, predictions = both
    with pytest.raises(InvalidParameterError) as caught:
        means_of_tables(judgments.limit(0), predictions, "ndcg", **COLUMNS)
    expected = (
        "The 'judgments' parameter of scale.report_tables must be a table with at least one "
    )
    assert str(caught.value) == f"{expected}row. Got no rows instead."
    assert means_of_tables(judgments, predictions.limit(0), "ndcg", **COLUMNS) == 0


def test_a_warning_says_that_nothing_was_found_in_all_of_the_data(spark, both):
    judgments, predictions = both
    others = predictions.selectExpr("user", "film + 1000 AS film", "score")
    with pytest.warns(UserWarning, match="^No judged item is among the predictions") as caught:
        scale.report_tables(judgments, others, scores="ndcg", **COLUMNS)
    [warning] = [each for each in caught if each.category is UserWarning]
    assert warning.filename == __file__


def test_an_item_is_found_if_it_was_predicted_for_another_query(spark):
    schema = "user int, film int"
    judgments = spark.createDataFrame([(1, 1), (2, 2), (3, 7)], schema)
    predictions = [(1, 2, 0.5), (2, 9, 0.5), (4, 7, 0.5)]
    predictions = spark.createDataFrame(predictions, f"{schema}, score double")
    columns = COLUMNS | {"label": None}
    assert means_of_tables(judgments, predictions, "ndcg", queries="both", **columns) == 0
    judgments, predictions = judgments.where("user <> 2"), predictions.where("user <> 2")
    assert means_of_tables(judgments, predictions, "ndcg", queries="all", **columns) == 0
    with pytest.warns(UserWarning, match="^No judged item is among the predictions"):
        means_of_tables(judgments, predictions, "ndcg", queries="both", **columns)


@pytest.mark.parametrize(
    ("queries", "is_shared"), [("judged", False), ("both", False), ("all", True)]
)
def test_an_item_is_shared_by_the_queries_that_are_scored(spark, queries, is_shared):
    judgments = spark.createDataFrame([(1, 1), (3, 7)], "user int, film int")
    predictions = spark.createDataFrame([(1, 2), (4, 7)], "user int, film int")
    names = ({"query": "user", "item": "film"},) * 2
    assert _spark._share_an_item(judgments, predictions, names, queries) == is_shared


# --- what the workers run, in this process -------------------------------------------------------


def packed(table, group, n_rows, monkeypatch, number=3):
    """Return the chunks of a partition that comes in batches of some rows."""
    context = SimpleNamespace(partitionId=lambda: number)
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: context)
    table = table.append_column("group", pa.array(group, pa.int32()))
    batches = table.to_batches(max_chunksize=n_rows)
    batches.append(batches[0].slice(0, 0))
    chunks = [*_spark._chunks_of_part(iter(batches))]
    return pa.Table.from_batches(chunks, pa.schema(_CHUNK_SCHEMA))


_CHUNK_SCHEMA = [("group", pa.int32()), ("place", pa.int64()), ("rows", pa.binary())]


def in_order(chunks):
    """Return batches of chunks as Spark sorts them."""
    by = [("group", "ascending"), ("place", "ascending")]
    return iter(chunks.sort_by(by).to_batches(max_chunksize=5))


@pytest.mark.parametrize("n_gathered", [1, 400, 10**6])
@pytest.mark.parametrize("first_group", [0, 2**16])
def test_chunks_have_the_rows_of_groups_in_order(monkeypatch, n_gathered, first_group):
    monkeypatch.setattr(_spark, "_GATHERED_BYTES", n_gathered)
    monkeypatch.setattr(_spark, "_CHUNK_BYTES", 200)
    monkeypatch.setattr(_spark, "_ROWS_AT_ONCE", 100)
    rng = np.random.default_rng(0)
    group = rng.integers(0, 9, 500) + first_group
    group[300:] = first_group + 4
    text = [None if number % 7 == 0 else "ä" * (number % 5) for number in range(500)]
    table = pa.table({"row": np.arange(500), "text": text, "flag": rng.random(500) < 0.5})
    chunks = packed(table, group, 7, monkeypatch)
    places = chunks["place"].to_pylist()
    assert places == list(range(3 * 2**33, 3 * 2**33 + len(chunks)))
    assert max(map(len, chunks["rows"].to_pylist())) < 2000
    tables = [*_spark._deserialised(in_order(chunks))]
    assert len(tables) > 1
    groups = [set(group[each["row"].to_numpy()]) for each in tables]
    assert sum(map(len, groups)) == len(set.union(*groups)) == 9
    for each in tables:
        of_row = each["row"].to_numpy()
        for number in set(group[of_row]):
            rows_of_group = of_row[group[of_row] == number]
            np.testing.assert_array_equal(rows_of_group, np.flatnonzero(group == number))
        assert each == table.take(of_row)
    assert [*_spark._deserialised(iter(()))] == []


def test_workers_score_chunks(spark, monkeypatch):
    columns = rows()
    shard = ShardScore(ndcg_score, {}, of_arrays(NAMES), ErrorNames("scale.report", "data"))
    monkeypatch.setattr(_spark, "_ROWS_AT_ONCE", 500)
    own = pa.table({name: columns[name] for name in ("y_true", "y_score", "qid")})
    chunks = packed(own, columns["qid"] % 64, 7, monkeypatch)
    [answer] = _answer_of_part(shard, in_order(chunks))
    sums = pickle.loads(answer.column("answer")[0].as_py())
    assert shard.report_of(sums)["ndcg"] == ndcg_score(**rows())
    values = pa.Table.from_batches(_values_of_part(shard, in_order(chunks)))
    values = values.sort_by("qid")
    np.testing.assert_array_equal(values["ndcg"], ndcg_score(**rows(), average=None))
    own = own.set_column(0, "y_true", pa.array(-columns["y_true"] - 1))
    [answer] = _answer_of_part(shard, in_order(packed(own, columns["qid"] % 64, 7, monkeypatch)))
    error = pickle.loads(answer.column("answer")[0].as_py())
    assert isinstance(error, InvalidParameterError)
    [answer] = _answer_of_part(shard, iter(()))
    assert pickle.loads(answer.column("answer")[0].as_py()) == shard.nothing


def test_workers_join_two_tables(both, monkeypatch):
    names = names_of_columns("scale.report_tables", rank=None, **COLUMNS)
    shard = ShardTables("ndcg", {}, names, "scale.report_tables", "judged", "error")
    union, form = _spark._union(*both, shard.names, "scale.report_tables")
    table = union.toArrow()
    chunks = packed(table, np.array(table[form.key]) % 64, 100, monkeypatch)
    [answer] = _spark._answer_of_tables(shard, form, in_order(chunks))
    _, seen = pickle.loads(answer.column("answer")[0].as_py())
    judged, predicted = tables()
    assert seen.queries.judged.count == judged["user"].nunique()
    assert seen.queries.predicted.count == predicted["user"].nunique()


@pytest.mark.parametrize("n_partitions", ["auto", "100"])
def test_the_number_of_groups_follows_that_of_partitions(frame, monkeypatch, n_partitions):
    conf = type(frame.sparkSession.conf)
    get = conf.get  # which Spark calls, too
    ours = {"spark.sql.shuffle.partitions": n_partitions}
    monkeypatch.setattr(conf, "get", lambda conf, name: ours.get(name) or get(conf, name))
    asked = []
    select = type(frame).selectExpr

    def select_and_tell(frame, *columns):
        asked.extend(columns)
        return select(frame, *columns)

    monkeypatch.setattr(type(frame), "selectExpr", select_and_tell)
    _spark._serialised_by(frame, "qid")
    n_groups = {"auto": 64, "100": 200}[n_partitions]
    assert asked == ["*", f"pmod(hash(`qid`), {n_groups}) AS group"]


# --- other sessions -----------------------------------------------------------------------------


def run_script(environment, *args):
    """Return what a script prints that has a session of its own, as each process has one."""
    path = TESTS / "spark_workers.py"
    command = [sys.executable, "-W", "ignore", path, *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_tasks_that_fail_and_workers_that_die_change_nothing(environment, tmp_path):
    printed = run_script(environment, "local[2,4]", tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {"fails_once", "dies_once"}
    score = ndcg_score(**rows(), gain=lambda label: label**2, k=[1, 10])
    assert printed == [" ".join(map(float.hex, score.tolist()))] * 3


def test_spark_connect(environment, tmp_path):
    pytest.importorskip("grpc", reason="it is in the extra connect of pyspark")
    printed = run_script(environment, "remote local[2]", tmp_path)
    score = ndcg_score(**rows(), gain=lambda label: label**2, k=[1, 10])
    assert printed == [" ".join(map(float.hex, score.tolist()))]
