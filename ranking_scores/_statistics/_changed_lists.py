"""How many of the lists changed between two rankings, and how many of them changed no score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement import NamedMeasure, PairedRankings, find_measure, pair
from ranking_scores._base import count_queries, with_types
from ranking_scores._statistics._moved_items import BothRankings

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_WHOLE = "rbo@0.9"
"""The measure of agreement of whole lists."""


@with_types
class ListChange(NamedTuple):
    """How far the lists of two rankings agree, and what that did to a score.

    Attributes
    ----------
    measure : str
        The measure of agreement: "overlap@k" with the cutoff k of the score, or "rbo@0.9" if it
        has none.

    agreement : float
        The mean of the measure over the queries.

    n_changed : int
        The number of queries that have the score in both reports and whose first k items, or
        their order, changed.

    n_same : int
        The number of these queries whose score is the same.
    """

    measure: str
    agreement: float
    n_changed: int
    n_same: int


def changed_lists(
    rankings: BothRankings, differences: Mapping[str, tuple[int | None, Floats]]
) -> dict[str, ListChange]:
    """Return what changed in the lists, by score.

    `differences` has the cutoff of each score, and its difference on each query, NaN if it is
    undefined.
    """
    paired = pair(*rankings.in_one_table())
    found: dict[int | None, tuple[NamedMeasure, float, Bools]] = {}
    changes = {}
    for name, (k, difference) in differences.items():
        if k not in found:
            measure = find_measure(_WHOLE if k is None else f"overlap@{k}", "changes")
            values = measure.per_query(paired)
            mean = float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
            found[k] = measure, mean, _are_changed(paired, k)
        measure, mean, are_changed = found[k]
        is_counted = are_changed & ~np.isnan(difference)
        n_same = int(np.count_nonzero(difference[is_counted] == 0))
        changes[name] = ListChange(measure.name, mean, int(is_counted.sum()), n_same)
    return changes


def _are_changed(paired: PairedRankings, k: int | None) -> Bools:
    """Return which queries have other items among the first k, or in another order.

    An item did not move if as many items are above it, and as many have its score, as before.
    """
    a, b = paired.a, paired.b
    is_first = np.ones(a.size.size, dtype=bool)
    if k is not None:
        is_first = ((a.size > 0) & (a.above < k)) | ((b.size > 0) & (b.above < k))
    has_moved = is_first & ((a.size != b.size) | (a.above != b.above))
    query = np.repeat(np.arange(paired.n_queries), np.diff(paired.starts))
    return np.bincount(query[has_moved], minlength=paired.n_queries) > 0


def describe_lists(changes: Mapping[str, ListChange]) -> list[str]:
    """Return a line for each measure: the mean, and how many changed lists changed no score."""
    by_measure: dict[str, dict[str, ListChange]] = {}
    for name, change in changes.items():
        by_measure.setdefault(change.measure, {})[name] = change
    lines = []
    for measure, of_scores in by_measure.items():
        _, at, k = measure.partition("overlap@")
        items = f"first {k}" if at else "lists"
        first, *_ = of_scores.values()
        parts = [f"{measure} of the two rankings: {first.agreement:.2f} on average"]
        n_before = None
        for name, each in of_scores.items():
            have = f"{'has' if each.n_same == 1 else 'have'} the same {name}"
            if each.n_changed != n_before:
                which = f"of {count_queries(each.n_changed)} whose {items} changed"
                parts.append(f"{which}, {each.n_same} {have}")
            else:
                parts[-1] += f", and {each.n_same} {have}"
            n_before = each.n_changed
        lines.append("; ".join(parts))
    return lines
