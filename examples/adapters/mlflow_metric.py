"""A metric of MLflow for rankings with one item per row.

`mlflow.metrics.ndcg_at_k` takes lists of retrieved ids, which have an order even where the scores
tied. This one takes labels, scores and the query of each row, so that ties are exact::

    mlflow.models.evaluate(
        data=frame,  # with the columns "label", "score" and "query"
        targets="label",
        predictions="score",
        extra_metrics=[ranking_metric("ndcg", k=10), ranking_metric("mrr")],
        evaluator_config={"col_mapping": {"qid": "query"}},
    )

logs "ndcg_at_10/mean" and "mrr/mean", with their standard errors beside them.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from mlflow.metrics import MetricValue, make_metric
from mlflow.models import EvaluationMetric

from ranking_scores import StreamingScore


def ranking_metric(score: str, k: int | None = None, **params: Any) -> EvaluationMetric:
    """Return a metric for the `extra_metrics` of MLflow.

    `score` is a name such as "ndcg", and `params` are the parameters of that score. The column of
    the queries is called "qid", or what `col_mapping` says.
    """

    def evaluate(
        predictions: pd.Series, targets: pd.Series, metrics: dict[str, Any], qid: pd.Series
    ) -> MetricValue:
        stream = StreamingScore(score, **options)
        stream.update(targets.to_numpy(), predictions.to_numpy(), qid=qid.to_numpy())
        return MetricValue(
            aggregate_results={
                "mean": stream.compute(),
                "standard_error": stream.standard_error,
            }
        )

    name = score if k is None else f"{score}_at_{k}"  # MLflow refuses names with an "@"
    options = params if k is None else {"k": k, **params}
    is_better = StreamingScore(score, **options).greater_is_better
    return make_metric(eval_fn=evaluate, greater_is_better=is_better, name=name)
