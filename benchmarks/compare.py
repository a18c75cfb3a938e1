"""ranking_scores beside other libraries, beside passes over the data, and beside its targets.

Everything works on the same arrays in one process, by turns, on one thread; the checks of the
input are part of every time. A row is timed only after its results were found equal; its time is
that of the processor, the best of several after that warm-up. A peer that is not installed is
left out with a note.

    python benchmarks/compare.py
    python benchmarks/compare.py --only a b --repeat 9
    python benchmarks/compare.py --runs 3 --json table.json --plot summary.png
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import math
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from importlib import import_module, metadata
from inspect import signature
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import scaling
from joblib import parallel_config
from numpy.typing import ArrayLike, NDArray
from scaling import CUTOFFS, best_seconds, peak_bytes
from scipy.sparse import csr_array, csr_matrix
from scipy.stats import bootstrap, kendalltau
from sklearn.metrics import ndcg_score as sklearn_ndcg_score, top_k_accuracy_score
from suite import data
from threadpoolctl import threadpool_limits

import ranking_scores
from ranking_scores import ndcg_score, ranking_report
from ranking_scores.__main__ import main as main_of_command
from ranking_scores._files import _trec_files
from ranking_scores._metrics import _profiles
from ranking_scores._queries import _rows, _top_k_candidates
from ranking_scores.agreement import overlap_at_k, rank_biased_overlap
from ranking_scores.conventions import like
from ranking_scores.explain import explain_difference, explain_query
from ranking_scores.significance import compare_all, confidence_interval
from ranking_scores.tables import RankingData, from_tables
from ranking_scores.unjudged import score_bounds

Array = NDArray[Any]
Call = Callable[[], ArrayLike]

DOUBLE = 1e-12  # both sum the same terms in float64, in another order
SINGLE = 1e-5  # the other one sums in float32
SUMMED = 1e-10  # the other one sums query after query

PEERS = {  # the names of the packages by those of the libraries
    "scikit-learn": "scikit-learn",
    "ignite": "pytorch-ignite",
    "torchmetrics": "torchmetrics",
    "torch": "torch",
    "ranx": "ranx",
    "pytrec_eval": "pytrec_eval-terrier",
    "RecTools": "rectools",
    "RePlay": "replay-rec",
    "Evidently": "evidently",
    "recommenders": "recommenders",
    "implicit": "implicit",
}

ONE_THREAD = os.environ | dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], "1")
# As in an installed package, modules are compiled once, not each time they are imported.
ONE_THREAD.pop("PYTHONDONTWRITEBYTECODE", None)

NEEDED: dict[str, dict[str, Any]] = {"expected_reciprocal_rank_score": {"max_grade": 4}}
SCORES = {
    name: signature(getattr(ranking_scores, name)).parameters
    for name in ranking_scores.__all__
    if "average" in signature(getattr(ranking_scores, name)).parameters
}
"""The scores of the installed version, with their parameters."""
OTHER_SCORES = {name: NEEDED.get(name, {}) for name in SCORES if name != "ndcg_score"}
REPORT_CUTOFFS = [1, 5, 10]
REPORTED = {  # by the names that the report has for them
    "ndcg": "ndcg_score",
    "map": "mean_average_precision_score",
    "mrr": "mean_reciprocal_rank_score",
    "precision": "precision_at_k_score",
    "recall": "recall_at_k_score",
    "hit_rate": "hit_rate_score",
}
NEED_CUTOFF = [
    name for name, own in SCORES.items() if "k" in own and own["k"].default is own["k"].empty
]
WITHOUT_CUTOFF = [name for name, parameters in SCORES.items() if "k" not in parameters]


class Sizes(NamedTuple):
    """How large the data is: queries, and items of each where these are not given."""

    a: tuple[int, int] = (1000, 20_000)
    b: tuple[int, int] = (10_000, 128)
    d: int = 5000
    f: tuple[int, int] = (1000, 100_000)
    h: int = 10_000_000
    j: tuple[int, int] = (100_000, 1_000_000)
    curve: tuple[int, int] = (5000, 1000)
    long: tuple[int, int] = (500, 4000)
    short: tuple[int, int] = (2000, 1000)
    shorter: tuple[int, int] = (2000, 400)
    masked: tuple[int, int] = (600, 10_000)
    retrieved: tuple[int, int] = (10_000, 1_000_000)
    classes: tuple[int, int] = (20_000, 1000)
    narrow: tuple[int, int] = (20_000, 100)
    wide: tuple[int, int] = (500, 20_000)
    tables: tuple[int, int] = (20_000, 20_000)
    lists: tuple[int, int] = (20_000, 200_000)
    pairs: int = 10_000
    ids: int = 40_000
    found: tuple[tuple[int, int], ...] = ((20_000, 27_278), (138_493, 27_278))
    systems: tuple[int, int] = (20_000, 15)
    trec: tuple[int, int] = (2000, 1000)
    text: int = 2_000_000
    csv: int = 400_000
    growth: float = 1


FAST = Sizes(
    a=(100, 2000),
    b=(500, 128),
    d=200,
    f=(20, 5000),
    h=100_000,
    j=(1000, 10_000),
    curve=(100, 100),
    long=(20, 4000),
    short=(50, 1000),
    shorter=(50, 400),
    masked=(60, 1000),
    retrieved=(100, 10_000),
    classes=(200, 100),
    narrow=(200, 100),
    wide=(20, 1000),
    tables=(200, 1000),
    lists=(200, 3000),
    pairs=1000,
    ids=400,
    found=((200, 1000),),
    systems=(200, 5),
    trec=(20, 100),
    text=10_000,
    csv=4000,
    growth=0.01,
)


class Target(NamedTuple):
    """How many times faster than the other ours is to be at least, or slower at most."""

    sign: str
    bound: float

    def ratio(self, ours: float, other: float) -> float:
        """Return what the bound is about."""
        return other / ours if self.sign == ">=" else ours / other

    def headroom(self, ratio: float) -> float:
        """Return by what factor the ratio is better than the bound."""
        return ratio / self.bound if self.sign == ">=" else self.bound / ratio

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}x" if self.bound else ""


at_least, at_most = partial(Target, ">="), partial(Target, "<=")
FASTER, SLOWER = at_least(0), at_most(np.inf)  # no target, only a direction


class Row(NamedTuple):
    """A row of the table, not yet measured."""

    name: str
    work: str
    against: str
    target: Target
    unit: str = ""
    measure: Callable[[int], tuple[float, float]] | None = None
    """Takes how often to repeat; returns our number and the other one."""
    missing: str = ""
    """Why it cannot be measured."""


@dataclass
class Result:
    """A row of the table, measured once."""

    name: str
    work: str
    against: str
    unit: str
    ours: float
    other: float
    ratio: float
    target: str
    headroom: float | None
    """By what factor the ratio is better than the target; None: there is no target."""
    is_met: bool | None


def check_equal(ours: ArrayLike, other: ArrayLike, rel_tol: float) -> None:
    """Raise unless both are the same, up to a relative tolerance."""
    np.testing.assert_allclose(ours, other, rtol=rel_tol, atol=0)


def timed(
    name: str,
    work: str,
    against: str,
    target: Target,
    ours: Call,
    other: Call | None,
    *,
    rel_tol: float | None = None,
    expected: Callable[[], ArrayLike] | None = None,
    clock: Callable[[], float] = process_time,
) -> Row:
    """Return a row that compares the times of two calls.

    They are to return the same, where `rel_tol` is given, or ours what `expected` returns. No
    `other`: that is not installed.
    """
    if other is None:
        return Row(name, work, against, target, missing=f"{against} is not installed")

    def measure(repeat: int) -> tuple[float, float]:
        result, of_other = ours(), other()
        if expected is not None:
            check_equal(result, expected(), DOUBLE if rel_tol is None else rel_tol)
        elif rel_tol is not None:
            check_equal(result, of_other, rel_tol)
        first, second = best_seconds([ours, other], repeat, clock)
        return 1e3 * first, 1e3 * second

    return Row(name, work, against, target, "ms", measure)


def memory(name: str, work: str, ours: Call | list[Call], allowed_bytes: float) -> Row:
    """Return a row that compares the peak memory of a call with what is allowed.

    Of several calls it is that of the worst.
    """
    calls = ours if isinstance(ours, list) else [ours]

    def measure(repeat: int) -> tuple[float, float]:
        return max(map(peak_bytes, calls)) / 1e6, allowed_bytes / 1e6

    return Row(name, work, "allowed", at_most(1), "MB", measure)


def if_installed(build: Callable[[], Call]) -> Call | None:
    """Return the call of a peer, set up; None: it is not installed."""
    try:
        return build()
    except ImportError:
        return None


def one_pass(*arrays: Array) -> Call:
    """Return a pass over all cells of some matrices."""
    return lambda: [array.max(axis=1)[0] for array in arrays]


def of_ours(score: str, *arrays: Any, **params: Any) -> Call:
    """Return a call of one of our scores, with what it needs besides."""
    return partial(
        getattr(ranking_scores, score), *arrays, **OTHER_SCORES.get(score, {}), **params
    )


def installed_scores() -> list[str]:
    """Return the scores other than nDCG of the version that is installed."""
    return [score for score in OTHER_SCORES if hasattr(ranking_scores, score)]


def short(score: str) -> str:
    """Return the name of a score as it fits into the table."""
    return score.removesuffix("_score").replace("_", " ").replace("ndcg", "nDCG")


def by_x(shape: Sequence[int]) -> str:
    """Return a shape as text."""
    return " x ".join(map(str, shape))


def torch_tensors(*arrays: Array) -> list[Any]:
    """Return tensors that share the memory of arrays, of a torch on one thread."""
    import torch

    torch.set_num_threads(1)
    return [torch.from_numpy(array) for array in arrays]


def ignite_ndcg(labels: Array, scores: Array) -> Call:
    """Return the metric of pytorch-ignite for whole lists."""
    from ignite.metrics.rec_sys import NDCG

    y_true, y_score = torch_tensors(labels, scores)
    metric = NDCG(top_k=[labels.shape[1]], gain_function="linear_rank")

    def call() -> float:
        metric.reset()
        metric.update((y_score, y_true))
        return float(metric.compute()[0])

    return call


def pytorchltr_ndcg(labels: Array, scores: Array) -> Call:
    """Return the function of pytorchltr for whole lists."""
    from pytorchltr.evaluation import ndcg

    lengths = np.full(labels.shape[0], labels.shape[1])
    y_true, y_score, n = torch_tensors(labels, scores, lengths)
    return lambda: float(ndcg(y_score, y_true, n, exp=False)[:, -1].double().mean())


def torchmetrics_ndcg(labels: Array, scores: Array, qid: Array) -> Call:
    """Return the metric of torchmetrics for the first 10 ranks of ragged queries."""
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    y_true, y_score, indexes = torch_tensors(labels, scores, qid)
    metric = RetrievalNormalizedDCG(top_k=10)

    def call() -> float:
        metric.reset()
        metric.update(y_score, y_true, indexes=indexes)
        return float(metric.compute())

    return call


def as_dicts(labels: Array, scores: Array, qid: Array) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the labels and the scores as dicts of queries, each a dict of its items."""
    qrels: dict[str, Any] = {}
    run: dict[str, Any] = {}
    rows = zip(qid.tolist(), labels.tolist(), scores.tolist(), strict=True)
    for row, (query, label, score) in enumerate(rows):
        qrels.setdefault(f"q{query}", {})[f"d{row}"] = label
        run.setdefault(f"q{query}", {})[f"d{row}"] = score
    return qrels, run


def ranx_ndcg(labels: Array, scores: Array, qid: Array) -> Call:
    """Return the function of ranx for the first 10 ranks of ragged queries, as it holds them."""
    from ranx import Qrels, Run, evaluate

    qrels, run = as_dicts(labels, scores, qid)
    built = Qrels(qrels), Run(run)
    return lambda: float(evaluate(*built, "ndcg@10", threads=1))


def pytrec_eval_ndcg(labels: Array, scores: Array, qid: Array) -> Call:
    """Return the evaluator of pytrec_eval for the first 10 ranks of ragged queries, from dicts."""
    from pytrec_eval import RelevanceEvaluator

    qrels, run = as_dicts(labels, scores, qid)
    evaluator = RelevanceEvaluator(qrels, {"ndcg_cut.10"})

    def call() -> float:
        values = evaluator.evaluate(run).values()
        return float(np.mean([of_query["ndcg_cut_10"] for of_query in values]))

    return call


def sklearn_loop(labels: Array, scores: Array, qid: Array) -> float:
    """Return nDCG@10 by scikit-learn, a query at a time."""
    bounds = [0, *(np.flatnonzero(qid[1:] != qid[:-1]) + 1), qid.size]
    ndcg = [
        sklearn_ndcg_score(labels[None, start:stop], scores[None, start:stop], k=10)
        for start, stop in pairwise(bounds)
    ]
    return float(np.mean(ndcg))


def few_relevant(sizes: Sizes) -> Iterator[Row]:
    """a: wide data."""
    labels, scores = data.few_relevant(*sizes.a)
    work = f"{by_x(sizes.a)}, 0.1 % relevant, nDCG@10"
    ours = partial(ndcg_score, labels, scores, k=10)
    theirs = partial(sklearn_ndcg_score, labels, scores, k=10)
    yield timed("a", work, "scikit-learn", at_least(30), ours, theirs, rel_tol=DOUBLE)
    yield timed("a", work, "one pass", at_most(4.5), ours, one_pass(scores, labels))
    scores, labels = scores.astype(np.float32), labels.astype(np.int8)
    work = "the same, float32 scores, int8 labels"
    ours = partial(ndcg_score, labels, scores, k=10)
    theirs = partial(sklearn_ndcg_score, labels, scores, k=10)
    floor = one_pass(scores, labels)
    yield timed("a'", work, "one pass", at_most(5.5), ours, floor, expected=theirs)


def whole_lists(sizes: Sizes) -> Iterator[Row]:
    """b: full nDCG of graded labels, without ties."""
    labels, scores = data.graded(*sizes.b)
    add = partial(timed, "b", f"{by_x(sizes.b)}, labels 0-4, nDCG of all ranks")
    ours = partial(ndcg_score, labels, scores)
    theirs = partial(sklearn_ndcg_score, labels, scores)
    yield add("scikit-learn", at_least(12), ours, theirs, rel_tol=DOUBLE)
    ignite = if_installed(partial(ignite_ndcg, labels, scores))
    yield add("ignite", at_least(2), ours, ignite, rel_tol=SINGLE)
    ltr = if_installed(partial(pytorchltr_ndcg, labels, scores))
    yield add("pytorchltr", at_least(2), ours, ltr, rel_tol=SINGLE)
    yield add("argsort", at_most(5.5), ours, lambda: np.argsort(scores, axis=1)[0, 0])


def tied_lists(sizes: Sizes) -> Iterator[Row]:
    """c: the same, with ties."""
    labels, scores = data.graded(*sizes.b)
    scores = scores.round(1)
    ours = partial(ndcg_score, labels, scores)
    theirs = partial(sklearn_ndcg_score, labels, scores)
    work = "b, scores rounded to one decimal"
    yield timed("c", work, "scikit-learn", at_least(6.5), ours, theirs, rel_tol=DOUBLE)


def ragged(sizes: Sizes) -> Iterator[Row]:
    """d: queries of different lengths."""
    labels, scores, qid = rows = data.ragged(data.lengths_around_120(sizes.d))
    add = partial(timed, "d", f"{sizes.d} ragged of 20-219 items, nDCG@10")
    ours = partial(ndcg_score, labels, scores, k=10, qid=qid)
    theirs = partial(sklearn_loop, *rows)
    yield add("scikit-learn", at_least(80), ours, theirs, rel_tol=DOUBLE)
    for peer, target, rel_tol, build in (
        ("torchmetrics", 30, SINGLE, torchmetrics_ndcg),
        ("ranx", 10, DOUBLE, ranx_ndcg),
        ("pytrec_eval", 12, DOUBLE, pytrec_eval_ndcg),
    ):
        theirs = if_installed(partial(build, *rows))
        yield add(peer, at_least(target), ours, theirs, rel_tol=rel_tol)
        gc.collect()
    order = np.random.default_rng(0).permutation(qid.size)
    shuffled = [values[order] for values in rows]
    text = np.char.add("query ", qid.astype(str))
    for work, target, (some_labels, some_scores, ids) in (
        ("d with its rows shuffled", at_most(4), shuffled),
        ("d with str qid", at_most(6), (labels, scores, text)),
        ("d with str qid, its rows shuffled", SLOWER, (*shuffled[:2], text[order])),
    ):
        call = partial(ndcg_score, some_labels, some_scores, k=10, qid=ids)
        yield timed("d'", work, "d", target, call, ours, rel_tol=DOUBLE)


def kinds_of_ids(qid: Array) -> dict[str, tuple[float, float, Any]]:
    """Return ids by their kind, each with the targets for sorted and for shuffled rows."""
    text = np.char.add("query ", qid.astype(str))
    objects = text.astype(object)
    in_pandas = pd.Series(objects, dtype="str")
    kinds = {
        "NumPy text": (2.5, 3, text),
        "objects": (2.5, 3, objects),
        "pandas text": (2.5, 3.5, in_pandas),
        "pandas category": (1.3, 1.3, in_pandas.astype("category")),
        "polars categorical": (1.3, 1.3, pl.Series(objects.tolist(), dtype=pl.Categorical)),
    }
    arrow = if_installed(lambda: import_module("pyarrow").array(objects.tolist()))
    if arrow is not None:
        kinds["Arrow dictionary"] = (1.3, 1.3, arrow.dictionary_encode())
    return kinds


def ids_of_queries(sizes: Sizes) -> Iterator[Row]:
    """q: ids of queries that are not ints."""
    rows = data.ragged([50] * sizes.ids)
    shuffle = np.random.default_rng(0).permutation(rows[0].size)
    for is_shuffled, (some_labels, some_scores, ids) in enumerate(
        (rows, [values[shuffle] for values in rows])
    ):
        by_ints = partial(ndcg_score, some_labels, some_scores, k=10, qid=ids)
        work = f"{sizes.ids} of 50, {('sorted', 'shuffled')[is_shuffled]}"
        for kind, (*bounds, qid) in kinds_of_ids(ids).items():
            ours, bound = partial(by_ints, qid=qid), bounds[is_shuffled]
            name = f"{work}, {kind}"
            yield timed("q", name, "ints", at_most(bound), ours, by_ints, rel_tol=DOUBLE)
            if kind == "objects":
                alone = partial(without_pandas, ours)
                name, bound = f"{name}, no pandas", (2.5, 5)[is_shuffled]
                yield timed("q", name, "ints", at_most(bound), alone, by_ints, rel_tol=DOUBLE)


def without_pandas(call: Call) -> ArrayLike:
    """Return what a call returns where pandas is not loaded."""
    with mock.patch.dict(sys.modules, {"pandas": None}):
        return call()


def torch_ndcg(labels: Array, scores: Array, k: int) -> Call:
    """Return nDCG@k as people write it for a batch of a training loop. Nothing is checked."""
    import torch

    y_true, y_score = torch_tensors(labels.astype(float), scores)
    k = min(k, labels.shape[1])
    discount = 1 / torch.log2(torch.arange(2, k + 2, dtype=torch.float64))

    def call() -> float:
        gains = y_true.gather(1, y_score.topk(k, dim=1).indices)
        best = y_true.topk(k, dim=1).values
        return float(((gains @ discount) / (best @ discount)).mean())

    return call


def one_query(sizes: Sizes) -> Iterator[Row]:
    """e: what a call costs."""
    labels, scores = data.graded(1, 10)
    ours = partial(ndcg_score, labels, scores)
    theirs = partial(sklearn_ndcg_score, labels, scores)
    add = partial(timed, "e", "1 query of 10 items", "scikit-learn", at_most(0.33))
    yield add(ours, theirs, rel_tol=DOUBLE)
    for shape in ((1, 10), (8, 100), (32, 100)):
        labels, scores = data.graded(*shape)
        ours = partial(ndcg_score, labels, scores, k=10)
        by_hand = if_installed(partial(torch_ndcg, labels, scores, 10))
        work = f"a batch of {by_x(shape)}, nDCG@10"
        yield timed("e", work, "torch", SLOWER, ours, by_hand, rel_tol=DOUBLE)


def of_one_item(labels: Array, scores: Array) -> float:
    """Return nDCG of rows with one relevant item, from how many score higher, and as high."""
    own = scores[np.arange(len(labels)), labels.argmax(axis=1)][:, None]
    above, equal = ((compare(scores, own)).sum(axis=1) for compare in (np.greater, np.equal))
    discounts = np.append(0, np.cumsum(1 / np.log2(np.arange(2, scores.shape[1] + 2))))
    return float(((discounts[above + equal] - discounts[above]) / equal).mean())


def of_sorted(labels: csr_array, scores: Array) -> tuple[float, float]:
    """Return MRR and nDCG by a sort of the scores and a search for the relevant ones."""
    discount = 1 / np.log2(np.arange(2, scores.shape[1] + 2))
    mrr, ndcg = [], []
    for row, of_row in enumerate(np.sort(scores, axis=1)):
        items = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
        places = scores.shape[1] - 1 - np.searchsorted(of_row, scores[row, items])
        mrr.append(1 / (1 + places.min()))
        ndcg.append(discount[places].sum() / discount[: places.size].sum())
    return float(np.mean(mrr)), float(np.mean(ndcg))


def of_first(labels: Array, scores: Array) -> float:
    """Return MRR, from how many score higher than the best relevant item. Nothing ties."""
    best = np.where(labels > 0, scores, -np.inf).max(axis=1, keepdims=True)
    return float((1 / (scores >= best).sum(axis=1)).mean())


def counted(sizes: Sizes) -> Iterator[Row]:
    """cnt: few relevant items, against what one would count in NumPy, without a check."""
    classes, scores = data.class_labels(*sizes.classes)
    labels = np.arange(sizes.classes[1])
    own = scores[np.arange(classes.size), classes][:, None]

    def ranks() -> Array:
        """Return the rank of each class, in parts that stay in the cache. Nothing ties."""
        step = max(2**16 // labels.size, 1)
        parts = [slice(start, start + step) for start in range(0, classes.size, step)]
        return np.concatenate([(scores[part] >= own[part]).sum(axis=1) for part in parts])

    def of_ranks(name: str, rank: Array, k: float) -> float:
        value = {"mrr": 1 / rank, "ndcg": 1 / np.log2(1 + rank), "hit_rate": 1}[name]
        return float((value * (rank <= k)).mean())

    work = f"{by_x(sizes.classes)} classes"
    add = partial(timed, "cnt", against="NumPy loop", target=at_most(3), rel_tol=SUMMED)
    for name, k, what in (
        ("mrr", None, "all ranks, MRR"),
        ("ndcg", None, "all ranks, nDCG"),
        ("ndcg", 10, "nDCG@10"),
        ("hit_rate", 5, "hit rate at 5"),
    ):
        ours = of_ours(REPORTED[name], classes, scores, labels=labels, k=k)
        other = partial(lambda name, k: of_ranks(name, ranks(), k), name, k or np.inf)
        yield add(f"{work}, {what}", ours=ours, other=other)
    names, cutoffs = ["ndcg", "mrr", "hit_rate"], [1, 5, 10, sizes.classes[1]]

    def report() -> list[float]:
        options = {"scores": names, "k": cutoffs, "labels": labels}
        return [*ranking_report(classes, scores, **options).mean.values()]

    def by_hand() -> list[float]:
        rank = ranks()
        return [of_ranks(name, rank, k) for name in names for k in cutoffs]

    yield add(f"{work}, 3 scores, 4 cutoffs", ours=report, other=by_hand)
    n_queries, n_items = sizes.a
    some, scores = data.sparse_labels(n_queries, n_items, max(n_items // 1000, 1))
    scores = scores + np.arange(n_items) * 1e-12  # of float64, and nothing ties
    for place, name in enumerate(("mrr", "ndcg")):
        ours = of_ours(REPORTED[name], some, scores)
        other = partial(lambda place, *rows: of_sorted(*rows)[place], place, some, scores)
        work = f"{by_x(sizes.a)}, sparse labels, {name}"
        yield timed("cnt", work, "sort, search", at_most(1), ours, other, rel_tol=SUMMED)
    for shape, digits in ((sizes.narrow, None), (sizes.narrow, 1), (sizes.wide, None)):
        labels, scores = data.some_relevant(*shape, 1)
        scores = scores if digits is None else scores.round(digits)
        ours, other = partial(ndcg_score, labels, scores), partial(of_one_item, labels, scores)
        work = f"{by_x(shape)}, one relevant{', ties' if digits else ''}, nDCG"
        yield add(work, ours=ours, other=other)
    labels, scores = data.some_relevant(*sizes.narrow, 5)
    ours = of_ours("mean_reciprocal_rank_score", labels, scores)
    work = f"{by_x(sizes.narrow)}, five relevant, MRR"
    yield add(work, ours=ours, other=partial(of_first, labels, scores))


def by_definition(labels: Any, scores: Array) -> tuple[Array, Array]:
    """Return hit rate and nDCG at the cutoffs, where each row has one relevant item.

    It stands at any of the ranks that its score shares with others.
    """
    cutoff = np.array(CUTOFFS)
    hit_rate, ndcg = [], []
    for row, item in enumerate(labels.indices):
        above = np.count_nonzero(scores[row] > scores[row, item])
        equal = np.count_nonzero(scores[row] == scores[row, item])
        rank = np.arange(above + 1, above + equal + 1)[:, None]
        is_seen = rank <= cutoff
        hit_rate.append(is_seen.mean(axis=0))
        ndcg.append((is_seen / np.log2(1 + rank)).mean(axis=0))
    return np.mean(hit_rate, axis=0), np.mean(ndcg, axis=0)


def one_relevant(sizes: Sizes) -> Iterator[Row]:
    """f: a catalogue."""
    labels, scores = data.sparse_labels(*sizes.f, 1)
    of_hit_rate, of_ndcg = by_definition(labels, scores)
    for score, expected in (("hit_rate_score", of_hit_rate), ("ndcg_score", of_ndcg)):
        work = f"{by_x(sizes.f)}, sparse y_true, {short(score)}"
        ours = of_ours(score, labels, scores, k=CUTOFFS)
        floor = one_pass(scores)
        options = {"expected": partial(np.asarray, expected)}
        yield timed("f", work, "one pass", at_most(4.5), ours, floor, **options)


def hit_rate(sizes: Sizes) -> Iterator[Row]:
    """g: the hit rate of a."""
    labels, scores = data.few_relevant(*sizes.a)
    hit, ndcg = (of_ours(name, labels, scores, k=10) for name in ("hit_rate_score", "ndcg_score"))
    order = np.argpartition(-scores, 10, axis=1)[:, :10]
    is_hit = np.take_along_axis(labels, order, axis=1).any(axis=1)
    yield timed(
        "g", "hit rate at 10 of a", "nDCG@10", at_most(1.1), hit, ndcg, expected=is_hit.mean
    )


def long_query(sizes: Sizes) -> Iterator[Row]:
    """h: one query of many items."""
    labels, scores = data.few_relevant(1, sizes.h)
    best = np.argsort(-scores[0])[:100]
    discount = 1 / np.log2(np.arange(2, 102))
    ideal = np.sort(labels[0])[: -1 - 100 : -1] @ discount
    expected = labels[0, best] @ discount / ideal
    ours = partial(ndcg_score, labels, scores, k=100)
    floor = one_pass(scores, labels)
    work = f"1 query of {sizes.h} items, nDCG@100"
    options = {"expected": lambda: expected}
    yield timed("h", work, "one pass", at_most(4), ours, floor, **options)


def other_scores(sizes: Sizes) -> Iterator[Row]:
    """i: every other score, beside nDCG."""
    for name, data_of, k in (
        ("i-a", lambda: (*data.few_relevant(*sizes.a), None), 10),
        ("i-b", lambda: (*data.graded(*sizes.b), None), None),
        ("i-d", lambda: data.ragged(data.lengths_around_120(sizes.d)), 10),
    ):
        labels, scores, qid = data_of()
        for score in installed_scores():
            cutoff = 10 if k is None and score in NEED_CUTOFF else k
            of_ndcg = None if score in WITHOUT_CUTOFF else cutoff
            of_score = {} if score in WITHOUT_CUTOFF else {"k": cutoff}
            against = "nDCG" if of_ndcg is None else f"nDCG@{of_ndcg}"
            work = f"{short(score)} of {name[-1]}"
            ours = of_ours(score, labels, scores, qid=qid, **of_score)
            ndcg = partial(ndcg_score, labels, scores, k=of_ndcg, qid=qid)
            yield timed(name, work, against, at_most(1.5), ours, ndcg)
    if "expected_reciprocal_rank_score" in installed_scores():
        labels, scores = data.graded(*sizes.b)
        arrays = labels, scores.round(1)
        ours = of_ours("expected_reciprocal_rank_score", *arrays)
        work = "expected reciprocal rank of c, mixed ties"
        yield timed("i-c", work, "nDCG", at_most(8), ours, partial(ndcg_score, *arrays))


def pair_matrices(labels: Array, scores: Array, qid: Array | None = None) -> float:
    """Return the accuracy of all pairs, from two matrices of each query."""
    if qid is None:
        queries = list(zip(labels, scores, strict=True))
    else:
        bounds = [0, *(np.flatnonzero(qid[1:] != qid[:-1]) + 1), qid.size]
        queries = [(labels[start:stop], scores[start:stop]) for start, stop in pairwise(bounds)]
    accuracy = []
    for of_items, at in queries:
        is_pair = of_items[:, None] > of_items
        in_order = np.count_nonzero(is_pair & (at[:, None] > at))
        tied = np.count_nonzero(is_pair & (at[:, None] == at))
        accuracy.append((in_order + tied / 2) / np.count_nonzero(is_pair))
    return float(np.mean(accuracy))


def kendall_loop(labels: Array, scores: Array) -> float:
    """Return the same by SciPy's tau, a query at a time, where neither labels nor scores tie."""
    queries = zip(labels, scores, strict=True)
    return float(np.mean([(1 + kendalltau(*query).statistic) / 2 for query in queries]))


def pairs(sizes: Sizes) -> Iterator[Row]:
    """p: pairs of items."""
    if "pairwise_accuracy_score" not in installed_scores():
        return
    graded, different = data.graded(*sizes.b), data.times(*sizes.b)
    labels, scores, qid = data.ragged(data.lengths_around_120(sizes.d))
    for work, bound, arrays in (
        ("b", 8, graded),
        ("c", 4, (graded[0], graded[1].round(1))),
        ("d", 5, (labels, scores, qid)),
        ("b, distinct labels", 3, different),
        (f"1 query of {sizes.pairs}", 100, data.graded(1, sizes.pairs)),
    ):
        of_rows = {"qid": arrays[2]} if len(arrays) == 3 else {}
        ours = of_ours("pairwise_accuracy_score", *arrays[:2], **of_rows)
        theirs = partial(pair_matrices, *arrays)
        work = f"pairwise accuracy of {work}"
        yield timed("p", work, "pair matrix", at_least(bound), ours, theirs, rel_tol=DOUBLE)
    ours = of_ours("pairwise_accuracy_score", *different)
    work = "pairwise accuracy of b, distinct labels"
    theirs = partial(kendall_loop, *different)
    yield timed("p", work, "SciPy's tau", at_least(15), ours, theirs, rel_tol=DOUBLE)
    of_two = (graded[0] > 2).astype(int), graded[1]
    auc = of_ours("grouped_auc_score", *of_two)
    ours = of_ours("pairwise_accuracy_score", *of_two)
    work = "pairwise accuracy of b, labels 0-1"
    yield timed("p", work, "AUC", at_most(1.3), ours, auc, rel_tol=0)


def reports(sizes: Sizes) -> Iterator[Row]:
    """r: six scores at three cutoffs at once, beside the dearest of them alone."""
    wide = data.few_relevant(*sizes.a)
    whole = data.graded(*sizes.b)
    labels, scores, qid = data.ragged(data.lengths_around_120(sizes.d))
    sparse = data.sparse_labels(*sizes.f, 5)
    classes = data.class_labels(*sizes.classes)
    relevant, ids, of_ids = data.retrieved_ids(*sizes.retrieved)
    found = ranking_scores.retrieved_from_ids(ids, of_ids, n_items=sizes.retrieved[1])
    all_ranks = {"k": [1, 10, sizes.b[1]]}
    for name, bound, arrays, params in (
        ("a", 1.25, wide, {}),
        ("b", 1.6, whole, {}),
        ("b", 1.6, whole, all_ranks),
        ("d", 1.6, (labels, scores), {"qid": qid}),
        ("f", 2, sparse, {}),
        ("classes", 2, classes, {"labels": np.arange(sizes.classes[1])}),
        ("retrieved", 2, (relevant, found), {}),
        ("c", 1.8, (whole[0], whole[1].round(1)), {}),
    ):
        options = {"k": REPORT_CUTOFFS} | params
        report = partial(ranking_scores.ranking_report, *arrays, **options)
        each = {
            score: of_ours(score, *arrays, average=None, **options) for score in REPORTED.values()
        }

        def measure(
            repeat: int,
            report: Callable[[], Any] = report,
            each: dict[str, Call] = each,
            cutoffs: list[int] = options["k"],
        ) -> tuple[float, float]:
            per_query = report().per_query
            for short_name, score in REPORTED.items():
                columns = [per_query[f"{short_name}@{k}"] for k in cutoffs]
                check_equal(np.array(columns).T, each[score](), 0)
            ours, *alone = best_seconds([report, *each.values()], repeat)
            return 1e3 * ours, 1e3 * max(alone)

        first, second, third = options["k"]
        work = f"six scores of {name} at {first}, {second} and {third}"
        yield Row("r", work, "dearest", at_most(bound), "ms", measure)


def in_order(labels: csr_array, ids: Array, scores: Array) -> csr_array:
    """Return sparse scores of what was retrieved, sorted by SciPy."""
    is_item = ids >= 0
    start = np.append(0, np.cumsum(is_item.sum(axis=1)))
    found = csr_array((scores[is_item], ids[is_item], start), shape=labels.shape)
    found.sort_indices()
    return found


def implicit_metrics(labels: csr_array, ids: Array) -> Call:
    """Return nDCG and MAP at all ids by implicit, which has AUC and a precision, too."""
    from implicit.evaluation import ranking_metrics_at_k

    class Model:
        def recommend(self, users: Array, *others: Any, **params: Any) -> tuple[Array, None]:
            return ids[users], None

    test, train = csr_matrix(labels), csr_matrix(labels.shape)
    for matrix in (test, train):
        matrix.indices, matrix.indptr = (
            array.astype(np.int32) for array in (matrix.indices, matrix.indptr)
        )
    options = {"K": ids.shape[1], "show_progress": False, "num_threads": 1}

    def call() -> list[float]:
        metrics = ranking_metrics_at_k(Model(), train, test, **options)
        return [metrics["ndcg"], metrics["map"]]

    return call


def by_marks(labels: csr_array, ids: Array, k: int) -> Call:
    """Return nDCG@k of ids, with the relevant ones marked, a part of the rows at a time."""
    discount = 1 / np.log2(np.arange(2, k + 2))
    n_queries, n_items = labels.shape
    step = max(2**22 // n_items, 1)

    def call() -> float:
        total = 0.0
        for start in range(0, n_queries, step):
            part = slice(start, start + step)
            bounds = labels.indptr[start : start + step + 1]
            n_relevant = np.diff(bounds)
            marks = np.zeros((n_relevant.size, n_items), bool)
            items = labels.indices[bounds[0] : bounds[-1]]
            marks[np.repeat(np.arange(n_relevant.size), n_relevant), items] = True
            hits = np.take_along_axis(marks, ids[part, :k], axis=1)
            ideal = np.cumsum(discount)[np.minimum(n_relevant, k) - 1]
            total += float((hits @ discount / ideal).sum())
        return total / n_queries

    return call


def from_ids(sizes: Sizes) -> Iterator[Row]:
    """r-ids: ids that were retrieved become scores, or an array with columns."""
    for n_queries, n_items in sizes.found:
        labels, ids, scores = data.retrieved_ids(n_queries, n_items)
        by_place = np.broadcast_to(np.arange(100, 0, -1), ids.shape)
        padded = np.where(np.arange(100) < 90, ids, -1)
        hit = of_ours("hit_rate_score", labels, in_order(labels, ids, by_place), k=10)
        for what, bound, some_ids, some_scores in (
            ("ids", 0.25, ids, None),
            ("ids and scores", 0.4, ids, scores),
            ("ids, 10 of them -1", 0.4, padded, None),
            ("ids and scores, 10 of them -1", 0.4, padded, scores),
        ):
            make = partial(ranking_scores.retrieved_from_ids, some_ids, some_scores)
            make = partial(make, n_items=n_items)
            same = in_order(labels, some_ids, by_place if some_scores is None else some_scores)
            for part in ("indptr", "indices", "data"):
                check_equal(getattr(make(), part), getattr(same, part), 0)
            # An array of ids alone is built when something asks for a part of it.
            built = partial(lambda make: make().data, make)
            work = f"{n_queries} x 100 {what}"
            yield timed("r-ids", work, "hit rate@10", at_most(bound), built, hit)
    n_queries, n_items = sizes.found[0]
    labels, ids, _ = data.retrieved_ids(n_queries, n_items)
    retrieved = partial(ranking_scores.retrieved_from_ids, n_items=n_items)
    for k, what in ((10, "nDCG@10"), (100, "nDCG, whole")):
        ours = partial(lambda ids, k: ndcg_score(labels, retrieved(ids), k=k), ids, k)
        work = f"{n_queries} x 100 ids to {what}"
        theirs = by_marks(labels, ids, k)
        yield timed("r-ids", work, "marks", at_most(2), ours, theirs, rel_tol=SUMMED)

    def whole() -> list[float]:
        mean = ranking_report(labels, retrieved(ids), scores=["ndcg", "map"], k=None).mean
        return [*mean.values()]

    theirs = if_installed(partial(implicit_metrics, labels, ids.astype(np.int32)))
    work = f"{n_queries} x 100 ids to nDCG and MAP"
    yield timed("r-ids", work, "implicit", at_most(1), whole, theirs, rel_tol=SUMMED)
    ids = np.ascontiguousarray(ids[:, -10:], dtype=np.int32)
    theirs = if_installed(partial(implicit_metrics, labels, ids))
    scores_at_10 = ["ndcg@10", "map@10", "precision@10", "recall@10"]

    def ours() -> list[float]:
        mean = ranking_report(labels, retrieved(ids), scores=scores_at_10).mean
        return [mean["ndcg@10"], mean["map@10"]]

    work = f"{n_queries} x 10 ids to four scores at 10"
    yield timed("r-ids", work, "implicit", at_most(2), ours, theirs, rel_tol=SUMMED)


def by_loop(relevant: list[list[str]], retrieved: list[list[str]], k: int) -> list[float]:
    """Return recall, MRR and nDCG as people write them: a loop over the queries, with sets."""
    recall = reciprocal = ndcg = 0.0
    for right, found in zip(relevant, retrieved, strict=True):
        wanted = set(right)
        hits = [each in wanted for each in found[:k]]
        recall += sum(hits) / len(wanted)
        reciprocal += next((1 / (rank + 1) for rank, is_hit in enumerate(hits) if is_hit), 0)
        gained = sum(1 / math.log2(rank + 2) for rank, is_hit in enumerate(hits) if is_hit)
        ndcg += gained / sum(1 / math.log2(rank + 2) for rank in range(min(k, len(wanted))))
    return [total / len(relevant) for total in (recall, reciprocal, ndcg)]


def by_whole_loop(relevant: list[list[str]], retrieved: list[list[str]]) -> list[float]:
    """Return recall, MAP and nDCG of whole lists in the same way."""
    recall = precision = ndcg = 0.0
    for right, found in zip(relevant, retrieved, strict=True):
        wanted = set(right)
        ranks = [rank for rank, each in enumerate(found, 1) if each in wanted]
        recall += len(ranks) / len(wanted)
        precision += sum(n / rank for n, rank in enumerate(ranks, 1)) / len(wanted)
        gained = sum(1 / math.log2(rank + 1) for rank in ranks)
        ndcg += gained / sum(1 / math.log2(rank + 1) for rank in range(1, len(wanted) + 1))
    return [total / len(relevant) for total in (recall, precision, ndcg)]


def text_lists(n_queries: int, n_items: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return five relevant ids and 100 retrieved ids per query, from all over the memory."""
    rng = np.random.default_rng(0)
    names = [f"document {number}" for number in range(n_items)]
    places = (rng.integers(n_items, size=(n_queries, 1)) + np.arange(100) * 1009) % n_items
    retrieved = [[names[place] for place in row] for row in rng.permuted(places, axis=1)]
    others = rng.integers(n_items, size=(n_queries, 2)).tolist()
    relevant = [
        list(dict.fromkeys([*found[1:40:13], *(names[place] for place in more)]))
        for found, more in zip(retrieved, others, strict=True)
    ]
    return relevant, retrieved


def report_of_lists(relevant: Any, retrieved: Any, scores: list[str]) -> list[float]:
    """Return the means of a report of lists of ids."""
    data = ranking_scores.from_lists(relevant, retrieved)
    return [*ranking_scores.ranking_report(data, scores=scores, k=None).mean.values()]


def pytrec_eval_of_dicts(qrel: Any, run: Any) -> Call:
    """Return recall, success and nDCG at 10 of dicts, by pytrec_eval."""
    from pytrec_eval import RelevanceEvaluator

    measures = {"recall_10": "recall.10", "success_10": "success.10", "ndcg_cut_10": "ndcg_cut.10"}

    def call() -> list[float]:
        values = RelevanceEvaluator(qrel, {*measures.values()}).evaluate(run).values()
        return [float(np.mean([of_query[name] for of_query in values])) for name in measures]

    return call


def lists_of_ids(sizes: Sizes) -> Iterator[Row]:
    """l: lists and dicts of text ids, against a loop over the queries and pytrec_eval."""
    relevant, retrieved = text_lists(*sizes.lists)
    work = f"{sizes.lists[0]} x 100 text ids"
    at_10 = [f"{name}@10" for name in ("recall", "mrr", "ndcg")]
    ours = partial(report_of_lists, relevant, retrieved, at_10)
    theirs = partial(by_loop, relevant, retrieved, 10)
    yield timed(
        "l10", f"{work}, three scores at 10", "a loop", at_most(1.2), ours, theirs, rel_tol=SUMMED
    )
    ours = partial(report_of_lists, relevant, retrieved, ["recall", "map", "ndcg"])
    theirs = partial(by_whole_loop, relevant, retrieved)
    yield timed("l", f"{work}, whole lists", "a loop", at_most(1), ours, theirs, rel_tol=SUMMED)
    of_aspects = [{place: row[place:] for place in range(5)} for row in relevant]

    def of_five() -> list[float]:
        found = ranking_scores.from_lists(of_aspects, retrieved, aspects=True)
        return [*ranking_scores.ranking_report(found, scores="ndcg@10").mean.values()]

    of_one = partial(report_of_lists, relevant, retrieved, ["ndcg@10"])
    yield timed("asp", f"{work}, five aspects, nDCG@10", "one", at_most(5), of_five, of_one)
    qrel = {f"q{query}": dict.fromkeys(row, 1) for query, row in enumerate(relevant)}
    run = {
        f"q{query}": {each: 1 / rank for rank, each in enumerate(row, 1)}
        for query, row in enumerate(retrieved)
    }
    ours = partial(report_of_lists, qrel, run, ["recall@10", "hit_rate@10", "ndcg@10"])
    row = "20000 x 100 ids in dicts, three scores", "pytrec_eval", at_most(0.3)
    yield timed(
        "dicts", *row, ours, if_installed(partial(pytrec_eval_of_dicts, qrel, run)), rel_tol=DOUBLE
    )


def agreements(sizes: Sizes) -> Iterator[Row]:
    """agr: the agreement of two rankings, against the scores of one of them."""
    relevant, found = text_lists(*sizes.lists)
    mix, new = random.Random(1).sample, [f"document {number}" for number in range(-50, 0)]
    gold = {f"q{query}": row[:3] for query, row in enumerate(relevant)}
    a = {f"q{query}": row for query, row in enumerate(found)}
    b = {query: mix([*row[:50], *new], 100) for query, row in a.items()}  # half of it is in both

    def joined_once() -> float:
        return ndcg_score(ranking_scores.from_lists(gold, a))

    work = f"{sizes.lists[0]} x 100 text ids in lists, RBO"
    ours = partial(rank_biased_overlap, a, b)
    yield timed("agr", work, "nDCG", at_most(3), ours, joined_once)
    labels, scores = data.graded(*sizes.b)
    other = np.random.default_rng(2).random(scores.shape)
    work = by_x(sizes.b)
    for name, ours, theirs in (
        (
            "RBO",
            partial(rank_biased_overlap, scores, other),
            of_ours("ndcg_score", labels, scores),
        ),
        (
            "overlap@10",
            partial(overlap_at_k, scores, other, 10),
            of_ours("ndcg_score", labels, scores, k=10),
        ),
    ):
        against = "nDCG@10" if "@" in name else "nDCG"
        yield timed("agr", f"{work}, {name}", against, SLOWER, ours, theirs)


def write_trec(folder: Path, n_queries: int, n_items: int) -> list[Path]:
    """Write judgments and a run in which no document is found twice."""
    rng = np.random.default_rng(0)
    numbers = rng.permutation(n_queries * n_items).reshape(n_queries, n_items)
    judged = np.sort(rng.integers(n_items, size=(n_queries, 20)))
    paths = [folder / "qrels", folder / "run"]
    with paths[0].open("w") as qrels, paths[1].open("w") as run:
        for query, (row, places) in enumerate(zip(numbers.tolist(), judged.tolist(), strict=True)):
            names = [f"msmarco_doc_{number:09d}" for number in row]
            run.writelines(  # scores that float32 holds, as which pytrec_eval compares them
                f"{query} Q0 {name} {place + 1} {(n_items - place) / 8} bm25\n"
                for place, name in enumerate(names)
            )
            qrels.writelines(
                f"{query} 0 {names[place]} {1 + place % 3}\n" for place in dict.fromkeys(places)
            )
    return paths


def printed(*arguments: str | Path) -> list[float]:
    """Return the means that the command prints."""
    with redirect_stdout(io.StringIO()) as text, redirect_stderr(io.StringIO()):
        main_of_command([*map(str, arguments), "--format", "csv"])
    return [float(line.split(",")[2]) for line in text.getvalue().splitlines()[1:]]


def pytrec_eval_of_files(qrels: Path, run: Path) -> Call:
    """Return nDCG@10, MAP@100 and recall@100 of files, by pytrec_eval and its own readers."""
    from pytrec_eval import RelevanceEvaluator, parse_qrel, parse_run

    measures = {
        "ndcg_cut_10": "ndcg_cut.10",
        "map_cut_100": "map_cut.100",
        "recall_100": "recall.100",
    }

    def call() -> list[float]:
        with qrels.open() as judged, run.open() as found:
            evaluator = RelevanceEvaluator(parse_qrel(judged), {*measures.values()})
            values = evaluator.evaluate(parse_run(found)).values()
        return [float(np.mean([of_query[name] for of_query in values])) for name in measures]

    return call


def seconds_of_children() -> float:
    """Return the processor time of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def output_of(*command: str | Path) -> str:
    """Return what a process prints, on one thread."""
    done = subprocess.run([*map(str, command)], capture_output=True, check=True, env=ONE_THREAD)
    return done.stdout.decode()


def by_command(qrels: Path, run: Path) -> list[float]:
    """Return nDCG@10, MAP@100 and recall@100 of files, by a process of our command."""
    options = "-m", "ndcg@10", "map@100", "recall@100", "--format", "csv"
    text = output_of(sys.executable, "-P", "-m", "ranking_scores", qrels, run, *options)
    return [float(line.split(",")[2]) for line in text.splitlines()[1:]]


def by_trec_eval(program: str, qrels: Path, run: Path) -> list[float]:
    """Return the same by a process of trec_eval, which prints four decimals."""
    measures = {"ndcg_cut_10": "ndcg_cut.10", "map_cut_100": "map_cut.100"}
    measures["recall_100"] = "recall.100"
    options = [option for measure in measures.values() for option in ("-m", measure)]
    lines = [line.split() for line in output_of(program, *options, qrels, run).splitlines()]
    of_name = {name: float(value) for name, _, value in lines}
    return [of_name[name] for name in measures]


def read_by_pyarrow(run: Path) -> Call:
    """Return how many lines pyarrow reads of a run, on one thread."""
    reader = import_module("pyarrow.csv")
    options = reader.ReadOptions(use_threads=False, autogenerate_column_names=True)
    blanks = reader.ParseOptions(delimiter=" ")
    return lambda: len(reader.read_csv(str(run), options, blanks))


def read_by_pandas(run: Path) -> int:
    """Return how many lines pandas reads of a run, without pyarrow."""
    with pd.option_context("mode.string_storage", "python"):
        return len(pd.read_csv(run, sep=" ", header=None))


@contextmanager
def without_pyarrow() -> Iterator[None]:
    """Let the command read files of TREC as where pyarrow is not installed."""
    with mock.patch.object(_trec_files, "WORTH_PYARROW", 10**12):
        yield


def trec_files(sizes: Sizes) -> Iterator[Row]:
    """c-trec: the command on files of TREC, from the files to the numbers."""
    with TemporaryDirectory() as folder:
        qrels, run = write_trec(Path(folder), *sizes.trec)
        ours = partial(printed, qrels, run, "-m", "ndcg@10", "map@100", "recall@100")
        theirs = if_installed(partial(pytrec_eval_of_files, qrels, run))
        work = f"{by_x(sizes.trec)} lines of TREC, text ids"
        yield timed("c-trec", work, "pytrec_eval", at_most(0.5), ours, theirs, rel_tol=DOUBLE)
        program = shutil.which("trec_eval")
        in_c = partial(by_trec_eval, program, qrels, run) if program else None
        whole, options = partial(by_command, qrels, run), {"clock": seconds_of_children}
        row = (
            "c-trec",
            work.replace("text ids", "process"),
            "trec_eval",
            at_least(1.5),
            whole,
            in_c,
        )
        yield timed(*row, rel_tol=0.02, **options)  # of four decimals
        by_pyarrow = if_installed(partial(read_by_pyarrow, run))
        yield timed("c-trec", work, "pyarrow", at_most(2), ours, by_pyarrow)
        by_lines = without_pyarrow()(ours)
        row = work.replace("text ids", "no pyarrow"), "pandas", at_most(2)
        yield timed("c-trec", *row, by_lines, partial(read_by_pandas, run))
        n_bytes = sum(path.stat().st_size for path in (qrels, run))
        yield memory("c-trec", work, ours, max(2.5 * n_bytes, 64e6))


def csv_files(sizes: Sizes) -> Iterator[Row]:
    """c-csv: the command on CSV files, beside reading them with pyarrow."""
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}.csv") for name in ("judgments", "predictions")]
        judged, predicted = text_columns(sizes.csv, n_judged=sizes.csv // 10, are_different=False)
        judged.with_columns(label=1).rename({"user": "query"}).write_csv(paths[0])
        predicted.rename({"user": "query"}).write_csv(paths[1])
        ours = partial(printed, *paths, "-m", "ndcg@10")
        expected = partial(joined_ndcg, judged, predicted)

        def read() -> list[int]:
            options = import_module("pyarrow.csv").ReadOptions(use_threads=False)
            return [len(import_module("pyarrow.csv").read_csv(path, options)) for path in paths]

        with_pyarrow = if_installed(lambda: import_module("pyarrow.csv") and read)
        work = f"{sizes.csv} rows of CSV"
        row = "c-csv", work, "pyarrow", at_most(1.5), ours, with_pyarrow
        yield timed(*row, expected=lambda: [expected()])


def text_columns(n_rows: int, *, n_judged: int, are_different: bool) -> list[pl.DataFrame]:
    """Return judgments and predictions, 100 for each query, of which some are judged."""
    rng = np.random.default_rng(0)
    n_queries, n_items = n_rows // 100, 20_000
    items = rng.permutation(n_rows)
    if not are_different:
        first = rng.integers(n_items, size=(n_queries, 1))
        items = (first + 7 * np.arange(100)).ravel() % n_items
    ids = {"user": np.repeat(np.arange(n_queries), 100), "item": items}
    text = [pl.format(name + " {}", pl.col(name)).alias(name) for name in ids]
    predictions = pl.DataFrame({**ids, "score": rng.random(n_rows)}).with_columns(text)
    return [predictions.gather_every(n_rows // n_judged).select("user", "item"), predictions]


def n_hits(judgments: Any, predictions: Any) -> int:
    """Return how many of the first ten items of all queries are judged."""
    names = {"query": "user", "item": "item", "score": "score"}
    data = from_tables(judgments, predictions, label=None, **names)
    precision = ranking_scores.precision_at_k_score(data, k=10, average=None)
    return round(float(10 * precision.sum()))


def text_ids(sizes: Sizes) -> Iterator[Row]:
    """t-text: columns of text to a score at 10, and polars' filter and join of the same rows."""
    convert: dict[str, Callable[[pl.DataFrame], Any]] = {
        "polars": lambda table: table,
        "Arrow": lambda table: table.to_arrow(compat_level=pl.CompatLevel.oldest()),
        "pandas": lambda table: table.to_pandas().astype({"user": "str", "item": "str"}),
    }
    for are_different in (False, True):
        both = text_columns(sizes.text, n_judged=sizes.text // 20, are_different=are_different)
        judged, predicted = both[0].with_columns(label=1), both[1]

        def theirs(judged: pl.DataFrame = judged, predicted: pl.DataFrame = predicted) -> int:
            tenth = pl.col("score").top_k(10).min().over("user")
            first = predicted.filter(pl.col("score") >= tenth)
            return len(first.join(judged, on=["user", "item"]))

        for library in convert:
            which = "different" if are_different else "few"
            row = f"{sizes.text} {which} ids of {library} text, at 10", "polars", at_most(1.5)
            try:
                ours = partial(n_hits, *map(convert[library], both))
            except ImportError:  # polars needs pyarrow for both
                yield Row("t-text", *row, missing="pyarrow is not installed")
                continue
            yield timed("t-text", *row, ours, theirs, rel_tol=0)


def many_ranks(sizes: Sizes) -> Iterator[Row]:
    """k: cutoffs at which it is about as good to sort all items as to look for the first ones."""
    for (n_queries, n_items), k in (
        (sizes.long, sizes.long[1] // 4),
        (sizes.long, sizes.long[1] // 8),
        (sizes.short, sizes.short[1] // 4),
        (sizes.shorter, sizes.shorter[1] // 4),
        (sizes.shorter, sizes.shorter[1] // 8),
    ):
        labels, scores = data.few_relevant(n_queries, n_items)
        ours = partial(ndcg_score, labels, scores, k=k)

        def measure(repeat: int, ours: Call = ours) -> tuple[float, float]:
            ways = [ours, *(partial(with_search, ours, is_sought) for is_sought in (True, False))]
            check_equal([way() for way in ways], ours(), 0)
            as_it_is, *others = best_seconds(ways, repeat)
            return 1e3 * as_it_is, 1e3 * min(others)

        work = f"{n_queries} x {n_items}, nDCG@{k}"
        yield Row("k", work, "better way", at_most(1.1), "ms", measure)


def with_search(call: Call, is_sought: bool) -> ArrayLike:
    """Return what a call returns if the first items are looked for, or if all are sorted."""

    def rule(width: int, depth: int) -> bool:
        return is_sought

    with ExitStack() as stack:
        for module in (_top_k_candidates, _profiles, _rows):
            stack.enter_context(mock.patch.object(module, "is_worth_while", rule))
        return call()


def masked(sizes: Sizes) -> Iterator[Row]:
    """w: a recommender that leaves out what a user has seen."""
    labels, scores = data.few_relevant(*sizes.masked)
    takes_part = np.random.default_rng(9).random(scores.shape) >= 0.02
    # What takes no part is what has no label and is ranked last, while other items are left.
    alike = labels * takes_part, np.where(takes_part, scores, -1)
    weight = takes_part.astype(np.float64)
    for form, y_true, bound, bound_of_weight in (
        ("dense", labels, 1.6, 2),
        ("sparse", csr_array(labels), 1.5, 1.8),
    ):
        calls: list[tuple[str, float, str, dict[str, Array]]] = [
            ("w", bound, name, {"where": takes_part}) for name in ("ndcg", "recall", "map", "mrr")
        ]
        calls.append(("w'", bound_of_weight, "ndcg", {"item_weight": weight}))
        for row, most, name, option in calls:
            score = REPORTED[name]
            whole = of_ours(score, y_true, scores, k=20)
            ours = of_ours(score, y_true, scores, k=20, **option)
            expected = of_ours(score, *alike, k=20)
            work = f"{by_x(sizes.masked)} {form}, {next(iter(option))}, {name}@20"
            yield timed(row, work, "all items", at_most(most), ours, whole, expected=expected)
    ours = partial(ndcg_score, labels, scores, where=takes_part)
    whole, expected = partial(ndcg_score, labels, scores), partial(ndcg_score, *alike)
    work = f"{by_x(sizes.masked)} dense, where, ndcg"
    yield timed("w''", work, "all items", at_most(1.2), ours, whole, expected=expected)


def dtypes(sizes: Sizes) -> Iterator[Row]:
    """x: the same scores in other orders in memory and of other dtypes."""
    labels, scores = data.few_relevant(*sizes.a)
    a = partial(ndcg_score, labels, scores, k=10)
    for work, bound, other, alike in (
        ("in Fortran order", 1.8, np.asfortranarray(scores), np.float64),
        ("float16", 2, scores.astype(np.float16), np.float32),
        ("int64", 1.9, (scores * 1e12).astype(np.int64), np.float64),
        ("int16", 1.4, (scores * 5e3).astype(np.int16), np.float32),
    ):
        ours = partial(ndcg_score, labels, other, k=10)
        expected = partial(ndcg_score, labels, other.astype(alike, order="C"), k=10)
        work = f"a, its scores {work}"
        yield timed("x", work, "a", at_most(bound), ours, a, rel_tol=0, expected=expected)


def by_two_threads(call: Call) -> ArrayLike:
    """Return what a call returns where joblib says that there are two threads."""
    with parallel_config(backend="threading", n_jobs=2):
        return call()


def sorted_halves(halves: list[Array], n_threads: int) -> list[Array]:
    """Return the halves of an array, sorted by so many threads."""
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(np.sort, halves))


def threads(sizes: Sizes) -> Iterator[Row]:
    """thr: two threads beside one, and what they gain where they only sort.

    The target is a share of that gain, whatever else runs on the machine.
    """
    wide, graded = data.few_relevant(*sizes.a), data.graded(*sizes.b)
    labels, scores, qid = data.ragged(data.lengths_around_120(sizes.d))
    calls = {
        "a": (partial(ndcg_score, *wide, k=10), wide[1]),
        "b": (partial(ndcg_score, *graded), graded[1]),
        "d": (partial(ndcg_score, labels, scores, k=10, qid=qid), scores),
    }
    add = partial(timed, "thr", against="one thread", rel_tol=0, clock=perf_counter)
    for name, (call, ranked) in calls.items():
        ours = partial(by_two_threads, call)
        yield add(f"{name}, two threads", target=FASTER, ours=ours, other=call)
        ways = [partial(sorted_halves, np.array_split(ranked, 2), n) for n in (2, 1)]
        work = f"the scores of {name} in halves, np.sort"
        yield add(work, target=FASTER, ours=ways[0], other=ways[1])

        def measure(
            repeat: int, both: Sequence[Call] = (ours, call, *ways)
        ) -> tuple[float, float]:
            two, one, sort_by_two, sort_by_one = best_seconds([*both], repeat, perf_counter)
            return two / one, sort_by_two / sort_by_one

        work = f"{name}, time on two threads over one"
        yield Row("thr", work, "np.sort", at_least(0.9), "", measure)


def curve(sizes: Sizes) -> Iterator[Row]:
    """Scores at every rank."""
    labels, scores = data.graded(*sizes.curve)
    n_items = sizes.curve[1]
    at_all = partial(ndcg_score, labels, scores, k=range(1, n_items + 1), average=None)
    single = partial(ndcg_score, labels, scores, k=n_items, average=None)
    check_equal(np.asarray(at_all())[:, -1], np.asarray(single()), 0)
    work = f"{by_x(sizes.curve)}, nDCG at every rank"
    yield timed("curve", work, "one cutoff", at_most(2), at_all, single)


def resamples(sizes: Sizes) -> Iterator[Row]:
    """Differences of several systems on the same queries, resampled 2000 times."""
    n_queries, n_systems = sizes.systems
    rng = np.random.default_rng(0)
    of_query = rng.beta(1, 1.5, size=(n_queries, 1))
    scores = of_query + rng.normal(scale=0.05, size=(n_queries, n_systems + 1))
    by_name = {f"system {number}": column for number, column in enumerate(scores.T)}
    params = {"n_resamples": 2000, "random_state": 0}
    max_t = partial(compare_all, by_name, baseline="system 0", **params)
    work = f"{by_x(sizes.systems)} differences, max-T"

    def measure(repeat: int) -> tuple[float, float]:
        check_equal(max_t().difference, (scores[:, 1:] - scores[:, :1]).mean(axis=0), SUMMED)
        return 1e3 * best_seconds([max_t], repeat)[0], 2000

    yield Row("sig", work, "allowed", at_most(1), "ms", measure)
    yield memory("sig", work, max_t, 200e6)

    def width_of_ours() -> ArrayLike:
        found = confidence_interval(scores, method="percentile", **params)
        return np.asarray(found.high) - np.asarray(found.low)

    def width_of_scipy() -> ArrayLike:
        mean = partial(np.mean, axis=-1)
        found = bootstrap(
            (scores.T,), mean, axis=1, method="percentile", batch=20, n_resamples=2000, rng=0
        ).confidence_interval
        return np.asarray(found.high - found.low)

    work = f"{n_queries} x {n_systems + 1} scores, bootstrap"
    # The samples are not the same, so the widths agree but for chance.
    yield timed("sig", work, "SciPy", at_least(2), width_of_ours, width_of_scipy, rel_tol=0.3)


Table = dict[str, Array]


def two_tables(sizes: Sizes) -> tuple[Table, Table]:
    """Return 10 relevant items for each user, and 100 that were predicted, best first."""
    n_users, n_items = sizes.tables
    labels, ids, scores = data.retrieved_ids(n_users, n_items)
    scores = -np.sort(-scores, axis=1)
    users = np.arange(n_users)
    return (
        {"user": np.repeat(users, 10), "item": labels.indices.astype(np.int64)},
        {"user": np.repeat(users, 100), "item": ids.ravel(), "score": scores.ravel()},
    )


def with_ranks(predictions: Any) -> Any:
    """Return predictions in pandas with their ranks. The best of each user comes first."""
    return predictions.assign(rank=predictions.groupby("user").cumcount() + 1)


def joined(judgments: Any, predictions: Any, value: str = "score") -> RankingData:
    """Return two tables of any library, joined, with scores or ranks."""
    return from_tables(judgments, predictions, query="user", item="item", **{value: value})


def n_stored(judgments: Any, predictions: Any, value: str) -> int:
    """Return how many predictions the arrays of two tables have."""
    return int(joined(judgments, predictions, value).y_score.nnz)


def joined_ndcg(judgments: Any, predictions: Any, value: str = "score") -> float:
    """Return nDCG@10 of two tables of any library."""
    found = joined(judgments, predictions, value)
    return float(ndcg_score(found, k=10))


def joined_by_hand(judgments: Any, predictions: Any) -> float:
    """Return nDCG@10 of two pandas tables without a check, as one would write it in NumPy."""
    n_judged = len(judgments)
    codes = [
        np.unique(
            np.concatenate([judgments[name].to_numpy(), predictions[name].to_numpy()]),
            return_inverse=True,
        )[1]
        for name in ("user", "item")
    ]
    shape = tuple(int(code.max()) + 1 for code in codes)
    (judged_user, user), (judged_item, item) = (np.split(code, [n_judged]) for code in codes)
    y_true = csr_array((np.ones(n_judged), (judged_user, judged_item)), shape=shape)
    y_score = csr_array((predictions["score"].to_numpy(), (user, item)), shape=shape)
    return float(ndcg_score(y_true, y_score, k=10))


def rectools_ndcg(judgments: Any, predictions: Any) -> Call:
    """Return the metric of RecTools, of frames with its names and with ranks."""
    from rectools.metrics import NDCG

    names = {"user": "user_id", "item": "item_id"}
    recommended = with_ranks(predictions).rename(columns=names)
    interactions = judgments.rename(columns=names)
    metric = NDCG(k=10)
    return lambda: float(metric.calc(recommended, interactions))


def replay_ndcg(judgments: Any, predictions: Any) -> Call:
    """Return the metric of RePlay, of polars frames, with which it is fastest."""
    from replay.metrics import NDCG

    recommended, relevant = (
        pl.DataFrame({name: table[name].to_numpy() for name in table})
        for table in (predictions, judgments)
    )
    metric = NDCG(10, query_column="user", item_column="item", rating_column="score")
    return lambda: float(metric(recommended, relevant)["NDCG@10"])


def recommenders_ndcg(judgments: Any, predictions: Any) -> Call:
    """Return the function of recommenders, which asks for a rating in both frames."""
    from recommenders.evaluation.python_evaluation import ndcg_at_k

    columns = {"user": "user", "item": "item", "rating": "label", "prediction": "score"}
    names = {f"col_{name}": column for name, column in columns.items()}
    rated = judgments.assign(label=1)
    return lambda: float(ndcg_at_k(rated, predictions, k=10, **names))


def evidently_ndcg(judgments: Any, predictions: Any) -> Call:
    """Return the metric of Evidently, of a merge that ranks what was not predicted last."""
    from evidently import DataDefinition, Dataset, Recsys, Report
    from evidently.metrics import NDCG

    relevant = judgments.assign(label=1)
    columns = Recsys(user_id="user", item_id="item", prediction="score", target="label")
    definition = DataDefinition(ranking=[columns])

    def call() -> float:
        merged = predictions.merge(relevant, how="outer", on=["user", "item"])
        merged = merged.fillna({"label": 0, "score": -1}).astype({"label": int})
        report = Report([NDCG(k=10)]).run(Dataset.from_pandas(merged, definition), None)
        values = report.dict()["metrics"][0]["value"]
        of_rank = dict(zip(values["rank"].values(), values["value"].values(), strict=True))
        return float(of_rank[10 + 1])  # it counts ranks from 2

    return call


def ranx_ndcg_of_tables(judgments: Any, predictions: Any) -> Call:
    """Return the function of ranx, of what it makes of frames with ids of text."""
    from ranx import Qrels, Run, evaluate

    relevant, ranked = _with_text(judgments, predictions)
    names = {"q_id_col": "user", "doc_id_col": "item"}

    def call() -> float:
        qrels = Qrels.from_df(relevant, score_col="label", **names)
        return float(evaluate(qrels, Run.from_df(ranked, score_col="score", **names), "ndcg@10"))

    return call


def pytrec_eval_ndcg_of_tables(judgments: Any, predictions: Any) -> Call:
    """Return the evaluator of pytrec_eval, of dicts of the rows of each user."""
    from pytrec_eval import RelevanceEvaluator

    relevant, ranked = _with_text(judgments, predictions)

    def as_dicts(table: Any, value: str) -> dict[str, dict[str, Any]]:
        return {
            user: dict(zip(rows["item"], rows[value], strict=True))
            for user, rows in table.groupby("user")
        }

    def call() -> float:
        evaluator = RelevanceEvaluator(as_dicts(relevant, "label"), {"ndcg_cut.10"})
        values = evaluator.evaluate(as_dicts(ranked, "score")).values()
        return float(np.mean([of_user["ndcg_cut_10"] for of_user in values]))

    return call


def _with_text(judgments: Any, predictions: Any) -> list[Any]:
    """Return tables with ids of text, and with labels."""
    both = judgments.assign(label=1), predictions
    return [table.astype({"user": str, "item": str}) for table in both]


TABLE_PEERS: dict[str, Callable[[Any, Any], Call]] = {
    "RecTools": rectools_ndcg,
    "RePlay": replay_ndcg,
    "recommenders": recommenders_ndcg,
    "Evidently": evidently_ndcg,
    "ranx": ranx_ndcg_of_tables,
    "pytrec_eval": pytrec_eval_ndcg_of_tables,
}


def tables(sizes: Sizes) -> Iterator[Row]:
    """t: two tables, joined by their ids."""
    columns = two_tables(sizes)
    as_pandas = [pd.DataFrame(table) for table in columns]
    work = f"{sizes.tables[0]} x 100 predictions in pandas, nDCG@10"
    ours = partial(joined_ndcg, *as_pandas)
    by_hand = partial(joined_by_hand, *as_pandas)
    for peer, build in TABLE_PEERS.items():
        other = if_installed(partial(build, *as_pandas))
        target = at_least(5 if peer == "RecTools" else 3)
        yield timed("t", work, peer, target, ours, other, rel_tol=DOUBLE)
    yield timed("t", work, "by hand", at_most(1), ours, by_hand, rel_tol=DOUBLE)
    ranked = as_pandas[0], with_ranks(as_pandas[1])
    by_rank = partial(joined_ndcg, *ranked, "rank")
    work_of_ranks = work.replace("predictions", "ranks")
    other = if_installed(partial(rectools_ndcg, *as_pandas))
    yield timed("t", work_of_ranks, "RecTools", at_least(4), by_rank, other, rel_tol=DOUBLE)

    def measure(repeat: int) -> tuple[float, float]:
        check_equal(by_rank(), ours(), 0)
        ways = [partial(n_stored, *ranked, value) for value in ("rank", "score")]
        of_ranks, of_scores = best_seconds(ways, repeat)
        return 1e3 * of_ranks, 1e3 * of_scores

    yield Row("t", "t, the join with ranks", "scores", at_most(1.25), "ms", measure)
    found = joined(*as_pandas)
    call = partial(ndcg_score, found.y_true, found.y_score, k=10)
    yield timed("t", "t", "nDCG@10", at_most(3), ours, call, rel_tol=DOUBLE)
    rng = np.random.default_rng(0)
    shuffled = [table.take(rng.permutation(len(table))) for table in as_pandas]
    as_text = [table.astype({"user": str, "item": str}) for table in as_pandas]
    as_categories = [table.astype({"user": "category", "item": "category"}) for table in as_text]
    for work, target, both in (
        ("t with its rows shuffled", at_most(2.5), shuffled),
        ("t in polars", at_most(1.3), [pl.DataFrame(table) for table in columns]),
        ("t with str ids", at_most(2.5), as_text),
        (
            "t with str ids, in polars",
            at_most(2.5),
            [pl.DataFrame(table.to_dict("list")) for table in as_text],
        ),
        ("t with categories", at_most(2.5), as_categories),
        (
            "t with objects in a dict",
            SLOWER,
            [
                {name: table[name].to_numpy(object if name != "score" else None) for name in table}
                for table in as_text
            ],
        ),
    ):
        call = partial(joined_ndcg, *both)
        yield timed("t", work, "t", target, call, ours, rel_tol=DOUBLE)


def why(sizes: Sizes) -> Iterator[Row]:
    """The numbers of other programs, and explanations."""
    n_queries = sizes.curve[0] // 5
    labels, scores = data.graded(n_queries, 100)
    scores = np.argsort(np.argsort(scores))  # no ties, in which programs would differ
    ours = partial(ndcg_score, labels, scores, k=10)
    work = f"{n_queries} x 100, nDCG@10"
    theirs = partial(like("ranx", "ndcg@10"), labels, scores)
    yield timed("why", f"{work} of ranx", "nDCG@10", at_most(4), theirs, ours, rel_tol=DOUBLE)
    tied = np.round(scores / 5)

    def measure(repeat: int) -> tuple[float, float]:
        value = like("ranx", "ndcg@10")(labels, tied)
        explain = partial(explain_difference, labels, tied, value=value)
        [match, *_] = explain().matches
        check_equal(match.value, value, DOUBLE)
        return 1e3 * best_seconds([explain], repeat)[0], 5000

    yield Row("why", f"{work}, of which program?", "allowed", at_most(1), "ms", measure)

    def worst() -> ArrayLike:
        return [each.value for each in explain_query(labels, tied, score="ndcg@10", worst=10)]

    def lowest() -> ArrayLike:
        return np.sort(ndcg_score(labels, tied, k=10, average=None))[:10]

    yield timed("why", f"{work}, the worst ten", "nDCG@10", SLOWER, worst, lowest, rel_tol=0)


def unjudged(sizes: Sizes) -> Iterator[Row]:
    """What labels of unjudged items could do, beside the plain report."""
    n_queries, n_items, n_unknown = sizes.curve[0], 100, 20
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n_queries, n_items))
    labels = (rng.random(scores.shape) < 0.1).astype(float)
    is_known = rng.permuted(np.arange(n_items) >= np.zeros((n_queries, 1)) + n_unknown, axis=1)
    start = np.arange(n_queries + 1) * n_items
    found = csr_array((scores.ravel(), np.tile(np.arange(n_items), n_queries), start))
    row, column = np.nonzero(is_known)
    judged = csr_array((labels[is_known], (row, column)), shape=labels.shape)
    work = f"{n_queries} lists of {n_items}, {n_unknown} unjudged"
    for name, y_true, y_score in (
        ("", judged, found),
        (", dense", np.where(is_known, labels, np.nan), scores),
    ):
        plain = partial(ranking_report, np.where(is_known, labels, 0) if name else y_true, y_score)
        bounds = partial(ranking_report, y_true, y_score, unjudged=True)

        def ours(bounds: Callable[[], Any] = bounds) -> ArrayLike:
            return list(bounds().values())

        def theirs(plain: Callable[[], Any] = plain) -> ArrayLike:
            return list(plain().values())

        yield timed("unj", f"{work}{name}", "plain", at_most(6), ours, theirs, rel_tol=0)
    n_two = min(n_queries, 1000)
    y_true, other = np.where(is_known, labels, np.nan)[:n_two], rng.normal(size=(n_two, n_items))
    for score in ("ndcg@10", "map@10"):
        difference = partial(score_bounds, y_true, scores[:n_two], other=other, score=score)

        def measure(
            repeat: int, difference: Callable[[], Any] = difference
        ) -> tuple[float, float]:
            return 1e3 * best_seconds([difference], repeat)[0], 5000

        yield Row(
            "unj",
            f"{n_two} x {n_items}, two systems, {score}",
            "allowed",
            at_most(1),
            "ms",
            measure,
        )


def memories(sizes: Sizes) -> Iterator[Row]:
    """Peak memory over the inputs."""

    def allowed(n_queries: int, n_rows: int = 0, longest: int = 0) -> float:
        return 64e6 + 32 * (n_queries + n_rows) + 64 * longest

    n_short, n_long = sizes.j
    labels, scores, qid = data.ragged([n_long, *[10] * n_short])
    ours = partial(ndcg_score, labels, scores, k=10, qid=qid)
    yield memory("j", f"{n_short} ragged of 10, 1 of {n_long}, k=10", ours, 100e6)

    labels, scores, qid = rows = data.ragged(data.lengths_around_120(sizes.d))
    order = np.random.default_rng(0).permutation(qid.size)
    text = np.char.add("query ", qid.astype(str))
    longest = int(np.bincount(qid).max())
    for work, ids, cuts, limit in (
        ("d", {"qid": qid}, {"k": 10}, allowed(sizes.d)),
        ("d with str qid", {"qid": text}, {"k": 10}, allowed(sizes.d, qid.size)),
        ("d, nDCG of all ranks", {"qid": qid}, {}, allowed(sizes.d, 0, longest)),
    ):
        yield memory("m", work, partial(ndcg_score, labels, scores, **ids, **cuts), limit)
    some_labels, some_scores, ids = (values[order] for values in rows)
    ours = partial(ndcg_score, some_labels, some_scores, k=10, qid=ids)
    yield memory("m", "d with its rows shuffled", ours, allowed(sizes.d, qid.size))

    labels, scores = data.few_relevant(*sizes.a)
    n_queries, n_items = sizes.a
    without_k = allowed(n_queries, 0, n_items)
    scores_of_all = ["ndcg_score", *installed_scores()]
    at_k = [
        of_ours(score, labels, scores, k=10)
        for score in scores_of_all
        if score not in WITHOUT_CUTOFF
    ]
    of_all_ranks = [
        of_ours(score, labels, scores) for score in scores_of_all if score not in NEED_CUTOFF
    ]
    yield memory("m", "a, nDCG@10", at_k[0], allowed(n_queries))
    yield memory("m", "a, k=10, the worst of all scores", at_k, allowed(n_queries))
    yield memory("m", "a, nDCG of all ranks", of_all_ranks[0], without_k)
    yield memory("m", "a, all ranks, the worst of all scores", of_all_ranks, without_k)

    ours = partial(ranking_scores.ranking_report, labels, scores)
    yield memory("m", "a, six scores at 1, 5 and 10", ours, allowed(18 * n_queries))

    labels, scores = data.graded(*sizes.b)
    ours = partial(ndcg_score, labels, scores)
    yield memory("m", "b", ours, allowed(*sizes.b[:1], 0, sizes.b[1]))
    ours = partial(ndcg_score, labels, scores.round(1))
    yield memory("m", "c", ours, allowed(*sizes.b[:1], 0, sizes.b[1]))

    labels, scores = data.few_relevant(1, sizes.h)
    yield memory("m", "h", partial(ndcg_score, labels, scores, k=100), allowed(1))
    ours = partial(ndcg_score, labels, scores)
    yield memory("m", "h, nDCG of all ranks", ours, allowed(1, 0, sizes.h))

    labels, scores = data.sparse_labels(*sizes.f, 1)
    for score in ("hit_rate_score", "ndcg_score"):
        ours = of_ours(score, labels, scores, k=CUTOFFS)
        yield memory("m", f"f, {short(score)}", ours, allowed(sizes.f[0]))

    if hasattr(ranking_scores, "retrieved_from_ids"):
        labels, ids, scores = data.retrieved_ids(*sizes.retrieved)
        found = ranking_scores.retrieved_from_ids(ids, scores, n_items=sizes.retrieved[1])
        ours = partial(ndcg_score, labels, found, k=10)
        yield memory("m", "what was retrieved, nDCG@10", ours, allowed(sizes.retrieved[0]))

    both = [pd.DataFrame(table) for table in two_tables(sizes)]
    n_bytes = sum(int(table.memory_usage(index=False).sum()) for table in both)
    ours = partial(joined_ndcg, *both)
    yield memory("m", "t, join and nDCG@10", ours, max(6 * n_bytes, 64e6))


def growth(sizes: Sizes) -> Iterator[Row]:
    """The time of twice the data over that of the data; of several sizes the worst."""
    for series in scaling.series(sizes.growth):

        def measure(repeat: int, series: scaling.Series = series) -> tuple[float, float]:
            calls = [series.build(size) for size in series.sizes]
            times = [1e3 * time for time in best_seconds(calls, repeat)]
            smaller, larger = max(pairwise(times), key=lambda pair: pair[1] / pair[0])
            return larger, smaller

        work = f"twice the {series.what}"
        yield Row("growth", work, "half of it", at_most(series.bound), "ms", measure)


def more(sizes: Sizes) -> Iterator[Row]:
    """What has no target."""
    labels, scores = data.few_relevant(*sizes.a)
    for work, some_scores, params in (
        ("a, ignore_ties=True", scores, {"ignore_ties": True}),
        ("a, 1 query of 32 with constant scores", scores.copy(), {}),
    ):
        if "constant" in work:
            some_scores[::32] = 0.5
        ours = partial(ndcg_score, labels, some_scores, k=10, **params)
        theirs = partial(sklearn_ndcg_score, labels, some_scores, k=10, **params)
        yield timed("more", work, "scikit-learn", FASTER, ours, theirs, rel_tol=DOUBLE)
    labels, scores = data.graded(*sizes.b)
    ours = partial(ndcg_score, labels, scores, ignore_ties=True)
    theirs = partial(sklearn_ndcg_score, labels, scores, ignore_ties=True)
    work = "b, ignore_ties=True"
    yield timed("more", work, "scikit-learn", FASTER, ours, theirs, rel_tol=DOUBLE)

    fresh = Row("more", "b, in a fresh process", "b", SLOWER, "ms")
    here = partial(ndcg_score, labels, scores)
    yield fresh._replace(
        measure=lambda repeat: (in_fresh_process(sizes.b), 1e3 * best_seconds([here], repeat)[0])
    )

    classes, scores = data.class_labels(*sizes.classes)
    params = {"k": 5, "labels": np.arange(sizes.classes[1])}
    ours = of_ours("hit_rate_score", classes, scores, **params)
    theirs = partial(top_k_accuracy_score, classes, scores, **params)
    work = f"{by_x(sizes.classes)} classes, hit rate at 5"
    yield timed("more", work, "scikit-learn", FASTER, ours, theirs, rel_tol=DOUBLE)

    if hasattr(ranking_scores, "retrieved_from_ids"):
        labels, ids, scores = data.retrieved_ids(*sizes.retrieved)
        found = ranking_scores.retrieved_from_ids(ids, scores, n_items=sizes.retrieved[1])
        for score in ("hit_rate_score", "ndcg_score"):
            work = f"{sizes.retrieved[0]} x 100 of {sizes.retrieved[1]} retrieved, {short(score)}"
            ours = of_ours(score, labels, found, k=CUTOFFS)
            sort = partial(np.argsort, scores, axis=1)
            yield timed("more", work, "argsort", SLOWER, ours, sort)


def imports(sizes: Sizes) -> Iterator[Row]:
    """What a fresh process does before it scores anything."""
    package, version = "import ranking_scores", f"import contextlib, io\n{PRINT_THE_VERSION}"
    yield Row("import", package, "scipy.sparse", at_most(1.5), "ms")._replace(
        measure=partial(in_fresh_processes, package, "import scipy.sparse")
    )
    yield Row("import", "ranking-scores --version", "import", at_most(2), "ms")._replace(
        measure=partial(in_fresh_processes, version, package)
    )
    with TemporaryDirectory() as folder:
        files = [str(path) for path in write_trec(Path(folder), 20, 100)]
        command = f"import contextlib, io\nfiles = {files}\n{SCORE_THE_FILES}"
        yield Row(
            "import", "ranking-scores of two small files", "import", at_most(2.5), "ms"
        )._replace(measure=partial(in_fresh_processes, command, package))


PRINT_THE_VERSION = """
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    from ranking_scores.__main__ import main
    main(["--version"])
"""

SCORE_THE_FILES = """
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    from ranking_scores.__main__ import main
    main([*files, "-m", "ndcg@10"])
"""


def in_fresh_processes(ours: str, other: str, repeat: int) -> tuple[float, float]:
    """Return the milliseconds of two pieces of code, each time in a process of its own."""
    milliseconds_of_code(ours), milliseconds_of_code(other)  # files into the cache
    measured = [(milliseconds_of_code(ours), milliseconds_of_code(other)) for _ in range(repeat)]
    first, second = (min(times) for times in zip(*measured, strict=True))
    return first, second


def milliseconds_of_code(code: str) -> float:
    """Return the processor time of some code in a process, without the start of the process."""
    return 1e3 * printed_by(
        "from time import process_time\n"
        f"start = process_time()\n{code}\nprint(process_time() - start)"
    )


def in_fresh_process(shape: tuple[int, int]) -> float:
    """Return the milliseconds of b where malloc still returns the memory of each block.

    It keeps that memory once larger arrays have come and gone, as they have here.
    """
    return 1e3 * printed_by(
        f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        f"import scaling\nprint(scaling.best_seconds([scaling.dense(*{shape}, None)], 5)[0])"
    )


def printed_by(code: str) -> float:
    """Return the number that some code prints in a process of its own, on one thread."""
    # -P: what is installed, not what lies in the current folder.
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=ONE_THREAD)
    return float(done.stdout)


GROUPS: dict[str, Callable[[Sizes], Iterator[Row]]] = {
    "a": few_relevant,
    "b": whole_lists,
    "c": tied_lists,
    "d": ragged,
    "q": ids_of_queries,
    "e": one_query,
    "cnt": counted,
    "f": one_relevant,
    "g": hit_rate,
    "h": long_query,
    "i": other_scores,
    "p": pairs,
    "r": reports,
    "r-ids": from_ids,
    "l": lists_of_ids,
    "agr": agreements,
    "t": tables,
    "t-text": text_ids,
    "c-trec": trec_files,
    "c-csv": csv_files,
    "k": many_ranks,
    "w": masked,
    "x": dtypes,
    "thr": threads,
    "curve": curve,
    "sig": resamples,
    "why": why,
    "unj": unjudged,
    "memory": memories,
    "growth": growth,
    "import": imports,
    "more": more,
}

COLUMNS = (6, 43, 12, 6, 6, 2, 6, 8, 3)


def line(*cells: str) -> str:
    """Return a line of the table, a simple table of reStructuredText."""
    padded = (f"{cell:{width}}" for cell, width in zip(cells, COLUMNS, strict=True))
    return " ".join(padded).rstrip()


def number(value: float) -> str:
    """Return three digits of a number, at most three of them decimal, without an exponent."""
    value = round(value, 3)
    return np.format_float_positional(value, 3, unique=False, fractional=False, trim="-")


def as_line(result: Result) -> str:
    """Return a result as a line of the table."""
    met = {True: "yes", False: "NO", None: ""}[result.is_met]
    numbers = number(result.ours), number(result.other), result.unit, number(result.ratio) + "x"
    return line(result.name, result.work, result.against, *numbers, result.target, met)


RULE = line(*("=" * width for width in COLUMNS))
HEAD = line("row", "work", "against", "ours", "other", "", "ratio", "target", "met")


def measured(row: Row, repeat: int, *, is_fast: bool) -> Result:
    """Measure a row. Small data says nothing about a target."""
    assert row.measure is not None
    ours, other = row.measure(repeat)
    ratio = row.target.ratio(ours, other)
    headroom = None
    if not is_fast and np.isfinite(row.target.bound) and row.target.bound > 0:
        headroom = row.target.headroom(ratio)
    target = "" if headroom is None else str(row.target)
    is_met = None if headroom is None else headroom >= 1
    columns = row.name, row.work, row.against, row.unit
    return Result(*columns, ours, other, ratio, target, headroom, is_met)


def run_table(only: list[str], repeat: int, *, is_fast: bool) -> list[Result]:
    """Measure some groups of rows, printing each row as soon as it is known."""
    results, notes = [], []
    print(f"{RULE}\n{HEAD}\n{RULE}", flush=True)
    for group in only:
        for row in GROUPS[group](FAST if is_fast else Sizes()):
            if row.missing:
                notes.append(f"{row.name}: {row.missing}")
                continue
            results.append(measured(row, repeat, is_fast=is_fast))
            print(as_line(results[-1]), flush=True)
        gc.collect()
    print("\n".join([RULE, *notes, ""]), flush=True)
    return results


def medians(runs: list[list[Result]]) -> list[Result]:
    """Return of each row the run with the median ratio."""
    return [
        sorted(of_row, key=lambda result: result.ratio)[(len(of_row) - 1) // 2]
        for of_row in zip(*runs, strict=True)
    ]


def machine() -> dict[str, Any]:
    """Return the processor, the versions and the date."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [text.split(":")[1].strip() for text in lines if text.startswith("model name")]
    versions = {"Python": platform.python_version()}
    for name, package in {"NumPy": "numpy", "SciPy": "scipy", **PEERS}.items():
        try:
            versions[name] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "date": datetime.now(UTC).date().isoformat(),
        "versions": {"ranking_scores": ranking_scores.__version__, **versions},
    }


SUMMARY = {  # tasks in words, by the rows that stand for them: group, begin of the work, against
    ("a", "1000 x", "scikit-learn"): "nDCG@10, 1000 users, 20000 items",
    ("b", "10000 x", "ignite"): "nDCG, 10000 queries of 128 documents",
    ("d", "5000 ragged", "torchmetrics"): "nDCG@10, 5000 queries of 20 to 219 documents",
    ("d", "5000 ragged", "ranx"): "nDCG@10, 5000 queries of 20 to 219 documents",
    ("t", "20000 x", "RecTools"): "two tables to nDCG@10, 20000 users, 100 predictions each",
    ("t", "20000 x", "pytrec_eval"): "two tables to nDCG@10, 20000 users, 100 predictions each",
    (
        "more",
        "20000 x 1000 classes",
        "scikit-learn",
    ): "top-5 accuracy, 20000 samples, 1000 classes",
    (
        "cnt",
        "20000 x 1000 classes, all ranks, M",
        "NumPy loop",
    ): "MRR, 20000 samples, 1000 classes",
    ("p", "pairwise accuracy of b, d", "SciPy's tau"): "pairwise accuracy, 10000 queries of 128",
    ("l10", "20000 x 100 text ids", "a loop"): "three scores at 10, 20000 lists of 100 ids",
    (
        "r-ids",
        "20000 x 100 ids to nDCG and",
        "implicit",
    ): "nDCG and MAP, 20000 users, 100 ids each",
    ("r-ids", "20000 x 10 ids", "implicit"): "four scores at 10, 20000 users, 10 ids each",
}


def in_words(results: list[Result]) -> list[tuple[str, Result]]:
    """Return the tasks of the summary that were measured, each with its row of the table."""
    return [
        (task, result)
        for (name, work, against), task in SUMMARY.items()
        for result in results
        if (result.name, result.against) == (name, against) and result.work.startswith(work)
    ]


def print_summary(results: list[Result]) -> None:
    """Print how long the tasks of the summary take, here and elsewhere."""
    lines = [
        (task, number(row.ours), row.against, number(row.other), f"{row.other / row.ours:.2g}x")
        for task, row in in_words(results)
    ]
    heads = ("task", "ms", "library", "its ms", "factor")
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    rule = " ".join("=" * width for width in widths)
    rows = [
        " ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heads, *lines)
    ]
    print("\n".join(["In words", "", rule, rows[0], rule, *rows[1:], rule, ""]))


def plot(results: list[Result], path: str) -> None:
    """Draw the summary: how many times as long other libraries take."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    shown = in_words(results)[::-1]
    figure, axes = plt.subplots(figsize=(8, 1 + 0.5 * len(shown)), layout="constrained")
    ratios = [row.other / row.ours for _, row in shown]
    axes.barh(np.arange(len(shown)), ratios, color="#0072b2")
    axes.set_yticks(np.arange(len(shown)), [f"{task}\n{row.against}" for task, row in shown])
    axes.tick_params(labelsize=8)
    for place, (ratio, (_, row)) in enumerate(zip(ratios, shown, strict=True)):
        text = f" {ratio:.3g}x ({number(row.ours)} ms)"
        axes.text(ratio, place, text, va="center", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(min(ratios, default=1) / 2, max(ratios, default=1) * 6)
    axes.set_xlabel("times as long as ranking_scores, logarithmic")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--repeat", type=int, default=5, help="measurements to take the best of")
    parser.add_argument("--runs", type=int, default=1, help="tables to take the median of")
    parser.add_argument("--fast", action="store_true", help="small data, once: do they run?")
    parser.add_argument("--json", metavar="PATH", help="write the table here")
    parser.add_argument("--plot", metavar="PATH", help="draw the summary here (needs matplotlib)")
    arguments = parser.parse_args()
    repeat = 1 if arguments.fast else arguments.repeat
    about = machine()
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    print(f"{about['processor']}, {about['cores']} cores, {about['system']}, {about['date']}")
    print(f"{versions}\n", flush=True)
    with threadpool_limits(limits=1):
        runs = [
            run_table(arguments.only, repeat, is_fast=arguments.fast)
            for _ in range(arguments.runs)
        ]
    results = medians(runs)
    if arguments.runs > 1:
        print("\n".join(["Medians", "", RULE, HEAD, RULE, *map(as_line, results), RULE, ""]))
    if in_words(results) and not arguments.fast:
        print_summary(results)
    missed = [result for result in results if result.is_met is False]
    if not arguments.fast:
        print(f"{len(missed)} targets missed")
    if arguments.json:
        rows = [
            asdict(result) | {"ratios": [of_row.ratio for of_row in of_runs]}
            for result, *of_runs in zip(results, *runs, strict=True)
        ]
        Path(arguments.json).write_text(json.dumps(about | {"rows": rows}, indent=1) + "\n")
    if arguments.plot:
        plot(results, arguments.plot)


if __name__ == "__main__":
    main()
