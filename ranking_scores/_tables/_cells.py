"""The entries of tables of judgments and predictions, as codes of queries and items."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._tables._columns import Column, Positions


class Cells(NamedTuple):
    """The entries of a table for some items of some queries, sorted by query and by item."""

    query: Positions
    item: Positions
    values: NDArray[Any]
    columns: dict[str, Column]
    """The columns, for error messages."""

    def where(self, is_kept: Any) -> Cells:
        """Return some of the cells."""
        query, item, values = (
            each.take(is_kept) if is_kept.dtype != bool else each[is_kept]
            for each in (self.query, self.item, self.values)
        )
        return self._replace(query=query, item=item, values=values)


class Joined(NamedTuple):
    """The judged and the predicted items, with the same codes of queries and items."""

    judged: Cells
    predicted: Cells
    queries: NDArray[Any]
    items: NDArray[Any]
    is_judged: NDArray[np.bool_]
    """Which queries the judgments have, also those without items."""
    is_predicted: NDArray[np.bool_]
    """Which queries the predictions have."""


def starts(cells: Cells, n_queries: int) -> Positions:
    """Return the start of the cells of each query, and the end of the last."""
    return np.searchsorted(cells.query, np.arange(n_queries + 1))
