"""ranking_scores and scikit-learn side by side: time, memory and import, in one table.

Both work on the same arrays in the same process, by turns, on one thread. A case is timed only
after both have returned the same number; the time is the best of several, after a warm-up. In
case g, for which scikit-learn has no score, our own nDCG stands on its side.

    python benchmarks/compare_sklearn.py
    python benchmarks/compare_sklearn.py --only a b --repeat 9
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray
from sklearn.metrics import ndcg_score as sklearn_ndcg_score
from sklearn.metrics import top_k_accuracy_score
from threadpoolctl import threadpool_limits

import ranking_scores
from ranking_scores import hit_rate_score, ndcg_score

REL_TOL = 1e-12  # both sum the same terms, in another order


class Case(NamedTuple):
    """The same score, by two libraries; or two scores of ours, on the same data."""

    ours: Callable[[], float]
    theirs: Callable[[], float]
    n_calls: int = 1  # calls in one measurement: so many that it takes milliseconds
    is_same_score: bool = True

    def check(self) -> None:
        """Raise unless both return the same number, if they should; warms both up."""
        ours, theirs = self.ours(), self.theirs()
        if self.is_same_score and not math.isclose(ours, theirs, rel_tol=REL_TOL):
            raise ValueError(f"ranking_scores says {ours!r}, scikit-learn {theirs!r}")


class Pair(NamedTuple):
    """What was measured of both."""

    ours: float
    theirs: float
    unit: str


def dense_case(labels: NDArray[Any], scores: NDArray[Any], **params: Any) -> Case:
    """Return the case of a matrix with a query a row."""
    return Case(
        partial(ndcg_score, labels, scores, **params),
        partial(sklearn_ndcg_score, labels, scores, **params),
    )


def few_relevant_data() -> tuple[NDArray[Any], NDArray[Any]]:
    """1000 queries of 20000 items, 0.1 % relevant."""
    rng = np.random.default_rng(0)
    shape = (1000, 20000)
    labels = (rng.random(shape) < 0.001).astype(np.int64)
    return labels, rng.random(shape)


def few_relevant(**params: Any) -> Case:
    """nDCG@10 of few relevant items."""
    return dense_case(*few_relevant_data(), k=10, **params)


def hit_rate_beside_ndcg() -> Case:
    """The hit rate at 10 of few relevant items, and our nDCG@10 of them."""
    data = few_relevant_data()
    return Case(
        partial(hit_rate_score, *data, k=10),
        partial(ndcg_score, *data, k=10),
        is_same_score=False,
    )


def class_labels() -> Case:
    """20000 samples of 1000 classes, the true class among the best 5; nothing ties."""
    rng = np.random.default_rng(4)
    n_samples, n_classes = 20000, 1000
    classes = np.arange(n_classes)
    y_true = rng.integers(n_classes, size=n_samples)
    y_score = rng.random((n_samples, n_classes))
    y_score[np.arange(n_samples), y_true] += 0.5
    data = {"y_true": y_true, "y_score": y_score, "k": 5, "labels": classes}
    return Case(partial(hit_rate_score, **data), partial(top_k_accuracy_score, **data))


def graded(decimals: int | None = None, **params: Any) -> Case:
    """10000 queries of 128 items, labels 0 to 4, nDCG of the whole list."""
    rng = np.random.default_rng(1)
    shape = (10000, 128)
    scores = rng.random(shape)
    if decimals is not None:
        scores = scores.round(decimals)
    return dense_case(rng.integers(0, 5, size=shape), scores, **params)


def ragged() -> Case:
    """5000 queries of 20 to 219 items as sorted rows, labels 0 to 4, nDCG@10."""
    rng = np.random.default_rng(2)
    qid = np.repeat(np.arange(5000), rng.integers(20, 220, size=5000))
    labels = rng.integers(0, 5, size=qid.size)
    scores = rng.random(qid.size)

    def loop() -> float:
        bounds = [0, *(np.flatnonzero(qid[1:] != qid[:-1]) + 1), qid.size]
        ndcg = [
            sklearn_ndcg_score(labels[None, start:stop], scores[None, start:stop], k=10)
            for start, stop in pairwise(bounds)
        ]
        return float(np.mean(ndcg))

    return Case(partial(ndcg_score, labels, scores, k=10, qid=qid), loop)


def one_query() -> Case:
    """1 query of 10 items: what a call costs."""
    rng = np.random.default_rng(3)
    return dense_case(rng.integers(0, 5, size=(1, 10)), rng.random((1, 10)))._replace(n_calls=200)


def seconds(func: Callable[[], object], n_calls: int) -> float:
    """Return the time of a call, over `n_calls` of them."""
    start = perf_counter()
    for _ in range(n_calls):
        func()
    return (perf_counter() - start) / n_calls


def best_by_turns(
    measure_ours: Callable[[], float], measure_theirs: Callable[[], float], repeat: int, unit: str
) -> Pair:
    """Return the smallest measurement of each; by turns, so that noise meets both."""
    measured = [(measure_ours(), measure_theirs()) for _ in range(repeat)]
    ours, theirs = zip(*measured, strict=True)
    return Pair(min(ours), min(theirs), unit)


def timing(build: Callable[[], Case], repeat: int) -> Pair:
    """Measure the time of a call, in milliseconds."""
    case = build()
    case.check()
    return best_by_turns(
        lambda: 1e3 * seconds(case.ours, case.n_calls),
        lambda: 1e3 * seconds(case.theirs, case.n_calls),
        repeat,
        "ms",
    )


def peak_mebibytes(func: Callable[[], object]) -> float:
    """Return the most memory that a call holds at once, beside its input."""
    tracemalloc.start()
    try:
        func()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def memory(build: Callable[[], Case], repeat: int) -> Pair:
    """Measure the peak memory of a call. It is the same each time: `repeat` has no effect."""
    case = build()
    case.check()
    return Pair(peak_mebibytes(case.ours), peak_mebibytes(case.theirs), "MiB")


def import_milliseconds(module: str) -> float:
    """Return the time of an import in a fresh process, without the start of the process."""
    code = (
        "from time import perf_counter\n"
        f"start = perf_counter()\nimport {module}\nprint(perf_counter() - start)"
    )
    # -P: what is installed, not what lies in the current folder.
    command = [sys.executable, "-P", "-c", code]
    return 1e3 * float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def importing(repeat: int) -> Pair:
    """Measure ``import ranking_scores`` against ``import sklearn.metrics``."""
    measure_ours = partial(import_milliseconds, "ranking_scores")
    measure_theirs = partial(import_milliseconds, "sklearn.metrics")
    best_by_turns(measure_ours, measure_theirs, 1, "ms")  # the warm-up: files into the cache
    return best_by_turns(measure_ours, measure_theirs, repeat, "ms")


MEASUREMENTS: dict[str, tuple[str, Callable[[int], Pair]]] = {
    "a": ("1000 x 20000, 0.1 % relevant, k=10", partial(timing, few_relevant)),
    "b": ("10000 x 128, labels 0-4", partial(timing, graded)),
    "c": ("b, scores of one decimal", partial(timing, partial(graded, decimals=1))),
    "d": ("5000 ragged of 20-219, k=10", partial(timing, ragged)),
    "e": ("1 query of 10 items", partial(timing, one_query)),
    "g": ("hit rate of a, k=10; our nDCG of it", partial(timing, hit_rate_beside_ndcg)),
    "h": ("20000 x 1000 classes, top 5", partial(timing, class_labels)),
    "a-ignore": ("a, ignore_ties=True", partial(timing, partial(few_relevant, ignore_ties=True))),
    "b-ignore": ("b, ignore_ties=True", partial(timing, partial(graded, ignore_ties=True))),
    "a-memory": ("peak memory of a", partial(memory, few_relevant)),
    "d-memory": ("peak memory of d", partial(memory, ragged)),
    "h-memory": ("peak memory of h", partial(memory, class_labels)),
    "import": ("import", importing),
}


def machine() -> str:
    """Return the processor and the versions, a line each."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return (
        f"{models[0] if models else platform.processor()}, {os.cpu_count()} cores, "
        f"{platform.system()} {platform.machine()}\n"
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, ranking_scores {ranking_scores.__version__}"
    )


def row(name: str, what: str, ours: str, theirs: str, unit: str, ratio: str) -> str:
    """Return a line of the table."""
    return f"{name:9} {what:35} {ours:>9} {theirs:>12} {unit:4} {ratio:>6}"


def main() -> None:
    """Measure what the command line asks for, printing each line as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, default=list(MEASUREMENTS))
    parser.add_argument("--repeat", type=int, default=5, help="measurements to take the best of")
    arguments = parser.parse_args()
    print(machine(), end="\n\n")
    print(row("", "", "ours", "scikit-learn", "", "ratio"))
    with threadpool_limits(limits=1):
        for name in arguments.only:
            what, measure = MEASUREMENTS[name]
            ours, theirs, unit = measure(arguments.repeat)
            numbers = f"{ours:.4g}", f"{theirs:.4g}", unit, f"{theirs / ours:.3g}"
            print(row(name, what, *numbers), flush=True)


if __name__ == "__main__":
    main()
