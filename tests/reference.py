"""The value of one query by name, in fractions or in floats.

In fractions it is that of `ranking_scores.testing`, which has the definition of each metric for
one order: the mean over all orders that the scores allow, or the extreme one, or the part of one
item. In floats, for queries of any length, the definitions are here: loops over the *groups* of
items with equal scores, from the highest score down, which take the expected value in each of
them. `test_fuzz` compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial, reduce, wraps
from typing import Any

import numpy as np

from ranking_scores import testing
from ranking_scores.testing import orders

Number = int | float | Fraction
Function = Callable[[Number], Number]
Groups = Sequence[Sequence[int]]
tie_groups = testing._tie_groups


# --- gains, discounts and orders --------------------------------------------------------------


def linear(label: Number) -> Number:
    """The label itself."""
    return label


def exponential(label: Number) -> Number:
    """2**label - 1, exact for whole labels."""
    return Fraction(2) ** int(label) - 1 if label == int(label) else 2.0 ** float(label) - 1


def log_discount(base: float = 2) -> Function:
    """1 / log(1 + rank) to a base."""
    return lambda rank: math.log(base) / math.log(1 + float(rank))


def relevance_of(labels: Sequence[Number], relevance_threshold: Number | None) -> list[bool]:
    """Which labels are relevant: those above 0, or those that reach the threshold."""
    return [
        label > 0 if relevance_threshold is None else label >= relevance_threshold
        for label in labels
    ]


def gains_of(
    labels: Sequence[Number],
    gain: Function,
    relevance_threshold: Number | None,
    number: Any = Fraction,
) -> list[Any]:
    """The gain of each label, 0 for those below the threshold."""
    return [
        number(gain(label))
        if relevance_threshold is None or label >= relevance_threshold
        else number(0)
        for label in labels
    ]


def positions_of(ranks: Sequence[int]) -> list[int]:
    """The position of each item: its rank, or the first one behind all items above it."""
    position, n_taken = {}, 0
    for rank in sorted(set(ranks)):
        position[rank] = max(rank, n_taken + 1)
        n_taken = position[rank] + list(ranks).count(rank) - 1
    return [position[rank] for rank in ranks]


# --- in fractions -----------------------------------------------------------------------------

OF_QUERY = {"gain", "discount", "relevance_threshold"}


def exact_value(
    name: str,
    labels: Sequence[Number | None],
    scores: Sequence[Number | None],
    *,
    ignore_ties: bool = False,
    pick: Callable[..., Any] | None = None,
    item: int | None = None,
    item_weight: Sequence[Number] | None = None,
    **options: Any,
) -> Fraction | None:
    """The mean of a definition over all orders of the ties; None where it is undefined.

    With `pick`, max or min, the extreme value of all orders. With `item`, the mean of what this
    item adds: the value of an order that ends with it, less the value of the items above it. Items
    of weight 0 do not exist, and the weights of the others multiply their gains.
    """
    options = {option: testing._plain(value) for option, value in options.items()}
    of_query = {option: options.pop(option) for option in OF_QUERY & options.keys()}
    n_ranked = sum(score is not None for score in scores)
    query, weight = testing.Query([labels], n_ranked, **of_query), Fraction(1)
    if item_weight is not None:
        kept = [each for each, weight in enumerate(item_weight) if weight > 0]
        gains = [query.gains[each] * Fraction(item_weight[each]) for each in kept]
        if name == "dcg":
            weight = weight_by_items(query.gains, item_weight) or weight
        scores = [scores[each] for each in kept]
        query = testing.Query([gains], n_ranked, discount=of_query.get("discount", "log"))
    define = partial(testing.DEFINITIONS[name].value, query=query, **options)
    allowed = list(orders(scores, ignore_ties=ignore_ties))
    if define(allowed[0]) is None:
        return None
    if item is not None:
        ends = [order.index(item) if item in order else None for order in allowed]
        values = [
            Fraction(0)
            if end is None
            else Fraction(define(order[: end + 1])) - Fraction(define(order[:end]))
            for order, end in zip(allowed, ends, strict=True)
        ]
    else:
        values = [Fraction(define(order)) for order in allowed]
    mean = pick(values) if pick else sum(values, start=Fraction(0)) / len(values)
    return mean / weight


def exactly(name: str, **of_name: Any) -> Callable[..., Any]:
    """A decorator: in fractions, a definition is the public one of a name."""

    def decorate(in_floats: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(in_floats)
        def value(labels: Any, scores: Any, *, number: Any = Fraction, **options: Any) -> Any:
            if number is Fraction:
                return exact_value(name, labels, scores, **of_name, **options)
            return in_floats(labels, scores, **options)

        return value

    return decorate


# --- in floats --------------------------------------------------------------------------------


def expected_value(
    define: Callable[[Groups], Any],
    scores: Sequence[Number | None],
    worths: Sequence[Number],
    *,
    ignore_ties: bool = False,
    pick: Callable[..., Any] | None = None,
) -> float:
    """The expected value of a definition over the orders of the ties.

    With `pick`, max or min, the extreme value of all orders. It must be the larger, the more the
    first items are worth.
    """
    groups = tie_groups(scores)
    if ignore_ties:
        groups = [[item] for group in groups for item in group[::-1]]
    elif pick:
        for group in groups:
            group.sort(key=worths.__getitem__, reverse=pick is max)
        groups = [[item] for group in groups for item in group]
    return float(define(groups))


# --- sums over groups -------------------------------------------------------------------------


def sum_over_ranks(
    groups: Groups, gains: Sequence[Any], weight_of: Function, k: int | None = None
) -> Any:
    """The sum over the first `k` ranks of the mean gain of the group times a weight."""
    total, rank = 0, 0
    for group in groups:
        mean_gain = sum(gains[item] for item in group) / len(group)
        for _ in group:
            rank += 1
            if k is not None and rank > k:
                return total
            total += mean_gain * weight_of(rank)
    return total


def sum_over_hits(
    groups: Groups, hits: Sequence[Any], value_of: Callable[[Any, Any], Any], k: int | None
) -> Any:
    """The sum over the hits in the first `k` ranks of a value of rank and number of hits above."""
    total, rank, n_above = 0.0, 1, 0
    for group in groups:
        n_hits = int(sum(hits[item] for item in group))
        if k is not None and rank > k:
            return total
        if len(group) > 1:
            ranks = range(rank, rank + len(group))
            total += _sum_in_group(ranks, n_hits, n_above, value_of, k)
        elif n_hits:
            total += value_of(float(rank), float(n_above))
        rank += len(group)
        n_above += n_hits
    return total


def _sum_in_group(
    ranks: range, n_hits: int, n_above: int, value_of: Callable[[Any, Any], Any], k: int | None
) -> float:
    """The same, expected in a tie group: a draw of its items, one after the other.

    With 2 hits among 3 items, the first item is a hit with chance 2/3. The second one is a hit
    after a hit with chance 2/3 * 1/2, and after a miss with chance 1/3 * 2/2.
    """
    total = 0.0
    drawn = np.arange(n_hits)
    chance = (drawn == 0) * 1.0  # of each number of hits among the items that were drawn
    for n_left, rank in zip(range(len(ranks), 0, -1), ranks, strict=True):
        if k is not None and rank > k:
            break
        hit = chance * (n_hits - drawn) / n_left
        total += float(np.sum(hit * value_of(float(rank), n_above + drawn.astype(float))))
        chance = chance * (n_left - n_hits + drawn) / n_left
        chance[1:] += hit[:-1]
    return total


def sum_of_stops(groups: Groups, stops: Sequence[Any], k: int | None) -> Any:
    """The expected reciprocal of the rank at which a user stops, by the chance at each item.

    An item is at a place of its group with those before it drawn from the others. The chance that
    none of t of them stops is their elementary symmetric polynomial over the number of draws.
    """
    total, n_above, reads = 0, 0, 1
    for group in groups:
        chances = [stops[item] for item in group]
        n_left = None if k is None else max(k - n_above, 0)
        for chance in sorted(set(chances)):
            others = list(chances)
            others.remove(chance)
            goes_on = reduce(np.convolve, ([1, 1 - other] for other in others), [1])
            for place, none_stops in enumerate(goes_on[:n_left]):
                n_draws = math.comb(len(others), place)
                share = reads * chance * chances.count(chance) / len(group)
                total += share * none_stops / n_draws / (n_above + place + 1)
        reads *= math.prod(1 - chance for chance in chances)
        n_above += len(group)
    return total


def share_of_pairs(groups: Groups, labels: Sequence[Any], n_pairs: int) -> Any:
    """The share of the pairs of unequal labels in which the higher one is above.

    In a tie group it is above in half of the orders.
    """
    levels = sorted(set(labels))
    level = np.array([levels.index(labels[item]) for group in groups for item in group])
    place = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    is_above = (place[:, None] < place) + (place[:, None] == place) / 2
    return (is_above * (level[:, None] > level)).sum() / n_pairs


# --- gains ------------------------------------------------------------------------------------


def weight_by_items(gains: Sequence[Any], item_weight: Sequence[Number]) -> Any:
    """The weight that its items give a query: 0 without items, None without gain."""
    kept = [(gain, weight) for gain, weight in zip(gains, item_weight, strict=True) if weight > 0]
    if not kept:
        return 0
    total = sum(gain for gain, _ in kept)
    return sum(gain * type(gain)(weight) for gain, weight in kept) / total if total else None


def weights_of_queries(by_items: Sequence[Any], sample_weight: Sequence[Number]) -> list[Any]:
    """The weights of queries in the mean: the one by items times the one that was given.

    A query whose items gain nothing has the mean weight by items of the others.
    """
    known = [(own, each) for own, each in zip(sample_weight, by_items, strict=True) if each]
    total = sum(own for own, _ in known)
    mean = sum(own * each for own, each in known) / total if total else 1
    return [
        own * (mean if each is None else each)
        for own, each in zip(sample_weight, by_items, strict=True)
    ]


@exactly("dcg")
def dcg(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None = None,
    gain: Function = linear,
    discount: Function | None = None,
    relevance_threshold: Number | None = None,
    item_weight: Sequence[Number] | None = None,
    **options: Any,
) -> float:
    """The sum of gain times discount over the first `k` ranks.

    With weights of items it is divided by the weight of the query. Items of weight 0 do not exist.
    """
    gains = gains_of(labels, gain, relevance_threshold, float)
    weight = 1
    if item_weight is not None:
        weight = weight_by_items(gains, item_weight) or 1
        gains, scores = _weighted(gains, scores, item_weight)
    total = partial(sum_over_ranks, gains=gains, weight_of=_weights(discount), k=k)
    return expected_value(total, scores, gains, **options) / weight


@exactly("ndcg")
def ndcg(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None = None,
    gain: Function = linear,
    discount: Function | None = None,
    relevance_threshold: Number | None = None,
    item_weight: Sequence[Number] | None = None,
    **options: Any,
) -> float | None:
    """DCG over the largest DCG of any order of the items; None where that is 0: undefined."""
    gains = gains_of(labels, gain, relevance_threshold, float)
    if item_weight is not None:
        gains, scores = _weighted(gains, scores, item_weight)
    weight_of = _weights(discount)
    total = partial(sum_over_ranks, gains=gains, weight_of=weight_of, k=k)
    # The largest gains are where the weights are largest.
    of_ranks = sorted(map(weight_of, range(1, len(gains) + 1)[:k]), reverse=True)
    ideal = math.fsum(map(math.prod, zip(sorted(gains, reverse=True), of_ranks, strict=False)))
    return expected_value(total, scores, gains, **options) / ideal if ideal else None


def _weighted(
    gains: Sequence[Any],
    scores: Sequence[Number | None],
    item_weight: Sequence[Number],
) -> tuple[list[Any], list[Number | None]]:
    """The gains times the weights, and the scores, of the items that have a weight."""
    kept = [item for item, weight in enumerate(item_weight) if weight > 0]
    weighted = [gains[item] * float(item_weight[item]) for item in kept]
    return weighted, [scores[item] for item in kept]


def _weights(discount: Function | None) -> Function:
    """The weights of ranks as numbers, each computed once."""
    discount = discount or log_discount()
    return cache(lambda rank: float(discount(rank)))


@exactly("arp")
def average_relevant_position(
    labels: Sequence[Number],
    scores: Sequence[Number],
    *,
    relevance_threshold: Number | None = None,
    **options: Any,
) -> Any:
    """The mean rank of the items, weighted by their labels."""
    gains = gains_of(labels, linear, relevance_threshold, float)
    total = sum(gains)
    if not total:
        return None
    ranks = partial(sum_over_ranks, gains=gains, weight_of=lambda rank: rank)
    losses = [-gain for gain in gains]
    return expected_value(ranks, scores, losses, **options) / total


# --- relevant items ---------------------------------------------------------------------------


def of_relevant_items(
    define: Callable[[Groups, list[Any]], Any],
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    relevance_threshold: Number | None = None,
    **options: Any,
) -> Any:
    """The expected value of a definition with hits, 1 or 0 for each item; None without a 1."""
    hits = [float(is_hit) for is_hit in relevance_of(labels, relevance_threshold)]
    if not any(hits):
        return None
    total = partial(define, hits=hits)
    return expected_value(total, scores, hits, **options)


def n_relevant_of(
    labels: Sequence[Number], *, relevance_threshold: Number | None = None, **_: object
) -> int:
    """The number of relevant items, ranked or not."""
    return sum(relevance_of(labels, relevance_threshold))


def hits_over(divisor: Number, k: int | None) -> Callable[..., Any]:
    """The number of hits in the first `k` ranks over a number."""

    def share(groups: Groups, hits: Sequence[Any]) -> Any:
        return sum_over_ranks(groups, hits, lambda rank: 1, k) / max(divisor, 1)

    return share


@exactly("precision")
def precision_at_k(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    denominator: str = "k",
    **options: Any,
) -> Any:
    """Relevant items among the first k over k, or over the ranked items among these."""
    n_ranked = sum(score is not None for score in scores)
    divisor = k if denominator == "k" else min(k or n_ranked, n_ranked)
    return of_relevant_items(hits_over(divisor, k), labels, scores, **options)


@exactly("recall")
def recall_at_k(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    denominator: str = "relevant",
    **options: Any,
) -> Any:
    """Relevant items among the first k over all of them, or over as many as there may be."""
    divisor = _most_hits(labels, k, denominator, **options)
    return of_relevant_items(hits_over(divisor, k), labels, scores, **options)


def _most_hits(labels: Sequence[Number], k: int | None, denominator: str, **options: Any) -> int:
    """The number of relevant items, or "achievable" of them among the first k."""
    n_relevant = n_relevant_of(labels, **options)
    return min(n_relevant, k) if denominator == "achievable" and k is not None else n_relevant


@exactly("f1")
def f1_at_k(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    beta: Number = 1,
    **options: Any,
) -> Any:
    """The weighted harmonic mean of precision and recall: hits over a mean of their divisors.

    Precision is over k, or over the number of ranked items.
    """
    n_first = sum(score is not None for score in scores) if k is None else k
    share = Fraction(1) if beta == math.inf else Fraction(beta) ** 2 / (1 + Fraction(beta) ** 2)
    divisor = (1 - share) * max(n_first, 1) + share * n_relevant_of(labels, **options)

    def f1(groups: Groups, hits: Sequence[Any]) -> Any:
        n_hits = sum_over_ranks(groups, hits, lambda rank: 1, k)
        return n_hits / float(divisor)

    return of_relevant_items(f1, labels, scores, **options)


@exactly("r_precision")
def r_precision(labels: Sequence[Number], scores: Sequence[Number | None], **options: Any) -> Any:
    """The precision at the rank that is the number of relevant items."""
    n_relevant = n_relevant_of(labels, **options)
    return of_relevant_items(hits_over(n_relevant, n_relevant), labels, scores, **options)


@exactly("judged")
def judged_at_k(
    labels: Sequence[Number | None],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    denominator: str = "k",
    relevance_threshold: Number | None = None,
    **options: Any,
) -> Any:
    """Judged items among the first k over k, or over the ranked items among these."""
    n_ranked = sum(score is not None for score in scores)
    divisor = k if denominator == "k" else min(k or n_ranked, n_ranked)
    if not divisor:
        return None
    known = [float(is_known(label)) for label in labels]
    share = partial(hits_over(divisor, k), hits=known)
    return expected_value(share, scores, known, **options)


def is_known(label: Number | None) -> bool:
    """Whether an item was judged: its label is neither None nor NaN."""
    return label is not None and label == label


@exactly("bpref")
def bpref(
    labels: Sequence[Number | None],
    scores: Sequence[Number | None],
    *,
    relevance_threshold: Number | None = None,
    **options: Any,
) -> Any:
    """The mean over the relevant items of 1 - min(others above, m) / m, 0 if not ranked."""
    known = [label if is_known(label) else 0 for label in labels]
    is_relevant = relevance_of(known, relevance_threshold)
    hits, others = (
        [is_known(label) and hit is wanted for label, hit in zip(labels, is_relevant, strict=True)]
        for wanted in (True, False)
    )
    if not any(hits):
        return None
    most = max(min(sum(hits), sum(others)), 1)

    def preferred(groups: Groups) -> Any:
        total, above = 0.0, 0
        for group in groups:
            n_others = sum(others[item] for item in group)
            least = sum(min(above + more, most) for more in range(n_others + 1))
            share = least / (n_others + 1) / most
            total += sum(hits[item] for item in group) * (1 - share)
            above += n_others
        return total / sum(hits)

    return expected_value(preferred, scores, hits, **options)


@exactly("rbp")
def rank_biased_precision(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    persistence: Number = 0.8,
    **options: Any,
) -> Any:
    """The share of relevant items among those that a user of some persistence reads."""

    def read(groups: Groups, hits: Sequence[Any]) -> Any:
        p = float(persistence)
        return sum_over_ranks(groups, hits, lambda rank: (1 - p) * p ** (rank - 1), k)

    return of_relevant_items(read, labels, scores, **options)


@exactly("hit_rate")
def hit_rate(
    labels: Sequence[Number], scores: Sequence[Number | None], *, k: int, **options: Any
) -> Any:
    """The share of the orders with a relevant item among the first `k`."""
    first = partial(sum_over_hits, value_of=lambda rank, n_above: n_above == 0, k=k)
    return of_relevant_items(first, labels, scores, **options)


@exactly("all_relevant")
def all_relevant_at_k(
    labels: Sequence[Number], scores: Sequence[Number | None], *, k: int, **options: Any
) -> Any:
    """The share of the orders with all relevant items among the first `k`."""
    n_relevant = n_relevant_of(labels, **options)

    def are_all_found(groups: Groups, hits: Sequence[Any]) -> Any:
        chance, n_left, n_places = 1.0, n_relevant, k
        for group in groups:
            n_hits = int(sum(hits[item] for item in group))
            if 0 < n_places < len(group):
                ways = (
                    math.comb(len(group) - n_hits, n_places - n_hits) if n_hits <= n_places else 0
                )
                chance *= ways / math.comb(len(group), n_places)
            n_left -= n_hits if n_places > 0 else 0
            n_places -= len(group)
        return chance if n_left == 0 else chance * 0

    return of_relevant_items(are_all_found, labels, scores, **options)


def all_aspects_at_k(
    labels_of_aspects: Sequence[Sequence[Number]], scores: Sequence[Number | None], *, k: int
) -> Fraction:
    """The share of the orders with a relevant item of each aspect among the first `k`."""
    found: Fraction = testing.expected("all_relevant", labels_of_aspects, [*scores], k=k)
    return found


@exactly("alpha_ndcg")
def alpha_ndcg(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    alpha: Number = 0.5,
    **options: Any,
) -> Any:
    """The discounted sum over hits of (1 - alpha)**(hits above), over its largest value."""
    n_hits = n_relevant_of(labels, **options)

    def novel(groups: Groups, hits: Sequence[Any]) -> Any:
        weight_of, keeps = _weights(None), 1 - float(alpha)
        ideal = sum(
            keeps**n * weight_of(n + 1) for n in range(n_hits if k is None else min(n_hits, k))
        )

        def worth(rank: Any, n_above: Any) -> Any:
            return keeps**n_above * weight_of(rank)

        return sum_over_hits(groups, hits, worth, k) / ideal

    return of_relevant_items(novel, labels, scores, **options)


def alpha_ndcg_of_aspects(
    labels_of_aspects: Sequence[Sequence[Number]],
    scores: Sequence[Number | None],
    *,
    k: int,
    alpha: Number,
    weights: Sequence[Number],
) -> Fraction | None:
    """Alpha-DCG over that of the greedy order, in which the last of the best items comes first."""
    if not labels_of_aspects:
        return None
    found: Fraction | None = testing.expected(
        "alpha_ndcg", labels_of_aspects, scores, k=k, alpha=alpha, aspect_weight=weights,
        replace_undefined_by=None,
    )  # fmt: skip
    return found


@exactly("mrr")
def reciprocal_rank(
    labels: Sequence[Number], scores: Sequence[Number | None], *, k: int | None, **options: Any
) -> Any:
    """1 over the rank of the first relevant item, 0 if that is beyond k or there is none."""
    first = partial(sum_over_hits, value_of=lambda rank, n_above: (n_above == 0) / rank, k=k)
    return of_relevant_items(first, labels, scores, **options)


@exactly("map")
def average_precision(
    labels: Sequence[Number],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    denominator: str = "relevant",
    **options: Any,
) -> Any:
    """The sum of the precisions at the ranks of relevant items over the number of these."""
    divisor = _most_hits(labels, k, denominator, **options)
    precisions = partial(sum_over_hits, value_of=lambda rank, n_above: (n_above + 1) / rank, k=k)
    total = of_relevant_items(precisions, labels, scores, **options)
    return None if total is None else total / divisor


@exactly("err", gain="exponential")
def expected_reciprocal_rank(
    labels: Sequence[int],
    scores: Sequence[Number | None],
    *,
    k: int | None,
    max_grade: int,
    relevance_threshold: Number | None = None,
    **options: Any,
) -> Any:
    """The expected reciprocal of the rank at which a user stops, by grades."""
    stops = gains_of(
        labels, lambda grade: Fraction(2**grade - 1, 2**max_grade), relevance_threshold, float
    )
    if not any(stops):
        return None
    total = partial(sum_of_stops, stops=stops, k=k)
    return expected_value(total, scores, stops, **options)


# --- pairs ------------------------------------------------------------------------------------


@exactly("auc")
def area_under_the_curve(
    labels: Sequence[Number], scores: Sequence[Number], **options: Any
) -> Any:
    """The share of pairs of a relevant and an irrelevant item in which that one is above."""
    n_relevant = n_relevant_of(labels, **options)
    n_pairs = n_relevant * (len(labels) - n_relevant)

    def pairs(groups: Groups, hits: Sequence[Any]) -> Any:
        return share_of_pairs(groups, hits, n_pairs)

    return of_relevant_items(pairs, labels, scores, **options) if n_pairs else None


@exactly("pairwise_accuracy")
def pairwise_accuracy(labels: Sequence[Number], scores: Sequence[Number], **options: Any) -> Any:
    """The share of the pairs of unequal labels in which the higher one is above."""
    n_pairs = math.comb(len(labels), 2) - sum(
        math.comb(list(labels).count(label), 2) for label in set(labels)
    )
    if not n_pairs:
        return None
    pairs = partial(share_of_pairs, labels=labels, n_pairs=n_pairs)
    return expected_value(pairs, scores, labels, **options)


# --- the scores by name, and their mean -------------------------------------------------------

DEFINITIONS: dict[str, Callable[..., Any]] = {
    "ndcg_score": ndcg,
    "alpha_ndcg_score": alpha_ndcg,
    "dcg_score": dcg,
    "mean_average_precision_score": average_precision,
    "mean_reciprocal_rank_score": reciprocal_rank,
    "precision_at_k_score": precision_at_k,
    "recall_at_k_score": recall_at_k,
    "f1_at_k_score": f1_at_k,
    "hit_rate_score": hit_rate,
    "expected_reciprocal_rank_score": expected_reciprocal_rank,
    "rank_biased_precision_score": rank_biased_precision,
    "r_precision_score": r_precision,
    "grouped_auc_score": area_under_the_curve,
    "pairwise_accuracy_score": pairwise_accuracy,
    "average_relevant_position": average_relevant_position,
    "judged_at_k_score": judged_at_k,
    "bpref_score": bpref,
    "all_relevant_at_k_score": all_relevant_at_k,
}
"""The definition of each metric, by the name of its function in the package."""


def mean(
    values: Sequence[Fraction | None],
    weights: Sequence[Number] | None = None,
    undefined: Number | None = 0,
) -> Fraction | None:
    """The weighted mean, an undefined value replaced or, with None, left out; None of nothing."""
    return testing._mean(values, weights, undefined)
