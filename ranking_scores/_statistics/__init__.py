"""Is system B better than system A: systems on the same queries, resampling, tests, intervals.

The values per query come from reports, from arrays, or from data that `ranking_report` scores.
"""

from __future__ import annotations

from ranking_scores._statistics._agreement_reports import (
    AgreementReport,
    QueryAgreement,
    report_of_pairs,
)
from ranking_scores._statistics._answer_curve import AnswerCurve, curve_of
from ranking_scores._statistics._audit import Audit, Spread, audit
from ranking_scores._statistics._changes import changes
from ranking_scores._statistics._changes_results import (
    Changes,
    ListChange,
    MovedItem,
    QueryChange,
    ScoreChange,
)
from ranking_scores._statistics._comparing import compare_pairs
from ranking_scores._statistics._comparisons import Comparison, Comparisons, describe_test
from ranking_scores._statistics._conditions import (
    Condition,
    GateResult,
    check_requirements,
    check_rule,
)
from ranking_scores._statistics._gating import run_gate
from ranking_scores._statistics._human_labels import (
    add_human,
    check_no_human,
    check_option_with_human,
    compare_with_human,
    interval_with_human,
    reports_with_human,
)
from ranking_scores._statistics._intervals import (
    METHODS,
    ConfidenceInterval,
    IntervalMethod,
    MethodName,
    interval_of,
    limits_of_curve,
    limits_with_weights,
)
from ranking_scores._statistics._planning import System, power_curve, queries_needed
from ranking_scores._statistics._results import HumanLabels, Ranks
from ranking_scores._statistics._systems import (
    QueryParameters,
    ends_of,
    may_be_share,
    read_one,
    read_pair,
    read_systems,
)
from ranking_scores._statistics._tests import (
    RANDOM,
    Alternative,
    PairedTest,
    alpha_of,
    check_count,
    check_level,
    check_margin,
    check_resamples,
    check_settings,
    seed_of,
)
from ranking_scores._statistics._two_judgments import (
    LabelAgreement,
    Swap,
    SystemAgreement,
    system_agreement,
)
