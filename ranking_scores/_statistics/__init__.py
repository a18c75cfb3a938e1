"""Is system B better than system A: systems on the same queries, resampling, tests, intervals.

The values per query come from reports or arrays; this wing never scores any data itself.
"""

from __future__ import annotations

from ranking_scores._statistics._differences import (
    RANDOM,
    TESTS,
    Settings,
    Summary,
    Verdict,
    alpha_of,
    benjamini_hochberg,
    by_missing,
    count_needed,
    detectable,
    holm,
    limits,
    run_test,
    scale,
    summarize,
    t_interval,
)
from ranking_scores._statistics._resampling import (
    Resamples,
    at_share,
    bca,
    draws,
    flips,
    largest_t,
    means_of_draws,
    percentiles,
    slack_of,
)
from ranking_scores._statistics._systems import (
    Rows,
    Scores,
    check_single,
    has_ids,
    read_all,
    read_scores,
    read_systems,
)

__all__ = [
    "RANDOM",
    "TESTS",
    "Resamples",
    "Rows",
    "Scores",
    "Settings",
    "Summary",
    "Verdict",
    "alpha_of",
    "at_share",
    "bca",
    "benjamini_hochberg",
    "by_missing",
    "check_single",
    "count_needed",
    "detectable",
    "draws",
    "flips",
    "has_ids",
    "holm",
    "largest_t",
    "limits",
    "means_of_draws",
    "percentiles",
    "read_all",
    "read_scores",
    "read_systems",
    "run_test",
    "scale",
    "slack_of",
    "summarize",
    "t_interval",
]
