"""The same blocks of queries from every layout of the data.

The layouts differ only in how they are cut into blocks:

dense
    `y_true` and `y_score` have the shape (n_queries, n_items). A block is a slice of rows.
ragged
    1-D rows have the id of their query in `qid`, in any order. A block is a set of queries of
    similar length. The longest is at most twice as long as the shortest, so that there is never
    more padding than data.
sparse labels
    `y_true` is a SciPy sparse matrix or array of that shape. A block is a slice of rows.
class labels
    `y_true` is 1-D and holds the class of each sample. `y_score` has the shape (n_samples,
    n_classes). A sample is a query, and its class is the one relevant item. A block is a slice of
    rows.
retrieved
    `y_score` is a SciPy sparse matrix or array that stores the retrieved items. `y_true` has the
    same shape, sparse or not. A block is a set of queries of similar length. Items that were not
    retrieved have no rank, but they are still items to be found.
by ids
    `y_true` is `DataByIds`: judgments and predictions by the ids of queries and items. They are
    read as deep as a score asks. A block is a set of queries of similar length.
by ids, over aspects
    The same, with a label of each item for each aspect of its query. It is read as the layout
    above, and each row of a block becomes one row for each aspect.
lists
    `y_true` and `y_score` are columns of lists, from pyarrow or polars. A block is a set of
    queries of similar length.

A new layout is a new file with `check`, and one condition in `layout_of`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking_scores._base import is_sparse
from ranking_scores._queries import (
    _by_ids,
    _lists,
    _over_aspects,
    _ragged,
    _retrieved,
    _rows,
)
from ranking_scores._queries._blocks import (
    Block,
    BlockItems,
    CheckedQueries,
    CountedQueries,
    OneQuery,
    RowsOfQueries,
    as_padded,
    cut_by_length,
    groups_of_lengths,
    items_in_rows,
    names_of_queries,
    padding,
    queries_per_block,
    rows_of,
    spread,
)
from ranking_scores._queries._by_ids import are_first, have_ties
from ranking_scores._queries._data import (
    Aspects,
    CallData,
    DataByIds,
    DataNeeds,
    FirstItems,
    ItemOrder,
    RetrievedColumns,
    count_items,
    is_list_column,
    is_over_aspects,
    no_scores,
    refuse_aspects,
    two_scores,
)
from ranking_scores._queries._lists import ListColumns, flatten, n_axes, read_lists
from ranking_scores._queries._over_aspects import (
    AspectExpansion,
    AspectRows,
    judgments_of_aspects,
    mean_over_aspects,
    total_of_aspects,
)
from ranking_scores._queries._query_ids import (
    QidFrom,
    by_qid,
    check_ids_of_rows,
    check_qid_from,
    cut_into_runs,
    has_ids_column,
    is_shared,
    leave_ids_out,
    n_cut_apart,
    qid_from_sizes,
    sizes_from_qid,
    take_ids,
    value_of_query,
)
from ranking_scores._queries._ragged import groups_of
from ranking_scores._queries._relevance import (
    Gain,
    Relevance,
    check_discount,
    check_gain,
    check_relevance,
    check_stop_chance,
    known_gain,
    label_order,
)
from ranking_scores._queries._rows import CellValues, stored_entries
from ranking_scores._queries._top_k_candidates import (
    SHORT_SINGLE,
    as_float32,
    extent,
    is_worth_while,
    largest,
    rows_in_cache,
)

_WITHOUT_NAMES = {str, type(None), np.ndarray, list, tuple}
"""The types of values whose rows and columns have no names."""


def check_queries(
    data: CallData, need: DataNeeds, *, may_have_aspects: bool = False
) -> CheckedQueries:
    """Return the queries of data in any layout.

    Raise if they have aspects, unless the caller makes a score of those of its aspects.
    """
    types = set(map(type, vars(data).values()))
    if isinstance(data.y_true, DataByIds):
        data = data.with_query_ids()
        types.discard(type(data.y_true))  # It has no index.
    elif data.y_score is None:
        raise no_scores(data.y_true, data.function)
    if not may_have_aspects:
        refuse_aspects(data.y_true, "y_true", data.function)
    # Weights and names are checked before anything else is read.
    if data.sample_weight is not None:
        _ = data.weight
    if not types <= _WITHOUT_NAMES:
        _ = data.indexes
    queries: CheckedQueries = layout_of(data).check(data, need)
    return queries


def layout_of(data: CallData) -> Any:
    """Return the layout of the data: the module that checks it and cuts it into blocks.

    Only the types of the parameters decide, and which of them are given. Nothing is read.
    """
    y_true, y_score = data.y_true, data.y_score
    if is_over_aspects(y_true):
        return _over_aspects
    if isinstance(y_true, DataByIds):
        return _by_ids
    if is_list_column(y_true) or is_list_column(y_score):
        return _lists
    if is_sparse(y_score):
        return _retrieved
    return _rows if data.qid is None else _ragged
