"""What changed between two reports: numbers of compare_all, verdicts, and how it prints."""

from __future__ import annotations

import html
import math
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning
from two_reports import (
    DEVICE,
    IDS,
    N_QUERIES,
    NAN,
    NEW,
    OLD,
    TOPIC,
    WEIGHT,
    Y_TRUE,
    random_data,
    report,
    report_of_values,
)

from ranking_scores import average_relevant_position, ranking_report
from ranking_scores.significance import Changes, changes, compare, compare_all

WIDTH = 100
OF_ROW = ("difference", "low", "high", "pvalue", "draws", "n_queries", "n_dropped", "test")


def bits(values):
    return np.array(values, dtype=np.float64).view(np.int64).tolist()


def numbers_of(row):
    """Return the numbers of a row of changes that a comparison has, too."""
    return [getattr(row, key) for key in OF_ROW]


# Rows.


@pytest.mark.parametrize("test", ["auto", "t", "permutation", "bootstrap"])
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"sample_weight": WEIGHT},
        {"clusters": TOPIC},
        {"replace_undefined_by": NAN},
        {"query_ids": None},
    ],
    ids=["plain", "weights", "clusters", "undefined", "no ids"],
)
def test_the_numbers_are_those_of_compare_all_to_the_last_bit(params, test):
    old, new = report(OLD, **params), report(NEW, **params)
    settings = {"test": test, "random_state": 1, "n_resamples": 999, "confidence_level": 0.9}
    found = changes(new, old, **settings)
    expected = compare_all({"old": old, "new": new}, correction=None, **settings)
    assert tuple(found.scores) == expected.metrics
    for row, comparison in zip(found.scores.values(), expected, strict=True):
        assert numbers_of(row) == numbers_of(comparison)
        assert (row.wins, row.losses) == (comparison.wins, comparison.losses)
        assert row.pvalue_uncorrected == row.pvalue
    of_groups = compare_all({"old": old, "new": new}, correction="holm", by=DEVICE, **settings)
    for place, comparison in enumerate(of_groups):
        row = found.by_group["device"][comparison.group][comparison.metric]
        assert numbers_of(row) == numbers_of(comparison)
        assert row.pvalue_uncorrected == of_groups.pvalue_uncorrected[place]


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["equal", "weights"])
def test_means_are_those_of_the_report_if_all_queries_have_the_score(weight):
    old, new = report(OLD, sample_weight=weight), report(NEW, sample_weight=weight)
    found = changes(new, old)
    for name, row in found.scores.items():
        assert bits([row.before, row.now]) == bits([old[name], new[name]])
    for group, of_group in old.by_group["device"].items():
        for name, row in found.by_group["device"][group].items():
            assert bits([row.before]) == bits([of_group[name]])


def test_means_are_over_the_queries_that_have_the_score_in_both_reports():
    old, new = report_of_values([0.5, NAN, 0.1, 0.4]), report_of_values([0.7, 0.2, NAN, 0.8])
    row = changes(new, old).scores["ndcg"]
    assert (row.before, row.now) == (np.mean([0.5, 0.4]), np.mean([0.7, 0.8]))
    assert row.difference == pytest.approx(row.now - row.before, abs=1e-15)
    assert (row.n_queries, row.n_dropped) == (2, 2)


def test_wins_are_queries_that_got_better_if_lower_is_better():
    higher, lower = [5.0, 4.0, 3.0, 2.0, 2.0, 1.5], [1.0, 1.0, 1.0, 1.0, 2.0, 2.0]
    old, new = (report_of_values(each, average_relevant_position) for each in (higher, lower))
    [(name, row)] = changes(new, old).scores.items()
    expected = compare(old, new)
    assert (row.wins, row.draws, row.losses) == (4, 1, 1)
    assert (expected.wins, expected.losses) == (row.losses, row.wins)
    assert (row.difference, row.low, row.high) == (
        expected.difference,
        expected.low,
        expected.high,
    )
    assert row.difference < 0
    assert row.verdict == ("better" if row.pvalue <= 0.05 else "no clear change")
    found = changes(new, old, confidence_level=0.8)
    assert found.scores[name].verdict == "better"
    assert changes(old, new, confidence_level=0.8).scores[name].verdict == "worse"
    assert [each.query for each in found.won[name]] == [0, 1, 2, 3]
    assert [each.query for each in found.lost[name]] == [5]
    assert f"lower is better: {name}" in str(found)


def test_p_values_of_groups_are_holms_of_each_group_alone():
    clusters = np.arange(N_QUERIES) // 5  # of which each has queries of all groups
    old, new = report(OLD, clusters=clusters), report(NEW, clusters=clusters)
    found = changes(new, old, test="t")
    for name in old:
        alone = {}
        for group in np.unique(DEVICE):
            own = group == DEVICE
            a, b = (each.per_query[name][own] for each in (old, new))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                alone[group] = compare(a, b, clusters=clusters[own], test="t")
        pvalues = sorted(each.pvalue for each in alone.values())
        highest = 0.0
        corrected = {}
        for place, pvalue in enumerate(pvalues):
            highest = max(highest, min(1.0, pvalue * (len(pvalues) - place)))
            corrected[pvalue] = highest
        for group, expected in alone.items():
            row = found.by_group["device"][group][name]
            assert row.pvalue_uncorrected == expected.pvalue
            assert row.pvalue == pytest.approx(corrected[expected.pvalue], rel=1e-12)


def test_each_grouping_is_corrected_alone():
    by = {"device": DEVICE, "half": np.arange(N_QUERIES) % 2}
    old, new = report(OLD, by=by), report(NEW, by=by)
    found = changes(new, old)
    assert list(found.by_group) == ["device", "half"]
    assert list(found.by_group["half"]) == [0, 1]
    expected = changes(report(NEW, by={"half": by["half"]}), report(OLD, by={"half": by["half"]}))
    assert found.by_group["half"] == expected.by_group["half"]


STEPS = [0.1, 0.2, 0.3, 0.2, 0.1, 0.3]


@pytest.mark.parametrize(
    ("old", "new", "verdict", "reason"),
    [
        (
            [0.1] * 6,
            np.add(0.1, STEPS),
            "better",
            r"p = 0\.00\d\d is at most 0\.05, paired t test",
        ),
        (np.add(0.1, STEPS), [0.1] * 6, "worse", r"p = 0\.00\d\d is at most 0\.05, paired t test"),
        (STEPS, STEPS[::-1], "no clear change", r"p = 1\.0000 is above 0\.05, paired t test"),
        (STEPS, STEPS, "unchanged", "6 queries, none of which changed"),
        ([0.3], [0.3], "unchanged", "1 query, none of which changed"),
        ([0.3], [0.4], "not tested", "fewer than two queries have the score in both reports"),
        ([NAN, 0.1], [0.2, NAN], "not tested", "fewer than two queries .*"),
        ([0, 1, 0, 1], [0, 1, 1, 1], "no clear change", "p = 0.5000 .*, McNemar's mid-p test"),
    ],
)
def test_verdicts_and_what_they_rest_on(old, new, verdict, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = changes(report_of_values(new), report_of_values(old))
    row = found.scores["ndcg"]
    assert row.verdict == verdict
    assert str(row).endswith(f"\n\n{verdict}: {row.reason}")
    assert re.fullmatch(reason, row.reason), row.reason
    assert str(found).startswith(f"{verdict}: ndcg\n")


def test_too_few_clusters_are_said():
    old, new = (report_of_values(each, clusters=["a"] * 6) for each in (STEPS, STEPS[::-1]))
    with pytest.warns(UndefinedMetricWarning) as caught:
        row = changes(new, old).scores["ndcg"]
    assert len(caught) == 1
    assert row.reason == "fewer than two clusters have the score in both reports"


def test_no_verdict_if_mean_and_ranks_disagree():
    difference = np.array([0.01] * 19 + [-0.9])
    old, new = report_of_values([0.9] * 20), report_of_values(0.9 + difference)
    row = changes(new, old, test="wilcoxon").scores["ndcg"]
    assert row.pvalue <= 0.05
    assert row.difference < 0
    assert row.verdict == "no clear change"
    assert "but mean and ranks point to different sides" in row.reason


def test_no_verdict_if_the_mean_moved_to_the_other_side():
    old, new = report_of_values([0.5] * 61), report_of_values([0.3] * 40 + [0.9] * 21)
    with pytest.warns(UserWarning, match=r"changes \(new - old, ndcg\): the mean is not in the"):
        row = changes(new, old, test="betting").scores["ndcg"]
    assert row.pvalue <= 0.05
    assert row.difference > 0
    assert row.verdict == "no clear change"
    assert "betting test, but mean and earlier queries point to different sides" in row.reason


def test_the_level_decides():
    old, new = report(OLD), report(NEW)
    for name, row in changes(new, old).scores.items():
        for level in (1 - 1.01 * row.pvalue, 1 - 0.99 * row.pvalue):
            found = changes(new, old, confidence_level=level)
            is_clear = found.scores[name].verdict == "better"
            assert is_clear == (row.pvalue <= 1 - level)


# The queries that lost and won most.


def brute_force(old, new, ids, n):
    """Return the ids of the queries that lost most, and that won most."""
    rows = [
        (b - a, each) for a, b, each in zip(old, new, ids, strict=True) if not math.isnan(b - a)
    ]
    lost = sorted((row for row in rows if row[0] < 0), key=lambda row: (round(row[0], 9), row[1]))
    won = sorted((row for row in rows if row[0] > 0), key=lambda row: (-round(row[0], 9), row[1]))
    return [each for _, each in lost[:n]], [each for _, each in won[:n]]


@pytest.mark.parametrize("n", [0, 1, 7, 100])
@pytest.mark.parametrize("undefined", [0.0, NAN])
def test_the_listed_queries_are_those_that_changed_most(n, undefined):
    old, new = (report(each, replace_undefined_by=undefined) for each in (OLD, NEW))
    found = changes(new, old, n=n)
    for name in old:
        lost, won = brute_force(old.per_query[name], new.per_query[name], IDS.tolist(), n)
        assert [each.query for each in found.lost[name]] == lost
        assert [each.query for each in found.won[name]] == won
        for each in (*found.lost[name], *found.won[name]):
            place = IDS.tolist().index(each.query)
            a, b = old.per_query[name][place], new.per_query[name][place]
            assert (each.before, each.now, each.difference) == (a, b, b - a)
            assert each.groups == {"device": DEVICE[place]}
            assert each.left is each.came_in is None


def test_differences_that_only_rounding_tells_apart_are_in_the_order_of_ids():
    before, now = [0.1, 0.7, 0.3, 0.5], [0.3, 0.9, 0.5, 0.7]
    assert len(set(np.subtract(now, before))) > 1
    ids = ["d", "b", "c", "a"]
    old, new = (report_of_values(each, query_ids=ids) for each in (before, now))
    found = changes(new, old, test="permutation")
    assert [each.query for each in found.won["ndcg"]] == ["a", "b", "c", "d"]


def test_ids_without_an_order_are_in_the_order_of_the_report():
    ids = np.array(["b", 2, "a", 1], dtype=object)
    old, new = (report_of_values(each, query_ids=IDS[:4]) for each in ([0.1] * 4, [0.2] * 4))
    for each in (old, new):
        vars(each)["query_ids"] = ids
    with pytest.warns(UserWarning, match="all differences are equal"):
        found = changes(new, old)
    assert [each.query for each in found.won["ndcg"]] == ids.tolist()


def test_dates_are_ids():
    ids = np.array(["2024-01-02", "2024-01-01", "2024-01-03"], "M8[D]")
    old, new = (
        report_of_values(each, query_ids=ids) for each in ([0.1, 0.2, 0.3], [0.4, 0.3, 0.2])
    )
    found = changes(new, old)
    assert [each.query for each in found.won["ndcg"]] == [ids[0], ids[1]]
    assert "2024-01-02" in str(found)


# What it looks like.


@pytest.fixture
def found():
    """Return changes of several scores with groups and data."""
    judged, _, data_old = random_data(1)
    _, _, data_new = random_data(2, judged=judged)
    by = {each: "tv" if each < "q4" else "a|b <c>" for each in judged}
    params = {"scores": ["ndcg", "mrr", "precision"], "k": 3, "by": {"device": by}}
    old, new = ranking_report(data_old, **params), ranking_report(data_new, **params)
    return changes(new, old, data_old=data_old, data_new=data_new)


def test_text_fits_on_a_line(found):
    wide = changes(
        report(NEW, scores=["precision", "ndcg"]), report(OLD, scores=["precision", "ndcg"])
    )
    for each in (found, wide):
        assert max(map(len, str(each).splitlines())) <= WIDTH
    old, new = (
        report_of_values(each, query_ids=["long " * 30, "b", "c"], by=["x " * 40, "y", "y"])
        for each in ([0.1, 0.2, 0.9], [0.9, 0.3, 0.1])
    )
    with pytest.warns(UndefinedMetricWarning):
        text = str(changes(new, old))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "long long long long long..." not in text.splitlines()[0]
    assert "..." in text


def test_text_marks_groups_with_a_verdict():
    far = np.where(DEVICE == "tv", 1.0, 0.0)[:, np.newaxis] * Y_TRUE * 9
    text = str(changes(report(OLD + far), report(OLD)))
    assert re.search(r"ndcg@3      tv .*\*", text)
    assert not re.search(r"ndcg@3      pc .*\*", text)
    assert "* better: ndcg@3 of tv" in text
    assert "no clear change in any group" in str(changes(report(OLD), report(OLD)))


def test_frames(found):
    frame = found.to_frame()
    assert frame.index.names == ["grouping", "group", "score"]
    assert len(frame) == 3 + 3 * 2
    row = found.by_group["device"]["tv"]["mrr@3"]
    in_frame = frame.loc[("device", "tv", "mrr@3")]
    assert row.score == "mrr@3"
    assert in_frame.to_dict() == {
        name: each for name, each in vars(row).items() if name != "score"
    }
    assert frame.loc[("", "", "ndcg@3"), "verdict"] == found.scores["ndcg@3"].verdict
    plain = changes(report(NEW, by=None), report(OLD, by=None)).to_frame()
    assert list(plain.index) == ["ndcg@3", "hit_rate@3", "map@3"]
    assert plain.index.name == "score"
    queries = found.queries_frame()
    listed = sum(len(each) for side in (found.lost, found.won) for each in side.values())
    assert len(queries) == listed
    first = queries.iloc[0]
    expected = found.lost["ndcg@3"][0]
    assert (first.score, first.side, first["query"]) == ("ndcg@3", "lost", expected.query)
    assert (first.difference, first.left, first.came_in, first.device) == (
        expected.difference,
        expected.left,
        expected.came_in,
        expected.groups["device"],
    )


def test_a_grouping_with_the_name_of_a_column_keeps_both():
    old, new = (
        report_of_values(each, query_ids=["a", "b", "c", "d"], by={"query": [1, 1, 2, 2]})
        for each in ([0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.9, 0.2])
    )
    frame = changes(new, old).queries_frame()
    assert frame["query"].tolist() == ["d", "b", "c", "a"]
    assert frame["query (group)"].tolist() == [2, 1, 2, 1]


def test_html_escapes_names(found):
    by = {"<i>": DEVICE}
    assert "<b>by &lt;i&gt;</b>" in changes(report(NEW, by=by), report(OLD, by=by))._repr_html_()
    text = found._repr_html_()
    assert "<c>" not in text
    assert text.count("<table>") == found.to_markdown().count("\n| ---")
    assert html.escape("a|b <c>") in text
    assert "<b>by device</b>" in text
    assert found.scores["ndcg@3"].verdict in text


def test_markdown_has_tables_whose_rows_all_have_the_same_cells(found):
    text = found.to_markdown()
    assert "`a\\|b <c>`" in text
    assert "**by `device`**" in text
    tables = re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE)
    assert len(tables) >= 4
    for table in tables:
        head, rule, *body = table.splitlines()
        n_cells = len(re.findall(r"(?<!\\)\|", head))
        assert body
        assert all(len(re.findall(r"(?<!\\)\|", row)) == n_cells for row in [rule, *body])
        assert set(rule.strip("| ").split(" | ")) <= {"---", "---:"}
    assert text.endswith("```")
    assert "| `ndcg@3` |" in text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a|b", "`a\\|b`"),
        ("a\\|b", "<code>a&#92;&#124;b</code>"),
        ("a`b", "<code>a&#96;b</code>"),
        ("@you *x*", "`@you *x*`"),
    ],
)
def test_names_in_markdown_are_code(name, expected):
    ids = [name, "b", "c"]
    old, new = (
        report_of_values(each, query_ids=ids) for each in ([0.1, 0.2, 0.9], [0.9, 0.3, 0.2])
    )
    assert f"| {expected} |" in changes(new, old).to_markdown()


def test_notes_of_comparisons_are_escaped_in_html():
    systems = {"a": pd.DataFrame({"<b>": STEPS, "<i>": STEPS}), "b": pd.DataFrame()}
    systems["b"] = systems["a"] + 0.1 * np.array([1, 2, 3, 1, 2, -30])[:, np.newaxis]
    found = compare_all(systems, test="wilcoxon", correction=None, confidence_level=0.5)
    assert "<b>" in str(found)
    assert "<b>" not in found._repr_html_()


def test_long_tables_say_how_many_rows_are_missing():
    rng = np.random.default_rng(0)
    before, now = rng.random((2, 200))
    old, new = report_of_values(before), report_of_values(now)
    found = changes(new, old, n=60)
    for text in (str(found), found.to_markdown(), found._repr_html_()):
        assert text.count("... and 20 more rows") == 2
    assert len(found.lost["ndcg"]) == 60


def test_results_are_equal_if_all_values_are_and_cannot_be_changed(found):
    assert found == pickle.loads(pickle.dumps(found))
    assert isinstance(found, Changes)
    assert changes(report(NEW), report(OLD)) == changes(report(NEW), report(OLD))
    assert changes(report(NEW), report(OLD)) != changes(report(OLD), report(NEW))
    assert found != 1
    with pytest.raises(TypeError, match="read-only"):
        found.scores["ndcg@3"] = None
    with pytest.raises(TypeError, match="holds what was computed"):
        Changes()
    with pytest.raises(ValueError, match="read-only"):
        found.only_old[...] = 1


# Parameters.


@pytest.mark.parametrize(
    ("params", "parameter", "expected", "got"),
    [
        ({"n": -1}, "n", "an int of at least 0", "-1"),
        ({"n": True}, "n", "an int of at least 0", "True"),
        ({"n": 2.0}, "n", "an int of at least 0", "2.0"),
        ({"queries": "all"}, "queries", "'equal' or 'both'", "'all'"),
        ({"test": "z"}, "test", "'auto'", "'z'"),
        ({"confidence_level": 2.5}, "confidence_level", "a number between 0 and 1", "2.5"),
        ({"n_resamples": 3, "test": "bootstrap"}, "n_resamples", "an int of at least 39", "3"),
        ({"random_state": "a"}, "random_state", "None, an int", "'a'"),
    ],
)
def test_parameters_are_checked(params, parameter, expected, got):
    with raises(parameter, expected, function="changes", got=got):
        changes(report(NEW), report(OLD), **params)
