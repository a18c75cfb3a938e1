"""The data that is measured, from seeded generators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Array = NDArray[Any]


def few_relevant(n_queries: int, n_items: int) -> tuple[Array, Array]:
    """A matrix of which 0.1 % are relevant."""
    rng = np.random.default_rng(0)
    labels = (rng.random((n_queries, n_items)) < 0.001).astype(np.int64)
    return labels, rng.random((n_queries, n_items))


def graded(n_queries: int, n_items: int) -> tuple[Array, Array]:
    """A matrix with the labels 0 to 4."""
    rng = np.random.default_rng(1)
    shape = (n_queries, n_items)
    return rng.integers(0, 5, size=shape), rng.random(shape)


def times(n_queries: int, n_items: int) -> tuple[Array, Array]:
    """A matrix of labels that are all different, and scores that are near them."""
    rng = np.random.default_rng(8)
    labels = rng.exponential(30.0, (n_queries, n_items))
    return labels, labels + rng.normal(0.0, 10.0, labels.shape)


def ragged(lengths: Iterable[int]) -> tuple[Array, Array, Array]:
    """Sorted rows of queries of these lengths: labels 0 to 4, scores, and ids.

    No scores are equal, nor are they as float32, in which some programs hold them.
    """
    rng = np.random.default_rng(2)
    n_items = np.fromiter(lengths, dtype=np.int64)
    qid = np.repeat(np.arange(n_items.size), n_items)
    labels = rng.integers(0, 5, size=qid.size)
    return labels, rng.permutation(qid.size) / qid.size, qid


def lengths_around_120(n_queries: int) -> Array:
    """Lengths of 20 to 219 items."""
    return np.random.default_rng(3).integers(20, 220, size=n_queries)


def class_labels(n_samples: int, n_classes: int) -> tuple[Array, Array]:
    """The class of each sample, often among the best 5 of the scores; nothing ties."""
    rng = np.random.default_rng(4)
    classes = rng.integers(n_classes, size=n_samples)
    classes[:n_classes] = np.arange(n_classes)
    scores = rng.random((n_samples, n_classes))
    scores[np.arange(n_samples), classes] += 0.5
    return classes, scores


def some_relevant(n_queries: int, n_items: int, n_relevant: int) -> tuple[Array, Array]:
    """The same number of relevant items in each row of a matrix."""
    rng = np.random.default_rng(7)
    labels = np.zeros((n_queries, n_items))
    labels[:, :n_relevant] = 1
    return rng.permuted(labels, axis=1), rng.random((n_queries, n_items))


def sparse_labels(n_queries: int, n_items: int, n_relevant: int) -> tuple[csr_array, Array]:
    """A few relevant items a row, as a sparse matrix, and dense float32 scores."""
    rng = np.random.default_rng(5)
    relevant = [rng.choice(n_items, n_relevant, replace=False) for _ in range(n_queries)]
    labels = _ones(np.ravel(relevant), n_relevant, (n_queries, n_items))
    return labels, rng.random((n_queries, n_items), dtype=np.float32)


def retrieved_ids(n_queries: int, n_items: int) -> tuple[csr_array, Array, Array]:
    """10 relevant items a row, the ids of 100 items found, 5 of the 10 among them, and scores."""
    rng = np.random.default_rng(6)
    ids = np.array([rng.choice(n_items, 105, replace=False) for _ in range(n_queries)])
    labels = _ones(ids[:, -10:].ravel(), 10, (n_queries, n_items))
    return labels, ids[:, :100], rng.random((n_queries, 100))


def _ones(items: Array, n_in_row: int, shape: tuple[int, int]) -> csr_array:
    starts = n_in_row * np.arange(shape[0] + 1)
    return csr_array((np.ones(items.size), items, starts), shape=shape)
