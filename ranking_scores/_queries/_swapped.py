"""Looks whether a caller has swapped the labels and the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import SWAPPED, warn_caller

_FEW = 20
"""Fewer labels than these never look like scores."""


def warn_if_swapped(labels: NDArray[Any], scores: NDArray[Any], function: str) -> None:
    """Warn if labels look like scores, and scores like labels. It looks at some of them."""
    if labels.dtype.kind != "f" or labels.size < _FEW:
        return
    if not _are_fractions(_some_of(labels, 32)):
        return
    some_labels = _some_of(labels, 1000)
    of_labels, of_scores = np.unique(some_labels), np.unique(_some_of(scores, 1000))
    n_labels, n_scores = of_labels.size, of_scores.size
    has_many = 2 * n_labels > some_labels.size
    has_few = 2 <= n_scores <= min(10, n_labels // 2) and not _are_fractions(of_scores)
    if has_many and has_few and of_labels[0] >= 0 and of_labels[-1] <= 1:
        warn_caller(
            f"{function} got labels that are many different numbers from 0 to 1, and "
            f"scores that are {n_scores} whole numbers. {SWAPPED}",
            UserWarning,
        )


def _some_of(values: NDArray[Any], n: int) -> NDArray[Any]:
    """Return about `n` values of an array, or all if it has fewer, from all of its rows."""
    per_axis = max(round(n ** (1 / values.ndim)), 1)
    return values[tuple(slice(None, None, -(-size // per_axis)) for size in values.shape)]


def _are_fractions(values: NDArray[Any]) -> bool:
    """Return whether any value is not a whole number."""
    with np.errstate(invalid="ignore"):  # what a mask hides may be a signalling NaN
        return bool((values != np.floor(values)).any())
