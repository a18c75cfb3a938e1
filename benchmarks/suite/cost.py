"""Time and memory of the scores, over the versions of the package."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import ranking_scores

from . import data

Call = Callable[[], object]

NEEDED: dict[str, dict[str, Any]] = {"expected_reciprocal_rank_score": {"max_grade": 4}}
SCORES = {
    name: signature(getattr(ranking_scores, name)).parameters
    for name in ranking_scores.__all__
    if "average" in signature(getattr(ranking_scores, name)).parameters
}
WITHOUT_CUTOFF = [name for name, parameters in SCORES.items() if "k" not in parameters]


def of_package(name: str) -> Callable[..., Any]:
    """Return a function of the package; asv skips the benchmark where there is none."""
    if not hasattr(ranking_scores, name):
        raise NotImplementedError(name)
    return getattr(ranking_scores, name)


def wide() -> dict[str, Any]:
    """200 queries of 20000 items, 0.1 % relevant."""
    labels, scores = data.few_relevant(200, 20_000)
    return {"y_true": labels, "y_score": scores}


def graded() -> dict[str, Any]:
    """10000 queries of 128 items, labels 0 to 4, no ties."""
    labels, scores = data.graded(10_000, 128)
    return {"y_true": labels, "y_score": scores}


def tied() -> dict[str, Any]:
    """The same, with 11 different scores."""
    labels, scores = data.graded(10_000, 128)
    return {"y_true": labels, "y_score": scores.round(1)}


def ragged() -> dict[str, Any]:
    """5000 queries of 20 to 219 items in sorted rows."""
    labels, scores, qid = data.ragged(data.lengths_around_120(5000))
    return {"y_true": labels, "y_score": scores, "qid": qid}


def shuffled() -> dict[str, Any]:
    """The same with the rows shuffled."""
    rows = ragged()
    order = np.random.default_rng(0).permutation(rows["qid"].size)
    return {name: values[order] for name, values in rows.items()}


def sparse() -> dict[str, Any]:
    """100 queries of 100000 items, one of them relevant."""
    labels, scores = data.sparse_labels(100, 100_000, 1)
    return {"y_true": labels, "y_score": scores}


def retrieved() -> dict[str, Any]:
    """5000 queries, 100 items retrieved of a million."""
    labels, ids, scores = data.retrieved_ids(5000, 1_000_000)
    found = of_package("retrieved_from_ids")(ids, scores, n_items=1_000_000)
    return {"y_true": labels, "y_score": found}


LAYOUTS = [wide, graded, tied, ragged, shuffled, sparse, retrieved]


class OneThread:
    """What all benchmarks share: they run on one thread."""

    call: Call

    def limit_threads(self) -> None:
        """Keep numeric libraries to one thread, until the process ends."""
        self.limits = threadpool_limits(limits=1)


class Layout(OneThread):
    """nDCG in each layout of the data, at a cutoff and of whole lists."""

    params = ([layout.__name__ for layout in LAYOUTS], [10, None])
    param_names = ("layout", "k")

    def setup(self, layout: str, k: int | None) -> None:
        """Make the data."""
        self.limit_threads()
        arrays = {of.__name__: of for of in LAYOUTS}[layout]()
        self.call = partial(of_package("ndcg_score"), **arrays, k=k)

    def time_ndcg(self, layout: str, k: int | None) -> None:
        """Time nDCG."""
        self.call()

    def peakmem_ndcg(self, layout: str, k: int | None) -> None:
        """Measure the memory of the process, with its data."""
        self.call()


class EveryScore(OneThread):
    """Each score of the package on the same data."""

    params = (SCORES, ["graded", "tied", "ragged"])
    param_names = ("score", "layout")

    def setup(self, score: str, layout: str) -> None:
        """Make the data."""
        self.limit_threads()
        arrays = {of.__name__: of for of in LAYOUTS}[layout]()
        cutoff = {} if score in WITHOUT_CUTOFF else {"k": 10}
        self.call = partial(of_package(score), **arrays, **cutoff, **NEEDED.get(score, {}))

    def time_score(self, score: str, layout: str) -> None:
        """Time the score."""
        self.call()


class OneQuery(OneThread):
    """What a call costs, and a long query."""

    params = ([10, 1_000_000], [10, None])
    param_names = ("n_items", "k")

    def setup(self, n_items: int, k: int | None) -> None:
        """Make the data."""
        self.limit_threads()
        self.call = partial(of_package("ndcg_score"), *data.graded(1, n_items), k=k)

    def time_ndcg(self, n_items: int, k: int | None) -> None:
        """Time nDCG."""
        self.call()

    def peakmem_ndcg(self, n_items: int, k: int | None) -> None:
        """Measure the memory of the process, with its data."""
        self.call()


class Curve(OneThread):
    """Each query's nDCG at every rank."""

    def setup(self) -> None:
        """Make the data."""
        self.limit_threads()
        arrays = data.graded(1000, 1000)
        params: dict[str, Any] = {"k": range(1, 1001), "average": None}
        self.call = partial(of_package("ndcg_score"), *arrays, **params)

    def time_curve(self) -> None:
        """Time the curve."""
        self.call()


class Import:
    """The import, in a process of its own."""

    def timeraw_import(self) -> str:
        """Return what is timed."""
        return "import ranking_scores"
