"""Judgments and predictions by id, and how functions take them in place of arrays."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import PackedText, as_objects
from ranking_scores._queries import (
    Aspects,
    DataByIds,
    FirstItems,
    InColumns,
    ItemOrder,
    judgments_of_aspects,
    no_scores,
    refuse_aspects,
    spread,
    two_scores,
)
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._described import Description, described
from ranking_scores._tables._which_queries import QueriesSeen


class Arrays(NamedTuple):
    """The arrays of a call that may come as `RankingData`."""

    y_true: Any
    y_score: Any
    query_ids: Any
    order: ItemOrder | None


class JudgedItems(NamedTuple):
    """The judged items of all queries, each once."""

    query: Positions
    """The number of the query of each item."""
    item: NDArray[np.integer[Any]]
    """The index of each item among the ids."""
    item_ids: NDArray[Any] | PackedText
    labels: NDArray[Any]
    aspect: NDArray[Any] | None = None
    """The name of the aspect of each item, which is there once for each of them; None: queries
    have no aspects."""


class Read(NamedTuple):
    """The items that count if only the first ranks do."""

    depth: int
    """The last of these ranks."""
    first: FirstItems
    judged: JudgedItems


_NO_Y_TRUE = (
    "RankingData over aspects has no y_true, since an item has a label for each aspect. Pass the "
    "data itself to scores and to `ranking_report`."
)


class Source(Protocol):
    """Where judgments and predictions come from, as a caller has them."""

    @property
    def came_from(self) -> str:
        """The form in which a caller has them."""

    def read(self, depth: int) -> Read | None:
        """Return the items that count if only the ranks up to `depth` do; None: read arrays."""

    def in_arrays(self) -> RankingData:
        """Return all judgments and predictions as arrays."""


class RankingData(DataByIds):
    """Judgments and predictions that were joined by the ids of queries and items.

    Scores and the functions that take `y_true` and `y_score` take it in place of both. They read
    it as deep as they need. ``print(data)`` reads all of it, and shows what is in it.

    It is also a tuple of four arrays in the retrieved layout, which are made when they are first
    used: ``y_true, y_score, query_ids, item_ids = data``. Both matrices have one row per query and
    one column per item. With ``aspects=True`` an item has a label for each aspect of its query, so
    there is no `y_true`, and the data is no tuple.

    Parameters
    ----------
    y_true, y_score, query_ids, item_ids : arrays
        The four arrays.

    Attributes
    ----------
    y_true : scipy.sparse.csr_array of shape (n_queries, n_items)
        The grades of the items that were judged, including stored zeros.

    y_score : scipy.sparse.csr_array of shape (n_queries, n_items)
        The scores of the items that were predicted, including stored zeros.

    query_ids : ndarray of shape (n_queries,)
        The query of each row, sorted by value.

    item_ids : ndarray of shape (n_items,)
        The item of each column, sorted by value. If there are columns that only fill gaps between
        ranks, they come last, their id is None, and the array has dtype object.

    queries_seen : QueriesSeen or None
        The number of queries that were judged, predicted or both, and the first ids of those that
        were only one of them. Printed, it says which queries are left out or count 0. It is None
        if the data was not made by a function of this package.

    notes : tuple of str
        What was taken for what, and what was skipped, when the data was read: the columns that
        were found by their names, and lines of files that do not count. Empty if nothing was.

    prediction_order : ndarray of shape (y_score.nnz,) or None
        The order in which the predictions came: a whole number for each value of `y_score.data`.
        The numbers of a query grow from its first prediction to its last, and then through the
        items that fill gaps between ranks. With ``duplicates="best"``, an item has the number of
        the first of its predictions. It is None if the predictions of each query came in the
        order of the columns, or if the data was not made by a function of this package.
    """

    _fields: ClassVar[tuple[str, ...]] = ("y_true", "y_score", "query_ids", "item_ids")

    def __init__(self, y_true: Any, y_score: Any, query_ids: Any, item_ids: Any) -> None:
        self.query_ids = query_ids
        self.queries_seen: QueriesSeen | None = None
        self.notes: tuple[str, ...] = ()
        self._columns: InColumns | None = InColumns(
            y_true, y_score, ItemOrder(item_ids, None, None, query_ids)
        )
        self._is_listed: NDArray[np.bool_] | None = None
        self._has_query_ids = True
        self._source: Source | None = None
        self._read: Read | None = None
        self._places: RankingData | None = None
        self._judged: JudgedItems | None = None

    @classmethod
    def from_source(
        cls,
        source: Source,
        query_ids: NDArray[Any],
        seen: QueriesSeen,
        is_listed: NDArray[np.bool_],
        *,
        notes: tuple[str, ...] = (),
        has_query_ids: bool = True,
        judged: JudgedItems | None = None,
    ) -> Self:
        """Return data that is read when a score asks.

        `is_listed` says which queries have a list of predictions, even an empty one. Without
        `has_query_ids`, the ids are the places of lists. `judged` are the judged items, if the
        labels depend on the predictions, too. None: they are the items with a label.
        """
        data = cls(None, None, query_ids, None)
        data._columns, data._source, data.queries_seen, data.notes = None, source, seen, notes
        data._is_listed, data._has_query_ids, data._judged = is_listed, has_query_ids, judged
        return data

    @property
    def y_true(self) -> csr_array:
        """The grades of the items that were judged."""
        return self.in_columns().y_true

    @property
    def y_score(self) -> csr_array:
        """The scores of the items that were predicted."""
        return self.places.in_columns().y_score

    @property
    def item_ids(self) -> NDArray[Any]:
        """The item of each column."""
        return self.places.in_columns().order.item_ids

    @property
    def prediction_order(self) -> NDArray[np.integer[Any]] | None:
        """The order in which the predictions came."""
        return self.places.in_columns().order.row

    def __repr__(self) -> str:
        return str(self._described())

    def _repr_html_(self) -> str:
        return self._described().in_html()

    def _described(self) -> Description:
        """Return what is in the data, all of which is read."""
        came_from = "arrays" if self._source is None else self._source.came_from
        columns = self.places.in_columns()
        return described(columns, self.queries_seen, came_from, self.notes, self.aspects)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.y_true, self.y_score, self.query_ids, self.item_ids))

    def __len__(self) -> int:
        return len(self._fields)

    def __getitem__(self, key: Any) -> Any:
        return tuple(self)[key]

    def first_items(self, depth: int) -> FirstItems | None:
        """Return the items that count if only the ranks up to `depth` do; None: read arrays."""
        read = self._read_to(depth)
        return None if read is None else read.first

    def judged_items(self) -> JudgedItems:
        """Return the judged items, with their ids and labels, once for each aspect."""
        if self.aspects is not None:
            judged = self.places.judged_items()
            row, aspect, labels = judgments_of_aspects(self.aspects, judged.query, judged.labels)
            query, item = judged.query[row], judged.item[row]
            return JudgedItems(query, item, judged.item_ids, labels, aspect)
        if self._judged is not None:
            return self._judged
        read = self._read_to(1)
        if read is not None:
            return read.judged
        labels = csr_array(self.y_true)
        query = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
        return JudgedItems(query, labels.indices, self.item_ids, labels.data)

    def _read_to(self, depth: int) -> Read | None:
        """Return what was read, if it was read deep enough, or read it; None: read arrays."""
        if self._read is not None and self._read.depth >= depth:
            return self._read
        if self._columns is not None or self._source is None:  # the arrays are there
            return None
        read = self._source.read(depth)
        self._read = read or self._read
        return read

    def in_columns(self) -> InColumns:
        """Return labels and scores as arrays, with the ids of their columns."""
        if self.aspects is not None:  # which the arrays would not tell
            raise AttributeError(_NO_Y_TRUE)
        if self._columns is None and self._source is not None:
            y_true, y_score, order = self._source.in_arrays().in_columns()
            query_ids = self.query_ids if self._has_query_ids else None
            order = order._replace(query_ids=query_ids, is_listed=self._is_listed)
            self._columns = InColumns(y_true, y_score, order)
        assert self._columns is not None
        return self._columns

    @property
    def places(self) -> RankingData:
        """The data whose labels are places in `aspects`, or this data if queries have none."""
        return self if self._places is None else self._places

    def in_rows_of_aspects(self, aspects: Aspects, numbers: Positions) -> Arrays:
        """Return arrays with a row for each aspect of some queries, whose ids are (query, aspect).

        Labels that nobody gave are not stored.
        """
        columns = self.places.in_columns()
        n_aspects = aspects.n_aspects[numbers]
        aspect, row = spread(aspects.first[numbers], n_aspects), np.repeat(numbers, n_aspects)
        places = csr_array(columns.y_true)[row]
        of_item = np.repeat(np.arange(row.size), np.diff(places.indptr))
        labels, is_judged = aspects.labels_at(aspect[of_item], places.data.astype(np.intp))
        at = of_item[is_judged], places.indices[is_judged]
        names = map(aspects.names.__getitem__, aspect.tolist())
        ids = zip(self.query_ids[row].tolist(), names, strict=True)
        y_true = csr_array((labels[is_judged], at), shape=places.shape)
        return Arrays(y_true, csr_array(columns.y_score)[row], as_objects([*ids]), None)

    def over_aspects(self, aspects: Aspects) -> RankingData:
        """Return data over aspects of the queries, in which the labels of this one are places."""
        data = copy(self)
        data.aspects, data._places = aspects, self
        return data

    def with_order(
        self, row: NDArray[np.integer[Any]] | None, repeats: NDArray[np.integer[Any]] | None
    ) -> Self:
        """Return the same arrays with the order of the predictions, as in `ItemOrder`."""
        y_true, y_score, order = self.in_columns()
        new = self._replace()
        new._columns = InColumns(y_true, y_score, order._replace(row=row, repeats=repeats))
        return new

    def with_labels(self, y_true: csr_array) -> Self:
        """Return the same data with other labels of the judged items."""
        new = self._replace()
        new._columns = self.in_columns()._replace(y_true=y_true)
        new.queries_seen, new.notes = self.queries_seen, self.notes
        return new

    def _replace(self, **arrays: Any) -> Self:
        """Return new data with other arrays in place of some, as that of a named tuple does."""
        new = type(self)(**dict(zip(self._fields, self, strict=True)) | arrays)
        if self.in_columns().order.query_ids is None and "query_ids" not in arrays:
            y_true, y_score, order = new.in_columns()
            new._columns = InColumns(y_true, y_score, order._replace(query_ids=None))
        return new


def arrays_of(y_true: Any, y_score: Any, query_ids: Any, function: str) -> Arrays:
    """Return labels, scores and ids of queries, which may have come together as `RankingData`.

    Ids that the caller gives beside `RankingData` replace its own. Raise if queries have aspects.
    """
    refuse_aspects(y_true, "y_true", function)
    if isinstance(y_true, RankingData):
        if y_score is not None:
            raise two_scores(y_score, function)
        ids = y_true.query_ids if query_ids is None else query_ids
        columns = y_true.in_columns()
        return Arrays(columns.y_true, columns.y_score, ids, columns.order)
    if y_score is None:
        raise no_scores(y_true, function)
    return Arrays(y_true, y_score, query_ids, None)
