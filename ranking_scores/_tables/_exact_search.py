"""The results of a vector index beside those of exact search, as judgments and predictions.

The nearest points of exact search are what is relevant. Points at equal distances around the last
of them are equally right, so those of them that the index found are taken::

    exact search, k = 3      a 1.0   b 2.0   c 2.0   (d is at 2.0, too)
    the index found          a 1.0   d 2.0   c 2.0
    relevant                 a       d       c
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, invalid, show_id, warn_caller
from ranking_scores._base._results import count_queries
from ranking_scores._base._validation import describe
from ranking_scores._tables._columns import (
    Column,
    Positions,
    place_of_query,
    places_in_lists,
    read_numbers,
)
from ranking_scores._tables._join import JoinSide, TableCells, are_repeats, join_sides, to_arrays
from ranking_scores._tables._lists_of_ids import ListsByQuery, check_like, columns_of, lists_of
from ranking_scores._tables._ranking_data import (
    JudgedItems,
    RankingData,
    ReadItems,
    see_queries,
    warn_of_none_found,
)

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_SHARE_OF_ROUNDING = 1e-3
"""Distances of one point that differ by this share of the largest one are not the same."""


_ROUNDING = 1e-6
"""Distances that differ by this share may be the same, computed in another way."""
_FILLED = (
    "Some indexes fill short rows, such as usearch with the key 0. Pass lists without these "
    "places, or -1 there in an array of ints."
)
"""The advice about points that an index has found more than once."""
_IDS = "exact_ids", "found_ids"


class Neighbours(NamedTuple):
    """The results of one search for all queries, one query after the other."""

    side: JoinSide
    """The ids. The number of each is that of its row."""
    query: Positions
    """The query of each row, in the order of the caller."""
    place: Positions
    """The place of each row in its list, from 0 on."""
    distance: Any
    """The distance of each row; None: not known."""
    n_queries: int
    width: int
    """The number of places of the longest list, those without a result included."""

    def count_rows(self, are: Bools | None = None) -> Positions:
        """Return how many rows of each query are something; None: all rows are."""
        query = self.query if are is None else self.query[are]
        return np.bincount(query, minlength=self.n_queries)

    def first(self, are: Bools, n_first: Positions) -> Bools:
        """Return the first rows of each query that are something, a number for each query."""
        so_far = np.cumsum(are)
        start = np.arange(self.query.size) - self.place
        return are & (so_far - (so_far - are)[start] <= n_first[self.query])


@dataclass(frozen=True)
class _ExactSearch:
    """Arrays that are there already, with the name of what they came from."""

    data: RankingData
    came_from: str = "exact search"

    def read(self, depth: int) -> ReadItems | None:
        """Return None, which reads the arrays."""
        return None

    def in_arrays(self) -> RankingData:
        """Return the arrays."""
        return self.data


def data_of_searches(
    given: Mapping[str, Any], k: Any, tolerance: float, function: str
) -> RankingData:
    """Return the results of exact search and those of an index as judgments and predictions.

    `given` has what the caller passed by the names of the parameters, the ids of exact search
    first, and perhaps None as the distances of the index.
    """
    lists = {
        name: lists_of(values, "ids" if name in _IDS else "distances", name, function)
        for name, values in given.items()
        if values is not None or name != "found_distances"
    }
    lists = _in_one_order(lists, given)
    with columns_of(lists.values()) as columns:
        own = dict(zip(lists, columns, strict=True))
        exact, found = (
            _neighbours(lists[name], own[name], own.get(name.replace("ids", "distances")))
            for name in _IDS
        )
        _check_order(exact)
        k = _check_k(k, exact, found, function)
        joined = join_sides([exact.side, found.side], "hold")
        judged, predicted = joined.judged, joined.predicted
        for cells, code in ((judged, ""), (predicted, _FILLED)):
            is_repeat = are_repeats(cells)
            if is_repeat.any():
                first = int(np.argmax(is_repeat))
                got = f"point {show_id(joined.items[cells.item[first]])} more than once"
                place = place_of_query(joined.queries[cells.query[first]])
                expected = "each point only once per query"
                raise cells.columns["item"].invalid(expected, got, code=code, place=place)
    exact_key, found_key = (
        cells.query.astype(np.int64) * joined.items.size + cells.item
        for cells in (judged, predicted)
    )
    at = np.searchsorted(exact_key, found_key)
    is_same = np.append(exact_key, -1)[at] == found_key
    row_of_exact = np.full(found.query.size, -1)  # It is -1 if the point is not there.
    row_of_exact[predicted.values[is_same]] = judged.values[at[is_same]]
    is_within, may_be_within, are_almost = _are_within(exact, found, row_of_exact, k, tolerance)
    n_sought = np.minimum(exact.count_rows(), k)
    is_hit = found.first(is_within, n_sought)
    if found.query.size and not (is_same.any() or is_hit.any()):
        warn_of_none_found("exact_ids")
    is_left = exact.place < n_sought[exact.query]
    is_left[row_of_exact[is_hit & (row_of_exact >= 0)]] = False
    is_missed = exact.first(is_left, n_sought - found.count_rows(is_hit))
    nearest = judged.where((exact.place < n_sought[exact.query])[judged.values])
    ones = np.ones(nearest.query.size, np.int8)
    truth = JudgedItems(nearest.query, nearest.item, joined.items, ones)
    parts = judged.where(is_missed[judged.values]), predicted.where(is_hit[predicted.values])
    relevant = TableCells(
        np.concatenate([cells.query for cells in parts]),
        np.concatenate([cells.item for cells in parts]),
        np.ones(sum(cells.query.size for cells in parts), np.int8),
        judged.columns,
    )
    joined = joined._replace(
        judged=relevant.where(np.lexsort((relevant.item, relevant.query))),
        predicted=predicted._replace(values=-1 - found.place[predicted.values]),
    )
    points = "nearest point of each query counts" if k == 1 else f"{k} nearest points count"
    notes = [f"exact_ids: the {points}"]
    n_almost = int(np.count_nonzero(found.count_rows(are_almost)))
    if n_almost:
        notes.append(
            f"found_ids: in {count_queries(n_almost)} there are points that count as wrong, and "
            f"are farther than the last right one by less than {_ROUNDING:g} of its distance; "
            "pass tolerance"
        )
    n_unclear = int(np.count_nonzero(found.count_rows(may_be_within)))
    if n_unclear:
        notes.append(
            f"found_ids: in {count_queries(n_unclear)} there are points that exact_ids lacks, "
            "which count as wrong, though they may be as near as the last one there; pass "
            "found_distances"
        )
    return RankingData.from_source(
        _ExactSearch(to_arrays(joined, 0, "hold")),
        joined.queries,
        see_queries(joined),
        joined.is_predicted,
        notes=tuple(notes),
        has_query_ids=lists["exact_ids"].queries is not None,
        judged=truth,
    )


def _in_one_order(
    lists: dict[str, ListsByQuery], given: Mapping[str, Any]
) -> dict[str, ListsByQuery]:
    """Return the lists in the order of the first parameter. Raise if their queries differ."""
    first, *others = lists.values()
    if not len(first.rows):
        raise first.invalid("of at least one query", "none")
    in_order = {first.parameter: first}
    for other in others:
        check_like(first, other, given)
        in_order[other.parameter] = other.in_order_of(first)
    return in_order


def _neighbours(
    lists: ListsByQuery, ids: tuple[Column, Positions], distances: tuple[Column, Positions] | None
) -> Neighbours:
    """Return the results of one search, without the places of an array that have none."""
    column, length = ids
    query = np.repeat(np.arange(length.size), length)
    place = places_in_lists(length)
    if distances is not None and not np.array_equal(distances[1], length):
        number = int(np.argmax(distances[1] != length))
        expected = f"as many distances as {lists.parameter} has ids"
        got = f"{distances[1][number]} beside {length[number]} ids"
        raise distances[0].invalid(expected, got, place=place_of_query(lists.query_at(number)))
    numbers = None if distances is None else distances[0]
    if isinstance(lists.rows, np.ndarray):
        are_found = _are_found(lists)
        if not are_found.all():
            rows = np.flatnonzero(are_found)
            column, query, place = column.at(rows), query[rows], place[rows]
            numbers = None if numbers is None else numbers.at(rows)
    columns, queries = lists.queries_alone()[:2]
    columns |= {"item": column} if numbers is None else {"item": column, "distance": numbers}
    side = JoinSide(columns, queries._replace(code=query), None, np.arange(query.size))
    points = side.items()
    if points.kind == "numbers" and -1 in np.asarray(points.values):
        code = "In an array of ints, -1 means that there is no result."
        raise column.invalid("no -1, which is no id", "-1", code=code)
    distance, width = None if numbers is None else _distances(numbers), int(length.max())
    return Neighbours(side._replace(item=points), query, place, distance, length.size, width)


def _are_found(lists: ListsByQuery) -> Bools:
    """Return which places of an array of ids have a result. They come before those without."""
    ids = lists.rows
    if ids.dtype.kind not in "iu":
        code = "Are ids and distances swapped? FAISS returns the distances first."
        code *= ids.dtype.kind == "f"
        raise lists.invalid("an array of ints, or lists of ids", f"dtype {ids.dtype}", code=code)
    are_found = ids != -1
    is_late = ~are_found[:, :-1] & are_found[:, 1:]
    if is_late.any():
        number, place = np.argwhere(is_late)[0]
        expected = "an array with -1 only after the ids of a row"
        raise lists.invalid(expected, f"-1 before id {ids[number, place + 1]}", number=int(number))
    return np.ravel(are_found)


def _distances(column: Column) -> Floats:
    """Return distances in their own dtype, or ints as float64. Raise if one is not finite."""
    values, row = read_numbers(column)
    is_right = np.isfinite(values)
    if row is None and is_right.all():
        return values if values.dtype.kind == "f" else values.astype(np.float64)
    if row is None:
        first = int(np.argmin(is_right))
        got = str(values[first])
    else:  # each row before the first that is missing is there
        first = int(np.argmax(np.append(row, -1) != np.arange(row.size + 1)))
        got = "NaN or None"
    code = "Leave out both, or in an array of ints use the id -1, which means no result."
    raise column.invalid("a finite distance for each id", got, code=code, place=Place(row=first))


def _check_order(exact: Neighbours) -> None:
    """Raise unless the distances of each query begin with that of the nearest point."""
    query, distance = exact.query, exact.distance
    falls = (distance[1:] < distance[:-1]) & (query[1:] == query[:-1])
    if falls.any():
        row = int(np.argmax(falls)) + 1
        got = f"{distance[row]} after {distance[row - 1]}"
        code = "If the largest number is the nearest, as of inner products, pass them negated."
        expected = "the distance of the nearest point first"
        column = exact.side.columns["distance"]
        raise column.invalid(expected, got, code=code, place=Place(row=row))


def _check_k(k: Any, exact: Neighbours, found: Neighbours, function: str) -> int:
    """Return how many of the nearest points count."""
    if not exact.width:
        raise invalid("exact_ids", function, "with a point for at least one query", "no point")
    if k is None:
        return min(exact.width, found.width or exact.width)
    is_int = isinstance(k, Integral) and not isinstance(k, bool)
    if not is_int or not 1 <= k <= exact.width:
        expected = f"None or an int from 1 to {exact.width}, the most points of exact_ids"
        raise invalid("k", function, expected, describe(k))
    return int(k)


def _are_within(
    exact: Neighbours, found: Neighbours, row_of_exact: Positions, k: int, tolerance: float
) -> tuple[Bools, Bools, Bools]:
    """Return which rows of the index are as near as the last point that counts.

    Also return which rows may be, but have no distance that would tell, and which are not, but
    almost.
    """
    query, n_exact = found.query, exact.count_rows()
    stop, n_sought = np.cumsum(n_exact), np.minimum(n_exact, k)
    distance = np.append(exact.distance, np.inf)  # The last one is for points not found.
    is_any = n_exact > 0  # else these read some other distance
    first, last, last_sought = (
        np.where(is_any, distance[place], -np.inf)
        for place in (stop - n_exact, stop - 1, stop - n_exact + n_sought - 1)
    )
    limit, of_row = last_sought + tolerance, distance[row_of_exact]
    is_within = of_row <= limit[query]
    almost = limit + _ROUNDING * np.where(is_any, np.abs(last_sought), 0)
    are_almost = (of_row <= almost[query]) & ~is_within
    is_in_both = row_of_exact >= 0
    if found.distance is None:
        is_cut = (n_exact >= k) & (last <= limit)
        return is_within, ~is_in_both & is_cut[query], are_almost
    # One distance may be rounded to float32, and the other one not.
    dtype = min(exact.distance.dtype, found.distance.dtype, key=lambda dtype: dtype.itemsize)
    limit = last_sought.astype(dtype).astype(np.float64) + tolerance
    is_within |= ~is_in_both & (found.distance.astype(dtype) <= limit[query])
    are_almost |= ~is_in_both & (found.distance <= almost[query]) & ~is_within
    allowed = tolerance + _SHARE_OF_ROUNDING * np.maximum(np.abs(first), np.abs(last))
    _warn_of_other_distances(found, of_row, last[query], allowed[query])
    return is_within, np.zeros(query.size, dtype=bool), are_almost


def _warn_of_other_distances(
    found: Neighbours, exact: Floats, last: Floats, allowed: Floats
) -> None:
    """Warn if the distances of an index are not those of exact search.

    `exact` has the distance of each row of the index there, infinite if it is not there. In that
    case it is at least as far as the last point there.
    """
    are_there = np.isfinite(exact)
    difference = np.where(are_there, np.abs(found.distance - exact), last - found.distance)
    are_others = difference > allowed
    if are_others.any():
        row = int(np.argmax(are_others))
        there = f"which is {exact[row]:.6g} in exact search"
        if not are_there[row]:
            there = f"and exact search ends at {last[row]:.6g} without this point"
        n_others = int(np.count_nonzero(found.count_rows(are_others)))
        warn_caller(
            "The distances of found_distances are not those of exact search in "
            f"{count_queries(n_others)}: one is {found.distance[row]:.6g}, {there}. They may be "
            "squared or negated, of another metric, or those of compressed vectors. Compute them "
            "from the vectors as in exact search, or leave them out.",
            UserWarning,
        )
