"""Every layout of the data becomes the same blocks of queries.

The layouts differ in how they are cut into blocks, and in nothing behind it:

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
lists
    `y_true` and `y_score` columns of lists, from pyarrow or polars; a block is a set of queries of
    similar length.

A new layout is a new file with `is_it` and `check`, and one word in `_LAYOUTS`.
"""

from __future__ import annotations

from ranking_scores._queries import _class_labels, _lists, _ragged, _retrieved, _rows
from ranking_scores._queries._blocks import Block, Items, Queries, rows_of
from ranking_scores._queries._data import Data, Need
from ranking_scores._queries._index import Indexes
from ranking_scores._queries._labels import Entries, stored_entries
from ranking_scores._queries._lists import Lists, is_list_column, n_axes, read_lists

__all__ = [
    "Block",
    "Data",
    "Entries",
    "Indexes",
    "Items",
    "Lists",
    "Need",
    "Queries",
    "check_queries",
    "is_list_column",
    "n_axes",
    "read_lists",
    "rows_of",
    "stored_entries",
]

_LAYOUTS = (_lists, _retrieved, _ragged, _class_labels, _rows)
"""The data has the first of these layouts that `is_it`."""


def check_queries(data: Data, need: Need) -> Queries:
    """Return the queries, whatever layout they come in."""
    _ = data.weight, data.indexes  # checked before anything else is read
    layout = next(each for each in _LAYOUTS if each.is_it(data))
    queries: Queries = layout.check(data, need)
    return queries
