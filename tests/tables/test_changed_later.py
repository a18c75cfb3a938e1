"""What a caller changes before a deeper score reads it is an error, or has no effect."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from raising import raises

from ranking_scores import mean_reciprocal_rank_score, ranking_report
from ranking_scores.tables import from_lists, from_table, from_tables
from ranking_scores.trec import from_pytrec_eval

N_ITEMS = 12
JUDGED = {"query": np.array([0, 1]), "item": np.array([0, 0]), "label": np.array([1, 1])}


def refused(parameter):
    """Expect the error about a parameter whose values were changed."""
    return raises(parameter, "values that stay as they are until the last", advice="deepcopy")


def ranked(first, kind=list):
    """Return two lists of all items, in which one is the first and item 0 is the last."""
    return [kind([first, *(i for i in range(1, N_ITEMS) if i != first), 0]) for _ in range(2)]


def columns(n_queries=2):
    """Return a table in which item 0 is at the last rank of each query."""
    score = np.arange(float(N_ITEMS))
    item = np.arange(N_ITEMS)
    query = np.repeat(np.arange(n_queries), N_ITEMS)
    return {"query": query, "item": np.tile(item, n_queries), "score": np.tile(score, n_queries)}


def swap_first(values):
    """Change the first value and the last one."""
    values[0], values[-1] = values[-1], values[0]


@pytest.mark.parametrize("depth", [None, 1])
@pytest.mark.parametrize("n_queries", [2, 30_000])
def test_lists_reused(n_queries, depth):
    found = ranked(5) * (n_queries // 2)
    data = from_lists([[0]] * n_queries, found)
    if depth:
        mean_reciprocal_rank_score(data, k=depth)
    for row in found:
        row.sort()
    with refused("retrieved"):
        mean_reciprocal_rank_score(data)


def test_each_parameter_of_lists():
    gold, found, scores = [[0], [0]], ranked(5), [[float(-i) for i in range(N_ITEMS)]] * 2
    for parameter, own in (
        ("relevant", gold[0]),
        ("retrieved", found[0]),
        ("item_scores", scores[0]),
    ):
        data = from_lists(gold, found, item_scores=scores)
        own[-1] = -99
        with refused(parameter):
            mean_reciprocal_rank_score(data, k=3)
        own[-1] = 0


def test_other_list_in_place_of_one():
    found = ranked(5)
    data = from_lists([[0], [0]], found)
    found[0] = [0]
    assert mean_reciprocal_rank_score(data) == pytest.approx(1 / N_ITEMS)


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ([{"a": 0.1, "b": 0.2}, {"a": 0.3}], None),
        ([[["a", 0.1], ["b", 0.2]], [["a", 0.3]]], 1),
        ([[{"id": "a", "score": 0.1}, {"id": "b", "score": 0.2}], [{"id": "a"}]], "score"),
    ],
    ids=["dicts", "pairs", "records"],
)
def test_scores_in_lists(rows, key):
    data = from_lists([["a"], ["a"]], rows)
    entry, key = (rows[0], "a") if key is None else (rows[0][0], key)
    entry[key] = 0.9
    with refused("retrieved"):
        mean_reciprocal_rank_score(data)


def test_arrays_of_lists(tmp_path):
    path = tmp_path / "found.npy"
    np.save(path, np.array(ranked(5)))
    for found in (np.array(ranked(5)), np.load(path, mmap_mode="r+")):
        data = from_lists(np.array([[0], [0]]), found)
        found[:] = found[:, ::-1].copy()
        with refused("retrieved"):
            mean_reciprocal_rank_score(data, k=10)
    rows = ranked(5, np.array)
    data = from_lists([[0], [0]], rows)
    rows[0][:] = rows[0][::-1].copy()
    assert mean_reciprocal_rank_score(data) == pytest.approx(1 / N_ITEMS)


@pytest.mark.parametrize("n_queries", [2, 3000])
@pytest.mark.parametrize("name", ["item", "score"])
def test_columns_of_arrays(name, n_queries):
    run = columns(n_queries)
    data = from_tables(JUDGED, run, query="query", item="item", label="label", score="score")
    mean_reciprocal_rank_score(data, k=1)
    run[name][1] += 1
    with refused("predictions"):
        mean_reciprocal_rank_score(data)


@pytest.mark.parametrize("to_text", [False, True])
@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series])
def test_columns_that_are_copied(kind, to_text):
    judged, run = JUDGED, columns()
    if to_text:
        judged, run = (own | {"item": own["item"].astype(str)} for own in (judged, run))
    run = {name: kind(own.tolist()) for name, own in run.items()}
    data = from_tables(judged, run, query="query", item="item", label="label", score="score")
    for name in ("item", "score"):
        swap_first(run[name]) if kind is list else run[name].__setitem__(0, run[name][5])
    assert mean_reciprocal_rank_score(data) == pytest.approx(1 / N_ITEMS)


def test_one_table():
    table = columns() | {"label": np.array([1.0, *[np.nan] * (N_ITEMS - 1)] * 2)}
    names = {name: name for name in table}
    for name in ("item", "label", "score"):
        data = from_table(table, **names)
        mean_reciprocal_rank_score(data, k=1)
        swap_first(table[name])
        with refused("table"):
            mean_reciprocal_rank_score(data)
        swap_first(table[name])


def test_tensors():
    torch = pytest.importorskip("torch", reason="tensors are tested where torch is")
    run = {name: torch.tensor(own) for name, own in columns().items()}
    data = from_tables(JUDGED, run, query="query", item="item", label="label", score="score")
    run["score"].neg_()
    with refused("predictions"):
        mean_reciprocal_rank_score(data)


@pytest.mark.parametrize("parameter", ["qrel", "run"])
def test_dicts_of_pytrec_eval(parameter):
    dicts = {"qrel": {"q": {"a": 1, "b": 0}}, "run": {"q": {"a": 0.1, "b": 0.2}}}
    data = from_pytrec_eval(**dicts)
    mean_reciprocal_rank_score(data, k=1)
    dicts[parameter]["q"]["b"] = 9
    with refused(parameter):
        mean_reciprocal_rank_score(data)


@pytest.mark.parametrize("n_queries", [2, 30_000])
def test_pickled_data_is_no_changed_data(n_queries):
    gold = [{f"d{i}" for i in range(9)}] * n_queries
    data = from_lists(gold, [["x", *"yz", "d1"]] * n_queries)
    mean_reciprocal_rank_score(data, k=1)
    for other in (pickle.loads(pickle.dumps(data)), copy.deepcopy(data)):
        assert mean_reciprocal_rank_score(other) == 0.25


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("k", [None, 1])
def test_pickled_columns_of_text(library, k):
    item = [f"d{i}" for i in range(400)]
    table = {"query": np.repeat(np.arange(100), 4), "item": item, "score": -(np.arange(400) % 4)}
    judged = {"query": np.arange(100), "item": item[::4]}
    as_table = {"pandas": pd.DataFrame, "polars": pl.DataFrame}.get(library)
    if library == "pyarrow":
        as_table = pytest.importorskip("pyarrow", reason="columns of pyarrow, where it is").table
    given = as_table(judged), as_table(table)
    data = from_tables(*given, query="query", item="item", label=None, score="score")
    if k is not None:
        mean_reciprocal_rank_score(data, k=k)
    report = ranking_report(data, scores="mrr", k=4)
    other, other_report = pickle.loads(pickle.dumps((data, report)))
    assert mean_reciprocal_rank_score(other, k=4) == other_report.mean["mrr@4"] == 1
    assert other.item_ids.tolist() == sorted(item)
