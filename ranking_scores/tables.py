"""Judgments and predictions as arrays, with the ids of their rows and columns."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._signatures import hide_types

__all__ = ["RankingData"]


def __dir__() -> list[str]:
    return __all__


class RankingData(NamedTuple):
    """Judgments and predictions in the retrieved layout, which every score takes.

    Both matrices have a row for each query and a column for each item.

    Attributes
    ----------
    y_true : scipy.sparse.csr_array of shape (n_queries, n_items)
        The labels of the items that were judged, zeros stored too.

    y_score : scipy.sparse.csr_array of shape (n_queries, n_items)
        The scores of the items that were retrieved, zeros stored too.

    query_ids : ndarray of shape (n_queries,)
        The query of each row, sorted. Ids of text are objects, each a str.

    item_ids : ndarray of shape (n_items,)
        The item of each column, sorted. Ids of text are objects, each a str.
    """

    y_true: csr_array
    y_score: csr_array
    query_ids: NDArray[Any]
    item_ids: NDArray[Any]


hide_types(globals())
