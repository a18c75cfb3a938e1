"""The bounds over unjudged labels in reports, streams, files, the command and pictures."""

import importlib.util
import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from ranking_scores import (
    StreamingScore,
    dcg_score,
    from_lists,
    from_tables,
    judged_at_k_score,
    ndcg_score,
    ranking_report,
    scale,
)
from ranking_scores.__main__ import main
from ranking_scores.report import read_report
from ranking_scores.streaming import read_stream
from ranking_scores.trec import read_qrels, read_run
from ranking_scores.unjudged import score_bounds

pytestmark = pytest.mark.filterwarnings("ignore:.*one item each")

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
NAN = float("nan")


# --- reports, streams, files ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def queries():
    """Labels, some of them unknown, and scores with ties."""
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 3, (30, 12)).astype(float)
    y_true[rng.random(y_true.shape) < 0.3] = NAN
    return y_true, rng.integers(0, 6, y_true.shape)


NAMES = ["ndcg@3", "map", "err@5", "recall@5", "mrr", "bpref", "judged@4"]


def test_a_report_has_the_bounds_of_each_score(queries):
    report = ranking_report(*queries, scores=NAMES, k=None, unjudged=True, max_grade=2)
    for name in NAMES:
        bounds = score_bounds(*queries, score=name, max_grade=2)
        assert report.low[name] == bounds.low
        assert report.high[name] == bounds.high
        assert report.condensed[name] == bounds.condensed
        if name != "bpref":
            assert report[name] == bounds.not_relevant
    assert report.judged["ndcg@3"] == judged_at_k_score(*queries, k=3)
    assert report.judged["map"] == judged_at_k_score(*queries, k=None, denominator="retrieved")
    short = ranking_report([[1, NAN]], [[2, 1]], scores="map@10", unjudged=True)
    assert short.judged["map@10"] == 0.5
    assert report.judged["judged@4"] == report["judged@4"]
    assert report.judgments.n_items == np.count_nonzero(~np.isnan(queries[0]))
    table = repr(report).splitlines()
    assert table[0].split()[-4:] == ["judged", "low", "high", "condensed"]
    assert list(report.summary_frame().columns)[-4:] == ["judged", "low", "high", "condensed"]


def test_a_report_of_sparse_labels_without_ids(queries):
    y_true, y_score = queries
    row, column = np.nonzero(~np.isnan(y_true))
    stored = sp.coo_array((y_true[row, column], (row, column)), shape=y_true.shape)
    params = {"scores": "ndcg@3", "unjudged": True, "max_grade": 2}
    report = ranking_report(stored, y_score, **params)
    assert report.low == ranking_report(y_true, y_score, **params).low
    assert report.judgments.n_items == row.size
    frames = pd.DataFrame(y_true), pd.DataFrame(y_score)
    assert ranking_report(*frames, **params).judgments.n_items == row.size
    classes = ranking_report(["a", "b"], [[1, 2], [1, 2]], scores="mrr", unjudged=True)
    assert classes.judgments.n_items == 2
    assert classes.low == classes.mean


def test_a_report_without_unknown_labels_is_the_same(queries):
    y_true, y_score = np.nan_to_num(queries[0]), queries[1]
    params = {"scores": ["ndcg", "map", "err", "auc"], "k": [2, None], "max_grade": 2}
    plain = ranking_report(y_true, y_score, **params)
    report = ranking_report(y_true, y_score, **params, unjudged=True)
    assert report.mean == report.low == report.high == report.condensed == plain.mean
    assert set(report.judged.values()) == {1.0}


def test_reports_of_groups_and_of_other_options(queries):
    by = np.repeat(["x", "y"], 15)
    report = ranking_report(
        *queries, scores="ndcg@3", by=by, ties=True, chance=True, unjudged=True, max_grade=2,
        sample_weight=np.arange(30), n_jobs=2,
    )  # fmt: skip
    of_group = ranking_report(
        queries[0][15:], queries[1][15:], scores="ndcg@3", unjudged=True, max_grade=2,
        sample_weight=np.arange(15, 30),
    )  # fmt: skip
    assert report.by_group["group"]["y"].low == of_group.low
    assert report.worst["ndcg@3"] < report["ndcg@3"] < report.best["ndcg@3"]
    assert report.chance is not None


def test_a_report_is_saved_with_its_bounds(queries, tmp_path):
    report = ranking_report(*queries, scores="ndcg@3", unjudged=True, max_grade=2)
    report.to_json(tmp_path / "report.json")
    assert read_report(tmp_path / "report.json") == report
    assert read_report(tmp_path / "report.json").high == report.high


def test_a_report_refuses_what_has_no_bounds(queries):
    call = partial(ranking_report, *queries, unjudged=True, max_grade=2)
    for params, match in (
        ({"scores": "ranx:ndcg@10"}, "'scores'.*measure of another program"),
        ({"scores": "ndcg@3", "item_weight": np.ones((30, 12))}, "'item_weight'"),
        ({"scores": "ndcg@3", "discount": lambda rank: rank}, "'discount'"),
        ({"scores": "ndcg@3", "unjudged": 1}, "'unjudged'"),
        ({"scores": "map", "replace_undefined_by": NAN}, None),
    ):
        if match is None:
            call(**params)  # each query has relevant items that are judged
        else:
            with pytest.raises(ValueError, match=match):
                call(**params)
    with pytest.raises(ValueError, match="'max_grade'"):
        ranking_report(*queries, scores="ndcg@3", max_grade=2)


def test_a_plain_report_refuses_unknown_labels(queries):
    with pytest.raises(ValueError, match=r"'y_true'.*finite"):
        ranking_report(*queries, scores=["ndcg@3", "judged@3"])


@pytest.mark.parametrize("scores", [NAMES, "ndcg", ["ndcg@3"]])
def test_streams_have_the_bounds_of_one_report(queries, scores, tmp_path):
    y_true, y_score = queries
    params = {"max_grade": 2} if scores is not NAMES or "err@5" in scores else {}
    streams = [StreamingScore(scores, unjudged=True, **params) for _ in range(2)]
    for start in range(0, 30, 5):
        part = slice(start, start + 5)
        streams[start % 2].update(y_true[part], y_score[part])
    stream = streams[0] + streams[1]
    assert "unjudged=True" in repr(stream)
    for each in (stream, StreamingScore(scores, unjudged=True, **params).merge(stream)):
        found = each.unjudged
        report = ranking_report(y_true, y_score, scores=scores, k=None, unjudged=True, max_grade=2)
        for name in ("judged", "low", "high", "condensed"):
            expected = getattr(report, name)
            assert found[name] == (expected["ndcg"] if scores == "ndcg" else expected)
    stream.to_json(tmp_path / "stream.json")
    again = read_stream(tmp_path / "stream.json")
    assert again.unjudged == stream.unjudged
    again.update([[1.0, NAN]], [[1, 2]])
    assert again.unjudged["low"] != stream.unjudged["low"]
    with pytest.raises(ValueError, match="'other'"):
        StreamingScore(scores, **(params if "err@5" in scores else {})).merge(stream)
    with pytest.raises(ValueError, match="'other'"):
        StreamingScore(scores, unjudged=True, max_grade=3).merge(stream)


def test_dcg_which_is_never_undefined_can_be_streamed(queries):
    stream = StreamingScore(["dcg", "dcg@3"], unjudged=True, max_grade=2)
    stream.update(*queries)
    for name in ("dcg", "dcg@3"):
        bounds = score_bounds(*queries, score=name, max_grade=2)
        assert (stream.unjudged["low"][name], stream.unjudged["high"][name]) == (
            bounds.low,
            bounds.high,
        )
    rows = {"y_true": queries[0].ravel(), "y_score": queries[1].ravel()}
    rows["qid"] = np.repeat(np.arange(30), 12)
    names = {"label": "y_true", "score": "y_score", "query": "qid"}
    report = scale.report([rows], **names, scores="dcg@3", unjudged=True, max_grade=2)
    assert report.high["dcg@3"] == stream.unjudged["high"]["dcg@3"]


def test_a_stream_without_unjudged_has_nothing_of_it():
    stream = StreamingScore("ndcg")
    stream.update([[1, 0]], [[1, 2]])
    assert stream.unjudged == {}
    assert "beside" not in json.loads(stream.to_json())


def test_streams_refuse_what_has_no_bounds():
    for params, match in (
        ({"scores": "auc"}, "'replace_undefined_by'.*a number if unjudged=True"),
        ({"scores": "ranx:ndcg@10"}, "measure of another program"),
        ({"scores": "ndcg", "gain": [0, 1], "max_grade": 2}, "'max_grade'"),
        ({"scores": "ndcg", "unjudged": "yes"}, "'unjudged'"),
    ):
        with pytest.raises(ValueError, match=match):
            StreamingScore(**{"unjudged": True} | params)
    stream = StreamingScore("ndcg", unjudged=True)
    with pytest.raises(ValueError, match="'item_weight'"):
        stream.update([[1, NAN]], [[1, 2]], item_weight=[[1, 1]])


def test_parquet_files_with_null_labels(queries, tmp_path):
    pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    y_true, y_score = queries
    rows = pl.DataFrame(
        {
            "query": np.repeat(np.arange(30), 12),
            "label": pl.Series(y_true.ravel(), nan_to_null=True).cast(pl.Int8),
            "score": y_score.ravel(),
            "half": np.repeat(np.arange(30) < 15, 12),
        }
    )
    rows.write_parquet(tmp_path / "rows.parquet")
    columns = {"label": "label", "score": "score", "query": "query"}
    params = {"scores": NAMES, "k": None, "max_grade": 2}
    report = scale.report(
        tmp_path / "rows.parquet", **columns, by="half", **params, unjudged=True, batch_rows=50
    )
    expected = ranking_report(y_true, y_score, **params, unjudged=True)
    for name in ("mean", "low", "high", "condensed", "judged"):
        assert getattr(report, name) == getattr(expected, name)
    assert set(report.by_group["half"]) == {False, True}
    assert report.by_group["half"][True].low is not None
    with pytest.raises(ValueError, match="null"):
        scale.report(tmp_path / "rows.parquet", **columns, **params)
    # Each row is a query, and the labels are lists with nulls.
    lists = rows.group_by("query", maintain_order=True).agg("label", "score")
    lists.write_parquet(tmp_path / "lists.parquet")
    columns.pop("query")
    report = scale.report(tmp_path / "lists.parquet", **columns, **params, unjudged=True)
    assert report.low == expected.low


def test_list_columns_with_null_labels(queries):
    y_true, y_score = queries
    nulls = pl.Series([pl.Series(row, nan_to_null=True).cast(pl.Int64) for row in y_true])
    scores = pl.Series([pl.Series(row) for row in y_score])
    expected = ranking_report(y_true, y_score, scores="ndcg@3", unjudged=True, max_grade=2)
    kinds = [nulls, nulls.cast(pl.List(pl.Float32)), *[nulls.to_arrow] * HAS_PYARROW]
    for each in kinds:
        labels = each() if callable(each) else each
        report = ranking_report(labels, scores, scores="ndcg@3", unjudged=True, max_grade=2)
        assert report.low == expected.low
        assert report.judgments == expected.judgments
        assert judged_at_k_score(labels, scores, k=3) == judged_at_k_score(y_true, y_score, k=3)
        with pytest.raises(ValueError, match="without nulls"):
            ndcg_score(labels, scores)
    with pytest.raises(ValueError, match=r"without lists that are null\. Got 1 null"):
        judged_at_k_score(pl.Series([[1, None], None]), pl.Series([[1, 2], [2]]), k=1)
    huge = pl.Series([[2**60, None]])
    with pytest.raises(ValueError, match=r"labels up to 2\*\*53 if those that are null"):
        judged_at_k_score(huge, pl.Series([[1, 2]]), k=1)


def test_masks_and_rows(queries):
    y_true, y_score = queries
    where = np.random.default_rng(0).random(y_true.shape) < 0.8
    report = ranking_report(
        y_true, y_score, where=where, scores=NAMES, k=None, unjudged=True, max_grade=2
    )
    qid = np.repeat(np.arange(30), 12)[where.ravel()]
    rows = ranking_report(
        y_true[where], y_score[where], qid=qid, scores=NAMES, k=None, unjudged=True, max_grade=2
    )
    assert report.low == rows.low
    assert report.judged == rows.judged
    assert report.judgments == rows.judgments
    other = np.roll(y_score, 1, axis=1)
    masked = score_bounds(
        y_true, y_score, other=other, where=where, score="ndcg@3", max_grade=2, average=None
    )
    of_rows = score_bounds(
        y_true[where], y_score[where], other=other[where], qid=qid, score="ndcg@3", max_grade=2,
        average=None,
    )  # fmt: skip
    np.testing.assert_allclose(masked.low, of_rows.low, rtol=1e-12)
    np.testing.assert_allclose(masked.high, of_rows.high, rtol=1e-12)


def test_two_systems_in_lists():
    labels = pl.Series([[1.0, NAN, 0.0], [NAN, 1.0]])
    one, two = pl.Series([[3, 2, 1], [2, 1]]), pl.Series([[1, 2, 3], [1, 2]])
    bounds = score_bounds(labels, one, other=two, score="mrr", average=None)
    expected = [
        score_bounds([row], [a], other=[b], score="mrr").low
        for row, a, b in zip(labels.to_list(), one.to_list(), two.to_list(), strict=True)
    ]
    np.testing.assert_array_equal(bounds.low, expected)


def test_large_and_long_scores_of_two_systems():
    y_true = [[NAN, 1, 0]]
    one = np.array([[2**60 + 1, 2**60, 0]])
    two = np.array([[3, 2, 1]], dtype=np.longdouble)
    bounds = score_bounds(y_true, one, other=two, score="mrr")
    assert (bounds.low, bounds.high) == (0, 0)


def test_a_discount_of_ones_own_and_dcg_of_negative_labels():
    bounds = score_bounds([[-1, NAN]], [[2, 1]], score=dcg_score, discount=lambda rank: 1 / rank)
    assert (bounds.low, bounds.high) == (-1, -0.5)


def test_sparse_single_floats_are_compared_in_their_own_precision():
    y_true = sp.csr_array(np.array([[0.7, 0, 0]], dtype=np.float32))
    y_score = sp.csr_array(np.array([[3.0, 2.0, 0]]))
    bounds = score_bounds(y_true, y_score, score="mrr", relevance_threshold=0.7)
    assert bounds.low == 1


def test_reports_and_streams_know_empty_ranks():
    data = from_lists({"a": {"x": 1}}, {"a": ["x", "x", "u", "x"]}, duplicates="hold")
    report = ranking_report(data, scores="precision", k=4, unjudged=True)
    stream = StreamingScore(["precision@4"], unjudged=True)
    stream.update(data)
    for name, value in {"judged": 0.25, "low": 0.25, "high": 0.5, "condensed": 0.25}.items():
        assert getattr(report, name) == stream.unjudged[name] == {"precision@4": value}


# --- the command and pictures --------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with judgments and a run of TREC."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n", encoding="utf-8")
    lines = ["1 Q0 x 1 3 t", "1 Q0 a 2 2 t", "1 Q0 b 3 2 t", "2 Q0 c 1 3 t", "2 Q0 y 2 1 t"]
    Path("run").write_text("\n".join(lines) + "\n", encoding="utf-8")


def records_of(capsys, line):
    """Return the records that the command prints."""
    assert main([*line.split(), "--format", "json"]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    return json.loads(output)


@pytest.mark.usefixtures("folder")
def test_the_command_prints_the_bounds(capsys):
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    data = from_tables(read_qrels("qrels"), read_run("run"), **names)
    for grade, option in ((2, ""), (3, " --max-grade 3")):
        for record in records_of(capsys, f"qrels run -m ndcg@2 map bpref --unjudged{option}"):
            bounds = score_bounds(data, score=record["score"], max_grade=grade)
            assert (record["lowest"], record["highest"]) == (bounds.low, bounds.high)
            assert record["condensed"] == bounds.condensed
        bounds = score_bounds(data, score="ndcg@2", max_grade=grade, average=None)
        by_query = records_of(capsys, f"qrels run -m ndcg@2 --unjudged --by-query{option}")
        assert [each["lowest"] for each in by_query[:2]] == bounds.low.tolist()
        assert [each["highest"] for each in by_query[:2]] == bounds.high.tolist()
        assert [each["judged"] for each in by_query] == [0.5, 0.5, 0.5]
    [record] = records_of(capsys, "qrels run -m err@2 --unjudged --max-grade 2")
    assert record["highest"] == score_bounds(data, score="err@2", max_grade=2).high


@pytest.mark.usefixtures("folder")
def test_the_command_warns_in_its_own_words(capsys):
    assert main(["qrels", "run", "-m", "ndcg@2", "--unjudged", "--max-grade", "1"]) == 0
    warning = capsys.readouterr().err
    assert "warning: run: --max-grade 1 is below 2" in warning
    assert warning.rstrip().endswith("pass --max-grade 2.")


@pytest.mark.usefixtures("folder")
def test_the_command_has_judgments_of_zeros(capsys):
    Path("zeros").write_text("1 0 a 0\n2 0 c 0\n", encoding="utf-8")
    assert main(["zeros", "run", "-m", "precision@1", "--unjudged", "--format", "json"]) == 0
    output, errors = capsys.readouterr()
    assert "undefined for all queries" in errors
    [record] = json.loads(output)
    assert (record["lowest"], record["highest"]) == (0, 0.5)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("qrels run -m ranx:ndcg@10 --unjudged", "measure of another program"),
        ("qrels run -m ndcg@2 --gain 0,1,2 --max-grade 3 --unjudged", "Its labels must be"),
        ("qrels run -m ndcg@2 --max-grade 3", "--max-grade is for err"),
    ],
)
def test_what_the_command_refuses(capsys, line, match):
    assert main(line.split()) == 2
    assert match in capsys.readouterr().err


def test_the_band_in_a_plot(queries):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt

    from ranking_scores.plotting import RankingCurveDisplay

    curve = partial(
        RankingCurveDisplay.from_predictions, *queries, k=[1, 3, 5], unjudged=True, max_grade=2
    )
    display = curve()
    bounds = score_bounds(*queries, score="ndcg", k=[1, 3, 5], max_grade=2)
    np.testing.assert_array_equal(display.lowest, bounds.low)
    np.testing.assert_array_equal(display.highest, bounds.high)
    assert len(display.unjudged_band_) == 1
    texts = [each.get_text() for each in display.ax_.get_legend().get_texts()]
    assert "all labels of unjudged items" in texts
    models = {"a": queries[1], "b": -queries[1]}
    display = RankingCurveDisplay.from_predictions(
        queries[0], models, k=[1, 3], unjudged=True, max_grade=2
    )
    assert len(display.unjudged_band_) == 2
    assert np.shape(display.lowest) == (2, 2)
    for params, match in (
        ({"score": "ranx:ndcg"}, "'score'"),
        ({"unjudged": 1}, "'unjudged'"),
        ({"discount": lambda rank: rank, "ties": False}, "'discount'"),
    ):
        with pytest.raises(ValueError, match=match):
            curve(**params)
    with pytest.raises(ValueError, match=r"'lowest'.*given with `highest`"):
        RankingCurveDisplay([1], [0.5], highest=[0.7])
    with pytest.raises(ValueError, match=r"'unjudged'.*left out"):
        RankingCurveDisplay.from_cv_results({}, [[1]], [1], unjudged=True)
    plt.close("all")


def test_the_band_of_an_estimator(queries):
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt
    from sklearn.linear_model import Ridge

    from ranking_scores.plotting import RankingCurveDisplay

    y_true, y_score = queries
    qid = np.repeat(np.arange(30), 12)
    X = y_score.reshape(-1, 1)
    ridge = Ridge().fit(X, y_score.ravel())
    display = RankingCurveDisplay.from_estimator(
        ridge, X, y_true.ravel(), qid=qid, k=[2], unjudged=True, max_grade=2
    )
    assert display.lowest == score_bounds(y_true, y_score, score="ndcg@2", max_grade=2).low
    plt.close("all")
