"""Values of queries that come with the ids of the queries, such as a Series or a dict.

They are matched by these ids, never by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, show_id, show_some
from ranking_scores._base._ids import as_objects, ids_as_objects
from ranking_scores._base._utf8 import check_utf8
from ranking_scores._base._validation import are_missing

Positions = NDArray[np.intp]


class MatchedIds(NamedTuple):
    """Where the ids of some queries are among other ids."""

    places: Positions
    """The place of each query; -1: it is missing."""
    missing: NDArray[Any]
    """The queries that are missing."""
    others: NDArray[Any]
    """The other ids that are not of these queries, or are repeated."""
    has_repeated: bool
    """Whether the first of them is repeated."""


def match_ids(ids: NDArray[Any], query_ids: NDArray[Any]) -> MatchedIds:
    """Return the places of queries, whose ids are unique, among some ids."""
    are_ints = ids.dtype.kind in "iu" and query_ids.dtype.kind in "iu"
    own: Any = ids if are_ints else ids_as_objects(ids)
    places = (_places_of_ints if are_ints else _places_of_objects)(own, query_ids)
    is_missing, is_other = places < 0, np.ones(ids.size, dtype=bool)
    is_other[places[~is_missing]] = False
    others = np.flatnonzero(is_other)
    has_repeated = any(own[other] in own[other + 1 :] for other in others[:1].tolist())
    return MatchedIds(places, query_ids[is_missing], ids[others], has_repeated)


def _places_of_objects(ids: list[Any], query_ids: NDArray[Any]) -> Positions:
    """Return the place of each query among the ids, the last of equal ones; -1: it is missing."""
    wanted, place_of = ids_as_objects(query_ids), dict(zip(ids, range(len(ids)), strict=True))
    return np.fromiter(map(place_of.get, wanted, repeat(-1)), np.intp, len(wanted))


def _places_of_ints(ids: NDArray[Any], query_ids: NDArray[Any]) -> Positions:
    """Return the same for whole numbers, without an object for each."""
    if not ids.size:
        return np.full(query_ids.size, -1)
    order = np.argsort(ids, kind="stable")
    in_order = ids[order]
    places = np.searchsorted(in_order, query_ids, side="right") - 1
    is_missing = in_order[np.maximum(places, 0)] != query_ids
    return np.where(is_missing, -1, order[places])


class ValuesById(NamedTuple):
    """Values of queries, and the ids of these queries."""

    ids: NDArray[Any]
    values: Any
    form: str
    """The form that the values must have, for errors."""
    select: str
    """The code that selects the values of the queries of a call."""
    cure: str
    """The advice about ids of which none is that of a query."""
    is_numbered: bool = False
    """Whether the ids are the default index of pandas, which may only number rows."""
    left_out: NDArray[Any] | None = None
    """The ids of queries that a call leaves out, which may have values, too."""

    def places_of(self, query_ids: NDArray[Any], parameter: str, function: str) -> Positions:
        """Return the place of the value of each query; raise unless each query has one value."""
        places, missing, others, has_repeated = match_ids(self.ids, query_ids)
        if self.left_out is not None and not has_repeated:
            others = match_ids(self.left_out, others).missing
        if missing.size:
            got = f"none for {show_some(missing)}"
            code = self.cure if missing.size == places.size else "Give each query a value."
        elif has_repeated:
            got, code = f"several for {show_id(others[0])}", "Keep one value for each query."
        elif others.size:
            got = f"values for {show_some(others)}, which are no queries,"
            code = f"To take those of the queries, use {self.select}."
        elif self.is_numbered and (places != np.arange(places.size)).any():
            got = "a default index, which has the ids in another order,"
            code = f"If the index has the ids, use {self.select}. {self.cure}"
        else:
            return places
        raise invalid(parameter, function, self.form, got, code=code)

    def in_order(
        self, values: Any, query_ids: NDArray[Any] | None, parameter: str, function: str
    ) -> NDArray[Any]:
        """Return the values, or what was made of them, in the order of the queries."""
        if query_ids is None:
            expected = "an array in the order of the queries, since they have no ids"
            raise invalid(parameter, function, expected, self.form)
        in_order: NDArray[Any] = values[self.places_of(query_ids, parameter, function)]
        return in_order


def are_same_ids(ids: NDArray[Any], others: NDArray[Any]) -> bool:
    """Return whether all ids are the same in two arrays, or missing in both."""
    if ids.dtype.kind in "iu" and others.dtype.kind in "iu":
        return np.array_equal(ids, others)
    is_missing = are_missing(ids)
    if not np.array_equal(is_missing, are_missing(others)):
        return False
    return ids_as_objects(ids[~is_missing]) == ids_as_objects(others[~is_missing])


def by_id(
    values: Any, parameter: str, function: str, query_ids: str, otherwise: str
) -> ValuesById | None:
    """Return the values of a dict or of a Series with their ids; None: they have no ids.

    `query_ids` is the code for the ids of the queries, and `otherwise` says how to pass values
    without ids.
    """
    if isinstance(values, Mapping):
        return ValuesById(
            as_objects(values),
            list(values.values()),
            "a dict from the id of each query to its value",
            f"`{{each: {parameter}[each] for each in {query_ids}}}`",
            "Its keys must be the ids of the queries.",
        )
    if hasattr(values, "iloc") and values.ndim == 1:
        check_utf8(values.index, partial(invalid, parameter, function))
        return ValuesById(
            np.asarray(values.index),
            values,
            "a Series with the ids of the queries as its index, and one value for each",
            f"`{parameter}.loc[{query_ids}]`",
            f"Index it by the ids, such as by `users.set_index('user')['country']`. {otherwise}",
            type(values.index).__name__ == "RangeIndex",
        )
    return None
