"""A metric of ignite that is exact under ties, batches and processes.

It takes the place of a metric such as `ignite.metrics.rec_sys.NDCG`, which leaves equal scores in
the order of the input::

    ndcg = StreamingScore("ndcg@10", gain="exponential", relevance_threshold=1,
                          replace_undefined_by=float("nan"))
    RankingMetric(ndcg).attach(evaluator, "ndcg")
    evaluator.run(loader)
    evaluator.state.metrics["ndcg"]

These options are those of ignite, and ``StreamingScore("ignite:NDCG@10")`` also leaves ties in the
order of the input. ``StreamingScore("ndcg@10")`` has a linear gain.

The output of the engine is ``(scores, labels)``, matrices with a query per row, or
``(scores, labels, {"qid": query})`` for flat ones, with other arrays that `StreamingScore.update`
takes. `output_transform` makes it of another output. With several processes, the sums of all of
them are merged.
"""

from __future__ import annotations

from copy import copy
from functools import reduce
from typing import Any

import ignite.distributed as idist
from ignite.exceptions import NotComputableError
from ignite.metrics import Metric
from sklearn.exceptions import NotFittedError

from ranking_scores import StreamingScore


class RankingMetric(Metric):
    """Wraps a `StreamingScore` of one or several scores."""

    def __init__(self, stream: StreamingScore, **kwargs: Any) -> None:
        self._stream = copy(stream)
        super().__init__(**kwargs)  # which calls `reset`

    def reset(self) -> None:
        """Forget all batches."""
        self._stream.reset()

    def update(self, output: Any) -> None:
        """Add a batch of scores, labels and perhaps other arrays."""
        y_score, y_true, *arrays = output
        self._stream.update(y_true, y_score, **(arrays[0] if arrays else {}))

    def compute(self) -> Any:
        """Return the score of all batches of all processes, or a dict of scores."""
        total = reduce(StreamingScore.merge, idist.all_gather(self._stream))
        try:
            return total.compute()
        except NotFittedError as error:
            raise NotComputableError("There must be a batch before the score.") from error
