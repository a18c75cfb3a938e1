"""The groups of queries, such as their languages, in any form in which callers have them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from ranking_scores._base import ById, check_identifiers, describe, invalid, show_id
from ranking_scores._queries import Data, OneEach, Queries, names_of_queries
from ranking_scores._tables._columns import all_columns
from ranking_scores._tables._kinds import is_table


def check_groups(
    by: Any,
    ids: NDArray[Any] | None,
    queries: Queries | OneEach,
    data: Data,
    results: Collection[str],
) -> dict[str, NDArray[Any]]:
    """Return the group of each query, for each grouping. `ids` are those of the queries."""
    function, groups = data.function, {}
    for grouping, given in groupings_of(by, function).items():
        if grouping in results:
            got = f"{show_id(grouping)}, the name of a result,"
            raise invalid("by", function, "a dict whose keys are not names of results", got)
        if not isinstance(grouping, str) or not grouping:
            got = f"the key {describe(grouping)}"
            raise invalid("by", function, "a dict whose keys are names", got)
        key = grouping if given is not by else None
        groups[grouping] = names_of_queries(given, "by", ids, queries, data, key)
    return groups


def groupings_of(by: Any, function: str) -> dict[str, Any]:
    """Return the groupings by their names."""
    if by is None:
        return {}
    if isinstance(by, Mapping) and not _are_groups(by.values()):
        return dict(by)
    if is_table(by):
        return dict(_groupings_of_table(by, function))
    name = getattr(by, "name", None)
    return {name if isinstance(name, str) and name else "group": by}


def _are_groups(values: Collection[Any]) -> bool:
    """Return whether the values of a dict are groups, rather than arrays of them."""
    return len(values) > 0 and all(
        isinstance(each, (str, bytes)) or not hasattr(each, "__len__") for each in values
    )


def _groupings_of_table(by: Any, function: str) -> Iterator[tuple[str, ById]]:
    """Yield the groupings of a table, whose first column has the ids of the queries."""
    ids, *groupings = all_columns(by, "by", function)
    if not groupings:
        expected = "a table with the ids of the queries in its first column, and then their groups"
        got = f"the column {show_id(ids.name)} alone"
        code = f"A Series, such as `by[{show_id(ids.name)}]`, may have the ids as its index."
        raise invalid("by", function, expected, got, code=code)
    keys = check_identifiers(ids.values, "by", function)
    form = f"a table whose first column, {show_id(ids.name)}, has the id of each query once"
    advice = "a filter of its rows", "Put the column of the ids first."
    for each in groupings:
        yield str(each.name), ById(keys, each.values, form, *advice)
