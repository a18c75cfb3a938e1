"""Tests and intervals of means between 0 and 1 by betting, which are valid at all times at once.

A gambler bets that the mean is above m. Each value x, in its turn, multiplies the capital by ::

    1 - stake + stake * x / m

The factor is 1 on average if the mean is m, and less if it is lower. Then the capital of 1 ever
grows to c with a probability of at most 1 / c, whatever the distribution, so the p-value is 1
divided by the largest capital so far. No spread is estimated, so rare large values cannot mislead.
Each of the `STAKES` has its part of the capital, since the best one is unknown.

This is the hedged capital of Waudby-Smith and Ramdas (2024) with a grid of constant stakes. Its
logarithm falls if m rises, so the means that are not rejected are an interval.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STAKES = np.arange(1, 10) / 10
"""The shares of the capital that are staked on each value."""
_STEPS = 45
"""So many bisections leave a rounding of the limits."""


def log_capital(values: Floats, mean: Floats | float) -> Floats:
    """Return the log of the largest capital so far of bets that the mean is above another one.

    There is one bet for each column of values. NaN is no value, and nothing is staked on it.
    """
    gain = np.where(np.isnan(values), 0, values / mean - 1)
    grown = np.cumsum(np.log(1 + STAKES[:, np.newaxis, np.newaxis] * gain), axis=1)
    most = grown.max(axis=0)
    total = most + np.log(np.exp(grown - most).mean(axis=0))
    return np.asarray(total.max(axis=0, initial=0))


def lower_limit(values: Floats, share: float) -> Floats:
    """Return the mean of each column up to which bets that it is higher reject, or 0 for none.

    They are those whose capital has once been 1 / share.
    """
    low, high = np.zeros(values.shape[1]), np.ones(values.shape[1])
    for _ in range(_STEPS):
        middle = (low + high) / 2
        is_rejected = log_capital(values, middle) >= -np.log(share)
        low, high = np.where(is_rejected, middle, low), np.where(is_rejected, high, middle)
    return low
