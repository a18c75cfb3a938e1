"""A metric of Keras that is exact under ties, batches and epochs.

It takes the place of a metric such as `keras_rs.metrics.NDCG`, which shuffles equal scores::

    ndcg = StreamingScore("keras_rs:NDCG@10")
    model.compile(loss=..., metrics=[RankingMetric(ndcg, name="ndcg")])

It has the gain of keras_rs, ``2**label - 1``. ``StreamingScore("ndcg@10")`` has a linear gain.

As there, `y_true` and `y_pred` are matrices with a query per row, and items with a label below 0
are padding. `y_true` may be a dict with "labels" and "mask". A `sample_weight` has one weight per
query.

The sums are not in variables of Keras, so the metric has to run outside of compiled graphs: the
backend torch does so, tensorflow does with ``run_eagerly=True``, and jax cannot. Load a saved
model with ``compile=False``.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import keras
import numpy as np

from ranking_scores import StreamingScore


class RankingMetric(keras.metrics.Metric):
    """Wraps a `StreamingScore` of one score."""

    def __init__(self, stream: StreamingScore, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self._stream = copy(stream)
        self._stream.reset()

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch."""
        mask = None
        if isinstance(y_true, dict):
            y_true, mask = y_true["labels"], y_true.get("mask")
        is_item = keras.ops.greater_equal(y_true, 0)
        if mask is not None:
            is_item = keras.ops.logical_and(is_item, mask)
        self._stream.update(y_true, y_pred, where=is_item, sample_weight=sample_weight)

    def result(self) -> float:
        """Return the score of all batches, NaN before the first one."""
        return self._stream.compute() if self._stream.n_queries else np.nan

    def reset_state(self) -> None:
        """Forget all batches, as Keras does before each epoch."""
        self._stream.reset()
