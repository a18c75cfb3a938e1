"""Write cases.json, the lists of which other programs are asked; see record.py.

A case has judgments and predictions: the grade of each judged document, by query, and for each
query a list of documents with their scores. A list is in the order in which a program gets it,
which is not the order of the scores. Scores are multiples of 1/64, so that float32 holds them,
except in the case "float32". Predicted documents may be unjudged, and judged ones not predicted.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

Qrels = dict[str, dict[str, int]]
Run = dict[str, list[tuple[str, float]]]
Draw = Callable[[random.Random, int], list[float]]

PATH = Path(__file__).with_name("cases.json")
GRADES = [0, 0, 0, 0, 1, 1, 2, 3]
PLAIN = [f"d{doc:02}" for doc in range(20)]
MIXED_IDS = ["d2", "d10", "D3", "x003", "7", "12", "d1", "100", "a-b", "Z", "d02", "é", "x3", "70"]


def distinct(rng: random.Random, n: int) -> list[float]:
    """Return scores that all differ."""
    return [score / 64 for score in rng.sample(range(1, 128), n)]


def tied(rng: random.Random, n: int) -> list[float]:
    """Return scores that are mostly equal."""
    values = rng.choice([[0.25, 0.5], [0.25, 0.5, 0.75], [0.25, 0.375, 0.5, 0.75], [1.0]])
    return [rng.choice(values) for _ in range(n)]


def signed(rng: random.Random, n: int) -> list[float]:
    """Return scores below, at and above zero: one of them is zero, and none are equal."""
    scores = [score / 64 for score in rng.sample([*range(-64, 0), *range(1, 65)], n)]
    if n > 1:
        scores[rng.randrange(n)] = 0.0
    return scores


def signed_and_tied(rng: random.Random, n: int) -> list[float]:
    """Return scores of few values, of both signs."""
    return [rng.choice([-0.5, -0.25, 0.0, 0.25]) for _ in range(n)]


def below_float32(rng: random.Random, n: int) -> list[float]:
    """Return scores that differ in float64, and of which many are equal in float32."""
    return [1 + 2**-20 * rng.randrange(3) + 2**-30 * place for place in rng.sample(range(16), n)]


def query(
    rng: random.Random,
    scores: list[float],
    docs: list[str] = PLAIN,
    grades: list[int] = GRADES,
) -> tuple[dict[str, int], list[tuple[str, float]]]:
    """Draw judgments and a list of as many documents as scores; some grade is above zero."""
    while True:
        predicted = rng.sample(docs, len(scores))
        others = [doc for doc in docs if doc not in predicted]
        judged = rng.sample(predicted, round(0.8 * len(predicted))) + rng.sample(
            others, min(len(others), rng.randint(1, 4))
        )
        judgments = {doc: rng.choice(grades) for doc in sorted(judged)}
        if any(judgments.values()) or not any(grades):
            return judgments, list(zip(predicted, scores, strict=True))


def drawn(
    seed: int, draw_scores: Draw, sizes: list[int], docs: list[str] = PLAIN
) -> tuple[Qrels, Run]:
    """Draw a case with one query of each size."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for place, size in enumerate(sizes, 1):
        qrels[f"q{place}"], run[f"q{place}"] = query(rng, draw_scores(rng, size), docs)
    return qrels, run


def empty() -> tuple[Qrels, Run]:
    """Return queries that lack something, and two ordinary ones, q1 and q6."""
    qrels, run = drawn(5, distinct, [9, 8, 6, 8, 5, 10])
    qrels["q2"] = dict.fromkeys(qrels["q2"], 0)
    del run["q3"]
    del qrels["q4"]
    qrels["q5"] = {doc: 1 + place % 3 for place, (doc, _) in enumerate(run["q5"])}
    return qrels, run


def duplicates() -> tuple[Qrels, Run]:
    """Return lists in which a document occurs twice, with two scores, best first.

    In q1 it is relevant, in q2 not, in q3 two documents do, and in q4 none does.
    """
    rng = random.Random(7)
    qrels, run = {}, {}
    for place, twice in enumerate([1, 1, 2, 0], 1):
        judgments, row = query(rng, distinct(rng, 6))
        if place != 2:  # the first documents of the list are relevant ones
            row.sort(key=lambda pair: -judgments.get(pair[0], 0))
        else:
            row.sort(key=lambda pair: judgments.get(pair[0], 0))
        docs = [doc for doc, _ in row] + [doc for doc, _ in row[:twice]]
        rng.shuffle(docs)
        scores = sorted(distinct(rng, len(docs)), reverse=True)
        qrels[f"q{place}"], run[f"q{place}"] = judgments, list(zip(docs, scores, strict=True))
    return qrels, run


def mixed() -> tuple[Qrels, Run]:
    """Return forty queries with all of this together, except duplicates."""
    rng = random.Random(11)
    qrels, run = {}, {}
    kinds = [distinct, tied, signed, signed_and_tied]
    for place in range(1, 41):
        name = f"q{place}"
        size = rng.choice([1, 2, 3]) if place % 6 == 0 else rng.randint(4, 12)
        docs = MIXED_IDS if place % 3 == 0 else PLAIN
        qrels[name], run[name] = query(rng, kinds[place % 4](rng, size), docs)
    for name in ("q5", "q14", "q30"):
        qrels[name] = dict.fromkeys(qrels[name], 0)
    for name in ("q9", "q28"):
        del run[name]
    for name in ("q13", "q36"):
        del qrels[name]
    for name in ("q7", "q22"):
        qrels[name] = {doc: 1 + place % 3 for place, (doc, _) in enumerate(run[name])}
    return qrels, run


def binary(case: tuple[Qrels, Run]) -> tuple[Qrels, Run]:
    """Return a case with all positive grades set to one."""
    qrels, run = case
    return {q: {doc: min(g, 1) for doc, g in row.items()} for q, row in qrels.items()}, run


def dumped(value: object) -> str:
    """Return JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


SIZES = [8, 9, 10, 11, 12, 8, 10, 12]
GRADED = drawn(1, distinct, SIZES)
TIES = drawn(2, tied, SIZES)
SIGNS = drawn(3, signed, SIZES)
MIXED = mixed()
CASES = {
    "graded": ("Grades 0 to 3, and scores that all differ.", GRADED),
    "binary": ("As graded, with grades 0 and 1.", binary(GRADED)),
    "ties": ("Many equal scores.", TIES),
    "ties_binary": ("As ties, with grades 0 and 1.", binary(TIES)),
    "empty": (
        "q2 has no relevant document, q3 no predictions, q4 no judgments, and in q5 all predicted "
        "documents are relevant. q1 and q6 are ordinary.",
        empty(),
    ),
    "short": ("Lists of one to three documents.", drawn(4, distinct, [1, 2, 3, 1, 2, 3])),
    "signs": ("Scores below, at and above 0, with grades 0 and 1.", binary(SIGNS)),
    "signs_graded": ("As signs, with grades 0 to 3.", SIGNS),
    "duplicates": (
        "q1 and q2 have one document twice, q3 two documents, q4 none. The best score is first.",
        duplicates(),
    ),
    "ids": (
        "Names of different lengths and kinds, and many equal scores.",
        drawn(6, tied, [10] * 6, MIXED_IDS),
    ),
    "float32": (
        "Scores that differ, but of which many are equal in float32.",
        drawn(8, below_float32, [8, 9, 10, 12]),
    ),
    "mixed": (
        "All of this together, except duplicates and float32. q5, q14 and q30 have no relevant "
        "document, q9 and q28 no predictions, q13 and q36 no judgments, and in q7 and q22 all "
        "predicted documents are relevant.",
        MIXED,
    ),
    "mixed_binary": ("As mixed, with grades 0 and 1.", binary(MIXED)),
}


def main() -> None:
    """Write the file, one query per line."""
    parts = []
    for name, (about, case) in CASES.items():
        lines = [f'  "about": {json.dumps(about)}']
        for part, queries in zip(("qrels", "run"), case, strict=True):
            rows = [f"   {dumped(query)}: {dumped(row)}" for query, row in queries.items()]
            lines.append(f'  "{part}": {{\n' + ",\n".join(rows) + "\n  }")
        parts.append(f' "{name}": {{\n' + ",\n".join(lines) + "\n }")
    PATH.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
