"""The values of conventions, computed anew from their descriptions, query by query.

It imports nothing from the package. A query is a dict from judged items to labels, or None if
nobody judged it, and a list of predictions (item, score) in the order in which they came.
"""

import math
from itertools import combinations, permutations

import numpy as np

DISCOUNTS = {
    "log": lambda rank: 1 / math.log2(rank + 1),
    "log of rank": lambda rank: 1 / max(math.log2(rank), 1),
    "rank": lambda rank: 1 / rank,
    "square": lambda rank: 1 / (1 + rank) ** 2,
    "times rank": lambda rank: rank,
    "none": lambda rank: 1.0,
}


GRADED = ("ndcg", "dcg", "arp", "pairwise_accuracy")
DIVIDED = ("map", "recall", "precision", "bpref")
OF_PAIRS = ("auc", "pairwise_accuracy")


def value(knobs, judgments, predictions):
    """Return the value of a query by a convention, None if it is left out."""
    labels = judgments or {}
    scores = dict(predictions)
    if knobs["judged_only"]:
        predictions = [pair for pair in predictions if pair[0] in labels]
    known = labels
    if knobs["known"] == "retrieved":
        known = {item: labels.get(item, 0) for item, _ in predictions}

    def is_relevant(item, label):
        threshold = knobs["threshold"]
        enough = label > 0 if threshold is None else label >= threshold
        counts = enough != knobs["of_irrelevant"]
        return counts and not (knobs["are_positive"] and scores.get(item, 1) <= 0)

    def is_relevant_label(label):
        return is_relevant(object(), label)

    n_relevant = sum(is_relevant_label(label) for label in known.values())
    orders = all_orders(knobs, labels, predictions)
    cast = cast_of(knobs)

    def are_equal(*items):
        return len({cast(scores[item]) for item in items}) == 1

    given = labels, known, is_relevant, n_relevant, are_equal
    values = [value_of_order(knobs, order, *given) for order in orders]
    numerators = [numerator for numerator, _ in values]
    divisors = {round(divisor, 12) for _, divisor in values}
    divisor = divisors.pop()
    assert not divisors or knobs["divisor"] == "hits", "the divisor does not depend on the order"
    numerator = math.fsum(numerators) / len(numerators)
    if knobs["divisor"] == "hits" and knobs["metric"] in DIVIDED:
        divisor = math.fsum(divisor for _, divisor in values) / len(values)
    result = knobs["scale"] * numerator / divisor if divisor > 0 else 0.0
    n_hits = sum(is_relevant(item, labels.get(item, 0)) for item in orders[0][: knobs["k"]])
    has_no_hit, has_no_irrelevant = numerator == 0, False
    if knobs["metric"] in OF_PAIRS:
        has_no_hit, has_no_irrelevant = n_hits == 0, n_hits > 0 and divisor == 0
    else:
        has_no_irrelevant = n_relevant == len(known)
    ends = [
        (knobs["no_hit"], has_no_hit and n_relevant > 0 and scores),
        (knobs["no_relevant"], n_relevant == 0),
        (knobs["no_irrelevant"], has_no_irrelevant),
        (knobs["no_predictions"], not scores),
        (knobs["not_judged"], not judgments),
    ]
    applying = [end for end, applies in ends if applies and end is not None]
    if "left out" in applying:
        return None
    if applying:
        result = applying[-1] * knobs["scale"]
    if knobs["mean"] == "geometric":
        result = math.log(max(result, 1e-5))
    return result if knobs["digits"] is None else float(np.round(result, knobs["digits"]))


def cast_of(knobs):
    """Return the function from scores to those that are compared."""
    return (lambda score: 0.0) if knobs["scores"] == "none" else np.dtype(knobs["scores"]).type


def all_orders(knobs, labels, predictions):
    """Return the orders of the items that a convention averages over."""
    cast = cast_of(knobs)
    groups = {}
    for place, (item, score) in enumerate(predictions):
        groups.setdefault(cast(score), []).append((place, item))
    worth = {
        "earlier": lambda member: member[0],
        "later": lambda member: -member[0],
        "id ascending": lambda member: tuple(map(ord, str(member[1]))),
        "best": lambda member: -gain(knobs, labels.get(member[1], 0)),
        "worst": lambda member: gain(knobs, labels.get(member[1], 0)),
    }
    orders = [[]]
    for score in sorted(groups, reverse=True):
        members = groups[score]
        if knobs["ties"] == "average":
            parts = list(permutations(members))
        elif knobs["ties"] == "id descending":
            parts = [sorted(members, key=worth["id ascending"], reverse=True)]
        else:
            parts = [sorted(members, key=worth[knobs["ties"]])]
        orders = [order + [item for _, item in part] for order in orders for part in parts]
    return orders


def gain(knobs, label):
    """Return the gain of a label."""
    threshold = knobs["threshold"]
    if threshold is not None and label < threshold:
        return 0.0
    if knobs["metric"] == "err":
        return (2.0**label - 1) / 2 ** knobs["max_grade"]
    if knobs["metric"] not in GRADED or knobs["gain"] == "binary":
        return float(label > 0 if threshold is None else label >= threshold)
    return {"linear": float(label), "exponential": 2.0**label - 1}[knobs["gain"]]


def weight(knobs, rank):
    """Return the weight of a rank."""
    metric, discount = knobs["metric"], knobs["discount"]
    own = {"ndcg": "log", "dcg": "log", "arp": "times rank"}.get(metric, "rank")
    if metric == "hit_rate":
        return 1.0
    if metric == "rbp":
        return (1 - knobs["persistence"]) * knobs["persistence"] ** (rank - 1)
    if discount == "decay":
        return knobs["persistence"] ** (rank - 1)
    if discount == "one rank later":
        return DISCOUNTS[own](rank + 1)
    return DISCOUNTS[discount or own](rank)


def value_of_order(knobs, order, labels, known, is_relevant, n_relevant, are_equal):
    """Return numerator and divisor for one order of the items."""
    metric, k, divisor = knobs["metric"], knobs["k"], knobs["divisor"]
    n = len(order)
    depth = n if k is None else min(k, n)
    hits = [is_relevant(item, labels.get(item, 0)) for item in order]
    gains = [gain(knobs, labels.get(item, 0)) for item in order]
    n_hits = sum(hits[:depth])
    if metric in OF_PAIRS:
        worth = [labels.get(item, 0) for item in order] if metric != "auc" else hits[:depth]
        every = combinations(range(len(worth)), 2)
        pairs = [(i, j) for i, j in every if worth[i] != worth[j]]
        may_tie = metric == "auc" and k is not None and knobs["first_ties"]
        in_order = sum(
            0.5 if may_tie and are_equal(order[i], order[j]) else worth[i] > worth[j]
            for i, j in pairs
        )
        return float(in_order), float(len(pairs))
    if metric == "arp" and knobs["last_only"]:
        return float(max((r + 1 for r in range(n) if hits[r]), default=0)), 1.0
    if metric == "arp":
        numerator = math.fsum(gains[r] * weight(knobs, r + 1) for r in range(n))
        total = math.fsum(gain(knobs, label) for label in known.values())
        return numerator, 1.0 if divisor == "one" else total
    if metric == "judged":
        n_judged = sum(item in labels for item in order[:depth])
        cut = n if k is None else k
        return float(n_judged), {"k": float(cut), "retrieved": float(depth), "one": 1.0}[divisor]
    if metric in ("ndcg", "dcg"):
        numerator = math.fsum(gains[r] * weight(knobs, r + 1) for r in range(depth))
        if metric == "dcg":
            return numerator, float(depth) if divisor == "retrieved" else 1.0
        best = sorted((gain(knobs, label) for label in known.values()), reverse=True)
        best = {
            "k": best[:k],
            "all": best,
            "retrieved": best[:depth],
            "sorted": sorted(gains[:depth], reverse=True),
            "ones": [1.0] * (n if k is None else k),
        }[knobs["ideal"]]
        return numerator, math.fsum(g * weight(knobs, r + 1) for r, g in enumerate(best))
    if metric == "err":
        numerator, stay = 0.0, 1.0
        for r in range(depth):
            numerator += stay * gains[r] * weight(knobs, r + 1)
            stay *= 1 - gains[r]
        return numerator, 1.0
    if metric in ("mrr", "hit_rate"):
        first = next((r for r in range(depth) if hits[r]), None)
        return (0.0 if first is None else weight(knobs, first + 1)), 1.0
    if metric == "rbp":
        return math.fsum(weight(knobs, r + 1) for r in range(depth) if hits[r]), 1.0
    if metric == "r_precision":
        cut = math.floor(knobs["multiple"] * n_relevant + 0.9)
        return float(sum(hits[: max(cut, 1)])), 1.0 if divisor == "one" else float(cut)
    numerator = float(n_hits)
    if metric == "bpref":
        n_first = n if k is None or divisor != "achievable" else k
        most = k or max(min(n_relevant, len(known) - n_relevant), 1)
        counted = [r for r in range(n) if hits[r]][:n_first]
        numerator = math.fsum(1 - min(hits[:r].count(False), most) / most for r in counted)
    if metric == "map":
        numerator = math.fsum(sum(hits[: r + 1]) / (r + 1) for r in range(depth) if hits[r])
    cut = n if k is None else k
    if divisor == "one":
        return numerator, 1.0
    if metric == "f1":
        first = depth if knobs["divisor"] == "retrieved" else cut
        square = knobs["beta"] ** 2
        return numerator, (first + square * n_relevant) / (1 + square)
    at_most = n_relevant if k is None else min(n_relevant, k)
    return numerator, float(
        {
            "relevant": n_relevant,
            "achievable": at_most,
            "k": cut,
            "retrieved": depth,
            "hits": n_hits,
            "least": min(at_most, n),
        }[knobs["divisor"]]
    )
