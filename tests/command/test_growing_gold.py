"""The command where questions are added to the gold set, and a baseline that follows."""

from __future__ import annotations

import math
import re

import numpy as np

from ranking_scores._command._output import _history


def test_means_over_time_have_a_picture_that_is_as_high_as_they_differ():
    means = {"ndcg@10": [0.72, math.nan, 0.71, 0.7], "<mrr>": [0.5, 0.5, 0.5, 0.5], "map": [1.0]}
    dates = ["<1>", "2026-11-02", "2026-11-03", "2026-11-04"]
    falls, flat = _history(dates, means)
    [points] = re.findall('<polyline points="(.*?)"', falls)
    x, y = np.array([each.split(",") for each in points.split()], float).T
    np.testing.assert_allclose(x, np.interp([0, 2, 3], (0, 3), (44, 632)), atol=0.051)
    np.testing.assert_allclose(y, (8, 112, 216), atol=0.051)
    for text in (">0.72<", ">0.7<", ">&lt;1&gt;<", ">2026-11-04<", "ndcg@10 over time"):
        assert text in falls
    assert set(re.findall(r",(\d+\.\d)", flat)) == {"216.0"}
    assert "&lt;mrr&gt;" in flat
