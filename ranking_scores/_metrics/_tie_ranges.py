"""The values that a program can have whose order of equal scores is not defined.

Some programs sort by an algorithm that is not stable, so that their order of equal scores depends
on the machine, or on the other queries of a call. It is defined in lists of at most `ordered_to`
predictions. The lowest and the highest value of a longer list come from the orders by gain::

    nDCG, two of four equal scores relevant    best first 1 1 0 0    worst first 0 0 1 1

Some conventions need more orders. If average precision is divided by the hits among the first k,
fewer hits can mean a higher value, as they can in the AUC of the first k. If a query without a hit
counts apart, the lowest value of the others has one hit, at rank k.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._metrics._measure import Convention, ConventionBlock
from ranking_scores._metrics._orders import TieSplit

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_DEFINITE = ("earlier", "later", "later column", "id ascending", "id descending")
"""The orders of ties that a sort of the predictions gives, if it is stable."""


class TieRange(NamedTuple):
    """The values that queries can have in all orders of their ties, each (n_queries,)."""

    lowest: Floats
    """The lowest value, NaN if the query is left out in every order."""
    highest: Floats
    may_be_left_out: Bools
    """Whether the query is left out in some orders and counts in others."""

    def allows(self, values: Floats, tolerance: float) -> Bools:
        """Return which values some order can give, as far as the range says."""
        is_out = np.isnan(self.lowest) | self.may_be_left_out
        is_in = (values >= self.lowest - tolerance) & (values <= self.highest + tolerance)
        return np.where(np.isnan(values), is_out, is_in)

    def is_wide(self) -> Bools:
        """Return for which queries the order of the ties makes a difference."""
        return (self.lowest < self.highest) | self.may_be_left_out


def has_undefined_orders(convention: Convention) -> bool:
    """Return whether the order of equal scores is not defined in lists of some lengths."""
    return convention.ordered_to is not None and convention.ties in _DEFINITE


def range_of_block(seen: ConventionBlock, convention: Convention) -> TieRange:
    """Return the lowest and the highest value of each query of a block."""
    own = seen.values(convention)
    is_long = seen.n_retrieved > (convention.ordered_to or 0)
    if not is_long.any():
        return TieRange(own, own, np.zeros(own.size, dtype=bool))
    orders = _extreme_orders(
        convention, int(seen.n_relevant(replace(convention, known="retrieved")).max())
    )
    values = np.stack([seen.values(replace(convention, ties=ties)) for ties in orders])
    is_out = np.isnan(values)
    return TieRange(
        np.where(is_long, np.fmin.reduce(values), own),
        np.where(is_long, np.fmax.reduce(values), own),
        is_long & is_out.any(axis=0) & ~is_out.all(axis=0),
    )


def _extreme_orders(convention: Convention, n_relevant: int) -> Iterator[str | TieSplit]:
    """Yield the orders of ties among which are the lowest and the highest value of each query."""
    yield from ("best", "worst")
    if convention.k is None:
        return
    if convention.divisor == "hits" or convention.metric == "auc":
        for n_hits in range(min(convention.k, n_relevant) + 1):
            yield TieSplit(convention.k, n_hits, best_first=True)
            yield TieSplit(convention.k, n_hits, best_first=False)
    elif convention.no_hit is not None:
        yield TieSplit(convention.k, 1, best_first=False)


def range_of_mean(
    ties: TieRange, sample_weight: Floats | None, convention: Convention
) -> tuple[float, float]:
    """Return the lowest and the highest mean, where some queries may be left out."""
    weights = np.ones(ties.lowest.size) if sample_weight is None else sample_weight
    is_optional = ties.may_be_left_out
    lowest = _least_mean(ties.lowest, is_optional, weights)
    highest = -_least_mean(-ties.highest, is_optional, weights)
    if convention.digits_of_mean is None:
        return lowest, highest
    return round(lowest, convention.digits_of_mean), round(highest, convention.digits_of_mean)


def _least_mean(values: Floats, is_optional: Bools, weights: Floats) -> float:
    """Return the least mean of values, some of which need not count."""
    counts = ~np.isnan(values) & ~is_optional
    total = math.fsum((values * weights)[counts])
    weight = math.fsum(weights[counts])
    optional = np.flatnonzero(is_optional)
    for query in optional[np.argsort(values[optional], kind="stable")]:
        if weight > 0 and values[query] * weight >= total:
            break
        total += values[query] * weights[query]
        weight += weights[query]
    return total / weight if weight > 0 else np.nan
