"""What the tests of explanations share: how close numbers must be, and that the parts add up."""

from __future__ import annotations

import math
from functools import partial

import pytest

from ranking_scores import expected_reciprocal_rank_score

TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py


def close(actual, expected):
    return actual == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE, nan_ok=True)


ERR = partial(expected_reciprocal_rank_score, max_grade=3)


def rises(rank):
    return rank


def check_sums(found):
    """Check that the parts of an explanation add up."""
    sign = 1 if found.greater_is_better else -1
    assert close(math.fsum(part.part for part in found.items), found.value)
    assert close(math.fsum(part.best_part for part in found.items), found.best)
    lost = [part.lost for part in found.items]
    assert close(math.fsum(lost), sign * (found.best - found.value))
    assert lost == sorted(lost, reverse=True)
    for part in found.items:
        assert close(part.lost, sign * (part.best_part - part.part))
