"""Two processes of gloo, each with its share of the queries, print what two adapters compute.

    python -m torch.distributed.run --standalone --nproc-per-node=2 tests/gloo_worker.py FOLDER

FOLDER has the adapters. Without `torch.distributed.run`, one process has all queries.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np

from ranking_scores import StreamingScore


def main() -> None:
    """Print the results as JSON."""
    sys.path.insert(0, sys.argv[1])
    import ignite_metric
    import torch
    import torch.distributed as dist
    import torchmetrics_metric
    from ignite.engine import Engine

    rank, n_processes = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if n_processes > 1:
        dist.init_process_group("gloo")

    rng = np.random.default_rng(0)
    labels, scores = (torch.from_numpy(rng.integers(0, 4, (31, 12))) for _ in range(2))
    mine = list(range(rank, 31, n_processes))  # 16 queries, and 15
    batches = [(scores[part], labels[part]) for part in (mine[:6], mine[6:])]

    metric = torchmetrics_metric.RankingMetric(StreamingScore("ndcg@10"))
    for y_score, y_true in batches:
        of_batch = metric(y_score, y_true).item()
    of_all = metric.compute().item()
    n_own = metric.stream.n_queries  # which `compute` gives back
    metric.update(scores[rank : rank + 1], labels[rank : rank + 1])
    of_more = metric.compute().item()
    metric.reset()
    for y_score, y_true in batches:
        metric.update(y_score, y_true)
    after_reset = metric.compute().item()

    engine = Engine(lambda _, batch: batch)
    ignite_metric.RankingMetric(StreamingScore("ndcg@10")).attach(engine, "ndcg")
    of_ignite = engine.run(batches, max_epochs=2).metrics["ndcg"]

    if rank == 0:
        found = {"all": of_all, "more": of_more, "reset": after_reset, "ignite": of_ignite}
        print(json.dumps(found | {"batch": of_batch, "n_own": n_own}))
    if n_processes > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
