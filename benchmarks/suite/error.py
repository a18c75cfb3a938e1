"""How far the scores are from exact results, in units of float64's rounding, 2**-52."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from . import data
from .cost import NEEDED, SCORES, WITHOUT_CUTOFF, of_package


def load_reference() -> ModuleType:
    """Return tests/reference.py, which is no part of a package."""
    path = Path(__file__).parents[2] / "tests" / "reference.py"
    spec = importlib.util.spec_from_file_location("reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rounding_errors(value: float, exact: Fraction) -> float:
    """Return the relative error, in units of 2**-52; that of 0 is absolute."""
    error = abs(Fraction(float(value)) - exact)
    return float(error / (abs(exact) or 1) * 2**52)


class AllOrders:
    """Short queries with ties, against the mean over all orders."""

    params = SCORES
    param_names = ("score",)
    unit = "2**-52"

    def setup(self, score: str) -> None:
        """Make 100 queries of 6 items with 4 different scores."""
        of_package(score)
        rng = np.random.default_rng(7)
        self.labels = rng.integers(0, 5, size=(100, 6))
        self.scores = rng.integers(0, 4, size=(100, 6)).astype(float)

    def track_largest_error(self, score: str) -> float:
        """Return the largest relative error of a query."""
        params: dict[str, Any] = {} if score in WITHOUT_CUTOFF else {"k": 4}
        params |= NEEDED.get(score, {})
        values = of_package(score)(self.labels, self.scores, average=None, **params)
        definition = load_reference().DEFINITIONS[score]
        errors = []
        for labels, scores, value in zip(self.labels, self.scores, values, strict=True):
            exact = definition(labels.tolist(), scores.tolist(), **params)
            if exact is not None:
                errors.append(rounding_errors(value, exact))
        return max(errors)


class LongLists:
    """Queries of 10000 items, against sums without rounding, the discounts as they are."""

    params = ([None, 1], [10, None])
    param_names = ("decimals", "k")
    unit = "2**-52"

    def setup(self, decimals: int | None, k: int | None) -> None:
        """Make 5 queries; scores of one decimal tie."""
        self.labels, self.scores = data.graded(5, 10_000)
        if decimals is not None:
            self.scores = self.scores.round(decimals)

    def track_largest_error(self, decimals: int | None, k: int | None) -> float:
        """Return the largest relative error of a query's DCG."""
        values = of_package("dcg_score")(self.labels, self.scores, k=k, average=None)
        queries = zip(self.labels, self.scores, values, strict=True)
        return max(
            rounding_errors(value, exact_dcg(labels, scores, k))
            for labels, scores, value in queries
        )


def exact_dcg(labels: np.ndarray, scores: np.ndarray, k: int | None) -> Fraction:
    """Return the mean of DCG over all orders of the ties, a tie group at a time."""
    reference = load_reference()
    discount = 1 / np.log2(np.arange(2, labels.size + 2))
    return reference.sum_over_ranks(
        reference.tie_groups(scores.tolist()),
        [Fraction(label) for label in labels.tolist()],
        lambda rank: Fraction(discount[rank - 1]),
        k,
    )
