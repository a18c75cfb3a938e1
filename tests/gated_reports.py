"""Reports of given scores, which gates compare."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ranking_scores import average_relevant_position, dcg_score, ranking_report

RNG = np.random.default_rng(0)
N_QUERIES = 40
OLD = RNG.random(N_QUERIES)
HALF = RNG.normal(0, 0.1, N_QUERIES // 2)
SPREAD = np.r_[HALF, -HALF]  # without skewness
GROUPS = {"lang": ["de", "en"] * (N_QUERIES // 2), "size": [1] * 10 + [2] * 30}
NAN, INF = math.nan, math.inf
SURELY = ("surely worse", "surely not worse")
SKEWED = RNG.exponential(0.1, N_QUERIES) - 0.1
LABELS = np.eye(3)[[0] * 5 + [1] * 5]
LATE, EARLY = np.arange(3) * np.ones((10, 1)), -np.arange(3) * np.ones((10, 1))


def first(ranks):
    return (ranks == 1).astype(float)


def second(ranks):
    return (ranks == 2).astype(float)


SCORES = {"a": partial(dcg_score, discount=first), "b": partial(dcg_score, discount=second)}


def report_of(*columns, **params):
    """Return a report whose results "a" and "b" have these values of each query.

    They are the gains of the first and of the second item.
    """
    gains = np.zeros((len(columns[0]), 3))
    gains[:, : len(columns)] = np.array(columns).T
    order = np.broadcast_to([0.9, 0.6, 0.3], gains.shape)
    scores = dict(list(SCORES.items())[: len(columns)])
    return ranking_report(gains, order, scores=scores, k=None, **params)


def shifted(shift):
    """Return a report that is better than that of `OLD` by `shift`, with a known error."""
    return report_of(OLD + SPREAD + shift)


BASELINE = report_of(OLD)


def positions(scores, **params):
    """Return a report of the average position of the relevant items, of which lower is better."""
    return ranking_report(LABELS, scores, scores={"p": average_relevant_position}, **params)
