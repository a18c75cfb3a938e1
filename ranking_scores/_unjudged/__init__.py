"""What unknown labels could do to a score: rankings of one system or two, and what to judge.

The search over labels itself is in `_metrics`, where reports and streams use it, too.
"""

from __future__ import annotations

from ranking_scores._unjudged._bounds import (
    bind,
    bounds_of,
    check_columns,
    check_data,
    choose_items,
    data_of_tables,
    differences_of,
    plans_of_systems,
    rankings_of_arrays,
)
from ranking_scores._unjudged._results import ItemToJudge, ScoreBounds
