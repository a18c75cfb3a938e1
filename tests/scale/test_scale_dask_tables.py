"""Two tables of Dask are scored as when they are joined, and what is wrong is named."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from dask_rows import (
    COLUMNS,
    NAMES,
    WEIGHTS,
    _in_this_thread,  # noqa: F401
    assert_as_from_tables,
    assert_refused,
    bits,
    dask,
    dd,
    frame_of,
    pd,
    rows,
    tables,
)
from raising import raises
from scaled import means_of_tables, values_per_query
from warned import nothing_to_rank

from ranking_scores import grouped_auc_score, ndcg_score, scale
from ranking_scores._base._errors import ErrorNames
from ranking_scores._metrics._named import SCORES
from ranking_scores.scale import _dask
from ranking_scores.tables import from_tables

# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["user", "label", "score", "w", "of_item"])
@pytest.mark.parametrize("function", [scale.report, scale.per_query])
def test_what_is_missing_is_named(column, function):
    data = rows().astype({column: float})
    user = data.loc[1234, "user"]
    data.loc[data["user"] == user if column == "w" else 1234, column] = np.nan
    what, got, advice = "a number", f"null in the query with qid {user}", "fill them"
    if column == "user":
        what, got, advice = "an id", "null", "give them an id"
    assert_refused(
        lambda: dask.compute(function(frame_of(data, 4), scores="dcg", **COLUMNS, **WEIGHTS)),
        f"The 'data' parameter of scale.{function.__name__} must be a table whose column "
        f"{column!r} has "
        f"{what} in each row. Got {got} instead. Drop such rows, or {advice}.",
    )


FRAME = frame_of(rows(20, 3), 2)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"data": FRAME["label"]},
            "The 'data' parameter of scale.report must be a Dask DataFrame. Got a Series instead. "
            "`dask.dataframe.from_pandas` makes one of a frame of pandas.",
        ),
        (
            {"query": None},
            "The 'query' parameter of scale.report must be the name of one column if data is a "
            "Dask DataFrame. Got None instead.",
        ),
        (
            {"label": [5]},
            "The 'label' parameter of scale.report must be the name of a column. Got [5] instead.",
        ),
        (
            {"score": [0.5]},
            "The 'score' parameter of scale.report must be the name of a column. Got [0.5] "
            "instead.",
        ),
        (
            {"data": FRAME[["user", "label"]]},
            "The 'data' parameter of scale.report must be a table with the column 'score'. Got "
            "the columns 'user', 'label' instead. `score=` takes the name of the column in the "
            "table.",
        ),
        (
            {"n_jobs": 2},
            "The 'n_jobs' parameter of scale.report must be None if data is a Dask DataFrame. Got "
            "2 instead.",
        ),
        (
            {"batch_rows": 2},
            "The 'batch_rows' parameter of scale.report must be None if data is a Dask DataFrame. "
            "Got 2 instead.",
        ),
        (
            {"compute": 1},
            "The 'compute' parameter of scale.report must be True or False. Got 1 instead.",
        ),
        (
            {"where": "label"},
            "The 'where' parameter of scale.report must be left out, since no such parameter is "
            "passed on to the scores. Got 'label' instead. Filter the rows first.",
        ),
        (
            {"scores": "ndgc"},
            f"The 'scores' parameter of scale.report must be one of {', '.join(SCORES)}, "
            "alone or as in 'ndcg@10'. Got 'ndgc' instead. Did you mean 'ndcg' or 'dcg'?",
        ),
    ],
)
def test_errors_at_the_call(changed, message):
    given = {"data": FRAME, **COLUMNS, "compute": False} | changed
    assert_refused(lambda: scale.report(**given), message)


def test_a_frame_is_not_written():
    assert_refused(
        lambda: scale.per_query(FRAME, **COLUMNS, path="values.csv"),
        "The 'path' parameter of scale.per_query must be None if data is a Dask DataFrame. Got "
        "'values.csv' instead. The result is a DataFrame, which has methods to write it.",
    )


def test_a_result_is_not_called_as_the_ids():
    assert_refused(
        lambda: values_per_query(
            FRAME.rename(columns={"user": "mrr"}), "mrr", **COLUMNS | {"query": "mrr"}
        ),
        "The 'query' parameter of scale.per_query must be the name of a column that is not the "
        "name of a result. Got 'mrr' instead. Give the scores names of your own: "
        "scores={'name': score, ...}.",
    )


# --- two tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ranked_by", ["score", "rank"])
@pytest.mark.parametrize("queries", ["judged", "both", "all"])
def test_tables_are_scored_as_when_they_are_joined(queries, ranked_by):
    names = NAMES | {"score": None, ranked_by: ranked_by, "queries": queries}
    judgments, predictions = tables()
    for params in ({"k": [1, 5]}, {"ignore_ties": True}, {"gain": lambda label: label**1.5}):
        assert_as_from_tables(judgments, predictions, ndcg_score, names, **params)
    for name in ("map", "recall", "precision", "mrr", "hit_rate", "rbp", "f1", "r_precision"):
        has_k = "k" in inspect.signature(SCORES[name]).parameters
        params = {"k": [1, 5]} if has_k else {}
        result, _ = assert_as_from_tables(judgments, predictions, SCORES[name], names, **params)
        assert isinstance(result, bytes)


def test_equal_queries():
    judgments, predictions = tables()
    names = NAMES | {"queries": "equal"}
    error, _ = assert_as_from_tables(judgments, predictions, names=names)
    assert "10 of 50 queries that are judged and not predicted, such as 0" in error
    judgments = judgments[judgments["user"] >= 10]
    error, _ = assert_as_from_tables(judgments, predictions, names=names)
    assert "10 of 40 queries that are not judged, such as 40" in error
    predictions = predictions[predictions["user"] < 40]
    assert isinstance(assert_as_from_tables(judgments, predictions, names=names)[0], bytes)


def test_tables_without_rows_and_without_labels():
    judgments, predictions = tables()
    assert_as_from_tables(judgments, predictions, names=NAMES | {"label": None})
    assert_as_from_tables(judgments, predictions[:0])
    error, _ = assert_as_from_tables(judgments, predictions[:0], names=NAMES | {"queries": "both"})
    assert "a query that is both judged and predicted" in error
    error, _ = assert_as_from_tables(judgments[:0], predictions)
    assert "a table with at least one row" in error
    apart = judgments.assign(user=judgments["user"] + 100)
    error, _ = assert_as_from_tables(apart, predictions)
    assert "Got 100, 101, 102, … judged and 10, 11, 12, … predicted" in error


def test_whether_an_item_is_found_is_known_when_all_parts_are():
    judgments, predictions = tables()
    _, caught = assert_as_from_tables(judgments.assign(film=judgments["film"] + 30), predictions)
    assert caught == [
        "No judged item is among the predictions. Check that both tables use the same item ids."
    ]
    # One film is judged for one user and predicted for others, who are in other parts.
    one = judgments[judgments["user"] == 20].assign(film=lambda data: range(29, 29 + len(data)))
    others = predictions[(predictions["user"] != 20) | (predictions["film"] != 29)]
    others = others.assign(score=others["score"] + 0.5)  # which are no grades
    _, caught = assert_as_from_tables(one, others, names=NAMES | {"queries": "all"})
    assert caught == []
    _, caught = assert_as_from_tables(one, others)
    assert caught


@pytest.mark.parametrize(
    ("of_judgments", "of_predictions"),
    [
        (lambda ids: ids.astype("int32"), lambda ids: ids.astype("float64")),
        (lambda ids: ids.astype("Int64"), lambda ids: ids.astype("uint8")),
        (lambda ids: ids.astype(str), lambda ids: ids.astype(str).astype("category")),
        (lambda ids: ids.astype(str), lambda ids: ids.astype(str).astype(object)),
        (lambda ids: ids.astype("category"), lambda ids: ids),
        (lambda ids: ids.astype("M8[s]"), lambda ids: ids.astype("M8[s]").astype("M8[ns]")),
        (
            lambda ids: ids.map(lambda each: (each, "a")),
            lambda ids: ids.map(lambda each: (each, "a")),
        ),
    ],
)
def test_ids_of_two_tables_may_have_two_dtypes(of_judgments, of_predictions):
    judgments, predictions = tables()
    expected = assert_as_from_tables(judgments, predictions)
    for column in ("user", "film"):
        judgments[column] = of_judgments(judgments[column])
        predictions[column] = of_predictions(predictions[column])
    with dask.config.set({"dataframe.convert-string": False}):
        assert assert_as_from_tables(judgments, predictions)[0] == expected[0]


def test_text_that_is_not_utf8_has_no_row_since_it_is_that_of_a_partition():
    text = pytest.importorskip("pyarrow").array([b"a", b"a\xff"]).view("string")
    part = pd.DataFrame({"user": pd.array(text, dtype="string[pyarrow]")})
    column = _dask._QueryIdColumn("user", ErrorNames("scale.report", "data"))
    with raises("data", "text in UTF-8", got=r"b'a\xff'"):
        _dask._keys_of(part, 0, column)


def test_ids_of_two_kinds_are_an_error():
    judgments, predictions = tables()
    for column in ("user", "film"):
        error, _ = assert_as_from_tables(judgments.astype({column: str}), predictions)
        assert f"must be a table whose column {column!r} has text" in error


def test_errors_of_tables():
    judgments, predictions = tables()
    frames = frame_of(judgments, 3), frame_of(predictions, 5)
    assert_refused(
        lambda: means_of_tables(judgments, frames[1], ndcg_score, **NAMES),
        "The 'judgments' parameter of scale.report_tables must be a Dask DataFrame. Got a pandas "
        "DataFrame instead. `dask.dataframe.from_pandas` makes one of a frame of pandas.",
    )
    assert_refused(
        lambda: means_of_tables(*frames, **NAMES, memory="1 GB"),
        "The 'memory' parameter of scale.report_tables must be None if data is a Dask DataFrame. "
        "Got '1 GB' instead.",
    )
    assert_refused(
        lambda: means_of_tables(*frames, ndcg_score, **NAMES | {"query": ("user", "who")}),
        "The 'predictions' parameter of scale.report_tables must be a table with the column "
        "'who'. "
        "Got the columns 'user', 'film', 'score', 'rank' instead. If the two tables have "
        "different names for it, pass a pair: `query=(in judgments, in predictions)`.",
    )
    for names in (NAMES | {"rank": "rank"}, NAMES | {"queries": "some"}, NAMES | {"item": 3.5}):
        with pytest.raises(ValueError, match="parameter of from_tables") as expected:
            from_tables(judgments, predictions, **names)
        message = str(expected.value).replace("from_tables", "scale.report_tables")
        assert_refused(lambda names=names: means_of_tables(*frames, "map", **names), message)
    twice = dd.concat([frames[0], frames[0].partitions[:1]])
    with pytest.raises(
        ValueError, match=r"'judgments' .* has each item only once per query. Got item"
    ):
        means_of_tables(twice, frames[1], ndcg_score, **NAMES)
    with pytest.raises(
        ValueError,
        match=r"'score' parameter of scale\.report_tables, for grouped_auc_score, must",
    ):
        means_of_tables(*frames, grouped_auc_score, **NAMES)


def test_names_of_columns_may_differ_and_be_in_the_index():
    judgments, predictions = tables()
    expected = assert_as_from_tables(judgments, predictions)[0]
    frames = (
        frame_of(judgments.rename(columns={"user": "who", "film": 7}).set_index("who"), 3),
        frame_of(predictions, 2),
    )
    names = NAMES | {"query": ("who", "user"), "item": (7, "film")}
    assert bits(means_of_tables(*frames, ndcg_score, **names)) == expected


@nothing_to_rank
def test_one_column_may_be_both_query_and_item():
    data = pd.DataFrame({"user": [1, 2, 3], "score": [0.5, 0.1, 0.2]})
    names = {"query": "user", "item": "user", "score": "score"}
    refused, _ = assert_as_from_tables(data[:2], data, names=names)
    assert "the name of a column of judgments" in refused
    result, warned = assert_as_from_tables(data[:2], data, names=names | {"label": None})
    assert (result, warned) == (bits(1), [])
