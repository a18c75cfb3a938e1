"""pytorchltr: its three metrics of padded tensors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ranking_scores.conventions import like


def arp(scores: Any, relevance: Any, n: Any) -> Any:
    """Return the average relevant position of each query."""
    return score(like("pytorchltr", "arp"), scores, relevance, n)


def dcg(scores: Any, relevance: Any, n: Any, k: int | None = None, exp: bool = True) -> Any:
    """Return DCG at k of each query, or at each rank."""
    return at_ranks("dcg", scores, relevance, n, k, exp)


def ndcg(scores: Any, relevance: Any, n: Any, k: int | None = None, exp: bool = True) -> Any:
    """Return nDCG at k of each query, or at each rank."""
    return at_ranks("ndcg", scores, relevance, n, k, exp)


def at_ranks(measure: str, scores: Any, relevance: Any, n: Any, k: int | None, exp: bool) -> Any:
    """Return a measure at k of each query, or one column per rank."""
    import torch

    if k is not None:
        return score(like("pytorchltr", measure, k=k, exp=exp), scores, relevance, n)
    ranks = range(1, scores.shape[1] + 1)
    of_rank = [like("pytorchltr", measure, k=rank, exp=exp) for rank in ranks]
    return torch.stack([score(each, scores, relevance, n) for each in of_rank], dim=1)


def score(measure: Any, scores: Any, relevance: Any, n: Any) -> Any:
    """Return a measure of each query. Cells from column n on are padding."""
    import torch

    y_true, y_score = relevance.numpy(), scores.numpy().reshape(relevance.shape)
    where = np.arange(y_true.shape[1]) < n.numpy()[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ties, which pytorchltr breaks at random
        values = measure(y_true, y_score, where=where, average=None)
    return torch.tensor(values, dtype=torch.float32)


REPLACED = {
    "pytorchltr.evaluation.arp": arp,
    "pytorchltr.evaluation.dcg": dcg,
    "pytorchltr.evaluation.ndcg": ndcg,
}
