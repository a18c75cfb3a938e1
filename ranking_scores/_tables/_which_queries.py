"""The queries that judgments and predictions have, and those of them that are scored."""

from __future__ import annotations

import operator
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import are_in, invalid, show_id, warn_caller
from ranking_scores._tables._cells import Joined
from ranking_scores._tables._columns import Column, sort_ids

Queries = Literal["judged", "both", "all", "equal"]

QUERIES = ("judged", "both", "all", "equal")
UNEQUAL = "With queries='judged', such queries are no error."
"""The advice if queries are not equal and should be."""


@dataclass(frozen=True)
class SomeQueries:
    """The number of queries of one kind, and the ids of the first of them, sorted by value."""

    count: int
    first: tuple[Any, ...]

    def __add__(self, other: SomeQueries) -> SomeQueries:
        first = sort_ids(dict.fromkeys((*self.first, *other.first)))
        return SomeQueries(self.count + other.count, tuple(first[:_N_FIRST]))

    def __str__(self) -> str:
        shown = ", ".join(map(show_id, self.first[:_N_SHOWN])) or "none"
        return f"{shown}, …" if self.count > _N_SHOWN else shown


_N_FIRST, _N_SHOWN = 10, 3
_NONE = SomeQueries(0, ())
_ARE_LEFT_OUT = "query was {}, and is left out", "queries were {}, and are left out"
_HAVE_NOTHING = (
    "query was {}, and has nothing relevant",
    "queries were {}, and have nothing relevant",
)
_COUNT_0 = (
    "judged query has no prediction, and counts 0",
    "judged queries have no prediction, and count 0",
)
"""What becomes of a query, and of several."""


@dataclass(frozen=True)
class QueriesSeen:
    """Which queries the judgments have, and which the predictions have.

    As text, it has a line for each kind of queries that was left out, or that only one side has.

    Attributes
    ----------
    queries : {"judged", "both", "all", "equal"}
        The queries that were asked for.

    judged, predicted : SomeQueries
        The queries on one side: their number `count`, and in `first` the ids of the first ten.

    both : SomeQueries
        The queries on both sides.

    only_judged, only_predicted : SomeQueries
        The queries on one side only.

    neither : SomeQueries
        The queries of `from_table` whose rows have neither a label nor a score.
    """

    queries: str
    judged: SomeQueries
    predicted: SomeQueries
    both: SomeQueries
    only_judged: SomeQueries
    only_predicted: SomeQueries
    neither: SomeQueries

    def __add__(self, other: QueriesSeen) -> QueriesSeen:
        (_, *own), (_, *others) = (vars(each).values() for each in (self, other))
        return QueriesSeen(self.queries, *map(operator.add, own, others))

    def __str__(self) -> str:
        not_judged = _HAVE_NOTHING if self.queries in ("all", "equal") else _ARE_LEFT_OUT
        not_predicted = _ARE_LEFT_OUT if self.queries == "both" else _COUNT_0
        kinds = (
            (self.only_judged, not_predicted, "judged but not predicted"),
            (self.only_predicted, not_judged, "predicted but not judged"),
            (self.neither, not_judged, "neither judged nor predicted"),
        )
        return "\n".join(
            f"{some.count} {words[some.count > 1].format(state)}: {some}"
            for some, words, state in kinds
            if some.count
        )

    def warn(self) -> None:
        """Warn if the ids agree for less than half of the queries of either side."""
        n_both, n_judged, n_predicted = (
            each.count for each in (self.both, self.judged, self.predicted)
        )
        if 2 * n_both < min(n_judged, n_predicted):
            warn_caller(
                f"Only {n_both} of {n_judged} judged and {n_predicted} predicted queries have the "
                f"same ids. Only judged: {self.only_judged}. Only predicted: "
                f"{self.only_predicted}. {self._look_alikes()}".rstrip(),
                UserWarning,
            )

    def _look_alikes(self) -> str:
        """Return a sentence about two ids that look alike and are different, or nothing."""
        judged = {_as_it_looks(each): each for each in self.only_judged.first}
        for other in self.only_predicted.first:
            if _as_it_looks(other) in judged:
                each = judged[_as_it_looks(other)]
                return f"The ids {each!a} and {other!a} look alike, but are different."
        return ""

    def check(self, judged: dict[str, Column], predicted: dict[str, Column]) -> None:
        """Raise unless the tables have queries of the kind that the caller asked for."""
        n_queries = self.judged.count + self.only_predicted.count + self.neither.count
        if not self.judged.count:
            if "label" in judged and judged["label"].table == "table" and n_queries:
                raise judged["label"].invalid("a label in at least one row", "null or NaN in each")
            table, function = judged["query"].table, judged["query"].function
            raise invalid(table, function, "a table with at least one row", "no rows")
        column = predicted["query"]
        if not self.both.count and (self.predicted.count or self.queries == "both"):
            got = f"{self.judged} judged and {self.predicted} predicted"
            expected = "a query that is both judged and predicted"
            raise column.invalid(expected, got, self._look_alikes())
        if self.queries == "equal" and self.both.count < n_queries:
            other, what = self.only_judged, "judged and not predicted"
            if not other.count:
                other, what = self.only_predicted + self.neither, "not judged"
            raise column.invalid(
                "only queries that are both judged and predicted, and all of them",
                f"{other.count} of {n_queries} queries that are {what}, such as "
                f"{show_id(other.first[0])},",
                code=UNEQUAL,
            )


def _as_it_looks(value: Any) -> Any:
    """Return text without what is easily overlooked: blanks, leading zeros, case, its code."""
    if not isinstance(value, str):
        return value
    return "".join(unicodedata.normalize("NFKC", value).casefold().split()).lstrip("0")


def no_queries(queries: str) -> QueriesSeen:
    """Return the queries of tables without rows."""
    return QueriesSeen(queries, *[_NONE] * 6)


def see_queries(joined: Joined, queries: str) -> QueriesSeen:
    """Return the queries that two tables have. `queries` says which of them are scored."""
    ids, is_judged, is_predicted = joined.queries, joined.is_judged, joined.is_predicted

    def some(are: NDArray[np.bool_]) -> SomeQueries:
        first = ids[np.flatnonzero(are)[:_N_FIRST]]
        is_date = first.dtype.kind in "mM"
        return SomeQueries(int(np.count_nonzero(are)), tuple(first if is_date else first.tolist()))

    return QueriesSeen(
        queries,
        some(is_judged),
        some(is_predicted),
        some(is_judged & is_predicted),
        some(is_judged & ~is_predicted),
        some(is_predicted & ~is_judged),
        some(~is_judged & ~is_predicted),
    )


def seen_in_ids(judged: Iterable[Any], predicted: Iterable[Any], queries: str) -> QueriesSeen:
    """Return the same, given the ids of both sides."""
    one, other = set(judged), set(predicted)
    kinds = (sort_ids(each) for each in (one, other, one & other, one - other, other - one, ()))
    return QueriesSeen(queries, *(SomeQueries(len(ids), tuple(ids[:_N_FIRST])) for ids in kinds))


def choose_queries(joined: Joined, queries: str) -> tuple[Joined, bool]:
    """Return the queries that are scored, with their items.

    Also return whether one of their items was judged and, for some query, predicted.
    """
    judged, predicted, query_ids, item_ids, is_judged, is_predicted = joined
    chosen = {"judged": is_judged, "both": is_judged & is_predicted}
    is_kept = chosen.get(queries, np.ones(query_ids.size, dtype=bool))
    if not is_kept.all():
        number = np.cumsum(is_kept) - 1
        judged, predicted = (
            kept._replace(query=number[kept.query])
            for kept in (cells.where(is_kept[cells.query]) for cells in (judged, predicted))
        )
        query_ids, is_judged, is_predicted = (
            each[is_kept] for each in (query_ids, is_judged, is_predicted)
        )
    has_judgment, has_prediction = (
        are_in(cells.item, item_ids.size) for cells in (judged, predicted)
    )
    is_used = has_judgment | has_prediction
    if not is_used.all():
        number = np.cumsum(is_used) - 1
        judged, predicted = (
            cells._replace(item=number[cells.item]) for cells in (judged, predicted)
        )
        item_ids = item_ids[is_used]
    has_found = bool((has_judgment & has_prediction).any())
    return Joined(judged, predicted, query_ids, item_ids, is_judged, is_predicted), has_found


def warn_of_none_found(table: str) -> None:
    """Warn that the judged and the predicted items have no item in common."""
    warn_caller(_NONE_FOUND[table], UserWarning)


_NONE_FOUND = {
    "judgments": "No judged item is among the predictions. Check that both tables use the same "
    "item ids.",
    "relevant": "No relevant item is among the retrieved ones. Check that both have the same ids.",
    "table": "No judged item is among the predictions: no row has both a label and a score. If "
    "two tables were concatenated, merge them by the ids of queries and items.",
}
"""The warnings if the judged and the predicted items have no item in common."""
