"""Judgments and predictions in parts of whole queries, which are joined and scored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ranking_scores._base import check_bool, check_option, ids_as_objects, with_parts
from ranking_scores._scale._shards import Names, PartSums, ShardScore
from ranking_scores._tables import (
    DUPLICATES,
    NO_QUERIES,
    QUERIES,
    Column,
    ColumnNames,
    Given,
    Joined,
    QueriesSeen,
    RankingData,
    alike,
    check_gaps,
    choose_queries,
    join_sides,
    most_free_in_part,
    read_columns,
    read_ids,
    see_queries,
    side_of,
    to_arrays,
    warn_of_none_found,
    with_scores,
    without_self,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport

Items = tuple[frozenset[Any], frozenset[Any]]
"""The ids of items that are judged, and of those that are predicted."""


@dataclass(frozen=True)
class TablesSeen:
    """Facts about a part of both tables. Those of two parts can be added."""

    queries: QueriesSeen = NO_QUERIES
    has_found: bool = False
    """Whether, among the scored queries, an item is both judged and predicted."""
    n_rows: int = 0
    """The number of predictions for the scored queries."""
    n_free: int = 0
    """The number of ranks that the predictions leave out."""
    most_free: int = 0
    """The most ranks that one query leaves out."""
    n_dropped: int = 0
    """The number of predictions that have the id of their query, if these are dropped."""

    def __add__(self, other: TablesSeen) -> TablesSeen:
        return TablesSeen(
            self.queries + other.queries,
            self.has_found or other.has_found,
            self.n_rows + other.n_rows,
            self.n_free + other.n_free,
            max(self.most_free, other.most_free),
            self.n_dropped + other.n_dropped,
        )


class ShardTables:
    """Some scores, and the columns of the two tables that they score; see `ShardScore`."""

    def __init__(
        self,
        scores: Any,
        params: dict[str, Any],
        names: ColumnNames,
        function: str,
        queries: str,
        duplicates: str,
        unjudged: Any = False,
        *,
        drop_self: Any = False,
    ) -> None:
        """Check the scores, their parameters and which queries are scored."""
        self.queries = check_option(queries, "queries", function, QUERIES)
        self.duplicates = check_option(duplicates, "duplicates", function, DUPLICATES)
        self.drops_self = check_bool(drop_self, "drop_self", function)
        self.names = names
        # Errors of scores name these columns.
        label = names.judged["item" if names.judged["label"] is None else "label"]
        value = names.predicted["rank" if names.predicted["score"] is None else "score"]
        columns = {"y_true": label, "y_score": value}
        self.score = ShardScore(
            scores, params, columns, Names(function, "judgments"), unjudged=unjudged
        )

    def sums_of(self, judgments: Any, predictions: Any) -> tuple[PartSums, TablesSeen]:
        """Return the sums over a part of both tables, and facts about the part.

        A query of the part has all its rows of both tables there.
        """
        joined, n_dropped = self._joined(judgments, predictions)
        queries = see_queries(joined)
        chosen, has_found = choose_queries(joined, self.queries)
        n_rows = chosen.predicted.query.size
        scored, most_free = with_scores(chosen, most_free_in_part(n_rows))
        n_free = scored.predicted.query.size - n_rows
        data = to_arrays(scored, most_free, self.duplicates)
        seen = TablesSeen(queries, has_found, n_rows, n_free, most_free, n_dropped)
        with _places_named(data):
            return self.score.sums_of_data(data), seen

    def check_kinds(self, judgments: Any, predictions: Any) -> None:
        """Raise if the ids of the tables that both begin with can never be equal."""
        function = self.score.names.function
        judged = read_columns(judgments, self.names.judged, "judgments", function)
        predicted = read_columns(predictions, self.names.predicted, "predictions", function)
        for keyword in ("query", "item"):
            ids = [read_ids(each[keyword]) for each in (judged, predicted)]
            alike(judged[keyword], predicted[keyword], *ids)

    def items_of(self, judgments: Any, predictions: Any) -> Items:
        """Return the judged and the predicted items of the scored queries in a part."""
        chosen, _ = choose_queries(self._joined(judgments, predictions)[0], self.queries)
        judged, predicted = (
            frozenset(ids_as_objects(np.asarray(chosen.items[np.unique(cells.item)])))
            for cells in (chosen.judged, chosen.predicted)
        )
        return judged, predicted

    def _joined(self, judgments: Any, predictions: Any) -> tuple[Joined, int]:
        """Return a part of both tables, joined, and how many predictions were dropped before."""
        function = self.score.names.function
        with _places_named(None):
            judged = read_columns(judgments, self.names.judged, "judgments", function)
            predicted = read_columns(predictions, self.names.predicted, "predictions", function)
            given, n_dropped = Given(side_of(judged), side_of(predicted)), 0
            if self.drops_self:
                given, n_dropped = without_self(given)
            return join_sides(given.queries(), self.duplicates), n_dropped

    def check(self, seen: TablesSeen) -> None:
        """Raise if the tables break a rule that only all parts together show."""
        function = self.score.names.function
        judged, predicted = (
            {
                keyword: Column(None, name, table, function)
                for keyword, name in names.items()
                if name is not None
            }
            for table, names in zip(("judgments", "predictions"), self.names, strict=True)
        )
        seen.queries.check(self.queries, judged, predicted)
        if "rank" in predicted:
            check_gaps(predicted["rank"], seen.n_rows, seen.most_free, seen.n_free)

    def report_of(self, sums: PartSums, seen: TablesSeen, has_found: bool) -> RankingReport:
        """Return the report of all queries, with the warnings about them."""
        if seen.n_rows and not has_found:
            warn_of_none_found("judgments")
        n_dropped = seen.n_dropped if self.drops_self else None
        queries = replace(seen.queries, queries=self.queries, n_dropped=n_dropped)
        return self.score.report_of(sums, queries)


@contextmanager
def _places_named(data: RankingData | None) -> Iterator[None]:
    """Let errors name queries by their ids, and name no rows, which are those of a part."""
    try:
        yield
    except InvalidParameterError as error:
        place = error.place._replace(row=None)
        if data is not None and place.query is not None:
            place = place._replace(query=data.query_ids[place.query], query_is="id")
        raise with_parts(error, place=place) from error.__cause__
