"""The resamples that a comparison or an interval draws: their seed, and all of them at once."""

from __future__ import annotations

import numpy as np


def seed_of(random_state):
    """Return the seed that the resamples of a call begin with."""
    return int(np.random.RandomState(random_state).randint(2**32, dtype=np.uint64))


def dense(blocks, n_units):
    """Return resamples as one array, (n_resamples, n_units)."""
    return np.concatenate([block.times(np.eye(n_units))[0] for block in blocks])
