"""How far the lists of two rankings agree up to some cutoffs, and which lists changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement._measures import find_measure
from ranking_scores._agreement._pairing import PairedRankings, pair
from ranking_scores._base._by_id import match_ids
from ranking_scores._base._validation import as_csr, csr_array
from ranking_scores._queries._data import count_items

Bools = NDArray[np.bool_]
ScoredItems = tuple[csr_array, NDArray[Any]]
"""The scores of the retrieved items of each query, and the ids of the columns. Columns without an
id, which only fill ranks, come last."""

_WHOLE_LISTS = "rbo@0.9"
"""The measure of agreement of whole lists."""


class ListAgreement(NamedTuple):
    """How far the lists of two rankings agree."""

    measure: str
    """The name of the measure."""
    mean: float
    """Its mean over the queries."""
    are_changed: Bools
    """Which queries have other items among the first k, or in another order."""


def list_agreements(
    old: ScoredItems, new: ScoredItems, cutoffs: Iterable[int | None]
) -> dict[int | None, ListAgreement]:
    """Return how far the lists of the same queries agree up to each cutoff. None: all ranks."""
    paired = pair(*_in_one_table(old, new))
    found = {}
    for k in dict.fromkeys(cutoffs):
        measure = find_measure(_WHOLE_LISTS if k is None else f"overlap@{k}", "changes")
        values = measure.per_query(paired)
        mean = float(np.nanmean(values)) if not np.isnan(values).all() else np.nan
        found[k] = ListAgreement(measure.name, mean, _are_changed(paired, k))
    return found


def _in_one_table(old: ScoredItems, new: ScoredItems) -> tuple[csr_array, csr_array]:
    """Return the scores of both rankings, with the same columns for the same items."""
    (old_scores, old_ids), (new_scores, new_ids) = old, new
    n_old, n_new = old_ids.size, new_ids.size
    own = np.arange(n_old, n_old + n_new)
    places = match_ids(old_ids[: count_items(old_ids)], new_ids).places
    column = np.where(places < 0, own, places)
    shape = old_scores.shape[0], n_old + n_new
    return (
        as_csr((old_scores.data, old_scores.indices, old_scores.indptr), shape=shape),
        as_csr((new_scores.data, column[new_scores.indices], new_scores.indptr), shape=shape),
    )


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
