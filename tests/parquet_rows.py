"""Rows of queries in tables of pyarrow, and what one call says of them."""

from __future__ import annotations

import numpy as np
import pytest
from scaled import of_arrays

pa = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
datasets = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")

COLUMNS = {"label": "label", "score": "score", "query": "user"}


def rows(lengths, seed=0):
    """Return the columns of queries of some lengths, the queries in no order."""
    rng = np.random.default_rng(seed)
    n_rows = sum(lengths)
    ids = rng.permutation(len(lengths)) * 10
    weights = rng.integers(0, 3, len(lengths)) + 0.5
    return {
        "more": np.full(n_rows, "not to be read"),
        "score": rng.integers(0, 4, n_rows).astype(np.float32),
        "label": rng.integers(0, 3, n_rows),
        "user": np.repeat(ids, lengths),
        "weight": np.repeat(weights, lengths),
        "of_item": rng.random(n_rows),
    }


def arrays_of(table, columns=COLUMNS):
    """Return the same as one call of a score takes it."""
    return {name: np.asarray(table[column]) for name, column in of_arrays(columns).items()}


def write(path, table, row_group_size=5):
    """Write a file, and return its path."""
    parquet.write_table(pa.table(table), path, row_group_size=row_group_size)
    return path
