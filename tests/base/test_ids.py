"""Ids as codes, whatever library they come with."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from read_at_once import from_table, from_tables

from ranking_scores import StreamingScore, dcg_score, ndcg_score, ranking_report
from ranking_scores._base import _ids
from ranking_scores._base._ids import (
    cut_runs,
    factorize,
    packed_column,
    runs_of_column,
    runs_of_text,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.streaming import whole_queries

pa = pytest.importorskip("pyarrow", reason="columns of pyarrow are among those compared")

ROWS = np.random.default_rng(0).integers(0, 300, 3000)
TEXT = np.array([f"query {number}" for number in range(300)])[ROWS]
NAMES = sorted(set(TEXT.tolist()))
IN_ARROW = pa.array(TEXT.tolist())
DAYS = ROWS.astype("M8[D]")
HALVES = [pa.array(half.tolist()).dictionary_encode() for half in np.split(TEXT, 2)]
NARROW = pa.dictionary("int8", "string")

COLUMNS = {
    "pandas text": pd.Series(TEXT.tolist(), dtype="str"),
    "pandas string": pd.Series(TEXT.tolist(), dtype="string", index=ROWS),
    "pandas string of Arrow": pd.Series(TEXT.tolist(), dtype="string[pyarrow]"),
    "pandas category": pd.Series(TEXT.tolist(), dtype="category"),
    "pandas Categorical": pd.Categorical(TEXT, categories=[*NAMES[::-1], "in no row"]),
    "pandas index": pd.Index(TEXT),
    "pandas category of dates": pd.Series(DAYS).astype("category"),
    "pandas category of ints": pd.Series(-ROWS).astype("category"),
    "polars text": pl.Series(TEXT.tolist()),
    "polars categorical": pl.Series(TEXT.tolist(), dtype=pl.Categorical),
    "polars enum": pl.Series(TEXT.tolist(), dtype=pl.Enum([*NAMES[::-1], "in no row"])),
    "Arrow text": IN_ARROW,
    "Arrow large text": IN_ARROW.cast("large_string"),
    "Arrow text in chunks": pa.chunked_array([IN_ARROW[:7], IN_ARROW[7:]]),
    "Arrow dictionary": IN_ARROW.dictionary_encode(),
    "Arrow dictionary, several": pa.chunked_array(HALVES),
    "Arrow dictionary that repeats": pa.DictionaryArray.from_arrays(
        pa.array((ROWS % 4).astype("u1")), pa.array(["b", "a", "b", "c"])
    ),
}


def test_text_in_arrow_is_hashed_by_it_whatever_pandas_tells_apart(monkeypatch):
    monkeypatch.setattr(_ids, "_reads_all_text", lambda pandas: False)  # as before 3.1
    column = pd.Series(["a\0b", "a\0c", "a\0b"], dtype=pd.StringDtype("pyarrow"))
    runs = runs_of_column(column)
    assert (runs.ids[runs.which].tolist(), len(runs.ids)) == (column.tolist(), 2)
    assert runs_of_column(column.astype(pd.StringDtype("python"))) is None


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("is_sorted", [True, False])
def test_codes_of_a_library_say_the_same_as_its_values(kind, is_sorted):
    column, values = COLUMNS[kind], np.asarray(COLUMNS[kind])
    if is_sorted:
        order = np.argsort(values, kind="stable")
        column = column.gather(order) if hasattr(column, "gather") else column.take(order)
        values = values[order]
    runs = runs_of_column(column) or runs_of_text(values)  # of text in pandas before version 3
    assert runs.n_rows == values.size
    assert (runs.start.size < values.size) == is_sorted
    assert np.repeat(runs.ids[runs.which], runs.length).tolist() == values.tolist()
    code, ids = factorize(column)
    assert ids[code].tolist() == values.tolist()
    assert sorted(ids.tolist()) == np.unique(values).tolist()
    labels, scores = np.random.default_rng(1).integers(0, 4, (2, values.size))
    report = ranking_report(labels, scores, qid=column, scores=["ndcg@5"])
    expected, query = np.unique(values, return_inverse=True)
    assert report.query_ids.dtype == (object if values.dtype.kind == "U" else values.dtype)
    assert report.query_ids.tolist() == expected.tolist()
    per_query = ndcg_score(labels, scores, k=5, qid=query, average=None)
    assert report.per_query["ndcg@5"].tolist() == per_query.tolist()


def as_columns(text):
    """Return text as a column of each kind that has no width."""
    return {
        "list": text,
        "tuple of bytes": tuple(map(str.encode, text)),
        "pandas": pd.Series(text, dtype=object),
        "pandas category": pd.Series(text, dtype="category"),
        "polars": pl.Series(text),
        "polars categorical": pl.Series(text, dtype=pl.Categorical),
        "Arrow": pa.array(text),
        "Arrow views": pa.array(text).cast("string_view"),
    }


_CUT = slice(1), slice(1, None)


@pytest.mark.parametrize("kind", as_columns([]))
def test_ids_that_differ_by_a_null_at_the_end_are_two_queries(kind):
    qid, item = as_columns(["x", "x", "x\0"])[kind], as_columns(["b", "b\0", "a"])[kind]
    report = ranking_report([1, 0, 0], [1, 2, 3], qid=qid, scores=["mrr"], k=None)
    are_bytes = kind == "tuple of bytes"
    assert report.query_ids.tolist() == ([b"x", b"x\0"] if are_bytes else ["x", "x\0"])
    assert report.per_query["mrr"].tolist() == [0.5, 0]
    table = {"user": qid, "film": item, "label": [1, 0, 0], "score": [1, 2, 3]}
    names = {"query": "user", "item": "film", "score": "score"}
    one = from_table(table, label="label", **names)
    assert (one.y_true.shape, one.item_ids.dtype) == ((2, 3), object)
    two = from_tables(table, table, label="label", **names)
    assert two.y_true.toarray().tolist() == one.y_true.toarray().tolist() == [[0, 1, 0], [0, 0, 0]]
    rows = {name: column for name, column in table.items() if name != "film"}
    batches = [{name: column[part] for name, column in rows.items()} for part in _CUT]
    stream = StreamingScore("mrr")
    for batch in whole_queries(batches, qid="user"):
        assert batch["user"].dtype == object
        stream.update(batch["label"], batch["score"], qid=batch["user"])
    assert stream.n_queries == 2


@pytest.mark.parametrize("kind", as_columns([]))
def test_one_long_id_does_not_make_the_others_wide(kind):
    text = [f"query {number}" for number in range(20_000)]
    text[7] += "x" * 4000  # 20 000 ids of this width would take 320 MB
    numbers, item = np.arange(20_000), as_columns(text)[kind]
    column = as_columns([*text[:-1], text[-2]])[kind]
    table = {"user": column, "film": item, "label": numbers, "score": numbers}
    names = {"query": "user", "item": "film", "score": "score"}
    tracemalloc.start()
    try:
        ranking_report(numbers, numbers, qid=column, scores=["ndcg"])
        from_tables(table, table, label="label", **names)
        list(whole_queries([table], qid="user"))
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["a", None], dtype="str"),
        pd.Series(["a", None], dtype="category"),
        pl.Series(["a", None]),
        pl.Series(["a", None], dtype=pl.Categorical),
        pa.array(["a", None]),
        pa.array(["a", None]).dictionary_encode(),
    ],
)
def test_columns_with_missing_ids_have_no_codes(column):
    assert runs_of_column(column) is None


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2]),
        pd.DataFrame({"a": ["x"]}),
        pd.NaT,
        pl.Series([1, 2]),
        pl.DataFrame({"a": ["x"]}),
        pa.array([1, 2]),
        pa.array([], "string"),
        pa.scalar("a"),
        ["a"],
        TEXT,
    ],
)
def test_what_is_no_column_of_text_or_categories_has_no_codes(column):
    assert runs_of_column(column) is None


@pytest.mark.parametrize("has_pandas", [True, False])
@pytest.mark.parametrize("dtype", [object, str, ">U12", "S12"])
def test_runs_of_text(monkeypatch, dtype, has_pandas):
    if not has_pandas:
        monkeypatch.setitem(sys.modules, "pandas", None)
    for text in (TEXT, np.sort(TEXT), TEXT[:1], np.repeat(TEXT, 2)[::2], TEXT[::-1]):
        text = text.astype(dtype)
        runs = runs_of_text(text)
        assert runs.ids.dtype == text.dtype
        assert np.repeat(runs.ids[runs.which], runs.length).tolist() == text.tolist()
        assert sorted(runs.ids.tolist()) == np.unique(text).tolist()


@pytest.mark.parametrize("is_new_pandas", [True, False])
def test_text_with_nulls_in_it_and_text_that_no_encoding_has(monkeypatch, is_new_pandas):
    text = np.array(["a\0b", "a\0c", "a", "", "a\0b", "\ud800", "\ud801", "é", "e\u0301"], object)
    column = pd.Series(text[:4], dtype=pd.StringDtype("python"))
    if not is_new_pandas:  # one that takes text for equal up to a null
        monkeypatch.setattr(pd, "factorize", lambda values: (np.zeros(values.size, int), None))
        assert runs_of_column(column) is None
    assert runs_of_text(text).ids[runs_of_text(text).which].tolist() == text.tolist()
    expected = np.unique(text[:4], return_inverse=True)[1]
    per_query = dcg_score(np.arange(4), np.arange(4), qid=column, k=1, average=None)
    assert per_query[expected].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("has_pandas", [True, False])
@pytest.mark.parametrize(
    "other", [None, np.nan, pd.NA, pd.NaT, 1, b"a", [1], np.array([1, 2]), {1}]
)
@pytest.mark.parametrize("place", [0, 7])
def test_objects_that_are_not_all_text_are_left_to_others(monkeypatch, other, place, has_pandas):
    if not has_pandas:
        monkeypatch.setitem(sys.modules, "pandas", None)
    objects = TEXT.astype(object)
    objects[place] = other
    assert runs_of_text(objects) is None


def test_numbers_and_nothing_are_no_text():
    assert runs_of_text(ROWS) is None
    assert runs_of_text(TEXT[:0]) is None


def test_rows_that_begin_shuffled_are_runs_of_one_row():
    values = np.array([1, 2, 3, 3] * 300 + [5] * 100)
    of_run, start, length = cut_runs(values)
    assert of_run is values
    assert start.tolist() == [*range(values.size)]
    assert set(length.tolist()) == {1}
    of_run, start, length = cut_runs(np.repeat(values, 2))
    assert of_run.tolist() == [1, 2, 3] * 300 + [5]
    assert start.tolist()[:4] == [0, 2, 4, 8]
    assert length.tolist() == [2, 2, 4] * 300 + [200]


def test_dictionaries_of_narrow_indices_and_together_too_many_values():
    chunks = [
        pa.array([f"{half} {number}" for number in range(100)]).dictionary_encode().cast(NARROW)
        for half in ("a", "b")
    ]
    column = pa.chunked_array(chunks)
    row = np.arange(200)
    expected = dcg_score(row, row, qid=np.asarray(column), average=None)
    assert dcg_score(row, row, qid=column, average=None).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("values", "shown"), [(["a", None, "c"], "None"), ([1.0, float("nan"), 2.0], "nan")]
)
def test_an_id_that_is_missing_in_a_dictionary_is_named_by_its_first_row(values, shown):
    ids = pa.DictionaryArray.from_arrays(pa.array([0, 2, 2, 1, 1]), pa.array(values))
    with pytest.raises(ValueError, match=f"missing values. Got {shown} at position 3 instead"):
        ndcg_score([1, 0, 1, 0, 1], [1, 2, 3, 4, 5], qid=ids)


def test_categories_that_do_not_sort_are_described_as_all_rows_are():
    ids = pd.Series([1, 1, "a", "a", 1], dtype=object).astype("category")
    expected = r"Got an array of shape \(5,\) and dtype object instead. '<' not supported"
    with pytest.raises(ValueError, match=expected):
        ndcg_score([1, 0, 1, 0, 1], [1, 2, 3, 4, 5], qid=ids)


def test_categories_of_another_length():
    ids = pd.Series(["a", "b"], dtype="category")
    with pytest.raises(ValueError, match=r"of the shape of y_true, \(3,\). Got shape \(2,\)"):
        ndcg_score([1, 0, 1], [1, 2, 3], qid=ids)


def test_a_null_among_small_codes_of_pyarrow_is_not_another_id():
    values = [[f"{chunk}-{each}" for each in range(120)] for chunk in range(3)]
    values[1][3] = None
    codes = pa.dictionary("int8", "string")
    ids = pa.chunked_array([pa.array(each).dictionary_encode().cast(codes) for each in values])
    with pytest.raises(InvalidParameterError, match="Got None at position 123 instead"):
        ndcg_score(np.ones(360), np.arange(360), qid=ids)


MIXED = [f"{start}{n}" for n in range(40) for start in ("", "é", "a\0", "a\0\0", "\U0001f600 ")]
OF_LIBRARIES = {
    "polars": pl.Series,
    "polars, a part": lambda texts: pl.Series(["x", *texts])[1:],
    "Arrow": pa.array,
    "large Arrow": lambda texts: pa.array(texts, "large_string"),
    "Arrow, a part": lambda texts: pa.array(["x", "é", *texts, "y"])[2:-1],
    "Arrow in chunks": lambda texts: pa.chunked_array([texts[:7], [], texts[7:]], "string"),
    "pandas": lambda texts: pd.Series(texts, dtype=pd.StringDtype("pyarrow")),
    "pandas index": lambda texts: pd.Index(texts, dtype=pd.StringDtype("pyarrow")),
}


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(_ids, "_MANY_ROWS", 20)
    monkeypatch.setattr(_ids, "_SAMPLE", 4)


@pytest.mark.parametrize("kind", OF_LIBRARIES)
def test_text_of_which_most_is_different_is_packed(kind, few_are_many):
    column = OF_LIBRARIES[kind](MIXED)
    assert packed_column(column).tolist() == MIXED
    assert packed_column(column[:19]) is None
    assert packed_column(OF_LIBRARIES[kind](["same", *["text"] * 99])) is None
    assert packed_column(OF_LIBRARIES[kind]([*MIXED, None])) is None


@pytest.mark.parametrize("kind", OF_LIBRARIES)
@pytest.mark.parametrize("other", ["polars", "Arrow", "list"])
def test_packed_ids_are_joined_as_all_others_are(kind, other, monkeypatch, few_are_many):
    rng = np.random.default_rng(0)
    items = [MIXED[place] for place in rng.permutation(200)[:150]]
    judged = [MIXED[place] for place in rng.permutation(200)[:60]]
    users = [items[place] for place in rng.integers(10, size=150)]
    lists = (
        {"user": users[:60], "film": judged, "label": [*range(60)]},
        {"user": users, "film": items, "score": rng.random(150)},
    )
    names = {"query": "user", "item": "film", "label": "label", "score": "score"}
    expected = from_tables(*lists, **names)
    make = {"list": list, **OF_LIBRARIES}
    tables = [
        {**table, "film": make[library](table["film"])}
        for table, library in zip(lists, (other, kind), strict=True)
    ]
    found = from_tables(*tables, **names)
    for one, other in zip(found[:2], expected[:2], strict=True):
        assert one.toarray().tolist() == other.toarray().tolist()
    for one, other in zip(found[2:], expected[2:], strict=True):
        assert type(one) is np.ndarray
        assert one.dtype == object
        assert one.tolist() == other.tolist() == sorted(other.tolist())
        assert set(map(type, one)) == {str}
    as_queries = [{**table, "user": table["film"]} for table in tables]
    by_item = from_tables(*as_queries, **names)
    assert by_item.query_ids.tolist() == sorted({*judged})


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(MIXED, dtype=pd.StringDtype("python")),
        pd.Series(MIXED, dtype="category"),
        pd.Series(range(99)),
        pl.Series(range(99)),
        pl.Series(MIXED, dtype=pl.Categorical),
        pa.array(range(99)),
        pa.array(MIXED).dictionary_encode(),
        np.array(MIXED),
        MIXED,
    ],
)
def test_what_is_no_text_of_arrow_is_not_packed(column, few_are_many):
    assert packed_column(column) is None


def test_an_item_of_packed_ids_that_is_there_twice_is_named(few_are_many):
    table = {"user": [1] * 200, "film": pa.array([*MIXED[:-1], MIXED[1]]), "score": range(200)}
    with pytest.raises(InvalidParameterError, match=rf"item {MIXED[1]!r} more than once"):
        from_tables(table, table, query="user", item="film", score="score", label=None)
