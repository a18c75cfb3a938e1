"""Is system B better than system A: systems on the same queries, resampling, tests, intervals.

The values per query come from reports, from arrays, or from data that `ranking_report` scores.
"""

from __future__ import annotations

from ranking_scores._statistics._checks import (
    METHODS,
    check_between,
    check_level,
    check_one_form,
    check_resamples,
    check_settings,
    check_spread,
    seed_of,
)
from ranking_scores._statistics._comparing import (
    compare_pair,
    compare_pairs,
    interval_of,
    spread_of_pair,
)
from ranking_scores._statistics._differences import RANDOM, alpha_of, count_needed, t_interval
from ranking_scores._statistics._resampling import draws
from ranking_scores._statistics._results import (
    Comparison,
    Comparisons,
    ConfidenceInterval,
    describe_test,
)
from ranking_scores._statistics._systems import read_pair, read_scores, read_systems
