"""What the scores cost as the data grow: time from size to size, and memory beside the input.

python benchmarks/scaling.py
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from ranking_scores import hit_rate_score, ndcg_score, retrieved_from_ids

REPEAT = 7  # measurements to take the best of
Call = Callable[[], object]
Score = Callable[..., object]


def dense(n_queries: int, n_items: int, k: int | None) -> Call:
    """Return a call on a matrix with a query a row."""
    rng = np.random.default_rng(0)
    shape = (n_queries, n_items)
    return partial(ndcg_score, rng.integers(0, 5, size=shape), rng.random(shape), k=k)


def ragged(lengths: Iterable[int], k: int | None) -> Call:
    """Return a call on sorted rows, with queries of these lengths."""
    rng = np.random.default_rng(0)
    n_items = np.fromiter(lengths, dtype=np.int64)
    qid = np.repeat(np.arange(n_items.size), n_items)
    labels = rng.integers(0, 5, size=qid.size)
    return partial(ndcg_score, labels, rng.random(qid.size), k=k, qid=qid)


def sparse_labels(n_queries: int, score: Score) -> Call:
    """Return a call on a catalogue of 100000 items, 10 of them relevant to each query."""
    rng = np.random.default_rng(0)
    n_items, n_relevant = 100_000, 10
    relevant = [rng.choice(n_items, n_relevant, replace=False) for _ in range(n_queries)]
    starts = n_relevant * np.arange(n_queries + 1)
    ones = np.ones(n_queries * n_relevant)
    labels = csr_array((ones, np.ravel(relevant), starts), shape=(n_queries, n_items))
    scores = rng.random((n_queries, n_items), dtype=np.float32)
    return partial(score, labels, scores, k=[1, 5, 10, 20, 50])


def retrieved(n_queries: int, score: Score) -> Call:
    """Return a call on 100 of a million items found for each query, with 5 of 10 relevant ones."""
    rng = np.random.default_rng(0)
    n_items, n_relevant = 1_000_000, 10
    ids = np.array([rng.choice(n_items, 105, replace=False) for _ in range(n_queries)])
    scores = retrieved_from_ids(ids[:, :100], rng.random((n_queries, 100)), n_items=n_items)
    starts = n_relevant * np.arange(n_queries + 1)
    ones = np.ones(n_queries * n_relevant)
    labels = csr_array((ones, ids[:, -n_relevant:].ravel(), starts), shape=scores.shape)
    return partial(score, labels, scores, k=[1, 5, 10, 20, 50])


def best_seconds(calls: list[Call]) -> list[float]:
    """Return the least time of each call; they take turns, so that noise meets all of them."""
    measured = []
    for _ in range(REPEAT):
        turn = []
        for call in calls:
            start = perf_counter()
            call()
            turn.append(perf_counter() - start)
        measured.append(turn)
    return [min(times) for times in zip(*measured, strict=True)]


def print_growth(what: str, build: Callable[[int], Call], sizes: list[int]) -> None:
    """Print the time at each size, and by what factor it grows from one size to the next."""
    seconds = best_seconds([build(size) for size in sizes])
    factors = [larger / smaller for smaller, larger in pairwise(seconds)]
    print(f"{what}, from {sizes[0]} to {sizes[-1]}")
    print("  ms        " + "".join(f"{1e3 * time:9.3g}" for time in seconds))
    print("  factor             " + "".join(f"{factor:9.2f}" for factor in factors), flush=True)


def print_memory(what: str, call: Call) -> None:
    """Print the most memory that a call holds at once, beside its input."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{what}: {peak / 2**20:.1f} MiB", flush=True)


def main() -> None:
    """Double the queries, double the items, then put one long query among short ones."""
    queries = [1000 * 2**step for step in range(6)]
    items = [100 * 2**step for step in range(8)]
    with threadpool_limits(limits=1):
        print_growth("queries of 128 items, whole list", lambda n: dense(n, 128, None), queries)
        print_growth("queries of 128 items, k=10", lambda n: dense(n, 128, 10), queries)
        print_growth("items of 200 queries, whole list", lambda n: dense(200, n, None), items)
        print_growth("items of 200 queries, k=10", lambda n: dense(200, n, 10), items)
        print_growth("ragged queries of 128, k=10", lambda n: ragged([128] * n, 10), queries)
        for score in (hit_rate_score, ndcg_score):
            what = f"sparse labels, queries of 100000 items, {score.__name__}"
            print_growth(what, partial(sparse_labels, score=score), [100, 1000, 2000])
        for score in (hit_rate_score, ndcg_score):
            what = f"100 retrieved of 1000000 items, queries, {score.__name__}"
            print_growth(what, partial(retrieved, score=score), [5000, 10_000, 20_000])
    for score in (hit_rate_score, ndcg_score):
        for n_queries in (100, 1000, 2000):
            what = f"sparse labels, {n_queries} x 100000, {score.__name__}"
            print_memory(what, sparse_labels(n_queries, score))
    for score in (hit_rate_score, ndcg_score):
        for n_queries in (5000, 10_000, 20_000):
            what = f"100 retrieved of 1000000 items, {n_queries} queries, {score.__name__}"
            print_memory(what, retrieved(n_queries, score))
    print_memory("100000 queries of 10, k=10", ragged([10] * 100_000, 10))
    print_memory("and one of a million", ragged([1_000_000, *[10] * 100_000], 10))
    print_memory("the one of a million alone", ragged([1_000_000], 10))


if __name__ == "__main__":
    main()
