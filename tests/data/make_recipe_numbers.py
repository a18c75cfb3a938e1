"""Record what other libraries divide by at a cutoff, in recipe_numbers.json.

Run by hand, never in CI and by no test: the tests read the numbers. A run asks the libraries it
finds installed; the others keep the entries recorded before. On Python 3.11, run
``python tests/data/make_recipe_numbers.py`` in each environment:

- torchmetrics: ``pip install torch==2.13.0 torchmetrics==1.9.0``
- rectools: ``pip install rectools==0.19.0``
- ranx: ``pip install ranx==0.3.21``

The file holds under "y_true" and "y_score" six queries of twelve items, none of whose scores tie,
and each of which has a relevant item. Under "peers" it holds for each library its version, and
under "means" what it answers, by metric and cutoff. They are means over the queries.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path

Rows = list[list[float]]
Means = dict[str, dict[str, float]]

PATH = Path(__file__).with_name("recipe_numbers.json")
CUTOFFS = [1, 3, 5, 12]
N_QUERIES, N_ITEMS = 6, 12


def torchmetrics(y_true: Rows, y_score: Rows) -> Means:
    """Ask torchmetrics, where a score must be above 0."""
    import torch
    from torchmetrics.retrieval import RetrievalFallOut, RetrievalMAP

    indexes = torch.arange(N_QUERIES)[:, None].expand(-1, N_ITEMS)
    data = torch.tensor(y_score), torch.tensor(y_true), indexes
    return {
        metric.__name__: {
            str(k): float(metric(top_k=k)(*data[:2], indexes=data[2])) for k in CUTOFFS
        }
        for metric in (RetrievalMAP, RetrievalFallOut)
    }


def rectools(y_true: Rows, y_score: Rows) -> Means:
    """Ask RecTools, of tables of ranks and of what is relevant."""
    import pandas as pd
    from rectools.metrics import MAP, NDCG, F1Beta

    ranked, relevant = [], []
    for user, (labels, scores) in enumerate(zip(y_true, y_score, strict=True)):
        order = sorted(range(N_ITEMS), key=lambda item: -scores[item])
        ranked += [(user, item, rank) for rank, item in enumerate(order, start=1)]
        relevant += [(user, item) for item in range(N_ITEMS) if labels[item]]
    reco = pd.DataFrame(ranked, columns=["user_id", "item_id", "rank"])
    interactions = pd.DataFrame(relevant, columns=["user_id", "item_id"])
    metrics: dict[str, Callable[[int], object]] = {
        "MAP": lambda k: MAP(k),
        "MAP, divide_by_k": lambda k: MAP(k, divide_by_k=True),
        "NDCG": lambda k: NDCG(k),
        "NDCG, divide_by_achievable": lambda k: NDCG(k, divide_by_achievable=True),
        "F1Beta": lambda k: F1Beta(k),
        "F1Beta, beta=2": lambda k: F1Beta(k, beta=2.0),
    }
    return {
        name: {str(k): float(metric(k).calc(reco, interactions)) for k in CUTOFFS}
        for name, metric in metrics.items()
    }


def ranx(y_true: Rows, y_score: Rows) -> Means:
    """Ask ranx, whose F1 without a cutoff is that of the whole list."""
    from ranx import Qrels, Run, evaluate

    def by_name(rows: Rows) -> dict[str, dict[str, float]]:
        return {
            f"q{q}": {f"d{d}": each for d, each in enumerate(row)} for q, row in enumerate(rows)
        }

    data = Qrels(by_name(y_true)), Run(by_name(y_score))
    names = {"None": "f1"} | {str(k): f"f1@{k}" for k in CUTOFFS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"f1": {k: float(evaluate(*data, name)) for k, name in names.items()}}


PEERS = {each.__name__: each for each in (torchmetrics, rectools, ranx)}


def main() -> None:
    """Write the file, with new answers of the libraries that are installed."""
    rng = random.Random(0)
    y_true = [[int(rng.random() < 0.35) for _ in range(N_ITEMS)] for _ in range(N_QUERIES)]
    for row in y_true:
        row[rng.randrange(N_ITEMS)] = 1
    y_score = [rng.sample([n / 16 for n in range(1, 16)], N_ITEMS) for _ in range(N_QUERIES)]
    peers = json.loads(PATH.read_text(encoding="utf-8"))["peers"] if PATH.exists() else {}
    for name, ask in PEERS.items():
        if importlib.util.find_spec(name) is not None:
            version = importlib.metadata.version(name)
            peers[name] = {"version": version, "means": ask(y_true, y_score)}
    recorded = {"y_true": y_true, "y_score": y_score, "peers": peers}
    text = json.dumps(recorded, indent=2)
    rows = re.compile(r"\[\s+([-0-9.,\s]+?)\s+\]")  # each on a line of its own
    text = rows.sub(lambda row: f"[{' '.join(row[1].split())}]", text)
    PATH.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
