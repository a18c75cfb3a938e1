"""The explanations of the scores of queries: which queries, their items and the parts of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._by_id import match_ids
from ranking_scores._base._errors import Place, invalid, show_id, show_some
from ranking_scores._base._ids import python_ids
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import (
    WHOLE_LIST,
    check_identifiers,
    describe,
    is_sparse,
    unique_identifiers,
)
from ranking_scores._metrics._evaluate import ScoreEvaluation, as_it_is, run_on
from ranking_scores._metrics._named import NamedScore, is_several, name_results
from ranking_scores._queries._blocks import CheckedQueries
from ranking_scores._queries._data import CallData, is_list_column
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._lists import flatten, read_lists
from ranking_scores.explain._rescoring import Candidates, Floats, Positions, Rescorer, ScoreParts
from ranking_scores.explain._results import SAME, ItemMove, ItemPart, QueryExplanation


def choose_queries(
    query: Any,
    worst: Any,
    ids: NDArray[Any] | None,
    evaluation: ScoreEvaluation,
    function: str,
    *,
    is_greater_better: bool,
) -> list[int]:
    """Return the numbers of the queries that a caller asks about."""
    n_queries = len(evaluation.values)
    if worst is not None:
        if query is not None:
            raise invalid("worst", function, "None if `query` is given", describe(worst))
        if not isinstance(worst, Integral) or isinstance(worst, bool) or worst < 1:
            raise invalid("worst", function, "None or an int of at least 1", describe(worst))
        values = evaluation.values[:, 0]
        values = values if is_greater_better else -values
        defined = np.flatnonzero(evaluation.is_defined[:, 0])
        order = np.argsort(values[defined], kind="stable")[: int(worst)]
        return list(defined[order].tolist())
    if query is None:
        return [0]
    if not asks_for_several(query, ids):
        return [_number_of(query, ids, n_queries, function)]
    asked = list(query)
    if not asked:
        raise invalid("query", function, "a query, or a list with at least one", describe(query))
    return [_number_of(each, ids, n_queries, function) for each in asked]


def worst_by_default(query: Any, worst: Any, evaluation: ScoreEvaluation) -> Any:
    """Return the number of the worst queries to explain, if the caller asked for none."""
    names_none = query is None and worst is None
    return 3 if names_none and len(evaluation.values) > 1 else worst


def asks_for_several(query: Any, ids: NDArray[Any] | None) -> bool:
    """Return whether a caller asks for a list of queries. A tuple may be the id of one query."""
    if isinstance(query, tuple) and ids is not None and ids.dtype == object:
        return not any(isinstance(query_id, tuple) for query_id in ids)
    return is_several(query) and np.ndim(cast(Any, query)) > 0


def _number_of(query: Any, ids: NDArray[Any] | None, n_queries: int, function: str) -> int:
    """Return the number of a query, given by its id, or by its number if queries have no ids."""
    is_bool = isinstance(query, (bool, np.bool_))
    if ids is None:
        expected = f"the number of a query, from 0 to {n_queries - 1}"
        code = "If queries have ids, pass them as `query_ids`, or as `qid` for rows."
        if not isinstance(query, Integral) or is_bool:
            raise invalid("query", function, expected, describe(query), code=code)
        number = int(query)
        if not 0 <= number < n_queries:
            raise invalid("query", function, expected, describe(query))
        return number
    expected = f"the id of a query, such as {show_id(ids[0])}"
    if is_bool and ids.dtype.kind != "b":
        raise invalid("query", function, expected, describe(query))
    asked = np.empty(1, dtype=object)
    asked[0] = query
    if ids.dtype.kind in "mM":
        asked = _as_times(query, ids)
    try:
        places, missing, *_ = match_ids(ids, asked)
    except TypeError:  # an id that has no hash
        missing = asked
    if missing.size:
        raise invalid("query", function, expected, describe(query))
    return int(places[0])


def _as_times(query: Any, ids: NDArray[Any]) -> NDArray[Any]:
    """Return a date, a duration or the text of a date as an id of the dtype of others.

    NaT is for what is none, or has no exact value in that dtype.
    """
    to_numpy = getattr(query, "to_numpy", None)  # pandas has nanoseconds, unlike datetime
    try:
        exact = np.array([to_numpy() if to_numpy else query], dtype=ids.dtype.kind + "8")
        found = exact.astype(ids.dtype)
        return np.where(found == exact, found, np.array("NaT", ids.dtype))
    except (TypeError, ValueError):
        return np.array(["NaT"], dtype=ids.dtype)


class ItemNames:
    """The ids of the items in the columns or rows of some data, or their numbers."""

    def __init__(self, data: CallData, item_ids: Any, function: str, given: Any = None) -> None:
        self._first: Positions | None = None
        self.ids: Sequence[Any] | None = None
        lists = (
            read_lists(data, "y_true", may_be_null=True) if is_list_column(data.y_true) else None
        )
        if lists is not None:
            self._first = np.cumsum(lists.length) - lists.length
        if item_ids is not None:
            self.ids = _ids_given(data, item_ids, lists, function)
            check_hashable(self.ids, function)
        elif given is not None:
            self.ids = python_ids(given)
        elif lists is None and not is_sparse(data.y_score) and data.has_class_labels:
            classes = data.y_true if data.labels is None else data.labels
            named = check_identifiers(cast(Any, classes), "labels", function)
            if data.labels is None:
                named, _ = unique_identifiers(named, "y_true", function)
            self.ids = python_ids(named)

    def of(self, at: Positions, query: int) -> list[Any]:
        """Return the names of items of a query, by their columns or rows."""
        if self.ids is not None:
            return [self.ids[each] for each in at.tolist()]
        return list((at if self._first is None else at - self._first[query]).tolist())


def _ids_given(data: CallData, item_ids: Any, lists: Any, function: str) -> list[Any]:
    """Return the ids of items that a caller gives, one per column, row or item of a list."""
    if lists is not None:
        expected = "a column of lists, each as long as that of the labels"
        if not is_list_column(item_ids):
            raise invalid("item_ids", function, expected, describe(item_ids))
        check_utf8(item_ids, partial(invalid, "item_ids", function))
        flat, length = flatten(item_ids)
        if not np.array_equal(length, lists.length):
            raise invalid("item_ids", function, expected, "lists of other lengths")
        return list(flat.to_pylist() if hasattr(flat, "to_pylist") else flat.to_list())
    ids = check_identifiers(item_ids, "item_ids", function)
    if data.qid is not None:
        data.indexes.check("item_ids", item_ids)
        n_items, per = data.true_labels.size, "row"
    else:
        shape = data.y_score.shape if is_sparse(data.y_score) else data.scores.shape
        n_items, per = shape[1], "column"
    if ids.size != n_items:
        expected = f"of shape ({n_items},), one id per {per}"
        raise invalid("item_ids", function, expected, f"shape {ids.shape}")
    return python_ids(ids)


def check_hashable(ids: Sequence[Any], function: str) -> None:
    """Raise if an id cannot be looked up."""
    for place, each in enumerate(ids):
        if not isinstance(each, Hashable):
            at = Place(item=place)
            raise invalid("item_ids", function, "made of hashable ids", describe(each), place=at)


def names_of_queries(ids: NDArray[Any] | None, numbers: Sequence[int]) -> list[Any]:
    """Return the ids of queries, or their numbers if they have no ids."""
    return list(numbers) if ids is None else python_ids(ids[np.asarray(numbers, dtype=np.intp)])


def rows_of_ids(
    ids: NDArray[Any], numbers: Sequence[int], others: NDArray[Any], function: str
) -> list[int]:
    """Return the rows of some queries in other data, by their ids."""
    rows, missing, *_ = match_ids(others, ids[np.asarray(numbers, dtype=np.intp)])
    if missing.size:
        expected = "data that has the queries to be explained"
        raise invalid("other", function, expected, f"none for {show_some(missing)}")
    return list(rows.tolist())


class ExplainedSystem(NamedTuple):
    """The rankings of some queries, and a score of them."""

    score: str
    """The name of the score, such as "ndcg@10"."""
    data: CallData
    queries: CheckedQueries
    evaluation: ScoreEvaluation
    rescorer: Rescorer
    ids: NDArray[Any] | None
    """The ids of the queries; None: they have none."""


def read_system(
    score: NamedScore, y_true: Any, y_score: Any, query_ids: Any, function: str
) -> ExplainedSystem:
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
    return ExplainedSystem(name, plan.data, queries, evaluation, rescorer, ids)


class _RankedQuery(NamedTuple):
    """The items of a query, their names, their ranks and their parts."""

    items: Candidates
    names: list[Any]
    first: Positions
    last: Positions
    parts: ScoreParts

    def ranks(self, item: int) -> tuple[int, int] | None:
        """Return the first and the last possible rank of an item."""
        return None if not self.first[item] else (int(self.first[item]), int(self.last[item]))


def _read(system: ExplainedSystem, names: ItemNames, query: int) -> _RankedQuery:
    """Return the items of a query, as a system ranks them."""
    items = Candidates.of(system.queries.read_one(query))
    ranks = system.rescorer.ranks(items)
    return _RankedQuery(items, names.of(items.at, query), *ranks, system.rescorer.parts(items))


def explain(
    system: ExplainedSystem,
    names: ItemNames,
    query: int,
    name: Any,
    other: tuple[ExplainedSystem, ItemNames, int] | None,
) -> QueryExplanation:
    """Return the explanation of the score of a query, whose name is given.

    `other` is another ranking, with the number of the same query.
    """
    ranked, rescorer = _read(system, names, query), system.rescorer
    items = ranked.items
    sign = 1 if rescorer.is_greater_better else -1
    value = float(system.evaluation.values[query, 0])
    is_defined = bool(system.evaluation.is_defined[query, 0])
    may_leave_out = bool(is_sparse(system.data.y_score))
    best = ranked.parts
    if is_defined:
        best = rescorer.best(items, ranked.parts.summands, may_leave_out=may_leave_out)
    lost = sign * (best.of_item - ranked.parts.of_item)
    size = np.maximum(np.abs(best.of_item), np.abs(ranked.parts.of_item))
    lost = np.where(np.abs(lost) <= SAME * size, 0.0, lost)  # which is a few roundings
    matters = (ranked.parts.of_item != 0) | (best.of_item != 0)
    if is_defined and rescorer.may_gain_without_part(items, ranked.parts.summands):
        moved = rescorer.if_first(items, np.arange(items.at.size), ranked.parts)
        matters |= sign * (moved - value) > _noise_of(value)
    listed = _listed(ranked, matters)
    first = ranked.first[listed]
    first = np.where(first > 0, first, np.iinfo(np.intp).max)  # items that are not ranked are last
    listed = listed[np.lexsort((items.at[listed], first, -lost[listed]))]
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
    best_change, most = None, _noise_of(value)
    for part in parts:
        gain = sign * (part.if_first - value)
        if gain > most:
            best_change, most = part, gain * (1 + SAME)
    found = QueryExplanation(
        query=name,
        score=system.score,
        value=value,
        best=best.value if is_defined else value,
        is_defined=is_defined,
        greater_is_better=rescorer.is_greater_better,
        items=parts,
        best_change=best_change,
        n_left_out=items.ranked.size - sum(part.first_rank is not None for part in parts),
        has_query_id=system.ids is not None,
        has_item_ids=names.ids is not None,
    )
    return found if other is None else _with_moves(found, ranked, best.of_item, other)


def _noise_of(value: float) -> float:
    """Return what rounding may add to a score."""
    return SAME * max(abs(value), 1)


def _listed(ranked: _RankedQuery, matters: NDArray[np.bool_]) -> Positions:
    """Return the items that matter, and those above them that gain nothing."""
    if not matters.any():
        return np.flatnonzero(matters)
    is_ranked = ranked.first > 0
    lowest = ranked.parts.last_rank
    if (is_ranked | ~matters).all():
        lowest = min(lowest, int(ranked.last[matters].max()))
    return np.flatnonzero(matters | (is_ranked & (ranked.first <= lowest)))


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
    before: _RankedQuery,
    best_part: Floats,
    other: tuple[ExplainedSystem, ItemNames, int],
) -> QueryExplanation:
    """Return the explanation with the items that another ranking moves."""
    system, names, query = other
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
