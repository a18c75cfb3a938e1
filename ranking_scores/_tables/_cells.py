"""The entries of tables of judgments and predictions, as codes of queries and items."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import PackedText
from ranking_scores._tables._columns import Column, Positions

Rows = NDArray[np.integer[Any]]


class Cells(NamedTuple):
    """The entries of a table for some items of some queries, sorted by query and by item."""

    query: Positions
    item: Positions
    values: NDArray[Any]
    columns: dict[str, Column]
    """The columns, for error messages."""
    row: Rows | None = None
    """For each cell, a number that grows with its place in the table among the cells of its query;
    None: they came in this order, or nobody asks."""
    repeats: Rows | None = None
    """The item that each cell repeats, or -1; None: no item is there more than once."""

    def where(self, is_kept: Any) -> Cells:
        """Return some of the cells."""
        kept = {
            name: each.take(is_kept) if is_kept.dtype != bool else each[is_kept]
            for name, each in self._asdict().items()
            if name != "columns" and each is not None
        }
        return self._replace(**kept)


class JoinedQueries(NamedTuple):
    """The queries of judgments and of predictions, with the same codes."""

    queries: NDArray[Any]
    """The ids of all queries, sorted."""
    is_judged: NDArray[np.bool_]
    """Which queries the judgments have, also those without items."""
    is_predicted: NDArray[np.bool_]
    """Which queries the predictions have."""
    of_judged: Positions
    """The query of each row of the judgments."""
    of_predicted: Positions
    """The query of each row of the predictions."""


class Joined(NamedTuple):
    """The judged and the predicted items, with the same codes of queries and items."""

    judged: Cells
    predicted: Cells
    queries: NDArray[Any]
    items: NDArray[Any] | PackedText
    is_judged: NDArray[np.bool_]
    """Which queries the judgments have, also those without items."""
    is_predicted: NDArray[np.bool_]
    """Which queries the predictions have."""


def all_rows(n_rows: int) -> Rows:
    """Return the numbers of all rows, in a small dtype."""
    return np.arange(n_rows, dtype=_dtype_below(n_rows))


def as_rows(numbers: Rows, stop: int) -> Rows:
    """Return the numbers of rows, all below `stop`, in the same dtype."""
    return numbers.astype(_dtype_below(stop), copy=False)


def _dtype_below(stop: int) -> type[np.signedinteger[Any]]:
    return np.int32 if stop < 2**31 else np.int64


def starts(cells: Cells, n_queries: int) -> Positions:
    """Return the start of the cells of each query, and the end of the last."""
    return np.searchsorted(cells.query, np.arange(n_queries + 1))
