"""The groups of queries, such as their languages, as a caller may give them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import check_identifiers, describe, invalid, show_id
from ranking_scores._tables._columns import Column, join_ids, place_of_query, read_ids
from ranking_scores._tables._join import alike


class _ById(NamedTuple):
    """Ids of queries, and the group of each. An id may be there more than once."""

    queries: Any
    groups: Any


def groupings_of(by: Any, results: Collection[str], function: str) -> dict[str, Any]:
    """Return the groupings of queries that a caller gave, by their names."""
    groupings = _by_name(by)
    for name in groupings:
        if name in results:
            got = f"{name!r}, the name of a result,"
            raise invalid("by", function, "a dict whose keys are not names of results", got)
        if not isinstance(name, str) or not name:
            got = f"the key {describe(name)}"
            raise invalid("by", function, "a dict whose keys are names", got)
    return groupings


def _by_name(by: Any) -> dict[Any, Any]:
    if by is None:
        return {}
    if hasattr(by, "iloc") and by.ndim == 2:
        return dict(by.items())
    if isinstance(by, Mapping) and all(map(_has_groups, by.values())):
        return dict(by)
    name = getattr(by[1] if _is_pair(by) else by, "name", None)
    return {name if isinstance(name, str) and name else "group": by}


def _has_groups(value: Any) -> bool:
    """Return whether a value has the groups of several queries."""
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes))


def _is_pair(by: Any) -> bool:
    return isinstance(by, tuple) and len(by) == 2 and all(map(_has_groups, by))


def groups_by_id(
    given: Any, ids: NDArray[Any] | None, n_values: int, *, is_in_order: bool, function: str
) -> NDArray[Any] | None:
    """Return the group of each query from a grouping that has the ids of queries.

    None: the groups are in the order of the data, where there are `n_values`. A series with an
    index of its own has ids, unless it `is_in_order`.
    """
    by_id = None
    if isinstance(given, Mapping):
        by_id = _ById(list(given), list(given.values()))
    elif _is_pair(given):
        by_id = _ById(*given)
    elif ids is not None and hasattr(given, "iloc"):
        is_in_order |= type(given.index).__name__ == "RangeIndex"
        if not is_in_order or given.size != n_values:
            by_id = _ById(given.index, given.to_numpy())
    if by_id is None:
        return None
    if ids is None:
        expected, code = "in the order of the data", "Name the queries by `query_ids`."
        raise invalid("by", function, expected, "groups of queries by their ids", code=code)
    return _groups_of(ids, by_id, function)


def _groups_of(ids: NDArray[Any], given: _ById, function: str) -> NDArray[Any]:
    """Return the groups of some queries."""
    groups = check_identifiers(given.groups, "by", function)
    queries = Column(given.queries, None, "by", function, "groups by ids of queries that are")
    own = Column(ids, None, "query_ids", function, "ids that are")
    known = read_ids(queries)
    if known.code.size != groups.size:
        got = f"{known.code.size} ids and {groups.size} groups"
        raise invalid("by", function, "two columns of one length", got)
    both = alike(own, queries, read_ids(own), known)
    all_ids, *places = join_ids(*both)
    wanted, code = (each.code_at(place) for each, place in zip(both, places, strict=True))
    row = np.full(all_ids.size, -1)
    row[code[::-1]] = np.arange(code.size)[::-1]  # the first row of each query
    is_missing = row[wanted] < 0
    if is_missing.any():
        place = place_of_query(ids[np.argmax(is_missing)])
        raise invalid("by", function, "a group for each query", "none", place=place)
    differs = groups != groups[row[code]]
    if differs.any():
        first = int(np.argmax(differs))
        place = place_of_query(all_ids[code[first]])
        got = " and ".join(map(show_id, groups[[row[code[first]], first]]))
        raise invalid("by", function, "one group for each query", got, place=place)
    of_query: NDArray[Any] = groups[row[wanted]]
    return of_query
