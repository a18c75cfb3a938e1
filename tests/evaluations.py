"""What a score is made of, as functions that take scores get it."""

from __future__ import annotations

from ranking_scores._metrics._evaluate import as_it_is, plan_of, run


def evaluation_of(score_func, y_true, y_score, **params):
    """Return what ``score_func(y_true, y_score, **params)`` is the mean of."""
    plan = plan_of(score_func, y_true, y_score, params)
    [evaluation] = run([(plan, as_it_is)], plan.data)
    return evaluation
