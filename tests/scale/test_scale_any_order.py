"""Rows in any order, larger than memory: the bits of one call, few files, and none left over."""

from __future__ import annotations

import datetime
import errno
import importlib
import importlib.util
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from scaled import of_arrays
from warned import nothing_to_rank

from ranking_scores import from_tables, ndcg_score, ranking_report, scale
from ranking_scores.scale import _batches, _partitioned, _sources
from ranking_scores.significance import compare

pa = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
datasets = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")

COLUMNS = {"label": "label", "score": "score", "query": "user"}
HAS_DUCKDB = importlib.util.find_spec("duckdb") is not None


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    """Also a few rows are partitioned to files."""
    monkeypatch.setattr(_partitioned, "_FEW_ROWS", 1)
    monkeypatch.setattr(_partitioned, "_ROWS_AT_ONCE", 40)


def rows(n_rows, n_queries, seed=0):
    """Return rows in no order, many of which tie."""
    rng = np.random.default_rng(seed)
    user = rng.integers(0, n_queries, n_rows)
    weight = rng.integers(1, 4, n_queries) / 4
    return pd.DataFrame(
        {
            "user": user,
            "label": rng.integers(0, 3, n_rows),
            "score": rng.integers(0, 4, n_rows).astype(np.float32),
            "weight": weight[user],
            "of_item": rng.random(n_rows),
            "group": np.where(user % 3 == 0, "fi", "sv"),
        }
    )


def write(path, table, row_group_size=7):
    """Write a file, and return its path."""
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    parquet.write_table(arrow, path, row_group_size=row_group_size)
    return path


# --- numbers -------------------------------------------------------------------------------------


@nothing_to_rank
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_rows_in_any_order_give_the_bits_of_one_call(tmp_path, data):
    n_rows = data.draw(st.integers(1, 60))
    table = rows(n_rows, data.draw(st.integers(1, 12)), seed=n_rows)
    cuts = sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=3)))
    parts = [table.iloc[a:b] for a, b in zip([0, *cuts], [*cuts, n_rows], strict=True)]
    if data.draw(st.booleans()):
        parts = [write(tmp_path / f"{n}.parquet", part) for n, part in enumerate(parts)]
    more = data.draw(
        st.sampled_from([{}, {"sample_weight": "weight"}, {"item_weight": "of_item"}])
    )
    options = {"ignore_ties": data.draw(st.booleans()), "scores": ["ndcg", "dcg"], "k": [1, 3]}
    found = scale.report(
        parts,
        **COLUMNS,
        **more,
        **options,
        by="group",
        order="any",
        memory=data.draw(st.sampled_from([1, 3000, "1 MB"])),
        n_jobs=data.draw(st.sampled_from([None, 2])),
    )
    arrays = {name: table[column].to_numpy() for name, column in of_arrays(COLUMNS | more).items()}
    expected = ranking_report(**arrays, **options, by=table["group"].to_numpy())
    assert found.mean == expected.mean
    [groups] = expected.by_group.values()
    for group, report in groups.items():
        assert found.by_group["group"][group].mean == report.mean


TYPES = {
    "ints": lambda ids: ids.astype(np.int16),
    "unsigned": lambda ids: ids.astype(np.uint64) + 2**63,
    "floats": lambda ids: ids / 2,
    "text": lambda ids: [f"käyttäjä {'' if each == 3 else each}" for each in ids],
    "empty text": lambda ids: ["x" * each for each in ids],
    "text of large offsets": lambda ids: pa.array(map(str, ids), pa.large_string()),
    "bytes": lambda ids: [str(each).encode() for each in ids],
    "bytes of one length": lambda ids: pa.array([b"%03d" % i for i in ids], pa.binary(3)),
    "dates": lambda ids: [datetime.date(2020, 1, 1 + int(each)) for each in ids],
    "times": lambda ids: ids.astype("datetime64[h]").astype("datetime64[ns]"),
    "decimals": lambda ids: [Decimal(int(each)) / 4 for each in ids],
    "bools": lambda ids: ids % 2 == 0,
    "categories": lambda ids: pd.Categorical([f"user {each}" for each in ids]),
    "a dictionary": lambda ids: pa.array(map(str, ids)).dictionary_encode(),
}


@pytest.mark.parametrize("kind", TYPES)
def test_ids_of_many_types(kind):
    table = rows(200, 20)
    ids = TYPES[kind](table["user"].to_numpy())
    _, number = np.unique(np.asarray(ids).astype(str), return_inverse=True)
    expected = ndcg_score(table["label"], table["score"], qid=number)
    batches = [
        pa.table({"user": ids, "label": table["label"], "score": table["score"]}).slice(start, 40)
        for start in range(0, 200, 40)
    ]
    report = scale.report(batches, **COLUMNS, scores="ndcg", k=None, order="any", memory=500)
    assert report["ndcg"] == expected
    assert report.n_queries == number.max() + 1


def test_ids_of_a_type_that_is_not_known_come_together():
    times = [datetime.time(1, minute % 5) for minute in range(50)]
    assert not _partitioned.keys_of_column(pa.array(times)).any()


@pytest.mark.parametrize("at_once", [1, 20, 2**17])
def test_text_has_a_number_of_its_own(monkeypatch, at_once):
    monkeypatch.setattr(_partitioned, "_BYTES_AT_ONCE", at_once)
    texts = ["", "a", "b", "ab", "ba", "a\0", "\0", "\0\0", "a" * 1000, "a" * 1001, "ä", "ö" * 99]
    keys = _partitioned.keys_of_column(pa.array([*texts, *texts[::-1]]))
    assert np.unique(keys).size == len(texts)
    assert (keys[: len(texts)] == keys[: len(texts) - 1 : -1]).all()
    chunks = pa.chunked_array([texts[:3], [], texts[3:]], pa.large_string())
    assert (_partitioned.keys_of_column(chunks.slice(1)) == keys[1 : len(texts)]).all()
    codes = pa.array([text.encode() for text in texts])
    assert (_partitioned.keys_of_column(codes) == keys[: len(texts)]).all()
    for none in (pa.array([], pa.string()), pa.chunked_array([], pa.string())):
        assert not _partitioned.keys_of_column(none).size
    assert not _partitioned.keys_of_column(pa.array(["", ""])).any()


@pytest.mark.skipif(not hasattr(pa, "uuid"), reason="this pyarrow has no UUIDs")
def test_uuids():
    table = rows(200, 20)
    ids = pa.array([b"%016d" % each for each in table["user"]], pa.uuid())
    frame = pa.Table.from_pandas(table).set_column(0, "user", ids)
    report = scale.report(frame, **COLUMNS, scores="ndcg", k=None, order="any", memory=500)
    assert report["ndcg"] == ndcg_score(table["label"], table["score"], qid=table["user"])


def test_equal_ids_of_several_types_have_the_same_number():
    for ids, others in (
        (pa.array([1, 0, 7], pa.int8()), pa.array([1.0, -0.0, 7.0])),
        (pa.array([Decimal("1.00"), Decimal("2.50")]), pa.array([1.0, 2.5])),
        (pa.array([datetime.date(2020, 1, 2)]), pa.array([np.datetime64("2020-01-02", "ns")])),
        (pa.array([True, False]), pa.array([1, 0])),
        (pa.array(["x"]), pa.array(["x"], pa.large_string())),
    ):
        assert (_partitioned.keys_of_column(ids) == _partitioned.keys_of_column(others)).all()


@pytest.mark.parametrize("n_parts", [2, 3, 64])
def test_parts_are_equally_large_at_each_level(n_parts):
    keys = _partitioned.keys_of_column(pa.array(np.arange(20_000)))
    of_first = keys[_partitioned.parts_of(keys, n_parts, 0) == 1]
    for some, level in ((keys, 0), (of_first, 1)):
        count = np.bincount(_partitioned.parts_of(some, n_parts, level), minlength=n_parts)
        expected = some.size / n_parts
        assert (np.abs(count - expected) < 6 * expected**0.5 + 1).all()


def test_a_query_that_is_larger_than_the_memory(monkeypatch):
    table = rows(3000, 2)
    levels = []
    partition = _partitioned._Partitioner._partition
    monkeypatch.setattr(
        _partitioned._Partitioner,
        "_partition",
        lambda self, *rest: levels.append(rest[-1]) or partition(self, *rest),
    )
    report = scale.report(table, **COLUMNS, scores="ndcg", k=None, order="any", memory=1000)
    assert report["ndcg"] == ndcg_score(table["label"], table["score"], qid=table["user"])
    assert max(levels) <= 2


def test_values_per_query(tmp_path):
    table = rows(300, 40)
    table["user"] = "user " + table["user"].astype(str)
    values = scale.per_query(
        write(tmp_path / "rows.parquet", table), **COLUMNS, scores="ndcg", k=None, order="any",
        memory=2000,
    )  # fmt: skip
    found = dict(zip(values["user"].to_pylist(), values["ndcg"].to_pylist(), strict=True))
    expected = ndcg_score(table["label"], table["score"], qid=table["user"], average=None)
    assert found == dict(zip(np.unique(table["user"]), expected, strict=True))
    report = scale.per_query(
        table, **COLUMNS, scores="ndcg", k=None, order="any", path=tmp_path / "values.parquet"
    )
    assert report["ndcg"] == np.mean(expected).item()
    assert parquet.read_table(tmp_path / "values.parquet").num_rows == values.num_rows


def test_unknown_labels():
    table = rows(200, 20)
    table["label"] = table["label"].astype(float).where(table.index % 3 > 0)
    params = {"scores": "ndcg@3", "k": None, "unjudged": True, "max_grade": 2}
    report = scale.report(table, **COLUMNS, **params, order="any", memory=1)
    expected = ranking_report(table["label"], table["score"], qid=table["user"], **params)
    assert (report.low, report.high) == (expected.low, expected.high)


# --- two tables ----------------------------------------------------------------------------------


def two_tables(seed=0):
    """Return judgments and predictions, with rows in no order."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(30 * 20)
    judged, predicted = cells[:150], rng.permutation(cells[100:400])
    judgments = pd.DataFrame({"q": judged // 20, "i": judged % 20})
    judgments["l"] = rng.integers(0, 3, 150)
    predictions = pd.DataFrame({"q": predicted // 20, "i": predicted % 20})
    predictions["s"] = rng.integers(0, 5, 300) / 4
    predictions["r"] = rng.integers(1, 9, 300)
    return judgments, predictions


NAMES = {"query": "q", "item": "i", "label": "l"}


@pytest.mark.parametrize("queries", ["judged", "both", "all"])
@pytest.mark.parametrize("column", ["score", "rank"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_tables_are_joined_as_in_one_call(tmp_path, queries, column, n_jobs):
    judgments, predictions = two_tables()
    names = NAMES | {column: column[0], "queries": queries, "duplicates": "best"}
    paths = [
        write(tmp_path / f"{n}.parquet", part)
        for n, part in enumerate([predictions.iloc[:100], predictions.iloc[100:]])
    ]
    options = {"scores": ["ndcg", "recall"], "k": [2, 5], "unjudged": True, "max_grade": 2}
    report = scale.report_tables(
        judgments, paths, **names, **options, memory=2000, n_jobs=n_jobs, directory=tmp_path
    )
    expected = ranking_report(from_tables(judgments, predictions, **names), **options)
    for name in ("mean", "low", "high", "n_queries"):
        assert getattr(report, name) == getattr(expected, name)
    assert report.queries_seen == expected.queries_seen


def test_ids_meet_across_types():
    judgments, predictions = two_tables()
    expected = ranking_report(
        from_tables(judgments, predictions, **NAMES, score="s"), scores="map", k=None
    )
    text = [each.assign(q="q" + each["q"].astype(str)) for each in (judgments, predictions)]
    for judged, predicted in (
        (judgments.astype({"q": float}), predictions),
        (pl.from_pandas(judgments), [pa.Table.from_pandas(predictions)]),
        (text[0].astype({"q": "category"}), text[1].to_dict("list")),
        (pl.from_pandas(text[0]).lazy(), text[1]),
    ):
        report = scale.report_tables(
            judged, predicted, **NAMES, score="s", scores="map", k=None, memory=1
        )
        assert report["map"] == expected["map"]


def test_a_warning_if_no_item_was_found():
    judgments, predictions = two_tables()
    call = {**NAMES, "score": "s", "scores": "map", "k": None, "memory": 1}
    with pytest.warns(UserWarning, match="is among"):
        scale.report_tables(judgments, predictions.assign(i=predictions["i"] + 100), **call)
    moved = predictions.assign(q=(predictions["q"] + 1) % 30)  # an item is in both, of two queries
    only = moved.merge(judgments[["q", "i"]], how="left", indicator=True)
    scale.report_tables(judgments, only[only["_merge"] == "left_only"], **call)


def test_errors_about_two_tables(tmp_path):
    judgments, predictions = two_tables()
    call = {**NAMES, "score": "s", "scores": "map", "k": None}
    with pytest.raises(ValueError, match=r"'predictions'.*text, not 1|'predictions'.*numbers"):
        scale.report_tables(judgments, predictions.astype({"q": str}), **call)
    with pytest.raises(ValueError, match=r"'judgments'.*the column 'l'"):
        scale.report_tables(judgments[["q", "i"]], predictions, **call)
    with pytest.raises(ValueError, match=r"'predictions'.*more than once"):
        scale.report_tables(judgments, pd.concat([predictions] * 2), **call)
    with pytest.raises(ValueError, match=r"'predictions'.*both judged and predicted"):
        scale.report_tables(judgments, predictions[predictions["q"] < 5], **call, queries="equal")
    with pytest.raises(ValueError, match="at least one row"):
        scale.report_tables(judgments[:0], predictions[:0], **call)
    with pytest.raises(ValueError, match=r"'judgments'.*at least one"):
        scale.report_tables([], predictions, **call)
    paths = [write(tmp_path / f"{n}.parquet", predictions.assign(s=1.0 / n)) for n in (1, 2)]
    bad = write(tmp_path / "3.parquet", predictions.assign(q=99, s=np.inf)[:1])
    with pytest.raises(ValueError, match=rf"'predictions'.*finite.*The file is '{bad}'"):
        scale.report_tables(judgments, [paths[0], bad], **call, queries="all")


# --- what is read --------------------------------------------------------------------------------


def opened(table):
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), file)
    return file


def readers():
    yield "a frame of pandas", lambda table: table
    yield "a dict", lambda table: table.to_dict("series")
    yield "a frame of polars", pl.from_pandas
    yield "a lazy frame", lambda table: pl.from_pandas(table).lazy()
    yield "a table of pyarrow", pa.Table.from_pandas
    yield "a record batch", pa.RecordBatch.from_pandas
    yield "a reader", lambda table: pa.Table.from_pandas(table).to_reader(50)
    yield "a scanner", lambda table: datasets.dataset(pa.Table.from_pandas(table)).scanner()
    yield "a dataset", lambda table: datasets.dataset(pa.Table.from_pandas(table))
    yield "an open file", opened
    yield "open files", lambda table: [opened(table[:100]), opened(table[100:])]
    yield "batches", lambda table: [table[start : start + 30] for start in range(0, 300, 30)]
    yield "lazy frames", lambda table: iter([pl.from_pandas(table).lazy()])
    if HAS_DUCKDB:
        yield "a relation", lambda table: importlib.import_module("duckdb").from_df(table)


@pytest.mark.parametrize("make", [pytest.param(make, id=kind) for kind, make in readers()])
@pytest.mark.parametrize("order", ["any", "grouped"])
def test_whatever_has_rows_can_be_read(make, order):
    table = rows(300, 30).sort_values("user", kind="stable")
    report = scale.report(make(table), **COLUMNS, scores="ndcg", k=None, order=order)
    assert report["ndcg"] == ndcg_score(table["label"], table["score"], qid=table["user"])


def test_files_and_tables_without_rows(tmp_path):
    empty = write(tmp_path / "empty.parquet", rows(5, 2)[:0])
    for data in (empty, rows(5, 2)[:0], [rows(5, 2)[:0]]):
        with pytest.raises(ValueError, match="at least one row"):
            scale.report(data, **COLUMNS, order="any")
    judgments, predictions = two_tables()
    none = write(tmp_path / "none.parquet", predictions[:0])
    names = NAMES | {"score": "s", "scores": "recall@3", "k": None}
    assert scale.report_tables(judgments, none, **names)["recall@3"] == 0


def test_a_relation_of_an_older_duckdb():
    relation = SimpleNamespace(fetch_record_batch=lambda n_rows: [n_rows])
    assert list(_sources._batches_of_relation(relation, {})) == [_sources.BATCH_ROWS]


def test_an_address_of_a_file_here(tmp_path):
    table = rows(300, 30)
    address = write(tmp_path / "rows.parquet", table).as_uri()
    report = scale.report(address, **COLUMNS, scores="ndcg", k=None, order="any")
    assert report["ndcg"] == ndcg_score(table["label"], table["score"], qid=table["user"])


def test_a_folder_that_cannot_be_reached(monkeypatch):
    def fails(*_, **__):
        raise OSError("the connection is broken")

    monkeypatch.setattr(datasets, "dataset", fails)
    with pytest.raises(OSError, match=r"^scale\.report cannot read 'rows': the connection is"):
        scale.report("rows", **COLUMNS)


def test_an_address_that_fsspec_knows():
    fsspec = pytest.importorskip("fsspec", reason="it is in the extra engines")
    table = rows(300, 30)
    with fsspec.open("memory://rows.parquet", "wb") as file:
        parquet.write_table(pa.Table.from_pandas(table), file)
    report = scale.report("memory://rows.parquet", **COLUMNS, scores="ndcg", k=None, order="any")
    assert report["ndcg"] == ndcg_score(table["label"], table["score"], qid=table["user"])
    with pytest.raises(FileNotFoundError, match="memory://others"):
        scale.report("memory://others", **COLUMNS)


def test_a_lazy_frame_of_an_older_polars(monkeypatch):
    monkeypatch.delattr(pl.LazyFrame, "collect_batches", raising=False)
    with pytest.raises(ValueError, match=r"'data'.*from 1\.34 on.*collect\(\)"):
        scale.report(pl.LazyFrame({"user": [1]}), **COLUMNS)


def test_a_column_that_a_lazy_frame_lacks():
    if not hasattr(pl.LazyFrame, "collect_batches"):
        pytest.skip("this polars does not read lazy frames in batches")
    with pytest.raises(ValueError, match=r"'data'.*the column 'label'"):
        scale.report(pl.LazyFrame({"user": [1]}), **COLUMNS)


# --- files that are not as they were written, or not alone ---------------------------------------


@pytest.mark.parametrize("read", [str, lambda path: datasets.dataset(path).filter(
    datasets.field("user") >= 0)], ids=["files", "dataset"])  # fmt: skip
def test_a_damaged_page_is_found(tmp_path, read):
    path = tmp_path / "rows.parquet"
    table = pa.Table.from_pandas(rows(5000, 50)[["user", "label", "score"]])
    options = {"write_page_checksum": True, "compression": "none", "use_dictionary": False}
    parquet.write_table(table, path, **options)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    where = re.escape(str(path)) if read is str else "a dataset"
    with pytest.raises(OSError, match=rf"^scale\.report cannot read '{where}': .*CRC"):
        scale.report(read(path), **COLUMNS, order="any")


@pytest.mark.parametrize(
    ("made", "reader"),
    [
        (("_delta_log", "0.json"), r"Delta Lake.*deltalake\.DeltaTable"),
        (("metadata", "v1.metadata.json"), "Iceberg.*pyiceberg"),
    ],
)
def test_tables_of_which_files_may_not_count(tmp_path, made, reader):
    folder = tmp_path / "below" / "table"
    (folder / made[0]).mkdir(parents=True)
    (folder / made[0] / made[1]).touch()
    write(folder / "rows.parquet", rows(10, 2))
    for path in (folder, tmp_path, folder.as_uri()):
        with pytest.raises(ValueError, match=rf"'data'.*plain Parquet.*{reader}"):
            scale.report(path, **COLUMNS)


@pytest.mark.parametrize("order", ["any", "grouped"])
def test_errors_name_the_file(tmp_path, order):
    table = rows(60, 6).sort_values("user")
    first = write(tmp_path / "1.parquet", table[table["user"] < 3])
    rest = table[table["user"] >= 3].assign(score=lambda t: t["score"].astype(float))
    is_bad = rest.index == rest.index[3]
    call = {**COLUMNS, "order": order, "scores": "ndcg", "k": None}
    for name, part, problem in (
        ("missing", rest.drop(columns="label"), "the column 'label'"),
        ("null", rest.assign(label=rest["label"].astype("Int64").mask(is_bad)),
         "a number in each row"),
        ("null id", rest.assign(user=rest["user"].astype("Int64").mask(is_bad)),
         "an id in each row"),
        ("infinity", rest.assign(score=np.inf), "finite"),
    ):  # fmt: skip
        path = write(tmp_path / f"{name}.parquet", part)
        table = table.assign(score=table["score"].astype(float))
        write(first, table[table["user"] < 3])
        with pytest.raises(ValueError, match=rf"{problem}.*The file is '{re.escape(str(path))}'"):
            scale.report([first, path], **call)
    both = rest.assign(user=2, label=-1)  # whose query is in both files
    path = write(tmp_path / "both.parquet", both)
    with pytest.raises(ValueError, match=rf"The rows are in '{re.escape(str(first))}', '"):
        scale.report([first, path], **call | {"scores": "err", "max_grade": 2})


# --- temporary files -----------------------------------------------------------------------------

CALL = """
    import os, signal, sys
    import numpy as np
    from ranking_scores import scale
    from ranking_scores.scale import _partitioned

    _partitioned._FEW_ROWS = 1
    close = _partitioned._TemporaryRows.close

    def stop(rows):
        assert rows._file is None or rows._file.tell()
        print(*os.listdir(sys.argv[1]), flush=True)
        os.kill(os.getpid(), int(sys.argv[2]))
        close(rows)

    _partitioned._TemporaryRows.close = stop
    user = np.arange(10_000) % 100
    table = {"user": user, "label": user % 2, "score": user}
    columns = {"label": "label", "score": "score", "query": "user"}
    scale.report(table, **columns, order="any", memory=1000, directory=sys.argv[1])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals end a process in another way there")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_call_that_is_killed_leaves_nothing(tmp_path, name):
    number = getattr(signal, name)
    command = [sys.executable, "-c", textwrap.dedent(CALL), str(tmp_path), str(int(number))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == -number, ended.stderr
    assert not ended.stdout.strip()
    assert not list(tmp_path.iterdir())


def test_a_call_that_fails_leaves_nothing(tmp_path, monkeypatch):
    closed = []
    close = _partitioned._TemporaryRows.close
    monkeypatch.setattr(
        _partitioned._TemporaryRows, "close", lambda rows: closed.append(1) or close(rows)
    )
    table = rows(200, 20)
    table.loc[7, "score"] = np.inf
    with pytest.raises(ValueError, match="finite"):
        scale.report(table, **COLUMNS, order="any", memory=1, directory=tmp_path)
    assert len(closed) >= _partitioned._MOST_PARTS
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="it is a device of Linux")
def test_a_full_disk_is_one_error(monkeypatch, tmp_path):
    def full(**options):
        assert options == {"dir": str(tmp_path)}
        return open("/dev/full", "r+b", buffering=0)

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    call = {**COLUMNS, "order": "any", "memory": 1, "directory": tmp_path}
    with pytest.raises(
        OSError, match=r"^\[Errno 28\].*'.*': No space.*Pass `directory`"
    ) as caught:
        scale.report(rows(200, 20), **call)
    assert caught.value.errno == errno.ENOSPC
    assert str(tmp_path) in str(caught.value)


# --- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"order": "sorted"}, "'order'.*'grouped' or 'any'. Got 'sorted'"),
        ({"memory": "1 GB"}, "'memory'.*None unless order='any'"),
        ({"directory": "."}, "'directory'.*None unless order='any'"),
        ({"order": "any", "memory": 0}, "'memory'.*a number of bytes"),
        ({"order": "any", "memory": True}, "'memory'.*a number of bytes.*Got True"),
        ({"order": "any", "memory": 2.5}, "'memory'.*a number of bytes"),
        ({"order": "any", "memory": "much"}, "'memory'.*'500 MB'.*Got 'much'"),
        ({"order": "any", "memory": "0 MB"}, "'memory'"),
        ({"order": "any", "directory": 3}, "'directory'.*Got 3"),
        ({"order": "any", "query": None}, "'query'.*order='any'"),
        ({"order": "any", "batch_rows": 5}, "'batch_rows'.*a table or yields tables"),
    ],
)
def test_parameters_that_are_refused(params, match):
    with pytest.raises(ValueError, match=match):
        scale.report(rows(20, 2), **COLUMNS | params)


def test_a_folder_that_is_not_there():
    with pytest.raises(FileNotFoundError, match=r"'directory'.*Got 'nowhere'"):
        scale.report(rows(20, 2), **COLUMNS, order="any", directory="nowhere")


@pytest.mark.parametrize(
    ("memory", "n_bytes"),
    [(7, 7), (np.int64(7), 7), ("500 MB", 5 * 10**8), ("1.5gib", 3 * 2**29), (".5 kB", 500),
     (" 3 b ", 3), ("1 TB", 10**12)],
)  # fmt: skip
def test_sizes_in_words(memory, n_bytes):
    assert _partitioned.check_space(memory, None, "f").n_bytes == n_bytes


def test_values_that_pyarrow_does_not_take():
    table = rows(20, 2)
    table["user"] = [object() for _ in range(20)]
    with pytest.raises(ValueError, match=r"column 'user'.*that pyarrow takes.*pyarrow says"):
        scale.report(table, **COLUMNS, order="any")


def test_columns_of_other_types_come_together():
    table = rows(400, 20)
    batches = [
        table[start : start + 100].astype({"user": kind})
        for start, kind in zip(
            range(0, 400, 100), ("int32", "int64", "float64", "int32"), strict=True
        )
    ]
    whole = pd.concat(batches)
    report = scale.report(batches, **COLUMNS, scores="ndcg", k=None, order="any", memory=1)
    assert report["ndcg"] == ndcg_score(whole["label"], whole["score"], qid=whole["user"])


# --- several models in one pass ------------------------------------------------------------------


def models(table):
    """Return rows with the scores of two models, the queries together."""
    rng = np.random.default_rng(1)
    new = rng.integers(0, 4, len(table)).astype(float)
    return table.assign(new=new).sort_values("user", kind="stable")


TWO = COLUMNS | {"score": {"old": "score", "new": "new"}}


@pytest.mark.parametrize("order", ["any", "grouped"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_models_are_scored_in_one_pass(tmp_path, order, n_jobs):
    table = models(rows(400, 50))
    batches = iter([table[start : start + 90] for start in range(0, 400, 90)])  # read once
    options = {"scores": ["ndcg", "map"], "k": 3, "order": order, "n_jobs": n_jobs}
    reports = scale.report(batches, **TWO, **options, by="group")
    assert list(reports) == ["old", "new"]
    paths = {name: tmp_path / f"{name}.parquet" for name in reports}
    path = write(tmp_path / "rows.parquet", table)
    written = scale.per_query(path, **TWO, **options, path=paths)
    values = scale.per_query(path, **TWO, **options)
    for name, column in TWO["score"].items():
        alone = scale.report(path, **COLUMNS | {"score": column}, **options, by="group")
        assert reports[name].mean == written[name].mean == alone.mean
        assert repr(reports[name]) == repr(alone)
        assert parquet.read_table(paths[name]) == values[name]
        expected = ndcg_score(table["label"], table[column], qid=table["user"], k=3, average=None)
        in_order = values[name].sort_by("user")["ndcg@3"].to_numpy()
        assert in_order.tobytes() == expected.tobytes()
    of_one = scale.per_query(path, **TWO, scores="ndcg@3", order=order, path=paths)
    means = [reports[name]["ndcg@3"] for name in ("old", "new")]
    assert compare(*of_one.values()).difference == pytest.approx(means[1] - means[0])


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"score": {}}, "'score'.*a dict of such names"),
        ({"score": {1: "score"}}, "'score'.*a dict of such names"),
        ({"score": {"old": "score", "new": "gone"}}, "the column 'gone'.*`score="),
        ({"path": "x.parquet"}, "'path'.*a dict of paths for 'old', 'new'.*Got 'x.parquet'"),
        ({"path": {"old": "x.parquet"}}, "'path'.*a dict of paths for 'old', 'new'"),
        ({"path": dict.fromkeys(["old", "new"], "x.parquet")}, "'path'.*a file of its own"),
    ],
)
def test_what_several_models_refuse(params, match):
    table = models(rows(20, 3))
    with pytest.raises(ValueError, match=match):
        scale.per_query([pa.Table.from_pandas(table)], **TWO | params)


# --- what does not go together -------------------------------------------------------------------


def test_a_reader_that_was_read_before():
    judgments, predictions = two_tables()
    reader = pa.Table.from_pandas(predictions).to_reader()
    reader.read_all()
    call = {**NAMES, "score": "s", "scores": "map", "k": None}
    with pytest.raises(ValueError, match=r"'predictions'.*not read before"):
        scale.report_tables(judgments, reader, **call)
    one = iter([judgments, predictions])
    with pytest.raises(ValueError, match=r"'predictions'.*read only once"):
        scale.report_tables(one, one, **call)


@pytest.mark.parametrize("order", ["any", "grouped"])
@pytest.mark.parametrize(
    ("one", "other", "got"),
    [
        ([1, 1], ["1", "1"], "string after int64 in 'user'"),
        (["a", "a"], [b"a", b"a"], "binary after string in 'user'"),
    ],
)
def test_types_that_do_not_go_together(tmp_path, order, one, other, got):
    parts = [pa.table({"user": ids, "label": [1, 0], "score": [0.1, 0.2]}) for ids in (one, other)]
    with pytest.raises(ValueError, match=rf"'data'.*same types. Got {got}"):
        scale.report(parts, **COLUMNS, order=order)
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    for path, part in zip(paths, parts, strict=True):
        parquet.write_table(part, path)
    with pytest.raises(ValueError, match=r"'data'.*the column 'user' has one type"):
        scale.report(paths, **COLUMNS, order=order)


def test_items_are_not_kept_forever(monkeypatch):
    monkeypatch.setattr(_batches, "_MOST_ITEMS_COMPARED", 5)
    judgments, predictions = two_tables()
    call = {**NAMES, "score": "s", "scores": "map", "k": None, "memory": 1}
    with pytest.warns(UserWarning, match="is among"):
        scale.report_tables(judgments, predictions.assign(i=predictions["i"] + 100), **call)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
def test_few_files_may_be_open(monkeypatch):
    resource = importlib.import_module("resource")
    opened = []
    open_file = tempfile.TemporaryFile
    monkeypatch.setattr(
        tempfile, "TemporaryFile", lambda **options: opened.append(1) or open_file(**options)
    )
    judgments, predictions = two_tables()
    for limit, most in ((64, 2 * 8), (resource.RLIM_INFINITY, 2 * 128)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, limit=limit: (limit, limit))
        opened.clear()
        call = {**NAMES, "score": "s", "scores": "map", "k": None, "memory": 10**7}
        scale.report_tables(judgments, predictions, **call)
        assert 0 < len(opened) <= most


def test_windows_opens_as_many_files_as_are_wanted(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert _partitioned._most_files() == 2 * _partitioned._MOST_PARTS


def test_too_many_open_files_are_an_error(monkeypatch):
    def fails(**_):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(tempfile, "TemporaryFile", fails)
    with pytest.raises(OSError, match=r"Too many open files$"):
        scale.report(rows(200, 20), **COLUMNS, order="any", memory=1)


def test_a_disk_that_is_full_at_the_end_is_the_same_error(monkeypatch, tmp_path):
    class Full(io.BytesIO):
        def close(self):
            super().close()
            raise OSError(errno.ENOSPC, "No space left on device")

        def flush(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(OSError, match=r"scale\.report cannot write temporary files in"):
        scale.report(rows(200, 20), **COLUMNS, order="any", memory=1, directory=tmp_path)


def test_files_that_are_no_files_of_bytes(tmp_path):
    path = write(tmp_path / "rows.parquet", rows(20, 2))
    with (
        path.open(encoding="latin-1") as file,
        pytest.raises(ValueError, match=r"an open file of bytes. Got one of text"),
    ):
        scale.report(file, **COLUMNS)
    with path.open("rb") as file:
        pass
    with pytest.raises(ValueError, match=r"an open file of bytes. Got one that is closed"):
        scale.report(file, **COLUMNS)
    pytest.importorskip("fsspec", reason="it is in the extra engines")
    with pytest.raises(ValueError, match=r"that pyarrow or fsspec knows. Got 'xyz://a'"):
        scale.report("xyz://a", **COLUMNS)
