"""An item that is there more than once for a query: it counts once, at one of its places."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
from hypothesis import given, settings, strategies as st
from raising import raises
from read_at_once import from_lists, from_table, from_tables

from ranking_scores import (
    hit_rate_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    recall_at_k_score,
)

TOLERANCE = 1e-12  # as in test_reference: the same terms in float64, in another order
NAMES = {"query": "q", "item": "i", "label": "g"}
SCORES = {
    ndcg_score: reference.ndcg,
    recall_at_k_score: reference.recall_at_k,
    precision_at_k_score: reference.precision_at_k,
    mean_reciprocal_rank_score: reference.reciprocal_rank,
    mean_average_precision_score: reference.average_precision,
    hit_rate_score: reference.hit_rate,
}

quietly = pytest.mark.filterwarnings("ignore:No judged item|Only . of|.*no query has a defined")


@st.composite
def rows(draw, values=(-1.5, 0.0, 2.0), *, max_size=6, unique=False):
    """Return judgments and predictions of two queries, with items that come more than once."""

    def columns(name, values):
        key = st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"))
        row = st.tuples(key, st.sampled_from(values))
        by = (lambda row: row[0]) if unique else None
        table = draw(st.lists(row, min_size=1, max_size=max_size, unique_by=by))
        return {
            "q": [*"ab"] * (name == "g") + [query for (query, _), _ in table],
            "i": ["w"] * 2 * (name == "g") + [item for (_, item), _ in table],
            name: [0] * 2 * (name == "g") + [value for _, value in table],
        }

    return columns("g", (0, 1, 3)), columns("s", values)


def of_query(table, query, name):
    """Return the items of a query with their values, in the order of the rows."""
    columns = zip(table["q"], table["i"], table[name], strict=True)
    return [(item, value) for each, item, value in columns if each == query]


def best_labels(judgments, query):
    """Return the highest label of each item of a query."""
    labels = {}
    for item, label in of_query(judgments, query, "g"):
        labels[item] = max(label, labels.get(item, label))
    return labels


def expected_value(score, judgments, places, query, k):
    """Return the score of a query whose items are at some places: pairs of an item and a score.

    The item of a place that only keeps its rank is None.
    """
    labels = best_labels(judgments, query)
    found = {item for item, _ in places}
    missed = [item for item in labels if item not in found]
    all_labels = [labels.get(item, 0) for item, _ in places] + [labels[item] for item in missed]
    scores = [value for _, value in places] + [None] * len(missed)
    return float(SCORES[score](all_labels, scores, k=k) or 0)


def best_places(predictions, query):
    """Return each item once, with its highest score."""
    scores = {}
    for item, score in of_query(predictions, query, "s"):
        scores[item] = max(score, scores.get(item, score))
    return list(scores.items())


def held_places(predictions, query):
    """Return all places, of which an item has one with its highest score."""
    places, seen = [], set()
    in_order = sorted(of_query(predictions, query, "s"), key=lambda each: -each[1])
    for item, score in in_order:
        places.append((None if item in seen else item, score))
        seen.add(item)
    return places


PLACES = {"best": best_places, "hold": held_places}


@quietly
@settings(deadline=None)
@given(tables=rows(), duplicates=st.sampled_from(sorted(PLACES)), k=st.integers(1, 4))
def test_equals_the_mean_over_all_orders_of_tied_rows(tables, duplicates, k):
    judgments, predictions = tables
    data = from_tables(*tables, **NAMES, score="s", duplicates=duplicates)
    for score in SCORES:
        values = score(data.y_true, data.y_score, k=k, average=None)
        for query, value in zip(data.query_ids, values, strict=True):
            places = PLACES[duplicates](predictions, query)
            expected = expected_value(score, judgments, places, query, k)
            assert value == pytest.approx(expected, rel=TOLERANCE, abs=0)
            assert 0 <= value <= 1


def test_all_orders_of_tied_rows_by_hand():
    """Rows of one query: x 2, y 1, x 1, z 1. Only x and z are relevant."""
    judgments = {"q": [1, 1], "i": ["x", "z"], "g": [1, 1]}
    predictions = {"q": [1] * 4, "i": [*"xyxz"], "s": [2, 1, 1, 1]}
    recall = {}
    for duplicates in PLACES:
        data = from_tables(judgments, predictions, **NAMES, score="s", duplicates=duplicates)
        recall[duplicates] = recall_at_k_score(data.y_true, data.y_score, k=2)
    orders = list(itertools.permutations("yxz"))
    held = [Fraction(1 + (order[0] == "z"), 2) for order in orders]
    best = [Fraction(1 + (order[0] == "z"), 2) for order in itertools.permutations("yz")]
    assert recall["hold"] == pytest.approx(float(sum(held) / len(held)))
    assert recall["best"] == pytest.approx(float(sum(best) / len(best)))


@quietly
@settings(deadline=None)
@given(tables=rows(unique=True), queries=st.sampled_from(["judged", "all"]))
def test_without_duplicates_nothing_changes(tables, queries):
    options = NAMES | {"score": "s", "queries": queries}
    first, *others = (
        from_tables(*tables, **options, duplicates=each) for each in ("error", "best", "hold")
    )
    for other in others:
        assert_same(first, other)


def assert_same(one, other):
    """Assert that two results have the same bits."""
    for mine, theirs in zip(one[:2], other[:2], strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        for part in ("data", "indices", "indptr"):
            assert getattr(mine, part).tolist() == getattr(theirs, part).tolist()
    assert [each.tolist() for each in one[2:]] == [each.tolist() for each in other[2:]]


@quietly
@settings(deadline=None)
@given(
    tables=rows(),
    duplicates=st.sampled_from(sorted(PLACES)),
    random=st.randoms(use_true_random=False),
    library=st.sampled_from([dict, pd.DataFrame, pl.DataFrame]),
)
def test_the_order_of_the_rows_changes_nothing(tables, duplicates, random, library):
    shuffled = []
    for table in tables:
        order = list(range(len(table["q"])))
        random.shuffle(order)
        shuffled.append(library({name: [table[name][row] for row in order] for name in table}))
    options = NAMES | {"score": "s", "duplicates": duplicates}
    assert_same(from_tables(*tables, **options), from_tables(*shuffled, **options))


@quietly
@settings(deadline=None)
@given(tables=rows(), duplicates=st.sampled_from(sorted(PLACES)))
def test_one_table_says_the_same(tables, duplicates):
    judgments, predictions = tables
    n_judged, n_predicted = (len(each["q"]) for each in tables)
    table = {
        "q": judgments["q"] + predictions["q"],
        "i": judgments["i"] + predictions["i"],
        "g": judgments["g"] + [None] * n_predicted,
        "s": [None] * n_judged + predictions["s"],
    }
    options = NAMES | {"score": "s", "duplicates": duplicates, "queries": "judged"}
    one = from_table(table, **options)
    assert_same(one, from_tables(*tables, **options))


@quietly
@settings(deadline=None)
@given(tables=rows())
def test_without_ties_no_item_of_best_is_lower_than_in_hold(tables):
    judgments, predictions = tables
    predictions = predictions | {"s": list(range(len(predictions["s"])))}
    best, held = (
        from_tables(judgments, predictions, **NAMES, score="s", duplicates=each)
        for each in ("best", "hold")
    )
    for score in (recall_at_k_score, hit_rate_score, mean_reciprocal_rank_score):
        values = [score(*each[:2], k=[1, 2, 3], average=None) for each in (best, held)]
        assert (values[0] >= values[1]).all()


@quietly
@settings(deadline=None)
@given(tables=rows(values=(1, 2, 3, 5)), duplicates=st.sampled_from(sorted(PLACES)))
def test_ranks_with_gaps(tables, duplicates):
    """Free ranks stay free, and items below a row that vanishes move up."""
    judgments, ranked = tables
    data = from_tables(*tables, **NAMES, rank="s", duplicates=duplicates)
    for score in (ndcg_score, recall_at_k_score):
        values = score(data.y_true, data.y_score, k=3, average=None)
        for query, value in zip(data.query_ids, values, strict=True):
            of_one = of_query(ranked, query, "s")
            positions = reference.positions_of([rank for _, rank in of_one])
            pairs = zip(of_one, positions, strict=True)
            taken = {
                place
                for each in set(positions)
                for place in range(each, each + positions.count(each))
            }
            free = set(range(1, max(positions, default=1))) - taken
            table = {
                "q": [query] * (len(of_one) + len(free)),
                "i": [item for item, _ in of_one] + [("free", place) for place in free],
                "s": [-place for _, place in pairs] + [-place for place in free],
            }
            places = PLACES[duplicates](table, query)
            expected = expected_value(score, judgments, places, query, 3)
            assert value == pytest.approx(expected, rel=TOLERANCE, abs=0)


def test_what_becomes_of_other_places():
    judgments = {"q": [1, 1, 1], "i": ["x", "x", "y"], "g": [1, 2, 0]}
    predictions = {"q": [1, 1, 1, 2, 2], "i": [*"xxxyy"], "s": [0.5, 0.9, 0.9, 1, 2]}
    options = NAMES | {"score": "s", "queries": "all"}
    best = from_tables(judgments, predictions, **options, duplicates="best")
    assert best.y_true.toarray().tolist() == [[2, 0], [0, 0]]
    assert best.y_score.toarray().tolist() == [[0.9, 0], [0, 2]]
    held = from_tables(judgments, predictions, **options, duplicates="hold")
    assert held.item_ids.tolist() == ["x", "y", None, None]
    assert held.y_true.toarray().tolist() == [[2, 0, 0, 0], [0, 0, 0, 0]]
    assert held.y_score.toarray().tolist() == [[0.9, 0, 0.5, 0.9], [0, 2, 1, 0]]


def test_passages_rank_their_documents():
    gold = {"q1": ["guide"], "q2": ["faq"]}
    passages = {"q1": ["faq", "faq", "guide"], "q2": ["faq", "guide", "guide"]}
    data = from_lists(gold, passages, duplicates="best")
    report = ranking_report(data, scores=["recall", "mrr"], k=2)
    assert dict(report) == {"recall@2": 1.0, "mrr@2": 0.75}
    data = from_lists(gold, passages, duplicates="hold")
    assert ranking_report(data, scores=["recall@2", "mrr"], k=None)["recall@2"] == 0.5


@pytest.mark.parametrize(
    ("take", "tables", "names"),
    [
        (from_tables, ({"q": [1], "i": [1]}, {"q": [1], "i": [1], "s": [1]}), {"label": None}),
        (from_table, ({"q": [1], "i": [1], "g": [1], "s": [1]},), {}),
        (from_lists, ([[1]], [[1]]), None),
    ],
)
def test_other_words_are_refused(take, tables, names):
    names = {} if names is None else NAMES | {"score": "s"} | names
    with raises("duplicates", "'best'", function=take.__name__, got="'first'"):
        take(*tables, **names, duplicates="first")


def test_values_of_any_dtype():
    for dtype in (np.bool_, np.uint8, np.int64, np.uint64, np.float32, np.longdouble):
        values = np.array([0, 1, 1], dtype)
        table = {"q": [1, 1, 1], "i": [5, 5, 6], "g": values, "s": values}
        data = from_tables(table, table, **NAMES, score="s", duplicates="best")
        assert data.y_score.dtype == dtype
        assert data.y_score.toarray().tolist() == [[1, 1]]
        assert data.y_true.toarray().tolist() == [[1, 1]]
