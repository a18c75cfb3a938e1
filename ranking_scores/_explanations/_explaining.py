"""The explanation of the score of one query."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ranking_scores._base import WHOLE_LIST, describe, invalid
from ranking_scores._explanations._choice import ItemNames
from ranking_scores._explanations._rescoring import Candidates, Floats, Parts, Positions, Rescorer
from ranking_scores._explanations._results import (
    SAME,
    ItemMove,
    ItemPart,
    QueryExplanation,
    RankRange,
)
from ranking_scores._metrics import Evaluation, NamedScore, as_it_is, name_results, run_on
from ranking_scores._queries import Data, Queries, check_queries


class System(NamedTuple):
    """The rankings of some queries, and a score of them."""

    score: str
    """The name of the score, such as "ndcg@10"."""
    data: Data
    queries: Queries
    evaluation: Evaluation
    rescorer: Rescorer
    ids: NDArray[Any] | None
    """The ids of the queries; None: they have none."""


def read_system(
    score: NamedScore, y_true: Any, y_score: Any, query_ids: Any, function: str
) -> System:
    """Return the scored queries of some data. The score checks the data and its own parameters."""
    plan = score.plan(y_true, y_score, query_ids=query_ids)
    if plan.call.cutoffs.ranks.size > 1:
        got = describe(score.options["k"])
        raise invalid("k", function, "one cutoff, since one score is explained", got)
    [name] = name_results([score], [plan], function)
    # All items are read, so that an item beyond the cutoff has its rank, and one that was not
    # retrieved has its part in the best ranking.
    need = plan.need._replace(depth=WHOLE_LIST, gains=(*plan.need.gains, plan.gain))
    queries = check_queries(plan.data, need)
    [evaluation] = run_on(queries, [(plan, as_it_is)])
    ids = plan.data.ids_of_rows(queries.n_queries)
    ids = queries.ids if ids is None else ids
    ignore_ties = bool(score.options.get("ignore_ties", False))
    rescorer = Rescorer(plan, queries, ignore_ties=ignore_ties)
    return System(name, plan.data, queries, evaluation, rescorer, ids)


class _Ranked(NamedTuple):
    """The items of a query, their names, their ranks and their parts."""

    items: Candidates
    names: list[Any]
    first: Positions
    last: Positions
    parts: Parts

    def ranks(self, item: int) -> RankRange | None:
        """Return the first and the last possible rank of an item."""
        return None if not self.first[item] else (int(self.first[item]), int(self.last[item]))


def _read(system: System, names: ItemNames, query: int) -> _Ranked:
    """Return the items of a query, as a system ranks them."""
    items = Candidates.of(system.queries.read_one(query))
    ranks = system.rescorer.ranks(items)
    return _Ranked(items, names.of(items.at, query), *ranks, system.rescorer.parts(items))


def explain(
    system: System,
    names: ItemNames,
    query: int,
    name: Any,
    other: tuple[System, ItemNames, int] | None,
) -> QueryExplanation:
    """Return the explanation of the score of a query, whose name is given.

    `other` is another ranking, with the number of the same query.
    """
    ranked, rescorer = _read(system, names, query), system.rescorer
    items = ranked.items
    sign = 1 if rescorer.is_greater_better else -1
    value = float(system.evaluation.values[query, 0])
    is_defined = bool(system.evaluation.is_defined[query, 0])
    may_leave_out = bool(issparse(system.data.y_score))
    best = ranked.parts
    if is_defined:
        best = rescorer.best(items, ranked.parts.summands, may_leave_out=may_leave_out)
    lost = _without_noise(sign * (best.of_item - ranked.parts.of_item), best, ranked.parts)
    matters = (ranked.parts.of_item != 0) | (best.of_item != 0)
    if is_defined and rescorer.may_gain_without_part(items, ranked.parts.summands):
        moved = rescorer.if_first(items, np.arange(items.at.size), ranked.parts)
        matters |= sign * (moved - value) > _noise_of(value)
    listed = _listed(ranked, matters)
    listed = listed[np.lexsort((items.at[listed], _order_of(ranked, listed), -lost[listed]))]
    if_first = np.full(listed.size, value)
    if is_defined and listed.size:
        if_first = rescorer.if_first(items, listed, ranked.parts)
    parts = tuple(
        ItemPart(
            item=ranked.names[each],
            label=items.label(each),
            weight=None if items.weight is None else float(items.weight[each]),
            first_rank=(ranks := ranked.ranks(each) or (None, None))[0],
            last_rank=ranks[1],
            part=float(ranked.parts.of_item[each]),
            best_part=float(best.of_item[each]),
            lost=float(lost[each]),
            if_first=float(score),
        )
        for each, score in zip(listed.tolist(), if_first, strict=True)
    )
    found = QueryExplanation(
        query=name,
        score=system.score,
        value=value,
        best=best.value if is_defined else value,
        is_defined=is_defined,
        greater_is_better=rescorer.is_greater_better,
        items=parts,
        best_change=_best_change(parts, value, sign),
        n_left_out=items.ranked.size - sum(each.first_rank is not None for each in parts),
        has_query_id=system.ids is not None,
        has_item_ids=names.ids is not None,
    )
    return found if other is None else _with_moves(found, ranked, best.of_item, *other)


def _without_noise(lost: Floats, *of: Parts) -> Floats:
    """Return what items lose, 0 if it is a few roundings."""
    size = np.maximum(*(np.abs(each.of_item) for each in of))
    return np.where(np.abs(lost) <= SAME * size, 0.0, lost)


def _noise_of(value: float) -> float:
    """Return what rounding may add to a score."""
    return SAME * max(abs(value), 1)


def _listed(ranked: _Ranked, matters: NDArray[np.bool_]) -> Positions:
    """Return the items that matter, and those above them that gain nothing."""
    if not matters.any():
        return np.flatnonzero(matters)
    is_ranked = ranked.first > 0
    lowest = ranked.parts.last_rank
    if (is_ranked | ~matters).all():
        lowest = min(lowest, int(ranked.last[matters].max()))
    return np.flatnonzero(matters | (is_ranked & (ranked.first <= lowest)))


def _order_of(ranked: _Ranked, items: Positions) -> Positions:
    """Return numbers that sort items by their first rank, those that are not ranked last."""
    first = ranked.first[items]
    return np.where(first > 0, first, np.iinfo(np.intp).max)


def _best_change(parts: tuple[ItemPart, ...], value: float, sign: int) -> ItemPart | None:
    """Return the item whose move to the first rank gains most; None: no move gains anything."""
    best, most = None, _noise_of(value)
    for each in parts:
        gain = sign * (each.if_first - value)
        if gain > most:
            best, most = each, gain * (1 + SAME)
    return best


def _places(names: list[Any]) -> dict[tuple[Any, int], int]:
    """Return the place of each item by its name, and by how often the name came before.

    Items that only fill gaps between ranks all have the name None.
    """
    count: Counter[Any] = Counter()
    places = {}
    for place, name in enumerate(names):
        places[name, count[name]] = place
        count[name] += 1
    return places


def _with_moves(
    found: QueryExplanation,
    before: _Ranked,
    best_part: Floats,
    system: System,
    names: ItemNames,
    query: int,
) -> QueryExplanation:
    """Return the explanation with the items that another ranking moves."""
    now = _read(system, names, query)
    place_before, place_now = _places(before.names), _places(now.names)
    moves = []
    for key in dict.fromkeys((*place_before, *place_now)):
        name, old, new = key[0], place_before.get(key), place_now.get(key)
        part_before = 0.0 if old is None else float(before.parts.of_item[old])
        part_now = 0.0 if new is None else float(now.parts.of_item[new])
        rank_before = None if old is None else before.ranks(old)
        rank_now = None if new is None else now.ranks(new)
        matters = part_before or part_now or (old is not None and best_part[old])
        if matters and (rank_before != rank_now or part_before != part_now):
            of = before if new is None else now
            label = of.items.label(old if new is None else new)
            change = part_now - part_before
            moves.append(
                ItemMove(name, label, rank_before, rank_now, part_before, part_now, change)
            )
    moves.sort(key=lambda each: -abs(each.change))
    return replace(
        found,
        other_value=float(system.evaluation.values[query, 0]),
        is_other_defined=bool(system.evaluation.is_defined[query, 0]),
        moves=tuple(moves),
    )
