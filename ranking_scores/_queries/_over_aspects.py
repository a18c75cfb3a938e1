"""Queries that need several things: the labels of items for each aspect of a query.

A query ranks its items once, and an item has a label for each aspect. The queries are read as in
the layout by ids, and the label of an item is its place among the judged items of the query, from
1 on, or 0 if it was not judged for any aspect. `Aspects` has the labels that belong to the places.
A block of queries becomes a block with one row for each aspect::

    query  items by rank  places      aspect  labels at place 0, 1, 2  labels by rank
    q1     d7, d3, d9     1, 0, 2     who     0, 1, 0                  1, 0, 0
                                      when    0, 0, 1                  0, 0, 1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._queries import _by_ids
from ranking_scores._queries._aspects import Aspects
from ranking_scores._queries._blocks import Block, Floats, Items, Positions, Queries, spread
from ranking_scores._queries._data import Data, DataByIds, Need

_NO_ITEM_WEIGHT = "An item weighs the same for all aspects of a query, so weigh these instead."


class Members(NamedTuple):
    """The aspects in the rows of a block."""

    row: Positions
    """The row of the query of each aspect."""
    n_queries: int
    weight: Floats | None
    """The weight of each aspect; None: all weigh the same."""
    places: Items
    """The judged items of the queries, whose labels are their places in `Aspects`."""
    judged: Callable[[], Items]
    """Returns the judged items in the rows of aspects, with their labels, in the cells of
    `places`."""


def is_it(data: Data) -> bool:
    """Return whether the queries have aspects."""
    return isinstance(data.y_true, DataByIds) and data.y_true.aspects is not None


def check(data: Data, need: Need) -> Queries:
    """Return the queries, of which the labels are places, with their aspects."""
    data.refuse("item_weight", "y_true is over aspects", _NO_ITEM_WEIGHT)
    queries = _by_ids.check(replace(data, y_true=data.y_true.places), need)
    return queries._replace(aspects=data.y_true.aspects)


def block_of_aspects(
    block: Block, aspects: Aspects, *, tells_known: bool
) -> tuple[Block, Members]:
    """Return a block with one row for each aspect, and which these are."""
    aspect, row = _aspects_of(aspects, block.queries)
    places = block.in_rows(row)
    ranked, judged = (
        _labelled(each, aspects, aspect, tells_known) for each in (places.ranked, places.judged)
    )
    weight = None if aspects.weight is None else aspects.weight[aspect]
    return places._replace(ranked=ranked, judged=judged), Members(
        row, block.queries.size, weight, block.judged, lambda: judged
    )


def judgments_of_aspects(
    aspects: Aspects, query: Positions, place: NDArray[Any]
) -> tuple[Positions, NDArray[Any], NDArray[Any]]:
    """Return the judgments of some items by their places, one for each aspect that judges them.

    Returns the index of the item, the name of the aspect, with its weight if aspects have weights,
    and the label of each judgment.
    """
    aspect, row = _aspects_of(aspects, query)
    labels, is_judged = aspects.labels_at(aspect, place.astype(np.intp)[row])
    names = np.empty(len(aspects.names), dtype=object)
    names[:] = aspects.names
    if aspects.weight is not None:
        names[:] = list(zip(aspects.names, aspects.weight.tolist(), strict=True))
    return row[is_judged], names[aspect[is_judged]], labels[is_judged]


def mean_over_aspects(values: Floats, members: Members, replacement: float) -> Floats:
    """Return the mean over the aspects of each query, NaN if none is defined.

    `values` are those of the aspects at each cutoff, (n_aspects, n_cutoffs), NaN if undefined. The
    `replacement` counts in their place; NaN: they are left out. So are aspects that weigh nothing.
    """
    row, n_queries, weight, *_ = members
    is_defined = ~np.isnan(values)
    counts: NDArray[Any]
    filled = np.where(is_defined, values, replacement)
    counts = ~np.isnan(filled)
    if weight is not None:
        counts = counts * weight[:, None]
        is_defined &= counts > 0
    filled[counts == 0] = 0
    if weight is not None:
        filled *= counts
    means = np.full((n_queries, values.shape[1]), np.nan)
    for place in range(values.shape[1]):
        # `bincount` adds from the first to the last, so that a query always has the same bits.
        total, n_counted, n_defined = (
            np.bincount(row, each[:, place], n_queries) for each in (filled, counts, is_defined)
        )
        np.divide(total, n_counted, out=means[:, place], where=n_defined > 0)
    return means


def total_of_aspects(values: Floats, members: Members) -> Floats:
    """Return the sum over the aspects of each query of their values times their weights."""
    row, n_queries, weight, *_ = members
    if weight is not None:
        values = values * weight[:, None]
    # `bincount` adds from the first to the last, so that a query always has the same bits.
    return np.column_stack([np.bincount(row, each, n_queries) for each in values.T])


def _aspects_of(aspects: Aspects, queries: Positions) -> tuple[Positions, Positions]:
    """Return each aspect of some queries, and the place of its query among these."""
    n_aspects = aspects.n_aspects[queries]
    row = np.repeat(np.arange(queries.size), n_aspects)
    return spread(aspects.first[queries], n_aspects), row


def _labelled(items: Items, aspects: Aspects, aspect: Positions, tells_known: bool) -> Items:
    """Return items with the labels for an aspect in each row, in place of their places."""
    place = items.labels.astype(np.intp)
    labels, known = aspects.labels_at(np.repeat(aspect, items.lengths), place)
    if not tells_known:
        return items._replace(labels=labels)
    if items.fills_rank is not None:
        known |= items.fills_rank
    return items._replace(labels=labels, known=None if known.all() else known)
