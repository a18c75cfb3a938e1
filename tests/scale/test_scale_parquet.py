"""Parquet files of any size: the bits of one call, whole queries, values, and clear errors."""

from __future__ import annotations

import datetime
import io
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from parquet_rows import COLUMNS, arrays_of, datasets, pa, parquet, rows, write
from scaled import means, of_arrays
from warned import nothing_to_rank

from ranking_scores import dcg_score, mean_average_precision_score, ndcg_score, scale
from ranking_scores._base._errors import ErrorNames
from ranking_scores._files import _parquet
from ranking_scores._tables import _whole_queries
from ranking_scores.scale import _batches
from ranking_scores.scale._shards import ShardScore

csv = pytest.importorskip("pyarrow.csv")

WRITES_VIEWS = int(pa.__version__.partition(".")[0]) >= 22
"""Whether pyarrow is new enough to write views of text and bytes."""
NAMES = ErrorNames("scale.report", "data")
KINDS = (
    "the path of Parquet files, several of them, a pyarrow dataset, a table, a reader of batches, "
    "a Dask or Spark DataFrame, or an iterable of tables"
)


@pytest.fixture
def table():
    return rows([2, 1, 9, 3, 4, 1, 6])


@pytest.fixture
def path(tmp_path, table):
    return write(tmp_path / "rows.parquet", table)


# --- numbers -----------------------------------------------------------------------------------


@nothing_to_rank
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_files_and_batches_give_the_bits_of_one_call(tmp_path, data):
    lengths = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=12))
    table = rows(lengths, seed=len(lengths))
    cuts = sorted(data.draw(st.lists(st.integers(0, sum(lengths)), max_size=3)))
    paths = []
    for number, (start, stop) in enumerate(zip([0, *cuts], [*cuts, sum(lengths)], strict=True)):
        part = {name: column[start:stop] for name, column in table.items()}
        paths.append(write(tmp_path / f"{number}.parquet", part, data.draw(st.integers(1, 40))))
    columns = COLUMNS | data.draw(
        st.sampled_from([{}, {"sample_weight": "weight"}, {"item_weight": "of_item"}])
    )
    options = {
        "batch_rows": data.draw(st.integers(1, 30)),
        "n_jobs": data.draw(st.sampled_from([None, 2])),
    }
    score = means(paths, ndcg_score, **columns, **options, k=[1, 3])
    expected = ndcg_score(**arrays_of(table, columns), k=[1, 3])
    assert score.tobytes() == expected.tobytes()


def test_scores_by_name_and_several_of_them(path, table):
    arrays = arrays_of(table)
    whole = ndcg_score(**arrays)
    assert means(path, ndcg_score, **COLUMNS) == whole
    assert means(str(path), "ndcg", **COLUMNS) == whole
    assert means(path, "ndcg@2", **COLUMNS) == ndcg_score(**arrays, k=2)
    of_map = mean_average_precision_score(**arrays, k=3, replace_undefined_by=0.5)
    options = {"k": [None, 3], "replace_undefined_by": 0.5}
    several = means(path, ["dcg@1", "map"], **COLUMNS, **options)
    assert list(several) == ["dcg@1", "map", "map@3"]
    assert several["dcg@1"] == dcg_score(**arrays, k=1)
    assert several["map@3"] == of_map
    assert means(path, {"mine": "ndcg"}, **COLUMNS) == {"mine": whole}


def test_list_columns_have_a_query_in_each_row(tmp_path, table):
    arrays = arrays_of(table)
    starts = np.flatnonzero(np.diff(arrays["qid"], prepend=-1))
    lists = {
        name: [part.tolist() for part in np.split(table[name], starts[1:])]
        for name in ("label", "score", "of_item")
    }
    lists["w"] = np.arange(len(starts)) + 1.0
    path = write(tmp_path / "lists.parquet", lists, 3)
    columns = {"label": "label", "score": "score", "query": None}
    weights = {"sample_weight": "w", "item_weight": "of_item"}
    out = tmp_path / "out.parquet"
    score = means(path, "ndcg", **columns, **weights, batch_rows=2, path=out)
    expected = ndcg_score(
        **arrays,
        sample_weight=np.repeat(lists["w"], np.diff(starts, append=len(arrays["qid"]))),
        item_weight=table["of_item"],
    )
    assert score == expected
    values = parquet.read_table(out)
    assert values.column_names == ["ndcg"]
    assert (
        values["ndcg"].to_pylist()
        == ndcg_score(
            pa.array(lists["label"]),
            pa.array(lists["score"]),
            average=None,
            item_weight=pa.array(lists["of_item"]),
        ).tolist()
    )
    with pytest.raises(ValueError, match="has a list in each row, since no column has the query"):
        means(path, "ndcg", **columns | {"score": "w"})


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("user", lambda ids: pa.array([f"id {each}" for each in ids])),
        ("user", lambda ids: pa.array([f"id {each}" for each in ids]).dictionary_encode()),
        ("user", lambda ids: pa.array([b"%d" % each for each in ids])),
        ("user", lambda ids: pa.array([Decimal(int(each)) / 4 for each in ids])),
        ("user", lambda ids: pa.array(ids, pa.timestamp("ns", "Europe/Helsinki"))),
        ("user", lambda ids: pa.array([datetime.date(2026, 1, 1 + each // 10) for each in ids])),
        ("user", lambda ids: pa.array(ids.astype(np.uint64) + np.uint64(2**63))),
        ("user", lambda ids: pa.array(ids / 8)),
        ("label", lambda labels: pa.array(labels > 0)),
        ("label", lambda labels: pa.array(labels.astype(np.uint8))),
        ("label", lambda labels: pa.array(labels).dictionary_encode()),
        ("score", lambda scores: pa.array(scores.astype(np.float16))),
        ("score", lambda scores: pa.array(2**62 + scores.astype(np.int64))),
    ],
)
def test_columns_of_many_types(tmp_path, table, name, make):
    typed = pa.table(table | {name: make(table[name])})
    path = write(tmp_path / "typed.parquet", typed)
    out = tmp_path / "out.parquet"
    score = means(path, "map", **COLUMNS, batch_rows=3, path=out)
    arrays = arrays_of(table)
    if name == "label":
        arrays["y_true"] = np.asarray(make(arrays["y_true"]).to_pylist())
    assert score == mean_average_precision_score(**arrays)
    ids = parquet.read_table(out)["user"]
    plain = typed["user"].type
    plain = plain.value_type if pa.types.is_dictionary(plain) else plain
    assert ids.type == plain
    starts = np.flatnonzero(np.diff(table["user"], prepend=-1))
    assert ids.to_pylist() == typed["user"].take(starts).to_pylist()


# --- files -------------------------------------------------------------------------------------


def test_a_directory_is_read_in_natural_order(tmp_path):
    table = rows([4] * 12)
    for number in range(12):
        start, stop = 4 * number + 2 * (number > 0), 4 * number + 6
        part = {name: column[start:stop] for name, column in table.items()}
        write(tmp_path / f"part-{number}.parquet", part)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-0.parquet.crc").write_text("no")
    assert means(tmp_path, "ndcg", **COLUMNS) == ndcg_score(**arrays_of(table))
    two = [tmp_path / "part-0.parquet", [tmp_path / "part-1.parquet"]]
    first = {name: column[:10] for name, column in table.items()}
    assert means(two, "ndcg", **COLUMNS) == ndcg_score(**arrays_of(first))


def test_hive_partitions_are_columns(tmp_path, table):
    query = np.unique(table["user"], return_inverse=True)[1]
    for number in np.unique(query):
        folder = tmp_path / f"user={number}" / f"weight={number}"
        folder.mkdir(parents=True)
        part = {name: table[name][query == number] for name in ("score", "label")}
        write(folder / "0.parquet", part)
    columns = COLUMNS | {"sample_weight": "weight"}
    score = means(tmp_path, "ndcg", **columns)
    assert score == ndcg_score(table["label"], table["score"], qid=query, sample_weight=query)
    dataset = datasets.dataset(tmp_path, partitioning="hive")
    assert means(dataset, "ndcg", **columns) == score
    some = dataset.filter(datasets.field("user") > 2)
    kept = {name: each[query > 2] for name, each in (("y", table["label"]), ("s", table["score"]))}
    query = query[query > 2]
    expected = ndcg_score(kept["y"], kept["s"], qid=query, sample_weight=query)
    assert means(some, "ndcg", **columns, batch_rows=2) == expected


def test_any_dataset_of_pyarrow(tmp_path, path, table):
    expected = ndcg_score(**arrays_of(table))
    csv.write_csv(pa.table(table), tmp_path / "rows.csv")
    for dataset in (
        datasets.dataset(path),
        datasets.dataset([path]),
        datasets.dataset(pa.table(table)),
        datasets.dataset(tmp_path / "rows.csv", format="csv"),
    ):
        assert means(dataset, "ndcg", **COLUMNS, batch_rows=4) == expected
        with pytest.raises(ValueError, match="a table with the column 'lable'"):
            means(dataset, "ndcg", **COLUMNS | {"label": "lable"})
    [file] = datasets.dataset(path).get_fragments()
    groups = file.split_by_row_group()
    some = datasets.FileSystemDataset(
        groups[2:],
        datasets.dataset(path).schema,
        datasets.ParquetFileFormat(),
        groups[0].filesystem,
    )
    part = {name: column[10:] for name, column in table.items()}
    assert means(some, "ndcg", **COLUMNS) == ndcg_score(**arrays_of(part))


def test_files_without_rows(tmp_path, path, table):
    nothing = {name: column[:0] for name, column in table.items()}
    empty = write(tmp_path / "empty.parquet", nothing)
    no_groups = tmp_path / "no_groups.parquet"
    parquet.ParquetWriter(no_groups, pa.table(table).schema).close()
    assert parquet.ParquetFile(no_groups).num_row_groups == 0
    expected = ndcg_score(**arrays_of(table))
    assert means([empty, no_groups, path, empty], "ndcg", **COLUMNS) == expected
    for files in ([empty], [no_groups], [empty, no_groups]):
        with pytest.raises(ValueError, match="'data' parameter") as caught:
            means(files, "ndcg", **COLUMNS, path=tmp_path / "out.csv")
        assert str(caught.value) == (
            "The 'data' parameter of scale.per_query must be of at least one row. Got none "
            "instead."
        )
    assert not (tmp_path / "out.csv").exists()


def test_what_is_no_file(tmp_path):
    for name, advice in (
        ("nothing.parquet", ""),
        ("*.parquet", " Patterns are not expanded: pass `sorted(glob.glob(...))`."),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            means(tmp_path / name, "ndcg", **COLUMNS)
        assert str(caught.value) == (
            "The 'data' parameter of scale.report must be the path of a file or a directory that "
            f"is there. Got {str(tmp_path / name)!r} instead.{advice}"
        )
    (tmp_path / "empty").mkdir()
    (tmp_path / "rows.csv").write_text("user,label,score\n1,1,1\n")
    start = "The 'data' parameter of scale.report must be"
    for files, error in (
        ([], f"{start} at least one file or table. Got [] instead."),
        ([[]], f"{start} at least one file. Got"),
        (tmp_path / "empty", f"{start} at least one file. Got"),
        (3, f"{start} {KINDS}. Got 3 instead."),
        (b"3", f"{start} {KINDS}. Got b'3' instead."),
        (object, f"{start} {KINDS}. Got the class object instead. If it can be read in"),
        (io.BytesIO(), f"{start} of Parquet files that pyarrow reads. Got 'an open file'"),
        (pa.table({"user": [1]}), f"{start} a table with the column 'label'. Got"),
        ({"user": [1]}, f"{start} a table with the column 'label'. Got"),
        (
            [tmp_path / "empty", 3],
            f"{start} paths, datasets of pyarrow or tables, of one kind. Got 3",
        ),
        (tmp_path / "rows.csv", f"{start} of Parquet files that pyarrow reads. Got '"),
        (
            datasets.FileSystemDataset.from_paths(
                [str(tmp_path / "rows.csv")],
                schema=pa.schema({"user": pa.int64()}),
                format=datasets.ParquetFileFormat(),
                filesystem=pytest.importorskip("pyarrow.fs").LocalFileSystem(),
            ),
            f"{start} of Parquet files that pyarrow reads. Got '",
        ),
    ):
        with pytest.raises(ValueError, match=r"'data' parameter of scale\.report") as caught:
            means(files, "ndcg", **COLUMNS)
        assert str(caught.value).startswith(error)


def test_row_groups_are_read_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.setattr(_parquet, "_BUFFER", 2**14)
    assert list(_parquet._together({0: 3, 1: 4, 2: 3, 5: 9, 6: 1}, 7)) == [[0, 1], [2], [5], [6]]
    assert list(_parquet._together({}, 7)) == []
    n_rows = 200_000
    table = {name: np.arange(n_rows) for name in ("user", "label", "score")}
    path = write(tmp_path / "long.parquet", table, 10_000)
    files = _parquet.FileSource(path, 5_000, NAMES)
    before, most = pa.total_allocated_bytes(), 0
    for _ in files.batches(COLUMNS):
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < n_rows * 8  # of three columns: less than a third of all there is


# --- whole queries -----------------------------------------------------------------------------


@pytest.mark.parametrize("n_kept", [3, 10**6])
def test_files_that_are_each_sorted_may_interleave(tmp_path, monkeypatch, n_kept):
    monkeypatch.setattr(_whole_queries, "_N_IDS_KEPT", n_kept)
    table = rows([3] * 20)
    table["user"] = np.repeat(np.arange(20), 3)
    paths = []
    for number in range(3):
        part = {name: column[table["user"] % 3 == number] for name, column in table.items()}
        paths.append(write(tmp_path / f"{number}.parquet", part))
    for batch_rows in (1, 4, 100):
        score = means(paths, "ndcg", **COLUMNS, batch_rows=batch_rows)
        assert score == ndcg_score(**arrays_of(table))
    with pytest.raises(ValueError, match="data") as caught:
        means([*paths, paths[1]], "ndcg", **COLUMNS, batch_rows=4)
    assert str(caught.value) == (
        "The 'data' parameter of scale.report must be grouped by query. "
        "Got query 1 again after other queries instead. Sort the rows by 'user' "
        "first. Or pass order='any', which brings the rows of each query together."
    )


# --- values per query --------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".CSV"])
def test_values_per_query(tmp_path, path, table, suffix, n_jobs):
    out = tmp_path / f"out{suffix}"
    options = {"path": out, "batch_rows": 3, "n_jobs": n_jobs, "k": [1, None]}
    means(path, ["ndcg", "map"], **COLUMNS, **options)
    values = parquet.read_table(out) if suffix == ".parquet" else csv.read_csv(out)
    assert values.column_names == ["user", "ndcg@1", "ndcg", "map@1", "map"]
    arrays = arrays_of(table)
    ids, first = np.unique(arrays["qid"], return_index=True)
    order = np.argsort(first)
    assert values["user"].to_pylist() == ids[order].tolist()
    expected = ndcg_score(**arrays, average=None)[order]
    assert values["ndcg"].to_numpy().tobytes() == expected.tobytes()
    assert sorted(each.name for each in tmp_path.iterdir()) == [out.name, path.name]


@nothing_to_rank
def test_values_never_replace_the_data(tmp_path, path):
    before = path.read_bytes()
    for files in (path, [path], tmp_path, datasets.dataset(path)):
        with pytest.raises(ValueError, match="path") as caught:
            means(files, "ndcg", **COLUMNS, path=tmp_path / "." / path.name)
        assert str(caught.value) == (
            "The 'path' parameter of scale.per_query must be a file that is not among those "
            f"that are read. Got {str(path)!r} instead."
        )
    assert path.read_bytes() == before
    means(datasets.dataset(pa.table(rows([2]))), "ndcg", **COLUMNS, path=path)
    assert parquet.read_table(path).column_names == ["user", "ndcg"]


def test_values_do_not_go_where_the_next_call_reads_them(tmp_path, path):
    for files, out in ((tmp_path, "out.parquet"), ([str(tmp_path)], "out.csv")):
        with pytest.raises(ValueError, match="path") as caught:
            means(files, "ndcg", **COLUMNS, path=tmp_path / out)
        assert str(caught.value) == (
            "The 'path' parameter of scale.per_query must be a file outside the directories "
            f"that are read. Got {str(tmp_path / out)!r} instead. The next call would read it, "
            "too."
        )
    out = tmp_path / "nowhere" / "out.csv"
    with pytest.raises(FileNotFoundError) as missing:
        means(path, "ndcg", **COLUMNS, path=out)
    assert str(missing.value) == (
        "The 'path' parameter of scale.per_query must be a file in a directory that is there. "
        f"Got {str(out)!r} instead."
    )
    assert list(tmp_path.iterdir()) == [path]


@nothing_to_rank
def test_values_of_ids_that_a_file_cannot_hold(tmp_path):
    columns = {"label": [1], "score": [1]}
    views = [pa.binary_view()] if WRITES_VIEWS else []
    for binary in (pa.binary(), pa.large_binary(), pa.binary(1), *views):
        path = write(tmp_path / "b.parquet", columns | {"user": pa.array([b"\xff"], binary)})
        out = tmp_path / "out.csv"
        with pytest.raises(ValueError, match="path") as caught:
            means(path, "ndcg", **COLUMNS, path=out)
        assert str(caught.value) == (
            "The 'path' parameter of scale.per_query must be a path that ends in .parquet "
            f"where the ids are bytes. Got {str(out)!r} instead."
        )
        assert not out.exists()
    paths = [
        write(tmp_path / "1.parquet", columns | {"user": pa.array([1], pa.int8())}),
        write(tmp_path / "2.parquet", columns | {"user": [300]}),
    ]
    assert means(paths, "ndcg", **COLUMNS) == 1
    with pytest.raises(ValueError, match="data") as caught:
        means(paths, "ndcg", **COLUMNS, path=tmp_path / "out.parquet", batch_rows=1)
    assert str(caught.value).startswith(
        "The 'data' parameter of scale.per_query must be such that the column 'user' has one "
        "type. Got int64 after int8 instead. Cast it first; pyarrow says"
    )


def test_values_are_written_in_order():
    written = []
    outputs = {None: SimpleNamespace(write=written.append)}
    shards = {None: ShardScore("ndcg", {}, of_arrays(COLUMNS), NAMES)}
    merged = _batches._MergedScores(shards, outputs)
    nothing = dict(merged.sums)
    for number, so_far in ((2, []), (0, [0]), (1, [0, 1, 2]), (3, [0, 1, 2, 3])):
        merged.keep((number, nothing, {None: number}))
        assert written == so_far


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_values_are_written_whole_or_not_at_all(tmp_path, path, error, n_jobs):
    n_calls = []

    def gain(labels):
        n_calls.append(1)
        if len(n_calls) > 4:
            raise error
        return labels

    out = tmp_path / "out.parquet"
    for before in (None, b"what was there"):
        if before is not None:
            out.write_bytes(before)
        n_calls.clear()
        options = {"path": out, "batch_rows": 2, "n_jobs": n_jobs}
        with pytest.raises(error):
            means(path, "dcg", **COLUMNS, **options, gain=gain)
        assert {each.name for each in tmp_path.iterdir()} == {path.name} | (
            {out.name} if before else set()
        )
        assert before is None or out.read_bytes() == before


def test_a_failing_end_of_the_table_leaves_nothing(tmp_path, path, monkeypatch):
    class Writer(parquet.ParquetWriter):
        def close(self):
            super().close()
            raise OSError("No space left on device")

    monkeypatch.setattr(parquet, "ParquetWriter", Writer)
    with pytest.raises(OSError, match="No space left"):
        means(path, "ndcg", **COLUMNS, path=tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == [path]


def test_values_without_a_file_are_a_table(path, table):
    arrays = arrays_of(table)
    ids, first = np.unique(arrays["qid"], return_index=True)
    order = np.argsort(first)
    for n_jobs in (None, 2):
        columns = COLUMNS | {"sample_weight": "weight"}
        values = scale.per_query(path, **columns, scores="map", k=2, batch_rows=3, n_jobs=n_jobs)
        assert isinstance(values, pa.Table)
        assert values.column_names == ["user", "map@2"]
        assert values["user"].to_pylist() == ids[order].tolist()
        expected = mean_average_precision_score(**arrays, k=2, average=None)[order]
        assert values["map@2"].to_numpy().tobytes() == expected.tobytes()
    with pytest.raises(
        ValueError, match=r"'data' parameter of scale\.per_query must be of at leas"
    ):
        scale.per_query([pa.table(table)[:0]], **COLUMNS)


# --- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["user", "label", "score", "weight", "of_item"])
def test_a_null_is_an_error_that_names_the_column(tmp_path, table, name):
    values = table[name].tolist()
    values[-2] = None
    path = write(tmp_path / "null.parquet", table | {name: values})
    columns = COLUMNS | {"sample_weight": "weight", "item_weight": "of_item"}
    with pytest.raises(ValueError, match="data") as caught:
        means(path, "ndcg", **columns, batch_rows=4)
    last = table["user"][-1]
    got = "null" if name == "user" else f"null in the query with qid {last}"
    expected = "an id" if name == "user" else "a number"
    assert str(caught.value).startswith(
        f"The 'data' parameter of scale.report must be a table whose column {name!r} has "
        f"{expected} in each row. Got {got} instead."
    )


@pytest.mark.parametrize(
    ("name", "values", "got"),
    [
        ("label", pa.array([Decimal(1)]), r"Got Decimal\('1'\) instead"),
        ("score", pa.array(["1"]), "Got '1' instead"),
        ("score", pa.array([0], pa.timestamp("us")), r"Got dtype datetime64\[us\] instead"),
        ("label", pa.array([[1]]), "Got dtype list"),
        ("user", pa.array([{"a": 1}]), "Got dtype struct"),
        ("user", pa.array([[1]]), "Got dtype list"),
        ("user", pa.array([[1], [1], [2], [1]]), "Got dtype list"),
        ("user", pa.array([0.5, float("nan")]), "Got NaN instead"),
    ],
)
def test_columns_of_other_types_are_errors(tmp_path, name, values, got):
    ones = [1] * len(values)
    table = {"user": ones, "label": ones, "score": ones} | {name: values}
    path = write(tmp_path / "other.parquet", table)
    with pytest.raises(ValueError, match=f"whose column '{name}' has .* {got}"):
        means(path, "ndcg", **COLUMNS)


def test_files_of_other_types(tmp_path):
    one = {"label": [1, 0], "score": [1, 2]}
    text = pa.array(["a", "a"])
    moment = pa.array([1, 1], pa.timestamp("us"))
    first, second = tmp_path / "1.parquet", tmp_path / "2.parquet"
    for ids, other in (
        (pa.array([1, 1]), text),
        (moment, moment.cast(pa.timestamp("us", "UTC"))),
    ):
        write(first, one | {"user": ids})
        write(second, one | {"user": other})
        for files in ([first, second], tmp_path):
            with pytest.raises(ValueError, match="data") as caught:
                means(files, "ndcg", **COLUMNS)
            assert str(caught.value) == (
                "The 'data' parameter of scale.report must be of files in which the column "
                f"'user' has one type. Got {other.type} in {str(second)!r} and {ids.type} in "
                f"{str(first)!r} instead. Cast it when the files are written."
            )
    write(first, one | {"user": [1, 2**53 + 1]})
    write(second, one | {"user": [2.0**53, 2.0]})
    with pytest.raises(ValueError, match=r"such that each column has one type\. Got values"):
        means([first, second], "ndcg", **COLUMNS)
    write(first, one | {"user": text.dictionary_encode()})
    out = tmp_path.parent / f"{tmp_path.name}.csv"
    views = [pa.array(["a", "a"], pa.string_view())] if WRITES_VIEWS else []
    for other in (text, text.cast("large_string"), *views):
        write(second, one | {"user": other})
        for files in ([first, second], [second, first], tmp_path):
            means(files, "ndcg", **COLUMNS, path=out, k=2)
            assert csv.read_csv(out)["user"].to_pylist() == ["a"]
    folder = tmp_path / "hive" / "user=3"
    folder.mkdir(parents=True)
    write(folder / "1.parquet", one | {"user": text})
    with pytest.raises(
        ValueError, match="pyarrow says: Unable to merge: Field user has"
    ) as caught:
        means(folder.parent, "ndcg", **COLUMNS)
    assert str(caught.value).startswith(
        "The 'data' parameter of scale.report must be of Parquet files that pyarrow reads. Got"
    )


def test_names_of_columns(tmp_path, path, table):
    start = "The 'data' parameter of scale.report must be a table with"
    columns = ", ".join(map(repr, table))
    for name in COLUMNS:
        with pytest.raises(ValueError, match="data") as caught:
            means(path, "ndcg", **COLUMNS | {name: "lable"})
        assert str(caught.value) == (
            f"{start} the column 'lable'. Got the columns {columns} instead. `{name}=` takes the "
            f"name of the column in the table."
        )
    twice = pa.table([[1], [1], [1], [1]], names=["user", "label", "score", "score"])
    parquet.write_table(twice, tmp_path / "twice.parquet")
    with pytest.raises(ValueError, match="pyarrow says: Can't unify schema with duplicate field"):
        means(tmp_path / "twice.parquet", "ndcg", **COLUMNS)
    other = write(tmp_path / "z.parquet", {"user": [1], "label": [1]})
    with pytest.raises(ValueError, match=r"the column 'score'. Got the columns 'user', 'label'"):
        means([path, other], "ndcg", **COLUMNS)


def test_parameters(tmp_path, path):
    (tmp_path / "folder.csv").mkdir()
    ends = "must be None or the path of a file that ends in .parquet or .csv. Got"
    for params, error in (
        (
            {"batch_rows": 0},
            "'batch_rows' {} must be None or an int of at least 1. Got 0 instead.",
        ),
        (
            {"batch_rows": 2.0},
            "'batch_rows' {} must be None or an int of at least 1. Got 2.0 instead.",
        ),
        (
            {"batch_rows": True},
            "'batch_rows' {} must be None or an int of at least 1. Got True instead.",
        ),
        ({"n_jobs": 0}, "'n_jobs' {} must be None or an int other than 0. Got 0 instead."),
        ({"path": 1}, f"'path' {{}} {ends} 1 instead."),
        ({"path": "out.txt"}, f"'path' {{}} {ends} 'out.txt' instead."),
        ({"path": tmp_path / "folder.csv"}, f"'path' {{}} {ends}"),
        (
            {"item_weight": "of_item", "scores": "map"},
            "'item_weight' {} must be None, since mean_average_precision_score does not accept "
            "it. Got the column 'of_item' instead.",
        ),
        (
            {"k": [5, 5], "path": tmp_path.parent / "out.csv"},
            "'k' {} must be a list without repeated cutoffs. Got 'ndcg@5' twice instead.",
        ),
        ({"label": [5]}, "'label' {} must be the name of a column. Got [5] instead."),
        ({"where": "w"}, "'where' {} must be left out, since no such parameter is passed on"),
        ({"scores": "ngcd"}, "'scores' {} must be one of"),
        ({"compute": False}, "'compute' {} must be True, unless data is a Dask DataFrame. Got"),
        ({"compute": 1}, "'compute' {} must be True or False. Got 1"),
    ):
        function = scale.per_query if "path" in params else scale.report
        with pytest.raises(ValueError, match="parameter of scale") as caught:
            function(path, **COLUMNS | params)
        whose = f"parameter of scale.{function.__name__}"
        assert str(caught.value).startswith(f"The {error.format(whose)}")
    with pytest.raises(ValueError, match=r"^scale\.report has no parameter 'kk', nor has ndcg\."):
        scale.report(path, **COLUMNS, kk=1, scores="ndcg")
    with pytest.raises(ValueError, match=r"mrr, precision, recall, hit_rate\)\. .*scores"):
        scale.report(path, **COLUMNS, score_func="ndcg")
    huge = means(path, "ndcg", **COLUMNS, batch_rows=2**70)
    assert huge == means(datasets.dataset(parquet.read_table(path)), "ndcg", **COLUMNS)
    named = write(tmp_path / "named.parquet", {"map": [1], "label": [1], "score": [1]})
    columns = COLUMNS | {"query": "map"}
    assert means(named, "map", **columns) == 1.0
    with pytest.raises(ValueError, match="must be the name of a column that is not the name of a"):
        means(named, "map", **columns, path=tmp_path / "out.csv")


def test_without_pyarrow(monkeypatch, path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError) as caught:
        means(path, "ndcg", **COLUMNS)
    assert str(caught.value) == (
        'scale.report needs pyarrow: python -m pip install "ranking-scores[parquet]"'
    )


def test_an_import_loads_no_engine():
    code = (
        "import sys, sklearn.metrics; before = {*sys.modules}; import ranking_scores.scale; "
        "print(*{*sys.modules} - before)"
    )
    command = [sys.executable, "-c", code]
    root = Path(_parquet.__file__).parents[2]
    output = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root).stdout
    loaded = {name.partition(".")[0] for name in output.split()}
    assert loaded - sys.stdlib_module_names <= {"ranking_scores", "sklearn"}
