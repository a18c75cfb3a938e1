"""ranx: its metrics of arrays with a row of an id and a number for each document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ranking_scores import bpref_score, from_lists, rank_biased_precision_score
from ranking_scores.conventions import like

from . import LeftToThePeer


def metric(measure: str, *, with_cutoff: bool = True) -> Callable[..., Any]:
    """Return a function that computes a measure of ranx of each query."""

    def of_queries(qrels: Any, run: Any, k: int = 0, rel_lvl: int = 1) -> Any:
        cutoff = {"k": int(k)} if with_cutoff and k else {}
        return score(measure, qrels, run, rel_lvl=int(rel_lvl), **cutoff)

    return of_queries


def rank_biased_precision(qrels: Any, run: Any, p: float, rel_lvl: int = 1) -> Any:
    """Return the rank-biased precision of each query.

    `like` knows two persistences. The others are ours, which is the same for labels of 0 and 1.
    """
    if p in (0.8, 0.95):
        return score(f"rbp.{p * 100:.0f}", qrels, run, rel_lvl=int(rel_lvl))
    if max(row[1] for query in qrels for row in query) > 1:
        raise LeftToThePeer(f"grades in rbp with a persistence of {p}")
    data = join(qrels, run)
    return rank_biased_precision_score(data, persistence=p, average=None)


def bpref(qrels: Any, run: Any, rel_lvl: int = 1) -> Any:
    """Return bpref of each query, by our score, since no convention has the bug of ranx."""
    return bpref_score(join(qrels, run), relevance_threshold=rel_lvl, average=None)


def interpolated_precision_at_recall(*_: Any) -> Any:
    """Leave interpolated precision to ranx."""
    raise LeftToThePeer("interpolated precision")


def score(measure: str, qrels: Any, run: Any, **options: Any) -> Any:
    """Return a measure of each query."""
    return like("ranx", measure, **options)(join(qrels, run), average=None)


def join(qrels: Any, run: Any) -> Any:
    """Return the data of our scores. The documents of a run are in its order."""
    labels = [{_id(row[0]): float(row[1]) for row in query} for query in qrels]
    return from_lists(labels, [[_id(row[0]) for row in query] for query in run])


def _id(number: Any) -> str:
    return str(np.int64(number))


REPLACED = {
    "ranx.metrics.hits": metric("hits"),
    "ranx.metrics.hit_rate": metric("hit_rate"),
    "ranx.metrics.precision": metric("precision"),
    "ranx.metrics.recall": metric("recall"),
    "ranx.metrics.f1": metric("f1"),
    "ranx.metrics.r_precision": metric("r-precision", with_cutoff=False),
    "ranx.metrics.reciprocal_rank": metric("mrr"),
    "ranx.metrics.average_precision": metric("map"),
    "ranx.metrics.dcg": metric("dcg"),
    "ranx.metrics.dcg_burges": metric("dcg_burges"),
    "ranx.metrics.ndcg": metric("ndcg"),
    "ranx.metrics.ndcg_burges": metric("ndcg_burges"),
    "ranx.metrics.rank_biased_precision": rank_biased_precision,
    "ranx.metrics.bpref": bpref,
    "ranx.metrics.interpolated_precision_at_recall": interpolated_precision_at_recall,
}
