"""Record what keras_rs answers for DCG and nDCG with weights and masks, in keras_weights.json.

Run by hand, never in CI and by no test: the tests read the numbers, so that they do not need the
library. On Python 3.11::

    pip install torch==2.13.0 keras==3.15.1 keras-rs==0.4.0
    KERAS_BACKEND=torch python tests/data/make_keras_weights.py

The file holds the version, what it was built on, a note, and the "cases". In a case

- `y_true`, `y_score` and `mask` are matrices, or null for no mask. An item takes part where the
  mask is true and the label is not negative: the library ignores negative labels by itself;
- `weights` are the item weights, a matrix, or null;
- `list_weights` are a scalar or one weight per list, or null. The library spreads them over the
  items: ``numpy.reshape(list_weights, (-1, 1))`` broadcasts to the item weights that they mean.
  A case has at most one of the two;
- `k` is the cutoff, null for the whole list, and `gain` "exponential" or "linear";
- `dcg_score` and `ndcg_score` are the weighted means over the lists that its metrics `DCG` and
  `NDCG` return, all lists passed as one batch.

The inputs are drawn by seed and recorded, none has equal scores, and the answers are checked not
to depend on the seed of the library.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Rows = list[list[float]]
Mask = list[list[bool]]
Case = dict[str, Any]

PATH = Path(__file__).with_name("keras_weights.json")
N_SEEDS = 10
TOLERANCE = 1e-6
METRICS = {"dcg_score": "DCG", "ndcg_score": "NDCG"}
CUTOFFS = (1, 3, None)
LABELS = (0, 0, 0, 1, 2, 3, 4)
WEIGHTS = (0, 0.5, 1, 2, 3.25)
NOTE = (
    "In float32, on the torch backend, with the defaults but for k and gain_fn: shuffle_ties=True "
    "leaves scores alone that differ, while shuffle_ties=False lowers each by 1e-6 times its "
    "position and can so rank a masked item above the last of the others. Masked items get the "
    "lowest score of their list less 1e-7, which in float32 sets them apart only where that "
    "score lies between -2 and 2: those of the items that take part lie between 0 and 1 here. "
    "Items of weight 0 are masked. A list of which no item is left has the weight 0; one with "
    "items but without gain has the mean weight of the lists of its batch that have gain. Where "
    "all lists have the weight 0, the answer is 0."
)


def draw(source: random.Random, n_lists: int, n_items: int) -> tuple[Rows, Rows]:
    """Labels and scores; the scores of a list differ by 0.01 or more."""
    y_true = [source.choices(LABELS, k=n_items) for _ in range(n_lists)]
    y_score = [
        [rank / 100 for rank in source.sample(range(1, 100), n_items)] for _ in range(n_lists)
    ]
    return [[float(label) for label in row] for row in y_true], y_score


def draw_mask(source: random.Random, n_lists: int, n_items: int) -> Mask:
    """About two items out of three are kept."""
    return [[source.random() < 2 / 3 for _ in range(n_items)] for _ in range(n_lists)]


def draw_weights(source: random.Random, n_lists: int, n_items: int) -> Rows:
    """Item weights, zeros among them."""
    return [source.choices(WEIGHTS, k=n_items) for _ in range(n_lists)]


def table() -> Iterator[Case]:
    """Small lists that can be worked out by hand."""
    yield {
        "name": "one_list",
        "y_true": [[1, 0, 3, 2]],
        "y_score": [[0.1, 0.8, 0.9, 0.7]],
        "weights": [[2, 1, 3, 0]],
    }
    four: Case = {
        "y_true": [[0, 0, 1, 0], [1, 0, 3, 2], [0, 0, 0, 0], [2, 1, 0, 0]],
        "y_score": [
            [0.1, 0.2, 0.9, 0.3],
            [0.1, 0.8, 0.9, 0.7],
            [0.4, 0.3, 0.2, 0.1],
            [0.9, 0.7, 0.1, 0.2],
        ],
    }
    for k in (1, 2, 3, None):
        yield {"name": "four_lists", **four, "k": k}
    list_weights = [1, 0.5, 2, 1]
    spread = [[weight] * 4 for weight in list_weights]
    yield {"name": "four_lists_spread_weights", **four, "weights": spread}
    yield {"name": "four_lists_list_weights", **four, "list_weights": list_weights}
    yield {
        "name": "two_lists",
        "y_true": [[1, 0], [0, 1]],
        "y_score": [[0.2, 0.1], [0.2, 0.1]],
        "weights": [[3, 3], [1, 1]],
    }
    for scalar in (2.5, 0):
        yield {"name": f"four_lists_scalar_{scalar}", **four, "list_weights": scalar}


def masks() -> Iterator[Case]:
    """Masks and negative labels, without weights."""
    source = random.Random(1)
    y_true, y_score = draw(source, 6, 6)
    mask = draw_mask(source, 6, 6)
    mask[1] = [False] * 6  # nothing is left
    mask[2] = [item == 3 for item in range(6)]  # one item is left, a relevant one
    y_true[2][3] = 2
    mask[3] = [item == 4 for item in range(6)]  # one item is left, without gain
    y_true[3][4] = 0
    y_true[3][1] = 3
    y_true[4] = [0, 3, 0, 0, 1, 0]  # the relevant items are masked
    mask[4] = [True, False, True, True, False, True]
    mask[5] = [True] * 6
    for k in CUTOFFS:
        yield {"name": "mask", "y_true": y_true, "y_score": y_score, "mask": mask, "k": k}

    source = random.Random(2)
    y_true, y_score = draw(source, 5, 5)
    kept = draw_mask(source, 5, 5)
    kept[3] = [False] * 5
    y_true = [
        [label if keep else -1 for label, keep in zip(*pair, strict=True)]
        for pair in zip(y_true, kept, strict=True)
    ]
    for k in CUTOFFS:
        yield {"name": "negative_labels", "y_true": y_true, "y_score": y_score, "k": k}

    source = random.Random(3)
    y_true, y_score = draw(source, 3, 8)
    mask = draw_mask(source, 3, 8)
    for row in y_true:
        row[source.randrange(8)] = -1
    for k in CUTOFFS:
        yield {
            "name": "mask_and_negative_labels",
            "y_true": y_true,
            "y_score": y_score,
            "mask": mask,
            "k": k,
        }

    yield {
        "name": "mask_on_extreme_scores",
        "y_true": [[1, 2, 3, 0], [0, 2, 3, 1]],
        "y_score": [[0.4, 1e6, 0.2, 0.3], [0.5, 0.1, -100, 0.6]],
        "mask": [[True, False, True, True], [True, True, False, True]],
    }
    yield {
        "name": "all_masked",
        "y_true": [[1, 0, 3, 2], [0, 2, 0, 1], [-1, -1, -1, -1]],
        "y_score": [[0.4, 0.1, 0.2, 0.3], [0.5, 0.1, 0.2, 0.6], [0.1, 0.2, 0.3, 0.4]],
        "mask": [[False] * 4, [False] * 4, [True] * 4],
    }


def item_weights() -> Iterator[Case]:
    """Item weights, with zeros, alone and with masks."""
    for seed, n_lists, n_items in ((16, 5, 4), (5, 6, 7)):
        source = random.Random(seed)
        y_true, y_score = draw(source, n_lists, n_items)
        weights = draw_weights(source, n_lists, n_items)
        weights[0] = [0] * n_items  # no item is left
        y_true[1] = [0.0] * n_items  # no gain, but weights
        y_true[2] = [3, 2] + [0.0] * (n_items - 2)  # the relevant items weigh nothing
        weights[2] = [0, 0, *weights[2][2:-1], 2]
        for k in CUTOFFS:
            yield {
                "name": f"weights_{n_lists}x{n_items}",
                "y_true": y_true,
                "y_score": y_score,
                "weights": weights,
                "k": k,
            }

    source = random.Random(6)
    y_true, y_score = draw(source, 6, 8)
    weights = draw_weights(source, 6, 8)
    mask = draw_mask(source, 6, 8)
    y_true[0] = [0] * 8
    mask[1] = [False] * 8
    mask[2] = [weight == 0 for weight in weights[2]]  # between mask and weights, nothing is left
    y_true[3][2] = y_true[4][5] = -1
    weights[3][2] = 3.25
    for k in CUTOFFS:
        yield {
            "name": "weights_and_mask",
            "y_true": y_true,
            "y_score": y_score,
            "mask": mask,
            "weights": weights,
            "k": k,
        }

    source = random.Random(17)
    y_true, y_score = draw(source, 5, 6)
    y_true = [[label / 2 for label in row] for row in y_true]
    y_true[3] = [0] * 6
    weights = draw_weights(source, 5, 6)
    for gain in ("exponential", "linear"):
        for k in CUTOFFS:
            yield {
                "name": f"fractional_labels_{gain}",
                "y_true": y_true,
                "y_score": y_score,
                "weights": weights,
                "k": k,
                "gain": gain,
            }

    source = random.Random(8)
    y_true, y_score = draw(source, 3, 5)
    weights = draw_weights(source, 3, 5)
    no_gain = [[0] * 5 for _ in y_true]
    yield {"name": "weights_no_gain", "y_true": no_gain, "y_score": y_score, "weights": weights}
    nothing = [[0] * 5 for _ in y_true]
    yield {"name": "weights_all_zero", "y_true": y_true, "y_score": y_score, "weights": nothing}


def list_weights() -> Iterator[Case]:
    """Weights of the lists: of one without gain, of one without items, and a 0."""
    source = random.Random(9)
    y_true, y_score = draw(source, 6, 5)
    mask = draw_mask(source, 6, 5)
    y_true[1] = [0] * 5
    mask[1] = [True] * 5
    mask[4] = [False] * 5
    for k in CUTOFFS:
        yield {
            "name": "list_weights_and_mask",
            "y_true": y_true,
            "y_score": y_score,
            "mask": mask,
            "list_weights": [1, 3.25, 0.5, 0, 2, 2],
            "k": k,
        }
    yield {
        "name": "scalar_and_mask",
        "y_true": y_true,
        "y_score": y_score,
        "mask": mask,
        "list_weights": 3.25,
        "k": 3,
    }


def answer_of(case: Case, name: str, seed: int) -> float:
    """What a metric of the library answers for the case, all lists in one batch."""
    os.environ["KERAS_BACKEND"] = "torch"
    import keras_rs

    own = {"gain_fn": lambda label: label} if case["gain"] == "linear" else {}
    metric = getattr(keras_rs.metrics, name)(k=case["k"], seed=seed, **own)
    y_true, mask = case["y_true"], case["mask"]
    weights = case["list_weights"] if case["weights"] is None else case["weights"]
    metric.update_state(
        y_true if mask is None else {"labels": y_true, "mask": mask}, case["y_score"], weights
    )
    return float(metric.result())


def recorded(case: Case) -> Case:
    """The case with all its keys, its name made unique by the cutoff, and the answers."""
    absent = {
        "mask": None,
        "weights": None,
        "list_weights": None,
        "k": None,
        "gain": "exponential",
    }
    case = {**absent, **case}
    for row in case["y_score"]:
        ordered = sorted(row)
        if any(b - a < 1e-3 for a, b in itertools.pairwise(ordered)):
            raise ValueError(f"{case['name']}: scores too close to each other: {row}")
    results = {}
    for ours, theirs in METRICS.items():
        answers = [answer_of(case, theirs, seed) for seed in range(N_SEEDS)]
        if max(answers) - min(answers) > TOLERANCE:
            raise ValueError(f"{case['name']}: {theirs} depends on the seed: {answers}")
        results[ours] = answers[0]
    keys = ("y_true", "y_score", *absent)
    name = f"{case['name']}_k_{'all' if case['k'] is None else case['k']}"
    return {"name": name, **{key: case[key] for key in keys}, **results}


def whole_as_int(value: Any) -> Any:
    """Whole numbers without their ``.0``, at any depth."""
    if isinstance(value, list):
        return [whole_as_int(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def main() -> None:
    """Ask the library and write the file."""
    made_by = (table, masks, item_weights, list_weights)
    cases = [recorded(case) for make in made_by for case in make()]
    names = [case["name"] for case in cases]
    if len(set(names)) < len(names):
        raise ValueError("two cases of one name")
    entry = {
        "version": importlib.metadata.version("keras-rs"),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "built_on": {
            name: importlib.metadata.version(name).partition("+")[0] for name in ("keras", "torch")
        },
        "note": NOTE,
        "cases": [
            {key: value if key in METRICS else whole_as_int(value) for key, value in case.items()}
            for case in cases
        ],
    }
    text = json.dumps(entry, indent=2, allow_nan=False)
    innermost = re.compile(r"(?<=\[)\s+([^\[\]{}]*?)\s+(?=\])")
    text = innermost.sub(lambda found: " ".join(found[1].split()), text)
    PATH.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
