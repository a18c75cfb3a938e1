"""Warnings that data on purpose, or at random, may cause in tests of something else."""

from __future__ import annotations

import pytest

NOTHING_TO_RANK = "no query has a defined score|queries of one item each"

nothing_to_rank = pytest.mark.filterwarnings(f"ignore:.*({NOTHING_TO_RANK})")
"""For tests in which no query may have a score, or each query may have one item."""
