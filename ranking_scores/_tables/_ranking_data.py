"""Judgments and predictions that were joined, and how functions take them in place of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import describe, invalid
from ranking_scores._tables._which_queries import QueriesSeen


class _Arrays(NamedTuple):
    y_true: csr_array
    y_score: csr_array
    query_ids: NDArray[Any]
    item_ids: NDArray[Any]


class RankingData(_Arrays):
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
    """

    queries_seen: QueriesSeen | None = None

    def with_seen(self, seen: QueriesSeen) -> RankingData:
        """Return the same data with the queries that they were chosen from."""
        data = type(self)(*self)
        data.queries_seen = seen
        return data


def arrays_of(y_true: Any, y_score: Any, query_ids: Any, function: str) -> tuple[Any, Any, Any]:
    """Return labels, scores and ids of queries, which may have come together as `RankingData`.

    Ids that the caller gives beside `RankingData` replace its own.
    """
    if isinstance(y_true, RankingData):
        if y_score is not None:
            expected = "left out, since y_true is RankingData, which has the scores"
            raise invalid("y_score", function, expected, describe(y_score))
        return y_true.y_true, y_true.y_score, y_true.query_ids if query_ids is None else query_ids
    if y_score is None:
        expected = "given, unless y_true is what `from_tables` or `from_table` returned"
        is_table = hasattr(y_true, "columns") or isinstance(y_true, Mapping)
        code = (
            "If y_true is a table, pass its columns: one for y_true, one for y_score and one for "
            "`qid`. Or pass it to `from_table`."
        )
        raise invalid("y_score", function, expected, "None", code=code if is_table else "")
    return y_true, y_score, query_ids
