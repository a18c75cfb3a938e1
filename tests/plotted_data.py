"""The judgments, scores and results that most tests of pictures draw."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt

from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_query
from ranking_scores.plotting import RankingCurveDisplay, RankingDisplay
from ranking_scores.tables import from_lists
from ranking_scores.unanswerable import answer_curve

TEA = explain_query(
    from_lists(
        {"tea": {"a": 3, "b": 2, "c": 1}, "milk": {"d": 1}},
        {"tea": {"x": 5, "b": 4, "c": 3, "y": 3, "z": 1}, "milk": {"d": 1}},
    ),
    score="ndcg@3",
    query="tea",
)
RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 4, (30, 12)) * (RNG.random((30, 12)) < 0.4)
Y_SCORE = RNG.integers(0, 5, (30, 12)) / 2
OTHER = RNG.normal(size=(30, 12))
QID = np.repeat(RNG.permutation(30) * 7, 12)
WEIGHT = RNG.integers(0, 3, 30)
K = [1, 2, 5, 12, 20]
ANSWERS = answer_curve([True, True, True, False, False], [0.9, 0.8, 0.5, 0.6, -np.inf])
NAN = np.nan
from_predictions = RankingCurveDisplay.from_predictions
from_estimator = RankingCurveDisplay.from_estimator
from_cv_results = RankingCurveDisplay.from_cv_results
OLD = RNG.random(40)
SYSTEMS = {
    "old": OLD,
    "new": OLD + RNG.normal(0.2, 0.1, 40),
    "same": OLD + RNG.normal(0, 0.2, 40),
    "worse": OLD + RNG.normal(-0.2, 0.1, 40),
}


def refuse(call, *args, **params):
    """Return the message of the error that a call raises."""
    figures = plt.get_fignums()
    with pytest.raises(InvalidParameterError) as caught:
        call(*args, **params)
    assert plt.get_fignums() == figures
    return str(caught.value)


def texts(display):
    """Return the entries of the legend."""
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def assert_same(drawn, expected):
    np.testing.assert_array_equal(np.asarray(drawn), np.asarray(expected), strict=True)


def draw_long_ranking(ax):
    labels, scores = np.arange(400) % 3 == 0, np.arange(400) // 2
    return RankingDisplay.from_predictions([labels], [scores], score="map", ax=ax)
