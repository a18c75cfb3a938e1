"""An error carries its parts as data, and its message is made of them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from read_at_once import from_tables

from ranking_scores import (
    hit_rate_score,
    make_ranking_scorer,
    ndcg_score,
    ranking_report,
    retrieved_from_ids,
    sizes_from_qid,
)
from ranking_scores._base._errors import NOWHERE, Place, invalid, with_parts
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.trec import read_run

PARTS = ("parameter", "function", "expected", "got", "place", "advice", "code")
JUDGED = {"user": ["a", "a"], "film": [1, 2], "stars": [1.0, 2.0]}
COLUMNS = {"query": "user", "item": "film", "label": "stars", "score": "score"}


def error_of(function, *args, **params):
    """Return the error that a call raises."""
    with pytest.raises(InvalidParameterError) as caught:
        function(*args, **params)
    return caught.value


def of_table(rows, **changed):
    """Return the error about a table of predictions in which some columns are bad."""
    found = {"user": ["a"] * rows, "film": [*range(rows)], "score": [0.5] * rows}
    return error_of(from_tables, JUDGED, found | changed, **COLUMNS)


def test_all_parts_of_an_error():
    error = error_of(ndcg_score, [[1, 0], [-1, 0]], [[2, 1], [2, 1]])
    assert [getattr(error, part) for part in PARTS] == [
        "y_true",
        "ndcg_score",
        "at least 0, except below relevance_threshold",
        "the label -1",
        Place(query=1),
        "",
        "Replace negative labels by 0 if they gain nothing. Drop items that they mark as to leave "
        "out, or pass `where=y_true >= 0` for 2-D arrays. Are y_true and y_score swapped?",
    ]
    assert str(error) == (
        f"The 'y_true' parameter of ndcg_score must be {error.expected}. "
        f"Got the label -1 in query 1 instead. {error.code}"
    )


def test_a_bare_error_has_empty_parts():
    error = InvalidParameterError("what")
    assert [getattr(error, part) for part in PARTS] == ["", "", "", "", None, "", ""]
    assert str(error) == "what"


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy]
    + [lambda error, n=n: pickle.loads(pickle.dumps(error, n)) for n in range(6)],
)
def test_copies_keep_all_parts(copied):
    for error in (of_table(1, score=[np.nan]), InvalidParameterError("what")):
        again = copied(error)
        assert type(again) is InvalidParameterError
        assert str(again) == str(error)
        assert [getattr(again, part) for part in PARTS] == [getattr(error, part) for part in PARTS]


def test_with_parts_makes_a_new_error():
    error = invalid("k", "f", "an int", "'a'", "Count.", code="`int`", place=Place(row=3))
    new = with_parts(error, parameter="--cutoff", function="me", place=NOWHERE, code="")
    assert str(new) == "The '--cutoff' parameter of me must be an int. Got 'a' instead. Count."
    assert str(error) == (
        "The 'k' parameter of f must be an int. Got 'a' in row 3 instead. Count. `int`"
    )
    assert (error.parameter, error.place, new.expected) == ("k", Place(row=3), "an int")


TWICE = scipy.sparse.coo_array(([0.3, 0.2, 0.1], ([0, 1, 1], [0, 1, 1])), shape=(2, 2))
PLACES = [
    (
        lambda: error_of(ndcg_score, [[1, 0]], [[2, 1]], sample_weight=[-1]),
        Place(position=0),
        "Got -1.0 at position 0 instead",
    ),
    (
        lambda: error_of(ndcg_score, [[1, 0]], [[2, "a"]]),
        NOWHERE,
        "Got dtype <U21 instead",
    ),
    (
        lambda: error_of(ndcg_score, [[1, 0]], np.array([[2, "a"]], dtype=object)),
        Place(position=(0, 1)),
        "Got dtype object with 'a' at position 0, 1 instead",
    ),
    (
        lambda: error_of(hit_rate_score, ["b", "c"], np.eye(2), labels=["a", "b"], k=1),
        Place(row=1),
        "Got 'c' in row 1 instead",
    ),
    (
        lambda: error_of(ndcg_score, pl.Series([[1, 0], [1]]), pl.Series([[1, 0], [1, 0]])),
        Place(row=1),
        "Got length 2, where y_true has length 1, in row 1 instead",
    ),
    (
        lambda: error_of(ndcg_score, [[1, 0], [1, 0]], TWICE),
        Place(query=1),
        "Got item 1 more than once in query 1 instead",
    ),
    (
        lambda: error_of(ndcg_score, [[1, 0], [1, 0], [0, 1]], [[1, 0], [1, np.nan], [1, np.inf]]),
        Place(query=1, is_first=True),
        "Got NaN or infinity in 2 of 3 queries, the first of them query 1, instead",
    ),
    (
        lambda: error_of(ndcg_score, [1, 0, -1], [3, 2, 1], qid=["a", "a", "b"]),
        Place(query="b", query_is="qid"),
        "Got the label -1 in the query with qid 'b' instead",
    ),
    (
        lambda: error_of(
            ndcg_score, [1, 0], [3, np.nan], qid=np.array(["2026-01-02"] * 2, "M8[D]")
        ),
        None,
        "Got NaN or infinity in 1 of 1 queries, the first of them the query with qid "
        "datetime.date(2026, 1, 2), instead",
    ),
    (
        lambda: error_of(sizes_from_qid, [7, 8, 7]),
        Place(query=7, query_is="qid"),
        "Got other queries between rows 0 and 2 in the query with qid 7 instead",
    ),
    (
        lambda: error_of(retrieved_from_ids, [[0, 1], [-1, 2]], n_items=3),
        Place(position=0, query=1),
        "Got -1 before item 2 at position 0 of query 1 instead",
    ),
    (
        lambda: of_table(2, film=[3, 3]),
        Place(query="a", query_is="id", column="film"),
        "must be a table whose column 'film' has each item only once per query. Got item 3 more "
        "than once for query 'a' instead",
    ),
    (
        lambda: of_table(2, score=[0.5, np.inf]),
        Place(row=1, query="a", query_is="id", column="score"),
        "must be a table whose column 'score' has a finite score in each row. Got inf in row 1, "
        "of query 'a', instead",
    ),
    (
        lambda: of_table(2, user=["a", None]),
        Place(row=1, column="user"),
        "must be a table whose column 'user' has an id in each row. Got null in row 1 instead",
    ),
]


@pytest.mark.parametrize(("error", "place", "text"), PLACES)
def test_the_place_is_data_and_is_in_the_message(error, place, text):
    error = error()
    assert place in (None, error.place)
    assert text in str(error)
    assert str(error.place) not in error.got or not str(error.place)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (NOWHERE, ""),
        (Place(item=4), " in item 4"),
        (Place(query=np.datetime64("2026-01-02"), query_is="id"), " for query 2026-01-02"),
        (Place(query=np.int64(3), query_is="id"), " for query 3"),
        (Place(query=3, column="x", is_part=True), " in query 3, in a part of the column 'x',"),
        (
            Place(row=1, query="a", query_is="id", column="x", is_part=True),
            " in row 1, of query 'a', in a part of the column 'x',",
        ),
    ],
)
def test_the_text_of_a_place(place, text):
    assert str(place) == text


def test_only_a_whole_column_is_in_what_was_expected():
    place = Place(row=1, column="x")
    assert "must be a table whose column 'x' has y" in str(
        invalid("p", "f", "y", "z", place=place)
    )
    place = place._replace(is_part=True)
    assert "f must be y. Got z in row 1, in" in str(invalid("p", "f", "y", "z", place=place))


def test_the_line_of_a_file(tmp_path):
    path = str(tmp_path / "run")
    (tmp_path / "run").write_text("q Q0 a 1 2 tag\nq Q0 b 2 x tag\n", encoding="utf-8")
    error = error_of(read_run, path)
    assert error.place == Place(line=2, path=path)
    assert f"Got 'x' in line 2 of {path} instead." in str(error)


def test_an_item_without_a_query_is_named_by_its_number():
    # A call on labels alone, outside of any block of queries.
    from ranking_scores._queries._relevance import check_gain, check_stop_chance

    gain = check_gain("linear", None, "f", allow_negative=False)
    assert error_of(gain, np.array([1.0, -1.0])).place == Place(item=1)
    chance = check_stop_chance(2, None, "f")
    assert error_of(chance, np.array([1.0, 3.0])).place == Place(item=1)


def test_advice_for_all_and_advice_in_code_are_apart():
    error = error_of(ranking_report, [[1, 0]], [[2, 1]], scores="ndgc")
    assert (error.advice, error.code) == ("Did you mean 'ndcg' or 'dcg'?", "")
    error = error_of(make_ranking_scorer, ndcg_score, qid=[1])
    assert error.advice == ""
    assert "`.set_score_request(qid=True)`" in error.code
    error = of_table(2, film=["1", "2"])
    assert error.advice == "Ids of different kinds are never equal."
    assert error.code.startswith("Convert them to one kind, such as by `")
    error = error_of(ndcg_score, pd.Series([1, 0]), pd.Series([2, 1], index=[1, 0]), qid=[1, 1])
    assert error.advice == ""
    assert "`.to_numpy()`" in error.code
