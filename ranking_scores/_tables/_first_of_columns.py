"""The first items of tables, whose ids are compared as their library stores them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    LIBRARIES,
    PackedText,
    library_of,
    pack_text,
    runs_of_column,
    stable_order,
)
from ranking_scores._tables._columns import Column, Positions, has_null
from ranking_scores._tables._first_items import ItemIds, ItemsOfQueries, ids_of_objects


def items_of_column(
    column: Column, query: Positions, numbers: NDArray[Any], n_queries: int
) -> ItemsOfQueries | None:
    """Return the rows of a table as items of its queries.

    None: their ids are neither text nor whole numbers.
    """
    ids = _as_stored(column.values)
    if ids is None:
        return None
    length = np.bincount(query, minlength=n_queries)
    if (query[1:] < query[:-1]).any():
        row = stable_order(query)
        ids, numbers = ids[row], numbers[row]
    return ItemsOfQueries(ids, length, numbers)


def _as_stored(values: Any) -> ItemIds | None:
    """Return ids that are text or whole numbers without nulls; None: they are something else."""
    if isinstance(values, PackedText):
        return values
    packed = pack_text(values)
    if packed is not None:
        return packed
    if isinstance(values, np.ndarray) and values.dtype == object:
        values = values.tolist()
    if isinstance(values, list):
        return ids_of_objects(values, len(values))
    if library_of(values) in LIBRARIES:
        if has_null(values):
            return None
        runs = runs_of_column(values)  # of categories
        if runs is not None:
            unique = ids_of_objects(runs.ids.tolist(), runs.ids.size)
            return None if unique is None else unique[runs.which_of_row]
        values = np.asarray(values)
    is_wide = getattr(values, "dtype", None) == np.uint64
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu" or is_wide:
        return None
    return values.astype(np.int64, copy=False)
