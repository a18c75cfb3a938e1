"""Labels with a row for each query, in the three forms they come in: dense, sparse, classes."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._contenders import nonzero_cells, take_cells
from ranking_scores._queries._blocks import Cells, Positions, Rows
from ranking_scores._queries._data import Mask


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

    def where(self, is_kept: Mask) -> Entries:
        """Return those for which a bool is True."""
        return Entries(self.row[is_kept], self.column[is_kept], self.values[is_kept])


class Labels(Protocol):
    """The labels of queries, in whatever form they come."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(n_queries, n_items)"""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the labels."""

    @property
    def n_stored(self) -> Positions | None:
        """The number of labels that are stored for each query; None: all are."""

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows, 2-D."""

    def at(self, rows: Rows, cells: Cells) -> NDArray[Any]:
        """Return those in some cells of some rows, 1-D."""

    def nonzero(self, rows: Rows) -> Entries | None:
        """Return those of some rows that are not 0; None: so many that a list does not pay."""


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
        of_rows = self._labels[rows]
        index = nonzero_cells(of_rows)
        if index is None:
            return None
        return Entries(*Cells.from_flat(index, self.shape[1]), take_cells(of_rows, index))


class SparseLabels:
    """The labels in a sparse matrix: 0 where it stores nothing, summed where it stores twice."""

    def __init__(self, labels: csr_array) -> None:
        self._labels, self.shape, self.dtype = labels, labels.shape, labels.dtype
        self.n_stored = np.diff(labels.indptr)

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows."""
        return np.asarray(self._labels[rows].toarray())

    def at(self, rows: Rows, cells: Cells) -> NDArray[Any]:
        """Return the labels in some cells of some rows."""
        if not cells.row.size:  # SciPy takes no empty index
            return np.zeros(0, self.dtype)
        of_rows = self._labels[rows]
        of_rows.sum_duplicates()
        return np.asarray(of_rows[cells.row, cells.column])

    def nonzero(self, rows: Rows) -> Entries:
        """Return the labels that are stored."""
        of_rows = self._labels[rows]
        of_rows.sum_duplicates()
        return stored_entries(of_rows)


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


def stored_entries(values: csr_array) -> Entries:
    """Return what a sparse matrix stores, and where."""
    row = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    return Entries(row, values.indices.astype(np.intp, copy=False), np.asarray(values.data))


def all_entries(values: NDArray[Any]) -> Entries:
    """Return all cells of some rows, and the values in them."""
    cells = Cells.from_flat(np.arange(values.size), values.shape[1])
    return Entries(*cells, values.reshape(-1))
