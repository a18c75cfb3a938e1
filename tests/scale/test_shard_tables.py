"""Judgments and predictions in parts: the scores and the errors of both tables as a whole."""

from __future__ import annotations

import dataclasses
import itertools
import re
import warnings

import numpy as np
import pytest
from raising import raises

from ranking_scores import ndcg_score, precision_at_k_score, scale
from ranking_scores._tables._known_names import names_of_columns
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.scale._shards import ShardTables, TablesSeen
from ranking_scores.tables import from_tables

JUDGED = {"user": ["b", "a", "a", "c", "d"], "film": [1, 1, 2, 3, 4], "stars": [3, 1, 2, 0.5, 1]}
PREDICTED = {
    "user": ["a", "a", "b", "e", "c", "c"],
    "film": [2, 7, 1, 1, 9, 3],
    "score": [0.5, 0.5, 0.1, 0.9, 0.2, 0.1],
    "rank": [1, 4, 2, 9, 2, 2],
}


def shard_of(by="score", queries="judged", duplicates="error", **params):
    score, rank = (by, None) if by == "score" else (None, by)
    names = names_of_columns("scale.report_tables", "user", "film", "stars", score, rank)
    return ShardTables("ndcg", params, names, "scale.report_tables", queries, duplicates)


def part_of(table, users):
    is_there = np.isin(table["user"], users)
    return {
        name: np.asarray(column, object if name == "user" else None)[is_there]
        for name, column in table.items()
    }


def in_parts(shard, judged, predicted, parts=("ae", "b", "cd")):
    """Return the result of two tables whose parts are seen one by one."""
    sums, seen = shard.score.nothing, TablesSeen()
    for users in parts:
        of_part = shard.sums_of(part_of(judged, list(users)), part_of(predicted, list(users)))
        sums, seen = sums + of_part[0], seen + of_part[1]
    shard.check(seen)
    return [*shard.report_of(sums, seen, seen.has_found).mean.values()]


@pytest.mark.parametrize("by", ["score", "rank"])
@pytest.mark.parametrize("queries", ["judged", "both", "all"])
def test_parts_have_the_bits_of_the_whole(by, queries):
    data = from_tables(
        JUDGED, PREDICTED, query="user", item="film", label="stars", queries=queries, **{by: by}
    )
    score = in_parts(shard_of(by, queries, k=[1, 3]), JUDGED, PREDICTED)
    np.testing.assert_array_equal(score, ndcg_score(*data[:2], k=[1, 3]))


@pytest.mark.parametrize("by", ["score", "rank"])
@pytest.mark.parametrize("duplicates", ["best", "hold"])
@pytest.mark.parametrize("queries", ["judged", "all"])
def test_duplicates_in_parts_are_those_of_the_whole(by, duplicates, queries):
    judged, predicted = (
        {name: [*each, *each[:2], each[0]] for name, each in table.items()}
        for table in (JUDGED | {"stars": [3, 1, 2, 0.5, 2]}, PREDICTED)
    )
    predicted["score"][-3:], predicted["rank"][-3:] = [0.9, 0.7, 0.7], [2, 2, 7]
    data = from_tables(
        judged,
        predicted,
        query="user",
        item="film",
        label="stars",
        queries=queries,
        duplicates=duplicates,
        **{by: by},
    )
    shard = shard_of(by, queries, duplicates, k=[1, 3])
    np.testing.assert_array_equal(
        in_parts(shard, judged, predicted), ndcg_score(*data[:2], k=[1, 3])
    )
    with pytest.raises(InvalidParameterError, match="more than once"):
        in_parts(shard_of(by, queries), judged, predicted)


@pytest.mark.parametrize("queries", ["judged", "both", "all"])
def test_queries_seen_in_parts_are_those_of_the_whole(queries):
    names = {"query": "user", "item": "film", "label": "stars", "score": "score"}
    names["queries"] = queries
    expected = from_tables(JUDGED, PREDICTED, **names).queries_seen
    shard = shard_of("score", queries)
    parts = [(part_of(JUDGED, [*each]), part_of(PREDICTED, [*each])) for each in ("ae", "b", "cd")]
    (sums, seen), *others = itertools.starmap(shard.sums_of, parts)
    for more, seen_there in others:
        sums, seen = sums + more, seen + seen_there
    report = shard.report_of(sums, seen, True)
    assert report.queries_seen == expected == dataclasses.replace(seen.queries, queries=queries)
    assert str(report).endswith(str(expected))


def test_errors_about_all_queries_are_those_of_the_whole():
    with pytest.raises(InvalidParameterError) as caught:
        in_parts(shard_of(queries="equal"), JUDGED, PREDICTED)
    with pytest.raises(InvalidParameterError) as expected:
        from_tables(
            JUDGED,
            PREDICTED,
            query="user",
            item="film",
            label="stars",
            score="score",
            queries="equal",
        )
    assert str(caught.value).replace("scale.report_tables", "from_tables") == str(expected.value)
    with pytest.raises(InvalidParameterError, match=r"^The 'queries' parameter of scale.report_"):
        shard_of(queries="each")
    with pytest.raises(InvalidParameterError, match=r"^The 'judgments' .* Got no rows instead\.$"):
        shard_of().check(TablesSeen())


def test_distances_are_refused():
    names = {"query": "user", "item": "film", "label": "stars", "score": "distance"}
    advice = "Pass minus the distance, in a column with another name."
    with raises("score", "a column of scores", got="'distance'", advice=advice):
        scale.report_tables(JUDGED, PREDICTED, **names)


def test_a_warning_says_that_nothing_was_found():
    predicted = PREDICTED | {"film": [11, 12, 13, 14, 15, 16]}
    with pytest.warns(UserWarning, match="^No judged item is among the predictions"):
        in_parts(shard_of(), JUDGED, predicted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_parts(shard_of(), JUDGED, {name: each[:0] for name, each in PREDICTED.items()})


@pytest.mark.parametrize(
    ("judged", "predicted", "got"),
    [
        ({"stars": [3, 1, 2, np.nan, 1]}, {}, "null or NaN for query 'c'"),
        ({"user": ["b", "a", None, "c", "d"]}, {}, "null"),
        (
            {"stars": [3, 1, -2, 1, 1]},
            {},
            "the label -2 for query 'a', in a part of the column 'stars',",
        ),
        ({}, {"film": [2, 2, 1, 1, 9, 3]}, "item 2 more than once for query 'a'"),
    ],
)
def test_errors_about_a_part_name_no_rows(judged, predicted, got):
    with pytest.raises(InvalidParameterError) as caught:
        shard_of().sums_of(JUDGED | judged, PREDICTED | predicted)
    assert f" Got {got} instead." in str(caught.value)


def test_ranks_may_leave_out_what_they_may_in_the_whole():
    users = [f"u{number}" for number in range(1000)]
    judged = {"user": users, "film": [1] * 1000, "stars": [1] * 1000}
    predicted = {"user": users, "film": [1] * 1000, "score": [0.0] * 1000}
    predicted["rank"] = [10000, *[1] * 999]
    shard = shard_of("rank", k=5)
    one, seen = shard.sums_of(
        {name: each[:1] for name, each in judged.items()},
        {name: each[:1] for name, each in predicted.items()},
    )
    others, seen_of_others = shard.sums_of(
        {name: each[1:] for name, each in judged.items()},
        {name: each[1:] for name, each in predicted.items()},
    )
    both = seen + seen_of_others
    shard.check(both)
    assert shard.report_of(one + others, both, both.has_found)["ndcg@5"] == 0.999
    assert (both.n_rows, both.n_free, both.most_free) == (1000, 9999, 9999)
    message = re.escape(
        "The 'predictions' parameter of scale.report_tables must be a table whose column 'rank' "
        "has ranks that leave at most 16 positions free in a query, 16 per row, and 8388608 "
        "in all. Got 9999 in a query and 9999 in all instead. Drop the rows whose rank is beyond "
        "the last cutoff that you use. With queries='judged', no score at such a cutoff changes."
    )
    with pytest.raises(InvalidParameterError, match=f"^{message}$"):
        shard.check(seen)
    in_all = dataclasses.replace(seen, n_rows=1000, n_free=2**23 + 1, most_free=100)
    with pytest.raises(InvalidParameterError, match="Got 100 in a query and 8388609 in all"):
        shard.check(in_all)


def test_scores_of_what_was_retrieved_count_the_same_fillers():
    data = from_tables(JUDGED, PREDICTED, query="user", item="film", label="stars", rank="rank")
    names = names_of_columns("scale.report_tables", "user", "film", "stars", None, "rank")
    params = {"k": 3, "denominator": "retrieved"}
    shard = ShardTables("precision", params, names, "scale.report_tables", "judged", "error")
    assert in_parts(shard, JUDGED, PREDICTED) == [precision_at_k_score(*data[:2], **params)]
