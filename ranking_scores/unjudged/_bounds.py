"""The bounds of a score, or of the difference of two systems, and the items to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._by_id import match_ids
from ranking_scores._base._errors import errors_name, invalid, show_some
from ranking_scores._base._ids import as_objects, python_ids
from ranking_scores._base._sorting import as_sortable, possible_ranks
from ranking_scores._base._validation import as_csr, csr_array, is_sparse, unique_identifiers
from ranking_scores._metrics._bounds import (
    are_exact,
    check_grades,
    condensed,
    for_unknown,
    highest,
    lowest,
    not_relevant,
    of_labels,
    warn_of_labels,
    with_max_grade,
)
from ranking_scores._metrics._evaluate import (
    Plan,
    ScoreEvaluation,
    View,
    as_it_is,
    need_of,
    run_on,
)
from ranking_scores._metrics._named import NamedScore, bind_score, find_score
from ranking_scores._metrics._shared_labels import (
    RankingsOfBlock,
    difference_without_relevant,
    range_of_difference,
    rank_each,
    width_of_labels,
)
from ranking_scores._queries._blocks import Block, CheckedQueries
from ranking_scores._queries._data import CallData, DataNeeds, count_items, is_list_column
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._lists import ListColumns, read_lists
from ranking_scores._queries._relevance import Relevance
from ranking_scores._queries._rows import stored_entries
from ranking_scores._tables._join import with_fillers
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores.ties import check_falls
from ranking_scores.unjudged._results import ItemToJudge, ScoreBounds

Positions = NDArray[np.intp]


@dataclass(frozen=True)
class BoundRankings:
    """Rankings over the same items. The data has the number of each item in place of its score."""

    data: CallData
    scores: tuple[NDArray[Any], ...]
    """The scores of each system by these numbers, NaN where it does not rank the item. The last
    one is NaN, for cells without an item."""

    def blocks(
        self, queries: CheckedQueries, plan: Plan
    ) -> Iterator[tuple[Block, RankingsOfBlock]]:
        """Yield the blocks of some queries, with the rankings of each system."""
        for block in queries.blocks():
            number = np.where(np.isnan(block.scores), -1, block.scores).astype(np.intp)
            of_cells = [score[number] for score in self.scores]
            yield block, rank_each(block, of_cells, plan.call.depth, queries.weight)


def rankings_of_arrays(data: CallData, *others: CallData) -> BoundRankings:
    """Return the rankings of data in any layout, and of others that differ only in the scores."""
    given: list[NDArray[Any]] = []
    for each in (data, *others):
        if is_sparse(each.y_score):
            return _rankings_of_sparse(data, [one.y_score for one in (data, *others)])
        if is_list_column(each.y_score):
            given.append(read_lists(each, "y_score").values)
        else:
            given.append(each.scores.ravel())
    numbers: Any = np.arange(float(given[0].size))
    if is_list_column(data.y_score):
        numbers = ListColumns(numbers, read_lists(data, "y_score").length)
    else:
        numbers = numbers.reshape(data.scores.shape)
    return BoundRankings(
        replace(data, y_score=numbers, order=None), tuple(map(_ending_in_nan, given))
    )


def _ending_in_nan(scores: NDArray[Any]) -> NDArray[Any]:
    """Return scores as floats that sort alike, followed by NaN."""
    sortable = as_sortable(scores)
    return np.append(sortable, sortable.dtype.type(np.nan))


def _rankings_of_sparse(data: CallData, scores: list[Any]) -> BoundRankings:
    """Return the rankings of sparse scores, in one matrix of all items that any of them stores."""
    stored = [as_csr(score) for score in scores]
    for each in stored:
        each.sort_indices()
    shape = stored[0].shape
    places = [stored_entries(each) for each in stored]
    keys = [np.asarray(entries.row * shape[1] + entries.column) for entries in places]
    cells = np.unique(np.concatenate(keys))
    row, column = np.divmod(cells, shape[1])
    start = np.searchsorted(row, np.arange(shape[0] + 1))
    numbers = as_csr((np.arange(float(cells.size)), column, start), shape=shape)
    of_cells = []
    for each, own in zip(stored, keys, strict=True):
        sortable = as_sortable(each.data)
        values = np.full(cells.size + 1, np.nan, sortable.dtype)
        values[np.searchsorted(cells, own)] = sortable
        of_cells.append(values)
    order = data.order and data.order._replace(row=None, repeats=None)
    return BoundRankings(replace(data, y_score=numbers, order=order), tuple(of_cells))


def data_of_tables(one: RankingData, other: RankingData, function: str, parameter: str) -> Any:
    """Return the data of two systems over the same queries and items, with equal judgments."""
    rows, missing, others, _ = match_ids(other.query_ids, one.query_ids)
    if missing.size or others.size:
        expected = "RankingData with the same queries"
        got = f"none for {show_some(missing)}" if missing.size else f"others, {show_some(others)},"
        raise invalid(parameter, function, expected, got)
    ids = [each[: count_items(each)] for each in (one.item_ids, other.item_ids)]
    same = ids[0].dtype.kind == ids[1].dtype.kind
    joined = np.concatenate(ids) if same else as_objects([*ids[0].tolist(), *ids[1].tolist()])
    names, which = unique_identifiers(joined, parameter, function)
    columns, first = [], names.size
    for each, of_ids in zip(
        (one.item_ids, other.item_ids), np.split(which, [ids[0].size]), strict=True
    ):
        n_filling = each.size - of_ids.size
        columns.append(np.append(of_ids, np.arange(first, first + n_filling)))
        first += n_filling
    names = with_fillers(names, first - names.size)
    matrices = [
        [_in_columns(getattr(data, name), of_data, names.size) for name in ("y_true", "y_score")]
        for data, of_data in zip((one, other), columns, strict=True)
    ]
    matrices[1] = [matrix[rows] for matrix in matrices[1]]
    (labels, scores), (other_labels, other_scores) = matrices
    are_same = all(
        np.array_equal(getattr(labels, name), getattr(other_labels, name))
        for name in ("indptr", "indices", "data")
    )
    if not are_same:
        expected = "RankingData of the same judgments, as an item has one label for both"
        raise invalid(parameter, function, expected, "other judgments")
    return one._replace(y_true=labels, y_score=scores, item_ids=names), other_scores


def check_columns(
    plan: Plan, one: RankingData, other: RankingData, function: str, parameter: str
) -> None:
    """Raise if scores depend on columns that only one of two systems has."""
    gains = plan.need.gains or (plan.gain,) * isinstance(plan.gain, Relevance)
    if DataNeeds(plan.call.depth, gains).can_skip_zeros(one.y_true.dtype):
        return
    items, others = (each.item_ids for each in (one, other))
    if items.size != others.size or python_ids(items) != python_ids(others):
        expected = "RankingData with the same items, since items with the label 0 count here"
        raise invalid(parameter, function, expected, "other items", code=_SAME_ITEMS)


_SAME_ITEMS = "Join all systems with all items, or choose a gain that is 0 for the label 0."


def plans_of_systems(bound: NamedScore, data: RankingData, *scores: Any) -> tuple[Plan, ...]:
    """Return the plan of a score for each of several systems over the same items."""
    y_true, _, order = data.in_columns()
    order, ids = order._replace(row=None, repeats=None), data.query_ids
    return tuple(bound.plan(y_true, score, query_ids=ids, order=order) for score in scores)


def _in_columns(matrix: Any, columns: Positions, n_columns: int) -> csr_array:
    """Return a matrix with its columns moved."""
    given = as_csr(matrix)
    moved = as_csr(
        (given.data, columns[given.indices], given.indptr), shape=(given.shape[0], n_columns)
    )
    moved.sort_indices()
    return moved


Floats = NDArray[np.float64]


def bind(
    score: Any, params: dict[str, Any], max_grade: Any, function: str
) -> tuple[NamedScore, int]:
    """Return a score with its parameters, and the highest grade, after checking both."""
    found = find_score(score, function)
    params, highest_grade = with_max_grade([found], params, max_grade, function)
    if "max_grade" in found.options:
        params.pop("max_grade")
    bound = bind_score(score, params, function, "score", "max_grade")
    check_grades([bound], highest_grade, function, "score")
    return bound, highest_grade


def check_data(bound: NamedScore, plan: Plan, max_grade: int, function: str) -> None:
    """Raise if a score refuses its data."""
    tasks: list[tuple[Plan, View]] = [(for_unknown(plan), as_it_is), (of_labels(plan), as_it_is)]
    warn_of_labels(
        _run(bound, plan, tasks, function)[-1].values[:, 1], max_grade, function, [plan]
    )


def bounds_of(bound: NamedScore, plan: Plan, max_grade: int, function: str) -> ScoreBounds:
    """Return the bounds of a score on its data."""
    ends = lowest(plan, max_grade), highest(plan, max_grade), are_exact(plan, max_grade)
    evaluations = _usual(bound, plan, function, *ends)
    [n_unknown, highest_label] = evaluations.pop().values.T
    warn_of_labels(highest_label, max_grade, function, [plan])
    is_exact = evaluations.pop().values[:, 0] == 1
    return _bounds(evaluations, is_exact, n_unknown, max_grade, 1)


def differences_of(
    bound: NamedScore, plans: Sequence[Plan], max_grade: int, function: str
) -> ScoreBounds:
    """Return the bounds of the difference of two systems: the second minus the first."""
    one, one_without, labels = _usual(bound, plans[0], function)
    with errors_name("other", function):
        _, other_without, _ = _usual(bound, plans[1], function)
    warn_of_labels(labels.values[:, 1], max_grade, function, plans)
    first, second = (each.data for each in plans)
    plan, rankings = for_unknown(plans[0]), rankings_of_arrays(second, first)
    queries = check_queries(rankings.data, plan.need)
    score = plan.score_block_of(queries)
    as_usual, low, high = np.empty((3, *one.values.shape))
    is_exact = np.ones(queries.n_queries, dtype=bool)
    n_unknown = np.zeros(queries.n_queries)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for block, systems in rankings.blocks(queries, plan):
            ends = range_of_difference(plan, score, systems, max_grade)
            low[block.queries], high[block.queries] = ends.low, ends.high
            as_usual[block.queries] = difference_without_relevant(plan, score, systems)
            is_exact[block.queries] = ends.is_exact[:, 0]
            n_unknown[block.queries] = systems.n_unknown
    without = other_without.values - one_without.values
    evaluations = [
        one._replace(values=values, is_defined=~np.isnan(values))
        for values in (as_usual, without, low, high)
    ]
    return _bounds(evaluations, is_exact, n_unknown, max_grade, 2)


def _usual(bound: NamedScore, plan: Plan, function: str, *more: Plan) -> list[ScoreEvaluation]:
    """Return a score with unknown labels as 0, that of condensed lists, and facts about labels.

    More plans come before the facts.
    """
    tasks: list[tuple[Plan, View]] = [
        (for_unknown(plan), not_relevant),
        *((each, as_it_is) for each in (condensed(plan), *more, of_labels(plan))),
    ]
    return _run(bound, plan, tasks, function)


def _bounds(
    evaluations: list[ScoreEvaluation],
    is_exact: NDArray[np.bool_],
    n_unknown: Floats,
    max_grade: int,
    n_systems: int,
) -> ScoreBounds:
    """Return bounds in the form that the caller asked for.

    The evaluations are those of unknown labels as 0, of condensed lists, and of both ends.
    """
    as_usual, *others = evaluations
    n_unjudged, has_queries = n_unknown.astype(np.intp), as_usual.average is None
    not_relevant = as_usual.result()
    without, low, high = (other.values_for_caller() for other in others)
    n_all = int(n_unjudged.sum())
    items = "1 item was" if n_all == 1 else f"{n_all} items were"
    grades = "0 or 1" if max_grade == 1 else f"from 0 to {max_grade}"
    both, missing = "", "the system did not retrieve"
    if n_systems == 2:
        both, missing = ", the same for both systems", "neither system retrieved"
    scope = (
        f"{items} retrieved and not judged. Each could have any label {grades}{both}. The bounds "
        f"leave out relevant items that {missing} and nobody judged."
    )
    return ScoreBounds(
        "other - first" if n_systems == 2 else "score",
        low,
        high,
        not_relevant,
        without,
        is_exact if has_queries else bool(is_exact.all()),
        n_unjudged if has_queries else n_all,
        scope,
    )


def _run(
    bound: NamedScore, plan: Plan, tasks: Sequence[tuple[Plan, View]], function: str
) -> list[ScoreEvaluation]:
    """Return evaluations. Raise if an item of a larger gain may be worth less at a better rank."""
    queries = check_queries(plan.data, need_of(tasks))
    discount, cutoffs = bound.options.get("discount"), plan.call.cutoffs.ranks
    check_falls(discount, cutoffs, queries.longest, function)
    return run_on(queries, tasks)


def choose_items(
    rankings: BoundRankings,
    plan: Plan,
    max_grade: int,
    data: RankingData,
    scores: Sequence[Any],
    n: int | None,
    *,
    ignore_ties: bool,
) -> list[ItemToJudge]:
    """Return the unknown items whose labels would take most from the range of the mean, and ranks.

    `data` has the ids of the items, and `scores` are those of each system.
    """
    plan = for_unknown(plan)
    queries = check_queries(rankings.data, plan.need)
    score = plan.score_block_of(queries)
    column_of = np.asarray(rankings.data.y_score.indices)
    found = []
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for block, systems in rankings.blocks(queries, plan):
            unknown = block.ranked.is_unknown
            if not unknown.any():
                continue
            row = np.repeat(np.arange(block.queries.size), block.ranked.lengths)[unknown]
            number = block.scores[~np.isnan(block.scores)][unknown].astype(np.intp)
            width = width_of_labels(plan, score, systems, max_grade)
            found.append((block.queries[row], column_of[number], width))
    if not found:
        return []
    query, column, width = map(np.concatenate, zip(*found, strict=True))
    shares = np.ones(queries.n_queries) if queries.weight is None else queries.weight
    width = width * (shares / shares.sum())[query]
    # What takes as much away is in the order of the queries and items.
    order = np.lexsort((column, query, -width))[:n]
    matrices = [as_csr(matrix) for matrix in scores]
    query_ids, item_ids = python_ids(data.query_ids), python_ids(data.item_ids)
    items = []
    for item in order.tolist():
        place = int(query[item]), int(column[item])
        ranks, other_ranks, *_ = *(_ranks(each, *place, ignore_ties) for each in matrices), None
        ids = query_ids[place[0]], item_ids[place[1]]
        items.append(ItemToJudge(*ids, ranks, other_ranks, float(width[item])))
    return items


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
