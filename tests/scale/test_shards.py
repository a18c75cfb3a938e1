"""Parts of some data in tables: the sums of each, its values per query, and its errors."""

from __future__ import annotations

import datetime
import pickle
import sys
from decimal import Decimal

import numpy as np
import pytest

from ranking_scores import mean_average_precision_score, ndcg_score
from ranking_scores._base._errors import ErrorNames, import_extra
from ranking_scores._base._ids import without_view
from ranking_scores.scale._shards import ShardScore

NAMES = ErrorNames("scale.report", "data")
COLUMNS = {"y_true": "label", "y_score": "score", "qid": "user"}
TABLE = {
    "user": np.array(["b", "b", "a", "a", "c"]),
    "label": np.array([0, 1, 2, 0, 0]),
    "score": np.array([0.5, 0.2, 0.1, 0.1, 0.3], dtype=np.float32),
    "weight": np.array([1.0, 1.0, 2.0, 2.0, 0.5]),
    "of_item": np.array([1.0, 3.0, 2.0, 1.0, 1.0]),
}
PARAMS = {"k": [1, 2]}


def pyarrow_table(columns):
    return pytest.importorskip("pyarrow", reason="it is in the extra parquet").table(columns)


def pyarrow_batch(columns):
    return pyarrow_table(columns).to_batches()[0]


def pandas_frame(columns):
    frame = pytest.importorskip("pandas", reason="it is in the extra test").DataFrame(columns)
    return frame.set_axis(frame.index[::-1])


LIBRARIES = (dict, pyarrow_table, pyarrow_batch, pandas_frame)


def arrays_of(columns):
    return {name: TABLE[column] for name, column in columns.items()}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("more", [{}, {"sample_weight": "weight"}, {"item_weight": "of_item"}])
def test_the_sums_of_a_shard_are_those_of_one_call(library, more):
    columns = COLUMNS | more
    shard = ShardScore(ndcg_score, PARAMS, columns | {"by": None}, NAMES)
    arrays = arrays_of(columns)
    report = shard.report_of(shard.sums_of(library(TABLE)))
    assert list(report.mean.values()) == ndcg_score(**arrays, **PARAMS).tolist()
    assert shard.nothing.of_all.n_queries == 0
    values = shard.values_of(library(TABLE))
    assert list(values) == ["user", "ndcg@1", "ndcg@2"]
    assert type(values["user"]) is type(library(TABLE)["user"])
    assert np.asarray(values["user"]).tolist() == ["b", "a", "c"]  # as they come
    expected = ndcg_score(**arrays, **PARAMS, average=None)[[1, 0, 2]]
    np.testing.assert_array_equal(values["ndcg@1"], expected[:, 0])
    np.testing.assert_array_equal(values["ndcg@2"], expected[:, 1])
    assert values["ndcg@2"].flags.c_contiguous


def test_several_scores_and_a_query_whose_rows_are_apart():
    shard = ShardScore(["ndcg@1", "map"], {"replace_undefined_by": np.nan}, COLUMNS, NAMES)
    rows = np.array([0, 2, 4, 1, 3])
    table = {name: column[rows] for name, column in TABLE.items()}
    sums, values = shard.both_of(table)
    arrays = arrays_of(COLUMNS)
    of_map = mean_average_precision_score(**arrays, average=None, replace_undefined_by=np.nan)
    assert values["user"].tolist() == ["b", "a", "c"]
    np.testing.assert_array_equal(values["map"], of_map[[1, 0, 2]])
    assert np.isnan(values["ndcg@1"][2])
    assert shard.report_of(sums)["map"] == np.nanmean(of_map)


@pytest.mark.parametrize("weight", [np.inf, -2.0])
def test_a_weight_that_is_none_is_named_with_its_query(weight):
    table = TABLE | {"w": np.array([1.0, weight, 1.0, weight, 1.0])}
    shard = ShardScore(ndcg_score, {}, COLUMNS | {"sample_weight": "w"}, NAMES)
    with pytest.raises(ValueError, match="parameter of") as caught:
        shard.sums_of(table)
    assert str(caught.value) == (
        "The 'sample_weight' parameter of scale.report must be finite and not negative. Got "
        f"{weight} in the query with qid 'b', in a part of the column 'w', "
        "instead."
    )


def test_names_of_results():
    for scores, params, expected in (
        (ndcg_score, {}, ["ndcg"]),
        (ndcg_score, {"k": 10}, ["ndcg@10"]),
        ("ndcg@3", {}, ["ndcg@3"]),
        (["ndcg", "map@2"], {"k": [1, None]}, ["ndcg@1", "ndcg", "map@2"]),
        ({"mine": "ndcg"}, {}, ["mine"]),
    ):
        assert ShardScore(scores, params, COLUMNS, NAMES).results == expected
    with pytest.raises(ValueError, match=r"'k' parameter of scale\.report must be a list without"):
        ShardScore(ndcg_score, {"k": [1, 1]}, COLUMNS, NAMES)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_without_rows(library):
    shard = ShardScore(["ndcg", "map"], {}, COLUMNS, NAMES)
    table = library(TABLE)
    empty = table[:0] if library is pandas_frame else None
    if empty is None:
        empty = {name: column[:0] for name, column in TABLE.items()}
        empty = empty if library is dict else table.slice(0, 0)
    sums, values = shard.both_of(empty)
    assert sums == shard.nothing
    assert list(values) == ["user", "ndcg", "map"]
    assert [len(column) for column in values.values()] == [0, 0, 0]
    assert (sums + shard.sums_of(table)).of_all.n_queries == 3


def test_list_columns_have_a_query_in_each_row():
    pyarrow = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    columns = {"y_true": "labels", "y_score": "scores", "sample_weight": "w"}
    table = pyarrow.table(
        {"labels": [[0, 1], [2], []], "scores": [[2.0, 1], [3], []], "w": [1, 2, 3]}
    )
    for more in ({}, {"item_weight": "scores"}):
        shard = ShardScore(["ndcg"], {"k": [1, None]}, columns | {"qid": None} | more, NAMES)
        sums, values = shard.both_of(table)
        weights = {"item_weight": table["scores"]} if more else {}
        arrays = {"y_true": table["labels"], "y_score": table["scores"]} | weights
        score = ndcg_score(**arrays, k=1, sample_weight=[1, 2, 3])
        assert shard.report_of(sums)["ndcg@1"] == score
        assert list(values) == ["ndcg@1", "ndcg"]
        assert values["ndcg@1"].tolist() == [0, 1, 0]
    assert shard.sums_of(table.slice(0, 0)) == shard.nothing
    for name, values, error in (
        (
            "labels",
            [[0, None], [2], []],
            "The 'label' parameter of scale.report must be without nulls. Got 1 null, in a part "
            "of "
            "the column 'labels', instead.",
        ),
        (
            "w",
            [1, None, 3],
            "The 'data' parameter of scale.report must be a table whose column 'w' has a "
            "number in each row. Got null instead.",
        ),
        (
            "w",
            [1, -1, 3],
            "The 'sample_weight' parameter of scale.report must be finite and not negative. Got "
            "-1.0, in a part of the column 'w', instead.",
        ),
        (
            "scores",
            [1, 2, 3],
            "The 'data' parameter of scale.report must be a table whose column 'scores' has a "
            "list in each row, since no column has the query. Got single values instead. Name the "
            "column",
        ),
    ):
        other = {each: table[each] for each in table.column_names} | {name: pyarrow.array(values)}
        with pytest.raises(ValueError, match="parameter of") as caught:
            ShardScore("ndcg", {}, columns, NAMES).sums_of(other)
        assert str(caught.value).startswith(error)
    with pytest.raises(ValueError, match=r"has one value for each row\. Got dtype list"):
        ShardScore("ndcg", {}, columns | {"qid": "w"}, NAMES).sums_of(table)


def with_null(library, name):
    """Return a table of which the third row has no value in a column."""
    column = [*TABLE[name].tolist()]
    column[2] = None
    if library is dict:
        column = np.array(column, dtype=object if name == "user" else float)
    return library(TABLE | {name: column})


@pytest.mark.parametrize("library", LIBRARIES[1:])
def test_nulls_are_errors_that_name_the_column(library):
    columns = COLUMNS | {"sample_weight": "weight", "item_weight": "of_item"}
    shard = ShardScore("ndcg", {}, columns, NAMES)
    for name in columns.values():
        with pytest.raises(ValueError, match="parameter of") as caught:
            shard.sums_of(with_null(library, name))
        expected, advice = (
            "a number in each row. Got null in the query with qid 'a'",
            "Drop such rows, or fill them.",
        )
        if name == "user":
            expected, advice = "an id in each row. Got null", "Drop such rows, or give them an id."
        assert str(caught.value) == (
            f"The 'data' parameter of scale.report must be a table whose column {name!r} has "
            f"{expected} instead. {advice}"
        )


def test_what_is_no_number_is_an_error_that_names_the_column():
    shard = ShardScore("ndcg", {}, COLUMNS, NAMES)
    start = "The 'data' parameter of scale.report must be a table whose column"
    for name, values, error in (
        (
            "label",
            [1.0, np.nan, 0, 0, 0],
            f"{start} 'label' has a number in each row. Got NaN in the query with qid 'b' "
            "instead.",
        ),
        (
            "label",
            [Decimal(1)] * 5,
            f"{start} 'label' has bools, ints or floats. Got Decimal('1') instead.",
        ),
        (
            "score",
            ["1"] * 5,
            f"{start} 'score' has bools, ints or floats. Got dtype <U1 instead.",
        ),
        (
            "score",
            [1, 2, 3, 4, np.inf],
            "The 'score' parameter of scale.report must be finite. Got NaN or infinity in 1 of "
            "3 "
            "queries, the first of them the query with qid 'c', in a part of the column 'score', "
            "instead. Drop",
        ),
        (
            "user",
            [None] * 5,
            f"{start} 'user' has an id in each row. Got None instead. Drop such rows, or give "
            "them an id.",
        ),
        (
            "user",
            [1, 1, np.nan, 2, 2],
            f"{start} 'user' has an id in each row. Got NaN instead. Drop such rows, or give "
            "them an id.",
        ),
        ("user", [[1], [2], [], [1, 2], []], "The 'query' parameter of scale.report must be"),
        ("user", [[1], [2], [3], [4], [5]], "The 'query' parameter of scale.report must be"),
        (
            "label",
            [1, 2],
            "The 'data' parameter of scale.report must be a table whose columns have the same "
            "length. Got",
        ),
        (
            "label",
            None,
            "The 'data' parameter of scale.report must be a table with the column 'label'. "
            "Got the columns",
        ),
    ):
        table = {each: TABLE[each].tolist() for each in TABLE} | {name: values}
        if values is None:
            del table[name]
        with pytest.raises(ValueError, match="parameter of") as caught:
            shard.sums_of(table)
        assert str(caught.value).startswith(error)


def test_ids_keep_the_type_of_their_column():
    pyarrow = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    for ids in (
        pyarrow.array([3, 3, 1, 1, 2], pyarrow.int8()),
        pyarrow.array([Decimal("1.5")] * 2 + [Decimal(1)] * 2 + [Decimal(7)]),
        pyarrow.array([moment] * 2 + [moment.replace(year=2000)] * 2 + [moment.replace(year=3)]),
        pyarrow.array(["b", "b", "a", "a", "c"]).dictionary_encode(),
        pyarrow.array(["b", "b", "a", "a", "c"], pyarrow.string_view()),
        pyarrow.array([b"b", b"b", b"a", b"a", b"c"], pyarrow.binary_view()),
    ):
        shard = ShardScore("ndcg", {}, COLUMNS, NAMES)
        sums, values = shard.both_of(pyarrow_table(TABLE | {"user": ids}))
        assert values["user"].type == without_view(ids).type
        assert values["user"].to_pylist() == [ids[0].as_py(), ids[2].as_py(), ids[4].as_py()]
        whole = ShardScore("ndcg", {}, COLUMNS, NAMES).both_of(TABLE)
        assert sums == whole[0]
        assert values["ndcg"].tolist() == whole[1]["ndcg"].tolist()


def test_it_travels():
    shard = pickle.loads(pickle.dumps(ShardScore(["ndcg"], PARAMS, COLUMNS, NAMES)))
    here = ShardScore(["ndcg"], PARAMS, COLUMNS, NAMES)
    assert pickle.loads(pickle.dumps(shard.sums_of(TABLE))) == here.sums_of(TABLE)


def test_errors_at_the_caller():
    for scores, params, error in (
        ("ngcd", {}, "The 'scores' parameter of scale.report must be one of"),
        (ndcg_score, {"kk": 1}, "scale.report has no parameter 'kk', nor has ndcg."),
        (["ndcg"], {"kk": 1}, "scale.report has no parameter 'kk', nor has ndcg."),
        (["ndcg"], {"k": 0}, "The 'k' parameter of scale.report must be None, an int"),
        (["ndcg"], {"gain": "no"}, "The 'gain' parameter of scale.report, for ndcg_score, must"),
        (ndcg_score, {"average": None}, "The 'average' parameter of scale.report must be left"),
        (
            ndcg_score,
            {"where": 1},
            "The 'where' parameter of scale.report must be left out, since no such parameter "
            "is passed on to the scores. Got 1 instead. Filter the rows first.",
        ),
    ):
        with pytest.raises(ValueError, match="parameter ") as caught:
            ShardScore(scores, params, COLUMNS, NAMES)
        assert str(caught.value).startswith(error)
    columns = COLUMNS | {"item_weight": "of_item"}
    for scores, who in (("map", "mean_average_precision_score"), (["ndcg", "mrr@3"], "mrr")):
        with pytest.raises(ValueError, match="item_weight") as caught:
            ShardScore(scores, {}, columns, NAMES)
        assert str(caught.value) == (
            f"The 'item_weight' parameter of scale.report must be None, since {who} "
            "does not accept it. Got the column 'of_item' instead."
        )
    shard = ShardScore("ndcg", {}, COLUMNS, NAMES)
    shard.check_columns(["user", "score", "label", "more"])
    with pytest.raises(ValueError, match=r"with the column 'label'\. Got the columns 'user', 's"):
        shard.check_columns(["user", "score"])
    with pytest.raises(ValueError, match=r"with one column 'user'\. Got 2 of that name instead"):
        shard.check_columns(["user", "score", "label", "user"])


def test_an_extra_that_is_missing(monkeypatch):
    assert import_extra("json.decoder", "none", "it") is sys.modules["json.decoder"]
    monkeypatch.setitem(sys.modules, "xml", None)
    with pytest.raises(ImportError) as caught:
        import_extra("xml.dom", "tree", "plant")
    assert str(caught.value) == ('plant needs xml: python -m pip install "ranking-scores[tree]"')
