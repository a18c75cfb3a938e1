"""A metric of torchmetrics and Lightning that is exact under ties, batches and processes.

It takes the place of a metric such as `RetrievalNormalizedDCG(top_k=10)`, which keeps all scores,
loops over the queries, and puts equal scores in an order that PyTorch does not define::

    self.ndcg = RankingMetric(StreamingScore("ndcg@10"))  # in a LightningModule
    self.ndcg.update(scores, labels, indexes=query)  # as torchmetrics has it, scores first
    self.log("val_ndcg", self.ndcg)

Scores and labels are matrices with a query per row, or flat with `indexes`. With several
processes, `compute` merges their sums, and has the bits of one process. All rows of a query must
be in one batch of one process. A checkpoint in the middle of an epoch has the sums of its process.
"""

from __future__ import annotations

from copy import copy
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torchmetrics import Metric
from torchmetrics.utilities.exceptions import TorchMetricsUserError

from ranking_scores import StreamingScore
from ranking_scores.streaming import read_stream


class RankingMetric(Metric):
    """Wraps a `StreamingScore` of one or several scores."""

    is_differentiable = False
    full_state_update = True

    def __init__(self, stream: StreamingScore, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stream = _without_queries(stream)

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a higher score is better; None: the scores differ in this."""
        found = self.stream.greater_is_better
        each = set(found.values() if isinstance(found, dict) else np.ravel(found).tolist())
        return each.pop() if len(each) == 1 else None

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

    def get_extra_state(self) -> torch.Tensor:
        """Return the sums for `state_dict`, as bytes of JSON."""
        return torch.tensor(list(self.stream.to_json().encode()), dtype=torch.uint8)

    def set_extra_state(self, state: torch.Tensor) -> None:
        """Take the sums from a `state_dict`."""
        with TemporaryDirectory() as folder:
            path = Path(folder, "stream.json")
            path.write_bytes(bytes(state.tolist()))
            self.stream = _without_queries(self.stream).merge(read_stream(path))
        self._computed, self._update_count = None, int(self.stream.n_queries > 0)

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
