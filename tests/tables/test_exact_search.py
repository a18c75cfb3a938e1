"""The results of a vector index beside those of exact search."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from raising import raises

from ranking_scores import from_exact_search, ranking_report, recall_at_k_score
from ranking_scores.conventions import like
from ranking_scores.gates import check

FLOAT64 = 1e-15
"""Both divide a count by k, and sum the quotients of at most five queries."""
FAR = np.float32(3.4028235e38)
"""What FAISS has in the place of a distance if there is no result."""


def recall_by_definition(distances, exact, found, k, depth, tolerance):
    """Return the share of the `k` nearest points that are found at the first `depth` places.

    `distances` has the distance of every point. Points that are as near as the last one count.
    """
    n_sought = min(k, len(exact))
    limit = distances[exact[n_sought - 1]] + tolerance
    hits = {point for point in found[:depth] if distances[point] <= limit}
    return Fraction(min(len(hits), n_sought), n_sought)


def draw_searches(random):
    """Return distances with many ties, and the ids of exact search and of an index."""
    n_queries, n_points = int(random.integers(1, 6)), 12
    k = int(random.integers(1, 6))
    distances = random.integers(0, 6, (n_queries, n_points)).astype(float)
    n_exact, n_found = random.integers(k, 10), random.integers(1, 10)
    exact = np.argsort(distances + random.random(distances.shape) / 2, axis=1)[:, :n_exact]
    found = np.argsort(distances + 3 * random.random(distances.shape), axis=1)[:, :n_found]
    return distances, exact, found, k


def at(distances, ids):
    """Return the distances of some points of each query."""
    return np.take_along_axis(distances, ids, axis=1)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("tolerance", [0, 1])
def test_recall_is_that_of_the_definition(seed, tolerance):
    distances, exact, found, k = draw_searches(np.random.default_rng(seed))
    depths = [1, 2, k, k + 3]
    searches = exact, at(distances, exact), found, at(distances, found)
    data = from_exact_search(*searches, k=k, tolerance=tolerance)
    expected = [
        [float(recall_by_definition(*query, k, depth, tolerance)) for depth in depths]
        for query in zip(distances, exact.tolist(), found.tolist(), strict=True)
    ]
    assert recall_at_k_score(data, k=depths, average=None).tolist() == expected
    assert np.diff(data.y_true.indptr).tolist() == [k] * len(exact)
    by_program = like("ann-benchmarks", f"recall@{k}")(data)
    assert by_program == pytest.approx(recall_at_k_score(data, k=k), rel=FLOAT64)


def test_lists_dicts_and_columns_are_the_same_as_arrays():
    distances, exact, found, k = draw_searches(np.random.default_rng(1))
    arrays = exact, at(distances, exact), found, at(distances, found)
    expected = recall_at_k_score(from_exact_search(*arrays, k=k), k=k, average=None).tolist()
    lists = [each.tolist() for each in arrays]
    columns = [pl.Series(each) for each in lists]
    names = "dcbae"[: len(exact)]
    dicts = [dict(zip(names, each, strict=True)) for each in lists]
    dicts[2] = dict(sorted(dicts[2].items()))
    for given in (lists, columns):
        data = from_exact_search(*given, k=k)
        assert recall_at_k_score(data, k=k, average=None).tolist() == expected
    data = from_exact_search(*dicts, k=k)
    values = recall_at_k_score(data, k=k, average=None).tolist()
    assert dict(zip(data.query_ids, values, strict=True)) == dict(
        zip(names, expected, strict=True)
    )
    text = [[[f"p{point}" for point in row] for row in lists[at]] for at in (0, 2)]
    data = from_exact_search(text[0], lists[1], text[1], lists[3], k=k)
    assert recall_at_k_score(data, k=k, average=None).tolist() == expected


def test_any_of_the_points_that_tie_counts():
    exact = [["a", "b", "c"]], [[1.0, 2.0, 2.0]]
    found, distances = [["d", "c", "a"]], [[2.0, 2.0, 1.0]]
    assert recall_at_k_score(from_exact_search(*exact, found, distances), k=3) == 1
    assert recall_at_k_score(from_exact_search(*exact, found, distances, k=2), k=2) == 1
    data = from_exact_search(*exact, found)
    assert recall_at_k_score(data, k=3) == 2 / 3
    assert "in 1 query there are points that exact_ids lacks" in data.notes[1]
    notes = from_exact_search(*exact, found, k=1).notes
    assert notes == ("exact_ids: the nearest point of each query counts",)
    assert data.query_ids.tolist() == [0]
    assert repr(data).startswith("RankingData from exact search")


def test_two_indexes_beside_one_exact_search_rest_on_the_same_judgments():
    exact = {"q": [0, 1, 2, 3]}, {"q": [1.0, 2.0, 2.0, 2.0]}
    reports = [
        ranking_report(from_exact_search(*exact, {"q": found}, k=2), scores="recall@2", k=None)
        for found in ([1, 2], [1, 3])
    ]
    assert check(*reports, max_drop=0).passed  # without a warning
    assert [each.judgments.n_items for each in reports] == [2, 2]
    other = from_exact_search({"q": [3, 1, 2, 0]}, exact[1], {"q": [1, 2]}, k=2)
    with pytest.warns(UserWarning, match="rest on different judgments"):
        check(ranking_report(other, scores="recall@2", k=None), reports[0], max_drop=0)


def test_places_without_a_result_do_not_count():
    # IndexFlatL2 of faiss-cpu 1.15.1 with four points, asked for six.
    exact = np.array([[0, 2, 1, 3, -1, -1], [3, 1, 0, 2, -1, -1]])
    distances = [[0.25, 0.25, 1.25, 4.25, FAR, FAR], [0.0625, 1.5625, 4.0625, 4.5625, FAR, FAR]]
    distances = np.array(distances, dtype=np.float32)
    found = np.array([[2, 0, -1, -1], [1, -1, -1, -1]])
    data = from_exact_search(exact, distances, found, k=6)
    assert recall_at_k_score(data, k=6, average=None).tolist() == [2 / 4, 1 / 4]
    assert from_exact_search(exact, distances, found).notes[0].startswith("exact_ids: the 4 ")
    nothing = np.full((2, 0), -1)
    data = from_exact_search(exact, distances, nothing)
    assert data.y_true.sum() == 8
    assert recall_at_k_score(data, k=6) == 0


def test_a_query_that_exact_search_finds_nothing_for_is_undefined():
    data = from_exact_search([[], [5]], [[], [1.0]], [[5], [5]], [[1.0], [1.0]])
    values = recall_at_k_score(data, k=1, average=None, replace_undefined_by=np.nan)
    assert np.array_equal(values, [np.nan, 1], equal_nan=True)


def test_a_point_that_is_found_twice_is_refused():
    """Usearch fills the rows of queries for which it finds less with the key 0."""
    exact = [[3, 0, 5]], [[0.1, 0.2, 0.3]]
    for found in (np.array([[3, 0, 0]]), [[3, 0, 0]]):
        for distances in ([[0.1, 0.2, 0.0]], None):
            with raises(
                "found_ids",
                "each point only once",
                got="point 0 more than once for query 0",
                advice="such as usearch with the key 0",
            ):
                from_exact_search(*exact, found, distances)
    for found in (np.array([[3, 0, -1]]), [[3, 0]]):
        assert recall_at_k_score(from_exact_search(*exact, found, k=3), k=3) == 2 / 3
    with raises("exact_ids", "each point only once", got="point 3 more than once for query 0"):
        from_exact_search([[3, 3]], [[1, 2]], [[3, 4]])


def test_exact_search_of_other_points_is_warned_of():
    exact, other = ([[1, 2], [3, 4]], [[0.1, 0.2]] * 2), [[11, 12], [13, 14]]
    with pytest.warns(UserWarning, match="No point of exact search is among those that"):
        data = from_exact_search(*exact, other)
    assert recall_at_k_score(data, k=2) == 0
    from_exact_search(*exact, [[11, 12], [13, 4]])
    from_exact_search(*exact, other, [[0.2, 0.3]] * 2)  # points as near as the last one
    from_exact_search(*exact, [[], []])


def test_points_that_are_almost_as_near_are_noted():
    exact = [[1, 2, 3]], [[1.0, 2.0, 2.000001]]
    note = "in 1 query there are points that count as wrong, and are farther"
    for found in ([[1, 3]], [[1, 9]]):
        distances = [[1.0, 2.000001]]
        data = from_exact_search(*exact, found, distances, k=2)
        assert (recall_at_k_score(data, k=2), note in data.notes[1]) == (0.5, True)
        near = from_exact_search(*exact, found, distances, k=2, tolerance=1e-5)
        assert (recall_at_k_score(near, k=2), len(near.notes)) == (1.0, 1)
    assert note in from_exact_search(*exact, [[1, 3]], k=2).notes[1]
    far = from_exact_search([[1, 2, 3]], [[1.0, 2.0, 2.00001]], [[1, 3]], k=2)
    assert len(far.notes) == 1


def test_distances_of_two_precisions_are_compared_in_the_lower_one():
    exact = np.array([[4]]), np.array([[0.1]])
    found = np.array([[7]]), np.array([[0.1]], dtype=np.float32)
    assert found[1] > exact[1]
    assert recall_at_k_score(from_exact_search(*exact, *found), k=1) == 1
    assert recall_at_k_score(from_exact_search(*found, *exact), k=1) == 1


def test_other_distances_are_named():
    exact = [[1, 2], [1, 2]], [[1.0, 2.0], [1.0, 3.0]]
    squared = [[1, 2], [1, 2]], [[1.0, 2.0], [1.0, 9.0]]
    with pytest.warns(UserWarning, match="in 1 query: one is 9, which is 3 in exact search"):
        data = from_exact_search(*exact, *squared)
    assert recall_at_k_score(data, k=2) == 1  # a point of exact search counts by its distance
    nearer = [[1, 2], [7, 2]], [[1.0, 2.0], [2.5, 3.0]]
    with pytest.warns(UserWarning, match="2.5, and exact search ends at 3 without this point"):
        data = from_exact_search(*exact, *nearer)
    assert recall_at_k_score(data, k=2) == 1
    rounded = [[1, 2], [1, 2]], [[1.0005, 2.0], [1.0, 3.002]]
    from_exact_search(*exact, *rounded)


def test_reports_have_the_recall_and_its_error():
    data = from_exact_search([[1, 2], [3, 4]], [[1, 2], [3, 4]], [[1, 2], [9, 3]])
    report = ranking_report(data, scores=["recall", "ann-benchmarks:recall@2"], k=2)
    assert report.mean == {"recall@2": 0.75, "ann-benchmarks:k-nn@2": 0.75}
    assert report.standard_error["recall@2"] == 0.25


EXACT = {"exact_ids": [[1, 2]], "exact_distances": [[0.5, 1.0]], "found_ids": [[2, 1]]}


@pytest.mark.parametrize(
    ("arguments", "parameter", "key", "got"),
    [
        ({"tolerance": -1}, "tolerance", "a finite number of at least 0", "-1"),
        ({"tolerance": np.inf}, "tolerance", "a finite number", "inf"),
        ({"k": 3}, "k", "None or an int from 1 to 2, the most points of exact_ids", "3"),
        ({"k": [1, 2]}, "k", "None or an int", "[1, 2]"),
        ({"k": 0}, "k", "None or an int from 1 to 2", "0"),
        ({"k": True}, "k", "None or an int from 1 to 2", "True"),
        ({"found_ids": "ab"}, "found_ids", "a list of ids for each query", "'ab'"),
        ({"found_ids": [{1: 2}]}, "found_ids", "a list of ids for each", "{1: 2} for query 0"),
        ({"found_ids": [[2, -1]]}, "found_ids", "no -1, which is no id", "-1"),
        ({"found_ids": [["2"]]}, "found_ids", "numbers, like exact_ids", "text"),
        ({"found_ids": [[2], [1]]}, "found_ids", "of 1 query, like exact_ids", "2"),
        ({"found_ids": {"q": [2]}}, "found_ids", "a sequence, like exact_ids", None),
        ({"found_ids": np.array([[0.5]])}, "found_ids", "an array of ints", "dtype float64"),
        ({"found_ids": np.array([["a"]])}, "found_ids", "an array of ints", "dtype <U1"),
        (
            {"found_ids": np.array([[1, -1, 2]])},
            "found_ids",
            "with -1 only after the ids of a row",
            "-1 before id 2 for query 0",
        ),
        (
            {"found_distances": [[1.0]]},
            "found_distances",
            "as many distances as found_ids has ids",
            "1 beside 2 ids for query 0",
        ),
        (
            {"exact_distances": [[1.0, 0.5]]},
            "exact_distances",
            "the distance of the nearest point first",
            "0.5 after 1.0 at position 1 of query 0",
        ),
        ({"exact_distances": None}, "exact_distances", "a list of distances for each", "None"),
        ({"exact_distances": [[1.0, np.inf]]}, "exact_distances", "finite", None),
        ({"exact_distances": [[None, 1.0]]}, "exact_distances", "finite", None),
        ({"exact_distances": [[0.5, np.nan]]}, "exact_distances", "finite", None),
        (
            {"exact_ids": [[1, 1]]},
            "exact_ids",
            "each point only once",
            "point 1 more than once for query 0",
        ),
        ({"exact_ids": [[]], "exact_distances": [[]]}, "exact_ids", "with a point", "no point"),
        ({name: [] for name in EXACT}, "exact_ids", "of at least one query", "none"),
        (
            {"exact_ids": {"q": [1]}, "exact_distances": {"r": [1]}},
            "exact_distances",
            "the keys of exact_ids",
            "1 query, without 'q'",
        ),
        (
            {"exact_ids": {"q": [1]}, "exact_distances": {"q": [1], "r": [1]}},
            "exact_distances",
            "the keys of exact_ids",
            "2 instead of 1 query",
        ),
        (
            {"exact_ids": {"q": [1]}, "exact_distances": [[1]]},
            "exact_distances",
            "a dict by the ids of queries, like exact_ids",
            None,
        ),
    ],
)
def test_bad_input_is_named(arguments, parameter, key, got):
    with raises(parameter, key, function="from_exact_search", got=got):
        from_exact_search(**{**EXACT, **arguments})


def test_the_place_of_an_error_is_that_in_the_array():
    ids, distances = np.array([[1, -1], [1, 2]]), np.array([[0.5, FAR], [0.5, np.inf]])
    with raises("exact_distances", "finite", got="inf at position 1 of query 1"):
        from_exact_search(ids, distances, ids)
