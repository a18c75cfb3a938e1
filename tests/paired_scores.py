"""The scores of three systems on the same queries, which most tests of significance compare."""

from __future__ import annotations

import numpy as np

from ranking_scores import ranking_report

RNG = np.random.default_rng(0)
N_QUERIES = 30
A = RNG.random(N_QUERIES)
B = A + RNG.normal(0.05, 0.1, N_QUERIES)
C = A + RNG.normal(0.02, 0.1, N_QUERIES)
TESTS = ("t", "permutation", "wilcoxon", "bootstrap")
ALTERNATIVES = ("two-sided", "greater", "less")
CLOSE = 1e-12  # a few roundings of numbers near 1
NAN, INF = np.nan, np.inf
SYSTEMS = {"a": A, "b": B, "c": C, "d": np.round(A, 1)}
QUERIES = [f"q{number}" for number in range(12)]


def same(found, expected, tolerance=CLOSE):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def reports(scores=("ndcg",), k=(1, 3), **params):
    """Return the reports of two systems."""
    rng = np.random.default_rng(4)
    y_true = rng.integers(0, 3, size=(12, 6))
    return {
        name: ranking_report(
            y_true,
            y_true + rng.normal(scale=scale, size=y_true.shape),
            scores=scores,
            k=k,
            **params,
        )
        for name, scale in [("bm25", 3), ("dense", 1)]
    }
