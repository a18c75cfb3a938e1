"""Record what other libraries answer on a few fixed cases, in peer_numbers.json.

Run by hand, never in CI and by no test: the tests read the numbers, so that they need none of
the libraries. A run asks the libraries it finds installed; the others keep the entries recorded
before, so they need not share an environment. In each environment, on Python 3.11, install this
package, and run ``python tests/data/make_peer_numbers.py``:

- scikit-learn: ``pip install scikit-learn==1.9.1``
- pytrec_eval: ``pip install pytrec_eval-terrier==0.5.11``
- ranx: ``pip install ranx==0.3.21``
- ignite: ``pip install torch==2.13.0 pytorch-ignite==0.5.5``
- torchmetrics: ``pip install torch==2.13.0 torchmetrics==1.9.0``
- keras_rs: ``pip install torch==2.13.0 keras==3.15.1 keras-rs==0.4.0``
- pytorchltr: ``pip install torch==2.13.0``. The released archive holds C code made for an older
  Python and does not build on 3.11. The metrics need none of it: check out the tag v0.2.1, commit
  9f5cdee8d08cf6401c3e647ffd0fd673b0706442, of https://github.com/rjagerman/pytorchltr, and put
  the checkout on ``PYTHONPATH``. The version is then that of the tag.

The file holds under "cases" the inputs, and what each is about. `n`, where there is one, has the
number of items of each list; what stands beyond is padding, of a label and a score as somebody
might leave there. Under "peers" it holds for each library its version, the precision it works in,
a note and under "results" for each case a list of "runs". In a run

- `metric` is "ndcg", "hit_rate" or "arp", the average relevant position;
- `k`, `gain`, `ignore_ties` and `replace_undefined_by` are the keywords of the score of
  `ranking_scores` that come nearest, with null for None in `k` and for NaN in
  `replace_undefined_by` (the query is left out of the mean). Padding is left out by `where`. Where
  an option of the library has no effect on a case, only its default is recorded;
- `options` are the library's own; `padding` is how it is told of padding, where there is any:
  "documents" and "indexes" name the items, so that there is no padding, "mask" and "n" are
  arguments, and "none" means that it has no way, and takes padding for items;
- `tie_order` says what happens to equal scores: "averaged", or else one order of them is taken,
  and it is "later_first" (as with `ignore_ties`), "earlier_first" (as with `ignore_ties` and the
  items reversed), "random" or "unspecified". The words are ours, the numbers the library's;
- `order`, where the case has several, is the order in which the items were passed;
- `deterministic` says whether `N_CALLS` calls gave one answer. If so, `per_query` has the value
  of each query passed alone (null: refused), and `mean` that of all passed together. If not,
  both are null, and `calls` has the first answers, after seeding with `SEED`, `n_distinct` how
  many differed, `min` and `max` their range and `distinct` all of them, unless they are many;
- `reached` says whether the keywords give what the library answers, or where that is random, its
  expected value. Where it is false the library is wrong, or refuses (`mean` is null);
- `why` and `ours` stand where the answer is anything but the expected value over all orders of the
  ties: why it is not, and what that value is. `ours` comes from ``ranking_scores/testing.py``,
  which goes through all orders and takes nothing from the rest of the package. It has the
  `replace_undefined_by` of the run, but for the average relevant position, where no number is
  worse than all others: there a query without relevant items is left out.

A difference that has no explanation here is an error, and nothing is written.
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

sys.path.append(str(Path(__file__).parents[1]))
import reference  # the textbook definitions, beside the tests

Rows = list[list[float]]
Score = Callable[[Rows, Rows, list[int]], float | None]
"""The mean over the queries of one call, of labels, scores and numbers of items; None: refused."""

PATH = Path(__file__).with_name("peer_numbers.json")
N_CALLS = 50
SEED = 0
TOLERANCE = 1e-6  # between a library in float32 and the exact value

CASES: dict[str, dict[str, Any]] = {
    "six_items": {
        "about": "ties",
        "y_true": [[0, 2, 1, 0, 0, 3]],
        "y_score": [[5, 5, 5, 2, 2, 1]],
        "k": [1, 3],
    },
    "no_ties": {
        "about": "nothing special",
        "y_true": [[3, 2, 3, 0, 1, 2]],
        "y_score": [[6, 5, 4, 3, 2, 1]],
        "k": [None],
    },
    "no_relevant": {
        "about": "a query without relevant items",
        "y_true": [[0, 0, 1, 1], [0, 0, 0, 0]],
        "y_score": [[4, 2, 3, 1], [1, 2, 3, 4]],
        "k": [1, 2, 3, 4],
    },
    "constant": {
        "about": "ties",
        "y_true": [[10, 0, 0, 1, 5]],
        "y_score": [[1, 1, 1, 1, 1]],
        "k": [None],
        "orders": [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 3, 0, 4, 2]],
    },
    "beyond": {
        "about": "k beyond the list",
        "y_true": [[1, 0, 2]],
        "y_score": [[0.3, 0.2, 0.1]],
        "k": [10],
    },
    "beyond_ties": {
        "about": "ties",
        "y_true": [[1, 0, 2], [0, 1, 0]],
        "y_score": [[0.2, 0.2, 0.1], [0.5, 0.5, 0.5]],
        "k": [2, 10],
    },
    "padding": {
        "about": "padding",
        "y_true": [[3, 0, 2, 0], [0, 1, 0, 0], [1, 2, 0, 0]],
        "y_score": [[0.9, 0.8, 0.1, 0.3], [0.5, 0.2, 0.7, 0], [0.2, 0.4, 0, 0]],
        "n": [4, 3, 2],
        "k": [2, 4],
    },
    "padding_scores_above": {
        "about": "padding",
        "y_true": [[3, 0, 2, 0], [0, 1, 0, 0], [1, 2, 0, 0]],
        "y_score": [[-3, -4, -9, -8], [-5, -7, -4, 0], [-5, -3, 0, 0]],
        "n": [4, 3, 2],
        "k": [2, 4],
    },
    "padding_labels_negative": {
        "about": "padding",
        "y_true": [[3, 0, 2, 0], [0, 1, 0, -1], [1, 2, -1, -1]],
        "y_score": [[0.9, 0.8, 0.1, 0.3], [0.5, 0.2, 0.7, 0], [0.2, 0.4, 0, 0]],
        "n": [4, 3, 2],
        "k": [2, 4],
    },
    "padding_labels_positive": {
        "about": "padding",
        "y_true": [[3, 0, 2, 0], [0, 1, 0, 2], [1, 2, 2, 2]],
        "y_score": [[0.9, 0.8, 0.1, 0.3], [0.5, 0.2, 0.7, 0], [0.2, 0.4, 0, 0]],
        "n": [4, 3, 2],
        "k": [2, 4],
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
    metric: str = "ndcg"
    padding: str = "none"
    why: dict[str, str] = field(default_factory=dict)  # by what a case is about, and "refused"

    def fits(self, case: dict[str, Any]) -> bool:
        """Whether the setting says something about this case."""
        y_true, y_score = (cut(case[name], sizes_of(case)) for name in ("y_true", "y_score"))
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
    tag: str = ""  # the version, where no distribution is installed


def sizes_of(case: dict[str, Any]) -> list[int]:
    """The number of items of each list."""
    return case.get("n", [len(row) for row in case["y_true"]])


def cut(rows: Rows, n: list[int]) -> Rows:
    """The rows without their padding."""
    return [row[:size] for row, size in zip(rows, n, strict=True)]


def exact(run: dict[str, Any], y_true: Rows, y_score: Rows) -> float | None:
    """The mean over the lists, without padding, that the keywords of a run ask for."""
    values = []
    for labels, scores in zip(y_true, y_score, strict=True):
        step = -1 if run["tie_order"] == "earlier_first" else 1
        query = labels[::step], scores[::step]
        ignore_ties = run["tie_order"] in ("earlier_first", "later_first")
        if run["metric"] == "ndcg":
            gain = getattr(reference, run["gain"])
            values.append(reference.ndcg(*query, k=run["k"], gain=gain, ignore_ties=ignore_ties))
        elif run["metric"] == "hit_rate":
            values.append(reference.hit_rate(*query, k=run["k"], ignore_ties=ignore_ties))
        else:
            values.append(reference.average_relevant_position(*query, ignore_ties=ignore_ties))
    mean = reference.mean(values, undefined=run["replace_undefined_by"])
    return None if mean is None else float(mean)


NO_PADDING = (
    "No way to say what is padding: it is ranked as an item, with the label that stands there."
)


def scikit_learn() -> Iterator[Variant]:
    """scikit-learn has the linear gain only."""
    from sklearn.metrics import ndcg_score

    for ignore_ties in (False, True):

        def start(k: int | None, ignore_ties: bool = ignore_ties) -> Score:
            return lambda y, s, n: float(ndcg_score(y, s, k=k, ignore_ties=ignore_ties))

        yield Variant(
            start,
            "linear",
            "unspecified" if ignore_ties else "averaged",
            options={"ignore_ties": ignore_ties},
            only_for="no ties" if ignore_ties else "any",
            why={"padding": NO_PADDING, "refused": "Negative labels are an error."},
        )


def by_name(rows: Rows, n: list[int], kind: type) -> dict[str, dict[str, Any]]:
    """The queries q0, q1, ... with the documents a, b, ..., named by their positions."""
    return {
        f"q{query}": {chr(ord("a") + item): kind(value) for item, value in enumerate(row)}
        for query, row in enumerate(cut(rows, n))
    }


def pytrec_eval() -> Iterator[Variant]:
    """pytrec_eval is called with the linear gain only."""
    import pytrec_eval as peer

    def start(k: int | None) -> Score:
        measure = "ndcg" if k is None else f"ndcg_cut.{k}"
        key = measure.replace(".", "_")

        def score(y: Rows, s: Rows, n: list[int]) -> float:
            answer = peer.RelevanceEvaluator(by_name(y, n, int), {measure}).evaluate(
                by_name(s, n, float)
            )
            values = [query[key] for query in answer.values()]
            return float(peer.compute_aggregated_measure(key, values))

        return score

    why = {"ties": "One order of equals is taken: by document id, here the later item first."}
    yield Variant(start, "linear", "later_first", padding="documents", why=why)


def ranx() -> Iterator[Variant]:
    """Two measures, one for each gain."""
    from ranx import Qrels, Run, evaluate

    for gain, measure in (("linear", "ndcg"), ("exponential", "ndcg_burges")):

        def start(k: int | None, measure: str = measure) -> Score:
            metric = measure if k is None else f"{measure}@{k}"

            def score(y: Rows, s: Rows, n: list[int]) -> float:
                qrels = Qrels.from_dict(by_name(y, n, int))
                return float(evaluate(qrels, Run.from_dict(by_name(s, n, float)), metric))

            return score

        yield Variant(
            start,
            gain,
            "earlier_first",
            options={"measure": measure},
            padding="documents",
            why={"ties": "One order of equals is taken, that of the sort."},
        )


def ignite() -> Iterator[Variant]:
    """Both gains, and empty queries left out or not; then the hit rate."""
    import torch
    from ignite.exceptions import NotComputableError
    from ignite.metrics.rec_sys import NDCG, HitRate

    for gain, gain_function in (("exponential", "exp_rank"), ("linear", "linear_rank")):
        for ignore_zero_hits in (True, False):
            options = {"gain_function": gain_function, "ignore_zero_hits": ignore_zero_hits}

            def start(k: int | None, options: dict[str, Any] = options) -> Score:
                def score(y: Rows, s: Rows, n: list[int]) -> float | None:
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
                why={"ties": "The earlier of equals comes first.", "padding": NO_PADDING},
            )

    for ignore_zero_hits in (True, False):

        def start_hits(k: int | None, ignore_zero_hits: bool = ignore_zero_hits) -> Score:
            def score(y: Rows, s: Rows, n: list[int]) -> float | None:
                metric = HitRate(top_k=k, ignore_zero_hits=ignore_zero_hits)
                metric.update((torch.tensor(s, dtype=torch.float64), torch.tensor(y).double()))
                try:
                    return float(metric.compute()[0])
                except NotComputableError:
                    return None

            return score

        yield Variant(
            start_hits,
            "linear",
            "unspecified",
            None if ignore_zero_hits else 0.0,
            {"ignore_zero_hits": ignore_zero_hits},
            "any" if ignore_zero_hits else "empty",
            metric="hit_rate",
            why={
                "ties": "torch.topk picks among equals, in no order that it promises.",
                "padding": NO_PADDING,
                "refused": "A top_k beyond the list is a RuntimeError of torch.topk.",
            },
        )


def torchmetrics() -> Iterator[Variant]:
    """The linear gain, and three ways to count empty queries."""
    import torch
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    for action, value in (("neg", 0.0), ("pos", 1.0), ("skip", None)):

        def start(k: int | None, action: str = action) -> Score:
            def score(y: Rows, s: Rows, n: list[int]) -> float:
                metric = RetrievalNormalizedDCG(empty_target_action=action, top_k=k)
                labels, scores = ([x for row in cut(rows, n) for x in row] for rows in (y, s))
                metric.update(
                    torch.tensor(scores, dtype=torch.float32),
                    torch.tensor(labels),
                    indexes=torch.arange(len(n)).repeat_interleave(torch.tensor(n)),
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
            padding="indexes",
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

                def score(y: Rows, s: Rows, n: list[int]) -> float:
                    mask = [[item < size for item in range(len(y[0]))] for size in n]
                    padded = not all(map(all, mask))
                    metric.reset_state()
                    metric.update_state({"labels": y, "mask": mask} if padded else y, s)
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
                padding="mask",
                why={
                    "ties": "Equals are shuffled in every call."
                    if shuffle_ties
                    else "Each score is lowered by 1e-6 times its place: the earlier comes first.",
                    "padding": "What is masked gets the lowest score of its row less 1e-7. In "
                    "float32 that changes nothing in a score outside of (-2, 2), so that padding "
                    "ties with the last item, and takes its rank.",
                },
            )


def pytorchltr() -> Iterator[Variant]:
    """Both gains, then the average relevant position; the mean over the queries is taken here."""
    import torch
    from pytorchltr.evaluation import arp, ndcg

    shuffled = "Equals are shuffled in every call."

    def starting(ask: Callable[..., Any]) -> Callable[[int | None], Score]:
        def start(k: int | None) -> Score:
            torch.manual_seed(SEED)

            def score(y: Rows, s: Rows, n: list[int]) -> float:
                scores = torch.tensor(s, dtype=torch.float32)
                return float(ask(scores, torch.tensor(y), torch.tensor(n), k).mean())

            return score

        return start

    for gain, exp in (("exponential", True), ("linear", False)):
        yield Variant(
            starting(lambda s, y, n, k, exp=exp: ndcg(s, y, n, k=k or s.shape[1], exp=exp)),
            gain,
            "random",
            options={"exp": exp},
            padding="n",
            why={
                "ties": shuffled,
                "padding": "Padding is ranked last, but gains what its label says, in the "
                "ranking and in the ideal.",
            },
        )
    yield Variant(
        starting(lambda s, y, n, k: arp(s, y, n)),
        "linear",
        "random",
        metric="arp",
        padding="n",
        why={
            "ties": shuffled,
            "a query without relevant items": "It counts 0, which is better than the best rank, "
            "1. The mean looks better for each such query.",
        },
    )


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
        "left out raises NotComputableError: null in per_query. NDCG sorts by a stable sort, "
        "HitRate selects by torch.topk.",
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
        "0.2.1",
    ),
]


def ask(
    variant: Variant, y_true: Rows, y_score: Rows, n: list[int], k: int | None
) -> dict[str, Any]:
    """What one setting answers, and whether it always does."""
    start = variant.start(k)

    def score(y: Rows, s: Rows, sizes: list[int]) -> float | None:
        try:
            return start(y, s, sizes)
        except (ValueError, RuntimeError):  # an answer of None needs an explanation, see `judged`
            return None

    answers = [score(y_true, y_score, n) for _ in range(N_CALLS)]
    distinct = sorted({answer for answer in answers if answer is not None})
    if len(set(answers)) == 1:
        queries = zip(y_true, y_score, n, strict=True)
        one_by_one = [score([labels], [scores], [size]) for labels, scores, size in queries]
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


def judged(
    run: dict[str, Any], variant: Variant, about: str, y_true: Rows, y_score: Rows
) -> dict[str, Any]:
    """Whether the keywords give the answer, and where it is not the expected value, why."""

    def is_answer(value: float | None) -> bool:
        return None not in (run["mean"], value) and abs(run["mean"] - value) < TOLERANCE

    fair = {**run, "tie_order": "averaged"}
    if run["metric"] == "arp":
        fair["replace_undefined_by"] = None
    expected = exact(fair, y_true, y_score)
    random_ties = about == "ties" and not run["deterministic"]
    judgement: dict[str, Any] = {"reached": random_ties or is_answer(exact(run, y_true, y_score))}
    if not is_answer(expected):
        refused = run["deterministic"] and run["mean"] is None
        judgement |= {"why": variant.why["refused" if refused else about], "ours": expected}
    return judgement


def runs_of(case: dict[str, Any], variants: list[Variant]) -> Iterator[dict[str, Any]]:
    """The runs of one library on one case."""
    n = sizes_of(case)
    cutoffs = {"ndcg": case["k"], "hit_rate": [k for k in case["k"] if k], "arp": [None]}
    for variant in variants:
        if not variant.fits(case):
            continue
        for order in case.get("orders", [None]):
            y_true, y_score = (
                rows if order is None else [[row[item] for item in order] for row in rows]
                for rows in (case["y_true"], case["y_score"])
            )
            for k in cutoffs[variant.metric]:
                run = {
                    "metric": variant.metric,
                    "k": k,
                    "gain": variant.gain,
                    "ignore_ties": variant.tie_order != "averaged",
                    "replace_undefined_by": variant.replace_undefined_by,
                    "options": variant.options,
                    "tie_order": variant.tie_order,
                    **({"padding": variant.padding} if "n" in case else {}),
                    **({} if order is None else {"order": order}),
                    **ask(variant, y_true, y_score, n, k),
                }
                items = cut(y_true, n), cut(y_score, n)
                yield {**run, **judged(run, variant, case["about"], *items)}


def entry_of(peer: Peer) -> dict[str, Any]:
    """All that is recorded of one library."""
    variants = list(peer.variants())
    return {
        "version": peer.tag or importlib.metadata.version(peer.distribution),
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
