"""What the scores cost as the data grow: time from size to size, and memory beside the input.

python benchmarks/scaling.py
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from time import process_time
from typing import NamedTuple

from suite import data
from threadpoolctl import threadpool_limits

import ranking_scores

Call = Callable[[], object]
Clock = Callable[[], float]
CUTOFFS = [1, 5, 10, 20, 50]
MEASUREMENT = 0.02  # seconds, at least, where a call is shorter


class Series(NamedTuple):
    """The same work at several sizes."""

    what: str
    build: Callable[[int], Call]
    sizes: list[int]
    bound: float = 2.2
    """How many times as long twice the size may take."""


def dense(n_queries: int, n_items: int, k: int | None) -> Call:
    """Return a call on a matrix with one query per row."""
    return partial(ranking_scores.ndcg_score, *data.graded(n_queries, n_items), k=k)


def ragged(n_queries: int, k: int | None) -> Call:
    """Return a call on sorted rows, with queries of 128 items."""
    labels, scores, qid = data.ragged([128] * n_queries)
    return partial(ranking_scores.ndcg_score, labels, scores, k=k, qid=qid)


def sparse_labels(n_queries: int, n_items: int, score: str) -> Call:
    """Return a call on a catalogue, 10 items of it relevant to each query."""
    labels, scores = data.sparse_labels(n_queries, n_items, 10)
    return partial(getattr(ranking_scores, score), labels, scores, k=CUTOFFS)


def retrieved(n_queries: int, score: str) -> Call:
    """Return a call on 100 of a million items found for each query, with 5 of 10 relevant ones."""
    n_items = 1_000_000
    labels, ids, scores = data.retrieved_ids(n_queries, n_items)
    found = ranking_scores.retrieved_from_ids(ids, scores, n_items=n_items)
    return partial(getattr(ranking_scores, score), labels, found, k=CUTOFFS)


def one_query(n_items: int) -> Call:
    """Return a call on the pairs of one query, none of whose labels or scores are equal."""
    return partial(ranking_scores.pairwise_accuracy_score, *data.times(1, n_items))


def series(scale: float = 1) -> list[Series]:
    """Return all series; `scale` makes the sizes smaller or larger."""

    def doubling(first: int, n_sizes: int) -> list[int]:
        return [max(int(first * scale), 1) * 2**step for step in range(n_sizes)]

    n_items = max(int(100_000 * scale), 100)
    all_series = [
        Series("queries of 128, all ranks", lambda n: dense(n, 128, None), doubling(1000, 6)),
        Series("queries of 128, k=10", lambda n: dense(n, 128, 10), doubling(1000, 6)),
        Series("items of 200, all ranks", lambda n: dense(200, n, None), doubling(100, 8)),
        Series("items of 200, k=10", lambda n: dense(200, n, 10), doubling(100, 8)),
        Series("ragged queries of 128, k=10", lambda n: ragged(n, 10), doubling(1000, 6)),
    ]
    for score in ("hit_rate_score", "ndcg_score"):
        name = {"hit_rate_score": "hit rate", "ndcg_score": "nDCG"}[score]
        wide = partial(sparse_labels, n_items=n_items, score=score)
        all_series.append(Series(f"queries, sparse y_true, {name}", wide, doubling(250, 4)))
        if hasattr(ranking_scores, "retrieved_from_ids"):
            found = partial(retrieved, score=score)
            all_series.append(Series(f"queries, retrieved, {name}", found, doubling(2500, 4)))
    if hasattr(ranking_scores, "pairwise_accuracy_score"):
        name = "items of 1, pairwise accuracy"
        # Up to a million items, so that the larger ones are in no cache.
        all_series.append(Series(name, one_query, doubling(1000, 11), 3))
    return all_series


def seconds(call: Call, n_calls: int = 1, clock: Clock = process_time) -> float:
    """Return the time of a call, over `n_calls` of them.

    That of the processor: on one thread it is the time that passes while nothing else runs.
    """
    start = clock()
    for _ in range(n_calls):
        call()
    return (clock() - start) / n_calls


def best_seconds(calls: list[Call], repeat: int, clock: Clock = process_time) -> list[float]:
    """Return the least time of each call; they take turns, so that noise meets all of them.

    A short call is measured many times over, so that each measurement takes some milliseconds.
    """
    n_calls = [max(int(MEASUREMENT / max(seconds(call, 1, clock), 1e-6)), 1) for call in calls]
    clocks = [clock] * len(calls)
    measured = [list(map(seconds, calls, n_calls, clocks)) for _ in range(repeat)]
    return [min(times) for times in zip(*measured, strict=True)]


def peak_bytes(call: Call) -> int:
    """Return the most memory that a call holds at once, beside its input."""
    call()  # what is only made once, such as a cache, is there
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def print_growth(of: Series) -> None:
    """Print time, its growth from one size to the next, and the memory at each size."""
    calls = [of.build(size) for size in of.sizes]
    times = best_seconds(calls, repeat=7)
    factors = [larger / smaller for smaller, larger in pairwise(times)]
    print(f"{of.what}, from {of.sizes[0]} to {of.sizes[-1]}")
    print("  ms        " + "".join(f"{1e3 * time:9.3g}" for time in times))
    print("  factor             " + "".join(f"{factor:9.2f}" for factor in factors))
    print("  MB        " + "".join(f"{peak_bytes(call) / 1e6:9.3g}" for call in calls), flush=True)


def main() -> None:
    """Double the queries, then the items, in every layout."""
    with threadpool_limits(limits=1):
        for of in series():
            print_growth(of)


if __name__ == "__main__":
    main()
