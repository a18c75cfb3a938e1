"""Plots of scores and of comparisons, with the Display protocol of scikit-learn.

- `RankingCurveDisplay` plots a score against its cutoff, for one model or several.
- `ComparisonDisplay` plots the differences between systems, with their confidence intervals.
- `RanksDisplay` plots the ranks that systems can have, and which ones are tied with the first.
- `QueryDifferenceDisplay` plots the difference between two systems on each query.
- `RankingDisplay` plots what each item of a query adds to its score.
- `HistoryDisplay` plots scores over time, and which report changed them.
- `AnswerCurveDisplay` plots how many questions are answered or refused, against a threshold.

Plots need matplotlib. It is imported on the first plot, so importing this module does not need it.
"""

from __future__ import annotations

from ranking_scores.plotting._answer_curve import AnswerCurveDisplay
from ranking_scores.plotting._comparison import ComparisonDisplay
from ranking_scores.plotting._history import HistoryDisplay
from ranking_scores.plotting._query_difference import QueryDifferenceDisplay
from ranking_scores.plotting._ranking import RankingDisplay
from ranking_scores.plotting._ranking_curve import RankingCurveDisplay
from ranking_scores.plotting._ranks import RanksDisplay

__all__ = [
    "AnswerCurveDisplay",
    "ComparisonDisplay",
    "HistoryDisplay",
    "QueryDifferenceDisplay",
    "RankingCurveDisplay",
    "RankingDisplay",
    "RanksDisplay",
]


def __dir__() -> list[str]:
    return __all__
