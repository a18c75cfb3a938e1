"""Data and results can be pickled before and after scores, as processes and caches need it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ranking_scores import ndcg_score, ranking_report, retrieved_from_ids
from ranking_scores.explain import explain_query
from ranking_scores.tables import from_exact_search, from_lists, from_table, from_tables
from ranking_scores.trec import from_pytrec_eval, read_qrels, read_run
from ranking_scores.unjudged import score_bounds

N_QUERIES, N_ITEMS = 20, 50
JUDGMENTS = {
    "query": np.repeat([f"q{n}" for n in range(N_QUERIES)], 3).tolist(),
    "item": [f"d{n % N_ITEMS}" for n in range(3 * N_QUERIES)],
    "label": [1, 2, 3] * N_QUERIES,
}
PREDICTIONS = {
    "query": np.repeat([f"q{n}" for n in range(N_QUERIES)], N_ITEMS).tolist(),
    "item": [f"d{n}" for n in range(N_ITEMS)] * N_QUERIES,
    "score": [float(n % 17) for n in range(N_QUERIES * N_ITEMS)],
}
GOLD = {f"q{n}": {f"d{n}": 1, "d7": 2} for n in range(N_QUERIES)}
RUN = {f"q{n}": {f"d{m}": float(m % 9) for m in range(N_ITEMS)} for n in range(N_QUERIES)}


KINDS = "dict", "pandas", "pandas, categories", "pandas, text of pyarrow", "polars", "pyarrow"


def of_tables(library: str) -> Any:
    tables = [JUDGMENTS, PREDICTIONS]
    if library != "dict":
        module = pytest.importorskip(library.partition(",")[0])
        tables = [(getattr(module, "DataFrame", None) or module.table)(own) for own in tables]
    kinds = {"pandas, categories": "category", "pandas, text of pyarrow": "string[pyarrow]"}
    if library in kinds:
        pytest.importorskip("pyarrow")
        tables = [own.astype(dict.fromkeys(["query", "item"], kinds[library])) for own in tables]
    return from_tables(*tables)


def of_files(folder: Any) -> Any:
    rows = zip(*JUDGMENTS.values(), strict=True)
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {label}\n" for q, d, label in rows))
    rows = zip(*PREDICTIONS.values(), strict=True)
    (folder / "run").write_text("".join(f"{q} Q0 {d} 1 {score} x\n" for q, d, score in rows))
    return from_tables(read_qrels(folder / "qrels"), read_run(folder / "run"))


def of_arrays() -> Any:
    ids = np.tile(np.arange(N_ITEMS), (N_QUERIES, 1))
    return retrieved_from_ids(np.eye(N_QUERIES, N_ITEMS), ids)


WAYS: dict[str, Callable[[Any], Any]] = {
    **{library: lambda _, library=library: of_tables(library) for library in KINDS},
    "one table": lambda _: from_table(
        pd.DataFrame(JUDGMENTS).merge(pd.DataFrame(PREDICTIONS), how="outer")
    ),
    "lists": lambda _: from_lists(
        [[*own] for own in GOLD.values()], [[*own] for own in RUN.values()]
    ),
    "dicts": lambda _: from_lists(GOLD, RUN),
    "aspects": lambda _: from_lists({q: {"a": own} for q, own in GOLD.items()}, RUN, aspects=True),
    "exact search": lambda _: from_exact_search(
        np.tile(np.arange(N_ITEMS), (3, 1)),
        np.tile(np.arange(N_ITEMS) / 2, (3, 1)),
        np.tile(np.arange(N_ITEMS), (3, 1)),
        k=5,
    ),
    "pytrec_eval": lambda _: from_pytrec_eval(GOLD, RUN),
    "TREC's files": of_files,
}


@pytest.mark.parametrize("way", WAYS)
def test_data_can_be_pickled_before_and_after_scores(way: str, tmp_path: Any) -> None:
    data = WAYS[way](tmp_path)
    again = pickle.loads(pickle.dumps(data))
    at_3 = ndcg_score(data, k=3, average=None)
    for depth in (3, 5, None):
        expected = ndcg_score(data, k=depth, average=None)
        assert ndcg_score(again, k=depth, average=None).tolist() == expected.tolist()
        again = pickle.loads(pickle.dumps(data))
        assert ndcg_score(again, k=3, average=None).tolist() == at_3.tolist()


@pytest.mark.parametrize("way", WAYS)
def test_results_of_data_can_be_pickled(way: str, tmp_path: Any) -> None:
    data = WAYS[way](tmp_path)
    report = ranking_report(data, scores=["ndcg", "mrr"], k=3)
    results = [report]
    if way != "aspects":
        results.append(explain_query(data, score="ndcg", query=data.query_ids[1], k=3))
        results.append(score_bounds(data, score="ndcg", k=3, max_grade=3))
    for result in results:
        assert repr(pickle.loads(pickle.dumps(result))) == repr(result)
