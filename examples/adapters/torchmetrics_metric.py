"""A metric of torchmetrics and Lightning that is exact under ties, batches and processes.

It takes the place of a metric such as `RetrievalNormalizedDCG(top_k=10)`, which keeps all scores,
loops over the queries, and puts equal scores in an order that PyTorch does not define::

    self.ndcg = RankingMetric(StreamingScore("ndcg@10"))  # in a LightningModule
    self.ndcg.update(scores, labels, indexes=query)  # as torchmetrics has it, scores first
    self.log("val_ndcg", self.ndcg)

Scores and labels are matrices with a query per row, or flat with `indexes`. With several
processes, `compute` merges their sums, and has the bits of one process. All rows of a query must
be in one batch of one process.
"""

from __future__ import annotations

from copy import copy
from functools import reduce
from typing import Any

import torch
import torch.distributed as dist
from torchmetrics import Metric
from torchmetrics.utilities.exceptions import TorchMetricsUserError

from ranking_scores import StreamingScore


class RankingMetric(Metric):
    """Wraps a `StreamingScore` of one or several scores."""

    is_differentiable = False
    higher_is_better = True
    full_state_update = True

    def __init__(self, stream: StreamingScore, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stream = _without_queries(stream)

    def update(self, preds: Any, target: Any, indexes: Any = None, **arrays: Any) -> None:
        """Add a batch. `arrays` are others that `StreamingScore.update` takes, such as `where`."""
        self.stream.update(target, preds, qid=indexes, **arrays)

    def compute(self) -> Any:
        """Return the score of all batches of all processes, or a dict of scores."""
        found = self.stream.compute()
        if isinstance(found, dict):
            return {name: torch.tensor(each, dtype=torch.float64) for name, each in found.items()}
        return torch.tensor(found, dtype=torch.float64)

    def forward(self, preds: Any, target: Any, indexes: Any = None, **arrays: Any) -> Any:
        """Add a batch, and return its own value, which `self.log` shows while the epoch runs."""
        self.update(preds, target, indexes, **arrays)
        batch = RankingMetric(self.stream, sync_on_compute=self.dist_sync_on_step)
        batch.update(preds, target, indexes, **arrays)
        self._forward_cache = batch.compute()
        return self._forward_cache

    def reset(self) -> None:
        """Forget all batches."""
        super().reset()
        self.stream = _without_queries(self.stream)

    def merge_state(self, incoming_state: RankingMetric) -> None:
        """Add the batches of another metric."""
        self.stream.merge(incoming_state.stream)
        self._computed = None

    def sync(
        self,
        dist_sync_fn: Any = None,
        process_group: Any = None,
        should_sync: bool = True,
        distributed_available: Any = None,
    ) -> None:
        """Merge the streams of all processes. `compute` calls this, and `unsync` after it."""
        if not should_sync or not (distributed_available or self.distributed_available_fn)():
            return
        if self._is_synced:
            raise TorchMetricsUserError("The Metric has already been synced.")
        streams: list[Any] = [None] * dist.get_world_size(process_group or self.process_group)
        dist.all_gather_object(streams, self.stream, process_group or self.process_group)
        self._own, self.stream = self.stream, reduce(StreamingScore.merge, streams)
        self._is_synced = True

    def unsync(self, should_unsync: bool = True) -> None:
        """Go back to the stream of this process alone."""
        if not should_unsync:
            return
        if not self._is_synced:
            raise TorchMetricsUserError("The Metric has already been un-synced.")
        self.stream = self._own
        self._is_synced = False


def _without_queries(stream: StreamingScore) -> StreamingScore:
    """Return a stream of the same scores without their data."""
    new = copy(stream)
    new.reset()
    return new
