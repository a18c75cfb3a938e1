"""Groups of queries in a report, and the tables that it is printed and returned as."""

from __future__ import annotations

import csv
import io
import re
import sys

import numpy as np
import pandas as pd
import pytest
from laws import assert_same_bits
from reported_data import QID, RNG, ROWS, Y_SCORE, Y_TRUE
from sklearn.exceptions import UndefinedMetricWarning
from warned import nothing_to_rank

from ranking_scores import ranking_report
from ranking_scores._base._results import with_error

# --- groups -------------------------------------------------------------------------------------


def test_groups_are_reported_as_their_queries_alone():
    country = np.array(["de", "fr", "us"])[RNG.integers(0, 3, 30)]
    device = RNG.integers(0, 2, 30).astype(bool)
    weights = RNG.random(30)
    params = {"ties": True, "chance": True, "k": [1, 3]}
    report = ranking_report(
        Y_TRUE,
        Y_SCORE,
        by={"country": country, "is_tv": device},
        sample_weight=weights,
        query_ids=np.arange(30),
        **params,
    )
    assert list(report.by_group) == ["country", "is_tv"]
    assert list(report.by_group["country"]) == ["de", "fr", "us"]
    assert list(report.by_group["is_tv"]) == [False, True]
    for grouping, groups in (("country", country), ("is_tv", device)):
        for group, of_group in report.by_group[grouping].items():
            rows = groups == group
            alone = ranking_report(
                Y_TRUE[rows], Y_SCORE[rows], sample_weight=weights[rows], **params
            )
            for name in ("mean", "worst", "best", "chance", "standard_error", "n_undefined"):
                assert getattr(of_group, name) == getattr(alone, name)
            assert of_group.n_queries == alone.n_queries == rows.sum()
            assert of_group.query_ids.tolist() == np.flatnonzero(rows).tolist()
            assert_same_bits(of_group.per_query["map@3"], alone.per_query["map@3"])
            assert_same_bits(of_group.sample_weight, alone.sample_weight)


def test_groups_have_the_mean_weight_of_their_own_items():
    item_weight = RNG.integers(0, 4, Y_TRUE.shape).astype(float)
    groups = np.arange(30) % 3
    y_true = Y_TRUE * (np.arange(30) % 5 > 0)[:, None]  # some queries without gain in each group
    params = {"scores": ["ndcg", "dcg"], "replace_undefined_by": 0.5}
    report = ranking_report(y_true, Y_SCORE, by=groups, item_weight=item_weight, **params)
    for group, of_group in report.by_group["group"].items():
        rows = groups == group
        alone = ranking_report(
            y_true[rows], Y_SCORE[rows], item_weight=item_weight[rows], **params
        )
        assert of_group.mean == alone.mean
        assert of_group.standard_error == alone.standard_error


@pytest.mark.parametrize(
    "groups",
    [
        QID % 3,
        (QID % 3).astype(str),
        pd.Series(QID % 3, name="group"),
        pd.Categorical((QID % 3).astype(str)),
        np.datetime64("2026-01-01", "ns") + (QID % 3).astype("timedelta64[D]"),
    ],
    ids=["int", "str", "series", "categories", "dates"],
)
def test_groups_of_rows_are_those_of_their_queries(groups):
    report = ranking_report(**ROWS, by=groups)
    [(grouping, reports)] = report.by_group.items()
    assert grouping == "group"
    for remainder, of_group in zip(range(3), reports.values(), strict=True):
        rows = remainder == QID % 3
        alone = ranking_report(**{name: values[rows] for name, values in ROWS.items()})
        assert of_group.mean == alone.mean
        assert of_group.query_ids.tolist() == alone.query_ids.tolist()
    if isinstance(groups, np.ndarray) and groups.dtype.kind == "M":
        assert list(reports) == list(np.unique(groups))


def test_a_series_gives_its_name_to_its_groups():
    report = ranking_report(Y_TRUE, Y_SCORE, by=pd.Series([1, 2] * 15, name="device"))
    assert list(report.by_group) == ["device"]


def test_a_group_whose_queries_weigh_nothing_is_nan_and_named():
    weights = np.repeat([0.0, 1.0], 15)
    with pytest.warns(UndefinedMetricWarning) as caught:
        report = ranking_report(
            Y_TRUE, Y_SCORE, scores=["ndcg@3"], sample_weight=weights, by=np.repeat(["a", "b"], 15)
        )
    assert np.isnan(report.by_group["group"]["a"]["ndcg@3"])
    assert report.by_group["group"]["b"]["ndcg@3"] == report["ndcg@3"]
    [warning] = caught
    assert str(warning.message) == (
        "ranking_report (ndcg@3 of group=a) is undefined: no query has both a weight and a "
        "defined score."
    )


# --- tables -------------------------------------------------------------------------------------


def test_the_table_is_aligned_and_80_columns_wide():
    report = ranking_report(Y_TRUE, Y_SCORE, ties=True, chance=True)
    text = repr(report)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == [
        *("mean", "standard", "error", "undefined", "worst", "best", "chance"),
    ]
    assert len({len(line) for line in lines[:7]}) == 1
    assert lines[1].split()[:2] == ["ndcg@10", f"{report['ndcg@10']:.4f}"]
    assert lines[-1] == "30 queries"


@nothing_to_rank
def test_the_tables_of_groups_are_cut_at_80_columns():
    groups = {"country of the user": [f"country {number:02}" for number in range(30)]}
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg@3"], by=groups)
    text, _, notes = repr(report).rpartition("\n\n")
    assert max(map(len, text.splitlines())) <= 80
    assert "a group has too few queries\nties matter most to ndcg@3: " in notes
    assert "country 19" in text
    assert "country 20" not in text
    assert "... and 10 more groups" in text
    shown = [line for line in text.splitlines() if line.startswith("ndcg@3")]
    (macro, *numbers) = [number for line in shown[1:] for number in re.split("  +", line)[1:]]
    assert macro == f"{report['ndcg@3']:.4f}"  # each country has one query
    worst = re.search(r"worst group of country of the user: (.*) \(ndcg@3\)", notes)[1]
    of_worst = report.by_group["country of the user"][worst]["ndcg@3"]
    assert f"{of_worst:.4f}" == min(numbers)
    by_country = list(report.by_group["country of the user"].values())[:20]
    assert numbers == [f"{of_group['ndcg@3']:.4f}" for of_group in by_country]
    assert "queries" in text.splitlines()[4]


def test_groups_are_shown_with_their_standard_errors():
    by = {"half": np.repeat(["a", "b"], 15), "all": ["c"] * 30}
    report = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg", "dcg"], k=3, by=by)
    text, html = repr(report), report._repr_html_()
    for _, _, of_group in report._reports_of_groups():
        for name, mean in of_group.items():
            # All of these errors have their first significant digit behind the point.
            error = f"{of_group.standard_error[name]:.1e}"
            decimals = 1 + int(error[-2:])
            cell = f"{mean:.{decimals}f} ± {float(error):.{decimals}f}"
            assert cell in text
            assert f"<td>{cell}</td>" in html
    line = "30 queries; mean ± standard error of each group, and macro: over groups"
    assert f"\n{line}\nworst group of half: b (ndcg@3, dcg@3)\n" in text
    *_, of_ties = text.splitlines()
    assert f"<p>{line}</p>" in html
    assert html.endswith(f"<p>{of_ties}</p>")


def test_no_group_is_the_worst_of_equal_groups():
    labels, found, by = [[2, 0], [0, 1], [2, 0]], [[2, 1]] * 3, list("aba")
    names, options = ["mrr@1", "recall@2", "AP(rel=2)"], {"replace_undefined_by": np.nan}
    with pytest.warns(UserWarning, match="map.rel=2. of group=b. is undefined"):
        report = ranking_report(labels, found, scores=names, by=by, **options)
    assert "\nworst group of group: b (mrr@1)\n" in repr(report)
    assert "worst group" not in repr(ranking_report(labels, found, scores="recall@2", by=by))


@pytest.mark.parametrize(
    ("mean", "error", "text"),
    [
        (0.15213, 0.0005472, "0.15213 ± 0.00055"),
        (0.152, 0.0005472, "0.15200 ± 0.00055"),
        (0.8155, 0.1845, "0.82 ± 0.18"),
        (0.5, 0.0996, "0.50 ± 0.10"),  # rounding makes another digit of the error
        (0.5, 0.0994, "0.500 ± 0.099"),
        (12.34, 1.25, "12.3 ± 1.2"),
        (1234.5, 67.8, "1234 ± 68"),
        (1234.5, 678.9, "1234.5000 ± 678.9000"),
        (1e9, 1.5, "1e+09 ± 1.5000"),
        (-0.001, 0.12, "0.00 ± 0.12"),
        (0.75, 0.0, "0.7500 ± 0.0000"),
        (0.75, 1.3e-7, "0.75000000 ± 0.00000013"),
        (0.75, 1.2e-12, "0.7500 ± 1.2e-12"),
        (0.75, float("inf"), "0.7500 ± inf"),
        (0.75, float("nan"), "0.7500"),
        (float("nan"), float("nan"), "nan"),
    ],
)
def test_a_mean_has_the_decimals_of_its_error(mean, error, text):
    assert with_error(mean, error) == text


def test_numbers_and_names_of_any_size_stay_readable():
    y_true = [[1e-9, 0.0], [1e300, 0.0]]
    by = {60 * "grouping": ["a name\nof two lines", 60 * "long"]}
    report = ranking_report(y_true, [[2, 1]] * 2, scores="dcg@1", by=by)
    lines = repr(report).rpartition("\n\n")[0].splitlines()
    assert lines[1].split()[:2] == ["dcg@1", "5e+299"]
    assert any(r"a name\nof two lines" in line for line in lines)
    assert max(map(len, lines)) <= 80
    assert "1e-09" in repr(report)
    one = ranking_report([[1, 0]], [[2, 1]], scores="dcg@1")
    assert repr(one).endswith("1 query")


LANGUAGE = np.array(["de", "en", "fr"])[[0] * 17 + [1] * 10 + [2] * 3]


@pytest.mark.parametrize("weight", [None, RNG.integers(1, 4, 30).astype(float)])
def test_macro_is_the_mean_of_the_means_of_groups(weight):
    report = ranking_report(
        Y_TRUE, Y_SCORE, scores=["ndcg@3", "arp"], by={"language": LANGUAGE}, sample_weight=weight
    )
    groups = report.by_group["language"]
    for name, worst_of in (("ndcg@3", min), ("arp", max)):
        macro = report.macro["language"][name]
        assert macro.mean == pytest.approx(np.mean([group[name] for group in groups.values()]))
        errors = np.array([group.standard_error[name] for group in groups.values()])
        assert macro.standard_error == pytest.approx(np.sqrt((errors**2).sum()) / 3)
        assert macro.worst == worst_of(groups, key=lambda group: groups[group][name])
        assert with_error(*macro[:2]) in repr(report)
    assert ranking_report(Y_TRUE, Y_SCORE).macro == {}


def test_macro_has_no_error_for_single_queries_and_for_clusters_of_several_groups():
    by, scores = {"language": ["it", *LANGUAGE[1:]], "same": LANGUAGE}, ["ndcg@3"]
    report = ranking_report(Y_TRUE, Y_SCORE, scores=scores, by=by)
    assert np.isnan(report.macro["language"]["ndcg@3"].standard_error)
    assert report.macro["same"]["ndcg@3"].standard_error > 0
    line = "no error of macro over language: a group has too few queries"
    assert line in repr(report).splitlines()
    clusters = np.arange(30) // 2  # the cluster 8 is of two languages
    report = ranking_report(Y_TRUE, Y_SCORE, scores=scores, by=LANGUAGE, clusters=clusters)
    assert np.isnan(report.macro["group"]["ndcg@3"].standard_error)
    line = "no error of macro over group: a cluster has several groups"
    assert line in repr(report).splitlines()
    own = np.unique(LANGUAGE, return_inverse=True)[1] * 30 + clusters
    report = ranking_report(Y_TRUE, Y_SCORE, scores=scores, by=LANGUAGE, clusters=own)
    assert report.macro["group"]["ndcg@3"].standard_error > 0
    assert "no error" not in repr(report)


def test_macro_is_undefined_if_a_group_is():
    y_true = Y_TRUE * (LANGUAGE != "fr")[:, None]
    with pytest.warns(UndefinedMetricWarning, match="map of group=fr"):
        report = ranking_report(
            y_true, Y_SCORE, scores="map", k=None, by=LANGUAGE, replace_undefined_by=np.nan
        )
    macro = report.macro["group"]["map"]
    assert np.isnan(macro.mean)
    assert macro.worst is None
    assert re.search(r"\nmap +nan +\d", repr(report))
    assert "no error of macro over group: a group has no mean" in repr(report)


@nothing_to_rank
def test_html_is_escaped():
    scores = {"<b>": "ndcg@3"}
    by = {"<i>&": ["<script>"] * 30}
    html = ranking_report(Y_TRUE, Y_SCORE, scores=scores, by=by)._repr_html_()
    assert "&lt;b&gt;@3" in html
    assert "&lt;i&gt;&amp;" in html
    assert "&lt;script&gt;" in html
    assert not re.search(r"<(b|i|script)>", html)
    many = ranking_report(Y_TRUE, Y_SCORE, scores="ndcg@3", by=np.arange(30))._repr_html_()
    assert "... and 10 more groups" in many


@nothing_to_rank
def test_a_report_is_written_as_csv_markdown_and_html():
    report = ranking_report(
        **ROWS, scores=["ndcg", "arp"], k=[1, 3], by={"a|b": QID % 2}, ties=True
    )
    rows = [*csv.reader(io.StringIO(report.to_csv()))]
    summary = report.summary_frame().reset_index()
    assert rows == [[*summary], *([*map(str, row)] for row in summary.to_numpy().tolist())]
    alone = report.by_group["a|b"][0]
    assert alone.to_csv().splitlines()[1].startswith(f"ndcg@1,{alone['ndcg@1']!r},")
    parts = report.to_markdown().split("\n\n")
    assert [part.partition("\n")[0] for part in parts] == [
        "|  | mean | standard error | undefined | worst | best |",
        r"| a\|b | macro | 0 | 1 |",
        f"- {report.n_queries} queries; mean ± standard error of each group, "
        "and macro: over groups",
        r"- worst group of a\|b: 0 (ndcg@1, ndcg@3, arp)",
    ]
    assert f"| `ndcg@1` | {report['ndcg@1']:.4f} |" in parts[0]
    assert report.to_html() == report._repr_html_()


def test_frames():
    by = {"parity": QID % 2}
    report = ranking_report(**ROWS, scores=["ndcg", "arp"], k=[1, 3], by=by, ties=True)
    frame = report.to_frame()
    assert list(frame.columns) == ["parity", "ndcg@1", "ndcg@3", "arp"]
    assert frame.index.tolist() == report.query_ids.tolist()
    assert frame.index.name == "query"
    assert frame["ndcg@3"].tolist() == report.per_query["ndcg@3"].tolist()
    assert frame["parity"].tolist() == (report.query_ids % 2).tolist()
    summary = report.summary_frame()
    assert list(summary.columns) == ["mean", "standard_error", "n_undefined", "worst", "best"]
    assert summary.index.names == ["grouping", "group", "score"]
    assert summary.loc[("", "", "ndcg@3"), "mean"] == report["ndcg@3"]
    of_group = report.by_group["parity"][1]
    assert summary.loc[("parity", 1, "arp"), "best"] == of_group.best["arp"]
    plain = ranking_report(Y_TRUE, Y_SCORE, scores=["ndcg", "arp"], k=[1, 3])
    assert plain.to_frame().index.tolist() == list(range(30))
    assert plain.summary_frame().index.tolist() == ["ndcg@1", "ndcg@3", "arp"]
    assert plain.summary_frame().loc["arp", "standard_error"] == plain.standard_error["arp"]


@pytest.mark.parametrize("method", ["to_frame", "summary_frame"])
def test_frames_need_pandas(monkeypatch, method):
    report = ranking_report(Y_TRUE, Y_SCORE)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=f"RankingReport.{method} needs pandas. Install it"):
        getattr(report, method)()
