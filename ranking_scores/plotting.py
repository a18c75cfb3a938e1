"""Plots of scores and of comparisons, with the Display protocol of scikit-learn.

- `RankingCurveDisplay` plots a score against its cutoff, for one model or several.
- `ComparisonDisplay` plots the differences between systems, with their confidence intervals.
- `RanksDisplay` plots the ranks that systems can have, and which ones are tied with the first.
- `QueryDifferenceDisplay` plots the difference between two systems on each query.
- `RankingDisplay` plots what each item of a query adds to its score.

Plots need matplotlib. It is imported on the first plot, so importing this module does not need it.
"""

from __future__ import annotations

from ranking_scores._plotting import (
    ComparisonDisplay,
    QueryDifferenceDisplay,
    RankingCurveDisplay,
    RankingDisplay,
    RanksDisplay,
)

__all__ = [
    "ComparisonDisplay",
    "QueryDifferenceDisplay",
    "RankingCurveDisplay",
    "RankingDisplay",
    "RanksDisplay",
]


def __dir__() -> list[str]:
    return __all__
