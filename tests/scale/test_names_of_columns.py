"""The columns of `ranking_scores.scale`: by the words of all tables, known or old ones."""

from __future__ import annotations

import io
import json
import pickle

import numpy as np
import pytest

from ranking_scores import mean_average_precision_score, ndcg_score, scale
from ranking_scores.__main__ import main
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_tables

pa = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
datasets = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas", reason="it is in the extra test")
pl = pytest.importorskip("polars", reason="it is in the extra test")

ROWS = {
    "user": ["ann", "ann", "ann", "bob", "bob"],
    "item": ["a", "b", "c", "a", "b"],
    "rating": [0, 5, 3, 1, 0],
    "score": [0.4, 0.9, 0.4, 0.2, 0.7],
}
TABLE = pa.table(ROWS)
COLUMNS = {"query": "user", "label": "rating", "score": "score"}
ONLY_MAP = {"scores": "map", "k": None}
EXPECTED = mean_average_precision_score(ROWS["rating"], ROWS["score"], qid=ROWS["user"])


def without_first(table):
    """Return a table whose first batch has no rows."""
    return iter([table[:0], table])


SOURCES = {
    "dict": lambda path: ROWS,
    "pandas": lambda path: TABLE.to_pandas(),
    "polars": lambda path: pl.DataFrame(ROWS),
    "lazy": lambda path: pl.LazyFrame(ROWS),
    "arrow": lambda path: TABLE,
    "reader": lambda path: TABLE.to_reader(),
    "path": lambda path: str(path),
    "folder": lambda path: path.parent,
    "dataset": lambda path: datasets.dataset(path),
    "filtered": lambda path: datasets.dataset(path).filter(datasets.field("score") > 0),
    "open": lambda path: io.BytesIO(path.read_bytes()),
    "paths": lambda path: [path],
    "paths, once": lambda path: iter([path]),
    "tables": lambda path: [TABLE[:3], TABLE[3:]],
    "tables, once": lambda path: iter([TABLE[:3], TABLE[3:]]),
    "no rows first": lambda path: without_first(TABLE),
    "dicts": lambda path: [ROWS],
}


@pytest.mark.parametrize("kind", SOURCES)
def test_known_names_are_found_in_any_data(kind, tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(TABLE, path)
    assert scale.report(SOURCES[kind](path), **ONLY_MAP)["map"] == EXPECTED
    values = scale.per_query(SOURCES[kind](path), **ONLY_MAP)
    assert values.column_names == ["user", "map"]
    assert np.mean(values["map"].to_numpy()) == EXPECTED


def renamed(**names):
    """Return the table with other names of its columns."""
    return TABLE.rename_columns([names.get(name, name) for name in ROWS])


JUDGED = TABLE.select(["user", "item", "rating"])
FOUND = TABLE.select(["user", "item", "score"]).rename_columns(["user_id", "doc", "score"])


@pytest.mark.parametrize("kind", ["tables", "once", "paths"])
def test_known_names_of_two_tables_are_found(kind, tmp_path):
    judged, found = JUDGED, FOUND
    if kind == "once":
        judged, found = iter([JUDGED]), iter([FOUND[:2], FOUND[2:]])
    if kind == "paths":
        for name, table in (("judged", JUDGED), ("found", FOUND)):
            parquet.write_table(table, tmp_path / name)
        judged, found = tmp_path / "judged", tmp_path / "found"
    expected = mean_average_precision_score(from_tables(JUDGED, FOUND))
    assert scale.report_tables(judged, found, **ONLY_MAP)["map"] == expected


def test_other_numbers_beside_known_labels_do_not_count():
    more = JUDGED.append_column("price", pa.array([9.5, 1, 2, 3, 4]))
    found = scale.report_tables(more, FOUND, **ONLY_MAP)
    assert found == scale.report_tables(JUDGED, FOUND, **ONLY_MAP)


def test_one_reader_does_not_have_both_tables():
    tables = iter([JUDGED, FOUND])
    with pytest.raises(InvalidParameterError, match=r"'predictions' .* read only once"):
        scale.report_tables(tables, tables, **ONLY_MAP)


def test_one_of_the_names_of_two_tables_may_be_passed():
    options = {"query": ("user", "user_id"), **ONLY_MAP}
    found = scale.report_tables(JUDGED, FOUND, **options, item=("item", "doc"))
    assert found == scale.report_tables(JUDGED, FOUND, **options)
    reversed_ranks = FOUND.append_column("rank", pa.array([1, 2, 3, 2, 1]))
    ranked = scale.report_tables(JUDGED, reversed_ranks, rank="rank", **ONLY_MAP)
    assert ranked["map"] != found["map"]


@pytest.mark.parametrize(
    ("judged", "found", "error"),
    [
        (JUDGED.append_column("qid", JUDGED["user"]), FOUND, "'judgments' .* Got 'qid' and 'user"),
        (JUDGED, FOUND.drop(["score"]), "'predictions' .* `score=` or `rank=`"),
        (JUDGED.rename_columns(["user", "item", "odd"]), FOUND, "'label' .* Pass label='odd' or"),
        (
            JUDGED,
            FOUND.rename_columns(["user", "item", "distance"]),
            "'score' .* Pass minus the distance",
        ),
        (5, FOUND, "'query' .* the name of a column of these tables"),
        (JUDGED, [], "'query' .* the name of a column of these tables"),
    ],
)
def test_two_tables_whose_columns_are_not_found_are_refused(judged, found, error):
    with pytest.raises(InvalidParameterError, match=error):
        scale.report_tables(judged, found, **ONLY_MAP)


@pytest.mark.parametrize(
    ("names", "given"),
    [
        ({"user": "query", "item": "doc", "rating": "label"}, {}),
        ({"user": "qid", "item": "docno", "rating": "relevance"}, {}),
        ({"user": "User ID", "rating": "Grade"}, {}),
        ({"user": "who"}, {"query": "who"}),
        ({"score": "model"}, {"score": "model"}),
        ({"score": "model"}, {"score": {"one": "model"}}),
    ],
)
def test_names_that_are_left_out_are_found_beside_others(names, given):
    table = renamed(**names)
    report = scale.report(table, **given, **ONLY_MAP)
    assert report.get("one", report)["map"] == EXPECTED


def test_ranks_do_not_count_beside_scores():
    """The order of these, as those of RecTools, would otherwise be that of the ranks."""
    table = renamed(user="user_id", item="item_id")
    ranked = table.append_column("rank", pa.array([1, 2, 3, 1, 2]))
    assert scale.report(ranked, **ONLY_MAP)["map"] == EXPECTED


@pytest.mark.parametrize(
    ("table", "given", "error"),
    [
        (
            TABLE.append_column("qid", TABLE["user"]),
            {},
            "must be a table with one column whose name is known as that of the query. Got 'qid' "
            "and 'user' instead. Name it with `query=`.",
        ),
        (
            renamed(rating="stars of it"),
            {},
            "known as that of the label. Got the columns 'user', 'item', 'stars of it', 'score' "
            "instead. Name it with `label=`.",
        ),
        (
            renamed(score="rank"),
            {},
            "known as that of the score. Got the columns 'user', 'item', 'rating' instead. Name "
            "it with `score=`.",
        ),
        (
            {"label": [[1, 0]], "score": [[2, 1]]},
            {},
            "known as that of the query. Got the columns 'label', 'score' instead. Name it with "
            "`query=`.",
        ),
        (
            renamed(score="distance"),
            {},
            "The 'score' parameter of scale.report must be a column of scores. Got 'distance' "
            "instead. Pass minus the distance, in a column with another name.",
        ),
        ([], {}, "must be at least one file or table. Got [] instead."),
        (5, {}, "must be the path of Parquet files, several of them, "),
        (TABLE, {"label": "gone"}, "instead. `label=` takes the name of the column in the table."),
    ],
)
def test_columns_that_are_not_found_are_named(table, given, error):
    with pytest.raises(InvalidParameterError) as caught:
        scale.report(table, **given, **ONLY_MAP)
    assert error in str(caught.value)


def test_the_column_of_one_of_several_models_is_named(tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(TABLE, path)
    with pytest.raises(InvalidParameterError, match=r" `score\['new'\]=` takes the name of the c"):
        scale.report(path, score={"old": "score", "new": "gone"}, **ONLY_MAP)


@pytest.mark.parametrize("function", [scale.report, scale.per_query])
def test_the_old_words_warn(function):
    old = {"y_true": "rating", "y_score": "score", "qid": "user"}
    name = f"scale.{function.__name__}"
    with pytest.warns(FutureWarning) as caught:
        found = function(TABLE, **old, **ONLY_MAP)
    assert found == function(TABLE, **COLUMNS, **ONLY_MAP)
    assert [str(each.message) for each in caught] == [
        f"The {word!r} parameter of {name} is called {new!r}. The old name ends with 0.4."
        for word, new in (("y_true", "label"), ("y_score", "score"), ("qid", "query"))
    ]
    assert all(each.filename == __file__ for each in caught)
    with pytest.raises(InvalidParameterError, match=rf"'y_true' parameter of {name} must be left"):
        function(TABLE, **COLUMNS, y_true="rating")


def test_an_item_is_in_each_query_once():
    report = scale.report(TABLE, **COLUMNS, item="item", **ONLY_MAP)
    assert report == scale.report(TABLE, **COLUMNS, **ONLY_MAP)
    twice = pa.concat_tables([TABLE, TABLE[4:]])
    assert scale.report(twice, **COLUMNS, **ONLY_MAP).n_queries == 2
    for order in ("grouped", "any"):
        with pytest.raises(InvalidParameterError) as caught:
            scale.per_query(twice, **COLUMNS, item="item", **ONLY_MAP, order=order)
        assert str(caught.value) == (
            "The 'data' parameter of scale.per_query must be a table whose column 'item' has each "
            "item only once per query. Got item 'b' more than once in the query with qid 'bob' "
            "instead. Keep one row of each."
        )
    lists = {"label": [[1, 0]], "score": [[2, 1]], "item": [["a", "b"]]}
    with pytest.raises(InvalidParameterError) as caught:
        scale.report(lists, label="label", score="score", item="item", **ONLY_MAP)
    assert str(caught.value) == (
        "The 'item' parameter of scale.report must be None if each row is a query. Got 'item' "
        "instead. Name the column with the id of the query of each row: `query=...`."
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (
            lambda: scale.report(TABLE, **COLUMNS, user="user"),
            "scale.report has no parameter 'user', nor has any of the scores (ndcg, map, mrr, "
            "precision, recall, hit_rate). It is called `query` here.",
        ),
        (
            lambda: scale.per_query(TABLE, **COLUMNS, metrics="map"),
            "scale.per_query has no parameter 'metrics', nor has any of the scores (ndcg, map, "
            "mrr, precision, recall, hit_rate). It is called `scores` here.",
        ),
        (
            lambda: scale.report(TABLE, **COLUMNS, y_pred="score"),
            "It is called `score` here.",
        ),
        (lambda: scale.report(), "The 'data' parameter of scale.report must be given."),
        (
            lambda: scale.report_tables(TABLE),
            "The 'predictions' parameter of scale.report_tables must be given, as in predictions=",
        ),
        (
            lambda: scale.report(TABLE, **COLUMNS | {"label": "score", "score": ["x"]}),
            "The 'score' parameter of scale.report must be the name of a column. Got ['x']",
        ),
    ],
)
def test_errors_have_the_words_of_columns(call, error):
    with pytest.raises(InvalidParameterError) as caught:
        call()
    assert error in str(caught.value)


def test_errors_of_scores_have_the_words_of_columns():
    negative = pa.table(ROWS | {"rating": [-1, 5, 3, 1, 0]})
    with pytest.raises(InvalidParameterError) as caught:
        scale.report(negative, scores=ndcg_score)
    assert caught.value.parameter == "label"
    assert "in a part of the column 'rating'" in str(caught.value)
    assert "Drop items that they mark as to leave out." in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).parameter == "label"


@pytest.mark.parametrize("names", [("query", "doc"), ("user", "item"), ("user_id", "doc")])
def test_plain_words_are_known_in_tables_and_in_the_command(names, tmp_path, capsys):
    ids = {names[0]: ["q", "q"], names[1]: ["a", "b"]}
    judged, found = ids | {"label": [1, 0]}, ids | {"score": [1.0, 2.0]}
    data = from_tables(judged, found)
    assert mean_average_precision_score(data) == 0.5
    assert data.notes[0].startswith(f"judgments: {names[0]}, {names[1]}, label")
    # Columns that are called so beside an id, as those of texts may be, are not taken.
    texts = {"docno": ["1", "2"], "doc": ["some text", "other text"], "qid": ["q", "q"]}
    assert from_tables(texts | {"label": [1, 0]}, texts | {"score": [1, 2]}).item_ids[0] == "1"
    paths = [tmp_path / "judged.csv", tmp_path / "found.csv"]
    for path, table in zip(paths, (judged, found), strict=True):
        pd.DataFrame(table).to_csv(path, index=False)
    assert main([*map(str, paths), "-m", "map", "--format", "json"]) == 0
    assert [record["mean"] for record in json.loads(capsys.readouterr().out)] == [0.5]
