"""What streams say, to the last bit, and batches without a query."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import scipy.sparse as sp

NAN, INF = np.nan, np.inf


def outcome(function):
    """Return the bits of a result, or the words of the error, and of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = function()
            bits = type(result), np.shape(result), np.asarray(result, dtype=float).tobytes()
        except ValueError as error:
            bits = type(error), str(error)
    return bits, [str(warning.message) for warning in caught]


def what_it_says(stream):
    """Return all that a stream says, bit for bit."""
    return [
        outcome(partial(getattr, stream, name))
        for name in ("n_queries", "n_undefined", "standard_error")
    ] + [outcome(stream.compute)]


def empty_batches():
    """Return updates without a query in each layout."""
    return [
        {"y_true": np.empty((0, 3)), "y_score": np.empty((0, 3))},
        {"y_true": sp.csr_array((0, 3)), "y_score": np.empty((0, 3))},
        {
            "y_true": np.empty((0, 3)),
            "y_score": np.empty((0, 3)),
            "sample_weight": [],
            "item_weight": np.empty((0, 3)),
            "where": np.empty((0, 3), dtype=bool),
        },
        {"y_true": [], "y_score": [], "qid": []},
        {"y_true": np.empty(0), "y_score": np.empty((0, 1)), "qid": np.empty(0, dtype="U1")},
        {"y_true": [], "y_score": np.empty((0, 4))},
    ]
