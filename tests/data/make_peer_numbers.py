"""Record what other libraries answer for nDCG on a few fixed cases, in peer_numbers.json.

Run by hand, never in CI and by no test: the tests read the numbers, so that they need none of
the libraries. A run asks the libraries it finds installed; the others keep the entries recorded
before, so they need not share an environment. In each environment, on Python 3.11, run
``python tests/data/make_peer_numbers.py``:

- scikit-learn: ``pip install scikit-learn==1.9.1``
- pytrec_eval: ``pip install pytrec_eval-terrier==0.5.11``
- ranx: ``pip install ranx==0.3.21``
- ignite: ``pip install torch==2.13.0 pytorch-ignite==0.5.5``
- torchmetrics: ``pip install torch==2.13.0 torchmetrics==1.9.0``
- keras_rs: ``pip install torch==2.13.0 keras==3.15.1 keras-rs==0.4.0``
- pytorchltr: ``pip install torch==2.13.0 "setuptools<81" wheel cython numpy``, then, because the
  released archive holds C code made for an older Python, from the tag of the release:
  ``pip install --no-build-isolation --no-deps
  git+https://github.com/rjagerman/pytorchltr@v0.2.1``

The file holds under "cases" the inputs, under "peers" for each library its version, the precision
it works in, a note and under "results" for each case a list of "runs". In a run

- `k`, `gain`, `ignore_ties` and `replace_undefined_by` are the keywords of
  `ranking_scores.ndcg_score` that come nearest, with null for None in `k` and for NaN in
  `replace_undefined_by` (the query is left out of the mean). Where an option of the library has
  no effect on a case, only its default is recorded;
- `options` are the library's own;
- `tie_order` says what happens to equal scores: "averaged", or else one order of them is taken,
  and it is "later_first" (as with `ignore_ties`), "earlier_first" (as with `ignore_ties` and the
  items reversed), "random" or "unspecified". The words are ours, the numbers the library's;
- `order`, where the case has several, is the order in which the items were passed;
- `deterministic` says whether `N_CALLS` calls gave one answer. If so, `per_query` has the value
  of each query passed alone (null: refused), and `mean` that of all passed together. If not,
  both are null, and `calls` has the first answers, after seeding with `SEED`, `n_distinct` how
  many differed, `min` and `max` their range and `distinct` all of them, unless they are many.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Rows = list[list[float]]
Score = Callable[[Rows, Rows], float | None]
"""The mean over the queries of one call, None if the library refuses."""

PATH = Path(__file__).with_name("peer_numbers.json")
N_CALLS = 50
SEED = 0

CASES: dict[str, dict[str, Any]] = {
    "six_items": {
        "y_true": [[0, 2, 1, 0, 0, 3]],
        "y_score": [[5, 5, 5, 2, 2, 1]],
        "k": [3],
    },
    "no_ties": {
        "y_true": [[3, 2, 3, 0, 1, 2]],
        "y_score": [[6, 5, 4, 3, 2, 1]],
        "k": [None],
    },
    "no_relevant": {
        "y_true": [[0, 0, 1, 1], [0, 0, 0, 0]],
        "y_score": [[4, 2, 3, 1], [1, 2, 3, 4]],
        "k": [1, 2, 3, 4],
    },
    "constant": {
        "y_true": [[10, 0, 0, 1, 5]],
        "y_score": [[1, 1, 1, 1, 1]],
        "k": [None],
        "orders": [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 3, 0, 4, 2]],
    },
    "beyond": {
        "y_true": [[1, 0, 2]],
        "y_score": [[0.3, 0.2, 0.1]],
        "k": [10],
    },
}


@dataclass(frozen=True)
class Variant:
    """One setting of a library's options; `start` seeds and gives the function for a cutoff."""

    start: Callable[[int | None], Score]
    gain: str
    tie_order: str
    replace_undefined_by: float | None = 0.0
    options: dict[str, Any] = field(default_factory=dict)
    only_for: str = "any"  # "ties", "no ties" or "empty": the cases that the setting is about

    def fits(self, y_true: Rows, y_score: Rows) -> bool:
        """Whether the setting says something about this case."""
        ties = any(len(set(row)) < len(row) for row in y_score)
        empty = not all(any(row) for row in y_true)
        return {"any": True, "ties": ties, "no ties": not ties, "empty": empty}[self.only_for]


@dataclass(frozen=True)
class Peer:
    """A library: how it is named, found and asked."""

    name: str
    distribution: str
    module: str
    variants: Callable[[], Iterator[Variant]]
    precision: str
    note: str
    built_on: tuple[str, ...] = ()


def scikit_learn() -> Iterator[Variant]:
    """scikit-learn has the linear gain only."""
    from sklearn.metrics import ndcg_score

    for ignore_ties in (False, True):

        def start(k: int | None, ignore_ties: bool = ignore_ties) -> Score:
            return lambda y, s: float(ndcg_score(y, s, k=k, ignore_ties=ignore_ties))

        yield Variant(
            start,
            "linear",
            "unspecified" if ignore_ties else "averaged",
            options={"ignore_ties": ignore_ties},
            only_for="no ties" if ignore_ties else "any",
        )


def by_name(rows: Rows, kind: type) -> dict[str, dict[str, Any]]:
    """The queries q0, q1, ... with the documents a, b, ..., named by their positions."""
    return {
        f"q{query}": {chr(ord("a") + item): kind(value) for item, value in enumerate(row)}
        for query, row in enumerate(rows)
    }


def pytrec_eval() -> Iterator[Variant]:
    """pytrec_eval is called with the linear gain only."""
    import pytrec_eval as peer

    def start(k: int | None) -> Score:
        measure = "ndcg" if k is None else f"ndcg_cut.{k}"
        key = measure.replace(".", "_")

        def score(y: Rows, s: Rows) -> float:
            answer = peer.RelevanceEvaluator(by_name(y, int), {measure}).evaluate(
                by_name(s, float)
            )
            values = [query[key] for query in answer.values()]
            return float(peer.compute_aggregated_measure(key, values))

        return score

    yield Variant(start, "linear", "later_first")


def ranx() -> Iterator[Variant]:
    """Two measures, one for each gain."""
    from ranx import Qrels, Run, evaluate

    for gain, measure in (("linear", "ndcg"), ("exponential", "ndcg_burges")):

        def start(k: int | None, measure: str = measure) -> Score:
            metric = measure if k is None else f"{measure}@{k}"

            def score(y: Rows, s: Rows) -> float:
                qrels = Qrels.from_dict(by_name(y, int))
                return float(evaluate(qrels, Run.from_dict(by_name(s, float)), metric))

            return score

        yield Variant(start, gain, "earlier_first", options={"measure": measure})


def ignite() -> Iterator[Variant]:
    """Both gains, and empty queries left out or not."""
    import torch
    from ignite.exceptions import NotComputableError
    from ignite.metrics.rec_sys import NDCG

    for gain, gain_function in (("exponential", "exp_rank"), ("linear", "linear_rank")):
        for ignore_zero_hits in (True, False):
            options = {"gain_function": gain_function, "ignore_zero_hits": ignore_zero_hits}

            def start(k: int | None, options: dict[str, Any] = options) -> Score:
                def score(y: Rows, s: Rows) -> float | None:
                    metric = NDCG(top_k=[k or len(y[0])], **options)
                    metric.update((torch.tensor(s, dtype=torch.float64), torch.tensor(y).double()))
                    try:
                        return float(metric.compute()[0])
                    except NotComputableError:
                        return None

                return score

            yield Variant(
                start,
                gain,
                "earlier_first",
                None if ignore_zero_hits else 0.0,
                options,
                "any" if ignore_zero_hits else "empty",
            )


def torchmetrics() -> Iterator[Variant]:
    """The linear gain, and three ways to count empty queries."""
    import torch
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    for action, value in (("neg", 0.0), ("pos", 1.0), ("skip", None)):

        def start(k: int | None, action: str = action) -> Score:
            def score(y: Rows, s: Rows) -> float:
                metric = RetrievalNormalizedDCG(empty_target_action=action, top_k=k)
                queries = torch.arange(len(y)).repeat_interleave(len(y[0]))
                metric.update(
                    torch.tensor(s, dtype=torch.float32).flatten(),
                    torch.tensor(y).flatten(),
                    indexes=queries,
                )
                return float(metric.compute())

            return score

        yield Variant(
            start,
            "linear",
            "averaged",
            value,
            {"empty_target_action": action},
            "any" if action == "neg" else "empty",
        )


def keras_rs() -> Iterator[Variant]:
    """Both gains, ties shuffled or not, one seeded metric for all calls."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    from keras_rs.metrics import NDCG

    for gain in ("exponential", "linear"):
        for shuffle_ties in (True, False):

            def start(k: int | None, gain: str = gain, shuffle_ties: bool = shuffle_ties) -> Score:
                own = {"gain_fn": lambda label: label} if gain == "linear" else {}
                metric = NDCG(k=k, shuffle_ties=shuffle_ties, seed=SEED, **own)

                def score(y: Rows, s: Rows) -> float:
                    metric.reset_state()
                    metric.update_state(y, s)
                    return float(metric.result())

                return score

            yield Variant(
                start,
                gain,
                "random" if shuffle_ties else "earlier_first",
                options={
                    "gain_fn": "default" if gain == "exponential" else "identity",
                    "shuffle_ties": shuffle_ties,
                },
                only_for="any" if shuffle_ties else "ties",
            )


def pytorchltr() -> Iterator[Variant]:
    """Both gains; the answers of the queries are averaged here."""
    import torch
    from pytorchltr.evaluation import ndcg

    for gain, exp in (("exponential", True), ("linear", False)):

        def start(k: int | None, exp: bool = exp) -> Score:
            torch.manual_seed(SEED)

            def score(y: Rows, s: Rows) -> float:
                sizes = torch.tensor([len(row) for row in y])
                scores = torch.tensor(s, dtype=torch.float32)
                values = ndcg(scores, torch.tensor(y), sizes, k=k or len(y[0]), exp=exp)
                return float(values.mean())

            return score

        yield Variant(start, gain, "random", options={"exp": exp})


PEERS = [
    Peer(
        "scikit-learn",
        "scikit-learn",
        "sklearn",
        scikit_learn,
        "float64",
        "No option for the gain. ignore_ties=True is recorded only where no scores are equal: it "
        "ranks by an argsort that is not stable, so the order of equals, and with it the answer, "
        "depends on the size of the input and on the CPU.",
    ),
    Peer(
        "pytrec_eval",
        "pytrec_eval-terrier",
        "pytrec_eval",
        pytrec_eval,
        "float64",
        "Equal scores are ordered by document id, descending. The ids here are a, b, c, ... by "
        "position, hence later_first; ids that stay with their items would make the answer "
        "independent of the order of the items. The gain is the label; labels are integers.",
    ),
    Peer(
        "ranx",
        "ranx",
        "ranx",
        ranx,
        "float64",
        "The order of equals is that of an argsort without a promise of stability; in lists as "
        "short as these it keeps the order of insertion.",
    ),
    Peer(
        "ignite",
        "pytorch-ignite",
        "ignite",
        ignite,
        "float32",
        "The exponential gain and leaving out empty queries (ignore_zero_hits=True) are the "
        "defaults. top_k is required: for the whole list the number of items is passed. Labels "
        "below relevance_threshold=1.0, the default, gain nothing. A lone empty query that is "
        "left out raises NotComputableError: null in per_query.",
        ("torch",),
    ),
    Peer(
        "torchmetrics",
        "torchmetrics",
        "torchmetrics",
        torchmetrics,
        "float32",
        "No option for the gain. Labels are integers. A lone empty query that is skipped gives "
        "0.0 in per_query, as documented.",
        ("torch",),
    ),
    Peer(
        "keras_rs",
        "keras-rs",
        "keras_rs",
        keras_rs,
        "float32",
        "On the torch backend. The exponential gain and shuffled ties are the defaults. One "
        "metric, made with the seed, answers all calls, its state reset before each; the seed "
        "fixes the sequence of answers, not each answer. shuffle_ties=False lowers each score by "
        "1e-6 times its position before it sorts: earlier_first holds for scores as small as "
        "these; scores ten times those of six_items are again shuffled in float32, and scores "
        "that differ by less than 1e-6 can change places.",
        ("keras", "torch"),
    ),
    Peer(
        "pytorchltr",
        "pytorchltr",
        "pytorchltr",
        pytorchltr,
        "float32",
        "Commit 9f5cdee8d08cf6401c3e647ffd0fd673b0706442, the tag v0.2.1. The exponential gain is "
        "the default. Equal scores are shuffled by torch's global generator, with no option "
        "against it. It returns one value per query; the mean is taken outside of it.",
        ("torch",),
    ),
]


def ask(variant: Variant, y_true: Rows, y_score: Rows, k: int | None) -> dict[str, Any]:
    """What one setting answers, and whether it always does."""
    score = variant.start(k)
    answers = [score(y_true, y_score) for _ in range(N_CALLS)]
    distinct = sorted({answer for answer in answers if answer is not None})
    if len(set(answers)) == 1:
        one_by_one = [score([y], [s]) for y, s in zip(y_true, y_score, strict=True)]
        return {"deterministic": True, "per_query": one_by_one, "mean": answers[0]}
    return {
        "deterministic": False,
        "per_query": None,
        "mean": None,
        "seed": SEED,
        "n_calls": N_CALLS,
        "calls": answers[:5],
        "n_distinct": len(distinct),
        "min": distinct[0],
        "max": distinct[-1],
        **({"distinct": distinct} if len(distinct) <= 10 else {}),
    }


def runs_of(case: dict[str, Any], variants: list[Variant]) -> Iterator[dict[str, Any]]:
    """The runs of one library on one case."""
    for variant in variants:
        if not variant.fits(case["y_true"], case["y_score"]):
            continue
        for order in case.get("orders", [None]):
            y_true, y_score = (
                rows if order is None else [[row[item] for item in order] for row in rows]
                for rows in (case["y_true"], case["y_score"])
            )
            for k in case["k"]:
                yield {
                    "k": k,
                    "gain": variant.gain,
                    "ignore_ties": variant.tie_order != "averaged",
                    "replace_undefined_by": variant.replace_undefined_by,
                    "options": variant.options,
                    "tie_order": variant.tie_order,
                    **({} if order is None else {"order": order}),
                    **ask(variant, y_true, y_score, k),
                }


def entry_of(peer: Peer) -> dict[str, Any]:
    """All that is recorded of one library."""
    variants = list(peer.variants())
    return {
        "version": importlib.metadata.version(peer.distribution),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "built_on": {
            name: importlib.metadata.version(name).partition("+")[0] for name in peer.built_on
        },
        "precision": peer.precision,
        "note": peer.note,
        "results": {name: {"runs": list(runs_of(case, variants))} for name, case in CASES.items()},
    }


def main() -> None:
    """Ask the installed libraries, and write the file with the others' entries as they were."""
    recorded = json.loads(PATH.read_text(encoding="utf-8"))["peers"] if PATH.exists() else {}
    peers = {}
    for peer in PEERS:
        if importlib.util.find_spec(peer.module) is not None:
            print(f"{peer.name}: asked")
            peers[peer.name] = entry_of(peer)
        elif peer.name in recorded:
            print(f"{peer.name}: not installed, kept")
            peers[peer.name] = recorded[peer.name]
        else:
            print(f"{peer.name}: not installed, never recorded")
    text = json.dumps({"cases": CASES, "peers": peers}, indent=2, allow_nan=False)
    innermost = re.compile(r'(?<=[\[{])\s+([^\[\]{}]*?)\s+(?=\]|},?\n +"tie_order)')
    text = innermost.sub(lambda found: " ".join(found[1].split()), text)
    PATH.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
