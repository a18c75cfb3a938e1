"""The scores whose statistics SciPy and statsmodels have recorded, and what they found."""

from __future__ import annotations

import json

import make_significance_numbers
import numpy as np

CLOSE = 1e-10  # some roundings, in the sums of two programs
INF, NAN = np.inf, np.nan
RECORDED = json.loads(make_significance_numbers.PATH.read_text(encoding="utf-8"))
GIVEN, FOUND, LEVEL = (RECORDED[key] for key in ("given", "found", "level"))
A, B, C = map(np.array, GIVEN["scores"])
WEIGHT, CLUSTER, GROUP = (np.array(GIVEN[key]) for key in ("weight", "cluster", "group"))
N = len(A)
TESTS = ("t", "permutation", "bootstrap")


def same(found, expected, tolerance=CLOSE):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-14)
