"""Tables of every kind are the same table, wherever a table is taken."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pytest
from raising import raises
from read_at_once import from_table, from_tables

from ranking_scores import StreamingScore, scale
from ranking_scores.streaming import whole_queries

pa = pytest.importorskip("pyarrow", reason="most kinds of tables are made of its tables")
pytest.importorskip("pyarrow.dataset")

COLUMNS = {
    "user": ["a", "a", "b", "b", "b"],
    "film": ["x", "y", "x", "z", "w"],
    "stars": [1, 0, 2, 1, 1],
    "score": [0.5, 0.1, 0.2, 0.9, 0.4],
    "text": list("vwxyz"),
}
NAMES = {"query": "user", "item": "film", "label": "stars", "score": "score"}
TABLE = pa.table(COLUMNS)


class HuggingFace:
    """What a dataset of Hugging Face does with its columns."""

    def __init__(self, table):
        self._table = table
        self.column_names = table.column_names
        self.features = {
            field.name: SimpleNamespace(dtype=str(field.type)) for field in table.schema
        } | {"lists": [SimpleNamespace()]}

    def __len__(self):
        return len(self._table)

    def select_columns(self, names):
        return HuggingFace(self._table.select(names))

    def with_format(self, kind):
        assert kind == "arrow"
        return self._table


class Exporter:
    """An object of an unknown library that exports its table."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


KINDS = {
    "dict": lambda table: table.to_pydict(),
    "rows": lambda table: table.to_pylist(),
    "tuple of rows": lambda table: tuple(table.to_pylist()),
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.DataFrame,
    "lazy polars": lambda table: pl.DataFrame(table).lazy(),
    "narwhals": lambda table: narwhals.from_native(pl.DataFrame(table)),
    "lazy narwhals": lambda table: narwhals.from_native(pl.DataFrame(table).lazy()),
    "narwhals of pyarrow": narwhals.from_native,
    "table": lambda table: table,
    "reader": lambda table: table.to_reader(),
    "dataset": pa.dataset.dataset,
    "Hugging Face": HuggingFace,
    "exporter": Exporter,
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_the_same_table(kind):
    make = KINDS[kind]
    expected = from_table(COLUMNS, **NAMES)
    for data in (from_table(make(TABLE), **NAMES), from_tables(make(TABLE), make(TABLE), **NAMES)):
        for found, array in zip(data, expected, strict=True):
            dense = [
                each.toarray() if hasattr(each, "toarray") else each for each in (found, array)
            ]
            np.testing.assert_array_equal(*dense)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_may_be_a_batch(kind):
    make = KINDS[kind]
    batches = [make(TABLE[:3]), make(TABLE[3:])]
    stream = StreamingScore("ndcg")
    for batch in whole_queries(batches, qid="user"):
        columns = [np.asarray(batch[name]) for name in ("stars", "score")]
        stream.update(*columns, qid=np.asarray(batch["user"]).tolist())
    expected = StreamingScore("ndcg")
    expected.update(COLUMNS["stars"], COLUMNS["score"], qid=COLUMNS["user"])
    assert stream.compute() == expected.compute()
    batches = [make(TABLE[:3]), make(TABLE[3:])]
    columns = {"query": "user", "label": "stars", "score": "score"}
    found = scale.report(batches, **columns, scores="ndcg", k=None)
    assert found["ndcg"] == expected.compute()


def test_a_reader_is_also_batches():
    columns = {"query": "user", "label": "stars", "score": "score", "scores": "ndcg", "k": None}
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(2))
    assert scale.report(reader, **columns) == scale.report([TABLE], **columns)
    batches = TABLE.to_batches(2)
    whole = whole_queries(pa.RecordBatchReader.from_batches(TABLE.schema, batches), qid="user")
    assert pa.concat_tables(whole).equals(TABLE)


def test_a_reader_that_was_read_is_refused():
    reader = TABLE.to_reader()
    from_table(reader, **NAMES)
    with raises(
        "table", "was not read before", got="one without rows", advice="reader.read_all()"
    ):
        from_table(reader, **NAMES)
    empty = TABLE[:0].to_reader().read_all()
    assert from_tables(COLUMNS, empty, **NAMES).y_score.nnz == 0


def test_rows_may_lack_names():
    rows = [{"user": "a", "stars": 1, "score": 0.5}, {"user": "a", "score": 0.7}, {"user": "a"}]
    data = from_table(rows, query="user", label="stars", score="score")
    assert data.y_true.toarray().tolist() == [[1, 0]]
    assert data.y_score.nnz == 2
    with raises("table", "an id in each row", got="null in row 1"):
        from_table([rows[0], {"stars": 1}], query="user", label="stars", score="score")
    with raises("table", "with the column 'film'", got="the columns 'user', 'stars', 'score'"):
        from_table(rows, query="user", label="stars", score="score", item="film")
    for bad in ([1, 2], [rows[0], 2]):
        with raises("table", "such as a frame"):
            from_table(bad, query="user", label="stars", score="score")


@pytest.mark.parametrize("kind", KINDS)
def test_only_what_is_named_is_read(kind):
    table = KINDS[kind](TABLE)
    with raises("table", "with the column 'no'", advice="`label=` takes the name"):
        from_table(table, **NAMES | {"label": "no"})


def test_lazy_tables_are_read_once_and_only_where_they_are_named():
    read, frame = [], pl.DataFrame(COLUMNS)

    def source(names, *_):
        read.append(names)
        yield frame.select(names or frame.columns)

    lazy = pl.io.plugins.register_io_source(source, schema=frame.schema)
    from_table(lazy, **NAMES)
    from_tables(lazy, COLUMNS, **NAMES | {"label": None})
    assert [sorted(names) for names in read] == [sorted(NAMES.values()), ["film", "user"]]
    read.clear()
    [*whole_queries([lazy], qid="user")]
    assert len(read) == 1


def test_an_exporter_of_one_column_or_without_pyarrow_is_no_table(monkeypatch):
    column = Exporter(pa.chunked_array([COLUMNS["user"]]))
    with raises("table", "such as a frame of pandas or polars"):
        from_table(column, **NAMES)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with raises("table", "such as a frame of pandas or polars"):
        from_table(Exporter(TABLE), **NAMES)


@pytest.mark.parametrize(
    "table", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS).lazy(), TABLE, HuggingFace(TABLE)]
)
def test_a_single_table_in_place_of_batches(table):
    if isinstance(table, HuggingFace):
        table.__class__.columns = property(lambda self: self.column_names)
    only = "as the only one of a list"
    with raises("batches", "an iterable of tables", advice=only):
        whole_queries(table, qid="user")
    report = scale.report(table, query="user", label="stars", score="score", scores="mrr", k=None)
    assert report["mrr"] == 1


def test_frames_whose_columns_have_names_that_are_not_text():
    frame = pd.DataFrame({1: ["a", "a"], ("x", 2): [1, 0], 3.5: [0.2, 0.3]})
    names = {"query": 1, "label": ("x", 2), "score": 3.5}
    assert from_table(frame, **names).y_true.toarray().tolist() == [[1, 0]]
    assert from_table(frame.to_dict("records"), **names).y_true.toarray().tolist() == [[1, 0]]


def test_a_dataset_of_hugging_face_whose_label_is_not_named_is_refused():
    pairs = {"query": "user", "item": "film", "score": "score"}
    judged = HuggingFace(TABLE.select(["user", "film", "stars"]))
    with raises("label", "the name of a column of judgments", advice="label='stars'"):
        from_tables(judged, TABLE, **pairs)
