"""Judgments and predictions as a caller has them, joined as deep as a score asks.

The queries are joined at once: which of them count is known before any score is called. An item is
joined when a score needs it. Only what can be among the first ranks is looked at, and numbers say
what that is: the places in lists, the ranks, or the scores with the ties at the cutoff. All items
are joined if somebody asks for columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from itertools import compress
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._queries import Entries, FirstItems
from ranking_scores._tables._aspects_given import GivenAspects
from ranking_scores._tables._cells import Joined, JoinedQueries
from ranking_scores._tables._columns import Column, Positions
from ranking_scores._tables._first_items import ItemsOfQueries, first_items_of
from ranking_scores._tables._first_of_columns import items_of_column
from ranking_scores._tables._first_of_lists import first_of_lists
from ranking_scores._tables._free_ranks import check_ranks, limits_of_gaps
from ranking_scores._tables._join import (
    Side,
    are_at_first_ranks,
    join_items,
    join_queries,
    part_columns,
    queries_in_table,
)
from ranking_scores._tables._joined_arrays import are_repeats, each_once, to_arrays, with_scores
from ranking_scores._tables._lists_of_ids import Given, Lists, join_given
from ranking_scores._tables._ranking_data import JudgedItems, RankingData, Read
from ranking_scores._tables._ranks_beside import warn_if_distance
from ranking_scores._tables._rising_scores import scores_of_lists, warn_if_rising
from ranking_scores._tables._which_queries import (
    are_chosen,
    choose_queries,
    see_queries,
    warn_of_few_shared,
    warn_of_none_found,
)
from ranking_scores.exceptions import InvalidParameterError


class JoinedLater(ABC):
    """Judgments and predictions whose items are joined when they are needed."""

    came_from = "one table"
    """The form in which a caller has them."""
    has_query_ids = True
    """Whether queries have ids, and not only places in lists."""
    may_be_packed = False
    """Whether the ids of the columns may be packed text, which takes much less memory."""

    def __init__(self, joined: JoinedQueries, queries: str, duplicates: str) -> None:
        self.joined, self.queries, self.duplicates = joined, queries, duplicates
        self.is_kept = are_chosen(joined, queries)
        self._may_have_none_found = True

    @abstractmethod
    def columns(self) -> tuple[dict[str, Column], dict[str, Column]]:
        """Return the columns of judgments and of predictions, at least those of queries."""

    @abstractmethod
    def join(self) -> Joined:
        """Return all entries."""

    @abstractmethod
    def join_first(self, depth: int) -> Joined | None:
        """Return the entries that count if only the ranks up to `depth` do; None: most do."""

    def read(self, depth: int) -> Read | None:
        """Return the items that count if only the ranks up to `depth` do.

        None: most items do, so arrays of all of them, which are kept, are as good.
        """
        try:
            joined = self.join_first(depth)
        except InvalidParameterError:
            return None  # of ids of several types, it is all that can be told apart
        if joined is None:
            return None
        if self.duplicates == "best" and are_repeats(joined.predicted).any():
            return None  # others move up to the places of repeated items
        chosen = self._choose(joined)
        scored, n_fillers = with_scores(chosen, self._most_free())
        judged, predicted, _ = each_once(scored, n_fillers, self.duplicates)
        found = Entries(predicted.query, predicted.item, predicted.values)
        labels = Entries(judged.query, judged.item, judged.values).at(found.cells)
        n_found, n_judged = (
            np.bincount(cells.query, minlength=chosen.queries.size)
            for cells in (predicted, judged)
        )
        first = FirstItems(n_found, found.values, labels, n_judged, judged.values)
        items = JudgedItems(judged.query, judged.item, chosen.items, judged.values)
        return Read(depth, first, items)

    def in_arrays(self) -> RankingData:
        """Return all judgments and predictions as arrays."""
        chosen = self._choose(self.join())
        if not self.may_be_packed:
            chosen = chosen._replace(items=np.asarray(chosen.items))
        scored, n_fillers = with_scores(chosen, self._most_free())
        return to_arrays(scored, n_fillers, self.duplicates)

    def _most_free(self) -> tuple[int, int]:
        """Return how many ranks may be free in one query, and in all."""
        return limits_of_gaps(int(np.count_nonzero(self.is_kept[self.joined.of_predicted])))

    def check_ranks(self, columns: dict[str, Column], values: NDArray[Any]) -> None:
        """Raise if predictions have ranks, and too many of these are free."""
        if "rank" in columns:
            query = self.joined.of_predicted
            if not self.is_kept.all():
                is_kept = self.is_kept[query]
                query, values = query[is_kept], values[is_kept]
            check_ranks(query, values, columns["rank"], self.joined.queries)

    def _choose(self, joined: Joined) -> Joined:
        """Return the entries of the queries that count.

        Warn once if no judged item was predicted, however deep it is sought.
        """
        chosen, has_found = choose_queries(joined, self.queries)
        if self._may_have_none_found:
            self._may_have_none_found = False
            if not has_found and joined.judged.query.size and chosen.predicted.query.size:
                _, has_found = choose_queries(self.join(), self.queries)
                if not has_found:
                    warn_of_none_found(joined.judged.columns["query"].table)
        return chosen


def data_of(
    source: JoinedLater, notes: Iterable[str] = (), aspects: GivenAspects | None = None
) -> RankingData:
    """Return data that is read when a score asks, after a look at its queries.

    The notes say what was taken for what, and what was skipped, when it was read. `aspects` are
    those of the judged queries, the last of which has none.
    """
    joined = source.joined
    seen = replace(see_queries(joined), queries=source.queries)
    seen.check(source.queries, *source.columns())
    warn_of_few_shared(seen, joined)
    data = RankingData.from_source(
        source,
        joined.queries[source.is_kept],
        seen,
        joined.is_predicted[source.is_kept],
        notes=tuple(notes),
        has_query_ids=source.has_query_ids,
    )
    if aspects is None:
        return data
    number = np.full(source.is_kept.size, -1)
    number[joined.of_judged] = aspects.query
    return data.over_aspects(aspects.aspects.of_queries(number[source.is_kept]))


class TwoSources(JoinedLater):
    """Judgments and predictions, each as lists of ids or as the columns of a table."""

    def __init__(self, given: Given, queries: str, duplicates: str) -> None:
        super().__init__(join_queries(given.queries()), queries, duplicates)
        self._given = given = given.with_numbers()
        forms = ["lists" if isinstance(each, Lists) else "a table" for each in given[:2]]
        self.came_from = {"a table": "two tables"}.get(forms[0], forms[0])
        if forms[0] != forms[1]:
            self.came_from = " and ".join(forms)
        if isinstance(given.predicted, Lists):
            warn_if_rising(scores_of_lists(given.predicted, given), given.predicted.function)
        self.has_query_ids = not all(
            isinstance(each, Lists) and each.queries is None for each in given[:2]
        )
        if isinstance(given.predicted, Side):
            warn_if_distance(given.predicted.columns.get("score"))
            self._values = given.predicted.values()
            self.check_ranks(given.predicted.columns, self._values)

    def columns(self) -> tuple[dict[str, Column], dict[str, Column]]:
        """Return the columns of judgments and of predictions, of lists only their queries."""
        judged, predicted = self._given.queries()
        return judged.columns, predicted.columns

    def join(self) -> Joined:
        """Return all entries."""
        return self._join(self._given, self.joined, None)

    def join_first(self, depth: int) -> Joined | None:
        """Return the entries that count if only the ranks up to `depth` do; None: most do."""
        given, joined = self._given, self.joined
        if isinstance(given.predicted, Lists):
            length = given.predicted.lengths()
            if 2 * np.minimum(length, depth).sum() > length.sum():
                return None
            return self._join(given.only(self.is_kept[joined.of_predicted]), joined, depth)
        rows = self._first_rows(given.predicted, depth)
        if rows is None:
            return None
        given = given._replace(predicted=given.predicted.at(rows))
        return self._join(given, joined._replace(of_predicted=joined.of_predicted[rows]), depth)

    def _join(self, given: Given, joined: JoinedQueries, depth: int | None) -> Joined:
        """Return the entries, of lists of predictions only what can be at some ranks."""
        judged, predicted = given[:2]
        if isinstance(judged, Side) and isinstance(predicted, Side) and given.split is None:
            return join_items(joined, [judged, predicted], self.duplicates)
        return join_given(given, self.duplicates, depth)

    def read(self, depth: int) -> Read | None:
        """Return the items that count if only the ranks up to `depth` do."""
        judged, predicted, scores = self._given[:3]
        read = None
        is_as_it_is = self._given.is_as_it_is()
        if isinstance(judged, Lists) and isinstance(predicted, Lists) and is_as_it_is:
            relevant = self._rows(judged, self.joined.of_judged)
            retrieved, beside = (
                self._rows(each, self.joined.of_predicted) for each in (predicted, scores)
            )
            read = first_of_lists(relevant, retrieved, beside, depth)
        if isinstance(judged, Side) and isinstance(predicted, Side):
            read = self._read_columns(judged, predicted, depth)
        if read is None:
            return super().read(depth)
        self._may_have_none_found = False
        return read

    def _first_rows(self, predicted: Side, depth: int) -> Positions | None:
        """Return the rows of queries that count, and that can be at the ranks up to `depth`.

        None: they are most of the rows.
        """
        if depth >= self._values.size:
            return None
        query, are_ranks = self.joined.of_predicted, "rank" in predicted.columns
        are_kept = self.is_kept[query]
        are_kept &= are_at_first_ranks(query, self._values, depth, are_ranks=are_ranks)
        return _unless_most(np.flatnonzero(are_kept), self._values.size)

    def _read_columns(self, judged: Side, predicted: Side, depth: int) -> Read | None:
        """Return the same of tables with scores, if ids are text or whole numbers."""
        if "rank" in predicted.columns:
            return None
        rows = self._first_rows(predicted, depth)
        if rows is None:
            return None
        found = self._items(predicted, self.joined.of_predicted, self._values, rows)
        rows = np.flatnonzero(self.is_kept[self.joined.of_judged])
        of_judged = self._items(judged, self.joined.of_judged, judged.values(), rows)
        return of_judged and found and first_items_of(of_judged, found, depth)

    def _items(
        self, side: Side, query: Positions, values: NDArray[Any], rows: Positions
    ) -> ItemsOfQueries | None:
        """Return some rows of a table as items of the queries that count."""
        number = np.cumsum(self.is_kept) - 1
        item, query_of_row = side.columns["item"].at(rows), number[query[rows]]
        return items_of_column(item, query_of_row, values[rows], int(self.is_kept.sum()))

    def _rows(self, lists: Lists | None, query: Positions) -> Any:
        """Return the lists of the queries that count, in the order of these."""
        if lists is None or lists.queries is None or not isinstance(lists.rows, list):
            return None if lists is None else lists.rows
        rows = [None] * self.is_kept.size
        for number, row in zip(query.tolist(), lists.rows, strict=True):
            rows[number] = row
        return list(compress(rows, self.is_kept))


class OneTable(JoinedLater):
    """A table in which judgments and predictions are joined already."""

    def __init__(self, columns: dict[str, Column], queries: str, duplicates: str) -> None:
        joined, self._judged, scores = queries_in_table(columns)
        super().__init__(joined, queries, duplicates)
        warn_if_distance(columns.get("score"))
        self._columns, self._values = columns, scores.values
        self._predicted = cast(Positions, scores.row)
        self.check_ranks(columns, self._values)

    def columns(self) -> tuple[dict[str, Column], dict[str, Column]]:
        """Return the columns of judgments and of predictions."""
        return self._columns, self._columns

    def join(self) -> Joined:
        """Return all entries."""
        return part_columns(self._columns, self.duplicates)

    def join_first(self, depth: int) -> Joined | None:
        """Return the entries that are judged, or count up to `depth`; None: most do."""
        query, are_ranks = self.joined.of_predicted, "rank" in self._columns
        if depth >= query.size:
            return None
        are_first = are_at_first_ranks(query, self._values, depth, are_ranks=are_ranks)
        rows = _unless_most(np.union1d(self._judged, self._predicted[are_first]), query.size)
        if rows is None:
            return None
        columns = {keyword: column.at(rows) for keyword, column in self._columns.items()}
        return part_columns(columns, self.duplicates)


def _unless_most(rows: Positions, n_rows: int) -> Positions | None:
    """Return the rows that count; None: more than half of all rows do."""
    return None if 2 * rows.size > n_rows else rows
