"""Lists of ids, one list for each query: all their forms say what tables say."""

from __future__ import annotations

import json
import uuid
import warnings
from collections import OrderedDict, deque

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from joined_tables import by_id
from queries.test_duplicates import assert_same
from raising import raises
from read_at_once import from_lists, from_table, from_tables

from ranking_scores import (
    mean_reciprocal_rank_score,
    ndcg_score,
    ranking_report,
    recall_at_k_score,
    retrieved_from_ids,
    tables,
)
from ranking_scores.__main__ import main

GOLD = [["a", "b"], ["c"], []]
FOUND = [["x", "a"], ["c", "y", "b"], ["a"]]
SCORED = [[("x", 0.5), ("a", 0.5)], [("c", 0.1), ("y", 0.3), ("b", 0.2)], [("a", 1.0)]]
IDS = {
    "text": [*"abcé", "007", "7"],
    "ints": [3, -1, 10**12, 0, 12, 2],
    "uuids": [uuid.UUID(int=number) for number in (5, 2, 9, 1, 7, 0)],
    "tuples": [("a", 1), ("a", 0), ("b", 1), ("b", 2), ("c", 0), ("c", 1)],
}

quietly = pytest.mark.filterwarnings(
    "ignore:No relevant item|No judged item",
    "ignore:The scores of from_lists rise",
    "ignore:Each list of relevant",
)


@pytest.fixture
def arrow():
    return pytest.importorskip("pyarrow", reason="columns of pyarrow are tested where it is")


@st.composite
def lists(draw):
    """Return relevant and retrieved ids of one to four queries, and the values of both."""
    ids = IDS[draw(st.sampled_from(sorted(IDS)))]
    n_queries = draw(st.integers(1, 4))
    of_query = st.lists(st.sampled_from(ids), max_size=5, unique=True)
    gold, found = (
        draw(st.lists(of_query, min_size=n_queries, max_size=n_queries)) for _ in range(2)
    )
    gold[0] = gold[0] or [ids[0]]
    found[0] = found[0] or [ids[0]]
    grades, scores = (
        [[draw(st.sampled_from(values)) for _ in row] for row in rows]
        for rows, values in ((gold, (0, 1, 3)), (found, (-1.5, 0.0, 2.0)))
    )
    return gold, grades, found, scores


def as_table(rows, values):
    """Return lists as a table, and the values that belong to them."""
    return {
        "query": [f"q{number}" for number, row in enumerate(rows) for _ in row],
        "item": [each for row in rows for each in row],
        "value": [each for row in values for each in row],
    }


def together(rows, values, kind):
    """Return the entries of each list with their values."""
    return [kind(zip(*each, strict=True)) for each in zip(rows, values, strict=True)]


def as_records(pairs):
    return [{"id": each, "score": score, "text": "..."} for each, score in pairs]


def by_query(rows):
    return None if rows is None else {f"q{number}": row for number, row in enumerate(rows)}


FORMS = {
    "scores": lambda found, scores: (found, scores),
    "pairs": lambda found, scores: (together(found, scores, list), None),
    "lists of two": lambda found, scores: (
        [[list(pair) for pair in row] for row in together(found, scores, list)],
        None,
    ),
    "records": lambda found, scores: (
        [as_records(row) for row in together(found, scores, list)],
        None,
    ),
    "dicts": lambda found, scores: (together(found, scores, dict), None),
}


def test_scores_of_items_may_still_have_their_old_name():
    relevant, retrieved, scores = [["a"]], [["b", "a"]], [[1, 2]]
    with pytest.warns(FutureWarning, match="'scores' parameter of from_lists is called 'item_s"):
        data = from_lists(relevant, retrieved, scores=scores)
    assert_same(data, from_lists(relevant, retrieved, item_scores=scores))
    with pytest.warns(FutureWarning, match="of retrieved_from_ids is called 'item_scores'"):
        y_score = retrieved_from_ids([[1, 0]], scores=scores, n_items=2)
    assert y_score.toarray().tolist() == [[2, 1]]
    with raises("scores", "left out beside `item_scores`", function="from_lists"):
        from_lists(relevant, retrieved, item_scores=scores, scores=scores)


@quietly
@pytest.mark.parametrize("form", [*FORMS, "ranks"])
@settings(deadline=None, max_examples=settings().max_examples // 2)
@given(data=lists(), duplicates=st.sampled_from(["error", "best", "hold"]))
def test_lists_say_what_tables_say(form, data, duplicates):
    gold, grades, found, scores = data
    if form == "ranks":
        retrieved, beside = found, None
        scores = [[-place for place, _ in enumerate(row, 1)] for row in found]
    else:
        retrieved, beside = FORMS[form](found, scores)
    relevant = together(gold, grades, dict)
    own = from_lists(relevant, retrieved, item_scores=beside, duplicates=duplicates)
    names = {"query": "query", "item": "item", "label": "value", "score": "value"}
    tables = as_table(gold, grades), as_table(found, scores)
    expected = from_tables(*tables, **names, queries="all")
    named = from_lists(*map(by_query, (relevant, retrieved)), item_scores=by_query(beside))
    assert by_id(named) == by_id(expected)
    assert named.item_ids.tolist() == expected.item_ids.tolist()
    assert own.query_ids.tolist() == [*range(len(gold))]
    assert_same((*own[:2], own.item_ids), (*named[:2], named.item_ids))
    without_grades = from_lists(gold, retrieved, item_scores=beside)
    assert (without_grades.y_true.data == 1).all()
    assert without_grades.y_true.indices.tolist() == own.y_true.indices.tolist()


def test_nothing_is_what_it_is():
    """A query whose list is None or empty is there, with nothing relevant or nothing found."""
    data = from_lists([["a"], None, [], {"b"}], [None, ["a"], ["b"], ["b"]])
    assert data.query_ids.tolist() == [0, 1, 2, 3]
    assert data.y_true.toarray().tolist() == [[1, 0], [0, 0], [0, 0], [0, 1]]
    assert data.y_score.toarray().tolist() == [[0, 0], [-1, 0], [0, -1], [0, -1]]
    data = from_lists([{"a": 1}, None, {}], [{"a": 0.5}, {}, None])
    assert data.y_true.toarray().tolist() == [[1], [0], [0]]
    assert data.y_score.toarray().tolist() == [[0.5], [0], [0]]
    nothing = from_lists([[]], [[]])
    assert nothing.y_true.shape == (1, 0)


FOUND_COLUMNS = {
    "tuples": tuple,
    "object arrays": lambda rows: np.array([*map(np.array, rows), None], dtype=object)[:-1],
    "arrays": lambda rows: [np.array(row, dtype=str) for row in rows],
    "pandas": pd.Series,
    "polars": pl.Series,
    "series of polars": lambda rows: [pl.Series(row, dtype=pl.String) for row in rows],
    "pyarrow": lambda rows: pytest.importorskip("pyarrow").array(rows),
    "chunks": lambda rows: pytest.importorskip("pyarrow").chunked_array([rows[:1], rows[1:]]),
    "pandas of pyarrow": lambda rows: pd.Series(
        rows, dtype=pd.ArrowDtype(pytest.importorskip("pyarrow").array(rows).type)
    ),
    "large lists": lambda rows: pytest.importorskip("pyarrow").array(
        rows, pytest.importorskip("pyarrow").large_list(pytest.importorskip("pyarrow").string())
    ),
}


@pytest.mark.parametrize("kind", FOUND_COLUMNS)
def test_columns_of_lists(kind):
    expected = from_lists(GOLD, FOUND)
    as_column = FOUND_COLUMNS[kind]
    assert_same(from_lists(as_column(GOLD), as_column(FOUND)), expected)
    scores = [[3, 2], [3, 2, 1], [1]]
    scored = from_lists(as_column(GOLD), as_column(FOUND), item_scores=scores)
    assert_same(scored, from_lists(GOLD, FOUND, item_scores=scores))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_missing_lists_of_columns(kind):
    rows = [["a"], None, ["b", "a"]]
    expected = from_lists(rows, rows)
    column = FOUND_COLUMNS[kind](rows)
    assert_same(from_lists(column, column), expected)
    if kind == "pandas":
        column[1] = np.nan
        assert_same(from_lists(column, column), expected)


def test_columns_of_records(arrow):
    records = [as_records(row) for row in SCORED]
    expected = from_lists(GOLD, SCORED)
    assert_same(from_lists(GOLD, arrow.array(records)), expected)
    assert_same(from_lists(GOLD, pl.Series(records)), expected)


def test_arrays_of_two_dimensions():
    gold = [[1], [2]]
    for found in (np.array([[1, 3], [3, 2]]), np.array([[1, 3], [3, 2]], dtype=object)):
        assert_same(from_lists(gold, found), from_lists(gold, found.tolist()))
    names = np.array([["a", "b"], ["b", "a"]])
    scores = np.array([[0.1, 0.2], [0.3, 0.3]])
    data = from_lists(names[:, :1], names, item_scores=scores)
    assert data.y_score.toarray().tolist() == [[0.1, 0.2], [0.3, 0.3]]
    expected = "without -1"
    with raises("retrieved", expected, got="-1", advice="`retrieved_from_ids` takes"):
        from_lists(gold, np.array([[1, 3], [2, -1]]))
    assert from_lists(gold, [[1, 3], [2, -1]]).item_ids.tolist() == [-1, 1, 2, 3]


def test_without_scores_the_order_is_the_ranking_and_with_them_ties_are_exact():
    gold = [["a"]]
    assert recall_at_k_score(*from_lists(gold, [["x", "a"]])[:2], k=1) == 0
    assert recall_at_k_score(*from_lists(gold, [[("x", 1), ("a", 1)]])[:2], k=1) == 0.5
    assert recall_at_k_score(*from_lists(gold, [["x", "a"]], item_scores=[[0, 1]])[:2], k=1) == 1


def test_tuples_may_be_ids_or_pairs():
    gold = [[("a", 1)], [("b", 2)]]
    found = [[("b", 2), ("a", 1)], [("b", 2)]]
    assert from_lists(gold, found).y_score.toarray().tolist() == [[-2, -1], [0, -1]]
    pairs = [[(each, 0.5) for each in row] for row in found]
    assert from_lists(gold, pairs).y_score.toarray().tolist() == [[0.5, 0.5], [0, 0.5]]
    scores = [[0.5, 0.5], [0.5]]
    assert_same(from_lists(gold, found, item_scores=scores), from_lists(gold, pairs))


def test_some_entries_without_scores():
    """Then the order is the ranking, and the scores that are there must not contradict it."""
    mixed = [["x", {"id": "a", "score": 0.7}], [{"id": "c"}, ("y", 0.5), ["b", 0.5]], ["a"]]
    assert_same(from_lists(GOLD, mixed), from_lists(GOLD, FOUND))
    records = [[{"id": each, "score": None} for each in row] for row in FOUND]
    assert_same(from_lists(GOLD, records), from_lists(GOLD, FOUND))
    with raises("retrieved", "scores that do not rise", got="0.5 at position 2 of query 1"):
        from_lists(GOLD, [["x"], [("c", 0.1), "y", ("b", 0.5)], []])


TIED = [{"id": "a", "score": 0.5}, {"id": "x", "score": 0.5}]


@pytest.mark.parametrize(
    "tied", [TIED, [("a", 0.5), ("x", 0.5)], [["a", 1], ["x", 1]], (("a", 2.5), ("x", 2.5))]
)
@pytest.mark.parametrize("plain", [["b", "y"], [{"id": "b"}, {"id": "y", "score": None}]])
def test_each_list_counts_by_its_own_form(tmp_path, capsys, tied, plain):
    found = {"q1": tied, "q2": plain, "q3": [], "q4": None}
    gold = {"q1": ["a"], "q2": ["b"], "q3": ["c"], "q4": ["d"]}
    data = from_lists(gold, found)
    assert mean_reciprocal_rank_score(data, average=None).tolist() == [0.75, 1, 0, 0]
    assert data.notes == ("retrieved: scores in 1 of 2 lists; the order of the others counts",)
    assert "order of the others counts" in repr(data)
    with_arrays = mean_reciprocal_rank_score(data.y_true, data.y_score, average=None)
    assert with_arrays.tolist() == [0.75, 1, 0, 0]
    for alone, expected, form in (
        ({"q1": tied}, 0.75, "ids with scores"),
        ({"q2": plain}, 1, "ids, the best first"),
    ):
        data = from_lists(gold, alone, queries="both")
        assert mean_reciprocal_rank_score(data) == expected
        assert data.notes == (f"retrieved: {form}",)
    paths = [tmp_path / "gold.json", tmp_path / "found.json"]
    for path, content in zip(paths, (gold, found), strict=True):
        path.write_text(json.dumps(content))
    assert main([*map(str, paths), "-m", "mrr", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == 1.75 / 4
    note = "scores in 1 of 2 lists; the order of the others counts"
    said = f"{paths[0]}, {paths[1]}: items by query"
    assert record["notes"][:2] == [said, f"{paths[1]}: {note}"]


def test_scores_that_rise_are_wrong_only_where_the_order_counts():
    found = [[("x", 0.1), ("a", 0.9)], ["c", "b"], [("a", 0.5), "y"]]
    data = from_lists(GOLD, found)
    assert data.y_score.toarray().max(axis=1).tolist() == [0.9, 0, 0]
    with raises("retrieved", "scores that do not rise", got="0.9 at position 2 of query 2"):
        from_lists(GOLD, [*found[:2], [("a", 0.5), "y", ("b", 0.9)]])


def test_ids_that_are_tuples_have_no_scores():
    gold = [[("a", 1)], [("b", 2)]]
    scored = [(("a", 1), 0.5), (("x", 1), 0.5)]
    data = from_lists(gold, [scored, [("b", 2), ("c", 2)]])
    assert mean_reciprocal_rank_score(data, average=None).tolist() == [0.75, 1]
    assert len(data.notes) == 1
    assert from_lists(gold, [scored, scored]).notes == ("retrieved: ids with scores",)
    plain = from_lists(gold, [[("a", 1)], [("b", 2)]])
    assert plain.notes == ("retrieved: ids, the best first",)


def test_relevant_items_in_records():
    gold = [[{"id": "a", "grade": 2}, {"id": "b", "grade": 0, "text": "..."}], [["c", 1]], None]
    expected = from_lists([{"a": 2, "b": 0}, {"c": 1}, None], FOUND)
    assert_same(from_lists(gold, FOUND), expected)
    only_ids = [[{"id": each} for each in row] for row in GOLD]
    assert_same(from_lists(only_ids, FOUND), from_lists(GOLD, FOUND))
    with raises("relevant", "a label in each place", got="null or NaN at position 1 of query 0"):
        from_lists([[{"id": "a", "grade": 2}, {"id": "b"}]], [["a"]])


def test_queries_of_dicts():
    gold, found = {"q1": ["a"], "q2": ["b"], "q3": ["a"]}, {"q3": ["a"], "q4": ["a"], "q2": []}
    assert from_lists(gold, found).query_ids.tolist() == ["q1", "q2", "q3"]
    assert from_lists(gold, found, queries="both").query_ids.tolist() == ["q2", "q3"]
    data = from_lists(gold, found, queries="all")
    assert data.query_ids.tolist() == ["q1", "q2", "q3", "q4"]
    assert (data.queries_seen.n_both, data.queries_seen.predicted.count) == (2, 3)
    with raises("retrieved", "both judged and predicted, and all of them"):
        from_lists(gold, found, queries="equal")
    ordered = from_lists(OrderedDict(gold), found, item_scores={"q2": [], "q4": [1], "q3": [2]})
    assert ordered.y_score.toarray().tolist() == [[0, 0], [0, 0], [2, 0]]
    days = [np.datetime64("2024-01-02"), np.datetime64("2024-01-01")]
    of_days = {day: ["a"] for day in days}
    data = from_lists(of_days, of_days)
    assert data.query_ids.tolist() == sorted(day.item() for day in days)


def test_no_relevant_item_is_found():
    with pytest.warns(UserWarning, match="No relevant item is among the retrieved ones"):
        from_lists([["a"], ["b"]], [["A"], []])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_lists([["a"], ["b"]], [[], None])
        from_lists([[], None], [["a"], []])


@pytest.mark.parametrize(
    ("relevant", "retrieved", "options", "expected"),
    [
        ([], [], {}, ("relevant", "of at least one query", "none")),
        ({}, {}, {}, ("relevant", "of at least one query", "none")),
        ("ab", ["a"], {}, ("relevant", "a sequence or a dict", "'ab'")),
        (3, ["a"], {}, ("relevant", "a sequence or a dict", "3")),
        ({"a"}, [["a"]], {}, ("relevant", "a sequence or a dict", "{'a'}")),
        (np.array([3]), [["a"]], {}, ("relevant", "a sequence or a dict", None)),
        (
            {"q": ["a"]},
            [["a"]],
            {},
            ("retrieved", "a dict by the ids of queries", "[['a']] beside {'q': ['a']}"),
        ),
        (
            [["a"]],
            {"q": ["a"]},
            {},
            ("retrieved", "a sequence, like relevant", "{'q': ['a']} beside [['a']]"),
        ),
        ([["a"]], [["a"], []], {}, ("retrieved", "of 1 query, like relevant", "2")),
        ([["a"], []], [["a"]], {}, ("retrieved", "of 2 queries, like relevant", "1")),
        ([b"a"], [["a"]], {}, ("relevant", "a list of ids", "b'a' for query 0")),
        ([["a"]], ["a"], {}, ("retrieved", "a list of ids", "'a' for query 0")),
        ([["a"], 3], [["a"], []], {}, ("relevant", "a list of ids", "3 for query 1")),
        ({"q": 3}, {"q": []}, {}, ("relevant", "a list of ids", "3 for query 'q'")),
        ([["a"]], [{"a"}], {}, ("retrieved", "a list of ids", "{'a'} for query 0")),
        (
            [["a"], {"b": 1}],
            [["a"], []],
            {},
            ("relevant", "lists for all queries, or dicts", "{'b': 1} beside ['a']"),
        ),
        ([{"a": "x"}], [["a"]], {}, ("relevant", "bools, ints or floats", "dtype <U1")),
        (
            [{"a": 1, "b": np.nan}],
            [["a"]],
            {},
            ("relevant", "a label in each place", "null or NaN at position 1 of query 0"),
        ),
        (
            [["a"], []],
            [["a"], ["b", None]],
            {},
            ("retrieved", "an id in each place", "null at position 1 of query 1"),
        ),
        (
            [["a"]],
            [["a", ["b"], 3]],
            {},
            ("retrieved", "pairs of an id", "['b'] at position 1 of query 0"),
        ),
        ([["a"]], [["a", {"ID": 1}]], {}, ("retrieved", "records with 'id'", None)),
        ([["a"]], [[("a", "b")]], {}, ("retrieved", "bools, ints or floats", "dtype <U1")),
        ([["a"]], [[1]], {}, ("retrieved", "text, like relevant", "numbers")),
        ([["a", "a"]], [["a"]], {}, ("relevant", "each item only once", None)),
        (
            {"q": ["a"]},
            {"q": ["b", "a", "b"]},
            {},
            ("retrieved", "each item only once", "item 'b' more than once for query 'q'"),
        ),
        (
            [["a"]],
            [[("a", np.inf)]],
            {},
            ("retrieved", "a finite score in each place", "inf at position 0 of query 0"),
        ),
        ([["a"]], [["a"]], {"item_scores": [[1, 2]]}, ("item_scores", "as long as", None)),
        (
            [["a"], ["a"]],
            [["a"], ["b", "a"]],
            {"item_scores": [[1], [2]]},
            ("item_scores", "as long as", "1 scores of 2 items for query 1"),
        ),
        (
            [["a"], []],
            [["b"], ["a"]],
            {"item_scores": [[1], [np.nan]]},
            ("item_scores", "a score in each place", "null or NaN at position 0 of query 1"),
        ),
        (
            [["a"]],
            [["a"]],
            {"item_scores": [1]},
            ("item_scores", "a list of scores", "1 for query 0"),
        ),
        ([["a"]], [["a"]], {"item_scores": {"a": [1]}}, ("item_scores", "a sequence, like", None)),
        ([["a"]], [["a"]], {"item_scores": [{"a": 1}]}, ("item_scores", "a list of scores", None)),
        ([["a"]], [{"a": 1}], {"item_scores": [[1]]}, ("item_scores", "None, since", "[[1]]")),
        (
            {"q": ["a"]},
            {"q": ["a"]},
            {"item_scores": {"p": [1]}},
            ("item_scores", "a dict with the keys of retrieved", "1 query, without 'q'"),
        ),
        ({"q": ["a"]}, {1: ["a"]}, {}, ("retrieved", "text, like relevant", "numbers")),
        ({None: ["a"]}, {None: ["a"]}, {}, ("relevant", "an id in each place", None)),
        ([["a"]], [["a"]], {"queries": "some"}, ("queries", "'judged'", "'some'")),
        (
            {"q1 ": ["a"]},
            {"q1": ["a"]},
            {},
            ("retrieved", "both judged and predicted", "'q1 ' judged and 'q1' predicted"),
        ),
    ],
)
def test_bad_lists(relevant, retrieved, options, expected):
    parameter, key, got = expected
    with raises(parameter, key, function="from_lists", got=got):
        from_lists(relevant, retrieved, **options)


def test_series_of_other_queries():
    gold, found = (pd.Series([["a"], ["b"]], index=index) for index in (["x", "y"], ["y", "x"]))
    with raises("retrieved", "indexed like relevant"):
        from_lists(gold, found)
    assert ndcg_score(*from_lists(gold.to_dict(), found.to_dict())[:2]) == 0


def test_one_query_without_a_list_around_it():
    with raises("retrieved", "a list of ids", advice="pass `[retrieved]`"):
        from_lists(["a", "b"], ["b", "a"])


def test_one_relevant_id_is_a_list_of_one():
    gold, found = ["ab", ["c", "a"], None], [["b", "ab"], ["c"], []]
    data = from_lists(gold, found)
    assert data.notes[0] == "relevant: one id as text in 1 of 3 queries"
    expected = from_lists([["ab"], *gold[1:]], found)
    assert data.y_true.toarray().tolist() == expected.y_true.toarray().tolist()
    assert expected.notes == ("retrieved: ids, the best first",)
    frames = [pd.Series(gold[:1]), np.array(gold[:1]), np.array(gold[:1], object)]
    for one in frames:
        assert from_lists(one, found[:1]).y_score.toarray().tolist() == [[-2, -1]]
    by_query = from_lists({"q1": "refunds"}, {"q1": ["x", "refunds"]})
    assert by_query.y_true.toarray().tolist() == [[1, 0]]
    of_aspects = tables.from_lists({"q": {"1": "a", "2": ["b"]}}, {"q": ["a"]}, aspects=True)
    assert ndcg_score(of_aspects) == 0.5


def test_the_report_takes_lists():
    report = ranking_report(from_lists({"q2": ["a"], "q10": ["a"]}, {"q2": ["a"], "q10": []}))
    assert report["recall@100"] == 0.5


def test_grades_and_scores_of_records_are_not_lost():
    found = [["b", "a"]]
    for name in ("grade", "label"):
        data = from_lists([[{"id": "a", name: 3}, {"id": "b", name: 0}]], found)
        assert data.y_true.toarray().tolist() == [[3, 0]]
    both = from_lists([[{"id": "a", "grade": 2, "label": 1}]], found)
    assert both.y_true.toarray()[0, 0] == 2
    for name in ("relevance", "Rating", "score"):
        with raises("relevant", "records with 'grade'", got=f"records with 'id', '{name}'"):
            from_lists([[{"id": "a", name: 3}]], found)
    for name in ("similarity", "Score"):
        with raises("retrieved", "records with 'score'", got=f"records with 'id', '{name}'"):
            from_lists([["a"]], [[{"id": "a", name: 0.3}]])
    judged = [[{"id": "a", "is_relevant": True}, {"id": "b", "is_relevant": False}]]
    with raises("relevant", "records with 'grade'", advice="Rename the field of grades"):
        from_lists(judged, found)
    ranked = [[{"id": "b", "rank": 2}, {"id": "a", "rank": 1}], [{"id": "a", "rank": 1}]]
    with raises("retrieved", "records with 'score'", advice="Rename the field of scores"):
        from_lists([["a"], ["a"]], ranked)
    in_order = from_lists([["a"], ["a"]], [ranked[0][::-1], ranked[1]])
    assert in_order.y_score.toarray().tolist() == [[-1, -2], [-1, 0]]
    plain = from_lists([[{"id": "a", "text": "x"}, "b"]], [[{"id": "a", "size": 0.3}]])
    assert (plain.y_true.toarray().tolist(), plain.y_score.toarray()[0, 0]) == ([[1, 1]], -1)


def test_tuples_and_places_without_an_item_are_no_grades_and_no_ids():
    with raises("relevant", "ids of the kind of those in retrieved", got="tuples, which are ids"):
        from_lists([[("a", 2), ("b", 1)]], [["a", "b"]])
    with raises("relevant", "without -1", advice="`[row[row >= 0] for row in relevant]`"):
        from_lists(np.array([[1, -1], [3, 4]]), np.array([[1, 5], [3, 1]]))


def test_lists_of_rare_types_are_read():
    texts = tables.from_lists(np.array(["a", "b"]), [["a"], ["b"]])
    assert ndcg_score(texts) == 1
    assert ndcg_score(tables.from_lists([["a", "b"], {"c"}], [["a"], ["c"]]), k=1) == 1
    data = tables.from_lists([["a"]], [deque(["x", "a", "b", "c", "d"])])
    assert ndcg_score(data, k=1) == 0
    assert ndcg_score(data, k=2) > 0
    assert ndcg_score(tables.from_lists([["a"]], deque([["a", "b"]])), k=1) == 1
    data = tables.from_lists([["a"]], [["x", "a", "b"]], item_scores=[deque([1, 3, 2])])
    assert ndcg_score(data, k=1) == 1


def test_a_distance_may_be_missing():
    table = {"query": ["q"] * 3, "item": [*"abc"], "label": [1, 0, 1]}
    table["distance"] = [0.1, 0.2, None]
    data = from_table(table, query="query", item="item", label="label", score="distance")
    assert data.y_score.toarray().tolist() == [[-0.1, -0.2, 0.0]]


GRADED = {"a": {"x": 2, "y": 1}, "b": {}, "c": {"z": 1}, "d": {}}
RANKED = {"a": {"y": 0.5, "x": 0.4}, "b": {"x": 0.9}, "c": {}, "d": {}}


@quietly
@pytest.mark.parametrize("read", [tables.from_lists, from_lists], ids=["lazily", "at once"])
@pytest.mark.parametrize("nothing", [[], (), {}, set(), None, np.zeros(0)], ids=repr)
def test_an_empty_list_is_an_empty_dict(read, nothing):
    expected = ranking_report(read(GRADED, RANKED), scores=["ndcg@1", "map"], no_answer=True)
    gold = {query: own or nothing for query, own in GRADED.items()}
    ranked = {query: own or nothing for query, own in RANKED.items()}
    pairs = [(gold, RANKED)]
    if type(nothing) is not set:  # which has no order, so it is no list of what was retrieved
        pairs += [(GRADED, ranked), (gold, ranked)]
    for pair in pairs:
        assert ranking_report(read(*pair), scores=["ndcg@1", "map"], no_answer=True) == expected
    ids = [["x"], nothing, ["y"]]
    found = [["x"], ["y"], ["x"]]
    report = ranking_report(read(ids, found), scores="ndcg@1", replace_undefined_by=np.nan)
    assert report.to_dict() == {"ndcg@1": 0.5}


def test_most_of_many_rows_of_one_table_count():
    n_queries = 750
    table = {
        "query": np.repeat(np.arange(n_queries), 2),
        "item": np.tile([1, 2], n_queries),
        "label": np.tile([1, 2], n_queries),
        "score": np.tile([0.5, 0.25], n_queries),
    }
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    assert ndcg_score(tables.from_table(table, **names), k=1) == 0.5
