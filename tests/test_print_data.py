"""What data by id shows of itself in print."""

from __future__ import annotations

import numpy as np
import pytest
from raising import raises
from scipy.sparse import csr_array

from ranking_scores.tables import RankingData, from_lists, from_table, from_tables
from ranking_scores.trec import from_pytrec_eval

NAMES = {"query": "u", "item": "i", "label": "l"}
quietly = pytest.mark.filterwarnings("ignore:No (relevant|judged) item", "ignore:.*share only")


@pytest.mark.filterwarnings("ignore:.*left out, since they are not in qrel")
def test_data_shows_what_is_in_it():
    gold = {"q1": {"a": 1, "b": 1}, "q2": {"c": 2, "d": 1}, "q3": {}}
    found = {"q1": {"x": 1.0, "a": 1.0}, "q2": {"c": 3.0}, "q9": {"z": 1.0}}
    expected = [
        "RankingData from lists",
        "queries             3 judged, 3 predicted, 2 both",
        "judged items        4; per query 2 (0 to 2)",
        "predicted items     3; per query 1 (0 to 2)",
        "judged among these  66.7 %",
        "labels              1 (3 times), 2 (once)",
        "ties                in 1 of 3 queries",
        "1 query was predicted but not judged, and is left out: 'q9'",
        "1 query was judged but not predicted, and counts 0: 'q3'",
    ]
    data = from_lists(gold, found)
    assert repr(data).splitlines() == expected
    assert str(data) == repr(data)
    of_pytrec_eval = str(from_pytrec_eval(gold, found)).splitlines()
    assert of_pytrec_eval == ["RankingData from dicts of pytrec_eval", *expected[1:]]
    arrays = str(RankingData(*data)).splitlines()
    assert arrays[:2] == [
        "RankingData from arrays",
        "queries             2 judged, 2 predicted, 2 both",
    ]
    assert arrays[2:] == expected[2:7]


def test_empty_ranks_are_no_predictions():
    judged = {"u": [1, 1, 2], "i": [1, 2, 1], "l": [0.5, -1, 3]}
    found = {"u": [1, 1], "i": [1, 5], "r": [2, 7]}
    lines = str(from_tables(judged, found, **NAMES, rank="r")).splitlines()
    assert lines[0] == "RankingData from two tables"
    assert lines[3:7] == [
        "predicted items     2; per query 1 (0 to 2)",
        "judged among these  50.0 %",
        "labels              -1 (once), 0.5 (once), 3 (once)",
        "ties                none",
    ]
    held = from_lists([["a"]], [["a", "a", "b"]], duplicates="hold")
    assert "predicted items     2; per query 2\n" in str(held)


@quietly
def test_data_without_anything_shows_it():
    text = str(from_lists([[]], [[]]))
    assert text.splitlines()[2:] == [
        "judged items        0; per query 0",
        "predicted items     0; per query 0",
        "judged among these  none was predicted",
        "labels              none",
        "ties                none",
    ]
    nothing = csr_array((0, 0))
    assert "judged items        0\n" in str(RankingData(nothing, nothing, [], np.array([])))


def test_many_labels_are_counted_and_large_numbers_are_parted():
    table = {"u": [0] * 2000, "i": range(2000), "l": np.arange(2000) / 4, "s": np.arange(2000)}
    lines = str(from_table(table, query="u", item="i", label="l", score="s")).splitlines()
    assert lines[0] == "RankingData from one table"
    assert lines[2] == "judged items        2,000; per query 2,000"
    assert lines[5] == "labels              2,000 different ones from 0 to 499.75"


def test_columns_may_be_in_any_order_and_scores_of_any_dtype():
    y_score = csr_array(
        (np.array([1, 1, 2], np.float32), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3)
    )
    data = RankingData(csr_array([[0, 0, 1], [1, 0, 0]]), y_score, ["a", "b"], np.arange(3))
    assert str(data).splitlines()[4:] == [
        "judged among these  33.3 %",
        "labels              1 (2 times)",
        "ties                in 1 of 2 queries",
    ]


def test_in_html_everything_is_escaped():
    data = from_lists({"<b>": ["a"]}, {"<b>": ["a"], "&c": ["d"]})
    html = data._repr_html_()
    assert html.startswith(
        "<table><caption>RankingData from lists</caption><tbody><tr><th>queries"
    )
    assert (
        "<p>1 query was predicted but not judged, and is left out: &#x27;&amp;c&#x27;</p>" in html
    )
    assert "<b>" not in html


def test_printing_reads_everything():
    data = from_lists([["a"]], [["a", "b", "c", "c"]])
    with raises("retrieved", "each item only once"):
        str(data)
