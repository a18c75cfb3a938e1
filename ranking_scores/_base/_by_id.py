"""Values of queries that come with the ids of the queries, such as a Series or a dict.

They are matched by these ids, never by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, show_id
from ranking_scores._base._ids import as_objects, ids_as_objects

Positions = NDArray[np.intp]
_N_SHOWN = 3


class ById(NamedTuple):
    """Values of queries, and the ids of these queries."""

    ids: NDArray[Any]
    values: Any
    form: str
    """The form that the values must have, for errors."""
    select: str
    """The code that selects the values of the queries of a call."""
    cure: str
    """The advice about ids that are not those of queries."""
    is_numbered: bool = False
    """Whether the ids are the default index of pandas, which may only number rows."""

    def places_of(self, query_ids: NDArray[Any], parameter: str, function: str) -> Positions:
        """Return the place of the value of each query; raise unless each query has one value."""
        own, wanted = ids_as_objects(self.ids), ids_as_objects(query_ids)
        place_of = dict(zip(own, range(len(own)), strict=True))
        places = np.fromiter(map(place_of.get, wanted, repeat(-1)), np.intp, len(wanted))
        is_missing, is_other = places < 0, np.ones(len(own), dtype=bool)
        is_other[places[~is_missing]] = False
        other = int(np.argmax(is_other)) if is_other.any() else None
        if is_missing.any():
            got = f"none for {_some(query_ids[is_missing])}"
            code = self.cure if is_missing.all() else "Give each query a value."
        elif other is not None and place_of[own[other]] != other:
            got, code = f"several for {show_id(self.ids[other])}", "Keep one value for each query."
        elif other is not None:
            got = f"values for {_some(self.ids[is_other])}, which are no queries,"
            code = f"For the queries alone use {self.select}."
        elif self.is_numbered and (places != np.arange(places.size)).any():
            got = "a default index, which has the ids in another order,"
            code = f"If its index has the ids, pass {self.select}. {self.cure}"
        else:
            return places
        raise invalid(parameter, function, self.form, got, code=code)


def by_id(values: Any, parameter: str, query_ids: str, otherwise: str) -> ById | None:
    """Return the values of a dict or of a Series with their ids; None: they have no ids.

    `query_ids` is the code for the ids of the queries, and `otherwise` says how to pass values
    without ids.
    """
    if isinstance(values, Mapping):
        return ById(
            as_objects(values),
            list(values.values()),
            "a dict from the id of each query to its value",
            f"`{{each: {parameter}[each] for each in {query_ids}}}`",
            "Its keys must be the ids of the queries.",
        )
    if hasattr(values, "iloc") and values.ndim == 1:
        return ById(
            np.asarray(values.index),
            values,
            "a Series with the ids of the queries as its index, and one value for each",
            f"`{parameter}.loc[{query_ids}]`",
            f"Index it by the ids, such as by `users.set_index('user')['country']`. {otherwise}",
            type(values.index).__name__ == "RangeIndex",
        )
    return None


def _some(ids: NDArray[Any]) -> str:
    """Return the first ids in words, and how many more there are."""
    more = f" and {ids.size - _N_SHOWN} more" if ids.size > _N_SHOWN else ""
    return f"{', '.join(map(show_id, ids[:_N_SHOWN]))}{more}"
