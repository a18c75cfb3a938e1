"""The definition of each metric in plain Python, to check any number against.

Nothing here comes from the rest of the package, and nothing is needed but Python itself. Items
are numbers from 0 on. An *order* is a tuple of them, the item at rank 1 first. A definition
returns the value of one order, and None if the query has none. `expected` takes the mean over all
orders in which no item is above one with a higher score. All of this is exact, in fractions.
Floats, such as the logarithms of discounts, enter as the fractions that they are.
"""

from __future__ import annotations

import math
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from inspect import Parameter, signature
from itertools import chain, combinations, permutations, product
from typing import Any, Literal, NamedTuple, SupportsFloat

__all__ = ["Agreement", "check_score", "expected", "values_of_orders"]


def __dir__() -> list[str]:
    return __all__


Number = int | float | Fraction
Order = tuple[int, ...]
Value = Fraction | int | None

_MOST_ORDERS = 500_000
"""The orders of a query that take less than a minute. Nine items that tie have 362 880."""


# --- what the definitions read -----------------------------------------------------------------


class Query:
    """The items of a query: which are judged and relevant, what they gain, and the discounts.

    Several lists of labels are several aspects, of which each says what is relevant to it.
    """

    def __init__(
        self,
        labels_by_aspect: Sequence[Sequence[Any]],
        n_ranked: int,
        *,
        gain: Literal["linear", "exponential"]
        | Sequence[Number]
        | Callable[[Any], Any] = "linear",
        discount: Literal["log"] | Callable[[Any], Any] = "log",
        log_base: Number = 2,
        relevance_threshold: Number | None = None,
        aspect_weight: Sequence[Number] | None = None,
    ) -> None:
        self.judged = {item for item, y in enumerate(labels_by_aspect[0]) if _is_judged(y)}
        known = [[y if _is_judged(y) else 0 for y in labels] for labels in labels_by_aspect]
        is_relevant = _at_least(relevance_threshold)
        self.aspects = [{item for item, y in enumerate(own) if is_relevant(y)} for own in known]
        self.aspect_weight = [Fraction(w) for w in aspect_weight or [1] * len(known)]
        self.has_aspects = False
        self.relevant = set[int]().union(*self.aspects)
        self.n_ranked = n_ranked
        self.labels = known[0]
        self.gains = [
            _gain_of(y, gain) if relevance_threshold is None or is_relevant(y) else Fraction(0)
            for y in self.labels
        ]
        self.discounts = [
            _discount_of(rank + 1, discount, log_base) for rank in range(len(known[0]))
        ]


def _is_judged(label: Number | None) -> bool:
    """Whether an item was judged: its label is neither None nor NaN."""
    return label is not None and label == label


def _at_least(threshold: Number | None) -> Callable[[Any], bool]:
    """Relevant labels are those above 0, or those that reach the threshold."""
    return lambda label: bool(label > 0 if threshold is None else label >= threshold)


def _gain_of(label: Any, gain: Any) -> Fraction:
    """The gain of a label: itself, ``2**label - 1``, its entry in a table, or that of a function.

    The power is exact for whole labels, and a float for others.
    """
    if gain == "linear":
        return Fraction(label)
    if gain == "exponential":
        return Fraction(2) ** int(label) - 1 if label == int(label) else Fraction(2**label - 1)
    return Fraction(_plain(gain(label) if callable(gain) else gain[int(label)]))


def _discount_of(rank: int, discount: Any, log_base: Number) -> Fraction:
    """The discount of a rank: ``1 / log(1 + rank)`` to a base, a float, or that of a function."""
    if discount == "log":
        return Fraction(math.log2(log_base) / math.log2(1 + rank))
    return Fraction(_plain(discount(rank)))


# --- the definitions, for one order ------------------------------------------------------------


def _n_hits(order: Order, query: Query, k: int | None) -> int:
    """The number of relevant items among the first k."""
    return sum(item in query.relevant for item in order[:k])


def _n_first(query: Query, k: int | None) -> int:
    """The number of items among the first k."""
    return query.n_ranked if k is None else min(k, query.n_ranked)


def _most_hits(query: Query, k: int | None, denominator: str) -> int:
    """The number of relevant items, or of those that k ranks have room for."""
    n_relevant = len(query.relevant)
    return min(n_relevant, k) if denominator == "achievable" and k is not None else n_relevant


def _dcg(order: Order, query: Query, k: int | None = None) -> Value:
    """The sum of gain times discount over the first k ranks."""
    first = zip(order[:k], query.discounts, strict=False)
    return sum((query.gains[item] * discount for item, discount in first), start=Fraction(0))


def _ndcg(order: Order, query: Query, k: int | None = None) -> Value:
    """DCG divided by the largest DCG of all orders of the items, also of those not retrieved."""
    ideal = _ideal_dcg(query, k)
    return _dcg(order, query, k) / ideal if ideal else None  # type: ignore[operator]


@lru_cache(maxsize=1)
def _ideal_dcg(query: Query, k: int | None) -> Fraction:
    """The largest DCG: the largest gains are where the discounts are largest.

    Ranks after k count 0. So this is right for any gains and discounts, negative ones too.
    """
    weights = [each if k is None or rank < k else 0 for rank, each in enumerate(query.discounts)]
    best = zip(sorted(query.gains, reverse=True), sorted(weights, reverse=True), strict=True)
    return sum((gain * weight for gain, weight in best), start=Fraction(0))


def _alpha_ndcg(order: Order, query: Query, k: int | None = None, alpha: Number = 0.5) -> Value:
    """Alpha-DCG divided by that of the greedy order, which has the best next item at each rank."""
    ideal = _alpha_dcg(_greedy_order(query, alpha), query, k, alpha)
    return _alpha_dcg(order, query, k, alpha) / ideal if ideal else None


def _alpha_dcg(order: Order, query: Query, k: int | None, alpha: Number) -> Fraction:
    """The discounted sum of (1 - alpha)**(relevant items above) at relevant items, by aspect."""
    total, worth = Fraction(0), [*query.aspect_weight]  # of the next item of each aspect
    for item, discount in zip(order[:k], query.discounts, strict=False):
        for aspect, relevant in enumerate(query.aspects):
            if item in relevant:
                total += worth[aspect] * discount
                worth[aspect] *= 1 - Fraction(alpha)
    return total


@lru_cache(maxsize=1)
def _greedy_order(query: Query, alpha: Number) -> Order:
    """The order in which each item gains most after those above it, the last one among equals."""
    order: Order = ()
    while left := {*range(len(query.labels))} - {*order}:
        values = {item: _alpha_dcg((*order, item), query, None, alpha) for item in left}
        order += (max(left, key=lambda item: (values[item], item)),)
    return order


def _average_precision(
    order: Order, query: Query, k: int | None = None, denominator: str = "relevant"
) -> Value:
    """The sum of the precisions at the ranks of relevant items, over the number of these."""
    ranks = [rank for rank, item in enumerate(order[:k], 1) if item in query.relevant]
    total = sum(Fraction(n_hits, rank) for n_hits, rank in enumerate(ranks, 1))
    return Fraction(total, _most_hits(query, k, denominator)) if query.relevant else None


def _reciprocal_rank(order: Order, query: Query, k: int | None = None) -> Value:
    """1 over the rank of the first relevant item, 0 if that is beyond k."""
    ranks = [rank for rank, item in enumerate(order[:k], 1) if item in query.relevant]
    return (Fraction(1, min(ranks)) if ranks else 0) if query.relevant else None


def _precision(order: Order, query: Query, k: int | None, denominator: str = "k") -> Value:
    """Relevant items among the first k, over k or over the number of items among these."""
    divisor = k if denominator == "k" and k is not None else _n_first(query, k)
    return Fraction(_n_hits(order, query, k), max(divisor, 1)) if query.relevant else None


def _recall(
    order: Order, query: Query, k: int | None = None, denominator: str = "relevant"
) -> Value:
    """Relevant items among the first k, over all of them or over those that k has room for."""
    most = _most_hits(query, k, denominator)
    return Fraction(_n_hits(order, query, k), most) if most else None


def _f1(order: Order, query: Query, k: int | None, beta: Number = 1) -> Value:
    """The harmonic mean of precision and recall, in which recall weighs beta squared."""
    if not query.relevant:
        return None
    n_hits, n_relevant = Fraction(_n_hits(order, query, k)), len(query.relevant)
    if beta == math.inf:
        return n_hits / n_relevant
    weight, n_first = Fraction(beta) ** 2, max(query.n_ranked if k is None else k, 1)
    return (1 + weight) * n_hits / (weight * n_relevant + n_first)


def _hit_rate(order: Order, query: Query, k: int) -> Value:
    """1 if there is a relevant item among the first k, and 0 otherwise."""
    return int(_n_hits(order, query, k) > 0) if query.relevant else None


def _expected_reciprocal_rank(
    order: Order, query: Query, k: int | None = None, *, max_grade: int
) -> Value:
    """The expected reciprocal of the rank at which a user stops, by grades."""
    total, reads = Fraction(0), Fraction(1)
    for rank, item in enumerate(order[:k], 1):
        stops = query.gains[item] / 2**max_grade  # the gain is exponential
        total += reads * stops / rank
        reads *= 1 - stops
    return total if any(query.gains) else None


def _rank_biased_precision(
    order: Order, query: Query, k: int | None = None, persistence: Number = 0.8
) -> Value:
    """The share of relevant items among those that a user of some persistence reads."""
    p = Fraction(persistence)
    ranks = [rank for rank, item in enumerate(order[:k], 1) if item in query.relevant]
    return sum((1 - p) * p ** (rank - 1) for rank in ranks) if query.relevant else None


def _r_precision(order: Order, query: Query) -> Value:
    """The precision at the rank that is the number of relevant items."""
    n = len(query.relevant)
    return Fraction(_n_hits(order, query, n), n) if n else None


def _auc(order: Order, query: Query) -> Value:
    """The share of pairs of a relevant and an irrelevant item in which the relevant is above."""
    is_relevant = [item in query.relevant for item in order]
    pairs = [(above, below) for above, below in combinations(is_relevant, 2) if above != below]
    return Fraction(sum(above for above, _ in pairs), len(pairs)) if pairs else None


def _pairwise_accuracy(order: Order, query: Query) -> Value:
    """The share of pairs of unequal labels in which the higher one is above."""
    pairs = combinations((query.labels[item] for item in order), 2)
    is_right = [bool(above > below) for above, below in pairs if above != below]
    return Fraction(sum(is_right), len(is_right)) if is_right else None


def _average_position(order: Order, query: Query) -> Value:
    """The mean rank of the items, weighted by their labels."""
    total = sum(query.gains)
    ranks = (rank * query.gains[item] for rank, item in enumerate(order, 1))
    return sum(ranks) / total if total else None


def _judged(order: Order, query: Query, k: int | None, denominator: str = "k") -> Value:
    """Judged items among the first k, over k or over the number of items among these."""
    divisor = k if denominator == "k" and k is not None else _n_first(query, k)
    n_judged = sum(item in query.judged for item in order[:k])
    return Fraction(n_judged, divisor) if divisor else None


def _bpref(order: Order, query: Query) -> Value:
    """The mean over relevant items of 1 - (irrelevant ones above) / (the smaller number of both).

    Items count only if they were judged. A relevant item that was not retrieved adds 0.
    """
    relevant, others = query.relevant & query.judged, query.judged - query.relevant
    most, total = max(min(len(relevant), len(others)), 1), Fraction(0)
    for place, item in enumerate(order):
        if item in relevant:
            total += 1 - Fraction(min(len(others.intersection(order[:place])), most), most)
    return total / len(relevant) if relevant else None


def _all_relevant(order: Order, query: Query, k: int) -> Value:
    """1 if all relevant items are among the first k, or a relevant item of each aspect."""
    if not query.relevant:
        return None
    first = {*order[:k]}
    if query.has_aspects:
        return int(all(relevant & first for relevant in query.aspects))
    return int(query.relevant <= first)


# --- the definitions, for one pair of orders ---------------------------------------------------


def _overlap(order: Order, other: Order, k: int, denominator: str = "longer") -> Value:
    """What two orders share of their first k, over those of the longer order, or of another."""
    first, first_of_other = {*order[:k]}, {*other[:k]}
    sizes = sorted((len(first), len(first_of_other)))
    among = {"shorter": sizes[0], "longer": sizes[1], "k": k, "union": len(first | first_of_other)}
    shared = len(first & first_of_other)
    return Fraction(shared, max(among[denominator], 1)) if order or other else None


def _rank_biased_overlap(order: Order, other: Order, p: Number = 0.9) -> Value:
    """The sum of (1 - p) p**(depth - 1) times the overlap, over all depths.

    This is equation 32 of Webber, Moffat and Zobel (2010). Beyond its end, the shorter order
    shares as many items per rank as before. Beyond both ends, the overlap stays as it is.
    """
    p, (s, n) = Fraction(p), sorted((len(order), len(other)))
    shared = [Fraction(len({*order[:d]} & {*other[:d]})) for d in range(n + 1)]
    more = [max(d - s, 0) * shared[s] / max(s, 1) for d in range(n + 1)]
    overlap = [(shared[d] + more[d]) / d for d in range(1, n + 1)]
    to_n = sum((1 - p) * p**rank * each for rank, each in enumerate(overlap))
    return to_n + p**n * overlap[-1] if overlap else None


# --- the table of definitions ------------------------------------------------------------------

_OF_GAINS = ("gain", "discount", "relevance_threshold")
_WITH_CUTOFF = ("hit_rate", "all_relevant", "overlap")
_NAMED = {"gain": ("linear", "exponential"), "discount": ("log",)}
"""The metrics that need a cutoff, and the names of gains and discounts."""
_RANGES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "p": ("a number greater than 0 and less than 1", lambda p: 0 < p < 1),
    "persistence": ("a number greater than 0 and less than 1", lambda p: 0 < p < 1),
    "alpha": ("a number from 0 to 1", lambda alpha: 0 <= alpha <= 1),
    "beta": ("a number of at least 0, or math.inf", lambda beta: beta >= 0),
    "log_base": ("a finite number greater than 1", lambda base: 1 < base < math.inf),
    "max_grade": ("an int from 1 to 1000", lambda top: isinstance(top, int) and 1 <= top <= 1000),
}
"""The values of options that are numbers: in words, and as a condition."""
_OF_HITS, _OF_RELEVANT = ("k", "retrieved"), ("relevant", "achievable")


class Definition(NamedTuple):
    """What is known of a metric."""

    value: Callable[..., Value]
    """The value of one order, or of a pair of them. Its keywords are options of the metric."""
    of_query: tuple[str, ...] = ("relevance_threshold",)
    """The options of the metric that `Query` reads."""
    undefined: Number | None = 0
    """What replaces the value of a query that has none; None: it is left out of means."""
    denominators: tuple[str, ...] = ()
    """The values of the option `denominator`."""
    needs_ranks: bool = False
    """Whether all items must be ranked, or with gains all that gain something."""
    is_joint: bool = False
    """Whether it reads all aspects at once. Others are the mean over the aspects."""
    of_two: bool = False
    """Whether it compares two rankings, without labels."""


DEFINITIONS = {
    "ndcg": Definition(_ndcg, _OF_GAINS),
    "dcg": Definition(_dcg, (*_OF_GAINS, "log_base")),
    "map": Definition(_average_precision, denominators=_OF_RELEVANT),
    "mrr": Definition(_reciprocal_rank),
    "precision": Definition(_precision, denominators=_OF_HITS),
    "recall": Definition(_recall, denominators=_OF_RELEVANT),
    "f1": Definition(_f1),
    "hit_rate": Definition(_hit_rate),
    "err": Definition(_expected_reciprocal_rank),
    "rbp": Definition(_rank_biased_precision),
    "r_precision": Definition(_r_precision),
    "auc": Definition(_auc, undefined=None, needs_ranks=True),
    "pairwise_accuracy": Definition(_pairwise_accuracy, (), undefined=None, needs_ranks=True),
    "arp": Definition(_average_position, undefined=None, needs_ranks=True),
    "judged": Definition(_judged, (), denominators=_OF_HITS),
    "bpref": Definition(_bpref),
    "alpha_ndcg": Definition(_alpha_ndcg, is_joint=True),
    "all_relevant": Definition(_all_relevant, is_joint=True),
    "overlap": Definition(_overlap, (), None, ("longer", "shorter", "k", "union"), of_two=True),
    "rbo": Definition(_rank_biased_overlap, (), undefined=None, of_two=True),
}
"""The definitions by name."""


# --- the orders that scores allow --------------------------------------------------------------


def orders(scores: Sequence[Number | None], *, ignore_ties: bool = False) -> Iterator[Order]:
    """Yield every order in which no item is above one with a higher score.

    An item whose score is None was not retrieved, and is in no order. With `ignore_ties`, the only
    order is that in which the later item is above its equals.
    """
    groups = _tie_groups(scores)
    if ignore_ties:
        yield tuple(chain.from_iterable(group[::-1] for group in groups))
        return
    for arrangement in product(*map(permutations, groups)):
        yield tuple(chain.from_iterable(arrangement))


def _tie_groups(scores: Sequence[Number | None]) -> list[list[int]]:
    """Return the items of each score, from the highest one down."""
    items_of: dict[Number, list[int]] = {}
    for item, score in enumerate(scores):
        if score is not None:
            items_of.setdefault(score, []).append(item)
    return [items_of[score] for score in sorted(items_of, reverse=True)]


# --- values ------------------------------------------------------------------------------------


def expected(
    score: str,
    y_true: Any,
    y_score: Any,
    *,
    average: Literal["samples"] | None = "samples",
    sample_weight: Sequence[float | Fraction] | None = None,
    aspect_weight: Sequence[Any] | None = None,
    ignore_ties: bool = False,
    replace_undefined_by: float | Fraction | Literal["default"] | None = "default",
    **options: Any,
) -> Any:
    """Return the value of a metric by its definition, as an exact fraction.

    It goes through every order of the items that the scores allow, so it is for a few items.

    Parameters
    ----------
    score : str
        The name of a metric, with a cutoff or without one, such as "ndcg@5". The names are those
        of `ranking_scores.ranking_report`, and "overlap" and "rbo", which compare two rankings.

    y_true : list
        The labels of the items of a query, or a list of them for each query. A label of None or
        NaN was not judged, and counts as 0 except for "judged" and "bpref". Where a query has
        aspects, it has a list of labels for each aspect. For "overlap" and "rbo", the scores of
        the items in the other ranking.

    y_score : list
        The scores of the items of a query, or a list of them for each query. An item whose score
        is None was not retrieved.

    average : {"samples", None}, default="samples"
        "samples" returns the mean over the queries, and None a list with the value of each.

    sample_weight : list, default=None
        The weight of each query in the mean: finite, not negative and not all zero. None: all
        count the same.

    aspect_weight : list, default=None
        The weight of each aspect of a query, or a list of them for each query: finite and not
        negative. An aspect that weighs nothing is left out. None: all weigh the same.

    ignore_ties : bool, default=False
        If True, the later one of the items with equal scores comes first, in one order.

    replace_undefined_by : float or None, default="default"
        The value of queries on which the metric is undefined, and of such aspects. None or NaN
        leaves them out. The default is that of the metric: NaN for "auc", "pairwise_accuracy",
        "arp", "overlap" and "rbo", and 0 for the others.

    **options
        The options of the metric, such as `k`, `gain`, `discount`, `relevance_threshold`,
        `denominator`, `alpha`, `beta`, `persistence`, `max_grade`, or `p` of "rbo". They are
        those of the functions of this package, with the same defaults. "overlap" is
        `ranking_scores.agreement.overlap_at_k`, and "rbo" is `rank_biased_overlap` with its
        default tail.

    Returns
    -------
    value : Fraction, None, or list of them
        The mean over all orders, exact. A logarithm or another float enters as the fraction that
        this float is. None: no query has a value.

    Raises
    ------
    ValueError
        If a parameter is not as described here, or if a query has more than 500 000 orders. Nine
        items with equal scores have fewer, and ten have more.

    See Also
    --------
    check_score : Compare a function of your own with this, on random data.
    values_of_orders : The values of which this is the mean.
    ranking_scores.ties.tie_report : The same mean for any data, and its range.

    Notes
    -----
    For each metric, the module has the definition for one order, in at most ten lines of Python.
    Read it to see what is computed. It imports nothing from the rest of the package.

    Examples
    --------
    Two of three items tie, and one of them is relevant. It is at rank 1 or at rank 2:

    >>> from ranking_scores.testing import expected
    >>> expected("mrr", [1, 0, 0], [5, 5, 1])
    Fraction(3, 4)
    >>> float(expected("ndcg@2", [1, 0, 2], [5, 5, 1], gain="exponential"))
    0.2246...

    Two queries, and the value of each:

    >>> expected("recall@1", [[1, 1], [0, 1]], [[2, 1], [3, 3]])
    Fraction(1, 2)
    >>> expected("recall@1", [[1, 1], [0, 0]], [[2, 1], [3, 3]], average=None)
    [Fraction(1, 2), Fraction(0, 1)]

    The last query has no relevant item. It can be left out:

    >>> expected("recall@1", [[1, 1], [0, 0]], [[2, 1], [3, 3]], replace_undefined_by=None)
    Fraction(1, 2)

    What two rankings of the same items have in common among the first two:

    >>> expected("overlap@2", [3, 2, 1], [1, 1, 2])
    Fraction(1, 2)
    """
    call = _read(score, options, replace_undefined_by, ignore_ties, "expected")
    labels, scores, weights = _plain(y_true), _plain(y_score), _plain(aspect_weight)
    if not isinstance(scores, list):
        raise _invalid("y_score", "expected", "a list", repr(y_score))
    if not any(isinstance(each, list) for each in scores):  # a single query
        labels, scores, weights = [labels], [scores], None if weights is None else [weights]
    if average not in ("samples", None):
        raise _invalid("average", "expected", "'samples' or None", repr(average))
    lists = {"y_true": labels, "sample_weight": _plain(sample_weight), "aspect_weight": weights}
    for name, given in lists.items():
        if given is not None and not isinstance(given, list):
            raise _invalid(name, "expected", "a list", repr(given))
        if given is not None and len(given) != len(scores):
            got = f"{len(given)} of them"
            raise _invalid(name, "expected", f"of as many queries as y_score, {len(scores)}", got)
    if lists["sample_weight"] is not None:
        _check_weights("sample_weight", lists["sample_weight"], "expected")
        if not any(lists["sample_weight"]):
            form = "a list of numbers that are not all 0"
            raise _invalid("sample_weight", "expected", form, repr(sample_weight))
    has_aspects = not call.definition.of_two and _has_lists(*labels)
    weights = weights or [None] * len(scores)
    values: list[Fraction | None] = []
    for query, each in enumerate(zip(labels, scores, weights, strict=True)):
        found = _values(call, *each, has_aspects, f" in query {query}")
        values.append(call.replacement if found[0] is None else _mean(found))
    return values if average is None else _mean(values, lists["sample_weight"])


def values_of_orders(
    score: str,
    y_true: Any,
    y_score: Any,
    *,
    aspect_weight: Sequence[float | Fraction] | None = None,
    replace_undefined_by: float | Fraction | Literal["default"] | None = "default",
    **options: Any,
) -> list[Fraction | None]:
    """Return the value of a metric for each order of a query that its scores allow.

    Parameters
    ----------
    score : str
        The name of a metric, as in `expected`.

    y_true : list
        The labels of the items of a query, as in `expected`.

    y_score : list
        The scores of the items of a query, as in `expected`.

    aspect_weight : list, default=None
        The weight of each aspect of the query. None: all weigh the same.

    replace_undefined_by : float or None, default="default"
        The value of aspects on which the metric is undefined, as in `expected`.

    **options
        The options of the metric, as in `expected`.

    Returns
    -------
    values : list of Fraction or None
        The value for each order. If the metric is undefined on the query, all of them are None.

    Raises
    ------
    ValueError
        If a parameter is not as described here.

    See Also
    --------
    expected : The mean of these values.
    ranking_scores.ties.tie_report : The mean, the lowest and the highest of them, for any data.

    Notes
    -----
    The first order is that of the data: among equal scores, the earlier item comes first.

    Examples
    --------
    The relevant item is at rank 1, 1, 2, 3, 2 or 3:

    >>> from ranking_scores.testing import values_of_orders
    >>> values = values_of_orders("mrr", [1, 0, 0], [5, 5, 5])
    >>> print(*values)
    1 1 1/2 1/3 1/2 1/3
    >>> min(values), max(values)
    (Fraction(1, 3), Fraction(1, 1))
    """
    call = _read(score, options, replace_undefined_by, False, "values_of_orders")
    labels = _plain(y_true)
    has_aspects = not call.definition.of_two and _has_lists(labels)
    return _values(call, labels, _plain(y_score), _plain(aspect_weight), has_aspects)


def _has_lists(*queries: Any) -> bool:
    """Return whether queries have a list of labels for each aspect."""
    lists = [labels for labels in queries if isinstance(labels, list)]
    return any(isinstance(label, list) for labels in lists for label in labels)


class _Call(NamedTuple):
    """What a caller asked for."""

    name: str
    definition: Definition
    own: dict[str, Any]
    """The options of the definition."""
    of_query: dict[str, Any]
    """The options of `Query`."""
    replacement: Fraction | None
    """The value of undefined queries and aspects."""
    ignore_ties: bool
    caller: str


def _values(
    call: _Call, labels: Any, scores: Any, weights: Any, has_aspects: bool, place: str = ""
) -> list[Fraction | None]:
    """Return the value of a query for each order, all None where it is undefined."""
    aspects = labels if has_aspects else [labels]
    weights = [1] * len(aspects) if weights is None else weights
    _check_query(call, aspects, scores, weights, place)
    allowed = list(orders(scores, ignore_ties=call.ignore_ties))

    def value_of(order: Order, query: Any) -> Fraction | None:
        value = call.definition.value(order, query, **call.own)
        return None if value is None else Fraction(value)

    if call.definition.of_two:
        pairs = product(orders(labels, ignore_ties=call.ignore_ties), allowed)
        return [value_of(*pair) for pair in pairs]
    n_ranked = sum(score is not None for score in scores)
    queries = [Query([aspect], n_ranked, **call.of_query) for aspect in aspects]
    if call.definition.needs_ranks:
        counts = [any(query.gains[item] for query in queries) for item in range(len(scores))]
        if any(
            score is None and (counts[item] or call.name != "arp")
            for item, score in enumerate(scores)
        ):
            raise _invalid(
                "y_score", call.caller, f"a score of each item for {call.name!r}", f"None{place}"
            )
    if not has_aspects:
        [query] = queries
        return [value_of(order, query) for order in allowed]
    if call.definition.is_joint:
        counted = [
            (own, weight)
            for own, weight, query in zip(aspects, weights, queries, strict=True)
            if weight and (query.relevant or call.replacement is not None)
        ]
        if not counted:
            return [None]
        aspects, weights = zip(*counted, strict=True)
        of_all = Query(aspects, n_ranked, aspect_weight=weights, **call.of_query)
        of_all.has_aspects = True
        return [value_of(order, of_all) for order in allowed]
    return [
        _mean([value_of(order, query) for query in queries], weights, call.replacement)
        for order in allowed
    ]


def _mean(
    values: Sequence[Fraction | None],
    weights: Sequence[Number] | None = None,
    undefined: Number | None = None,
) -> Fraction | None:
    """Return the weighted mean, an undefined value replaced or left out; None of nothing."""
    weights = [1] * len(values) if weights is None else weights
    filled = [undefined if value is None else value for value in values]
    counted = [
        (Fraction(value), Fraction(weight))
        for value, weight in zip(filled, weights, strict=True)
        if value is not None
    ]
    total = sum(weight for _, weight in counted)
    return sum(value * weight for value, weight in counted) / total if total else None


# --- metrics of other people -------------------------------------------------------------------


@dataclass(frozen=True)
class Agreement:
    """How many cases a function was compared on, and what was among them.

    `check_score` returns it if all of them agree.

    Attributes
    ----------
    score : str
        The name of the metric.

    n_cases : int
        The number of cases.

    n_tied : int
        The number of them in which a query has items with equal scores.

    n_undefined : int
        The number of them in which a query has no value, for instance no relevant item.

    n_empty : int
        The number of them in which a query has no item.

    n_with_cutoff : int
        The number of them with a cutoff.
    """

    score: str
    n_cases: int
    n_tied: int
    n_undefined: int
    n_empty: int
    n_with_cutoff: int

    def __str__(self) -> str:
        """Return a sentence."""
        return (
            f"{self.n_cases} cases agree with the definition of {self.score}: "
            f"{self.n_tied} with ties, {self.n_undefined} with an undefined query, "
            f"{self.n_empty} without an item, {self.n_with_cutoff} with a cutoff"
        )

    __repr__ = __str__


def check_score(
    function: Callable[..., Any],
    score: str,
    *,
    layout: Literal["rows", "query"] = "rows",
    n_cases: int = 300,
    labels: Sequence[float | Fraction] | None = None,
    ties: bool = True,
    cutoffs: Sequence[int | None] = (None, 1, 2, 3, 10),
    min_items: int = 0,
    max_items: int = 5,
    replace_undefined_by: float | Fraction | Literal["default"] | None = "default",
    tolerance: float = 1e-9,
    random_state: int = 0,
    **options: Any,
) -> Agreement:
    """Compare a function with the definition of a metric, on small random data.

    The data begins with one item and grows, so the first difference is a small one.

    Parameters
    ----------
    function : callable
        It is called as ``function(y_true, y_score)``, or with ``k=`` where the case has a cutoff,
        and returns a number. Wrap one that takes other arguments, or arrays, in a lambda. Its
        warnings are ignored.

    score : str
        The name of a metric, as in `expected`. If it has a cutoff, as in "ndcg@5", the function
        gets no `k`.

    layout : {"rows", "query"}, default="rows"
        What the function gets. "rows" are two lists of rows: one query per row, all of the same
        length. The function returns the mean over the queries. "query" are the labels and the
        scores of one query. A query of "rows" has at least one item.

    n_cases : int, default=300
        The number of cases, at least 1.

    labels : list, default=None
        The labels to draw. None: 0 to 3, and NaN for "judged" and "bpref". For "err", at most
        `max_grade`.

    ties : bool, default=True
        Whether items may have equal scores.

    cutoffs : list, default=(None, 1, 2, 3, 10)
        The cutoffs to draw. None passes no `k`. A function that has none gets ``cutoffs=[None]``.
        A metric that has none ignores them, and one that needs a cutoff gets no None.

    min_items : int, default=0
        The smallest number of items in a query.

    max_items : int, default=5
        The largest number of items in a query.

    replace_undefined_by : float or None, default="default"
        What the function returns for a query on which the metric is undefined, as in `expected`.
        None: the function returns NaN or None, or leaves such a query out of the mean.

    tolerance : float, default=1e-09
        The largest difference, relative to values above 1.

    random_state : int, default=0
        The seed of the data.

    **options
        The options of the definition, as in `expected`. The function does not get them: use
        `functools.partial` for it.

    Returns
    -------
    agreement : Agreement
        How many cases agree, if all of them do.

    Raises
    ------
    AssertionError
        If the function returns another number, or raises. The message has the data of the first
        such case, what the definition says, and what the function returned.

    ValueError
        If a parameter is not as described here.

    See Also
    --------
    expected : The value of the definition, for data of your own.

    Notes
    -----
    If the value is that of one order of the items with equal scores, the message says so. Such a
    function may be right about all else: pass ``ties=False``.

    Examples
    --------
    A reciprocal rank that breaks ties by the order of the data:

    >>> from ranking_scores.testing import check_score
    >>> def reciprocal_rank(labels, scores):
    ...     ranked = sorted(zip(scores, labels), key=lambda item: -item[0])
    ...     ranks = [rank for rank, (_, label) in enumerate(ranked, 1) if label > 0]
    ...     return 1 / ranks[0] if ranks else 0
    >>> check_score(reciprocal_rank, "mrr", layout="query", cutoffs=[None])
    Traceback (most recent call last):
    ...
    AssertionError: After 46 cases that agree, the function differs from the definition of mrr:
        y_true  : [0, 2]
        y_score : [0.5, 0.5]
        defined : 3/4 = 0.75
        returned: 0.5
    The function returned the value of one order of the items with equal scores. The definition
    is the mean over all of their orders. With ties=False, no scores are equal.
    >>> check_score(reciprocal_rank, "mrr", layout="query", cutoffs=[None], ties=False)
    300 cases agree with the definition of mrr: ...
    """
    if layout not in ("rows", "query"):
        raise _invalid("layout", "check_score", "'rows' or 'query'", repr(layout))
    if not callable(function):
        raise _invalid("function", "check_score", "callable", repr(function))
    n_cases, seed = _int("n_cases", n_cases, 1), _int("random_state", random_state)
    min_items, max_items = _int("min_items", min_items, 0), _int("max_items", max_items, 1)
    if min_items > max_items:
        form = f"at most max_items, {max_items}"
        raise _invalid("min_items", "check_score", form, repr(min_items))
    if not (_is_number(tolerance) and 0 <= tolerance < math.inf):
        raise _invalid(
            "tolerance", "check_score", "a finite number of at least 0", repr(tolerance)
        )
    call = _read(score, options, replace_undefined_by, False, "check_score", has_k=False)
    ks, drawn_labels = _cutoffs_of(call, cutoffs), _labels_of(call, labels)
    rng, counts, first = random.Random(seed), Counter[str](), max(min_items, 1)
    for n_agree in range(n_cases):
        largest = min(first + 2 * (max_items - first + 1) * n_agree // n_cases, max_items)
        sizes = [rng.randint(min_items, largest)]
        if layout == "rows":
            sizes = [max(*sizes, 1)] * rng.randint(1, 1 + 3 * n_agree // n_cases)
        y_score = [_draw_scores(rng, n, ties) for n in sizes]
        if call.definition.of_two:
            y_true: Any = [_draw_scores(rng, n, ties) for n in sizes]
        else:
            y_true = [_draw_labels(rng, n, drawn_labels) for n in sizes]
        cutoff = {} if (k := rng.choice(ks)) is None else {"k": k}
        asked = {"replace_undefined_by": None, **options, **cutoff}
        values = expected(score, y_true, y_score, average=None, **asked)
        value = _mean([call.replacement if each is None else each for each in values])
        data = (y_true, y_score) if layout == "rows" else (y_true[0], y_score[0])
        error = None
        try:
            with warnings.catch_warnings():  # of undefined values, which are compared here
                warnings.simplefilter("ignore")
                returned = function(*data, **cutoff)
        except Exception as raised:
            error, returned = raised, f"{type(raised).__name__}: {raised}"
        if not _agrees(returned, value, tolerance):
            shown = dict(zip(("y_true", "y_score"), data, strict=True)) | cutoff
            lines = [
                f"After {n_agree} cases that agree, the function differs from the definition of "
                f"{score}:",
                *(f"    {name:8}: {each}" for name, each in shown.items()),
                f"    defined : {value}" + ("" if value is None else f" = {float(value)!r}"),
                f"    returned: {returned}",
            ]
            if None in values:
                lines.append(_HINT_UNDEFINED)
            elif len(values) == 1 and any(
                _agrees(returned, each, tolerance)
                for each in values_of_orders(score, y_true[0], y_score[0], **asked)
            ):
                lines.append(_HINT_TIES)
            raise AssertionError("\n".join(lines)) from error
        counts["tied"] += any(len({*each}) < len(each) for each in y_score)
        counts["undefined"] += None in values
        counts["empty"] += 0 in sizes
        counts["cutoff"] += k is not None
    return Agreement(
        score, n_cases, counts["tied"], counts["undefined"], counts["empty"], counts["cutoff"]
    )


_HINT_UNDEFINED = (
    "The metric is undefined on such a query. The parameter replace_undefined_by says what the\n"
    "function returns for it."
)
_HINT_TIES = (
    "The function returned the value of one order of the items with equal scores. The definition\n"
    "is the mean over all of their orders. With ties=False, no scores are equal."
)


def _int(name: str, value: Any, least: int | None = None) -> int:
    """Return a parameter of `check_score` that is an int, and large enough."""
    found = _plain(value)
    if not isinstance(found, int) or (least is not None and found < least):
        form = "an int" if least is None else f"an int of at least {least}"
        raise _invalid(name, "check_score", form, repr(value))
    return found


def _cutoffs_of(call: _Call, cutoffs: Sequence[int | None]) -> list[int | None]:
    """Return the cutoffs to draw: None alone if the metric has none, or has it already."""
    if call.own.get("k", 0) not in (None, Parameter.empty):
        return [None]
    given = _plain(cutoffs)
    if not isinstance(given, list) or not all(_is_cutoff(k) for k in given if k is not None):
        form = "a list of ints of at least 1, or None"
        raise _invalid("cutoffs", "check_score", form, repr(cutoffs))
    found = [k for k in given if k is not None or call.own.get("k") is None]
    if not found:
        form = f"with an int, since {call.name!r} needs a cutoff" if given else "not empty"
        raise _invalid("cutoffs", "check_score", form, repr(cutoffs))
    return found


def _labels_of(call: _Call, labels: Any) -> list[Number]:
    """Return the labels to draw."""
    if labels is not None:
        found = _plain(labels)
        if not isinstance(found, list) or not found or not all(map(_is_label, found)):
            form = "a list of at least one finite number, None or NaN"
            raise _invalid("labels", "check_score", form, repr(labels))
        return found
    if call.name in ("judged", "bpref"):
        return [0, 1, 2, math.nan]
    return [*range(min(call.own.get("max_grade", 3), 3) + 1)]


def _draw_labels(rng: random.Random, n: int, labels: Sequence[Number]) -> list[Number]:
    """Return labels, at times all equal, so that some metrics are undefined."""
    labels = [rng.choice(labels)] if rng.random() < 0.15 else labels
    return [rng.choice(labels) for _ in range(n)]


def _draw_scores(rng: random.Random, n: int, ties: bool) -> list[float]:
    """Return scores of few values, or different ones."""
    places: list[int] = rng.sample(range(n), n)
    return [(rng.randint(0, 2) if ties else place) / 2 for place in places]


def _agrees(returned: Any, value: Fraction | None, tolerance: float) -> bool:
    """Whether a function returned a value; NaN or None if there is none."""
    found = _plain(returned)
    if isinstance(found, (str, list)):
        return False
    if found is None or found != found:
        return value is None
    if value is None or not isinstance(found, SupportsFloat):
        return False
    return abs(float(found) - float(value)) <= tolerance * max(1, abs(float(value)))


# --- what callers pass -------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    """Return arrays, columns and tuples as lists, and their numbers as those of Python."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _read(
    score: Any,
    options: Mapping[str, Any],
    replacement: Any,
    ignore_ties: bool,
    caller: str,
    *,
    has_k: bool = True,
) -> _Call:
    """Return what a caller asked for, checked; without `has_k`, others know the cutoff."""
    name, at, cutoff = score.partition("@") if isinstance(score, str) else ("", "", "")
    if name not in DEFINITIONS:
        names = f"one of {', '.join(DEFINITIONS)}, alone or as in 'ndcg@10'"
        raise _invalid("score", caller, names, repr(score))
    definition = DEFINITIONS[name]
    options = {option: _plain(value) for option, value in options.items()}
    of_definition = [*signature(definition.value).parameters.values()][2:]
    own = {each.name: each.default for each in of_definition}
    if at:
        if "k" not in own or "k" in options or not cutoff.isdecimal():
            form = f"{name!r} alone"
            if "k" in own:
                form = f"{name!r} with a cutoff of at least 1, such as '{name}@10', or with `k`"
            raise _invalid("score", caller, form, repr(score) + " with `k`" * ("k" in options))
        options["k"] = int(cutoff)
    unknown = options.keys() - own - {*definition.of_query}
    if unknown:
        known = ", ".join([*own, *definition.of_query]) or "none"
        raise _invalid(
            "options", caller, f"those of {name!r}: {known}", ", ".join(sorted(unknown))
        )
    own |= {option: value for option, value in options.items() if option in own}
    of_query = {option: value for option, value in options.items() if option not in own}
    if name == "err":
        of_query["gain"] = "exponential"
    replaced_by = _replacement_of(replacement, definition, caller)
    call = _Call(name, definition, own, of_query, replaced_by, ignore_ties, caller)
    _check_options(call, has_k=has_k)
    return call


def _replacement_of(value: Any, definition: Definition, caller: str) -> Fraction | None:
    """Return what replaces undefined values, or None."""
    if value == "default":
        value = definition.undefined
    if isinstance(value, str):
        raise _invalid("replace_undefined_by", caller, "a number or None", repr(value))
    return None if value is None or value != value else Fraction(_plain(value))


def _check_options(call: _Call, *, has_k: bool) -> None:
    """Raise if an option has a value that the definition would not notice."""
    own = call.own
    for option, value in own.items():
        if value is Parameter.empty and option != "k":
            raise _invalid(option, call.caller, f"passed for {call.name!r}", "nothing")
    if "denominator" in own and own["denominator"] not in call.definition.denominators:
        names = " or ".join(map(repr, call.definition.denominators))
        raise _invalid("denominator", call.caller, names, repr(own["denominator"]))
    if has_k and "k" in own:
        k, form = own["k"], "an int of at least 1"
        if not _needs_cutoff(call):
            form += " or None"
        if (k is None and _needs_cutoff(call)) or (k is not None and not _is_cutoff(k)):
            got = "nothing" if k is Parameter.empty else repr(k)
            raise _invalid("k", call.caller, f"{form} for {call.name!r}", got)
    given = own | call.of_query
    for option in _RANGES.keys() & given:
        form, is_right = _RANGES[option]
        if not (_is_number(given[option]) and is_right(given[option])):
            raise _invalid(option, call.caller, form, repr(given[option]))
    threshold = call.of_query.get("relevance_threshold")
    if threshold is not None and not (_is_number(threshold) and _is_judged(threshold)):
        form = "None or a number that is not NaN"
        raise _invalid("relevance_threshold", call.caller, form, repr(threshold))
    for option, known in _NAMED.items():
        value = call.of_query.get(option, known[0])
        if isinstance(value, str) and value not in known:
            form = f"{' or '.join(map(repr, known))}, or a function"
            raise _invalid(option, call.caller, form, repr(value))


def _needs_cutoff(call: _Call) -> bool:
    """Whether the metric is not defined without a cutoff."""
    return call.name in _WITH_CUTOFF or call.own.get("denominator") == "k"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Fraction))


def _is_cutoff(k: Any) -> bool:
    return isinstance(k, int) and k >= 1


def _is_label(label: Any) -> bool:
    """Whether a label is finite, or None or NaN for an item that was not judged."""
    return not _is_judged(label) or (_is_number(label) and abs(label) < math.inf)


def _check_weights(name: str, weights: Any, caller: str, place: str = "") -> None:
    """Raise unless weights are finite and not negative."""
    for weight in weights:
        if not (_is_number(weight) and 0 <= weight < math.inf):
            form = "a list of finite numbers that are not negative"
            raise _invalid(name, caller, form, f"{weight!r}{place}")


def _check_query(call: _Call, aspects: Any, scores: Any, weights: Any, place: str) -> None:
    """Raise if labels and scores do not belong together, or if there are too many orders."""
    if not isinstance(scores, list):
        raise _invalid("y_score", call.caller, "a list", f"{scores!r}{place}")
    for name, lists in (("y_true", aspects), ("aspect_weight", [weights])):
        length = len(scores) if name == "y_true" else len(aspects)
        for each in lists:
            if not isinstance(each, list) or len(each) != length:
                form = f"a list of {length} number{'' if length == 1 else 's'}"
                raise _invalid(name, call.caller, form, f"{each!r}{place}")
    _check_weights("aspect_weight", weights, call.caller, place)
    rankings = [*aspects, scores] if call.definition.of_two else [scores]
    for label in [] if call.definition.of_two else chain(*aspects):
        if not _is_label(label):
            form = "finite numbers, None or NaN"
            raise _invalid("y_true", call.caller, form, f"{label!r}{place}")
    for name, ranking in zip(("y_score", "y_true"), rankings[::-1], strict=False):
        for score in ranking:
            if score is not None and not (_is_number(score) and score == score):
                form = "numbers that are not NaN, or None"
                raise _invalid(name, call.caller, form, f"{score!r}{place}")
    groups = [group for ranking in rankings for group in _tie_groups(ranking)]
    n_orders = math.prod(math.factorial(len(group)) for group in groups)
    if n_orders > _MOST_ORDERS and not call.ignore_ties:
        form = f"scores whose ties allow at most {_MOST_ORDERS} orders"
        raise _invalid("y_score", call.caller, form, f"{n_orders} orders{place}")


def _invalid(parameter: str, caller: str, form: str, got: str) -> ValueError:
    return ValueError(
        f"The {parameter!r} parameter of {caller} must be {form}. Got {got} instead."
    )
