"""The conventions of other programs: which of them give a number, and how they read in words."""

from __future__ import annotations

from ranking_scores._conventions._difference import (
    DifferenceExplanation,
    Match,
    Step,
    explain_number,
)
