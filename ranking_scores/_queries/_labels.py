"""Labels with one row per query, in one of three forms: dense, sparse or classes."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import check_exact, check_sparse
from ranking_scores._queries._blocks import Cells, Positions, Rows, spread
from ranking_scores._queries._contenders import nonzero_cells, take_cells
from ranking_scores._queries._data import Data, Mask, Need


class Entries(NamedTuple):
    """Some cells of some rows, one row after the other, and the values in them."""

    row: Positions
    """Which of the rows, counted from 0."""
    column: Positions
    values: NDArray[Any]

    @property
    def cells(self) -> Cells:
        """The cells without the values."""
        return Cells(self.row, self.column)

    def dtype_with(self, elsewhere: float) -> np.dtype[Any]:
        """Return the dtype of the values, or one that also has NaN."""
        dtype: np.dtype[Any] = self.values.dtype
        has_it = not np.isnan(elsewhere) or dtype.kind == "f"
        return dtype if has_it else np.result_type(dtype, np.float64)

    def where(self, is_kept: Mask) -> Entries:
        """Return the entries for which a mask is True."""
        return Entries(self.row[is_kept], self.column[is_kept], self.values[is_kept])

    def at(self, cells: Cells, elsewhere: float = 0) -> NDArray[Any]:
        """Return the values in some cells, and one value in all cells without an entry.

        Entries and cells are sorted by row and by column, without repeated cells.
        """
        own, sought = _number_cells(self.cells, cells)
        values = np.full(sought.size, elsewhere, self.dtype_with(elsewhere))
        if own.size <= sought.size:
            found, place = _find(own, sought)
            values[place] = self.values[found]
        else:
            found, place = _find(sought, own)
            values[found] = self.values[place]
        return values


def _number_cells(*sets: Cells) -> list[Positions]:
    """Return numbers with the order of the cells, equal for the same cell."""
    columns = [cells.column for cells in sets]
    n_rows, n_columns = (
        1 + max(int(each.max(initial=0)) for each in places)
        for places in ([cells.row for cells in sets], columns)
    )
    if n_rows * n_columns >= 2**63:
        different, number = np.unique(np.concatenate(columns), return_inverse=True)
        n_columns, columns = different.size, np.split(number, [columns[0].size])
    return [cells.row * n_columns + column for cells, column in zip(sets, columns, strict=True)]


def _find(values: Positions, among: Positions) -> tuple[Positions, Positions]:
    """Return the indices of the values that are among others, and their places there.

    The others are sorted, and not fewer.
    """
    place = np.searchsorted(among, values)
    found = np.flatnonzero(among.take(place, mode="clip") == values)
    return found, place[found]


class Labels(Protocol):
    """The labels of queries, in any form."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(n_queries, n_items)"""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the labels."""

    @property
    def n_stored(self) -> Positions | None:
        """The number of stored labels of each query; None: all labels are stored."""

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows, 2-D."""

    def at(self, rows: Rows, cells: Cells) -> NDArray[Any]:
        """Return the labels in some cells of some rows, 1-D."""

    def nonzero(self, rows: Rows) -> Entries | None:
        """Return the labels of some rows that are not 0; None: they are too many for a list."""


class DenseLabels:
    """The labels in a dense matrix."""

    n_stored = None

    def __init__(self, labels: NDArray[Any]) -> None:
        self._labels, self.shape, self.dtype = labels, labels.shape, labels.dtype

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows."""
        return self._labels[rows]

    def at(self, rows: Rows, cells: Cells) -> NDArray[Any]:
        """Return the labels in some cells of some rows."""
        return np.asarray(self._labels[rows][cells.row, cells.column])

    def nonzero(self, rows: Rows) -> Entries | None:
        """Return the labels that are not 0, unless there are many."""
        labels = self._labels[rows]
        index = nonzero_cells(labels)
        if index is None:
            return None
        return Entries(*Cells.from_flat(index, self.shape[1]), take_cells(labels, index))


class SparseLabels:
    """The labels in a sparse matrix. Duplicates are summed."""

    def __init__(self, labels: csr_array, elsewhere: float = 0) -> None:
        self._labels, self.shape, self.dtype = labels, labels.shape, labels.dtype
        self.n_stored = np.diff(labels.indptr)
        self.elsewhere = elsewhere
        """The label of cells that are not stored: 0, or NaN if it is unknown."""

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows."""
        if not np.isnan(self.elsewhere):
            return np.asarray(self._labels[rows].toarray())
        stored, n_rows = self.nonzero(rows), self.n_stored[rows].size
        labels = np.full(
            (n_rows, self.shape[1]), self.elsewhere, stored.dtype_with(self.elsewhere)
        )
        labels[stored.row, stored.column] = stored.values
        return labels

    def at(self, rows: Rows, cells: Cells) -> NDArray[Any]:
        """Return the labels in some cells of some rows."""
        return self.nonzero(rows).at(cells, self.elsewhere)

    def nonzero(self, rows: Rows) -> Entries:
        """Return the labels that are stored."""
        labels = self._labels
        if not labels.has_canonical_format:
            labels, rows = labels[rows], slice(None)  # a copy
            labels.sum_duplicates()
        return stored_entries(labels, rows)


def sparse_labels(data: Data, need: Need) -> SparseLabels:
    """Return the labels in a sparse `y_true`. If that matters, those not stored are unknown."""
    labels = check_sparse(data.y_true, "y_true", data.function, keep_zeros=need.tells_known)
    if not need.tells_known:
        return SparseLabels(labels)
    check_exact(labels.data, "y_true", data.function, "not stored")
    return SparseLabels(labels, np.nan)


class ClassLabels:
    """The labels of samples, each with one relevant item: its class."""

    n_stored = None
    dtype = np.dtype(bool)

    def __init__(self, column_of_row: Positions, n_classes: int) -> None:
        self._column_of_row, self.shape = column_of_row, (column_of_row.size, n_classes)

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows."""
        return np.equal(self._column_of_row[rows, None], np.arange(self.shape[1]))

    def at(self, rows: Rows, cells: Cells) -> NDArray[Any]:
        """Return the labels in some cells of some rows."""
        return np.equal(self._column_of_row[rows][cells.row], cells.column)

    def nonzero(self, rows: Rows) -> Entries:
        """Return the labels of the classes."""
        column = self._column_of_row[rows]
        return Entries(np.arange(column.size), column, np.ones(column.size, dtype=bool))


def stored_entries(values: csr_array, rows: Rows = slice(None)) -> Entries:
    """Return the stored values in some rows of a sparse matrix, in its order, with their cells."""
    start, stop = values.indptr[:-1][rows], values.indptr[1:][rows]
    length = stop - start
    row = np.repeat(np.arange(length.size), length)
    place: Rows = slice(start[0], stop[-1])
    if not isinstance(rows, slice):
        place = spread(start, length)
    column = values.indices[place].astype(np.intp, copy=False)
    return Entries(row, column, np.asarray(values.data[place]))


def all_entries(values: NDArray[Any]) -> Entries:
    """Return all cells of some rows with their values."""
    cells = Cells.from_flat(np.arange(values.size), values.shape[1])
    return Entries(*cells, values.ravel())
