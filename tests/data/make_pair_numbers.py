"""Record what other libraries answer for the accuracy of pairs, in pair_numbers.json.

Run by hand, never in CI and by no test: the tests read the numbers, so that they need none of the
libraries. A run asks the libraries that it finds installed; the others keep the entries recorded
before, since they do not share an environment. In each environment, on Python 3.11, run
``python tests/data/make_pair_numbers.py``:

- rax: ``pip install jax==0.10.2 rax==0.4.0``
- TF-Ranking: ``pip install tensorflow-cpu==2.15.1 tensorflow-ranking==0.5.5``
- torchrec: ``pip install torch==2.13.0 fbgemm-gpu-cpu==1.8.0 tensordict pyre-extensions`` and
  ``pip install --no-deps torchrec==1.8.0 torchmetrics==1.0.3 lightning-utilities``, since it asks
  for an fbgemm-gpu that wants CUDA

The file holds under "cases" the inputs: `y_true`, `y_score`, `where` an item takes part, or null
for everywhere, and what each case is about. Under "libraries" it holds for each library its
version, what it was built on, a note, and under "results" for each case `per_query`, the answer to
each query alone, and `all`, the one to all queries together. All of them work in float32; labels
and scores are numbers that float32 holds. Only the case "ties" has equal scores, in one query.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Rows = list[list[float]]
Mask = list[list[bool]]
Answer = Callable[[Rows, Rows, Mask], float]
"""What a library answers for some queries together, of labels, scores and where an item is."""

PATH = Path(__file__).with_name("pair_numbers.json")


def draw_scores(source: random.Random, n_queries: int, n_items: int) -> Rows:
    """Scores of which none are equal in a query."""
    return [[x / 64 for x in source.sample(range(-512, 512), n_items)] for _ in range(n_queries)]


def graded(source: random.Random, n_queries: int, n_items: int) -> Rows:
    """Labels from 0 to 4."""
    return [source.choices(range(5), k=n_items) for _ in range(n_queries)]


def cases() -> dict[str, dict[str, Any]]:
    """The inputs."""
    source = random.Random(0)
    made: dict[str, dict[str, Any]] = {
        "by_hand": {
            "about": "numbers that are worked out on paper: 4 of 6 pairs, and 1 of 4",
            "y_true": [[3, 1, 0, 2], [1, 0, 1, 0]],
            "y_score": [[4, 3, 2, 1], [1, 2, 3, 4]],
        },
        "grades": {
            "about": "grades, and a query of which all labels are equal",
            "y_true": [*graded(source, 5, 8), [2] * 8],
            "y_score": draw_scores(source, 6, 8),
        },
        "clicks": {
            "about": "labels 0 and 1, and a query without any 1",
            "y_true": [*(source.choices([0, 0, 1], k=7) for _ in range(4)), [0] * 7],
            "y_score": draw_scores(source, 5, 7),
        },
        "times": {
            "about": "labels that are all different",
            "y_true": [[x / 8 for x in source.sample(range(800), 12)] for _ in range(4)],
            "y_score": draw_scores(source, 4, 12),
        },
        "long": {
            "about": "longer queries",
            "y_true": graded(source, 3, 60),
            "y_score": draw_scores(source, 3, 60),
        },
        "masked": {
            "about": "items that take no part, and queries with one item left, or none",
            "y_true": graded(source, 6, 9),
            "y_score": draw_scores(source, 6, 9),
            "where": [
                *([source.random() < 2 / 3 for _ in range(9)] for _ in range(4)),
                [item == 4 for item in range(9)],
                [False] * 9,
            ],
        },
        "ties": {
            "about": "equal scores of unequal labels",
            "y_true": [[3, 1, 0, 2, 5]],
            "y_score": [[2, 2, 1, 1, 1]],
        },
    }
    return {name: {**case, "where": case.get("where")} for name, case in made.items()}


def of_rax(y_true: Rows, y_score: Rows, where: Mask) -> float:
    """What rax answers."""
    import jax.numpy as jnp
    import rax

    scores, labels = jnp.array(y_score, float), jnp.array(y_true, float)
    return float(rax.opa_metric(scores, labels, where=jnp.array(where)))


def of_tf_ranking(y_true: Rows, y_score: Rows, where: Mask) -> float:
    """What TF-Ranking answers, where items of negative labels take no part."""
    import tensorflow_ranking

    labels = [
        [label if is_item else -1.0 for label, is_item in zip(*of_query, strict=True)]
        for of_query in zip(y_true, where, strict=True)
    ]
    return float(tensorflow_ranking.keras.metrics.OPAMetric()(labels, y_score).numpy())


def of_torchrec(y_true: Rows, y_score: Rows, where: Mask) -> float:
    """What torchrec answers, to which the items of each query are a batch of their own."""
    import torch
    from torchrec.metrics.metrics_config import RecTaskInfo
    from torchrec.metrics.xauc import XAUCMetric

    task = RecTaskInfo("task", "label", "prediction", "weight")
    metric = XAUCMetric(1, 0, len(y_true[0]), [task], window_size=10**6)
    for labels, scores, is_item in zip(y_true, y_score, where, strict=True):
        items = torch.tensor(is_item)
        labels, scores = (torch.tensor(each, dtype=torch.float32) for each in (labels, scores))
        weights = torch.ones(int(items.sum()))
        metric.update(
            predictions={"task": scores[items]},
            labels={"task": labels[items]},
            weights={"task": weights},
        )
    return float(metric.compute()["xauc-task|lifetime_xauc"])


class Library(NamedTuple):
    """A library to ask."""

    name: str
    module: str
    answer: Answer
    distribution: str
    built_on: tuple[str, ...]
    note: str


LIBRARIES = [
    Library(
        "rax",
        "rax",
        of_rax,
        "rax",
        ("jax",),
        "opa_metric. A pair of equal scores is not in order. A query without a pair counts 0 in "
        "the mean, and one without items is left out.",
    ),
    Library(
        "TF-Ranking",
        "tensorflow_ranking",
        of_tf_ranking,
        "tensorflow-ranking",
        ("tensorflow",),
        "keras.metrics.OPAMetric. A pair of equal scores is not in order. In the mean a query "
        "weighs as much as it has pairs. Items of a negative label take no part.",
    ),
    Library(
        "torchrec",
        "torchrec",
        of_torchrec,
        "torchrec",
        ("torch",),
        "metrics.xauc.XAUCMetric, lifetime. Divided by all pairs, also those of equal labels, "
        "which are in order if their scores are equal too. A pair of unequal labels and equal "
        "scores is not in order.",
    ),
]


def entry_of(library: Library, inputs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """All that is recorded of a library."""
    results = {}
    for name, case in inputs.items():
        y_true, y_score = case["y_true"], case["y_score"]
        where = case["where"] or [[True] * len(row) for row in y_true]
        per_query = [
            library.answer(*([row] for row in of_query))
            for of_query in zip(y_true, y_score, where, strict=True)
        ]
        results[name] = {"per_query": per_query, "all": library.answer(y_true, y_score, where)}
    return {
        "version": importlib.metadata.version(library.distribution),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "built_on": {
            name: importlib.metadata.version(name).partition("+")[0] for name in library.built_on
        },
        "note": library.note,
        "results": results,
    }


def main() -> None:
    """Ask the installed libraries, and write the file with the others' entries as they were."""
    inputs = cases()
    recorded = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    entries = {}
    for library in LIBRARIES:
        if importlib.util.find_spec(library.module) is not None:
            entries[library.name] = entry_of(library, inputs)
        elif library.name in recorded.get("libraries", {}):
            entries[library.name] = recorded["libraries"][library.name]
    text = json.dumps({"cases": inputs, "libraries": entries}, indent=2, allow_nan=False)
    innermost = re.compile(r"(?<=\[)\s+([^\[\]{}]*?)\s+(?=\])")
    text = innermost.sub(lambda found: " ".join(found[1].split()), text)
    PATH.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
