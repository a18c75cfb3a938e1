"""The knobs of conventions in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ranking_scores._metrics._measure import LEFT_OUT, UNLESS_LISTED, Convention, has_knob

_TIES: dict[Any, str] = {
    "average": "ties averaged over all orders",
    "earlier": "ties in the order of the predictions",
    "later": "ties against the order of the predictions",
    "later column": "ties by column or id, the last first",
    "id ascending": "ties by id as text, the smallest first",
    "id descending": "ties by id as text, the greatest first",
    "best": "ties by label, the highest first",
    "worst": "ties by label, the lowest first",
    "joined": "ties all at the last of their ranks",
    "middle": "ties halfway between best and worst",
}
SHUFFLED_TIES = "in a random order (here: the mean)"
"""The ties of a program that shuffles, in words that stand below "ties"."""
_GAINS = {
    "linear": "gain = label",
    "exponential": "gain = 2**label - 1",
    "binary": "gain = 0 or 1",
    "one more": "gain = 2**(label + 1) - 1",
    "whole": "gain = label without its fraction",
    "whole exponential": "gain = 2**label - 1, of the label without its fraction",
    "signed": "gain = 1 if relevant, else -1",
}
_DISCOUNTS = {
    None: "the usual discount",
    "log of rank": "discount 1 / log2(rank), without + 1",
    "one rank later": "ranks counted one too high",
    "rank": "discount 1 / rank",
    "decay": "discount persistence**(rank - 1)",
    "log": "discount 1 / log2(1 + rank)",
    "square": "discount 1 / (1 + rank)**2",
    "none": "no discount",
}
_IDEALS = {
    "k": "ideal of the best k known items",
    "all": "ideal without a cutoff",
    "retrieved": "ideal as long as the list",
    "sorted": "ideal of the first k retrieved items themselves",
    "ones": "ideal of k relevant items",
}
_DIVISORS = {
    "relevant": "divided by the number of relevant items",
    "achievable": "divided by the number of relevant items, at most k",
    "k": "divided by k",
    "retrieved": "divided by the length of the list, at most k",
    "hits": "divided by the number of hits",
    "one": "not divided",
    "least": "divided by the least of relevant items, k and length of the list",
}
_MAY_COUNT = {True: "never relevant", False: "may be relevant"}
_JUDGED = {True: "all judged items relevant", False: "judged items relevant by label"}
_TAKEN_OUT = {True: "taken out of the list", False: "in the list"}
_REPEATED = {"apart": "as items of their own", "set": "once, and retrieved once"}
_COUNTED = {True: "items that are not relevant counted", False: "relevant items counted"}
_LAST = {True: "only the last relevant item", False: "all relevant items"}
_MEANS = {"arithmetic": "plain mean", "geometric": "geometric mean", "sum": "sum, not mean"}
_AMONG = {True: "among irrelevant items, each alone", False: "together"}
_CHANCES = {"grade": "chances to stop from grades", "label": "labels as chances to stop"}
_WEIGHTS = {
    "queries": "queries",
    "divisor": "all queries together, not query by query",
    "mean gain": "queries weighted by the mean gain of their best items",
    "ignored": "queries, without the caller's weights",
    "one": "queries, of weight 1 where no item is relevant",
}
_WHO = {
    "no_relevant": "queries without relevant items",
    "none_relevant": "queries without relevant items, if all are,",
    "no_irrelevant": "queries without irrelevant items",
    "no_predictions": "queries without predictions",
    "neither": "queries without relevant items and predictions",
    "not_judged": "queries without judgments",
    "no_hit": "queries without a hit",
}


def changed_knobs(convention: Convention, ours: Convention) -> tuple[str, ...]:
    """Return the knobs in which two conventions of a metric differ, in their order."""
    return tuple(name for name in KNOBS if knob_differs(name, convention, ours))


def knob_differs(name: str, convention: Convention, ours: Convention) -> bool:
    """Return whether a knob of two conventions differs, and the metric has it."""
    differs = getattr(convention, name) != getattr(ours, name)
    return bool(differs and has_knob(convention.metric, name))


def knob_in_words(name: str, convention: Convention) -> str:
    """Return the value of a knob in words."""
    return _TEXTS[name](convention)


def value_in_words(name: str, convention: Convention) -> str:
    """Return the value of a knob in words that stand below the name of the knob."""
    if name in _WHO:
        return _how_counted(getattr(convention, name)).removeprefix("count ")
    return knob_in_words(name, convention).removeprefix(f"{name} ")


def _end_in_words(name: str, convention: Convention) -> str:
    return f"{_WHO[name]} {_how_counted(getattr(convention, name))}"


def _how_counted(value: Any) -> str:
    if value is None:
        return "count like others"
    return value if value in (LEFT_OUT, UNLESS_LISTED) else f"count {value:g}"


_TEXTS: dict[str, Callable[[Convention], str]] = {
    "swapped": lambda c: f"labels and scores {'swapped' if c.swapped else 'as given'}",
    "k": lambda c: "no cutoff" if c.k is None else f"cutoff {c.k}",
    "ties": lambda c: _TIES[c.ties],
    "first_ties": lambda c: f"ties {'count half' if c.first_ties else 'ordered'} in the first k",
    "scores": lambda c: "all scores equal" if c.scores == "none" else f"scores in {c.scores}",
    "duplicates": lambda c: f"repeated items counted {_REPEATED.get(c.duplicates, c.duplicates)}",
    "are_positive": lambda c: f"items with a score of 0 or less {_MAY_COUNT[c.are_positive]}",
    "all_judged": lambda c: _JUDGED[c.all_judged],
    "known": lambda c: f"labels of {c.known} items known",
    "judged_only": lambda c: f"unjudged predictions {_TAKEN_OUT[c.judged_only]}",
    "drops_self": lambda c: f"items with the id of the query {_TAKEN_OUT[c.drops_self]}",
    "of_irrelevant": lambda c: _COUNTED[c.of_irrelevant],
    "filtered": lambda c: f"relevant items ranked {_AMONG[c.filtered]}",
    "last_only": lambda c: _LAST[c.last_only],
    "threshold": lambda c: f"relevant {_from_label(c.threshold)}",
    "gain": lambda c: _gain_in_words(c.gain),
    "discount": lambda c: _DISCOUNTS[c.discount],
    "ideal": lambda c: _IDEALS[c.ideal],
    "divisor": lambda c: _DIVISORS[c.divisor],
    "multiple": lambda c: f"cutoff {c.multiple:g} times the relevant items",
    "beta": lambda c: f"beta = {c.beta:g}",
    "persistence": lambda c: f"persistence = {c.persistence:g}",
    "chance": lambda c: _CHANCES[c.chance],
    "max_grade": lambda c: f"highest grade {c.max_grade}",
    **{name: partial(_end_in_words, name) for name in _WHO},
    "weight": lambda c: f"mean over {_WEIGHTS[c.weight]}",
    "mean": lambda c: _MEANS[c.mean],
    "digits": lambda c: f"values {_rounded(c.digits)} before averaging",
    "halves_up": lambda c: f"halves rounded {'up' if c.halves_up else 'to the even digit'}",
    "digits_of_mean": lambda c: f"mean {_rounded(c.digits_of_mean)}",
    "mean_of_none": lambda c: (
        f"mean of no query {'NaN' if c.mean_of_none is None else f'{c.mean_of_none:g}'}"
    ),
    "scale": lambda c: "in percent" if c.scale == 100 else f"times {c.scale:g}",
    "is_loss": lambda c: "1 - value" if c.is_loss else "the value itself",
}
KNOBS = tuple(_TEXTS)
"""The knobs in the order in which a way from one convention to another turns them."""


def _gain_in_words(gain: str | tuple[Any, ...]) -> str:
    if isinstance(gain, tuple) and isinstance(gain[0], tuple):
        return f"gains {', '.join(f'{of:g} of label {label}' for label, of in gain)}"
    if isinstance(gain, tuple):
        return f"gains {', '.join(f'{each:g}' for each in gain)} of the labels from 0 on"
    return _GAINS[gain]


def _from_label(threshold: float | None) -> str:
    if threshold is None:
        return "above label 0"
    below = math.nextafter(threshold, -math.inf)
    if len(repr(below)) < len(repr(float(threshold))):  # a border that has to be exceeded
        return f"above label {below:g}"
    return f"from label {threshold:g} on"


def _rounded(digits: int | None) -> str:
    return "not rounded" if digits is None else f"rounded to {digits} digits"
