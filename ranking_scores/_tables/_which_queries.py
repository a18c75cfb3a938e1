"""The queries that two tables have, and those of them that are scored."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import are_in, count_queries, invalid, show_id, warn_caller
from ranking_scores._tables._cells import Joined
from ranking_scores._tables._columns import Column, sort_ids

Queries = Literal["judged", "both", "all", "equal"]

QUERIES = ("judged", "both", "all", "equal")
OF_TWO_RANKINGS = "of two rankings"
"""The queries that both of two rankings have, of which none is judged."""
UNEQUAL = "With queries='judged', such queries are no error."
"""The advice if queries are not equal and should be."""


@dataclass(frozen=True)
class SomeQueries:
    """The number of queries of one kind, and the ids of the first of them.

    Attributes
    ----------
    count : int
        The number of queries.

    first : tuple
        The ids of the first three of them, sorted.

    ids : ndarray of shape (count,) or None
        The ids of all of them, sorted, if they are in only one of two rankings. None otherwise.
    """

    count: int
    first: tuple[Any, ...]
    ids: NDArray[Any] | None = field(default=None, repr=False, compare=False)

    def __add__(self, other: SomeQueries) -> SomeQueries:
        first = sort_ids(dict.fromkeys((*self.first, *other.first)))
        return SomeQueries(self.count + other.count, tuple(first[:_N_FIRST]))

    def __str__(self) -> str:
        shown = ", ".join(map(show_id, self.first[:3])) or "none"
        return f"{shown}, …" if self.count > 3 else shown


_N_FIRST = 3


def refuse_unjudged(seen: QueriesSeen | None, function: str) -> None:
    """Raise if data has queries that nobody judged, which would have no answer."""
    if seen is not None and seen.queries == "all" and seen.not_judged.count:
        expected = "data of judged queries, since nobody looked for the answers of the others"
        got = f"{count_queries(seen.not_judged.count)} not judged: {seen.not_judged}"
        raise invalid("y_true", function, expected, got, code="Pass queries='judged'.")


_NONE = SomeQueries(0, ())


@dataclass(frozen=True)
class QueriesSeen:
    """The queries that judgments and predictions have. As text, those that only one of them has.

    Attributes
    ----------
    n_queries : int
        The number of queries that are judged, predicted or both.

    n_both : int
        The number of queries that are both.

    judged : SomeQueries
        The queries that are judged, with their `count`, and the `first` three ids.

    predicted : SomeQueries
        The queries that are predicted.

    only_judged : SomeQueries
        The queries that are judged and not predicted.

    not_judged : SomeQueries
        The queries that are predicted and not judged.

    queries : {"judged", "both", "all", "equal", "of two rankings"}
        Which of them the result has. "of two rankings" are those of both rankings that
        `ranking_scores.agreement` compares. `judged` are then the queries of the first ranking,
        and `predicted` those of the second.

    n_dropped : int or None
        The number of predictions that had the id of their query and were dropped, if
        `ranking_scores.scale.report_tables` did so. `from_tables` and its like say it in
        `data.notes`.
    """

    n_queries: int
    n_both: int
    judged: SomeQueries
    predicted: SomeQueries
    only_judged: SomeQueries
    not_judged: SomeQueries
    queries: str = "judged"
    n_dropped: int | None = None

    def __add__(self, other: QueriesSeen) -> QueriesSeen:
        sums = {
            name: value + getattr(other, name)
            for name, value in vars(self).items()
            if name not in ("queries", "n_dropped")
        }
        return replace(self, **sums)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(
        self, *, are_empty_lists: bool = False, names: tuple[str, str] = ("a", "b")
    ) -> list[str]:
        """Return, in words, the queries that are only judged or only predicted.

        Queries that are only judged count 0, unless empty lists are right for some of them.
        `names` are those of two rankings.
        """
        effects = {
            "judged": ("left out", "count 0"),
            "both": ("left out", "left out"),
            OF_TWO_RANKINGS: ("left out", "left out"),
            "all": ("count as queries without relevant items", "count 0"),
        }
        of_not_judged, of_only_judged = effects.get(self.queries, ("", ""))
        if are_empty_lists and of_only_judged == "count 0":
            of_only_judged = "have an empty list"
        lines = []
        sides = [
            (self.not_judged, "predicted but not judged", of_not_judged),
            (self.only_judged, "judged but not predicted", of_only_judged),
        ]
        if self.queries == OF_TWO_RANKINGS:
            sides = [
                (self.only_judged, f"only in {names[0]}", of_only_judged),
                (self.not_judged, f"only in {names[1]}", of_not_judged),
            ]
        for some, what, effect in sides:
            if some.count:
                is_or_are = "was" if some.count == 1 else "were"
                if effect == "left out":
                    effect = "is left out" if some.count == 1 else "are left out"
                elif some.count == 1:
                    effect = effect.replace("count", "counts").replace("as queries", "as a query")
                    effect = effect.replace("have", "has")
                queries = count_queries(some.count)
                lines.append(f"{queries} {is_or_are} {what}, and {effect}: {some}")
        return lines

    def check(self, queries: str, judged: dict[str, Column], predicted: dict[str, Column]) -> None:
        """Raise unless the tables have queries of the kind that the caller asked for."""
        if not self.judged.count:
            if "label" in judged and judged["label"].table == "table" and self.n_queries:
                raise judged["label"].invalid("a label in at least one row", "null or NaN in each")
            table, function = judged["query"].table, judged["query"].function
            raise invalid(table, function, "a table with at least one row", "no rows")
        column = predicted["query"]
        if not self.n_both and (self.predicted.count or queries == "both"):
            got = f"{self.judged} judged and {self.predicted} predicted"
            raise column.invalid("a query that is both judged and predicted", got)
        if queries == "equal" and self.n_both < self.n_queries:
            other, what = self.only_judged, "judged and not predicted"
            if not other.count:
                other, what = self.not_judged, "not judged"
            raise column.invalid(
                "only queries that are both judged and predicted, and all of them",
                f"{other.count} of {self.n_queries} queries that are {what}, such as "
                f"{show_id(other.first[0])},",
                code=UNEQUAL,
            )


NO_QUERIES = QueriesSeen(0, 0, _NONE, _NONE, _NONE, _NONE)


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


class _HasQueries(Protocol):
    """Queries that are judged, predicted or both."""

    @property
    def queries(self) -> NDArray[Any]:
        """The ids of the queries."""

    @property
    def is_judged(self) -> NDArray[np.bool_]:
        """Which queries the judgments have."""

    @property
    def is_predicted(self) -> NDArray[np.bool_]:
        """Which queries the predictions have."""


def see_queries(joined: _HasQueries, *, keep_ids: bool = False) -> QueriesSeen:
    """Return the queries that two tables have. `keep_ids`: with all ids of those of one table."""
    ids = joined.queries
    is_judged, is_predicted = joined.is_judged, joined.is_predicted
    judged, predicted, only_judged, not_judged = (
        SomeQueries(int(np.count_nonzero(are)), tuple(ids[np.flatnonzero(are)[:_N_FIRST]]))
        for are in (is_judged, is_predicted, is_judged & ~is_predicted, ~is_judged)
    )
    n_both = judged.count - only_judged.count
    if keep_ids:
        only_judged = replace(only_judged, ids=ids[is_judged & ~is_predicted])
        not_judged = replace(not_judged, ids=ids[~is_judged])
    return QueriesSeen(ids.size, n_both, judged, predicted, only_judged, not_judged)


def see_queries_of_dicts(
    judged: Collection[Any], predicted: Collection[Any], queries: str
) -> QueriesSeen:
    """Return the queries that dicts of judgments and of predictions have."""
    one, other = {*judged}, {*predicted}
    kinds = (one, other, one - other, other - one)
    judged_ones, predicted_ones, only_judged, not_judged = (
        SomeQueries(len(each), tuple(sorted(each)[:_N_FIRST])) for each in kinds
    )
    counts = len(one | other), len(one & other)
    return QueriesSeen(*counts, judged_ones, predicted_ones, only_judged, not_judged, queries)


def warn_of_few_shared(seen: QueriesSeen, joined: _HasQueries) -> None:
    """Warn if less than half of the queries of both tables are in the other table."""
    if 0 < seen.n_both < min(seen.judged.count, seen.predicted.count) / 2:
        only = joined.queries[~joined.is_predicted], joined.queries[~joined.is_judged]
        alike = likely_same_ids(*(ids.tolist() for ids in only))
        counts = (
            f"{seen.n_both} of {seen.judged.count} judged and {seen.predicted.count} predicted"
        )
        warn_caller(
            f"Judgments and predictions share only {counts} queries. Only judged are "
            f"{seen.only_judged}, and only predicted are {seen.not_judged}.{alike}",
            UserWarning,
        )


def likely_same_ids(ids: Iterable[Any], others: Iterable[Any]) -> str:
    """Return words on the first two ids that differ only in how they are written, or no words."""
    written = {_plain(each): each for each in ids if isinstance(each, str)}
    for other in others:
        if isinstance(other, str) and _plain(other) in written:
            pair = ascii(written[_plain(other)]), ascii(other)
            return f" The ids {pair[0]} and {pair[1]} may mean the same query."
    return ""


def _plain(text: str) -> str:
    """Return a text without blanks and zeros in front, in one case and one Unicode form."""
    return unicodedata.normalize("NFKC", text).strip().lstrip("0").casefold()


def are_chosen(joined: _HasQueries, queries: str) -> NDArray[np.bool_]:
    """Return which queries are scored."""
    chosen = {"judged": joined.is_judged, "both": joined.is_judged & joined.is_predicted}
    return chosen.get(queries, np.ones(joined.queries.size, dtype=bool))


def choose_queries(joined: Joined, queries: str) -> tuple[Joined, bool]:
    """Return the queries that are scored, with their items.

    Also return whether one of their items was judged and, for some query, predicted.
    """
    judged, predicted, query_ids, item_ids, is_judged, is_predicted = joined
    is_kept = are_chosen(joined, queries)
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
