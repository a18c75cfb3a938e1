"""Joined tables as arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from ranking_scores._tables._cells import Cells, Joined, starts
from ranking_scores._tables._free_ranks import as_scores, limits_of_gaps, with_fillers
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores._tables._which_queries import (
    choose_queries,
    see_queries,
    warn_of_few_shared,
    warn_of_none_found,
)


def as_ranking_data(joined: Joined, queries: str) -> RankingData:
    """Return the arrays of the requested queries and their items."""
    seen = replace(see_queries(joined), queries=queries)
    seen.check(queries, joined.judged.columns, joined.predicted.columns)
    chosen, has_found = choose_queries(joined, queries)
    if chosen.predicted.query.size and not has_found:
        warn_of_none_found(joined.judged.columns["query"].table)
    warn_of_few_shared(seen, joined)
    return to_arrays(chosen, limits_of_gaps(chosen.predicted.query.size)).with_seen(seen)


def to_arrays(joined: Joined, most_free: tuple[int, int]) -> RankingData:
    """Return the arrays of queries. `most_free` limits the free ranks, as in `limits_of_gaps`."""
    judged, predicted, query_ids, item_ids = joined
    if "rank" in predicted.columns:
        predicted, n_fillers = as_scores(predicted, query_ids, item_ids.size, most_free)
        item_ids = with_fillers(item_ids, n_fillers)
    shape = (query_ids.size, item_ids.size)
    return RankingData(_as_csr(judged, shape), _as_csr(predicted, shape), query_ids, item_ids)


def _as_csr(cells: Cells, shape: tuple[int, int]) -> csr_array:
    """Return sorted cells as a sparse array."""
    start = starts(cells, shape[0])
    dtype = np.int32 if max(*shape, cells.query.size) < 2**31 else np.int64
    item = cells.item.astype(dtype, copy=False)
    array = csr_array((cells.values, item, start.astype(dtype)), shape=shape)
    array.has_sorted_indices = True
    return array
