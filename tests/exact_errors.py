"""Bad input is refused by name: texts that exact messages share, and the check of an error."""

from __future__ import annotations

import pickle
import re

import numpy as np
import scipy.sparse

from ranking_scores.exceptions import InvalidParameterError

Y_TRUE = [[0, 1, 2], [1, 0, 0]]
Y_SCORE = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
ROWS = {"y_true": [0, 1, 2, 1], "y_score": [0.1, 0.2, 0.3, 0.4]}
QID = [1, 1, 2, 2]
RETRIEVED = scipy.sparse.csr_array([[0.3, 0, 0.1], [0, 0, 0.3]])
NAN, INF = np.nan, np.inf

K = "must be None, an int of at least 1 or a list of these."
REAL_ARRAY = "must be an array of bools, ints or floats."
AS_FLOAT = "If it holds numbers, use `np.asarray({}).astype(float)`."
SWAPPED = "Are y_true and y_score swapped?"

_CODE = re.compile(r"`|\w\(|\w=|\w_\w(?!.*\?$)")


def check(error, function, parameter, text):
    """Assert that an error has a message, is of both types, and has the parts of the message."""
    message = f"The '{parameter}' parameter of {function} {text}"
    if text.startswith("has no"):
        message = f"{function} {text}"
    assert str(error) == message
    assert isinstance(error, InvalidParameterError)
    assert (error.parameter, error.function) == (parameter, function)
    assert error.got in message or error.owner
    if "StreamingScore" not in function:
        assert not _CODE.search(error.advice), "this advice belongs to `code`"
    again = pickle.loads(pickle.dumps(error))  # as from a worker
    assert (str(again), vars(again)) == (message, vars(error))
