"""What ndcg_score costs as the data grow: time per doubling, and memory beside one long query.

python benchmarks/scaling.py
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from ranking_scores import ndcg_score

REPEAT = 7  # measurements to take the best of
Call = Callable[[], object]


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
    print("  ms        " + "".join(f"{1e3 * time:8.3g}" for time in seconds))
    print("  factor            " + "".join(f"{factor:8.2f}" for factor in factors), flush=True)


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
    print_memory("100000 queries of 10, k=10", ragged([10] * 100_000, 10))
    print_memory("and one of a million", ragged([1_000_000, *[10] * 100_000], 10))
    print_memory("the one of a million alone", ragged([1_000_000], 10))


if __name__ == "__main__":
    main()
