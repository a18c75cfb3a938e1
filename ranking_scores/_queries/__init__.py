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
