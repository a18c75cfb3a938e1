"""The items that can be among the first ranks, found in little more than one pass over all items.

An item with a score below the k-th best score of its query is not in the first k ranks, in any
order of the ties. So for small cutoffs most items need not be ranked. To find the others, the
columns are cut into groups, and the best score of each group is taken. The k-th largest of these
is at most the k-th best score. Only groups whose best score reaches it can hold such an item::

    scores             5  1  2  9  3  4  8  0      k = 2
    groups             a  b  c  d  a  b  c  d
    best of group      5  4  8  9                  the second largest is 8: look into c and d
    candidates                  9        8
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.intp]
Mask = NDArray[np.bool_]

_CHUNK, _CHUNK_OF_COLUMNS = 2**20, 2**25
"""The number of bytes that are passed over at once: a second pass finds them in the cache."""
_SHORT, SHORT_SINGLE = 256, 512
"""Rows of up to this number of columns, for all floats and for float32, are sorted faster."""
_WORTH_WHILE, _WORTH_WHILE_SINGLE = 12, 4
"""If there are this many times as many items as ranks, a search takes as long as a sort. The
second is for rows of up to `SHORT_SINGLE` columns, in which the search is a sort of float32."""

_FEW_VALUES = 2**12
"""In so few values, NaN and infinity are found in less time than the least and the largest."""


class NotFiniteError(ValueError):
    """A score is NaN or infinite."""


def is_worth_while(width: int, depth: int) -> bool:
    """Return whether a search for the first `depth` of `width` items is faster than a sort."""
    times = _WORTH_WHILE_SINGLE if width <= SHORT_SINGLE else _WORTH_WHILE
    return width > _SHORT and times * depth <= width


def top_k_candidates(
    scores: NDArray[Any], depth: int, is_item: Mask | None = None, *, must_be_finite: bool = False
) -> Positions | None:
    """Return the cells of all items that can be in the first `depth` ranks of their row.

    `scores` are `searchable`. Cells without an item are NaN, or anything if `is_item` is False
    there. With `must_be_finite` all other scores must be finite, or a `NotFiniteError` is raised.
    The cells are indices into the flattened scores, in order. None: the search is not worth while,
    since rows are short or most items would be kept.
    """
    width = scores.shape[1]
    is_sought = is_worth_while(width, depth)
    is_short = width <= SHORT_SINGLE
    if must_be_finite and (is_short or not is_sought) and not all_finite(scores, is_item):
        raise NotFiniteError
    if not is_sought:
        return None
    if is_short:
        # Rounding changes no order, though it may make some scores tie.
        ascending = -_with_nan(as_float32(scores), is_item)
        # A row of fewer items has NaN there, and keeps them all.
        bound = np.fmin(np.sort(ascending, axis=1)[:, depth - 1], np.inf)
        kept = np.flatnonzero(ascending <= bound[:, None])
        return kept if 2 * kept.size <= scores.size else None
    n_groups, size = _groups(width, depth)
    best = _best_of_groups(scores, n_groups, size, is_item, must_be_finite)
    bound = _bound(best, depth)
    row, group = np.divmod(np.flatnonzero(best >= bound[:, None]), n_groups)
    offset = np.arange(0, width, n_groups)
    step = max(_CHUNK // (8 * size), 1)  # in parts, as there may be many if scores tie
    parts: list[Positions] = []
    n_kept = 0
    for start in range(0, row.size, step):
        part_row, column = row[start : start + step], group[start : start + step]
        cell = (part_row * width + column)[:, None] + offset
        is_kept = take_cells(scores, cell) >= bound[part_row, None]
        is_kept[:, -1] &= column + offset[-1] < width  # else it is in the next row
        kept = cell[is_kept]
        parts.append(kept if is_item is None else kept[take_cells(is_item, kept)])
        n_kept += parts[-1].size
        if 2 * n_kept > scores.size:
            return None
    return np.sort(np.concatenate(parts))


def is_searchable(dtype: np.dtype[Any]) -> bool:
    """Return whether scores of a dtype can be searched as they are: ints, floats of up to 64 bits.

    Long doubles cannot be searched, since they might become infinite as float64.
    """
    return dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize <= 8)


def take_cells(values: NDArray[Any], cell: Positions) -> NDArray[Any]:
    """Return the values in some cells, by flat index; beyond the end, return any value."""
    if values.flags.c_contiguous:
        return values.ravel().take(cell, mode="clip")
    row, column = np.divmod(np.minimum(cell, values.size - 1), values.shape[1])
    return np.asarray(values[row, column])


def _with_nan(values: NDArray[Any], is_item: Mask | None) -> NDArray[Any]:
    """Return floats, and NaN of either sign in cells without an item."""
    if is_item is None:
        return values
    # A float with all bits set is NaN. np.where takes up to three times as long, and up to ten
    # times as long if about half of the cells are items.
    bits = (is_item.view(np.int8) - np.int8(1)).astype(f"i{values.itemsize}")
    bits |= values.view(bits.dtype)
    return bits.view(values.dtype)


def largest(values: NDArray[Any], depth: int) -> NDArray[Any]:
    """Return the `depth` largest values of each row, from the largest down.

    They are finite and in C order, and `is_worth_while`.
    """
    n_rows, width = values.shape
    bound = _bound(_best_of_groups(values, *_groups(width, depth)), depth)
    above = np.flatnonzero(values > bound[:, None])
    n_above = np.bincount(above // width, minlength=n_rows)
    # At least `depth` values reach the bound. If fewer are above it, the next equal the bound.
    top = np.repeat(bound[:, None], max(depth, int(n_above.max())), axis=1)
    top[np.arange(top.shape[1]) < n_above[:, None]] = values.ravel()[above]
    top.sort(axis=1)
    return top[:, ::-1][:, :depth]


def _groups(width: int, depth: int) -> tuple[int, int]:
    """Return the number of groups of columns, and the number of columns in each group."""
    size = max(int(np.sqrt(width / depth) / 3), 2)
    return width // size, size


def _best_of_groups(
    values: NDArray[Any],
    n_groups: int,
    size: int,
    is_item: Mask | None = None,
    must_be_finite: bool = False,
) -> NDArray[Any]:
    """Return the largest value of each group, which is every n-th column, (n_rows, n_groups)."""
    n_rows, width = values.shape
    dtype = values.dtype.newbyteorder("=")
    if dtype == np.float16:  # NumPy compares it in software
        dtype = np.dtype(np.float32)
    if is_item is not None and dtype.kind != "f":  # ints have no NaN
        dtype = np.dtype(np.float64)

    def items(rows: slice, columns: slice) -> NDArray[Any]:
        """Return some values, with NaN in cells without an item."""
        part = values[rows, columns].astype(dtype, copy=False)
        part_mask = None if is_item is None else is_item[rows, columns]
        if must_be_finite and not _are_finite(part, part_mask):
            raise NotFiniteError
        return _with_nan(part, part_mask)

    best, everything = np.empty((n_rows, n_groups), dtype=dtype), slice(None)
    if abs(values.strides[0]) < abs(values.strides[1]):
        # Rows are not read in one piece, but columns are. So some groups are read at once, one of
        # their columns after the other.
        step = max(_CHUNK // (4 * n_rows * dtype.itemsize), 1)
        for first in range(0, n_groups, step):
            stop = min(first + step, n_groups)
            largest_so_far = items(everything, slice(first, stop)).copy(order="F")
            for start in range(first + n_groups, width, n_groups):
                part = items(everything, slice(start, min(start + stop - first, width)))
                largest_in_part = largest_so_far[:, : part.shape[1]]
                np.fmax(largest_in_part, part, out=largest_in_part)
            best[:, first:stop] = largest_so_far
    else:
        whole, left = n_groups * size, width - n_groups * size
        for rows in rows_in_cache(values, is_copied=is_item is not None):
            part = items(rows, everything)
            grouped = part[:, :whole].reshape(part.shape[0], size, n_groups)
            best[rows] = np.fmax.reduce(grouped, axis=1)
            np.fmax(best[rows, :left], part[:, whole:], out=best[rows, :left])
    if dtype.kind == "f":
        np.fmax(best, -np.inf, out=best)
        if must_be_finite and best.max() == np.inf:
            raise NotFiniteError
    return best


def rows_in_cache(values: NDArray[Any], *, is_copied: bool = False) -> Iterator[slice]:
    """Yield the rows that are passed over at once, a quarter if there is a copy of them.

    So there is room in the cache for the copy, its mask and what is made of it.
    """
    n_rows, width = values.shape
    # In Fortran order rows are not read in one piece, but columns are if there are many rows.
    n_bytes = _CHUNK if values.strides[1] <= values.itemsize else _CHUNK_OF_COLUMNS
    step = max(n_bytes // (4 if is_copied else 1) // (width * values.itemsize), 1)
    for start in range(0, n_rows, step):
        yield slice(start, start + step)


def _are_finite(values: NDArray[Any], is_item: Mask | None) -> bool:
    """Return whether no item is NaN or -inf. If all values are above -inf, some may be inf."""
    # The least value is NaN if one is.
    return values.dtype.kind != "f" or values.min() > -np.inf or all_finite(values, is_item)


def _bound(best: NDArray[Any], depth: int) -> NDArray[Any]:
    """Return a score that at least `depth` of the best scores reach, and not many more."""
    n_groups = best.shape[1]
    size = n_groups // (8 * depth)
    if size > 1:  # groups of groups cost less than a partition of all groups
        n_groups //= size
        best = np.fmax.reduce(
            best[:, : n_groups * size].reshape(best.shape[0], size, n_groups), axis=1
        )
    return np.asarray(np.partition(best, n_groups - depth, axis=1)[:, n_groups - depth])


def nonzero_cells(values: NDArray[Any], most: int | None = None) -> Positions | None:
    """Return the flat indices of the values that are not 0; None: more than `most` are not.

    By default this is an eighth of all values.
    """
    if values.flags.c_contiguous:
        values = values.ravel()[:, None]
    parts = [np.empty(0, np.intp)]
    n_left = values.size // 8 if most is None else most
    for rows in rows_in_cache(values):
        is_nonzero = values[rows] != 0
        n_left -= int(np.count_nonzero(is_nonzero))
        if n_left < 0:
            return None
        parts.append(rows.start * values.shape[1] + np.flatnonzero(is_nonzero))
    return np.concatenate(parts)


def as_float32(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return values rounded to float32. Beyond its range they are infinite or 0."""
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32, copy=False)


def extent(values: NDArray[Any]) -> tuple[Any, Any]:
    """Return the least and the largest value in one pass over the memory; NaN if one is."""
    parts = [values[rows] for rows in rows_in_cache(values)]
    return np.min([part.min() for part in parts]), np.max([part.max() for part in parts])


def all_finite(values: NDArray[Any], is_item: Mask | None = None) -> bool:
    """Return whether no value is NaN or infinite, without a large temporary array.

    Cells where `is_item` is False do not count. If they hold NaN or infinity, a temporary array is
    needed.
    """
    if values.dtype.kind != "f" or not values.size:
        return True
    if values.size <= _FEW_VALUES:
        if np.count_nonzero(np.isfinite(values)) == values.size:
            return True
    elif values.min() > -np.inf and values.max() < np.inf:  # both are NaN if a value is
        return True
    return is_item is not None and all_finite(values[is_item])
