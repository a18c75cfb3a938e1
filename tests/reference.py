"""Textbook definitions, by enumeration of all orders of the ties, in exact fractions.

Nothing here comes from the package: labels, scores and weights become `Fraction`, an expected
value is the mean over every order that the scores allow, an ideal the maximum over every order
of the items. Floats enter only where a logarithm forces them, as the float's exact value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, permutations, product

Number = int | float | Fraction
Function = Callable[[Number], Number]


def linear(label: Number) -> Number:
    """The label itself."""
    return label


def exponential(label: Number) -> Number:
    """2**label - 1, exact for whole labels."""
    return Fraction(2) ** int(label) - 1 if label == int(label) else 2.0 ** float(label) - 1


def log_discount(base: float = 2) -> Function:
    """1 / log(1 + rank) to a base."""
    return lambda rank: math.log(base) / math.log(1 + float(rank))


def orders(
    scores: Sequence[Number | None], *, ignore_ties: bool = False
) -> Iterator[tuple[int, ...]]:
    """Every order of the items in which none stands above one with a higher score.

    With `ignore_ties` the one of them in which the later item stands above its equals. An item
    whose score is None was not retrieved, and stands in none.
    """
    groups = [
        [item for item, other in enumerate(scores) if other == score]
        for score in sorted(set(scores) - {None}, reverse=True)
    ]
    if ignore_ties:
        groups = [group[::-1] for group in groups]
        yield tuple(chain.from_iterable(groups))
        return
    for arrangement in product(*map(permutations, groups)):
        yield tuple(chain.from_iterable(arrangement))


def gains_of(
    labels: Sequence[Number], gain: Function, relevance_threshold: Number | None
) -> list[Fraction]:
    """The gain of each label, 0 for those below the threshold."""
    return [
        Fraction(gain(label))
        if relevance_threshold is None or label >= relevance_threshold
        else Fraction(0)
        for label in labels
    ]


def dcg_of_order(
    gains: Sequence[Fraction], order: Sequence[int], k: int | None, discount: Function
) -> Fraction:
    """The sum of gain times discount over the first `k` ranks of one order."""
    return sum(
        (Fraction(discount(rank)) * gains[item] for rank, item in enumerate(order[:k], start=1)),
        start=Fraction(0),
    )


def dcg(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None = None,
    gain: Function = linear,
    discount: Function | None = None,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
) -> Fraction:
    """DCG of one query: its mean over all orders of the ties."""
    gains = gains_of(labels, gain, relevance_threshold)
    discount = discount or log_discount()
    values = [
        dcg_of_order(gains, order, k, discount)
        for order in orders(scores, ignore_ties=ignore_ties)
    ]
    return sum(values, start=Fraction(0)) / len(values)


def ndcg(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None = None,
    gain: Function = linear,
    discount: Function | None = None,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
) -> Fraction | None:
    """DCG of one query over the largest DCG of any order; None where that is 0: undefined."""
    gains = gains_of(labels, gain, relevance_threshold)
    discount = discount or log_discount()
    ideal = max(
        dcg_of_order(gains, order, k, discount) for order in permutations(range(len(gains)))
    )
    if ideal == 0:
        return None
    actual = dcg(
        labels,
        scores,
        k=k,
        gain=gain,
        discount=discount,
        relevance_threshold=relevance_threshold,
        ignore_ties=ignore_ties,
    )
    return actual / ideal


def hit_rate(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
) -> Fraction | None:
    """The share of the orders of one query with a relevant item among the first `k`."""
    relevant = [
        label > 0 if relevance_threshold is None else label >= relevance_threshold
        for label in labels
    ]
    if not any(relevant):
        return None
    hits = [
        any(relevant[item] for item in order[:k])
        for order in orders(scores, ignore_ties=ignore_ties)
    ]
    return Fraction(sum(hits), len(hits))


def average_relevant_position(
    labels: Sequence[Number],
    scores: Sequence[Number],
    *,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
) -> Fraction | None:
    """The mean rank of the items of one query, weighted by their labels, over all orders."""
    gains = gains_of(labels, linear, relevance_threshold)
    if not sum(gains):
        return None
    positions = [
        dcg_of_order(gains, order, None, discount=lambda rank: rank) / sum(gains)
        for order in orders(scores, ignore_ties=ignore_ties)
    ]
    return sum(positions, start=Fraction(0)) / len(positions)


def mean(
    values: Sequence[Fraction | None],
    weights: Sequence[Number] | None = None,
    undefined: Number | None = 0,
) -> Fraction | None:
    """The weighted mean, an undefined value replaced or, with None, left out; None of nothing."""
    weights = [1] * len(values) if weights is None else weights
    total = Fraction(0)
    total_weight = Fraction(0)
    for value, weight in zip(values, weights, strict=True):
        if value is None and undefined is None:
            continue
        total += Fraction(weight) * Fraction(undefined if value is None else value)
        total_weight += Fraction(weight)
    return total / total_weight if total_weight else None
