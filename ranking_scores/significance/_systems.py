"""Systems on the same queries, and whether they are: the queries and the options must agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._by_id import are_same_ids, match_ids
from ranking_scores._base._errors import invalid, show_id, show_some
from ranking_scores._base._index import ROWS, Difference, name_at, not_alike
from ranking_scores._base._query_values import OVER, QueryValues, are_same_texts
from ranking_scores._base._results import are_equal, count_queries
from ranking_scores._base._validation import are_missing
from ranking_scores.significance._units import Units

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


Options = Mapping[str, Mapping[str, str]]
"""The options of each result of a report, as text."""


class QueryParameters(NamedTuple):
    """What a caller gave about the queries: one value per query each, or None."""

    sample_weight: Any = None
    clusters: Any = None
    by: Any = None


class ScoredSystems(NamedTuple):
    """Systems on the same queries."""

    systems: dict[str, QueryValues]
    units: Units
    groups: tuple[NDArray[Any], Ints] | None
    """The names of the groups of queries, and the number of each query's group."""
    ids: NDArray[Any] | None
    """The ids of the queries, or None if they are not known."""

    def has_human(self) -> bool:
        """Return whether people judged some of the queries."""
        return any(system.human is not None for system in self.systems.values())


def ends_of_all(systems: Iterable[QueryValues]) -> Floats:
    """Return the lowest and the highest value of each column, or NaN where one is unknown."""
    ends = np.array([system.ends() for system in systems])  # (n_systems, n_columns, 2)
    low, high = ends[..., 0].min(axis=0), ends[..., 1].max(axis=0)
    is_known = np.isfinite(low) & np.isfinite(high)
    return np.where(is_known, [low, high], np.nan)


def in_order(
    system: QueryValues,
    ids: NDArray[Any],
    name: str,
    expected_ids: NDArray[Any],
    parameter: str,
    function: str,
) -> QueryValues:
    """Return a system with its queries in the order of another one, which has the given name."""
    if are_same_ids(ids, expected_ids):
        return system
    places, missing, others, _ = match_ids(ids, expected_ids)
    if missing.size or others.size:
        got = f"none for {show_some(missing)}" if missing.size else f"also {show_some(others)}"
        expected = f"of the same {expected_ids.size} queries as {name}, by their ids"
        raise invalid(parameter, function, expected, got, code=_CODE_FOR_BOTH)
    return system.take(places) if places.size == ids.size else system


_CODE_FOR_BOTH = (
    "To compare the queries that both have, index both by query, as `report.to_frame()` does, and "
    "pass `.loc[both]` of each, with `both = a.index.intersection(b.index)`."
)


def check_alike(
    found: Mapping[str, QueryValues], own: QueryValues, parameter: str, function: str
) -> None:
    """Raise unless a system has the same queries and the same scores as the systems before.

    Two pandas indexes are not compared here.
    """
    name, first = next(iter(found.items()))
    n_queries, n_columns = first.values.shape
    if len(own.values) != n_queries:
        expected = f"of the same {n_queries} queries as {name}"
        raise invalid(parameter, function, expected, count_queries(len(own.values)))
    if own.values.shape[1] != n_columns:
        expected = f"an array with {n_columns} columns, like {name}"
        raise invalid(parameter, function, expected, str(own.values.shape[1]))
    for name, first in found.items():
        if first.options is not None and own.options is not None:
            results = own.names or ()
            check_options(name, first.options, own.options, results, parameter, function)
            _check_groups(name, first, own, parameter, function)
            break
    for name, first in found.items():
        if first.ids is not None:
            _check_ids(name, first, own, parameter, function)
            break
    for name, first in found.items():
        if first.names is not None:
            for expected, got in zip(first.names, own.names or (), strict=False):
                if expected != got:
                    expected = f"of the same scores as {name}, which has {show_id(expected)}"
                    raise invalid(parameter, function, expected, show_id(got))
            break


def check_options(
    name: str,
    first: Options,
    own: Options,
    results: Iterable[str],
    parameter: str,
    function: str,
) -> None:
    """Raise if two reports have other options of a result that both have, given as text."""
    for result in results:
        expected, got = (options.get(result, {}) for options in (first, own))
        options = [
            name
            for name in [*got, *({OVER} & {*expected} - {*got} if got else ())]
            if result in first and not are_same_texts(got.get(name), expected.get(name))
        ]
        if OVER in options:
            scored = "over the aspects of its queries", "without aspects"
            one, other = scored if expected.get(OVER) else scored[::-1]
            advice = "Score both over aspects, or neither."
            raise invalid(parameter, function, f"{one}, like {name}", f"one {other}", advice)
        if options:
            theirs, ours = (
                ", ".join(f"{option}={of.get(option)}" for option in options)
                for of in (expected, got)
            )
            what = f"of the same options as {name}, which has {theirs} in {result}"
            raise invalid(parameter, function, what, ours)


def _check_groups(
    name: str, first: QueryValues, own: QueryValues, parameter: str, function: str
) -> None:
    """Raise if two reports without ids have other groups, or are of other groups."""
    if own.groups is None or first.groups is None:
        return
    if first.ids is not None and own.ids is not None:
        return
    places, expected_places = (
        np.arange(len(each.values)) if each.places is None else each.places
        for each in (own, first)
    )
    if not np.array_equal(places, expected_places):
        what = f"of the same queries as {name}, by their positions among all queries"
        at, first_at = (show_some(value) for value in (places, expected_places))
        got = f"those at {at}, where {name} has {first_at},"
        advice = "Groups without ids are paired by position. Pass `query_ids` to the reports."
        raise invalid(parameter, function, what, got, advice)
    for grouping in own.groups.keys() & first.groups.keys():
        if not are_equal(own.groups[grouping].tolist(), first.groups[grouping].tolist()):
            what = f"of the same queries as {name}, with the same groups in the same order"
            advice = (
                "Without ids, queries are paired by position. Pass `query_ids` to the reports."
            )
            got = f"other groups in {show_id(grouping)}"
            raise invalid(parameter, function, what, got, advice)


def _check_ids(
    name: str, first: QueryValues, own: QueryValues, parameter: str, function: str
) -> None:
    """Raise if two systems have different query ids, unless both are pandas indexes."""
    are_indexed = first.indexed is not None and own.indexed is not None
    if first.ids is None or own.ids is None or are_indexed:
        return
    if first.ids is own.ids or are_same_ids(first.ids, own.ids):
        return
    is_other = are_missing(first.ids) | are_missing(own.ids)  # one of them cannot be missing
    for place in np.flatnonzero(~is_other).tolist():
        is_other[place] = first.ids[place] != own.ids[place]
    place = int(np.argmax(is_other))
    id_, expected = (name_at(ids, place) for ids in (own.ids, first.ids))
    if own.indexed is not None:
        difference = Difference(place, id_, expected, ".to_numpy()")
        raise not_alike(parameter, function, name, ROWS, difference)
    got = f"query {id_} at position {place}, where {name} has {expected},"
    raise invalid(parameter, function, f"of the same queries as {name}", got)
