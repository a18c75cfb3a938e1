"""The order in which predictions came, on the way from every door to the plan of a score."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from ranking_scores import StreamingScore, ranking_report, report
from ranking_scores.__main__ import main
from ranking_scores._metrics._named import NamedScore
from ranking_scores._queries._layouts import check_queries
from ranking_scores._tables._join import all_rows, as_rows
from ranking_scores._tables._ranking_data import RankingData, arrays_of
from ranking_scores.tables import from_lists, from_table, from_tables
from ranking_scores.ties import tie_report
from ranking_scores.trec import from_pytrec_eval, read_qrels, read_run

quietly = pytest.mark.filterwarnings("ignore:No judged item|Only . of|.*share only|.*left out")
IDS = {
    "ints": lambda names: [ord(name) - 100 for name in names],
    "text": list,
    "dates": lambda names: [
        np.datetime64("2024-01-01T00:00:00") + np.timedelta64(ord(name), "D") for name in names
    ],
}
ITEMS = "uvwxyz"
# Two queries by turns, with ties, and no query in the order of its items.
ROWS = [("b", "z", 3), ("a", "w", 1), ("b", "x", 3), ("a", "v", 2), ("b", "y", 5), ("a", "z", 1)]
JUDGED = {"a": {"w": 1, "x": 0}, "b": {"x": 1}}


def order_of(data):
    """Return the order that scores of the data know."""
    order = arrays_of(data, None, None, "a test").order
    assert order.item_ids is data.item_ids
    assert order.row is data.prediction_order
    return order


def predictions_in(data):
    """Return the predictions of each query in their order: the items, and which are repeats.

    What fills gaps between ranks is left out, and comes last.
    """
    order, scores = order_of(data), data.y_score
    columns = scores.indices
    row = columns if order.row is None else order.row
    repeats = np.full(columns.size, -1) if order.repeats is None else order.repeats
    assert row.shape == repeats.shape == scores.data.shape
    found = {}
    for number, query in enumerate(data.query_ids.tolist()):
        cells = np.arange(scores.indptr[number], scores.indptr[number + 1])
        cells = cells[np.argsort(row[cells])]
        assert (np.diff(row[cells]) > 0).all()
        items = data.item_ids[np.where(repeats < 0, columns, repeats)[cells]].tolist()
        items = [item.item() if isinstance(item, np.datetime64) else item for item in items]
        n_filled = items.count(None)
        assert items[len(items) - n_filled :] == [None] * n_filled
        items = items[: len(items) - n_filled]
        found[query] = list(zip(items, (repeats[cells] >= 0).tolist(), strict=False))
    return found


def items_in(data):
    """Return the items of the predictions of each query in their order, each once."""
    return {
        query: [item for item, _ in predictions]
        for query, predictions in predictions_in(data).items()
    }


def expected_of(rows, duplicates, sign=1):
    """Return the result of `predictions_in` for rows of a query, an item and a value."""
    expected = {}
    for query, items in items_by_query(rows).items():
        best = {}
        for place, (item, value) in enumerate(items):
            if item not in best or sign * value > sign * items[best[item]][1]:
                best[item] = place
        expected[query] = [(item, best[item] != place) for place, (item, _) in enumerate(items)]
        if duplicates != "hold":
            expected[query] = [(item, False) for item in dict.fromkeys(item for item, _ in items)]
    return expected


def items_by_query(rows):
    """Return the items and values of each query, in the order of the rows."""
    found = {}
    for query, item, value in rows:
        found.setdefault(query, []).append((item, value))
    return found


def as_columns(rows, kind, value):
    """Return rows as a table with ids of some kind."""
    queries, items, values = zip(*rows, strict=True) if rows else ((), (), ())
    ids = IDS[kind]
    table = {"query": np.array(ids(queries)), "item": np.array(ids(items))}
    return pd.DataFrame(table | {value: values})


def in_kind(found, kind):
    """Return what is expected with ids of some kind, as `tolist` of an array gives them."""
    of = {name: np.array(IDS[kind]([name])).tolist()[0] for name in "abcd" + ITEMS}
    return {
        of[query]: [(of[item], which) for item, which in each] for query, each in found.items()
    }


# --- tables -----------------------------------------------------------------------------------


@st.composite
def rows(draw, duplicates):
    """Return predictions of a few queries, whose values tie often. One of "c" comes first."""
    key = st.tuples(st.sampled_from("abd"), st.sampled_from(ITEMS))
    by = (lambda row: row[0]) if duplicates == "error" else None
    row = st.tuples(key, st.sampled_from([1, 2, 2, 5]))
    drawn = draw(st.lists(row, min_size=1, max_size=14, unique_by=by))
    return [("c", "x", 2), *((query, item, value) for (query, item), value in drawn)]


@quietly
@pytest.mark.parametrize("duplicates", ["error", "best", "hold"])
@pytest.mark.parametrize("value", ["score", "rank"])
@settings(deadline=None, max_examples=settings().max_examples // 2)
@given(st.data(), st.sampled_from(["judged", "all"]), st.sampled_from([*IDS]))
def test_tables_keep_the_order(value, duplicates, data, queries, kind):
    predicted = data.draw(rows(duplicates))
    judged = as_columns([("a", "u", 1), ("b", "w", 0), ("c", "x", 1)], kind, "label")
    names = {"query": "query", "item": "item", value: value}
    options = {"queries": queries, "duplicates": duplicates}
    found = from_tables(
        judged, as_columns(predicted, kind, value), **names, label="label", **options
    )
    expected = {"a": [], "b": [], "c": []} | expected_of(
        predicted, duplicates, sign=1 if value == "score" else -1
    )
    if queries == "judged":
        expected.pop("d", None)
    assert predictions_in(found) == in_kind(expected, kind)


@quietly
@pytest.mark.parametrize("duplicates", ["error", "best", "hold"])
@pytest.mark.parametrize("value", ["score", "rank"])
@settings(deadline=None, max_examples=settings().max_examples // 2)
@given(st.data(), st.sampled_from([*IDS]))
def test_one_table_keeps_the_order(value, duplicates, data, kind):
    predicted = data.draw(rows(duplicates))
    judged = [("a", "t", None), ("c", "s", None)]  # of items that were not predicted
    places = data.draw(st.permutations(range(len(predicted) + 2)))
    both = [(predicted + judged)[place] for place in places]
    table = as_columns(both, kind, value).assign(
        label=[1 if each[2] is None else 0 for each in both]
    )
    names = {"query": "query", "item": "item", value: value, "label": "label"}
    found = from_table(table, **names, duplicates=duplicates)
    rest = [each for each in both if each[2] is not None]
    expected = {"a": [], "c": []} | expected_of(
        rest, duplicates, sign=1 if value == "score" else -1
    )
    assert predictions_in(found) == in_kind(expected, kind)


@pytest.mark.parametrize("is_shuffled", [False, True])
@pytest.mark.parametrize("value", ["score", "rank"])
def test_tables_of_several_blocks_keep_the_order(value, is_shuffled):
    rng = np.random.default_rng(0)
    query, item = np.divmod(np.arange(90_000), 300)
    item[-20_000:] = rng.permuted(item[-20_000:].reshape(-1, 100), axis=1).ravel()
    score = rng.integers(1, 301, query.size)
    table = pd.DataFrame({"query": query, "item": item, value: score})
    # Unless shuffled, the first block is in order. The last one has a query of another length.
    table = table.drop(index=89_999)
    table = table.take(rng.permutation(len(table))) if is_shuffled else table
    judged = pd.DataFrame({"query": np.arange(300), "item": 0})
    names = {"query": "query", "item": "item", value: value}
    found = from_tables(judged, table, **names)
    assert found.prediction_order.dtype == np.int32
    expected = table.groupby("query")["item"].agg(list).to_dict()
    assert items_in(found) == expected
    if value == "score":  # with ranks, there are fillers
        assert np.array_equal(np.sort(found.prediction_order), np.arange(len(table)))


def test_what_came_in_the_order_of_the_columns_needs_no_numbers():
    in_order = sorted(ROWS)
    by_turns = [row for pair in zip(in_order[3:], in_order[:3], strict=True) for row in pair]
    judged = as_columns([("a", "w", 1)], "text", "label")
    names = {"query": "query", "item": "item", "label": "label"}
    for rows in (in_order, by_turns):
        table = as_columns(rows, "text", "score")
        for duplicates in ("error", "best", "hold"):
            found = from_tables(judged, table, **names, score="score", duplicates=duplicates)
            assert order_of(found)[1:3] == (None, None)
    found = from_tables(judged, as_columns(by_turns, "text", "rank"), **names, rank="rank")
    assert order_of(found)[1:3] == (None, None)
    arrays = RankingData(*found)
    assert order_of(arrays)[1:3] == (None, None)


def test_of_equal_places_of_an_item_the_first_one_counts():
    rows = [
        ("a", "y", 1),
        ("a", "x", 2),
        ("a", "z", 7),
        ("a", "x", 2),
        ("a", "x", 1),
        ("a", "y", 3),
    ]
    judged = as_columns([("a", "x", 1)], "text", "label")
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    table = as_columns(rows, "text", "score")
    found = from_tables(judged, table, **names, duplicates="hold")
    order = order_of(found)
    assert found.item_ids.tolist() == [*"xyz", None, None, None]
    assert found.y_score.data.tolist() == [2, 3, 7, 1, 2, 1]
    assert order.row.tolist() == [1, 5, 2, 4, 3, 0]
    assert order.repeats.tolist() == [-1, -1, -1, 0, 0, 1]
    found = from_tables(judged, table, **names, duplicates="best")
    assert found.y_score.data.tolist() == [2, 3, 7]
    assert order_of(found).row.tolist() == [1, 0, 2]
    assert order_of(found).repeats is None


def test_rows_take_little_memory_if_they_can():
    assert all_rows(3).dtype == as_rows(np.arange(3), 2**31 - 1).dtype == np.int32
    assert as_rows(np.arange(3, dtype=np.int32), 2**31).dtype == np.int64


# --- lists, dicts and files -------------------------------------------------------------------


def runs():
    """Return the rows as a run of dicts."""
    return {
        query: {item: float(value) for item, value in items}
        for query, items in items_by_query(ROWS).items()
    }


EXPECTED = {query: [item for item, _ in items] for query, items in items_by_query(ROWS).items()}

LISTS = {
    "lists": {query: [*items] for query, items in EXPECTED.items()},
    "pairs": items_by_query(ROWS),
    "dicts": runs(),
    "records": {
        query: [{"id": item, "score": value} for item, value in items]
        for query, items in items_by_query(ROWS).items()
    },
}


@pytest.mark.parametrize("form", LISTS)
def test_lists_keep_the_order(form):
    assert items_in(from_lists(JUDGED, LISTS[form])) == EXPECTED


def test_lists_of_numbered_queries_and_columns_of_lists_keep_the_order():
    relevant, retrieved = ([of[query] for query in "ab"] for of in (JUDGED, EXPECTED))
    scores = [[value for _, value in items_by_query(ROWS)[query]] for query in "ab"]
    for column in (retrieved, pl.Series(retrieved), np.array(retrieved)):
        found = from_lists([[*each] for each in relevant], column, item_scores=scores)
        assert items_in(found) == dict(enumerate(retrieved))


def test_lists_with_repeats_keep_the_order():
    retrieved = {"a": ["w", "v", "w", "u"], "b": ["y", "x", "x"]}
    found = from_lists(JUDGED, retrieved, duplicates="hold")
    expected = {
        "a": [("w", False), ("v", False), ("w", True), ("u", False)],
        "b": [("y", False), ("x", False), ("x", True)],
    }
    assert predictions_in(found) == expected


def test_dicts_of_pytrec_eval_keep_the_order():
    assert items_in(from_pytrec_eval(JUDGED, runs())) == EXPECTED
    in_order = {query: dict(sorted(items.items())) for query, items in runs().items()}
    found = from_pytrec_eval(JUDGED, in_order)
    assert order_of(found)[1:3] == (None, None)
    assert items_in(found) == {query: sorted(items) for query, items in EXPECTED.items()}


@pytest.fixture
def files(tmp_path):
    """Return the paths of judgments and of a run in the format of TREC."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(
        "".join(f"{q} 0 {i} {g}\n" for q, items in JUDGED.items() for i, g in items.items())
    )
    run.write_text("".join(f"{query} Q0 {item} 0 {score} x\n" for query, item, score in ROWS))
    return qrels, run


def test_files_of_trec_keep_the_order(files):
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    assert items_in(from_tables(read_qrels(files[0]), read_run(files[1]), **names)) == EXPECTED


# --- the result -------------------------------------------------------------------------------


def held():
    """Return data whose items are there more than once."""
    judged = as_columns([("a", "w", 1), ("b", "x", 1)], "text", "label")
    table = as_columns([*ROWS, ROWS[0]], "text", "score")
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    return from_tables(judged, table, **names, duplicates="hold")


@pytest.mark.parametrize("make", [held, lambda: from_pytrec_eval(JUDGED, runs())])
def test_copies_keep_what_came_beside_the_arrays(make):
    data = make()
    order, seen = order_of(data), data.queries_seen
    copies = pickle.loads(pickle.dumps(data)), copy.copy(data), copy.deepcopy(data)
    for other in copies:
        assert type(other) is type(data)
        assert other.queries_seen == seen
        assert all(map(np.array_equal, order_of(other), order))
    other = data._replace(query_ids=data.query_ids)  # which may have replaced the scores
    assert order_of(other)[1:3] == (None, None)


# --- the plans of scores ----------------------------------------------------------------------


@pytest.fixture
def orders(monkeypatch):
    """Return the list of the orders of all plans with data."""
    found, plan = [], NamedScore.plan

    def recorded(*args, **params):
        planned = plan(*args, **params)
        if planned.data.y_true is not None:
            found.append(planned.data.in_columns().order)
        return planned

    monkeypatch.setattr(NamedScore, "plan", recorded)
    return found


def are_of(orders, data, n_plans):
    """Return whether there are so many plans, and all know the order of the data."""
    expected = order_of(data)
    return len(orders) == n_plans and all(
        order is not None and all(map(np.array_equal, order, expected)) for order in orders
    )


def test_reports_know_the_order(orders, monkeypatch):
    def recorded(data, need, **options):
        orders.append(data.in_columns().order)
        return check_queries(data, need, **options)

    monkeypatch.setattr(report, "check_queries", recorded)
    data = held()
    ranking_report(data, scores=["ndcg", "map"], k=2, ties=True, query_ids=["one", "two"])
    assert are_of(orders, data, 3)  # of both plans and of the queries that both share
    orders.clear()
    ranking_report(data.y_true, data.y_score, scores="ndcg", k=2)
    assert orders == [None, None]


@pytest.mark.parametrize("scores", ["ndcg", ["ndcg", "map"]])
def test_streams_know_the_order(orders, scores):
    data = held()
    StreamingScore(scores).update(data)
    assert are_of(orders, data, 1 if scores == "ndcg" else 2)
    orders.clear()
    StreamingScore("ndcg").update([[1, 0]], [[0.2, 0.1]])
    assert orders == [None]


def test_ties_know_the_order(orders):
    data = held()
    tie_report(data, score="ndcg")
    assert are_of(orders, data, 1)
    orders.clear()
    tie_report([[1, 0]], [[0.1, 0.1]], score="ndcg")
    assert orders == [None]


def test_plots_know_the_order(orders):
    pytest.importorskip("matplotlib")
    from ranking_scores.plotting import RankingCurveDisplay

    data = held()
    params = {"score": "ndcg", "k": [1, 2]}
    RankingCurveDisplay.from_predictions(data, **params)
    RankingCurveDisplay.from_predictions({"one": data, "two": data}, **params)
    assert are_of(orders, data, 3)
    orders.clear()
    y_score = np.arange(6.0).reshape(2, 3)
    models = {"one": y_score, "two": -y_score}
    RankingCurveDisplay.from_predictions(np.eye(2, 3), models, chance=False, **params)
    assert orders == [None, None]


def test_the_command_knows_the_order(orders, files, tmp_path, capsys):
    found = []
    for each in (JUDGED, runs()):
        found.append(tmp_path / f"{len(found)}.json")
        found[-1].write_text(json.dumps(each))
    for pair in (files, found):
        assert main([*map(str, pair), "--scores", "ndcg"]) == 0
    with_ids = [order for order in orders if order is not None]  # not the trial of the options
    assert len(with_ids) == 4  # of each pair, the score and the line about its ties
    for order in with_ids:
        assert order.item_ids.tolist() == [*"vwxyz"]
        assert order.row.tolist() == [1, 0, 2, 4, 5, 3]
    capsys.readouterr()
