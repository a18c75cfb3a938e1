"""Retrieved items, from the results of search engines and indices to the input of scores."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import Place, invalid
from ranking_scores._base._index import Indexes
from ranking_scores._base._sorting import sort_ints
from ranking_scores._base._validation import (
    advises_on_keywords,
    as_csr,
    as_ndarray,
    check_bool,
    check_option,
    check_real_array,
    check_sparse,
    csr_array,
    describe,
    is_sparse,
    renamed,
    supported_by_scipy,
    without_last_axis,
)
from ranking_scores._queries._top_k_candidates import extent, rows_in_cache
from ranking_scores._tables._join import DUPLICATES
from ranking_scores._tables._lists_of_ids import do_rise
from ranking_scores.exceptions import InvalidParameterError

_LOWEST = -3.3895313892515355e38
"""The lowest bfloat16. The lowest float32 is a little lower. No item has such a score."""

_BLOCK_CELLS = 2**15
"""The number of ids that are sorted at once: a few arrays of them stay in the cache."""


@advises_on_keywords
def retrieved_from_ids(
    ids: ArrayLike,
    item_scores: ArrayLike | None = None,
    *,
    n_items: int,
    exclude: Any = None,
    duplicates: Literal["error", "best", "hold"] = "error",
    drop_self: bool = False,
    scores: ArrayLike | None = None,
) -> csr_array:
    """Make sparse scores from the items that were retrieved for each query.

    Search engines, vector indices and recommenders return the ids of the items that they found for
    each query, in order from the best down, or with their scores. This function turns them into a
    `y_score` for the scores of this package. Items that were not retrieved have no rank in it.

    Parameters
    ----------
    ids : array-like of int of shape (n_queries, n_retrieved)
        The items retrieved for each query. An id is the column of the item in `y_true`, from 0 to
        ``n_items - 1``. No item may be twice in a row, unless `duplicates` says otherwise. -1
        means no item: it fills the rows of queries for which fewer items were found. It comes at
        the end of the row, or anywhere in it if there are `item_scores`.

    item_scores : array-like of shape (n_queries, n_retrieved), default=None
        The score of each of these items. The highest score is the best, and the ids may be in any
        order. Scores are bools, ints or floats of any width. None: the ids are ranked in their
        order.

        A very low float means that the item was not retrieved, as if its id were -1. In a float16
        array this is -65504 or less. In other arrays it is the lowest bfloat16 (-3.3895e38) or
        less, which includes the lowest float32 and -inf. The id of such an item may repeat an id
        before it in the row. The scores of all other items are finite.

        If both `ids` and `item_scores` are frames of pandas, they have the same index.

    n_items : int
        The number of all items, retrieved or not. This is the number of columns of `y_true`.

    exclude : sparse or array-like of bool of shape (n_queries, n_items), default=None
        The items to leave out for each query, such as those that a user has seen. They count as
        not retrieved, and the items below them move up. In a SciPy sparse matrix, these are the
        stored values that are not 0, of any dtype. Give such items the label 0 in `y_true`, too:
        otherwise relevant ones count as missed.

    duplicates : {"error", "best", "hold"}, default="error"
        What happens if an item is in a row twice:

        - "error": an error.
        - "best": the item counts once, at its best place. Its other places vanish, and the items
          below them move up.
        - "hold": the item counts once, in one of its places with the highest score. Its other
          places stay and are not relevant. They get columns behind the first `n_items`, and
          `y_true` needs as many columns: ``y_true.resize(y_score.shape)`` adds them to a sparse
          array.

    drop_self : bool, default=False
        Whether the item with the number of its row is dropped, if the queries are the items
        themselves: each item finds itself first if all of them search the index that they are in.
        The items below it move up, as if it had not been retrieved. There must be as many rows as
        items. The number of stored values, ``y_score.nnz``, says how many were dropped.

    scores : array-like of shape (n_queries, n_retrieved), default=None
        The old name of `item_scores`, until version 0.4.

    Returns
    -------
    y_score : scipy.sparse.csr_array of shape (n_queries, n_items)
        The scores of the retrieved items. Scores of 0 are stored, too, and the items of a query
        are in the order of their columns. With ``duplicates="hold"`` there may be more columns.
        If there are only `ids`, the array stores them as they are until something else than a
        score asks for its values, since most scores need no columns.
        Without `item_scores`, the first id of a row has the score
        ``n_retrieved``, and each id after it has 1 less. float16 becomes float32, since SciPy has
        no sparse arrays of float16.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. The error is of both types, as in scikit-learn. It
        names the parameter, the values that it accepts, the value that it got, and the first query
        concerned.

    Warns
    -----
    UserWarning
        If the scores rise from the first item to the last in every row, as distances do, and that
        can hardly be chance.

    See Also
    --------
    ndcg_score : Accepts the result as `y_score`.
    from_lists : Takes lists of ids of any kind, of any length.

    Notes
    -----
    Small distances are better than large ones, so pass ``-distance``. Without the minus the
    ranking is upside down.

    Pass the results of FAISS and of implicit as follows::

        distances, ids = index.search(queries, k)                  # FAISS
        retrieved_from_ids(ids, distances, n_items=index.ntotal)   # an index of inner products
        retrieved_from_ids(ids, -distances, n_items=index.ntotal)  # an index of L2 distances

        ids, scores = model.recommend(users, user_items[users], N=k)  # implicit, k <= n_items
        retrieved_from_ids(ids, scores, n_items=n_items)

    Examples
    --------
    There are five items. The second and the fourth are relevant to the first query, for which two
    items were found. For the second query only one item was found:

    >>> from ranking_scores import ndcg_score, retrieved_from_ids
    >>> y_true = [[0, 1, 0, 1, 0], [0, 0, 2, 0, 0]]
    >>> y_score = retrieved_from_ids([[3, 0], [2, -1]], n_items=5)
    >>> y_score.toarray()
    array([[1, 0, 0, 2, 0],
           [0, 0, 2, 0, 0]])
    >>> ndcg_score(y_true, y_score, k=2, average=None)
    array([0.61314719, 1.        ])

    With scores, items can tie. A score of 0 is a score like any other:

    >>> y_score = retrieved_from_ids([[3, 0], [2, -1]], [[0.0, 0.0], [-1.5, 0.0]], n_items=5)
    >>> y_score.nnz
    3
    >>> ndcg_score(y_true, y_score, k=2, average=None)
    array([0.5, 1. ])

    An item with a score of minus infinity was not retrieved:

    >>> y_score = retrieved_from_ids([[3, 0, 1]], [[0.5, float("-inf"), 0.2]], n_items=5)
    >>> y_score.toarray()
    array([[0. , 0.2, 0. , 0.5, 0. ]])
    >>> y_score.nnz
    2

    Items that users have seen:

    >>> from scipy.sparse import csr_array, issparse
    >>> seen = csr_array([[0, 1, 0, 0, 0], [0, 0, 0, 0, 1]])
    >>> retrieved_from_ids([[1, 0, 3], [4, 2, 0]], n_items=5, exclude=seen).toarray()
    array([[2, 0, 0, 1, 0],
           [1, 0, 2, 0, 0]])
    """
    function = "retrieved_from_ids"
    is_int = isinstance(n_items, Integral) and not isinstance(n_items, bool)
    if not is_int or not 1 <= int(n_items) < 2**63:
        raise invalid("n_items", function, "an int from 1 to 2**63 - 1", describe(n_items))
    n_columns = int(n_items)
    item_scores = renamed("scores", scores, "item_scores", item_scores, function)
    check_option(duplicates, "duplicates", function, DUPLICATES)
    # The columns of the ids and of their scores have different names.
    indexes = Indexes(function, has_columns=True, may_be_renamed=True)
    indexes.check("ids", ids)
    indexes.check("item_scores", item_scores)
    items, all_found = _check_ids(ids, n_columns, function, copies=item_scores is None)
    drops_self = check_bool(drop_self, "drop_self", function)
    if drops_self and len(items) != n_columns:
        expected = "False unless the queries are the items, so that there are as many rows of ids"
        code = "Pass the items to leave out for each row as `exclude`."
        got = f"True for {len(items)} rows and {n_columns} items"
        raise invalid("drop_self", function, expected, got, code=code)
    is_item = None if all_found else items >= 0
    score, is_found = None, is_item
    if item_scores is not None:
        score, is_found = _check_scores(item_scores, items.shape, is_item, function)
        found = score if is_found is None else map(np.compress, is_found, score)
        do_rise(found, function)
    elif is_item is not None:
        _check_order(items, is_item, function)
    if exclude is not None:
        is_seen = _are_excluded(exclude, items, n_columns, function)
        if hasattr(exclude, "iloc"):  # Only its rows are those of the ids.
            indexes.check("exclude", exclude.iloc[:, 0])
        is_found = ~is_seen if is_found is None else is_found & ~is_seen
    if drops_self:
        is_other = items != np.arange(len(items))[:, None]
        is_found = is_other if is_found is None else is_found & is_other
    if is_found is not None and is_found is not is_item:
        if duplicates == "error":
            _check_left_out(items, is_found, n_columns)
        items = np.where(is_found, items, -1)
    if duplicates != "error":
        items, n_held = _with_each_once(items, score, n_columns, holds=duplicates == "hold")
        n_columns += n_held
        is_found = items >= 0
    elif score is None and is_found is is_item:
        from ranking_scores._tables._ranked_ids import RankedIds  # here, as it loads SciPy

        _check_each_once(items)
        return RankedIds.of(items, n_columns, _all_as_scores)
    return _as_scores(items, score, is_found, n_columns)


def _check_each_once(items: NDArray[Any]) -> None:
    """Raise if an item is in a row twice."""
    for rows in rows_in_cache(items, is_copied=True) if items.size else ():
        in_order = np.sort(items[rows], axis=1)
        flat = in_order.ravel()
        if (flat[1:] == flat[:-1]).any():  # perhaps -1, or items of two rows
            is_repeated = in_order[:, 1:] == in_order[:, :-1]
            for row, at in np.argwhere(is_repeated & (in_order[:, 1:] >= 0))[:1]:
                raise _repeated(in_order[row, at], rows.start + row)


def _all_as_scores(items: NDArray[Any], n_items: int) -> csr_array:
    """Return sparse scores that fall from place to place, of all items but -1."""
    is_found = items >= 0
    return _as_scores(items, None, None if is_found.all() else is_found, n_items)


def _as_scores(
    items: NDArray[np.int64],
    score: NDArray[Any] | None,
    is_found: NDArray[np.bool_] | None,
    n_items: int,
) -> csr_array:
    """Return sparse scores, the items of each row in the order of their columns.

    Without scores, the scores fall from place to place. Items that are not found are -1.
    `is_found` is None if all items are found.
    """
    n_queries, n_retrieved = items.shape
    n_found = np.full(n_queries, n_retrieved)
    if is_found is not None:
        n_found = np.count_nonzero(is_found, axis=1)
    n_stored = int(n_found.sum())
    dtype = np.dtype(np.int32 if max(n_queries, n_items, n_stored) < 2**31 else np.int64)
    column = np.empty(n_stored, dtype)
    value = np.empty(n_stored, np.int64 if score is None else score.dtype)
    stop = 0
    for rows in _blocks_of_rows(items):
        place, in_order = sort_ints(items[rows], n_items, without_negative=is_found is not None)
        stored = slice(stop, stop := stop + place.size)
        item = in_order.ravel()
        is_repeated = item[1:] == item[:-1]
        if is_repeated.any():  # the last of a row and the first of the next may be the same
            row = np.repeat(np.arange(len(n_found[rows])), n_found[rows])
            for first in np.flatnonzero(is_repeated & (row[1:] == row[:-1]))[:1]:
                raise _repeated(item[first], rows.start + row[first])
        column[stored] = item
        if score is None:
            np.subtract(n_retrieved, place.ravel(), out=value[stored])
            continue
        start_of_row = n_retrieved * np.arange(len(items[rows]))
        if is_found is None:
            place = place + start_of_row[:, None]
        else:
            place = place + np.repeat(start_of_row, n_found[rows])
        # "clip" lets NumPy write to `out` at once; all places are there
        score[rows].take(place.ravel(), out=value[stored], mode="clip")
    starts = np.append(0, np.cumsum(n_found)).astype(dtype)
    scores = as_csr((value, column, starts), shape=(n_queries, n_items))
    scores.has_sorted_indices = True
    return scores


def _blocks_of_rows(items: NDArray[np.int64], most: int = _BLOCK_CELLS) -> Iterator[slice]:
    """Yield slices of rows whose items stay in the cache, and of at most so many rows."""
    n_rows = max(min(_BLOCK_CELLS // max(items.shape[1], 1), most), 1)
    for first in range(0, len(items), n_rows):
        yield slice(first, first + n_rows)


def _check_left_out(items: NDArray[np.int64], is_found: NDArray[np.bool_], n_items: int) -> None:
    """Raise if a found item is in a row twice. An item that is not found may repeat another."""
    for rows in _blocks_of_rows(items):
        place, in_order = sort_ints(items[rows], n_items)
        is_repeated = in_order[:, 1:] == in_order[:, :-1]
        is_repeated &= np.take_along_axis(is_found[rows], place, axis=1)[:, 1:]
        for row, at in np.argwhere(is_repeated)[:1]:
            raise _repeated(in_order[row, at], rows.start + row)


def _with_each_once(
    items: NDArray[np.int64], score: NDArray[Any] | None, n_items: int, *, holds: bool
) -> tuple[NDArray[np.int64], int]:
    """Return items with -1 at all places of an item but its best one.

    If `holds`, new items are at these places. Also return the number of new items.
    """
    items, n_held = items.copy(), 0
    for rows in _blocks_of_rows(items):
        place, in_order = sort_ints(items[rows], n_items)
        is_repeated = np.zeros(in_order.shape, dtype=bool)
        is_repeated[:, 1:] = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)
        is_one_of_several = is_repeated.copy()
        is_one_of_several[:, :-1] |= is_repeated[:, 1:]
        row, at = np.nonzero(is_one_of_several)
        item, at = in_order[row, at], place[row, at]
        value = -at if score is None else score[rows][row, at]
        order = np.lexsort((value, item, row))  # the best place of each item comes last
        row, item, at = row[order], item[order], at[order]
        is_other = np.zeros(row.size, dtype=bool)
        is_other[:-1] = (item[1:] == item[:-1]) & (row[1:] == row[:-1])
        row, at = row[is_other], at[is_other]
        number = np.arange(row.size) - np.searchsorted(row, row)
        items[rows.start + row, at] = n_items + number if holds else -1
        n_held = max(n_held, int(number.max(initial=-1)) + 1) if holds else 0
    return items, n_held


def _are_excluded(
    exclude: Any, items: NDArray[np.int64], n_items: int, function: str
) -> NDArray[np.bool_]:
    """Return which items the caller excludes."""
    shape = (items.shape[0], n_items)
    is_matrix = is_sparse(exclude)
    excluded: Any = (
        check_sparse(exclude, "exclude", function)
        if is_matrix
        else as_ndarray(exclude, "exclude", function)
    )
    if excluded.shape != shape:
        expected = f"of shape {shape}, with a column for each item"
        raise invalid("exclude", function, expected, f"shape {excluded.shape}")
    if not is_matrix and excluded.dtype != bool:
        expected = "bool, or a SciPy sparse matrix"
        raise invalid("exclude", function, expected, f"dtype {excluded.dtype}")
    is_excluded = items >= 0
    for rows in _blocks_of_rows(items, most=2**62 // n_items):
        row, item = np.arange(len(items[rows]))[:, None], items[rows]
        if not is_matrix:
            is_excluded[rows] &= excluded[rows][row, item]
            continue
        part = excluded[rows]
        row_of_stored = np.repeat(row.ravel(), np.diff(part.indptr))
        cell = (row_of_stored * n_items + part.indices)[part.data != 0]
        cell.sort()
        place = np.searchsorted(cell, row * n_items + item)
        is_excluded[rows] &= np.append(cell, -1)[place] == row * n_items + item
    return is_excluded


def _repeated(item: int, query: int) -> InvalidParameterError:
    expected, got = "an array without repeated items in a row", f"item {item} more than once"
    advice = "Keep the item at its best place, and use -1 for places without an item."
    code = "Or pass duplicates='best', which does so, or duplicates='hold', which keeps the other "
    code += "places as those of items that are not relevant."
    place = Place(query=int(query))
    return invalid("ids", "retrieved_from_ids", expected, got, advice, code=code, place=place)


def _check_ids(
    ids: ArrayLike, n_items: int, function: str, *, copies: bool
) -> tuple[NDArray[Any], bool]:
    """Return the ids of items, with -1 for no item, and whether every place has an item.

    If `copies`, the ids are in a new array, of 32 bits if these are enough.
    """
    items = as_ndarray(ids, "ids", function)
    if items.dtype == object:  # A frame of nullable ints becomes it.
        items = as_ndarray(items.tolist(), "ids", function)
    if items.dtype.kind not in "iu" and items.size:
        expected = "an array of ints: the column of each item, or -1 for no item"
        code = "Number the items by their columns in y_true, from 0 on."
        if items.dtype.kind == "f":
            code = "Use -1 instead of NaN for places without an item, and then .astype(int)."
            if (items > np.floor(items)).any():
                code = "Are ids and scores swapped?"
        raise invalid("ids", function, expected, f"dtype {items.dtype}", code=code)
    if items.ndim != 2:
        expected = "of shape (n_queries, n_retrieved)"
        code = without_last_axis("ids", items.shape, 2)
        if items.ndim == 1:
            code = "For one query pass `[ids]`, or `np.asarray(ids)[None, :]` for an array."
        raise invalid("ids", function, expected, f"shape {items.shape}", code=code)
    items = items.astype(items.dtype.newbyteorder("="), copy=False)
    least = largest = 0
    is_small = n_items + items.shape[1] < 2**31  # there may be as many new items
    copy = np.empty(items.shape if copies else 0, np.int32 if is_small else np.int64)
    for rows in rows_in_cache(items) if items.size else ():
        part = items[rows]
        # As unsigned ints, negative ids are the largest, so one look finds all bad ids.
        if part.view(f"u{part.itemsize}").max() >= n_items:
            least, largest = min(least, part.min()), max(largest, part.max())
        if copies:
            copy[rows] = part
    if least < -1 or largest >= n_items:
        in_range = (items >= -1) & (items < n_items)
        query, place = np.argwhere(~in_range)[0]
        expected = f"an array of columns from 0 to {n_items - 1}, or -1 for no item"
        got, where = str(items[query, place]), Place(query=int(query))
        raise invalid("ids", function, expected, got, place=where)
    return copy if copies else items.astype(np.int64, copy=False), least == 0


def _check_order(items: NDArray[np.int64], is_item: NDArray[np.bool_], function: str) -> None:
    """Raise if a -1 is before an id, so that the rank of the id is unclear."""
    is_gap = is_item[:, :-1] < is_item[:, 1:]
    if is_gap.any():
        query, place = np.argwhere(is_gap)[0].tolist()
        expected = "an array with -1 only after the items of a row, unless `item_scores` are given"
        got, where = (
            f"-1 before item {items[query, place + 1]}",
            Place(position=place, query=query),
        )
        code = "Move each -1 to the end of its row, or pass `item_scores`, which allow any order."
        raise invalid("ids", function, expected, got, code=code, place=where)


def _check_scores(
    scores: ArrayLike, shape: tuple[int, ...], is_item: NDArray[np.bool_] | None, function: str
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the scores, in a dtype that SciPy's sparse arrays have, and where an item was found.

    Recommenders give the lowest float to the items that they leave out.
    """
    score = check_real_array(scores, "item_scores", function)
    if score.shape != shape:
        raise invalid(
            "item_scores", function, f"of the shape of ids, {shape}", f"shape {score.shape}"
        )
    is_found = is_item
    if score.dtype.kind == "f" and score.size:
        lowest = np.finfo(np.float16).min if score.itemsize == 2 else _LOWEST
        least, largest = extent(score)
        if not (least > lowest and largest < np.inf):  # NaN is neither
            is_found = score > lowest
            is_found |= np.isnan(score)
            if is_item is not None:
                is_found &= is_item
            is_wrong = is_found & ~np.isfinite(score)
            if is_wrong.any():
                query, place = np.argwhere(is_wrong)[0]
                expected = "finite for each item, or -inf if it was not retrieved"
                got, where = str(score[query, place]), Place(query=int(query))
                raise invalid("item_scores", function, expected, got, place=where)
    return score.astype(supported_by_scipy(score.dtype), copy=False), is_found
