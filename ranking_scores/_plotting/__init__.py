"""Plots: what is computed for a curve, where things go in a figure, and one file per display.

Computing needs no matplotlib, and layout knows nothing of scores. Only a display has both.
"""

from __future__ import annotations

from ranking_scores._plotting._comparison import ComparisonDisplay
from ranking_scores._plotting._query_difference import QueryDifferenceDisplay
from ranking_scores._plotting._ranking import RankingDisplay
from ranking_scores._plotting._ranking_curve import RankingCurveDisplay
from ranking_scores._plotting._ranks import RanksDisplay
