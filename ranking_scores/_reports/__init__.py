"""The result of `ranking_report`: what it holds, how it prints, and its files."""

from __future__ import annotations

from ranking_scores._reports._report import (
    OVER_ASPECTS,
    RankingReport,
    judgments_of,
    report_of_evaluations,
    report_of_file,
    report_of_sums_alone,
    undefined_by_query,
    with_human,
    without_judgments,
)
from ranking_scores._reports._saved_reports import REPORT, attributes_of
from ranking_scores._reports._saved_streams import STREAM, content_of_stream, state_of_stream
