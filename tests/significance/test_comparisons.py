"""What a comparison is: its table, its frames, equality, and copies."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from paired_scores import N_QUERIES, NAN, QUERIES, SYSTEMS, A, B, C, reports
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores._base._results import are_equal
from ranking_scores.gates import check
from ranking_scores.significance import audit, changes, compare, compare_all, confidence_interval

X = np.array([0.9, 0.2, 0.5, 0.4, 0.7, NAN, 0.3, 0.8])
Y = np.array([1, 0.3, 0.5, 0.6, 0.8, 0, 0.4, 0.7])


def test_a_comparison_is_shown_as_a_table():
    found = compare(X, Y)
    assert repr(found) == (
        "       difference      low    high  p-value  effect size  wins  draws  losses\n"
        "b - a      0.0714  -0.0165  0.1594   0.0941       0.7509     5      1       1\n"
        "\n"
        "7 queries, 1 left out\n"
        "paired t test; 95 % interval\n"
        "80 % power for a difference of 0.1210"
    )
    html = found._repr_html_()
    assert html.startswith("<table><thead><tr><th></th><th>difference</th>")
    assert "<tr><th>b - a</th><td>0.0714</td>" in html
    assert "<p>7 queries, 1 left out</p>\n<p>paired t test; 95 % interval</p>" in html
    one_sided = compare(X, Y, alternative="greater", confidence_level=0.99, test="wilcoxon")
    assert "Wilcoxon's test, alternative 'greater'; 99 % interval" in repr(one_sided)
    assert repr(one_sided).endswith("\n80 % power of the t test for a difference of 0.1486")
    assert "interval without an upper limit\nthe interval is that of the t test, and " in repr(
        one_sided
    )
    both = reports(k=3)
    row = repr(next(iter(compare_all(both, random_state=0))))
    assert "\ndense - bm25, ndcg@3  " in row
    assert "p-values corrected by max-T; simultaneous 95 % interval\np-values: sign-flip" in row
    assert "\n80 % power of the uncorrected t test for a difference of " in row
    row = repr(compare_all(both, correction="holm")[0])
    assert "corrected by Holm; 95 % interval, not corrected\n80 % power of the uncorr" in row
    with pytest.warns(UndefinedMetricWarning, match="fewer than two queries"):
        assert "\n1 query\n" in repr(compare([0.1], [0.2]))


def test_comparisons_are_shown_as_a_table():
    found = compare_all({"x": X, "y": Y, "z": Y[::-1] + 0.01}, correction="holm")
    assert repr(found) == (
        "       difference      low    high  p-value  effect size  wins  draws  losses\n"
        "y - x      0.0714  -0.0165  0.1594   0.2824       0.7509     5      1       1\n"
        "z - x      0.0100  -0.2675  0.2875   1.0000       0.0333     4      0       3\n"
        "z - y      0.0100  -0.2691  0.2891   1.0000       0.0300     4      0       4\n"
        "\n"
        "7 to 8 queries, 0 to 1 left out\n"
        "paired t test, p-values corrected by Holm; 95 % intervals, not corrected\n"
        "no difference is significant: no p-value is at most 0.05"
    )
    html = found._repr_html_()
    assert html.count("<tr>") == 4
    assert "corrected by Holm; 95 % intervals, not corrected</p>" in html
    by_max_t = repr(compare_all({"x": X, "y": Y}))
    assert (
        "\np-values corrected by max-T; simultaneous 95 % intervals\n"
        "p-values: sign-flip permutation test; exact if systems are exchangeable on each query\n"
        "intervals: flips of centred differences, asymptotic\n"
    ) in by_max_t
    by_bh = repr(compare_all({"x": X, "y": Y}, correction="bh"))
    assert "corrected by Benjamini and Hochberg; 95 % intervals, not corrected\n" in by_bh
    assert "\n7 queries, 1 left out\n" in by_bh


@pytest.mark.filterwarnings("ignore:compare .b - a.:UserWarning")
def test_counts_of_groups_and_of_one_cluster_read_well():
    found = compare_all({"x": A[:9], "y": B[:9]}, by=[0] * 4 + [1] * 5, correction=None)
    assert "\n4 to 5 queries\n" in repr(found)
    found = compare(A[:9], B[:9], clusters=[0] * 9)
    assert "\n9 queries, 1 cluster, effectively 1\n" in repr(found)


def test_significant_differences_are_marked():
    found = compare_all({"x": X, "y": Y, "z": X - 0.2 + Y / 100}, correction="bh")
    assert repr(found) == (
        "       difference      low     high     p-value  effect size  wins  draws  losses\n"
        "y - x      0.0714  -0.0165   0.1594     0.0941        0.7509     5      1       1\n"
        "z - x     -0.1939  -0.1961  -0.1916   2.18e-12*     -80.4288     0      0       7\n"
        "z - y     -0.2653  -0.3534  -0.1772  0.0004808*      -2.7844     0      0       7\n"
        "\n"
        "7 queries, 1 left out\n"
        "paired t test, p-values corrected by Benjamini and Hochberg; 95 % intervals, not "
        "corrected\n"
        "* significant: the p-value is at most 0.05"
    )
    assert "<td>2.18e-12*</td>" in found._repr_html_()
    assert "*" not in repr(found[1])  # a row of its own shows no mark, as `compare` shows none


def test_the_family_of_a_correction_is_shown():
    two = {name: np.column_stack([each, each**2]) for name, each in (("x", A), ("y", B))}
    for correction, name in (("max-t", "max-T"), ("holm", "Holm")):
        for family, words in (("metric", "within each metric"), ("all", "over all metrics")):
            found = compare_all(two, correction=correction, family=family, random_state=0)
            assert f"p-values corrected by {name} {words}; " in repr(found)
            assert words not in repr(found[0])
            alone = compare_all({"x": A, "y": B}, correction=correction, family=family)
            assert f"p-values corrected by {name}; " in repr(alone)  # there is one metric
    assert "\npaired t test, p-values not corrected; 95 %" in repr(
        compare_all(two, correction=None)
    )
    alone = compare_all({"x": A, "y": B}, correction=None)
    assert "\npaired t test; 95 % intervals\n" in repr(alone)


def test_names_of_several_lines_are_shown_in_one():
    systems = {"old\n model": A, "new": B}
    lines = repr(compare_all(systems, correction=None)).splitlines()
    assert lines[1].startswith(r"new - old\n model ")
    frame = pd.DataFrame({"nDCG\nat 10": A, "MAP": B})
    assert repr(confidence_interval(frame, method="t")).splitlines()[1].startswith(r"nDCG\nat 10 ")
    text = repr(
        compare_all({"a": frame, "b": frame[::-1].reset_index(drop=True)}, correction="bh")
    )
    assert "\nb - a  nDCG\\nat 10 " in text


INFINITE = "an infinite limit means that the queries are too few, or too much alike, to find one"


def test_infinite_limits_are_explained():
    few = {"a": A[:3], "b": B[:3], "c": C[:3]}
    for found in (
        compare(A[:5], B[:5], test="permutation"),
        compare(A[:4], B[:4], test="permutation", alternative="greater"),
        compare_all(few),
        compare_all(few)[1],
    ):
        assert INFINITE in found._notes()
        assert f"\n{INFINITE}" in repr(found)
    for side, end in (("greater", "upper"), ("less", "lower")):
        text = repr(compare(A[:9], B[:9], test="permutation", alternative=side))
        assert INFINITE not in text
        assert f"{side!r}; 95 % interval without {'an' if end == 'upper' else 'a'} {end} " in text


def test_metrics_have_a_column():
    text = repr(compare_all(reports(), random_state=0))
    assert text.startswith("              metric  difference ")
    assert "\ndense - bm25  ndcg@1  " in text
    assert "<th>metric</th>" in compare_all(reports(), random_state=0)._repr_html_()


def test_a_long_table_is_cut():
    many = {f"s{number}": A**number for number in range(10)}
    found = compare_all(many, correction=None)
    lines = repr(found).splitlines()
    assert len(found) == 45
    assert lines[40:43] == [lines[40], "... and 5 more rows", ""]
    assert lines[40].startswith("s7 - s6")
    assert "<p>... and 5 more rows</p>" in found._repr_html_()


def test_an_interval_is_shown_as_a_table():
    scores = np.column_stack([X, Y])
    assert repr(confidence_interval(scores, method="t")) == (
        "            mean     low    high  standard error  queries  undefined\n"
        "column 0  0.5429  0.2990  0.7867          0.0997        7          1\n"
        "column 1  0.5375  0.2772  0.7978          0.1101        8          0\n"
        "\n"
        "95 % intervals: Student's t"
    )
    html = confidence_interval(X, method="percentile", random_state=0)._repr_html_()
    assert html.startswith("<table><thead><tr><th></th><th>mean</th>")
    assert html.endswith("<p>95 % intervals: percentile bootstrap</p>")


def test_frames():
    frame = compare_all(reports(), baseline="bm25", random_state=0).to_frame()
    numbers = ["difference", "low", "high", "pvalue", "effect_size", "wins", "draws", "losses"]
    more = ["direction", "detectable_difference", "n_queries", "n_effective", "n_dropped"]
    names = ["system_a", "system_b", "metric"]
    assert list(frame.columns) == [*names, *numbers, "pvalue_uncorrected", *more]
    assert frame["metric"].tolist() == ["ndcg@1", "ndcg@3"]
    assert "metric" not in compare_all(SYSTEMS, correction=None).to_frame()
    frame = compare(X, Y).to_frame()
    assert list(frame.columns) == [*numbers, *more]
    assert frame.index.tolist() == ["b - a"]
    assert frame.loc["b - a", "n_dropped"] == 1
    frame = confidence_interval(np.column_stack([X, Y]), method="t").to_frame()
    assert frame.index.tolist() == ["column 0", "column 1"]
    assert frame.loc["column 0", "n_undefined"] == 1
    assert frame["method"].tolist() == ["t", "t"]


@pytest.mark.parametrize("name", ["Comparison", "Comparisons", "ConfidenceInterval"])
def test_frames_need_pandas(monkeypatch, name):
    results = [compare(X, Y), compare_all({"x": X, "y": Y}), confidence_interval(X, method="t")]
    [result] = [each for each in results if type(each).__name__ == name]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=f"^{name}.to_frame needs pandas. Install it, or use"):
        result.to_frame()


def results():
    """Return results of all kinds, with arrays, ids and NaN."""
    of_reports = compare_all(reports(query_ids=[f"q{n}" for n in range(12)]), random_state=0)
    return [
        compare(X, Y),
        compare_all(SYSTEMS, random_state=0),
        of_reports,
        of_reports[0],
        confidence_interval(X, method="t"),
        confidence_interval(np.column_stack([X, np.full(8, NAN)]), method="t"),
    ]


@pytest.mark.filterwarnings("ignore:.*undefined")
def test_results_are_equal_if_all_their_values_are():
    for number, (one, same) in enumerate(zip(results(), results(), strict=True)):
        assert one == same
        assert [each == one for each in results()].count(True) == 1
        assert (one != "text", one != same) == (True, False)
        for name in vars(one).keys() - {"_families"}:  # which has the seed
            other = copy.copy(same)
            vars(other)[name] = "another"
            assert one != other, (number, name)
            message = f"^A {type(one).__name__} holds what was computed, so its values cannot be "
            with pytest.raises(TypeError, match=message):
                dataclasses.replace(same, **{name: "another"})
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)


@pytest.mark.filterwarnings("ignore:compare .*undefined")
def test_json_takes_results_about_one_score_as_dicts():
    hits, model = np.arange(N_QUERIES) % 3 == 0, pd.Series(A, map(str, range(N_QUERIES)))
    people = model[:25] * 0.9
    units = {"clusters": np.arange(N_QUERIES) // 2, "sample_weight": np.arange(N_QUERIES) % 4}
    by_people = compare(model, pd.Series(B, model.index), human=(people, people**2))
    of_mean = confidence_interval(model, human=people)
    old, new = reports(query_ids=QUERIES).values()
    gate = check(new, old, max_drop={"ndcg@1": 0.1})
    for found in (
        compare(A, B),
        compare(A, B * NAN),
        compare(A, B, margin=0.1),
        compare(A, B, **units),
        compare(hits, ~hits, margin=0.1),
        compare_all(SYSTEMS, by=np.arange(N_QUERIES) % 2, random_state=0)[0],
        *(by_people, by_people.human),
        *(confidence_interval(A), confidence_interval(hits), confidence_interval(A, **units)),
        *(of_mean, of_mean.human),
        *(gate, gate[0], changes(new, old).scores["ndcg@1"]),
        audit(0.43, 50, baseline=0.41),
    ):
        loaded = json.loads(json.dumps(dataclasses.asdict(found)))
        assert [*loaded] == [each.name for each in dataclasses.fields(found)]
        for key, value in vars(found).items():
            assert not isinstance(value, (int, float)) or are_equal(loaded[key], value)


def test_comparisons_of_other_values_per_query_differ():
    a, b, rows = np.zeros(4), np.array([0.1, 0.2, 0.3, 0.4]), [0, 1, 3, 2]
    one, other = (compare_all({"a": a, "b": each}, correction=None) for each in (b, b[rows]))
    assert one.difference == other.difference
    assert one[0].difference_per_query.tolist() != other[0].difference_per_query.tolist()
    assert one != other


def test_equality_does_not_depend_on_what_was_computed_before():
    one, other = (compare_all(SYSTEMS, random_state=0) for _ in range(2))
    assert one.is_significant.any()
    assert one == other


@pytest.mark.filterwarnings("ignore:.*undefined")
def test_results_are_frozen_and_pickle():
    for found in results():
        with pytest.raises(AttributeError):
            found.confidence_level = 0.5
        loaded = pickle.loads(pickle.dumps(found))
        assert repr(loaded) == repr(found)
        assert loaded == found
        for result in (found, loaded):
            rows = [*result] if hasattr(result, "baseline") else []
            values = [
                *vars(result).values(),
                *(each for row in rows for each in vars(row).values()),
            ]
            values.append(getattr(result, "is_significant", None))
            for array in values:
                if isinstance(array, np.ndarray):
                    with pytest.raises(ValueError, match="read-only"):
                        array[0] = 1


def test_what_was_passed_is_not_changed_and_not_shared():
    a, b = A.copy(), B.copy()
    rows = compare_all({"a": a, "b": b}, correction=None)
    np.testing.assert_array_equal([a, b], [A, B])
    a[:] = 0
    np.testing.assert_array_equal(rows[0].difference_per_query, B - A)
