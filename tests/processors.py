"""The scores on processors with fewer instructions, as far as NumPy can leave out what there is.

NumPy has several versions of its loops, and takes the one for the processor when it is imported.
``NPY_DISABLE_CPU_FEATURES`` leaves out some. Each setting is a process of its own::

    python tests/processors.py -n auto           # the tests of exactness, in each setting
    python tests/processors.py --sample          # the same in one of them, by chance
    python tests/processors.py --write FILE.npz  # many values of each query, in this setting
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from defined import takes
from numpy._core import _multiarray_umath

import ranking_scores
from ranking_scores import dcg_score, ndcg_score
from ranking_scores._metrics._named import SCORES as NAMED

TESTS = Path(__file__).parent
EXACT = [
    "queries/test_top_k_candidates",
    "base/test_exact",
    "queries/test_item_weight",
    "metrics/test_known_values",
    "test_laws",
    "metrics/test_pairs",
    "metrics/test_profiles",
    "metrics/test_reference",
    "metrics/test_relevance_scores",
    "base/test_sorting",
]
"""The test files that compare scores with definitions, and bits with bits."""

CUTOFFS = [1, 3, 10, 10**6]
OPTIONS = {"k": CUTOFFS, "max_grade": 4}
"""What the scores are given that have these parameters."""
SCORES = {
    **{
        name: (score, {each: OPTIONS[each] for each in OPTIONS if takes(score, each)})
        for name, score in NAMED.items()
    },
    "dcg of powers": (dcg_score, {"k": CUTOFFS, "gain": "exponential"}),
    "dcg without logarithms": (dcg_score, {"k": CUTOFFS, "discount": lambda rank: 1 / rank}),
    "ndcg without logarithms": (ndcg_score, {"k": CUTOFFS, "discount": lambda rank: 1 / rank}),
}
"""Every score, with options. Those with logarithms or powers are named in `MAY_DIFFER`."""
MAY_DIFFER = {"alpha_ndcg", "dcg", "dcg of powers", "ndcg", "rbp"}
"""What NumPy computes by loops that round otherwise: logarithms and powers of other numbers."""


REFUSE = {"retrieved": {"arp", "auc", "pairwise_accuracy"}, "fractions": {"err"}}
"""By layout the scores that do not take items without a rank, or labels that are not whole."""


def layouts() -> dict[str, dict[str, Any]]:
    """Return the same kind of queries in several layouts, full of ties and almost without."""
    rng = np.random.default_rng(0)
    shape = 300, 60
    y_true = rng.integers(0, 5, shape) * (rng.random(shape) < 0.4)
    y_true[:, 0] = 1
    few, many = rng.integers(0, 9, shape) / 4, rng.random(shape).astype(np.float32)
    qid = rng.integers(0, 300, y_true.size)
    found = rng.random(shape) < 0.3
    return {
        "rows": {"y_true": y_true, "y_score": few},
        "mask": {"y_true": y_true, "y_score": many, "where": found | (y_true > 2)},
        "qid": {"y_true": y_true.ravel(), "y_score": few.ravel(), "qid": qid},
        "long": {
            "y_true": rng.integers(0, 5, (4, 20_000)) * (rng.random((4, 20_000)) < 0.1),
            "y_score": rng.integers(-(2**40), 2**40, (4, 20_000)),
        },
        "sparse labels": {"y_true": sp.csr_array(y_true), "y_score": many},
        "fractions": {"y_true": y_true / 3, "y_score": few},
        "retrieved": {"y_true": y_true, "y_score": sp.csr_array(np.where(found, few + 1, 0))},
    }


def values() -> dict[str, np.ndarray]:
    """Return the values of each query, by score and layout, with ties and without."""
    found = {}
    of_layouts = layouts()
    for (name, (score, options)), layout in product(SCORES.items(), of_layouts):
        takes_order = takes(score, "ignore_ties")
        for ignore_ties in (False, True)[: 1 + takes_order]:
            more = options | ({"ignore_ties": ignore_ties} if takes_order else {})
            if name not in REFUSE.get(layout, ()):
                key = f"{name}, {layout}{', ignore_ties' * ignore_ties}"
                found[key] = score(**of_layouts[layout], **more, average=None)
    return found


def settings() -> dict[str, str]:
    """Return what to leave out, by the name of the setting: what this processor would take."""
    there = [
        name
        for name in _multiarray_umath.__cpu_dispatch__
        if _multiarray_umath.__cpu_features__.get(name)
    ]
    without = [name for name in there if name.startswith("AVX512") or name == "X86_V4"]
    found = {"no AVX-512": " ".join(without), "baseline": " ".join(there)}
    return {name: left_out for name, left_out in found.items() if left_out}


def in_setting(left_out: str, arguments: list[str]) -> int:
    """Return the status of Python in a setting, with the package that this process has."""
    package = str(Path(ranking_scores.__file__).parents[1])
    paths = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": left_out, "PYTHONPATH": paths}
    return subprocess.run([sys.executable, *arguments], env=environment, check=False).returncode


def main(arguments: list[str] | None = None) -> int:
    """Run the tests in each setting, or write the values in this one; return the status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--sample", action="store_true", help="one of the settings, by chance")
    options, of_pytest = parser.parse_known_args(arguments)
    if options.write:
        np.savez(options.write, **values())
        return 0
    paths = [str(TESTS / f"{name}.py") for name in EXACT]
    statuses, chosen = [], settings()
    if options.sample and chosen:
        name = random.choice([*chosen])
        chosen = {name: chosen[name]}
    for name, left_out in chosen.items():
        print(f"{name}: NPY_DISABLE_CPU_FEATURES='{left_out}'", flush=True)
        statuses.append(in_setting(left_out, ["-m", "pytest", "-q", *of_pytest, *paths]))
    return max(statuses, default=0)


if __name__ == "__main__":
    sys.exit(main())
