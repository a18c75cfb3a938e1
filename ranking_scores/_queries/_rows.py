"""One query per row: `y_score` of shape (n_queries, n_items), `y_true` dense, sparse or classes.

With class labels, each sample is a query, and its class is the only relevant item. Data of no
other layout is taken for this one, so the errors about data in no layout are raised here, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import Place, show_id
from ranking_scores._base._index import column_names, first_out_of_order, is_labelled, name_at
from ranking_scores._base._validation import (
    check_exact,
    check_identifiers,
    check_sparse,
    csr_array,
    describe,
    is_sparse,
    unique_identifiers,
    unsortable,
)
from ranking_scores._queries._blocks import (
    NOT_JUDGED,
    NOT_RETRIEVED,
    BlockCells,
    BlockItems,
    CheckedQueries,
    Floats,
    Positions,
    QueryPart,
    Rows,
    all_weights,
    are_weights,
    as_weights,
    by_row,
    items_in_rows,
    items_of,
    lengths_of,
    queries_per_block,
    rows_of,
    spread,
)
from ranking_scores._queries._counting import about_nonzero, most_labelled
from ranking_scores._queries._data import CallData, DataNeeds, Mask, warn_if_swapped
from ranking_scores._queries._top_k_candidates import (
    is_searchable,
    is_worth_while,
    nonzero_cells,
    rows_in_cache,
    take_cells,
)

_TOP_BLOCK_ROWS, _TOP_BLOCK_CELLS = 256, 2**25
"""If few ranks count, a block needs almost no memory besides the data that it reads."""
_COUNTED_BLOCKS = 8
"""The number of blocks that need memory for few items of each row, or more if rows are many."""
_COPIED_BLOCK_CELLS = 2**22
"""The size of a block that copies some of its data, or all of it in Fortran order."""

_LEAVE_OUT = "Use `where` to leave out the items that take no part."
_ADVICE = {
    "y_true": f"{_LEAVE_OUT} {NOT_JUDGED}",
    "y_score": (
        f"{_LEAVE_OUT} {NOT_RETRIEVED} A sparse y_score stores only the items that were retrieved."
    ),
}


def check(data: CallData, need: DataNeeds) -> CheckedQueries:
    """Return the queries in the rows of 2-D scores."""
    labels: Labels
    if data.has_class_labels:
        labels = _class_labels(data)
    else:
        if data.labels is not None:
            raise data.without_class_labels()
        if is_sparse(data.y_true):
            labels = sparse_labels(data, need)
        elif data.true_labels.ndim == 1:
            raise data.invalid(
                "y_true",
                "2-D, one query per row, unless `qid` says which query each row belongs to",
                f"shape {data.true_labels.shape} without `qid`",
                code="For one query pass `[y_true], [y_score]`, or `np.asarray(y_true)[None, :]` "
                "and `np.asarray(y_score)[None, :]` for arrays. For several queries pass `qid`.",
            )
        else:
            labels = DenseLabels(data.true_labels)
    scores = data.scores
    data.check_same_shape(labels.shape, scores.shape)
    n_queries, n_items = scores.shape
    mask = None if data.where is None else data.mask_of_items()
    item_weight = None if data.item_weight is None else data.weight_of_items(scores.shape)
    weight = data.weight_of_each(n_queries)
    if isinstance(labels, DenseLabels):
        warn_if_swapped(data.true_labels, scores, data.function)
    if not n_items:  # a column in which no item takes part
        n_items, mask = 1, np.zeros((n_queries, 1), dtype=bool)
        labels, scores = DenseLabels(np.zeros((n_queries, 1))), np.zeros((n_queries, 1))
        item_weight = None if item_weight is None else scores
    is_top = is_worth_while(n_items, need.depth)
    if need.counted:
        need = need.to_count(most_labelled(scores.shape, need), labels.n_nonzero)
    skips_zeros = is_top and need.can_skip_zeros(labels.dtype)
    skips_zeros |= bool(need.counted) and not isinstance(labels, DenseLabels)
    n_left = np.full(n_queries, n_items) if mask is None else lengths_of(mask, scores.shape)
    layout = RowLayout(data, labels, scores, mask, n_left, item_weight, is_top, skips_zeros, need)
    longest = n_items if mask is None else int(n_left.max())
    are_single = longest == 1
    return CheckedQueries(n_queries, longest, longest, weight, layout, need, are_single=are_single)


@dataclass(frozen=True)
class RowLayout:
    """Queries in the rows of 2-D scores."""

    data: CallData
    labels: Labels
    scores: NDArray[Any]
    mask: Mask | None
    n_left: Positions
    """The number of items of each query that the mask leaves."""
    item_weight: NDArray[Any] | None
    is_top: bool
    """Whether few ranks count."""
    skips_zeros: bool
    """Whether items with the label 0 are left out of the judged items."""
    need: DataNeeds

    @property
    def advice(self) -> dict[str, str]:
        """The advice about labels or scores that are not finite."""
        # With class labels, all classes are judged and ranked.
        return {"y_score": _LEAVE_OUT} if self.data.has_class_labels else _ADVICE

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return int(self.scores.shape[0])

    def cuts(self) -> Iterator[Positions]:
        """Yield some rows after the other."""
        n_queries, n_items = self.scores.shape
        n_rows = queries_per_block(n_items)
        if self.need.counted:  # few items of a row are likely to be ranked
            n_shared = -(-n_queries // _COUNTED_BLOCKS)  # by threads
            n_rows = max(n_rows, min(_COPIED_BLOCK_CELLS // n_items, n_shared))
        elif self.is_top and is_searchable(self.scores.dtype):
            is_masked = self.mask is not None or self.item_weight is not None
            is_copied = is_masked or not self.scores.flags.c_contiguous
            n_cells = _COPIED_BLOCK_CELLS if is_copied else _TOP_BLOCK_CELLS
            n_rows = max(n_rows, min(n_cells // n_items, _TOP_BLOCK_ROWS))
        for start in range(0, n_queries, n_rows):
            yield np.arange(start, min(start + n_rows, n_queries))

    def read(self, queries: Positions) -> QueryPart:
        """Return some rows."""
        rows = rows_of(queries)
        shape = queries.size, self.scores.shape[1]
        is_item, n_items = None if self.mask is None else self.mask[rows], self.n_left[rows]
        weights = None
        if self.item_weight is not None:
            weights = as_weights(self.item_weight[rows])
            is_item = self._with_weight(queries, weights, is_item)
            n_items = lengths_of(is_item, shape)
        if is_item is not None and is_item.all():
            is_item = None

        place_of_row = by_row(self, queries)

        def items_at(cells: BlockCells | None, labels: NDArray[Any] | None = None) -> BlockItems:
            """Return the items in some cells, or all items that take part."""
            if cells is None:
                labels = items_of(self.labels.dense(rows), is_item)
                kept_weights = None if weights is None else items_of(weights, is_item)
                items = BlockItems(labels, shape, is_item, kept_weights, place_of_row)
            else:
                labels = self.labels.at(rows, cells) if labels is None else labels
                kept_weights = None if weights is None else weights[cells.row, cells.column]
                items = items_in_rows(labels, cells.row, queries.size, kept_weights, place_of_row)
            if self.need.tells_known:
                items = items.with_known(self.need, is_sparse=is_sparse(self.data.y_true))
            return items

        entries = self.labels.nonzero(rows) if self.skips_zeros else None
        judged_at = None
        if entries is None:
            judged = all_items = items_at(None)
        else:
            if is_item is not None:
                entries = entries.where(is_item[entries.row, entries.column])
            judged_at = entries.cells
            judged, all_items = items_at(judged_at, entries.values), None

        def ranked_at(cells: BlockCells | None) -> BlockItems:
            return items_at(cells) if cells is not None or all_items is None else all_items

        scores = self.scores[rows]
        if not is_searchable(scores.dtype):
            scores = items_of(scores, is_item)
        return QueryPart(scores, shape, is_item, ranked_at, judged, n_items, judged_at)

    def place(self, query: int) -> Place:
        """Return a query, which is the number of its row, as the place of an error."""
        return Place(query=query)

    def places_of(self, query: int) -> tuple[Positions, Positions]:
        """Return the columns of the items of a query, all of which are ranked and judged."""
        takes_part = np.ones(self.scores.shape[1], dtype=bool)
        if self.mask is not None:
            takes_part &= self.mask[query]
        if self.item_weight is not None:
            takes_part &= as_weights(self.item_weight[query]).astype(bool)
        column = np.flatnonzero(takes_part)
        return column, column

    def _with_weight(self, queries: Positions, weights: Floats, mask: Mask | None) -> Mask:
        """Check the weights, and return the mask of the items that take part with a weight."""
        takes_part = np.empty(weights.shape, dtype=bool)
        for rows in rows_in_cache(weights):
            row_weights, part = weights[rows], None if mask is None else mask[rows]
            if not all_weights(items_of(row_weights, part)):
                is_right = (
                    are_weights(row_weights) if part is None else are_weights(row_weights) | ~part
                )
                row = rows.start + int(np.argmin(is_right.all(axis=1)))
                raise self.data.not_weights(self.place(int(queries[row])))
            np.greater(row_weights, 0, out=takes_part[rows])
        return takes_part if mask is None else mask & takes_part


class CellValues(NamedTuple):
    """Some cells of some rows, one row after the other, and the values in them."""

    row: Positions
    """Which of the rows, counted from 0."""
    column: Positions
    values: NDArray[Any]

    @property
    def cells(self) -> BlockCells:
        """The cells without the values."""
        return BlockCells(self.row, self.column)

    def dtype_with(self, fill_value: float) -> np.dtype[Any]:
        """Return the dtype of the values, or one that also has NaN."""
        dtype: np.dtype[Any] = self.values.dtype
        has_it = not np.isnan(fill_value) or dtype.kind == "f"
        return dtype if has_it else np.result_type(dtype, np.float64)

    def where(self, is_kept: Mask) -> CellValues:
        """Return the entries for which a mask is True."""
        return CellValues(self.row[is_kept], self.column[is_kept], self.values[is_kept])

    def find(self, cells: BlockCells) -> tuple[Positions, NDArray[Any]]:
        """Return which of some cells, in any order, have an entry, and the values in these."""
        own, sought = _number_cells(self.cells, cells)
        found, place = _find(sought, own)
        return found, self.values[place]

    def at(self, cells: BlockCells, fill_value: float = 0) -> NDArray[Any]:
        """Return the values in some cells, and one value in all cells without an entry.

        Entries and cells are sorted by row and by column, without repeated cells.
        """
        own, sought = _number_cells(self.cells, cells)
        values = np.full(sought.size, fill_value, self.dtype_with(fill_value))
        if own.size <= sought.size:
            found, place = _find(own, sought)
            values[place] = self.values[found]
        else:
            found, place = _find(sought, own)
            values[found] = self.values[place]
        return values


def _number_cells(*sets: BlockCells) -> list[Positions]:
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

    The others are sorted.
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

    def n_nonzero(self) -> float:
        """Return about how many labels are not 0."""

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows, 2-D."""

    def at(self, rows: Rows, cells: BlockCells) -> NDArray[Any]:
        """Return the labels in some cells of some rows, 1-D."""

    def nonzero(self, rows: Rows) -> CellValues | None:
        """Return the labels of some rows that are not 0; None: they are too many for a list."""


class DenseLabels:
    """The labels in a dense matrix."""

    n_stored = None

    def __init__(self, labels: NDArray[Any]) -> None:
        self._labels, self.shape, self.dtype = labels, labels.shape, labels.dtype

    def n_nonzero(self) -> float:
        """Return about how many labels are not 0."""
        return about_nonzero(self._labels)

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows."""
        return self._labels[rows]

    def at(self, rows: Rows, cells: BlockCells) -> NDArray[Any]:
        """Return the labels in some cells of some rows."""
        return np.asarray(self._labels[rows][cells.row, cells.column])

    def nonzero(self, rows: Rows) -> CellValues | None:
        """Return the labels that are not 0, unless there are many."""
        labels = self._labels[rows]
        index = nonzero_cells(labels)
        if index is None:
            return None
        return CellValues(*BlockCells.from_flat(index, self.shape[1]), take_cells(labels, index))


class SparseLabels:
    """The labels in a sparse matrix. Duplicates are summed."""

    def __init__(self, labels: csr_array, fill_value: float = 0) -> None:
        self._labels, self.shape, self.dtype = labels, labels.shape, labels.dtype
        self.n_stored = np.diff(labels.indptr)
        self.fill_value = fill_value
        """The label of cells that are not stored: 0, or NaN if it is unknown."""

    def n_nonzero(self) -> float:
        """Return the number of labels that are stored."""
        return float(self._labels.nnz)

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows."""
        if not np.isnan(self.fill_value):
            return np.asarray(self._labels[rows].toarray())
        stored, n_rows = self.nonzero(rows), self.n_stored[rows].size
        labels = np.full(
            (n_rows, self.shape[1]), self.fill_value, stored.dtype_with(self.fill_value)
        )
        labels[stored.row, stored.column] = stored.values
        return labels

    def at(self, rows: Rows, cells: BlockCells) -> NDArray[Any]:
        """Return the labels in some cells of some rows."""
        return self.nonzero(rows).at(cells, self.fill_value)

    def nonzero(self, rows: Rows) -> CellValues:
        """Return the labels that are stored."""
        labels = self._labels
        if not labels.has_canonical_format:
            labels, rows = labels[rows], slice(None)  # a copy
            labels.sum_duplicates()
        return stored_entries(labels, rows)


def sparse_labels(data: CallData, need: DataNeeds) -> SparseLabels:
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

    def n_nonzero(self) -> float:
        """Return the number of labels that are not 0."""
        return self.shape[0]

    def dense(self, rows: Rows) -> NDArray[Any]:
        """Return all labels of some rows."""
        return np.equal(self._column_of_row[rows, None], np.arange(self.shape[1]))

    def at(self, rows: Rows, cells: BlockCells) -> NDArray[Any]:
        """Return the labels in some cells of some rows."""
        return np.equal(self._column_of_row[rows][cells.row], cells.column)

    def nonzero(self, rows: Rows) -> CellValues:
        """Return the labels of the classes."""
        column = self._column_of_row[rows]
        return CellValues(np.arange(column.size), column, np.ones(column.size, dtype=bool))


def stored_entries(values: csr_array, rows: Rows = slice(None)) -> CellValues:
    """Return the stored values in some rows of a sparse matrix, in its order, with their cells."""
    start, stop = values.indptr[:-1][rows], values.indptr[1:][rows]
    length = (stop - start).astype(np.intp, copy=False)
    row = np.repeat(np.arange(length.size), length)
    place: Rows = slice(start[0], stop[-1])
    if not isinstance(rows, slice):
        place = spread(start, length)
    column = values.indices[place].astype(np.intp, copy=False)
    return CellValues(row, column, np.asarray(values.data[place]))


def all_entries(values: NDArray[Any]) -> CellValues:
    """Return all cells of some rows with their values."""
    cells = BlockCells.from_flat(np.arange(values.size), values.shape[1])
    return CellValues(*cells, values.ravel())


def _class_labels(data: CallData) -> ClassLabels:
    """Return the labels of samples, each of which has a class."""
    if data.item_weight is not None:
        expected, got = "None if y_true holds class labels", describe(data.item_weight)
        code = "Use sample_weight: each sample is a query."
        raise data.invalid("item_weight", expected, got, code=code)
    class_of_row = check_identifiers(data.y_true, "y_true", data.function)
    n_rows, n_classes = data.scores.shape
    if class_of_row.size != n_rows or not n_rows:
        expected = "1-D with a class label for each row of y_score, and not empty"
        code = "For one query pass `np.asarray(y_true)[None, :]`." if n_rows == 1 else ""
        got = f"shape {class_of_row.shape} with y_score of shape {data.scores.shape}"
        raise data.invalid("y_true", expected, got, code=code)
    if data.labels is None:
        column_of_row = _columns_of_all_classes(class_of_row, data)
    else:
        column_of_row = _columns_of_given_classes(class_of_row, data)
    return ClassLabels(column_of_row, n_classes)


def _columns_of_all_classes(class_of_row: NDArray[Any], data: CallData) -> Positions:
    """Return the column of the class of each row, if all classes occur."""
    classes, column_of_row = unique_identifiers(class_of_row, "y_true", data.function)
    n_classes = data.scores.shape[1]
    if classes.size != n_classes:
        expected = f"an array of {n_classes} classes, one per column of y_score"
        code = "If y_true lacks some classes, pass all of them, sorted, as `labels`."
        raise data.invalid("y_true", expected, f"{classes.size} classes", code=code)
    _check_columns(classes, data, "the sorted classes", "np.unique(y_true)")
    return column_of_row


def _columns_of_given_classes(class_of_row: NDArray[Any], data: CallData) -> Positions:
    """Return the column of the class of each row, by the classes in `labels`."""
    classes = check_identifiers(cast(ArrayLike, data.labels), "labels", data.function)
    n_classes = data.scores.shape[1]
    if classes.size != n_classes:
        expected = f"an array of {n_classes} classes, one per column of y_score"
        raise data.invalid("labels", expected, f"{classes.size} classes")
    if classes.dtype.kind != class_of_row.dtype.kind and not (
        classes.dtype.kind in "biuf" and class_of_row.dtype.kind in "biuf"
    ):
        # As objects, since NumPy would turn numbers into text, and the class 1 would match "1".
        classes, class_of_row = classes.astype(object), class_of_row.astype(object)
    try:
        is_sorted = bool((classes[1:] > classes[:-1]).all())
        column_of_row = np.searchsorted(classes, class_of_row)
        is_known = classes.take(column_of_row, mode="clip") == class_of_row
    except TypeError as error:
        raise unsortable(classes, "labels", data.function, error) from error
    if not is_sorted:
        raise data.invalid("labels", "unique and sorted", describe(data.labels))
    _check_columns(classes, data, "`labels`", "labels")
    if not is_known.all():
        row = int(np.argmin(is_known))
        got, place = show_id(class_of_row.item(row)), Place(row=row)
        raise data.invalid("y_true", "an array of the classes in `labels`", got, place=place)
    return column_of_row


def _check_columns(classes: NDArray[Any], data: CallData, order: str, in_order: str) -> None:
    """Raise if the columns of a frame have the names of the classes in another order."""
    columns = column_names(data.y_score)
    if columns is None:
        return
    code = f"Use `y_score.reindex(columns={in_order})`, or pass `.to_numpy()`"
    if isinstance(columns, list):  # their names can only be text
        expected: Any = list(map(str, classes.tolist()))
        code = f"Use `y_score.select(list(map(str, {in_order})))`, or pass `np.asarray(y_score)`"
    else:
        names = classes if classes.dtype.kind in "mM" else classes.tolist()  # it drops their unit
        expected = import_module("pandas").Index(names)
        if is_labelled(data.y_score):
            order_of = f"{{{data.y_score.dims[1]!r}: {in_order}}}"
            code = f"Use `y_score.reindex({order_of})`, or pass `.to_numpy()`"
    place = first_out_of_order(columns, expected)
    if place is not None:
        name, other = name_at(columns, place), name_at(expected, place)
        got = f"{name} as column {place}, where {other} belongs,"
        code = f"{code} if classes and columns match by position."
        ordered = f"a frame with its columns in the order of {order}"
        raise data.invalid("y_score", ordered, got, code=code)
