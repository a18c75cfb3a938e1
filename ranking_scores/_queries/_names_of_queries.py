"""The names of what queries belong to, such as their languages or users, one for each query."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from ranking_scores._base import check_identifiers, show_id
from ranking_scores._queries._blocks import Queries
from ranking_scores._queries._data import Data


class OneEach(NamedTuple):
    """Queries of which nothing is known but their number."""

    n_queries: int
    value_of_query: None = None


_CALLED = {"by": "group", "clusters": "cluster"}


def names_of_queries(
    given: Any,
    parameter: str,
    ids: NDArray[Any] | None,
    queries: Queries | OneEach,
    data: Data,
    grouping: str | None = None,
) -> NDArray[Any]:
    """Return the name of each query, given in order, by row or by the ids of the queries.

    `grouping` is the key of the names, if the parameter is a dict of several.
    """
    called = parameter if grouping is None else f"{parameter}[{show_id(grouping)}]"
    with_ids = data.by_id(given, called)
    values = check_identifiers(
        given if with_ids is None else with_ids.values, parameter, data.function
    )
    if with_ids is not None:
        return with_ids.in_order(values, ids, parameter, data.function)
    of_rows = queries.value_of_query
    n_values = queries.n_queries if of_rows is None else data.true_labels.size
    if values.size != n_values:
        kind = "query" if of_rows is None else "row"
        expected = f"of shape ({n_values},), one {_CALLED[parameter]} per {kind}"
        of_grouping = "" if grouping is None else f" for {show_id(grouping)}"
        raise data.invalid(parameter, expected, f"shape {values.shape}{of_grouping}")
    data.indexes.check(parameter, given, called)
    return values.copy() if of_rows is None else of_rows(values, parameter)
