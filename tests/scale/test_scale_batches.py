"""Batches of any kind of table, groups, and a bar that shows the progress."""

from __future__ import annotations

import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from parquet_rows import COLUMNS, arrays_of, datasets, pa, parquet, rows, write
from scaled import means

from ranking_scores import mean_average_precision_score, ndcg_score, ranking_report, scale
from ranking_scores.significance import confidence_interval


@pytest.fixture
def table():
    return rows([2, 1, 9, 3, 4, 1, 6])


@pytest.fixture
def path(tmp_path, table):
    return write(tmp_path / "rows.parquet", table)


# --- batches -----------------------------------------------------------------------------------


def dicts(table):
    return table.to_pydict()


def record_batch(table):
    return table.combine_chunks().to_batches()[0]


def pandas_frame(table):
    return pytest.importorskip("pandas", reason="it is in the extra test") and table.to_pandas()


def polars_frame(table):
    return pytest.importorskip("polars", reason="it is in the extra test").from_arrow(table)


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("kind", [pa.Table.slice, dicts, record_batch, pandas_frame, polars_frame])
def test_batches_of_any_kind(tmp_path, table, kind, n_jobs):
    whole = pa.table(table)
    tables = [kind(whole.slice(start, 5)) for start in range(0, 26, 5)]
    columns = COLUMNS | {"sample_weight": "weight"}
    options = {"scores": ["ndcg", "map"], "k": [1, None], "n_jobs": n_jobs}
    report = scale.report(iter(tables), **columns, **options)
    arrays = arrays_of(table, columns)
    assert dict(report.mean) == {
        "ndcg@1": ndcg_score(**arrays, k=1),
        "ndcg": ndcg_score(**arrays),
        "map@1": mean_average_precision_score(**arrays, k=1),
        "map": mean_average_precision_score(**arrays),
    }
    out = tmp_path / "out.parquet"
    for _ in range(2):  # the second time, it replaces the file
        assert scale.per_query(tables, **columns, **options, path=out).mean == report.mean
    values = scale.per_query(tables, **columns, **options)
    assert values == parquet.read_table(out)
    ids, first = np.unique(arrays["qid"], return_index=True)
    assert values["user"].to_pylist() == ids[np.argsort(first)].tolist()


def test_a_reader_of_pandas(tmp_path, table):
    pandas = pytest.importorskip("pandas", reason="it is in the extra test")
    pa.table(table).to_pandas().to_csv(tmp_path / "rows.csv", index=False)
    for options in ({}, {"order": "any"}):
        with pandas.read_csv(tmp_path / "rows.csv", chunksize=5) as chunks:
            report = scale.report(chunks, **COLUMNS, scores="ndcg", **options)
        assert report["ndcg@10"] == ndcg_score(**arrays_of(table, COLUMNS), k=10)


def test_weights_that_are_all_zero(table):
    weights = pa.table(table | {"weight": np.zeros(26)})
    with pytest.raises(ValueError, match="sample_weight") as caught:
        scale.report([weights], **COLUMNS, sample_weight="weight")
    assert str(caught.value) == (
        "The 'sample_weight' parameter of scale.report must be positive for at least one query. "
        "Got only zeros instead."
    )


def test_batches_of_lists():
    tables = [
        {"label": [[0, 1], [1, 0]], "score": [[1, 2], [1, 2]]},
        {"label": [[0]], "score": [[1]]},
    ]
    tables = list(map(pa.table, tables))
    columns = {"label": "label", "score": "score"}
    report = scale.report(tables, **columns, scores="mrr", k=None, replace_undefined_by=np.nan)
    assert (report["mrr"], report.n_queries, report.n_undefined["mrr"]) == (0.75, 3, 1)
    assert scale.per_query(tables, **columns, scores="mrr", k=None)["mrr"].to_pylist() == [
        1,
        0.5,
        0,
    ]


def test_errors_about_batches(table):
    whole = pa.table(table)
    with pytest.raises(ValueError, match="data") as caught:
        scale.report([whole, whole[:3]], **COLUMNS)
    assert str(caught.value) == (
        "The 'data' parameter of scale.report must be grouped by query. "
        f"Got query {table['user'][0]} again after other queries instead. Sort "
        "the rows by 'user' first. Or pass order='any', which brings the rows of each query "
        "together. If a data loader shuffles them, pass shuffle=False to it. Or update a "
        "`StreamingScore` with the batches, which keeps all ids."
    )
    with pytest.raises(ValueError, match="batch_rows") as caught:
        scale.report([whole], **COLUMNS, batch_rows=5)
    assert str(caught.value) == (
        "The 'batch_rows' parameter of scale.report must be left out if data is a table or "
        "yields tables, which are read as they come. Got 5 instead."
    )
    large = pa.table({"user": [1, 1], "label": [1, 2**53 + 1], "score": [1, 2]})
    small = large.set_column(1, "label", pa.array([0.5, 1]))
    for batches in ([large, small.to_pandas()], [whole, 3]):
        with pytest.raises(ValueError, match=r"'data' parameter of scale\.report must be"):
            scale.report(batches, **COLUMNS)
    with pytest.raises(ValueError, match=r"'data' parameter of scale\.report must be such that e"):
        scale.report([large, small], **COLUMNS)


# --- groups ------------------------------------------------------------------------------------


def assert_is_the_report(report, expected):
    """Check that a report of sums has the numbers of one of values, bit for bit."""
    for name in ("mean", "n_undefined", "standard_error"):
        np.testing.assert_equal(dict(getattr(report, name)), dict(getattr(expected, name)))
    assert report.n_queries == expected.n_queries
    assert list(report.by_group) == list(expected.by_group)
    for grouping, groups in expected.by_group.items():
        assert list(report.by_group[grouping]) == list(groups)
        assert [*map(type, report.by_group[grouping])] == [*map(type, groups)]
        for group, of_group in groups.items():
            assert_is_the_report(report.by_group[grouping][group], of_group)
    assert repr(expected).startswith(repr(report))  # Sums do not tell what scores cannot tell.


LANGUAGES = {
    "text": np.array(["fi", "en", "sv"]),
    "ints": np.array([7, -1, 3]),
    "floats": np.array([0.5, -1, 3]),
    "bools": np.array([True, False, True]),
    "dates": np.array(["2020", "1999", "2021"], dtype="M8[us]"),
}


@pytest.mark.parametrize("kind", LANGUAGES)
def test_groups_are_those_of_a_report(tmp_path, kind):
    table = rows([2, 1, 9, 3, 4, 1, 6, 2, 2])
    table["of"] = LANGUAGES[kind][table["user"] // 10 % 3]
    path = write(tmp_path / "rows.parquet", table)
    more = {"sample_weight": "weight", "item_weight": "of_item"}
    for weights in ({}, more):
        columns = COLUMNS | weights
        options = {"scores": ["ndcg", "dcg@3"], "k": [1, None], "replace_undefined_by": np.nan}
        report = scale.report(path, **columns, **options, by="of", batch_rows=4)
        arrays = arrays_of(table, columns)
        expected = ranking_report(**arrays, **options, by={"of": table["of"]})
        assert_is_the_report(report, expected)
        frame, of_values = report.summary_frame(), expected.summary_frame()
        assert frame.equals(of_values)
        assert_is_the_report(pickle.loads(pickle.dumps(report)), expected)
    text = pa.table(table | {"of": pa.array(table["of"]).dictionary_encode()})
    parts = [text.slice(0, 12), text.slice(12)]
    assert_is_the_report(scale.report(parts, **columns, **options, by="of"), expected)


def test_a_list_in_each_row_has_a_group():
    table = {"label": [[0, 1], [1, 0], [0]], "score": [[1, 2], [1, 2], [1]], "of": ["b", "a", "b"]}
    columns = {"label": "label", "score": "score", "by": "of"}
    report = scale.report([pa.table(table)], **columns, scores="mrr", k=None)
    assert {name: each["mrr"] for name, each in report.by_group["of"].items()} == {
        "a": 0.5,
        "b": 0.5,
    }


def test_errors_about_groups(table):
    for values, error in (
        (
            np.arange(26),
            "The 'by' parameter of scale.report must be the same for all rows of a query. Got 0 "
            f"and 1 in the query with qid {table['user'][0]} instead.",
        ),
        (
            [None, *"a" * 25],
            "The 'data' parameter of scale.report must be a table whose column 'of' has a group "
            "in each row. Got null instead. Drop such rows, or give them a group.",
        ),
    ):
        with pytest.raises(ValueError, match=r"parameter of scale\.report") as caught:
            scale.report([pa.table(table | {"of": pa.array(values)})], **COLUMNS, by="of")
        assert str(caught.value) == error
    half = {"user": [1], "label": [1], "score": [1]}
    batches = [half | {"of": np.array([1])}, half | {"user": [2], "of": np.array(["1"])}]
    with pytest.raises(ValueError, match=r"'by' parameter of scale\.report must be"):
        scale.report(batches, **COLUMNS, by="of")
    with pytest.raises(
        ValueError, match=r"'by' parameter of scale\.report must be the name of a c"
    ):
        scale.report([half], **COLUMNS, by=[1])
    with pytest.raises(ValueError, match="a table with the column 'of'"):
        scale.report([half], **COLUMNS, by="of")


def test_values_that_a_report_of_sums_does_not_hold(path):
    report = scale.report(path, **COLUMNS, scores="ndcg")
    assert not hasattr(report, "per_query")
    for ask in (
        lambda: report.per_query,
        report.to_frame,
        lambda: report.query_ids,
        lambda: report.sample_weight,
    ):
        with pytest.raises(
            AttributeError, match=r"`ranking_scores\.scale\.per_query` returns the"
        ):
            ask()
    with pytest.raises(AttributeError, match="'RankingReport' object has no attribute 'median'"):
        report.median  # noqa: B018
    with pytest.raises(ValueError, match="values") as caught:
        confidence_interval(report)
    assert str(caught.value) == (
        "The 'values' parameter of confidence_interval must be a report with the values of each "
        "query. Got one of sums alone instead. `ranking_scores.scale.per_query` returns the "
        "values, and `to_json` saves them unless per_query=False."
    )


# --- progress ----------------------------------------------------------------------------------


class Terminal:
    """What `sys.stderr` is on a terminal."""

    def isatty(self):
        return True

    def write(self, text):
        pass

    def flush(self):
        pass


class Bar:
    """What tqdm is, as far as it is used."""

    bars = []  # noqa: RUF012

    def __init__(self, **options):
        self.options, self.counts, self.is_open = options, [], None
        self.bars.append(self)

    def __enter__(self):
        self.is_open = True
        return self

    def __exit__(self, *error):
        self.is_open = False

    def update(self, count):
        self.counts.append(count)


def test_a_bar_shows_the_progress_on_a_terminal_only(path, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace(tqdm=Bar))
    means(path, "ndcg", **COLUMNS)
    monkeypatch.setattr(sys, "stderr", None)
    means(path, "ndcg", **COLUMNS)
    assert Bar.bars == []
    monkeypatch.setattr(sys, "stderr", Terminal())
    means([path], "ndcg", **COLUMNS, batch_rows=10)
    means(datasets.dataset(pa.table(table)), "ndcg", **COLUMNS)
    of_file, of_dataset = Bar.bars
    options = {"unit": " rows", "unit_scale": True, "delay": 1}
    assert of_file.options == options | {"total": 26}
    assert of_file.counts == [10, 10, 6]
    assert of_dataset.options == options | {"total": None}
    assert [bar.is_open for bar in Bar.bars] == [False, False]
    monkeypatch.setitem(sys.modules, "tqdm", None)
    means(path, "ndcg", **COLUMNS)
