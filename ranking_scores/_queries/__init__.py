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

A new layout is a new file with `is_it` and `check`, and one word in `_LAYOUTS`.
"""

from __future__ import annotations

from ranking_scores._queries import (
    _by_ids,
    _class_labels,
    _lists,
    _over_aspects,
    _ragged,
    _retrieved,
    _rows,
)
from ranking_scores._queries._aspects import Aspects
from ranking_scores._queries._blocks import (
    Block,
    Items,
    OneQuery,
    Queries,
    as_padded,
    cut_by_length,
    items_in_rows,
    padding,
    queries_per_block,
    rows_of,
    spread,
)
from ranking_scores._queries._by_ids import are_first, have_ties
from ranking_scores._queries._contenders import (
    SHORT_SINGLE,
    as_float32,
    extent,
    is_worth_while,
    largest,
    rows_in_cache,
)
from ranking_scores._queries._data import (
    Data,
    DataByIds,
    FirstItems,
    InColumns,
    ItemOrder,
    Need,
    count_items,
    is_over_aspects,
    no_scores,
    refuse_aspects,
    two_scores,
)
from ranking_scores._queries._ids_in_x import (
    QidFrom,
    check_qid_from,
    has_ids_column,
    leave_ids_out,
    take_ids,
)
from ranking_scores._queries._labels import Entries, stored_entries
from ranking_scores._queries._lists import Lists, flatten, is_list_column, n_axes, read_lists
from ranking_scores._queries._names_of_queries import OneEach, names_of_queries
from ranking_scores._queries._over_aspects import (
    Expansion,
    Members,
    judgments_of_aspects,
    mean_over_aspects,
    total_of_aspects,
)
from ranking_scores._queries._query_ids import (
    by_qid,
    check_ids_of_rows,
    cut_into_runs,
    is_shared,
    n_cut_apart,
    qid_from_sizes,
    sizes_from_qid,
    value_of_query,
)
from ranking_scores._queries._ragged import Groups, groups_of, groups_of_lengths
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

_LAYOUTS = (_over_aspects, _by_ids, _lists, _retrieved, _ragged, _class_labels, _rows)
"""The layout of the data is the first one whose `is_it` returns True."""


def check_queries(data: Data, need: Need, *, may_have_aspects: bool = False) -> Queries:
    """Return the queries of data in any layout.

    Raise if they have aspects, unless the caller makes a score of those of its aspects.
    """
    data = data.with_query_ids()
    if not may_have_aspects:
        refuse_aspects(data.y_true, "y_true", data.function)
    _ = data.weight, data.indexes  # checked before anything else is read
    layout = next(each for each in _LAYOUTS if each.is_it(data))
    queries: Queries = layout.check(data, need)
    return queries
