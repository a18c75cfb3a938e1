"""Sums use ints of 64 bits and places in arrays those of the machine, which may have 32 only.

Python in a browser has 32 bits. On a machine with 64, the two types are one, so a mistake would
show nowhere. Here the package gets a NumPy whose `int64` is another type of the same size, and
whose functions refuse it for places, as on a machine with 32 bits. `np.bincount` takes it there.
"""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
import scipy.sparse as sp

from ranking_scores import StreamingScore, from_lists, from_table, ndcg_score, ranking_report
from ranking_scores.agreement import kendall_tau, overlap_at_k
from ranking_scores.significance import compare
from ranking_scores.ties import tie_report

WIDE = np.longlong if np.dtype(np.intp).char == "l" else np.int_
"""A type of 64 bits that is not that of places in arrays."""
SCORES = ["ndcg", "dcg", "map", "mrr", "recall", "precision", "arp", "auc", "pairwise_accuracy"]
SCORES += ["err@10", "rbp", "f1", "r_precision", "bpref", "hit_rate"]
DENSE = ["auc", "pairwise_accuracy", "arp"]
"""The scores that need all items to be ranked."""
RNG = np.random.default_rng(0)
LABELS, PREDICTIONS = RNG.integers(0, 3, (50, 12)), RNG.integers(0, 6, (50, 12))
QUERY = np.sort(RNG.integers(0, 40, 600))


def refuse_wide(places, name):
    """Raise if places in arrays have 64 bits, whatever the machine."""
    if getattr(places, "dtype", np.dtype(bool)).char == np.dtype(WIDE).char:
        raise TypeError(f"Cannot cast the places of {name} from int64 to intp, which has 32 bits")


class Strict:
    """A ufunc whose places are those of the machine."""

    def __init__(self, ufunc):
        self.ufunc = ufunc

    def __call__(self, *arguments, **options):
        return self.ufunc(*arguments, **options)

    def __getattr__(self, name):
        return getattr(self.ufunc, name)

    def reduceat(self, array, indices, *arguments, **options):
        refuse_wide(indices, "reduceat")
        return self.ufunc.reduceat(array, indices, *arguments, **options)


class NumPyOf32Bits(ModuleType):
    """NumPy, but places in arrays and ints of 64 bits are two types."""

    int64, intp = WIDE, np.int32

    def __getattr__(self, name):
        found = getattr(np, name)
        return Strict(found) if name in ("add", "maximum", "minimum", "logical_or") else found

    @staticmethod
    def repeat(values, repeats, *arguments, **options):
        refuse_wide(repeats, "repeat")
        return np.repeat(values, repeats, *arguments, **options)

    @staticmethod
    def take(values, indices, *arguments, **options):
        refuse_wide(indices, "take")
        return np.take(values, indices, *arguments, **options)


def report(*data, leave_out=(), **of):
    scores = [score for score in SCORES if score not in leave_out]
    found = ranking_report(*data, **of, scores=scores, k=[3, 10], max_grade=2)
    return found.to_frame().to_dict(), found.per_query


def stream(*data, **of):
    found = StreamingScore(["ndcg@5", "map"])
    found.update(*data, **of)
    return found.compute(), found.standard_error


TABLE = {"query": QUERY, "item": np.tile(np.arange(600), 1), "label": LABELS.ravel()}
TABLE["score"] = PREDICTIONS.ravel() + 0.5
GOLD = [list(np.flatnonzero(row)) for row in LABELS]
FOUND = [list(np.argsort(row, kind="stable")) for row in PREDICTIONS]
WEIGHT = RNG.random(LABELS.shape)
WIDE_PLACES = sp.csr_array(LABELS)
WIDE_PLACES.indices, WIDE_PLACES.indptr = (
    each.astype(WIDE) for each in (WIDE_PLACES.indices, WIDE_PLACES.indptr)
)
CALLS = {
    "sparse with places of 64 bits": lambda: report(WIDE_PLACES, PREDICTIONS),
    "dense": lambda: report(LABELS, PREDICTIONS),
    "many queries": lambda: report(np.tile(LABELS, (9, 9)), np.tile(PREDICTIONS, (9, 9))),
    "where": lambda: report(LABELS, PREDICTIONS, where=WEIGHT > 0.2),
    "sparse": lambda: report(sp.csr_array(LABELS), PREDICTIONS),
    "retrieved": lambda: report(sp.csr_array(LABELS), sp.csr_array(PREDICTIONS), leave_out=DENSE),
    "ragged": lambda: report(LABELS.ravel(), PREDICTIONS.ravel(), qid=QUERY),
    "classes": lambda: report(LABELS.argmax(axis=1), PREDICTIONS, labels=range(12)),
    "weights": lambda: ndcg_score(LABELS, PREDICTIONS, item_weight=WEIGHT, average=None),
    "discount": lambda: ndcg_score(LABELS, PREDICTIONS, discount=np.sqrt, average=None),
    "table": lambda: report(from_table(TABLE), leave_out=DENSE),
    "lists": lambda: report(from_lists(GOLD, FOUND), leave_out=DENSE),
    "unjudged": lambda: ranking_report(from_lists(GOLD, FOUND), scores="map", unjudged=True),
    "stream": lambda: stream(LABELS.ravel(), PREDICTIONS.ravel(), qid=QUERY),
    "ties": lambda: tie_report(LABELS, PREDICTIONS, score="ndcg@3"),
    "agreement": lambda: (
        kendall_tau(LABELS, PREDICTIONS),
        overlap_at_k(LABELS, PREDICTIONS, k=3),
    ),
    "compare": lambda: compare(
        ndcg_score(LABELS, PREDICTIONS, average=None),
        ndcg_score(LABELS, -PREDICTIONS, average=None),
        random_state=0,
    ),
}


@pytest.fixture
def strict(monkeypatch):
    """Give a strict NumPy to all modules of the package, once a call has loaded them."""

    def use():
        numpy = NumPyOf32Bits("numpy")
        for name, module in [*sys.modules.items()]:
            if name.partition(".")[0] == "ranking_scores" and vars(module).get("np") is np:
                monkeypatch.setattr(module, "np", numpy)

    return use


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_no_sum_takes_the_ints_of_the_machine_for_those_of_64_bits(name, strict):
    expected = CALLS[name]()
    strict()
    assert repr(CALLS[name]()) == repr(expected)


def test_the_strict_types_are_two():
    numpy = NumPyOf32Bits("numpy")
    assert np.dtype(WIDE) == np.int64
    places = np.arange(3)
    for call in (
        lambda index: numpy.repeat(places, index),
        lambda index: numpy.take(places, index),
        lambda index: numpy.add.reduceat(places, index),
    ):
        call(places)
        with pytest.raises(TypeError, match="which has 32 bits"):
            call(np.cumsum(places, dtype=numpy.int64))
