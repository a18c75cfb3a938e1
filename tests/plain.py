"""The scores of one query by their textbook definitions, with lists and averages over tie groups.

Nothing here comes from the package, and no way of computing does: a query is a list of labels and
one of scores, tie groups are lists of items, and each definition is a loop. `value_of` takes
queries of any length; `exact_value_of` is the same by `reference`, over all orders in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import reference

Options = dict[str, Any]
Groups = list[list[int]]


@dataclass
class Query:
    """The items of a query that take part, and nothing else."""

    labels: list[float]
    scores: list[Any]
    """None for an item that was not retrieved."""
    weights: list[float] | None = None
    """Those of the items; items of weight 0 are among them."""


# --- functions that callers might pass --------------------------------------------------------


def shifted(label: Any) -> Any:
    return label + 0.5


def reciprocal(rank: Any) -> Any:
    return 1 / rank


def constant(rank: Any) -> Any:
    return rank * 0 + 2


def up_and_down(rank: Any) -> Any:
    return rank % 3


def scalar(values: Any) -> float:
    """Return one number for all, which is no gain and no discount."""
    return 1.0


def not_a_number(values: Any) -> Any:
    return values * np.nan


# --- what a label and a rank are worth --------------------------------------------------------


def gain_of(options: Options) -> Callable[[float], float]:
    """Return the function from a label to its gain, without the threshold."""
    gain = options.get("gain", "linear")
    if callable(gain):
        return gain
    if isinstance(gain, str):
        return (lambda label: label) if gain == "linear" else reference.exponential
    return lambda label: float(gain[int(label)])


def discount_of(options: Options) -> Callable[[float], float]:
    """Return the function from a rank to its weight."""
    discount = options.get("discount", "log")
    return discount if callable(discount) else reference.log_discount(options.get("log_base", 2))


def threshold_of(options: Options) -> Any:
    """Return the threshold as a number of Python, or None."""
    threshold = options.get("relevance_threshold")
    return threshold.item() if isinstance(threshold, np.generic) else threshold


def counts(label: float, options: Options) -> bool:
    """Whether a label reaches the threshold."""
    threshold = threshold_of(options)
    return threshold is None or bool(label >= threshold)


def gains(label: float, options: Options) -> float:
    """Return what a label gains."""
    return float(gain_of(options)(label)) if counts(label, options) else 0.0


def is_relevant(label: float, options: Options) -> bool:
    """Whether a label is relevant."""
    return counts(label, options) if threshold_of(options) is not None else label > 0


def worth_of(name: str, labels: Sequence[float], options: Options) -> list[float]:
    """Return what each item is worth to a score: the more, the higher it should be ranked."""
    if name in ("dcg_score", "ndcg_score"):
        return [gains(label, options) for label in labels]
    if name == "average_relevant_position":
        return [label if counts(label, options) else 0 for label in labels]
    if name == "pairwise_accuracy_score":
        return list(labels)
    if name == "expected_reciprocal_rank_score":
        highest = options["max_grade"]
        return [(2**label - 1) / 2**highest if counts(label, options) else 0 for label in labels]
    return [float(is_relevant(label, options)) for label in labels]


def groups_of(scores: Sequence[Any], worth: Sequence[float], order: str) -> Groups:
    """Return the tie groups from the highest score down; in one order, each of one item."""
    by_score: dict[Any, list[int]] = {}
    for item, score in enumerate(scores):
        if score is not None:
            by_score.setdefault(score, []).append(item)
    groups = [by_score[score] for score in sorted(by_score, reverse=True)]
    if order == "expected":
        return groups
    if order == "as_ordered":
        return [[item] for group in groups for item in reversed(group)]
    is_best = order == "best"
    return [
        [item]
        for group in groups
        for item in sorted(group, key=worth.__getitem__, reverse=is_best)
    ]


# --- the definitions --------------------------------------------------------------------------


def sum_over_ranks(
    groups: Groups, worth: Sequence[float], k: float, weight_of: Callable[[int], float]
) -> float:
    """Return the sum of the mean worth of a tie group times the weight of a rank, up to k."""
    total, rank = 0.0, 0
    for group in groups:
        mean = math.fsum(worth[item] for item in group) / len(group)
        for _ in group:
            rank += 1
            if rank > k:
                return total
            total += mean * weight_of(rank)
    return total


def ideal_dcg(worth: Sequence[float], k: float, options: Options) -> float:
    """Return the largest sum of gain times discount."""
    n_ranks = int(min(k, len(worth)))
    weights = sorted(map(discount_of(options), range(1, n_ranks + 1)), reverse=True)
    return math.fsum(map(math.prod, zip(sorted(worth, reverse=True), weights, strict=False)))


def hit_rate(groups: Groups, hits: Sequence[float], k: float) -> float:
    """Return the chance of a relevant item among the first k, from the hypergeometric one."""
    n_above = 0
    for group in groups:
        n_drawn = int(min(k - n_above, len(group)))
        n_relevant = int(sum(hits[item] for item in group))
        if n_relevant:
            none = math.comb(len(group) - n_relevant, n_drawn)
            return 1 - none / math.comb(len(group), n_drawn)
        n_above += len(group)
        if n_above >= k:
            break
    return 0.0


def reciprocal_rank(groups: Groups, hits: Sequence[float], k: float) -> float:
    """Return the expected reciprocal of the rank of the first relevant item, 0 beyond k."""
    n_above = 0
    for group in groups:
        n_relevant = int(sum(hits[item] for item in group))
        if n_relevant:
            m = len(group)
            return math.fsum(
                math.comb(m - 1 - place, n_relevant - 1) / math.comb(m, n_relevant) / rank
                for place, rank in enumerate(range(n_above + 1, n_above + m - n_relevant + 2))
                if rank <= k
            )
        n_above += len(group)
    return 0.0


def sum_of_precisions(groups: Groups, hits: Sequence[float], k: float) -> float:
    """Return the expected sum of the precisions at the relevant items up to k."""
    total, n_above, n_hits = 0.0, 0, 0.0
    for group in groups:
        m, n_relevant = len(group), sum(hits[item] for item in group)
        for place in range(m):
            rank = n_above + place + 1
            if rank > k:
                return total
            before = place * (n_relevant - 1) / (m - 1) if m > 1 else 0
            total += n_relevant / m * (n_hits + 1 + before) / rank
        n_above, n_hits = n_above + m, n_hits + n_relevant
    return total


def stopping(groups: Groups, chance: Sequence[float], k: float) -> float:
    """Return the expected reciprocal of the rank at which a user stops.

    An item is at a place of its group with those before it drawn from the others: the chance that
    none of t of them stops is their elementary symmetric polynomial over the number of draws.
    """
    total, n_above, reads = 0.0, 0, 1.0
    for group in groups:
        m = len(group)
        chances = [chance[item] for item in group]
        for each in sorted(set(chances)):
            others = list(chances)
            others.remove(each)
            polynomial = np.ones(1)
            for other in others:
                polynomial = np.convolve(polynomial, [1, 1 - other])
            share = reads * each * chances.count(each) / m
            total += math.fsum(
                share * float(none_stops) / math.comb(m - 1, place) / (n_above + place + 1)
                for place, none_stops in enumerate(polynomial)
                if n_above + place < k
            )
        reads *= math.prod(1 - each for each in chances)
        n_above += m
        if n_above >= k:
            break
    return total


def pairs_in_order(groups: Groups, worth: Sequence[float]) -> float | None:
    """Return the share of the pairs of unequal worth in which the worthier item is above."""
    place = np.zeros(len(worth))
    for number, group in enumerate(groups):
        place[group] = number
    values = np.array(worth, dtype=float)
    is_more = values[:, None] > values
    if not is_more.any():
        return None
    is_above = (place[:, None] < place) + (place[:, None] == place) / 2
    return float((is_above * is_more).sum() / is_more.sum())


def value_of(
    name: str, query: Query, k: int | None, options: Options, order: str = "expected"
) -> float | None:
    """Return the score of one query at one cutoff, None where it is undefined."""
    if options.get("ignore_ties") and order == "expected":
        order = "as_ordered"
    labels, scores = query.labels, query.scores
    worth = worth_of(name, labels, options)
    weight = 1.0
    if query.weights is not None:
        left = [item for item, each in enumerate(query.weights) if each > 0]
        scores = [scores[item] for item in left]
        weight = weight_by_items(query, options) or 1.0
        worth = [worth[item] * query.weights[item] for item in left]
    groups = groups_of(scores, worth, order)
    limit = math.inf if k is None else k
    if name in ("dcg_score", "ndcg_score"):
        dcg = sum_over_ranks(groups, worth, limit, discount_of(options))
        if name == "dcg_score":
            return dcg / weight
        ideal = ideal_dcg(worth, limit, options)
        return dcg / ideal if ideal else None
    if name == "average_relevant_position":
        total = math.fsum(worth)
        return sum_over_ranks(groups, worth, limit, float) / total if total else None
    if name == "pairwise_accuracy_score":
        return pairs_in_order(groups, worth)
    if not any(worth):
        return None
    return OF_RELEVANT[name](groups, worth, limit, options)


def precision(groups: Groups, hits: Sequence[float], k: float, options: Options) -> float:
    """Return the relevant items among the first k over k, or over those retrieved."""
    n_ranked = sum(map(len, groups))
    divisor = min(k, n_ranked) if options.get("denominator") == "retrieved" else k
    return sum_over_ranks(groups, hits, k, one) / max(divisor, 1)


def one(rank: int) -> float:
    return 1.0


def n_relevant_of(hits: Sequence[float], k: float, options: Options) -> float:
    """Return the number of relevant items, or as many as there may be among the first k."""
    n_relevant = sum(hits)
    return min(n_relevant, k) if options.get("denominator") == "achievable" else n_relevant


def recall(groups: Groups, hits: Sequence[float], k: float, options: Options) -> float:
    return sum_over_ranks(groups, hits, k, one) / n_relevant_of(hits, k, options)


def average_precision(groups: Groups, hits: Sequence[float], k: float, options: Options) -> float:
    return sum_of_precisions(groups, hits, k) / n_relevant_of(hits, k, options)


def f1(groups: Groups, hits: Sequence[float], k: float, options: Options) -> float:
    """Return the hits over the mean of k and the relevant items, weighted by 1 and beta**2."""
    n_first = max(sum(map(len, groups)), 1) if k == math.inf else k
    beta = options.get("beta", 1)
    share = 1.0 if beta == math.inf else beta**2 / (1 + beta**2)
    divisor = (1 - share) * n_first + share * sum(hits)
    return sum_over_ranks(groups, hits, k, one) / divisor


def r_precision(groups: Groups, hits: Sequence[float], k: float, options: Options) -> float:
    return sum_over_ranks(groups, hits, sum(hits), one) / sum(hits)


def persistent(groups: Groups, hits: Sequence[float], k: float, options: Options) -> float:
    p = options.get("persistence", 0.8)
    return sum_over_ranks(groups, hits, k, lambda rank: (1 - p) * p ** (rank - 1))


OF_RELEVANT: dict[str, Callable[[Groups, Sequence[float], float, Options], float | None]] = {
    "expected_reciprocal_rank_score": lambda groups, worth, k, _: stopping(groups, worth, k),
    "f1_at_k_score": f1,
    "grouped_auc_score": lambda groups, worth, *_: pairs_in_order(groups, worth),
    "hit_rate_score": lambda groups, worth, k, _: hit_rate(groups, worth, k),
    "mean_average_precision_score": average_precision,
    "mean_reciprocal_rank_score": lambda groups, worth, k, _: reciprocal_rank(groups, worth, k),
    "precision_at_k_score": precision,
    "r_precision_score": r_precision,
    "rank_biased_precision_score": persistent,
    "recall_at_k_score": recall,
}


# --- weights of queries -----------------------------------------------------------------------


def weight_by_items(query: Query, options: Options) -> float | None:
    """Return the weight that its items give a query: 0 without items, None without gain."""
    assert query.weights is not None
    pairs = [
        (weight, gains(label, options))
        for weight, label in zip(query.weights, query.labels, strict=True)
        if weight > 0
    ]
    if not pairs:
        return 0.0
    total = math.fsum(gain for _, gain in pairs)
    return math.fsum(map(math.prod, pairs)) / total if total else None


def weights_of(
    queries: Sequence[Query], sample_weight: Sequence[float] | None, options: Options
) -> list[float]:
    """Return the weight of each query in the mean."""
    weights = [1.0] * len(queries) if sample_weight is None else list(sample_weight)
    if queries[0].weights is None:
        return weights
    by_items = [weight_by_items(query, options) for query in queries]
    known = [(own, weight) for own, weight in zip(by_items, weights, strict=True) if own]
    total = math.fsum(weight for _, weight in known)
    mean = math.fsum(map(math.prod, known)) / total if total else 1.0
    return [
        weight * (mean if own is None else own)
        for own, weight in zip(by_items, weights, strict=True)
    ]


# --- the same in fractions --------------------------------------------------------------------

TAKEN = {
    "expected_reciprocal_rank_score": ("max_grade",),
    "f1_at_k_score": ("beta",),
    "mean_average_precision_score": ("denominator",),
    "precision_at_k_score": ("denominator",),
    "rank_biased_precision_score": ("persistence",),
    "recall_at_k_score": ("denominator",),
}
"""The options that a definition of `reference` takes as the score does."""
WITHOUT_K = ("average_relevant_position", "grouped_auc_score", "pairwise_accuracy_score")
OTHER_NAMES = {
    "dcg_score": "dcg",
    "grouped_auc_score": "area_under_the_curve",
    "mean_average_precision_score": "average_precision",
    "mean_reciprocal_rank_score": "reciprocal_rank",
    "ndcg_score": "ndcg",
}


def exact_value_of(
    name: str, query: Query, k: int | None, options: Options, order: str = "expected"
) -> Any:
    """Return the score of one query at one cutoff as a fraction, None where it is undefined."""
    define: Callable[..., Any] = getattr(
        reference, OTHER_NAMES.get(name, name.removesuffix("_score"))
    )
    taken = {option: options[option] for option in TAKEN.get(name, ()) if option in options}
    if name not in (*WITHOUT_K, "r_precision_score"):
        taken["k"] = k
    if name in ("dcg_score", "ndcg_score"):
        taken |= {"gain": gain_of(options), "discount": discount_of(options)}
    if name != "pairwise_accuracy_score":
        taken["relevance_threshold"] = threshold_of(options)
    if order in ("worst", "best"):
        is_most = (order == "best") == (name != "average_relevant_position")
        taken["pick"] = max if is_most else min
    else:
        taken["ignore_ties"] = order == "as_ordered" or bool(options.get("ignore_ties"))
    labels = [int(label) if label == int(label) else label for label in query.labels]
    return partial(define, labels, query.scores)(**taken)
