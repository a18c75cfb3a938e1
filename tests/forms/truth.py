"""One small truth, from which all files are written, and the right numbers for it.

The numbers are means over all orders of items with equal scores, in fractions but for the
logarithms. Nothing here comes from the package.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from typing import Any

Values = dict[Any, dict[Any, Any]]
"""The items of each query, with a label or a score."""
SCORES = ["mrr", "ndcg@3", "recall@2", "map"]
DIGITS = {letter: str(11 + number) for number, letter in enumerate("abcdefghz")}


@dataclass(frozen=True)
class Truth:
    """What is relevant, and what a system has found, in the order in which it is written."""

    judged: Values
    found: Values

    def means(self) -> dict[str, float]:
        """Return the mean of each score over the judged queries."""
        return dict(zip(SCORES, _means(_frozen(self.judged), _frozen(self.found)), strict=True))

    def one_query(self) -> Truth:
        """Return the truth of the first query alone."""
        query = next(iter(self.judged))
        return replace(self, judged={query: self.judged[query]}, found={query: self.found[query]})

    def with_ids(self, new_id: Callable[[Any], Any]) -> Truth:
        """Return the same truth with other ids, of queries and of items."""
        judged, found = (renamed(each, new_id, new_id) for each in (self.judged, self.found))
        return replace(self, judged=judged, found=found)

    def relabelled(self, new_label: Callable[[Any], Any]) -> Truth:
        """Return a truth with other labels. Items whose label is None are not judged."""
        judged = {
            query: {item: new_label(label) for item, label in items.items()}
            for query, items in self.judged.items()
        }
        judged = {
            query: {item: label for item, label in items.items() if label is not None}
            for query, items in judged.items()
        }
        return replace(self, judged={query: items for query, items in judged.items() if items})

    def all_relevant(self) -> Truth:
        """Return what is true if each row of the judgments is a relevant item."""
        return self.relabelled(lambda _: 1)

    def rescored(self, new_score: Callable[[Any], Any]) -> Truth:
        """Return a truth with other scores."""
        found = {
            query: {item: new_score(score) for item, score in items.items()}
            for query, items in self.found.items()
        }
        return replace(self, found=found)

    def as_relevant(self) -> Truth:
        """Return what a file says that has no labels: the items that are relevant."""
        judged = {
            query: {item: 1 for item, label in items.items() if label > 0}
            for query, items in self.judged.items()
        }
        return replace(self, judged=judged)

    def in_order(self) -> Truth:
        """Return what a file says that has no scores: the order of the items."""
        found = {
            query: {item: -rank for rank, item in enumerate(items)}
            for query, items in self.found.items()
        }
        return replace(self, found=found)


@dataclass(frozen=True)
class TwoRuns(Truth):
    """What two systems have found, of which the first one is in place of the judgments."""

    def means(self) -> dict[str, float]:
        """Return how far the two agree."""
        return {
            name: float(
                sum(measure(self.judged[query], self.found[query]) for query in self.judged)
                / len(self.judged)
            )
            for name, measure in AGREEMENTS.items()
        }


def renamed(
    values: Values, new_query: Callable[[Any], Any], new_item: Callable[[Any], Any]
) -> Values:
    """Return values with other ids."""
    return {
        new_query(query): {new_item(item): value for item, value in items.items()}
        for query, items in values.items()
    }


TRUTH = Truth(
    {
        "q1": {"a": 2, "b": 1, "c": 0},
        "q2": {"b": 1, "d": 0},
        "q3": {"e": 2, "a": 0, "b": 3},
    },
    {
        "q1": {"c": 0.875, "d": 0.5, "a": 0.5, "e": 0.25},
        "q2": {"d": 0.75, "a": 0.75, "b": 0.75, "c": 0.125},
        "q3": {"a": 0.875, "e": 0.625, "c": 0.625, "b": 0.5, "d": 0.25},
    },
)
"""What the files say. Each list that was found is longer than that of the judgments."""


OTHER_RUN = {
    "q1": {"d": 9.5, "c": 8.5, "a": 7.5, "b": 7.5},
    "q2": {"b": 9.5, "c": 9.5, "e": 5.5},
    "q3": {"e": 9.5, "b": 8.5, "a": 7.5, "d": 7.5},
}
"""What another system has found, for the same queries."""


def random_truth(rng: random.Random) -> Truth:
    """Return a truth like the usual one."""
    judged, found = {}, {}
    for number in range(rng.randint(2, 5)):
        query = f"q{number + 1}"
        items = rng.sample("abcdefgh", rng.randint(3, 6))
        some = rng.sample(items, rng.randint(1, len(items) - 1))
        judged[query] = {some[0]: rng.choice([1, 2])} | {
            item: rng.choice([0, 1, 2]) for item in some[1:]
        }
        scores = sorted(rng.choices([0.25, 0.5, 0.75, 0.875], k=len(items)), reverse=True)
        found[query] = dict(zip(items, scores, strict=True))
    if all(label for items in judged.values() for label in items.values()):
        judged["q1"]["z"] = 0
    return Truth(judged, found)


def with_digits(truth: Truth) -> Truth:
    """Return a truth whose ids are digits."""
    return truth.with_ids(lambda text: DIGITS.get(text, text.lstrip("q")))


# --- how far two runs agree ---------------------------------------------------------------------


def _overlap(k: int, first: dict[Any, Any], second: dict[Any, Any]) -> Fraction:
    """Return the expected share of the first k items that both have, over all orders of ties."""
    places = [_shares_among_first(k, scores) for scores in (first, second)]
    return sum((places[0][item] * places[1].get(item, 0) for item in first), Fraction(0)) / k


def _shares_among_first(k: int, scores: dict[Any, Any]) -> dict[Any, Fraction]:
    """Return the share of orders in which each item is among the first k."""
    orders = list(_orders(scores))
    return {
        item: Fraction(sum(item in order[:k] for order in orders), len(orders)) for item in scores
    }


AGREEMENTS: dict[str, Callable[[dict[Any, Any], dict[Any, Any]], Fraction]] = {
    "overlap@2": lambda first, second: _overlap(2, first, second),
    "average_overlap@3": lambda first, second: (
        sum((_overlap(k, first, second) for k in (1, 2, 3)), Fraction(0)) / 3
    ),
}


# --- the right numbers ------------------------------------------------------------------------


def _frozen(values: Values) -> tuple[Any, ...]:
    return tuple((query, tuple(items.items())) for query, items in values.items())


@lru_cache(maxsize=64)
def _means(judged: tuple[Any, ...], found: tuple[Any, ...]) -> list[float]:
    found_of = {query: dict(items) for query, items in found}
    values = [_of_query(dict(items), found_of.get(query, {})) for query, items in judged]
    return [float(sum(column) / len(values)) for column in zip(*values, strict=True)]


def _of_query(labels: dict[Any, Any], scores: dict[Any, float]) -> list[Fraction]:
    """Return each score of a query: its mean over all orders that the scores allow, or 0."""
    if not any(label > 0 for label in labels.values()):
        return [Fraction(0)] * len(SCORES)
    of_orders = [_of_order(order, labels) for order in _orders(scores)]
    return [sum(column) / Fraction(len(of_orders)) for column in zip(*of_orders, strict=True)]


def _orders(scores: dict[Any, float]) -> Iterator[list[Any]]:
    """Yield all orders in which no item is above one with a higher score."""
    groups = [
        [item for item in scores if scores[item] == score]
        for score in sorted(set(scores.values()), reverse=True)
    ]
    for parts in product(*map(permutations, groups)):
        yield [item for part in parts for item in part]


def _of_order(order: list[Any], labels: dict[Any, Any]) -> list[Fraction]:
    """Return reciprocal rank, nDCG at 3, recall at 2 and average precision of one order."""
    ranks = [rank for rank, item in enumerate(order, 1) if labels.get(item, 0) > 0]
    n_relevant = sum(label > 0 for label in labels.values())
    ideal = _dcg(sorted(labels.values(), reverse=True)[:3])
    return [
        Fraction(1, ranks[0]) if ranks else Fraction(0),
        _dcg([labels.get(item, 0) for item in order[:3]]) / ideal,
        Fraction(sum(rank <= 2 for rank in ranks), n_relevant),
        sum((Fraction(hits, rank) for hits, rank in enumerate(ranks, 1)), start=Fraction(0))
        / n_relevant,
    ]


def _dcg(labels: list[Any]) -> Fraction:
    """Return the sum of labels, each divided by the logarithm of 1 + its rank."""
    discounted = (
        Fraction(label) / Fraction(math.log2(1 + rank)) for rank, label in enumerate(labels, 1)
    )
    return sum(discounted, start=Fraction(0))
