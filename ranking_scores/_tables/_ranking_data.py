"""Judgments and predictions that were joined, and how functions take them in place of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import describe, invalid
from ranking_scores._queries import ItemOrder
from ranking_scores._tables._which_queries import QueriesSeen


class Arrays(NamedTuple):
    """The arrays of a call that may come as `RankingData`."""

    y_true: Any
    y_score: Any
    query_ids: Any
    order: ItemOrder | None


class _FourArrays(NamedTuple):
    y_true: csr_array
    y_score: csr_array
    query_ids: NDArray[Any]
    item_ids: NDArray[Any]


class RankingData(_FourArrays):
    """Judgments and predictions as arrays in the retrieved layout.

    A named tuple of four arrays. Both matrices have one row per query and one column per item.

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
        if the tuple was not made by a function of this package.

    prediction_order : ndarray of shape (y_score.nnz,) or None
        The order in which the predictions came: a whole number for each value of `y_score.data`.
        The numbers of a query grow from its first prediction to its last, and then through the
        items that fill gaps between ranks. With ``duplicates="best"``, an item has the number of
        the first of its predictions. It is None if the predictions of each query came in the
        order of the columns, or if the tuple was not made by a function of this package.
    """

    queries_seen: QueriesSeen | None = None
    prediction_order: NDArray[np.integer[Any]] | None = None
    _repeats: NDArray[np.integer[Any]] | None = None
    """See `ItemOrder`."""

    def __arguments__(self) -> Arrays:
        """Return the arguments of scores that take such data in place of arrays."""
        order = ItemOrder(self.item_ids, self.prediction_order, self._repeats)
        return Arrays(self.y_true, self.y_score, self.query_ids, order)

    def with_seen(self, seen: QueriesSeen) -> RankingData:
        """Return the same data with the queries that they were chosen from."""
        return _with(self, queries_seen=seen)

    def with_order(
        self, row: NDArray[np.integer[Any]] | None, repeats: NDArray[np.integer[Any]] | None
    ) -> RankingData:
        """Return the same data with the order of the predictions, as in `ItemOrder`."""
        return _with(self, prediction_order=row, _repeats=repeats)


def _with(data: RankingData, **attributes: Any) -> RankingData:
    """Return data with some attributes beside its own. The tuple holds none of them."""
    new = type(data)(*data)
    vars(new).update(vars(data) | attributes)
    return new


def arrays_of(y_true: Any, y_score: Any, query_ids: Any, function: str) -> Arrays:
    """Return labels, scores and ids of queries, which may have come together as `RankingData`.

    Ids that the caller gives beside `RankingData` replace its own.
    """
    if isinstance(y_true, RankingData):
        if y_score is not None:
            expected = "left out, since y_true is RankingData, which has the scores"
            raise invalid("y_score", function, expected, describe(y_score))
        arguments = y_true.__arguments__()
        return arguments if query_ids is None else arguments._replace(query_ids=query_ids)
    if y_score is None:
        expected = "given, unless y_true is what `from_tables` or `from_table` returned"
        is_table = hasattr(y_true, "columns") or isinstance(y_true, Mapping)
        code = (
            "If y_true is a table, pass its columns: one for y_true, one for y_score and one for "
            "`qid`. Or pass it to `from_table`."
        )
        raise invalid("y_score", function, expected, "None", code=code if is_table else "")
    return Arrays(y_true, y_score, query_ids, None)
