"""Writes scores as a run, in TREC's format."""

from __future__ import annotations

from itertools import repeat
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from ranking_scores._base import (
    check_real_array,
    check_stored,
    column_names,
    invalid,
    is_labelled,
    row_names,
    show_id,
    supported_by_scipy,
)
from ranking_scores._queries import Data
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._named_items import (
    Floats,
    Items,
    Table,
    as_exact_floats,
    check_finite,
    check_shape,
    items_of,
    name_document,
    names_of_items,
    names_of_queries,
)
from ranking_scores._tables._trec_files import (
    check_ids,
    check_path,
    check_queries,
    check_tag,
    write_lines,
)

_WRITE = "write_run"


def write_scores(
    path: Any, y_score: ArrayLike, query_ids: ArrayLike, item_ids: ArrayLike, tag: Any
) -> None:
    """Write scores and the names of queries and items to a file."""
    name = check_path(path, _WRITE)
    tag = check_tag(tag, _WRITE)
    table = _as_table_of_scores(y_score)
    queries = names_of_queries(table, query_ids)
    check_queries(queries, _WRITE)
    name_of_column = names_of_items(check_shape(item_ids, table), _WRITE)
    check_ids(name_of_column.tolist(), "item_ids", _WRITE)
    columns, rows = column_names(y_score), row_names(y_score)
    axes = ["index", "column_names" if hasattr(y_score, "column_names") else "columns"]
    if is_labelled(y_score):
        axes = [f"coords[{each!r}]" for each in cast(Any, y_score).dims]
    if columns is not None:
        _check_order("item_ids", name_of_column.tolist(), columns, axes[1])
    if rows is not None:
        _check_order("query_ids", queries, rows, axes[0])
    cells = table.retrieved
    items = name_of_column[cells.item]

    def name_retrieved(index: int) -> str:
        return name_document(items[index], queries[cells.query[index]])

    scores = as_exact_floats(cells.values, name_retrieved, "y_score", _WRITE)
    order, rank = _ranked(cells, name_of_column, scores)
    query_of_row = np.array(queries, dtype=object)[cells.query]
    columns = (query_of_row, items[order], rank, scores[order])
    lines = map("{} Q0 {} {} {!r} {}\n".format, *(each.tolist() for each in columns), repeat(tag))
    write_lines(name, lines)


def _check_order(parameter: str, names: list[str], axis_names: Any, axis: str) -> None:
    """Raise if an axis of a frame of scores has the same names in another order."""
    others = [] if type(axis_names).__name__ == "RangeIndex" else list(map(str, axis_names))
    if names != others and sorted(names) == sorted(others):
        place = next(i for i, name in enumerate(names) if name != others[i])
        ours, other = show_id(names[place]), show_id(others[place])
        raise invalid(
            parameter,
            _WRITE,
            f"in the order of the {axis} of y_score",
            f"{ours} at position {place}, where y_score has {other},",
            code=f"Pass `y_score.{axis}`.",
        )


def _as_table_of_scores(y_score: ArrayLike) -> Table:
    """Return the retrieved items, without judgments."""
    if issparse(y_score):
        scores = check_stored(y_score, "y_score", _WRITE)
    else:
        dense = check_real_array(y_score, "y_score", _WRITE)
        if dense.ndim != 2:
            expected = "of shape (n_queries, n_items)"
            code = "For one query pass `[y_score]`." if dense.ndim == 1 else ""
            raise invalid("y_score", _WRITE, expected, f"shape {dense.shape}", code=code)
        scores = _all_stored(dense)
    nothing = csr_array(scores.shape)
    check_finite(Data(_WRITE, nothing, scores, None))
    judged, retrieved = items_of(nothing, None), items_of(scores, None)
    indexes = Data(_WRITE, None, y_score).indexes
    return Table(_WRITE, judged, retrieved, scores.shape[0], None, [scores.shape[1:]], indexes)


def _all_stored(values: NDArray[Any]) -> csr_array:
    """Return a dense matrix as a sparse one that stores every cell, including zeros."""
    n_rows, n_columns = values.shape
    values = values.astype(supported_by_scipy(values.dtype), copy=False)
    columns = np.tile(np.arange(n_columns), n_rows)
    start = np.arange(n_rows + 1) * n_columns
    return csr_array((values.ravel(), columns, start), shape=values.shape)


def _ranked(
    cells: Items, name_of_column: NDArray[Any], scores: Floats
) -> tuple[Positions, Positions]:
    """Return the order of items by query and rank, and the ranks that trec_eval gives them."""
    place_of_column = np.empty(name_of_column.size, dtype=np.intp)
    place_of_column[np.argsort(name_of_column, kind="stable")] = np.arange(name_of_column.size)
    order = np.lexsort((-place_of_column[cells.item], -scores, cells.query))
    return order, np.arange(1, order.size + 1) - np.searchsorted(cells.query, cells.query)
