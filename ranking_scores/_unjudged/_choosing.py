"""The items whose labels would tell most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import possible_ranks, python_ids
from ranking_scores._metrics import Plan, for_unknown, width_of_labels
from ranking_scores._queries import check_queries
from ranking_scores._tables import RankingData
from ranking_scores._unjudged._pairs import Rankings
from ranking_scores._unjudged._results import ItemToJudge

Positions = NDArray[np.intp]


class Choice(NamedTuple):
    """Some unknown items, by what their labels would take from the range of the mean."""

    query: Positions
    """The row of each item."""
    column: Positions
    width: NDArray[np.float64]


def choose_items(rankings: Rankings, plan: Plan, max_grade: int) -> Choice:
    """Return the unknown items of matrices, the one that would tell most first."""
    plan = for_unknown(plan)
    queries = check_queries(rankings.data, plan.need)
    score = plan.score_block_of(queries)
    column_of = np.asarray(rankings.data.y_score.indices)
    query, column, width = [], [], []
    with np.errstate(under="ignore"):
        for block, systems in rankings.blocks(queries, plan):
            unknown = block.ranked.is_unknown
            if not unknown.any():
                continue
            row = np.repeat(np.arange(block.queries.size), block.ranked.lengths)[unknown]
            number = block.scores[~np.isnan(block.scores)][unknown].astype(np.intp)
            query.append(block.queries[row])
            column.append(column_of[number])
            width.append(width_of_labels(plan, score, systems, max_grade))
    if not query:
        none = np.empty(0, np.intp)
        return Choice(none, none, np.empty(0))
    found = Choice(*map(np.concatenate, (query, column, width)))
    weight = queries.weight
    shares = np.ones(queries.n_queries) if weight is None else weight
    of_mean = found.width * (shares / shares.sum())[found.query]
    # What takes as much away is in the order of the queries and items.
    order = np.lexsort((found.column, found.query, -of_mean))
    return Choice(found.query[order], found.column[order], of_mean[order])


def with_ranks(
    chosen: Choice,
    data: RankingData,
    scores: Sequence[Any],
    n: int | None,
    *,
    ignore_ties: bool,
) -> list[ItemToJudge]:
    """Return the first items with their ids and their ranks in each system."""
    matrices = [csr_array(each) for each in scores]
    queries, items = python_ids(data.query_ids), python_ids(data.item_ids)
    found = []
    for query, column, width in zip(*(each[:n].tolist() for each in chosen), strict=True):
        ranks, other_ranks, *_ = (
            *(_ranks(each, query, column, ignore_ties) for each in matrices),
            None,
        )
        found.append(ItemToJudge(queries[query], items[column], ranks, other_ranks, width))
    return found


def _ranks(
    matrix: csr_array, query: int, column: int, ignore_ties: bool
) -> tuple[int, int] | None:
    """Return the first and the last rank that an item may have; None: it has none."""
    stored = slice(matrix.indptr[query], matrix.indptr[query + 1])
    scores, columns = matrix.data[stored], matrix.indices[stored]
    own = scores[columns == column]
    if not own.size:
        return None
    if ignore_ties:  # the later of two equal items is first
        is_above = (scores > own) | ((scores == own) & (columns > column))
        rank = 1 + int(np.count_nonzero(is_above))
        return rank, rank
    first, last = possible_ranks(scores, own)
    return int(first[0]), int(last[0])
