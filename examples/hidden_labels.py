"""Hide labels of a TREC run, at random and by a pool, and see what is left of a score.

The data are three topics of TREC with their judgments, and a run of 500 documents for each. A new
system ranks the same documents in another order. Then labels are hidden, as if nobody had judged
these documents, and some are judged again.

Run it with ``python examples/hidden_labels.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores import bpref_score, from_tables, judged_at_k_score, ndcg_score
from ranking_scores.tables import RankingData
from ranking_scores.trec import read_qrels, read_run
from ranking_scores.unjudged import items_to_judge, score_bounds

DATA = Path(__file__).parents[1] / "tests" / "data" / "trec"
SHARES = [0.1, 0.25, 0.5, 0.75, 0.9, 1.0]
DEPTHS = [5, 10, 20, 50, 100, 200]
NAMES = {"query": "query", "item": "item", "label": "label", "score": "score"}


class Documents:
    """The judgments of all documents that were retrieved, and two systems that rank them."""

    def __init__(self) -> None:
        qrels, run = read_qrels(DATA / "qrels.test"), read_run(DATA / "results.test")
        pairs = [*zip(run["query"], run["item"], strict=True)]
        judged = zip(qrels["query"], qrels["item"], strict=True)
        labels = dict(zip(judged, qrels["label"], strict=True))
        # So that the truth is known here, what was not judged is taken for not relevant.
        labels |= {pair: 0 for pair in pairs if pair not in labels}
        self.labels = labels
        self.old = {**run, "score": np.array(run["score"])}
        by_query = np.lexsort((-self.old["score"], run["query"]))
        rank = np.empty(len(pairs), dtype=int)
        rank[by_query] = np.arange(len(pairs)) % 500 + 1
        self.rank = dict(zip(pairs, rank.tolist(), strict=True))
        # The new system agrees with the old one, but for some dozens of ranks.
        noise = np.random.default_rng(0).normal(0, 30, rank.size)
        self.new = {**run, "score": -(rank + noise)}

    def judged(self, is_known: dict[Any, bool]) -> tuple[RankingData, RankingData]:
        """Return both systems. Of the documents retrieved, only some have a label."""
        known = [(pair, label) for pair, label in self.labels.items() if is_known.get(pair, True)]
        table = {
            "query": [query for (query, _), _ in known],
            "item": [item for (_, item), _ in known],
            "label": [label for _, label in known],
        }
        old, new = (from_tables(table, run, **NAMES) for run in (self.old, self.new))
        return old, new

    def at_random(self, share: float) -> dict[Any, bool]:
        """Return which documents are judged if each is with the same probability."""
        chosen = np.random.default_rng(0).random(len(self.rank)) < share
        return dict(zip(self.rank, chosen.tolist(), strict=True))

    def in_pool(self, depth: int) -> dict[Any, bool]:
        """Return which documents are judged if the first ones of the old system are."""
        return {pair: rank <= depth for pair, rank in self.rank.items()}


def describe(data: RankingData, score: str = "ndcg@20") -> dict[str, float]:
    """Return what can be said about a system whose documents were judged in part."""
    bounds = score_bounds(data, score=score)
    return {
        "judged@20": judged_at_k_score(*data[:2], k=20),
        "low": float(bounds.low),
        "not relevant": float(bounds.not_relevant),
        "condensed": float(bounds.condensed),
        "high": float(bounds.high),
        "bpref": bpref_score(*data[:2]),
    }


def judge(documents: Documents, is_known: dict[Any, bool], n: int = 5) -> NDArray[np.float64]:
    """Judge documents, n at a time, until the difference of the systems has a sign.

    Return the number of documents judged so far, and the bounds of the difference, at each step.
    """
    is_known, steps = dict(is_known), []
    while True:
        old, new = documents.judged(is_known)
        bounds = score_bounds(old, other=new, score="ndcg@20")
        steps.append((n * len(steps), float(bounds.low), float(bounds.high)))
        items = items_to_judge(old, new, score="ndcg@20", n=n)
        if bounds.low > 0 or bounds.high < 0 or not items:
            return np.array(steps)
        for item in items:
            is_known[item.query, item.item] = True


def plot(documents: Documents) -> Any:
    """Plot the range of nDCG@20 of the new system, the more labels are known."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
    truth = ndcg_score(*documents.judged({})[1][:2], k=20)
    for ax, hide, steps, label in (
        (axes[0], documents.at_random, SHARES, "share of the documents that is judged"),
        (axes[1], documents.in_pool, DEPTHS, "ranks of the old system that are judged"),
    ):
        found = [describe(documents.judged(hide(step))[1]) for step in steps]
        x = np.arange(len(steps))
        low, usual, condensed, high, bpref = (
            [each[name] for each in found]
            for name in ("low", "not relevant", "condensed", "high", "bpref")
        )
        ax.fill_between(x, low, high, color="#0072b2", alpha=0.2, label="all labels")
        ax.plot(x, usual, "o-", color="#0072b2", label="not relevant")
        ax.plot(x, condensed, "s--", color="#d55e00", label="condensed")
        ax.plot(x, bpref, "^:", color="#009e73", label="bpref")
        ax.axhline(truth, color="#777777", linewidth=1, label="all judged")
        ax.set_xticks(x, [f"{step:g}" for step in steps])
        ax.set_xlabel(label)
    axes[0].set_ylabel("nDCG@20, or bpref")
    axes[1].legend()
    return figure


def main() -> None:
    """Print what is known about the new system, and how many labels the verdict needs."""
    documents = Documents()
    for name, hide, steps in (
        ("judged at random", documents.at_random, SHARES),
        ("judged by a pool", documents.in_pool, DEPTHS),
    ):
        rows = {step: describe(documents.judged(hide(step))[1]) for step in steps}
        print(f"{name:18}" + "".join(f"{each:>14}" for each in rows[steps[0]]))
        for step, row in rows.items():
            print(f"{step:<18g}" + "".join(f"{each:14.3f}" for each in row.values()))
    steps = judge(documents, documents.in_pool(20))
    print(
        f"\nThe first 20 documents of the old system are judged, and then {steps[-1, 0]:.0f} more:"
    )
    for n, low, high in steps:
        print(f"{n:4.0f} labels: new minus old is {low:+.3f} to {high:+.3f}")


if __name__ == "__main__":
    main()
