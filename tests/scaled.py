"""The results of `ranking_scores.scale` in the form of one call of the scores."""

from __future__ import annotations

import numpy as np

from ranking_scores import scale

PARAMETERS = {"label": "y_true", "score": "y_score", "query": "qid"}
"""What takes in one call what a column holds, by the keyword for the column."""


def of_arrays(columns):
    """Return columns by the parameters that take them in one call."""
    return {PARAMETERS.get(keyword, keyword): column for keyword, column in columns.items()}


def in_form(report, scores, k):
    """Return the means of a report: a dict for several scores, an array for several cutoffs."""
    if isinstance(scores, (list, dict)):
        return dict(report.mean)
    values = np.array(list(report.mean.values()))
    return values if isinstance(k, list) else values.item()


def means(data, scores="ndcg", *, k=None, **params):
    """Return the means of data."""
    function = scale.per_query if "path" in params else scale.report
    return in_form(function(data, scores=scores, k=k, **params), scores, k)


def means_of_tables(judgments, predictions, scores="ndcg", *, k=None, **params):
    """Return the means of judgments and predictions."""
    report = scale.report_tables(judgments, predictions, scores=scores, k=k, **params)
    return in_form(report, scores, k)


def values_per_query(data, scores="ndcg", *, k=None, **params):
    """Return the values of each query."""
    return scale.per_query(data, scores=scores, k=k, **params)
