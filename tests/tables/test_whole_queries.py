"""Batches cut anew, between queries: all rows in their order, and no query that comes back."""

from __future__ import annotations

import datetime
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from raising import raises
from warned import nothing_to_rank

from ranking_scores import StreamingScore, ndcg_score
from ranking_scores._tables import _whole_queries
from ranking_scores.streaming import whole_queries


def pyarrow_table(columns):
    return pytest.importorskip("pyarrow", reason="it is in the extra parquet").table(columns)


def pyarrow_batch(columns):
    table = pyarrow_table(columns)
    batches = table.to_batches()
    pyarrow = pytest.importorskip("pyarrow")
    return batches[0] if batches else pyarrow.RecordBatch.from_pylist([], schema=table.schema)


def pandas_frame(columns):
    return pytest.importorskip("pandas", reason="it is in the extra test").DataFrame(columns)


def polars_frame(columns):
    return pytest.importorskip("polars", reason="it is in the extra test").DataFrame(columns)


LIBRARIES = (dict, pyarrow_table, pyarrow_batch, pandas_frame, polars_frame)


def columns_of(lengths, first=0):
    """Return the rows of queries of some lengths, and their numbers."""
    n_rows = sum(lengths)
    rng = np.random.default_rng(n_rows)
    return {
        "y_score": rng.integers(0, 4, n_rows),
        "user": np.repeat(first + np.arange(len(lengths)), lengths),
        "y_true": rng.integers(0, 3, n_rows),
        "row": np.arange(n_rows),
    }


def cut(columns, at, library=dict):
    """Return batches that begin at some rows, and at the first."""
    return [
        library({name: array[start:stop] for name, array in columns.items()})
        for start, stop in pairwise([0, *sorted(at), len(columns["user"])])
    ]


def ids_of(batches, qid="user", **params):
    """Return the ids in each of the batches that come out."""
    return [np.asarray(batch[qid]).tolist() for batch in whole_queries(batches, qid=qid, **params)]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("check_qid", [True, False])
def test_batches_are_cut_between_queries(library, check_qid):
    columns = columns_of([2, 1, 5, 2, 3])
    batches = cut(columns, [0, 3, 4, 6, 6, 9, 10], library)
    whole = list(whole_queries(batches, qid="user", check_qid=check_qid))
    assert ids_of(batches, check_qid=check_qid) == [[0, 0], [1], [2] * 5, [3, 3], [4] * 3]
    kind = library({"user": [1]}) if library is not pyarrow_batch else pyarrow_table({"user": [1]})
    assert {type(batch) for batch in whole} == {type(kind)}
    for name, column in columns.items():
        together = np.concatenate([np.asarray(batch[name]) for batch in whole])
        np.testing.assert_array_equal(together, column)


@nothing_to_rank
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_batches_give_the_bits_of_one_call(data):
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=12))
    columns = columns_of(lengths)
    order = data.draw(st.permutations(range(len(lengths))))
    columns["user"] = np.array(order)[columns["user"]]
    at = data.draw(st.lists(st.integers(0, sum(lengths)), max_size=8))
    library = data.draw(st.sampled_from(LIBRARIES))
    stream = StreamingScore(ndcg_score, check_qid=False)
    n_before = 0
    for batch in whole_queries(cut(columns, at, library), qid="user"):
        stream.update(batch["y_true"], batch["y_score"], qid=batch["user"])
        n_before += len(np.unique(np.asarray(batch["user"])))
        assert stream.n_queries == n_before
    arrays = {name: columns[name] for name in ("y_true", "y_score")}
    assert stream.compute() == ndcg_score(**arrays, qid=columns["user"])
    assert n_before == len(lengths)


def test_no_batches_and_no_rows():
    assert list(whole_queries([], qid="user")) == []
    assert list(whole_queries(cut(columns_of([]), [0, 0]), qid="user")) == []


def test_batches_are_taken_when_they_are_needed():
    taken = []

    def batches():
        for number, batch in enumerate(cut(columns_of([2, 2, 2]), [3, 5])):
            taken.append(number)
            yield batch

    whole = whole_queries(batches(), qid="user")
    assert taken == []
    for expected in ([0], [0, 1], [0, 1, 2]):
        next(whole)
        assert taken == expected


def test_a_query_of_many_batches_is_put_together_once(monkeypatch):
    calls, as_it_is = [], _whole_queries.join

    def join(pieces, *names):
        calls.append(len(pieces))
        return as_it_is(pieces, *names)

    monkeypatch.setattr(_whole_queries, "join", join)
    columns = columns_of([1, 1000, 1])
    [first, long, last] = whole_queries(cut(columns, range(1, 1002)), qid="user")
    assert calls == [1, 1000, 1]
    assert [len(each["row"]) for each in (first, long, last)] == [1, 1000, 1]


TOGETHER = "grouped by query"


@pytest.mark.parametrize(
    ("batches", "again"),
    [
        ([[1, 2, 1]], "1"),
        ([[1, 2], [2, 3], [1, 4]], "1"),
        ([[5, 4], [4, 3], [9, 4]], "4"),
        ([[5], [5], [4], [5]], "5"),
        ([["b"], ["c"], ["a", "b"]], "'b'"),
        ([[1.5], [2], [Decimal("1.5")]], "Decimal('1.5')"),
        ([[1], ["1"], [2, 1]], "1"),
        (
            [
                [datetime.date(2026, 1, 2)],
                [datetime.date(2026, 1, 1)],
                [datetime.date(2026, 1, 2)],
            ],
            "datetime.date(2026, 1, 2)",
        ),
        (
            list(np.array([["2026-01-02"], ["2026-01-01"], ["2026-01-02"]], "M8[s]")),
            "2026-01-02T00:00:00.000000000000000000",
        ),
    ],
)
def test_a_query_that_comes_back_is_an_error_that_names_it(batches, again):
    tables = [{"user": ids} for ids in batches]
    got = f"query {again} again after other queries"
    with raises("batches", TOGETHER, function="whole_queries", got=got, advice="Sort the rows"):
        ids_of(tables)
    if len(tables) > 1:
        ids = ids_of(tables, check_qid=False)
        assert [each for part in ids for each in part] == [
            each for part in tables for each in np.asarray(part["user"]).tolist()
        ]


def test_ids_in_any_order_may_be_as_many_as_they_like(monkeypatch):
    monkeypatch.setattr(_whole_queries, "_N_IDS_KEPT", 2)
    for ids in ([3, 1, 2], [1, 3, 2], ["b", "c", "a"], [2, "2", 3, "3", 1]):
        assert ids_of([{"user": [each]} for each in ids]) == [[each] for each in ids]


def test_while_ids_ascend_only_the_last_is_kept(monkeypatch):
    monkeypatch.setattr(_whole_queries, "_N_IDS_KEPT", 2)
    seen = _whole_queries.SeenIds("", None)
    column = _whole_queries.Column([], "user", "batches", "whole_queries")
    for first in range(0, 30, 3):
        seen.check([first, first + 1, first + 2], column)
        assert seen._kept == []
        assert (seen._last, seen._all) == ([first + 2], None)
    seen.check([], column)
    batches = [{"user": ids} for ids in ([1, 2], [3, 4], [4, 5], [3, 7])]
    got = "query 3 after query 5"
    with raises("batches", TOGETHER, function="whole_queries", got=got, advice="are not kept"):
        ids_of(batches)


def test_forgotten_ids_can_be_recalled(monkeypatch):
    monkeypatch.setattr(_whole_queries, "_N_IDS_KEPT", 2)
    column = _whole_queries.Column([], "user", "data", "scale.report")
    seen = _whole_queries.SeenIds("", lambda: [[1, 2], [3]])
    seen.check([1, 2, 3], column)
    seen.check([0], column)
    seen.check([9, 4], column)
    with pytest.raises(ValueError, match="Got query 2 again after other queries instead"):
        seen.check([8, 2], column)


def test_ids_of_two_kinds_stay_what_they_are():
    batches = [{"user": [1, 2]}, {"user": np.array(["2", "3"])}]
    assert ids_of(batches) == [[1], [2, "2"], ["3"]]
    wide = 2**63 - 1
    batches = [{"user": [wide]}, {"user": np.array([wide, wide + 1], np.uint64)}]
    assert ids_of(batches) == [[wide, wide], [wide + 1]]


def test_what_is_no_batch_is_an_error():
    columns = columns_of([2])
    start = "The 'batches' parameter of whole_queries must be"
    for batches, error in (
        (columns, f"{start} an iterable of tables. Got"),
        (pandas_frame(columns), f"{start} an iterable of tables. Got a pandas DataFrame instead."),
        (pyarrow_table(columns), f"{start} an iterable of tables. Got a Table instead."),
        ("ab", f"{start} an iterable of tables. Got 'ab' instead."),
        (3, f"{start} an iterable of tables. Got 3 instead."),
        ([3], f"{start} a table, such as a frame of pandas or polars, or a dict of columns. Got"),
        ([{"users": [3]}], f"{start} a table with the column 'user'. Got the columns 'users'"),
        ([{"user": [3], "n": [1, 2]}], f"{start} a table whose columns have the same length. Got"),
        (
            [{"user": [3, 3], "n": [[1], [1, 2]]}],
            "The \"batches['n']\" parameter of whole_queries must",
        ),
        ([{"user": [[1], [1]]}], "The 'qid' parameter of whole_queries must be 1-D. Got shape"),
    ):
        with pytest.raises(ValueError, match="parameter of whole_queries") as caught:
            list(whole_queries(batches, qid="user"))
        assert str(caught.value).startswith(error)
    for qid, got in ((None, "None"), ([1], r"\[1\]")):
        error = f"'qid' parameter of whole_queries must be the name of a column. Got {got} instead"
        with pytest.raises(ValueError, match=error):
            whole_queries([], qid=qid)
    with pytest.raises(ValueError, match="'check_qid' parameter of whole_queries must be True or"):
        whole_queries([], qid="user", check_qid=1)
    for library, values, got in (
        *((library, ["a", None], "null") for library in LIBRARIES[1:]),
        (dict, ["a", None], "None"),
        (dict, [1.5, np.nan], "NaN"),
        (dict, np.array(["2026-01-01", "NaT"], "M8[s]"), "NaT"),
        (pyarrow_table, [1.5, np.nan], "NaN"),
        (polars_frame, [1.5, np.nan], "NaN"),
        (pandas_frame, [1.5, np.nan], "null"),
    ):
        with raises("batches", "an id in each row", function="whole_queries", got=got) as caught:
            list(whole_queries([library({"user": values})], qid="user"))
        assert caught.value.place.column == "user"
    unhashable = np.empty(2, dtype=object)
    unhashable[:] = [[1], [0]]
    with pytest.raises(ValueError, match="'qid' parameter of whole_queries must be of ids that"):
        list(whole_queries([{"user": unhashable}], qid="user"))
    assert ids_of([{"user": unhashable[1:]}, {"user": unhashable[:1]}]) == [[[0]], [[1]]]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_reader_may_fill_the_same_arrays_again(library):
    columns = columns_of([5, 4, 7, 2])
    buffers = {name: np.empty(3, array.dtype) for name, array in columns.items()}

    def batches():
        for start in range(0, 18, 3):
            for name, buffer in buffers.items():
                buffer[:] = columns[name][start : start + 3]
            yield library(buffers)

    seen = {name: [] for name in columns}
    for batch in whole_queries(batches(), qid="user"):
        for name, values in seen.items():
            values += np.asarray(batch[name]).tolist()
    assert seen == {name: array.tolist() for name, array in columns.items()}


def test_what_pyarrow_knows_of_a_table_is_kept():
    pyarrow = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    for values in (
        pyarrow.array([1, 2, 3]),
        pyarrow.array(["a", "b", "c"], pyarrow.string_view()),
        pyarrow.array([{"a": 1}, None, {"a": 3}]),
        pyarrow.RunEndEncodedArray.from_arrays([1, 3], ["a", "b"]),
    ):
        field = pyarrow.field("more", values.type, metadata={"unit": "m"})
        schema = pyarrow.schema([pyarrow.field("user", "int64"), field], {"from": "here"})
        table = pyarrow.Table.from_arrays([pyarrow.array([1, 2, 2]), values], schema=schema)
        one, two = whole_queries([table, table.slice(2)], qid="user")
        for whole, rows in ((one, [0]), (two, [1, 2, 2])):
            assert whole.schema.equals(schema, check_metadata=True)
            more = values.to_pylist()
            assert whole["more"].to_pylist() == [more[row] for row in rows]


def test_text_of_pyarrow_in_any_form_goes_together():
    pyarrow = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    text = pyarrow.array(["a", "b"])
    columns = [
        pyarrow.array(["a", "b"], pyarrow.string_view()),
        text[1:].dictionary_encode(),
        text[1:],
        text[1:],
    ]
    columns[3] = columns[3].cast("large_string")
    batches = [pyarrow.table({"user": each}) for each in columns]
    assert ids_of(batches) == [["a"], ["b"] * 4]


def test_batches_have_the_same_columns_and_types():
    pyarrow = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    polars = pytest.importorskip("polars", reason="it is in the extra test")
    columns = "with the same columns. Got the columns"
    types = "whose columns have the same types. Got"
    one = {"user": [1], "n": [1]}
    for batches, error in (
        ([one, {"user": [1]}], f"{columns} 'user' after 'n', 'user'"),
        (
            [pyarrow.table(one), pyarrow.table({"user": [1]})],
            f"{columns} 'user' after 'n', 'user'",
        ),
        ([polars_frame(one), polars_frame({"user": [1]})], f"{columns} 'user' after 'user', 'n'"),
        ([pandas_frame(one), pandas_frame({"user": [1]})], f"{columns} 'user' after 'user', 'n'"),
        (
            [pandas_frame(one), pyarrow.table(one)],
            "of one library. Got a table of pyarrow after a frame of pandas",
        ),
        ([one, polars_frame(one)], "of one library. Got a frame of polars after a dict"),
        (
            [pyarrow.table(one), pyarrow.table(one | {"n": ["x"]})],
            f"{types} string after int64 in 'n'",
        ),
        (
            [polars_frame(one), polars_frame(one).cast({"n": polars.Int32})],
            f"{types} Int32 after Int64 in 'n'",
        ),
        (
            [pandas_frame({"user": [2**53 + 1]}), pandas_frame({"user": [2.0**53, 1]})],
            f"{types} float64 after int64 in 'user'",
        ),
    ):
        with pytest.raises(ValueError, match="batches") as caught:
            list(whole_queries(batches, qid="user"))
        assert str(caught.value) == (
            f"The 'batches' parameter of whole_queries must be tables {error} instead. Convert "
            "them first."
        )
    batches = [pyarrow.table({"user": ids}) for ids in ([2**53 + 1], [2.0**53, 1])]
    with pytest.raises(ValueError, match="batches") as caught:
        list(whole_queries(batches, qid="user"))
    assert str(caught.value).startswith(
        "The 'batches' parameter of whole_queries must be such that each column has one type. Got "
        "values that do not go together in one column instead. pyarrow says: Integer value"
    )
    for batches in (
        [pandas_frame(one), pandas_frame({"user": [1], "n": [0.5]})],
        [pandas_frame({"user": ["a"], "n": [1]}), pandas_frame({"user": ["a"], "n": [2]})],
        [pyarrow.table(one), pyarrow.table({"n": [0.5], "user": [1]})],
        [one, {"n": [0.5], "user": [1]}],
        [polars_frame(one), polars_frame(one | {"n": [2]})],
    ):
        [whole] = whole_queries(batches, qid="user")
        assert len(set(np.asarray(whole["user"]).tolist())) == 1
        assert len(whole["n"]) == 2
