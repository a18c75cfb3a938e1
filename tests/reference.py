"""Textbook definitions, by enumeration of all orders of the ties, in exact fractions.

Nothing here comes from the package: labels, scores and weights become `Fraction`, an expected
value is the mean over every order that the scores allow, an ideal the maximum over every order
of the items. Floats enter only where a logarithm forces them, as the float's exact value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from typing import Any

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


def positions_of(ranks: Sequence[int]) -> list[int]:
    """The position of each item: its rank, or the first one behind all items above it."""
    position, n_taken = {}, 0
    for rank in sorted(set(ranks)):
        position[rank] = max(rank, n_taken + 1)
        n_taken = position[rank] + list(ranks).count(rank) - 1
    return [position[rank] for rank in ranks]


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
    pick: Callable[[list[Fraction]], Fraction] | None = None,
) -> Fraction:
    """DCG of one query: its mean over all orders of the ties, or what `pick` picks of them."""
    gains = gains_of(labels, gain, relevance_threshold)
    discount = discount or log_discount()
    values = [
        dcg_of_order(gains, order, k, discount)
        for order in orders(scores, ignore_ties=ignore_ties)
    ]
    return pick(values) if pick else sum(values, start=Fraction(0)) / len(values)


def ndcg(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None = None,
    gain: Function = linear,
    discount: Function | None = None,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
    pick: Callable[[list[Fraction]], Fraction] | None = None,
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
        pick=pick,
    )
    return actual / ideal


def hit_rate(
    labels: Sequence[Number], scores: Sequence[Number | None], *, k: int, **options: Any
) -> Fraction | None:
    """The share of the orders of one query with a relevant item among the first `k`."""
    return mean_over_orders(lambda hits: int(any(hits[:k])), labels, scores, **options)


def average_relevant_position(
    labels: Sequence[Number],
    scores: Sequence[Number],
    *,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
    pick: Callable[[list[Fraction]], Fraction] | None = None,
) -> Fraction | None:
    """The mean rank of the items of one query, weighted by their labels, over all orders."""
    gains = gains_of(labels, linear, relevance_threshold)
    if not sum(gains):
        return None
    positions = [
        dcg_of_order(gains, order, None, discount=lambda rank: rank) / sum(gains)
        for order in orders(scores, ignore_ties=ignore_ties)
    ]
    return pick(positions) if pick else sum(positions, start=Fraction(0)) / len(positions)


def relevance_of(labels: Sequence[Number], relevance_threshold: Number | None) -> list[bool]:
    """Which labels are relevant: those above 0, or those that reach the threshold."""
    return [
        label > 0 if relevance_threshold is None else label >= relevance_threshold
        for label in labels
    ]


def mean_over_orders(
    score_of_order: Callable[[list[bool]], Number],
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
    pick: Callable[[list[Fraction]], Fraction] | None = None,
) -> Fraction | None:
    """The mean of a score of the relevance by rank; None where no item is relevant.

    With `pick`, what that picks of the scores of all orders, such as their `max`.
    """
    relevant = relevance_of(labels, relevance_threshold)
    if not any(relevant):
        return None
    values = [
        Fraction(score_of_order([relevant[item] for item in order]))
        for order in orders(scores, ignore_ties=ignore_ties)
    ]
    return pick(values) if pick else sum(values, start=Fraction(0)) / len(values)


def n_relevant_of(
    labels: Sequence[Number], *, relevance_threshold: Number | None = None, **_: object
) -> int:
    """The number of relevant items, ranked or not."""
    return sum(relevance_of(labels, relevance_threshold))


def precision_at_k(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    denominator: str = "k",
    **options: Any,
) -> Fraction | None:
    """Relevant items among the first k over k, or over the ranked items among these."""
    n_ranked = sum(score is not None for score in scores)
    divisor = k if denominator == "k" else min(k or n_ranked, n_ranked)
    return mean_over_orders(
        lambda hits: Fraction(sum(hits[:k]), max(divisor, 1)), labels, scores, **options
    )


def recall_at_k(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    denominator: str = "relevant",
    **options: Any,
) -> Fraction | None:
    """Relevant items among the first k over all of them, or over as many as there may be."""
    divisor = n_relevant_of(labels, **options)
    if denominator == "achievable" and k is not None:
        divisor = min(divisor, k)
    return mean_over_orders(
        lambda hits: Fraction(sum(hits[:k]), divisor), labels, scores, **options
    )


def f1_at_k(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    beta: Number = 1,
    **options: Any,
) -> Fraction | None:
    """The weighted harmonic mean of precision and recall, in each order: 0 where both are.

    Precision is over k, or over the number of ranked items.
    """
    n_first = sum(score is not None for score in scores) if k is None else k
    share_of_recall = 1 if beta == math.inf else Fraction(beta) ** 2 / (1 + Fraction(beta) ** 2)

    def f1(hits: list[bool]) -> Fraction:
        if not any(hits[:k]):
            return Fraction(0)
        precision = Fraction(sum(hits[:k]), n_first)
        recall = Fraction(sum(hits[:k]), n_relevant_of(labels, **options))
        return 1 / ((1 - share_of_recall) / precision + share_of_recall / recall)

    return mean_over_orders(f1, labels, scores, **options)


def r_precision(
    labels: Sequence[Number], scores: Sequence[Number | None], **options: Any
) -> Fraction | None:
    """The precision at the rank that is the number of relevant items."""
    n_relevant = n_relevant_of(labels, **options)
    return mean_over_orders(
        lambda hits: Fraction(sum(hits[:n_relevant]), n_relevant), labels, scores, **options
    )


def average_precision(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    denominator: str = "relevant",
    **options: Any,
) -> Fraction | None:
    """The sum of the precisions at the ranks of relevant items over the number of these."""
    divisor = n_relevant_of(labels, **options)
    if denominator == "achievable" and k is not None:
        divisor = min(divisor, k)

    def total(hits: list[bool]) -> Fraction:
        precisions = [
            Fraction(sum(hits[:rank]), rank)
            for rank, is_hit in enumerate(hits[:k], start=1)
            if is_hit
        ]
        return sum(precisions, start=Fraction(0)) / divisor

    return mean_over_orders(total, labels, scores, **options)


def reciprocal_rank(
    labels: Sequence[Number], scores: Sequence[Number | None], *, k: int | None, **options: Any
) -> Fraction | None:
    """1 over the rank of the first relevant item, 0 if that is beyond k or there is none."""
    return mean_over_orders(
        lambda hits: Fraction(1, hits.index(True) + 1) if any(hits[:k]) else Fraction(0),
        labels,
        scores,
        **options,
    )


def expected_reciprocal_rank(
    labels: Sequence[int],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    max_grade: int,
    relevance_threshold: Number | None = None,
    ignore_ties: bool = False,
    pick: Callable[[list[Fraction]], Fraction] | None = None,
) -> Fraction | None:
    """The expected reciprocal of the rank at which a user stops, by grades."""
    stop = [
        Fraction(2**label - 1, 2**max_grade)
        if relevance_threshold is None or label >= relevance_threshold
        else Fraction(0)
        for label in labels
    ]
    if not any(stop):
        return None
    values = []
    for order in orders(scores, ignore_ties=ignore_ties):
        reads, value = Fraction(1), Fraction(0)
        for rank, item in enumerate(order[:k], start=1):
            value += reads * stop[item] / rank
            reads *= 1 - stop[item]
        values.append(value)
    return pick(values) if pick else sum(values, start=Fraction(0)) / len(values)


def rank_biased_precision(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    persistence: Number = 0.8,
    **options: Any,
) -> Fraction | None:
    """The share of relevant items among those that a user of some persistence reads."""
    p = Fraction(persistence)
    return mean_over_orders(
        lambda hits: (
            (1 - p)
            * sum((p**place for place, is_hit in enumerate(hits[:k]) if is_hit), start=Fraction(0))
        ),
        labels,
        scores,
        **options,
    )


def area_under_the_curve(
    labels: Sequence[Number], scores: Sequence[Number], **options: Any
) -> Fraction | None:
    """The share of pairs of a relevant and an irrelevant item in which that one stands above."""
    n_relevant = n_relevant_of(labels, **options)
    n_irrelevant = len(labels) - n_relevant
    if not n_irrelevant:
        return None
    return mean_over_orders(
        lambda hits: Fraction(
            sum(not below for place, above in enumerate(hits) if above for below in hits[place:]),
            n_relevant * n_irrelevant,
        ),
        labels,
        scores,
        **options,
    )


def pairwise_accuracy(
    labels: Sequence[Number],
    scores: Sequence[Number],
    *,
    ignore_ties: bool = False,
    pick: Callable[[list[Fraction]], Fraction] | None = None,
) -> Fraction | None:
    """The share of the pairs of unequal labels in which the higher one stands above."""
    n_pairs = sum(a < b for a in labels for b in labels)
    if not n_pairs:
        return None
    values = [
        Fraction(sum(labels[a] > labels[b] for a, b in combinations(order, 2)), n_pairs)
        for order in orders(scores, ignore_ties=ignore_ties)
    ]
    return pick(values) if pick else sum(values, start=Fraction(0)) / len(values)


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
