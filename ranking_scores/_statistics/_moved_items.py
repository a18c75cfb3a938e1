"""The items of a query that left the first ranks, came in, or are not among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import (
    describe,
    invalid,
    match_ids,
    possible_ranks,
    python_ids,
    show_some,
    with_types,
)
from ranking_scores._metrics import Facts, score_of
from ranking_scores._queries import count_items, refuse_aspects
from ranking_scores._reports import judgments_with_digest
from ranking_scores._tables import RankingData
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
RankRange = tuple[int, int]
"""The first and the last rank that an item has in the orders of the items with its score."""


@with_types
class MovedItem(NamedTuple):
    """An item that left the first ranks of a query, came in, or is not among them.

    In the result of `changes` it is a relevant item. An item has several possible ranks if others
    have its score: from 1 plus the number of items with a higher score, to the number of items
    whose score is not lower. It is among the first k if the first of these ranks is at most k.

    Attributes
    ----------
    item : object
        The id of the item.

    before : tuple of two int, or None
        Its first and its last possible rank in the old ranking. None: it was not retrieved, or
        the old data was not passed.

    now : tuple of two int, or None
        Its first and its last possible rank in the new ranking. None: it is not retrieved.
    """

    item: Any
    before: RankRange | None
    now: RankRange | None


class Relevance(NamedTuple):
    """Which items are relevant for a score, and how many of the first ranks it reads."""

    k: int | None
    """None: all ranks."""
    threshold: float | None
    """The least label of a relevant item. None: any label above 0 is."""


class Rankings:
    """What was judged and retrieved for some queries."""

    def __init__(
        self, data: RankingData, ids: NDArray[Any], parameter: str, function: str
    ) -> None:
        self._data, self._parameter, self._function = data, parameter, function
        self._y_true, self._y_score = csr_array(data.y_true), csr_array(data.y_score)
        self._rows, missing, *_ = match_ids(data.query_ids, ids)
        if missing.size:
            expected = "the data of the report, with all of its queries"
            raise invalid(parameter, function, expected, f"none for {show_some(missing)}")
        self._ranges: dict[int, Mapping[Any, RankRange]] = {}

    def digest(self) -> str | None:
        """Return the digest of the judgments of these queries."""
        ids = self._data.query_ids[self._rows]
        data = RankingData(
            self._y_true[self._rows], self._y_score[self._rows], ids, self._data.item_ids
        )
        return _digest_of(data)

    def scores(self) -> tuple[csr_array, NDArray[Any]]:
        """Return the scores of the retrieved items of these queries, and the ids of the columns.

        Columns without an id, which only fill ranks, come last.
        """
        return self._y_score[self._rows], self._data.item_ids

    def check_values(self, queries: Ints, name: str, facts: Facts, values: Floats) -> None:
        """Raise if a query has another value than in the report, which is then of other data.

        Nothing is checked if an option is a function, or if the score refuses retrieved items.
        """
        score = score_of(facts)
        if score is None or not queries.size:
            return
        rows = self._rows[queries]
        try:
            found = score(self._y_true[rows], self._y_score[rows], average=None)
        except InvalidParameterError:
            return
        is_other = ~np.isclose(found, values, rtol=1e-9, atol=1e-12, equal_nan=True)
        if is_other.any():
            place = int(np.argmax(is_other))
            query = show_some(self._data.query_ids[rows[place : place + 1]])
            expected = f"the data of the report, in which {name} of {query} is {values[place]:g}"
            got = f"data on which it is {found[place]:g}"
            raise invalid(self._parameter, self._function, expected, got)

    def relevant(self, query: int, threshold: float | None) -> Iterable[Any]:
        """Return the ids of the relevant items of a query."""
        columns, labels = _row_of(self._y_true, self._rows[query])
        is_relevant = labels > 0 if threshold is None else labels >= threshold
        return python_ids(self._data.item_ids[columns[is_relevant]])

    def ranges(self, query: int) -> Mapping[Any, RankRange]:
        """Return the first and the last possible rank of each retrieved item of a query."""
        if query not in self._ranges:
            columns, scores = _row_of(self._y_score, self._rows[query])
            first, last = possible_ranks(scores)
            ranges = zip(first.tolist(), last.tolist(), strict=True)
            items = python_ids(self._data.item_ids[columns])
            self._ranges[query] = dict(zip(items, ranges, strict=True))
        return self._ranges[query]


class Moves(NamedTuple):
    """The relevant items of a query that moved. None: not known without the old data."""

    left: tuple[MovedItem, ...] | None = None
    came_in: tuple[MovedItem, ...] | None = None
    missed: tuple[MovedItem, ...] | None = None
    """Those that are not among the first ranks now."""


class BothRankings(NamedTuple):
    """The old and the new rankings of the same queries, or only the new ones."""

    old: Rankings | None
    new: Rankings

    def in_one_table(self) -> tuple[csr_array, csr_array]:
        """Return the scores of both rankings, with the same columns for the same items."""
        assert self.old is not None
        (old, old_ids), (new, new_ids) = self.old.scores(), self.new.scores()
        n_old, n_new = old_ids.size, new_ids.size
        own = np.arange(n_old, n_old + n_new)
        places = match_ids(old_ids[: count_items(old_ids)], new_ids).places
        column = np.where(places < 0, own, places)
        shape = old.shape[0], n_old + n_new
        return (
            csr_array((old.data, old.indices, old.indptr), shape=shape),
            csr_array((new.data, column[new.indices], new.indptr), shape=shape),
        )

    def check_values(
        self, queries: Ints, name: str, facts: Sequence[Facts], values: Sequence[Floats]
    ) -> None:
        """Raise if the old or the new data is not that of its report, by some of its queries."""
        for side, of_side, value in zip((self.old, self.new), facts, values, strict=True):
            if side is not None:
                side.check_values(queries, name, of_side, value[queries])

    def moved(self, query: int, relevance: Relevance) -> Moves:
        """Return the items of a query that left the first ranks, came in, or are not there.

        They are sorted by the rank that they left, or that they have.
        """
        now = self.new.ranges(query)
        before = {} if self.old is None else self.old.ranges(query)
        missed = [
            MovedItem(item, before.get(item), now.get(item))
            for item in self.new.relevant(query, relevance.threshold)
            if not _is_first(now.get(item), relevance.k)
        ]
        missed.sort(key=lambda each: each.now or (np.inf, np.inf))
        if self.old is None:
            return Moves(missed=tuple(missed))
        relevant = dict.fromkeys(
            item
            for side in (self.old, self.new)
            for item in side.relevant(query, relevance.threshold)
        )
        left, came_in = left_and_came_in(relevant, before, now, relevance.k)
        return Moves(left, came_in, tuple(missed))


def left_and_came_in(
    items: Iterable[Any],
    before: Mapping[Any, RankRange],
    now: Mapping[Any, RankRange],
    k: int | None,
) -> tuple[tuple[MovedItem, ...], tuple[MovedItem, ...]]:
    """Return those of some items that left the first k ranks, and those that came in.

    They are sorted by the rank that they left, or that they have. If k is None, all ranks count.
    """
    moved = [MovedItem(item, before.get(item), now.get(item)) for item in items]
    was_first, is_first = (
        [_is_first(getattr(each, name), k) for each in moved] for name in ("before", "now")
    )
    places = range(len(moved))
    left = [moved[each] for each in places if was_first[each] and not is_first[each]]
    came_in = [moved[each] for each in places if is_first[each] and not was_first[each]]
    left.sort(key=lambda each: each.before or (0, 0))
    came_in.sort(key=lambda each: each.now or (0, 0))
    return tuple(left), tuple(came_in)


def read_rankings(
    data: Mapping[str, tuple[Any, RankingReport]], ids: NDArray[Any] | None, function: str
) -> BothRankings | None:
    """Return the rankings of the old and the new data, or of the new data; None without data.

    `data` has what was passed by its parameter, with the report on it, first the old one, and
    `ids` are those of the queries. Raise if only the old one is data, or if data are not those of
    their report.
    """
    found: dict[str, Rankings] = {}
    for name, (given, report) in data.items():
        if given is None:
            continue
        if not isinstance(given, RankingData):
            raise invalid(name, function, "RankingData or None", describe(given))
        if ids is None:
            expected = "left out, since a report has no ids, or no values of queries"
            raise invalid(name, function, expected, "RankingData")
        refuse_aspects(given, name, function)
        found[name] = Rankings(given, ids, name, function)
        digest = None if report.judgments is None else report.judgments.digest
        if digest is not None and digest != _digest_of(given):
            expected = "the data of the report, with its judgments"
            raise invalid(name, function, expected, "data with others")
    if found and "data_new" not in found:
        raise invalid("data_new", function, "given if `data_old` is", "None")
    return BothRankings(found.get("data_old"), found["data_new"]) if found else None


def _digest_of(data: RankingData) -> str | None:
    """Return the digest of the judgments of some data."""
    return judgments_with_digest(data.judged_items(), data.query_ids).digest


def _row_of(matrix: csr_array, row: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the columns and the values that a row stores."""
    stored = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[stored], matrix.data[stored]


def _is_first(ranks: RankRange | None, k: int | None) -> bool:
    """Return whether an item is among the first k, or retrieved if k is None."""
    return ranks is not None and (k is None or ranks[0] <= k)
