"""What is compared: scores, reports and data whose queries agree; all else is refused by name."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from paired_scores import INF, NAN, QUERIES, RNG, SYSTEMS, A, B, C, reports
from raising import raises

from ranking_scores import StreamingScore, from_tables, ndcg_score, ranking_report
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import (
    changes,
    compare,
    compare_all,
    confidence_interval,
    queries_needed,
)
from ranking_scores.significance._units import ComparedPairs


def error_of(function, *args, **params):
    with pytest.raises(InvalidParameterError) as caught:
        function(*args, **params)
    return str(caught.value)


# What comes in.


def test_reports():
    ids = np.array([f"q{number}" for number in range(12)])
    both = reports(scores=["ndcg", "mrr"], query_ids=ids)
    found = compare_all(both, random_state=0)
    assert found.metrics == ("ndcg@1", "ndcg@3", "mrr@1", "mrr@3")
    expected = compare_all(
        {name: np.column_stack(list(each.per_query.values())) for name, each in both.items()},
        random_state=0,
    )
    np.testing.assert_array_equal(found.pvalue, expected.pvalue)
    np.testing.assert_array_equal(found[0].query_ids, ids)
    assert expected[0].query_ids is None
    interval = confidence_interval(both["dense"], random_state=0)
    assert interval.metrics == ("ndcg@1", "ndcg@3", "mrr@1", "mrr@3")
    assert dict(zip(interval.metrics, interval.mean, strict=True)) == both["dense"].mean
    errors = list(both["dense"].standard_error.values())
    np.testing.assert_array_equal(interval.standard_error, errors)


def test_a_report_of_one_result():
    both = reports(k=3)
    found = compare(both["bm25"], both["dense"])
    assert found.metric == "ndcg@3"
    arrays = [each.per_query["ndcg@3"] for each in both.values()]
    assert found.pvalue == compare(*arrays).pvalue
    assert compare(both["bm25"], arrays[1]).pvalue == found.pvalue
    assert queries_needed(both["bm25"], both["dense"]) == queries_needed(*arrays)
    assert confidence_interval(both["bm25"], random_state=0).low.shape == (1,)


def test_columns_of_any_library():
    expected = compare(A, B).pvalue
    for one, other in [
        (pd.Series(A), pd.Series(B)),
        (pl.Series(A), pl.Series(B)),
        (A.tolist(), B.tolist()),
        (A, pd.Series(B)),
    ]:
        assert compare(one, other).pvalue == expected
    with_null = pl.Series([0.1, None, 0.4])
    assert compare(with_null, pd.array([0.3, 0.1, 0.5], dtype="Float64")).n_dropped == 1
    hits = confidence_interval(np.array([True, False, True]), method="t")
    assert hits.mean == 2 / 3
    frames = [pd.DataFrame({"ndcg": A, 5: B}), pl.DataFrame({"ndcg": A, "5": B})]
    for frame in frames:
        assert confidence_interval(frame, method="t").metrics == ("ndcg", "5")
    of_cutoffs = pd.DataFrame(np.column_stack([A, B]), columns=[1, 10])
    assert compare_all({"a": of_cutoffs, "b": of_cutoffs}, correction=None).metrics == ("1", "10")
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"ndcg": A, "5": B})
    for each in (table, table.to_batches()[0]):
        assert confidence_interval(each, method="t").metrics == ("ndcg", "5")
        assert compare_all({"a": each, "b": frames[1]}, correction=None).metrics == ("ndcg", "5")
    unnamed = pd.DataFrame(np.column_stack([A, B]))
    assert confidence_interval(unnamed, method="t").metrics == ("column 0", "column 1")
    for labels in (["ndcg", "ndcg"], ["5", 5]):
        twice = unnamed.set_axis(labels, axis=1)
        assert error_of(confidence_interval, twice) == (
            "The 'values' parameter of confidence_interval must be a frame with unique column "
            f"names. Got {labels[0]!r} more than once instead."
        )


def test_an_index_that_only_numbers_the_rows_has_no_ids():
    assert compare(pd.Series(A), pd.Series(B)).query_ids is None
    index = range(1, 31)
    found = compare(pd.Series(A, index), pd.Series(B, index))
    np.testing.assert_array_equal(found.query_ids, index)
    both = reports(k=3, query_ids=np.arange(12))
    np.testing.assert_array_equal(compare(both["bm25"], both["dense"]).query_ids, range(12))


def test_scores_of_other_queries_are_refused():
    assert error_of(compare, A, B[1:]) == (
        "The 'system_b' parameter of compare must be of the same 30 queries as system_a. Got 29 "
        "queries instead."
    )
    assert error_of(compare_all, {"a": A, "b": B, "c": C[1:]}) == (
        "The \"systems['c']\" parameter of compare_all must be of the same 30 queries as "
        "systems['a']. Got 29 queries instead."
    )
    message = error_of(compare, pd.Series(A), pd.Series(B, index=range(1, 31)))
    assert message == (
        "The 'system_b' parameter of compare must be indexed like system_a. Got an index with 1 "
        "in row 0, where system_a has 0, instead. Sort them alike, or pass `.to_numpy()` if rows "
        "match by position."
    )
    assert error_of(queries_needed, A, B[1:]).startswith("The 'system_b' parameter of queries_n")


OF_BOTH = (
    "To compare the queries that both have, index both by query, as `report.to_frame()` does, and "
    "pass `.loc[both]` of each, with `both = a.index.intersection(b.index)`."
)


def in_two_orders():
    """Return a report, and one of another system, in the same and in another order of queries."""
    rng = np.random.default_rng(4)
    y_true, old, new = rng.integers(0, 3, (3, 12, 6))
    y_true[3] = 0
    order, ids = rng.permutation(12), np.array(QUERIES, dtype=object)
    return [
        ranking_report(y_true[rows], y_score[rows], query_ids=ids[rows], scores=["ndcg@3"], k=None)
        for y_score, rows in [(old, slice(None)), (new, slice(None)), (new, order)]
    ]


def test_queries_in_another_order_are_matched_by_their_ids():
    a, in_order, b = in_two_orders()
    old, new = a.to_frame()["ndcg@3"], b.to_frame()["ndcg@3"]
    expected = compare(a, in_order)
    for one in (a, old, old.to_dict()):
        for other in (b, new, new.to_dict()):
            found = compare(one, other)
            assert found.difference_per_query.tolist() == expected.difference_per_query.tolist()
            assert found.query_ids.tolist() == QUERIES
            assert queries_needed(one, other) == queries_needed(a, in_order)
    systems = {"w": a.per_query["ndcg@3"], "x": a, "y": new, "z": b}
    found = compare_all({**systems, "v": new.sort_index()}, baseline="x")
    assert found[0].wins == found[0].losses == 0
    for row in [*found][1:]:
        assert row.difference_per_query.tolist() == expected.difference_per_query.tolist()
    frames = [each.to_frame()[["ndcg@3"]] for each in (a, b)]
    assert compare(*frames).difference_per_query.tolist() == expected.difference_per_query.tolist()
    swapped = new.to_frame("map")
    assert "same scores as system_a, which has 'ndcg@3'" in error_of(compare, frames[0], swapped)
    levels = pd.MultiIndex.from_tuples([(number // 2, number % 2) for number in range(12)])
    found = compare(old.to_numpy(), old.set_axis(levels))
    assert found.query_ids[3] == (1, 1)


def test_ids_of_other_queries_are_refused():
    a, _, b = in_two_orders()
    old, column = a.to_frame()["ndcg@3"], b.to_frame()["ndcg@3"]
    about = "The 'system_b' parameter of {} must be of the same 12 queries as system_a, by their "
    more = pd.concat([column, pd.Series({"q99": 0.5})])
    twice = pd.concat([column, column[:1]])
    unknown = column.rename({"q4": np.nan})
    for other, got in [
        (column.drop(["q2", "q5"]), "none for 'q2', 'q5'"),
        (old[4:], "none for 'q0', 'q1', 'q2' and 1 more"),
        (more, "also 'q99'"),
        (more.to_dict(), "also 'q99'"),
        (twice, f"also {column.index[0]!r}"),
        (unknown, "none for 'q4'"),
    ]:
        for function in (compare, queries_needed):
            expected = f"{about.format(function.__name__)}ids. Got {got} instead. {OF_BOTH}"
            assert error_of(function, a, other) == expected
    assert "Got none for nan instead." in error_of(compare, unknown, a)
    assert compare(unknown, unknown * 2).n_queries == 12
    both = column.index.intersection(more.index)
    assert compare(column.loc[both], more.loc[both]).draws == 12
    assert "must be of the same 13 queries" in error_of(compare, twice, column)


def test_groups_of_other_queries_are_refused_without_ids(tmp_path):
    y_true, y_score = RNG.integers(0, 3, (2, 8, 5))
    params = {"scores": "ndcg", "k": None, "by": {"device": ["pc", "tv"] * 4}}
    report = ranking_report(y_true, y_score, **params)
    saved = ranking_report(y_true, -y_score, **params)
    saved.to_json(tmp_path / "other.json")
    other = read_report(tmp_path / "other.json").by_group["device"]
    groups = report.by_group["device"]
    message = (
        "must be of the same queries as system_a, by their positions among all queries. Got those "
        "at 1, 3, 5 and 1 more, where system_a has 0, 2, 4 and 1 more, instead."
    )
    for tv in (groups["tv"], other["tv"]):
        assert message in error_of(compare, groups["pc"], tv)
        assert "by their positions" in error_of(changes, groups["pc"], tv)
        params = {"max_drop": 0.1, "rule": "surely worse"}
        assert "by their positions" in error_of(check, groups["pc"], tv, **params)
    assert compare(groups["pc"], other["pc"]).n_queries == 4
    everything = ranking_report(y_true, y_score, scores="ndcg", k=None, by={"all": [0] * 8})
    assert compare(everything, everything.by_group["all"][0]).pvalue == 1


def test_ids_and_an_index_that_only_numbers_the_rows_are_not_matched():
    a, b, _ = in_two_orders()
    numbered = b.to_frame()["ndcg@3"].reset_index(drop=True)
    assert error_of(compare, a, numbered) == (
        "The 'system_b' parameter of compare must be indexed like system_a. Got an index with 0 "
        "in row 0, where system_a has 'q0', instead. Sort them alike, or pass `.to_numpy()` if "
        "rows match by position."
    )
    assert error_of(compare_all, {"x": numbered, "y": a}) == (
        "The \"systems['y']\" parameter of compare_all must be of the same queries as "
        "systems['x']. Got query 'q0' at position 0, where systems['x'] has 0, instead."
    )


def test_all_reports_are_compared_with_the_first_that_has_names():
    one, other = reports(k=3)["bm25"], reports(k=2)["dense"]
    assert error_of(compare_all, {"a": np.zeros(12), "b": one, "c": other}) == (
        "The \"systems['c']\" parameter of compare_all must be of the same scores as "
        "systems['b'], which has 'ndcg@3'. Got 'ndcg@2' instead."
    )


def test_other_scores_are_refused():
    two, three = np.column_stack([A, B]), np.column_stack([A, B, C])
    assert error_of(compare_all, {"a": two, "b": three}) == (
        "The \"systems['b']\" parameter of compare_all must be an array with 2 columns, like "
        "systems['a']. Got 3 instead."
    )
    one, other = reports(k=[1, 3])["bm25"], reports(k=[1, 2])["dense"]
    assert error_of(compare_all, {"a": one, "b": other}) == (
        "The \"systems['b']\" parameter of compare_all must be of the same scores as "
        "systems['a'], which has 'ndcg@3'. Got 'ndcg@2' instead."
    )
    advice = "For several scores, use `compare_all`, which corrects for their number."
    assert error_of(compare, one, one) == (
        "The 'system_a' parameter of compare must be a single score: a 1-D array, or a report "
        f"with one result. Got 2 (ndcg@1, ndcg@3) instead. {advice}"
    )
    six = np.zeros((3, 6))
    assert "Got 6 (column 0, column 1, column 2, column 3, column 4, ...)" in error_of(
        queries_needed, six, six
    )


def test_item_weights_are_refused():
    by_items = reports(k=3, item_weight=np.ones((12, 6)))
    assert "Got one with `item_weight` instead" in error_of(confidence_interval, by_items["bm25"])
    by_best = ranking_report([[1, 0]] * 3, [[1, 2]] * 3, scores=["ndcg@1", "pyxclib:psndcg@1"])
    message = error_of(confidence_interval, by_best)
    assert "Got one with 'pyxclib:psndcg@1', which weighs queries" in message


# Systems that are data.

JUDGMENTS = pd.DataFrame(
    [("q1", "x", 1), ("q1", "y", 2), ("q2", "z", 1), ("q2", "y", 1), ("q3", "x", 2),
     ("q4", "w", 1)],
    columns=["query", "item", "label"],
)  # fmt: skip
RUNS = {
    "a": [("q1", "x", 3), ("q1", "z", 2), ("q1", "y", 1), ("q2", "x", 2), ("q3", "x", 1)],
    "b": [("q1", "y", 3), ("q1", "x", 2), ("q2", "z", 2), ("q2", "y", 2), ("q4", "w", 1)],
}
DATA = {
    name: from_tables(
        JUDGMENTS,
        pd.DataFrame(run, columns=["query", "item", "score"]),
        query="query",
        item="item",
        label="label",
        score="score",
    )
    for name, run in RUNS.items()
}


def reports_of_data(**params):
    return {
        name: ranking_report(data.y_true, data.y_score, query_ids=data.query_ids, **params)
        for name, data in DATA.items()
    }


@pytest.mark.parametrize("score", ["ndcg@2", "map", partial(ndcg_score, gain="exponential")])
def test_a_pair_of_data(score):
    expected = reports_of_data(scores=score, k=None)
    found = compare(DATA["a"], DATA["b"], score=score)
    assert found == compare(expected["a"], expected["b"])
    assert found.query_ids.tolist() == ["q1", "q2", "q3", "q4"]
    assert found == compare(expected["a"], DATA["b"], score=score)
    needed = queries_needed(DATA["a"], DATA["b"], score=score)
    assert needed == queries_needed(expected["a"], expected["b"])


def test_data_with_several_scores():
    found = compare_all(DATA, scores=["ndcg@2", "map"], random_state=0)
    assert found.metrics == ("ndcg@2", "map")
    expected = reports_of_data(scores=["ndcg@2", "map"], k=None)
    assert found == compare_all(expected, random_state=0)


def test_queries_of_families():
    # The example in the docstring: `a`, `b` and `c` by two metrics, with undefined scores of `c`.
    of_a, of_b = np.full((3, 2), 0.5), np.full((3, 2), 0.6)
    of_c = np.array([[0.7, 0.6], [NAN, 0.6], [NAN, 0.6]])
    of_b[2, 0] = NAN
    a, b, column = np.array([[0, 0, 0, 0], [1, 2, 1, 2], [0, 0, 1, 1]])
    systems = [of_a, of_b, of_c]
    first, second = ComparedPairs(systems, a, b, column, None).on_same_queries(column)
    assert (first[0].tolist(), second[0].tolist()) == ([0, 1], [2, 3])
    for (places, rows), n_queries in zip((first, second), (2, 3), strict=True):
        for found, system in zip(rows.systems, systems, strict=True):
            np.testing.assert_array_equal(found, system[:n_queries])
        assert rows.b.tolist() == b[places].tolist()
    of_b[2, 0] = 0.6
    [(places, _)] = ComparedPairs(systems, a, b, column, None).on_same_queries(column)
    assert places.tolist() == [0, 1, 2, 3]


def test_data_of_other_queries():
    other = DATA["b"]._replace(query_ids=np.array(["q1", "q2", "q3", "q5"]))
    assert error_of(compare, DATA["a"], other, score="map") == (
        "The 'system_b' parameter of compare must be of the same 4 queries as system_a, by their "
        f"ids. Got none for 'q4' instead. {OF_BOTH}"
    )


def test_a_column_of_text_in_a_frame_is_named():
    scores = pd.DataFrame({"country": ["de", "fi"], "ndcg": [0.1, 0.2]})
    polars_frame = pl.DataFrame(scores.to_dict("list"))
    for frame in (scores, scores.astype({"country": "category"}), polars_frame):
        with raises("system_a", "frame of scores alone", advice="Drop the column 'country'"):
            compare(frame, frame)


def test_numbers_in_the_place_of_systems_are_told_their_names():
    with raises("system_a", "scores of a system", advice="difference=..., standard_dev"):
        queries_needed(0.02, 0.1)


@pytest.mark.parametrize(
    ("function", "args", "params", "message"),
    [
        (compare, DATA.values(), {}, "'score' parameter of compare must be given for a system "
         "that is RankingData, such as 'ndcg@10'. Got None instead."),
        (compare_all, [DATA], {}, "'scores' parameter of compare_all must be given for a system "
         "that is RankingData, such as 'ndcg@10'. Got None instead."),
        (compare, [A, B], {"score": "map"}, "'score' parameter of compare must be left out, since "
         "no system is RankingData or a file of values. Got 'map' instead."),
        (compare_all, [{"a": A, "b": B}], {"scores": "map"}, "'scores' parameter of compare_all "
         "must be left out, since no system is RankingData or a file of values. Got 'map' "
         "instead."),
        (compare, DATA.values(), {"score": "err@3"}, "'score' parameter of compare must be a "
         "score with the `max_grade` that expected_reciprocal_rank_score needs. Got 'err' "
         "instead. Pass `partial(expected_reciprocal_rank_score, max_grade=...)`."),
        (compare_all, [DATA], {"scores": ["map", "err"]}, "'scores' parameter of compare_all must "
         "be a score with the `max_grade` that expected_reciprocal_rank_score needs. Got 'err' "
         "instead. Pass `partial(expected_reciprocal_rank_score, max_grade=...)`."),
        (queries_needed, [], {"score": "map", "difference": 1}, "'system_a' parameter of "
         "queries_needed must be given. Got None instead. Pass `difference` with either "
         "`standard_deviation`, or `system_a` and `system_b`."),
    ],
)  # fmt: skip
def test_data_and_its_score_come_together(function, args, params, message):
    assert error_of(function, *args, **params) == f"The {message}"


def test_bad_scores_of_data():
    for score in ("nothing", ["map"], len):
        message = error_of(compare, *DATA.values(), score=score)
        assert message.startswith("The 'score' parameter of compare must be ")
    message = error_of(compare_all, DATA, scores=["map", "nothing"])
    assert message.startswith("The 'scores' parameter of compare_all must be one of ")


def test_scores_in_the_place_of_systems():
    with pytest.raises(TypeError, match="The 'systems' parameter of compare_all must be given"):
        compare_all(scores=SYSTEMS)


BAD_SCORES = [
    (0.7, "one score per query, 1-D or 2-D. Got 0.7 instead. With `average=None`, a score "
     "returns one value per query."),
    (np.zeros((2, 2, 2)), "one score per query, 1-D or 2-D. Got shape (2, 2, 2) instead."),
    ([], "the scores of at least one query. Got none instead."),
    (np.ones((5, 0)), "an array with at least one column. Got shape (5, 0) instead."),
    ([0.1, INF], "finite or NaN. Got infinity at position 1 instead."),
    ([0.1, -1e301], "from -1e+300 to 1e+300, or NaN. Got -1e+301 at position 1 instead."),
    ([[0.1, -INF]], "finite or NaN. Got infinity at position 0, 1 instead."),
    (DATA["a"], "one score per query. Got RankingData instead. Pass the report of "
     "`ranking_report`, whose scores you choose."),
    (StreamingScore(ndcg_score), "one score per query. Got a StreamingScore instead. It keeps "
     "only sums. Use `ranking_report`."),
    (["a"], "an array of bools, ints or floats. Got dtype <U1 instead. If it holds numbers, use "
     "`np.asarray(values).astype(float)`."),
]  # fmt: skip


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES, ids=lambda each: str(each)[:20])
def test_bad_scores(scores, message):
    expected = f"The 'values' parameter of confidence_interval must be {message}"
    assert error_of(confidence_interval, scores) == expected


BETWEEN = "a number between 0 and 1, neither of them included"
RANDOM_STATES = "None, an int from 0 to 2**32 - 1, a RandomState or a Generator"
BAD_PARAMS = [
    (compare, {"test": "sign"}, "test", "'auto', 't', 'permutation', 'wilcoxon', 'bootstrap', "
     "'mcnemar', 'sequential' or 'betting'", "'sign'"),
    (compare, {"alternative": "b"}, "alternative", "'two-sided', 'greater' or 'less'", "'b'"),
    (compare, {"confidence_level": 1}, "confidence_level", BETWEEN, "1"),
    (compare, {"confidence_level": "high"}, "confidence_level", BETWEEN, "'high'"),
    (compare, {"n_resamples": 0}, "n_resamples", "an int of at least 1", "0"),
    (compare, {"n_resamples": 38, "test": "bootstrap"}, "n_resamples",
     "an int of at least 39 if confidence_level=0.95", "38"),
    (compare, {"confidence_level": 0.9999, "test": "permutation"}, "n_resamples",
     "an int of at least 19999 if confidence_level=0.9999", "9999"),
    (compare, {"n_resamples": True}, "n_resamples", "an int of at least 1", "True"),
    (compare, {"n_resamples": 9.5}, "n_resamples", "an int of at least 1", "9.5"),
    (compare, {"random_state": -1}, "random_state", RANDOM_STATES, "-1"),
    (compare, {"random_state": "x"}, "random_state", RANDOM_STATES, "'x'"),
    (compare, {"random_state": True}, "random_state", RANDOM_STATES, "True"),
    (queries_needed, {"power": 0}, "power", BETWEEN, "0"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "params", "parameter", "expected", "got"), BAD_PARAMS)
def test_bad_parameters(function, params, parameter, expected, got):
    name = function.__name__
    message = f"The {parameter!r} parameter of {name} must be {expected}. Got {got} instead."
    assert error_of(function, A, B, **params) == message


def test_enough_resamples_have_both_limits():
    for test in ("bootstrap", "permutation"):
        found = compare(A, B, test=test, n_resamples=39, random_state=0)
        assert np.isfinite([found.low, found.high]).all()
    for level in (0.8, 0.9, 0.95, 0.99, 0.9998):
        expected = f"an int of at least {round(2 / (1 - level)) - 1} if confidence_level={level}"
        params = {"confidence_level": level, "n_resamples": 1}
        for message in (
            error_of(confidence_interval, A, method="bca", **params),
            error_of(compare_all, SYSTEMS, **params),
        ):
            assert expected in message
    compare(A, B, n_resamples=1)
    compare_all(SYSTEMS, correction="holm", n_resamples=1)
    confidence_interval(A, n_resamples=1)


def test_a_power_in_percent():
    assert error_of(queries_needed, A, B, power=80) == (
        f"The 'power' parameter of queries_needed must be {BETWEEN}. Got 80 instead. 80 % is 0.8."
    )


def test_a_level_in_percent():
    assert error_of(compare, A, B, confidence_level=95) == (
        f"The 'confidence_level' parameter of compare must be {BETWEEN}. Got 95 instead. 95 % is "
        "0.95."
    )


SYSTEMS_TEXT = "a dict that maps the names of at least two systems to their scores"
BAD_SYSTEMS = [
    ([A, B], {}, f"'systems' parameter of compare_all must be {SYSTEMS_TEXT}. Got a list "
     "instead."),
    ({"a": A}, {}, f"'systems' parameter of compare_all must be {SYSTEMS_TEXT}. Got one system, "
     "'a', instead."),
    ({}, {}, f"'systems' parameter of compare_all must be {SYSTEMS_TEXT}. Got none instead."),
    ({"a": A, 1: B}, {}, "'systems' parameter of compare_all must be a dict whose keys are "
     "non-empty strings. Got the key 1 instead."),
    ({"": A, "b": B}, {}, "'systems' parameter of compare_all must be a dict whose keys are "
     "non-empty strings. Got the key '' instead."),
    (SYSTEMS, {"baseline": "x"}, "'baseline' parameter of compare_all must be None or one of the "
     "keys of `systems`. Got 'x' instead."),
    (SYSTEMS, {"baseline": ["a"]}, "'baseline' parameter of compare_all must be None or one of "
     "the keys of `systems`. Got ['a'] instead."),
    (SYSTEMS, {"correction": "none"}, "'correction' parameter of compare_all must be 'max-t', "
     "'holm', 'bh' or None. Got 'none' instead."),
    (SYSTEMS, {"correction": ["bh"]}, "'correction' parameter of compare_all must be 'max-t', "
     "'holm', 'bh' or None. Got ['bh'] instead."),
    (SYSTEMS, {"family": "k"}, "'family' parameter of compare_all must be 'metric' or 'all'. Got "
     "'k' instead."),
    (SYSTEMS, {"test": "wilcoxon"}, "'test' parameter of compare_all must be 'auto', 't', "
     "'permutation' or 'bootstrap' if correction='max-t'. Got 'wilcoxon' instead. For other "
     "tests, use correction='holm'."),
]  # fmt: skip


@pytest.mark.parametrize(("scores", "params", "message"), BAD_SYSTEMS)
def test_bad_systems(scores, params, message):
    assert error_of(compare_all, scores, **params) == f"The {message}"


BOTH = "Pass `difference` with either `standard_deviation`, or `system_a` and `system_b`."


@pytest.mark.parametrize(
    ("args", "params", "message"),
    [
        ([A, B], {"standard_deviation": 1}, f"'standard_deviation' parameter of queries_needed "
         f"must be None if systems are passed. Got 1 instead. {BOTH}"),
        ([A], {}, f"'system_b' parameter of queries_needed must be given. Got None instead. "
         f"{BOTH}"),
        ([None, A], {}, f"'system_a' parameter of queries_needed must be given. Got None instead. "
         f"{BOTH}"),
        ([], {}, f"'difference' parameter of queries_needed must be given. Got None instead. "
         f"{BOTH}"),
        ([], {"difference": 1}, f"'standard_deviation' parameter of queries_needed must be given. "
         f"Got None instead. {BOTH}"),
        ([], {"difference": INF, "standard_deviation": 1}, "'difference' parameter of "
         "queries_needed must be a finite number. Got inf instead."),
        ([], {"difference": 1, "standard_deviation": -1}, "'standard_deviation' parameter of "
         "queries_needed must be a finite number of at least 0. Got -1 instead."),
        ([], {"difference": 1, "standard_deviation": NAN}, "'standard_deviation' parameter of "
         "queries_needed must be a finite number of at least 0. Got nan instead."),
    ],
)  # fmt: skip
def test_one_form_or_the_other(args, params, message):
    assert error_of(queries_needed, *args, **params) == f"The {message}"
