"""What data by id shows of itself in print."""

from __future__ import annotations

import numpy as np
import pytest
from raising import raises
from scipy.sparse import csr_array

from ranking_scores._tables._ranking_data import Description
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
        "judged items        4; per query 0 to 2, median 2",
        "predicted items     3; per query 0 to 2, median 1",
        "judged among these  66.7 %",
        "labels              1 (3 times), 2 (once)",
        "ties                in 1 of 3 queries",
        "1 query was predicted but not judged, and is left out: 'q9'",
        "1 query was judged but not predicted, and counts 0: 'q3'",
    ]
    data = from_lists(gold, found)
    form = "retrieved: dicts of ids and scores"
    assert repr(data).splitlines() == [*expected[:7], form, *expected[7:]]
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
        "predicted items     2; per query 0 to 2, median 1",
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
        "retrieved: ids, the best first",
    ]
    nothing = csr_array((0, 0))
    assert "judged items        0\n" in str(RankingData(nothing, nothing, [], np.array([])))


def test_many_labels_are_counted_and_large_numbers_are_parted():
    table = {"u": [0] * 2000, "i": range(2000), "l": np.arange(2000) / 4, "s": np.arange(2000)}
    lines = str(from_table(table, query="u", item="i", label="l", score="s")).splitlines()
    assert lines[0] == "RankingData from one table"
    assert lines[2] == "judged items        2,000; per query 2,000"
    assert lines[5] == "labels              2,000 different ones from 0 to 499.75"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1234567, 1234568], "1,234,567 (once), 1,234,568 (once)"),
        ([2**53, 2**53 + 1], "9007199254740992 (once), 9007199254740993 (once)"),
        ([2.0**53 - 1, 1], "1 (once), 9,007,199,254,740,991 (once)"),
        ([0.12345678, 0.123456789], "0.12345678 (once), 0.123456789 (once)"),
        (np.array([0.1, 2], np.float32), "0.1 (once), 2 (once)"),
        ([-1.0, -1500.0], "-1,500 (once), -1 (once)"),
        ([-0.0, 1e300, np.inf], "0 (once), 1e+300 (once), inf (once)"),
        ([True, False], "0 (once), 1 (once)"),
        ([-12345.5, *range(8)], "9 different ones from -12345.5 to 7"),
        (range(8), ", ".join(f"{label} (once)" for label in range(8))),
    ],
)
def test_different_labels_look_different(labels, expected):
    y_true = csr_array((np.asarray(labels), np.arange(len(labels)), [0, len(labels)]))
    data = RankingData(y_true, csr_array(y_true.shape), [0], np.arange(len(labels)))
    assert str(data).splitlines()[5] == f"labels              {expected}"


def test_every_number_in_thousands_is_parted():
    n_items = np.array([1000] * 1500 + [2000])
    ones = csr_array((np.ones(n_items.sum(), int), *cells_of(n_items)), shape=(1501, 2000))
    data = RankingData(ones, ones, np.arange(1501), np.arange(2000))
    assert str(data).splitlines()[1:] == [
        "queries             1,501 judged, 1,501 predicted, 1,501 both",
        "judged items        1,502,000; per query 1,000 to 2,000, median 1,000",
        "predicted items     1,502,000; per query 1,000 to 2,000, median 1,000",
        "judged among these  100.0 %",
        "labels              1 (1,502,000 times)",
        "ties                in 1,501 of 1,501 queries",
    ]


def cells_of(n_items):
    """Return the columns and the starts of rows with so many items."""
    return np.concatenate([np.arange(n) for n in n_items]), np.append(0, n_items.cumsum())


def test_an_item_counts_as_judged_whatever_its_label_and_its_score():
    stored = (np.array([0, 1]), np.array([0, 1]), np.array([0, 2]))
    y_true, y_score = csr_array(stored, shape=(1, 3)), csr_array(([0, 0, 1], [0, 1, 2], [0, 3]))
    lines = str(RankingData(y_true, y_score, [0], np.arange(3))).splitlines()
    assert lines[4] == "judged among these  66.7 %"
    assert lines[6] == "ties                in 1 of 1 queries"


def test_no_query_is_both_judged_and_predicted():
    data = RankingData(csr_array([[1], [0]]), csr_array([[0], [1]]), ["a", "b"], np.array(["x"]))
    assert str(data).splitlines()[1] == "queries             1 judged, 1 predicted, 0 both"


def test_only_scores_of_items_tie():
    judged = {"u": [1, 2], "i": ["a", "a"], "l": [1, 1]}
    found = {"u": [1, 1, 2, 2], "i": ["a", "b", "a", "b"], "r": [2, 5, 3, 3]}
    lines = str(from_tables(judged, found, **NAMES, rank="r")).splitlines()
    assert lines[3] == "predicted items     4; per query 2"
    assert lines[6] == "ties                in 1 of 2 queries"


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
    html = Description("<0>", [("<1>", "<2>")], ["<3>"]).in_html()
    assert all(f"&lt;{number}&gt;" in html for number in range(4))


def test_printing_reads_everything():
    data = from_lists([["a"]], [["a", "b", "c", "c"]])
    with raises("retrieved", "each item only once"):
        str(data)
