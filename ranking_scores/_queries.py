"""Every layout of the data becomes the same blocks of queries.

A *block* is a handful of queries that fit in the cache together: 2-D, a query a row, scores
padded with NaN. The layouts differ in how they are cut into blocks, and in nothing behind it:

dense
    `y_true` and `y_score` of shape (n_queries, n_items); a block is a slice of rows.
ragged
    1-D rows with the id of their query in `qid`, in any order; a block is a set of queries of
    similar length, the longest at most twice as long as the shortest, so that there is never
    more padding than data.
sparse labels
    `y_true` a SciPy sparse matrix or array of that shape; a block is a slice of rows.
class labels
    1-D `y_true`, the class of each sample, and `y_score` of shape (n_samples, n_classes); a
    sample is a query, its class the one relevant item; a block is a slice of rows.
retrieved
    `y_score` a SciPy sparse matrix or array that stores what was retrieved, `y_true` of the same
    shape, sparse or not; a block is a set of queries of similar length. What is not retrieved
    has no rank, but is still there to be found.

A block has the items that are ranked, and those that were judged, which the ideal and the number
of relevant items are taken from. In the retrieved layout they differ; and where few ranks count,
in all, since items that can stand in none of these need not be ranked, and labels of 0 that gain
nothing need not be listed.

Scores become floats that order and tie as the scores themselves do, in whatever dtype they came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from ranking_scores._contenders import (
    NotFiniteError,
    all_finite,
    contenders,
    is_worth_while,
    nonzero_cells,
)
from ranking_scores._sorting import stable_order
from ranking_scores._validation import (
    InvalidParameterError,
    as_ndarray,
    check_finite_weights,
    check_identifiers,
    check_real_array,
    check_sparse,
    check_stored,
    describe,
    invalid,
    unsortable,
)

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

_BLOCK_CELLS = 2**16
"""Cells of a block: at 8 bytes each, a few arrays of this size stay in the cache."""
_WIDE_BLOCK_ROWS, _WIDE_BLOCK_CELLS = 16, 2**18
"""Where queries are long, what a block costs besides its cells is shared by more of them."""
_TOP_BLOCK_ROWS, _TOP_BLOCK_CELLS = 256, 2**25
"""Where few ranks count, a block needs next to no memory besides what it reads."""


class Items(NamedTuple):
    """Some items of each query of a block, a query a row, padded where it has fewer of them."""

    labels: NDArray[Any]
    """Their labels, 1-D and without padding, query after query, in their dtype."""
    shape: tuple[int, int]
    """(n_queries, n_cells)"""
    is_item: NDArray[np.bool_] | None
    """Where an item stands, (n_queries, n_cells); None: everywhere."""
    weight: Floats | None
    """Their weights, above 0, in the order of `labels`; None: all weigh 1."""
    name_row: Callable[[int], str]
    """What to call the query of a row in an error message."""

    @property
    def lengths(self) -> Positions:
        """The number of items in each row."""
        if self.is_item is None:
            return np.full(self.shape[0], self.shape[1])
        return np.asarray(self.is_item.sum(axis=1))

    def place(self, values: Floats) -> Floats:
        """Put 1-D values of the items where the items stand; 0 elsewhere."""
        if self.is_item is None:
            return values.reshape(self.shape)
        placed = np.zeros(self.shape)
        placed[self.is_item] = values
        return placed

    def total(self, values: Floats) -> Floats:
        """Return the sum of 1-D values of the items in each row, in item order."""
        row = np.repeat(np.arange(self.shape[0]), self.lengths)
        totals = np.bincount(row, weights=values, minlength=self.shape[0])
        return totals.astype(np.float64, copy=False)

    def name_query(self, index: int) -> str:
        """Return what to call the query of the item at an index of `labels`."""
        row = np.searchsorted(np.cumsum(self.lengths), index, side="right")
        return self.name_row(int(row))


class Block(NamedTuple):
    """A few queries, in the one form that every score works on."""

    queries: Positions
    """Which queries these are, as an index into all of them."""
    scores: NDArray[Any]
    """Floats, (n_queries, n_cells); NaN where no item stands."""
    ranked: Items
    """The items that the scores rank, each in the cell of its score."""
    judged: Items
    """The items that the ideal and the number of relevant items are taken from. Those that are
    ranked, and the same object, in every layout but one."""
    n_all: Positions | None
    """The number of items of each query, those included that are neither ranked nor judged;
    None: there are no such items."""

    @property
    def n_items(self) -> Positions:
        """The number of items of each query."""
        return self.ranked.lengths if self.n_all is None else self.n_all

    @property
    def n_not_judged(self) -> Positions:
        """The number of items of each query that have no label, which counts as the label 0."""
        return self.n_items - self.judged.lengths

    def gains(self, gain_of: Callable[..., Floats]) -> tuple[Floats, Floats]:
        """Return what the ranked and what the judged items gain, 1-D."""
        of_judged = gain_of(self.judged.labels, self.judged.name_query)
        if self.ranked is self.judged:
            return of_judged, of_judged
        return gain_of(self.ranked.labels, self.ranked.name_query), of_judged


@dataclass(frozen=True)
class Queries:
    """The data of a call, checked as far as it can be without reading all of it."""

    count: int
    longest: int
    """The number of items of the longest query."""
    n_ranks: int
    """The last rank at which an item stands, in a ranking or in an ideal, that may gain."""
    weight: Floats | None
    """The weight of each query, (count,); None: all weigh the same."""
    blocks: Callable[[], Iterator[Block]]
    """Cuts the data into blocks, and checks that what it reads is finite."""
    ids: NDArray[Any] | None = None
    """The ids of the queries, (count,), unique and sorted; None: they have none."""


def check_queries(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    qid: ArrayLike | None,
    labels: ArrayLike | None,
    where: ArrayLike | None,
    item_weight: ArrayLike | None,
    sample_weight: ArrayLike | None,
    depth: int,
    gain_of: Callable[..., Floats] | None,
    function: str,
) -> Queries:
    """Return the queries, whatever layout they come in.

    Items that can stand in none of the first `depth` ranks may be left out of what is ranked.
    `gain_of` is what an item gains, as a function of its label, where a score needs that of every
    item, and not only their number: unless the label 0 gains nothing, none may then be left out.
    """
    weight = None
    if sample_weight is not None:
        weight = check_finite_weights(sample_weight, "sample_weight", function)
    if issparse(y_score):
        refused = {"qid": qid, "labels": labels, "where": where}
        return _check_retrieved(
            y_true, y_score, refused, item_weight, weight, depth, gain_of, function
        )
    scores = check_real_array(y_score, "y_score", function)
    # Lists are made arrays once; what has dimensions is left to the checks below.
    truth = y_true if hasattr(y_true, "ndim") else as_ndarray(y_true, "y_true", function)
    has_columns = scores.ndim == 2 and scores.shape[1] > 1
    is_sparse = issparse(y_true) and qid is None
    is_class_labels = qid is None and truth.ndim == 1 and has_columns and not is_sparse
    if labels is not None and not is_class_labels:
        raise invalid(
            "labels",
            function,
            "None unless y_true is 1-D, a class label for each row of a 2-D y_score",
            f"{describe(labels)} with a {truth.ndim}-D y_true and y_score of shape "
            f"{scores.shape}{'' if qid is None else ', and `qid`'}",
        )
    if item_weight is not None and is_class_labels:
        got = describe(item_weight)
        advice = "Use sample_weight: a sample is a query."
        raise invalid("item_weight", function, "None where y_true holds class labels", got, advice)
    weight_of_item = _check_item_weight(item_weight, scores.shape, qid is not None, function)
    takes_part = _check_where(where, scores, qid is not None, function)
    if is_class_labels:
        class_of_row = check_identifiers(y_true, "y_true", function)
        column_of_row = _check_class_labels(class_of_row, scores, labels, function)
        of_classes = _labels_of_classes(column_of_row, scores.shape[1])
        return _cut_rows(of_classes, scores, takes_part, None, weight, depth, gain_of, function)
    if is_sparse:
        of_rows = _sparse_labels(check_sparse(y_true, "y_true", function))
        _check_same_shape(of_rows.shape, scores.shape, function)
        return _cut_rows(
            of_rows, scores, takes_part, weight_of_item, weight, depth, gain_of, function
        )
    relevance = check_real_array(truth, "y_true", function)
    if qid is not None:
        ids = check_identifiers(qid, "qid", function)
        return _ragged(relevance, scores, ids, weight_of_item, weight, depth, function)
    if relevance.ndim == 1:
        raise invalid(
            "y_true",
            function,
            "2-D, a query a row, unless `qid` says which query each row belongs to",
            f"shape {relevance.shape} without `qid`",
            "Pass `y_true[None, :]` and `y_score[None, :]` for one query or `qid=` for several. "
            "In model selection, `qid` reaches a scorer by metadata routing: "
            "`sklearn.set_config(enable_metadata_routing=True)`, "
            "`scorer.set_score_request(qid=True)` and `search.fit(X, y, qid=qid)`.",
        )
    _check_same_shape(relevance.shape, scores.shape, function)
    return _cut_rows(
        _dense_labels(relevance),
        scores,
        takes_part,
        weight_of_item,
        weight,
        depth,
        gain_of,
        function,
    )


def _check_where(
    where: ArrayLike | None, scores: NDArray[Any], is_ragged: bool, function: str
) -> NDArray[np.bool_] | None:
    """Return where the items stand that take part; None: everywhere."""
    if where is None:
        return None
    if is_ragged:
        advice = "Drop the rows instead: `y_true[where]`, `y_score[where]`, `qid[where]`."
        raise invalid("where", function, "None where `qid` is given", describe(where), advice)
    takes_part = as_ndarray(where, "where", function)
    if takes_part.dtype != np.bool_:
        expected = "an array of bools, True where an item takes part"
        raise invalid("where", function, expected, f"dtype {takes_part.dtype}")
    if takes_part.shape != scores.shape:
        expected = f"of the shape of y_score, {scores.shape}"
        raise invalid("where", function, expected, f"shape {takes_part.shape}")
    return takes_part


def _check_item_weight(
    item_weight: ArrayLike | None, shape: tuple[int, ...], is_ragged: bool, function: str
) -> NDArray[Any] | None:
    """Return the weights of the items; None: all weigh 1."""
    if item_weight is None:
        return None
    weight_of_item = check_real_array(item_weight, "item_weight", function)
    if weight_of_item.shape != shape and not is_ragged:
        expected = f"of the shape of y_score, {shape}"
        raise invalid("item_weight", function, expected, f"shape {weight_of_item.shape}")
    return weight_of_item


def _check_retrieved(
    y_true: ArrayLike,
    y_score: Any,
    refused: dict[str, ArrayLike | None],
    item_weight: ArrayLike | None,
    weight: Floats | None,
    depth: int,
    gain_of: Callable[..., Floats] | None,
    function: str,
) -> Queries:
    advice = {
        "qid": "Store the scores of each query in a row, or pass 1-D scores with `qid`.",
        "labels": "Pass a dense y_score, a column for each class.",
        "where": "Store no score for the items that take no part, and give them the label 0.",
    }
    for parameter, value in refused.items():
        if value is not None:
            expected = "None where y_score is sparse"
            raise invalid(parameter, function, expected, describe(value), advice[parameter])
    scores = check_stored(y_score, "y_score", function)
    if np.ndim(y_true) == 1 and not issparse(y_true):
        expected = "2-D where y_score is sparse, a query a row"
        cure = "Beside class labels y_score must be dense: use `y_score.toarray()`."
        raise invalid("y_true", function, expected, f"shape {np.shape(y_true)}", cure)
    labels = (
        _sparse_labels(check_sparse(y_true, "y_true", function))
        if issparse(y_true)
        else _dense_labels(check_real_array(y_true, "y_true", function))
    )
    _check_same_shape(labels.shape, scores.shape, function)
    weight_of_item = _check_item_weight(item_weight, scores.shape, False, function)
    return _retrieved(labels, scores, weight_of_item, weight, depth, gain_of, function)


Rows = slice | Positions


class _Listing(NamedTuple):
    """Some cells of some rows, one row after the other, and what stands in them."""

    row: Positions
    """Which of the rows, counted from 0."""
    column: Positions
    values: NDArray[Any]

    def where(self, is_kept: NDArray[np.bool_]) -> _Listing:
        """Return those for which a bool is True."""
        return _Listing(self.row[is_kept], self.column[is_kept], self.values[is_kept])


class _Labels(NamedTuple):
    """The labels of queries that stand in rows, in whatever form they come."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    of: Callable[[Rows], NDArray[Any]]
    """All labels of some rows, 2-D."""
    at: Callable[[Rows, Positions, Positions], NDArray[Any]]
    """Those in some cells of some rows, 1-D."""
    listed: Callable[[Rows], _Listing | None]
    """Those of some rows that are not 0; None: too many for a list to be worth while."""
    n_stored: Positions | None
    """The number of labels that are stored for each query; None: all are."""


def _dense_labels(labels: NDArray[Any]) -> _Labels:
    def at(rows: Rows, row: Positions, column: Positions) -> NDArray[Any]:
        return np.asarray(labels[rows][row, column])

    def listed(rows: Rows) -> _Listing | None:
        of_rows = np.ascontiguousarray(labels[rows])
        cell = nonzero_cells(of_rows)
        if cell is None:
            return None
        return _Listing(*_row_and_column(cell, of_rows.shape[1]), of_rows.ravel()[cell])

    return _Labels(labels.shape, labels.dtype, labels.__getitem__, at, listed, None)


def _sparse_labels(labels: csr_array) -> _Labels:
    def of(rows: Rows) -> NDArray[Any]:
        return np.asarray(labels[rows].toarray())

    def at(rows: Rows, row: Positions, column: Positions) -> NDArray[Any]:
        if not row.size:  # SciPy takes no empty index
            return np.zeros(0, labels.dtype)
        of_rows = labels[rows]
        of_rows.sum_duplicates()
        return np.asarray(of_rows[row, column])

    def listed(rows: Rows) -> _Listing:
        of_rows = labels[rows]
        of_rows.sum_duplicates()
        return stored_cells(of_rows)

    return _Labels(labels.shape, labels.dtype, of, at, listed, np.diff(labels.indptr))


def _labels_of_classes(column_of_row: Positions, n_classes: int) -> _Labels:
    """Return the labels of samples, of which each has one relevant item: its class."""

    def of(rows: Rows) -> NDArray[Any]:
        return np.equal(column_of_row[rows, None], np.arange(n_classes))

    def at(rows: Rows, row: Positions, column: Positions) -> NDArray[Any]:
        return np.equal(column_of_row[rows][row], column)

    def listed(rows: Rows) -> _Listing:
        column = column_of_row[rows]
        return _Listing(np.arange(column.size), column, np.ones(column.size, dtype=bool))

    return _Labels((column_of_row.size, n_classes), np.dtype(bool), of, at, listed, None)


def _row_and_column(cell: Positions, width: int) -> tuple[Positions, Positions]:
    """Return the rows and the columns of cells of flattened rows."""
    row = cell // width
    return row, cell - row * width


def stored_cells(values: csr_array) -> _Listing:
    """Return what is stored, and where."""
    row = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
    return _Listing(row, values.indices.astype(np.intp, copy=False), np.asarray(values.data))


def _check_same_shape(labels: tuple[int, ...], scores: tuple[int, ...], function: str) -> None:
    if len(labels) != 2 or 0 in labels:
        expected = "of shape (n_queries, n_items), with at least one query and one item"
        raise invalid("y_true", function, expected, f"shape {labels}")
    if scores != labels:
        expected = f"of the shape of y_true, {labels}"
        raise invalid("y_score", function, expected, f"shape {scores}")


def _check_class_labels(
    class_of_row: NDArray[Any], scores: NDArray[Any], labels: ArrayLike | None, function: str
) -> Positions:
    """Return the column of y_score that belongs to the class of each row."""
    n_rows, n_classes = scores.shape
    if class_of_row.size != n_rows or n_rows == 0:
        expected = "1-D with a class label for each row of y_score, and not empty"
        advice = "For one query pass `y_true[None, :]`." if n_rows == 1 else ""
        got = f"shape {class_of_row.shape} with y_score of shape {scores.shape}"
        raise invalid("y_true", function, expected, got, advice)
    return _column_of_class(class_of_row, labels, n_classes, function)


def _column_of_class(
    class_of_row: NDArray[Any], labels: ArrayLike | None, n_classes: int, function: str
) -> Positions:
    """Return the column of y_score that belongs to the class of each row."""
    if labels is None:
        try:
            classes, column_of_row = np.unique(class_of_row, return_inverse=True)
        except TypeError as error:
            raise unsortable(class_of_row, "y_true", function, error) from error
        if classes.size != n_classes:
            expected = f"of {n_classes} classes, one for each column of y_score"
            advice = "Pass all of them, sorted, as `labels` if y_true misses some."
            raise invalid("y_true", function, expected, f"{classes.size} classes", advice)
        return column_of_row
    classes = check_identifiers(labels, "labels", function)
    if classes.size != n_classes:
        expected = f"{n_classes} classes, one for each column of y_score"
        raise invalid("labels", function, expected, f"{classes.size} classes")
    if classes.dtype.kind != class_of_row.dtype.kind and not (
        classes.dtype.kind in "biuf" and class_of_row.dtype.kind in "biuf"
    ):
        # As objects, or NumPy would make text of numbers, and the class 1 a match of "1".
        classes, class_of_row = classes.astype(object), class_of_row.astype(object)
    try:
        is_sorted = bool((classes[1:] > classes[:-1]).all())
        column_of_row = np.searchsorted(classes, class_of_row)
        is_known = classes.take(column_of_row, mode="clip") == class_of_row
    except TypeError as error:
        raise unsortable(classes, "labels", function, error) from error
    if not is_sorted:
        raise invalid("labels", function, "unique and sorted", describe(labels))
    if not is_known.all():
        row = int(np.argmin(is_known))
        got = f"{class_of_row[row : row + 1].tolist()[0]!r} in row {row}"
        raise invalid("y_true", function, "made of the classes in `labels`", got)
    return column_of_row


def _cut_rows(
    labels: _Labels,
    scores: NDArray[Any],
    where: NDArray[np.bool_] | None,
    item_weight: NDArray[Any] | None,
    weight: Floats | None,
    depth: int,
    gain_of: Callable[..., Floats] | None,
    function: str,
) -> Queries:
    """Return the queries that stand in the rows of 2-D scores."""
    n_queries, n_items = scores.shape
    _check_weight_of_each(weight, n_queries, function)
    is_top = is_worth_while(n_items, depth)
    may_list = is_top and _gains_nothing(gain_of, labels.dtype)
    n_rows = _queries_per_block(n_items)
    is_copied = where is not None or item_weight is not None or not _is_float(scores)
    if is_top and not is_copied and scores.flags.c_contiguous:
        n_rows = max(n_rows, min(_TOP_BLOCK_CELLS // n_items, _TOP_BLOCK_ROWS))

    def cuts() -> Iterator[Positions]:
        for start in range(0, n_queries, n_rows):
            yield np.arange(start, min(start + n_rows, n_queries))

    def takes_part(queries: Positions) -> NDArray[np.bool_] | None:
        is_item = None if where is None else where[_rows(queries)]
        if item_weight is not None:
            weights = _as_weights(item_weight[_rows(queries)])
            if not _all_weights(_items(weights, is_item)):
                row = int(np.argmin(_are_weights(weights, is_item).all(axis=1)))
                raise _not_weights(function, _name_number(int(queries[row])))
            is_item = weights > 0 if is_item is None else is_item & (weights > 0)
        return None if is_item is None or is_item.all() else is_item

    def not_finite(
        values_of: Callable[[Rows], NDArray[Any]], parameter: str
    ) -> InvalidParameterError:
        is_bad = []
        for queries in cuts():
            is_item = takes_part(queries)
            bad_cells = ~np.isfinite(values_of(_rows(queries)))
            is_bad.append((bad_cells if is_item is None else bad_cells & is_item).any(axis=1))
        bad = np.flatnonzero(np.concatenate(is_bad))
        return _not_finite(parameter, function, bad.size, n_queries, _name_number(int(bad[0])))

    def blocks() -> Iterator[Block]:
        for queries in cuts():
            yield from blocks_of(queries)

    def blocks_of(queries: Positions) -> Iterator[Block]:
        rows, is_item = _rows(queries), takes_part(queries)
        listed = labels.listed(rows) if may_list else None
        if listed is not None and is_item is not None:
            listed = listed.where(is_item[listed.row, listed.column])
        all_labels = _items(labels.of(rows), is_item) if listed is None else listed.values
        if not all_finite(all_labels):
            raise not_finite(labels.of, "y_true")
        scores_of_items = _items(scores[rows], is_item)
        if is_copied and not all_finite(scores_of_items):
            raise not_finite(scores.__getitem__, "y_score")
        padded = _as_padded(scores_of_items, is_item, (queries.size, n_items))
        try:
            cell = contenders(padded, depth, must_be_finite=not is_copied)
        except NotFiniteError:
            raise not_finite(scores.__getitem__, "y_score") from None
        if cell is None:  # as where all scores are equal
            if queries.size > _queries_per_block(n_items):
                for start in range(0, queries.size, _queries_per_block(n_items)):
                    yield from blocks_of(queries[start : start + _queries_per_block(n_items)])
                return
            if listed is not None:
                all_labels = _items(labels.of(rows), is_item)
            items = all_items(queries, all_labels, is_item)
            yield Block(queries, padded, items, items, None)
            return
        row, column = _row_and_column(cell, n_items)
        n_kept = np.bincount(row, minlength=queries.size)
        is_long = n_kept * queries.size > 4 * cell.size
        if is_long.any():  # else the many ties of one query would make all rows as long
            yield from blocks_of(queries[is_long])
            yield from blocks_of(queries[~is_long])
            return
        top = _Listing(row, column, labels.at(rows, row, column))
        ranked = _listed_items(queries, top, item_weight)
        if listed is None:
            judged = all_items(queries, all_labels, is_item)
        else:
            judged = _listed_items(queries, listed, item_weight)
        n_all = np.full(queries.size, n_items) if is_item is None else is_item.sum(axis=1)
        top_scores = _as_padded(padded.ravel()[cell], ranked.is_item, ranked.shape)
        yield Block(queries, top_scores, ranked, judged, n_all)

    def all_items(
        queries: Positions, labels: NDArray[Any], is_item: NDArray[np.bool_] | None
    ) -> Items:
        weights = None
        if item_weight is not None:
            weights = _items(_as_weights(item_weight[_rows(queries)]), is_item)
        shape = queries.size, n_items
        return Items(labels, shape, is_item, weights, _name_rows(queries, _name_number))

    longest = n_items if where is None else int(where.sum(axis=1).max())
    return Queries(n_queries, longest, longest, weight, blocks)


def _check_weight_of_each(weight: Floats | None, n_queries: int, function: str) -> None:
    if weight is not None and weight.size != n_queries:
        expected = f"of shape ({n_queries},), a weight for each query"
        raise invalid("sample_weight", function, expected, f"shape {weight.shape}")


def _with_contenders(block: Block, length: Positions, depth: int) -> Block:
    """Return a block whose ranked items are those that can stand in the first `depth` ranks.

    Before, the items of each query, `length` of them, stand side by side from the first cell on.
    """
    cell = contenders(block.scores, depth)
    if cell is None:
        return block
    items = block.ranked
    row, column = _row_and_column(cell, items.shape[1])
    item = (np.cumsum(length) - length)[row] + column
    is_item, shape = _padding(np.bincount(row, minlength=block.queries.size))
    weights = None if items.weight is None else items.weight[item]
    ranked = Items(items.labels[item], shape, is_item, weights, items.name_row)
    scores = _as_padded(block.scores.ravel()[cell], is_item, shape)
    n_all = length if block.n_all is None else block.n_all
    return block._replace(scores=scores, ranked=ranked, n_all=n_all)


def _padding(length: Positions) -> tuple[NDArray[np.bool_] | None, tuple[int, int]]:
    """Return where the items stand, in rows of so many items, and the shape of these rows."""
    width = max(int(length.max()), 1)
    shape = length.size, width
    if length.min() == width:
        return None, shape
    dtype = np.min_scalar_type(width)  # small integers are compared many at a time
    return np.arange(width, dtype=dtype) < length.astype(dtype)[:, None], shape


def _rows(queries: Positions) -> Rows:
    """Return the same rows, as a slice where they stand together."""
    first, last = int(queries[0]), int(queries[-1])
    return slice(first, last + 1) if last - first == queries.size - 1 else queries


def _listed_items(queries: Positions, listed: _Listing, item_weight: NDArray[Any] | None) -> Items:
    """Return the items in some cells of the rows of queries, whose labels are listed."""
    weights = None
    if item_weight is not None:
        weights = _as_weights(item_weight[queries[listed.row], listed.column])
    is_item, shape = _padding(np.bincount(listed.row, minlength=queries.size))
    name_row = _name_rows(queries, _name_number)
    return Items(listed.values, shape, is_item, weights, name_row)


def _name_rows(queries: Positions, name: Callable[[int], str]) -> Callable[[int], str]:
    return lambda row: name(int(queries[row]))


def _name_number(query: int) -> str:
    """Return what an error message calls the query in a row of the data."""
    return f"query {query}"


def _ragged(
    labels: NDArray[Any],
    scores: NDArray[Any],
    ids: NDArray[Any],
    item_weight: NDArray[Any] | None,
    weight: Floats | None,
    depth: int,
    function: str,
) -> Queries:
    if labels.ndim != 1 or labels.size == 0:
        expected = "1-D and not empty where `qid` is given"
        advice = "Without `qid`, each row of a 2-D array is a query." if labels.ndim > 1 else ""
        raise invalid("y_true", function, expected, f"shape {labels.shape}", advice)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    per_row = {
        "y_score": scores,
        "qid": ids,
        "item_weight": item_weight,
        "sample_weight": weight,
    }
    for parameter, values in per_row.items():
        if values is not None and values.shape != labels.shape:
            expected = f"of the shape of y_true, {labels.shape}"
            if parameter != "qid":
                expected += ", where `qid` is given"
            advice = (
                "Of a classifier of several grades take its prediction: response_method='predict'."
                if values.ndim > 1
                else ""
            )
            raise invalid(parameter, function, expected, f"shape {values.shape}", advice)
    groups = _group_rows(ids, function)
    if weight is not None:
        weight = _weight_of_query(weight, groups, function)

    def blocks() -> Iterator[Block]:
        for queries in _cut_by_length(groups.length):
            # In the order in which they stand, so that the data is read from front to back.
            yield block(queries[np.argsort(groups.first[queries])])

    def block(queries: Positions) -> Block:
        length = groups.length[queries]
        row = np.repeat(groups.first[queries] - np.cumsum(length) + length, length)
        row += np.arange(row.size)
        if groups.row is not None:
            row = groups.row.take(row)
        weights = None
        if item_weight is not None:
            weights = _as_weights(item_weight[row])
            if not _all_weights(weights):
                is_bad = ~_are_weights(_as_weights(item_weight))
                raise _not_weights(function, _name(np.unique(ids[is_bad]), 0))
            is_kept = weights > 0
            query = np.repeat(np.arange(queries.size), length)[is_kept]
            length = np.bincount(query, minlength=queries.size)
            row, weights = row[is_kept], weights[is_kept]
        labels_of_items, scores_of_items = _take(labels, row), _take(scores, row)
        for values, part, parameter in (
            (labels, labels_of_items, "y_true"),
            (scores, scores_of_items, "y_score"),
        ):
            if not all_finite(part):
                is_bad = ~np.isfinite(values)
                if item_weight is not None:
                    is_bad &= _as_weights(item_weight) > 0
                bad = np.unique(ids[is_bad])
                raise _not_finite(parameter, function, bad.size, groups.ids.size, _name(bad, 0))
        is_item, shape = _padding(length)
        name_row = _name_rows(queries, partial(_name, groups.ids))
        items = Items(labels_of_items, shape, is_item, weights, name_row)
        padded = _as_padded(scores_of_items, is_item, items.shape)
        return _with_contenders(Block(queries, padded, items, items, None), length, depth)

    longest = int(groups.length.max())
    return Queries(groups.length.size, longest, longest, weight, blocks, groups.ids)


def _take(values: NDArray[Any], row: Positions) -> NDArray[Any]:
    """Return the values of some rows."""
    # The faster of the two would copy all of an array that is strided, for every block.
    return values.take(row) if values.flags.c_contiguous else values[row]


def _cut_by_length(length: Positions) -> Iterator[Positions]:
    """Cut queries into sets, the longest of each at most twice as long as its shortest."""
    by_length = stable_order(length)
    ascending = length[by_length]
    stop = by_length.size
    while stop:
        width = int(ascending[stop - 1])
        similar = int(np.searchsorted(ascending, (width + 1) // 2))
        start = max(similar, stop - _queries_per_block(width))
        yield by_length[start:stop]
        stop = start


def _retrieved(
    labels: _Labels,
    scores: csr_array,
    item_weight: NDArray[Any] | None,
    weight: Floats | None,
    depth: int,
    gain_of: Callable[..., Floats] | None,
    function: str,
) -> Queries:
    n_queries, n_items = scores.shape
    _check_weight_of_each(weight, n_queries, function)
    n_judged, may_list = np.full(n_queries, n_items), False
    if labels.n_stored is not None and _gains_nothing(gain_of, labels.dtype):
        n_judged, may_list = labels.n_stored, True
    n_longest = np.maximum(np.maximum(np.diff(scores.indptr), n_judged), 1)
    n_left = np.full(n_queries, n_items)
    if item_weight is not None:
        n_left = _count_weights(item_weight, function)

    def taking_part(queries: Positions, listed: _Listing) -> _Listing:
        if item_weight is None:
            return listed
        return listed.where(_as_weights(item_weight[queries[listed.row], listed.column]) > 0)

    def blocks() -> Iterator[Block]:
        for queries in _cut_by_length(n_longest):
            yield block(np.sort(queries))

    def block(queries: Positions) -> Block:
        listed = labels.listed(queries) if may_list else None
        judged_labels = taking_part(queries, listed or _all_cells(labels.of(queries)))
        if not all_finite(judged_labels.values):
            raise _not_finite_in(labels, item_weight, "y_true", function)
        of_rows = scores[queries]  # a copy
        of_rows.sort_indices()
        found = stored_cells(of_rows)
        if ((np.diff(found.row) == 0) & (np.diff(found.column) == 0)).any():
            raise _stored_twice(scores, function)
        found = taking_part(queries, found)
        if not all_finite(found.values):
            raise _not_finite_in(scores, item_weight, "y_score", function)
        found_labels = found._replace(values=labels.at(queries, found.row, found.column))
        ranked = _listed_items(queries, found_labels, item_weight)
        judged = _listed_items(queries, judged_labels, item_weight)
        padded = _as_padded(found.values, ranked.is_item, ranked.shape)
        block = Block(queries, padded, ranked, judged, n_left[queries])
        return _with_contenders(block, ranked.lengths, depth)

    return Queries(n_queries, n_items, int(n_longest.max()), weight, blocks)


def _all_cells(values: NDArray[Any]) -> _Listing:
    """Return all cells of some rows, and what stands in them."""
    cell = np.arange(values.size)
    return _Listing(*_row_and_column(cell, values.shape[1]), values.reshape(-1))


def _gains_nothing(gain_of: Callable[..., Floats] | None, dtype: np.dtype[Any]) -> bool:
    """Return whether items of label 0 need not be listed: their gain is nothing, or not asked."""
    if gain_of is None:
        return True
    try:
        with np.errstate(all="ignore"):
            return not gain_of(np.zeros(1, dtype)).any()
    except Exception:  # of a caller's function, which need not know a label that no item has
        return False


def _count_weights(item_weight: NDArray[Any], function: str) -> Positions:
    """Return the number of items in each row that have a weight."""
    n_queries, n_items = item_weight.shape
    if item_weight.strides[0] == 0:  # the same row for all queries, as np.broadcast_to makes it
        item_weight = item_weight[:1]
    n_rows = _queries_per_block(n_items)
    count = np.empty(item_weight.shape[0], dtype=np.intp)
    for start in range(0, item_weight.shape[0], n_rows):
        weights = _as_weights(item_weight[start : start + n_rows])
        if not _all_weights(weights):
            row = start + int(np.argmin(_are_weights(weights).all(axis=1)))
            raise _not_weights(function, _name_number(row))
        count[start : start + n_rows] = np.count_nonzero(weights, axis=1)
    return np.broadcast_to(count, n_queries)


def _stored_twice(scores: csr_array, function: str) -> InvalidParameterError:
    stored = stored_cells(scores.sorted_indices())
    first = int(np.argmax((np.diff(stored.row) == 0) & (np.diff(stored.column) == 0)))
    return invalid(
        "y_score",
        function,
        "such that each item is stored once",
        f"item {stored.column[first]} more than once in {_name_number(int(stored.row[first]))}",
    )


def _not_finite_in(
    values: _Labels | csr_array,
    item_weight: NDArray[Any] | None,
    parameter: str,
    function: str,
) -> InvalidParameterError:
    """Return the error about values of which some that take part are not finite."""
    if isinstance(values, _Labels):
        everything = slice(0, values.shape[0])
        listed = None if values.n_stored is None else values.listed(everything)
        stored = listed or _all_cells(values.of(everything))
    else:
        stored = stored_cells(values)
    bad = stored.where(~np.isfinite(stored.values))
    if item_weight is not None:
        bad = bad.where(_as_weights(item_weight[bad.row, bad.column]) > 0)
    queries = np.unique(bad.row)
    first = _name_number(int(queries[0]))
    advice = _LEAVE_OUT_STORED[parameter]
    return _not_finite(parameter, function, queries.size, values.shape[0], first, advice)


def _items(values: NDArray[Any], is_item: NDArray[np.bool_] | None) -> NDArray[Any]:
    """Return the values of a block where an item stands, 1-D; None: everywhere."""
    return values.reshape(-1) if is_item is None else values[is_item]


def _queries_per_block(width: int) -> int:
    """Return how many queries of `width` items make a block."""
    in_wide_block = min(_WIDE_BLOCK_ROWS, _WIDE_BLOCK_CELLS // width)
    return max(_BLOCK_CELLS // width, in_wide_block, 1)


def _as_weights(values: NDArray[Any]) -> Floats:
    """Return weights as float64; a long double beyond it is infinite or 0 there."""
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float64, copy=False)


def _are_weights(
    values: NDArray[Any], where: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Return where values are weights of items, finite and not negative, or take no part."""
    are_weights = (values >= 0) & (values < np.inf)
    return are_weights if where is None else are_weights | ~where


def _all_weights(values: NDArray[Any]) -> bool:
    """Return whether all values are weights, without a temporary array."""
    return values.size == 0 or bool(values.min() >= 0 and values.max() < np.inf)


def _not_weights(function: str, name: str) -> InvalidParameterError:
    got = f"NaN, infinity or less than 0 in {name}"
    return invalid("item_weight", function, "finite and not negative", got)


_LEAVE_OUT = "Leave such items out with `where`, or drop their rows where `qid` is given."
_LEAVE_OUT_STORED = {
    "y_true": "An item that was not judged has the label 0, or none that is stored.",
    "y_score": "Do not store such items.",
}


def _not_finite(
    parameter: str,
    function: str,
    n_bad: int,
    n_queries: int,
    first: str,
    advice: str = _LEAVE_OUT,
) -> InvalidParameterError:
    return invalid(
        parameter,
        function,
        "finite",
        f"NaN or infinity in {n_bad} of {n_queries} queries, the first of them {first},",
        advice,
    )


def _is_float(scores: NDArray[Any]) -> bool:
    """Return whether scores sort as they are."""
    return bool(scores.dtype.kind == "f" and 4 <= scores.dtype.itemsize <= 8)


def _as_sortable(scores: NDArray[Any]) -> NDArray[Any]:
    """Return floats that order and tie as `scores`, which are finite, do.

    float16 becomes float32, integers become float64; those that float64 would merge, 64-bit
    ones beyond 2**53 and long doubles, become their dense ranks.
    """
    dtype = scores.dtype
    if scores.size == 0:
        return scores.astype(np.float64)
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return scores.astype(np.float32 if dtype.itemsize <= 4 else np.float64, copy=False)
    is_wide = dtype.kind == "f" or (
        dtype.itemsize == 8 and (int(scores.max()) > 2**53 or int(scores.min()) < -(2**53))
    )
    if is_wide:
        rank = np.unique(scores, return_inverse=True)[1]
        scores = rank.reshape(scores.shape)
    return scores.astype(np.float64)


def _as_padded(
    scores: NDArray[Any], is_item: NDArray[np.bool_] | None, shape: tuple[int, int]
) -> NDArray[Any]:
    """Return 1-D scores of items as floats where the items stand, and NaN elsewhere."""
    sortable = _as_sortable(scores)
    if is_item is None:
        return sortable.reshape(shape)
    padded = np.full(shape, np.nan, dtype=sortable.dtype)
    padded[is_item] = sortable
    return padded


class _Groups(NamedTuple):
    """The rows of each query, the queries in the order of `np.unique(qid)`."""

    ids: NDArray[Any]
    length: Positions
    first: Positions
    """Where the rows of each query start, in `row`."""
    row: Positions | None
    """The rows, query after query, each in the order of the data; None: rows are at `first`."""
    run_start: Positions
    """The row at which each run of equal ids starts."""
    query_of_run: Positions


def _group_rows(ids: NDArray[Any], function: str) -> _Groups:
    """Group the rows by their ids, in whatever order they stand."""
    # Runs first: data that is sorted by query, as most is, has as many runs as queries.
    starts_run = np.ones(ids.size, dtype=bool)
    np.not_equal(ids[1:], ids[:-1], out=starts_run[1:])
    run_start = np.flatnonzero(starts_run)
    try:
        unique_ids, query_of_run = _unique(ids[run_start])
    except TypeError as error:
        raise unsortable(ids, "qid", function, error) from error
    run_length = np.diff(run_start, append=ids.size)
    length = np.zeros(unique_ids.size, dtype=np.intp)
    np.add.at(length, query_of_run, run_length)
    if run_start.size == unique_ids.size:
        first = np.empty_like(length)
        first[query_of_run] = run_start
        row = None
    else:
        first = np.cumsum(length) - length
        row = stable_order(np.repeat(query_of_run, run_length))
    return _Groups(unique_ids, length, first, row, run_start, query_of_run)


def _unique(ids: NDArray[Any]) -> tuple[NDArray[Any], Positions]:
    """Return the ids, each once and sorted, and for each id which of them it is."""
    if ids.dtype.kind in "iu":
        lowest = ids.min()
        width = int(ids.max()) - int(lowest) + 1
        if width <= 4 * ids.size:  # a table of them all, which needs no sorting
            # Unsigned, or the difference of two ids might be negative in a small dtype.
            unsigned = np.dtype(f"u{ids.dtype.itemsize}")
            offset = (ids.astype(unsigned) - lowest.astype(unsigned)).astype(np.intp)
            is_id = np.zeros(width, dtype=bool)
            is_id[offset] = True
            unique_ids = np.flatnonzero(is_id).astype(unsigned) + lowest.astype(unsigned)
            return unique_ids.astype(ids.dtype), (np.cumsum(is_id) - 1)[offset]
    unique_ids, which = np.unique(ids, return_inverse=True)
    return unique_ids, which


def _weight_of_query(weight: Floats, groups: _Groups, function: str) -> Floats:
    """Return the weight that all rows of a query share."""
    of_run = weight[groups.run_start]
    of_query = np.empty(groups.length.size)
    of_query[groups.query_of_run] = of_run
    differs = weight != np.repeat(
        of_query[groups.query_of_run], np.diff(groups.run_start, append=weight.size)
    )
    if differs.any():
        row = int(np.argmax(differs))
        query = int(groups.query_of_run[np.searchsorted(groups.run_start, row, side="right") - 1])
        raise invalid(
            "sample_weight",
            function,
            "the same for all rows of a query",
            f"{of_query[query]} and {weight[row]} in {_name(groups.ids, query)}",
        )
    return of_query


def _name(ids: NDArray[Any], index: int) -> str:
    """Return what an error message calls the query of an id."""
    return f"the query with qid {ids[index : index + 1].tolist()[0]!r}"
