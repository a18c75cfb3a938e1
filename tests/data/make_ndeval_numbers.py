"""Write ndeval_numbers.json: what ndeval computes from judgments of subtopics.

    pip install pyndeval==0.0.8
    python make_ndeval_numbers.py

No scores tie, since ndeval takes one order of these. Some items that gain the same tie in the
ideal order, and some were judged for no subtopic, or for one of them alone.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

ALPHAS = [0.5, 0.25, 0.9]
MEASURES = ["alpha-nDCG@3", "alpha-nDCG@10", "strec@3"]
MEANS = ["ERR-IA@3", "ERR-IA@10", "P-IA@3", "P-IA@10", "MAP-IA"]
"""The measures that are means over the subtopics, with the alpha of ndeval."""


def main() -> None:
    """Write the judgments, the lists and the numbers of ndeval."""
    import pyndeval  # here, since tests that collect all modules have no such library

    rng = random.Random(0)
    gold, found = {}, {}
    for number in range(8):
        query = f"q{number}"
        items = [f"d{place:02}" for place in range(14)]
        gold[query] = {
            f"s{subtopic}": {
                item: rng.choice([0, 1, 1, 2]) for item in rng.sample(items, rng.randint(1, 7))
            }
            for subtopic in range(rng.randint(1, 4))
        }
        found[query] = rng.sample(items, rng.randint(4, 11))
    qrels = [
        (query, subtopic, item, grade)
        for query, subtopics in gold.items()
        for subtopic, grades in subtopics.items()
        for item, grade in grades.items()
    ]
    run = [
        (query, item, float(-place))
        for query, items in found.items()
        for place, item in enumerate(items)
    ]
    numbers = {}
    for alpha in ALPHAS:
        by_query = pyndeval.ndeval(qrels, run, MEASURES, alpha=alpha)
        numbers[str(alpha)] = {
            measure: [by_query[query][measure] for query in gold] for measure in MEASURES
        }
    by_query = pyndeval.ndeval(qrels, run, MEANS)
    means = {measure: [by_query[query][measure] for query in gold] for measure in MEANS}
    data = {"gold": gold, "found": found, "numbers": numbers, "means": means}
    path = Path(__file__).with_name("ndeval_numbers.json")
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
