"""Tables, columns and names that cannot be joined are refused, with what to do about it."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joined_tables import (
    EXPLODE,
    JUDGMENTS,
    NAMES,
    NO_ID,
    PAIR,
    PREDICTIONS,
    TOLERANCE,
    as_bits,
    check_message,
)
from raising import raises
from read_at_once import from_table, from_tables

import ranking_scores
from ranking_scores import (
    hit_rate_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    recall_at_k_score,
    tables,
)
from ranking_scores.exceptions import InvalidParameterError

NOTHING = {"q": [], "i": [], "s": []}
HIGHEST_LABEL = (
    "With duplicates='best' or 'hold', the highest label of an item counts. "
    "With duplicates='mean', 'median' or 'majority', all its labels count."
)
ONE_OF_AN_ASPECT = (
    "If queries have aspects, such as subtopics, name their column with `aspect`, so that an item "
    "may be there once for each of them."
)
BEST_OR_HOLD = (
    "With duplicates='best', each item counts once, at its best place. With duplicates='hold', "
    "its other places stay, too, and are not relevant."
)
NOT_PREDICTED = "Drop the rows of items that were not predicted."
ONE_TABLE = "If the two tables are already joined, use `from_table`."
NUMBERS = "has bools, ints or floats. Got dtype {} instead."
AS_NUMBERS = "Convert it to numbers first, for example with `.astype(float)`."
SCORE = "must be the name of a column, or None if `rank` is passed."
ONE_OF = "Pass either `score` or `rank`."
A_NAME = "must be the name of a column, or a pair of names, in judgments and in predictions."
RANKS = "must be a table whose column 's' has whole numbers from 1 on."
NOT_RANKS = (
    "Add 1 to ranks that begin with 0, and drop the rows of items that were not predicted. If "
    "the numbers are not ranks, they may be scores."
)
A_TABLE = "must be a table, such as a frame of pandas or polars, or a dict of columns."
MATCH = "has a query that is both judged and predicted."
EQUAL = "has only queries that are both judged and predicted, and all of them."
ACCEPTED = "With queries='judged', such queries are no error."
RANKED = {"score": None, "rank": "s"}

# What differs from PREDICTIONS, or what stands for it, what differs from NAMES, and the message.
BAD_PREDICTIONS = [
    (
        {"q": ["a", None, "b"]},
        {},
        f"'q' has an id in each row. Got null in row 1 instead. {NO_ID}",
    ),
    (
        {"i": np.array([1.0, np.nan, 2.0])},
        {},
        f"'i' has an id in each row. Got null in row 1, of query 'b', instead. {NO_ID}",
    ),
    *(
        (
            {"i": each},
            {},
            f"'i' has an id in each row. Got null in row 1, of query 'b', instead. {NO_ID}",
        )
        for each in (
            ["x", pd.NA, "y"],
            pd.Series(["x", None, "y"]),
            pd.Series(["x", None, "y"], dtype=object),
            pd.Series([1, None, 2], dtype="Int64"),
            pd.Categorical(["x", None, "y"], categories=["y", "x"]),
            pl.Series(["x", None, "y"]),
            pl.Series(["x", None, "y"], dtype=pl.Categorical),
            pl.Series([1, None, 2]),
            np.array(["2024-01-01", "NaT", "2024-01-02"], "M8[D]"),
        )
    ),
    *(
        (
            {"s": each},
            {},
            "'s' has a score in each row. Got null or NaN in row 1, of query 'b', instead. "
            f"{NOT_PREDICTED} {ONE_TABLE}",
        )
        for each in (
            [1, None, 2],
            [1, np.nan, 2],
            np.array([1, np.nan, 2], np.float16),
            np.array([1, None, 2], dtype=object),
            pd.Series([1, None, 2], dtype="Int64"),
            pl.Series([1, None, 2]),
            pl.Series([1.0, np.nan, 2]),
        )
    ),
    (
        {"s": [1, 2, -np.inf]},
        {},
        f"'s' has a finite score in each row. Got -inf in row 2, of query 'b', instead. "
        f"{NOT_PREDICTED}",
    ),
    ({"s": np.array(["1", "2", "3"])}, {}, f"'s' {NUMBERS.format('<U1')} {AS_NUMBERS}"),
    *(
        (
            {name: pd.MultiIndex.from_product([[1], [4, 5, 6]])},
            {},
            f"'{name}' has one value for each row. Got a MultiIndex of 2 levels instead. Select "
            f"one level first, for example with `.get_level_values(0)`.",
        )
        for name in ("q", "s")
    ),
    *(
        ({"s": each}, {}, f"'s' {NUMBERS.replace('dtype {}', got)}{more}")
        for each, got, more in (
            (
                [Decimal("1.5")] * 3,
                "Decimal('1.5') in row 0",
                " Convert it to numbers first, for example with `list(map(float, ...))`.",
            ),
            (
                pl.Series([None, Decimal("1.5"), Decimal(2)]),
                "Decimal('1.5') in row 1",
                " Convert it to numbers first, for example with `.cast(float)`.",
            ),
            (pd.Series([1, None, "7"], dtype=object), "'7' in row 2", f" {AS_NUMBERS}"),
            ([datetime.timedelta(1)] * 3, "datetime.timedelta(days=1) in row 0", ""),
            (np.ones(3, "m8[s]"), "dtype timedelta64[s]", ""),
            (pd.Series([[1], [2], [3]]), "[1] in row 0", ""),
            (pd.Series([2**70, 1, 2]), "dtype object", f" {AS_NUMBERS}"),
        )
    ),
    *(
        (
            {name: each},
            {},
            f"'{name}' has one value for each row. Got dtype {dtype} instead. {advice}",
        )
        for each, dtype, advice in (
            (pl.Series([[1], [2], [3]]), "List(Int64)", EXPLODE),
            (
                pl.Series([[1], [2], [3]], dtype=pl.Array(int, 1)),
                "Array(Int64, shape=(1,))",
                EXPLODE,
            ),
            (
                pl.Series([{"a": [1]}] * 3),
                "Struct({'a': List(Int64)})",
                "Make a column of one of its fields first.",
            ),
        )
        for name in ("i", "s")
    ),
    *(
        (
            {name: each},
            {},
            f"'{name}' has one value for each row. Got {got} instead. Pass a list or an array.",
        )
        for each, got in (
            ({1}, "{1}"),
            ("xyz", "'xyz'"),
            (b"xyz", "b'xyz'"),
            ({"x": 1}.keys(), "dict_keys(['x'])"),
            ({"x": 1}.values(), "dict_values([1])"),
            ({"x": 1}, "{'x': 1}"),
        )
        for name in ("i", "s")
    ),
    ({"s": np.ones(3, "M8[D]")}, {}, f"'s' {NUMBERS.format('datetime64[D]')}"),
    (
        {"q": ["b", "b", "b"], "i": ["x", "y", "x"]},
        {},
        "'i' has each item only once per query. Got item 'x' more than once for query 'b' "
        "instead. Keep one row of each, such as the one with the highest score. "
        f"{BEST_OR_HOLD}",
    ),
    (
        {"q": ["c", "d", "e"]},
        {},
        f"'q' {MATCH} Got 'a', 'b' judged and 'c', 'd', 'e' predicted instead.",
    ),
    (
        {"q": list("cdefg"), "i": list("cdefg"), "s": range(5)},
        {},
        f"'q' {MATCH} Got 'a', 'b' judged and 'c', 'd', 'e', … predicted instead.",
    ),
    (NOTHING, {"queries": "both"}, f"'q' {MATCH} Got 'a', 'b' judged and none predicted instead."),
    (
        NOTHING,
        {"queries": "equal"},
        f"'q' {EQUAL} Got 2 of 2 queries that are judged and not predicted, such as 'a', instead. "
        f"{ACCEPTED}",
    ),
    (
        {"q": ["a", "b", "c"]},
        {"queries": "equal"},
        f"'q' {EQUAL} Got 1 of 3 queries that are not judged, such as 'c', instead. {ACCEPTED}",
    ),
    (
        {"i": [True, 1, 2]},
        {},
        "'i' has ids that can be told apart. Got bools beside numbers instead.",
    ),
    (
        {"i": np.ones(3, complex)},
        {},
        "'i' has ids that are text, numbers or dates. Got dtype complex128 instead.",
    ),
    ({"i": np.ones((3, 1))}, {}, "'i' has one value for each row. Got shape (3, 1) instead."),
    ({"s": 3}, {}, "'s' has one value for each row. Got 3 instead."),
]
BAD_RANKS = [
    ([0, 1, 2], f"{RANKS} Got 0 in row 0, of query 'a', instead. {NOT_RANKS}"),
    ([1, 2.5, 2], f"{RANKS} Got 2.5 in row 1, of query 'b', instead. {NOT_RANKS}"),
    ([1, np.inf, 2], f"{RANKS} Got inf in row 1, of query 'b', instead. {NOT_RANKS}"),
    ([True, True, True], f"{RANKS} Got dtype bool instead."),
    *(
        (
            [1, 2, rank],
            "must be a table whose column 's' has ranks that leave at most 48 positions free in "
            f"a query, 16 per row, and {2**23} in all. Got rank {rank} for query 'b' instead. "
            f"Drop the rows with ranks beyond {rank - 1}. With queries='judged', no score at a "
            f"cutoff of at most {rank - 1} changes.",
        )
        for rank in (51, 2**63)
    ),
]


@pytest.mark.parametrize(("columns", "names", "message"), BAD_PREDICTIONS)
def test_bad_predictions(columns, names, message):
    message = f"must be a table whose column {message}"
    predictions = PREDICTIONS | columns
    check_message("predictions", message, from_tables, JUDGMENTS, predictions, **NAMES | names)


@pytest.mark.parametrize(("ranks", "message"), BAD_RANKS)
def test_bad_ranks(ranks, message):
    wide = np.uint64 if 2**63 in ranks else None
    predictions = PREDICTIONS | {"s": np.array(ranks, dtype=wide)}
    check_message("predictions", message, from_tables, JUDGMENTS, predictions, **NAMES | RANKED)


def test_the_highest_rank_that_is_filled():
    data = from_tables(JUDGMENTS, PREDICTIONS | {"s": [1, 2, 50]}, **NAMES | RANKED)
    assert data.y_score.shape == (2, 3 + 48)
    assert sorted(data.y_score[[1]].data) == list(range(-50, 0))


@pytest.mark.parametrize(
    ("n_users", "deepest"),
    [(1, 18), (1, 60), (40, 60), (40, 10_000), (40, 2**40), (2000, 5000)],
)
def test_the_cure_for_deep_ranks_changes_no_score_up_to_its_cutoff(n_users, deepest, monkeypatch):
    monkeypatch.setattr("ranking_scores._tables._join._FILLERS", 0)
    rng = np.random.default_rng(0)
    # Each user has one item that was held out, and its rank among all items.
    rank = np.minimum((rng.pareto(0.5, n_users) * 3).astype(np.int64) + 1, deepest)
    rank[n_users // 2 :] = deepest
    users = np.arange(n_users)
    judgments = {"user": users, "item": users % 7}
    predictions = judgments | {"rank": rank}
    names = {"query": "user", "item": "item", "rank": "rank"}
    query = int(np.argmax(rank))
    text = f"Got rank {deepest} for query {query} instead. Drop the rows with ranks beyond "
    with pytest.raises(InvalidParameterError, match=text) as caught:
        from_tables(judgments, predictions, **names)
    last = int(re.search("cutoff of at most ([0-9]+)", str(caught.value))[1])
    fitting = [k for k in [*rank, 0] if (rank[rank <= k] - 1).sum() <= 16 * (rank <= k).sum()]
    assert last == rank[rank > max(fitting)].min() - 1 >= 17
    is_kept = rank <= last
    kept = {name: each[is_kept] for name, each in predictions.items()}
    if is_kept.any():
        data = from_tables(judgments, kept, **names)
    else:
        data = from_tables(judgments, {"user": [], "item": [], "rank": []}, **names)
    assert data.y_score.nnz <= 17 * is_kept.sum()
    for k in (1, 10, last):
        found = rank <= k
        gain = np.where(found, 1 / np.log2(1 + rank), 0)
        assert hit_rate_score(data.y_true, data.y_score, k=k, average=None).tolist() == [*found]
        values = ndcg_score(data.y_true, data.y_score, k=k, average=None)
        assert values == pytest.approx(gain, rel=TOLERANCE, abs=0)
    joined = judgments | {"label": np.ones(n_users), "rank": np.where(is_kept, rank, np.nan)}
    one = from_table(joined, **names, label="label")
    assert as_bits(one)[0][1] == as_bits(data)[0][1]


def test_the_rank_of_one_held_out_item_for_each_user_may_be_deep():
    rank = np.random.default_rng(0).integers(1, 10_000, 1000)
    columns = {"q": np.arange(1000), "i": np.arange(1000), "r": rank}
    data = from_tables(columns, columns, query="q", item="i", rank="r")
    values = mean_reciprocal_rank_score(data.y_true, data.y_score, average=None)
    assert values.tolist() == (1 / rank).tolist()
    assert data.item_ids.tolist()[1000:] == [None] * (rank.max() - 1)


def test_fillers_of_all_queries_need_no_more_memory_than_the_rows():
    n_users = 3000
    users = np.arange(n_users)
    columns = {"q": users, "i": users, "r": np.full(n_users, 17)}
    names = {"query": "q", "item": "i", "rank": "r"}
    data = from_tables(columns, columns, **names)
    assert data.y_score.nnz == 17 * n_users
    columns["r"] = np.full(n_users, 16 * n_users)  # each of which is less than 16 for each row
    message = (
        "must be a table whose column 'r' has ranks that leave at most 48000 positions free in a "
        f"query, 16 per row, and {2**23} in all. Got rank 48000 for query 0 instead. Drop the "
        "rows with ranks beyond 47999. With queries='judged', no score at a cutoff of at most "
        "47999 changes."
    )
    check_message("predictions", message, from_tables, columns, columns, **names)


@pytest.mark.parametrize(
    ("judgments", "message"),
    [
        (3, f"{A_TABLE} Got 3 instead."),
        (np.ones((2, 2)), f"{A_TABLE} Got an array of shape (2, 2) and dtype float64 instead."),
        (pl.Series([1]), f"{A_TABLE} Got a Series instead."),
        (
            pd.DataFrame([[1, 2, 3]], columns=list("qii")),
            "must be a table with one column 'i'. Got 2 of that name instead.",
        ),
        (
            pd.DataFrame({"q": [1], "g": [2]}),
            "must be a table with the column 'i'. Got the columns 'q', 'g' instead. "
            f"{PAIR.format('item')}",
        ),
        (
            {"q": [1], "i": [2]},
            "must be a table with the column 'g'. Got the columns 'q', 'i' instead. `label=` "
            "takes the name of the column in the table.",
        ),
        (
            {},
            f"must be a table with the column 'q'. Got no columns instead. {PAIR.format('query')}",
        ),
        (
            JUDGMENTS | {"g": [1]},
            "must be a table whose columns have the same length. Got 3 in 'q', 3 in 'i', 1 in 'g' "
            "instead.",
        ),
        (
            JUDGMENTS | {"g": [1, np.inf, 2]},
            "must be a table whose column 'g' has a finite label in each row. Got inf in row 1, "
            "of query 'a', instead. Drop such rows, or give them a label.",
        ),
        (
            JUDGMENTS | {"g": [1, 0, None]},
            "must be a table whose column 'g' has a label in each row. Got null or NaN in row 2, "
            "of query 'b', instead. Drop the rows of items that were not judged. " + ONE_TABLE,
        ),
        (
            JUDGMENTS | {"i": np.fromiter([[1], [2], [3]], dtype=object)},
            "must be a table whose column 'i' has ids that can be told apart. Got unhashable "
            "type: 'list' instead.",
        ),
        (
            {name: [] for name in JUDGMENTS},
            "must be a table with at least one row. Got no rows instead.",
        ),
    ],
)
def test_bad_judgments(judgments, message):
    check_message("judgments", message, from_tables, judgments, PREDICTIONS, **NAMES)


class Expression:
    """What compares as a column of polars does, of which the result is no bool."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return Expression()

    def __repr__(self):
        return "an expression"


@pytest.mark.parametrize(
    ("names", "parameter", "message"),
    [
        ({"rank": "r"}, "score", f"{SCORE} Got 's' and rank='r' instead. {ONE_OF}"),
        ({"query": (None, "q")}, "query", f"{A_NAME} Got (None, 'q') instead."),
        *(
            (names, name, f"{expected} Got {got} instead.")
            for given, got in (
                (np.ones(3), "an array of shape (3,) and dtype float64"),
                (pd.Series(range(9)), "a Series"),
                (pl.Series(range(9)), "a Series"),
                ({"s"}, "{'s'}"),
                (Expression(), "an expression"),
            )
            for names, name, expected in (
                ({"label": given}, "label", "must be the name of a column."),
                ({"score": given}, "score", "must be the name of a column."),
                ({"score": None, "rank": given}, "rank", "must be the name of a column."),
                ({"query": given}, "query", A_NAME),
                ({"item": given}, "item", A_NAME),
            )
        ),
        ({"item": ("a", {"b"})}, "item", f"{A_NAME} Got ('a', {{'b'}}) instead."),
        ({"score": ["s"]}, "score", "must be the name of a column. Got ['s'] instead."),
        ({"item": ("a", "b", "c")}, "item", f"{A_NAME} Got ('a', 'b', 'c') instead."),
        (
            {"queries": "any"},
            "queries",
            "must be 'judged', 'both', 'all' or 'equal'. Got 'any' instead.",
        ),
    ],
)
def test_bad_names(names, parameter, message):
    check_message(parameter, message, from_tables, JUDGMENTS, PREDICTIONS, **NAMES | names)


def test_bad_names_in_one_table():
    table = {"q": [1], "g": [1], "s": [1]}
    for name in ("query", "label"):
        names = {"query": "q", "label": "g", "score": "s"} | {name: None}
        message = (
            f"must be a table with one column whose name is known as that of the {name}. Got the "
            f"columns 'q', 'g', 's' instead. Name it with `{name}=`."
        )
        check_message("table", message, from_table, table, **names)
    for name in ("query", "item", "label", "score"):
        names = {"query": "q", "label": "g", "score": "s"} | {name: table["s"]}
        message = "must be the name of a column. Got [1] instead."
        check_message(name, message, from_table, table, **names)
    message = (
        "must be a table with the column 'x'. Got the columns 'q', 'g', 's' instead. `query=` "
        "takes the name of the column in the table."
    )
    check_message("table", message, from_table, table, query="x", label="g", score="s")


TWICE = (
    "must be a table whose column 'i' has each item only once per query. Got item 7 more than "
    "once for query 1 instead. "
)


@pytest.mark.parametrize(
    ("columns", "advice"),
    [
        (
            {"g": [1, None], "s": [None, 0.5]},
            "One row has the label and another the score. Merge the two tables instead of "
            "concatenating them.",
        ),
        (
            {"g": [None, 1], "r": [1, None]},
            "One row has the label and another the rank. Merge the two tables instead of "
            "concatenating them.",
        ),
        ({"g": [1, 1], "s": [None, 0.5]}, f"Keep one row of each. {BEST_OR_HOLD}"),
        ({"g": [1, None], "s": [None, None]}, f"Keep one row of each. {BEST_OR_HOLD}"),
        ({"g": [1, 0], "s": [2, 0.5]}, f"Keep one row of each. {BEST_OR_HOLD}"),
    ],
)
def test_an_item_twice_in_one_table(columns, advice):
    table = {"q": [0, 1, 1], "i": [7, 7, 7]} | {name: [1, *columns[name]] for name in columns}
    names = NAMES if "s" in columns else NAMES | {"score": None, "rank": "r"}
    check_message("table", TWICE + advice, from_table, table, **names)


@pytest.mark.parametrize(
    ("parameter", "names", "advice"),
    [
        (
            "judgments",
            {"label": "v"},
            f", such as the one with the highest label. {HIGHEST_LABEL} {ONE_OF_AN_ASPECT}",
        ),
        ("judgments", {}, f". {HIGHEST_LABEL} {ONE_OF_AN_ASPECT}"),
        (
            "predictions",
            {"score": "v"},
            f", such as the one with the highest score. {BEST_OR_HOLD}",
        ),
        ("predictions", {"rank": "v"}, f", such as the one with the lowest rank. {BEST_OR_HOLD}"),
    ],
)
def test_an_item_twice_for_a_query(parameter, names, advice):
    tables = {each: {"q": [1], "i": [7], "v": [1]} for each in ("judgments", "predictions")}
    tables[parameter] = {"q": [1, 1], "i": [7, 7], "v": [1, 2]}
    names = {"query": "q", "item": "i", "score": None if "rank" in names else "v"} | names
    message = f"{TWICE}Keep one row of each{advice}"
    check_message(parameter, message, from_tables, *tables.values(), **names)


@pytest.mark.parametrize(
    ("columns", "names", "message"),
    [
        (
            {"s": [1, -np.inf, None]},
            {},
            "'s' has a finite score in each row. Got -inf in row 1, of query 'a', instead. Set "
            "it to null if the item was not predicted.",
        ),
        (
            {"g": [1, None, np.inf]},
            {},
            "'g' has a finite label in each row. Got inf in row 2, of query 'b', instead. Set it "
            "to null if the item was not judged.",
        ),
        (
            {"s": [1, None, -1]},
            RANKED,
            "'s' has whole numbers from 1 on. Got -1 in row 2, of query 'b', instead. Add 1 to "
            "ranks that begin with 0, and set those of items that were not predicted to null. If "
            "the numbers are not ranks, they may be scores.",
        ),
        (
            {"s": [1, None, 40]},
            RANKED,
            "'s' has ranks that leave at most 32 positions free in a query, 16 per row, and "
            "8388608 in all. Got rank 40 for query 'b' instead. Set ranks beyond 39 to null. "
            "With queries='judged' or 'all', no score at a cutoff of at most 39 changes.",
        ),
        (
            {"g": [None] * 3},
            {},
            "'g' has a label in at least one row. Got null or NaN in each instead.",
        ),
    ],
)
def test_bad_columns_of_one_table(columns, names, message):
    table = {"q": ["a", "a", "b"], "i": ["x", "y", "x"], "g": [1, 2, 0], "s": [1, 2, 3]} | columns
    message = f"must be a table whose column {message}"
    check_message("table", message, from_table, table, **NAMES | names)


def test_one_table_without_rows():
    table = {"q": [], "i": [], "g": [], "s": []}
    message = "must be a table with at least one row. Got no rows instead."
    check_message("table", message, from_table, table, **NAMES)


def test_columns_of_a_dict_are_indexed_alike():
    columns = {name: pd.Series(each, index=[5, 7, 9]) for name, each in PREDICTIONS.items()}
    expected = as_bits(from_tables(JUDGMENTS, PREDICTIONS, **NAMES))
    assert as_bits(from_tables(JUDGMENTS, columns, **NAMES)) == expected
    assert as_bits(from_tables(JUDGMENTS, columns | {"i": ["x", "z", "x"]}, **NAMES)) == expected
    columns |= {"i": columns["i"][::-1]}
    text = (
        "The \"predictions['i']\" parameter of from_tables must be indexed like predictions['q']. "
        "Got an index with 9 in row 0, where predictions['q'] has 5, instead. Sort them "
        "alike, or pass `.to_numpy()` if rows match by position."
    )
    with pytest.raises(InvalidParameterError) as caught:
        from_tables(JUDGMENTS, columns, **NAMES)
    assert str(caught.value) == text


def test_no_judged_item_among_the_predictions_is_a_warning():
    text = "No judged item is among the predictions"
    data = ranking_scores.from_tables(JUDGMENTS, PREDICTIONS | {"i": ["u", "v", "w"]}, **NAMES)
    with pytest.warns(UserWarning, match=text) as caught:
        ndcg_score(data, k=1)
    assert ndcg_score(data, k=3) == 0  # without a second warning
    assert (
        str(caught[0].message)
        == f"{text}. Check that both tables use the same item ids. They have 'x' and 'u'."
    )
    assert caught[0].filename == __file__
    table = {"q": [1, 1], "g": [1, None], "s": [None, 1]}
    data = ranking_scores.from_table(table, query="q", label="g", score="s")
    with pytest.warns(UserWarning, match=text) as caught:
        ndcg_score(data, k=5)
    assert str(caught[0].message) == (
        f"{text}: no row has both a label and a score. If two tables were concatenated, merge "
        "them by the ids of queries and items."
    )
    assert caught[0].filename == __file__


MASKED = {"mask": [False, True]}


def masked_tables():
    """Yield two tables of which one has a masked value in a column, and which one."""
    columns = {
        "judgments": {"q": [1, 1], "i": [7, 8], "l": [1, 1]},
        "predictions": {"q": [1, 1], "i": [7, 8], "s": [2.0, 1.0]},
    }
    for table, own in columns.items():
        for name in own:
            masked = own | {name: np.ma.array(own[name], **MASKED)}
            yield table, [*(columns | {table: masked}).values()]
    masked = [own | {"i": np.ma.array(own["i"], mask=[True, False])} for own in columns.values()]
    yield "judgments", masked


def test_masked_values_are_refused_at_every_depth():
    names = {"query": "q", "item": "i", "label": "l", "score": "s"}
    for table, both in masked_tables():
        with raises(table, "without masked elements", got="1 masked element"):
            tables.from_tables(*both, **names)
    one = {"q": [1, 1], "i": np.ma.array([7, 8], **MASKED), "l": [1, 0], "s": [2.0, 1.0]}
    with raises("table", "without masked elements"):
        tables.from_table(one, **names)
    lists, masked = (
        {"relevant": [[7]], "retrieved": [[7, 8]]},
        np.ma.array([[7, 8]], mask=[[0, 1]]),
    )
    for name in lists:
        for values in (masked, [*masked]):
            with raises(name, "without masked elements"):
                tables.from_lists(**(lists | {name: values}))
    with raises("item_scores", "without masked elements"):
        tables.from_lists(**lists, item_scores=masked)
    whole = np.ma.array([[7, 8]])
    data = tables.from_lists(whole, whole)
    assert recall_at_k_score(data, k=[1, 2]).tolist() == [0.5, 1.0]


@pytest.mark.parametrize("k", [1, 2, None])
def test_two_judgments_of_one_item_are_refused_at_every_depth(k):
    names = {"query": "q", "item": "i", "label": "l", "score": "s"}
    run = {"q": [1, 1, 1], "i": [7, 9, 8], "s": [3.0, 2.0, 1.0]}
    for item in (7, 8, 1):
        data = tables.from_tables({"q": [1, 1], "i": [item] * 2, "l": [1, 2]}, run, **names)
        with raises(
            "judgments", "each item only once", got=f"item {item} more than once for query 1"
        ):
            ndcg_score(data, k=k)
        data = tables.from_lists([[item, item]], [[7, 9, 8]])
        with raises("relevant", "each item only once"):
            ndcg_score(data, k=k)


def test_predictions_are_not_the_judgments():
    table = {"query": ["q"], "item": ["a"], "n": [1], "m": [0.5]}
    names = {"query": "query", "item": "item"}
    with raises("predictions", "another table than the judgments"):
        from_tables(table, table, **names, label="n", score="n")
    from_tables(table, table, **names, label="n", score="m")
    from_tables(table, dict(table), **names, label="n", score="n")
