"""Which items can stand among the first ranks: found in little more than one pass over them.

An item scored below the k-th best of its query stands in the first k ranks in no order of the
ties, so for small cutoffs most items need not be ranked. To find the others, the columns are cut
into groups and each group's best score is taken. The k-th largest of these is at most the k-th
best score, and only a group whose best reaches it can hold an item that does::

    scores             5  1  2  9  3  4  8  0      k = 2
    groups             a  b  c  d  a  b  c  d
    best of group      5  4  8  9                  the second largest is 8: look into c and d
    contenders                  9        8
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.intp]

_CHUNK = 2**20
"""So many bytes are passed over at once: a second pass finds them in the cache."""
_WORTH_WHILE = 12
"""To look for the first of so many times as many items takes about as long as to sort them all."""
_SHORT, SHORT_SINGLE = 256, 512
"""Rows of up to so many columns, of any floats and of float32, are sorted sooner than searched."""


class NotFiniteError(ValueError):
    """A score is NaN or infinite."""


def is_worth_while(width: int, depth: int) -> bool:
    """Return whether to look for the first `depth` of so many items, rather than sort them all."""
    return width > _SHORT and _WORTH_WHILE * depth <= width


def contenders(
    scores: NDArray[Any], depth: int, *, must_be_finite: bool = False
) -> Positions | None:
    """Return the cells of all items that can stand in the first `depth` ranks of their row.

    `scores` are floats in C order, NaN where no item stands; none is where they must be finite,
    else that is a `NotFiniteError`. The cells are indices into the flattened scores, in order.
    None: the rows are too short for it to be worth while, or most items would be kept.
    """
    width = scores.shape[1]
    is_sought = is_worth_while(width, depth)
    is_short = width <= SHORT_SINGLE
    if must_be_finite and (is_short or not is_sought) and not all_finite(scores):
        raise NotFiniteError
    if not is_sought:
        return None
    if is_short:
        # No order is changed by rounding, though some scores may tie that did not before.
        ascending = -as_float32(scores)
        # A row of fewer items has NaN there, and keeps them all.
        bound = np.fmin(np.sort(ascending, axis=1)[:, depth - 1], np.inf)
        kept = np.flatnonzero(ascending <= bound[:, None])
        return kept if 2 * kept.size <= scores.size else None
    n_groups, size = _groups(width, depth)
    best = _best_of_groups(scores, n_groups, size, must_be_finite)
    bound = _bound(best, depth)
    row, group = np.divmod(np.flatnonzero(best >= bound[:, None]), n_groups)
    offset = np.arange(0, width, n_groups)
    step = max(_CHUNK // (8 * size), 1)  # in parts, as there may be many where scores tie
    parts: list[Positions] = []
    n_kept = 0
    for start in range(0, row.size, step):
        of_part, column = row[start : start + step], group[start : start + step]
        cell = (of_part * width + column)[:, None] + offset
        is_kept = scores.ravel().take(cell, mode="clip") >= bound[of_part, None]
        is_kept[:, -1] &= column + offset[-1] < width  # else it is in the next row
        parts.append(cell[is_kept])
        n_kept += parts[-1].size
        if 2 * n_kept > scores.size:
            return None
    return np.sort(np.concatenate(parts))


def largest(values: NDArray[Any], depth: int) -> NDArray[Any]:
    """Return the `depth` largest values of each row, from the largest down.

    They are finite and in C order, and `is_worth_while`.
    """
    n_rows, width = values.shape
    bound = _bound(_best_of_groups(values, *_groups(width, depth), False), depth)
    above = np.flatnonzero(values > bound[:, None])
    n_above = np.bincount(above // width, minlength=n_rows)
    # At least `depth` values reach the bound: where fewer are above it, the next are equal to it.
    top = np.repeat(bound[:, None], max(depth, int(n_above.max())), axis=1)
    top[np.arange(top.shape[1]) < n_above[:, None]] = values.ravel()[above]
    top.sort(axis=1)
    return top[:, ::-1][:, :depth]


def _groups(width: int, depth: int) -> tuple[int, int]:
    """Return how many groups to cut columns into, and how many columns each of them has."""
    size = max(int(np.sqrt(width / depth) / 3), 2)
    return width // size, size


def _best_of_groups(
    values: NDArray[Any], n_groups: int, size: int, must_be_finite: bool
) -> NDArray[Any]:
    """Return the largest value of every n-th column each, (n_rows, n_groups)."""
    n_rows, width = values.shape
    whole = n_groups * size
    best = np.empty((n_rows, n_groups), dtype=values.dtype)
    step = max(_CHUNK // (width * values.itemsize), 1)
    for start in range(0, n_rows, step):
        part = values[start : start + step]
        # The least value is NaN if one is, and infinite if one is -inf.
        if must_be_finite and not np.isfinite(part.min()):
            raise NotFiniteError
        grouped = part[:, :whole].reshape(part.shape[0], size, n_groups)
        np.fmax.reduce(grouped, axis=1, out=best[start : start + step])
    left = width - whole
    np.fmax(best[:, :left], values[:, whole:], out=best[:, :left])
    np.fmax(best, -np.inf, out=best)
    if must_be_finite and np.isinf(best.max()):
        raise NotFiniteError
    return best


def _bound(best: NDArray[Any], depth: int) -> NDArray[Any]:
    """Return a score that at least `depth` of the best reach, and not many more."""
    n_groups = best.shape[1]
    size = n_groups // (8 * depth)
    if size > 1:  # groups of groups, which costs less than to partition them all
        n_groups //= size
        best = np.fmax.reduce(
            best[:, : n_groups * size].reshape(best.shape[0], size, n_groups), axis=1
        )
    bound: NDArray[Any] = np.partition(best, n_groups - depth, axis=1)[:, n_groups - depth]
    return bound


def nonzero_cells(values: NDArray[Any]) -> Positions | None:
    """Return the indices of what is not 0, flattened; None: it is more than an eighth of all."""
    flat = values.reshape(-1)
    step = _CHUNK // 8
    parts: list[Positions] = []
    n_left = flat.size // 8
    for start in range(0, flat.size, step):
        is_nonzero = flat[start : start + step] != 0
        n_left -= int(np.count_nonzero(is_nonzero))
        if n_left < 0:
            return None
        parts.append(start + np.flatnonzero(is_nonzero))
    return np.concatenate(parts)


def as_float32(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return values rounded to float32, infinite or 0 beyond its range."""
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(np.float32, copy=False)


def all_finite(values: NDArray[Any]) -> bool:
    """Return whether there is neither NaN nor infinity, without a temporary array."""
    if values.dtype.kind != "f" or values.size == 0:
        return True
    return bool(np.isfinite(values.min()) and np.isfinite(values.max()))
