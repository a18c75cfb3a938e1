"""The queries that most tests of reports score."""

from __future__ import annotations

import numpy as np

RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 4, (30, 8)) * (RNG.random((30, 8)) < 0.4)
Y_SCORE = RNG.integers(0, 5, (30, 8)) / 2
QID = np.repeat(RNG.permutation(30) * 7, 8)
ROWS = {"y_true": Y_TRUE.ravel(), "y_score": Y_SCORE.ravel(), "qid": QID}
